//! What must never happen, each with the number that `docs/testing.md` explains.
//!
//! Checkers look at the machines' traces, at what goes over the wire, and at what the server says of itself; none of them
//! asks the engine whether the engine is right. (Whether it decided what the semantics say is the oracle's to tell.)

mod devices;
mod evidence;
mod lives;
mod trace;

use std::collections::{BTreeMap, BTreeSet};

use harit_engine::{
    DeviceId, DeviceLock, Engine, Event, EventKind, FarmId, Lock, Quantity, SensorId,
};
use harit_ingest::CommandState;

pub use trace::on_intervals;

/// How long a device stays on by itself.
pub const LEASE_MS: i64 = 180_000;
/// How long a message to a controller may be under way and still be obeyed (a controller without a clock cannot tell).
pub const UNDER_WAY_MS: i64 = 90_000;
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

    /// An engine said something. `answer_to_off` is checked by [`Self::off_answered`].
    pub fn event(&mut self, farm: &FarmId, when: When, event: &Event) {
        self.looked += 1;
        if let EventKind::Command(command) = &event.kind {
            self.command(farm, when, command);
        }
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
