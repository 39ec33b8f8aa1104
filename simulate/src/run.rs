//! A run: one task a controller, all of them over one farm, and a handle to look at it and to break things.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use thiserror::Error;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::Broker;
use crate::controller::{Controller, ControllerKind, ControllerSpec, Counters, Trace};
use crate::fault::{BoardFull, Fault, Part};
use crate::model::{FarmSpec, Probe, Weather};
use crate::past::Past;
use crate::runner::Runner;
use crate::world::{Clock, World};

/// The speeds that a run may have.
pub const SPEEDS: (f64, f64) = (0.001, 100_000.0);

/// What to run.
#[derive(Debug, Clone)]
pub struct SimulateConfig {
    /// Where the controllers connect to.
    pub broker: Broker,
    /// The farm's id in topics.
    pub farm: String,
    /// The physical farm.
    pub site: FarmSpec,
    /// The controllers, with their secrets.
    pub controllers: Vec<ControllerSpec>,
    /// Decides clouds, gusts and noise.
    pub seed: u64,
    /// How many seconds of the farm pass in one second. Only the physics are faster: MQTT, reports, leases, pulses and the
    /// times of faults stay in real time, and a dosing pump gives its ml/s in real seconds.
    pub speed: f64,
    /// When the farm's day starts: seconds since midnight of 1 January by the farm's clocks.
    pub start: f64,
    /// Faults that are set from the beginning.
    pub faults: Vec<Fault>,
}

impl SimulateConfig {
    /// Tells whether it can be run.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if !(SPEEDS.0..=SPEEDS.1).contains(&self.speed) {
            return Err(ConfigError::Speed(self.speed));
        }
        if !self.start.is_finite() {
            return Err(ConfigError::Start(self.start));
        }
        let mut names = BTreeSet::new();
        let (mut sensors, mut devices) = (BTreeSet::new(), BTreeSet::new());
        for spec in &self.controllers {
            let twice = |name: &str| ConfigError::Twice(name.to_owned());
            if !names.insert(spec.mac.as_str()) {
                return Err(twice(&spec.mac));
            }
            if let Some(s) = spec.sensors.iter().find(|s| !sensors.insert(s.id.as_str())) {
                return Err(twice(&s.id));
            }
            if let Some(d) = spec.devices.iter().find(|d| !devices.insert(d.id.as_str())) {
                return Err(twice(&d.id));
            }
        }
        Ok(())
    }
}

/// Why a run cannot start.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ConfigError {
    /// The speed is out of range.
    #[error("speed {0} is outside {min} to {max}", min = SPEEDS.0, max = SPEEDS.1)]
    Speed(f64),
    /// The start is no time.
    #[error("start {0} is no number of seconds")]
    Start(f64),
    /// Two parts share a name.
    #[error(
        "{0:?} is there twice: ids of sensors and devices are unique in a farm, and so are MACs"
    )]
    Twice(String),
    /// A fault cannot be set.
    #[error("fault {fault} cannot be set")]
    Fault {
        /// As it was given.
        fault: String,
        /// Why not.
        source: SetFaultError,
    },
}

/// Why a fault cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SetFaultError {
    /// There is no such part.
    #[error("there is no {part} {target:?}: there are {known}")]
    Unknown {
        /// What the fault befalls.
        part: Part,
        /// What was named.
        target: String,
        /// What could be.
        known: String,
    },
    /// Too many are set.
    #[error(transparent)]
    Full(#[from] BoardFull),
}

/// How a controller is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControllerStatus {
    /// Its MAC.
    pub mac: String,
    /// Its name for people.
    pub name: String,
    /// What it was registered as.
    pub kind: ControllerKind,
    /// Whether its connection is up.
    pub connected: bool,
    /// How often it came up.
    pub connections: u64,
    /// Messages that were lost because too many waited for the socket.
    pub unsent: u64,
    /// What it has seen.
    pub counters: Counters,
}

/// One controller with what its task counts.
pub(crate) struct Unit {
    spec: ControllerSpec,
    pub(crate) state: Mutex<UnitState>,
}

pub(crate) struct UnitState {
    pub(crate) controller: Controller,
    pub(crate) connections: u64,
    pub(crate) unsent: u64,
}

/// What the tasks and the handles of a run share. Who needs both locks takes a unit's before the world's.
pub(crate) struct Shared {
    pub(crate) clock: Clock,
    pub(crate) world: Mutex<World>,
    pub(crate) units: Vec<Unit>,
    /// Counts changes of the fault board: controllers wake by it.
    pub(crate) changed: watch::Sender<u64>,
}

