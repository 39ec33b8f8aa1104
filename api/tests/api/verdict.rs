//! How a farm and its houses stand: the answer, who may ask, and that it is told live.

use std::time::Duration;

use harit_api::Role;
use harit_engine::FarmDocument;
use harit_testkit::PATIENCE;
use jiff::Zoned;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::letter;
use crate::live::Socket;
use crate::support::{App, Person, rule};

fn kinds(place: &Value) -> Vec<&str> {
    let reasons = place["reasons"].as_array().expect("reasons");
    let kind = |r: &Value| r["what"]["kind"].as_str().map(str::to_owned);
    assert!(reasons.iter().all(|r| kind(r).is_some()), "{place}");
    reasons
        .iter()
        .filter_map(|r| r["what"]["kind"].as_str())
        .collect()
}

#[tokio::test]
async fn silence_and_what_cannot_be_reached_are_told_to_everybody_of_the_farm() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let viewer = app.person("a", Role::Viewer).await;
    let owner = app.person("a", Role::Owner).await;
    let path = "/api/farms/a/verdict";
    // the one that carries two of the farm's sensors
    let asset = json!({"assets": [{"type": "FERTIGATION", "macid": "AABBCCDDEE01"}]});
    app.call(&owner, Method::POST, "/onboarding/assets", &asset)
        .await
        .expect(StatusCode::CREATED);
    let verdict = app.get(&viewer, path).await.expect(StatusCode::OK);
    assert_eq!(verdict["farm"]["verdict"], "not_known");
    let farm = kinds(&verdict["farm"]);
    for kind in [
        "controller_offline",
        "no_signal",
        "device_offline",
        "safety",
    ] {
        assert!(farm.contains(&kind), "{kind}: {verdict}");
    }
    let house = &verdict["houses"][0];
    assert_eq!(
        (&house["polyhouseId"], &house["name"], &house["verdict"]),
        (&json!("ph-1"), &json!("Polyhouse 1"), &json!("not_known"))
    );
    assert_eq!(kinds(house), ["no_signal", "device_offline"]);
    let silent = &house["reasons"][0];
    assert_eq!(
        (&silent["act"], &silent["since"], &silent["polyhouseId"]),
        (&json!("check_sensor"), &Value::Null, &json!("ph-1"))
    );
    assert_eq!(
        (&silent["what"]["sensor_type"], &silent["what"]["of"]),
        (&json!("temperature"), &json!(2))
    );
    // taken away it is not missed: what it had is to be removed
    let of_controller = "/api/farms/a/controllers/AABBCCDDEE01";
    app.call(&owner, Method::DELETE, of_controller, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    let without = app.get(&viewer, path).await.expect(StatusCode::OK);
    let farm = kinds(&without["farm"]);
    let gone = farm.iter().filter(|kind| **kind == "sensor_gone");
    assert_eq!(gone.count(), 2, "{without}");
    assert!(!farm.contains(&"controller_offline"), "{without}");
    let stranger = app.person("b", Role::Owner).await;
    app.get(&stranger, path).await.expect(StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_farm_without_anything_is_not_well() {
    let app = App::start().await;
    let farm = harit_api::NewFarm {
        id: "new",
        name: "New",
        location: None,
        position: None,
        timezone: "Asia/Kolkata",
    };
    app.records.create_farm(farm).await.expect("a farm");
    app.hub
        .add_farm(FarmDocument::empty("new", "New"))
        .await
        .expect("an engine");
    let owner = app.person("new", Role::Owner).await;
    let verdict = app
        .get(&owner, "/api/farms/new/verdict")
        .await
        .expect(StatusCode::OK);
    let nothing = json!({"verdict": "not_set_up", "reasons": [], "more": 0});
    assert_eq!(verdict, json!({"farm": nothing, "houses": []}));
}

#[tokio::test]
async fn a_change_is_told_live_and_only_a_change() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let mut socket = Socket::signed_in(&app, &owner).await;
    socket.subscribe(&json!({"farmId": "a"})).await;
    let first = socket.event("verdict").await;
    assert_eq!(kinds(&first["houses"][0]), ["no_signal", "device_offline"]);
    // A rule that is deployed and cannot see.
    let mut blind = rule();
    blind["deployed"] = json!(true);
    let made = app
        .call(&owner, reqwest::Method::POST, "/api/farms/a/rules", &blind)
        .await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    let second = socket.event("verdict").await;
    assert_eq!(
        kinds(&second["houses"][0]),
        ["no_signal", "rule_blind", "device_offline"]
    );
    for sensor in ["t-1", "t-2"] {
        app.reading("a", sensor, 21_000_000).await;
    }
    let third = socket.event("verdict").await;
    assert_eq!(kinds(&third["houses"][0]), ["device_offline"]);
}

/// Writes down a crop that wants a temperature between those.
async fn crop(app: &App, owner: &Person, zone: &str, (min, max): (i64, i64)) {
    let wants = json!([{"sensorType": "temperature", "min": min, "max": max}]);
    let yesterday = Zoned::now().date().yesterday().expect("a day");
    let sown = json!({
        "crop": "Capsicum", "zoneId": zone, "sownOn": yesterday.to_string(),
        "stages": [{"name": "Growth", "days": 30, "setpoints": wants}],
    });
    app.call(owner, Method::POST, "/api/farms/a/crop-cycles", &sown)
        .await
        .expect(StatusCode::CREATED);
}

#[tokio::test]
async fn what_the_crops_want_and_have_not_is_told_since_it_is_so() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let now = jiff::Timestamp::now().as_millisecond();
    let (well, hot) = (now - 3 * 3_600_000, now - 40 * 60_000);
    for sensor in ["t-1", "t-2"] {
        letter::measured(&app, sensor, (well, hot), 22).await;
        letter::measured(&app, sensor, (hot, now), 31).await;
        app.reading("a", sensor, 31_000_000).await;
    }
    crop(&app, &owner, "z-1", (18, 27)).await;
    crop(&app, &owner, "z-2", (20, 30)).await;
    let wanted = async || {
        let latest = app.get(&owner, "/api/farms/a/latest-telemetry").await;
        latest.expect(StatusCode::OK)["houses"]["ph-1"]["temperature"]["wanted"].clone()
    };
    assert_eq!(wanted().await, json!({"low": 20, "high": 27}));
    let outside = async || {
        let verdict = app.get(&owner, "/api/farms/a/verdict").await;
        let verdict = verdict.expect(StatusCode::OK);
        let reasons = verdict["houses"][0]["reasons"].as_array().cloned();
        let mut reasons = reasons.unwrap_or_default().into_iter();
        reasons.find(|r| r["what"]["kind"] == "outside_range")
    };
    let told = timeout(PATIENCE, async {
        loop {
            if let Some(reason) = outside().await {
                return reason;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    });
    let told = told.await.expect("told in time");
    assert_eq!(
        told["what"],
        json!({"kind": "outside_range", "sensor_type": "temperature", "value": 31, "low": 20, "high": 27})
    );
    assert_eq!(
        (&told["verdict"], &told["act"], &told["polyhouseId"]),
        (&json!("out_of_range"), &json!("see_day"), &json!("ph-1"))
    );
    assert_eq!(told["since"], json!(hot / 60_000 * 60_000));
    // Back inside, that is so at once.
    for sensor in ["t-1", "t-2"] {
        app.reading("a", sensor, 25_000_000).await;
    }
    assert_eq!(outside().await, None);
    // Crops that exclude each other have no range in common.
    crop(&app, &owner, "z-1", (28, 33)).await;
    assert_eq!(wanted().await, Value::Null);
}
