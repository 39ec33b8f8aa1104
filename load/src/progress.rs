//! How far it is: a bar on a terminal, a line now and then elsewhere.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often a line is written where nobody watches.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Tells how far it is, on standard error.
#[derive(Debug)]
pub(crate) struct Teller {
    bar: Option<ProgressBar>,
    seconds: u64,
    last: (Instant, u64),
    line_at: Instant,
}

impl Teller {
    pub(crate) fn new(seconds: u64) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(seconds), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} s  {msg}") {
                bar.set_style(style);
            }
            bar
        });
        let now = Instant::now();
        Self {
            bar,
            seconds,
            last: (now, 0),
            line_at: now,
        }
    }

    /// `taken` messages so far, `second` seconds after the begin.
    pub(crate) fn tell(&mut self, second: u64, taken: u64) {
        let now = Instant::now();
        let (since, before) = self.last;
        let ms = u64::try_from((now - since).as_millis()).unwrap_or(1).max(1);
        let rate = taken.saturating_sub(before) * 1_000 / ms;
        let text = format!("{taken} messages, {rate}/s");
        match &self.bar {
            Some(bar) => {
                bar.set_position(second.min(self.seconds));
                bar.set_message(text);
                self.last = (now, taken);
            }
            None if now - self.line_at >= LINE_EVERY => {
                (self.line_at, self.last) = (now, (now, taken));
                let _closed = writeln!(io::stderr().lock(), "{second}/{} s  {text}", self.seconds);
            }
            None => {}
        }
    }

    pub(crate) fn end(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
