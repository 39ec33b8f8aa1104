//! Memory over a day: the server's own shard on virtual time, and how much memory the process has in each hour.
//!
//! `cargo run --release -p harit-sim --example memory -- --hours 24 --rate 20000`
//!
//! Each controller publishes a message a second: two values that cross nothing, and one that is too high for ten seconds of
//! five minutes, whereupon a rule starts a fan, a command goes out, and is acknowledged and reported. Meanwhile things come and
//! go, as they do where something is kept that nobody needs any more: each hour every controller loses its connection, each
//! farm gets a sensor, a device and a rule of a new name and loses those of the hour before, and a person takes a fan from
//! the rules for a while; some messages cannot be read. What the history gets is dropped.
//!
//! It has no sockets, no history and no API. The journal lies in the directory of temporary files.
//!
//! Memory is read at the end of each minute. Single readings swing, probably by what a snapshot, every tenth minute, needs while
//! it is written; what is never freed raises the least and the mean of an hour. Fails if either is more than 3 % higher in the last half than in the second quarter, by their means over
//! those hours.
#![allow(clippy::print_stdout, reason = "a tool that prints")]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use harit_engine::{FarmId, InputKind, Manual, ManualKind, Owner, RegistryChange, RuleId};
use harit_ingest::mqtt::{Batch, Principal, Publish};
use harit_ingest::simulation::{Archive, Server, ServerConfig, Storage};
use harit_load::{BenchFarms, Shape, Step};
use harit_protocol::Mac;
use harit_sim::time::{START_MS, VirtualTime};
use harit_sim::wire::{Records, Wire};
use serde_json::{Value, json};

/// The server's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How much more memory the last half may have than the second quarter, by the least and by the mean of an hour.
const MOST_GROWTH: f64 = 1.03;
/// Above which size the journal keeps no more than a restart needs.
const JOURNAL_BYTES: u64 = 256 * 1_024 * 1_024;
const SNAPSHOT_EVERY_SEC: u32 = 600;
const HOUR_SEC: u32 = 3_600;

/// How much memory a server has, hour by hour of a simulated day.
#[derive(Debug, Parser)]
struct Args {
    /// How many hours are played.
    #[arg(long, default_value_t = 24)]
    hours: u32,
    /// Messages a second, and so controllers.
    #[arg(long, default_value_t = 20_000)]
    rate: usize,
    /// Farms, over which the controllers are spread.
    #[arg(long, default_value_t = 200)]
    farms: usize,
}

/// A controller with two fans.
struct Controller {
    n: u32,
    farm: FarmId,
    mac: Mac,
    /// Of telemetry, state and acks: a connection's messages share theirs.
    topics: [Arc<str>; 3],
    is_on: [bool; 2],
}

#[derive(Clone, Copy)]
enum Kind {
    Telemetry,
    State,
    Ack,
}

impl Controller {
    fn fans(&self) -> [String; 2] {
        [format!("c{}-fan", self.n), format!("c{}-fan-2", self.n)]
    }

    fn telemetry(&self, second: u32) -> String {
        let n = self.n;
        let part = (second + n) % 10;
        let probe = if (second + n) % 300 < 10 { 40 } else { 20 };
        format!(
            r#"{{"seq":{second},"sensors":[{{"id":"c{n}-s0","latestValue":20.{part}}},{{"id":"c{n}-s1","latestValue":50.{part}}},{{"id":"c{n}-probe","latestValue":{probe}}}]}}"#
        )
    }

    fn state(&self) -> String {
        let fans = self.fans().into_iter().zip(self.is_on);
        let devices: Vec<_> = fans
            .map(|(id, on)| json!({"id": id, "type": "fan", "on": on, "lock": null, "safety": false}))
            .collect();
        json!({"online": true, "devices": devices}).to_string()
    }
}

/// The world about the server.
struct World {
    server: Server,
    archive: Archive,
    wire: Wire,
    time: Arc<VirtualTime>,
    controllers: Vec<Controller>,
    farms: Vec<FarmId>,
    totals: Totals,
}

#[derive(Default)]
struct Totals {
    messages: u64,
    commands: u64,
    events: u64,
    unreadable: u64,
}

