//! From a message to the commands that came of it, and back: at which record of the log a command was decided, at which one the
//! condition behind it began to hold, and which ones moved it on.
//!
//! A message has no number that would be passed on from queue to fold to command: the log is one order of all that happened, and the
//! place in it is that number.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use harit_engine::{
    Command, DeviceId, Engine, Event, EventKind, Input, InputKind, RuleId, RulePhase, Timestamp,
};
use harit_farm::{CommandLife, CommandState, Farm, Record};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::journal::JournalLog;
use super::{Heard, Log as _, PastError, Stop, Watch};

/// The most commands of a span.
pub const MAX_TRACED: usize = 10_000;

/// A record's place in the journal of a farm's shard. As text, `1-15532-3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId {
    /// The journal's generation.
    pub generation: u64,
    /// The batch in it.
    pub batch: u64,
    /// Which of the farm's records in the batch, from 1 on.
    pub record: u32,
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.generation, self.batch, self.record)
    }
}

impl Serialize for RecordId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A record that had a part in a command.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Origin {
    /// Where it is.
    pub id: RecordId,
    /// When it was journaled.
    pub at: Timestamp,
    /// What it says, as `harit journal export` writes it.
    pub input: Value,
}

impl Origin {
    /// The controller that said it, if one did.
    #[must_use]
    pub fn controller(&self) -> Option<&str> {
        self.input["mac"].as_str()
    }
}

/// A record that moved a command on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// What it was from then on.
    pub state: CommandState,
    /// The record.
    #[serde(flatten)]
    pub origin: Arc<Origin>,
}

/// A command and the records behind it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Traced {
    /// The command, as it was at the end of the span.
    pub command: CommandLife,
    /// Where the condition of the rule that started or ended began to hold, if it had to hold for a while.
    pub began: Option<Arc<Origin>>,
    /// Where it was decided.
    pub decided: Arc<Origin>,
    /// Whether it was decided by time alone, which came due by that record's instant: what the record says has no part in it.
    pub by_time: bool,
    /// What moved it on, in order.
    pub steps: Vec<Step>,
}

impl Traced {
    /// Whether a message of that controller had a part in the decision.
    #[must_use]
    pub fn is_of(&self, controller: &str) -> bool {
        let decided = (!self.by_time).then_some(&self.decided);
        let mut origins = self.began.iter().chain(decided);
        origins.any(|o| o.controller() == Some(controller))
    }
}

/// The commands that were decided in a span and are wanted, oldest first, with the records behind them: [`MAX_TRACED`] at most.
///
/// # Errors
/// When the log cannot be read, or it is to stop.
pub fn trace(
    log: &mut JournalLog,
    (from, to): (Timestamp, Timestamp),
    wanted: &dyn Fn(&CommandLife) -> bool,
    stop: &Stop,
) -> Result<Vec<Traced>, PastError> {
    let mut tracer = Tracer {
        from,
        wanted,
        present: None,
        holds: holding(log.farm().engine())
            .map(|rule| (rule, None))
            .collect(),
        found: Vec::new(),
        by_id: HashMap::new(),
        due: Vec::new(),
    };
    log.apply_until(to, stop, &mut tracer)?;
    Ok(tracer.found)
}

/// The record that is applied.
struct Present {
    id: RecordId,
    at: Timestamp,
    line: Vec<u8>,
    /// Made of the line once somebody wants it.
    origin: Option<Arc<Origin>>,
}

impl Present {
    fn origin(&mut self) -> Arc<Origin> {
        let made = self.origin.get_or_insert_with(|| {
            Arc::new(Origin {
                id: self.id,
                at: self.at,
                // it was written as JSON just now
                input: serde_json::from_slice(&self.line).unwrap_or_default(),
            })
        });
        Arc::clone(made)
    }
}

struct Tracer<'a> {
    from: Timestamp,
    wanted: &'a dyn Fn(&CommandLife) -> bool,
    present: Option<Present>,
    /// Where the conditions that hold at present began to; none of those that held at the log's beginning.
    holds: HashMap<RuleId, Option<Arc<Origin>>>,
    found: Vec<Traced>,
    by_id: HashMap<String, usize>,
    /// The commands that time alone decides up to the record's instant.
    due: Vec<Command>,
}

