//! Who tried to connect lately: guessing, hasty reconnecting and TLS handshakes that fail are slowed.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::throttle::Bucket;

/// Failed sign-ins of one user name from one address before it has to wait.
const MAX_FAILED: u32 = 10;
/// How long it has to wait then.
const FAILED_WAIT: Duration = Duration::from_secs(30);
/// Connections of one user name from one address at once, and a second in the long run: to check a password is costly on
/// purpose, also when it is right.
const CONNECTS: (u32, u32) = (200, 5);
/// TLS handshakes of one address that may fail at once, and a second in the long run. All of a farm may stand behind it.
const BAD_HANDSHAKES: (u32, u32) = (200, 5);
/// Stands for a user name where none is known yet; none has a NUL in it.
const NO_NAME_YET: &str = "\0tls";
/// How many pairs of address and user name are remembered.
const MAX_ATTEMPTS: usize = 4_096;
/// How long a pair is remembered; by then its connects are forgiven.
const ATTEMPTS_KEPT: Duration = Duration::from_secs(60);
/// How often a full memory of them is searched for what may be forgotten.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Who tried to connect lately, by address and user name: guessing and hasty reconnecting are slowed without locking out
/// the true owner elsewhere.
#[derive(Default)]
pub(super) struct Attempts(Mutex<Lately>);

#[derive(Default)]
struct Lately {
    seen: HashMap<(IpAddr, String), Attempt>,
    /// When those that are not recent were last looked for.
    looked: Option<Instant>,
}

struct Attempt {
    connects: Bucket,
    failed: u32,
    last_failed: Instant,
    last: Instant,
}

impl Attempts {
    /// Whether an address may begin a TLS handshake: not when too many of its failed.
    pub(super) fn may_shake_hands(&self, peer: IpAddr, now: Instant) -> bool {
        let mut lately = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lately.seen.get_mut(&(peer, NO_NAME_YET.to_owned()));
        known.is_none_or(|attempt| attempt.connects.has_one(now))
    }

    /// Counts a TLS handshake that failed.
    pub(super) fn shook_no_hands(&self, peer: IpAddr, now: Instant) {
        self.count((peer, NO_NAME_YET.to_owned()), BAD_HANDSHAKES, now);
    }

    /// Counts an attempt. False when it is to be refused unseen.
    pub(super) fn may_try(&self, who: &(IpAddr, String), now: Instant) -> bool {
        self.count(who.clone(), CONNECTS, now)
    }

    fn count(&self, who: (IpAddr, String), most: (u32, u32), now: Instant) -> bool {
        let mut lately = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Lately { seen, looked } = &mut *lately;
        if seen.len() >= MAX_ATTEMPTS && !seen.contains_key(&who) {
            // Not for each of thousands that come back together.
            if looked.is_none_or(|at| now.saturating_duration_since(at) >= LOOK_EVERY) {
                *looked = Some(now);
                seen.retain(|_, a| now.saturating_duration_since(a.last) < ATTEMPTS_KEPT);
            }
            if seen.len() >= MAX_ATTEMPTS {
                // Nobody is refused for the doings of others; the pipeline bounds how many it checks at a time.
                return true;
            }
        }
        let attempt = seen.entry(who).or_insert_with(|| Attempt {
            connects: Bucket::new(most.1, most.0, now),
            failed: 0,
            last_failed: now,
            last: now,
        });
        attempt.last = now;
        if now.saturating_duration_since(attempt.last_failed) >= FAILED_WAIT {
            attempt.failed = 0;
        }
        if attempt.failed >= MAX_FAILED || !attempt.connects.has_one(now) {
            return false;
        }
        attempt.connects.take(1, now);
        true
    }

    pub(super) fn failed(&self, who: &(IpAddr, String), now: Instant) {
        let mut lately = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(attempt) = lately.seen.get_mut(who) {
            attempt.failed = attempt.failed.saturating_add(1);
            attempt.last_failed = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(n: usize) -> (IpAddr, String) {
        (IpAddr::from([10, 0, 0, 1]), n.to_string())
    }

    #[test]
    fn who_fails_again_and_again_waits() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        for _ in 0..MAX_FAILED {
            assert!(attempts.may_try(&who(1), now));
            attempts.failed(&who(1), now);
        }
        assert!(!attempts.may_try(&who(1), now));
        assert!(attempts.may_try(&who(2), now), "nobody else does");
        assert!(attempts.may_try(&who(1), now + FAILED_WAIT));
    }

    #[test]
    fn a_full_memory_of_attempts_is_searched_once_a_second() {
        let (attempts, begin) = (Attempts::default(), Instant::now());
        let at = |ms| begin + Duration::from_millis(ms);
        let remembers = |n, now| {
            assert!(attempts.may_try(&who(n), now));
            attempts.0.lock().unwrap().seen.contains_key(&who(n))
        };
        let half = MAX_ATTEMPTS / 2;
        assert!((0..half).all(|n| remembers(n, at(0))));
        assert!((half..MAX_ATTEMPTS).all(|n| remembers(n, at(30_000))));
        assert!(!remembers(MAX_ATTEMPTS, at(59_500)), "all are recent");
        assert!(!remembers(MAX_ATTEMPTS, at(60_400)), "nobody looked yet");
        assert!(remembers(MAX_ATTEMPTS, at(60_500)));
        assert!(remembers(half, at(60_500)), "a recent one stays");
        assert_eq!(attempts.0.lock().unwrap().seen.len(), half + 1);
    }
}
