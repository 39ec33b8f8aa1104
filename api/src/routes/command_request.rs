//! What a person asks of a device, made into the engine's input.

use harit_engine::{DeviceId, DeviceType, Manual, ManualKind, Owner, Quantity};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::access::{Asks, CommandFreely, FarmAccess, Kind, Needs};
use crate::error::ApiError;
use crate::language::Text;

/// The shortest override, in seconds.
const MIN_OVERRIDE_SEC: i64 = 60;
/// The longest override of a person who is no admin: 60 minutes.
const MAX_OVERRIDE_SEC: i64 = 3_600;
/// The longest override of an admin: 999,999 minutes.
const MAX_ADMIN_OVERRIDE_SEC: i64 = 999_999 * 60;
/// The longest reason, in characters.
pub(super) const MAX_REASON_CHARS: usize = 500;

/// The kinds of manual command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = CommandType)]
pub(super) enum CommandType {
    /// Keep a setting for a while, whatever the rules want.
    Override,
    /// On for some seconds.
    Pulse,
    /// Back to the rules.
    Release,
}

/// What a worker asks of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = WorkAction)]
pub(super) enum Ask {
    On,
    Off,
    /// On for some seconds.
    Pulse,
    /// Back to the rules.
    Release,
}

/// A manual command. Who gives it is the caller, whatever the body says.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = CommandRequest)]
pub(super) struct CommandRequest {
    cmd_type: CommandType,
    pub(super) device_id: String,
    #[schema(required = false)]
    #[serde(default)]
    action: CommandAction,
    /// Shown with the command.
    reason: Option<String>,
    /// How long an override lasts: 60 to 3600, for OWNER and ADMIN to 59999940. A release has none (or 0).
    duration_sec: Option<i64>,
}

/// What is asked of the device.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = CommandAction)]
pub(super) struct CommandAction {
    /// `manual`, or `auto` for a release; only told.
    #[allow(dead_code, reason = "part of the message; cmd_type says the same")]
    mode: Option<String>,
    /// on, off, set_speed, set_position or set_flow_rate. Without one it follows from `on`, else from the value and the type
    /// of the device: 0 is off, and otherwise a vent or valve is set to a position, a dosing pump to a flow, others to a speed.
    action: Option<String>,
    on: Option<bool>,
    /// 0 to 100 %, or ml/s for a dosing pump.
    #[schema(value_type = Option<f64>)]
    value: Option<Quantity>,
    /// How long a pulse lasts, 1 to 60.
    duration_sec: Option<i64>,
}

impl CommandRequest {
    /// What somebody asks of a device in the one word that is the action's.
    pub(super) fn of(device_id: String, asked: Ask, duration_sec: Option<i64>) -> Self {
        let (cmd_type, on) = match asked {
            Ask::On => (CommandType::Override, Some(true)),
            Ask::Off => (CommandType::Override, Some(false)),
            Ask::Pulse => (CommandType::Pulse, None),
            Ask::Release => (CommandType::Release, None),
        };
        let pulse = cmd_type == CommandType::Pulse;
        Self {
            cmd_type,
            device_id,
            action: CommandAction {
                on,
                duration_sec: duration_sec.filter(|_| pulse),
                ..CommandAction::default()
            },
            reason: None,
            duration_sec: duration_sec.filter(|_| on.is_some()),
        }
    }

    /// Whether it must not be done twice: each is as long again.
    pub(super) fn is_pulse(&self) -> bool {
        matches!(self.cmd_type, CommandType::Pulse)
    }

    /// Whether it switches the device off, or gives it back.
    pub(super) fn stops(&self) -> bool {
        match self.cmd_type {
            CommandType::Release => true,
            CommandType::Pulse => false,
            // which of the actions that set a value it is depends on the type of the device; whether it is off does not
            CommandType::Override => {
                asked(&self.action, DeviceType::Fan).is_some_and(|(action, _)| action == "off")
            }
        }
    }
}

impl Asks for CommandRequest {
    fn kind(&self) -> Kind {
        if self.stops() {
            Kind::Stop
        } else {
            Kind::Command
        }
    }
}

