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

mod clock;
mod rule;
mod setpoint;

pub use clock::*;
pub use rule::*;
pub use setpoint::*;

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
    Push,
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
    /// What must be so beside the conditions, as rules have it: the time, what a device is reported to do, another rule that runs. While
    /// it is false the alert is over, whoever is silent.
    #[serde(rename = "only_if")]
    pub only_if: Option<NodeDocument>,
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
    Fogger,
    Heater,
    Light,
    Shade,
    Curtain,
    MixingPump,
    Siren,
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
