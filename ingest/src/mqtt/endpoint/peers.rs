//! Connections by certificate: whom each named, and which of them would not be let in any more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use harit_protocol::Mac;
use rustls::pki_types::{CertificateDer, UnixTime};

use super::Shared;
use super::tls::{Current, WARN_BEFORE_SEC, days, due, now};
use crate::mqtt::certificate::{Nameless, controller, validity};
use crate::mqtt::session::{Control, Kick};

/// A certificate that was verified at the handshake, with what it says.
pub(super) struct Peer {
    chain: Vec<CertificateDer<'static>>,
    pub(super) named: Result<Mac, Nameless>,
    /// What it was verified by.
    by: Arc<Current>,
    until: u64,
}

impl Peer {
    /// What a client has shown; `None`: no certificate.
    pub(super) fn of(tls: &rustls::ServerConnection, by: Arc<Current>) -> Option<Self> {
        let chain = tls.peer_certificates()?;
        let first = chain.first()?;
        Some(Self {
            named: controller(first),
            until: validity(first).map_or(0, |(_, until)| until),
            chain: chain.iter().map(|c| c.clone().into_owned()).collect(),
            by,
        })
    }

    fn is_good(&self, current: &Current, at: u64) -> bool {
        let (Some(verifier), Some((first, others))) = (&current.verifier, self.chain.split_first())
        else {
            return false;
        };
        let at = UnixTime::since_unix_epoch(Duration::from_secs(at));
        verifier.verify_client_cert(first, others, at).is_ok()
    }
}

/// Who is here by certificate.
#[derive(Default)]
pub(super) struct Peers(Mutex<Here>);

#[derive(Default)]
struct Here {
    last: u64,
    all: HashMap<u64, (Arc<Peer>, Arc<Control>)>,
    /// Of which controllers' certificates the log said lately that they end. They are registered ones, so not too many.
    warned: HashMap<Mac, u64>,
}

impl Peers {
    fn lock(&self) -> MutexGuard<'_, Here> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection's place among them.
pub(super) struct Place<'a> {
    shared: &'a Shared,
    number: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.shared.peers.lock().all.remove(&self.number);
    }
}

impl Shared {
    /// Has a connection end once its certificate would not be taken any more.
    pub(super) fn admitted(&self, peer: Peer, control: &Arc<Control>) -> Place<'_> {
        if let Ok(mac) = peer.named
            && peer.until <= now() + WARN_BEFORE_SEC
            && due(&mut self.peers.lock().warned, mac, now())
        {
            let days_left = days(peer.until, now());
            tracing::warn!(%mac, days_left, "tls: a controller's certificate ends soon");
        }
        let (peer, control) = (Arc::new(peer), Arc::clone(control));
        let number = {
            let mut here = self.peers.lock();
            here.last += 1;
            let number = here.last;
            here.all
                .insert(number, (Arc::clone(&peer), Arc::clone(&control)));
            number
        };
        // What was read anew since the handshake has not seen it.
        let current = self.tls.as_ref().map(|tls| tls.current());
        if current.is_none_or(|c| !Arc::ptr_eq(&c, &peer.by) && !peer.is_good(&c, now())) {
            control.kick(Kick::Revoked);
        }
        Place {
            shared: self,
            number,
        }
    }

    /// Ends the connections whose certificates are over, and, when others are taken than before, those that are not taken
    /// any more. How many that were. Blocks.
    pub(super) fn judge(&self, anew: bool, at: u64) -> usize {
        let Some(current) = self.tls.as_ref().map(|tls| tls.current()) else {
            return 0;
        };
        let all: Vec<_> = self.peers.lock().all.values().cloned().collect();
        let mut ended = 0;
        for (peer, control) in all {
            if peer.until < at || (anew && !peer.is_good(&current, at)) {
                control.kick(Kick::Revoked);
                ended += 1;
            }
        }
        ended
    }
}
