//! `--demo`: the same server, with two farms in it and simulated controllers in the fields.

pub(super) mod past;
mod season;

use std::collections::BTreeMap;
use std::net::SocketAddr;

use futures_util::future::BoxFuture;
use harit_api::{
    Conditions, DemoSignIn, Language, NewFarm, NewTask, NewUser, NoWeather, Place, Records, Role,
    Weather, WeatherSource,
};
use harit_engine::FarmId;
use harit_gateways::Gateways;
use harit_ingest::Hub;
use harit_protocol::Mac;
use harit_simulate::controller::ControllerKind;
use harit_simulate::demo::{DemoFarm, DemoLanguage};
use harit_simulate::{Broker, Handle, Past, SimulateConfig, Simulation, demo};
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};

use super::Failed;
use super::options::Demo;
use crate::config::Config;
use crate::gateway_sim;

/// The demo farm's id.
pub(super) const fn farm_id() -> &'static str {
    demo::FARM_ID
}

/// Makes the farms with everything in them, named in that language, unless an earlier run did.
pub(super) async fn seed(
    records: &Records,
    hub: &Hub,
    language: DemoLanguage,
) -> Result<(), Failed> {
    let farms = demo::farms(language);
    let [first, last] = &farms;
    let seeded = records.has_farm(last.id).await;
    let seeded = seeded.map_err(Failed::at("demo"))?;
    if !seeded {
        seed_records(records, &farms).await?;
    }
    for farm in &farms {
        if !hub.farms().contains(&FarmId::from(farm.id)) {
            hub.add_farm(farm.document())
                .await
                .map_err(Failed::at("demo farm"))?;
        }
    }
    if !seeded {
        // the zones in which things grow are the engine's
        let today = today(first)?;
        let season = season::write(records, hub, first, today).await;
        season.map_err(Failed::at("demo season"))?;
    }
    Ok(())
}

async fn seed_records(records: &Records, farms: &[DemoFarm; 2]) -> Result<(), Failed> {
    let failed = || Failed::at::<Box<dyn std::error::Error + Send + Sync>>("demo records");
    let mut users = BTreeMap::new();
    let [first, _] = farms;
    for person in demo::people(first.language) {
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
        users.insert(person.email, id);
    }
    // In this order: people see the farm first that they have belonged to for longest.
    for farm in farms {
        seed_farm(records, farm, &users).await?;
    }
    Ok(())
}

