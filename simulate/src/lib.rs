//! Simulated controllers.

pub mod controller;
mod fault;
pub mod model;

pub use fault::{BadFault, BoardFull, Fault, FaultBoard, FaultKind, MAX_FAULTS, Part};
