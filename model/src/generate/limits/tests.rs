//! What is never generated is never compared.

use std::collections::BTreeMap;

use crate::generate::{Options, case, case_with_controllers};
use crate::{Farm, Model};

/// How many seeds are looked at, and how often each thing must happen in them.
const SEEDS: u64 = 160;
const OFTEN: usize = 3;

type Counts = BTreeMap<String, usize>;

fn count(counts: &mut Counts, what: impl Into<String>) {
    *counts.entry(what.into()).or_default() += 1;
}

fn watch(seed: u64, counts: &mut Counts) {
    let case = case(seed, Options::default());
    let has_limits = !case.farm["farm"]["settings"]["groups"].is_null();
    count(
        counts,
        if has_limits {
            "case with limits"
        } else {
            "case without limits"
        },
    );
    let mut model = Model::new(&case.farm).unwrap();
    for input in case.all_inputs() {
        let is_of_limits =
            input.to_string().contains("limits") || input.to_string().contains("groups");
        match model.apply(&input) {
            Err(_) if is_of_limits => count(counts, "refused registry"),
            Err(_) => {}
            Ok(events) => {
                if is_of_limits {
                    count(counts, "taken registry");
                }
                for event in &events {
                    let words = ["event", "reason"].map(|f| event[f].as_str().unwrap_or(""));
                    count(counts, words.join(" "));
                    if event["cause"] == "limit" {
                        count(counts, "cause limit");
                    }
                    let held = event["event"] == "command_held" && event["cause"] == "rest";
                    let starts = !["min_on", "needed"].contains(&words[1]);
                    if held && starts {
                        count(counts, "rest is held");
                    }
                }
            }
        }
        for moment in model.moments() {
            count(counts, format!("{:?}", moment.why));
        }
    }
}

#[test]
fn every_part_of_section_14_happens() {
    let mut counts = Counts::new();
    (0..SEEDS).for_each(|seed| watch(seed, &mut counts));
    let expected = [
        "command_held min_on",
        "command_held needed",
        "command_held min_off",
        "command_held starts",
        "command_held group",
        "command_held needs",
        "command_held budget",
        "limit_reached budget",
        "limit_reached needs",
        "command_suppressed min_off",
        "command_suppressed starts",
        "command_suppressed needs",
        "command_suppressed budget",
        "command_refused min_off",
        "command_refused starts",
        "command_refused group",
        "command_refused needs",
        "command_refused budget",
        "command_held hours",
        "limit_reached hours",
        "command_suppressed hours",
        "command_refused hours",
        "cause limit",
        "rest is held",
        "taken registry",
        "refused registry",
        "LimitEnds",
    ];
    let rare: Vec<_> = (expected.iter())
        .map(|what| (*what, counts.get(*what).copied().unwrap_or(0)))
        .filter(|(_, many)| *many < OFTEN)
        .collect();
    assert!(
        rare.is_empty(),
        "too rare in {SEEDS} seeds: {rare:?} of {counts:#?}"
    );
    let without = counts["case without limits"];
    assert!(without * 3 >= usize::try_from(SEEDS).unwrap(), "{without}");
}

#[test]
fn farms_with_controllers_have_limits_too() {
    let mut counts = Counts::new();
    for seed in 0..60 {
        let case = case_with_controllers(seed, Options::default());
        let mut farm = Farm::new(&case.farm).unwrap();
        for line in case.all_inputs() {
            for said in farm.apply(&line).unwrap_or_default() {
                let words = ["event", "reason"].map(|f| said[f].as_str().unwrap_or(""));
                count(&mut counts, words.join(" "));
            }
        }
    }
    for what in [
        "limit_reached needs",
        "command_held needs",
        "command_held needed",
    ] {
        assert!(
            counts.get(what).copied() >= Some(OFTEN),
            "{what}: {counts:#?}"
        );
    }
}
