//! Programs in their farm: resolved against what is registered, given their comparisons, taken up again after a change.

use std::collections::BTreeSet;

use super::{Program, Schedule, Seen, Threshold, Tree, Trigger, tree_number};
use crate::document::{NodeKind, NodeSpec, RuleSpec, TriggerSpec, WhenSpec};
use crate::id::RuleId;
use crate::place::PlaceIx;
use crate::problem::Problems;
use crate::quantity::Quantity;
use crate::rule::{Conditions, Form, Rule};
use crate::setpoint;
use crate::signal::Owner;
use crate::state::State;
use crate::table::Table;
use crate::time::{Duration, Timestamp};

/// Before all.
pub(crate) const NEVER_HANDLED: Timestamp = Timestamp::from_millis(i64::MIN);

impl State {
    /// Resolves a program's trees. What is wrong with them is a problem.
    pub(crate) fn compile_program(
        &self,
        spec: &RuleSpec,
        place: PlaceIx,
        problems: &mut Problems,
    ) -> Program {
        // A condition alone is a tree of one leaf; that of a stop lies, by default, where the trigger does.
        let named = spec.trigger.as_condition().and_then(|c| c.scope.as_ref());
        let named = named.and_then(|scope| self.places.resolve(&self.farm, scope).ok());
        let stop_place = named.unwrap_or(place);
        let trigger = match &spec.trigger {
            TriggerSpec::When(when) => {
                Trigger::Tree(self.compile_when(when, place, "trigger", problems))
            }
            TriggerSpec::Schedule(schedule) => {
                let guard = schedule.guard.as_ref();
                let guard =
                    guard.map(|g| self.compile_tree(g, place, "trigger.schedule.guard", problems));
                let handled = self.clock.unwrap_or(NEVER_HANDLED);
                Trigger::Schedule(Schedule::new(schedule, guard, handled))
            }
        };
        let stop = spec.stop_condition.as_ref().map(|stop| {
            let default = match stop {
                WhenSpec::Condition(_) => stop_place,
                WhenSpec::Tree(_) => place,
            };
            self.compile_when(stop, default, "stop_condition", problems)
        });
        Program::new(trigger, stop, spec.run)
    }

    fn compile_when(
        &self,
        when: &WhenSpec,
        place: PlaceIx,
        path: &str,
        problems: &mut Problems,
    ) -> Tree {
        match when {
            WhenSpec::Tree(tree) => self.compile_tree(&tree.node, place, path, problems),
            WhenSpec::Condition(condition) => {
                let leaf = NodeSpec {
                    kind: NodeKind::Signal(condition.clone()),
                    hold: Duration::ZERO,
                };
                self.compile_tree(&leaf, place, path, problems)
            }
        }
    }

    pub(crate) fn compile_tree(
        &self,
        root: &NodeSpec,
        place: PlaceIx,
        path: &str,
        problems: &mut Problems,
    ) -> Tree {
        for node in root.nodes() {
            let NodeKind::Device { id, .. } = &node.kind else {
                continue;
            };
            if self.devices.index(id.as_str()).is_none() {
                problems.add(path, "unknown", format!("there is no device {id}"));
            }
        }
        for condition in root.setpoints() {
            let path = format!("{path}.setpoint");
            self.check_setpoint(&condition.setpoint, condition.sensor_type, &path, problems);
        }
        Tree::new(root, &mut |sensor_type, scope| {
            self.watch_condition(sensor_type, scope, place, path, problems)
        })
    }

