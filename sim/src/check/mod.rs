//! What must never happen, each with the number that `docs/testing.md` explains.
//!
//! Checkers look at the machines' traces, at what goes over the wire, and at what the server says of itself; none of them
//! asks the engine whether the engine is right. (Whether it decided what the semantics say is the oracle's to tell.)

mod trace;

use std::collections::{BTreeMap, BTreeSet};

use harit_engine::{
    Cause, Command, DeviceId, DeviceLock, DeviceStatus, Engine, Event, EventKind, FarmId, Lock,
    LockKind, Quantity, RulePhase, SensorId, SentOrder,
};
use harit_ingest::{CommandLife, CommandState};
use serde_json::Value;

pub use trace::on_intervals;

/// How long a device stays on by itself.
pub const LEASE_MS: i64 = 180_000;
/// How long a message to a controller may be under way and still be obeyed (a controller without a clock cannot tell).
pub const UNDER_WAY_MS: i64 = 90_000;
/// How long a command's life may stay open.
const OPEN_MS: i64 = 30_000;
/// How much larger a farm's state may become, besides a little.
const GROWTH: usize = 2;

/// Something happened that must not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which checker says so.
    pub checker: &'static str,
    /// When, in true time since the start.
    pub at_ms: i64,
    /// What.
    pub what: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let s = self.at_ms / 1_000;
        write!(
            f,
            "{} at {:02}:{:02}:{:02}.{:03}: {}",
            self.checker,
            s / 3_600,
            s / 60 % 60,
            s % 60,
            self.at_ms % 1_000,
            self.what
        )
    }
}

/// What is remembered of a device from look to look.
#[derive(Debug, Clone, Default)]
struct Watched {
    /// Kind, whose, and reason.
    locks: Vec<DeviceLock>,
    /// When the server meant it to be on, in true time; the last may be open.
    wanted: Vec<(i64, Option<i64>)>,
    /// Pulses that were decided: when, and for how many milliseconds.
    pulses: Vec<(i64, i64)>,
    /// When something that is not on was decided for it, or it was unlocked.
    offs: Vec<i64>,
    max_on_ms: Option<i64>,
    max_pulse_s: Option<i64>,
    safe_is_on: bool,
    /// Since when nothing about it changed.
    steady_since: i64,
    last_command_ms: i64,
    /// When somebody switched it at its machine, and whether that was on.
    hands: Vec<(i64, bool)>,
}

/// All checkers of one run.
#[derive(Debug, Default)]
pub struct Checks {
    /// What is wrong; the first counts.
    pub violations: Vec<Violation>,
    devices: BTreeMap<(FarmId, DeviceId), Watched>,
    states: BTreeMap<String, CommandState>,
    /// Whether the server was ever started again.
    restarted: bool,
    /// Those that wait for something, and since when.
    open: BTreeMap<String, (CommandState, i64)>,
    /// What the server sent: command id to device, and when first.
    published: BTreeMap<String, (String, i64)>,
    /// Of what was sent, what could not be sent when it was decided.
    sent_late: BTreeSet<String>,
    /// What every sensor ever reported, in micro-units, lately.
    reported: BTreeMap<(FarmId, SensorId), BTreeSet<i64>>,
    /// Which locks may open in the present turn: what people open, and whose panel says that it is open.
    may_open: BTreeMap<(FarmId, DeviceId), Vec<Lock>>,
    panel_opened: BTreeSet<(FarmId, DeviceId)>,
    first_size: Option<usize>,
    /// How many things were looked at.
    pub looked: u64,
}

/// A turn's surroundings.
#[derive(Debug, Clone, Copy)]
pub struct When {
    /// The true time.
    pub now_ms: i64,
    /// Since the start.
    pub at_ms: i64,
    /// The engines' time.
    pub engine_ms: i64,
}

impl Checks {
    /// Notes that something is wrong.
    pub fn blame(&mut self, checker: &'static str, at_ms: i64, what: String) {
        self.violations.push(Violation {
            checker,
            at_ms,
            what,
        });
    }

    /// A sensor reported a value.
    pub fn sensor_reported(&mut self, farm: &FarmId, sensor: &str, value: Quantity) {
        let key = (farm.clone(), SensorId::from(sensor));
        self.reported
            .entry(key)
            .or_default()
            .insert(value.as_micro());
    }

