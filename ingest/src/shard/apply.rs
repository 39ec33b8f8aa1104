//! From durable steps to what follows from them: the fold applies each, commands go out, and everybody is told.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use harit_engine::{Engine, Event, Input, InputKind, Problems, ReadingOutcome, Timestamp, planted};
use harit_farm::{
    AckOutcome, Applied, CommandAck, CommandState, Effect, Observer, Reading, Record, Sensor,
    Telemetry,
};
use harit_protocol::command::CommandMessage;
use harit_protocol::{Mac, Reject};

use super::collect::{Collector, Tally};
use super::control::Went;
use super::farm::Farm;
use super::{MAX_PENDING_LIVES, Shard, Shared, Step};
use crate::admit::AdmitError;
use crate::live::{LiveEvent, LiveKind};
use crate::mqtt::Principal;

/// Does what follows from records of one farm: the collector keeps it for the history, the rest happens at once.
struct Live<'a> {
    collector: Collector<'a>,
    shared: &'a Shared,
    /// What time it is: later than in the batch where that had to wait for the journal.
    now: Timestamp,
    /// When that which led to it arrived.
    arrived: Instant,
    /// The input's own events, for whoever asked for it.
    said: Option<(Result<(), Problems>, Vec<Event>)>,
    wants_answer: bool,
    rejected: Vec<Reject>,
    /// The commands that could not be published: their numbers and ids.
    unsent: Vec<u64>,
    unsent_ids: Vec<String>,
    /// What was answered at once.
    answers: Vec<(Mac, CommandAck)>,
    /// Whether the record tells of such commands.
    requeues: bool,
}

impl Live<'_> {
    fn tell(&self, kind: LiveKind) {
        self.shared.tell(self.collector.id, kind);
    }

    /// Publishes a command, unless it has expired meanwhile.
    fn send(&self, mac: Mac, message: &CommandMessage) -> Went {
        if message.expires_at() <= self.now && !planted!(ExpiredStillSent) {
            return Went::Nowhere;
        }
        self.shared.command(self.collector.id, mac, message)
    }
}

impl Observer for Live<'_> {
    fn before(&mut self, engine: &Engine, input: &Input) {
        self.collector.before(engine, input);
    }

    fn applied(&mut self, applied: Applied<'_>) {
        if self.collector.collect(applied) {
            self.tell(LiveKind::Log);
        }
        let Applied { input, events, .. } = applied;
        for event in events {
            metrics::counter!("harit_events_total", "event" => event.kind.name()).increment(1);
            if self.shared.live.receiver_count() > 0 {
                self.tell(LiveKind::Engine(event.clone()));
            }
        }
        let Some((input, result)) = input else { return };
        match result {
            Ok(()) if changes_documents(&input.kind) => self.tell(LiveKind::Registry),
            Err(problems) if !self.wants_answer => {
                tracing::warn!(farm = %self.collector.id, %problems, "an input of the pipeline was refused");
            }
            _ => {}
        }
        if self.wants_answer && self.said.is_none() {
            self.said = Some((result.clone(), events.to_vec()));
        }
    }

    fn reading(&mut self, number: u32, sensor: &Sensor, reading: Reading) {
        self.collector.reading(number, sensor, reading);
    }

    fn outcome(&mut self, outcome: ReadingOutcome) {
        self.collector.outcome(outcome);
    }

    fn effect(&mut self, effect: Effect<'_>) {
        match effect {
            Effect::Publish {
                mac,
                command,
                message,
            } => match self.send(mac, message) {
                Went::Out => {}
                Went::Nowhere => {
                    self.unsent.push(command);
                    self.unsent_ids.push(message.command_id.clone());
                }
                Went::Answered(status, message) => self.answers.push((
                    mac,
                    CommandAck {
                        command,
                        status,
                        message: message.map(str::to_owned),
                    },
                )),
            },
            Effect::Renew {
                mac,
                message,
                lease_sec,
            } => {
                self.shared
                    .renew(self.collector.id, mac, message, lease_sec);
            }
            Effect::Commanded(_) => {
                metrics::histogram!("harit_publish_to_command_seconds")
                    .record(self.arrived.elapsed());
            }
            // Nobody is told that what could not be published is sent, nor that it is queued again therefore.
            Effect::Command(life)
                if life.state == CommandState::Sent
                    && self.unsent_ids.contains(&life.command_id)
                    || life.state == CommandState::Queued && self.requeues => {}
            Effect::Refused(reject) => self.rejected.push(reject),
            Effect::Repeated => {
                metrics::counter!("harit_repeated_messages_total").increment(1);
            }
            Effect::Ack(outcome) => count_ack(outcome),
            Effect::Presence { mac, online } => {
                self.tell(LiveKind::Controller { mac, online });
                self.collector.effect(effect);
            }
            Effect::Command(_) | Effect::Reported { .. } => self.collector.effect(effect),
        }
    }
}

