//! Any row of records on a fixed farm with two controllers, and what must hold whatever they are.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use harit_engine::{Engine, FarmDocument, Input, InputKind, ReadingOutcome, Timestamp};
use harit_farm::{
    Applied, CommandLife, CommandState, Effect, Farm, Key, Observer, Reading, Record, Sensor,
    Telemetry,
};
use harit_protocol::jsonl::{Line, LineKind};
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
/// - keys that remember and keys that are new with each message mean the same sensors, and records that are written as lines
///   and read again are the same records;
/// - commands count without a gap; what is published is one of them, and has not expired;
/// - a command's life goes only forward, and at most one a device is remembered, of devices that there are.
pub fn farm_records(data: &[u8]) {
    let mut source = Source::new(data);
    let mut plain = Twin::new(farm(), Manner::Plain);
    let remembering = || Manner::Remembering([keys(), keys()]);
    let mut others = [
        Twin::new(farm(), Manner::Lines),
        Twin::new(farm(), remembering()),
        Twin::new(farm(), remembering()),
    ];
    let mut watch = Watch::default();
    for _ in 0..MAX_RECORDS {
        let due = plain.farm.next_deadline();
        for other in &mut others {
            assert_eq!(other.farm.next_deadline(), due, "another deadline");
        }
        let Some(step) = source.next(due, watch.commands) else {
            break;
        };
        let at = Timestamp::from_millis(source.now);
        plain.step(at, &step, Some(&mut watch));
        watch.look(&plain.farm);
        for other in &mut others {
            other.step(at, &step, None);
            assert_eq!(other.told, plain.told, "{step:?}");
        }
        if matches!(step, Step::Restore) {
            let [.., restored] = &mut others;
            *restored = Twin::new(reopened(&restored.farm), remembering());
            assert_same(&plain.farm, &restored.farm);
        }
    }
    for other in &others {
        assert_same(&plain.farm, &other.farm);
    }
}

fn assert_same(a: &Farm, b: &Farm) {
    let stored = |farm: &Farm| {
        let [engine, beside] = farm.snapshot().expect("a farm can be stored");
        (engine, String::from_utf8(beside).expect("it is JSON"))
    };
    let ((engine, beside), (other_engine, other_beside)) = (stored(a), stored(b));
    assert_eq!(beside, other_beside, "farms differ");
    assert!(engine == other_engine, "their engines differ");
}

fn reopened(farm: &Farm) -> Farm {
    let [engine, beside] = farm.snapshot().expect("a farm can be stored");
    let restored = Farm::restore(&engine, &beside).expect("what was stored reads back");
    assert_same(farm, &restored);
    restored
}

/// A farm, how it is told its records, and what the last step told.
struct Twin {
    farm: Farm,
    manner: Manner,
    told: Vec<String>,
}

/// How a farm is told its records.
enum Manner {
    /// As they are; each message has new keys.
    Plain,
    /// As they are; each controller has keys that remember.
    Remembering([Vec<Key<'static>>; 2]),
    /// As lines that are read again.
    Lines,
}

impl Twin {
    const fn new(farm: Farm, manner: Manner) -> Self {
        Self {
            farm,
            manner,
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
        let (new, farm) = (keys(), &mut self.farm);
        let record = match step {
            Step::Controller(mac, scope) => Record::Controller { mac: *mac, scope },
            Step::Telemetry(message) => Record::Telemetry(Telemetry {
                mac: message.mac,
                at: message.at,
                backlog: message.backlog,
                number: message.number,
                keys: match &self.manner {
                    Manner::Remembering(all) => &all[message.place],
                    Manner::Plain | Manner::Lines => &new,
                },
                items: &message.items,
            }),
            Step::Report(mac, report) => Record::Report { mac: *mac, report },
            Step::Gone(mac) => Record::Gone { mac: *mac },
            Step::Ack(mac, ack) => Record::Ack { mac: *mac, ack },
            Step::Unsent(commands) => Record::Unsent { commands },
            Step::WayOut => Record::WayOut,
            Step::Input(input) => Record::Input(input),
            Step::Ticks => return tick(farm, at, &mut ear),
            Step::Restore => return,
        };
        match &self.manner {
            Manner::Lines => tell(farm, &record.line(at), &mut ear),
            Manner::Plain | Manner::Remembering(_) => farm.apply(at, record, &mut ear),
        }
        assert_eq!(farm.failed(), None, "{step:?}");
    }
}

/// Has a farm apply a line as it is read again. What the engine refuses changes nothing, and is told as what it refused.
fn tell(farm: &mut Farm, line: &Line<'_>, ear: &mut Ear<'_>) {
    let mut text = vec![];
    line.write(&mut text).expect("a line can be written");
    let text = std::str::from_utf8(&text).expect("as text");
    let read = Line::parse(text).expect("it reads back");
    let input = match &read.kind {
        LineKind::Input(kind) => Some(Input {
            at: read.at,
            kind: kind.clone(),
        }),
        _ => None,
    };
    if let Err(problems) = farm.apply_line(read, ear) {
        let input = input.expect("only an input is refused");
        ear.applied(Applied {
            engine: farm.engine(),
            controllers: farm.controllers(),
            input: Some((&input, &Err(problems))),
            events: &[],
        });
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
    fn applied(&mut self, Applied { input, events, .. }: Applied<'_>) {
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
