//! A farm's export, folded again.

use std::collections::BTreeMap;

use harit_farm::{Applied, CommandLife, Effect, Farm, FarmFile, Observer, Reading, Sensor};
use harit_protocol::jsonl::Line;
use serde_json::Value;

/// A farm that was folded over an export, and what followed.
#[derive(Debug)]
pub struct Replayed {
    /// The farm at the end.
    pub farm: Farm,
    /// The kinds of the lines.
    pub inputs: Vec<String>,
    /// What followed.
    pub recorded: Recorded,
}

/// What followed from records.
#[derive(Debug, Default)]
pub struct Recorded {
    /// What the engine said.
    pub events: Vec<Value>,
    /// Each command as it is at the end, by its id.
    pub lives: BTreeMap<String, CommandLife>,
    /// How often each command was published, by its number.
    pub published: BTreeMap<u64, u32>,
    /// What sensors said.
    pub readings: Vec<Reading>,
}

impl Replayed {
    /// Folds the lines of a farm's inputs over its file.
    #[must_use]
    pub fn new(file: &str, lines: &str) -> Self {
        let file = serde_json::from_str(file).unwrap();
        let mut farm = FarmFile::read(&file).unwrap();
        let mut recorded = Recorded::default();
        let mut inputs = Vec::new();
        for line in lines.lines() {
            let read = Line::parse(line).unwrap_or_else(|e| panic!("{line}: {e}"));
            let json: Value = serde_json::from_str(line).unwrap();
            inputs.push(json["input"].as_str().unwrap().to_owned());
            let applied = farm.apply_line(read, &mut recorded);
            assert_eq!(applied, Ok(()), "{line}");
        }
        Self {
            farm,
            inputs,
            recorded,
        }
    }
}

impl Observer for Recorded {
    fn applied(&mut self, applied: Applied<'_>) {
        let events = applied.events.iter();
        self.events
            .extend(events.map(|e| serde_json::to_value(e).unwrap()));
    }

    fn reading(&mut self, _: u32, _: &Sensor, reading: Reading) {
        self.readings.push(reading);
    }

    fn effect(&mut self, effect: Effect<'_>) {
        match effect {
            Effect::Command(life) => _ = self.lives.insert(life.command_id.clone(), life.clone()),
            Effect::Publish { command, .. } => *self.published.entry(command).or_default() += 1,
            _ => {}
        }
    }
}
