//! Random farms and what happens to them, from a seed.
//!
//! The inputs are made while a model follows them, so that they fall on, just before and just after the instants at which
//! something is about to happen. Each case draws its own weights: one is all readings, the next is people and locks.

mod controllers;
mod days;
mod farm;
mod hours;
mod inputs;
mod limits;
mod only_if;
mod programs;
mod rules;
mod setpoints;
mod world;

pub use days::date;

use serde_json::Value;

use crate::vector::Case;
pub use controllers::case_with_controllers;

/// A small generator of random numbers (splitmix64); the same seed gives the same numbers everywhere and always.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Numbers that follow from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of `0..n`; 0 when there is none.
    pub fn below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.roll() % n).unwrap_or(0)
    }

    /// One of `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let width = usize::try_from(high - low + 1).unwrap_or(1);
        low + i64::try_from(self.below(width)).unwrap_or(0)
    }

    /// True this many times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list that is not empty.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// The index of one of the weights, in proportion to them.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (n, weight) in weights.iter().enumerate() {
            if left < *weight {
                return n;
            }
            left -= weight;
        }
        0
    }
}

/// What a generated case may contain.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The least and the greatest number of inputs.
    pub inputs: (i64, i64),
    /// Whether some inputs are malformed, to be refused without a trace.
    pub malformed: bool,
    /// Whether places, sensors, devices and settings change.
    pub registry: bool,
    /// Whether locks have kinds, and people stop devices: the first version's inputs had neither.
    pub kinds: bool,
    /// Whether some cases have an almanac and rules of version 2, and when they take place.
    pub programs: Programs,
    /// Whether some cases have devices with limits.
    pub limits: bool,
    /// Whether some cases with programs have setpoints and curves.
    pub setpoints: bool,
    /// Whether alerts of some cases with programs are bound to trees.
    pub only_if: bool,
    /// Whether some devices with limits have hours.
    pub hours: bool,
}

/// Where and when cases with programs take place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Programs {
    /// There are none.
    None,
    /// Where clocks do what is remarkable.
    Anywhere,
    /// In India, and what they wait for lies between these instants.
    About {
        /// The first.
        from: i64,
        /// The last.
        to: i64,
    },
}

impl Default for Options {
    fn default() -> Self {
        Self {
            inputs: (20, 250),
            malformed: true,
            registry: true,
            kinds: true,
            programs: Programs::Anywhere,
            limits: true,
            setpoints: true,
            only_if: true,
            hours: true,
        }
    }
}

/// The case of a seed.
#[must_use]
pub fn case(seed: u64, options: Options) -> Case {
    if let Some(case) = only_if::lapses(seed, options) {
        return case;
    }
    let mut dice = Dice::new(seed.wrapping_mul(0xd134_2543_de82_ef95) ^ 0x5eed);
    let place = place(seed, options);
    let parts = farm::Parts::of(seed, options, place.is_some());
    let (world, farm) = farm::farm(&mut dice, place, parts);
    inputs::inputs(dice, world, farm, options)
}

/// Where a case with programs takes place; none for those that are as in version 1.
fn place(seed: u64, options: Options) -> Option<days::Place> {
    let mut dice = Dice::new(seed.wrapping_mul(0x9e6c_63d0_876a_3f6b) ^ 0xa1a);
    let has = options.programs != Programs::None && dice.chance(60);
    has.then(|| match options.programs {
        Programs::About { from, to } => days::Place::about(&mut dice, from, to),
        _ => days::Place::new(&mut dice),
    })
}

/// A decimal number of tenths of millionths.
fn number(tenths_of_micros: i64) -> Value {
    let sign = if tenths_of_micros < 0 { "-" } else { "" };
    let (whole, fraction) = (
        tenths_of_micros.unsigned_abs() / 10_000_000,
        tenths_of_micros.unsigned_abs() % 10_000_000,
    );
    let text = format!("{sign}{whole}.{fraction:07}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let text = if text == "-0" { "0" } else { text };
    text.parse().unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_case() {
        let options = Options::default();
        assert_eq!(case(7, options), case(7, options));
        assert_ne!(case(7, options), case(8, options));
    }

    #[test]
    fn numbers_are_written_exactly() {
        for (tenths, text) in [
            (0, "0"),
            (249_999_995, "24.9999995"),
            (-249_999_995, "-24.9999995"),
            (1_000_000_000, "100"),
        ] {
            assert_eq!(number(tenths).to_string(), text);
        }
    }
}
