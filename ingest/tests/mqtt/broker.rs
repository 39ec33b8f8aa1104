//! Harit as a client of Debian's Mosquitto, with the configuration and the permissions of docs/mosquitto.
//!
//! Without mosquitto these tests fail, unless `HARIT_SKIP_INTEROP=1`.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::mosquitto::{connect, program, publish, start, start_with, telemetry, until_up};
use crate::rig::{MAC, OTHER_MAC, PATIENCE, Pipeline, Receipts, Seen, topic};
use harit_ingest::mqtt::{BrokerClient, BrokerConfig, BrokerError, DownlinkError, Uplink};
use harit_testkit::skipped;
use tokio::time::timeout;

#[tokio::test]
async fn both_ways_with_the_permissions_of_the_docs() {
    if skipped() {
        return;
    }
    let broker = start().await;
    let (pipeline, client, downlink) = connect(&broker).await;
    let (telemetry, state, command) = (topic("telemetry"), topic("state"), topic("command"));
    publish(&broker, MAC, &["-q", "1", "-t", &telemetry, "-m", "{}"]).await;
    publish(&broker, MAC, &["-q", "0", "-t", &telemetry, "-m", "0"]).await;
    publish(&broker, MAC, &["-q", "1", "-r", "-t", &state, "-m", "on"]).await;
    // Mosquitto drops without a word what its ACL forbids.
    publish(
        &broker,
        OTHER_MAC,
        &["-q", "1", "-t", &telemetry, "-m", "forged"],
    )
    .await;
    publish(&broker, MAC, &["-q", "1", "-t", &command, "-m", "forged"]).await;
    publish(
        &broker,
        MAC,
        &["-q", "1", "-t", &topic("ack"), "-m", "last"],
    )
    .await;
    let expected = [
        (telemetry.clone(), "{}"),
        (telemetry, "0"),
        (state, "on"),
        (topic("ack"), "last"),
    ];
    pipeline.until_publishes(expected.len()).await;
    let expected = expected.map(|(topic, payload)| (topic, payload.as_bytes().to_vec()));
    assert_eq!(pipeline.publishes(), expected);

    // A command comes to its controller, and to no other.
    let listen = |user| {
        let mut listener = program(
            &broker,
            "mosquitto_sub",
            user,
            &["-q", "1", "-C", "1", "-W", "4", "-t", &command],
        );
        listener
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let (own, other) = (listen(MAC), listen(OTHER_MAC));
    tokio::time::sleep(Duration::from_millis(500)).await;
    downlink.publish(&command, "do".into()).unwrap();
    let own = timeout(PATIENCE, own.wait_with_output())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(own.stdout, b"do\n");
    let other = timeout(PATIENCE, other.wait_with_output())
        .await
        .unwrap()
        .unwrap();
    assert!(other.stdout.is_empty(), "{other:?}");
    assert_eq!(
        downlink.publish("harit/1/green/+/command", "x".into()),
        Err(DownlinkError::Invalid)
    );
    client.shutdown().await;
    assert_eq!(
        downlink.publish(&command, "x".into()),
        Err(DownlinkError::NotConnected)
    );
}

#[tokio::test]
async fn nothing_is_acknowledged_before_its_receipt() {
    if skipped() {
        return;
    }
    let broker = start().await;
    let (pipeline, client, _downlink) = connect(&broker).await;
    pipeline.receipts(Receipts::Held);
    for n in 0..5 {
        telemetry(&broker, &n.to_string()).await;
    }
    pipeline.until_publishes(5).await;
    // Gone before the journal had them: the broker sends them again, to the next that has the client id.
    drop(client);
    let (again, client, _downlink) = connect(&broker).await;
    again.until_publishes(5).await;
    assert_eq!(again.publishes(), pipeline.publishes());
    // These were acknowledged: what comes next is new.
    client.shutdown().await;
    telemetry(&broker, "while away").await;
    let (third, client, _downlink) = connect(&broker).await;
    third.until_publishes(1).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(
        third.publishes(),
        [(topic("telemetry"), b"while away".to_vec())]
    );
    client.shutdown().await;
}

#[tokio::test]
async fn a_lost_batch_is_sent_again() {
    if skipped() {
        return;
    }
    let broker = start().await;
    let (pipeline, client, _downlink) = connect(&broker).await;
    pipeline.receipts(Receipts::Lost);
    telemetry(&broker, "x").await;
    pipeline.until_publishes(2).await;
    pipeline.receipts(Receipts::AtOnce);
    let now = pipeline.publishes().len();
    pipeline.until_publishes(now + 1).await;
    until_up(&client).await;
    let settled = pipeline.publishes().len();
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(
        pipeline.publishes().len(),
        settled,
        "sent again after it was acknowledged"
    );
    assert!(client.reconnects() >= 1);
}

#[tokio::test]
async fn no_message_wedges_it() {
    if skipped() {
        return;
    }
    // A broker without the limit of the docs.
    let without = |config: String| config.replace("max_packet_size", "# max_packet_size");
    let broker = start_with(without).await;
    let (pipeline, client, _downlink) = connect(&broker).await;
    let large = broker.path("large");
    std::fs::write(&large, vec![b'x'; 3 << 20]).unwrap();
    publish(
        &broker,
        MAC,
        &[
            "-q",
            "1",
            "-t",
            &topic("telemetry"),
            "-f",
            large.to_str().unwrap(),
        ],
    )
    .await;
    for n in 0..20 {
        telemetry(&broker, &n.to_string()).await;
    }
    pipeline.until_publishes(21).await;
    let dead = Seen::Publish {
        topic: topic("telemetry"),
        payload: vec![b'x'; 1_024],
        retain: false,
        oversized: Some(3 << 20),
    };
    assert_eq!(pipeline.seen()[0], dead);
    assert_eq!(client.reconnects(), 0);
    // It was acknowledged: it does not come again.
    client.shutdown().await;
    let (again, client, _downlink) = connect(&broker).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(again.publishes().is_empty());
    client.shutdown().await;

    // With the limit of the docs, the broker does not take it in the first place.
    let broker = start().await;
    let (pipeline, client, _downlink) = connect(&broker).await;
    let run = program(
        &broker,
        "mosquitto_pub",
        MAC,
        &[
            "-q",
            "1",
            "-t",
            &topic("telemetry"),
            "-f",
            large.to_str().unwrap(),
        ],
    )
    .status();
    // It is cut off, and tries again and again.
    assert!(
        !timeout(Duration::from_secs(2), run)
            .await
            .is_ok_and(|status| status.unwrap().success())
    );
    telemetry(&broker, "good").await;
    pipeline.until_publishes(1).await;
    assert_eq!(
        pipeline.publishes(),
        [(topic("telemetry"), b"good".to_vec())]
    );
    client.shutdown().await;
}

#[tokio::test]
async fn it_comes_back_after_the_broker() {
    if skipped() {
        return;
    }
    let mut broker = start().await;
    let (pipeline, client, downlink) = connect(&broker).await;
    publish(
        &broker,
        MAC,
        &["-q", "1", "-r", "-t", &topic("state"), "-m", "birth"],
    )
    .await;
    pipeline.until_publishes(1).await;
    for (round, politely) in [("restart", true), ("crash", false)] {
        broker.down(politely).await;
        let noticed = timeout(PATIENCE, async {
            while downlink.publish(&topic("command"), "x".into())
                != Err(DownlinkError::NotConnected)
            {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        noticed.await.expect("the client notices");
        broker.up().await;
        until_up(&client).await;
        if politely {
            // The broker's retained state comes with the new subscription, and is told from a new one.
            let retained = Seen::Publish {
                topic: topic("state"),
                payload: b"birth".to_vec(),
                retain: true,
                oversized: None,
            };
            pipeline.until_seen(&retained).await;
        }
        telemetry(&broker, round).await;
        pipeline
            .until_seen(&Seen::publish(&topic("telemetry"), round.as_bytes()))
            .await;
    }
    client.shutdown().await;
}

#[tokio::test]
async fn many_messages_in_few_batches_and_a_full_pipeline() {
    if skipped() {
        return;
    }
    let broker = start().await;
    let (pipeline, client, _downlink) = connect(&broker).await;
    pipeline
        .room
        .forget_permits(tokio::sync::Semaphore::MAX_PERMITS);
    let lines: String = (0..1_500).map(|n| format!("{n}\n")).collect();
    let file = broker.path("lines");
    std::fs::write(&file, &lines).unwrap();
    let mut publisher = program(
        &broker,
        "mosquitto_pub",
        MAC,
        &["-q", "1", "-l", "-t", &topic("telemetry")],
    );
    publisher.stdin(std::fs::File::open(&file).unwrap());
    assert!(
        timeout(PATIENCE, publisher.status())
            .await
            .unwrap()
            .unwrap()
            .success()
    );
    assert!(pipeline.publishes().is_empty());
    // For longer than the keep-alive of two seconds.
    tokio::time::sleep(Duration::from_secs(4)).await;
    pipeline.room.add_permits(1_000_000);
    pipeline.until_publishes(1_500).await;
    let seen: Vec<_> = pipeline
        .publishes()
        .into_iter()
        .map(|(_, payload)| payload)
        .collect();
    let expected: Vec<_> = lines.lines().map(|line| line.as_bytes().to_vec()).collect();
    assert!(
        seen == expected,
        "{} came, not each once and in order",
        seen.len()
    );
    assert_eq!(client.reconnects(), 0);
    let batches = pipeline.batches.load(Ordering::Relaxed);
    assert!(batches < 1_000, "{batches} batches");
    client.shutdown().await;
}

#[tokio::test]
async fn what_cannot_work_is_said_at_once() {
    let uplink = || Pipeline::new() as Arc<dyn Uplink>;
    let nameless = BrokerConfig {
        client_id: String::new(),
        ..BrokerConfig::default()
    };
    assert_eq!(
        BrokerClient::connect(nameless, uplink()).await.err(),
        Some(BrokerError::NoClientId)
    );
    let hasty = BrokerConfig {
        keep_alive: Duration::from_millis(1),
        ..BrokerConfig::default()
    };
    let refused = BrokerClient::connect(hasty, uplink()).await.err().unwrap();
    assert_eq!(
        refused.to_string(),
        "the keep-alive for the broker is 1ms, less than a second"
    );
}
