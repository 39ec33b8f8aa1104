//! `[[brokers]]`: brokers of others, of which this server is a client.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use harit_ingest::mqtt::{BrokerConfig, BrokerTls, MqttVersion, Subscription};
use harit_protocol::Mac;
use serde::{Deserialize, Serialize};

use super::{Config, ConfigError, MqttMode};

/// The most brokers, subscriptions of one, and characters of a name.
const MAX_BROKERS: usize = 32;
const MAX_SUBSCRIPTIONS: usize = 64;
const MAX_NAME: usize = 32;
/// The longest filter, in bytes.
const MAX_FILTER: usize = 256;

/// A broker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Broker {
    pub(crate) name: String,
    pub(crate) url: String,
    #[serde(default)]
    pub(crate) version: Version,
    #[serde(default)]
    pub(crate) client_id: String,
    #[serde(default)]
    pub(crate) username: String,
    #[serde(default)]
    pub(crate) password_file: PathBuf,
    #[serde(default)]
    pub(crate) ca: PathBuf,
    #[serde(default)]
    pub(crate) certificate: PathBuf,
    #[serde(default)]
    pub(crate) key: PathBuf,
    #[serde(default)]
    pub(crate) subscriptions: Vec<Topics>,
    /// The farm that announces itself there.
    #[serde(default)]
    pub(crate) home_assistant: String,
    #[serde(default)]
    pub(crate) home_assistant_commands: bool,
    /// The devices that can be switched on from there.
    #[serde(default)]
    pub(crate) home_assistant_on: Vec<String>,
}

/// Which MQTT a broker speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum Version {
    #[default]
    #[serde(rename = "3.1.1")]
    V4,
    #[serde(rename = "5")]
    V5,
}

/// Topics of a broker, and the controller or gateway as which they are taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Topics {
    pub(crate) topic: String,
    pub(crate) account: String,
}

/// Host, port, and whether it is TLS.
fn address(url: &str) -> Result<(String, u16, bool), &'static str> {
    let (rest, tls) = if let Some(rest) = url.strip_prefix("mqtts://") {
        (rest, true)
    } else if let Some(rest) = url.strip_prefix("mqtt://") {
        (rest, false)
    } else {
        return Err("must begin with mqtt:// or mqtts://");
    };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) => (
            host,
            port.parse().map_err(|_| "has no port after the colon")?,
        ),
        None => (rest, if tls { 8883 } else { 1883 }),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if host.is_empty() || !host.chars().all(is_name) {
        return Err(
            "must be mqtt://HOST or mqtt://HOST:PORT, with a name or an IPv4 address; account and password have settings of their own",
        );
    }
    Ok((host.to_owned(), port, tls))
}

/// Whether a filter is one, and is of other systems: what is Harit's own, an account speaks to this server itself.
fn check_filter(filter: &str) -> Result<(), &'static str> {
    let levels: Vec<&str> = filter.split('/').collect();
    let last = levels.len() - 1;
    let well = levels.iter().enumerate().all(|(n, level)| match *level {
        "+" => true,
        "#" => n == last,
        level => !level.contains(['+', '#', '\0']),
    });
    if filter.is_empty() || filter.len() > MAX_FILTER || !well {
        Err("is no filter of MQTT of at most 256 bytes")
    } else if filter.starts_with('$') {
        Err("begins with $: what brokers say of themselves, and shared subscriptions, are not read")
    } else {
        Ok(())
    }
}

fn given(path: &Path) -> Option<PathBuf> {
    (!path.as_os_str().is_empty()).then(|| path.to_owned())
}

