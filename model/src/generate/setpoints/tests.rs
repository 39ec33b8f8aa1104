//! What is never generated is never compared.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Model;
use crate::generate::{Options, case, place};

/// How many seeds are looked at, and how often each thing must happen in them.
const SEEDS: u64 = 100;
const OFTEN: usize = 3;

type Counts = BTreeMap<String, usize>;

fn count(counts: &mut Counts, what: impl Into<String>) {
    *counts.entry(what.into()).or_default() += 1;
}

fn watch(seed: u64, counts: &mut Counts) {
    let case = case(seed, Options::default());
    let setpoints = &case.farm["farm"]["settings"]["setpoints"];
    if place(seed, Options::default()).is_some() {
        count(counts, "case with programs");
    }
    if setpoints.is_null() {
        return;
    }
    count(counts, "case with setpoints");
    if setpoints.to_string().contains("ramp_days") {
        count(counts, "ramp of days");
    }
    let mut model = Model::new(&case.farm).unwrap();
    for input in case.all_inputs() {
        let text = input.to_string();
        let words = ["curve", "setpoints", "setpoint"].into_iter();
        let words = words.filter(|word| text.contains(&format!("\"{word}\":")));
        let taken = model.apply(&input);
        let verdict = if taken.is_ok() { "taken" } else { "refused" };
        words.for_each(|word| count(counts, format!("{verdict} {word}")));
        for event in taken.unwrap_or_default() {
            events_of(&event, counts);
        }
        for moment in model.moments() {
            count(counts, format!("{:?}", moment.why));
        }
        for claim in model.devices.values().flat_map(|d| &d.claims) {
            let following = claim.following.as_ref();
            count(
                counts,
                match following.map(|f| f.reference.is_some()) {
                    None => "claim that does not follow",
                    Some(true) => "claim that follows",
                    Some(false) => "claim without its signal",
                },
            );
        }
        for id in model.setpoints.keys() {
            let now = model.clock().unwrap_or(0);
            let is_known = model.setpoint_value(id, now).is_some();
            count(counts, format!("setpoint known {is_known}"));
        }
    }
}

fn events_of(event: &Value, counts: &mut Counts) {
    let rule = event["rule"].as_str().or(event["cause"].as_str());
    if let Some(kind) = rule
        .and_then(|id| id.get(..1))
        .filter(|k| ["c", "t"].contains(k))
    {
        count(
            counts,
            format!("{} {kind}", event["event"].as_str().unwrap_or("")),
        );
    }
}

#[test]
fn every_part_of_sections_15_and_16_happens() {
    let mut counts = Counts::new();
    (0..SEEDS).for_each(|seed| watch(seed, &mut counts));
    let expected = [
        "ramp of days",
        "taken curve",
        "taken setpoint",
        "taken setpoints",
        "refused curve",
        "refused setpoint",
        "refused setpoints",
        "SetpointSteps",
        "CurveWaited",
        "claim that follows",
        "claim without its signal",
        "setpoint known true",
        "setpoint known false",
        "command c",
        "command t",
        "rule_stopped t",
    ];
    let rare: Vec<_> = (expected.iter())
        .map(|what| (*what, counts.get(*what).copied().unwrap_or(0)))
        .filter(|(_, many)| *many < OFTEN)
        .collect();
    assert!(
        rare.is_empty(),
        "too rare in {SEEDS} seeds: {rare:?} of {counts:#?}"
    );
    let (some, all) = (counts["case with setpoints"], counts["case with programs"]);
    assert!(
        some * 100 >= all * 25 && some * 100 <= all * 55,
        "{some} of {all}"
    );
}
