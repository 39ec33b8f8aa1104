//! Limits of a machine, and the groups of which so many run at a time.

use serde::Serialize;

use super::farm::optional_secs;
use super::reader::Fields;
use super::rule::as_secs;
use super::tree::{NodeKind, NodeSpec};
use crate::id::{DeviceId, GroupId};
use crate::problem::NumberRange;
use crate::quantity::{Decimal, Quantity};
use crate::time::Duration;

/// The most groups of a farm.
const MAX_GROUPS: usize = 64;
/// The most devices of a group that may run at a time.
const MAX_AT_A_TIME: i64 = 100;
/// The most groups that a device names.
const MAX_GROUPS_OF_A_DEVICE: usize = 8;
/// The most devices of which a device needs one.
const MAX_NEEDED: usize = 16;
/// The longest least time, in seconds.
const MAX_LEAST_SECS: i64 = 3_600;
/// The most starts that are counted.
const MAX_STARTS: i64 = 60;
/// How long a needed device must have carried, unless the document says otherwise, and the longest, in seconds.
const DEFAULT_CARRIED: Duration = Duration::from_secs(3);
const MAX_CARRIED_SECS: i64 = 60;
/// The seconds of a day.
const MAX_BUDGET_SECS: i64 = 86_400;
/// The largest budget, in ml, and the largest flow, in ml/s.
const MAX_BUDGET_ML: i64 = 100_000_000;
const MAX_ML_PER_SEC: i64 = 10_000;
/// How long hours must have allowed a device before it starts, at most, in seconds.
const MAX_ALLOWED_SECS: i64 = 3_600;

/// What a machine must not do, whoever wants it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct LimitsSpec {
    /// How long it stays on at least.
    #[serde(rename = "min_on_sec", serialize_with = "optional_secs")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_on: Option<Duration>,
    /// How long it stays off at least.
    #[serde(rename = "min_off_sec", serialize_with = "optional_secs")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_off: Option<Duration>,
    /// How often it starts within an hour, 1 to 60.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts_per_hour: Option<u8>,
    /// The groups that it is of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupId>,
    /// What must carry it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<NeedsSpec>,
    /// How long it runs in a day.
    #[serde(rename = "sec_per_day", serialize_with = "optional_secs")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_per_day: Option<Duration>,
    /// How much flows in a day, in ml.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ml_per_day: Option<Quantity>,
    /// What flows while it runs, in ml/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ml_per_sec: Option<Quantity>,
    /// When it may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<HoursSpec>,
}

/// When machines may run: while electricity comes, by the roster of who supplies it or by a sensor that sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HoursSpec {
    /// While this is true; without holds, rules and setpoints.
    #[serde(rename = "while")]
    pub node: NodeSpec,
    /// Whether they may run while it is not known whether that is so.
    #[serde(rename = "if_unknown", serialize_with = "as_word")]
    pub allows_unknown: bool,
    /// For how long it must have been so before one starts.
    #[serde(rename = "for_sec", serialize_with = "as_secs")]
    pub lasts: Duration,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn as_word<S: serde::Serializer>(allows: &bool, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(if *allows { "allow" } else { "hold" })
}

/// The devices one of which must carry a device: a valve that is open behind a pump.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NeedsSpec {
    /// One of these, 1 to 16.
    pub any: Vec<DeviceId>,
    /// For how long before it starts.
    #[serde(rename = "for_sec", serialize_with = "as_secs")]
    pub carried: Duration,
}

/// Devices of which so many run at a time: what hangs on one generator, or one phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupSpec {
    /// Its id.
    pub id: GroupId,
    /// Its name; a label.
    pub name: String,
    /// How many run at a time, 1 to 100.
    pub at_most: u8,
    /// When they may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<HoursSpec>,
}

impl LimitsSpec {
    /// The field `limits`; none where it says nothing.
    pub(super) fn read(f: &mut Fields<'_>) -> Option<Box<Self>> {
        let limits = f.nested("limits", Self::read_fields)?;
        (limits != Self::default()).then(|| Box::new(limits))
    }

    fn read_fields(f: &mut Fields<'_>) -> Self {
        let limits = Self {
            min_on: least(f, "min_on_sec"),
            min_off: least(f, "min_off_sec"),
            starts_per_hour: small(f, "starts_per_hour", MAX_STARTS),
            groups: ids(f, "groups", MAX_GROUPS_OF_A_DEVICE, GroupId::new),
            needs: f.nested("needs", NeedsSpec::read),
            time_per_day: f
                .whole("sec_per_day", 1, MAX_BUDGET_SECS)
                .map(Duration::from_secs),
            ml_per_day: amount(f, "ml_per_day", MAX_BUDGET_ML),
            ml_per_sec: amount(f, "ml_per_sec", MAX_ML_PER_SEC),
            hours: f.nested("hours", HoursSpec::read),
        };
        if f.has("ml_per_day") && !f.has("ml_per_sec") {
            f.missing_unless_reported("ml_per_sec");
        }
        limits
    }