impl World {
    fn new(args: &Args, storage: Storage) -> Result<Self, Box<dyn Error>> {
        let plan = BenchFarms {
            farms: args.farms,
            controllers: args.rate,
            idle: 0,
            values: 2,
            rules: 2,
            step: Step::CALM,
            shape: Shape::Short,
        };
        let mut controllers = Vec::new();
        for n in 0..args.rate {
            let account = plan.account(n);
            controllers.push(Controller {
                n: u32::try_from(n)?,
                topics: ["telemetry", "state", "ack"]
                    .map(|kind| format!("harit/1/{}/{}/{kind}", account.farm, account.mac).into()),
                mac: Mac::parse(&account.mac)?,
                farm: account.farm.as_str().into(),
                is_on: [false; 2],
            });
        }
        let (wire, archive) = (Wire::default(), Archive::default());
        let time = Arc::new(VirtualTime::default());
        let records = controllers.iter().map(|c| (c.mac, c.farm.clone()));
        let mut server = Server::start(&ServerConfig {
            storage,
            archive: archive.clone(),
            clock: time.clone(),
            directory: Arc::new(Records::new(records)),
            downlink: wire.downlink(),
            presence_grace: Duration::from_secs(60),
            journal_max_bytes: JOURNAL_BYTES,
        })?;
        let mut farms = Vec::new();
        for farm in 0..args.farms {
            let (id, document) = plan.document(farm);
            drop(server.add_farm(serde_json::from_value(document)?));
            server.turn(None);
            farms.push(id.as_str().into());
        }
        let mut world = Self {
            server,
            archive,
            wire,
            time,
            controllers,
            farms,
            totals: Totals::default(),
        };
        (0..args.rate).for_each(|n| world.connects(n));
        world.server.turn(None);
        Ok(world)
    }

    fn says(&mut self, n: usize, kind: Kind, payload: String) {
        let c = &self.controllers[n];
        let publish = Publish {
            topic: c.topics[kind as usize].clone(),
            payload: payload.into(),
            retain: false,
            oversized: None,
        };
        // nobody waits for the receipt
        drop(self.server.receive(Batch {
            from: Some(Principal::Controller {
                farm: c.farm.clone(),
                mac: c.mac,
            }),
            publishes: vec![publish],
        }));
        self.totals.messages += 1;
    }

    fn connects(&mut self, n: usize) {
        let c = &self.controllers[n];
        self.wire.connect(c.mac);
        let state = c.state();
        self.says(n, Kind::State, state);
    }

    /// A second, in ten turns: a tenth of the controllers publishes in each, and answers what it was told in the one before.
    fn second(&mut self, second: u32) -> Result<(), Box<dyn Error>> {
        let begin = START_MS + i64::from(second) * 1_000;
        for (turn, at) in (begin..).step_by(100).enumerate().take(10) {
            self.time.pass_to(at);
            for (mac, body) in self.wire.take_sent() {
                self.answers(mac, &serde_json::from_slice(&body)?)?;
            }
            for n in (turn..self.controllers.len()).step_by(10) {
                let payload = self.controllers[n].telemetry(second);
                self.says(n, Kind::Telemetry, payload);
            }
            self.server.turn(None);
            self.totals.events += self.server.take_events().len() as u64;
        }
        self.server.file();
        self.archive.take();
        Ok(())
    }

    fn answers(&mut self, mac: Mac, command: &Value) -> Result<(), Box<dyn Error>> {
        let digits = mac.to_string();
        let digits = digits.trim_start_matches("BE");
        let n = usize::from_str_radix(digits, 16)?;
        // a lease that is renewed names no device
        let Some(device) = command["device_id"].as_str() else {
            return Ok(());
        };
        let ack = json!({"command_id": command["command_id"], "status": "ack"});
        let c = self.controllers.get_mut(n).ok_or("an unknown controller")?;
        c.is_on[usize::from(device.ends_with("-2"))] = command["action"]["on"] == true;
        let state = c.state();
        self.says(n, Kind::Ack, ack.to_string());
        self.says(n, Kind::State, state);
        self.totals.commands += 1;
        Ok(())
    }

