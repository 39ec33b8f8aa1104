//! What changed in the records, for the live connection: which kinds of which farm, since it was last asked. A kind that
//! changes a hundred times before that is told once, so nothing is ever lost and nothing grows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use tokio::sync::Notify;
use utoipa::ToSchema;

/// What kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = RecordKind)]
pub(crate) enum Kind {
    Tasks,
    Notifications,
    /// Told by an event of its own.
    Log,
    Reservoirs,
    Templates,
    CropCycles,
    Nurseries,
    Inventory,
    Harvests,
    Sales,
    Expenses,
    Controllers,
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
