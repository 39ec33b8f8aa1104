//! The ledger of a reservoir over real rows: who had it run, what flowed, and what a meter measured beside it.

use harit_engine::{FarmId, InputKind};
use harit_protocol::Mac;
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::letter::{midnight, past, reported};
use crate::support::{App, Person};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const ZONE: &str = "Asia/Kolkata";
const LEDGER: &str = "/api/farms/a/reservoirs/tank-1/ledger";
const MAC: &str = "AABBCCDDEE01";

/// A farm with a reservoir, a controller at it, and what is put into its engine.
async fn farm(put: &[Value]) -> (App, Person) {
    let (app, owner) = App::with_owner().await;
    for (mac, id) in [(MAC, "tank-1"), ("AABBCCDDEE02", "tank-2")] {
        let mac = Mac::parse(mac).expect("a MAC");
        let made = app
            .records
            .create_reservoir_controller("a", mac, id, "s", id, None, None);
        made.await.expect("a reservoir");
    }
    let changes = put
        .iter()
        .map(|p| serde_json::from_value(p.clone()).expect("a change"));
    let input = InputKind::Registry(changes.collect());
    app.hub
        .admit(&FarmId::from("a"), input)
        .await
        .expect("admitted");
    (app, owner)
}

fn device(id: &str, device_type: &str, limits: &Value) -> Value {
    json!({"put_device": {
        "id": id, "name": id, "type": device_type, "scope": {"type": "farm"}, "controller": MAC, "limits": limits,
    }})
}

fn sensor(id: &str, sensor_type: &str, mac: &str) -> Value {
    json!({"put_sensor": {"id": id, "name": id, "type": sensor_type, "scope": {"type": "farm"}, "controller": mac}})
}

fn today() -> Date {
    jiff::Timestamp::now()
        .to_zoned(TimeZone::get(ZONE).expect("a zone"))
        .date()
}

/// What a counter has counted each minute of [from, to): `litres`, and `more` in each minute.
async fn counted(app: &App, sensor: &str, (from, to): (i64, i64), litres: i64, more: i64) {
    let (first, last) = (from / MINUTE, to / MINUTE);
    let value = format!("({litres} + {more} * (n - {first})) * 1000000");
    past(app, format!(
        "INSERT OR IGNORE INTO series (farm, sensor) VALUES ('a', '{sensor}'); \
         WITH RECURSIVE m(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM m WHERE n + 1 < {last}) \
         INSERT INTO recent (series, minute, count, sum, min, max, last, last_at) \
         SELECT (SELECT id FROM series WHERE farm = 'a' AND sensor = '{sensor}'), n, 1, {value}, {value}, {value}, \
         {value}, n * {MINUTE} FROM m;"
    ))
    .await;
}

/// A device's part of a day, or of the sums.
fn of<'a>(part: &'a Value, kind: &str, key: &str, id: &str) -> &'a Value {
    let all = part[kind].as_array().expect("a list");
    all.iter().find(|d| d[key] == id).expect("one of that id")
}

