//! Programs: reading trees and schedules of documents, and the starts of schedules.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::almanac::{self, Moment, MonthDay, Window};
use crate::document::{self, Malformed, Place, RuleDoc, list, malformed, text, whole};
use crate::state::{Model, Rule};
use crate::tree::{Node, What};

const MOST_NODES: usize = 32;
const MOST_DEEP: usize = 6;
const MOST_BELOW: usize = 16;
const MOST_TIMES: usize = 24;
const DAY_SEC: i64 = 86_400;
const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// The fields that make an object a node of a tree, except those of a condition on a signal.
const KINDS: [&str; 8] = [
    "all", "any", "not", "time", "days", "dates", "rule", "device",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trigger {
    Tree(Node),
    Schedule(Schedule),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Schedule {
    at: Vec<Moment>,
    /// Minutes as milliseconds, first and last time of day.
    every: Option<(i64, i64, i64)>,
    days: Vec<i64>,
    dates: Option<(MonthDay, MonthDay)>,
    /// The guard, and whether it lets start when it is UNKNOWN.
    pub(crate) guard: Option<(Node, bool)>,
    pub(crate) catch_up_ms: i64,
}

impl Trigger {
    pub(crate) fn tree(&self) -> Option<&Node> {
        match self {
            Self::Tree(node) => Some(node),
            Self::Schedule(_) => None,
        }
    }
}

impl RuleDoc {
    /// The trees of a rule, each with the number under which its branches are held.
    pub(crate) fn trees(&self) -> Vec<(usize, &Node)> {
        let mut trees = Vec::new();
        match &self.trigger {
            Trigger::Tree(node) => trees.push((0, node)),
            Trigger::Schedule(schedule) => trees.extend(schedule.guard.iter().map(|(g, _)| (2, g))),
        }
        trees.extend(self.stop.iter().map(|(node, _)| (1, node)));
        trees
    }

    /// Whether a tree of the rule has this leaf.
    pub(crate) fn has_leaf(&self, is_it: impl Fn(&What) -> bool) -> bool {
        let trees = self.trees().into_iter();
        trees
            .flat_map(|(_, tree)| tree.nodes())
            .any(|n| is_it(&n.what))
    }

    pub(crate) fn names_rule(&self, id: &str) -> bool {
        self.has_leaf(|leaf| matches!(leaf, What::Rule(named) if named == id))
    }

    pub(crate) fn names_device(&self, id: &str) -> bool {
        self.has_leaf(|leaf| matches!(leaf, What::Device(named, _) if named == id))
    }
}

/// A field that is there; null counts as absent.
pub(crate) fn given<'a>(doc: &'a Value, field: &str) -> Option<&'a Value> {
    doc.get(field).filter(|v| !v.is_null())
}

/// A whole number in a range.
pub(crate) fn ranged(
    doc: &Value,
    field: &str,
    default: Option<i64>,
    (low, high): (i64, i64),
) -> Result<i64, Malformed> {
    match whole(doc, field, default, low)? {
        n if n <= high => Ok(n),
        n => malformed(format!("{field} {n} is above {high}")),
    }
}

fn only(doc: &Value, fields: &[&str]) -> Result<(), Malformed> {
    let Some(object) = doc.as_object() else {
        return malformed(format!("{doc} is no object"));
    };
    match object
        .iter()
        .find(|(k, v)| !v.is_null() && !fields.contains(&k.as_str()))
    {
        Some((field, _)) => malformed(format!("{field} has no meaning in {doc}")),
        None => Ok(()),
    }
}

pub(crate) fn is_tree(doc: &Value) -> bool {
    KINDS.iter().any(|kind| given(doc, kind).is_some()) || given(doc, "setpoint").is_some()
}

fn weekdays(doc: &Value) -> Result<Vec<i64>, Malformed> {
    let Some(days) = given(doc, "days") else {
        return Ok((0..7).collect());
    };
    let place = |day: &Value| WEEKDAYS.iter().position(|w| day.as_str() == Some(w));
    let days: Option<BTreeSet<usize>> = match days.as_array() {
        Some(days) if !days.is_empty() => days.iter().map(place).collect(),
        _ => None,
    };
    match days {
        Some(days) => Ok((0..7_i64)
            .zip(0..7)
            .filter(|(_, n)| days.contains(n))
            .map(|d| d.0)
            .collect()),
        None => malformed(format!("days of {doc}")),
    }
}

fn dates(doc: &Value) -> Result<(MonthDay, MonthDay), Malformed> {
    only(doc, &["from", "to"])?;
    let day = |field: &str| {
        let told = text(doc, field)?;
        almanac::month_day(told).ok_or_else(|| Malformed(format!("{told} is no day of a year")))
    };
    Ok((day("from")?, day("to")?))
}

