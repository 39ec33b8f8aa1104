//! Derived sensors: made, tried, chained, in the way of what goes by them, and back after a restart.

use harit_api::{ApiConfig, Role};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{App, Person};

const ALL: &str = "/api/farms/a/derived-sensors";

fn formula(name: &str, text: &str, inputs: Value) -> Value {
    json!({"name": name, "kind": "formula", "scope": {"type": "farm"}, "formula": text, "inputs": inputs})
}

/// Ten times the farm's pH.
fn tenfold(name: &str) -> Value {
    let ph = json!({"ph": {"scope": {"type": "farm"}, "type": "ph"}});
    formula(name, "ph * 10", ph)
}

async fn made(app: &App, by: &Person, body: &Value) -> Value {
    let answer = app.call(by, Method::POST, ALL, body).await;
    answer.expect(StatusCode::CREATED)
}

async fn check(app: &App, by: &Person, body: &Value) -> Value {
    let path = format!("{ALL}/check");
    let answer = app.call(by, Method::POST, &path, body).await;
    answer.expect(StatusCode::OK)
}

/// The value of the first derived sensor, as soon as it has this one.
async fn until(app: &App, by: &Person, value: f64) -> Value {
    for _ in 0..100 {
        let all = app.get(by, ALL).await.json();
        if all[0]["value"].as_f64() == Some(value) {
            return all[0].clone();
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("it never was {value}: {}", app.get(by, ALL).await.text);
}

#[tokio::test]
async fn one_that_is_made_is_a_sensor_and_follows_its_inputs_also_after_a_restart() {
    let (app, owner) = App::with_owner().await;
    let viewer = app.person("a", Role::Viewer).await;
    let refused = app.call(&viewer, Method::POST, ALL, &tenfold("Ten")).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let one = made(&app, &owner, &tenfold("Ten")).await;
    assert_eq!((&one["type"], &one["unit"]), (&json!("number"), &json!("")));
    assert_eq!(one["scope"]["type"], "farm");
    app.reading("a", "ph-a", 6_500_000).await;
    let known = until(&app, &viewer, 65.0).await;
    assert_eq!(known["sensorId"], one["sensorId"]);
    let sensors = app.get(&viewer, "/api/farms/a/sensors").await.json();
    let sensors = sensors.as_array().unwrap();
    let own = sensors.iter().find(|s| s["id"] == one["sensorId"]).unwrap();
    assert_eq!(
        (&own["name"], &own["latestValue"]),
        (&json!("Ten"), &json!(65))
    );
    // it is changed and removed here and nowhere else
    let path = format!("/api/farms/a/sensors/{}", own["id"].as_str().unwrap());
    for method in [Method::PATCH, Method::DELETE] {
        let refused = app.call(&owner, method, &path, &json!({"name": "X"})).await;
        assert_eq!(refused.expect(StatusCode::CONFLICT)["code"], "derived");
    }
    let again = app.call(&owner, Method::POST, ALL, &tenfold("Ten")).await;
    let again = again.expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(again["problems"][0]["code"], "taken");
    let app = app.restart(ApiConfig::default()).await;
    harit_api::load_derived_sensors(&app.records, &app.hub)
        .await
        .expect("loaded");
    app.reading("a", "ph-a", 7_000_000).await;
    until(&app, &owner, 70.0).await;
}

#[tokio::test]
async fn an_edit_computes_anew_and_a_deletion_takes_the_sensor_with_it() {
    let (app, owner) = App::with_owner().await;
    let one = made(&app, &owner, &tenfold("Ten")).await;
    let path = format!("{ALL}/{}", one["id"].as_str().unwrap());
    app.reading("a", "ph-a", 6_500_000).await;
    until(&app, &owner, 65.0).await;
    let ph = json!({"ph": {"scope": {"type": "farm"}, "type": "ph"}});
    let half = formula("Half", "ph / 2", ph);
    let edited = app.call(&owner, Method::PUT, &path, &half).await;
    assert_eq!(edited.expect(StatusCode::OK)["name"], "Half");
    until(&app, &owner, 3.25).await;
    // an alert goes by the farm's number: without the sensor it would see nothing
    let alert = json!({"name": "Much", "repeatsIn": 1, "repeatUnit": "days", "severity": "warning", "subscribers": [{"email": owner.email}],
        "conditions": [{"sensor": "Number", "operator": ">", "value": 5}]});
    let alerts = "/api/farms/a/alerts";
    let alert = app.call(&owner, Method::POST, alerts, &alert).await;
    let alert = alert.expect(StatusCode::CREATED);
    let refused = app.call(&owner, Method::DELETE, &path, &json!({})).await;
    let refused = refused.expect(StatusCode::CONFLICT);
    assert_eq!(refused["code"], "in_use");
    assert_eq!(refused["problems"][0]["message"], "Alert: Much");
    until(&app, &owner, 3.25).await;
    let alert = format!("{alerts}/{}", alert["id"].as_str().unwrap());
    app.call(&owner, Method::DELETE, &alert, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    assert_eq!(app.get(&owner, ALL).await.json(), json!([]));
    let sensors = app.get(&owner, "/api/farms/a/sensors").await.text;
    assert!(!sensors.contains("derived-"), "{sensors}");
}

#[tokio::test]
async fn a_check_says_what_it_would_be_or_where_the_mistake_is() {
    let (app, owner) = App::with_owner().await;
    app.reading("a", "ph-a", 6_500_000).await;
    let shown = check(&app, &owner, &tenfold("")).await;
    assert_eq!(
        (&shown["value"], &shown["problems"]),
        (&json!(65), &json!([]))
    );
    assert_eq!(shown["inputs"][0]["value"], 6.5);
    let ph = json!({"ph": {"sensor": "ph-a"}});
    let shown = check(&app, &owner, &formula("F", "ph +\n  pk", ph.clone())).await;
    let problem = &shown["problems"][0];
    let place = (&problem["path"], &problem["line"], &problem["column"]);
    assert_eq!(place, (&json!("formula"), &json!(2), &json!(3)));
    let shown = check(&app, &owner, &formula("F", "loop {}", ph)).await;
    assert_eq!(shown["problems"][0]["code"], "formula");
    let light = json!({"name": "L", "kind": "daily_light", "scope": {"type": "farm"}});
    let shown = check(&app, &owner, &light).await;
    assert_eq!(shown["problems"][0]["code"], "no_sensor");
    let unsound = app.call(&owner, Method::POST, ALL, &light).await;
    let unsound = unsound.expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(unsound["problems"][0]["path"], "inputs.light");
    let mean = json!({"name": "M", "kind": "moving_mean", "scope": {"type": "farm"}, "inputs": {"input": {"sensor": "ph-a"}}});
    let shown = check(&app, &owner, &mean).await;
    assert_eq!(
        (&shown["later"], &shown["value"]),
        (&json!(true), &json!(null))
    );
    // nothing of it was kept
    assert_eq!(app.get(&owner, ALL).await.json(), json!([]));
}

#[tokio::test]
async fn chains_are_allowed_and_circles_are_named() {
    let (app, owner) = App::with_owner().await;
    let first = made(&app, &owner, &tenfold("First")).await;
    let first_id = first["sensorId"].as_str().unwrap();
    let of = |id: &str| json!({"x": {"sensor": id}});
    let second = formula("Second", "x + 1", of(first_id));
    let second = made(&app, &owner, &second).await;
    let back = formula("First", "x + 1", of(second["sensorId"].as_str().unwrap()));
    let path = format!("{ALL}/{}", first["id"].as_str().unwrap());
    let refused = app.call(&owner, Method::PUT, &path, &back).await;
    let refused = refused.expect(StatusCode::UNPROCESSABLE_ENTITY);
    let problem = &refused["problems"][0];
    assert_eq!(problem["code"], "circle");
    let names = problem["message"].as_str().unwrap();
    assert!(
        names.contains("First → Second → First") || names.contains("Second → First → Second"),
        "{names}"
    );
    let shown = check(&app, &owner, &back).await;
    assert_eq!(shown["problems"][0]["code"], "circle");
    // the first is an input of the second
    let refused = app.call(&owner, Method::DELETE, &path, &json!({})).await;
    let refused = refused.expect(StatusCode::CONFLICT);
    assert!(
        refused["problems"][0]["message"]
            .as_str()
            .unwrap()
            .contains("Second")
    );
}
