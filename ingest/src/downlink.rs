//! From a decided command to one that the device has done: publish, await the ack, resend, renew leases, confirm.
//!
//! A state machine without I/O: time and the way to publish are arguments. Each device has at most one command that counts,
//! the latest; it is resent with the same id until it is acked, fails, is superseded or is given up. What a device is meant
//! to be (and therefore whether its lease is renewed) the engine knows; here is only what was said and answered.
//!
//! A command that was given up because the controller could not be reached is not forgotten: when the controller is there
//! again and the engine still counts on that setting, it goes out once more *under the same id*, so that a controller that
//! did get it ignores it.
//!
//! A release is replaced by no command that follows from it: what the rules or the rest setting want now goes out after it,
//! and the release is done when the device reports that. It is not resent then, because it would come after what followed.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use harit_engine::{
    Cause, Command, DeviceId, Duration, FarmId, Owner, SentOrder, Setting, Timestamp,
};
use harit_protocol::command::{CommandMessage, EXPIRES_AFTER, LEASE_SEC};
use harit_protocol::topic::command_topic;
use harit_protocol::{Ack, AckStatus, Mac};

use crate::command::{CommandLife, CommandState};
use crate::controller::Reported;
use crate::mqtt::DownlinkError;

/// How long after the first attempt a command is sent again.
const RESEND_AFTER: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(9),
];
/// How often a lease is renewed.
pub const RENEW_EVERY: Duration = Duration::from_secs(60);

/// The way out: topic and payload.
pub(crate) type Publish<'a> = dyn FnMut(&str, Bytes) -> Result<(), DownlinkError> + 'a;

/// Where a device is reached.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) mac: Mac,
    /// The controller's own id of the device.
    pub(crate) local: Box<str>,
}

/// What became of an ack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AckOutcome {
    /// It was awaited.
    Taken,
    /// Its command is over already or was sent beside the engine, or it is a repetition.
    Late,
    /// The farm never sent that controller such a command.
    Foreign,
}

/// The latest command of a device.
#[derive(Debug)]
struct Slot {
    life: CommandLife,
    number: u64,
    order: SentOrder,
    target: Option<Target>,
    topic: Box<str>,
    body: CommandMessage,
    /// When this round of attempts began.
    began: Timestamp,
    /// How many resends of this round are over.
    resends: usize,
    next_attempt: Option<Timestamp>,
    next_renewal: Option<Timestamp>,
    /// Under which instant the device stands among the timers.
    armed: Option<Timestamp>,
    /// The release that this command follows from, until it is done.
    release: Option<Box<Slot>>,
}

/// The commands of one farm.
#[derive(Debug)]
pub(crate) struct Lives {
    farm: FarmId,
    slots: BTreeMap<DeviceId, Slot>,
    timers: BTreeSet<(Timestamp, DeviceId)>,
    reported: BTreeMap<DeviceId, Reported>,
    /// The devices whose command may have to go out again when their controller is there.
    unreached: BTreeSet<DeviceId>,
    /// The devices that `off` was sent to beside the engine, and by which controller they were reached.
    beside: BTreeMap<DeviceId, Mac>,
    latest: u64,
}

impl Lives {
    pub(crate) fn new(farm: FarmId) -> Self {
        Self {
            farm,
            slots: BTreeMap::new(),
            timers: BTreeSet::new(),
            reported: BTreeMap::new(),
            unreached: BTreeSet::new(),
            beside: BTreeMap::new(),
            latest: 0,
        }
    }

    /// When [`Self::due`] has something to do.
    pub(crate) fn next_deadline(&self) -> Option<Timestamp> {
        self.timers.first().map(|(at, _)| *at)
    }

    /// How many commands are remembered.
    #[cfg(feature = "simulation")]
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The latest command of a device, or one by its id, as far as it is remembered here.
    pub(crate) fn find(&self, command_id: &str) -> Option<&CommandLife> {
        self.slots
            .values()
            .flat_map(|s| s.release.as_deref().into_iter().chain([s]))
            .map(|s| &s.life)
            .find(|l| l.command_id == command_id)
    }

    /// The latest command of each device, as far as it is remembered here.
    pub(crate) fn latest(&self) -> impl Iterator<Item = &CommandLife> {
        self.slots.values().map(|s| &s.life)
    }

