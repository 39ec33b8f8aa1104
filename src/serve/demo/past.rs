//! The demo's past: what its farms did before they are first looked at, so that no chart and no log is empty.
//!
//! Nothing of it is drawn or invented. The farms' own physics, controllers and rules play it through the server's own pipeline,
//! with a clock that is set by hand: reports are journaled and folded, commands go out and are acknowledged. It is made
//! beside the data directory's own files and moved into place when it is whole.

use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, join_all, try_join_all};
use harit_api::almanac_days;
use harit_derived::{Definition, Document};
use harit_engine::{
    Duration as Secs, Engine, FarmId, InputKind, RegistryChange, ScopeSpec, SensorId, Timestamp,
};
use harit_ingest::clock::TimeSource;
use harit_ingest::mqtt::{Batch, Downlink, Principal, Publish, Refusal, Uplink};
use harit_ingest::{ControllerDirectory, ControllerKind, ControllerRecord, Hub, HubConfig};
use harit_protocol::Mac;
use harit_protocol::topic::Topic;
use harit_simulate::controller::Controller;
use harit_simulate::demo::DemoFarm;
use harit_simulate::{Broker, Past, Sent};

use super::Failed;

/// How often controllers report in the past.
const REPORT_EVERY: Duration = Duration::from_secs(60);
/// The longest time between two looks at what is due: the delay between two doses of the demo's rules.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// For how long a reading counts meanwhile, in seconds.
const STALE_AFTER: Secs = Secs::from_secs(180);
/// How often the engines are told their days: far more seldom than what they are told runs out.
const DAYS_EVERY: Duration = Duration::from_secs(86_400);
/// How often the state is stored: what is asked about that time begins at one.
const STORED_EVERY: Duration = Duration::from_secs(2 * 3_600);
/// Where it is made, below the data directory.
const MAKING: &str = "past";

/// Makes the past of `days` days, up to now, in a data directory that has no journal yet, and returns the fields as they are
/// then; nothing where there is a journal.
pub(crate) async fn make(
    config: &HubConfig,
    farms: &[DemoFarm],
    days: u32,
) -> Result<Vec<Past>, Failed> {
    let data = &config.data_dir;
    if days == 0 || data.join("journal").exists() {
        return Ok(Vec::new());
    }
    let began = Instant::now();
    tracing::info!(days, "making the demo's past");
    let making = data.join(MAKING);
    if making.exists() {
        std::fs::remove_dir_all(&making).map_err(Failed::at("the demo's past"))?;
    }
    std::fs::create_dir_all(&making).map_err(Failed::at("the demo's past"))?;
    let span = Duration::from_secs(u64::from(days) * 86_400);
    let time = Arc::new(Time::before_now(span));
    let config = HubConfig {
        data_dir: making.clone(),
        clock: time.clone(),
        sync: false,
        // its readings come as fast as they are taken
        telemetry_wait: Duration::ZERO,
        ..config.clone()
    };
    let mut played = Played::open(config, farms, span, time).await?;
    played.play(span).await?;
    let pasts = played.close(farms).await?;
    move_into_place(&making, data).map_err(Failed::at("the demo's past"))?;
    tracing::info!(
        days,
        ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(0),
        "the demo has a past"
    );
    Ok(pasts)
}

/// The journal comes last: without one, everything is made again.
fn move_into_place(making: &Path, data: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(making)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_string_lossy().starts_with("history.db") {
            std::fs::rename(entry.path(), data.join(name))?;
        }
    }
    std::fs::rename(making.join("journal"), data.join("journal"))?;
    std::fs::remove_dir_all(making)
}

/// A clock that is set by hand.
struct Time {
    began_ms: i64,
    now_ms: AtomicI64,
}

impl Time {
    fn before_now(span: Duration) -> Self {
        let began_ms =
            jiff::Timestamp::now().as_millisecond() - i64::try_from(span.as_millis()).unwrap_or(0);
        Self {
            began_ms,
            now_ms: AtomicI64::new(began_ms),
        }
    }
}

impl TimeSource for Time {
    fn wall(&self) -> Timestamp {
        self.read().0
    }

    fn monotonic(&self) -> Duration {
        self.read().1
    }

    fn read(&self) -> (Timestamp, Duration) {
        let now_ms = self.now_ms.load(Ordering::Acquire);
        let passed = u64::try_from(now_ms - self.began_ms).unwrap_or(0);
        (
            Timestamp::from_millis(now_ms),
            Duration::from_millis(passed),
        )
    }
}

/// A command on its way: farm, controller, payload.
type Command = (FarmId, Mac, Vec<u8>);

/// A pipeline and the fields that it commands, on one clock.
struct Played {
    hub: Hub,
    uplink: Arc<dyn Uplink>,
    commands: Arc<Mutex<Vec<Command>>>,
    time: Arc<Time>,
    farms: Vec<(FarmId, Past)>,
    demo: Vec<DemoFarm>,
}

