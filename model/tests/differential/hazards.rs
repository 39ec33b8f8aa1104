//! Hazards of random rules: whatever the engine finds, folding what shows it does what is claimed; the model says the same of it.

use std::collections::BTreeMap;

use harit_engine::hazards::{Example, Hazard, HazardKind, Limit};
use harit_engine::{
    Engine, EventKind, FarmDocument, Input, InputKind, Measured, Quantity, RuleId, SensorType,
    SentOrder, Timestamp,
};
use harit_model::Model;
use harit_model::generate::Dice;
use harit_model::vector::difference;
use serde_json::{Value, json};

use crate::cases::{cases, first_failures, report};

const START: i64 = 20_000 * 86_400_000;

/// A farm of some rules over few sensors and devices, so that they have to do with each other.
fn farm(dice: &mut Dice) -> Value {
    let zone = |id: &str| json!({"type": "zone", "polyhouseId": "p", "zoneId": id});
    let scopes = [json!({"type": "farm"}), zone("z1"), zone("z2")];
    let sensors = [
        ("t1", "temperature", 1),
        ("t2", "temperature", 2),
        ("m1", "soil_moisture", 1),
        ("ph", "ph", 0),
    ];
    let sensors: Vec<Value> = { sensors.iter() }
        .map(|(id, kind, place)| json!({"id": id, "type": kind, "scope": scopes[*place]}))
        .collect();
    let devices: Vec<Value> = { [("fan", "fan"), ("pump", "pump"), ("valve", "valve"), ("acid", "dosing_pump")].iter() }
        .map(|(id, kind)| {
            let mut device = json!({"id": id, "name": id, "type": kind, "scope": scopes[0]});
            if dice.chance(40) {
                device["max_on_sec"] = Value::Null;
                device["max_pulse_sec_per_hour"] = Value::Null;
            }
            if dice.chance(40) {
                device["limits"] = match dice.below(5) {
                    0 => json!({"sec_per_day": dice.between(60, 900)}),
                    1 => json!({"min_off_sec": dice.between(60, 3_600)}),
                    2 => json!({"starts_per_hour": dice.between(1, 3)}),
                    3 if *id == "pump" => json!({"needs": {"any": ["valve"], "for_sec": 2}}),
                    _ => json!({"hours": {"while": {"time": {"from": "06:00", "to": "09:00"}}, "if_unknown": "hold"}}),
                };
            }
            device
        })
        .collect();
    let count = dice.between(2, 4);
    let mut rules: Vec<Value> = (0..count).map(|n| rule(dice, n, &scopes)).collect();
    if dice.chance(40) {
        rules.extend(covered(dice, &rules[0]));
    }
    json!({"farm": {"id": "f", "name": "F", "settings": {"min_samples": dice.between(1, 3)}},
        "polyhouses": [{"id": "p", "name": "P", "zones": [{"id": "z1", "name": "1"}, {"id": "z2", "name": "2"}]}],
        "sensors": sensors, "devices": devices, "rules": rules})
}

fn comparison(dice: &mut Dice) -> Value {
    let (kind, around) = *dice.pick(&[
        ("temperature", 30),
        ("temperature", 30),
        ("soil_moisture", 40),
        ("ph", 7),
    ]);
    let operator = *dice.pick(&["gt", "gte", "lt", "lte"]);
    json!({"sensor_type": kind, "operator": operator, "value": around + dice.between(-3, 3)})
}

fn rule(dice: &mut Dice, n: i64, scopes: &[Value; 3]) -> Value {
    let device = *dice.pick(&["fan", "fan", "pump", "valve", "acid"]);
    let action = match (device, dice.below(4)) {
        ("acid", 0 | 1) => json!({"action": "pulse", "value": 30}),
        ("acid", _) => json!({"action": "set_flow_rate", "value": 1}),
        (_, 0) => json!({"action": "off"}),
        ("fan", 1) => json!({"action": "set_speed", "value": 40}),
        _ => json!({"action": "on"}),
    };
    let scope = if dice.chance(70) {
        scopes[0].clone()
    } else {
        dice.pick(scopes).clone()
    };
    let mut rule = json!({"id": format!("r{n}"), "name": "r", "deployed": true, "priority": dice.between(4, 6), "scope": scope,
        "actions": [{"device_id": device, "command": action}]});
    let hold = *dice.pick(&[1, 10, 60]);
    rule["trigger"] = match dice.below(8) {
        0 => {
            json!({"schedule": {"every": {"minutes": dice.between(1, 30), "from": "08:00", "to": "12:00"}}})
        }
        1 => {
            let reads = *dice.pick(&["fan", "pump", "valve"]);
            json!({"all": [{"device": reads, "is": *dice.pick(&["on", "off"])}], "duration_sec": hold})
        }
        2 => {
            json!({"all": [comparison(dice), {"time": {"from": "07:00", "to": "15:00"}}], "duration_sec": hold})
        }
        3 => json!({"any": [comparison(dice), comparison(dice)], "duration_sec": hold}),
        _ => {
            let mut comparison = comparison(dice);
            comparison["duration_sec"] = json!(hold);
            comparison
        }
    };
    if rule["trigger"]["schedule"].is_object() || dice.chance(15) {
        rule["run_sec"] = json!(dice.between(30, 1_200));
    } else if dice.chance(40) {
        let mut stop = comparison(dice);
        stop["duration_sec"] = json!(*dice.pick(&[1, 60, 300]));
        rule["stop_condition"] = stop;
    }
    rule
}

