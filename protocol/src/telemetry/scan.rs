//! The short way through a telemetry message: a scanner that knows what such messages look like.
//!
//! It reads what controllers ordinarily send, in one pass and without a general JSON parser. Whatever is in any way out of
//! the ordinary (arrays, unknown keys, escapes, exponents, nulls where text is expected, anything malformed) it leaves to
//! the long way in [`super::json`], which alone decides what is refused and why. What it does read, it reads as the
//! long way does: a property test compares the two.

use std::borrow::Cow;

use harit_engine::{Measured, Quantity};

use super::{Item, Message, Telemetry, Time, TypeWord};
use crate::{MAX_SENSORS, canonical, sensor_type};

/// The digits that a number may have before the point (a larger one is clamped, on the long way) and after it, exactly.
const MAX_UNIT_DIGITS: usize = 9;
const MICRO_DIGITS: usize = 6;
/// The digits that an integer may have.
const MAX_INTEGER_DIGITS: usize = 18;
/// About as long as the shortest entry that has an id and a value; only a guess of how many there are.
const ENTRY_BYTES: usize = 48;

/// Reads an ordinary message; none where it is not one.
pub(super) fn scan(text: &str) -> Option<Telemetry<'_>> {
    let mut s = Scanner { text, at: 0 };
    let mut items = Vec::with_capacity(text.len() / ENTRY_BYTES + 1);
    let (mut ts, mut seq, mut sensors) = (None, None, false);
    s.space();
    s.byte(b'{')?;
    loop {
        s.space();
        match s.key()? {
            "ts" if ts.is_none() => ts = Some(s.integer()?),
            "seq" if seq.is_none() => seq = Some(u64::try_from(s.integer()?).ok()?),
            "sensors" if !sensors => {
                sensors = true;
                s.entries(&mut items)?;
            }
            _ => return None,
        }
        if !s.goes_on(b'}')? {
            break;
        }
    }
    s.space();
    if s.at < text.len() || !sensors {
        return None;
    }
    let message = Message {
        time: ts.map(Time::At),
        seq,
        items: 0..items.len(),
    };
    Some(Telemetry {
        messages: vec![message],
        items,
        not_numbers: 0,
    })
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn byte(&mut self, wanted: u8) -> Option<()> {
        (self.peek()? == wanted).then(|| self.at += 1)
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// A comma, and it goes on; or the end.
    fn goes_on(&mut self, end: u8) -> Option<bool> {
        self.space();
        let b = self.peek()?;
        self.at += 1;
        match b {
            b',' => Some(true),
            _ if b == end => Some(false),
            _ => None,
        }
    }

    /// A text without escapes.
    fn string(&mut self) -> Option<&'a str> {
        self.byte(b'"')?;
        let from = self.at;
        let rest = self.text.as_bytes().get(from..)?;
        let end = rest
            .iter()
            .position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f))?;
        self.at = from + end;
        self.byte(b'"')?;
        self.text.get(from..from + end)
    }

    /// A key, with its colon and the space after it.
    fn key(&mut self) -> Option<&'a str> {
        let key = self.string()?;
        self.space();
        self.byte(b':')?;
        self.space();
        Some(key)
    }

    /// Digits; their value and how many they are.
    fn digits(&mut self, most: usize) -> Option<(i64, usize)> {
        let (from, mut value) = (self.at, 0_i64);
        while let Some(b @ b'0'..=b'9') = self.peek() {
            if self.at - from == most {
                return None;
            }
            value = value * 10 + i64::from(b - b'0');
            self.at += 1;
        }
        (self.at > from).then_some((value, self.at - from))
    }

    /// The part of a number before its point: no leading zeros.
    fn whole(&mut self, most: usize) -> Option<(bool, i64)> {
        let negative = self.byte(b'-').is_some();
        let from = self.at;
        let (value, digits) = self.digits(most)?;
        let leading_zero = digits > 1 && self.text.as_bytes().get(from) == Some(&b'0');
        (!leading_zero).then_some((negative, value))
    }

    fn integer(&mut self) -> Option<i64> {
        let (negative, value) = self.whole(MAX_INTEGER_DIGITS)?;
        // With a point or an exponent it is none; what may follow an integer is looked at by the caller. "-0" is a float.
        match (negative, value) {
            (true, 0) => None,
            (true, value) => Some(-value),
            (false, value) => Some(value),
        }
    }

    fn value(&mut self) -> Option<Measured> {
        if self.peek()? == b'n' {
            let null = self.text.as_bytes().get(self.at..)?.starts_with(b"null");
            self.at += 4;
            return null.then_some(Measured::Null);
        }
        let from = self.at;
        let (negative, units) = self.whole(MAX_UNIT_DIGITS)?;
        let mut micro = units * 1_000_000;
        if self.byte(b'.').is_some() {
            let first = self.at;
            while let Some(b'0'..=b'9') = self.peek() {
                self.at += 1;
            }
            let digits = self.at - first;
            if digits == 0 {
                return None;
            }
            if digits > MICRO_DIGITS {
                let text = self.text.get(from..self.at)?;
                return Some(canonical(Measured::parse(text)));
            }
            let mut part = 0;
            for b in self.text.as_bytes().get(first..self.at)? {
                part = part * 10 + i64::from(b - b'0');
            }
            for _ in digits..MICRO_DIGITS {
                part *= 10;
            }
            micro += part;
        }
        let micro = if negative { -micro } else { micro };
        // An exponent that follows is refused by the caller, which expects a comma or an end.
        Some(Measured::exact(Quantity::from_micro(micro)))
    }

    fn entries(&mut self, items: &mut Vec<Item<'a>>) -> Option<()> {
        self.byte(b'[')?;
        self.space();
        if self.byte(b']').is_some() {
            return Some(());
        }
        loop {
            self.space();
            items.push(self.entry()?);
            if items.len() > MAX_SENSORS {
                return None;
            }
            if !self.goes_on(b']')? {
                return Some(());
            }
        }
    }

    fn entry(&mut self) -> Option<Item<'a>> {
        let mut item = Item {
            id: None,
            sensor_type: TypeWord::Missing,
            unit: None,
            value: Measured::Null,
        };
        self.byte(b'{')?;
        loop {
            self.space();
            match self.key()? {
                "id" => item.id = Some(Cow::Borrowed(self.string()?)),
                "type" => item.sensor_type = type_word(self.string()?),
                "unit" => item.unit = Some(Cow::Borrowed(self.string()?)),
                "latestValue" => item.value = self.value()?,
                _ => return None,
            }
            if !self.goes_on(b'}')? {
                return Some(item);
            }
        }
    }
}

