//! A farm announces itself to Home Assistant, on the broker that both are clients of: sensors, what devices do, and alerts.
//!
//! What Home Assistant is to know is a set of messages that the broker keeps ([`document`]). It is made anew when something happened, at
//! most every [`EVERY`], and what differs from what was said before is said. What the broker kept of an earlier time and is no
//! longer true is taken away. Nothing is heard unless the configuration says so; then devices can be switched off, and on those alone that it
//! names, for a while that ends by itself. What the broker had kept, or brings from the time before the connection, is never a command to
//! switch on.

mod document;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use harit_engine::{DeviceId, EventKind, FarmId, Manual, ManualKind, Owner};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;

use crate::hub::Hub;
use crate::live::LiveKind;
use crate::mqtt::{Keeper, Side, SideEvent};
use document::{Document, MAX_ENTITIES, Names, Reports, is_own, takes_on};

/// How often it is said what changed, at most.
const EVERY: Duration = Duration::from_secs(1);
/// How often it is looked at what time alone changes, such as values that are too old.
const LOOK_EVERY: Duration = Duration::from_secs(15);
/// What is heard and waits: all that a broker kept of a farm comes at once.
const MAX_HEARD: usize = MAX_ENTITIES * 4;
/// For how long a device is kept off, by hand, in seconds.
const OFF_SEC: i64 = 1_800;
/// For how long a device is kept on, in seconds, where it has no limit below that.
const ON_SEC: i64 = 900;
/// Commands that are taken in a minute: as many as those of a person that stop something, and as those that switch something on.
const MAX_COMMANDS: usize = 240;
const MAX_ONS: usize = 30;
/// How long after a connection's beginning nothing is switched on: what comes then may have waited at the broker.
const SETTLES: Duration = Duration::from_secs(5);

/// Which farm announces itself on a broker, and what is heard.
#[derive(Clone)]
pub struct Announcement {
    /// The farm.
    pub farm: FarmId,
    /// What the configuration calls the broker.
    pub broker: String,
    /// Whether devices can be switched off.
    pub commands: bool,
    /// Those that can be switched on too, if `commands`.
    pub on: BTreeSet<DeviceId>,
}

enum Heard {
    /// The connection is there anew, or Home Assistant started.
    Anew,
    /// The broker had kept that, from an earlier time.
    Kept(String),
    /// A device is to be on or off; whether the connection is new, so that it may be of earlier.
    Set {
        object: String,
        on: bool,
        may_be_old: bool,
    },
}

/// What is heard of the broker.
pub struct Inbox(mpsc::Receiver<Heard>);

impl Announcement {
    /// What the broker's connection is used for, and what is heard by that.
    #[must_use]
    pub fn side(&self) -> (Side, Inbox) {
        let names = Names::new(&self.farm);
        let (heard, inbox) = mpsc::channel(MAX_HEARD);
        let birth = document::BIRTH;
        let filters = vec![birth.to_owned(), names.kept_configs(), names.topics()];
        let (of, commands) = (names.clone(), self.commands);
        let connected = Mutex::new(Instant::now());
        let told = move |event: SideEvent<'_>| {
            let what = match event {
                SideEvent::Connected => {
                    *connected.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                    Some(Heard::Anew)
                }
                SideEvent::Message(topic, payload, _) if topic == birth => {
                    (payload == b"online").then_some(Heard::Anew)
                }
                // What was asked for before is no command now.
                SideEvent::Message(_, b"", true) => None,
                SideEvent::Message(topic, _, true) => Some(Heard::Kept(topic.to_owned())),
                SideEvent::Message(topic, word @ (b"PRESS" | b"OFF" | b"ON"), false)
                    if commands =>
                {
                    let since = *connected.lock().unwrap_or_else(PoisonError::into_inner);
                    of.commanded(topic).map(|object| Heard::Set {
                        object: object.to_owned(),
                        on: word == b"ON",
                        may_be_old: since.elapsed() < SETTLES,
                    })
                }
                SideEvent::Message(..) => None,
            };
            // A connection's beginning is told also by what it says: who is full looks at everything soon.
            if let Some(what) = what
                && heard.try_send(what).is_err()
            {
                metrics::counter!("harit_home_assistant_unheard_total").increment(1);
            }
        };
        let side = Side {
            will: (names.status(), b"offline".to_vec()),
            is_own,
            filters,
            told: Arc::new(told),
        };
        (side, Inbox(inbox))
    }
}

