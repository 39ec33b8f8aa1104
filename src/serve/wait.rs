//! What a running server waits for: signals, and that both ways in are closed.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::Failed;

/// How long MQTT waits for HTTP to close.
const HTTP_FIRST: Duration = Duration::from_secs(1);

/// Resolves at SIGTERM or SIGINT.
pub(super) fn asked_to_stop() -> Result<impl Future<Output = ()>, Failed> {
    let mut terminate = signal(SignalKind::terminate()).map_err(Failed::at("SIGTERM"))?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(Failed::at("SIGINT"))?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Ends the process at SIGTERM or SIGINT as long as it is not at work: nothing of it has to be stored. The first process of a container
/// would not hear them otherwise.
pub(super) fn end_before_ready() -> Result<JoinHandle<()>, Failed> {
    let asked = asked_to_stop()?;
    Ok(tokio::spawn(async move {
        asked.await;
        tracing::info!("stopped before it was at work");
        std::process::exit(0);
    }))
}

/// SIGHUP, which does not end the process from now on.
pub(super) fn hung_up() -> Result<Signal, Failed> {
    signal(SignalKind::hangup()).map_err(Failed::at("SIGHUP"))
}

/// Has files that can be read again be read again, at each SIGHUP.
pub(super) async fn reload_when_told(mut told: Signal, reload: Arc<dyn Fn() + Send + Sync>) {
    while told.recv().await.is_some() {
        reload();
    }
}

/// Serves until both ways in are closed. MQTT closes after HTTP, so that what people still ask for reaches its controllers, but
/// does not wait for clients that are slow: what both may take together would be too long.
pub(super) async fn until_closed(
    serving: impl Future<Output = io::Result<()>>,
    mut stopped: watch::Receiver<bool>,
    closing: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut serving = std::pin::pin!(serving);
    let late = async {
        let _closed = stopped.wait_for(|s| *s).await;
        tokio::time::sleep(HTTP_FIRST).await;
    };
    tokio::select! {
        served = &mut serving => {
            closing.await;
            served
        }
        () = late => tokio::join!(serving, closing).0,
    }
}
