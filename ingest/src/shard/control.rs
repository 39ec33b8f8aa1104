//! Commands on their way out: as the protocol has them, or as a device's profile says. Here is where nothing goes on without a lease
//! that was proven, whoever decided it.

use harit_engine::{FarmId, InputKind, RegistryChange};
use harit_farm::{CommandAck, STALE_AFTER};
use harit_profiles::{AnswerKind, Controlled, Order, Outgoing};
use harit_protocol::ack::AckStatus;
use harit_protocol::command::{CommandMessage, Ordered};
use harit_protocol::topic::command_topic;
use harit_protocol::{Mac, Report};

use super::{Shard, Shared};
use crate::admit::AdmitError;
use crate::mqtt::Principal;
use crate::sleeping::WHEN_IT_WAKES;

/// What became of a command that was to go out.
pub(super) enum Went {
    /// It was published: its controller answers.
    Out,
    /// It could not be published now.
    Nowhere,
    /// It has its answer already.
    Answered(AckStatus, Option<&'static str>),
}

/// No template is for it, or its names have no place in there.
const UNSUPPORTED: &str = "unsupported";

impl Shared {
    /// Publishes a command.
    pub(super) fn command(&self, farm: &FarmId, mac: Mac, message: &CommandMessage) -> Went {
        let profiles = self.profiles(farm);
        let own = message.device();
        let Some(device) = profiles.controlled(own) else {
            let payload = message.to_payload();
            let topic = command_topic(farm, mac);
            let sent = payload.is_ok_and(|payload| self.publish(&topic, payload.into()));
            return if sent { Went::Out } else { Went::Nowhere };
        };
        let order = match message.ordered() {
            Ordered::Off => Order::Off,
            Ordered::On(value) => Order::On(value),
            Ordered::Pulse(secs) => Order::Pulse(secs),
            // What then holds follows as a command of its own.
            Ordered::Release => return Went::Answered(AckStatus::Ack, None),
        };
        if order.is_on()
            && let Some(reason) = self.leases.lock(farm, mac, own, &device)
        {
            metrics::counter!("harit_unleased_commands_total").increment(1);
            return Went::Answered(AckStatus::Failure, Some(reason));
        }
        let asleep = device
            .wakes_every()
            .map(|every| (every, self.source.wall()));
        if let Some((every, now)) = asleep
            && self.sleeping.waits((farm, mac, own), order, now, every)
        {
            return Went::Answered(AckStatus::Ack, Some(WHEN_IT_WAKES));
        }
        let Some(all) = device.order(order, &message.command_id, None) else {
            return Went::Answered(AckStatus::Failure, Some(UNSUPPORTED));
        };
        if !self.send_all(farm, mac, all) {
            return Went::Nowhere;
        }
        if let Some((_, now)) = asleep {
            self.sleeping.sent((farm, mac, own), order, now);
            return Went::Answered(AckStatus::Ack, Some(WHEN_IT_WAKES));
        }
        match device.answer() {
            AnswerKind::State => Went::Out,
            AnswerKind::Publish => Went::Answered(AckStatus::Ack, None),
        }
    }

    /// Renews the lease of what is on.
    pub(super) fn renew(&self, farm: &FarmId, mac: Mac, message: &CommandMessage, lease_sec: i64) {
        let profiles = self.profiles(farm);
        let own = message.device();
        match profiles.controlled(own) {
            None => {
                if let Ok(payload) = message.renewal(lease_sec) {
                    self.publish(&command_topic(farm, mac), payload.into());
                }
            }
            // Its lease was told with the order, and it would hear of this when it wakes.
            Some(device) if device.wakes_every().is_some() => return,
            Some(device) => {
                let Ordered::On(value) = message.ordered() else {
                    return;
                };
                let is_leased = self.leases.lock(farm, mac, own, &device).is_none();
                if let Some(outgoing) = device.renewal(value, &message.command_id)
                    && is_leased
                {
                    self.send_all(farm, mac, vec![outgoing]);
                }
            }
        }
        metrics::counter!("harit_lease_renewals_total").increment(1);
    }

    /// Has a device set its lease.
    pub(super) fn configure(&self, farm: &FarmId, mac: Mac, device: &Controlled<'_>) {
        self.send_all(farm, mac, device.configuration());
    }

