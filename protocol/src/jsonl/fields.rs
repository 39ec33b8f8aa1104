//! The fields of a line, not yet looked into.

use std::borrow::Cow;

use harit_engine::{Owner, Problems};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::LineError;

/// A line as JSON. What only controllers' lines have is read when it is needed: elsewhere it is an unknown field, whatever
/// it is.
#[derive(Deserialize)]
pub(super) struct Fields<'a> {
    pub(super) at: i64,
    #[serde(borrow)]
    pub(super) input: Cow<'a, str>,
    #[serde(default, borrow)]
    pub(super) sensor: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "present")]
    pub(super) value: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) device: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub(super) cmd_type: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub(super) action: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub(super) duration_sec: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) admin: Option<bool>,
    #[serde(default)]
    pub(super) owner: Option<Owner>,
    #[serde(default)]
    pub(super) online: Option<bool>,
    #[serde(default, borrow, deserialize_with = "present")]
    pub(super) lock: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) lock_kind: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub(super) lock_user: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub(super) scope: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) safety: Option<bool>,
    #[serde(default, borrow, deserialize_with = "present")]
    pub(super) running: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) days: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) rule: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) alert: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) delete: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub(super) changes: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) mac: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) ts: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) backlog: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) seq: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) crc: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) sensors: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) report: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) command: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) status: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) message: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) commands: Option<&'a RawValue>,
}

impl<'a> Fields<'a> {
    pub(super) fn read(line: &'a str) -> Result<Self, LineError> {
        if is_list(line) {
            // serde would read a list as an object's fields in order.
            return Err(LineError::Json(serde::de::Error::custom(
                "expected an object, found a list",
            )));
        }
        Ok(serde_json::from_str(line)?)
    }
}

/// Keeps null apart from absent.
pub(super) fn present<'de, D: Deserializer<'de>>(d: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(d).map(Some)
}

fn is_list(json: &str) -> bool {
    json.trim_ascii_start().starts_with('[')
}

pub(super) fn need<T>(
    kind: &'static str,
    field: &'static str,
    value: Option<T>,
) -> Result<T, LineError> {
    value.ok_or(LineError::Missing { kind, field })
}

/// The value of a field.
pub(super) fn field<'a, T: Deserialize<'a>>(
    field: &'static str,
    raw: &'a RawValue,
) -> Result<T, LineError> {
    serde_json::from_str(raw.get()).map_err(|source| LineError::Field { field, source })
}

/// The value of a field that is an object.
pub(super) fn object<'a, T: Deserialize<'a>>(
    name: &'static str,
    raw: &'a RawValue,
) -> Result<T, LineError> {
    if is_list(raw.get()) {
        let source = serde::de::Error::custom("expected an object, found a list");
        return Err(LineError::Field {
            field: name,
            source,
        });
    }
    field(name, raw)
}

pub(super) fn document<T>(
    field: &'static str,
    raw: &RawValue,
    read: impl FnOnce(&serde_json::Value) -> Result<T, Problems>,
) -> Result<T, LineError> {
    let value = serde_json::from_str(raw.get())?;
    read(&value).map_err(|problems| LineError::Document { field, problems })
}

/// The beginning of what stands in a field, for people.
pub(super) fn excerpt(raw: &RawValue) -> String {
    raw.get().chars().take(40).collect()
}
