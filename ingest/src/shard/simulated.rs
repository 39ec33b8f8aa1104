//! What the simulation asks of a shard that it drives itself.

use harit_engine::{FarmId, Timestamp};
use harit_journal::WriteError;

use super::Shard;
use super::farm::Farm;

impl Shard {
    /// How many entries the present batch has.
    pub(crate) const fn entries(&self) -> u64 {
        self.encoder.entries()
    }

    /// When it has something to do by itself.
    pub(crate) fn next_deadline(&self) -> Option<Timestamp> {
        if self.has_to_tell() || self.ahead.is_waiting() {
            return Some(self.now.at);
        }
        self.schedule.first().map(|(at, _)| *at)
    }

    /// What time it is for the engines.
    pub(crate) const fn present(&self) -> Timestamp {
        self.now.at
    }

    /// Trims the journal in one go, where a shard of a server does it piece by piece.
    pub(crate) fn trim(&mut self) -> Result<(), WriteError> {
        while let Some(seq) = self.trimming {
            if !self.journal.trim(seq)? {
                self.trimming = None;
            }
        }
        Ok(())
    }

    pub(crate) fn journal_bytes(&self) -> u64 {
        self.journal.bytes()
    }

    pub(crate) fn farm(&self, id: &FarmId) -> Option<&Farm> {
        self.by_id.get(id).map(|n| &self.farms[*n as usize])
    }
}
