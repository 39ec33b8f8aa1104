//! Any row of records on a fixed farm with two controllers, and what must hold whatever they are.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use harit_engine::{
    Engine, Event, FarmDocument, Input, InputKind, Problems, ReadingOutcome, RegistryChange,
    Timestamp,
};
use harit_farm::{
    CommandLife, CommandState, Controllers, Effect, Farm, Key, Observer, Reading, Record, Sensor,
    Telemetry,
};
use harit_protocol::Mac;
use serde_json::Value;

use source::{Source, Step, keys};

/// The most records of one run.
const MAX_RECORDS: usize = 250;
/// After how many ticks at one instant nothing may be due any more.
const MAX_TICKS: usize = 8;

fn farm() -> Farm {
    static DOCUMENT: OnceLock<FarmDocument> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| {
        let text = include_str!("farm_records/farm.json");
        let document: Value = serde_json::from_str(text).expect("farm.json is JSON");
        FarmDocument::from_json(&document).expect("farm.json is a farm")
    });
    Farm::new(Engine::new(document).expect("farm.json makes an engine"))
}

/// Whatever the records are, in the order in which a server has them:
///
/// - a farm never fails, and after some ticks at an instant nothing is due at it any more;
/// - a farm that is stored and read again is stored as it was, and tells the same from then on;
/// - keys that remember and keys that are new with each message mean the same sensors;
/// - commands count without a gap; what is published is one of them, and has not expired;
/// - a command's life goes only forward, and at most one a device is remembered, of devices that there are.
pub fn farm_records(data: &[u8]) {
    let mut source = Source::new(data);
    let mut plain = Twin::new(farm(), false);
    let mut others = [Twin::new(farm(), true), Twin::new(farm(), true)];
    let mut watch = Watch::default();
    for _ in 0..MAX_RECORDS {
        let due = plain.farm.next_deadline();
        for other in &mut others {
            assert_eq!(other.farm.next_deadline(), due, "another deadline");
        }
        let Some(step) = source.next(due, watch.commands) else {
            break;
        };
        if is_unsaid(&plain.farm, &step) {
            continue;
        }
        let at = Timestamp::from_millis(source.now);
        plain.step(at, &step, Some(&mut watch));
        watch.look(&plain.farm);
        for other in &mut others {
            other.step(at, &step, None);
            assert_eq!(other.told, plain.told, "{step:?}");
        }
        if matches!(step, Step::Restore) {
            let [_, restored] = &mut others;
            *restored = Twin::new(reopened(&restored.farm), true);
            assert_same(&plain.farm, &restored.farm);
        }
    }
    for other in &others {
        assert_same(&plain.farm, &other.farm);
    }
}

/// Whether nothing is promised of what follows.
fn is_unsaid(farm: &Farm, step: &Step) -> bool {
    let Step::Input(Input { kind, .. }) = step else {
        return false;
    };
    let engine = farm.engine();
    match kind {
        // Which of two things of a controller is meant that have one own id.
        InputKind::Registry(changes) => changes.iter().any(|change| match change {
            RegistryChange::PutSensor(put) => {
                let others = engine.sensors().map(|s| s.spec);
                let mut others = others.filter(|s| s.id != put.id);
                let own = own_id(put.id.as_str(), put.controller.as_deref());
                own.is_some()
                    && others.any(|s| own == own_id(s.id.as_str(), s.controller.as_deref()))
            }
            RegistryChange::PutDevice(put) => {
                let others = engine.devices().map(|d| d.spec);
                let mut others = others.filter(|d| d.id != put.id);
                let own = own_id(put.id.as_str(), put.controller.as_deref());
                own.is_some()
                    && others.any(|d| own == own_id(d.id.as_str(), d.controller.as_deref()))
            }
            _ => false,
        }),
        // Whether the reading of a sensor that was deleted is told: it is as long as the farm was not read again.
        InputKind::Reading { sensor, .. } => engine.sensor(sensor.as_str()).is_none(),
        _ => false,
    }
}

/// A controller, and its own id of a thing.
fn own_id<'a>(id: &'a str, controller: Option<&str>) -> Option<(Mac, &'a str)> {
    let mac = Mac::parse(controller?).ok()?;
    let own = id.strip_prefix(mac.as_str());
    let own = own.and_then(|rest| rest.strip_prefix('/'));
    Some((mac, own.unwrap_or(id)))
}

fn stored(farm: &Farm) -> [String; 2] {
    let stored = farm.snapshot().expect("a farm can be stored");
    let [engine, beside] = stored.map(|part| String::from_utf8_lossy(&part).into_owned());
    // Where a farm was read again its controllers stand in the order of the engine's things, else as they became known.
    let mut beside: Value = serde_json::from_str(&beside).expect("it is JSON");
    if let Some(all) = beside["controllers"]["controllers"].as_array_mut() {
        all.sort_by_key(|c| c["mac"].as_str().map(str::to_owned));
    }
    [engine, beside.to_string()]
}

fn assert_same(a: &Farm, b: &Farm) {
    let ([engine, beside], [other_engine, other_beside]) = (stored(a), stored(b));
    assert_eq!(beside, other_beside, "farms differ");
    assert!(engine == other_engine, "their engines differ");
}

fn reopened(farm: &Farm) -> Farm {
    let [engine, beside] = farm.snapshot().expect("a farm can be stored");
    let restored = Farm::restore(&engine, &beside).expect("what was stored reads back");
    assert_same(farm, &restored);
    restored
}

