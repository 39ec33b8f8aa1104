//! What is known of controllers beyond what the engine knows, for the verdict of a farm.

use harit_engine::verdict::{Facts, OfflineController};
use harit_engine::{Engine, Timestamp};
use harit_protocol::Mac;

use super::{Controller, Controllers};

impl Controllers {
    /// Tells which controllers cannot be reached, which devices do not do what they should, and what is gone. A controller that is not the farm's
    /// (any more) is not missed; what it had is gone.
    pub fn facts(&self, engine: &Engine, now: Timestamp, is_ours: impl Fn(&Mac) -> bool) -> Facts {
        let mut facts = Facts::nothing(now);
        for c in &self.all {
            let is_ours = is_ours(&c.mac);
            for (local, ix) in &c.sensors {
                if !is_ours || c.gone.contains(local) {
                    let id = self.sensors[*ix as usize].id.clone();
                    facts.gone_sensors.insert(id);
                }
            }
            let gone = c.devices.values().filter(|d| !is_ours || d.gone);
            facts.gone_devices.extend(gone.map(|d| d.id.clone()));
            // One that carries nothing (any more) is missed by nobody.
            let carries =
                |o: &OfflineController| is_ours && (!o.sensors.is_empty() || !o.devices.is_empty());
            if let Some(offline) = self.offline(c).filter(carries) {
                facts.offline.insert(c.mac.as_str().into(), offline);
            }
        }
        facts.astray = self.drifting(engine, now).collect();
        facts
    }

    fn offline(&self, c: &Controller) -> Option<OfflineController> {
        if c.online {
            return None;
        }
        let sensors = c
            .sensors
            .iter()
            .filter(|(local, _)| !c.gone.contains(*local));
        Some(OfflineController {
            since: c.offline_since,
            sensors: sensors
                .map(|(_, ix)| self.sensors[*ix as usize].id.clone())
                .collect(),
            devices: c
                .devices
                .values()
                .filter(|d| !d.gone)
                .map(|d| d.id.clone())
                .collect(),
        })
    }
}
