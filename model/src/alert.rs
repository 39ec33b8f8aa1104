//! Alerts: raised, notified, resolved.

use std::sync::Arc;

use serde_json::json;

use crate::condition::{Hold, Truth};
use crate::document::AlertDoc;
use crate::model::Model;
use crate::mutation::Mutation;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Alert {
    pub(crate) doc: Arc<AlertDoc>,
    pub(crate) raised: bool,
    pub(crate) hold: Option<Hold>,
    /// When the next notification falls due, while it is raised.
    pub(crate) next: Option<i64>,
    /// Whether one was sent since the joined condition became UNKNOWN.
    pub(crate) told_no_data: bool,
}

impl Alert {
    pub(crate) fn new(doc: Arc<AlertDoc>) -> Self {
        Self {
            doc,
            raised: false,
            hold: None,
            next: None,
            told_no_data: false,
        }
    }
}

impl Model {
    fn joined(&self, doc: &AlertDoc) -> Truth {
        let truths: Vec<Truth> = doc.conditions.iter().map(|c| self.truth(c)).collect();
        if doc.any {
            Truth::any(&truths)
        } else {
            Truth::all(&truths)
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
        let joined = self.joined(&alert.doc);
        if joined != Truth::Unknown {
            alert.told_no_data = false;
        }
        let is_sample = sample.is_some_and(|s| {
            alert
                .doc
                .conditions
                .iter()
                .any(|c| self.sensors_of(c).iter().any(|x| x == s))
        });
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
        let is_complete = completes && self.is_complete(alert.hold, length);
        if is_complete {
            alert.hold = None;
            alert.raised = !alert.raised;
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
        let alert = &self.alerts[id];
        let repeat_ms = alert.doc.repeat_ms;
        if self.joined(&alert.doc) != Truth::Unknown {
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

    /// An edit that leaves the document as it is.
    pub(crate) fn restart_alert(&mut self, id: &str) {
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

    pub(crate) fn alert_ids(&self) -> Vec<String> {
        self.alerts.keys().cloned().collect()
    }
}
