//! What systemd is told (`sd_notify`, `Type=notify`): that the server is ready, how it is, that it stops, and as its watchdog's
//! food that its parts are at work.
//!
//! Ready is what `/readyz` says, asked over the server's own HTTP. A broker of others that is away must not keep the machine from
//! booting, so after half a minute a server that answers counts as ready with what it complains of as its status. The
//! watchdog is about what a new process mends: no answer, a shard that is given up. A full disk is not.

use std::env;
use std::io;
use std::net::SocketAddr;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixDatagram};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::readiness::{Asked, Readiness, own_url};

/// How long a server that answers is waited for to have nothing to complain of.
const READY_AT_LATEST: Duration = Duration::from_secs(30);
/// How often it is asked until it is ready, and later, unless the watchdog wants it sooner: each question is a line of its log.
const SOON: Duration = Duration::from_millis(250);
const LATER: Duration = Duration::from_secs(60);

/// Who started this process and wants to know.
#[derive(Debug)]
pub(super) struct Supervisor {
    socket: UnixDatagram,
    address: UnixAddress,
    watchdog: Option<Duration>,
}

impl Supervisor {
    /// As the environment says; none where nobody wants to know.
    ///
    /// # Errors
    /// When `NOTIFY_SOCKET` is no address.
    pub(super) fn from_environment() -> io::Result<Option<Self>> {
        let Some(name) = env::var_os("NOTIFY_SOCKET") else {
            return Ok(None);
        };
        let of_others =
            env::var("WATCHDOG_PID").is_ok_and(|pid| pid != std::process::id().to_string());
        let every = env::var("WATCHDOG_USEC").ok().filter(|_| !of_others);
        let bytes = name.as_encoded_bytes();
        let socket = UnixDatagram::unbound()?;
        // who does not read must not hold the server up
        socket.set_nonblocking(true)?;
        Ok(Some(Self {
            socket,
            address: match bytes.strip_prefix(b"@") {
                Some(name) => UnixAddress::from_abstract_name(name)?,
                None => UnixAddress::from_pathname(&name)?,
            },
            watchdog: every
                .and_then(|text| text.parse().ok())
                .map(Duration::from_micros),
        }))
    }

    fn say(&self, what: &str) {
        if let Err(error) = self.socket.send_to_addr(what.as_bytes(), &self.address) {
            tracing::warn!(%error, "systemd cannot be told");
        }
    }

    /// Tells it that this server waits for another one to go, which is all that it has to do.
    pub(super) fn stands_by(&self) {
        self.say("READY=1\nSTATUS=stands by: another server is at work\nWATCHDOG=1");
    }

    /// Tells it what a start waits for, which a new process would wait for too.
    pub(super) fn waits(&self, why: &str) {
        self.say(&format!("STATUS={why}\nWATCHDOG=1"));
    }

    /// Tells it until the server stops.
    pub(super) async fn run(self, http: SocketAddr, mut stopped: watch::Receiver<bool>) {
        let asked = match Asked::at(&own_url(http)) {
            Ok(asked) => asked,
            Err(error) => return tracing::error!(%error, "the server cannot be asked how it is"),
        };
        let began = Instant::now();
        let mut ready = false;
        let mut status = String::new();
        let later = self.watchdog.map_or(LATER, |w| (w / 3).min(LATER));
        loop {
            let found = tokio::select! {
                _ = stopped.wait_for(|s| *s) => break,
                found = asked.readiness() => found,
            };
            let now = match &found {
                Ok(r) if r.ready => "at work".to_owned(),
                Ok(r) => r.reasons.join("; "),
                Err(_) => "no answer".to_owned(),
            };
            if now != status {
                self.say(&format!("STATUS={now}"));
                status = now;
            }
            if let Ok(r) = &found
                && !ready
                && (r.ready || began.elapsed() > READY_AT_LATEST)
            {
                self.say("READY=1");
                ready = true;
            }
            if found.is_ok_and(|r| at_work(&r)) {
                self.say("WATCHDOG=1");
            }
            let pause = tokio::time::sleep(if ready { later } else { SOON });
            tokio::select! {
                _ = stopped.wait_for(|s| *s) => break,
                () = pause => {}
            }
        }
        self.say("STOPPING=1");
    }
}

/// Whether a new process would do no better.
fn at_work(found: &Readiness) -> bool {
    !found.problems.iter().any(|p| p == "shard")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watchdog_is_about_what_a_restart_mends() {
        let with = |problem: &str| Readiness {
            ready: false,
            problems: vec![problem.into()],
            reasons: Vec::new(),
        };
        assert!(at_work(&with("journal")) && at_work(&with("broker")) && at_work(&with("farm")));
        assert!(!at_work(&with("shard")));
    }
}
