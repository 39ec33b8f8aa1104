//! The ledger of outages over real restarts and real connections: what was, and what came of it.

use std::time::Duration;

use harit_api::ApiConfig;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::pipeline::{Field, eventually, field_with, state};
use crate::support::{App, rule};

const OUTAGES: &str = "/api/farms/a/outages";

#[tokio::test]
async fn a_restart_is_an_outage_with_what_ended_went_on_and_was_sent_again() {
    let (app, owner) = App::with_owner().await;
    let none = app.get(&owner, OUTAGES).await.expect(StatusCode::OK);
    assert_eq!((&none["total"], &none["sums"]), (&json!(0), &json!([])));
    // one rule holds, one device is a person's for long, one's time ends while the server is off
    let mut cool = rule();
    (cool["id"], cool["deployed"]) = (json!("cool"), json!(true));
    cool["trigger"]["duration_sec"] = json!(3_600);
    app.call(&owner, Method::POST, "/api/farms/a/rules", &cool)
        .await
        .expect(StatusCode::CREATED);
    app.reading("a", "t-1", 36_000_000).await;
    let on = json!({"cmd_type": "override", "device_id": "fan-1", "action": {"on": true}, "duration_sec": 600});
    let pulse = json!({"cmd_type": "pulse", "device_id": "pump-1", "action": {"duration_sec": 1}});
    for command in [on, pulse] {
        let sent = app
            .call(&owner, Method::POST, "/api/farms/a/commands", &command)
            .await
            .expect(StatusCode::OK);
        assert!(sent["command_id"].is_string(), "{sent}");
    }
    let off = Duration::from_millis(1_200);
    let app = app.restart_after(off, ApiConfig::default()).await;

    let found = app.get(&owner, OUTAGES).await.expect(StatusCode::OK);
    assert_eq!(
        (&found["total"], &found["sums"][0]["kind"]),
        (&json!(1), &json!("server"))
    );
    let outage = &found["items"][0];
    let (from, until) = (outage["from"].as_i64(), outage["until"].as_i64());
    let off = from.zip(until).map(|(from, until)| until - from);
    assert!(
        off.is_some_and(|off| (1_000..60_000).contains(&off)),
        "{outage}"
    );
    assert_eq!(
        (&outage["name"], &outage["heldOn"], &outage["holdsLost"]),
        (&Value::Null, &json!(["Cool the house"]), &json!([]))
    );
    let came: Vec<(&str, &str)> = { outage["consequences"].as_array().expect("a list").iter() }
        .filter_map(|c| Some((c["kind"].as_str()?, c["entry"]["action"].as_str()?)))
        .collect();
    let is = |kind: &str, what: &str| came.iter().any(|(k, a)| *k == kind && a.contains(what));
    assert!(is("ended", "Manual control of Pump ended"), "{came:?}");
    assert!(is("resumed", "Fan on"), "{came:?}");

    // it stands in the log too
    let log = app
        .get(&owner, "/api/farms/a/logs?type=device_offline")
        .await
        .expect(StatusCode::OK);
    let told = log["items"][0]["action"].as_str().expect("an action");
    assert!(told.starts_with("The server was off for "), "{told}");

    // pages, and spans that make no sense
    let second = app
        .get(&owner, "/api/farms/a/outages?page=2")
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&second["total"], &second["items"]),
        (&json!(1), &json!([]))
    );
    let before = from.expect("an instant") - 1_000;
    let path = format!("{OUTAGES}?from={}&to={before}", before - 1_000);
    let earlier = app.get(&owner, &path).await.expect(StatusCode::OK);
    assert_eq!(earlier["total"], 0);
    let of_old = format!("from={}&to={}", i64::MIN, i64::MIN + 1);
    for wrong in ["page=0", "pageSize=51", "from=5&to=4", "from=0", &of_old] {
        let refused = app.get(&owner, &format!("{OUTAGES}?{wrong}")).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_controller_out_of_reach_is_one_with_what_was_missed() {
    let Field {
        app,
        endpoint,
        owner,
        mut controller,
        ..
    } = field_with(ApiConfig {
        reads_per_user: 10_000,
        ..ApiConfig::default()
    })
    .await;
    let devices = "/api/farms/a/devices";
    let fan = |list: &Value, online: bool| {
        let named = |d: &&Value| d["name"] == "Exhaust fan" && d["online"] == online;
        let found = list.as_array().and_then(|all| all.iter().find(named));
        found.and_then(|d| Some(d["id"].as_str()?.to_owned()))
    };
    let found = |list: &Value| fan(list, true).is_some();
    let list = eventually(&app, &owner, devices, found).await;
    let id = fan(&list, true).expect("the fan");
    controller.publish("state", r#"{"online": false}"#).await;
    let open = |found: &Value| found["items"][0]["until"].is_null() && found["total"] == 1;
    let found = eventually(&app, &owner, OUTAGES, open).await;
    let outage = &found["items"][0];
    assert_eq!(
        (
            &outage["kind"],
            &outage["id"],
            &outage["name"],
            &outage["devices"],
            &outage["with"]
        ),
        (
            &json!("controller"),
            &json!("AABBCCDDEE10"),
            &json!("North house"),
            &json!(["Exhaust fan"]),
            &json!(0)
        )
    );
    let gone = |list: &Value| fan(list, false).is_some();
    eventually(&app, &owner, devices, gone).await;
    let on = json!({"cmd_type": "override", "device_id": id, "action": {"on": true}, "duration_sec": 60});
    app.call(&owner, Method::POST, "/api/farms/a/commands", &on)
        .await
        .expect(StatusCode::OK);
    controller.publish("state", state(true)).await;
    let over = |found: &Value| found["items"][0]["until"].is_i64();
    let found = eventually(&app, &owner, OUTAGES, over).await;
    let outage = &found["items"][0];
    let missed = { outage["consequences"].as_array().expect("a list").iter() }
        .find(|c| c["kind"] == "missed")
        .unwrap_or_else(|| panic!("{outage}"));
    assert_eq!(
        (
            &missed["entry"]["userName"],
            &missed["entry"]["errorMessage"]
        ),
        (&json!("Asha Patil"), &json!("Device is offline"))
    );
    let path = "/api/farms/a/logs?type=device_offline";
    let log = app
        .call(&owner, Method::GET, path, &Value::Null)
        .await
        .expect(StatusCode::OK);
    let of_controller = { log["items"].as_array().expect("a list").iter() }
        .filter(|e| e["deviceId"] == "AABBCCDDEE10")
        .map(|e| (e["deviceName"].as_str(), e["action"].as_str()));
    assert_eq!(
        of_controller.collect::<Vec<_>>(),
        [
            "Controller North house is connected",
            "Controller North house cannot be reached",
            "Controller North house is connected"
        ]
        .map(|told| (Some("North house"), Some(told)))
    );
    // Its name finds it in the log, though the log has its MAC.
    for (called, entries) in [("north%20HOUSE", 3), ("South", 0)] {
        let path = format!("/api/farms/a/logs?type=device_offline&device={called}");
        let log =
            { app.call(&owner, Method::GET, &path, &Value::Null).await }.expect(StatusCode::OK);
        assert_eq!(log["matching"], entries, "{called}");
    }
    endpoint.shutdown().await;
}