/// A panic in one controller's task poisons what it held; the values in it are sound between any two steps.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks at a run and breaks things in it. Cheap to clone; works before, during and after the run.
#[derive(Clone)]
pub struct Handle {
    shared: Arc<Shared>,
}

impl Handle {
    /// The weather outside, now.
    #[must_use]
    pub fn weather(&self) -> Weather {
        self.world().weather()
    }

    /// The farm's own time: seconds since midnight of 1 January by its clocks.
    #[must_use]
    pub fn farm_seconds(&self) -> f64 {
        self.world().farm_seconds()
    }

    /// The true value at a probe, which no sensor shows exactly.
    #[must_use]
    pub fn value(&self, probe: Probe) -> Option<f64> {
        self.world().value(probe)
    }

    /// Time since the start of the run: what traces and faults are measured in.
    #[must_use]
    pub fn since_start(&self) -> Duration {
        self.shared.clock.now().since_start
    }

    /// What a device's machine really did.
    #[must_use]
    pub fn trace(&self, device: &str) -> Option<Trace> {
        let found = |u: &Unit| lock(&u.state).controller.trace(device).cloned();
        self.shared.units.iter().find_map(found)
    }

    /// How the controllers are doing.
    #[must_use]
    pub fn controllers(&self) -> Vec<ControllerStatus> {
        let status = |unit: &Unit| {
            let state = lock(&unit.state);
            ControllerStatus {
                mac: unit.spec.mac.clone(),
                name: unit.spec.name.clone(),
                kind: unit.spec.kind,
                connected: state.controller.is_connected(),
                connections: state.connections,
                unsent: state.unsent,
                counters: state.controller.counters(),
            }
        };
        self.shared.units.iter().map(status).collect()
    }

    /// Sets a fault; one of the same kind and target is replaced.
    ///
    /// # Errors
    /// When the farm has no such part, or too many faults are set.
    pub fn set_fault(&self, fault: Fault) -> Result<(), SetFaultError> {
        let part = fault.kind.befalls();
        let known = self.names(part);
        if !known.contains(&fault.target) {
            let known = known.join(", ");
            return Err(SetFaultError::Unknown {
                part,
                target: fault.target,
                known,
            });
        }
        tracing::info!(%fault, "fault set");
        let now = self.since_start();
        lock(&self.shared.world).faults.set(now, fault)?;
        self.shared.changed.send_modify(|n| *n += 1);
        Ok(())
    }

    /// Clears the faults of that kind (such as `lost-ack`) and target, and says whether there was one.
    #[must_use]
    pub fn clear_fault(&self, kind: &str, target: &str) -> bool {
        let cleared = lock(&self.shared.world).faults.clear(kind, target);
        self.shared.changed.send_modify(|n| *n += 1);
        cleared
    }

    /// The faults at work now.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let now = self.since_start();
        lock(&self.shared.world)
            .faults
            .active(now)
            .map(|(_, f)| f.clone())
            .collect()
    }

    fn names(&self, part: Part) -> Vec<String> {
        let units = self.shared.units.iter().map(|u| &u.spec);
        match part {
            Part::Sensor => units
                .flat_map(|s| &s.sensors)
                .map(|s| s.id.clone())
                .collect(),
            Part::Device => units
                .flat_map(|s| &s.devices)
                .map(|d| d.id.clone())
                .collect(),
            Part::Controller => units.map(|s| s.mac.clone()).collect(),
        }
    }

    fn world(&self) -> MutexGuard<'_, World> {
        let now = self.since_start();
        let mut world = lock(&self.shared.world);
        world.advance(now);
        world
    }
}

/// A run that has not begun: take its [`Handle`], then [`Simulation::run`] it.
pub struct Simulation {
    shared: Arc<Shared>,
    broker: Broker,
    farm: String,
}

impl Simulation {
    /// Checks the configuration and builds the farm. Its time starts now.
    ///
    /// # Errors
    /// When the speed or the start is no sensible number, a name is there twice, or a fault names what is not there.
    pub fn new(config: SimulateConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let world = World::new(&config.site, config.seed, config.speed, config.start);
        let unit = |spec: ControllerSpec| {
            let controller = Controller::new(spec.clone());
            Unit {
                spec,
                state: Mutex::new(UnitState {
                    controller,
                    connections: 0,
                    unsent: 0,
                }),
            }
        };
        let shared = Arc::new(Shared {
            clock: Clock::start(),
            world: Mutex::new(world),
            units: config.controllers.into_iter().map(unit).collect(),
            changed: watch::Sender::new(0),
        });
        let simulation = Self {
            shared,
            broker: config.broker,
            farm: config.farm,
        };
        let handle = simulation.handle();
        for fault in config.faults {
            let text = fault.to_string();
            handle
                .set_fault(fault)
                .map_err(|source| ConfigError::Fault {
                    fault: text,
                    source,
                })?;
        }
        Ok(simulation)
    }

