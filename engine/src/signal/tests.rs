use super::*;
use crate::quantity::Quantity;

const OPERATORS: [Operator; 6] = [
    Operator::Gt,
    Operator::Gte,
    Operator::Lt,
    Operator::Lte,
    Operator::Eq,
    Operator::Between,
];

/// Whatever the mean does, a comparison whose truth changes is among the dirty.
#[test]
fn every_flip_is_noticed() {
    let mut signals = Signals::default();
    let s = signals.add(PlaceIx::FARM, SensorType::Ph, 0, 0);
    let mut comparisons = vec![];
    for (i, op) in (0..).zip(OPERATORS.into_iter().cycle().take(36)) {
        let v = Quantity::from_micro(i64::from(i) * 25_000);
        let max = Quantity::from_micro(v.as_micro() + 110_000);
        comparisons.push(signals.add_comparison(s, Owner::Rule(i), op, Some((v, Some(max)))));
    }
    let mut state: u64 = 7;
    let mut random = |n: i64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(state >> 33).unwrap() % n
    };
    let mut flips = 0;
    for _ in 0..20_000 {
        let before: Vec<Truth> = comparisons.iter().map(|l| signals.truth(*l)).collect();
        let count = match (signals.signals[0].count, random(10)) {
            (c, 0) if c < 3 => 1,
            (c, 1) if c > 0 => -1,
            _ => 0,
        };
        let target = random(40) * 25_000 + random(3) - 1;
        let sum = if signals.signals[0].count == 0 && count == 0 {
            0
        } else {
            target - signals.levels[0].sum
        };
        let mut dirty = vec![];
        signals.change(s, sum, count, &mut dirty);
        for (i, l) in comparisons.iter().enumerate() {
            let owner = Owner::Rule(u32::try_from(i).unwrap());
            if signals.truth(*l) != before[i] {
                flips += 1;
                assert!(dirty.contains(&owner), "comparison {i} flipped unnoticed");
            }
        }
    }
    assert!(flips > 10_000);
}

#[test]
fn a_condition_that_goes_leaves_nothing_behind() {
    let mut signals = Signals::default();
    let s = signals.add(PlaceIx::FARM, SensorType::Ph, 0, 0);
    let seven = Quantity::from_units(7);
    let gone = signals.add_comparison(s, Owner::Rule(0), Operator::Eq, Some((seven, None)));
    signals.add_comparison(s, Owner::Rule(1), Operator::Gt, Some((seven, None)));
    signals.await_samples(gone);
    signals.remove_comparison(gone);
    assert!(signals.comparison(gone).is_none() && !signals.has_awaiting(s));
    assert_eq!(signals.truth(gone), Truth::Unknown);
    let mut dirty = vec![];
    signals.change(s, 8_000_000, 1, &mut dirty);
    assert_eq!(dirty, [Owner::Rule(1)]);
    let new = signals.add_comparison(s, Owner::Rule(2), Operator::Lt, Some((seven, None)));
    assert_eq!(new, gone, "its number is free again");
}

/// A reading costs what it changes: only conditions whose breakpoint the mean crosses are looked at, also when a sensor comes or
/// goes; all of them where the mean becomes known or unknown.
#[test]
fn only_what_can_have_flipped_is_dirty() {
    let mut signals = Signals::default();
    let s = signals.add(PlaceIx::FARM, SensorType::Ph, 0, 0);
    for (rule, units) in [(0, 7), (1, 9)] {
        let value = Quantity::from_units(units);
        signals.add_comparison(s, Owner::Rule(rule), Operator::Gt, Some((value, None)));
    }
    for (units, count, expected) in [
        (5, 1, vec![Owner::Rule(0), Owner::Rule(1)]),
        (5, 1, vec![]),
        (6, 0, vec![Owner::Rule(0)]),
        (-8, -1, vec![]),
        (2, 0, vec![Owner::Rule(1)]),
        (-10, -1, vec![Owner::Rule(0), Owner::Rule(1)]),
    ] {
        let mut dirty = vec![];
        signals.change(s, units * 1_000_000, count, &mut dirty);
        assert_eq!(dirty, expected, "{units} {count}");
    }
}

/// However often rules and alerts are edited, the conditions are those of the documents that stand.
#[test]
fn an_edit_takes_away_the_conditions_that_were() {
    use crate::{AlertSpec, Engine, FarmDocument, Input, InputKind, RuleSpec, Timestamp};
    let scope = serde_json::json!({"type": "farm"});
    let farm = serde_json::json!({
        "farm": {"id": "f1", "name": "Farm"},
        "sensors": [{"id": "s", "type": "ph", "scope": scope}],
        "devices": [{"id": "d", "type": "fan", "scope": scope}],
    });
    let mut engine = Engine::new(&FarmDocument::from_json(&farm).unwrap()).unwrap();
    let apply = |engine: &mut Engine, kind| {
        let at = Timestamp::from_millis(0);
        engine.apply(&Input { at, kind }, &mut vec![]).unwrap();
    };
    for value in 1..20 {
        let condition =
            serde_json::json!({"sensor_type": "ph", "operator": "gt", "value": value % 14});
        let rule = RuleSpec::from_json(&serde_json::json!({
            "id": "r", "name": "R", "deployed": true, "scope": scope, "trigger": condition, "stop_condition": condition,
            "actions": [{"device_id": "d", "command": {"action": "on"}}],
        }));
        let alert = AlertSpec::from_json(&serde_json::json!({
            "id": "a", "name": "A", "repeatsIn": 1, "repeatUnit": "days",
            "conditions": [{"sensor": "pH", "operator": ">", "value": value}],
        }));
        apply(&mut engine, InputKind::RulePut(Box::new(rule.unwrap())));
        apply(&mut engine, InputKind::AlertPut(Box::new(alert.unwrap())));
        assert_eq!(engine.state.signals.comparisons.iter().flatten().count(), 3);
        assert_eq!(engine.state.signals.comparisons.len(), 3);
    }
    apply(&mut engine, InputKind::RuleDelete("r".into()));
    apply(&mut engine, InputKind::AlertDelete("a".into()));
    assert_eq!(engine.state.signals.comparisons.iter().flatten().count(), 0);
    assert!(engine.state.signals.signals[0].breakpoints.is_empty());
}
