//! State messages (birth, change, will) and acks. Rare, so they are read into owned values.

use harit_engine::{DeviceType, MAX_ID_BYTES, Quantity, SensorType};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::telemetry::sensor_type;
use super::{MAX_NESTING, MAX_SENSORS, Reject};

/// The longest text of a name, a lock reason or a message that is kept, in bytes.
const MAX_TEXT_BYTES: usize = 256;

/// What a controller says of itself, as it is journaled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) online: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) firmware: Option<String>,
    /// All its sensors; none where it did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sensors: Option<Vec<SensorReport>>,
    /// All its devices; none where it did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) devices: Option<Vec<DeviceReport>>,
}

impl Report {
    /// What a lost connection says.
    pub(crate) const OFFLINE: Self = Self {
        online: false,
        firmware: None,
        sensors: None,
        devices: None,
    };
}

/// A sensor that a controller announces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SensorReport {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) sensor_type: SensorType,
}

/// A device that a controller announces, and how it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct DeviceReport {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) device_type: DeviceType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(
        default,
        rename = "supportedActions",
        skip_serializing_if = "serde_json::Value::is_null"
    )]
    pub(crate) supported_actions: serde_json::Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) on: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Quantity>,
    /// Absent, null or a reason.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub(crate) lock: Option<Option<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) safety: Option<bool>,
    /// Whether it is off because its lease ran out, and for no other reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lease_over: Option<bool>,
}

fn present<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(d).map(Some)
}

#[derive(Deserialize)]
struct StateWire<'a> {
    #[serde(default)]
    online: Option<bool>,
    #[serde(default)]
    firmware: Option<String>,
    #[serde(default, borrow)]
    sensors: Option<Vec<&'a RawValue>>,
    #[serde(default, borrow)]
    devices: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct SensorWire {
    #[serde(default)]
    id: Option<String>,
    #[serde(rename = "type")]
    sensor_type: String,
    #[serde(default)]
    unit: Option<String>,
}

/// Whether the unit is the type's. pH has none, or its own name.
pub(crate) fn unit_matches(sensor_type: SensorType, unit: &str) -> bool {
    unit == sensor_type.unit() || (sensor_type == SensorType::Ph && unit == "pH")
}

/// Whether a controller's own id can become one of the farm.
pub(crate) fn usable_id(id: &str) -> bool {
    // Room for "{mac}/" before it.
    !id.is_empty() && id.len() + 13 <= MAX_ID_BYTES && !id.chars().any(char::is_control)
}

fn short(text: String) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        return text;
    }
    let end = (0..=MAX_TEXT_BYTES)
        .rev()
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(0);
    text[..end].to_owned()
}

/// Reads a state message; what is wrong with single entries goes to `bad`.
pub(crate) fn read_state(payload: &[u8], bad: &mut Vec<Reject>) -> Result<Report, Reject> {
    check_object(payload)?;
    let wire: StateWire<'_> = serde_json::from_slice(payload).map_err(|_| Reject::Malformed)?;
    let too_many =
        |list: &Option<Vec<&RawValue>>| list.as_ref().is_some_and(|l| l.len() > MAX_SENSORS);
    if too_many(&wire.sensors) || too_many(&wire.devices) {
        return Err(Reject::TooManySensors);
    }
    let mut keep = |read: Result<_, Reject>| read.map_err(|r| bad.push(r)).ok();
    let sensors = wire.sensors.map(|list| {
        list.iter()
            .filter_map(|raw| keep(read_sensor(raw)))
            .collect()
    });
    let mut keep = |read: Result<_, Reject>| read.map_err(|r| bad.push(r)).ok();
    let devices = wire.devices.map(|list| {
        list.iter()
            .filter_map(|raw| keep(read_device(raw)))
            .collect()
    });
    Ok(Report {
        online: wire.online.unwrap_or(true),
        firmware: wire.firmware.map(short),
        sensors,
        devices,
    })
}

fn read_sensor(raw: &RawValue) -> Result<SensorReport, Reject> {
    let wire: SensorWire = serde_json::from_str(raw.get()).map_err(|_| Reject::Malformed)?;
    let sensor_type = sensor_type(&wire.sensor_type).ok_or(Reject::UnknownType)?;
    if wire.unit.is_some_and(|u| !unit_matches(sensor_type, &u)) {
        return Err(Reject::Unit);
    }
    let id = wire.id.unwrap_or_else(|| sensor_type.as_str().to_owned());
    if !usable_id(&id) {
        return Err(Reject::BadId);
    }
    Ok(SensorReport { id, sensor_type })
}

