//! What the engine knows of each thing now: for people, never for a decision.

mod device;

use serde::Serialize;

pub use device::{ClaimStatus, DeviceRef, DeviceStatus, GroupStatus, LimitsStatus, ManualStatus};

use crate::alert::Alert;
use crate::document::{AlertSpec, RuleSpec, ScopeSpec, SensorSpec};
use crate::engine::Engine;
use crate::hold::{Hold, HoldRequirement};
use crate::id::{PolyhouseId, SensorId};
use crate::quantity::Quantity;
use crate::rule::{End, Phase, SIGNAL_LOSS_GRACE};
use crate::sensor::{BEFORE_ALL, Sensor};
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

    /// A rule's name; none of one that is not known.
    #[must_use]
    pub fn rule_name(&self, id: &str) -> Option<String> {
        Some(self.rule(id)?.spec.name)
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
