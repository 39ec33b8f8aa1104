//! Telegraf itself at the real server: what it reads becomes readings, and what it could not write while the server was away comes
//! later, each once.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use harit_protocol::jsonl::measured_text;
use harit_testkit::Replayed;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};

use crate::farm::{GREEN, now_ms};
use crate::programs::{self, Farm, clients};
use crate::server::{PATIENCE, machine, until};

/// What comes in one go, in lines.
const LINES: usize = 150;
/// Longer than Telegraf needs to try in vain, and to write again what it had kept.
const SOME_WRITES: Duration = Duration::from_secs(3);
/// What the profile makes of the lines.
const SENSOR: &str = "http/write/climate/bed-1/fields/temperature";

/// One address in front of a server that comes back at another.
async fn front(server: &Arc<Mutex<String>>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = Arc::clone(server);
    tokio::spawn(async move {
        while let Ok((mut from, _)) = listener.accept().await {
            let to = server.lock().unwrap().clone();
            tokio::spawn(async move {
                let to = to.trim_start_matches("http://");
                if let Ok(mut to) = TcpStream::connect(to).await {
                    let _ = tokio::io::copy_bidirectional(&mut from, &mut to).await;
                }
            });
        }
    });
    port
}

/// Telegraf with a file to read and the output of docs/profiles.md.
fn telegraf(farm: &Farm, dir: &Path, port: u16) -> Child {
    let (lines, said) = (dir.join("lines"), dir.join("said"));
    fs::write(&lines, "").unwrap();
    let config = format!(
        "[agent]\ninterval = \"1s\"\nflush_interval = \"1s\"\nflush_jitter = \"0s\"\nomit_hostname = true\n\
         [[inputs.tail]]\nfiles = [{lines:?}]\nfrom_beginning = true\nwatch_method = \"poll\"\ndata_format = \"influx\"\n\
         [[outputs.influxdb_v2]]\nurls = [\"http://127.0.0.1:{port}\"]\ntoken = \"{}:{}\"\norganization = \"farm\"\nbucket = \"harit\"\n",
        farm.gateway.mac, farm.gateway.secret
    );
    let path = dir.join("telegraf.conf");
    fs::write(&path, config).unwrap();
    Command::new(clients().join("programs/telegraf"))
        .arg("--config")
        .arg(path)
        .stdout(Stdio::null())
        .stderr(fs::File::create(said).unwrap())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

/// Writes the lines of one go: each has a value and an instant of its own.
fn append(dir: &Path, go: usize, began_ms: i64) {
    let mut text = String::new();
    for n in go * LINES..(go + 1) * LINES {
        let at_ms = began_ms + i64::try_from(n).unwrap();
        let hundredths = 1_000 + n;
        let (whole, part) = (hundredths / 100, hundredths % 100);
        writeln!(
            text,
            "climate,sensor=bed-1 temperature={whole}.{part:02} {at_ms}000000"
        )
        .unwrap();
    }
    let mut file = OpenOptions::new()
        .append(true)
        .open(dir.join("lines"))
        .unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Waits until the charts have so many readings.
async fn counts(farm: &Farm, expected: usize) {
    let id = SENSOR.replace('/', "%2F");
    until(&format!("{expected} readings"), PATIENCE, async || {
        let all = farm.api.of_farm("sensors").await;
        all.as_array()?.iter().find(|s| s["id"] == SENSOR)?;
        let history = farm.api.of_farm(&format!("sensors/{id}/history")).await;
        let points = history["points"].as_array()?.iter();
        let counted: u64 = points.filter_map(|p| p["count"].as_u64()).sum();
        (counted == u64::try_from(expected).unwrap()).then_some(())
    })
    .await;
}

#[tokio::test]
#[ignore = "needs Telegraf: scripts/other-programs.sh builds it and plays this"]
async fn what_telegraf_reads_comes_once_also_where_the_server_was_away() {
    let _machine = machine().await;
    let mut farm = programs::farm().await;
    let address = Arc::new(Mutex::new(farm.server.http.clone()));
    let port = front(&address).await;
    let dir = tempfile::tempdir().unwrap();
    let mut running = telegraf(&farm, dir.path(), port);
    let said = || fs::read_to_string(dir.path().join("said")).unwrap();
    let began_ms = now_ms() - 60_000;
    append(dir.path(), 0, began_ms);
    counts(&farm, LINES).await;

    farm.server.kill().await;
    append(dir.path(), 1, began_ms);
    until("Telegraf tries in vain", PATIENCE, async || {
        said()
            .contains("Error writing to outputs.influxdb_v2")
            .then_some(())
    })
    .await;
    tokio::time::sleep(SOME_WRITES).await;
    farm.server.start().await;
    farm.api.moved(&farm.server);
    address.lock().unwrap().clone_from(&farm.server.http);
    append(dir.path(), 2, began_ms);
    counts(&farm, 3 * LINES).await;
    tokio::time::sleep(SOME_WRITES).await;
    counts(&farm, 3 * LINES).await;
    running.kill().await.unwrap();

    let exported = farm.home.exported(GREEN).await;
    let [file, inputs] = exported.map(|path| fs::read_to_string(path).unwrap());
    let readings = Replayed::new(&file, &inputs).recorded.readings;
    let mut values: Vec<String> = readings.iter().map(|r| measured_text(r.value)).collect();
    values.sort();
    values.dedup();
    assert_eq!(
        (readings.len(), values.len()),
        (3 * LINES, 3 * LINES),
        "{}",
        said()
    );
}
