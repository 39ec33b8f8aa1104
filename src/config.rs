//! What a server is told: defaults, then the file, then the environment, then the command line.
//!
//! Every key has an environment form, `HARIT_` + section + `_` + key in upper case: `HARIT_MQTT_LISTEN=127.0.0.1:1883`.

mod backup;
mod brokers;
mod cell;
mod journal;
mod messages;
mod names;
mod settings;
mod ways;

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use harit_api::RecordsPlace;
use harit_api::TrustedProxies;
use harit_bucket::{Bucket, NoPlace};
use harit_ingest::history::PostgresUrl;
use toml::{Table, Value};

pub(crate) use backup::Schedule;
pub(crate) use names::check_names;
pub(crate) use settings::{Archive, Config, Log, LogFormat, MqttMode};

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
        let unset = |path: &Path| path.as_os_str().is_empty();
        let mqtt = &self.mqtt;
        let of_clients = mqtt.tls_client_required || !unset(&mqtt.tls_client_crl);
        let problem = if one_of_two {
            "mqtt.tls_certificate and mqtt.tls_key go together"
        } else if !unset(&mqtt.tls_client_ca) && unset(&mqtt.tls_certificate) {
            "mqtt.tls_client_ca needs mqtt.tls_certificate and mqtt.tls_key"
        } else if of_clients && unset(&mqtt.tls_client_ca) {
            "mqtt.tls_client_crl and mqtt.tls_client_required need mqtt.tls_client_ca"
        } else if self.storage.history_days == 0 {
            "storage.history_days must be at least 1"
        } else if self.storage.history_hours_days < self.storage.history_days {
            "storage.history_hours_days must be at least storage.history_days"
        } else if !(1..=60).contains(&self.storage.history_every_sec) {
            "storage.history_every_sec must be 1 to 60"
        } else if self.storage.telemetry_wait_ms > 10_000 {
            "storage.telemetry_wait_ms must be at most 10000"
        } else if self.storage.snapshot_every_sec == 0 {
            "storage.snapshot_every_sec must be at least 1"
        } else if !self.questdb.is_sound() {
            "questdb.url must begin with http:// or https://, and questdb.table be of letters, digits and _"
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
            self.history()?;
            self.records()?;
            self.journals()?;
            self.cell()?;
            self.archive_bucket()?;
            self.delivery()?;
            self.check_brokers()?;
            self.backup.schedule()?;
            return Ok(());
        };
        Err(ConfigError::Value(problem.to_owned()))
    }

    /// The PostgreSQL that has the history, where one is set.
    pub(crate) fn history(&self) -> Result<Option<PostgresUrl>, ConfigError> {
        self.history.postgres("history")
    }

    /// Where the records are.
    pub(crate) fn records(&self) -> Result<RecordsPlace, ConfigError> {
        let postgres = self.records.postgres("records")?;
        let place = RecordsPlace::new(&self.server.data_dir, postgres);
        Ok(match self.cell()? {
            Some(own) => place.of_cell(own.name),
            None => place,
        })
    }

    /// QuestDB, where one is set.
    pub(crate) fn questdb(&self) -> Option<crate::questdb::Settings> {
        let q = &self.questdb;
        (!q.url.is_empty()).then(|| crate::questdb::Settings {
            url: q.url.clone(),
            table: q.table.clone(),
            username: q.username.clone(),
            password: q.password.clone(),
        })
    }

    /// Where the archive is.
    pub(crate) fn archive_dir(&self) -> PathBuf {
        let dir = &self.archive.dir;
        match dir.as_os_str().is_empty() {
            true => self.server.data_dir.join(crate::archive::FOLDER),
            false => dir.clone(),
        }
    }

    /// The bucket that gets a copy of the archive, where one is set.
    pub(crate) fn archive_bucket(&self) -> Result<Option<Bucket>, ConfigError> {
        let Archive {
            copy_to, enabled, ..
        } = &self.archive;
        if copy_to.is_empty() {
            return Ok(None);
        }
        if !enabled {
            return Err(ConfigError::Value(
                "archive.copy_to needs archive.enabled".to_owned(),
            ));
        }
        let bucket = copy_to.parse().map(Some);
        bucket.map_err(|e: NoPlace| ConfigError::Value(format!("archive.copy_to: {e}")))
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
        let records = self.records();
        let records = records.as_ref().ok().and_then(RecordsPlace::postgres);
        let history = self.history().ok().flatten();
        for (section, url) in [("history", history.as_ref()), ("records", records)] {
            if let Some(url) = url.filter(|url| url.is_plain_text()) {
                all.push(format!(
                    "{section}.url is {url}, which may be asked in plain text: the password and the {section} can be read on the way. \
                     Add ?sslmode=verify-full, or let it not leave this machine"
                ));
            }
        }
        if history.is_some() && !self.backup.to.is_empty() {
            all.push(
                "the history is in PostgreSQL, and not in the backups of backup.to: back it up there, before each of them (pg_dump --schema=harit_history)"
                    .to_owned(),
            );
        }
        all.extend(self.warnings_of_journals());
        all.extend(self.plain_brokers());
        all.extend(self.half_set());
        all.extend(self.backup.warnings(&server.data_dir));
        all
    }
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
        let ca = "[mqtt]\ntls_client_ca = \"ca.pem\"\n";
        assert!(error(ca, None).contains("tls_client_ca needs mqtt.tls_certificate"));
        for alone in ["tls_client_required = true", "tls_client_crl = \"crl.pem\""] {
            let text = format!("[mqtt]\n{alone}\n");
            assert!(
                error(&text, None).contains("need mqtt.tls_client_ca"),
                "{alone}"
            );
        }
        for (text, said) in [
            (
                "url = \"mysql://a@b/c\"",
                ".url: it must begin with postgres://",
            ),
            ("url = \"postgres://a@b\"", ".url: it names no database"),
            ("password = \"x\"", ".password needs "),
        ] {
            for section in ["history", "records"] {
                let refused = error(&format!("[{section}]\n{text}\n"), None);
                assert!(refused.contains(&format!("{section}{said}")), "{refused}");
            }
        }
        let proxies = "[server]\ntrusted_proxies = [\"proxy.local\"]\n";
        assert!(error(proxies, None).contains("\"proxy.local\" is no address"));
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
        config.history.url = "postgres://harit:secret@db.farm.example/history".to_owned();
        config.backup.to = "/mnt/usb/harit".into();
        let said = config.warnings().join("\n");
        assert!(
            said.contains("harit@db.farm.example:5432/history, which may be asked in plain text")
        );
        assert!(said.contains("pg_dump --schema=harit_history") && !said.contains("secret"));
        config.history.url.clear();
        config.records.url = "postgres://harit:secret@db.farm.example/records".to_owned();
        let said = config.warnings().join("\n");
        assert!(said.contains("records.url is") && !said.contains("pg_dump"));
    }
}
