//! Devices of other systems over real connections: a rule switches them on, the server is cut off, and they go off by themselves.

use std::time::Duration;

use harit_engine::{InputKind, ScopeSpec};
use harit_ingest::lease::Proofs;
use harit_ingest::mqtt::{Endpoint, EndpointConfig};
use harit_ingest::{ControllerKind, ControllerRecord};
use harit_testkit::PATIENCE;
use harit_testkit::leased::{Leased, System};
use serde_json::json;

use crate::world::{FARM, MAC, OTHER_MAC, World, mac};

const THIRD_MAC: &str = "A4CF120B9E77";

async fn until(what: &str, mut is: impl AsyncFnMut() -> bool) {
    let waited = tokio::time::timeout(PATIENCE, async {
        while !is().await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    assert!(waited.await.is_ok(), "{what}");
}

#[tokio::test]
async fn a_rule_switches_them_on_and_without_a_server_they_go_off() {
    let w = World::new().await;
    w.put_controller(ControllerRecord {
        farm: FARM.into(),
        mac: mac(THIRD_MAC),
        kind: ControllerKind::Polyhouse,
        scope: ScopeSpec::zone("z1"),
        enabled: true,
    });
    let config = EndpointConfig {
        listen: ([127, 0, 0, 1], 0).into(),
        ..EndpointConfig::default()
    };
    let (endpoint, downlink) = Endpoint::bind(config, w.hub.uplink()).await.unwrap();
    w.hub.attach(downlink);
    let port = endpoint.local_addr().port();
    let accounts = [MAC, OTHER_MAC, THIRD_MAC];
    let devices: Vec<Leased> = { System::ALL.into_iter().zip(accounts) }
        .map(|(system, account)| Leased::start(system, port, account, "secret"))
        .collect();
    let owns = System::ALL.map(System::own_id);
    until("all are found", async || {
        let known = move |e: &harit_engine::Engine| {
            owns.iter().all(|id| e.device(id).is_some_and(|d| d.online))
        };
        w.read(known).await
    })
    .await;
    w.temperature("20").await;
    let actions = owns.map(|id| json!({"device_id": id, "command": {"action": "on"}}));
    let rule = json!({
        "id": "water", "name": "Water", "mode": "auto", "deployed": true, "scope": {"type": "farm"},
        "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 30, "duration_sec": 2},
        "stop_condition": {"sensor_type": "temperature", "operator": "lt", "value": 25, "duration_sec": 1},
        "actions": actions
    });
    w.admit(InputKind::RulePut(Box::new(
        serde_json::from_value(rule).unwrap(),
    )))
    .await;
    w.heat().await;
    w.heat().await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    for (device, own) in devices.iter().zip(owns) {
        assert_eq!(
            w.lock(own).await.as_deref(),
            Some("lease_unproven"),
            "{own}"
        );
        assert!(!device.is_on(), "{own} is on without a proven lease");
        // 180 s are 3 s from here on.
        device.run_faster(60);
    }
    let profiles = w.hub.profiles(&FARM.into());
    let proofs: Proofs = { owns.iter().zip(accounts) }
        .map(|(own, account)| {
            let identity = profiles.controlled(own).unwrap().identity();
            ((mac(account), (*own).to_owned()), identity)
        })
        .collect();
    w.hub.put_proofs(&FARM.into(), proofs);
    until("each is on by the rule", async || {
        devices.iter().all(Leased::is_on)
    })
    .await;
    until(
        "each command is confirmed by what the device says",
        async || {
            let all = w.hub.latest_commands(&FARM.into()).await.unwrap();
            all.len() == 3 && all.iter().all(|l| l.state.as_str() == "confirmed")
        },
    )
    .await;
    drop(endpoint);
    assert!(
        devices.iter().any(Leased::is_on),
        "it is not the cut that switches off"
    );
    until("each goes off by itself", async || {
        !devices.iter().any(Leased::is_on)
    })
    .await;
}
