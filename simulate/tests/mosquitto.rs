//! The simulated controllers against a broker that we did not write: Debian's Mosquitto with the configuration of
//! docs/mosquitto.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use harit_simulate::{Broker, Fault, Handle, SimulateConfig, Simulation, demo};
use harit_testkit::mqtt::SECRET;
use harit_testkit::{PATIENCE, mosquitto};
use rumqttc::{AsyncClient, Event, MqttOptions, Packet, QoS};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

const MAC: &str = "240AC45E1001";

/// A Mosquitto that knows the controllers of the demo and the server.
async fn mosquitto() -> mosquitto::Broker {
    let controllers = demo::controllers();
    let accounts = controllers.iter().map(|c| (&*c.mac, &*c.secret));
    let accounts: Vec<_> = accounts.chain([("harit", SECRET)]).collect();
    // One that starts again has forgotten what it retained.
    let forgetful = |config: String| config.replace("persistence true", "persistence false");
    mosquitto::Broker::start(&accounts, forgetful).await
}

fn broker(mosquitto: &mosquitto::Broker) -> Broker {
    Broker {
        host: "127.0.0.1".into(),
        port: mosquitto.port,
    }
}

/// Stands in for Harit: sees everything under the farm and sends commands.
struct Server {
    client: AsyncClient,
    messages: mpsc::Receiver<(String, Value)>,
    pump: JoinHandle<()>,
}

impl Server {
    async fn connect(broker: &Broker) -> Self {
        let mut options = MqttOptions::new("server", &broker.host, broker.port);
        options
            .set_credentials("harit", SECRET)
            .set_max_packet_size(1 << 20, 1 << 20);
        let (client, mut eventloop) = AsyncClient::new(options, 64);
        let (sender, messages) = mpsc::channel(4_096);
        client
            .subscribe("harit/1/demo-farm-1/#", QoS::AtLeastOnce)
            .await
            .unwrap();
        let (ready, subscribed) = oneshot::channel();
        let pump = tokio::spawn(async move {
            let mut ready = Some(ready);
            while let Ok(event) = eventloop.poll().await {
                match event {
                    Event::Incoming(Packet::SubAck(_)) => {
                        if let Some(ready) = ready.take() {
                            ready.send(()).unwrap();
                        }
                    }
                    Event::Incoming(Packet::Publish(p)) => {
                        let value =
                            serde_json::from_slice(&p.payload).expect("only JSON is published");
                        if sender.send((p.topic, value)).await.is_err() {
                            return;
                        }
                    }
                    _ => {}
                }
            }
        });
        tokio::time::timeout(PATIENCE, subscribed)
            .await
            .unwrap()
            .unwrap();
        Self {
            client,
            messages,
            pump,
        }
    }

    async fn send(&self, payload: &Value) {
        let topic = format!("harit/1/demo-farm-1/{MAC}/command");
        self.client
            .publish(topic, QoS::AtLeastOnce, false, payload.to_string())
            .await
            .unwrap();
    }

    /// The next message on that topic of the controller that is as wanted.
    async fn expect(&mut self, last: &str, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let topic = format!("harit/1/demo-farm-1/{MAC}/{last}");
        let search = async {
            loop {
                let (t, value) = self.messages.recv().await.expect("the connection holds");
                if t == topic && wanted(&value) {
                    return value;
                }
            }
        };
        tokio::time::timeout(PATIENCE, search)
            .await
            .unwrap_or_else(|_| panic!("no {what} on {topic}"))
    }

    /// What arrives from the controller within that time on topics that end so.
    async fn listen(&mut self, time: Duration, last: &str) -> Vec<Value> {
        let topic = format!("harit/1/demo-farm-1/{MAC}/{last}");
        let mut found = vec![];
        let until = tokio::time::Instant::now() + time;
        while let Ok(Some((t, value))) = tokio::time::timeout_at(until, self.messages.recv()).await
        {
            if t == topic {
                found.push(value);
            }
        }
        found
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.pump.abort();
    }
}

struct Field {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
}

impl Field {
    fn start(config: SimulateConfig) -> Self {
        let simulation = Simulation::new(config).unwrap();
        let handle = simulation.handle();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(simulation.run(async { drop(stopped.await) }));
        Self {
            handle,
            stop: Some(stop),
            task: Some(task),
        }
    }

