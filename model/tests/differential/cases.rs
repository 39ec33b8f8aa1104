//! Which seeds are tried, on all cores, and what is said of those that fail.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use harit_model::generate::{Options, case};

use crate::engine_side::compare;
use crate::shrink::shrunk;

/// How many failing seeds are worth looking for.
const ENOUGH: usize = 8;

fn number_from(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{variable} is no number: {text}")),
        Err(_) => default,
    }
}

/// The seeds to try: `default` many of them, from 0, unless the environment says otherwise.
pub(crate) fn cases(default: u64) -> Range<u64> {
    let first = number_from("HARIT_SEED", 0);
    first..first + number_from("HARIT_CASES", default)
}

/// What the cases contain: everything.
pub(crate) fn options() -> Options {
    Options::default()
}

/// The first seeds for which `fails` has something to say, and what.
pub(crate) fn first_failures(
    seeds: Range<u64>,
    fails: impl Fn(u64) -> Option<String> + Sync,
) -> Vec<(u64, String)> {
    assert!(!seeds.is_empty(), "no cases to try");
    let next = AtomicU64::new(seeds.start);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while failures.lock().unwrap().len() < ENOUGH {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    if let Some(failure) = fails(seed) {
                        failures.lock().unwrap().push((seed, failure));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    failures
}

/// How to repeat the failures; of a difference between engine and model also the shortest case.
pub(crate) fn report(test: &str, failures: &[(u64, String)]) -> String {
    let mut text = String::new();
    for (seed, failure) in failures {
        text += &format!(
            "\nseed {seed}: {failure}\nHARIT_SEED={seed} HARIT_CASES=1 cargo test -p harit-model --test differential {test}\n"
        );
    }
    if let Some((seed, _)) = failures.first() {
        let whole = case(*seed, options());
        let kind = |why: &str| {
            why.split(' ')
                .take(3)
                .filter(|w| w.parse::<i64>().is_err())
                .collect::<String>()
        };
        let first = compare(&whole, None, *seed).err();
        // It must go on failing in the same way.
        let fails = |case: &_| {
            compare(case, None, *seed).err().map(|why| kind(&why)) == first.as_deref().map(kind)
        };
        if first.is_some() {
            let small = shrunk(whole.clone(), fails);
            let lines: Vec<String> = small.inputs.iter().map(ToString::to_string).collect();
            let why = compare(&small, None, *seed).err().unwrap_or_default();
            text += &format!(
                "\nThe shortest case of seed {seed}: {why}\n{}\n{}\nuntil {}\n",
                small.farm,
                lines.join("\n"),
                small.until
            );
        }
    }
    text
}
