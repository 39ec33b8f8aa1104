//! Setpoints as people write them, what they move, and rules that compare with them or follow a curve.

use std::time::{SystemTime, UNIX_EPOCH};

use harit_api::Role;
use harit_engine::{AlmanacDay, FarmId, InputKind, LocalDate, Timestamp};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::support::{Answer, App, Person, alert, rule};

const SETPOINTS: &str = "/api/farms/a/setpoints";
const RULES: &str = "/api/farms/a/rules";
const ALERTS: &str = "/api/farms/a/alerts";
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// The farm's clock is so far ahead of UTC.
const AHEAD: i64 = 5 * HOUR + HOUR / 2;

/// Tells the farm its days around now; when today began.
async fn days(app: &App) -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = i64::try_from(since.expect("after 1970").as_millis()).expect("a date");
    let today = (now + AHEAD) / DAY;
    let day = |n: i64| {
        let from = n * DAY - AHEAD;
        AlmanacDay {
            date: LocalDate::new(1970, 1, 1)
                .expect("a date")
                .plus(i32::try_from(n).expect("a date")),
            from: Timestamp::from_millis(from),
            to: Timestamp::from_millis(from + DAY),
            offset: i32::try_from(AHEAD / 1_000).expect("an offset"),
            change: None,
            sunrise: Some(Timestamp::from_millis(from + 6 * HOUR)),
            sunset: Some(Timestamp::from_millis(from + 18 * HOUR)),
        }
    };
    let days = (today - 1..=today + 12).map(day).collect();
    let farm = FarmId::from("a");
    let told = app.hub.admit(&farm, InputKind::Almanac(days)).await;
    told.expect("admitted");
    today * DAY - AHEAD
}

fn day_target(name: &str) -> Value {
    json!({"name": name, "sensor_type": "temperature", "course": [{"at": "00:00", "value": 24.5}]})
}

async fn make(app: &App, person: &Person, body: &Value) -> Value {
    let made = app.call(person, Method::POST, SETPOINTS, body).await;
    made.expect(StatusCode::CREATED)
}

fn path(setpoint: &Value) -> String {
    format!("{SETPOINTS}/{}", setpoint["id"].as_str().expect("an id"))
}

/// The rule that vents above a setpoint and follows it with a curve.
fn venting(setpoint: &Value) -> Value {
    let mut made = rule();
    made["name"] = json!("Vent");
    made["trigger"] = json!({
        "sensor_type": "temperature", "operator": "gt", "setpoint": setpoint["id"], "offset": 2, "duration_sec": 60,
    });
    made["stop_condition"] =
        json!({"sensor_type": "temperature", "operator": "lt", "setpoint": setpoint["id"]});
    made["actions"] = json!([{
        "device_id": "fan-1", "command": {"action": "set_speed", "value": 40},
        "curve": {
            "sensor_type": "temperature", "setpoint": setpoint["id"], "points": [[0, 0], [2.5, 30], [8, 100]],
            "dead_band": 0.5, "step": 5, "least_sec": 120,
        },
    }]);
    made
}

fn problem(answer: Answer) -> (String, String) {
    let body = answer.expect(StatusCode::UNPROCESSABLE_ENTITY);
    let text = |field: &str| {
        body["problems"][0][field]
            .as_str()
            .expect("text")
            .to_owned()
    };
    (text("path"), text("code"))
}

