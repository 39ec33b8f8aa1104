//! The automation log: what is told of what happens, who may see what of it, filters and pages.

use std::time::Duration;

use harit_api::Role;
use harit_engine::{InputKind, Lock, LockKind, Status};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::live::Socket;
use crate::support::{App, Person, alert, rule};

pub(super) async fn logs(app: &App, person: &Person, query: &str) -> Value {
    let path = format!("/api/farms/a/logs?pageSize=100&{query}");
    app.get(person, &path).await.expect(StatusCode::OK)
}

pub(super) fn items(page: &Value) -> &Vec<Value> {
    page["items"].as_array().expect("items")
}

pub(super) fn actions(page: &Value) -> Vec<&str> {
    items(page)
        .iter()
        .map(|item| item["action"].as_str().expect("an action"))
        .collect()
}

async fn command(app: &App, person: &Person, body: Value) -> Value {
    app.call(person, Method::POST, "/api/farms/a/commands", &body)
        .await
        .expect(StatusCode::OK)
}

pub(super) async fn device(app: &App, id: &str, status: Status) {
    let kind = InputKind::Status {
        device: id.into(),
        status,
    };
    app.hub.admit(&"a".into(), kind).await.expect("admitted");
}

#[tokio::test]
async fn manual_commands_are_told_once_with_what_became_of_them() {
    let (app, owner) = App::with_owner().await;
    let manager = app.person("a", Role::FarmManager).await;
    let on = |device: &str| {
        json!({"cmd_type": "override", "device_id": device, "action": {"action": "set_speed", "value": 40},
        "duration_sec": 600, "reason": "too hot"})
    };
    command(&app, &owner, on("fan-1")).await;
    command(&app, &manager, on("valve-1")).await;
    command(
        &app,
        &owner,
        json!({"cmd_type": "release", "device_id": "fan-1"}),
    )
    .await;
    let page = logs(&app, &owner, "type=manual_command").await;
    let told = items(&page);
    assert_eq!(
        actions(&page),
        [
            "Fan given back to automatic control: Fan off",
            "Manual command: Drip valve at 40% for 10 min",
            "Manual command: Fan at 40% for 10 min"
        ]
    );
    let first = &told[2];
    assert_eq!(
        (&first["userName"], &first["userId"]),
        (&json!("Asha Patil"), &json!(owner.id))
    );
    assert_eq!(
        (&first["deviceId"], &first["deviceName"], &first["ruleId"]),
        (&json!("fan-1"), &json!("Fan"), &Value::Null)
    );
    assert_eq!(first["scope"]["path"], "Polyhouse 1 / North");
    assert_eq!(
        (&first["details"]["kind"], &first["details"]["reason"]),
        (&json!("override"), &json!("too hot"))
    );
    // the device has no controller that could do it
    assert_eq!(first["result"], "failure");
    let sent = &first["details"]["commands"][0];
    assert_eq!(
        (&sent["commandId"], &sent["state"], &sent["value"]),
        (&json!("a-1"), &json!("failed"), &json!(40))
    );
    assert_eq!(first["errorMessage"], "the device has no controller");
    let refused = &told[1];
    assert_eq!(
        (&refused["result"], &refused["errorMessage"]),
        (&json!("failure"), &json!("Device is offline"))
    );
    assert_eq!(refused["details"]["commands"], json!([]));

    let request = app
        .request(Method::GET, "/api/farms/a/logs?type=manual_command")
        .bearer_auth(&owner.token)
        .header(header::ACCEPT_LANGUAGE, "mr");
    let in_marathi = app.send(request).await.expect(StatusCode::OK);
    assert_eq!(
        in_marathi["items"][2]["action"],
        "मॅन्युअल आदेश: Fan ४०% स्पीडने, १० मिनिटे"
    );
}

