//! The listener: who may connect at all, by number and by address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use harit_protocol::{Mac, Reject};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::life::{Certificate, converse, serve};
use super::tls::Tls;
use super::{ACCEPT_REST, Shared};
use crate::mqtt::registry::count;
use crate::mqtt::{Client, Refused};

/// How many connections there are.
#[derive(Debug, Default)]
pub(super) struct Addresses(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    all: usize,
    of_each: HashMap<IpAddr, usize>,
}

impl Addresses {
    pub(super) fn all(&self) -> usize {
        self.lock().all
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection's place within the limits.
pub(super) struct Place {
    pub(super) shared: Arc<Shared>,
    pub(super) address: IpAddr,
}

impl Place {
    fn take(shared: &Arc<Shared>, address: IpAddr) -> Option<Self> {
        let mut addresses = shared.addresses.lock();
        let here = addresses.of_each.get(&address).copied().unwrap_or_default();
        if addresses.all >= shared.config.max_connections
            || here >= shared.config.max_connections_per_address
        {
            return None;
        }
        addresses.of_each.insert(address, here + 1);
        addresses.all += 1;
        shared.registry.counts.connections.set(count(addresses.all));
        Some(Self {
            shared: Arc::clone(shared),
            address,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut addresses = self.shared.addresses.lock();
        addresses.all -= 1;
        if let Some(here) = addresses.of_each.get_mut(&self.address) {
            *here -= 1;
            if *here == 0 {
                addresses.of_each.remove(&self.address);
            }
        }
        self.shared
            .registry
            .counts
            .connections
            .set(count(addresses.all));
    }
}

impl Shared {
    /// Tells that a connection was refused of which nothing but its address is known.
    pub(super) fn refused(&self, reason: Reject, address: IpAddr) {
        self.refused_for(reason, address, None, "");
    }

    /// The same, with whom it says to be, and why.
    pub(super) fn refused_for(
        &self,
        reason: Reject,
        address: IpAddr,
        named: Option<Mac>,
        detail: &str,
    ) {
        let refused = Refused {
            reason,
            from: None,
            username: named.as_ref().map_or("", Mac::as_str),
            client_id: "",
            address,
            topic: None,
            payload: b"",
            detail,
        };
        let refusals = &self.registry.refusals;
        refusals.tell(&*self.uplink, &refused, Instant::now());
    }
}

/// Serves a connection that another listener took, if there is a place for it.
pub(super) async fn visit<S: AsyncRead + AsyncWrite + Unpin>(
    shared: &Arc<Shared>,
    io: S,
    client: Client,
) {
    let Client {
        address,
        certificate,
    } = client;
    let Some(place) = Place::take(shared, address) else {
        shared.registry.counts.over_limit.one();
        shared.refused(Reject::TooManySessions, address);
        return;
    };
    // Who passes it on may take connections without one.
    if certificate.is_none() && shared.tls.as_ref().is_some_and(Tls::requires) {
        shared.registry.counts.certificate.one();
        shared.refused(Reject::Certificate, address);
        return;
    }
    let deadline = Instant::now() + shared.config.connect_timeout;
    let certificate = certificate.map_or(Certificate::None, Certificate::Passed);
    converse(&place, io, certificate, deadline).await;
}

/// Takes connections until the endpoint closes.
pub(super) async fn accept(
    shared: Arc<Shared>,
    listener: TcpListener,
    drop_all: CancellationToken,
) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shared.closing.cancelled() => return,
        };
        let (socket, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "mqtt: no connection could be accepted");
                tokio::time::sleep(ACCEPT_REST).await;
                continue;
            }
        };
        let Some(place) = Place::take(&shared, peer.ip().to_canonical()) else {
            shared.registry.counts.over_limit.one();
            shared.refused(Reject::TooManySessions, peer.ip().to_canonical());
            continue;
        };
        let drop_all = drop_all.clone();
        shared.tasks.spawn(async move {
            tokio::select! {
                () = serve(&place, socket) => {}
                () = drop_all.cancelled() => {}
            }
        });
    }
}
