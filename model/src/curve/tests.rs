//! Section 16; what is expected is worked out from the page.

use serde_json::{Value, json};

use crate::Model;

const DAY: i64 = 86_400_000;
/// Midnight of Thursday, 2025-10-09, where the clock is that of UTC.
const THURSDAY: i64 = 20_370 * DAY;

fn curve() -> Value {
    json!({"sensor_type": "temperature", "points": [[20, 0], [30, 100]], "dead_band": 1, "step": 10})
}

fn with(doc: &Value, more: &Value) -> Value {
    let mut doc = doc.clone();
    let all = doc.as_object_mut().unwrap();
    all.extend(more.as_object().unwrap().clone());
    doc
}

/// A vent at 30 % that follows a curve from 00:01 on, for a rule with more fields and an action with more.
fn rule(curve: &Value, of_action: &Value, of_rule: &Value) -> Value {
    let action = json!({"device_id": "vent", "command": {"action": "set_position", "value": 30}, "curve": curve});
    let rule = json!({"id": "r", "deployed": true, "scope": {"type": "farm"}, "run_sec": 86_000,
        "trigger": {"schedule": {"at": ["00:01"]}}, "actions": [with(&action, of_action)]});
    with(&rule, of_rule)
}

/// A farm with this rule, whose day is known.
fn farm(rule: &Value) -> Model {
    let setpoint = json!({"id": "air", "sensor_type": "temperature",
        "course": [{"at": "00:00", "value": 20}, {"at": "00:10", "value": 25}]});
    let mut model = Model::new(&json!({
        "farm": {"id": "f", "name": "Farm", "settings": {"min_samples": 1, "setpoints": [setpoint]}},
        "sensors": [{"id": "t", "type": "temperature", "scope": {"type": "farm"}, "stale_after_sec": 10_000_000}],
        "devices": [{"id": "vent", "type": "vent", "scope": {"type": "farm"}}],
        "rules": [rule],
    }))
    .unwrap();
    let day = json!({"date": "2025-10-09", "from": THURSDAY, "to": THURSDAY + DAY, "offset": 0});
    apply(&mut model, 0, json!({"input": "almanac", "days": [day]}));
    model
}

/// What a vent is told: when, and to which value.
fn apply(model: &mut Model, second: i64, mut input: Value) -> Vec<String> {
    input["at"] = json!(THURSDAY + second * 1_000);
    let events = model.apply(&input).unwrap();
    let commands = events.iter().filter(|e| e["event"] == "command");
    let line = |e: &Value| {
        let at = (e["at"].as_i64().unwrap() - THURSDAY) / 1_000;
        format!("{at} {} {}", e["action"].as_str().unwrap(), e["value"])
    };
    commands.map(line).collect()
}

fn reading(model: &mut Model, second: i64, value: f64) -> Vec<String> {
    apply(
        model,
        second,
        json!({"input": "reading", "sensor": "t", "value": value}),
    )
}

fn fault(model: &mut Model, second: i64) -> Vec<String> {
    apply(
        model,
        second,
        json!({"input": "reading", "sensor": "t", "value": null}),
    )
}

fn tick(model: &mut Model, second: i64) -> Vec<String> {
    apply(model, second, json!({"input": "tick"}))
}

fn next(model: &Model) -> i64 {
    (model.next_deadline().unwrap() - THURSDAY) / 1_000
}

#[test]
fn the_setting_moves_once_the_signal_has_left_the_dead_band() {
    let mut model = farm(&rule(&curve(), &json!({}), &json!({})));
    reading(&mut model, 0, 24.0);
    assert_eq!(tick(&mut model, 60), ["60 set_position 40"]);
    assert_eq!(
        reading(&mut model, 200, 25.0),
        [""; 0],
        "as far as the dead band"
    );
    // 50.00001 % is 50 in steps of 10.
    assert_eq!(
        reading(&mut model, 201, 25.000_001),
        ["201 set_position 50"]
    );
    assert_eq!(reading(&mut model, 300, 23.9), ["300 set_position 40"]);
}

