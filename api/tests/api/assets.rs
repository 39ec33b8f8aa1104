//! Sensors and devices: listed with how they are, named by people, and moved.

use harit_api::Role;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::live::Socket;
use crate::support::{App, Person, rule};

const SENSORS: &str = "/api/farms/a/sensors";
const DEVICES: &str = "/api/farms/a/devices";

async fn patch(app: &App, by: &Person, path: &str, body: Value) -> (StatusCode, Value) {
    let answer = app.call(by, Method::PATCH, path, &body).await;
    (answer.status, answer.json())
}

/// The one of that id in a list.
async fn one(app: &App, by: &Person, list: &str, id: &str) -> Value {
    let all = app.get(by, list).await.expect(StatusCode::OK);
    let mut all = all.as_array().expect("a list").iter();
    all.find(|x| x["id"] == id).expect("there").clone()
}

#[tokio::test]
async fn sensors_are_listed_with_how_they_are() {
    let app = App::start().await;
    app.farm("a").await;
    let viewer = app.person("a", Role::Viewer).await;
    app.reading("a", "t-1", 21_500_000).await;
    let all = app.get(&viewer, SENSORS).await.expect(StatusCode::OK);
    assert_eq!(all.as_array().map(Vec::len), Some(5));
    let air = one(&app, &viewer, SENSORS, "t-1").await;
    for (field, value) in [
        ("name", json!("North air")),
        ("type", json!("temperature")),
        ("unit", json!("°C")),
        ("latestValue", json!(21.5)),
        ("state", json!("fresh")),
        ("gone", json!(false)),
        ("staleAfterSec", json!(900)),
        ("controller", Value::Null),
        (
            "scope",
            json!({"type": "zone", "farmId": "a", "polyhouseId": "ph-1", "zoneId": "z-1", "name": "North", "path": "Green Valley / Polyhouse 1 / North"}),
        ),
    ] {
        assert_eq!(air[field], value, "{field}");
    }
    let silent = one(&app, &viewer, SENSORS, "level-1").await;
    assert_eq!(
        (
            &silent["state"],
            &silent["latestValue"],
            &silent["at"],
            &silent["controller"]
        ),
        (
            &json!("unknown"),
            &Value::Null,
            &Value::Null,
            &json!("AABBCCDDEE01")
        )
    );
    assert_eq!(
        silent["scope"],
        json!({"type": "farm", "farmId": "a", "name": "Green Valley", "path": "Green Valley"})
    );
}

#[tokio::test]
async fn a_sensor_is_named_and_moved() {
    let app = App::start().await;
    app.farm("a").await;
    let admin = app.person("a", Role::Admin).await;
    let mut socket = Socket::signed_in(&app, &admin).await;
    socket.subscribe(&json!({"farmId": "a"})).await;
    let path = format!("{SENSORS}/t-1");
    let (status, named) = patch(&app, &admin, &path, json!({"name": " Air at the door "})).await;
    assert_eq!(
        (status, &named["name"]),
        (StatusCode::OK, &json!("Air at the door"))
    );
    assert_eq!(named["scope"]["zoneId"], "z-1", "it is where it was");
    socket.event("registry").await;
    let to = json!({"scope": {"type": "zone", "polyhouseId": "ph-1", "zoneId": "z-2"}});
    let (status, moved) = patch(&app, &admin, &path, to).await;
    assert_eq!(
        (status, &moved["name"], &moved["scope"]["path"]),
        (
            StatusCode::OK,
            &json!("Air at the door"),
            &json!("Green Valley / Polyhouse 1 / South")
        )
    );
    // from now on it counts there
    app.reading("a", "t-1", 20_000_000).await;
    app.reading("a", "t-2", 30_000_000).await;
    let south = app
        .hub
        .read(&"a".into(), |e| {
            let mean = |zone| {
                e.signal(
                    &harit_engine::ScopeSpec::zone(zone),
                    harit_engine::SensorType::Temperature,
                )
            };
            (mean("z-2").map(|m| m.count), mean("z-1").map(|m| m.count))
        })
        .await
        .expect("asked");
    assert_eq!(south, (Some(2), None));
    let (_, farm) = patch(
        &app,
        &admin,
        &path,
        json!({"name": "", "scope": {"type": "farm"}}),
    )
    .await;
    assert_eq!(
        (&farm["name"], &farm["scope"]["type"]),
        (&Value::Null, &json!("farm"))
    );
    assert_eq!(
        one(&app, &admin, SENSORS, "t-1").await["scope"],
        farm["scope"]
    );
    // what changes nothing is nothing that was done
    let (status, _) = patch(&app, &admin, &path, json!({})).await;
    assert_eq!(status, StatusCode::OK);
    let log = app.audited("a", "sensor_changed").await;
    assert_eq!(log.len(), 3);
    assert_eq!(log[1].1["scope"]["zoneId"], "z-2");
}

