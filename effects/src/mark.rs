//! What a run comes to.

use harit_engine::SensorType;
use serde::{Deserialize, Serialize};

use crate::run::Run;

/// Whether a run worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// The signal did what it does when such a run works.
    Worked,
    /// It did what it does without such a run.
    NoEffect,
    /// One of the reasons.
    CannotTell,
}

impl Mark {
    /// Its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Worked => "worked",
            Self::NoEffect => "no_effect",
            Self::CannotTell => "cannot_tell",
        }
    }
}

/// Why it cannot be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Nothing in its place measures what it changes.
    NoSensor,
    /// Readings are missing about its start.
    NotFresh,
    /// It ran, or was off before, for too short a time.
    TooShort,
    /// Another of the same kind was switched at the same time.
    Together,
    /// Too few runs, or too little time without one, were seen.
    TooFew,
    /// It started otherwise than those that were seen: with less strength, or where little was left to do.
    Unlike,
    /// Its runs do not stand out in the signal.
    Unseen,
}

impl Reason {
    /// Its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoSensor => "no_sensor",
            Self::NotFresh => "not_fresh",
            Self::TooShort => "too_short",
            Self::Together => "together",
            Self::TooFew => "too_few",
            Self::Unlike => "unlike",
            Self::Unseen => "unseen",
        }
    }
}

/// The numbers behind a mark, in micro-units of the signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    /// The signal.
    pub signal: SensorType,
    /// How many minutes before and after the start were compared.
    pub minutes: i64,
    /// How much the signal changed more than in the same time before.
    pub change: i64,
    /// The same in the middle of the runs that were learned from.
    pub usual: i64,
    /// The same in the middle of times without a run.
    pub without: i64,
    /// Beyond this, towards `usual`, it worked.
    pub cut: i64,
    /// How many runs were learned from.
    pub learned: usize,
}

/// A run with its mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The run.
    pub run: Run,
    /// Its mark.
    pub mark: Mark,
    /// Why it cannot be told.
    pub reason: Option<Reason>,
    /// Whether an effect was there, also where it cannot be told whose.
    pub seen: bool,
    /// How often it was looked at in vain; more than once while it went on.
    pub looks: usize,
    /// How many minutes after its start it was last looked at.
    pub looked_min: i64,
    /// Which of the others were switched at the same time.
    pub company: Vec<usize>,
    /// The numbers, where there are some.
    pub numbers: Option<Numbers>,
    /// Whether another look may still change the mark.
    pub open: bool,
}
