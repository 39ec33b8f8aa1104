//! STOP: devices are off and locked until a person opens that. It has a way of its own (see [`Stopping`]): nothing else can
//! use up its budget, and who hangs up after asking is stopped for all the same.

use std::collections::BTreeMap;
use std::collections::HashMap;

use axum::Json;
use harit_engine::{
    DeviceId, DeviceStatus, Engine, LockKind, PolyhouseId, Quantity, ScopeSpec, Stop, StopScope,
    Timestamp,
};
use harit_ingest::{CommandLife, CommandState, DevicePresence, Urged};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::oneshot;
use utoipa::ToSchema;

use super::command_request::MAX_REASON_CHARS;
use super::devices::{self, DeviceBody};
use super::lock_body::LockOwnerBody;
use super::locks::{may_open, nobody_there, open_lock, owner, whose};
use super::scopes::Places;
use crate::access::{FarmAccess, Needs, ReadFarm, StopDevices, Stopping};
use crate::audit::Action;
use crate::document::ScopeDocument;
use crate::error::{ApiError, Body};

/// The longest id of a stop, in bytes.
const MAX_ID_BYTES: usize = 64;

/// What is stopped.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schema(as = StopScope)]
pub(super) enum ScopeBody {
    /// One device.
    #[serde(rename_all = "camelCase")]
    Device { device_id: String },
    /// Everything in a polyhouse.
    #[serde(rename_all = "camelCase")]
    Polyhouse { polyhouse_id: String },
    /// Everything of the farm.
    Farm,
}

impl ScopeBody {
    fn scope(&self) -> StopScope {
        match self {
            Self::Device { device_id } => StopScope::Device(DeviceId::from(device_id.as_str())),
            Self::Polyhouse { polyhouse_id } => StopScope::Place(ScopeSpec::polyhouse(
                PolyhouseId::from(polyhouse_id.as_str()),
            )),
            Self::Farm => StopScope::Place(ScopeSpec::farm()),
        }
    }

    /// Whether it takes in a device.
    fn has(&self, device: &DeviceStatus, places: &Places) -> bool {
        match self {
            Self::Device { device_id } => device.spec.id.as_str() == device_id,
            Self::Polyhouse { polyhouse_id } => places
                .labelled(&device.spec.scope)
                .polyhouse_id
                .is_some_and(|id| id.as_str() == polyhouse_id),
            Self::Farm => true,
        }
    }

    /// Whether there is such a thing.
    fn is_there(&self, engine: &Engine) -> bool {
        match self {
            Self::Device { device_id } => engine.device(device_id).is_some(),
            Self::Polyhouse { polyhouse_id } => {
                let scope = ScopeSpec::polyhouse(PolyhouseId::from(polyhouse_id.as_str()));
                engine.labelled(&scope).is_some()
            }
            Self::Farm => true,
        }
    }
}

/// What is stopped, and why.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = StopRequest)]
pub(super) struct StopRequest {
    scope: ScopeBody,
    /// In the person's words; what is beyond 500 characters is left out.
    reason: Option<String>,
    /// The client's own id of this stop, up to 64 bytes: sent again with it, nothing is stopped twice, and the answer says how
    /// far it got.
    id: Option<String>,
}

/// How far a stop got at a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = StoppedState)]
enum StoppedState {
    /// Its controller reports it off, after the stop.
    Confirmed,
    /// It was told, and has not confirmed yet.
    Sent,
    /// Its controller cannot be reached: it is stopped when it comes back. What was on goes off within 3 minutes by itself.
    Unreachable,
}

/// A device that is stopped.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StoppedDevice)]
struct StoppedBody {
    device_id: String,
    name: String,
    #[schema(value_type = ScopeDocument)]
    scope: ScopeSpec,
    state: StoppedState,
    /// At how many per cent it goes on where it cannot be reached; null where it goes off.
    #[schema(required, value_type = Option<f64>)]
    lease_end: Option<Quantity>,
}

/// What became of a stop until now.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StopResult)]
pub(super) struct StopResult {
    /// The devices that the caller stopped in that scope.
    devices: Vec<StoppedBody>,
}

/// Stops devices
///
/// Everything in the scope is off and locked by the caller, whatever its safe setting is, until that is opened. For every role.
/// Answers as soon as it is written down and sent; ask again with the same `id` to see it confirmed. 120 a minute, which no
/// other request uses up.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/stop", tag = "automation", operation_id = "stop_devices", summary = "Stop devices",
    request_body = StopRequest,
    responses((status = OK, body = StopResult))
)]
pub(super) async fn stop(
    Stopping(access): Stopping,
    Body(request): Body<StopRequest>,
) -> Result<Json<StopResult>, ApiError> {
    let (reply, answer) = oneshot::channel();
    // on its own: who hangs up does not take it back
    tokio::spawn(async move {
        let key = request
            .id
            .as_ref()
            .filter(|id| id.len() <= MAX_ID_BYTES)
            .map(|id| format!("{} {} {id}", access.farm(), access.user().id));
        let known = key.as_ref().is_some_and(|k| access.known_stops().has(k));
        let unrecorded = if known {
            Vec::new()
        } else {
            match do_stop(&access, &request).await {
                Ok(unrecorded) => unrecorded,
                Err(error) => {
                    let _ = reply.send(Err(error));
                    return;
                }
            }
        };
        // one that is not recorded yet is not known: sent again, it stops again
        let first =
            !known && (!unrecorded.is_empty() || key.is_none_or(|k| access.known_stops().add(k)));
        let _ = reply.send(how_far(&access, &request.scope, &unrecorded).await);
        if first {
            let details = json!({"scope": request.scope, "reason": request.reason});
            access
                .audit(Action::Stop, access.farm().as_str(), details)
                .await;
        }
    });
    let result = answer.await.map_err(|_| ApiError::internal())?;
    Ok(Json(result?))
}

