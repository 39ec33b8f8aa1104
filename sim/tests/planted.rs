//! The harness notices: each deliberate mistake in engine or server is found by at least one suite within a bounded number
//! of seeds. Run with `cargo test -p harit-sim --features planted-bugs --test planted -- --nocapture`.
//!
//! `HARIT_PLANTED=all` lets every suite look for every mistake, and prints who found what with how many seeds.
#![cfg(feature = "planted-bugs")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test says what is wrong by panicking"
)]

use std::sync::Mutex;

use harit_engine::planted::{Bug, plant};
use harit_engine::{Engine, FarmDocument};
use harit_model::generate::{Options as Inputs, case};
use harit_scenarios::{Manner, play};
use harit_sim::seeds::guarded;
use harit_sim::{crash, day, neighbours, oracle, takeover};
use serde_json::Value;

/// Days and crash points are made of small messages.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A suite: its name, how many seeds it may take, and what it says of one.
type Suite = (&'static str, u64, fn(u64) -> Result<(), String>);

const SUITES: [Suite; 6] = [
    ("days", 60, a_day),
    ("crash points", 8, crash_points),
    ("takeovers", 8, takeovers),
    ("neighbours", 20, neighbour),
    ("differential", 2_000, differential),
    ("scenarios", 1, scenarios),
];

fn a_day(seed: u64) -> Result<(), String> {
    let options = day::Options {
        safety_ms: 4 * 3_600_000,
        ..day::Options::default()
    };
    day::run(seed, options).map(|_| ())
}

fn crash_points(seed: u64) -> Result<(), String> {
    crash::explore(seed, 60, false, false).map(|_| ())
}

fn takeovers(seed: u64) -> Result<(), String> {
    takeover::explore(seed, 60, false).map(|_| ())
}

fn neighbour(seed: u64) -> Result<(), String> {
    neighbours::alike(seed).map(|_| ())
}

fn differential(seed: u64) -> Result<(), String> {
    let case = case(seed, Inputs::default());
    let document = FarmDocument::from_json(&case.farm).map_err(|e| e.to_string())?;
    let mut engine = Engine::new(&document).map_err(|e| e.to_string())?;
    let (mut events, mut inputs) = (Vec::new(), Vec::new());
    for json in case.all_inputs() {
        if let Ok(input) = harit_protocol::jsonl::parse(&json.to_string())
            && engine.apply(&input, &mut events).is_ok()
        {
            inputs.push(json);
        }
    }
    let said: Vec<Value> = events
        .iter()
        .map(|e| serde_json::to_value(e).unwrap())
        .collect();
    oracle::compare(&case.farm, &inputs, &said)
}

fn scenarios(_: u64) -> Result<(), String> {
    for path in harit_scenarios::files().unwrap() {
        let story = harit_scenarios::read(&std::fs::read_to_string(&path).unwrap())
            .map_err(|w| format!("{}: {}", w.line, w.what))?;
        for manner in Manner::ALL {
            if let Some(wrong) = play(&story, manner, &mut |_, _| {}).first() {
                return Err(format!("{}:{}: {}", path.display(), wrong.line, wrong.what));
            }
        }
    }
    Ok(())
}

/// The checker's name, as far as a failure has one.
fn checker(why: &str) -> String {
    why.split(" at ")
        .next()
        .unwrap_or("")
        .chars()
        .take(40)
        .collect()
}

/// Who found a mistake, with how many seeds.
fn find(bug: Bug, all: bool) -> Vec<(&'static str, u64, String)> {
    let mut found = Vec::new();
    plant(Some(bug));
    // Most are found at once by one suite or another: a few seeds of each come before all seeds of the first.
    let rounds: &[u64] = if all { &[1] } else { &[12, 1] };
    'found: for part in rounds {
        for (name, bound, suite) in SUITES {
            let seeds = 0..bound.div_ceil(*part);
            let hit = { seeds }.find_map(|s| guarded(|| suite(s)).err().map(|why| (s, why)));
            if let Some((seed, why)) = hit {
                found.push((name, seed + 1, checker(&why)));
                if !all {
                    break 'found;
                }
            }
        }
    }
    plant(None);
    found
}

#[test]
fn every_planted_bug_is_found() {
    std::panic::set_hook(Box::new(|_| {}));
    let all = std::env::var("HARIT_PLANTED").is_ok_and(|v| v == "all");
    let one = std::env::var("HARIT_BUG").ok();
    let bugs: Vec<Bug> = Bug::ALL
        .iter()
        .copied()
        .filter(|b| one.as_ref().is_none_or(|o| *o == format!("{b:?}")))
        .collect();
    let next = Mutex::new(bugs.clone());
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(bug) = { next.lock().unwrap().pop() } {
                    let found = find(bug, all);
                    println!("{bug:?}: {found:?}");
                    results.lock().unwrap().push((bug, found));
                }
            });
        }
    });
    let _ = std::panic::take_hook();
    let mut results = results.into_inner().unwrap();
    results.sort();
    for (bug, found) in &results {
        let by: Vec<String> = found
            .iter()
            .map(|(suite, seeds, checker)| format!("{suite} ({checker}) in {seeds}"))
            .collect();
        println!("{bug:?} | {}", by.join("; "));
    }
    let missed: Vec<Bug> = results
        .iter()
        .filter(|(_, f)| f.is_empty())
        .map(|(b, _)| *b)
        .collect();
    assert!(Bug::ALL.len() >= 20 && results.len() == bugs.len());
    assert!(missed.is_empty(), "nobody noticed {missed:?}");
}

/// Without a mistake the suites find nothing: else they would prove nothing.
#[test]
fn nothing_is_found_where_nothing_is_planted() {
    plant(None);
    for seed in 0..3 {
        for (name, _, suite) in SUITES {
            assert_eq!(suite(seed), Ok(()), "{name} {seed}");
        }
    }
}
