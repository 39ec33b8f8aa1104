//! State messages: birth, change, will. Rare, so they are read into owned values.

use harit_engine::{Conversion, DeviceType, Quantity, SensorType};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::words::{check_depth, sensor_type, short, usable_id};
use crate::{MAX_SENSORS, Reject, conversion};

/// What a controller says of itself, as it is journaled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Whether it can be reached.
    pub online: bool,
    /// Its firmware; none where it did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// All its sensors; none where it did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensors: Option<Vec<SensorReport>>,
    /// All its devices; none where it did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices: Option<Vec<DeviceReport>>,
}

impl Report {
    /// What a lost connection says.
    pub const OFFLINE: Self = Self {
        online: false,
        firmware: None,
        sensors: None,
        devices: None,
    };
}

/// A sensor that a controller announces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SensorReport {
    /// The controller's own id of it.
    pub id: String,
    /// What it measures.
    #[serde(rename = "type")]
    pub sensor_type: SensorType,
}

/// A device that a controller announces, and how it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceReport {
    /// The controller's own id of it.
    pub id: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub device_type: DeviceType,
    /// Its name for people, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it can do, as it says; null where it did not.
    #[serde(
        default,
        rename = "supportedActions",
        skip_serializing_if = "serde_json::Value::is_null"
    )]
    pub supported_actions: serde_json::Value,
    /// Whether it is on; of one that tells a value only, whether that is above zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// Its value, in its kind's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Quantity>,
    /// Absent, null or a reason.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub lock: Option<Option<String>>,
    /// Whether its panel holds it in its safe setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety: Option<bool>,
    /// Whether it is as it is because its lease ran out, and for no other reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_over: Option<bool>,
    /// At how many per cent it goes on at the end of a lease; none where it goes off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_end: Option<Quantity>,
}

/// Whether a device of that type may go on at the end of a lease, when nobody can stop it: what moves air, and what covers.
/// Water, fertiliser and heat do harm.
#[must_use]
pub const fn may_go_on(device_type: DeviceType) -> bool {
    matches!(
        device_type,
        DeviceType::Fan | DeviceType::Vent | DeviceType::Shade | DeviceType::Curtain
    )
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

impl Report {
    /// Reads a state message; what is wrong with single entries goes to `bad`, and the others are kept.
    ///
    /// # Errors
    /// When it is not the JSON that the protocol asks for, too deep, or names more than [`MAX_SENSORS`].
    pub fn read(payload: &[u8], bad: &mut Vec<Reject>) -> Result<Self, Reject> {
        check_depth(payload, b'{')?;
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
        Ok(Self {
            online: wire.online.unwrap_or(true),
            firmware: wire.firmware.map(short),
            sensors,
            devices,
        })
    }
}

fn read_sensor(raw: &RawValue) -> Result<SensorReport, Reject> {
    let wire: SensorWire = serde_json::from_str(raw.get()).map_err(|_| Reject::Malformed)?;
    let sensor_type = sensor_type(&wire.sensor_type).ok_or(Reject::UnknownType)?;
    // Readings without a unit are in the type's, so one that counts otherwise is not announced.
    let is_type_s = |u: String| conversion(sensor_type, &u).is_some_and(Conversion::is_none);
    if wire.unit.is_some_and(|u| !is_type_s(u)) {
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
    let (off, most) = (Quantity::default(), Quantity::from_units(100));
    device.lease_end = device.lease_end.filter(|end| *end != off);
    if let Some(end) = device.lease_end {
        if !may_go_on(device.device_type) {
            return Err(Reject::UnsafeLeaseEnd);
        }
        if end < off || end > most {
            return Err(Reject::BadDevice);
        }
    }
    device.on = device
        .on
        .or_else(|| device.value.map(|v| v > Quantity::default()));
    Ok(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Result<Report, Reject>, Vec<Reject>) {
        let mut bad = vec![];
        (Report::read(text.as_bytes(), &mut bad), bad)
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
    fn only_what_moves_air_or_covers_may_go_on_at_the_end_of_a_lease() {
        let device = |kind: &str, end: &str| {
            let text =
                format!(r#"{{"devices": [{{"id":"d","type":"{kind}","lease_end":{end}}}]}}"#);
            let (report, bad) = read(&text);
            (report.unwrap().devices.unwrap().pop(), bad)
        };
        for kind in ["fan", "vent", "shade", "curtain"] {
            let (said, bad) = device(kind, "40.5");
            let end = Quantity::from_micro(40_500_000);
            assert_eq!(
                (said.unwrap().lease_end, bad),
                (Some(end), vec![]),
                "{kind}"
            );
        }
        for kind in [
            "pump",
            "valve",
            "dosing_pump",
            "mixing_pump",
            "fogger",
            "heater",
            "light",
            "siren",
        ] {
            let refused = (None, vec![Reject::UnsafeLeaseEnd]);
            assert_eq!(device(kind, "40"), refused, "{kind}");
            for off in ["0", "null"] {
                let (said, bad) = device(kind, off);
                assert_eq!(
                    (said.unwrap().lease_end, bad),
                    (None, vec![]),
                    "{kind} {off}"
                );
            }
        }
        for wrong in ["-1", "100.000001", "true", r#"{"on":true}"#] {
            let refused = (None, vec![Reject::BadDevice]);
            assert_eq!(device("fan", wrong), refused, "{wrong}");
        }
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
    }
}