    /// Whether a rule may name the rules that it names: they exist, and none depends on it.
    pub(crate) fn check_dependencies(&self, spec: &RuleSpec) -> Result<(), Problems> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<RuleId> = named_rules(spec);
        for id in &open {
            if *id != spec.id && self.rules.index(id.as_str()).is_none() {
                let message = format!("there is no rule {id}");
                return Err(Problems::one("trigger", "unknown", message));
            }
        }
        while let Some(id) = open.pop() {
            if id == spec.id {
                let message = format!("rule {id} would depend on itself");
                return Err(Problems::one("trigger", "circular", message));
            }
            if seen.insert(id.clone()) {
                let ix = self.rules.index(id.as_str());
                let named = ix.and_then(|ix| self.program_spec(ix));
                open.extend(named.iter().flat_map(named_rules));
            }
        }
        Ok(())
    }

    /// Whether a rule may go: no other one names it, and no alert.
    pub(crate) fn check_unnamed(&self, id: &RuleId) -> Result<(), Problems> {
        let programs = { self.rules.iter() }.filter_map(|(ix, _)| self.program_spec(ix));
        let mut naming = programs.filter(|spec| named_rules(spec).contains(id));
        match naming.next() {
            Some(spec) if spec.id != *id => {
                let message = format!("rule {} depends on it", spec.id);
                return Err(Problems::one("delete", "in_use", message));
            }
            _ => {}
        }
        let names = |node: &&NodeSpec| matches!(&node.kind, NodeKind::Rule(named) if named == id);
        let mut alerts = self.alerts.iter().filter(|(_, alert)| {
            let nodes = alert.spec.only_if.iter().flat_map(|root| root.nodes());
            nodes.into_iter().any(|node| names(&node))
        });
        match alerts.next() {
            Some((_, alert)) => {
                let message = format!("alert {} depends on it", alert.spec.id);
                Err(Problems::one("delete", "in_use", message))
            }
            None => Ok(()),
        }
    }

    /// The document of a rule that is a program.
    fn program_spec(&self, ix: u32) -> Option<RuleSpec> {
        { self.rules.get(ix) }.filter(|rule| rule.form() != Form::Conditions)?;
        self.rule_spec(ix)
    }

    /// Whether a hold of a program, or of one of its branches, still counts samples.
    pub(crate) fn counts_samples(&self, ix: u32) -> bool {
        counts_samples(&self.rules, self.seen(), self.min_samples(), ix)
    }

    /// Gives an active program its comparisons.
    pub(crate) fn attach_program(&mut self, ix: u32, mut program: Program) {
        self.attach_leaves(&mut program, Owner::Rule(ix));
        let stop = program.stop.is_some().then(|| tree_number(ix, true));
        if let Some(rule) = self.rules.get_mut(ix) {
            rule.conditions = Conditions::new(tree_number(ix, false), stop);
        }
        self.programs.put(ix, program);
        self.look_ahead(ix);
    }

    /// Gives trees their comparisons.
    pub(crate) fn attach_leaves(&mut self, program: &mut Program, owner: Owner) {
        for leaf in program.trees_mut().flat_map(Tree::leaves_mut) {
            let signal = self.signal(leaf.watch);
            let bounds = leaf.threshold.bounds();
            let comparison =
                { &mut self.signals }.add_comparison(signal, owner, leaf.operator, bounds);
            leaf.comparison = Some(comparison);
        }
    }

    /// Has trees compare with what their setpoints are at an instant.
    pub(crate) fn follow_setpoints(&mut self, owner: Owner, at: Timestamp) {
        let State {
            programs,
            only_if,
            signals,
            almanac,
            farm,
            ..
        } = self;
        let program = match owner {
            Owner::Rule(ix) => programs.get_mut(ix),
            Owner::Alert(ix) => only_if.get_mut(ix),
            Owner::Curve(_) | Owner::Hours(_) => None,
        };
        let Some(program) = program.filter(|p| p.names_setpoints()) else {
            return;
        };
        for leaf in program.trees_mut().flat_map(Tree::leaves_mut) {
            let Threshold::Setpoint { id, offset, now } = &mut leaf.threshold else {
                continue;
            };
            let setpoint = setpoint::find(&farm.settings.setpoints, id);
            let value = setpoint.and_then(|s| s.value(almanac, at));
            let value = value.map(|v| Quantity::from_micro(v.as_micro() + offset.as_micro()));
            let Some(old) = leaf.comparison.filter(|_| *now != value) else {
                continue;
            };
            *now = value;
            let bounds = leaf.threshold.bounds();
            leaf.comparison = signals.replace_comparison(old, bounds);
        }
    }

    /// Takes away a program's comparisons, and all that is remembered of it.
    pub(crate) fn detach_program(&mut self, ix: u32) {
        let Some(program) = self.programs.take(ix) else {
            return;
        };
        for comparison in program.comparisons() {
            self.signals.remove_comparison(comparison);
        }
    }

    /// Lets a program go on from where it stood in another state of the farm.
    pub(crate) fn take_up_program(&mut self, ix: u32, before: &Self) {
        let (Some(now), Some(was)) = (self.programs.get_mut(ix), before.programs.get(ix)) else {
            return;
        };
        if now.says_the_same(was) {
            for (tree, was) in now.trees_mut().zip(was.trees()) {
                tree.take_up(was.standing(), was.without);
            }
            if let Some((schedule, was)) = now.schedule_mut().zip(was.schedule()) {
                schedule.handled = was.handled;
            }
        }
        self.look_ahead(ix);
    }

    /// Looks for a program's next start and boundary, from the almanac as it is, and for what its setpoints are.
    pub(crate) fn look_ahead(&mut self, ix: u32) {
        if let Some(clock) = self.clock {
            self.follow_setpoints(Owner::Rule(ix), clock);
        }
        let (almanac, clock) = (&self.almanac, self.clock);
        let setpoints = &self.farm.settings.setpoints;
        let Some(program) = self.programs.get_mut(ix) else {
            return;
        };
        if let Some(schedule) = program.schedule_mut() {
            schedule.handle_until(schedule.handled, almanac);
        }
        program.look_ahead(almanac, setpoints, clock.unwrap_or(NEVER_HANDLED));
    }
}

/// The rules that a rule's conditions name.
fn named_rules(spec: &RuleSpec) -> Vec<RuleId> {
    let nodes = spec.trees().into_iter().flat_map(NodeSpec::nodes);
    let named = nodes.filter_map(|node| match &node.kind {
        NodeKind::Rule(id) => Some(id.clone()),
        _ => None,
    });
    named.collect()
}

/// Whether a hold of a program, or of one of its branches, still counts samples.
pub(crate) fn counts_samples(
    rules: &Table<Rule>,
    seen: Seen<'_>,
    min_samples: u8,
    ix: u32,
) -> bool {
    let whole = rules
        .get(ix)
        .is_some_and(|rule| rule.counts_samples(min_samples, seen));
    let program = seen.programs.get(ix);
    whole || program.is_some_and(|p| p.trees().any(|tree| tree.counts_samples(min_samples)))
}
