//! Reading a payload by a profile.

use std::collections::HashSet;

use harit_engine::{Decimal, Measured};
use harit_protocol::{Time, canonical, conversion, usable_id};
use jiff::Timestamp as Instant;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use crate::compile::{AnnounceRule, MessageRule, Profile, ReadingRule, StateRule};
use crate::document::{PayloadKind, TimeKind};
use crate::line;
use crate::node::{Found, Node};
use crate::pattern::{Captures, Pointer, glob};
use crate::sparkplug::{self, Aliases};
use crate::work::Work;
use crate::{Announced, DeviceState, MAX_SAID, Reading, Said, Unread};

impl Profile {
    /// Whether one of its topics matches.
    #[must_use]
    pub fn knows(&self, topic: &str) -> bool {
        self.rule(topic).is_some()
    }

    /// What ids begin with that a message of a topic has.
    pub(crate) fn thing(&self, topic: &str) -> Option<String> {
        let (rule, captures) = self.rule(topic)?;
        Some(rule.name(&captures, &[]))
    }

    /// Whether the message that has a topic only adds to what others read of it.
    pub(crate) fn adds(&self, topic: &str) -> bool {
        self.rule(topic).is_some_and(|(rule, _)| rule.adds)
    }

    fn rule<'t>(&self, topic: &'t str) -> Option<(&MessageRule, Captures<'t>)> {
        self.messages.iter().find_map(|rule| {
            let captures = rule.topics.iter().find_map(|t| t.captures(topic))?;
            Some((rule, captures))
        })
    }

    /// Reads a payload. Nothing at all may be what it says.
    ///
    /// # Errors
    /// When none of its topics matches, or the payload is not what it says.
    pub fn read(&self, topic: &str, payload: &[u8], aliases: &mut Aliases) -> Result<Said, Unread> {
        self.read_within(topic, payload, aliases, &Work::default())
    }

    /// The same, with what is left of the message's work.
    pub(crate) fn read_within(
        &self,
        topic: &str,
        payload: &[u8],
        aliases: &mut Aliases,
        work: &Work,
    ) -> Result<Said, Unread> {
        let (rule, captures) = self.rule(topic).ok_or(Unread::NoProfile)?;
        if rule.is_silent() {
            return Ok(Said::default());
        }
        work.spend(payload.len() / 8)?;
        let root = match rule.payload {
            PayloadKind::Json => Node::json(payload)?,
            PayloadKind::Text => {
                let text = std::str::from_utf8(payload).map_err(|_| Unread::Malformed)?;
                Node::Text(text.to_owned())
            }
            PayloadKind::Line => line::read(payload)?,
            PayloadKind::Cbor => Node::cbor(payload)?,
            PayloadKind::Form => Node::form(payload)?,
            PayloadKind::Sparkplug => sparkplug::read(topic, payload, aliases)?,
        };
        let name = |path: &[String]| rule.name(&captures, path);
        let mut said = Said {
            reads: !rule.readings.is_empty(),
            expected_every: rule.expected_every,
            ..Said::default()
        };
        let of = Payload {
            root: &root,
            captures: &captures,
            work,
        };
        rule.readings_of(&of, &name, &mut said)?;
        if let Some(online) = &rule.online {
            let found = online.states(&root, work)?;
            said.online = found.first().map(|(_, on)| *on);
            said.of = name(&[]);
        }
        for device in &rule.devices {
            for (path, on) in device.states(&root, work)? {
                said.devices.push(DeviceState {
                    id: name(&path),
                    on,
                });
            }
        }
        if let Some(announces) = &rule.announces {
            said.announced.extend(announces.announced(&root, name(&[])));
        }
        if said.devices.len() > MAX_SAID {
            return Err(Unread::TooMany);
        }
        Ok(said)
    }
}

/// A payload that is read, and what that may cost yet.
struct Payload<'n> {
    root: &'n Node,
    captures: &'n Captures<'n>,
    work: &'n Work,
}

/// The readings of a message by id and instant: a value is one reading's.
type Known = HashSet<(String, Option<(bool, i64)>)>;

/// An instant as what it is known by.
fn instant(time: Option<Time>) -> Option<(bool, i64)> {
    time.map(|time| match time {
        Time::At(at) => (true, at),
        Time::SinceArrival(after) => (false, after),
    })
}

/// Where readings stand in a payload.
struct Place<'n> {
    node: &'n Node,
    /// The key that `*` took on the way there.
    key: String,
    /// What names the things there.
    path: Vec<String>,
    time: Option<Time>,
}

impl MessageRule {
    /// An id: what the topic's captures took, and what follows.
    fn name(&self, captures: &Captures<'_>, path: &[String]) -> String {
        let taken = captures.iter().filter(|(name, _)| !name.starts_with('_'));
        let taken = taken.map(|(_, word)| *word);
        let taken = self.thing.as_deref().into_iter().chain(taken);
        let all: Vec<&str> = taken.chain(path.iter().map(String::as_str)).collect();
        // Controls have no place in an id.
        all.join("/").replace(char::is_control, " ")
    }

