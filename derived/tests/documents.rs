//! Documents: what is wrong with them, and circles.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

use harit_derived::{Definition, Document, Kind, MAX_INPUTS, Problem, circle};
use harit_engine::{Duration, ScopeSpec};
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(document: &Value) -> Result<Definition, Vec<Problem>> {
    let document: Document = serde_json::from_value(document.clone()).expect("a document");
    Definition::new("d".into(), &document, Duration::from_secs(900))
}

fn paths(document: &Value) -> Vec<String> {
    let problems = read(document).expect_err("it is wrong");
    problems.into_iter().map(|p| p.path).collect()
}

#[test]
fn all_that_is_wrong_is_said_with_its_place() {
    let zone = json!({"type": "zone", "zoneId": "z1", "polyhouseId": "p1"});
    let signal = |t: &str| json!({"scope": zone, "type": t});
    for (document, expected) in [
        (
            json!({"kind": "vpd", "scope": zone, "inputs": {"temperature": signal("ph"), "warmth": signal("ph")}}),
            vec!["inputs.warmth", "inputs.temperature"],
        ),
        (
            json!({"kind": "time_above", "scope": zone}),
            vec!["inputs.input", "constants.threshold"],
        ),
        (
            json!({"kind": "degree_days", "scope": zone, "constants": {"base": 20, "upper": 15}}),
            vec!["constants.upper"],
        ),
        (
            json!({"kind": "degree_days", "scope": zone, "constants": {"base": 2000}}),
            vec!["constants.base", "constants.upper"],
        ),
        (
            json!({"kind": "wet_bulb", "scope": zone, "constants": {"presure": 90}, "interval_sec": 0}),
            vec!["constants.presure", "interval_sec"],
        ),
        (
            json!({"kind": "vpd", "scope": zone, "type": "temperature", "formula": "1"}),
            vec!["type", "formula"],
        ),
        (
            json!({"kind": "formula", "scope": zone, "type": "temperature", "inputs": {"2t": signal("ph")}, "formula": "1"}),
            vec!["inputs.2t", "type"],
        ),
        (
            json!({"kind": "formula", "scope": zone}),
            vec!["inputs", "formula"],
        ),
        (
            json!({"kind": "formula", "scope": zone, "inputs": {"t": signal("ph")}, "constants": {"t": 1}, "formula": "t"}),
            vec!["constants.t"],
        ),
    ] {
        assert_eq!(paths(&document), expected, "{document}");
    }
    let inputs: serde_json::Map<_, _> =
        { (0..=MAX_INPUTS).map(|n| (format!("i{n}"), signal("ph"))) }.collect();
    let document = json!({"kind": "formula", "scope": zone, "inputs": inputs, "formula": "i0"});
    assert_eq!(paths(&document), ["inputs"]);
    let wrong = json!({"kind": "formula", "scope": zone, "inputs": {"t": signal("ph")}, "formula": "t +\n foo(t)"});
    let problems = read(&wrong).unwrap_err();
    assert_eq!(problems[0].at, Some((2, 2)));
    // a mistake that only shows where the other branch is taken
    let wrong = json!({"kind": "formula", "scope": zone, "inputs": {"t": signal("ph")}, "formula": "if t > 13 { foo(t) } else { t }"});
    assert_eq!(paths(&wrong), ["formula"]);
}

fn number(name: &str, scope: &Value, inputs: &Value) -> (Definition, ScopeSpec) {
    let document = json!({"kind": "difference", "scope": scope, "inputs": inputs});
    let document: Document = serde_json::from_value(document).unwrap();
    let made = Definition::new(name.into(), &document, Duration::from_secs(900));
    (made.expect("it is sound"), document.scope)
}

#[test]
fn circles_are_found_and_chains_are_not() {
    let farm = json!({"type": "farm"});
    let zone = |z: &str, p: &str| json!({"type": "zone", "zoneId": z, "polyhouseId": p});
    let of = |id: &str| json!({"sensor": id});
    let found = |all: &[(Definition, ScopeSpec)]| {
        let all: Vec<_> = all.iter().map(|(d, s)| (d, s)).collect();
        circle(&all)
    };
    let chain = [
        number("c", &farm, &json!({"a": of("b"), "b": of("t")})),
        number("b", &farm, &json!({"a": of("a"), "b": of("t")})),
        number("a", &farm, &json!({"a": of("t"), "b": of("t")})),
    ];
    assert_eq!(found(&chain), None);
    let ring = [
        number("x", &farm, &json!({"a": of("t"), "b": of("a")})),
        number("a", &farm, &json!({"a": of("b"), "b": of("t")})),
        number("b", &farm, &json!({"a": of("c"), "b": of("t")})),
        number("c", &farm, &json!({"a": of("a"), "b": of("t")})),
    ];
    assert_eq!(found(&ring), Some(vec![3, 2, 1]));
    let itself = [number("a", &farm, &json!({"a": of("a"), "b": of("t")}))];
    assert_eq!(found(&itself), Some(vec![0]));
    // a signal has what lies in its place, and may be that of the place around
    let signal = |scope: Value| json!({"a": {"scope": scope, "type": "number"}, "b": of("t")});
    for (place, named, is_circle) in [
        (zone("z1", "p1"), zone("z1", "p1"), true),
        (zone("z1", "p1"), farm.clone(), true),
        (farm.clone(), zone("z1", "p1"), true),
        (zone("z1", "p1"), zone("z2", "p1"), false),
        (
            zone("z1", "p1"),
            json!({"type": "polyhouse", "polyhouseId": "p1"}),
            true,
        ),
        (
            zone("z1", "p1"),
            json!({"type": "polyhouse", "polyhouseId": "p2"}),
            false,
        ),
    ] {
        let one = [number("a", &place, &signal(named.clone()))];
        assert_eq!(found(&one).is_some(), is_circle, "{place} {named}");
    }
}

proptest! {
    /// No input makes a panic, a value that is not finite, or one that its sensor's type cannot have; a dew point and a wet bulb are
    /// never above the temperature.
    #[test]
    fn values_are_sound(t in prop_oneof![-60.0..100.0_f64, any::<f64>()], h in prop_oneof![-5.0..105.0_f64, any::<f64>()]) {
        for kind in Kind::ALL {
            if kind == Kind::Formula || kind.constants().iter().any(|c| c.default.is_none()) {
                continue;
            }
            let any: serde_json::Map<_, _> = kind.inputs().iter().filter(|i| i.types.is_empty())
                .map(|i| (i.name.to_owned(), json!({"sensor": "s"}))).collect();
            let definition = read(&json!({"kind": kind, "scope": {"type": "farm"}, "inputs": any})).unwrap();
            if let Some(value) = definition.value(&[t, h]).unwrap() {
                let (min, max) = definition.sensor_type().plausible_range();
                let value = value.to_f64();
                prop_assert!(value.is_finite() && value >= min as f64 && value <= max as f64);
                if matches!(kind, Kind::DewPoint | Kind::WetBulb) {
                    prop_assert!(value <= t + 1e-6, "{value} above {t}");
                }
            }
        }
    }

    /// Whatever people type as a formula is read or refused; what it computes is a finite number or nothing.
    #[test]
    fn formulas_never_panic(text in "[th0-9+\\-*/%() .<>=!&|{};,a-z\\[\\]#\"']{0,60}", t in any::<f64>()) {
        let names = std::collections::BTreeSet::from(["t", "h"]);
        if let Ok(formula) = harit_derived::Formula::new(&text, &names)
            && let Ok(Some(value)) = formula.value([("t", t), ("h", 1.0)].into_iter()) {
            prop_assert!(value.is_finite());
        }
    }
}
