//! From an accepted socket to an authenticated connection with its session.
//!
//! Until a client has shown who it is, it gets one small buffer, one deadline, and no answer to garbage.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::BytesMut;
use harit_engine::FarmId;
use harit_protocol::{Mac, Reject};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::Instant;

use super::attempts::Attempts;
use super::certificate::Nameless;
use super::connect::{BadConnect, Connect, MAX_CONNECT_BYTES, parse};
use super::connection::{MAX_PACKET_BYTES, RECEIVE_MAXIMUM, TOPIC_ALIASES};
use super::counts::Count;
use super::encode::{Welcome, refuse, welcome};
use super::frame::{Version, header};
use super::pass_on::{Client, Elsewhere, PassOn};
use super::permission::Rights;
use super::registry::{Held, NoSession, Registry};
use super::session::SessionKey;
use super::{OVERSIZED_KEPT_BYTES, Principal, Refusal, Refused, Uplink, reason};

/// The longest client id, in bytes.
const MAX_CLIENT_ID_BYTES: usize = 128;
/// The longest keep-alive that is granted; MQTT 5 clients are told.
const MAX_KEEP_ALIVE_SECONDS: u16 = 600;
/// How long a 3.1.1 client without a keep-alive may be silent.
const WITHOUT_KEEP_ALIVE: Duration = Duration::from_secs(3_600);
/// How long the answer to a refused client may take to write.
const ANSWER_PATIENCE: Duration = Duration::from_secs(2);

/// A connection that is ready for its loop.
pub(super) struct Ready {
    pub(super) connect: Connect,
    pub(super) held: Held,
    pub(super) rights: Rights,
    /// Where the client connects from.
    pub(super) peer: IpAddr,
    /// How long the client may be silent.
    pub(super) silence: Duration,
    /// How long its session outlives the connection.
    pub(super) expiry: Duration,
    /// The longest that any session does.
    pub(super) expiry_max: Duration,
    /// What came after the CONNECT already.
    pub(super) input: BytesMut,
}

/// What a handshake needs to know of its endpoint.
pub(super) struct Gate<'a> {
    pub(super) registry: &'a Registry,
    pub(super) uplink: &'a dyn Uplink,
    pub(super) attempts: &'a Attempts,
    pub(super) session_expiry_max: Duration,
    pub(super) assigned: &'a AtomicU64,
    pub(super) peer: IpAddr,
    /// Whom the client's certificate names, if it has shown one.
    pub(super) certificate: Option<Result<Mac, Nameless>>,
    /// What knows which farms other servers have, where there are any.
    pub(super) pass_on: Option<&'a dyn PassOn>,
}

impl Gate<'_> {
    /// Tells that a connection was refused, and why.
    fn refused(&self, reason: Reject, from: Option<&Principal>, connect: Option<&Connect>) {
        self.refused_for(reason, from, connect, "");
    }

    fn refused_for(
        &self,
        reason: Reject,
        from: Option<&Principal>,
        connect: Option<&Connect>,
        detail: &str,
    ) {
        // What a certificate says was shown, what a user name says was not.
        let username = match &self.certificate {
            Some(Ok(mac)) => Some(mac.as_str()),
            _ => connect.and_then(|c| c.username.as_deref()),
        };
        let refused = Refused {
            reason,
            from,
            username: username.unwrap_or_default(),
            client_id: connect.map_or("", |c| &c.client_id),
            address: self.peer,
            topic: None,
            payload: b"",
            detail,
        };
        let refusals = &self.registry.refusals;
        refusals.tell(self.uplink, &refused, Instant::now());
    }
}

/// How a handshake ends well: the client is this server's, or another one's.
pub(super) enum Shaken {
    Here(Box<Ready>),
    Elsewhere(Version, Elsewhere),
}

/// How a client is not let in: in silence, with an answer, or because another server has its farm.
enum Failed {
    Silent,
    Answer(Version, u8),
    Elsewhere(Version, FarmId),
}

