//! A server whose turns a test takes, with one controller and one fan.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::sync::Arc;
use std::time::Duration;

use harit_engine::{DeviceStatus, FarmDocument, FarmId};
use harit_ingest::mqtt::{Batch, Principal, Publish, Receipt};
use harit_ingest::simulation::{Archive, Server, ServerConfig, Storage, fold};
use harit_journal::MemoryDisk;
use harit_protocol::Mac;
use harit_sim::time::VirtualTime;
use harit_sim::wire::{Records, Wire};
use serde_json::Value;

pub(crate) const FARM: &str = "f1";
const MAC: &str = "A4CF120B9E01";
pub(crate) const BIRTH: &str = r#"{"online":true,"devices":[{"id":"fan-1","type":"fan","on":false,"lock":null,"safety":false}]}"#;

/// A server whose turns the test takes.
pub(crate) struct Bench {
    pub(crate) server: Server,
    config: ServerConfig,
    pub(crate) disk: MemoryDisk,
    wire: Wire,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let (farm, mac) = (FarmId::from(FARM), Mac::parse(MAC).unwrap());
        let wire = Wire::default();
        wire.connect(mac);
        let disk = MemoryDisk::default();
        let config = ServerConfig {
            storage: Storage::Memory(disk.clone()),
            archive: Archive::default(),
            clock: Arc::new(VirtualTime::default()),
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
        }
    }

    /// Another server takes over what the disk has.
    pub(crate) fn restart(&mut self) {
        self.server = Server::start(&self.config).unwrap();
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
