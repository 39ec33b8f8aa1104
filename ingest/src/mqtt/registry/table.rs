//! The tables under the registry's lock: accounts by principal, readers by farm, and what waits.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use harit_engine::FarmId;
use tokio::time::Instant;

use super::readers::Readers;
use super::waiting::Waiting;
use super::{MAX_SESSIONS_PER_PRINCIPAL, NoSession};
use crate::mqtt::Principal;
use crate::mqtt::session::{LeftWill, Session};
use crate::mqtt::throttle::{Throttle, ThrottleConfig};

/// One principal's sessions and account.
#[derive(Debug)]
pub(super) struct Account {
    pub(super) sessions: Vec<Arc<Session>>,
    pub(super) throttle: Arc<Mutex<Throttle>>,
    /// Connections that hold or are about to hold one of its sessions.
    connections: usize,
}

#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) accounts: HashMap<Principal, Account>,
    pub(super) readers: HashMap<FarmId, Arc<Readers>>,
    pub(super) waiting: Waiting,
    /// Accounts without connection or session: each stays until its throttle has settled.
    idle: HashSet<Principal>,
    /// Wills of sessions that made room for others: they are due.
    evicted: Vec<LeftWill>,
}

impl Table {
    /// Counts a connection before it has its session, so that the one that it takes over does not report the principal gone.
    pub(super) fn expect(&mut self, principal: &Principal, throttle: ThrottleConfig, now: Instant) {
        self.idle.remove(principal);
        let account = self
            .accounts
            .entry(principal.clone())
            .or_insert_with(|| Account {
                sessions: Vec::new(),
                throttle: Arc::new(Mutex::new(Throttle::new(throttle, now))),
                connections: 0,
            });
        account.connections += 1;
    }

    /// A connection is gone, or did not come. How many are left of the principal's.
    pub(super) fn unexpect(&mut self, principal: &Principal) -> usize {
        let Some(account) = self.accounts.get_mut(principal) else {
            return 0;
        };
        account.connections = account.connections.saturating_sub(1);
        let left = account.connections;
        self.note_idle(principal);
        left
    }

    /// A principal with many client ids keeps its newest sessions.
    pub(super) fn make_room(&mut self, principal: &Principal) -> Result<(), NoSession> {
        let Some(account) = self.accounts.get(principal) else {
            return Ok(());
        };
        if account.sessions.len() < MAX_SESSIONS_PER_PRINCIPAL {
            return Ok(());
        }
        let parked = account.sessions.iter().filter_map(|session| {
            let state = session.lock();
            let parked = state.parked.as_ref()?;
            Some(((parked.until, parked.number), session))
        });
        let oldest = parked.min_by_key(|(place, _)| *place);
        let (_, oldest) = oldest.ok_or(NoSession::TooMany)?;
        let oldest = Arc::clone(oldest);
        self.evict(&oldest);
        Ok(())
    }

    /// Ends those that end first until at most so many wait. How many that were.
    pub(super) fn evict_beyond(&mut self, most: usize) -> usize {
        let mut evicted = 0;
        while self.waiting.len() > most
            && let Some(first) = self.waiting.first().cloned()
        {
            self.evict(&first);
            evicted += 1;
        }
        evicted
    }

    /// Ends a session that waits, before its time.
    fn evict(&mut self, session: &Arc<Session>) {
        let will = self.waiting.unpark(session).and_then(|parked| parked.will);
        self.evicted.extend(will.map(|(_, will)| will));
        self.forget(session);
    }

    /// Takes a session out of every table, and ends it.
    pub(super) fn forget(&mut self, session: &Arc<Session>) {
        self.waiting.unpark(session);
        if let Some(account) = self.accounts.get_mut(&session.key.principal) {
            account
                .sessions
                .retain(|other| !Arc::ptr_eq(other, session));
        }
        self.note_idle(&session.key.principal);
        if let Some(readers) = self.readers.get(session.key.principal.farm()) {
            readers.remove(session);
        }
        session.end();
    }

    /// Remembers an account that nobody uses any more.
    fn note_idle(&mut self, principal: &Principal) {
        if let Some(account) = self.accounts.get(principal)
            && account.connections == 0
            && account.sessions.is_empty()
        {
            self.idle.insert(principal.clone());
        }
    }

    /// Ends what has waited long enough. Gives back the wills that are due.
    pub(super) fn sweep(&mut self, now: Instant) -> Vec<LeftWill> {
        let mut due = std::mem::take(&mut self.evicted);
        self.waiting.due(now, &mut due);
        while let Some(session) = self.waiting.over(now).cloned() {
            let will = self.waiting.unpark(&session).and_then(|parked| parked.will);
            due.extend(will.map(|(_, will)| will));
            self.forget(&session);
        }
        self.settle(now);
        due
    }

    /// Forgets accounts that nobody uses and that owe nothing.
    fn settle(&mut self, now: Instant) {
        let Self {
            accounts,
            readers,
            idle,
            ..
        } = self;
        idle.retain(|principal| {
            let Some(account) = accounts.get(principal) else {
                return false;
            };
            let mut throttle = account
                .throttle
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if !throttle.is_settled(now) {
                return true;
            }
            drop(throttle);
            accounts.remove(principal);
            let farm = principal.farm();
            if readers
                .get(farm)
                .is_some_and(|readers| !readers.any() && Arc::strong_count(readers) == 1)
            {
                readers.remove(farm);
            }
            false
        });
    }
}
