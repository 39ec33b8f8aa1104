//! What ends by itself: leases that are not renewed, and pulses.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Bench, pulse, set, state_of, status};
use crate::controller::DEFAULT_LEASE;

#[test]
fn a_lease_that_is_not_renewed_ends_in_off() {
    let mut bench = Bench::new();
    bench.command(&set("c-1", "fan", true, Some(60.0)));
    assert_eq!(bench.wait(179.999), [] as [Value; 0]);
    let out = bench.wait(0.001);
    assert_eq!(
        (
            &state_of(&out, "fan")["on"],
            &state_of(&out, "fan")["value"]
        ),
        (&json!(false), &json!(0.0))
    );
    assert_eq!(state_of(&out, "fan")["lease_over"], json!(true));
    assert_eq!(bench.on_intervals("fan"), [(0.0, Some(180.0))]);
    assert_eq!(bench.controller.counters().leases_ended, 1);
    let out = bench.command(&set("c-2", "fan", false, None));
    assert_eq!(state_of(&out, "fan").get("lease_over"), None);
}

#[test]
fn a_device_that_goes_on_at_the_end_of_its_lease_does_so_until_it_is_commanded() {
    let mut bench = Bench::new();
    let out = bench.command(&set("c-1", "vent", true, Some(80.0)));
    assert_eq!(state_of(&out, "vent")["lease_end"], 30.0);
    assert_eq!(state_of(&out, "fan").get("lease_end"), None);
    let out = bench.wait(180.0);
    let vent = state_of(&out, "vent");
    assert_eq!((&vent["on"], &vent["value"]), (&json!(true), &json!(30.0)));
    assert_eq!(vent["lease_over"], true);
    assert_eq!(bench.wait(3_000.0), [] as [Value; 0], "and so it stays");
    assert_eq!(bench.on_intervals("vent"), [(0.0, None)]);

    let out = bench.command(&set("c-2", "vent", false, None));
    let vent = state_of(&out, "vent");
    assert_eq!((&vent["on"], vent.get("lease_over")), (&json!(false), None));
    assert_eq!(
        bench.wait(1_000.0),
        [] as [Value; 0],
        "what is off stays off"
    );
}

#[test]
fn renewing_prolongs_a_lease_and_only_the_one_that_runs() {
    let mut bench = Bench::new();
    bench.command(&set("c-1", "fan", true, None));
    let renew = |id: &str| json!({"command_id": id, "cmd_type": "renew", "device_id": "fan", "lease_sec": 180});
    for _ in 0..5 {
        bench.wait(60.0);
        assert_eq!(
            bench.command(&renew("c-1")),
            [] as [Value; 0],
            "a renewal is quiet"
        );
    }
    assert_eq!(bench.on_intervals("fan"), [(0.0, None)]);
    let wrong = bench.command(&renew("c-0"));
    assert_eq!(
        state_of(&wrong, "fan")["on"],
        true,
        "one that does not fit is answered by the state"
    );
    bench.wait(180.0);
    assert_eq!(bench.on_intervals("fan"), [(0.0, Some(480.0))]);
    let late = bench.command(&renew("c-1"));
    assert_eq!(
        state_of(&late, "fan")["on"],
        false,
        "too late: it stays off"
    );
}

#[test]
fn an_on_without_a_lease_gets_one() {
    let mut bench = Bench::new();
    let mut command = set("c-1", "valve", true, None);
    command.as_object_mut().unwrap().remove("lease_sec");
    bench.command(&command);
    bench.wait(10_000.0);
    assert_eq!(
        bench.on_intervals("valve"),
        [(0.0, Some(DEFAULT_LEASE.as_secs_f64()))]
    );
}

#[test]
fn leases_go_on_without_a_connection_and_the_birth_tells_the_outcome() {
    let mut bench = Bench::new();
    bench.command(&set("c-1", "fan", true, None));
    bench.controller.disconnected();
    assert_eq!(bench.wait(200.0), [] as [Value; 0]);
    assert_eq!(bench.on_intervals("fan"), [(0.0, Some(180.0))]);
    let now = bench.instant();
    bench.controller.connected(now, &mut bench.out);
    assert_eq!(state_of(&bench.take(), "fan")["on"], false);
}

#[test]
fn a_pulse_times_itself_and_ends_in_off() {
    let mut bench = Bench::new();
    let out = bench.command(&pulse("c-1", "acid", 5.0));
    assert_eq!(
        (status(&out), &state_of(&out, "acid")["on"]),
        ("ack", &json!(true))
    );
    assert!(
        bench
            .controller
            .levels()
            .any(|(_, level)| (level - 10.0).abs() < 1e-9)
    );
    assert_eq!(
        bench.controller.next_deadline(),
        Some(Duration::ZERO),
        "the first report comes first"
    );
    bench.wait(4.9);
    assert_eq!(bench.on_intervals("acid"), [(0.0, None)]);
    let out = bench.wait(1.0);
    assert_eq!(state_of(&out, "acid")["on"], false);
    assert_eq!(
        bench.on_intervals("acid"),
        [(0.0, Some(5.0))],
        "the second of looking late does not count"
    );
}

#[test]
fn a_later_command_replaces_a_running_pulse() {
    let mut bench = Bench::new();
    bench.command(&pulse("c-1", "valve", 60.0));
    bench.wait(10.0);
    bench.command(&set("c-2", "valve", false, None));
    bench.wait(10.0);
    bench.command(&pulse("c-3", "valve", 60.0));
    bench.wait(10.0);
    bench.command(&json!({"command_id": "c-4", "cmd_type": "release", "device_id": "valve", "action": {"mode": "auto"}}));
    bench.wait(10.0);
    bench.command(&pulse("c-5", "valve", 5.0));
    bench.command(&set("c-6", "valve", true, None));
    bench.wait(100.0);
    assert_eq!(
        bench.on_intervals("valve"),
        [(0.0, Some(10.0)), (20.0, Some(30.0)), (40.0, None)]
    );
}

#[test]
fn a_release_leaves_a_setting_to_its_lease() {
    let mut bench = Bench::new();
    bench.command(&set("c-1", "fan", true, None));
    let release = json!({"command_id": "c-2", "cmd_type": "release", "device_id": "fan", "action": {"mode": "auto"}});
    assert_eq!(status(&bench.command(&release)), "ack");
    bench.wait(500.0);
    assert_eq!(bench.on_intervals("fan"), [(0.0, Some(180.0))]);
}
