//! A hub over a temporary directory, with a clock that the test sets and a transport that only remembers.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use harit_engine::{
    DeviceStatus, Engine, Event, FarmDocument, FarmId, InputKind, Lock, ScopeSpec, Status,
    Timestamp,
};
use harit_ingest::clock::TimeSource;
use harit_ingest::mqtt::{
    Batch, Downlink, DownlinkError, Principal, Publish, Receipt, Refusal, Taken,
};
use harit_ingest::{
    ControllerDirectory, ControllerKind, ControllerRecord, Hub, HubConfig, OpenError,
};
use harit_protocol::Mac;
use serde_json::{Value, json};

pub(crate) const FARM: &str = "f1";
pub(crate) const MAC: &str = "A4CF120B9E01";
pub(crate) const OTHER_MAC: &str = "A4CF120B9E02";
pub(crate) const START: i64 = 1_700_000_000_000;

/// A clock that stands until it is moved, and which the shards cannot read while the second field is set.
pub(crate) struct TestClock(pub(crate) AtomicI64, pub(crate) AtomicBool);

impl TimeSource for TestClock {
    fn wall(&self) -> Timestamp {
        let broken = self.1.load(Ordering::SeqCst) && in_a_shard();
        assert!(!broken, "the test's clock is broken");
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
    fn monotonic(&self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.load(Ordering::SeqCst) - START + 1).unwrap())
    }
}

/// Whether a shard's thread asks. What else asks the clock, as the history's writer, goes on while a shard fails.
fn in_a_shard() -> bool {
    let thread = std::thread::current();
    thread.name().is_some_and(|n| n.starts_with("harit-shard-"))
}

/// The records of two controllers of one farm.
#[derive(Default)]
pub(crate) struct Records(
    pub(crate) Mutex<BTreeMap<Mac, ControllerRecord>>,
    /// Whose record cannot be looked up without a panic.
    pub(crate) Mutex<Option<Mac>>,
);

impl ControllerDirectory for Records {
    fn lookup(&self, mac: &Mac) -> Option<ControllerRecord> {
        let panics = *self.1.lock().unwrap_or_else(PoisonError::into_inner) == Some(*mac);
        assert!(!panics, "the test's records are broken for {mac}");
        self.0.lock().unwrap().get(mac).cloned()
    }
    fn verify<'a>(
        &'a self,
        mac: &'a Mac,
        secret: &'a [u8],
    ) -> BoxFuture<'a, Result<ControllerRecord, Refusal>> {
        let found = self.lookup(mac).filter(|_| secret == b"secret");
        Box::pin(async move { found.ok_or(Refusal::BadCredentials) })
    }
    fn verify_integration<'a>(
        &'a self,
        _: &'a str,
        _: &'a [u8],
    ) -> BoxFuture<'a, Result<Principal, Refusal>> {
        Box::pin(async { Err(Refusal::BadCredentials) })
    }
}

pub(crate) fn mac(text: &str) -> Mac {
    Mac::parse(text).unwrap()
}

pub(crate) struct World {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) records: Arc<Records>,
    pub(crate) hub: Hub,
    pub(crate) sent: Arc<Mutex<Vec<(String, Value)>>>,
    pub(crate) reachable: Arc<AtomicBool>,
}

impl World {
    pub(crate) async fn new() -> Self {
        let world = Self::empty(|_| {}).await;
        world.hub.add_farm(farm()).await.unwrap();
        world
    }

    pub(crate) async fn empty(configure: impl FnOnce(&mut HubConfig)) -> Self {
        let clock = Arc::new(TestClock(AtomicI64::new(START), AtomicBool::new(false)));
        let records = Records::default();
        for (m, kind) in [
            (MAC, ControllerKind::Polyhouse),
            (OTHER_MAC, ControllerKind::Fertigation),
        ] {
            let record = ControllerRecord {
                farm: FARM.into(),
                mac: mac(m),
                kind,
                scope: ScopeSpec::zone("z1"),
                enabled: true,
            };
            records.0.lock().unwrap().insert(record.mac, record);
        }
        let dir = tempfile::tempdir().unwrap();
        Self::open(dir, clock, Arc::new(records), configure)
            .await
            .unwrap()
    }

