//! Hours (section 14): when machines may run, and what that comes to now.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::condition::Truth;
use crate::document::{Malformed, Place, malformed, text};
use crate::mutation::Mutation;
use crate::program::{given, ranged};
use crate::state::Model;
use crate::tree::{Branches, Look, Node, What};

/// The hours of a device, or of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hours {
    node: Node,
    for_ms: i64,
    /// What is not known is allowed.
    allows_unknown: bool,
}

impl Model {
    fn read_hours(&self, doc: &Value, place: &Place, of: &[&String]) -> Result<Hours, Malformed> {
        let Some(node) = given(doc, "while") else {
            return malformed(format!("hours without while: {doc}"));
        };
        let allows_unknown = match text(doc, "if_unknown")? {
            "hold" => false,
            "allow" => true,
            other => return malformed(format!("if_unknown is not {other}")),
        };
        let hours = Hours {
            node: self.tree(node, place)?,
            for_ms: ranged(doc, "for_sec", Some(0), (0, 3_600))? * 1_000,
            allows_unknown,
        };
        for node in hours.node.nodes() {
            match &node.what {
                _ if node.hold_ms > 0 => return malformed("hours have no hold_sec"),
                What::Rule(_) => return malformed("hours name no rule"),
                What::Signal(condition) if condition.target.is_some() => {
                    return malformed("hours have no setpoint");
                }
                What::Signal(condition) => self.check_condition(condition, "hours")?,
                What::Device(id, _) if !self.devices.contains_key(id) => {
                    return malformed(format!("hours name no device: {id}"));
                }
                What::Device(id, _) if of.contains(&id) => {
                    return malformed(format!("the hours of {id} name it"));
                }
                _ => {}
            }
        }
        Ok(hours)
    }

    /// The hours of every device that has some: its own, and those of its groups.
    pub(crate) fn read_all_hours(&self) -> Result<BTreeMap<String, Vec<Hours>>, Malformed> {
        let mut all: BTreeMap<String, Vec<Hours>> = BTreeMap::new();
        for (id, device) in &self.devices {
            if let Some(doc) = &device.doc.limits.hours {
                let hours = self.read_hours(doc, &device.doc.place, &[id])?;
                all.entry(id.clone()).or_default().push(hours);
            }
        }
        for (group, doc) in &self.group_hours {
            let is_in =
                |(_, d): &(&String, &crate::state::Device)| d.doc.limits.groups.contains(group);
            let members: Vec<&String> = (self.devices.iter().filter(is_in))
                .map(|(id, _)| id)
                .collect();
            let hours = self.read_hours(doc, &Place::Farm, &members)?;
            if self.mutation == Some(Mutation::HoursOfGroupsAreForgotten) {
                continue;
            }
            if members.is_empty() {
                // They hold nothing, and what they look at counts all the same.
                all.entry(String::new()).or_default().push(hours.clone());
            }
            for id in members {
                all.entry(id.clone()).or_default().push(hours.clone());
            }
        }
        Ok(all)
    }

    /// Reads the hours anew; that they make sense is checked before.
    pub(crate) fn find_hours(&mut self) {
        self.hours = self.read_all_hours().unwrap_or_default();
    }

    fn hours_of(&self, id: &str) -> &[Hours] {
        self.hours.get(id).map_or(&[], Vec::as_slice)
    }

    /// What the hours of a device come to; none where it has none.
    pub(crate) fn allowed(&self, id: &str) -> Option<Truth> {
        let look = Look {
            sample: None,
            completes: false,
        };
        let each = self.hours_of(id).iter().map(|hours| {
            let truth = self.node_truth(&hours.node, &[0], &mut Branches::new(), look);
            let allows = match self.mutation {
                Some(Mutation::UnknownHoursAllow) => true,
                Some(Mutation::UnknownHoursHold) => false,
                _ => hours.allows_unknown,
            };
            match truth {
                Truth::Unknown if allows => Truth::True,
                truth => truth,
            }
        });
        let each: Vec<Truth> = each.collect();
        (!each.is_empty()).then(|| Truth::all(&each))
    }

    /// For how long hours must have allowed a device before it starts.
    pub(crate) fn hours_last_ms(&self, id: &str) -> i64 {
        if self.mutation == Some(Mutation::HoursForSecIsForgotten) {
            return 0;
        }
        let lasts = self.hours_of(id).iter().map(|hours| hours.for_ms);
        lasts.max().unwrap_or(0)
    }

    /// Whether a device may not start for its hours.
    pub(crate) fn is_outside_hours(&self, id: &str) -> bool {
        let Some(allowed) = self.allowed(id) else {
            return false;
        };
        let since = self.devices[id].duty.allowed_since.unwrap_or(self.now);
        allowed != Truth::True || since + self.hours_last_ms(id) > self.now
    }

    /// The next boundaries of a device's hours.
    pub(crate) fn hours_boundaries(&self, id: &str) -> Vec<i64> {
        let each = self.hours_of(id).iter();
        each.filter_map(|hours| self.boundary(&hours.node))
            .collect()
    }

    /// Whether hours name a device.
    pub(crate) fn is_named_by_hours(&self, device: &str) -> bool {
        let mut nodes = (self.hours.values().flatten()).flat_map(|hours| hours.node.nodes());
        nodes.any(|n| matches!(&n.what, What::Device(id, _) if id == device))
    }
}
