//! What is asked of one farm's engine, and of what is stored of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use harit_engine::verdict::FarmVerdict;
use harit_engine::{
    DeviceId, Engine, Event, FarmId, Input, InputKind, Manual, SensorId, Stop, Timestamp,
};
use harit_ingest::ControllerStatus;
use harit_ingest::dead_letter::DeadLetter;
use harit_ingest::history::place::{PlacePast, PlaceQuestion};
use harit_ingest::history::{Found, HistoryError, Rollup, StoredReport};
use harit_ingest::lease::LeasedDevice;
use harit_ingest::past::{self, Log, PastError};
use harit_ingest::{CommandFilter, CommandLife, Hub, LiveEvent, LiveKind, Urged};
use harit_profiles::{Announcements, Profile, Profiles};
use harit_protocol::Mac;
use tokio::sync::broadcast;

use crate::derived_sensors::{self, DerivedSensor};
use crate::error::ApiError;
use crate::records::FarmRecords;

/// One farm's engine and what is stored of it.
pub(crate) struct FarmHub<'a> {
    pub(super) hub: &'a Hub,
    pub(super) farm: &'a FarmId,
    pub(super) records: FarmRecords,
}

impl FarmHub<'_> {
    /// Asks the engine between two of its inputs.
    pub(crate) async fn read<R: Send + 'static>(
        &self,
        question: impl FnOnce(&Engine) -> R + Send + 'static,
    ) -> Result<R, ApiError> {
        Ok(self.hub.read(self.farm, question).await?)
    }

    /// Asks the engine as it was at an instant past.
    pub(crate) async fn read_at<R: Send + 'static>(
        &self,
        at: Timestamp,
        stop: past::Stop,
        question: impl FnOnce(&Engine) -> R + Send + 'static,
    ) -> Result<R, ApiError> {
        Ok(self.hub.read_at(self.farm, at, stop, question).await?)
    }

    /// Asks the farm's log something about a span; of one that begins before the log, about what the log has of it.
    pub(crate) async fn ask_past<R: Send + 'static>(
        &self,
        (from, to): (Timestamp, Timestamp),
        stop: past::Stop,
        question: impl FnOnce(&mut dyn Log, &past::Stop, Timestamp) -> Result<R, PastError>
        + Clone
        + Send
        + 'static,
    ) -> Result<R, PastError> {
        match self.ask_from(from, stop.clone(), question.clone()).await {
            Err(PastError::TooEarly {
                begins: Some(begins),
            }) if begins < to => self.ask_from(begins, stop, question).await,
            answer => answer,
        }
    }

    /// Asks the farm's log something, from an instant on that it reaches.
    pub(crate) async fn ask_from<R: Send + 'static>(
        &self,
        from: Timestamp,
        stop: past::Stop,
        question: impl FnOnce(&mut dyn Log, &past::Stop, Timestamp) -> Result<R, PastError>
        + Send
        + 'static,
    ) -> Result<R, PastError> {
        let ask = move |log: &mut dyn Log, stop: &past::Stop| question(log, stop, from);
        self.hub.ask_past(self.farm, from, stop, ask).await
    }

    /// Asks the minute means something, of the farm as it is set now, where there are any before `before`; it is told these days.
    pub(crate) async fn ask_means<R: Send + 'static>(
        &self,
        (from, before): (Timestamp, Timestamp),
        days: Vec<Input>,
        stop: past::Stop,
        question: impl FnOnce(&mut dyn Log, &past::Stop, Timestamp) -> Result<R, PastError>
        + Send
        + 'static,
    ) -> Result<R, PastError> {
        let ask = move |log: &mut dyn Log, stop: &past::Stop| question(log, stop, from);
        let span = (from, before);
        self.hub.ask_means(self.farm, span, days, stop, ask).await
    }

    /// Gives the engine an input, and returns what it said.
    pub(crate) async fn admit(&self, kind: InputKind) -> Result<Vec<Event>, ApiError> {
        Ok(self.hub.admit(self.farm, kind).await?)
    }

    /// Stops devices ahead of whatever waits.
    pub(crate) async fn stop(&self, stop: Stop) -> Result<Urged, ApiError> {
        Ok(self.hub.stop(self.farm, stop).await?)
    }

    /// Gives a person's command; what switches off goes ahead of whatever waits.
    pub(crate) async fn command_by_hand(&self, manual: Manual) -> Result<Urged, ApiError> {
        Ok(self.hub.command_by_hand(self.farm, manual).await?)
    }

    /// The latest command of each device, as far as they are remembered without the disk.
    pub(crate) async fn latest_commands(&self) -> Result<Vec<CommandLife>, ApiError> {
        Ok(self.hub.latest_commands(self.farm).await?)
    }

    pub(crate) async fn command(&self, id: &str) -> Result<Option<CommandLife>, ApiError> {
        let found = self.hub.command(self.farm, id).await;
        found.map_err(unreadable)
    }

    pub(crate) async fn commands(
        &self,
        filter: CommandFilter,
    ) -> Result<Found<CommandLife>, ApiError> {
        let found = self.hub.commands(self.farm, filter).await;
        found.map_err(unreadable)
    }

    /// How the farm and its houses stand, as far as that is known.
    pub(crate) async fn verdict(&self) -> Result<Arc<FarmVerdict>, ApiError> {
        Ok(self.hub.verdict(self.farm).await?)
    }

    /// What the controllers last said of themselves. What a controller had that is no longer the farm's is gone.
    pub(crate) async fn controllers(&self) -> Result<Vec<ControllerStatus>, ApiError> {
        let mut all = self.hub.controllers(self.farm).await?;
        let ours = |c: &ControllerStatus| self.records.controller(c.mac).is_some();
        for c in all.iter_mut().filter(|c| !ours(c)) {
            c.online = false;
            c.sensors.iter_mut().for_each(|s| s.gone = true);
            c.devices.iter_mut().for_each(|d| d.gone = true);
        }
        Ok(all)
    }

    /// A controller was registered or changed.
    pub(crate) fn controller_changed(&self, mac: &Mac) {
        self.hub.controller_changed(mac);
    }

    /// A sensor's rollups on [from, to).
    pub(crate) async fn rollups(
        &self,
        sensor: &SensorId,
        from: Timestamp,
        to: Timestamp,
        step_sec: u32,
    ) -> Result<Vec<Rollup>, HistoryError> {
        self.hub
            .history()
            .rollups(self.farm, sensor, from, to, step_sec)
            .await
    }

    /// Whether the latest may be missing from the history, because it cannot be written at present.
    pub(crate) fn history_incomplete(&self) -> bool {
        !self.hub.health().history_writable
    }

    /// The past of many sensors.
    pub(crate) async fn place(&self, question: PlaceQuestion) -> Result<PlacePast, HistoryError> {
        self.hub.history().place(self.farm, question).await
    }

    /// What a device reported on [from, to), led by what held at `from`.
    pub(crate) async fn reports(
        &self,
        device: &DeviceId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<StoredReport>, HistoryError> {
        let history = self.hub.history();
        history.reports(self.farm, device, from, to).await
    }

    /// Has the farm's derived sensors computed by these rows.
    pub(crate) async fn settle_derived(&self, rows: Vec<DerivedSensor>) -> Result<(), ApiError> {
        Ok(derived_sensors::settle(self.hub, self.farm, rows).await?)
    }

    /// Has the farm's messages read by these profiles of its own and the shipped ones.
    pub(crate) fn put_profiles(&self, own: Vec<Profile>) {
        self.hub.put_profiles(self.farm, own);
    }

    /// The profiles by which the farm's messages are read.
    pub(crate) fn profiles(&self) -> Arc<Profiles> {
        self.hub.profiles(self.farm)
    }

    /// Says which of the farm's devices showed that they go off by themselves.
    pub(crate) async fn settle_leases(&self) -> Result<(), ApiError> {
        let proofs = self.records.lease_proofs().await?;
        self.hub.put_proofs(self.farm, proofs);
        Ok(())
    }

    /// How a device is reached, if it has a controller.
    pub(crate) async fn device_target(
        &self,
        device: &DeviceId,
    ) -> Result<Option<LeasedDevice>, ApiError> {
        Ok(self.hub.device_target(self.farm, device).await?)
    }

    /// Switches a device on for the test of its lease, or off.
    pub(crate) async fn try_lease(
        &self,
        device: &LeasedDevice,
        seconds: Option<i64>,
    ) -> Result<(), ApiError> {
        let (hub, farm) = (self.hub, self.farm);
        Ok(hub.try_lease(farm, device.clone(), seconds).await?)
    }

    /// Ends such a test; whether the device said that its lease is set.
    pub(crate) fn end_trial(&self, device: &LeasedDevice) -> bool {
        self.hub.end_trial(self.farm, device)
    }

    /// What the farm's devices announced of themselves, by controller.
    pub(crate) fn announced(&self) -> BTreeMap<Mac, Announcements> {
        self.hub.announced(self.farm)
    }

    /// What was refused of the farm's controllers, the latest first.
    pub(crate) async fn dead_letters(&self, limit: usize) -> Result<Vec<DeadLetter>, ApiError> {
        let found = self.hub.dead_letters(self.farm, limit).await;
        found.map_err(|error| {
            tracing::error!(%error, "dead letters cannot be read");
            ApiError::unavailable()
        })
    }

    /// What happens from now on; the caller skips what is of other farms.
    pub(crate) fn live(&self) -> Live {
        Live {
            events: self.hub.subscribe(),
            farm: self.farm.clone(),
        }
    }
}

/// What happens in one farm.
pub(crate) struct Live {
    events: broadcast::Receiver<Arc<LiveEvent>>,
    farm: FarmId,
}

impl Live {
    /// The next life of a command that goes on; `None` when the hub is gone or this reader was too slow.
    pub(crate) async fn next_command(&mut self) -> Option<CommandLife> {
        loop {
            let event = self.events.recv().await.ok()?;
            if event.farm == self.farm
                && let LiveKind::Command(life) = &event.kind
            {
                return Some(CommandLife::clone(life));
            }
        }
    }
}

fn unreadable(error: HistoryError) -> ApiError {
    tracing::error!(%error, "commands cannot be read");
    ApiError::unavailable()
}
