//! Values that wander, and rules that they start and stop.
//!
//! As in workload W1 (`benches/src/w1`): from one message to the next a value moves by at most a part of its range, evenly
//! spread and reflected at the ends, and the rules' thresholds lie within the range. All follows from a seed by SplitMix64.

use serde_json::{Value, json};

use crate::farm::{Kind, number};

/// From which rules and walks follow, each controller's with its own.
const SEED: u64 = 42;
/// A value's place in its range is a part of this.
const WHOLE: u32 = 1 << 30;
const HOLDS: [u32; 5] = [2, 5, 10, 20, 30];
const STOP_HOLDS: [u32; 3] = [2, 5, 10];

/// How far a value moves from one message to the next at most: a part of its range in millionths; 0 does not wander.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step(u32);

impl Step {
    /// Values that cross no threshold.
    pub const CALM: Self = Self(0);

    /// Reads a part of the range: 0, or up to a half.
    ///
    /// # Errors
    /// When it is not.
    pub fn parse(text: &str) -> Result<Self, String> {
        let part: f64 = text.parse().map_err(|e| format!("{e}"))?;
        if !(0.0..=0.5).contains(&part) {
            return Err("a step is a part of the range, at most 0.5".to_owned());
        }
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most half a million"
        )]
        let millionths = (part * 1e6).round() as u32;
        if millionths == 0 && part > 0.0 {
            return Err("a step has at most six decimals".to_owned());
        }
        Ok(Self(millionths))
    }

    /// Whether values wander.
    #[must_use]
    pub const fn wanders(self) -> bool {
        self.0 > 0
    }

    /// As a part of the range.
    #[must_use]
    pub fn part(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}

struct SplitMix64(u64);

impl SplitMix64 {
    /// Of a controller: where a stream begins is a number drawn from all.
    fn of(controller: usize, stream: u64) -> Self {
        let mut begin = Self(SEED ^ (stream << 56) ^ ((controller as u64) << 20));
        Self(begin.next())
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly below `n`, but for a part in 2^32.
    #[allow(clippy::cast_possible_truncation, reason = "below `n`")]
    const fn below(&mut self, n: u32) -> u32 {
        (((self.next() >> 32) * n as u64) >> 32) as u32
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(u32::try_from(all.len()).unwrap_or(u32::MAX)) as usize]
    }
}

/// The values of one controller, from message to message.
pub(crate) struct Walk {
    random: SplitMix64,
    step: u32,
    /// Where each is in its range.
    places: Vec<(Kind, u32)>,
}

impl Walk {
    pub(crate) fn new(controller: usize, kinds: impl Iterator<Item = Kind>, step: Step) -> Self {
        let mut random = SplitMix64::of(controller, 1);
        let places = kinds.map(|kind| (kind, random.below(WHOLE))).collect();
        let step = u64::from(step.0) * u64::from(WHOLE) / 1_000_000;
        Self {
            random,
            step: u32::try_from(step).unwrap_or(WHOLE),
            places,
        }
    }

    /// Moves all values.
    pub(crate) fn go(&mut self) {
        for (_, place) in &mut self.places {
            let moved = i64::from(*place) + i64::from(self.random.below(2 * self.step + 1))
                - i64::from(self.step);
            // Reflected below 0, and at the other end.
            let reflected = moved.unsigned_abs();
            let end = u64::from(WHOLE) - 1;
            let reflected = if reflected > end {
                2 * end - reflected
            } else {
                reflected
            };
            *place = u32::try_from(reflected).unwrap_or(0);
        }
    }

    /// The digits of the values where they are.
    pub(crate) fn digits(&self) -> impl Iterator<Item = u32> {
        self.places.iter().map(|(kind, place)| {
            let within = u64::from(*place) * u64::from(kind.high - kind.low) / u64::from(WHOLE);
            kind.low + u32::try_from(within).unwrap_or(0)
        })
    }
}

/// Writes a value's digits over those of another of its kind, which has as many: the last byte is at `end`.
pub(crate) fn overwrite(text: &mut [u8], mut digits: u32) {
    for byte in text.iter_mut().rev().filter(|b| **b != b'.') {
        *byte = b'0' + u8::try_from(digits % 10).unwrap_or(0);
        digits /= 10;
    }
}

/// The trigger and the stop condition of a controller's rules, one after the other.
pub(crate) fn conditions(
    controller: usize,
    kinds: impl Iterator<Item = Kind>,
) -> impl Iterator<Item = (Value, Value)> {
    let mut random = SplitMix64::of(controller, 2);
    kinds.map(move |kind| {
        let range = kind.high - kind.low;
        let above = random.below(2) == 0;
        // Between a tenth and nine tenths of the range; it stops a fiftieth further back.
        let at = kind.low + range / 10 + random.below(range * 4 / 5);
        let apart = (range / 50).max(1);
        let (operator, back, stop) = if above {
            ("gt", "lt", at - apart)
        } else {
            ("lt", "gt", at + apart)
        };
        let condition = |operator, value, hold| {
            json!({"sensor_type": kind.name, "operator": operator, "value": number(value, kind.decimals), "duration_sec": hold})
        };
        (
            condition(operator, at, random.one_of(&HOLDS)),
            condition(back, stop, random.one_of(&STOP_HOLDS)),
        )
    })
}

