//! Messages of controllers that come by HTTP.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forms_of_weather_stations_become_readings() {
    let Field {
        app, owner, asset, ..
    } = field_with(ApiConfig::default()).await;
    let (name, secret) = (
        asset["mqtt"]["username"].as_str().unwrap(),
        asset["mqtt"]["password"].as_str().unwrap(),
    );
    // an Ecowitt console sends no header of its own
    let console = |secret: &str| {
        let path = format!("/intake?topic=webhook/ecowitt&id={name}&password={secret}");
        app.request(Method::POST, &path)
            .header("content-type", "application/x-www-form-urlencoded")
            .body("PASSKEY=0&stationtype=GW2000A&tempf=86.0&soilmoisture1=41&lightning_time=")
    };
    app.send(console(secret))
        .await
        .expect(StatusCode::NO_CONTENT);
    reads(&app, &owner, "ecowitt/tempf", 30.0).await;
    reads(&app, &owner, "ecowitt/soilmoisture1", 41.0).await;
    let refused = app.send(console("wrong")).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);

    let station = |query: &str| {
        app.request(
            Method::GET,
            &format!("/weatherstation/updateweatherstation.php?{query}"),
        )
    };
    let said = format!("ID={name}&PASSWORD={secret}&dateutc=now&tempf=68&dailyrainin=0.1&weather=");
    let taken = app.send(station(&said)).await;
    assert_eq!(
        (taken.status, taken.text.as_str()),
        (StatusCode::OK, "success\n")
    );
    reads(&app, &owner, "wunderground/tempf", 20.0).await;
    reads(&app, &owner, "wunderground/dailyrainin", 2.54).await;
    for query in [
        format!("ID={name}&PASSWORD=wrong&tempf=68"),
        "tempf=68".to_owned(),
    ] {
        let refused = app.send(station(&query)).await;
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{query}");
    }
    // What is no form is a dead letter, without the account that sent it.
    let other = format!("topic=webhook/ecowitt/%2B&ID={name}&PASSWORD={secret}");
    let refused = app.send(station(&other)).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let unknown = format!("topic=nobody/knows&ID={name}&PASSWORD={secret}&tempf=68");
    app.send(station(&unknown)).await;
    let letters = app.get(&owner, "/api/farms/a/dead-letters").await.json();
    assert!(letters.to_string().contains("nobody/knows"), "{letters}");
    assert!(!letters.to_string().contains(secret), "{letters}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_may_be_compressed() {
    let Field {
        app, owner, asset, ..
    } = field_with(ApiConfig::default()).await;
    let (name, secret) = (
        asset["mqtt"]["username"].as_str().unwrap(),
        asset["mqtt"]["password"].as_str().unwrap(),
    );
    let write = |body: Vec<u8>| {
        app.request(Method::POST, "/api/v2/write?precision=ns")
            .header("authorization", format!("Token {name}:{secret}"))
            .header("content-encoding", "gzip")
            .body(body)
    };
    let packed = |text: &str| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(text.as_bytes()).unwrap();
        packed.finish().unwrap()
    };
    let lines = packed("climate,sensor=north temperature=19.75\n");
    app.send(write(lines)).await.expect(StatusCode::NO_CONTENT);
    reads(&app, &owner, "north/fields/temperature", 19.75).await;
    // The limit is of what was compressed, and what is not compressed is refused.
    let large = packed(&"a b=1\n".repeat(100_000));
    assert!(large.len() < 10_000);
    let refused = app.send(write(large)).await;
    assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE);
    let refused = app.send(write(b"climate temperature=1".to_vec())).await;
    assert!(refused.status.is_client_error(), "{}", refused.status);
}
