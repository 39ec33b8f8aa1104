//! How far a log is read: a bar, or a line now and then where there is no terminal to draw one on.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How often progress is told where there is no terminal.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Clones are the same bar.
#[derive(Clone)]
pub(super) struct Progress {
    bar: ProgressBar,
    size: u64,
    of: &'static str,
    next: Option<Instant>,
}

impl Progress {
    pub(super) fn bytes(size: u64) -> Self {
        Self::new(
            size,
            "bytes",
            "{bar:40} {percent:>3} %  {bytes}/{total_bytes}  {elapsed}, {eta} left",
        )
    }

    pub(super) fn rows(rows: u64) -> Self {
        Self::new(
            rows,
            "rows",
            "{bar:40} {percent:>3} %  {human_pos}/{human_len} rows  {elapsed}, {eta} left",
        )
    }

    fn new(size: u64, of: &'static str, template: &str) -> Self {
        let bar = ProgressBar::new(size);
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        Self {
            bar,
            size,
            of,
            next: (!io::stderr().is_terminal()).then(|| Instant::now() + PLAIN_INTERVAL),
        }
    }

    pub(super) fn add(&mut self, n: usize) {
        self.bar.inc(n as u64);
        let now = Instant::now();
        if self.next.is_some_and(|next| now >= next) {
            self.next = Some(now + PLAIN_INTERVAL);
            let (position, size, of) = (self.bar.position(), self.size, self.of);
            let percent = position * 100 / size.max(1);
            let _closed = writeln!(
                io::stderr().lock(),
                "read {position} of {size} {of} ({percent} %)"
            );
        }
    }

    pub(super) fn done(&self) {
        self.bar.finish_and_clear();
    }
}
