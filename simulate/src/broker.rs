//! Where the controllers connect to.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

const DEFAULT_PORT: u16 = 1883;

/// A broker's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broker {
    /// A name or an address.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// The text is no address of a broker.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{0:?} is no broker: expected HOST, HOST:PORT or mqtt://HOST:PORT (the simulated controllers speak plain MQTT, no TLS)"
)]
pub struct BadBroker(String);

impl FromStr for Broker {
    type Err = BadBroker;

    fn from_str(text: &str) -> Result<Self, BadBroker> {
        let bad = || BadBroker(text.to_owned());
        let plain = text.strip_prefix("mqtt://").unwrap_or(text);
        let plain = plain.strip_suffix('/').unwrap_or(plain);
        let bracketed = plain
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'));
        let (host, port) = match (bracketed, plain.rsplit_once(':')) {
            (Some((host, "")), _) => (host, None),
            (Some((host, rest)), _) => (host, Some(rest.strip_prefix(':').ok_or_else(bad)?)),
            (None, Some((host, port))) => (host, Some(port)),
            (None, None) => (plain, None),
        };
        let sane = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let host_ok = !host.is_empty()
            && if bracketed.is_some() {
                host.contains(':')
            } else {
                host.chars().all(sane)
            };
        let port = match port {
            None => DEFAULT_PORT,
            Some(p) => p.parse().ok().filter(|p| *p > 0).ok_or_else(bad)?,
        };
        if host_ok {
            Ok(Self {
                host: host.to_owned(),
                port,
            })
        } else {
            Err(bad())
        }
    }
}

impl fmt::Display for Broker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_read_as_people_write_them() {
        for (text, shown) in [
            ("127.0.0.1", "127.0.0.1:1883"),
            ("farm.local:1884", "farm.local:1884"),
            ("mqtt://localhost:1883/", "localhost:1883"),
            ("[::1]:1884", "[::1]:1884"),
            ("[::1]", "[::1]:1883"),
        ] {
            assert_eq!(text.parse::<Broker>().unwrap().to_string(), shown);
        }
        for text in [
            "",
            ":1883",
            "host:",
            "host:0",
            "host:99999",
            "mqtts://host:8883",
            "a b",
            "::1",
            "[]:1",
            "[::1]x",
        ] {
            assert!(text.parse::<Broker>().is_err(), "{text}");
        }
    }
}
