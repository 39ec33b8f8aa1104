//! The client of either version of MQTT behind one face: what is asked of it, and what it says.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rumqttc::{NetworkOptions, TlsConfiguration, Transport, v5};
use rustls::ClientConfig;

use super::{BrokerConfig, MqttVersion, tls};
use super::{BrokerError, MAX_IN_FLIGHT, MAX_PACKET_BYTES, MAX_REQUESTS, NETWORK_PATIENCE_SECONDS};

/// For how long a broker keeps a command for a client of its own that is away, in seconds (MQTT 5 alone can say it).
const COMMAND_EXPIRES_SECONDS: u32 = 15;

/// The request channel has no room, or its other end is gone.
#[derive(Debug)]
pub(super) struct NoRoom;

/// What is asked of the client.
#[derive(Clone)]
pub(super) enum Client {
    V4(rumqttc::AsyncClient),
    V5(v5::AsyncClient),
}

/// A message of the broker.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) topic: String,
    pub(super) payload: Bytes,
    pub(super) retain: bool,
    /// Sent before, and sent again.
    pub(super) dup: bool,
    /// 0 at QoS 0.
    pub(super) packet_id: u16,
}

/// What the client says.
#[derive(Debug)]
pub(super) enum Event {
    /// Connected; whether the broker kept the session.
    Connected(bool),
    /// The answers to a subscription, by filter: whether it was granted.
    Subscribed(Vec<bool>),
    Publish(Incoming),
    Goodbye,
    Other,
}

pub(super) enum Events {
    V4(Box<rumqttc::EventLoop>),
    V5(Box<v5::EventLoop>),
}

/// Makes the client of a configuration.
pub(super) fn make(config: &BrokerConfig, clean: bool) -> Result<(Client, Events), BrokerError> {
    let mut network = NetworkOptions::new();
    network.set_tcp_nodelay(true);
    network.set_connection_timeout(NETWORK_PATIENCE_SECONDS);
    let transport = match &config.tls {
        Some(files) => Transport::tls_with_config(TlsConfiguration::Rustls(tls::client(files)?)),
        None => Transport::tcp(),
    };
    let (id, host) = (config.client_id.clone(), config.host.clone());
    let account = config.username.clone();
    let account = account.map(|user| (user, config.password.clone().unwrap_or_default()));
    let will = config.side.as_ref().map(|side| side.will.clone());
    Ok(match config.version {
        MqttVersion::V4 => {
            let mut options = rumqttc::MqttOptions::new(id, host, config.port);
            options
                .set_clean_session(clean)
                .set_manual_acks(true)
                .set_keep_alive(config.keep_alive)
                .set_inflight(MAX_IN_FLIGHT)
                .set_max_packet_size(MAX_PACKET_BYTES, MAX_PACKET_BYTES)
                .set_transport(transport);
            if let Some((user, password)) = account {
                options.set_credentials(user, password);
            }
            if let Some((topic, payload)) = will {
                let qos = rumqttc::QoS::AtLeastOnce;
                options.set_last_will(rumqttc::LastWill::new(topic, payload, qos, true));
            }
            let (client, mut events) = rumqttc::AsyncClient::new(options, MAX_REQUESTS);
            events.set_network_options(network);
            (Client::V4(client), Events::V4(Box::new(events)))
        }
        MqttVersion::V5 => {
            let mut options = v5::MqttOptions::new(id, host, config.port);
            options
                .set_clean_start(clean)
                .set_session_expiry_interval(Some(if clean { 0 } else { u32::MAX }))
                .set_manual_acks(true)
                .set_keep_alive(config.keep_alive)
                .set_connection_timeout(NETWORK_PATIENCE_SECONDS)
                .set_max_packet_size(u32::try_from(MAX_PACKET_BYTES).ok())
                .set_transport(transport)
                .set_network_options(network);
            options.set_outgoing_inflight_upper_limit(MAX_IN_FLIGHT);
            if let Some((user, password)) = account {
                options.set_credentials(user, password);
            }
            if let Some((topic, payload)) = will {
                let qos = v5::mqttbytes::QoS::AtLeastOnce;
                let will = v5::mqttbytes::v5::LastWill::new(topic, payload, qos, true, None);
                options.set_last_will(will);
            }
            let (client, events) = v5::AsyncClient::new(options, MAX_REQUESTS);
            (Client::V5(client), Events::V5(Box::new(events)))
        }
    })
}

