//! The alert rule document.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::reader::{Fields, document};
use super::rule::as_secs;
use super::scope::ScopeSpec;
use super::tree::NodeSpec;
use crate::id::AlertId;
use crate::problem::Problems;
use crate::quantity::{Decimal, Quantity};
use crate::sensor_type::SensorType;
use crate::time::{Duration, MAX_DURATION, Timestamp};
use crate::truth::Operator;

/// The most conditions that an alert may have.
const MAX_CONDITIONS: usize = 32;
/// Thresholds of alerts lie within this many units of zero.
const MAX_THRESHOLD: i64 = 1_000_000;

/// How an alert's conditions are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// All must be true.
    All,
    /// One is enough.
    Any,
}

/// What an alert's conditions are compared with. An alert that says it remembers the sensors on whose values it is raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlertEvidence {
    /// The largest value of the place for > and >=, the smallest for < and <=, the mean for =.
    Worst,
    /// The mean of the place.
    Mean,
}

/// How much an alert matters; a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum AlertSeverity {
    /// Good to know.
    Info,
    /// Somebody should look.
    #[default]
    Warning,
    /// Somebody must look at once.
    Critical,
}

/// The unit of an alert's repeat interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepeatUnit {
    /// 60 s.
    Minutes,
    /// 3,600 s.
    Hours,
    /// 86,400 s.
    Days,
}

impl RepeatUnit {
    const fn secs(self) -> i64 {
        match self {
            Self::Minutes => 60,
            Self::Hours => 3_600,
            Self::Days => 86_400,
        }
    }
}

/// What an alert's condition measures, under the name that people see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlertSensor(SensorType);

impl AlertSensor {
    /// What is measured.
    #[must_use]
    pub const fn sensor_type(self) -> SensorType {
        self.0
    }
}

impl Serialize for AlertSensor {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.0.alert_name())
    }
}

const EVIDENCE: [(&str, AlertEvidence); 2] = [
    ("worst", AlertEvidence::Worst),
    ("mean", AlertEvidence::Mean),
];

const SEVERITIES: [(&str, AlertSeverity); 3] = [
    ("critical", AlertSeverity::Critical),
    ("warning", AlertSeverity::Warning),
    ("info", AlertSeverity::Info),
];

const OPERATORS: [(&str, Operator); 5] = [
    (">", Operator::Gt),
    ("<", Operator::Lt),
    ("=", Operator::Eq),
    (">=", Operator::Gte),
    ("<=", Operator::Lte),
];

/// One condition of an alert.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AlertConditionSpec {
    /// Its id; a label.
    pub id: Value,
    /// What is measured.
    pub sensor: AlertSensor,
    /// How it is compared.
    #[serde(serialize_with = "symbol")]
    pub operator: Operator,
    /// With what.
    pub value: Quantity,
    /// The unit that was shown; a label.
    pub unit: Value,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn symbol<S: serde::Serializer>(op: &Operator, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(
        OPERATORS
            .iter()
            .find(|(_, o)| o == op)
            .map_or("between", |(w, _)| w),
    )
}

/// An alert rule as it is written and stored.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AlertSpec {
    /// Its id.
    pub id: AlertId,
    /// Its name; a label.
    pub name: String,
    /// How many units lie between two notifications.
    pub repeats_in: i64,
    /// Of which unit.
    pub repeat_unit: RepeatUnit,
    /// Whether it is watched.
    pub is_active: bool,
    /// By which ways subscribers are told; a label.
    pub channels: Value,
    /// What is watched.
    pub conditions: Vec<AlertConditionSpec>,
    /// Who is told; a label.
    pub subscribers: Value,
    /// When subscribers were last told.
    pub last_triggered: Option<Timestamp>,
    /// When it was written; a label.
    pub created_at: Value,
    /// How conditions are joined.
    #[serde(rename = "match")]
    pub matching: Match,
    /// How long the joined condition must hold before the alert is raised.
    #[serde(rename = "hold_sec", serialize_with = "as_secs")]
    pub hold: Duration,
    /// How long its opposite must hold before the alert is resolved.
    #[serde(rename = "clear_sec", serialize_with = "as_secs")]
    pub clear: Duration,
    /// Where; the farm by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ScopeSpec>,
    /// What is compared, with memory; without it the mean, without memory, as version 1 has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<AlertEvidence>,
    /// What must be so beside; a scope that is missing is the alert's.
    #[serde(rename = "only_if", skip_serializing_if = "Option::is_none")]
    pub only_if: Option<Box<NodeSpec>>,
    /// How much it matters; a label.
    pub severity: AlertSeverity,
}

