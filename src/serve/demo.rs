//! `--demo`: the same server, with a farm in it and simulated controllers in the field.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use futures_util::future::BoxFuture;
use harit_api::{
    Conditions, DemoSignIn, Language, NewFarm, NewTask, NewUser, NoWeather, Place, Records, Role,
    Weather, WeatherSource,
};
use harit_engine::FarmId;
use harit_ingest::Hub;
use harit_ingest::mac::Mac;
use harit_simulate::controller::ControllerKind;
use harit_simulate::{Broker, Fault, Handle, SimulateConfig, Simulation, demo};
use jiff::{Timestamp, ToSpan};

use super::Failed;

/// Makes the farm with everything in it, unless an earlier run did.
pub(super) async fn seed(records: &Records, hub: &Hub) -> Result<(), Failed> {
    let farm = demo::farm();
    if !records
        .has_farm(farm.id)
        .await
        .map_err(Failed::at("demo"))?
    {
        seed_records(records).await?;
    }
    if !hub.farms().contains(&FarmId::from(farm.id)) {
        hub.add_farm(demo::farm_document())
            .await
            .map_err(Failed::at("demo farm"))?;
    }
    Ok(())
}

async fn seed_records(records: &Records) -> Result<(), Failed> {
    let farm = demo::farm();
    let failed = || Failed::at::<Box<dyn std::error::Error + Send + Sync>>("demo records");
    let new = NewFarm {
        id: farm.id,
        name: farm.name,
        location: Some(farm.location),
        position: Some((farm.lat, farm.lng)),
        timezone: farm.timezone,
    };
    let mut users = BTreeMap::new();
    for person in demo::people() {
        let user = NewUser {
            contact: person.email,
            phone: Some(person.phone),
            name: person.name,
            password: Some(demo::PASSWORD),
            language: Language::parse(person.language).unwrap_or_default(),
            onboarding_completed: true,
        };
        let id = records
            .create_user(user)
            .await
            .map_err(|e| failed()(e.into()))?;
        users.insert(person.email, (id, person.role));
    }
    records
        .create_farm(new)
        .await
        .map_err(|e| failed()(e.into()))?;
    for (id, role) in users.values() {
        let role =
            Role::parse(role).ok_or_else(|| failed()(format!("{role} is no role").into()))?;
        records
            .set_role(id, farm.id, role)
            .await
            .map_err(|e| failed()(e.into()))?;
    }
    seed_controllers(records).await?;
    let today = Timestamp::now()
        .in_tz(farm.timezone)
        .map_err(|e| failed()(e.into()))?
        .date();
    for task in demo::tasks() {
        let due = today
            .checked_add(i64::from(task.due_in_days).days())
            .map_err(|e| failed()(e.into()))?;
        let new = NewTask {
            title: task.title,
            description: Some(task.description),
            assignee: users.get(task.assignee).map(|(id, _)| id.as_str()),
            category: Some(task.category),
            priority: task.priority.as_str(),
            status: task.status.as_str(),
            due_date: &due.to_string(),
        };
        records
            .create_task(farm.id, new)
            .await
            .map_err(|e| failed()(e.into()))?;
    }
    Ok(())
}

async fn seed_controllers(records: &Records) -> Result<(), Failed> {
    let document = demo::farm_document();
    for c in demo::controllers() {
        let mac = Mac::parse(&c.mac).map_err(Failed::at(format!("demo controller {}", c.mac)))?;
        let registered = match c.kind {
            ControllerKind::Polyhouse => {
                // The house in which its sensors are.
                let house = document
                    .sensors
                    .iter()
                    .find(|s| s.controller.as_deref() == Some(c.mac.as_str()))
                    .and_then(|s| s.scope.polyhouse_id.clone());
                let house = house
                    .ok_or_else(|| Failed::at(c.mac.clone())("the controller has no polyhouse"))?;
                records
                    .create_polyhouse_controller(
                        demo::FARM_ID,
                        mac,
                        &c.name,
                        &c.secret,
                        house.as_str(),
                    )
                    .await
            }
            ControllerKind::Fertigation => {
                let tank = demo::reservoirs()
                    .into_iter()
                    .find(|r| r.controller == c.mac);
                let tank = tank
                    .ok_or_else(|| Failed::at(c.mac.clone())("the controller has no reservoir"))?;
                let refilled = Timestamp::now().as_millisecond()
                    - i64::from(tank.last_refill_hours_ago) * 3_600_000;
                records
                    .create_reservoir_controller(
                        demo::FARM_ID,
                        mac,
                        tank.name,
                        &c.secret,
                        tank.id,
                        Some(tank.capacity_litres),
                        Some(refilled),
                    )
                    .await
            }
        };
        registered.map_err(Failed::at(format!("demo controller {}", c.mac)))?;
    }
    Ok(())
}

/// The field, against the endpoint at that address, and what goes wrong in it.
pub(super) fn simulation(mqtt: SocketAddr, faults: Vec<Fault>) -> Result<Simulation, Failed> {
    let broker = Broker {
        host: mqtt.ip().to_string(),
        port: mqtt.port(),
    };
    let config = SimulateConfig {
        faults,
        ..demo::config(broker)
    };
    Simulation::new(config).map_err(Failed::at("demo"))
}

/// What the sign-in page shows.
pub(super) fn sign_in() -> DemoSignIn {
    DemoSignIn {
        farm: demo::FARM_ID.into(),
        users: demo::people().iter().map(|p| p.email.to_owned()).collect(),
        password: demo::PASSWORD.into(),
    }
}

/// The model's weather on the dashboard.
pub(super) struct SimulatedWeather(pub(super) Handle);

impl Weather for SimulatedWeather {
    fn source(&self) -> WeatherSource {
        WeatherSource::Simulator
    }

    fn at<'a>(&'a self, _: &'a Place) -> BoxFuture<'a, Result<Conditions, NoWeather>> {
        let w = demo::weather(&self.0);
        Box::pin(async move {
            Ok(Conditions {
                temperature: Some(w.air_c),
                feels_like: Some(w.feels_like_c()),
                humidity: Some(w.humidity),
                wind: Some(w.wind_ms * 3.6),
                pressure: Some(w.pressure_hpa),
                at: Timestamp::now().as_millisecond(),
            })
        })
    }
}

/// How to sign in, for the terminal.
pub(super) fn welcome(http: SocketAddr, mqtt: SocketAddr) -> String {
    use std::fmt::Write;

    let mut text = format!("\nHarit demo: http://{http}\n\n");
    // Writing to a string does not fail.
    for person in demo::people() {
        let _ = writeln!(
            text,
            "  {:<20} {:<15} password {}",
            person.email,
            person.role,
            demo::PASSWORD
        );
    }
    let _ = writeln!(text, "\nMQTT: {mqtt}\n");
    for c in demo::controllers() {
        let _ = writeln!(text, "  {} {:<24} password {}", c.mac, c.name, c.secret);
    }
    text.push('\n');
    text
}
