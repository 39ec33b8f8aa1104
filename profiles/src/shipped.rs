//! The profiles that are shipped, each with what its system documents as its test.

use std::sync::LazyLock;

use crate::{Profile, ProfileDocument};

/// A profile that is shipped.
#[derive(Debug, Clone, Copy)]
pub struct Shipped {
    /// Its id, as in its document.
    pub id: &'static str,
    /// Its document, in TOML.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($id:literal),* $(,)?) => {
        /// All of them, in the order in which they are asked. Those that match many topics come last.
        pub const SHIPPED: &[Shipped] = &[$(Shipped {
            id: $id,
            text: include_str!(concat!("../shipped/", $id, ".toml")),
        }),*];
    };
}

shipped![
    "tasmota",
    "shelly",
    "zigbee2mqtt",
    "lorawan",
    "open-mqtt-gateway",
    "ecowitt2mqtt",
    "ecowitt",
    "wunderground",
    "rtl-433",
    "sparkplug-b",
    "homie",
    "home-assistant",
    "opensprinkler",
    "thingsboard",
    "telegraf",
    "collectd",
    "esphome",
];

static COMPILED: LazyLock<Vec<Profile>> = LazyLock::new(|| {
    let documents = SHIPPED
        .iter()
        .filter_map(|s| ProfileDocument::from_toml(s.text).ok());
    documents.filter_map(|d| Profile::new(&d).ok()).collect()
});

/// The shipped profiles, compiled once.
pub(crate) fn compiled() -> &'static [Profile] {
    &COMPILED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_profile_is_sound_and_reads_back() {
        for shipped in SHIPPED {
            let document = ProfileDocument::from_toml(shipped.text)
                .unwrap_or_else(|e| panic!("{}: {e}", shipped.id));
            let profile =
                Profile::new(&document).unwrap_or_else(|e| panic!("{}: {e:?}", shipped.id));
            assert_eq!(profile.id(), shipped.id);
            let json = serde_json::to_string(&document).unwrap();
            assert_eq!(ProfileDocument::from_json(&json), Ok(document.clone()));
            assert_eq!(
                ProfileDocument::from_toml(&document.to_toml()),
                Ok(document)
            );
        }
        assert_eq!(compiled().len(), SHIPPED.len());
    }
}