    /// The engine decided a command: it goes out at once. `rule_name` is that of its cause, if that is a rule.
    #[allow(
        clippy::too_many_arguments,
        reason = "all that a command consists of; it happens in one place"
    )]
    pub(crate) fn decided(
        &mut self,
        now: Timestamp,
        at: Timestamp,
        command: &Command,
        rule_name: Option<String>,
        target: Option<Target>,
        publish: &mut Publish<'_>,
        changed: &mut Vec<CommandLife>,
    ) {
        let device = command.device().clone();
        let life = CommandLife::new(self.farm.clone(), at, command);
        self.latest = self.latest.max(command.id().n);
        self.disarm(&device);
        let release = self
            .slots
            .remove(&device)
            .and_then(|old| old.replaced(now, command.cause(), changed));
        let local: Box<str> = target
            .as_ref()
            .map_or_else(|| device.as_str().into(), |t| t.local.clone());
        let topic = target
            .as_ref()
            .map(|t| command_topic(&self.farm, t.mac))
            .unwrap_or_default();
        let mut slot = Slot {
            body: CommandMessage::new(now, command, rule_name, local),
            number: command.id().n,
            order: command.order(),
            topic: topic.into(),
            began: now,
            resends: 0,
            next_attempt: None,
            next_renewal: None,
            armed: None,
            release,
            target,
            life,
        };
        changed.push(slot.life.clone());
        if slot.target.is_some() {
            slot.attempt(now, publish, changed);
            slot.schedule(now);
        } else {
            let message = "the device has no controller".to_owned();
            slot.turn(now, CommandState::Failed, Some(message), changed);
        }
        self.put(device, slot);
    }

    /// Sends `off` beside the engine, before that may decide it: nothing else is sent to the device any more, not even a
    /// renewal of its lease. False where there is no way out.
    #[allow(
        clippy::too_many_arguments,
        reason = "all that a command consists of; it happens in one place"
    )]
    pub(crate) fn off_at_once(
        &mut self,
        now: Timestamp,
        device: &DeviceId,
        target: Target,
        owner: Option<&Owner>,
        command_id: &str,
        publish: &mut Publish<'_>,
        changed: &mut Vec<CommandLife>,
    ) -> bool {
        self.disarm(device);
        if let Some(mut old) = self.slots.remove(device)
            && old.life.state.is_open()
        {
            old.turn(now, CommandState::Superseded, None, changed);
        }
        // One a device: a controller does an id once.
        let id = format!("{command_id}-{device}");
        let body = CommandMessage::off(now, id, owner, target.local);
        let topic = command_topic(&self.farm, target.mac);
        self.beside.insert(device.clone(), target.mac);
        body.to_payload()
            .is_ok_and(|payload| publish(&topic, payload.into()).is_ok())
    }

    /// Does what is due. `is_on` asks whether the engine means a device to be on.
    pub(crate) fn due(
        &mut self,
        now: Timestamp,
        mut is_on: impl FnMut(&DeviceId) -> bool,
        publish: &mut Publish<'_>,
        changed: &mut Vec<CommandLife>,
    ) {
        while let Some((at, _)) = self.timers.first()
            && *at <= now
        {
            let Some((_, device)) = self.timers.pop_first() else {
                return;
            };
            let Some(slot) = self.slots.get_mut(&device) else {
                continue;
            };
            if slot.next_attempt.is_some_and(|t| t <= now) {
                slot.attempt_again(now, publish, changed);
            }
            if slot.next_renewal.is_some_and(|t| t <= now) {
                slot.next_renewal = is_on(&device).then(|| now + RENEW_EVERY);
                if slot.next_renewal.is_some() {
                    slot.renew(publish);
                }
            }
            if let Some(release) = &mut slot.release
                && release.waits_until().is_some_and(|t| t <= now)
            {
                release.give_up(now, changed);
            }
            slot.armed = slot.timer();
            if let Some(next) = slot.armed {
                self.timers.insert((next, device.clone()));
            }
            if slot.is_unreached() {
                self.unreached.insert(device);
            }
        }
    }

    /// Commands of before the restart: they are over, but they were this farm's.
    pub(crate) fn recovered(&mut self, events: &[harit_engine::Event]) {
        for e in events {
            if let harit_engine::EventKind::Command(c) = &e.kind {
                self.latest = self.latest.max(c.id().n);
            }
        }
    }

    /// A controller answered.
    pub(crate) fn ack(
        &mut self,
        now: Timestamp,
        mac: Mac,
        ack: Ack,
        changed: &mut Vec<CommandLife>,
    ) -> AckOutcome {
        let own = ack
            .command_id
            .strip_prefix(self.farm.as_str())
            .and_then(|rest| rest.strip_prefix('-'))
            .unwrap_or_default();
        if self.is_beside(mac, own) {
            return AckOutcome::Late;
        }
        let number = own.parse::<u64>().ok();
        let Some(number) = number.filter(|n| *n <= self.latest) else {
            return AckOutcome::Foreign;
        };
        let found = self.slots.iter_mut().find_map(|(device, slot)| {
            let slot = slot.of_number(number)?;
            Some((device, slot))
        });
        let Some((device, slot)) = found else {
            return AckOutcome::Late;
        };
        if slot.target.as_ref().is_none_or(|t| t.mac != mac) && !planted!(ForeignAckTaken) {
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
        match ack.status {
            AckStatus::Failure => {
                slot.next_renewal = None;
                slot.turn(now, CommandState::Failed, ack.message, changed);
            }
            AckStatus::Ack => {
                slot.turn(now, CommandState::Acked, ack.message, changed);
                let known = self.reported.get(device);
                if known.is_some_and(|r| matches(slot.order, *r))
                    || planted!(ConfirmedWithoutReport)
                {
                    slot.confirm(now, changed);
                }
            }
        }
        let device = device.clone();
        self.rearm(&device);
        AckOutcome::Taken
    }

    /// Whether an id, without its farm, is of an `off` that was sent to that controller beside the engine.
    fn is_beside(&self, mac: Mac, id: &str) -> bool {
        let named = id.strip_prefix("stop-").and_then(|id| id.split_once('-'));
        named.is_some_and(|(at, device)| {
            at.parse::<i64>().is_ok() && self.beside.get(device) == Some(&mac)
        })
    }

    /// A controller reported what a device does.
    pub(crate) fn reported(
        &mut self,
        now: Timestamp,
        device: &DeviceId,
        report: Reported,
        changed: &mut Vec<CommandLife>,
    ) {
        self.reported.insert(device.clone(), report);
        let Some(slot) = self.slots.get_mut(device) else {
            return;
        };
        let done = match slot.order {
            SentOrder::Set(_) => matches(slot.order, report),
            SentOrder::Pulse { .. } => report.on,
            SentOrder::Release => true,
        };
        if slot.life.state == CommandState::Acked && done {
            slot.confirm(now, changed);
        }
        // The controller has taken the release, and the device does what then holds, whoever made it do so.
        if let Some(release) = &mut slot.release
            && release.life.state == CommandState::Acked
            && matches(slot.order, report)
        {
            release.turn(now, CommandState::Confirmed, None, changed);
        }
    }

    /// A controller is there (again): what waits for it goes out now. `counts_on` tells the setting that the engine counts
    /// on, for devices that are online.
    pub(crate) fn controller_seen(
        &mut self,
        now: Timestamp,
        mac: Mac,
        mut counts_on: impl FnMut(&DeviceId) -> Option<Setting>,
        publish: &mut Publish<'_>,
        changed: &mut Vec<CommandLife>,
    ) {
        let mut again = Vec::new();
        self.unreached
            .retain(|d| self.slots.get(d).is_some_and(Slot::is_unreached));
        for device in &self.unreached {
            let Some(slot) = self.slots.get_mut(device) else {
                continue;
            };
            if slot.target.as_ref().is_none_or(|t| t.mac != mac) {
                continue;
            }
            match slot.life.state {
                CommandState::Queued if now < slot.body.expires_at() => {
                    slot.first_attempt(now, publish, changed);
                }
                // Given up, or about to be: a setting that still counts begins anew.
                CommandState::Queued | CommandState::TimedOut => {
                    let SentOrder::Set(setting) = slot.order else {
                        continue;
                    };
                    if counts_on(device) != Some(setting) {
                        continue;
                    }
                    (slot.began, slot.resends) = (now, 0);
                    slot.body.send_anew(now);
                    if slot.life.state == CommandState::TimedOut {
                        slot.turn(now, CommandState::Queued, None, changed);
                    }
                    slot.attempt(now, publish, changed);
                    slot.schedule(now);
                }
                _ => continue,
            }
            again.push(device.clone());
        }
        for device in again {
            self.rearm(&device);
        }
    }

    /// There is a new way out: what was never published goes out now.
    pub(crate) fn attached(
        &mut self,
        now: Timestamp,
        publish: &mut Publish<'_>,
        changed: &mut Vec<CommandLife>,
    ) {
        for slot in self.slots.values_mut() {
            if slot.life.state == CommandState::Queued && now < slot.body.expires_at() {
                slot.first_attempt(now, publish, changed);
            }
        }
    }

    fn put(&mut self, device: DeviceId, slot: Slot) {
        self.slots.insert(device.clone(), slot);
        self.rearm(&device);
    }

    fn disarm(&mut self, device: &DeviceId) {
        if let Some(at) = self.slots.get_mut(device).and_then(|s| s.armed.take()) {
            self.timers.remove(&(at, device.clone()));
        }
    }

    fn rearm(&mut self, device: &DeviceId) {
        self.disarm(device);
        if self.slots.get(device).is_some_and(Slot::is_unreached) {
            self.unreached.insert(device.clone());
        }
        if let Some(slot) = self.slots.get_mut(device)
            && let Some(at) = slot.timer()
        {
            slot.armed = Some(at);
            self.timers.insert((at, device.clone()));
        }
    }
}

