//! Explanations of random farms at random instants: they say what the model says, change nothing, and what they say would have
//! to change does change the decision.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use harit_engine::explain::{
    Bound, Change, DeviceExplanation, NodeExplanation, RuleExplanation, Said, StepKind,
};
use harit_engine::{
    Engine, Event, EventKind, Input, InputKind, Measured, Quantity, RulePhase, SensorId, Setting,
    Status, Timestamp, Truth,
};
use harit_model::Model;
use harit_model::generate::{Dice, case};
use serde_json::{Value, json};

use crate::cases::{cases, first_failures, options};
use crate::engine_side;

/// The most steps in which what would have to change is tried.
const MAX_STEPS: i64 = 400;
/// As many times a farm is told something in a trial, at most.
const MAX_TELLS: usize = 4_000;

fn word(truth: Truth) -> Value {
    serde_json::to_value(truth).unwrap()
}

fn told(setting: Setting) -> Value {
    json!([setting.action(), setting.value().map(Quantity::as_micro)])
}

fn device(of: &DeviceExplanation) -> Value {
    let decides = &of.steps[of.decides];
    let step = match &decides.what {
        StepKind::Lock(_) => "lock",
        StepKind::Safety => "safety",
        StepKind::Manual(_) => "manual",
        StepKind::Limit(_) => "limit",
        StepKind::Claim { .. } => "claim",
        StepKind::Rest => "rest",
    };
    let claims = of.steps.iter().filter_map(|s| match &s.what {
        StepKind::Claim { claim, .. } => Some(json!([
            claim.rule,
            claim.at.as_millis(),
            told(s.setting.unwrap())
        ])),
        _ => None,
    });
    let held = of.steps.iter().find_map(|s| match &s.what {
        StepKind::Limit(reason) => Some(reason.as_str()),
        _ => None,
    });
    let locks = of
        .steps
        .iter()
        .filter(|s| matches!(s.what, StepKind::Lock(_)));
    json!({
        "step": step, "setting": of.setting.map(told), "held": held,
        "claims": claims.collect::<Vec<_>>(), "locks": locks.count(),
    })
}

fn rule(of: &RuleExplanation) -> Value {
    let (phase, hold) = match of.status.phase {
        RulePhase::Idle => ("idle", None),
        RulePhase::Pending { hold } => ("pending", Some(hold)),
        RulePhase::Running { ending, .. } => ("running", ending),
    };
    let leaf = |n: &&NodeExplanation| n.said.is_leaf();
    let parts = of.parts.iter().map(|p| {
        let leaves = p.nodes.iter().filter(leaf).map(|n| word(n.below));
        json!([p.role, word(p.truth), leaves.collect::<Vec<_>>()])
    });
    json!({
        "phase": phase, "parts": parts.collect::<Vec<_>>(),
        "hold": hold.map(|h| json!([h.hold_since.as_millis(), h.samples])),
    })
}

/// What the board of who holds each device says: each once, by id, in the lane of whoever the engine obeys.
fn board(engine: &Engine) -> Result<(), String> {
    let board = engine.holders();
    let devices: Vec<_> = engine.devices().collect();
    if board.len() != devices.len() {
        return Err(format!("{} of {} devices", board.len(), devices.len()));
    }
    for (held, device) in board.iter().zip(&devices) {
        let holder = &held.steps[held.decides].what;
        let has_say = |is: fn(&StepKind) -> bool| held.steps.iter().any(|s| is(&s.what));
        let right = held.status.spec.id == device.spec.id
            && match holder {
                StepKind::Lock(_) => !device.locks.is_empty(),
                StepKind::Safety => device.locks.is_empty() && device.safety,
                StepKind::Manual(_) => device.locks.is_empty() && device.manual.is_some(),
                StepKind::Limit(_) => {
                    let free = device.locks.is_empty() && !device.safety;
                    free && device.manual.is_none()
                }
                StepKind::Claim { claim, .. } => device.desired_by == claim.rule,
                StepKind::Rest => device.desired_by == "rest",
            }
            && has_say(|s| matches!(s, StepKind::Rest))
            && has_say(|s| matches!(s, StepKind::Manual(_))) == device.manual.is_some()
            && has_say(|s| matches!(s, StepKind::Safety)) == device.safety;
        if !right {
            return Err(format!("{holder:?} holds {device:?}"));
        }
    }
    Ok(())
}

