//! What a controller is told, what it does and what it answers, also when something is broken.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Bench, START_MS, pulse, set, state_of, status};
use crate::controller::{PANEL_LOCK, REMEMBERED_COMMANDS};

#[test]
fn a_command_is_done_once_and_answered_every_time() {
    let mut bench = Bench::new();
    let out = bench.command(&set("c-1", "fan", true, Some(100.0)));
    assert_eq!(out[0], json!({"command_id": "c-1", "status": "ack"}));
    assert_eq!(state_of(&out, "fan")["on"], true);
    bench.command(&set("c-2", "fan", false, Some(0.0)));
    // The repeated delivery of the first does not switch it on again.
    let again = bench.command(&set("c-1", "fan", true, Some(100.0)));
    assert_eq!(again, [json!({"command_id": "c-1", "status": "ack"})]);
    assert_eq!(bench.controller.counters().repeated, 1);
    assert_eq!(bench.on_intervals("fan"), [(0.0, Some(0.0))]);
    assert_eq!(bench.controller.counters().done, 2);
}

#[test]
fn the_memory_of_commands_is_bounded() {
    let mut bench = Bench::new();
    for i in 0..=REMEMBERED_COMMANDS {
        bench.command(&set(&format!("c-{i}"), "fan", i % 2 == 0, None));
    }
    assert_eq!(bench.controller.answers.len(), REMEMBERED_COMMANDS);
    bench.command(&set(&format!("c-{REMEMBERED_COMMANDS}"), "fan", true, None));
    assert_eq!(
        bench.controller.counters().repeated,
        1,
        "the newest is known"
    );
}

#[test]
fn an_expired_command_is_ignored_but_a_known_one_is_still_answered() {
    let mut bench = Bench::new();
    let mut late = set("c-1", "fan", true, None);
    late["expires_at"] = json!(START_MS);
    assert_eq!(bench.command(&late), [] as [Value; 0]);
    assert_eq!(bench.controller.counters().expired, 1);
    let mut known = set("c-2", "fan", true, None);
    known["expires_at"] = json!(START_MS + 15_000);
    assert_eq!(status(&bench.command(&known)), "ack");
    bench.now += Duration::from_secs(20);
    assert_eq!(status(&bench.command(&known)), "ack");
    assert_eq!(bench.controller.counters().expired, 1);
}

#[test]
fn without_a_clock_nothing_expires_and_nothing_is_stamped() {
    let mut bench = Bench::new();
    bench.controller.spec.has_clock = false;
    let mut late = set("c-1", "fan", true, None);
    late["expires_at"] = json!(1);
    assert_eq!(status(&bench.command(&late)), "ack");
    assert_eq!(bench.report(5.0).get("ts"), None);
}

#[test]
fn values_set_speed_position_and_flow() {
    let mut bench = Bench::new();
    for (device, value, level) in [("fan", 40.0, 0.4), ("vent", 65.0, 0.65), ("acid", 2.5, 2.5)] {
        let out = bench.command(&set(device, device, true, Some(value)));
        assert_eq!(
            (status(&out), &state_of(&out, device)["value"]),
            ("ack", &json!(value))
        );
        assert!(
            bench
                .controller
                .levels()
                .any(|(_, l)| (l - level).abs() < 1e-9),
            "{device}"
        );
    }
    let out = bench.command(&json!({"command_id": "v", "cmd_type": "override", "device_id": "fan", "action": {"value": 0}}));
    assert_eq!(state_of(&out, "fan")["on"], false, "a speed of 0 is off");
}

