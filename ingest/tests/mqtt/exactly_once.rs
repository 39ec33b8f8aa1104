//! QoS 2 from publishers: a publish is taken once, however often it is sent, and is said to be safe when it is.

use std::time::Duration;

use crate::rig::{Hello, MAC, OTHER_MAC, Raw, Receipts, Rig, Seen, packet, publish, topic};

/// A PUBLISH at QoS 2; again, it bears the flag for that.
fn once(v5: bool, topic: &str, id: u16, payload: &[u8], again: bool) -> Vec<u8> {
    let mut bytes = publish(v5, topic, Some(id), payload);
    bytes[0] = 0x34 | u8::from(again) << 3;
    bytes
}

fn release(id: u8) -> [u8; 4] {
    [0x62, 2, 0, id]
}

/// A client that finds its session again.
fn stays(v5: bool) -> Hello<'static> {
    Hello {
        clean: false,
        properties: if v5 { &[0x11, 0, 0, 0, 60] } else { &[] },
        ..Hello::of(v5)
    }
}

async fn back(rig: &Rig, v5: bool) -> Raw {
    let mut raw = rig.raw().await;
    raw.send(&stays(v5).bytes()).await;
    assert_eq!(raw.packet().await[2..4], [1, 0], "its session is there");
    raw
}

#[tokio::test]
async fn a_publish_is_received_released_and_complete() {
    for v5 in [false, true] {
        let rig = Rig::start().await;
        rig.pipeline.receipts(Receipts::Held);
        let mut raw = rig.client(Hello::of(v5)).await;
        raw.send(&once(v5, &topic("telemetry"), 1, b"{}", false))
            .await;
        rig.pipeline.until_publishes(1).await;
        raw.quiet().await;
        rig.pipeline.release(false);
        assert_eq!(raw.packet().await, [0x50, 2, 0, 1], "when it is durable");
        raw.send(&release(1)).await;
        assert_eq!(raw.packet().await, [0x70, 2, 0, 1]);
        // The id is free: what comes under it now is another publish.
        rig.pipeline.receipts(Receipts::AtOnce);
        raw.send(&once(v5, &topic("telemetry"), 1, b"{}", false))
            .await;
        assert_eq!(raw.packet().await, [0x50, 2, 0, 1]);
        assert_eq!(rig.pipeline.publishes().len(), 2);
        // One that nobody has: 3.1.1 has no word for it.
        raw.send(&release(9)).await;
        let unknown: &[u8] = if v5 {
            &[0x70, 3, 0, 9, 0x92]
        } else {
            &[0x70, 2, 0, 9]
        };
        assert_eq!(raw.packet().await, unknown);
    }
}

#[tokio::test]
async fn what_comes_again_before_its_release_is_taken_once() {
    for v5 in [false, true] {
        let rig = Rig::start().await;
        let mut erp = rig.integration().await;
        let mut raw = rig.client(stays(v5)).await;
        for again in [false, true] {
            raw.send(&once(v5, &topic("telemetry"), 7, b"{}", again))
                .await;
            assert_eq!(raw.packet().await, [0x50, 2, 0, 7]);
        }
        drop(raw);
        rig.pipeline
            .until_seen(&Seen::Disconnected(crate::rig::controller(MAC)))
            .await;
        let mut raw = back(&rig, v5).await;
        raw.send(&once(v5, &topic("telemetry"), 7, b"{}", true))
            .await;
        assert_eq!(raw.packet().await, [0x50, 2, 0, 7]);
        raw.send(&release(7)).await;
        assert_eq!(raw.packet().await, [0x70, 2, 0, 7]);
        assert_eq!(rig.pipeline.publishes().len(), 1);
        assert_eq!(erp.packet().await[0], 0x32, "a reader gets it once");
        erp.quiet().await;
    }
}