impl Played {
    async fn open(
        config: HubConfig,
        farms: &[DemoFarm],
        span: Duration,
        time: Arc<Time>,
    ) -> Result<Self, Failed> {
        let hub = Hub::open(config, Arc::new(Registered::all(farms)))
            .await
            .map_err(Failed::at("the demo's past"))?;
        let commands = Arc::new(Mutex::new(Vec::new()));
        let sent = commands.clone();
        hub.attach(Downlink::new(move |topic, payload| {
            if let Ok(topic) = Topic::parse(topic) {
                let command = (FarmId::from(topic.farm), topic.mac, payload.to_vec());
                sent.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(command);
            }
            Ok(())
        }));
        let mut fields = Vec::new();
        for farm in farms {
            let mut document = farm.document();
            for sensor in &mut document.sensors {
                sensor.stale_after = STALE_AFTER;
            }
            hub.add_farm(document)
                .await
                .map_err(Failed::at("the demo's past"))?;
            derive(&hub, farm).await?;
            // Nobody listens there, and nobody is to: the messages are carried by hand.
            let nowhere = Broker {
                host: "127.0.0.1".into(),
                port: 9,
            };
            let past = Past::new(&farm.config(nowhere), time.began_ms, span, REPORT_EVERY)
                .map_err(Failed::at("the demo's past"))?;
            fields.push((FarmId::from(farm.id), past));
        }
        Ok(Self {
            uplink: hub.uplink(),
            hub,
            commands,
            time,
            farms: fields,
            demo: farms.to_vec(),
        })
    }

    async fn play(&mut self, span: Duration) -> Result<(), Failed> {
        let mut born = Vec::new();
        for (farm, (_, past)) in self.farms.iter_mut().enumerate() {
            born.extend(past.connect().into_iter().map(|sent| (farm, sent)));
        }
        self.publish(born).await?;
        let mut left = span;
        let (mut told_at, mut stored_at) = (None, left);
        while left > Duration::ZERO {
            if told_at.is_none_or(|at: Duration| at.saturating_sub(left) >= DAYS_EVERY) {
                self.tell_days().await?;
                told_at = Some(left);
            }
            let next = self.farms.iter().filter_map(|(_, past)| past.until_next());
            let step = next.min().unwrap_or(LOOK_EVERY).min(LOOK_EVERY).min(left);
            left -= step;
            let mut sent = Vec::new();
            for (farm, (_, past)) in self.farms.iter_mut().enumerate() {
                sent.extend(past.step(step).into_iter().map(|sent| (farm, sent)));
                self.time.now_ms.store(past.now_ms(), Ordering::Release);
            }
            self.turn().await?;
            self.publish(sent).await?;
            self.settle().await?;
            if stored_at.saturating_sub(left) >= STORED_EVERY {
                self.hub.snapshot().await;
                stored_at = left;
            }
        }
        Ok(())
    }

    /// Tells the engines the days around now, by which rules go that start by the clock.
    async fn tell_days(&self) -> Result<(), Failed> {
        let now = self.time.wall();
        for farm in &self.demo {
            let days = almanac_days(farm.timezone, (farm.lat, farm.lng), now);
            let id = FarmId::from(farm.id);
            let told = self.hub.admit(&id, InputKind::Almanac(days)).await;
            told.map_err(Failed::at("the demo's past"))?;
        }
        Ok(())
    }

    /// Waits until all look at the clock anew: one that looked before it was set would take what is published now into a batch of then, and
    /// give up half a minute later what follows from it, before that was carried anywhere.
    async fn turn(&self) -> Result<(), Failed> {
        let farms = self.farms.iter();
        let turns = farms.map(|(farm, _)| self.hub.begins_a_turn(farm));
        try_join_all(turns)
            .await
            .map_err(Failed::at("the demo's past"))?;
        Ok(())
    }

    /// Carries commands to the controllers and their answers back, until nobody says anything more.
    async fn settle(&mut self) -> Result<(), Failed> {
        loop {
            let settled = self.farms.iter().map(|(farm, _)| self.hub.settled(farm));
            try_join_all(settled)
                .await
                .map_err(Failed::at("the demo's past"))?;
            let commands =
                std::mem::take(&mut *self.commands.lock().unwrap_or_else(PoisonError::into_inner));
            if commands.is_empty() {
                return Ok(());
            }
            let mut answers = Vec::new();
            for (farm, mac, payload) in commands {
                if let Some(at) = self.farms.iter().position(|(id, _)| *id == farm) {
                    let said = self.farms[at].1.command(mac.as_str(), &payload);
                    answers.extend(said.into_iter().map(|sent| (at, sent)));
                }
            }
            self.publish(answers).await?;
        }
    }