impl Client {
    /// Publishes at QoS 1. What is not kept is a command: it is worth nothing later.
    pub(super) fn publish(&self, topic: &str, payload: Bytes, keep: bool) -> Result<(), NoRoom> {
        match self {
            Self::V4(client) => client
                .try_publish(topic, rumqttc::QoS::AtLeastOnce, keep, payload)
                .map_err(|_| NoRoom),
            Self::V5(client) => {
                let properties = v5::mqttbytes::v5::PublishProperties {
                    message_expiry_interval: (!keep).then_some(COMMAND_EXPIRES_SECONDS),
                    ..Default::default()
                };
                let qos = v5::mqttbytes::QoS::AtLeastOnce;
                client
                    .try_publish_with_properties(topic, qos, keep, payload, properties)
                    .map_err(|_| NoRoom)
            }
        }
    }

    pub(super) fn acknowledge(&self, packet_id: u16) -> Result<(), NoRoom> {
        match self {
            Self::V4(client) => {
                let mut publish = rumqttc::Publish::new("", rumqttc::QoS::AtLeastOnce, Vec::new());
                publish.pkid = packet_id;
                client.try_ack(&publish).map_err(|_| NoRoom)
            }
            Self::V5(client) => {
                let qos = v5::mqttbytes::QoS::AtLeastOnce;
                let mut publish = v5::mqttbytes::v5::Publish::new("", qos, Bytes::new(), None);
                publish.pkid = packet_id;
                client.try_ack(&publish).map_err(|_| NoRoom)
            }
        }
    }

    /// Subscribes at QoS 1.
    pub(super) fn subscribe(&self, filters: &[String]) -> Result<(), NoRoom> {
        match self {
            Self::V4(client) => {
                let filters = filters.iter().map(|filter| {
                    rumqttc::SubscribeFilter::new(filter.clone(), rumqttc::QoS::AtLeastOnce)
                });
                client.try_subscribe_many(filters).map_err(|_| NoRoom)
            }
            Self::V5(client) => {
                let filters = filters.iter().map(|filter| v5::mqttbytes::v5::Filter {
                    nolocal: true,
                    ..v5::mqttbytes::v5::Filter::new(
                        filter.clone(),
                        v5::mqttbytes::QoS::AtLeastOnce,
                    )
                });
                client.try_subscribe_many(filters).map_err(|_| NoRoom)
            }
        }
    }

    pub(super) fn unsubscribe(&self, filter: &str) -> Result<(), NoRoom> {
        match self {
            Self::V4(client) => client.try_unsubscribe(filter).map_err(|_| NoRoom),
            Self::V5(client) => client.try_unsubscribe(filter).map_err(|_| NoRoom),
        }
    }

    /// Says goodbye; whether that could be asked.
    pub(super) async fn disconnect(&self) -> bool {
        match self {
            Self::V4(client) => client.disconnect().await.is_ok(),
            Self::V5(client) => client.disconnect().await.is_ok(),
        }
    }
}

