//! `[cell]`: which farms are this server's, where several servers share the records.

use std::net::SocketAddr;

use harit_api::Cell;
use serde::{Deserialize, Serialize};

use super::{Config, ConfigError};

/// `[cell]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CellSettings {
    /// Its name; empty: all farms are this server's.
    pub(crate) name: String,
    /// Where it takes what other servers pass on, and at which address they reach that; empty: where it listens.
    pub(crate) listen: String,
    pub(crate) address: String,
}

/// Which farms are this server's, and how other ones reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnCell {
    pub(crate) name: Cell,
    pub(crate) listen: SocketAddr,
    /// Where it listens, if none.
    pub(crate) address: Option<String>,
}

impl Config {
    /// The cell, where one is set.
    ///
    /// # Errors
    /// When what is set can be none, or the rest of the settings does not go with one.
    pub(crate) fn cell(&self) -> Result<Option<OwnCell>, ConfigError> {
        let CellSettings {
            name,
            listen,
            address,
        } = &self.cell;
        let wrong = |text: String| Err(ConfigError::Value(text));
        if name.is_empty() {
            return match self.cell == CellSettings::default() {
                true => Ok(None),
                false => {
                    wrong("cell: without cell.name nothing else of it says anything".to_owned())
                }
            };
        }
        let name = Cell::new(name).map_err(|e| ConfigError::Value(format!("cell.name: {e}")))?;
        if self.journal.nats.is_empty() {
            return wrong("cell.name needs journal.nats, records.url and history.url".to_owned());
        }
        let Ok(listen) = listen.parse::<SocketAddr>() else {
            return wrong(format!("cell.listen: {listen:?} is no address with a port"));
        };
        if address.is_empty() && listen.ip().is_unspecified() {
            return wrong(
                "cell.address must say at which address other servers reach this one".to_owned(),
            );
        }
        let address = Some(address.clone()).filter(|given| !given.is_empty());
        Ok(Some(OwnCell {
            name,
            listen,
            address,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(settings: &str) -> Result<Option<OwnCell>, String> {
        let nats = "[journal]\nnats = [\"nats://127.0.0.1:4222\"]\n[records]\nurl = \"postgres://a@127.0.0.1/a\"\n[history]\nurl = \"postgres://a@127.0.0.1/b\"\n";
        let config: Config = toml::from_str(&format!("{nats}[cell]\n{settings}")).unwrap();
        config.cell().map_err(|e| e.to_string())
    }

    #[test]
    fn what_is_no_cell_is_named() {
        assert_eq!(cell(""), Ok(None));
        let own = cell("name = \"north\"\nlisten = \"127.0.0.1:7000\"")
            .unwrap()
            .unwrap();
        assert_eq!((own.name.as_str(), own.address), ("north", None));
        for (wrong, why) in [
            ("listen = \"127.0.0.1:7000\"", "without cell.name"),
            ("name = \"No\"\nlisten = \"127.0.0.1:7000\"", "cell.name"),
            ("name = \"north\"", "cell.listen"),
            (
                "name = \"north\"\nlisten = \"0.0.0.0:7000\"",
                "cell.address",
            ),
        ] {
            let said = cell(wrong).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    }
}
