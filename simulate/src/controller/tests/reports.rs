//! What a controller says of itself: its birth, its reports, and what faults make of them.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Bench, START_MS, state_of};

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
