//! Documents of trees, schedules and setpoints: how large they may be, and that what is not said is not stored.

use harit_engine::{FarmDocument, RuleSpec};
use serde_json::{Value, json};

use crate::{farm, paths, rule, with};

fn hot() -> Value {
    json!({"sensor_type": "temperature", "operator": "gt", "value": 35})
}

fn triggered(trigger: Value) -> Result<RuleSpec, harit_engine::Problems> {
    RuleSpec::from_json(&with(rule(), &[("/trigger", trigger)]))
}

/// What is wrong with it; nothing if it is right.
fn wrong(trigger: Value) -> Vec<String> {
    let problems = triggered(trigger).err().unwrap_or_default();
    let all = paths(&problems).into_iter();
    all.map(|(path, code)| format!("{path} {code}")).collect()
}

#[test]
fn the_comparisons_of_a_tree_are_found_at_every_depth() {
    let tree = json!({"all": [hot(), {"not": {"any": [hot(), {"days": ["mon"]}]}}]});
    let spec = triggered(tree).unwrap();
    let values: Vec<_> = { spec.trigger.conditions().into_iter() }
        .map(|c| c.sensor_type.as_str())
        .collect();
    assert_eq!(values, ["temperature", "temperature"]);
}

#[test]
fn a_tree_is_as_large_as_it_may_be_and_no_larger() {
    let leaves = |n: usize| json!({"all": vec![hot(); n]});
    let of = |a: usize, b: usize| json!({"any": [leaves(a), leaves(b)]});
    assert_eq!(wrong(of(15, 14)), [""; 0]);
    assert_eq!(wrong(of(15, 15)), ["trigger too_many"]);
    let nested = |levels: usize| (0..levels).fold(hot(), |tree, _| json!({"all": [tree]}));
    assert_eq!(wrong(nested(5)), [""; 0]);
    let too_deep = wrong(nested(6));
    assert_eq!(too_deep.len(), 1, "{too_deep:?}");
    assert!(too_deep[0].ends_with(" too_deep"), "{too_deep:?}");
}

#[test]
fn a_schedule_has_at_most_24_moments() {
    let at = |n: usize| {
        let moments: Vec<_> = (0..n)
            .map(|n| format!("{:02}:{:02}", n / 2, n % 2))
            .collect();
        json!({"schedule": {"at": moments}})
    };
    let runs = |n: usize| {
        let changes = [("/trigger", at(n)), ("/run_sec", json!(60))];
        let problems = RuleSpec::from_json(&with(rule(), &changes)).err();
        paths(&problems.unwrap_or_default()).len()
    };
    assert_eq!((runs(23), runs(24), runs(25)), (0, 0, 1));
    assert_eq!(wrong(at(25))[0], "trigger.schedule.at too_many");
}

#[test]
fn an_offset_from_a_setpoint_has_its_range_to_both_sides() {
    let by = |offset: i64| json!({"all": [{"sensor_type": "temperature", "operator": "gt", "setpoint": "day", "offset": offset}]});
    assert_eq!(wrong(by(-1_000_000)), [""; 0]);
    assert_eq!(wrong(by(1_000_000)), [""; 0]);
    let problems = triggered(by(-1_000_001)).unwrap_err();
    assert!(
        problems.to_string().contains("-1000000 to 1000000"),
        "{problems}"
    );
}

#[test]
fn what_is_not_said_is_not_stored() {
    let stored = |trigger: Value| {
        let changes = [("/trigger", trigger), ("/run_sec", json!(60))];
        let spec = RuleSpec::from_json(&with(rule(), &changes)).unwrap();
        serde_json::to_value(&spec).unwrap()["trigger"].clone()
    };
    let tree = json!({"all": [hot(), {"days": ["mon"]}]});
    assert_eq!(stored(tree.clone())["all"][1], json!({"days": ["mon"]}));
    assert_eq!(stored(tree).get("hold_sec"), None);
    let daily = stored(json!({"schedule": {"at": ["06:00"]}}));
    assert_eq!(daily["schedule"].get("days"), None);
    let monday = stored(json!({"schedule": {"at": ["06:00"], "days": ["mon"]}}));
    assert_eq!(monday["schedule"]["days"], json!(["mon"]));

    let course = |ramp: Value| json!([{"at": "06:00", "value": 24, "ramp_min": ramp}]);
    let setpoint = |id: &str, ramp: Value| json!({"id": id, "name": "Day", "sensor_type": "temperature", "course": course(ramp)});
    let setpoints = json!([setpoint("a", json!(0)), setpoint("b", json!(30))]);
    let document = with(
        farm(),
        &[("/farm/settings", json!({"setpoints": setpoints}))],
    );
    let document = FarmDocument::from_json(&document).unwrap();
    let stored = serde_json::to_value(&document).unwrap();
    let point = |n: usize| &stored["farm"]["settings"]["setpoints"][n]["course"][0];
    assert_eq!(point(0).get("ramp_min"), None, "{}", point(0));
    assert_eq!(point(1)["ramp_min"], 30);
}
