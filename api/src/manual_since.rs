//! Since when people have devices, which the engine does not keep: as the log tells.

use std::collections::{BTreeMap, BTreeSet};

use harit_engine::Timestamp;
use harit_ingest::log::{LogFilter, LogKind, LogResult, LogType};

use crate::access::FarmAccess;
use crate::error::ApiError;

/// Entries that are read at once.
const PAGE: usize = 200;
/// So many pages are read at most: of what came before it is not known since when.
const MAX_PAGES: u64 = 5;

/// Since when people have devices, as far as that is known.
#[derive(Debug, Default)]
pub(crate) struct ManualSince(BTreeMap<String, Timestamp>);

impl ManualSince {
    /// Finds out about the devices of these ids; nothing is read where there are none.
    pub(crate) async fn of<N>(
        access: &FarmAccess<N>,
        devices: impl Iterator<Item = &str>,
    ) -> Result<Self, ApiError> {
        let mut wanted: BTreeSet<String> = devices.map(str::to_owned).collect();
        let mut found = Self::default();
        for page in 0..MAX_PAGES {
            if wanted.is_empty() {
                break;
            }
            let filter = LogFilter {
                log_type: Some(LogType::ManualCommand),
                skip: page * PAGE as u64,
                take: PAGE,
                ..LogFilter::default()
            };
            // newest first
            let entries = access.log(filter).await?.entries;
            let last = entries.len() < PAGE;
            for entry in entries {
                let began = matches!(entry.body.kind, LogKind::Override | LogKind::Pulse)
                    // what a reconnection sends again has no action of its own
                    && entry.body.facts.contains_key("action")
                    && !(entry.result == LogResult::Failure && entry.body.facts.contains_key("refused"));
                let device = entry.body.device.filter(|_| began);
                if let Some(device) = device
                    && wanted.remove(&device.id)
                {
                    found.0.insert(device.id, entry.at);
                }
            }
            if last {
                break;
            }
        }
        Ok(found)
    }

    /// Since when somebody has a device.
    pub(crate) fn get(&self, device: &str) -> Option<Timestamp> {
        self.0.get(device).copied()
    }
}