/// A rule that is weaker than another, or seems so: it starts and stops at thresholds nearby, and wants something else.
fn covered(dice: &mut Dice, by: &Value) -> Option<Value> {
    let mut rule = by.clone();
    rule["id"] = json!("covered");
    rule["priority"] = json!(by["priority"].as_i64()? - dice.between(0, 1));
    for when in ["trigger", "stop_condition"] {
        let value = by[when]["value"].as_i64();
        if let Some(value) = value {
            rule[when]["value"] = json!(value + dice.between(-2, 2));
            rule[when]["duration_sec"] = json!(*dice.pick(&[1, 60, 60, 120]));
        }
    }
    rule["actions"][0]["command"] = match by["actions"][0]["command"]["action"].as_str()? {
        "off" => json!({"action": "on"}),
        _ => json!({"action": "off"}),
    };
    Some(rule)
}

/// An input of an example in the model's words.
fn told(input: &Input) -> Value {
    let at = input.at.as_millis();
    match &input.kind {
        InputKind::Reading { sensor, .. } => {
            json!({"at": at, "input": "reading", "sensor": sensor})
        }
        InputKind::Status { device, status } => {
            json!({"at": at, "input": "device", "device": device, "running": status.running.flatten()})
        }
        InputKind::Almanac(days) => json!({"at": at, "input": "almanac", "days": days}),
        InputKind::Tick => json!({"at": at, "input": "tick"}),
        other => panic!("no example has {other:?}"),
    }
}

/// Folds what shows a hazard, with the model beside the engine.
fn folded(example: &Example) -> (Engine, Vec<harit_engine::Event>) {
    let (engine, events) = example.fold().unwrap();
    let document = serde_json::to_value(&example.document).unwrap();
    let mut model = Model::new(&document).unwrap();
    let mut says = Vec::new();
    for input in &example.inputs {
        let mut line = told(input);
        if let InputKind::Reading { value, .. } = input.kind {
            let Measured::Value(value) = value else {
                panic!("a fault")
            };
            line["value"] = value.rounded().to_string().parse().unwrap();
        }
        says.extend(model.apply(&line).unwrap());
    }
    let own: Vec<Value> = { events.iter() }
        .map(|e| serde_json::to_value(e).unwrap())
        .collect();
    assert_eq!(difference(&own, &says), None);
    (engine, events)
}

/// What is wrong with a hazard that was found of a rule.
fn wrong(dice: &mut Dice, own: &RuleId, hazard: &Hazard) -> Option<String> {
    let (engine, events) = folded(&hazard.example);
    let claims = |device: &str| engine.device(device).unwrap().claims;
    let has = |test: &dyn Fn(&EventKind) -> bool| events.iter().any(|e| test(&e.kind));
    let holds = match &hazard.kind {
        HazardKind::Fight {
            device,
            other,
            own: wants,
            others,
            winner,
        } => {
            let all = claims(device.as_str());
            let of = |rule: &RuleId| {
                all.iter()
                    .find(|c| c.rule == rule.as_str())
                    .map(|c| c.setting)
            };
            let first = all
                .iter()
                .find(|c| c.rule == own.as_str() || c.rule == other.as_str());
            of(own) == Some(*wants)
                && of(other) == Some(*others)
                && wants != others
                && first.is_some_and(|c| c.rule == winner.as_str())
        }
        HazardKind::NeverWins { device, rule, by } => {
            let all = claims(device.as_str());
            let place = |rule: &RuleId| all.iter().position(|c| c.rule == rule.as_str());
            place(by) < place(rule)
                && place(by).is_some()
                && never_wins(dice, &hazard.example, rule, device.as_str())
        }
        HazardKind::Circle {
            rules,
            starts_per_hour,
            ..
        } => {
            let fired = events
                .iter()
                .filter(|e| matches!(&e.kind, EventKind::RuleFired { rule } if rule == own));
            rules.first() == Some(own) && fired.count() >= *starts_per_hour as usize
        }
        HazardKind::Limited { device, limit } => has(&|kind| match kind {
            EventKind::CommandHeld {
                device: of, reason, ..
            }
            | EventKind::LimitReached { device: of, reason } => {
                of == device && reason.as_str() == limit.as_str()
            }
            EventKind::CommandSuppressed {
                device: of, reason, ..
            } => of == device && reason.as_str() == limit.as_str(),
            EventKind::DeviceLocked { device: of, .. } => of == device && *limit == Limit::MaxOn,
            _ => false,
        }),
        HazardKind::Flood { device } => {
            let since = engine.device(device.as_str()).unwrap().on_since;
            since.is_some_and(|s| hazard.example.at.as_millis() - s.as_millis() >= 86_400_000)
        }
        HazardKind::Dosing { device, secs } => {
            let end = hazard.example.at.as_millis();
            let within =
                |from: i64, to: i64| (to.min(end) - from.max(end - 3_600_000)).max(0) / 1_000;
            let (mut sum, mut since) = (0, None);
            for event in &events {
                let at = event.at.as_millis();
                match &event.kind {
                    EventKind::Command(c) if c.device() == device => match c.order() {
                        SentOrder::Pulse { secs } => {
                            sum += within(at, at + i64::from(secs) * 1_000);
                        }
                        SentOrder::Set(s) if s.is_on() => _ = since.get_or_insert(at),
                        _ => sum += since.take().map_or(0, |since| within(since, at)),
                    },
                    _ => {}
                }
            }
            sum += since.map_or(0, |since| within(since, end));
            *secs > 300 && sum == *secs
        }
        HazardKind::OneSensor { sensor, .. } => {
            let silent = hazard.example.inputs.iter();
            let mut silent = silent
                .filter(|i| matches!(&i.kind, InputKind::Reading { sensor: s, .. } if s == sensor));
            silent.next().is_none()
                && !has(&|kind| matches!(kind, EventKind::RuleFired { rule } if rule == own))
        }
    };
    (!holds).then(|| format!("{}: {:?}", own, hazard.kind))
}

