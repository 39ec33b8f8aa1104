//! Inputs as text, one JSON object a line: what `harit replay` reads and `harit journal export` writes.
//!
//! `{"at":ms,"input":KIND,...}`, KIND being reading, tick, resumed, manual, stop, correct, device, rule, alert or registry. Unknown fields
//! are ignored, null is the same as absent except where null says something (a reading's value, a lock).

use std::borrow::Cow;
use std::sync::Arc;

use harit_engine::{
    AlertId, AlertSpec, Input, InputKind, Lock, LockKind, Manual, ManualKind, Measured, Owner,
    Problems, Quantity, RegistryChange, RuleId, RuleSpec, ScopeSpec, Status, Stop, StopScope,
    Timestamp,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use thiserror::Error;

/// A line is not an input.
#[derive(Debug, Error)]
pub enum LineError {
    /// Not JSON, or a field of another type.
    #[error("not an input: {0}")]
    Json(#[from] serde_json::Error),
    /// A field that this kind of input needs is not there.
    #[error("{kind} needs {field}")]
    Missing {
        /// The kind of input.
        kind: &'static str,
        /// The field.
        field: &'static str,
    },
    /// A word that is not known.
    #[error("{field} {found:?} is none of {expected}")]
    Word {
        /// The field.
        field: &'static str,
        /// What stands there.
        found: String,
        /// What could.
        expected: &'static str,
    },
    /// A field with a value that it cannot have.
    #[error("{field} {found} is not {expected}")]
    Value {
        /// The field.
        field: &'static str,
        /// What stands there.
        found: String,
        /// What could.
        expected: &'static str,
    },
    /// A rule, an alert or a registry change with problems.
    #[error("{field}: {problems}")]
    Document {
        /// The field.
        field: &'static str,
        /// All its problems.
        problems: Problems,
    },
}

const KINDS: &str = "reading, tick, resumed, manual, stop, device, rule, alert, registry";

#[derive(Deserialize)]
struct Line<'a> {
    at: i64,
    #[serde(borrow)]
    input: Cow<'a, str>,
    #[serde(default, borrow)]
    sensor: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "present")]
    value: Option<&'a RawValue>,
    #[serde(default, borrow)]
    device: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    cmd_type: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    action: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    duration_sec: Option<&'a RawValue>,
    #[serde(default)]
    admin: Option<bool>,
    #[serde(default)]
    owner: Option<Owner>,
    #[serde(default)]
    online: Option<bool>,
    #[serde(default, borrow, deserialize_with = "present")]
    lock: Option<&'a RawValue>,
    #[serde(default, borrow)]
    lock_kind: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    lock_user: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    scope: Option<&'a RawValue>,
    #[serde(default)]
    safety: Option<bool>,
    #[serde(default, borrow)]
    rule: Option<&'a RawValue>,
    #[serde(default, borrow)]
    alert: Option<&'a RawValue>,
    #[serde(default, borrow)]
    delete: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    changes: Option<&'a RawValue>,
}

/// Keeps null apart from absent.
fn present<'de, D: Deserializer<'de>>(d: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(d).map(Some)
}

