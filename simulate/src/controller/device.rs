//! A device at its controller: what it was told, for how long, and what its relay really does.

use std::time::Duration;

use harit_engine::DeviceType;
use thiserror::Error;

use super::trace::Trace;
use super::wire::{DeviceEntry, Order, supported_actions};
use crate::model::Actuator;

/// How long an *on* without a lease lasts: no command switches a machine on for good.
pub const DEFAULT_LEASE: Duration = Duration::from_secs(180);
/// The longest lease that is taken as it is.
const MAX_LEASE_SEC: f64 = 86_400.0;
/// Seconds of a pulse.
const PULSE_SEC: (f64, f64) = (1.0, 60.0);
/// Per cent of a speed or a position.
const PERCENT: (f64, f64) = (0.0, 100.0);
/// ml/s of a flow that is on.
const FLOW_ML_S: (f64, f64) = (0.1, 10.0);

/// A device as it is built.
#[derive(Debug, Clone, PartialEq)]
pub struct DevicePart {
    /// Its id, unique within the farm.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// What it is.
    pub device_type: DeviceType,
    /// What it moves.
    pub actuator: Actuator,
    /// At how many per cent it goes on when its lease runs out; none where it goes off.
    pub lease_end: Option<f64>,
}

/// What a dosing pump gives when it is simply on, ml/s.
const FULL_FLOW_ML_S: f64 = 10.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Setting {
    Off,
    On { value: Option<f64> },
}

/// Why a device that is on does something else by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Ends {
    /// Its lease, granted by that command, runs out.
    Lease { command_id: String, at: Duration },
    /// Its pulse is over.
    Pulse { at: Duration },
}

/// Why a device does not do what it is told.
#[derive(Debug, Clone, PartialEq, Error)]
pub(super) enum Refusal {
    #[error("{device} is locked: {reason}")]
    Locked { device: String, reason: String },
    #[error("{device} cannot do {what}")]
    Unsupported { device: String, what: &'static str },
    #[error("{value} is outside {min} to {max}")]
    OutOfRange { value: f64, min: f64, max: f64 },
}

/// What is over, and switched a device by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Lease,
    Pulse,
}

#[derive(Debug, Clone)]
pub(super) struct Device {
    pub(super) part: DevicePart,
    setting: Setting,
    ends: Option<Ends>,
    /// Whether it is as it is because its lease ran out, and for no other reason.
    lease_over: bool,
    lock: Option<String>,
    safety: bool,
    stuck: bool,
    relay: f64,
    pub(super) trace: Trace,
}

impl Device {
    pub(super) fn new(part: DevicePart) -> Self {
        Self {
            part,
            setting: Setting::Off,
            ends: None,
            lease_over: false,
            lock: None,
            safety: false,
            stuck: false,
            relay: 0.0,
            trace: Trace::default(),
        }
    }

    /// What its machine does: 0 to 1, or ml/s.
    pub(super) const fn relay(&self) -> f64 {
        self.relay
    }

    /// Does as told by a command, if it can.
    pub(super) fn obey(
        &mut self,
        now: Duration,
        command_id: &str,
        order: Order,
        lease_sec: Option<f64>,
    ) -> Result<(), Refusal> {
        let (setting, ends) = match order {
            Order::Set { on, value } => {
                let setting = self.setting_of(on, value)?;
                let lease = lease_sec
                    .filter(|s| s.is_finite() && *s > 0.0)
                    .map_or(DEFAULT_LEASE, |s| {
                        Duration::from_secs_f64(s.min(MAX_LEASE_SEC))
                    });
                let ends = (setting != Setting::Off).then(|| Ends::Lease {
                    command_id: command_id.to_owned(),
                    at: now + lease,
                });
                (setting, ends)
            }
            Order::Pulse { secs } => {
                self.check_supports("pulse")?;
                in_range(secs, PULSE_SEC)?;
                let at = now + Duration::from_secs_f64(secs);
                (Setting::On { value: None }, Some(Ends::Pulse { at }))
            }
            Order::Release if matches!(self.ends, Some(Ends::Pulse { .. })) => (Setting::Off, None),
            Order::Release | Order::Renew => return Ok(()),
        };
        // Everyone may switch off, also what is locked.
        if setting != Setting::Off
            && let Some(reason) = &self.lock
        {
            return Err(Refusal::Locked {
                device: self.part.id.clone(),
                reason: reason.clone(),
            });
        }
        self.set(now, setting, ends);
        Ok(())
    }

    /// Prolongs the lease that this command granted; false where it is not the one that keeps the device on.
    pub(super) fn renew(&mut self, now: Duration, id: &str, lease_sec: Option<f64>) -> bool {
        let lease = lease_sec
            .filter(|s| s.is_finite() && *s > 0.0)
            .map_or(DEFAULT_LEASE, |s| {
                Duration::from_secs_f64(s.min(MAX_LEASE_SEC))
            });
        match &mut self.ends {
            Some(Ends::Lease { command_id, at }) if command_id == id && *at > now => {
                *at = now + lease;
                true
            }
            _ => false,
        }
    }

