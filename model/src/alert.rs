//! Alerts: raised, notified, resolved.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use crate::condition::Truth;
use crate::document::{AlertDoc, Condition, Evidence};
use crate::mutation::Mutation;
use crate::state::{Alert, Model};
use crate::tree::Look;

impl Model {
    /// What the conditions come to, without `only_if` and memory.
    pub(crate) fn conditions_truth(&self, alert: &Alert) -> Truth {
        let doc = &alert.doc;
        let truths: Vec<Truth> = (doc.conditions.iter())
            .map(|c| match self.watches_worst(doc, c) {
                true => self.worst_truth(c),
                false => self.truth(c),
            })
            .collect();
        if doc.any {
            Truth::any(&truths)
        } else {
            Truth::all(&truths)
        }
    }

    /// What FALSE counts as while a remembered sensor is not fresh.
    pub(crate) fn on_evidence(&self, alert: &Alert, truth: Truth) -> Truth {
        let is_fresh = |id: &String| self.sensors.get(id).is_some_and(|s| s.value.is_some());
        let knows_all = alert.remembered.iter().all(is_fresh);
        if truth == Truth::False && !knows_all && self.mutation != Some(Mutation::SilenceResolves) {
            Truth::Unknown
        } else {
            truth
        }
    }

    fn watches_worst(&self, doc: &AlertDoc, condition: &Condition) -> bool {
        doc.evidence == Some(Evidence::Worst)
            && condition.operator != "eq"
            && self.mutation != Some(Mutation::WorstWatchesMean)
    }

    /// The worst sensor satisfies it exactly if any does.
    fn worst_truth(&self, condition: &Condition) -> Truth {
        let values = self.values_of(condition);
        let each = values.into_iter().map(|v| self.truth_of(condition, &[v]));
        let each: Vec<Truth> = each.collect();
        if each.is_empty() {
            Truth::Unknown
        } else {
            Truth::any(&each)
        }
    }

