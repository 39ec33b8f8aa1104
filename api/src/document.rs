//! The engine's documents as the OpenAPI document describes them. The engine reads and writes these documents itself; what
//! is here only tells clients their shape, and a test holds it to what the engine writes.

use std::borrow::Cow;

use harit_engine::SensorType;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::Type;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::routes::SensorTypeBody;

/// What is measured.
#[derive(Debug, Serialize, Deserialize)]
pub struct SensorTypeDocument(SensorType);

impl PartialSchema for SensorTypeDocument {
    fn schema() -> RefOr<Schema> {
        // The table itself, for the console, whose lists follow from it.
        let rows = serde_json::to_value(SensorTypeBody::all()).unwrap_or_default();
        words("What is measured.", SensorType::ALL.map(SensorType::as_str))
            .extensions(Some(Extensions::builder().add("x-table", rows).build()))
            .into()
    }
}

impl ToSchema for SensorTypeDocument {
    fn name() -> Cow<'static, str> {
        "SensorType".into()
    }
}

/// By what a derived sensor is computed.
pub struct DerivedKindDocument;

impl PartialSchema for DerivedKindDocument {
    fn schema() -> RefOr<Schema> {
        let word = |kind| serde_json::to_value(kind).unwrap_or_default();
        // What each needs and gives, for the console, whose form follows from it.
        let rows = harit_derived::Kind::ALL.map(|kind| {
            let inputs = kind.inputs().iter();
            let inputs = inputs.map(|i| serde_json::json!({"name": i.name, "types": i.types}));
            let constants = kind.constants().iter().map(|c| {
                serde_json::json!({"name": c.name, "default": c.default, "min": c.min, "max": c.max})
            });
            serde_json::json!({
                "kind": word(kind), "type": kind.output(), "inputs": inputs.collect::<Vec<_>>(),
                "constants": constants.collect::<Vec<_>>(),
            })
        });
        let kinds = harit_derived::Kind::ALL.map(|kind| word(kind).as_str().map(str::to_owned));
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("By what a derived sensor is computed."))
            .enum_values(Some(kinds.into_iter().flatten()))
            .extensions(Some(
                Extensions::builder()
                    .add("x-table", serde_json::json!(rows))
                    .build(),
            ))
            .into()
    }
}

impl ToSchema for DerivedKindDocument {
    fn name() -> Cow<'static, str> {
        "DerivedKind".into()
    }
}

/// A text that is one of these.
fn words<const N: usize>(description: &str, words: [&str; N]) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description))
        .enum_values(Some(words))
}

/// What kind of place it is.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ScopeType)]
#[allow(missing_docs, reason = "each is the place that it names")]
pub enum ScopeTypeDocument {
    Farm,
    Polyhouse,
    Zone,
}

/// A farm, a polyhouse or a zone.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = Scope)]
pub struct ScopeDocument {
    /// What kind of place it is.
    #[serde(rename = "type")]
    pub kind: ScopeTypeDocument,
    /// The farm; a label.
    pub farm_id: Option<String>,
    /// The polyhouse; required for a polyhouse.
    pub polyhouse_id: Option<String>,
    /// The zone; required for a zone.
    pub zone_id: Option<String>,
    /// The place's name; a label.
    pub name: Option<String>,
    /// The place's path for people; a label.
    pub path: Option<String>,
}

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

/// A node of a tree: exactly one of `sensor_type` (with `operator` and `value`), `all`, `any`, `not`, `time`, `days`, `dates`, `rule` and
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

