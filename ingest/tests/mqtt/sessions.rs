//! What outlives a packet: wills, sessions that resume, commands on their way, readers of a farm.

use std::time::Duration;

use crate::rig::{
    Hello, MAC, OTHER_MAC, Receipts, Rig, Seen, controller, packet, publish, subscribe, topic,
};
use harit_ingest::mqtt::{DownlinkError, Principal};

#[tokio::test]
async fn a_retained_state_is_taken_and_not_kept() {
    let rig = Rig::start().await;
    let mut raw = rig.client(Hello::v4()).await;
    let mut bytes = publish(false, &topic("state"), Some(1), b"{}");
    bytes[0] |= 1;
    raw.send(&bytes).await;
    assert_eq!(raw.packet().await, [0x40, 2, 0, 1]);
    assert!(matches!(
        &rig.pipeline.seen()[..],
        [_, Seen::Publish { retain: true, .. }]
    ));
    let mut erp = rig.integration().await;
    erp.quiet().await;
}

#[tokio::test]
async fn wills() {
    let state = topic("state");
    for v5 in [false, true] {
        let hello = Hello {
            will: Some((&state, "gone")),
            ..Hello::of(v5)
        };
        let will = Seen::publish(&state, b"gone");
        // A goodbye takes the will back.
        let rig = Rig::start().await;
        let mut raw = rig.client(hello).await;
        raw.send(&[0xe0, 0]).await;
        raw.closed().await;
        rig.pipeline
            .until_seen(&Seen::Disconnected(controller(MAC)))
            .await;
        assert!(!rig.pipeline.seen().contains(&will));
        // No goodbye, a protocol error, and a keep-alive that ran out do not.
        drop(rig.client(hello).await);
        rig.pipeline.until_seen(&will).await;
        let rig = Rig::start().await;
        let mut raw = rig.client(hello).await;
        raw.send(&packet(0, &[])).await;
        rig.pipeline.until_seen(&will).await;
        let rig = Rig::start().await;
        let started = std::time::Instant::now();
        let mut raw = rig
            .client(Hello {
                keep_alive: 1,
                ..hello
            })
            .await;
        rig.pipeline.until_seen(&will).await;
        let silence = started.elapsed();
        assert!(
            silence >= Duration::from_millis(1_450) && silence < Duration::from_secs(4),
            "{silence:?}"
        );
        if v5 {
            assert_eq!(raw.packet().await, [0xe0, 2, 0x8d, 0]);
        }
        raw.closed().await;
    }
}

#[tokio::test]
async fn a_goodbye_with_the_will() {
    let rig = Rig::start().await;
    let state = topic("state");
    let mut raw = rig
        .client(Hello {
            will: Some((&state, "gone")),
            ..Hello::v5()
        })
        .await;
    raw.send(&[0xe0, 1, 4]).await;
    rig.pipeline
        .until_seen(&Seen::publish(&state, b"gone"))
        .await;
}

#[tokio::test]
async fn a_delayed_will_is_not_published_if_the_client_returns() {
    let rig = Rig::start().await;
    let state = topic("state");
    let hello = Hello {
        will: Some((&state, "gone")),
        will_delay: 1,
        properties: &[0x11, 0, 0, 0, 60],
        ..Hello::v5()
    };
    drop(rig.client(hello).await);
    rig.until_stats(|stats| stats.parked_sessions == 1).await;
    let raw = rig
        .client(Hello {
            clean: false,
            ..hello
        })
        .await;
    tokio::time::sleep(Duration::from_millis(1_800)).await;
    assert!(rig.pipeline.publishes().is_empty());
    drop(raw);
    rig.pipeline
        .until_seen(&Seen::publish(&state, b"gone"))
        .await;
}

#[tokio::test]
async fn the_session_that_would_end_first_makes_room_and_its_will_is_due() {
    let rig = Rig::with(|config| config.max_parked_sessions = 1).await;
    let state = topic("state");
    let hello = Hello {
        will: Some((&state, "gone")),
        will_delay: 3_600,
        // The session outlives its connection by an hour.
        properties: &[0x11, 0, 0, 0x0e, 0x10],
        ..Hello::v5()
    };
    drop(rig.client(hello).await);
    rig.until_stats(|stats| stats.parked_sessions == 1).await;
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert!(rig.pipeline.publishes().is_empty());
    let other = Hello {
        id: "c2",
        will: None,
        user: Some(OTHER_MAC),
        properties: &[0x11, 0, 0, 0x1c, 0x20],
        ..hello
    };
    drop(rig.client(other).await);
    rig.pipeline
        .until_seen(&Seen::publish(&state, b"gone"))
        .await;
    rig.until_stats(|stats| stats.parked_sessions == 1).await;
    // What made room is gone; what stayed is resumed.
    for (hello, present) in [(hello, 0), (other, 1)] {
        let mut raw = rig.raw().await;
        let again = Hello {
            clean: false,
            ..hello
        };
        raw.send(&again.bytes()).await;
        assert_eq!(raw.packet().await[2], present);
    }
}

