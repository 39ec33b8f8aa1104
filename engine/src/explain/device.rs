//! Why a device does what it does: everything that has a say, in order of precedence.

use super::{DeviceExplanation, GroupStanding, Need, Step, StepKind};
use crate::device::Device;
use crate::engine::Engine;
use crate::event::LimitReason;
use crate::setting::Setting;
use crate::time::Timestamp;
use crate::timer::NEVER;
use crate::truth::Truth;

impl Engine {
    /// Why a device does what it does at the engine's clock; none of one that is not known.
    #[must_use]
    pub fn explain_device(&self, id: &str) -> Option<DeviceExplanation> {
        let ix = self.state.devices.index(id)?;
        let device = self.state.devices.get(ix)?;
        let status = self.device(id)?;
        let now = self.state.clock.unwrap_or(Timestamp::from_millis(0));
        let limits = self.limits_at(id, now);
        let mut steps = Vec::new();
        for lock in device.locks.iter() {
            let setting = match device.locks.require_off() {
                true => Setting::Off,
                false => device.spec.safe,
            };
            steps.push(Step {
                since: lock.since,
                what: StepKind::Lock(lock.clone()),
                setting: Some(setting),
                until: None,
            });
        }
        let manual = status.manual.clone().map(|manual| Step {
            setting: manual.setting,
            since: None,
            until: Some(manual.until),
            what: StepKind::Manual(manual),
        });
        let is_admin = device.manual.as_ref().is_some_and(|m| m.admin);
        let safety = device.safety.then_some(Step {
            what: StepKind::Safety,
            setting: Some(device.spec.safe),
            since: None,
            until: None,
        });
        match is_admin {
            true => steps.extend(manual.into_iter().chain(safety)),
            false => steps.extend(safety.into_iter().chain(manual)),
        }
        let held = limits.as_ref().and_then(|l| Some((l.held?, l.held_until)));
        steps.extend(held.map(|(reason, until)| Step {
            what: StepKind::Limit(reason),
            setting: Some(setting_held(device, reason)),
            since: None,
            until,
        }));
        let claims = device.claims.by_strength().into_iter().zip(&status.claims);
        steps.extend(claims.map(|(claim, told)| Step {
            what: StepKind::Claim {
                name: self.rule_name(&told.rule).unwrap_or_default(),
                claim: told.clone(),
            },
            setting: Some(claim.setting),
            since: Some(claim.at),
            until: (claim.until != NEVER).then_some(claim.until),
        }));
        steps.push(Step {
            what: StepKind::Rest,
            setting: Some(device.spec.rest),
            since: None,
            until: None,
        });
        let decides = 0;
        let first = steps.first();
        // What is left when the deciding step is gone: of locks, all of them.
        let is_lock = |s: &Step| matches!(s.what, StepKind::Lock(_));
        let next = steps.iter().enumerate().skip(1);
        let next = { next.filter(|(_, s)| !(first.is_some_and(is_lock) && is_lock(s))) }
            .map(|(at, _)| at)
            .next();
        Some(DeviceExplanation {
            reported: device.running.filter(|_| device.online),
            setting: first.and_then(|s| s.setting),
            until: first.and_then(|s| s.until),
            next,
            decides,
            steps,
            limits,
            needs: self.needs(ix),
            groups: self.groups(device, now),
            status,
        })
    }

    /// Why each device does what it does, by id: who holds it is the first of its steps.
    #[must_use]
    pub fn holders(&self) -> Vec<DeviceExplanation> {
        let devices = self.state.devices.iter();
        devices
            .filter_map(|(_, device)| self.explain_device(device.spec.id.as_str()))
            .collect()
    }

    fn needs(&self, ix: u32) -> Vec<Need> {
        let (needs, length) = self.state.needs_of(ix);
        let devices = needs.iter().filter_map(|n| self.state.devices.get(*n));
        let need = |d: &Device| {
            let carries = d.carries();
            let since = d.limited.as_ref().and_then(|l| l.carries_since);
            Need {
                id: d.spec.id.clone(),
                name: d.spec.name.clone(),
                since: since.filter(|_| carries == Truth::True),
                carries,
                length,
            }
        };
        devices.map(need).collect()
    }

    fn groups(&self, device: &Device, now: Timestamp) -> Vec<GroupStanding> {
        let Some(limits) = device.spec.limits.as_deref() else {
            return Vec::new();
        };
        let own =
            { self.groups_at(now).into_iter() }.filter(|g| limits.groups.contains(&g.spec.id));
        own.map(|group| GroupStanding {
            id: group.spec.id,
            name: group.spec.name,
            at_most: group.spec.at_most,
            running: group.running,
        })
        .collect()
    }
}

/// What a device that is held does: it stays on, or off.
fn setting_held(device: &Device, reason: LimitReason) -> Setting {
    let last_on = device.limited.as_ref().and_then(|l| l.last_on);
    match reason {
        LimitReason::MinOn | LimitReason::Needed => last_on.unwrap_or(Setting::OFF),
        _ => Setting::OFF,
    }
}
