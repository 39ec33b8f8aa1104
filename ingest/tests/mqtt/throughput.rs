//! How much the endpoint takes: a measurement, not a test of anything else. Run it in a release build:
//! `cargo test --release -p harit-ingest --test mqtt_throughput -- --ignored --nocapture`.
//!
//! The pipeline of it resolves receipts in groups, as a journal does that commits every few milliseconds.

#![allow(
    clippy::async_yields_async,
    reason = "a receipt is awaited later than the hand-over that gives it"
)]
#![allow(clippy::print_stdout, reason = "a measurement is told")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::rig::{Hello, SECRET, publish};
use futures_util::future::BoxFuture;
use harit_ingest::mqtt::{
    Batch, Endpoint, EndpointConfig, Principal, Receipt, ReceiptSender, Refusal, Taken,
    ThrottleConfig, Uplink,
};
use harit_protocol::Mac;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

/// Messages that were committed, to be compared with those that were sent.
static COMMITTED: AtomicUsize = AtomicUsize::new(0);

/// Batches that wait for the commit.
const ROOM: usize = 1_024;

/// Everybody may in; what comes waits for the next commit.
struct Group(mpsc::Sender<(usize, ReceiptSender)>);

impl Uplink for Group {
    fn authenticate<'a>(
        &'a self,
        user: &'a str,
        _: &'a [u8],
        _: &'a str,
    ) -> BoxFuture<'a, Result<Principal, Refusal>> {
        Box::pin(async move {
            Ok(Principal::Controller {
                farm: "green".into(),
                mac: Mac::parse(user).unwrap(),
            })
        })
    }

    fn receive(&self, batch: Batch) -> BoxFuture<'_, Receipt> {
        Box::pin(async move {
            let (sender, receipt) = Receipt::pending();
            self.0.send((batch.publishes.len(), sender)).await.unwrap();
            receipt
        })
    }

    fn connected(&self, _: &Principal) {}

    fn disconnected(&self, _: &Principal) {}
}

async fn endpoint(commit: Duration) -> Endpoint {
    let (send, mut receive) = mpsc::channel::<(usize, ReceiptSender)>(ROOM);
    std::thread::spawn(move || {
        while let Some(first) = receive.blocking_recv() {
            std::thread::sleep(commit);
            let mut group = vec![first];
            while let Ok(next) = receive.try_recv() {
                group.push(next);
            }
            for (messages, sender) in group {
                COMMITTED.fetch_add(messages, Ordering::Relaxed);
                sender.resolve(Taken::default());
            }
        }
    });
    let config = EndpointConfig {
        listen: ([127, 0, 0, 1], 0).into(),
        throttle: ThrottleConfig {
            messages_per_second: u32::MAX,
            messages_burst: u32::MAX,
            bytes_per_second: u32::MAX,
            bytes_burst: u32::MAX,
            ..ThrottleConfig::default()
        },
        ..EndpointConfig::default()
    };
    Endpoint::bind(config, Arc::new(Group(send)))
        .await
        .unwrap()
        .0
}

/// `connections` controllers that keep `window` publishes unacknowledged, until each has sent `count`.
async fn run(
    endpoint: &Endpoint,
    v5: bool,
    connections: usize,
    window: usize,
    count: usize,
) -> (f64, Vec<Duration>) {
    let mut tasks = Vec::new();
    for n in 0..connections {
        let mac = format!("{n:012X}");
        let mut stream = TcpStream::connect(endpoint.local_addr()).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let hello = if v5 { Hello::v5() } else { Hello::v4() };
        stream
            .write_all(
                &Hello {
                    user: Some(&mac),
                    password: SECRET,
                    ..hello
                }
                .bytes(),
            )
            .await
            .unwrap();
        let mut header = [0; 2];
        stream.read_exact(&mut header).await.unwrap();
        let mut rest = vec![0; usize::from(header[1])];
        stream.read_exact(&mut rest).await.unwrap();
        let one = publish(
            v5,
            &format!("harit/1/green/{mac}/telemetry"),
            Some(1),
            &[b'x'; 120],
        );
        tasks.push(async move {
            let mut waits = Vec::new();
            let (mut sent, mut acked) = (0, 0);
            let mut input = vec![0; 64 << 10];
            let chunk = one.repeat(window.div_ceil(2).min(256));
            while acked < count {
                let started = Instant::now();
                while sent < count && sent - acked < window {
                    let room = (window - (sent - acked))
                        .min(count - sent)
                        .min(chunk.len() / one.len());
                    stream.write_all(&chunk[..room * one.len()]).await.unwrap();
                    sent += room;
                }
                let mut read = stream.read(&mut input).await.unwrap();
                while read % 4 != 0 {
                    read += stream.read(&mut input[read..]).await.unwrap();
                }
                acked += read / 4;
                if window == 1 {
                    waits.push(started.elapsed());
                }
            }
            waits
        });
    }
    let started = Instant::now();
    let tasks: Vec<_> = tasks.into_iter().map(tokio::spawn).collect();
    let mut waits = Vec::new();
    for task in tasks {
        waits.extend(task.await.unwrap());
    }
    let all = u32::try_from(connections * count).unwrap();
    waits.sort();
    (f64::from(all) / started.elapsed().as_secs_f64(), waits)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn throughput() {
    for (name, v5, connections, window, count, commit) in [
        (
            "4 connections, pipelined, 3.1.1",
            false,
            4,
            2_000,
            500_000,
            Duration::from_millis(1),
        ),
        (
            "4 connections, pipelined, 5",
            true,
            4,
            2_000,
            500_000,
            Duration::from_millis(1),
        ),
        (
            "1 connection, pipelined, 3.1.1",
            false,
            1,
            4_000,
            500_000,
            Duration::from_millis(1),
        ),
        (
            "100 connections that wait, no commit time",
            false,
            100,
            1,
            3_000,
            Duration::ZERO,
        ),
        (
            "100 connections that wait, commits of 1 ms",
            false,
            100,
            1,
            3_000,
            Duration::from_millis(1),
        ),
    ] {
        let endpoint = endpoint(commit).await;
        let (rate, waits) = run(&endpoint, v5, connections, window, count).await;
        let at = |share: usize| {
            waits
                .get(waits.len() * share / 1_000)
                .copied()
                .unwrap_or_default()
        };
        println!(
            "{name}: {rate:.0} messages/s; wait p50 {:?}, p99 {:?}, p99.9 {:?}",
            at(500),
            at(990),
            at(999)
        );
        let received = usize::try_from(endpoint.stats().received).unwrap();
        assert_eq!(
            (received, COMMITTED.swap(0, Ordering::Relaxed)),
            (connections * count, connections * count)
        );
        endpoint.shutdown().await;
    }
}
