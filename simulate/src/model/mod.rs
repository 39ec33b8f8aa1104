//! A small physical model of a farm: weather, polyhouse air, substrate and fertigation tanks.
//!
//! Pure: no clock, no I/O, no global state. [`Farm::step`] lets time pass; the same specification, seed and steps give the
//! same values. It is meant to behave (a fan cools, a vent dries, a pump fills, dosing moves pH and EC, day follows night),
//! not to predict a harvest.

mod farm;
mod house;
mod noise;
mod sensor;
mod soil;
mod tank;
mod weather;

pub use farm::{Actuator, Farm, FarmSpec, HousePart, Probe, TankPart, ZonePart};
pub use house::{Air, House, HouseDrive, HouseSpec};
pub use noise::Noise;
pub use sensor::Grade;
pub use soil::{Bed, BedSpec};
pub use tank::{Content, Reagent, Tank, TankDrive, TankSpec};
pub use weather::{Climate, DAY, Sky, Weather, YEAR};
