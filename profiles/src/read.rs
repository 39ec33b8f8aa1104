//! Reading a payload by a profile.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};

use harit_engine::{Decimal, Measured};
use harit_protocol::{Time, canonical, conversion, usable_id};
use jiff::Timestamp as Instant;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use crate::compile::{AnnounceRule, MessageRule, Profile, ReadingRule, StateRule};
use crate::document::{PayloadKind, TimeKind};
use crate::line;
use crate::node::{Found, Node};
use crate::pattern::{Captures, Key, Pointer, glob};
use crate::sparkplug::{self, Aliases};
use crate::work::Work;
use crate::{Announced, DeviceState, MAX_SAID, Reading, Said, Unread};

impl Profile {
    /// What is read of the messages of a topic, if one of its own matches.
    pub(crate) fn reader<'t>(&'t self, topic: &'t str) -> Option<Reader<'t>> {
        self.messages.iter().find_map(|rule| {
            let captures = rule.topics.iter().find_map(|t| t.captures(topic))?;
            Some(Reader {
                rule,
                topic,
                captures,
            })
        })
    }

    /// Whether one of its topics matches.
    #[must_use]
    pub fn knows(&self, topic: &str) -> bool {
        self.reader(topic).is_some()
    }

    /// Reads a payload. Nothing at all may be what it says.
    ///
    /// # Errors
    /// When none of its topics matches, or the payload is not what it says.
    pub fn read(&self, topic: &str, payload: &[u8], aliases: &mut Aliases) -> Result<Said, Unread> {
        let reader = self.reader(topic).ok_or(Unread::NoProfile)?;
        reader.read(payload, aliases, &Work::default())
    }
}

/// What reads the messages of a topic.
pub(crate) struct Reader<'t> {
    rule: &'t MessageRule,
    topic: &'t str,
    captures: Captures<'t>,
}

impl Reader<'_> {
    /// Whether it only adds to what others read of the message.
    pub(crate) const fn adds(&self) -> bool {
        self.rule.adds
    }

    /// What ids begin with.
    pub(crate) fn thing(&self) -> Name {
        let taken = (self.captures.iter()).filter(|(name, _)| !name.starts_with('_'));
        let taken = taken.map(|(_, word)| *word);
        let thing = self.rule.thing.as_deref();
        Name::default().and(thing.into_iter().chain(taken))
    }

    /// Reads a payload, with what is left of the message's work.
    pub(crate) fn read(
        &self,
        payload: &[u8],
        aliases: &mut Aliases,
        work: &Work,
    ) -> Result<Said, Unread> {
        let rule = self.rule;
        if rule.is_silent() {
            return Ok(Said::default());
        }
        work.spend(payload.len() / 8)?;
        let root = match rule.payload {
            PayloadKind::Json => Node::json(payload)?,
            PayloadKind::Text => {
                let text = std::str::from_utf8(payload).map_err(|_| Unread::Malformed)?;
                Node::Text(text.into())
            }
            PayloadKind::Line => line::read(payload)?,
            PayloadKind::Cbor => Node::cbor(payload)?,
            PayloadKind::Form => Node::form(payload)?,
            PayloadKind::Sparkplug => sparkplug::read(self.topic, payload, aliases)?,
        };
        let mut said = Said {
            reads: !rule.readings.is_empty(),
            expected_every: rule.expected_every,
            ..Said::default()
        };
        let thing = self.thing();
        let of = Payload {
            root: &root,
            captures: &self.captures,
            thing: &thing,
            work,
        };
        rule.readings_of(&of, &mut said)?;
        if let Some(online) = &rule.online {
            let found = online.states(&root, work)?;
            said.online = found.first().map(|(_, on)| *on);
            said.of.clone_from(&thing.text);
        }
        for device in &rule.devices {
            for (taken, on) in device.states(&root, work)? {
                said.devices.push(DeviceState {
                    id: thing.and(taken.as_deref()).text,
                    on,
                });
            }
        }
        if let Some(announces) = &rule.announces {
            said.announced
                .extend(announces.announced(&root, thing.text.clone(), work)?);
        }
        if said.devices.len() > MAX_SAID {
            return Err(Unread::TooMany);
        }
        Ok(said)
    }
}

/// An id that is made: words with `/` between them. Controls have no place in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Name {
    pub(crate) text: String,
    /// Whether it has a word, which may be empty.
    begun: bool,
}

impl Name {
    /// The same with words after it.
    fn and<'w>(&self, words: impl IntoIterator<Item = &'w str>) -> Self {
        const USUAL: usize = 48;
        let mut name = Self {
            text: String::with_capacity(USUAL),
            begun: self.begun,
        };
        name.text.push_str(&self.text);
        for word in words {
            if std::mem::replace(&mut name.begun, true) {
                name.text.push('/');
            }
            if !word.bytes().all(|b| (b' '..=b'~').contains(&b)) {
                name.text.push_str(&word.replace(char::is_control, " "));
            } else {
                name.text.push_str(word);
            }
        }
        name
    }
}

