//! Recorded cases in files (farm.json, inputs.jsonl, until, events.jsonl), and how lists of events compare.

use std::path::Path;
use std::{fs, io};

use serde_json::{Value, json};

/// A farm, what happens to it, and until when.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The farm's document.
    pub farm: Value,
    /// The inputs, in order.
    pub inputs: Vec<Value>,
    /// The instant of a last tick.
    pub until: i64,
}

impl Case {
    /// Reads a case and the expected events from a folder.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or is no JSON.
    pub fn load(folder: &Path) -> io::Result<(Self, Vec<Value>)> {
        let read = |name: &str| fs::read_to_string(folder.join(name));
        let lines = |text: String| {
            text.lines()
                .map(serde_json::from_str)
                .collect::<Result<Vec<Value>, _>>()
        };
        let until = read("until")?.trim().parse().map_err(io::Error::other)?;
        let case = Self {
            farm: serde_json::from_str(&read("farm.json")?)?,
            inputs: lines(read("inputs.jsonl")?)?,
            until,
        };
        Ok((case, lines(read("events.jsonl")?)?))
    }

    /// Writes the case and its events into a folder.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn save(&self, folder: &Path, events: &[Value]) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let lines = |values: &[Value]| values.iter().map(|v| format!("{v}\n")).collect::<String>();
        fs::write(folder.join("farm.json"), format!("{}\n", self.farm))?;
        fs::write(folder.join("inputs.jsonl"), lines(&self.inputs))?;
        fs::write(folder.join("until"), format!("{}\n", self.until))?;
        fs::write(folder.join("events.jsonl"), lines(events))
    }

    /// All inputs with the last tick.
    pub fn all_inputs(&self) -> impl Iterator<Item = Value> + '_ {
        let last = json!({"at": self.until, "input": "tick"});
        self.inputs.iter().cloned().chain(std::iter::once(last))
    }
}

/// An event in a form that compares: whole numbers have one spelling, fields one order.
#[must_use]
pub fn normal(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<String> = fields
                .iter()
                .map(|(k, v)| format!("{k}={}", normal(v)))
                .collect();
            fields.sort();
            fields.join(" ")
        }
        Value::Number(n) => n.to_string().trim_end_matches(".0").to_owned(),
        other => other.to_string(),
    }
}

fn sorted(events: &[Value]) -> Vec<(i64, String)> {
    let mut events: Vec<_> = events
        .iter()
        .map(|e| (e["at"].as_i64().unwrap_or(i64::MIN), normal(e)))
        .collect();
    events.sort();
    events
}

/// The first instant at which two lists of events differ, with what each has there that the other has not; order is
/// free among the events of an instant.
#[must_use]
pub fn difference(ours: &[Value], theirs: &[Value]) -> Option<(i64, Vec<String>, Vec<String>)> {
    let (ours, theirs) = (sorted(ours), sorted(theirs));
    let at = ours
        .iter()
        .zip(&theirs)
        .find(|(a, b)| a != b)
        .map(|(a, b)| a.0.min(b.0))
        .or_else(|| {
            let shorter = ours.len().min(theirs.len());
            ours.get(shorter).or(theirs.get(shorter)).map(|e| e.0)
        })?;
    let only = |some: &[(i64, String)], others: &[(i64, String)]| {
        let mut left: Vec<String> = others
            .iter()
            .filter(|e| e.0 == at)
            .map(|e| e.1.clone())
            .collect();
        let mut only = Vec::new();
        for (_, event) in some.iter().filter(|e| e.0 == at) {
            match left.iter().position(|e| e == event) {
                Some(n) => _ = left.remove(n),
                None => only.push(event.clone()),
            }
        }
        only
    };
    Some((at, only(&ours, &theirs), only(&theirs, &ours)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_free_within_an_instant_only() {
        let event = |at: i64, value: f64| json!({"at": at, "value": value});
        let ours = [event(1, 0.0), event(1, 2.0), event(2, 0.0)];
        assert_eq!(
            difference(
                &ours,
                &[json!({"value": 2, "at": 1}), event(1, 0.0), event(2, 0.0)]
            ),
            None
        );
        let (at, only_ours, only_theirs) = difference(&ours, &ours[..2]).unwrap();
        assert_eq!((at, only_ours.len(), only_theirs.len()), (2, 1, 0));
        let (at, only_ours, only_theirs) =
            difference(&ours, &[event(1, 0.0), event(1, 0.0), event(2, 0.0)]).unwrap();
        assert_eq!((at, only_ours.len(), only_theirs.len()), (1, 1, 1));
    }
}
