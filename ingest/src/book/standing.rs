//! How a device stands for the engine: whether it is there, and what keeps it from being commanded. Of a device that the
//! present batch has something of, the engine is not told yet; then it is what it will be once the batch is applied.

use std::collections::BTreeMap;
use std::sync::Arc;

use harit_engine::{
    DeviceId, DeviceSpec, DeviceStatus, Engine, Lock, LockKind, Locks, Owner, Status, Timestamp,
};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) online: bool,
    pub(crate) locks: Locks,
    pub(crate) safety: bool,
}

/// Devices of which something is decided and not yet applied.
pub(crate) type Standings = BTreeMap<DeviceId, Standing>;

impl Standing {
    /// Of a device that becomes known.
    pub(crate) fn new(spec: &DeviceSpec) -> Self {
        Self {
            online: spec.online,
            locks: Locks::of_document(&spec.state.locks, spec.state.lock.as_deref()),
            safety: spec.state.mode.as_deref() == Some("safety"),
        }
    }

    /// As the engine has it.
    pub(crate) fn of(device: &DeviceStatus) -> Self {
        Self {
            online: device.online,
            locks: Locks::of_document(&device.locks, None),
            safety: device.safety,
        }
    }

    /// A status input changes it, as section 6 of the semantics says.
    pub(crate) fn follow(&mut self, status: &Status, at: Timestamp) {
        let change = status.lock.as_ref();
        let mut lock = |opening: bool, may: bool| {
            if let Some(change) = change.filter(|c| may && c.is_opening() == opening) {
                self.locks.change(change, status.owner.as_ref(), at);
            }
        };
        lock(false, true);
        self.safety |= status.safety == Some(true);
        self.online = status.online.unwrap_or(self.online);
        lock(true, self.online);
        self.safety &= status.safety != Some(false);
    }

    /// Somebody stops it.
    pub(crate) fn stop(&mut self, owner: &Arc<Owner>, at: Timestamp) {
        let (kind, reason) = (LockKind::Stop, LockKind::Stop.as_str().into());
        self.locks
            .change(&Lock::Engage { kind, reason }, Some(owner), at);
    }
}

/// How a device stands once all is applied that is decided; none of one that is not known yet.
pub(super) fn standing(
    engine: &Engine,
    standings: &Standings,
    device: &DeviceId,
) -> Option<Standing> {
    let decided = standings.get(device).cloned();
    decided.or_else(|| engine.device(device.as_str()).map(|d| Standing::of(&d)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_followed_in_the_order_of_the_semantics() {
        let status = |online, lock: Option<Lock>, safety| Status {
            online,
            lock,
            safety,
            ..Status::default()
        };
        let at = Timestamp::from_millis(5);
        let engage = Lock::Engage {
            kind: LockKind::Person,
            reason: "door".into(),
        };
        let open = |kind| Some(Lock::Open { kind, user: None });
        let mut is = Standing {
            online: false,
            locks: Locks::default(),
            safety: false,
        };
        is.follow(&status(None, Some(engage), Some(true)), at);
        assert!(is.locks.holds(LockKind::Person) && is.safety);
        is.follow(&status(None, open(LockKind::Person), None), at);
        assert!(
            !is.locks.is_empty(),
            "nobody opens the lock of what is not there"
        );
        is.follow(&status(Some(true), open(LockKind::Controller), None), at);
        assert!(!is.locks.is_empty(), "nor that of another kind");
        is.follow(&status(None, open(LockKind::Person), Some(false)), at);
        assert_eq!(
            (is.online, is.locks.is_empty(), is.safety),
            (true, true, false)
        );
    }
}
