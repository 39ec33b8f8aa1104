//! Reading a payload by a profile.

mod instant;
mod reading;
mod state;

use harit_protocol::Time;

use crate::compile::{MessageRule, Profile, ReadingRule};
use crate::document::PayloadKind;
use crate::line;
use crate::node::{Found, Node};
use crate::pattern::Captures;
use crate::sparkplug::{self, Aliases};
use crate::work::Work;
use crate::{DeviceState, MAX_SAID, Said, Unread};
use reading::{Known, Place};

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
