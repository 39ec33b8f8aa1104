//! Inputs, read against the farm as it is.

use serde_json::Value;

use crate::almanac::{self, Date, Day};
use crate::document::{self, AlertDoc, Malformed, RuleDoc, list, malformed, text};
use crate::state::{Device, Model};

/// A manual command as the input has it.
#[derive(Debug, Clone)]
pub(crate) struct ManualCommand {
    pub(crate) device: String,
    pub(crate) cmd_type: String,
    pub(crate) action: String,
    pub(crate) value: Option<i64>,
    pub(crate) duration_ms: Option<i64>,
    pub(crate) admin: bool,
}

/// A change of locks. A kind comes with whose it is, what is put on also with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LockChange {
    Engage(String, String, String),
    Open(String, Option<String>),
    /// The first version's reason.
    Replace(String),
    /// The first version's null.
    OpenAll,
}

impl LockChange {
    pub(crate) const fn opens(&self) -> bool {
        matches!(self, Self::Open(..) | Self::OpenAll)
    }
}

/// What a status input carries.
#[derive(Debug, Clone)]
pub(crate) struct StatusReport {
    pub(crate) device: String,
    pub(crate) online: Option<bool>,
    pub(crate) lock: Option<LockChange>,
    pub(crate) safety: Option<bool>,
    pub(crate) running: Option<Option<bool>>,
}

/// A well-formed input.
pub(crate) enum Kind {
    Reading { sensor: String, value: Value },
    Tick,
    Resumed,
    Manual(ManualCommand),
    Status(StatusReport),
    Stop(Vec<String>, String),
    Correct(String),
    RulePut(Box<RuleDoc>),
    RuleDelete(String),
    AlertPut(AlertDoc, Option<i64>),
    AlertDelete(String),
    Registry(Vec<Value>),
    Almanac(Vec<(Date, Day)>),
}

impl Model {
    /// Whether an input is well formed.
    ///
    /// # Errors
    ///
    /// When it is not, with the reason.
    pub fn check(&self, input: &Value) -> Result<(), Malformed> {
        self.read(input).map(|_| ())
    }

    pub(crate) fn read(&self, input: &Value) -> Result<(i64, Kind), Malformed> {
        let Some(at) = input["at"].as_i64() else {
            return malformed("no time");
        };
        let device = || {
            let id = text(input, "device")?;
            match self.devices.contains_key(id) {
                true => Ok(id.to_owned()),
                false => malformed(format!("unknown device {id}")),
            }
        };
        let kind = match text(input, "input")? {
            "reading" => Kind::Reading {
                sensor: text(input, "sensor")?.into(),
                value: input["value"].clone(),
            },
            "tick" => Kind::Tick,
            "resumed" => Kind::Resumed,
            "manual" => Kind::Manual(ManualCommand {
                device: device()?,
                cmd_type: text(input, "cmd_type")?.into(),
                action: input["action"].as_str().unwrap_or("").into(),
                value: document::micros(&input["value"]),
                duration_ms: input["duration_sec"].as_i64().map(|s| s * 1_000),
                admin: input["admin"].as_bool().unwrap_or(false),
            }),
            "stop" => {
                let user = input["owner"]["user_id"].as_str().unwrap_or("");
                if user.is_empty() {
                    return malformed("a stop of nobody");
                }
                let devices = match input["device"].as_str() {
                    Some(_) => vec![device()?],
                    None => {
                        let place = self.place(&input["scope"])?;
                        let lies = |d: &&Device| self.lies_in(&d.doc.place, &place);
                        let all = self.devices.values().filter(lies);
                        all.map(|d| d.doc.id.clone()).collect()
                    }
                };
                Kind::Stop(devices, user.into())
            }
            "correct" => Kind::Correct(device()?),
            "device" => Kind::Status(StatusReport {
                device: device()?,
                online: input["online"].as_bool(),
                lock: lock_change(input)?,
                safety: input["safety"].as_bool(),
                running: input.get("running").map(Value::as_bool),
            }),
            "rule" => match input["delete"].as_str() {
                Some(id) => match self.rules.values().find(|r| r.doc.names_rule(id)) {
                    Some(by) => return malformed(format!("{} names rule {id}", by.doc.id)),
                    None => match self.alerts.values().find(|a| a.doc.names_rule(id)) {
                        Some(by) => return malformed(format!("{} names rule {id}", by.doc.id)),
                        None => Kind::RuleDelete(id.into()),
                    },
                },
                None => Kind::RulePut(Box::new(self.read_rule(&input["rule"])?)),
            },
            "alert" => match input["delete"].as_str() {
                Some(id) => Kind::AlertDelete(id.into()),
                None => {
                    let (doc, last) = self.read_alert(&input["alert"])?;
                    Kind::AlertPut(doc, last)
                }
            },
            "registry" => {
                let mut copy = self.clone();
                let changes = list(input, "changes");
                changes
                    .iter()
                    .try_for_each(|change| copy.register(change))?;
                copy.check_all()?;
                for id in changes.iter().filter_map(|c| c["delete_device"].as_str()) {
                    let stays = copy.devices.contains_key(id);
                    let is_stopped = |d: &Device| d.holds("stop") && (d.online || stays);
                    if self.devices.get(id).is_some_and(is_stopped) {
                        return malformed(format!("device {id} is stopped"));
                    }
                }
                Kind::Registry(changes.to_vec())
            }
            "almanac" => Kind::Almanac(almanac::read_days(input)?),
            other => return malformed(format!("unknown input {other}")),
        };
        Ok((at, kind))
    }
}

/// How a status input changes locks, if it does.
fn lock_change(input: &Value) -> Result<Option<LockChange>, Malformed> {
    let kind = input["lock_kind"].as_str();
    let owner = |kind: &str| match kind {
        "person" => input["owner"]["user_id"].as_str().unwrap_or("").to_owned(),
        _ => String::new(),
    };
    Ok(match (input.get("lock"), kind) {
        (Some(Value::String(reason)), _) if reason.is_empty() => {
            return malformed("empty lock reason");
        }
        (Some(Value::String(_)), Some("stop")) => {
            return malformed("a stop is an input of its own");
        }
        (Some(Value::String(reason)), Some(kind)) => {
            Some(LockChange::Engage(kind.into(), owner(kind), reason.clone()))
        }
        (Some(Value::String(reason)), None) => Some(LockChange::Replace(reason.clone())),
        (Some(Value::Null), Some(kind)) => Some(LockChange::Open(
            kind.into(),
            input["lock_user"].as_str().map(Into::into),
        )),
        (Some(Value::Null), None) => Some(LockChange::OpenAll),
        _ => None,
    })
}
