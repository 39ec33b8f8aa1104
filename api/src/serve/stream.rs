//! A connection's stream, with its places, that is given up when its reader makes no progress.

use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep};

use crate::places::Place;

/// A connection with its places. They go with the stream, and not with the task that speaks HTTP on it, because a
/// WebSocket takes the stream elsewhere and lives on; so does the time limit on writing.
pub(super) struct Counted {
    stream: TcpStream,
    write_timeout: Duration,
    stalled: Stalled,
    _permit: OwnedSemaphorePermit,
    _place: Option<Place<IpAddr>>,
}

/// Whether the other side takes what is written.
#[derive(Default)]
struct Stalled {
    /// Runs from the first write that found no room.
    until: Option<Pin<Box<Sleep>>>,
    over: bool,
    /// Who waits for something to read: a reader of another task would otherwise not notice the end.
    reader: Option<Waker>,
}

impl Counted {
    pub(super) fn new(
        stream: TcpStream,
        write_timeout: Duration,
        permit: OwnedSemaphorePermit,
        place: Option<Place<IpAddr>>,
    ) -> Self {
        let _ = stream.set_nodelay(true);
        metrics::gauge!("harit_http_connections").increment(1.0);
        Self {
            stream,
            write_timeout,
            stalled: Stalled::default(),
            _permit: permit,
            _place: place,
        }
    }

    /// What became of a write: one that finds no room for too long ends the connection.
    fn judge<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled.until = None;
            return written;
        }
        let until = Instant::now() + self.write_timeout;
        let sleep = self
            .stalled
            .until
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until)));
        if sleep.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.stalled.over = true;
        metrics::counter!("harit_http_write_timeouts_total").increment(1);
        if let Some(reader) = self.stalled.reader.take() {
            reader.wake();
        }
        Poll::Ready(Err(stalled()))
    }
}

fn stalled() -> io::Error {
    io::Error::new(
        io::ErrorKind::TimedOut,
        "the other side takes nothing of what is written",
    )
}

impl Drop for Counted {
    fn drop(&mut self) {
        metrics::gauge!("harit_http_connections").decrement(1.0);
    }
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.stalled.over {
            return Poll::Ready(Err(stalled()));
        }
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if read.is_pending() {
            self.stalled.reader = Some(cx.waker().clone());
        }
        read
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.stalled.over {
            return Poll::Ready(Err(stalled()));
        }
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.judge(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.stalled.over {
            return Poll::Ready(Err(stalled()));
        }
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.judge(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
