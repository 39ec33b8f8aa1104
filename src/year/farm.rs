//! A farm and a year of its readings, made up: whole numbers only, so that it is the same on every machine.
//!
//! Five polyhouses of four zones, in each zone five sensors; or as many polyhouses as it takes for more sensors or fewer. Temperature and humidity follow the season and the hour, soil
//! moisture falls until it is watered, pH and EC drift; noise lies on all of them, and now and then a value is missing.

use serde_json::{Value, json};

const ZONES: usize = 4;
/// Type, and the id's ending.
pub(super) const KINDS: [&str; 5] = ["temperature", "humidity", "soil_moisture", "ph", "ec"];
/// The sensors of a polyhouse.
pub(super) const IN_HOUSE: usize = ZONES * KINDS.len();
const MINUTES_A_DAY: i64 = 24 * 60;
/// 2025-01-01T00:00:00Z.
pub(super) const BEGIN: i64 = 1_735_689_600_000;
/// One value in so many is missing.
const MISSING: u64 = 5_000;
/// How long a round of readings takes.
const ROUND_MS: i64 = 40_000;

/// What a farm's rule watches, and how it switches.
struct Watch {
    id: &'static str,
    kind: &'static str,
    operator: &'static str,
    value: i64,
    stop: (&'static str, i64),
    device: &'static str,
}

/// Two rules a zone.
const IN_A_ZONE: [Watch; 2] = [
    Watch {
        id: "cool",
        kind: "temperature",
        operator: "gt",
        value: 34,
        stop: ("lt", 31),
        device: "fan",
    },
    Watch {
        id: "water",
        kind: "soil_moisture",
        operator: "lt",
        value: 32,
        stop: ("gt", 55),
        device: "valve",
    },
];
/// Two rules a polyhouse.
const IN_A_HOUSE: [Watch; 2] = [
    Watch {
        id: "dry",
        kind: "humidity",
        operator: "gt",
        value: 82,
        stop: ("lt", 75),
        device: "vent",
    },
    Watch {
        id: "feed",
        kind: "ec",
        operator: "lt",
        value: 1,
        stop: ("gt", 2),
        device: "pump",
    },
];

/// The farm of the bench, and its year.
#[derive(Debug, Clone, Copy)]
pub(super) struct Year {
    random: u64,
    sensors: usize,
}

impl Default for Year {
    fn default() -> Self {
        Self::of(100)
    }
}

impl Year {
    /// A year of a farm with so many sensors; at least one.
    pub(super) const fn of(sensors: usize) -> Self {
        Self {
            random: 0x9e37_79b9_7f4a_7c15,
            sensors,
        }
    }

    const fn houses(self) -> usize {
        self.sensors.div_ceil(IN_HOUSE)
    }

    pub(super) fn rules(self) -> usize {
        self.document()["rules"].as_array().map_or(0, Vec::len)
    }

    pub(super) fn document(self) -> Value {
        let (mut houses, mut sensors, mut devices, mut rules) = (vec![], vec![], vec![], vec![]);
        for house in 0..self.houses() {
            let id = house_id(house);
            let mut zones = vec![];
            let in_house = json!({"type": "polyhouse", "polyhouseId": id});
            let mut watched = vec![(id.clone(), in_house, 0, &IN_A_HOUSE)];
            for zone in 0..ZONES {
                let zone_id = zone_id(house, zone);
                let scope = json!({"type": "zone", "polyhouseId": id, "zoneId": zone_id});
                zones.push(json!({"id": zone_id, "name": zone_id}));
                for (kind, name) in KINDS.iter().enumerate() {
                    sensors.push(
                        json!({"id": sensor_id(house, zone, kind), "type": name, "scope": scope}),
                    );
                }
                watched.push((zone_id, scope, zone, &IN_A_ZONE));
            }
            houses.push(json!({"id": id, "name": id, "zones": zones}));
            for (place, scope, zone, watches) in watched {
                // A rule without a sensor is none.
                let first = (house * ZONES + zone) * KINDS.len();
                let there = &KINDS[..self.sensors.saturating_sub(first).min(KINDS.len())];
                for w in watches.iter().filter(|w| there.contains(&w.kind)) {
                    let device = format!("{place}-{}", w.device);
                    // Unlimited: a device that is locked after too long a run waits for a person, and a year has none.
                    devices.push(
                        json!({"id": device, "type": w.device, "scope": scope, "max_on_sec": null}),
                    );
                    rules.push(json!({
                        "id": format!("{place}-{}", w.id), "name": w.id, "deployed": true, "scope": scope,
                        "trigger": {"sensor_type": w.kind, "operator": w.operator, "value": w.value, "duration_sec": 300},
                        "stop_condition": {"sensor_type": w.kind, "operator": w.stop.0, "value": w.stop.1, "duration_sec": 300},
                        "actions": [{"device_id": device, "command": {"action": "on"}}],
                    }));
                }
            }
        }
        sensors.truncate(self.sensors);
        json!({
            "farm": {"id": "year", "name": "A year", "settings": {"min_samples": 2}},
            "polyhouses": houses, "sensors": sensors, "devices": devices, "rules": rules,
        })
    }

    /// The sensors in the order of a round of readings: id, place in [`KINDS`], place among all zones. Those of a house follow each
    /// other.
    pub(super) fn sensors(self) -> Vec<(String, usize, usize)> {
        let mut all = vec![];
        for house in 0..self.houses() {
            for zone in 0..ZONES {
                for kind in 0..KINDS.len() {
                    all.push((sensor_id(house, zone, kind), kind, house * ZONES + zone));
                }
            }
        }
        all.truncate(self.sensors);
        all
    }

