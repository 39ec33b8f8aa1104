//! The rules that there were, tried on every recorded log: they do what they did.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test says what is wrong by panicking"
)]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::time::Duration;

use harit_engine::{Engine, Event, EventKind, FarmDocument, Input, InputKind, RuleId, Timestamp};
use harit_farm::{Farm, Record};
use harit_ingest::past::{Backtest, Edit, Heard, Log, PastError, Stop, Watch, backtest};
use harit_protocol::jsonl;
use harit_scenarios::{Manner, files, play, read};

/// A farm, what it is told, and until when.
struct Recorded {
    name: String,
    farm: FarmDocument,
    inputs: Vec<Input>,
    until: Timestamp,
}

/// It as a log.
struct Inputs {
    farm: Farm,
    left: VecDeque<Input>,
    heard: Heard,
}

impl Log for Inputs {
    fn farm(&self) -> &Farm {
        &self.farm
    }

    fn follow(&mut self, to: Timestamp, _: &Stop, watch: &mut dyn Watch) -> Result<(), PastError> {
        while let Some(input) = self.left.pop_front() {
            if input.at > to {
                self.left.push_front(input);
                break;
            }
            // Refused, as recorded.
            if self.farm.engine().check(&input).is_err() {
                continue;
            }
            watch.before(&self.farm, input.at);
            self.heard.clear();
            self.farm
                .apply(input.at, Record::Input(&input), &mut self.heard);
            watch.after(&self.farm, &self.heard);
        }
        Ok(())
    }
}

/// The cases that the model made, and the stories.
fn all() -> Vec<Recorded> {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/vectors");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(vectors).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.join("farm.json").exists() {
            continue;
        }
        let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        let inputs = text("inputs.jsonl");
        all.push(Recorded {
            name: folder.display().to_string(),
            farm: serde_json::from_str(&text("farm.json")).unwrap(),
            inputs: inputs
                .lines()
                .map(|line| jsonl::parse(line).unwrap())
                .collect(),
            until: Timestamp::from_millis(text("until").trim().parse().unwrap()),
        });
    }
    for path in files().unwrap() {
        let story =
            read(&std::fs::read_to_string(&path).unwrap()).unwrap_or_else(|w| panic!("{}", w.what));
        let mut inputs = Vec::new();
        play(&story, Manner::Plain, &mut |input, _| {
            inputs.push(input.clone());
        });
        all.push(Recorded {
            name: path.display().to_string(),
            until: inputs.last().map_or(Timestamp::from_millis(0), |i| i.at),
            farm: story.farm,
            inputs,
        });
    }
    all
}

/// How often each rule fired after an instant.
fn fired(recorded: &Recorded, from: Timestamp) -> BTreeMap<RuleId, u32> {
    let mut engine = Engine::new(&recorded.farm).unwrap();
    let (mut events, mut fired) = (Vec::<Event>::new(), BTreeMap::new());
    let end = Input {
        at: recorded.until,
        kind: InputKind::Tick,
    };
    for input in recorded.inputs.iter().chain([&end]) {
        let is_new = input.at > from;
        let _ = engine.apply(input, &mut events);
        for event in events.drain(..).filter(|_| is_new) {
            if let EventKind::RuleFired { rule } = event.kind {
                *fired.entry(rule).or_default() += 1;
            }
        }
    }
    fired
}

/// The rules that there are at an instant and that nobody changes after it.
fn rules_at(recorded: &Recorded, from: Timestamp) -> Vec<Edit> {
    let mut engine = Engine::new(&recorded.farm).unwrap();
    let (before, after): (Vec<&Input>, Vec<&Input>) =
        recorded.inputs.iter().partition(|input| input.at <= from);
    for input in before {
        let _ = engine.apply(input, &mut Vec::new());
    }
    let changed = after.iter().filter_map(|input| match &input.kind {
        InputKind::RulePut(spec) => Some(&spec.id),
        InputKind::RuleDelete(id) => Some(id),
        _ => None,
    });
    let changed: BTreeSet<&RuleId> = changed.collect();
    let rules = engine.rules().map(|rule| rule.spec);
    let kept = rules.filter(|spec| !changed.contains(&spec.id));
    kept.map(|spec| Edit::Put(Box::new(spec))).collect()
}

/// Tries edits from an instant on.
fn tried(recorded: &Recorded, edits: &[Edit], from: Timestamp) -> Result<Backtest, PastError> {
    let mut log = Inputs {
        farm: Farm::new(Engine::new(&recorded.farm).unwrap()),
        left: recorded.inputs.iter().cloned().collect(),
        heard: Heard::default(),
    };
    let stop = Stop::within(Duration::from_secs(60));
    backtest(&mut log, edits, (from, recorded.until), &stop)
}

#[test]
fn the_rules_that_there_were_do_what_they_did() {
    let (mut spans, mut rules, mut firings, mut others) = (0, 0, 0, 0);
    for recorded in all() {
        for part in [0, 3] {
            let Some(first) = recorded.inputs.get(recorded.inputs.len() * part / 10) else {
                continue;
            };
            let from = first.at;
            let edits = rules_at(&recorded, from);
            let name = format!("{} from {from}", recorded.name);
            let found = tried(&recorded, &edits, from);
            let found = found.unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(found.was, found.would, "{name}");
            assert_eq!(found.left_out, 0, "{name}");
            let counted = found.was.rules.iter().filter(|r| r.fired > 0);
            let counted: BTreeMap<_, _> = counted.map(|r| (r.id.clone(), r.fired)).collect();
            assert_eq!(counted, fired(&recorded, from), "{name}");
            spans += 1;
            rules += edits.len();
            firings += counted.values().sum::<u32>();
            // Without one of them it is another farm, so that what is the same above says something.
            for edit in &edits {
                let none = [Edit::Delete(edit.id().clone())];
                if counted.contains_key(edit.id())
                    && let Ok(without) = tried(&recorded, &none, from)
                {
                    others += usize::from(without.was != without.would);
                }
            }
        }
    }
    println!(
        "{spans} spans with {rules} rules, {firings} firings; {others} are others without a rule"
    );
    assert!(spans > 300 && rules > 300 && firings > 300 && others > 100);
}