/// What engine and model say of everything.
fn compare(engine: &Engine, model: &Model) -> Result<(), String> {
    board(engine)?;
    for id in model.devices() {
        let said = device(&engine.explain_device(id).ok_or("no device")?);
        let expected = model.device_standing(id).unwrap();
        if said != expected {
            return Err(format!("device {id}: {said} instead of {expected}"));
        }
    }
    for id in model.rules() {
        let said = rule(&engine.explain_rule(id).ok_or("no rule")?);
        let mut expected = model.rule_standing(id).unwrap();
        // A branch of one that is not active has no hold.
        if said["phase"] == "idle" && !engine.explain_rule(id).unwrap().active() {
            expected["parts"] = said["parts"].clone();
        }
        if said != expected {
            return Err(format!("rule {id}: {said} instead of {expected}"));
        }
    }
    Ok(())
}

#[test]
fn explanations_say_what_the_model_says_and_change_nothing() {
    let instants = AtomicUsize::new(0);
    let failures = first_failures(cases(300), |seed| {
        let case = case(seed, options());
        let mut dice = Dice::new(seed ^ 0xe4b1);
        let mut model = Model::new(&case.farm).unwrap();
        let mut engine = engine_side::engine(&case.farm).unwrap();
        for input in case.all_inputs() {
            let _ = model.apply(&input);
            engine_side::apply(&mut engine, &input, false);
            if !dice.chance(25) {
                continue;
            }
            instants.fetch_add(1, Ordering::Relaxed);
            let before = engine.snapshot();
            if let Err(why) = compare(&engine, &model) {
                return Some(format!("after {input}: {why}"));
            }
            if engine.snapshot() != before {
                return Some(format!("after {input}: the state has changed"));
            }
        }
        None
    });
    assert!(failures.is_empty(), "{failures:#?}");
    println!("compared at {} instants", instants.into_inner());
}

/// What is done to a copy of the farm.
struct Trial {
    engine: Engine,
    values: BTreeMap<SensorId, Quantity>,
    changed: BTreeMap<SensorId, Quantity>,
    step: i64,
    steps: i64,
    from: i64,
    samples: u8,
    events: Vec<Event>,
}

/// What came of a trial.
#[derive(Debug, PartialEq, Eq)]
enum Came {
    Changed,
    NotChanged,
    /// Something else changed too, or it cannot be done.
    Nothing,
}

