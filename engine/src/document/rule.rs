//! The automation rule document.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::reader::{Fields, Problems, document};
use super::scope::ScopeSpec;
use crate::id::{DeviceId, RuleId};
use crate::quantity::{Decimal, Quantity};
use crate::sensor_type::SensorType;
use crate::setting::{Order, OrderSpec};
use crate::time::Duration;
use crate::truth::Operator;

/// The most actions that a rule may have.
const MAX_ACTIONS: usize = 64;
const DEFAULT_PRIORITY: u8 = 5;
const DEFAULT_DURATION: Duration = Duration::from_secs(300);

/// Whether a rule may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleMode {
    /// It runs by itself, if it is deployed.
    Auto,
    /// It does not run.
    Disabled,
}

/// What a running rule does when its end condition becomes unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnSignalLost {
    /// It stops at once.
    Stop,
    /// It goes on for at most an hour without a break.
    Hold,
}

const OPERATORS: [(&str, Operator); 6] = [
    ("gt", Operator::Gt),
    ("gte", Operator::Gte),
    ("lt", Operator::Lt),
    ("lte", Operator::Lte),
    ("eq", Operator::Eq),
    ("between", Operator::Between),
];

/// A trigger or a stop condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConditionSpec {
    /// What is measured.
    pub sensor_type: SensorType,
    /// How it is compared.
    pub operator: Operator,
    /// With what.
    pub value: Quantity,
    /// The upper end, for `between`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_max: Option<Quantity>,
    /// How long it must hold; 300 s by default.
    #[serde(rename = "duration_sec", serialize_with = "as_secs")]
    pub duration: Duration,
    /// Where; the rule's scope (a trigger) or the trigger's (a stop condition) by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeSpec>,
}

pub(super) fn as_secs<S: serde::Serializer>(d: &Duration, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_i64(d.as_secs())
}

/// One thing that a rule does when it fires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActionSpec {
    /// On which device.
    pub device_id: DeviceId,
    /// The device's name when the rule was written; a label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_name: Option<String>,
    /// What to send.
    pub command: OrderSpec,
    /// How long after firing.
    #[serde(rename = "delay_sec", serialize_with = "as_secs")]
    pub delay: Duration,
}

/// An automation rule as it is written and stored. [`crate::Engine`] compiles it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleSpec {
    /// Its id.
    pub id: RuleId,
    /// Its name; a label.
    pub name: String,
    /// What it is for; a label.
    pub description: String,
    /// Whether it may run.
    pub mode: RuleMode,
    /// 1 to 10; 10 is the strongest.
    pub priority: u8,
    /// Where it belongs.
    pub scope: ScopeSpec,
    /// When it fires.
    pub trigger: ConditionSpec,
    /// What it does.
    pub actions: Vec<ActionSpec>,
    /// When it stops; without one, when its trigger has been false for a while.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_condition: Option<ConditionSpec>,
    /// What it does when its end condition becomes unknown.
    pub on_signal_lost: OnSignalLost,
    /// Whether it is more than a draft.
    pub deployed: bool,
    /// Who wrote it; a label.
    pub created_by: Value,
    /// When it was written; a label.
    pub created_at: Value,
}

