//! Log lines on standard error: text for people, JSON for machines.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::config::{Log, LogFormat};

/// Starts logging; `RUST_LOG` speaks over the configured filter.
pub(crate) fn start(log: &Log) {
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(usual(&log.filter)));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match log.format {
        LogFormat::Text => lines.compact().init(),
        LogFormat::Json => lines.json().init(),
    }
}

/// The configured filter, and less of what says nothing: rustls warns of each client that connects to an address instead of a
/// name, as controllers do. A filter that says itself what is to be told of rustls stands.
fn usual(filter: &str) -> String {
    if filter.contains("rustls") {
        return filter.to_owned();
    }
    let quiet = format!("rustls::msgs::handshake={}", LevelFilter::ERROR);
    if filter.trim().is_empty() {
        quiet
    } else {
        format!("{filter},{quiet}")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::prelude::*;

    use super::*;

    /// Which targets a filter lets through at `warn`.
    fn told(filter: &str) -> Vec<&'static str> {
        struct Seen(Arc<Mutex<Vec<&'static str>>>);
        impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Seen {
            fn on_event(
                &self,
                event: &tracing::Event<'_>,
                _: tracing_subscriber::layer::Context<'_, S>,
            ) {
                self.0.lock().unwrap().push(event.metadata().target());
            }
        }
        let seen = Arc::new(Mutex::new(Vec::new()));
        let layer = Seen(Arc::clone(&seen)).with_filter(EnvFilter::new(usual(filter)));
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            tracing::warn!(target: "rustls::msgs::handshake", "Illegal SNI extension");
            tracing::warn!(target: "harit_ingest::mqtt", "cut off");
        });
        seen.lock().unwrap().clone()
    }

    #[test]
    fn a_client_that_connects_to_an_address_is_no_news() {
        assert_eq!(told("info"), ["harit_ingest::mqtt"]);
        assert_eq!(told("rustls=warn"), ["rustls::msgs::handshake"]);
    }
}
