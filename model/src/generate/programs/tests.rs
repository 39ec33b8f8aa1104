//! What is never generated is never compared.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use crate::Model;
use crate::generate::{Options, case};

/// How many seeds are looked at, and how often each thing must happen in them.
const SEEDS: u64 = 200;
const OFTEN: usize = 5;

type Counts = BTreeMap<String, usize>;

fn count(counts: &mut Counts, what: impl Into<String>) {
    *counts.entry(what.into()).or_default() += 1;
}

/// The kinds of nodes in a document, with those that hold, and how deep it is.
fn nodes(node: &Value, counts: &mut Counts) -> usize {
    for kind in [
        "sensor_type",
        "all",
        "any",
        "not",
        "time",
        "days",
        "dates",
        "rule",
        "device",
    ] {
        if !node[kind].is_null() && node["time"].is_null()
            || kind == "time" && !node[kind].is_null()
        {
            count(counts, format!("node {kind}"));
            if node["hold_sec"].as_i64() > Some(0) {
                count(counts, format!("hold of {kind}"));
            }
        }
    }
    let lists = [&node["all"], &node["any"]]
        .into_iter()
        .filter_map(Value::as_array);
    let below = lists.flatten().chain(node.get("not"));
    1 + below.map(|n| nodes(n, counts)).max().unwrap_or(0)
}

fn watch(seed: u64, counts: &mut Counts) {
    // With limits a part of the inputs is theirs; section 14 has a count of its own.
    let options = Options {
        limits: false,
        ..Options::default()
    };
    let case = case(seed, options);
    let is_program = case.inputs.iter().any(|i| i["input"] == "almanac");
    count(
        counts,
        if is_program {
            "case of version 2"
        } else {
            "case of version 1"
        },
    );
    let mut model = Model::new(&case.farm).unwrap();
    for rule in case.farm["rules"].as_array().into_iter().flatten() {
        let trigger = &rule["trigger"];
        for tree in [
            trigger,
            &rule["stop_condition"],
            &trigger["schedule"]["guard"],
        ] {
            let depth = nodes(tree, counts);
            count(counts, format!("depth {depth}"));
        }
    }
    for input in case.all_inputs() {
        let kind = input["input"].as_str().unwrap_or("").to_owned();
        let rule = &input["rule"];
        let program = super::is_program(rule) && rule.is_object();
        match model.apply(&input) {
            Err(_) if kind == "almanac" || program => count(counts, format!("refused {kind}")),
            Err(_) => {}
            Ok(events) => {
                if kind == "almanac" || program {
                    count(counts, format!("taken {kind}"));
                }
                if input.get("running").is_some() {
                    count(counts, format!("running {}", input["running"]));
                }
                for event in &events {
                    let words = ["event", "reason"].map(|f| event[f].as_str().unwrap_or(""));
                    count(counts, words.join(" "));
                }
            }
        }
        for moment in model.moments() {
            count(counts, format!("{:?}", moment.why));
        }
    }
}

#[test]
fn every_part_of_section_13_happens() {
    let (next, all) = (AtomicU64::new(0), Mutex::new(Counts::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                let mut counts = Counts::new();
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= SEEDS {
                        break;
                    }
                    watch(seed, &mut counts);
                }
                for (what, many) in counts {
                    *all.lock().unwrap().entry(what).or_default() += many;
                }
            });
        }
    });
    let counts = all.into_inner().unwrap();
    let expected = [
        "start_skipped running",
        "start_skipped guard",
        "start_skipped unknown",
        "start_skipped missed",
        "rule_stopped run_ended",
        "rule_stopped stop_condition",
        "rule_stopped trigger_cleared",
        "rule_stopped signal_lost",
        "rule_stopped deactivated",
        "rule_blocked stop_condition",
        "rule_blocked signal_lost",
        "taken almanac",
        "refused almanac",
        "taken rule",
        "refused rule",
        "running true",
        "running false",
        "running null",
        "depth 6",
        "TimeChanges",
        "StartIsDue",
        "CatchUpEnds",
        "RunEnds",
        "ClaimEnds",
        "node sensor_type",
        "node all",
        "node any",
        "node not",
        "node time",
        "node days",
        "node dates",
        "node rule",
        "node device",
        "hold of sensor_type",
        "hold of all",
        "hold of any",
        "hold of not",
        "hold of time",
        "hold of rule",
        "hold of device",
    ];
    let rare: Vec<_> = (expected.iter())
        .map(|what| (*what, counts.get(*what).copied().unwrap_or(0)))
        .filter(|(_, many)| *many < OFTEN)
        .collect();
    assert!(
        rare.is_empty(),
        "too rare in {SEEDS} seeds: {rare:?} of {counts:#?}"
    );
    let of_version_1 = counts["case of version 1"];
    assert!(
        of_version_1 * 4 >= usize::try_from(SEEDS).unwrap(),
        "{of_version_1}"
    );
}
