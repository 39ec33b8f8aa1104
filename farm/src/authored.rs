//! What people changed last, each with its entry for an audit log that is kept elsewhere.
//!
//! An entry stands in the log of the farm beside the input that it tells of, so there is no change without its author,
//! whatever stops between the two. The farm keeps the latest of them, and who keeps the audit log asks for those that it lacks.

use std::collections::VecDeque;

use harit_engine::Timestamp;
use serde::{Deserialize, Serialize};

/// How many entries a farm keeps.
pub const KEPT_ENTRIES: usize = 16;

/// An entry for the audit log; what it says is no part of any decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthoredEntry {
    /// Its number in the farm, from 1 without a gap.
    pub number: u64,
    /// When the input was applied.
    pub at: Timestamp,
    /// What it says, as it was given.
    pub text: Box<str>,
}

/// The latest entries of a farm.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Authored {
    /// How many there were.
    count: u64,
    latest: VecDeque<AuthoredEntry>,
}

impl Authored {
    pub(crate) fn push(&mut self, at: Timestamp, text: &str) {
        if self.latest.len() == KEPT_ENTRIES {
            self.latest.pop_front();
        }
        self.count += 1;
        self.latest.push_back(AuthoredEntry {
            number: self.count,
            at,
            text: text.into(),
        });
    }

    /// Whether there was none yet.
    pub(crate) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) const fn latest(&self) -> &VecDeque<AuthoredEntry> {
        &self.latest
    }
}

#[cfg(test)]
mod tests {
    use harit_engine::{Engine, FarmDocument, Input, InputKind, RuleSpec};
    use serde_json::json;

    use super::*;
    use crate::{Farm, Record};

    const NOON: Timestamp = Timestamp::from_millis(43_200_000);

    fn farm() -> Farm {
        let document = json!({"farm": {"id": "f1", "name": "F"},
            "sensors": [{"id": "t1", "type": "temperature", "scope": {"type": "farm"}}],
            "devices": [{"id": "fan-1", "name": "", "type": "fan", "scope": {"type": "farm"}}]});
        let document = FarmDocument::from_json(&document).unwrap();
        Farm::new(Engine::new(&document).unwrap())
    }

    /// A rule that is saved, for a device.
    fn put(farm: &mut Farm, device: &str, entry: &str) {
        let rule = json!({"id": "r1", "name": "Heat", "scope": {"type": "farm"},
            "trigger": {"sensor_type": "temperature", "operator": "gt", "value": 35},
            "actions": [{"device_id": device, "command": {"action": "on"}}]});
        let rule = RuleSpec::from_json(&rule).unwrap();
        let kind = InputKind::RulePut(Box::new(rule));
        let input = &Input { at: NOON, kind };
        farm.apply(NOON, Record::Authored { input, entry }, &mut ());
    }

    fn texts(farm: &Farm) -> Vec<(u64, &str)> {
        farm.authored()
            .iter()
            .map(|e| (e.number, &*e.text))
            .collect()
    }

    #[test]
    fn what_is_taken_is_kept_with_its_author_and_what_is_refused_is_not() {
        let mut farm = farm();
        put(&mut farm, "fan-1", "Asha");
        put(&mut farm, "fan-2", "Ravi");
        put(&mut farm, "fan-1", "Mina");
        assert_eq!(texts(&farm), [(1, "Asha"), (2, "Mina")]);
        assert_eq!(farm.authored()[0].at, NOON);
    }

    #[test]
    fn the_latest_are_kept_also_over_a_snapshot() {
        let mut farm = farm();
        for n in 0..=KEPT_ENTRIES {
            put(&mut farm, "fan-1", &n.to_string());
        }
        let [engine, beside] = farm.snapshot().unwrap();
        let restored = Farm::restore(&engine, &beside).unwrap();
        assert_eq!(texts(&restored), texts(&farm));
        let kept = texts(&restored);
        assert_eq!((kept.len(), kept[0]), (KEPT_ENTRIES, (2, "1")));
    }
}