/// What was said and what is heard.
struct Announcer {
    hub: Hub,
    of: Announcement,
    names: Names,
    keeper: Keeper,
    /// What the broker keeps of it, by topic.
    said: BTreeMap<String, Bytes>,
    /// What it kept before, and may no longer be true.
    kept: BTreeSet<String>,
    /// When commands came lately.
    commanded: Vec<(Instant, bool)>,
    told_too_many: bool,
    told_no_switch: bool,
}

/// Announces a farm until the connection's client or the hub is gone.
pub async fn run(hub: Hub, of: Announcement, keeper: Keeper, mut inbox: Inbox) {
    let mut live = hub.subscribe();
    let mut announcer = Announcer {
        names: Names::new(&of.farm),
        hub,
        of,
        keeper,
        said: BTreeMap::new(),
        kept: BTreeSet::new(),
        commanded: Vec::new(),
        told_too_many: false,
        told_no_switch: false,
    };
    let mut tick = tokio::time::interval(EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let (mut due, mut looked) = (true, Instant::now());
    loop {
        tokio::select! {
            event = live.recv() => match event {
                Ok(event) => {
                    let log = matches!(event.kind, LiveKind::Log | LiveKind::Command(_));
                    due |= event.farm == announcer.of.farm && !log;
                }
                Err(RecvError::Lagged(_)) => due = true,
                Err(RecvError::Closed) => return,
            },
            heard = inbox.0.recv() => match heard {
                Some(Heard::Anew) => {
                    announcer.said.clear();
                    due = true;
                }
                Some(Heard::Kept(topic)) => {
                    if announcer.kept.len() < MAX_ENTITIES * 4 {
                        announcer.kept.insert(topic);
                    }
                    due = true;
                }
                Some(Heard::Set { object, on, may_be_old }) => {
                    announcer.switch(object, on, may_be_old).await;
                    due = true;
                }
                None => return,
            },
            _ = tick.tick() => {
                if due || looked.elapsed() >= LOOK_EVERY {
                    looked = Instant::now();
                    due = !announcer.say().await;
                }
            }
        }
    }
}

impl Announcer {
    /// What controllers report of the farm's devices.
    async fn reports(&self) -> Reports {
        let all = self
            .hub
            .controllers(&self.of.farm)
            .await
            .unwrap_or_default();
        let devices = all.into_iter().flat_map(|c| c.devices);
        devices
            .filter_map(|d| Some((d.id, d.reported?.on)))
            .collect()
    }

    /// Says what differs from what was said; whether all of it was.
    async fn say(&mut self) -> bool {
        self.say_no_switch().await;
        let (names, commands) = (self.names.clone(), self.of.commands);
        let commands = commands.then(|| self.of.on.clone());
        let reports = self.reports().await;
        let read = move |engine: &harit_engine::Engine| {
            Document::new(&names, engine, &reports, commands.as_ref())
        };
        // A farm that is not there, or has failed, is away.
        let document = match self.hub.read(&self.of.farm, read).await {
            Ok(document) => document,
            Err(_) => Document::away(&self.names),
        };
        if document.left_out > 0 && !std::mem::replace(&mut self.told_too_many, true) {
            let (farm, left_out) = (&self.of.farm, document.left_out);
            tracing::warn!(%farm, left_out, "Home Assistant is told of {MAX_ENTITIES} things of a farm at most");
        }
        let mut all_said = true;
        // Whether all of it is there is said last, and what is gone is taken away before.
        let gone = |topic: &&String| !document.messages.contains_key(*topic);
        let gone: Vec<String> = if document.is_away {
            Vec::new()
        } else {
            { self.said.keys().chain(&self.kept) }
                .filter(gone)
                .cloned()
                .collect()
        };
        for topic in gone {
            if self.keeper.keep(&topic, Bytes::new()).is_ok() {
                self.said.remove(&topic);
                self.kept.remove(&topic);
            } else {
                all_said = false;
            }
        }
        for (topic, payload) in document.messages {
            self.kept.remove(&topic);
            if self.said.get(&topic) == Some(&payload) {
                continue;
            }
            if self.keeper.keep(&topic, payload.clone()).is_ok() {
                self.said.insert(topic, payload);
            } else {
                all_said = false;
            }
        }
        all_said
    }

    /// Says once which of the devices that may be switched on cannot be.
    async fn say_no_switch(&mut self) {
        if self.told_no_switch || self.of.on.is_empty() {
            return;
        }
        let may_be_on = self.of.on.clone();
        let cannot = move |engine: &harit_engine::Engine| {
            let can = |id: &DeviceId| engine.device_ref(id.as_str()).map(|d| takes_on(d.spec));
            let cannot = may_be_on.iter().filter(|id| can(id) != Some(true));
            cannot.map(ToString::to_string).collect::<Vec<_>>()
        };
        let Ok(cannot) = self.hub.read(&self.of.farm, cannot).await else {
            return;
        };
        self.told_no_switch = true;
        if !cannot.is_empty() {
            let (farm, broker) = (&self.of.farm, &self.of.broker);
            tracing::warn!(%farm, broker, ?cannot, "home_assistant_on: no such devices, or none that can be switched on from there");
        }
    }

    /// Switches a device by hand, in Home Assistant's name.
    async fn switch(&mut self, object: String, on: bool, may_be_old: bool) {
        let minute = Duration::from_secs(60);
        self.commanded.retain(|(at, _)| at.elapsed() < minute);
        let ons = self.commanded.iter().filter(|(_, on)| *on).count();
        let outcome = if self.commanded.len() >= MAX_COMMANDS || (on && ons >= MAX_ONS) {
            "too_many"
        } else if on && may_be_old {
            "too_early"
        } else {
            self.commanded.push((Instant::now(), on));
            self.carry_out(&object, on).await
        };
        metrics::counter!("harit_home_assistant_commands_total", "outcome" => outcome).increment(1);
        if outcome != "taken" {
            let (farm, broker) = (&self.of.farm, &self.of.broker);
            tracing::warn!(%farm, broker, outcome, "a command of Home Assistant was not taken");
            // What is so is said again: it may show what it asked for.
            self.said.remove(&self.names.state_of(&object));
        }
    }

    async fn carry_out(&self, object: &str, on: bool) -> &'static str {
        let farm = &self.of.farm;
        let word = object.to_owned();
        let find = move |engine: &harit_engine::Engine| {
            let mut all = engine.devices();
            let device = all.find(|d| document::object(d.spec.id.as_str()) == word)?;
            let limit = device.spec.max_on.map_or(ON_SEC, |limit| limit.as_secs());
            Some((takes_on(&device.spec), limit.min(ON_SEC), device.spec.id))
        };
        let Ok(Some((takes_on, on_sec, device))) = self.hub.read(farm, find).await else {
            return "unknown";
        };
        if on && !(takes_on && self.of.on.contains(&device)) {
            return "not_allowed";
        }
        let owner = Owner {
            user_id: format!("home-assistant:{}", self.of.broker).into(),
            name: format!("Home Assistant ({})", self.of.broker).into(),
            reason: None,
        };
        let manual = Manual {
            device: device.clone(),
            kind: ManualKind::Override,
            action: Some(if on { "on" } else { "off" }.into()),
            value: None,
            duration_sec: Some(if on { on_sec } else { OFF_SEC }),
            admin: false,
            owner: Some(owner.into()),
        };
        let is_refused = |e: &harit_engine::Event| matches!(&e.kind, EventKind::CommandRefused { device: d, .. } if *d == device);
        match self.hub.command_by_hand(farm, manual).await {
            Ok(crate::Urged::Recorded(events)) if events.iter().any(is_refused) => "refused",
            Ok(_) => "taken",
            Err(_) => "unavailable",
        }
    }
}