    /// Goes on with the field that a past of the same farm left: its air, soil and tanks. The controllers are switched on anew.
    #[must_use]
    pub fn after(self, past: Past) -> Self {
        lock(&self.shared.world).go_on_with(past.world);
        self
    }

    /// Looks at it and breaks things in it.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle {
            shared: Arc::clone(&self.shared),
        }
    }

    /// Runs until `shutdown` resolves; then every controller says farewell and disconnects, within a second.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        for index in 0..self.shared.units.len() {
            let unit = Runner {
                shared: Arc::clone(&self.shared),
                index,
                broker: self.broker.clone(),
                farm: self.farm.clone(),
            };
            tasks.spawn(unit.run(stopped.clone()));
        }
        tracing::info!(broker = %self.broker, farm = self.farm, controllers = tasks.len(), "simulating");
        shutdown.await;
        stop.send_replace(true);
        while let Some(ended) = tasks.join_next().await {
            if let Err(e) = ended {
                tracing::error!(error = %e, "a simulated controller failed");
            }
        }
    }
}

/// Runs simulated controllers until `shutdown` resolves.
///
/// # Errors
/// When the configuration makes no sense; a broker that is not there is none, the controllers go on trying.
pub async fn run(
    config: SimulateConfig,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ConfigError> {
    Simulation::new(config)?.run(shutdown).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo;

    fn config() -> SimulateConfig {
        // Nobody listens on the discard port of a machine that runs tests.
        demo::config(Broker {
            host: "127.0.0.1".into(),
            port: 9,
        })
    }

    #[test]
    fn a_configuration_that_makes_no_sense_is_refused() {
        let refused = |change: &dyn Fn(&mut SimulateConfig)| {
            let mut config = config();
            change(&mut config);
            Simulation::new(config)
                .err()
                .map(|e| e.to_string())
                .unwrap_or_default()
        };
        assert_eq!(refused(&|_| {}), "");
        for speed in [0.0, -1.0, f64::NAN, 1e9] {
            assert!(
                refused(&|c| c.speed = speed).contains("outside 0.001 to 100000"),
                "{speed}"
            );
        }
        assert!(refused(&|c| c.start = f64::NAN).contains("no number of seconds"));
        assert!(
            refused(&|c| c.controllers[1].mac = c.controllers[0].mac.clone()).contains("twice")
        );
        assert!(
            refused(&|c| c.controllers[1].sensors[0].id = "ph1-rh".into()).contains("\"ph1-rh\"")
        );
        assert!(
            refused(&|c| c.controllers[1].devices[0].id = "ph1-vent".into())
                .contains("\"ph1-vent\"")
        );
        let fault = "silent-sensor:nothing".parse::<Fault>().unwrap();
        assert!(refused(&|c| c.faults = vec![fault.clone()]).contains("silent-sensor:nothing"));
    }

    #[tokio::test]
    async fn without_a_broker_it_goes_on_trying_and_ends_when_it_is_told_to() {
        let simulation = Simulation::new(config()).unwrap();
        let handle = simulation.handle();
        let running = simulation.run(tokio::time::sleep(Duration::from_millis(700)));
        tokio::time::timeout(Duration::from_secs(5), running)
            .await
            .unwrap();
        assert!(
            handle
                .controllers()
                .iter()
                .all(|c| !c.connected && c.connections == 0)
        );
        assert!(
            handle.farm_seconds() > demo::START + 5.0,
            "the farm's time went on"
        );
    }

    #[test]
    fn faults_are_seen_through_the_handle() {
        let handle = Simulation::new(config()).unwrap().handle();
        handle.set_fault("lock:ph1-vent".parse().unwrap()).unwrap();
        handle
            .set_fault("drift:ft1-ph:after=1h".parse().unwrap())
            .unwrap();
        let shown: Vec<_> = handle.faults().iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["lock:ph1-vent"], "the other one is yet to come");
        assert!(handle.clear_fault("lock", "ph1-vent") && !handle.clear_fault("lock", "ph1-vent"));
        let unknown = handle
            .set_fault("offline:AA:BB:CC:DD:EE:FF".parse().unwrap())
            .unwrap_err();
        assert!(
            unknown
                .to_string()
                .starts_with("there is no controller \"AABBCCDDEEFF\": there are 240AC45E1001,")
        );
    }
}
