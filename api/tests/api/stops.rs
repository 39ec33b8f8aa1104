//! STOP and locks: who may, what holds, and that nothing but a person's opening lets a machine start again.

use std::time::Duration;

use harit_api::{ApiConfig, NoProvider, Role};
use harit_engine::{DeviceId, FarmId, InputKind, Lock, LockKind, Status};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::support::{App, Person, rule};

const STOP: &str = "/api/farms/a/stop";
const OPEN: &str = "/api/farms/a/stop/open";

async fn stop(app: &App, person: &Person, body: Value) -> Value {
    app.call(person, Method::POST, STOP, &body)
        .await
        .expect(StatusCode::OK)
}

fn house() -> Value {
    json!({"type": "polyhouse", "polyhouseId": "ph-1"})
}

async fn device(app: &App, person: &Person, id: &str) -> Value {
    let all = app.get(person, "/api/farms/a/devices").await;
    let all = all.expect(StatusCode::OK);
    let mut all = all.as_array().expect("devices").iter();
    all.find(|d| d["id"] == id).expect("there").clone()
}

async fn status(app: &App, id: &str, status: Status) {
    let device = DeviceId::from(id);
    app.hub
        .admit(&FarmId::from("a"), InputKind::Status { device, status })
        .await
        .expect("admitted");
}

fn kinds(device: &Value) -> Vec<&str> {
    let locks = device["state"]["locks"].as_array().expect("locks");
    locks.iter().filter_map(|l| l["kind"].as_str()).collect()
}

