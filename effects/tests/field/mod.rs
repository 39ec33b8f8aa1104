//! The demo's physical farm with simple thermostats on it, played fast: minutes of its signals, reports of its devices, faults.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

mod neighbours;

use std::collections::{BTreeMap, BTreeSet};

use harit_effects::{
    Candidate, Change, Judged, Kind, MINUTE_MS, Mark, Past, Series, expected, is_told, judge, runs,
};
use harit_engine::{Quantity, SensorType, Timestamp};
use harit_simulate::demo;
use harit_simulate::model::{Actuator, Farm, Grade, Noise, Probe, Reagent};

pub(crate) use neighbours::{DRIFTS, Drift};

/// Minutes between two doses of a series.
const JOIN_MIN: i64 = 10;

/// When a device goes on and off by itself, by a probe.
pub(crate) struct Rule {
    pub(crate) probe: Probe,
    pub(crate) on: f64,
    pub(crate) off: f64,
    /// The most minutes that it is on without a break, and how long it waits then.
    pub(crate) most: Option<(i64, i64)>,
}

pub(crate) struct Device {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static [Kind],
    pub(crate) actuator: Actuator,
    pub(crate) level: f64,
    pub(crate) rule: Rule,
    /// The signals of its place.
    pub(crate) sees: &'static [(SensorType, Probe)],
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    pub(crate) device: &'static str,
    pub(crate) from_day: i64,
}

const T1: (SensorType, Probe) = (SensorType::Temperature, Probe::Temperature(0));
const T2: (SensorType, Probe) = (SensorType::Temperature, Probe::Temperature(1));
const H1: (SensorType, Probe) = (SensorType::Humidity, Probe::Humidity(0));
const H2: (SensorType, Probe) = (SensorType::Humidity, Probe::Humidity(1));

const fn soil(house: usize, zone: usize) -> (SensorType, Probe) {
    (SensorType::SoilMoisture, Probe::SoilMoisture(house, zone))
}

const fn rule(probe: Probe, on: f64, off: f64) -> Rule {
    Rule {
        probe,
        on,
        off,
        most: None,
    }
}

/// Pumps are off for an hour after one without a break.
const fn well(probe: Probe) -> Rule {
    Rule {
        probe,
        on: 40.0,
        off: 75.0,
        most: Some((60, 60)),
    }
}

const fn drip(
    name: &'static str,
    house: usize,
    zone: usize,
    sees: &'static [(SensorType, Probe)],
) -> Device {
    Device {
        name,
        kind: Kind::of(harit_engine::DeviceType::Valve),
        actuator: Actuator::Drip { house, zone },
        level: 1.0,
        rule: Rule {
            probe: Probe::SoilMoisture(house, zone),
            on: 35.0,
            off: 38.0,
            most: Some((30, 60)),
        },
        sees,
    }
}

const fn dose(name: &'static str, reagent: Reagent, rule: Rule) -> Device {
    Device {
        name,
        kind: &[Kind::Dosing],
        actuator: Actuator::Dose { tank: 0, reagent },
        level: 1.0,
        rule,
        sees: &[
            (SensorType::Ph, Probe::Ph(0)),
            (SensorType::Ec, Probe::Ec(0)),
        ],
    }
}

