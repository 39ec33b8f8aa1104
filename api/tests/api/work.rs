//! A worker: his tasks, what he was given, and nothing else of the farm.

use harit_api::Role;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Answer, App, Person};

const JPEG: &[u8] = b"\xff\xd8\xff\xe0 a photo";

/// A farm with an owner, a worker, and the worker's task.
struct Farm {
    app: App,
    owner: Person,
    worker: Person,
    task: Value,
}

impl Farm {
    async fn new() -> Self {
        let (app, owner) = App::with_owner().await;
        let worker = app.person("a", Role::Worker).await;
        let farm = Self {
            app,
            owner,
            worker,
            task: Value::Null,
        };
        let task = farm.task("Prune", &farm.worker.id).await;
        Self { task, ..farm }
    }

    async fn task(&self, title: &str, assignee: &str) -> Value {
        let body = json!({"title": title, "dueDate": "2099-12-31", "assigneeId": assignee});
        let path = "/api/farms/a/tasks";
        let made = self.app.call(&self.owner, Method::POST, path, &body).await;
        made.expect(StatusCode::CREATED)
    }

    async fn give(&self, given: &Value) -> Answer {
        let path = format!("/api/farms/a/users/{}", self.worker.id);
        self.app
            .call(&self.owner, Method::PATCH, &path, given)
            .await
    }

    async fn work(&self) -> Value {
        let work = self.app.get(&self.worker, "/api/farms/a/work").await;
        work.expect(StatusCode::OK)
    }

    async fn change(&self, task: &Value, change: &Value, etag: Option<&str>) -> Answer {
        let id = task["id"].as_str().expect("an id");
        let path = format!("/api/farms/a/work/tasks/{id}");
        let request = self.app.request(Method::PATCH, &path).json(change);
        let request = request.bearer_auth(&self.worker.token);
        let request = match etag {
            Some(etag) => request.header("if-match", format!("\"{etag}\"")),
            None => request,
        };
        self.app.send(request).await
    }

    async fn photo(&self, method: Method, task: &Value, bytes: &[u8]) -> Answer {
        let id = task["id"].as_str().expect("an id");
        let path = format!("/api/farms/a/work/tasks/{id}/photo");
        let request = self.app.request(method, &path).body(bytes.to_vec());
        self.app.send(request.bearer_auth(&self.worker.token)).await
    }

    async fn command(&self, command: &Value) -> Answer {
        let path = "/api/farms/a/work/commands";
        self.app
            .call(&self.worker, Method::POST, path, command)
            .await
    }
}

#[tokio::test]
async fn a_worker_does_his_own_tasks() {
    let farm = Farm::new().await;
    let others = farm.task("Sell", &farm.owner.id).await;
    let work = farm.work().await;
    assert_eq!(work["tasks"].as_array().map(Vec::len), Some(1));
    assert_eq!(work["tasks"][0]["title"], "Prune");
    assert_eq!(
        (&work["houses"], &work["devices"]),
        (&json!([]), &json!([]))
    );

    let step = json!({"step": "begun", "note": " two rows left "});
    let begun = farm.change(&farm.task, &step, None).await;
    let begun = begun.expect(StatusCode::OK);
    assert_eq!(
        (&begun["status"], &begun["note"]),
        (&json!("IN_PROGRESS"), &json!("two rows left"))
    );
    // of a version that somebody changed meanwhile
    let stale = farm.task["etag"].as_str();
    let refused = farm
        .change(&farm.task, &json!({"step": "finished"}), stale)
        .await;
    refused.expect(StatusCode::PRECONDITION_FAILED);
    let etag = begun["etag"].as_str();
    let done = farm
        .change(&farm.task, &json!({"step": "finished"}), etag)
        .await;
    assert_eq!(done.expect(StatusCode::OK)["status"], "IN_REVIEW");
    // what is done today stays in sight
    assert_eq!(farm.work().await["tasks"].as_array().map(Vec::len), Some(1));

    // others' tasks are not there, and what is closed is over
    let refused = farm.change(&others, &json!({"step": "begun"}), None).await;
    refused.expect(StatusCode::NOT_FOUND);
    let id = farm.task["id"].as_str().expect("an id");
    let path = format!("/api/farms/a/tasks/{id}/move");
    let close = json!({"status": "CLOSED", "afterId": null});
    let closed = farm
        .app
        .call(&farm.owner, Method::POST, &path, &close)
        .await;
    closed.expect(StatusCode::OK);
    let refused = farm
        .change(&farm.task, &json!({"step": "begun"}), None)
        .await;
    refused.expect(StatusCode::FORBIDDEN);
    let long = json!({"note": "x".repeat(1_001)});
    let refused = farm.change(&farm.task, &long, None).await;
    refused.expect(StatusCode::UNPROCESSABLE_ENTITY);

    let moved = farm.app.audited("a", "task_moved").await;
    assert_eq!(moved.len(), 3, "{moved:?}");
    assert_eq!(moved[0].1["to"], "IN_PROGRESS");
}

