//! What the engine knows of each thing now: for people, never for a decision.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::alert::Alert;
use crate::device::{Cause, Device};
use crate::document::{AlertSpec, DeviceSpec, GroupSpec, RuleSpec, ScopeSpec, SensorSpec};
use crate::engine::Engine;
use crate::event::LimitReason;
use crate::hold::{Hold, HoldRequirement};
use crate::id::{DeviceId, PolyhouseId, SensorId};
use crate::lock::{DeviceLock, Locks, Owner};
use crate::quantity::Quantity;
use crate::rule::{End, Phase, SIGNAL_LOSS_GRACE};
use crate::sensor::{BEFORE_ALL, Sensor};
use crate::setting::Setting;
use crate::time::{Duration, Timestamp};
use crate::truth::Truth;

/// A sensor and what it said last.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SensorStatus {
    /// Its document.
    pub spec: SensorSpec,
    /// Its value, while that is fresh.
    pub value: Option<Quantity>,
    /// The timestamp of its latest good reading.
    pub read_at: Option<Timestamp>,
    /// When the value expires.
    pub expires_at: Option<Timestamp>,
}

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

/// A rule and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleStatus {
    /// Its document.
    pub spec: RuleSpec,
    /// Its phase.
    pub phase: RulePhase,
    /// When its run is over, while it runs and has an end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_until: Option<Timestamp>,
    /// When it starts next by its schedule, as far as the almanac tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_start: Option<Timestamp>,
}

/// The phases of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "phase")]
pub enum RulePhase {
    /// Not active, or no hold on its trigger.
    Idle,
    /// Its trigger holds.
    Pending {
        /// The hold.
        #[serde(flatten)]
        hold: HoldStatus,
    },
    /// It fired.
    Running {
        /// When.
        since: Timestamp,
        /// The hold on its end condition, if that is true.
        ending: Option<HoldStatus>,
        /// When its patience with an unknown end condition ends.
        patience_ends_at: Option<Timestamp>,
    },
}

/// A hold and what it still needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct HoldStatus {
    /// Since when the condition is true.
    pub hold_since: Timestamp,
    /// How long it must be, in milliseconds.
    pub length: Duration,
    /// Samples so far.
    pub samples: u8,
    /// Samples needed.
    pub samples_needed: u8,
}

/// A sensor that an alert waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AwaitedSensor {
    /// Its id.
    pub id: SensorId,
    /// Its name; a label.
    pub name: Option<String>,
}

/// An alert and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AlertStatus {
    /// Its document, with the last notification.
    pub spec: AlertSpec,
    /// Whether it is raised.
    pub active: bool,
    /// Since when it is raised; `None` too where a snapshot of an earlier build did not say.
    pub raised_since: Option<Timestamp>,
    /// Since when it is not known any more whether its condition holds, while it is raised.
    pub unknown_since: Option<Timestamp>,
    /// The sensors that must be fresh again before it can be resolved: those on whose values it is raised and that are silent.
    pub waits_for: Vec<AwaitedSensor>,
    /// Whether its joined condition is true; `None` while its data is missing, or it is not watched.
    pub condition: Option<bool>,
    /// The hold that will raise it, or resolve it while it is raised.
    pub hold: Option<HoldStatus>,
    /// When subscribers are told again.
    pub next_notification: Option<Timestamp>,
}

impl Engine {
    /// A scope with the names that its place has now; none where there is no such place.
    #[must_use]
    pub fn labelled(&self, scope: &ScopeSpec) -> Option<ScopeSpec> {
        let (name, path) = self.state.places.label(&self.state.farm, scope)?;
        Some(ScopeSpec {
            name: Some(name),
            path: Some(path),
            ..scope.clone()
        })
    }

    /// The polyhouse in which a scope lies; none where it is the farm's, or no place.
    #[must_use]
    pub fn house_of(&self, scope: &ScopeSpec) -> Option<&PolyhouseId> {
        let place = self.state.places.resolve(&self.state.farm, scope).ok()?;
        self.state.places.house_id(place)
    }