#[tokio::test]
async fn a_will_is_not_published_while_the_controller_has_another_connection() {
    let rig = Rig::start().await;
    let state = topic("state");
    let first = rig
        .client(Hello {
            will: Some((&state, "gone")),
            ..Hello::v4()
        })
        .await;
    let second = rig
        .client(Hello {
            id: "c2",
            will: Some((&state, "gone")),
            ..Hello::v4()
        })
        .await;
    drop(first);
    rig.until_stats(|stats| stats.connections == 1).await;
    assert!(rig.pipeline.publishes().is_empty());
    assert!(
        !rig.pipeline
            .seen()
            .contains(&Seen::Disconnected(controller(MAC)))
    );
    drop(second);
    rig.pipeline
        .until_seen(&Seen::publish(&state, b"gone"))
        .await;
    rig.pipeline
        .until_seen(&Seen::Disconnected(controller(MAC)))
        .await;
}

#[tokio::test]
async fn takeover_by_the_same_principal_only() {
    for v5 in [false, true] {
        let rig = Rig::start().await;
        let state = topic("state");
        let mut first = rig
            .client(Hello {
                will: Some((&state, "gone")),
                ..Hello::of(v5)
            })
            .await;
        // Another principal may use the client id: it is another session.
        let mut other = rig
            .client(Hello {
                user: Some(OTHER_MAC),
                ..Hello::of(v5)
            })
            .await;
        first.ping().await;
        let mut second = rig.client(Hello::of(v5)).await;
        if v5 {
            assert_eq!(first.packet().await, [0xe0, 2, 0x8e, 0]);
        }
        first.closed().await;
        second.send(&publish(v5, &state, Some(1), b"birth")).await;
        assert_eq!(second.packet().await, [0x40, 2, 0, 1]);
        other.ping().await;
        let about: Vec<_> = rig
            .pipeline
            .seen()
            .into_iter()
            .filter(|seen| *seen != Seen::Connected(controller(OTHER_MAC)))
            .collect();
        let here = Seen::Connected(controller(MAC));
        let expected = [
            here.clone(),
            Seen::publish(&state, b"gone"),
            here,
            Seen::publish(&state, b"birth"),
        ];
        assert_eq!(
            about, expected,
            "the will of the first comes before anything of the second"
        );
        assert_eq!(rig.endpoint.stats().takeovers, 1);
    }
}

#[tokio::test]
async fn commands_reach_a_controller_and_are_sent_again_after_a_break() {
    for v5 in [false, true] {
        let rig = Rig::start().await;
        assert_eq!(
            rig.downlink.publish(&topic("command"), "x".into()),
            Err(DownlinkError::NotConnected)
        );
        assert_eq!(
            rig.downlink.publish("nonsense", "x".into()),
            Err(DownlinkError::Invalid)
        );
        let hello = Hello {
            clean: false,
            properties: &[0x11, 0, 0, 0, 60],
            ..Hello::of(v5)
        };
        let mut raw = rig.client(hello).await;
        assert_eq!(
            rig.downlink.publish(&topic("command"), "x".into()),
            Err(DownlinkError::NotConnected)
        );
        raw.send(&subscribe(v5, 1, &topic("command"), 1)).await;
        raw.packet().await;
        rig.command(b"one").await;
        rig.command(b"two").await;
        let command = |first: u8, id: u16, payload: &[u8]| {
            let mut expected = publish(v5, &topic("command"), Some(id), payload);
            expected[0] = first;
            if v5 {
                // Where the empty properties were is how long the command is good for.
                let at = expected.len() - payload.len() - 1;
                expected.splice(at..=at, [5, 2, 0, 0, 0, 15]);
                expected[1] += 5;
            }
            expected
        };
        assert_eq!(raw.packet().await, command(0x32, 1, b"one"));
        assert_eq!(raw.packet().await, command(0x32, 2, b"two"));
        raw.send(&[0x40, 2, 0, 1]).await;
        raw.ping().await;
        drop(raw);
        rig.until_stats(|stats| stats.parked_sessions == 1).await;
        // Away, the session still takes a command.
        rig.downlink
            .publish(&topic("command"), "three".into())
            .unwrap();
        let mut raw = rig.raw().await;
        raw.send(&hello.bytes()).await;
        assert_eq!(raw.packet().await[2], 1, "session present");
        let again = raw.packet().await;
        assert_eq!(
            (again[0], &again[again.len() - 3..]),
            (0x3a, &b"two"[..]),
            "unacknowledged, sent again as a duplicate"
        );
        let late = raw.packet().await;
        assert_eq!((late[0], &late[late.len() - 5..]), (0x32, &b"three"[..]));
        assert_eq!(rig.endpoint.stats().resumes, 1);
        // A clean start drops all of it.
        drop(raw);
        rig.until_stats(|stats| stats.parked_sessions == 1).await;
        let mut raw = rig.raw().await;
        raw.send(
            &Hello {
                clean: true,
                ..hello
            }
            .bytes(),
        )
        .await;
        assert_eq!(raw.packet().await[2], 0);
        raw.quiet().await;
        assert_eq!(
            rig.downlink.publish(&topic("command"), "x".into()),
            Err(DownlinkError::NotConnected)
        );
    }
}

