//! Devices of other systems that go off by themselves, as real MQTT clients: what their documents say that they say and do, and their
//! own clock, which may be made to run faster.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rumqttc::{AsyncClient, Event, LastWill, MqttOptions, Packet, QoS};
use serde_json::{Value, json};
use tokio::time::Instant;

/// Whose device it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// A relay of a Tasmota, with PulseTime.
    Tasmota,
    /// A switch of a Shelly of the second generation, with `toggle_after`.
    Shelly,
    /// A switch of an ESPHome node with the automation of docs/profiles.md.
    EspHome,
}

impl System {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Tasmota, Self::Shelly, Self::EspHome];

    /// The own id that its profile gives the device.
    #[must_use]
    pub const fn own_id(self) -> &'static str {
        match self {
            Self::Tasmota => "tasmota:bed-1/POWER1",
            Self::Shelly => "shelly:shellyplus1-a8/switch:0",
            Self::EspHome => "esphome:east-node/pump",
        }
    }

    /// The topic that says whether it is there, and the words for yes and no.
    const fn presence(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Tasmota => ("tele/bed-1/LWT", "Online", "Offline"),
            Self::Shelly => ("shellyplus1-a8/online", "true", "false"),
            Self::EspHome => ("east-node/status", "online", "offline"),
        }
    }

    const fn filters(self) -> &'static [&'static str] {
        match self {
            Self::Tasmota => &["cmnd/bed-1/#"],
            Self::Shelly => &["shellyplus1-a8/rpc"],
            Self::EspHome => &["east-node/switch/pump/command", "east-node/lease/pump"],
        }
    }
}

/// A device of another system that runs.
#[derive(Debug)]
pub struct Leased {
    is_on: Arc<Mutex<bool>>,
    speed: Arc<AtomicU32>,
    task: tokio::task::JoinHandle<()>,
}

impl Leased {
    /// Connects to a server on this machine, and again whenever it is lost.
    #[must_use]
    pub fn start(system: System, port: u16, account: &str, secret: &str) -> Self {
        let is_on = Arc::new(Mutex::new(false));
        let speed = Arc::new(AtomicU32::new(1));
        let mut options = MqttOptions::new(format!("{system:?}"), "127.0.0.1", port);
        let (topic, _, gone) = system.presence();
        options
            .set_credentials(account, secret)
            .set_keep_alive(Duration::from_secs(5))
            .set_last_will(LastWill::new(topic, gone, QoS::AtLeastOnce, true));
        let (client, mut events) = AsyncClient::new(options, 64);
        let mut device = Device {
            system,
            client,
            is_on: is_on.clone(),
            speed: speed.clone(),
            pulse: 0,
            off_at: None,
        };
        let task = tokio::spawn(async move {
            loop {
                let off_at = device
                    .off_at
                    .unwrap_or_else(|| Instant::now() + Duration::from_secs(3_600));
                tokio::select! {
                    event = events.poll() => match event {
                        Ok(Event::Incoming(Packet::ConnAck(_))) => device.connected(),
                        Ok(Event::Incoming(Packet::Publish(publish))) => {
                            let text = String::from_utf8_lossy(&publish.payload).into_owned();
                            device.told(&publish.topic, &text);
                        }
                        Ok(_) => {}
                        Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
                    },
                    () = tokio::time::sleep_until(off_at) => device.set(false, None),
                }
            }
        });
        Self { is_on, speed, task }
    }

    /// Whether it is on.
    #[must_use]
    pub fn is_on(&self) -> bool {
        *self.is_on.lock().unwrap()
    }

    /// It goes off by itself no more.
    pub fn forget_leases(&self) {
        self.run_faster(0);
    }

    /// Makes its clock run so many times faster, for leases that begin from now on.
    pub fn run_faster(&self, times: u32) {
        self.speed.store(times, Ordering::SeqCst);
    }
}

