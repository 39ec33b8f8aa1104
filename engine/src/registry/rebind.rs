//! Rules and alerts on signals that were built anew: what was held goes on, unless their conditions resolve to other sensors.

use std::collections::BTreeSet;

use crate::compile::Watch;
use crate::place::PlaceIx;
use crate::problem::Problems;
use crate::program::Seen;
use crate::rule::Conditions;
use crate::sensor_type::SensorType;
use crate::state::State;
use crate::table::Keyed;

/// Places and types whose sensors have changed.
pub(super) type Changed = BTreeSet<(PlaceIx, SensorType)>;

impl State {
    /// Builds all signals anew, after the sensors' values were set by other means than readings.
    pub(crate) fn recount_signals(&mut self) {
        self.forget_signals();
        let before = self.clone();
        let mut none = self.bind_hours().err().unwrap_or_default();
        self.rebind_rules(&before, &Changed::new(), &mut none);
        self.rebind_alerts(&before, &Changed::new(), &mut none);
    }

    /// The ids of the sensors of a type in a place: one that goes and one that comes in the same change may share a number.
    fn sensor_ids(&self, place: PlaceIx, sensor_type: SensorType) -> Vec<&[u8]> {
        let members = self.members(place, sensor_type).iter();
        let mut ids: Vec<&[u8]> = members
            .filter_map(|m| self.sensors.get(*m))
            .map(Keyed::key)
            .collect();
        ids.sort_unstable();
        ids
    }

    /// The places and types in which the sensors are others than before.
    pub(super) fn changed_members(&self, before: &Self) -> Changed {
        let mut all = self.members.places(|s| self.location(s));
        all.extend(before.members.places(|s| before.location(s)));
        all.retain(|(place, t)| self.sensor_ids(*place, *t) != before.sensor_ids(*place, *t));
        all
    }

    /// Whether a condition that names this place resolves to the same sensors in both states.
    fn same_sensors(&self, before: &Self, changed: &Changed, w: &Watch) -> bool {
        let was = before.resolve_signal(w.named, w.sensor_type);
        if was == Some(w.place) {
            return !changed.contains(&(w.place, w.sensor_type));
        }
        was.is_some_and(|was| {
            before.sensor_ids(was, w.sensor_type) == self.sensor_ids(w.place, w.sensor_type)
        })
    }

    pub(super) fn rebind_rules(
        &mut self,
        before: &Self,
        changed: &Changed,
        problems: &mut Problems,
    ) -> Vec<u32> {
        let mut edited = Vec::new();
        for ix in self.rules.indices() {
            let Some(spec) = self.rule_spec(ix) else {
                continue;
            };
            match self.compile_rule(&spec) {
                Err(e) => problems.0.extend(e.under(&format!("rules.{}", spec.id)).0),
                Ok(compiled) => {
                    let watches = compiled.watches();
                    if { watches.iter() }.any(|w| !self.same_sensors(before, changed, w)) {
                        edited.push(ix);
                    }
                    if let Some(rule) = self.rules.get_mut(ix) {
                        rule.conditions = Conditions::INACTIVE;
                        rule.specificity = compiled.place.specificity();
                    }
                    self.bind_devices(ix, &spec);
                    self.attach_rule(ix, &spec, &compiled);
                    self.take_up_program(ix, before);
                    let hold = before.rules.get(ix).and_then(|r| r.hold(before.seen()));
                    if let Some((hold, rule)) = hold.zip(self.rules.get_mut(ix)) {
                        let seen = Seen {
                            signals: &self.signals,
                            programs: &self.programs,
                        };
                        rule.change_hold(seen, |_| hold);
                    }
                }
            }
        }
        edited
    }

    pub(super) fn rebind_alerts(
        &mut self,
        before: &Self,
        changed: &Changed,
        problems: &mut Problems,
    ) -> Vec<u32> {
        let mut edited = Vec::new();
        for ix in self.alerts.indices() {
            let Some(spec) = self.alerts.get(ix).map(|a| a.spec.clone()) else {
                continue;
            };
            match self.compile_alert(&spec) {
                Err(e) => problems.0.extend(e.under(&format!("alerts.{}", spec.id)).0),
                Ok(watches) => {
                    if watches
                        .iter()
                        .any(|w| !self.same_sensors(before, changed, w))
                    {
                        edited.push(ix);
                    }
                    self.attach_alert(ix, &watches);
                    self.take_up_only_if(ix, before);
                    if before.remembers(ix) {
                        self.recall(ix, &before.remembered_ids(before.memory.of(ix)));
                    }
                }
            }
        }
        edited
    }
}
