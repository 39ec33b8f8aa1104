//! Messages of controllers that come by HTTP.

use harit_api::ApiConfig;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::pipeline::{Field, eventually, field_with};
use crate::support::{App, Person};

const SENSORS: &str = "/api/farms/a/sensors";

/// Waits until the farm has a sensor whose id ends like that, with this value.
async fn reads(app: &App, owner: &Person, id: &str, value: f64) {
    let is_it = |s: &Value| s["id"].as_str().is_some_and(|own| own.ends_with(id));
    let found = |all: &Value| {
        let one = all.as_array().and_then(|all| all.iter().find(|s| is_it(s)));
        one.is_some_and(|s| s.to_string().contains(&value.to_string()))
    };
    eventually(app, owner, SENSORS, found).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_by_http_becomes_readings() {
    let Field {
        app, owner, asset, ..
    } = field_with(ApiConfig::default()).await;
    let (name, secret) = (
        asset["mqtt"]["username"].as_str().unwrap(),
        asset["mqtt"]["password"].as_str().unwrap(),
    );
    let post = |path: &str, body: String| {
        let request = app.request(Method::POST, path).body(body);
        request.basic_auth(name, Some(secret))
    };
    let uplink = json!({"end_device_ids": {"device_id": "bed-3"}, "received_at": "2026-01-01T00:00:00Z",
        "uplink_message": {"decoded_payload": {"soil_moisture": 41.5, "battery": 90}}});
    let webhook = "/intake?topic=webhook/thethingsstack";
    // A webhook bears an instant long ago: that is history, and the sensors are there.
    app.send(post(webhook, uplink.to_string()))
        .await
        .expect(StatusCode::NO_CONTENT);
    let now = uplink.to_string().replace("2026-01-01T00:00:00Z", "soon");
    app.send(post(webhook, now)).await;
    let text = "/intake?topic=tele/shed/SENSOR";
    let payload = json!({"AM2301": {"Temperature": 23.25}, "TempUnit": "C"}).to_string();
    app.send(post(text, payload))
        .await
        .expect(StatusCode::NO_CONTENT);
    reads(&app, &owner, "shed/AM2301/Temperature", 23.25).await;

    let lines = "climate,sensor=north temperature=19.75\n".to_owned();
    let written = app
        .request(
            Method::POST,
            "/api/v2/write?org=farm&bucket=all&precision=ns",
        )
        .header("authorization", format!("Token {name}:{secret}"))
        .body(lines);
    app.send(written).await.expect(StatusCode::NO_CONTENT);
    reads(&app, &owner, "north/fields/temperature", 19.75).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_read_is_a_dead_letter_and_whose_it_is_not_is_refused() {
    let Field {
        app, owner, asset, ..
    } = field_with(ApiConfig::default()).await;
    let (name, secret) = (
        asset["mqtt"]["username"].as_str().unwrap(),
        asset["mqtt"]["password"].as_str().unwrap(),
    );
    let post = |path: &str, secret: &str| {
        let request = app.request(Method::POST, path).body("{");
        request.basic_auth(name, Some(secret))
    };
    // What no profile has is kept for people, and harms who sends it in no way.
    app.send(post("/intake?topic=nobody/knows", secret))
        .await
        .expect(StatusCode::NO_CONTENT);
    let topic = asset["mqtt"]["topic"].as_str().unwrap();
    let own = topic.trim_end_matches(['#', '+', '/']);
    let broken = app
        .send(post(&format!("/intake?topic={own}/telemetry"), secret))
        .await;
    assert_eq!(broken.status, StatusCode::UNPROCESSABLE_ENTITY, "{own}");
    assert_eq!(broken.json()["problems"][0]["code"], "unread");
    let letters = app.get(&owner, "/api/farms/a/dead-letters").await.json();
    assert!(letters.to_string().contains("nobody/knows"), "{letters}");
    for (path, secret, status) in [
        ("/intake?topic=a", "wrong", StatusCode::UNAUTHORIZED),
        ("/api/v2/write", "wrong", StatusCode::UNAUTHORIZED),
        ("/intake", secret, StatusCode::UNPROCESSABLE_ENTITY),
        (
            "/intake?topic=a/%23",
            secret,
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (
            "/api/v2/write?precision=s",
            secret,
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
    ] {
        let answer = app.send(post(path, secret)).await;
        assert_eq!(answer.status, status, "{path}");
    }
    // Another controller's topics are not its own.
    let others = "/intake?topic=harit/1/AABBCCDDEE99/telemetry";
    let answer = app.send(post(others, secret)).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    let large = app
        .request(Method::POST, "/intake?topic=a")
        .basic_auth(name, Some(secret))
        .body("x".repeat(256 * 1024 + 1));
    let answer = app.send(large).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
}
