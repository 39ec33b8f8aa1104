//! How long things took.

use std::fmt;
use std::time::Duration;

/// The middle of durations, what one in a hundred exceeds, and the longest.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// The middle.
    pub p50: Duration,
    /// What one in a hundred exceeds.
    pub p99: Duration,
    /// The longest.
    pub longest: Duration,
    /// How many there are.
    pub count: usize,
}

impl Times {
    /// Those of durations, of which there are some.
    #[must_use]
    pub fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let count = times.len();
        let at = |of_100: usize| times[(count - 1) * of_100 / 100];
        Self {
            p50: at(50),
            p99: at(99),
            longest: at(100),
            count,
        }
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            p50,
            p99,
            longest,
            count,
        } = self;
        write!(
            f,
            "p50 {p50:.1?}, p99 {p99:.1?}, longest {longest:.1?} of {count}"
        )
    }
}