/// A weekday.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Weekday)]
#[allow(missing_docs, reason = "each is the day that it names")]
pub enum WeekdayDocument {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

/// A moment of a day: a time of day (`HH:MM`), or so long after the sun rises or sets.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = Moment)]
pub enum MomentDocument {
    /// `HH:MM`, by the farm's clock.
    Clock(String),
    /// By the sun.
    Sun(SunMomentDocument),
}

/// So many minutes after the sun rises or sets.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SunMoment)]
pub struct SunMomentDocument {
    /// Which.
    pub sun: SunEventDocument,
    /// How many; before it where below zero.
    #[schema(default = 0, minimum = -720, maximum = 720)]
    pub offset_min: i16,
}

/// Sunrise or sunset.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SunEvent)]
#[allow(missing_docs, reason = "each is what it names")]
pub enum SunEventDocument {
    Sunrise,
    Sunset,
}

/// From a moment of a day to the next other one; it may pass midnight.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TimeWindow)]
pub struct WindowDocument {
    /// When it begins.
    pub from: MomentDocument,
    /// When it is over.
    pub to: MomentDocument,
}

/// A part of the year, both ends included; it may pass the new year.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DateRange)]
pub struct DatesDocument {
    /// `MM-DD`
    pub from: String,
    /// `MM-DD`
    pub to: String,
}

/// A trigger by the clock.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Scheduled)]
pub struct ScheduledDocument {
    /// When it starts.
    pub schedule: ScheduleDocument,
}

/// When a rule starts: `at`, `every`, or both.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Schedule)]
pub struct ScheduleDocument {
    /// At these moments.
    #[schema(max_items = 24)]
    pub at: Option<Vec<MomentDocument>>,
    /// Every so many minutes.
    pub every: Option<EveryDocument>,
    /// On these weekdays; on all by default.
    pub days: Option<Vec<WeekdayDocument>>,
    /// In this part of the year.
    pub dates: Option<DatesDocument>,
    /// Only while this is true.
    pub guard: Option<NodeDocument>,
    /// What it does while the guard is unknown; required with a guard.
    pub if_unknown: Option<IfUnknownDocument>,
    /// How late, in seconds, a start that was missed is still made up for; 0 by default: not at all.
    #[schema(default = 0, minimum = 0, maximum = 86400)]
    pub catch_up_sec: i64,
}

/// Every so many minutes, from a time of day to a later one, both included.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Every)]
pub struct EveryDocument {
    /// How many.
    #[schema(minimum = 1, maximum = 720)]
    pub minutes: u16,
    /// `HH:MM`
    pub from: String,
    /// `HH:MM`
    pub to: String,
}

/// What a schedule does while its guard is unknown.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = IfUnknown)]
#[allow(missing_docs, reason = "each is what it names")]
pub enum IfUnknownDocument {
    Run,
    Skip,
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
    /// What to send.
    pub command: OrderDocument,
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

/// The unit of an alert's repeat interval.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RepeatUnit)]
#[allow(missing_docs, reason = "each is the unit that it names")]
pub enum RepeatUnitDocument {
    Minutes,
    Hours,
    Days,
}

/// The sensors that alerts name.
#[derive(Debug, Serialize, Deserialize)]
pub struct AlertSensorDocument(String);

impl PartialSchema for AlertSensorDocument {
    fn schema() -> RefOr<Schema> {
        words(
            "The sensors that alerts name.",
            SensorType::ALL.map(SensorType::alert_name),
        )
        .into()
    }
}

impl ToSchema for AlertSensorDocument {
    fn name() -> Cow<'static, str> {
        "AlertSensor".into()
    }
}

/// The comparisons of alerts.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = AlertOperator)]
#[allow(missing_docs, reason = "each is the comparison that it names")]
pub enum AlertOperatorDocument {
    #[serde(rename = ">")]
    Gt,
    #[serde(rename = "<")]
    Lt,
    #[serde(rename = "=")]
    Eq,
    #[serde(rename = ">=")]
    Gte,
    #[serde(rename = "<=")]
    Lte,
}

/// How an alert's conditions are joined.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = AlertMatch)]
#[allow(missing_docs, reason = "each is what it names")]
pub enum MatchDocument {
    All,
    Any,
}

/// What an alert's conditions are compared with.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = AlertEvidence)]
pub enum EvidenceDocument {
    /// The worst sensor of the place: the largest value for > and >=, the smallest for < and <=, the mean for =.
    Worst,
    /// The mean of the place.
    Mean,
}

/// How much an alert matters.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = AlertSeverity)]
#[allow(missing_docs, reason = "each is what it names")]
pub enum SeverityDocument {
    Critical,
    Warning,
    Info,
}

/// The ways in which subscribers are told.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = AlertChannel)]
#[allow(missing_docs, reason = "each is the way that it names")]
pub enum ChannelDocument {
    Email,
    Whatsapp,
    Sms,
}

/// Somebody who is told.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = Subscriber)]
pub struct SubscriberDocument {
    /// The e-mail address.
    pub email: String,
}

/// One condition of an alert.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AlertCondition)]
pub struct AlertConditionDocument {
    /// Its id; a label.
    #[schema(value_type = Option<String>)]
    pub id: Value,
    /// What is measured.
    pub sensor: AlertSensorDocument,
    /// How it is compared.
    pub operator: AlertOperatorDocument,
    /// With what.
    pub value: f64,
    /// The unit that was shown; a label.
    #[schema(value_type = Option<String>)]
    pub unit: Value,
}

/// An alert rule.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = AlertDocument)]
pub struct AlertDocument {
    /// Its id, unique in the farm; a new alert without one gets `alert-{timestamp}`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// How many units lie between two notifications.
    #[schema(minimum = 1)]
    pub repeats_in: i64,
    /// Of which unit.
    pub repeat_unit: RepeatUnitDocument,
    /// Whether it is watched; true by default.
    pub is_active: bool,
    /// By which ways subscribers are told.
    #[schema(value_type = Vec<ChannelDocument>)]
    pub channels: Value,
    /// What is watched.
    #[schema(min_items = 1, max_items = 32)]
    pub conditions: Vec<AlertConditionDocument>,
    /// Who is told.
    #[schema(value_type = Vec<SubscriberDocument>)]
    pub subscribers: Value,
    /// When subscribers were last told, in epoch milliseconds; the server keeps it.
    pub last_triggered: Option<i64>,
    /// When it was written, in epoch milliseconds; the server fills it in.
    #[schema(value_type = Option<i64>)]
    pub created_at: Value,
    /// How conditions are joined; all by default.
    #[serde(rename = "match")]
    pub matching: MatchDocument,
    /// How long the joined condition must hold before the alert is raised, in seconds; 0 by default.
    #[serde(rename = "hold_sec")]
    #[schema(minimum = 0)]
    pub hold_sec: i64,
    /// How long its opposite must hold before the alert is resolved, in seconds; 0 by default.
    #[serde(rename = "clear_sec")]
    #[schema(minimum = 0)]
    pub clear_sec: i64,
    /// Where; the farm by default.
    pub scope: Option<ScopeDocument>,
    /// What the conditions are compared with; `worst` for a new alert, and what it was for one that is replaced. One that has
    /// it stays raised when a sensor on whose value it is raised falls silent; one without it watches the mean and does not.
    pub evidence: Option<EvidenceDocument>,
    /// How much it matters; `warning` by default.
    pub severity: SeverityDocument,
}

/// A document to be made: the server gives it an id and fills in defaults, so little of it is required.
macro_rules! new_document {
    ($(#[$doc:meta])* $name:ident of $document:ident as $title:literal needs $required:expr) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let mut schema = $document::schema();
                if let RefOr::T(Schema::Object(object)) = &mut schema {
                    object.required.retain(|field| $required.contains(&field.as_str()));
                }
                schema
            }
        }

        impl ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                $title.into()
            }

            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                $document::schemas(schemas);
            }
        }
    };
}

new_document! {
    /// A rule to be made.
    NewRuleDocument of RuleDocument as "NewRule" needs ["name", "scope", "trigger"]
}
new_document! {
    /// An alert to be made.
    NewAlertDocument of AlertDocument as "NewAlert" needs ["name", "repeatsIn", "repeatUnit", "conditions"]
}

/// What kind of device it is.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = DeviceType)]
#[allow(missing_docs, reason = "each is the device that it names")]
pub enum DeviceTypeDocument {
    Fan,
    Vent,
    Pump,
    Valve,
    DosingPump,
    Sensor,
}

/// Something that a device can do, as its controller announced it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SupportedAction)]
pub struct SupportedActionDocument {
    /// Its name.
    pub action: ActionNameDocument,
    /// percentage, seconds or ml_per_sec.
    pub parameter_type: Option<String>,
    /// The smallest value.
    pub min_value: Option<f64>,
    /// The largest value.
    pub max_value: Option<f64>,
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