    fn setting_of(&self, on: bool, value: Option<f64>) -> Result<Setting, Refusal> {
        if !on || value.is_some_and(|v| v.abs() < 1e-9) {
            return Ok(Setting::Off);
        }
        let Some(value) = value else {
            self.check_supports("on")?;
            return Ok(Setting::On { value: None });
        };
        match self.part.device_type {
            DeviceType::Fan | DeviceType::Vent | DeviceType::Shade | DeviceType::Curtain => {
                in_range(value, PERCENT)?;
            }
            DeviceType::DosingPump => in_range(value, FLOW_ML_S)?,
            // The others are on or off; 100 is on.
            of if of != DeviceType::Sensor && (value - 100.0).abs() < 1e-9 => {}
            _ => {
                let what = "a value other than 0 and 100";
                return Err(Refusal::Unsupported {
                    device: self.part.id.clone(),
                    what,
                });
            }
        }
        Ok(Setting::On { value: Some(value) })
    }

    fn check_supports(&self, what: &'static str) -> Result<(), Refusal> {
        if supported_actions(self.part.device_type)
            .iter()
            .any(|a| a.action == what)
        {
            Ok(())
        } else {
            Err(Refusal::Unsupported {
                device: self.part.id.clone(),
                what,
            })
        }
    }

    fn set(&mut self, now: Duration, setting: Setting, ends: Option<Ends>) {
        self.setting = setting;
        self.ends = ends;
        self.lease_over = false;
        self.move_relay(now);
    }

    fn move_relay(&mut self, now: Duration) {
        if self.stuck {
            return;
        }
        self.relay = match (self.setting, self.part.device_type) {
            (Setting::Off, _) => 0.0,
            (Setting::On { value }, DeviceType::DosingPump) => value.unwrap_or(FULL_FLOW_ML_S),
            (Setting::On { value }, _) => value.map_or(1.0, |v| v / 100.0),
        };
        self.trace.record(now, self.relay);
    }

    /// When it does something else by itself.
    pub(super) fn deadline(&self) -> Option<Duration> {
        self.ends.as_ref().map(|e| match e {
            Ends::Lease { at, .. } | Ends::Pulse { at } => *at,
        })
    }

    /// Switches it off, or to what it does at the end of a lease, if its time is over. The trace has the instant at which it was, not
    /// the one of the look.
    pub(super) fn expire(&mut self, now: Duration) -> Option<Ended> {
        let at = self.deadline().filter(|at| *at <= now)?;
        let ended = match self.ends {
            Some(Ends::Lease { .. }) => Ended::Lease,
            _ => Ended::Pulse,
        };
        let goes_on = self.part.lease_end.filter(|_| ended == Ended::Lease);
        let setting = goes_on.map_or(Setting::Off, |value| Setting::On { value: Some(value) });
        self.set(at, setting, None);
        self.lease_over = ended == Ended::Lease;
        Some(ended)
    }

    /// Somebody switches it at its machine: it stays so, without a lease. What is locked is not switched on.
    pub(super) fn switch_by_hand(&mut self, now: Duration, on: bool) {
        if self.lock.is_none() || !on {
            let setting = if on {
                Setting::On { value: None }
            } else {
                Setting::Off
            };
            self.set(now, setting, None);
        }
    }

    /// Locks it at its panel (which switches it off) or unlocks it; says whether that changed anything.
    pub(super) fn set_lock(&mut self, now: Duration, reason: Option<&str>) -> bool {
        if self.lock.as_deref() == reason {
            return false;
        }
        self.lock = reason.map(str::to_owned);
        if self.lock.is_some() {
            self.set(now, Setting::Off, None);
        }
        true
    }

    /// Sets its safety switch; says whether that changed anything.
    pub(super) const fn set_safety(&mut self, engaged: bool) -> bool {
        let changed = self.safety != engaged;
        self.safety = engaged;
        changed
    }

    /// Lets its relay stick, or come free and do what was told last.
    pub(super) fn set_stuck(&mut self, now: Duration, stuck: bool) {
        if self.stuck != stuck {
            self.stuck = stuck;
            self.move_relay(now);
        }
    }

    /// What the controller reports of it: what it was told, which a stuck relay belies.
    pub(super) fn entry(&self) -> DeviceEntry<'_> {
        let (on, value) = match (self.setting, self.part.device_type) {
            (Setting::Off, _) => (false, Some(0.0)),
            (Setting::On { value: None }, DeviceType::Fan | DeviceType::Pump) => {
                (true, Some(100.0))
            }
            (Setting::On { value }, _) => (true, value),
        };
        DeviceEntry {
            id: &self.part.id,
            device_type: self.part.device_type,
            name: &self.part.name,
            supported_actions: supported_actions(self.part.device_type),
            on,
            value,
            lock: self.lock.as_deref(),
            safety: self.safety,
            lease_over: self.lease_over,
            lease_end: self.part.lease_end,
        }
    }
}

fn in_range(value: f64, (min, max): (f64, f64)) -> Result<(), Refusal> {
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        Err(Refusal::OutOfRange { value, min, max })
    }
}
