//! `harit serve`: puts the parts together, runs them, and takes them down in order.
//!
//! Up: records, hub (which recovers every farm), MQTT, HTTP. Down, on SIGTERM or SIGINT: HTTP, then MQTT take nothing more,
//! the hub applies what is queued, stores the state and closes the journal; all of it in under 5 s.

mod backup;
mod brokers;
mod demo;
mod metrics;
mod mqtt;
mod options;
mod place;
mod supervisor;
mod watched;

use std::future::Future;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use harit_api::{ApiConfig, AppState, NoProvider, OpenMeteo, Records, Weather};
use harit_engine::FarmId;
use harit_gateways::Gateways;
use harit_ingest::history::HistoryPlace;
use harit_ingest::{Archived, Hub, HubConfig};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

#[cfg(test)]
pub(crate) use demo::past::make as make_demos_past;
pub(crate) use options::{CheckConfigArgs, ServeArgs, configured};
pub(crate) use place::make as make_place;

use crate::archive::{self, Keep};
use crate::config::Config;
use crate::files;
use crate::questdb;
use crate::report::report;
use crate::worker::Worker;
use mqtt::{Mqtt, Transport};
use options::Options;
use place::NotHere;
use supervisor::Supervisor;

/// How often the samples of histograms are folded.
const METRICS_EVERY: Duration = Duration::from_secs(5);
/// How long MQTT waits for HTTP to close.
const HTTP_FIRST: Duration = Duration::from_secs(1);
/// How long the records may take to write their log into the file at the end.
const CLOSE: Duration = Duration::from_secs(1);

/// Why a server did not start, or did not end well: a sentence for people.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {source}")]
pub(crate) struct Failed {
    what: String,
    source: Box<dyn std::error::Error + Send + Sync>,
}

impl Failed {
    fn at<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        what: impl Into<String>,
    ) -> impl FnOnce(E) -> Self {
        let what = what.into();
        move |e| Self {
            what,
            source: e.into(),
        }
    }
}

pub(crate) fn check_config(args: &CheckConfigArgs) -> ExitCode {
    match args.load() {
        Ok(config) => {
            let ends = match config
                .mqtt
                .tls_files()
                .map(|files| files.ends())
                .transpose()
            {
                Ok(ends) => ends.unwrap_or_default(),
                Err(e) => {
                    report("harit", &e);
                    return ExitCode::from(2);
                }
            };
            let mut out = io::stdout().lock();
            let warnings = config.warnings();
            for warning in &warnings {
                let _closed = writeln!(out, "warning: {warning}");
            }
            let but = if warnings.is_empty() {
                ""
            } else {
                ", but not safe"
            };
            let _closed = writeln!(out, "the configuration is sound{but}");
            for end in ends {
                let _closed = writeln!(out, "{}", mqtt::say_end(&end));
            }
            for way in config.say_ways() {
                let _closed = writeln!(out, "{way}");
            }
            let backup = config.backup.say();
            let writable = backup.is_ok();
            let backup = backup.unwrap_or_else(|e| Some(e.to_string()));
            if let Some(said) = backup {
                let _closed = writeln!(out, "{said}");
            }
            drop(out);
            if !writable {
                return ExitCode::FAILURE;
            }
            if !args.connect {
                return ExitCode::SUCCESS;
            }
            if !ask_history(&config) {
                return ExitCode::FAILURE;
            }
            match brokers::attempt(&config) {
                Ok(true) => ExitCode::SUCCESS,
                Ok(false) => ExitCode::FAILURE,
                Err(e) => {
                    report("harit", &e);
                    ExitCode::FAILURE
                }
            }
        }
        Err(e) => {
            report("harit", &e);
            ExitCode::from(2)
        }
    }
}

