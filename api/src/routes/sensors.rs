//! Sensors: what they are, where they are, and whether they are heard of.

use std::collections::HashSet;

use axum::Json;
use harit_engine::{
    Engine, InputKind, Quantity, RegistryChange, SensorSpec, SensorStatus, SensorType,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::scopes::Places;
use super::telemetry::{self, SensorBody};
use super::wrong::{TextField, Wrong};
use crate::access::{FarmAccess, Needs, ReadFarm, WriteAssets};
use crate::audit::Action;
use crate::document::ScopeDocument;
use crate::error::{ApiError, Body, Item};
use crate::language::Text;
use crate::version::{Tagged, Versioned, etag};

/// Whether a sensor is heard of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = SensorState)]
enum SensorState {
    /// Its latest reading counts.
    Fresh,
    /// Its latest reading is too old to count.
    Stale,
    /// It never said anything.
    Unknown,
}

/// A sensor that the farm knows.
#[derive(Serialize, ToSchema)]
#[schema(as = RegisteredSensor)]
pub(super) struct RegisteredSensor {
    #[serde(flatten)]
    sensor: SensorBody,
    state: SensorState,
    /// Its controller no longer announces it.
    gone: bool,
    /// The version of its name and place, for `If-Match`.
    etag: String,
}

impl RegisteredSensor {
    pub(super) fn id(&self) -> &str {
        self.sensor.id()
    }

    pub(super) fn is_gone(&self) -> bool {
        self.gone
    }

    /// Whether the controller of that MAC announces it.
    pub(super) fn is_of(&self, mac: &str) -> bool {
        self.sensor.controller() == Some(mac)
    }

    /// What it measures and reads, while that is fresh.
    pub(super) fn reads(&self) -> Option<(SensorType, Quantity)> {
        self.sensor.reads()
    }
}

impl Versioned for RegisteredSensor {
    fn etag(&self) -> &str {
        &self.etag
    }
}

/// What is to be changed of a sensor or a device; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AssetChange)]
pub(super) struct AssetChange {
    /// Up to 120 characters; blank takes a sensor's name away.
    #[schema(max_length = 120)]
    name: Option<String>,
    /// Where it is: the farm, a polyhouse or a zone of it.
    #[schema(value_type = Option<ScopeDocument>)]
    scope: Option<Value>,
}

impl AssetChange {
    /// The name, if one is said; a blank one is none.
    pub(super) fn name(&self, wrong: &mut Wrong) -> Option<Option<String>> {
        const NAME: TextField = TextField {
            name: "name",
            max_chars: 120,
            too_long: Text::NameTooLong,
            lines: false,
        };
        let typed = self.name.as_deref()?;
        Some(wrong.text(&NAME, Some(typed)))
    }

    /// The scope, if one is said.
    pub(super) fn scope(
        &self,
        places: &Places,
    ) -> Result<Option<harit_engine::ScopeSpec>, ApiError> {
        let typed = self.scope.as_ref();
        typed.map(|typed| places.read(typed)).transpose()
    }
}

fn body(gone: &HashSet<String>, places: &Places, s: SensorStatus) -> RegisteredSensor {
    let state = match (s.value, s.read_at) {
        (Some(_), _) => SensorState::Fresh,
        (None, Some(_)) => SensorState::Stale,
        (None, None) => SensorState::Unknown,
    };
    let gone = gone.contains(s.spec.id.as_str());
    let etag = etag(&(&s.spec.name, &s.spec.scope));
    let mut sensor = telemetry::body(s);
    sensor.scope = places.labelled(&sensor.scope);
    RegisteredSensor {
        sensor,
        state,
        gone,
        etag,
    }
}

pub(super) async fn all<N: Needs>(
    access: &FarmAccess<N>,
) -> Result<Vec<RegisteredSensor>, ApiError> {
    let hub = access.hub();
    let question = |engine: &Engine| (engine.sensors().collect(), Places::of(engine));
    let (sensors, places): (Vec<SensorStatus>, Places) = hub.read(question).await?;
    let controllers = hub.controllers().await?.into_iter();
    let gone: HashSet<String> = controllers
        .flat_map(|c| c.sensors)
        .filter(|s| s.gone)
        .map(|s| s.id.to_string())
        .collect();
    let all = sensors.into_iter();
    Ok(all.map(|s| body(&gone, &places, s)).collect())
}

async fn shown<N: Needs>(access: &FarmAccess<N>, id: &str) -> Result<RegisteredSensor, ApiError> {
    let one = all(access).await?.into_iter().find(|s| s.sensor.is(id));
    one.ok_or_else(ApiError::not_found)
}

/// The sensors
///
/// All that the farm knows, heard of or not.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/sensors", tag = "farms", operation_id = "list_sensors", summary = "List sensors",
    responses((status = OK, body = Vec<RegisteredSensor>))
)]
pub(super) async fn list(
    access: FarmAccess<ReadFarm>,
) -> Result<Json<Vec<RegisteredSensor>>, ApiError> {
    Ok(Json(all(&access).await?))
}

/// Changes a sensor
///
/// Names it, or says where it is.
/// What a person says counts from then on, whatever its controller announces. Moving it is an edit of each rule whose
/// conditions then go by other sensors.
#[utoipa::path(
    patch, path = "/api/farms/{farmId}/sensors/{sensorId}", tag = "farms",
    operation_id = "change_sensor", summary = "Change a sensor", request_body = AssetChange,
    responses((status = OK, body = RegisteredSensor))
)]
pub(super) async fn change(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
    Body(request): Body<AssetChange>,
) -> Result<Tagged<RegisteredSensor>, ApiError> {
    if harit_derived::is_sensor(&id) {
        return Err(ApiError::derived());
    }
    let _edit = access.editing().await;
    access.expect(&id, &shown(&access, &id).await?).await?;
    let asked = id.clone();
    let question = move |engine: &Engine| {
        let mut all = engine.sensors();
        let sensor = all.find(|s| s.spec.id.as_str() == asked);
        (sensor.map(|s| s.spec), Places::of(engine))
    };
    let (before, places) = access.hub().read(question).await?;
    let before = before.ok_or_else(ApiError::not_found)?;
    let mut wrong = Wrong::default();
    let name = request.name(&mut wrong);
    let scope = request.scope(&places);
    wrong.done()?;
    let spec = SensorSpec {
        name: name.unwrap_or_else(|| before.name.clone()),
        scope: scope?.unwrap_or_else(|| before.scope.clone()),
        ..before.clone()
    };
    if spec != before {
        let details = json!({"name": spec.name, "scope": places.labelled(&spec.scope)});
        let change = RegistryChange::PutSensor(spec);
        let change = InputKind::Registry(vec![change]);
        access
            .admit(change, Action::SensorChanged, &id, details)
            .await?;
    }
    Ok(Tagged(shown(&access, &id).await?))
}
