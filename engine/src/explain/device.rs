//! Why a device does what it does: everything that has a say, in order of precedence.

use super::{DeviceExplanation, GroupStanding, Need, Step, StepKind};
use crate::device::{Claim, Device};
use crate::engine::Engine;
use crate::event::LimitReason;
use crate::setting::Setting;
use crate::status::ManualStatus;
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
        let steps: Vec<Step> = self.steps(ix, device, now, true).collect();
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

    /// What decides about a device at the engine's clock; a rule with its name only where that is wanted.
    pub(super) fn deciding(&self, ix: u32, named: bool) -> Option<Step> {
        let device = self.state.devices.get(ix)?;
        let now = self.state.clock.unwrap_or(Timestamp::from_millis(0));
        self.steps(ix, device, now, named).next()
    }

    /// Everything that has a say about a device, what decides first. Each is worked out when it is asked for.
    fn steps<'a>(
        &'a self,
        ix: u32,
        device: &'a Device,
        now: Timestamp,
        named: bool,
    ) -> impl Iterator<Item = Step> + 'a {
        let locks = device.locks.iter().map(|lock| Step {
            since: lock.since,
            what: StepKind::Lock(lock.clone()),
            setting: Some(match device.locks.require_off() {
                true => Setting::Off,
                false => device.spec.safe,
            }),
            until: None,
        });
        let manual = device.manual.as_ref().map(|manual| Step {
            setting: manual.setting,
            since: None,
            until: Some(manual.until),
            what: StepKind::Manual(ManualStatus {
                setting: manual.setting,
                until: manual.until,
                owner: manual.owner.clone(),
            }),
        });
        let is_admin = device.manual.as_ref().is_some_and(|m| m.admin);
        let safety = device.safety.then_some(Step {
            what: StepKind::Safety,
            setting: Some(device.spec.safe),
            since: None,
            until: None,
        });
        let people = match is_admin {
            true => [manual, safety],
            false => [safety, manual],
        };
        let held = move || {
            let (reason, _) = *device.limited.as_ref()?.held.as_ref()?;
            Some(Step {
                what: StepKind::Limit(reason),
                setting: Some(setting_held(device, reason)),
                since: None,
                until: self.state.held_until(ix, now),
            })
        };
        let claim = move |claim: &Claim| Step {
            what: StepKind::Claim {
                name: { named.then(|| self.rule_name(claim.rule_id.as_str())) }
                    .flatten()
                    .unwrap_or_default(),
                claim: claim.into(),
            },
            setting: Some(claim.setting),
            since: Some(claim.at),
            until: (claim.until != NEVER).then_some(claim.until),
        };
        let rest = Step {
            what: StepKind::Rest,
            setting: Some(device.spec.rest),
            since: None,
            until: None,
        };
        locks
            .chain(people.into_iter().flatten())
            .chain(std::iter::once_with(held).flatten())
            .chain(
                std::iter::once_with(|| device.claims.by_strength())
                    .flatten()
                    .map(claim),
            )
            .chain([rest])
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