pub(crate) fn main(args: &ServeArgs) -> ExitCode {
    let options = match args.load() {
        Ok(options) => options,
        Err(e) => {
            report("harit", &e);
            return ExitCode::from(2);
        }
    };
    crate::log::start(&options.config.log);
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(e) => {
            report("harit", &e);
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(run(options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            report("harit", &e);
            ExitCode::FAILURE
        }
    }
}

#[allow(
    clippy::too_many_lines,
    reason = "the order in which a server comes up and goes down"
)]
async fn run(options: Options) -> Result<(), Failed> {
    let Options { mut config, demo } = options;
    let own_links = demo.is_some() && config.server.public_url.is_empty();
    let gateways = match demo {
        Some(_) => Some(demo::gateways(&mut config).await?),
        None => None,
    };
    let data_dir = &config.server.data_dir;
    for warning in config.warnings() {
        tracing::warn!("{warning}");
    }
    if let Err(few) = files::allow(config.server.max_connections + config.mqtt.max_connections) {
        tracing::warn!("{few}");
    }
    let of_data_dir = || format!("data directory {}", data_dir.display());
    place::make(data_dir).map_err(Failed::at(of_data_dir()))?;
    if place::is_half_restored(data_dir) {
        return Err(Failed::at("serve")(NotHere::HalfRestored(data_dir.clone())));
    }
    let is_demo = demo.is_some();
    if !is_demo && place::is_demos(data_dir) {
        return Err(Failed::at("serve")(NotHere::Demo(data_dir.clone())));
    }
    let supervisor = Supervisor::from_environment().map_err(Failed::at("NOTIFY_SOCKET"))?;
    let metrics = PrometheusBuilder::new()
        .install_recorder()
        .map_err(Failed::at("metrics"))?;
    self::metrics::describe();
    watched::begin(shards(&config));
    let records = Records::open(&data_dir.join("records.db"))
        .await
        .map_err(Failed::at("records"))?;
    demo_or_not(is_demo, data_dir, &records).await?;
    let mut pasts = Vec::new();
    if let Some(demo) = &demo {
        let farms = harit_simulate::demo::farms();
        pasts =
            demo::past::make(&hub_config(&config, Vec::new()), &farms, demo.history_days).await?;
    }
    let farms = if demo.is_some() {
        // Its farm is made where it is missing.
        Vec::new()
    } else {
        records.farm_ids().await.map_err(Failed::at("records"))?
    };
    let archived = archive::load(&config.archive_dir()).map_err(Failed::at("archive"))?;
    let hub = HubConfig {
        archived: config.archive.enabled.then(|| archived.clone()),
        ..hub_config(&config, farms)
    };
    let hub = Hub::open(hub, Arc::new(records.clone()))
        .await
        .map_err(Failed::at("pipeline"))?;
    let archiver = start_archive(&config, archived, &hub)?;
    let questdb = start_questdb(&config)?;
    if !is_demo {
        // a demo's past is played before its people are made
        let known = records.belong_to(&hub.farms()).await;
        known.map_err(Failed::at("records"))?;
    }
    if is_demo {
        // what it has of derived sensors is there before they are computed
        demo::seed(&records, &hub).await?;
    }
    load_what_farms_wrote(&records, &hub).await?;
    let mqtt = Mqtt::start(&config, &hub).await?;
    let (stop, stopped) = watch::channel(false);

    let upkeep = tokio::spawn(keep_up(metrics.clone(), data_dir.clone()));
    // A demo ends with its terminal.
    let told = (!is_demo).then(|| reload_when_told(mqtt.reloader()));
    let reloading = told.transpose()?.map(tokio::spawn);
    let mut weather = weather_of(&config)?;
    let mut fields = tokio::task::JoinSet::new();
    if let Some(demo) = demo {
        let runs = demo::simulations(mqtt.address, demo.faults, pasts)?;
        if let Some(first) = runs.first() {
            weather = Arc::new(demo::SimulatedWeather(first.handle()));
        }
        for run in runs {
            let mut stopped = stopped.clone();
            fields.spawn(run.run(async move {
                let _closed = stopped.wait_for(|s| *s).await;
            }));
        }
    }

    let listener = TcpListener::bind(config.server.http)
        .await
        .map_err(Failed::at(format!("http {}", config.server.http)))?;
    let http = listener.local_addr().map_err(Failed::at("http"))?;
    if own_links {
        // messages of the demo lead to it
        config.server.public_url = format!("http://{http}");
    }
    let state = app_state(&config, is_demo, &records, &hub, weather, metrics, &mqtt)?;
    let state = state.with_brokers(mqtt.brokers.probes());
    let state = match &mqtt.transport {
        Transport::Endpoint(endpoint) => {
            let state = state.kicking(endpoint.revoker());
            match endpoint.visitors() {
                Some(visitors) => state.taking(visitors),
                // who comes over HTTP has shown no certificate
                None => state,
            }
        }
        // the broker has the connections; what a revoked controller publishes is refused
        Transport::Broker(_) => state,
    };
    announce(&config, http, mqtt.address, gateways.as_ref());
    if let Some(supervisor) = supervisor {
        tokio::spawn(supervisor.run(http, stopped.clone()));
    }
    let backups = backup::start(&config).map_err(Failed::at("backup"))?;
    let asked = asked_to_stop()?;
    let asked = async {
        asked.await;
        tracing::info!("stopping");
        drop(backups);
        stop.send_replace(true);
    };
    let serving = harit_api::serve(listener, state, asked);
    let serving = until_closed(serving, stopped, mqtt.shutdown()).await;
    upkeep.abort();
    if let Some(reloading) = reloading {
        reloading.abort();
    }
    let ended = async { while fields.join_next().await.is_some() {} };
    let _aborted = tokio::time::timeout(Duration::from_secs(1), ended).await;
    if let Some(archiver) = archiver {
        archiver.stop();
    }
    if let Some(questdb) = questdb {
        questdb.stop();
    }
    let stopped = hub.shutdown().await;
    if tokio::time::timeout(CLOSE, records.close()).await.is_err() {
        tracing::warn!("the records were not closed in time");
    }
    stopped.map_err(Failed::at("shutdown"))?;
    tracing::info!("stopped");
    serving.map_err(Failed::at("http"))
}

