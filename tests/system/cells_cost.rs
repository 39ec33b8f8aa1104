//! What passing on costs: the same load on a server by itself and by way of one of another cell, in turn, all on one machine. With `HARIT_BIN` of
//! a release build.

use std::fs;

use harit_testkit::{nats, postgres};

use crate::backup::{done, text};
use crate::cells::{CELLS, keys, of_cell, own_settings};
use crate::server::{Home, SETTINGS, Server, machine_alone};
use crate::standby::{moved, reached, settings};
use crate::standby_cost::{TIMES, WAYS, measure, median};

/// Microseconds of processor time that a server has used.
fn used(server: &Server) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", server.id())).unwrap();
    let after = stat.rsplit_once(") ").unwrap().1;
    let fields: Vec<&str> = after.split(' ').collect();
    // In hundredths of a second: proc_pid_stat(5).
    let ticks = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    ticks * 10_000.0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures for two minutes; needs nats-server and PostgreSQL"]
async fn what_passing_on_costs() {
    let _machine = machine_alone().await;
    let (nats, database) = (nats::Server::three(), postgres::Server::start());
    let (south, north) = (Home::empty(), Home::empty());
    let (records, path) = (database.database(), south.path(SETTINGS));
    let [storage, journal] = ["journal_max_mib = 512\n", "max_mib = 1024\n"];
    let own = settings(&nats, &records, [storage, journal]);
    fs::write(&path, &own).unwrap();
    reached(&south).await;
    let seed = ["bench", "--connections", "200", "--seed"];
    done(&[&seed[..], &[text(&south.data())]].concat()).await;
    moved(&south, &records).await;
    fs::write(&path, own + of_cell(CELLS[1]).as_str()).unwrap();
    let server = south.server(&["--config", text(&path)], &[]).await;
    keys(&south, &north);
    let path = north.path(SETTINGS);
    let own = own_settings(CELLS[0], &nats, &database, &records);
    fs::write(&path, own).unwrap();
    let door = north.server(&["--config", text(&path)], &[]).await;
    for way in WAYS {
        let (mut direct, mut passed, mut passing) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..TIMES {
            direct.push(measure(&server, server.mqtt, &south, way).await);
            let before = used(&door);
            let by_way = measure(&server, door.mqtt, &south, way).await;
            passing.push((used(&door) - before) / by_way.messages);
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