impl From<BadConnect> for Failed {
    fn from(bad: BadConnect) -> Self {
        match bad {
            BadConnect::Close => Self::Silent,
            BadConnect::Refuse(version, code) => Self::Answer(version, code),
        }
    }
}

/// Takes a client in, or turns it away. `deadline` bounds the wait for its CONNECT.
pub(super) async fn handshake<S: AsyncRead + AsyncWrite + Unpin>(
    io: &mut S,
    gate: &Gate<'_>,
    deadline: Instant,
) -> Option<Shaken> {
    let counts = &gate.registry.counts;
    let failed = match tokio::time::timeout_at(deadline, read_connect(io)).await {
        Ok(Ok((connect, mut first, mut input))) => match admit(gate, connect, &mut input).await {
            Ok((ready, greeting)) => {
                let written = tokio::time::timeout(ANSWER_PATIENCE, io.write_all(&greeting)).await;
                if matches!(written, Ok(Ok(()))) && io.flush().await.is_ok() {
                    counts.connects.one();
                }
                // A client that is gone again is noticed by the connection's loop, which also lets go of the session.
                return Some(Shaken::Here(Box::new(ready)));
            }
            Err(Failed::Elsewhere(version, farm)) => {
                first.unsplit(input);
                let client = Client {
                    address: gate.peer,
                    certificate: gate.certificate.and_then(Result::ok),
                };
                let elsewhere = Elsewhere {
                    farm,
                    client,
                    first,
                };
                return Some(Shaken::Elsewhere(version, elsewhere));
            }
            Err(failed) => failed,
        },
        Ok(Err(failed)) => {
            counts.bad_connects.one();
            gate.refused(Reject::NoMqtt, None, None);
            failed
        }
        Err(_) => {
            counts.bad_connects.one();
            gate.refused(Reject::NoMqtt, None, None);
            return None;
        }
    };
    if let Failed::Answer(version, code) = failed {
        turn_away(io, version, code).await;
    }
    None
}

/// Answers that the client is not let in.
pub(super) async fn turn_away<S: AsyncWrite + Unpin>(io: &mut S, version: Version, code: u8) {
    let mut out = BytesMut::new();
    refuse(&mut out, version, code);
    let answer = async {
        io.write_all(&out).await?;
        io.shutdown().await
    };
    // The client may be gone; there is nobody else to tell.
    let _ = tokio::time::timeout(ANSWER_PATIENCE, answer).await;
}

/// Reads a CONNECT: what it says, its bytes, and what came after it already.
async fn read_connect<S: AsyncRead + Unpin>(
    io: &mut S,
) -> Result<(Connect, BytesMut, BytesMut), Failed> {
    let mut input = BytesMut::with_capacity(1_024);
    loop {
        // The first byte decides: whatever does not start like a CONNECT is not waited for.
        if input.first().is_some_and(|&first| first != 0x10) {
            return Err(Failed::Silent);
        }
        if let Some(found) = header(&input).map_err(|_| Failed::Silent)? {
            if found.total() > MAX_CONNECT_BYTES {
                return Err(Failed::Silent);
            }
            if input.len() >= found.total() {
                let connect = parse(found, input[0], &input[found.header_len..found.total()])?;
                let first = input.split_to(found.total());
                return Ok((connect, first, input));
            }
            input.reserve(found.total() - input.len());
        }
        if io.read_buf(&mut input).await.map_err(|_| Failed::Silent)? == 0 {
            return Err(Failed::Silent);
        }
    }
}

/// By what a client shows who it is.
enum Proof<'a> {
    /// A user name and its password.
    Password(&'a str),
    /// A certificate that was verified and names this controller.
    Certificate(Mac),
}

