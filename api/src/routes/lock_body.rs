//! What a lock of a device is, as requests and answers say it.

use harit_engine::{DeviceLock, LockKind, Owner};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What kind of lock it is; each has its own way to open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = LockKind)]
pub(super) enum LockKindBody {
    /// The controller's own: opened at the machine.
    Controller,
    /// A person's, for work at the machine: opened by that person, or an owner, admin or farm manager.
    Person,
    /// It was on for too long: opened by an owner or admin, like the two that follow.
    MaxOn,
    /// It keeps stopping by itself.
    KeepsStopping,
    /// It keeps starting by itself.
    KeepsStarting,
    /// A person stopped it: opened as a person's.
    Stop,
}

impl From<LockKind> for LockKindBody {
    fn from(kind: LockKind) -> Self {
        match kind {
            LockKind::Controller => Self::Controller,
            LockKind::Person => Self::Person,
            LockKind::MaxOn => Self::MaxOn,
            LockKind::KeepsStopping => Self::KeepsStopping,
            LockKind::KeepsStarting => Self::KeepsStarting,
            LockKind::Stop => Self::Stop,
        }
    }
}

impl From<LockKindBody> for LockKind {
    fn from(kind: LockKindBody) -> Self {
        match kind {
            LockKindBody::Controller => Self::Controller,
            LockKindBody::Person => Self::Person,
            LockKindBody::MaxOn => Self::MaxOn,
            LockKindBody::KeepsStopping => Self::KeepsStopping,
            LockKindBody::KeepsStarting => Self::KeepsStarting,
            LockKindBody::Stop => Self::Stop,
        }
    }
}

/// Whose a lock is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = LockOwner)]
pub(super) struct LockOwnerBody {
    user_id: String,
    name: String,
}

impl From<&Owner> for LockOwnerBody {
    fn from(owner: &Owner) -> Self {
        Self {
            user_id: owner.user_id.to_string(),
            name: owner.name.to_string(),
        }
    }
}

/// A lock that holds.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeviceLock)]
pub(super) struct LockBody {
    kind: LockKindBody,
    reason: String,
    /// The person, of a stop and of a person's lock.
    #[schema(required)]
    by: Option<LockOwnerBody>,
    #[schema(required)]
    since: Option<i64>,
}

impl From<&DeviceLock> for LockBody {
    fn from(lock: &DeviceLock) -> Self {
        Self {
            kind: lock.kind.into(),
            reason: lock.reason.to_string(),
            by: lock.owner.as_deref().map(Into::into),
            since: lock.since.map(harit_engine::Timestamp::as_millis),
        }
    }
}