#[tokio::test]
async fn a_client_gets_no_more_than_it_said() {
    let rig = Rig::start().await;
    // Receive maximum 2, maximum packet size 100.
    let mut raw = rig
        .client(Hello {
            properties: &[0x21, 0, 2, 0x27, 0, 0, 0, 100],
            ..Hello::v5()
        })
        .await;
    raw.send(&subscribe(true, 1, &topic("command"), 1)).await;
    raw.packet().await;
    rig.downlink
        .publish(&topic("command"), vec![b'x'; 200].into())
        .unwrap();
    for payload in [&b"a"[..], b"b", b"c"] {
        rig.downlink
            .publish(&topic("command"), bytes::Bytes::from_static(payload))
            .unwrap();
    }
    let (first, second) = (raw.packet().await, raw.packet().await);
    assert_eq!((first.last(), second.last()), (Some(&b'a'), Some(&b'b')));
    raw.quiet().await;
    let id = &first[first.len() - 9..first.len() - 7];
    raw.send(&[0x40, 2, id[0], id[1]]).await;
    assert_eq!(raw.packet().await.last(), Some(&b'c'));
    assert_eq!(rig.endpoint.stats().dropped, 1);
}

#[tokio::test]
async fn a_full_queue_says_so() {
    let rig = Rig::start().await;
    // Receive maximum 1, and the client never acknowledges.
    let mut raw = rig
        .client(Hello {
            properties: &[0x21, 0, 1],
            ..Hello::v5()
        })
        .await;
    raw.send(&subscribe(true, 1, &topic("command"), 1)).await;
    raw.packet().await;
    let mut taken = 0;
    let full = loop {
        match rig.downlink.publish(&topic("command"), "x".into()) {
            Ok(()) => taken += 1,
            Err(error) => break error,
        }
        assert!(taken < 5_000, "no limit");
    };
    assert_eq!(full, DownlinkError::Full);
    assert!(taken >= 1_024, "{taken}");
}

#[tokio::test]
async fn integrations_read_their_farm() {
    let rig = Rig::start().await;
    let mut erp = rig.integration().await;
    let mut spy = rig
        .client(Hello {
            user: Some("spy"),
            ..Hello::v4()
        })
        .await;
    spy.send(&subscribe(false, 1, "harit/1/green/#", 1)).await;
    assert_eq!(spy.packet().await, [0x90, 3, 0, 1, 0x80]);
    spy.send(&subscribe(false, 1, "harit/1/other/#", 1)).await;
    spy.packet().await;
    let mut raw = rig.client(Hello::v4()).await;
    raw.send(&publish(false, &topic("telemetry"), Some(1), b"warm"))
        .await;
    raw.send(&publish(false, &topic("state"), None, b"on"))
        .await;
    assert_eq!(
        erp.packet().await,
        publish(false, &topic("telemetry"), Some(1), b"warm")
    );
    assert_eq!(
        erp.packet().await,
        publish(false, &topic("state"), None, b"on")
    );
    spy.quiet().await;
    raw.quiet_after_acks(1).await;
}

#[tokio::test]
async fn revoked_and_shut_down() {
    let rig = Rig::start().await;
    let mut raw = rig.client(Hello::v5()).await;
    let mut other = rig
        .client(Hello {
            user: Some("erp"),
            ..Hello::v5()
        })
        .await;
    assert_eq!(rig.endpoint.disconnect(&controller(MAC)), 1);
    assert_eq!(raw.packet().await, [0xe0, 2, 0x98, 0]);
    raw.closed().await;
    other.ping().await;
    // What is durable by the end is acknowledged; wills stay unsaid, for it is not the controller that goes.
    let state = topic("state");
    let mut raw = rig
        .client(Hello {
            will: Some((&state, "gone")),
            ..Hello::v5()
        })
        .await;
    rig.pipeline.receipts(Receipts::Held);
    raw.send(&publish(true, &topic("telemetry"), Some(1), b"{}"))
        .await;
    rig.pipeline.until_publishes(1).await;
    let pipeline = std::sync::Arc::clone(&rig.pipeline);
    let shutdown = tokio::spawn(rig.endpoint.shutdown());
    tokio::time::sleep(Duration::from_millis(200)).await;
    pipeline.release(false);
    assert_eq!(raw.packet().await, [0x40, 2, 0, 1]);
    assert_eq!(raw.packet().await, [0xe0, 2, 0x8b, 0]);
    tokio::time::timeout(Duration::from_secs(5), shutdown)
        .await
        .unwrap()
        .unwrap();
    assert!(!pipeline.seen().contains(&Seen::publish(&state, b"gone")));
    let erp = Principal::Integration {
        farm: "green".into(),
        name: "erp".into(),
    };
    assert!(pipeline.seen().contains(&Seen::Disconnected(erp)));
}
