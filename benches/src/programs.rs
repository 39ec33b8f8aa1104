//! Farms whose rules are programs: trees of ten leaves, curves, schedules.

use harit_engine::{
    AlmanacDay, Engine, Event, FarmDocument, Input, InputKind, LocalDate, Problems, Timestamp,
};
use serde_json::{Value, json};

use crate::w1;

/// When these farms begin: 2023-11-14 00:00 UTC.
pub const MIDNIGHT: i64 = 1_699_920_000_000;
const DAY_MS: i64 = 86_400_000;

/// What the rules of a farm are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// There are none.
    None,
    /// Trees of ten leaves, whose thresholds no value of [`crate::values`] crosses.
    QuietTrees,
    /// The same, but almost each value crosses a threshold, and no tree is true.
    BusyTrees,
    /// Rules that run, with a device each that follows a sensor; no value leaves the dead band.
    QuietCurves,
    /// The same with a dead band of a twentieth of the range.
    Curves,
    /// The same without one: almost each value moves the device.
    BusyCurves,
    /// Rules that start once an hour.
    Schedules,
}

/// A farm of so many sensors, each in a zone of its own with a rule and a device.
///
/// # Errors
/// Never, unless the document's rules have changed.
pub fn farm(sensors: usize, rules: Rules) -> Result<FarmDocument, Problems> {
    let each = || 0..sensors;
    let zone = |i: usize| format!("zone-{i}");
    let scope = |i: usize| json!({"type": "zone", "zoneId": zone(i)});
    let zones: Vec<Value> = each()
        .map(|i| json!({"id": zone(i), "name": zone(i)}))
        .collect();
    let sensor = |i| json!({"id": crate::sensor_id(i), "type": "temperature", "scope": scope(i)});
    let device =
        |i| json!({"id": format!("vent-{i}"), "name": "Vent", "type": "vent", "scope": scope(i)});
    let rule = |i: usize| {
        let mut rule = json!({
            "id": format!("rule-{i}"), "name": "r", "deployed": true, "scope": scope(i),
            "trigger": trigger(rules),
            "actions": [{"device_id": format!("vent-{i}"), "command": {"action": "set_position", "value": 20}}],
        });
        match rules {
            Rules::QuietCurves => rule["actions"][0]["curve"] = curve(10.0, 60),
            Rules::Curves => rule["actions"][0]["curve"] = curve(0.5, 0),
            Rules::BusyCurves => rule["actions"][0]["curve"] = curve(0.0, 0),
            Rules::Schedules => rule["run_sec"] = json!(600),
            _ => {}
        }
        rule
    };
    let rules = match rules {
        Rules::None => Vec::new(),
        _ => each().map(rule).collect(),
    };
    FarmDocument::from_json(&json!({
        "farm": {"id": "bench", "name": "Bench"},
        "polyhouses": [{"id": "house", "name": "House", "zones": zones}],
        "sensors": each().map(sensor).collect::<Vec<_>>(),
        "devices": each().map(device).collect::<Vec<_>>(),
        "rules": rules,
    }))
}

/// Values in micro-units, a slice of `sensors` a round, that wander in 0 to 10 as W1's do: by 0.005 of the range a reading at most.
///
/// The second half is the first one backwards, so that they can go round.
#[must_use]
pub fn wandering(sensors: usize) -> Vec<i64> {
    const ROUNDS: usize = 60;
    let size = w1::Size {
        sensors,
        rules: 0,
        seconds: ROUNDS,
        step: 0.005,
    };
    let mut rounds: Vec<Vec<i64>> = vec![vec![0; sensors]; ROUNDS];
    for (k, (sensor, value)) in w1::Workload::new(size, 42).readings.into_iter().enumerate() {
        let sensor = sensor as usize;
        rounds[k / sensors][sensor] = w1::scaled(sensor, value, 10_000_000);
    }
    let back: Vec<Vec<i64>> = rounds.iter().rev().cloned().collect();
    rounds.into_iter().chain(back).flatten().collect()
}

fn trigger(rules: Rules) -> Value {
    let above =
        |value: f64| json!({"sensor_type": "temperature", "operator": "gt", "value": value});
    let leaves = |first: f64, step: f64| {
        let compared = |k: u32| above(f64::from(k).mul_add(step, first));
        let mut all: Vec<Value> = (0..7).map(compared).collect();
        all.push(json!({"not": {"days": ["sun"]}}));
        all.push(json!({"time": {"from": "06:00", "to": "18:00"}}));
        // Never: nothing starts, whatever else is true.
        all.push(json!({"dates": {"from": "01-01", "to": "01-01"}}));
        json!({"all": all, "duration_sec": 60})
    };
    match rules {
        Rules::QuietTrees => leaves(30.0, 0.1),
        Rules::BusyTrees => leaves(5.5, 0.5),
        Rules::Schedules => {
            json!({"schedule": {"every": {"minutes": 60, "from": "00:00", "to": "23:00"}}})
        }
        Rules::None | Rules::QuietCurves | Rules::Curves | Rules::BusyCurves => {
            json!({"time": {"from": "00:00", "to": "23:59"}, "duration_sec": 1})
        }
    }
}

fn curve(dead_band: f64, least_sec: i64) -> Value {
    json!({"sensor_type": "temperature", "points": [[0, 0], [10, 100]], "dead_band": dead_band,
        "step": 1, "least_sec": least_sec})
}

/// An engine that knows the days, at two minutes past midnight: what runs by the clock runs.
///
/// # Errors
/// As [`farm`].
pub fn engine(sensors: usize, rules: Rules, events: &mut Vec<Event>) -> Result<Engine, Problems> {
    let mut engine = Engine::new(&farm(sensors, rules)?)?;
    let day = |n: i64| {
        let from = Timestamp::from_millis(MIDNIGHT + n * DAY_MS);
        Some(AlmanacDay {
            date: LocalDate::parse(&format!("2023-11-{:02}", 14 + n))?,
            from,
            to: Timestamp::from_millis(from.as_millis() + DAY_MS),
            offset: 0,
            change: None,
            sunrise: None,
            sunset: None,
        })
    };
    let almanac: Vec<AlmanacDay> = (-1..4).filter_map(day).collect();
    let at = |secs: i64| Timestamp::from_millis(MIDNIGHT + secs * 1_000);
    let tick = |secs| Input {
        at: at(secs),
        kind: InputKind::Tick,
    };
    engine.apply(
        &Input {
            at: at(0),
            kind: InputKind::Almanac(almanac),
        },
        events,
    )?;
    engine.apply(&tick(120), events)?;
    Ok(engine)
}