/// A payload that is read, and what that may cost yet.
struct Payload<'n> {
    root: &'n Node<'n>,
    captures: &'n Captures<'n>,
    thing: &'n Name,
    work: &'n Work,
}

/// The readings of a message by what they are known by, so that a value is one reading's.
#[derive(Default)]
struct Known {
    hashes: Vec<u64>,
    hashed: RandomState,
}

impl Known {
    /// Whether no reading has this id and instant yet; then it is known.
    fn is_new(&mut self, readings: &[Reading], id: &str, time: Option<Time>) -> bool {
        let hash = self.hashed.hash_one(id);
        // Each of the readings has its hash at its own place.
        let mut same = (readings.iter().zip(&self.hashes)).filter(|(_, known)| **known == hash);
        let is_new = !same.any(|(reading, _)| reading.id == id && reading.time == time);
        if is_new {
            self.hashes.push(hash);
        }
        is_new
    }
}

/// Where readings stand in a payload.
struct Place<'n> {
    node: &'n Node<'n>,
    /// The key that `*` took on the way there.
    key: Cow<'n, str>,
    /// What ids begin with there.
    name: Name,
    time: Option<Time>,
}

impl MessageRule {
    /// Whether it reads nothing at all, so that its payload need not be looked at.
    fn is_silent(&self) -> bool {
        self.readings.is_empty()
            && self.online.is_none()
            && self.devices.is_empty()
            && self.announces.is_none()
    }

    fn readings_of(&self, of: &Payload<'_>, said: &mut Said) -> Result<(), Unread> {
        let mut known = Known::default();
        let mut found = Vec::new();
        for Found { node, taken } in self.places(of)? {
            of.work.spend(self.readings.len())?;
            let bits = node.bits();
            let may_be = |rule: &&ReadingRule| rule.bits.is_none_or(|keys| keys & bits != 0);
            let mut rules = self.readings.iter().filter(may_be).peekable();
            if rules.peek().is_none() {
                continue;
            }
            let name = if self.id.is_empty() {
                of.thing.and(taken.as_deref())
            } else {
                let mut words = Vec::new();
                for at in &self.id {
                    let from = if at.from_root { of.root } else { node };
                    words.extend(from.at(&at.keys, of.work)?.map(Node::word));
                }
                of.thing.and(words)
            };
            let place = Place {
                node,
                key: taken.unwrap_or_default(),
                name,
                time: self.time_of(of, node)?,
            };
            for rule in rules {
                rule.read(of, &place, &mut known, &mut found, said)?;
            }
        }
        Ok(())
    }

