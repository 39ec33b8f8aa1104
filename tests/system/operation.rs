//! Running it: who may not start, how it stops, and that nothing acknowledged is lost.

use std::collections::HashSet;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use harit_protocol::jsonl::measured_text;
use harit_testkit::Replayed;
use reqwest::Method;
use serde_json::json;
use tokio::time::sleep;

use crate::controller::{Controller, Link};
use crate::farm::{self, Api, GREEN};
use crate::random::{between, dice};
use crate::server::{Home, machine, run};

/// How long a server that is told to stop may take.
const STOP_WITHIN: Duration = Duration::from_secs(5);

#[tokio::test]
async fn the_demo_is_for_loopback_only() {
    let home = Home::empty();
    let data = home.data();
    for (http, mqtt) in [("0.0.0.0:0", "127.0.0.1:0"), ("127.0.0.1:0", "[::]:0")] {
        let args = [
            "serve",
            "--demo",
            "--data-dir",
            data.to_str().unwrap(),
            "--http",
            http,
            "--mqtt",
            mqtt,
        ];
        let ended = run(&args).await;
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(said.contains("loopback only"), "{said}");
        assert!(!data.exists(), "nothing was made");
    }
}

#[tokio::test]
async fn a_demos_directory_is_for_the_demo_only() {
    let _machine = machine().await;
    let home = Home::empty();
    let mut server = home.server(&["--demo"], &[]).await;
    let (status, _) = server.terminate().await;
    assert!(status.success(), "{status}");
    let data = home.data();
    let args = [
        "serve",
        "--data-dir",
        data.to_str().unwrap(),
        "--http",
        "127.0.0.1:0",
    ];
    let ended = run(&args).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(said.contains("--demo") && !said.contains("ready"), "{said}");
}

#[tokio::test]
async fn two_servers_do_not_share_a_directory() {
    let _machine = machine().await;
    let home = farm::seeded().await;
    let server = farm::server(&home).await;
    let api = Api::of(&server, GREEN).await;
    let args = [
        "serve",
        "--data-dir",
        home.data().to_str().unwrap(),
        "--http",
        "127.0.0.1:0",
        "--mqtt",
        "127.0.0.1:0",
    ]
    .map(str::to_owned);
    let second = run(&args.each_ref().map(String::as_str)).await;
    assert_eq!(second.status.code(), Some(1), "{second:?}");
    let said = String::from_utf8(second.stderr).unwrap();
    assert!(said.contains("only one may use a data directory"), "{said}");
    assert_eq!(
        api.send(Method::GET, "/readyz", None).await,
        (200, json!({"ready": true, "problems": [], "reasons": []}))
    );
}

/// Numbered readings, as fast as they are acknowledged, a few dozen in flight.
struct Publisher {
    task: tokio::task::JoinHandle<()>,
}

type Numbers = Arc<Mutex<HashSet<u64>>>;

impl Publisher {
    fn start(
        link: Link,
        sensor: String,
        first: u64,
        acknowledged: Numbers,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let task = tokio::spawn(async move {
            let mut waiting = Vec::new();
            let mut next = first;
            while !stop.load(Ordering::Relaxed) {
                for _ in 0..8 {
                    let reading = json!({"sensors": [{"id": sensor, "type": "light_intensity", "latestValue": next}]});
                    waiting.push((next, link.telemetry(&reading)));
                    next += 1;
                }
                sleep(Duration::from_millis(10)).await;
                waiting.retain_mut(|(n, wait)| match wait.try_recv() {
                    Ok(()) => {
                        acknowledged.lock().unwrap().insert(*n);
                        false
                    }
                    Err(e) => e == tokio::sync::oneshot::error::TryRecvError::Empty,
                });
            }
            // What is still on its way: acknowledged, or the connection has ended.
            for (n, wait) in waiting {
                if let Ok(Ok(())) = tokio::time::timeout(Duration::from_secs(5), wait).await {
                    acknowledged.lock().unwrap().insert(n);
                }
            }
        });
        Self { task }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost() {
    const PUBLISHERS: u64 = 3;
    let _machine = machine().await;
    let mut dice = dice("stops");
    let home = farm::seeded().await;
    let mut server = farm::server(&home).await;
    let mut api = Api::of(&server, GREEN).await;
    let mut controllers = Vec::new();
    for n in 0..PUBLISHERS {
        let account = api.register(&format!("A4CF120D00{n:02X}")).await;
        controllers.push(Controller::new(&account, &[], &[]));
    }
    let acknowledged = Numbers::default();
    for (round, gently) in [true, false, true].into_iter().enumerate() {
        let stop = Arc::new(AtomicBool::new(false));
        let mut publishers = Vec::new();
        for (n, controller) in (0..).zip(&controllers) {
            let first = u64::try_from(round).unwrap() * 60_000 + n * 20_000;
            let link = controller.connect(server.mqtt).await;
            publishers.push(Publisher::start(
                link,
                format!("light-{n}"),
                first,
                Arc::clone(&acknowledged),
                Arc::clone(&stop),
            ));
        }
        sleep(between(&mut dice, 1_000, 2_000)).await;
        let before = acknowledged.lock().unwrap().len();
        if gently {
            let (status, after) = server.terminate().await;
            eprintln!(
                "round {round}: stopped after {after:?}, {before} readings acknowledged before"
            );
            assert_eq!(status.code(), Some(0));
            assert!(after < STOP_WITHIN, "{after:?}");
        } else {
            server.kill().await;
            eprintln!("round {round}: killed, {before} readings acknowledged before");
        }
        stop.store(true, Ordering::Relaxed);
        for publisher in publishers {
            publisher.task.await.unwrap();
        }
        assert!(before > 100, "they publish");
        server.start().await;
        api.moved(&server);
    }
    let acknowledged = acknowledged.lock().unwrap().clone();
    let stored = exported(&home).await;
    let lost: Vec<&u64> = acknowledged.difference(&stored).collect();
    assert!(
        lost.is_empty(),
        "{} of {} lost: {lost:?}",
        lost.len(),
        acknowledged.len()
    );
    // And in what charts are drawn from.
    let mut counted = 0;
    for n in 0..PUBLISHERS {
        let history = api.of_farm(&format!("sensors/light-{n}/history")).await;
        counted += history["points"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p["count"].as_u64().unwrap())
            .sum::<u64>();
    }
    eprintln!(
        "{} acknowledged, {} in the journal, {counted} in the history",
        acknowledged.len(),
        stored.len()
    );
    assert_eq!(counted, u64::try_from(stored.len()).unwrap());
}

/// The numbers of all readings in the journal, read beside the running server.
async fn exported(home: &Home) -> HashSet<u64> {
    let exported = home.exported(GREEN).await;
    let [farm, inputs] = exported.map(|file| fs::read_to_string(file).unwrap());
    let readings = Replayed::new(&farm, &inputs).recorded.readings;
    let mut numbers = HashSet::new();
    for reading in readings {
        let number = measured_text(reading.value).parse().unwrap();
        // What is delivered twice is said once.
        assert!(numbers.insert(number), "{number} is there twice");
    }
    numbers
}
