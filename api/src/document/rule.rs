//! Rules as the OpenAPI document describes them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::clock::{DatesDocument, ScheduledDocument, WeekdayDocument, WindowDocument};
use super::setpoint::{CurveDocument, SetpointConditionDocument};
use super::{ScopeDocument, SensorTypeDocument};

/// How a mean is compared.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Operator)]
#[allow(missing_docs, reason = "each is the comparison that it names")]
pub enum OperatorDocument {
    Gt,
    Gte,
    Lt,
    Lte,
    Eq,
    Between,
}
/// A trigger or a stop condition.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Condition)]
pub struct ConditionDocument {
    /// What is measured.
    pub sensor_type: SensorTypeDocument,
    /// How it is compared; a stop condition knows no `between`.
    pub operator: OperatorDocument,
    /// With what.
    pub value: f64,
    /// The upper end, for `between`.
    pub value_max: Option<f64>,
    /// How long it must hold, in seconds; 300 by default.
    #[schema(default = 300, minimum = 1)]
    pub duration_sec: i64,
    /// Where; the rule's scope by default (the trigger's, for a stop condition).
    pub scope: Option<ScopeDocument>,
}
/// What starts a rule: a condition, a tree of them, or a schedule.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = Trigger)]
#[allow(clippy::large_enum_variant, reason = "only its shape is told")]
pub enum TriggerDocument {
    /// A signal compared with a number.
    Condition(ConditionDocument),
    /// A signal compared with a setpoint.
    Setpoint(SetpointConditionDocument),
    /// By the clock; the rule then has `run_sec`.
    Schedule(ScheduledDocument),
    /// A tree.
    Tree(TreeDocument),
}
/// What stops a rule: a condition, or a tree of them.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = StopCondition)]
pub enum StopDocument {
    /// A signal compared with a number.
    Condition(ConditionDocument),
    /// A signal compared with a setpoint.
    Setpoint(SetpointConditionDocument),
    /// A tree.
    Tree(TreeDocument),
}
/// A tree of conditions, and for how long it must hold. It says one of `all`, `any`, `not`, `time`, `days`, `dates`, `rule` and
/// `device`, as [`NodeDocument`] does.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ConditionTree)]
pub struct TreeDocument {
    /// All of them.
    #[schema(no_recursion)]
    pub all: Option<Vec<NodeDocument>>,
    /// Any of them.
    #[schema(no_recursion)]
    pub any: Option<Vec<NodeDocument>>,
    /// The opposite.
    #[schema(no_recursion)]
    pub not: Option<Box<NodeDocument>>,
    /// From a moment of a day to the next other one.
    pub time: Option<WindowDocument>,
    /// Weekdays: of the date, or beside `time` on which the window begins.
    pub days: Option<Vec<WeekdayDocument>>,
    /// A part of the year.
    pub dates: Option<DatesDocument>,
    /// Another rule that is running, by its id.
    pub rule: Option<String>,
    /// A device, by its id.
    pub device: Option<String>,
    /// What that device is reported to be.
    pub is: Option<OnOffDocument>,
    /// How long it must hold, in seconds; 300 by default where it compares a signal, else 1.
    #[schema(minimum = 1)]
    pub duration_sec: i64,
}
/// A node of a tree: exactly one of `sensor_type` (with `operator`, and `value` or `setpoint`), `all`, `any`, `not`, `time`, `days`, `dates`, `rule` and
/// `device`. At most 32 nodes a tree, 6 levels deep, 16 branches a node.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ConditionNode)]
pub struct NodeDocument {
    /// What is measured.
    pub sensor_type: Option<SensorTypeDocument>,
    /// How it is compared.
    pub operator: Option<OperatorDocument>,
    /// With what.
    pub value: Option<f64>,
    /// The upper end, for `between`.
    pub value_max: Option<f64>,
    /// The id of a setpoint, in place of a value; it is of that type, and the comparison greater or less, with or without equal.
    pub setpoint: Option<String>,
    /// How much is added to the setpoint; 0 by default.
    #[schema(minimum = -1_000_000, maximum = 1_000_000)]
    pub offset: Option<f64>,
    /// Where; the rule's scope by default.
    pub scope: Option<ScopeDocument>,
    /// All of them.
    #[schema(no_recursion)]
    pub all: Option<Vec<Self>>,
    /// Any of them.
    #[schema(no_recursion)]
    pub any: Option<Vec<Self>>,
    /// The opposite.
    #[schema(no_recursion)]
    pub not: Option<Box<Self>>,
    /// From a moment of a day to the next other one.
    pub time: Option<WindowDocument>,
    /// Weekdays: of the date, or beside `time` on which the window begins.
    pub days: Option<Vec<WeekdayDocument>>,
    /// A part of the year.
    pub dates: Option<DatesDocument>,
    /// Another rule that is running, by its id.
    pub rule: Option<String>,
    /// A device, by its id.
    pub device: Option<String>,
    /// What that device is reported to be.
    pub is: Option<OnOffDocument>,
    /// For how long what it says must hold until it is true, in seconds; 0 by default.
    #[schema(default = 0, minimum = 0)]
    pub hold_sec: Option<i64>,
}
/// What a device is reported to be.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = OnOff)]
#[allow(missing_docs, reason = "each is what it names")]
pub enum OnOffDocument {
    On,
    Off,
}
/// The name of an action.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ActionName)]
#[allow(missing_docs, reason = "each is the action that it names")]
pub enum ActionNameDocument {
    On,
    Off,
    SetSpeed,
    SetPosition,
    SetFlowRate,
    Pulse,
}
/// An action and its value.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Order)]
pub struct OrderDocument {
    /// on, off, set_speed and set_position (%), set_flow_rate (ml/s), pulse (s).
    pub action: ActionNameDocument,
    /// The value, where the action has one.
    pub value: Option<f64>,
}
/// One thing that a rule does when it fires.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RuleAction)]
pub struct ActionDocument {
    /// On which device.
    pub device_id: String,
    /// The device's name; a label.
    pub device_name: Option<String>,
    /// What to send; with a curve, while its signal is not known.
    pub command: OrderDocument,
    /// How the command's value follows a signal; of a speed, a position or a flow rate.
    pub curve: Option<CurveDocument>,
    /// How long after firing, in seconds; 0 by default.
    #[schema(default = 0, minimum = 0)]
    pub delay_sec: i64,
    /// For how long, in seconds; without it until the rule stops.
    #[schema(minimum = 1, maximum = 86400)]
    pub for_sec: Option<i64>,
    /// How much longer than the rule it goes on, in seconds.
    #[schema(minimum = 1, maximum = 60)]
    pub linger_sec: Option<i64>,
}
/// Whether a rule may run.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RuleMode)]
#[allow(missing_docs, reason = "each is the mode that it names")]
pub enum RuleModeDocument {
    Auto,
    Disabled,
}
/// What a running rule does when its end condition becomes unknown.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = OnSignalLost)]
#[allow(missing_docs, reason = "each is what it names")]
pub enum OnSignalLostDocument {
    Stop,
    Hold,
}
/// An automation rule.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RuleDocument)]
pub struct RuleDocument {
    /// Its id, unique in the farm; a new rule without one gets `rule-{timestamp}`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Whether it may run; auto by default.
    pub mode: RuleModeDocument,
    /// 1 to 10, 5 by default; 10 is the strongest.
    #[schema(default = 5, minimum = 1, maximum = 10)]
    pub priority: u8,
    /// Where it belongs.
    pub scope: ScopeDocument,
    /// When it fires.
    pub trigger: TriggerDocument,
    /// What it does.
    #[schema(max_items = 64)]
    pub actions: Vec<ActionDocument>,
    /// When it stops; without one, when its trigger has been false for a while.
    pub stop_condition: Option<StopDocument>,
    /// How long it runs at most, in seconds; a schedule needs it.
    #[schema(minimum = 1, maximum = 86400)]
    pub run_sec: Option<i64>,
    /// What it does when its end condition becomes unknown; stop by default.
    pub on_signal_lost: OnSignalLostDocument,
    /// Whether it is more than a draft.
    pub deployed: bool,
    /// Who wrote it; the server fills it in.
    #[schema(value_type = Option<String>)]
    pub created_by: Value,
    /// When it was written, in epoch milliseconds; the server fills it in.
    #[schema(value_type = Option<i64>)]
    pub created_at: Value,
}
/// A hold and what it still needs.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Hold)]
pub struct HoldDocument {
    /// Since when the condition is true.
    pub hold_since: i64,
    /// How long it must be, in milliseconds.
    pub length: i64,
    /// Samples so far.
    pub samples: u8,
    /// Samples needed.
    pub samples_needed: u8,
}
/// Where a rule stands.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "phase")]
#[schema(as = RulePhase)]
pub enum RulePhaseDocument {
    /// Not active, or its trigger is not true.
    Idle,
    /// Its trigger holds.
    Pending {
        /// Since when the condition is true.
        hold_since: i64,
        /// How long it must be, in milliseconds.
        length: i64,
        /// Samples so far.
        samples: u8,
        /// Samples needed.
        samples_needed: u8,
    },
    /// It fired.
    Running {
        /// When.
        since: i64,
        /// The hold on its end condition, if that is true.
        ending: Option<HoldDocument>,
        /// When its patience with an unknown end condition ends.
        patience_ends_at: Option<i64>,
    },
}
