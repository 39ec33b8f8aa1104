//! A payload as a tree, whatever it was written in. Numbers stay the decimal text that they were.

use std::borrow::Cow;
use std::fmt;

use ciborium::value::Value as Cbor;
use harit_engine::{Decimal, Measured};
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::pattern::{Key, Pointer, Sketch, glob};
use crate::work::Work;
use crate::{MAX_DEPTH, MAX_NODES, Unread};

/// Significant digits that a single-precision float can have of its own.
const FLOAT_DIGITS: usize = 9;

/// A value, a list or an object. Text is the payload's own where it stands there as it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node<'p> {
    Null,
    Bool(bool),
    /// Its decimal text.
    Number(Cow<'p, str>),
    Text(Cow<'p, str>),
    List(Vec<Node<'p>>),
    Map(Members<'p>),
}

/// The members of an object, in the order of their keys. Of several with one key the last counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Members<'p> {
    all: Vec<Member<'p>>,
    /// A bit for the sketch of each key: most keys that profiles look for are in no payload.
    bits: u64,
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member<'p> {
    sketch: Sketch,
    key: Cow<'p, str>,
    node: Node<'p>,
}

impl<'p> Member<'p> {
    pub(crate) fn new(key: impl Into<Cow<'p, str>>, node: Node<'p>) -> Self {
        let key = key.into();
        Self {
            sketch: Sketch::of(&key),
            key,
            node,
        }
    }
}

impl<'p> From<Vec<Member<'p>>> for Members<'p> {
    fn from(mut all: Vec<Member<'p>>) -> Self {
        if !all.is_sorted_by(|a, b| a.key < b.key) {
            all.sort_by(|a, b| a.key.cmp(&b.key));
            all.dedup_by(|later, earlier| {
                let same = later.key == earlier.key;
                if same {
                    std::mem::swap(later, earlier);
                }
                same
            });
        }
        let bits = all.iter().fold(0, |bits, m| bits | m.sketch.bit());
        Self { all, bits }
    }
}

impl<'p> Members<'p> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Node<'p>)> {
        self.all.iter().map(|member| (&*member.key, &member.node))
    }

    /// A member by its key. Where no key is spelled so, case does not matter, and all are looked at.
    fn get(&self, key: &Key, work: &Work) -> Result<Option<&Node<'p>>, Unread> {
        work.spend(2)?;
        if self.bits & key.sketch.bit() == 0 {
            return Ok(None);
        }
        let mut found = None;
        for (n, member) in self.all.iter().enumerate() {
            if member.sketch != key.sketch || !member.key.eq_ignore_ascii_case(&key.text) {
                continue;
            }
            if member.key == key.text {
                work.spend(n / 2)?;
                return Ok(Some(&member.node));
            }
            found = found.or(Some(&member.node));
        }
        work.spend(self.all.len() / 2)?;
        Ok(found)
    }
}

/// How many nodes may still be made.
struct Budget(usize);

impl Budget {
    fn take(&mut self, depth: usize) -> Result<(), Unread> {
        if depth > MAX_DEPTH {
            return Err(Unread::TooDeep);
        }
        self.0 = self.0.checked_sub(1).ok_or(Unread::TooMany)?;
        Ok(())
    }
}

impl<'p> Node<'p> {
    /// Reads JSON.
    pub(crate) fn json(payload: &'p [u8]) -> Result<Self, Unread> {
        let text = std::str::from_utf8(payload).map_err(|_| Unread::Malformed)?;
        let text = text.trim_end_matches('\0');
        let mut budget = Budget(MAX_NODES);
        // What has members is looked through while they are read; of anything else it has to be known that it is JSON at all.
        if text.trim_ascii_start().starts_with(['{', '[']) {
            return Self::of_json(text, &mut budget, 0);
        }
        let raw: &RawValue = serde_json::from_str(text).map_err(|_| Unread::Malformed)?;
        Self::of_json(raw.get(), &mut budget, 0)
    }

