//! From documents to controls. All problems are found with their places.

use std::sync::Arc;

use harit_engine::DeviceType;

use super::template::{Template, Text};
use super::{Control, ControlDocument, LeaseKind, Prove, ProveDocument, TemplateDocument};
use crate::compile::Problems;
use crate::document::Number;
use crate::pattern::{Pointer, TopicPattern};
use crate::{MAX_LIST, MAX_TEXT_BYTES};

/// The shortest lease: longer than two renewals, of which one may be lost.
const MIN_SECONDS: u32 = 120;
/// How often a device that sleeps wakes at the most, and at the least.
const WAKES: std::ops::RangeInclusive<u32> = 60..=86_400;
/// The longest lease, and the longest that an answer is waited for.
const MAX_SECONDS: u32 = 3_600;

/// That lease, patience and sleep are as long as they can be.
fn check_times(path: &str, document: &ControlDocument, problems: &mut Problems) {
    let lease = &document.lease;
    if !(MIN_SECONDS..=MAX_SECONDS).contains(&lease.seconds) {
        let seconds = lease.seconds;
        problems.add(
            &format!("{path}.lease.seconds"),
            format!("{seconds}: {MIN_SECONDS} to {MAX_SECONDS} are possible"),
        );
    }
    if !(1..=MAX_SECONDS).contains(&document.within) {
        let within = document.within;
        problems.add(
            &format!("{path}.within"),
            format!("{within}: 1 to {MAX_SECONDS} are possible"),
        );
    }
    if let Some(every) = document.wakes_every_sec.filter(|e| !WAKES.contains(e)) {
        problems.add(
            &format!("{path}.wakes_every_sec"),
            format!("{every}: 60 to 86400 are possible"),
        );
    }
}

impl Control {
    /// Compiles a document; what is wrong goes to `problems`.
    pub(crate) fn compile(
        path: &str,
        document: &ControlDocument,
        problems: &mut Problems,
    ) -> Option<Self> {
        let id = problems.keep(&format!("{path}.id"), TopicPattern::parse(&document.id))?;
        let names: Vec<&str> = id.names().collect();
        for name in names
            .iter()
            .filter(|n| ["seconds", "value", "id"].contains(n))
        {
            problems.add(
                &format!("{path}.id"),
                format!("{name:?} is no capture's name"),
            );
        }
        let device_type = type_of(&format!("{path}.type"), &document.device_type, problems);
        problems.count(&format!("{path}.types"), document.types.len(), 0, MAX_LIST);
        let mut types = Vec::new();
        for (word, globs) in document.types.iter().take(MAX_LIST) {
            let path = format!("{path}.types.{word}");
            problems.count(&path, globs.len(), 1, MAX_LIST);
            if globs.iter().any(|g| g.len() > MAX_TEXT_BYTES) {
                problems.add(&path, format!("a word has at most {MAX_TEXT_BYTES} bytes"));
            }
            types.extend(type_of(&path, word, problems).map(|t| (t, globs.clone())));
        }
        let mut one = |name: &str, template: &Option<TemplateDocument>| {
            template_of(
                &format!("{path}.{name}"),
                template.as_ref()?,
                &names,
                problems,
            )
        };
        let on = one("on", &document.on);
        let off = one("off", &document.off);
        let set = [
            ("set_speed", &document.set_speed),
            ("set_position", &document.set_position),
            ("set_flow_rate", &document.set_flow_rate),
        ];
        let given: Vec<_> = set.into_iter().filter(|(_, t)| t.is_some()).collect();
        let set = given
            .first()
            .and_then(|(name, template)| one(name, template));
        let pulse = one("pulse", &document.pulse);
        let renew = one("renew", &document.renew);
        if let Some((name, _)) = given.get(1) {
            problems.add(
                &format!("{path}.{name}"),
                "a device is set in one way alone",
            );
        }
        let lease = &document.lease;
        problems.count(
            &format!("{path}.lease.configure"),
            lease.configure.len(),
            0,
            MAX_LIST,
        );
        let configure: Vec<_> = (lease.configure.iter().take(MAX_LIST).enumerate())
            .filter_map(|(n, t)| {
                template_of(&format!("{path}.lease.configure[{n}]"), t, &names, problems)
            })
            .collect();
        let prove = lease
            .prove
            .as_ref()
            .and_then(|prove| prove_of(&format!("{path}.lease.prove"), prove, &names, problems));
        check_times(path, document, problems);
        let control = Self {
            id: id.clone(),
            device_type: device_type?,
            types,
            on,
            off,
            set,
            sets: given.first().map_or("", |(name, _)| *name),
            pulse,
            renew,
            lease: lease.kind,
            seconds: lease.seconds,
            configure,
            prove,
            answer: document.answer,
            within: document.within,
            wakes_every: document.wakes_every_sec,
            identity: Arc::from(serde_json::to_string(document).unwrap_or_default()),
        };
        control.check(path, document, problems);
        Some(control)
    }

