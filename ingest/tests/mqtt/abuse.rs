//! Those who take too much, say too much, or say nonsense: they are slowed and cut off, and nobody else notices.

use std::time::Duration;

use crate::rig::{Hello, MAC, OTHER_MAC, Rig, Seen, controller, publish, subscribe, topic};
use harit_ingest::mqtt::ThrottleConfig;
use harit_testkit::{Dice, Times};

#[tokio::test]
async fn a_full_pipeline_stops_the_reading() {
    let rig = Rig::start().await;
    rig.pipeline
        .room
        .forget_permits(tokio::sync::Semaphore::MAX_PERMITS);
    let mut raw = rig
        .client(Hello {
            keep_alive: 1,
            ..Hello::v4()
        })
        .await;
    // Far more than the socket's buffers hold: the write must block.
    let one = publish(false, &topic("telemetry"), None, &[b'x'; 60_000]);
    let sent = tokio::time::timeout(Duration::from_millis(2_500), async {
        for _ in 0..1_000 {
            tokio::io::AsyncWriteExt::write_all(&mut raw.stream, &one)
                .await
                .unwrap();
        }
    });
    assert!(sent.await.is_err(), "60 MB were read into a full pipeline");
    // The client was not heard for more than its keep-alive, because nobody listened: it is still there.
    assert_eq!(rig.endpoint.stats().connections, 1);
    rig.pipeline.room.add_permits(1_000_000);
    rig.pipeline.until_publishes(10).await;
    assert_eq!(rig.endpoint.stats().connections, 1);
}

#[tokio::test]
async fn garbage_never_hurts_the_others() {
    let rig = Rig::with(|config| config.throttle.bad_until_cut = u32::MAX).await;
    let mut other = rig
        .client(Hello {
            user: Some(OTHER_MAC),
            ..Hello::v4()
        })
        .await;
    let mut dice = Dice::new(0xdead_beef);
    for round in 0..300 {
        let v5 = round % 2 == 0;
        let mut raw = rig.raw().await;
        let mut bytes = if round % 3 > 0 {
            Hello::of(v5).bytes()
        } else {
            Vec::new()
        };
        let good = [
            Hello::of(v5).bytes(),
            publish(v5, &topic("telemetry"), Some(1), b"{}"),
            subscribe(v5, 2, &topic("#"), 1),
            vec![0xe0, 0],
        ];
        for _ in 0..5 {
            let mut next = good[dice.below(good.len())].clone();
            for _ in 0..dice.below(4) {
                let at = dice.below(next.len());
                next[at] = u8::try_from(dice.below(256)).unwrap();
            }
            bytes.extend(next);
        }
        bytes.extend((0..dice.below(50)).map(|_| u8::try_from(dice.below(256)).unwrap()));
        // It may close at any byte.
        let _ = tokio::io::AsyncWriteExt::write_all(&mut raw.stream, &bytes).await;
        if round % 10 == 0 {
            other.ping().await;
        }
    }
    rig.until_stats(|stats| stats.connections == 1).await;
    other.ping().await;
}

#[tokio::test]
async fn oversized_publishes() {
    let rig = Rig::start().await;
    let large = vec![b'x'; 1 << 20];
    // 3.1.1 has no way to know the limit: the message is a dead letter, acknowledged, and the connection goes on.
    let mut old = rig.client(Hello::v4()).await;
    old.send(&publish(false, &topic("telemetry"), Some(1), &large))
        .await;
    assert_eq!(old.packet().await, [0x40, 2, 0, 1]);
    old.send(&publish(false, &topic("telemetry"), Some(2), b"{}"))
        .await;
    assert_eq!(old.packet().await, [0x40, 2, 0, 2]);
    let dead = Seen::Publish {
        topic: topic("telemetry"),
        payload: large[..1_024].to_vec(),
        retain: false,
        oversized: Some(large.len()),
    };
    assert!(rig.pipeline.seen().contains(&dead));
    // MQTT 5 clients were told: they are disconnected, and the message is a dead letter too.
    let mut new = rig
        .client(Hello {
            id: "c2",
            ..Hello::v5()
        })
        .await;
    new.send(&publish(true, &topic("telemetry"), Some(1), &large))
        .await;
    assert_eq!(new.packet().await, [0xe0, 2, 0x95, 0]);
    assert_eq!(
        rig.pipeline
            .seen()
            .iter()
            .filter(|seen| **seen == dead)
            .count(),
        2
    );
    // The largest payload that is allowed.
    old.send(&publish(
        false,
        &topic("telemetry"),
        Some(3),
        &large[..256 * 1024],
    ))
    .await;
    assert_eq!(old.packet().await, [0x40, 2, 0, 3]);
    assert_eq!(rig.pipeline.publishes().last().unwrap().1.len(), 256 * 1024);
    // A packet that nobody would wait for.
    old.send(&[0x32, 0xff, 0xff, 0xff, 0x7f]).await;
    let mut start = topic("telemetry").into_bytes();
    start.splice(0..0, [0, u8::try_from(start.len()).unwrap()]);
    start.extend([0, 4]);
    start.resize(8_192, b'y');
    old.send(&start).await;
    old.closed().await;
    assert_eq!(rig.endpoint.stats().oversized, 3);
}

