//! The test of a lease: who may, what is refused, and that what has no lease is not tested.

use std::time::Duration;

use harit_api::Role;
use harit_ingest::mqtt::{Endpoint, EndpointConfig};
use harit_testkit::leased::{Leased, System};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{App, Person};

const FAN: &str = "/api/farms/a/devices/fan-1/lease-test";

#[tokio::test]
async fn a_lease_is_tested_with_consent_and_where_there_is_one() {
    let (app, owner) = App::with_owner().await;
    let consent = json!({"nobodyAtTheMachine": true});
    let answer = app.call(&owner, Method::POST, FAN, &json!({})).await;
    let refused = answer.expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(
        refused["problems"][0]["path"], "nobodyAtTheMachine",
        "{refused}"
    );
    let nobody = "/api/farms/a/devices/nobody/lease-test";
    app.call(&owner, Method::POST, nobody, &consent)
        .await
        .expect(StatusCode::NOT_FOUND);
    // A native controller keeps its leases by the protocol.
    let answer = app.call(&owner, Method::POST, FAN, &consent).await;
    answer.expect(StatusCode::CONFLICT);
    app.get(&owner, FAN).await.expect(StatusCode::NOT_FOUND);
    let worker = app.person("a", Role::Viewer).await;
    app.call(&worker, Method::POST, FAN, &consent)
        .await
        .expect(StatusCode::FORBIDDEN);
}

/// A device of another system, connected.
async fn connected(app: &App, owner: &Person, system: System, mac: &str) -> (Endpoint, Leased) {
    let config = EndpointConfig {
        listen: ([127, 0, 0, 1], 0).into(),
        ..EndpointConfig::default()
    };
    let (endpoint, downlink) = Endpoint::bind(config, app.hub.uplink())
        .await
        .expect("an endpoint");
    app.hub.attach(downlink);
    let body = json!({"type": "POLYHOUSE", "polyhouseId": "ph-1", "macid": mac});
    let made = app
        .call(owner, Method::POST, "/api/farms/a/controllers", &body)
        .await;
    let made = made.expect(StatusCode::CREATED);
    let text = |key: &str| made["mqtt"][key].as_str().expect("a text").to_owned();
    let port = endpoint.local_addr().port();
    let device = Leased::start(system, port, &text("username"), &text("password"));
    (endpoint, device)
}

async fn shown(app: &App, owner: &Person, id: &str) -> Option<Value> {
    let all = app
        .get(owner, "/api/farms/a/devices")
        .await
        .expect(StatusCode::OK);
    let found = all
        .as_array()
        .expect("a list")
        .iter()
        .find(|d| d["id"] == id);
    found.filter(|d| d["online"] == true).cloned()
}

/// Waits until a device is there, and has its lease tested; how that ended.
async fn tested(app: &App, owner: &Person, system: System) -> Value {
    let id = system.own_id();
    let path = format!(
        "/api/farms/a/devices/{}/lease-test",
        id.replace(':', "%3A").replace('/', "%2F")
    );
    let done = tokio::time::timeout(Duration::from_secs(60), async {
        while shown(app, owner, id).await.is_none() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let consent = json!({"nobodyAtTheMachine": true});
        let begun = app.call(owner, Method::POST, &path, &consent).await;
        assert_eq!(begun.expect(StatusCode::ACCEPTED)["seconds"], 10);
        loop {
            let test = app.get(owner, &path).await.expect(StatusCode::OK);
            if test["state"] == "proven" || test["state"] == "failed" {
                return test;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    });
    done.await.expect("an end")
}

#[tokio::test]
async fn a_device_that_goes_off_by_itself_is_unlocked_by_that() {
    let (app, owner) = App::with_owner().await;
    let (_endpoint, device) = connected(&app, &owner, System::Tasmota, "AABBCCDDEE91").await;
    let test = tested(&app, &owner, System::Tasmota).await;
    assert_eq!(
        (&test["state"], &test["failure"]),
        (&json!("proven"), &Value::Null)
    );
    assert!(!device.is_on());
    let now = shown(&app, &owner, System::Tasmota.own_id())
        .await
        .expect("there");
    assert_eq!(now["state"]["locks"], json!([]));
    let entries = app.audited("a", "lease_tested").await;
    assert_eq!(entries.len(), 2, "begun and proven: {entries:?}");
}

#[tokio::test]
async fn a_device_that_stays_on_is_switched_off_and_stays_locked() {
    let (app, owner) = App::with_owner().await;
    let (_endpoint, device) = connected(&app, &owner, System::Shelly, "AABBCCDDEE92").await;
    device.forget_leases();
    let test = tested(&app, &owner, System::Shelly).await;
    assert_eq!(
        (&test["state"], &test["failure"]),
        (&json!("failed"), &json!("stayed_on"))
    );
    let off = tokio::time::timeout(Duration::from_secs(10), async {
        while device.is_on() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    off.await.expect("it is switched off");
    let now = shown(&app, &owner, System::Shelly.own_id())
        .await
        .expect("there");
    assert_eq!(now["state"]["locks"][0]["reason"], "lease_unproven");
}
