//! Rules tried on a past of which the journal is no longer kept, and how far a trial has come.

use std::time::{SystemTime, UNIX_EPOCH};

use harit_api::{ApiConfig, Role};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::pipeline::{Field, device, eventually, field_with};

const PATH: &str = "/api/farms/a/backtests";
const DAY_MS: i64 = 86_400_000;
const MINUTE_MS: i64 = 60_000;

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.expect("after 1970").as_millis()).expect("a date")
}

/// What rules did in a run, by id: how often they fired and for how many minutes they ran.
fn rules(found: &Value, run: &str) -> Vec<(String, u64, i64)> {
    let all = found[run]["rules"].as_array().expect("rules").iter();
    all.map(|r| {
        let text = r["id"].as_str().expect("an id").to_owned();
        let minutes = r["ran_ms"].as_i64().expect("a time") / MINUTE_MS;
        (text, r["fired"].as_u64().expect("a count"), minutes)
    })
    .collect()
}

/// Three weeks ago it was hot for an hour, which came late and is in no journal: rules are tried on the minute means.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rules_are_tried_on_minute_means_where_the_journal_begins_later() {
    let Field {
        app,
        owner,
        endpoint: _endpoint,
        asset,
        mut controller,
        ..
    } = field_with(ApiConfig::default()).await;
    eventually(&app, &owner, "/api/farms/a/devices", |all| {
        device(all, "fan", |_| true)
    })
    .await;
    let begin = (now_ms() - 21 * DAY_MS) / MINUTE_MS * MINUTE_MS;
    let told: Vec<Value> = (0..180)
        .map(|minute| {
            // each minute two readings, of which the mean counts: 30, from the first to the second hour 36
            let mean = if (60..120).contains(&minute) {
                36.0
            } else {
                30.0
            };
            [(0, mean - 1.0), (30_000, mean + 1.0)].map(|(after, value)| {
                json!({"ts": begin + minute * MINUTE_MS + after, "sensors": [
                    {"id": "air", "type": "temperature", "unit": "°C", "latestValue": value}]})
            })
        })
        .flat_map(Vec::from)
        .collect();
    for part in told.chunks(40) {
        controller
            .publish("telemetry", json!(part).to_string())
            .await;
    }
    eventually(&app, &owner, "/api/farms/a/sensors", |all| {
        device(all, "air", |_| true)
    })
    .await;

    let house = json!({"type": "polyhouse", "polyhouseId": asset["polyhouseId"]});
    let rule = |id: &str, above: f64| {
        json!({
            "id": id, "name": id, "mode": "auto", "deployed": true, "scope": house,
            "trigger": {"sensor_type": "temperature", "operator": "gt", "value": above, "duration_sec": 300},
            "actions": [{"device_id": "fan", "command": {"action": "on"}, "delay_sec": 0}],
            "stop_condition": {"sensor_type": "temperature", "operator": "lt", "value": 31, "duration_sec": 60},
        })
    };
    let span = |rules: Value| json!({"from": begin - 60 * MINUTE_MS, "to": begin + DAY_MS, "rules": rules});
    let tried = span(json!([rule("above-35", 35.0), rule("above-36", 36.0)]));
    let found = app
        .call(&owner, Method::POST, PATH, &tried)
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&found["approximate"], &found["from"]),
        (&json!(true), &tried["from"])
    );
    assert_eq!(rules(&found, "was"), []);
    // from the fifth minute of heat on until a minute after it
    let would = [
        ("above-35".to_owned(), 1, 56),
        ("above-36".to_owned(), 0, 0),
    ];
    assert_eq!(rules(&found, "would"), would, "{found}");
    let fan = &found["would"]["devices"][0];
    let on = &fan["intervals"][0];
    let fired = begin + (60 + 1 + 5) * MINUTE_MS;
    assert_eq!(
        (&fan["id"], &fan["starts"], &on[0]),
        (&json!("fan"), &json!(1), &json!(fired))
    );

    // where nothing is known from before the journal, it answers from where it begins
    let short = json!({"from": now_ms() - DAY_MS, "rules": []});
    let found = app
        .call(&owner, Method::POST, PATH, &short)
        .await
        .expect(StatusCode::OK);
    assert_eq!(found["approximate"], json!(false));
    assert!(found["from"].as_i64() > short["from"].as_i64(), "{found}");
    let long = json!({"from": now_ms() - 32 * DAY_MS, "rules": []});
    app.call(&owner, Method::POST, PATH, &long)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_told_how_far_a_trial_is_that_there_is_not() {
    let Field { app, owner, .. } = field_with(ApiConfig::default()).await;
    let unknown = app.get(&owner, &format!("{PATH}/mine")).await;
    assert_eq!(unknown.expect(StatusCode::OK)["done"], Value::Null);
    let long = json!({"name": "n".repeat(65)});
    app.call(&owner, Method::POST, PATH, &long)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    app.farm("b").await;
    let other = app.person("b", Role::Owner).await;
    app.get(&other, &format!("{PATH}/mine"))
        .await
        .expect(StatusCode::NOT_FOUND);
}
