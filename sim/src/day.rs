//! One day from one seed: faults first, then none, and everything must come right.

use std::path::PathBuf;

use harit_model::generate::Dice;

use crate::check::LEASE_MS;
use crate::plan;
use crate::rates::Rates;
use crate::time::START_MS;
use crate::world::{Setup, Totals, World};

/// How long faults go on.
const SAFETY_MS: i64 = 86_400_000 - CALM_MS;
/// How long nothing goes wrong afterwards, at most.
const CALM_MS: i64 = 600_000;
/// Within this time everything has come right.
const CONVERGES_MS: i64 = 120_000;
/// A rule that just acted has its own time; then it is looked at again.
const LOOK_AGAIN_MS: i64 = 5_000;

/// How a day is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether anything goes wrong.
    pub faults: bool,
    /// Whether the naive model decides the whole day over again.
    pub oracle: bool,
    /// Whether the journal is a file.
    pub file: bool,
    /// A shorter day than one of 24 hours, in milliseconds.
    pub safety_ms: i64,
    /// Whether most farms have rules of version 2.
    pub programs: bool,
    /// Whether most crashes are takeovers.
    pub takeovers: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            faults: true,
            oracle: true,
            file: false,
            safety_ms: SAFETY_MS,
            programs: false,
            takeovers: false,
        }
    }
}

/// What the seed's world is made of.
#[must_use]
pub fn setup(seed: u64, options: Options, folder: Option<PathBuf>) -> Setup {
    let mut dice = Dice::new(seed ^ 0xDA1);
    let farms = if dice.chance(15) { 2 } else { 1 };
    let farm_seeds: Vec<u64> = (0..farms).map(|n| seed + n * 1_000_003).collect();
    let mut rates = if options.faults {
        Rates::draw(&mut dice)
    } else {
        Rates::calm()
    };
    if options.takeovers {
        rates.crashes = rates.crashes.max(12);
        rates.takeovers = 800;
    }
    Setup {
        farms: farm_seeds
            .iter()
            .zip(1..)
            .map(|(s, n)| plan::farm(*s, n, options.programs.then_some(options.safety_ms)))
            .collect(),
        farm_seeds,
        rates,
        seed,
        span_ms: options.safety_ms,
        folder,
        clean_crashes: false,
    }
}

/// Plays the seed's day.
///
/// # Errors
/// The first thing that was wrong.
pub fn run(seed: u64, options: Options) -> Result<(Totals, String), String> {
    let folder = if options.file {
        let at = PathBuf::from("/dev/shm");
        let at = if at.is_dir() {
            at
        } else {
            std::env::temp_dir()
        };
        Some(tempfile::tempdir_in(at).map_err(|e| e.to_string())?)
    } else {
        None
    };
    let setup = setup(seed, options, folder.as_ref().map(|f| f.path().to_owned()));
    let mut world = World::new(&setup)?;
    let wrong = |world: &World| {
        world
            .checks
            .violations
            .first()
            .map_or(Ok(()), |v| Err(format!("{v} ({:?})", setup.rates)))
    };
    world.run_until(START_MS + 60_000);
    world.measure();
    world.run_until(START_MS + options.safety_ms);
    wrong(&world)?;
    world.measure();
    world.end_faults();
    let over = world.now_ms();
    world.run_until(over + CONVERGES_MS);
    wrong(&world)?;
    settled(&mut world, over, &setup)?;
    // And so it stays, and no lease runs out: all that are left are of commands of this calm, and are renewed.
    world.run_until(over + CONVERGES_MS + LEASE_MS + LOOK_AGAIN_MS);
    let run_out = world.leases_ended();
    world.run_until(over + CALM_MS);
    wrong(&world)?;
    if world.leases_ended() != run_out {
        let leases = world.leases_ended() - run_out;
        return Err(format!(
            "L1 lease: {leases} leases ran out while nothing was wrong ({:?})",
            setup.rates
        ));
    }
    settled(&mut world, over, &setup)?;
    wrong(&world)?;
    world.end();
    wrong(&world)?;
    if options.oracle {
        world.oracle();
        wrong(&world)?;
    }
    world.totals.looked = world.checks.looked;
    Ok((world.totals, world.digest()))
}

/// Everything is as it is meant to be. What was commanded just now may still be on its way: it is looked at again.
fn settled(world: &mut World, over: i64, setup: &Setup) -> Result<(), String> {
    let left = world.converged();
    let Some(first) = left.first() else {
        return Ok(());
    };
    world.run_until(world.now_ms() + LOOK_AGAIN_MS);
    if !world.converged().contains(first) {
        return Ok(());
    }
    Err(format!(
        "L1: {} s after the last fault {left:?} ({:?})",
        (world.now_ms() - over) / 1_000,
        setup.rates
    ))
}
