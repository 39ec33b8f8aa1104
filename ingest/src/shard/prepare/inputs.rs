//! Inputs of people, and of time.

use std::time::Instant;

use harit_engine::{Event, FarmId, Input, InputKind, Measured};
use tokio::sync::oneshot;

use crate::hub::AdmitError;
use crate::journal::codec::Interned;
use crate::shard::farm::Farm;
use crate::shard::{Shard, Step, is_structural};

/// What a change of the registry costs at least, in units of the queue.
const REGISTRY_UNITS: usize = 16;
/// How many sensors and devices of a farm that has its registry changed cost as much as a publish.
const THINGS_A_UNIT: usize = 8;

impl Shard {
    pub(super) fn admit(
        &mut self,
        farm: &FarmId,
        kind: InputKind,
        reply: oneshot::Sender<Result<Vec<Event>, AdmitError>>,
    ) {
        let Some(n) = self.by_id.get(farm).copied() else {
            let _ = reply.send(Err(AdmitError::UnknownFarm(farm.clone())));
            return;
        };
        let f = &self.farms[n as usize];
        if f.failed.is_some() {
            let _ = reply.send(Err(AdmitError::Unavailable("the farm's engine has failed")));
            return;
        }
        let input = Input {
            at: self.now.at,
            kind,
        };
        // What came earlier in this batch may make the difference; then applying it tells.
        if !self.is_pending(n)
            && let Err(problems) = f.engine.check(&input)
        {
            let _ = reply.send(Err(AdmitError::Rejected(problems)));
            return;
        }
        if let InputKind::Reading { sensor, value } = &input.kind
            && let Some(s) = f.book.sensor_by_id(sensor.as_str())
        {
            let value: Measured = harit_protocol::canonical(*value);
            let from = self.values.len();
            self.values.push((s, value));
            self.readings(n, None, None, from, from + 1, Instant::now());
            self.input(n, InputKind::Tick, Some(reply), Instant::now());
            return;
        }
        self.input(n, input.kind, Some(reply), Instant::now());
    }

    /// Journals an input and plans its step.
    pub(in crate::shard) fn input(
        &mut self,
        farm: u32,
        kind: InputKind,
        reply: Option<oneshot::Sender<Result<Vec<Event>, AdmitError>>>,
        arrived: Instant,
    ) {
        let input = Input {
            at: self.now.at,
            kind,
        };
        let f = &mut self.farms[farm as usize];
        // What is astray is looked at when everything was told anew, and not before.
        let resumes = input.kind == InputKind::Resumed;
        if resumes {
            f.book.resumed(input.at);
        }
        let structural = is_structural(&input.kind);
        if resumes || structural {
            f.is_in(self.encoder.number());
        }
        if let Err(e) = self.encoder.input(&mut f.interned, f.id.as_str(), &input) {
            tracing::error!(farm = %f.id, error = %e, "an input could not be journaled");
            if let Some(reply) = reply {
                let _ = reply.send(Err(AdmitError::Unavailable(
                    "the input cannot be journaled",
                )));
            }
            return;
        }
        if structural {
            f.decided.follow(&f.engine, &input);
        }
        self.units += match input.kind {
            // The engine copies what it has of the farm.
            InputKind::Registry(_) => REGISTRY_UNITS + f.book.size() / THINGS_A_UNIT,
            _ => 1,
        };
        self.steps.push(Step::Input {
            farm,
            input,
            reply,
            arrived,
        });
    }

    pub(super) fn add_farm(
        &mut self,
        document: &harit_engine::FarmDocument,
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
        let mut farm = Farm::new(engine);
        farm.interned = Interned::default();
        self.by_id.insert(
            farm.id.clone(),
            u32::try_from(self.farms.len()).unwrap_or(u32::MAX),
        );
        self.farms.push(farm);
        self.steps.push(Step::Added { reply });
    }

    /// A tick for every farm of which a timer is due.
    pub(in crate::shard) fn prepare_ticks(&mut self) {
        let now = self.now.at;
        for farm in self.due_farms() {
            let f = &mut self.farms[farm as usize];
            if planted!(TickSkipped, every 3) {
                continue;
            }
            if f.failed.is_none() && f.engine.next_deadline().is_some_and(|d| d <= now) {
                self.input(farm, InputKind::Tick, None, Instant::now());
            }
        }
    }
}
