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
