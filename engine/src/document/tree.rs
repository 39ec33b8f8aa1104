//! Conditions as trees: what a rule's trigger, stop condition or guard may be made of.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::reader::Fields;
use super::rule::ConditionSpec;
use super::scope::ScopeSpec;
use super::setpoint::SetpointConditionSpec;
use crate::almanac::{Moment, SunEvent};
use crate::calendar::{MonthDay, TimeOfDay, Weekdays};
use crate::id::{DeviceId, RuleId};
use crate::sensor_type::SensorType;
use crate::time::Duration;

/// The most nodes of a tree.
pub(crate) const MAX_NODES: usize = 32;
/// The most levels of a tree; a leaf alone is one.
pub(crate) const MAX_DEPTH: usize = 6;
/// The most branches of a node.
const MAX_BRANCHES: usize = 16;
/// The furthest that a moment is from the sun's, in minutes.
const MAX_SUN_OFFSET: i64 = 720;

/// A node of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSpec {
    /// What it says.
    pub kind: NodeKind,
    /// How long what it says must hold until the node is true; zero: not at all.
    pub hold: Duration,
}

/// What a node says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeKind {
    /// A signal compared with a number. Its duration is zero and says nothing.
    Signal(ConditionSpec),
    /// A signal compared with a setpoint.
    Setpoint(SetpointConditionSpec),
    /// All of them.
    All(Vec<NodeSpec>),
    /// Any of them.
    Any(Vec<NodeSpec>),
    /// The opposite.
    Not(Box<NodeSpec>),
    /// The time is in this window.
    Time(WindowSpec),
    /// The local date is one of these weekdays.
    Days(Weekdays),
    /// The local date is in this part of the year.
    Dates(DatesSpec),
    /// Another rule is running.
    Rule(RuleId),
    /// A device is reported to be on, or off.
    Device {
        /// Which.
        id: DeviceId,
        /// Whether it is to be on.
        on: bool,
    },
}

/// From a moment of a day to the next other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowSpec {
    /// When it begins.
    pub from: Moment,
    /// When it is over: on the same date, or where that is not later, on the next.
    pub to: Moment,
    /// On which weekdays it begins.
    pub days: Weekdays,
}

/// A part of the year, both ends included; it may pass the new year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatesSpec {
    /// Its first day.
    pub from: MonthDay,
    /// Its last day.
    pub to: MonthDay,
}

/// A tree as a trigger or stop condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeSpec {
    /// What must hold; its own hold is zero.
    pub node: NodeSpec,
    /// For how long; 300 s by default where it has a signal, else 1 s.
    pub duration: Duration,
}

impl DatesSpec {
    pub(crate) fn contains(&self, day: MonthDay) -> bool {
        if self.from <= self.to {
            self.from <= day && day <= self.to
        } else {
            self.from <= day || day <= self.to
        }
    }
}

/// The words by which a node says what it is.
const KINDS: [&str; 9] = [
    "sensor_type",
    "all",
    "any",
    "not",
    "time",
    "days",
    "dates",
    "rule",
    "device",
];

impl NodeSpec {
    /// The nodes right below it.
    pub fn branches(&self) -> &[Self] {
        match &self.kind {
            NodeKind::All(of) | NodeKind::Any(of) => of,
            NodeKind::Not(of) => std::slice::from_ref(of),
            _ => &[],
        }
    }

    /// It and all nodes below it, it first, each before those below it.
    pub fn nodes(&self) -> Vec<&Self> {
        let mut all = vec![self];
        for branch in self.branches() {
            all.extend(branch.nodes());
        }
        all
    }

    /// The comparisons of signals in it.
    #[must_use]
    pub fn conditions(&self) -> Vec<&ConditionSpec> {
        let nodes = self.nodes().into_iter();
        nodes
            .filter_map(|n| match &n.kind {
                NodeKind::Signal(c) => Some(c),
                _ => None,
            })
            .collect()
    }

    /// The signals that are compared in it, each with the place that is named.
    #[must_use]
    pub fn signals(&self) -> Vec<(SensorType, Option<&ScopeSpec>)> {
        let nodes = self.nodes().into_iter();
        nodes.filter_map(|n| n.kind.signal()).collect()
    }

    /// The comparisons with setpoints in it.
    #[must_use]
    pub fn setpoints(&self) -> Vec<&SetpointConditionSpec> {
        let nodes = self.nodes().into_iter();
        nodes
            .filter_map(|n| match &n.kind {
                NodeKind::Setpoint(c) => Some(c),
                _ => None,
            })
            .collect()
    }

    /// Whether any signal is below it.
    #[must_use]
    pub fn has_signal(&self) -> bool {
        !self.signals().is_empty()
    }

