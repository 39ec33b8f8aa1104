//! What documents say of the limits of machines (section 14), and whether what they name is there.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::document::{Malformed, list, malformed, micros, text, whole};
use crate::program::{given, ranged};
use crate::state::Model;

const MOST_GROUPS: usize = 64;
const MOST_GROUPS_OF_ONE: usize = 8;
const MOST_NEEDED: usize = 16;
const DAY_SEC: i64 = 86_400;
/// In millionths of a millilitre.
const MOST_PER_DAY: i64 = 100_000_000 * 1_000_000;
const MOST_PER_SEC: i64 = 10_000 * 1_000_000;

/// How many devices of each group may run at a time.
pub(crate) type Groups = BTreeMap<String, usize>;

/// The limits of a device; all absent is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) min_on_ms: Option<i64>,
    pub(crate) min_off_ms: Option<i64>,
    pub(crate) starts_per_hour: Option<usize>,
    pub(crate) groups: Vec<String>,
    pub(crate) needs: Option<Needs>,
    pub(crate) ms_per_day: Option<i64>,
    /// Millionths of a millilitre.
    pub(crate) ml_per_day: Option<i64>,
    /// Millionths of a millilitre a second.
    pub(crate) ml_per_sec: Option<i64>,
    /// As the document says it.
    pub(crate) hours: Option<Value>,
}

/// What a device needs to start: one of these must have carried it for so long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Needs {
    pub(crate) any: Vec<String>,
    pub(crate) for_ms: i64,
}

impl Limits {
    pub(crate) fn are_some(&self) -> bool {
        *self != Self::default()
    }

    pub(crate) fn have_a_budget(&self) -> bool {
        self.ms_per_day.is_some() || self.ml_per_day.is_some()
    }

    /// The ids of the devices that are needed.
    pub(crate) fn needed(&self) -> &[String] {
        self.needs.as_ref().map_or(&[], |needs| &needs.any)
    }

    pub(crate) fn name_one_group_of(&self, other: &Self) -> bool {
        self.groups.iter().any(|g| other.groups.contains(g))
    }
}

/// Distinct ids, at least one and at most so many.
fn ids(doc: &Value, field: &str, most: usize) -> Result<Vec<String>, Malformed> {
    let named: Option<Vec<String>> = list(doc, field)
        .iter()
        .map(|id| id.as_str().map(Into::into))
        .collect();
    let is_right = |ids: &Vec<String>| {
        (1..=most).contains(&ids.len()) && ids.iter().collect::<BTreeSet<_>>().len() == ids.len()
    };
    match named.filter(is_right) {
        Some(ids) => Ok(ids),
        None => malformed(format!("{field} is not 1 to {most} ids, each once: {doc}")),
    }
}

/// The limits of a device's document; null is none.
pub(crate) fn limits(doc: &Value) -> Result<Limits, Malformed> {
    if doc.is_null() {
        return Ok(Limits::default());
    }
    if !doc.is_object() {
        return malformed(format!("limits are an object, not {doc}"));
    }
    let number = |field: &str, high: i64| match given(doc, field) {
        None => Ok(None),
        Some(_) => ranged(doc, field, None, (1, high)).map(Some),
    };
    let volume = |field: &str, high: i64| match given(doc, field) {
        None => Ok(None),
        Some(value) => match micros(value).filter(|v| (1..=high).contains(v)) {
            Some(v) => Ok(Some(v)),
            None => malformed(format!("{field} is out of its range in {doc}")),
        },
    };
    let needs = match given(doc, "needs") {
        None => None,
        Some(needs) => Some(Needs {
            any: ids(needs, "any", MOST_NEEDED)?,
            for_ms: ranged(needs, "for_sec", Some(3), (0, 60))? * 1_000,
        }),
    };
    let groups = match given(doc, "groups") {
        None => Vec::new(),
        Some(_) => ids(doc, "groups", MOST_GROUPS_OF_ONE)?,
    };
    let ms = |sec: Option<i64>| sec.map(|s| s * 1_000);
    let limits = Limits {
        min_on_ms: ms(number("min_on_sec", 3_600)?),
        min_off_ms: ms(number("min_off_sec", 3_600)?),
        starts_per_hour: number("starts_per_hour", 60)?.and_then(|n| usize::try_from(n).ok()),
        groups,
        needs,
        ms_per_day: ms(number("sec_per_day", DAY_SEC)?),
        ml_per_day: volume("ml_per_day", MOST_PER_DAY)?,
        ml_per_sec: volume("ml_per_sec", MOST_PER_SEC)?,
        hours: given(doc, "hours").cloned(),
    };
    match limits.ml_per_day.is_some() && limits.ml_per_sec.is_none() {
        true => malformed(format!("ml_per_day without ml_per_sec in {doc}")),
        false => Ok(limits),
    }
}

/// The hours of those of the farm's groups that have some.
pub(crate) fn hours_of_groups(settings: &Value) -> BTreeMap<String, Value> {
    let each = list(settings, "groups").iter();
    let hours = each.filter_map(|g| Some((g["id"].as_str()?.into(), given(g, "hours")?.clone())));
    hours.collect()
}

/// The groups of the farm's settings.
pub(crate) fn groups(settings: &Value) -> Result<Groups, Malformed> {
    let told = match given(settings, "groups") {
        None => &[],
        Some(Value::Array(groups)) => groups.as_slice(),
        Some(other) => return malformed(format!("groups are a list, not {other}")),
    };
    if told.len() > MOST_GROUPS {
        return malformed(format!("{} groups, more than {MOST_GROUPS}", told.len()));
    }
    let mut groups = Groups::new();
    for group in told {
        let id = text(group, "id")?;
        let at_most = whole(group, "at_most", None, 1)?;
        match usize::try_from(at_most) {
            Ok(n) if n <= 100 && groups.insert(id.into(), n).is_none() => {}
            Ok(n) if n <= 100 => return malformed(format!("two groups {id}")),
            _ => return malformed(format!("at_most {at_most} is above 100")),
        }
    }
    Ok(groups)
}

impl Model {
    /// Whether every group and device that limits name is there, and none needs itself.
    pub(crate) fn check_limits(&self) -> Result<(), Malformed> {
        for (id, device) in &self.devices {
            let limits = &device.doc.limits;
            if let Some(group) = limits.groups.iter().find(|g| !self.groups.contains_key(*g)) {
                return malformed(format!("device {id} names no group: {group}"));
            }
            let (mut seen, mut ahead) = (BTreeSet::new(), limits.needed().to_vec());
            while let Some(needed) = ahead.pop() {
                let Some(device) = self.devices.get(&needed) else {
                    return malformed(format!("needed is no device: {needed}"));
                };
                if needed == *id {
                    return malformed(format!("device {id} needs itself"));
                }
                if seen.insert(needed) {
                    ahead.extend(device.doc.limits.needed().to_vec());
                }
            }
        }
        self.read_all_hours().map(|_| ())
    }

    /// The devices that need this one.
    pub(crate) fn needing(&self, id: &str) -> Vec<String> {
        let needs = |(_, d): &(&String, &crate::state::Device)| {
            d.doc.limits.needed().iter().any(|n| n == id)
        };
        let all = self.devices.iter().filter(needs);
        all.map(|(id, _)| id.clone()).collect()
    }
}
