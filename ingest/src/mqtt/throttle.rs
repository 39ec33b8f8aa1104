//! What one principal may cost: messages, bytes and bad publishes, each a token bucket.
//!
//! Over its rate a principal is not refused: its socket is read later, so that TCP pushes back on it and nobody else
//! notices. Only bad publishes (unparsable, oversized, to a forbidden topic) lead to being cut off and refused for a
//! while, twice as long each time. The state is the principal's, not the connection's: connecting again forgives nothing.

use std::time::Duration;

use tokio::time::Instant;

/// The longest single pause in reading; after it the debt is looked at again.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The limits of one principal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThrottleConfig {
    /// Messages a second, in the long run.
    pub messages_per_second: u32,
    /// Messages at once, above that rate.
    pub messages_burst: u32,
    /// Payload and header bytes a second, in the long run.
    pub bytes_per_second: u32,
    /// Bytes at once, above that rate.
    pub bytes_burst: u32,
    /// Bad publishes a second that are forgiven, in the long run.
    pub bad_per_second: u32,
    /// Bad publishes at once that are forgiven.
    pub bad_burst: u32,
    /// Bad publishes beyond the forgiven ones (reading is slow by then) until the connection is cut.
    pub bad_until_cut: u32,
    /// How long a principal that was cut off is refused, the first time.
    pub first_backoff: Duration,
    /// How long at most.
    pub longest_backoff: Duration,
}

impl Default for ThrottleConfig {
    fn default() -> Self {
        Self {
            messages_per_second: 2_000,
            messages_burst: 20_000,
            bytes_per_second: 2 << 20,
            bytes_burst: 16 << 20,
            bad_per_second: 1,
            bad_burst: 50,
            bad_until_cut: 500,
            first_backoff: Duration::from_secs(15),
            longest_backoff: Duration::from_secs(600),
        }
    }
}

/// What to do after a cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Read on.
    Go,
    /// Read again after this long.
    Wait(Duration),
    /// Close the connection and refuse the principal for a while.
    Cut,
}

/// Tokens, held as nanoseconds of refill so that no float and no rounding is in it; negative is debt.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    cost: i128,
    capacity: i128,
    tokens: i128,
    filled: Instant,
}

impl Bucket {
    pub(super) fn new(per_second: u32, burst: u32, now: Instant) -> Self {
        let cost = 1_000_000_000 / i128::from(per_second.max(1));
        let capacity = cost.max(1) * i128::from(burst.max(1));
        Self {
            cost: cost.max(1),
            capacity,
            tokens: capacity,
            filled: now,
        }
    }

    pub(super) fn take(&mut self, count: usize, now: Instant) {
        self.refill(now);
        self.tokens -= self
            .cost
            .saturating_mul(i128::try_from(count).unwrap_or(i128::MAX));
    }

    fn refill(&mut self, now: Instant) {
        let since = i128::try_from(now.saturating_duration_since(self.filled).as_nanos())
            .unwrap_or(i128::MAX);
        self.filled = self.filled.max(now);
        self.tokens = self.tokens.saturating_add(since).min(self.capacity);
    }

    /// Whether a token is there to be taken.
    pub(super) fn has_one(&mut self, now: Instant) -> bool {
        self.refill(now);
        self.tokens >= self.cost
    }

    /// How long until the debt is paid.
    fn debt(&self) -> Duration {
        Duration::from_nanos(u64::try_from((-self.tokens).max(0)).unwrap_or(u64::MAX))
    }

    fn debt_in_tokens(&self) -> i128 {
        (-self.tokens).max(0) / self.cost
    }
}

/// One principal's account.
#[derive(Debug)]
pub(super) struct Throttle {
    config: ThrottleConfig,
    messages: Bucket,
    bytes: Bucket,
    bad: Bucket,
    refused_until: Option<Instant>,
    cuts: u32,
}

impl Throttle {
    pub(super) fn new(config: ThrottleConfig, now: Instant) -> Self {
        Self {
            config,
            messages: Bucket::new(config.messages_per_second, config.messages_burst, now),
            bytes: Bucket::new(config.bytes_per_second, config.bytes_burst, now),
            bad: Bucket::new(config.bad_per_second, config.bad_burst, now),
            refused_until: None,
            cuts: 0,
        }
    }

