//! Control: how devices of a profile are commanded, each *on* with a lease.
//!
//! A device's own id at its controller is `{profile}:{id}`, so that it is known from the id alone who commands it how. What comes out
//! is what is to be published to the account of the controller, and nothing that its profile does not name.

mod compile;
mod document;
mod template;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use harit_engine::{DeviceType, Quantity};
use serde_json::json;

pub use document::{
    AnswerKind, ControlDocument, LeaseDocument, LeaseKind, ProveDocument, TemplateDocument,
};
use template::{Filling, Template, Text};

use crate::node::Node;
use crate::pattern::{Captures, Pointer, TopicPattern, glob};
use crate::work::Work;
use crate::{Profile, Profiles};

/// How a kind of device is commanded.
#[derive(Debug, Clone)]
pub(crate) struct Control {
    id: TopicPattern,
    device_type: DeviceType,
    types: Vec<(DeviceType, Vec<String>)>,
    on: Option<Template>,
    off: Option<Template>,
    set: Option<Template>,
    /// The action that `set` is.
    sets: &'static str,
    pulse: Option<Template>,
    renew: Option<Template>,
    lease: LeaseKind,
    seconds: u32,
    configure: Vec<Template>,
    prove: Option<Prove>,
    answer: AnswerKind,
    within: u32,
    wakes_every: Option<u32>,
    identity: Arc<str>,
}

#[derive(Debug, Clone)]
struct Prove {
    topic: Text,
    at: Text,
    least: Text,
}

/// What a device is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// To be off.
    Off,
    /// To be on, at a value where there is one.
    On(Option<Quantity>),
    /// To be on for so many seconds.
    Pulse(u32),
}

impl Order {
    /// Whether the device goes on by it.
    #[must_use]
    pub const fn is_on(self) -> bool {
        !matches!(self, Self::Off)
    }
}

/// A topic and a payload to be published.
pub type Outgoing = (String, String);

/// A device that a profile controls.
#[derive(Debug)]
pub struct Controlled<'a> {
    control: &'a Control,
    /// The id that its messages give it.
    id: &'a str,
    captures: Captures<'a>,
}

impl Controlled<'_> {
    /// What it is.
    #[must_use]
    pub fn device_type(&self) -> DeviceType {
        let like = |globs: &Vec<String>| globs.iter().any(|g| glob(g, self.id));
        let types = &self.control.types;
        let found = types.iter().find(|(_, globs)| like(globs));
        found.map_or(self.control.device_type, |(t, _)| *t)
    }

    /// What makes it go off by itself.
    #[must_use]
    pub const fn lease(&self) -> LeaseKind {
        self.control.lease
    }

    /// After how many seconds it does, as it is commanded.
    #[must_use]
    pub fn seconds(&self) -> i64 {
        self.control.seconds.into()
    }

    /// For how many seconds the lease is tried: as short as that can be told, or as it was set by hand.
    #[must_use]
    pub fn test_seconds(&self) -> i64 {
        const TEST: i64 = 10;
        if self.control.tells_seconds() {
            TEST
        } else {
            self.seconds()
        }
    }

    /// Whether its answer has to show the lease.
    #[must_use]
    pub const fn has_prove(&self) -> bool {
        self.control.prove.is_some()
    }

    /// What the answer to a command is.
    #[must_use]
    pub const fn answer(&self) -> AnswerKind {
        self.control.answer
    }

    /// For how many seconds a state counts as the answer. A device that sleeps may miss one time at which it should have woken.
    #[must_use]
    pub fn within(&self) -> u32 {
        let woken = self
            .control
            .wakes_every
            .map(|every| every.saturating_mul(2));
        self.control.within.max(woken.unwrap_or(0))
    }

    /// How often it wakes, in seconds, where it sleeps: what is sent to it waits for that.
    #[must_use]
    pub const fn wakes_every(&self) -> Option<u32> {
        self.control.wakes_every
    }

    /// By what it is commanded, as text: a proof of its lease holds as long as that is the same.
    #[must_use]
    pub fn identity(&self) -> Arc<str> {
        self.control.identity.clone()
    }

    /// What it can do, as a controller says it.
    #[must_use]
    pub fn supported(&self) -> serde_json::Value {
        let control = self.control;
        let mut all = Vec::new();
        for (action, is) in [("on", control.on.is_some()), ("off", control.off.is_some())] {
            all.extend(is.then(|| json!({"action": action})));
        }
        if control.pulse.is_some() || control.on_is_timed() {
            all.push(json!({"action": "pulse", "parameterType": "seconds", "minValue": 1, "maxValue": 60}));
        }
        if control.set.is_some() {
            let (kind, least, most) = match control.sets {
                "set_flow_rate" => ("ml_per_sec", json!(0.1), 10),
                _ => ("percentage", json!(0), 100),
            };
            all.push(json!({"action": control.sets, "parameterType": kind, "minValue": least, "maxValue": most}));
        }
        all.into()
    }

    /// What is to be published for an order, in this sequence; none where the device has no such, or its names have no place in the
    /// templates. `seconds` of lease; the control's own without.
    #[must_use]
    pub fn order(&self, order: Order, id: &str, seconds: Option<i64>) -> Option<Vec<Outgoing>> {
        let control = self.control;
        let lease = seconds.unwrap_or_else(|| self.seconds());
        let mut filling = Filling {
            captures: &self.captures,
            seconds: lease,
            value: None,
            id,
        };
        let mut all = Vec::new();
        let template = match order {
            Order::Off => control.off.as_ref()?,
            Order::On(value) => {
                filling.value = value.map(Quantity::as_micro);
                control.for_on(value)?
            }
            Order::Pulse(secs) => {
                filling.value = Some(i64::from(secs) * 1_000_000);
                match &control.pulse {
                    Some(pulse) => pulse,
                    None if control.on_is_timed() => {
                        filling.seconds = secs.into();
                        control.on.as_ref()?
                    }
                    None => return None,
                }
            }
        };
        if order.is_on() {
            if control.lease == LeaseKind::None {
                return None;
            }
            for configure in &control.configure {
                all.push(configure.filled(&filling)?);
            }
        }
        all.push(template.filled(&filling)?);
        Some(all)
    }

    /// What is to be published so that the device sets its lease.
    #[must_use]
    pub fn configuration(&self) -> Vec<Outgoing> {
        let filling = Filling {
            captures: &self.captures,
            seconds: self.seconds(),
            value: None,
            id: "",
        };
        let all = self.control.configure.iter();
        all.filter_map(|t| t.filled(&filling)).collect()
    }

    /// What is to be published so that the lease of what is on goes on.
    #[must_use]
    pub fn renewal(&self, value: Option<Quantity>, id: &str) -> Option<Outgoing> {
        if self.control.lease == LeaseKind::None {
            return None;
        }
        let filling = Filling {
            captures: &self.captures,
            seconds: self.seconds(),
            value: value.map(Quantity::as_micro),
            id,
        };
        let again = || self.control.for_on(value);
        self.control.renew.as_ref().or_else(again)?.filled(&filling)
    }

    /// Whether a message says that the lease is set for so many seconds; none where it says nothing of it.
    #[must_use]
    pub fn shows_lease(&self, topic: &str, payload: &[u8], seconds: i64) -> Option<bool> {
        let prove = self.control.prove.as_ref()?;
        let filling = Filling {
            captures: &self.captures,
            seconds,
            value: None,
            id: "",
        };
        if template::topic_of(&prove.topic, &filling)? != topic {
            return None;
        }
        let at = Pointer::parse(&prove.at.filled(&filling)?).ok()?;
        let least: i64 = prove.least.filled(&filling)?.parse().ok()?;
        let root = Node::json(payload).ok()?;
        let node = root.at(&at.keys, &Work::default()).ok()??;
        let shown: i64 = node.word().parse().ok()?;
        Some(shown >= least)
    }
}

