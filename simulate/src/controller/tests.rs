use std::time::Duration;

use harit_engine::{DeviceType, SensorType};
use serde_json::{Value, json};

use super::*;
use crate::fault::Fault;

const START_MS: i64 = 1_790_000_000_000;

/// A controller at a test bench: time moves when the test says so.
struct Bench {
    controller: Controller,
    board: FaultBoard,
    now: Duration,
    out: Vec<Outgoing>,
}

impl Bench {
    fn new() -> Self {
        let device = |id: &str, device_type, actuator| DevicePart {
            id: id.into(),
            name: id.to_uppercase(),
            device_type,
            actuator,
        };
        let sensor = |id: &str, sensor_type, probe| SensorPart {
            id: id.into(),
            sensor_type,
            probe,
            grade: Grade::usual(sensor_type),
        };
        let reagent = crate::model::Reagent::Acid;
        let controller = Controller::new(ControllerSpec {
            mac: "240AC4000001".into(),
            secret: "s".into(),
            kind: ControllerKind::Polyhouse,
            name: "Bench".into(),
            firmware: "test".into(),
            has_clock: true,
            report_every: Duration::from_secs(5),
            sensors: vec![
                sensor("t1", SensorType::Temperature, Probe::Temperature(0)),
                sensor("h1", SensorType::Humidity, Probe::Humidity(0)),
            ],
            devices: vec![
                device("fan", DeviceType::Fan, Actuator::Fan { house: 0, fan: 0 }),
                device("vent", DeviceType::Vent, Actuator::Vent { house: 0 }),
                device(
                    "valve",
                    DeviceType::Valve,
                    Actuator::Drip { house: 0, zone: 0 },
                ),
                device(
                    "acid",
                    DeviceType::DosingPump,
                    Actuator::Dose { tank: 0, reagent },
                ),
            ],
        });
        let mut bench = Self {
            controller,
            board: FaultBoard::default(),
            now: Duration::ZERO,
            out: vec![],
        };
        let now = bench.instant();
        bench.controller.connected(now, &mut bench.out);
        bench.take();
        bench
    }

    fn instant(&self) -> Now {
        let ms = i64::try_from(self.now.as_millis()).unwrap();
        Now {
            since_start: self.now,
            wall_ms: START_MS + ms,
        }
    }

    fn command(&mut self, command: &Value) -> Vec<Value> {
        let now = self.instant();
        self.controller
            .command(now, &serde_json::to_vec(command).unwrap(), &mut self.out);
        self.take()
    }

    fn wait(&mut self, secs: f64) -> Vec<Value> {
        self.now += Duration::from_secs_f64(secs);
        let now = self.instant();
        self.controller.faults(now, &self.board, &mut self.out);
        self.controller.tick(
            now,
            &mut |_, n| Some(20.0 + f64::from(u32::try_from(n).unwrap())),
            &mut self.out,
        );
        self.take()
    }

    fn fault(&mut self, text: &str) -> Vec<Value> {
        self.board
            .set(self.now, text.parse::<Fault>().unwrap())
            .unwrap();
        self.wait(0.0)
    }

    /// What was published since, without telemetry.
    fn take(&mut self) -> Vec<Value> {
        let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
        let kept = self.out.drain(..).filter_map(|o| match o {
            Outgoing::Telemetry(_) => None,
            Outgoing::State(b) => Some(json!({"state": json(&b)})),
            Outgoing::Ack(b) => Some(json(&b)),
        });
        kept.collect()
    }

    fn report(&mut self, secs: f64) -> Value {
        self.now += Duration::from_secs_f64(secs);
        let now = self.instant();
        self.controller.tick(
            now,
            &mut |_, n| Some(20.0 + f64::from(u32::try_from(n).unwrap())),
            &mut self.out,
        );
        let found = self.out.drain(..).find_map(|o| match o {
            Outgoing::Telemetry(b) => Some(serde_json::from_slice(&b).unwrap()),
            _ => None,
        });
        found.expect("a report is due")
    }

    fn on_intervals(&self, device: &str) -> Vec<(f64, Option<f64>)> {
        let trace = self.controller.trace(device).unwrap();
        let secs = |i: OnInterval| (i.from.as_secs_f64(), i.to.map(|t| t.as_secs_f64()));
        trace.on_intervals().into_iter().map(secs).collect()
    }
}

fn set(id: &str, device: &str, on: bool, value: Option<f64>) -> Value {
    json!({
        "command_id": id, "cmd_type": "override", "device_id": device,
        "action": {"mode": "manual", "on": on, "value": value},
        "expires_at": START_MS + 3_600_000, "lease_sec": 180, "timestamp": START_MS,
        "owner": {"user_id": null, "rule_id": "r", "name": "Rule"}
    })
}