impl Tracer<'_> {
    fn follows(
        &mut self,
        life: &CommandLife,
        engine: &Engine,
        heard: &Heard,
        present: &mut Present,
    ) {
        if let Some(n) = self.by_id.get(&life.command_id) {
            let traced = &mut self.found[*n];
            traced.command = life.clone();
            traced.steps.push(Step {
                state: life.state,
                origin: present.origin(),
            });
        } else if life.state == CommandState::Queued
            && life.at >= self.from
            && self.found.len() < MAX_TRACED
            && (self.wanted)(life)
        {
            // Of the rules that started or ended by this record, one that has the device among its own.
            let mut moved = { heard.events.iter().filter_map(moved) }
                .filter(|rule| acts_on(engine, rule, &life.device));
            let began = moved.find_map(|rule| self.holds.get(rule)?.clone());
            let n = self.found.len();
            self.by_id.insert(life.command_id.clone(), n);
            self.found.push(Traced {
                command: life.clone(),
                began,
                decided: present.origin(),
                by_time: self.due.iter().any(|due| {
                    *life.command_id == *due.id().to_string()
                        && life.device == *due.device()
                        && life.action == due.order().action()
                }),
                steps: Vec::new(),
            });
        }
    }

    /// Notes which conditions began to hold, and which do no more.
    fn note_holds(&mut self, engine: &Engine, present: &mut Present) {
        let hold: Vec<_> = holding(engine).collect();
        self.holds.retain(|rule, _| hold.contains(rule));
        for rule in hold {
            let begins = self.holds.entry(rule);
            begins.or_insert_with(|| Some(present.origin()));
        }
    }
}

/// The rule that an event says to have started or ended.
const fn moved(event: &Event) -> Option<&RuleId> {
    match &event.kind {
        EventKind::RuleFired { rule } | EventKind::RuleStopped { rule, .. } => Some(rule),
        _ => None,
    }
}

fn acts_on(engine: &Engine, rule: &RuleId, device: &DeviceId) -> bool {
    let rule = engine.rule(rule.as_str());
    rule.is_some_and(|rule| { rule.spec.actions.iter() }.any(|a| a.device_id == *device))
}

/// The rules whose trigger holds, or, while they run, what ends them.
fn holding(engine: &Engine) -> impl Iterator<Item = RuleId> {
    let holding = engine.rules().filter(|rule| match rule.phase {
        RulePhase::Idle => false,
        RulePhase::Pending { .. } => true,
        RulePhase::Running { ending, .. } => ending.is_some(),
    });
    holding.map(|rule| rule.spec.id)
}

impl Watch for Tracer<'_> {
    fn record(
        &mut self,
        id: RecordId,
        at: Timestamp,
        record: &Record<'_>,
    ) -> Result<(), PastError> {
        let mut line = Vec::new();
        record.line(at).write(&mut line)?;
        self.present = Some(Present {
            id,
            at,
            line,
            origin: None,
        });
        Ok(())
    }

    fn before(&mut self, farm: &Farm, at: Timestamp) {
        self.due.clear();
        if farm.engine().due_by(at).is_none() {
            return;
        }
        let (mut engine, mut events) = (farm.engine().clone(), Vec::new());
        let kind = InputKind::Tick;
        // A tick is refused nowhere.
        let _ = engine.apply(&Input { at, kind }, &mut events);
        self.due
            .extend(events.into_iter().filter_map(|event| match event.kind {
                EventKind::Command(command) => Some(command),
                _ => None,
            }));
    }

    fn after(&mut self, farm: &Farm, heard: &Heard) {
        let Some(mut present) = self.present.take() else {
            return;
        };
        for life in &heard.lives {
            self.follows(life, farm.engine(), heard, &mut present);
        }
        // What holds from now on is another condition.
        for rule in heard.events.iter().filter_map(moved) {
            self.holds.remove(rule);
        }
        if !heard.told.is_empty() {
            self.note_holds(farm.engine(), &mut present);
        }
    }
}
