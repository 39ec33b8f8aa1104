//! What the engine goes on: values that sensors did report, and means of these.

use std::collections::BTreeMap;

use harit_engine::{Engine, FarmId, Quantity, RulePhase};

use super::{Checks, When};

impl Checks {
    /// **I14, I15**: what a rule goes on is a value that the sensor did report, that is plausible and fresh; a mean is the
    /// mean of these and of nothing else; without any, a rule that is to stop for that does not run.
    pub(super) fn evidence(&mut self, farm: &FarmId, when: When, engine: &Engine) {
        let mut wrong = Vec::new();
        let mut sums: BTreeMap<harit_engine::SensorType, (i64, u32)> = BTreeMap::new();
        for sensor in engine.sensors() {
            let Some(value) = sensor.value else { continue };
            let (low, high) = sensor.spec.sensor_type.plausible_range();
            if value < Quantity::from_units(low) || value > Quantity::from_units(high) {
                wrong.push(("I15", format!("{} counts with {value:?}", sensor.spec.id)));
            }
            if sensor
                .expires_at
                .is_some_and(|e| e.as_millis() <= when.engine_ms)
            {
                wrong.push(("I14", format!("{} counts after its end", sensor.spec.id)));
            }
            let known = self
                .reported
                .get(&(farm.clone(), sensor.spec.id.clone()))
                .is_some_and(|all| all.contains(&value.as_micro()));
            if !known {
                wrong.push((
                    "I15",
                    format!(
                        "{} counts with {value:?}, which it never said",
                        sensor.spec.id
                    ),
                ));
            }
            let sum = sums.entry(sensor.spec.sensor_type).or_default();
            *sum = (sum.0 + value.as_micro(), sum.1 + 1);
        }
        for of in harit_engine::SensorType::ALL {
            let mean = engine.signal(&harit_engine::ScopeSpec::farm(), of);
            let said = mean.map(|m| (m.sum, m.count));
            let is = sums.get(&of).copied();
            if said != is {
                wrong.push((
                    "I15 mean",
                    format!(
                        "the farm's {} is {said:?} and should be {is:?}",
                        of.as_str()
                    ),
                ));
            }
        }
        for rule in engine.rules() {
            let RulePhase::Running { .. } = rule.phase else {
                continue;
            };
            let stop = rule.spec.stop_condition.as_ref();
            let end = match stop.map_or(rule.spec.trigger.when(), Some) {
                Some(harit_engine::WhenSpec::Condition(end)) => end.sensor_type,
                // Time knows when to stop it.
                _ => continue,
            };
            if rule.spec.on_signal_lost == harit_engine::OnSignalLost::Stop
                && !sums.contains_key(&end)
            {
                wrong.push((
                    "I14",
                    format!("{} runs, and nothing tells when to stop it", rule.spec.id),
                ));
            }
        }
        for (checker, what) in wrong {
            self.blame(checker, when.at_ms, what);
        }
    }
}
