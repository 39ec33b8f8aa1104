//! What must make no difference to the engine: snapshots, ticks, when it all happens, and what else is there.

use harit_engine::{Engine, Timestamp};
use harit_model::generate::{Dice, Options, case};
use harit_model::vector::Case;
use serde_json::{Value, json};

use crate::cases::{cases, first_failures, options, report};
use crate::engine_side::{apply, engine, run};

fn differs(expected: &[Value], events: &[Value]) -> Option<String> {
    let at = expected
        .iter()
        .zip(events)
        .position(|(a, b)| a != b)
        .unwrap_or(expected.len().min(events.len()));
    (expected != events).then(|| {
        format!(
            "event {at}: {:?} became {:?}",
            expected.get(at),
            events.get(at)
        )
    })
}

#[test]
fn snapshots_change_nothing() {
    let failures = first_failures(cases(125), |seed| {
        let case = case(seed, options());
        let mut dice = Dice::new(seed);
        let mut restored = engine(&case.farm).unwrap();
        let often = *dice.pick(&[2, 20, 100]);
        let mut events = Vec::new();
        for input in case.all_inputs() {
            if dice.chance(often) {
                restored = Engine::restore(&restored.snapshot()).unwrap();
            }
            events.extend(apply(&mut restored, &input, dice.chance(50)).unwrap_or_default());
        }
        differs(&run(&case).unwrap(), &events)
    });
    assert!(
        failures.is_empty(),
        "{}",
        report("snapshots_change_nothing", &failures)
    );
}

#[test]
fn ticking_at_every_deadline_changes_nothing() {
    let failures = first_failures(cases(100), |seed| {
        let case = case(seed, options());
        let mut ticked = engine(&case.farm).unwrap();
        let mut events = Vec::new();
        for input in case.all_inputs() {
            // An outage is one because nothing happened meanwhile.
            while let Some(next) = ticked
                .next_deadline()
                .filter(|_| input["input"] != "resumed" && apply_is_good(&ticked, &input))
            {
                if next.as_millis() > input["at"].as_i64().unwrap() {
                    break;
                }
                events.extend(
                    apply(
                        &mut ticked,
                        &json!({"at": next.as_millis(), "input": "tick"}),
                        false,
                    )
                    .unwrap(),
                );
                if ticked.next_deadline() <= Some(next) && ticked.next_deadline().is_some() {
                    return Some(format!("a tick at {next:?} does not get past it"));
                }
            }
            events.extend(apply(&mut ticked, &input, false).unwrap_or_default());
        }
        differs(&run(&case).unwrap(), &events)
    });
    assert!(
        failures.is_empty(),
        "{}",
        report("ticking_at_every_deadline_changes_nothing", &failures)
    );
}

fn apply_is_good(engine: &Engine, json: &Value) -> bool {
    crate::engine_side::input(json).is_some_and(|input| engine.check(&input).is_ok())
}

/// Adds to every instant in a document, an input or an event.
fn shift(value: &mut Value, by: i64) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields.iter_mut() {
                match value
                    .as_i64()
                    .filter(|_| field == "at" || field == "lastTriggered")
                {
                    Some(at) => *value = json!(at + by),
                    None => shift(value, by),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shift(item, by)),
        _ => {}
    }
}

#[test]
fn shifting_time_shifts_events() {
    let failures = first_failures(cases(100), |seed| {
        // Of what knows the calendar another time is another day.
        let mut case = case(
            seed,
            Options {
                programs: harit_model::generate::Programs::None,
                limits: false,
                ..options()
            },
        );
        let by = Dice::new(seed).between(-2_000_000_000_000, 2_000_000_000_000);
        let mut expected = run(&case).unwrap();
        expected.iter_mut().for_each(|event| shift(event, by));
        shift(&mut case.farm, by);
        case.inputs.iter_mut().for_each(|input| shift(input, by));
        case.until += by;
        differs(&expected, &run(&case).unwrap())
    });
    assert!(
        failures.is_empty(),
        "{}",
        report("shifting_time_shifts_events", &failures)
    );
}

