//! What controllers say, and what becomes of messages to them: how their lines are read.

use std::borrow::Cow;

use harit_engine::{ScopeSpec, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::fields::{Fields, document, field, need, object, present};
use super::values::measured;
use super::{LineError, LineKind};
use crate::{
    AckStatus, CommandAck, Item, MAX_SENSORS, Mac, MessageNumber, Report, TypeWord, sensor_type,
    usable_id,
};

/// Reads one; none where the kind is another.
pub(super) fn read<'a>(line: &Fields<'a>) -> Result<Option<LineKind<'a>>, LineError> {
    let mac = |kind| mac(kind, line);
    Ok(Some(match &*line.input {
        "controller" => LineKind::Controller {
            mac: mac("controller")?,
            scope: match line.scope {
                Some(raw) => document("scope", raw, ScopeSpec::from_json)?,
                None => ScopeSpec::farm(),
            },
        },
        "telemetry" => LineKind::Telemetry {
            mac: mac("telemetry")?,
            ts: match line.ts {
                Some(raw) => field("ts", raw)?,
                None => Timestamp::from_millis(line.at),
            },
            backlog: line
                .backlog
                .map_or(Ok(false), |raw| field("backlog", raw))?,
            number: number(line)?,
            sensors: sensors(need("telemetry", "sensors", line.sensors)?)?,
        },
        "report" => LineKind::Report {
            mac: mac("report")?,
            report: report(need("report", "report", line.report)?)?,
        },
        "gone" => LineKind::Gone { mac: mac("gone")? },
        "ack" => LineKind::Ack {
            mac: mac("ack")?,
            ack: CommandAck {
                command: field("command", need("ack", "command", line.command)?)?,
                status: status(need("ack", "status", line.status)?)?,
                message: line.message.map(|raw| field("message", raw)).transpose()?,
            },
        },
        "unsent" => LineKind::Unsent {
            commands: field("commands", need("unsent", "commands", line.commands)?)?,
        },
        "way_out" => LineKind::WayOut,
        _ => return Ok(None),
    }))
}

fn mac(kind: &'static str, line: &Fields<'_>) -> Result<Mac, LineError> {
    field("mac", need(kind, "mac", line.mac)?)
}

fn number(line: &Fields<'_>) -> Result<Option<MessageNumber>, LineError> {
    match (line.seq, line.crc) {
        (None, None) => Ok(None),
        (seq, crc) => Ok(Some(MessageNumber {
            seq: field("seq", need("crc", "seq", seq)?)?,
            crc: field("crc", need("seq", "crc", crc)?)?,
        })),
    }
}

fn status(raw: &RawValue) -> Result<AckStatus, LineError> {
    let word: Cow<'_, str> = field("status", raw)?;
    match &*word {
        "ack" => Ok(AckStatus::Ack),
        "failure" => Ok(AckStatus::Failure),
        _ => Err(LineError::Word {
            field: "status",
            found: word.into_owned(),
            expected: "ack, failure",
        }),
    }
}

const fn at_most(field: &'static str, found: usize) -> Result<(), LineError> {
    let limit = MAX_SENSORS;
    if found > limit {
        return Err(LineError::TooMany {
            field,
            found,
            limit,
        });
    }
    Ok(())
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(default, borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(default, borrow, rename = "type")]
    sensor_type: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    unit: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "present")]
    value: Option<&'a RawValue>,
}

fn sensors(raw: &RawValue) -> Result<Vec<Item<'_>>, LineError> {
    let entries: Vec<&RawValue> = field("sensors", raw)?;
    at_most("sensors", entries.len())?;
    let read = |raw| {
        let entry: Entry<'_> = object("sensors", raw)?;
        Ok(Item {
            id: entry.id,
            sensor_type: match entry.sensor_type.as_deref().map(sensor_type) {
                None => TypeWord::Missing,
                Some(known) => known.map_or(TypeWord::Unknown, TypeWord::Known),
            },
            unit: entry.unit,
            value: measured(need("an entry of sensors", "value", entry.value)?)?,
        })
    };
    entries.into_iter().map(read).collect()
}

/// A report, in which nothing may stand that would have been refused on its way here.
fn report(raw: &RawValue) -> Result<Report, LineError> {
    let report: Report = object("report", raw)?;
    at_most("report.sensors", report.sensors.iter().flatten().count())?;
    at_most("report.devices", report.devices.iter().flatten().count())?;
    let sensors = report.sensors.iter().flatten().map(|s| &s.id);
    let devices = report.devices.iter().flatten().map(|d| &d.id);
    match sensors.chain(devices).find(|id| !usable_id(id)) {
        Some(id) => Err(LineError::Value {
            field: "an id of the report,",
            found: format!("{id:?},"),
            expected: "1 to 115 bytes without control characters",
        }),
        None => Ok(report),
    }
}
