//! The day of a device, a rule or a polyhouse as lanes: what changed when, from the fold of the log.
//!
//! Between two records time alone may change something; where it does, a copy of the engine is told so, as it is for an explanation
//! of an instant. So what a lane says at an instant is what the explanation of it says.

use harit_engine::explain::{LaneTracer, Subject};
use harit_engine::{Duration, Engine, Event, Input, InputKind, Timestamp};
use harit_farm::{CommandLife, Farm};

use super::{Heard, Log, PastError, Stop, Watch, engine_at};

/// The most commands that are kept of a span, each with its states.
const MAX_LIVES: usize = 4_000;
/// How often time alone is followed between two records.
const MAX_DUES: usize = 2_000;

/// A day as lanes.
pub struct Lanes {
    /// What changed.
    pub tracer: LaneTracer,
    /// The states of the device's commands, in order; empty of what is no device.
    pub lives: Vec<CommandLife>,
    /// The farm at the end of the span.
    pub engine: Engine,
}

/// Follows a device, a rule or a polyhouse through a span.
///
/// # Errors
/// When the log cannot be read, it is to stop, or there was no such thing in the span.
pub fn lanes(
    log: &mut dyn Log,
    subject: &Subject,
    (from, to): (Timestamp, Timestamp),
    stop: &Stop,
) -> Result<Lanes, PastError> {
    log.advance(from, stop, &mut |_, _| {})?;
    let engine = engine_at(log, from).0;
    let controllers = log.farm().controllers();
    let said = engine.devices().filter_map(|d| {
        let reported = controllers.reported(&d.spec.id)?;
        Some((d.spec.id, (reported.on, reported.value)))
    });
    let mut day = Day {
        subject,
        tracer: LaneTracer::new(subject.clone(), &engine, from, said.collect()),
        lives: Vec::new(),
        at: from,
        clock: from,
        stop,
    };
    log.follow(to, stop, &mut day)?;
    day.alone(log.farm().engine(), to);
    let (engine, events) = engine_at(log, to);
    let last = log.farm().engine().clock().unwrap_or(from).max(from);
    let Day {
        mut tracer, lives, ..
    } = day;
    tracer.step(&engine, to, &events, false);
    if was_down(log)? {
        tracer.down(last, to);
    }
    tracer.end(to);
    match (tracer.found, subject) {
        (true, _) => Ok(Lanes {
            tracer,
            lives,
            engine,
        }),
        (false, Subject::Device(id)) => Err(PastError::Unknown("device", id.to_string())),
        (false, Subject::Rule(id)) => Err(PastError::Unknown("rule", id.to_string())),
        (false, Subject::House(id)) => Err(PastError::Unknown("polyhouse", id.to_string())),
    }
}

/// Whether what comes next says that the server did not run meanwhile.
fn was_down(log: &mut dyn Log) -> Result<bool, PastError> {
    let mut next = Next {
        stop: Stop::within(std::time::Duration::from_secs(5)),
        resumed: None,
    };
    let stop = next.stop.clone();
    match log.follow(Timestamp::from_millis(i64::MAX), &stop, &mut next) {
        Ok(()) | Err(PastError::Cancelled) => Ok(next.resumed == Some(true)),
        Err(e) => Err(e),
    }
}

/// Looks at the next record, and at no more.
struct Next {
    stop: Stop,
    resumed: Option<bool>,
}

impl Watch for Next {
    fn after(&mut self, _: &Farm, heard: &Heard) {
        let resumed = { heard.told.iter() }.any(|told| told.kind() == Some(&InputKind::Resumed));
        self.resumed.get_or_insert(resumed);
        self.stop.cancel();
    }
}

struct Day<'a> {
    subject: &'a Subject,
    tracer: LaneTracer,
    lives: Vec<CommandLife>,
    /// The instant of the last record.
    at: Timestamp,
    /// Up to when the server is known to have run.
    clock: Timestamp,
    stop: &'a Stop,
}

impl Day<'_> {
    /// What time alone does after the last record and before an instant.
    fn alone(&mut self, engine: &Engine, until: Timestamp) {
        let before = until + Duration::from_millis(-1);
        let Some(mut due) = engine.due_by(before) else {
            return;
        };
        let mut copy = engine.clone();
        let mut events: Vec<Event> = Vec::new();
        for _ in 0..MAX_DUES {
            if self.stop.check().is_err() {
                return;
            }
            events.clear();
            let kind = InputKind::Tick;
            // A tick is refused nowhere.
            let _ = copy.apply(&Input { at: due, kind }, &mut events);
            // What was looked at later already is not looked at again.
            if due > self.tracer.span().1 {
                self.tracer.step(&copy, due, &events, false);
            }
            match copy.due_by(before) {
                Some(next) => due = next,
                None => return,
            }
        }
    }
}

impl Watch for Day<'_> {
    fn before(&mut self, farm: &Farm, at: Timestamp) {
        self.clock = farm.engine().clock().unwrap_or(self.at).max(self.clock);
        self.alone(farm.engine(), at);
        self.at = at.max(self.at);
    }

    fn after(&mut self, farm: &Farm, heard: &Heard) {
        let told =
            |is: fn(&InputKind) -> bool| heard.told.iter().any(|told| told.kind().is_some_and(is));
        let resumed = told(|kind| *kind == InputKind::Resumed);
        if resumed {
            self.tracer.down(self.clock, self.at);
        }
        // After an outage everything is looked at anew.
        let edited = resumed
            || told(|kind| {
                matches!(
                    kind,
                    InputKind::RulePut(_)
                        | InputKind::RuleDelete(_)
                        | InputKind::AlertPut(_)
                        | InputKind::AlertDelete(_)
                        | InputKind::Registry(_)
                )
            });
        for (device, report) in &heard.reports {
            self.tracer.report(device, *report);
        }
        let engine = farm.engine();
        match engine.due_by(self.at) {
            None => self.tracer.step(engine, self.at, &heard.events, edited),
            // What was told is older than what came due: the engine is told the time later.
            Some(_) => {
                let (mut copy, mut events) = (engine.clone(), heard.events.clone());
                let kind = InputKind::Tick;
                let _ = copy.apply(&Input { at: self.at, kind }, &mut events);
                self.tracer.step(&copy, self.at, &events, edited);
            }
        }
        if let Subject::Device(id) = self.subject {
            let room = MAX_LIVES.saturating_sub(self.lives.len());
            let own = heard.lives.iter().filter(|l| l.device == *id);
            self.lives.extend(own.take(room).cloned());
        }
    }
}
