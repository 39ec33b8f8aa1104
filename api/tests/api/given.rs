//! What a worker was given, where it ends: with the thing itself, with another's say, and with records that cannot be written.

use harit_api::Role;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::live::Socket;
use crate::support::{Answer, App, Person};

const FARM: &str = "/api/farms/a";
const WORK: &str = "/api/farms/a/work";
const COMMANDS: &str = "/api/farms/a/work/commands";
const PHONE: &str = "+919812345671";

/// A farm with an owner and a worker.
async fn farm() -> (App, Person, Person) {
    let (app, owner) = App::with_owner().await;
    let worker = app.person("a", Role::Worker).await;
    (app, owner, worker)
}

async fn give(app: &App, owner: &Person, worker: &str, given: &Value) -> Value {
    let path = format!("{FARM}/users/{worker}");
    let answer = app.call(owner, Method::PATCH, &path, given).await;
    answer.expect(StatusCode::OK)
}

/// A valve that can be pulsed.
async fn valve(app: &App) {
    let valve = json!({"put_device": {"id": "valve-2", "name": "Drip valve", "type": "valve", "scope": {"type": "farm"}, "online": true}});
    let change = serde_json::from_value(valve).expect("a change");
    let change = harit_engine::InputKind::Registry(vec![change]);
    let farm = harit_engine::FarmId::from("a");
    let admitted = app.hub.admit(&farm, change);
    admitted.await.expect("a valve");
}

async fn keyed(app: &App, by: &Person, key: &str, body: &Value) -> Answer {
    let request = app.request(Method::POST, COMMANDS).json(body);
    let request = request.header("idempotency-key", key);
    app.send(request.bearer_auth(&by.token)).await
}

/// How many commands there were.
async fn commands(app: &App, owner: &Person) -> usize {
    let all = app.get(owner, &format!("{FARM}/commands")).await;
    all.expect(StatusCode::OK).as_array().expect("a list").len()
}

#[tokio::test]
async fn accounts_that_become_one_keep_what_was_given() {
    let app = App::demo().await;
    for farm in ["a", "b"] {
        app.farm(farm).await;
        let owner = app.person(farm, Role::Owner).await;
        let worker = json!({"name": "Sunita", "phone": PHONE, "role": "WORKER", "languagePref": "mr", "devices": ["fan-1"]});
        let users = format!("/api/farms/{farm}/users");
        let added = app.call(&owner, Method::POST, &users, &worker).await;
        added.expect(StatusCode::CREATED);
    }
    app.post("/auth/send-otp", &json!({"contact": PHONE}))
        .await
        .expect(StatusCode::OK);
    let code = app.sent(PHONE).await["code"].clone();
    let code = json!({"contact": PHONE, "otp": code});
    let signed_in = app.post("/auth/verify-otp", &code).await;
    let signed_in = signed_in.expect(StatusCode::OK);
    let sunita = Person {
        id: signed_in["user"]["id"].as_str().expect("an id").to_owned(),
        email: String::new(),
        token: signed_in["token"].as_str().expect("a token").to_owned(),
    };
    for farm in ["a", "b"] {
        let work = app.get(&sunita, &format!("/api/farms/{farm}/work")).await;
        let work = work.expect(StatusCode::OK);
        assert_eq!(work["devices"][0]["id"], "fan-1", "{farm}");
    }
}

#[tokio::test]
async fn a_house_that_is_deleted_is_nobodys() {
    let (app, owner, worker) = farm().await;
    let house = json!({"name": "Nursery house"});
    let houses = format!("{FARM}/polyhouses");
    let made = app.call(&owner, Method::POST, &houses, &house).await;
    let house = made.expect(StatusCode::CREATED)["id"].clone();
    let given = json!({"polyhouses": [house, "ph-1"]});
    give(&app, &owner, &worker.id, &given).await;
    let path = format!("{houses}/{}", house.as_str().expect("an id"));
    let gone = app.call(&owner, Method::DELETE, &path, &json!({})).await;
    gone.expect(StatusCode::NO_CONTENT);
    let people = app.get(&owner, &format!("{FARM}/users")).await;
    let people = people.expect(StatusCode::OK);
    let people = people["users"].as_array().expect("a list");
    let seen = people.iter().find(|p| p["id"] == worker.id.as_str());
    assert_eq!(seen.expect("a worker")["polyhouses"], json!(["ph-1"]));
}