fn read_device(raw: &RawValue) -> Result<DeviceReport, Reject> {
    let mut device: DeviceReport =
        serde_json::from_str(raw.get()).map_err(|_| Reject::BadDevice)?;
    if !usable_id(&device.id) {
        return Err(Reject::BadId);
    }
    device.name = device.name.map(short);
    // An empty reason is no reason.
    device.lock = device
        .lock
        .map(|reason| reason.filter(|r| !r.is_empty()).map(short));
    device.on = device
        .on
        .or_else(|| device.value.map(|v| v > Quantity::default()));
    Ok(device)
}

/// What a controller answers to an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ack {
    pub(crate) command_id: String,
    pub(crate) status: AckStatus,
    pub(crate) message: Option<String>,
}

/// Accepted or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AckStatus {
    Ack,
    Failure,
}

/// Reads an ack.
pub(crate) fn read_ack(payload: &[u8]) -> Result<Ack, Reject> {
    #[derive(Deserialize)]
    struct AckWire {
        command_id: String,
        status: AckStatus,
        #[serde(default)]
        message: Option<String>,
    }
    check_object(payload)?;
    let wire: AckWire = serde_json::from_slice(payload).map_err(|_| Reject::Malformed)?;
    Ok(Ack {
        command_id: wire.command_id,
        status: wire.status,
        message: wire.message.map(short),
    })
}

/// Refuses what is no object (serde would read a list as one), and what is nested too deep.
fn check_object(payload: &[u8]) -> Result<(), Reject> {
    if payload.trim_ascii_start().first() != Some(&b'{') {
        return Err(Reject::Malformed);
    }
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for b in payload {
        match b {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_NESTING {
                    return Err(Reject::TooDeep);
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Result<Report, Reject>, Vec<Reject>) {
        let mut bad = vec![];
        (read_state(text.as_bytes(), &mut bad), bad)
    }

    #[test]
    fn a_birth() {
        let (report, bad) = read(
            r#"{"ts": 1, "online": true, "firmware": "1.2", "sensors": [{"id": "t1", "type": "temperature", "unit": "°C"}],
                "devices": [{"id": "fan-1", "type": "fan", "on": true, "value": 100, "lock": null, "safety": false},
                            {"id": "vent-1", "type": "vent", "name": "Vent", "value": 40.5, "lock": "wind", "x": 1}]}"#,
        );
        let report = report.unwrap();
        assert_eq!(bad, []);
        assert!(report.online);
        let devices = report.devices.clone().unwrap();
        assert_eq!((devices[0].on, &devices[0].lock), (Some(true), &Some(None)));
        assert_eq!(
            (devices[1].on, &devices[1].lock),
            (Some(true), &Some(Some("wind".into())))
        );
        let stored = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&stored).unwrap(), report);
    }

    #[test]
    fn a_will_and_less() {
        assert_eq!(read(r#"{"online": false}"#).0.unwrap(), Report::OFFLINE);
        assert!(read("{}").0.unwrap().online);
    }

    #[test]
    fn good_entries_are_kept() {
        let (report, bad) = read(
            r#"{"sensors": [{"id":"a","type":"ph","unit":"pH"},{"type":"ec"},{"id":"b","type":"salt"},
                {"id":"c","type":"ec","unit":"uS/cm"},{"id":"","type":"ec"},3],
                "devices": [{"id":"x","type":"robot"},{"id":"p","type":"pump"}]}"#,
        );
        let report = report.unwrap();
        let ids: Vec<_> = report.sensors.unwrap().into_iter().map(|s| s.id).collect();
        assert_eq!(ids, ["a", "ec"]);
        assert_eq!(report.devices.unwrap().len(), 1);
        assert_eq!(
            bad,
            [
                Reject::UnknownType,
                Reject::Unit,
                Reject::BadId,
                Reject::Malformed,
                Reject::BadDevice
            ]
        );
    }

    #[test]
    fn bad_payloads() {
        for (text, reject) in [
            ("", Reject::Malformed),
            ("[]", Reject::Malformed),
            (r#"{"online": 1}"#, Reject::Malformed),
            ("[true]", Reject::Malformed),
            (r#"{"x":[[[[[[[[[]]]]]]]]]}"#, Reject::TooDeep),
        ] {
            assert_eq!(read(text).0, Err(reject), "{text}");
        }
        assert_eq!(
            read_ack(b"{\"command_id\":\"f-1\",\"status\":\"done\"}"),
            Err(Reject::Malformed)
        );
    }

    #[test]
    fn acks() {
        let ack = read_ack(
            br#"{"command_id":"f-1","status":"failure","message":"no[[[[[[[[[ \" water"}"#,
        )
        .unwrap();
        assert_eq!(
            (ack.command_id.as_str(), ack.status),
            ("f-1", AckStatus::Failure)
        );
        assert_eq!(ack.message.as_deref(), Some("no[[[[[[[[[ \" water"));
    }
}
