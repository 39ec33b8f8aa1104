//! Telemetry as a SenML pack in JSON (RFC 8428).
//!
//! A record's name is the controller's own id of a sensor. Its unit says what it measures where one type alone has it (`Cel`,
//! `%RH`, `pH`, `lx`, `ppm`, `mS/cm`); with another unit, or none, the sensor has to be known already. What is no number (`vs`,
//! `vb`, `vd`) is no reading: its entry is refused, the others are kept. Sums and update times are passed over.

use std::borrow::Cow;
use std::collections::BTreeMap;

use harit_engine::{Decimal, Measured, Quantity, SensorType};
use serde_json::value::RawValue;

use super::{Item, Message, Telemetry, Time, TypeWord};
use crate::words::check_depth;
use crate::{MAX_SENSORS, Reject, canonical};

/// The newest version of SenML that is read: that of the RFC, and what a pack without one has.
const VERSION: i64 = 10;
/// Times below this many milliseconds, and below zero, are relative to the arrival.
const ABSOLUTE_MS: i64 = (1 << 28) * 1_000;
/// No time is farther away, in milliseconds.
const MAX_MS: f64 = 1e15;

type Record<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// What the records so far have set for those that follow.
#[derive(Default)]
struct Base {
    name: String,
    /// In milliseconds.
    time: i64,
    unit: Option<String>,
    /// In millionths.
    value: i64,
}

/// Reads a pack.
pub(super) fn read(text: &str) -> Result<Telemetry<'_>, Reject> {
    check_depth(text.as_bytes(), b'[')?;
    let pack: Vec<Record<'_>> = serde_json::from_str(text).map_err(|_| Reject::Malformed)?;
    if pack.len() > MAX_SENSORS {
        return Err(Reject::TooManySensors);
    }
    let mut all = Telemetry::default();
    let mut base = Base::default();
    for record in &pack {
        // A label that ends so has to be understood, and none is.
        if record.keys().any(|label| label.ends_with('_')) {
            return Err(Reject::Malformed);
        }
        base.take(record)?;
        if record.keys().all(|label| label.starts_with('b')) {
            continue;
        }
        let is_sum = record.contains_key("s") && !record.contains_key("v");
        if is_sum {
            continue;
        }
        let time = base.time_of(record)?;
        let item = base.item(record)?;
        let at = all.items.len();
        all.items.push(item);
        match all.messages.last_mut() {
            Some(message) if message.time == time => message.items.end = at + 1,
            _ => all.messages.push(Message {
                time,
                seq: None,
                items: at..at + 1,
            }),
        }
    }
    Ok(all)
}

impl Base {
    fn take(&mut self, record: &Record<'_>) -> Result<(), Reject> {
        if let Some(version) = record.get("bver") {
            let version: i64 = version.get().parse().map_err(|_| Reject::Malformed)?;
            if version > VERSION {
                return Err(Reject::Malformed);
            }
        }
        if let Some(name) = text(record, "bn")? {
            self.name = name;
        }
        if let Some(time) = millis(record, "bt")? {
            self.time = time;
        }
        if let Some(unit) = text(record, "bu")? {
            self.unit = Some(unit);
        }
        if let Some(value) = micros(record, "bv")? {
            self.value = value;
        }
        Ok(())
    }

    /// When a record's value was true; none is the arrival.
    fn time_of(&self, record: &Record<'_>) -> Result<Option<Time>, Reject> {
        let time = self.time + millis(record, "t")?.unwrap_or_default();
        Ok(match time {
            0 => None,
            time if time < ABSOLUTE_MS => Some(Time::SinceArrival(time)),
            time => Some(Time::At(time)),
        })
    }

    fn item(&self, record: &Record<'_>) -> Result<Item<'static>, Reject> {
        let name = text(record, "n")?.unwrap_or_default();
        let unit = text(record, "u")?.or_else(|| self.unit.clone());
        let by_unit = unit.as_deref().and_then(type_of_unit);
        let is_number = record.contains_key("v")
            || self.value != 0 && !["vs", "vb", "vd"].iter().any(|v| record.contains_key(*v));
        let value = match record.get("v") {
            Some(value) => Measured::parse(value.get()),
            // The value that all have in common, if they have one.
            None => Measured::exact(Quantity::from_micro(0)),
        };
        Ok(Item {
            id: Some(Cow::Owned(format!("{}{name}", self.name))),
            sensor_type: match by_unit {
                _ if !is_number => TypeWord::Unknown,
                Some(known) => TypeWord::Known(known),
                None => TypeWord::Missing,
            },
            unit: unit.filter(|_| by_unit.is_none()).map(Cow::Owned),
            value: canonical(self.added(value)),
        })
    }

    fn added(&self, value: Measured) -> Measured {
        match value {
            Measured::Value(decimal) if self.value != 0 => {
                let sum = decimal.rounded().as_micro().saturating_add(self.value);
                Measured::exact(Quantity::from_micro(sum))
            }
            other => other,
        }
    }
}

/// The type that alone has that unit of SenML.
fn type_of_unit(unit: &str) -> Option<SensorType> {
    Some(match unit {
        "Cel" => SensorType::Temperature,
        "%RH" => SensorType::Humidity,
        "pH" => SensorType::Ph,
        "mS/cm" => SensorType::Ec,
        "lx" => SensorType::LightIntensity,
        "ppm" => SensorType::Co2Level,
        _ => return None,
    })
}

fn text(record: &Record<'_>, label: &str) -> Result<Option<String>, Reject> {
    let raw = record.get(label);
    let read = raw.map(|raw| serde_json::from_str(raw.get()));
    read.transpose().map_err(|_| Reject::Malformed)
}

/// Seconds, to the nearest millisecond.
fn millis(record: &Record<'_>, label: &str) -> Result<Option<i64>, Reject> {
    let Some(raw) = record.get(label) else {
        return Ok(None);
    };
    let secs: f64 = serde_json::from_str(raw.get()).map_err(|_| Reject::Malformed)?;
    let millis = (secs * 1_000.0).round();
    if millis.abs() > MAX_MS {
        return Err(Reject::Malformed);
    }
    #[allow(
        clippy::cast_possible_truncation,
        reason = "it is whole and small enough"
    )]
    Ok(Some(millis as i64))
}