#[test]
fn a_change_waits_for_the_least_time() {
    let mut model = farm(&rule(&curve(), &json!({}), &json!({})));
    reading(&mut model, 0, 24.0);
    tick(&mut model, 60);
    assert_eq!(reading(&mut model, 70, 28.0), [""; 0]);
    assert_eq!(next(&model), 120);
    assert_eq!(reading(&mut model, 80, 24.5), [""; 0]);
    assert!(next(&model) > 120, "nothing waits any more");
    reading(&mut model, 90, 27.0);
    assert_eq!(
        tick(&mut model, 120),
        ["120 set_position 70"],
        "as it is then"
    );
    assert_eq!(
        reading(&mut model, 180, 20.0),
        ["180 set_position 0"],
        "60 s later"
    );
}

#[test]
fn the_least_time_counts_from_the_last_other_setting() {
    let narrow = with(&curve(), &json!({"dead_band": 0.1}));
    let mut model = farm(&rule(&narrow, &json!({}), &json!({})));
    reading(&mut model, 0, 21.0);
    assert_eq!(tick(&mut model, 60), ["60 set_position 10"]);
    // 13 % is 10 too: the reference moves, the setting does not.
    assert_eq!(reading(&mut model, 200, 21.3), [""; 0]);
    assert_eq!(reading(&mut model, 210, 22.0), ["210 set_position 20"]);
}

#[test]
fn without_the_signal_the_commands_own_value_is_set_at_once() {
    let mut model = farm(&rule(&curve(), &json!({}), &json!({})));
    assert_eq!(tick(&mut model, 60), ["60 set_position 30"]);
    assert_eq!(reading(&mut model, 61, 24.0), ["61 set_position 40"]);
    fault(&mut model, 62);
    assert_eq!(fault(&mut model, 63), ["63 set_position 30"]);
    assert_eq!(reading(&mut model, 64, 24.1), ["64 set_position 40"]);
    // What is set when the signal is known again is a change: the next waits.
    assert_eq!(reading(&mut model, 100, 30.0), [""; 0]);
    assert_eq!(next(&model), 124);
}

#[test]
fn values_are_rounded_to_the_step_and_then_kept_within_the_points() {
    for (points, step, x, y) in [
        (json!([[0, 5], [10, 95]]), 10.0, 0.0, "10"),
        (json!([[0, 5], [10, 95]]), 10.0, -5.0, "10"),
        (json!([[0, 5], [10, 95]]), 10.0, 10.0, "95"),
        // 24.5 % is three and a half steps of 7.
        (json!([[0, 0], [10, 100]]), 7.0, 2.45, "28"),
        (json!([[0, 100], [10, 0]]), 1.0, 2.0, "80"),
        (json!([[0, 0], [5, 80], [10, 0]]), 1.0, 5.0, "80"),
        (json!([[0, 0], [5, 80], [10, 0]]), 1.0, 7.5, "40"),
        // A third of 100 is 33.333333 %.
        (json!([[0, 0], [3, 100]]), 1.0, 1.0, "33"),
        (json!([[0, 0], [10, 100]]), 2.5, 1.2, "12.5"),
    ] {
        let shape = json!({"sensor_type": "temperature", "points": points, "step": step});
        let mut model = farm(&rule(&shape, &json!({}), &json!({})));
        reading(&mut model, 0, x);
        let sent = tick(&mut model, 60);
        assert_eq!(
            sent,
            [format!("60 set_position {y}")],
            "{points} at {x} in steps of {step}"
        );
    }
}

#[test]
fn a_curve_follows_the_signal_less_its_setpoint() {
    let shape = json!({"sensor_type": "temperature", "setpoint": "air", "points": [[0, 0], [10, 100]], "least_sec": 0});
    let mut model = farm(&rule(&shape, &json!({}), &json!({})));
    reading(&mut model, 0, 28.0);
    assert_eq!(tick(&mut model, 60), ["60 set_position 80"]);
    // The setpoint goes from 20 to 25 at 00:10.
    assert_eq!(next(&model), 600);
    assert_eq!(tick(&mut model, 601), ["600 set_position 30"]);
}

