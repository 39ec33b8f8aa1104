//! A farm's past: field and controllers as in a run, moved on by whoever asks instead of by the clock.
//!
//! The caller carries what the controllers publish to the server and brings its commands back; time is an argument there as
//! well. A [`crate::Simulation`] can go on with the field that a past leaves behind.

use std::time::Duration;

use crate::controller::{Controller, Now, Outgoing};
use crate::run::{ConfigError, SimulateConfig};
use crate::world::World;

/// A message of a controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The controller's MAC.
    pub mac: String,
    /// What it publishes.
    pub message: Outgoing,
}

/// See the module.
pub struct Past {
    pub(crate) world: World,
    controllers: Vec<Controller>,
    began_ms: i64,
    now: Duration,
}

impl Past {
    /// Builds the farm of `config` as it is `span` before `config.start`, in the farm's own time: one second of the past is one
    /// of the farm, whatever the speed of the run. Its beginning is the instant `began_ms` (Unix milliseconds). Controllers
    /// report every `report_every`.
    ///
    /// # Errors
    /// When the configuration makes no sense.
    pub fn new(
        config: &SimulateConfig,
        began_ms: i64,
        span: Duration,
        report_every: Duration,
    ) -> Result<Self, ConfigError> {
        config.check()?;
        let start = config.start - span.as_secs_f64();
        let built = config.controllers.iter().cloned().map(|mut spec| {
            spec.report_every = report_every;
            Controller::new(spec)
        });
        Ok(Self {
            world: World::new(&config.site, config.seed, 1.0, start),
            controllers: built.collect(),
            began_ms,
            now: Duration::ZERO,
        })
    }

    /// The instant, in Unix milliseconds.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        self.instant().wall_ms
    }

    fn instant(&self) -> Now {
        let passed = i64::try_from(self.now.as_millis()).unwrap_or(i64::MAX);
        Now {
            since_start: self.now,
            wall_ms: self.began_ms.saturating_add(passed),
        }
    }

    /// Connects all controllers: each announces itself.
    pub fn connect(&mut self) -> Vec<Sent> {
        self.of_each(|controller, now, _, out| controller.connected(now, out))
    }

    /// Tells how long it is to the next instant at which a controller does something by itself: a report, the end of a pulse
    /// or of a lease.
    #[must_use]
    pub fn until_next(&self) -> Option<Duration> {
        let soonest = self
            .controllers
            .iter()
            .filter_map(Controller::next_deadline);
        Some(soonest.min()?.saturating_sub(self.now))
    }

    /// Lets `span` pass and returns what is published at its end. Longer than [`Self::until_next`], it ends pulses late.
    pub fn step(&mut self, span: Duration) -> Vec<Sent> {
        self.now = self.now.saturating_add(span);
        self.world.advance(self.now);
        self.of_each(|controller, now, world, out| {
            controller.tick(now, &mut |sensor, n| world.measure(sensor, n), out);
        })
    }

    /// A command reaches the controller of that MAC; returns its answers. Nobody answers for a MAC that is not there.
    pub fn command(&mut self, mac: &str, payload: &[u8]) -> Vec<Sent> {
        self.of_each(|controller, now, _, out| {
            if controller.spec().mac == mac {
                controller.command(now, payload, out);
            }
        })
    }

    fn of_each(
        &mut self,
        mut act: impl FnMut(&mut Controller, Now, &World, &mut Vec<Outgoing>),
    ) -> Vec<Sent> {
        let now = self.instant();
        let mut sent = Vec::new();
        for controller in &mut self.controllers {
            let mut out = Vec::new();
            act(controller, now, &self.world, &mut out);
            self.world.drive(controller);
            let mac = &controller.spec().mac;
            sent.extend(out.into_iter().map(|message| Sent {
                mac: mac.clone(),
                message,
            }));
        }
        sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Broker, demo};

    const HOUR: Duration = Duration::from_secs(3_600);

    fn past() -> (SimulateConfig, Past) {
        let broker = Broker {
            host: "127.0.0.1".into(),
            port: 9,
        };
        let config = demo::farm().config(broker);
        let past = Past::new(&config, 1_000, HOUR, Duration::from_secs(60)).unwrap();
        (config, past)
    }

    #[test]
    fn a_past_reports_on_its_grid_and_ends_where_the_run_begins() {
        let (config, mut past) = past();
        let born = past.connect();
        assert_eq!(born.len(), config.controllers.len());
        assert!(born.iter().all(|s| matches!(s.message, Outgoing::State(_))));
        let mut reports = 0;
        while past.now < HOUR {
            let next = past.until_next().unwrap();
            let sent = past.step(next.min(HOUR - past.now));
            reports += sent
                .iter()
                .filter(|s| matches!(s.message, Outgoing::Telemetry(_)))
                .count();
        }
        assert_eq!(
            reports,
            61 * config.controllers.len(),
            "one at once, then one a minute"
        );
        assert_eq!(past.now_ms(), 3_601_000);
        assert!((past.world.farm_seconds() - config.start).abs() < 1e-6);
    }

    #[test]
    fn a_pulse_ends_on_time_between_two_reports() {
        let (_, mut past) = past();
        past.connect();
        past.step(Duration::ZERO);
        let pulse = br#"{"command_id":"1","cmd_type":"pulse","device_id":"ft1-acid","action":{"duration_sec":5}}"#;
        let mac = demo::controllers()[2].mac.clone();
        let answers = past.command(&mac, pulse);
        assert!(
            matches!(answers[0].message, Outgoing::Ack(_)),
            "{answers:?}"
        );
        assert_eq!(past.until_next(), Some(Duration::from_secs(5)));
        let over = past.step(Duration::from_secs(5));
        assert!(
            over.iter()
                .any(|s| s.mac == mac && matches!(s.message, Outgoing::State(_)))
        );
    }
}
