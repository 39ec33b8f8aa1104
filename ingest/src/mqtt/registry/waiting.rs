//! Sessions that wait for their clients: by when each ends, and by when its will is due.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::Instant;

use super::Leaving;
use crate::mqtt::session::{LeftWill, Parked, Session};

/// An instant, and the number of a parked session, which tells apart what is due together.
type Place = (Instant, u64);

/// The sessions that wait.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// By when they end.
    parked: BTreeMap<Place, Arc<Session>>,
    /// Those of them with a will, by when that is due.
    wills: BTreeMap<Place, Arc<Session>>,
    next: u64,
}

impl Waiting {
    pub(super) fn len(&self) -> usize {
        self.parked.len()
    }

    /// Nobody holds the session any more; it waits.
    pub(super) fn park(&mut self, session: &Arc<Session>, leaving: Leaving, now: Instant) {
        self.next += 1;
        let parked = Parked {
            number: self.next,
            until: now + leaving.expiry,
            will: leaving.later,
        };
        self.parked
            .insert((parked.until, parked.number), Arc::clone(session));
        if let Some((at, _)) = &parked.will {
            self.wills.insert((*at, parked.number), Arc::clone(session));
        }
        let mut state = session.lock();
        state.holder = None;
        state.parked = Some(parked);
    }

    /// Takes a session from those that wait, if it does.
    pub(super) fn unpark(&mut self, session: &Arc<Session>) -> Option<Parked> {
        let parked = session.lock().parked.take()?;
        self.parked.remove(&(parked.until, parked.number));
        if let Some((at, _)) = &parked.will {
            self.wills.remove(&(*at, parked.number));
        }
        Some(parked)
    }

    /// The one that ends first.
    pub(super) fn first(&self) -> Option<&Arc<Session>> {
        self.parked.first_key_value().map(|(_, session)| session)
    }

    /// One whose time is over.
    pub(super) fn over(&self, now: Instant) -> Option<&Arc<Session>> {
        let (place, session) = self.parked.first_key_value()?;
        (place.0 <= now).then_some(session)
    }

    /// Takes the wills that are due.
    pub(super) fn due(&mut self, now: Instant, due: &mut Vec<LeftWill>) {
        while let Some(first) = self.wills.first_entry().filter(|e| e.key().0 <= now) {
            let session = first.remove();
            due.extend(take_will(&session));
        }
    }
}

/// The will of a parked session, which it then has no more.
fn take_will(session: &Session) -> Option<LeftWill> {
    let mut state = session.lock();
    let (_, will) = state.parked.as_mut()?.will.take()?;
    Some(will)
}
