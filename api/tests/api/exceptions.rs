//! What is not on automatic: each kind, by whom, since when, and that it goes when it is given back.

use harit_api::Role;
use harit_engine::{Lock, LockKind, Status};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::logs::device;
use crate::pipeline::eventually;
use crate::support::{App, Person, alert, rule};

const EXCEPTIONS: &str = "/api/farms/a/exceptions";

fn kinds(all: &Value) -> Vec<&str> {
    let items = all["items"].as_array().expect("items");
    items.iter().filter_map(|i| i["kind"].as_str()).collect()
}

fn of_kind<'a>(all: &'a Value, kind: &str) -> &'a Value {
    let items = all["items"].as_array().expect("items");
    { items.iter() }
        .find(|i| i["kind"] == kind)
        .unwrap_or_else(|| panic!("no {kind}: {all}"))
}

async fn call(app: &App, person: &Person, method: Method, path: &str, body: Value) -> Value {
    let answer = app.call(person, method, path, &body).await;
    assert!(answer.status.is_success(), "{path}: {}", answer.text);
    answer.json()
}

#[tokio::test]
async fn what_a_new_farm_lacks_is_told() {
    let (app, _) = App::with_owner().await;
    let viewer = app.person("a", Role::Viewer).await;
    let all = app.get(&viewer, EXCEPTIONS).await.expect(StatusCode::OK);
    assert_eq!(
        kinds(&all),
        [
            "safety",
            "device_offline",
            "sensors_silent",
            "sensors_silent"
        ]
    );
    assert_eq!(all["count"], 4);
    let valve = of_kind(&all, "device_offline");
    assert_eq!(
        (&valve["id"], &valve["names"], &valve["polyhouseId"]),
        (&json!("valve-1"), &json!(["Drip valve"]), &json!("ph-1"))
    );
    let air = { all["items"].as_array().expect("items").iter() }
        .find(|i| i["sensorType"] == "temperature")
        .expect("the air");
    assert_eq!(
        (&air["names"], &air["count"], &air["id"]),
        (&json!(["North air", "South air"]), &json!(2), &Value::Null)
    );
}

/// Takes away what a new farm lacks.
async fn all_is_known(app: &App, owner: &Person) {
    for sensor in ["t-1", "t-2", "level-1"] {
        app.reading("a", sensor, 21_000_000).await;
    }
    for sensor in ["ph-a", "ph-b"] {
        app.reading("a", sensor, 5_000_000).await;
    }
    let (online, calm) = (Some(true), Some(false));
    let status = Status {
        online,
        ..Status::default()
    };
    device(app, "valve-1", status).await;
    let status = Status {
        safety: calm,
        ..Status::default()
    };
    device(app, "pump-1", status).await;
    let none = |all: &Value| all["count"] == 0;
    eventually(app, owner, EXCEPTIONS, none).await;
}

/// Switches off a rule that steered and an alert that watched, and mutes one that is raised; its incident.
async fn quieted(app: &App, owner: &Person) -> String {
    let mut cool = rule();
    (cool["id"], cool["deployed"]) = (json!("cool"), json!(true));
    call(app, owner, Method::POST, "/api/farms/a/rules", cool).await;
    let off = json!({"mode": "disabled"});
    call(app, owner, Method::PATCH, "/api/farms/a/rules/cool", off).await;
    let mut quiet = alert();
    quiet["id"] = json!("quiet");
    call(app, owner, Method::POST, "/api/farms/a/alerts", quiet).await;
    let inactive = json!({"isActive": false});
    call(
        app,
        owner,
        Method::PATCH,
        "/api/farms/a/alerts/quiet",
        inactive,
    )
    .await;
    let mut acid = alert();
    acid["id"] = json!("acid");
    call(app, owner, Method::POST, "/api/farms/a/alerts", acid).await;
    app.reading("a", "ph-a", 5_000_000).await;
    let incident = app
        .get(owner, "/api/farms/a/incidents/acid")
        .await
        .expect(StatusCode::OK);
    let incident = incident["id"].as_str().expect("an id").to_owned();
    let snooze = json!({"kind": "snooze", "minutes": 60});
    let path = format!("/api/farms/a/incidents/{incident}/answers");
    call(app, owner, Method::POST, &path, snooze).await;
    incident
}

#[tokio::test]
async fn who_took_what_from_the_rules_is_told_until_it_is_given_back() {
    let (app, owner) = App::with_owner().await;
    all_is_known(&app, &owner).await;

    // a person, a stop, a lock of the engine and one whose lease nobody tested
    let commands = "/api/farms/a/commands";
    let on = json!({"cmd_type": "override", "device_id": "fan-1", "action": {"on": true}, "duration_sec": 600});
    call(&app, &owner, Method::POST, commands, on).await;
    let stop = json!({"id": "stop-1", "scope": {"type": "device", "deviceId": "valve-1"}, "reason": "leak"});
    call(&app, &owner, Method::POST, "/api/farms/a/stop", stop).await;
    let lock = |kind, reason: &str| Status {
        lock: Some(Lock::Engage {
            kind,
            reason: reason.into(),
        }),
        ..Status::default()
    };
    device(&app, "pump-1", lock(LockKind::Controller, "lease_unproven")).await;
    device(
        &app,
        "pump-1",
        lock(LockKind::KeepsStopping, "keeps stopping"),
    )
    .await;
    let incident = quieted(&app, &owner).await;

    let all = app.get(&owner, EXCEPTIONS).await.expect(StatusCode::OK);
    assert_eq!(
        kinds(&all),
        [
            "stop",
            "override",
            "lock",
            "lease_unproven",
            "rule_disabled",
            "alert_disabled",
            "alert_muted"
        ],
        "{all}"
    );
    let by = json!("Asha Patil");
    for kind in [
        "stop",
        "override",
        "rule_disabled",
        "alert_disabled",
        "alert_muted",
    ] {
        let one = of_kind(&all, kind);
        assert_eq!(one["by"], by, "{one}");
        assert!(one["since"].is_i64(), "{one}");
    }
    let stopped = of_kind(&all, "stop");
    assert_eq!(
        (&stopped["id"], &stopped["reason"]),
        (&json!("valve-1"), &json!("leak"))
    );
    let fan = of_kind(&all, "override");
    let times = (fan["since"].as_i64(), fan["until"].as_i64());
    assert_eq!(
        times.0.zip(times.1).map(|(s, u)| u - s),
        Some(600_000),
        "{fan}"
    );
    // a word of the engine is no reason that somebody gave
    assert_eq!(of_kind(&all, "lock")["reason"], Value::Null);
    let muted = of_kind(&all, "alert_muted");
    assert_eq!(
        (&muted["id"], muted["until"].is_i64()),
        (&json!(incident), true)
    );

    // what is given back is told no more
    let release = json!({"cmd_type": "release", "device_id": "fan-1"});
    call(&app, &owner, Method::POST, commands, release).await;
    let auto = json!({"mode": "auto"});
    call(&app, &owner, Method::PATCH, "/api/farms/a/rules/cool", auto).await;
    let active = json!({"isActive": true});
    call(
        &app,
        &owner,
        Method::PATCH,
        "/api/farms/a/alerts/quiet",
        active,
    )
    .await;
    let left = eventually(&app, &owner, EXCEPTIONS, |all| all["count"] == 4).await;
    assert_eq!(
        kinds(&left),
        ["stop", "lock", "lease_unproven", "alert_muted"]
    );
}
