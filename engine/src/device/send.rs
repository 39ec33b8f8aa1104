//! Sending: what goes out to a device, and what it remembers of that.

use std::sync::Arc;

use super::command::{Cause, Command, Outbox};
use super::{Device, Pulse};
use crate::event::EventKind;
use crate::id::{CommandId, RuleId};
use crate::lock::Owner;
use crate::setting::{SentOrder, Setting};
use crate::time::{Duration, Timestamp};

/// Over which time the seconds of pulses are summed.
const PULSE_WINDOW: Duration = Duration::from_secs(3_600);

impl Device {
    pub(super) fn pulse_fits(&self, secs: u8, now: Timestamp) -> bool {
        let counts = |p: &&Pulse| p.at > now - PULSE_WINDOW;
        let counted = self.pulses.iter().filter(counts);
        let sum: i64 = counted.map(|p| i64::from(p.secs)).sum();
        self.spec
            .max_pulse
            .is_none_or(|max| sum + i64::from(secs) <= max.as_secs() || planted!(PulsesUncounted))
    }

    /// When the last pulse ends or ended.
    pub(crate) fn pulse_until(&self) -> Option<Timestamp> {
        let last = self.pulses.back()?;
        Some(last.at + Duration::from_secs(last.secs.into()))
    }

    /// The rule whose pulse was the last, as far as one is remembered.
    pub(crate) fn pulsed_by(&self) -> Option<&RuleId> {
        self.pulses.back()?.rule.as_ref()
    }

    pub(super) fn send_pulse(
        &mut self,
        secs: u8,
        cause: Cause,
        owner: Option<Arc<Owner>>,
        out: &mut Outbox<'_>,
    ) {
        self.note_start(out.now);
        while { self.pulses.front() }.is_some_and(|p| p.at <= out.now - PULSE_WINDOW) {
            self.pulses.pop_front();
        }
        let rule = match &cause {
            Cause::Rule(rule) => Some(rule.clone()),
            _ => None,
        };
        self.pulses.push_back(Pulse {
            at: out.now,
            secs,
            rule,
        });
        self.count_pulse(secs, out);
        self.pulsed = true;
        self.last_sent = None;
        self.emit(SentOrder::Pulse { secs }, cause, owner, out);
    }

    pub(super) fn send(
        &mut self,
        setting: Setting,
        cause: Cause,
        owner: Option<Arc<Owner>>,
        out: &mut Outbox<'_>,
    ) {
        let was_on = self.on_since.is_some();
        if setting.is_on() {
            self.note_start(out.now);
        }
        self.end_pulse(out.now);
        self.note_sent(setting, was_on, out.now);
        self.last_sent = Some(setting);
        self.on_since = if setting.is_on() {
            self.on_since.or(Some(out.now))
        } else {
            None
        };
        self.emit(SentOrder::Set(setting), cause, owner, out);
    }

    pub(super) fn emit(
        &mut self,
        order: SentOrder,
        cause: Cause,
        owner: Option<Arc<Owner>>,
        out: &mut Outbox<'_>,
    ) {
        self.commanded = true;
        *out.commands += 1;
        let id = CommandId {
            farm: out.farm.clone(),
            n: *out.commands,
        };
        let until = self
            .manual
            .as_ref()
            .filter(|_| matches!(cause, Cause::Manual | Cause::Corrected))
            .map(|m| m.until);
        out.emit(EventKind::Command(Command {
            id,
            device: self.spec.id.clone(),
            order,
            cause,
            owner,
            until,
        }));
    }
}
