//! `harit bench`: the load generator, and a server of its own for it to measure.
//!
//! With `--self` the server is a second process of this binary with its ordinary defaults, on a new directory: what is
//! measured is what `harit serve` does, with its records, its journal and its limits on what a controller may send.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use harit_api::{NewFarm, Records};
use harit_engine::FarmDocument;
use harit_ingest::Hub;
use harit_load::{BenchFarms, LoadArgs, Target};
use harit_protocol::Mac;

use crate::config::Config;
use crate::files;
use crate::journals::{SettingsArg, hub_config};
use crate::report::report;

/// How long a server of `--self` may take to end.
const STOP_WITHIN: Duration = Duration::from_secs(10);

type Error = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    load: LoadArgs,
    #[command(flatten)]
    settings: SettingsArg,
}

pub(crate) fn main(args: &BenchArgs) -> ExitCode {
    match run(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            report("harit bench", &*e);
            ExitCode::from(2)
        }
    }
}

/// False where something was lost.
fn run(args: &BenchArgs) -> Result<bool, Error> {
    let BenchArgs {
        load: args,
        settings,
    } = args;
    if let Some(dir) = &args.seed {
        let mut config = settings.read()?;
        config.server.data_dir.clone_from(dir);
        seed(&config, args.farms())?;
        return Ok(true);
    }
    // This process holds one end of each connection, and the server of --self the other.
    files::allow(args.all())?;
    let mut own = args.own_server.then(|| Own::start(args)).transpose()?;
    let target = Target {
        mqtt: own
            .as_ref()
            .map_or(args.mqtt.clone(), |o| o.mqtt.to_string()),
        http: own.as_ref().map(|o| o.http).or(args.http),
        pid: own.as_ref().map(|o| o.child.id()).or(args.pid),
        accounts: args.accounts()?,
    };
    let outcome = harit_load::run(args, &target)?;
    let _closed = io::stdout()
        .lock()
        .write_all(outcome.to_string().as_bytes());
    if let Some(own) = &mut own {
        let stored = bytes_in(own.dir.path())?;
        let mib = stored >> 20;
        let _closed = writeln!(io::stdout().lock(), "{:<22} {mib} MiB", "stored");
        own.stop()?;
    }
    if let Some(path) = &args.csv {
        harit_load::append_csv(path, &outcome)?;
    }
    Ok(outcome.is_whole())
}

/// How many bytes a folder's files have.
pub(crate) fn bytes_in(dir: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let meta = entry.metadata()?;
        sum += if meta.is_dir() {
            bytes_in(&entry.path())?
        } else {
            meta.len()
        };
    }
    Ok(sum)
}

/// Makes the farms under load and their controllers' accounts where a server with these settings has its own.
fn seed(config: &Config, farms: BenchFarms) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::fs::create_dir_all(&config.server.data_dir)?;
    let records = runtime.block_on(Records::open(&config.records()?))?;
    let hub = hub_config(config)?;
    runtime.block_on(async {
        let hub = Hub::open(hub, Arc::new(records.clone())).await?;
        for farm in 0..farms.farms {
            let (id, document) = farms.document(farm);
            let new = NewFarm {
                id: &id,
                name: &id,
                location: None,
                position: None,
                timezone: "UTC",
            };
            records.create_farm(new).await?;
            hub.add_farm(FarmDocument::from_json(&document)?).await?;
            let mut controllers = Vec::new();
            for controller in farms.controllers_of(farm) {
                let account = farms.account(controller);
                let name = format!("Controller {controller}");
                controllers.push((Mac::parse(&account.mac)?, name, account.secret));
            }
            records
                .create_polyhouse_controllers(&id, BenchFarms::HOUSE, controllers)
                .await?;
        }
        hub.shutdown().await?;
        Ok(())
    })
}

/// The server of `--self`.
struct Own {
    child: Child,
    dir: tempfile::TempDir,
    http: SocketAddr,
    mqtt: SocketAddr,
}

impl Own {
    fn start(args: &LoadArgs) -> Result<Self, Error> {
        let mut dir = tempfile::Builder::new();
        let dir = dir.prefix("harit-bench-");
        let dir = match &args.dir {
            Some(parent) => {
                std::fs::create_dir_all(parent)?;
                dir.tempdir_in(parent)?
            }
            None => dir.tempdir()?,
        };
        let _closed = writeln!(
            io::stderr().lock(),
            "making {} controllers in {}",
            args.all(),
            dir.path().display()
        );
        let mut config = Config::default();
        dir.path().clone_into(&mut config.server.data_dir);
        seed(&config, args.farms())?;
        // One that is lost may be counted still when its controller is back.
        let (limits, most) = (Config::default().mqtt, 2 * args.all());
        let mut child = Command::new(std::env::current_exe()?)
            .args(["serve", "--http", "127.0.0.1:0", "--mqtt", "127.0.0.1:0"])
            .arg("--data-dir")
            .arg(dir.path())
            .env_remove("HARIT_CONFIG")
            .env_remove("HARIT_DEMO")
            .env("HARIT_WEATHER_URL", "")
            .env("HARIT_LOG_FORMAT", "json")
            .env(
                "HARIT_MQTT_MAX_CONNECTIONS",
                most.max(limits.max_connections).to_string(),
            )
            .env(
                "HARIT_MQTT_CONNECTIONS_PER_ADDRESS",
                most.max(limits.connections_per_address).to_string(),
            )
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let log = child.stderr.take().map(BufReader::new);
        let ready = log.map_or_else(
            || Err("the server has no log".into()),
            |log| addresses(log, args.all()),
        );
        match ready {
            Ok((http, mqtt)) => Ok(Self {
                child,
                dir,
                http,
                mqtt,
            }),
            Err(e) => {
                let _ended = child.kill();
                let _status = child.wait();
                Err(e)
            }
        }
    }

    fn stop(&mut self) -> Result<(), Error> {
        let asked = Command::new("kill")
            .arg(self.child.id().to_string())
            .status()?;
        let until = Instant::now() + STOP_WITHIN;
        while asked.success() && Instant::now() < until {
            if let Some(status) = self.child.try_wait()? {
                return match status.success() {
                    true => Ok(()),
                    false => Err(format!("the server ended with {status}").into()),
                };
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err("the server does not end".into())
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // Nothing of it may be left, whatever failed. After an orderly end both do nothing.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

/// Reads the server's log until it says where it listens; warnings after that go to standard error.
fn addresses(
    mut log: BufReader<ChildStderr>,
    connections: usize,
) -> Result<(SocketAddr, SocketAddr), Error> {
    let (mut line, mut last) = (String::new(), String::new());
    loop {
        line.clear();
        if log.read_line(&mut line)? == 0 {
            return Err(
                format!("the server did not start for {connections} controllers: {last}").into(),
            );
        }
        last.clone_from(&line);
        let Ok(entry) = serde_json::from_str::<serde_json::Value>(&line) else {
            continue;
        };
        let fields = &entry["fields"];
        if fields["message"] != "ready" {
            continue;
        }
        let address = |key: &str| fields[key].as_str().unwrap_or_default().parse();
        let found = (address("http")?, address("mqtt")?);
        std::thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                if !line.contains(r#""level":"INFO""#) {
                    let _closed = writeln!(io::stderr().lock(), "{line}");
                }
            }
        });
        return Ok(found);
    }
}
