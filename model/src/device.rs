//! Devices: claims, settling, pulses, people, locks, safety and max-on.

use serde_json::{Value, json};

use crate::document::{Action, DeviceDoc, Locks, RuleDoc, Setting, pulse_seconds, setting_value};
use crate::model::Model;
use crate::mutation::Mutation;
use crate::number::text_of_micros;

/// How far back pulses count.
pub(crate) const PULSE_WINDOW_MS: i64 = 3_600_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) rule: String,
    pub(crate) at: i64,
    pub(crate) setting: Setting,
    pub(crate) priority: i64,
    /// Of the rule's scope; smaller is narrower.
    pub(crate) width: u8,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ManualMode {
    pub(crate) until: i64,
    /// An override's; a pulse has none.
    pub(crate) setting: Option<Setting>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Device {
    pub(crate) doc: DeviceDoc,
    pub(crate) online: bool,
    pub(crate) locks: Locks,
    pub(crate) safety: bool,
    pub(crate) manual: Option<ManualMode>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) was_claimed: bool,
    pub(crate) was_commanded: bool,
    pub(crate) last_sent: Option<Setting>,
    pub(crate) on_since: Option<i64>,
    /// When, and for how many seconds.
    pub(crate) pulses: Vec<(i64, i64)>,
}

impl Device {
    pub(crate) fn new(doc: DeviceDoc) -> Self {
        Self {
            online: doc.online,
            locks: doc.locks.clone(),
            safety: doc.safety,
            doc,
            manual: None,
            claims: Vec::new(),
            was_claimed: false,
            was_commanded: false,
            last_sent: None,
            on_since: None,
            pulses: Vec::new(),
        }
    }

    pub(crate) fn is_locked(&self) -> bool {
        !self.locks.is_empty()
    }

    pub(crate) fn holds(&self, kind: &str) -> bool {
        self.locks.keys().any(|(k, _)| k == kind)
    }

    pub(crate) fn max_on_deadline(&self) -> Option<i64> {
        Some(self.on_since? + self.doc.max_on_ms?)
    }
}

/// A manual command as the input has it.
#[derive(Debug, Clone)]
pub(crate) struct ManualCommand {
    pub(crate) device: String,
    pub(crate) cmd_type: String,
    pub(crate) action: String,
    pub(crate) value: Option<i64>,
    pub(crate) duration_ms: Option<i64>,
    pub(crate) admin: bool,
}

/// A change of locks. A kind comes with whose it is, what is put on also with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LockChange {
    Engage(String, String, String),
    Open(String, Option<String>),
    /// The first version's reason.
    Replace(String),
    /// The first version's null.
    OpenAll,
}

impl LockChange {
    const fn opens(&self) -> bool {
        matches!(self, Self::Open(..) | Self::OpenAll)
    }
}

/// What a reason of the first version means.
pub(crate) fn of_version_1(reason: &str) -> (String, String) {
    let kind = if reason == "max_on" { reason } else { "person" };
    (kind.to_owned(), String::new())
}

/// What a status input carries.
#[derive(Debug, Clone)]
pub(crate) struct StatusReport {
    pub(crate) device: String,
    pub(crate) online: Option<bool>,
    pub(crate) lock: Option<LockChange>,
    pub(crate) safety: Option<bool>,
}

impl Model {
    pub(crate) fn device_mut(&mut self, id: &str) -> &mut Device {
        match self.devices.get_mut(id) {
            Some(device) => device,
            None => unreachable!("documents and inputs with unknown devices are malformed"),
        }
    }

    fn winner(&self, id: &str) -> Option<&Claim> {
        self.devices[id].claims.iter().min_by_key(|c| {
            let width = if self.mutation == Some(Mutation::WiderScopeWins) {
                2 - c.width
            } else {
                c.width
            };
            let mut rule: Vec<i32> = c.rule.bytes().map(i32::from).collect();
            if self.mutation == Some(Mutation::LargestRuleIdWins) {
                rule.iter_mut().for_each(|b| *b = -*b);
            }
            (-c.priority, width, c.at, rule)
        })
    }