impl Events {
    /// Waits for what comes next; connects where there is no connection.
    pub(super) async fn poll(&mut self) -> Result<Event, String> {
        match self {
            Self::V4(events) => {
                use rumqttc::{Outgoing, Packet, SubscribeReasonCode};
                match events.poll().await.map_err(|e| e.to_string())? {
                    rumqttc::Event::Incoming(Packet::ConnAck(ack)) => {
                        Ok(Event::Connected(ack.session_present))
                    }
                    rumqttc::Event::Incoming(Packet::SubAck(ack)) => {
                        let granted = |code: &SubscribeReasonCode| {
                            !matches!(code, SubscribeReasonCode::Failure)
                        };
                        Ok(Event::Subscribed(
                            ack.return_codes.iter().map(granted).collect(),
                        ))
                    }
                    rumqttc::Event::Incoming(Packet::Publish(publish)) => {
                        Ok(Event::Publish(Incoming {
                            topic: publish.topic,
                            payload: publish.payload,
                            retain: publish.retain,
                            dup: publish.dup,
                            packet_id: publish.pkid,
                        }))
                    }
                    rumqttc::Event::Outgoing(Outgoing::Disconnect) => Ok(Event::Goodbye),
                    _ => Ok(Event::Other),
                }
            }
            Self::V5(events) => {
                use v5::mqttbytes::v5::{Packet, SubscribeReasonCode};
                match events.poll().await.map_err(|e| e.to_string())? {
                    v5::Event::Incoming(Packet::ConnAck(ack)) => {
                        Ok(Event::Connected(ack.session_present))
                    }
                    v5::Event::Incoming(Packet::SubAck(ack)) => {
                        let granted = |code: &SubscribeReasonCode| {
                            matches!(code, SubscribeReasonCode::Success(_))
                        };
                        Ok(Event::Subscribed(
                            ack.return_codes.iter().map(granted).collect(),
                        ))
                    }
                    v5::Event::Incoming(Packet::Publish(publish)) => Ok(Event::Publish(Incoming {
                        topic: String::from_utf8_lossy(&publish.topic).into_owned(),
                        payload: publish.payload,
                        retain: publish.retain,
                        dup: publish.dup,
                        packet_id: publish.pkid,
                    })),
                    v5::Event::Outgoing(rumqttc::Outgoing::Disconnect) => Ok(Event::Goodbye),
                    _ => Ok(Event::Other),
                }
            }
        }
    }

    /// Has the next connection use other files of TLS.
    pub(super) fn secure(&mut self, tls: Arc<ClientConfig>) {
        let transport = Transport::tls_with_config(TlsConfiguration::Rustls(tls));
        match self {
            Self::V4(events) => {
                events.mqtt_options.set_transport(transport);
            }
            Self::V5(events) => {
                events.options.set_transport(transport);
            }
        }
    }

    /// Ends the connection, and forgets what was to go out by it: a command is worth nothing later, whoever wants it says it again.
    pub(super) fn clean(&mut self) {
        match self {
            Self::V4(events) => {
                events.clean();
                events.pending.clear();
            }
            Self::V5(events) => {
                events.clean();
                events.pending.clear();
            }
        }
    }
}

/// What a connection that changes nothing there says: it subscribes in a session of its own, which ends with it.
///
/// # Errors
/// Why it cannot be used, in words.
pub(super) async fn attempt(config: &BrokerConfig, patience: Duration) -> Result<(), String> {
    let config = BrokerConfig {
        client_id: format!("{}-try", config.client_id),
        side: None,
        ..config.clone()
    };
    let (client, mut events) = make(&config, true).map_err(|e| e.to_string())?;
    let filters: Vec<String> = config.filters();
    let asked = async {
        loop {
            match events.poll().await? {
                Event::Connected(_) if filters.is_empty() => break,
                Event::Connected(_) => {
                    client
                        .subscribe(&filters)
                        .map_err(|NoRoom| "no room".to_owned())?;
                }
                Event::Subscribed(granted) => {
                    let refused = filters.iter().zip(granted).find(|(_, granted)| !granted);
                    if let Some((filter, _)) = refused {
                        return Err(format!("it refuses the subscription {filter:?}"));
                    }
                    break;
                }
                _ => {}
            }
        }
        client.disconnect().await;
        while !matches!(events.poll().await, Ok(Event::Goodbye) | Err(_)) {}
        Ok(())
    };
    match tokio::time::timeout(patience, asked).await {
        Ok(done) => done,
        Err(_) => Err(format!("no answer within {} s", patience.as_secs())),
    }
}