    pub(crate) async fn open(
        dir: tempfile::TempDir,
        clock: Arc<TestClock>,
        records: Arc<Records>,
        configure: impl FnOnce(&mut HubConfig),
    ) -> Result<Self, OpenError> {
        let mut config = HubConfig::new(dir.path());
        config.shards = 1;
        config.clock = clock.clone();
        configure(&mut config);
        let hub = Hub::open(config, records.clone()).await?;
        let sent = Arc::new(Mutex::new(Vec::new()));
        let reachable = Arc::new(AtomicBool::new(true));
        let (to, up) = (sent.clone(), reachable.clone());
        hub.attach(Downlink::new(move |topic: &str, payload: Bytes| {
            if !up.load(Ordering::SeqCst) {
                return Err(DownlinkError::NotConnected);
            }
            // What goes out by a profile may be a word.
            let word = || Value::String(String::from_utf8_lossy(&payload).into_owned());
            let body = serde_json::from_slice(&payload).unwrap_or_else(|_| word());
            to.lock().unwrap().push((topic.to_owned(), body));
            Ok(())
        }));
        Ok(Self {
            dir,
            clock,
            records,
            hub,
            sent,
            reachable,
        })
    }

    /// One more controller is registered.
    pub(crate) fn put_controller(&self, record: ControllerRecord) {
        let mut all = self.records.0.lock().unwrap();
        all.insert(record.mac, record);
    }

    /// What would be on disk if the machine stopped now, opened by a new process.
    pub(crate) async fn after_crash(
        &self,
        configure: impl FnOnce(&mut HubConfig),
    ) -> Result<Self, OpenError> {
        let copy = tempfile::tempdir().unwrap();
        copy_dir(self.dir.path(), copy.path());
        Self::open(copy, self.clock.clone(), self.records.clone(), configure).await
    }

    pub(crate) fn now(&self) -> i64 {
        self.clock.0.load(Ordering::SeqCst)
    }

    /// Moves the clock, and waits until the shards have done what is due then.
    pub(crate) async fn pass(&self, ms: i64) {
        self.clock.0.fetch_add(ms, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(250)).await;
        // A busy machine takes longer; a shard that cannot write does not answer at all.
        let farm = FARM.into();
        let done = self.hub.settled(&farm);
        let _ = tokio::time::timeout(Duration::from_secs(1), done).await;
    }

    pub(crate) fn batch(from: &str, kind: &str, payloads: &[&str]) -> Batch {
        let topic: Arc<str> = format!("harit/1/{FARM}/{from}/{kind}").into();
        let publish = |p: &&str| Publish {
            topic: topic.clone(),
            payload: Bytes::copy_from_slice(p.as_bytes()),
            retain: false,
            oversized: None,
        };
        let principal = Principal::Controller {
            farm: FARM.into(),
            mac: mac(from),
        };
        Batch {
            from: Some(principal),
            publishes: payloads.iter().map(publish).collect(),
        }
    }

    pub(crate) async fn receive(&self, batch: Batch) -> Receipt {
        self.hub.uplink().receive(batch).await
    }

    /// Publishes and waits for the receipt.
    pub(crate) async fn publish(&self, from: &str, kind: &str, payload: &str) -> Taken {
        let receipt = self.receive(Self::batch(from, kind, &[payload])).await;
        tokio::time::timeout(Duration::from_secs(10), receipt)
            .await
            .expect("a receipt in time")
            .expect("a receipt")
    }

