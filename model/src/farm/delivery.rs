//! Delivery: publishing, answers, attempts, leases, and what is confirmed.

use serde_json::{Value, json};

use super::{Does, Farm};
use crate::document::{Setting, micros};

/// After how long since its first attempt a command is published again.
const AGAIN_MS: [i64; 3] = [1_000, 3_000, 9_000];
/// After how long it is given up; so long it is valid, too.
const GIVEN_UP_MS: i64 = 15_000;
/// How often a lease is renewed.
const RENEWAL_MS: i64 = 60_000;

/// What a command says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Order {
    Set(Setting),
    Pulse,
    Release,
}

impl Order {
    /// That of an event.
    pub(super) fn of(event: &Value) -> Self {
        match event["action"].as_str().unwrap_or("") {
            "pulse" => Self::Pulse,
            "release" => Self::Release,
            action => Self::Set(Setting {
                action: action.into(),
                value: micros(&event["value"]),
            }),
        }
    }

    fn is_on(&self) -> bool {
        matches!(self, Self::Set(setting) if setting.is_on())
    }

    fn matches(&self, does: Does) -> bool {
        let Self::Set(setting) = self else {
            return false;
        };
        let value = does.value;
        let are_equal = setting.value.is_none() || value.is_none() || setting.value == value;
        does.is_meant(setting.is_on()) && (!does.on || are_equal)
    }
}

/// Where a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Queued,
    Sent,
    Acked,
    Confirmed,
    Failed,
    TimedOut,
    Superseded,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Acked => "acked",
            Self::Confirmed => "confirmed",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Superseded => "superseded",
        }
    }

    fn is_under_way(self) -> bool {
        matches!(self, Self::Queued | Self::Sent | Self::Acked)
    }

    fn awaits_an_ack(self) -> bool {
        matches!(self, Self::Queued | Self::Sent)
    }
}

/// A command and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Life {
    number: u64,
    order: Order,
    /// The controller that it goes to.
    mac: Option<String>,
    state: State,
    /// The instant of the first attempt.
    began: i64,
    expires: i64,
    /// How often it was published since.
    attempts: u32,
    /// How many of the further attempts are over.
    again: usize,
    renewal: Option<i64>,
    /// The release from which it follows.
    release: Option<Box<Life>>,
}

impl Life {
    fn turn(&mut self, state: State, told: &mut Vec<Value>) {
        self.state = state;
        told.push(json!({"effect": "command", "command": self.number, "state": self.state.word()}));
    }

    fn publish(&mut self, told: &mut Vec<Value>) {
        self.attempts += 1;
        told.push(json!({"effect": "publish", "mac": self.mac, "command": self.number, "expires_at": self.expires}));
        if self.state == State::Queued {
            self.turn(State::Sent, told);
        }
    }

    /// Makes this instant that of the first attempt.
    fn begin(&mut self, at: i64) {
        (self.began, self.expires) = (at, at + GIVEN_UP_MS);
        (self.attempts, self.again) = (0, 0);
        self.renewal = self.order.is_on().then_some(at + RENEWAL_MS);
    }

    /// The release that is under way beside it.
    fn release(&mut self) -> Option<&mut Life> {
        let release = self.release.as_deref_mut();
        release.filter(|r| r.state.is_under_way())
    }

    /// Publishes it if it is queued and has not expired, a release from which it follows first.
    fn go_out(&mut self, at: i64, told: &mut Vec<Value>) {
        if self.state != State::Queued || self.expires <= at {
            return;
        }
        if let Some(release) = self.release()
            && release.state == State::Queued
            && at < release.expires
        {
            release.publish(told);
        }
        self.publish(told);
    }

    fn confirm(&mut self, told: &mut Vec<Value>) {
        self.turn(State::Confirmed, told);
        if let Some(release) = self.release() {
            release.turn(State::Confirmed, told);
        }
    }

    fn next_attempt(&self) -> Option<i64> {
        let after = AGAIN_MS.get(self.again).copied().unwrap_or(GIVEN_UP_MS);
        self.state.awaits_an_ack().then_some(self.began + after)
    }
}

/// What is to be done at a deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    Attempt,
    Renewal,
    EndOfRelease,
}

/// A deadline of delivery; the first is the smallest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Deadline {
    pub(super) at: i64,
    device: String,
    task: Task,
}

