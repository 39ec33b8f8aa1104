//! The state of a farm, and what an input does to it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::alert::Alert;
use crate::device::{Device, LockChange, ManualCommand, PULSE_WINDOW_MS, StatusReport};
use crate::document::{
    self, AlertDoc, Malformed, Polyhouse, RuleDoc, SensorDoc, list, malformed, text,
};
use crate::mutation::Mutation;
use crate::number::Decimal;
use crate::registry::min_samples;
use crate::rule::{PATIENCE_MS, Phase, Rule};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sensor {
    pub(crate) doc: SensorDoc,
    /// The fresh value in millionths, and its own timestamp.
    pub(crate) value: Option<(i64, i64)>,
    /// The own timestamp of the newest reading that was not late, faults included.
    pub(crate) newest: Option<i64>,
    /// Faults in a row that count.
    pub(crate) faults: u32,
}

impl Sensor {
    pub(crate) fn new(doc: SensorDoc) -> Self {
        Self {
            doc,
            value: None,
            newest: None,
            faults: 0,
        }
    }

    fn expiry(&self) -> Option<i64> {
        self.value.map(|(_, at)| at + self.doc.stale_ms)
    }
}

/// The model of one farm.
#[derive(Debug, Clone)]
pub struct Model {
    pub(crate) farm: String,
    pub(crate) min_samples: i64,
    pub(crate) polyhouses: Vec<Polyhouse>,
    pub(crate) sensors: BTreeMap<String, Sensor>,
    pub(crate) devices: BTreeMap<String, Device>,
    pub(crate) rules: BTreeMap<String, Rule>,
    pub(crate) alerts: BTreeMap<String, Alert>,
    /// When each alert was last notified, also of those that were deleted.
    pub(crate) notified: BTreeMap<String, i64>,
    pub(crate) commands: u64,
    pub(crate) clock: Option<i64>,
    /// The instant of the round that is being run.
    pub(crate) now: i64,
    pub(crate) touched: BTreeSet<String>,
    pub(crate) pulsed: BTreeSet<String>,
    /// The device of which the input says that it does not do what it should.
    pub(crate) corrected: Option<String>,
    pub(crate) mutation: Option<Mutation>,
    events: Vec<Value>,
}

/// Why an instant ahead is worth an input at it, just before it or just after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each name says what happens then")]
pub enum Why {
    SensorExpires,
    HoldIsOldEnough,
    PatienceEnds,
    ActionIsDue,
    ActionIsTooLate,
    ManualEnds,
    OnTooLong,
    AlertRepeats,
    PulseIsForgotten,
}

/// An instant at which something changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// The instant.
    pub at: i64,
    /// What changes.
    pub why: Why,
    /// Of which sensor, device, rule or alert.
    pub id: String,
}

