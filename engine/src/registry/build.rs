//! A farm from its document.

use std::collections::BTreeMap;

use crate::alert::Alert;
use crate::almanac::Almanac;
use crate::compile::{CompiledRule, Watch};
use crate::curve::Followers;
use crate::document::{AlertSpec, FarmDocument, FarmSpec, RuleSpec};
use crate::hours::AllHours;
use crate::interner::Interner;
use crate::limits::AllTies;
use crate::members::Members;
use crate::memory::Memory;
use crate::place::Places;
use crate::problem::Problems;
use crate::program::Programs;
use crate::sensor::Counters;
use crate::signal::Signals;
use crate::state::State;
use crate::table::Table;

impl State {
    fn empty(farm: FarmSpec) -> Self {
        Self {
            words: Interner::new(&farm.id),
            farm,
            places: Places::default(),
            sensors: Table::default(),
            readings: Vec::new(),
            members: Members::default(),
            signals: Signals::default(),
            devices: Table::default(),
            ties: AllTies::default(),
            hours: AllHours::default(),
            rules: Table::default(),
            ranked: false,
            programs: Programs::default(),
            curves: Followers::default(),
            only_if: Programs::default(),
            almanac: Almanac::default(),
            alerts: Table::default(),
            memory: Memory::default(),
            remembered: BTreeMap::new(),
            withdrawn: BTreeMap::new(),
            clock: None,
            commands: 0,
            counters: Counters::default(),
            registry_version: 0,
        }
    }

    pub(crate) fn from_document(document: &FarmDocument) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        let mut state = Self::empty(document.farm.clone());
        state.sensors.reserve(document.sensors.len());
        state.readings.reserve_exact(document.sensors.len());
        state.rules.reserve(document.rules.len());
        let note = |problems: &mut Problems, at: String, result: Result<(), Problems>| {
            if let Err(e) = result {
                problems.0.extend(e.under(&at).0);
            }
        };
        for (i, polyhouse) in document.polyhouses.iter().enumerate() {
            let known = state.places.knows(&polyhouse.id);
            let result = if known {
                Err(duplicate("id", &polyhouse.id))
            } else {
                state.places.put(polyhouse)
            };
            note(&mut problems, format!("polyhouses[{i}]"), result);
        }
        state.check_setpoints(&mut problems);
        for (i, sensor) in document.sensors.iter().enumerate() {
            let known = state.sensors.index(sensor.id.as_str()).is_some();
            let result = if known {
                Err(duplicate("id", &sensor.id))
            } else {
                state.put_sensor(sensor)
            };
            note(&mut problems, format!("sensors[{i}]"), result);
        }
        for (i, device) in document.devices.iter().enumerate() {
            let known = state.devices.index(device.id.as_str()).is_some();
            let result = if known {
                Err(duplicate("id", &device.id))
            } else {
                state.put_device(device)
            };
            note(&mut problems, format!("devices[{i}]"), result);
        }
        if let Err(e) = state.tie_devices() {
            problems.0.extend(e.0);
        }
        state.count_members();
        if let Err(e) = state.bind_hours() {
            problems.0.extend(e.0);
        }
        for (i, spec) in document.rules.iter().enumerate() {
            let known = state.rules.index(spec.id.as_str()).is_some();
            let result = if known {
                Err(duplicate("id", &spec.id))
            } else {
                state
                    .compile_rule(spec)
                    .map(|c| state.install_rule(spec, &c))
            };
            note(&mut problems, format!("rules[{i}]"), result);
        }
        for (i, spec) in document.rules.iter().enumerate() {
            let result = state.check_dependencies(spec);
            note(&mut problems, format!("rules[{i}]"), result);
        }
        for (i, spec) in document.alerts.iter().enumerate() {
            let known = state.alerts.index(spec.id.as_str()).is_some();
            let result = if known {
                Err(duplicate("id", &spec.id))
            } else {
                state
                    .compile_alert(spec)
                    .map(|w| state.install_alert(spec, &w))
            };
            note(&mut problems, format!("alerts[{i}]"), result);
        }
        state.rank_rules();
        problems.into_result(state)
    }

    fn install_rule(&mut self, spec: &RuleSpec, compiled: &CompiledRule) {
        let ix = self.put_rule(spec, compiled);
        self.attach_rule(ix, spec, compiled);
    }

    fn install_alert(&mut self, spec: &AlertSpec, watches: &[Watch]) {
        let (ix, _) = self.alerts.put(Alert::new(spec, None));
        self.attach_alert(ix, watches);
    }
}

fn duplicate(path: &str, id: &impl std::fmt::Display) -> Problems {
    Problems::one(path, "duplicate", format!("{id} exists already"))
}
