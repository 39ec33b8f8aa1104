//! What fails is seen, costs a restart from the journal, and holds up nobody else.

use std::sync::atomic::Ordering;
use std::time::Duration;

use harit_engine::{FarmDocument, ScopeSpec};
use harit_ingest::mqtt::{Batch, Principal, Publish};
use harit_ingest::{ControllerKind, ControllerRecord, Health};
use serde_json::json;

use crate::world::{FARM, MAC, World, mac};

const OTHER_FARM: &str = "f2";
const BROKEN: &str = "A4CF120B9EFF";

async fn until(w: &World, what: &str, wanted: impl Fn(&Health) -> bool) {
    for _ in 0..200 {
        if wanted(&w.hub.health()) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("not in time: {what}: {:?}", w.hub.health());
}

/// Publishes for a controller of the other farm; none where the receipt was lost.
async fn say(w: &World, payload: &'static str) -> Option<usize> {
    let batch = Batch {
        from: Some(Principal::Controller {
            farm: OTHER_FARM.into(),
            mac: mac(BROKEN),
        }),
        publishes: vec![Publish {
            topic: format!("harit/1/{OTHER_FARM}/{BROKEN}/state").into(),
            payload: payload.as_bytes().into(),
            retain: false,
            oversized: None,
        }],
    };
    let receipt = w.receive(batch).await;
    let taken = tokio::time::timeout(Duration::from_secs(10), receipt).await;
    taken.expect("an end in time").ok().map(|t| t.rejected)
}

#[tokio::test]
async fn a_shard_that_fails_goes_on_from_its_journal_and_the_farm_that_did_it_is_isolated() {
    let w = World::new().await;
    let other = json!({"farm": {"id": OTHER_FARM, "name": "Other"}, "polyhouses": [], "sensors": [], "devices": [], "rules": [], "alerts": []});
    w.hub
        .add_farm(FarmDocument::from_json(&other).unwrap())
        .await
        .unwrap();
    let record = ControllerRecord {
        farm: OTHER_FARM.into(),
        mac: mac(BROKEN),
        kind: ControllerKind::Polyhouse,
        scope: ScopeSpec::farm(),
        enabled: true,
    };
    w.records.0.lock().unwrap().insert(record.mac, record);
    w.birth().await;
    w.temperature("20").await;
    assert_eq!(w.hub.health().shards_down, [0_usize; 0]);

    *w.records.1.lock().unwrap() = Some(mac(BROKEN));
    assert_eq!(say(&w, "{}").await, None, "not acknowledged");
    until(&w, "the shard is back", |h| h.shards_down.is_empty()).await;
    assert_eq!(w.hub.health().failed_farms, [], "once is no reason");
    // Nothing is lost, and the neighbour goes on.
    let value = w.read(|e| e.sensor("t1").unwrap().value.is_some()).await;
    assert!(value, "what was acknowledged is there");
    w.temperature("21").await;
    let online = w.hub.controllers(&FARM.into()).await.unwrap();
    assert!(online.iter().any(|c| c.mac == mac(MAC) && c.online));

    assert_eq!(say(&w, "{}").await, None);
    until(&w, "the farm is isolated", |h| {
        h.shards_down.is_empty() && h.failed_farms == [OTHER_FARM.into()]
    })
    .await;
    assert_eq!(say(&w, "{}").await, Some(1), "refused, and the shard lives");
    w.temperature("22").await;
    assert!(w.hub.health().shards_down.is_empty());
    w.hub.clone().shutdown().await.unwrap();
}

#[tokio::test]
async fn a_shard_that_cannot_start_again_is_seen() {
    let w = World::new().await;
    w.birth().await;
    w.clock.1.store(true, Ordering::SeqCst);
    until(&w, "the shard is down", |h| h.shards_down == [0]).await;
    assert!(w.hub.health().journal_writable, "that is not what is wrong");
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(w.hub.health().shards_down, [0]);
    w.clock.1.store(false, Ordering::SeqCst);
    until(&w, "the shard is back", |h| h.shards_down.is_empty()).await;
    w.temperature("20").await;
    w.hub.clone().shutdown().await.unwrap();
}

#[tokio::test]
async fn commands_under_way_when_a_shard_fails_are_told_as_given_up_and_sent_anew() {
    let w = World::new().await;
    w.birth().await;
    w.cooling_rule().await;
    w.heat().await;
    assert_eq!(w.state_of("f1-1").await, "sent");
    w.take_sent();
    w.clock.1.store(true, Ordering::SeqCst);
    until(&w, "the shard is down", |h| h.shards_down == [0]).await;
    w.clock.1.store(false, Ordering::SeqCst);
    until(&w, "the shard is back", |h| h.shards_down.is_empty()).await;
    let sent = w.take_sent();
    assert_eq!(sent[0]["command_id"], "f1-2", "{sent:?}");
    assert_eq!(w.state_of("f1-1").await, "timed_out");
    w.ack("f1-2").await;
    assert_eq!(w.state_of("f1-2").await, "acked");
    w.hub.clone().shutdown().await.unwrap();
}