    /// Reads a node; `key` of the fields is where the tree's problems are said.
    pub(super) fn read_tree(f: &mut Fields<'_>) -> Self {
        let node = Self::read(f, 1);
        let count = node.nodes().len();
        if count > MAX_NODES {
            f.problem_here(
                "too_many",
                format!("{count} nodes are more than {MAX_NODES}"),
            );
        }
        node
    }

    fn read(f: &mut Fields<'_>, depth: usize) -> Self {
        let hold = f.seconds("hold_sec", 0).unwrap_or(Duration::ZERO);
        Self {
            kind: NodeKind::read(f, depth),
            hold,
        }
    }

    pub(super) fn stand_in() -> Self {
        Self {
            kind: NodeKind::All(Vec::new()),
            hold: Duration::ZERO,
        }
    }

    fn fields(&self) -> Map<String, Value> {
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
        match &self.kind {
            NodeKind::Signal(c) => {
                if let Ok(Value::Object(all)) = serde_json::to_value(c) {
                    map.extend(all);
                    map.remove("duration_sec");
                }
            }
            NodeKind::Setpoint(c) => map.extend(c.fields()),
            NodeKind::All(of) => {
                put("all", json!(of));
            }
            NodeKind::Any(of) => {
                put("any", json!(of));
            }
            NodeKind::Not(of) => {
                put("not", json!(of));
            }
            NodeKind::Time(window) => {
                put("time", json!({"from": window.from, "to": window.to}));
                if window.days != Weekdays::ALL {
                    put("days", json!(window.days));
                }
            }
            NodeKind::Days(days) => {
                put("days", json!(days));
            }
            NodeKind::Dates(dates) => {
                put("dates", json!(dates));
            }
            NodeKind::Rule(id) => {
                put("rule", json!(id));
            }
            NodeKind::Device { id, on } => {
                put("device", json!(id));
                put("is", json!(if *on { "on" } else { "off" }));
            }
        }
        if self.hold > Duration::ZERO {
            map.insert("hold_sec".into(), json!(self.hold.as_secs()));
        }
        map
    }
}

impl NodeKind {
    /// What is measured where, of a comparison.
    pub(crate) const fn signal(&self) -> Option<(SensorType, Option<&ScopeSpec>)> {
        match self {
            Self::Signal(c) => Some((c.sensor_type, c.scope.as_ref())),
            Self::Setpoint(c) => Some((c.sensor_type, c.scope.as_ref())),
            _ => None,
        }
    }

    fn read(f: &mut Fields<'_>, depth: usize) -> Self {
        let has_time = f.has("time");
        // The days of a window stand beside it.
        let found = |k: &&str| f.has(k) && !(*k == "days" && has_time);
        let kinds: Vec<&str> = KINDS.into_iter().filter(|k| found(k)).collect();
        let nothing = NodeSpec::stand_in().kind;
        let &[kind] = &kinds[..] else {
            let all = KINDS.join(", ");
            let (code, message) = match &kinds[..] {
                [] => ("required", format!("a condition has one of {all}")),
                several => (
                    "too_many",
                    format!(
                        "a condition has one of {all}, not {}",
                        several.join(" and ")
                    ),
                ),
            };
            f.problem_here(code, message);
            return nothing;
        };
        if depth >= MAX_DEPTH && ["all", "any", "not"].contains(&kind) {
            let message = format!("a condition is at most {MAX_DEPTH} levels deep");
            f.problem_here("too_deep", message);
            return nothing;
        }
        match kind {
            "sensor_type" if f.has("setpoint") => Self::Setpoint(SetpointConditionSpec::read(f)),
            "sensor_type" => {
                if f.has("duration_sec") {
                    let message = "a condition within another has hold_sec";
                    f.problem("duration_sec", "not_here", message);
                }
                let duration = Duration::ZERO;
                Self::Signal(ConditionSpec {
                    duration,
                    ..ConditionSpec::read(f, true)
                })
            }
            "all" => Self::All(branches(f, kind, depth)),
            "any" => Self::Any(branches(f, kind, depth)),
            "not" => {
                let node = f.nested("not", |n| NodeSpec::read(n, depth + 1));
                Self::Not(Box::new(node.unwrap_or_else(NodeSpec::stand_in)))
            }
            "time" => {
                let days = read_days(f).unwrap_or(Weekdays::ALL);
                let ends = f.nested("time", |t| (read_moment(t, "from"), read_moment(t, "to")));
                let midnight = || TimeOfDay::from_minutes(0).map(Moment::Clock);
                match ends.unwrap_or_default() {
                    (Some(from), Some(to)) => Self::Time(WindowSpec { from, to, days }),
                    // Already reported.
                    (from, to) => match from.or(to).or_else(midnight) {
                        Some(m) => Self::Time(WindowSpec {
                            from: m,
                            to: m,
                            days,
                        }),
                        None => nothing,
                    },
                }
            }
            "days" => Self::Days(read_days(f).unwrap_or(Weekdays::ALL)),
            "dates" => read_dates(f).map_or(nothing, Self::Dates),
            "rule" => Self::Rule(RuleId::new(f.id("rule"))),
            _ => Self::Device {
                id: DeviceId::new(f.id("device")),
                on: f
                    .required_one_of("is", &[("on", true), ("off", false)])
                    .unwrap_or(true),
            },
        }
    }
}

