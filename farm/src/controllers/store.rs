//! What a snapshot has of controllers.

use std::collections::{BTreeMap, VecDeque};

use harit_engine::{DeviceId, ScopeSpec, Timestamp};
use harit_protocol::Mac;
use serde::{Deserialize, Serialize};

use super::{Controllers, Device};

/// A controller as a snapshot has it.
#[derive(Serialize, Deserialize)]
struct StoredController {
    mac: Mac,
    online: bool,
    firmware: Option<String>,
    gone: Vec<Box<str>>,
    devices: BTreeMap<Box<str>, Device>,
    #[serde(default)]
    recent: VecDeque<(u64, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offline_since: Option<Timestamp>,
    #[serde(default = "ScopeSpec::farm")]
    scope: ScopeSpec,
}

/// What a snapshot has of all controllers.
#[derive(Serialize, Deserialize)]
pub(crate) struct Stored {
    controllers: Vec<StoredController>,
    /// When devices that were commanded are looked at.
    commanded: BTreeMap<DeviceId, Timestamp>,
}

impl Stored {
    /// Reads what the first version stored, a list of controllers.
    pub(crate) fn first_version(bytes: &[u8]) -> serde_json::Result<Self> {
        Ok(Self {
            controllers: serde_json::from_slice(bytes)?,
            commanded: BTreeMap::new(),
        })
    }
}

impl Controllers {
    /// What a snapshot has of them, beside what the engine has.
    pub(crate) fn store(&self) -> Stored {
        // In an order of their own: that in which they became known is another after a start.
        let by_mac = self.by_mac.values().map(|c| &self.all[*c as usize]);
        let controllers = by_mac.map(|c| StoredController {
            mac: c.mac,
            online: c.online,
            firmware: c.firmware.clone(),
            gone: c.gone.iter().cloned().collect(),
            devices: c.devices.clone(),
            recent: c.recent.clone(),
            offline_since: c.offline_since,
            scope: c.scope.clone(),
        });
        Stored {
            controllers: controllers.collect(),
            commanded: self.reconciler.commanded(),
        }
    }

    /// Adds what a snapshot has.
    pub(crate) fn restore(&mut self, all: Stored) {
        for stored in all.controllers {
            let c = self.controller(stored.mac);
            for (local, device) in &stored.devices {
                self.devices.insert(device.id.clone(), (c, local.clone()));
                if device.retries.is_drifting() {
                    self.reconciler.drifts(&device.id);
                }
            }
            let known = &mut self.all[c as usize];
            (known.online, known.firmware) = (stored.online, stored.firmware);
            known.gone = stored.gone.into_iter().collect();
            known.devices.extend(stored.devices);
            known.recent = stored.recent;
            known.offline_since = stored.offline_since;
            known.scope = stored.scope;
            self.changed(c);
        }
        for (device, seen) in all.commanded {
            self.reconciler.look_at(&device, seen);
        }
    }
}
