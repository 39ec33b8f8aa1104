//! A server whose turns a test takes, with one controller and one fan.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use harit_engine::{
    DeviceStatus, Event, FarmDocument, FarmId, InputKind, Owner, ScopeSpec, Stop, StopScope,
};
use harit_ingest::mqtt::{Batch, Principal, Publish, Receipt};
use harit_ingest::simulation::{Answer, Archive, Server, ServerConfig, Storage, fold};
use harit_journal::MemoryDisk;
use harit_protocol::Mac;
use harit_sim::time::VirtualTime;
use harit_sim::wire::{Records, Wire};
use serde_json::{Value, json};

pub(crate) const FARM: &str = "f1";
const MAC: &str = "A4CF120B9E01";
pub(crate) const BIRTH: &str = r#"{"online":true,"devices":[{"id":"fan-1","type":"fan","on":false,"lock":null,"safety":false}]}"#;

/// A person stops the farm.
pub(crate) fn stop(by: &str) -> InputKind {
    InputKind::Stop(Box::new(Stop {
        scope: StopScope::Place(ScopeSpec::farm()),
        owner: Arc::new(Owner {
            user_id: by.into(),
            name: by.into(),
            reason: None,
        }),
    }))
}

/// A server whose turns the test takes.
pub(crate) struct Bench {
    pub(crate) server: Server,
    config: ServerConfig,
    pub(crate) disk: MemoryDisk,
    wire: Wire,
    time: Arc<VirtualTime>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let (farm, mac) = (FarmId::from(FARM), Mac::parse(MAC).unwrap());
        let wire = Wire::default();
        wire.connect(mac);
        let disk = MemoryDisk::default();
        let time = Arc::new(VirtualTime::default());
        let config = ServerConfig {
            storage: Storage::Memory(disk.clone()),
            archive: Archive::default(),
            clock: Arc::clone(&time) as Arc<_>,
            directory: Arc::new(Records::new(vec![(mac, farm)])),
            downlink: wire.downlink(),
            presence_grace: Duration::from_secs(60),
            journal_max_bytes: u64::MAX,
        };
        let mut server = Server::start(&config).unwrap();
        drop(server.add_farm(FarmDocument::empty(FARM, "Farm")));
        server.turn(None);
        Self {
            server,
            config,
            disk,
            wire,
            time,
        }
    }

    /// One whose fan runs.
    pub(crate) fn running() -> Self {
        let mut bench = Self::new();
        let said = bench.says(BIRTH);
        bench.server.turn(None);
        assert_eq!(said.now_or_never().unwrap().unwrap().rejected, 0);
        let line = json!({"at": 0, "input": "manual", "device": "fan-1", "cmd_type": "override", "action": "on", "duration_sec": 600});
        let on = harit_protocol::jsonl::parse(&line.to_string())
            .unwrap()
            .kind;
        let answer = bench.server.admit(&FARM.into(), on);
        bench.server.turn(None);
        assert!(answer.now_or_never().unwrap().unwrap().is_ok());
        assert_eq!(bench.take_sent()[0]["action"]["on"], true);
        bench
    }

    /// A person stops the farm.
    pub(crate) fn stop(&mut self, by: &str) -> Answer<Vec<Event>> {
        self.server.admit(&FARM.into(), stop(by))
    }

    pub(crate) fn wait_ms(&self, ms: i64) {
        self.time.pass_to(self.time.now_ms() + ms);
    }

    /// Another server takes over what the disk has; gives the one that had it.
    pub(crate) fn restart(&mut self) -> Server {
        let server = Server::start(&self.config).unwrap();
        std::mem::replace(&mut self.server, server)
    }

    /// What was sent since the last time.
    pub(crate) fn take_sent(&self) -> Vec<Value> {
        let sent = self.wire.take_sent().into_iter();
        sent.map(|(_, body)| serde_json::from_slice(&body).unwrap())
            .collect()
    }

    /// Its report; the receipt resolves when it is safe.
    pub(crate) fn says(&mut self, payload: &str) -> Receipt {
        let (farm, mac) = (FarmId::from(FARM), Mac::parse(MAC).unwrap());
        let topic = format!("harit/1/{farm}/{mac}/state");
        self.server.receive(Batch {
            from: Some(Principal::Controller { farm, mac }),
            publishes: vec![Publish {
                topic: topic.into(),
                payload: payload.to_owned().into(),
                retain: false,
                oversized: None,
            }],
        })
    }

    pub(crate) fn device(&self) -> DeviceStatus {
        let engine = self.server.engine(&FARM.into()).unwrap();
        engine.device("fan-1").unwrap()
    }

    /// Whether the journal folds to what the server has.
    pub(crate) fn folds(&self) -> bool {
        fold(&self.config.storage).unwrap() == self.server.state().unwrap()
    }
}
