//! The derived sensors of a farm over time: when they speak, what they count, and what they do with gaps, midnights and restarts.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use harit_derived::{
    Carried, Day, Definition, Derivations, Derived, Document, Present, Seen, Source, Standing,
};
use harit_engine::{Duration, Quantity, SensorId, SensorType, Timestamp};
use serde_json::{Value, json};

const DAY_MS: i64 = 86_400_000;
const GAP: Duration = Duration::from_secs(900);

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms)
}

/// A farm in which days begin at multiples of 24 h, and what derived sensors say is heard at once.
#[derive(Default)]
struct Farm {
    signals: BTreeMap<&'static str, Seen>,
    heard: RefCell<BTreeMap<SensorId, Standing>>,
    no_days: bool,
    said: Vec<Derived>,
    derivations: Derivations,
}

impl Present for Farm {
    fn seen(&self, source: &Source) -> Option<Seen> {
        let Source::Signal { sensor_type, .. } = source else {
            return None;
        };
        self.signals.get(sensor_type.as_str()).copied()
    }

    fn standing(&self, sensor: &SensorId) -> Option<Standing> {
        let nothing = Standing {
            value: None,
            read_at: None,
        };
        Some(self.heard.borrow().get(sensor).copied().unwrap_or(nothing))
    }

    fn sensor_type(&self, source: &Source) -> Option<SensorType> {
        match source {
            Source::Signal { sensor_type, .. } => Some(*sensor_type),
            Source::Sensor { .. } => None,
        }
    }

    fn day(&self, at: Timestamp) -> Option<Day> {
        let from = at.as_millis().div_euclid(DAY_MS) * DAY_MS;
        let day = Day {
            from: Timestamp::from_millis(from),
            to: Timestamp::from_millis(from + DAY_MS),
        };
        (!self.no_days).then_some(day)
    }
}

fn definition(document: &Value) -> Definition {
    let document: Document = serde_json::from_value(document.clone()).expect("a document");
    Definition::new("d".into(), &document, GAP).expect("it is sound")
}

impl Farm {
    fn with(document: &Value) -> Self {
        let mut farm = Self::default();
        farm.derivations.put([Arc::new(definition(document))]);
        farm
    }

    /// A signal reads something, or is not known any more; returns what is said.
    fn read(&mut self, now: i64, signal: &'static str, value: Option<f64>) -> Vec<Derived> {
        match value {
            Some(value) => {
                self.signals.insert(signal, Seen { value, at: at(now) });
            }
            None => {
                self.signals.remove(signal);
            }
        }
        self.derivations.touch();
        self.look(now)
    }

    fn look(&mut self, now: i64) -> Vec<Derived> {
        let mut said = Vec::new();
        let mut derivations = std::mem::take(&mut self.derivations);
        derivations.look(at(now), self, &mut said);
        self.derivations = derivations;
        let mut heard = self.heard.borrow_mut();
        for derived in &said {
            let standing = heard.entry(derived.sensor.clone()).or_insert(Standing {
                value: None,
                read_at: None,
            });
            standing.value = derived.value;
            if derived.value.is_some() {
                standing.read_at = Some(derived.at);
            }
        }
        drop(heard);
        self.said.extend(said.iter().cloned());
        said
    }

    fn value(&self) -> Option<f64> {
        let heard = self.heard.borrow();
        heard.get("d").and_then(|s| s.value).map(Quantity::to_f64)
    }
}

fn vpd() -> Value {
    json!({"kind": "vpd", "scope": {"type": "farm"}})
}

#[test]
fn it_speaks_with_its_newest_input_at_most_once_an_interval() {
    let mut farm = Farm::with(&vpd());
    assert_eq!(farm.read(0, "temperature", Some(25.0)), []);
    assert_eq!(farm.derivations.due(), None, "nothing new since");
    assert_eq!(farm.read(999, "humidity", Some(50.0)), []);
    assert_eq!(farm.derivations.due(), Some(at(1_000)));
    let said = farm.read(1_000, "humidity", Some(50.0));
    assert_eq!(said.len(), 1);
    // time passes, and nothing was applied
    assert_eq!(farm.derivations.due(), None);
    assert_eq!((said[0].at, farm.value()), (at(1_000), Some(1.583_889)));
    // a burst: one value, the latest, when the interval has passed
    for now in (1_100..11_000).step_by(100) {
        assert_eq!(farm.read(now, "humidity", Some(60.0)), []);
    }
    assert_eq!(farm.derivations.due(), Some(at(11_000)));
    let said = farm.look(11_000);
    assert_eq!((said.len(), said[0].at), (1, at(10_900)));
    // time passes, and nothing new is read: nothing is said, for that would be no evidence
    farm.derivations.touch();
    assert_eq!(farm.look(40_000), []);
    // one of several sensors expires: the mean changes, and no reading is newer
    farm.signals.get_mut("humidity").unwrap().value = 70.0;
    farm.derivations.touch();
    let said = farm.look(60_000);
    assert_eq!((said.len(), said[0].at), (1, at(10_900)));
}

