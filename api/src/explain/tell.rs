//! Explanations as sentences.

use harit_engine::explain::{
    Bound, BranchHold, Change, ComparedSetpoint, DeviceExplanation, DeviceOutcome, Goal,
    LeafChange, NodeExplanation, Outcome, PartExplanation, RuleExplanation, Said, SensorEvidence,
    SignalExplanation, Standing, Step, StepKind,
};
use harit_engine::{
    ConditionSpec, DeviceLock, Duration, HoldStatus, LockKind, Moment, Quantity, RulePhase,
    SensorType, Setting, SunEvent, Timestamp, Truth, Weekdays,
};

use super::words::{self as w, Counted, Texts, pick};
use crate::language::Language;
use crate::log::reason;
use crate::notifications::quantity;

/// Tells explanations in a language.
#[derive(Clone, Copy)]
pub(crate) struct Teller(pub(crate) Language);

impl Teller {
    pub(super) fn say(self, texts: Texts, parts: &[(&str, &str)]) -> String {
        self.fill(pick(self.0, texts), parts)
    }

    /// A text with a number, in the number's form.
    pub(super) fn counted(self, texts: Counted, n: usize, parts: &[(&str, &str)]) -> String {
        let texts = texts[usize::from(n != 1)];
        let n = self.number(n);
        let parts: Vec<_> = parts.iter().copied().chain([("n", n.as_str())]).collect();
        self.say(texts, &parts)
    }

    /// Puts parts into the places of a phrase; what is put in is not looked at again.
    pub(super) fn fill(self, phrase: &str, parts: &[(&str, &str)]) -> String {
        let (mut told, mut rest) = (String::new(), phrase);
        while let Some((before, after)) = rest.split_once('{') {
            let (place, after) = after.split_once('}').unwrap_or((after, ""));
            told.push_str(before);
            let part = parts.iter().find(|(name, _)| *name == place);
            told.push_str(part.map_or("", |(_, part)| part));
            rest = after;
        }
        told + rest
    }

    pub(super) fn number(self, n: impl ToString) -> String {
        self.0.digits(&n.to_string())
    }

    pub(crate) fn time(self, of: Duration) -> String {
        w::time(self.0, of)
    }