#[test]
fn what_cannot_be_done_is_answered_by_a_failure() {
    let mut bench = Bench::new();
    for (command, message) in [
        (
            set("f-1", "pump-9", true, None),
            "unknown device \"pump-9\"",
        ),
        (
            set("f-2", "valve", true, Some(50.0)),
            "valve cannot do a value other than 0 and 100",
        ),
        (
            set("f-3", "fan", true, Some(140.0)),
            "140 is outside 0 to 100",
        ),
        (
            set("f-4", "acid", true, Some(11.0)),
            "11 is outside 0.1 to 10",
        ),
        (pulse("f-5", "acid", 61.0), "61 is outside 1 to 60"),
        (pulse("f-6", "vent", 5.0), "vent cannot do pulse"),
        (
            json!({"command_id": "f-7", "cmd_type": "dance", "device_id": "fan"}),
            "unknown cmd_type \"dance\"",
        ),
        (
            json!({"command_id": "f-8", "cmd_type": "override", "device_id": "fan"}),
            "an override needs action.on or action.value",
        ),
    ] {
        let out = bench.command(&command);
        assert_eq!(out.len(), 1, "nothing changes: {out:?}");
        assert_eq!(
            (status(&out), &out[0]["message"]),
            ("failure", &json!(message))
        );
    }
    for garbage in [&b"{"[..], b"", b"\xff", b"[]", b"{\"command_id\": 5}"] {
        let now = bench.instant();
        bench.controller.command(now, garbage, &mut bench.out);
    }
    assert_eq!(bench.take(), [] as [Value; 0]);
    assert_eq!(
        (
            bench.controller.counters().refused,
            bench.controller.counters().malformed
        ),
        (8, 5)
    );
}

#[test]
fn a_locked_device_goes_off_and_only_off_is_obeyed() {
    let mut bench = Bench::new();
    bench.command(&set("c-1", "fan", true, None));
    bench.wait(5.0);
    let out = bench.fault("lock:fan:for=60s");
    let fan = state_of(&out, "fan");
    assert_eq!(
        (&fan["lock"], &fan["on"]),
        (&json!(PANEL_LOCK), &json!(false))
    );
    let out = bench.command(&set("c-2", "fan", true, None));
    assert_eq!(out[0]["message"], "fan is locked: locked at the panel");
    assert_eq!(
        status(&bench.command(&set("c-3", "fan", false, None))),
        "ack"
    );
    assert_eq!(state_of(&bench.wait(60.0), "fan")["lock"], Value::Null);
    assert_eq!(bench.on_intervals("fan"), [(0.0, Some(5.0))]);
}

#[test]
fn a_safety_switch_is_reported_and_still_obeys_who_may_override_it() {
    let mut bench = Bench::new();
    let out = bench.fault("safety:valve");
    assert_eq!(state_of(&out, "valve")["safety"], true);
    assert_eq!(
        status(&bench.command(&set("c-1", "valve", true, None))),
        "ack"
    );
    bench.board.clear("safety", "valve");
    assert_eq!(state_of(&bench.wait(1.0), "valve")["safety"], false);
}

#[test]
fn a_lost_ack_hides_the_answer_but_not_the_state() {
    let mut bench = Bench::new();
    bench.fault("lost-ack:fan:for=30s");
    let out = bench.command(&set("c-1", "fan", true, None));
    assert_eq!((out.len(), &state_of(&out, "fan")["on"]), (1, &json!(true)));
    assert_eq!(
        bench.command(&set("c-1", "fan", true, None)),
        [] as [Value; 0]
    );
    assert_eq!(
        status(&bench.command(&set("c-2", "vent", true, None))),
        "ack"
    );
    bench.wait(30.0);
    assert_eq!(
        status(&bench.command(&set("c-1", "fan", true, None))),
        "ack",
        "later it gets through"
    );
}

#[test]
fn a_stuck_relay_belies_the_state_until_it_comes_free() {
    let mut bench = Bench::new();
    bench.command(&set("c-1", "fan", true, None));
    bench.wait(10.0);
    bench.fault("stuck-relay:fan:for=60s");
    let out = bench.command(&set("c-2", "fan", false, None));
    assert_eq!(
        (status(&out), &state_of(&out, "fan")["on"]),
        ("ack", &json!(false))
    );
    bench.wait(60.0);
    assert_eq!(
        bench.on_intervals("fan"),
        [(0.0, Some(70.0))],
        "it ran on until it came free"
    );
}
