//! The life of a connection: it is secured, says who it is, runs, and parts.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::BytesMut;
use harit_protocol::{Mac, Reject};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::Instant;

use super::accept::Place;
use super::peers::{self, Peer};
use super::tls::Tls;
use super::verifier::watched;
use super::{Shared, certificate_refused};
use crate::mqtt::certificate::Nameless;
use crate::mqtt::connection::{Close, Connection};
use crate::mqtt::handshake::{Gate, Shaken, handshake, turn_away};
use crate::mqtt::pass_on::{self, Link};
use crate::mqtt::registry::Leaving;
use crate::mqtt::session::{Control, Kick, LeftWill, Session};
use crate::mqtt::{Batch, Principal, Publish, encode, reason};

/// How long a connection that ends may wait for the pipeline to take its last batch, or its will.
const SETTLE_PATIENCE: Duration = Duration::from_secs(5);
/// How long it may wait for receipts when the endpoint shuts down.
const RECEIPTS_PATIENCE: Duration = Duration::from_millis(1_500);
/// How long the last words to a client may take to write.
const FAREWELL_PATIENCE: Duration = Duration::from_secs(1);
/// How much is read and dropped after the last words, so that a reset does not overtake them.
const LINGER_BYTES: usize = 4 << 20;
/// How many bad publishes a broken protocol counts as.
const FAULT_COST: usize = 5;

/// Serves a connection from its first byte to its last. What it needs for a part of its life only is boxed, and so given
/// back after that part: there are many idle connections, and each keeps its task's whole size.
pub(super) async fn serve(place: &Place, socket: TcpStream) {
    let shared = &place.shared;
    let deadline = Instant::now() + shared.config.connect_timeout;
    // Without it an acknowledgement waits for the client's delayed TCP ack: 40 ms each.
    if socket.set_nodelay(true).is_err() {
        return;
    }
    match &shared.tls {
        None => converse(place, socket, Certificate::None, deadline).await,
        Some(tls) => Box::pin(secure(place, tls, socket, deadline)).await,
    }
}

async fn secure(place: &Place, tls: &Tls, socket: TcpStream, deadline: Instant) {
    let Place { shared, address } = place;
    let counts = &shared.registry.counts;
    if !shared.attempts.may_shake_hands(*address, Instant::now()) {
        counts.backed_off.one();
        return shared.refused(Reject::TooManyConnects, *address);
    }
    let current = tls.current();
    let accepting = current.acceptor.accept(socket);
    let accepting = Box::pin(tokio::time::timeout_at(deadline, accepting));
    let (accepted, named) = watched(accepting).await;
    let stream = match accepted {
        Ok(Ok(stream)) => stream,
        failed => {
            shared.attempts.shook_no_hands(*address, Instant::now());
            let why = failed.ok().and_then(Result::err);
            return match why.as_ref().and_then(certificate_refused) {
                Some(why) => {
                    counts.certificate.one();
                    shared.refused_for(Reject::Certificate, *address, named, &why);
                }
                None => {
                    counts.bad_connects.one();
                    let why = why.map(|why| why.to_string()).unwrap_or_default();
                    shared.refused_for(Reject::NoMqtt, *address, named, &why);
                }
            };
        }
    };
    let peer = Peer::of(stream.get_ref().1, current).map(Box::new);
    let certificate = peer.map_or(Certificate::None, Certificate::Shown);
    converse(place, stream, certificate, deadline).await;
}

/// The certificate of who connects.
pub(super) enum Certificate {
    None,
    /// Shown here.
    Shown(Box<Peer>),
    /// Shown to another server, which has verified it and passes the connection on: this controller's.
    Passed(Mac),
}

impl Certificate {
    fn named(&self) -> Option<Result<Mac, Nameless>> {
        match self {
            Self::None => None,
            Self::Shown(peer) => Some(peer.named),
            Self::Passed(mac) => Some(Ok(*mac)),
        }
    }

    fn peer(self) -> Option<Box<Peer>> {
        match self {
            Self::Shown(peer) => Some(peer),
            Self::None | Self::Passed(_) => None,
        }
    }
}

/// A principal that is here; dropping it is leaving, also when the connection's task panics.
struct Presence<'a> {
    shared: &'a Shared,
    session: Arc<Session>,
    leaving: Option<Leaving>,
    gone: Option<watch::Sender<()>>,
    /// Its place among the connections by certificate, if it is one.
    _peer: Option<peers::Place<'a>>,
}

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        let leaving = self.leaving.take().unwrap_or_default();
        if self
            .shared
            .registry
            .leave(&self.session, leaving, Instant::now())
        {
            self.shared.uplink.disconnected(&self.session.key.principal);
        }
        drop(self.gone.take());
    }
}