    async fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        let ended = tokio::time::timeout(Duration::from_secs(3), self.task.take().unwrap()).await;
        ended.expect("it ends in time").unwrap();
    }

    fn on(&self, device: &str) -> Vec<(Duration, Option<Duration>)> {
        let trace = self.handle.trace(device).unwrap();
        trace
            .on_intervals()
            .into_iter()
            .map(|i| (i.from, i.to))
            .collect()
    }
}

fn command(id: &str, device: &str, on: bool, lease_sec: f64) -> Value {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_millis();
    json!({
        "command_id": id, "cmd_type": "override", "device_id": device,
        "action": {"mode": "manual", "on": on, "value": if on { 100 } else { 0 }},
        "owner": {"user_id": null, "rule_id": "rule-ph1-cool", "name": "Cool"},
        "timestamp": u64::try_from(now).unwrap(), "expires_at": u64::try_from(now).unwrap() + 15_000,
        "lease_sec": lease_sec
    })
}

fn device<'a>(state: &'a Value, id: &str) -> &'a Value {
    state["devices"]
        .as_array()
        .unwrap()
        .iter()
        .find(|d| d["id"] == id)
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_are_acked_done_once_and_end_with_their_lease() {
    let mosquitto = mosquitto().await;
    let mut field = Field::start(demo::config(broker(&mosquitto)));
    let mut server = Server::connect(&broker(&mosquitto)).await;

    let birth = server
        .expect("state", "birth", |s| s["online"] == true)
        .await;
    assert_eq!(birth["sensors"].as_array().unwrap().len(), 7);
    assert_eq!(device(&birth, "ph1-fan-2")["on"], false);
    let telemetry = server.expect("telemetry", "telemetry", |_| true).await;
    let temperature = telemetry["sensors"][0]["latestValue"].as_f64().unwrap();
    assert!((20.0..40.0).contains(&temperature), "{telemetry}");
    assert!(telemetry["ts"].as_i64().unwrap() > 1_700_000_000_000);

    let first = command("demo-farm-1-1", "ph1-fan-2", true, 2.0);
    server.send(&first).await;
    let ack = server.expect("ack", "ack", |_| true).await;
    assert_eq!(ack, json!({"command_id": "demo-farm-1-1", "status": "ack"}));
    let state = server
        .expect("state", "state with the fan on", |s| {
            device(s, "ph1-fan-2")["on"] == true
        })
        .await;
    assert_eq!(device(&state, "ph1-fan-2")["value"], 100.0);

    // Delivered again: the same ack, and the lease is not prolonged by it.
    server.send(&first).await;
    assert_eq!(server.expect("ack", "the same ack", |_| true).await, ack);
    server
        .expect("state", "state with the fan off", |s| {
            device(s, "ph1-fan-2")["on"] == false
        })
        .await;
    let on = field.on("ph1-fan-2");
    assert_eq!(on.len(), 1);
    let lasted = on[0].1.unwrap() - on[0].0;
    assert_eq!(
        lasted,
        Duration::from_secs(2),
        "exactly as long as its lease"
    );
    // A third delivery, after the lease: still only an ack.
    server.send(&first).await;
    assert_eq!(server.expect("ack", "the same ack", |_| true).await, ack);
    assert_eq!(
        server.listen(Duration::from_millis(300), "state").await,
        [] as [Value; 0]
    );
    assert_eq!(field.on("ph1-fan-2").len(), 1);

    let unknown = command("demo-farm-1-2", "ph9-fan", true, 2.0);
    server.send(&unknown).await;
    let refused = server
        .expect("ack", "failure", |a| a["command_id"] == "demo-farm-1-2")
        .await;
    assert_eq!(refused["status"], "failure");

    let mut late = command("demo-farm-1-3", "ph1-fan-2", true, 2.0);
    late["expires_at"] = json!(1_700_000_000_000_u64);
    server.send(&late).await;
    assert_eq!(
        server.listen(Duration::from_millis(300), "ack").await,
        [] as [Value; 0]
    );

    // The first fan announced that it goes on, and does.
    assert_eq!(device(&birth, "ph1-fan-1")["lease_end"], 60.0);
    server
        .send(&command("demo-farm-1-4", "ph1-fan-1", true, 1.0))
        .await;
    let over = server
        .expect("state", "state after the first fan's lease", |s| {
            device(s, "ph1-fan-1")["lease_over"] == true
        })
        .await;
    let fan = device(&over, "ph1-fan-1");
    assert_eq!((&fan["on"], &fan["value"]), (&json!(true), &json!(60.0)));

    field.stop().await;
    let farewell = server
        .expect("state", "farewell", |s| s["online"] == false)
        .await;
    assert_eq!(farewell, json!({"online": false}));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_lives_on_renewals_and_outlives_no_broker() {
    let mut mosquitto = mosquitto().await;
    let mut field = Field::start(demo::config(broker(&mosquitto)));
    let mut server = Server::connect(&broker(&mosquitto)).await;
    server
        .expect("state", "birth", |s| s["online"] == true)
        .await;

    server
        .send(&command("demo-farm-1-1", "ph1-vent", true, 1.0))
        .await;
    let renew = json!({"command_id": "demo-farm-1-1", "cmd_type": "renew", "device_id": "ph1-vent", "lease_sec": 1});
    for _ in 0..6 {
        tokio::time::sleep(Duration::from_millis(400)).await;
        server.send(&renew).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(field.on("ph1-vent").len(), 1);
    assert_eq!(
        field.on("ph1-vent")[0].1,
        None,
        "on for 2.5 s by leases of one second"
    );

    // The broker dies: nobody renews, the vent closes by itself, the controller comes back with it.
    mosquitto.down(false).await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let (from, to) = field.on("ph1-vent")[0];
    let lasted = to.expect("closed without a broker") - from;
    assert!(lasted < Duration::from_millis(4_500), "{lasted:?}");
    mosquitto.up().await;
    let mut server = Server::connect(&broker(&mosquitto)).await;
    let birth = server
        .expect("state", "second birth", |s| s["online"] == true)
        .await;
    assert_eq!(device(&birth, "ph1-vent")["on"], false);
    let status = field.handle.controllers();
    let status = status.iter().find(|c| c.mac == MAC).unwrap();
    assert!(status.connected && status.connections == 2, "{status:?}");
    assert_eq!((status.counters.leases_ended, status.unsent), (1, 0));
    field.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_are_switched_on_and_off_while_it_runs() {
    let mosquitto = mosquitto().await;
    let mut field = Field::start(demo::config(broker(&mosquitto)));
    let mut server = Server::connect(&broker(&mosquitto)).await;
    server
        .expect("state", "birth", |s| s["online"] == true)
        .await;
    let fault = |text: &str| field.handle.set_fault(text.parse::<Fault>().unwrap());

    fault("silent-sensor:ph1-temp-1").unwrap();
    server
        .expect("telemetry", "telemetry without the sensor", |t| {
            t["sensors"][0]["id"] == "ph1-temp-2"
        })
        .await;
    assert!(field.handle.clear_fault("silent-sensor", "ph1-temp-1"));
    server
        .expect("telemetry", "telemetry with it", |t| {
            t["sensors"][0]["id"] == "ph1-temp-1"
        })
        .await;

    fault("lost-ack:ph1-fan-2").unwrap();
    server
        .send(&command("demo-farm-1-1", "ph1-fan-2", true, 60.0))
        .await;
    server
        .expect("state", "state with the fan on", |s| {
            device(s, "ph1-fan-2")["on"] == true
        })
        .await;
    assert_eq!(
        server.listen(Duration::from_millis(300), "ack").await,
        [] as [Value; 0]
    );

    fault("lock:ph1-fan-2").unwrap();
    let locked = server
        .expect("state", "lock", |s| {
            device(s, "ph1-fan-2")["lock"].is_string()
        })
        .await;
    assert_eq!(device(&locked, "ph1-fan-2")["on"], false);

    // A cut cable: the broker publishes the will, and the controller comes back when the fault is over.
    fault(&format!("offline:{MAC}:for=1s")).unwrap();
    let will = server
        .expect("state", "will", |s| s["online"] == false)
        .await;
    assert_eq!(will, json!({"online": false}));
    server
        .expect("state", "birth", |s| s["online"] == true)
        .await;

    assert!(fault("lost-ack:no-such-fan").is_err());
    field.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_secret_stays_outside_and_does_not_disturb_the_others() {
    let mosquitto = mosquitto().await;
    let mut config = demo::config(broker(&mosquitto));
    config.controllers[1].secret = "wrong".into();
    let mut field = Field::start(config);
    let mut server = Server::connect(&broker(&mosquitto)).await;
    server
        .expect("state", "birth", |s| s["online"] == true)
        .await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let connected: Vec<_> = field
        .handle
        .controllers()
        .iter()
        .map(|c| c.connected)
        .collect();
    assert_eq!(connected, [true, false, true, true]);
    field.stop().await;
}
