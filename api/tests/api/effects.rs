//! Did it work: a fan that cooled for days and then does not, from the history to the bell and the page.

use harit_api::Role;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::letter::past;
use crate::notifications::at_once;
use crate::pipeline::eventually;
use crate::support::{App, Person};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const EFFECTS: &str = "/api/farms/a/effects";
const FAN: &str = "/api/farms/a/devices/fan-1/effects";
/// A run of every two hours lasts so long.
const RUN_MIN: i64 = 20;

/// The fan runs for 20 minutes every two hours and takes 3 °C from the north's air, but from `broken_at` on, when its run goes on
/// and nothing cools.
async fn days(app: &App, from: i64, broken_at: i64, until: i64) {
    let mut reports = vec![format!("('a', 'fan-1', {}, 0, NULL)", from - MINUTE)];
    let mut minutes = Vec::new();
    for minute in from / MINUTE..until / MINUTE {
        let (at, into) = (minute * MINUTE, minute.rem_euclid(120));
        let is_broken = at >= broken_at;
        if into == 0 && at <= broken_at {
            reports.push(format!("('a', 'fan-1', {at}, 1, NULL)"));
        }
        if into == RUN_MIN && !is_broken {
            reports.push(format!("('a', 'fan-1', {at}, 0, NULL)"));
        }
        // a saw: up between the runs, down in the first ten minutes of one
        let cooled = if is_broken || into >= RUN_MIN {
            0
        } else {
            into.min(10) * 300_000
        };
        let value = 32_000_000 - cooled + (minute * 7_919) % 100_000;
        minutes.push(format!(
            "((SELECT id FROM series WHERE farm = 'a' AND sensor = 't-1'), {minute}, 1, {value}, {value}, {value}, {value}, {at})"
        ));
    }
    let mut sql = "INSERT OR IGNORE INTO series (farm, sensor) VALUES ('a', 't-1');".to_owned();
    for part in minutes.chunks(5_000) {
        sql += &format!(
            "INSERT INTO recent (series, minute, count, sum, min, max, last, last_at) VALUES {};",
            part.join(",")
        );
    }
    sql += &format!("INSERT INTO reported VALUES {};", reports.join(","));
    past(app, sql).await;
}

async fn fan(app: &App, by: &Person) -> Value {
    let all = app.get(by, EFFECTS).await.expect(StatusCode::OK);
    let devices = all["devices"].as_array().expect("devices").clone();
    let fan = devices.into_iter().find(|d| d["device_id"] == "fan-1");
    fan.expect("the fan")
}

#[tokio::test]
async fn a_fan_that_cooled_and_then_does_not_is_marked_and_told() {
    let (app, owner) = App::with_owner().await;
    let now = jiff::Timestamp::now().as_millisecond();
    // the last run began two hours ago and goes on
    let broken_at = (now - 2 * HOUR) / (2 * HOUR) * (2 * HOUR);
    let began = broken_at - 72 * HOUR;
    days(&app, began, broken_at, now).await;
    let app = app.restart(at_once()).await;
    let owner = Person {
        token: app.sign_in(&owner.email).await,
        ..owner
    };
    let is_fan = |d: &&Value| d["device_id"] == "fan-1";
    let found = move |all: &Value| {
        let devices = all["devices"].as_array().expect("devices");
        devices
            .iter()
            .find(is_fan)
            .is_some_and(|d| !d["failing"].is_null())
    };
    eventually(&app, &owner, EFFECTS, found).await;

    let standing = fan(&app, &owner).await;
    assert_eq!(
        (&standing["told"], &standing["worked"]),
        (&json!(15), &json!(14)),
        "{standing}"
    );
    assert_eq!(standing["failing"]["since"], broken_at);
    assert_eq!(standing["failing"]["runs"], 1);
    assert_eq!(standing["expected"][0]["signal"], "temperature");
    let path = format!("{FAN}?from={began}&to={now}");
    let marks = app.get(&owner, &path).await.expect(StatusCode::OK);
    let marks = marks["marks"].as_array().expect("marks");
    assert_eq!(marks.len(), 37, "one a run");
    assert_eq!(
        (&marks[0]["mark"], &marks[0]["reason"]),
        (&json!("cannot_tell"), &json!("too_few"))
    );
    let last = marks.last().expect("a mark");
    assert_eq!(last["mark"], "no_effect", "{last}");
    let numbers = &last["numbers"];
    assert!(
        numbers["usual"].as_f64().expect("a number") < -2.0,
        "{numbers}"
    );
    assert!(
        numbers["change"].as_f64().expect("a number") > -1.0,
        "{numbers}"
    );

    lanes_have(&app, &owner, marks, now).await;

    let is_told = |n: &&Value| n["title"] == "Fan runs without effect";
    let rings = |all: &Value| {
        all["items"]
            .as_array()
            .expect("items")
            .iter()
            .any(|n| is_told(&n))
    };
    let list = eventually(&app, &owner, "/api/farms/a/notifications", rings).await;
    let notice = list["items"]
        .as_array()
        .expect("items")
        .iter()
        .find(is_told);
    let message = notice.expect("told")["message"]
        .as_str()
        .expect("words")
        .to_owned();
    assert!(
        message.contains("it did not get cooler. Look whether it really turns"),
        "{message}"
    );
}

