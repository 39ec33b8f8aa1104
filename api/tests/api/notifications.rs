//! Notifications: made by what really happens in the engine and the field, told once to each of the farm's people.

use std::time::Duration;

use harit_api::{ApiConfig, Role};
use harit_engine::{FarmId, InputKind, Lock, LockKind, Measured, Status};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::live::Socket;
use crate::pipeline::{Field, device, eventually, field_with, state};
use crate::support::{App, Person, alert};

/// Nothing is waited for at the start.
fn at_once() -> ApiConfig {
    ApiConfig {
        quiet_at_start: Duration::ZERO,
        ..ApiConfig::default()
    }
}

fn path(farm: &str) -> String {
    format!("/api/farms/{farm}/notifications")
}

async fn start() -> App {
    App::with(at_once(), std::sync::Arc::new(harit_api::NoProvider)).await
}

fn titles(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().expect("a list").iter();
    items
        .map(|n| n["title"].as_str().expect("a title"))
        .collect()
}

/// The caller's notifications once there are so many.
async fn told(app: &App, person: &Person, farm: &str, count: usize) -> Value {
    eventually(app, person, &path(farm), |list| {
        list["items"]
            .as_array()
            .is_some_and(|items| items.len() == count)
    })
    .await
}

async fn in_language(app: &App, person: &Person, language: &str) -> Value {
    let request = app
        .request(Method::GET, &path("a"))
        .bearer_auth(&person.token);
    let request = request.header("accept-language", language);
    app.send(request).await.expect(StatusCode::OK)
}

