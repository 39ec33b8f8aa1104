//! What several servers at work cost, all on one machine, in turn: the same load on a server by itself and by way of one of another cell; and a
//! message where one cell is at work and where three are. With `HARIT_BIN` of a release build.

use std::fs;
use std::time::Duration;

use futures_util::future::join_all;
use harit_testkit::{nats, postgres};
use tokio::time::{Instant, interval};

use crate::backup::{done, text};
use crate::cells::{CELLS, Cell, keys, of_cell, own_settings, started};
use crate::controller::{Controller, Link};
use crate::server::{Home, SETTINGS, Server, machine_alone, run};
use crate::standby::{moved, reached, settings};
use crate::standby_cost::{TIMES, WAYS, columns, measure, median};

/// Controllers of each of three cells, how often each of them measures, and for how long.
const CONTROLLERS: u8 = 10;
const EVERY: Duration = Duration::from_millis(10);
const LOADED: Duration = Duration::from_secs(8);

/// Microseconds of processor time that a server has used.
fn used(server: &Server) -> f64 {
    server.processor_time().as_secs_f64() * 1e6
}

/// A server with farms for a load, and one of another cell that passes on what comes for them.
struct TwoCells {
    /// They end with this.
    _stores: ([nats::Server; 3], postgres::Server),
    server: Server,
    door: Server,
    south: Home,
    _north: Home,
}

impl TwoCells {
    async fn started(farms: &[&str]) -> Self {
        let (nats, database) = (nats::Server::three(), postgres::Server::start());
        let (south, north) = (Home::empty(), Home::empty());
        let (records, path) = (database.database(), south.path(SETTINGS));
        let [storage, journal] = ["journal_max_mib = 512\n", "max_mib = 1024\n"];
        let own = settings(&nats, &records, [storage, journal]);
        fs::write(&path, &own).unwrap();
        reached(&south).await;
        let data = south.data();
        let seed = ["bench", "--seed", text(&data)];
        done(&[&seed[..], farms].concat()).await;
        moved(&south, &records).await;
        fs::write(&path, own + of_cell(CELLS[1]).as_str()).unwrap();
        let server = south.server(&["--config", text(&path)], &MANY).await;
        keys(&south, &north);
        let path = north.path(SETTINGS);
        let own = own_settings(CELLS[0], &nats, &database, &records);
        fs::write(&path, own).unwrap();
        let door = north.server(&["--config", text(&path)], &MANY).await;
        Self {
            _stores: (nats, database),
            server,
            door,
            south,
            _north: north,
        }
    }

