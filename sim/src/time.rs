//! Virtual time: the true one, and what the server's clock makes of it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use harit_engine::Timestamp;
use harit_ingest::clock::TimeSource;

/// When simulations begin: milliseconds since the Unix epoch.
pub const START_MS: i64 = 1_760_000_000_000;

/// The server's clock. It stands until it is moved.
#[derive(Debug)]
pub struct VirtualTime {
    /// The true time.
    now_ms: AtomicI64,
    /// How far the server's wall clock is off.
    off_ms: AtomicI64,
}

impl Default for VirtualTime {
    fn default() -> Self {
        Self {
            now_ms: AtomicI64::new(START_MS),
            off_ms: AtomicI64::new(0),
        }
    }
}

impl VirtualTime {
    /// The true time.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        self.now_ms.load(Ordering::Relaxed)
    }

    /// Time goes on to this instant.
    pub fn pass_to(&self, now_ms: i64) {
        self.now_ms.fetch_max(now_ms, Ordering::Relaxed);
    }

    /// Somebody sets the server's wall clock so far from the truth.
    pub fn step_to(&self, off_ms: i64) {
        self.off_ms.store(off_ms, Ordering::Relaxed);
    }

    /// How far the server's wall clock is off.
    #[must_use]
    pub fn off_ms(&self) -> i64 {
        self.off_ms.load(Ordering::Relaxed)
    }
}

impl TimeSource for VirtualTime {
    fn wall(&self) -> Timestamp {
        Timestamp::from_millis(self.now_ms() + self.off_ms())
    }

    fn monotonic(&self) -> Duration {
        Duration::from_millis((self.now_ms() - START_MS + 1).unsigned_abs())
    }
}
