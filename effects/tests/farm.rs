//! The simulated farm: what is broken is found in time, and on quiet days next to nothing is told.
//!
//! `HARIT_EFFECT_FARMS=9 cargo test -p harit-effects --test farm -- --nocapture` plays so many farms of 30 days, each from another season,
//! and every fault in winter and in summer (docs/testing.md).

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test that cannot go on fails; what a deep run shows is printed"
)]

mod field;

use field::{DEVICES, DRIFTS, Drift, Fault, play};
use harit_engine::SensorType;
use harit_simulate::model::Probe;

/// The day of the year on which the first farm begins: the middle of January, when a house in the Deccan needs its fans at noon.
const WINTER: f64 = 19.0;
const SUMMER: f64 = 100.0;
/// The day on which something breaks, by when the runs of all were learned.
const BREAKS: i64 = 5;

/// What breaks, and within how many minutes after its next start people are told.
const FAULTS: [(&str, &[&str], i64); 5] = [
    ("a stuck fan", &["fan-2"], 60),
    (
        "two stuck fans that start together",
        &["fan-1a", "fan-1b"],
        60,
    ),
    (
        "a closed hand valve behind a drip valve",
        &["drip-2"],
        8 * 60,
    ),
    (
        "a closed hand valve in a zone beside another",
        &["drip-1b"],
        8 * 60,
    ),
    ("a dry well pump", &["well-2"], 8 * 60),
];

/// Of three sensors of a place, how far they hang apart, how much one of them drifts a day, and by the end of which day after the
/// beginning of that it is told.
const SENSORS: [(SensorType, Probe, f64, f64, i64); 4] = [
    (SensorType::Temperature, Probe::Temperature(0), 0.3, 0.3, 7),
    (SensorType::Humidity, Probe::Humidity(0), 1.5, 1.5, 7),
    (
        SensorType::SoilMoisture,
        Probe::SoilMoisture(0, 0),
        1.5,
        1.5,
        7,
    ),
    (SensorType::Ph, Probe::Ph(0), 0.05, 0.05, 9),
];
/// The day on which a sensor begins to drift, by when ten days were read.
const DRIFTS_FROM: i64 = 12;

fn farms() -> Option<u64> {
    let farms = std::env::var("HARIT_EFFECT_FARMS").ok()?;
    Some(farms.parse().expect("a number of farms"))
}

fn finds(name: &str, broken: &[&'static str], within: i64, (day, seed): (f64, u64)) {
    let fault = |device| Fault {
        device,
        from_day: BREAKS,
    };
    let faults: Vec<Fault> = broken.iter().copied().map(fault).collect();
    let played = play(seed, (day, BREAKS + 2), &faults);
    let told = played.judged(broken[0]);
    let found = played.found_after(&told, BREAKS);
    println!(
        "{name}, day {day}: {found:?} of {within} min; {} without effect",
        told.no_effect
    );
    assert!(
        found.is_some_and(|m| m <= within),
        "{name}, day {day}: {found:?}"
    );
}

#[test]
fn what_is_broken_is_found_within_the_time_that_is_promised() {
    for (name, broken, within) in FAULTS {
        finds(name, broken, within, (WINTER, 5));
        if farms().is_some() {
            finds(name, broken, within, (SUMMER, 6));
        }
    }
}

#[test]
fn a_sensor_that_drifts_is_found_within_the_days_that_are_promised() {
    let mut plays = vec![(WINTER, 7)];
    plays.extend(farms().map(|_| (SUMMER, 8)));
    for (day, seed) in plays {
        let played = play(seed, (day, DRIFTS_FROM + 10), &[]);
        for (signal, probe, apart, per_day, within) in SENSORS {
            let drift = Drift {
                from_day: DRIFTS_FROM,
                per_day,
            };
            let left = played.left((signal, probe), apart, Some(drift));
            println!("a {signal} sensor that drifts by {per_day} a day, day {day}: {left:?}");
            let [(found, sensor)] = left.as_slice() else {
                panic!("one sensor drifts: {signal}, day {day}: {left:?}");
            };
            assert_eq!(*sensor, DRIFTS, "{signal}, day {day}");
            let after = found + 1 - DRIFTS_FROM;
            assert!(
                (1..=within).contains(&after),
                "{signal}, day {day}: {after} days"
            );
        }
    }
}

#[test]
fn on_quiet_days_next_to_nothing_is_told() {
    let (farms, days) = farms().map_or((1, 6), |farms| (farms, 30));
    for farm in 0..farms {
        #[allow(clippy::cast_precision_loss, reason = "a day of a year")]
        let day = (farm * 365 / farms) as f64;
        let played = play(farm + 1, (day, days), &[]);
        let (mut told, mut worked, mut no_effect, mut cannot_tell) = (0, 0, 0, 0);
        for device in DEVICES {
            let t = played.judged(device.name);
            told += t.told.len();
            worked += t.worked;
            no_effect += t.no_effect;
            cannot_tell += t.cannot_tell;
            if !t.told.is_empty() {
                println!("farm {farm}: {} at minutes {:?}", device.name, t.told);
            }
        }
        for (signal, probe, apart, ..) in SENSORS {
            let left = played.left((signal, probe), apart, None);
            told += left.len();
            if !left.is_empty() {
                println!("farm {farm}: {signal} sensors {left:?}");
            }
        }
        println!(
            "farm {farm}, day {day}, {days} days: {worked} worked, {no_effect} without effect, {cannot_tell} cannot be told: {told} told"
        );
        assert!(told <= 1, "farm {farm}: {told} told");
        assert!(worked > 50, "farm {farm}: nearly nothing can be told");
    }
}