#[tokio::test]
async fn a_rule_is_told_from_its_making_to_its_end() {
    let (app, owner) = App::with_owner().await;
    let mut new = rule();
    new["id"] = json!("cool");
    new["trigger"]["duration_sec"] = json!(1);
    app.call(&owner, Method::POST, "/api/farms/a/rules", &new)
        .await
        .expect(StatusCode::CREATED);
    let path = "/api/farms/a/rules/cool";
    app.call(&owner, Method::PATCH, path, &json!({"deployed": true}))
        .await
        .expect(StatusCode::OK);
    for _ in 0..60 {
        app.reading("a", "t-1", 40_000_000).await;
        let status = app.get(&owner, path).await.expect(StatusCode::OK);
        if status["status"]["phase"] == "running" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    app.call(&owner, Method::PATCH, path, &json!({"mode": "disabled"}))
        .await
        .expect(StatusCode::OK);
    app.call(&owner, Method::DELETE, path, &json!(null))
        .await
        .expect(StatusCode::NO_CONTENT);
    let page = logs(&app, &owner, "device=COOL").await;
    assert_eq!(
        actions(&page),
        [
            "Rule \"Cool the house\" deleted",
            "Rule \"Cool the house\" disabled",
            "Rule \"Cool the house\" stopped: it was changed or switched off",
            "Rule \"Cool the house\" started: Fan on",
            "Rule \"Cool the house\" deployed",
            "Rule \"Cool the house\" created",
        ]
    );
    let told = items(&page);
    let kinds: Vec<&Value> = told.iter().map(|item| &item["type"]).collect();
    assert_eq!(
        kinds,
        [
            "rule_deploy",
            "rule_deploy",
            "rule_trigger",
            "rule_trigger",
            "rule_deploy",
            "rule_deploy"
        ]
    );
    let (stopped, fired) = (&told[2], &told[3]);
    assert_eq!(
        (&fired["ruleId"], &fired["deviceName"], &fired["userName"]),
        (&json!("cool"), &json!("Fan"), &Value::Null)
    );
    assert_eq!(fired["details"]["commands"][0]["action"], "on");
    assert_eq!(stopped["details"]["commands"][0]["action"], "off");
    assert_eq!(fired["scope"]["path"], "Polyhouse 1");
    assert_eq!(told[0]["scope"]["path"], "Polyhouse 1");
    assert_eq!(
        actions(&logs(&app, &owner, "device=fan&type=rule_trigger").await).len(),
        2
    );
}

#[tokio::test]
async fn locks_safety_presence_alerts_and_people_are_told() {
    let (app, owner) = App::with_owner().await;
    device(
        &app,
        "fan-1",
        Status {
            lock: Some(Lock::Engage {
                kind: LockKind::Person,
                reason: "door open".into(),
            }),
            ..Status::default()
        },
    )
    .await;
    device(
        &app,
        "fan-1",
        Status {
            lock: Some(Lock::OpenAll),
            ..Status::default()
        },
    )
    .await;
    device(
        &app,
        "pump-1",
        Status {
            safety: Some(false),
            ..Status::default()
        },
    )
    .await;
    for online in [false, true] {
        let status = Status {
            online: Some(online),
            ..Status::default()
        };
        device(&app, "fan-1", status).await;
    }
    app.call(&owner, Method::POST, "/api/farms/a/alerts", &alert())
        .await
        .expect(StatusCode::CREATED);
    app.reading("a", "ph-a", 4_000_000).await;
    let new = json!({"name": "Ravi More", "email": "ravi@x.test", "phone": "+919876543210", "role": "VIEWER", "languagePref": "hi"});
    app.call(&owner, Method::POST, "/api/farms/a/users", &new)
        .await
        .expect(StatusCode::CREATED);
    assert_eq!(
        actions(&logs(&app, &owner, "type=safety_override").await),
        [
            "Pump left safety mode",
            "Fan unlocked",
            "Fan locked: door open"
        ]
    );
    assert_eq!(
        actions(&logs(&app, &owner, "type=device_offline").await),
        ["Fan can be reached again", "Fan cannot be reached"]
    );
    let other = logs(&app, &owner, "type=other&user=asha").await;
    assert_eq!(
        actions(&other),
        ["Ravi More added", "Alert \"Acid\" created"]
    );
    assert_eq!(items(&other)[0]["details"]["email"], "ravi@x.test");
    let all = logs(&app, &owner, "").await;
    assert!(actions(&all).contains(&"Alert \"Acid\" raised"), "{all}");
    assert_eq!(all["total"], all["matching"]);

    let viewer = app.person("a", Role::Viewer).await;
    let text = logs(&app, &viewer, "").await.to_string();
    assert!(text.contains("Ravi More added"), "{text}");
    assert!(
        !text.contains("ravi@x.test") && !text.contains("9876543210"),
        "{text}"
    );
}

#[tokio::test]
async fn sockets_are_told_of_new_entries_and_not_of_each() {
    let (app, owner) = App::with_owner().await;
    let mut socket = Socket::signed_in(&app, &owner).await;
    socket.subscribe(&json!({"farmId": "a"})).await;
    let began = std::time::Instant::now();
    twenty_five(&app).await;
    assert_eq!(socket.event("log").await, json!({}));
    let page = logs(&app, &owner, "").await;
    assert!(page["total"].as_u64() > Some(0), "{page}");
    // what people do is told too
    app.call(&owner, Method::POST, "/api/farms/a/alerts", &alert())
        .await
        .expect(StatusCode::CREATED);
    socket.event("log").await;
    while began.elapsed() < Duration::from_millis(1_200) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    device(
        &app,
        "fan-1",
        Status {
            safety: Some(true),
            ..Status::default()
        },
    )
    .await;
    socket.event("log").await;
    let told = socket.heard_of("log");
    let at_most = 2 + usize::try_from(began.elapsed().as_millis() / 500).expect("a number");
    assert!(told <= at_most, "{told} in {:?}", began.elapsed());
}

#[tokio::test]
async fn pages_are_exact() {
    let (app, owner) = App::with_owner().await;
    twenty_five(&app).await;
    let path = "/api/farms/a/logs";
    let first = app.get(&owner, path).await.expect(StatusCode::OK);
    assert_eq!(
        (&first["total"], &first["matching"], &first["page"]),
        (&json!(25), &json!(25), &json!(1)),
        "{:?}",
        actions(&first)
    );
    assert_eq!((items(&first).len(), &first["pageSize"]), (20, &json!(20)));
    let second = app
        .get(&owner, &format!("{path}?page=2"))
        .await
        .expect(StatusCode::OK);
    assert_eq!(items(&second).len(), 5);
    let mut ids: Vec<i64> = items(&first)
        .iter()
        .chain(items(&second))
        .map(|item| {
            item["id"]
                .as_str()
                .expect("an id")
                .parse()
                .expect("a number")
        })
        .collect();
    assert!(ids.is_sorted_by(|a, b| a > b), "newest first: {ids:?}");
    ids.dedup();
    assert_eq!(ids.len(), 25);
    let beyond = app
        .get(&owner, &format!("{path}?page=9"))
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&beyond["matching"], &beyond["items"]),
        (&json!(25), &json!([]))
    );

    let at = items(&first)[3]["timestamp"].as_i64().expect("an instant");
    let until = logs(&app, &owner, &format!("to={at}")).await;
    assert!(
        items(&until)
            .iter()
            .all(|i| i["timestamp"].as_i64() <= Some(at))
    );
    let exactly = logs(&app, &owner, &format!("from={at}&to={at}")).await;
    assert!(
        items(&exactly)
            .iter()
            .any(|i| i["id"] == items(&first)[3]["id"]),
        "both ends count: {exactly}"
    );
}