impl Trial {
    /// A copy in which these leaves are to come to what is said of them; none where that cannot be done.
    fn new(engine: &Engine, of: &RuleExplanation, change: &Change, skip: usize) -> Option<Self> {
        let now = engine.clock()?.as_millis();
        let fresh = engine.sensors().filter_map(|s| Some((s.spec.id, s.value?)));
        let mut values: BTreeMap<SensorId, Quantity> = fresh.collect();
        let mut changed: BTreeMap<SensorId, Quantity> = BTreeMap::new();
        let (mut engine, mut events) = (engine.clone(), Vec::new());
        for (n, leaf) in change.leaves.iter().enumerate() {
            if n == skip {
                continue;
            }
            let part = of.parts.iter().find(|p| p.role == leaf.part)?;
            match &part.nodes[leaf.node].said {
                Said::Signal(signal) => {
                    let goal = leaf.goal?;
                    let by = match goal.bound {
                        Bound::Above => 1,
                        Bound::Below => -1,
                        Bound::AtLeast | Bound::AtMost => 0,
                    };
                    let value = Quantity::from_micro(goal.value.as_micro() + by);
                    for sensor in &signal.evidence {
                        let twice = changed.insert(sensor.id.clone(), value);
                        if twice.is_some_and(|other| other != value) {
                            return None;
                        }
                    }
                }
                Said::Device { id, on, .. } => {
                    let status = Status {
                        online: Some(true),
                        running: Some(Some(*on == leaf.to)),
                        ..Status::default()
                    };
                    let kind = InputKind::Status {
                        device: id.clone(),
                        status,
                    };
                    let at = Timestamp::from_millis(now);
                    engine.apply(&Input { at, kind }, &mut events).ok()?;
                }
                _ => return None,
            }
        }
        values.extend(changed.clone());
        let of_these = engine.sensors().filter(|s| values.contains_key(&s.spec.id));
        let stale = of_these
            .map(|s| s.spec.stale_after.as_millis())
            .min()
            .unwrap_or(60_000);
        let step = (stale / 2).min(30_000);
        // A hold that is full between two of the readings that change something is blocked, and begins anew.
        let again = of
            .parts
            .iter()
            .map(|p| p.length.as_millis())
            .max()
            .unwrap_or(0);
        let hold = change.hold.as_millis() + again;
        let steps = hold / step.max(1) + 12;
        (step >= 500 && steps <= MAX_STEPS).then_some(Self {
            engine,
            values,
            changed,
            step,
            steps,
            from: now,
            samples: change.samples,
            events,
        })
    }

    /// What changes does so first, and at once: a hold that is full before it is not to be blocked. The readings that holds
    /// count follow quickly, so that time alone is what is missing then.
    fn begin(&mut self, events: &mut Vec<Event>) {
        let all = std::mem::replace(&mut self.values, self.changed.clone());
        self.tell(self.from, events);
        self.values = all;
        for _ in 0..self.samples.max(1) {
            self.from += 1;
            self.tell(self.from, events);
        }
    }

    fn tell(&mut self, at: i64, events: &mut Vec<Event>) {
        let at = Timestamp::from_millis(at);
        for (sensor, value) in &self.values {
            let kind = InputKind::Reading {
                sensor: sensor.clone(),
                value: Measured::exact(*value),
            };
            self.engine.apply(&Input { at, kind }, events).unwrap();
        }
        let kind = InputKind::Tick;
        self.engine.apply(&Input { at, kind }, events).unwrap();
    }

    /// Lets it come to pass; `event` is what is to follow for the rule.
    fn run(mut self, of: &RuleExplanation, event: fn(&EventKind) -> Option<&str>) -> Came {
        let rule = of.status.spec.id.as_str();
        let happened = |events: &[Event]| events.iter().any(|e| event(&e.kind) == Some(rule));
        let mut events = std::mem::take(&mut self.events);
        self.begin(&mut events);
        let expected = self.engine.explain_rule(rule).unwrap();
        let truths = |of: &RuleExplanation| -> Vec<Truth> {
            let nodes = of.parts.iter().flat_map(|p| &p.nodes);
            nodes
                .filter(|n| n.said.is_leaf())
                .map(|n| n.below)
                .collect()
        };
        let (mut at, end) = (self.from, self.from + self.steps * self.step);
        for _ in 0..MAX_TELLS {
            if happened(&events) {
                return Came::Changed;
            }
            if at >= end {
                return Came::NotChanged;
            }
            // Just after what comes due by itself, so that it is seen, and counted by holds that begin there.
            let due = self
                .engine
                .next_deadline()
                .map_or(i64::MAX, Timestamp::as_millis);
            at = (at + self.step).min(due.saturating_add(1).max(at + 1));
            self.tell(at, &mut events);
            let now = self.engine.explain_rule(rule).unwrap();
            if truths(&now) != truths(&expected) && !happened(&events) {
                return Came::Nothing;
            }
        }
        Came::Nothing
    }
}

