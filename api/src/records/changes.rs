//! What changed in the records, for the live connection: which kinds of which farm, since it was last asked. A kind that
//! changes a hundred times before that is told once, so nothing is ever lost and nothing grows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use tokio::sync::Notify;
use utoipa::ToSchema;

use crate::audit::{Action, Resource};

/// What kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = RecordKind)]
pub(crate) enum Kind {
    Tasks,
    Notifications,
    /// That an alert was raised or is over, and what people answered to it.
    Incidents,
    /// Told by an event of its own.
    Log,
    Reservoirs,
    /// By what derived sensors are computed; the sensors themselves are the registry's.
    DerivedSensors,
    Templates,
    CropCycles,
    Nurseries,
    Inventory,
    Harvests,
    Sales,
    Expenses,
    Controllers,
    /// Who belongs to the farm, and who is invited.
    Users,
    /// What a worker has: told to workers alone, of whatever their page shows.
    Work,
}

impl Kind {
    /// What an action makes old; none where nothing does, or where the engine or a message of its own tells of it.
    const fn touched(action: Action) -> Option<Self> {
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
            | Action::IntegrationRemoved => Some(Self::Controllers),
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
            | Action::InviteAccepted => Some(Self::Users),
            Action::EscalationChanged
            | Action::IncidentTaken
            | Action::IncidentAcknowledged
            | Action::IncidentSnoozed
            | Action::IncidentFalse
            | Action::IncidentReopened => Some(Self::Incidents),
            _ => match action.resource() {
                Some(resource) => Self::of(resource),
                None => None,
            },
        }
    }

    /// What the live connection calls a resource; none where the engine tells of it.
    pub(super) const fn of(resource: Resource) -> Option<Self> {
        match resource {
            Resource::Task => Some(Self::Tasks),
            Resource::Reservoir => Some(Self::Reservoirs),
            Resource::DeviceProfile => Some(Self::Controllers),
            Resource::DerivedSensor => Some(Self::DerivedSensors),
            Resource::Template => Some(Self::Templates),
            Resource::CropCycle => Some(Self::CropCycles),
            Resource::Nursery => Some(Self::Nurseries),
            Resource::InventoryItem | Resource::StockMovement => Some(Self::Inventory),
            Resource::Harvest => Some(Self::Harvests),
            Resource::Sale => Some(Self::Sales),
            Resource::Expense => Some(Self::Expenses),
            Resource::Rule
            | Resource::Alert
            | Resource::Polyhouse
            | Resource::Zone
            | Resource::DeviceGroup
            | Resource::Setpoint => None,
        }
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
        if let Some(kind) = Kind::touched(action) {
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