/// A number in millionths.
fn micros(record: &Record<'_>, label: &str) -> Result<Option<i64>, Reject> {
    let raw = record.get(label);
    let read = raw.map(|raw| Decimal::parse(raw.get()).ok_or(Reject::Malformed));
    Ok(read.transpose()?.map(|d| d.rounded().as_micro()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_build_on_the_base() {
        // The shape of the RFC's example 5.1.3, with its own names and numbers replaced.
        let all = read(
            r#"[{"bn":"house-2/","bt":1700000000.5,"bu":"Cel","bver":5,"n":"t1","v":27.4},
                {"n":"t1","t":-5,"v":27.1},
                {"n":"rh","t":-5,"u":"%RH","v":61},
                {"bv":20,"bt":0,"n":"t2","v":1.5},
                {"n":"t3","t":-60,"v":-0.25},{"bn":"x"}]"#,
        )
        .unwrap();
        let times: Vec<_> = all.messages.iter().map(|m| m.time).collect();
        assert_eq!(
            times,
            [
                Some(Time::At(1_700_000_000_500)),
                Some(Time::At(1_699_999_995_500)),
                None,
                Some(Time::SinceArrival(-60_000))
            ]
        );
        let ranges: Vec<_> = all.messages.iter().map(|m| m.items.clone()).collect();
        assert_eq!(ranges, [0..1, 1..3, 3..4, 4..5]);
        let said: Vec<_> = all
            .items
            .iter()
            .map(|i| (i.id.as_deref().unwrap_or_default(), i.sensor_type, i.value))
            .collect();
        let temperature = TypeWord::Known(SensorType::Temperature);
        let humidity = TypeWord::Known(SensorType::Humidity);
        assert_eq!(
            said,
            [
                ("house-2/t1", temperature, Measured::parse("27.4")),
                ("house-2/t1", temperature, Measured::parse("27.1")),
                ("house-2/rh", humidity, Measured::parse("61")),
                ("house-2/t2", temperature, Measured::parse("21.5")),
                ("house-2/t3", temperature, Measured::parse("19.75")),
            ]
        );
    }

    #[test]
    fn what_is_no_reading_is_refused_alone() {
        let all = read(
            r#"[{"n":"door","vb":true},{"n":"soil","u":"%","v":40},{"n":"s","u":"Cel","s":3.5},{"n":"k","u":"K","v":300},
                {"n":"none","u":"Cel"},{"bv":20,"n":"s","u":"Cel","s":3.5}]"#,
        )
        .unwrap();
        let said: Vec<_> = all
            .items
            .iter()
            .map(|i| (i.sensor_type, i.unit.as_deref()))
            .collect();
        assert_eq!(
            said,
            [
                (TypeWord::Unknown, None),
                (TypeWord::Missing, Some("%")),
                (TypeWord::Missing, Some("K")),
                (TypeWord::Unknown, None),
            ]
        );
    }

    #[test]
    fn packs_that_are_none() {
        for (text, reject) in [
            ("", Reject::Malformed),
            ("{}", Reject::Malformed),
            ("[1]", Reject::Malformed),
            (r#"[{"n":1,"v":2}]"#, Reject::Malformed),
            (r#"[{"n":"a","t":"now","v":2}]"#, Reject::Malformed),
            (r#"[{"n":"a","t":1e300,"v":2}]"#, Reject::Malformed),
            (r#"[{"bver":11,"n":"a","v":2}]"#, Reject::Malformed),
            (r#"[{"n":"a","v":2,"unit_":"F"}]"#, Reject::Malformed),
            (r#"[{"n":"a","x":[[[[[[[]]]]]]]}]"#, Reject::TooDeep),
            (
                &format!("[{}]", vec![r#"{"n":"a"}"#; MAX_SENSORS + 1].join(",")),
                Reject::TooManySensors,
            ),
        ] {
            assert_eq!(read(text), Err(reject), "{}", &text[..text.len().min(60)]);
        }
        assert_eq!(read("[]").unwrap().messages, []);
    }
}
