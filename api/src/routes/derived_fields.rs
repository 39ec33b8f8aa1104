//! The fields of a derived sensor: as people write them, and as they are shown.

use std::collections::BTreeMap;

use harit_derived::{Document, Kind, Source};
use harit_engine::{Engine, Quantity, ScopeSpec, SensorId, SensorType};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::scopes::Places;
use super::wrong::{TextField, Wrong};
use crate::derived_sensors::DerivedSensor;
use crate::document::{DerivedKindDocument, ScopeDocument, SensorTypeDocument};
use crate::error::ApiError;
use crate::language::Text;
use crate::version::{Versioned, etag};

const NAME: TextField = TextField {
    name: "name",
    max_chars: 120,
    too_long: Text::NameTooLong,
    lines: false,
};

/// What an input is: a sensor, or the mean of a place and a type.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DerivedInput)]
pub(super) struct SourceBody {
    /// The id of a sensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sensor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ScopeDocument>)]
    scope: Option<Value>,
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<SensorTypeDocument>)]
    sensor_type: Option<SensorType>,
}

/// A derived sensor as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = DerivedSensorInput)]
pub(super) struct Input {
    /// Unique among the farm's derived sensors.
    #[schema(required, value_type = String, max_length = 120)]
    pub(super) name: Option<String>,
    #[schema(value_type = DerivedKindDocument)]
    kind: Kind,
    /// What a formula measures; `number` where nothing is said.
    #[serde(rename = "type")]
    #[schema(value_type = Option<SensorTypeDocument>)]
    sensor_type: Option<SensorType>,
    /// Where it is.
    #[schema(value_type = ScopeDocument)]
    scope: Value,
    /// By name; what is left out is measured at its own place, where the kind says what.
    #[serde(default)]
    #[schema(required = false)]
    inputs: BTreeMap<String, SourceBody>,
    /// By name.
    #[serde(default)]
    #[schema(required = false)]
    constants: BTreeMap<String, f64>,
    /// Of the kind `formula`: an expression over the names.
    #[schema(max_length = 2_000)]
    formula: Option<String>,
    /// How many seconds lie between two values at least; 10 where nothing is said.
    #[schema(minimum = 1, maximum = 3_600)]
    interval_sec: Option<i64>,
}

/// A derived sensor.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DerivedSensor)]
pub(super) struct DerivedBody {
    id: String,
    /// The id of the sensor that has its values.
    sensor_id: String,
    name: String,
    #[schema(value_type = DerivedKindDocument)]
    kind: Kind,
    #[serde(rename = "type")]
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: SensorType,
    unit: &'static str,
    #[schema(value_type = ScopeDocument)]
    scope: Value,
    /// As they were written: one that is left out is measured at its own place.
    inputs: BTreeMap<String, SourceBody>,
    constants: BTreeMap<String, f64>,
    #[schema(required)]
    formula: Option<String>,
    #[schema(required)]
    interval_sec: Option<i64>,
    /// Its value, while it is known.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    /// When the newest reading was taken from which it followed last.
    #[schema(required)]
    at: Option<i64>,
    /// The version of what people edit, for `If-Match`.
    etag: String,
}

impl Versioned for DerivedBody {
    fn etag(&self) -> &str {
        &self.etag
    }
}

/// What somebody wrote, with its places as the farm knows them.
pub(super) fn read(input: Input, places: &Places) -> Result<(String, Document), ApiError> {
    let mut wrong = Wrong::default();
    let name = wrong.required_text(&NAME, input.name.as_deref(), Text::NameRequired);
    wrong.done()?;
    let mut inputs = BTreeMap::new();
    for (name, source) in input.inputs {
        let source = match (source.sensor, source.scope, source.sensor_type) {
            (Some(sensor), None, None) => Source::Sensor {
                sensor: SensorId::new(sensor),
            },
            (None, Some(scope), Some(sensor_type)) => Source::Signal {
                scope: places.read(&scope)?,
                sensor_type,
            },
            _ => {
                let path = format!("inputs.{name}");
                return Err(ApiError::field(&path, "required", Text::FieldRequired));
            }
        };
        inputs.insert(name, source);
    }
    let document = Document {
        kind: input.kind,
        sensor_type: input.sensor_type,
        scope: places.read(&input.scope)?,
        inputs,
        constants: input.constants,
        formula: input.formula,
        interval_sec: input.interval_sec,
    };
    Ok((name, document))
}

pub(super) fn body(engine: &Engine, places: &Places, row: DerivedSensor) -> Option<DerivedBody> {
    let document = row.document()?;
    let labelled =
        |scope: &ScopeSpec| serde_json::to_value(places.labelled(scope)).unwrap_or_default();
    let status = engine.sensor(row.sensor().as_str());
    let sensor_type = document.sensor_type.unwrap_or(document.kind.output());
    let inputs = document.inputs.into_iter().map(|(name, source)| {
        let body = match source {
            Source::Sensor { sensor } => SourceBody {
                sensor: Some(sensor.to_string()),
                scope: None,
                sensor_type: None,
            },
            Source::Signal { scope, sensor_type } => SourceBody {
                sensor: None,
                scope: Some(labelled(&scope)),
                sensor_type: Some(sensor_type),
            },
        };
        (name, body)
    });
    Some(DerivedBody {
        sensor_id: row.sensor().to_string(),
        kind: document.kind,
        sensor_type,
        unit: sensor_type.unit(),
        scope: labelled(&document.scope),
        inputs: inputs.collect(),
        constants: document.constants,
        formula: document.formula,
        interval_sec: document.interval_sec,
        value: status.as_ref().and_then(|s| s.value),
        at: status.and_then(|s| s.read_at).map(|at| at.as_millis()),
        etag: etag(&(&row.name, &row.document)),
        id: row.id,
        name: row.name,
    })
}
