//! Simulated days, each from one seed. `HARIT_DAYS` is how many, `HARIT_SEED` names one.
#![allow(
    clippy::print_stdout,
    clippy::panic,
    reason = "a test says what is wrong by panicking"
)]

use harit_sim::day::{Options, run};
use harit_sim::seeds::{self, report, seeds};
use harit_sim::world::Totals;

/// Days and crash points are made of small messages.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Seeds whose day found a mistake: 349, a device that is safe when it is on, and that its panel stopped under a person's lock;
/// 131 and 293, such devices that were left off after a network that loses much had cost them their leases too often;
/// 1004 and 1677, a command that went out in the very millisecond in which it expired; 30032, 30088, 30103 and 31009, a machine
/// that somebody switched by hand and that nobody switched back; 100402, a command that its controller ignored; 100127, 100369,
/// 505858 and 509289, mistakes of the checkers: a lock that a turn opened which was cut off, a command that could not be sent
/// when it was decided, a pulse that a late reading decided, a new reason for a lock, `max_on`, under which nothing is sent.
const KEPT: [u64; 14] = [
    131, 293, 349, 1_004, 1_677, 30_032, 30_088, 30_103, 31_009, 100_127, 100_369, 100_402,
    505_858, 509_289,
];

/// Days of programs that found a mistake: readings that came while an alert's `only_if` was false did not count when it was true again.
const KEPT_PROGRAMS: [u64; 1] = [800_109];

#[test]
fn days_that_found_something() {
    for seed in KEPT {
        if let Err(why) = seeds::guarded(|| run(seed, Options::default())) {
            panic!("{}", report("days days_with_faults", &[(seed, why)]));
        }
    }
    let programs = Options {
        programs: true,
        ..Options::default()
    };
    for seed in KEPT_PROGRAMS {
        if let Err(why) = seeds::guarded(|| run(seed, programs)) {
            panic!("{}", report("days days_of_programs", &[(seed, why)]));
        }
    }
}

/// Plays so many days, or as many as are asked for, and tells what was counted in all of them.
fn play(test: &str, days: u64, options: Options) {
    match seeds::run(seeds("HARIT_DAYS", days), |seed| run(seed, options)) {
        Ok(all) => {
            let totals: Totals = all.iter().map(|(totals, _)| *totals).sum();
            println!("{} days: {totals:?}", all.len());
        }
        Err(failures) => panic!("{}", report(&format!("days {test}"), &failures)),
    }
}

#[test]
fn a_day_without_faults() {
    let options = Options {
        faults: false,
        ..Options::default()
    };
    play("a_day_without_faults", 8, options);
}

#[test]
fn days_with_faults() {
    play("days_with_faults", 40, Options::default());
}

/// Days on which rules know the clock and machines have limits.
#[test]
fn days_of_programs() {
    let options = Options {
        programs: true,
        ..Options::default()
    };
    play("days_of_programs", 20, options);
}

/// Days on which a server often stands still, another one takes over, and it goes on beside that.
#[test]
fn days_with_takeovers() {
    let options = Options {
        takeovers: true,
        ..Options::default()
    };
    play("days_with_takeovers", 20, options);
}

/// I1: the same seed gives the same day, byte for byte.
#[test]
fn a_seed_gives_one_day() {
    let options = Options {
        safety_ms: 2 * 3_600_000,
        ..Options::default()
    };
    for seed in 0..6 {
        let (once, again) = (run(seed, options), run(seed, options));
        assert!(once == again, "seed {seed} gave two days");
    }
}
