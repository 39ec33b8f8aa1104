//! Random choices that can be repeated.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// `SplitMix64`.
pub(crate) struct Random(u64);

impl Random {
    /// From `HARIT_SEED`, or from the clock; says which.
    pub(crate) fn new(what: &str) -> Self {
        let given = std::env::var("HARIT_SEED")
            .ok()
            .and_then(|s| s.parse().ok());
        let seed = given.unwrap_or_else(|| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            u64::from(now.subsec_nanos()) ^ now.as_secs()
        });
        eprintln!("{what}: HARIT_SEED={seed}");
        Self(seed)
    }

    /// Another one, that goes its own way.
    pub(crate) fn fork(&mut self) -> Self {
        Self(self.next())
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A duration between two, in whole milliseconds.
    pub(crate) fn between(&mut self, from_ms: u64, to_ms: u64) -> Duration {
        Duration::from_millis(from_ms + self.next() % (to_ms - from_ms).max(1))
    }
}
