//! The demo farm: two polyhouses near Pune in January, with the people, rules and tasks of such a farm.
//!
//! What the engine owns (places, sensors, devices, rules, alert rules) is the farm document in `farm.json`, which
//! `harit replay --farm` takes as well. What the records own is in `people`, what the field is made of in `site`.

mod people;
mod site;

use harit_engine::{AlertSpec, FarmDocument, RuleSpec};

pub use people::{
    DemoAsset, DemoPerson, DemoReservoir, DemoTask, PASSWORD, TaskPriority, TaskStatus, assets,
    people, reservoirs, tasks,
};
pub use site::{controllers, site};

use crate::Broker;
use crate::model::{DAY, Weather};
use crate::run::{Handle, SimulateConfig};

/// The farm's id.
pub const FARM_ID: &str = "demo-farm-1";
/// The seed of its weather.
pub const SEED: u64 = 20;
/// How many times faster than real time the demo's physics run: a fan cycle takes one to two minutes, a day 2.4 hours.
pub const SPEED: f64 = 10.0;
/// 20 January, 10:00 by the farm's clocks: the sun is about to make the fans start.
pub const START: f64 = 19.0 * DAY + 10.0 * 3_600.0;

const FARM: &str = include_str!("farm.json");

/// What the records say of the farm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DemoFarm {
    /// Its id.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Where it is, for people.
    pub location: &'static str,
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lng: f64,
    /// Its time zone's IANA name.
    pub timezone: &'static str,
}

/// The farm.
#[must_use]
pub const fn farm() -> DemoFarm {
    DemoFarm {
        id: FARM_ID,
        name: "Talegaon Farm",
        location: "Talegaon Dabhade, Pune, Maharashtra",
        lat: 18.735,
        lng: 73.675,
        timezone: "Asia/Kolkata",
    }
}

/// The farm as the engine knows it.
#[must_use]
#[allow(
    clippy::expect_used,
    reason = "the document is part of the program, and a test reads it"
)]
pub fn farm_document() -> FarmDocument {
    serde_json::from_str(FARM).expect("the demo's farm document is sound")
}

/// Its automation rules.
#[must_use]
pub fn rules() -> Vec<RuleSpec> {
    farm_document().rules
}

/// Its alert rules.
#[must_use]
pub fn alerts() -> Vec<AlertSpec> {
    farm_document().alerts
}

/// The weather for the dashboard's card, where the farm is simulated.
#[must_use]
pub fn weather(handle: &Handle) -> Weather {
    handle.weather()
}

/// A run of the demo against that broker.
#[must_use]
pub fn config(broker: Broker) -> SimulateConfig {
    SimulateConfig {
        broker,
        farm: FARM_ID.into(),
        site: site(),
        controllers: controllers(),
        seed: SEED,
        speed: SPEED,
        start: START,
        faults: vec![],
    }
}

#[cfg(test)]
mod tests;
