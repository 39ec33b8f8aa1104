//! Accepts connections and speaks HTTP/1.1 on them. axum's own loop has no limit on connections and none on the time that
//! headers take.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

/// A request's headers must be there within this time; an idle connection is closed after it, too.
const HEADER_TIMEOUT: Duration = Duration::from_secs(5);
/// The most headers of a request.
const MAX_HEADERS: usize = 64;
/// The largest head of a request.
const MAX_HEAD_BYTES: usize = 32 * 1_024;
/// How long to wait when the system has no more file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Accepts until `stop`; connections go on in `tasks`.
pub(super) async fn run(
    listener: TcpListener,
    app: Router,
    max_connections: usize,
    tasks: &TaskTracker,
    stop: CancellationToken,
) -> io::Result<()> {
    let room = Arc::new(Semaphore::new(max_connections));
    loop {
        // whoever comes when there is no room waits in the kernel's queue, which is bounded too
        let Ok(permit) = room.clone().acquire_owned().await else {
            return Ok(());
        };
        let (stream, address) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) if is_of_one_connection(&error) => continue,
            Err(error) => {
                metrics::counter!("harit_http_accept_errors_total").increment(1);
                tracing::error!(%error, "no connection could be accepted");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let (app, stop) = (app.clone(), stop.clone());
        let stream = Counted::new(stream, permit);
        tasks.spawn(speak(stream, address, app, stop));
    }
}

/// A connection with its place. The place goes with the stream, and not with the task that speaks HTTP on it, because a
/// WebSocket takes the stream elsewhere and lives on.
struct Counted {
    stream: TcpStream,
    _permit: OwnedSemaphorePermit,
}

impl Counted {
    fn new(stream: TcpStream, permit: OwnedSemaphorePermit) -> Self {
        let _ = stream.set_nodelay(true);
        metrics::gauge!("harit_http_connections").increment(1.0);
        Self {
            stream,
            _permit: permit,
        }
    }
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
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
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

/// The client went away before it was accepted; that says nothing of the listener.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

async fn speak(stream: Counted, address: SocketAddr, app: Router, stop: CancellationToken) {
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(address));
        app.clone().oneshot(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::pin!(connection);
    let result = tokio::select! {
        result = &mut connection => result,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%address, %error, "a connection broke off");
    }
}
