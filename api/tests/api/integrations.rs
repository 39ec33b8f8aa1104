//! Accounts that read a farm by MQTT: made, listed, blocked, renewed and removed, and that what they had open ends.

use std::sync::{Arc, Mutex};

use harit_ingest::ControllerDirectory;
use harit_ingest::mqtt::{Principal, Refusal};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::App;

const LIST: &str = "/api/farms/a/integrations";

#[tokio::test]
async fn an_integration_lives_and_each_change_ends_its_connections() {
    let (app, owner) = App::with_owner().await;
    let ended: Arc<Mutex<Vec<Principal>>> = Arc::default();
    let seen = ended.clone();
    let listed = app.get(&owner, LIST).await.expect(StatusCode::OK);
    assert_eq!(listed, json!({"integrations": [], "endpoint": false}));
    let _state = app.state.clone().kicking(Arc::new(move |principal| {
        seen.lock().expect("a list").push(principal.clone());
        1
    }));
    let made = app
        .call(&owner, Method::POST, LIST, &json!({"name": "Grafana"}))
        .await;
    let made = made.expect(StatusCode::CREATED);
    let (mqtt, id) = (
        &made["mqtt"],
        made["integration"]["id"].as_str().expect("an id"),
    );
    assert_eq!(mqtt["username"], id);
    assert_eq!(mqtt["topic"], "harit/1/a/#");
    let password = mqtt["password"].as_str().expect("a password").to_owned();
    let principal = Principal::Integration {
        farm: "a".into(),
        name: id.into(),
    };
    let verify = async |secret: &str| app.records.verify_integration(id, secret.as_bytes()).await;
    assert_eq!(verify(&password).await, Ok(principal.clone()));
    assert_eq!(verify("guess").await, Err(Refusal::BadCredentials));
    let one = |listed: Value| listed["integrations"][0].clone();
    let listed = one(app.get(&owner, LIST).await.expect(StatusCode::OK));
    assert!(listed["lastConnectedAt"].as_i64().is_some(), "{listed}");
    assert!(listed.get("password").is_none(), "{listed}");

    let path = format!("{LIST}/{id}");
    let change = async |body: Value| {
        let done = app.call(&owner, Method::PATCH, &path, &body).await;
        done.expect(StatusCode::NO_CONTENT);
    };
    change(json!({"name": "Grafana at home"})).await;
    assert!(
        ended.lock().expect("a list").is_empty(),
        "a name ends nothing"
    );
    change(json!({"enabled": false})).await;
    assert_eq!(verify(&password).await, Err(Refusal::Disabled));
    change(json!({"enabled": true})).await;
    let secret = format!("{path}/secret");
    let renewed = app.call(&owner, Method::POST, &secret, &json!({})).await;
    let renewed = renewed.expect(StatusCode::CREATED);
    let second = renewed["mqtt"]["password"].as_str().expect("a password");
    assert_eq!(renewed["integration"]["name"], "Grafana at home");
    assert_eq!(verify(&password).await, Err(Refusal::BadCredentials));
    assert_eq!(verify(second).await, Ok(principal.clone()));
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    assert_eq!(verify(second).await, Err(Refusal::BadCredentials));
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NOT_FOUND);
    // blocked, renewed, removed
    let ended = ended.lock().expect("a list").clone();
    assert_eq!(ended, vec![principal; 3]);
    let told: Vec<String> = app
        .audited("a", "integration%")
        .await
        .into_iter()
        .map(|(a, _)| a)
        .collect();
    let all = [
        "made",
        "renamed",
        "disabled",
        "enabled",
        "secret_renewed",
        "removed",
    ];
    assert_eq!(told, all.map(|what| format!("integration_{what}")));
}

#[tokio::test]
async fn an_integration_is_its_farms_alone_and_outlives_the_server() {
    let (app, owner) = App::with_owner().await;
    app.farm("b").await;
    let other = app.person("b", harit_api::Role::Owner).await;
    let made = app
        .call(&owner, Method::POST, LIST, &json!({"name": "Logger"}))
        .await;
    let made = made.expect(StatusCode::CREATED);
    let id = made["integration"]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let password = made["mqtt"]["password"]
        .as_str()
        .expect("a password")
        .to_owned();
    let theirs = format!("/api/farms/b/integrations/{id}");
    app.call(&other, Method::DELETE, &theirs, &json!({}))
        .await
        .expect(StatusCode::NOT_FOUND);
    let listed = app
        .get(&other, "/api/farms/b/integrations")
        .await
        .expect(StatusCode::OK);
    assert_eq!(listed["integrations"], json!([]));
    for bad in [
        json!({"name": ""}),
        json!({"name": "x".repeat(81)}),
        json!({}),
    ] {
        let said = app.call(&owner, Method::POST, LIST, &bad).await;
        assert_eq!(
            said.expect(StatusCode::UNPROCESSABLE_ENTITY)["problems"][0]["path"],
            "name"
        );
    }
    for _ in 1..50 {
        app.call(&owner, Method::POST, LIST, &json!({"name": "Logger"}))
            .await
            .expect(StatusCode::CREATED);
    }
    let full = app
        .call(&owner, Method::POST, LIST, &json!({"name": "Logger"}))
        .await;
    assert_eq!(
        full.expect(StatusCode::CONFLICT)["code"],
        "too_many_records"
    );
    let app = app.restart(harit_api::ApiConfig::default()).await;
    let known = app
        .records
        .verify_integration(&id, password.as_bytes())
        .await;
    assert!(known.is_ok(), "{known:?}");
}
