//! Who is here: sessions by principal and client id, readers by farm, accounts by principal.
//!
//! Short critical sections under one lock; the traffic of connections does not pass through it. Order of locks: the
//! table, then one session.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use harit_engine::FarmId;
use harit_protocol::Topic;
use tokio::sync::watch;
use tokio::time::Instant;

use super::counts::Counts;
use super::session::{
    Control, Holder, Kick, Message, Offered, Parked, Session, SessionKey, WhenFull,
};
use super::throttle::{Throttle, ThrottleConfig};
use super::{Batch, DownlinkError, Principal};

/// The most sessions of one principal, live and parked.
pub(super) const MAX_SESSIONS_PER_PRINCIPAL: usize = 16;
/// How long a newer connection waits for the older one of its client id to let go.
const TAKEOVER_PATIENCE: Duration = Duration::from_secs(8);
/// How long a message to a controller waits to be sent (protocol.md: a command expires after 15 s).
pub(super) const COMMAND_EXPIRY: Duration = Duration::from_secs(15);
/// The longest topic, in bytes.
const MAX_TOPIC_BYTES: usize = 512;
/// How long a copy waits for an integration account that is away.
const COPY_EXPIRY: Duration = Duration::from_secs(300);

/// The readers of one farm's topics.
#[derive(Debug, Default)]
pub(super) struct Readers {
    count: AtomicUsize,
    sessions: Mutex<Vec<Arc<Session>>>,
}

impl Readers {
    /// Whether anybody reads: the check that every publish pays.
    pub(super) fn any(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    /// Copies a message to them.
    pub(super) fn deliver(
        &self,
        topic: &Arc<str>,
        payload: &Bytes,
        at_least_once: bool,
        now: Instant,
        counts: &Counts,
    ) {
        let message = Message {
            topic: Arc::clone(topic),
            // A copy of its own: a reader that is slow or away must not keep whole read buffers alive.
            payload: Bytes::copy_from_slice(payload),
            at_least_once,
            expires: Some(now + COPY_EXPIRY),
        };
        for session in self.lock().iter() {
            session.offer(&message, WhenFull::DropOldest, now, counts);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, session: &Arc<Session>) {
        let mut sessions = self.lock();
        sessions.push(Arc::clone(session));
        self.count.store(sessions.len(), Ordering::Relaxed);
    }

    fn remove(&self, session: &Arc<Session>) {
        let mut sessions = self.lock();
        sessions.retain(|other| !Arc::ptr_eq(other, session));
        self.count.store(sessions.len(), Ordering::Relaxed);
    }
}

/// One principal's sessions and account.
#[derive(Debug)]
struct Account {
    sessions: Vec<Arc<Session>>,
    throttle: Arc<Mutex<Throttle>>,
    /// Connections that hold or are about to hold one of its sessions.
    connections: usize,
}

#[derive(Debug, Default)]
struct Table {
    accounts: HashMap<Principal, Account>,
    readers: HashMap<FarmId, Arc<Readers>>,
    /// Parked sessions by when they end.
    parked: BTreeMap<Place, Arc<Session>>,
    /// Those of them with a will, by when that is due.
    wills: BTreeMap<Place, Arc<Session>>,
    /// Accounts without connection or session: each stays until its throttle has settled.
    idle: HashSet<Principal>,
    /// Wills of sessions that made room for others: they are due.
    evicted: Vec<Batch>,
    next: u64,
}

/// An instant, and the number of a parked session, which tells apart what is due together.
type Place = (Instant, u64);

/// All sessions of an endpoint.
pub(super) struct Registry {
    table: Mutex<Table>,
    all_queued_bytes: Arc<AtomicUsize>,
    throttle: ThrottleConfig,
    /// The most sessions that wait for their clients; the one that would end first makes room.
    max_parked: usize,
    pub(super) counts: Counts,
}

/// A session in a connection's hands.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) session: Arc<Session>,
    pub(super) control: Arc<Control>,
    pub(super) readers: Arc<Readers>,
    pub(super) throttle: Arc<Mutex<Throttle>>,
    /// The session was there before.
    pub(super) present: bool,
    /// To be dropped when the connection has let go.
    pub(super) gone: Option<watch::Sender<()>>,
}

/// Why no session could be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoSession {
    /// The principal has too many.
    TooMany,
    /// The older connection did not let go in time.
    Busy,
}

