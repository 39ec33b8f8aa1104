//! Rules and alerts in their places: what they do, and the comparisons that they have while they are active.

use std::cmp::Reverse;

use crate::compile::{CompiledConditions, CompiledRule, Watch};
use crate::derived::{Extreme, Statistic};
use crate::document::{AlertEvidence, ConditionSpec, PackedAction, RuleSpec, WhenSpec};
use crate::id::RuleId;
use crate::place::PlaceIx;
use crate::problem::Problems;
use crate::rule::{Action, ActionEffect, Conditions, Form, Rule, whole_secs};
use crate::sensor::NO_SIGNAL;
use crate::setting::Order;
use crate::signal::Owner;
use crate::state::State;
use crate::time::{Duration, Timestamp};

impl State {
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
                .add_comparison(signal, owner, c.operator, Some((c.value, c.value_max)))
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
                Some((c.value, None)),
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
}