    /// Somebody switched a device at its machine.
    pub fn switched_by_hand(&mut self, farm: &FarmId, device: &str, now_ms: i64, on: bool) {
        let key = (farm.clone(), DeviceId::from(device));
        self.devices
            .entry(key)
            .or_default()
            .hands
            .push((now_ms, on));
    }

    /// Whether a device was ever switched at its machine.
    #[must_use]
    pub fn by_hand(&self, farm: &FarmId, device: &DeviceId) -> bool {
        let key = (farm.clone(), device.clone());
        self.devices.get(&key).is_some_and(|w| !w.hands.is_empty())
    }

    /// When a device was last commanded, in true time.
    #[must_use]
    pub fn last_command(&self, farm: &FarmId, device: &DeviceId) -> i64 {
        let key = (farm.clone(), device.clone());
        self.devices.get(&key).map_or(0, |w| w.last_command_ms)
    }

    /// Whether a lock may open in this turn.
    #[must_use]
    pub fn expects_opening(&self) -> bool {
        !self.may_open.is_empty() || !self.panel_opened.is_empty()
    }

    /// A person opens locks in this turn.
    pub fn person_unlocks(&mut self, farm: &FarmId, device: &DeviceId, change: Lock) {
        let key = (farm.clone(), device.clone());
        self.may_open.entry(key).or_default().push(change);
    }

    /// A controller says in this turn that a device is not locked.
    pub fn panel_unlocks(&mut self, farm: &FarmId, device: &str) {
        self.panel_opened
            .insert((farm.clone(), DeviceId::from(device)));
    }

    /// **I5, I18**: what goes over the wire is a command that was decided (checked at the end, against the journal), and
    /// nothing is sent when it has expired.
    pub fn published(&mut self, when: When, body: &Value) {
        let id = body["command_id"].as_str().unwrap_or("").to_owned();
        let device = body["device_id"].as_str().unwrap_or("").to_owned();
        if body["cmd_type"] == "renew" {
            let lease = body["lease_sec"].as_i64().unwrap_or(i64::MAX);
            if lease * 1_000 > LEASE_MS {
                self.blame("I9", when.at_ms, format!("a renewal of {lease} s: {body}"));
            }
            return;
        }
        let expires = body["expires_at"].as_i64().unwrap_or(0);
        if expires <= when.engine_ms {
            self.blame(
                "I18 expired",
                when.at_ms,
                format!(
                    "sent {} ms after it expired: {body}",
                    when.engine_ms - expires
                ),
            );
        }
        let is_on = body["cmd_type"] == "override" && body["action"]["on"] == true;
        let lease = body["lease_sec"].as_i64();
        if is_on && lease.is_none_or(|s| s * 1_000 > LEASE_MS) {
            self.blame("I9", when.at_ms, format!("on without a lease: {body}"));
        }
        let waited = when.engine_ms - body["timestamp"].as_i64().unwrap_or(0);
        if waited >= 500 && !self.published.contains_key(&id) {
            self.sent_late.insert(id.clone());
        }
        self.published.entry(id).or_insert((device, when.now_ms));
    }

    /// The command ids that went over the wire, each with its device.
    pub fn published_ids(&self) -> impl Iterator<Item = (&str, &str)> {
        self.published
            .iter()
            .map(|(id, (device, _))| (id.as_str(), device.as_str()))
    }

    /// An engine said something. `answer_to_off` is checked by [`Self::off_answered`].
    pub fn event(&mut self, farm: &FarmId, when: When, event: &Event) {
        self.looked += 1;
        if let EventKind::Command(command) = &event.kind {
            self.command(farm, when, command);
        }
    }