#[tokio::test]
async fn what_somebody_else_runs_is_not_a_workers_to_release() {
    let (app, owner, worker) = farm().await;
    give(&app, &owner, &worker.id, &json!({"devices": ["fan-1"]})).await;
    let on = json!({"cmd_type": "override", "device_id": "fan-1", "action": {"action": "on"}, "duration_sec": 600});
    let sent = app
        .call(&owner, Method::POST, &format!("{FARM}/commands"), &on)
        .await;
    sent.expect(StatusCode::OK);
    let release = json!({"deviceId": "fan-1", "action": "release"});
    let refused = app.call(&worker, Method::POST, COMMANDS, &release).await;
    refused.expect(StatusCode::FORBIDDEN);
    let fan = async || {
        let work = app.get(&worker, WORK).await.expect(StatusCode::OK);
        let fan = &work["devices"][0];
        (fan["state"]["mode"].clone(), fan["own"].clone())
    };
    assert_eq!(fan().await, (json!("manual"), json!(false)));
    // his own is
    let off = json!({"deviceId": "fan-1", "action": "off", "durationSec": 60});
    for (own, then) in [
        (off, (json!("manual"), json!(true))),
        (release, (json!("auto"), json!(false))),
    ] {
        let done = app.call(&worker, Method::POST, COMMANDS, &own).await;
        done.expect(StatusCode::OK);
        assert_eq!(fan().await, then);
    }
}

#[tokio::test]
async fn a_worker_pulses_once_and_switches_off_whatever_happens() {
    let (app, owner, worker) = farm().await;
    valve(&app).await;
    give(&app, &owner, &worker.id, &json!({"devices": ["valve-2"]})).await;
    let pulse = json!({"deviceId": "valve-2", "action": "pulse", "durationSec": 5});
    let first = keyed(&app, &worker, "k", &pulse).await;
    let first = first.expect(StatusCode::OK);
    assert!(first["command_id"].is_string(), "{first}");
    let again = keyed(&app, &worker, "k", &pulse).await;
    assert_eq!(again.expect(StatusCode::OK), first);
    assert_eq!(commands(&app, &owner).await, 1);

    app.database().await.fill("idempotency").await;
    let refused = keyed(&app, &worker, "p", &pulse).await.status;
    assert!(refused.is_server_error(), "{refused}");
    assert_eq!(commands(&app, &owner).await, 1);
    let off = json!({"deviceId": "valve-2", "action": "off", "durationSec": 60});
    keyed(&app, &worker, "o", &off).await.expect(StatusCode::OK);
    assert_eq!(commands(&app, &owner).await, 2);
}

#[tokio::test]
async fn a_key_neither_holds_up_what_switches_off_nor_a_photo() {
    let (app, owner, worker) = farm().await;
    valve(&app).await;
    give(&app, &owner, &worker.id, &json!({"devices": ["valve-2"]})).await;
    // what was asked with the key before is not the answer to this
    let on = json!({"deviceId": "valve-2", "action": "on", "durationSec": 60});
    keyed(&app, &worker, "k", &on).await.expect(StatusCode::OK);
    let off = json!({"deviceId": "valve-2", "action": "off", "durationSec": 60});
    keyed(&app, &worker, "k", &off).await.expect(StatusCode::OK);

    let task = json!({"title": "Prune", "dueDate": "2099-12-31", "assigneeId": worker.id});
    let tasks = format!("{FARM}/tasks");
    let task = app.call(&owner, Method::POST, &tasks, &task).await;
    let task = task.expect(StatusCode::CREATED)["id"].clone();
    let path = format!("{WORK}/tasks/{}/photo", task.as_str().expect("an id"));
    for (bytes, status) in [
        (400 * 1_024, StatusCode::NO_CONTENT),
        (400 * 1_024 + 1, StatusCode::PAYLOAD_TOO_LARGE),
    ] {
        let mut photo = b"\xff\xd8\xff\xe0".to_vec();
        photo.resize(bytes, 0);
        let request = app.request(Method::PUT, &path).body(photo);
        let request = request.header("idempotency-key", format!("photo-{bytes}"));
        let kept = app.send(request.bearer_auth(&worker.token)).await;
        kept.expect(status);
    }
}

