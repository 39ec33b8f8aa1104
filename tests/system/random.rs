//! Random choices that can be repeated.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use harit_testkit::Dice;

/// Dice from `HARIT_SEED`, or from the clock; says which.
pub(crate) fn dice(what: &str) -> Dice {
    let given = std::env::var("HARIT_SEED").ok();
    let seed = given.and_then(|s| s.parse().ok()).unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        u64::from(now.subsec_nanos()) ^ now.as_secs()
    });
    eprintln!("{what}: HARIT_SEED={seed}");
    Dice::new(seed)
}

/// A duration between two, in whole milliseconds.
pub(crate) fn between(dice: &mut Dice, from_ms: u64, to_ms: u64) -> Duration {
    Duration::from_millis(from_ms + dice.roll() % (to_ms - from_ms).max(1))
}