#[cfg(test)]
mod tests {
    use harit_engine::{Engine, Event, EventKind, FarmDocument, Measured, Timestamp};

    use super::*;
    use crate::farm::{Account, BenchFarms, Controller, Shape};

    fn farms(step: &str) -> BenchFarms {
        BenchFarms {
            farms: 1,
            controllers: 3,
            idle: 0,
            values: 8,
            rules: 8,
            step: Step::parse(step).unwrap(),
            shape: Shape::Full,
        }
    }

    fn walk(controller: usize, step: &str) -> Walk {
        let account = Account {
            farm: String::new(),
            mac: String::new(),
            secret: String::new(),
        };
        let kinds = Controller::new(controller, &account, 8, Shape::Full).kinds();
        Walk::new(controller, kinds, Step::parse(step).unwrap())
    }

    #[test]
    fn a_step_is_a_part_of_the_range() {
        assert!(!Step::parse("0").unwrap().wanders());
        assert_eq!(Step::parse("0"), Ok(Step::CALM));
        let step = Step::parse("0.005").unwrap();
        assert!(step.wanders() && (step.part() - 0.005).abs() < 1e-9);
        for wrong in ["-0.1", "0.6", "NaN", "1e-9", "far"] {
            assert!(Step::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_walk_follows_from_its_controller_stays_in_range_and_gets_about() {
        for step in ["0.02", "0.5"] {
            let (mut one, mut same, mut other) = (walk(1, step), walk(1, step), walk(2, step));
            let (mut differ, mut bounds) = (0, vec![(u32::MAX, 0); 8]);
            for _ in 0..200_000 {
                let before: Vec<u32> = one.places.iter().map(|(_, at)| *at).collect();
                one.go();
                same.go();
                other.go();
                for (before, (_, after)) in before.iter().zip(&one.places) {
                    assert!(before.abs_diff(*after) <= one.step);
                }
                let digits: Vec<u32> = one.digits().collect();
                assert_eq!(digits, same.digits().collect::<Vec<_>>());
                differ += usize::from(digits != other.digits().collect::<Vec<_>>());
                for ((low, high), digits) in bounds.iter_mut().zip(digits) {
                    (*low, *high) = (digits.min(*low), digits.max(*high));
                }
            }
            assert!(differ > 199_000, "{differ}");
            for ((low, high), (kind, _)) in bounds.into_iter().zip(&one.places) {
                let tenth = (kind.high - kind.low) / 10;
                assert!(low >= kind.low && low < kind.low + tenth, "{kind:?} {low}");
                assert!(
                    high < kind.high && high > kind.high - tenth,
                    "{kind:?} {high}"
                );
            }
        }
    }

    #[test]
    fn digits_are_written_over_others() {
        let mut text = *b"12.34";
        overwrite(&mut text, 5_607);
        assert_eq!(&text, b"56.07");
        let mut text = *b"400";
        overwrite(&mut text, 699);
        assert_eq!(&text, b"699");
    }

    /// Ten messages a second for ten minutes: rules start and stop, and the fan that all of a controller's claim is switched.
    #[test]
    fn thresholds_are_crossed_and_rules_fire() {
        let farms = farms("0.03");
        let document = FarmDocument::from_json(&farms.document(0).1).unwrap();
        let run = || {
            let mut engine = Engine::new(&document).unwrap();
            let (mut events, mut switched): (Vec<Event>, _) = (vec![], vec![]);
            let mut walks: Vec<Walk> = (0..farms.controllers).map(|c| walk(c, "0.03")).collect();
            for n in 0..6_000 {
                let at = Timestamp::from_millis(n * 100);
                for (c, walk) in walks.iter_mut().enumerate() {
                    walk.go();
                    for (k, (digits, (kind, _))) in walk.digits().zip(&walk.places).enumerate() {
                        let sensor = engine.sensor_index(&format!("c{c}-s{k}")).unwrap();
                        let value = number(digits, kind.decimals).to_string();
                        engine.apply_reading(at, sensor, Measured::parse(&value), &mut events);
                    }
                }
                switched.extend(events.drain(..).map(|e| e.kind));
            }
            switched
        };
        let events = run();
        let count = |is: fn(&EventKind) -> bool| events.iter().filter(|e| is(e)).count();
        let fired = count(|e| matches!(e, EventKind::RuleFired { .. }));
        let stopped = count(|e| matches!(e, EventKind::RuleStopped { .. }));
        let commands = count(|e| matches!(e, EventKind::Command(_)));
        assert!(
            fired > 50 && stopped > 50 && commands > 5,
            "{fired} {stopped} {commands}"
        );
        assert_eq!(events, run());
    }
}
