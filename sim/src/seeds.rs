//! Which seeds are tried, on all cores, and what is printed of one that fails.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many failing seeds are worth looking for.
const ENOUGH: usize = 4;

fn number_from(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    match text.parse() {
        Ok(n) => Some(n),
        Err(_) => unreachable!("{variable} is no number: {text}"),
    }
}

/// So many seeds from 0, unless `HARIT_SEED` names one or `variable` says how many.
#[must_use]
pub fn seeds(variable: &str, default: u64) -> Range<u64> {
    let first = number_from("HARIT_SEED");
    let count = number_from(variable).unwrap_or(if first.is_some() { 1 } else { default });
    let first = first.unwrap_or(0);
    first..first + count
}

/// Runs `what` for all seeds on all cores. Panics count as failures. Gives what each seed gave, in order, or the first
/// failures.
///
/// # Errors
/// Seeds and what is wrong with them.
pub fn run<T: Send>(
    seeds: Range<u64>,
    what: impl Fn(u64) -> Result<T, String> + Sync,
) -> Result<Vec<T>, Vec<(u64, String)>> {
    let next = AtomicU64::new(seeds.start);
    let (good, bad) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let lock = |m: &Mutex<Vec<(u64, String)>>| m.lock().map_or(ENOUGH, |m| m.len());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while lock(&bad) < ENOUGH {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    match guarded(|| what(seed)) {
                        Ok(t) => {
                            if let Ok(mut good) = good.lock() {
                                good.push((seed, t));
                            }
                        }
                        Err(e) => {
                            if let Ok(mut bad) = bad.lock() {
                                bad.push((seed, e));
                            }
                        }
                    }
                }
            });
        }
    });
    let mut bad = bad.into_inner().unwrap_or_default();
    bad.sort();
    if !bad.is_empty() {
        return Err(bad);
    }
    let mut good = good.into_inner().unwrap_or_default();
    good.sort_by_key(|(seed, _)| *seed);
    Ok(good.into_iter().map(|(_, t)| t).collect())
}

/// Tries points of the logs of seeds from `HARIT_SEED` or 0 on, until so many were tried, or as many as `variable` says. Gives how many, of
/// how many logs, from which seed on. `explore` says how many it tried of a seed.
///
/// # Errors
/// What is to be printed of the first failures; also when the logs have too few points.
pub fn points(
    test: &str,
    variable: &str,
    most: u64,
    explore: impl Fn(u64) -> Result<usize, String> + Sync,
) -> Result<String, String> {
    let most = number_from(variable).unwrap_or(most);
    let first = number_from("HARIT_SEED").unwrap_or(0);
    // Logs differ in length: more are offered than are needed.
    let so_far = AtomicU64::new(0);
    let counts = run(first..first + most.div_ceil(50), |seed| {
        if so_far.load(Ordering::Relaxed) >= most {
            return Ok(0);
        }
        let count = explore(seed)?;
        so_far.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    });
    let counts = counts.map_err(|failures| report(test, &failures))?;
    let sum: usize = counts.iter().sum();
    let logs = counts.iter().filter(|c| **c > 0).count();
    if (sum as u64) < most {
        return Err(format!("only {sum} points of {most}"));
    }
    Ok(format!("{sum} points of {logs} logs from seed {first}"))
}

/// A panic is a failure like any other.
pub fn guarded<T>(what: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(what)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

/// What is printed of seeds that failed: one line each that repeats it.
#[must_use]
pub fn report(test: &str, failures: &[(u64, String)]) -> String {
    let mut text = String::new();
    for (seed, why) in failures {
        text += &format!(
            "\nseed {seed}: {why}\nHARIT_SEED={seed} cargo test -p harit-sim --test {test} -- --nocapture\n"
        );
    }
    text
}
