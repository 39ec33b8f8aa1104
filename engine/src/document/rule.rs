//! The automation rule document.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::curve::CurveSpec;
use super::reader::{Fields, document};
use super::schedule::ScheduleSpec;
use super::scope::ScopeSpec;
use super::tree::{NodeSpec, TreeSpec};
use crate::id::{DeviceId, RuleId};
use crate::problem::{NumberRange, Problems};
use crate::quantity::{Decimal, Quantity};
use crate::sensor_type::SensorType;
use crate::setting::{Order, OrderSpec};
use crate::time::Duration;
use crate::truth::Operator;

/// The most actions that a rule may have.
const MAX_ACTIONS: usize = 64;
/// The longest run of a rule or an action, in seconds.
const MAX_RUN: i64 = 86_400;
/// The most seconds that an action goes on after its rule.
const MAX_LINGER: i64 = 60;
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

#[allow(clippy::ref_option, reason = "the signature that serde asks for")]
fn as_some_secs<S: serde::Serializer>(d: &Option<Duration>, s: S) -> Result<S::Ok, S::Error> {
    d.map(Duration::as_secs).serialize(s)
}

/// When a rule fires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TriggerSpec {
    /// Once something has held for its time.
    When(WhenSpec),
    /// By the clock.
    Schedule(Box<ScheduleSpec>),
}

/// What has to hold: one condition, or a tree of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum WhenSpec {
    /// A signal compared with a number.
    Condition(ConditionSpec),
    /// A tree.
    Tree(TreeSpec),
}

impl WhenSpec {
    pub(super) fn read(f: &mut Fields<'_>, with_between: bool) -> Self {
        // What says nothing of a tree is read as a condition: its problems are those that people know.
        let tree = [
            "all", "any", "not", "time", "days", "dates", "rule", "device", "setpoint",
        ];
        if tree.into_iter().any(|kind| f.has(kind)) {
            return Self::Tree(TreeSpec::read(f));
        }
        Self::Condition(ConditionSpec::read(f, with_between))
    }

    /// How long it must hold.
    #[must_use]
    pub const fn duration(&self) -> Duration {
        match self {
            Self::Condition(c) => c.duration,
            Self::Tree(t) => t.duration,
        }
    }

    /// The comparisons of signals in it.
    #[must_use]
    pub fn conditions(&self) -> Vec<&ConditionSpec> {
        match self {
            Self::Condition(c) => vec![c],
            Self::Tree(t) => t.node.conditions(),
        }
    }

    /// Whether any signal is compared in it.
    #[must_use]
    pub fn has_signal(&self) -> bool {
        match self {
            Self::Condition(_) => true,
            Self::Tree(t) => t.node.has_signal(),
        }
    }

    /// The condition, where it is one alone.
    #[must_use]
    pub const fn as_condition(&self) -> Option<&ConditionSpec> {
        match self {
            Self::Condition(c) => Some(c),
            Self::Tree(_) => None,
        }
    }
}

impl TriggerSpec {
    pub(super) fn read(f: &mut Fields<'_>) -> Self {
        match f.nested("schedule", ScheduleSpec::read) {
            Some(schedule) => Self::Schedule(Box::new(schedule)),
            None => Self::When(WhenSpec::read(f, true)),
        }
    }

    /// What has to hold, unless it is a schedule.
    #[must_use]
    pub const fn when(&self) -> Option<&WhenSpec> {
        match self {
            Self::When(when) => Some(when),
            Self::Schedule(_) => None,
        }
    }

    /// The condition, where it is one alone.
    #[must_use]
    pub const fn as_condition(&self) -> Option<&ConditionSpec> {
        match self {
            Self::When(when) => when.as_condition(),
            Self::Schedule(_) => None,
        }
    }

    /// The comparisons of signals in it; of a schedule, in its guard.
    #[must_use]
    pub fn conditions(&self) -> Vec<&ConditionSpec> {
        match self {
            Self::When(when) => when.conditions(),
            Self::Schedule(s) => s
                .guard
                .as_ref()
                .map(NodeSpec::conditions)
                .unwrap_or_default(),
        }
    }
}

impl Serialize for TriggerSpec {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::When(when) => when.serialize(s),
            Self::Schedule(schedule) => serde_json::json!({"schedule": schedule}).serialize(s),
        }
    }
}

