//! What must not wait: a stop, and a person's switching off.
//!
//! It has a lane of its own in the queue and a batch of its own in the journal, before everything else of the turn. While the
//! journal cannot be written it goes out all the same: `off` is sent at once, beside the engine, and the input is journaled
//! and applied as soon as that can be, before whatever else waits. What the engine then sends is `off` once more.
//!
//! A batch that could not be written is appended again as it was, since a journal that is elsewhere may have it already. What
//! comes meanwhile waits for the batch after it.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Instant;

use harit_engine::{
    DeviceId, Duration, Event, FarmId, Input, InputKind, LockKind, Owner, Setting, Timestamp,
    planted,
};
use harit_farm::RENEW_EVERY;
use harit_farm::codec::Encoder;
use harit_journal::WriteError;
use harit_protocol::command::{CommandMessage, LEASE_SEC};
use tokio::sync::oneshot;

use super::control::Went;
use super::queue::Urgent;
use super::{Shard, Step};
use crate::admit::AdmitError;

/// How often `off` is sent again while it cannot be journaled; a controller does it once.
const AGAIN_AFTER: Duration = Duration::from_secs(5);

/// What goes before the present batch.
pub(super) struct Ahead {
    encoder: Encoder,
    steps: Vec<Step>,
    /// What the batch has, a step each; none where there is no batch.
    batch: Vec<Waiting>,
    /// What is for the batch after it.
    next: Vec<Waiting>,
}

impl Default for Ahead {
    fn default() -> Self {
        Self {
            encoder: Encoder::aside(),
            steps: Vec::new(),
            batch: Vec::new(),
            next: Vec::new(),
        }
    }
}

impl Ahead {
    /// Whether anything is not durable yet.
    pub(super) const fn is_waiting(&self) -> bool {
        !self.batch.is_empty() || !self.next.is_empty()
    }

    fn all(&self) -> impl Iterator<Item = &Waiting> {
        self.batch.iter().chain(&self.next)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Waiting> {
        self.batch.iter_mut().chain(&mut self.next)
    }
}

/// One that is not durable yet.
struct Waiting {
    farm: u32,
    kind: Box<InputKind>,
    /// None once its step has it.
    reply: Option<oneshot::Sender<Result<Vec<Event>, AdmitError>>>,
    /// Told which devices `off` was sent to.
    answer: Option<oneshot::Sender<Vec<DeviceId>>>,
    sent: Option<Sent>,
}

/// `off` that was sent beside the engine.
struct Sent {
    at: Timestamp,
    id: String,
    /// The devices that could be reached.
    reached: Vec<DeviceId>,
}

impl Shard {
    /// Journals and does what must not wait, and what waited before. What cannot be journaled now is sent and waits.
    pub(crate) fn urgent(&mut self, new: Vec<Urgent>) {
        for urgent in new {
            let checked = self.checked(urgent);
            self.ahead.next.extend(checked);
        }
        if !self.ahead.is_waiting() {
            return;
        }
        self.tell_time();
        if self.health.journal_failed.load(Ordering::Acquire) {
            // To find out that it still cannot be written may take a while.
            self.send_waiting();
        }
        if let Err(error) = self.write_ahead() {
            tracing::error!(shard = self.config.number, %error, "a stop cannot be journaled yet: it is sent");
            metrics::counter!("harit_journal_errors_total").increment(1);
        }
    }

    /// Makes durable and does what goes before the present batch; what cannot be written is sent and waits.
    pub(super) fn write_ahead(&mut self) -> Result<(), WriteError> {
        while self.fill_ahead() {
            if let Err(error) = self.append_ahead() {
                self.lost |= self.is_lost_by(&error);
                self.send_waiting();
                if self.lost {
                    // Nobody will record it here: whoever asks learns that as this is dropped.
                    self.ahead = Ahead::default();
                }
                self.answer_waiting();
                return Err(error);
            }
            self.act_ahead();
        }
        Ok(())
    }