    /// Reads a list or an object, or a value that is known to be well formed.
    fn of_json(text: &'p str, budget: &mut Budget, depth: usize) -> Result<Self, Unread> {
        budget.take(depth)?;
        let malformed = |_| Unread::Malformed;
        Ok(match text.trim_ascii_start().as_bytes().first() {
            Some(b'{') => {
                let mut json = serde_json::Deserializer::from_str(text);
                let raw = json.deserialize_map(RawMembers).map_err(malformed)?;
                json.end().map_err(malformed)?;
                let mut members = Vec::with_capacity(raw.len());
                for (key, raw) in raw {
                    members.push(Member::new(
                        key,
                        Self::of_json(raw.get(), budget, depth + 1)?,
                    ));
                }
                Self::Map(members.into())
            }
            Some(b'[') => {
                let all: Vec<&RawValue> = serde_json::from_str(text).map_err(malformed)?;
                let all = all
                    .into_iter()
                    .map(|raw| Self::of_json(raw.get(), budget, depth + 1));
                Self::List(all.collect::<Result<_, _>>()?)
            }
            Some(b'"') => Self::Text(match text.get(1..text.len() - 1) {
                Some(plain) if !plain.contains('\\') => plain.into(),
                _ => serde_json::from_str::<String>(text)
                    .map_err(malformed)?
                    .into(),
            }),
            Some(b't') => Self::Bool(true),
            Some(b'f') => Self::Bool(false),
            Some(b'n') => Self::Null,
            _ => Self::Number(text.into()),
        })
    }

    /// Reads CBOR. Keys that are numbers are read as their text.
    pub(crate) fn cbor(payload: &[u8]) -> Result<Self, Unread> {
        let value = ciborium::de::from_reader_with_recursion_limit(payload, MAX_DEPTH)
            .map_err(|_| Unread::Malformed)?;
        Self::of_cbor(value, &mut Budget(MAX_NODES), 0)
    }

    fn of_cbor(value: Cbor, budget: &mut Budget, depth: usize) -> Result<Self, Unread> {
        budget.take(depth)?;
        Ok(match value {
            Cbor::Bool(b) => Self::Bool(b),
            Cbor::Integer(n) => Self::Number(i128::from(n).to_string().into()),
            Cbor::Float(f) => Self::float(f),
            Cbor::Text(text) => Self::Text(text.into()),
            Cbor::Tag(_, inner) => Self::of_cbor(*inner, budget, depth + 1)?,
            Cbor::Array(all) => {
                let all = all.into_iter().map(|v| Self::of_cbor(v, budget, depth + 1));
                Self::List(all.collect::<Result<_, _>>()?)
            }
            Cbor::Map(all) => {
                let members = all.into_iter().map(|(key, value)| {
                    let key = match key {
                        Cbor::Text(key) => key,
                        Cbor::Integer(n) => i128::from(n).to_string(),
                        _ => return Err(Unread::Malformed),
                    };
                    let node = Self::of_cbor(value, budget, depth + 1)?;
                    Ok(Member::new(key, node))
                });
                Self::Map(members.collect::<Result<Vec<_>, _>>()?.into())
            }
            _ => Self::Null,
        })
    }

    /// Reads a form. Its values are text; a field that is left empty says nothing, and of fields with one name the last counts.
    pub(crate) fn form(payload: &'p [u8]) -> Result<Self, Unread> {
        let mut budget = Budget(MAX_NODES);
        budget.take(0)?;
        let mut members = Vec::new();
        for (name, value) in form_urlencoded::parse(payload.trim_ascii()) {
            budget.take(1)?;
            if !value.is_empty() {
                members.push(Member::new(name, Self::Text(value)));
            }
        }
        // Bytes of every kind are a form of one name without a value.
        if members.is_empty() {
            return Err(Unread::Malformed);
        }
        Ok(Self::Map(members.into()))
    }

    /// A float's shortest decimal text; what is not finite is text.
    pub(crate) fn float(value: f64) -> Self {
        let text = value.to_string().into();
        if value.is_finite() {
            Self::Number(text)
        } else {
            Self::Text(text)
        }
    }

    /// A value of the payload as a number, if it is one. Numbers as text are; whether something is on is not.
    pub(crate) fn number(&self) -> Option<Measured> {
        match self {
            Self::Null => Some(Measured::Null),
            Self::Number(text) => number(text),
            Self::Text(text) => number(text.trim_matches(|c: char| c.is_whitespace() || c == '\0')),
            _ => None,
        }
    }

