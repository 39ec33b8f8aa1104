//! Resuming after an outage: nothing that came due meanwhile is replayed.

use serde_json::json;

use crate::mutation::Mutation;
use crate::state::{Model, Phase};
use crate::tree::{Branches, Look, Node};

/// How much overdue a delayed action may be and still run.
const OVERDUE_MS: i64 = 60_000;

impl Model {
    /// All that an outage until now means; the clock is set already, and devices are settled afterwards.
    pub(crate) fn resume(&mut self) {
        self.take_samples_away();
        for id in self.device_ids() {
            self.keep_ledger(&id);
        }
        self.end_claims_due();
        self.run_or_miss_actions();
        self.end_manuals_due();
        self.lock_what_was_on_too_long();
        for id in self.device_ids() {
            let device = self.device_mut(&id);
            if device.online && device.was_commanded {
                if device.locks.is_empty() && !device.safety && device.manual.is_none() {
                    device.last_sent = None;
                }
                let forgets = self.mutation == Some(Mutation::ResumedForgetsOverride);
                if !forgets || self.devices[&id].manual.is_none() {
                    self.send_what_holds(&id);
                }
            }
        }
        if self.mutation == Some(Mutation::ResumedForgetsMemory) {
            for alert in self.alerts.values_mut() {
                alert.remembered.clear();
            }
        }
        self.expire_sensors();
        let look = Look {
            sample: None,
            completes: true,
        };
        self.look_at_rules(&self.rules_in_order(), look, true);
        self.follow_curves();
        for id in self.alert_ids() {
            self.evaluate_alert(&id, None, true);
        }
        self.look_at_all_devices();
        self.notify_what_is_due();
    }

    fn take_samples_away(&mut self) {
        if self.mutation == Some(Mutation::ResumedKeepsSamples) {
            return;
        }
        let most = self.min_samples - 1;
        let ends = self.mutation != Some(Mutation::ResumedKeepsHoldsOfTime);
        for rule in self.rules.values_mut() {
            let doc = rule.doc.clone();
            for (number, tree) in doc.trees() {
                take_from_branches(&mut rule.branches, (number, tree), most, ends);
            }
            match &mut rule.phase {
                Phase::Pending(_) if ends && !doc.trigger.tree().is_some_and(Node::has_signal) => {
                    rule.phase = Phase::Idle;
                }
                Phase::Running { hold, .. }
                    if ends && !Self::end_tree(&doc).is_some_and(Node::has_signal) =>
                {
                    *hold = None;
                }
                _ => {}
            }
            match &mut rule.phase {
                Phase::Pending(hold)
                | Phase::Running {
                    hold: Some(hold), ..
                } => hold.samples = hold.samples.min(most),
                Phase::Idle | Phase::Running { hold: None, .. } => {}
            }
        }
        let ends = ends && self.mutation != Some(Mutation::ResumedKeepsBranchesOfAlerts);
        for alert in self.alerts.values_mut() {
            if let Some(tree) = &alert.doc.only_if {
                alert.branches.are_of(alert.raised);
                take_from_branches(&mut alert.branches, (0, tree), most, ends);
            }
            if let Some(hold) = &mut alert.hold {
                hold.samples = hold.samples.min(most);
            }
        }
    }

    fn run_or_miss_actions(&mut self) {
        let is_strict = self.mutation == Some(Mutation::ResumedMissesAtSixtySeconds);
        for (due, _, place, id) in self.actions_due() {
            let Some((doc, action)) = self.take_action(&id, place) else {
                continue;
            };
            let overdue = self.now - due;
            let is_recent = if is_strict {
                overdue < OVERDUE_MS
            } else {
                overdue <= OVERDUE_MS
            };
            if action.action == "off" || action.action != "pulse" && is_recent {
                self.act(&doc, &action);
            } else {
                self.emit(
                    "action_missed",
                    &json!({"rule": id, "device": action.device}),
                );
            }
        }
    }
}

/// What an outage leaves of the holds of a tree's branches: those without a signal end, if `ends` says so.
fn take_from_branches(
    branches: &mut Branches,
    (number, tree): (usize, &Node),
    most: i64,
    ends: bool,
) {
    let mut interrupted = Vec::new();
    branches.retain(|way, branch| {
        if way[0] != number {
            return true;
        }
        if !branch.complete {
            branch.samples = branch.samples.min(most);
        }
        let stays = !ends || tree.at(&way[1..]).is_some_and(Node::has_signal);
        if !stays && branch.complete {
            interrupted.push(way.clone());
        }
        stays
    });
    if branches.are_of_raised {
        branches.interrupted.extend(interrupted);
    }
}