/// House 1 has two fans that start together, a fogger and two zones; house 2 one of each.
pub(crate) static DEVICES: &[Device] = &[
    Device {
        name: "fan-2",
        kind: &[Kind::Fan],
        actuator: Actuator::Fan { house: 1, fan: 0 },
        level: 0.8,
        rule: rule(Probe::Temperature(1), 32.0, 30.5),
        sees: &[T2],
    },
    Device {
        name: "fan-1a",
        kind: &[Kind::Fan],
        actuator: Actuator::Fan { house: 0, fan: 0 },
        level: 1.0,
        rule: rule(Probe::Temperature(0), 32.0, 30.0),
        sees: &[T1],
    },
    Device {
        name: "fan-1b",
        kind: &[Kind::Fan],
        actuator: Actuator::Fan { house: 0, fan: 1 },
        level: 1.0,
        rule: rule(Probe::Temperature(0), 32.0, 30.0),
        sees: &[T1],
    },
    Device {
        name: "vent-1",
        kind: &[Kind::Vent],
        actuator: Actuator::Vent { house: 0 },
        level: 0.6,
        rule: rule(Probe::Humidity(0), 75.0, 65.0),
        sees: &[T1, H1],
    },
    Device {
        name: "vent-2",
        kind: &[Kind::Vent],
        actuator: Actuator::Vent { house: 1 },
        level: 0.5,
        rule: rule(Probe::Humidity(1), 65.0, 58.0),
        sees: &[T2, H2],
    },
    Device {
        name: "fogger-1",
        kind: Kind::of(harit_engine::DeviceType::Valve),
        actuator: Actuator::Fog { house: 0 },
        level: 1.0,
        rule: Rule {
            probe: Probe::Humidity(0),
            on: 40.0,
            off: 55.0,
            most: Some((2, 2)),
        },
        sees: &[H1],
    },
    drip("drip-1a", 0, 0, &[soil(0, 0), H1]),
    drip("drip-1b", 0, 1, &[soil(0, 1), H1]),
    drip("drip-2", 1, 0, &[soil(1, 0), H2]),
    Device {
        name: "well-1",
        kind: &[Kind::Pump],
        actuator: Actuator::Refill { tank: 0 },
        level: 1.0,
        rule: well(Probe::Level(0)),
        sees: &[(SensorType::ReservoirLevel, Probe::Level(0))],
    },
    Device {
        name: "well-2",
        kind: &[Kind::Pump],
        actuator: Actuator::Refill { tank: 1 },
        level: 1.0,
        rule: well(Probe::Level(1)),
        sees: &[(SensorType::ReservoirLevel, Probe::Level(1))],
    },
    dose(
        "acid-1",
        Reagent::Acid,
        Rule {
            probe: Probe::Ph(0),
            on: 6.7,
            off: 6.4,
            most: Some((1, 1)),
        },
    ),
    dose(
        "nutrient-1",
        Reagent::Nutrient,
        Rule {
            probe: Probe::Ec(0),
            on: 1.2,
            off: 1.3,
            most: Some((1, 1)),
        },
    ),
];

struct State {
    on: bool,
    since: i64,
    changes: Vec<Change>,
}

/// What a farm did.
pub(crate) struct Played {
    signals: BTreeMap<String, Vec<(Timestamp, Quantity)>>,
    /// What is so in each minute, whatever a sensor says of it.
    truths: BTreeMap<String, Vec<f64>>,
    devices: Vec<Vec<Change>>,
    end: i64,
}

fn key(probe: Probe) -> String {
    format!("{probe:?}")
}

/// Plays some days from a day of the year on.
pub(crate) fn play(seed: u64, (first_day, days): (f64, i64), faults: &[Fault]) -> Played {
    let mut farm = Farm::new(&demo::site(), seed, first_day * 86_400.0);
    let noise = Noise::new(seed ^ 0xEFFE);
    let start = 1_700_000_000_000_i64 / 86_400_000 * 86_400_000 + 37_000;
    let probes: BTreeMap<String, (SensorType, Probe)> = DEVICES
        .iter()
        .flat_map(|d| d.sees.iter().map(|(t, p)| (key(*p), (*t, *p))))
        .collect();
    let mut signals: BTreeMap<String, Vec<_>> = BTreeMap::new();
    let mut truths: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let off = |at| Change {
        at,
        on: Some(false),
        value: None,
    };
    let mut states: Vec<State> = DEVICES
        .iter()
        .map(|_| State {
            on: false,
            since: start,
            changes: vec![off(start)],
        })
        .collect();
    for minute in 0..days * 1_440 {
        let at = start + minute * MINUTE_MS;
        let mut now: BTreeMap<String, f64> = BTreeMap::new();
        for (stream, (key, (sensor, probe))) in probes.iter().enumerate() {
            let grade = Grade::usual(*sensor);
            let n = u64::try_from(minute).expect("a value");
            let truth = farm.value(*probe).expect("a value");
            truths.entry(key.clone()).or_default().push(truth);
            let value = grade.measure(*sensor, noise, stream as u64, n, truth);
            now.insert(key.clone(), value);
            #[allow(clippy::cast_possible_truncation, reason = "readings are small")]
            let micro = (value * 1e6).round() as i64;
            let point = (Timestamp::from_millis(at), Quantity::from_micro(micro));
            signals.entry(key.clone()).or_default().push(point);
        }
        for (i, (device, state)) in DEVICES.iter().zip(&mut states).enumerate() {
            let value = now[&key(device.rule.probe)];
            let rises = device.rule.on > device.rule.off;
            let (wants, enough) = if rises {
                (value > device.rule.on, value < device.rule.off)
            } else {
                (value < device.rule.on, value >= device.rule.off)
            };
            let lasted = (at - state.since) / MINUTE_MS;
            let (most, wait) = device.rule.most.unwrap_or((i64::MAX, 0));
            let next = match state.on {
                true => !enough && lasted < most,
                false => wants && (lasted >= wait || state.changes.len() == 1),
            };
            if next != state.on {
                // devices of a controller follow each other by a few seconds
                let at = at + 5_000 + 700 * i64::try_from(i).expect("a value");
                state.changes.push(Change {
                    at,
                    on: Some(next),
                    value: None,
                });
                (state.on, state.since) = (next, at);
            }
            let broken = faults
                .iter()
                .any(|f| f.device == device.name && minute >= f.from_day * 1_440);
            farm.drive(
                device.actuator,
                if state.on && !broken {
                    device.level
                } else {
                    0.0
                },
            );
        }
        // a dose is a few seconds of its minute
        farm.step(10.0);
        for device in DEVICES
            .iter()
            .filter(|d| matches!(d.actuator, Actuator::Dose { .. }))
        {
            farm.drive(device.actuator, 0.0);
        }
        farm.step(50.0);
    }
    Played {
        signals,
        truths,
        devices: states.into_iter().map(|s| s.changes).collect(),
        end: start + days * 86_400_000,
    }
}