    /// Whether it reads nothing at all, so that its payload need not be looked at.
    fn is_silent(&self) -> bool {
        self.readings.is_empty()
            && self.online.is_none()
            && self.devices.is_empty()
            && self.announces.is_none()
    }

    fn readings_of(
        &self,
        of: &Payload<'_>,
        name: &impl Fn(&[String]) -> String,
        said: &mut Said,
    ) -> Result<(), Unread> {
        let mut known = Known::new();
        for Found { node, mut path } in self.places(of)? {
            let key = path.first().cloned().unwrap_or_default();
            if !self.id.is_empty() {
                path = Vec::new();
                for at in &self.id {
                    let from = if at.from_root { of.root } else { node };
                    let word = from.at_within(at, of.work)?;
                    path.extend(word.map(|node| node.word().into_owned()));
                }
            }
            let place = Place {
                node,
                key,
                path,
                time: self.time_of(of, node)?,
            };
            for rule in &self.readings {
                rule.read(of, &place, name, &mut known, said)?;
            }
        }
        Ok(())
    }

    /// Where the readings stand: the first place that is there, with the keys that `*` took.
    fn places<'n>(&self, of: &Payload<'n>) -> Result<Vec<Found<'n>>, Unread> {
        let mut places = Vec::new();
        for (n, pointer) in self.within.iter().enumerate() {
            of.root.find(&pointer.keys, of.work, &mut places)?;
            // A value alone is the place of a text, or of nothing.
            let is_last = n + 1 == self.within.len();
            places.retain(|found| is_last || matches!(found.node, Node::Map(_) | Node::List(_)));
            for found in &mut places {
                let mut keys = pointer.keys.iter();
                found
                    .path
                    .retain(|_| keys.next().is_some_and(|key| key.contains('*')));
            }
            if !places.is_empty() {
                break;
            }
        }
        Ok(places)
    }

    fn time_of(&self, of: &Payload<'_>, place: &Node) -> Result<Option<Time>, Unread> {
        let Some((at, kind)) = &self.time else {
            return Ok(None);
        };
        let from = if at.from_root { of.root } else { place };
        let node = from.at_within(at, of.work)?;
        Ok(node.and_then(|node| kind.instant(&node.word())))
    }
}

impl TimeKind {
    /// The instant that a word is.
    fn instant(self, word: &str) -> Option<Time> {
        let kind = self;
        if kind == TimeKind::Rfc3339 {
            let instant: Instant = word.parse().ok()?;
            return Some(Time::At(instant.as_millisecond()));
        }
        if kind == TimeKind::Utc {
            let civil: DateTime = word.parse().ok()?;
            let instant = Offset::UTC.to_timestamp(civil).ok()?;
            return Some(Time::At(instant.as_millisecond()));
        }
        // As decimal text; micro-units are enough for every kind but nanoseconds, which are whole.
        let millis = match kind {
            TimeKind::Ns => word.parse::<i64>().ok()? / 1_000_000,
            TimeKind::Us => word.parse::<i64>().ok()? / 1_000,
            TimeKind::Ms => whole(word)?,
            TimeKind::S | TimeKind::Rfc3339 | TimeKind::Utc => {
                let (secs, part) = word.split_once('.').unwrap_or((word, ""));
                let part: String = part.chars().chain("000".chars()).take(3).collect();
                let secs = secs.parse::<i64>().ok()?.checked_mul(1_000)?;
                secs.checked_add(part.parse::<i64>().ok()?)?
            }
        };
        Some(Time::At(millis))
    }
}

fn whole(word: &str) -> Option<i64> {
    word.split('.').next()?.parse().ok()
}

impl ReadingRule {
    fn read(
        &self,
        of: &Payload<'_>,
        place: &Place<'_>,
        name: &impl Fn(&[String]) -> String,
        known: &mut Known,
        said: &mut Said,
    ) -> Result<(), Unread> {
        let (work, captures) = (of.work, of.captures);
        work.spend_globs(&self.except, &place.key)?;
        work.spend_globs(&self.only, &place.key)?;
        for (_, patterns) in &self.when {
            for (_, word) in captures {
                work.spend_globs(patterns, word)?;
            }
        }
        let (time, key) = (place.time, place.key.as_str());
        let is = |patterns: &[String], word: &str| patterns.iter().any(|p| glob(p, word));
        let met = self.when.iter().all(|(capture, patterns)| {
            captures
                .iter()
                .any(|(n, word)| n == capture && is(patterns, word))
        });
        if !met || is(&self.except, key) || !self.only.is_empty() && !is(&self.only, key) {
            return Ok(());
        }
        let mut found = Vec::new();
        for pointer in &self.at {
            let from = if pointer.from_root {
                of.root
            } else {
                place.node
            };
            from.find(&pointer.keys, work, &mut found)?;
            if !found.is_empty() {
                break;
            }
        }
        for Found { node, path } in found {
            work.spend(16 + self.values.len() + self.absent.len())?;
            let Some((value, is_number)) = self.value(of, place, node, &path)? else {
                continue;
            };
            let all: Vec<String> = place.path.iter().chain(&path).cloned().collect();
            let id = match name(&all) {
                id if id.is_empty() => self.sensor_type.as_str().to_owned(),
                id => id,
            };
            // A value is one reading's; and what has no usable name is nothing that a person could find.
            if !usable_id(&id) || !known.insert((id.clone(), instant(time))) {
                continue;
            }
            said.not_numbers += usize::from(!is_number);
            said.readings.push(Reading {
                id,
                sensor_type: self.sensor_type,
                value,
                time,
            });
            if said.readings.len() > MAX_SAID {
                return Err(Unread::TooMany);
            }
        }
        Ok(())
    }

