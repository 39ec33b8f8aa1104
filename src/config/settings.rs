//! Every setting with its default, by section; harit.toml.example says what each is for.

use std::net::SocketAddr;
use std::path::PathBuf;

use harit_api::ApiConfig;
use harit_ingest::history::PostgresUrl;
use harit_ingest::mqtt::{ClientFiles, TlsFiles};
use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::backup::Backup;
use super::brokers::Broker;
use super::cell::CellSettings;
use super::journal::Journal;
use super::messages::{Messages, Push, Sms, Smtp, Webhook, WhatsApp};

/// All settings of a server.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) server: Server,
    pub(crate) mqtt: Mqtt,
    pub(crate) storage: Storage,
    pub(crate) journal: Journal,
    pub(crate) cell: CellSettings,
    pub(crate) history: Database,
    pub(crate) records: Database,
    pub(crate) archive: Archive,
    pub(crate) questdb: QuestDb,
    pub(crate) backup: Backup,
    pub(crate) messages: Messages,
    pub(crate) smtp: Smtp,
    pub(crate) sms: Sms,
    pub(crate) whatsapp: WhatsApp,
    pub(crate) push: Push,
    pub(crate) webhook: Webhook,
    pub(crate) weather: Weather,
    pub(crate) limits: Limits,
    pub(crate) log: Log,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) brokers: Vec<Broker>,
}

/// `[server]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Server {
    pub(crate) data_dir: PathBuf,
    pub(crate) http: SocketAddr,
    pub(crate) public_url: String,
    pub(crate) metrics_token: String,
    pub(crate) behind_tls: bool,
    pub(crate) console_offline: bool,
    pub(crate) trusted_proxies: Vec<String>,
    pub(crate) max_connections: usize,
    pub(crate) connections_per_address: usize,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            data_dir: "data".into(),
            http: SocketAddr::from(([127, 0, 0, 1], 8080)),
            public_url: String::new(),
            metrics_token: String::new(),
            behind_tls: false,
            console_offline: true,
            trusted_proxies: Vec::new(),
            max_connections: 1_024,
            connections_per_address: 256,
        }
    }
}

/// Where MQTT comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MqttMode {
    /// Controllers connect to this server.
    Endpoint,
    /// Controllers connect to a broker, and so does this server.
    Broker,
}

/// `[mqtt]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Mqtt {
    pub(crate) mode: MqttMode,
    pub(crate) listen: SocketAddr,
    pub(crate) public_address: String,
    pub(crate) tls_certificate: PathBuf,
    pub(crate) tls_key: PathBuf,
    pub(crate) tls_client_ca: PathBuf,
    pub(crate) tls_client_crl: PathBuf,
    pub(crate) tls_client_required: bool,
    pub(crate) max_connections: usize,
    pub(crate) connections_per_address: usize,
    pub(crate) max_parked_sessions: usize,
    pub(crate) broker_host: String,
    pub(crate) broker_port: u16,
    pub(crate) broker_username: String,
    pub(crate) broker_password: String,
    pub(crate) broker_client_id: String,
}

impl Default for Mqtt {
    fn default() -> Self {
        Self {
            mode: MqttMode::Endpoint,
            listen: SocketAddr::from(([127, 0, 0, 1], 1883)),
            public_address: String::new(),
            tls_certificate: PathBuf::new(),
            tls_key: PathBuf::new(),
            tls_client_ca: PathBuf::new(),
            tls_client_crl: PathBuf::new(),
            tls_client_required: false,
            max_connections: 10_000,
            connections_per_address: 1_000,
            max_parked_sessions: 10_000,
            broker_host: "127.0.0.1".into(),
            broker_port: 1883,
            broker_username: String::new(),
            broker_password: String::new(),
            broker_client_id: "harit".into(),
        }
    }
}

impl Mqtt {
    /// The files for the endpoint's TLS, if it has any.
    pub(crate) fn tls_files(&self) -> Option<TlsFiles> {
        if self.mode != MqttMode::Endpoint {
            return None;
        }
        let given = |path: &PathBuf| (!path.as_os_str().is_empty()).then(|| path.clone());
        Some(TlsFiles {
            certificate: given(&self.tls_certificate)?,
            key: self.tls_key.clone(),
            clients: given(&self.tls_client_ca).map(|ca| ClientFiles {
                ca,
                crl: given(&self.tls_client_crl),
                required: self.tls_client_required,
            }),
        })
    }
}

/// `[storage]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Storage {
    pub(crate) shards: usize,
    pub(crate) history_days: u32,
    pub(crate) history_hours_days: u32,
    pub(crate) history_max_mib: u64,
    pub(crate) history_every_sec: u64,
    pub(crate) telemetry_wait_ms: u64,
    pub(crate) journal_days: u32,
    pub(crate) journal_max_mib: u64,
    pub(crate) snapshot_every_sec: u64,
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            shards: 0,
            history_days: 400,
            history_hours_days: 3_650,
            history_max_mib: 8_192,
            history_every_sec: 10,
            telemetry_wait_ms: 0,
            journal_days: 7,
            journal_max_mib: 4_096,
            snapshot_every_sec: 300,
        }
    }
}

