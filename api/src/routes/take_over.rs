//! Taking over numbers of an unknown sender: the farm gets a profile of its own by which the next message is read, and the sensors
//! are known before it comes, each in the place that a person gave it.

use axum::Json;
use axum::http::StatusCode;
use harit_engine::{
    Duration, Engine, InputKind, RegistryChange, ScopeSpec, SensorId, SensorSpec, SensorType,
};
use harit_profiles::{Chosen, Profile, Profiles, found_id, propose};
use harit_protocol::{Mac, conversion, usable_id};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::scopes::Places;
use super::unknown_senders::FormatBody;
use crate::access::{FarmAccess, WriteAssets};
use crate::audit::Action;
use crate::document::{ScopeDocument, SensorTypeDocument};
use crate::error::{ApiError, Body};
use crate::farm::store_found;
use crate::language::Text;

/// The most numbers that are taken over at a time.
const MAX_NUMBERS: usize = 64;
/// The most topics whose sensors are made known at a time.
const MAX_TOPICS: usize = 32;
/// The longest name of a sensor, in characters.
const MAX_NAME_CHARS: usize = 120;
/// How long a reading of such a sensor counts.
const STALE_AFTER: Duration = Duration::from_secs(900);
/// A number that most conditions of a reading let through; what is read of it says what the sensor is called.
const TRIED: &str = "50";

/// Numbers of an unknown sender, as a person confirmed them.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = TakeOver)]
pub(super) struct TakeOver {
    /// The MAC of the controller whose account sends them.
    #[schema(max_length = 17)]
    controller: String,
    /// The topics, as the group of unknown senders has them.
    #[schema(max_length = 256)]
    pattern: String,
    /// Those of which sensors are to be known at once; at most 32.
    #[schema(max_items = 32)]
    topics: Vec<String>,
    format: FormatBody,
    /// 1 to 64.
    #[schema(min_items = 1, max_items = 64)]
    numbers: Vec<TakenNumber>,
    /// Where the sensors are: the farm, a polyhouse or a zone. Without it they are where the controller is.
    #[schema(value_type = Option<ScopeDocument>)]
    scope: Option<Value>,
}

/// A number that is taken over.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TakenNumber)]
pub(super) struct TakenNumber {
    /// Where it stands; empty of a message that is the number.
    #[schema(max_length = 256)]
    at: String,
    #[serde(rename = "type")]
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: String,
    /// Its unit; without one that of the type.
    #[schema(max_length = 24)]
    unit: Option<String>,
    /// What the sensor is to be called, up to 120 characters.
    #[schema(max_length = 120)]
    name: Option<String>,
}

/// What was taken over.
#[derive(Serialize, ToSchema)]
#[schema(as = TakenOver)]
pub(super) struct TakenOver {
    /// The id of the profile by which it is read from now on.
    profile: String,
    /// The ids of the sensors that are known now, in the order of topics and numbers.
    sensors: Vec<String>,
}

/// Takes over an unknown sender
///
/// Writes what a person confirmed into a profile of the farm's own, or adds to the one of these topics, so that the next message
/// becomes readings; and makes the sensors known in their place. For OWNER and ADMIN.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/unknown-senders/take", tag = "operation",
    operation_id = "take_over_unknown_sender", summary = "Take over an unknown sender", request_body = TakeOver,
    responses((status = CREATED, body = TakenOver))
)]
pub(super) async fn take(
    access: FarmAccess<WriteAssets>,
    Body(request): Body<TakeOver>,
) -> Result<(StatusCode, Json<TakenOver>), ApiError> {
    let _editing = access.editing().await;
    let controller = Mac::parse(&request.controller).ok();
    let controller = controller.and_then(|mac| access.records().controller(mac));
    let Some(controller) = controller else {
        return Err(ApiError::field(
            "controller",
            "unknown",
            Text::ControllerUnknown,
        ));
    };
    let types = types_of(&request)?;
    let places = access.hub().read(Places::of).await?;
    let scope = match &request.scope {
        Some(typed) => places.read(typed)?,
        None => controller.record().scope,
    };
    let chosen: Vec<Chosen> = (request.numbers.iter().zip(&types))
        .map(|(number, what)| Chosen {
            at: number.at.clone(),
            sensor_type: what.as_str().to_owned(),
            unit: number.unit.clone(),
        })
        .collect();
    let (pattern, format) = (request.pattern.as_str(), request.format.into());
    let id = found_id(pattern);
    // Alone, it says what these numbers' sensors are called.
    let alone = Profile::new(&propose(None, pattern, format, &chosen));
    let alone = alone.map_err(|_| unsound())?;
    store_found(&access, &id, |before| {
        propose(before, pattern, format, &chosen)
    })
    .await?;
    let alone = Profiles::of_one(alone);
    let mut wanted = Vec::new();
    for topic in request.topics.iter().take(MAX_TOPICS) {
        for (number, what) in request.numbers.iter().zip(&types) {
            let read = alone.read_at(topic, format, &number.at, TRIED);
            let local = read.into_iter().map(|r| r.id).find(|id| usable_id(id));
            let name = number.name.clone().filter(|_| request.topics.len() == 1);
            wanted.extend(local.map(|local| (local, *what, name)));
        }
    }
    let sensors = put_sensors(&access, controller.mac, &scope, wanted).await?;
    let taken = TakenOver {
        profile: id,
        sensors,
    };
    Ok((StatusCode::CREATED, Json(taken)))
}

