//! The generated cases contain what they are made for.

use std::collections::BTreeMap;

use super::*;

/// How often what is said in so many cases: effects with their states and words, and the causes of commands.
fn said(cases: u64) -> BTreeMap<String, usize> {
    let mut said = BTreeMap::new();
    for seed in 0..cases {
        let case = case_with_controllers(seed, Options::default());
        let mut farm = Farm::new(&case.farm).unwrap();
        for line in case.all_inputs() {
            for one in farm.apply(&line).unwrap_or_default() {
                let words = ["effect", "state", "reject", "outcome"].map(|f| text(&one, f));
                let words: Vec<String> = words.into_iter().filter(|w| !w.is_empty()).collect();
                let mut word = words.join(" ");
                if let "corrected" | "lock" = text(&one, "cause").as_str() {
                    word = text(&one, "cause");
                }
                *said.entry(word).or_default() += 1;
            }
            if line["lock_kind"] == "keeps_stopping" {
                *said.entry("unlocked".into()).or_default() += 1;
            }
        }
        let kinds = farm.model.devices.values().flat_map(|d| d.locks.keys());
        for (kind, _) in kinds {
            *said.entry(kind.clone()).or_default() += 1;
        }
    }
    said
}

#[test]
fn everything_happens() {
    let said = said(150);
    for (word, least) in [
        ("ack taken", 50),
        ("ack late", 10),
        ("ack foreign", 10),
        ("command confirmed", 50),
        ("command failed", 10),
        ("command superseded", 50),
        ("command timed_out", 50),
        ("controller", 50),
        ("corrected", 100),
        ("keeps_starting", 1),
        ("keeps_stopping", 1),
        ("refused ambiguous", 5),
        ("refused bad_id", 5),
        ("refused other_type", 20),
        ("refused refused", 1),
        ("refused unit", 20),
        ("refused unknown_type", 3),
        ("renew", 50),
        ("repeated", 10),
        ("reported", 100),
    ] {
        assert!(
            said.get(word).is_some_and(|n| *n >= least),
            "{word}: {said:#?}"
        );
    }
}

#[test]
fn a_seed_gives_one_case() {
    let options = Options::default();
    assert_eq!(
        case_with_controllers(7, options),
        case_with_controllers(7, options)
    );
}
