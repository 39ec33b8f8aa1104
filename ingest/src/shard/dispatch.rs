//! What follows from a step: commands go out, and everybody is told.

use std::sync::Arc;
use std::time::Instant;

use harit_engine::{EventKind, Input, SentOrder};
use harit_protocol::Ack;
use harit_protocol::Mac;

use super::{MAX_PENDING_LIVES, Shard};
use crate::downlink::{AckOutcome, Target};
use crate::live::{LiveEvent, LiveKind};
use crate::recovery::{collect_events, collect_log};

impl Shard {
    /// Sends the commands among the events, and tells everybody.
    pub(super) fn dispatch(&mut self, farm: u32, arrived: Instant) {
        if self.events.is_empty() {
            return;
        }
        let events = std::mem::take(&mut self.events);
        let f = &mut self.farms[farm as usize];
        collect_events(&f.id, &events, &mut self.pending);
        let now = self.now.at;
        let mut publish = self.shared.way_out();
        for e in &events {
            let EventKind::Command(command) = &e.kind else {
                continue;
            };
            let rule_name = match command.cause() {
                harit_engine::Cause::Rule(id) => f.engine.rule(id.as_str()).map(|r| r.spec.name),
                _ => None,
            };
            let target = f.book.target(command.device()).map(|(mac, local)| Target {
                mac,
                local: local.into(),
            });
            f.lives.decided(
                now,
                e.at,
                command,
                rule_name,
                target,
                &mut publish,
                &mut self.lives,
            );
            if let SentOrder::Set(_) = command.order() {
                f.book.commanded(command.device(), e.at);
            }
            metrics::histogram!("harit_publish_to_command_seconds").record(arrived.elapsed());
        }
        drop(publish);
        for e in &events {
            metrics::counter!("harit_events_total", "event" => e.kind.name()).increment(1);
        }
        if self.shared.live.receiver_count() > 0 {
            for e in events {
                self.tell(farm, LiveKind::Engine(e));
            }
        } else {
            self.events = events;
            self.events.clear();
        }
        self.tell_lives();
    }

    /// A controller answered a command.
    pub(super) fn heard_ack(&mut self, farm: u32, mac: Mac, ack: Ack) {
        let lives = &mut self.farms[farm as usize].lives;
        let word = match lives.ack(self.now.at, mac, ack, &mut self.lives) {
            AckOutcome::Taken => "taken",
            AckOutcome::Late => "late",
            AckOutcome::Foreign => "foreign",
        };
        metrics::counter!("harit_acks_total", "outcome" => word).increment(1);
        self.touch(farm);
        self.tell_lives();
    }

    /// What the log tells of an input (or of readings) and of what the engine said to it.
    pub(super) fn write_log(&mut self, farm: u32, input: Option<&Input>) {
        let f = &mut self.farms[farm as usize];
        let entries = f.log_of(input, &self.events);
        if entries.is_empty() {
            return;
        }
        collect_log(&f.id, entries, false, &mut self.pending);
        self.tell(farm, LiveKind::Log);
    }

    pub(super) fn tell(&self, farm: u32, kind: LiveKind) {
        if self.shared.live.receiver_count() > 0 {
            let farm = self.farms[farm as usize].id.clone();
            // Nobody listening is no error.
            let _ = self.shared.live.send(Arc::new(LiveEvent { farm, kind }));
        }
    }

    /// The controller said what its devices do, and that it is there.
    pub(super) fn heard_report(&mut self, farm: u32, controller: u32, online: bool, changed: bool) {
        self.touch(farm);
        let now = self.now.at;
        let f = &mut self.farms[farm as usize];
        f.verdict = None;
        f.note_reports(controller, now, online, &mut self.pending);
        let mac = f.book.controllers[controller as usize].mac;
        let reports: Vec<_> = f
            .book
            .reports(controller)
            .filter(|(_, r)| r.at >= now)
            .map(|(d, r)| (d.clone(), r))
            .collect();
        for (device, report) in reports {
            f.lives.reported(now, &device, report, &mut self.lives);
        }
        if online {
            let publish = &mut self.shared.way_out();
            let engine = &f.engine;
            let counts_on = |device: &harit_engine::DeviceId| {
                engine
                    .device(device.as_str())
                    .filter(|d| d.online)
                    .and_then(|d| d.last_sent)
            };
            f.lives
                .controller_seen(now, mac, counts_on, publish, &mut self.lives);
        }
        if changed {
            let entry = self.farms[farm as usize].log_of_controller(now, controller, online);
            self.tell(farm, LiveKind::Controller { mac, online });
            if let Some(entry) = entry {
                let id = &self.farms[farm as usize].id;
                collect_log(id, vec![entry], false, &mut self.pending);
                self.tell(farm, LiveKind::Log);
            }
        }
        self.tell_lives();
    }

    /// A new downlink: what waited for one goes out.
    pub(crate) fn attached(&mut self) {
        self.tell_time();
        let now = self.now.at;
        let mut publish = self.shared.way_out();
        for f in &mut self.farms {
            f.lives.attached(now, &mut publish, &mut self.lives);
        }
        drop(publish);
        self.tell_lives();
    }

    /// Resends and renews what is due.
    pub(super) fn run_lives(&mut self) {
        self.tell_time();
        let now = self.now.at;
        for farm in self.due_farms() {
            self.touch(farm);
            let f = &mut self.farms[farm as usize];
            if f.lives.next_deadline().is_none_or(|d| d > now) {
                continue;
            }
            let publish = &mut self.shared.way_out();
            let engine = &f.engine;
            let failed = f.failed.is_some();
            let is_on = |device: &harit_engine::DeviceId| {
                !failed
                    && engine.device(device.as_str()).is_some_and(|d| {
                        d.online && d.last_sent.is_some_and(harit_engine::Setting::is_on)
                    })
            };
            f.lives.due(now, is_on, publish, &mut self.lives);
        }
        self.tell_lives();
    }

    /// Tells the new states of commands; the history store gets them with the next hand-over.
    pub(super) fn tell_lives(&mut self) {
        let told = self.lives.iter().rposition(|l| l.told).map_or(0, |i| i + 1);
        for i in told..self.lives.len() {
            self.lives[i].told = true;
            let life = self.lives[i].clone();
            metrics::counter!("harit_commands_total", "state" => life.state.as_str()).increment(1);
            if self.shared.live.receiver_count() > 0 {
                let event = LiveEvent {
                    farm: life.farm.clone(),
                    kind: LiveKind::Command(Box::new(life)),
                };
                let _ = self.shared.live.send(Arc::new(event));
            }
        }
        if self.lives.len() > MAX_PENDING_LIVES {
            let over = self.lives.len() - MAX_PENDING_LIVES;
            metrics::counter!("harit_history_dropped_total").increment(over as u64);
            self.lives.drain(..over);
        }
    }
}