    /// That nothing goes on without a lease, and everything off.
    fn check(&self, path: &str, document: &ControlDocument, problems: &mut Problems) {
        let can_be_on = [
            ("on", &document.on),
            ("set_speed", &document.set_speed),
            ("set_position", &document.set_position),
            ("set_flow_rate", &document.set_flow_rate),
            ("pulse", &document.pulse),
            ("renew", &document.renew),
        ];
        let given = can_be_on.into_iter().filter(|(_, t)| t.is_some());
        let given: Vec<&str> = given.map(|(name, _)| name).collect();
        if self.lease == LeaseKind::None {
            for name in given {
                problems.add(
                    &format!("{path}.{name}"),
                    "without a lease nothing is switched on",
                );
            }
            return;
        }
        if document.on.is_none() && given.iter().all(|name| !name.starts_with("set_")) {
            problems.add(&format!("{path}.on"), "there is nothing that switches on");
        }
        if document.off.is_none() {
            problems.add(&format!("{path}.off"), "what goes on has to go off");
        }
        // An error in a template is told already.
        let untold = |template: &Option<Template>| {
            template.as_ref().is_some_and(|t| !t.payload.has_seconds())
        };
        let is_told = matches!(self.lease, LeaseKind::PerCommand | LeaseKind::Inherent);
        if self.wakes_every.is_some() && !is_told {
            problems.add(
                &format!("{path}.lease.kind"),
                "a device that sleeps hears no renewal: its lease has to be told with each order",
            );
        }
        if self.wakes_every.is_some() && document.renew.is_some() {
            problems.add(
                &format!("{path}.renew"),
                "a device that sleeps hears no renewal",
            );
        }
        match self.lease {
            LeaseKind::PerCommand | LeaseKind::Inherent => {
                let all = [("on", &self.on), ("set", &self.set), ("renew", &self.renew)];
                for (name, _) in all.into_iter().filter(|(_, t)| untold(t)) {
                    problems.add(
                        &format!("{path}.{name}"),
                        "{seconds} is missing: its lease is told with each order",
                    );
                }
            }
            LeaseKind::Configured => {
                let tells = |t: &Template| t.payload.has_seconds();
                if !self.configure.is_empty() && !self.configure.iter().any(tells) {
                    problems.add(&format!("{path}.lease.configure"), "{seconds} is missing");
                }
            }
            LeaseKind::Native | LeaseKind::None => {}
        }
        if self.set.as_ref().is_some_and(|t| !t.payload.has_value()) {
            problems.add(path, "{value} is missing in what sets it");
        }
        if self.pulse.as_ref().is_some_and(|t| !t.payload.has_value()) {
            problems.add(
                &format!("{path}.pulse"),
                "{value} is missing: the seconds of the pulse",
            );
        }
    }
}

fn type_of(path: &str, word: &str, problems: &mut Problems) -> Option<DeviceType> {
    let found = DeviceType::parse(word).filter(|t| *t != DeviceType::Sensor);
    if found.is_none() {
        problems.add(path, format!("no device type {word:?}"));
    }
    found
}

fn template_of(
    path: &str,
    document: &TemplateDocument,
    names: &[&str],
    problems: &mut Problems,
) -> Option<Template> {
    let topic = Template::parse_topic(&document.topic, names);
    let topic = problems.keep(&format!("{path}.topic"), topic);
    let payload = Text::parse(&document.payload, names);
    let payload = problems.keep(&format!("{path}.payload"), payload);
    Some(Template::new(topic?, payload?))
}

fn prove_of(
    path: &str,
    document: &ProveDocument,
    names: &[&str],
    problems: &mut Problems,
) -> Option<Prove> {
    let topic = Template::parse_topic(&document.topic, names);
    let topic = problems.keep(&format!("{path}.topic"), topic);
    let place = Pointer::parse(&document.at);
    problems.keep(&format!("{path}.at"), place);
    let at = problems.keep(&format!("{path}.at"), Text::parse(&document.at, names));
    let Number(least) = &document.least;
    let is_number = least.parse::<i64>().is_ok() || least.starts_with("{seconds");
    if !is_number {
        problems.add(
            &format!("{path}.least"),
            format!("{least:?}: a whole number or {{seconds}}"),
        );
    }
    let least = problems.keep(&format!("{path}.least"), Text::parse(least, &[]));
    Some(Prove {
        topic: topic?.0,
        at: at?,
        least: least?,
    })
}