/// What a client shows: a certificate, and a user name that says the same or nothing, or else a user name.
fn proof<'a>(gate: &Gate<'_>, connect: &'a Connect) -> Result<Proof<'a>, Failed> {
    let counts = &gate.registry.counts;
    let username = connect.username.as_deref();
    let refuse = |count: &Count, reason, code, detail: &str| {
        count.one();
        gate.refused_for(reason, None, Some(connect), detail);
        Failed::Answer(connect.version, code)
    };
    match (gate.certificate, username) {
        (None, Some(username)) => Ok(Proof::Password(username)),
        (None, None) => {
            let code = reason::NOT_AUTHORIZED;
            let count = &counts.no_credentials;
            Err(refuse(count, Reject::NoCredentials, code, ""))
        }
        (Some(Err(nameless)), _) => {
            let (code, why) = (reason::NOT_AUTHORIZED, nameless.to_string());
            Err(refuse(&counts.certificate, Reject::Certificate, code, &why))
        }
        (Some(Ok(mac)), username) => {
            let other = username.filter(|name| !name.is_empty() && Mac::parse(name) != Ok(mac));
            let Some(other) = other else {
                return Ok(Proof::Certificate(mac));
            };
            let other: String = other.chars().take(64).collect();
            let why = format!("the user name is {other:?}, and the certificate is {mac}'s");
            let code = reason::BAD_CREDENTIALS;
            Err(refuse(&counts.certificate, Reject::Certificate, code, &why))
        }
    }
}

async fn authenticate(gate: &Gate<'_>, connect: &Connect) -> Result<Principal, Failed> {
    let counts = &gate.registry.counts;
    let refuse = |reason: Reject, from: Option<&Principal>, code: u8| {
        gate.refused(reason, from, Some(connect));
        Failed::Answer(connect.version, code)
    };
    let proof = proof(gate, connect)?;
    let name = match &proof {
        Proof::Password(username) => username.chars().take(64).collect(),
        Proof::Certificate(mac) => mac.to_string(),
    };
    let now = Instant::now();
    let who = (gate.peer, name);
    if !gate.attempts.may_try(&who, now) {
        counts.backed_off.one();
        return Err(refuse(
            Reject::TooManyConnects,
            None,
            reason::CONNECTION_RATE,
        ));
    }
    let principal = match proof {
        Proof::Certificate(mac) => gate.uplink.certified(&mac),
        Proof::Password(username) => {
            let (password, id) = (&connect.password, &connect.client_id);
            gate.uplink.authenticate(username, password, id).await
        }
    };
    let principal = principal.map_err(|refusal| {
        let (count, why, code) = match refusal {
            Refusal::BadCredentials => {
                gate.attempts.failed(&who, now);
                let code = reason::BAD_CREDENTIALS;
                (&counts.bad_credentials, Reject::BadCredentials, code)
            }
            Refusal::Unknown => {
                gate.attempts.failed(&who, now);
                let code = reason::NOT_AUTHORIZED;
                (&counts.certificate, Reject::UnknownController, code)
            }
            Refusal::Disabled => (&counts.disabled, Reject::Disabled, reason::NOT_AUTHORIZED),
            Refusal::Unavailable => (
                &counts.unavailable,
                Reject::Unavailable,
                reason::UNAVAILABLE,
            ),
        };
        count.one();
        refuse(why, None, code)
    })?;
    let until = gate.registry.refused_until(&principal, Instant::now());
    if until.is_some() {
        counts.backed_off.one();
        let who = Some(&principal);
        return Err(refuse(
            Reject::TooManyConnects,
            who,
            reason::CONNECTION_RATE,
        ));
    }
    Ok(principal)
}

/// Passes over a will to a topic that is not its owner's: clients have wills of their own, and one that nobody reads is no
/// reason to keep them out.
fn own_will(gate: &Gate<'_>, connect: &mut Connect, principal: &Principal, rights: &Rights) {
    let foreign = |will: &mut super::connect::Will| rights.publish(&will.topic).is_none();
    let Some(will) = connect.will.take_if(foreign) else {
        return;
    };
    gate.registry.counts.wills_foreign.one();
    let kept = will.payload.len().min(OVERSIZED_KEPT_BYTES);
    let refused = Refused {
        reason: Reject::ForeignWill,
        from: Some(principal),
        username: connect.username.as_deref().unwrap_or_default(),
        client_id: &connect.client_id,
        address: gate.peer,
        topic: Some(&will.topic),
        payload: &will.payload[..kept],
        detail: "",
    };
    let refusals = &gate.registry.refusals;
    refusals.tell(gate.uplink, &refused, Instant::now());
}