impl RuleSpec {
    /// Whether the rule takes part: mode is auto and it is deployed.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.mode == RuleMode::Auto && self.deployed
    }

    pub(super) fn read(f: &mut Fields<'_>) -> Self {
        let rule = Self {
            id: RuleId::new(f.id("id")),
            name: f.text("name"),
            description: f.text_or_empty("description"),
            mode: f
                .one_of(
                    "mode",
                    &[("auto", RuleMode::Auto), ("disabled", RuleMode::Disabled)],
                )
                .unwrap_or(RuleMode::Auto),
            priority: f
                .whole("priority", 1, 10)
                .and_then(|p| u8::try_from(p).ok())
                .unwrap_or(DEFAULT_PRIORITY),
            scope: f
                .nested("scope", ScopeSpec::read)
                .unwrap_or_else(ScopeSpec::farm),
            trigger: f
                .nested("trigger", |t| ConditionSpec::read(t, true))
                .unwrap_or_else(ConditionSpec::stand_in),
            actions: f.list("actions", MAX_ACTIONS, ActionSpec::read),
            stop_condition: f.nested("stop_condition", |s| ConditionSpec::read(s, false)),
            on_signal_lost: f
                .one_of(
                    "on_signal_lost",
                    &[("stop", OnSignalLost::Stop), ("hold", OnSignalLost::Hold)],
                )
                .unwrap_or(OnSignalLost::Stop),
            deployed: f.flag("deployed").unwrap_or(false),
            created_by: f.label("created_by"),
            created_at: f.label("created_at"),
        };
        for required in ["scope", "trigger"] {
            if !f.has(required) {
                f.missing_unless_reported(required);
            }
        }
        if [
            "rest",
            "manual",
            "lock",
            "safety",
            "max_on",
            "stop",
            "corrected",
        ]
        .contains(&rule.id.as_str())
        {
            f.problem(
                "id",
                "reserved",
                format!(
                    "{} is reserved: it names another cause of commands",
                    rule.id
                ),
            );
        }
        rule
    }
}

document!(RuleSpec);

impl ConditionSpec {
    /// Stands in for one that is missing; the problem is already reported.
    fn stand_in() -> Self {
        Self {
            sensor_type: SensorType::Temperature,
            operator: Operator::Gt,
            value: Quantity::default(),
            value_max: None,
            duration: DEFAULT_DURATION,
            scope: None,
        }
    }

    fn read(f: &mut Fields<'_>, with_between: bool) -> Self {
        let sensor_type =
            f.required_one_of("sensor_type", &SensorType::ALL.map(|t| (t.as_str(), t)));
        let operator = f.required_one_of(
            "operator",
            if with_between {
                &OPERATORS
            } else {
                &OPERATORS[..5]
            },
        );
        let in_range = |f: &mut Fields<'_>, key: &str, d: Decimal| {
            if let Some(t) = sensor_type {
                let (min, max) = t.editor_range();
                if !d.within(min, max) {
                    f.problem(
                        key,
                        "out_of_range",
                        format!("{} is outside {min} to {max} {}", d.rounded(), t.unit())
                            .trim_end()
                            .to_owned(),
                    );
                }
            }
            d.rounded()
        };
        let value = f.required_decimal("value").map(|d| in_range(f, "value", d));
        let value_max = if operator == Some(Operator::Between) {
            f.required_decimal("value_max")
        } else {
            f.decimal("value_max")
        };
        let value_max = match (operator, value_max) {
            (Some(Operator::Between), Some(d)) => Some(in_range(f, "value_max", d)),
            (_, other) => other.map(Decimal::rounded),
        };
        if let (Some(Operator::Between), Some(min), Some(max)) = (operator, value, value_max)
            && min > max
        {
            f.problem(
                "value_max",
                "out_of_range",
                format!("{max} is below value {min}"),
            );
        }
        Self {
            sensor_type: sensor_type.unwrap_or(SensorType::Temperature),
            operator: operator.unwrap_or(Operator::Gt),
            value: value.unwrap_or_default(),
            value_max,
            duration: f.seconds("duration_sec", 1).unwrap_or(DEFAULT_DURATION),
            scope: f.nested("scope", ScopeSpec::read),
        }
    }
}

impl ActionSpec {
    fn read(f: &mut Fields<'_>) -> Self {
        let command = f.nested("command", |c| {
            let spec = OrderSpec {
                action: c.text("action"),
                value: c.decimal("value").map(Decimal::rounded),
            };
            if let Err(e) = Order::compile(&spec)
                && !spec.action.is_empty()
            {
                c.problem(e.field(), e.code(), e.to_string());
            }
            spec
        });
        if command.is_none() {
            f.missing_unless_reported("command");
        }
        Self {
            device_id: DeviceId::new(f.id("device_id")),
            device_name: f.optional_text("device_name"),
            command: command.unwrap_or_else(|| OrderSpec {
                action: "off".into(),
                value: None,
            }),
            delay: f.seconds("delay_sec", 0).unwrap_or(Duration::ZERO),
        }
    }
}