fn count_ack(outcome: AckOutcome) {
    metrics::counter!("harit_acks_total", "outcome" => outcome.as_str()).increment(1);
}

const fn changes_documents(kind: &InputKind) -> bool {
    matches!(
        kind,
        InputKind::Registry(_)
            | InputKind::RulePut(_)
            | InputKind::RuleDelete(_)
            | InputKind::AlertPut(_)
            | InputKind::AlertDelete(_)
    )
}

/// What came of a step.
struct Outcome {
    said: Option<(Result<(), Problems>, Vec<Event>)>,
    rejected: Vec<Reject>,
}

impl Shared {
    /// Publishes through the downlink that is attached now.
    pub(super) fn publish(&self, topic: &str, payload: Bytes) -> bool {
        let downlink = self.downlink.read().unwrap_or_else(PoisonError::into_inner);
        let sent = downlink.as_ref().map(|d| d.publish(topic, payload));
        matches!(sent, Some(Ok(())))
    }

    /// Publishes on another system's topic, to one account.
    pub(super) fn publish_to(&self, to: &Principal, topic: &str, payload: Bytes) -> bool {
        let downlink = self.downlink.read().unwrap_or_else(PoisonError::into_inner);
        let sent = downlink.as_ref().map(|d| d.publish_to(to, topic, payload));
        matches!(sent, Some(Ok(())))
    }

    pub(super) fn tell(&self, farm: &harit_engine::FarmId, kind: LiveKind) {
        if self.live.receiver_count() > 0 {
            let farm = farm.clone();
            // Nobody listening is no error.
            let _ = self.live.send(Arc::new(LiveEvent { farm, kind }));
        }
    }
}

impl Shard {
    pub(super) fn apply(&mut self, step: Step, tally: &mut Tally) {
        match step {
            Step::Telemetry {
                farm,
                sender,
                at,
                backlog,
                number,
                from,
                to,
                publish,
                receipt,
                arrived,
            } => {
                let items = std::mem::take(&mut self.items);
                let senders = std::mem::take(&mut self.senders);
                let sender = &senders[sender];
                let record = Record::Telemetry(Telemetry {
                    mac: sender.mac,
                    at,
                    backlog,
                    number,
                    keys: &sender.keys,
                    items: &items[from..to],
                });
                let outcome = self.fold(farm, record, arrived, false, tally);
                (self.items, self.senders) = (items, senders);
                self.refused(farm, publish, &outcome.rejected);
                if outcome.rejected.contains(&Reject::Refused)
                    && let Some((_, rejected)) = self.receipts.get_mut(receipt)
                {
                    *rejected += 1;
                }
            }
            Step::Report {
                farm,
                mac,
                report,
                publish,
                arrived,
            } => {
                let record = Record::Report {
                    mac,
                    report: &report,
                };
                let outcome = self.fold(farm, record, arrived, false, tally);
                self.refused(farm, publish, &outcome.rejected);
            }
            Step::Input {
                farm,
                input,
                entry,
                reply,
                arrived,
            } => {
                let input = &input;
                let record = match &entry {
                    None => Record::Input(input),
                    Some(entry) => Record::Authored { input, entry },
                };
                let outcome = self.fold(farm, record, arrived, reply.is_some(), tally);
                let Some(reply) = reply else { return };
                let failed = self.farms[farm as usize].fold.failed().is_some();
                // Whoever asked may have gone.
                let _ = reply.send(match outcome.said {
                    _ if failed => Err(AdmitError::Unavailable("the farm's engine has failed")),
                    Some((Err(problems), _)) => Err(AdmitError::Rejected(problems)),
                    Some((Ok(()), events)) => Ok(events),
                    None => Ok(Vec::new()),
                });
            }
            Step::Controller { farm, mac, scope } => {
                let scope = &scope;
                self.apply_plain(farm, Record::Controller { mac, scope }, tally);
            }
            Step::Gone { farm, mac } => self.apply_plain(farm, Record::Gone { mac }, tally),
            Step::Ack { farm, mac, ack } => {
                self.apply_plain(farm, Record::Ack { mac, ack: &ack }, tally);
            }
            Step::Unsent { farm, commands } => {
                let commands = &commands;
                self.apply_plain(farm, Record::Unsent { commands }, tally);
            }
            Step::WayOut { farm } => self.apply_plain(farm, Record::WayOut, tally),
            Step::Added { reply } => {
                // Whoever asked may have gone.
                let _ = reply.send(Ok(()));
            }
        }
    }

