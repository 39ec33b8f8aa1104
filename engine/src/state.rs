//! Everything that an engine knows: what is registered, and where each thing stands.

use std::collections::BTreeMap;
use std::hint::black_box;

use crate::alert::Alert;
use crate::almanac::Almanac;
use crate::curve::Followers;
use crate::device::Device;
use crate::document::{FarmDocument, FarmSpec, RuleSpec, SensorSpec};
use crate::hours::AllHours;
use crate::id::{AlertId, RuleId};
use crate::interner::Interner;
use crate::limits::AllTies;
use crate::members::{Location, Members};
use crate::memory::Memory;
use crate::place::{PlaceIx, Places};
use crate::program::{Programs, Seen};
use crate::rule::{Form, Rule};
use crate::sensor::{Counters, Sensor, SensorState};
use crate::sensor_type::SensorType;
use crate::signal::{Owner, Signals};
use crate::table::Table;
use crate::time::Timestamp;
use crate::timer::Timer;

/// How many deleted alerts' last notifications are remembered.
pub(crate) const MAX_REMEMBERED: usize = 4_096;

#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) farm: FarmSpec,
    pub(crate) places: Places,
    /// Texts that documents share.
    pub(crate) words: Interner,
    pub(crate) sensors: Table<Sensor>,
    /// By sensor number.
    pub(crate) readings: Vec<SensorState>,
    pub(crate) members: Members,
    pub(crate) signals: Signals,
    pub(crate) devices: Table<Device>,
    /// What devices have to do with each other by their limits.
    pub(crate) ties: AllTies,
    pub(crate) hours: AllHours,
    pub(crate) rules: Table<Rule>,
    /// Whether the rules' ranks are those of the present rules.
    pub(crate) ranked: bool,
    pub(crate) programs: Programs,
    /// Claims that follow curves.
    pub(crate) curves: Followers,
    pub(crate) almanac: Almanac,
    pub(crate) alerts: Table<Alert>,
    /// What alerts ask beside their conditions, by the alert's number.
    pub(crate) only_if: Programs,
    /// What raised alerts remember.
    pub(crate) memory: Memory,
    /// Last notifications of alerts that were deleted.
    pub(crate) remembered: BTreeMap<AlertId, Timestamp>,
    /// Rules that ran and that a person then disabled or took back to a draft, and when; for people only.
    pub(crate) withdrawn: BTreeMap<RuleId, Timestamp>,
    pub(crate) clock: Option<Timestamp>,
    pub(crate) commands: u64,
    pub(crate) counters: Counters,
    pub(crate) registry_version: u64,
}

impl State {
    pub(crate) const fn min_samples(&self) -> u8 {
        self.farm.settings.min_samples
    }

    pub(crate) const fn seen(&self) -> Seen<'_> {
        Seen {
            signals: &self.signals,
            programs: &self.programs,
        }
    }

    /// Reads a word of each rule and of its comparison, without a step that depends on one of them: whatever lies far away in
    /// memory is waited for once, and not rule by rule.
    pub(crate) fn load_rules(&self, owners: &[Owner]) {
        let rule = |owner: &Owner| match *owner {
            Owner::Rule(ix) => self.rules.get(ix)?.watched(),
            Owner::Alert(_) | Owner::Curve(_) | Owner::Hours(_) => None,
        };
        let loaded = owners.iter().filter_map(rule);
        black_box(loaded.fold(0, |all, number| all ^ self.seen().samples(number)));
    }

    /// Does the same for rules that are about to act, and their documents.
    pub(crate) fn load_documents(&self, rules: &[u32]) {
        let documents = rules
            .iter()
            .filter_map(|ix| Some(&self.rules.get(*ix)?.document));
        black_box(documents.fold(0, |all, document| all ^ document.id_bytes().len()));
    }

    /// Does the same for sensors and their signals, before their readings are applied.
    pub(crate) fn load_sensors(&self, sensors: impl Iterator<Item = u32>) {
        let signals = sensors.filter_map(|s| self.readings.get(s as usize)?.signals.first());
        black_box(signals.fold(0, |all, signal| all ^ self.signals.counted(*signal)));
    }

    /// The true deadline of a timer's owner.
    pub(crate) fn deadline(&self, timer: Timer, owner: u32) -> Option<Timestamp> {
        match timer {
            Timer::Expiry => self.readings.get(owner as usize)?.expiry(),
            Timer::RuleHold => self.rule_deadline(owner),
            Timer::Boundary => self.programs.get(owner)?.boundary(),
            Timer::Curve => self.curves.due(owner),
            Timer::Claim => self.devices.get(owner)?.claims.first_end(),
            Timer::AlertBoundary => self.only_if.get(owner)?.boundary(),
            Timer::AlertHold => self.alert_deadline(owner),
            Timer::Action => self.rules.get(owner)?.next_action(&self.words),
            Timer::Manual => self.devices.get(owner)?.manual_deadline(),
            Timer::Limit => self.devices.get(owner)?.limited.as_ref()?.due,
            Timer::MaxOn => self.devices.get(owner)?.max_on_deadline(),
            Timer::Repeat => self.alerts.get(owner)?.next_notification,
        }
    }

    /// When time alone does something to a rule.
    fn rule_deadline(&self, ix: u32) -> Option<Timestamp> {
        let (rule, min_samples) = (self.rules.get(ix)?, self.min_samples());
        let hold = rule.deadline(min_samples, self.seen());
        if rule.form() == Form::Conditions {
            return hold;
        }
        let program = self.programs.get(ix);
        let own = program.and_then(|p| p.deadline(rule.phase, min_samples));
        hold.into_iter().chain(own).min()
    }

    /// Where a sensor lies and what it measures.
    pub(crate) fn location(&self, sensor: u32) -> Location {
        let place = self.sensors.get(sensor).map_or(PlaceIx::FARM, |s| s.place);
        (place, self.readings[sensor as usize].sensor_type)
    }

    /// The sensors of a type in a place.
    pub(crate) fn members(&self, place: PlaceIx, sensor_type: SensorType) -> &[u32] {
        self.members
            .find((place, sensor_type), |s| self.location(s))
    }

    /// Where a condition that names this place gets its signal: the nearest place outwards that has a sensor of the type.
    pub(crate) fn resolve_signal(
        &self,
        named: PlaceIx,
        sensor_type: SensorType,
    ) -> Option<PlaceIx> {
        named
            .outwards()
            .find(|p| !self.members(*p, sensor_type).is_empty())
    }

    /// Sum and count of the fresh sensors of a type in a place.
    pub(crate) fn fresh(&self, place: PlaceIx, sensor_type: SensorType) -> (i64, u32) {
        self.members(place, sensor_type)
            .iter()
            .map(|m| &self.readings[*m as usize])
            .filter(|r| r.fresh)
            .fold((0, 0), |(sum, count), r| (sum + r.value, count + 1))
    }

    /// The farm as it is stored now, defaults filled in.
    pub(crate) fn document(&self) -> FarmDocument {
        FarmDocument {
            farm: self.farm.clone(),
            polyhouses: self.places.specs().cloned().collect(),
            sensors: self
                .sensors
                .iter()
                .map(|(_, s)| SensorSpec::unpack(&s.document, &self.words))
                .collect(),
            devices: self.devices.iter().map(|(_, d)| d.document()).collect(),
            rules: self
                .rules
                .iter()
                .map(|(_, r)| RuleSpec::unpack(&r.document, &self.words))
                .collect(),
            alerts: self.alerts.iter().map(|(_, a)| a.document()).collect(),
        }
    }
}
