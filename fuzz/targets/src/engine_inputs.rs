//! Any row of inputs on a fixed farm, and what must hold whatever they are.

mod source;
mod watch;

use std::collections::BTreeSet;

use harit_engine::{Engine, Event, EventKind, Input, InputKind, Problems, Timestamp};
use harit_farm::{Farm, Record};
use harit_protocol::jsonl::Line;

use crate::documents::farm;
use source::Source;
use watch::Watch;

/// The most inputs of one run.
const MAX_INPUTS: usize = 300;
const HOUR: i64 = 3_600_000;

fn inputs(data: &[u8]) -> Vec<Input> {
    Source::new(data).take(MAX_INPUTS).collect()
}

/// Whatever the inputs are:
///
/// - `check` says what `apply` does, and what is refused changes nothing;
/// - the same inputs give the same events, also with a tick whenever something is due and with a snapshot and restore in
///   between, and as lines that a farm is told;
/// - the events' instants never fall, and lie between the clock before and after; command ids count without a gap;
/// - a device that is offline gets nothing, one that is locked gets nothing that switches it on except its safe setting,
///   and not even that if it was locked for having been on for too long, or stopped by a person whose stop nobody opened;
/// - a rule fires and stops in turn, an alert is raised and resolved in turn;
/// - no on period outlasts `max_on_sec`, and no hour has more seconds of pulses than the device allows.
pub fn engine_inputs(data: &[u8]) {
    let inputs = inputs(data);
    let (mut plain, mut ticked) = (farm(), farm());
    let (mut said, mut said_ticked) = (vec![], vec![]);
    let mut told = Told {
        farm: Farm::new(farm()),
        said: vec![],
    };
    let mut watch = Watch::default();
    for (n, input) in inputs.iter().enumerate() {
        let checked = plain.check(input);
        let before = (checked.is_err()).then(|| plain.snapshot());
        let applied = plain.apply(input, &mut said);
        assert_eq!(applied, checked, "{input:?}");
        assert_eq!(told.tell(input), applied, "told as a line: {input:?}");
        if let Some(before) = before {
            assert!(
                plain.snapshot() == before,
                "refused, but changed: {input:?}"
            );
            continue;
        }
        if n % 29 == 3 {
            ticked = reopened(&ticked);
        }
        if input.kind != InputKind::Resumed {
            tick_until(&mut ticked, input.at, &mut said_ticked, &mut watch);
        }
        watch.before(&ticked, input);
        let from = said_ticked.len();
        ticked
            .apply(input, &mut said_ticked)
            .expect("accepted above");
        watch.events(&said_ticked[from..]);
        watch.look(&ticked);
    }
    let now = inputs.last().map_or(0, |i| i.at.as_millis());
    let end = Input {
        at: Timestamp::from_millis(now + 4 * HOUR),
        kind: InputKind::Tick,
    };
    plain.apply(&end, &mut said).expect("a tick");
    told.tell(&end).expect("a tick");
    tick_until(&mut ticked, end.at, &mut said_ticked, &mut watch);
    ticked.apply(&end, &mut said_ticked).expect("a tick");
    assert_eq!(said, told.said, "the same inputs as lines, other events");
    assert_eq!(said, said_ticked, "ticks and restores changed the events");
    let state = plain.snapshot();
    assert!(state == ticked.snapshot(), "or the state");
    assert!(state == told.farm.into_engine().snapshot(), "or lines did");
    check_order(&said);
}

/// Ticks whenever something is due, as the driver of an engine does.
fn tick_until(engine: &mut Engine, at: Timestamp, said: &mut Vec<Event>, watch: &mut Watch) {
    while let Some(due) = engine.next_deadline().filter(|due| *due <= at) {
        let tick = Input {
            at: due,
            kind: InputKind::Tick,
        };
        let from = said.len();
        engine.apply(&tick, said).expect("a tick");
        watch.events(&said[from..]);
        let next = engine.next_deadline();
        assert!(next.is_none_or(|next| next > due), "{next:?} after {due}");
    }
}

fn reopened(engine: &Engine) -> Engine {
    let bytes = engine.snapshot();
    let mut restored = Engine::restore(&bytes).expect("a snapshot reads back");
    assert!(restored.snapshot() == bytes, "a restored engine differs");
    let mut engine = Engine::restore(&bytes).expect("a snapshot reads back");
    assert_eq!(restored.next_deadline(), engine.next_deadline());
    restored
}

fn check_order(said: &[Event]) {
    assert!(said.is_sorted_by_key(|e| e.at), "instants fall");
    let mut commands = 0_u64;
    let (mut running, mut active) = (BTreeSet::new(), BTreeSet::new());
    for event in said {
        match &event.kind {
            EventKind::Command(c) => {
                commands += 1;
                assert_eq!(c.id().to_string(), format!("f1-{commands}"));
            }
            EventKind::RuleFired { rule } => assert!(running.insert(rule), "{rule} fired twice"),
            EventKind::RuleStopped { rule, .. } => {
                assert!(running.remove(rule), "{rule} stopped twice");
            }
            EventKind::RuleBlocked { rule, .. } => {
                assert!(!running.contains(rule), "{rule} was running");
            }
            EventKind::AlertRaised { alert } => {
                assert!(active.insert(alert), "{alert} raised twice");
            }
            EventKind::AlertResolved { alert, .. } => {
                assert!(active.remove(alert), "{alert} resolved twice");
            }
            EventKind::AlertNotified { alert, .. } => {
                assert!(active.contains(alert), "{alert} is not active");
            }
            _ => {}
        }
    }
}

/// A farm that is told each input as a line, and what its engine said.
struct Told {
    farm: Farm,
    said: Vec<Event>,
}

impl Told {
    fn tell(&mut self, input: &Input) -> Result<(), Problems> {
        let mut text = vec![];
        let record = Record::Input(input);
        let written = record.line(input.at).write(&mut text);
        written.expect("an input can be written");
        let text = std::str::from_utf8(&text).expect("as text");
        let line = Line::parse(text).expect("it reads back");
        let done = self.farm.apply_line(line, &mut self.said);
        assert_eq!(self.farm.failed(), None, "{text}");
        done
    }
}

/// Bytes as a snapshot, and as the body of one with the right checksum: refused, or an engine that is stored as it was read.
pub fn snapshot(data: &[u8]) {
    let header = format!(
        "harit-snapshot 1 {:08x} {}\n",
        crc32fast::hash(data),
        data.len()
    );
    for bytes in [data.to_vec(), [header.as_bytes(), data].concat()] {
        match Engine::restore(&bytes) {
            Err(e) => assert!(!e.to_string().is_empty()),
            Ok(mut engine) => {
                let stored = engine.snapshot();
                let again = Engine::restore(&stored).expect("a snapshot reads back");
                assert!(again.snapshot() == stored, "a restored engine differs");
                let _ = engine.next_deadline();
            }
        }
    }
}
