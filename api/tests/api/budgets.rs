//! A user's requests are counted by kind: looking never takes away acting, and nothing takes away stopping.

use std::sync::Arc;

use harit_api::{ApiConfig, NoProvider, Role};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::support::{Answer, App, Person, rule};

const COMMANDS: &str = "/api/farms/a/commands";

async fn app() -> (App, Person) {
    let config = ApiConfig {
        reads_per_user: 10,
        changes_per_user: 4,
        commands_per_user: 5,
        stops_per_user: 12,
        ..ApiConfig::default()
    };
    let app = App::with(config, Arc::new(NoProvider)).await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    (app, owner)
}

async fn command(app: &App, person: &Person, body: Value) -> Answer {
    app.call(person, Method::POST, COMMANDS, &body).await
}

fn release() -> Value {
    json!({"cmd_type": "release", "device_id": "fan-1"})
}

fn off() -> Value {
    json!({"cmd_type": "override", "device_id": "fan-1", "action": {"on": false}, "duration_sec": 60})
}

fn on() -> Value {
    // a device that there is not: nothing is sent, and the request counts all the same
    json!({"cmd_type": "override", "device_id": "fan-9", "action": {"on": true}, "duration_sec": 60})
}

/// Asks until it is refused; how many went through, and the refusal.
async fn exhaust(mut ask: impl AsyncFnMut() -> Answer) -> (usize, Answer) {
    for n in 0..100 {
        let answer = ask().await;
        if answer.status == StatusCode::TOO_MANY_REQUESTS {
            return (n, answer);
        }
    }
    panic!("100 requests went through");
}

#[tokio::test]
async fn looking_never_takes_away_acting() {
    let (app, owner) = app().await;
    let (reads, refused) = exhaust(async || app.get(&owner, "/api/farms/a/devices").await).await;
    assert!((10..13).contains(&reads), "{reads}");
    assert!(refused.headers.contains_key(header::RETRY_AFTER));
    assert_eq!(
        refused.expect(StatusCode::TOO_MANY_REQUESTS)["code"],
        "too_many_reads"
    );
    // what is read by other routes is the same budget
    app.get(&owner, "/auth/me")
        .await
        .expect(StatusCode::TOO_MANY_REQUESTS);
    command(&app, &owner, off()).await.expect(StatusCode::OK);
    command(&app, &owner, release())
        .await
        .expect(StatusCode::OK);
    command(&app, &owner, on())
        .await
        .expect(StatusCode::NOT_FOUND);
    app.call(&owner, Method::POST, "/api/farms/a/rules", &rule())
        .await
        .expect(StatusCode::CREATED);
    // and nobody else pays for it
    let other = app.person("a", Role::Viewer).await;
    app.get(&other, "/auth/me").await.expect(StatusCode::OK);
}

#[tokio::test]
async fn nothing_takes_away_stopping() {
    let (app, owner) = app().await;
    exhaust(async || app.get(&owner, "/api/farms/a/devices").await).await;
    let rules = "/api/farms/a/rules";
    let change = async || app.call(&owner, Method::POST, rules, &json!({})).await;
    let (changes, refused) = exhaust(change).await;
    assert!((4..6).contains(&changes), "{changes}");
    assert_eq!(refused.json()["code"], "too_many_changes");
    let (commands, refused) = exhaust(async || command(&app, &owner, on()).await).await;
    assert!((5..7).contains(&commands), "{commands}");
    assert_eq!(refused.json()["code"], "too_many_commands");
    // a command that cannot be read is no stop
    let odd = command(&app, &owner, json!({"cmd_type": "stop it"})).await;
    assert_eq!(odd.json()["code"], "too_many_commands");
    for _ in 0..5 {
        command(&app, &owner, off()).await.expect(StatusCode::OK);
        command(&app, &owner, release())
            .await
            .expect(StatusCode::OK);
    }
    let (_, refused) = exhaust(async || command(&app, &owner, off()).await).await;
    assert_eq!(refused.json()["code"], "too_many_stops");
}
