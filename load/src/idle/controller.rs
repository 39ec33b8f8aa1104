//! One idle controller: it connects as a real one does (clean session, will, subscription, birth message), answers what it
//! is told, pings, and connects again when its link is lost.

use std::cell::RefCell;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::Instant;

use crate::connection::{Times, following};
use crate::farm::{Account, FAREWELL, idle_state};
use crate::frame::{self, Connect, Packet};
use crate::handshake::{Failed, HANDSHAKE, accepted};
use crate::stats::Stats;

/// Seconds, as most controllers have it.
const KEEP_ALIVE: u16 = 60;
/// Packet ids of a handshake.
const SUBSCRIBE: u16 = 1;
const BIRTH: u16 = 2;
/// How much is read at once.
const READ_BYTES: usize = 4 << 10;

/// What all of them are told.
pub(super) struct Errand {
    pub(super) server: Vec<SocketAddr>,
    /// How many may connect at a time at first.
    pub(super) places: Semaphore,
    /// Who is connected, or cannot.
    pub(super) connected: mpsc::UnboundedSender<Result<(), String>>,
    /// The time from one reconnect of a controller to its next.
    pub(super) every: Option<Duration>,
    pub(super) stats: Rc<RefCell<Stats>>,
}

/// Who it is.
pub(super) struct Controller {
    n: usize,
    account: Account,
    from: Option<Ipv4Addr>,
}

impl Controller {
    pub(super) fn new(n: usize, account: Account, from: Option<Ipv4Addr>) -> Self {
        Self { n, account, from }
    }

    fn topic(&self, kind: &str) -> String {
        format!("harit/1/{}/{}/{kind}", self.account.farm, self.account.mac)
    }

    /// What it answers to a command, if it has to.
    fn answer(&self, link: &mut Link, command: &[u8]) {
        let Ok(command) = serde_json::from_slice::<Value>(command) else {
            return;
        };
        if command["cmd_type"] == "renew" {
            return;
        }
        let ack = json!({"command_id": command["command_id"], "status": "ack"});
        link.publish(&self.topic("ack"), &ack.to_string(), false);
        let on = command["action"]["on"] == true;
        link.publish(&self.topic("state"), &idle_state(self.n, on), true);
    }
}

/// Connects, and lives until the run ends.
pub(super) async fn live(
    controller: Controller,
    errand: Rc<Errand>,
    mut times: watch::Receiver<Option<Times>>,
    share: f64,
) -> Result<(), Failed> {
    let place = errand.places.acquire().await;
    let opened = Link::open(&controller, &errand.server).await;
    drop(place);
    let told = opened.as_ref().map(|_| ());
    let told = told.map_err(|e| format!("{}: {e}", controller.account.mac));
    // Who could not connect is told of here, and who could lives on.
    let _nobody_asks = errand.connected.send(told);
    let Ok(mut link) = opened else { return Ok(()) };
    let mut timer = pin!(tokio::time::sleep(Duration::ZERO));
    let mut run: Option<(Times, Option<Instant>)> = None;
    loop {
        let mut next = link.spoke + Duration::from_secs(KEEP_ALIVE.into());
        if let Some((times, due)) = run {
            next = next.min(times.end).min(due.unwrap_or(times.end));
        }
        timer.as_mut().reset(next);
        tokio::select! {
            readable = link.io.readable() => {
                readable?;
                link.take(&controller).await?;
            }
            changed = times.changed(), if run.is_none() => {
                let Some(times) = changed.ok().and_then(|()| *times.borrow()) else {
                    return Ok(());
                };
                run = Some((times, errand.every.map(|every| times.begin + every.mul_f64(share))));
            }
            () = &mut timer => {
                let now = Instant::now();
                let (end, due) = run.map_or((None, None), |(times, due)| (Some(times.end), due));
                if end.is_some_and(|end| end <= now) {
                    return link.leave().await;
                }
                match (due.filter(|due| *due <= now), &mut run, errand.every) {
                    (Some(due), Some((times, next)), Some(every)) => {
                        *next = Some(due + every);
                        // The link is lost: no goodbye.
                        drop(link);
                        link = Link::open(&controller, &errand.server).await?;
                        if due >= times.measure {
                            link.note(now - due, &errand.stats);
                        }
                    }
                    _ => link.ping().await?,
                }
            }
        }
    }
}