fn time_of_day(told: &str) -> Result<i64, Malformed> {
    almanac::time_of_day(told).ok_or_else(|| Malformed(format!("{told} is no time of day")))
}

pub(crate) fn moment(doc: &Value) -> Result<Moment, Malformed> {
    if let Some(told) = doc.as_str() {
        return Ok(Moment::Clock(time_of_day(told)?));
    }
    only(doc, &["sun", "offset_min"])?;
    let rise = match text(doc, "sun")? {
        "sunrise" => true,
        "sunset" => false,
        other => return malformed(format!("the sun does not {other}")),
    };
    let minutes = ranged(doc, "offset_min", Some(0), (-720, 720))?;
    Ok(Moment::Sun(rise, minutes * 60_000))
}

impl Model {
    /// A tree with its limits.
    pub(crate) fn tree(&self, doc: &Value, place: &Place) -> Result<Node, Malformed> {
        let tree = self.node(doc, place, 1)?;
        let many = tree.nodes().len();
        if many > MOST_NODES {
            return malformed(format!("a tree of {many} nodes, more than {MOST_NODES}"));
        }
        Ok(tree)
    }

    /// The tree of a trigger or stop condition, and how long it is to hold.
    pub(crate) fn whole_tree(&self, doc: &Value, place: &Place) -> Result<(Node, i64), Malformed> {
        if given(doc, "hold_sec").is_some() {
            return malformed(format!("hold_sec beside duration_sec in {doc}"));
        }
        let mut node = doc.clone();
        if let Some(node) = node.as_object_mut() {
            node.remove("duration_sec");
        }
        let tree = self.tree(&node, place)?;
        let default = if tree.has_signal() { 300 } else { 1 };
        let length = whole(doc, "duration_sec", Some(default), 1)? * 1_000;
        Ok((tree, length))
    }

    fn node(&self, doc: &Value, place: &Place, depth: usize) -> Result<Node, Malformed> {
        if depth > MOST_DEEP {
            return malformed(format!("a tree of more than {MOST_DEEP} levels"));
        }
        let hold_ms = whole(doc, "hold_sec", Some(0), 0)? * 1_000;
        let is = |field: &str| given(doc, field).is_some();
        let below = |field: &str| {
            let nodes = list(doc, field);
            if !(1..=MOST_BELOW).contains(&nodes.len()) {
                return malformed(format!("{field} of {} nodes", nodes.len()));
            }
            nodes
                .iter()
                .map(|n| self.node(n, place, depth + 1))
                .collect()
        };
        let (what, fields) = if is("sensor_type") && is("setpoint") {
            let place = self.place_or(&doc["scope"], place)?;
            let fields = ["sensor_type", "operator", "setpoint", "offset", "scope"];
            let condition = document::condition_of_setpoint(doc, place)?;
            (What::Signal(condition), fields.to_vec())
        } else if is("sensor_type") {
            let place = self.place_or(&doc["scope"], place)?;
            let fields = ["sensor_type", "operator", "value", "value_max", "scope"];
            (
                What::Signal(document::condition(doc, place)?),
                fields.to_vec(),
            )
        } else if is("all") {
            (What::All(below("all")?), vec!["all"])
        } else if is("any") {
            (What::Any(below("any")?), vec!["any"])
        } else if is("not") {
            let node = self.node(&doc["not"], place, depth + 1)?;
            (What::Not(Box::new(node)), vec!["not"])
        } else if is("time") {
            only(&doc["time"], &["from", "to"])?;
            let window = Window {
                from: moment(&doc["time"]["from"])?,
                to: moment(&doc["time"]["to"])?,
                days: weekdays(doc)?,
            };
            (What::Time(window), vec!["time", "days"])
        } else if is("days") {
            (What::Days(weekdays(doc)?), vec!["days"])
        } else if is("dates") {
            let (from, to) = dates(&doc["dates"])?;
            (What::Dates(from, to), vec!["dates"])
        } else if is("rule") {
            (What::Rule(text(doc, "rule")?.into()), vec!["rule"])
        } else {
            let on = match text(doc, "is")? {
                "on" => true,
                "off" => false,
                other => return malformed(format!("a device is not {other}")),
            };
            (
                What::Device(text(doc, "device")?.into(), on),
                vec!["device", "is"],
            )
        };
        only(doc, &[fields, vec!["hold_sec"]].concat())?;
        Ok(Node { what, hold_ms })
    }