/// The engine's input for a request; who asks is the caller.
pub(super) fn manual<N: Needs>(
    access: &FarmAccess<N>,
    request: CommandRequest,
    device_type: DeviceType,
) -> Result<Manual, ApiError> {
    let admin = access.may::<CommandFreely>();
    let reason = request
        .reason
        .map(|r| r.trim().chars().take(MAX_REASON_CHARS).collect::<String>())
        .filter(|r| !r.is_empty());
    let owner = Owner {
        user_id: access.user().id.as_str().into(),
        name: access.user().name.as_str().into(),
        reason: reason.map(Into::into),
    };
    let mut manual = Manual {
        device: DeviceId::new(request.device_id),
        kind: match request.cmd_type {
            CommandType::Override => ManualKind::Override,
            CommandType::Pulse => ManualKind::Pulse,
            CommandType::Release => ManualKind::Release,
        },
        action: None,
        value: None,
        duration_sec: None,
        admin,
        owner: Some(owner.into()),
    };
    match manual.kind {
        ManualKind::Override => {
            let (action, value) = asked(&request.action, device_type)
                .ok_or_else(|| ApiError::field("action", "required", Text::CommandInvalid))?;
            manual.duration_sec = duration(request.duration_sec, action == "off", admin)?;
            manual.action = Some(action.into());
            manual.value = value;
        }
        ManualKind::Pulse => {
            manual.value = request
                .action
                .duration_sec
                .map(Quantity::from_units)
                .or(request.action.value);
        }
        ManualKind::Release => {}
    }
    Ok(manual)
}

/// The length of an override. Off may come without one: it is obeyed also where no manual mode can start.
fn duration(asked: Option<i64>, off: bool, admin: bool) -> Result<Option<i64>, ApiError> {
    let longest = if admin {
        MAX_ADMIN_OVERRIDE_SEC
    } else {
        MAX_OVERRIDE_SEC
    };
    match asked {
        None if off => Ok(None),
        None => Err(ApiError::field(
            "duration_sec",
            "required",
            Text::DurationTooShort,
        )),
        Some(secs) if secs < MIN_OVERRIDE_SEC => Err(ApiError::field(
            "duration_sec",
            "out_of_range",
            Text::DurationTooShort,
        )),
        Some(secs) if secs > longest => Err(ApiError::field(
            "duration_sec",
            "out_of_range",
            Text::DurationTooLong,
        )),
        Some(secs) => Ok(Some(secs)),
    }
}

/// The action and value that a request means.
fn asked(action: &CommandAction, device_type: DeviceType) -> Option<(&str, Option<Quantity>)> {
    if let Some(name) = &action.action {
        return Some((name, action.value));
    }
    let full = action.value.is_none_or(|v| v == Quantity::from_units(100));
    match (action.on, action.value) {
        (Some(false), _) => Some(("off", None)),
        (Some(true), _) if full => Some(("on", None)),
        (None, None) => None,
        (None, Some(v)) if v == Quantity::default() => Some(("off", None)),
        (_, value) => Some(match device_type {
            of if of.opens() => ("set_position", value),
            DeviceType::DosingPump => ("set_flow_rate", value),
            _ => ("set_speed", value),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_without_an_action_name_means_what_its_device_can_do() {
        let of = |json: &str, device_type| {
            let action: CommandAction = serde_json::from_str(json).expect("an action");
            asked(&action, device_type)
                .map(|(name, value)| (name.to_owned(), value.map(|v| v.to_string())))
        };
        let is =
            |name: &str, value: Option<&str>| Some((name.to_owned(), value.map(str::to_owned)));
        for (json, device_type, meant) in [
            (r#"{"on": true}"#, DeviceType::Fan, is("on", None)),
            (
                r#"{"on": true, "value": 100}"#,
                DeviceType::Pump,
                is("on", None),
            ),
            (
                r#"{"on": true, "value": 40}"#,
                DeviceType::Fan,
                is("set_speed", Some("40")),
            ),
            (
                r#"{"value": 40}"#,
                DeviceType::Vent,
                is("set_position", Some("40")),
            ),
            (
                r#"{"value": 2.5}"#,
                DeviceType::DosingPump,
                is("set_flow_rate", Some("2.5")),
            ),
            (r#"{"value": 0}"#, DeviceType::Fan, is("off", None)),
            (
                r#"{"on": false, "value": 40}"#,
                DeviceType::Fan,
                is("off", None),
            ),
            (
                r#"{"action": "set_speed", "value": 7}"#,
                DeviceType::Vent,
                is("set_speed", Some("7")),
            ),
            (r#"{"mode": "manual"}"#, DeviceType::Fan, None),
        ] {
            assert_eq!(of(json, device_type), meant, "{json}");
        }
    }

    #[test]
    fn overrides_last_from_a_minute_to_what_the_role_permits() {
        assert!(duration(None, false, true).is_err());
        assert_eq!(duration(None, true, false).ok(), Some(None));
        assert!(duration(Some(59), false, true).is_err());
        assert_eq!(duration(Some(3_600), false, false).ok(), Some(Some(3_600)));
        assert!(duration(Some(3_601), false, false).is_err());
        assert_eq!(duration(Some(3_601), false, true).ok(), Some(Some(3_601)));
        assert!(duration(Some(MAX_ADMIN_OVERRIDE_SEC + 1), false, true).is_err());
    }
}
