//! The latest command of a device on its way.

use harit_engine::{Cause, Quantity, SentOrder, Timestamp, planted};
use harit_protocol::Mac;
use harit_protocol::command::{CommandMessage, EXPIRES_AFTER, LEASE_SEC};
use serde::{Deserialize, Serialize};

use super::{New, RENEW_EVERY, RESEND_AFTER};
use crate::command::{CommandLife, CommandState};
use crate::observer::{Effect, Observer};
use crate::status::Reported;

/// What a command orders, as far as delivery asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// To stay so.
    Set {
        /// On or off.
        on: bool,
        /// At which value.
        value: Option<Quantity>,
    },
    /// To be on for a while.
    Pulse,
    /// To go back to automatic control.
    Release,
}

impl Order {
    pub(crate) fn of(order: SentOrder) -> Self {
        match order {
            SentOrder::Set(setting) => Self::Set {
                on: setting.is_on(),
                value: setting.value(),
            },
            SentOrder::Pulse { .. } => Self::Pulse,
            SentOrder::Release => Self::Release,
        }
    }

    /// Whether a device that reports this does what is ordered. A report says it of no pulse or release, and a device that is
    /// on because its lease ran out does nothing that is ordered.
    pub(super) fn matches(self, report: Reported) -> bool {
        match self {
            Self::Set { on, value } => {
                report.on == on
                    && !report.by_lease_end
                    && (!on || value.is_none() || report.value.is_none() || report.value == value)
            }
            Self::Pulse | Self::Release => false,
        }
    }
}

/// See the module.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct InFlight {
    pub(super) life: CommandLife,
    number: u64,
    pub(super) order: Order,
    /// The controller that it goes to; none for a device without one.
    pub(super) mac: Option<Mac>,
    pub(super) message: CommandMessage,
    /// When this round of attempts began.
    began: Timestamp,
    /// How many attempts of this round were published.
    published: u32,
    /// How many resends of this round are over.
    resends: usize,
    pub(super) next_attempt: Option<Timestamp>,
    pub(super) next_renewal: Option<Timestamp>,
    /// Under which instant the device stands among the timers.
    #[serde(skip)]
    pub(super) armed: Option<Timestamp>,
    /// The release that this command follows from, until it is done.
    release: Option<Box<InFlight>>,
}

impl InFlight {
    pub(super) fn new(now: Timestamp, new: New<'_>, release: Option<Box<Self>>) -> Self {
        let New {
            farm,
            at,
            command,
            rule_name,
            target,
        } = new;
        let (mac, local) = target.map_or_else(
            || (None, command.device().as_str().into()),
            |(mac, local)| (Some(mac), local),
        );
        Self {
            life: CommandLife::new(farm.clone(), at, command),
            number: command.id().n,
            order: Order::of(command.order()),
            message: CommandMessage::new(now, command, rule_name, local),
            mac,
            began: now,
            published: 0,
            resends: 0,
            next_attempt: None,
            next_renewal: None,
            armed: None,
            release,
        }
    }

    /// The life of the release before it, and its own.
    pub(super) fn lives(&self) -> impl Iterator<Item = &CommandLife> {
        let release = self.release.as_deref().map(|r| &r.life);
        release.into_iter().chain([&self.life])
    }

    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn timer(&self) -> Option<Timestamp> {
        let release = self.release.as_deref().and_then(Self::waits_until);
        let all = [self.next_attempt, self.next_renewal, release];
        all.into_iter().flatten().min()
    }

    /// Until when an answer is awaited.
    fn waits_until(&self) -> Option<Timestamp> {
        let open = self.life.state.is_open();
        open.then_some(self.began + EXPIRES_AFTER)
    }

