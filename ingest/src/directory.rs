//! Which controllers exist: asked here, answered by the records of whoever runs the pipeline.

use futures_util::future::BoxFuture;
use harit_engine::{FarmId, ScopeSpec};
use harit_protocol::Mac;
use serde::{Deserialize, Serialize};

use crate::mqtt::{Principal, Refusal};

/// What a controller looks after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ControllerKind {
    /// A polyhouse.
    Polyhouse,
    /// Reservoirs and dosing.
    Fertigation,
    /// Nothing itself: it stands for many things (Zigbee2MQTT, a LoRaWAN server, the bridge of a broker).
    Gateway,
}

/// A registered controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControllerRecord {
    /// The farm that registered it.
    pub farm: FarmId,
    /// Its MAC id.
    pub mac: Mac,
    /// What it looks after.
    pub kind: ControllerKind,
    /// Where the sensors and devices are that it announces, until a person moves them.
    pub scope: ScopeSpec,
    /// Whether it may connect and publish.
    pub enabled: bool,
}

/// The records of controllers and integration accounts.
pub trait ControllerDirectory: Send + Sync + 'static {
    /// The controller of that MAC, if one is registered. Called from the shards' threads: answer from memory.
    fn lookup(&self, mac: &Mac) -> Option<ControllerRecord>;

    /// The controller of that MAC, if the secret is its own.
    fn verify<'a>(
        &'a self,
        mac: &'a Mac,
        secret: &'a [u8],
    ) -> BoxFuture<'a, Result<ControllerRecord, Refusal>>;

    /// The integration account of that name, if the secret is its own.
    fn verify_integration<'a>(
        &'a self,
        name: &'a str,
        secret: &'a [u8],
    ) -> BoxFuture<'a, Result<Principal, Refusal>>;
}