    /// The value that a node stands for, and whether it was a number; none where it stands for no reading.
    fn value(
        &self,
        of: &Payload<'_>,
        place: &Place<'_>,
        node: &Node,
        path: &[String],
    ) -> Result<Option<(Measured, bool)>, Unread> {
        if matches!(node, Node::Map(_) | Node::List(_)) {
            return Ok(None);
        }
        let word = node.word();
        let said = self
            .values
            .iter()
            .find(|(w, _)| w.eq_ignore_ascii_case(&word));
        if let Some((_, value)) = said {
            return Ok(Some((canonical(Measured::Value(*value)), true)));
        }
        let number = node.number();
        let decimal = match number {
            Some(Measured::Value(decimal)) => Some(decimal),
            _ => None,
        };
        let is_absent = |(text, value): &(String, Option<Decimal>)| {
            text.eq_ignore_ascii_case(&word) || value.is_some() && *value == decimal
        };
        if self.absent.iter().any(is_absent) {
            return Ok(None);
        }
        let Some(decimal) = decimal else {
            // Null is a fault; a word where a number belongs is one that people are told of.
            let is_ours = self.between.is_none();
            let fault = number.map_or((Measured::NotFinite, false), |null| (null, true));
            return Ok(is_ours.then_some(fault));
        };
        let rounded = decimal.rounded();
        if self
            .between
            .is_some_and(|(least, most)| rounded < least || rounded > most)
        {
            return Ok(None);
        }
        let conversion = match self.unit_of(of, place, path)? {
            // A unit that is none of the type's: it is another quantity.
            Some(unit) => conversion(self.sensor_type, &unit),
            None => Some(self.conversion),
        };
        let converted = conversion.map(|c| canonical(Measured::Value(c.of(decimal))));
        Ok(converted.map(|value| (value, true)))
    }

    /// The unit that the payload gives, if it gives one.
    fn unit_of(
        &self,
        of: &Payload<'_>,
        place: &Place<'_>,
        path: &[String],
    ) -> Result<Option<String>, Unread> {
        let Some(at) = &self.unit_at else {
            return Ok(None);
        };
        let node = if at.from_root {
            of.root.at_within(at, of.work)?
        } else {
            let beside: Vec<String> = match path.split_last() {
                Some((_, before)) => before.iter().chain(&at.keys).cloned().collect(),
                None => at.keys.clone(),
            };
            let beside = Pointer {
                from_root: false,
                keys: beside,
            };
            place.node.at_within(&beside, of.work)?
        };
        Ok(match node {
            Some(Node::Text(unit)) if !unit.is_empty() => Some(unit.clone()),
            _ => None,
        })
    }
}

impl StateRule {
    /// What is so or not, with the keys that `*` took. Other words say nothing.
    fn states(&self, root: &Node, work: &Work) -> Result<Vec<(Vec<String>, bool)>, Unread> {
        let mut found = Vec::new();
        root.find(&self.at.keys, work, &mut found)?;
        work.spend(found.len() * (self.on.len() + self.off.len()))?;
        let is = |words: &[String], word: &str| words.iter().any(|w| w.eq_ignore_ascii_case(word));
        let states = (found.into_iter()).filter_map(|Found { node, mut path }| {
            let mut keys = self.at.keys.iter();
            path.retain(|_| keys.next().is_some_and(|key| key.contains('*')));
            let word = node.word();
            let on = match () {
                () if is(&self.on, &word) => true,
                () if is(&self.off, &word) => false,
                () => return None,
            };
            Some((path, on))
        });
        Ok(states.collect())
    }
}

impl AnnounceRule {
    fn announced(&self, root: &Node, id: String) -> Option<Announced> {
        let sensor_type = match root.at(&self.at) {
            Some(node) => {
                let word = node.word();
                let mut types = self.types.iter();
                Some(types.find(|(w, _)| w.eq_ignore_ascii_case(&word))?.1)
            }
            None if self.device => None,
            None => return None,
        };
        Some(Announced { id, sensor_type })
    }
}
