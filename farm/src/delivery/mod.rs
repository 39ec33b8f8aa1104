//! From a decided command to one that the device has done: publish, await the ack, resend, renew leases, confirm.
//!
//! Each device has at most one command that counts, the latest; it is published again under the same id until it is acked,
//! fails, is superseded or is given up. What a device is meant to be (and therefore whether its lease is renewed) the engine
//! knows; here is only what was said and answered. Publishing is an effect: a command counts as sent, until
//! [`Delivery::unsent`] says that it was not.
//!
//! A command that was given up because the controller could not be reached is not forgotten: when the controller is there
//! again and the engine still counts on that setting, it goes out once more *under the same id*, so that a controller that
//! did get it ignores it.
//!
//! A release is replaced by no command that follows from it: what the rules or the rest setting want now goes out after it,
//! and the release is done when the device reports that. It is not resent then, because it would come after what followed.

mod in_flight;

use std::collections::{BTreeMap, BTreeSet};

use harit_engine::{Command, DeviceId, Duration, FarmId, SentOrder, Setting, Timestamp, planted};
use harit_protocol::command::CommandMessage;
use harit_protocol::{AckStatus, CommandAck, Mac};

use crate::command::{CommandLife, CommandState};
use crate::observer::{AckOutcome, Effect, Observer};
use crate::status::Reported;
use in_flight::InFlight;
pub(crate) use in_flight::Order;

/// How long after the first attempt a command is published again.
const RESEND_AFTER: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(9),
];
/// How often a lease is renewed.
pub const RENEW_EVERY: Duration = Duration::from_secs(60);

/// The latest commands of a farm's devices.
#[derive(Debug, Clone, Default)]
pub struct Delivery {
    in_flight: BTreeMap<DeviceId, InFlight>,
    timers: BTreeSet<(Timestamp, DeviceId)>,
    /// The devices whose command may have to go out again when their controller is there.
    unreached: BTreeSet<DeviceId>,
    /// The number of the farm's latest command.
    latest: u64,
}

/// What a snapshot has of the delivery.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Stored {
    latest: u64,
    in_flight: BTreeMap<DeviceId, InFlight>,
}

impl Delivery {
    pub(crate) fn store(&self) -> Stored {
        Stored {
            latest: self.latest,
            in_flight: self.in_flight.clone(),
        }
    }

    pub(crate) fn restore(stored: Stored) -> Self {
        let mut all = Self {
            in_flight: stored.in_flight,
            latest: stored.latest,
            ..Self::default()
        };
        let devices: Vec<DeviceId> = all.in_flight.keys().cloned().collect();
        devices.iter().for_each(|device| all.rearm(device));
        all
    }

    /// When [`Self::due`] has something to do.
    pub(crate) fn next_deadline(&self) -> Option<Timestamp> {
        self.timers.first().map(|(at, _)| *at)
    }

    /// A command by its id, if it is the latest of its device, or the release from which that follows.
    #[must_use]
    pub fn find(&self, command_id: &str) -> Option<&CommandLife> {
        let all = self.in_flight.values();
        all.flat_map(InFlight::lives)
            .find(|l| l.command_id == command_id)
    }

    /// The latest command of each device, by device.
    pub fn latest(&self) -> impl Iterator<Item = &CommandLife> {
        self.in_flight.values().map(|s| &s.life)
    }

    /// Whether a command waits for a way out.
    #[must_use]
    pub fn has_queued(&self) -> bool {
        let state = |d: &DeviceId| self.in_flight.get(d).map(|s| s.life.state);
        let mut all = self.unreached.iter();
        all.any(|d| state(d) == Some(CommandState::Queued))
    }

    /// The latest command of a device whose controller has not answered it: its number and what was sent.
    #[must_use]
    pub fn unanswered(&self, device: &DeviceId) -> Option<(u64, &CommandMessage)> {
        let latest = self.in_flight.get(device)?;
        let state = latest.life.state;
        let waits = state.is_open() || state == CommandState::TimedOut;
        waits.then_some((latest.number(), &latest.message))
    }

    /// The leases that hold: each device with its controller and the command to be renewed.
    pub fn leases(&self) -> impl Iterator<Item = (&DeviceId, Mac, &CommandMessage)> {
        self.in_flight
            .iter()
            .filter(|(_, s)| s.next_renewal.is_some())
            .filter_map(|(device, s)| Some((device, s.mac?, &s.message)))
    }

    /// The engine decided a command: it goes out at once.
    pub(crate) fn decided(&mut self, now: Timestamp, new: New<'_>, observer: &mut impl Observer) {
        let command = new.command;
        let device = command.device().clone();
        self.latest = self.latest.max(command.id().n);
        self.disarm(&device);
        let release = self
            .in_flight
            .remove(&device)
            .and_then(|old| old.replaced(now, command.cause(), observer));
        let mut next = InFlight::new(now, new, release);
        observer.effect(Effect::Command(&next.life));
        if next.mac.is_some() {
            next.attempt(now, observer);
            next.schedule(now);
        } else {
            let message = "the device has no controller".to_owned();
            next.turn(now, CommandState::Failed, Some(message), observer);
        }
        self.in_flight.insert(device.clone(), next);
        self.rearm(&device);
    }

    /// The controller to which the latest command of a device goes.
    pub(crate) fn sent_to(&self, device: &DeviceId) -> Option<Mac> {
        self.in_flight.get(device)?.mac
    }

    /// A device is there no more, or reached otherwise: its command is over.
    pub(crate) fn forget(
        &mut self,
        now: Timestamp,
        device: &DeviceId,
        observer: &mut impl Observer,
    ) {
        self.disarm(device);
        self.unreached.remove(device);
        if let Some(old) = self.in_flight.remove(device) {
            old.end(now, observer);
        }
    }