/// The connection ends between hand-over and receipt: what is sent again is neither folded twice nor said to be safe before
/// it is.
#[tokio::test]
async fn a_receipt_outlives_its_connection() {
    for v5 in [false, true] {
        let rig = Rig::start().await;
        rig.pipeline.receipts(Receipts::Held);
        let mut raw = rig.client(stays(v5)).await;
        raw.send(&once(v5, &topic("telemetry"), 3, b"{}", false))
            .await;
        rig.pipeline.until_publishes(1).await;
        // Twice, so that it also outlives a connection that waited for it.
        for _ in 0..2 {
            drop(raw);
            rig.until_stats(|stats| stats.connections == 0).await;
            raw = back(&rig, v5).await;
            raw.send(&once(v5, &topic("telemetry"), 3, b"{}", true))
                .await;
            raw.ping().await;
            raw.quiet().await;
        }
        rig.pipeline.release(false);
        assert_eq!(raw.packet().await, [0x50, 2, 0, 3]);
        raw.quiet().await;
        assert_eq!(rig.pipeline.publishes().len(), 1);
    }
}

#[tokio::test]
async fn what_was_lost_is_taken_again() {
    for v5 in [false, true] {
        let rig = Rig::start().await;
        rig.pipeline.receipts(Receipts::Lost);
        let mut raw = rig.client(stays(v5)).await;
        raw.send(&once(v5, &topic("telemetry"), 3, b"{}", false))
            .await;
        if v5 {
            assert_eq!(raw.packet().await, [0xe0, 2, 0x89, 0]);
        }
        raw.closed().await;
        rig.pipeline.receipts(Receipts::AtOnce);
        let mut raw = back(&rig, v5).await;
        raw.send(&once(v5, &topic("telemetry"), 3, b"{}", true))
            .await;
        assert_eq!(raw.packet().await, [0x50, 2, 0, 3]);
        assert_eq!(rig.pipeline.publishes().len(), 2);
    }
}

#[tokio::test]
async fn what_is_not_allowed_is_refused_in_mqtt_5_and_read_past_before() {
    let rig = Rig::start().await;
    let foreign = format!("harit/1/green/{OTHER_MAC}/telemetry");
    let mut old = rig.client(Hello::v4()).await;
    old.send(&once(false, &foreign, 5, b"{}", false)).await;
    assert_eq!(old.packet().await, [0x50, 2, 0, 5]);
    old.send(&release(5)).await;
    assert_eq!(old.packet().await, [0x70, 2, 0, 5]);
    let mut new = rig
        .client(Hello {
            id: "c2",
            ..Hello::v5()
        })
        .await;
    new.send(&once(true, &foreign, 5, b"{}", false)).await;
    assert_eq!(new.packet().await, [0x50, 3, 0, 5, 0x87]);
    // A publish that is too large is read past, once.
    let large = vec![b'x'; 300_000];
    for again in [false, true] {
        old.send(&once(false, &topic("telemetry"), 6, &large, again))
            .await;
        assert_eq!(old.packet().await, [0x50, 2, 0, 6]);
    }
    assert_eq!(rig.pipeline.publishes().len(), 1);
}

#[tokio::test]
async fn mqtt_5_clients_keep_to_what_they_were_told() {
    let rig = Rig::start().await;
    let mut raw = rig.client(Hello::v5()).await;
    let mut all = Vec::new();
    for id in 1..=4_096_u16 {
        all.extend(once(true, &topic("telemetry"), id, b"{}", false));
    }
    raw.send(&all).await;
    for _ in 1..=4_096 {
        assert_eq!(raw.packet().await[0], 0x50);
    }
    // A release makes room for one.
    raw.send(&release(9)).await;
    assert_eq!(raw.packet().await[0], 0x70);
    raw.send(&once(true, &topic("telemetry"), 9, b"{}", false))
        .await;
    assert_eq!(raw.packet().await, [0x50, 2, 0, 9]);
    raw.send(&once(true, &topic("telemetry"), 5_000, b"{}", false))
        .await;
    assert_eq!(raw.packet().await, [0xe0, 2, 0x93, 0]);
    raw.closed().await;
}

#[tokio::test]
async fn an_answer_to_what_was_never_sent_ends_the_connection() {
    for first in [0x50, 0x70] {
        let rig = Rig::start().await;
        let mut raw = rig.client(Hello::v5()).await;
        raw.send(&packet(first, &[0, 1])).await;
        assert_eq!(raw.packet().await, [0xe0, 2, 0x82, 0]);
        raw.closed().await;
        tokio::time::timeout(Duration::from_secs(5), rig.until_stats(|s| s.faults == 1))
            .await
            .unwrap();
    }
}
