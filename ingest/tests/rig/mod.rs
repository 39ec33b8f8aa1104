//! An endpoint with a pipeline that the test controls.

#![allow(dead_code, reason = "each test binary uses its part")]
#![allow(
    clippy::async_yields_async,
    reason = "a receipt is awaited later than the hand-over that gives it"
)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use harit_ingest::mqtt::{
    Batch, Downlink, Endpoint, EndpointConfig, Principal, Receipt, ReceiptSender, Refusal, Refused,
    Taken, Uplink,
};
use harit_protocol::Mac;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

pub(crate) use harit_testkit::PATIENCE;
pub(crate) use harit_testkit::mqtt::*;

pub(crate) fn topic(last: &str) -> String {
    format!("harit/1/green/{MAC}/{last}")
}

pub(crate) fn controller(mac: &str) -> Principal {
    Principal::Controller {
        farm: "green".into(),
        mac: Mac::parse(mac).unwrap(),
    }
}

/// A controller of another farm.
pub(crate) const FAR_MAC: &str = "A4CF120B9E03";
/// A controller that is blocked.
pub(crate) const BLOCKED_MAC: &str = "A4CF120B9E04";

/// What the pipeline saw, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    Connected(Principal),
    Disconnected(Principal),
    Publish {
        topic: String,
        payload: Vec<u8>,
        retain: bool,
        oversized: Option<usize>,
    },
    Refused {
        topic: Option<String>,
        reason: &'static str,
    },
}

impl Seen {
    pub(crate) fn publish(topic: &str, payload: &[u8]) -> Self {
        Self::Publish {
            topic: topic.to_owned(),
            payload: payload.to_vec(),
            retain: false,
            oversized: None,
        }
    }
}

/// How receipts resolve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Receipts {
    AtOnce,
    Held,
    Lost,
}

/// A pipeline for tests. Payloads that start with `bad` are rejected.
pub(crate) struct Pipeline {
    seen: Mutex<Vec<Seen>>,
    receipts: Mutex<Receipts>,
    held: Mutex<Vec<(ReceiptSender, Taken)>>,
    /// Permits to take a batch: none is a full pipeline.
    pub(crate) room: Semaphore,
    pub(crate) batches: AtomicUsize,
    accounts: HashMap<String, Principal>,
}

impl Pipeline {
    pub(crate) fn new() -> Arc<Self> {
        let mut accounts: HashMap<String, Principal> = [MAC, OTHER_MAC]
            .into_iter()
            .map(|mac| (mac.to_owned(), controller(mac)))
            .collect();
        let far = Principal::Controller {
            farm: "other".into(),
            mac: Mac::parse(FAR_MAC).unwrap(),
        };
        accounts.insert(FAR_MAC.to_owned(), far);
        accounts.insert(
            "erp".into(),
            Principal::Integration {
                farm: "green".into(),
                name: "erp".into(),
            },
        );
        accounts.insert(
            "spy".into(),
            Principal::Integration {
                farm: "other".into(),
                name: "spy".into(),
            },
        );
        Arc::new(Self {
            seen: Mutex::default(),
            receipts: Mutex::new(Receipts::AtOnce),
            held: Mutex::default(),
            room: Semaphore::new(Semaphore::MAX_PERMITS),
            batches: AtomicUsize::new(0),
            accounts,
        })
    }

    pub(crate) fn receipts(&self, how: Receipts) {
        *self.receipts.lock().unwrap() = how;
    }