/// What a connection leaves behind.
#[derive(Debug, Default)]
pub(super) struct Leaving {
    /// How long the session is kept; zero ends it.
    pub(super) expiry: Duration,
    /// A will to be published later, if the client does not come back by then.
    pub(super) later: Option<(Instant, Batch)>,
}

impl Registry {
    pub(super) fn new(throttle: ThrottleConfig, max_parked: usize) -> Self {
        Self {
            table: Mutex::default(),
            all_queued_bytes: Arc::default(),
            throttle,
            max_parked,
            counts: Counts::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until when a principal is refused, if it is.
    pub(super) fn refused_until(&self, principal: &Principal, now: Instant) -> Option<Instant> {
        let throttle = Arc::clone(&self.lock().accounts.get(principal)?.throttle);
        throttle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .refused_until(now)
    }

    /// Gives a connection its session: a new one, or the one that its client id had. Waits for an older connection of the
    /// same client id to go, so that its will is handed over before anything of the newer one.
    pub(super) async fn hold(
        &self,
        key: SessionKey,
        clean: bool,
        now: Instant,
    ) -> Result<Held, NoSession> {
        self.expect(&key.principal, now);
        let held = self.hold_expected(&key, clean).await;
        if held.is_err() {
            self.unexpect(&key.principal);
        }
        held
    }

    /// Counts a connection before it has its session, so that the one that it takes over does not report the principal gone.
    fn expect(&self, principal: &Principal, now: Instant) {
        let mut table = self.lock();
        table.idle.remove(principal);
        let account = table
            .accounts
            .entry(principal.clone())
            .or_insert_with(|| Account {
                sessions: Vec::new(),
                throttle: Arc::new(Mutex::new(Throttle::new(self.throttle, now))),
                connections: 0,
            });
        account.connections += 1;
    }

    fn unexpect(&self, principal: &Principal) -> usize {
        let mut table = self.lock();
        let table = &mut *table;
        let Some(account) = table.accounts.get_mut(principal) else {
            return 0;
        };
        account.connections = account.connections.saturating_sub(1);
        let left = account.connections;
        table.note_idle(principal);
        left
    }

    async fn hold_expected(&self, key: &SessionKey, clean: bool) -> Result<Held, NoSession> {
        let deadline = Instant::now() + TAKEOVER_PATIENCE;
        loop {
            let mut gone = match self.try_hold(key, clean)? {
                Ok(held) => return Ok(held),
                Err(gone) => gone,
            };
            // An error is the sender's end: the older connection has let go.
            let waited =
                tokio::time::timeout_at(deadline, async { while gone.changed().await.is_ok() {} })
                    .await;
            if waited.is_err() {
                return Err(NoSession::Busy);
            }
        }
    }

    /// The session, or what to wait for.
    fn try_hold(
        &self,
        key: &SessionKey,
        clean: bool,
    ) -> Result<Result<Held, watch::Receiver<()>>, NoSession> {
        let mut table = self.lock();
        let table = &mut *table;
        let readers = Arc::clone(
            table
                .readers
                .entry(key.principal.farm().clone())
                .or_default(),
        );
        let Some(account) = table.accounts.get_mut(&key.principal) else {
            return Err(NoSession::Busy);
        };
        let mut known = account
            .sessions
            .iter()
            .find(|session| session.key.client_id == key.client_id)
            .cloned();
        if let Some(session) = &known {
            let state = session.lock();
            if let Some(holder) = &state.holder {
                holder.control.kick(Kick::TakenOver);
                self.counts.takeovers.one();
                return Ok(Err(holder.gone.clone()));
            }
        }
        if clean && let Some(session) = known.take() {
            Self::forget(table, &session);
        }
        let throttle = {
            let Some(account) = table.accounts.get_mut(&key.principal) else {
                return Err(NoSession::Busy);
            };
            Arc::clone(&account.throttle)
        };
        let control = Arc::new(Control::default());
        let (gone, seen) = watch::channel(());
        let holder = Holder {
            control: Arc::clone(&control),
            gone: seen,
        };
        let present = known.is_some();
        let session = if let Some(session) = known {
            table.unpark(&session);
            self.counts.resumes.one();
            session
        } else {
            Self::make_room(table, &key.principal)?;
            let session = Arc::new(Session::new(
                key.clone(),
                Arc::clone(&self.all_queued_bytes),
            ));
            if let Some(account) = table.accounts.get_mut(&key.principal) {
                account.sessions.push(Arc::clone(&session));
            }
            if matches!(key.principal, Principal::Integration { .. }) {
                readers.add(&session);
            }
            session
        };
        session.resume(holder);
        self.counts.parked.set(count(table.parked.len()));
        Ok(Ok(Held {
            session,
            control,
            readers,
            throttle,
            present,
            gone: Some(gone),
        }))
    }

    /// A principal with many client ids keeps its newest sessions.
    fn make_room(table: &mut Table, principal: &Principal) -> Result<(), NoSession> {
        let Some(account) = table.accounts.get(principal) else {
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
        Self::evict(table, &oldest);
        Ok(())
    }

    /// Ends a session that waits, before its time.
    fn evict(table: &mut Table, session: &Arc<Session>) {
        let will = table.unpark(session).and_then(|parked| parked.will);
        table.evicted.extend(will.map(|(_, will)| will));
        Self::forget(table, session);
    }

    /// Takes a session out of every table, and ends it.
    fn forget(table: &mut Table, session: &Arc<Session>) {
        table.unpark(session);
        if let Some(account) = table.accounts.get_mut(&session.key.principal) {
            account
                .sessions
                .retain(|other| !Arc::ptr_eq(other, session));
        }
        table.note_idle(&session.key.principal);
        if let Some(readers) = table.readers.get(session.key.principal.farm()) {
            readers.remove(session);
        }
        session.end();
    }

    /// Whether the principal has another connection than the one that asks.
    pub(super) fn has_others(&self, session: &Arc<Session>) -> bool {
        let table = self.lock();
        table
            .accounts
            .get(&session.key.principal)
            .is_some_and(|account| {
                account
                    .sessions
                    .iter()
                    .any(|other| !Arc::ptr_eq(other, session) && other.lock().holder.is_some())
            })
    }

    /// A connection lets go of its session. True when it was the principal's last.
    pub(super) fn leave(&self, session: &Arc<Session>, leaving: Leaving, now: Instant) -> bool {
        let evicted = {
            let mut table = self.lock();
            let table = &mut *table;
            let mut evicted = 0;
            if leaving.expiry.is_zero() {
                Self::forget(table, session);
            } else {
                table.next += 1;
                table.park(
                    session,
                    Parked {
                        number: table.next,
                        until: now + leaving.expiry,
                        will: leaving.later,
                    },
                );
                while table.parked.len() > self.max_parked
                    && let Some((_, first)) = table.parked.first_key_value()
                {
                    let first = Arc::clone(first);
                    Self::evict(table, &first);
                    evicted += 1;
                }
            }
            self.counts.parked.set(count(table.parked.len()));
            evicted
        };
        self.counts.sessions_evicted.add(evicted);
        self.unexpect(&session.key.principal) == 0
    }

    /// Ends what has waited long enough. Gives back the wills that are due.
    pub(super) fn sweep(&self, now: Instant) -> Vec<Batch> {
        let mut table = self.lock();
        let table = &mut *table;
        let mut due = std::mem::take(&mut table.evicted);
        while let Some(first) = table.wills.first_entry().filter(|e| e.key().0 <= now) {
            let session = first.remove();
            due.extend(take_will(&session));
        }
        while let Some((place, session)) = table.parked.first_key_value()
            && place.0 <= now
        {
            let session = Arc::clone(session);
            let will = table.unpark(&session).and_then(|parked| parked.will);
            due.extend(will.map(|(_, will)| will));
            Self::forget(table, &session);
        }
        let Table {
            accounts,
            readers,
            idle,
            ..
        } = table;
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
        self.counts.parked.set(count(table.parked.len()));
        due
    }

    /// Sends a message to the controller that its topic names, and to the farm's readers.
    pub(super) fn publish(
        &self,
        topic: &str,
        payload: &Bytes,
        now: Instant,
    ) -> Result<(), DownlinkError> {
        if topic.len() > MAX_TOPIC_BYTES || payload.len() > super::MAX_PAYLOAD_BYTES {
            return Err(DownlinkError::Invalid);
        }
        let to = Topic::parse(topic).map_err(|_| DownlinkError::Invalid)?;
        let principal = Principal::Controller {
            farm: FarmId::from(to.farm),
            mac: to.mac,
        };
        let (sessions, readers) = {
            let table = self.lock();
            let sessions = table
                .accounts
                .get(&principal)
                .map(|account| account.sessions.clone())
                .unwrap_or_default();
            (sessions, table.readers.get(principal.farm()).cloned())
        };
        let message = Message {
            topic: topic.into(),
            payload: payload.clone(),
            at_least_once: true,
            expires: Some(now + COMMAND_EXPIRY),
        };
        let mut outcome = Err(DownlinkError::NotConnected);
        for session in sessions {
            match session.offer(&message, WhenFull::Refuse, now, &self.counts) {
                Offered::Queued => outcome = Ok(()),
                Offered::Full if outcome.is_err() => outcome = Err(DownlinkError::Full),
                Offered::Full | Offered::NotSubscribed => {}
            }
        }
        if let Some(readers) = readers.filter(|readers| outcome.is_ok() && readers.any()) {
            readers.deliver(&message.topic, payload, true, now, &self.counts);
        }
        outcome
    }

    /// Ends all connections and parked sessions of a principal. How many connections that were.
    pub(super) fn revoke(&self, principal: &Principal) -> usize {
        let mut table = self.lock();
        let sessions = table
            .accounts
            .get(principal)
            .map(|account| account.sessions.clone())
            .unwrap_or_default();
        let mut ended = 0;
        for session in sessions {
            let live = session
                .lock()
                .holder
                .as_ref()
                .map(|holder| Arc::clone(&holder.control));
            match live {
                Some(control) => {
                    control.kick(Kick::Revoked);
                    ended += 1;
                }
                None => Self::forget(&mut table, &session),
            }
        }
        ended
    }

    /// Asks every connection that holds a session to end.
    pub(super) fn kick_all(&self, why: Kick) {
        let table = self.lock();
        for session in table
            .accounts
            .values()
            .flat_map(|account| &account.sessions)
        {
            if let Some(holder) = &session.lock().holder {
                holder.control.kick(why);
            }
        }
    }

    /// How many sessions wait for their clients.
    pub(super) fn parked(&self) -> usize {
        self.lock().parked.len()
    }

    /// Who is refused now, and for how long.
    pub(super) fn backed_off(&self, now: Instant) -> Vec<(Principal, Duration)> {
        let table = self.lock();
        let mut refused: Vec<_> = table
            .accounts
            .iter()
            .filter_map(|(principal, account)| {
                let until = account
                    .throttle
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .refused_until(now)?;
                Some((principal.clone(), until - now))
            })
            .collect();
        refused.sort_by_key(|(_, left)| std::cmp::Reverse(*left));
        refused
    }
}

impl Table {
    fn park(&mut self, session: &Arc<Session>, parked: Parked) {
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
    fn unpark(&mut self, session: &Arc<Session>) -> Option<Parked> {
        let parked = session.lock().parked.take()?;
        self.parked.remove(&(parked.until, parked.number));
        if let Some((at, _)) = &parked.will {
            self.wills.remove(&(*at, parked.number));
        }
        Some(parked)
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
}

/// The will of a parked session, which it then has no more.
fn take_will(session: &Session) -> Option<Batch> {
    let mut state = session.lock();
    let (_, will) = state.parked.as_mut()?.will.take()?;
    Some(will)
}

/// A count as a gauge takes it.
pub(super) fn count(n: usize) -> f64 {
    u32::try_from(n).map_or(f64::from(u32::MAX), f64::from)
}