    pub(crate) const fn truth(self, truth: Truth) -> &'static str {
        w::truth(self.0, truth)
    }

    pub(super) fn amount(self, sensor_type: SensorType, value: Quantity) -> String {
        let unit = match sensor_type.unit() {
            "%" => "%".to_owned(),
            "" => String::new(),
            unit => format!(" {unit}"),
        };
        self.number(value) + unit.as_str()
    }

    // ---- conditions ----

    fn comparison(self, condition: &ConditionSpec) -> String {
        let of = |value| self.amount(condition.sensor_type, value);
        let what = quantity(self.0, condition.sensor_type);
        let max = condition.value_max.map(of).unwrap_or_default();
        let parts = [
            ("what", what),
            ("value", &of(condition.value)),
            ("max", &max),
        ];
        self.fill(w::operator(self.0, condition.operator), &parts)
    }

    /// A comparison, with the setpoint that it names: beside the value that this is now, or in its place.
    fn compared(self, signal: &SignalExplanation) -> String {
        let Some(setpoint) = &signal.setpoint else {
            return self.comparison(&signal.condition);
        };
        let name = self.setpoint(setpoint, signal.condition.sensor_type);
        if setpoint.value.is_some() {
            return format!("{} ({name})", self.comparison(&signal.condition));
        }
        let what = quantity(self.0, signal.condition.sensor_type);
        let phrase = w::operator(self.0, signal.condition.operator);
        self.fill(phrase, &[("what", what), ("value", &name)])
    }

    fn setpoint(self, of: &ComparedSetpoint, sensor_type: SensorType) -> String {
        let name = named(&of.name, of.id.as_str());
        let micro = of.offset.as_micro();
        let sign = match micro.signum() {
            0 => return name.to_owned(),
            1 => "+",
            _ => "−",
        };
        let offset = Quantity::from_micro(micro.saturating_abs());
        format!("{name} {sign} {}", self.amount(sensor_type, offset))
    }

    fn seen(self, signal: &SignalExplanation) -> String {
        let now = match signal.mean {
            None => pick(self.0, w::NO_READING).to_owned(),
            Some(mean) => {
                let value = self.amount(signal.condition.sensor_type, mean.shown());
                self.say(w::NOW, &[("value", &value)])
            }
        };
        if signal.sensors <= 1 {
            return now;
        }
        let (fresh, all) = (self.number(signal.fresh), self.number(signal.sensors));
        format!(
            "{now}, {}",
            self.say(w::OF_SENSORS, &[("fresh", &fresh), ("all", &all)])
        )
    }

    fn moment(self, moment: Moment) -> String {
        match moment {
            Moment::Clock(time) => self.number(time),
            Moment::Sun { event, offset_min } => {
                let name = match event {
                    SunEvent::Sunrise => w::SUNRISE,
                    SunEvent::Sunset => w::SUNSET,
                };
                let offset = Duration::from_secs(i64::from(offset_min.unsigned_abs()) * 60);
                let sign = match offset_min.signum() {
                    0 => return pick(self.0, name).to_owned(),
                    1 => "+",
                    _ => "−",
                };
                format!("{} {sign} {}", pick(self.0, name), self.time(offset))
            }
        }
    }

    fn days(self, days: Weekdays) -> String {
        let on = (0..).zip(w::WEEKDAYS).filter(|(n, _)| days.contains(*n));
        let names: Vec<&str> = on.map(|(_, texts)| pick(self.0, texts)).collect();
        names.join(", ")
    }

    /// What a node says, without what it comes to.
    pub(crate) fn said(self, said: &Said) -> String {
        match said {
            Said::All => pick(self.0, w::ALL).to_owned(),
            Said::Any => pick(self.0, w::ANY).to_owned(),
            Said::Not => pick(self.0, w::NOT).to_owned(),
            Said::Signal(signal) => self.compared(signal),
            Said::Time(window) => {
                let (from, to) = (self.moment(window.from), self.moment(window.to));
                self.say(w::TIME, &[("from", &from), ("to", &to)])
            }
            Said::Days(days) => self.say(w::DAYS, &[("days", &self.days(*days))]),
            Said::Dates(dates) => {
                let (from, to) = (self.number(dates.from), self.number(dates.to));
                self.say(w::DATES, &[("from", &from), ("to", &to)])
            }
            Said::Rule { id, name } => {
                self.say(w::RULE_RUNS, &[("rule", named(name, id.as_str()))])
            }
            Said::Device { id, name, on, .. } => {
                let texts = if *on { w::DEVICE_ON } else { w::DEVICE_OFF };
                self.say(texts, &[("device", named(name, id.as_str()))])
            }
        }
    }

    /// What a node says and sees, and how far its hold is.
    pub(crate) fn node(self, node: &NodeExplanation, now: Timestamp) -> String {
        let mut told = self.said(&node.said);
        if let Said::Signal(signal) = &node.said {
            told = format!("{told} ({})", self.seen(signal));
        }
        match node.held {
            Some(held) => format!("{told}; {}", self.branch(held, now)),
            None => told,
        }
    }

    fn branch(self, held: BranchHold, now: Timestamp) -> String {
        match held.since {
            Some(since) => self.held(
                (since, held.length),
                (held.samples, held.samples_needed),
                now,
            ),
            None => self.say(w::MUST_HOLD, &[("length", &self.time(held.length))]),
        }
    }

    fn held(self, of: (Timestamp, Duration), samples: (u8, u8), now: Timestamp) -> String {
        let held = (now - of.0).min(of.1);
        let parts = [
            ("held", self.time(held)),
            ("length", self.time(of.1)),
            ("samples", self.number(samples.0.min(samples.1))),
            ("needed", self.number(samples.1)),
        ];
        self.say(
            w::HELD,
            &parts.each_ref().map(|(name, part)| (*name, part.as_str())),
        )
    }

    /// How far the hold on a whole condition is.
    pub(crate) fn hold(self, hold: HoldStatus, now: Timestamp) -> String {
        let samples = (hold.samples, hold.samples_needed);
        self.held((hold.hold_since, hold.length), samples, now)
    }

    pub(crate) fn evidence(
        self,
        of: &SensorEvidence,
        sensor_type: SensorType,
        now: Timestamp,
    ) -> String {
        let silent = of.read_at.map_or(Duration::ZERO, |at| now - at);
        let time = self.time(silent);
        let told = self.fill(w::standing(self.0, of.standing), &[("time", &time)]);
        match of.value.filter(|_| of.standing == Standing::Counts) {
            Some(value) => format!("{told}: {}", self.amount(sensor_type, value)),
            None => told,
        }
    }

    // ---- rules ----

    /// Where a rule stands, in a sentence.
    pub(crate) fn phase(self, of: &RuleExplanation) -> String {
        let texts = match of.status.phase {
            _ if !of.active() => w::INACTIVE,
            RulePhase::Pending { .. } => w::PENDING,
            RulePhase::Running { .. } => w::RUNNING,
            RulePhase::Idle if of.status.spec.trigger.when().is_none() => w::IDLE_CLOCK,
            RulePhase::Idle => w::IDLE,
        };
        pick(self.0, texts).to_owned()
    }

    /// What would have to change, a sentence each.
    pub(crate) fn change(self, change: &Change, parts: &[PartExplanation]) -> Vec<String> {
        let mut told = Vec::new();
        if change.activate {
            told.push(pick(self.0, w::ACTIVATE).to_owned());
        }
        if !change.enough {
            told.push(pick(self.0, w::NOT_ENOUGH).to_owned());
            return told;
        }
        told.extend(
            change
                .leaves
                .iter()
                .filter_map(|leaf| self.leaf(leaf, parts)),
        );
        if change.hold > Duration::ZERO {
            told.push(self.say(w::THEN_FOR, &[("time", &self.time(change.hold))]));
        }
        if change.samples > 0 {
            told.push(self.counted(w::READINGS, change.samples.into(), &[]));
        }
        told
    }

    fn leaf(self, leaf: &LeafChange, parts: &[PartExplanation]) -> Option<String> {
        let part = parts.iter().find(|p| p.role == leaf.part)?;
        let said = &part.nodes.get(leaf.node)?.said;
        if let (Said::Signal(signal), Some(goal)) = (said, leaf.goal) {
            return Some(self.goal(signal, goal));
        }
        let texts = if leaf.to { w::MUST } else { w::MUST_NOT };
        Some(self.say(texts, &[("what", &self.said(said))]))
    }

    fn goal(self, signal: &SignalExplanation, goal: Goal) -> String {
        let sensor_type = signal.condition.sensor_type;
        let what = quantity(self.0, sensor_type);
        let value = self.amount(sensor_type, goal.value);
        let bound = self.fill(w::bound(self.0, goal.bound), &[("value", &value)]);
        let Some(by) = goal.by else {
            return self.say(w::MUST_BE, &[("what", what), ("bound", &bound)]);
        };
        let texts = match goal.bound {
            Bound::Above | Bound::AtLeast => w::MORE,
            Bound::Below | Bound::AtMost => w::LESS,
        };
        let by = self.amount(sensor_type, by);
        self.say(texts, &[("what", what), ("by", &by), ("bound", &bound)])
    }

    pub(crate) fn outcome(self, of: &DeviceOutcome) -> String {
        self.becomes(&of.outcome)
    }

    /// What becomes of what a rule wants.
    pub(crate) fn becomes(self, outcome: &Outcome) -> String {
        match outcome {
            Outcome::Locked => reason("locked", self.0),
            Outcome::Safety => reason("safety", self.0),
            Outcome::Manual => reason("manual", self.0),
            Outcome::Outranked { rule, name } => {
                self.say(w::OUTRANKED, &[("rule", named(name, rule.as_str()))])
            }
            Outcome::Held(limit) => reason(limit.as_str(), self.0),
            Outcome::Offline => reason("offline", self.0),
            Outcome::Free => pick(self.0, w::FREE).to_owned(),
        }
    }

    // ---- devices ----

    fn order(self, setting: Option<Setting>) -> String {
        let value = setting
            .and_then(Setting::value)
            .map(|v| self.number(v))
            .unwrap_or_default();
        let texts = match setting {
            None => w::PULSE,
            Some(Setting::On { .. }) => w::ON,
            Some(Setting::Off) => w::OFF,
            Some(Setting::Speed(_)) => w::SPEED,
            Some(Setting::Position(_)) => w::OPEN,
            Some(Setting::FlowRate(_)) => w::FLOW,
        };
        self.say(texts, &[("value", &value)])
    }

    /// A lock, with whose it is and why.
    pub(crate) fn lock(self, lock: &DeviceLock) -> String {
        let said = match lock.kind {
            LockKind::MaxOn | LockKind::KeepsStopping | LockKind::KeepsStarting => {
                reason(&format!("lock.{}", lock.kind.as_str()), self.0)
            }
            _ => lock.reason.to_string(),
        };
        let by = lock.owner.as_ref().map_or("", |o| &o.name);
        let texts = match lock.kind {
            LockKind::Stop if by.is_empty() => w::STOPPED,
            LockKind::Stop => w::STOPPED_BY,
            _ if by.is_empty() => w::LOCK,
            _ => w::LOCK_BY,
        };
        self.say(texts, &[("by", by), ("reason", &said)])
    }

    /// What a command wanted, and what was said to it.
    pub(crate) fn command(
        self,
        action: &str,
        value: Option<Quantity>,
        message: Option<&str>,
    ) -> String {
        let texts = match action {
            "on" => w::ON,
            "off" => w::OFF,
            "set_speed" => w::SPEED,
            "set_position" => w::OPEN,
            "set_flow_rate" => w::FLOW,
            _ => w::PULSE,
        };
        let value = value.map(|v| self.number(v)).unwrap_or_default();
        let order = self.say(texts, &[("value", &value)]);
        match message {
            Some(message) => format!("{order} ({message})"),
            None => order,
        }
    }

    /// Something that has a say about a device.
    pub(crate) fn step(self, step: &Step) -> String {
        let order = self.order(step.setting);
        match &step.what {
            StepKind::Lock(lock) => self.lock(lock),
            StepKind::Safety => self.say(w::SAFETY, &[("order", &order)]),
            StepKind::Manual(manual) => {
                let by = manual.owner.as_ref().map_or("", |o| &o.name);
                let texts = if by.is_empty() {
                    w::BY_HAND
                } else {
                    w::BY_HAND_OF
                };
                self.say(texts, &[("by", by), ("order", &order)])
            }
            StepKind::Limit(limit) => {
                self.say(w::LIMIT, &[("why", &reason(limit.as_str(), self.0))])
            }
            StepKind::Claim { claim, name } => {
                let priority = self.number(claim.priority);
                let rule = named(name, &claim.rule);
                self.say(
                    w::CLAIM,
                    &[("rule", rule), ("priority", &priority), ("order", &order)],
                )
            }
            StepKind::Rest => self.say(w::REST, &[("order", &order)]),
        }
    }

    /// What else there is to know of a device: whether it is heard, what it needs, its groups, what is left for the day, what comes next.
    pub(crate) fn notes(self, of: &DeviceExplanation) -> Vec<String> {
        let mut told = Vec::new();
        if !of.status.online {
            told.push(pick(self.0, w::OFFLINE).to_owned());
        }
        told.extend(of.needs.iter().map(|need| {
            let truth = match need.carries {
                Truth::True => w::CARRIES[0],
                Truth::False => w::CARRIES[1],
                Truth::Unknown => w::CARRIES[2],
            };
            let device = named(&need.name, need.id.as_str());
            self.say(
                w::NEEDS,
                &[("device", device), ("truth", pick(self.0, truth))],
            )
        }));
        told.extend(of.groups.iter().map(|group| {
            let (n, most) = (self.number(group.running.len()), self.number(group.at_most));
            let name = named(&group.name, group.id.as_str());
            self.say(w::GROUP, &[("group", name), ("n", &n), ("most", &most)])
        }));
        let left = of.limits.as_ref().and_then(|l| l.time_left);
        told.extend(left.map(|left| self.say(w::TIME_LEFT, &[("time", &self.time(left))])));
        let next = of.next.and_then(|next| of.steps.get(next));
        told.extend(next.map(|next| self.say(w::THEN, &[("what", &self.step(next))])));
        told
    }
}

