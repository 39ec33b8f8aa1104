//! What the engine knows of each device now: what is wanted of it, and where it stands with its limits and groups.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::device::{Cause, Device};
use crate::document::{DeviceSpec, GroupSpec};
use crate::engine::Engine;
use crate::event::LimitReason;
use crate::id::{DeviceId, RuleId};
use crate::lock::{DeviceLock, Locks, Owner};
use crate::quantity::Quantity;
use crate::setting::Setting;
use crate::time::{Duration, Timestamp};

/// What decides about a device, borrowed from the engine.
#[derive(Debug, Clone, Copy)]
pub struct DeviceRef<'a> {
    /// Its document, without its present status.
    pub spec: &'a DeviceSpec,
    /// Whether its controller can be reached.
    pub online: bool,
    /// Whether it is reported to be on; none where nobody knows.
    pub running: Option<bool>,
    /// The locks that hold on it.
    pub locks: &'a Locks,
    /// Whether it is in safety mode.
    pub safety: bool,
    /// What it is to do while it is locked or in safety mode.
    pub safe: Setting,
    /// The last setting sent, if it is known.
    pub last_sent: Option<Setting>,
    /// When the last pulse ends or ended, as far as one is remembered.
    pub pulse_until: Option<Timestamp>,
}

/// A device and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DeviceStatus {
    /// Its document, with the present status.
    pub spec: DeviceSpec,
    /// Whether its controller can be reached.
    pub online: bool,
    /// The locks that hold on it, by kind and then by whose they are; locked is not empty.
    pub locks: Vec<DeviceLock>,
    /// Whether it is in safety mode.
    pub safety: bool,
    /// The manual mode, while a person has it.
    pub manual: Option<ManualStatus>,
    /// What the rules (or rest) want of it.
    pub desired: Setting,
    /// Who wants that: a rule's id, or `rest`.
    pub desired_by: String,
    /// All claims, the winner first.
    pub claims: Vec<ClaimStatus>,
    /// What it is to do while it is locked or in safety mode.
    pub safe: Setting,
    /// The last setting sent, if it is known.
    pub last_sent: Option<Setting>,
    /// When the last pulse ends or ended, as far as one is remembered.
    pub pulse_until: Option<Timestamp>,
    /// The rule whose pulse that is; none of a person's.
    pub pulsed_by: Option<RuleId>,
    /// Since when it is on, as far as what was sent tells.
    pub on_since: Option<Timestamp>,
    /// When it is locked for having been on for too long.
    pub max_on_at: Option<Timestamp>,
}

/// Where a device stands with its limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LimitsStatus {
    /// Why it is not sent what is desired.
    pub held: Option<LimitReason>,
    /// When time alone may change that, as far as it can be told.
    pub held_until: Option<Timestamp>,
    /// How often it started within the last hour.
    pub starts: usize,
    /// How long it ran today, if it has a budget.
    pub used: Duration,
    /// How much flowed today, in ml, likewise.
    pub used_ml: Quantity,
    /// What is left of its time.
    pub time_left: Option<Duration>,
    /// What is left of what may flow, in ml.
    pub ml_left: Option<Quantity>,
    /// When the day ends.
    pub day_ends: Option<Timestamp>,
}

/// Devices of which so many run at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupStatus {
    /// Its document.
    pub spec: GroupSpec,
    /// The devices that name it, by id.
    pub members: Vec<DeviceId>,
    /// Those of them that run.
    pub running: Vec<DeviceId>,
}

/// A person has the device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ManualStatus {
    /// The setting; none while a pulse runs.
    pub setting: Option<Setting>,
    /// Until when.
    pub until: Timestamp,
    /// Who.
    pub owner: Option<Arc<Owner>>,
}

/// A rule's claim on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimStatus {
    /// The rule.
    pub rule: String,
    /// Its priority.
    pub priority: u8,
    /// Since when.
    pub at: Timestamp,
    /// What it wants.
    pub setting: Setting,
}

