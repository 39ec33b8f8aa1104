//! A naive model of the engine's semantics, to test the engine against.
//!
//! It is written from the page on semantics alone and shares no code with the engine: it works on JSON, keeps lists,
//! looks for every deadline by going through all of them, and works out every mean and condition anew at every step. So
//! what it says is easy to check against the page, and a mistake in the engine's bookkeeping has nothing to hide behind.
//!
//! ```
//! use harit_model::Model;
//! use serde_json::json;
//!
//! let mut model = Model::new(&json!({
//!     "farm": {"id": "f1", "name": "Farm"},
//!     "sensors": [{"id": "t1", "type": "temperature", "scope": {"type": "farm"}, "stale_after_sec": 60}],
//! }))?;
//! model.apply(&json!({"at": 1_000, "input": "reading", "sensor": "t1", "value": 36.5}))?;
//! let events = model.apply(&json!({"at": 100_000, "input": "tick"}))?;
//! assert_eq!(events, [json!({"at": 61_000, "event": "sensor_expired", "sensor": "t1"})]);
//! # Ok::<(), harit_model::Malformed>(())
//! ```

mod alert;
mod almanac;
mod apply;
mod condition;
mod curve;
mod device;
mod document;
mod duty;
mod farm;
pub mod generate;
mod hours;
mod input;
mod ledger;
mod limits;
mod lock;
mod moments;
mod mutation;
pub mod number;
mod only_if;
mod program;
mod registry;
mod resume;
mod rule;
mod sensor_type;
mod setpoint;
mod settle;
mod standing;
mod state;
mod tree;
pub mod vector;

pub use document::Malformed;
pub use farm::Farm;
pub use moments::{Moment, Why};
pub use mutation::Mutation;
pub use state::Model;
