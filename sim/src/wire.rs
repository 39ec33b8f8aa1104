//! Between server and controllers: who is connected, and what the server has put on its way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use harit_engine::{FarmId, ScopeSpec};
use harit_ingest::mqtt::{Downlink, DownlinkError, Principal, Refusal};
use harit_ingest::{ControllerDirectory, ControllerKind, ControllerRecord};
use harit_protocol::Mac;
use harit_protocol::topic::Topic;

/// The server's end of all connections.
#[derive(Debug, Clone, Default)]
pub struct Wire(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    connected: BTreeSet<Mac>,
    sent: Vec<(Mac, Bytes)>,
}

impl Wire {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A controller is connected.
    pub fn connect(&self, mac: Mac) {
        self.state().connected.insert(mac);
    }

    /// A controller is not connected any more.
    pub fn disconnect(&self, mac: Mac) {
        self.state().connected.remove(&mac);
    }

    /// Nobody is connected any more.
    pub fn disconnect_all(&self) {
        self.state().connected.clear();
    }

    /// What the server has sent since the last time.
    #[must_use]
    pub fn take_sent(&self) -> Vec<(Mac, Bytes)> {
        std::mem::take(&mut self.state().sent)
    }

    /// The way out for the server.
    #[must_use]
    pub fn downlink(&self) -> Downlink {
        let wire = self.clone();
        Downlink::new(move |topic, payload| {
            let topic = Topic::parse(topic).map_err(|_| DownlinkError::Invalid)?;
            let mut state = wire.state();
            if !state.connected.contains(&topic.mac) {
                return Err(DownlinkError::NotConnected);
            }
            state.sent.push((topic.mac, payload));
            Ok(())
        })
    }
}

/// The records of the controllers of a run.
#[derive(Debug, Clone, Default)]
pub struct Records(BTreeMap<Mac, FarmId>);

impl Records {
    /// Those controllers, each with its farm.
    #[must_use]
    pub fn new(all: impl IntoIterator<Item = (Mac, FarmId)>) -> Self {
        Self(all.into_iter().collect())
    }
}

impl ControllerDirectory for Records {
    fn lookup(&self, mac: &Mac) -> Option<ControllerRecord> {
        Some(ControllerRecord {
            farm: self.0.get(mac)?.clone(),
            mac: *mac,
            kind: ControllerKind::Polyhouse,
            scope: ScopeSpec::farm(),
            enabled: true,
        })
    }

    fn verify<'a>(
        &'a self,
        mac: &'a Mac,
        _: &'a [u8],
    ) -> BoxFuture<'a, Result<ControllerRecord, Refusal>> {
        let found = self.lookup(mac).ok_or(Refusal::BadCredentials);
        Box::pin(async move { found })
    }

    fn verify_integration<'a>(
        &'a self,
        _: &'a str,
        _: &'a [u8],
    ) -> BoxFuture<'a, Result<Principal, Refusal>> {
        Box::pin(async { Err(Refusal::BadCredentials) })
    }
}