/// Stops; the devices that were told although it cannot be recorded now.
async fn do_stop(
    access: &FarmAccess<StopDevices>,
    request: &StopRequest,
) -> Result<Vec<DeviceId>, ApiError> {
    let reason = request.reason.as_deref().map(str::trim);
    let reason: Option<String> = reason
        .filter(|r| !r.is_empty())
        .map(|r| r.chars().take(MAX_REASON_CHARS).collect());
    let stop = Stop {
        scope: request.scope.scope(),
        owner: owner(access, reason.as_deref()).into(),
    };
    let error = match access.hub().stop(stop).await {
        Ok(Urged::Recorded(_)) => return Ok(Vec::new()),
        Ok(Urged::Sent(devices)) => return Ok(devices),
        Err(error) => error,
    };
    // what makes no sense is most often what is not there
    let scope = request.scope.clone();
    let hub = access.hub();
    Err(match hub.read(move |engine| scope.is_there(engine)).await {
        Ok(false) => ApiError::not_found(),
        _ => error,
    })
}

/// The devices in the scope that the caller's stop holds, and how far it got.
async fn how_far(
    access: &FarmAccess<StopDevices>,
    scope: &ScopeBody,
    unrecorded: &[DeviceId],
) -> Result<StopResult, ApiError> {
    let facts = Facts::of(access).await?;
    let mine = Some(access.user().id.as_str());
    let devices = facts.devices.iter().filter(|d| {
        let held = |l: &&harit_engine::DeviceLock| l.kind == LockKind::Stop && whose(l) == mine;
        let told = unrecorded.contains(&d.spec.id);
        scope.has(d, &facts.places) && (told || d.locks.iter().any(|l| held(&l)))
    });
    Ok(StopResult {
        devices: devices.map(|d| facts.body(d)).collect(),
    })
}

/// What tells whether a stop is confirmed.
struct Facts {
    devices: Vec<DeviceStatus>,
    places: Places,
    presence: HashMap<String, DevicePresence>,
    latest: HashMap<String, CommandLife>,
}

impl Facts {
    async fn of<N: Needs>(access: &FarmAccess<N>) -> Result<Self, ApiError> {
        let hub = access.hub();
        let question = |engine: &Engine| (engine.devices().collect(), Places::of(engine));
        let (devices, places) = hub.read(question).await?;
        let latest = hub.latest_commands().await?.into_iter();
        Ok(Self {
            devices,
            places,
            presence: devices::presence(access).await?,
            latest: latest.map(|l| (l.device.to_string(), l)).collect(),
        })
    }

    /// Leaves out of it what somebody who was given some of the farm is not told of.
    async fn only_of<N>(&mut self, access: &FarmAccess<N>) -> Result<(), ApiError> {
        let me = Some(access.user().id.as_str());
        let grants = access.records().grants(&access.user().id).await?;
        let Self {
            devices, places, ..
        } = self;
        devices.retain_mut(|device| {
            let house = places.labelled(&device.spec.scope).polyhouse_id;
            let given = grants
                .devices
                .iter()
                .any(|id| *id == device.spec.id.as_str())
                || house.is_some_and(|h| grants.polyhouses.iter().any(|id| *id == h.as_str()));
            if !given {
                device.locks.retain(|lock| whose(lock) == me);
            }
            !device.locks.is_empty()
        });
        Ok(())
    }

    fn state(&self, device: &DeviceStatus) -> StoppedState {
        if !device.online {
            return StoppedState::Unreachable;
        }
        if !device.locks.iter().any(|l| l.kind == LockKind::Stop) {
            return StoppedState::Sent;
        }
        let id = device.spec.id.as_str();
        let reported = self.presence.get(id).and_then(|p| p.reported);
        let Some(reported) = reported.filter(|r| !r.on) else {
            return StoppedState::Sent;
        };
        let since = device
            .locks
            .iter()
            .filter(|l| l.kind == LockKind::Stop)
            .filter_map(|l| l.since)
            .max();
        // one that was off before says nothing new: its ack of `off` does
        let done = self
            .latest
            .get(id)
            .is_some_and(|l| l.action == "off" && l.state == CommandState::Confirmed);
        if done || since.is_some_and(|since| reported.at >= since) {
            StoppedState::Confirmed
        } else {
            StoppedState::Sent
        }
    }

