//! Commands by hand: what is taken, what is refused, and what became of it.

use harit_api::Role;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::support::App;

#[tokio::test]
async fn a_command_is_the_callers_and_its_life_can_be_followed() {
    let (app, owner) = App::with_owner().await;
    let command = json!({
        "cmd_type": "override", "device_id": "fan-1", "action": {"mode": "manual", "action": "set_speed", "value": 40},
        "owner": {"user_id": "u-9", "name": "Somebody Else"}, "reason": " too hot ", "duration_sec": 600, "timestamp": 1,
    });
    let result = app
        .call(&owner, Method::POST, "/api/farms/a/commands", &command)
        .await
        .expect(StatusCode::OK);
    let id = result["command_id"].as_str().expect("an id").to_owned();
    assert_eq!(id, "a-1");
    let life = app
        .get(&owner, &format!("/api/farms/a/commands/{id}"))
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&life["device_id"], &life["action"], &life["value"]),
        (&json!("fan-1"), &json!("set_speed"), &json!(40))
    );
    assert_eq!(
        (&life["cause"], &life["owner"]["name"]),
        (&json!("manual"), &json!("Asha Patil"))
    );
    assert_eq!(
        (&life["owner"]["user_id"], &life["owner"]["reason"]),
        (&json!(owner.id), &json!("too hot"))
    );
    assert_eq!(
        life["until"]
            .as_i64()
            .zip(life["at"].as_i64())
            .map(|(u, a)| u - a),
        Some(600_000)
    );
    let listed = app
        .get(&owner, "/api/farms/a/commands?device=fan-1&limit=5")
        .await
        .expect(StatusCode::OK);
    assert_eq!(listed[0]["command_id"], "a-1");

    let devices = app
        .get(&owner, "/api/farms/a/devices")
        .await
        .expect(StatusCode::OK);
    let fan = &devices
        .as_array()
        .expect("a list")
        .iter()
        .find(|d| d["id"] == "fan-1")
        .expect("the fan");
    assert_eq!(
        (&fan["state"]["mode"], &fan["state"]["source"]),
        (&json!("manual"), &json!("Asha Patil"))
    );
    assert_eq!(fan["state"]["manualOverrideUntil"], life["until"]);
    // never "on" before the controller said so
    assert_eq!(
        (&fan["state"]["on"], &fan["state"]["value"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        fan["last_sent"],
        json!({"action": "set_speed", "value": 40})
    );
    app.get(&owner, "/api/farms/a/commands/a-2")
        .await
        .expect(StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_the_engine_refuses_is_a_failure_with_the_reason() {
    let (app, owner) = App::with_owner().await;
    let manager = app.person("a", Role::FarmManager).await;
    let on = |device: &str| json!({"cmd_type": "override", "device_id": device, "action": {"on": true}, "duration_sec": 60});
    for (person, device, message) in [
        (&owner, "valve-1", "Device is offline"),
        (&manager, "pump-1", "Safety mode - admin access required"),
    ] {
        let result = app
            .call(person, Method::POST, "/api/farms/a/commands", &on(device))
            .await
            .expect(StatusCode::OK);
        assert_eq!(
            result,
            json!({"status": "failure", "message": message, "command_id": null})
        );
    }
    let request = app
        .request(Method::POST, "/api/farms/a/commands")
        .bearer_auth(&owner.token);
    let answer = app
        .send(
            request
                .header(header::ACCEPT_LANGUAGE, "hi")
                .json(&on("valve-1")),
        )
        .await;
    assert_eq!(answer.json()["message"], "उपकरण से संपर्क नहीं है");
    let result = app
        .call(&owner, Method::POST, "/api/farms/a/commands", &on("pump-1"))
        .await
        .expect(StatusCode::OK);
    assert!(
        result["command_id"].is_string(),
        "an admin commands in safety mode: {result}"
    );
    app.call(&owner, Method::POST, "/api/farms/a/commands", &on("pump-9"))
        .await
        .expect(StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn overrides_are_as_long_as_the_role_permits() {
    let (app, owner) = App::with_owner().await;
    let manager = app.person("a", Role::FarmManager).await;
    let long = json!({"cmd_type": "override", "device_id": "fan-1", "action": {"on": true}, "duration_sec": 3_601});
    let refused = app
        .call(&manager, Method::POST, "/api/farms/a/commands", &long)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(refused["problems"][0]["path"], "duration_sec");
    assert_eq!(refused["error"], "Your role allows at most 60 minutes");
    app.call(&owner, Method::POST, "/api/farms/a/commands", &long)
        .await
        .expect(StatusCode::OK);
    let release = json!({"cmd_type": "release", "device_id": "fan-1", "action": {"mode": "auto"}, "duration_sec": 0});
    let result = app
        .call(&manager, Method::POST, "/api/farms/a/commands", &release)
        .await
        .expect(StatusCode::OK);
    assert!(result["command_id"].is_string(), "{result}");
    let devices = app
        .get(&manager, "/api/farms/a/devices")
        .await
        .expect(StatusCode::OK);
    assert_eq!(devices[0]["state"]["mode"], "auto");
    for nonsense in [
        json!({}),
        json!({"cmd_type": "explode", "device_id": "fan-1"}),
    ] {
        app.call(&manager, Method::POST, "/api/farms/a/commands", &nonsense)
            .await
            .expect(StatusCode::BAD_REQUEST);
    }
}