impl Engine {
    /// All devices, by id.
    pub fn devices(&self) -> impl Iterator<Item = DeviceStatus> + '_ {
        self.state.devices.iter().map(|(_, d)| device_status(d))
    }

    /// A device.
    #[must_use]
    pub fn device(&self, id: &str) -> Option<DeviceStatus> {
        self.state
            .devices
            .index(id)
            .and_then(|ix| self.state.devices.get(ix))
            .map(device_status)
    }

    /// What decides about a device, without a copy of anything; none of one that is not known.
    #[must_use]
    pub fn device_ref(&self, id: &str) -> Option<DeviceRef<'_>> {
        let ix = self.state.devices.index(id)?;
        self.state.devices.get(ix).map(|d| DeviceRef {
            spec: &d.spec,
            online: d.online,
            running: d.running,
            locks: &d.locks,
            safety: d.safety,
            safe: d.safe_setting(),
            last_sent: d.last_sent,
            pulse_until: d.pulse_until(),
        })
    }

    /// Whether a device is online, without a copy of anything; none of one that is not known.
    #[must_use]
    pub fn device_online(&self, id: &str) -> Option<bool> {
        let ix = self.state.devices.index(id)?;
        self.state.devices.get(ix).map(|d| d.online)
    }

    /// Where a device stands with its limits at an instant: the engine's clock, where that is later. None of one without limits
    /// that none needs.
    #[must_use]
    pub fn limits_at(&self, device: &str, at: Timestamp) -> Option<LimitsStatus> {
        let ix = self.state.devices.index(device)?;
        let at = self.state.clock.map_or(at, |clock| at.max(clock));
        let until = self.state.held_until(ix, at);
        (self.state.devices.get(ix)?).limits_status(at, &self.state.almanac, until)
    }

    /// The farm's groups of devices at an instant, as its settings have them.
    #[must_use]
    pub fn groups_at(&self, at: Timestamp) -> Vec<GroupStatus> {
        let at = self.state.clock.map_or(at, |clock| at.max(clock));
        let of = |spec: &GroupSpec| {
            let names = |d: &&Device| {
                let limits = d.spec.limits.as_deref();
                limits.is_some_and(|l| l.groups.contains(&spec.id))
            };
            let members = || { self.state.devices.iter() }.map(|(_, d)| d).filter(names);
            GroupStatus {
                spec: spec.clone(),
                members: members().map(|d| d.spec.id.clone()).collect(),
                running: { members().filter(|d| d.runs(at)) }
                    .map(|d| d.spec.id.clone())
                    .collect(),
            }
        };
        self.state.farm.settings.groups.iter().map(of).collect()
    }

    /// The devices whose reported state counts, by id: a condition of an active rule looks at it, or the device needs another or
    /// is needed.
    #[must_use]
    pub fn devices_read(&self) -> BTreeSet<&DeviceId> {
        let tied = { self.state.tied_by_needs() }.filter_map(|ix| self.state.devices.get(ix));
        let tied = tied.map(|d| &d.spec.id);
        let hours = self.state.hours.trees.devices_read();
        let beside = self.state.only_if.devices_read().chain(hours);
        self.state
            .programs
            .devices_read()
            .chain(beside)
            .chain(tied)
            .collect()
    }

    /// Whether a device's reported state counts.
    #[must_use]
    pub fn is_read(&self, device: &DeviceId) -> bool {
        let state = &self.state;
        let trees = [&state.programs, &state.only_if, &state.hours.trees];
        let ix = self.state.devices.index(device.as_str());
        { trees.iter() }.any(|all| !all.readers_of_device(device).is_empty())
            || ix.is_some_and(|ix| self.state.is_tied(ix))
    }
}

fn device_status(d: &Device) -> DeviceStatus {
    let (desired, cause) = d.desired();
    DeviceStatus {
        spec: d.document(),
        online: d.online,
        locks: d.locks.to_vec(),
        safety: d.safety,
        manual: d.manual.as_ref().map(|m| ManualStatus {
            setting: m.setting,
            until: m.until,
            owner: m.owner.clone(),
        }),
        desired,
        desired_by: match cause {
            Cause::Rule(id) => id.to_string(),
            other => other.as_str().to_owned(),
        },
        claims: d
            .claims
            .by_strength()
            .into_iter()
            .map(ClaimStatus::from)
            .collect(),
        last_sent: d.last_sent,
        safe: d.safe_setting(),
        pulse_until: d.pulse_until(),
        pulsed_by: d.pulsed_by().cloned(),
        on_since: d.on_since,
        max_on_at: d.max_on_deadline(),
    }
}
