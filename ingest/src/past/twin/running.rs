//! What a device does, as far as what was sent tells: the same for what was and for what would have been.

use harit_engine::{
    DeviceId, DeviceStatus, Duration, Event, EventKind, Quantity, SentOrder, Setting, Timestamp,
};

/// The most that a dosing pump gives, in ml/s: of it the rate of one is a fraction.
const FULL_FLOW: f64 = 10.0;

/// A device: how far it is on, from 0 to 1, and until when a pulse lasts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Running {
    level: f64,
    pulse: Option<Timestamp>,
}

/// How far on a setting is, from 0 to 1.
fn level(setting: Setting) -> f64 {
    let part = |value: Quantity, of: f64| (value.to_f64() / of).clamp(0.0, 1.0);
    match setting {
        Setting::On { value } => value.map_or(1.0, |v| part(v, 100.0)),
        Setting::Off => 0.0,
        Setting::Speed(v) | Setting::Position(v) => part(v, 100.0),
        Setting::FlowRate(v) => part(v, FULL_FLOW),
    }
}

impl Running {
    pub(super) fn of(device: &DeviceStatus) -> Self {
        let on = device.last_sent.filter(|_| device.on_since.is_some());
        Self {
            level: on.map_or(0.0, level),
            pulse: device.pulse_until,
        }
    }

    /// The device that an event switches.
    pub(super) fn device(event: &Event) -> Option<&DeviceId> {
        match &event.kind {
            EventKind::DeviceLocked { device, .. } => Some(device),
            EventKind::Command(command) => Some(command.device()),
            _ => None,
        }
    }

    /// What the device does after an event; none where that changes nothing.
    pub(super) fn after(self, event: &Event) -> Option<Self> {
        let EventKind::Command(command) = &event.kind else {
            return Some(Self::default());
        };
        match command.order() {
            SentOrder::Set(setting) => Some(Self {
                level: level(setting),
                pulse: None,
            }),
            SentOrder::Pulse { secs } if self.level <= 0.0 => Some(Self {
                level: 0.0,
                pulse: Some(event.at + Duration::from_secs(secs.into())),
            }),
            SentOrder::Pulse { .. } | SentOrder::Release => None,
        }
    }

    /// How far on it is on average between two instants.
    pub(super) fn over(self, from: Timestamp, to: Timestamp) -> f64 {
        let (all, pulsed) = (
            (to - from).as_millis(),
            self.pulse.map(|until| until - from),
        );
        match pulsed {
            Some(left) if self.level <= 0.0 && all > 0 => {
                millis(left.as_millis().clamp(0, all)) / millis(all)
            }
            _ => self.level,
        }
    }
}

/// Milliseconds as a number to reckon with.
#[allow(clippy::cast_precision_loss, reason = "some days at most")]
pub(super) const fn millis(ms: i64) -> f64 {
    ms as f64
}