/// Whether a command of that cause leaves a release beside it.
fn is_automatic(cause: &str) -> bool {
    !matches!(cause, "manual" | "stop")
}

impl Farm {
    /// Does something to the life of a device's command, if it has one, and tells what comes of it.
    fn with_life(&mut self, device: &str, what: impl FnOnce(&mut Life, &mut Vec<Value>)) {
        let mut told = Vec::new();
        if let Some(life) = self.lives.get_mut(device) {
            what(life, &mut told);
        }
        self.tell_all(told);
    }

    fn tell_all(&mut self, told: Vec<Value>) {
        for mut line in told {
            line["at"] = json!(self.at);
            self.out.push(line);
        }
    }

    /// The engine decided a command.
    pub(super) fn decided(&mut self, device: &str, number: u64, order: Order, cause: &str) {
        let mut told = Vec::new();
        let mut release = None;
        if let Some(mut old) = self.lives.remove(device) {
            let before = old.release.take();
            if old.state.is_under_way() && old.order == Order::Release && is_automatic(cause) {
                release = Some(Box::new(old));
            } else {
                if old.state.is_under_way() {
                    old.turn(State::Superseded, &mut told);
                }
                release = before.filter(|r| r.state.is_under_way());
                if !is_automatic(cause)
                    && let Some(mut release) = release.take()
                {
                    release.turn(State::Superseded, &mut told);
                }
            }
        }
        let mut life = Life {
            number,
            order,
            mac: self.controller_of(device),
            state: State::Queued,
            began: 0,
            expires: 0,
            attempts: 0,
            again: 0,
            renewal: None,
            release,
        };
        life.turn(State::Queued, &mut told);
        life.begin(self.at);
        if life.mac.is_some() {
            life.publish(&mut told);
        } else {
            life.renewal = None;
            life.turn(State::Failed, &mut told);
        }
        self.latest = self.latest.max(number);
        self.lives.insert(device.to_owned(), life);
        self.tell_all(told);
    }

    /// The controller to which the latest command of a device goes.
    pub(super) fn sent_to(&self, device: &str) -> Option<String> {
        self.lives.get(device)?.mac.clone()
    }

    /// A device is deleted, or another controller's: what is under way for it is over.
    pub(super) fn forget(&mut self, device: &str) {
        let mut told = Vec::new();
        if let Some(mut life) = self.lives.remove(device) {
            if let Some(release) = life.release() {
                release.turn(State::Superseded, &mut told);
            }
            if life.state.is_under_way() {
                life.turn(State::Superseded, &mut told);
            }
        }
        self.tell_all(told);
    }

    /// The device of a command that is remembered.
    fn device_of(&self, number: u64) -> Option<String> {
        let is_it = |life: &Life| life.number == number;
        let found = self.lives.iter().find(|(_, life)| {
            let release = life.release.as_deref();
            is_it(life) || release.is_some_and(|r| is_it(r) && r.state.is_under_way())
        });
        found.map(|(device, _)| device.clone())
    }

    /// A controller answers a command.
    pub(super) fn ack(&mut self, mac: &str, number: u64, status: &str) {
        let outcome = |farm: &mut Self, word: &str| farm.tell("ack", &json!({"outcome": word}));
        if number == 0 || number > self.latest {
            return outcome(self, "foreign");
        }
        let Some(device) = self.device_of(number) else {
            return outcome(self, "late");
        };
        let does = self.remembered.get(&device).and_then(|d| d.does);
        let mut word = "late";
        self.with_life(&device, |life, told| {
            let life = match life.number == number {
                true => life,
                false => match life.release() {
                    Some(release) => release,
                    None => return,
                },
            };
            if life.mac.as_deref() != Some(mac) {
                word = "foreign";
            } else if life.state.awaits_an_ack() || life.state == State::TimedOut {
                word = "taken";
                if status == "ack" {
                    life.turn(State::Acked, told);
                    if does.is_some_and(|does| life.order.matches(does)) {
                        life.confirm(told);
                    }
                } else {
                    life.turn(State::Failed, told);
                    life.renewal = None;
                }
            }
        });
        outcome(self, word);
    }

    /// A controller reports what a device does.
    pub(super) fn heard(&mut self, device: &str, does: Does) {
        self.with_life(device, |life, told| {
            let matches = life.order.matches(does);
            let is_done = match life.order {
                Order::Set(_) => matches,
                Order::Pulse => does.is_meant(true),
                Order::Release => true,
            };
            if life.state == State::Acked && is_done {
                life.confirm(told);
            }
            if let Some(release) = life.release()
                && release.state == State::Acked
                && matches
            {
                release.turn(State::Confirmed, told);
            }
        });
    }