#[tokio::test]
async fn a_setpoint_tells_what_it_is_now_and_its_day() {
    let (app, owner) = App::with_owner().await;
    // the days are not known yet: neither is the value
    let early = make(&app, &owner, &day_target("Early")).await;
    let start = days(&app).await;
    let body = json!({
        "name": "Day temperature", "sensor_type": "temperature",
        "scope": {"type": "polyhouse", "polyhouseId": "ph-1"},
        "course": [
            {"at": {"sun": "sunrise", "offset_min": 30}, "value": 24, "ramp_min": 60},
            {"at": "18:00", "value": 18},
        ],
    });
    let made = make(&app, &owner, &body).await;
    assert_eq!(made["scope"]["path"], "Green Valley / Polyhouse 1");
    assert_eq!((&made["unit"], &made["rules"]), (&json!("°C"), &json!([])));
    assert_eq!(made["course"], body["course"]);
    let corners: Vec<(f64, f64)> = { made["today"].as_array().expect("a list").iter() }
        .map(|c| {
            let at = c["at"].as_i64().expect("an instant") - start;
            let hours = f64::from(i32::try_from(at).expect("of a day")) / 3_600_000.0;
            (hours, c["value"].as_f64().expect("a value"))
        })
        .collect();
    let expected = [
        (0.0, 18.0),
        (6.5, 18.0),
        (7.5, 24.0),
        (18.0, 24.0),
        (18.0, 18.0),
        (24.0, 18.0),
    ];
    assert_eq!(corners, expected);
    assert!(made["next_change"].as_i64().is_some(), "{made}");
    assert!(early["today"].as_array().is_some());

    let all = app.get(&owner, SETPOINTS).await.expect(StatusCode::OK);
    assert_eq!(all[0]["value"], 24.5);
    assert_eq!(all[0]["scope"]["type"], "farm");
    assert_eq!(all[1], made);
    assert_eq!(all[1]["stage"], Value::Null);
    let mut staged = body.clone();
    let course = json!([{"at": "00:00", "value": 20}]);
    staged["stages"] = json!([
        {"from": "2020-01-01", "course": course}, {"from": "2021-01-01", "course": course, "ramp_days": 3},
        {"from": "2999-01-01", "course": course},
    ]);
    let staged = app.call(&owner, Method::PUT, &path(&made), &staged).await;
    let staged = staged.expect(StatusCode::OK);
    assert_eq!(
        (staged["stage"].as_u64(), staged["value"].as_f64()),
        (Some(1), Some(20.0))
    );
    let all = app.get(&owner, SETPOINTS).await.expect(StatusCode::OK);
    let viewer = app.person("a", Role::Viewer).await;
    let seen = app.get(&viewer, SETPOINTS).await.expect(StatusCode::OK);
    assert_eq!(seen, all);
}

#[tokio::test]
async fn changing_a_setpoint_says_which_rules_it_moves_and_is_written_down() {
    let (app, owner) = App::with_owner().await;
    days(&app).await;
    let made = make(&app, &owner, &day_target("Day")).await;
    let written = app.call(&owner, Method::POST, RULES, &venting(&made)).await;
    let written = written.expect(StatusCode::CREATED);
    assert_eq!(written["trigger"]["setpoint"], made["id"]);
    assert_eq!(
        written["actions"][0]["curve"],
        venting(&made)["actions"][0]["curve"]
    );

    let mut warmer = day_target("Day");
    warmer["course"][0]["value"] = json!(25);
    let tag = format!("\"{}\"", made["etag"].as_str().expect("a tag"));
    let put = |body: &Value| {
        let put = app.request(Method::PUT, &path(&made));
        put.bearer_auth(&owner.token)
            .header(header::IF_MATCH, &tag)
            .json(body)
    };
    let changed = app.send(put(&warmer)).await.expect(StatusCode::OK);
    assert_eq!(changed["value"], 25.0);
    let moved = json!([{"id": written["id"], "name": "Vent", "active": false, "compares": true, "follows": true}]);
    assert_eq!(changed["rules"], moved);
    // somebody who saw the one before does not change this one
    let refused = app.send(put(&day_target("Day"))).await;
    let refused = refused.expect(StatusCode::PRECONDITION_FAILED);
    assert_eq!(refused["current"]["value"], 25.0);
    // the rule is the same one still
    let rule = format!("{RULES}/{}", written["id"].as_str().expect("an id"));
    let after = app.get(&owner, &rule).await.expect(StatusCode::OK);
    assert_eq!(after["etag"], written["etag"]);

    // what is so already is not written down again
    app.call(&owner, Method::PUT, &path(&made), &warmer)
        .await
        .expect(StatusCode::OK);
    let audited = app.audited("a", "setpoint_changed").await;
    assert_eq!(audited.len(), 1, "{audited:?}");
    assert_eq!(audited[0].1["course"], warmer["course"]);
    for (language, text) in [
        ("en", "Setpoint \\\"Day\\\" changed"),
        ("hi", "लक्ष्य \\\"Day\\\" बदला गया"),
        ("mr", "लक्ष्य \\\"Day\\\" बदलले"),
    ] {
        let logs = app.request(Method::GET, "/api/farms/a/logs?limit=9");
        let logs = logs.bearer_auth(&owner.token);
        let logs = app.send(logs.header(header::ACCEPT_LANGUAGE, language));
        let logs = logs.await.expect(StatusCode::OK).to_string();
        assert!(logs.contains(text), "{logs}");
    }
}

