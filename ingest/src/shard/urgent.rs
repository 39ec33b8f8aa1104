//! What must not wait: a stop, and a person's switching off.
//!
//! It has a lane of its own in the queue and a batch of its own in the journal, before everything else of the turn. While the
//! journal cannot be written it goes out all the same: `off` is sent at once, beside the engine, and the input is journaled
//! and applied as soon as that can be, before whatever else waits. What the engine then sends is `off` once more.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Instant;

use harit_engine::{
    DeviceId, Duration, FarmId, Input, InputKind, LockKind, Owner, Setting, Timestamp,
};
use harit_farm::RENEW_EVERY;
use harit_journal::WriteError;
use harit_protocol::command::{CommandMessage, LEASE_SEC};

use super::control::Went;
use super::queue::Urgent;
use super::{Shard, Step};
use crate::admit::AdmitError;

/// How often `off` is sent again while it cannot be journaled; a controller does it once.
const AGAIN_AFTER: Duration = Duration::from_secs(5);

/// One that is not journaled yet.
pub(super) struct Waiting {
    urgent: Urgent,
    farm: u32,
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
    pub(super) fn urgent(&mut self, new: Vec<Urgent>) {
        for urgent in new {
            if let Some(waiting) = self.checked(urgent) {
                self.waiting.push(waiting);
            }
        }
        if self.waiting.is_empty() {
            return;
        }
        self.tell_time();
        if self.health.journal_failed.load(Ordering::Acquire) {
            // To find out that it still cannot be written may take a while.
            self.send_waiting();
        }
        // A batch that cannot be written may be under way: it comes after this one.
        std::mem::swap(&mut self.encoder, &mut self.aside);
        let (steps, items) = (
            std::mem::take(&mut self.steps),
            std::mem::take(&mut self.items),
        );
        let publishes = std::mem::take(&mut self.publishes);
        self.encoder.begin(self.now.at);
        let mut plans = Vec::new();
        for waiting in std::mem::take(&mut self.waiting) {
            let Urgent {
                farm,
                kind,
                reply,
                sent,
            } = waiting.urgent;
            let before = self.steps.len();
            self.input(
                waiting.farm,
                (*kind).clone(),
                None,
                Some(reply),
                Instant::now(),
            );
            if self.steps.len() > before {
                plans.push((waiting.farm, farm, kind, sent, waiting.sent));
            }
        }
        let written = self.write_urgent();
        if let Err(error) = &written {
            tracing::error!(shard = self.config.number, %error, "a stop cannot be journaled yet: it is sent");
            metrics::counter!("harit_journal_errors_total").increment(1);
            self.lost |= error.is_final();
            let unwritten = std::mem::take(&mut self.steps);
            for (step, (n, farm, kind, sent, at)) in unwritten.into_iter().zip(plans) {
                let Step::Input {
                    reply: Some(reply), ..
                } = step
                else {
                    continue;
                };
                self.waiting.push(Waiting {
                    urgent: Urgent {
                        farm,
                        kind,
                        reply,
                        sent,
                    },
                    farm: n,
                    sent: at,
                });
            }
            (self.steps, self.items, self.publishes) = (steps, items, publishes);
            std::mem::swap(&mut self.encoder, &mut self.aside);
            self.send_waiting();
            self.answer_waiting();
            return;
        }
        self.act();
        (self.steps, self.items, self.publishes) = (steps, items, publishes);
        std::mem::swap(&mut self.encoder, &mut self.aside);
        // What opens a stop in the batch that waits was asked for before: it does not open this one.
        for (n, _, kind, ..) in plans {
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
        let refused = match self.by_id.get(&urgent.farm) {
            None => AdmitError::UnknownFarm(urgent.farm.clone()),
            Some(n) => {
                let f = &self.farms[*n as usize];
                let input = Input {
                    at: self.now.at,
                    kind: (*urgent.kind).clone(),
                };
                match f.fold.engine().check(&input) {
                    _ if f.fold.failed().is_some() => {
                        AdmitError::Unavailable("the farm's engine has failed")
                    }
                    Err(problems) => AdmitError::Rejected(problems),
                    Ok(()) => {
                        return Some(Waiting {
                            farm: *n,
                            urgent,
                            sent: None,
                        });
                    }
                }
            }
        };
        // Whoever asked may have gone.
        let _ = urgent.reply.send(Err(refused));
        None
    }

    /// Appends the batch; on a full disk with what is kept back for that.
    fn write_urgent(&mut self) -> Result<(), WriteError> {
        let (at, entries) = (self.encoder.at(), self.encoder.entries());
        let (after, body) = (self.journal.last(), self.encoder.body());
        let mut written = self.journal.append(after, at, entries, body);
        if matches!(written, Err(WriteError::Full(_))) && self.journal.give_up_reserve() {
            written = self.journal.append(after, at, entries, body);
        }
        written.map(|_| ())
    }

    /// Sends `off` for all that waits, at once and then now and again.
    fn send_waiting(&mut self) {
        let now = self.now.at;
        let mut waiting = std::mem::take(&mut self.waiting);
        for w in &mut waiting {
            let id = match &w.sent {
                Some(sent) if now < sent.at + AGAIN_AFTER => continue,
                Some(sent) => sent.id.clone(),
                None => format!("{}-stop-{}", w.urgent.farm, now.as_millis()),
            };
            let reached = self.off_at_once(w.farm, &w.urgent.kind, &id);
            w.sent = Some(Sent {
                at: now,
                id,
                reached,
            });
        }
        self.waiting = waiting;
        self.tell_lives();
    }

    /// Tells whoever asked that it is sent and not journaled.
    fn answer_waiting(&mut self) {
        for w in &mut self.waiting {
            if let (Some(answer), Some(sent)) = (w.urgent.sent.take(), &w.sent) {
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
            .waiting
            .iter()
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