#[test]
fn a_claim_that_lingers_follows_no_more() {
    let (lingers, short) = (json!({"linger_sec": 60}), json!({"run_sec": 10}));
    let mut model = farm(&rule(
        &with(&curve(), &json!({"least_sec": 0})),
        &lingers,
        &short,
    ));
    reading(&mut model, 0, 24.0);
    tick(&mut model, 60);
    assert_eq!(reading(&mut model, 69, 26.0), ["69 set_position 60"]);
    assert_eq!(
        reading(&mut model, 80, 30.0),
        [""; 0],
        "the run is over since 70"
    );
    assert_eq!(tick(&mut model, 130), ["130 off 0"]);
}

#[test]
fn after_an_outage_it_is_looked_at_once_more() {
    let mut model = farm(&rule(&curve(), &json!({}), &json!({})));
    reading(&mut model, 0, 24.0);
    tick(&mut model, 60);
    reading(&mut model, 70, 28.0);
    // It waits until 120; what holds is sent again, as it is to be now.
    let again = apply(&mut model, 100, json!({"input": "resumed"}));
    assert_eq!(again, ["100 set_position 40"]);
    let later = apply(&mut model, 200, json!({"input": "resumed"}));
    assert_eq!(later, ["200 set_position 80"]);
}

#[test]
fn the_same_curve_in_other_words_is_no_edit_and_another_is() {
    let mut model = farm(&rule(&curve(), &json!({}), &json!({})));
    reading(&mut model, 0, 24.0);
    tick(&mut model, 60);
    let put = |curve: &Value| json!({"input": "rule", "rule": rule(curve, &json!({}), &json!({}))});
    let filled =
        json!({"least_sec": 60, "setpoint": null, "scope": {"type": "farm"}, "dead_band": 1.0});
    assert_eq!(
        apply(&mut model, 70, put(&with(&curve(), &filled))),
        [""; 0]
    );
    let edited = apply(
        &mut model,
        80,
        put(&with(&curve(), &json!({"dead_band": 2}))),
    );
    assert_eq!(edited, ["80 off 0"], "it ends, and its start is past");
}

#[test]
fn fields_of_curves_have_bounds() {
    let model = farm(&rule(&curve(), &json!({}), &json!({})));
    let is_taken = |command: &Value, more: &Value| {
        let action = json!({"command": command});
        let rule = rule(&with(&curve(), more), &action, &json!({}));
        model
            .check(&json!({"at": 0, "input": "rule", "rule": rule}))
            .is_ok()
    };
    let position = json!({"action": "set_position", "value": 30});
    let flow = json!({"action": "set_flow_rate", "value": 1});
    let rate = json!({"points": [[20, 0.1], [30, 10]], "step": 0.1});
    let points = |n: i64| json!({"points": (0..n).map(|x| [x, 5]).collect::<Vec<_>>()});
    for more in [
        points(2),
        points(16),
        json!({"dead_band": 0, "least_sec": 0, "step": 1}),
        json!({"dead_band": 1_000_000, "least_sec": 3_600, "step": 100}),
        json!({"step": null, "setpoint": "air"}),
    ] {
        assert!(is_taken(&position, &more), "{more}");
    }
    assert!(is_taken(
        &json!({"action": "set_speed", "value": 0}),
        &json!({})
    ));
    assert!(is_taken(&flow, &rate));
    assert!(is_taken(&flow, &with(&rate, &json!({"step": 10}))));
    for more in [
        points(1),
        points(17),
        json!({"points": [[20, 0], [20, 100]]}),
        json!({"points": [[30, 0], [20, 100]]}),
        json!({"points": [[20, -1], [30, 100]]}),
        json!({"points": [[20, 0], [30, 101]]}),
        json!({"dead_band": -1}),
        json!({"dead_band": 1_000_001}),
        json!({"least_sec": 3_601}),
        json!({"step": 0.9}),
        json!({"step": 101}),
        json!({"sensor_type": "humidity"}),
        json!({"setpoint": "night"}),
    ] {
        assert!(!is_taken(&position, &more), "{more}");
    }
    for more in [
        json!({"step": 0.01}),
        json!({"step": 11}),
        json!({"points": [[20, 0], [30, 10]]}),
    ] {
        assert!(!is_taken(&flow, &with(&rate, &more)), "{more}");
    }
    for action in ["on", "off", "pulse"] {
        assert!(
            !is_taken(&json!({"action": action, "value": 5}), &json!({})),
            "{action}"
        );
    }
}