    /// Publishes came in.
    pub(super) fn took(&mut self, messages: usize, bytes: usize, now: Instant) -> Verdict {
        self.messages.take(messages, now);
        self.bytes.take(bytes, now);
        self.verdict(now)
    }

    /// Some of them were bad.
    pub(super) fn bad(&mut self, count: usize, now: Instant) -> Verdict {
        self.bad.take(count, now);
        if self.bad.debt_in_tokens() >= i128::from(self.config.bad_until_cut) {
            let backoff = self
                .config
                .first_backoff
                .saturating_mul(1 << self.cuts.min(20));
            self.refused_until = Some(now + backoff.min(self.config.longest_backoff));
            self.cuts = self.cuts.saturating_add(1);
            // What led here is paid for by the back-off; the next connection starts with no credit.
            self.bad.tokens = 0;
            return Verdict::Cut;
        }
        self.verdict(now)
    }

    fn verdict(&mut self, now: Instant) -> Verdict {
        self.bad.refill(now);
        let debt = self
            .messages
            .debt()
            .max(self.bytes.debt())
            .max(self.bad.debt());
        if debt.is_zero() {
            Verdict::Go
        } else {
            Verdict::Wait(debt.min(LONGEST_PAUSE))
        }
    }

    /// Until when the principal is refused, if it is.
    pub(super) fn refused_until(&mut self, now: Instant) -> Option<Instant> {
        if self.refused_until.is_some_and(|until| until <= now) {
            self.refused_until = None;
        }
        self.refused_until
    }

    /// Whether the account is as good as new, and may be forgotten.
    pub(super) fn is_settled(&mut self, now: Instant) -> bool {
        self.messages.refill(now);
        self.bytes.refill(now);
        self.bad.refill(now);
        self.refused_until(now).is_none()
            && [self.messages, self.bytes, self.bad]
                .iter()
                .all(|bucket| bucket.tokens == bucket.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> ThrottleConfig {
        ThrottleConfig {
            messages_per_second: 10,
            messages_burst: 20,
            bytes_per_second: 1_000,
            bytes_burst: 5_000,
            bad_per_second: 1,
            bad_burst: 5,
            bad_until_cut: 10,
            first_backoff: Duration::from_secs(10),
            longest_backoff: Duration::from_secs(35),
        }
    }

    #[test]
    fn a_burst_passes_and_then_the_rate_holds() {
        let start = Instant::now();
        let mut throttle = Throttle::new(config(), start);
        assert_eq!(throttle.took(20, 100, start), Verdict::Go);
        assert_eq!(
            throttle.took(5, 100, start),
            Verdict::Wait(Duration::from_millis(500))
        );
        assert_eq!(
            throttle.took(0, 0, start + Duration::from_millis(500)),
            Verdict::Go
        );
        assert_eq!(
            throttle.took(1, 0, start + Duration::from_millis(600)),
            Verdict::Go
        );
        // Bytes are counted on their own, and no pause is longer than a second.
        assert_eq!(
            throttle.took(1, 50_000, start + Duration::from_secs(9)),
            Verdict::Wait(LONGEST_PAUSE)
        );
    }

    #[test]
    fn the_bad_are_slowed_then_cut_off_for_longer_each_time() {
        let start = Instant::now();
        let mut throttle = Throttle::new(config(), start);
        assert_eq!(throttle.bad(5, start), Verdict::Go);
        assert_eq!(throttle.bad(9, start), Verdict::Wait(LONGEST_PAUSE));
        assert_eq!(throttle.bad(1, start), Verdict::Cut);
        let mut now = start;
        for seconds in [10, 20, 35, 35] {
            let until = throttle.refused_until(now).unwrap();
            assert_eq!(until - now, Duration::from_secs(seconds));
            assert!(!throttle.is_settled(now));
            now = until;
            assert_eq!(throttle.refused_until(now), None);
            // No credit is left but what the time of the back-off forgave.
            assert_eq!(
                throttle.bad(15 + usize::try_from(seconds).unwrap(), now),
                Verdict::Cut
            );
        }
    }

    #[test]
    fn an_account_settles() {
        let start = Instant::now();
        let mut throttle = Throttle::new(config(), start);
        assert!(throttle.is_settled(start));
        throttle.took(1, 1, start);
        assert!(!throttle.is_settled(start));
        assert!(throttle.is_settled(start + Duration::from_secs(1)));
    }
}
