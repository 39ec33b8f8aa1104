//! What a server is told: defaults, then the file, then the environment, then the command line.
//!
//! Every key has an environment form, `HARIT_` + section + `_` + key in upper case: `HARIT_MQTT_LISTEN=127.0.0.1:1883`.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use harit_api::{ApiConfig, TrustedProxies};
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

/// `[storage]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Storage {
    pub(crate) shards: usize,
    pub(crate) history_days: u32,
    pub(crate) history_max_mib: u64,
    pub(crate) journal_days: u32,
    pub(crate) journal_max_mib: u64,
    pub(crate) snapshot_every_sec: u64,
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            shards: 0,
            history_days: 400,
            history_max_mib: 8_192,
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
    const fn all(&self) -> [u32; 11] {
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
        } else if self.server.connections_per_address == 0 {
            "server.connections_per_address must be at least 1"
        } else if self.mqtt.max_connections == 0 || self.mqtt.connections_per_address == 0 {
            "mqtt.max_connections and mqtt.connections_per_address must be at least 1"
        } else if self.limits.all().contains(&0) {
            "each of [limits] must be at least 1"
        } else {
            self.trusted_proxies()?;
            return Ok(());
        };
        Err(ConfigError::Value(problem.to_owned()))
    }

    /// The networks of `server.trusted_proxies`.
    pub(crate) fn trusted_proxies(&self) -> Result<TrustedProxies, ConfigError> {
        TrustedProxies::parse(&self.server.trusted_proxies).map_err(|text| {
            ConfigError::Value(format!(
                "server.trusted_proxies: {text:?} is no address and no network (10.0.0.0/8)"
            ))
        })
    }

    /// What is sound and yet not safe.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let (server, mqtt) = (&self.server, &self.mqtt);
        let open = |address: SocketAddr| !address.ip().is_loopback();
        let plain_mqtt =
            mqtt.mode == MqttMode::Endpoint && mqtt.tls_certificate.as_os_str().is_empty();
        let mut all = Vec::new();
        if open(server.http) && !server.behind_tls {
            all.push(format!(
                "server.http listens on {} in plain text: passwords and sign-ins can be read on the way. Put a proxy with TLS \
                 in front and set server.behind_tls, or listen on loopback",
                server.http
            ));
        }
        if open(mqtt.listen) && plain_mqtt {
            all.push(format!(
                "mqtt.listen is {} in plain text: controllers' secrets and commands can be read on the way. Set \
                 mqtt.tls_certificate and mqtt.tls_key, or listen on loopback",
                mqtt.listen
            ));
        }
        if server.behind_tls && server.trusted_proxies.is_empty() {
            all.push(
                "server.behind_tls is set and server.trusted_proxies is empty: all people count as one address in limits and \
                 in the audit log"
                    .to_owned(),
            );
        }
        if mqtt.mode == MqttMode::Broker && !mqtt.broker_password.is_empty() {
            all.push(format!(
                "the connection to the broker {}:{} is in plain text: let it not leave this machine or a private network",
                mqtt.broker_host, mqtt.broker_port
            ));
        }
        all
    }
}

/// Variables that other commands and the command line read.
const OTHER_NAMES: [&str; 6] = [
    "HARIT_CONFIG",
    "HARIT_DEMO",
    "HARIT_DEMO_HISTORY_DAYS",
    "HARIT_DATA_DIR",
    "HARIT_HTTP",
    "HARIT_MQTT",
];
/// How many letters may differ between a name and what was meant by it.
const MISSPELT: usize = 2;

