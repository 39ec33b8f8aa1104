//! The MAC id of a controller: its name in topics, its user name at the endpoint, its key in the records.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// How many hex digits a MAC has.
const DIGITS: usize = 12;

/// Twelve upper-case hex digits. There is one spelling per controller, so equality is identity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mac([u8; DIGITS]);

/// The text is not a MAC.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is not a MAC: expected 12 hex digits, or six pairs separated by ':' or '-'")]
pub struct BadMac(String);

impl Mac {
    /// Reads twelve hex digits, or six pairs with ':' or '-' between them (one kind throughout), in either case.
    ///
    /// # Errors
    /// When the text is anything else.
    ///
    /// ```
    /// use harit_protocol::Mac;
    /// assert_eq!(Mac::parse("a4:cf:12:0b:9e:01")?.as_str(), "A4CF120B9E01");
    /// assert!(Mac::parse("a4:cf:12:0b:9e").is_err());
    /// # Ok::<(), harit_protocol::BadMac>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, BadMac> {
        Self::read(text.as_bytes()).ok_or_else(|| BadMac(text.chars().take(32).collect()))
    }

    fn read(text: &[u8]) -> Option<Self> {
        let mut digits = [0; DIGITS];
        match text.len() {
            DIGITS => digits.copy_from_slice(text),
            17 => {
                let separator = text[2];
                if separator != b':' && separator != b'-' {
                    return None;
                }
                for (pair, chunk) in digits.chunks_exact_mut(2).zip(text.chunks(3)) {
                    if chunk.len() == 3 && chunk[2] != separator {
                        return None;
                    }
                    pair.copy_from_slice(&chunk[..2]);
                }
            }
            _ => return None,
        }
        for digit in &mut digits {
            if !digit.is_ascii_hexdigit() {
                return None;
            }
            digit.make_ascii_uppercase();
        }
        Some(Self(digits))
    }

    /// The twelve digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // The digits are ASCII by construction; the fallback is never reached.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mac({self})")
    }
}

impl Serialize for Mac {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Mac {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(d)?;
        Self::parse(&text).map_err(D::Error::custom)
    }
}

impl FromStr for Mac {
    type Err = BadMac;

    fn from_str(text: &str) -> Result<Self, BadMac> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_are_one_mac() {
        for text in [
            "A4CF120B9E01",
            "a4cf120b9e01",
            "A4:CF:12:0B:9E:01",
            "a4-cf-12-0b-9e-01",
            "a4:CF:12:0b:9E:01",
        ] {
            assert_eq!(
                Mac::parse(text).unwrap().to_string(),
                "A4CF120B9E01",
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_mac() {
        for text in [
            "",
            "A4CF120B9E0",
            "A4CF120B9E011",
            "A4CF120B9E0G",
            "A4:CF:12:0B:9E-01",
            "A4.CF.12.0B.9E.01",
            "A4CF:120B:9E01",
            "A4CF12+#/E01",
            ":A4CF:12:0B:9E:1",
            "A4:CF:12:0B:9E:0é",
            "éééééé",
        ] {
            let refused = Mac::parse(text).unwrap_err().to_string();
            assert!(refused.contains("is not a MAC"), "{text}: {refused}");
        }
    }
}