/// One thing that a rule does when it fires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActionSpec {
    /// On which device.
    pub device_id: DeviceId,
    /// The device's name when the rule was written; a label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_name: Option<String>,
    /// What to send; with a curve, while its signal is not known.
    pub command: OrderSpec,
    /// How the command's value follows a signal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curve: Option<Box<CurveSpec>>,
    /// How long after firing.
    #[serde(rename = "delay_sec", serialize_with = "as_secs")]
    pub delay: Duration,
    /// For how long; none: until the rule stops.
    #[serde(
        rename = "for_sec",
        serialize_with = "as_some_secs",
        skip_serializing_if = "Option::is_none"
    )]
    pub lasts: Option<Duration>,
    /// How much longer than the rule it goes on; none: not at all.
    #[serde(
        rename = "linger_sec",
        serialize_with = "as_some_secs",
        skip_serializing_if = "Option::is_none"
    )]
    pub linger: Option<Duration>,
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
    pub trigger: TriggerSpec,
    /// What it does.
    pub actions: Vec<ActionSpec>,
    /// When it stops; without one, when its trigger has been false for a while.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_condition: Option<WhenSpec>,
    /// How long it runs at most; a schedule needs one.
    #[serde(
        rename = "run_sec",
        serialize_with = "as_some_secs",
        skip_serializing_if = "Option::is_none"
    )]
    pub run: Option<Duration>,
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
    /// Whether it is more than a rule of version 1: it has a tree, a schedule or an end of its runs.
    #[must_use]
    pub const fn is_program(&self) -> bool {
        let tree = matches!(self.stop_condition, Some(WhenSpec::Tree(_)));
        tree || self.run.is_some() || self.trigger.as_condition().is_none()
    }

    /// All its trees: trigger or guard, and stop condition.
    #[must_use]
    pub fn trees(&self) -> Vec<&NodeSpec> {
        let trigger = match &self.trigger {
            TriggerSpec::When(WhenSpec::Tree(t)) => Some(&t.node),
            TriggerSpec::When(WhenSpec::Condition(_)) => None,
            TriggerSpec::Schedule(s) => s.guard.as_ref(),
        };
        let stop = match &self.stop_condition {
            Some(WhenSpec::Tree(t)) => Some(&t.node),
            _ => None,
        };
        trigger.into_iter().chain(stop).collect()
    }

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
            trigger: f.nested("trigger", TriggerSpec::read).unwrap_or_else(|| {
                TriggerSpec::When(WhenSpec::Condition(ConditionSpec::stand_in()))
            }),
            actions: f.list("actions", MAX_ACTIONS, ActionSpec::read),
            stop_condition: f.nested("stop_condition", |s| WhenSpec::read(s, false)),
            run: f.whole("run_sec", 1, MAX_RUN).map(Duration::from_secs),
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
        if matches!(rule.trigger, TriggerSpec::Schedule(_)) && rule.run.is_none() {
            f.missing_unless_reported("run_sec");
        }
        if [
            "rest",
            "manual",
            "lock",
            "safety",
            "max_on",
            "stop",
            "corrected",
            "limit",
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

    pub(super) fn read(f: &mut Fields<'_>, with_between: bool) -> Self {
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
                    let range = NumberRange::of_units(min, max).in_unit(t.unit());
                    f.outside(key, d.rounded(), range);
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
                c.order(e.field(), &e);
            }
            spec
        });
        if command.is_none() {
            f.missing_unless_reported("command");
        }
        let curve = command.as_ref().and_then(|c| CurveSpec::read(f, c));
        let action = Self {
            device_id: DeviceId::new(f.id("device_id")),
            device_name: f.optional_text("device_name"),
            command: command.unwrap_or_else(|| OrderSpec {
                action: "off".into(),
                value: None,
            }),
            curve,
            delay: f.seconds("delay_sec", 0).unwrap_or(Duration::ZERO),
            lasts: f.whole("for_sec", 1, MAX_RUN).map(Duration::from_secs),
            linger: f
                .whole("linger_sec", 1, MAX_LINGER)
                .map(Duration::from_secs),
        };
        for (key, given) in [("for_sec", action.lasts), ("linger_sec", action.linger)] {
            if given.is_some() && action.command.action == "pulse" {
                f.problem(key, "not_here", "a pulse has its own seconds");
            }
        }
        action
    }
}
