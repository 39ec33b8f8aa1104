//! Programs: rules whose conditions are trees, that start by the clock, or whose runs have an end.
//!
//! A program is a rule like any other: its phase, holds, claims and what happens without evidence are [`crate::rule`]'s. Only
//! what its conditions come to is worked out here, before the rule is evaluated: a tree stands in for a comparison, under a
//! number of its own ([`tree_number`]). Programs stand apart from the rules, so that a rule that is none costs nothing more.

mod bind;
mod clock;
mod run;
mod schedule;
mod tree;

use std::collections::BTreeMap;

use crate::almanac::Almanac;
use crate::device::Device;
use crate::document::SetpointSpec;
use crate::hold::Completion;
use crate::id::{DeviceId, RuleId};
use crate::rule::{Phase, Rule};
use crate::sensor::Sampled;
use crate::signal::{ComparisonEvidence, Owner, Signals};
use crate::state::State;
use crate::table::Table;
use crate::time::{Duration, Timestamp};
use crate::truth::Truth;

pub(crate) use bind::{NEVER_HANDLED, counts_samples};
pub(crate) use clock::{next_change, truth_at};
pub(crate) use schedule::{Missed, Schedule};
pub(crate) use tree::{Held, Kind, SignalLeaf, Threshold, Tree};

/// What a number of a tree has and one of a comparison has not.
const TREE: u32 = 1 << 31;

/// The number under which a rule's evaluation knows its tree: the trigger's, or that of the stop condition.
pub(crate) const fn tree_number(rule: u32, stop: bool) -> u32 {
    TREE | rule << 1 | stop as u32
}

/// Which tree of which rule, where a number is one of a tree.
const fn tree_of(number: u32) -> Option<(u32, bool)> {
    if number & TREE == 0 {
        return None;
    }
    Some(((number & !TREE) >> 1, number & 1 == 1))
}

/// What the conditions of a program say, and where they stand.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) trigger: Trigger,
    pub(crate) stop: Option<Tree>,
    /// How long it runs at most.
    pub(crate) run: Option<Duration>,
    /// When one of its leaves of time changes its truth.
    boundary: Option<Timestamp>,
}

/// What starts a program.
#[derive(Debug, Clone)]
pub(crate) enum Trigger {
    Tree(Tree),
    Schedule(Schedule),
}

impl Trigger {
    /// Its condition: of a schedule the guard.
    pub(crate) const fn tree(&self) -> Option<&Tree> {
        match self {
            Self::Tree(tree) => Some(tree),
            Self::Schedule(schedule) => schedule.guard.as_ref(),
        }
    }

    const fn tree_mut(&mut self) -> Option<&mut Tree> {
        match self {
            Self::Tree(tree) => Some(tree),
            Self::Schedule(schedule) => schedule.guard.as_mut(),
        }
    }
}

/// What rules see: comparisons, and the trees that stand in for them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) signals: &'a Signals,
    pub(crate) programs: &'a Programs,
}

impl Seen<'_> {
    /// How many samples the signal of a comparison, or a tree, has counted.
    #[inline]
    pub(crate) fn samples(self, number: u32) -> u32 {
        match tree_of(number) {
            None => self.signals.samples(number),
            Some(_) => self.programs.evidence(number).map_or(0, |e| e.counted),
        }
    }

    /// What a tree would be without its signals.
    pub(crate) fn without(self, number: u32) -> Truth {
        let evidence = self.programs.evidence(number);
        evidence.map_or(Truth::Unknown, |e| e.without)
    }

    /// What an evaluation finds of it.
    #[inline]
    pub(crate) fn evidence(self, number: u32, sampled: Sampled) -> ComparisonEvidence {
        match self.programs.evidence(number) {
            None => self.signals.evidence(number, sampled),
            Some(evidence) => evidence,
        }
    }
}

/// What the leaves of a tree look at.
pub(crate) struct Surroundings<'a> {
    pub(crate) now: Timestamp,
    pub(crate) min_samples: u8,
    pub(crate) signals: &'a Signals,
    pub(crate) rules: &'a Table<Rule>,
    pub(crate) devices: &'a Table<Device>,
    pub(crate) almanac: &'a Almanac,
}

impl State {
    /// What leaves look at.
    pub(crate) const fn surroundings(&self, now: Timestamp) -> Surroundings<'_> {
        Surroundings {
            now,
            min_samples: self.farm.settings.min_samples,
            signals: &self.signals,
            rules: &self.rules,
            devices: &self.devices,
            almanac: &self.almanac,
        }
    }
}