pub(super) async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
    place: &Place,
    io: S,
    certificate: Certificate,
    deadline: Instant,
) {
    match Box::pin(meet(place, io, certificate, deadline)).await {
        Some(Meeting::Here(mut met)) => {
            let close = met.connection.run().await;
            Box::pin(part(met, close)).await;
        }
        Some(Meeting::Elsewhere(io, link, peer)) => {
            Box::pin(relay(&place.shared, io, link, peer)).await;
        }
        None => {}
    }
}

/// A client that is here.
struct Met<'a, S> {
    connection: Connection<'a, S>,
    presence: Presence<'a>,
}

/// What became of who connected.
enum Meeting<'a, S> {
    Here(Box<Met<'a, S>>),
    /// Another server's, to which there is a way.
    Elsewhere(S, Box<dyn Link>, Option<Box<Peer>>),
}

/// Passes a connection on, for as long as its certificate is taken.
async fn relay<S: AsyncRead + AsyncWrite + Unpin>(
    shared: &Shared,
    io: S,
    link: Box<dyn Link>,
    peer: Option<Box<Peer>>,
) {
    let control = Arc::new(Control::default());
    let _peer = peer.map(|peer| shared.admitted(*peer, &control));
    let kicked = poll_fn(|cx| match control.kicked(cx.waker()) {
        Some(_) => Poll::Ready(()),
        None => Poll::Pending,
    });
    tokio::select! {
        () = pass_on::pass(io, link) => {}
        () = kicked => {}
        () = shared.closing.cancelled() => {}
    }
}

/// The begin of a connection: who it is, and its session.
async fn meet<S: AsyncRead + AsyncWrite + Unpin>(
    place: &Place,
    mut io: S,
    certificate: Certificate,
    deadline: Instant,
) -> Option<Meeting<'_, S>> {
    let shared = &*place.shared;
    let gate = Gate {
        registry: &shared.registry,
        uplink: &*shared.uplink,
        attempts: &shared.attempts,
        session_expiry_max: shared.config.session_expiry_max,
        assigned: &shared.assigned,
        peer: place.address,
        certificate: certificate.named(),
        pass_on: shared.pass_on.get().map(|by| &**by),
    };
    let shaken = tokio::select! {
        shaken = handshake(&mut io, &gate, deadline) => shaken,
        () = shared.closing.cancelled() => None,
    }?;
    let mut ready = match shaken {
        Shaken::Here(ready) => *ready,
        Shaken::Elsewhere(version, elsewhere) => {
            return match elsewhere.open(gate.pass_on?).await {
                Ok(link) => {
                    shared.registry.counts.passed_on.one();
                    Some(Meeting::Elsewhere(io, link, certificate.peer()))
                }
                Err(error) => {
                    shared.registry.counts.unavailable.one();
                    tracing::debug!(%error, farm = %elsewhere.farm, "mqtt: a connection could not be passed on");
                    turn_away(&mut io, version, reason::UNAVAILABLE).await;
                    None
                }
            };
        }
    };
    let presence = Presence {
        shared,
        session: Arc::clone(&ready.held.session),
        leaving: None,
        gone: ready.held.gone.take(),
        _peer: { certificate.peer() }.map(|peer| shared.admitted(*peer, &ready.held.control)),
    };
    let connection = Connection::new(io, ready, &shared.registry, &*shared.uplink);
    Some(Meeting::Here(Box::new(Met {
        connection,
        presence,
    })))
}

