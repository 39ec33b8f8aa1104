//! Plays a story to an engine and compares what it says with what is expected.

use harit_engine::{
    Command, DeviceLock, Engine, Event, EventKind, Input, InputKind, LockKind, Mean, Problems,
    RuleMode, RulePhase, ScopeSpec, SensorType, SentOrder, Setting, Timestamp,
};

use crate::expect::Look;
use crate::story::{Expected, Step, Story, What};
use crate::words::{Instant, Wrong};

/// How a story is played; what the engine says must not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// The inputs alone: what came due in between is revealed by the next one.
    Plain,
    /// As in operation: a tick whenever something is due.
    Ticking,
    /// The engine is stored and restored before every step.
    Restoring,
}

impl Manner {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Ticking, Self::Restoring];
}

/// Is shown every input, and the events that it gave; none of one that was refused.
pub type Watch<'a> = &'a mut dyn FnMut(&Input, Option<&[Event]>);

struct Play<'a> {
    engine: Engine,
    origin: i64,
    manner: Manner,
    watch: Watch<'a>,
    events: Vec<Event>,
    commands: u64,
    wrong: Vec<Wrong>,
}

/// Plays the story; all that is wrong.
pub fn play(story: &Story, manner: Manner, watch: Watch<'_>) -> Vec<Wrong> {
    let engine = match Engine::new(&story.farm) {
        Ok(engine) => engine,
        Err(problems) => {
            return vec![Wrong {
                line: 1,
                what: format!("the farm: {problems}"),
            }];
        }
    };
    let mut play = Play {
        engine,
        origin: story.origin,
        manner,
        watch,
        events: vec![],
        commands: 0,
        wrong: vec![],
    };
    for step in &story.steps {
        play.step(step);
    }
    play.check_command_ids();
    let said: Vec<(Instant, String)> = play
        .events
        .iter()
        .filter(|e| !story.ignored.iter().any(|k| k == e.kind.name()))
        .map(|e| (play.instant(e.at), play.text(&e.kind)))
        .collect();
    let mut wrong = play.wrong;
    for quiet in &story.quiet {
        for (at, event) in &said {
            if *at > quiet.from && *at < quiet.to {
                wrong.push(Wrong {
                    line: quiet.line,
                    what: format!("expected nothing until {}, but at {at} {event}", quiet.to),
                });
            }
        }
    }
    wrong.extend(compare(&story.expected, &said));
    wrong
}

/// The first difference says what is wrong; what follows from it would only confuse.
fn compare(expected: &[Expected], said: &[(Instant, String)]) -> Option<Wrong> {
    let mut said = said.iter();
    let mut line = expected.first().map_or(1, |e| e.line);
    for e in expected {
        line = e.line;
        match said.next() {
            Some((at, event)) if *at == e.at && *event == e.event => {}
            Some((at, event)) => {
                let what = format!("expected at {} {}, but at {at} {event}", e.at, e.event);
                return Some(Wrong { line, what });
            }
            None => {
                let what = format!("expected at {} {}, but nothing came", e.at, e.event);
                return Some(Wrong { line, what });
            }
        }
    }
    said.next().map(|(at, event)| Wrong {
        line,
        what: format!("after all that is expected came at {at} {event}"),
    })
}

