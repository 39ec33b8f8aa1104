//! What the endpoint says to each packet, good and bad, in both versions.

use crate::rig::{Hello, OTHER_MAC, Receipts, Rig, Seen, packet, publish, subscribe, topic};
use harit_testkit::Dice;

#[tokio::test]
async fn acknowledgements_wait_for_receipts_and_come_in_order() {
    for v5 in [false, true] {
        let rig = Rig::start().await;
        rig.pipeline.receipts(Receipts::Held);
        let mut raw = rig.client(Hello::of(v5)).await;
        for id in 1..=3 {
            raw.send(&publish(v5, &topic("telemetry"), Some(id), b"{}"))
                .await;
            rig.pipeline.until_publishes(usize::from(id)).await;
        }
        raw.quiet().await;
        rig.pipeline.release(true);
        for id in 1..=3 {
            assert_eq!(raw.packet().await, [0x40, 2, 0, id]);
        }
    }
}

#[tokio::test]
async fn many_publishes_in_one_read_are_few_batches() {
    let rig = Rig::start().await;
    let mut raw = rig.client(Hello::v4()).await;
    let mut bytes = Vec::new();
    for id in 1..=1_000_u16 {
        bytes.extend(publish(
            false,
            &topic("telemetry"),
            Some(id),
            format!("{id}").as_bytes(),
        ));
    }
    raw.send(&bytes).await;
    for id in 1..=1_000_u16 {
        let [high, low] = id.to_be_bytes();
        assert_eq!(raw.packet().await, [0x40, 2, high, low]);
    }
    let payloads: Vec<_> = rig
        .pipeline
        .publishes()
        .into_iter()
        .map(|(_, payload)| payload)
        .collect();
    assert_eq!(
        payloads,
        (1..=1_000)
            .map(|id| format!("{id}").into_bytes())
            .collect::<Vec<_>>()
    );
    let batches = rig
        .pipeline
        .batches
        .load(std::sync::atomic::Ordering::Relaxed);
    assert!(batches < 100, "{batches} batches");
}

#[tokio::test]
async fn a_lost_receipt_is_never_acknowledged() {
    for v5 in [false, true] {
        let rig = Rig::start().await;
        rig.pipeline.receipts(Receipts::Lost);
        let mut raw = rig.client(Hello::of(v5)).await;
        raw.send(&publish(v5, &topic("telemetry"), Some(1), b"{}"))
            .await;
        if v5 {
            assert_eq!(raw.packet().await, [0xe0, 2, 0x89, 0]);
        }
        raw.closed().await;
    }
}

#[tokio::test]
async fn topics_of_other_systems_are_taken_of_controllers_and_of_nobody_else() {
    let rig = Rig::start().await;
    let mut device = rig.client(Hello::v5()).await;
    device
        .send(&publish(true, "tele/bed-1/SENSOR", Some(5), b"{}"))
        .await;
    assert_eq!(device.packet().await[..4], [0x40, 2, 0, 5]);
    let long = "x".repeat(257);
    for name in [long.as_str(), "$SYS/broker/uptime", "/harit/1/x", "harit"] {
        device.send(&publish(true, name, Some(6), b"{}")).await;
        assert_eq!(device.packet().await, [0x40, 3, 0, 6, 0x87], "{name}");
    }
    let mut erp = rig
        .client(Hello {
            user: Some("erp"),
            ..Hello::v5()
        })
        .await;
    erp.send(&publish(true, "tele/bed-1/SENSOR", Some(7), b"{}"))
        .await;
    assert_eq!(erp.packet().await, [0x40, 3, 0, 7, 0x87]);
    let taken = rig.pipeline.publishes();
    assert_eq!(taken.len(), 1);
}

