//! The driver's clock: wall time that never runs backwards.
//!
//! The engines' time must go on at its own pace whatever happens to the machine's clock. If the wall clock is set back by an
//! hour, time that simply waited would keep a pump's deadline waiting for an hour too. So the driver's time goes on from
//! where it was, with the monotonic clock, *ahead* of the wall clock by an offset that shrinks slowly ([`RESYNC_PERMILLE`]).
//! A jump forward is what it is: it looks like a silence.

use std::time::Duration;

use harit_engine::Timestamp;

/// By how much of the time that passes an offset shrinks, in thousandths.
const RESYNC_PERMILLE: i64 = 10;
/// A step of the wall clock against the monotonic clock by more than this is told.
const STEP_WARNING_MS: i64 = 30_000;

/// Where time comes from.
pub trait TimeSource: Send + Sync + 'static {
    /// What the wall clock says.
    fn wall(&self) -> Timestamp;
    /// A clock that no one sets, from an arbitrary beginning.
    fn monotonic(&self) -> Duration;
    /// Both at one instant.
    fn read(&self) -> (Timestamp, Duration) {
        (self.wall(), self.monotonic())
    }
}

/// The machine's clocks.
#[derive(Debug, Clone, Copy)]
pub struct SystemTime(std::time::Instant);

impl Default for SystemTime {
    fn default() -> Self {
        Self(std::time::Instant::now())
    }
}

impl TimeSource for SystemTime {
    fn wall(&self) -> Timestamp {
        let ms = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX));
        Timestamp::from_millis(ms)
    }

    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

/// An instant of the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Now {
    /// The driver's time: what inputs are stamped with.
    pub(crate) at: Timestamp,
    /// How far that is ahead of the wall clock, in milliseconds: added to what controllers say.
    pub(crate) ahead_ms: i64,
}

/// Wall time made monotonic.
#[derive(Debug)]
pub(crate) struct DriverClock {
    last_wall: i64,
    last_mono: i64,
    ahead_ms: i64,
    /// Thousandths of a millisecond by which the offset is still to shrink.
    debt: i64,
}

fn millis(d: Duration) -> i64 {
    i64::try_from(d.as_millis()).unwrap_or(i64::MAX)
}

impl DriverClock {
    /// A clock that starts at the wall's time, or at `floor` if that is later: where the engines already are.
    pub(crate) fn new(wall: Timestamp, monotonic: Duration, floor: Option<Timestamp>) -> Self {
        let wall = wall.as_millis();
        let behind = floor.map_or(0, |f| f.as_millis().saturating_sub(wall));
        let ahead_ms = if behind > STEP_WARNING_MS { behind } else { 0 };
        if ahead_ms > 0 {
            tracing::warn!(
                ahead_ms,
                "the wall clock is behind what was recorded before: time goes on from there"
            );
        }
        Self {
            last_wall: wall,
            last_mono: millis(monotonic),
            ahead_ms,
            debt: 0,
        }
    }

    /// What time it is.
    pub(crate) fn now(&mut self, wall: Timestamp, monotonic: Duration) -> Now {
        let (wall, mono) = (wall.as_millis(), millis(monotonic));
        let passed = mono.saturating_sub(self.last_mono).max(0);
        let step = wall.saturating_sub(self.last_wall).saturating_sub(passed);
        if step.abs() > STEP_WARNING_MS {
            tracing::warn!(
                step_ms = step,
                "the wall clock was set; engine time does not run backwards"
            );
            metrics::counter!("harit_clock_steps_total").increment(1);
        }
        let before = self.last_wall.saturating_add(self.ahead_ms);
        // Small corrections of the wall clock are followed as long as time does not run backwards.
        self.ahead_ms = if step < -STEP_WARNING_MS {
            self.ahead_ms.saturating_sub(step)
        } else if step > 0 {
            self.ahead_ms.saturating_sub(step).max(0)
        } else {
            self.ahead_ms
        };
        self.debt = if self.ahead_ms > 0 {
            self.debt
                .saturating_add(passed.saturating_mul(RESYNC_PERMILLE))
        } else {
            0
        };
        let shrink = (self.debt / 1_000).min(self.ahead_ms).min(passed);
        self.debt -= shrink * 1_000;
        self.ahead_ms -= shrink;
        (self.last_wall, self.last_mono) = (wall, mono);
        let at = wall.saturating_add(self.ahead_ms).max(before);
        self.ahead_ms = self.ahead_ms.max(0);
        Now {
            at: Timestamp::from_millis(at),
            ahead_ms: self.ahead_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> DriverClock {
        DriverClock::new(Timestamp::from_millis(1_000_000), Duration::ZERO, None)
    }

    fn at(c: &mut DriverClock, wall: i64, mono_ms: u64) -> i64 {
        c.now(Timestamp::from_millis(wall), Duration::from_millis(mono_ms))
            .at
            .as_millis()
    }

    #[test]
    fn follows_the_wall_clock() {
        let mut c = clock();
        assert_eq!(at(&mut c, 1_000_500, 500), 1_000_500);
        assert_eq!(at(&mut c, 1_007_000, 7_000), 1_007_000);
    }

    #[test]
    fn a_step_back_does_not_stop_time() {
        let mut c = clock();
        assert_eq!(at(&mut c, 1_001_000, 1_000), 1_001_000);
        // An hour back: time goes on, 1 % slower than real time.
        let mut last = 1_001_000;
        for s in 1..=600 {
            let now = at(
                &mut c,
                1_001_000 - 3_600_000 + s * 1_000,
                1_000 + 1_000 * s.unsigned_abs(),
            );
            assert!(now > last, "{s}: {now} after {last}");
            last = now;
        }
        assert_eq!(last, 1_001_000 + 600_000 - 6_000);
    }

    #[test]
    fn a_small_step_back_waits() {
        let mut c = clock();
        assert_eq!(at(&mut c, 1_010_000, 10_000), 1_010_000);
        assert_eq!(at(&mut c, 1_009_000, 10_000), 1_010_000);
        assert_eq!(at(&mut c, 1_011_000, 12_000), 1_011_000);
    }

    #[test]
    fn a_step_forward_is_followed_and_ends_an_offset() {
        let mut c = clock();
        assert_eq!(at(&mut c, 1_000_000 - 3_600_000, 0), 1_000_000);
        assert_eq!(at(&mut c, 2_000_000, 1_000), 2_000_000);
        assert_eq!(at(&mut c, 9_000_000, 2_000), 9_000_000);
    }

    #[test]
    fn starts_where_the_engines_are() {
        let floor = Some(Timestamp::from_millis(5_000_000));
        let mut c = DriverClock::new(Timestamp::from_millis(0), Duration::ZERO, floor);
        assert_eq!(at(&mut c, 0, 0), 5_000_000);
        assert!(at(&mut c, 10_000, 10_000) >= 5_009_900);
    }
}