/// An alert is raised; its people are told, read it, and clear it. On any database.
pub(crate) async fn told_and_read(app: &App, owner: &Person, farm: &str) {
    let alerts = format!("/api/farms/{farm}/alerts");
    app.call(owner, Method::POST, &alerts, &alert())
        .await
        .expect(StatusCode::CREATED);
    app.reading(farm, "ph-a", 5_000_000).await;
    let list = told(app, owner, farm, 1).await;
    assert_eq!(list["unread"], 1);
    let one = &list["items"][0];
    assert_eq!(
        (
            &one["type"],
            &one["title"],
            &one["message"],
            &one["read"],
            &one["link"]
        ),
        (
            &json!("alert"),
            &json!("Alert: Acid"),
            &json!("Whole farm: pH below 5.5"),
            &json!(false),
            &json!("/alerts")
        )
    );
    let timestamp = one["timestamp"].as_str().expect("a text");
    assert!(
        timestamp.starts_with("20") && timestamp.ends_with('Z'),
        "{timestamp}"
    );
    let read = format!("{}/{}/read", path(farm), one["id"].as_str().expect("an id"));
    for _ in 0..2 {
        app.call(owner, Method::POST, &read, &json!({}))
            .await
            .expect(StatusCode::NO_CONTENT);
    }
    let list = told(app, owner, farm, 1).await;
    assert_eq!(
        (&list["unread"], &list["items"][0]["read"]),
        (&json!(0), &json!(true))
    );
    app.reading(farm, "ph-a", 6_500_000).await;
    let list = told(app, owner, farm, 2).await;
    assert_eq!(titles(&list), ["Alert is over: Acid", "Alert: Acid"]);
    assert_eq!(
        (&list["unread"], &list["items"][0]["type"]),
        (&json!(1), &json!("success"))
    );
    let all = format!("{}/read-all", path(farm));
    app.call(owner, Method::POST, &all, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    assert_eq!(told(app, owner, farm, 2).await["unread"], 0);
    app.call(owner, Method::DELETE, &path(farm), &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    assert_eq!(told(app, owner, farm, 0).await["unread"], 0);
}

#[tokio::test]
async fn an_alert_is_told_and_read() {
    let app = start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    told_and_read(&app, &owner, "a").await;
}

#[tokio::test]
async fn each_of_the_farms_people_is_told_in_their_language_and_nobody_else() {
    let app = start().await;
    app.farm("a").await;
    app.farm("b").await;
    let owner = app.person("a", Role::Owner).await;
    let viewer = app.person("a", Role::Viewer).await;
    let off = app.person("a", Role::FarmManager).await;
    let stranger = app.person("b", Role::Owner).await;
    let deactivate = format!("/api/farms/a/users/{}/deactivate", off.id);
    app.call(&owner, Method::POST, &deactivate, &json!({}))
        .await
        .expect(StatusCode::OK);
    let mut socket = Socket::signed_in(&app, &viewer).await;
    socket.subscribe(&json!({"farmId": "a"})).await;
    let hot = json!({
        "name": "Too hot", "repeatsIn": 1, "repeatUnit": "hours", "channels": [], "subscribers": [{"email": "a@b.test"}], "scope": {"type": "polyhouse", "polyhouseId": "ph-1"},
        "conditions": [{"id": "1", "sensor": "Temperature", "operator": ">", "value": 35, "unit": "°C"}],
    });
    app.call(&owner, Method::POST, "/api/farms/a/alerts", &hot)
        .await
        .expect(StatusCode::CREATED);
    app.reading("a", "t-1", 36_000_000).await;
    assert_eq!(
        socket.event("records").await,
        json!({"kinds": ["notifications"]})
    );
    told(&app, &viewer, "a", 1).await;
    for (language, title, message) in [
        (
            "en",
            "Alert: Too hot",
            "Polyhouse 1: temperature above 35 °C",
        ),
        ("hi", "चेतावनी: Too hot", "Polyhouse 1: तापमान 35 °C से ऊपर"),
        (
            "mr",
            "इशारा: Too hot",
            "Polyhouse 1: तापमान ३५ °C पेक्षा जास्त",
        ),
    ] {
        let said = in_language(&app, &viewer, language).await;
        assert_eq!(
            (&said["items"][0]["title"], &said["items"][0]["message"]),
            (&json!(title), &json!(message))
        );
    }
    let mine = told(&app, &owner, "a", 1).await;
    assert_eq!(told(&app, &stranger, "b", 0).await["unread"], 0);
    // another's is not there: not of another farm, and not of another person
    let id = mine["items"][0]["id"].as_str().expect("an id");
    let foreign = format!("{}/{id}/read", path("b"));
    let foreign = app
        .call(&stranger, Method::POST, &foreign, &json!({}))
        .await;
    foreign.expect(StatusCode::NOT_FOUND);
    app.call(&viewer, Method::DELETE, &path("a"), &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    assert_eq!(
        told(&app, &owner, "a", 1).await["unread"],
        1,
        "everybody has their own"
    );
    let gone = format!("{}/{id}/read", path("a"));
    let gone = app.call(&viewer, Method::POST, &gone, &json!({})).await;
    gone.expect(StatusCode::NOT_FOUND);
    // who was switched off was told nothing
    app.call(
        &owner,
        Method::POST,
        &deactivate.replace("deactivate", "activate"),
        &json!({}),
    )
    .await
    .expect(StatusCode::OK);
    let token = app.sign_in(&off.email).await;
    let off = Person { token, ..off };
    assert_eq!(told(&app, &off, "a", 0).await["unread"], 0);
}

#[tokio::test]
async fn a_restart_neither_loses_nor_repeats_anything() {
    let app = start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    app.call(&owner, Method::POST, "/api/farms/a/alerts", &alert())
        .await
        .expect(StatusCode::CREATED);
    lock(&app, "fan-1", Some("interlock")).await;
    app.reading("a", "ph-a", 5_000_000).await;
    let before = told(&app, &owner, "a", 2).await;
    let app = app.restart(at_once()).await;
    app.reading("a", "ph-a", 5_000_000).await;
    // a round of looking at everything, and then something new: nothing came in between
    tokio::time::sleep(Duration::from_millis(5_500)).await;
    assert_eq!(told(&app, &owner, "a", 2).await, before);
    app.reading("a", "ph-a", 6_500_000).await;
    let after = told(&app, &owner, "a", 3).await;
    assert_eq!(titles(&after)[0], "Alert is over: Acid");
    assert_eq!(after["unread"], 3);

    // what was decided and not told when the server ended is told by the next
    let mut app = app;
    app.shut_down().await;
    app.reading("a", "ph-a", 4_000_000).await;
    let app = app.restart(at_once()).await;
    let late = eventually(&app, &owner, &path("a"), |list| {
        list["items"][0]["title"] == "Alert: Acid"
    })
    .await;
    // raised for the second time within the hour and not read: one row that counts
    let raised = &late["items"][0];
    assert_eq!(
        (&raised["title"], &raised["message"]),
        (
            &json!("Alert: Acid"),
            &json!("Whole farm: pH below 5.5 (2 times)")
        )
    );
}

async fn lock(app: &App, device: &str, reason: Option<&str>) {
    let lock = reason.map_or(Lock::OpenAll, |r| Lock::Engage {
        kind: LockKind::Person,
        reason: r.into(),
    });
    let status = Status {
        online: None,
        lock: Some(lock),
        safety: None,
        ..Status::default()
    };
    let input = InputKind::Status {
        device: device.into(),
        status,
    };
    app.hub
        .admit(&FarmId::from("a"), input)
        .await
        .expect("admitted");
}

/// What notifications say, the latest first: title and message.
fn said(list: &Value) -> Vec<(&str, &str)> {
    let items = list["items"].as_array().expect("a list").iter();
    items
        .filter_map(|n| n["title"].as_str().zip(n["message"].as_str()))
        .collect()
}

/// Whoever takes a raised alert away is named; that all is well again is not said, and no raw id.
#[tokio::test]
async fn a_raised_alert_that_is_taken_away_is_not_told_as_over() {
    let app = start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let alerts = "/api/farms/a/alerts";
    let made = app.call(&owner, Method::POST, alerts, &alert()).await;
    let made = made.expect(StatusCode::CREATED);
    let one = format!("{alerts}/{}", made["id"].as_str().expect("an id"));
    app.reading("a", "ph-a", 5_000_000).await;
    told(&app, &owner, "a", 1).await;
    for active in [false, true] {
        app.call(&owner, Method::PATCH, &one, &json!({"isActive": active}))
            .await
            .expect(StatusCode::OK);
    }
    // It is raised again, which is the same news as before.
    app.reading("a", "ph-a", 5_000_000).await;
    let list = told(&app, &owner, "a", 2).await;
    assert!(
        said(&list).contains(&(
            "Alert switched off: Acid",
            "Whole farm: was switched off while it was raised (by Asha Patil)"
        )),
        "{list}"
    );
    app.call(&owner, Method::DELETE, &one, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    let list = told(&app, &owner, "a", 3).await;
    assert_eq!(
        said(&list)[0],
        (
            "Alert deleted: Acid",
            "Whole farm: was deleted while it was raised (by Asha Patil)"
        )
    );
    assert_eq!(list["items"][0]["type"], "info");
    let log = app.get(&owner, "/api/farms/a/logs?pageSize=100").await;
    let log = log.expect(StatusCode::OK).to_string();
    for sentence in [
        r#"Alert \"Acid\" was switched off while it was raised"#,
        r#"Alert \"Acid\" was deleted while it was raised"#,
    ] {
        assert!(log.contains(sentence), "{log}");
    }
    assert!(!log.contains("is over"), "{log}");
}

/// Silence ends no alert: it is told once that nothing is known any more, and of whom nothing is heard.
#[tokio::test]
async fn an_alert_that_lost_its_sensor_is_told_as_not_known() {
    let app = start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let alerts = "/api/farms/a/alerts";
    let made = app.call(&owner, Method::POST, alerts, &alert()).await;
    let made = made.expect(StatusCode::CREATED);
    assert_eq!(made["status"]["waitsFor"], json!([]));
    let one = format!("{alerts}/{}", made["id"].as_str().expect("an id"));
    app.reading("a", "ph-a", 5_000_000).await;
    told(&app, &owner, "a", 1).await;
    // Two faults in a row are silence.
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
        let (sensor, value) = ("ph-a".into(), Measured::Null);
        let input = InputKind::Reading { sensor, value };
        let farm = FarmId::from("a");
        app.hub.admit(&farm, input).await.expect("admitted");
    }
    let list = told(&app, &owner, "a", 3).await;
    let unknown = said(&list)
        .into_iter()
        .find(|(title, _)| *title == "Not known any more: Acid");
    let (_, message) = unknown.expect("it is told");
    assert!(
        message.starts_with("Whole farm: no readings from ")
            && message.ends_with("so the alert stays raised."),
        "{message}"
    );
    let status = &app.get(&owner, &one).await.expect(StatusCode::OK)["status"];
    assert_eq!(
        (&status["raised"], &status["condition"]),
        (&json!(true), &Value::Null)
    );
    assert!(status["unknownSince"].is_i64(), "{status}");
    assert_eq!(status["waitsFor"][0]["id"], "ph-a");
    app.reading("a", "ph-a", 6_500_000).await;
    let list = eventually(&app, &owner, &path("a"), |list| {
        titles(list).contains(&"Alert is over: Acid")
    })
    .await;
    assert!(titles(&list).contains(&"Alert: Acid"), "{list}");
}

#[tokio::test]
async fn a_critical_alert_stands_first_until_it_is_read() {
    let app = start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let mut critical = alert();
    critical["severity"] = json!("critical");
    app.call(&owner, Method::POST, "/api/farms/a/alerts", &critical)
        .await
        .expect(StatusCode::CREATED);
    app.reading("a", "ph-a", 5_000_000).await;
    told(&app, &owner, "a", 1).await;
    lock(&app, "fan-1", Some("door is open")).await;
    let list = told(&app, &owner, "a", 2).await;
    assert_eq!(titles(&list), ["Alert: Acid", "Fan is locked"]);
    let id = list["items"][0]["id"].as_str().expect("an id");
    app.call(
        &owner,
        Method::POST,
        &format!("{}/{id}/read", path("a")),
        &json!({}),
    )
    .await
    .expect(StatusCode::NO_CONTENT);
    let list = told(&app, &owner, "a", 2).await;
    assert_eq!(titles(&list), ["Fan is locked", "Alert: Acid"]);
}

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

#[tokio::test]
async fn in_a_storm_only_alerts_are_told_one_by_one() {
    let app = start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    for n in 0..13 {
        let mut alert = alert();
        alert["name"] = json!(format!("Acid {n}"));
        app.call(&owner, Method::POST, "/api/farms/a/alerts", &alert)
            .await
            .expect(StatusCode::CREATED);
    }
    app.reading("a", "ph-a", 5_000_000).await;
    told(&app, &owner, "a", 13).await;
    app.reading("a", "ph-a", 6_500_000).await;
    let list = told(&app, &owner, "a", 24).await;
    assert_eq!(
        titles(&list)
            .iter()
            .filter(|t| t.starts_with("Alert is over"))
            .count(),
        10
    );
    assert!(titles(&list).contains(&"3 more messages"), "{list}");
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
