//! Ports for servers that are told where to listen.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::TcpListener;
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Below those that the kernel gives to connections and to listeners that ask for any (32768 and up): one of those may be another's before
/// the server listens, or while it is down.
const THERE: Range<u16> = 20_000..32_000;

/// The next to try, from a place of this process's own.
static NEXT: LazyLock<AtomicU64> = LazyLock::new(|| AtomicU64::new(RandomState::new().hash_one(0)));

/// A port of this machine on which nobody listens, given once in this process.
#[must_use]
pub fn port() -> u16 {
    for _ in THERE {
        let next = NEXT.fetch_add(1, Ordering::Relaxed) % THERE.len() as u64;
        let port = THERE.start + u16::try_from(next).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("all ports of {THERE:?} are taken");
}