#[tokio::test]
async fn forbidden_publishes_and_subscriptions() {
    let rig = Rig::start().await;
    let mut old = rig.client(Hello::v4()).await;
    let mut new = rig
        .client(Hello {
            id: "c2",
            ..Hello::v5()
        })
        .await;
    let mut erp = rig
        .client(Hello {
            user: Some("erp"),
            ..Hello::v5()
        })
        .await;
    let foreign = format!("harit/1/green/{OTHER_MAC}/telemetry");
    for name in [
        foreign.clone(),
        topic("command"),
        "harit/1/other/A4CF120B9E01/state".into(),
        "$SYS/x".into(),
    ] {
        old.send(&publish(false, &name, Some(5), b"{}")).await;
        assert_eq!(old.packet().await, [0x40, 2, 0, 5], "{name}");
        new.send(&publish(true, &name, Some(5), b"{}")).await;
        assert_eq!(new.packet().await, [0x40, 3, 0, 5, 0x87], "{name}");
        new.send(&publish(true, &name, None, b"{}")).await;
        new.ping().await;
    }
    erp.send(&publish(true, &topic("telemetry"), Some(9), b"{}"))
        .await;
    assert_eq!(erp.packet().await, [0x40, 3, 0, 9, 0x87]);
    for (filter, code) in [
        (topic("command"), 1),
        (topic("#"), 1),
        (foreign, 0x87),
        ("harit/1/green/+/command".into(), 0x87),
        ("#".into(), 0x87),
        (topic("a#"), 0x8f),
        (format!("$share/g/{}", topic("command")), 0x9e),
    ] {
        old.send(&subscribe(false, 3, &filter, 2)).await;
        assert_eq!(
            old.packet().await,
            [0x90, 3, 0, 3, if code == 1 { 1 } else { 0x80 }],
            "{filter}"
        );
        new.send(&subscribe(true, 3, &filter, 2)).await;
        assert_eq!(new.packet().await, [0x90, 4, 0, 3, 0, code], "{filter}");
    }
    // With a subscription identifier, which was said not to be available.
    let mut body = vec![0, 3, 2, 0x0b, 1, 0, 1];
    body.extend(b"x\0");
    new.send(&packet(0x82, &body)).await;
    assert_eq!(new.packet().await, [0x90, 4, 0, 3, 0, 0xa1]);
    assert!(rig.pipeline.publishes().is_empty());
    let refused = rig
        .pipeline
        .seen()
        .iter()
        .filter(|seen| matches!(seen, Seen::Refused { reason, .. } if *reason == "not_allowed"))
        .count();
    assert_eq!(
        (refused, rig.endpoint.stats().forbidden_publishes),
        (13, 13)
    );
    assert_eq!(rig.endpoint.stats().forbidden_subscribes, 11);
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn packets_that_end_a_connection() {
    let bare = |v5: bool, first: u8, rest: &[u8]| {
        let mut body = vec![0, 1, b't'];
        body.extend(rest);
        if v5 {
            body.push(0);
        }
        packet(first, &body)
    };
    let alias = |id: u16| {
        let mut body = vec![0, 0];
        body.extend([3, 0x23]);
        body.extend(id.to_be_bytes());
        packet(0x30, &body)
    };
    for (what, v4, v5) in [
        (
            "packet id 0 at QoS 2",
            Some(bare(false, 0x34, &[0, 0])),
            Some((bare(true, 0x34, &[0, 0]), 0x81)),
        ),
        (
            "a release with id 0",
            Some(packet(0x62, &[0, 0])),
            Some((packet(0x62, &[0, 0]), 0x81)),
        ),
        (
            "a release with the wrong flags",
            Some(packet(0x60, &[0, 1])),
            Some((packet(0x60, &[0, 1]), 0x81)),
        ),
        (
            "QoS 3",
            Some(bare(false, 0x36, &[0, 1])),
            Some((bare(true, 0x36, &[0, 1]), 0x81)),
        ),
        (
            "duplicate at QoS 0",
            Some(bare(false, 0x38, &[])),
            Some((bare(true, 0x38, &[]), 0x81)),
        ),
        (
            "packet id 0",
            Some(bare(false, 0x32, &[0, 0])),
            Some((bare(true, 0x32, &[0, 0]), 0x81)),
        ),
        (
            "wildcard",
            Some(publish(false, "a/+", None, b"")),
            Some((publish(true, "a/#", None, b""), 0x81)),
        ),
        (
            "no topic",
            Some(publish(false, "", None, b"")),
            Some((publish(true, "", None, b""), 0x82)),
        ),
        (
            "bad UTF-8",
            Some(packet(0x30, &[0, 2, 0xc3, 0x28])),
            Some((packet(0x30, &[0, 2, 0xc3, 0x28, 0]), 0x81)),
        ),
        (
            "topic past the end",
            Some(packet(0x30, &[0, 9, b'a'])),
            Some((packet(0x30, &[0, 9, b'a']), 0x81)),
        ),
        (
            "second CONNECT",
            Some(Hello::v4().bytes()),
            Some((Hello::v5().bytes(), 0x82)),
        ),
        (
            "SUBACK",
            Some(packet(0x90, &[0, 1, 0])),
            Some((packet(0x90, &[0, 1, 0, 0]), 0x82)),
        ),
        (
            "SUBSCRIBE without flags",
            Some(packet(0x80, &[0, 1, 0, 1, b'a', 0])),
            Some((packet(0x80, &[0, 1, 0]), 0x81)),
        ),
        (
            "SUBSCRIBE of nothing",
            Some(packet(0x82, &[0, 1])),
            Some((packet(0x82, &[0, 1, 0]), 0x82)),
        ),
        (
            "PINGREQ with a body",
            Some(packet(0xc0, &[1])),
            Some((packet(0xc0, &[1]), 0x81)),
        ),
        ("type 0", Some(packet(0, &[])), Some((packet(0, &[]), 0x82))),
        (
            "length that never ends",
            Some(vec![0x30, 0xff, 0xff, 0xff, 0xff]),
            Some((vec![0x30, 0xff, 0xff, 0xff, 0xff], 0x81)),
        ),
        ("alias 0", None, Some((alias(0), 0x94))),
        ("alias never set", None, Some((alias(3), 0x94))),
        ("alias over the maximum", None, Some((alias(17), 0x94))),
        ("AUTH", None, Some((packet(0xf0, &[]), 0x82))),
        (
            "large SUBSCRIBE",
            Some(vec![0x82, 0xff, 0xff, 0x7f]),
            Some((vec![0x82, 0xff, 0xff, 0x7f], 0x95)),
        ),
    ] {
        let rig = Rig::start().await;
        if let Some(bytes) = v4 {
            let mut raw = rig.client(Hello::v4()).await;
            raw.send(&bytes).await;
            raw.closed().await;
        }
        if let Some((bytes, code)) = v5 {
            let mut raw = rig.client(Hello::v5()).await;
            raw.send(&bytes).await;
            assert_eq!(raw.packet().await, [0xe0, 2, code, 0], "{what}");
            raw.closed().await;
        }
        rig.until_stats(|stats| stats.faults >= 1 && stats.connections == 0)
            .await;
        assert!(rig.pipeline.publishes().is_empty(), "{what}");
    }
}

#[tokio::test]
async fn what_came_before_a_bad_packet_is_not_lost() {
    let rig = Rig::start().await;
    let mut raw = rig.client(Hello::v5()).await;
    let mut bytes = publish(true, &topic("telemetry"), None, b"first");
    bytes.extend(publish(true, &topic("state"), None, b"second"));
    bytes.extend([0, 0]);
    raw.send(&bytes).await;
    assert_eq!(raw.packet().await, [0xe0, 2, 0x82, 0]);
    assert_eq!(rig.pipeline.publishes().len(), 2);
}

#[tokio::test]
async fn however_the_bytes_arrive() {
    for seed in 1..=20 {
        let mut dice = Dice::new(seed);
        let v5 = seed % 2 == 0;
        let rig = Rig::start().await;
        let mut raw = rig.client(Hello::of(v5)).await;
        let (mut bytes, mut payloads, mut answers) = (Vec::new(), Vec::new(), Vec::new());
        for id in 1..=60_u16 {
            match dice.below(4) {
                0 => {
                    bytes.extend([0xc0, 0]);
                    answers.push(vec![0xd0, 0]);
                }
                1 => {
                    bytes.extend(subscribe(v5, id, &topic("command"), 0));
                    let answer: &[u8] = if v5 {
                        &[0x90, 4, 0, 0, 0, 0]
                    } else {
                        &[0x90, 3, 0, 0, 0]
                    };
                    answers.push(answer.to_vec());
                    answers.last_mut().unwrap()[3] = u8::try_from(id).unwrap();
                }
                kind => {
                    let size = if dice.below(20) == 0 {
                        100_000
                    } else {
                        dice.below(300)
                    };
                    let payload = vec![u8::try_from(id).unwrap(); size];
                    bytes.extend(publish(
                        v5,
                        &topic("telemetry"),
                        (kind == 2).then_some(id),
                        &payload,
                    ));
                    payloads.push(payload);
                    if kind == 2 {
                        answers.push(vec![0x40, 2, 0, u8::try_from(id).unwrap()]);
                    }
                }
            }
        }
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let limit = if dice.below(3) == 0 { 40_000 } else { 30 };
            let (now, later) = rest.split_at((1 + dice.below(limit)).min(rest.len()));
            raw.send(now).await;
            if dice.below(4) == 0 {
                tokio::task::yield_now().await;
            }
            rest = later;
        }
        let mut got = Vec::new();
        for _ in 0..answers.len() {
            got.push(raw.packet().await);
        }
        // Acknowledgements wait for their receipts, other answers do not: each kind keeps its order.
        for kind in [0x40, 0x90, 0xd0] {
            let of = |all: &[Vec<u8>]| {
                all.iter()
                    .filter(|one| one[0] == kind)
                    .cloned()
                    .collect::<Vec<_>>()
            };
            assert_eq!(of(&got), of(&answers), "seed {seed}");
        }
        rig.pipeline.until_publishes(payloads.len()).await;
        let seen: Vec<_> = rig
            .pipeline
            .publishes()
            .into_iter()
            .map(|(_, payload)| payload)
            .collect();
        assert!(
            seen == payloads,
            "seed {seed}: other payloads, or another order"
        );
    }
}