#[tokio::test]
async fn what_rules_name_is_neither_deleted_nor_made_something_else() {
    let (app, owner) = App::with_owner().await;
    let made = make(&app, &owner, &day_target("Day")).await;
    let written = app.call(&owner, Method::POST, RULES, &venting(&made)).await;
    let written = written.expect(StatusCode::CREATED);
    let none = json!({});
    let refused = app.call(&owner, Method::DELETE, &path(&made), &none).await;
    let refused = refused.expect(StatusCode::CONFLICT);
    assert_eq!(refused["problems"][0]["message"], "Rule: Vent");
    let mut damp = day_target("Day");
    damp["sensor_type"] = json!("humidity");
    let refused = app.call(&owner, Method::PUT, &path(&made), &damp).await;
    refused.expect(StatusCode::CONFLICT);

    let rule = format!("{RULES}/{}", written["id"].as_str().expect("an id"));
    let gone = app.call(&owner, Method::DELETE, &rule, &none).await;
    assert_eq!(gone.status, StatusCode::NO_CONTENT);
    // an alert that asks for it beside counts too
    let mut asking = alert();
    asking["only_if"] =
        json!({"sensor_type": "temperature", "operator": "gt", "setpoint": made["id"]});
    let asking = app.call(&owner, Method::POST, ALERTS, &asking).await;
    let asking = asking.expect(StatusCode::CREATED);
    let refused = app.call(&owner, Method::DELETE, &path(&made), &none).await;
    let refused = refused.expect(StatusCode::CONFLICT);
    assert_eq!(refused["problems"][0]["message"], "Alert: Acid");
    let asking = format!("{ALERTS}/{}", asking["id"].as_str().expect("an id"));
    app.call(&owner, Method::DELETE, &asking, &none)
        .await
        .expect(StatusCode::NO_CONTENT);
    app.call(&owner, Method::PUT, &path(&made), &damp)
        .await
        .expect(StatusCode::OK);
    let gone = app.call(&owner, Method::DELETE, &path(&made), &none).await;
    assert_eq!(gone.status, StatusCode::NO_CONTENT);
    // a rule that names it is refused, and says where
    let refused = app.call(&owner, Method::POST, RULES, &venting(&made)).await;
    assert_eq!(
        problem(refused),
        ("trigger.setpoint".to_owned(), "unknown".to_owned())
    );
}

#[tokio::test]
async fn a_place_with_a_setpoint_is_not_deleted_and_a_wrong_course_names_its_points() {
    let (app, owner) = App::with_owner().await;
    let mut body = day_target("Day");
    body["scope"] = json!({"type": "zone", "zoneId": "z-2"});
    make(&app, &owner, &body).await;
    let zone = "/api/farms/a/polyhouses/ph-1/zones/z-2";
    let refused = app.call(&owner, Method::DELETE, zone, &json!({})).await;
    let refused = refused.expect(StatusCode::CONFLICT).to_string();
    assert!(refused.contains("Setpoint: Day"), "{refused}");

    let post = async |change: fn(&mut Value)| {
        let mut body = day_target("Other");
        change(&mut body);
        problem(app.call(&owner, Method::POST, SETPOINTS, &body).await)
    };
    let said = |path: &str, code: &str| (path.to_owned(), code.to_owned());
    assert_eq!(
        post(|b| b["course"][0]["value"] = json!(900)).await,
        said("course[0].value", "out_of_range")
    );
    assert_eq!(
        post(|b| b["course"] = json!([])).await,
        said("course", "required")
    );
    assert_eq!(
        post(|b| b["name"] = json!("day")).await,
        said("name", "taken")
    );
    assert_eq!(
        post(|b| b["sensor_type"] = json!("joy")).await.0,
        "sensor_type"
    );
    assert_eq!(
        post(|b| b["scope"] = json!({"type": "zone", "zoneId": "z-9"})).await,
        said("scope.zoneId", "unknown")
    );
    let stages = |b: &mut Value| {
        let course = b["course"].clone();
        b["stages"] = json!([{"from": "2026-02-01", "course": course}, {"from": "2026-01-01", "course": course}]);
    };
    assert_eq!(post(stages).await, said("stages[1].from", "out_of_order"));
    // nothing of that was made
    let all = app.get(&owner, SETPOINTS).await.expect(StatusCode::OK);
    assert_eq!(all.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_condition_sees_whether_the_mean_is_beyond_its_setpoint() {
    let (app, owner) = App::with_owner().await;
    days(&app).await;
    let made = make(&app, &owner, &day_target("Day")).await;
    app.call(&owner, Method::POST, RULES, &venting(&made))
        .await
        .expect(StatusCode::CREATED);
    for sensor in ["t-1", "t-2"] {
        app.reading("a", sensor, 27_000_000).await;
    }
    let seen = app.get(&owner, "/api/farms/a/conditions").await;
    let seen = seen.expect(StatusCode::OK);
    let parts = &seen[0]["parts"];
    // 27 is above 24.5 + 2, and not below 24.5
    assert_eq!(
        (&parts[0]["sight"]["holds"], &parts[0]["of_stop"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(
        (&parts[1]["sight"]["holds"], &parts[1]["of_stop"]),
        (&json!(false), &json!(true))
    );
}