/// The case with a sensor, an offline device, and a rule that fires again and again, which nothing else knows of.
fn with_strangers(case: &Case, kind: &str) -> Case {
    let mut wider = case.clone();
    let scope = json!({"type": "farm"});
    let push =
        |farm: &mut Value, list: &str, item: Value| farm[list].as_array_mut().unwrap().push(item);
    let farm = &mut wider.farm;
    push(
        farm,
        "sensors",
        json!({"id": "zz-sensor", "type": kind, "scope": scope, "stale_after_sec": 7}),
    );
    push(
        farm,
        "devices",
        json!({"id": "zz-device", "name": "Stranger", "type": "fan", "scope": scope, "online": false}),
    );
    push(
        farm,
        "rules",
        json!({
            "id": "zz-rule", "name": "Stranger", "mode": "auto", "deployed": true, "priority": 10, "scope": scope,
            "trigger": {"sensor_type": kind, "operator": "gte", "value": 5, "duration_sec": 1},
            "actions": [{"device_id": "zz-device", "command": {"action": "on"}}, {"device_id": "zz-device", "command": {"action": "pulse", "value": 5}}],
        }),
    );
    // That of an input that may be refused is none.
    let mut clock = i64::MIN;
    let mut dice = Dice::new(case.inputs.len() as u64);
    wider.inputs = Vec::new();
    for input in &case.inputs {
        wider.inputs.push(input.clone());
        if input["input"] == "tick" || input["input"] == "reading" {
            clock = clock.max(input["at"].as_i64().unwrap());
            // At the clock, so that no time passes for anybody else.
            wider.inputs.push(json!({"at": clock, "input": "reading", "sensor": "zz-sensor", "value": dice.between(0, 10)}));
        }
    }
    wider
}

#[test]
fn what_has_nothing_to_do_with_it_changes_nothing() {
    let failures = first_failures(cases(100), |seed| {
        let case = case(seed, options());
        let text = format!("{} {:?}", case.farm, case.inputs);
        let kind = ["soil_moisture", "ec", "ph", "humidity"]
            .into_iter()
            .find(|kind| !text.contains(kind))?;
        let events = run(&with_strangers(&case, kind)).unwrap();
        let (strangers, events): (Vec<_>, Vec<_>) = events
            .into_iter()
            .partition(|event| event.to_string().contains("\"zz-"));
        let readings = case
            .inputs
            .iter()
            .filter(|input| input["input"] == "reading")
            .count();
        if readings > 100 && strangers.is_empty() {
            return Some("the strangers did nothing at all".into());
        }
        differs(&run(&case).unwrap(), &events)
    });
    assert!(
        failures.is_empty(),
        "{}",
        report("what_has_nothing_to_do_with_it_changes_nothing", &failures)
    );
}

#[test]
fn farms_side_by_side_do_not_meet() {
    let failures = first_failures(cases(100), |seed| {
        let both = [case(seed, options()), case(seed + 1_000_000, options())];
        let mut engines = [
            engine(&both[0].farm).unwrap(),
            engine(&both[1].farm).unwrap(),
        ];
        let mut inputs = both
            .each_ref()
            .map(|case| case.all_inputs().collect::<Vec<_>>().into_iter());
        let mut events = [Vec::new(), Vec::new()];
        let mut dice = Dice::new(seed);
        while inputs.iter().any(|left| left.len() > 0) {
            let n = dice.below(2);
            if let Some(input) = inputs[n].next() {
                events[n].extend(apply(&mut engines[n], &input, false).unwrap_or_default());
            }
        }
        differs(&run(&both[0]).unwrap(), &events[0])
            .or_else(|| differs(&run(&both[1]).unwrap(), &events[1]))
    });
    assert!(
        failures.is_empty(),
        "{}",
        report("farms_side_by_side_do_not_meet", &failures)
    );
}

#[test]
fn the_clock_is_the_largest_instant_of_what_was_well_formed() {
    let failures = first_failures(cases(100), |seed| {
        let case = case(seed, options());
        let mut engine = engine(&case.farm).unwrap();
        let mut clock: Option<i64> = None;
        for input in case.all_inputs() {
            if apply(&mut engine, &input, false).is_some() {
                clock = clock.max(input["at"].as_i64());
            }
            if engine.clock().map(Timestamp::as_millis) != clock {
                return Some(format!(
                    "after {input} the clock is {:?} instead of {clock:?}",
                    engine.clock()
                ));
            }
        }
        None
    });
    assert!(
        failures.is_empty(),
        "{}",
        report(
            "the_clock_is_the_largest_instant_of_what_was_well_formed",
            &failures
        )
    );
}