/// Reads one line.
///
/// # Errors
/// When it is not an input; the message names what is wrong.
///
/// ```
/// use harit_engine::{InputKind, Measured};
/// let input = harit_protocol::jsonl::parse(r#"{"at": 5, "input": "reading", "sensor": "t1", "value": 27.4}"#)?;
/// assert_eq!(input.kind, InputKind::Reading { sensor: "t1".into(), value: Measured::parse("27.4") });
/// # Ok::<(), harit_protocol::jsonl::LineError>(())
/// ```
pub fn parse(line: &str) -> Result<Input, LineError> {
    if line.trim_ascii_start().starts_with('[') {
        // serde would read a list as an object's fields in order.
        return Err(LineError::Json(serde::de::Error::custom(
            "expected an object, found a list",
        )));
    }
    let line: Line<'_> = serde_json::from_str(line)?;
    let kind = match &*line.input {
        "reading" => InputKind::Reading {
            sensor: need("reading", "sensor", line.sensor.as_deref())?.into(),
            value: reading_value(need("reading", "value", line.value)?)?,
        },
        "tick" => InputKind::Tick,
        "resumed" => InputKind::Resumed,
        "manual" => InputKind::Manual(Box::new(manual(&line)?)),
        "stop" => InputKind::Stop(Box::new(Stop {
            scope: match (&line.device, line.scope) {
                (Some(id), None) => StopScope::Device(id.as_ref().into()),
                (None, Some(raw)) => {
                    StopScope::Place(document("scope", raw, ScopeSpec::from_json)?)
                }
                _ => return Err(one_of("stop", "either device or scope")),
            },
            owner: Arc::new(need("stop", "owner", line.owner)?),
        })),
        "correct" => InputKind::Correct(need("correct", "device", line.device.as_deref())?.into()),
        "device" => InputKind::Status {
            device: need("device", "device", line.device.as_deref())?.into(),
            status: Status {
                online: line.online,
                lock: lock(&line)?,
                safety: line.safety,
                owner: line.owner.map(Arc::new),
            },
        },
        "rule" => match (&line.delete, line.rule) {
            (Some(id), None) => InputKind::RuleDelete(RuleId::from(&**id)),
            (None, Some(raw)) => {
                InputKind::RulePut(Box::new(document("rule", raw, RuleSpec::from_json)?))
            }
            _ => return Err(one_of("rule", "either rule or delete")),
        },
        "alert" => match (&line.delete, line.alert) {
            (Some(id), None) => InputKind::AlertDelete(AlertId::from(&**id)),
            (None, Some(raw)) => {
                InputKind::AlertPut(Box::new(document("alert", raw, AlertSpec::from_json)?))
            }
            _ => return Err(one_of("alert", "either alert or delete")),
        },
        "registry" => {
            let raw = need("registry", "changes", line.changes)?;
            InputKind::Registry(serde_json::from_str::<Vec<RegistryChange>>(raw.get())?)
        }
        other => {
            return Err(LineError::Word {
                field: "input",
                found: other.to_owned(),
                expected: KINDS,
            });
        }
    };
    Ok(Input {
        at: Timestamp::from_millis(line.at),
        kind,
    })
}

fn need<T>(kind: &'static str, field: &'static str, value: Option<T>) -> Result<T, LineError> {
    value.ok_or(LineError::Missing { kind, field })
}

const fn one_of(kind: &'static str, field: &'static str) -> LineError {
    LineError::Missing { kind, field }
}

/// A number or null, as it is journaled; text that is no number (`"NaN"`) is a fault, anything else is no reading.
fn reading_value(raw: &RawValue) -> Result<Measured, LineError> {
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'-' | b'0'..=b'9' | b'n') => Ok(crate::canonical(Measured::parse(text))),
        Some(b'"') => Ok(Measured::NotFinite),
        _ => Err(LineError::Value {
            field: "value",
            found: text.chars().take(40).collect(),
            expected: "a number or null",
        }),
    }
}

fn number(field: &'static str, raw: Option<&RawValue>) -> Result<Option<Quantity>, LineError> {
    let Some(raw) = raw else { return Ok(None) };
    match Measured::parse(raw.get()) {
        Measured::Null => Ok(None),
        Measured::Value(d) => Ok(Some(d.rounded())),
        Measured::NotFinite => Err(LineError::Value {
            field,
            found: raw.get().chars().take(40).collect::<String>(),
            expected: "a number",
        }),
    }
}

fn manual(line: &Line<'_>) -> Result<Manual, LineError> {
    let kind = match need("manual", "cmd_type", line.cmd_type.as_deref())? {
        "override" => ManualKind::Override,
        "pulse" => ManualKind::Pulse,
        "release" => ManualKind::Release,
        other => {
            return Err(LineError::Word {
                field: "cmd_type",
                found: other.to_owned(),
                expected: "override, pulse, release",
            });
        }
    };
    // A length that is not whole seconds makes no sense, which the engine says: as a length of zero.
    let duration_sec =
        number("duration_sec", line.duration_sec)?.map(|q| q.as_units().unwrap_or(0));
    Ok(Manual {
        device: need("manual", "device", line.device.as_deref())?.into(),
        kind,
        action: line.action.as_deref().map(Arc::from),
        value: number("value", line.value)?,
        duration_sec,
        admin: line.admin.unwrap_or(false),
        owner: line.owner.clone().map(Arc::new),
    })
}