#[tokio::test]
async fn a_meter_that_measures_less_than_was_computed_is_told_with_both_numbers() {
    let carried =
        json!({"ml_per_sec": 100, "needs": {"any": ["main"], "for_sec": 0}, "ml_per_day": 500_000});
    let (app, owner) = farm(&[
        device("main", "pump", &json!({"ml_per_sec": 100})),
        device("drip", "valve", &carried),
        device("acid", "dosing_pump", &json!({"ml_per_sec": 2})),
        sensor("meter", "volume", MAC),
        sensor("elsewhere", "flow", "AABBCCDDEE02"),
    ])
    .await;
    let day = today().yesterday().expect("a day");
    let at = midnight(ZONE, day);
    for id in ["main", "drip"] {
        reported(&app, id, at - HOUR, Some(false)).await;
        reported(&app, id, at + 6 * HOUR, Some(true)).await;
        reported(&app, id, at + 7 * HOUR + 10 * MINUTE, Some(false)).await;
    }
    reported(&app, "acid", at - HOUR, Some(false)).await;
    // the controller is away for 40 minutes
    reported(&app, "acid", at + 9 * HOUR, None).await;
    reported(&app, "acid", at + 9 * HOUR + 40 * MINUTE, Some(false)).await;
    // 310 L pass in the 62 minutes from six on
    counted(&app, "meter", (at - HOUR, at + 6 * HOUR), 9_000, 0).await;
    counted(
        &app,
        "meter",
        (at + 6 * HOUR, at + 7 * HOUR + 2 * MINUTE),
        9_005,
        5,
    )
    .await;
    counted(
        &app,
        "meter",
        (at + 7 * HOUR + 2 * MINUTE, at + DAY + HOUR),
        9_310,
        0,
    )
    .await;

    let found = app.get(&owner, LEDGER).await.expect(StatusCode::OK);
    let days = found["days"].as_array().expect("days");
    assert_eq!(days.len(), 7);
    let meters: Vec<_> = found["meters"].as_array().expect("meters").iter().collect();
    assert_eq!(
        meters.len(),
        1,
        "not the one of the other reservoir: {meters:?}"
    );
    assert_eq!(
        meters[0]["devices"],
        json!(["drip"]),
        "the pump's water is the valve's"
    );
    let told = &days[5];
    assert_eq!(told["day"], day.to_string());
    let reading = &told["meters"][0];
    assert_eq!(
        (&reading["ml"], &reading["computed_ml"], &reading["differs"]),
        (&json!(310_000), &json!(420_000), &json!(true)),
        "{reading}"
    );
    assert_eq!(
        (&reading["unknown_sec"], &reading["restarts"]),
        (&json!(0), &json!(0))
    );
    let drip = of(told, "devices", "device_id", "drip");
    assert_eq!(
        (&drip["on_sec"], &drip["ml"]),
        (&json!(4_200), &json!(420_000))
    );
    assert_eq!(
        drip["shares"],
        json!([{"cause": "device", "by": null, "on_sec": 4_200, "ml": 420_000}])
    );
    let acid = of(told, "devices", "device_id", "acid");
    assert_eq!(
        (&acid["on_sec"], &acid["unknown_sec"]),
        (&json!(0), &json!(2_400))
    );
    // of the day before only its last hour is known
    let before = of(&days[4], "devices", "device_id", "drip");
    assert_eq!(before["unknown_sec"], 23 * 3_600);
    assert_eq!(
        days[4]["meters"][0]["computed_ml"],
        Value::Null,
        "{}",
        days[4]
    );
    assert_eq!(
        of(&found["sums"], "devices", "device_id", "drip")["ml"],
        420_000
    );
    assert_eq!(found["sums"]["meters"][0]["ml"], 310_000);
    let budget = of(&found, "budgets", "device_id", "drip");
    assert_eq!(
        (&budget["ml_per_day"], &budget["left_ml"]),
        (&json!(500_000), &json!(500_000))
    );
}

#[tokio::test]
async fn a_counter_that_began_anew_and_a_flow_with_a_gap_are_not_compared() {
    let (app, owner) = farm(&[
        device("main", "pump", &json!({"ml_per_sec": 100})),
        sensor("counter", "volume", MAC),
        sensor("pipe", "flow", MAC),
    ])
    .await;
    let at = midnight(ZONE, today().yesterday().expect("a day"));
    reported(&app, "main", at - HOUR, Some(false)).await;
    reported(&app, "main", at + 6 * HOUR, Some(true)).await;
    reported(&app, "main", at + 8 * HOUR, Some(false)).await;
    counted(&app, "counter", (at - HOUR, at + 7 * HOUR), 9_000, 1).await;
    counted(&app, "counter", (at + 7 * HOUR, at + DAY + HOUR), 0, 0).await;
    // 6 L/min, not read between 7:00 and 8:00; a reading stands for 15 minutes
    counted(&app, "pipe", (at - HOUR, at + 6 * HOUR), 0, 0).await;
    counted(&app, "pipe", (at + 6 * HOUR, at + 7 * HOUR), 6, 0).await;
    counted(&app, "pipe", (at + 8 * HOUR, at + DAY + HOUR), 0, 0).await;
    let found = app.get(&owner, LEDGER).await.expect(StatusCode::OK);
    let told = &found["days"][5];
    let counter = of(told, "meters", "sensor_id", "counter");
    // 420 minutes of one litre each, from the reading of the day before on
    assert_eq!(
        (&counter["ml"], &counter["restarts"]),
        (&json!(420_000), &json!(1))
    );
    assert_eq!(counter["computed_ml"], Value::Null);
    let pipe = of(told, "meters", "sensor_id", "pipe");
    // an hour, and the last reading for the rest of its 15 minutes
    assert_eq!(
        (&pipe["ml"], &pipe["unknown_sec"]),
        (&json!(6_000 * 74), &json!(46 * 60))
    );
    assert_eq!(
        pipe["computed_ml"],
        Value::Null,
        "the volume meter is compared"
    );
}