    fn command(&mut self, farm: &FarmId, when: When, command: &Command) {
        let watched = self
            .devices
            .entry((farm.clone(), command.device().clone()))
            .or_default();
        watched.last_command_ms = when.now_ms;
        let energises = match command.order() {
            SentOrder::Set(s) if s.is_on() => {
                // Also where it is over before anybody looks: the server may die right after it sent this.
                if !matches!(watched.wanted.last(), Some((_, None))) {
                    watched.wanted.push((when.now_ms, Some(when.now_ms)));
                }
                true
            }
            SentOrder::Set(_) => {
                watched.offs.push(when.now_ms);
                false
            }
            SentOrder::Pulse { secs } => {
                watched.pulses.push((when.now_ms, i64::from(secs) * 1_000));
                true
            }
            SentOrder::Release => false,
        };
        // **I12**: what is locked is switched on by nobody. (The safe setting of a lock may be one that is on, unless it was
        // stopped or was on for too long.)
        let key = (farm.clone(), command.device().clone());
        let panel = self.panel_opened.contains(&key);
        let opened = self.may_open.get(&key).map_or(&[][..], |all| all);
        let left = watched.locks.iter();
        let left: Vec<_> = left.filter(|l| !may_be_gone(l, opened, panel)).collect();
        let safe = matches!(
            command.cause(),
            Cause::Lock | Cause::Safety | Cause::Corrected
        ) && watched.safe_is_on
            && !left
                .iter()
                .any(|l| matches!(l.kind, LockKind::Stop | LockKind::MaxOn));
        if energises && !safe && !left.is_empty() {
            let what = format!(
                "{} is locked ({left:?}) and gets {} {:?}, cause {}",
                command.device(),
                command.id(),
                command.order(),
                command.cause().as_str()
            );
            self.blame("I12", when.at_ms, what);
        }
    }

    /// **I13**: switching off is never refused for any reason but that nobody can hear it.
    pub fn off_answered(&mut self, when: When, device: &DeviceId, events: &[Event]) {
        let of_it = |e: &&Event| match &e.kind {
            EventKind::Command(c) => {
                c.device() == device
                    && *c.cause() == Cause::Manual
                    && !matches!(c.order(), SentOrder::Set(s) if s.is_on())
            }
            EventKind::CommandRefused { device: d, reason } => {
                d == device && matches!(reason.as_str(), "offline" | "invalid")
            }
            _ => false,
        };
        if !events.iter().any(|e| of_it(&e)) {
            let what = format!("{device} was to be switched off by a person, and {events:?}");
            self.blame("I13", when.at_ms, what);
        }
    }

    /// **I18**: a command's life goes only forward, and nothing is acknowledged that its own controller did not answer.
    /// (One that was given up may go out once more when its controller is there again, under the same id. A release is done
    /// when the command that follows from it is, whether the release itself was answered or not.)
    pub fn life(&mut self, when: When, life: &CommandLife, answered: bool) {
        use CommandState::{Acked, Confirmed, Failed, Queued, Sent, Superseded, TimedOut};
        self.looked += 1;
        let before = self.states.get(&life.command_id).copied();
        let released = life.action == "release" && life.state == Confirmed;
        let forward = matches!(before, Some(Queued | Sent));
        // What was decided in a batch that was durable, and of which nobody heard before the server died.
        let unheard = before.is_none() && self.restarted;
        let allowed = unheard
            || released && forward
            || matches!(
                (before, life.state),
                (None, Queued)
                    | (Some(Queued), Sent | Failed | TimedOut | Superseded | Acked)
                    | (Some(Sent), Acked | Failed | TimedOut | Superseded)
                    | (Some(Acked), Confirmed | Superseded)
                    | (Some(TimedOut), Queued | Acked | Failed)
            );
        if !allowed {
            let what = format!(
                "{} went from {before:?} to {:?}",
                life.command_id, life.state
            );
            self.blame("I18 automaton", when.at_ms, what);
        }
        if matches!(life.state, Acked | Confirmed) && !answered && !released {
            let what = format!(
                "{} is {:?}, and its controller never answered it",
                life.command_id, life.state
            );
            self.blame("I19", when.at_ms, what);
        }
        self.states.insert(life.command_id.clone(), life.state);
        if matches!(life.state, Queued | Sent) {
            let since = (life.state, when.now_ms);
            self.open.insert(life.command_id.clone(), since);
        } else {
            self.open.remove(&life.command_id);
        }
    }

    /// Whether a command could not be sent when it was decided.
    #[must_use]
    pub fn sent_late(&self, id: &str) -> bool {
        self.sent_late.contains(id)
    }

    /// The device that a command went out for.
    #[must_use]
    pub fn device_of(&self, id: &str) -> Option<String> {
        self.published.get(id).map(|(device, _)| device.clone())
    }