    /// All sensors, by id.
    pub fn sensors(&self) -> impl Iterator<Item = SensorStatus> + '_ {
        self.state
            .sensors
            .iter()
            .map(|(ix, s)| self.sensor_status(ix, s))
    }

    /// A sensor.
    #[must_use]
    pub fn sensor(&self, id: &str) -> Option<SensorStatus> {
        let ix = self.state.sensors.index(id)?;
        Some(self.sensor_status(ix, self.state.sensors.get(ix)?))
    }

    pub(crate) fn sensor_status(&self, ix: u32, sensor: &Sensor) -> SensorStatus {
        let r = &self.state.readings[ix as usize];
        SensorStatus {
            spec: SensorSpec::unpack(&sensor.document, &self.state.words),
            value: r.fresh.then_some(Quantity::from_micro(r.value)),
            read_at: (r.read_at != BEFORE_ALL).then_some(r.read_at),
            expires_at: r.expiry(),
        }
    }

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

    /// A rule's name; none of one that is not known.
    #[must_use]
    pub fn rule_name(&self, id: &str) -> Option<String> {
        Some(self.rule(id)?.spec.name)
    }

    /// Whether a device is online, without a copy of anything; none of one that is not known.
    #[must_use]
    pub fn device_online(&self, id: &str) -> Option<bool> {
        let ix = self.state.devices.index(id)?;
        self.state.devices.get(ix).map(|d| d.online)
    }

    /// All rules, by id.
    pub fn rules(&self) -> impl Iterator<Item = RuleStatus> + '_ {
        self.state
            .rules
            .iter()
            .filter_map(|(ix, _)| self.rule_status(ix))
    }

    /// A rule.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<RuleStatus> {
        self.rule_status(self.state.rules.index(id)?)
    }

    fn rule_status(&self, ix: u32) -> Option<RuleStatus> {
        let rule = self.state.rules.get(ix)?;
        let min_samples = self.state.min_samples();
        let seen = self.state.seen();
        let hold = rule
            .hold(seen)
            .map(|h| hold_status(h, rule.requirement(min_samples, seen)));
        let phase = match (rule.phase, hold) {
            (Phase::Idle, _) | (Phase::Pending(_), None) => RulePhase::Idle,
            (Phase::Pending(_), Some(hold)) => RulePhase::Pending { hold },
            (Phase::Running { since, end }, ending) => RulePhase::Running {
                since,
                ending,
                patience_ends_at: if let End::Lost { since } = end {
                    Some(since + SIGNAL_LOSS_GRACE)
                } else {
                    None
                },
            },
        };
        let program = self.state.programs.get(ix);
        Some(RuleStatus {
            spec: self.state.rule_spec(ix)?,
            phase,
            run_until: program.and_then(|p| p.run_until(rule.phase)),
            next_start: program.and_then(|p| p.schedule()?.next()),
        })
    }

    /// All alerts, by id.
    pub fn alerts(&self) -> impl Iterator<Item = AlertStatus> + '_ {
        self.state
            .alerts
            .iter()
            .map(|(ix, a)| self.alert_status(ix, a))
    }

    fn alert_status(&self, ix: u32, alert: &Alert) -> AlertStatus {
        let free = self.state.clears_without_samples(ix);
        let requirement = alert.requirement(self.state.min_samples(), free);
        let condition = if alert.spec.is_active {
            match self.state.alert_truth(ix) {
                Truth::True => Some(true),
                Truth::False => Some(false),
                Truth::Unknown => None,
            }
        } else {
            None
        };
        AlertStatus {
            spec: alert.document(),
            active: alert.active,
            raised_since: alert.raised_since,
            unknown_since: alert.unknown_since,
            waits_for: self.awaited(ix),
            condition,
            hold: alert.hold.map(|h| hold_status(h, requirement)),
            next_notification: alert.next_notification,
        }
    }

    /// The silent sensors that an alert waits for, by id.
    fn awaited(&self, alert: u32) -> Vec<AwaitedSensor> {
        let silent = self.state.silent(alert);
        let sensors = silent.filter_map(|ix| self.state.sensors.get(ix));
        let specs = sensors.map(|s| SensorSpec::unpack(&s.document, &self.state.words));
        let mut all: Vec<AwaitedSensor> = specs
            .map(|s| AwaitedSensor {
                id: s.id,
                name: s.name,
            })
            .collect();
        all.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        all
    }

    /// An alert.
    #[must_use]
    pub fn alert(&self, id: &str) -> Option<AlertStatus> {
        let ix = self.state.alerts.index(id)?;
        Some(self.alert_status(ix, self.state.alerts.get(ix)?))
    }
}

const fn hold_status(hold: Hold, requirement: HoldRequirement) -> HoldStatus {
    HoldStatus {
        hold_since: hold.since,
        length: requirement.length,
        samples: hold.samples,
        samples_needed: requirement.samples,
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
        on_since: d.on_since,
        max_on_at: d.max_on_deadline(),
    }
}
