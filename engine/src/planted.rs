//! Deliberate mistakes, chosen at run time, so that a test can show that the tests would notice them.
//!
//! Behind the feature `planted-bugs`, which no program is built with. Each is a one-liner where it belongs: `planted!(Name)`
//! is `false`, and gone, when the feature is off.

use std::cell::Cell;

macro_rules! bugs {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// A mistake.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Bug { $($(#[doc = $doc])+ $name,)+ }

        impl Bug {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// What is wrong.
            #[must_use]
            pub const fn what(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+),)+ }
            }
        }
    };
}

bugs! {
    // ---- in the engine ----
    /// A hold completes one millisecond late: `<` for `<=` at its deadline.
    HoldDeadlineExclusive,
    /// A value still counts at the instant at which it expires.
    FreshAtItsEnd,
    /// An edit of one rule starts the holds of all others anew.
    EditRestartsOtherHolds,
    /// A deleted rule's claim stays.
    DeleteKeepsClaim,
    /// Between equal claims the one that came last wins.
    UnstableTieBreak,
    /// A repeated reading is a sample.
    RepeatedSampleCounts,
    /// The mean goes on with the value of a sensor that expired.
    MeanWithStaleMember,
    /// A reading outside the plausible range counts.
    ImplausibleCounts,
    /// An unknown end condition lets a rule go on for ever.
    UnknownGoesOn,
    /// A stop that is true without its signals waits for samples all the same.
    SilentStopWaits,
    /// A setpoint is at the end of its ramp at once.
    RampAtOnce,
    /// A curve is followed however short the last change was ago.
    CurveForgetsLeastTime,
    /// A curve is followed within its dead band.
    CurveForgetsDeadBand,
    /// After an outage a hold completes without a new sample.
    ResumedKeepsSamples,
    /// After an outage the pulses that came due are sent.
    ResumedRepeatsPulses,
    /// What holds is not sent to a device that comes online.
    OnlineSendsNothing,
    /// A locked device obeys an admin.
    AdminPassesLock,
    /// Who opens his own stop opens everybody's.
    OneStopOpensAll,
    /// A stop does not reach devices that are offline.
    StopMissesTheOffline,
    /// What is locked cannot be switched off.
    LockedCannotBeSwitchedOff,
    /// A manual mode does not end by its deadline.
    OverrideNeverEnds,
    /// Nobody counts the seconds of pulses.
    PulsesUncounted,
    /// A device may be on for as long as it likes.
    MaxOnIgnored,
    /// A snapshot forgets holds.
    SnapshotForgetsHold,
    /// A snapshot forgets manual modes.
    SnapshotForgetsOverride,
    /// A snapshot forgets locks.
    SnapshotForgetsLock,
    /// A snapshot forgets since when a device is on.
    SnapshotForgetsOnPeriod,
    /// A snapshot forgets which pulses were sent.
    SnapshotForgetsPulses,
    /// Missing data resolves an alert.
    UnknownResolvesAlert,
    // ---- in the server ----
    /// Senders are told that it is safe before the batch is durable.
    AckBeforeCommit,
    /// Commands go out before the batch that caused them is durable.
    SendBeforeCommit,
    /// A stop that may be in the journal already is written again as one of a later instant.
    StopWrittenAnew,
    /// A journal takes what is appended after whichever batch.
    AppendedAnywhere,
    /// A server that was taken over does what it could not append.
    FencedActs,
    /// A retry goes out under another id.
    RetryWithNewId,
    /// A command that has expired is still sent.
    ExpiredStillSent,
    /// A command is sent once and never again.
    NoRetry,
    /// Leases are not renewed.
    LeaseNotRenewed,
    /// Leases are granted without an end.
    LeaseOfADay,
    /// A repeated message counts again.
    RepeatedMessageCounts,
    /// Backlog drives rules.
    BacklogDrivesRules,
    /// A reading from the future is taken at its word.
    FutureIsBelieved,
    /// Any controller may answer for any other.
    ForeignAckTaken,
    /// A command counts as done when it was sent.
    ConfirmedWithoutReport,
    /// Who was online before a restart stays so for ever.
    AbsenceUnnoticed,
    /// A lost connection is not noticed.
    GoneIgnored,
    /// Every third deadline passes without a tick.
    TickSkipped,
    /// A restart leaves out the last batch of the journal.
    LastBatchNotFolded,
    /// A snapshot's commands are forgotten at a start.
    DeliveryNotRestored,
    /// A restart says nothing to the engines.
    NoResumed,
    /// A restart hands over to the history what it has already.
    HistoryDoubled,
    /// A controller's unlocking opens a person's lock.
    ControllerOpensAnyLock,
    /// A message goes to the first farm, whichever its topic names.
    FarmsMixed,
    /// Who publishes is read from the topic, not from the connection.
    TopicIsBelieved,
    /// A device that stopped soon after it was told is not looked at again.
    DriftForgotten,
}

thread_local! {
    static PLANTED: Cell<Option<Bug>> = const { Cell::new(None) };
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Plants a mistake in whatever this thread runs from now on, or takes it away.
pub fn plant(bug: Option<Bug>) {
    PLANTED.set(bug);
    COUNT.set(0);
}

/// Whether this mistake is planted.
#[must_use]
pub fn is_planted(bug: Bug) -> bool {
    PLANTED.get() == Some(bug)
}

/// Whether this mistake is planted and it is its `n`-th time.
#[must_use]
pub fn is_planted_every(bug: Bug, n: u64) -> bool {
    is_planted(bug) && {
        COUNT.set(COUNT.get() + 1);
        COUNT.get().is_multiple_of(n)
    }
}
