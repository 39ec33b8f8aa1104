//! Simulated days, each from one seed.

use harit_sim::day::{Options, run};
use harit_sim::seeds::{self, report, seeds};

#[test]
fn a_day_without_faults() {
    let options = Options {
        faults: false,
        ..Options::default()
    };
    let done = seeds::run(seeds("HARIT_DAYS", 8), |seed| run(seed, options));
    match done {
        Ok(all) => println!("{:?}", all.iter().map(|(t, _)| t).collect::<Vec<_>>()),
        Err(failures) => panic!("{}", report("days a_day_without_faults", &failures)),
    }
}

#[test]
fn days_with_faults() {
    let done = seeds::run(seeds("HARIT_DAYS", 20), |seed| run(seed, Options::default()));
    match done {
        Ok(all) => println!("{:?}", all.iter().map(|(t, _)| t).collect::<Vec<_>>()),
        Err(failures) => panic!("{}", report("days days_with_faults", &failures)),
    }
}