impl Play<'_> {
    fn step(&mut self, step: &Step) {
        if self.manner == Manner::Ticking {
            self.tick_until(step);
        }
        if self.manner == Manner::Restoring {
            self.restore(step);
        }
        match &step.what {
            What::Input(input) => self.apply(step, input),
            What::Rejected(input) => {
                let before = (self.engine.clock(), self.events.len());
                if self.tell(input).is_ok() {
                    self.blame(step, "it was accepted");
                } else if before != (self.engine.clock(), self.events.len()) {
                    self.blame(step, "it was rejected, and changed something all the same");
                }
            }
            What::Mode { rule, auto } => {
                let Some(status) = self.engine.rule(rule) else {
                    return self.blame(step, format!("there is no rule {rule:?}"));
                };
                let mut spec = status.spec;
                spec.mode = if *auto {
                    RuleMode::Auto
                } else {
                    RuleMode::Disabled
                };
                let kind = InputKind::RulePut(Box::new(spec));
                self.apply(step, &input(step.at, kind));
            }
            What::PowerCut { back } => {
                self.apply(step, &input(step.at, InputKind::Tick));
                self.restore(step);
                self.apply(step, &input(*back, InputKind::Resumed));
            }
            What::Until => self.apply(step, &input(step.at, InputKind::Tick)),
            What::Look(look) => {
                if let Err(what) = self.look(look) {
                    self.blame(step, what);
                }
            }
        }
    }

    /// A time of the engine's, from the story's beginning.
    fn instant(&self, at: Timestamp) -> Instant {
        Instant(at.as_millis() - self.origin)
    }

    fn blame(&mut self, step: &Step, what: impl Into<String>) {
        self.wrong.push(Wrong {
            line: step.line,
            what: what.into(),
        });
    }

    fn apply(&mut self, step: &Step, input: &Input) {
        if let Err(problems) = self.tell(input) {
            self.blame(step, format!("the engine refuses it: {problems}"));
        }
    }

    fn tell(&mut self, input: &Input) -> Result<(), Problems> {
        let before = self.events.len();
        let input = &Input {
            at: Timestamp::from_millis(self.origin + input.at.as_millis()),
            kind: input.kind.clone(),
        };
        let told = self.engine.apply(input, &mut self.events);
        (self.watch)(input, told.is_ok().then(|| &self.events[before..]));
        told
    }

    fn tick_until(&mut self, step: &Step) {
        while let Some(due) = self.engine.next_deadline() {
            let at = self.instant(due);
            if at > step.at {
                return;
            }
            self.apply(step, &input(at, InputKind::Tick));
            if self.engine.next_deadline() == Some(due) {
                return self.blame(step, format!("a tick at {at} leaves that deadline"));
            }
        }
    }

    fn restore(&mut self, step: &Step) {
        match Engine::restore(&self.engine.snapshot()) {
            Ok(engine) => self.engine = engine,
            Err(e) => self.blame(step, format!("the snapshot does not read back: {e}")),
        }
    }

    fn look(&self, look: &Look) -> Result<(), String> {
        let (seen, wanted) = match look {
            Look::Rule { rule, phase } => {
                let status = self.engine.rule(rule).ok_or("there is no such rule")?;
                let seen = match status.phase {
                    RulePhase::Idle => "idle",
                    RulePhase::Pending { .. } => "pending",
                    RulePhase::Running { .. } => "running",
                };
                (format!("{rule} {seen}"), format!("{rule} {phase}"))
            }
            Look::Alert { alert, stands } => {
                let status = self.engine.alert(alert).ok_or("there is no such alert")?;
                let unknown = status
                    .unknown_since
                    .filter(|_| stands.starts_with("unknown"));
                let seen = match (status.active, unknown) {
                    (false, _) => "quiet".to_owned(),
                    (true, None) => "active".to_owned(),
                    (true, Some(t)) => format!("unknown since {}", self.instant(t)),
                };
                (format!("{alert} {seen}"), format!("{alert} {stands}"))
            }
            Look::Device { device, wants, by } => {
                let status = self
                    .engine
                    .device(device)
                    .ok_or("there is no such device")?;
                (
                    format!(
                        "{device} wants {} for {}",
                        setting_text(status.desired),
                        status.desired_by
                    ),
                    format!("{device} wants {wants} for {by}"),
                )
            }
            Look::Locks { device, locks } => {
                let status = self
                    .engine
                    .device(device)
                    .ok_or("there is no such device")?;
                let seen: Vec<String> = status.locks.iter().map(lock_text).collect();
                let text = |locks: &str| match locks {
                    "" => format!("{device} not locked"),
                    locks => format!("{device} locked by {locks}"),
                };
                (text(&seen.join(" and ")), text(locks))
            }
            Look::Signal {
                scope,
                sensor_type,
                mean,
            } => {
                let scope: ScopeSpec =
                    serde_json::from_value(scope.clone()).map_err(|e| e.to_string())?;
                let sensor_type: SensorType = serde_json::from_value(sensor_type.as_str().into())
                    .map_err(|e| e.to_string())?;
                let seen = self
                    .engine
                    .signal(&scope, sensor_type)
                    .map_or_else(|| "unknown".to_owned(), |m: Mean| m.shown().to_string());
                (format!("mean {seen}"), format!("mean {mean}"))
            }
        };
        if seen == wanted {
            Ok(())
        } else {
            Err(format!("expected {wanted}, found {seen}"))
        }
    }

    /// An event as the scenarios write it.
    fn text(&self, kind: &EventKind) -> String {
        let name = kind.name();
        match kind {
            EventKind::RuleFired { rule } => format!("{name} {rule}"),
            EventKind::RuleBlocked { rule, reason } => {
                format!("{name} {rule} because {}", reason.as_str())
            }
            EventKind::RuleStopped { rule, reason } => {
                format!("{name} {rule} because {}", reason.as_str())
            }
            EventKind::StartSkipped {
                rule,
                reason,
                start,
                count,
            } => {
                let (start, reason) = (self.instant(*start), reason.as_str());
                let count = count.map_or_else(String::new, |n| format!(" count {n}"));
                format!("{name} {rule} of {start} because {reason}{count}")
            }
            EventKind::ActionMissed { rule, device } => format!("{name} {rule} {device}"),
            EventKind::Command(command) => command_text(command),
            EventKind::CommandSuppressed {
                device,
                rule,
                reason,
            } => format!("{name} {device} of {rule} because {}", reason.as_str()),
            EventKind::CommandRefused { device, reason } => {
                format!("{name} {device} because {}", reason.as_str())
            }
            EventKind::CommandHeld {
                device,
                reason,
                cause,
            } => {
                let cause = cause.as_str();
                format!("{name} {device} because {} for {cause}", reason.as_str())
            }
            EventKind::LimitReached { device, reason } => {
                format!("{name} {device} because {}", reason.as_str())
            }
            EventKind::ManualEnded { device } => format!("{name} {device}"),
            EventKind::DeviceLocked { device, reason } => {
                format!("{name} {device} because {reason}")
            }
            EventKind::AlertNotified { alert, no_data } => {
                format!(
                    "{name} {alert}{}",
                    if *no_data { " without data" } else { "" }
                )
            }
            EventKind::AlertRaised { alert } | EventKind::AlertResolved { alert, .. } => {
                format!("{name} {alert}")
            }
            EventKind::SensorExpired { sensor } => format!("{name} {sensor}"),
            other => format!("{other:?}"),
        }
    }

    /// Ids count the farm's commands, and `on` has the value that its device's type asks for.
    fn check_command_ids(&mut self) {
        for event in &self.events {
            let EventKind::Command(command) = &event.kind else {
                continue;
            };
            self.commands += 1;
            let id = format!("f1-{}", self.commands);
            if command.id().to_string() != id {
                self.wrong.push(Wrong {
                    line: 1,
                    what: format!("command {} should be {id}", command.id()),
                });
            }
        }
    }
}

fn input(at: Instant, kind: InputKind) -> Input {
    Input {
        at: Timestamp::from_millis(at.0),
        kind,
    }
}

fn setting_text(setting: Setting) -> String {
    match setting {
        Setting::On { .. } => "on".to_owned(),
        Setting::Off => "off".to_owned(),
        Setting::Speed(v) => format!("speed {v}"),
        Setting::Position(v) => format!("position {v}"),
        Setting::FlowRate(v) => format!("flow {v}"),
    }
}

fn lock_text(lock: &DeviceLock) -> String {
    let person = lock.owner.as_deref().map_or("somebody", |o| &o.name);
    match lock.kind {
        LockKind::Person => person.to_owned(),
        LockKind::Stop => format!("stop of {person}"),
        kind => kind.as_str().to_owned(),
    }
}

fn command_text(command: &Command) -> String {
    let order = match command.order() {
        SentOrder::Set(setting) => setting_text(setting),
        SentOrder::Pulse { secs } => format!("pulse {secs}s"),
        SentOrder::Release => "release".to_owned(),
    };
    format!(
        "command {} {order} cause {}",
        command.device(),
        command.cause().as_str()
    )
}
