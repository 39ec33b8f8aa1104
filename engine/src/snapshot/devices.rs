//! What is written of devices, and how it is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::device::{Cause, Claim, Device, Ledger, Limited, ManualMode, Pulse};
use crate::event::LimitReason;
use crate::id::{DeviceId, RuleId};
use crate::lock::{DeviceLock, Locks, Owner};
use crate::quantity::Quantity;
use crate::setting::{Order, OrderSpec, Setting};
use crate::state::State;
use crate::time::Timestamp;
use crate::timer::NEVER;

#[derive(Serialize, Deserialize)]
pub(super) struct DevicePart {
    pub(super) online: bool,
    /// The first lock's reason: all that snapshots of the first version have of locks.
    pub(super) lock: Option<Arc<str>>,
    #[serde(default)]
    pub(super) locks: Vec<DeviceLock>,
    pub(super) safety: bool,
    /// What it is reported to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) running: Option<bool>,
    pub(super) manual: Option<ManualPart>,
    pub(super) claims: Vec<ClaimPart>,
    pub(super) last_sent: Option<OrderSpec>,
    pub(super) commanded: bool,
    pub(super) ever_claimed: bool,
    pub(super) on_since: Option<Timestamp>,
    pub(super) pulses: Vec<Pulse>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) limits: Option<LimitsPart>,
    /// Whether a device starts online is a matter of its document, not of its status.
    pub(super) starts_online: bool,
}

#[derive(Serialize, Deserialize)]
pub(super) struct LimitsPart {
    pub(super) off_since: Option<Timestamp>,
    pub(super) pulse_until: Option<Timestamp>,
    pub(super) starts: Vec<Timestamp>,
    pub(super) ledger: Option<Ledger>,
    pub(super) last_on: Option<OrderSpec>,
    /// Why it is not sent what is desired, and the rule that wants it; no rule where that is its rest.
    pub(super) held: Option<(LimitReason, Option<RuleId>)>,
    pub(super) unmet_since: Option<Timestamp>,
    pub(super) carries_since: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) allowed_since: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shut_since: Option<Timestamp>,
}

impl LimitsPart {
    pub(super) fn of(limited: &Limited) -> Self {
        let held = limited.held.as_ref().map(|(reason, cause)| match cause {
            Cause::Rule(id) => (*reason, Some(id.clone())),
            _ => (*reason, None),
        });
        Self {
            off_since: limited.off_since,
            pulse_until: limited.pulse_until,
            starts: limited.starts.iter().copied().collect(),
            ledger: limited.ledger,
            last_on: limited.last_on.map(order_of),
            held,
            unmet_since: limited.unmet_since,
            carries_since: limited.carries_since,
            allowed_since: limited.allowed_since,
            shut_since: limited.shut_since,
        }
    }