impl AlertSpec {
    /// The time between two notifications.
    #[must_use]
    pub const fn repeat(&self) -> Duration {
        Duration::from_secs(self.repeats_in.saturating_mul(self.repeat_unit.secs()))
    }

    pub(super) fn read(f: &mut Fields<'_>) -> Self {
        let units = [
            ("minutes", RepeatUnit::Minutes),
            ("hours", RepeatUnit::Hours),
            ("days", RepeatUnit::Days),
        ];
        let repeat_unit = f
            .required_one_of("repeatUnit", &units)
            .unwrap_or(RepeatUnit::Minutes);
        let repeats_in = f.whole("repeatsIn", 1, MAX_DURATION.as_secs() / repeat_unit.secs());
        let alert = Self {
            id: AlertId::new(f.id("id")),
            name: f.text("name"),
            repeats_in: repeats_in.unwrap_or(1),
            repeat_unit,
            is_active: f.flag("isActive").unwrap_or(true),
            channels: f.label("channels"),
            conditions: f.list("conditions", MAX_CONDITIONS, AlertConditionSpec::read),
            subscribers: f.label("subscribers"),
            last_triggered: read_instant(f, "lastTriggered"),
            created_at: f.label("createdAt"),
            matching: f
                .one_of("match", &[("all", Match::All), ("any", Match::Any)])
                .unwrap_or(Match::All),
            hold: f.seconds("hold_sec", 0).unwrap_or(Duration::ZERO),
            clear: f.seconds("clear_sec", 0).unwrap_or(Duration::ZERO),
            scope: f.nested("scope", ScopeSpec::read),
            evidence: f.one_of("evidence", &EVIDENCE),
            only_if: f.nested("only_if", read_only_if).map(Box::new),
            severity: f.one_of("severity", &SEVERITIES).unwrap_or_default(),
        };
        if repeats_in.is_none() {
            f.missing_unless_reported("repeatsIn");
        }
        if alert.conditions.is_empty() {
            f.missing_unless_reported("conditions");
        }
        alert
    }
}

fn read_only_if(f: &mut Fields<'_>) -> NodeSpec {
    if f.has("duration_sec") {
        let message = "what an alert asks beside has hold_sec";
        f.problem("duration_sec", "not_here", message);
    }
    NodeSpec::read_tree(f)
}

document!(AlertSpec);

impl AlertConditionSpec {
    fn read(f: &mut Fields<'_>) -> Self {
        let value = f.required_decimal("value");
        if value.is_some_and(|d| !d.within(-MAX_THRESHOLD, MAX_THRESHOLD)) {
            f.problem(
                "value",
                "out_of_range",
                format!("a threshold lies within {MAX_THRESHOLD} of zero"),
            );
        }
        Self {
            id: f.label("id"),
            sensor: f
                .required_one_of("sensor", &SensorType::ALL.map(|t| (t.alert_name(), t)))
                .map_or(AlertSensor(SensorType::Temperature), AlertSensor),
            operator: f
                .required_one_of("operator", &OPERATORS)
                .unwrap_or(Operator::Gt),
            value: value.map(Decimal::rounded).unwrap_or_default(),
            unit: f.label("unit"),
        }
    }
}

/// An instant as epoch milliseconds or RFC 3339 text.
fn read_instant(f: &mut Fields<'_>, key: &str) -> Option<Timestamp> {
    match f.label(key) {
        Value::Null => None,
        Value::String(text) => {
            let instant = parse_rfc3339(&text);
            if instant.is_none() {
                f.problem(
                    key,
                    "invalid_time",
                    format!("{text:?} is neither epoch milliseconds nor RFC 3339"),
                );
            }
            instant
        }
        Value::Number(n) if n.as_i64().is_some() => n.as_i64().map(Timestamp::from_millis),
        _ => {
            f.problem(
                key,
                "invalid_time",
                "expected epoch milliseconds or RFC 3339",
            );
            None
        }
    }
}

fn parse_rfc3339(text: &str) -> Option<Timestamp> {
    text.parse::<jiff::Timestamp>()
        .ok()
        .map(|t| Timestamp::from_millis(t.as_millisecond()))
}
