//! A controller that has gone mad: garbage, megabytes and unknown topics, as fast as the socket takes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use harit_testkit::mqtt::publish;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::farm::Account;
use crate::unit::hello;

/// How long after one controller the next one begins.
const NEXT_AFTER: Duration = Duration::from_secs(1);

/// What [`hostile_profile`] reads.
const HOSTILE_TOPIC: &str = "hostile/x";

/// A profile that looks for as much as a document can name, with patterns that match late, and finds nothing.
pub(crate) fn hostile_profile() -> String {
    let places: Vec<_> = (0..8)
        .map(|n| format!("\"{}{n}\"", "*a".repeat(45)))
        .collect();
    let reading = format!("{{ at = [{}], type = \"temperature\" }}", places.join(", "));
    let readings = vec![reading; 64].join(",\n");
    format!(
        "id = \"hostile\"\nname = \"Hostile\"\n[[messages]]\ntopics = [\"{HOSTILE_TOPIC}\"]\nwithin = [\"/*\"]\nreadings = [{readings}]\n"
    )
}

/// A formula as long as one can be.
pub(crate) fn hostile_formula() -> String {
    format!("let a = t; {}a", "let a = sqrt(a * a * t / t); ".repeat(60))
}

/// What it sent, in spite of everything.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    pub(crate) bytes: AtomicU64,
    pub(crate) connects: AtomicU64,
    pub(crate) refused: AtomicU64,
}

/// Runs on a thread of its own until it is dropped.
pub(crate) struct Attack {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    pub(crate) sent: Arc<Sent>,
}

impl Drop for Attack {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Attack {
    /// The controllers begin one after the other, each with all the credit that an honest one has, so that the attack never
    /// rests. Who is cut off tries to come back all the time. The last of them sends what its farm's own profile reads, from the
    /// beginning on.
    pub(crate) fn start(port: u16, accounts: &[Account], strangers_topic: &str) -> Self {
        let (last, others) = accounts.split_last().unwrap();
        let floods = others.iter().map(|a| Flood::garbage(a, strangers_topic));
        let all = [Flood::of_hostile_profile(last)].into_iter().chain(floods);
        Self::of(port, all.collect(), NEXT_AFTER)
    }

    /// Floods that begin one after the other.
    pub(crate) fn of(port: u16, all: Vec<Flood>, next_after: Duration) -> Self {
        let (stop, sent) = (Arc::new(AtomicBool::new(false)), Arc::new(Sent::default()));
        let (stopped, counts) = (Arc::clone(&stop), Arc::clone(&sent));
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let mut floods = Vec::new();
                for flood in all {
                    let (stopped, counts) = (Arc::clone(&stopped), Arc::clone(&counts));
                    floods.push(tokio::spawn(async move {
                        while !stopped.load(Ordering::Relaxed) {
                            flood.once(port, &stopped, &counts).await;
                            sleep(Duration::from_millis(20)).await;
                        }
                    }));
                    sleep(next_after).await;
                }
                for task in floods {
                    let _ = timeout(Duration::from_secs(2), task).await;
                }
            });
        });
        Self {
            stop,
            thread: Some(thread),
            sent,
        }
    }
}

/// What one controller sends, again and again.
pub(crate) struct Flood {
    connect: Vec<u8>,
    publishes: Vec<u8>,
}

impl Flood {
    fn garbage(account: &Account, strangers_topic: &str) -> Self {
        let own = |last: &str| format!("{}{last}", account.topic);
        let foreign = format!("{strangers_topic}telemetry");
        let mut publishes = Vec::new();
        for n in 0..40_u16 {
            for (id, topic, payload) in [
                (
                    1,
                    &own("telemetry"),
                    &b"{\"sensors\": [{\"type\": garbage\xff\x00"[..],
                ),
                (2, &own("state"), &[b'['; 900]),
                (3, &own("nonsense"), b"{}"),
                (4, &foreign, b"{\"sensors\": []}"),
            ] {
                publishes.extend(publish(false, topic, Some(4 * n + id), payload));
            }
        }
        let large = vec![b'x'; 1 << 20];
        publishes.extend(publish(false, &own("telemetry"), Some(999), &large));
        Self {
            connect: hello(account),
            publishes,
        }
    }

    /// Payloads for [`hostile_profile`], from a small one to one that is more than may be read.
    fn of_hostile_profile(account: &Account) -> Self {
        let mut publishes = Vec::new();
        for (id, keys) in (1..).zip([1, 2, 4, 8, 16, 32, 64, 128]) {
            let things = (0..keys)
                .map(|n| format!(r#""{}{n}":{{"{}":1}}"#, "a".repeat(240), "a".repeat(240)));
            let payload = format!("{{{}}}", things.collect::<Vec<_>>().join(","));
            publishes.extend(publish(false, HOSTILE_TOPIC, Some(id), payload.as_bytes()));
        }
        Self {
            connect: hello(account),
            publishes,
        }
    }

    /// The same report, again and again.
    pub(crate) fn report(account: &Account, report: &[u8]) -> Self {
        let topic = format!("{}state", account.topic);
        let publishes = (1..=16).flat_map(|id| publish(false, &topic, Some(id), report));
        Self {
            connect: hello(account),
            publishes: publishes.collect(),
        }
    }

    /// One connection, until it is closed.
    async fn once(&self, port: u16, stop: &AtomicBool, sent: &Sent) {
        let Ok(stream) = TcpStream::connect(("127.0.0.1", port)).await else {
            return;
        };
        sent.connects.fetch_add(1, Ordering::Relaxed);
        let (mut from, mut to) = stream.into_split();
        let mut answer = [0; 4];
        let hello = async {
            to.write_all(&self.connect).await?;
            from.read_exact(&mut answer).await
        };
        if !matches!(timeout(Duration::from_secs(5), hello).await, Ok(Ok(_))) || answer[3] != 0 {
            sent.refused.fetch_add(1, Ordering::Relaxed);
            return;
        }
        // Acknowledgements are read away, so that only the server decides how fast this goes.
        let read = async {
            let mut sink = vec![0; 64 << 10];
            while matches!(from.read(&mut sink).await, Ok(n) if n > 0) {}
        };
        let write = async {
            while let Ok(n) = to.write(&self.publishes).await {
                sent.bytes
                    .fetch_add(u64::try_from(n).unwrap(), Ordering::Relaxed);
                // A write that was cut short is completed, so that all this is good MQTT.
                if to.write_all(&self.publishes[n..]).await.is_err() {
                    return;
                }
                sent.bytes.fetch_add(
                    u64::try_from(self.publishes.len() - n).unwrap(),
                    Ordering::Relaxed,
                );
            }
        };
        let stopped = async {
            while !stop.load(Ordering::Relaxed) {
                sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::select! {
            () = read => {}
            () = write => {}
            () = stopped => {}
        }
    }
}