    /// Makes a batch of what waits for one, unless there is one. False where there is nothing to write.
    fn fill_ahead(&mut self) -> bool {
        if self.ahead.batch.is_empty() && !self.ahead.next.is_empty() {
            self.swap_ahead();
            self.encoder.begin(self.now.at);
            for mut waiting in std::mem::take(&mut self.ahead.next) {
                let (before, reply) = (self.steps.len(), waiting.reply.take());
                let kind = (*waiting.kind).clone();
                self.input(waiting.farm, kind, None, reply, Instant::now());
                if self.steps.len() > before {
                    self.ahead.batch.push(waiting);
                }
            }
            self.swap_ahead();
        }
        !self.ahead.batch.is_empty()
    }

    /// Has the batch that goes first in the place of the present one, or puts that back.
    const fn swap_ahead(&mut self) {
        std::mem::swap(&mut self.encoder, &mut self.ahead.encoder);
        std::mem::swap(&mut self.steps, &mut self.ahead.steps);
    }

    /// Appends the batch; on a full disk with what is kept back for that.
    fn append_ahead(&mut self) -> Result<(), WriteError> {
        let encoder = &self.ahead.encoder;
        let at = if planted!(StopWrittenAnew) {
            self.now.at
        } else {
            encoder.at()
        };
        let (after, entries, body) = (self.journal.last(), encoder.entries(), encoder.body());
        let mut written = self.journal.append(after, at, entries, body);
        if matches!(written, Err(WriteError::Full(_))) && self.journal.give_up_reserve() {
            written = self.journal.append(after, at, entries, body);
        }
        written.map(|_| ())
    }

    /// Does what is in the batch, which is durable now.
    fn act_ahead(&mut self) {
        // It has none.
        let (items, publishes) = (
            std::mem::take(&mut self.items),
            std::mem::take(&mut self.publishes),
        );
        self.swap_ahead();
        self.act();
        self.swap_ahead();
        (self.items, self.publishes) = (items, publishes);
        // What opens a stop in the batch that waits was asked for before: it does not open this one.
        for Waiting { farm: n, kind, .. } in std::mem::take(&mut self.ahead.batch) {
            let opens = |step: &Step| match step {
                Step::Input { farm, input, .. } => *farm == n && opens_stops(&input.kind),
                _ => false,
            };
            if matches!(*kind, InputKind::Stop(_)) && self.steps.iter().any(opens) {
                self.input(n, *kind, None, None, Instant::now());
            }
        }
    }

    /// None of one that the engine does not take: whoever asked is told so.
    fn checked(&self, urgent: Urgent) -> Option<Waiting> {
        let Urgent {
            farm,
            kind,
            reply,
            sent: answer,
        } = urgent;
        let refused = match self.by_id.get(&farm) {
            None => AdmitError::UnknownFarm(farm),
            Some(n) => {
                let f = &self.farms[*n as usize];
                let input = Input {
                    at: self.now.at,
                    kind: (*kind).clone(),
                };
                match f.fold.engine().check(&input) {
                    _ if f.fold.failed().is_some() => {
                        AdmitError::Unavailable("the farm's engine has failed")
                    }
                    Err(problems) => AdmitError::Rejected(problems),
                    Ok(()) => {
                        return Some(Waiting {
                            farm: *n,
                            kind,
                            reply: Some(reply),
                            answer,
                            sent: None,
                        });
                    }
                }
            }
        };
        // Whoever asked may have gone.
        let _ = reply.send(Err(refused));
        None
    }