fn branches(f: &mut Fields<'_>, key: &str, depth: usize) -> Vec<NodeSpec> {
    let of = f.list(key, MAX_BRANCHES, |n| NodeSpec::read(n, depth + 1));
    if of.is_empty() {
        f.missing_unless_reported(key);
    }
    of
}

/// The field `days`, if it is there.
pub(super) fn read_days(f: &mut Fields<'_>) -> Option<Weekdays> {
    let words = f.texts("days", 7)?;
    let number = |word: &String| {
        let known = crate::calendar::WEEKDAYS.iter().zip(0..);
        { known }.find(|(w, _)| *w == word).map(|(_, n)| n)
    };
    if let Some(wrong) = words.iter().find(|w| number(w).is_none()) {
        let all = crate::calendar::WEEKDAYS.join(", ");
        f.problem(
            "days",
            "unknown_word",
            format!("{wrong:?} is none of {all}"),
        );
    }
    let days = Weekdays::of(words.iter().filter_map(number));
    if days.is_none() {
        f.missing_unless_reported("days");
    }
    days
}

/// The field `dates`, if it is there.
pub(super) fn read_dates(f: &mut Fields<'_>) -> Option<DatesSpec> {
    f.nested("dates", |d| {
        let mut read = |key: &str| {
            let text = d.text(key);
            let day = MonthDay::parse(&text);
            if day.is_none() && !text.is_empty() {
                d.problem(
                    key,
                    "invalid",
                    format!("{text:?} is no day of a year (MM-DD)"),
                );
            }
            day
        };
        let (from, to) = (read("from"), read("to"));
        from.zip(to).map(|(from, to)| DatesSpec { from, to })
    })?
}

/// A time of day.
pub(super) fn read_time(f: &mut Fields<'_>, key: &str) -> Option<TimeOfDay> {
    let text = f.text(key);
    let time = TimeOfDay::parse(&text);
    if time.is_none() && !text.is_empty() {
        f.problem(
            key,
            "invalid",
            format!("{text:?} is no time of day (HH:MM)"),
        );
    }
    time
}

/// A time of day, or one by the sun.
pub(super) fn read_moment(f: &mut Fields<'_>, key: &str) -> Option<Moment> {
    if matches!(f.label(key), Value::Object(_)) {
        return f.nested(key, read_sun)?;
    }
    read_time(f, key).map(Moment::Clock)
}

/// `{"sun", "offset_min"}`.
pub(super) fn read_sun(f: &mut Fields<'_>) -> Option<Moment> {
    let words = [("sunrise", SunEvent::Sunrise), ("sunset", SunEvent::Sunset)];
    let event = f.required_one_of("sun", &words);
    let offset = f.whole("offset_min", -MAX_SUN_OFFSET, MAX_SUN_OFFSET);
    event.map(|event| Moment::Sun {
        event,
        offset_min: offset.and_then(|o| i16::try_from(o).ok()).unwrap_or(0),
    })
}

impl TreeSpec {
    pub(super) fn read(f: &mut Fields<'_>) -> Self {
        let node = NodeSpec::read_tree(f);
        if node.hold > Duration::ZERO {
            let message = "a whole condition has duration_sec";
            f.problem("hold_sec", "not_here", message);
        }
        let default = if node.has_signal() { 300 } else { 1 };
        let duration = f.seconds("duration_sec", 1);
        Self {
            node,
            duration: duration.unwrap_or(Duration::from_secs(default)),
        }
    }
}

impl Serialize for NodeSpec {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.fields().serialize(s)
    }
}

impl Serialize for TreeSpec {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = self.node.fields();
        map.insert("duration_sec".into(), json!(self.duration.as_secs()));
        map.serialize(s)
    }
}

impl Serialize for Weekdays {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.words())
    }
}

impl Serialize for TimeOfDay {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl Serialize for DatesSpec {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        json!({"from": self.from.to_string(), "to": self.to.to_string()}).serialize(s)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Clock(time) => time.serialize(s),
            Self::Sun { event, offset_min } => {
                let sun = match event {
                    SunEvent::Sunrise => "sunrise",
                    SunEvent::Sunset => "sunset",
                };
                json!({"sun": sun, "offset_min": offset_min}).serialize(s)
            }
        }
    }
}