#[tokio::test]
async fn every_role_stops_and_each_stop_has_its_name() {
    let app = App::start().await;
    app.farm("a").await;
    let mut people = Vec::new();
    for role in Role::ALL {
        let person = app.person("a", role).await;
        let id = format!("stop-{}", role.as_str());
        let body = json!({"scope": house(), "reason": " arm in the fan ", "id": id});
        for _ in 0..2 {
            // sent again, it is the same stop
            let told = stop(&app, &person, body.clone()).await;
            assert_eq!(
                (
                    &told["devices"][0]["deviceId"],
                    &told["devices"][0]["state"]
                ),
                (&json!("fan-1"), &json!("sent")),
                "{told}"
            );
            assert_eq!(told["devices"][1]["state"], "unreachable", "{told}");
            assert_eq!(told["devices"].as_array().map(Vec::len), Some(2));
        }
        people.push(person);
    }
    // A stop is answered before its entry is written.
    let mut entries = 0;
    for _ in 0..100 {
        entries = app.audited("a", "stop").await.len();
        if entries == people.len() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(entries, people.len());
    let fan = device(&app, &people[0], "fan-1").await;
    assert_eq!(kinds(&fan), ["stop"; Role::ALL.len()]);
    assert_eq!(fan["state"]["locks"][0]["reason"], "arm in the fan");
    assert_eq!(fan["state"]["locks"][0]["by"]["name"], "Asha Patil");
    assert!(fan["state"]["locks"][0]["since"].is_i64());
    let pump = device(&app, &people[0], "pump-1").await;
    assert_eq!(kinds(&pump), [""; 0], "it is in no house");
    let stops = app.get(&people[3], STOP).await.expect(StatusCode::OK);
    let held = stops["stops"].as_array().map(Vec::len);
    assert_eq!(held, Some(people.len()));
    assert_eq!(stops["stops"][0]["reason"], "arm in the fan");

    let stranger = app.stranger("stranger@x.test").await;
    app.call(&stranger, Method::POST, STOP, &json!({"scope": house()}))
        .await
        .expect(StatusCode::NOT_FOUND);
    for scope in [
        json!({"type": "device", "deviceId": "none"}),
        json!({"type": "polyhouse", "polyhouseId": "none"}),
    ] {
        app.call(&people[0], Method::POST, STOP, &json!({"scope": scope}))
            .await
            .expect(StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn a_stop_works_when_everything_else_is_told_to_wait() {
    let config = ApiConfig {
        reads_per_user: 3,
        ..ApiConfig::default()
    };
    let app = App::with(config, Arc::new(NoProvider)).await;
    app.farm("a").await;
    let viewer = app.person("a", Role::Viewer).await;
    let read = async || app.get(&viewer, "/api/farms/a/devices").await.status;
    while read().await != StatusCode::TOO_MANY_REQUESTS {}
    for _ in 0..30 {
        let told = stop(&app, &viewer, json!({"scope": {"type": "farm"}})).await;
        assert_eq!(told["devices"].as_array().map(Vec::len), Some(3));
    }
    assert_eq!(read().await, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn who_hangs_up_has_stopped_all_the_same() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    for n in 0..20 {
        let body = json!({"scope": {"type": "farm"}, "reason": format!("cut off {n}")}).to_string();
        let address = app.base.strip_prefix("http://").expect("http");
        let mut socket = TcpStream::connect(address).await.expect("connected");
        let head = format!(
            "POST {STOP} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            owner.token,
            body.len()
        );
        socket.write_all(head.as_bytes()).await.expect("written");
        socket.write_all(body.as_bytes()).await.expect("written");
        // gone somewhere between being read and being answered
        tokio::time::sleep(Duration::from_micros(n * 150)).await;
        drop(socket);
    }
    for _ in 0..100 {
        if app.audited("a", "stop").await.len() == 20 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let fan = device(&app, &owner, "fan-1").await;
    assert_eq!(kinds(&fan), ["stop"]);
}

/// Somebody has an arm in the fan.
#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one story")]
async fn nothing_but_opening_it_starts_what_was_stopped() {
    let app = App::start().await;
    app.farm("a").await;
    let (owner, viewer) = (
        app.person("a", Role::Owner).await,
        app.person("a", Role::Viewer).await,
    );
    let mut hot = rule();
    (hot["deployed"], hot["id"]) = (json!(true), json!("cool"));
    hot["trigger"]["duration_sec"] = json!(1);
    app.call(&owner, Method::POST, "/api/farms/a/rules", &hot)
        .await
        .expect(StatusCode::CREATED);
    let told = stop(&app, &viewer, json!({"scope": house()})).await;
    assert_eq!(told["devices"][0]["deviceId"], "fan-1");
    let still = async |app: &App, what: &str| {
        let fan = device(app, &owner, "fan-1").await;
        assert_eq!(kinds(&fan), ["stop"], "{what}");
        assert_ne!(fan["last_sent"]["action"], "on", "{what}");
        assert_eq!(fan["on_since"], Value::Null, "{what}");
        fan
    };

    // a rule wants it
    for _ in 0..30 {
        app.reading("a", "t-1", 45_000_000).await;
        let rules = app.get(&owner, "/api/farms/a/rules/cool").await.json();
        if rules["status"]["phase"] == "running" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let fan = still(&app, "a rule").await;
    assert_eq!(
        fan["desired"]["action"], "on",
        "the rule does want it: {fan}"
    );
    // a person gives it back, or turns it on
    for body in [
        json!({"cmd_type": "release", "device_id": "fan-1"}),
        json!({"cmd_type": "override", "device_id": "fan-1", "action": {"action": "on"}, "duration_sec": 600}),
        json!({"cmd_type": "pulse", "device_id": "fan-1", "action": {"duration_sec": 5}}),
    ] {
        let answer = app
            .call(&owner, Method::POST, "/api/farms/a/commands", &body)
            .await
            .expect(StatusCode::OK);
        assert_eq!(answer["status"], "failure", "{body}");
        still(&app, "a person").await;
    }
    // off is always possible
    let off = json!({"cmd_type": "override", "device_id": "fan-1", "action": {"action": "off"}});
    let sent = app
        .call(&owner, Method::POST, "/api/farms/a/commands", &off)
        .await
        .expect(StatusCode::OK);
    assert!(sent["command_id"].is_string(), "{sent}");
    still(&app, "off").await;
    // its controller comes back, and opens what was never its own
    for change in [
        Status {
            online: Some(false),
            ..Status::default()
        },
        Status {
            online: Some(true),
            lock: Some(Lock::Open {
                kind: LockKind::Controller,
                user: None,
            }),
            ..Status::default()
        },
    ] {
        status(&app, "fan-1", change).await;
        still(&app, "its controller").await;
    }
    // the rule is saved again
    hot["priority"] = json!(10);
    app.call(&owner, Method::PUT, "/api/farms/a/rules/cool", &hot)
        .await
        .expect(StatusCode::OK);
    still(&app, "the rule, saved").await;
    // somebody else opens their own stop
    stop(&app, &owner, json!({"scope": house()})).await;
    app.call(
        &owner,
        Method::POST,
        OPEN,
        &json!({"scope": house(), "nobodyAtTheMachine": true}),
    )
    .await
    .expect(StatusCode::OK);
    still(&app, "another's opening").await;
    // the server starts again
    let app = app.restart(ApiConfig::default()).await;
    let fan = still(&app, "a restart").await;
    assert_eq!(fan["state"]["locks"][0]["by"]["user_id"], viewer.id);

    // a person opens it: what the rules want is seen first
    let open = json!({"scope": house(), "userId": viewer.id, "nobodyAtTheMachine": true});
    let opened = app
        .call(&viewer, Method::POST, OPEN, &open)
        .await
        .expect(StatusCode::OK);
    let fan = &opened[0];
    assert_eq!((&fan["id"], kinds(fan).len()), (&json!("fan-1"), 0));
    assert_eq!(
        (&fan["state"]["mode"], &fan["last_sent"]["action"]),
        (&json!("manual"), &json!("off"))
    );
    assert_eq!(
        kinds(&opened[1]),
        ["stop"; 2],
        "one that is away stays stopped"
    );
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one story")]
async fn each_lock_is_opened_by_its_own() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let manager = app.person("a", Role::FarmManager).await;
    let viewer = app.person("a", Role::Viewer).await;
    let path = "/api/farms/a/devices/fan-1/unlock";
    let lock = "/api/farms/a/devices/fan-1/lock";
    let unlock = async |person: &Person, body: Value| {
        let answer = app.call(person, Method::POST, path, &body).await;
        (answer.status, answer.json())
    };
    let sure = |kind: &str, whose: Option<&str>| json!({"kind": kind, "userId": whose, "nobodyAtTheMachine": true, "reason": "done"});
    app.call(&viewer, Method::POST, lock, &json!({"reason": "belt"}))
        .await
        .expect(StatusCode::FORBIDDEN);
    app.call(&manager, Method::POST, lock, &json!({}))
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    app.call(&manager, Method::POST, lock, &json!({"reason": "belt"}))
        .await
        .expect(StatusCode::OK);
    stop(&app, &viewer, json!({"scope": house()})).await;
    stop(&app, &owner, json!({"scope": house()})).await;
    for kind in [LockKind::Controller, LockKind::MaxOn] {
        let reason = "stuck".into();
        let lock = Some(Lock::Engage { kind, reason });
        status(
            &app,
            "fan-1",
            Status {
                lock,
                ..Status::default()
            },
        )
        .await;
    }
    let fan = device(&app, &owner, "fan-1").await;
    assert_eq!(
        kinds(&fan),
        ["controller", "person", "max_on", "stop", "stop"]
    );

    let is = |answer: (StatusCode, Value), status: StatusCode, code: &str| {
        assert_eq!(
            (answer.0, &answer.1["code"]),
            (status, &json!(code)),
            "{}",
            answer.1
        );
    };
    let no = StatusCode::FORBIDDEN;
    is(
        unlock(&owner, json!({"nobodyAtTheMachine": true})).await,
        StatusCode::UNPROCESSABLE_ENTITY,
        "invalid",
    );
    is(
        unlock(&owner, sure("stop", None)).await,
        StatusCode::UNPROCESSABLE_ENTITY,
        "invalid",
    );
    is(
        unlock(&owner, sure("controller", None)).await,
        StatusCode::CONFLICT,
        "open_at_the_machine",
    );
    is(
        unlock(&owner, sure("keeps_stopping", None)).await,
        StatusCode::CONFLICT,
        "not_locked",
    );
    is(
        unlock(&manager, sure("max_on", None)).await,
        no,
        "not_permitted",
    );
    is(
        unlock(&viewer, sure("person", Some(&manager.id))).await,
        no,
        "not_permitted",
    );
    is(
        unlock(&viewer, sure("stop", Some(&owner.id))).await,
        no,
        "not_permitted",
    );
    let mut unsure = sure("stop", Some(&viewer.id));
    unsure["nobodyAtTheMachine"] = json!(false);
    is(
        unlock(&viewer, unsure).await,
        StatusCode::UNPROCESSABLE_ENTITY,
        "invalid",
    );

    for (person, kind, whose, left) in [
        (&viewer, "stop", Some(&viewer.id), 4),
        (&manager, "stop", Some(&owner.id), 3),
        (&manager, "person", Some(&manager.id), 2),
        (&owner, "max_on", None, 1),
    ] {
        let (status, fan) = unlock(person, sure(kind, whose.map(String::as_str))).await;
        assert_eq!(status, StatusCode::OK, "{fan}");
        assert_eq!(kinds(&fan).len(), left, "{kind}");
    }
    let fan = device(&app, &owner, "fan-1").await;
    assert_eq!(kinds(&fan), ["controller"]);
}

#[tokio::test]
async fn a_pulse_that_is_refused_says_what_does_instead() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    for (device, secs, said) in [
        (
            "fan-1",
            5,
            "This device does not support pulses: use an override",
        ),
        (
            "pump-1",
            61,
            "A pulse lasts 1 to 60 whole seconds. For longer, use an override.",
        ),
        (
            "pump-1",
            0,
            "A pulse lasts 1 to 60 whole seconds. For longer, use an override.",
        ),
        ("valve-1", 5, "Device is offline"),
    ] {
        let body =
            json!({"cmd_type": "pulse", "device_id": device, "action": {"duration_sec": secs}});
        let answer = app
            .call(&owner, Method::POST, "/api/farms/a/commands", &body)
            .await
            .expect(StatusCode::OK);
        assert_eq!(
            (&answer["status"], &answer["message"]),
            (&json!("failure"), &json!(said)),
            "{device} {secs}"
        );
    }
    let body = json!({"cmd_type": "pulse", "device_id": "pump-1", "action": {"duration_sec": 60}});
    let answer = app
        .call(&owner, Method::POST, "/api/farms/a/commands", &body)
        .await
        .expect(StatusCode::OK);
    assert!(answer["command_id"].is_string(), "{answer}");
}
