//! The log of five simulated minutes: a busy world runs, and what reaches its server is recorded.

use crate::log::Log;
use crate::plan::{self, FarmPlan};
use crate::rates::Rates;
use crate::time::START_MS;
use crate::world::{Setup, World};

/// How long a log is.
const SPAN_MS: i64 = 300_000;

/// The log of a seed, with its farms.
///
/// # Errors
/// When the recording itself goes wrong.
pub(crate) fn record(
    seed: u64,
    farms: usize,
    programs: bool,
) -> Result<(Vec<FarmPlan>, Log), String> {
    let farm_seeds: Vec<u64> = (0..farms as u64).map(|n| seed ^ (n << 32)).collect();
    let plans: Vec<FarmPlan> = (1..)
        .zip(&farm_seeds)
        .map(|(n, seed)| plan::farm(*seed, n, programs.then_some(SPAN_MS)))
        .collect();
    let setup = Setup {
        farms: plans.clone(),
        farm_seeds,
        rates: Rates {
            duplicate: 30,
            lose_down: 30,
            delay_ms: 400,
            batch_ms: 100,
            partitions: 200,
            reboots: 200,
            sensor_faults: 200,
            device_faults: 200,
            wishes: 6_000,
            hands: if seed % 2 == 1 { 1_000 } else { 0 },
            ..Rates::default()
        },
        seed,
        span_ms: SPAN_MS,
        folder: None,
        clean_crashes: false,
    };
    let mut world = World::new(&setup)?;
    world.record();
    world.run_until(START_MS + SPAN_MS);
    match world.checks.violations.first() {
        Some(v) => Err(v.to_string()),
        None => Ok((plans, world.recorded())),
    }
}