    /// Resolves all receipts that are held, the newest first if asked: acknowledgements must come in order all the same.
    pub(crate) fn release(&self, newest_first: bool) {
        let mut held: Vec<_> = std::mem::take(&mut *self.held.lock().unwrap());
        if newest_first {
            held.reverse();
        }
        for (sender, taken) in held {
            sender.resolve(taken);
        }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn publishes(&self) -> Vec<(String, Vec<u8>)> {
        let of = |seen: Seen| match seen {
            Seen::Publish { topic, payload, .. } => Some((topic, payload)),
            _ => None,
        };
        self.seen().into_iter().filter_map(of).collect()
    }

    /// Waits until the pipeline saw it.
    pub(crate) async fn until(&self, what: &str, mut found: impl FnMut(&[Seen]) -> bool) {
        let waited = timeout(PATIENCE, async {
            while !found(&self.seen.lock().unwrap()) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        assert!(
            waited.await.is_ok(),
            "never saw {what}; saw {:?}",
            self.seen()
        );
    }

    pub(crate) async fn until_seen(&self, what: &Seen) {
        let found = |seen: &[Seen]| seen.contains(what);
        self.until(&format!("{what:?}"), found).await;
    }

    pub(crate) async fn until_publishes(&self, count: usize) {
        let what = format!("{count} publishes");
        self.until(&what, |seen| {
            seen.iter()
                .filter(|seen| matches!(seen, Seen::Publish { .. }))
                .count()
                >= count
        })
        .await;
    }
}

impl Uplink for Pipeline {
    fn authenticate<'a>(
        &'a self,
        username: &'a str,
        password: &'a [u8],
        _client_id: &'a str,
    ) -> BoxFuture<'a, Result<Principal, Refusal>> {
        let name = Mac::parse(username).map_or_else(|_| username.to_owned(), |mac| mac.to_string());
        let answer = match (name.as_str(), self.accounts.get(&name)) {
            ("disabled", _) => Err(Refusal::Disabled),
            ("unavailable", _) => Err(Refusal::Unavailable),
            (_, Some(principal)) if password == SECRET.as_bytes() => Ok(principal.clone()),
            _ => Err(Refusal::BadCredentials),
        };
        Box::pin(async move { answer })
    }

    fn receive(&self, batch: Batch) -> BoxFuture<'_, Receipt> {
        Box::pin(async move {
            self.room.acquire().await.unwrap().forget();
            self.batches.fetch_add(1, Ordering::Relaxed);
            let rejected = batch
                .publishes
                .iter()
                .filter(|publish| publish.payload.starts_with(b"bad"))
                .count();
            let mut seen = self.seen.lock().unwrap();
            seen.extend(batch.publishes.into_iter().map(|publish| Seen::Publish {
                topic: publish.topic.to_string(),
                payload: publish.payload.to_vec(),
                retain: publish.retain,
                oversized: publish.oversized,
            }));
            let taken = Taken { rejected };
            match *self.receipts.lock().unwrap() {
                Receipts::AtOnce => Receipt::ready(taken),
                Receipts::Held => {
                    let (sender, receipt) = Receipt::pending();
                    self.held.lock().unwrap().push((sender, taken));
                    receipt
                }
                Receipts::Lost => Receipt::pending().1,
            }
        })
    }

    fn account(&self, mac: &Mac) -> Option<Principal> {
        self.accounts.get(&mac.to_string()).cloned()
    }

    fn certified(&self, mac: &Mac) -> Result<Principal, Refusal> {
        match mac.as_str() {
            BLOCKED_MAC => Err(Refusal::Disabled),
            _ => self.account(mac).ok_or(Refusal::Unknown),
        }
    }

    fn refused(&self, refused: &Refused<'_>) {
        self.seen.lock().unwrap().push(Seen::Refused {
            topic: refused.topic.map(str::to_owned),
            reason: refused.reason.as_str(),
        });
    }

    fn connected(&self, principal: &Principal) {
        self.seen
            .lock()
            .unwrap()
            .push(Seen::Connected(principal.clone()));
    }

    fn disconnected(&self, principal: &Principal) {
        self.seen
            .lock()
            .unwrap()
            .push(Seen::Disconnected(principal.clone()));
    }
}

/// An endpoint on a port of its own.
pub(crate) struct Rig {
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) endpoint: Endpoint,
    pub(crate) downlink: Downlink,
}

impl Rig {
    pub(crate) async fn start() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut EndpointConfig)) -> Self {
        let mut config = EndpointConfig {
            listen: ([127, 0, 0, 1], 0).into(),
            ..EndpointConfig::default()
        };
        change(&mut config);
        let pipeline = Pipeline::new();
        let (endpoint, downlink) = Endpoint::bind(config, Arc::clone(&pipeline) as Arc<dyn Uplink>)
            .await
            .unwrap();
        Self {
            pipeline,
            endpoint,
            downlink,
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.endpoint.local_addr().port()
    }

    pub(crate) async fn raw(&self) -> Raw {
        Raw {
            stream: TcpStream::connect(self.endpoint.local_addr())
                .await
                .unwrap(),
        }
    }

    /// A raw client that is let in.
    pub(crate) async fn client(&self, hello: Hello<'_>) -> Raw {
        let mut raw = self.raw().await;
        raw.send(&hello.bytes()).await;
        let answer = raw.packet().await;
        assert_eq!((answer[0], answer[3]), (0x20, 0), "{answer:02x?}");
        raw
    }

    /// A raw client that follows its farm.
    pub(crate) async fn integration(&self) -> Raw {
        let hello = Hello {
            user: Some("erp"),
            ..Hello::v4()
        };
        let mut raw = self.client(hello).await;
        raw.send(&subscribe(false, 1, "harit/1/green/#", 1)).await;
        assert_eq!(raw.packet().await, [0x90, 3, 0, 1, 1]);
        raw
    }

    /// Sends a command as soon as a session takes it.
    pub(crate) async fn command(&self, payload: &'static [u8]) {
        let sent = timeout(PATIENCE, async {
            while self
                .downlink
                .publish(&topic("command"), payload.into())
                .is_err()
            {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        assert!(
            sent.await.is_ok(),
            "no session subscribes to the command topic"
        );
    }

    /// Waits until the statistics say so.
    pub(crate) async fn until_stats(
        &self,
        found: impl Fn(&harit_ingest::mqtt::EndpointStats) -> bool,
    ) {
        let waited = timeout(PATIENCE, async {
            while !found(&self.endpoint.stats()) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        assert!(waited.await.is_ok(), "{:?}", self.endpoint.stats());
    }
}