fn matches(order: SentOrder, report: Reported) -> bool {
    match order {
        SentOrder::Set(setting) => {
            report.on == setting.is_on()
                && (!report.on
                    || setting.value().is_none()
                    || report.value.is_none()
                    || report.value == setting.value())
        }
        SentOrder::Pulse { .. } | SentOrder::Release => false,
    }
}

impl Slot {
    fn timer(&self) -> Option<Timestamp> {
        let release = self.release.as_deref().and_then(Self::waits_until);
        let all = [self.next_attempt, self.next_renewal, release];
        all.into_iter().flatten().min()
    }

    /// Until when an answer is awaited.
    fn waits_until(&self) -> Option<Timestamp> {
        let open = self.life.state.is_open();
        open.then_some(self.began + EXPIRES_AFTER)
    }

    const fn is_unreached(&self) -> bool {
        matches!(
            self.life.state,
            CommandState::Queued | CommandState::TimedOut
        )
    }

    const fn is_under_way(&self) -> bool {
        matches!(
            self.life.state,
            CommandState::Queued | CommandState::Sent | CommandState::Acked
        )
    }

    /// A newer command of that cause goes out for the device. Returns the release that goes on beside it: one that is under
    /// way, as long as it is automatic control that commands.
    fn replaced(
        mut self,
        now: Timestamp,
        by: &Cause,
        changed: &mut Vec<CommandLife>,
    ) -> Option<Box<Self>> {
        let automatic = matches!(
            by,
            Cause::Rule(_) | Cause::Rest | Cause::Lock | Cause::Safety | Cause::MaxOn
        );
        let mut release = self.release.take();
        if self.is_under_way() {
            if self.order == SentOrder::Release && automatic {
                return Some(Box::new(self));
            }
            self.turn(now, CommandState::Superseded, None, changed);
        }
        let mut release = release.take_if(|r| r.is_under_way())?;
        if automatic {
            return Some(release);
        }
        release.turn(now, CommandState::Superseded, None, changed);
        None
    }

