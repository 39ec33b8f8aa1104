//! The derived sensors of a farm: when each is computed, and what it then says.
//!
//! A look at a sensor is due when something of the farm was applied since the last look, at most once a second. A value that it finds
//! is said when the interval has passed since the last one; that it is not known any more, at once. What it says bears the timestamp of the newest reading among its inputs, so that it is as fresh as they are, and counts as a sample only where
//! an input had one. Where an input becomes unknown the sensor says nothing (null) twice, a millisecond apart: by docs/semantics.md,
//! section 2, one null is a glitch and the second makes it unknown at once.

use std::sync::Arc;

use harit_engine::{Duration, Quantity, SensorId, SensorType, Timestamp};

use crate::definition::Definition;
use crate::kind::Kind;
use crate::memory::{Today, Window, degree_days, hours_above, light};
use crate::present::{Present, Seen, Standing};

/// How long after a look the next one is at least.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const MINUTE_MS: f64 = 60_000.0;

/// What a derived sensor says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    /// The sensor.
    pub sensor: SensorId,
    /// Its value; none where it is not known.
    pub value: Option<Quantity>,
    /// When that was so.
    pub at: Timestamp,
}

/// What a sensor remembers.
#[derive(Debug, Clone)]
enum Memory {
    Nothing,
    Today(Today),
    Window(Window),
}

impl Memory {
    fn of(kind: Kind) -> Self {
        match kind {
            Kind::MovingMean | Kind::RateOfChange => Self::Window(Window::default()),
            kind if kind.accumulates() => Self::Today(Today::default()),
            _ => Self::Nothing,
        }
    }

    fn lose(&mut self) {
        match self {
            Self::Nothing => {}
            Self::Today(today) => today.lose(),
            Self::Window(window) => window.lose(),
        }
    }
}

#[derive(Debug)]
struct Running {
    definition: Arc<Definition>,
    memory: Memory,
    /// Whether something was applied since the last look.
    touched: bool,
    /// Before when it is not looked at.
    not_before: Timestamp,
    /// Whether the last look found a value for which it was too soon.
    waits: bool,
    /// Before when it says no further value.
    speaks_at: Timestamp,
    /// The newest timestamp of what it said; what is older would come late.
    newest: Timestamp,
    /// How often its formula failed since it was put.
    failures: u64,
}

/// The derived sensors of a farm; see the module.
#[derive(Debug, Default)]
pub struct Derivations {
    all: Vec<Running>,
    /// Whether something was applied that they were not told of: each record says so, and has no time to tell all.
    touched: bool,
}

const BEFORE_ALL: Timestamp = Timestamp::from_millis(i64::MIN);

impl Derivations {
    /// Computes these from now on. What is computed as before goes on with what it remembers.
    pub fn put(&mut self, definitions: impl IntoIterator<Item = Arc<Definition>>) {
        let mut old = std::mem::take(&mut self.all);
        for definition in definitions {
            let is = |r: &Running| r.definition.computes_like(&definition);
            let running = match old.iter().position(is) {
                Some(n) => Running {
                    definition,
                    touched: true,
                    ..old.swap_remove(n)
                },
                None => Running {
                    memory: Memory::of(definition.kind),
                    definition,
                    touched: true,
                    not_before: BEFORE_ALL,
                    waits: false,
                    speaks_at: BEFORE_ALL,
                    newest: BEFORE_ALL,
                    failures: 0,
                },
            };
            self.all.push(running);
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Something of the farm was applied.
    pub const fn touch(&mut self) {
        self.touched = true;
    }

    /// When something is to be looked at.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        self.all.iter().filter_map(|r| r.due(self.touched)).min()
    }

    /// How often formulas failed, of all sensors.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.all.iter().map(|r| r.failures).sum()
    }

    /// Looks at what is due, and adds what that says. Returns how many were looked at.
    pub fn look(&mut self, now: Timestamp, farm: &impl Present, said: &mut Vec<Derived>) -> usize {
        let (mut looks, touched) = (0, std::mem::take(&mut self.touched));
        for running in &mut self.all {
            running.touched |= touched;
            if running.due(false).is_some_and(|due| due <= now) {
                (running.touched, running.waits) = (false, false);
                running.not_before = now + LOOK_EVERY;
                running.look(now, farm, said);
                looks += 1;
            }
        }
        looks
    }
}