    /// Sends `off` for all that waits, at once and then now and again.
    fn send_waiting(&mut self) {
        let now = self.now.at;
        let mut ahead = std::mem::take(&mut self.ahead);
        for w in ahead.all_mut() {
            let id = match &w.sent {
                Some(sent) if now < sent.at + AGAIN_AFTER => continue,
                Some(sent) => sent.id.clone(),
                None => {
                    let farm = self.farms[w.farm as usize].id();
                    format!("{farm}-stop-{}", now.as_millis())
                }
            };
            let reached = self.off_at_once(w.farm, &w.kind, &id);
            w.sent = Some(Sent {
                at: now,
                id,
                reached,
            });
        }
        self.ahead = ahead;
        self.tell_lives();
    }

    /// Tells whoever asked that it is sent and not journaled.
    fn answer_waiting(&mut self) {
        for w in self.ahead.all_mut() {
            if let (Some(answer), Some(sent)) = (w.answer.take(), &w.sent) {
                // Whoever asked may have gone.
                let _ = answer.send(sent.reached.clone());
            }
        }
    }

    /// Sends `off` beside the fold to each device that it concerns and that can be reached. Each gets an id of its own: a
    /// controller does an id once.
    fn off_at_once(&self, farm: u32, kind: &InputKind, id: &str) -> Vec<DeviceId> {
        let fold = &self.farms[farm as usize].fold;
        let (engine, controllers) = (fold.engine(), fold.controllers());
        let (devices, owner): (_, Option<&Owner>) = match kind {
            InputKind::Stop(stop) => (engine.devices_in(&stop.scope), Some(&stop.owner)),
            InputKind::Manual(m) => (vec![m.device.clone()], m.owner.as_deref()),
            _ => return Vec::new(),
        };
        let now = self.now.at;
        let mut reached = devices;
        reached.retain(|device| {
            let online = engine.device_online(device.as_str()) == Some(true);
            let Some((mac, local)) = controllers.target(device).filter(|_| online) else {
                return false;
            };
            let id = format!("{id}-{device}");
            let message = CommandMessage::off(now, id, owner, local.into());
            !matches!(self.shared.command(fold.id(), mac, &message), Went::Nowhere)
        });
        reached
    }

    /// Renews the leases that hold while the journal cannot be written, so that nothing stops for that: but those of what was
    /// stopped meanwhile.
    pub(super) fn renew_leases(&mut self) {
        self.tell_time();
        let now = self.now.at;
        let renewed = *self.renewed_at.get_or_insert(now);
        if now < renewed + RENEW_EVERY {
            return;
        }
        self.renewed_at = Some(now);
        let sent = self
            .ahead
            .all()
            .filter_map(|w| Some((w.farm, w.sent.as_ref()?)));
        let stopped: BTreeSet<(u32, &DeviceId)> = sent
            .flat_map(|(farm, sent)| sent.reached.iter().map(move |device| (farm, device)))
            .collect();
        for (n, f) in (0..).zip(&self.farms) {
            let is_on = |device: &DeviceId| {
                let is = f.fold.engine().device_ref(device.as_str());
                is.is_some_and(|d| d.online && d.last_sent.is_some_and(Setting::is_on))
            };
            if f.fold.failed().is_some() {
                continue;
            }
            for (device, mac, message) in f.fold.delivery().leases() {
                if stopped.contains(&(n, device)) || !is_on(device) {
                    continue;
                }
                self.shared.renew(f.id(), mac, message, LEASE_SEC);
            }
        }
    }

    /// The farms of which something in the lane is a stop.
    pub(super) fn stopped_by(urgent: &[Urgent]) -> BTreeSet<FarmId> {
        let stops = urgent
            .iter()
            .filter(|u| matches!(*u.kind, InputKind::Stop(_)));
        stops.map(|u| u.farm.clone()).collect()
    }
}

/// Whether an input may open a stop.
pub(super) fn opens_stops(kind: &InputKind) -> bool {
    use harit_engine::Lock;
    let InputKind::Status { status, .. } = kind else {
        return false;
    };
    matches!(
        status.lock,
        Some(
            Lock::OpenAll
                | Lock::Open {
                    kind: LockKind::Stop,
                    ..
                }
        )
    )
}