#[tokio::test]
async fn ninety_two_days_of_ten_devices_are_answered_at_once_and_whole() {
    let flow = json!({"ml_per_sec": 10});
    let put: Vec<Value> = { (0..10).map(|i| device(&format!("valve-{i}"), "valve", &flow)) }
        .chain([sensor("pipe", "flow", MAC)])
        .collect();
    let (app, owner) = farm(&put).await;
    let from = today().checked_sub(91.days()).expect("a day");
    let at = midnight(ZONE, from);
    let runs = 92 * 6;
    // on for 20 minutes every four hours, by a rule: more reports than one answer of the history has
    let mut sql = String::new();
    for i in 0..10 {
        let body = format!(
            "json_object('farm', 'a', 'command_id', '{i}-' || h || '-' || k, 'device', 'valve-{i}', 'action', iif(k = 0, 'on', 'off'), 'value', NULL, \
             'cause', 'r-1', 'owner', NULL, 'at', {at} + h * 4 * {HOUR} + k * 20 * {MINUTE}, 'until', NULL, 'state', 'confirmed', \
             'changed_at', {at} + h * 4 * {HOUR}, 'attempts', 1, 'message', NULL)"
        );
        sql += &format!(
            "WITH RECURSIVE n(h) AS (SELECT 0 UNION ALL SELECT h + 1 FROM n WHERE h + 1 < {runs}), e(k) AS (VALUES (0), (1)) \
             INSERT INTO reported SELECT 'a', 'valve-{i}', {at} + h * 4 * {HOUR} + k * 20 * {MINUTE} + 1000, 1 - k, NULL FROM n, e; \
             WITH RECURSIVE n(h) AS (SELECT 0 UNION ALL SELECT h + 1 FROM n WHERE h + 1 < {runs}), e(k) AS (VALUES (0), (1)) \
             INSERT INTO command (farm, command_id, device, at, state, body) \
             SELECT 'a', '{i}-' || h || '-' || k, 'valve-{i}', {at} + h * 4 * {HOUR} + k * 20 * {MINUTE}, 'confirmed', {body} FROM n, e ORDER BY h, k;"
        );
    }
    past(&app, sql).await;
    counted(&app, "pipe", (at - HOUR, at + 92 * DAY), 6, 0).await;
    let began = std::time::Instant::now();
    let found = app.get(&owner, &format!("{LEDGER}?from={from}")).await;
    let took = began.elapsed();
    let found = found.expect(StatusCode::OK);
    println!("92 days of 10 devices: {took:?}");
    assert!(took < std::time::Duration::from_secs(8), "{took:?}");
    let days = found["days"].as_array().expect("days");
    assert_eq!(days.len(), 92);
    for day in [&days[1], &days[45]] {
        for device in day["devices"].as_array().expect("devices") {
            let rule = json!([{"cause": "rule", "by": "r-1", "on_sec": 6 * 1_200, "ml": 72_000}]);
            assert_eq!(device["shares"], rule, "{}", day["day"]);
            assert_eq!(device["unknown_sec"], 0);
        }
        assert_eq!(day["meters"][0]["ml"], 8_640_000);
    }
    assert_eq!(
        days[0]["devices"][0]["unknown_sec"], 1,
        "before the first report"
    );
    let wrong = app.get(&owner, &format!("{LEDGER}?from=2020-01-01")).await;
    wrong.expect(StatusCode::UNPROCESSABLE_ENTITY);
}
