//! Making a batch durable.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use harit_engine::planted;
use harit_journal::WriteError;

use super::Shard;

/// How long it waits after the journal refused a batch.
const JOURNAL_RETRY: Duration = Duration::from_millis(500);
/// How often a journal that another server may take over is appended to at least: so soon this one learns of it.
const PROOF_EVERY: Duration = Duration::from_secs(5);

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

    /// Whether an empty batch is to show that the journal is still this server's.
    pub(super) fn wants_proof(&self) -> bool {
        self.config.journal_is_elsewhere && self.appended_at.elapsed() >= PROOF_EVERY
    }

    /// Notes what an append was refused for; whether the journal is lost for good.
    pub(super) fn is_lost_by(&self, error: &WriteError) -> bool {
        if matches!(error, WriteError::Fenced { .. }) {
            self.shared.taken_over.send_replace(true);
        }
        error.is_final()
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
                Err(WriteError::Fenced { .. }) if planted!(FencedActs) => break,
                Err(e) => {
                    let text = e.to_string();
                    tracing::error!(shard = self.config.number, error = %text, "the journal cannot be written: nothing is acknowledged");
                    metrics::counter!("harit_journal_errors_total").increment(1);
                    let is_away = matches!(e, WriteError::Unavailable(_));
                    self.health
                        .journal_is_away
                        .store(is_away, Ordering::Release);
                    self.health.journal_failed.store(true, Ordering::Release);
                    *self
                        .health
                        .error
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner) = Some(text);
                    if self.is_lost_by(&e) || stopping {
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
            // Another server may be at work already, and want them off.
            if !self.config.journal_is_elsewhere {
                self.renew_leases();
            }
            self.hand_over_lives();
            self.serve_readers();
        }
        self.renewed_at = None;
        self.appended_at = Instant::now();
        self.health.journal_is_away.store(false, Ordering::Release);
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