    /// A controller reports itself online: what waits for it goes out.
    pub(super) fn controller_is_there(&mut self, mac: &str) {
        let at = self.at;
        for device in self.commanded_devices() {
            let known = self.model.devices.get(&device).filter(|d| d.online);
            let counts = known.and_then(|d| d.last_sent.clone()).map(Order::Set);
            self.with_life(&device, |life, told| {
                if life.mac.as_deref() != Some(mac) {
                    return;
                }
                let is_expired = life.state == State::Queued && life.expires <= at;
                if life.state == State::TimedOut || is_expired {
                    if counts.as_ref() != Some(&life.order) {
                        return;
                    }
                    life.begin(at);
                    if life.state == State::TimedOut {
                        life.turn(State::Queued, told);
                    }
                    life.publish(told);
                } else {
                    life.go_out(at, told);
                }
            });
        }
    }

    /// There is a way out again.
    pub(super) fn way_out(&mut self) {
        let at = self.at;
        for device in self.commanded_devices() {
            self.with_life(&device, |life, told| life.go_out(at, told));
        }
    }

    /// The latest attempts to publish these commands failed.
    pub(super) fn unsent(&mut self, numbers: &[u64]) {
        for number in numbers {
            let Some(device) = self.device_of(*number) else {
                continue;
            };
            self.with_life(&device, |life, told| {
                let life = match life.number == *number {
                    true => Some(life),
                    false => life.release(),
                };
                let Some(life) = life.filter(|l| l.state.awaits_an_ack()) else {
                    return;
                };
                life.attempts = life.attempts.saturating_sub(1);
                if life.state == State::Sent && life.attempts == 0 {
                    life.turn(State::Queued, told);
                }
            });
        }
    }

    /// Does what is due, by instant and device; of a device at once all that is due by now, one attempt of it.
    pub(super) fn deliver_what_is_due(&mut self) {
        let due = |farm: &Self| farm.delivery_deadlines().filter(|d| d.at <= farm.at).min();
        while let Some(Deadline { device, .. }) = due(self) {
            for task in [Task::Attempt, Task::Renewal, Task::EndOfRelease] {
                let is_it = |d: &Deadline| d.device == device && d.task == task && d.at <= self.at;
                if self.delivery_deadlines().any(|d| is_it(&d)) {
                    self.deliver(&device, task);
                }
            }
        }
    }

    fn deliver(&mut self, device: &str, task: Task) {
        let at = self.at;
        let known = self.model.devices.get(device).filter(|d| d.online);
        let is_on = known.is_some_and(|d| d.last_sent.as_ref().is_some_and(Setting::is_on));
        self.with_life(device, |life, told| match task {
            Task::Attempt if at < life.began + GIVEN_UP_MS => {
                life.again += 1;
                life.publish(told);
            }
            Task::Attempt => life.turn(State::TimedOut, told),
            Task::Renewal => {
                life.renewal = is_on.then_some(at + RENEWAL_MS);
                if is_on {
                    told.push(json!({"effect": "renew", "mac": life.mac, "command": life.number}));
                }
            }
            Task::EndOfRelease => {
                if let Some(release) = life.release() {
                    release.turn(State::TimedOut, told);
                }
            }
        });
    }

    pub(super) fn delivery_deadlines(&self) -> impl Iterator<Item = Deadline> {
        let deadline = |at: Option<i64>, device: &str, task| {
            at.map(|at| Deadline {
                at,
                device: device.to_owned(),
                task,
            })
        };
        let of_life = move |(device, life): (&String, &Life)| {
            let release = life.release.as_deref();
            let release = release.filter(|r| r.state.awaits_an_ack());
            [
                deadline(life.next_attempt(), device, Task::Attempt),
                deadline(life.renewal, device, Task::Renewal),
                deadline(
                    release.map(|r| r.began + GIVEN_UP_MS),
                    device,
                    Task::EndOfRelease,
                ),
            ]
        };
        self.lives.iter().flat_map(of_life).flatten()
    }

    fn commanded_devices(&self) -> Vec<String> {
        self.lives.keys().cloned().collect()
    }
}
