//! Locks: kinds, each with its own way to open, how they change, and the set of those that hold on a device.
//!
//! There is one lock each of the kinds controller, max on, keeps stopping and keeps starting, and one a person of the kinds
//! person and stop. A device is locked while any holds.

use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// The kind and reason of the lock that a device gets when it was on for too long, and the cause of the command.
pub(crate) const MAX_ON: &str = "max_on";

/// Kinds of lock, each with its own way to open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LockKind {
    /// Reported by the controller, and opened by its report alone.
    Controller,
    /// Put on by a person who works at the device.
    Person,
    /// The device was on for as long as it may.
    MaxOn,
    /// The device goes off by itself again and again.
    KeepsStopping,
    /// The device goes on by itself again and again.
    KeepsStarting,
    /// A person stopped it.
    Stop,
}

impl LockKind {
    /// All kinds, in their order.
    pub const ALL: [Self; 6] = [
        Self::Controller,
        Self::Person,
        Self::MaxOn,
        Self::KeepsStopping,
        Self::KeepsStarting,
        Self::Stop,
    ];

    /// The word for it in files and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Controller => "controller",
            Self::Person => "person",
            Self::MaxOn => MAX_ON,
            Self::KeepsStopping => "keeps_stopping",
            Self::KeepsStarting => "keeps_starting",
            Self::Stop => "stop",
        }
    }

    /// The kind that the word names.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Whether each person has a lock of this kind of his own.
    #[must_use]
    pub const fn is_personal(self) -> bool {
        matches!(self, Self::Person | Self::Stop)
    }

    /// The kind that a reason of the first version means, which knew one lock and told it by its text.
    fn of_version_1(reason: &str) -> Self {
        if reason == MAX_ON {
            Self::MaxOn
        } else {
            Self::Person
        }
    }
}

/// Who gave a manual command, or locked, unlocked or stopped a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The user's id.
    pub user_id: Arc<str>,
    /// The user's name.
    pub name: Arc<str>,
    /// Why, in the user's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Arc<str>>,
}

/// A lock that holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceLock {
    /// Its kind.
    pub kind: LockKind,
    /// Why, never empty.
    pub reason: Arc<str>,
    /// Whose it is, of a person's lock or a stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Arc<Owner>>,
    /// Since when it holds, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

impl DeviceLock {
    /// The id of whose it is; empty where it is nobody's.
    fn user(&self) -> &str {
        self.owner.as_deref().map_or("", |o| &o.user_id)
    }

    fn by_place(&self, other: &Self) -> Ordering {
        (self.kind, self.user()).cmp(&(other.kind, other.user()))
    }

    /// Whether the change opens it.
    fn opens_by(&self, change: &Lock) -> bool {
        match change {
            Lock::Engage { .. } | Lock::Replace { .. } => false,
            Lock::Open { kind, user } => {
                self.kind == *kind
                    && user.as_deref().is_none_or(|user| {
                        !kind.is_personal() || user == self.user() || planted!(OneStopOpensAll)
                    })
            }
            Lock::OpenAll => true,
        }
    }
}

/// A change of a device's locks. The person behind it is named by the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lock {
    /// One lock more, or another reason for one that holds.
    Engage {
        /// Its kind; a stop is an input of its own.
        kind: LockKind,
        /// Why, never empty.
        reason: Arc<str>,
    },
    /// Opens locks of a kind.
    Open {
        /// The kind.
        kind: LockKind,
        /// Whose, of a person's locks and of stops: a user's id, empty for the one of nobody by name. `None` opens all of
        /// the kind.
        user: Option<Arc<str>>,
    },
    /// The first version's lock, which was the only one: it takes the place of another of that version.
    Replace {
        /// Why, never empty; `max_on` is of that kind, everything else of a person who is not named.
        reason: Arc<str>,
    },
    /// The first version's opening: every lock.
    OpenAll,
}

impl Lock {
    /// Whether it opens.
    #[must_use]
    pub const fn is_opening(&self) -> bool {
        matches!(self, Self::Open { .. } | Self::OpenAll)
    }
}

/// The locks that hold on a device, by kind and then by whose they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Locks(Vec<DeviceLock>);

impl Locks {
    /// The locks that the document of a device names: `locks`, or the one `lock` of the first version.
    #[must_use]
    pub fn of_document(locks: &[DeviceLock], lock: Option<&str>) -> Self {
        let mut all = Self::default();
        for lock in locks {
            all.put(lock.clone());
        }
        if let Some(reason) = lock.filter(|_| locks.is_empty()) {
            all.replace(reason.into(), None);
        }
        all
    }

    /// Whether none holds.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The locks in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, DeviceLock> {
        self.0.iter()
    }

    /// The lock of that kind, the first where there are several.
    #[must_use]
    pub fn get(&self, kind: LockKind) -> Option<&DeviceLock> {
        self.iter().find(|lock| lock.kind == kind)
    }

    /// Whether a lock of that kind holds.
    #[must_use]
    pub fn holds(&self, kind: LockKind) -> bool {
        self.get(kind).is_some()
    }

    /// Whether the device must be off, whatever its safe setting says.
    #[must_use]
    pub fn require_off(&self) -> bool {
        self.holds(LockKind::Stop) || self.holds(LockKind::MaxOn)
    }

    /// Whether the change would open a lock that holds.
    #[must_use]
    pub fn opens(&self, change: &Lock) -> bool {
        self.iter().any(|lock| lock.opens_by(change))
    }

    /// Makes the change, whoever wants it, and returns the locks that it opened. `owner` is the person behind it.
    pub fn change(
        &mut self,
        change: &Lock,
        owner: Option<&Arc<Owner>>,
        at: Timestamp,
    ) -> Vec<DeviceLock> {
        match change {
            Lock::Engage { kind, reason } => self.put(DeviceLock {
                kind: *kind,
                reason: reason.clone(),
                owner: owner.cloned(),
                since: Some(at),
            }),
            Lock::Replace { reason } => self.replace(reason.clone(), Some(at)),
            Lock::Open { .. } | Lock::OpenAll => {
                return self
                    .0
                    .extract_if(.., |lock| lock.opens_by(change))
                    .collect();
            }
        }
        Vec::new()
    }

    /// Adds a lock; of one that is there only the reason and the owner's name are replaced.
    fn put(&mut self, mut lock: DeviceLock) {
        if !lock.kind.is_personal() {
            lock.owner = None;
        }
        match self.0.binary_search_by(|held| held.by_place(&lock)) {
            Ok(at) => {
                lock.since = self.0[at].since;
                self.0[at] = lock;
            }
            Err(at) => self.0.insert(at, lock),
        }
    }

    /// The first version's lock takes the place of what the first version knew: a lock of nobody by name, or `max_on`.
    fn replace(&mut self, reason: Arc<str>, at: Option<Timestamp>) {
        let kind = LockKind::of_version_1(&reason);
        let known = |lock: &mut DeviceLock| {
            lock.kind == LockKind::MaxOn
                || (lock.kind == LockKind::Person && lock.user().is_empty())
        };
        let gone: Vec<DeviceLock> = self.0.extract_if(.., known).collect();
        self.put(DeviceLock {
            kind,
            reason,
            owner: None,
            since: gone.first().map_or(at, |lock| lock.since),
        });
    }

    /// The locks as a list.
    #[must_use]
    pub fn to_vec(&self) -> Vec<DeviceLock> {
        self.0.clone()
    }
}
