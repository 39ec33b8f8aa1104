//! What journals in NATS cost: the same load on a server with everything in files, and on one with its journals in three servers of NATS
//! and its records and history in a PostgreSQL, in turn, all on one machine. With `HARIT_BIN` of a release build.

use std::fs;
use std::path::Path;

use harit_testkit::{nats, postgres};

use crate::backup::{done, text};
use crate::server::{Home, SETTINGS, Server, machine_alone, run};
use crate::standby::{moved, reached, settings};

/// How often each is measured; the median is told.
pub(crate) const TIMES: usize = 3;
/// What is measured: connections, and how many messages each has unacknowledged.
pub(crate) const WAYS: [(&str, &str, &str); 2] =
    [("pipelined", "200", "64"), ("waiting", "100", "1")];

/// What a run told.
pub(crate) struct Measured {
    pub(crate) messages_a_second: f64,
    pub(crate) messages: f64,
    /// Of the server's processor time, in microseconds.
    pub(crate) a_message: f64,
}

/// Loads a server that runs, by way of a port.
pub(crate) async fn measure(
    server: &Server,
    port: u16,
    home: &Home,
    (_, connections, window): (&str, &str, &str),
) -> Measured {
    let (mqtt, pid) = (format!("127.0.0.1:{port}"), server.id().to_string());
    let (http, csv) = (
        server.http.trim_start_matches("http://").to_owned(),
        home.path("csv"),
    );
    let load = [
        "bench",
        "--mqtt",
        &mqtt,
        "--http",
        &http,
        "--pid",
        &pid,
        "--csv",
        text(&csv),
    ];
    let how = [
        "--connections",
        connections,
        "--window",
        window,
        "--seconds",
        "8",
    ];
    let ran = run(&[&load[..], &how].concat()).await;
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stdout)
    );
    let of = columns(&csv);
    Measured {
        messages_a_second: of("messages_per_sec"),
        messages: of("acknowledged"),
        a_message: of("server_cpu_ms") * 1_000.0 / of("acknowledged"),
    }
}

/// The columns of the one run in a file, which is removed.
pub(crate) fn columns(csv: &Path) -> impl Fn(&str) -> f64 {
    let table = fs::read_to_string(csv).unwrap();
    fs::remove_file(csv).unwrap();
    move |name| {
        let [names, values] = table.lines().collect::<Vec<_>>()[..] else {
            panic!("{table}");
        };
        let at = names.split(',').position(|n| n == name).unwrap();
        values.split(',').nth(at).unwrap().parse().unwrap()
    }
}

pub(crate) fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures for two minutes; needs nats-server and PostgreSQL"]
async fn what_journals_in_nats_cost() {
    let _machine = machine_alone().await;
    let (nats, database) = (nats::Server::three(), postgres::Server::start());
    let (files, elsewhere) = (Home::empty(), Home::empty());
    let (url, path) = (database.database(), elsewhere.path(SETTINGS));
    let [storage, journal] = ["journal_max_mib = 512\n", "max_mib = 1024\n"];
    fs::write(&path, settings(&nats, &url, [storage, journal])).unwrap();
    reached(&elsewhere).await;
    for home in [&files, &elsewhere] {
        done(&[
            "bench",
            "--seed",
            text(&home.data()),
            "--connections",
            "200",
        ])
        .await;
    }
    moved(&elsewhere, &url).await;
    let mut servers = [
        (files.stopped(&[], &[]), &files),
        (
            elsewhere.stopped(&["--config", text(&path)], &[]),
            &elsewhere,
        ),
    ];
    for way in WAYS {
        let mut all = [Vec::new(), Vec::new()];
        for _ in 0..TIMES {
            for ((server, home), all) in servers.iter_mut().zip(&mut all) {
                server.start().await;
                all.push(measure(server, server.mqtt, home, way).await);
                assert!(server.terminate().await.0.success());
            }
        }
        let of = |n: usize, what: fn(&Measured) -> f64| median(all[n].iter().map(what).collect());
        let [files, nats] =
            [0, 1].map(|n| (of(n, |m| m.messages_a_second), of(n, |m| m.a_message)));
        println!(
            "{}: files {:.0} messages/s, {:.2} µs of processor time each; NATS {:.0} ({:.2} of it), {:.2} µs ({:.2} times)",
            way.0,
            files.0,
            files.1,
            nats.0,
            nats.0 / files.0,
            nats.1,
            nats.1 / files.1
        );
    }
}
