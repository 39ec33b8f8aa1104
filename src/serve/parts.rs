//! The parts as the configuration has them: what each is told, and those that run only where they are wanted.

use std::sync::Arc;
use std::time::Duration;

use harit_api::{ApiConfig, AppState, NoProvider, OpenMeteo, Records, Weather};
use harit_engine::FarmId;
use harit_ingest::history::HistoryPlace;
use harit_ingest::{Archived, Hub, HubConfig};
use metrics_exporter_prometheus::PrometheusHandle;

use super::mqtt::Mqtt;
use super::{Failed, demo};
use crate::archive::{self, Keep};
use crate::config::Config;
use crate::questdb;
use crate::worker::Worker;

/// How many shards there are.
pub(super) fn shards(config: &Config) -> usize {
    match config.storage.shards {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        chosen => chosen,
    }
}

pub(super) fn hub_config(config: &Config, farms: Vec<FarmId>) -> HubConfig {
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
pub(super) fn start_archive(
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
    let settings = archive::Settings {
        data_dir: config.server.data_dir.clone(),
        journals: hub.journals(),
        folder: config.archive_dir(),
        keep,
        // the settings were read with it, so it is one
        copy_to: config.archive_bucket().ok().flatten(),
    };
    let farms = hub.clone();
    archive::start(settings, archived, move || farms.farms().len())
        .map(Some)
        .map_err(Failed::at("archive"))
}

/// Starts telling QuestDB, where one is set.
pub(super) fn start_questdb(config: &Config, hub: &Hub) -> Result<Option<Worker>, Failed> {
    let Some(settings) = config.questdb() else {
        return Ok(None);
    };
    let data_dir = config.server.data_dir.clone();
    let follow = questdb::follow(data_dir, hub.journals(), settings);
    follow.map(Some).map_err(Failed::at("questdb"))
}

pub(super) fn weather_of(config: &Config) -> Result<Arc<dyn Weather>, Failed> {
    if config.weather.url.is_empty() {
        return Ok(Arc::new(NoProvider));
    }
    Ok(Arc::new(
        OpenMeteo::new(&config.weather.url).map_err(Failed::at("weather.url"))?,
    ))
}

pub(super) fn app_state(
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