/// Whether the lanes of the fan and of its house have every mark of the last day, for as long as its run went on.
async fn lanes_have(app: &App, owner: &Person, marks: &[Value], now: i64) {
    let from = now - 23 * HOUR;
    for whose in ["devices/fan-1", "polyhouses/ph-1"] {
        let path = format!("/api/farms/a/{whose}/lanes?from={from}&to={now}");
        let day = app.get(owner, &path).await.expect(StatusCode::OK);
        let lanes = day["lanes"].as_array().expect("lanes");
        let lane = lanes.iter().find(|l| l["key"] == "effect fan-1");
        let lane = lane.unwrap_or_else(|| panic!("no marks: {day}"));
        let spans = lane["spans"].as_array().expect("spans");
        let began = |m: &&Value| m["started_at"].as_i64() > Some(from);
        let wanted: Vec<Value> = { marks.iter().filter(began) }
            .map(|m| json!([m["started_at"], m["mark"], m]))
            .collect();
        let told: Vec<Value> = { spans.iter().filter(|s| s["from"].as_i64() > Some(from)) }
            .map(|s| json!([s["from"], s["state"], s["effect"]]))
            .collect();
        assert!(wanted.len() >= 10, "{wanted:?}");
        assert_eq!(told, wanted, "{whose}");
        let minutes = |s: &Value| (s["to"].as_i64()? - s["from"].as_i64()?).checked_div(MINUTE);
        let (last, before) = spans.split_last().expect("spans");
        let whole = before.iter().filter(|s| s["from"].as_i64() > Some(from));
        assert!(
            whole.clone().all(|s| minutes(s) == Some(RUN_MIN)),
            "{spans:?}"
        );
        // The fan that does nothing has run since, as far as anything is reported of it.
        assert!(minutes(last) >= Some(RUN_MIN), "{last}");
    }
}

#[tokio::test]
async fn what_a_run_is_judged_by_is_set_by_admins_and_what_cannot_be_is_refused() {
    let (app, owner) = App::with_owner().await;
    let set = |kind: Value, sensor: Value, minutes: Value| json!({"off": false, "kind": kind, "sensor_id": sensor, "window_min": minutes});
    let put = async |body: &Value| app.call(&owner, Method::PUT, FAN, body).await;
    let wrong = [
        (set(json!("oven"), Value::Null, Value::Null), "kind"),
        (set(Value::Null, json!("ph-a"), Value::Null), "sensor_id"),
        (set(Value::Null, json!("nothing"), Value::Null), "sensor_id"),
        (set(Value::Null, Value::Null, json!(1)), "window_min"),
    ];
    for (body, field) in &wrong {
        let refused = put(body).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert!(refused.to_string().contains(field), "{refused}");
    }
    let good = set(json!("heater"), json!("t-2"), json!(30));
    put(&good).await.expect(StatusCode::OK);
    let standing = fan(&app, &owner).await;
    assert_eq!(standing["setting"], good);
    let expected = &standing["expected"][0];
    assert_eq!(
        (&expected["direction"], &expected["window_min"]),
        (&json!("rises"), &json!(30))
    );
    assert_eq!(expected["sensors"], json!(["t-2"]));
    let viewer = app.person("a", Role::Viewer).await;
    app.call(&viewer, Method::PUT, FAN, &good)
        .await
        .expect(StatusCode::FORBIDDEN);
    let gone = FAN.replace("fan-1", "no-such");
    app.get(&owner, &gone).await.expect(StatusCode::NOT_FOUND);
    let long = format!("{FAN}?from=0&to=99999999999");
    app.get(&owner, &long)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
}