/// A change of a lock. Without a kind the line is of the first version, which knew one lock.
fn lock(line: &Line<'_>) -> Result<Option<Lock>, LineError> {
    let kind = line.lock_kind.as_deref().map(|word| {
        LockKind::parse(word).ok_or_else(|| LineError::Word {
            field: "lock_kind",
            found: word.to_owned(),
            expected: "controller, person, max_on, keeps_stopping, keeps_starting, stop",
        })
    });
    let kind = kind.transpose()?;
    let raw = match (line.lock, kind) {
        (None, None) => return Ok(None),
        (raw, _) => need("lock_kind", "lock", raw)?,
    };
    let reason = serde_json::from_str::<Option<Arc<str>>>(raw.get())?;
    Ok(Some(match (reason, kind) {
        (Some(reason), Some(kind)) => Lock::Engage { kind, reason },
        (Some(reason), None) => Lock::Replace { reason },
        (None, Some(kind)) => Lock::Open {
            kind,
            user: line.lock_user.as_deref().map(Arc::from),
        },
        (None, None) => Lock::OpenAll,
    }))
}

fn document<T>(
    field: &'static str,
    raw: &RawValue,
    read: impl FnOnce(&serde_json::Value) -> Result<T, Problems>,
) -> Result<T, LineError> {
    let value = serde_json::from_str(raw.get())?;
    read(&value).map_err(|problems| LineError::Document { field, problems })
}

#[derive(Serialize)]
struct Out<'a, T: Serialize> {
    at: Timestamp,
    input: &'a str,
    #[serde(flatten)]
    rest: T,
}

/// Appends the input as one line, with its line end.
///
/// # Errors
/// Only when a label in a document cannot be written as JSON.
pub fn write(input: &Input, out: &mut Vec<u8>) -> serde_json::Result<()> {
    use serde_json::json;
    let (kind, rest) = match &input.kind {
        InputKind::Reading { sensor, value } => {
            // The one that matters for speed.
            out.extend_from_slice(b"{\"at\":");
            serde_json::to_writer(&mut *out, &input.at)?;
            out.extend_from_slice(b",\"input\":\"reading\",\"sensor\":");
            serde_json::to_writer(&mut *out, sensor)?;
            out.extend_from_slice(b",\"value\":");
            out.extend_from_slice(measured_text(*value).as_bytes());
            out.extend_from_slice(b"}\n");
            return Ok(());
        }
        InputKind::Tick => ("tick", json!({})),
        InputKind::Resumed => ("resumed", json!({})),
        InputKind::Manual(m) => {
            let mut line = json!({"device": m.device, "cmd_type": m.kind, "action": m.action,
                "value": m.value, "duration_sec": m.duration_sec, "admin": m.admin});
            if let Some(owner) = &m.owner {
                line["owner"] = serde_json::to_value(&**owner)?;
            }
            ("manual", line)
        }
        InputKind::Stop(stop) => {
            let owner = &*stop.owner;
            let line = match &stop.scope {
                StopScope::Device(id) => json!({"device": id, "owner": owner}),
                StopScope::Place(scope) => json!({"scope": scope, "owner": owner}),
            };
            ("stop", line)
        }
        InputKind::Correct(device) => ("correct", json!({"device": device})),
        InputKind::Status { device, status } => {
            let mut line = json!({"device": device});
            if let Some(online) = status.online {
                line["online"] = json!(online);
            }
            match &status.lock {
                Some(Lock::Engage { kind, reason }) => {
                    line["lock"] = json!(reason);
                    line["lock_kind"] = json!(kind);
                }
                Some(Lock::Open { kind, user }) => {
                    line["lock"] = json!(null);
                    line["lock_kind"] = json!(kind);
                    if let Some(user) = user {
                        line["lock_user"] = json!(user);
                    }
                }
                Some(Lock::Replace { reason }) => line["lock"] = json!(reason),
                Some(Lock::OpenAll) => line["lock"] = json!(null),
                None => {}
            }
            if let Some(safety) = status.safety {
                line["safety"] = json!(safety);
            }
            if let Some(owner) = &status.owner {
                line["owner"] = serde_json::to_value(&**owner)?;
            }
            ("device", line)
        }
        InputKind::RulePut(rule) => ("rule", json!({"rule": rule})),
        InputKind::RuleDelete(id) => ("rule", json!({"delete": id})),
        InputKind::AlertPut(alert) => ("alert", json!({"alert": alert})),
        InputKind::AlertDelete(id) => ("alert", json!({"delete": id})),
        InputKind::Registry(changes) => ("registry", json!({"changes": changes})),
    };
    serde_json::to_writer(
        &mut *out,
        &Out {
            at: input.at,
            input: kind,
            rest,
        },
    )?;
    out.push(b'\n');
    Ok(())
}