#[tokio::test]
async fn a_photo_is_one_a_task_and_an_image() {
    let farm = Farm::new().await;
    let task = &farm.task;
    let put = async |bytes: &[u8]| farm.photo(Method::PUT, task, bytes).await;
    put(JPEG).await.expect(StatusCode::NO_CONTENT);
    put(b"RIFF\0\0\0\0WEBPVP8 ")
        .await
        .expect(StatusCode::NO_CONTENT);
    for bad in [&b"<svg onload='x'>"[..], b""] {
        put(bad).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
    }
    let mut huge = JPEG.to_vec();
    huge.resize(400 * 1_024 + 1, 0);
    put(&huge).await.expect(StatusCode::PAYLOAD_TOO_LARGE);

    let id = task["id"].as_str().expect("an id");
    let board = format!("/api/farms/a/tasks/{id}/photo");
    let request = farm.app.request(Method::GET, &board);
    let request = request.bearer_auth(&farm.owner.token);
    let seen = request.send().await.expect("an answer");
    assert_eq!(seen.status(), StatusCode::OK);
    assert_eq!(seen.headers()["content-type"], "image/webp");
    assert_eq!(seen.headers()["cache-control"], "private, no-cache");
    assert_eq!(seen.headers()["x-content-type-options"], "nosniff");
    assert_eq!(&seen.bytes().await.expect("bytes")[8..12], b"WEBP");
    assert!(farm.work().await["tasks"][0]["photoAt"].is_i64());

    let others = farm.task("Sell", &farm.owner.id).await;
    for method in [Method::PUT, Method::GET, Method::DELETE] {
        let refused = farm.photo(method, &others, JPEG).await;
        refused.expect(StatusCode::NOT_FOUND);
    }
    let gone = farm.photo(Method::DELETE, task, b"").await;
    gone.expect(StatusCode::NO_CONTENT);
    let gone = farm.photo(Method::DELETE, task, b"").await;
    gone.expect(StatusCode::NOT_FOUND);
    assert!(farm.work().await["tasks"][0]["photoAt"].is_null());
    let entries = farm.app.audited("a", "task_changed").await;
    let photos: Vec<_> = entries.iter().map(|(_, d)| &d["photo"]).collect();
    assert_eq!(photos, [true, true, false]);
}

