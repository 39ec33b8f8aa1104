//! Everything that an engine knows: what is registered, and where each thing stands.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hint::black_box;

use crate::alert::Alert;
use crate::almanac::Almanac;
use crate::curve::Followers;
use crate::derived::{Extreme, Statistic};
use crate::device::Device;
use crate::document::{
    AlertEvidence, AlertSpec, ConditionSpec, FarmDocument, FarmSpec, PackedAction, Problems,
    RuleSpec, ScopeSpec, SensorSpec, WhenSpec,
};
use crate::hours::AllHours;
use crate::id::{AlertId, RuleId};
use crate::interner::Interner;
use crate::limits::AllTies;
use crate::members::{Location, Members};
use crate::memory::Memory;
use crate::place::{PlaceIx, Places};
use crate::program::{Program, Programs, Seen, Tree};
use crate::rule::{Action, ActionEffect, Conditions, Form, Rule, whole_secs};
use crate::sensor::{Counters, NO_SIGNAL, Sensor, SensorState};
use crate::sensor_type::SensorType;
use crate::setting::Order;
use crate::signal::{Owner, Signals};
use crate::table::Table;
use crate::time::{Duration, Timestamp};
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

/// A condition that is resolved: which signal it watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Watch {
    /// The place that the document names, defaults filled in.
    pub(crate) named: PlaceIx,
    /// The place whose signal it gets.
    pub(crate) place: PlaceIx,
    pub(crate) sensor_type: SensorType,
}

/// A rule document, resolved against the farm.
#[derive(Debug, Clone)]
pub(crate) struct CompiledRule {
    pub(crate) place: PlaceIx,
    pub(crate) conditions: CompiledConditions,
    /// What its curves watch.
    pub(crate) curves: Vec<Watch>,
}

/// What a rule watches.
#[derive(Debug, Clone)]
pub(crate) enum CompiledConditions {
    /// A signal each.
    Signals { trigger: Watch, stop: Option<Watch> },
    /// What its trees do.
    Program(Box<Program>),
}

impl CompiledRule {
    /// The signals that its conditions watch.
    pub(crate) fn watches(&self) -> Vec<Watch> {
        let mut all = self.watched_by_conditions();
        all.extend(&self.curves);
        all
    }

    fn watched_by_conditions(&self) -> Vec<Watch> {
        match &self.conditions {
            CompiledConditions::Signals { trigger, stop } => {
                std::iter::once(*trigger).chain(*stop).collect()
            }
            CompiledConditions::Program(program) => {
                let leaves = program.trees().flat_map(Tree::leaves);
                leaves.map(|leaf| leaf.watch).collect()
            }
        }
    }
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

    fn watch(
        &self,
        named: PlaceIx,
        sensor_type: SensorType,
        path: &str,
        problems: &mut Problems,
    ) -> Watch {
        let place = self.resolve_signal(named, sensor_type);
        if place.is_none() {
            problems.add(
                path,
                "no_sensor",
                format!(
                    "no {sensor_type} sensor is registered in the scope or in one that encloses it"
                ),
            );
        }
        Watch {
            named,
            place: place.unwrap_or(named),
            sensor_type,
        }
    }

    /// Resolves a rule against what is registered, or says all that is wrong.
    pub(crate) fn compile_rule(&self, spec: &RuleSpec) -> Result<CompiledRule, Problems> {
        let mut problems = Problems::default();
        let place = self.place_named(Some(&spec.scope), PlaceIx::FARM, "scope", &mut problems);
        let conditions = if spec.is_program() {
            let program = self.compile_program(spec, place, &mut problems);
            CompiledConditions::Program(Box::new(program))
        } else {
            self.compile_conditions(spec, place, &mut problems)
        };
        let mut curves = Vec::new();
        for (i, action) in spec.actions.iter().enumerate() {
            if let Some(curve) = &action.curve {
                let path = format!("actions[{i}].curve");
                curves.push(self.watch_curve(curve, place, &path, &mut problems));
            }
            if self.devices.index(action.device_id.as_str()).is_none() {
                problems.add(
                    format!("actions[{i}].device_id"),
                    "unknown",
                    format!("there is no device {}", action.device_id),
                );
                continue;
            }
            if let Err(e) = Order::compile(&action.command) {
                problems.add(
                    format!("actions[{i}].command.{}", e.field()),
                    e.code(),
                    e.to_string(),
                );
            }
        }
        problems.into_result(CompiledRule {
            place,
            conditions,
            curves,
        })
    }

