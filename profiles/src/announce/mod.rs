//! What devices announce of themselves: names, types and units of what their messages say, for a person to take over.
//!
//! It decides nothing and is no record: devices say it again whenever they connect. So it is kept in memory, within limits.

mod home_assistant;
mod systems;

use std::collections::BTreeMap;

use harit_engine::{Decimal, SensorType};
use serde_json::Value;

use crate::candidate::Candidate;
use crate::document::PayloadKind;
use crate::guess::{Basis, guess};
use crate::shipped;
use crate::{Aliases, Profiles, Reading};

/// The most numbers and things that one sender's announcements are remembered of; others are counted.
const MAX_REMEMBERED: usize = 1_024;
/// The longest name that is kept, in characters.
const MAX_NAME_CHARS: usize = 120;

/// A number that a device says it publishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// Who says so, by the id of its profile.
    pub system: &'static str,
    /// The topic of the messages.
    pub topic: String,
    /// How they are written.
    pub payload: PayloadKind,
    /// What it is, with its place in them.
    pub candidate: Candidate,
}

/// A thing that told its name and model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduced {
    /// Who says so, by the id of its profile.
    pub system: &'static str,
    /// The word of its topics that names it.
    pub thing: String,
    /// Its name.
    pub name: Option<String>,
    /// What it is.
    pub model: Option<String>,
}

/// What one sender's devices announced.
#[derive(Debug, Clone, Default)]
pub struct Announcements {
    numbers: BTreeMap<(String, String), Announcement>,
    things: BTreeMap<(&'static str, String), Introduced>,
    /// Where Tasmota's devices publish, by their MAC.
    tasmota: BTreeMap<String, String>,
    overflow: u64,
}

/// What an announcement says.
#[derive(Debug, Default)]
struct Said {
    numbers: Vec<Announcement>,
    things: Vec<Introduced>,
}

impl Announcements {
    /// Whether messages on a topic may announce something. Cheap: it is asked of every message.
    #[must_use]
    pub fn may_be(topic: &str) -> bool {
        let (first, rest) = topic.split_once('/').unwrap_or((topic, ""));
        let (_, last) = topic.rsplit_once('/').unwrap_or(("", topic));
        match last {
            "config" => first == "homeassistant" || rest.starts_with("discovery/"),
            "sensors" => topic.starts_with("tasmota/discovery/"),
            "devices" => rest.ends_with("bridge/devices"),
            "announce" => first == "shellies",
            "$description" => true,
            "up" => first == "application" || first == "v3",
            _ => false,
        }
    }

    /// Takes in what a message announces, if it does.
    pub fn hear(&mut self, topic: &str, payload: &[u8]) {
        let Ok(body) = serde_json::from_slice::<Value>(payload) else {
            return;
        };
        let levels: Vec<&str> = topic.split('/').collect();
        let mut said = Said::default();
        match levels[..] {
            ["homeassistant", .., "config"] => home_assistant::read(&levels, &body, &mut said),
            ["tasmota", "discovery", mac, what] => self.hear_tasmota(mac, what, &body, &mut said),
            [.., "bridge", "devices"] => systems::zigbee2mqtt(topic, &body, &mut said),
            ["shellies", .., "announce"] => systems::shelly(&body, &mut said),
            ["homie", .., "$description"] => systems::homie(topic, &body, &mut said),
            ["application", ..] => systems::chirpstack(&body, &mut said),
            ["v3", ..] => systems::things_stack(&body, &mut said),
            _ => {}
        }
        for number in said.numbers {
            let key = (number.topic.clone(), number.candidate.at.clone());
            if self.numbers.len() < MAX_REMEMBERED || self.numbers.contains_key(&key) {
                self.numbers.insert(key, number);
            } else {
                self.overflow += 1;
            }
        }
        for thing in said.things {
            let key = (thing.system, thing.thing.clone());
            if self.things.len() < MAX_REMEMBERED || self.things.contains_key(&key) {
                self.things.insert(key, thing);
            } else {
                self.overflow += 1;
            }
        }
    }

    fn hear_tasmota(&mut self, mac: &str, what: &str, body: &Value, said: &mut Said) {
        match what {
            "config" => {
                let Some(topic) = systems::tasmota_topic(body) else {
                    return;
                };
                if self.tasmota.len() < MAX_REMEMBERED || self.tasmota.contains_key(mac) {
                    self.tasmota.insert(mac.to_owned(), topic);
                }
                systems::tasmota_config(body, said);
            }
            _ => {
                if let Some(topic) = self.tasmota.get(mac) {
                    systems::tasmota_sensors(topic, body, said);
                }
            }
        }
    }

