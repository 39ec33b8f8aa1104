//! What clients that were made for others are refused, and what a person gets to see of it.

use crate::rig::{Hello, MAC, Rig, SECRET, Seen, publish, subscribe, topic};

/// What the pipeline was told of refusals: where, and why.
fn refusals(rig: &Rig) -> Vec<(Option<String>, &'static str)> {
    let of = |seen| match seen {
        Seen::Refused { topic, reason } => Some((topic, reason)),
        _ => None,
    };
    rig.pipeline.seen().into_iter().filter_map(of).collect()
}

#[tokio::test]
async fn a_will_to_a_topic_of_its_own_keeps_no_client_out() {
    for v5 in [false, true] {
        for will in [
            "tele/tasmota_1/LWT",
            "harit/1/green/A4CF120B9E02/state",
            "$SYS/broker/connection/b/state",
            &topic("command"),
        ] {
            let rig = Rig::start().await;
            let mut raw = rig
                .client(Hello {
                    will: Some((will, "Offline")),
                    ..Hello::of(v5)
                })
                .await;
            raw.send(&publish(v5, &topic("telemetry"), Some(1), b"{}"))
                .await;
            assert_eq!(raw.packet().await, [0x40, 2, 0, 1], "{will}");
            assert_eq!(
                refusals(&rig),
                [(Some(will.to_owned()), "foreign_will")],
                "told once, when it connects"
            );
            // It goes without a goodbye, and nothing is published in its name.
            drop(raw);
            let gone = Seen::Disconnected(crate::rig::controller(MAC));
            rig.pipeline.until_seen(&gone).await;
            assert_eq!(rig.pipeline.publishes().len(), 1);
            assert_eq!(rig.endpoint.stats().wills, 0);
        }
    }
}

#[tokio::test]
async fn a_refused_connection_is_told_with_its_reason() {
    let rig = Rig::start().await;
    let long = "x".repeat(200);
    for (user, password, id, reason) in [
        (Some(MAC), "wrong", "c1", "bad_credentials"),
        (Some("nobody"), SECRET, "c1", "bad_credentials"),
        (Some("disabled"), SECRET, "c1", "disabled"),
        (Some("unavailable"), SECRET, "c1", "unavailable"),
        (None, "", "c1", "no_credentials"),
        (Some(MAC), SECRET, long.as_str(), "client_id"),
    ] {
        let mut raw = rig.raw().await;
        let hello = Hello {
            user,
            password,
            id,
            ..Hello::v4()
        };
        raw.send(&hello.bytes()).await;
        assert_ne!(raw.packet().await[3], 0);
        raw.closed().await;
        assert_eq!(refusals(&rig).last(), Some(&(None, reason)), "{user:?}");
    }
    assert_eq!(refusals(&rig).len(), 6);
    let mut raw = rig.raw().await;
    raw.send(b"GET / HTTP/1.1\r\n\r\n").await;
    raw.closed().await;
    assert_eq!(refusals(&rig).last(), Some(&(None, "no_mqtt")));
    assert_eq!(rig.endpoint.stats().refused_connects, 7);
}

#[tokio::test]
async fn a_refused_subscription_is_told_with_its_filter() {
    let rig = Rig::start().await;
    let mut raw = rig.client(Hello::v4()).await;
    raw.send(&subscribe(false, 1, "cmnd/tasmota_1/#", 0)).await;
    assert_eq!(raw.packet().await, [0x90, 3, 0, 1, 0x80]);
    raw.send(&subscribe(false, 2, &topic("command"), 1)).await;
    assert_eq!(raw.packet().await, [0x90, 3, 0, 2, 1]);
    let foreign = Some("cmnd/tasmota_1/#".to_owned());
    assert_eq!(refusals(&rig), [(foreign, "foreign_filter")]);
}