    /// The text by which a value is compared with the words of a profile.
    pub(crate) fn word(&self) -> &str {
        match self {
            Self::Null => "null",
            Self::Bool(true) => "true",
            Self::Bool(false) => "false",
            Self::Number(text) => text,
            Self::Text(text) => text.trim_matches(|c: char| c.is_whitespace() || c == '\0'),
            Self::List(_) | Self::Map(_) => "",
        }
    }

    /// The bits of its members' keys: a key whose bit is not among them is not there.
    pub(crate) const fn bits(&self) -> u64 {
        match self {
            Self::Map(all) => all.bits,
            Self::List(_) => u64::MAX,
            _ => 0,
        }
    }

    /// A member by a key without `*`; of a list by its number.
    pub(crate) fn member(&self, key: &Key, work: &Work) -> Result<Option<&Self>, Unread> {
        match self {
            Self::Map(all) => all.get(key, work),
            Self::List(all) => {
                work.spend(2)?;
                Ok(key.text.parse().ok().and_then(|n: usize| all.get(n)))
            }
            _ => Ok(None),
        }
    }

    /// What stands at keys without `*`.
    pub(crate) fn at(&self, keys: &[Key], work: &Work) -> Result<Option<&Self>, Unread> {
        let mut here = Some(self);
        for key in keys {
            let Some(node) = here else { break };
            here = node.member(key, work)?;
        }
        Ok(here)
    }

    /// Adds what stands at a place from here on, in the payload's order of keys.
    pub(crate) fn find<'n>(
        &'n self,
        place: &Pointer,
        work: &Work,
        found: &mut Vec<Found<'n>>,
    ) -> Result<(), Unread> {
        let mut add = |node: Option<&'n Self>, taken| {
            let Some(node) = node else { return Ok(()) };
            found.push(Found { node, taken });
            // What names it becomes text.
            work.spend(1 + 4 * place.keys.len())
        };
        let Some((before, star, after)) = place.around_star() else {
            return add(self.at(&place.keys, work)?, None);
        };
        match self.at(before, work)? {
            Some(Self::Map(all)) => {
                for (name, node) in all.iter() {
                    work.spend(Work::of_glob(&star.text, name))?;
                    if glob(&star.text, name) {
                        add(node.at(after, work)?, Some(name.into()))?;
                    }
                }
            }
            Some(Self::List(all)) if star.text == "*" => {
                for (n, node) in all.iter().enumerate() {
                    add(node.at(after, work)?, Some(n.to_string().into()))?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Reads the members of an object as the text that they are.
struct RawMembers;

impl<'p> Visitor<'p> for RawMembers {
    type Value = Vec<(Cow<'p, str>, &'p RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'p>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some((Borrowed(key), raw)) = map.next_entry()? {
            all.push((key, raw));
        }
        Ok(all)
    }
}

/// A text that is the payload's own where it has no escapes.
#[derive(serde::Deserialize)]
struct Borrowed<'p>(#[serde(borrow)] Cow<'p, str>);

/// A node that was found, and the key or number that `*` took on the way.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found<'n> {
    pub(crate) node: &'n Node<'n>,
    pub(crate) taken: Option<Cow<'n, str>>,
}

