//! Programs at work: what their conditions come to, what they do then, and what time and the almanac do to them.

use super::{Missed, Program, Seen, Surroundings, Trigger};
use crate::almanac::AlmanacDay;
use crate::engine::Engine;
use crate::event::{Event, SkipReason};
use crate::hold::Completion;
use crate::id::{DeviceId, RuleId};
use crate::rule::{Phase, Skip, Transition};
use crate::sensor::Sampled;
use crate::signal::Owner;
use crate::state::State;
use crate::time::Timestamp;
use crate::timer::Timer;

impl Engine {
    /// Works out what the conditions of some programs come to, all with the phases that rules have now.
    pub(crate) fn observe_programs(
        &mut self,
        programs: &[u32],
        now: Timestamp,
        sampled: Sampled,
        completion: Completion,
    ) {
        for ix in programs {
            self.state.follow_setpoints(Owner::Rule(*ix), now);
        }
        let State {
            programs: all,
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
        for ix in programs {
            if let Some(program) = all.get_mut(*ix) {
                program.observe(&around, sampled, completion);
            }
        }
    }

    /// Whether a program is about to act at `now`.
    pub(crate) fn program_acts(&mut self, ix: u32, now: Timestamp, completion: Completion) -> bool {
        let (phase, transition) = self.evaluate_program(ix, now, completion);
        let starts = self.start_due(ix, now, completion).is_some();
        if transition == Transition::None && !starts {
            if let Some(rule) = self.state.rules.get_mut(ix) {
                rule.enter(phase, transition);
            }
            self.watch_rule(ix);
            return false;
        }
        true
    }

    /// Has a program do all that is to be done at `now`: it may stop and start again.
    pub(crate) fn run_program(
        &mut self,
        ix: u32,
        now: Timestamp,
        completion: Completion,
        events: &mut Vec<Event>,
    ) {
        loop {
            let (phase, transition) = self.evaluate_program(ix, now, completion);
            self.enter_program(ix, phase, transition, now, events);
            if transition == Transition::None {
                match self.start_due(ix, now, completion) {
                    None => break,
                    Some(_) if completion == Completion::Resumes => {
                        self.resume_schedule(ix, now, events);
                    }
                    Some(start) => self.start_by_schedule(ix, start, now, events),
                }
            }
        }
        self.watch_rule(ix);
    }

    fn enter_program(
        &mut self,
        ix: u32,
        phase: Phase,
        transition: Transition,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) {
        if let Some(rule) = self.state.rules.get_mut(ix) {
            rule.enter(phase, transition);
        }
        self.perform(ix, transition, now, events);
    }

    fn evaluate_program(
        &self,
        ix: u32,
        now: Timestamp,
        completion: Completion,
    ) -> (Phase, Transition) {
        let (Some(rule), Some(program)) = (self.state.rules.get(ix), self.state.programs.get(ix))
        else {
            return (Phase::Idle, Transition::None);
        };
        let seen = self.state.seen();
        let evidence = |number| seen.evidence(number, crate::sensor::NOTHING_SAMPLED);
        let acts = completion.acts();
        let run_until = program.run_until(rule.phase);
        rule.evaluate_program(now, evidence, self.state.min_samples(), acts, run_until)
    }

    /// The start that a schedule has to handle now.
    fn start_due(&self, ix: u32, now: Timestamp, completion: Completion) -> Option<Timestamp> {
        let schedule = self.state.programs.get(ix)?.schedule()?;
        let due = schedule.next().filter(|start| *start <= now);
        due.filter(|_| completion.acts())
    }

    /// Handles a start.
    fn start_by_schedule(
        &mut self,
        ix: u32,
        start: Timestamp,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) {
        let almanac = &self.state.almanac;
        let schedule = { self.state.programs.get_mut(ix) }.and_then(Program::schedule_mut);
        let Some((schedule, rule)) = schedule.zip(self.state.rules.get(ix)) else {
            return;
        };
        schedule.handle_until(start, almanac);
        let skip = |reason| {
            let count = None;
            Transition::Skipped(Skip {
                reason,
                start,
                count,
            })
        };
        let (phase, transition) = match (rule.phase, schedule.is_let()) {
            (running @ Phase::Running { .. }, _) => (running, skip(SkipReason::Running)),
            (idle, Err(reason)) => (idle, skip(reason)),
            (_, Ok(())) => {
                let seen = Seen {
                    signals: &self.state.signals,
                    programs: &self.state.programs,
                };
                let evidence = |number| seen.evidence(number, crate::sensor::NOTHING_SAMPLED);
                rule.start_by_schedule(now, evidence)
            }
        };
        self.enter_program(ix, phase, transition, now, events);
    }

    /// Sees to it that a program's holds get the samples that they lack, and that what time does to it is done in time.
    pub(crate) fn watch_program(&mut self, ix: u32) {
        for timer in [Timer::RuleHold, Timer::Boundary] {
            if let Some(deadline) = self.state.deadline(timer, ix) {
                self.timers.set(timer, ix, deadline);
            }
        }
        if !self.state.counts_samples(ix) {
            return;
        }
        let program = self.state.programs.get(ix);
        for comparison in program.map(Program::comparisons).unwrap_or_default() {
            self.state.signals.await_samples(comparison);
        }
    }

    /// Those whose conditions look at a rule look again.
    pub(crate) fn touch_readers_of_rule(&mut self, id: &RuleId) {
        let readers = self.state.programs.readers_of_rule(id);
        self.dirty.extend(readers.iter().copied().map(Owner::Rule));
        let readers = self.state.only_if.readers_of_rule(id);
        self.dirty.extend(readers.iter().copied().map(Owner::Alert));
    }

    /// Those whose conditions look at a device look again.
    pub(crate) fn touch_readers_of_device(&mut self, id: &DeviceId) {
        let readers = self.state.programs.readers_of_device(id);
        self.dirty.extend(readers.iter().copied().map(Owner::Rule));
        let readers = self.state.only_if.readers_of_device(id);
        self.dirty.extend(readers.iter().copied().map(Owner::Alert));
        let readers = self.state.hours.trees.readers_of_device(id);
        self.dirty.extend(readers.iter().copied().map(Owner::Hours));
    }

    /// Programs that see another time now than before, and curves that waited for it.
    pub(crate) fn pass_boundaries(&mut self, at: Timestamp) {
        let curves = self.due(Timer::Curve, at).into_iter();
        self.dirty.extend(curves.map(Owner::Curve));
        for ix in self.due(Timer::AlertBoundary, at) {
            self.dirty.push(Owner::Alert(ix));
            self.state.look_ahead_only_if(ix);
            self.watch_alert(ix);
        }
        for ix in self.due(Timer::Boundary, at) {
            self.dirty.push(Owner::Rule(ix));
            self.look_ahead(ix);
        }
    }

    /// Looks for a program's next start and boundary, and keeps them.
    fn look_ahead(&mut self, ix: u32) {
        self.state.look_ahead(ix);
        self.watch_rule(ix);
    }

    /// Takes days. Starts up to now are done with, whatever the days say.
    pub(crate) fn put_almanac(&mut self, days: &[AlmanacDay], now: Timestamp) {
        self.state.almanac.put(days);
        for ix in self.state.programs.rules() {
            let program = self.state.programs.get_mut(ix);
            if let Some(schedule) = program.and_then(Program::schedule_mut) {
                schedule.handled = schedule.handled.max(now);
            }
            self.look_ahead(ix);
            self.dirty.push(Owner::Rule(ix));
        }
        self.dirty.extend(self.state.curves.owners());
        self.touch_only_if();
        self.touch_hours(now);
    }

    /// After an outage: holds that need no samples begin anew, the others need one more; boundaries are behind.
    pub(crate) fn resume_programs(&mut self, now: Timestamp, most: u8) {
        self.resume_only_if(now, most);
        for ix in self.state.programs.rules() {
            if let Some(program) = self.state.programs.get_mut(ix) {
                program.trees_mut().for_each(|tree| tree.weaken(most));
            }
            if let Some(rule) = self.state.rules.get_mut(ix) {
                rule.forget_free_hold();
            }
            let (almanac, programs) = (&self.state.almanac, &mut self.state.programs);
            if let Some(program) = programs.get_mut(ix) {
                program.look_ahead(almanac, &self.state.farm.settings.setpoints, now);
            }
        }
    }

    /// The starts that were missed while the engine was down, and the one that is made up for.
    fn resume_schedule(&mut self, ix: u32, now: Timestamp, events: &mut Vec<Event>) {
        let almanac = &self.state.almanac;
        let program = self.state.programs.get_mut(ix);
        let Some(Trigger::Schedule(schedule)) = program.map(|p| &mut p.trigger) else {
            return;
        };
        let (missed, made_up) = schedule.resume(now, almanac);
        if let Some(Missed { first, count }) = missed {
            let skip = Skip {
                reason: SkipReason::Missed,
                start: first,
                count: Some(count),
            };
            self.perform(ix, Transition::Skipped(skip), now, events);
        }
        if let Some(start) = made_up {
            self.start_by_schedule(ix, start, now, events);
        }
    }
}