    /// The server starts anew: commands go on where they were, as far as that was heard.
    pub fn restarted(&mut self, now_ms: i64) {
        // What was to open locks in the turn that was cut off may be in the journal: it opens them now, and is looked at.
        self.states.clear();
        self.open.clear();
        self.restarted = true;
        for watched in self.devices.values_mut() {
            close(watched, now_ms);
        }
    }

    /// The server died: what it wanted it wants no more.
    pub fn crashed(&mut self, now_ms: i64) {
        for watched in self.devices.values_mut() {
            close(watched, now_ms);
        }
    }

    /// After a turn in which something happened, and now and then.
    pub fn look(&mut self, farm: &FarmId, when: When, engine: &Engine) {
        // Judged by the engine's own clock: one that the last reading has moved is at that reading's instant.
        let when = When {
            engine_ms: engine.clock().map_or(0, harit_engine::Timestamp::as_millis),
            ..when
        };
        for status in engine.devices() {
            self.look_at_device(farm, when, &status);
        }
        self.evidence(farm, when, engine);
    }

    /// The turn is over.
    pub fn turn_over(&mut self) {
        self.may_open.clear();
        self.panel_opened.clear();
    }

    fn look_at_device(&mut self, farm: &FarmId, when: When, status: &DeviceStatus) {
        self.looked += 1;
        let key = (farm.clone(), status.spec.id.clone());
        let panel = self.panel_opened.contains(&key);
        let opened = self.may_open.get(&key).map_or(&[][..], |all| all);
        let watched = self.devices.entry(key).or_default();
        watched.max_on_ms = status.spec.max_on.map(harit_engine::Duration::as_millis);
        watched.max_pulse_s = status.spec.max_pulse.map(harit_engine::Duration::as_secs);
        watched.safe_is_on = status.spec.safe.is_on();
        let mut wrong = Vec::new();
        if status.locks != watched.locks {
            watched.steady_since = when.now_ms;
            if status.locks.is_empty() {
                watched.offs.push(when.now_ms);
            }
            // **I12**: a lock is opened by its own: a controller's by its panel, a person's and the engine's by a person.
            for lock in &watched.locks {
                let holds = status.locks.iter().any(|l| is_same(l, lock));
                if !holds && !may_be_gone(lock, opened, panel) {
                    wrong.push((
                        "I12 lock",
                        format!(
                            "the lock {lock:?} of {} is gone, and nobody opened it",
                            status.spec.id
                        ),
                    ));
                }
            }
            watched.locks.clone_from(&status.locks);
        }
        let wanted = status.online && status.last_sent.is_some_and(harit_engine::Setting::is_on);
        match (wanted, watched.wanted.last_mut()) {
            (true, None | Some((_, Some(_)))) => watched.wanted.push((when.now_ms, None)),
            (false, Some((_, end @ None))) => *end = Some(when.now_ms),
            _ => {}
        }
        // **I10**: an override ends when it should, and is not there afterwards.
        if let Some(manual) = &status.manual
            && manual.until.as_millis() <= when.engine_ms
        {
            wrong.push((
                "I10",
                format!(
                    "the manual mode of {} ended {} ms ago and is still there",
                    status.spec.id,
                    when.engine_ms - manual.until.as_millis()
                ),
            ));
        }
        // **I9**: an on period does not outlive its limit.
        if let Some(until) = status.max_on_at
            && until.as_millis() <= when.engine_ms
        {
            wrong.push((
                "I9 period",
                format!("{} is on for longer than it may", status.spec.id),
            ));
        }
        for (checker, what) in wrong {
            self.blame(checker, when.at_ms, what);
        }
    }

