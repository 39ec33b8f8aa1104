//! An endpoint with a pipeline that the test controls, and a client made of bytes.

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
    Batch, Downlink, Endpoint, EndpointConfig, Principal, Receipt, ReceiptSender, Refusal, Taken,
    Uplink,
};
use harit_protocol::Mac;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Nothing in these tests may take longer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
pub(crate) const MAC: &str = "A4CF120B9E01";
pub(crate) const OTHER_MAC: &str = "A4CF120B9E02";
pub(crate) const SECRET: &str = "s3cret";

pub(crate) fn topic(last: &str) -> String {
    format!("harit/1/green/{MAC}/{last}")
}

pub(crate) fn controller(mac: &str) -> Principal {
    Principal::Controller {
        farm: "green".into(),
        mac: Mac::parse(mac).unwrap(),
    }
}

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
        topic: String,
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

    fn refused(&self, _from: &Principal, topic: &str, _payload: &[u8]) {
        self.seen.lock().unwrap().push(Seen::Refused {
            topic: topic.to_owned(),
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

/// A CONNECT.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hello<'a> {
    pub(crate) v5: bool,
    pub(crate) id: &'a str,
    pub(crate) user: Option<&'a str>,
    pub(crate) password: &'a str,
    pub(crate) clean: bool,
    pub(crate) keep_alive: u16,
    pub(crate) will: Option<(&'a str, &'a str)>,
    pub(crate) will_qos: u8,
    pub(crate) will_delay: u32,
    /// MQTT 5 properties, without their length.
    pub(crate) properties: &'a [u8],
}

impl Hello<'_> {
    pub(crate) fn v4() -> Self {
        Self {
            v5: false,
            id: "c1",
            user: Some(MAC),
            password: SECRET,
            clean: true,
            keep_alive: 30,
            will: None,
            will_qos: 1,
            will_delay: 0,
            properties: &[],
        }
    }

    pub(crate) fn of(v5: bool) -> Self {
        if v5 { Self::v5() } else { Self::v4() }
    }

    pub(crate) fn v5() -> Self {
        Self {
            v5: true,
            ..Self::v4()
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut body = b"\0\x04MQTT".to_vec();
        body.push(if self.v5 { 5 } else { 4 });
        let will = self.will.map_or(0, |_| 4 | self.will_qos << 3);
        let user = self.user.map_or(0, |_| 0xc0);
        body.push(u8::from(self.clean) << 1 | will | user);
        body.extend(self.keep_alive.to_be_bytes());
        if self.v5 {
            body.push(u8::try_from(self.properties.len()).unwrap());
            body.extend(self.properties);
        }
        text(&mut body, self.id.as_bytes());
        if let Some((topic, payload)) = self.will {
            if self.v5 {
                body.extend([5, 0x18]);
                body.extend(self.will_delay.to_be_bytes());
            }
            text(&mut body, topic.as_bytes());
            text(&mut body, payload.as_bytes());
        }
        if let Some(user) = self.user {
            text(&mut body, user.as_bytes());
            text(&mut body, self.password.as_bytes());
        }
        packet(0x10, &body)
    }
}

fn text(out: &mut Vec<u8>, text: &[u8]) {
    out.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
    out.extend(text);
}

/// Any packet.
pub(crate) fn packet(first: u8, body: &[u8]) -> Vec<u8> {
    let mut out = vec![first];
    let mut left = body.len();
    loop {
        let low = u8::try_from(left & 0x7f).unwrap();
        left >>= 7;
        out.push(if left > 0 { low | 0x80 } else { low });
        if left == 0 {
            break;
        }
    }
    out.extend(body);
    out
}

/// A PUBLISH, at QoS 1 if it has an id.
pub(crate) fn publish(v5: bool, topic: &str, id: Option<u16>, payload: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    text(&mut body, topic.as_bytes());
    body.extend(id.iter().flat_map(|id| id.to_be_bytes()));
    if v5 {
        body.push(0);
    }
    body.extend(payload);
    packet(0x30 | u8::from(id.is_some()) << 1, &body)
}

pub(crate) fn subscribe(v5: bool, id: u16, filter: &str, qos: u8) -> Vec<u8> {
    let mut body = id.to_be_bytes().to_vec();
    if v5 {
        body.push(0);
    }
    text(&mut body, filter.as_bytes());
    body.push(qos);
    packet(0x82, &body)
}

/// A client made of bytes.
pub(crate) struct Raw {
    pub(crate) stream: TcpStream,
}

impl Raw {
    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        timeout(PATIENCE, self.stream.write_all(bytes))
            .await
            .expect("the endpoint reads")
            .unwrap();
    }

    /// The next packet, whole.
    pub(crate) async fn packet(&mut self) -> Vec<u8> {
        timeout(PATIENCE, self.read_packet())
            .await
            .expect("a packet in time")
            .expect("a packet, not the end")
    }

    async fn read_packet(&mut self) -> std::io::Result<Vec<u8>> {
        let mut packet = vec![self.stream.read_u8().await?];
        let mut length = 0;
        for shift in 0..4 {
            let byte = self.stream.read_u8().await?;
            packet.push(byte);
            length |= usize::from(byte & 0x7f) << (7 * shift);
            if byte & 0x80 == 0 {
                break;
            }
        }
        let header = packet.len();
        packet.resize(header + length, 0);
        self.stream.read_exact(&mut packet[header..]).await?;
        Ok(packet)
    }

    /// Asserts that the connection is closed, and that nothing more comes.
    pub(crate) async fn closed(&mut self) {
        let mut rest = Vec::new();
        // A reset is an end too.
        let _ = timeout(PATIENCE, self.stream.read_to_end(&mut rest))
            .await
            .expect("the connection ends");
        assert!(rest.is_empty(), "{rest:02x?}");
    }

    /// Asserts that nothing comes for a while.
    pub(crate) async fn quiet(&mut self) {
        let mut byte = [0; 1];
        let read = timeout(Duration::from_millis(150), self.stream.read(&mut byte)).await;
        assert!(read.is_err(), "{read:?} {byte:02x?}");
    }

    /// Round trip: everything before it was processed.
    pub(crate) async fn ping(&mut self) {
        self.send(&[0xc0, 0]).await;
        assert_eq!(self.packet().await, [0xd0, 0]);
    }

    /// The next packet, or `None` at the end.
    pub(crate) async fn try_packet(&mut self) -> Option<Vec<u8>> {
        let mut start = [0; 2];
        self.stream.read_exact(&mut start).await.ok()?;
        let mut packet = start.to_vec();
        packet.resize(2 + usize::from(start[1]), 0);
        self.stream.read_exact(&mut packet[2..]).await.ok()?;
        Some(packet)
    }

    /// Nothing but acknowledgements comes.
    pub(crate) async fn quiet_after_acks(&mut self, acks: usize) {
        for _ in 0..acks {
            assert_eq!(self.packet().await[0], 0x40);
        }
        self.quiet().await;
    }
}

/// A small generator, so that a failure can be run again.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }
}
