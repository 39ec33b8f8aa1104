//! What the present batch has decided of a farm and its engine does not know yet.
//!
//! It is kept step by step, so that asking costs nothing, however much is in the batch. Of all that is not in it, the engine
//! is right.

use std::collections::HashMap;

use harit_engine::{
    DeviceId, DeviceSpec, Engine, Input, InputKind, RegistryChange, SensorId, SensorSpec,
};

use crate::book::{Standing, Standings};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Decided {
    /// How devices will stand when the batch is applied, of which it has something.
    pub(crate) standings: Standings,
    sensors: HashMap<SensorId, SensorSpec>,
    devices: HashMap<DeviceId, DeviceSpec>,
}

impl Decided {
    /// A new batch begins.
    pub(crate) fn clear(&mut self) {
        self.standings.clear();
        self.sensors.clear();
        self.devices.clear();
    }

    /// An input is in the batch.
    pub(crate) fn follow(&mut self, engine: &Engine, input: &Input) {
        match &input.kind {
            InputKind::Registry(changes) => {
                for change in changes {
                    match change {
                        RegistryChange::PutDevice(spec) => {
                            if engine.device_online(spec.id.as_str()).is_none() {
                                // One that is known keeps its status, whatever its document says.
                                self.standings
                                    .entry(spec.id.clone())
                                    .or_insert_with(|| Standing::new(spec));
                            }
                            self.devices
                                .insert(spec.id.clone(), DeviceSpec::clone(spec));
                        }
                        RegistryChange::PutSensor(spec) => {
                            self.sensors.insert(spec.id.clone(), spec.clone());
                        }
                        _ => {}
                    }
                }
            }
            InputKind::Status { device, status } => {
                if let Some(standing) = self.standing(engine, device) {
                    standing.follow(status, input.at);
                }
            }
            InputKind::Stop(stop) => {
                for device in engine.devices_in(&stop.scope) {
                    if let Some(standing) = self.standing(engine, &device) {
                        standing.stop(&stop.owner, input.at);
                    }
                }
            }
            _ => {}
        }
    }

    /// How a device stands, to be changed.
    fn standing(&mut self, engine: &Engine, device: &DeviceId) -> Option<&mut Standing> {
        if !self.standings.contains_key(device)
            && let Some(known) = engine.device(device.as_str())
        {
            self.standings.insert(device.clone(), Standing::of(&known));
        }
        self.standings.get_mut(device)
    }

    /// What a person decided of a sensor or device in this very batch is not yet the engine's: an announcement that builds
    /// on what the engine has would take it back.
    pub(crate) fn keep(&self, announced: &mut [RegistryChange]) {
        for change in announced {
            match change {
                RegistryChange::PutSensor(spec) => {
                    if let Some(known) = self.sensors.get(&spec.id) {
                        spec.name.clone_from(&known.name);
                        spec.scope = known.scope.clone();
                        spec.stale_after = known.stale_after;
                    }
                }
                RegistryChange::PutDevice(spec) => {
                    if let Some(known) = self.devices.get(&spec.id) {
                        **spec = DeviceSpec {
                            supported_actions: std::mem::take(&mut spec.supported_actions),
                            controller: spec.controller.take(),
                            ..DeviceSpec::clone(known)
                        };
                    }
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harit_engine::{FarmDocument, LockKind, Timestamp};
    use serde_json::json;

    #[test]
    fn a_stop_is_followed_for_what_it_reaches() {
        let farm = json!({"farm": {"id": "f1", "name": "F"}, "polyhouses": [{"id": "p1", "name": "P", "zones": []}],
            "devices": [
                {"id": "fan-1", "name": "", "type": "fan", "scope": {"type": "polyhouse", "polyhouseId": "p1"}, "online": false},
                {"id": "fan-2", "name": "", "type": "fan", "scope": {"type": "farm"}}]});
        let engine = Engine::new(&FarmDocument::from_json(&farm).unwrap()).unwrap();
        let line = json!({"at": 5, "input": "stop", "scope": {"type": "polyhouse", "polyhouseId": "p1"},
            "owner": {"user_id": "asha", "name": "Asha"}});
        let stop = harit_protocol::jsonl::parse(&line.to_string()).unwrap();
        let mut decided = Decided::default();
        decided.follow(&engine, &stop);
        let all: Vec<&DeviceId> = decided.standings.keys().collect();
        assert_eq!(all, [&DeviceId::from("fan-1")]);
        let is = &decided.standings["fan-1"];
        assert!(is.locks.holds(LockKind::Stop) && !is.online);
        assert_eq!(
            is.locks.iter().next().unwrap().since,
            Some(Timestamp::from_millis(5))
        );
    }
}
