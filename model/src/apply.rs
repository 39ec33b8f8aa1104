//! What an input does to a farm, and what time alone does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::almanac;
use crate::document::{self, Malformed, list, min_samples, text};
use crate::input::Kind;
use crate::limits::{groups, hours_of_groups};
use crate::mutation::Mutation;
use crate::number::Decimal;
use crate::setpoint::setpoints;
use crate::state::{Alert, Model, Rule, Sensor};
use crate::tree::Look;

impl Model {
    /// A farm from its document.
    ///
    /// # Errors
    ///
    /// When the document makes no sense.
    pub fn new(doc: &Value) -> Result<Self, Malformed> {
        let mut model = Self {
            farm: text(&doc["farm"], "id")?.into(),
            min_samples: min_samples(&doc["farm"]["settings"])?,
            groups: groups(&doc["farm"]["settings"])?,
            group_hours: hours_of_groups(&doc["farm"]["settings"]),
            hours: BTreeMap::new(),
            setpoints: setpoints(&doc["farm"]["settings"])?,
            steps: BTreeMap::new(),
            polyhouses: Vec::new(),
            sensors: BTreeMap::new(),
            devices: BTreeMap::new(),
            rules: BTreeMap::new(),
            alerts: BTreeMap::new(),
            almanac: BTreeMap::new(),
            notified: BTreeMap::new(),
            commands: 0,
            clock: None,
            now: 0,
            touched: BTreeSet::new(),
            pulsed: BTreeSet::new(),
            looked: BTreeSet::new(),
            corrected: None,
            mutation: None,
            events: Vec::new(),
        };
        for (field, change) in [
            ("polyhouses", "put_polyhouse"),
            ("sensors", "put_sensor"),
            ("devices", "put_device"),
        ] {
            for item in list(doc, field) {
                model.register(&serde_json::json!({change: item}))?;
            }
        }
        model.check_limits()?;
        model.check_setpoints()?;
        model.find_hours();
        for id in model.device_ids() {
            model.begin_or_end(&id);
        }
        for rule in list(doc, "rules") {
            let doc = model.rule_doc(rule)?;
            model.rules.insert(doc.id.clone(), Rule::new(doc, i64::MIN));
        }
        (model.rules.values()).try_for_each(|r| model.check_rule(&r.doc))?;
        for alert in list(doc, "alerts") {
            let (doc, last) = model.read_alert(alert)?;
            model.remember_notification(&doc.id.clone(), last);
            model
                .alerts
                .insert(doc.id.clone(), Alert::new(Arc::new(doc)));
        }
        Ok(model)
    }

    /// Applies an input and returns what happened.
    ///
    /// # Errors
    ///
    /// When the input is malformed; nothing has changed then.
    pub fn apply(&mut self, input: &Value) -> Result<Vec<Value>, Malformed> {
        let (at, kind) = self.read(input)?;
        let is_first = self.clock.is_none();
        let is_resumed = matches!(kind, Kind::Resumed);
        if !is_first && !is_resumed {
            self.run_rounds(at);
        }
        self.now = self.clock.map_or(at, |clock| clock.max(at));
        self.clock = Some(self.now);
        self.touched.clear();
        self.pulsed.clear();
        self.looked.clear();
        if !(is_first && is_resumed) {
            self.apply_kind(at, kind);
            // Whatever the first input is: what the document's programs see beside signals is seen with it.
            self.evaluate_all(None, true);
            self.settle();
            self.corrected = None;
        }
        Ok(std::mem::take(&mut self.events))
    }

    fn apply_kind(&mut self, at: i64, kind: Kind) {
        match kind {
            Kind::Reading { sensor, value } => self.reading(at, &sensor, &value),
            Kind::Tick => {}
            Kind::Resumed => self.resume(),
            Kind::Manual(command) => {
                self.look_at(&command.device);
                self.manual(&command);
            }
            Kind::Status(report) => {
                self.look_at(&report.device);
                self.status(&report);
                self.evaluate_all(None, true);
            }
            Kind::Stop(devices, user) => {
                devices.iter().for_each(|id| self.look_at(id));
                self.stop(&devices, &user);
            }
            Kind::Correct(device) => {
                self.look_at(&device);
                self.correct(&device);
            }
            Kind::RulePut(doc) => self.put_rule(*doc),
            Kind::RuleDelete(id) => self.delete_rule(&id),
            Kind::AlertPut(doc, last) => self.put_alert(doc, last),
            Kind::AlertDelete(id) => self.delete_alert(&id),
            Kind::Registry(changes) => self.change_registry(&changes),
            Kind::Almanac(days) => {
                almanac::learn(&mut self.almanac, days);
                self.find_steps();
                if self.mutation != Some(Mutation::PastStartsCount) {
                    for rule in self.rules.values_mut() {
                        rule.handled = self.now;
                    }
                }
                self.evaluate_all(None, true);
            }
        }
    }

