//! Derived signals: what follows from the fresh sensors of a place by another rule than the mean.
//!
//! A derived signal is a signal like any other, with breakpoints and conditions of its own; it has one value in place of a
//! sum, so its count is 1, or 0 while it has none. What is here keeps that value in step with the sensors of the signal that
//! it is derived from: the largest or the smallest of them, in a tree in which every node is the larger of the two below it.
//! A reading writes as many nodes as it changes, log2(n) at most. A place has a derived signal only while a condition asks
//! for one.

use crate::truth::Operator;

/// By which rule a signal follows from its sensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Statistic {
    Mean,
    Largest,
    Smallest,
}

impl Statistic {
    /// What a condition compares that watches the worst sensor.
    pub(crate) const fn worst(operator: Operator) -> Self {
        match operator {
            Operator::Gt | Operator::Gte => Self::Largest,
            Operator::Lt | Operator::Lte => Self::Smallest,
            Operator::Eq | Operator::Between => Self::Mean,
        }
    }
}

/// In the tree: no value.
const NOTHING: i64 = i64::MIN;

/// The largest or the smallest value of some sensors.
#[derive(Debug, Clone)]
pub(crate) struct Extreme {
    /// The signal of which it is.
    pub(crate) base: u32,
    /// Its own signal.
    pub(crate) signal: u32,
    statistic: Statistic,
    /// By number.
    sensors: Box<[u32]>,
    /// Node n is above the nodes 2n and 2n + 1, node 1 above all; the sensors are the second half. The smallest is kept as the
    /// largest of what is negated.
    tree: Box<[i64]>,
}

impl Extreme {
    /// Of these sensors; `value` tells what each has, if it is fresh.
    pub(crate) fn new(
        base: u32,
        statistic: Statistic,
        sensors: &[u32],
        value: impl Fn(u32) -> Option<i64>,
    ) -> Self {
        let n = sensors.len();
        let mut extreme = Self {
            base,
            signal: u32::MAX,
            statistic,
            sensors: sensors.into(),
            tree: vec![NOTHING; (2 * n).max(2)].into(),
        };
        for (i, sensor) in sensors.iter().enumerate() {
            extreme.tree[n + i] = extreme.key(value(*sensor));
        }
        for i in (1..n).rev() {
            extreme.tree[i] = extreme.tree[2 * i].max(extreme.tree[2 * i + 1]);
        }
        extreme
    }

    const fn key(&self, value: Option<i64>) -> i64 {
        match (value, self.statistic) {
            (None, _) => NOTHING,
            (Some(value), Statistic::Smallest) => -value,
            (Some(value), _) => value,
        }
    }

    /// None while no sensor is fresh.
    pub(crate) fn value(&self) -> Option<i64> {
        match self.tree[1] {
            NOTHING => None,
            key if self.statistic == Statistic::Smallest => Some(-key),
            key => Some(key),
        }
    }

    /// A sensor has this value now; returns how many nodes above it were written.
    pub(crate) fn set(&mut self, sensor: u32, value: Option<i64>) -> usize {
        let Ok(i) = self.sensors.binary_search(&sensor) else {
            return 0;
        };
        let mut at = self.sensors.len() + i;
        self.tree[at] = self.key(value);
        let mut written = 0;
        while at > 1 {
            at /= 2;
            let larger = self.tree[2 * at].max(self.tree[2 * at + 1]);
            if self.tree[at] == larger {
                break;
            }
            self.tree[at] = larger;
            written += 1;
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a plain search through all values, for every number of sensors; and a reading writes no more than it must.
    #[test]
    fn is_the_extreme_of_what_is_fresh_and_costs_what_changes() {
        let mut state: u64 = 11;
        let mut random = |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for n in (1..20).chain([1_000]) {
            let sensors: Vec<u32> = (0..n).map(|i| 3 * i + 1).collect();
            let mut values: Vec<Option<i64>> = vec![None; n as usize];
            let mut both = [Statistic::Largest, Statistic::Smallest]
                .map(|s| Extreme::new(7, s, &sensors, |_| None));
            let (mut written, steps) = (0, 4_000);
            for _ in 0..steps {
                let i = usize::try_from(random(u64::from(n))).unwrap();
                let value = i64::try_from(random(2_001)).unwrap() - 1_000;
                values[i] = (random(10) > 0).then_some(value);
                for extreme in &mut both {
                    let nodes = extreme.set(sensors[i], values[i]);
                    assert!(nodes <= n.next_power_of_two().ilog2() as usize);
                    written += nodes;
                }
                let fresh = || values.iter().flatten().copied();
                assert_eq!(both[0].value(), fresh().max(), "{n}");
                assert_eq!(both[1].value(), fresh().min(), "{n}");
            }
            assert!(
                written < 6 * steps,
                "{written} nodes written in {steps} steps of {n} sensors"
            );
            for extreme in &mut both {
                assert_eq!(extreme.set(0, Some(5_000)), 0, "it is no sensor of these");
            }
        }
    }

    /// Only while an alert asks for the worst does a reading lead here; and conditions are looked at only where it crosses one.
    #[test]
    fn is_there_only_while_an_alert_asks_for_it() {
        use crate::{AlertSpec, Engine, FarmDocument, Input, InputKind, Measured, Timestamp};
        let sensor =
            |id: &str| serde_json::json!({"id": id, "type": "ph", "scope": {"type": "farm"}});
        let farm = FarmDocument::from_json(&serde_json::json!({
            "farm": {"id": "f1", "name": "Farm"}, "sensors": [sensor("a"), sensor("b")],
        }));
        let mut engine = Engine::new(&farm.unwrap()).unwrap();
        let mut at = 0;
        let mut apply = |engine: &mut Engine, kind| {
            at += 1_000;
            let at = Timestamp::from_millis(at);
            let mut events = vec![];
            engine.apply(&Input { at, kind }, &mut events).unwrap();
            events.len()
        };
        let read = |sensor: &str, value: &str| InputKind::Reading {
            sensor: sensor.into(),
            value: Measured::parse(value),
        };
        let alert = |evidence: &str| {
            let conditions: Vec<_> = [(">", 9), ("<", 5), (">=", 12), ("=", 7)]
                .map(|(o, v)| serde_json::json!({"sensor": "pH", "operator": o, "value": v}))
                .into();
            InputKind::AlertPut(Box::new(
                AlertSpec::from_json(&serde_json::json!({
                    "id": "a", "name": "A", "repeatsIn": 1, "repeatUnit": "days", "match": "any", "evidence": evidence,
                    "conditions": conditions,
                }))
                .unwrap(),
            ))
        };
        apply(&mut engine, alert("mean"));
        assert!(!engine.state.signals.has_derived());
        for n in 0..3 {
            // What was read while nobody asked counts too: it is raised at once.
            let said = apply(&mut engine, alert("worst"));
            assert_eq!(said, usize::from(n > 0), "{n}");
            assert!(engine.state.signals.has_derived());
            // The first time people are told, too; after that the day is not over.
            let said = apply(&mut engine, read("a", "9.5"));
            assert_eq!(said, if n == 0 { 2 } else { 0 }, "{n}");
            assert_eq!(apply(&mut engine, read("b", "8")), 0);
            // The mean satisfies none of the four: what was raised ends.
            assert_eq!(apply(&mut engine, alert("mean")), 1);
            assert!(!engine.state.signals.has_derived());
            assert_eq!(apply(&mut engine, read("a", "9.9")), 0);
        }
        apply(&mut engine, alert("worst"));
        apply(&mut engine, InputKind::AlertDelete("a".into()));
        assert!(!engine.state.signals.has_derived());
    }
}
