//! The endpoint against rumqttc: it publishes, is refused, dies and leaves its will, and resumes its session.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod rig;

use std::time::Duration;

use rig::{MAC, PATIENCE, Rig, SECRET, Seen, topic};
use tokio::time::timeout;

#[tokio::test]
async fn rumqttc_3_1_1() {
    use rumqttc::{
        AsyncClient, ConnectReturnCode, Event, LastWill, MqttOptions, Packet, QoS,
        SubscribeReasonCode,
    };
    let rig = Rig::start().await;
    let options = |password: &str| {
        let mut options = MqttOptions::new("keeper", "127.0.0.1", rig.port());
        options
            .set_credentials(MAC, password)
            .set_clean_session(false)
            .set_keep_alive(Duration::from_secs(5));
        options.set_last_will(LastWill::new(
            topic("state"),
            "gone",
            QoS::AtLeastOnce,
            true,
        ));
        options.set_max_packet_size(4 << 20, 4 << 20);
        options
    };
    let (client, mut events) = AsyncClient::new(options(SECRET), 10);
    client
        .subscribe(topic("command"), QoS::AtLeastOnce)
        .await
        .unwrap();
    client
        .subscribe("harit/1/green/#", QoS::AtLeastOnce)
        .await
        .unwrap();
    client
        .publish(topic("telemetry"), QoS::AtMostOnce, false, "q0")
        .await
        .unwrap();
    client
        .publish(topic("telemetry"), QoS::AtLeastOnce, false, "q1")
        .await
        .unwrap();
    client
        .publish(
            topic("telemetry"),
            QoS::AtLeastOnce,
            false,
            vec![b'x'; 1 << 20],
        )
        .await
        .unwrap();
    let (mut acked, mut granted) = (0, Vec::new());
    timeout(PATIENCE, async {
        while acked < 2 || granted.len() < 2 {
            match events.poll().await.unwrap() {
                Event::Incoming(Packet::PubAck(_)) => acked += 1,
                Event::Incoming(Packet::SubAck(suback)) => granted.extend(suback.return_codes),
                _ => {}
            }
        }
    })
    .await
    .unwrap();
    assert_eq!(
        granted,
        [
            SubscribeReasonCode::Success(QoS::AtLeastOnce),
            SubscribeReasonCode::Failure
        ]
    );
    let payloads: Vec<_> = rig
        .pipeline
        .publishes()
        .into_iter()
        .map(|(_, payload)| payload.len())
        .collect();
    assert_eq!(payloads, [2, 2, 1_024]);
    drop((client, events));
    let will = Seen::Publish {
        topic: topic("state"),
        payload: b"gone".to_vec(),
        retain: true,
        oversized: None,
    };
    rig.pipeline
        .until("the will", |seen| seen.contains(&will))
        .await;
    rig.command(b"two").await;
    let (_client, mut events) = AsyncClient::new(options(SECRET), 10);
    let resumed = timeout(PATIENCE, async {
        let mut present = false;
        loop {
            match events.poll().await.unwrap() {
                Event::Incoming(Packet::ConnAck(connack)) => present = connack.session_present,
                Event::Incoming(Packet::Publish(publish)) => break (present, publish.payload),
                _ => {}
            }
        }
    });
    assert_eq!(resumed.await.unwrap(), (true, "two".into()));
    let (_client, mut events) = AsyncClient::new(options("wrong"), 10);
    let refused = timeout(PATIENCE, events.poll()).await.unwrap().unwrap_err();
    let expected =
        rumqttc::ConnectionError::ConnectionRefused(ConnectReturnCode::BadUserNamePassword);
    assert_eq!(refused.to_string(), expected.to_string());
}

#[tokio::test]
async fn rumqttc_5() {
    use rumqttc::v5::mqttbytes::QoS;
    use rumqttc::v5::mqttbytes::v5::{LastWill, Packet, PubAckReason, SubscribeReasonCode};
    use rumqttc::v5::{AsyncClient, Event, MqttOptions};
    let rig = Rig::start().await;
    let options = |password: &str| {
        let mut options = MqttOptions::new("keeper", "127.0.0.1", rig.port());
        options
            .set_credentials(MAC, password)
            .set_clean_start(false)
            .set_keep_alive(Duration::from_secs(5));
        options.set_session_expiry_interval(Some(300));
        options.set_last_will(LastWill::new(
            topic("state"),
            "gone",
            QoS::AtLeastOnce,
            false,
            None,
        ));
        options
    };
    let (client, mut events) = AsyncClient::new(options(SECRET), 10);
    client
        .subscribe(topic("command"), QoS::AtLeastOnce)
        .await
        .unwrap();
    client
        .subscribe("harit/1/green/#", QoS::AtLeastOnce)
        .await
        .unwrap();
    client
        .publish(topic("telemetry"), QoS::AtMostOnce, false, "q0")
        .await
        .unwrap();
    client
        .publish(topic("telemetry"), QoS::AtLeastOnce, false, "q1")
        .await
        .unwrap();
    client
        .publish("harit/1/green/x/state", QoS::AtLeastOnce, false, "q1")
        .await
        .unwrap();
    let (mut acked, mut granted) = (Vec::new(), Vec::new());
    timeout(PATIENCE, async {
        while acked.len() < 2 || granted.len() < 2 {
            match events.poll().await.unwrap() {
                Event::Incoming(Packet::PubAck(puback)) => acked.push(puback.reason),
                Event::Incoming(Packet::SubAck(suback)) => granted.extend(suback.return_codes),
                _ => {}
            }
        }
    })
    .await
    .unwrap();
    assert_eq!(
        granted,
        [
            SubscribeReasonCode::Success(QoS::AtLeastOnce),
            SubscribeReasonCode::NotAuthorized
        ]
    );
    assert_eq!(acked, [PubAckReason::Success, PubAckReason::NotAuthorized]);
    drop((client, events));
    rig.pipeline
        .until("the will", |seen| {
            seen.contains(&Seen::publish(&topic("state"), b"gone"))
        })
        .await;
    rig.command(b"two").await;
    let (_client, mut events) = AsyncClient::new(options(SECRET), 10);
    let resumed = timeout(PATIENCE, async {
        let mut present = false;
        loop {
            match events.poll().await.unwrap() {
                Event::Incoming(Packet::ConnAck(connack)) => present = connack.session_present,
                Event::Incoming(Packet::Publish(publish)) => break (present, publish.payload),
                _ => {}
            }
        }
    });
    assert_eq!(resumed.await.unwrap(), (true, "two".into()));
    let (_client, mut events) = AsyncClient::new(options("wrong"), 10);
    let refused = timeout(PATIENCE, events.poll()).await.unwrap().unwrap_err();
    assert!(
        refused.to_string().contains("BadUserNamePassword"),
        "{refused}"
    );
}
