//! What controllers say of themselves and of their devices, what they announce, and what is done about what is astray.

use std::time::Instant;

use harit_engine::{Input, InputKind, RegistryChange, ScopeSpec};
use harit_protocol::{Reject, Report};

use crate::book::Again;
use crate::shard::{Shard, Step};

/// How long a farm's announcements are not tried again after the engine refused one, in milliseconds.
const REFUSED_MS: i64 = 10_000;
/// What a device costs that a report names, in units of the queue.
const NAMED_UNITS: usize = 2;
/// What one costs that its controller has.
const DEVICE_UNITS: usize = 1;

impl Shard {
    /// A controller's report; returns what of it was refused.
    pub(super) fn report(
        &mut self,
        farm: u32,
        c: u32,
        report: &Report,
        scope: &ScopeSpec,
        arrived: Instant,
    ) -> Vec<Reject> {
        let pending = self.is_pending(farm);
        let now = self.now.at;
        let f = &mut self.farms[farm as usize];
        if f.failed.is_some() {
            return Vec::new();
        }
        if !pending {
            f.decided.clear();
        }
        let named = report.devices.as_ref().map_or(0, Vec::len);
        self.units += named * NAMED_UNITS + f.book.devices_of(c).count() * DEVICE_UNITS;
        let standings = &f.decided.standings;
        let was_online = f.book.controllers[c as usize].online;
        let mac = f.book.controllers[c as usize].mac;
        let again = f.book.again(&f.engine, c, now, report, standings);
        let mut announced = f.book.announce(&f.engine, c, report, scope, standings);
        f.decided.keep(&mut announced.registry);
        let mut rejected = announced.rejected;
        if !announced.registry.is_empty() && !self.register(farm, announced.registry, arrived) {
            rejected.push(Reject::Refused);
        }
        let f = &mut self.farms[farm as usize];
        let journaled = self
            .encoder
            .report(&mut f.interned, f.id.as_str(), now, mac, report);
        if let Err(e) = journaled {
            tracing::error!(farm = %f.id, error = %e, "a report could not be journaled");
            return rejected;
        }
        f.book.reported(c, now, report);
        f.is_in(self.encoder.number());
        for (device, status) in announced.statuses {
            self.input(farm, InputKind::Status { device, status }, None, arrived);
        }
        self.remedy(farm, again, arrived);
        self.steps.push(Step::Reported {
            farm,
            controller: c,
            online: report.online,
            changed: was_online != report.online,
        });
        rejected
    }

    /// Journals what was decided about devices that are astray, and does it.
    fn remedy(&mut self, farm: u32, decided: Vec<Again>, arrived: Instant) {
        let now = self.now.at;
        for again in decided {
            if let Some(what) = again.note {
                let f = &mut self.farms[farm as usize];
                let device = again.device.as_str();
                self.encoder
                    .desertion(&mut f.interned, f.id.as_str(), now, device, what);
                f.book.note_desertion(&again.device, now, what);
                f.is_in(self.encoder.number());
            }
            for (device, status) in again.statuses() {
                self.input(farm, InputKind::Status { device, status }, None, arrived);
            }
        }
    }

    /// Announces what is new, if the engine will take it; else the book forgets it.
    pub(super) fn register(
        &mut self,
        farm: u32,
        changes: Vec<RegistryChange>,
        arrived: Instant,
    ) -> bool {
        let pending = self.is_pending(farm);
        let now = self.now.at;
        let f = &mut self.farms[farm as usize];
        let input = Input {
            at: now,
            kind: InputKind::Registry(changes),
        };
        let refused = f.refused_until > now || (!pending && f.engine.check(&input).is_err());
        if refused {
            if f.refused_until <= now {
                f.refused_until = now + harit_engine::Duration::from_millis(REFUSED_MS);
                if let Err(problems) = f.engine.check(&input) {
                    tracing::warn!(farm = %f.id, %problems, "what a controller announced was refused");
                }
            }
            if let InputKind::Registry(changes) = &input.kind {
                f.book.unfollow(&f.engine, changes);
            }
            return false;
        }
        self.input(farm, input.kind, None, arrived);
        true
    }

    /// What devices do that have been astray for long enough. Of a farm of which something is decided and not applied yet,
    /// it is decided in the next turn.
    pub(in crate::shard) fn prepare_deserters(&mut self) {
        let now = self.now.at;
        for farm in self.due_farms() {
            if self.is_pending(farm) {
                continue;
            }
            let f = &mut self.farms[farm as usize];
            if f.failed.is_some() {
                continue;
            }
            let overdue = f.book.overdue(&f.engine, now);
            self.remedy(farm, overdue, Instant::now());
        }
    }

    /// Once, some time after the start: who was online before it and has not been heard of since is not online.
    pub(in crate::shard) fn prepare_absent(&mut self) {
        let grace = harit_engine::Duration::from_millis(
            i64::try_from(self.config.presence_grace.as_millis()).unwrap_or(i64::MAX),
        );
        if self.presence_checked || self.now.at < self.started + grace || planted!(AbsenceUnnoticed)
        {
            return;
        }
        self.presence_checked = true;
        for n in 0..self.farms.len() {
            let farm = u32::try_from(n).unwrap_or(u32::MAX);
            let f = &self.farms[n];
            let absent: Vec<u32> = (0..)
                .zip(&f.book.controllers)
                .filter(|(c, controller)| {
                    let online = |d: &harit_engine::DeviceId| {
                        f.engine.device(d.as_str()).is_some_and(|d| d.online)
                    };
                    !controller.heard && (controller.online || f.book.devices_of(*c).any(online))
                })
                .map(|(c, _)| c)
                .collect();
            for c in absent {
                tracing::info!(farm = %self.farms[n].id, mac = %self.farms[n].book.controllers[c as usize].mac, "not heard of since the start: offline");
                self.report(
                    farm,
                    c,
                    &Report::OFFLINE,
                    &ScopeSpec::farm(),
                    Instant::now(),
                );
            }
        }
    }
}
