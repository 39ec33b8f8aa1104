//! Simulated hours as files: a journal that is exported and replayed says what the server decided and did.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what is wrong by panicking"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use harit_farm::Farm;
use harit_ingest::export::export;
use harit_ingest::simulation::{Storage, fold};
use harit_journal::JournalFiles;
use harit_sim::day::{Options, setup};
use harit_sim::seeds::{self, report, seeds};
use harit_sim::time::START_MS;
use harit_sim::world::World;
use harit_testkit::Replayed;
use serde_json::{Value, json};

/// How long faults go on, and how long it then takes to come right.
const FAULTS_MS: i64 = 3 * 3_600_000;
const CALM_MS: i64 = 120_000;

/// A folder that is in memory where there is such a place.
fn scratch() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    folder.unwrap()
}

/// The journal's file in a folder as the server has it in its data directory.
fn data_dir(journal: &Path) -> tempfile::TempDir {
    let dir = scratch();
    let generation = dir.path().join("journal/000001");
    fs::create_dir_all(&generation).unwrap();
    for entry in fs::read_dir(journal).unwrap() {
        let entry = entry.unwrap();
        // The index of a write-ahead log is made anew.
        if !entry.file_name().to_string_lossy().ends_with("-shm") {
            fs::copy(entry.path(), generation.join(entry.file_name())).unwrap();
        }
    }
    let current = json!({"generation": 1, "shards": 1}).to_string();
    fs::write(dir.path().join("journal/CURRENT"), current).unwrap();
    dir
}

/// Exports a farm as text, and folds that.
fn replay(dir: &Path, farm: &str) -> Replayed {
    let mut text = Vec::new();
    let exported = export(&JournalFiles::of(dir), farm, &mut text).unwrap();
    let file = serde_json::to_string(&exported.farm).unwrap();
    Replayed::new(&file, std::str::from_utf8(&text).unwrap())
}

/// What a shard's snapshot has of a farm.
fn stored(farm: &Farm) -> Vec<u8> {
    let parts = farm.snapshot().unwrap();
    let with_length = |part: &Vec<u8>| [&(part.len() as u64).to_le_bytes(), &part[..]].concat();
    parts.iter().flat_map(with_length).collect()
}

/// An event of the history, without why an alert ended: that is added for people.
fn without_why(body: &str) -> Value {
    let mut event: Value = serde_json::from_str(body).unwrap();
    if event["event"] == "alert_resolved" {
        event.as_object_mut().unwrap().remove("reason");
    }
    event
}

/// What was there, and must be in the hours of some seed.
#[derive(Debug, Default)]
struct Seen {
    kinds: BTreeSet<String>,
    causes: BTreeSet<String>,
    resent: usize,
    crashes: u64,
}

fn play(seed: u64) -> Result<Seen, String> {
    let folder = scratch();
    let options = Options {
        file: true,
        safety_ms: FAULTS_MS,
        ..Options::default()
    };
    let setup = setup(seed, options, Some(folder.path().to_owned()));
    let mut world = World::new(&setup)?;
    world.run_until(START_MS + FAULTS_MS);
    world.end_faults();
    world.run_until(START_MS + FAULTS_MS + CALM_MS);
    if let Some(wrong) = world.checks.violations.first() {
        return Err(wrong.to_string());
    }
    // Files the history. What it says of the journal is about those in memory: one in a file is folded from its snapshot.
    world.end();
    let crashes = world.totals.crashes;
    let journal: PathBuf = folder.path().join(format!("journal-{crashes}"));
    let dir = data_dir(&journal);
    let mut seen = Seen {
        crashes,
        ..Seen::default()
    };
    let mut state = vec![1];
    for plan in &setup.farms {
        let Replayed {
            farm,
            inputs,
            recorded,
        } = replay(dir.path(), plan.id.as_str());
        seen.kinds.extend(inputs);
        let decided = world.events_of_farm(plan.id.as_str());
        let decided: Vec<Value> = decided.iter().map(|body| without_why(body)).collect();
        let alike = decided
            .iter()
            .zip(&recorded.events)
            .take_while(|(a, b)| a == b);
        let n = alike.count();
        if recorded.events != decided {
            let (a, b) = (decided.get(n), recorded.events.get(n));
            return Err(format!(
                "event {n}: the server says {a:?}, the replay {b:?}"
            ));
        }
        for event in &decided {
            if event["event"] == "command" {
                let id = event["command_id"].as_str().unwrap();
                let life = recorded
                    .lives
                    .get(id)
                    .ok_or_else(|| format!("{id} has no life"))?;
                let cause = event["cause"].as_str().unwrap();
                if life.cause != cause {
                    return Err(format!("{id} is of {cause}, its life of {}", life.cause));
                }
                seen.causes.insert(cause.to_owned());
            }
        }
        seen.resent += recorded.published.values().filter(|n| **n > 1).count();
        state.extend(stored(&farm));
    }
    let folded = fold(&Storage::File(journal)).map_err(|e| e.to_string())?;
    if state != folded {
        return Err("the replay comes to another state than the server".to_owned());
    }
    Ok(seen)
}

#[test]
fn what_is_exported_replays_as_it_was() {
    let all = match seeds::run(seeds("HARIT_INCIDENTS", 24), play) {
        Ok(all) => all,
        Err(failures) => panic!("{}", report("incidents what_is_exported", &failures)),
    };
    let some = |what: fn(&Seen) -> bool| all.iter().filter(|seen| what(seen)).count();
    let counts = [
        some(|s| s.causes.contains("corrected")),
        some(|s| s.kinds.contains("gone")),
        some(|s| s.kinds.contains("ack")),
        some(|s| s.resent > 0),
        some(|s| s.crashes > 0),
    ];
    println!(
        "corrected, gone, acks, resent, crashes: {counts:?} of {}",
        all.len()
    );
    // A seed that was asked for need not have all.
    if all.len() >= 24 {
        assert!(counts.iter().all(|n| *n > 0), "{counts:?}");
    }
}
