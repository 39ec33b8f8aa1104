//! Idle controllers against an endpoint: all are held, the right number connects again, and each as a controller does.

#![allow(
    clippy::unwrap_used,
    clippy::async_yields_async,
    reason = "a test that cannot go on fails; a receipt is awaited later than the hand-over that gives it"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Parser;
use futures_util::future::BoxFuture;
use harit_ingest::mqtt::{
    Batch, Endpoint, EndpointConfig, Principal, Receipt, Refusal, Taken, Uplink,
};
use harit_load::{LoadArgs, LoadError, Target, run};
use harit_protocol::Mac;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: LoadArgs,
}

/// Counts what it takes, and knows everybody but the last so many.
#[derive(Default)]
struct Pipeline {
    unknown: Option<&'static str>,
    births: AtomicUsize,
    wills: AtomicUsize,
}

impl Uplink for Pipeline {
    fn authenticate<'a>(
        &'a self,
        username: &'a str,
        _password: &'a [u8],
        _client_id: &'a str,
    ) -> BoxFuture<'a, Result<Principal, Refusal>> {
        let known = self.unknown != Some(username);
        let principal = Principal::Controller {
            farm: "bench-0".into(),
            mac: Mac::parse(username).unwrap(),
        };
        Box::pin(async move { known.then_some(principal).ok_or(Refusal::BadCredentials) })
    }

    fn receive(&self, batch: Batch) -> BoxFuture<'_, Receipt> {
        for publish in &batch.publishes {
            let text = String::from_utf8_lossy(&publish.payload);
            if publish.topic.ends_with("/state") {
                let online = text.contains(r#""online":true"#);
                let count = if online { &self.births } else { &self.wills };
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
        Box::pin(async { Receipt::ready(Taken::default()) })
    }

    fn connected(&self, _principal: &Principal) {}

    fn disconnected(&self, _principal: &Principal) {}
}

const IDLE: usize = 50;
const CONNECTIONS: usize = 2;

async fn bench(pipeline: Arc<Pipeline>) -> (Endpoint, Result<harit_load::Outcome, LoadError>) {
    let config = EndpointConfig {
        listen: ([127, 0, 0, 1], 0).into(),
        ..EndpointConfig::default()
    };
    let (endpoint, _downlink) = Endpoint::bind(config, pipeline).await.unwrap();
    let args = "bench --farms 1 --connections 2 --rate 20 --probes 0 --idle 50 --reconnects 20 --seconds 1 --warm-up 0";
    let args = Cli::parse_from(args.split(' ')).args;
    let target = Target {
        mqtt: endpoint.local_addr().to_string(),
        http: None,
        pid: None,
        accounts: args.accounts().unwrap(),
    };
    let outcome = tokio::task::spawn_blocking(move || run(&args, &target));
    (endpoint, outcome.await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_controllers_are_held_and_some_connect_again() {
    let pipeline = Arc::new(Pipeline::default());
    let (endpoint, outcome) = bench(pipeline.clone()).await;
    let outcome = outcome.unwrap();
    let table = outcome.to_string();
    assert!(outcome.is_whole(), "{table}");
    assert!(table.contains("50 connected within"), "{table}");
    // Each of 50 every 2.5 s, one after the other: in the first second 20 of them.
    let reconnects = 20;
    for line in ["reconnect to CONNACK", "reconnect to PUBACK"] {
        let line = table.lines().find(|l| l.starts_with(line)).unwrap();
        assert!(line.ends_with("(20 measured)"), "{line}");
    }
    let stats = endpoint.stats();
    let connects = CONNECTIONS + IDLE + reconnects;
    assert_eq!(stats.connects, connects as u64);
    assert_eq!(stats.refused_connects, 0);
    assert_eq!(pipeline.births.load(Ordering::Relaxed), connects);
    assert_eq!(
        pipeline.wills.load(Ordering::Relaxed),
        reconnects,
        "a link that is lost has no goodbye, and the end of the run has"
    );
    endpoint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_cannot_connect_ends_the_run() {
    let pipeline = Arc::new(Pipeline {
        unknown: Some("BE0000000033"),
        ..Pipeline::default()
    });
    let (endpoint, outcome) = bench(pipeline).await;
    let error = outcome.unwrap_err().to_string();
    assert!(
        error.contains("BE0000000033: the server refused the account"),
        "{error}"
    );
    endpoint.shutdown().await;
}