/// What is told of a device: when, in minutes since the beginning, and how it ends.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) worked: usize,
    pub(crate) no_effect: usize,
    pub(crate) cannot_tell: usize,
    /// The minutes of the past at which people are told.
    pub(crate) told: Vec<i64>,
    pub(crate) all: Vec<Judged>,
}

impl Played {
    /// How many minutes after the first start on or after a day something is told of a device.
    pub(crate) fn found_after(&self, told: &Told, day: i64) -> Option<i64> {
        let start = |j: &Judged| (j.run.from - self.begin()) / MINUTE_MS;
        let first = told.all.iter().map(start).find(|m| *m >= day * 1_440)?;
        told.told.iter().find(|m| **m >= first).map(|m| m - first)
    }

    fn begin(&self) -> i64 {
        self.devices[0][0].at
    }

    pub(crate) fn judged(&self, name: &str) -> Told {
        let at = DEVICES
            .iter()
            .position(|d| d.name == name)
            .expect("a device");
        let device = &DEVICES[at];
        let join = |d: &Device| {
            if d.kind.contains(&Kind::Dosing) {
                JOIN_MIN
            } else {
                0
            }
        };
        let of = |d: &Device| {
            let i = DEVICES
                .iter()
                .position(|e| e.name == d.name)
                .expect("a value");
            runs(&self.devices[i], join(d))
        };
        let rows = device.kind.iter().flat_map(|k| expected(*k));
        let candidates = rows.filter_map(|row| {
            let (_, probe) = device.sees.iter().find(|(t, _)| *t == row.signal)?;
            let signal = Series::new(self.signals[&key(*probe)].iter().copied());
            let hides = |d: &Device| {
                let kind = d.kind.iter().any(|k| k.hides(row.kind));
                kind && d.name != device.name && d.sees.contains(&(row.signal, *probe))
            };
            let others = (0..DEVICES.len()).filter(|i| hides(&DEVICES[*i])).collect();
            Some(Candidate {
                expected: *row,
                signal,
                others,
            })
        });
        let past = Past {
            candidates: candidates.collect(),
            runs: of(device),
            others: DEVICES.iter().map(of).collect(),
            without_effect: BTreeSet::new(),
        };
        let all = judge(&past, 0, self.end);
        let mut told = Told::default();
        let (mut row, mut raised): (Vec<&Judged>, bool) = (Vec::new(), false);
        for j in &all {
            match j.mark {
                Mark::Worked => told.worked += 1,
                Mark::NoEffect => told.no_effect += 1,
                Mark::CannotTell => told.cannot_tell += 1,
            }
            if j.seen {
                row.clear();
                raised = false;
            }
            if j.mark == Mark::NoEffect {
                row.push(j);
            }
            let looked = |j: &Judged| (j.run.from - self.begin()) / MINUTE_MS + j.looked_min;
            let first = row
                .first()
                .map_or(0, |f| (f.run.from - self.begin()) / MINUTE_MS);
            let looks = row.iter().map(|j| j.looks).sum();
            if !raised && is_told(looks, row.len(), looked(j) - first) {
                raised = true;
                told.told.push(looked(j));
            }
        }
        told.all = all;
        told
    }
}