    /// The sensors on which the conditions of an alert rest now.
    fn rests_on(&self, doc: &AlertDoc) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        for c in &doc.conditions {
            let mut values = self.values_of(c);
            if self.watches_worst(doc, c) {
                values.retain(|v| self.truth_of(c, std::slice::from_ref(v)) == Truth::True);
            } else if self.truth(c) != Truth::True {
                values.clear();
            }
            all.extend(values.into_iter().map(|(id, _)| id));
        }
        all
    }

    /// Before sensors become unknown: raised alerts that rest on them remember them.
    pub(crate) fn remember_who_falls_silent(&mut self, ids: &[String]) {
        if self.mutation == Some(Mutation::OnlyTheFirstAreRemembered) {
            return;
        }
        for id in self.alert_ids() {
            let alert = &self.alerts[&id];
            if alert.raised && alert.doc.evidence.is_some() {
                let mut rests = self.rests_on(&alert.doc);
                rests.retain(|s| ids.contains(s));
                if let Some(alert) = self.alerts.get_mut(&id) {
                    alert.remembered.extend(rests);
                }
            }
        }
    }

    /// After a change of the registry: what is none of an alert's sensors any more is not waited for.
    pub(crate) fn forget_what_is_gone(&mut self) {
        if self.mutation == Some(Mutation::GoneSensorStillBlocks) {
            return;
        }
        for id in self.alert_ids() {
            let conditions = &self.alerts[&id].doc.conditions;
            let own: Vec<String> = (conditions.iter())
                .flat_map(|c| self.sensors_of(c))
                .collect();
            if let Some(alert) = self.alerts.get_mut(&id) {
                alert.remembered.retain(|s| own.contains(s));
            }
        }
    }

    /// Looks at an alert again; the arguments are those of a rule's evaluation.
    pub(crate) fn evaluate_alert(&mut self, id: &str, sample: Option<&str>, completes: bool) {
        let Some(mut alert) = self.alerts.get(id).cloned() else {
            return;
        };
        if !alert.doc.is_active {
            return;
        }
        let look = Look { sample, completes };
        let joined = self.joined(&mut alert, look);
        if joined != Truth::Unknown {
            alert.told_no_data = false;
        }
        let counts = self.mutation != Some(Mutation::FreeClearingCountsNoSamples)
            || self.alert_needs(&alert);
        let is_sample = counts && self.is_sample_of_alert(&alert.doc, sample);
        let (watched, length) = match alert.raised {
            true if joined == Truth::Unknown
                && self.mutation == Some(Mutation::UnknownResolvesAlert) =>
            {
                (Truth::True, alert.doc.clear_ms)
            }
            true => (joined.not(), alert.doc.clear_ms),
            false => (joined, alert.doc.hold_ms),
        };
        alert.hold = self.held(alert.hold, watched, is_sample);
        let is_complete =
            completes && self.is_complete(alert.hold, length, self.alert_needs(&alert));
        if is_complete {
            alert.hold = None;
            alert.raised = !alert.raised;
            alert.remembered = match alert.raised && alert.doc.evidence.is_some() {
                true => self.rests_on(&alert.doc),
                false => BTreeSet::new(),
            };
            if !alert.raised {
                // What was interrupted counts no more: its branches go on from this instant.
                let look = Look {
                    sample: None,
                    completes: false,
                };
                self.joined(&mut alert, look);
            }
        }
        let is_raised = alert.raised;
        let repeat_ms = alert.doc.repeat_ms;
        self.alerts.insert(id.to_owned(), alert);
        if is_complete && is_raised {
            self.emit("alert_raised", &json!({"alert": id}));
            let due = self
                .notified
                .get(id)
                .map_or(self.now, |last| self.now.max(last + repeat_ms));
            self.set_next(id, Some(due));
            if due <= self.now {
                self.notify(id);
            }
        } else if is_complete {
            self.emit("alert_resolved", &json!({"alert": id}));
            self.set_next(id, None);
        }
    }

    fn set_next(&mut self, id: &str, next: Option<i64>) {
        if let Some(alert) = self.alerts.get_mut(id) {
            alert.next = next;
        }
    }

    /// A notification falls due.
    fn notify(&mut self, id: &str) {
        let mut alert = self.alerts[id].clone();
        let repeat_ms = alert.doc.repeat_ms;
        let look = Look {
            sample: None,
            completes: false,
        };
        if self.joined(&mut alert, look) != Truth::Unknown {
            self.emit("alert_notified", &json!({"alert": id}));
        } else if !alert.told_no_data || self.mutation == Some(Mutation::NoDataRepeats) {
            self.emit("alert_notified", &json!({"alert": id, "no_data": true}));
            if let Some(alert) = self.alerts.get_mut(id) {
                alert.told_no_data = true;
            }
        } else {
            // Also after an outage the next one is an interval after the one that is skipped now.
            return self.set_next(id, Some(self.now + repeat_ms));
        }
        self.notified.insert(id.to_owned(), self.now);
        self.set_next(id, Some(self.now + repeat_ms));
    }

    pub(crate) fn notify_what_is_due(&mut self) {
        for id in self.alert_ids() {
            if self.alerts[&id].next.is_some_and(|t| t <= self.now) {
                self.notify(&id);
            }
        }
    }

    fn deactivate_alert(&mut self, id: &str) {
        if self.alerts.remove(id).is_some_and(|a| a.raised) {
            self.emit("alert_resolved", &json!({"alert": id}));
        }
        if self.mutation == Some(Mutation::EditForgetsNotification) {
            self.notified.remove(id);
        }
    }

    pub(crate) fn put_alert(&mut self, doc: AlertDoc, last: Option<i64>) {
        let id = doc.id.clone();
        if self.alerts.get(&id).is_some_and(|a| *a.doc == doc) {
            return;
        }
        self.deactivate_alert(&id);
        self.remember_notification(&id, last);
        self.alerts.insert(id.clone(), Alert::new(Arc::new(doc)));
        self.evaluate_alert(&id, None, true);
    }

    /// Its sensors are others now: an edit, unless it is raised and remembers.
    pub(crate) fn restart_alert(&mut self, id: &str) {
        if let Some(alert) = self.alerts.get_mut(id)
            && alert.raised
            && alert.doc.evidence.is_some()
        {
            alert.hold = None;
            return;
        }
        if let Some(alert) = self.alerts.get(id).cloned() {
            self.deactivate_alert(id);
            self.alerts.insert(id.to_owned(), Alert::new(alert.doc));
        }
    }

    /// What a document says of the last notification, unless a later one is known.
    pub(crate) fn remember_notification(&mut self, id: &str, last: Option<i64>) {
        let known = self.notified.get(id).copied();
        if let Some(last) = last.max(known) {
            self.notified.insert(id.to_owned(), last);
        }
    }

    pub(crate) fn delete_alert(&mut self, id: &str) {
        self.deactivate_alert(id);
    }
}