    /// Where the readings stand: the first place that is there, with the keys that `*` took.
    fn places<'n>(&self, of: &Payload<'n>) -> Result<Vec<Found<'n>>, Unread> {
        let mut places = Vec::new();
        for (n, pointer) in self.within.iter().enumerate() {
            of.root.find(pointer, of.work, &mut places)?;
            // A value alone is the place of a text, or of nothing.
            let is_last = n + 1 == self.within.len();
            places.retain(|found| is_last || matches!(found.node, Node::Map(_) | Node::List(_)));
            if !places.is_empty() {
                break;
            }
        }
        Ok(places)
    }

    fn time_of(&self, of: &Payload<'_>, place: &Node<'_>) -> Result<Option<Time>, Unread> {
        let Some((at, kind)) = &self.time else {
            return Ok(None);
        };
        let from = if at.from_root { of.root } else { place };
        let node = from.at(&at.keys, of.work)?;
        Ok(node.and_then(|node| kind.instant(node.word())))
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
    /// Adds what it reads at a place. `found` is room that is used again.
    fn read<'n>(
        &self,
        of: &Payload<'n>,
        place: &Place<'n>,
        known: &mut Known,
        found: &mut Vec<Found<'n>>,
        said: &mut Said,
    ) -> Result<(), Unread> {
        let work = of.work;
        found.clear();
        let mut at = None;
        for pointer in &self.at {
            let from = if pointer.from_root {
                of.root
            } else {
                place.node
            };
            from.find(pointer, work, found)?;
            if !found.is_empty() {
                at = Some(pointer);
                break;
            }
        }
        let Some(at) = at else { return Ok(()) };
        if !self.applies(of, &place.key)? {
            return Ok(());
        }
        for Found { node, taken } in found.drain(..) {
            work.spend(16 + self.values.len() + self.absent.len())?;
            let path = Path {
                at,
                taken: taken.as_deref(),
            };
            let Some((value, is_number)) = self.value(of, place, node, path)? else {
                continue;
            };
            let id = match place.name.and(at.words(path.taken)).text {
                id if id.is_empty() => self.sensor_type.as_str().to_owned(),
                id => id,
            };
            // What has no usable name is nothing that a person could find.
            if !usable_id(&id) || !known.is_new(&said.readings, &id, place.time) {
                continue;
            }
            said.not_numbers += usize::from(!is_number);
            said.readings.push(Reading {
                id,
                sensor_type: self.sensor_type,
                value,
                time: place.time,
            });
            if said.readings.len() > MAX_SAID {
                return Err(Unread::TooMany);
            }
        }
        Ok(())
    }

    /// Whether it is for this topic and what stands under this key.
    fn applies(&self, of: &Payload<'_>, key: &str) -> Result<bool, Unread> {
        of.work.spend_globs(&self.except, key)?;
        of.work.spend_globs(&self.only, key)?;
        for (_, patterns) in &self.when {
            for (_, word) in of.captures {
                of.work.spend_globs(patterns, word)?;
            }
        }
        let is = |patterns: &[String], word: &str| patterns.iter().any(|p| glob(p, word));
        let met = self.when.iter().all(|(capture, patterns)| {
            let mut captures = of.captures.iter();
            captures.any(|(n, word)| n == capture && is(patterns, word))
        });
        Ok(met && !is(&self.except, key) && (self.only.is_empty() || is(&self.only, key)))
    }

    /// The value that a node stands for, and whether it was a number; none where it stands for no reading.
    fn value(
        &self,
        of: &Payload<'_>,
        place: &Place<'_>,
        node: &Node<'_>,
        path: Path<'_>,
    ) -> Result<Option<(Measured, bool)>, Unread> {
        if matches!(node, Node::Map(_) | Node::List(_)) {
            return Ok(None);
        }
        let word = node.word();
        let said = self
            .values
            .iter()
            .find(|(w, _)| w.eq_ignore_ascii_case(word));
        if let Some((_, value)) = said {
            return Ok(Some((canonical(Measured::Value(*value)), true)));
        }
        let number = node.number();
        let decimal = match number {
            Some(Measured::Value(decimal)) => Some(decimal),
            _ => None,
        };
        let is_absent = |(text, value): &(String, Option<Decimal>)| {
            text.eq_ignore_ascii_case(word) || value.is_some() && *value == decimal
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
            Some(unit) => conversion(self.sensor_type, unit),
            None => Some(self.conversion),
        };
        let converted = conversion.map(|c| canonical(Measured::Value(c.of(decimal))));
        Ok(converted.map(|value| (value, true)))
    }

    /// The unit that the payload gives, if it gives one.
    fn unit_of<'n>(
        &self,
        of: &Payload<'n>,
        place: &Place<'n>,
        path: Path<'_>,
    ) -> Result<Option<&'n str>, Unread> {
        let Some(at) = &self.unit_at else {
            return Ok(None);
        };
        let from = if at.from_root {
            Some(of.root)
        } else {
            path.beside(place.node, of.work)?
        };
        let node = from.map(|from| from.at(&at.keys, of.work)).transpose()?;
        Ok(match node.flatten() {
            Some(Node::Text(unit)) if !unit.is_empty() => Some(unit),
            _ => None,
        })
    }
}

/// How a value was found from its place.
#[derive(Clone, Copy)]
struct Path<'n> {
    at: &'n Pointer,
    taken: Option<&'n str>,
}

impl Path<'_> {
    /// That of which the value is a member.
    fn beside<'n>(&self, place: &'n Node<'n>, work: &Work) -> Result<Option<&'n Node<'n>>, Unread> {
        let count = self.at.keys.len().saturating_sub(1);
        let mut here = Some(place);
        for key in self.at.words(self.taken).take(count) {
            let Some(node) = here else { break };
            here = node.member(&Key::new(key.to_owned()), work)?;
        }
        Ok(here)
    }
}

/// Whether something is so, with the key that `*` took.
type State<'n> = (Option<Cow<'n, str>>, bool);

impl StateRule {
    /// What is so or not. Other words say nothing.
    fn states<'n>(&self, root: &'n Node<'n>, work: &Work) -> Result<Vec<State<'n>>, Unread> {
        let mut found = Vec::new();
        root.find(&self.at, work, &mut found)?;
        work.spend(found.len() * (self.on.len() + self.off.len()))?;
        let is = |words: &[String], word: &str| words.iter().any(|w| w.eq_ignore_ascii_case(word));
        let states = found.into_iter().filter_map(|Found { node, taken }| {
            let word = node.word();
            let on = match () {
                () if is(&self.on, word) => true,
                () if is(&self.off, word) => false,
                () => return None,
            };
            Some((taken, on))
        });
        Ok(states.collect())
    }
}

impl AnnounceRule {
    fn announced(
        &self,
        root: &Node<'_>,
        id: String,
        work: &Work,
    ) -> Result<Option<Announced>, Unread> {
        let word = root.at(&self.at.keys, work)?.map(Node::word);
        let of = |word: &str| {
            self.types
                .iter()
                .find(|(w, _)| w.eq_ignore_ascii_case(word))
        };
        let sensor_type = match word.map(of) {
            Some(Some((_, known))) => Some(*known),
            None if self.device => None,
            _ => return Ok(None),
        };
        Ok(Some(Announced { id, sensor_type }))
    }
}
