//! Locks of a device: putting one on to work at the machine, and opening them, each in its own way.

use axum::Json;
use harit_engine::{DeviceLock, EventKind, InputKind, Lock, LockKind, Owner, Status};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::command_request::MAX_REASON_CHARS;
use super::devices::{DeviceBody, shown};
use super::lock_body::LockKindBody;
use crate::access::{
    FarmAccess, LockDevices, Needs, OpenEngineLocks, OpenPeoplesLocks, StopDevices,
};
use crate::audit::Action;
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::language::Text;

/// Who acts, and why.
pub(super) fn owner<N>(access: &FarmAccess<N>, reason: Option<&str>) -> Owner {
    Owner {
        user_id: access.user().id.as_str().into(),
        name: access.user().name.as_str().into(),
        reason: reason.map(Into::into),
    }
}

/// A reason without what surrounds it; too long a one is refused.
fn reason(said: Option<&str>) -> Result<Option<&str>, ApiError> {
    let said = said.map(str::trim).filter(|r| !r.is_empty());
    if said.is_some_and(|r| r.chars().count() > MAX_REASON_CHARS) {
        return Err(ApiError::field("reason", "too_long", Text::ReasonTooLong));
    }
    Ok(said)
}

fn required(reason: Option<&str>) -> Result<&str, ApiError> {
    reason.ok_or_else(|| ApiError::field("reason", "required", Text::ReasonRequired))
}

/// Nobody opens what may start a machine without having thought of who is at it.
pub(super) fn nobody_there(said: bool) -> Result<(), ApiError> {
    if said {
        return Ok(());
    }
    Err(ApiError::field(
        "nobodyAtTheMachine",
        "required",
        Text::NobodyAtTheMachine,
    ))
}

/// Whether the caller may open a lock of that kind and person.
pub(super) fn may_open<N>(
    access: &FarmAccess<N>,
    kind: LockKind,
    user: Option<&str>,
) -> Result<(), ApiError> {
    let role = access.role();
    let may = match kind {
        LockKind::Controller => return Err(ApiError::open_at_the_machine()),
        LockKind::Person | LockKind::Stop => {
            user == Some(access.user().id.as_str()) || OpenPeoplesLocks::allows(role)
        }
        LockKind::MaxOn | LockKind::KeepsStopping | LockKind::KeepsStarting => {
            OpenEngineLocks::allows(role)
        }
    };
    may.then_some(()).ok_or_else(ApiError::not_permitted)
}

/// Why a device is locked.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Lock)]
pub(super) struct LockRequest {
    /// In the person's words, up to 500 characters.
    reason: Option<String>,
}

/// Locks a device for work at it
///
/// For who may command. Nothing switches it on before the lock is opened. It goes to its safe setting, which may be on: what
/// must be off is stopped. A second lock of the same person replaces the reason of the first.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/devices/{deviceId}/lock", tag = "automation",
    operation_id = "lock_device", summary = "Lock a device", request_body = LockRequest,
    responses((status = OK, body = DeviceBody))
)]
pub(super) async fn lock(
    access: FarmAccess<LockDevices>,
    Item(id): Item,
    Body(request): Body<LockRequest>,
) -> Result<Json<DeviceBody>, ApiError> {
    held(&access, &id).await?;
    let reason = required(reason(request.reason.as_deref())?)?;
    let change = Lock::Engage {
        kind: LockKind::Person,
        reason: reason.into(),
    };
    change_lock(&access, &id, change, Some(reason)).await?;
    let details = json!({"reason": reason});
    access.audit(Action::DeviceLock, &id, details).await;
    Ok(Json(shown(&access, &id).await?))
}

/// Which lock is opened, and why.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = Unlock)]
pub(super) struct UnlockRequest {
    /// Which of the device's locks; not needed where there is one.
    kind: Option<LockKindBody>,
    /// Whose, of a stop or a person's lock: null for one of nobody by name; not needed where there is one.
    user_id: Option<String>,
    /// That somebody made sure of it. Nothing is opened without.
    #[serde(default)]
    nobody_at_the_machine: bool,
    /// In the person's words, up to 500 characters; it stands in the log. The engine's own locks need one.
    reason: Option<String>,
}

