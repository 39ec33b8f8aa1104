//! What a controller reads and writes: the JSON of the MQTT protocol, from its side.

use harit_engine::{DeviceType, SensorType};
use serde::{Deserialize, Serialize};

/// A command as it arrives. Fields that a controller has no use for are ignored.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct CommandMessage {
    pub(crate) command_id: String,
    pub(crate) cmd_type: String,
    pub(crate) device_id: String,
    #[serde(default)]
    pub(crate) action: Option<ActionMessage>,
    #[serde(default)]
    pub(crate) duration_sec: Option<f64>,
    #[serde(default)]
    pub(crate) expires_at: Option<f64>,
    #[serde(default)]
    pub(crate) lease_sec: Option<f64>,
}

/// What a command asks a device to do.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct ActionMessage {
    #[serde(default)]
    pub(crate) on: Option<bool>,
    #[serde(default)]
    pub(crate) value: Option<f64>,
    #[serde(default)]
    pub(crate) duration_sec: Option<f64>,
}

/// What a command means for the controller.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Order {
    /// Stay at a setting.
    Set { on: bool, value: Option<f64> },
    /// Be on for so many seconds, then off.
    Pulse { secs: f64 },
    /// Go back to automatic control: nothing for the outputs, apart from a running pulse.
    Release,
    /// The command that switched the device on goes on being meant.
    Renew,
}

impl CommandMessage {
    /// The order, or what is missing.
    pub(crate) fn order(&self) -> Result<Order, String> {
        let action = self.action.as_ref();
        match self.cmd_type.as_str() {
            "override" => {
                let value = action.and_then(|a| a.value);
                let on = action.and_then(|a| a.on).or(value.map(|v| v > 0.0));
                let on = on.ok_or("an override needs action.on or action.value")?;
                Ok(Order::Set { on, value })
            }
            "pulse" => {
                let secs = action.and_then(|a| a.duration_sec).or(self.duration_sec);
                let secs = secs.ok_or("a pulse needs action.duration_sec")?;
                Ok(Order::Pulse { secs })
            }
            "release" => Ok(Order::Release),
            "renew" => Ok(Order::Renew),
            other => Err(format!("unknown cmd_type {other:?}")),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AckStatus {
    Ack,
    Failure,
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct AckMessage {
    pub(crate) command_id: String,
    pub(crate) status: AckStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

/// The birth message, which is also published on every change.
#[derive(Debug, Serialize)]
pub(crate) struct StateMessage<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ts: Option<i64>,
    pub(crate) online: bool,
    pub(crate) firmware: &'a str,
    pub(crate) sensors: Vec<SensorEntry<'a>>,
    pub(crate) devices: Vec<DeviceEntry<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SensorEntry<'a> {
    pub(crate) id: &'a str,
    #[serde(rename = "type")]
    pub(crate) sensor_type: SensorType,
    pub(crate) unit: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct DeviceEntry<'a> {
    pub(crate) id: &'a str,
    #[serde(rename = "type")]
    pub(crate) device_type: DeviceType,
    pub(crate) name: &'a str,
    #[serde(rename = "supportedActions")]
    pub(crate) supported_actions: &'static [SupportedAction],
    pub(crate) on: bool,
    pub(crate) value: Option<f64>,
    pub(crate) lock: Option<&'a str>,
    pub(crate) safety: bool,
    /// Whether it is as it is because its lease ran out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) lease_over: bool,
    /// At how many per cent it goes on then; none where it goes off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lease_end: Option<f64>,
}

/// An action that a device can do, with the range of its parameter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SupportedAction {
    /// on, off, set_speed, set_position, set_flow_rate or pulse.
    pub action: &'static str,
    /// percentage, seconds or ml_per_sec.
    #[serde(rename = "parameterType", skip_serializing_if = "Option::is_none")]
    pub parameter: Option<&'static str>,
    /// The least that the parameter may be.
    #[serde(rename = "minValue", skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The most.
    #[serde(rename = "maxValue", skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

const fn plain(action: &'static str) -> SupportedAction {
    SupportedAction {
        action,
        parameter: None,
        min: None,
        max: None,
    }
}

const fn with(
    action: &'static str,
    parameter: &'static str,
    min: f64,
    max: f64,
) -> SupportedAction {
    SupportedAction {
        action,
        parameter: Some(parameter),
        min: Some(min),
        max: Some(max),
    }
}

const FAN: [SupportedAction; 3] = [
    plain("on"),
    plain("off"),
    with("set_speed", "percentage", 0.0, 100.0),
];
const VENT: [SupportedAction; 3] = [
    plain("on"),
    plain("off"),
    with("set_position", "percentage", 0.0, 100.0),
];
const SWITCHED: [SupportedAction; 3] = [
    plain("on"),
    plain("off"),
    with("pulse", "seconds", 1.0, 60.0),
];
const DOSING: [SupportedAction; 4] = [
    plain("on"),
    plain("off"),
    with("set_flow_rate", "ml_per_sec", 0.1, 10.0),
    with("pulse", "seconds", 1.0, 60.0),
];

/// What devices of that type can do.
#[must_use]
pub const fn supported_actions(device_type: DeviceType) -> &'static [SupportedAction] {
    match device_type {
        DeviceType::Fan => &FAN,
        DeviceType::Vent | DeviceType::Shade | DeviceType::Curtain => &VENT,
        DeviceType::Pump
        | DeviceType::Valve
        | DeviceType::Fogger
        | DeviceType::Heater
        | DeviceType::Light
        | DeviceType::MixingPump
        | DeviceType::Siren => &SWITCHED,
        DeviceType::DosingPump => &DOSING,
        DeviceType::Sensor => &[],
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct TelemetryMessage<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ts: Option<i64>,
    pub(crate) seq: u64,
    pub(crate) sensors: Vec<ReadingEntry<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ReadingEntry<'a> {
    pub(crate) id: &'a str,
    #[serde(rename = "type")]
    pub(crate) sensor_type: SensorType,
    pub(crate) unit: &'static str,
    #[serde(rename = "latestValue")]
    pub(crate) latest_value: Option<f64>,
}

/// Numbers, text and lists of this crate's messages always serialise; an empty payload would be refused and counted.
pub(crate) fn bytes(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).unwrap_or_default()
}
