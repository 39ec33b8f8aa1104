//! The profile document, as it is written: TOML in files, JSON over the API.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::MAX_DOCUMENT_BYTES;
use crate::control::ControlDocument;

/// What is wrong with a document, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{path}: {message}")]
pub struct Problem {
    /// Where, as `messages[0].readings[1].unit`.
    pub path: String,
    /// What, in lower case, with the value and the limit.
    pub message: String,
}

/// What is wrong at a place that the caller knows.
#[derive(Debug)]
pub(crate) struct Fault(pub(crate) String);

pub(crate) const fn fault<T>(message: String) -> Result<T, Fault> {
    Err(Fault(message))
}

/// A profile: what the messages of a system say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileDocument {
    /// Its id: lower-case letters, digits and hyphens.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Where its system documents what it says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The readings of all its messages that list none of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<ReadingDocument>,
    /// Its kinds of messages; the first whose topic matches reads.
    pub messages: Vec<MessageDocument>,
    /// Which of the devices that its messages tell of are the farm's, and how they are commanded; the first whose id matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<ControlDocument>,
}

/// How a payload is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PayloadKind {
    /// JSON.
    #[default]
    Json,
    /// A number or a word alone.
    Text,
    /// Lines of `InfluxDB`'s protocol.
    Line,
    /// Sparkplug B.
    Sparkplug,
    /// CBOR.
    Cbor,
    /// A form's fields, as browsers and weather stations send them (`application/x-www-form-urlencoded`).
    Form,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// A kind of message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageDocument {
    /// Its topics, with captures: `tele/{dev}/SENSOR`.
    pub topics: Vec<String>,
    /// How its payload is written.
    #[serde(default)]
    pub payload: PayloadKind,
    /// Where readings stand; the first place that is there counts. The whole payload where none is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
    /// Where what names the thing stands, where the topic does not: from the root with `/` before it, else where readings are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub id: Vec<String>,
    /// What ids begin with, where topics capture nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thing: Option<String>,
    /// Whether it only adds: what other profiles read of its topics is read too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub adds: bool,
    /// Its readings; none are those of the profile. An empty list reads nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readings: Option<Vec<ReadingDocument>>,
    /// When its values were true; none is the arrival.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeDocument>,
    /// Where it says whether the controller can be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub online: Option<StateDocument>,
    /// Where it says whether devices are on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<StateDocument>,
    /// How often its things say it, in seconds, 60 to 86,400: what they measure is too old after two and a half times as long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_every_sec: Option<u32>,
    /// Where it says what something is that announces itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announces: Option<AnnounceDocument>,
}

/// A reading, or several that are named alike.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadingDocument {
    /// Where its value stands, from where the message's readings are; the first of these that is there. One key may have `*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<String>,
    /// What it measures.
    #[serde(rename = "type")]
    pub sensor_type: String,
    /// The unit of the number; none is the type's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Where the unit stands: from the payload's root with `/` before it, else beside the value. `unit` where it is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit_at: Option<String>,
    /// Two points (number, value in the type's unit), between and beyond which the value lies on a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<[[Number; 2]; 2]>,
    /// The numbers that count, from the least to the greatest, before any conversion; others are another reading's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<[Number; 2]>,
    /// What words stand for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Number>,
    /// Words and numbers in place of a value where there is none. The sensor's last one goes on until it expires.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<Number>,
    /// What captures of the topic have to be, with `*`; of each one word of the list.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub when: BTreeMap<String, Vec<String>>,
    /// What the key that `within` took with `*` has to be, with `*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// What that key must not be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
}

/// A number or a word, as its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "String")]
pub struct Number(pub String);

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Whole(i64),
    Decimal(f64),
    Text(String),
}

impl From<Written> for Number {
    fn from(written: Written) -> Self {
        Self(match written {
            Written::Whole(n) => n.to_string(),
            Written::Decimal(n) => n.to_string(),
            Written::Text(text) => text,
        })
    }
}

impl From<Number> for String {
    fn from(number: Number) -> Self {
        number.0
    }
}

/// How an instant is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeKind {
    /// Seconds since 1970.
    S,
    /// Milliseconds since 1970.
    Ms,
    /// Microseconds since 1970.
    Us,
    /// Nanoseconds since 1970.
    Ns,
    /// RFC 3339. Without an offset it is no instant, and the arrival counts.
    Rfc3339,
    /// Date and time of day in UTC, without an offset: `2026-01-05 06:30:00`.
    Utc,
}

/// When values were true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeDocument {
    /// Where it stands: from the payload's root with `/` before it, else where the readings are.
    pub at: String,
    /// How it is written.
    #[serde(rename = "as")]
    pub kind: TimeKind,
}

/// Something that is so or not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateDocument {
    /// Where it stands, from the payload's root; the whole payload where it is empty.
    #[serde(default)]
    pub at: String,
    /// The words for yes. Case does not matter.
    pub on: Vec<String>,
    /// The words for no.
    pub off: Vec<String>,
}

/// What something announces of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnnounceDocument {
    /// Where the word for what it measures stands; one without it is a device.
    pub at: String,
    /// What the words are called here; nothing for one that is not listed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub types: BTreeMap<String, String>,
    /// Whether one without such a word is a device.
    #[serde(default)]
    pub device: bool,
}

impl ProfileDocument {
    /// Reads a document that is written in TOML.
    ///
    /// # Errors
    /// When it is longer than [`MAX_DOCUMENT_BYTES`], no TOML, or has other fields.
    pub fn from_toml(text: &str) -> Result<Self, Problem> {
        check_length(text)?;
        let document = toml::Deserializer::parse(text).map_err(|e| problem("", e.message()))?;
        serde_path_to_error::deserialize(document)
            .map_err(|e| problem(&e.path().to_string(), e.inner().message()))
    }

    /// Reads a document that is written in JSON.
    ///
    /// # Errors
    /// When it is longer than [`MAX_DOCUMENT_BYTES`], no JSON, or has other fields.
    pub fn from_json(text: &str) -> Result<Self, Problem> {
        check_length(text)?;
        let mut document = serde_json::Deserializer::from_str(text);
        serde_path_to_error::deserialize(&mut document)
            .map_err(|e| problem(&e.path().to_string(), &e.inner().to_string()))
    }

    /// The document in TOML.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).unwrap_or_default()
    }
}

fn check_length(text: &str) -> Result<(), Problem> {
    if text.len() > MAX_DOCUMENT_BYTES {
        let length = text.len();
        return Err(problem(
            "",
            &format!("{length} bytes; at most {MAX_DOCUMENT_BYTES} are possible"),
        ));
    }
    Ok(())
}

pub(crate) fn problem(path: &str, message: &str) -> Problem {
    Problem {
        path: path.to_owned(),
        message: message.to_owned(),
    }
}