/// A controller's connection.
struct Link {
    io: TcpStream,
    /// A packet that is not complete.
    input: Vec<u8>,
    out: Vec<u8>,
    next_id: u16,
    spoke: Instant,
    /// A ping was sent, and nothing was heard since.
    pinged: bool,
    began: Instant,
    accepted: Instant,
    born: Option<Instant>,
}

impl Link {
    /// Connects, subscribes to the commands, says what the controller has, and waits until that is taken.
    async fn open(controller: &Controller, server: &[SocketAddr]) -> Result<Self, Failed> {
        let opening = async {
            let began = Instant::now();
            let account = &controller.account;
            let state = controller.topic("state");
            let who = Connect {
                client: &account.mac,
                user: &account.mac,
                password: &account.secret,
                keep_alive: KEEP_ALIVE,
                will: Some((&state, FAREWELL)),
            };
            let (io, input) = accepted(server, controller.from, &who).await?;
            let mut link = Self {
                io,
                input,
                out: Vec::new(),
                next_id: following(BIRTH),
                spoke: began,
                pinged: false,
                began,
                accepted: Instant::now(),
                born: None,
            };
            frame::subscribe(&mut link.out, SUBSCRIBE, &controller.topic("command"));
            let birth = idle_state(controller.n, false);
            frame::publish(&mut link.out, &state, birth.as_bytes(), Some(BIRTH), true);
            link.flush().await?;
            while link.born.is_none() {
                link.io.readable().await?;
                link.take(controller).await?;
            }
            Ok(link)
        };
        tokio::time::timeout(HANDSHAKE, opening)
            .await
            .unwrap_or(Err(Failed::Silent))
    }

    /// What a reconnect took, and how late it began.
    fn note(&self, late: Duration, stats: &RefCell<Stats>) {
        let mut stats = stats.borrow_mut();
        stats.late.record(late, 1);
        stats.accepted.record(self.accepted - self.began, 1);
        if let Some(born) = self.born {
            stats.born.record(born - self.began, 1);
        }
    }

    /// Reads what is there, and answers it.
    async fn take(&mut self, controller: &Controller) -> Result<(), Failed> {
        self.read()?;
        let input = std::mem::take(&mut self.input);
        let mut rest = &input[..];
        while let Some(packet) = frame::take(&mut rest)? {
            match packet {
                Packet::Suback(0x80..) => return Err(Failed::Refused("the subscription")),
                Packet::Puback(BIRTH) if self.born.is_none() => self.born = Some(Instant::now()),
                Packet::Publish { packet_id, payload } => {
                    if let Some(id) = packet_id {
                        frame::puback(&mut self.out, id);
                    }
                    controller.answer(self, payload);
                }
                _ => {}
            }
        }
        // Mostly nothing is left, and no memory is kept for it.
        self.input = rest.to_vec();
        self.flush().await
    }

    /// Reads until nothing more is there. The buffer is on the stack: an idle connection has none.
    fn read(&mut self) -> Result<(), Failed> {
        let mut bytes = [0; READ_BYTES];
        loop {
            match self.io.try_read(&mut bytes) {
                Ok(0) => return Err(Failed::Closed),
                Ok(read) => {
                    self.input.extend_from_slice(&bytes[..read]);
                    self.pinged = false;
                    if read < bytes.len() {
                        return Ok(());
                    }
                }
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => return Ok(()),
                Err(e) => return Err(e.into()),
            }
        }
    }

    fn publish(&mut self, topic: &str, payload: &str, retain: bool) {
        let id = self.next_id;
        self.next_id = following(id);
        frame::publish(&mut self.out, topic, payload.as_bytes(), Some(id), retain);
    }

    async fn flush(&mut self) -> Result<(), Failed> {
        if !self.out.is_empty() {
            self.io.write_all(&self.out).await?;
            self.out = Vec::new();
            self.spoke = Instant::now();
        }
        Ok(())
    }

    async fn ping(&mut self) -> Result<(), Failed> {
        if self.pinged {
            return Err(Failed::NoPong(KEEP_ALIVE));
        }
        self.pinged = true;
        frame::pingreq(&mut self.out);
        self.flush().await
    }

    async fn leave(mut self) -> Result<(), Failed> {
        frame::disconnect(&mut self.out);
        self.flush().await
    }
}
