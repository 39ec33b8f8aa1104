//! Inputs of people, of time, and of the way out.

use std::collections::BTreeSet;
use std::time::Instant;

use harit_engine::{Event, FarmDocument, FarmId, Input, InputKind, planted};
use harit_protocol::Mac;
use tokio::sync::oneshot;

use crate::admit::AdmitError;
use crate::shard::farm::Farm;
use crate::shard::{Shard, Step};

/// What a change of the registry costs at least, in units of the queue.
const REGISTRY_UNITS: usize = 16;
/// How many sensors and devices of a farm that has its registry changed cost as much as a publish.
const THINGS_A_UNIT: usize = 8;

impl Shard {
    pub(super) fn admit(
        &mut self,
        farm: &FarmId,
        kind: InputKind,
        entry: Option<Box<str>>,
        reply: oneshot::Sender<Result<Vec<Event>, AdmitError>>,
    ) {
        let Some(n) = self.by_id.get(farm).copied() else {
            let _ = reply.send(Err(AdmitError::UnknownFarm(farm.clone())));
            return;
        };
        let f = &self.farms[n as usize];
        if f.fold.failed().is_some() {
            let _ = reply.send(Err(AdmitError::Unavailable("the farm's engine has failed")));
            return;
        }
        let input = Input {
            at: self.now.at,
            kind,
        };
        // What came earlier in this batch may make the difference; then applying it tells.
        if f.pending != self.encoder.number()
            && let Err(problems) = f.fold.engine().check(&input)
        {
            let _ = reply.send(Err(AdmitError::Rejected(problems)));
            return;
        }
        self.input(n, input.kind, entry, Some(reply), Instant::now());
    }

    /// Journals an input of this instant and plans its step.
    pub(in crate::shard) fn input(
        &mut self,
        farm: u32,
        kind: InputKind,
        entry: Option<Box<str>>,
        reply: Option<oneshot::Sender<Result<Vec<Event>, AdmitError>>>,
        arrived: Instant,
    ) {
        let at = self.now.at;
        self.plan(farm, Input { at, kind }, entry, reply, arrived);
    }

    /// Journals an input and plans its step.
    pub(in crate::shard) fn plan(
        &mut self,
        farm: u32,
        input: Input,
        entry: Option<Box<str>>,
        reply: Option<oneshot::Sender<Result<Vec<Event>, AdmitError>>>,
        arrived: Instant,
    ) {
        let f = &mut self.farms[farm as usize];
        let (interned, id) = (&mut f.interned, f.fold.id().as_str());
        let written = match &entry {
            None => self.encoder.input(interned, id, &input),
            Some(entry) => self.encoder.authored(interned, id, &input, entry),
        };
        if let Err(error) = written {
            tracing::error!(farm = %f.id(), %error, "an input could not be journaled");
            if let Some(reply) = reply {
                let _ = reply.send(Err(AdmitError::Unavailable(
                    "the input cannot be journaled",
                )));
            }
            return;
        }
        if !matches!(input.kind, InputKind::Tick | InputKind::Reading { .. }) {
            f.pending = self.encoder.number();
        }
        self.units += match input.kind {
            // The engine copies what it has of the farm.
            InputKind::Registry(_) => REGISTRY_UNITS + f.fold.controllers().size() / THINGS_A_UNIT,
            _ => 1,
        };
        self.steps.push(Step::Input {
            farm,
            input,
            entry,
            reply,
            arrived,
        });
    }

    pub(super) fn add_farm(
        &mut self,
        document: &FarmDocument,
        reply: oneshot::Sender<Result<(), AdmitError>>,
    ) {
        let id = &document.farm.id;
        let made = if self.by_id.contains_key(id) {
            Err(AdmitError::FarmExists(id.clone()))
        } else {
            harit_engine::Engine::new(document).map_err(AdmitError::Rejected)
        };
        let engine = match made {
            Ok(engine) => engine,
            Err(e) => {
                let _ = reply.send(Err(e));
                return;
            }
        };
        if self.encoder.farm(document).is_err() {
            let _ = reply.send(Err(AdmitError::Unavailable("the farm cannot be journaled")));
            return;
        }
        let number = u32::try_from(self.farms.len()).unwrap_or(u32::MAX);
        self.by_id.insert(id.clone(), number);
        let mut farm = Farm::new(harit_farm::Farm::new(engine));
        farm.publish(&self.shared);
        self.farms.push(farm);
        self.steps.push(Step::Added { reply });
    }

    /// What could not be published, and that there is a way out again.
    pub(in crate::shard) fn decode_way_out(&mut self) {
        let unsent = std::mem::take(&mut self.unsent);
        // The fold does not know yet that these wait for a way out.
        let waiting: BTreeSet<u32> = unsent.iter().map(|(farm, _)| *farm).collect();
        for (farm, commands) in unsent {
            let f = &mut self.farms[farm as usize];
            self.encoder
                .unsent(&mut f.interned, f.fold.id().as_str(), &commands);
            self.steps.push(Step::Unsent { farm, commands });
        }
        if !std::mem::take(&mut self.way_out_is_new) {
            return;
        }
        for (farm, f) in (0..).zip(&mut self.farms) {
            if f.fold.delivery().has_queued() || waiting.contains(&farm) {
                self.encoder.way_out(&mut f.interned, f.fold.id().as_str());
                self.steps.push(Step::WayOut { farm });
            }
        }
    }

    /// A tick for every farm of which something is due.
    pub(in crate::shard) fn decode_ticks(&mut self) {
        let now = self.now.at;
        for farm in self.due_farms() {
            let f = &mut self.farms[farm as usize];
            if planted!(TickSkipped, every 3) {
                continue;
            }
            if f.fold.next_deadline().is_some_and(|d| d <= now) {
                self.input(farm, InputKind::Tick, None, None, Instant::now());
            }
        }
    }

    /// Once, some time after the start: who was online before it and has not been heard of since is gone.
    pub(in crate::shard) fn decode_absent(&mut self) {
        let grace = i64::try_from(self.config.presence_grace.as_millis()).unwrap_or(i64::MAX);
        let grace = harit_engine::Duration::from_millis(grace);
        if self.presence_checked || self.now.at < self.started + grace || planted!(AbsenceUnnoticed)
        {
            return;
        }
        self.presence_checked = true;
        let mut absent: Vec<(u32, Mac)> = Vec::new();
        for (n, f) in (0..).zip(&self.farms) {
            let is_absent = |mac: &Mac| !self.senders.heard(n, *mac) && f.fold.is_present(*mac);
            absent.extend(
                f.fold
                    .controllers()
                    .macs()
                    .filter(is_absent)
                    .map(|mac| (n, mac)),
            );
        }
        for (n, mac) in absent {
            tracing::info!(farm = %self.farms[n as usize].id(), %mac, "not heard of since the start: offline");
            self.gone(n, mac);
        }
    }
}