fn unsound() -> ApiError {
    ApiError::field("numbers", "invalid", Text::ProfileUnsound)
}

/// What the numbers measure; every one has to be something, in a unit of it.
fn types_of(request: &TakeOver) -> Result<Vec<SensorType>, ApiError> {
    if !(1..=MAX_NUMBERS).contains(&request.numbers.len()) || request.topics.len() > MAX_TOPICS {
        return Err(unsound());
    }
    let mut types = Vec::new();
    let mut wrong = Vec::new();
    for (n, number) in request.numbers.iter().enumerate() {
        let what = SensorType::parse(&number.sensor_type);
        let unit = number.unit.as_deref();
        let fits = |t: &SensorType| unit.is_none_or(|unit| conversion(*t, unit).is_some());
        match what {
            None => wrong.push((
                format!("numbers[{n}].type"),
                "required",
                Text::FieldRequired,
            )),
            Some(what) if !fits(&what) => {
                wrong.push((format!("numbers[{n}].unit"), "unit", Text::UnitOfAnother));
            }
            Some(what) => types.push(what),
        }
        let name = number.name.as_deref().unwrap_or_default();
        if name.chars().count() > MAX_NAME_CHARS {
            wrong.push((format!("numbers[{n}].name"), "too_long", Text::NameTooLong));
        }
    }
    if wrong.is_empty() {
        Ok(types)
    } else {
        Err(ApiError::fields(wrong))
    }
}

/// Makes sensors of a controller known, each by the controller's own id of it, and gives their ids in the farm.
async fn put_sensors(
    access: &FarmAccess<WriteAssets>,
    mac: Mac,
    scope: &ScopeSpec,
    wanted: Vec<(String, SensorType, Option<String>)>,
) -> Result<Vec<String>, ApiError> {
    let place = scope.clone();
    let specs = move |engine: &Engine| {
        let own = |id: &str, what: SensorType| {
            let found = engine.sensor(id).map(|s| s.spec);
            // One that a person registered for nobody's controller is adopted.
            let is_own = |s: &SensorSpec| match s.controller.as_deref() {
                Some(controller) => controller == mac.as_str(),
                None => s.sensor_type == what,
            };
            match found {
                Some(known) if is_own(&known) => Ok(Some(known)),
                Some(_) => Err(()),
                None => Ok(None),
            }
        };
        let spec = |(local, sensor_type, name): (String, SensorType, Option<String>)| {
            // One that another controller has by that id gets the MAC before it, as in telemetry.
            let with_mac = format!("{mac}/{local}");
            let (id, known) = match (own(&with_mac, sensor_type), own(&local, sensor_type)) {
                (Ok(Some(known)), _) => (with_mac, Some(known)),
                (_, Ok(known)) => (local, known),
                (_, Err(())) => (with_mac, None),
            };
            let named = known.as_ref().and_then(|k| k.name.clone());
            let spec = SensorSpec {
                id: SensorId::new(id),
                name: named.or(name),
                sensor_type,
                scope: place.clone(),
                stale_after: known.as_ref().map_or(STALE_AFTER, |k| k.stale_after),
                controller: Some(mac.to_string()),
            };
            (known.as_ref() != Some(&spec), spec)
        };
        let specs: Vec<(bool, SensorSpec)> = wanted.into_iter().map(spec).collect();
        specs
    };
    let specs = access.hub().read(specs).await?;
    let ids = specs.iter().map(|(_, s)| s.id.to_string()).collect();
    let changed = specs.into_iter().filter(|(differs, _)| *differs);
    let changed: Vec<SensorSpec> = changed.map(|(_, spec)| spec).collect();
    let Some(first) = changed.first() else {
        return Ok(ids);
    };
    let subject = first.id.to_string();
    let all: Vec<_> = changed.iter().map(|s| s.id.to_string()).collect();
    let details = json!({"name": first.name, "scope": first.scope, "sensors": all});
    let changes = changed.into_iter().map(RegistryChange::PutSensor);
    let change = InputKind::Registry(changes.collect());
    access
        .admit(change, Action::SensorChanged, &subject, details)
        .await?;
    Ok(ids)
}