/// A well-formed input.
enum Kind {
    Reading { sensor: String, value: Value },
    Tick,
    Resumed,
    Manual(ManualCommand),
    Status(StatusReport),
    Stop(Vec<String>, String),
    Correct(String),
    RulePut(Box<RuleDoc>),
    RuleDelete(String),
    AlertPut(AlertDoc, Option<i64>),
    AlertDelete(String),
    Registry(Vec<Value>),
}

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
            polyhouses: Vec::new(),
            sensors: BTreeMap::new(),
            devices: BTreeMap::new(),
            rules: BTreeMap::new(),
            alerts: BTreeMap::new(),
            notified: BTreeMap::new(),
            commands: 0,
            clock: None,
            now: 0,
            touched: BTreeSet::new(),
            pulsed: BTreeSet::new(),
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
        for rule in list(doc, "rules") {
            let doc = model.read_rule(rule)?;
            model.rules.insert(
                doc.id.clone(),
                Rule {
                    doc: Arc::new(doc),
                    phase: Phase::Idle,
                },
            );
        }
        for alert in list(doc, "alerts") {
            let (doc, last) = model.read_alert(alert)?;
            model.remember_notification(&doc.id.clone(), last);
            model
                .alerts
                .insert(doc.id.clone(), Alert::new(Arc::new(doc)));
        }
        Ok(model)
    }

    /// The same farm with a deliberate mistake.
    #[must_use]
    pub fn with_mutation(self, mutation: Mutation) -> Self {
        Self {
            mutation: Some(mutation),
            ..self
        }
    }

    /// The farm's clock.
    #[must_use]
    pub fn clock(&self) -> Option<i64> {
        self.clock
    }

    /// Whether an input is well formed.
    ///
    /// # Errors
    ///
    /// When it is not, with the reason.
    pub fn check(&self, input: &Value) -> Result<(), Malformed> {
        self.read(input).map(|_| ())
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
        if !(is_first && is_resumed) {
            self.apply_kind(at, kind);
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
            Kind::Manual(command) => self.manual(&command),
            Kind::Status(report) => self.status(&report),
            Kind::Stop(devices, user) => self.stop(&devices, &user),
            Kind::Correct(device) => self.correct(&device),
            Kind::RulePut(doc) => self.put_rule(*doc),
            Kind::RuleDelete(id) => self.delete_rule(&id),
            Kind::AlertPut(doc, last) => self.put_alert(doc, last),
            Kind::AlertDelete(id) => self.delete_alert(&id),
            Kind::Registry(changes) => self.change_registry(&changes),
        }
    }

    fn read(&self, input: &Value) -> Result<(i64, Kind), Malformed> {
        let Some(at) = input["at"].as_i64() else {
            return malformed("no time");
        };
        let device = || {
            let id = text(input, "device")?;
            match self.devices.contains_key(id) {
                true => Ok(id.to_owned()),
                false => malformed(format!("unknown device {id}")),
            }
        };
        let kind = match text(input, "input")? {
            "reading" => Kind::Reading {
                sensor: text(input, "sensor")?.into(),
                value: input["value"].clone(),
            },
            "tick" => Kind::Tick,
            "resumed" => Kind::Resumed,
            "manual" => Kind::Manual(ManualCommand {
                device: device()?,
                cmd_type: text(input, "cmd_type")?.into(),
                action: input["action"].as_str().unwrap_or("").into(),
                value: document::micros(&input["value"]),
                duration_ms: input["duration_sec"].as_i64().map(|s| s * 1_000),
                admin: input["admin"].as_bool().unwrap_or(false),
            }),
            "stop" => {
                let user = input["owner"]["user_id"].as_str().unwrap_or("");
                if user.is_empty() {
                    return malformed("a stop of nobody");
                }
                let devices = match input["device"].as_str() {
                    Some(_) => vec![device()?],
                    None => {
                        let place = self.place(&input["scope"])?;
                        let lies = |d: &&Device| self.lies_in(&d.doc.place, &place);
                        let all = self.devices.values().filter(lies);
                        all.map(|d| d.doc.id.clone()).collect()
                    }
                };
                Kind::Stop(devices, user.into())
            }
            "correct" => Kind::Correct(device()?),
            "device" => Kind::Status(StatusReport {
                device: device()?,
                online: input["online"].as_bool(),
                lock: lock_change(input)?,
                safety: input["safety"].as_bool(),
            }),
            "rule" => match input["delete"].as_str() {
                Some(id) => Kind::RuleDelete(id.into()),
                None => Kind::RulePut(Box::new(self.read_rule(&input["rule"])?)),
            },
            "alert" => match input["delete"].as_str() {
                Some(id) => Kind::AlertDelete(id.into()),
                None => {
                    let (doc, last) = self.read_alert(&input["alert"])?;
                    Kind::AlertPut(doc, last)
                }
            },
            "registry" => {
                let mut copy = self.clone();
                let changes = list(input, "changes");
                changes
                    .iter()
                    .try_for_each(|change| copy.register(change))?;
                copy.check_all()?;
                for id in changes.iter().filter_map(|c| c["delete_device"].as_str()) {
                    let stays = copy.devices.contains_key(id);
                    let is_stopped = |d: &Device| d.holds("stop") && (d.online || stays);
                    if self.devices.get(id).is_some_and(is_stopped) {
                        return malformed(format!("device {id} is stopped"));
                    }
                }
                Kind::Registry(changes.to_vec())
            }
            other => return malformed(format!("unknown input {other}")),
        };
        Ok((at, kind))
    }

    /// Adds an event at the round's instant.
    pub(crate) fn emit(&mut self, event: &str, fields: &Value) {
        let mut line = serde_json::json!({"at": self.now, "event": event});
        if let (Some(line), Some(fields)) = (line.as_object_mut(), fields.as_object()) {
            line.extend(fields.clone());
        }
        self.events.push(line);
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
        for id in self.rules_in_order() {
            self.evaluate_rule(&id, sample, completes);
        }
        for id in self.alert_ids() {
            self.evaluate_alert(&id, sample, completes);
        }
    }

    /// Runs the timers up to an instant, deadline by deadline.
    fn run_rounds(&mut self, until: i64) {
        while let Some(deadline) = self.next_deadline().filter(|d| *d <= until) {
            self.now = deadline;
            self.clock = Some(deadline);
            self.touched.clear();
            self.pulsed.clear();
            self.expire_sensors();
            self.evaluate_all(None, false);
            self.evaluate_all(None, true);
            for (_, _, place, id) in self.actions_due() {
                if let Some((doc, action)) = self.take_action(&id, place) {
                    self.act(&doc, &action);
                }
            }
            self.end_manuals_due();
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

    /// The next instant at which time alone does something.
    #[must_use]
    pub fn next_deadline(&self) -> Option<i64> {
        let mut next = self.hold_deadlines().into_iter().min();
        self.each_moment(|at, why, _| {
            // A hold may still miss samples, and the other two are limits that are passed without a word.
            if !matches!(
                why,
                Why::HoldIsOldEnough | Why::PulseIsForgotten | Why::ActionIsTooLate
            ) {
                next = Some(next.map_or(at, |next| next.min(at)));
            }
        });
        next
    }

    /// When holds complete by timer.
    fn hold_deadlines(&self) -> Vec<i64> {
        let mut deadlines = Vec::new();
        for rule in self.rules.values() {
            deadlines.extend(match &rule.phase {
                Phase::Idle => None,
                Phase::Pending(hold) => self.hold_deadline(Some(*hold), rule.doc.trigger_ms),
                Phase::Running { hold, .. } => self.hold_deadline(*hold, Self::end_ms(&rule.doc)),
            });
        }
        for alert in self.alerts.values() {
            let length = if alert.raised {
                alert.doc.clear_ms
            } else {
                alert.doc.hold_ms
            };
            deadlines.extend(self.hold_deadline(alert.hold, length));
        }
        deadlines
    }

    /// Every instant at which something changes by itself, or a limit is passed.
    #[must_use]
    pub fn moments(&self) -> Vec<Moment> {
        let mut moments = Vec::new();
        self.each_moment(|at, why, id| {
            moments.push(Moment {
                at,
                why,
                id: id.to_owned(),
            });
        });
        moments
    }

    fn each_moment(&self, mut visit: impl FnMut(i64, Why, &str)) {
        let mut add = |at: Option<i64>, why: Why, id: &str| {
            if let Some(at) = at {
                visit(at, why, id);
            }
        };
        let late = i64::from(self.mutation == Some(Mutation::FreshAtItsEnd));
        for (id, sensor) in &self.sensors {
            add(sensor.expiry().map(|t| t + late), Why::SensorExpires, id);
        }
        for (id, rule) in &self.rules {
            match &rule.phase {
                Phase::Idle => {}
                Phase::Pending(hold) => add(
                    Some(hold.start + rule.doc.trigger_ms),
                    Why::HoldIsOldEnough,
                    id,
                ),
                Phase::Running {
                    hold,
                    unknown_since,
                    actions,
                } => {
                    add(
                        hold.map(|h| h.start + Self::end_ms(&rule.doc)),
                        Why::HoldIsOldEnough,
                        id,
                    );
                    add(
                        unknown_since.map(|t| t + PATIENCE_MS),
                        Why::PatienceEnds,
                        id,
                    );
                    for (due, _) in actions {
                        add(Some(*due), Why::ActionIsDue, id);
                        add(Some(*due + 60_000), Why::ActionIsTooLate, id);
                    }
                }
            }
        }
        for (id, device) in &self.devices {
            add(device.manual.as_ref().map(|m| m.until), Why::ManualEnds, id);
            add(device.max_on_deadline(), Why::OnTooLong, id);
            for (at, _) in &device.pulses {
                add(Some(at + PULSE_WINDOW_MS), Why::PulseIsForgotten, id);
            }
        }
        for (id, alert) in &self.alerts {
            let length = if alert.raised {
                alert.doc.clear_ms
            } else {
                alert.doc.hold_ms
            };
            add(
                alert.hold.map(|h| h.start + length),
                Why::HoldIsOldEnough,
                id,
            );
            add(alert.next, Why::AlertRepeats, id);
        }
    }
}

/// How a status input changes locks, if it does.
fn lock_change(input: &Value) -> Result<Option<LockChange>, Malformed> {
    let kind = input["lock_kind"].as_str();
    let owner = |kind: &str| match kind {
        "person" => input["owner"]["user_id"].as_str().unwrap_or("").to_owned(),
        _ => String::new(),
    };
    Ok(match (input.get("lock"), kind) {
        (Some(Value::String(reason)), _) if reason.is_empty() => {
            return malformed("empty lock reason");
        }
        (Some(Value::String(_)), Some("stop")) => {
            return malformed("a stop is an input of its own");
        }
        (Some(Value::String(reason)), Some(kind)) => {
            Some(LockChange::Engage(kind.into(), owner(kind), reason.clone()))
        }
        (Some(Value::String(reason)), None) => Some(LockChange::Replace(reason.clone())),
        (Some(Value::Null), Some(kind)) => Some(LockChange::Open(
            kind.into(),
            input["lock_user"].as_str().map(Into::into),
        )),
        (Some(Value::Null), None) => Some(LockChange::OpenAll),
        _ => None,
    })
}