    /// Starts both servers again, which then have the memory of a start.
    async fn restarted(&mut self) {
        for server in [&mut self.door, &mut self.server] {
            let (status, _) = server.terminate().await;
            assert!(status.success(), "{status}");
            server.start().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures for two minutes; needs nats-server and PostgreSQL"]
async fn what_passing_on_costs() {
    let _machine = machine_alone().await;
    let TwoCells {
        server,
        door,
        south,
        ..
    } = &TwoCells::started(&["--connections", "200"]).await;
    for way in WAYS {
        let (mut direct, mut passed, mut passing) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..TIMES {
            direct.push(measure(server, server.mqtt, south, way).await);
            let before = used(door);
            let by_way = measure(server, door.mqtt, south, way).await;
            passing.push((used(door) - before) / by_way.messages);
            passed.push(by_way);
        }
        let of = |all: &[_], what: fn(&_) -> f64| median(all.iter().map(what).collect());
        let [direct, passed] = [&direct, &passed]
            .map(|all| (of(all, |m| m.messages_a_second), of(all, |m| m.a_message)));
        let passing = median(passing);
        println!(
            "{}: direct {:.0} messages/s, {:.2} µs of processor time each; passed on {:.0} ({:.2} of it), {:.2} µs there and {passing:.2} µs \
             where it came ({:.2} times)",
            way.0,
            direct.0,
            direct.1,
            passed.0,
            passed.0 / direct.0,
            passed.1,
            (passed.1 + passing) / direct.1,
        );
    }
}

/// Idle controllers that connect, all from one address.
const IDLE: &str = "5000";
const MANY: [(&str, &str); 1] = [("HARIT_MQTT_CONNECTIONS_PER_ADDRESS", IDLE_AND_MORE)];
const IDLE_AND_MORE: &str = "6000";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures for two minutes; needs nats-server and PostgreSQL"]
async fn what_a_passed_connection_holds() {
    let _machine = machine_alone().await;
    let farms = ["--connections", "1", "--idle", IDLE];
    let mut cells = TwoCells::started(&farms).await;
    let mut all = Vec::new();
    for (what, is_passed, is_door) in [
        ("direct", false, false),
        ("passed on, where it came", true, true),
        ("passed on, where the farm is", true, false),
    ] {
        cells.restarted().await;
        let TwoCells {
            server,
            door,
            south,
            ..
        } = &cells;
        let port = if is_passed { door } else { server }.mqtt;
        let of = if is_door { door } else { server };
        let bytes = held(server, of, port, south, &farms).await;
        all.push(format!("{what} {:.1} KiB", bytes / 1024.0));
    }
    println!("memory a connection: {}", all.join(", "));
}

/// The memory that each idle controller takes of a server, in bytes.
async fn held(server: &Server, of: &Server, port: u16, home: &Home, farms: &[&str]) -> f64 {
    let (mqtt, pid) = (format!("127.0.0.1:{port}"), of.id().to_string());
    let (http, csv) = (server.http.trim_start_matches("http://"), home.path("csv"));
    let load = [
        "bench",
        "--mqtt",
        &mqtt,
        "--http",
        http,
        "--pid",
        &pid,
        "--csv",
        text(&csv),
        "--seconds",
        "1",
    ];
    let ran = run(&[&load[..], farms].concat()).await;
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let of = columns(&csv);
    (of("server_memory_with_idle") - of("server_memory_without_idle")) / of("idle")
}

/// Has a controller measure for a while; how many of its messages were acknowledged.
async fn measuring(link: &Link) -> u64 {
    let (until, mut due) = (Instant::now() + LOADED, interval(EVERY));
    let mut sent = Vec::new();
    while Instant::now() < until {
        due.tick().await;
        sent.push(link.reading("t1", 20.0).1);
    }
    let acknowledged = join_all(sent).await.into_iter().filter(Result::is_ok);
    acknowledged.map(|_| 1).sum()
}

/// Loads cells; the processor time of their servers a message, in microseconds.
async fn loaded(cells: &[(&Cell, Vec<Link>)]) -> f64 {
    let used = || -> f64 { cells.iter().map(|(cell, _)| used(&cell.server)).sum() };
    let before = used();
    let links = cells.iter().flat_map(|(_, links)| links);
    let acknowledged: u64 = join_all(links.map(measuring)).await.into_iter().sum();
    (used() - before) / f64::from(u32::try_from(acknowledged).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures for a minute; needs nats-server and PostgreSQL"]
async fn three_owners_use_what_one_does() {
    let _machine = machine_alone().await;
    let (nats, database) = (nats::Server::three(), postgres::Server::start());
    let cells = [
        ("north", "owner@north.example"),
        ("south", "owner@south.example"),
        ("west", "owner@west.example"),
    ];
    let cells = started(cells, &nats, &database, &[]).await;
    let mut all = Vec::new();
    let mut controllers = Vec::new();
    for (n, cell) in cells.iter().enumerate() {
        let api = cell.owner(&cell.server).await;
        let mut links = Vec::new();
        for of in 0..CONTROLLERS {
            let account = api.register(&format!("A4CF120{n}00{of:02X}")).await;
            let controller = Controller::new(&account, &["t1"], &[]);
            links.push(controller.connect(cell.server.mqtt).await);
            controllers.push(controller);
        }
        all.push((cell, links));
    }
    let (mut one, mut three) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        one.push(loaded(&all[..1]).await);
        three.push(loaded(&all).await);
    }
    let [one, three] = [one, three].map(median);
    println!(
        "{} controllers a cell, 100 messages/s each: one cell {one:.1} µs of its server's processor time a message, three {three:.1} ({:.2} times)",
        CONTROLLERS,
        three / one
    );
}
