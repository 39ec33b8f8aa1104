//! The task of one controller: its state machine, its connection, and when to look at either again.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::Broker;
use crate::controller::{Controller, Outgoing};
use crate::link::{Link, LinkEvent};
use crate::model::Noise;
use crate::run::{Shared, Unit, lock};

const FIRST_RETRY: Duration = Duration::from_millis(200);
const LAST_RETRY: Duration = Duration::from_secs(5);
/// A controller looks at its farm at least this often, so that a slow one does not step through hours at once.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

/// The task of one controller.
pub(crate) struct Runner {
    pub(crate) shared: Arc<Shared>,
    pub(crate) index: usize,
    pub(crate) broker: Broker,
    pub(crate) farm: String,
}

/// What the connection of a controller is doing.
enum Connection {
    Live(Link),
    /// Nothing until then.
    Waiting(Duration),
    /// A fault keeps it away.
    CutOff,
}

/// What woke a controller.
enum Woken {
    Stop,
    Link(LinkEvent),
    Time,
}

impl Runner {
    fn unit(&self) -> &Unit {
        &self.shared.units[self.index]
    }

    pub(crate) async fn run(self, mut stop: watch::Receiver<bool>) {
        let mut changed = self.shared.changed.subscribe();
        let mut connection = Connection::Waiting(Duration::ZERO);
        let mut failures = 0;
        loop {
            changed.mark_unchanged();
            let wake_at = self.step(&mut connection, &mut failures, None);
            let timer = tokio::time::sleep_until(self.shared.clock.instant(wake_at).into());
            let link_event = async {
                match &mut connection {
                    Connection::Live(link) => link.event().await,
                    Connection::Waiting(_) | Connection::CutOff => std::future::pending().await,
                }
            };
            let woken = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => Woken::Stop,
                event = link_event => Woken::Link(event),
                _ = changed.changed() => Woken::Time,
                () = timer => Woken::Time,
            };
            match woken {
                Woken::Stop => break,
                Woken::Link(event) => {
                    self.step(&mut connection, &mut failures, Some(event));
                }
                Woken::Time => {}
            }
        }
        if let Connection::Live(link) = connection {
            lock(&self.unit().state).controller.disconnected();
            link.close().await;
        }
    }

    /// Does what is due now, after an event of the link if there was one, and says when to look again.
    fn step(
        &self,
        connection: &mut Connection,
        failures: &mut u32,
        event: Option<LinkEvent>,
    ) -> Duration {
        let now = self.shared.clock.now();
        let mut out = vec![];
        let mut guard = lock(&self.unit().state);
        let state = &mut *guard;
        let controller = &mut state.controller;
        let mut world = lock(&self.shared.world);
        world.advance(now.since_start);
        controller.faults(now, &world.faults, &mut out);
        // What ended in the meantime ends before the event is heard.
        controller.tick(now, &mut |sensor, n| world.measure(sensor, n), &mut out);
        match event {
            Some(LinkEvent::Up) => {
                *failures = 0;
                state.connections += 1;
                tracing::info!(controller = controller.spec().name, "connected");
                controller.connected(now, &mut out);
            }
            Some(LinkEvent::Command(payload)) => {
                tracing::debug!(
                    controller = controller.spec().name,
                    "{}",
                    String::from_utf8_lossy(&payload)
                );
                controller.command(now, &payload, &mut out);
            }
            Some(LinkEvent::Down(reason)) => {
                controller.disconnected();
                let pause = self.retry_after(*failures);
                let (name, retry_ms) = (&controller.spec().name, pause.as_millis());
                // Once is enough to know; that it goes on trying is said where it connects.
                if *failures == 0 {
                    tracing::warn!(controller = name, %reason, retry_ms, "not connected");
                } else {
                    tracing::debug!(controller = name, %reason, retry_ms, "not connected");
                }
                *failures += 1;
                *connection = Connection::Waiting(now.since_start + pause);
            }
            None => {}
        }
        world.drive(controller);
        let fault_change = world.faults.next_change(now.since_start);
        drop(world);
        self.keep_connected(now.since_start, controller, connection);
        state.unsent += send(connection, out);
        let retry = match connection {
            Connection::Waiting(until) => Some(*until),
            Connection::Live(_) | Connection::CutOff => None,
        };
        let soonest = [controller.next_deadline(), fault_change, retry]
            .into_iter()
            .flatten()
            .min();
        soonest
            .unwrap_or(Duration::MAX)
            .min(now.since_start + LONGEST_SLEEP)
    }

    fn keep_connected(
        &self,
        now: Duration,
        controller: &mut Controller,
        connection: &mut Connection,
    ) {
        match connection {
            _ if controller.is_cut_off() => {
                if !matches!(connection, Connection::CutOff) {
                    tracing::info!(controller = controller.spec().name, "cut off by a fault");
                    controller.disconnected();
                    // Dropping the link closes the socket without a farewell.
                    *connection = Connection::CutOff;
                }
            }
            Connection::CutOff => *connection = Connection::Waiting(now),
            Connection::Waiting(until) if *until <= now => {
                let link = Link::open(&self.broker, &self.farm, controller.spec());
                *connection = Connection::Live(link);
            }
            Connection::Waiting(_) | Connection::Live(_) => {}
        }
    }

    /// Doubles from 0.2 s to 5 s, a quarter more or less by chance, so that controllers do not come back as one.
    fn retry_after(&self, failures: u32) -> Duration {
        let doubled = FIRST_RETRY
            .saturating_mul(1 << failures.min(10))
            .min(LAST_RETRY);
        let position = u64::from(failures) << 32 | u64::try_from(self.index).unwrap_or(0);
        doubled.mul_f64(1.0 + 0.25 * Noise::new(0).even(1, position))
    }
}

/// Hands everything to the socket and says how much of it could not be.
fn send(connection: &Connection, out: Vec<Outgoing>) -> u64 {
    let Connection::Live(link) = connection else {
        return 0;
    };
    let lost = out.into_iter().map(|m| u64::from(!link.send(m))).sum();
    if lost > 0 {
        tracing::warn!(lost, "too many messages wait for the broker");
    }
    lost
}