/// Locks and unlocks the fan: 25 entries.
async fn twenty_five(app: &App) {
    for n in 0..25 {
        let lock = if n % 2 == 0 {
            Lock::Engage {
                kind: LockKind::Person,
                reason: "door".into(),
            }
        } else {
            Lock::OpenAll
        };
        let status = Status {
            lock: Some(lock),
            ..Status::default()
        };
        device(app, "fan-1", status).await;
    }
}

#[tokio::test]
async fn filters_are_exact() {
    let (app, owner) = App::with_owner().await;
    twenty_five(&app).await;
    let path = "/api/farms/a/logs";
    for (filter, matching) in [
        ("device=fA", 25),
        ("device=valve", 0),
        ("device=n%25", 0),
        ("type=safety_override&result=success&device=%20fan%20", 25),
        ("type=rule_trigger", 0),
        ("result=failure", 0),
        ("user=asha", 0),
    ] {
        let page = logs(&app, &owner, filter).await;
        assert_eq!(
            (&page["matching"], &page["total"]),
            (&json!(matching), &json!(25)),
            "{filter}"
        );
    }
    for (wrong, status) in [
        ("page=0", StatusCode::UNPROCESSABLE_ENTITY),
        ("pageSize=0", StatusCode::UNPROCESSABLE_ENTITY),
        ("pageSize=501", StatusCode::UNPROCESSABLE_ENTITY),
        ("from=2&to=1", StatusCode::UNPROCESSABLE_ENTITY),
        ("type=everything", StatusCode::BAD_REQUEST),
        ("result=1", StatusCode::BAD_REQUEST),
        ("page=-1", StatusCode::BAD_REQUEST),
        ("from=yesterday", StatusCode::BAD_REQUEST),
    ] {
        app.get(&owner, &format!("{path}?{wrong}"))
            .await
            .expect(status);
    }
    app.farm("b").await;
    let other = app.person("b", Role::Owner).await;
    app.get(&other, path).await.expect(StatusCode::NOT_FOUND);
    let theirs = app
        .get(&other, "/api/farms/b/logs?type=safety_override")
        .await
        .expect(StatusCode::OK);
    assert_eq!(theirs["matching"], 0);
}

#[tokio::test]
async fn a_device_without_reports_shows_what_it_was_told() {
    let (app, owner) = App::with_owner().await;
    let path = "/api/farms/a/devices/pump-1/history";
    let empty = app.get(&owner, path).await.expect(StatusCode::OK);
    assert_eq!(
        (&empty["segments"], &empty["reported"]),
        (&json!([]), &json!(false))
    );
    for (query, field) in [("from=5&to=5", "from"), ("from=0&to=9000000000", "from")] {
        let refused = app
            .get(&owner, &format!("{path}?{query}"))
            .await
            .expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(refused["problems"][0]["path"], field, "{query}");
    }
    app.get(&owner, &format!("{path}?from=x"))
        .await
        .expect(StatusCode::BAD_REQUEST);
    app.get(&owner, "/api/farms/a/devices/none/history")
        .await
        .expect(StatusCode::NOT_FOUND);
}