    /// The desired setting and its cause.
    fn desired(&self, id: &str) -> (Setting, String) {
        match self.winner(id) {
            Some(claim) => (claim.setting.clone(), claim.rule.clone()),
            None => (self.devices[id].doc.rest.clone(), "rest".into()),
        }
    }

    fn touch(&mut self, id: &str) {
        self.touched.insert(id.to_owned());
    }

    // Sending.

    fn send(&mut self, id: &str, action: &str, value: Option<i64>, cause: &str) {
        let is_corrected = self.corrected.as_deref() == Some(id);
        let cause = if is_corrected { "corrected" } else { cause };
        self.commands += 1;
        let value: Value = value.map_or(Value::Null, |v| {
            text_of_micros(v).parse().unwrap_or(Value::Null)
        });
        self.emit(
            "command",
            &json!({"command_id": format!("{}-{}", self.farm, self.commands), "device": id, "action": action,
                "value": value, "cause": cause}),
        );
        self.device_mut(id).was_commanded = true;
    }

    fn send_setting(&mut self, id: &str, setting: &Setting, cause: &str) {
        self.send(id, &setting.action, setting.value, cause);
        let (now, restarts) = (self.now, self.mutation == Some(Mutation::OnPeriodRestarts));
        let device = self.device_mut(id);
        device.last_sent = Some(setting.clone());
        device.on_since = match device.on_since {
            Some(since) if setting.is_on() && !restarts => Some(since),
            _ => setting.is_on().then_some(now),
        };
    }

    fn send_pulse(&mut self, id: &str, seconds: i64, cause: &str) {
        self.send(id, "pulse", Some(seconds * 1_000_000), cause);
        let now = self.now;
        let device = self.device_mut(id);
        device.pulses.push((now, seconds));
        device.last_sent = None;
        self.pulsed.insert(id.to_owned());
    }

    /// The safe setting, or `off` while max-on is the reason of the lock.
    fn send_safe(&mut self, id: &str, cause: &str) {
        let device = &self.devices[id];
        if !(device.online && device.was_commanded) {
            return;
        }
        let setting = self.safe(id);
        self.send_setting(id, &setting, cause);
    }

    /// What a device is to do while it is locked or in safety.
    pub(crate) fn safe(&self, id: &str) -> Setting {
        let device = &self.devices[id];
        let is_long_on =
            device.holds("max_on") && self.mutation != Some(Mutation::SafeSettingUnderMaxOnLock);
        if is_long_on
            || device.holds("stop") && self.mutation != Some(Mutation::SafeSettingUnderStop)
        {
            Setting::off()
        } else {
            device.doc.safe.clone()
        }
    }

