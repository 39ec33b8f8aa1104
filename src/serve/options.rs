//! What `harit serve` takes on the command line, over its configuration.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use harit_simulate::demo::DemoLanguage;
use harit_simulate::{Fault, FaultArgs};

use crate::config::{Config, ConfigError, check_names};

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The settings; harit.toml.example has all of them with their defaults.
    #[arg(long, value_name = "FILE", env = "HARIT_CONFIG")]
    config: Option<PathBuf>,
    /// Seed two demo farms and run simulated controllers. Only on loopback.
    #[arg(long, env = "HARIT_DEMO")]
    demo: bool,
    /// For how many days the demo's farms have lived when it is first started: 0 to 60.
    #[arg(long, value_name = "DAYS", env = "HARIT_DEMO_HISTORY_DAYS", default_value_t = 30,
        value_parser = clap::value_parser!(u32).range(0..=60))]
    demo_history_days: u32,
    /// In which language the demo's farms are named when it is first started; the terminal's if it is one of them.
    #[arg(long, value_name = "LANGUAGE", env = "HARIT_DEMO_LANGUAGE", value_enum)]
    demo_language: Option<DemoLanguage>,
    #[command(flatten)]
    faults: FaultArgs,
    /// Where everything is stored.
    #[arg(long, value_name = "DIR", env = "HARIT_DATA_DIR")]
    data_dir: Option<PathBuf>,
    /// Where the console and the API listen.
    #[arg(long, value_name = "ADDRESS", env = "HARIT_HTTP")]
    http: Option<SocketAddr>,
    /// Where the MQTT endpoint listens.
    #[arg(long, value_name = "ADDRESS", env = "HARIT_MQTT")]
    mqtt: Option<SocketAddr>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckConfigArgs {
    /// The settings to check.
    #[arg(long, value_name = "FILE", env = "HARIT_CONFIG")]
    config: Option<PathBuf>,
    /// Connect to each of [[brokers]], subscribe in a session of its own, and end that again: nothing changes.
    #[arg(long)]
    pub(super) connect: bool,
}

/// What a server is started with.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) config: Config,
    /// What the demo is like, if this is one.
    pub(super) demo: Option<Demo>,
}

/// What a demo is like.
#[derive(Debug)]
pub(super) struct Demo {
    /// What goes wrong in it.
    pub(super) faults: Vec<Fault>,
    /// How long a past its farms get, in days.
    pub(super) history_days: u32,
    /// In which language its farms are named.
    pub(super) language: DemoLanguage,
}

/// The command line asks for what cannot be.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OptionsError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("--demo has passwords that everybody knows: it listens on loopback only, not on {0}")]
    DemoInPublic(SocketAddr),
    #[error("--demo brings its own MQTT endpoint: mqtt.mode is \"broker\"")]
    DemoWithBroker,
    #[error("--demo has its journal in files: journal.nats is set")]
    DemoWithNats,
    #[error("--fault is for the farm of --demo: nothing is simulated here")]
    FaultsWithoutDemo,
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The file and the environment; variables that are no settings are refused.
pub(crate) fn configured(file: Option<&Path>) -> Result<Config, ConfigError> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    check_names(names)?;
    Config::load(file, environment)
}

impl CheckConfigArgs {
    pub(super) fn load(&self) -> Result<Config, ConfigError> {
        configured(self.config.as_deref())
    }
}

impl ServeArgs {
    pub(super) fn load(&self) -> Result<Options, OptionsError> {
        let mut config = configured(self.config.as_deref())?;
        if let Some(dir) = &self.data_dir {
            config.server.data_dir.clone_from(dir);
        } else if self.demo && config.server.data_dir == Config::default().server.data_dir {
            config.server.data_dir.push("demo");
        }
        config.server.http = self.http.unwrap_or(config.server.http);
        config.mqtt.listen = self.mqtt.unwrap_or(config.mqtt.listen);
        if self.demo {
            let public = [config.server.http, config.mqtt.listen]
                .into_iter()
                .find(|a| !a.ip().is_loopback());
            if let Some(address) = public {
                return Err(OptionsError::DemoInPublic(address));
            }
            if config.mqtt.mode == crate::config::MqttMode::Broker {
                return Err(OptionsError::DemoWithBroker);
            }
            if !config.journal.nats.is_empty() {
                return Err(OptionsError::DemoWithNats);
            }
        } else if !self.faults.faults.is_empty() {
            return Err(OptionsError::FaultsWithoutDemo);
        }
        Ok(Options {
            config,
            demo: self.demo.then(|| Demo {
                faults: self.faults.faults.clone(),
                history_days: self.demo_history_days,
                language: { self.demo_language }
                    .unwrap_or_else(|| DemoLanguage::of_locale(environment)),
            }),
        })
    }
}
