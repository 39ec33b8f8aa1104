//! Reservoirs: made, changed, and deleted only when nothing needs them.

use harit_api::Role;
use harit_protocol::Mac;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::live::Socket;
use crate::places::{RESERVOIRS, at, call, made, named};
use crate::support::App;

#[tokio::test]
async fn a_reservoir_is_made_changed_and_deleted() {
    let app = App::start().await;
    app.farm("a").await;
    let admin = app.person("a", Role::Admin).await;
    let mut socket = Socket::signed_in(&app, &admin).await;
    socket.subscribe(&json!({"farmId": "a"})).await;
    let tank = made(
        &app,
        &admin,
        RESERVOIRS,
        json!({"name": "Tank 1", "capacity": 5000.5, "lastRefill": 1_700_000_000_000_i64}),
    )
    .await;
    assert_eq!(
        socket.event("records").await,
        json!({"kinds": ["reservoirs"]})
    );
    assert_eq!(
        tank,
        json!({"id": tank["id"], "etag": tank["etag"], "name": "Tank 1", "capacity": 5000.5, "lastRefill": 1_700_000_000_000_i64, "levelPercent": null, "currentLevel": null})
    );
    let (status, changed) = call(
        &app,
        &admin,
        Method::PUT,
        &at(RESERVOIRS, &tank),
        json!({"name": "Rain tank", "capacity": null}),
    )
    .await;
    assert_eq!(
        (status, &changed["name"], &changed["capacity"]),
        (StatusCode::OK, &json!("Rain tank"), &Value::Null)
    );
    assert_eq!(
        app.get(&admin, RESERVOIRS).await.expect(StatusCode::OK),
        json!([changed])
    );
    // one that a controller serves stays
    let mac = Mac::parse("AABBCCDDEE01").expect("a MAC");
    app.records
        .create_reservoir_controller("a", mac, "North tank", "s", "tank-1", Some(200.0), None)
        .await
        .expect("a reservoir");
    let (status, answer) = call(
        &app,
        &admin,
        Method::DELETE,
        &format!("{RESERVOIRS}/tank-1"),
        json!({}),
    )
    .await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert_eq!(
        named(&answer),
        [("controllers.AABBCCDDEE01", "Controller: North tank")]
    );
    app.reading("a", "level-1", 50_000_000).await;
    let (_, served) = call(
        &app,
        &admin,
        Method::PUT,
        &format!("{RESERVOIRS}/tank-1"),
        json!({"name": "North", "capacity": 400}),
    )
    .await;
    assert_eq!(
        (&served["levelPercent"], &served["currentLevel"]),
        (&json!(50), &json!(200.0))
    );
    let (status, _) = call(
        &app,
        &admin,
        Method::DELETE,
        &at(RESERVOIRS, &tank),
        json!({}),
    )
    .await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let (status, _) = call(
        &app,
        &admin,
        Method::PUT,
        &at(RESERVOIRS, &tank),
        json!({"name": "x"}),
    )
    .await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let log = app.audited("a", "reservoir_%").await;
    let actions: Vec<_> = log.iter().map(|(a, _)| a.as_str()).collect();
    assert_eq!(
        actions,
        [
            "reservoir_created",
            "reservoir_changed",
            "reservoir_changed",
            "reservoir_deleted"
        ]
    );
}
