//! The farm that all controllers of a run share, moved on whenever somebody looks.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::controller::{Controller, Now, SensorPart};
use crate::fault::FaultBoard;
use crate::model::{Actuator, Farm, FarmSpec, Noise, Probe, Weather};

/// The clocks of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    started: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            started: Instant::now(),
        }
    }

    pub(crate) fn now(&self) -> Now {
        let wall = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Now {
            since_start: self.started.elapsed(),
            wall_ms: i64::try_from(wall.as_millis()).unwrap_or(i64::MAX),
        }
    }

    pub(crate) fn instant(&self, since_start: Duration) -> Instant {
        self.started + since_start
    }
}

/// The physical farm, in the time of the run: one second of the run is `speed` seconds of the farm.
pub(crate) struct World {
    farm: Farm,
    speed: f64,
    noise: Noise,
    until: Duration,
    pub(crate) faults: FaultBoard,
}

impl World {
    pub(crate) fn new(spec: &FarmSpec, seed: u64, speed: f64, start: f64) -> Self {
        Self {
            farm: Farm::new(spec, seed, start),
            speed,
            noise: Noise::new(seed ^ 0x5EED),
            until: Duration::ZERO,
            faults: FaultBoard::default(),
        }
    }

    /// Takes over the field of another one: what its air, soil and tanks are like, and its time.
    pub(crate) fn go_on_with(&mut self, other: Self) {
        self.farm = other.farm;
    }

    /// Lets time pass until `now`; an instant before the last one is nothing.
    pub(crate) fn advance(&mut self, now: Duration) {
        let dt = now.saturating_sub(self.until);
        self.until += dt;
        self.farm.step(dt.as_secs_f64() * self.speed);
    }

    /// Drives what a controller drives from now on. A dosing pump gives its millilitres in seconds of the run, so that
    /// a pulse is the same dose at any speed.
    pub(crate) fn drive(&mut self, controller: &Controller) {
        for (actuator, level) in controller.levels() {
            let level = match actuator {
                Actuator::Dose { .. } => level / self.speed,
                Actuator::Fan { .. }
                | Actuator::Vent { .. }
                | Actuator::Fog { .. }
                | Actuator::Drip { .. }
                | Actuator::Refill { .. } => level,
            };
            self.farm.drive(actuator, level);
        }
    }

    /// The reading of a sensor for its controller's `n`-th report.
    pub(crate) fn measure(&self, sensor: &SensorPart, n: u64) -> Option<f64> {
        let value = self.farm.value(sensor.probe)?;
        let stream = sensor.id.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3)
        });
        Some(
            sensor
                .grade
                .measure(sensor.sensor_type, self.noise, stream, n, value),
        )
    }

    pub(crate) fn value(&self, probe: Probe) -> Option<f64> {
        self.farm.value(probe)
    }

    pub(crate) fn weather(&self) -> Weather {
        self.farm.weather()
    }

    pub(crate) const fn farm_seconds(&self) -> f64 {
        self.farm.seconds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Outgoing;
    use crate::demo;

    /// The demo's first fertigation controller after a five-second pulse of acid, at that speed.
    fn dosed(speed: f64) -> (f64, f64) {
        let mut world = World::new(&demo::site(), 1, speed, demo::START);
        let spec = demo::controllers()
            .into_iter()
            .find(|c| c.name.contains("Fertigation"))
            .unwrap();
        let mut controller = Controller::new(spec);
        let before = world.value(Probe::Ph(0)).unwrap();
        let pulse = br#"{"command_id":"1","cmd_type":"pulse","device_id":"ft1-acid","action":{"duration_sec":5}}"#;
        let mut out: Vec<Outgoing> = vec![];
        for tenth in 0..100 {
            let now = Now {
                since_start: Duration::from_millis(100 * tenth),
                wall_ms: 0,
            };
            world.advance(now.since_start);
            if tenth == 0 {
                controller.command(now, pulse, &mut out);
            }
            controller.tick(now, &mut |_, _| None, &mut out);
            world.drive(&controller);
        }
        (
            before - world.value(Probe::Ph(0)).unwrap(),
            world.farm_seconds() - demo::START,
        )
    }

    #[test]
    fn the_farm_runs_faster_but_a_pulse_is_the_same_dose() {
        let (slow, slow_time) = dosed(1.0);
        let (fast, fast_time) = dosed(20.0);
        assert!((slow_time - 9.9).abs() < 1e-6 && (fast_time - 198.0).abs() < 1e-6);
        assert!(slow > 0.08, "{slow}");
        // pH drifts a little meanwhile, and drift is in the farm's time.
        assert!((slow - fast).abs() < 0.02, "{slow} {fast}");
    }

    #[test]
    fn time_does_not_run_backwards() {
        let mut world = World::new(&demo::site(), 1, 1.0, 0.0);
        world.advance(Duration::from_secs(10));
        world.advance(Duration::from_secs(5));
        world.advance(Duration::from_secs(12));
        assert!((world.farm_seconds() - 12.0).abs() < 1e-9);
    }
}