impl Broker {
    /// What the client of this broker is made of. Files are read, but for those of TLS.
    pub(crate) fn client(&self) -> Result<BrokerConfig, ConfigError> {
        let bad = |key: &str, why: &str| {
            ConfigError::Value(format!("brokers: {:?}: {key} {why}", self.name))
        };
        let (host, port, is_tls) = address(&self.url).map_err(|why| bad("url", why))?;
        let (ca, certificate, key) = (&self.ca, &self.certificate, &self.key);
        let client = given(certificate).zip(given(key));
        if client.is_none() && (given(certificate).is_some() || given(key).is_some()) {
            return Err(bad("certificate", "and key go together"));
        }
        if !is_tls && (given(ca).is_some() || client.is_some()) {
            return Err(bad(
                "url",
                "must begin with mqtts:// where ca or certificate is set",
            ));
        }
        let tls = is_tls.then(|| BrokerTls {
            ca: given(ca),
            client,
        });
        let password = match given(&self.password_file) {
            Some(_) if self.username.is_empty() => {
                return Err(bad("password_file", "needs username"));
            }
            Some(path) => {
                let text = fs::read_to_string(&path)
                    .map_err(|source| ConfigError::Read { path, source })?;
                Some(text.trim_end_matches(['\r', '\n']).to_owned())
            }
            None => None,
        };
        if self.subscriptions.len() > MAX_SUBSCRIPTIONS {
            return Err(bad("subscriptions", "are more than 64"));
        }
        let mut subscriptions = Vec::new();
        for Topics { topic, account } in &self.subscriptions {
            check_filter(topic).map_err(|why| bad(&format!("topic {topic:?}"), why))?;
            let account = Mac::parse(account)
                .map_err(|_| bad(&format!("account {account:?}"), "is no MAC of a controller"))?;
            if subscriptions
                .iter()
                .any(|s: &Subscription| s.filter == *topic)
            {
                return Err(bad(&format!("topic {topic:?}"), "is there twice"));
            }
            subscriptions.push(Subscription {
                filter: topic.clone(),
                account,
            });
        }
        let client_id = Some(self.client_id.clone()).filter(|id| !id.is_empty());
        Ok(BrokerConfig {
            client_id: client_id.unwrap_or_else(|| format!("harit-{}", self.name)),
            name: self.name.clone(),
            host,
            port,
            version: match self.version {
                Version::V4 => MqttVersion::V4,
                Version::V5 => MqttVersion::V5,
            },
            tls,
            username: Some(self.username.clone()).filter(|name| !name.is_empty()),
            password,
            subscriptions,
            ..BrokerConfig::default()
        })
    }
}

impl Config {
    /// What the clients of all brokers are made of.
    pub(crate) fn broker_clients(&self) -> Result<Vec<BrokerConfig>, ConfigError> {
        self.brokers.iter().map(Broker::client).collect()
    }