    fn send_all(&self, farm: &FarmId, mac: Mac, all: Vec<Outgoing>) -> bool {
        let to = Principal::Controller {
            farm: farm.clone(),
            mac,
        };
        all.into_iter()
            .all(|(topic, payload)| self.publish_to(&to, &topic, payload.into()))
    }
}

/// How long a value counts that comes every so many seconds: two may be lost, and the third late.
pub(super) fn stale_after(every_sec: u32) -> harit_engine::Duration {
    harit_engine::Duration::from_secs(i64::from(every_sec) * 5 / 2)
}

/// What a device is doing is what it was ordered.
pub(super) fn does(ordered: Ordered, on: bool) -> bool {
    match ordered {
        Ordered::Off => !on,
        Ordered::On(_) | Ordered::Pulse(_) => on,
        Ordered::Release => false,
    }
}

impl Shard {
    /// Switches a device on for the trial of its lease, beside the engine, or off again. Nobody renews that.
    pub(crate) fn try_lease(
        &mut self,
        farm: &FarmId,
        mac: Mac,
        own: &str,
        seconds: Option<i64>,
    ) -> Result<(), AdmitError> {
        const NOT_SENT: AdmitError = AdmitError::Unavailable("the controller cannot be reached");
        let profiles = self.shared.profiles(farm);
        let device: Option<Controlled<'_>> = profiles.controlled(own);
        let device = device.ok_or(AdmitError::Unavailable("no profile has the device"))?;
        self.tell_time();
        let id = format!("{farm}-lease-{}", self.now.at.as_millis());
        let order = seconds.map_or(Order::Off, |_| Order::On(None));
        if let Some(seconds) = seconds {
            self.shared.leases.begin(farm, mac, own, seconds);
        }
        let all = device.order(order, &id, seconds).ok_or(NOT_SENT)?;
        if self.shared.send_all(farm, mac, all) {
            Ok(())
        } else {
            Err(NOT_SENT)
        }
    }

    /// What is known of a farm's leases or profiles changed: its controllers' devices are locked or let go accordingly.
    pub(crate) fn leases_changed(&mut self, farm: &FarmId) {
        if let Some(farm) = self.by_id.get(farm)
            && !self.relock.contains(farm)
        {
            self.relock.push(*farm);
        }
    }

    /// Journals what those changes are for devices that can be reached. The others are told of when they come.
    pub(super) fn decode_relocked(&mut self) {
        for farm in std::mem::take(&mut self.relock) {
            if self.farms[farm as usize].fold.failed().is_some() {
                continue;
            }
            let controllers = self.farms[farm as usize].fold.controllers();
            let online = controllers.macs().filter(|mac| controllers.is_online(*mac));
            for mac in online.collect::<Vec<_>>() {
                let sender = self.senders.of(farm, mac);
                let before = self.mirror(farm, sender).clone();
                let devices = self.with_locks(farm, sender);
                if self.senders[sender].devices.as_ref() == Some(&before) {
                    continue;
                }
                let report = Report {
                    online: true,
                    devices,
                    ..Report::OFFLINE
                };
                self.report_of(farm, sender, report, usize::MAX, std::time::Instant::now());
            }
        }
    }

    /// Journals how long values count of sensors that are new, where their profile knows how often they come.
    pub(super) fn decode_paces(&mut self) {
        for (farm, sender, all, every) in std::mem::take(&mut self.paces) {
            let fold = &self.farms[farm as usize].fold;
            if fold.failed().is_some() {
                continue;
            }
            let mac = self.senders[sender].mac;
            let change = |own: &String| {
                let id = fold.controllers().sensor_of(mac, own)?;
                let mut spec = fold.engine().sensor(id.as_str())?.spec;
                let is_new = spec.stale_after == STALE_AFTER;
                spec.stale_after = stale_after(every);
                is_new.then_some(RegistryChange::PutSensor(spec))
            };
            let changes: Vec<_> = all.iter().filter_map(change).collect();
            if !changes.is_empty() {
                let now = std::time::Instant::now();
                self.input(farm, InputKind::Registry(changes), None, None, now);
            }
        }
    }

    /// Journals the answers that commands have which went to nobody who answers.
    pub(super) fn decode_answers(&mut self) {
        for (farm, mac, ack) in std::mem::take(&mut self.answers) {
            let sender = self.senders.of(farm, mac);
            self.ack_of(farm, sender, ack);
        }
    }

    /// The answer to the command of a device that waits for it, if what it does now is what was ordered.
    pub(super) fn answer(
        &self,
        farm: u32,
        mac: Mac,
        own: &str,
        on: bool,
        within: u32,
    ) -> Option<CommandAck> {
        let fold = &self.farms[farm as usize].fold;
        let device = fold.controllers().device_of(mac, own)?;
        let (command, message) = fold.delivery().unanswered(device)?;
        let until = message.timestamp() + harit_engine::Duration::from_secs(within.into());
        (does(message.ordered(), on) && self.now.at <= until).then_some(CommandAck {
            command,
            status: AckStatus::Ack,
            message: None,
        })
    }
}