/// Opens a lock of a device
///
/// Stops and people's locks are opened by that person, and by OWNER, ADMIN and FARM_MANAGER; the engine's (`max_on`,
/// `keeps_stopping`, `keeps_starting`) by OWNER and ADMIN; a controller's own at the machine alone. When the last lock is
/// opened and it was a stop, the device stays off for 10 s, so that what the rules want is seen first; a release ends that.
/// Without a stop the rules have it at once. One that is not reachable stays locked.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/devices/{deviceId}/unlock", tag = "automation",
    operation_id = "unlock_device", summary = "Unlock a device", request_body = UnlockRequest,
    responses(
        (status = OK, body = DeviceBody),
        (status = CONFLICT, description = "It has no such lock, is not reachable, or is to be opened at the machine", body = ErrorBody),
    )
)]
pub(super) async fn unlock(
    access: FarmAccess<StopDevices>,
    Item(id): Item,
    Body(request): Body<UnlockRequest>,
) -> Result<Json<DeviceBody>, ApiError> {
    let locks = held(&access, &id).await?;
    let (kind, user) = chosen(&locks, &request)?;
    may_open(&access, kind, user.as_deref())?;
    let mut reason = reason(request.reason.as_deref())?;
    if !matches!(kind, LockKind::Stop | LockKind::Person) {
        reason = Some(required(reason)?);
    }
    nobody_there(request.nobody_at_the_machine)?;
    let opened = locks
        .iter()
        .find(|l| l.kind == kind && whose(l) == user.as_deref());
    let was = opened.map(|l| l.reason.to_string());
    let refused = open_lock(&access, &id, kind, user.clone(), reason).await?;
    let details = json!({
        "reason": reason, "kind": kind.as_str(), "whose": user, "lock": was, "refused": refused.then_some("offline"),
    });
    access.audit(Action::DeviceUnlock, &id, details).await;
    if refused {
        return Err(ApiError::device_offline());
    }
    Ok(Json(shown(&access, &id).await?))
}

/// The locks of a device.
async fn held<N>(access: &FarmAccess<N>, id: &str) -> Result<Vec<DeviceLock>, ApiError> {
    let asked = id.to_owned();
    let device = access
        .hub()
        .read(move |engine| engine.device(&asked))
        .await?;
    Ok(device.ok_or_else(ApiError::not_found)?.locks)
}

pub(super) fn whose(lock: &DeviceLock) -> Option<&str> {
    lock.owner.as_ref().map(|o| &*o.user_id)
}

/// The lock that a request means: what it leaves out must follow from those that hold.
fn chosen(
    locks: &[DeviceLock],
    request: &UnlockRequest,
) -> Result<(LockKind, Option<String>), ApiError> {
    let kind = request.kind.map(LockKind::from);
    let user = request.user_id.as_deref();
    let mut meant = locks
        .iter()
        .filter(|l| kind.is_none_or(|k| k == l.kind))
        .filter(|l| user.is_none() || user == whose(l));
    let one = meant.next().ok_or_else(ApiError::not_locked)?;
    match meant.next() {
        // of several the one of nobody by name may be meant
        Some(_) if kind.is_none() || user.is_some() || whose(one).is_some() => {
            Err(ApiError::field("kind", "required", Text::WhichLock))
        }
        _ => Ok((one.kind, whose(one).map(str::to_owned))),
    }
}

/// Opens a lock; true where the engine refuses because the device is not reachable.
pub(super) async fn open_lock<N: Needs>(
    access: &FarmAccess<N>,
    id: &str,
    kind: LockKind,
    user: Option<String>,
    reason: Option<&str>,
) -> Result<bool, ApiError> {
    let user = match kind {
        // the one of nobody by name is asked for by an empty id
        LockKind::Stop | LockKind::Person => Some(user.unwrap_or_default().into()),
        _ => None,
    };
    change_lock(access, id, Lock::Open { kind, user }, reason).await
}

async fn change_lock<N>(
    access: &FarmAccess<N>,
    id: &str,
    lock: Lock,
    reason: Option<&str>,
) -> Result<bool, ApiError> {
    let status = Status {
        lock: Some(lock),
        owner: Some(owner(access, reason).into()),
        ..Status::default()
    };
    let device = id.into();
    let input = InputKind::Status { device, status };
    let events = access.hub().admit(input).await?;
    Ok(events.iter().any(
        |e| matches!(&e.kind, EventKind::CommandRefused { device, .. } if device.as_str() == id),
    ))
}
