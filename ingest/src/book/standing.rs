//! How a device stands for the engine: whether it is there, and what keeps it from being commanded. Of a device that the
//! present batch has something of, the engine is not told yet; then it is what it will be once the batch is applied.

use std::collections::BTreeMap;
use std::sync::Arc;

use harit_engine::{DeviceId, DeviceSpec, DeviceStatus, Engine, Lock, Status};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) online: bool,
    pub(crate) lock: Option<Arc<str>>,
    pub(crate) safety: bool,
}

/// Devices of which something is decided and not yet applied.
pub(crate) type Standings = BTreeMap<DeviceId, Standing>;

impl Standing {
    /// Of a device that becomes known.
    pub(crate) fn new(spec: &DeviceSpec) -> Self {
        Self {
            online: spec.online,
            lock: spec.state.lock.as_deref().map(Arc::from),
            safety: spec.state.mode.as_deref() == Some("safety"),
        }
    }

    /// As the engine has it.
    pub(crate) fn of(device: &DeviceStatus) -> Self {
        Self {
            online: device.online,
            lock: device.lock.clone(),
            safety: device.safety,
        }
    }

    /// A status input changes it, as section 6 of the semantics says.
    pub(crate) fn follow(&mut self, status: &Status) {
        if let Some(Lock::Engage(reason)) = &status.lock {
            self.lock = Some(reason.clone());
        }
        self.safety |= status.safety == Some(true);
        self.online = status.online.unwrap_or(self.online);
        if status.lock == Some(Lock::Clear) && self.online {
            self.lock = None;
        }
        self.safety &= status.safety != Some(false);
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
        let mut is = Standing {
            online: false,
            lock: None,
            safety: false,
        };
        is.follow(&status(None, Some(Lock::Engage("door".into())), Some(true)));
        assert_eq!((is.lock.as_deref(), is.safety), (Some("door"), true));
        is.follow(&status(None, Some(Lock::Clear), None));
        assert!(is.lock.is_some(), "nobody opens what is not there");
        is.follow(&status(Some(true), Some(Lock::Clear), Some(false)));
        assert_eq!((is.online, is.lock, is.safety), (true, None, false));
    }
}