    fn apply_plain(&mut self, farm: u32, record: Record<'_>, tally: &mut Tally) {
        self.fold(farm, record, Instant::now(), false, tally);
    }

    /// Has a farm apply a record, and does what follows.
    fn fold(
        &mut self,
        farm: u32,
        record: Record<'_>,
        arrived: Instant,
        wants_answer: bool,
        tally: &mut Tally,
    ) -> Outcome {
        self.touch(farm);
        let now = self.encoder.at();
        let Farm {
            fold,
            collected,
            derivations,
            published,
            ..
        } = &mut self.farms[farm as usize];
        published.advance(matches!(record, Record::Telemetry(_)));
        let id = fold.id().clone();
        let mut live = Live {
            collector: Collector {
                number: farm,
                id: &id,
                at: now,
                collected,
                pending: Some(&mut self.pending),
                lives: Some(&mut self.lives),
                tally,
                recovered: false,
                presence: Vec::new(),
            },
            shared: &self.shared,
            now: self.now.at,
            arrived,
            said: None,
            wants_answer,
            rejected: Vec::new(),
            unsent: Vec::new(),
            unsent_ids: Vec::new(),
            answers: Vec::new(),
            requeues: matches!(record, Record::Unsent { .. }),
        };
        fold.apply(now, record, &mut live);
        derivations.touch();
        let Live {
            collector,
            said,
            rejected,
            unsent,
            answers,
            ..
        } = live;
        if collector.end(fold.engine(), fold.controllers()) {
            self.shared.tell(&id, LiveKind::Log);
        }
        let answers = answers.into_iter();
        self.answers
            .extend(answers.map(|(mac, ack)| (farm, mac, ack)));
        if !unsent.is_empty() {
            self.unsent.push((farm, unsent));
        }
        self.tell_lives();
        Outcome { said, rejected }
    }

    fn refused(&self, farm: u32, publish: usize, rejected: &[Reject]) {
        if let Some(publish) = self.publishes.get(publish) {
            for reject in rejected {
                self.dead_letter(Some(farm), publish, *reject);
            }
        }
    }

    /// Tells the new states of commands; the history store gets them with the next hand-over.
    pub(super) fn tell_lives(&mut self) {
        for life in self.lives.iter().skip(self.lives_told) {
            metrics::counter!("harit_commands_total", "state" => life.state.as_str()).increment(1);
            if self.shared.live.receiver_count() > 0 {
                let kind = LiveKind::Command(Box::new(life.clone()));
                self.shared.tell(&life.farm, kind);
            }
        }
        if self.lives.len() > MAX_PENDING_LIVES {
            let over = self.lives.len() - MAX_PENDING_LIVES;
            metrics::counter!("harit_history_dropped_total").increment(over as u64);
            self.lives.drain(..over);
        }
        self.lives_told = self.lives.len();
    }
}
