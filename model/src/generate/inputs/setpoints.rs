//! What setpoints and curves depend on: changes of the settings, readings near them, days.

use serde_json::{Value, json};

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
                self.readings(at, readings);
            }
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

    fn readings(&mut self, at: i64, readings: Vec<(String, Value)>) {
        for (sensor, value) in readings {
            self.add(json!({"at": at, "input": "reading", "sensor": sensor, "value": value}));
        }
    }
}
