//! The endpoint against rumqttc: it publishes, is refused, dies and leaves its will, and resumes its session.

use std::time::Duration;

use crate::rig::{MAC, PATIENCE, Rig, SECRET, Seen, topic};
use tokio::time::timeout;

// The clients of the two versions have the same methods on types of their own.

/// Subscribes twice and publishes at QoS 0, at QoS 1 and something else at QoS 1; what was said of both acknowledgements and
/// of both subscriptions.
macro_rules! exchanged {
    ($client:ident, $events:ident, $last:ident, |$ack:ident| $said:expr) => {{
        for filter in [topic("command"), "harit/1/green/#".to_owned()] {
            let subscribed = $client.subscribe(filter, QoS::AtLeastOnce).await;
            subscribed.unwrap();
        }
        let own = |payload: &[u8]| (topic("telemetry"), payload.to_vec());
        for (qos, (topic, payload)) in [
            (QoS::AtMostOnce, own(b"q0")),
            (QoS::AtLeastOnce, own(b"q1")),
            (QoS::AtLeastOnce, $last),
        ] {
            $client.publish(topic, qos, false, payload).await.unwrap();
        }
        let (mut acked, mut granted) = (Vec::new(), Vec::new());
        let exchanged = timeout(PATIENCE, async {
            while acked.len() < 2 || granted.len() < 2 {
                match $events.poll().await.unwrap() {
                    Event::Incoming(Packet::PubAck($ack)) => acked.push($said),
                    Event::Incoming(Packet::SubAck(suback)) => granted.extend(suback.return_codes),
                    _ => {}
                }
            }
        });
        exchanged.await.unwrap();
        (acked, granted)
    }};
}

/// Connects again; whether the session is still there, and the command that waited in it.
macro_rules! resumed {
    ($options:ident) => {{
        let (_client, mut events) = AsyncClient::new($options(SECRET), 10);
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
        resumed.await.unwrap()
    }};
}

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
    let large = (topic("telemetry"), vec![b'x'; 1 << 20]);
    let (acked, granted) = exchanged!(client, events, large, |ack| ack.pkid);
    assert_eq!(
        granted,
        [
            SubscribeReasonCode::Success(QoS::AtLeastOnce),
            SubscribeReasonCode::Failure
        ]
    );
    assert_eq!(acked, [3, 4]);
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
    rig.pipeline.until_seen(&will).await;
    rig.command(b"two").await;
    assert_eq!(resumed!(options), (true, "two".into()));
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
    let foreign = ("harit/1/green/x/state".to_owned(), b"q1".to_vec());
    let (acked, granted) = exchanged!(client, events, foreign, |ack| ack.reason);
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
        .until_seen(&Seen::publish(&topic("state"), b"gone"))
        .await;
    rig.command(b"two").await;
    assert_eq!(resumed!(options), (true, "two".into()));
    let (_client, mut events) = AsyncClient::new(options("wrong"), 10);
    let refused = timeout(PATIENCE, events.poll()).await.unwrap().unwrap_err();
    assert!(
        refused.to_string().contains("BadUserNamePassword"),
        "{refused}"
    );
}