/// Authenticates, looks at the will, and gets the session; gives back the CONNACK too.
async fn admit(
    gate: &Gate<'_>,
    mut connect: Connect,
    input: &mut BytesMut,
) -> Result<(Ready, BytesMut), Failed> {
    let counts = &gate.registry.counts;
    let version = connect.version;
    let principal = authenticate(gate, &connect).await?;
    if gate
        .pass_on
        .is_some_and(|other| other.is_elsewhere(principal.farm()))
    {
        return Err(Failed::Elsewhere(version, principal.farm().clone()));
    }
    // Nobody asks for it again, and the connection may last for months.
    connect.password = Vec::new();
    if let Some(Ok(mac)) = &gate.certificate {
        // So that the log names whom it speaks of.
        connect.username = Some(mac.to_string());
    }
    let rights = Rights::of(&principal);
    own_will(gate, &mut connect, &principal, &rights);
    let no_id = connect.client_id.is_empty();
    if connect.client_id.len() > MAX_CLIENT_ID_BYTES
        || (no_id && version == Version::V4 && !connect.clean)
    {
        counts.client_id.one();
        gate.refused(Reject::ClientId, Some(&principal), Some(&connect));
        return Err(Failed::Answer(version, reason::CLIENT_ID_INVALID));
    }
    if no_id {
        connect.client_id = format!("auto-{}", gate.assigned.fetch_add(1, Ordering::Relaxed) + 1);
    }
    let key = SessionKey {
        principal: principal.clone(),
        client_id: connect.client_id.as_str().into(),
    };
    let held = gate
        .registry
        .hold(key, connect.clean, Instant::now())
        .await
        .map_err(|none| {
            let (count, why, code) = match none {
                NoSession::TooMany => (
                    &counts.over_limit,
                    Reject::TooManySessions,
                    reason::QUOTA_EXCEEDED,
                ),
                NoSession::Busy => (
                    &counts.unavailable,
                    Reject::Unavailable,
                    reason::SERVER_BUSY,
                ),
            };
            count.one();
            gate.refused(why, Some(&principal), Some(&connect));
            Failed::Answer(version, code)
        })?;
    gate.uplink.connected(&principal);

    let asked = Duration::from_secs(u64::from(connect.session_expiry));
    let expiry = asked.min(gate.session_expiry_max);
    let granted = (version == Version::V5 && expiry < asked)
        .then(|| u32::try_from(expiry.as_secs()).unwrap_or(u32::MAX));
    let imposed =
        version == Version::V5 && !(1..=MAX_KEEP_ALIVE_SECONDS).contains(&connect.keep_alive);
    if imposed {
        connect.keep_alive = MAX_KEEP_ALIVE_SECONDS;
    }
    let silence = match connect.keep_alive {
        0 => WITHOUT_KEEP_ALIVE,
        seconds => Duration::from_millis(1_500 * u64::from(seconds)),
    };
    let said = Welcome {
        session_present: held.present,
        assigned_client_id: no_id.then(|| connect.client_id.clone()),
        server_keep_alive: imposed.then_some(connect.keep_alive),
        session_expiry: granted,
        receive_maximum: RECEIVE_MAXIMUM,
        maximum_packet_size: u32::try_from(MAX_PACKET_BYTES).unwrap_or(u32::MAX),
        topic_alias_maximum: TOPIC_ALIASES,
    };
    let mut greeting = BytesMut::with_capacity(64);
    if welcome(&mut greeting, version, &said).is_err() {
        // Every value above is a valid one; were it not, the client sees a connection that closes.
        tracing::error!(client = %connect.client_id, "a CONNACK could not be made");
    }
    Ok((
        Ready {
            connect,
            held,
            rights,
            peer: gate.peer,
            silence,
            expiry,
            expiry_max: gate.session_expiry_max,
            input: std::mem::take(input),
        },
        greeting,
    ))
}