    fn reading(&mut self, at: i64, id: &str, value: &Value) {
        let (now, mutation) = (self.now, self.mutation);
        let Some(sensor) = self.sensors.get_mut(id) else {
            return;
        };
        let end = at + sensor.doc.stale_ms + i64::from(mutation == Some(Mutation::FreshAtItsEnd));
        if sensor.newest.is_some_and(|newest| at < newest) || end <= now {
            return;
        }
        let is_newer = sensor.newest.is_none_or(|newest| at > newest);
        sensor.newest = Some(at);
        let (low, high) = document::plausible(&sensor.doc.kind).unwrap_or((0, 0));
        let number = match value {
            Value::Number(number) => Decimal::parse(&number.to_string()),
            _ => None,
        };
        let good = number
            .filter(|n| n.is_within(low, high))
            .and_then(Decimal::micros);
        if let Some(good) = good {
            sensor.value = Some((good, at));
            sensor.faults = 0;
        } else {
            sensor.faults += u32::from(is_newer || mutation == Some(Mutation::EqualFaultCounts));
            if sensor.faults >= 2 || mutation == Some(Mutation::FirstFaultMakesUnknown) {
                self.fall_silent(&[id.to_owned()]);
            }
        }
        let is_sample =
            good.is_some() && (is_newer || mutation == Some(Mutation::RepeatedDeliveryIsASample));
        self.evaluate_all(is_sample.then_some(id), true);
    }

    /// Looks at every rule and alert again.
    pub(crate) fn evaluate_all(&mut self, sample: Option<&str>, completes: bool) {
        self.look_at_rules(&self.rules_in_order(), Look { sample, completes }, false);
        self.follow_curves();
        for id in self.alert_ids() {
            self.evaluate_alert(&id, sample, completes);
        }
    }

    /// Runs the timers up to an instant, deadline by deadline.
    fn run_rounds(&mut self, until: i64) {
        while let Some(deadline) = self.next_deadline().filter(|d| *d <= until) {
            let limited = self.limits_due(deadline);
            self.now = deadline;
            self.clock = Some(deadline);
            self.touched.clear();
            self.pulsed.clear();
            self.looked.clear();
            self.expire_sensors();
            self.evaluate_all(None, false);
            self.evaluate_all(None, true);
            for (_, _, place, id) in self.actions_due() {
                if let Some((doc, action)) = self.take_action(&id, place) {
                    self.act(&doc, &action);
                }
            }
            self.end_claims_due();
            self.end_manuals_due();
            self.looked.extend(limited);
            self.settle();
            self.lock_what_was_on_too_long();
            self.notify_what_is_due();
            self.settle();
            debug_assert!(
                self.next_deadline().is_none_or(|d| d > deadline),
                "every timer of a deadline is run"
            );
        }
    }

    /// What expires now becomes unknown together.
    pub(crate) fn expire_sensors(&mut self) {
        let late = i64::from(self.mutation == Some(Mutation::FreshAtItsEnd));
        let is_over = |s: &Sensor| s.expiry().is_some_and(|t| t + late <= self.now);
        let expired: Vec<String> = (self.sensors.iter())
            .filter(|(_, s)| is_over(s))
            .map(|(id, _)| id.clone())
            .collect();
        self.fall_silent(&expired);
        for id in expired {
            self.emit("sensor_expired", &serde_json::json!({"sensor": id}));
        }
    }

    /// Sensors become unknown together.
    fn fall_silent(&mut self, ids: &[String]) {
        self.remember_who_falls_silent(ids);
        for id in ids {
            if let Some(sensor) = self.sensors.get_mut(id) {
                sensor.value = None;
            }
        }
    }
}