/// Refuses variables that look like settings and are none: a limit that is misspelt does not limit.
pub(crate) fn check_names(names: impl Iterator<Item = String>) -> Result<(), ConfigError> {
    let defaults =
        Table::try_from(Config::default()).map_err(|e| ConfigError::Value(e.to_string()))?;
    let mut known: Vec<String> = OTHER_NAMES.map(str::to_owned).to_vec();
    let mut sections = Vec::new();
    for (section, keys) in &defaults {
        sections.push(format!("HARIT_{section}_").to_uppercase());
        let keys = keys.as_table().into_iter().flat_map(Table::keys);
        known.extend(keys.map(|key| format!("HARIT_{section}_{key}").to_uppercase()));
    }
    for name in names.filter(|n| n.starts_with("HARIT_") && !known.contains(n)) {
        let nearest = known.iter().map(|k| (letters_between(&name, k), k)).min();
        let of_section = sections.iter().any(|s| name.starts_with(s));
        if let Some((apart, nearest)) = nearest
            && (of_section || apart <= MISSPELT)
        {
            return Err(ConfigError::Value(format!(
                "{name} is no setting; the nearest is {nearest}"
            )));
        }
    }
    Ok(())
}

/// How many letters must be put in, taken out or changed to make one of the other.
fn letters_between(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let changed = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = changed.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// The text as a value of the default's type.
fn value_like(default: &Value, text: &str) -> Option<Value> {
    match default {
        Value::String(_) => Some(Value::String(text.to_owned())),
        Value::Integer(_) => text.parse().ok().map(Value::Integer),
        Value::Boolean(_) => text.parse().ok().map(Value::Boolean),
        // a list of texts, separated by commas
        Value::Array(_) => {
            let parts = text.split(',').map(str::trim).filter(|t| !t.is_empty());
            Some(Value::Array(
                parts.map(|t| Value::String(t.to_owned())).collect(),
            ))
        }
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
            "HARIT_SERVER_TRUSTED_PROXIES" => Some("10.0.0.0/8, 127.0.0.1".to_owned()),
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
        assert_eq!(config.server.trusted_proxies, ["10.0.0.0/8", "127.0.0.1"]);
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
        let proxies = "[server]\ntrusted_proxies = [\"proxy.local\"]\n";
        assert!(error(proxies, None).contains("\"proxy.local\" is no address"));
    }

    #[test]
    fn a_variable_that_is_misspelt_is_refused_with_the_nearest_name() {
        let check = |name: &str| check_names([name.to_owned()].into_iter());
        for name in [
            "HARIT_LIMITS_READS_PER_USER",
            "HARIT_DEMO",
            "HARIT_DEMO_HISTORY_DAYS",
            "PATH",
            "HARIT_BIN",
        ] {
            assert!(check(name).is_ok(), "{name}");
        }
        for (name, nearest) in [
            ("HARIT_MQTT_LISEN", "HARIT_MQTT_LISTEN"),
            ("HARIT_SERVER_HTTPS", "HARIT_SERVER_HTTP"),
            ("HARIT_HTPP", "HARIT_HTTP"),
            (
                "HARIT_LIMITS_STOPS_PER_USERS",
                "HARIT_LIMITS_STOPS_PER_USER",
            ),
        ] {
            let said = check(name).unwrap_err().to_string();
            assert_eq!(
                said,
                format!("{name} is no setting; the nearest is {nearest}")
            );
        }
    }

    #[test]
    fn plain_text_on_a_network_is_warned_of() {
        let mut config = Config::default();
        assert_eq!(config.warnings(), Vec::<String>::new());
        config.server.http = "0.0.0.0:8080".parse().unwrap();
        config.mqtt.listen = "[::]:1883".parse().unwrap();
        let said = config.warnings().join("\n");
        assert!(said.contains("server.http listens on 0.0.0.0:8080 in plain text"));
        assert!(said.contains("mqtt.listen is [::]:1883 in plain text"));
        config.server.behind_tls = true;
        config.mqtt.tls_certificate = "cert.pem".into();
        assert!(
            config
                .warnings()
                .join("\n")
                .contains("trusted_proxies is empty")
        );
        config.server.trusted_proxies = vec!["10.0.0.1".to_owned()];
        assert_eq!(config.warnings(), Vec::<String>::new());
    }
}