    /// This command or the release that it follows from, whichever has that number.
    fn of_number(&mut self, number: u64) -> Option<&mut Self> {
        if self.number == number {
            return Some(self);
        }
        self.release.as_deref_mut().filter(|r| r.number == number)
    }

    /// The device does it; then the release before it is done too.
    fn confirm(&mut self, now: Timestamp, changed: &mut Vec<CommandLife>) {
        self.turn(now, CommandState::Confirmed, None, changed);
        if let Some(release) = self.release.as_deref_mut().filter(|r| r.is_under_way()) {
            release.turn(now, CommandState::Confirmed, None, changed);
        }
    }

    fn give_up(&mut self, now: Timestamp, changed: &mut Vec<CommandLife>) {
        let message = match self.life.state {
            CommandState::Queued => "the controller could not be reached",
            _ => "the controller did not answer",
        };
        let message = Some(message.to_owned());
        self.turn(now, CommandState::TimedOut, message, changed);
    }

    /// Publishes what never went out: a release before what follows from it.
    fn first_attempt(
        &mut self,
        now: Timestamp,
        publish: &mut Publish<'_>,
        changed: &mut Vec<CommandLife>,
    ) {
        if let Some(release) = &mut self.release
            && release.life.state == CommandState::Queued
        {
            release.attempt(now, publish, changed);
        }
        self.attempt(now, publish, changed);
    }

