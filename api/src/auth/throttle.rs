//! How often something may be tried: a token bucket a key, in a bounded table.
//!
//! The table lives in memory and starts empty after a restart. That is enough against floods; limits that protect an
//! account's codes across a restart belong to the records.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most keys that are remembered.
const MAX_KEYS: usize = 20_000;

/// So many at once, and again so many in that time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    pub(crate) burst: u32,
    pub(crate) per: Duration,
}

impl Limit {
    pub(crate) const fn per_minute(n: u32) -> Self {
        Self {
            burst: n,
            per: Duration::from_secs(60),
        }
    }

    pub(crate) const fn per_hour(n: u32) -> Self {
        Self {
            burst: n,
            per: Duration::from_secs(3_600),
        }
    }

    fn refill_per_sec(self) -> f64 {
        f64::from(self.burst) / self.per.as_secs_f64()
    }
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,
    at: Instant,
}

/// Buckets by key.
#[derive(Debug)]
pub(crate) struct Throttle {
    limit: Limit,
    buckets: Mutex<HashMap<String, Bucket>>,
}

impl Throttle {
    pub(crate) fn new(limit: Limit) -> Self {
        Self {
            limit,
            buckets: Mutex::default(),
        }
    }

    /// Takes one; when there is none, says after how many seconds there will be.
    pub(crate) fn take(&self, key: &str, now: Instant) -> Result<(), u64> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MAX_KEYS && !buckets.contains_key(key) {
            self.make_room(&mut buckets, now);
        }
        let full = f64::from(self.limit.burst);
        let bucket = buckets.entry(key.to_owned()).or_insert(Bucket {
            tokens: full,
            at: now,
        });
        let gained =
            now.saturating_duration_since(bucket.at).as_secs_f64() * self.limit.refill_per_sec();
        *bucket = Bucket {
            tokens: (bucket.tokens + gained).min(full),
            at: now,
        };
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            return Ok(());
        }
        metrics::counter!("harit_throttled_total").increment(1);
        let wait = Duration::from_secs_f64((1.0 - bucket.tokens) / self.limit.refill_per_sec());
        Err(wait.as_secs() + 1)
    }

    /// Gives one back: what succeeded is not counted.
    pub(crate) fn give_back(&self, key: &str) {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = buckets.get_mut(key) {
            bucket.tokens = (bucket.tokens + 1.0).min(f64::from(self.limit.burst));
        }
    }

    /// Forgets what is full again; when nothing is, a flood of keys is under way, and the half that was used least goes: keys
    /// that are used once each do not take the limits off those that are used up.
    fn make_room(&self, buckets: &mut HashMap<String, Bucket>, now: Instant) {
        let (limit, full) = (self.limit, f64::from(self.limit.burst));
        let left = |b: &Bucket| {
            b.tokens + now.saturating_duration_since(b.at).as_secs_f64() * limit.refill_per_sec()
        };
        buckets.retain(|_, b| left(b) < full);
        if buckets.len() >= MAX_KEYS {
            metrics::counter!("harit_throttle_overflows_total").increment(1);
            let mut by_use: Vec<(f64, String)> =
                buckets.iter().map(|(k, b)| (left(b), k.clone())).collect();
            by_use.sort_by(|a, b| b.0.total_cmp(&a.0));
            for (_, key) in by_use.into_iter().take(MAX_KEYS / 2) {
                buckets.remove(&key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_and_refills() {
        let throttle = Throttle::new(Limit::per_minute(3));
        let t0 = Instant::now();
        for _ in 0..3 {
            assert_eq!(throttle.take("a", t0), Ok(()));
        }
        assert_eq!(throttle.take("a", t0), Err(21));
        assert_eq!(throttle.take("b", t0), Ok(()));
        assert!(throttle.take("a", t0 + Duration::from_secs(19)).is_err());
        assert_eq!(throttle.take("a", t0 + Duration::from_secs(21)), Ok(()));
        throttle.give_back("a");
        assert_eq!(throttle.take("a", t0 + Duration::from_secs(21)), Ok(()));
    }

    #[test]
    fn the_table_is_bounded() {
        let throttle = Throttle::new(Limit::per_minute(1));
        let t0 = Instant::now();
        for n in 0..MAX_KEYS + 10 {
            let _ = throttle.take(&n.to_string(), t0);
        }
        assert!(throttle.buckets.lock().expect("unpoisoned").len() <= MAX_KEYS);
    }

    #[test]
    fn a_flood_of_keys_does_not_take_off_a_limit() {
        let throttle = Throttle::new(Limit::per_hour(5));
        let t0 = Instant::now();
        while throttle.take("victim", t0).is_ok() {}
        for n in 0..3 * MAX_KEYS {
            let _ = throttle.take(&n.to_string(), t0);
        }
        assert!(throttle.take("victim", t0).is_err());
    }
}