    pub(super) fn limited(self, setting: impl Fn(&OrderSpec) -> Option<Setting>) -> Limited {
        Limited {
            off_since: self.off_since,
            pulse_until: self.pulse_until,
            starts: self.starts.into(),
            ledger: self.ledger,
            last_on: self.last_on.as_ref().and_then(setting),
            held: { self.held }
                .map(|(reason, rule)| (reason, rule.map_or(Cause::Rest, Cause::Rule))),
            unmet_since: self.unmet_since,
            carries_since: self.carries_since,
            allowed_since: self.allowed_since,
            shut_since: self.shut_since,
            ..Limited::default()
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct ManualPart {
    pub(super) setting: Option<OrderSpec>,
    pub(super) until: Timestamp,
    pub(super) admin: bool,
    pub(super) owner: Option<Arc<Owner>>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ClaimPart {
    pub(super) rule: RuleId,
    pub(super) at: Timestamp,
    pub(super) setting: OrderSpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) until: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) linger_sec: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) curve: Option<CurvePart>,
}

/// Where a claim's curve stands.
#[derive(Serialize, Deserialize)]
pub(super) struct CurvePart {
    pub(super) action: u8,
    pub(super) reference: Option<Quantity>,
    pub(super) changed: Timestamp,
    /// What it sets while its signal is not known.
    pub(super) otherwise: OrderSpec,
}

fn order_of(setting: Setting) -> OrderSpec {
    OrderSpec {
        action: setting.action().to_owned(),
        value: setting.value(),
    }
}

impl State {
    pub(super) fn device_parts(&self) -> BTreeMap<DeviceId, DevicePart> {
        let locks = |d: &Device| {
            if planted!(SnapshotForgetsLock) {
                Vec::new()
            } else {
                d.locks.to_vec()
            }
        };
        let part = |d: &Device| DevicePart {
            online: d.online,
            lock: locks(d).first().map(|lock| lock.reason.clone()),
            locks: locks(d),
            safety: d.safety,
            running: d.running,
            manual: d
                .manual
                .as_ref()
                .filter(|_| !planted!(SnapshotForgetsOverride))
                .map(|m| ManualPart {
                    setting: m.setting.map(order_of),
                    until: m.until,
                    admin: m.admin,
                    owner: m.owner.clone(),
                }),
            claims: d
                .claims
                .by_strength()
                .into_iter()
                .map(|c| ClaimPart {
                    rule: c.rule_id.clone(),
                    at: c.at,
                    setting: order_of(c.setting),
                    until: Some(c.until).filter(|until| *until != NEVER),
                    linger_sec: Some(c.linger).filter(|linger| *linger > 0),
                    curve: c.curve.and_then(|ix| self.curve_part(ix)),
                })
                .collect(),
            last_sent: d.last_sent.map(order_of),
            commanded: d.commanded,
            ever_claimed: d.ever_claimed,
            on_since: d.on_since.filter(|_| !planted!(SnapshotForgetsOnPeriod)),
            pulses: d
                .pulses
                .iter()
                .filter(|_| !planted!(SnapshotForgetsPulses))
                .cloned()
                .collect(),
            limits: d.limited.as_deref().map(LimitsPart::of),
            starts_online: d.spec.online,
        };
        self.devices
            .iter()
            .map(|(_, d)| (d.spec.id.clone(), part(d)))
            .collect()
    }

    fn curve_part(&self, ix: u32) -> Option<CurvePart> {
        let follower = self.curves.get(ix)?;
        Some(CurvePart {
            action: follower.action,
            reference: follower.reference,
            changed: follower.changed,
            otherwise: order_of(self.curve_otherwise(ix)?),
        })
    }

    pub(super) fn restore_device(&mut self, id: &DeviceId, part: DevicePart) {
        let known = self.devices.index(id.as_str());
        let known = known.and_then(|ix| Some((ix, self.devices.get_mut(ix)?)));
        let Some((device_ix, device)) = known else {
            return;
        };
        let mut curves = Vec::new();
        let device_type = device.spec.device_type;
        let setting = |o: &OrderSpec| {
            Order::compile(o)
                .ok()
                .and_then(|o| o.setting_for(device_type))
        };
        device.spec.online = part.starts_online;
        (device.online, device.safety) = (part.online, part.safety);
        device.running = part.running;
        device.locks = Locks::of_document(&part.locks, part.lock.as_deref());
        device.manual = part.manual.map(|m| ManualMode {
            setting: m.setting.as_ref().and_then(setting),
            until: m.until,
            admin: m.admin,
            owner: m.owner,
        });
        device.last_sent = part.last_sent.as_ref().and_then(setting);
        (device.commanded, device.ever_claimed, device.on_since) =
            (part.commanded, part.ever_claimed, part.on_since);
        device.pulses = part.pulses.into();
        if let Some((limited, part)) = device.limited.as_mut().zip(part.limits) {
            **limited = part.limited(setting);
        }
        for c in part.claims {
            let rule = self.rules.index(c.rule.as_str());
            let known = rule.and_then(|ix| Some((ix, self.rules.get(ix)?)));
            let Some(((ix, rule), setting)) = known.zip(setting(&c.setting)) else {
                continue;
            };
            device.claims.put(Claim {
                rule: ix,
                rule_id: c.rule,
                priority: rule.priority,
                specificity: rule.specificity,
                at: c.at,
                setting,
                until: c.until.unwrap_or(NEVER),
                linger: c.linger_sec.unwrap_or(0),
                curve: None,
            });
            curves.extend(c.curve.map(|curve| (ix, curve)));
        }
        for (rule, part) in curves {
            let Some(otherwise) = setting(&part.otherwise) else {
                continue;
            };
            let of = (rule, device_ix, part.action);
            let curve = self.take_up_curve(of, otherwise, part.reference, part.changed);
            if let Some(device) = self.devices.get_mut(device_ix) {
                device.claims.follow(rule, curve);
            }
        }
    }
}
