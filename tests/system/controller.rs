//! A controller for tests, over rumqttc: it obeys, it remembers every command, and it knows which of its messages were
//! acknowledged.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rumqttc::{AsyncClient, Event, EventLoop, LastWill, MqttOptions, Outgoing, Packet, QoS};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::farm::{Account, now_ms};
use crate::server::{patience, until};

/// How many messages wait for the socket.
const MAX_UNSENT: usize = 4_096;

/// A command as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) at: i64,
    pub(crate) body: Value,
}

impl Received {
    pub(crate) fn id(&self) -> &str {
        self.body["command_id"].as_str().unwrap()
    }

    /// How long after an instant, in milliseconds, it arrived.
    pub(crate) fn after(&self, ms: i64) -> Duration {
        Duration::from_millis(u64::try_from(self.at - ms).unwrap())
    }

    /// Whether it wants its device on.
    pub(crate) fn on(&self) -> bool {
        self.body["action"]["on"] == true
    }
}

/// The box in the field: it outlives its connections.
pub(crate) struct Controller {
    account: Account,
    sensors: Vec<String>,
    board: Arc<Mutex<Board>>,
}

/// What a box remembers.
struct Board {
    devices: BTreeMap<String, bool>,
    done: HashSet<String>,
    received: Vec<Received>,
}

impl Board {
    fn state(&self, sensors: &[String]) -> Value {
        let devices: Vec<Value> = self
            .devices
            .iter()
            .map(|(id, on)| {
                let value = if *on { 100 } else { 0 };
                json!({"id": id, "type": "fan", "on": on, "value": value, "lock": null, "safety": false})
            })
            .collect();
        let sensors: Vec<Value> = sensors
            .iter()
            .map(|id| json!({"id": id, "type": "temperature", "unit": "°C"}))
            .collect();
        json!({"online": true, "sensors": sensors, "devices": devices})
    }
}

impl Controller {
    pub(crate) fn new(account: &Account, sensors: &[&str], devices: &[&str]) -> Self {
        let board = Board {
            devices: devices.iter().map(|&d| (d.to_owned(), false)).collect(),
            done: HashSet::new(),
            received: Vec::new(),
        };
        Self {
            account: account.clone(),
            sensors: sensors.iter().map(|&s| s.to_owned()).collect(),
            board: Arc::new(Mutex::new(board)),
        }
    }

    /// All commands so far, each delivery; renewals of leases are none.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.board.lock().unwrap().received.clone()
    }

    /// The first command from that place of the list on that is wanted.
    pub(crate) async fn command(
        &self,
        what: &str,
        within: Duration,
        from: usize,
        wanted: impl Fn(&Received) -> bool,
    ) -> Received {
        until(what, within, async || {
            let board = self.board.lock().unwrap();
            board
                .received
                .iter()
                .skip(from)
                .find(|r| wanted(r))
                .cloned()
        })
        .await
    }

    /// Connects, subscribes and says what it has.
    pub(crate) async fn connect(&self, port: u16) -> Link {
        let mut options = MqttOptions::new(&self.account.mac, "127.0.0.1", port);
        let will = LastWill::new(
            self.topic("state"),
            r#"{"online": false}"#,
            QoS::AtLeastOnce,
            true,
        );
        options
            .set_credentials(&self.account.mac, &self.account.secret)
            .set_clean_session(true)
            .set_inflight(1_000)
            .set_max_packet_size(256 << 10, 256 << 10)
            .set_last_will(will);
        let (client, mut events) = AsyncClient::new(options, MAX_UNSENT);
        let mut network = rumqttc::NetworkOptions::new();
        network.set_tcp_nodelay(true);
        events.set_network_options(network);
        let outbox = Arc::new(Outbox {
            client,
            base: self.account.topic.clone(),
            waiting: Mutex::default(),
        });
        let (up, is_up) = oneshot::channel();
        let board = Arc::clone(&self.board);
        let sensors = self.sensors.clone();
        let pump = Pump {
            outbox: Arc::clone(&outbox),
            board,
            sensors,
            up: Some(up),
        };
        let pump = tokio::spawn(pump.run(events));
        let connected = tokio::time::timeout(patience(), is_up).await;
        assert!(
            matches!(connected, Ok(Ok(()))),
            "{} is let in",
            self.account.mac
        );
        Link { outbox, pump }
    }

    fn topic(&self, last: &str) -> String {
        format!("{}{last}", self.account.topic)
    }
}

