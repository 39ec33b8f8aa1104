//! What changes a farm: its creation, people's inputs, and stops, which go before everything else.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use harit_engine::{DeviceId, Event, FarmDocument, FarmId, InputKind, Manual, ManualKind, Stop};
use tokio::sync::oneshot;

use super::{CLOSING, Hub, not_asked};
use crate::admit::AdmitError;
use crate::shard::queue::{Urgent, Work};

impl Hub {
    /// Adds a farm, with whatever it has from the beginning.
    ///
    /// # Errors
    /// When the farm exists, its document is refused, or the journal cannot be written.
    pub async fn add_farm(&self, doc: FarmDocument) -> Result<(), AdmitError> {
        let id = doc.farm.id.clone();
        let shard = self.0.generation.shard_of(id.as_str());
        let (reply, answer) = oneshot::channel();
        let document = Box::new(doc);
        self.put(shard, &id, Work::AddFarm { document, reply })?;
        answer.await.map_err(|_| CLOSING)??;
        self.0
            .farms
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id, shard);
        Ok(())
    }

    /// Stamps an input now, journals it, applies it, and returns what the engine said.
    ///
    /// # Errors
    /// When the farm is unknown, the engine refuses the input, or it cannot be journaled.
    pub async fn admit(&self, farm: &FarmId, kind: InputKind) -> Result<Vec<Event>, AdmitError> {
        self.admit_input(farm, kind, None).await
    }

    /// The same of somebody who is named by an entry for an audit log: where the input is taken, [`Self::authored`] has it.
    ///
    /// # Errors
    /// As [`Self::admit`].
    pub async fn admit_authored(
        &self,
        farm: &FarmId,
        kind: InputKind,
        entry: &str,
    ) -> Result<Vec<Event>, AdmitError> {
        self.admit_input(farm, kind, Some(entry.into())).await
    }

    async fn admit_input(
        &self,
        farm: &FarmId,
        kind: InputKind,
        entry: Option<Box<str>>,
    ) -> Result<Vec<Event>, AdmitError> {
        let shard = self.shard_of(farm)?;
        let (reply, answer) = oneshot::channel();
        let work = Work::Admit {
            farm: farm.clone(),
            kind: Box::new(kind),
            entry,
            reply,
        };
        self.put(shard, farm, work)?;
        answer.await.map_err(|_| CLOSING)?
    }

    /// Stops devices before anything else is done, also while the journal cannot be written.
    ///
    /// # Errors
    /// As [`Self::admit`], but for a journal that cannot be written now; also when too many of these wait already.
    pub async fn stop(&self, farm: &FarmId, stop: Stop) -> Result<Urged, AdmitError> {
        self.urge(farm, InputKind::Stop(Box::new(stop))).await
    }

    /// A person's command; one that switches off goes the way of a stop.
    ///
    /// # Errors
    /// As [`Self::stop`] for what switches off, and [`Self::admit`] for the rest.
    pub async fn command_by_hand(
        &self,
        farm: &FarmId,
        manual: Manual,
    ) -> Result<Urged, AdmitError> {
        let off = manual.kind == ManualKind::Override && manual.action.as_deref() == Some("off");
        let kind = InputKind::Manual(Box::new(manual));
        if off {
            self.urge(farm, kind).await
        } else {
            self.admit(farm, kind).await.map(Urged::Recorded)
        }
    }

    async fn urge(&self, farm: &FarmId, kind: InputKind) -> Result<Urged, AdmitError> {
        let shard = self.shard_of(farm)?;
        let (reply, answer) = oneshot::channel();
        let (sent, early) = oneshot::channel();
        let urgent = Urgent {
            farm: farm.clone(),
            kind: Box::new(kind),
            reply,
            sent: Some(sent),
        };
        if !self.0.shards[shard].queue.put_urgent(urgent) {
            return Err(AdmitError::Unavailable(
                "the hub is shutting down, or too many stops wait",
            ));
        }
        tokio::select! {
            biased;
            Ok(devices) = early => Ok(Urged::Sent(devices)),
            answer = answer => answer.map_err(|_| CLOSING)?.map(Urged::Recorded),
        }
    }

    fn put(&self, shard: usize, farm: &FarmId, work: Work) -> Result<(), AdmitError> {
        if self.0.shards[shard]
            .health
            .journal_failed
            .load(Ordering::Acquire)
        {
            return Err(AdmitError::Unavailable("the journal cannot be written"));
        }
        let put = self.0.shards[shard].queue.put_first(farm.clone(), work);
        put.map_err(not_asked)
    }
}

/// What became of a stop, or of switching off.
#[derive(Debug, Clone, PartialEq)]
pub enum Urged {
    /// It is recorded and done; what the engine said.
    Recorded(Vec<Event>),
    /// It cannot be recorded yet, because the journal cannot be written: `off` was sent to these devices, and the rest
    /// follows as soon as it can.
    Sent(Vec<DeviceId>),
}