/// The end of a connection: hands over what was read, publishes the will or has it wait, lets go of the session, and says
/// goodbye.
async fn part<S: AsyncRead + AsyncWrite + Unpin>(met: Box<Met<'_, S>>, close: Close) {
    let Met {
        mut presence,
        mut connection,
    } = *met;
    let shared = presence.shared;
    note(shared, &presence.session, close);
    if matches!(close, Close::Fault(_)) {
        // Who breaks the protocol again and again is refused for a while like who sends bad publishes.
        connection.throttle(|throttle| throttle.bad(FAULT_COST, Instant::now()));
    }

    let shutdown = close == Close::Kicked(Kick::Shutdown);
    let patience = if shutdown {
        RECEIPTS_PATIENCE
    } else {
        SETTLE_PATIENCE
    };
    if tokio::time::timeout(patience, connection.settle(shutdown))
        .await
        .is_err()
    {
        tracing::debug!(principal = ?presence.session.key.principal, "mqtt: closed before the pipeline took all");
    }
    connection.leave_unsettled();
    let expiry = if close == Close::Kicked(Kick::Revoked) {
        Duration::ZERO
    } else {
        connection.ready.expiry
    };
    let mut leaving = Leaving {
        expiry,
        later: None,
    };
    let unwanted = shutdown || close == (Close::Goodbye { with_will: false });
    let will = connection.ready.connect.will.take();
    if let Some(will) = will.filter(|_| !unwanted)
        && let Some(topic) = connection.ready.rights.publish(&will.topic)
    {
        let publish = Publish {
            topic: Arc::clone(topic),
            payload: will.payload,
            retain: will.retain,
            oversized: None,
        };
        let delay = Duration::from_secs(u64::from(will.delay)).min(expiry);
        if shared.registry.has_others(&presence.session) {
            shared.registry.counts.wills_superseded.one();
        } else {
            let batch = Batch {
                from: Some(presence.session.key.principal.clone()),
                publishes: vec![publish],
            };
            let left = LeftWill {
                batch,
                said: will.said,
            };
            if delay.is_zero() {
                publish_will(shared, left).await;
            } else {
                leaving.later = Some((Instant::now() + delay, left));
            }
        }
    }
    presence.leaving = Some(leaving);
    drop(presence);
    if let Some(code) = close.code() {
        encode::disconnect(
            &mut connection.output,
            connection.ready.connect.version,
            code,
        );
    }
    let Connection { io, output, .. } = connection;
    farewell(io, &output).await;
}

/// Counts and tells why a connection ended.
fn note(shared: &Shared, session: &Session, close: Close) {
    let counts = &shared.registry.counts;
    match close {
        Close::Fault(_) => counts.faults.one(),
        Close::Silent | Close::Stalled => counts.timeouts.one(),
        Close::CutOff => {
            counts.cut_off.one();
            tracing::warn!(principal = ?session.key.principal, "mqtt: cut off for bad publishes");
        }
        // A lost receipt was counted where it was seen.
        Close::ReceiptLost | Close::Gone | Close::Goodbye { .. } | Close::Kicked(_) => {}
    }
    tracing::debug!(principal = ?session.key.principal, client = %session.key.client_id, ?close, "mqtt: closed");
}

/// Writes the last words, and reads for a moment longer: data that arrives at a closed socket resets the connection, and
/// the reset can overtake the words.
async fn farewell<S: AsyncRead + AsyncWrite + Unpin>(mut io: S, output: &[u8]) {
    let last = async {
        io.write_all(output).await?;
        io.shutdown().await?;
        let mut dropped = BytesMut::with_capacity(16 << 10);
        let mut left = LINGER_BYTES;
        while left > 0 {
            dropped.clear();
            let read = io.read_buf(&mut dropped).await?;
            if read == 0 {
                break;
            }
            left = left.saturating_sub(read);
        }
        io::Result::Ok(())
    };
    // The client may be gone, and nobody is left to tell.
    let _ = tokio::time::timeout(FAREWELL_PATIENCE, last).await;
}

/// Publishes a will: to those who read its farm's topics, and to the pipeline.
pub(super) async fn publish_will(shared: &Shared, will: LeftWill) {
    let LeftWill { batch, said } = will;
    let registry = &shared.registry;
    let farm = batch.from.as_ref().map(Principal::farm);
    let readers = farm.and_then(|farm| registry.readers(farm));
    if let Some(readers) = readers.filter(|readers| readers.any()) {
        let now = Instant::now();
        for Publish { topic, payload, .. } in &batch.publishes {
            readers.deliver(topic, payload, true, &said, now, &registry.counts);
        }
    }
    if tokio::time::timeout(SETTLE_PATIENCE, shared.uplink.receive(batch))
        .await
        .is_ok()
    {
        shared.registry.counts.wills.one();
    } else {
        tracing::warn!(
            "mqtt: a will was dropped, because the pipeline was full for {SETTLE_PATIENCE:?}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task<'a, F: Future>(_: impl FnOnce(&'a Place, TcpStream) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn an_idle_connection_keeps_little() {
        // It was 9,600 when it had room for its handshake and for the end of its life.
        assert!(task(serve) <= 512, "{} bytes", task(serve));
        let met = size_of::<Met<'_, TcpStream>>();
        assert!(met <= 1_024, "{met} bytes");
    }
}
