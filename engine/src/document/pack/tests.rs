//! What is packed comes out again, to the last label.

use serde_json::json;

use super::*;
use crate::id::FarmId;

fn comes_out_again(rule: &Value) {
    let mut words = Interner::new(&FarmId::from("farm"));
    let spec = RuleSpec::from_json(rule).unwrap();
    let written = serde_json::to_value(&spec).unwrap();
    assert_eq!(RuleSpec::from_json(&written).as_ref(), Ok(&spec));
    let packed = spec.pack(&mut words);
    assert_eq!(RuleSpec::unpack(&packed, &words), spec);
    let again = spec.pack(&mut words);
    let count = words.len();
    packed.release(&mut words);
    assert_eq!(
        (words.len(), RuleSpec::unpack(&again, &words)),
        (count, spec)
    );
    again.release(&mut words);
    assert_eq!(
        words.len(),
        0,
        "words go with the last document that names them"
    );
}

#[test]
fn what_is_packed_comes_out_again() {
    let zone = json!({
        "type": "zone", "farmId": "farm", "polyhouseId": "p:1-", "zoneId": "3:z", "name": "हरित", "path": "A / =",
    });
    let trigger =
        json!({"sensor_type": "ph", "operator": "between", "value": 5.5, "value_max": 6.25});
    comes_out_again(&json!({
        "id": "r", "name": "n", "scope": {"type": "farm"}, "trigger": trigger, "actions": [],
    }));
    comes_out_again(&json!({
        "id": "नियम 1", "name": "Cool", "description": "a\u{0}b", "mode": "disabled", "priority": 10, "deployed": true,
        "scope": zone, "on_signal_lost": "hold", "created_by": {"a": [1, 2.5]}, "created_at": 1_763_740_800_123_i64,
        "trigger": {"sensor_type": "temperature", "operator": "lt", "value": -9.999_999, "duration_sec": 315_360_000,
            "scope": {"type": "farm", "farmId": "another", "name": ""}},
        "stop_condition": {"sensor_type": "co2_level", "operator": "eq", "value": 2_000, "scope": zone},
        "actions": [
            {"device_id": "d", "device_name": "", "command": {"action": "set_flow_rate", "value": 0.1}, "delay_sec": 1},
            {"device_id": "d", "command": {"action": "pulse", "value": 60}},
            {"device_id": "e", "command": {"action": "on", "value": 3}},
        ],
    }));
    comes_out_again(&json!({
        "id": "p", "name": "n", "scope": zone, "run_sec": 86_400,
        "trigger": {"schedule": {
            "at": ["06:00", {"sun": "sunset", "offset_min": -30}], "every": {"minutes": 30, "from": "07:00", "to": "09:10"},
            "days": ["mon", "sun"], "dates": {"from": "11-01", "to": "02-29"}, "catch_up_sec": 60, "if_unknown": "skip",
            "guard": {"not": {"sensor_type": "temperature", "operator": "between", "value": 0.1, "value_max": 2, "hold_sec": 9}},
        }},
        "stop_condition": {"any": [
            {"time": {"from": "22:00", "to": {"sun": "sunrise"}}, "days": ["tue"]}, {"days": ["wed"]}, {"device": "d", "is": "off"},
            {"all": [{"rule": "r"}, {"dates": {"from": "01-01", "to": "01-02"}}], "hold_sec": 5},
            {"sensor_type": "ph", "operator": "lt", "value": 5.123_456, "scope": zone},
        ], "duration_sec": 7},
        "actions": [{"device_id": "d", "command": {"action": "on"}, "for_sec": 300, "linger_sec": 5},
            {"device_id": "e", "command": {"action": "set_speed", "value": 40}, "delay_sec": 3, "linger_sec": 60}],
    }));
    comes_out_again(&json!({
        "id": "c", "name": "n", "scope": zone,
        "trigger": {"sensor_type": "temperature", "operator": "gt", "setpoint": "day", "offset": 0.5, "scope": zone},
        "stop_condition": {"any": [{"sensor_type": "temperature", "operator": "lte", "setpoint": "day"}, {"days": ["sun"]}]},
        "actions": [
            {"device_id": "e", "command": {"action": "set_position", "value": 20}, "linger_sec": 2, "curve": {
                "sensor_type": "temperature", "scope": zone, "setpoint": "day", "points": [[-1, 0], [0.5, 12.5], [5, 100]],
                "dead_band": 0.3, "step": 5, "least_sec": 120}},
            {"device_id": "e", "command": {"action": "set_flow_rate", "value": 1}, "delay_sec": 9, "curve": {
                "sensor_type": "ec", "points": [[0, 10], [2, 0.1]]}},
        ],
    }));
    let mut odd = RuleSpec::from_json(&json!({
        "id": "r", "name": "n", "scope": {"type": "farm"}, "trigger": trigger, "created_by": u64::MAX, "created_at": "now",
        "actions": [{"device_id": "d", "command": {"action": "off"}}],
    }))
    .unwrap();
    odd.actions[0].command.action = "dance".into();
    let TriggerSpec::When(WhenSpec::Condition(odd_trigger)) = &mut odd.trigger else {
        unreachable!()
    };
    odd_trigger.duration = Duration::from_millis(-1);
    let mut words = Interner::new(&FarmId::from("farm"));
    assert_eq!(RuleSpec::unpack(&odd.pack(&mut words), &words), odd);
}

#[test]
fn a_sensor_comes_out_again() {
    let mut words = Interner::new(&FarmId::from("farm"));
    for sensor in [
        json!({"id": "s", "type": "ph", "scope": {"type": "farm"}}),
        json!({"id": "s", "name": "S", "type": "co2_level", "scope": {"type": "polyhouse", "polyhouseId": "p"},
            "stale_after_sec": 1, "controller": "A4:CF:12:00:00:01"}),
    ] {
        let spec = SensorSpec::from_json(&sensor).unwrap();
        assert_eq!(SensorSpec::unpack(&spec.pack(&mut words), &words), spec);
    }
}