/// Whether the weaker rule has the device at no time of some hours of readings that come, wander and stop coming.
fn never_wins(dice: &mut Dice, example: &Example, weak: &RuleId, device: &str) -> bool {
    let mut engine = Engine::new(&example.document).unwrap();
    let mut events = Vec::new();
    let mut apply = |engine: &mut Engine, at: i64, kind: InputKind| {
        events.clear();
        let at = Timestamp::from_millis(at);
        engine.apply(&Input { at, kind }, &mut events).unwrap();
        let claims = engine.device(device).unwrap().claims;
        claims.first().is_none_or(|c| c.rule != weak.as_str())
    };
    let mut at = example.inputs[0].at.as_millis();
    let mut levels: BTreeMap<&str, i64> = BTreeMap::new();
    if let InputKind::Almanac(days) = &example.inputs[0].kind {
        apply(&mut engine, at, InputKind::Almanac(days.clone()));
    }
    for _ in 0..1_500 {
        at += dice.between(1, 40) * 1_000 + if dice.chance(1) { 1_000_000 } else { 0 };
        let sensor = dice.pick(&example.document.sensors);
        let around = match sensor.sensor_type {
            SensorType::Temperature => 30,
            SensorType::SoilMoisture => 40,
            _ => 7,
        };
        let level = levels.entry(sensor.id.as_str()).or_insert(around);
        if dice.chance(30) {
            *level = around + dice.between(-5, 5);
        }
        let value = Measured::exact(Quantity::from_units(*level));
        let kind = InputKind::Reading {
            sensor: sensor.id.clone(),
            value,
        };
        while let Some(due) = engine.next_deadline().filter(|due| due.as_millis() < at) {
            if !apply(&mut engine, due.as_millis(), InputKind::Tick) {
                return false;
            }
        }
        if !apply(&mut engine, at, kind) {
            return false;
        }
    }
    true
}

#[test]
fn what_is_found_of_random_rules_is_so() {
    let found = std::sync::Mutex::new(BTreeMap::<&str, usize>::new());
    let failures = first_failures(cases(200), |seed| {
        let mut dice = Dice::new(seed ^ 0x4a5a);
        let document = farm(&mut dice);
        let document: FarmDocument = serde_json::from_value(document).unwrap();
        // A farm may be one that is refused: a circle of rules, a type that nobody measures there.
        let engine = Engine::new(&document).ok()?;
        let covered = document.rules.iter().find(|r| r.id.as_str() == "covered");
        let rule = covered
            .unwrap_or_else(|| dice.pick(&document.rules))
            .clone();
        let now = Timestamp::from_millis(START + dice.between(0, 86_399) * 1_000);
        let all = engine.hazards(&rule, now).unwrap();
        for hazard in &all {
            *found.lock().unwrap().entry(hazard.kind.word()).or_default() += 1;
        }
        all.iter()
            .find_map(|hazard| wrong(&mut dice, &rule.id, hazard))
    });
    assert!(
        failures.is_empty(),
        "{}",
        report("what_is_found_of_random_rules_is_so", &failures)
    );
    let found = found.into_inner().unwrap();
    println!("{found:?}");
    for kind in [
        "fight",
        "never_wins",
        "circle",
        "limited",
        "flood",
        "dosing",
        "one_sensor",
    ] {
        assert!(found.contains_key(kind), "no {kind} in {found:?}");
    }
}
