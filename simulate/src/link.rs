//! The MQTT connection of one controller: a real client, made anew for every attempt.
//!
//! A client that survives its connection would publish again what it had in flight, minutes later. What counts after a
//! reconnect is the birth, so nothing is carried over. Polling runs in a task of its own, because an attempt to connect
//! must not start over whenever a lease ends.

use std::time::Duration;

use rumqttc::{
    AsyncClient, ConnectReturnCode, ConnectionError, Event, EventLoop, LastWill, MqttOptions,
    NetworkOptions, Packet, QoS, SubscribeReasonCode,
};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::Broker;
use crate::controller::{Controller, ControllerSpec, Outgoing};

/// Messages that wait for the socket; a server that pushes back for longer loses what comes after (counted).
const MAX_UNSENT: usize = 512;
/// Events that wait for the controller; then the socket is not read.
const MAX_UNREAD: usize = 64;
/// The largest packet either way: a birth of a few hundred devices fits.
const MAX_PACKET: usize = 256 * 1024;
const KEEP_ALIVE: Duration = Duration::from_secs(15);
const CONNECT_TIMEOUT_SEC: u64 = 5;
/// How long a proper farewell may take.
const FAREWELL: Duration = Duration::from_millis(800);

/// What happens to a connection.
#[derive(Debug)]
pub(crate) enum LinkEvent {
    /// It is up and the command topic subscribed.
    Up,
    /// Something arrived on the command topic.
    Command(Vec<u8>),
    /// It is over.
    Down(String),
}

/// The topics of one controller.
#[derive(Debug, Clone)]
struct Topics {
    base: String,
}

impl Topics {
    fn of(&self, last: &str) -> String {
        format!("{}/{last}", self.base)
    }
}

/// A connection, or an attempt at one.
pub(crate) struct Link {
    client: AsyncClient,
    topics: Topics,
    events: mpsc::Receiver<LinkEvent>,
    pump: JoinHandle<()>,
}

impl Link {
    /// Starts connecting.
    pub(crate) fn open(broker: &Broker, farm: &str, spec: &ControllerSpec) -> Self {
        let topics = Topics {
            base: format!("harit/1/{farm}/{}", spec.mac),
        };
        // The client joins host and port by a colon.
        let host = if broker.host.contains(':') {
            format!("[{}]", broker.host)
        } else {
            broker.host.clone()
        };
        let mut options = MqttOptions::new(&spec.mac, host, broker.port);
        options
            .set_credentials(&spec.mac, &spec.secret)
            .set_keep_alive(KEEP_ALIVE)
            .set_clean_session(true)
            .set_max_packet_size(MAX_PACKET, MAX_PACKET)
            .set_last_will(LastWill::new(
                topics.of("state"),
                Controller::farewell(),
                QoS::AtLeastOnce,
                true,
            ));
        let (client, mut eventloop) = AsyncClient::new(options, MAX_UNSENT);
        let mut network = NetworkOptions::new();
        network.set_tcp_nodelay(true);
        network.set_connection_timeout(CONNECT_TIMEOUT_SEC);
        eventloop.set_network_options(network);
        let (sender, events) = mpsc::channel(MAX_UNREAD);
        let pump = tokio::spawn(pump(
            eventloop,
            client.clone(),
            topics.of("command"),
            sender,
        ));
        Self {
            client,
            topics,
            events,
            pump,
        }
    }

    /// The next event; after [`LinkEvent::Down`] there is none.
    pub(crate) async fn event(&mut self) -> LinkEvent {
        self.events
            .recv()
            .await
            .unwrap_or_else(|| LinkEvent::Down("closed".into()))
    }

    /// Hands a message to the socket; false where too many wait already.
    pub(crate) fn send(&self, message: Outgoing) -> bool {
        let (last, retain, payload) = message.parts();
        let topic = self.topics.of(last);
        self.client
            .try_publish(topic, QoS::AtLeastOnce, retain, payload)
            .is_ok()
    }

    /// Says farewell and disconnects. Dropping the link instead is a cut cable: the will speaks.
    pub(crate) async fn close(mut self) {
        self.send(Outgoing::State(Controller::farewell()));
        if self.client.try_disconnect().is_err() {
            return;
        }
        let gone = async { while !matches!(self.event().await, LinkEvent::Down(_)) {} };
        if tokio::time::timeout(FAREWELL, gone).await.is_err() {
            tracing::debug!("the broker took too long to see us off");
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.pump.abort();
    }
}

async fn pump(
    mut eventloop: EventLoop,
    client: AsyncClient,
    command: String,
    events: mpsc::Sender<LinkEvent>,
) {
    loop {
        let event = match eventloop.poll().await {
            Ok(Event::Incoming(Packet::ConnAck(_))) => {
                match client.try_subscribe(&command, QoS::AtLeastOnce) {
                    Ok(()) => continue,
                    Err(e) => LinkEvent::Down(e.to_string()),
                }
            }
            Ok(Event::Incoming(Packet::SubAck(ack))) => {
                if ack.return_codes.contains(&SubscribeReasonCode::Failure) {
                    LinkEvent::Down(format!("the broker refused the subscription to {command}"))
                } else {
                    LinkEvent::Up
                }
            }
            // A retained command is none: whoever retained it did not mean this moment.
            Ok(Event::Incoming(Packet::Publish(p))) if p.topic == command && !p.retain => {
                LinkEvent::Command(p.payload.to_vec())
            }
            Ok(_) => continue,
            Err(e) => LinkEvent::Down(reason(&e)),
        };
        let down = matches!(event, LinkEvent::Down(_));
        if events.send(event).await.is_err() || down {
            return;
        }
    }
}

fn reason(error: &ConnectionError) -> String {
    match error {
        ConnectionError::ConnectionRefused(
            ConnectReturnCode::BadUserNamePassword | ConnectReturnCode::NotAuthorized,
        ) => "the broker does not accept this MAC and secret".into(),
        other => other.to_string(),
    }
}
