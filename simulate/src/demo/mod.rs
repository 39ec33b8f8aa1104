//! The demo: two farms near Pune in January, with the people, rules and tasks of such farms.
//!
//! What the engine owns (places, sensors, devices, rules, alert rules) is a farm document (`talegaon.json`, `baramati.json`),
//! which `harit replay --farm` takes as well. What the records own is in `people`, what the fields are made of in `site`. All of it
//! is written in English; `language` says it in others.

mod language;
mod people;
mod site;

use harit_engine::{AlertSpec, FarmDocument, RuleSpec};
use serde_json::Value;

pub use language::DemoLanguage;
pub use people::{
    DemoAsset, DemoPerson, DemoReservoir, DemoTask, PASSWORD, TaskPriority, TaskStatus, people,
};
pub use site::{controllers, site};

use crate::Broker;
use crate::controller::ControllerSpec;
use crate::model::{DAY, FarmSpec, Weather};
use crate::run::{Handle, SimulateConfig};

/// The first farm's id.
pub const FARM_ID: &str = "demo-farm-1";
/// The seed of the first farm's weather.
pub const SEED: u64 = 20;
/// How many times faster than real time the demo's physics run: a fan cycle takes one to two minutes, a day 2.4 hours.
pub const SPEED: f64 = 10.0;
/// 20 January, 10:00 by the farm's clocks: the sun is about to make the fans start.
pub const START: f64 = 19.0 * DAY + 10.0 * 3_600.0;

const TALEGAON_DERIVED: &[DemoDerived] = &[DemoDerived {
    id: "6b1d3c52-7d0e-4c5f-9a35-2f6a1c0e9b11",
    name: "VPD, Polyhouse 1",
    document: r#"{"kind": "vpd", "scope": {"type": "polyhouse", "polyhouseId": "polyhouse-1"}}"#,
}];

/// A derived sensor of a demo farm. Its sensor stands in the farm's document, under the id `derived-` and this one.
#[derive(Debug, Clone, Copy)]
pub struct DemoDerived {
    /// Its id.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// By what it is computed, as JSON.
    pub document: &'static str,
}

/// One of the demo's farms.
#[derive(Debug, Clone, Copy)]
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
    /// What its controllers serve.
    pub assets: &'static [DemoAsset],
    /// Its tanks.
    pub reservoirs: &'static [DemoReservoir],
    /// Its tasks.
    pub tasks: &'static [DemoTask],
    /// Its derived sensors.
    pub derived: &'static [DemoDerived],
    /// E-mail address and role of everybody who belongs to it.
    pub roles: &'static [(&'static str, &'static str)],
    /// In which language it is named. Its tanks, tasks and derived sensors are in English here.
    pub language: DemoLanguage,
    document: &'static str,
    site: fn() -> FarmSpec,
    controllers: fn() -> Vec<ControllerSpec>,
    seed: u64,
}

/// All farms, the one that people see first first.
#[must_use]
pub fn farms(language: DemoLanguage) -> [DemoFarm; 2] {
    [
        DemoFarm {
            id: FARM_ID,
            name: language.say("Talegaon Farm"),
            location: language.say("Talegaon Dabhade, Pune, Maharashtra"),
            lat: 18.735,
            lng: 73.675,
            timezone: "Asia/Kolkata",
            assets: people::TALEGAON_ASSETS,
            reservoirs: people::TALEGAON_RESERVOIRS,
            tasks: people::TALEGAON_TASKS,
            derived: TALEGAON_DERIVED,
            roles: people::TALEGAON_ROLES,
            language,
            document: include_str!("talegaon.json"),
            site: site::site,
            controllers: site::controllers,
            seed: SEED,
        },
        DemoFarm {
            id: "demo-farm-2",
            name: language.say("Baramati Farm"),
            location: language.say("Baramati, Pune, Maharashtra"),
            lat: 18.151,
            lng: 74.577,
            timezone: "Asia/Kolkata",
            assets: people::BARAMATI_ASSETS,
            reservoirs: people::BARAMATI_RESERVOIRS,
            tasks: people::BARAMATI_TASKS,
            derived: &[],
            roles: people::BARAMATI_ROLES,
            language,
            document: include_str!("baramati.json"),
            site: site::baramati_site,
            controllers: site::baramati_controllers,
            seed: 21,
        },
    ]
}

/// The first farm, in English.
#[must_use]
pub fn farm() -> DemoFarm {
    let [first, _] = farms(DemoLanguage::En);
    first
}

impl DemoFarm {
    /// The farm as the engine knows it.
    #[must_use]
    #[allow(
        clippy::expect_used,
        reason = "the document is part of the program, and a test reads it"
    )]
    pub fn document(&self) -> FarmDocument {
        let read = || {
            let mut document: Value = serde_json::from_str(self.document)?;
            self.language.say_each(&mut document);
            serde_json::from_value(document)
        };
        read().expect("the demo's farm document is sound")
    }

    /// The physical farm.
    #[must_use]
    pub fn site(&self) -> FarmSpec {
        (self.site)()
    }

    /// The controllers on it.
    #[must_use]
    pub fn controllers(&self) -> Vec<ControllerSpec> {
        let mut controllers = (self.controllers)();
        let say = |name: &mut String| *name = self.language.say(name).to_owned();
        for controller in &mut controllers {
            say(&mut controller.name);
            controller.devices.iter_mut().for_each(|d| say(&mut d.name));
        }
        controllers
    }

    /// A run of it against that broker.
    #[must_use]
    pub fn config(&self, broker: Broker) -> SimulateConfig {
        SimulateConfig {
            broker,
            farm: self.id.into(),
            site: self.site(),
            controllers: self.controllers(),
            seed: self.seed,
            speed: SPEED,
            start: START,
            faults: vec![],
        }
    }
}

/// The first farm as the engine knows it.
#[must_use]
pub fn farm_document() -> FarmDocument {
    farm().document()
}

/// The first farm's automation rules.
#[must_use]
pub fn rules() -> Vec<RuleSpec> {
    farm_document().rules
}

/// The first farm's alert rules.
#[must_use]
pub fn alerts() -> Vec<AlertSpec> {
    farm_document().alerts
}

/// The weather for the dashboard's card, where the farm is simulated.
#[must_use]
pub fn weather(handle: &Handle) -> Weather {
    handle.weather()
}

/// A run of the first farm against that broker.
#[must_use]
pub fn config(broker: Broker) -> SimulateConfig {
    farm().config(broker)
}

#[cfg(test)]
mod tests;
