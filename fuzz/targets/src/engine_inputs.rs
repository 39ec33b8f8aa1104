//! Any row of inputs on a fixed farm, of plain rules or of programs and limits, and what must hold whatever they are.

mod source;
mod watch;

use std::collections::BTreeSet;

use harit_engine::{
    AlmanacDay, Engine, Event, EventKind, FarmDocument, Input, InputKind, LocalDate, Problems,
    Timestamp,
};
use harit_farm::{Farm, Record};
use harit_protocol::jsonl::Line;

use crate::documents::{farm_json, programs_json};
use source::Source;
use watch::Watch;

/// The most inputs of one run.
const MAX_INPUTS: usize = 300;
const HOUR: i64 = 3_600_000;

/// The first local day of the almanac begins here: midnight of 14 November 2023 in India. The inputs begin a day and some hours later.
const FIRST_DAY: i64 = 1_699_900_200_000;
/// As many as the server tells.
const DAYS: u8 = 14;

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
    hold(farm_json(), None, true, data);
}

/// The same, but for lines, of a farm whose rules are programs, by the clock and by trees, and whose machines have limits; with or
/// without an almanac. (What devices report is read by such rules, and a farm of no controllers takes it back when one is saved.) And a
/// machine does not start before its least time off is over.
pub fn program_inputs(data: &[u8]) {
    let (first, rest) = data.split_first().map_or((0, data), |(b, r)| (*b, r));
    let almanac = Input {
        at: Timestamp::from_millis(FIRST_DAY),
        kind: InputKind::Almanac((0..DAYS).filter_map(local_day).collect()),
    };
    hold(
        programs_json(),
        (first & 7 != 0).then_some(almanac),
        false,
        rest,
    );
}

/// A day in India, with its sun from six to six.
fn local_day(nth: u8) -> Option<AlmanacDay> {
    let from = FIRST_DAY + i64::from(nth) * 24 * HOUR;
    let at = |hours: i64| Timestamp::from_millis(from + hours * HOUR);
    Some(AlmanacDay {
        date: LocalDate::new(2023, 11, 14 + nth)?,
        from: at(0),
        to: at(24),
        offset: 19_800,
        change: None,
        sunrise: Some(at(6)),
        sunset: Some(at(18)),
    })
}

fn hold(document: &FarmDocument, first: Option<Input>, as_lines: bool, data: &[u8]) {
    let farm = || Engine::new(document).expect("the document makes an engine");
    let source = Source::new(document, data).take(MAX_INPUTS);
    let inputs: Vec<Input> = first.into_iter().chain(source).collect();
    let (mut plain, mut ticked) = (farm(), farm());
    let (mut said, mut said_ticked) = (vec![], vec![]);
    let mut told = Told {
        farm: Farm::new(farm()),
        said: vec![],
    };
    let mut watch = Watch::of(document);
    for (n, input) in inputs.iter().enumerate() {
        let checked = plain.check(input);
        let before = (checked.is_err()).then(|| plain.snapshot());
        let applied = plain.apply(input, &mut said);
        assert_eq!(applied, checked, "{input:?}");
        if as_lines {
            assert_eq!(told.tell(input), applied, "told as a line: {input:?}");
        }
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
    tick_until(&mut ticked, end.at, &mut said_ticked, &mut watch);
    ticked.apply(&end, &mut said_ticked).expect("a tick");
    assert_eq!(said, said_ticked, "ticks and restores changed the events");
    let state = plain.snapshot();
    assert!(state == ticked.snapshot(), "or the state");
    if as_lines {
        told.tell(&end).expect("a tick");
        assert_eq!(said, told.said, "the same inputs as lines, other events");
        assert!(state == told.farm.into_engine().snapshot(), "or lines did");
    }
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