/// Has the pipeline read and derive by what farms have stored.
async fn load_what_farms_wrote(records: &Records, hub: &Hub) -> Result<(), Failed> {
    harit_api::load_device_profiles(records, hub)
        .await
        .map_err(Failed::at("device profiles"))?;
    harit_api::load_lease_proofs(records, hub)
        .await
        .map_err(Failed::at("proven leases"))?;
    harit_api::load_derived_sensors(records, hub)
        .await
        .map_err(Failed::at("derived sensors"))
}

/// Says that the server is ready, and how messages go; of a demo on the terminal too.
fn announce(config: &Config, http: SocketAddr, mqtt: SocketAddr, demos: Option<&Gateways>) {
    let data = config.server.data_dir.display();
    tracing::info!(http = %http, mqtt = %mqtt, data = %data, "ready");
    let Some(gateways) = demos else {
        for way in config.say_ways() {
            tracing::info!("{way}");
        }
        return;
    };
    let hook = format!("http://{http}/hooks/whatsapp");
    gateways.inbox.send_receipts_to(Some(hook));
    // The person who started the demo reads this on the terminal; the log goes to the same place.
    let _closed = io::stdout()
        .lock()
        .write_all(demo::welcome(http, mqtt, gateways).as_bytes());
}

/// Serves until both ways in are closed. MQTT closes after HTTP, so that what people still ask for reaches its controllers, but
/// does not wait for clients that are slow: what both may take together would be too long.
async fn until_closed(
    serving: impl Future<Output = io::Result<()>>,
    mut stopped: watch::Receiver<bool>,
    closing: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut serving = std::pin::pin!(serving);
    let late = async {
        let _closed = stopped.wait_for(|s| *s).await;
        tokio::time::sleep(HTTP_FIRST).await;
    };
    tokio::select! {
        served = &mut serving => {
            closing.await;
            served
        }
        () = late => tokio::join!(serving, closing).0,
    }
}

/// A demo's directory is for demos, and every other one is not: what a demo leaves can be signed in to by everybody. Those of
/// earlier versions have no mark, but the demo's farm.
async fn demo_or_not(is_demo: bool, data_dir: &Path, records: &Records) -> Result<(), Failed> {
    let failed = Failed::at("records");
    let has_demos = records.has_farm(demo::farm_id()).await.map_err(failed)?;
    let has_any = records.has_farms().await.map_err(Failed::at("records"))?;
    match (is_demo, has_demos || place::is_demos(data_dir)) {
        (false, true) => Err(Failed::at("serve")(NotHere::Demo(data_dir.to_owned()))),
        (true, false) if has_any => Err(Failed::at("serve --demo")(NotHere::NoDemo(
            data_dir.to_owned(),
        ))),
        (true, _) => place::mark_demo(data_dir).map_err(Failed::at("demo")),
        (false, false) => Ok(()),
    }
}

/// Folds the samples of histograms. Only this and a scrape do, and where nobody scrapes they would be kept for ever. And looks
/// how much room there is.
async fn keep_up(metrics: PrometheusHandle, data_dir: PathBuf) {
    let mut tick = tokio::time::interval(METRICS_EVERY);
    loop {
        tick.tick().await;
        metrics.run_upkeep();
        watched::disk(&data_dir);
    }
}

