//! Alerts that are bound to a tree: what it comes to, its samples, and what it names.

#[cfg(test)]
mod tests;

use crate::condition::Truth;
use crate::document::{AlertDoc, Condition, Malformed, malformed};
use crate::mutation::Mutation;
use crate::state::{Alert, Model};
use crate::tree::{Look, Node, What};

impl AlertDoc {
    /// The conditions on signals in `only_if`.
    pub(crate) fn signals_of_only_if(&self) -> impl Iterator<Item = &Condition> {
        self.only_if.iter().flat_map(Node::signals)
    }

    fn names(&self, is_it: impl Fn(&What) -> bool) -> bool {
        let mut nodes = self.only_if.iter().flat_map(Node::nodes);
        nodes.any(|n| is_it(&n.what))
    }

    pub(crate) fn names_rule(&self, id: &str) -> bool {
        self.names(|leaf| matches!(leaf, What::Rule(named) if named == id))
    }
}

impl Model {
    /// The joined condition of an alert as it counts; the holds of branches in it are brought up to date.
    pub(crate) fn joined(&self, alert: &mut Alert, look: Look<'_>) -> Truth {
        let conditions = self.conditions_truth(alert);
        let doc = alert.doc.clone();
        let Some(tree) = &doc.only_if else {
            return self.on_evidence(alert, conditions);
        };
        if alert.raised && self.mutation == Some(Mutation::RaisedAlertsKeepNoBranches) {
            alert.branches.clear();
        }
        alert.branches.are_of(alert.raised);
        let node = self.node_truth(tree, &[0], &mut alert.branches, look);
        match (node, self.mutation) {
            (Truth::False, Some(Mutation::SilenceOutlastsOnlyIf)) => {
                self.on_evidence(alert, Truth::False)
            }
            (Truth::False, _) | (Truth::Unknown, Some(Mutation::OnlyIfUnknownIsFalse)) => {
                Truth::False
            }
            _ => self.on_evidence(alert, Truth::all(&[node, conditions])),
        }
    }

    /// Whether a reading of this sensor is a sample of an alert.
    pub(crate) fn is_sample_of_alert(&self, doc: &AlertDoc, sample: Option<&str>) -> bool {
        let Some(sensor) = sample else {
            return false;
        };
        let counts = self.mutation != Some(Mutation::OnlyIfIsNoSample);
        let of_tree = doc.signals_of_only_if().filter(|_| counts);
        let mut signals = doc.conditions.iter().chain(of_tree);
        signals.any(|c| self.sensors_of(c).iter().any(|s| s == sensor))
    }

    /// Whether the hold of an alert needs samples now: that which resolves it needs none where `only_if` is FALSE without
    /// its signals.
    pub(crate) fn alert_needs(&self, alert: &Alert) -> bool {
        let always = self.mutation == Some(Mutation::ClearingAlwaysNeedsSamples);
        let is_false =
            |tree: &Node| self.without_signals(tree, &[0], &alert.branches) == Truth::False;
        always || !(alert.raised && alert.doc.only_if.as_ref().is_some_and(is_false))
    }

    /// Whether `only_if` of a watched alert names a device.
    pub(crate) fn is_named_by_alert(&self, device: &str) -> bool {
        let names = |doc: &AlertDoc| {
            doc.names(|leaf| matches!(leaf, What::Device(named, _) if named == device))
        };
        (self.alerts.values()).any(|a| a.doc.is_active && names(&a.doc))
    }

    /// What `only_if` of an alert names exists.
    pub(crate) fn check_only_if(&self, alert: &AlertDoc) -> Result<(), Malformed> {
        let of = &alert.id;
        for node in alert.only_if.iter().flat_map(Node::nodes) {
            match &node.what {
                What::Rule(id) if !self.rules.contains_key(id) => {
                    return malformed(format!("{of} names no rule: {id}"));
                }
                What::Device(id, _) if !self.devices.contains_key(id) => {
                    return malformed(format!("{of} names no device: {id}"));
                }
                What::Signal(condition) => {
                    self.check_condition(condition, of)?;
                    self.check_target(condition, of)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}