impl Drop for Leased {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Device {
    system: System,
    client: AsyncClient,
    is_on: Arc<Mutex<bool>>,
    speed: Arc<AtomicU32>,
    /// PulseTime of a Tasmota.
    pulse: u64,
    off_at: Option<Instant>,
}

impl Device {
    fn say(&self, topic: &str, payload: &Value) {
        let payload = payload
            .as_str()
            .map_or_else(|| payload.to_string(), str::to_owned);
        // What cannot be said is said again after the next connect.
        let _ = self
            .client
            .try_publish(topic, QoS::AtLeastOnce, false, payload);
    }

    fn connected(&self) {
        for filter in self.system.filters() {
            self.client
                .try_subscribe(*filter, QoS::AtLeastOnce)
                .unwrap();
        }
        let (topic, here, _) = self.system.presence();
        self.say(topic, &here.into());
        let on = *self.is_on.lock().unwrap();
        match self.system {
            System::Tasmota => self.say("tele/bed-1/STATE", &json!({"Uptime": "0T00:00:11", "POWER1": word(on)})),
            System::Shelly => self.say(
                "shellyplus1-a8/events/rpc",
                &json!({"src": "shellyplus1-a8", "dst": "shellyplus1-a8/events", "method": "NotifyFullStatus",
                    "params": {"switch:0": {"id": 0, "source": "init", "output": on}}}),
            ),
            System::EspHome => self.say("east-node/switch/pump/state", &word(on).into()),
        }
    }

    /// Goes on or off; on for so many seconds of its clock.
    fn set(&mut self, on: bool, seconds: Option<f64>) {
        *self.is_on.lock().unwrap() = on;
        let speed = f64::from(self.speed.load(Ordering::SeqCst));
        let lease = seconds
            .filter(|_| on && speed > 0.0)
            .map(|s| Duration::from_secs_f64(s / speed));
        self.off_at = lease.map(|lease| Instant::now() + lease);
        match self.system {
            System::Tasmota => {
                self.say("stat/bed-1/RESULT", &json!({"POWER1": word(on)}));
                self.say("stat/bed-1/POWER1", &word(on).into());
            }
            System::Shelly => self.say(
                "shellyplus1-a8/events/rpc",
                &json!({"src": "shellyplus1-a8", "dst": "shellyplus1-a8/events", "method": "NotifyStatus",
                    "params": {"switch:0": {"id": 0, "source": "MQTT", "output": on}}}),
            ),
            System::EspHome => self.say("east-node/switch/pump/state", &word(on).into()),
        }
    }

    fn told(&mut self, topic: &str, text: &str) {
        match (self.system, topic) {
            (System::Tasmota, "cmnd/bed-1/PulseTime1") => {
                self.pulse = text.parse().unwrap_or(0);
                let answer = json!({"PulseTime1": {"Set": self.pulse, "Remaining": self.pulse}});
                self.say("stat/bed-1/RESULT", &answer);
            }
            (System::Tasmota, "cmnd/bed-1/POWER1") => {
                let seconds = match u32::try_from(self.pulse).unwrap_or(0) {
                    0 => None,
                    tenths @ 1..=111 => Some(f64::from(tenths) / 10.0),
                    more => Some(f64::from(more - 100)),
                };
                self.set(text.eq_ignore_ascii_case("ON"), seconds);
            }
            (System::Shelly, "shellyplus1-a8/rpc") => {
                let call: Value = serde_json::from_str(text).unwrap_or_default();
                if call["method"] == "Switch.Set" && call["params"]["id"] == 0 {
                    let source = call["src"].as_str().unwrap_or_default().to_owned();
                    let was_on = *self.is_on.lock().unwrap();
                    let params = &call["params"];
                    self.set(params["on"] == true, params["toggle_after"].as_f64());
                    let answer = json!({"id": call["id"], "src": "shellyplus1-a8", "dst": source, "result": {"was_on": was_on}});
                    self.say(&format!("{source}/rpc"), &answer);
                }
            }
            (System::EspHome, "east-node/lease/pump") => {
                let seconds = text.parse().unwrap_or(0.0);
                self.set(seconds > 0.0, Some(seconds));
            }
            (System::EspHome, "east-node/switch/pump/command") if text == "OFF" => {
                self.set(false, None);
            }
            _ => {}
        }
    }
}

const fn word(on: bool) -> &'static str {
    if on { "ON" } else { "OFF" }
}