    pub(crate) async fn birth(&self) {
        let taken = self
            .publish(
                MAC,
                "state",
                r#"{"online":true,"firmware":"1.0","sensors":[{"id":"t1","type":"temperature","unit":"°C"}],
                    "devices":[{"id":"fan-1","type":"fan","on":false,"value":0,"lock":null,"safety":false}]}"#,
            )
            .await;
        assert_eq!(taken.rejected, 0);
    }

    pub(crate) async fn temperature(&self, value: &str) {
        let payload = format!(
            r#"{{"ts":{},"sensors":[{{"id":"t1","type":"temperature","unit":"°C","latestValue":{value}}}]}}"#,
            self.now()
        );
        assert_eq!(self.publish(MAC, "telemetry", &payload).await.rejected, 0);
    }

    pub(crate) async fn admit(&self, kind: InputKind) -> Vec<Event> {
        self.hub.admit(&FarmId::from(FARM), kind).await.unwrap()
    }

    pub(crate) async fn read<R: Send + 'static>(
        &self,
        question: impl FnOnce(&Engine) -> R + Send + 'static,
    ) -> R {
        self.hub.read(&FARM.into(), question).await.unwrap()
    }

    /// Why a device is locked: the first lock's reason.
    pub(crate) async fn lock(&self, device: &'static str) -> Option<String> {
        let device = self.read(move |e| e.device(device).unwrap()).await;
        reason(&device).map(str::to_owned)
    }

    /// What was sent to a controller since the last time.
    pub(crate) fn take_sent(&self) -> Vec<Value> {
        let all = std::mem::take(&mut *self.sent.lock().unwrap());
        all.into_iter().map(|(_, body)| body).collect()
    }

    /// A rule that starts the fan above 30 °C at the second sample, 2 s later, and stops it below 25.
    pub(crate) async fn cooling_rule(&self) {
        let rule = serde_json::json!({
            "id": "cool", "name": "Cool the house", "mode": "auto", "deployed": true, "scope": {"type": "farm"},
            "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 30, "duration_sec": 2},
            "stop_condition": {"sensor_type": "temperature", "operator": "lt", "value": 25, "duration_sec": 1},
            "actions": [{"device_id": "fan-1", "command": {"action": "on"}}]
        });
        let rule = serde_json::from_value(rule).unwrap();
        self.admit(InputKind::RulePut(Box::new(rule))).await;
    }

    /// Lets the rule fire: the fan's command is sent.
    pub(crate) async fn heat(&self) {
        self.temperature("35").await;
        self.pass(1_000).await;
        self.temperature("35.5").await;
        self.pass(1_000).await;
    }

    pub(crate) async fn ack(&self, command_id: &str) {
        let payload = format!(r#"{{"command_id":"{command_id}","status":"ack"}}"#);
        assert_eq!(self.publish(MAC, "ack", &payload).await.rejected, 0);
    }

    pub(crate) async fn state_of(&self, command_id: &str) -> &'static str {
        let life = self.hub.command(&FARM.into(), command_id).await.unwrap();
        life.map_or("none", |l| l.state.as_str())
    }
}

pub(crate) fn farm() -> FarmDocument {
    let doc = serde_json::json!({
        "farm": {"id": FARM, "name": "Farm", "settings": {"min_samples": 2}},
        "polyhouses": [{"id": "p1", "name": "P", "zones": [{"id": "z1", "name": "Z"}]}],
        "sensors": [], "devices": [], "rules": [], "alerts": []
    });
    FarmDocument::from_json(&doc).unwrap()
}

/// Copies a data directory in which a server may be writing, as it is at one time. A file that is renamed or deleted
/// meanwhile would be missing under both of its names, as after no crash: the copy is made anew.
pub(crate) fn copy_dir(from: &Path, to: &Path) {
    for _ in 0..100 {
        match try_copy_dir(from, to) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                std::fs::remove_dir_all(to).unwrap();
            }
            done => return done.unwrap(),
        }
    }
    panic!("{} changes all the time", from.display());
}

fn try_copy_dir(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            try_copy_dir(&entry.path(), &target)?;
        } else if !entry.file_name().to_string_lossy().ends_with("-shm") {
            // The index of a write-ahead log is made anew.
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Why a device is locked: the first lock's reason.
pub(crate) fn reason(device: &DeviceStatus) -> Option<&str> {
    device.locks.first().map(|lock| &*lock.reason)
}

pub(crate) fn manual(line: serde_json::Value) -> harit_engine::InputKind {
    let mut line = line;
    (line["at"], line["input"]) = (json!(0), json!("manual"));
    harit_protocol::jsonl::parse(&line.to_string())
        .unwrap()
        .kind
}

/// Nothing went out.
pub(super) const NONE: [bool; 0] = [];

/// What went out since, but for renewals, and is acked now: whether it was on.
pub(super) async fn orders(w: &World) -> Vec<bool> {
    let mut orders = Vec::new();
    for message in w.take_sent() {
        if message["cmd_type"] != "renew" {
            w.ack(message["command_id"].as_str().unwrap()).await;
            orders.push(message["action"]["on"] == true);
        }
    }
    orders
}

pub(super) async fn switch(w: &World, action: &str) {
    let wish =
        json!({"device": "fan-1", "cmd_type": "override", "action": action, "duration_sec": 3000});
    w.admit(manual(wish)).await;
}

pub(super) async fn fan_says(w: &World, on: bool) {
    let payload = format!(r#"{{"devices":[{{"id":"fan-1","type":"fan","on":{on}}}]}}"#);
    w.publish(MAC, "state", &payload).await;
}

/// A person locks the fan, or opens its locks.
pub(super) async fn tell_lock(w: &World, lock: Lock) {
    let status = Status {
        lock: Some(lock),
        ..Status::default()
    };
    let device = "fan-1".into();
    w.admit(InputKind::Status { device, status }).await;
}
