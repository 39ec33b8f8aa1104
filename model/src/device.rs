//! Devices: claims, pulses, and the commands of people.

use serde_json::{Value, json};

use crate::document::{Action, RuleDoc, Setting, pulse_seconds, setting_value};
use crate::input::ManualCommand;
use crate::mutation::Mutation;
use crate::number::text_of_micros;
use crate::state::{Claim, ManualMode, Model, PULSE_WINDOW_MS};

impl Model {
    pub(crate) fn winner(&self, id: &str) -> Option<&Claim> {
        let claims = self.devices[id].claims.iter();
        claims.min_by_key(|c| self.rank(c))
    }

    /// The order of claims: the winner is the first.
    pub(crate) fn rank(&self, claim: &Claim) -> (i64, u8, i64, Vec<i32>) {
        let width = if self.mutation == Some(Mutation::WiderScopeWins) {
            2 - claim.width
        } else {
            claim.width
        };
        let mut rule: Vec<i32> = claim.rule.bytes().map(i32::from).collect();
        if self.mutation == Some(Mutation::LargestRuleIdWins) {
            rule.iter_mut().for_each(|b| *b = -*b);
        }
        (-claim.priority, width, claim.at, rule)
    }

    /// The desired setting and its cause.
    pub(crate) fn desired(&self, id: &str) -> (Setting, String) {
        match self.winner(id) {
            Some(claim) => (claim.setting.clone(), claim.rule.clone()),
            None => (self.devices[id].doc.rest.clone(), "rest".into()),
        }
    }

    pub(crate) fn touch(&mut self, id: &str) {
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
        self.look_at(id);
    }

    pub(crate) fn send_setting(&mut self, id: &str, setting: &Setting, cause: &str) {
        self.keep_ledger(id);
        let ran = self.runs(id);
        self.send(id, &setting.action, setting.value, cause);
        self.end_pulse(id);
        let (now, restarts) = (self.now, self.mutation == Some(Mutation::OnPeriodRestarts));
        let device = self.device_mut(id);
        device.last_sent = Some(setting.clone());
        if !setting.is_on() {
            return self.end_on_period(id);
        }
        device.duty.last_on = Some(setting.clone());
        if device.on_since.is_none() || restarts {
            device.on_since = Some(now);
        }
        self.account(id);
        self.note_start(id, ran);
    }

    fn send_pulse(&mut self, id: &str, seconds: i64, cause: &str) {
        self.keep_ledger(id);
        let ran = self.runs(id);
        self.send(id, "pulse", Some(seconds * 1_000_000), cause);
        let now = self.now;
        let device = self.device_mut(id);
        device.pulses.push((now, seconds));
        device.last_sent = None;
        device.duty.pulse_until = Some(now + seconds * 1_000);
        self.pulsed.insert(id.to_owned());
        self.note_start(id, ran);
        self.account_pulse(id, seconds);
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
        let (setting, following) = self.begin_to_follow(action, setting);
        let (now, renews) = (
            self.now,
            self.mutation == Some(Mutation::LaterActionRenewsClaim),
        );
        let until = action.for_ms.map(|ms| now + ms);
        let device = self.device_mut(id);
        device.was_claimed = true;
        match device.claims.iter_mut().find(|c| c.rule == rule.id) {
            Some(claim) if claim.setting == setting => {
                (claim.until, claim.linger_ms) = (until, action.linger_ms);
                claim.following = following;
                return;
            }
            Some(claim) => {
                (claim.until, claim.linger_ms) = (until, action.linger_ms);
                (claim.setting, claim.following) = (setting, following);
                claim.at = if renews { now } else { claim.at };
            }
            None => device.claims.push(Claim {
                rule: rule.id.clone(),
                at: now,
                setting,
                priority: rule.priority,
                width: rule.place.width(),
                until,
                linger_ms: action.linger_ms,
                following,
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
        } else if let Some(reason) = self.hinders_pulse(id, seconds) {
            reason
        } else {
            return self.send_pulse(id, seconds, &rule.id);
        };
        self.emit(
            "command_suppressed",
            &json!({"device": id, "rule": rule.id, "reason": reason}),
        );
    }

    /// Ends the claims of a rule; where it only stopped, those that linger end later.
    pub(crate) fn drop_claims(&mut self, rule: &str, lingers: bool) {
        let (now, forgets) = (self.now, self.mutation == Some(Mutation::LingerIsForgotten));
        let follows = self.mutation == Some(Mutation::LingeringFollows);
        for device in self.devices.values_mut() {
            let before = device.claims.len();
            device.claims.retain_mut(|c| {
                let Some(linger) = c.linger_ms.filter(|_| lingers && !forgets) else {
                    return c.rule != rule;
                };
                if c.rule == rule {
                    let end = now + linger;
                    c.until = Some(c.until.map_or(end, |until| until.min(end)));
                    c.following = c.following.take().filter(|_| follows);
                }
                true
            });
            if device.claims.len() < before {
                self.touched.insert(device.doc.id.clone());
            }
        }
    }

    /// Ends the claims whose time is over.
    pub(crate) fn end_claims_due(&mut self) {
        let now = self.now;
        for device in self.devices.values_mut() {
            let before = device.claims.len();
            device
                .claims
                .retain(|c| c.until.is_none_or(|until| until > now));
            if device.claims.len() < before {
                self.touched.insert(device.doc.id.clone());
            }
        }
    }

    // People.

    pub(crate) fn refuse(&mut self, id: &str, reason: &str) {
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
            if let Some(reason) = self.hinders_override(id, &setting, command.admin) {
                return self.refuse(id, reason);
            }
            self.send_setting(id, &setting, "manual");
            self.device_mut(id).manual = Some(ManualMode {
                until: self.now + duration,
                setting: Some(setting),
            });
        } else if let Some(seconds) = seconds {
            if self.exceeds_pulse_limit(id, seconds) {
                return self.refuse(id, "max_on");
            }
            if let Some(reason) = self.hinders_pulse(id, seconds) {
                return self.refuse(id, reason);
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
        self.end_pulse(id);
        self.device_mut(id).last_sent = None;
        if self.devices[id].safety {
            self.send_safe(id, "safety");
        }
        self.touch(id);
    }

    pub(crate) fn end_manual(&mut self, id: &str) {
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
                self.look_at(&id);
                self.end_manual(&id);
                if is_in_safety {
                    self.send_safe(&id, "safety");
                }
            }
        }
    }
}