impl Surroundings<'_> {
    /// What a comparison comes to, and whether the reading that caused the look is a sample of its signal.
    fn compare(&self, leaf: &SignalLeaf, sampled: Sampled) -> (Truth, bool) {
        match leaf.comparison {
            None => (Truth::Unknown, false),
            Some(comparison) => {
                let evidence = self.signals.evidence(comparison, sampled);
                (evidence.truth, evidence.sample)
            }
        }
    }

    /// What another leaf comes to.
    pub(crate) fn truth(&self, kind: &Kind, at: Timestamp) -> Truth {
        let of = |holds: bool| if holds { Truth::True } else { Truth::False };
        match kind {
            Kind::Rule(id) => {
                let ix = self.rules.index(id.as_str());
                let rule = ix.and_then(|ix| self.rules.get(ix));
                of(rule.is_some_and(|r| matches!(r.phase, Phase::Running { .. })))
            }
            Kind::Device { id, on } => {
                let ix = self.devices.index(id.as_str());
                let device = ix.and_then(|ix| self.devices.get(ix));
                let running = device.filter(|d| d.online).and_then(|d| d.running);
                running.map_or(Truth::Unknown, |running| of(running == *on))
            }
            other => clock::truth_at(other, self.almanac, at).unwrap_or(Truth::Unknown),
        }
    }
}

impl Program {
    pub(crate) const fn new(trigger: Trigger, stop: Option<Tree>, run: Option<Duration>) -> Self {
        Self {
            trigger,
            stop,
            run,
            boundary: None,
        }
    }

    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        let trigger = match (&self.trigger, &other.trigger) {
            (Trigger::Tree(one), Trigger::Tree(another)) => one.says_the_same(another),
            (Trigger::Schedule(one), Trigger::Schedule(another)) => one.says_the_same(another),
            _ => false,
        };
        let stop = match (&self.stop, &other.stop) {
            (Some(one), Some(another)) => one.says_the_same(another),
            (one, another) => one.is_none() && another.is_none(),
        };
        trigger && stop && self.run == other.run
    }

    /// Its trees: trigger or guard, and stop condition.
    pub(crate) fn trees(&self) -> impl Iterator<Item = &Tree> {
        self.trigger.tree().into_iter().chain(&self.stop)
    }

    pub(crate) fn trees_mut(&mut self) -> impl Iterator<Item = &mut Tree> {
        let Self { trigger, stop, .. } = self;
        trigger.tree_mut().into_iter().chain(stop)
    }

    /// The comparisons in its trees, while it is active.
    pub(crate) fn comparisons(&self) -> Vec<u32> {
        let leaves = self.trees().flat_map(Tree::leaves);
        leaves.filter_map(|leaf| leaf.comparison).collect()
    }

    pub(crate) const fn schedule(&self) -> Option<&Schedule> {
        match &self.trigger {
            Trigger::Schedule(schedule) => Some(schedule),
            Trigger::Tree(_) => None,
        }
    }

    pub(crate) const fn schedule_mut(&mut self) -> Option<&mut Schedule> {
        match &mut self.trigger {
            Trigger::Schedule(schedule) => Some(schedule),
            Trigger::Tree(_) => None,
        }
    }

    fn tree(&self, stop: bool) -> Option<&Tree> {
        match (stop, &self.trigger) {
            (true, _) => self.stop.as_ref(),
            (false, Trigger::Tree(tree)) => Some(tree),
            (false, Trigger::Schedule(_)) => None,
        }
    }

    /// Works out what its conditions come to.
    pub(crate) fn observe(
        &mut self,
        around: &Surroundings<'_>,
        sampled: Sampled,
        completion: Completion,
    ) {
        for tree in self.trees_mut() {
            tree.observe(around, sampled, completion);
        }
    }

    /// What an evaluation finds. A schedule has no condition that might be true: what it is not is false, so it never ends.
    fn evidence(&self, stop: bool) -> ComparisonEvidence {
        match self.tree(stop) {
            Some(tree) => ComparisonEvidence {
                truth: tree.truth,
                without: tree.without,
                counted: tree.samples,
                sample: tree.sample,
            },
            None => ComparisonEvidence {
                truth: Truth::True,
                without: Truth::True,
                counted: 0,
                sample: false,
            },
        }
    }

    /// When its run is over, if it runs since then.
    pub(crate) fn run_until(&self, phase: Phase) -> Option<Timestamp> {
        match phase {
            Phase::Running { since, .. } => Some(since + self.run?),
            Phase::Idle | Phase::Pending(_) => None,
        }
    }

    /// When time alone does something: a hold of a branch completes, its run ends, it starts.
    pub(crate) fn deadline(&self, phase: Phase, min_samples: u8) -> Option<Timestamp> {
        let branches = self.trees().filter_map(|tree| tree.deadline(min_samples));
        let start = self.schedule().and_then(Schedule::next);
        branches.chain(self.run_until(phase)).chain(start).min()
    }

    /// When time alone changes what it sees.
    pub(crate) const fn boundary(&self) -> Option<Timestamp> {
        self.boundary
    }

    /// Looks for the next boundary.
    pub(crate) fn look_ahead(
        &mut self,
        almanac: &Almanac,
        setpoints: &[SetpointSpec],
        after: Timestamp,
    ) {
        self.boundary = clock::next_boundary(self.trees(), almanac, setpoints, after);
    }

    /// Its first boundary after an instant, by the days alone.
    pub(crate) fn boundary_after(&self, almanac: &Almanac, after: Timestamp) -> Option<Timestamp> {
        clock::next_boundary(self.trees(), almanac, &[], after)
    }

    /// Whether any of its comparisons is with a setpoint.
    pub(crate) fn names_setpoints(&self) -> bool {
        let mut leaves = self.trees().flat_map(Tree::leaves);
        leaves.any(|leaf| matches!(leaf.threshold, Threshold::Setpoint { .. }))
    }
}

