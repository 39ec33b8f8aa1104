//! Announcements beside what people decide at the same moment.

use std::collections::BTreeMap;

use harit_engine::{DeviceId, DeviceSpec, InputKind, RegistryChange};

use super::{Shard, Step};
use crate::book::Standing;

impl Shard {
    /// How devices of a farm will stand when the present batch, as far as it is written, is applied. Only those that it has
    /// something of: of all others the engine is right.
    pub(super) fn standings(&self, farm: u32) -> BTreeMap<DeviceId, Standing> {
        let engine = &self.farms[farm as usize].engine;
        let mut all = BTreeMap::new();
        for step in &self.steps {
            let input = match step {
                Step::Input { farm: f, input, .. } if *f == farm => input,
                _ => continue,
            };
            match &input.kind {
                InputKind::Registry(changes) => {
                    for change in changes {
                        if let RegistryChange::PutDevice(spec) = change
                            && engine.device(spec.id.as_str()).is_none()
                        {
                            // One that is known keeps its status, whatever its document says.
                            all.entry(spec.id.clone())
                                .or_insert_with(|| Standing::new(spec));
                        }
                    }
                }
                InputKind::Status { device, status } => {
                    let known = || engine.device(device.as_str()).map(|d| Standing::of(&d));
                    if !all.contains_key(device)
                        && let Some(standing) = known()
                    {
                        all.insert(device.clone(), standing);
                    }
                    if let Some(standing) = all.get_mut(device) {
                        standing.follow(status, input.at);
                    }
                }
                _ => {}
            }
        }
        all
    }

    /// What a person decided of a sensor or device in this very batch is not yet the engine's: an announcement that builds
    /// on what the engine has would take it back.
    pub(super) fn keep_decided(&self, farm: u32, announced: &mut [RegistryChange]) {
        let decided = || {
            let steps = self.steps.iter().rev().filter_map(|step| match step {
                Step::Input { farm: f, input, .. } if *f == farm => Some(&input.kind),
                _ => None,
            });
            let changes = steps.filter_map(|kind| match kind {
                InputKind::Registry(changes) => Some(changes.iter().rev()),
                _ => None,
            });
            changes.flatten()
        };
        for change in announced {
            match change {
                RegistryChange::PutSensor(spec) => {
                    let known = decided().find_map(|d| match d {
                        RegistryChange::PutSensor(s) if s.id == spec.id => Some(s),
                        _ => None,
                    });
                    if let Some(known) = known {
                        spec.name.clone_from(&known.name);
                        spec.scope = known.scope.clone();
                        spec.stale_after = known.stale_after;
                    }
                }
                RegistryChange::PutDevice(spec) => {
                    let known = decided().find_map(|d| match d {
                        RegistryChange::PutDevice(d) if d.id == spec.id => Some(d),
                        _ => None,
                    });
                    if let Some(known) = known {
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
