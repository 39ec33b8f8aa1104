//! The readings of a payload: where a rule finds its values, and what each of them is.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};

use harit_engine::{Decimal, Measured};
use harit_protocol::{Time, canonical, conversion, usable_id};

use super::{Name, Payload};
use crate::compile::ReadingRule;
use crate::node::{Found, Node};
use crate::pattern::{Key, Pointer, glob};
use crate::work::Work;
use crate::{MAX_SAID, Reading, Said, Unread};

/// The readings of a message by what they are known by, so that a value is one reading's.
#[derive(Default)]
pub(super) struct Known {
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
pub(super) struct Place<'n> {
    pub(super) node: &'n Node<'n>,
    /// The key that `*` took on the way there.
    pub(super) key: Cow<'n, str>,
    /// What ids begin with there.
    pub(super) name: Name,
    pub(super) time: Option<Time>,
}

impl ReadingRule {
    /// Adds what it reads at a place. `found` is room that is used again.
    pub(super) fn read<'n>(
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
