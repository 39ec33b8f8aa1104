//! What changed in the records, for the live connection: which kinds of which farm, since it was last asked. A kind that
//! changes a hundred times before that is told once, so nothing is ever lost and nothing grows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::audit::Action;
use crate::resource::Kind;

/// What an action makes old; none where nothing does, or where the engine or a message of its own tells of it.
fn touched(action: Action) -> Option<Kind> {
    match action {
        Action::AssetRegistered
        | Action::ControllerSecretRenewed
        | Action::ControllerDisabled
        | Action::ControllerEnabled
        | Action::ControllerRenamed
        | Action::ControllerRemoved
        | Action::ControllerReleased
        | Action::IntegrationMade
        | Action::IntegrationRenamed
        | Action::IntegrationDisabled
        | Action::IntegrationEnabled
        | Action::IntegrationSecretRenewed
        | Action::IntegrationRemoved => Some(Kind::Controllers),
        Action::UserAdded
        | Action::UserChanged
        | Action::RoleChanged
        | Action::UserActivated
        | Action::UserDeactivated
        | Action::UserRemoved
        | Action::ProfileChanged
        | Action::ContactVerified
        | Action::InviteMade
        | Action::InviteRevoked
        | Action::InviteAccepted => Some(Kind::Users),
        Action::EscalationChanged
        | Action::IncidentTaken
        | Action::IncidentAcknowledged
        | Action::IncidentSnoozed
        | Action::IncidentFalse
        | Action::IncidentReopened => Some(Kind::Incidents),
        _ => action.resource()?.about().live,
    }
}

/// What changed, by farm.
pub(crate) type Changed = BTreeMap<String, BTreeSet<Kind>>;

/// What changed and was not told yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    untold: Mutex<Changed>,
    wake: Notify,
}

impl Changes {
    pub(super) fn note(&self, farm: &str, kind: Kind) {
        let mut untold = self.0.untold.lock().unwrap_or_else(PoisonError::into_inner);
        untold.entry(farm.to_owned()).or_default().insert(kind);
        drop(untold);
        self.0.wake.notify_one();
    }

    /// Notes what an action makes old.
    pub(super) fn note_action(&self, farm: &str, action: Action) {
        if let Some(kind) = touched(action) {
            self.note(farm, kind);
        }
    }

    /// Waits until there is something, and returns all of it. For one reader.
    pub(crate) async fn next(&self) -> Changed {
        loop {
            let untold =
                std::mem::take(&mut *self.0.untold.lock().unwrap_or_else(PoisonError::into_inner));
            if !untold.is_empty() {
                return untold;
            }
            self.0.wake.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn changes_are_told_once_and_none_is_lost() {
        let changes = Changes::default();
        for _ in 0..100 {
            changes.note("a", Kind::Tasks);
        }
        changes.note("b", Kind::Tasks);
        let told = changes.next().await;
        assert_eq!(
            told.keys().map(String::as_str).collect::<Vec<_>>(),
            ["a", "b"]
        );
        assert_eq!(told["a"], BTreeSet::from([Kind::Tasks]));
        let waiting = tokio::spawn({
            let changes = changes.clone();
            async move { changes.next().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished(), "nothing is left");
        changes.note("b", Kind::Tasks);
        assert_eq!(waiting.await.expect("told").len(), 1);
    }
}