async fn seed_farm(
    records: &Records,
    farm: &DemoFarm,
    users: &BTreeMap<&str, String>,
) -> Result<(), Failed> {
    let failed = || Failed::at::<Box<dyn std::error::Error + Send + Sync>>("demo records");
    let new = NewFarm {
        id: farm.id,
        name: farm.name,
        location: Some(farm.location),
        position: Some((farm.lat, farm.lng)),
        timezone: farm.timezone,
    };
    records
        .create_farm(new)
        .await
        .map_err(|e| failed()(e.into()))?;
    for (email, role) in farm.roles {
        let role =
            Role::parse(role).ok_or_else(|| failed()(format!("{role} is no role").into()))?;
        let id = users
            .get(email)
            .ok_or_else(|| failed()(format!("{email} is nobody").into()))?;
        records
            .set_role(id, farm.id, role)
            .await
            .map_err(|e| failed()(e.into()))?;
    }
    seed_controllers(records, farm).await?;
    let say = |text| farm.language.say(text);
    for derived in farm.derived {
        records
            .create_derived_sensor(farm.id, derived.id, say(derived.name), derived.document)
            .await
            .map_err(|e| failed()(e.into()))?;
    }
    let today = today(farm)?;
    for task in farm.tasks {
        let due = today
            .checked_add(i64::from(task.due_in_days).days())
            .map_err(|e| failed()(e.into()))?;
        let new = NewTask {
            title: say(task.title),
            description: Some(say(task.description)),
            assignee: users.get(task.assignee).map(String::as_str),
            category: Some(say(task.category)),
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

/// Today in a farm.
fn today(farm: &DemoFarm) -> Result<Date, Failed> {
    let now = Timestamp::now().in_tz(farm.timezone);
    Ok(now.map_err(Failed::at("demo farm"))?.date())
}

async fn seed_controllers(records: &Records, farm: &DemoFarm) -> Result<(), Failed> {
    for c in farm.controllers() {
        let mac = Mac::parse(&c.mac).map_err(Failed::at(format!("demo controller {}", c.mac)))?;
        let missing =
            |what: &str| Failed::at(c.mac.clone())(format!("the controller has no {what}"));
        let registered = match c.kind {
            ControllerKind::Polyhouse => {
                let asset = farm.assets.iter().find(|a| a.mac == c.mac);
                let house = asset.ok_or_else(|| missing("polyhouse"))?.polyhouse_id;
                records
                    .create_polyhouse_controller(farm.id, mac, &c.name, &c.secret, house)
                    .await
            }
            ControllerKind::Fertigation => {
                let tank = farm.reservoirs.iter().find(|r| r.controller == c.mac);
                let tank = tank.ok_or_else(|| missing("reservoir"))?;
                let refilled = Timestamp::now().as_millisecond()
                    - i64::from(tank.last_refill_hours_ago) * 3_600_000;
                records
                    .create_reservoir_controller(
                        farm.id,
                        mac,
                        farm.language.say(tank.name),
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

/// The fields, against the endpoint at that address; the demo's faults go wrong in the first. `pasts`, where there are some, are
/// what the farms did before.
pub(super) fn simulations(
    mqtt: SocketAddr,
    demo: Demo,
    pasts: Vec<Past>,
) -> Result<Vec<Simulation>, Failed> {
    let broker = Broker {
        host: mqtt.ip().to_string(),
        port: mqtt.port(),
    };
    let mut pasts = pasts.into_iter();
    let mut faults = Some(demo.faults);
    let fields = demo::farms(demo.language).into_iter().map(|farm| {
        let config = SimulateConfig {
            faults: faults.take().unwrap_or_default(),
            ..farm.config(broker.clone())
        };
        let run = Simulation::new(config).map_err(Failed::at("demo"))?;
        Ok(match pasts.next() {
            Some(past) => run.after(past),
            None => run,
        })
    });
    fields.collect()
}

/// Gateways on loopback that show what the demo sends, and the demo set to them.
pub(super) async fn gateways(config: &mut Config) -> Result<Gateways, Failed> {
    let free = SocketAddr::from(([127, 0, 0, 1], 0));
    let gateways = Gateways::start(free, free).await;
    let gateways = gateways.map_err(Failed::at("simulated gateways"))?;
    if config.server.public_url.is_empty() {
        config.server.public_url = format!("http://{}", config.server.http);
    }
    gateways.inbox.set_server(&config.server.public_url);
    gateway_sim::connect(config, &gateways).map_err(Failed::at("simulated gateways"))?;
    Ok(gateways)
}

/// What the sign-in page shows.
pub(super) fn sign_in() -> DemoSignIn {
    DemoSignIn {
        farm: demo::FARM_ID.into(),
        users: demo::people(DemoLanguage::En)
            .map(|p| p.email.to_owned())
            .into(),
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
pub(super) fn welcome(http: SocketAddr, mqtt: SocketAddr, gateways: &Gateways) -> String {
    use std::fmt::Write;

    let mut text = format!("\nHarit demo: http://{http}\n\n");
    // Writing to a string does not fail.
    for person in demo::people(DemoLanguage::En) {
        let _ = writeln!(
            text,
            "  {:<20} {:<15} password {}",
            person.email,
            person.role,
            demo::PASSWORD
        );
    }
    let _ = writeln!(text, "\nMQTT: {mqtt}\n");
    for c in demo::farms(DemoLanguage::En)
        .iter()
        .flat_map(DemoFarm::controllers)
    {
        let _ = writeln!(text, "  {} {:<24} password {}", c.mac, c.name, c.secret);
    }
    let _ = writeln!(
        text,
        "\nMessages, as phones would show them: http://{}",
        gateways.http
    );
    text.push('\n');
    text
}