    fn turn(
        &mut self,
        now: Timestamp,
        state: CommandState,
        message: Option<String>,
        changed: &mut Vec<CommandLife>,
    ) {
        self.life.state = state;
        self.life.changed_at = now;
        if message.is_some() {
            self.life.message = message;
        }
        changed.push(self.life.clone());
    }

    /// Publishes it, if there is a way.
    fn attempt(
        &mut self,
        now: Timestamp,
        publish: &mut Publish<'_>,
        changed: &mut Vec<CommandLife>,
    ) {
        let Ok(payload) = self.body.to_payload() else {
            return;
        };
        if publish(&self.topic, payload.into()).is_err() {
            return;
        }
        self.life.attempts += 1;
        if self.life.state == CommandState::Queued {
            self.turn(now, CommandState::Sent, None, changed);
        }
    }

    fn schedule(&mut self, now: Timestamp) {
        self.next_attempt = Some(self.began + RESEND_AFTER[0]);
        let leased = self.body.is_leased() && !planted!(LeaseNotRenewed);
        self.next_renewal = leased.then(|| now + RENEW_EVERY);
    }

    fn attempt_again(
        &mut self,
        now: Timestamp,
        publish: &mut Publish<'_>,
        changed: &mut Vec<CommandLife>,
    ) {
        if !self.life.state.is_open() {
            self.next_attempt = None;
        } else if now >= self.began + EXPIRES_AFTER {
            self.next_attempt = None;
            if planted!(ExpiredStillSent) {
                self.attempt(now, publish, changed);
            }
            self.give_up(now, changed);
        } else {
            if planted!(RetryWithNewId) {
                self.body.command_id.push('0');
            }
            if !planted!(NoRetry) {
                self.attempt(now, publish, changed);
            }
            self.resends += 1;
            let after = RESEND_AFTER
                .get(self.resends)
                .copied()
                .unwrap_or(EXPIRES_AFTER);
            self.next_attempt = Some(self.began + after);
        }
    }

    fn renew(&self, publish: &mut Publish<'_>) {
        let lease_sec = if planted!(LeaseOfADay) {
            86_400
        } else {
            LEASE_SEC
        };
        if let Ok(payload) = self.body.renewal(lease_sec) {
            // A renewal that is lost is made up for by the next: a lease outlives two of them.
            let _ = publish(&self.topic, payload.into());
            metrics::counter!("harit_lease_renewals_total").increment(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_an_off_that_was_sent_beside_the_engine_is_not_foreign() {
        let [ours, other] = ["A4CF120B9E01", "A4CF120B9E02"].map(|m| Mac::parse(m).unwrap());
        let (mut lives, mut changed) = (Lives::new("f1".into()), Vec::new());
        let target = Target {
            mac: ours,
            local: "fan-1".into(),
        };
        let sent = lives.off_at_once(
            Timestamp::from_millis(5),
            &"fan-1".into(),
            target,
            None,
            "f1-stop-5",
            &mut |_, _| Ok(()),
            &mut changed,
        );
        assert!(sent);
        let mut answer = |mac, id: &str| {
            let ack = Ack {
                command_id: id.into(),
                status: AckStatus::Ack,
                message: None,
            };
            lives.ack(Timestamp::from_millis(9), mac, ack, &mut changed)
        };
        assert_eq!(answer(ours, "f1-stop-5-fan-1"), AckOutcome::Late);
        for (mac, id) in [
            (other, "f1-stop-5-fan-1"),
            (ours, "f1-stop-5-fan-2"),
            (ours, "f2-stop-5-fan-1"),
            (ours, "f1-stop-fan-1"),
        ] {
            assert_eq!(answer(mac, id), AckOutcome::Foreign, "{id}");
        }
    }
}
