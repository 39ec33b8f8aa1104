//! What a server is told: defaults, then the file, then the environment, then the command line.
//!
//! Every key has an environment form, `HARIT_` + section + `_` + key in upper case: `HARIT_MQTT_LISTEN=127.0.0.1:1883`.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use harit_api::ApiConfig;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

/// All settings of a server.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) server: Server,
    pub(crate) mqtt: Mqtt,
    pub(crate) storage: Storage,
    pub(crate) messages: Messages,
    pub(crate) weather: Weather,
    pub(crate) limits: Limits,
    pub(crate) log: Log,
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
    pub(crate) max_connections: usize,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            data_dir: "data".into(),
            http: SocketAddr::from(([127, 0, 0, 1], 8080)),
            public_url: String::new(),
            metrics_token: String::new(),
            behind_tls: false,
            max_connections: 1_024,
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
            broker_host: "127.0.0.1".into(),
            broker_port: 1883,
            broker_username: String::new(),
            broker_password: String::new(),
            broker_client_id: "harit".into(),
        }
    }
}

/// `[storage]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Storage {
    pub(crate) shards: usize,
    pub(crate) history_days: u32,
    pub(crate) journal_days: u32,
    pub(crate) journal_max_mib: u64,
    pub(crate) snapshot_every_sec: u64,
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            shards: 0,
            history_days: 400,
            journal_days: 7,
            journal_max_mib: 4_096,
            snapshot_every_sec: 300,
        }
    }
}

/// `[messages]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Messages {
    pub(crate) log_codes: bool,
}

impl Messages {
    /// Where codes and links go, for who runs the server.
    pub(crate) const fn say(&self) -> &'static str {
        if self.log_codes {
            "no gateway is set: codes and links are in the server's log"
        } else {
            "no gateway is set: codes and links reach nobody (messages.log_codes writes them into the log)"
        }
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
    pub(crate) requests_per_user: u32,
    pub(crate) commands_per_device: u32,
    pub(crate) sign_ins_per_contact: u32,
    pub(crate) sign_ins_per_address: u32,
    pub(crate) codes_per_address: u32,
    pub(crate) registrations_per_address: u32,
}

impl Default for Limits {
    fn default() -> Self {
        let api = ApiConfig::default();
        Self {
            requests_per_user: api.requests_per_user,
            commands_per_device: api.commands_per_device,
            sign_ins_per_contact: api.sign_ins_per_contact,
            sign_ins_per_address: api.sign_ins_per_address,
            codes_per_address: api.codes_per_address,
            registrations_per_address: api.registrations_per_address,
        }
    }
}

impl Limits {
    const fn all(&self) -> [u32; 6] {
        [
            self.requests_per_user,
            self.commands_per_device,
            self.sign_ins_per_contact,
            self.sign_ins_per_address,
            self.codes_per_address,
            self.registrations_per_address,
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

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("{}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{}: {message}", path.display())]
    File { path: PathBuf, message: String },
    #[error("{0}")]
    Value(String),
}

impl Config {
    /// Reads the file, if there is one, and lets the environment speak over it.
    pub(crate) fn load(
        path: Option<&Path>,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let mut table = Table::new();
        if let Some(path) = path {
            let text = fs::read_to_string(path).map_err(|source| ConfigError::Read {
                path: path.to_owned(),
                source,
            })?;
            let file = |e: toml::de::Error| ConfigError::File {
                path: path.to_owned(),
                message: e.to_string().trim_end().to_owned(),
            };
            // Read whole first, so that what is wrong is told with its line.
            toml::from_str::<Self>(&text).map_err(file)?;
            table = toml::from_str(&text).map_err(file)?;
        }
        let defaults =
            Table::try_from(Self::default()).map_err(|e| ConfigError::Value(e.to_string()))?;
        for (section, keys) in &defaults {
            let Value::Table(keys) = keys else { continue };
            for (key, default) in keys {
                let name = format!("HARIT_{section}_{key}").to_uppercase();
                let Some(text) = environment(&name) else {
                    continue;
                };
                let value = value_like(default, &text).ok_or_else(|| {
                    ConfigError::Value(format!("{name}: {text:?} is no {}", default.type_str()))
                })?;
                let entry = table
                    .entry(section.clone())
                    .or_insert_with(|| Value::Table(Table::new()));
                if let Value::Table(entry) = entry {
                    entry.insert(key.clone(), value);
                }
            }
        }
        let config: Self = Value::Table(table)
            .try_into()
            .map_err(|e: toml::de::Error| {
                ConfigError::Value(e.to_string().trim_end().to_owned())
            })?;
        config.check()?;
        Ok(config)
    }

