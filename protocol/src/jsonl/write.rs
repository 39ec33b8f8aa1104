//! How lines are written.

use harit_engine::Timestamp;
use serde::Serialize;

use super::values::measured_text;
use super::{Line, LineKind, engine};
use crate::{Item, Mac, MessageNumber, TypeWord};

/// What stands for a word that is no type: the word itself is not kept.
const UNKNOWN_TYPE: &str = "unknown";

/// Appends a line, with its end.
pub(super) fn write(line: &Line<'_>, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let at = line.at;
    match &line.kind {
        LineKind::Input(kind) => return engine::write(at, kind, out),
        LineKind::Controller { mac, scope } => Fields::begin(out, at, "controller")?
            .mac(*mac)?
            .put("scope", scope)?,
        LineKind::Telemetry {
            mac,
            ts,
            backlog,
            number,
            sensors,
        } => {
            let fields = Fields::begin(out, at, "telemetry")?
                .mac(*mac)?
                .put("ts", ts)?;
            let fields = match backlog {
                true => fields.put("backlog", &true)?,
                false => fields,
            };
            let fields = match number {
                Some(MessageNumber { seq, crc }) => fields.put("seq", seq)?.put("crc", crc)?,
                None => fields,
            };
            fields.sensors(sensors)?
        }
        LineKind::Report { mac, report } => Fields::begin(out, at, "report")?
            .mac(*mac)?
            .put("report", report)?,
        LineKind::Gone { mac } => Fields::begin(out, at, "gone")?.mac(*mac)?,
        LineKind::Ack { mac, ack } => {
            let fields = Fields::begin(out, at, "ack")?
                .mac(*mac)?
                .put("command", &ack.command)?;
            let fields = fields.put("status", &ack.status)?;
            match &ack.message {
                Some(message) => fields.put("message", message)?,
                None => fields,
            }
        }
        LineKind::Unsent { commands } => {
            Fields::begin(out, at, "unsent")?.put("commands", commands)?
        }
        LineKind::WayOut => Fields::begin(out, at, "way_out")?,
    }
    .end();
    Ok(())
}

/// A line to which fields are added: without a value in between, because there are many.
struct Fields<'a>(&'a mut Vec<u8>);

impl<'a> Fields<'a> {
    fn begin(out: &'a mut Vec<u8>, at: Timestamp, input: &str) -> serde_json::Result<Self> {
        out.extend_from_slice(b"{\"at\":");
        serde_json::to_writer(&mut *out, &at)?;
        Self(out).put("input", input)
    }

    fn put<T: Serialize + ?Sized>(self, name: &str, value: &T) -> serde_json::Result<Self> {
        put(self.0, name, value)?;
        Ok(self)
    }

    fn mac(self, mac: Mac) -> serde_json::Result<Self> {
        self.put("mac", &mac)
    }

    fn sensors(self, sensors: &[Item<'_>]) -> serde_json::Result<Self> {
        self.0.extend_from_slice(b",\"sensors\":[");
        for (n, item) in sensors.iter().enumerate() {
            if n > 0 {
                self.0.push(b',');
            }
            self.0.extend_from_slice(b"{\"value\":");
            self.0
                .extend_from_slice(measured_text(item.value).as_bytes());
            let word = match item.sensor_type {
                TypeWord::Missing => None,
                TypeWord::Known(known) => Some(known.as_str()),
                TypeWord::Unknown => Some(UNKNOWN_TYPE),
            };
            let texts = [
                ("id", item.id.as_deref()),
                ("type", word),
                ("unit", item.unit.as_deref()),
            ];
            for (name, text) in texts {
                if let Some(text) = text {
                    put(self.0, name, text)?;
                }
            }
            self.0.push(b'}');
        }
        self.0.push(b']');
        Ok(self)
    }

    fn end(self) {
        self.0.extend_from_slice(b"}\n");
    }
}

fn put<T: Serialize + ?Sized>(out: &mut Vec<u8>, name: &str, value: &T) -> serde_json::Result<()> {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
    serde_json::to_writer(out, value)
}
