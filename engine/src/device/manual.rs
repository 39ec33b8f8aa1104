//! People's commands: overrides, pulses and releases, obeyed or refused with a reason, and the manual mode that they start.

use super::command::{Cause, Outbox};
use super::{Device, ManualMode};
use crate::event::{EventKind, RefuseReason};
use crate::input::{Manual, ManualKind};
use crate::setting::{Order, SentOrder, Setting};
use crate::time::{Duration, MAX_DURATION};

impl Device {
    pub(crate) fn manual(&mut self, m: &Manual, out: &mut Outbox<'_>) {
        let Some(order) = ManualOrder::of(m, self) else {
            return self.refuse(RefuseReason::Invalid, out);
        };
        let outranked = if self.is_locked() && !(planted!(AdminPassesLock) && m.admin) {
            Some(RefuseReason::Locked)
        } else {
            (self.safety && !m.admin).then_some(RefuseReason::Safety)
        };
        if !self.online {
            return self.refuse(RefuseReason::Offline, out);
        }
        if let Some(reason) = outranked {
            // Everyone may switch off.
            let may = !planted!(LockedCannotBeSwitchedOff);
            if may
                && matches!(
                    order,
                    ManualOrder::Override {
                        setting: Setting::Off,
                        ..
                    }
                )
            {
                self.end_manual(out);
                self.send(Setting::Off, Cause::Manual, m.owner.clone(), out);
            } else {
                self.refuse(reason, out);
            }
            return;
        }
        match order {
            ManualOrder::Override { length: None, .. } => self.refuse(RefuseReason::Invalid, out),
            ManualOrder::Override {
                setting,
                length: Some(length),
            } => {
                let starts = setting.is_on() && !self.runs(out.now);
                if let Some(reason) = starts.then(|| self.may_not_start(out)).flatten() {
                    return self.refuse(reason.into(), out);
                }
                self.manual = Some(ManualMode {
                    setting: Some(setting),
                    until: out.now + length,
                    admin: m.admin,
                    owner: m.owner.clone(),
                });
                self.send(setting, Cause::Manual, m.owner.clone(), out);
            }
            ManualOrder::Pulse { secs } if !self.pulse_fits(secs, out.now) => {
                self.refuse(RefuseReason::MaxOn, out);
            }
            ManualOrder::Pulse { secs } => {
                if let Some(reason) = self.may_not_pulse(secs, out) {
                    return self.refuse(reason.into(), out);
                }
                let until = out.now + Duration::from_secs(secs.into());
                self.manual = Some(ManualMode {
                    setting: None,
                    until,
                    admin: m.admin,
                    owner: m.owner.clone(),
                });
                self.send_pulse(secs, Cause::Manual, m.owner.clone(), out);
            }
            ManualOrder::Release => {
                self.manual = None;
                self.last_sent = None;
                self.end_pulse(out.now);
                self.emit(SentOrder::Release, Cause::Manual, m.owner.clone(), out);
                if self.safety {
                    self.send_safe(Cause::Safety, out);
                }
                self.needs_settle = true;
            }
        }
    }

    pub(super) fn refuse(&self, reason: RefuseReason, out: &mut Outbox<'_>) {
        out.emit(EventKind::CommandRefused {
            device: self.spec.id.clone(),
            reason,
        });
    }

    /// The manual mode's deadline has come.
    pub(crate) fn manual_due(&mut self, out: &mut Outbox<'_>) {
        self.end_manual(out);
        if self.safety {
            self.send_safe(Cause::Safety, out);
        }
        self.needs_settle = true;
    }

    pub(super) fn end_manual(&mut self, out: &mut Outbox<'_>) {
        if self.manual.take().is_some() {
            out.emit(EventKind::ManualEnded {
                device: self.spec.id.clone(),
            });
        }
    }
}

/// A manual command that makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ManualOrder {
    /// `length` is `None` where switching off needs none.
    Override {
        setting: Setting,
        length: Option<Duration>,
    },
    Pulse {
        secs: u8,
    },
    Release,
}

impl ManualOrder {
    fn of(m: &Manual, device: &Device) -> Option<Self> {
        match m.kind {
            ManualKind::Release => Some(Self::Release),
            ManualKind::Pulse => match Order::parse("pulse", m.value) {
                Ok(Order::Pulse { secs }) => Some(Self::Pulse { secs }),
                _ => None,
            },
            ManualKind::Override => {
                let setting = Order::parse(m.action.as_deref()?, m.value)
                    .ok()?
                    .setting_for(device.spec.device_type)?;
                let length = m
                    .duration_sec
                    .filter(|s| (1..=MAX_DURATION.as_secs()).contains(s))
                    .map(Duration::from_secs);
                let needs_none = setting == Setting::Off
                    && device.online
                    && (device.is_locked() || (device.safety && !m.admin));
                (length.is_some() || needs_none).then_some(Self::Override { setting, length })
            }
        }
    }
}