    /// What no single field can say.
    fn check(&self) -> Result<(), ConfigError> {
        let one_of_two = self.mqtt.tls_certificate.as_os_str().is_empty()
            != self.mqtt.tls_key.as_os_str().is_empty();
        let url = &self.server.public_url;
        let problem = if one_of_two {
            "mqtt.tls_certificate and mqtt.tls_key go together"
        } else if self.storage.history_days == 0 {
            "storage.history_days must be at least 1"
        } else if self.storage.snapshot_every_sec == 0 {
            "storage.snapshot_every_sec must be at least 1"
        } else if !(url.is_empty() || url.starts_with("http://") || url.starts_with("https://")) {
            "server.public_url must begin with http:// or https://"
        } else if self.server.max_connections == 0 {
            "server.max_connections must be at least 1"
        } else if self.limits.all().contains(&0) {
            "each of [limits] must be at least 1"
        } else {
            return Ok(());
        };
        Err(ConfigError::Value(problem.to_owned()))
    }
}

/// The text as a value of the default's type.
fn value_like(default: &Value, text: &str) -> Option<Value> {
    match default {
        Value::String(_) => Some(Value::String(text.to_owned())),
        Value::Integer(_) => text.parse().ok().map(Value::Integer),
        Value::Boolean(_) => text.parse().ok().map(Value::Boolean),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_the_default_and_names_every_key() {
        let text = include_str!("../harit.toml.example");
        assert_eq!(toml::from_str::<Config>(text).unwrap(), Config::default());
        let example: Table = toml::from_str(text).unwrap();
        assert_eq!(example, Table::try_from(Config::default()).unwrap());
    }

    #[test]
    fn the_environment_speaks_over_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("harit.toml");
        fs::write(
            &path,
            "[mqtt]\nlisten = \"127.0.0.1:1884\"\n[storage]\nshards = 2\n",
        )
        .unwrap();
        let environment = |name: &str| match name {
            "HARIT_STORAGE_SHARDS" => Some("4".to_owned()),
            "HARIT_SERVER_BEHIND_TLS" => Some("true".to_owned()),
            _ => None,
        };
        let config = Config::load(Some(&path), environment).unwrap();
        assert_eq!(
            (
                config.mqtt.listen.port(),
                config.storage.shards,
                config.server.behind_tls
            ),
            (1884, 4, true)
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("harit.toml");
        let error = |text: &str, env: Option<(&str, &str)>| {
            fs::write(&path, text).unwrap();
            let environment =
                |name: &str| env.filter(|(n, _)| *n == name).map(|(_, v)| v.to_owned());
            Config::load(Some(&path), environment)
                .unwrap_err()
                .to_string()
        };
        assert!(error("[mqtt]\nlisen = 1\n", None).contains("unknown field `lisen`"));
        assert!(error("[server]\nhttp = \"8080\"\n", None).contains("line 2"));
        let url = "[server]\npublic_url = \"farm.example\"\n";
        assert!(error(url, None).contains("server.public_url must begin with"));
        assert!(
            error("", Some(("HARIT_STORAGE_SHARDS", "many")))
                .contains("HARIT_STORAGE_SHARDS: \"many\" is no integer")
        );
        assert!(error("[limits]\ncodes_per_address = 0\n", None).contains("at least 1"));
        assert!(error("[mqtt]\ntls_key = \"k.pem\"\n", None).contains("go together"));
    }
}