/// `[history]`, `[records]`
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Database {
    /// A PostgreSQL; empty: a file of the data directory.
    pub(crate) url: String,
    pub(crate) password: String,
}

impl Database {
    /// The PostgreSQL of a section, where it has one.
    pub(super) fn postgres(&self, section: &str) -> Result<Option<PostgresUrl>, ConfigError> {
        let Self { url, password } = self;
        if url.is_empty() {
            return match password.is_empty() {
                true => Ok(None),
                false => Err(ConfigError::Value(format!(
                    "{section}.password needs {section}.url"
                ))),
            };
        }
        PostgresUrl::new(url, password)
            .map(Some)
            .map_err(|e| ConfigError::Value(format!("{section}.url: {e}")))
    }
}

/// `[archive]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Archive {
    pub(crate) enabled: bool,
    /// Where it is; empty: below the data directory.
    pub(crate) dir: PathBuf,
    pub(crate) days: u32,
    pub(crate) max_mib: u64,
    /// A bucket that gets a copy of it; empty: none.
    pub(crate) copy_to: String,
}

impl Default for Archive {
    fn default() -> Self {
        Self {
            enabled: true,
            dir: PathBuf::new(),
            days: 0,
            max_mib: 16_384,
            copy_to: String::new(),
        }
    }
}

/// `[questdb]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct QuestDb {
    pub(crate) url: String,
    pub(crate) table: String,
    pub(crate) username: String,
    pub(crate) password: String,
}

impl Default for QuestDb {
    fn default() -> Self {
        Self {
            url: String::new(),
            table: "readings".into(),
            username: String::new(),
            password: String::new(),
        }
    }
}

impl QuestDb {
    /// Whether there is none, or it can be asked.
    pub(crate) fn is_sound(&self) -> bool {
        let is_url = ["http://", "https://"]
            .iter()
            .any(|s| self.url.starts_with(s));
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        (self.url.is_empty() || is_url) && !self.table.is_empty() && self.table.chars().all(is_name)
    }
}

/// `[weather]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Weather {
    pub(crate) url: String,
}

impl Default for Weather {
    fn default() -> Self {
        Self {
            url: "https://api.open-meteo.com".into(),
        }
    }
}

/// `[limits]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Limits {
    pub(crate) reads_per_user: u32,
    pub(crate) changes_per_user: u32,
    pub(crate) commands_per_user: u32,
    pub(crate) stops_per_user: u32,
    pub(crate) commands_per_device: u32,
    pub(crate) sign_ins_per_contact: u32,
    pub(crate) sign_ins_per_address: u32,
    pub(crate) codes_per_address: u32,
    pub(crate) registrations_per_address: u32,
    pub(crate) sockets_per_user: u32,
    pub(crate) sockets_per_address: u32,
}

impl Default for Limits {
    fn default() -> Self {
        let api = ApiConfig::default();
        Self {
            reads_per_user: api.reads_per_user,
            changes_per_user: api.changes_per_user,
            commands_per_user: api.commands_per_user,
            stops_per_user: api.stops_per_user,
            commands_per_device: api.commands_per_device,
            sign_ins_per_contact: api.sign_ins_per_contact,
            sign_ins_per_address: api.sign_ins_per_address,
            codes_per_address: api.codes_per_address,
            registrations_per_address: api.registrations_per_address,
            sockets_per_user: u32::try_from(api.sockets_per_user).unwrap_or(u32::MAX),
            sockets_per_address: u32::try_from(api.sockets_per_address).unwrap_or(u32::MAX),
        }
    }
}

impl Limits {
    pub(super) const fn all(&self) -> [u32; 11] {
        [
            self.reads_per_user,
            self.changes_per_user,
            self.commands_per_user,
            self.stops_per_user,
            self.commands_per_device,
            self.sign_ins_per_contact,
            self.sign_ins_per_address,
            self.codes_per_address,
            self.registrations_per_address,
            self.sockets_per_user,
            self.sockets_per_address,
        ]
    }
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// For machines.
    Json,
}

/// `[log]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Log {
    pub(crate) filter: String,
    pub(crate) format: LogFormat,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            filter: "info".into(),
            format: LogFormat::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use toml::Table;

    use super::*;

    #[test]
    fn the_example_is_the_default_and_names_every_key() {
        let text = include_str!("../../harit.toml.example");
        assert_eq!(toml::from_str::<Config>(text).unwrap(), Config::default());
        let example: Table = toml::from_str(text).unwrap();
        assert_eq!(example, Table::try_from(Config::default()).unwrap());
    }
}