    /// What no broker alone can say.
    pub(super) fn check_brokers(&self) -> Result<(), ConfigError> {
        let bad = |why: String| Err(ConfigError::Value(format!("brokers: {why}")));
        if self.brokers.len() > MAX_BROKERS {
            return bad(format!("more than {MAX_BROKERS}"));
        }
        let mut accounts = BTreeSet::new();
        let mut sessions = BTreeSet::new();
        if self.mqtt.mode == MqttMode::Broker {
            let m = &self.mqtt;
            sessions.insert((
                m.broker_host.clone(),
                m.broker_port,
                m.broker_client_id.clone(),
            ));
        }
        let mut names = BTreeSet::from(["mqtt"]);
        for broker in &self.brokers {
            let name = &broker.name;
            let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(is_word) {
                return bad(format!(
                    "name {name:?} must be 1 to {MAX_NAME} lower-case letters, digits and hyphens"
                ));
            }
            if !names.insert(name) {
                return bad(format!("name {name:?} is taken"));
            }
            let commands = broker.home_assistant_commands && !broker.home_assistant.is_empty();
            if !commands && !broker.home_assistant_on.is_empty() {
                return bad(format!(
                    "{name:?}: home_assistant_on needs home_assistant and home_assistant_commands = true"
                ));
            }
            let client = broker.client()?;
            if client.subscriptions.is_empty() {
                return bad(format!(
                    "{name:?} has no subscriptions: nothing is read there"
                ));
            }
            if !sessions.insert((client.host.clone(), client.port, client.client_id.clone())) {
                return bad(format!(
                    "{name:?}: client_id {:?} is used twice at one broker: each ends the other's connection",
                    client.client_id
                ));
            }
            let own: BTreeSet<Mac> = client.subscriptions.iter().map(|s| s.account).collect();
            for account in own {
                if !accounts.insert(account) {
                    return bad(format!(
                        "account {account} is at two brokers: commands of its devices would have two ways"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Brokers elsewhere to which the way is in plain text.
    pub(super) fn plain_brokers(&self) -> Vec<String> {
        let is_here = |host: &str| host == "localhost" || host.starts_with("127.");
        let all = self.brokers.iter().filter_map(|broker| {
            let (host, _, tls) = address(&broker.url).ok()?;
            (!tls && !is_here(&host)).then(|| {
                format!(
                    "the connection to the broker {} ({}) is in plain text: use mqtts://, or let it not leave a private network",
                    broker.name, broker.url
                )
            })
        });
        all.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Config, String> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("secret"), "s3cret\n").unwrap();
        let path = dir.path().join("harit.toml");
        let text = text.replace("DIR", dir.path().to_str().unwrap());
        fs::write(&path, text).unwrap();
        let config = Config::load(Some(&path), |_| None).map_err(|e| e.to_string())?;
        // The password is read while its file is there.
        config.broker_clients().map_err(|e| e.to_string())?;
        Ok(config)
    }

    const SOUND: &str = r#"
[[brokers]]
name = "ttn"
url = "mqtts://eu1.cloud.thethings.network"
version = "5"
username = "farm@ttn"
password_file = "DIR/secret"
subscriptions = [{ topic = "v3/+/devices/+/up", account = "A4:CF:12:0B:9E:01" }]

[[brokers]]
name = "own"
url = "mqtt://192.168.1.5:1884"
client_id = "harit-east"
subscriptions = [
  { topic = "zigbee2mqtt/#", account = "A4CF120B9E02" },
  { topic = "tele/#", account = "A4CF120B9E03" },
]
"#;

    #[test]
    fn brokers_are_read() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("secret"), "s3cret\n").unwrap();
        let path = dir.path().join("harit.toml");
        fs::write(&path, SOUND.replace("DIR", dir.path().to_str().unwrap())).unwrap();
        let config = Config::load(Some(&path), |_| None).unwrap();
        let clients = config.broker_clients().unwrap();
        let [ttn, own] = clients.as_slice() else {
            panic!("{clients:?}")
        };
        assert_eq!((ttn.port, ttn.version), (8883, MqttVersion::V5));
        assert_eq!(ttn.password.as_deref(), Some("s3cret"));
        assert_eq!(ttn.client_id, "harit-ttn");
        assert_eq!(ttn.tls, Some(BrokerTls::default()));
        assert_eq!((own.port, own.version), (1884, MqttVersion::V4));
        assert_eq!(
            (own.client_id.as_str(), own.tls.is_none()),
            ("harit-east", true)
        );
        let warned = config.warnings().join("\n");
        assert!(warned.contains("the broker own (mqtt://192.168.1.5:1884) is in plain text"));
        assert!(!warned.contains("ttn"), "{warned}");
    }

    #[test]
    fn what_is_wrong_with_a_broker_is_named() {
        assert!(load(SOUND).is_ok());
        for (from, to, said) in [
            ("name = \"own\"", "name = \"ttn\"", "name \"ttn\" is taken"),
            ("name = \"own\"", "name = \"Own\"", "lower-case letters"),
            (
                "mqtt://192.168.1.5:1884",
                "192.168.1.5",
                "must begin with mqtt://",
            ),
            (
                "mqtt://192.168.1.5:1884",
                "mqtt://a:b@c",
                "no port after the colon",
            ),
            (
                "mqtt://192.168.1.5:1884",
                "mqtt://u@h:1883",
                "settings of their own",
            ),
            ("version = \"5\"", "version = \"4\"", "unknown variant"),
            (
                "username = \"farm@ttn\"",
                "",
                "password_file needs username",
            ),
            ("DIR/secret", "DIR/none", "none: No such file"),
            ("tele/#", "te#le", "is no filter"),
            ("tele/#", "$SYS/#", "begins with $"),
            ("tele/#", "zigbee2mqtt/#", "is there twice"),
            ("A4CF120B9E03", "gateway", "is no MAC"),
            ("A4CF120B9E03", "A4CF120B9E01", "is at two brokers"),
            (
                "client_id = \"harit-east\"",
                "ca = \"ca.pem\"",
                "must begin with mqtts://",
            ),
            (
                "client_id = \"harit-east\"",
                "key = \"k.pem\"",
                "go together",
            ),
            (
                "client_id = \"harit-east\"",
                "home_assistant = \"green\"\nhome_assistant_on = [\"fan-1\"]",
                "home_assistant_on needs home_assistant and home_assistant_commands",
            ),
        ] {
            let error = load(&SOUND.replace(from, to)).unwrap_err();
            assert!(error.contains(said), "{from} -> {to}: {error}");
        }
    }
}