/// A decimal number. One that is written with the digits of a widened single-precision float (27.200000762939453) stands for the
/// decimal that the float was made of (27.2).
fn number(text: &str) -> Option<Measured> {
    if text.is_empty() {
        return Some(Measured::Null);
    }
    let value = Decimal::parse(text)?;
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if digits > FLOAT_DIGITS
        && let (Ok(double), Ok(single)) = (text.parse::<f64>(), text.parse::<f32>())
        && f64::from(single).to_bits() == double.to_bits()
    {
        return Decimal::parse(&single.to_string()).map(Measured::Value);
    }
    Some(Measured::Value(value))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_their_own_text() {
        for (text, expected) in [
            ("27.200000762939453", "27.2"),
            ("27.2", "27.2"),
            ("33.200001", "33.200001"),
            ("100729.105", "100729.105"),
            ("1708179956.30", "1708179956.30"),
            ("-0.0", "0"),
        ] {
            assert_eq!(number(text), Some(Measured::parse(expected)), "{text}");
        }
        assert_eq!(number("No Sensor"), None);
        assert_eq!(
            Node::Text(" 24.1\0".into()).number(),
            Some(Measured::parse("24.1"))
        );
    }

    proptest! {
        /// Sketches and bits leave out what cannot be there, and nothing else.
        #[test]
        fn members_are_found_as_if_all_were_compared(
            keys in prop::collection::vec("[aAbB.@`é]{0,3}|[a-zA-Z]{40}", 0..70),
            sought in prop::collection::vec("[aAbB.@`é]{0,3}", 20),
        ) {
            let mut all = BTreeMap::new();
            let mut members = Vec::new();
            for (n, key) in keys.iter().enumerate() {
                let node = Node::Number(n.to_string().into());
                all.insert(key.clone(), node.clone());
                members.push(Member::new(key, node));
            }
            let members = Members::from(members);
            let texts = all.iter().map(|(key, node)| (key.as_str(), node));
            prop_assert!(members.iter().eq(texts));
            for key in sought.iter().chain(&keys) {
                let alike = |(name, _): &(&String, _)| name.eq_ignore_ascii_case(key);
                let expected = all.get(key).or_else(|| all.iter().find(alike).map(|(_, n)| n));
                let found = members.get(&Key::new(key.clone()), &Work::default());
                prop_assert_eq!(found, Ok(expected), "{:?}", key);
            }
        }
    }

    #[test]
    fn looking_for_a_member_costs_as_much_as_is_looked_at() {
        let all = (0..4_000).map(|n| Member::new(format!("k{n:04}"), Node::Null));
        let members = Members::from(all.collect::<Vec<_>>());
        let key = Key::new("k3999".to_owned());
        let work = Work::default();
        let looked = (0..)
            .take_while(|_| members.get(&key, &work).is_ok())
            .count();
        assert!(looked <= crate::MAX_WORK / 2_000, "{looked} times");
    }

    #[test]
    fn json_is_bounded() {
        let deep = format!(
            "{}1{}",
            "[".repeat(MAX_DEPTH + 1),
            "]".repeat(MAX_DEPTH + 1)
        );
        assert_eq!(Node::json(deep.as_bytes()), Err(Unread::TooDeep));
        let deeper = "[".repeat(200_000);
        assert_eq!(Node::json(deeper.as_bytes()), Err(Unread::Malformed));
        let wide = format!("[{}1]", "1,".repeat(MAX_NODES));
        assert_eq!(Node::json(wide.as_bytes()), Err(Unread::TooMany));
        assert_eq!(Node::json(b"{\"a\":"), Err(Unread::Malformed));
        assert_eq!(Node::json(b"\xff"), Err(Unread::Malformed));
    }

    #[test]
    fn forms_are_read_like_json_and_bounded() {
        let form = b"dateutc=2022-05-18+18%3A17%3A37&tempf=74.5&leak=&tempf=74.6\r\n";
        let json = Node::json(br#"{"dateutc":"2022-05-18 18:17:37","tempf":"74.6"}"#);
        assert_eq!(Node::form(form), json);
        assert_eq!(Node::form(b"{\"a\": 1}"), Err(Unread::Malformed));
        assert_eq!(Node::form(b""), Err(Unread::Malformed));
        let many = "a=1&".repeat(MAX_NODES);
        assert_eq!(Node::form(many.as_bytes()), Err(Unread::TooMany));
    }

    #[test]
    fn cbor_is_read_like_json_and_bounded() {
        // {"t": 21.5 as half, 1: [true, -5]}
        let payload = [0xa2, 0x61, 0x74, 0xf9, 0x4d, 0x60, 0x01, 0x82, 0xf5, 0x24];
        let json = Node::json(br#"{"t":21.5,"1":[true,-5]}"#);
        assert_eq!(Node::cbor(&payload), json);
        assert!(Node::cbor(&[0x81; 4_000]).is_err());
        assert!(Node::cbor(&[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).is_err());
        assert!(Node::cbor(b"").is_err());
    }
}
