//! Locks, safety mode, stops, and devices that come online.

use serde_json::json;

use crate::document::{Locks, Setting, of_version_1};
use crate::input::{LockChange, StatusReport};
use crate::mutation::Mutation;
use crate::state::{ManualMode, Model};

impl Model {
    pub(crate) fn lock_what_was_on_too_long(&mut self) {
        for id in self.device_ids() {
            if self.devices[&id]
                .max_on_deadline()
                .is_none_or(|d| d > self.now)
            {
                continue;
            }
            self.end_on_period(&id);
            self.look_at(&id);
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
        if let Some(running) = report.running {
            self.device_mut(id).running = running;
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
        let device = &self.devices[id];
        if !device.online {
            return;
        }
        let is_free = !device.is_locked() && !device.safety && device.manual.is_none();
        self.corrected = Some(id.to_owned());
        if !(is_free && self.is_limited(id)) {
            return self.comes_online(id);
        }
        // At once, so that nobody finds the last setting unknown.
        let (setting, held) = self.within_limits(id, &self.desired(id).0);
        self.send_setting(id, &setting, "corrected");
        if held.is_some() {
            self.touch(id);
        }
        self.corrected = None;
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

    /// The safe setting, or `off` while max-on is the reason of the lock.
    pub(crate) fn send_safe(&mut self, id: &str, cause: &str) {
        let device = &self.devices[id];
        if !(device.online && device.was_commanded) {
            return;
        }
        let setting = self.safe(id);
        self.send_setting(id, &setting, cause);
    }

    fn lock_cause(&self, id: &str) -> &'static str {
        if self.devices[id].holds("stop") {
            "stop"
        } else {
            "lock"
        }
    }
}
