//! Who reads a farm's topics, and the copies that they get.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use crate::mqtt::counts::Counts;
use crate::mqtt::properties::Said;
use crate::mqtt::session::{Message, Session, WhenFull};

/// How long a copy waits for an integration account that is away, at most: its publisher may say less.
const COPY_EXPIRY: Duration = Duration::from_secs(300);

/// The readers of one farm's topics.
#[derive(Debug, Default)]
pub(in crate::mqtt) struct Readers {
    count: AtomicUsize,
    sessions: Mutex<Vec<Arc<Session>>>,
}

impl Readers {
    /// Whether anybody reads: the check that every publish pays.
    pub(in crate::mqtt) fn any(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    /// Copies a message to them, with what its publisher says of it.
    pub(in crate::mqtt) fn deliver(
        &self,
        topic: &Arc<str>,
        payload: &Bytes,
        at_least_once: bool,
        said: &Said,
        now: Instant,
        counts: &Counts,
    ) {
        let worth = said.expires_in.map_or(COPY_EXPIRY, |seconds| {
            COPY_EXPIRY.min(Duration::from_secs(u64::from(seconds)))
        });
        let message = Message {
            topic: Arc::clone(topic),
            // A copy of its own: a reader that is slow or away must not keep whole read buffers alive.
            payload: Bytes::copy_from_slice(payload),
            at_least_once,
            expires: Some(now + worth),
            properties: said.properties.clone(),
        };
        for session in self.lock().iter() {
            session.offer(&message, WhenFull::DropOldest, now, counts);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, session: &Arc<Session>) {
        let mut sessions = self.lock();
        sessions.push(Arc::clone(session));
        self.count.store(sessions.len(), Ordering::Relaxed);
    }

    pub(super) fn remove(&self, session: &Arc<Session>) {
        let mut sessions = self.lock();
        sessions.retain(|other| !Arc::ptr_eq(other, session));
        self.count.store(sessions.len(), Ordering::Relaxed);
    }
}