/// A farm, the keys that are used with it, and what the last step told.
struct Twin {
    farm: Farm,
    /// Those that remember; none where each message has new ones.
    keys: Option<[Vec<Key<'static>>; 2]>,
    told: Vec<String>,
}

impl Twin {
    fn new(farm: Farm, remembers: bool) -> Self {
        Self {
            farm,
            keys: remembers.then(|| [keys(), keys()]),
            told: Vec::new(),
        }
    }

    fn step(&mut self, at: Timestamp, step: &Step, watch: Option<&mut Watch>) {
        self.told.clear();
        let mut ear = Ear {
            at,
            told: &mut self.told,
            watch,
        };
        let ear = &mut ear;
        let farm = &mut self.farm;
        match step {
            Step::Controller(mac, scope) => {
                farm.apply(at, Record::Controller { mac: *mac, scope }, ear);
            }
            Step::Telemetry(message) => {
                let new = keys();
                let telemetry = Telemetry {
                    mac: message.mac,
                    at: message.at,
                    backlog: message.backlog,
                    number: message.number,
                    keys: self.keys.as_ref().map_or(&new, |all| &all[message.place]),
                    items: &message.items,
                };
                farm.apply(at, Record::Telemetry(telemetry), ear);
            }
            Step::Report(mac, report) => {
                farm.apply(at, Record::Report { mac: *mac, report }, ear);
            }
            Step::Gone(mac) => farm.apply(at, Record::Gone { mac: *mac }, ear),
            Step::Ack(mac, ack) => farm.apply(at, Record::Ack { mac: *mac, ack }, ear),
            Step::Unsent(commands) => farm.apply(at, Record::Unsent { commands }, ear),
            Step::WayOut => farm.apply(at, Record::WayOut, ear),
            Step::Input(input) => farm.apply(at, Record::Input(input), ear),
            Step::Ticks => tick(farm, at, ear),
            Step::Restore => {}
        }
        assert_eq!(farm.failed(), None, "{step:?}");
    }
}

fn tick(farm: &mut Farm, at: Timestamp, ear: &mut Ear<'_>) {
    let kind = InputKind::Tick;
    let input = Input { at, kind };
    let mut ticks = 0;
    while farm.next_deadline().is_some_and(|due| due <= at) {
        farm.apply(at, Record::Input(&input), ear);
        ticks += 1;
        assert!(ticks <= MAX_TICKS, "there is no end of what is due at {at}");
    }
}

/// Writes down what it hears.
struct Ear<'a> {
    at: Timestamp,
    told: &'a mut Vec<String>,
    watch: Option<&'a mut Watch>,
}

impl Observer for Ear<'_> {
    fn applied(
        &mut self,
        _: &Engine,
        _: &Controllers,
        input: Option<(&Input, &Result<(), Problems>)>,
        events: &[Event],
    ) {
        self.told.push(format!("{input:?} {events:?}"));
    }

    fn reading(&mut self, _: u32, sensor: &Sensor, reading: Reading) {
        self.told.push(format!("{} {reading:?}", sensor.id));
    }

    fn outcome(&mut self, outcome: ReadingOutcome) {
        self.told.push(format!("{outcome:?}"));
    }

    fn effect(&mut self, effect: Effect<'_>) {
        self.told.push(format!("{effect:?}"));
        if let Some(watch) = &mut self.watch {
            watch.effect(self.at, effect);
        }
    }
}

/// What is known of the commands from what was told alone.
#[derive(Default)]
struct Watch {
    commands: u64,
    states: BTreeMap<String, CommandState>,
}

impl Watch {
    fn effect(&mut self, at: Timestamp, effect: Effect<'_>) {
        match effect {
            Effect::Commanded(command) => {
                self.commands += 1;
                assert_eq!(command.id().n, self.commands, "commands do not count");
            }
            Effect::Publish {
                command, message, ..
            } => {
                assert!(command <= self.commands, "{command} was never decided");
                assert!(at < message.expires_at(), "{message:?} has expired at {at}");
                let state = self.states.get(&message.command_id);
                let is_open = state.is_some_and(|s| s.is_open());
                assert!(is_open, "{message:?} is published, but is {state:?}");
            }
            Effect::Renew { message, .. } => {
                let state = self.states.get(&message.command_id);
                let is_over =
                    |s: &CommandState| matches!(s, CommandState::Failed | CommandState::Superseded);
                assert!(
                    message.is_leased() && !state.is_none_or(is_over),
                    "{message:?} is renewed, but is {state:?}"
                );
            }
            Effect::Command(life) => self.life(life),
            _ => {}
        }
    }

    fn life(&mut self, life: &CommandLife) {
        use CommandState::{Acked, Confirmed, Failed, Queued, Sent, Superseded, TimedOut};
        let from = self.states.insert(life.command_id.clone(), life.state);
        let goes_on = match from {
            None => life.state == Queued,
            Some(Queued) => life.state != Queued,
            // A release is confirmed with what follows from it.
            Some(Sent) => life.state != Sent,
            Some(Acked) => matches!(life.state, Confirmed | Superseded),
            Some(TimedOut) => matches!(life.state, Queued | Acked | Failed),
            Some(Confirmed | Failed | Superseded) => false,
        };
        assert!(goes_on, "{from:?} -> {life:?}");
    }

    /// After each step.
    fn look(&self, farm: &Farm) {
        let mut devices = BTreeSet::new();
        for life in farm.delivery().latest() {
            let is_there = farm.engine().device_ref(life.device.as_str()).is_some();
            assert!(is_there, "{life:?} is remembered of no device");
            assert!(devices.insert(&life.device), "two of one device: {life:?}");
            let told = self.states.get(&life.command_id);
            assert_eq!(told, Some(&life.state), "{life:?} was not told");
        }
    }
}