#[tokio::test]
async fn a_device_is_named_and_moved_and_goes_on_doing_what_it_does() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    app.call(&owner, Method::POST, "/api/farms/a/rules", &rule())
        .await
        .expect(StatusCode::CREATED);
    let before = one(&app, &owner, DEVICES, "fan-1").await;
    let path = format!("{DEVICES}/fan-1");
    let change =
        json!({"name": "Exhaust fan", "scope": {"type": "polyhouse", "polyhouseId": "ph-1"}});
    let (status, after) = patch(&app, &owner, &path, change).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(
        (&after["name"], &after["scope"]),
        (
            &json!("Exhaust fan"),
            &json!({"type": "polyhouse", "farmId": "a", "polyhouseId": "ph-1", "name": "Polyhouse 1", "path": "Green Valley / Polyhouse 1"})
        )
    );
    for field in [
        "id",
        "type",
        "supportedActions",
        "state",
        "online",
        "rest",
        "safe",
        "desired",
    ] {
        assert_eq!(after[field], before[field], "{field}");
    }
    assert_eq!(one(&app, &owner, DEVICES, "fan-1").await, after);
    // names of places are those of now
    let renamed = json!({"name": "Capsicum house"});
    app.call(
        &owner,
        Method::PUT,
        "/api/farms/a/polyhouses/ph-1",
        &renamed,
    )
    .await
    .expect(StatusCode::OK);
    let fan = one(&app, &owner, DEVICES, "fan-1").await;
    assert_eq!(fan["scope"]["path"], "Green Valley / Capsicum house");
    let log = app.audited("a", "device_changed").await;
    assert_eq!(log[0].1["name"], "Exhaust fan");
}

#[tokio::test]
async fn what_is_wrong_with_a_change_is_said_at_its_field() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let owner = app.person("a", Role::Owner).await;
    for (path, wrong, field, code) in [
        (
            format!("{SENSORS}/t-1"),
            json!({"name": "x".repeat(121)}),
            "name",
            "too_long",
        ),
        (
            format!("{DEVICES}/fan-1"),
            json!({"name": "  "}),
            "name",
            "required",
        ),
        (
            format!("{DEVICES}/fan-1"),
            json!({"name": "a\nb"}),
            "name",
            "invalid",
        ),
        (
            format!("{SENSORS}/t-1"),
            json!({"scope": {"type": "zone", "zoneId": "z-9"}}),
            "scope.zoneId",
            "unknown",
        ),
        (
            format!("{SENSORS}/t-1"),
            json!({"scope": {"type": "zone"}}),
            "scope.zoneId",
            "required",
        ),
        (
            format!("{DEVICES}/fan-1"),
            json!({"scope": {"type": "zone", "zoneId": "z-1", "polyhouseId": "ph-9"}}),
            "scope.polyhouseId",
            "unknown",
        ),
        (
            format!("{DEVICES}/fan-1"),
            json!({"scope": {"type": "polyhouse", "polyhouseId": "ph-9"}}),
            "scope.polyhouseId",
            "unknown",
        ),
        (
            format!("{DEVICES}/fan-1"),
            json!({"scope": {"type": "farm", "farmId": "b"}}),
            "scope.farmId",
            "unknown",
        ),
    ] {
        let (status, answer) = patch(&app, &owner, &path, wrong).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{path} {answer}");
        let problem = &answer["problems"][0];
        assert_eq!(
            (&problem["path"], &problem["code"]),
            (&json!(field), &json!(code)),
            "{answer}"
        );
    }
    for path in [format!("{SENSORS}/t-1"), format!("{DEVICES}/fan-1")] {
        let (status, _) = patch(&app, &owner, &path, json!({"lock": null})).await;
        assert_eq!(
            status,
            StatusCode::BAD_REQUEST,
            "what nobody knows is refused"
        );
    }
    let elsewhere = app.person("b", Role::Owner).await;
    for (by, path) in [
        (&owner, format!("{SENSORS}/nothing")),
        (&owner, format!("{DEVICES}/nothing")),
        (&elsewhere, format!("{SENSORS}/t-1")),
    ] {
        let (status, _) = patch(&app, by, &path, json!({"name": "x"})).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
    }
}
