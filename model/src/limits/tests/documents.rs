//! What is malformed.

use serde_json::{Value, json};

use super::*;

fn document(groups: &Value, devices: &Value) -> Value {
    json!({"farm": {"id": "f", "name": "Farm", "settings": {"groups": groups}}, "devices": devices})
}

fn device(id: &str, limits: &Value) -> Value {
    json!({"id": id, "type": "fan", "scope": {"type": "farm"}, "limits": limits})
}

fn groups() -> Value {
    json!([{"id": "g", "name": "G", "at_most": 1}])
}

fn is_taken(limits: &Value) -> bool {
    let devices = json!([device("a", limits), device("b", &json!(null))]);
    Model::new(&document(&groups(), &devices)).is_ok()
}

#[test]
fn every_field_has_its_range() {
    let good = [
        json!(null),
        json!({}),
        json!({"min_on_sec": null, "groups": null, "needs": null, "ml_per_day": null}),
        json!({"min_on_sec": 1, "min_off_sec": 3_600, "starts_per_hour": 60, "groups": ["g"]}),
        json!({"needs": {"any": ["b"]}}),
        json!({"needs": {"any": ["b"], "for_sec": 60}}),
        json!({"sec_per_day": 86_400, "ml_per_day": 100_000_000, "ml_per_sec": 10_000}),
        json!({"ml_per_day": 0.000001, "ml_per_sec": 0.000001}),
        json!({"ml_per_sec": 4}),
    ];
    for limits in good {
        assert!(is_taken(&limits), "{limits}");
    }
    let bad = [
        json!("none"),
        json!({"min_on_sec": 0}),
        json!({"min_on_sec": 3_601}),
        json!({"min_off_sec": 0}),
        json!({"min_off_sec": 3_601}),
        json!({"min_off_sec": 1.5}),
        json!({"starts_per_hour": 0}),
        json!({"starts_per_hour": 61}),
        json!({"groups": []}),
        json!({"groups": ["g", "g"]}),
        json!({"groups": ["h"]}),
        json!({"groups": "g"}),
        json!({"needs": {}}),
        json!({"needs": {"any": []}}),
        json!({"needs": {"any": ["b", "b"]}}),
        json!({"needs": {"any": ["c"]}}),
        json!({"needs": {"any": ["a"]}}),
        json!({"needs": {"any": ["b"], "for_sec": 61}}),
        json!({"needs": {"any": ["b"], "for_sec": -1}}),
        json!({"sec_per_day": 0}),
        json!({"sec_per_day": 86_401}),
        json!({"ml_per_day": 5}),
        json!({"ml_per_day": 0, "ml_per_sec": 1}),
        json!({"ml_per_day": 100_000_001, "ml_per_sec": 1}),
        json!({"ml_per_sec": 0}),
        json!({"ml_per_sec": 10_001}),
    ];
    for limits in bad {
        assert!(!is_taken(&limits), "{limits}");
    }
}

#[test]
fn groups_are_few_and_each_is_one() {
    let of = |groups: &Value| Model::new(&document(groups, &json!([]))).is_ok();
    let group = |id: &str, n: i64| json!({"id": id, "name": "G", "at_most": n});
    let many = |n: usize| {
        let all = (0..n).map(|n| group(&format!("g{n}"), 1));
        json!(all.collect::<Vec<_>>())
    };
    assert!(of(&json!(null)) && of(&json!([])) && of(&many(64)) && of(&json!([group("g", 100)])));
    assert!(!of(&many(65)));
    assert!(!of(&json!([group("g", 0)])) && !of(&json!([group("g", 101)])));
    assert!(!of(&json!([group("g", 1), group("g", 2)])));
    assert!(!of(&json!({"g": 1})));
}

#[test]
fn what_is_named_stays_and_nothing_needs_itself() {
    let devices = json!([
        device("a", &json!({"needs": {"any": ["b"]}, "groups": ["g"]})),
        device("b", &json!({"needs": {"any": ["c"]}})),
        device("c", &json!(null)),
    ]);
    let model = Model::new(&document(&groups(), &devices)).unwrap();
    let is_taken = |changes: Value| {
        let input = json!({"at": 0, "input": "registry", "changes": changes});
        model.clone().apply(&input).is_ok()
    };
    assert!(!is_taken(json!([{"delete_device": "c"}])));
    assert!(!is_taken(json!([{"settings": {"min_samples": 2}}])));
    let needs = |id: &str| device("c", &json!({"needs": {"any": [id]}}));
    assert!(!is_taken(json!([{"put_device": needs("a")}])));
    assert!(!is_taken(json!([{"put_device": needs("c")}])));
    assert!(!is_taken(json!([{"put_device": needs("d")}])));
    let free = |id: &str| device(id, &json!(null));
    assert!(is_taken(
        json!([{"delete_device": "c"}, {"put_device": free("b")}])
    ));
    assert!(is_taken(
        json!([{"settings": {"min_samples": 2}}, {"put_device": free("a")}])
    ));
    // The farm's document is looked at as a whole as well.
    let circle = json!([
        device("a", &json!({"needs": {"any": ["b"]}})),
        device("b", &json!({"needs": {"any": ["a"]}})),
    ]);
    assert!(Model::new(&document(&groups(), &circle)).is_err());
}

#[test]
fn no_rule_is_named_like_the_cause() {
    let rule = json!({"id": "limit", "scope": {"type": "farm"}});
    let farm = json!({"farm": {"id": "f", "name": "F"}, "rules": [rule]});
    assert!(Model::new(&farm).unwrap_err().0.contains("cause"));
}