/// Resolves at SIGTERM or SIGINT.
fn asked_to_stop() -> Result<impl Future<Output = ()>, Failed> {
    let mut terminate = signal(SignalKind::terminate()).map_err(Failed::at("SIGTERM"))?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(Failed::at("SIGINT"))?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// How many shards there are.
fn shards(config: &Config) -> usize {
    match config.storage.shards {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        chosen => chosen,
    }
}

/// Has files that can be read again be read again, at each SIGHUP.
fn reload_when_told(
    reload: Arc<dyn Fn() + Send + Sync>,
) -> Result<impl Future<Output = ()>, Failed> {
    let mut told = signal(SignalKind::hangup()).map_err(Failed::at("SIGHUP"))?;
    Ok(async move {
        while told.recv().await.is_some() {
            reload();
        }
    })
}

/// Asks the PostgreSQL that is to have the history, where one is set, and says what it is; false where that cannot be.
fn ask_history(config: &Config) -> bool {
    let Ok(Some(url)) = config.history() else {
        return true;
    };
    let said = match url.check() {
        Ok((version, warning)) => {
            let but = warning.map_or_else(String::new, |w| format!("; warning: {w}"));
            format!("history: {url} is {version}{but}")
        }
        Err(e) => {
            report("harit", &Failed::at("history.url")(format!("{url}: {e}")));
            return false;
        }
    };
    let _closed = writeln!(io::stdout().lock(), "{said}");
    true
}

fn hub_config(config: &Config, farms: Vec<FarmId>) -> HubConfig {
    HubConfig {
        shards: shards(config),
        // the settings were read with it, so it is one
        history: config.history().ok().flatten().map(HistoryPlace::Postgres),
        history_days: config.storage.history_days,
        history_hours_days: config.storage.history_hours_days,
        history_max_bytes: config.storage.history_max_mib << 20,
        history_every: Duration::from_secs(config.storage.history_every_sec),
        telemetry_wait: Duration::from_millis(config.storage.telemetry_wait_ms),
        farms,
        journal_days: config.storage.journal_days,
        journal_max_bytes: config.storage.journal_max_mib << 20,
        snapshot_every: Duration::from_secs(config.storage.snapshot_every_sec),
        ..HubConfig::new(config.server.data_dir.clone())
    }
}

/// Starts archiving where it is wanted.
fn start_archive(
    config: &Config,
    archived: Arc<Archived>,
    hub: &Hub,
) -> Result<Option<Worker>, Failed> {
    if !config.archive.enabled {
        return Ok(None);
    }
    let keep = Keep {
        days: config.archive.days,
        bytes: config.archive.max_mib << 20,
    };
    let farms = hub.clone();
    archive::start(
        config.server.data_dir.clone(),
        config.archive_dir(),
        keep,
        archived,
        move || farms.farms().len(),
    )
    .map(Some)
    .map_err(Failed::at("archive"))
}

/// Starts telling QuestDB, where one is set.
fn start_questdb(config: &Config) -> Result<Option<Worker>, Failed> {
    let Some(settings) = config.questdb() else {
        return Ok(None);
    };
    let follow = questdb::follow(config.server.data_dir.clone(), settings);
    follow.map(Some).map_err(Failed::at("questdb"))
}

fn weather_of(config: &Config) -> Result<Arc<dyn Weather>, Failed> {
    if config.weather.url.is_empty() {
        return Ok(Arc::new(NoProvider));
    }
    Ok(Arc::new(
        OpenMeteo::new(&config.weather.url).map_err(Failed::at("weather.url"))?,
    ))
}

fn app_state(
    config: &Config,
    demo: bool,
    records: &Records,
    hub: &Hub,
    weather: Arc<dyn Weather>,
    metrics: PrometheusHandle,
    mqtt: &Mqtt,
) -> Result<AppState, Failed> {
    let public = if config.mqtt.public_address.is_empty() {
        mqtt.address.to_string()
    } else {
        config.mqtt.public_address.clone()
    };
    let token = &config.server.metrics_token;
    let count = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
    let api = ApiConfig {
        demo: demo.then(demo::sign_in),
        codes_in_log: config.messages.log_codes,
        delivery: config.delivery().map_err(Failed::at("configuration"))?,
        metrics_token: (!token.is_empty()).then(|| token.clone()),
        max_connections: config.server.max_connections,
        mqtt_address: public,
        behind_tls: config.server.behind_tls,
        console_offline: config.server.console_offline,
        public_url: Some(config.server.public_url.clone()).filter(|url| !url.is_empty()),
        trusted_proxies: config
            .trusted_proxies()
            .map_err(Failed::at("configuration"))?,
        connections_per_address: config.server.connections_per_address,
        sockets_per_user: count(config.limits.sockets_per_user),
        sockets_per_address: count(config.limits.sockets_per_address),
        reads_per_user: config.limits.reads_per_user,
        changes_per_user: config.limits.changes_per_user,
        commands_per_user: config.limits.commands_per_user,
        stops_per_user: config.limits.stops_per_user,
        commands_per_device: config.limits.commands_per_device,
        sign_ins_per_contact: config.limits.sign_ins_per_contact,
        sign_ins_per_address: config.limits.sign_ins_per_address,
        codes_per_address: config.limits.codes_per_address,
        registrations_per_address: config.limits.registrations_per_address,
        ..ApiConfig::default()
    };
    Ok(AppState::new(
        api,
        records.clone(),
        hub.clone(),
        weather,
        Some(metrics),
        mqtt.up.clone(),
    ))
}
