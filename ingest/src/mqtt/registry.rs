//! Who is here: sessions by principal and client id, readers by farm, accounts by principal.
//!
//! Short critical sections under one lock; the traffic of connections does not pass through it. Order of locks: the
//! table, then one session.

mod readers;
mod table;
mod waiting;

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use harit_engine::FarmId;
use harit_protocol::Topic;
use tokio::sync::watch;
use tokio::time::Instant;

use self::readers::Readers;
use self::table::Table;
use super::counts::Counts;
use super::properties::Said;
use super::refused::Refusals;
use super::session::{
    Control, Holder, Kick, LeftWill, Message, Offered, Session, SessionKey, WhenFull,
};
use super::throttle::{Throttle, ThrottleConfig};
use super::{DownlinkError, Principal};

/// The most sessions of one principal, live and parked.
pub(super) const MAX_SESSIONS_PER_PRINCIPAL: usize = 16;
/// How long a newer connection waits for the older one of its client id to let go.
const TAKEOVER_PATIENCE: Duration = Duration::from_secs(8);
/// How long a message to a controller waits to be sent (protocol.md: a command expires after 15 s).
pub(super) const COMMAND_EXPIRY: Duration = Duration::from_secs(15);
/// The longest topic, in bytes.
const MAX_TOPIC_BYTES: usize = 512;

/// All sessions of an endpoint.
pub(super) struct Registry {
    table: Mutex<Table>,
    all_queued_bytes: Arc<AtomicUsize>,
    throttle: ThrottleConfig,
    /// The most sessions that wait for their clients; the one that would end first makes room.
    max_parked: usize,
    pub(super) counts: Counts,
    pub(super) refusals: Refusals,
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
    pub(super) later: Option<(Instant, LeftWill)>,
}

impl Registry {
    pub(super) fn new(throttle: ThrottleConfig, max_parked: usize) -> Self {
        Self {
            table: Mutex::default(),
            all_queued_bytes: Arc::default(),
            throttle,
            max_parked,
            counts: Counts::new(),
            refusals: Refusals::default(),
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
        self.lock().expect(&key.principal, self.throttle, now);
        let held = self.hold_expected(&key, clean).await;
        if held.is_err() {
            self.lock().unexpect(&key.principal);
        }
        held
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
            table.forget(&session);
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
            table.waiting.unpark(&session);
            self.counts.resumes.one();
            session
        } else {
            table.make_room(&key.principal)?;
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
        self.counts.parked.set(count(table.waiting.len()));
        Ok(Ok(Held {
            session,
            control,
            readers,
            throttle,
            present,
            gone: Some(gone),
        }))
    }

    /// Who reads a farm's topics, if anybody ever did.
    pub(super) fn readers(&self, farm: &FarmId) -> Option<Arc<Readers>> {
        self.lock().readers.get(farm).cloned()
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
            let mut evicted = 0;
            if leaving.expiry.is_zero() {
                table.forget(session);
            } else {
                table.waiting.park(session, leaving, now);
                evicted = table.evict_beyond(self.max_parked);
            }
            self.counts.parked.set(count(table.waiting.len()));
            evicted
        };
        self.counts.sessions_evicted.add(evicted);
        self.lock().unexpect(&session.key.principal) == 0
    }

    /// Ends what has waited long enough. Gives back the wills that are due.
    pub(super) fn sweep(&self, now: Instant) -> Vec<LeftWill> {
        let mut table = self.lock();
        let due = table.sweep(now);
        self.counts.parked.set(count(table.waiting.len()));
        due
    }

    /// Sends a message to the controller that its topic names, and to the farm's readers; one on another system's topic to that
    /// account alone.
    pub(super) fn publish(
        &self,
        to: Option<&Principal>,
        topic: &str,
        payload: &Bytes,
        now: Instant,
    ) -> Result<(), DownlinkError> {
        if topic.len() > MAX_TOPIC_BYTES || payload.len() > super::MAX_PAYLOAD_BYTES {
            return Err(DownlinkError::Invalid);
        }
        let principal = match to {
            Some(to) => to.clone(),
            None => {
                let to = Topic::parse(topic).map_err(|_| DownlinkError::Invalid)?;
                Principal::Controller {
                    farm: FarmId::from(to.farm),
                    mac: to.mac,
                }
            }
        };
        let (sessions, readers) = {
            let table = self.lock();
            let sessions = table
                .accounts
                .get(&principal)
                .map(|account| account.sessions.clone())
                .unwrap_or_default();
            let readers = table.readers.get(principal.farm());
            (sessions, readers.filter(|_| to.is_none()).cloned())
        };
        let message = Message {
            topic: topic.into(),
            payload: payload.clone(),
            at_least_once: true,
            expires: Some(now + COMMAND_EXPIRY),
            properties: Bytes::new(),
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
            let said = Said::default();
            readers.deliver(&message.topic, payload, true, &said, now, &self.counts);
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
                None => table.forget(&session),
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
        self.lock().waiting.len()
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

/// A count as a gauge takes it.
pub(super) fn count(n: usize) -> f64 {
    u32::try_from(n).map_or(f64::from(u32::MAX), f64::from)
}