    /// What comes and goes in this minute: a sixtieth of everything.
    fn minute(&mut self, minute: u32) -> Result<(), Box<dyn Error>> {
        let part = usize::try_from(minute % 60)?;
        for n in (part..self.controllers.len()).step_by(60) {
            let c = &self.controllers[n];
            self.wire.disconnect(c.mac);
            self.server.gone(&c.farm, c.mac);
            self.server.turn(None);
            self.connects(n);
            if n % 7 == 0 {
                self.says(n, Kind::Telemetry, r#"{"sensors":[{"id":"#.to_owned());
            }
        }
        let hour = minute / 60;
        for farm in (part..self.farms.len()).step_by(60) {
            self.guests(farm, hour)?;
        }
        self.totals.unreadable += self.server.take_letters().len() as u64;
        Ok(())
    }

    /// A farm gets a sensor, a device and a rule, and loses those of the hour before.
    fn guests(&mut self, farm: usize, hour: u32) -> Result<(), Box<dyn Error>> {
        let names = |hour| ["sensor", "fan", "rule"].map(|kind| format!("guest-{kind}-{hour}"));
        let [sensor, fan, rule] = names(hour);
        let scope = json!({"type": "polyhouse", "polyhouseId": BenchFarms::HOUSE});
        let specs = (
            json!({"id": sensor, "type": "humidity", "scope": scope}),
            json!({"id": fan, "type": "fan", "scope": scope}),
            json!({
                "id": rule, "name": "Guest", "deployed": true, "scope": scope,
                "trigger": {"sensor_type": "humidity", "operator": "gt", "value": 99, "duration_sec": 60},
                "actions": [{"device_id": fan, "command": {"action": "on"}}],
            }),
        );
        let mut inputs = vec![
            InputKind::Registry(vec![
                RegistryChange::PutSensor(serde_json::from_value(specs.0)?),
                RegistryChange::PutDevice(serde_json::from_value(specs.1)?),
            ]),
            InputKind::RulePut(serde_json::from_value(specs.2)?),
            InputKind::Manual(Box::new(Manual {
                device: format!("c{farm}-fan-2").as_str().into(),
                kind: ManualKind::Override,
                action: Some("on".into()),
                value: None,
                duration_sec: Some(300),
                admin: false,
                owner: Some(Arc::new(Owner {
                    user_id: "asha".into(),
                    name: "Asha".into(),
                    reason: None,
                })),
            })),
        ];
        if let Some(before) = hour.checked_sub(1) {
            let [sensor, fan, rule] = names(before);
            inputs.push(InputKind::RuleDelete(RuleId::from(rule.as_str())));
            inputs.push(InputKind::Registry(vec![
                RegistryChange::DeleteDevice(fan.as_str().into()),
                RegistryChange::DeleteSensor(sensor.as_str().into()),
            ]));
        }
        for input in inputs {
            let mut answer = self.server.admit(&self.farms[farm], input);
            self.server.turn(None);
            answer.try_recv()?.map_err(|e| e.to_string())?;
        }
        Ok(())
    }
}

/// What the process had in memory in an hour, in MiB, a reading a minute.
#[derive(Default)]
struct Hour(Vec<f64>);

impl Hour {
    /// Takes a reading.
    fn read(&mut self) -> Result<(), Box<dyn Error>> {
        let status = std::fs::read_to_string("/proc/self/status")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib: f64 = line
            .and_then(|line| line.split_whitespace().next())
            .ok_or("no VmRSS")?
            .parse()?;
        self.0.push(kib / 1_024.0);
        Ok(())
    }

    fn least(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn mean(&self) -> f64 {
        mean(self.0.iter().copied())
    }

    fn most(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    sum / n
}

/// Fails if `of` an hour is on average more than [`MOST_GROWTH`] higher in the last half than in the second quarter.
fn flat(name: &str, hours: &[Hour], of: impl Fn(&Hour) -> f64) -> Result<(), String> {
    let (quarter, half) = (hours.len() / 4, hours.len() / 2);
    if quarter == half {
        return Ok(());
    }
    let before = mean(hours[quarter..half].iter().map(&of));
    let after = mean(hours[half..].iter().map(&of));
    println!(
        "{name} of an hour: {before:.1} MiB in the second quarter, {after:.1} MiB in the last half"
    );
    if after > before * MOST_GROWTH {
        return Err(format!(
            "the {name} of an hour grew from {before:.1} to {after:.1} MiB"
        ));
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let folder = tempfile::tempdir()?;
    let mut world = World::new(&args, Storage::File(folder.path().to_owned()))?;
    println!(
        "{} farms, {} controllers, {} messages/s",
        args.farms, args.rate, args.rate
    );
    println!(
        "hour    messages  commands    events  unreadable  journal MiB  least MiB   mean MiB   most MiB  seconds"
    );
    let mut hours = vec![];
    for n in 0..args.hours {
        let began = Instant::now();
        let mut hour = Hour::default();
        for second in n * HOUR_SEC..(n + 1) * HOUR_SEC {
            if second % 60 == 0 {
                world.minute(second / 60)?;
            }
            world.second(second)?;
            if (second + 1) % SNAPSHOT_EVERY_SEC == 0 {
                world.server.snapshot();
                world.server.trim()?;
                world.archive.take();
            }
            if (second + 1) % 60 == 0 {
                hour.read()?;
            }
        }
        let Totals {
            messages,
            commands,
            events,
            unreadable,
        } = world.totals;
        let journal = world.server.journal_bytes() / 1_024 / 1_024;
        println!(
            "{:>4}{messages:>12}{commands:>10}{events:>10}{unreadable:>12}{journal:>13}{:>11.1}{:>11.1}{:>11.1}{:>9.1}",
            n + 1,
            hour.least(),
            hour.mean(),
            hour.most(),
            began.elapsed().as_secs_f64()
        );
        hours.push(hour);
    }
    flat("least", &hours, Hour::least)?;
    flat("mean", &hours, Hour::mean)?;
    Ok(())
}
