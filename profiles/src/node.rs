//! A payload as a tree, whatever it was written in. Numbers stay the decimal text that they were.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ciborium::value::Value as Cbor;
use harit_engine::{Decimal, Measured};
use serde_json::value::RawValue;

use crate::pattern::{Pointer, glob};
use crate::work::Work;
use crate::{MAX_DEPTH, MAX_NODES, Unread};

/// Significant digits that a single-precision float can have of its own.
const FLOAT_DIGITS: usize = 9;

/// A value, a list or an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    /// Its decimal text.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Map(BTreeMap<String, Node>),
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

impl Node {
    /// Reads JSON.
    pub(crate) fn json(payload: &[u8]) -> Result<Self, Unread> {
        let text = std::str::from_utf8(payload).map_err(|_| Unread::Malformed)?;
        let raw: &RawValue =
            serde_json::from_str(text.trim_end_matches('\0')).map_err(|_| Unread::Malformed)?;
        Self::of_json(raw, &mut Budget(MAX_NODES), 0)
    }

    fn of_json(raw: &RawValue, budget: &mut Budget, depth: usize) -> Result<Self, Unread> {
        budget.take(depth)?;
        let text = raw.get();
        let malformed = |_| Unread::Malformed;
        Ok(match text.as_bytes().first() {
            Some(b'{') => {
                let members: BTreeMap<Cow<'_, str>, &RawValue> =
                    serde_json::from_str(text).map_err(malformed)?;
                let members = members.into_iter().map(|(key, raw)| {
                    Ok((key.into_owned(), Self::of_json(raw, budget, depth + 1)?))
                });
                Self::Map(members.collect::<Result<_, _>>()?)
            }
            Some(b'[') => {
                let all: Vec<&RawValue> = serde_json::from_str(text).map_err(malformed)?;
                let all = all
                    .into_iter()
                    .map(|raw| Self::of_json(raw, budget, depth + 1));
                Self::List(all.collect::<Result<_, _>>()?)
            }
            Some(b'"') => Self::Text(serde_json::from_str(text).map_err(malformed)?),
            Some(b't') => Self::Bool(true),
            Some(b'f') => Self::Bool(false),
            Some(b'n') => Self::Null,
            _ => Self::Number(text.to_owned()),
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
            Cbor::Integer(n) => Self::Number(i128::from(n).to_string()),
            Cbor::Float(f) => Self::float(f),
            Cbor::Text(text) => Self::Text(text),
            Cbor::Tag(_, inner) => Self::of_cbor(*inner, budget, depth + 1)?,
            Cbor::Array(all) => {
                let all = all.into_iter().map(|v| Self::of_cbor(v, budget, depth + 1));
                Self::List(all.collect::<Result<_, _>>()?)
            }
            Cbor::Map(all) => {
                let mut members = BTreeMap::new();
                for (key, value) in all {
                    let key = match key {
                        Cbor::Text(key) => key,
                        Cbor::Integer(n) => i128::from(n).to_string(),
                        _ => return Err(Unread::Malformed),
                    };
                    members.insert(key, Self::of_cbor(value, budget, depth + 1)?);
                }
                Self::Map(members)
            }
            _ => Self::Null,
        })
    }

    /// Reads a form. Its values are text; a field that is left empty says nothing, and of fields with one name the last counts.
    pub(crate) fn form(payload: &[u8]) -> Result<Self, Unread> {
        let mut budget = Budget(MAX_NODES);
        budget.take(0)?;
        let mut members = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(payload.trim_ascii()) {
            budget.take(1)?;
            if !value.is_empty() {
                members.insert(name.into_owned(), Self::Text(value.into_owned()));
            }
        }
        // Bytes of every kind are a form of one name without a value.
        if members.is_empty() {
            return Err(Unread::Malformed);
        }
        Ok(Self::Map(members))
    }

    /// A float's shortest decimal text; what is not finite is text.
    pub(crate) fn float(value: f64) -> Self {
        let text = value.to_string();
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
    pub(crate) fn word(&self) -> Cow<'_, str> {
        match self {
            Self::Null => "null".into(),
            Self::Bool(b) => if *b { "true" } else { "false" }.into(),
            Self::Number(text) => text.as_str().into(),
            Self::Text(text) => text
                .trim_matches(|c: char| c.is_whitespace() || c == '\0')
                .into(),
            Self::List(_) | Self::Map(_) => "".into(),
        }
    }

    /// A member by a key without `*`; of a list by its number. Where no key is spelled so, case does not matter.
    fn member(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(all) => all.get(key).or_else(|| {
                let mut all = all.iter();
                all.find(|(k, _)| k.eq_ignore_ascii_case(key))
                    .map(|(_, v)| v)
            }),
            Self::List(all) => all.get(key.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// What stands at the keys from here on, with the keys by which it was reached, in the payload's order of keys.
    pub(crate) fn find<'n>(
        &'n self,
        keys: &[String],
        work: &Work,
        found: &mut Vec<Found<'n>>,
    ) -> Result<(), Unread> {
        self.find_by(keys, work, &mut Vec::new(), found)
    }

    fn find_by<'n>(
        &'n self,
        keys: &[String],
        work: &Work,
        path: &mut Vec<Cow<'n, str>>,
        found: &mut Vec<Found<'n>>,
    ) -> Result<(), Unread> {
        let Some((key, rest)) = keys.split_first() else {
            // a key becomes text of its own
            work.spend(1 + 4 * path.len())?;
            found.push(Found {
                node: self,
                path: path.iter().map(|key| key.clone().into_owned()).collect(),
            });
            return Ok(());
        };
        let mut into = |name: Cow<'n, str>, node: &'n Self| {
            path.push(name);
            let done = node.find_by(rest, work, path, found);
            path.pop();
            done
        };
        match self {
            _ if !key.contains('*') => {
                if let Some(node) = self.member_within(key, work)? {
                    into(Cow::Owned(key.clone()), node)?;
                }
            }
            Self::Map(all) => {
                for (name, node) in all {
                    work.spend(Work::of_glob(key, name))?;
                    if glob(key, name) {
                        into(Cow::Borrowed(name), node)?;
                    }
                }
            }
            Self::List(all) if key == "*" => {
                for (n, node) in all.iter().enumerate() {
                    into(Cow::Owned(n.to_string()), node)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The same as [`Self::member`], at what it costs: where no key is spelled so, all are looked at.
    fn member_within(&self, key: &str, work: &Work) -> Result<Option<&Self>, Unread> {
        let looked_at = match self {
            Self::Map(all) if !all.contains_key(key) => all.len(),
            _ => 0,
        };
        work.spend(2 + looked_at / 2)?;
        Ok(self.member(key))
    }

    /// What stands at a place without `*`.
    pub(crate) fn at(&self, pointer: &Pointer) -> Option<&Self> {
        let mut keys = pointer.keys.iter();
        keys.try_fold(self, |node, key| node.member(key))
    }

    /// The same, at what it costs.
    pub(crate) fn at_within(
        &self,
        pointer: &Pointer,
        work: &Work,
    ) -> Result<Option<&Self>, Unread> {
        let mut here = Some(self);
        for key in &pointer.keys {
            let Some(node) = here else { break };
            here = node.member_within(key, work)?;
        }
        Ok(here)
    }
}

/// A node that was found, and by which keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found<'n> {
    pub(crate) node: &'n Node,
    pub(crate) path: Vec<String>,
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
