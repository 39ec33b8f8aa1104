//! `harit doctor`: looks at a configuration, a data directory and its running server, and says what is well, what is not, and
//! what to do. It writes nothing but what SQLite needs to read: empty `-wal` and `-shm` files, of the databases' owner.

mod certificate;
mod databases;
mod finding;
mod place;
mod server;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use clap::Args;
use jiff::Timestamp;

use crate::config::{Config, MqttMode};
use crate::files;
use crate::readiness::Asked;
use crate::report::report;
use crate::serve::configured;
use finding::{Findings, Verdict};

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// The server's settings.
    #[arg(long, value_name = "FILE", env = "HARIT_CONFIG")]
    config: Option<PathBuf>,
    /// The server's data directory, where it is not that of the settings.
    #[arg(long, value_name = "DIR", env = "HARIT_DATA_DIR")]
    data_dir: Option<PathBuf>,
    /// Where the server listens, where it is not what the settings say.
    #[arg(long, value_name = "ADDRESS", env = "HARIT_HTTP")]
    http: Option<SocketAddr>,
    /// Leave out what reads whole files: the databases' integrity and the audit log. Minutes less with a large history.
    #[arg(long)]
    quick: bool,
    /// Write JSON.
    #[arg(long)]
    json: bool,
    /// End with 1 where there are warnings. Faults are 2 with or without it.
    #[arg(long)]
    strict: bool,
    /// Ask only whether the server there is ready (http://127.0.0.1:8080), as a container's health check: 0, or 1 with the reasons.
    #[arg(long, value_name = "URL", conflicts_with_all = ["config", "data_dir", "http", "quick", "json", "strict"])]
    ready: Option<String>,
}

pub(crate) fn main(args: &DoctorArgs) -> ExitCode {
    if let Some(url) = &args.ready {
        return is_ready(url);
    }
    let found = look(args);
    let text = if args.json {
        format!("{:#}\n", found.json())
    } else {
        found.text()
    };
    let _closed = io::stdout().lock().write_all(text.as_bytes());
    match found.verdict() {
        Verdict::Fault => ExitCode::from(2),
        Verdict::Warning if args.strict => ExitCode::from(1),
        Verdict::Warning | Verdict::Ok => ExitCode::SUCCESS,
    }
}

fn look(args: &DoctorArgs) -> Findings {
    let mut all = Findings::default();
    let config = configuration(args, &mut all);
    let dir = &config.server.data_dir;
    open_files(&config, &mut all);
    certificate::authorities(&config, &mut all);
    certificates(&config, &mut all);
    if !place::exists(dir, &mut all) {
        return all;
    }
    place::permissions(dir, &mut all);
    let in_nats = config.journals().ok().flatten();
    let current = match &in_nats {
        Some(_) => None,
        None => databases::current(dir, &mut all),
    };
    let shards = current.map_or(1, |c| c.shards);
    place::disk(&config, dir, shards, &mut all);
    if let Some(place) = &in_nats {
        databases::journal_in_nats(place, Timestamp::now(), &mut all);
    } else if let Some(current) = current {
        databases::journal_in_files(dir, current, Timestamp::now(), &mut all);
    }
    databases::schemas(dir, &mut all);
    databases::elsewhere(&config, &mut all);
    if !args.quick {
        databases::integrity(dir, current, &mut all);
        if let Ok(records) = config.records() {
            databases::audit(&records, dir, &mut all);
        }
    }
    server::look(&config, dir, &mut all);
    all
}

/// The settings; where they are not sound the defaults, so that the rest is looked at all the same.
fn configuration(args: &DoctorArgs, all: &mut Findings) -> Config {
    const CHECK: &str = "configuration";
    let read = configured(args.config.as_deref());
    let mut config = match read {
        Ok(config) => {
            for warning in config.warnings() {
                all.warning(
                    CHECK,
                    warning,
                    "harit check-config says the same before a start",
                );
            }
            if all.all_well(CHECK) {
                let of = args.config.as_ref().map(|f| f.display().to_string());
                all.ok(
                    CHECK,
                    format!("{} is sound", of.as_deref().unwrap_or("without a file it")),
                );
            }
            config
        }
        Err(e) => {
            let to_do = "a server does not start with it; harit.toml.example has every setting. The rest is looked at with the \
                         defaults";
            all.fault(CHECK, e.to_string(), to_do);
            Config::default()
        }
    };
    if let Some(dir) = &args.data_dir {
        config.server.data_dir.clone_from(dir);
    }
    config.server.http = args.http.unwrap_or(config.server.http);
    config
}

/// Those that controllers and brokers of others are shown.
fn certificates(config: &Config, all: &mut Findings) {
    let now = SystemTime::now();
    let tls = &config.mqtt;
    if tls.mode == MqttMode::Endpoint && !tls.tls_certificate.as_os_str().is_empty() {
        let (certificate, key) = (&tls.tls_certificate, &tls.tls_key);
        certificate::look("mqtt.tls_certificate", certificate, key, now, all);
    }
    for broker in &config.brokers {
        if !broker.certificate.as_os_str().is_empty() {
            let setting = format!("certificate of broker {}", broker.name);
            certificate::look(&setting, &broker.certificate, &broker.key, now, all);
        }
    }
}

/// Whether the running server may open as many files as its connections need; where none runs, whoever runs this.
fn open_files(config: &Config, all: &mut Findings) {
    const CHECK: &str = "open files";
    let connections = config.server.max_connections + config.mqtt.max_connections;
    let of_server = server::holder(&config.server.data_dir);
    let (whose, found) = match of_server.and_then(|pid| files::of(pid, connections)) {
        Some(found) => ("the running server may open", found),
        None => (
            "a server started from here may open",
            files::allow(connections),
        ),
    };
    match found {
        Ok(()) => all.ok(
            CHECK,
            format!("{whose} enough for {connections} connections"),
        ),
        Err(few) => {
            let to_do = "LimitNOFILE= in the unit, or fewer mqtt.max_connections";
            all.warning(CHECK, format!("{whose} too few: {few}"), to_do);
        }
    }
}

fn is_ready(url: &str) -> ExitCode {
    let asked = runtime()
        .map_err(Into::into)
        .and_then(|runtime| Ok(runtime.block_on(Asked::at(url)?.readiness())?));
    match asked {
        Ok(found) if found.ready => {
            let _closed = writeln!(io::stdout().lock(), "ready");
            ExitCode::SUCCESS
        }
        Ok(found) => {
            let _closed = writeln!(io::stdout().lock(), "{}", found.reasons.join("; "));
            ExitCode::FAILURE
        }
        Err::<_, Box<dyn std::error::Error>>(e) => {
            report("harit doctor", &*e);
            ExitCode::FAILURE
        }
    }
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
}