    /// The place that a scope names, or the default; what is wrong with it is a problem.
    fn place_named(
        &self,
        scope: Option<&ScopeSpec>,
        default: PlaceIx,
        path: &str,
        problems: &mut Problems,
    ) -> PlaceIx {
        let Some(scope) = scope else {
            return default;
        };
        self.places.resolve(&self.farm, scope).unwrap_or_else(|e| {
            problems.0.extend(e.under(path).0);
            default
        })
    }

    /// Resolves a condition's signal.
    pub(crate) fn watch_condition(
        &self,
        sensor_type: SensorType,
        scope: Option<&ScopeSpec>,
        default: PlaceIx,
        path: &str,
        problems: &mut Problems,
    ) -> Watch {
        let place = self.place_named(scope, default, &format!("{path}.scope"), problems);
        let path = format!("{path}.sensor_type");
        self.watch(place, sensor_type, &path, problems)
    }

    /// Resolves the conditions of a rule that is no program.
    fn compile_conditions(
        &self,
        spec: &RuleSpec,
        place: PlaceIx,
        problems: &mut Problems,
    ) -> CompiledConditions {
        let mut watch = |c: &ConditionSpec, default, path: &str| {
            let scope = c.scope.as_ref();
            self.watch_condition(c.sensor_type, scope, default, path, problems)
        };
        let nowhere = Watch {
            named: place,
            place,
            sensor_type: SensorType::Temperature,
        };
        let trigger = spec.trigger.as_condition();
        let trigger = trigger.map_or(nowhere, |c| watch(c, place, "trigger"));
        let stop = spec
            .stop_condition
            .as_ref()
            .and_then(WhenSpec::as_condition);
        let stop = stop.map(|c| watch(c, trigger.named, "stop_condition"));
        CompiledConditions::Signals { trigger, stop }
    }

    /// A rule's document.
    pub(crate) fn rule_spec(&self, ix: u32) -> Option<RuleSpec> {
        let rule = self.rules.get(ix)?;
        Some(RuleSpec::unpack(&rule.document, &self.words))
    }

