//! Polls the client and reconnects. What comes is told to the worker; where that has no room nothing is polled, which pushes
//! back on the broker.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::mpsc;

use super::client::{Event, Events, Incoming};
use super::{BrokerTls, RETRY, Shared, tls};

/// The waits between attempts to connect: from, and up to.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(30));

/// What the worker is told.
pub(super) enum Told {
    /// A new connection, with its number, and whether the broker kept the session.
    Connected(u64, bool),
    /// The connection is gone.
    Lost,
    Subscribed(Vec<bool>),
    Publish(Incoming),
}

/// Polls the client for ever, and waits between attempts.
pub(super) async fn pump(
    mut events: Events,
    files: Option<BrokerTls>,
    shared: Arc<Shared>,
    told: mpsc::Sender<Told>,
) {
    let mut wait = BACKOFF.0;
    loop {
        let event = tokio::select! {
            event = events.poll() => event,
            () = shared.reset.notified() => Err("begun anew".to_owned()),
        };
        let tell = match event {
            Ok(Event::Connected(session)) => Told::Connected(*shared.connection(), session),
            Ok(Event::Subscribed(granted)) => {
                if granted.iter().all(|granted| *granted) {
                    wait = BACKOFF.0;
                }
                Told::Subscribed(granted)
            }
            Ok(Event::Publish(publish)) => Told::Publish(publish),
            Ok(Event::Goodbye) if told.is_closed() => return,
            Ok(_) => continue,
            Err(error) => {
                shared.set_up(false);
                {
                    // No acknowledgement of the old connection gets past this point: those that are queued are dropped
                    // with it, and later ones carry another number.
                    let mut connection = shared.connection();
                    *connection += 1;
                    events.clean();
                }
                if told.is_closed() {
                    return;
                }
                shared.reconnects.fetch_add(1, Ordering::Relaxed);
                shared.reconnects_total.increment(1);
                tracing::warn!(broker = shared.name, error, "mqtt broker: no connection");
                if told.send(Told::Lost).await.is_err() {
                    return;
                }
                tokio::time::sleep(jittered(wait)).await;
                wait = (wait * 2).min(BACKOFF.1);
                if let Some(files) = files.clone() {
                    read_again(&mut events, files, &shared.name).await;
                }
                continue;
            }
        };
        if told.send(tell).await.is_err() {
            // The worker has stopped; go on until the goodbye is written.
            tokio::time::sleep(RETRY).await;
        }
    }
}

/// Reads the files of TLS again, which may have been renewed. What cannot be used is told, and what was there before stays.
async fn read_again(events: &mut Events, files: BrokerTls, broker: &str) {
    match tokio::task::spawn_blocking(move || tls::client(&files)).await {
        Ok(Ok(read)) => events.secure(read),
        Ok(Err(error)) => tracing::warn!(broker, %error, "mqtt broker: TLS stays as it was"),
        // The program ends.
        Err(_) => {}
    }
}

/// Between half of it and all of it, so that servers that lost one broker together do not come back together.
fn jittered(wait: Duration) -> Duration {
    // Without randomness all wait the longest.
    let share = getrandom::u32().unwrap_or(u32::MAX);
    wait / 2 + (wait / 2).mul_f64(f64::from(share) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_is_never_less_than_half() {
        for _ in 0..1_000 {
            let wait = jittered(Duration::from_secs(4));
            assert!(
                (Duration::from_secs(2)..=Duration::from_secs(4)).contains(&wait),
                "{wait:?}"
            );
        }
    }
}
