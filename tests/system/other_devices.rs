//! Devices of other systems at the real server: nothing goes on before it is proven that they go off by themselves; then a rule
//! switches each on, the server is killed, and each goes off.

use std::time::Duration;

use futures_util::future::join_all;
use harit_testkit::leased::{Leased, System};
use serde_json::json;
use tokio::time::sleep;

use crate::controller::{Controller, Link};
use crate::farm::{self, Api, GREEN};
use crate::server::{PATIENCE, machine, until};

/// How many times faster the devices' clocks run at last: their 180 s are 9 s.
const FASTER: u32 = 20;

fn encoded(own: &str) -> String {
    own.replace(':', "%3A").replace('/', "%2F")
}

async fn measure(link: &Link, value: f64) {
    for _ in 0..3 {
        let (_, acknowledged) = link.reading("t1", value);
        acknowledged.await.unwrap();
        sleep(Duration::from_millis(700)).await;
    }
}

/// Has a device's lease tested; how that ended.
async fn tested(api: &Api, own: &str) -> String {
    let path = format!("devices/{}/lease-test", encoded(own));
    let (status, answer) = api.post(&path, &json!({})).await;
    assert_eq!(status, 422, "not without consent: {answer}");
    let (status, answer) = api.post(&path, &json!({"nobodyAtTheMachine": true})).await;
    assert_eq!(status, 202, "{own}: {answer}");
    until("the test ends", Duration::from_secs(60), async || {
        let test = api.of_farm(&path).await;
        let state = test["state"].as_str()?;
        (state == "proven" || state == "failed").then(|| format!("{state} {}", test["failure"]))
    })
    .await
}

#[tokio::test]
async fn other_devices_go_on_with_a_proven_lease_alone_and_off_without_a_server() {
    let _machine = machine().await;
    let home = farm::seeded().await;
    let mut server = farm::server(&home).await;
    let api = Api::of(&server, GREEN).await;
    let box_ = api.register("A4CF120E0001").await;
    let link = Controller::new(&box_, &["t1"], &["fan-1"])
        .connect(server.mqtt)
        .await;
    let mut devices = Vec::new();
    for (system, mac) in
        System::ALL
            .into_iter()
            .zip(["A4CF120E0002", "A4CF120E0003", "A4CF120E0004"])
    {
        let account = api.register(mac).await;
        devices.push(Leased::start(
            system,
            server.mqtt,
            &account.mac,
            &account.secret,
        ));
        api.device_online(system.own_id()).await;
        let scope = json!({"type": "farm", "farmId": GREEN});
        api.rule(mac, system.own_id(), &scope, 1, 1).await;
    }
    let owns = System::ALL.map(System::own_id);
    measure(&link, 35.0).await;
    for own in owns {
        let on = json!({"cmd_type": "override", "device_id": own, "action": {"action": "on"}, "duration_sec": 60});
        let (_, answer) = api.post("commands", &on).await;
        assert_eq!(answer["status"], "failure", "{own}: {answer}");
    }
    for listed in api.of_farm("devices").await.as_array().unwrap() {
        let is_other = owns.iter().any(|own| listed["id"] == *own);
        let reason = &listed["state"]["locks"][0]["reason"];
        assert_eq!(reason == "lease_unproven", is_other, "{listed}");
    }
    assert!(
        !devices.iter().any(Leased::is_on),
        "on without a proven lease"
    );
    measure(&link, 20.0).await;
    let outcomes = join_all(owns.map(|own| tested(&api, own))).await;
    assert_eq!(outcomes, ["proven null"; 3]);
    assert!(!devices.iter().any(Leased::is_on));
    devices.iter().for_each(|device| device.run_faster(FASTER));
    measure(&link, 35.0).await;
    until("each is on by its rule", PATIENCE, async || {
        devices.iter().all(Leased::is_on).then_some(())
    })
    .await;
    server.kill().await;
    assert!(
        devices.iter().all(Leased::is_on),
        "the kill switches nothing off"
    );
    until("each goes off by itself", PATIENCE, async || {
        (!devices.iter().any(Leased::is_on)).then_some(())
    })
    .await;
}