#[test]
fn it_is_unknown_at_once_when_an_input_is_and_says_so_once() {
    let mut farm = Farm::with(&vpd());
    farm.read(0, "temperature", Some(25.0));
    farm.read(10_000, "humidity", Some(50.0));
    let said = farm.read(30_000, "humidity", None);
    let nulls: Vec<_> = said.iter().map(|d| (d.value, d.at)).collect();
    assert_eq!(nulls, [(None, at(29_999)), (None, at(30_000))]);
    // that waits for no interval
    assert_eq!(farm.read(40_000, "humidity", Some(60.0)).len(), 1);
    let said = farm.read(42_000, "humidity", None);
    assert_eq!((said.len(), said[0].value), (2, None));
    farm.derivations.touch();
    assert_eq!(farm.look(60_000), []);
    // a reading that was taken before the nulls must not come late
    farm.signals.insert(
        "humidity",
        Seen {
            value: 40.0,
            at: at(29_000),
        },
    );
    farm.derivations.touch();
    let said = farm.look(80_000);
    assert_eq!((said.len(), said[0].at), (1, at(42_000)));
    // lost again in the very millisecond of its value: the nulls must be newer than that
    let mut farm =
        Farm::with(&json!({"kind": "vpd", "scope": {"type": "farm"}, "interval_sec": 1}));
    farm.read(0, "temperature", Some(25.0));
    farm.read(1_000, "humidity", Some(50.0));
    farm.signals.insert(
        "humidity",
        Seen {
            value: 50.0,
            at: at(2_000),
        },
    );
    farm.derivations.touch();
    farm.look(2_000);
    farm.heard.borrow_mut().get_mut("d").unwrap().read_at = Some(at(3_000));
    assert_eq!(farm.read(3_000, "humidity", None), []);
    assert_eq!(farm.derivations.due(), Some(at(3_002)));
    assert_eq!(farm.look(3_002).len(), 2);
}

/// A day of a sine of light from 6 to 18 o'clock with a top of 1,000 µmol/m²/s: 2/π · 12 h · 1,000 = 27.50 mol/m².
#[test]
fn the_light_of_a_known_day_is_its_integral() {
    let light = |ms: i64| {
        let hour = ms.rem_euclid(DAY_MS) as f64 / 3_600_000.0;
        let angle = (hour - 6.0) / 12.0 * std::f64::consts::PI;
        (1_000.0 * angle.sin()).max(0.0)
    };
    let of = |inputs: Value, unit: &'static str, factor: f64| {
        let mut farm = Farm::with(
            &json!({"kind": "daily_light", "scope": {"type": "farm"}, "inputs": inputs}),
        );
        for minute in 0..24 * 60 {
            let now = minute * 60_000;
            farm.read(now, unit, Some(light(now) * factor));
        }
        let evening = farm.value();
        // after midnight it begins anew
        farm.read(DAY_MS + 60_000, unit, Some(0.0));
        assert_eq!(farm.value(), Some(0.0));
        evening.expect("known")
    };
    let exact = 2.0 / std::f64::consts::PI * 12.0 * 3_600.0 * 1_000.0 / 1e6;
    let par = of(json!({}), "par", 1.0);
    assert!((par - exact).abs() < 0.01, "{par} is not {exact}");
    let lux = json!({"light": {"scope": {"type": "farm"}, "type": "light_intensity"}});
    let lux = of(lux, "light_intensity", 54.0);
    assert!((lux - exact).abs() < 0.01, "{lux} is not {exact}");
}

#[test]
fn a_gap_counts_nothing_and_a_restart_goes_on() {
    let document = json!({"kind": "daily_light", "scope": {"type": "farm"}});
    let hour = 3_600_000;
    let mut farm = Farm::with(&document);
    let steady = |farm: &mut Farm, from: i64, to: i64| {
        for now in (from..=to).step_by(60_000) {
            farm.read(now, "par", Some(1_000.0));
        }
    };
    steady(&mut farm, 8 * hour, 9 * hour);
    assert_eq!(farm.value(), Some(3.6));
    farm.read(9 * hour + 900_000, "par", None);
    assert_eq!(farm.value(), None);
    steady(&mut farm, 10 * hour, 11 * hour);
    assert_eq!(farm.value(), Some(7.2));
    // longer than a value stands, without that anybody saw it expire
    steady(&mut farm, 12 * hour, 12 * hour);
    assert_eq!(farm.value(), Some(7.2));
    // a restart: what was counted today is carried over, if it was not edited since
    let carried = Some(Carried {
        at: at(12 * hour),
        value: 7.2,
    });
    for (since, expected) in [(0, 10.8), (12 * hour + 1, 3.6)] {
        let mut farm = Farm::default();
        let definition = definition(&document).since(at(since)).carrying(carried);
        farm.derivations.put([Arc::new(definition)]);
        steady(&mut farm, 13 * hour, 14 * hour);
        assert_eq!(farm.value(), Some(expected));
        // what it was told at the start is not told again by a later edit of another sensor
        steady(&mut farm, DAY_MS + hour, DAY_MS + hour);
        assert_eq!(farm.value(), Some(0.0));
    }
    // yesterday's is not
    let mut farm = Farm::default();
    farm.derivations
        .put([Arc::new(definition(&document).carrying(carried))]);
    steady(&mut farm, DAY_MS + hour, DAY_MS + 2 * hour);
    assert_eq!(farm.value(), Some(3.6));
    // without an almanac it is not known which day it is
    farm.no_days = true;
    steady(&mut farm, DAY_MS + 2 * hour, DAY_MS + 2 * hour + 60_000);
    assert_eq!(farm.value(), None);
}