    /// Whether what it does in a day is counted.
    pub(crate) const fn has_budget(&self) -> bool {
        self.time_per_day.is_some() || self.ml_per_day.is_some()
    }
}

impl HoursSpec {
    fn read(f: &mut Fields<'_>) -> Self {
        let node = f.nested("while", |n| {
            let tree = NodeSpec::read_tree(n);
            for node in tree.nodes() {
                let what = match &node.kind {
                    NodeKind::Rule(_) => "rule",
                    NodeKind::Setpoint(_) => "setpoint",
                    _ if node.hold > Duration::ZERO => "hold_sec",
                    _ => continue,
                };
                n.problem_here("not_here", format!("hours have no {what}"));
            }
            tree
        });
        if node.is_none() {
            f.missing_unless_reported("while");
        }
        let allows = f.required_one_of("if_unknown", &[("hold", false), ("allow", true)]);
        let lasts = f.whole("for_sec", 0, MAX_ALLOWED_SECS).unwrap_or(0);
        Self {
            node: node.unwrap_or_else(NodeSpec::stand_in),
            allows_unknown: allows.unwrap_or(false),
            lasts: Duration::from_secs(lasts),
        }
    }
}

impl NeedsSpec {
    fn read(f: &mut Fields<'_>) -> Self {
        let any = ids(f, "any", MAX_NEEDED, DeviceId::new);
        if !f.has("any") {
            f.missing_unless_reported("any");
        }
        let carried = f.whole("for_sec", 0, MAX_CARRIED_SECS);
        Self {
            any,
            carried: carried.map_or(DEFAULT_CARRIED, Duration::from_secs),
        }
    }
}

impl GroupSpec {
    /// The field `groups` of a farm's settings.
    pub(super) fn read_all(f: &mut Fields<'_>) -> Vec<Self> {
        let groups = f.list("groups", MAX_GROUPS, |g| {
            if !g.has("at_most") {
                g.missing_unless_reported("at_most");
            }
            Self {
                id: GroupId::new(g.id("id")),
                name: g.text_or_empty("name"),
                at_most: small(g, "at_most", MAX_AT_A_TIME).unwrap_or(1),
                hours: g.nested("hours", HoursSpec::read),
            }
        });
        for (i, group) in groups.iter().enumerate() {
            if groups[..i].iter().any(|g| g.id == group.id) {
                let message = format!("{} stands there twice", group.id);
                f.problem(&format!("groups[{i}].id"), "duplicate", message);
            }
        }
        groups
    }
}

fn least(f: &mut Fields<'_>, key: &str) -> Option<Duration> {
    f.whole(key, 1, MAX_LEAST_SECS).map(Duration::from_secs)
}

fn small(f: &mut Fields<'_>, key: &str, max: i64) -> Option<u8> {
    f.whole(key, 1, max).and_then(|n| u8::try_from(n).ok())
}

/// A number above 0.
fn amount(f: &mut Fields<'_>, key: &str, max: i64) -> Option<Quantity> {
    let amount = f.decimal(key).map(Decimal::rounded)?;
    if amount <= Quantity::from_units(0) || amount > Quantity::from_units(max) {
        let range = NumberRange {
            above: true,
            ..NumberRange::of_units(0, max)
        };
        f.outside(key, amount, range);
        return None;
    }
    Some(amount)
}

/// A list of ids, each once.
fn ids<T: PartialEq + std::fmt::Display>(
    f: &mut Fields<'_>,
    key: &str,
    max: usize,
    id: impl Fn(std::sync::Arc<str>) -> T,
) -> Vec<T> {
    if f.length(key) > max {
        let message = format!("{} entries are more than {max}", f.length(key));
        f.problem(key, "too_many", message);
        return Vec::new();
    }
    let all = f.entries(key, |entry, name| id(entry.id(name)));
    if f.has(key) && all.is_empty() {
        f.missing_unless_reported(key);
    }
    for (i, one) in all.iter().enumerate() {
        if all[..i].contains(one) {
            let message = format!("{one} stands there twice");
            f.problem(&format!("{key}[{i}]"), "duplicate", message);
        }
    }
    all
}
