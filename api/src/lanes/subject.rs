//! What belongs to whoever is followed, as it is now: for what was stored.

use std::collections::{BTreeMap, BTreeSet};

use harit_engine::explain::Subject;
use harit_engine::{Engine, ScopeSpec};
use harit_ingest::log::LogEntry;

/// What belongs to a device, a rule or a polyhouse.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// The devices by id, with their names; of a rule none.
    pub(super) devices: BTreeMap<String, String>,
    /// The rule, or the rules that name devices of the polyhouse; of a device none.
    pub(super) rules: BTreeSet<String>,
    /// The alerts of the place.
    pub(super) alerts: BTreeSet<String>,
}

impl Own {
    pub(super) fn of(engine: &Engine, subject: &Subject) -> Self {
        let mut own = Self::default();
        let place = match subject {
            Subject::Device(id) => {
                let device = engine.device_ref(id.as_str());
                let name = device.as_ref().map(|d| d.spec.name.clone());
                own.devices.insert(id.to_string(), name.unwrap_or_default());
                device.map(|d| d.spec.scope.clone())
            }
            Subject::Rule(id) => {
                own.rules.insert(id.to_string());
                engine.rule(id.as_str()).map(|r| r.spec.scope)
            }
            Subject::House(house) => {
                let there = { engine.devices() }
                    .map(|d| d.spec)
                    .filter(|d| engine.house_of(&d.scope) == Some(house));
                own.devices = there.map(|d| (d.id.to_string(), d.name)).collect();
                let rules = { engine.rules() }.map(|r| r.spec).filter(|r| {
                    let mut named = r.actions.iter().map(|a| a.device_id.as_str());
                    named.any(|id| own.devices.contains_key(id))
                });
                own.rules = rules.map(|r| r.id.to_string()).collect();
                Some(ScopeSpec::polyhouse(house.clone()))
            }
        };
        let Some(place) = place else {
            return own;
        };
        let farm = ScopeSpec::farm();
        let alerts = engine.alerts().map(|a| a.spec);
        let near = alerts.filter(|a| engine.overlap(a.scope.as_ref().unwrap_or(&farm), &place));
        own.alerts = near.map(|a| a.id.to_string()).collect();
        own
    }

    /// Whether an entry of the log tells of it.
    pub(super) fn is_told_by(&self, entry: &LogEntry) -> bool {
        let body = &entry.body;
        let mut devices = { body.device.iter() }.chain(body.orders.iter().map(|o| &o.device));
        devices.any(|d| self.devices.contains_key(&d.id))
            || body
                .rule
                .as_ref()
                .is_some_and(|r| self.rules.contains(&r.id))
    }
}
