//! An alert rule: raised when its joined condition held, resolved when the opposite held, notified at intervals between.

use crate::document::{AlertSpec, Match};
use crate::hold::{Evidence, Hold, HoldRequirement, observe};
use crate::signal::Signals;
use crate::table::Keyed;
use crate::time::Timestamp;
use crate::truth::Truth;

/// An alert, compiled against its farm, and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Alert {
    pub(crate) spec: Box<AlertSpec>,
    /// Empty while the alert is not watched.
    pub(crate) comparisons: Box<[u32]>,
    pub(crate) active: bool,
    /// When it was raised, while active; for people only.
    pub(crate) raised_since: Option<Timestamp>,
    /// Since when it is not known whether its condition holds still, while active; for people only.
    pub(crate) unknown_since: Option<Timestamp>,
    /// On the joined condition while inactive, on its opposite while active.
    pub(crate) hold: Option<Hold>,
    pub(crate) last_notified: Option<Timestamp>,
    /// When the next notification falls due, while active.
    pub(crate) next_notification: Option<Timestamp>,
    /// Whether the subscribers were told, since the data went away, that it is away.
    pub(crate) told_no_data: bool,
}

impl Keyed for Alert {
    type Key = [u8];
    fn key(&self) -> &[u8] {
        self.spec.id.as_str().as_bytes()
    }
}

/// What an evaluation led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    None,
    Raised,
    Resolved,
}

impl Alert {
    pub(crate) fn truth(&self, signals: &Signals) -> Truth {
        let truths = self.comparisons.iter().map(|l| signals.truth(*l));
        match self.spec.matching {
            Match::All => Truth::all(truths),
            Match::Any => Truth::any(truths),
        }
    }

    /// What its hold must reach; `free` where it needs no samples.
    pub(crate) fn requirement(&self, min_samples: u8, free: bool) -> HoldRequirement {
        HoldRequirement::new(
            if self.active {
                self.spec.clear
            } else {
                self.spec.hold
            },
            if free { 0 } else { min_samples },
        )
    }

    pub(crate) fn deadline(&self, min_samples: u8, free: bool) -> Option<Timestamp> {
        self.hold?.deadline(self.requirement(min_samples, free))
    }

    pub(crate) fn counts_samples(&self, min_samples: u8) -> bool {
        self.hold
            .is_some_and(|h| h.counts_samples(self.requirement(min_samples, false)))
    }

    /// Re-evaluates at `now`. Where `complete` is false holds start and end, but none completes.
    pub(crate) fn evaluate(
        &mut self,
        now: Timestamp,
        joined: Evidence,
        (min_samples, free): (u8, bool),
        complete: bool,
    ) -> Change {
        if joined.truth != Truth::Unknown {
            self.told_no_data = false;
        }
        let watched = if self.active {
            Evidence {
                truth: match joined.truth {
                    Truth::Unknown if planted!(UnknownResolvesAlert) => Truth::True,
                    truth => truth.not(),
                },
                ..joined
            }
        } else {
            joined
        };
        self.unknown_since = (self.active && joined.truth == Truth::Unknown)
            .then(|| self.unknown_since.unwrap_or(now));
        let full = self.requirement(min_samples, false);
        observe(&mut self.hold, watched, full, now);
        let needed = self.requirement(min_samples, free);
        if !(complete && self.hold.is_some_and(|h| h.is_complete(needed, now))) {
            return Change::None;
        }
        self.hold = None;
        self.active = !self.active;
        self.raised_since = self.active.then_some(now);
        if self.active {
            let earliest = self
                .last_notified
                .map_or(now, |last| last + self.spec.repeat());
            self.next_notification = Some(earliest.max(now));
            Change::Raised
        } else {
            self.next_notification = None;
            Change::Resolved
        }
    }

    pub(crate) fn new(spec: &AlertSpec, last_notified: Option<Timestamp>) -> Self {
        Self {
            last_notified: last_notified.max(spec.last_triggered),
            spec: Box::new(spec.clone()),
            comparisons: Box::default(),
            active: false,
            raised_since: None,
            unknown_since: None,
            hold: None,
            next_notification: None,
            told_no_data: false,
        }
    }

    /// Ends it; true if it was active.
    pub(crate) fn end(&mut self) -> bool {
        self.hold = None;
        self.raised_since = None;
        self.unknown_since = None;
        self.next_notification = None;
        self.told_no_data = false;
        std::mem::take(&mut self.active)
    }

    /// The document as it is stored now.
    pub(crate) fn document(&self) -> AlertSpec {
        AlertSpec {
            last_triggered: self.last_notified,
            ..(*self.spec).clone()
        }
    }

    /// A notification is due at `due`; says whether to send it, and whether it bears no data.
    pub(crate) fn notify(&mut self, due: Timestamp, truth: Truth) -> Option<NoData> {
        self.next_notification = Some(due + self.spec.repeat());
        let no_data = truth == Truth::Unknown;
        if no_data && self.told_no_data {
            return None;
        }
        self.told_no_data = no_data;
        self.last_notified = Some(due);
        Some(NoData(no_data))
    }
}

/// Whether a notification is sent while the condition is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoData(pub(crate) bool);