    pub(crate) fn schedule(&self, doc: &Value, place: &Place) -> Result<Schedule, Malformed> {
        let fields = [
            "at",
            "every",
            "days",
            "dates",
            "guard",
            "if_unknown",
            "catch_up_sec",
        ];
        only(doc, &fields)?;
        let at = match given(doc, "at") {
            None => Vec::new(),
            Some(_) => match list(doc, "at") {
                times if (1..=MOST_TIMES).contains(&times.len()) => {
                    times.iter().map(moment).collect::<Result<_, _>>()?
                }
                times => return malformed(format!("{} times of a schedule", times.len())),
            },
        };
        let every = match given(doc, "every") {
            None => None,
            Some(every) => {
                only(every, &["minutes", "from", "to"])?;
                let minutes = ranged(every, "minutes", None, (1, 720))?;
                let (from, to) = (
                    time_of_day(text(every, "from")?)?,
                    time_of_day(text(every, "to")?)?,
                );
                if to <= from {
                    return malformed(format!("to is not after from in {every}"));
                }
                Some((minutes * 60_000, from, to))
            }
        };
        if at.is_empty() && every.is_none() {
            return malformed("a schedule without times");
        }
        let guard = match (given(doc, "guard"), doc["if_unknown"].as_str()) {
            (None, None) if given(doc, "if_unknown").is_none() => None,
            (Some(guard), Some(word @ ("run" | "skip"))) => {
                Some((self.tree(guard, place)?, word == "run"))
            }
            _ => return malformed(format!("guard and if_unknown of {doc}")),
        };
        Ok(Schedule {
            at,
            every,
            days: weekdays(doc)?,
            dates: given(doc, "dates").map(dates).transpose()?,
            guard,
            catch_up_ms: ranged(doc, "catch_up_sec", Some(0), (0, DAY_SEC))? * 1_000,
        })
    }

    /// Bounds and claims of a rule: how long it runs at most.
    pub(crate) fn run_ms(doc: &Value, trigger: &Trigger) -> Result<Option<i64>, Malformed> {
        match (given(doc, "run_sec"), trigger) {
            (None, Trigger::Schedule(_)) => malformed("a schedule without run_sec"),
            (None, Trigger::Tree(_)) => Ok(None),
            (Some(_), _) => Ok(Some(ranged(doc, "run_sec", None, (1, DAY_SEC))? * 1_000)),
        }
    }

    /// The distinct starts of a rule that follow from the known days, in order.
    pub(crate) fn starts(&self, doc: &RuleDoc) -> BTreeSet<i64> {
        let Trigger::Schedule(schedule) = &doc.trigger else {
            return BTreeSet::new();
        };
        let mut starts = BTreeSet::new();
        for date in self.almanac.keys() {
            let is_meant = schedule.days.contains(&almanac::weekday(*date))
                && schedule.dates.is_none_or(|d| almanac::is_between(*date, d));
            if !is_meant {
                continue;
            }
            let instant =
                |moment: &Moment| almanac::instant(&self.almanac, *date, moment, self.mutation);
            starts.extend(schedule.at.iter().filter_map(instant));
            if let Some((step, from, to)) = schedule.every
                && let (Some(from), Some(to)) =
                    (instant(&Moment::Clock(from)), instant(&Moment::Clock(to)))
            {
                let mut start = from;
                while start <= to {
                    starts.insert(start);
                    start += step;
                }
            }
        }
        starts
    }

    /// The earliest start of an active rule that counts and was not handled.
    pub(crate) fn next_start(&self, rule: &Rule) -> Option<i64> {
        let counts = rule.doc.is_active();
        let starts = || self.starts(&rule.doc).into_iter();
        counts
            .then(|| starts().find(|s| *s > rule.handled))
            .flatten()
    }

    /// What the trees of a rule name exists, and no rule depends on itself. `with` is put among the rules.
    pub(crate) fn check_leaves(&self, with: &RuleDoc) -> Result<(), Malformed> {
        let doc_of = |id: &str| match id == with.id {
            true => Some(with),
            false => self.rules.get(id).map(|r| &*r.doc),
        };
        let (mut seen, mut ahead) = (BTreeSet::new(), vec![with]);
        while let Some(doc) = ahead.pop() {
            for node in doc.trees().into_iter().flat_map(|(_, tree)| tree.nodes()) {
                match &node.what {
                    What::Rule(id) if *id == with.id => {
                        return malformed(format!("rule {id} depends on itself"));
                    }
                    What::Rule(id) => match doc_of(id) {
                        None => return malformed(format!("{} names no rule: {id}", doc.id)),
                        Some(named) if seen.insert(id.clone()) => ahead.push(named),
                        Some(_) => {}
                    },
                    What::Device(id, _) if !self.devices.contains_key(id) => {
                        return malformed(format!("{} names no device: {id}", doc.id));
                    }
                    What::Signal(condition) => self.check_condition(condition, &doc.id)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }
}
