//! What the conditions of an incident's alert compare now, and the sensors on which it stands.

use harit_engine::{AlertEvidence, Engine, Operator, Quantity, ScopeSpec, SeenSensor, SensorType};
use serde::Serialize;
use utoipa::ToSchema;

use crate::document::{EvidenceDocument, OperatorDocument, ScopeDocument, SensorTypeDocument};
use crate::notifications::{Condition, Watch};

/// A condition of an incident's alert.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentCondition)]
pub(super) struct IncidentConditionBody {
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: SensorType,
    #[schema(value_type = OperatorDocument)]
    operator: Operator,
    /// What it is compared with.
    #[schema(required, value_type = Option<f64>)]
    limit: Option<Quantity>,
    /// What it sees now; null where the alert is gone, or is another than it was then.
    #[schema(required)]
    now: Option<NowBody>,
}

/// What a condition sees now.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentNow)]
struct NowBody {
    /// Where the sensors are: the alert's place, or the nearest around it that has one; null where no sensor is left.
    #[schema(required, value_type = Option<ScopeDocument>)]
    place: Option<ScopeSpec>,
    /// Whether the worst of the sensors is compared, or their mean.
    #[schema(value_type = EvidenceDocument)]
    evidence: AlertEvidence,
    /// What is compared; null while no sensor is fresh.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    #[schema(required)]
    holds: Option<bool>,
    sensors: Vec<IncidentSensorBody>,
}

/// Whether a sensor counts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SensorCounts)]
enum Counts {
    /// Its latest reading counts.
    Fresh,
    /// It is left out: its latest reading is too old.
    Stale,
    /// It is left out: it never said anything.
    Unknown,
}

/// A sensor of a condition.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentSensor)]
struct IncidentSensorBody {
    id: String,
    /// Its name; its id where it has none.
    name: String,
    counts: Counts,
    /// While it counts.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    /// When its latest reading was taken.
    #[schema(required)]
    read_at: Option<i64>,
    /// Whether the alert is raised on its value: it must be heard again, or removed, before it is over.
    remembered: bool,
}

impl From<SeenSensor> for IncidentSensorBody {
    fn from(SeenSensor { sensor, remembered }: SeenSensor) -> Self {
        let id = sensor.spec.id.to_string();
        let name = sensor.spec.name.filter(|n| !n.is_empty());
        Self {
            name: name.unwrap_or_else(|| id.clone()),
            id,
            counts: match (sensor.value, sensor.read_at) {
                (Some(_), _) => Counts::Fresh,
                (None, Some(_)) => Counts::Stale,
                (None, None) => Counts::Unknown,
            },
            value: sensor.value,
            read_at: sensor.read_at.map(harit_engine::Timestamp::as_millis),
            remembered,
        }
    }
}

/// The conditions as they were when it was raised, with what each sees now while the alert has the same.
pub(super) fn conditions(engine: &Engine, alert: &str, then: &Watch) -> Vec<IncidentConditionBody> {
    let is_same = engine.alert(alert).is_some_and(|now| {
        let now = Watch::of(&now.spec, None);
        now.conditions == then.conditions && now.scope == then.scope
    });
    let sights = if is_same {
        engine.alert_sight(alert)
    } else {
        None
    };
    let mut sights = sights.unwrap_or_default().into_iter();
    let condition = |c: &Condition| IncidentConditionBody {
        sensor_type: c.sensor,
        operator: c.operator,
        limit: c.value.parse().ok().and_then(Quantity::from_f64),
        now: sights.next().map(|sight| NowBody {
            place: sight.place,
            evidence: sight.evidence,
            value: sight.value,
            holds: sight.holds,
            sensors: sight.sensors.into_iter().map(Into::into).collect(),
        }),
    };
    then.conditions.iter().map(condition).collect()
}