fn type_word(word: &str) -> TypeWord {
    sensor_type(word).map_or(TypeWord::Unknown, TypeWord::Known)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::json;
    use super::*;

    /// What the scanner takes, the long way takes, and reads alike.
    fn agree(text: &str) -> bool {
        let Some(scanned) = scan(text) else {
            return false;
        };
        assert_eq!(Ok(scanned), json::read(text), "{text}");
        true
    }

    #[test]
    fn what_controllers_send_goes_the_short_way() {
        for text in [
            r#"{"sensors":[]}"#,
            r#"{"ts":1700000000000,"seq":7,"sensors":[{"id":"t1","type":"temperature","unit":"°C","latestValue":27.4}]}"#,
            " {\n\t\"sensors\" : [ { \"latestValue\" : -0.000001 , \"type\" : \"pH\" } , { \"id\" : \"a\" } ] , \"seq\":0 } \r\n",
            r#"{"sensors":[{"id":"a","latestValue":null},{"latestValue":27.39999961},{"latestValue":-40},{"latestValue":-0.0}]}"#,
            r#"{"sensors":[{"latestValue":100.0000001},{"latestValue":0},{"latestValue":999999999.999999},{"type":"x"}]}"#,
            r#"{"sensors":[{"id":"a","id":"b","unit":"","type":"EC"}],"ts":-5}"#,
        ] {
            assert!(agree(text), "{text}");
        }
    }

    #[test]
    fn everything_else_goes_the_long_way() {
        for text in [
            "",
            "{}",
            "[]",
            r#"{"sensors":[],}"#,
            r#"{"sensors":[]} x"#,
            r#"{"sensors":[{}]}"#,
            r#"{"sensors":[{"id":null}]}"#,
            r#"{"sensors":[{"id":"\u0041"}]}"#,
            r#"{"sensors":[{"latestValue":01}]}"#,
            r#"{"sensors":[{"latestValue":1.}]}"#,
            r#"{"sensors":[{"latestValue":1e3}]}"#,
            r#"{"sensors":[{"latestValue":+1}]}"#,
            r#"{"sensors":[{"latestValue":1000000000}]}"#,
            r#"{"sensors":[{"latestValue":"1"}]}"#,
            r#"{"sensors":[{"latestValue":nul"#,
            r#"{"ts":-0,"sensors":[]}"#,
            r#"{"ts":1.0,"sensors":[]}"#,
            r#"{"ts":1,"ts":2,"sensors":[]}"#,
            r#"{"seq":-1,"sensors":[]}"#,
            r#"{"sensors":[],"sensors":[]}"#,
            r#"{"sensors":[],"more":1}"#,
        ] {
            assert!(!agree(text), "{text}");
        }
        let many = |n: usize| {
            let entries = vec![r#"{"id":"a"}"#; n].join(",");
            format!(r#"{{"sensors":[{entries}]}}"#)
        };
        assert!(agree(&many(MAX_SENSORS)));
        assert!(!agree(&many(MAX_SENSORS + 1)));
    }

    fn number() -> impl Strategy<Value = String> {
        prop_oneof![
            6 => "-?(0|[1-9][0-9]{0,13})(\\.[0-9]{1,9})?",
            1 => "-?[0-9]{0,3}\\.?[0-9]{0,3}([eE][+-]?[0-9]{1,3})?",
            1 => Just("null".to_owned()),
            1 => Just("\"NaN\"".to_owned()),
        ]
    }

    fn string() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "[a-z0-9/_-]{0,10}",
            1 => "°C|%|mS/cm|pH|\\\\n|\\\\u00e9|é",
            2 => "temperature|humidity|soil_moisture|ph|ec|EC|reservoir_level|light_intensity|co2_level",
        ]
        .prop_map(|s| format!("\"{s}\""))
    }

    fn space() -> impl Strategy<Value = &'static str> {
        prop_oneof![8 => Just(""), 1 => Just(" "), 1 => Just("\n\t ")]
    }

    fn entry() -> impl Strategy<Value = String> {
        let field = prop_oneof![
            (Just("id"), string()),
            (Just("type"), string()),
            (Just("unit"), string()),
            (Just("latestValue"), number()),
        ];
        let field =
            (field, space(), space()).prop_map(|((k, v), a, b)| format!("{a}\"{k}\":{b}{v}"));
        proptest::collection::vec(field, 1..5).prop_map(|f| format!("{{{}}}", f.join(",")))
    }

    fn message() -> impl Strategy<Value = String> {
        let entries =
            proptest::collection::vec(entry(), 0..4).prop_map(|e| format!("[{}]", e.join(",")));
        let field = prop_oneof![
            1 => (Just("ts"), "-?[0-9]{1,20}"),
            1 => (Just("seq"), "[0-9]{1,20}"),
            6 => (Just("sensors"), entries),
        ];
        let field = (field, space()).prop_map(|((k, v), a)| format!("\"{k}\"{a}:{a}{v}{a}"));
        proptest::collection::vec(field, 1..4).prop_map(|f| format!("{{{}}}", f.join(",")))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn the_short_way_is_the_long_way(text in message(), cuts in proptest::collection::vec((0_usize..200, 0x20_u8..0x7f), 0..3)) {
            agree(&text);
            let mut bytes = text.into_bytes();
            for (at, byte) in cuts {
                if let Some(b) = bytes.get_mut(at) {
                    *b = byte;
                }
            }
            if let Ok(text) = std::str::from_utf8(&bytes) {
                agree(text);
            }
        }
    }
}