/// The programs among the rules that are active.
#[derive(Debug, Clone, Default)]
pub(crate) struct Programs {
    /// By the rule's number.
    all: Vec<Option<Box<Program>>>,
    /// Who names a rule or a device in a condition.
    of_rules: BTreeMap<RuleId, Vec<u32>>,
    of_devices: BTreeMap<DeviceId, Vec<u32>>,
}

impl Programs {
    pub(crate) fn get(&self, rule: u32) -> Option<&Program> {
        self.all.get(rule as usize)?.as_deref()
    }

    pub(crate) fn get_mut(&mut self, rule: u32) -> Option<&mut Program> {
        self.all.get_mut(rule as usize)?.as_deref_mut()
    }

    /// The numbers of the rules that are programs, ascending.
    pub(crate) fn rules(&self) -> Vec<u32> {
        let all = (0..).zip(&self.all);
        all.filter_map(|(ix, program)| program.as_ref().map(|_| ix))
            .collect()
    }

    /// All of them, to be looked at.
    pub(crate) fn owners(&self) -> Vec<Owner> {
        self.rules().into_iter().map(Owner::Rule).collect()
    }

    pub(crate) fn put(&mut self, rule: u32, program: Program) {
        let at = rule as usize;
        if at >= self.all.len() {
            self.all.resize_with(at + 1, || None);
        }
        for kind in program.trees().flat_map(Tree::kinds) {
            match kind {
                Kind::Rule(id) => enlist(self.of_rules.entry(id.clone()).or_default(), rule),
                Kind::Device { id, .. } => {
                    enlist(self.of_devices.entry(id.clone()).or_default(), rule);
                }
                _ => {}
            }
        }
        self.all[at] = Some(Box::new(program));
    }

    pub(crate) fn take(&mut self, rule: u32) -> Option<Program> {
        let program = *self.all.get_mut(rule as usize)?.take()?;
        for kind in program.trees().flat_map(Tree::kinds) {
            match kind {
                Kind::Rule(id) => strike(&mut self.of_rules, id, rule),
                Kind::Device { id, .. } => strike(&mut self.of_devices, id, rule),
                _ => {}
            }
        }
        Some(program)
    }

    /// The active rules that look at whether another runs.
    pub(crate) fn readers_of_rule(&self, id: &RuleId) -> &[u32] {
        self.of_rules.get(id).map_or(&[], Vec::as_slice)
    }

    /// The active rules that look at what a device does.
    pub(crate) fn readers_of_device(&self, id: &DeviceId) -> &[u32] {
        self.of_devices.get(id).map_or(&[], Vec::as_slice)
    }

    /// The devices that active rules look at, by id.
    pub(crate) fn devices_read(&self) -> impl Iterator<Item = &DeviceId> {
        self.of_devices.keys()
    }

    /// What an evaluation finds under a number, where it is one of a tree.
    #[inline]
    fn evidence(&self, number: u32) -> Option<ComparisonEvidence> {
        let (rule, stop) = tree_of(number)?;
        Some(self.get(rule)?.evidence(stop))
    }
}

fn enlist(readers: &mut Vec<u32>, rule: u32) {
    if let Err(at) = readers.binary_search(&rule) {
        readers.insert(at, rule);
    }
}

fn strike<K: Ord>(readers: &mut BTreeMap<K, Vec<u32>>, named: &K, rule: u32) {
    if let Some(all) = readers.get_mut(named) {
        all.retain(|r| *r != rule);
        if all.is_empty() {
            readers.remove(named);
        }
    }
}