/// Whether the leaves came to what was said of them, and no other did unless it looks at the same signal.
fn came_to_it(engine: &Engine, of: &RuleExplanation, change: &Change) -> bool {
    let Some(mut trial) = Trial::new(engine, of, change, usize::MAX) else {
        return false;
    };
    trial.begin(&mut Vec::new());
    let Some(now) = trial.engine.explain_rule(of.status.spec.id.as_str()) else {
        return false;
    };
    let signal = |n: &NodeExplanation| match &n.said {
        Said::Signal(s) => Some((s.condition.sensor_type, s.place.clone())),
        _ => None,
    };
    of.parts.iter().zip(&now.parts).all(|(was, is)| {
        was.nodes
            .iter()
            .zip(&is.nodes)
            .enumerate()
            .all(|(n, (a, b))| {
                let named = change
                    .leaves
                    .iter()
                    .find(|l| l.part == was.role && l.node == n);
                let follows = change.leaves.iter().any(|l| {
                    let part = of.parts.iter().find(|p| p.role == l.part).unwrap();
                    let own = signal(&part.nodes[l.node]);
                    own.is_some() && own == signal(a)
                });
                match named {
                    Some(leaf) => b.below == if leaf.to { Truth::True } else { Truth::False },
                    None => !a.said.is_leaf() || a.below == b.below || follows,
                }
            })
    })
}

/// How to tell of an event which rule it is about.
type Follows = fn(&EventKind) -> Option<&str>;

fn fired(kind: &EventKind) -> Option<&str> {
    match kind {
        EventKind::RuleFired { rule } => Some(rule.as_str()),
        _ => None,
    }
}

fn stopped(kind: &EventKind) -> Option<&str> {
    match kind {
        EventKind::RuleStopped { rule, .. } => Some(rule.as_str()),
        _ => None,
    }
}

#[test]
fn what_would_have_to_change_changes_the_decision() {
    let (tried, without_one) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failures = first_failures(cases(300), |seed| {
        let case = case(seed, options());
        let mut dice = Dice::new(seed ^ 0xc4a6);
        let mut engine = engine_side::engine(&case.farm).unwrap();
        for input in case.all_inputs() {
            engine_side::apply(&mut engine, &input, false);
            if engine.clock().is_none() || !dice.chance(8) {
                continue;
            }
            let ids: Vec<String> = engine.rules().map(|r| r.spec.id.to_string()).collect();
            for id in ids {
                let of = engine.explain_rule(&id).unwrap();
                let (change, event): (_, Follows) = match (&of.to_start, &of.to_stop) {
                    (Some(change), _) => (change.clone(), fired as Follows),
                    (None, Some(change)) => (change.clone(), stopped as Follows),
                    (None, None) => return Some(format!("rule {id} can do nothing")),
                };
                let scheduled = of.status.spec.trigger.when().is_none();
                let usable = change.enough && !change.activate && !change.leaves.is_empty();
                if !usable
                    || (scheduled && of.to_start.is_some())
                    || !came_to_it(&engine, &of, &change)
                {
                    continue;
                }
                let Some(trial) = Trial::new(&engine, &of, &change, usize::MAX) else {
                    continue;
                };
                match trial.run(&of, event) {
                    Came::Changed => tried.fetch_add(1, Ordering::Relaxed),
                    Came::Nothing => continue,
                    Came::NotChanged => {
                        return Some(format!("after {input}: {id} does not act after {change:?}"));
                    }
                };
                for skip in 0..change.leaves.len() {
                    let Some(trial) = Trial::new(&engine, &of, &change, skip) else {
                        continue;
                    };
                    let ends_anyway = of.status.run_until.is_some();
                    if !ends_anyway && trial.run(&of, event) == Came::NotChanged {
                        without_one.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        }
        None
    });
    assert!(failures.is_empty(), "{failures:#?}");
    let counts = [tried, without_one].map(AtomicUsize::into_inner);
    println!("{counts:?} changes tried, and with one of them left out");
    assert!(
        std::env::var_os("HARIT_CASES").is_some() || counts.iter().all(|n| *n > 50),
        "{counts:?}"
    );
}