    fn body(&self, device: &DeviceStatus) -> StoppedBody {
        StoppedBody {
            device_id: device.spec.id.to_string(),
            name: devices::name(&device.spec),
            scope: self.places.labelled(&device.spec.scope),
            state: self.state(device),
            lease_end: { self.presence.get(device.spec.id.as_str()) }.and_then(|p| p.lease_end),
        }
    }
}

/// The stops of a person that hold.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Stop)]
struct StopBody {
    #[schema(required)]
    by: Option<LockOwnerBody>,
    /// Since when, of the latest.
    #[schema(required)]
    since: Option<i64>,
    /// Why, in the person's words, of the latest.
    #[schema(required)]
    reason: Option<String>,
    devices: Vec<StoppedBody>,
}

/// The stops that hold.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Stops)]
pub(super) struct StopsBody {
    /// By person, the latest first.
    stops: Vec<StopBody>,
}

/// The stops
///
/// Those that hold, and how far each got. A WORKER is told of his own, and of those where he was given the house or the device.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/stop", tag = "automation", operation_id = "list_stops", summary = "List stops",
    responses((status = OK, body = StopsBody))
)]
pub(super) async fn list(access: FarmAccess<StopDevices>) -> Result<Json<StopsBody>, ApiError> {
    let mut facts = Facts::of(&access).await?;
    if !access.may::<ReadFarm>() {
        facts.only_of(&access).await?;
    }
    let mut by_person: BTreeMap<Option<String>, (Option<Timestamp>, StopBody)> = BTreeMap::new();
    for device in &facts.devices {
        for lock in device.locks.iter().filter(|l| l.kind == LockKind::Stop) {
            let (since, stop) = by_person
                .entry(whose(lock).map(str::to_owned))
                .or_insert_with(|| {
                    let stop = StopBody {
                        by: lock.owner.as_deref().map(Into::into),
                        since: None,
                        reason: None,
                        devices: Vec::new(),
                    };
                    (None, stop)
                });
            if stop.devices.is_empty() || lock.since > *since {
                *since = lock.since;
                stop.since = lock.since.map(Timestamp::as_millis);
                // the engine's word for a stop without a reason is none of the person's
                stop.reason =
                    Some(lock.reason.to_string()).filter(|r| r != LockKind::Stop.as_str());
            }
            stop.devices.push(facts.body(device));
        }
    }
    let mut stops: Vec<_> = by_person.into_values().map(|(_, stop)| stop).collect();
    stops.sort_by_key(|s| std::cmp::Reverse(s.since));
    Ok(Json(StopsBody { stops }))
}

/// Whose stops are opened where.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = OpenStops)]
pub(super) struct OpenRequest {
    scope: ScopeBody,
    /// Whose; the caller's own without.
    user_id: Option<String>,
    /// That somebody made sure of it. Nothing is opened without.
    #[serde(default)]
    nobody_at_the_machine: bool,
}

/// Opens a person's stops
///
/// Those in a scope: one's own, and for OWNER, ADMIN and FARM_MANAGER everybody's. Answers with the devices as they are then: one that has no lock
/// left stays off for 10 s (`state.mode` manual), so that what the rules want (`desired`) is seen first; a release ends that. One
/// that is not reachable stays stopped.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/stop/open", tag = "automation",
    operation_id = "open_stops", summary = "Open stops", request_body = OpenRequest,
    responses((status = OK, body = Vec<DeviceBody>))
)]
pub(super) async fn open(
    access: FarmAccess<StopDevices>,
    Body(request): Body<OpenRequest>,
) -> Result<Json<Vec<DeviceBody>>, ApiError> {
    let user = request.user_id.as_deref().unwrap_or(&access.user().id);
    may_open(&access, LockKind::Stop, Some(user))?;
    nobody_there(request.nobody_at_the_machine)?;
    let question = |engine: &Engine| (engine.devices().collect(), Places::of(engine));
    let (all, places): (Vec<DeviceStatus>, Places) = access.hub().read(question).await?;
    let stopped = all.iter().filter(|d| {
        let held =
            |l: &harit_engine::DeviceLock| l.kind == LockKind::Stop && whose(l) == Some(user);
        request.scope.has(d, &places) && d.locks.iter().any(held)
    });
    let ids: Vec<&str> = stopped.map(|d| d.spec.id.as_str()).collect();
    let mut refused = Vec::new();
    for &id in &ids {
        if open_lock(&access, id, LockKind::Stop, Some(user.to_owned()), None).await? {
            refused.push(id);
        }
    }
    let details =
        json!({"scope": request.scope, "whose": user, "devices": ids, "offline": refused});
    access
        .audit(Action::StopOpen, access.farm().as_str(), details)
        .await;
    let now = devices::all(&access).await?.into_iter();
    Ok(Json(
        now.filter(|d| ids.contains(&d.id())).collect::<Vec<_>>(),
    ))
}