    /// Publishes messages of farms, in their order, and waits until all are taken: together, as each wait is a commit of the journal.
    async fn publish(&self, sent: Vec<(usize, Sent)>) -> Result<(), Failed> {
        let mut receipts = Vec::with_capacity(sent.len());
        for (farm, Sent { mac, message }) in sent {
            let id = &self.farms[farm].0;
            let (last, retain, payload) = message.parts();
            let publish = Publish {
                topic: format!("harit/1/{id}/{mac}/{last}").into(),
                payload: payload.into(),
                retain,
                oversized: None,
            };
            let mac = Mac::parse(&mac).map_err(Failed::at("the demo's past"))?;
            let from = Principal::Controller {
                farm: id.clone(),
                mac,
            };
            let batch = Batch {
                from: Some(from),
                publishes: vec![publish],
            };
            receipts.push(self.uplink.receive(batch).await);
        }
        for taken in join_all(receipts).await {
            taken.map_err(Failed::at("the demo's past"))?;
        }
        Ok(())
    }

    /// The controllers are switched off, and from now on readings count as long as the farms' documents say.
    async fn close(self, farms: &[DemoFarm]) -> Result<Vec<Past>, Failed> {
        for (n, farm) in farms.iter().enumerate() {
            let document = farm.document();
            let farewells = farm.controllers().into_iter().map(|c| Sent {
                mac: c.mac,
                message: harit_simulate::controller::Outgoing::State(Controller::farewell()),
            });
            self.publish(farewells.map(|sent| (n, sent)).collect())
                .await?;
            let sensors = document.sensors.into_iter().map(RegistryChange::PutSensor);
            let admitted = self
                .hub
                .admit(
                    &FarmId::from(farm.id),
                    InputKind::Registry(sensors.collect()),
                )
                .await;
            admitted.map_err(Failed::at("the demo's past"))?;
        }
        self.hub.snapshot().await;
        drop(self.uplink);
        self.hub
            .shutdown()
            .await
            .map_err(Failed::at("the demo's past"))?;
        Ok(self.farms.into_iter().map(|(_, past)| past).collect())
    }
}

/// Has a farm's derived sensors computed, as the server does later from its records.
async fn derive(hub: &Hub, farm: &DemoFarm) -> Result<(), Failed> {
    let id = FarmId::from(farm.id);
    let mut definitions = Vec::new();
    for derived in farm.derived {
        let document: Document =
            serde_json::from_str(derived.document).map_err(Failed::at(derived.name))?;
        let sensor = SensorId::new(format!("derived-{}", derived.id));
        let made = move |engine: &Engine| {
            let filled = document.filled(engine);
            Definition::new(sensor, &filled, filled.gap(engine))
        };
        let made = hub.read(&id, made).await;
        let made = made.map_err(Failed::at(derived.name))?;
        let unsound = |_| Failed::at(derived.name)("the derived sensor is not sound");
        definitions.push(made.map_err(unsound)?);
    }
    hub.put_derived(&id, definitions);
    Ok(())
}

/// The demo's controllers, as long as nobody but this program speaks for them.
struct Registered(Vec<ControllerRecord>);

impl Registered {
    fn all(farms: &[DemoFarm]) -> Self {
        let records = farms.iter().flat_map(|farm| {
            let document = farm.document();
            let scope_of = move |mac: &str| {
                let own = document.sensors.iter();
                let mut own = own.filter(|s| s.controller.as_deref() == Some(mac));
                own.next().map_or_else(ScopeSpec::farm, |s| s.scope.clone())
            };
            farm.controllers().into_iter().filter_map(move |c| {
                Some(ControllerRecord {
                    farm: FarmId::from(farm.id),
                    mac: Mac::parse(&c.mac).ok()?,
                    kind: match c.kind {
                        harit_simulate::controller::ControllerKind::Polyhouse => {
                            ControllerKind::Polyhouse
                        }
                        harit_simulate::controller::ControllerKind::Fertigation => {
                            ControllerKind::Fertigation
                        }
                    },
                    scope: scope_of(&c.mac),
                    enabled: true,
                })
            })
        });
        Self(records.collect())
    }
}

impl ControllerDirectory for Registered {
    fn lookup(&self, mac: &Mac) -> Option<ControllerRecord> {
        self.0.iter().find(|r| r.mac == *mac).cloned()
    }

    fn verify<'a>(
        &'a self,
        _: &'a Mac,
        _: &'a [u8],
    ) -> BoxFuture<'a, Result<ControllerRecord, Refusal>> {
        Box::pin(async { Err(Refusal::Unavailable) })
    }

    fn verify_integration<'a>(
        &'a self,
        _: &'a str,
        _: &'a [u8],
    ) -> BoxFuture<'a, Result<Principal, Refusal>> {
        Box::pin(async { Err(Refusal::Unavailable) })
    }
}
