//! Inputs of the engine, read and written.

use std::sync::Arc;

use harit_engine::{
    AlertId, AlertSpec, InputKind, Lock, LockKind, Manual, ManualKind, RegistryChange, RuleId,
    RuleSpec, ScopeSpec, Status, Stop, StopScope, Timestamp,
};
use serde::Serialize;

use super::LineError;
use super::fields::{Fields, document, need};
use super::values::{measured, measured_text, number};

/// Reads one; none where the kind is another.
pub(super) fn read(line: &Fields<'_>) -> Result<Option<InputKind>, LineError> {
    Ok(Some(match &*line.input {
        "reading" => InputKind::Reading {
            sensor: need("reading", "sensor", line.sensor.as_deref())?.into(),
            value: measured(need("reading", "value", line.value)?)?,
        },
        "tick" => InputKind::Tick,
        "resumed" => InputKind::Resumed,
        "manual" => InputKind::Manual(Box::new(manual(line)?)),
        "stop" => InputKind::Stop(Box::new(Stop {
            scope: match (&line.device, line.scope) {
                (Some(id), None) => StopScope::Device(id.as_ref().into()),
                (None, Some(raw)) => {
                    StopScope::Place(document("scope", raw, ScopeSpec::from_json)?)
                }
                _ => return Err(one_of("stop", "either device or scope")),
            },
            owner: Arc::new(need("stop", "owner", line.owner.clone())?),
        })),
        "correct" => InputKind::Correct(need("correct", "device", line.device.as_deref())?.into()),
        "device" => InputKind::Status {
            device: need("device", "device", line.device.as_deref())?.into(),
            status: Status {
                online: line.online,
                lock: lock(line)?,
                safety: line.safety,
                running: { line.running }
                    .map(|raw| serde_json::from_str(raw.get()))
                    .transpose()?,
                owner: line.owner.clone().map(Arc::new),
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
        "almanac" => InputKind::Almanac(serde_json::from_str(
            need("almanac", "days", line.days)?.get(),
        )?),
        _ => return Ok(None),
    }))
}

const fn one_of(kind: &'static str, field: &'static str) -> LineError {
    LineError::Missing { kind, field }
}

fn manual(line: &Fields<'_>) -> Result<Manual, LineError> {
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
fn lock(line: &Fields<'_>) -> Result<Option<Lock>, LineError> {
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

#[derive(Serialize)]
struct Out<'a, T: Serialize> {
    at: Timestamp,
    input: &'a str,
    #[serde(flatten)]
    rest: T,
}

/// Appends one.
pub(super) fn write(at: Timestamp, kind: &InputKind, out: &mut Vec<u8>) -> serde_json::Result<()> {
    use serde_json::json;
    let (input, rest) = match kind {
        InputKind::Reading { sensor, value } => {
            // The one that matters for speed.
            out.extend_from_slice(b"{\"at\":");
            serde_json::to_writer(&mut *out, &at)?;
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
            if let Some(running) = status.running {
                line["running"] = json!(running);
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
        InputKind::Almanac(days) => ("almanac", json!({"days": days})),
        InputKind::Registry(changes) => ("registry", json!({"changes": changes})),
    };
    serde_json::to_writer(&mut *out, &Out { at, input, rest })?;
    out.push(b'\n');
    Ok(())
}