/// A name, or where there is none the id.
pub(super) fn named<'a>(name: &'a str, id: &'a str) -> &'a str {
    if name.is_empty() { id } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harit_engine::{Operator, SetpointId};

    #[test]
    fn a_setpoint_is_named_with_what_is_added_and_in_place_of_a_value_that_is_not_known() {
        let condition = ConditionSpec {
            sensor_type: SensorType::Temperature,
            operator: Operator::Gt,
            value: Quantity::from_micro(25_000_000),
            value_max: None,
            duration: Duration::ZERO,
            scope: None,
        };
        let told = |offset, value: Option<i64>, language| {
            let signal = SignalExplanation {
                condition: condition.clone(),
                setpoint: Some(ComparedSetpoint {
                    id: SetpointId::new("sp"),
                    name: "Day".to_owned(),
                    offset: Quantity::from_micro(offset),
                    value: value.map(Quantity::from_micro),
                }),
                place: None,
                mean: None,
                sensors: 0,
                fresh: 0,
                evidence: Vec::new(),
            };
            Teller(language).said(&Said::Signal(Box::new(signal)))
        };
        let en = |offset, value| told(offset, value, Language::En);
        let plain = Teller(Language::En).comparison(&condition);
        assert_eq!(en(0, Some(25_000_000)), format!("{plain} (Day)"));
        assert_eq!(
            en(-500_000, Some(25_500_000)),
            format!("{plain} (Day − 0.5 °C)")
        );
        assert!(
            en(1_000_000, None).ends_with("Day + 1 °C"),
            "{}",
            en(1_000_000, None)
        );
        assert!(told(0, None, Language::Mr).contains("Day"));
    }
}
