//! Telemetry as Harit's own JSON, one message or an array of them. Ordinary ones go the short way, in [`super::scan`].

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use harit_engine::{Decimal, Measured};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Item, Message, Telemetry, Time, TypeWord};
use crate::{MAX_NESTING, MAX_SENSORS, Reject, canonical, sensor_type};

/// What was read so far.
#[derive(Default)]
struct Reader<'a> {
    read: Telemetry<'a>,
    /// Why reading stopped, where the JSON itself was good.
    stopped: Option<Reject>,
}

/// Reads whatever JSON it is.
pub(super) fn read(text: &str) -> Result<Telemetry<'_>, Reject> {
    let mut all = Reader::default();
    let mut json = serde_json::Deserializer::from_str(text);
    let read = Top { all: &mut all }.deserialize(&mut json);
    if let Some(reject) = all.stopped {
        return Err(reject);
    }
    read.and_then(|()| json.end())
        .map_err(|_| Reject::Malformed)?;
    Ok(all.read)
}

impl Reader<'_> {
    fn stop<E: Error>(&mut self, reject: Reject) -> E {
        self.stopped = Some(reject);
        E::custom(reject.as_str())
    }
}

macro_rules! expecting {
    ($what:literal) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str($what)
        }
    };
}

/// A message, or an array of messages.
struct Top<'t, 'a> {
    all: &'t mut Reader<'a>,
}

impl<'a> DeserializeSeed<'a> for Top<'_, 'a> {
    type Value = ();
    fn deserialize<D: Deserializer<'a>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Top<'_, 'a> {
    type Value = ();
    expecting!("a telemetry message or an array of them");

    fn visit_map<A: MapAccess<'a>>(self, map: A) -> Result<(), A::Error> {
        OneMessage {
            all: self.all,
            depth: 1,
        }
        .visit_map(map)
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq
            .next_element_seed(OneMessage {
                all: self.all,
                depth: 2,
            })?
            .is_some()
        {}
        Ok(())
    }
}

struct OneMessage<'t, 'a> {
    all: &'t mut Reader<'a>,
    depth: usize,
}

impl<'a> DeserializeSeed<'a> for OneMessage<'_, 'a> {
    type Value = ();
    fn deserialize<D: Deserializer<'a>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_map(self)
    }
}

/// The keys of messages and entries.
enum Key {
    Ts,
    Seq,
    Sensors,
    Id,
    Type,
    Unit,
    LatestValue,
    Other,
}

struct KeySeed;

impl<'a> DeserializeSeed<'a> for KeySeed {
    type Value = Key;
    fn deserialize<D: Deserializer<'a>>(self, d: D) -> Result<Key, D::Error> {
        d.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed {
    type Value = Key;
    expecting!("a key");
    fn visit_str<E>(self, key: &str) -> Result<Key, E> {
        Ok(match key {
            "ts" => Key::Ts,
            "seq" => Key::Seq,
            "sensors" => Key::Sensors,
            "id" => Key::Id,
            "type" => Key::Type,
            "unit" => Key::Unit,
            "latestValue" => Key::LatestValue,
            _ => Key::Other,
        })
    }
}

impl<'a> Visitor<'a> for OneMessage<'_, 'a> {
    type Value = ();
    expecting!("a telemetry message");

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { all, depth } = self;
        let from = all.read.items.len();
        let (mut ts, mut seq, mut sensors) = (None, None, false);
        while let Some(key) = map.next_key_seed(KeySeed)? {
            match key {
                Key::Ts => ts = map.next_value()?,
                Key::Seq => seq = map.next_value()?,
                // Twice the same key would join two lists: that is no message.
                Key::Sensors if sensors => return Err(A::Error::duplicate_field("sensors")),
                Key::Sensors => {
                    sensors = true;
                    map.next_value_seed(Entries {
                        all,
                        depth: depth + 1,
                    })?;
                }
                _ => map.next_value_seed(Skip { all, depth })?,
            }
        }
        if !sensors {
            return Err(A::Error::missing_field("sensors"));
        }
        let items = from..all.read.items.len();
        all.read.messages.push(Message {
            time: ts.map(Time::At),
            seq,
            items,
        });
        Ok(())
    }
}

struct Entries<'t, 'a> {
    all: &'t mut Reader<'a>,
    depth: usize,
}

impl<'a> DeserializeSeed<'a> for Entries<'_, 'a> {
    type Value = ();
    fn deserialize<D: Deserializer<'a>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_seq(self)
    }
}

impl<'a> Visitor<'a> for Entries<'_, 'a> {
    type Value = ();
    expecting!("a list of sensors");

    fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<(), A::Error> {
        let first = self.all.read.items.len();
        while seq
            .next_element_seed(Entry {
                all: self.all,
                depth: self.depth + 1,
            })?
            .is_some()
        {
            if self.all.read.items.len() - first > MAX_SENSORS {
                return Err(self.all.stop(Reject::TooManySensors));
            }
        }
        Ok(())
    }
}

struct Entry<'t, 'a> {
    all: &'t mut Reader<'a>,
    depth: usize,
}

impl<'a> DeserializeSeed<'a> for Entry<'_, 'a> {
    type Value = ();
    fn deserialize<D: Deserializer<'a>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for Entry<'_, 'a> {
    type Value = ();
    expecting!("a sensor");

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { all, depth } = self;
        let mut item = Item {
            id: None,
            sensor_type: TypeWord::Missing,
            unit: None,
            value: Measured::Null,
        };
        while let Some(key) = map.next_key_seed(KeySeed)? {
            match key {
                Key::Id => item.id = map.next_value_seed(Text)?,
                Key::Type => item.sensor_type = map.next_value_seed(TypeSeed)?,
                Key::Unit => item.unit = map.next_value_seed(Text)?,
                Key::LatestValue => {
                    let raw: &'a RawValue = map.next_value()?;
                    let (value, is_number) = value_of(raw.get());
                    item.value = value;
                    all.read.not_numbers += usize::from(!is_number);
                }
                _ => map.next_value_seed(Skip { all, depth })?,
            }
        }
        all.read.items.push(item);
        Ok(())
    }
}

/// Reads a value, a number as text too, and tells whether it was one. Null, and the words for what is not finite, are no numbers
/// that anybody has to be told of.
fn value_of(raw: &str) -> (Measured, bool) {
    let text = raw.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    let value = match text {
        None => Measured::parse(raw),
        Some(text) => match text.trim_ascii() {
            "" => Measured::Null,
            text => Decimal::parse(text).map_or(Measured::NotFinite, Measured::Value),
        },
    };
    let is_said = |text: &str| {
        let word = text.trim_ascii().trim_start_matches(['-', '+']);
        ["nan", "inf", "infinity"]
            .iter()
            .any(|w| word.eq_ignore_ascii_case(w))
    };
    let is_number = value != Measured::NotFinite || text.is_some_and(is_said);
    (canonical(value), is_number)
}

/// Text or null, borrowed where it has no escapes.
struct Text;

impl<'a> DeserializeSeed<'a> for Text {
    type Value = Option<Cow<'a, str>>;
    fn deserialize<D: Deserializer<'a>>(self, d: D) -> Result<Self::Value, D::Error> {
        d.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Text {
    type Value = Option<Cow<'a, str>>;
    expecting!("text or null");
    fn visit_borrowed_str<E>(self, s: &'a str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(s)))
    }
    fn visit_str<E>(self, s: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(s.to_owned())))
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}

struct TypeSeed;

impl<'a> DeserializeSeed<'a> for TypeSeed {
    type Value = TypeWord;
    fn deserialize<D: Deserializer<'a>>(self, d: D) -> Result<TypeWord, D::Error> {
        d.deserialize_any(self)
    }
}

impl Visitor<'_> for TypeSeed {
    type Value = TypeWord;
    expecting!("a sensor type or null");
    fn visit_str<E>(self, word: &str) -> Result<TypeWord, E> {
        Ok(sensor_type(word).map_or(TypeWord::Unknown, TypeWord::Known))
    }
    fn visit_unit<E>(self) -> Result<TypeWord, E> {
        Ok(TypeWord::Missing)
    }
}

/// Passes over a value of an unknown field, however large, but not however deep.
struct Skip<'t, 'a> {
    all: &'t mut Reader<'a>,
    depth: usize,
}

impl<'a> DeserializeSeed<'a> for Skip<'_, 'a> {
    type Value = ();
    fn deserialize<D: Deserializer<'a>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Skip<'_, 'a> {
    type Value = ();
    expecting!("anything");
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'a>>(self, mut seq: A) -> Result<(), A::Error> {
        let depth = self.depth + 1;
        if depth > MAX_NESTING {
            return Err(self.all.stop(Reject::TooDeep));
        }
        while seq
            .next_element_seed(Skip {
                all: self.all,
                depth,
            })?
            .is_some()
        {}
        Ok(())
    }
    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let depth = self.depth + 1;
        if depth > MAX_NESTING {
            return Err(self.all.stop(Reject::TooDeep));
        }
        while map.next_key::<IgnoredAny>()?.is_some() {
            map.next_value_seed(Skip {
                all: self.all,
                depth,
            })?;
        }
        Ok(())
    }
}