    /// The numbers that were announced, in the order of their topics.
    pub fn numbers(&self) -> impl Iterator<Item = &Announcement> {
        self.numbers.values()
    }

    /// What was announced of a place in the messages of a topic.
    #[must_use]
    pub fn of(&self, topic: &str, at: &str) -> Option<&Announcement> {
        self.numbers.get(&(topic.to_owned(), at.to_owned()))
    }

    /// The thing that a topic is of, if it told its name.
    #[must_use]
    pub fn thing_of(&self, topic: &str) -> Option<&Introduced> {
        let mut all = self.things.values();
        all.find(|thing| topic.split('/').any(|level| level == thing.thing))
    }

    /// How many numbers and things there was no room for.
    #[must_use]
    pub const fn overflow(&self) -> u64 {
        self.overflow
    }
}

impl Profiles {
    /// What is read of a message that has one value at a place and nothing else.
    #[must_use]
    pub fn read_at(
        &self,
        topic: &str,
        payload: PayloadKind,
        at: &str,
        value: &str,
    ) -> Vec<Reading> {
        let written = match payload {
            PayloadKind::Json => with_value_at(at, value),
            _ => Some(value.to_owned()),
        };
        let read = written.map(|w| self.read(topic, w.as_bytes(), &mut Aliases::default()));
        match read {
            Some(Ok((_, said))) => said.readings,
            _ => Vec::new(),
        }
    }

    /// Whether the farm reads an announced number as what it is announced to be.
    #[must_use]
    pub fn reads(&self, announced: &Announcement) -> bool {
        const TRIED: &str = "50";
        let Announcement {
            topic,
            payload,
            candidate,
            ..
        } = announced;
        let readings = self.read_at(topic, *payload, &candidate.at, TRIED);
        readings.iter().any(|reading| {
            let t = reading.sensor_type;
            let unit = candidate.unit.as_deref().unwrap_or(t.unit());
            let Some(conversion) = harit_protocol::conversion(t, unit) else {
                // It says another unit than any of what it is read as.
                return false;
            };
            let tried = Decimal::parse(TRIED).map(|n| conversion.of(n).rounded());
            let is = match reading.value {
                harit_engine::Measured::Value(value) => Some(value.rounded()),
                _ => None,
            };
            is == tried
        })
    }
}

/// A payload with a value at a place and nothing else.
fn with_value_at(at: &str, value: &str) -> Option<String> {
    let keys: Vec<_> = at.split('/').collect();
    let mut written = value.to_owned();
    for key in keys.iter().rev() {
        let key = key.replace("~1", "/").replace("~0", "~");
        if key.is_empty() {
            return None;
        }
        written = format!("{{{}:{written}}}", serde_json::to_string(&key).ok()?);
    }
    Some(written)
}

/// A number as it is announced: what it is by the class that the device gives it, else by its name and unit.
fn announced(
    at: String,
    key: &str,
    called: Option<&str>,
    class: Option<&str>,
    unit: Option<&str>,
) -> Candidate {
    let unit = unit.filter(|unit| !unit.is_empty());
    let by_class = class.and_then(class_of);
    let fits = |t: &SensorType| unit.is_none_or(|u| harit_protocol::conversion(*t, u).is_some());
    let guessed = guess(key, called.unwrap_or_default(), unit, None);
    let (types, is_sure) = match by_class.filter(fits) {
        // A class of the air's pressure is given to pipes too; a class of moisture is the soil's.
        Some(t) => (vec![t], unit.is_some() || t.unit().is_empty()),
        None => (guessed.types, guessed.is_sure && unit.is_some()),
    };
    Candidate {
        at,
        name: key.to_owned(),
        value: None,
        basis: (!types.is_empty()).then_some(Basis::Announced),
        types,
        unit: unit.map(str::to_owned).or(guessed.unit),
        is_sure,
        called: called.map(short),
    }
}

/// What a device class of Home Assistant measures: the words are those of its profile.
fn class_of(class: &str) -> Option<SensorType> {
    let all = shipped::compiled().iter();
    let announces = all
        .flat_map(|p| &p.messages)
        .filter_map(|m| m.announces.as_ref());
    let mut words = announces.flat_map(|a| &a.types);
    words.find(|(word, _)| word == class).map(|(_, t)| *t)
}

fn short(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control())
        .take(MAX_NAME_CHARS)
        .collect()
}

fn text<'v>(body: &'v Value, key: &str) -> Option<&'v str> {
    body.get(key)
        .and_then(Value::as_str)
        .filter(|t| !t.is_empty())
}

#[cfg(test)]
mod tests;
