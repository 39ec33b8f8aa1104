//! Notifications of what happens at the machines: locks, controllers that come and go, sensors that fall silent.

use std::time::Duration;

use harit_api::Role;
use harit_engine::{FarmId, InputKind};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::notifications::{at_once, lock, path, start, titles, told};
use crate::pipeline::{Field, device, eventually, field_with, state};
use crate::support::alert;

#[tokio::test]
async fn locks_are_told_however_they_came_about() {
    let app = start().await;
    app.farm("a").await;
    let viewer = app.person("a", Role::Viewer).await;
    lock(&app, "fan-1", Some("door is open")).await;
    let list = told(&app, &viewer, "a", 1).await;
    assert_eq!(
        (
            &list["items"][0]["type"],
            &list["items"][0]["title"],
            &list["items"][0]["message"]
        ),
        (
            &json!("warning"),
            &json!("Fan is locked"),
            &json!(
                "Polyhouse 1, North: until it is unlocked it can only be switched off. Reason: door is open"
            )
        )
    );
    lock(&app, "fan-1", None).await;
    let list = told(&app, &viewer, "a", 2).await;
    assert_eq!(titles(&list), ["Fan is unlocked", "Fan is locked"]);
    assert_eq!(list["items"][0]["type"], "info");
}

#[tokio::test]
async fn what_flaps_stays_one_row_and_rows_are_bounded() {
    let app = start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    app.call(&owner, Method::POST, "/api/farms/a/alerts", &alert())
        .await
        .expect(StatusCode::CREATED);
    for _ in 0..20 {
        app.reading("a", "ph-a", 5_000_000).await;
        app.reading("a", "ph-a", 6_500_000).await;
    }
    let many = |list: &Value| {
        let items = list["items"].as_array().expect("a list");
        items.iter().any(|n| {
            n["message"]
                .as_str()
                .is_some_and(|m| m.ends_with("(20 times)"))
        })
    };
    let list = eventually(&app, &owner, &path("a"), many).await;
    let items = list["items"].as_array().expect("a list");
    assert!(items.len() <= 3, "{list}");

    // the oldest make room; what is listed is bounded too
    let fill = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250) \
                INSERT INTO notifications (farm_id, user_id, id, body, topic, times, at, is_read) \
                SELECT 'a', user_id, 'n-' || i, '{\"kind\":\"digest\"}', 'n-' || i, 1, i, FALSE FROM n, memberships";
    assert_eq!(app.meddle(fill).await, 250);
    lock(&app, "fan-1", Some("x")).await;
    let full = format!("{}?limit=200", path("a"));
    let newest = |list: &Value| list["items"][0]["title"] == "Fan is locked";
    let list = eventually(&app, &owner, &full, newest).await;
    assert_eq!(list["items"].as_array().map(Vec::len), Some(200));
    assert_eq!(list["unread"], 200);
    let default = app.get(&owner, &path("a")).await.expect(StatusCode::OK);
    assert_eq!(default["items"].as_array().map(Vec::len), Some(50));
    let asked = format!("{}?limit=100000", path("a"));
    let asked = app.get(&owner, &asked).await.expect(StatusCode::OK);
    assert_eq!(asked["items"].as_array().map(Vec::len), Some(200));
    let wrong = format!("{}?limit=many", path("a"));
    app.get(&owner, &wrong)
        .await
        .expect(StatusCode::BAD_REQUEST);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_field_is_told_of() {
    let Field {
        app,
        endpoint,
        owner,
        mut controller,
        ..
    } = field_with(at_once()).await;
    eventually(&app, &owner, "/api/farms/a/devices", |list| {
        device(list, "fan", |_| true)
    })
    .await;
    let command = json!({"cmd_type": "pulse", "device_id": "fan", "action": {"duration_sec": 5}});
    let refused = async {
        let received = controller.command().await;
        let ack = json!({"command_id": received["command_id"], "status": "failure", "message": "breaker is open"});
        controller.publish("ack", ack.to_string()).await;
    };
    let asked = app.call(&owner, Method::POST, "/api/farms/a/commands", &command);
    let (answer, ()) = tokio::join!(asked, refused);
    answer.expect(StatusCode::OK);
    let list = told(&app, &owner, "a", 1).await;
    assert_eq!(titles(&list), ["Exhaust fan refused a command"]);
    assert_eq!(
        list["items"][0]["message"],
        "North house: “Pulse 5 s” by Asha Patil was not carried out: breaker is open"
    );

    // its sensor goes with it: one message
    let reading = json!({"sensors": [{"id": "air", "type": "temperature", "unit": "°C", "latestValue": 27.4}]});
    controller.publish("telemetry", reading.to_string()).await;
    tokio::time::sleep(Duration::from_millis(5_500)).await;
    let offline = json!({"online": false}).to_string();
    controller.publish("state", offline).await;
    let list = told(&app, &owner, "a", 2).await;
    assert_eq!(titles(&list)[0], "Controller offline: North house");
    assert_eq!(list["items"][0]["type"], "warning");
    controller.publish("state", state(false)).await;
    let list = told(&app, &owner, "a", 3).await;
    assert_eq!(titles(&list)[0], "Controller online again: North house");
    endpoint.shutdown().await;
}

#[tokio::test]
async fn silent_sensors_are_told_together() {
    let app = start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let short = harit_engine::FarmDocument::from_json(&json!({
        "farm": {"id": "a", "name": "x"},
        "sensors": [
            {"id": "q-1", "name": "Q1", "type": "humidity", "scope": {"type": "farm"}, "stale_after_sec": 1},
            {"id": "q-2", "name": "Q2", "type": "humidity", "scope": {"type": "farm"}, "stale_after_sec": 1},
        ],
    }))
    .expect("a document");
    let put = short
        .sensors
        .into_iter()
        .map(harit_engine::RegistryChange::PutSensor);
    app.hub
        .admit(&FarmId::from("a"), InputKind::Registry(put.collect()))
        .await
        .expect("admitted");
    app.reading("a", "q-1", 50_000_000).await;
    app.reading("a", "q-2", 50_000_000).await;
    let list = told(&app, &owner, "a", 1).await;
    assert_eq!(titles(&list), ["No readings from 2 sensors"]);
    assert_eq!(list["items"][0]["message"], "Q1, Q2");
}
