//! Profiles: adapters as data, by which what other people's devices say becomes readings, states and availability.
//!
//! A profile says of a topic which payload it has, where in it numbers stand and what they measure. It is data: a file that Harit
//! ships, or a document that people write and try on a bench. Everything here is pure: no I/O, no clock; what a payload costs is
//! bounded by the limits below. What comes out is what native telemetry is, before the journal, so that engine, replay and safety
//! know nothing of profiles. docs/profiles.md is the text of it.

mod announce;
mod candidate;
mod compile;
mod control;
mod document;
mod guess;
mod line;
mod node;
mod pattern;
mod propose;
mod read;
mod senders;
mod shipped;
mod sparkplug;
#[cfg(test)]
mod tests;
mod work;

use std::borrow::Cow;
use std::collections::BTreeSet;

use harit_engine::{Measured, SensorType};
use harit_protocol::{Item, Message, Telemetry, Time, TypeWord};

pub use announce::{Announcement, Announcements, Introduced};
pub use candidate::{Candidate, candidates};
pub use compile::Profile;
pub use control::{
    AnswerKind, ControlDocument, Controlled, LeaseDocument, LeaseKind, Order, Outgoing,
    ProveDocument, TemplateDocument,
};
pub use document::{PayloadKind, Problem, ProfileDocument};
pub use guess::Basis;
pub use propose::{Chosen, found_id, propose};
pub use senders::{Heard, Sender, grouped};
pub use shipped::{SHIPPED, Shipped};
pub use sparkplug::Aliases;
use work::Work;

/// The most profiles of a farm, its own and the shipped ones.
pub const MAX_PROFILES: usize = 256;
/// The most kinds of messages of a profile.
pub const MAX_MESSAGES: usize = 32;
/// The most readings of a kind of message.
pub const MAX_READINGS: usize = 64;
/// The most topics, places, names or words in one list of a profile.
pub const MAX_LIST: usize = 32;
/// The longest text in a profile, in bytes.
pub const MAX_TEXT_BYTES: usize = 256;
/// The largest profile document, in bytes.
pub const MAX_DOCUMENT_BYTES: usize = 65_536;
/// The most values, lists and objects of a payload.
pub const MAX_NODES: usize = 4_096;
/// The deepest nesting of a payload.
pub const MAX_DEPTH: usize = 16;
/// The most readings, states and announcements that one payload becomes.
pub const MAX_SAID: usize = 1_024;
/// The most steps in which a message is read, by all profiles together: a millisecond or two.
pub const MAX_WORK: usize = 250_000;
/// The most topics of a farm's own profiles together: each message is compared with them.
pub const MAX_TOPICS: usize = 2_048;

/// Why a payload did not become what its profile says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// No profile has a topic that matches.
    #[error("no profile has this topic")]
    NoProfile,
    /// It is not the payload that the profile says.
    #[error("the payload is not what the profile says it is")]
    Malformed,
    /// It is nested deeper than [`MAX_DEPTH`].
    #[error("the payload is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// It has more than [`MAX_NODES`] values, becomes more than [`MAX_SAID`] readings, or takes more than [`MAX_WORK`] to read.
    #[error(
        "the payload has more than {MAX_NODES} values or {MAX_SAID} readings, or its profile looks for too much in it"
    )]
    TooMany,
    /// A Sparkplug metric has an alias that no birth message has told.
    #[error("a metric has an alias, and its birth message was not heard")]
    UnknownAlias,
}

/// A reading, in its type's unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The controller's own id of the sensor.
    pub id: String,
    /// What it measures.
    pub sensor_type: SensorType,
    /// The value.
    pub value: Measured,
    /// When it was true; none is the arrival.
    pub time: Option<Time>,
}

/// A device that says whether it is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceState {
    /// The controller's own id of it.
    pub id: String,
    /// Whether it is on.
    pub on: bool,
}

/// Something that announces itself, for a person to confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announced {
    /// The controller's own id of it.
    pub id: String,
    /// What it measures; none of a device.
    pub sensor_type: Option<SensorType>,
}

/// What a payload says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Said {
    /// Whether it is a message that has readings.
    pub reads: bool,
    /// Its readings, in the order of the payload.
    pub readings: Vec<Reading>,
    /// Whether what `of` names can be reached.
    pub online: Option<bool>,
    /// Whose availability that is: the beginning of the ids of its sensors and devices; empty of the sender itself.
    pub of: String,
    /// Which devices are on.
    pub devices: Vec<DeviceState>,
    /// What announces itself.
    pub announced: Vec<Announced>,
    /// How often what says this says it, in seconds, where the profile knows.
    pub expected_every: Option<u32>,
    /// How many values are no numbers. They are faults of their sensors.
    pub not_numbers: usize,
}