impl Running {
    /// When it is to be looked at.
    fn due(&self, touched: bool) -> Option<Timestamp> {
        let look = (touched || self.touched).then_some(self.not_before);
        look.into_iter()
            .chain(self.waits.then_some(self.speaks_at))
            .min()
    }

    fn look(&mut self, now: Timestamp, farm: &impl Present, said: &mut Vec<Derived>) {
        let definition = self.definition.clone();
        // Its sensor was deleted: nobody would hear it.
        let Some(standing) = farm.standing(&definition.sensor) else {
            return;
        };
        self.newest = self.newest.max(standing.read_at.unwrap_or(BEFORE_ALL));
        let inputs = definition.inputs.iter();
        let seen: Option<Vec<Seen>> = inputs.map(|(_, source)| farm.seen(source)).collect();
        let newest = |seen: &[Seen]| seen.iter().map(|s| s.at).max();
        let Some((seen, at)) = seen.and_then(|s| newest(&s).map(|at| (s, at))) else {
            self.memory.lose();
            return self.unknown(now, standing, said);
        };
        let Some(value) = self.value(&seen, at, farm) else {
            return self.unknown(now, standing, said);
        };
        let at = at.max(self.newest);
        let is_new = at > self.newest || standing.value != Some(value);
        if is_new && now < self.speaks_at {
            self.waits = true;
        } else if is_new {
            self.newest = at;
            self.speaks_at = now + definition.interval;
            said.push(Derived {
                sensor: definition.sensor.clone(),
                value: Some(value),
                at,
            });
        }
    }

    /// It is not known any more: two nulls, if its value still counts.
    fn unknown(&mut self, now: Timestamp, standing: Standing, said: &mut Vec<Derived>) {
        if standing.value.is_none() {
            return;
        }
        let last = now.max(self.newest + Duration::from_millis(2));
        if last > now {
            (self.touched, self.not_before) = (true, last);
            return;
        }
        self.newest = now;
        for at in [now - Duration::from_millis(1), now] {
            said.push(Derived {
                sensor: self.definition.sensor.clone(),
                value: None,
                at,
            });
        }
    }

    fn value(&mut self, seen: &[Seen], at: Timestamp, farm: &impl Present) -> Option<Quantity> {
        let definition = &*self.definition;
        let first = seen.first()?.value;
        let value = match &mut self.memory {
            Memory::Nothing => {
                let values: Vec<f64> = seen.iter().map(|s| s.value).collect();
                let value = definition.value(&values);
                self.failures += u64::from(value.is_err());
                return value.ok().flatten();
            }
            Memory::Window(window) => {
                #[allow(clippy::cast_possible_truncation, reason = "at most a day")]
                let length = Duration::from_millis((definition.constant(0) * MINUTE_MS) as i64);
                window.add((at, first), length);
                match definition.kind {
                    Kind::RateOfChange => window.slope(length)?,
                    _ => window.mean()?,
                }
            }
            Memory::Today(today) => {
                let day = farm.day(at)?;
                let (a, b) = (definition.constant(0), definition.constant(1));
                let input = match (definition.kind, definition.light_of(farm)) {
                    (Kind::DailyLight, Some(SensorType::LightIntensity)) => first / a,
                    _ => first,
                };
                let carried = definition.carried.filter(|c| c.at >= definition.since);
                today.add(
                    (at, input),
                    day,
                    definition.gap,
                    carried,
                    |stretch| match definition.kind {
                        Kind::DailyLight => light(stretch),
                        Kind::DegreeDays => degree_days(stretch, a, b),
                        _ => hours_above(stretch, a),
                    },
                )
            }
        };
        definition.plausible(value)
    }
}

impl Definition {
    /// What its first input measures.
    fn light_of(&self, farm: &impl Present) -> Option<SensorType> {
        farm.sensor_type(&self.inputs.first()?.1)
    }
}