impl Control {
    /// What switches on at a value.
    fn for_on(&self, value: Option<Quantity>) -> Option<&Template> {
        let full = Quantity::from_micro(100_000_000);
        let is_part = value.is_some_and(|v| v != full);
        match (&self.set, &self.on) {
            (Some(set), None) => Some(set),
            (Some(set), _) if is_part => Some(set),
            // One that can only be on is not told to be on a little.
            (None, Some(_)) if is_part => None,
            (_, on) => on.as_ref(),
        }
    }

    /// Whether an order to be on says for how long.
    fn on_is_timed(&self) -> bool {
        let on = self.on.as_ref();
        self.lease != LeaseKind::Configured && on.is_some_and(|on| on.payload.has_seconds())
    }

    fn tells_seconds(&self) -> bool {
        let on = self.on.iter().chain(&self.set).chain(&self.configure);
        on.into_iter().any(|t| t.payload.has_seconds())
    }

    fn templates(&self) -> impl Iterator<Item = &Template> {
        let one = [&self.on, &self.off, &self.set, &self.pulse, &self.renew];
        one.into_iter().flatten().chain(&self.configure)
    }
}

impl Profile {
    /// The device that messages give this id, if it is one that is controlled.
    fn controlled<'a>(&'a self, id: &'a str) -> Option<Controlled<'a>> {
        self.controls.iter().find_map(|control| {
            let captures = control.id.captures(id)?;
            Some(Controlled {
                control,
                id,
                captures,
            })
        })
    }
}

impl Profiles {
    /// A controller's own id of a device that a profile tells of.
    #[must_use]
    pub fn device_id(profile: &str, id: &str) -> String {
        format!("{profile}:{id}")
    }

    /// The device of that own id, if a profile controls it.
    #[must_use]
    pub fn controlled<'a>(&'a self, own: &'a str) -> Option<Controlled<'a>> {
        let (profile, id) = own.split_once(':')?;
        self.0.iter().find(|p| p.id() == profile)?.controlled(id)
    }

    /// Whether any device says how its lease is set.
    #[must_use]
    pub fn proves(&self) -> bool {
        let mut controls = self.0.iter().flat_map(|p| &p.controls);
        controls.any(|c| c.prove.is_some())
    }

    /// Whether a controller may ask for this filter: a command can be published to a topic of it.
    #[must_use]
    pub fn commands_on(&self, filter: &str) -> bool {
        let mut controls = self.0.iter().flat_map(|p| &p.controls);
        controls.any(|c| c.templates().any(|t| t.meets(filter)))
    }
}
