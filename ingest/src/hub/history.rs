//! The history as it is read: with everything that was applied before.

use futures_util::future::BoxFuture;
use harit_engine::{DeviceId, FarmId, SensorId, Timestamp};

use super::Hub;
use crate::history::place::{PlacePast, PlaceQuestion};
use crate::history::{EventFilter, History, HistoryError, Rollup, StoredEvent, StoredReport};
use crate::shard::hand_over::Wanted;

/// The store, to which is written before a question what it lacks for the answer.
pub(super) struct UpToNow(pub(super) Hub);

impl History for UpToNow {
    fn rollups<'a>(
        &'a self,
        farm: &'a FarmId,
        sensor: &'a SensorId,
        from: Timestamp,
        to: Timestamp,
        step_sec: u32,
    ) -> BoxFuture<'a, Result<Vec<Rollup>, HistoryError>> {
        Box::pin(async move {
            let store = self.0.up_to_now(farm, Wanted::Readings).await;
            store.rollups(farm, sensor, from, to, step_sec).await
        })
    }

    fn place<'a>(
        &'a self,
        farm: &'a FarmId,
        question: PlaceQuestion,
    ) -> BoxFuture<'a, Result<PlacePast, HistoryError>> {
        Box::pin(async move {
            let store = self.0.up_to_now(farm, Wanted::Readings).await;
            store.place(farm, question).await
        })
    }

    fn reports<'a>(
        &'a self,
        farm: &'a FarmId,
        device: &'a DeviceId,
        from: Timestamp,
        to: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<StoredReport>, HistoryError>> {
        Box::pin(async move {
            let store = self.0.up_to_now(farm, Wanted::Decisions).await;
            store.reports(farm, device, from, to).await
        })
    }

    fn events<'a>(
        &'a self,
        farm: &'a FarmId,
        filter: EventFilter,
    ) -> BoxFuture<'a, Result<Vec<StoredEvent>, HistoryError>> {
        Box::pin(async move {
            let store = self.0.up_to_now(farm, Wanted::Decisions).await;
            store.events(farm, filter).await
        })
    }

    fn events_after<'a>(
        &'a self,
        farm: &'a FarmId,
        after: i64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<StoredEvent>, HistoryError>> {
        self.0.0.history.reads().events_after(farm, after, limit)
    }

    fn last_event(&self) -> BoxFuture<'_, Result<i64, HistoryError>> {
        self.0.0.history.reads().last_event()
    }
}