    fn packed_actions(&self, rule: u32) -> impl Iterator<Item = PackedAction<'_>> {
        let rule = self.rules.get(rule).into_iter();
        rule.flat_map(|r| RuleSpec::unpack_actions(&r.document, &self.words))
    }

    /// What an action does. Its device is there: none goes while a rule names it.
    fn compile_action(&self, ix: usize, action: PackedAction<'_>) -> Option<Action> {
        let device = self.words.device(action.device)?;
        let effect = match Order::parse(action.action, action.value).ok()? {
            Order::Pulse { secs } => ActionEffect::Pulse { secs },
            order => ActionEffect::Claim {
                setting: order.setting_for(self.devices.get(device)?.spec.device_type)?,
                lasts: action.lasts.map_or(0, whole_secs),
                linger: action
                    .linger
                    .map_or(0, |l| u8::try_from(whole_secs(l)).unwrap_or(u8::MAX)),
                curve: { action.curve }.and_then(|_| u8::try_from(ix).ok()),
            },
        };
        Some(Action { device, effect })
    }

    /// One of a rule's actions.
    pub(crate) fn action(&self, rule: u32, action: usize) -> Option<Action> {
        let packed = self.packed_actions(rule).nth(action)?;
        self.compile_action(action, packed)
    }

    /// What a rule does when it fires.
    pub(crate) fn actions_at_once(&self, rule: u32) -> impl Iterator<Item = Action> {
        let at_once = self.packed_actions(rule).enumerate();
        at_once
            .filter(|(_, a)| a.delay == Duration::ZERO)
            .filter_map(|(ix, a)| self.compile_action(ix, a))
    }

    /// The devices that a rule's actions are about.
    pub(crate) fn devices_of(&self, rule: u32) -> Vec<u32> {
        let actions = self.packed_actions(rule);
        actions
            .filter_map(|a| self.words.device(a.device))
            .collect()
    }

    /// Has the words that name a rule's devices lead to them.
    pub(crate) fn bind_devices(&mut self, rule: u32, spec: &RuleSpec) {
        let named: Vec<u32> = self.packed_actions(rule).map(|a| a.device).collect();
        for (word, action) in named.into_iter().zip(&spec.actions) {
            if let Some(device) = self.devices.index(action.device_id.as_str()) {
                self.words.name_device(word, device);
            }
        }
    }

    /// Puts a rule in the place of the one of its id, without comparisons.
    pub(crate) fn put_rule(&mut self, spec: &RuleSpec, compiled: &CompiledRule) -> u32 {
        let document = spec.pack(&mut self.words);
        let (ix, old) = self
            .rules
            .put(Rule::new(document, spec, compiled.place.specificity()));
        if let Some(old) = old {
            old.document.release(&mut self.words);
        }
        self.bind_devices(ix, spec);
        self.ranked = false;
        ix
    }

    /// Puts a document in the place of one that says the same in all that matters.
    pub(crate) fn relabel_rule(&mut self, ix: u32, spec: &RuleSpec) {
        let document = spec.pack(&mut self.words);
        if let Some(rule) = self.rules.get_mut(ix) {
            std::mem::replace(&mut rule.document, document).release(&mut self.words);
        }
        self.bind_devices(ix, spec);
    }

    /// Gives each rule its place in the order in which rules act: by priority, then by id.
    pub(crate) fn rank_rules(&mut self) {
        let rules = &self.rules;
        let mut all = rules.indices();
        all.sort_by_key(|ix| rules.get(*ix).map(|r| Reverse(r.priority)));
        for (ix, rank) in all.into_iter().zip(0..) {
            if let Some(rule) = self.rules.get_mut(ix) {
                rule.rank = rank;
            }
        }
        self.ranked = true;
    }

    /// Remembers whether a person takes a rule that runs out of service with this edit.
    pub(crate) fn note_withdrawn(&mut self, ix: u32, new: &RuleSpec, now: Timestamp) {
        if new.is_active() {
            self.withdrawn.remove(&new.id);
        } else if self.rule_spec(ix).is_some_and(|old| old.is_active()) {
            self.withdrawn.insert(new.id.clone(), now);
        }
    }

    pub(crate) fn remove_rule(&mut self, id: &RuleId) {
        if let Some(old) = self.rules.remove(id.as_str()) {
            old.document.release(&mut self.words);
        }
    }

    /// Resolves an alert's conditions, and those of its tree after them, against what is registered, or says all that is wrong.
    pub(crate) fn compile_alert(&self, spec: &AlertSpec) -> Result<Vec<Watch>, Problems> {
        let mut problems = Problems::default();
        let place = spec
            .scope
            .as_ref()
            .map_or(Ok(PlaceIx::FARM), |s| self.places.resolve(&self.farm, s))
            .unwrap_or_else(|e| {
                problems.0.extend(e.under("scope").0);
                PlaceIx::FARM
            });
        let beside = self.compile_only_if(spec, place, &mut problems);
        let beside = beside.iter().flat_map(Tree::leaves).map(|leaf| leaf.watch);
        let beside: Vec<Watch> = beside.collect();
        let watches = spec.conditions.iter().enumerate();
        let watches = watches
            .map(|(i, c)| {
                self.watch(
                    place,
                    c.sensor.sensor_type(),
                    &format!("conditions[{i}].sensor"),
                    &mut problems,
                )
            })
            .chain(beside)
            .collect();
        problems.into_result(watches)
    }

    /// The signal of a resolved condition; it exists from the first condition that watches it.
    pub(crate) fn signal(&mut self, watch: Watch) -> u32 {
        if let Some(ix) = self.signals.find(watch.place, watch.sensor_type) {
            return ix;
        }
        let (sum, count) = self.fresh(watch.place, watch.sensor_type);
        let ix = self.signals.add(watch.place, watch.sensor_type, sum, count);
        let (sensors, readings) = (&self.sensors, &self.readings);
        let members = self.members.find((watch.place, watch.sensor_type), |s| {
            let place = sensors.get(s).map_or(PlaceIx::FARM, |s| s.place);
            (place, readings[s as usize].sensor_type)
        });
        for m in members {
            let signals = &mut self.readings[*m as usize].signals;
            if let Some(free) = signals.iter_mut().find(|s| **s == NO_SIGNAL) {
                *free = ix;
            }
        }
        ix
    }

    /// What a resolved condition compares: the signal itself, or one that is derived from it.
    fn compared(&mut self, watch: Watch, statistic: Statistic) -> u32 {
        let base = self.signal(watch);
        if statistic == Statistic::Mean {
            return base;
        }
        let (sensors, readings) = (&self.sensors, &self.readings);
        let members = self.members.find((watch.place, watch.sensor_type), |s| {
            let place = sensors.get(s).map_or(PlaceIx::FARM, |s| s.place);
            (place, readings[s as usize].sensor_type)
        });
        let value = |s: u32| readings[s as usize].fresh_value();
        self.signals.derive(base, statistic, || {
            Extreme::new(base, statistic, members, value)
        })
    }

    /// Gives an active rule its comparisons.
    pub(crate) fn attach_rule(&mut self, ix: u32, spec: &RuleSpec, compiled: &CompiledRule) {
        if !spec.is_active() {
            return;
        }
        let owner = Owner::Rule(ix);
        let (trigger, stop) = match &compiled.conditions {
            CompiledConditions::Program(program) => {
                return self.attach_program(ix, (**program).clone());
            }
            CompiledConditions::Signals { trigger, stop } => (*trigger, *stop),
        };
        let mut comparison = |c: &ConditionSpec, watch| {
            let signal = self.signal(watch);
            self.signals
                .add_comparison(signal, owner, c.operator, c.value, c.value_max)
        };
        let Some(trigger) = spec.trigger.as_condition().map(|c| comparison(c, trigger)) else {
            return;
        };
        let spec_stop = spec
            .stop_condition
            .as_ref()
            .and_then(WhenSpec::as_condition);
        let stop = { spec_stop.zip(stop) }.map(|(s, watch)| comparison(s, watch));
        if let Some(rule) = self.rules.get_mut(ix) {
            rule.conditions = Conditions::new(trigger, stop);
        }
    }

    /// Gives a watched alert its comparisons.
    pub(crate) fn attach_alert(&mut self, ix: u32, watches: &[Watch]) {
        let Some(alert) = self.alerts.get(ix) else {
            return;
        };
        if !alert.spec.is_active {
            return;
        }
        let conditions = alert.spec.conditions.clone();
        let worst = alert.spec.evidence == Some(AlertEvidence::Worst);
        let mut comparisons = Vec::with_capacity(watches.len());
        for (c, watch) in conditions.iter().zip(watches) {
            let statistic = if worst {
                Statistic::worst(c.operator)
            } else {
                Statistic::Mean
            };
            let signal = self.compared(*watch, statistic);
            comparisons.push(self.signals.add_comparison(
                signal,
                Owner::Alert(ix),
                c.operator,
                c.value,
                None,
            ));
        }
        let beside = self.alerts.get(ix).and_then(|alert| {
            let scope = alert.spec.scope.as_ref();
            let mut none = Problems::default();
            let place = self.place_named(scope, PlaceIx::FARM, "scope", &mut none);
            self.compile_only_if(&alert.spec, place, &mut none)
        });
        if let Some(tree) = beside {
            self.attach_only_if(ix, tree);
        }
        if let Some(alert) = self.alerts.get_mut(ix) {
            alert.comparisons = comparisons.into();
        }
    }

    /// Takes away a rule's comparisons.
    pub(crate) fn detach_rule(&mut self, ix: u32) {
        let Some(rule) = self.rules.get_mut(ix) else {
            return;
        };
        let conditions = std::mem::replace(&mut rule.conditions, Conditions::INACTIVE);
        if rule.form() != Form::Conditions {
            return self.detach_program(ix);
        }
        for comparison in [conditions.trigger(), conditions.stop()]
            .into_iter()
            .flatten()
        {
            self.signals.remove_comparison(comparison);
        }
    }

    /// Takes away an alert's comparisons.
    pub(crate) fn detach_alert(&mut self, ix: u32) {
        self.detach_only_if(ix);
        let Some(alert) = self.alerts.get_mut(ix) else {
            return;
        };
        for comparison in std::mem::take(&mut alert.comparisons) {
            self.signals.remove_comparison(comparison);
        }
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