    /// **I14, I15**: what a rule goes on is a value that the sensor did report, that is plausible and fresh; a mean is the
    /// mean of these and of nothing else; without any, a rule that is to stop for that does not run.
    fn evidence(&mut self, farm: &FarmId, when: When, engine: &Engine) {
        let mut wrong = Vec::new();
        let mut sums: BTreeMap<harit_engine::SensorType, (i64, u32)> = BTreeMap::new();
        for sensor in engine.sensors() {
            let Some(value) = sensor.value else { continue };
            let (low, high) = sensor.spec.sensor_type.plausible_range();
            if value < Quantity::from_units(low) || value > Quantity::from_units(high) {
                wrong.push(("I15", format!("{} counts with {value:?}", sensor.spec.id)));
            }
            if sensor
                .expires_at
                .is_some_and(|e| e.as_millis() <= when.engine_ms)
            {
                wrong.push(("I14", format!("{} counts after its end", sensor.spec.id)));
            }
            let known = self
                .reported
                .get(&(farm.clone(), sensor.spec.id.clone()))
                .is_some_and(|all| all.contains(&value.as_micro()));
            if !known {
                wrong.push((
                    "I15",
                    format!(
                        "{} counts with {value:?}, which it never said",
                        sensor.spec.id
                    ),
                ));
            }
            let sum = sums.entry(sensor.spec.sensor_type).or_default();
            *sum = (sum.0 + value.as_micro(), sum.1 + 1);
        }
        for of in harit_engine::SensorType::ALL {
            let mean = engine.signal(&harit_engine::ScopeSpec::farm(), of);
            let said = mean.map(|m| (m.sum, m.count));
            let is = sums.get(&of).copied();
            if said != is {
                wrong.push((
                    "I15 mean",
                    format!(
                        "the farm's {} is {said:?} and should be {is:?}",
                        of.as_str()
                    ),
                ));
            }
        }
        for rule in engine.rules() {
            let RulePhase::Running { .. } = rule.phase else {
                continue;
            };
            let end = rule
                .spec
                .stop_condition
                .as_ref()
                .map_or(rule.spec.trigger.sensor_type, |s| s.sensor_type);
            if rule.spec.on_signal_lost == harit_engine::OnSignalLost::Stop
                && !sums.contains_key(&end)
            {
                wrong.push((
                    "I14",
                    format!("{} runs, and nothing tells when to stop it", rule.spec.id),
                ));
            }
        }
        for (checker, what) in wrong {
            self.blame(checker, when.at_ms, what);
        }
    }

    /// The commands that were sent and wait for their answer, each with the instant since when.
    #[must_use]
    pub fn unanswered(&self) -> Vec<(String, i64)> {
        let sent = self
            .open
            .iter()
            .filter(|(_, (s, _))| *s == CommandState::Sent);
        sent.map(|(id, (_, since))| (id.clone(), *since)).collect()
    }

    /// **I18**: no command waits for its answer for ever.
    pub fn open_lives(&mut self, when: When) {
        let late = self
            .open
            .iter()
            .find(|(_, (_, since))| when.now_ms - since > OPEN_MS)
            .map(|(id, (s, _))| format!("{id} is {s:?} for more than {OPEN_MS} ms"));
        if let Some(what) = late {
            self.blame("I18 open", when.at_ms, what);
        }
    }

    /// **I23**: what a farm needs does not grow with what happens in it.
    pub fn size(&mut self, when: When, bytes: usize) {
        let first = *self.first_size.get_or_insert(bytes);
        if bytes > first * GROWTH + 16_384 {
            let what = format!("the state grew from {first} to {bytes} bytes");
            self.blame("I23", when.at_ms, what);
        }
    }
}

fn close(watched: &mut Watched, now_ms: i64) {
    if let Some((_, end @ None)) = watched.wanted.last_mut() {
        *end = Some(now_ms);
    }
}

/// The id of whose lock it is.
fn whose(lock: &DeviceLock) -> &str {
    lock.owner.as_deref().map_or("", |o| &o.user_id)
}

fn is_same(a: &DeviceLock, b: &DeviceLock) -> bool {
    a.kind == b.kind && whose(a) == whose(b)
}

/// Whether somebody opened the lock who may: its panel, or a person who named it.
fn may_be_gone(lock: &DeviceLock, opened: &[Lock], panel: bool) -> bool {
    let by = |change: &Lock| match change {
        Lock::Engage { .. } => false,
        Lock::Open { kind, user } => {
            // Whose it is matters only where each person has one.
            let own = |user: &str| !kind.is_personal() || user == whose(lock);
            lock.kind == *kind && user.as_deref().is_none_or(own)
        }
        // The first version's lock takes the place of another of that version.
        Lock::Replace { .. } => match lock.kind {
            LockKind::MaxOn => true,
            LockKind::Person => whose(lock).is_empty(),
            _ => false,
        },
        Lock::OpenAll => true,
    };
    panel && lock.kind == LockKind::Controller || opened.iter().any(by)
}