/// A value's decimal text, which reads back as the same value; at a whole unit, with the side on which it really lies.
#[must_use]
pub fn measured_text(value: Measured) -> String {
    let d = match value {
        Measured::Null => return "null".to_owned(),
        Measured::NotFinite => return "\"NaN\"".to_owned(),
        Measured::Value(d) => d,
    };
    let rounded = d.rounded();
    match rounded.as_units() {
        Some(units) if d != harit_engine::Decimal::exact(rounded) => {
            // On which side of the whole number it really lies.
            let above = d.within(units, units.saturating_add(1));
            let tenth_of_a_micro = i128::from(units) * 10_000_000 + if above { 1 } else { -1 };
            let sign = if tenth_of_a_micro < 0 { "-" } else { "" };
            let magnitude = tenth_of_a_micro.unsigned_abs();
            format!(
                "{sign}{}.{:07}",
                magnitude / 10_000_000,
                magnitude % 10_000_000
            )
        }
        _ => rounded.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harit_engine::{DeviceSpec, DeviceType, FarmSettings, ScopeSpec};

    fn round_trip(line: &str) -> Input {
        let input = parse(line).unwrap();
        let mut out = vec![];
        write(&input, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with('\n') && text.lines().count() == 1, "{text}");
        assert_eq!(parse(text.trim_end()).unwrap(), input, "{text}");
        input
    }

    #[test]
    fn a_reading_is_read_as_it_is_journaled() {
        for (text, written) in [
            ("2.77777777771", "2.777778"),
            ("40.00000000001", "40.0000001"),
            ("-9.99999999999", "-9.9999999"),
        ] {
            let line = format!(r#"{{"at":1,"input":"reading","sensor":"s","value":{text}}}"#);
            let InputKind::Reading { value, .. } = round_trip(&line).kind else {
                panic!("{line}");
            };
            assert_eq!(measured_text(value), written);
        }
    }

    #[test]
    fn every_kind_reads_back() {
        for line in [
            r#"{"at":1,"input":"reading","sensor":"t1","value":27.4}"#,
            r#"{"at":1,"input":"reading","sensor":"t\"1","value":null}"#,
            r#"{"at":1,"input":"reading","sensor":"t1","value":"NaN"}"#,
            r#"{"at":1,"input":"reading","sensor":"t1","value":100.0000001}"#,
            r#"{"at":1,"input":"reading","sensor":"t1","value":-0.00000001}"#,
            r#"{"at":1,"input":"reading","sensor":"t1","value":-40.00000001}"#,
            r#"{"at":1,"input":"reading","sensor":"t1","value":-39.99999999}"#,
            r#"{"at":-5,"input":"tick"}"#,
            r#"{"at":1,"input":"resumed","more":[]}"#,
            r#"{"at":1,"input":"manual","device":"d","cmd_type":"override","action":"on","value":null,"duration_sec":5,"admin":true}"#,
            r#"{"at":1,"input":"manual","device":"d","cmd_type":"pulse","value":5,"owner":{"user_id":"u","name":"N","reason":"why"}}"#,
            r#"{"at":1,"input":"manual","device":"d","cmd_type":"release"}"#,
            r#"{"at":1,"input":"device","device":"d","online":true}"#,
            r#"{"at":1,"input":"device","device":"d","lock":"door","safety":false}"#,
            r#"{"at":1,"input":"device","device":"d","lock":null}"#,
            r#"{"at":1,"input":"device","device":"d","lock":"door","lock_kind":"controller"}"#,
            r#"{"at":1,"input":"device","device":"d","lock":null,"lock_kind":"stop","lock_user":"u","owner":{"user_id":"v","name":"V"}}"#,
            r#"{"at":1,"input":"device","device":"d","lock":null,"lock_kind":"max_on"}"#,
            r#"{"at":1,"input":"stop","device":"d","owner":{"user_id":"u","name":"N","reason":"my arm"}}"#,
            r#"{"at":1,"input":"stop","scope":{"type":"polyhouse","polyhouseId":"p1"},"owner":{"user_id":"u","name":"N"}}"#,
            r#"{"at":1,"input":"rule","delete":"r"}"#,
            r#"{"at":1,"input":"alert","delete":"a"}"#,
            r#"{"at":1,"input":"rule","rule":{"id":"r","name":"R","scope":{"type":"farm"},"trigger":{"sensor_type":"ph","operator":"gt","value":7},"actions":[]}}"#,
            r#"{"at":1,"input":"alert","alert":{"id":"a","name":"A","repeatsIn":1,"repeatUnit":"hours","conditions":[{"id":1,"sensor":"pH","operator":">","value":7,"unit":""}]}}"#,
            r#"{"at":1,"input":"registry","changes":[{"delete_sensor":"s"}]}"#,
        ] {
            round_trip(line);
        }
        let input = round_trip(r#"{"at":1,"input":"device","device":"d","lock":null}"#);
        let InputKind::Status { status, .. } = input.kind else {
            panic!()
        };
        assert_eq!((status.lock, status.online), (Some(Lock::OpenAll), None));
    }

    #[test]
    fn registry_changes_read_back() {
        let device = DeviceSpec::new("d", DeviceType::DosingPump, ScopeSpec::zone("z"));
        let changes = vec![
            RegistryChange::PutDevice(Box::new(device)),
            RegistryChange::Settings(FarmSettings { min_samples: 3 }),
            RegistryChange::PutPolyhouse(
                serde_json::from_str(r#"{"id":"p","name":"P","zones":[{"id":"z","name":"Z"}]}"#)
                    .unwrap(),
            ),
            RegistryChange::PutSensor(
                serde_json::from_str(
                    r#"{"id":"s","type":"ec","scope":{"type":"zone","zoneId":"z"}}"#,
                )
                .unwrap(),
            ),
        ];
        let input = Input {
            at: Timestamp::from_millis(7),
            kind: InputKind::Registry(changes),
        };
        let mut out = vec![];
        write(&input, &mut out).unwrap();
        assert_eq!(parse(std::str::from_utf8(&out).unwrap()).unwrap(), input);
    }

    #[test]
    fn errors_name_what_is_wrong() {
        for (line, expected) in [
            ("", "not an input: EOF"),
            ("7", "not an input: invalid type"),
            (r#"[1,"tick"]"#, "expected an object"),
            (r#"{"input":"tick"}"#, "missing field `at`"),
            (
                r#"{"at":1.5,"input":"tick"}"#,
                "invalid type: floating point",
            ),
            (
                r#"{"at":1,"input":"jump"}"#,
                r#"input "jump" is none of reading"#,
            ),
            (
                r#"{"at":1,"input":"reading","value":1}"#,
                "reading needs sensor",
            ),
            (
                r#"{"at":1,"input":"reading","sensor":"s"}"#,
                "reading needs value",
            ),
            (
                r#"{"at":1,"input":"reading","sensor":"s","value":true}"#,
                "value true is not a number or null",
            ),
            (
                r#"{"at":1,"input":"manual","device":"d","cmd_type":"x"}"#,
                r#"cmd_type "x" is none of override"#,
            ),
            (
                r#"{"at":1,"input":"manual","device":"d","cmd_type":"pulse","value":"5"}"#,
                "is not a number",
            ),
            (
                r#"{"at":1,"input":"manual","cmd_type":"pulse"}"#,
                "manual needs device",
            ),
            (
                r#"{"at":1,"input":"device","device":"d","lock":5}"#,
                "invalid type",
            ),
            (
                r#"{"at":1,"input":"device","device":"d","lock":"x","lock_kind":"door"}"#,
                r#"lock_kind "door" is none of controller"#,
            ),
            (
                r#"{"at":1,"input":"device","device":"d","lock_kind":"person"}"#,
                "lock_kind needs lock",
            ),
            (
                r#"{"at":1,"input":"stop","owner":{"user_id":"u","name":"N"}}"#,
                "stop needs either device or scope",
            ),
            (
                r#"{"at":1,"input":"stop","device":"d"}"#,
                "stop needs owner",
            ),
            (
                r#"{"at":1,"input":"rule"}"#,
                "rule needs either rule or delete",
            ),
            (
                r#"{"at":1,"input":"rule","rule":{"id":"r"}}"#,
                "rule: name: name is required",
            ),
            (
                r#"{"at":1,"input":"registry","changes":[{"x":1}]}"#,
                "unknown variant",
            ),
        ] {
            let e = parse(line).unwrap_err().to_string();
            assert!(e.contains(expected), "{line}: {e}");
        }
    }
}