    fn lock_cause(&self, id: &str) -> &'static str {
        if self.devices[id].holds("stop") {
            "stop"
        } else {
            "lock"
        }
    }

    fn exceeds_pulse_limit(&self, id: &str, seconds: i64) -> bool {
        let device = &self.devices[id];
        let is_closed = self.mutation == Some(Mutation::PulseWindowIsClosed);
        let counts = |at: i64| {
            at + PULSE_WINDOW_MS > self.now || is_closed && at + PULSE_WINDOW_MS == self.now
        };
        let used: i64 = device
            .pulses
            .iter()
            .filter(|(at, _)| counts(*at))
            .map(|(_, s)| s)
            .sum();
        device
            .doc
            .max_pulse_sec
            .is_some_and(|max| used + seconds > max)
    }

    // Rules.

    /// A rule's action is due.
    pub(crate) fn act(&mut self, rule: &RuleDoc, action: &Action) {
        let id = action.device.as_str();
        let Ok(value) = setting_value(&action.action, action.value, &self.devices[id].doc.kind)
        else {
            return self.rule_pulse(rule, id, pulse_seconds(action.value).unwrap_or(0));
        };
        let setting = Setting {
            action: action.action.clone(),
            value,
        };
        let (now, renews) = (
            self.now,
            self.mutation == Some(Mutation::LaterActionRenewsClaim),
        );
        let device = self.device_mut(id);
        device.was_claimed = true;
        match device.claims.iter_mut().find(|c| c.rule == rule.id) {
            Some(claim) if claim.setting == setting => return,
            Some(claim) => {
                claim.setting = setting;
                claim.at = if renews { now } else { claim.at };
            }
            None => device.claims.push(Claim {
                rule: rule.id.clone(),
                at: now,
                setting,
                priority: rule.priority,
                width: rule.place.width(),
            }),
        }
        self.touch(id);
    }

    fn rule_pulse(&mut self, rule: &RuleDoc, id: &str, seconds: i64) {
        let device = &self.devices[id];
        let is_outranked = self
            .winner(id)
            .is_some_and(|c| c.rule != rule.id && c.priority > rule.priority);
        let reason = if !device.online {
            "offline"
        } else if device.is_locked() {
            "locked"
        } else if device.safety {
            "safety"
        } else if device.manual.is_some() {
            "manual"
        } else if is_outranked {
            "outranked"
        } else if self.desired(id).0.is_on() {
            "on"
        } else if self.exceeds_pulse_limit(id, seconds) {
            "max_on"
        } else {
            return self.send_pulse(id, seconds, &rule.id);
        };
        self.emit(
            "command_suppressed",
            &json!({"device": id, "rule": rule.id, "reason": reason}),
        );
    }

    pub(crate) fn drop_claims(&mut self, rule: &str) {
        for device in self.devices.values_mut() {
            let before = device.claims.len();
            device.claims.retain(|c| c.rule != rule);
            if device.claims.len() < before {
                self.touched.insert(device.doc.id.clone());
            }
        }
    }

    pub(crate) fn settle(&mut self) {
        for id in self.touched.clone() {
            let (desired, cause) = self.desired(&id);
            let Some(device) = self.devices.get(&id) else {
                continue;
            };
            let is_free =
                device.online && !device.is_locked() && !device.safety && device.manual.is_none();
            let is_known = device.was_claimed || device.was_commanded;
            let settles_pulsed =
                desired.is_on() || self.mutation == Some(Mutation::PulsedDeviceIsSettled);
            let is_pulsed = self.pulsed.contains(&id) && !settles_pulsed;
            if is_free && is_known && !is_pulsed && device.last_sent.as_ref() != Some(&desired) {
                self.send_setting(&id, &desired, &cause);
            }
        }
    }

    // People.

    fn refuse(&mut self, id: &str, reason: &str) {
        self.emit("command_refused", &json!({"device": id, "reason": reason}));
    }

    pub(crate) fn manual(&mut self, command: &ManualCommand) {
        let id = command.device.as_str();
        let device = &self.devices[id];
        let is_barred = device.safety && !command.admin;
        let setting = setting_value(&command.action, command.value, &device.doc.kind)
            .ok()
            .map(|value| Setting {
                action: command.action.clone(),
                value,
            });
        let is_off = command.cmd_type == "override" && command.action == "off";
        if is_off && device.online && (device.is_locked() || is_barred) {
            self.end_manual(id);
            return self.send_setting(id, &Setting::off(), "manual");
        }
        let seconds = pulse_seconds(command.value);
        let duration = command.duration_ms.filter(|d| *d >= 1_000);
        let is_valid = match command.cmd_type.as_str() {
            "override" => setting.is_some() && duration.is_some(),
            "pulse" => seconds.is_some(),
            _ => command.cmd_type == "release",
        };
        if !is_valid {
            self.refuse(id, "invalid");
        } else if !device.online {
            self.refuse(id, "offline");
        } else if device.is_locked() {
            self.refuse(id, "locked");
        } else if is_barred {
            self.refuse(id, "safety");
        } else if command.cmd_type == "release" {
            self.release(id);
        } else if let (Some(setting), Some(duration)) = (setting, duration) {
            self.send_setting(id, &setting, "manual");
            self.device_mut(id).manual = Some(ManualMode {
                until: self.now + duration,
                setting: Some(setting),
            });
        } else if let Some(seconds) = seconds {
            if self.exceeds_pulse_limit(id, seconds) {
                return self.refuse(id, "max_on");
            }
            self.send_pulse(id, seconds, "manual");
            self.device_mut(id).manual = Some(ManualMode {
                until: self.now + seconds * 1_000,
                setting: None,
            });
        }
    }

    fn release(&mut self, id: &str) {
        if self.mutation == Some(Mutation::ReleaseEndsManually) {
            self.end_manual(id);
        }
        self.device_mut(id).manual = None;
        self.send(id, "release", None, "manual");
        self.device_mut(id).last_sent = None;
        if self.devices[id].safety {
            self.send_safe(id, "safety");
        }
        self.touch(id);
    }

    fn end_manual(&mut self, id: &str) {
        if self.device_mut(id).manual.take().is_some() {
            self.emit("manual_ended", &json!({"device": id}));
            self.touch(id);
        }
    }

    /// Ends the manual modes whose deadline has passed.
    pub(crate) fn end_manuals_due(&mut self) {
        for id in self.device_ids() {
            let device = &self.devices[&id];
            if device.manual.as_ref().is_some_and(|m| m.until <= self.now) {
                let is_in_safety = device.safety;
                self.end_manual(&id);
                if is_in_safety {
                    self.send_safe(&id, "safety");
                }
            }
        }
    }

    // Locks, safety, being online.

    pub(crate) fn lock_what_was_on_too_long(&mut self) {
        for id in self.device_ids() {
            if self.devices[&id]
                .max_on_deadline()
                .is_none_or(|d| d > self.now)
            {
                continue;
            }
            self.device_mut(&id).on_since = None;
            if self.devices[&id].is_locked() {
                continue;
            }
            self.device_mut(&id)
                .locks
                .insert(("max_on".into(), String::new()), "max_on".into());
            self.emit("device_locked", &json!({"device": id, "reason": "max_on"}));
            self.end_manual(&id);
            if self.devices[&id].online {
                self.send_setting(&id, &Setting::off(), "max_on");
            }
        }
    }

    pub(crate) fn status(&mut self, report: &StatusReport) {
        let id = report.device.as_str();
        if let Some(change) = report.lock.as_ref().filter(|c| !c.opens()) {
            self.engage(id, change);
        }
        if report.safety == Some(true) && !self.devices[id].safety {
            self.device_mut(id).safety = true;
            self.end_manual(id);
            self.send_safe(id, "safety");
        }
        match report.online {
            Some(true) if !self.devices[id].online => self.comes_online(id),
            Some(online) => self.device_mut(id).online = online,
            None => {}
        }
        if let Some(change) = report.lock.as_ref().filter(|c| c.opens()) {
            let stays_safe = self.devices[id].safety && report.safety != Some(false);
            self.open(id, change, stays_safe);
        }
        if report.safety == Some(false) && self.devices[id].safety {
            self.device_mut(id).safety = false;
            self.becomes_free(id);
        }
    }

    fn engage(&mut self, id: &str, change: &LockChange) {
        let (was_locked, safe) = (self.devices[id].is_locked(), self.safe(id));
        let locks = &mut self.device_mut(id).locks;
        match change {
            LockChange::Engage(kind, user, reason) => {
                locks.insert((kind.clone(), user.clone()), reason.clone());
            }
            LockChange::Replace(reason) => {
                locks.retain(|(kind, user), _| {
                    !(kind == "max_on" || kind == "person" && user.is_empty())
                });
                locks.insert(of_version_1(reason), reason.clone());
            }
            LockChange::Open(..) | LockChange::OpenAll => {}
        }
        if !was_locked {
            self.end_manual(id);
        }
        let is_version_1 = matches!(change, LockChange::Replace(_));
        if !was_locked || !is_version_1 && self.safe(id) != safe {
            self.send_safe(id, self.lock_cause(id));
        }
    }

    fn open(&mut self, id: &str, change: &LockChange, stays_safe: bool) {
        let opens_all = self.mutation == Some(Mutation::OneStopOpensAll);
        let opens_max_on = self.mutation == Some(Mutation::ControllerOpensMaxOn);
        let goes = |kind: &str, user: &str| match change {
            LockChange::OpenAll => true,
            LockChange::Open(k, _) if opens_max_on && k == "controller" && kind == "max_on" => true,
            LockChange::Open(k, whose) => {
                kind == k
                    && (opens_all
                        || !matches!(kind, "person" | "stop")
                        || whose.as_deref().is_none_or(|whose| whose == user))
            }
            LockChange::Engage(..) | LockChange::Replace(_) => false,
        };
        let held = self.devices[id].locks.clone();
        let (gone, left): (Locks, Locks) =
            (held.into_iter()).partition(|((kind, user), _)| goes(kind, user));
        if gone.is_empty() {
            return;
        }
        if !self.devices[id].online {
            return self.refuse(id, "offline");
        }
        let safe = self.safe(id);
        self.device_mut(id).locks = left;
        let is_other = self.safe(id) != safe;
        if self.devices[id].is_locked() {
            if is_other {
                self.send_safe(id, self.lock_cause(id));
            }
            return;
        }
        self.becomes_free(id);
        if stays_safe {
            if is_other && !matches!(change, LockChange::OpenAll) {
                self.send_safe(id, "safety");
            }
        } else if gone.keys().any(|(kind, _)| kind == "stop")
            && self.mutation != Some(Mutation::StopEndsAtOnce)
        {
            self.send_setting(id, &Setting::off(), "manual");
            let until = self.now + 10_000;
            self.device_mut(id).manual = Some(ManualMode {
                until,
                setting: Some(Setting::off()),
            });
        }
    }

    /// Somebody stops what lies there.
    pub(crate) fn stop(&mut self, devices: &[String], user: &str) {
        for id in devices {
            let online = self.devices[id].online;
            if !online && self.mutation == Some(Mutation::StopMissesTheOffline) {
                continue;
            }
            let lock = ("stop".to_owned(), user.to_owned());
            self.device_mut(id).locks.insert(lock, "stop".into());
            self.end_manual(id);
            if online {
                self.send_setting(id, &Setting::off(), "stop");
            }
        }
    }

    fn becomes_free(&mut self, id: &str) {
        if self.mutation != Some(Mutation::UnlockKeepsLastSent) {
            self.device_mut(id).last_sent = None;
        }
        self.touch(id);
    }

    fn comes_online(&mut self, id: &str) {
        let forgets = self.mutation != Some(Mutation::OnlineKeepsLastSent);
        let device = self.device_mut(id);
        device.online = true;
        device.was_commanded = true;
        if forgets {
            device.last_sent = None;
        }
        self.send_what_holds(id);
    }

    /// Sends what holds for a device once more, if it is online.
    pub(crate) fn correct(&mut self, id: &str) {
        if self.devices[id].online {
            self.corrected = Some(id.to_owned());
            self.comes_online(id);
        }
    }

    /// To an online device that may have lost what was sent to it.
    pub(crate) fn send_what_holds(&mut self, id: &str) {
        let device = &self.devices[id];
        if device.is_locked() {
            self.send_safe(id, self.lock_cause(id));
        } else if device.safety && device.manual.is_none() {
            self.send_safe(id, "safety");
        } else {
            match &device.manual {
                Some(ManualMode {
                    setting: Some(setting),
                    ..
                }) => self.send_setting(id, &setting.clone(), "manual"),
                Some(_) => {}
                None => self.touch(id),
            }
        }
    }

    pub(crate) fn device_ids(&self) -> Vec<String> {
        self.devices.keys().cloned().collect()
    }
}