#[tokio::test]
async fn topic_aliases() {
    let rig = Rig::start().await;
    let mut raw = rig.client(Hello::v5()).await;
    let with_alias = |name: &str, payload: &[u8]| {
        let mut body = u16::try_from(name.len()).unwrap().to_be_bytes().to_vec();
        body.extend(name.as_bytes());
        body.extend([3, 0x23, 0, 16]);
        body.extend(payload);
        packet(0x30, &body)
    };
    raw.send(&with_alias(&topic("telemetry"), b"1")).await;
    raw.send(&with_alias("", b"2")).await;
    raw.send(&with_alias(&topic("state"), b"3")).await;
    raw.send(&with_alias("", b"4")).await;
    rig.pipeline.until_publishes(4).await;
    let seen: Vec<_> = rig
        .pipeline
        .publishes()
        .into_iter()
        .map(|(name, payload)| (name, payload[0]))
        .collect();
    let (one, two) = (topic("telemetry"), topic("state"));
    assert_eq!(
        seen,
        [
            (one.clone(), b'1'),
            (one, b'2'),
            (two.clone(), b'3'),
            (two, b'4')
        ]
    );
    // An alias hides no topic from the permissions.
    raw.send(&with_alias("harit/1/green/A4CF120B9E02/state", b"5"))
        .await;
    raw.send(&with_alias("", b"6")).await;
    raw.ping().await;
    assert_eq!(
        (
            rig.pipeline.publishes().len(),
            rig.endpoint.stats().forbidden_publishes
        ),
        (4, 2)
    );
}
