//! The evidence of raised alerts: the sensors on whose values they are raised. Silence of one of them resolves nothing.

use std::collections::BTreeSet;

use crate::derived::Statistic;
use crate::id::SensorId;
use crate::signal::Owner;
use crate::state::State;
use crate::truth::Truth;

impl State {
    /// The truth of an alert's joined condition, as it counts: what is false while a remembered sensor is silent is unknown.
    pub(crate) fn alert_truth(&self, ix: u32) -> Truth {
        let Some(alert) = self.alerts.get(ix) else {
            return Truth::Unknown;
        };
        let only_if = self.only_if(ix).map(|tree| tree.truth);
        if only_if == Some(Truth::False) {
            return Truth::False;
        }
        let conditions = alert.truth(&self.signals);
        match Truth::all([conditions].into_iter().chain(only_if)) {
            Truth::False if self.silent(ix).next().is_some() => Truth::Unknown,
            truth => truth,
        }
    }

    /// Whether it is an alert that remembers, and raised.
    pub(crate) fn remembers(&self, alert: u32) -> bool {
        self.memory.has(alert)
    }

    /// The remembered sensors that are not fresh.
    pub(crate) fn silent(&self, alert: u32) -> impl Iterator<Item = u32> {
        let fresh = |s: &u32| self.readings[*s as usize].fresh;
        self.memory.of(alert).filter(move |s| !fresh(s))
    }

    /// The alert was raised: if it is one that remembers, it remembers what its conditions rest on.
    pub(crate) fn remember(&mut self, ix: u32) {
        let Some(alert) = self.alerts.get(ix) else {
            return;
        };
        if alert.spec.evidence.is_none() {
            return;
        }
        let mut sensors = BTreeSet::new();
        for comparison in &alert.comparisons {
            let Some((place, sensor_type)) = self.signals.place_of(*comparison) else {
                continue;
            };
            let members = self.members(place, sensor_type).iter().copied();
            let fresh = members.filter(|s| self.readings[*s as usize].fresh);
            sensors.extend(fresh.filter(|s| self.rests_on(*comparison, *s)));
        }
        self.memory.put(ix, sensors);
    }

    /// Whether a condition rests on a sensor that is fresh, or was until now.
    fn rests_on(&self, comparison: u32, sensor: u32) -> bool {
        let reading = &self.readings[sensor as usize];
        let of_it = self
            .signals
            .base_of(comparison)
            .is_some_and(|base| reading.signals.contains(&base));
        of_it
            && match self.signals.statistic_of(comparison) {
                Statistic::Mean => self.signals.truth(comparison) == Truth::True,
                Statistic::Largest | Statistic::Smallest => {
                    self.signals.is_satisfied_by(comparison, reading.value)
                }
            }
    }

    /// Sensors are about to leave their signals: raised alerts remember those that their conditions rest on, and are looked at
    /// again if they remember one.
    pub(crate) fn lose(&mut self, lost: &[u32], dirty: &mut Vec<Owner>) {
        if self.memory.is_empty() {
            return;
        }
        let mut all = std::mem::take(&mut self.memory);
        for (ix, remembered) in all.iter_mut() {
            let comparisons = self.alerts.get(*ix).map_or(&[][..], |a| &a.comparisons);
            let rests = |s: &&u32| {
                comparisons
                    .iter()
                    .any(|comparison| self.rests_on(*comparison, **s))
            };
            remembered.extend(lost.iter().filter(rests));
            if lost.iter().any(|s| remembered.contains(s)) {
                dirty.push(Owner::Alert(*ix));
            }
        }
        self.memory = all;
    }

    /// A sensor is fresh again: the alerts that remember it are looked at again.
    pub(crate) fn regain(&self, sensor: u32, dirty: &mut Vec<Owner>) {
        let remember = self.memory.iter().filter(|(_, s)| s.contains(&sensor));
        dirty.extend(remember.map(|(ix, _)| Owner::Alert(*ix)));
    }

    /// The remembered sensors by id, in order of id.
    pub(crate) fn remembered_ids(&self, sensors: impl Iterator<Item = u32>) -> Vec<SensorId> {
        let sensors = sensors.filter_map(|s| self.sensors.get(s));
        let mut ids: Vec<SensorId> = sensors.map(|s| s.document.id().into()).collect();
        ids.sort_unstable();
        ids
    }

    /// Remembers the sensors of these ids, as far as they are still among those of the alert's conditions.
    pub(crate) fn recall(&mut self, ix: u32, ids: &[SensorId]) {
        let Some(alert) = self.alerts.get(ix) else {
            return;
        };
        let of_it = |s: &u32| {
            let signals = &self.readings[*s as usize].signals;
            let mut bases = alert
                .comparisons
                .iter()
                .filter_map(|l| self.signals.base_of(*l));
            bases.any(|base| signals.contains(&base))
        };
        let known = ids.iter().filter_map(|id| self.sensors.index(id.as_str()));
        let sensors = known.filter(of_it).collect();
        self.memory.put(ix, sensors);
    }
}