impl Said {
    /// Takes in what another profile says of the same payload; of a sensor that both name the first counts.
    fn add(&mut self, more: Self) {
        let known: BTreeSet<String> = self.readings.iter().map(|r| r.id.clone()).collect();
        let readings = more.readings.into_iter();
        self.readings
            .extend(readings.filter(|r| !known.contains(&r.id)));
        if self.online.is_none() {
            (self.online, self.of) = (more.online, more.of);
        }
        self.reads |= more.reads;
        self.expected_every = self.expected_every.or(more.expected_every);
        self.devices.extend(more.devices);
        self.announced.extend(more.announced);
        self.not_numbers += more.not_numbers;
    }

    /// Whether it says nothing at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.readings.is_empty()
            && self.online.is_none()
            && self.devices.is_empty()
            && self.announced.is_empty()
            && self.not_numbers == 0
    }

    /// The readings as telemetry, a message for each instant.
    #[must_use]
    pub fn telemetry(self) -> Telemetry<'static> {
        let mut all = Telemetry {
            not_numbers: self.not_numbers,
            items: Vec::with_capacity(self.readings.len()),
            ..Telemetry::default()
        };
        for reading in self.readings {
            let at = all.items.len();
            match all.messages.last_mut() {
                Some(message) if message.time == reading.time => message.items.end = at + 1,
                _ => all.messages.push(Message {
                    time: reading.time,
                    seq: None,
                    items: at..at + 1,
                }),
            }
            all.items.push(Item {
                id: Some(Cow::Owned(reading.id)),
                sensor_type: TypeWord::Known(reading.sensor_type),
                unit: None,
                value: reading.value,
            });
        }
        all
    }
}

/// The profiles of a farm, in the order in which they are asked.
#[derive(Debug, Clone, Default)]
pub struct Profiles(Vec<Profile>);

impl Profiles {
    /// A farm's own profiles, then those that are shipped and not replaced by one with their id. At most [`MAX_PROFILES`], of its own
    /// with [`MAX_TOPICS`] topics; what is beyond them is left out.
    #[must_use]
    pub fn new(own: Vec<Profile>) -> Self {
        let mut all = own;
        let mut topics = 0;
        all.retain(|profile| {
            topics += profile.topics();
            topics <= MAX_TOPICS
        });
        for shipped in shipped::compiled() {
            if !all.iter().any(|p| p.id() == shipped.id()) {
                all.push(shipped.clone());
            }
        }
        all.truncate(MAX_PROFILES);
        Self(all)
    }

    /// One profile alone.
    #[must_use]
    pub fn of_one(profile: Profile) -> Self {
        Self(vec![profile])
    }

    /// What the ids of a topic begin with, by the shipped profile that has it: what is added to it is of the same thing.
    #[must_use]
    pub fn default_thing(topic: &str) -> Option<String> {
        let mut all = shipped::compiled().iter();
        let thing = all.find_map(|p| Some(p.reader(topic)?.thing().text));
        thing.filter(|t| !t.is_empty())
    }

    /// Whether the first profile that has a topic is no shipped one.
    #[must_use]
    pub fn is_own(&self, topic: &str) -> bool {
        let first = self.0.iter().find(|p| p.knows(topic));
        first.is_some_and(|p| !SHIPPED.iter().any(|s| s.id == p.id()))
    }

    /// Whether a profile has a topic that matches.
    #[must_use]
    pub fn knows(&self, topic: &str) -> bool {
        self.0.iter().any(|p| p.knows(topic))
    }

    /// Reads a payload by the first profile that has its topic; the profile's id with what the payload says, which may be nothing.
    ///
    /// # Errors
    /// When no profile has the topic, or the one that has it cannot read the payload.
    pub fn read(
        &self,
        topic: &str,
        payload: &[u8],
        aliases: &mut Aliases,
    ) -> Result<(&str, Said), Unread> {
        let mut known = (self.0.iter()).filter_map(|p| Some((p, p.reader(topic)?)));
        let (profile, reader) = known.next().ok_or(Unread::NoProfile)?;
        let work = Work::default();
        let mut read = reader.read(payload, aliases, &work);
        let mut adds = reader.adds();
        while adds && let Some((_, reader)) = known.next() {
            adds = reader.adds();
            // One of them reads it: that the other cannot is no fault of the message.
            let more = reader.read(payload, aliases, &work);
            match (&mut read, more) {
                (Ok(said), Ok(more)) => said.add(more),
                (Err(_), more @ Ok(_)) => read = more,
                (_, Err(_)) => {}
            }
        }
        Ok((profile.id(), read?))
    }
}