#[tokio::test]
async fn a_slow_integration_loses_the_oldest_and_slows_nobody() {
    let rig = Rig::with(|config| config.throttle = fast()).await;
    let mut erp = rig.integration().await;
    let mut raw = rig.client(Hello::v4()).await;
    let started = std::time::Instant::now();
    for _ in 0..10 {
        let mut bytes = Vec::new();
        for id in 1..=500_u16 {
            bytes.extend(publish(
                false,
                &topic("telemetry"),
                Some(id),
                &[b'x'; 1_000],
            ));
        }
        raw.send(&bytes).await;
        for _ in 0..500 {
            raw.packet().await;
        }
    }
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
    assert!(
        rig.endpoint.stats().dropped > 3_000,
        "{:?}",
        rig.endpoint.stats()
    );
    erp.packet().await;
}

fn fast() -> ThrottleConfig {
    ThrottleConfig {
        messages_per_second: u32::MAX,
        messages_burst: u32::MAX,
        bytes_per_second: u32::MAX,
        bytes_burst: u32::MAX,
        ..ThrottleConfig::default()
    }
}

#[tokio::test]
async fn a_fast_controller_is_slowed_and_nobody_else() {
    let rig = Rig::with(|config| {
        config.throttle = ThrottleConfig {
            messages_per_second: 100,
            messages_burst: 100,
            ..ThrottleConfig::default()
        };
    })
    .await;
    let mut fast = rig.client(Hello::v4()).await;
    let mut other = rig
        .client(Hello {
            user: Some(OTHER_MAC),
            ..Hello::v4()
        })
        .await;
    let started = std::time::Instant::now();
    for id in 1..=400_u16 {
        fast.send(&publish(false, &topic("telemetry"), Some(id), b"{}"))
            .await;
    }
    let their = format!("harit/1/green/{OTHER_MAC}/telemetry");
    for id in 1..=50 {
        let sent = std::time::Instant::now();
        other.send(&publish(false, &their, Some(id), b"{}")).await;
        other.packet().await;
        assert!(
            sent.elapsed() < Duration::from_millis(200),
            "{:?}",
            sent.elapsed()
        );
    }
    for _ in 1..=400 {
        fast.packet().await;
    }
    // 300 messages beyond the burst, at 100 a second, of which the last read, of up to 32 KiB, is not waited for.
    assert!(
        started.elapsed() > Duration::from_millis(500),
        "{:?}",
        started.elapsed()
    );
    assert!(rig.endpoint.stats().throttled > 0);
}

#[tokio::test]
async fn a_bad_controller_is_cut_off_and_refused_for_a_while() {
    for v5 in [false, true] {
        let rig = Rig::with(|config| {
            config.throttle = ThrottleConfig {
                bad_burst: 5,
                bad_until_cut: 5,
                first_backoff: Duration::from_millis(1_200),
                ..ThrottleConfig::default()
            };
        })
        .await;
        let mut raw = rig.client(Hello::of(v5)).await;
        let mut bytes = Vec::new();
        for id in 1..=20 {
            bytes.extend(publish(v5, &topic("telemetry"), Some(id), b"bad"));
        }
        raw.send(&bytes).await;
        let mut last = raw.packet().await;
        while last[0] == 0x40 {
            match tokio::time::timeout(crate::rig::PATIENCE, raw.try_packet())
                .await
                .unwrap()
            {
                Some(next) => last = next,
                None => break,
            }
        }
        if v5 {
            assert_eq!(last, [0xe0, 2, 0x96, 0]);
        }
        rig.until_stats(|stats| stats.cut_off == 1 && stats.connections == 0)
            .await;
        assert!(
            matches!(&rig.endpoint.stats().backed_off[..], [(who, _)] if *who == controller(MAC))
        );
        let mut again = rig.raw().await;
        again.send(&Hello::of(v5).bytes()).await;
        assert_eq!(again.packet().await[3], if v5 { 0x9f } else { 3 });
        // Nobody else is refused, and it may come back later.
        rig.client(Hello {
            user: Some(OTHER_MAC),
            ..Hello::of(v5)
        })
        .await;
        tokio::time::sleep(Duration::from_millis(1_300)).await;
        rig.client(Hello::of(v5)).await;
        assert!(rig.endpoint.stats().backed_off.is_empty());
    }
}

