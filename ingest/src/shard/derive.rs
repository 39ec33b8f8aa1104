//! Derived sensors: what follows from what was applied enters the log as further readings, right after it.
//!
//! They are looked at on the shard, between two batches, and never in recovery: there they are readings like all others.

use std::sync::Arc;
use std::time::Instant;

use harit_derived::{Definition, Derived};
use harit_engine::{FarmId, Input, InputKind, Measured, Timestamp};

use super::Shard;
use super::farm::Farm;

/// How many looks cost as much as a publish.
const LOOKS_A_UNIT: usize = 4;

impl Farm {
    /// When a derived sensor is to be looked at; one whose farm failed is not.
    pub(super) fn next_look(&self) -> Option<Timestamp> {
        let works = self.fold.failed().is_none();
        self.derivations.due().filter(|_| works)
    }
}

impl Shard {
    /// Computes these for a farm from now on.
    pub(crate) fn put_derived(&mut self, farm: &FarmId, definitions: Vec<Arc<Definition>>) {
        let Some(n) = self.by_id.get(farm).copied() else {
            return;
        };
        self.farms[n as usize].derivations.put(definitions);
        self.touch(n);
    }

    /// Looks at the derived sensors that are due, and journals what they say as the first of the batch: nothing came between it and
    /// what it follows from. Returns what that cost, in units of the queue.
    pub(super) fn derive(&mut self) -> usize {
        let (began, mut said) = (Instant::now(), Vec::new());
        let mut spent = 0;
        for n in self.due_farms() {
            let farm = &mut self.farms[n as usize];
            if farm.next_look().is_none_or(|at| at > self.now.at) {
                continue;
            }
            let failures = farm.derivations.failures();
            let looks = farm
                .derivations
                .look(self.now.at, farm.fold.engine(), &mut said);
            spent += looks.div_ceil(LOOKS_A_UNIT);
            let failed = farm.derivations.failures() - failures;
            metrics::counter!("harit_derived_failures_total").increment(failed);
            metrics::counter!("harit_derived_readings_total").increment(said.len() as u64);
            self.touch(n);
            for Derived { sensor, value, at } in said.drain(..) {
                let value = value.map_or(Measured::Null, Measured::exact);
                let kind = InputKind::Reading { sensor, value };
                self.plan(n, Input { at, kind }, None, None, began);
                spent += 1;
            }
        }
        if spent > 0 {
            metrics::histogram!("harit_derive_seconds").record(began.elapsed());
        }
        spent
    }
}
