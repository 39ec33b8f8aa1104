//! How things stand, worked out anew: what the engine's explanations are compared with.

use serde_json::{Value, json};

use crate::condition::Truth;
use crate::document::Setting;
use crate::program::Trigger;
use crate::state::{Model, Phase};
use crate::tree::{Look, Node, What};

/// The most samples that are told of a hold.
const MOST_SAMPLES: i64 = 10;

fn word(truth: Truth) -> &'static str {
    match truth {
        Truth::True => "true",
        Truth::False => "false",
        Truth::Unknown => "unknown",
    }
}

fn told(setting: &Setting) -> Value {
    json!([setting.action, setting.value])
}

impl Model {
    /// The ids of all rules.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.rules.keys().map(String::as_str)
    }

    /// The ids of all devices.
    pub fn devices(&self) -> impl Iterator<Item = &str> {
        self.devices.keys().map(String::as_str)
    }

    /// What decides about a device, what it is to do for that, and who else has a claim, strongest first.
    #[must_use]
    pub fn device_standing(&self, id: &str) -> Option<Value> {
        let device = self.devices.get(id)?;
        let mut claims: Vec<_> = device.claims.iter().collect();
        claims.sort_by_key(|c| self.rank(c));
        let held = device.duty.held.as_ref();
        let (step, setting) = if device.is_locked() {
            let off = device.holds("stop") || device.holds("max_on");
            let safe = if off {
                Setting::off()
            } else {
                device.doc.safe.clone()
            };
            ("lock", Some(safe))
        } else if let Some(manual) = &device.manual {
            ("manual", manual.setting.clone())
        } else if device.safety {
            ("safety", Some(device.doc.safe.clone()))
        } else if let Some(held) = held {
            let on = ["min_on", "needed"].contains(&held.reason);
            let last = device.duty.last_on.clone().filter(|_| on);
            ("limit", Some(last.unwrap_or_else(Setting::off)))
        } else if let Some(winner) = claims.first() {
            ("claim", Some(winner.setting.clone()))
        } else {
            ("rest", Some(device.doc.rest.clone()))
        };
        Some(json!({
            "step": step,
            "setting": setting.as_ref().map(told),
            "held": held.map(|h| h.reason),
            "claims": claims.iter().map(|c| json!([c.rule, c.at, told(&c.setting)])).collect::<Vec<_>>(),
            "locks": device.locks.len(),
        }))
    }

    /// The phase of a rule with its hold, and what its conditions and each of their leaves come to.
    #[must_use]
    pub fn rule_standing(&self, id: &str) -> Option<Value> {
        let rule = self.rules.get(id)?;
        let doc = &rule.doc;
        let hold = |hold: Option<crate::state::Hold>| {
            hold.map(|h| json!([h.start, h.samples.min(MOST_SAMPLES)]))
        };
        let (phase, held) = match &rule.phase {
            Phase::Idle => ("idle", None),
            Phase::Pending(h) => ("pending", Some(*h)),
            Phase::Running { hold, .. } => ("running", *hold),
        };
        let role = |number: usize| match (number, &doc.trigger) {
            (1, _) => "stop",
            (_, Trigger::Schedule(_)) => "guard",
            _ => "trigger",
        };
        let look = Look {
            sample: None,
            completes: false,
        };
        let part = |(number, tree): (usize, &Node)| {
            let mut branches = rule.branches.clone();
            let whole = self.node_truth(tree, &[number], &mut branches, look);
            let leaves = tree
                .nodes()
                .into_iter()
                .filter(|n| !matches!(n.what, What::All(_) | What::Any(_) | What::Not(_)));
            let bare = |n: &Node| Node {
                what: n.what.clone(),
                hold_ms: 0,
            };
            let leaves = leaves.map(|n| {
                word(self.node_truth(&bare(n), &[number], &mut rule.branches.clone(), look))
            });
            json!([role(number), word(whole), leaves.collect::<Vec<_>>()])
        };
        let mut parts: Vec<(usize, Value)> =
            (doc.trees().into_iter()).map(|t| (t.0, part(t))).collect();
        parts.sort_by_key(|(number, _)| *number == 1);
        Some(json!({
            "phase": phase,
            "hold": hold(held),
            "parts": parts.into_iter().map(|(_, p)| p).collect::<Vec<_>>(),
        }))
    }
}