#[tokio::test]
async fn who_breaks_the_protocol_again_and_again_is_refused() {
    let rig = Rig::with(|config| {
        config.throttle = ThrottleConfig {
            bad_burst: 5,
            bad_until_cut: 5,
            ..ThrottleConfig::default()
        };
    })
    .await;
    for _ in 0..3 {
        let mut raw = rig.client(Hello::v4()).await;
        raw.send(&[0, 0]).await;
        raw.closed().await;
    }
    let mut raw = rig.raw().await;
    raw.send(&Hello::v4().bytes()).await;
    assert_eq!(raw.packet().await, [0x20, 2, 0, 3]);
}

#[tokio::test]
async fn payloads_that_are_read_past_cost_their_bytes() {
    let rig = Rig::with(|config| {
        config.throttle = ThrottleConfig {
            bytes_per_second: 2 << 20,
            bytes_burst: 1 << 20,
            ..ThrottleConfig::default()
        };
    })
    .await;
    let mut raw = rig.client(Hello::v4()).await;
    let started = std::time::Instant::now();
    raw.send(&publish(
        false,
        &topic("telemetry"),
        Some(1),
        &vec![b'x'; 4 << 20],
    ))
    .await;
    assert_eq!(raw.packet().await, [0x40, 2, 0, 1]);
    assert!(
        started.elapsed() > Duration::from_millis(1_000),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_worst_controller_is_not_noticed_by_the_others() {
    let rig = std::sync::Arc::new(Rig::start().await);
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let mut attackers = Vec::new();
    for kind in 0..4_u8 {
        let (rig, stop) = (std::sync::Arc::clone(&rig), std::sync::Arc::clone(&stop));
        attackers.push(tokio::spawn(async move {
            let bytes = match kind {
                0 => publish(false, &topic("telemetry"), Some(1), &vec![b'x'; 1 << 20]),
                1 => publish(false, "harit/1/nowhere/X/telemetry", Some(1), b"{}").repeat(500),
                2 => publish(false, &topic("telemetry"), None, b"bad").repeat(500),
                _ => [publish(false, &topic("state"), Some(1), b"{}"), vec![0, 0]].concat(),
            };
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let mut raw = rig.raw().await;
                let id = format!("attacker-{kind}");
                let mut all = Hello {
                    id: &id,
                    ..Hello::v4()
                }
                .bytes();
                all.extend(bytes.repeat(3));
                // Cut off at any point, it comes back at once.
                let _ = tokio::io::AsyncWriteExt::write_all(&mut raw.stream, &all).await;
                tokio::task::yield_now().await;
            }
        }));
    }
    let mut other = rig
        .client(Hello {
            user: Some(OTHER_MAC),
            ..Hello::v4()
        })
        .await;
    let their = format!("harit/1/green/{OTHER_MAC}/telemetry");
    let mut waits = Vec::new();
    for id in 1..=500 {
        let sent = std::time::Instant::now();
        other.send(&publish(false, &their, Some(id), b"{}")).await;
        other.packet().await;
        waits.push(sent.elapsed());
        tokio::time::sleep(Duration::from_millis(4)).await;
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    for attacker in attackers {
        attacker.abort();
    }
    let waits = Times::of(waits);
    let stats = rig.endpoint.stats();
    assert!(waits.p99 < Duration::from_millis(200), "{waits}; {stats:?}");
    // Cut off while it is connected, or refused once it is known: which of the two depends on who comes first.
    assert!(
        stats.throttled > 0 && stats.cut_off + stats.refused_connects > 0,
        "{stats:?}"
    );
    assert!(
        stats
            .backed_off
            .iter()
            .any(|(who, _)| *who == controller(MAC)),
        "{stats:?}"
    );
}