#[test]
fn midnight_cuts_a_stretch_in_two() {
    let mut farm = Farm::with(&json!({
        "kind": "time_above", "scope": {"type": "farm"}, "constants": {"threshold": 30},
        "inputs": {"input": {"scope": {"type": "farm"}, "type": "temperature"}},
    }));
    farm.read(DAY_MS - 600_000, "temperature", Some(35.0));
    farm.read(DAY_MS + 180_000, "temperature", Some(35.0));
    assert_eq!(farm.value(), Some(0.05), "three minutes of the new day");
    // from 35 to 25 in ten minutes it is above 30 for five
    farm.read(DAY_MS + 780_000, "temperature", Some(25.0));
    assert_eq!(farm.value(), Some(0.133_333));
}

#[test]
fn degree_days_count_between_base_and_upper() {
    let mut farm = Farm::with(&json!({
        "kind": "degree_days", "scope": {"type": "farm"}, "constants": {"base": 10, "upper": 30},
    }));
    for now in (0..=DAY_MS / 2).step_by(300_000) {
        let warm = if now < DAY_MS / 4 { 40.0 } else { 5.0 };
        farm.read(now, "temperature", Some(warm));
    }
    // a quarter of a day at the upper temperature, and five minutes of cooling
    let days = farm.value().unwrap();
    assert!((days - 5.0).abs() < 0.05, "{days}");
}

#[test]
fn means_and_slopes_look_back_so_many_minutes() {
    let signal = json!({"input": {"scope": {"type": "farm"}, "type": "temperature"}});
    let of = |kind: &str| json!({"kind": kind, "scope": {"type": "farm"}, "constants": {"minutes": 10}, "inputs": signal});
    let mut farm = Farm::with(&of("moving_mean"));
    farm.read(0, "temperature", Some(10.0));
    assert_eq!(farm.value(), Some(10.0));
    for minute in 1..=20 {
        farm.read(minute * 60_000, "temperature", Some(10.0 + minute as f64));
    }
    assert_eq!(farm.value(), Some(25.0), "the mean of 20 to 30");
    let mut farm = Farm::with(&of("rate_of_change"));
    for minute in 0..5 {
        farm.read(minute * 60_000, "temperature", Some(10.0 + minute as f64));
        assert_eq!(farm.value(), None, "half of the window has not passed");
    }
    for minute in 5..=30 {
        farm.read(minute * 60_000, "temperature", Some(10.0 + minute as f64));
        assert_eq!(farm.value(), Some(60.0));
    }
    // many values a second do not fill the memory
    let fast = json!({"kind": "moving_mean", "scope": {"type": "farm"}, "interval_sec": 1, "constants": {"minutes": 30}, "inputs": signal});
    let mut farm = Farm::with(&fast);
    for second in 0..5_000 {
        farm.read(second * 1_000, "temperature", Some(20.0));
    }
    assert_eq!(farm.value(), Some(20.0));
}

/// What is edited begins anew; the others go on.
#[test]
fn an_edit_of_one_disturbs_no_other() {
    let dli = json!({"kind": "daily_light", "scope": {"type": "farm"}});
    let mut farm = Farm::with(&dli);
    for now in (0..=3_600_000).step_by(60_000) {
        farm.read(now, "par", Some(1_000.0));
    }
    let other: Document = serde_json::from_value(vpd()).unwrap();
    let other = Definition::new("e".into(), &other, GAP).unwrap();
    let same = definition(&dli);
    farm.derivations.put([Arc::new(other), Arc::new(same)]);
    farm.read(3_660_000, "par", Some(1_000.0));
    assert_eq!(farm.value(), Some(3.66));
    farm.derivations
        .put([Arc::new(definition(&dli).since(at(3_670_000)))]);
    farm.read(3_720_000, "par", Some(1_000.0));
    assert_eq!(farm.value(), Some(0.0));
}