    /// Does what is due by now. `is_on` asks whether the engine means a device to be on.
    pub(crate) fn due(
        &mut self,
        now: Timestamp,
        is_on: impl Fn(&DeviceId) -> bool,
        observer: &mut impl Observer,
    ) {
        while let Some((at, _)) = self.timers.first()
            && *at <= now
        {
            let Some((_, device)) = self.timers.pop_first() else {
                return;
            };
            if let Some(slot) = self.in_flight.get_mut(&device) {
                slot.armed = None;
                slot.due(now, || is_on(&device), observer);
            }
            self.rearm(&device);
        }
    }

    /// A controller answered.
    pub(crate) fn ack(
        &mut self,
        now: Timestamp,
        mac: Mac,
        ack: &CommandAck,
        reported: impl Fn(&DeviceId) -> Option<Reported>,
        observer: &mut impl Observer,
    ) -> AckOutcome {
        if ack.command == 0 || ack.command > self.latest {
            return AckOutcome::Foreign;
        }
        let found = self.in_flight.iter_mut().find_map(|(device, slot)| {
            let slot = slot.of_number(ack.command)?;
            Some((device, slot))
        });
        let Some((device, slot)) = found else {
            return AckOutcome::Late;
        };
        if slot.mac != Some(mac) && !planted!(ForeignAckTaken) {
            return AckOutcome::Foreign;
        }
        // An ack after giving up still says that the controller has it.
        if !matches!(
            slot.life.state,
            CommandState::Queued | CommandState::Sent | CommandState::TimedOut
        ) {
            return AckOutcome::Late;
        }
        slot.next_attempt = None;
        let message = ack.message.clone();
        match ack.status {
            AckStatus::Failure => {
                slot.next_renewal = None;
                slot.turn(now, CommandState::Failed, message, observer);
            }
            AckStatus::Ack => {
                slot.turn(now, CommandState::Acked, message, observer);
                if reported(device).is_some_and(|r| slot.order.matches(r))
                    || planted!(ConfirmedWithoutReport)
                {
                    slot.confirm(now, observer);
                }
            }
        }
        let device = device.clone();
        self.rearm(&device);
        AckOutcome::Taken
    }

    /// A controller reported what a device does.
    pub(crate) fn reported(
        &mut self,
        now: Timestamp,
        device: &DeviceId,
        report: Reported,
        observer: &mut impl Observer,
    ) {
        if let Some(slot) = self.in_flight.get_mut(device) {
            slot.reported(now, report, observer);
            self.rearm(device);
        }
    }

    /// A controller is there (again): what waits for it goes out now. `counts_on` tells the setting that the engine counts
    /// on, for devices that are online.
    pub(crate) fn controller_seen(
        &mut self,
        now: Timestamp,
        mac: Mac,
        counts_on: impl Fn(&DeviceId) -> Option<Setting>,
        observer: &mut impl Observer,
    ) {
        let mut again = Vec::new();
        let in_flight = &self.in_flight;
        self.unreached
            .retain(|d| in_flight.get(d).is_some_and(InFlight::is_unreached));
        for device in &self.unreached {
            let Some(slot) = self.in_flight.get_mut(device) else {
                continue;
            };
            if slot.mac != Some(mac) {
                continue;
            }
            if slot.life.state == CommandState::Queued && now < slot.message.expires_at() {
                slot.first_attempt(now, observer);
            } else if let Some(setting) = counts_on(device)
                && slot.order == Order::of(SentOrder::Set(setting))
            {
                // Given up, or about to be: a setting that still counts begins anew.
                slot.begin_anew(now, observer);
            } else {
                continue;
            }
            again.push(device.clone());
        }
        for device in again {
            self.rearm(&device);
        }
    }

    /// Messages can be published again: what was never published goes out now.
    pub(crate) fn way_out(&mut self, now: Timestamp, observer: &mut impl Observer) {
        for slot in self.in_flight.values_mut() {
            if slot.life.state == CommandState::Queued && now < slot.message.expires_at() {
                slot.first_attempt(now, observer);
            }
        }
    }

    /// The latest attempt to publish a command failed.
    pub(crate) fn unsent(&mut self, now: Timestamp, command: u64, observer: &mut impl Observer) {
        let found = self.in_flight.iter_mut().find_map(|(device, slot)| {
            let slot = slot.of_number(command)?;
            Some((device.clone(), slot))
        });
        if let Some((device, slot)) = found {
            slot.unsent(now, observer);
            self.rearm(&device);
        }
    }

    fn disarm(&mut self, device: &DeviceId) {
        if let Some(at) = self.in_flight.get_mut(device).and_then(|s| s.armed.take()) {
            self.timers.remove(&(at, device.clone()));
        }
    }

    fn rearm(&mut self, device: &DeviceId) {
        self.disarm(device);
        let Some(slot) = self.in_flight.get_mut(device) else {
            return;
        };
        if slot.is_unreached() {
            self.unreached.insert(device.clone());
        }
        if let Some(at) = slot.timer() {
            slot.armed = Some(at);
            self.timers.insert((at, device.clone()));
        }
    }
}

/// A command that the engine just made.
pub(crate) struct New<'a> {
    pub(crate) farm: &'a FarmId,
    /// When it was decided.
    pub(crate) at: Timestamp,
    pub(crate) command: &'a Command,
    /// The name of its cause, if that is a rule.
    pub(crate) rule_name: Option<String>,
    /// The device's controller, and that one's own id of it.
    pub(crate) target: Option<(Mac, Box<str>)>,
}