#[tokio::test]
async fn a_lock_and_the_safety_mode_stop_a_worker_too() {
    let (app, owner, worker) = farm().await;
    let given = json!({"devices": ["fan-1", "pump-1"]});
    give(&app, &owner, &worker.id, &given).await;
    let lock = format!("{FARM}/devices/fan-1/lock");
    let why = json!({"reason": "belt"});
    let locked = app.call(&owner, Method::POST, &lock, &why).await;
    locked.expect(StatusCode::OK);
    for device in ["fan-1", "pump-1"] {
        let on = json!({"deviceId": device, "action": "on", "durationSec": 60});
        let refused = app.call(&worker, Method::POST, COMMANDS, &on).await;
        let refused = refused.expect(StatusCode::OK);
        assert_eq!(refused["status"], "failure", "{device}: {refused}");
        // refused, and not only undelivered
        assert!(refused["command_id"].is_null(), "{device}: {refused}");
    }
}

#[tokio::test]
async fn a_worker_is_not_told_how_the_rules_and_controllers_are_set_up() {
    let (app, owner, worker) = farm().await;
    give(&app, &owner, &worker.id, &json!({"devices": ["fan-1"]})).await;
    let mut rule = crate::support::rule();
    rule["trigger"]["duration_sec"] = json!(1);
    let rules = format!("{FARM}/rules");
    let saved = app.call(&owner, Method::POST, &rules, &rule).await;
    let id = saved.expect(StatusCode::CREATED)["id"].clone();
    let id = id.as_str().expect("an id");
    let deploy = json!({"deployed": true});
    let one = format!("{rules}/{id}");
    let deployed = app.call(&owner, Method::PATCH, &one, &deploy).await;
    deployed.expect(StatusCode::OK);
    let mut wanted = false;
    for _ in 0..60 {
        app.reading("a", "t-1", 40_000_000).await;
        let devices = app.get(&owner, &format!("{FARM}/devices")).await;
        let devices = devices.expect(StatusCode::OK);
        let mut all = devices.as_array().expect("a list").iter();
        wanted = all.any(|d| d["id"] == "fan-1" && d["claims"][0]["rule"] == id);
        if wanted {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(wanted, "the rule never wanted it");
    let work = app.get(&worker, WORK).await.expect(StatusCode::OK);
    let fan = &work["devices"][0];
    assert_eq!(
        (&fan["claims"], &fan["controller"]),
        (&json!([]), &json!(null))
    );
    assert!(!work.to_string().contains(id), "{work}");
}

/// A pulse claims nothing, and yet somebody wanted it.
#[tokio::test]
async fn a_rules_pulse_is_told_with_its_rule_and_to_a_worker_without() {
    let (app, owner, worker) = farm().await;
    valve(&app).await;
    give(&app, &owner, &worker.id, &json!({"devices": ["valve-2"]})).await;
    let mut rule = crate::support::rule();
    rule["trigger"]["duration_sec"] = json!(1);
    rule["actions"] =
        json!([{"device_id": "valve-2", "command": {"action": "pulse", "value": 60}}]);
    let rules = format!("{FARM}/rules");
    let saved = app.call(&owner, Method::POST, &rules, &rule).await;
    let id = saved.expect(StatusCode::CREATED)["id"].clone();
    let id = id.as_str().expect("an id");
    let one = format!("{rules}/{id}");
    let deploy = json!({"deployed": true});
    let deployed = app.call(&owner, Method::PATCH, &one, &deploy).await;
    deployed.expect(StatusCode::OK);
    let mut pulse = Value::Null;
    for _ in 0..60 {
        app.reading("a", "t-1", 40_000_000).await;
        let devices = app.get(&owner, &format!("{FARM}/devices")).await;
        let devices = devices.expect(StatusCode::OK);
        let mut all = devices.as_array().expect("a list").iter();
        let valve = all.find(|d| d["id"] == "valve-2").expect("the valve");
        pulse = valve["pulse"].clone();
        assert_eq!(valve["desired_by"], "rest");
        if !pulse.is_null() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(pulse["rule"], id);
    let work = app.get(&worker, WORK).await.expect(StatusCode::OK);
    let told = &work["devices"][0]["pulse"];
    assert_eq!(
        (&told["rule"], &told["until"]),
        (&json!("rules"), &pulse["until"])
    );
    // who switches it off ends it
    let off = json!({"deviceId": "valve-2", "action": "off", "durationSec": 60});
    keyed(&app, &worker, "off", &off)
        .await
        .expect(StatusCode::OK);
    let work = app.get(&worker, WORK).await.expect(StatusCode::OK);
    assert_eq!(work["devices"][0]["pulse"], Value::Null);
}

#[tokio::test]
async fn a_worker_is_told_of_stops_where_he_works_and_of_his_own() {
    let (app, owner, worker) = farm().await;
    let stop = async |by: &Person, device: &str| {
        let body = json!({"scope": {"type": "device", "deviceId": device}, "reason": "smoke"});
        let path = format!("{FARM}/stop");
        let stopped = app.call(by, Method::POST, &path, &body).await;
        stopped.expect(StatusCode::OK);
    };
    let told = async || {
        let stops = app.get(&worker, &format!("{FARM}/stop")).await;
        let stops = stops.expect(StatusCode::OK);
        let mut told = Vec::new();
        for stop in stops["stops"].as_array().expect("a list") {
            for device in stop["devices"].as_array().expect("a list") {
                let by = stop["by"]["user_id"] == worker.id.as_str();
                let device = device["deviceId"].as_str().expect("an id");
                told.push((by, device.to_owned()));
            }
        }
        told.sort();
        told
    };
    for device in ["fan-1", "valve-1", "pump-1"] {
        stop(&owner, device).await;
    }
    assert_eq!(told().await, []);
    stop(&worker, "pump-1").await;
    let own = (true, "pump-1".to_owned());
    assert_eq!(told().await, std::slice::from_ref(&own));
    give(&app, &owner, &worker.id, &json!({"devices": ["fan-1"]})).await;
    let fan = (false, "fan-1".to_owned());
    assert_eq!(told().await, [fan.clone(), own.clone()]);
    give(&app, &owner, &worker.id, &json!({"polyhouses": ["ph-1"]})).await;
    let valve = (false, "valve-1".to_owned());
    assert_eq!(told().await, [fan, valve, own]);

    // he opens his own, and nobody else's
    let open = json!({"scope": {"type": "farm"}, "nobodyAtTheMachine": true});
    let path = format!("{FARM}/stop/open");
    let mut others = open.clone();
    others["userId"] = json!(owner.id);
    let refused = app.call(&worker, Method::POST, &path, &others).await;
    refused.expect(StatusCode::FORBIDDEN);
    let opened = app.call(&worker, Method::POST, &path, &open).await;
    opened.expect(StatusCode::OK);
    assert!(told().await.iter().all(|(by, _)| !by));
}

/// Fails if a worker's socket heard more than that what he has may be another.
fn heard_work_alone(socket: &Socket<'_>) {
    let events = socket.heard().iter().filter(|p| p.starts_with("42"));
    for event in events {
        let hint = r#"42["records",{"kinds":["work"]}]"#;
        assert!(event == hint || event == r#"42["reload",{}]"#, "{event}");
    }
}

#[tokio::test]
async fn a_worker_is_told_live_that_what_he_has_is_another_and_nothing_else() {
    let (app, owner, worker) = farm().await;
    let mut socket = Socket::signed_in(&app, &worker).await;
    let taken = socket.subscribe(&json!({"farmId": "a"})).await;
    assert_eq!(taken, json!({"ok": true, "farmId": "a"}));
    let mut hint = async || {
        let told = socket.event("records").await;
        assert_eq!(told, json!({"kinds": ["work"]}));
    };
    app.reading("a", "t-1", 31_000_000).await;
    let task = json!({"title": "Prune", "dueDate": "2099-12-31", "assigneeId": worker.id});
    let path = format!("{FARM}/tasks");
    let made = app.call(&owner, Method::POST, &path, &task).await;
    made.expect(StatusCode::CREATED);
    hint().await;
    give(&app, &owner, &worker.id, &json!({"devices": ["fan-1"]})).await;
    hint().await;
    let stop = json!({"scope": {"type": "device", "deviceId": "fan-1"}});
    let path = format!("{FARM}/stop");
    let stopped = app.call(&owner, Method::POST, &path, &stop).await;
    stopped.expect(StatusCode::OK);
    hint().await;
    heard_work_alone(&socket);

    // another farm's he is not told of
    app.farm("b").await;
    let refused = socket.subscribe(&json!({"farmId": "b"})).await;
    assert_eq!(refused["code"], "not_found");
}

#[tokio::test]
async fn who_becomes_a_worker_is_told_as_one_within_a_second() {
    let (app, owner, _) = farm().await;
    let viewer = app.person("a", Role::Viewer).await;
    let mut socket = Socket::signed_in(&app, &viewer).await;
    let taken = socket.subscribe(&json!({"farmId": "a"})).await;
    assert_eq!(taken["ok"], true, "{taken}");
    give(&app, &owner, &viewer.id, &json!({"role": "WORKER"})).await;
    socket.event("reload").await;
    let before = socket.heard().len();
    app.reading("a", "t-1", 31_000_000).await;
    tokio::time::sleep(std::time::Duration::from_millis(1_500)).await;
    let task = json!({"title": "Prune", "dueDate": "2099-12-31", "assigneeId": viewer.id});
    let path = format!("{FARM}/tasks");
    let made = app.call(&owner, Method::POST, &path, &task).await;
    made.expect(StatusCode::CREATED);
    while socket.event("records").await != json!({"kinds": ["work"]}) {}
    let after = &socket.heard()[before..];
    assert!(!after.iter().any(|p| p.contains("telemetry")), "{after:?}");
    assert_eq!(socket.heard_of("telemetry"), 0);
}

#[tokio::test]
async fn of_too_many_photos_those_of_closed_tasks_go_first() {
    let (app, owner, worker) = farm().await;
    let tasks = format!("{FARM}/tasks");
    let mut made = Vec::new();
    for title in ["open", "closed", "new"] {
        let task = json!({"title": title, "dueDate": "2099-12-31", "assigneeId": worker.id});
        let task = app.call(&owner, Method::POST, &tasks, &task).await;
        let id = task.expect(StatusCode::CREATED)["id"].clone();
        made.push(id.as_str().expect("an id").to_owned());
    }
    let put = async |task: &str| {
        let path = format!("{WORK}/tasks/{task}/photo");
        let request = app
            .request(Method::PUT, &path)
            .body(&b"\xff\xd8\xff\xe0"[..]);
        let kept = app.send(request.bearer_auth(&worker.token)).await;
        kept.expect(StatusCode::NO_CONTENT);
    };
    put(&made[0]).await;
    put(&made[1]).await;
    let close = json!({"status": "CLOSED", "afterId": null});
    let path = format!("{tasks}/{}/move", made[1]);
    let closed = app.call(&owner, Method::POST, &path, &close).await;
    closed.expect(StatusCode::OK);
    // as many as a farm has, all newer and of open tasks
    let more = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 498) \
        INSERT INTO tasks (id, farm_id, title, due_date, status, priority, rank, created_at, updated_at) \
        SELECT 'more-' || i, 'a', 'More', '2099-12-31', 'OPEN', 'LOW', i, 1, 1 FROM n";
    assert_eq!(app.meddle(more).await, 498);
    let photos = "INSERT INTO task_photos (task_id, farm_id, media_type, bytes, taken_at) \
        SELECT id, farm_id, 'image/jpeg', (SELECT bytes FROM task_photos LIMIT 1), 9e15 FROM tasks WHERE id LIKE 'more-%'";
    assert_eq!(app.meddle(photos).await, 498);
    put(&made[2]).await;
    let status = async |task: &str| {
        let path = format!("{tasks}/{task}/photo");
        app.request(Method::GET, &path)
            .bearer_auth(&owner.token)
            .send()
            .await
            .expect("an answer")
            .status()
    };
    assert_eq!(status(&made[1]).await, StatusCode::NOT_FOUND);
    assert_eq!(status(&made[0]).await, StatusCode::OK);
    assert_eq!(status(&made[2]).await, StatusCode::OK);
}
