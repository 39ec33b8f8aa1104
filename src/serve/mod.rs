//! `harit serve`: puts the parts together, runs them, and takes them down in order.
//!
//! Up: records, hub (which recovers every farm), MQTT, HTTP. Down, on SIGTERM or SIGINT: HTTP, then MQTT take nothing more,
//! the hub applies what is queued, stores the state and closes the journal; all of it in under 5 s.

mod backup;
mod brokers;
mod cell;
mod check;
mod demo;
mod metrics;
mod mqtt;
mod options;
mod parts;
mod place;
mod standby;
mod supervisor;
mod wait;
mod watched;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use harit_api::Records;
use harit_gateways::Gateways;
use harit_ingest::{Hub, HubConfig};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::net::TcpListener;
use tokio::sync::watch;

pub(crate) use check::check_config;
#[cfg(test)]
pub(crate) use demo::past::make as make_demos_past;
pub(crate) use options::{CheckConfigArgs, ServeArgs, configured};
pub(crate) use place::make as make_place;

use crate::archive;
use crate::config::Config;
use crate::files;
use crate::report::report;
use mqtt::{Mqtt, Transport};
use options::Options;
use place::NotHere;
use supervisor::Supervisor;

/// How often the samples of histograms are folded.
const METRICS_EVERY: Duration = Duration::from_secs(5);
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

pub(crate) fn main(args: &ServeArgs) -> ExitCode {
    let options = match args.load() {
        Ok(options) => options,
        Err(e) => {
            report("harit", &e);
            return ExitCode::from(2);
        }
    };
    crate::log::start(&options.config.log);
    let runtime = match runtime() {
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

/// Makes the runtime. A thread that cannot be made ends the process: unwinding would wait for the other ones for ever.
fn runtime() -> io::Result<tokio::runtime::Runtime> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|why| {
        let _closed = writeln!(io::stderr(), "harit: {why}");
        std::process::exit(1);
    }));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    std::panic::set_hook(hook);
    runtime
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
    let ending = wait::end_before_ready()?;
    // A demo ends with its terminal.
    let told = (!is_demo).then(wait::hung_up).transpose()?;
    let supervisor = Supervisor::from_environment().map_err(Failed::at("NOTIFY_SOCKET"))?;
    let metrics = PrometheusBuilder::new()
        .install_recorder()
        .map_err(Failed::at("metrics"))?;
    self::metrics::describe();
    watched::begin(parts::shards(&config));
    let journals = standby::journals(&config).await?;
    let stored = config.records().map_err(Failed::at("settings"))?;
    let stored = match journals {
        Some(_) => stored.leased(standby::LEASE),
        None => stored,
    };
    let able = standby::able(journals.clone());
    let records = standby::records(&stored, &able, supervisor.as_ref()).await?;
    { records.has_journals(&config.journal.cluster).await }.map_err(Failed::at("cell"))?;
    place::demo_or_not(is_demo, data_dir, &records).await?;
    let mut pasts = Vec::new();
    if let Some(demo) = &demo {
        let farms = harit_simulate::demo::farms(demo.language);
        pasts = demo::past::make(
            &parts::hub_config(&config, Vec::new()),
            &farms,
            demo.history_days,
        )
        .await?;
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
        ..standby::hub_config(&config, farms, journals).await?
    };
    let hub = Hub::open(hub, Arc::new(records.clone()))
        .await
        .map_err(Failed::at("pipeline"))?;
    { records.adopt(&hub.farms()).await }.map_err(Failed::at("records"))?;
    let archiver = parts::start_archive(&config, archived, &hub)?;
    let questdb = parts::start_questdb(&config, &hub)?;
    if !is_demo {
        // a demo's past is played before its people are made
        let known = records.belong_to(&hub.farms()).await;
        known.map_err(Failed::at("records"))?;
    }
    if let Some(demo) = &demo {
        // what it has of derived sensors is there before they are computed
        demo::seed(&records, &hub, demo.language).await?;
    }
    load_what_farms_wrote(&records, &hub).await?;
    let mqtt = Mqtt::start(&config, &hub).await?;
    let (stop, stopped) = watch::channel(false);

    let upkeep = tokio::spawn(keep_up(metrics.clone(), data_dir.clone()));
    let reloading = told.map(|told| tokio::spawn(wait::reload_when_told(told, mqtt.reloader())));
    let mut weather = parts::weather_of(&config)?;
    let mut fields = tokio::task::JoinSet::new();
    if let Some(demo) = demo {
        let runs = demo::simulations(mqtt.address, demo, pasts)?;
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
    let state = parts::app_state(&config, is_demo, &records, &hub, weather, metrics, &mqtt)?;
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
    let beside = cell::beside(&config, &records, &hub, &mqtt).await?;
    let state = match &mqtt.transport {
        Transport::Endpoint(endpoint) if beside.is_some() => {
            state.taking_passed_on(endpoint.passed_on())
        }
        _ => state,
    };
    // Who reads that it is ready may stop it.
    let asked = wait::asked_to_stop()?;
    ending.abort();
    announce(&config, http, mqtt.address, gateways.as_ref());
    if let Some(supervisor) = supervisor {
        tokio::spawn(supervisor.run(http, stopped.clone()));
    }
    let backups = backup::start(&config).map_err(Failed::at("backup"))?;
    let asked = async {
        tokio::select! {
            () = asked => tracing::info!("stopping"),
            () = hub.taken_over() => tracing::error!("another server has taken over: this one ends"),
            () = standby::given_way(&hub, &able, &stored) => {
                tracing::error!("the journals do not answer here, and answer a server that stands by: this one ends");
                // As where it is killed: nothing can be written, and what waits for that would keep the other one waiting.
                std::process::exit(1);
            }
        }
        stop.send_replace(true);
    };
    let serving = harit_api::serve(listener, beside, state, asked);
    let serving = wait::until_closed(serving, stopped, mqtt.shutdown()).await;
    upkeep.abort();
    if let Some(reloading) = reloading {
        reloading.abort();
    }
    let ended = async { while fields.join_next().await.is_some() {} };
    let _aborted = tokio::time::timeout(Duration::from_secs(1), ended).await;
    for worker in [backups, archiver, questdb].into_iter().flatten() {
        worker.stop();
    }
    let is_taken_over = hub.is_taken_over();
    let stopped = hub.shutdown().await;
    if tokio::time::timeout(CLOSE, records.close()).await.is_err() {
        tracing::warn!("the records were not closed in time");
    }
    if is_taken_over {
        // Who started it may start it again: then it stands by.
        return Err(Failed::at("journal")("another server has taken over"));
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
