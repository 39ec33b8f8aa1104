//! Simulated controllers that speak Harit's MQTT protocol as real MQTT clients, over a small physical model of a farm.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use harit_simulate::{Simulation, demo};
//!
//! let simulation = Simulation::new(demo::config("127.0.0.1:1883".parse()?))?;
//! let handle = simulation.handle();
//! handle.set_fault("silent-sensor:ph1-temp-1:for=5m".parse()?)?;
//! println!("it is {:.1} °C outside", handle.weather().air_c);
//! simulation.run(async { drop(tokio::signal::ctrl_c().await) }).await;
//! # Ok(())
//! # }
//! ```
//!
//! Three parts, from the inside out: [`model`] is the field (pure, time is an argument), [`controller`] the box with its
//! leases, pulses and memory of commands (pure, `now` is an argument), and a [`Simulation`] puts a set of controllers over
//! one field and connects each to a broker. [`demo`] is one such farm, as data.
//!
//! # What a speed scales
//!
//! At speed 10 the farm's physics and its sun run ten times faster. Everything that a controller or Harit times stays in
//! real time: reports, leases, pulses, holds, expiry, faults. A dosing pump gives its millilitres a *real* second, so that
//! a pulse of five seconds is the same dose at any speed. Fans, vents, drip valves and well pumps work in the farm's time:
//! a minute of real time at speed 10 is ten minutes of their work.

mod args;
mod broker;
pub mod controller;
pub mod demo;
mod fault;
mod link;
pub mod model;
mod past;
mod run;
mod runner;
mod world;

pub use args::{ArgsError, BadFarmTime, FarmTime, FaultArgs, SimulateArgs};
pub use broker::{BadBroker, Broker};
pub use fault::{BadFault, BoardFull, Fault, FaultBoard, FaultKind, MAX_FAULTS, Part};
pub use past::{Past, Sent};
pub use run::{
    ConfigError, ControllerStatus, Handle, SPEEDS, SetFaultError, SimulateConfig, Simulation, run,
};
