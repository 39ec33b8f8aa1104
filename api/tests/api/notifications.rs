//! Notifications: made by what really happens in the engine and the field, told once to each of the farm's people.

use std::time::Duration;

use harit_api::{ApiConfig, Role};
use harit_engine::{FarmId, InputKind, Lock, LockKind, Measured, Status};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::live::Socket;
use crate::pipeline::eventually;
use crate::support::{App, Person, alert};

/// Nothing is waited for at the start.
pub(super) fn at_once() -> ApiConfig {
    ApiConfig {
        quiet_at_start: Duration::ZERO,
        ..ApiConfig::default()
    }
}

pub(super) fn path(farm: &str) -> String {
    format!("/api/farms/{farm}/notifications")
}

pub(super) async fn start() -> App {
    App::with(at_once(), std::sync::Arc::new(harit_api::NoProvider)).await
}

pub(super) fn titles(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().expect("a list").iter();
    items
        .map(|n| n["title"].as_str().expect("a title"))
        .collect()
}

/// The caller's notifications once there are so many.
pub(super) async fn told(app: &App, person: &Person, farm: &str, count: usize) -> Value {
    eventually(app, person, &path(farm), |list| {
        list["items"]
            .as_array()
            .is_some_and(|items| items.len() == count)
    })
    .await
}

pub(super) async fn in_language(app: &App, person: &Person, language: &str) -> Value {
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
            &one["incident"]["state"]
        ),
        (
            &json!("alert"),
            &json!("Alert: Acid"),
            &json!("Whole farm: pH below 5.5"),
            &json!(false),
            &json!("open")
        )
    );
    let incident = one["incident"]["id"].as_str().expect("an id");
    assert_eq!(one["link"], format!("/alerts/{incident}"));
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
    assert_eq!(titles(&list), ["Alert resolved: Acid", "Alert: Acid"]);
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
        json!({"kinds": ["notifications", "incidents"]})
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
    assert_eq!(titles(&after)[0], "Alert resolved: Acid");
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

pub(super) async fn lock(app: &App, device: &str, reason: Option<&str>) {
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
pub(super) fn said(list: &Value) -> Vec<(&str, &str)> {
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
    assert!(!log.contains(r#"Alert \"Acid\" resolved"#), "{log}");
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
        .find(|(title, _)| *title == "Alert without readings: Acid");
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
        titles(list).contains(&"Alert resolved: Acid")
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
    // who was told that they are raised is told that they are over
    told(&app, &owner, "a", 26).await;
    for n in 0..13 {
        let mut mild = alert();
        (mild["name"], mild["severity"]) = (json!(format!("Mild {n}")), json!("info"));
        app.call(&owner, Method::POST, "/api/farms/a/alerts", &mild)
            .await
            .expect(StatusCode::CREATED);
    }
    app.reading("a", "ph-a", 5_000_000).await;
    // the 13 of before once more are the rows that they had
    let list = told(&app, &owner, "a", 37).await;
    assert!(titles(&list).contains(&"3 more messages"), "{list}");
}
