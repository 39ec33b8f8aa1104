//! The field: a number for each type of sensor that wanders about the rules' thresholds, and that devices push.
//!
//! It is not a model of a polyhouse (that one is in `harit-simulate`, and takes its time); it is made so that rules fire,
//! stop and overlap many times a day, whatever the seed's farm is about.

use harit_engine::SensorType;
use harit_model::generate::Dice;

/// One type's course.
#[derive(Debug, Clone)]
struct Course {
    of: SensorType,
    middle: f64,
    swing: f64,
    period_s: f64,
    phase: f64,
    lag_s: f64,
    value: f64,
    push: f64,
}

/// The field of one farm.
#[derive(Debug, Clone)]
pub struct Field {
    courses: Vec<Course>,
    at_ms: i64,
    noise: Dice,
}

/// A triangle between -1 and 1: no library's idea of a sine has a part in what a seed gives.
fn triangle(x: f64) -> f64 {
    let x = x - x.floor();
    if x < 0.5 {
        4.0 * x - 1.0
    } else {
        3.0 - 4.0 * x
    }
}

impl Field {
    /// The field of a seed, about the rules' levels.
    #[must_use]
    pub fn new(seed: u64, levels: &[(SensorType, f64)]) -> Self {
        let mut dice = Dice::new(seed ^ 0xF1E1D);
        let course = |of: SensorType, dice: &mut Dice| {
            let (low, high) = of.plausible_range();
            #[allow(clippy::cast_precision_loss, reason = "ranges are small")]
            let (low, high) = (low as f64, high as f64);
            let middle = levels
                .iter()
                .find(|(t, _)| *t == of)
                .map_or(f64::midpoint(low, high), |(_, v)| *v);
            Course {
                of,
                middle,
                swing: *dice.pick(&[0.6, 1.5, 4.0]),
                period_s: *dice.pick(&[600.0, 1_800.0, 7_200.0, 28_800.0]),
                phase: *dice.pick(&[0.0, 0.2, 0.4, 0.6, 0.8]),
                lag_s: *dice.pick(&[20.0, 60.0, 300.0]),
                value: middle,
                push: 0.0,
            }
        };
        let courses = SensorType::ALL
            .into_iter()
            .map(|t| course(t, &mut dice))
            .collect();
        Self {
            courses,
            at_ms: 0,
            noise: dice,
        }
    }

    /// Lets time pass, with so much of the devices on.
    pub fn advance(&mut self, now_ms: i64, on: f64) {
        let dt = now_ms.saturating_sub(self.at_ms);
        if dt <= 0 {
            return;
        }
        self.at_ms = now_ms;
        #[allow(clippy::cast_precision_loss, reason = "milliseconds of days")]
        let (dt, t) = (dt as f64 / 1_000.0, now_ms as f64 / 1_000.0);
        for c in &mut self.courses {
            c.push = on;
            let target = c.middle + c.swing * triangle(t / c.period_s + c.phase) - 2.0 * c.push;
            let share = (dt / c.lag_s).min(1.0);
            c.value += (target - c.value) * share;
        }
    }

    /// What a sensor of the type reads now, to two decimals.
    pub fn read(&mut self, of: SensorType) -> Option<f64> {
        let noise = self.noise.between(-15, 15);
        let c = self.courses.iter().find(|c| c.of == of)?;
        let (low, high) = of.plausible_range();
        #[allow(clippy::cast_precision_loss, reason = "ranges and noise are small")]
        let (low, high, noise) = (low as f64, high as f64, noise as f64 / 100.0);
        Some((((c.value + noise) * 100.0).round() / 100.0).clamp(low, high))
    }
}
