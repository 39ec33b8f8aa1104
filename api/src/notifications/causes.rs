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
        let is_offline = self.levels.controllers.is_offline(mac);
        is_offline.then(|| self.lost(mac))
    }

    /// A controller, and how many of its sensors had said something.
    pub(super) fn lost(&self, mac: &str) -> Lost {
        let known = self.levels.controllers.get(mac);
        Lost {
            name: known.map_or(mac, |c| c.name.as_str()).to_owned(),
            sensors: self.heard.get(mac).copied().unwrap_or_default(),
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

#[cfg(test)]
mod tests {
    use harit_engine::{AlertSeverity, ScopeSpec};
    use serde_json::json;

    use super::*;
    use crate::notifications::levels::{
        AlertLevel, ControllerLevel, DeviceLevel, Levels, SensorLevel,
    };
    use crate::notifications::notice::Named;

    fn watch(alert: &str, scope: Option<ScopeSpec>) -> Watch {
        Watch {
            alert: alert.to_owned(),
            name: alert.to_owned(),
            place: None,
            conditions: Vec::new(),
            any: false,
            hold_sec: 0,
            severity: AlertSeverity::Critical,
            scope,
            raised_at: Some(5),
            seen: Vec::new(),
        }
    }

    /// Controllers M1 (online) and M2 (offline) with two sensors each; M1 serves a reservoir, as M3 does; a pump of M1 is locked.
    fn picture() -> Picture {
        let controller = |mac: &str, online| ControllerLevel {
            mac: mac.to_owned(),
            name: format!("Box {mac}"),
            online,
        };
        let sensor = |n: usize, mac: &str| SensorLevel {
            id: format!("s{n}"),
            name: String::new(),
            controller: Some(mac.to_owned()),
            has_spoken: n != 3,
            stale: false,
        };
        let device = |id: &str, lock: Option<&str>| DeviceLevel {
            device: Named {
                id: id.to_owned(),
                name: String::new(),
                place: None,
            },
            lock: lock.map(str::to_owned),
        };
        let alert = AlertLevel {
            watch: watch("dark", None),
            unknown: true,
            silent: Vec::new(),
            count: 1,
        };
        let levels = Levels {
            controllers: [
                controller("M1", true),
                controller("M2", false),
                controller("M3", true),
            ]
            .into_iter()
            .collect(),
            devices: vec![
                device("pump", Some("dry")),
                device("valve", None),
                device("fan", Some("stop")),
            ],
            sensors: vec![
                sensor(1, "M1"),
                sensor(2, "M2"),
                sensor(3, "M2"),
                sensor(4, "M2"),
            ],
            alerts: vec![alert],
            low_stock: Vec::new(),
            ..Levels::default()
        };
        let rests: [(&str, &[&str], &[&str]); 4] = [
            ("tank", &["M1", "M3"], &[]),
            ("mixed", &["M1", "M2"], &[]),
            ("dark", &["M2"], &["M2"]),
            ("half", &["M1", "M2"], &["M1", "M2"]),
        ];
        let served = [("pump", "M1"), ("valve", "M3"), ("fan", "M2")];
        Picture::of(levels, &[("M1", "r1"), ("M3", "r1")], &rests, &served)
    }

    fn place(json: serde_json::Value) -> Option<ScopeSpec> {
        Some(serde_json::from_value(json).expect("a scope"))
    }

    #[test]
    fn a_cause_is_found_in_evidence_controllers_reservoirs_and_places() {
        let picture = picture();
        let tank = Cause::Reservoir {
            id: "r1".into(),
            name: "Tank r1".into(),
            locked: 1,
        };
        assert_eq!(picture.cause(&watch("tank", None), true), tank);
        assert_eq!(picture.cause(&watch("tank", None), false), tank);
        // what rests on a sensor elsewhere too is of its place
        let farm = Cause::Place {
            id: None,
            name: None,
        };
        assert_eq!(picture.cause(&watch("mixed", None), true), farm);
        let zone = place(json!({"type": "zone", "zoneId": "z1"}));
        let house = Cause::Place {
            id: Some("p1".into()),
            name: Some("House 1".into()),
        };
        assert_eq!(picture.cause(&watch("mixed", zone), true), house);
        // what waits for sensors of controllers that are all offline is dark by them; what has just been raised is not
        let dark = picture.cause(&watch("dark", None), false);
        let lost = Lost {
            mac: "M2".into(),
            name: "Box M2".into(),
            sensors: 2,
        };
        assert_eq!(
            dark,
            Cause::Outage {
                controllers: vec![lost]
            }
        );
        assert_eq!(picture.cause(&watch("dark", None), true), farm);
        assert_eq!(picture.cause(&watch("half", None), false), farm);
        assert!(picture.blinds_critical("M2") && !picture.blinds_critical("M1"));
    }
}
