//! What setpoints and curves depend on: changes of the settings, readings near them, days.

use serde_json::{Value, json};

use super::super::setpoints::edits::{broken_rule, edited_rule, same_rule};
use super::super::setpoints::{broken_settings, change, near_curve, near_setpoint};
use super::Maker;

impl Maker {
    pub(super) fn of_setpoints(&mut self, at: i64) {
        match self.dice.below(20) {
            0 if self.options.registry && self.options.malformed => {
                let change = broken_settings(&mut self.dice, &self.world);
                self.add(json!({"at": at, "input": "registry", "changes": [change]}));
            }
            0..=2 if self.options.registry => {
                let mut world = self.world.clone();
                let min_samples = self.model.min_samples;
                if let Some(change) = change(&mut self.dice, &mut world, min_samples)
                    && self.add(json!({"at": at, "input": "registry", "changes": [change]}))
                {
                    self.world = world;
                }
            }
            3..=9 => {
                let readings = near_setpoint(&mut self.dice, &self.model, at);
                self.readings(at, readings.clone());
                if self.dice.chance(50) {
                    self.readings(at + 600, readings);
                }
            }
            17 | 18 => self.rule_of_setpoints(at),
            19 => self.almanac(at),
            _ => {
                let readings = near_curve(&mut self.dice, &self.model, at);
                let is_silence = readings.iter().any(|(_, value)| value.is_null());
                self.readings(at, readings.clone());
                if is_silence {
                    self.readings(at + 1, readings);
                }
            }
        }
    }

    /// A stored rule is put again: the same, edited or broken.
    fn rule_of_setpoints(&mut self, at: i64) {
        if self.world.rules.is_empty() {
            return;
        }
        let stored = self.dice.pick(&self.world.rules).clone();
        let rule = match self.dice.below(4) {
            0 | 1 if self.options.malformed => broken_rule(&mut self.dice, &self.world, &stored),
            1 | 2 => edited_rule(&mut self.dice, &self.world, &stored),
            _ => {
                let same = super::same_rule(&mut self.dice, &stored);
                same_rule(&mut self.dice, same)
            }
        };
        self.put_rule(at, rule);
    }

    fn readings(&mut self, at: i64, readings: Vec<(String, Value)>) {
        for (sensor, value) in readings {
            self.add(json!({"at": at, "input": "reading", "sensor": sensor, "value": value}));
        }
    }
}
