//! What a device did and who had wanted it so: its reports, each with the command that led to it.

use std::collections::HashMap;

use harit_engine::{Quantity, Timestamp};
use harit_ingest::history::StoredReport;
use harit_ingest::{CommandLife, CommandState};
use serde::Serialize;
use utoipa::ToSchema;

/// How long before a change the command behind it may have been decided: a controller that was away does it when it is back.
pub(crate) const COMMAND_BEFORE_MS: i64 = 3_600 * 1_000;

/// A time in which nothing changed.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = DeviceSegment)]
pub(crate) struct Segment {
    /// When it began; of the first segment it may lie before `from`.
    pub(crate) at: i64,
    /// When it ended; null if it goes on at `to`.
    #[schema(required)]
    pub(crate) until: Option<i64>,
    pub(crate) on: bool,
    /// The value, where the device has one.
    #[schema(required, value_type = Option<f64>)]
    pub(crate) value: Option<Quantity>,
    /// rule, rest, manual, lock, safety, max_on, limit or corrected; `device` where no command led to it.
    pub(crate) cause: &'static str,
    /// The person's or the rule's name.
    #[schema(required)]
    pub(crate) by: Option<String>,
}

/// What the commands that were not refused told a device.
pub(crate) fn told(commands: &[CommandLife]) -> Vec<StoredReport> {
    let change = |life: &CommandLife| {
        let (on, value) = setting(life)?;
        Some(StoredReport {
            at: life.at,
            on: Some(on),
            value,
        })
    };
    commands.iter().filter_map(change).collect()
}

/// What a command sets its device to; none where it was refused, or sets nothing that lasts.
fn setting(life: &CommandLife) -> Option<(bool, Option<Quantity>)> {
    if life.state == CommandState::Failed {
        return None;
    }
    match life.action.as_str() {
        "off" => Some((false, None)),
        "on" => Some((true, life.value)),
        "pulse" => Some((true, None)),
        "set_speed" | "set_position" | "set_flow_rate" => Some((
            life.value.is_some_and(|v| v > Quantity::default()),
            life.value,
        )),
        _ => None,
    }
}

/// The times in which nothing changed; reports and commands are oldest first.
pub(crate) fn segments(
    changes: &[StoredReport],
    commands: &[CommandLife],
    rules: &HashMap<String, String>,
) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut before: Option<(Option<bool>, Option<Quantity>)> = None;
    for change in changes {
        if before == Some((change.on, change.value)) {
            // written anew after a restart
            continue;
        }
        before = Some((change.on, change.value));
        let at = change.at.as_millis();
        if let Some(last) = segments.last_mut()
            && last.until.is_none()
        {
            last.until = Some(at);
        }
        let Some(on) = change.on else { continue };
        let (cause, by) = behind(change.at, on, change.value, commands, rules);
        segments.push(Segment {
            at,
            until: None,
            on,
            value: change.value,
            cause,
            by,
        });
    }
    segments
}

/// Whose command led to a change: the last one before it, if that wanted just this.
fn behind(
    at: Timestamp,
    on: bool,
    value: Option<Quantity>,
    commands: &[CommandLife],
    rules: &HashMap<String, String>,
) -> (&'static str, Option<String>) {
    let earlier = commands.get(..commands.partition_point(|life| life.at <= at));
    let last =
        { earlier.unwrap_or_default().iter().rev() }.find_map(|life| Some((life, setting(life)?)));
    let Some((life, (wanted, wanted_value))) = last else {
        return ("device", None);
    };
    let too_old = at.as_millis().saturating_sub(life.at.as_millis()) > COMMAND_BEFORE_MS;
    let same_value = !on || value.is_none() || wanted_value.is_none() || value == wanted_value;
    // a pulse ends by itself
    let pulse_over = life.action == "pulse" && !on;
    if too_old || !(pulse_over || (wanted == on && same_value)) {
        return ("device", None);
    }
    let person = || life.owner.as_ref().map(|o| o.name.to_string());
    match life.cause.as_str() {
        "rest" => ("rest", None),
        "manual" | "stop" => ("manual", person()),
        "lock" => ("lock", None),
        "safety" => ("safety", None),
        "max_on" => ("max_on", None),
        "limit" => ("limit", None),
        "corrected" => ("corrected", None),
        rule => (
            "rule",
            Some(rules.get(rule).cloned().unwrap_or_else(|| rule.to_owned())),
        ),
    }
}
