//! Device profiles: those that are shipped, a farm's own, and the bench.

use harit_api::{ApiConfig, Role};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{App, Person};

const OWN: &str = "/api/farms/a/device-profiles";

const BARN: &str = r#"id = "barn"
name = "Barn probes"
[[messages]]
topics = ["barn/{what}/{n}"]
payload = "text"
readings = [{ type = "water_temperature", unit = "°F" }]
"#;

async fn bench(
    app: &App,
    by: &Person,
    topic: &str,
    payload: &str,
    document: Option<&str>,
) -> Value {
    let body = json!({"topic": topic, "payload": payload, "document": document});
    let answer = app
        .call(by, Method::POST, &format!("{OWN}/try"), &body)
        .await;
    answer.expect(StatusCode::OK)
}

#[tokio::test]
async fn the_bench_shows_what_a_message_becomes() {
    let (app, owner) = App::with_owner().await;
    let payload = r#"{"Time":"2021-01-02T09:09:44","DS18B20":{"Temperature":200},"SCD40":{"CarbonDioxide":"618"},"TempUnit":"C"}"#;
    let shown = bench(&app, &owner, "tele/bed/SENSOR", payload, None).await;
    assert_eq!(shown["profile"], "tasmota");
    assert_eq!(
        shown["readings"],
        json!([
            {"id": "bed/DS18B20/Temperature", "type": "temperature", "value": 200, "plausible": false, "at": null},
            {"id": "bed/SCD40/CarbonDioxide", "type": "co2_level", "value": 618, "plausible": true, "at": null},
        ])
    );
    let shown = bench(&app, &owner, "barn/tank/1", "68", None).await;
    assert_eq!(
        (&shown["unread"], &shown["profile"]),
        (&json!("no_profile"), &json!(null))
    );
    let shown = bench(&app, &owner, "barn/tank/1", "68", Some(BARN)).await;
    assert_eq!(shown["readings"][0]["value"], 20);
    let wrong = BARN
        .replace("water_temperature", "salt")
        .replace("barn/{what}", "barn/#");
    let shown = bench(&app, &owner, "barn/tank/1", "68", Some(&wrong)).await;
    let places: Vec<_> = shown["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| &p["path"])
        .collect();
    assert_eq!(
        places,
        ["messages[0].topics[0]", "messages[0].readings[0].type"]
    );
    let shown = bench(&app, &owner, "tele/bed/LWT", "Online", None).await;
    assert_eq!(shown["online"], true);
    // Nothing of it reached the farm.
    let sensors = app.get(&owner, "/api/farms/a/sensors").await.json();
    assert!(!sensors.to_string().contains("DS18B20"));
    let shipped = app.get(&owner, "/api/device-profiles").await.json();
    let all = shipped.as_array().unwrap();
    assert!(all.len() >= 15 && all.iter().any(|p| p["id"] == "tasmota"));
}

#[tokio::test]
async fn a_farm_s_own_profile_reads_from_the_moment_it_is_saved_and_after_a_restart() {
    let (app, owner) = App::with_owner().await;
    let viewer = app.person("a", Role::Viewer).await;
    let body = json!({"document": BARN});
    let refused = app.call(&viewer, Method::POST, OWN, &body).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let unsound = json!({"document": "id = 1"});
    let refused = app.call(&owner, Method::POST, OWN, &unsound).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let made = app
        .call(&owner, Method::POST, OWN, &body)
        .await
        .expect(StatusCode::CREATED);
    assert_eq!(
        (&made["profileId"], &made["name"]),
        (&json!("barn"), &json!("Barn probes"))
    );
    let again = app.call(&owner, Method::POST, OWN, &body).await;
    assert_eq!(again.status, StatusCode::UNPROCESSABLE_ENTITY);
    let shown = bench(&app, &owner, "barn/tank/1", "68", None).await;
    assert_eq!(shown["profile"], "barn");
    let app = app.restart(ApiConfig::default()).await;
    harit_api::load_device_profiles(&app.records, &app.hub)
        .await
        .expect("loaded");
    let shown = bench(&app, &owner, "barn/tank/1", "68", None).await;
    assert_eq!(shown["profile"], "barn");
    let path = format!("{OWN}/{}", made["id"].as_str().unwrap());
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    let shown = bench(&app, &owner, "barn/tank/1", "68", None).await;
    assert_eq!(shown["unread"], "no_profile");
}