fn pulse(id: &str, device: &str, secs: f64) -> Value {
    json!({
        "command_id": id, "cmd_type": "pulse", "device_id": device,
        "action": {"mode": "manual", "on": true, "duration_sec": secs},
        "expires_at": START_MS + 3_600_000
    })
}

fn state_of<'a>(out: &'a [Value], device: &str) -> &'a Value {
    let state = out
        .iter()
        .rev()
        .find_map(|o| o.get("state"))
        .expect("a state is published");
    state["devices"]
        .as_array()
        .unwrap()
        .iter()
        .find(|d| d["id"] == device)
        .unwrap()
}

fn status(out: &[Value]) -> &str {
    assert_eq!(
        out.iter().filter(|o| o.get("status").is_some()).count(),
        1,
        "one ack: {out:?}"
    );
    out.iter()
        .find_map(|o| o.get("status"))
        .unwrap()
        .as_str()
        .unwrap()
}

#[test]
fn it_announces_itself_and_reports_at_its_interval() {
    let mut bench = Bench::new();
    let now = bench.instant();
    bench.controller.connected(now, &mut bench.out);
    let birth = bench.take();
    assert_eq!(
        birth[0]["state"]["sensors"],
        json!([{"id": "t1", "type": "temperature", "unit": "°C"}, {"id": "h1", "type": "humidity", "unit": "%"}])
    );
    assert_eq!(birth[0]["state"]["online"], true);
    assert_eq!(
        birth[0]["state"]["devices"][0]["supportedActions"][2]["action"],
        "set_speed"
    );
    assert_eq!(
        state_of(&birth, "valve"),
        &json!({"id": "valve", "type": "valve", "name": "VALVE", "on": false, "value": 0.0, "lock": null, "safety": false,
            "supportedActions": [{"action": "on"}, {"action": "off"},
                {"action": "pulse", "parameterType": "seconds", "minValue": 1.0, "maxValue": 60.0}]})
    );
    let first = bench.report(0.0);
    assert_eq!(
        (first["seq"].as_u64(), first["ts"].as_i64()),
        (Some(1), Some(START_MS))
    );
    assert_eq!(first["sensors"][0]["latestValue"], 21.0);
    assert_eq!(
        bench.controller.next_deadline(),
        Some(Duration::from_secs(5))
    );
    assert_eq!(bench.report(5.0)["seq"], 2);
    // A pause of the process is not made up for.
    assert_eq!(bench.report(100.0)["seq"], 3);
    assert_eq!(
        bench.controller.next_deadline(),
        Some(Duration::from_secs(110))
    );
    bench.controller.disconnected();
    assert_eq!(bench.controller.next_deadline(), None);
}

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

#[test]
fn sensors_go_silent_stick_drift_and_report_null() {
    let mut bench = Bench::new();
    let value = |report: &Value, i: usize| report["sensors"][i]["latestValue"].clone();
    assert_eq!(value(&bench.report(0.0), 0), 21.0);
    bench.fault("silent-sensor:h1:for=5s");
    assert_eq!(bench.report(5.0)["sensors"].as_array().unwrap().len(), 1);
    bench.wait(0.0);
    bench.fault("stuck-value:t1");
    let (a, b) = (bench.report(5.0), bench.report(5.0));
    assert_eq!((value(&a, 0), value(&b, 0)), (json!(22.0), json!(22.0)));
    assert_eq!(value(&b, 1), 24.0, "the other goes on");
    bench.board.clear("stuck-value", "t1");
    bench.fault("null-value:t1");
    assert_eq!(value(&bench.report(5.0), 0), Value::Null);
    bench.board.clear("null-value", "t1");
    bench.fault("drift:t1:per-hour=720");
    assert_eq!(
        value(&bench.report(5.0), 0),
        27.0,
        "26 by the model and 1 by five seconds of drift"
    );
}

#[test]
fn all_sensors_silent_is_no_report() {
    let mut bench = Bench::new();
    bench.fault("silent-sensor:t1");
    bench.fault("silent-sensor:h1");
    bench.now += Duration::from_secs(5);
    let now = bench.instant();
    bench
        .controller
        .tick(now, &mut |_, _| Some(1.0), &mut bench.out);
    assert_eq!(bench.out, []);
}

#[test]
fn offline_cuts_the_controller_off_by_its_mac() {
    let mut bench = Bench::new();
    bench.fault("offline:24:0a:c4:00:00:01:for=60s");
    assert!(bench.controller.is_cut_off());
    bench.wait(60.0);
    assert!(!bench.controller.is_cut_off());
}
