//! What an alert asks beside its conditions: a tree as rules have them. It stands apart from the alerts, so that one without
//! it costs nothing more.

use crate::almanac::Almanac;
use crate::document::{AlertSpec, NodeKind};
use crate::engine::Engine;
use crate::hold::Completion;
use crate::place::PlaceIx;
use crate::problem::Problems;
use crate::program::{Held, Program, Surroundings, Tree, Trigger};
use crate::sensor::{NOTHING_SAMPLED, Sampled};
use crate::signal::Owner;
use crate::state::State;
use crate::time::Timestamp;
use crate::truth::Truth;

impl State {
    /// Resolves what an alert asks beside its conditions. What is wrong with it is a problem.
    pub(crate) fn compile_only_if(
        &self,
        spec: &AlertSpec,
        place: PlaceIx,
        problems: &mut Problems,
    ) -> Option<Tree> {
        let root = spec.only_if.as_deref()?;
        for node in root.nodes() {
            if let NodeKind::Rule(id) = &node.kind
                && self.rules.index(id.as_str()).is_none()
            {
                problems.add("only_if", "unknown", format!("there is no rule {id}"));
            }
        }
        Some(self.compile_tree(root, place, "only_if", problems))
    }

    /// Gives a watched alert its tree.
    pub(crate) fn attach_only_if(&mut self, ix: u32, tree: Tree) {
        let mut program = Program::new(Trigger::Tree(tree), None, None);
        self.attach_leaves(&mut program, Owner::Alert(ix));
        self.only_if.put(ix, program);
        self.look_ahead_only_if(ix);
    }

    /// Takes away an alert's tree, and all that is remembered of it.
    pub(crate) fn detach_only_if(&mut self, ix: u32) {
        for comparison in self.only_if.take(ix).iter().flat_map(Program::comparisons) {
            self.signals.remove_comparison(comparison);
        }
    }

    /// Looks for the next boundary of an alert's tree, from the almanac as it is.
    pub(crate) fn look_ahead_only_if(&mut self, ix: u32) {
        if let Some(clock) = self.clock {
            self.follow_setpoints(Owner::Alert(ix), clock);
        }
        let clock = self.clock.unwrap_or(crate::program::NEVER_HANDLED);
        self.look_ahead_only_if_after(ix, clock);
    }

    fn look_ahead_only_if_after(&mut self, ix: u32, after: Timestamp) {
        let almanac: &Almanac = &self.almanac;
        if let Some(program) = self.only_if.get_mut(ix) {
            program.look_ahead(almanac, &self.farm.settings.setpoints, after);
        }
    }

    /// Lets an alert's tree go on from where it stood in another state of the farm.
    pub(crate) fn take_up_only_if(&mut self, ix: u32, before: &Self) {
        let (Some(now), Some(was)) = (self.only_if.get_mut(ix), before.only_if.get(ix)) else {
            return;
        };
        if now.says_the_same(was) {
            for (tree, was) in now.trees_mut().zip(was.trees()) {
                tree.take_up(was.standing(), was.without);
                tree.interrupted = was.interrupted;
            }
        }
    }

    /// Lets an alert's tree go on from where it stood.
    pub(crate) fn restore_only_if(
        &mut self,
        ix: u32,
        (held, without): (&[Option<Held>], Truth),
        interrupted: u32,
    ) {
        let program = self.only_if.get_mut(ix);
        for tree in program.into_iter().flat_map(Program::trees_mut) {
            tree.take_up(held, without);
            tree.interrupted = interrupted;
        }
        self.look_ahead_only_if(ix);
    }

    /// The rules and alerts that have trees, to be looked at.
    pub(crate) fn owners_of_trees(&self) -> Vec<Owner> {
        let alerts = self.only_if.rules().into_iter().map(Owner::Alert);
        let own = self.programs.owners().into_iter().chain(alerts);
        own.chain(self.hours.owners()).collect()
    }

    /// The tree of a watched alert.
    pub(crate) fn only_if(&self, ix: u32) -> Option<&Tree> {
        self.only_if.get(ix)?.trigger.tree()
    }

    /// Whether the hold of an alert on the opposite needs no samples now.
    pub(crate) fn clears_without_samples(&self, ix: u32) -> bool {
        let active = self.alerts.get(ix).is_some_and(|a| a.active);
        active && (self.only_if(ix)).is_some_and(|tree| tree.without == Truth::False)
    }

    /// When time alone does something to an alert's holds.
    pub(crate) fn alert_deadline(&self, ix: u32) -> Option<Timestamp> {
        let min_samples = self.min_samples();
        let free = self.clears_without_samples(ix);
        let own = self.alerts.get(ix)?.deadline(min_samples, free);
        let branches = self.only_if(ix).and_then(|tree| tree.deadline(min_samples));
        own.into_iter().chain(branches).min()
    }

    /// Whether a hold of an alert, or of a branch of its tree, still counts samples.
    pub(crate) fn alert_counts_samples(&self, ix: u32) -> bool {
        let min_samples = self.min_samples();
        let own = { self.alerts.get(ix) }.is_some_and(|a| a.counts_samples(min_samples));
        own || (self.only_if(ix)).is_some_and(|tree| tree.counts_samples(min_samples))
    }
}

impl Engine {
    /// Works out what an alert's tree comes to.
    pub(crate) fn observe_only_if(
        &mut self,
        ix: u32,
        now: Timestamp,
        sampled: Sampled,
        completion: Completion,
    ) {
        if self.state.only_if.get(ix).is_none() {
            return;
        }
        self.state.follow_setpoints(Owner::Alert(ix), now);
        let raised = self.state.alerts.get(ix).is_some_and(|a| a.active);
        let State {
            only_if,
            signals,
            rules,
            devices,
            almanac,
            farm,
            ..
        } = &mut self.state;
        let around = Surroundings {
            now,
            min_samples: farm.settings.min_samples,
            signals,
            rules,
            devices,
            almanac,
        };
        if let Some(program) = only_if.get_mut(ix) {
            program.trees_mut().for_each(|tree| tree.is_of(raised));
            program.observe(&around, sampled, completion);
        }
    }

    /// Works out what alerts' trees come to, after the state was set by other means than inputs.
    pub(crate) fn look_at_only_ifs(&mut self) {
        let Some(clock) = self.state.clock else {
            return;
        };
        for ix in self.state.only_if.rules() {
            self.observe_only_if(ix, clock, NOTHING_SAMPLED, Completion::Waits);
        }
    }

    /// Has all alerts with a tree looked at, after the days that are known have changed.
    pub(crate) fn touch_only_if(&mut self) {
        for ix in self.state.only_if.rules() {
            self.state.look_ahead_only_if(ix);
            self.watch_alert(ix);
            self.dirty.push(Owner::Alert(ix));
        }
    }

    /// After an outage: holds of branches that need no samples begin anew, the others need one more; boundaries are behind.
    pub(crate) fn resume_only_if(&mut self, now: Timestamp, most: u8) {
        for ix in self.state.only_if.rules() {
            let raised = self.state.alerts.get(ix).is_some_and(|a| a.active);
            let program = self.state.only_if.get_mut(ix);
            for tree in program.into_iter().flat_map(Program::trees_mut) {
                tree.is_of(raised);
                tree.weaken(most);
            }
            self.state.look_ahead_only_if_after(ix, now);
        }
    }
}
