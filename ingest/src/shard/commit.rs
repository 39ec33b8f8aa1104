//! Making a batch durable.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use harit_engine::planted;
use harit_journal::WriteError;

use super::Shard;

/// How long it waits after the journal refused a batch.
const JOURNAL_RETRY: Duration = Duration::from_millis(500);

impl Shard {
    /// Appends the batch, after what goes before it.
    fn append(&mut self) -> Result<(), WriteError> {
        if !self.in_doubt {
            self.write_ahead()?;
        }
        // First: what a stop made room for on a full disk is for further stops.
        self.journal.keep_reserve()?;
        let (after, at) = (self.journal.last(), self.encoder.at());
        let (entries, body) = (self.encoder.entries(), self.encoder.body());
        let written = self.journal.append(after, at, entries, body);
        self.in_doubt = matches!(written, Err(WriteError::Unavailable(_)));
        written.map(|_| ())
    }

    /// Appends the batch, again and again while the disk is full.
    pub(crate) fn commit(&mut self, stopping: bool) -> bool {
        if planted!(SendBeforeCommit) {
            self.act();
        }
        let began = Instant::now();
        let mut stopping = stopping;
        loop {
            match self.append() {
                Ok(()) => break,
                Err(e) => {
                    let text = e.to_string();
                    tracing::error!(shard = self.config.number, error = %text, "the journal cannot be written: nothing is acknowledged");
                    metrics::counter!("harit_journal_errors_total").increment(1);
                    self.health.journal_failed.store(true, Ordering::Release);
                    *self
                        .health
                        .error
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner) = Some(text);
                    if stopping || e.is_final() {
                        return false;
                    }
                }
            }
            // Questions are answered and leases renewed meanwhile.
            let taken = self.queue.clone().take_questions(JOURNAL_RETRY);
            stopping = taken.stopping;
            self.urgent(taken.urgent);
            if self.lost {
                return false;
            }
            for question in taken.questions {
                question(self);
            }
            self.renew_leases();
            self.hand_over_lives();
            self.serve_readers();
        }
        self.renewed_at = None;
        if self.health.journal_failed.swap(false, Ordering::AcqRel) {
            tracing::info!(
                shard = self.config.number,
                "the journal can be written again"
            );
            self.tell_time();
            *self
                .health
                .error
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = None;
        }
        metrics::histogram!("harit_journal_commit_seconds").record(began.elapsed());
        #[allow(clippy::cast_precision_loss, reason = "a metric")]
        metrics::histogram!("harit_batch_inputs").record(self.encoder.entries() as f64);
        true
    }
}
