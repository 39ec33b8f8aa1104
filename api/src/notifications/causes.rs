//! What an alert that is told has in common with others: found in the evidence that the engine remembers, in the controllers of its
//! sensors, in what those serve, and in where it watches. No text is read for it.

use super::notice::Watch;
use super::picture::Picture;
use crate::delivery::{Cause, Lost};

impl Picture {
    /// The cause with which an alert is told. One that has just been raised has heard its sensors; one that is raised still may
    /// wait for sensors whose controllers are all offline.
    pub(super) fn cause(&self, watch: &Watch, is_new: bool) -> Cause {
        let rests = self.rests_on.get(&watch.alert);
        if let Some(rests) = rests.filter(|_| !is_new) {
            let offline = |mac: &Option<String>| self.offline(mac.as_deref()?);
            let lost: Option<Vec<Lost>> = rests.waits_for.iter().map(offline).collect();
            if let Some(controllers) = lost.filter(|all| !all.is_empty()) {
                return Cause::Outage { controllers };
            }
        }
        if let Some(cause) = rests.and_then(|r| self.reservoir(r.on.iter().map(Option::as_deref))) {
            return cause;
        }
        let house = watch.scope.as_ref().and_then(|s| self.places.house(s));
        let (id, name) = house.unzip();
        Cause::Place { id, name }
    }

    /// The reservoir that all those controllers serve.
    fn reservoir<'a>(&self, macs: impl Iterator<Item = Option<&'a str>>) -> Option<Cause> {
        let mut found: Option<&(String, String)> = None;
        for mac in macs {
            let served = self.reservoirs.get(mac?)?;
            if found.is_some_and(|f| f != served) {
                return None;
            }
            found = Some(served);
        }
        let (id, name) = found?.clone();
        let is_its = |device: &str| {
            let mac = self.served_by.get(device);
            mac.and_then(|mac| self.reservoirs.get(mac))
                .is_some_and(|(served, _)| *served == id)
        };
        let locked = { self.levels.devices.iter() }
            .filter(|d| d.lock.is_some() && is_its(&d.device.id))
            .count();
        Some(Cause::Reservoir { id, name, locked })
    }

    /// A controller that is offline, and how many of its sensors are silent with it.
    pub(super) fn offline(&self, mac: &str) -> Option<Lost> {
        let mut all = self.levels.controllers.iter();
        all.find(|c| c.mac == mac && !c.online)?;
        Some(self.lost(mac))
    }

    /// A controller, and how many of its sensors had said something.
    pub(super) fn lost(&self, mac: &str) -> Lost {
        let known = self.levels.controllers.iter().find(|c| c.mac == mac);
        let is_its = |s: &&super::levels::SensorLevel| s.has_spoken && s.controller.as_deref() == Some(mac);
        Lost {
            name: known.map_or(mac, |c| c.name.as_str()).to_owned(),
            sensors: self.levels.sensors.iter().filter(is_its).count(),
            mac: mac.to_owned(),
        }
    }

    /// Whether a critical alert that is raised rests on what a controller says.
    pub(super) fn blinds_critical(&self, mac: &str) -> bool {
        let is_critical = |a: &&super::levels::AlertLevel| {
            a.watch.severity == harit_engine::AlertSeverity::Critical && a.watch.raised_at.is_some()
        };
        let rests = |a: &super::levels::AlertLevel| {
            let rests = self.rests_on.get(&a.watch.alert);
            rests.is_some_and(|r| r.on.iter().any(|on| on.as_deref() == Some(mac)))
        };
        self.levels.alerts.iter().filter(is_critical).any(rests)
    }
}