/// Messages on their way out, in order.
struct Outbox {
    client: AsyncClient,
    base: String,
    waiting: Mutex<VecDeque<oneshot::Sender<()>>>,
}

impl Outbox {
    /// The receiver resolves when the message is acknowledged, and fails when it never will be.
    fn send(&self, last: &str, payload: &Value) -> oneshot::Receiver<()> {
        let (acknowledged, wait) = oneshot::channel();
        // One lock around both, so that the order is that of the requests.
        let mut waiting = self.waiting.lock().unwrap();
        let topic = format!("{}{last}", self.base);
        let retain = last == "state";
        if self
            .client
            .try_publish(topic, QoS::AtLeastOnce, retain, payload.to_string())
            .is_ok()
        {
            waiting.push_back(acknowledged);
        }
        wait
    }
}

/// A connection; dropped, it is a cut cable.
pub(crate) struct Link {
    outbox: Arc<Outbox>,
    pump: JoinHandle<()>,
}

impl Drop for Link {
    fn drop(&mut self) {
        self.pump.abort();
    }
}

impl Link {
    /// Hands telemetry over: its timestamp, and what resolves when it is acknowledged.
    pub(crate) fn reading(&self, sensor: &str, value: f64) -> (i64, oneshot::Receiver<()>) {
        let ts = now_ms();
        let reading = json!({"ts": ts, "sensors": [{"id": sensor, "type": "temperature", "unit": "°C", "latestValue": value}]});
        (ts, self.outbox.send("telemetry", &reading))
    }

    /// Any telemetry.
    pub(crate) fn telemetry(&self, payload: &Value) -> oneshot::Receiver<()> {
        self.outbox.send("telemetry", payload)
    }
}

struct Pump {
    outbox: Arc<Outbox>,
    board: Arc<Mutex<Board>>,
    sensors: Vec<String>,
    up: Option<oneshot::Sender<()>>,
}

impl Pump {
    async fn run(mut self, mut events: EventLoop) {
        let mut sent: HashMap<u16, oneshot::Sender<()>> = HashMap::new();
        // An error is the end of the connection: what was not acknowledged by then never will be.
        while let Ok(event) = events.poll().await {
            match event {
                Event::Outgoing(Outgoing::Publish(id)) => {
                    if let Some(acknowledged) = self.outbox.waiting.lock().unwrap().pop_front() {
                        sent.insert(id, acknowledged);
                    }
                }
                Event::Incoming(Packet::PubAck(ack)) => {
                    if let Some(acknowledged) = sent.remove(&ack.pkid) {
                        let _ = acknowledged.send(());
                    }
                }
                Event::Incoming(Packet::ConnAck(_)) => {
                    let topic = format!("{}command", self.outbox.base);
                    self.outbox
                        .client
                        .try_subscribe(topic, QoS::AtLeastOnce)
                        .unwrap();
                }
                Event::Incoming(Packet::SubAck(_)) => {
                    let state = self.board.lock().unwrap().state(&self.sensors);
                    drop(self.outbox.send("state", &state));
                    if let Some(up) = self.up.take() {
                        let _ = up.send(());
                    }
                }
                Event::Incoming(Packet::Publish(publish)) => self.obey(&publish.payload),
                _ => {}
            }
        }
        // In this order: what is handed over between the two would wait for ever.
        drop(events);
        self.outbox.waiting.lock().unwrap().clear();
    }

    fn obey(&self, payload: &[u8]) {
        let at = now_ms();
        let body: Value = serde_json::from_slice(payload).unwrap();
        if body["cmd_type"] == "renew" {
            return;
        }
        let received = Received { at, body };
        let id = received.id().to_owned();
        let mut board = self.board.lock().unwrap();
        if board.done.insert(id.clone()) {
            let device = received.body["device_id"].as_str().unwrap();
            *board
                .devices
                .get_mut(device)
                .expect("a device of this controller") = received.on();
        }
        board.received.push(received);
        drop(
            self.outbox
                .send("ack", &json!({"command_id": id, "status": "ack"})),
        );
        drop(self.outbox.send("state", &board.state(&self.sensors)));
    }
}