    /// All readings in the order of their instants: epoch milliseconds, the sensor's place among all, value; until `each` fails.
    pub(super) fn readings<E>(
        mut self,
        days: u32,
        mut each: impl FnMut(i64, usize, Option<f64>) -> Result<(), E>,
    ) -> Result<(), E> {
        let sensors = self.sensors();
        let apart = ROUND_MS / i64::try_from(sensors.len()).unwrap_or(ROUND_MS);
        for minute in 0..i64::from(days) * MINUTES_A_DAY {
            let mut at = BEGIN + minute * 60_000;
            for (n, (_, kind, place)) in sensors.iter().enumerate() {
                let value = self.value(*kind, i64::try_from(*place).unwrap_or(0), minute);
                let missing = self.next().is_multiple_of(MISSING);
                each(at, n, (!missing).then_some(value))?;
                at += apart;
            }
        }
        Ok(())
    }

    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// From -`most` to `most`.
    fn noise(&mut self, most: i64) -> i64 {
        let span = (2 * most + 1).unsigned_abs();
        i64::try_from(self.next() % span).unwrap_or(0) - most
    }

    fn value(&mut self, kind: usize, place: i64, minute: i64) -> f64 {
        // Weeks are warmer and colder than the season's course.
        let week = (minute / MINUTES_A_DAY / 7 * 37 + place) % 11 - 5;
        let season = wave(minute, 365 * MINUTES_A_DAY);
        let hour = wave(minute + MINUTES_A_DAY / 4 * 3, MINUTES_A_DAY);
        let (digits, unit) = match KINDS[kind] {
            "temperature" => (
                220 + season * 60 / 1_000 + hour * 70 / 1_000 + week * 5 + place + self.noise(4),
                10.0,
            ),
            "humidity" => (
                700 - hour * 120 / 1_000 - season * 50 / 1_000 + week * 6 + self.noise(8),
                10.0,
            ),
            "soil_moisture" => {
                // Watered every one to three days, as the place is.
                let every = (1 + place % 3) * MINUTES_A_DAY + place * 17;
                let since = minute % every;
                let level = if since < 60 {
                    300 + since * 5
                } else {
                    600 - (since - 60) * 300 / (every - 60)
                };
                (level + self.noise(5), 10.0)
            }
            "ph" => (
                600 + wave(minute + place * 300, 9 * MINUTES_A_DAY) * 40 / 1_000 + self.noise(3),
                100.0,
            ),
            _ => (
                150 + wave(minute + place / 4 * 500, 5 * MINUTES_A_DAY) * 70 / 1_000
                    + self.noise(4),
                100.0,
            ),
        };
        #[allow(clippy::cast_precision_loss, reason = "a few digits")]
        let value = digits as f64 / unit;
        value
    }
}

/// A course between -1,000 and 1,000 that returns after `period`: two parabolas, close to a sine.
fn wave(at: i64, period: i64) -> i64 {
    let half = period / 2;
    let x = at.rem_euclid(period) * 1_000 / half.max(1);
    let bow = |x: i64| 4 * x * (1_000 - x) / 1_000;
    if x < 1_000 { bow(x) } else { -bow(x - 1_000) }
}

pub(super) fn house_id(house: usize) -> String {
    format!("house-{}", house + 1)
}

fn zone_id(house: usize, zone: usize) -> String {
    format!("house-{}-zone-{}", house + 1, zone + 1)
}

fn sensor_id(house: usize, zone: usize, kind: usize) -> String {
    format!("{}-{}", zone_id(house, zone), KINDS[kind])
}

#[cfg(test)]
mod tests {
    use harit_engine::{Engine, EventKind, FarmDocument, Measured, Timestamp};

    use super::*;

    /// A week, as it is replayed: the farm is sound, its rules do something, and it is the same every time.
    #[test]
    fn rules_fire_and_the_year_repeats() {
        let year = Year::default();
        let document = FarmDocument::from_json(&year.document()).unwrap();
        assert_eq!((document.sensors.len(), document.rules.len()), (100, 50));
        let sensors = year.sensors();
        let run = || {
            let mut engine = Engine::new(&document).unwrap();
            let (mut events, mut fired, mut sum) = (vec![], 0, 0.0);
            let all = year.readings(7, |at, n, value| {
                sum += value.unwrap_or(0.0);
                let ix = engine.sensor_index(&sensors[n].0).unwrap();
                let value = value.map_or(Measured::Null, |v| Measured::parse(&v.to_string()));
                engine.apply_reading(Timestamp::from_millis(at), ix, value, &mut events);
                fired += events
                    .drain(..)
                    .filter(|e| matches!(e.kind, EventKind::RuleFired { .. }))
                    .count();
                Ok::<_, ()>(())
            });
            all.unwrap();
            assert_eq!(engine.counters().readings, 7 * 1_440 * 100);
            assert_eq!(engine.counters().late, 0);
            (fired, f64::to_bits(sum))
        };
        let first = run();
        assert!(first.0 > 20, "{}", first.0);
        assert_eq!(first, run());
        for sensors in [1, 3, 20, 21] {
            let year = Year::of(sensors);
            let document = FarmDocument::from_json(&year.document()).unwrap();
            let ids = document.sensors.iter().map(|s| s.id.as_str());
            assert!(ids.eq(year.sensors().iter().map(|s| s.0.as_str())));
            assert_eq!(document.sensors.len(), sensors);
        }
    }
}