    pub(super) const fn is_unreached(&self) -> bool {
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
    pub(super) fn replaced(
        mut self,
        now: Timestamp,
        by: &Cause,
        observer: &mut impl Observer,
    ) -> Option<Box<Self>> {
        let automatic = !matches!(by, Cause::Manual | Cause::Stop);
        let mut release = self.release.take();
        if self.is_under_way() {
            if self.order == Order::Release && automatic {
                return Some(Box::new(self));
            }
            self.turn(now, CommandState::Superseded, None, observer);
        }
        let mut release = release.take_if(|r| r.is_under_way())?;
        if automatic {
            return Some(release);
        }
        release.turn(now, CommandState::Superseded, None, observer);
        None
    }

    /// Its device is there no more.
    pub(super) fn end(mut self, now: Timestamp, observer: &mut impl Observer) {
        let release = self.release.take();
        for mut ends in release.map(|r| *r).into_iter().chain([self]) {
            if ends.is_under_way() {
                ends.turn(now, CommandState::Superseded, None, observer);
            }
        }
    }

    /// This command, or the release that it follows from while that is under way, whichever has that number.
    pub(super) fn of_number(&mut self, number: u64) -> Option<&mut Self> {
        if self.number == number {
            return Some(self);
        }
        let release = self.release.as_deref_mut();
        release.filter(|r| r.number == number && r.is_under_way())
    }

    /// A controller reported what the device does.
    pub(super) fn reported(
        &mut self,
        now: Timestamp,
        report: Reported,
        observer: &mut impl Observer,
    ) {
        let done = match self.order {
            Order::Set { .. } => self.order.matches(report),
            Order::Pulse => report.on && !report.by_lease_end,
            Order::Release => true,
        };
        if self.life.state == CommandState::Acked && done {
            self.confirm(now, observer);
        }
        // The controller has taken the release, and the device does what then holds, whoever made it do so.
        if let Some(release) = &mut self.release
            && release.life.state == CommandState::Acked
            && self.order.matches(report)
        {
            release.turn(now, CommandState::Confirmed, None, observer);
        }
    }

    /// The device does it; then the release before it is done too.
    pub(super) fn confirm(&mut self, now: Timestamp, observer: &mut impl Observer) {
        self.turn(now, CommandState::Confirmed, None, observer);
        if let Some(release) = self.release.as_deref_mut().filter(|r| r.is_under_way()) {
            release.turn(now, CommandState::Confirmed, None, observer);
        }
    }

    fn give_up(&mut self, now: Timestamp, observer: &mut impl Observer) {
        let message = match self.life.state {
            CommandState::Queued => "the controller could not be reached",
            _ => "the controller did not answer",
        };
        let message = Some(message.to_owned());
        self.turn(now, CommandState::TimedOut, message, observer);
    }

    /// Publishes what never went out: a release before what follows from it.
    pub(super) fn first_attempt(&mut self, now: Timestamp, observer: &mut impl Observer) {
        if let Some(release) = &mut self.release
            && release.life.state == CommandState::Queued
            && now < release.message.expires_at()
        {
            release.attempt(now, observer);
        }
        self.attempt(now, observer);
    }

    /// Begins a new round of attempts under the same id.
    pub(super) fn begin_anew(&mut self, now: Timestamp, observer: &mut impl Observer) {
        (self.began, self.published, self.resends) = (now, 0, 0);
        self.message.send_anew(now);
        if self.life.state == CommandState::TimedOut {
            self.turn(now, CommandState::Queued, None, observer);
        }
        self.attempt(now, observer);
        self.schedule(now);
    }

    pub(super) fn turn(
        &mut self,
        now: Timestamp,
        state: CommandState,
        message: Option<String>,
        observer: &mut impl Observer,
    ) {
        self.life.state = state;
        self.life.changed_at = now;
        if message.is_some() {
            self.life.message = message;
        }
        observer.effect(Effect::Command(&self.life));
    }

    /// Publishes it.
    pub(super) fn attempt(&mut self, now: Timestamp, observer: &mut impl Observer) {
        let Some(mac) = self.mac else { return };
        observer.effect(Effect::Publish {
            mac,
            command: self.number,
            message: &self.message,
        });
        self.life.attempts += 1;
        self.published += 1;
        if self.life.state == CommandState::Queued {
            self.turn(now, CommandState::Sent, None, observer);
        }
    }

    /// The latest attempt failed. Without another in this round it was never sent.
    pub(super) fn unsent(&mut self, now: Timestamp, observer: &mut impl Observer) {
        if !self.life.state.is_open() {
            return;
        }
        self.life.attempts = self.life.attempts.saturating_sub(1);
        self.published = self.published.saturating_sub(1);
        if self.life.state == CommandState::Sent && self.published == 0 {
            self.turn(now, CommandState::Queued, None, observer);
        }
    }

    pub(super) fn schedule(&mut self, now: Timestamp) {
        self.next_attempt = Some(self.began + RESEND_AFTER[0]);
        let leased = self.message.is_leased() && !planted!(LeaseNotRenewed);
        self.next_renewal = leased.then(|| now + RENEW_EVERY);
    }

    /// Does what is due by now.
    pub(super) fn due(
        &mut self,
        now: Timestamp,
        is_on: impl Fn() -> bool,
        observer: &mut impl Observer,
    ) {
        if self.next_attempt.is_some_and(|t| t <= now) {
            self.attempt_again(now, observer);
        }
        if self.next_renewal.is_some_and(|t| t <= now) {
            self.next_renewal = is_on().then(|| now + RENEW_EVERY);
            if let (Some(_), Some(mac)) = (self.next_renewal, self.mac) {
                // A renewal that is lost is made up for by the next: a lease outlives two of them.
                observer.effect(Effect::Renew {
                    mac,
                    message: &self.message,
                    lease_sec: if planted!(LeaseOfADay) {
                        86_400
                    } else {
                        LEASE_SEC
                    },
                });
            }
        }
        if let Some(release) = &mut self.release
            && release.waits_until().is_some_and(|t| t <= now)
        {
            release.give_up(now, observer);
        }
    }

    fn attempt_again(&mut self, now: Timestamp, observer: &mut impl Observer) {
        if !self.life.state.is_open() {
            self.next_attempt = None;
        } else if now >= self.began + EXPIRES_AFTER {
            self.next_attempt = None;
            if planted!(ExpiredStillSent) {
                self.attempt(now, observer);
            }
            self.give_up(now, observer);
        } else {
            if planted!(RetryWithNewId) {
                self.message.command_id.push('0');
            }
            if !planted!(NoRetry) {
                self.attempt(now, observer);
            }
            self.resends += 1;
            let after = RESEND_AFTER
                .get(self.resends)
                .copied()
                .unwrap_or(EXPIRES_AFTER);
            self.next_attempt = Some(self.began + after);
        }
    }
}