#[tokio::test]
async fn a_worker_commands_what_he_was_given() {
    let farm = Farm::new().await;
    let on = json!({"deviceId": "fan-1", "action": "on", "durationSec": 600});
    farm.command(&on).await.expect(StatusCode::NOT_FOUND);
    let given = farm.give(&json!({"devices": ["fan-1", "fan-1"]})).await;
    assert_eq!(given.expect(StatusCode::OK)["devices"], json!(["fan-1"]));
    let work = farm.work().await;
    assert_eq!(work["devices"][0]["id"], "fan-1");
    let done = farm.command(&on).await.expect(StatusCode::OK);
    let life = farm.app.get(&farm.owner, "/api/farms/a/commands").await;
    let life = life.expect(StatusCode::OK);
    assert_eq!(life[0]["command_id"], done["command_id"]);
    assert_eq!(life[0]["owner"]["user_id"], farm.worker.id);
    let lasts = life[0]["until"].as_i64().zip(life[0]["at"].as_i64());
    assert_eq!(lasts.map(|(until, at)| until - at), Some(600_000));
    for bad in [
        json!({"deviceId": "fan-1", "action": "on"}),
        json!({"deviceId": "fan-1", "action": "off"}),
        json!({"deviceId": "fan-1", "action": "on", "durationSec": 1_801}),
        json!({"deviceId": "fan-1", "action": "on", "durationSec": 59}),
        json!({"deviceId": "fan-1", "action": "set_speed", "durationSec": 600}),
    ] {
        let refused = farm.command(&bad).await;
        assert!(refused.status.is_client_error(), "{bad}: {}", refused.text);
    }
    let back = json!({"deviceId": "fan-1", "action": "release"});
    farm.command(&back).await.expect(StatusCode::OK);
    // STOP is everybody's
    let stop = json!({"scope": {"type": "device", "deviceId": "fan-1"}});
    let path = "/api/farms/a/stop";
    let stopped = farm.app.call(&farm.worker, Method::POST, path, &stop).await;
    stopped.expect(StatusCode::OK);
    assert!(!farm.app.audited("a", "command").await.is_empty());
}

#[tokio::test]
async fn what_is_given_is_the_farms_and_goes_with_the_role() {
    let farm = Farm::new().await;
    let houses = farm.app.get(&farm.owner, "/api/farms/a/polyhouses").await;
    let houses = houses.expect(StatusCode::OK);
    let house = houses[0]["id"].as_str().expect("a house");
    for bad in [
        json!({"devices": ["nothing"]}),
        json!({"polyhouses": ["fan-1"]}),
        json!({"role": "VIEWER", "devices": ["fan-1"]}),
    ] {
        let refused = farm.give(&bad).await;
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY);
    }
    let given = json!({"polyhouses": [house], "devices": ["fan-1"]});
    farm.give(&given).await.expect(StatusCode::OK);
    let work = farm.work().await;
    assert_eq!(work["houses"][0]["polyhouseId"], house);
    assert!(work["houses"][0]["verdict"].is_string(), "{work}");
    let read = |sensor: &'static str, micro| farm.app.reading("a", sensor, micro);
    read("t-1", 31_000_000).await;
    let latest = farm.work().await["houses"][0]["latest"].clone();
    assert_eq!(latest["temperature"]["value"], 31, "{latest}");

    // another role takes it away, also once it is a worker's again
    for role in ["VIEWER", "WORKER"] {
        let changed = farm
            .give(&json!({"role": role}))
            .await
            .expect(StatusCode::OK);
        assert_eq!(
            (&changed["devices"], &changed["polyhouses"]),
            (&json!([]), &json!([]))
        );
    }
    let changes = farm.app.audited("a", "user_changed").await;
    assert_eq!(changes[0].1["grants"]["devices"], json!(["fan-1"]));
    // and an admin looks after workers
    let admin = farm.app.person("a", Role::Admin).await;
    let path = format!("/api/farms/a/users/{}", farm.worker.id);
    let given = farm
        .app
        .call(&admin, Method::PATCH, &path, &json!({"devices": ["fan-1"]}))
        .await;
    given.expect(StatusCode::OK);
    let invite = json!({"mobile": "9812345670", "role": "WORKER", "languagePref": "mr"});
    let invited = farm
        .app
        .call(&admin, Method::POST, "/onboarding/invite-user", &invite)
        .await;
    invited.expect(StatusCode::CREATED);
}
