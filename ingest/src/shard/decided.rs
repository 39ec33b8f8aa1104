//! Announcements beside what people decide at the same moment.

use harit_engine::{DeviceSpec, InputKind, RegistryChange};

use super::{Shard, Step};

impl Shard {
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
