//! A thread that works beside the server until that ends.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use harit_ingest::past::Stop;

/// It goes on until it is told to stop.
pub(crate) const NO_LIMIT: Duration = Duration::from_secs(10 * 365 * 86_400);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A thread at work.
pub(crate) struct Worker {
    stop: Stop,
    end: Sender<()>,
    thread: JoinHandle<()>,
    patience: Duration,
}

impl Worker {
    /// Starts one. It is told to end by its [`Stop`], in the middle of what it does, and by a channel that is closed, while it
    /// waits; then it is waited for as long as `patience`, and left behind.
    pub(crate) fn start(
        name: &str,
        patience: Duration,
        work: impl FnOnce(Stop, Receiver<()>) + Send + 'static,
    ) -> io::Result<Self> {
        let (end, ended) = channel();
        let stop = Stop::within(NO_LIMIT);
        let own = stop.clone();
        let thread = std::thread::Builder::new().name(name.to_owned());
        Ok(Self {
            stop,
            end,
            thread: thread.spawn(move || work(own, ended))?,
            patience,
        })
    }

    /// Ends it.
    pub(crate) fn stop(self) {
        self.stop.cancel();
        drop(self.end);
        let began = Instant::now();
        while !self.thread.is_finished() && began.elapsed() < self.patience {
            std::thread::sleep(LOOK_EVERY);
        }
    }
}
