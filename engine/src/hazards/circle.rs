//! A circle through devices: the rule moves a device that another rule looks at, and what that moves comes back to the rule. It is one
//! only if it makes a difference: with the reports of the last device held fast the rule does something else.

use std::collections::{BTreeSet, VecDeque};

use super::fold::Plan;
use super::{Case, Hazard, HazardKind};
use crate::document::{NodeKind, NodeSpec, RuleSpec};
use crate::event::EventKind;
use crate::id::{DeviceId, RuleId};
use crate::time::{Duration, Timestamp};

/// The most rules of a circle.
const MAX_RULES: usize = 8;
/// How long one watches.
const HOUR: Duration = Duration::from_secs(3_600);

/// Rules, each looking at what the one before does, and the device between each and the next; none where it looks at the rule itself.
struct Way<'r> {
    rules: Vec<&'r RuleSpec>,
    devices: Vec<Option<DeviceId>>,
}

/// The shortest circle of the rule that makes a difference.
pub(super) fn circle(case: &Case<'_>) -> Option<Hazard> {
    let way = shortest(case)?;
    let last = way.devices.iter().rev().flatten().next()?.clone();
    let mut excerpt = case.excerpt(&way.rules);
    let goal = excerpt.running(&case.rule);
    let mut shown = None;
    excerpt.search(&goal, false, &mut |situation| {
        let outcome = |frozen: Option<DeviceId>| {
            let plan = Plan {
                after: HOUR,
                frozen,
                follow: true,
                ..Plan::default()
            };
            let mut does: Vec<(Timestamp, bool)> = Vec::new();
            let folded = excerpt.fold(case, situation, &plan, &mut |_, events| {
                for event in events {
                    match &event.kind {
                        EventKind::RuleFired { rule } if *rule == case.rule.id => {
                            does.push((event.at, true));
                        }
                        EventKind::RuleStopped { rule, .. } if *rule == case.rule.id => {
                            does.push((event.at, false));
                        }
                        _ => {}
                    }
                }
                false
            });
            Some((folded?.example, does))
        };
        let (Some((example, does)), Some((_, alone))) =
            (outcome(None), outcome(Some(last.clone())))
        else {
            return false;
        };
        if does == alone {
            return false;
        }
        let begin = does.first().map_or(example.at, |(at, _)| *at);
        let starts = does.iter().filter(|(at, on)| *on && *at - begin < HOUR);
        shown = Some((example.clone(), starts.count()));
        true
    });
    let (example, starts) = shown?;
    let kind = HazardKind::Circle {
        rules: way.rules.iter().map(|r| r.id.clone()).collect(),
        devices: way.devices.into_iter().flatten().collect(),
        starts_per_hour: u32::try_from(starts).unwrap_or(u32::MAX),
    };
    Some(Hazard { kind, example })
}

fn shortest<'r>(case: &'r Case<'_>) -> Option<Way<'r>> {
    let mut open = VecDeque::from([Way {
        rules: vec![&case.rule],
        devices: Vec::new(),
    }]);
    let mut seen: BTreeSet<&RuleId> = BTreeSet::new();
    while let Some(way) = open.pop_front() {
        let from = *way.rules.last()?;
        let readers = std::iter::once(&case.rule).chain(&case.others);
        for reader in readers {
            let Some(by) = looks_at(reader, from) else {
                continue;
            };
            let mut devices = way.devices.clone();
            devices.push(by);
            if reader.id == case.rule.id {
                if devices.iter().any(Option::is_some) {
                    let rules = way.rules.clone();
                    return Some(Way { rules, devices });
                }
            } else if way.rules.len() < MAX_RULES && seen.insert(&reader.id) {
                let mut rules = way.rules.clone();
                rules.push(reader);
                open.push_back(Way { rules, devices });
            }
        }
    }
    None
}

/// Whether a rule looks at what another does: at a device that it moves, or at whether it runs.
fn looks_at(reader: &RuleSpec, moves: &RuleSpec) -> Option<Option<DeviceId>> {
    let nodes = reader.trees().into_iter().flat_map(NodeSpec::nodes);
    let mut runs = false;
    for node in nodes {
        match &node.kind {
            NodeKind::Device { id, .. } if moves.actions.iter().any(|a| a.device_id == *id) => {
                return Some(Some(id.clone()));
            }
            NodeKind::Rule(id) => runs |= *id == moves.id,
            _ => {}
        }
    }
    runs.then_some(None)
}
