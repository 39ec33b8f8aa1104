//! What happens to a farm: readings, people, devices, edits, outages, each at a moment that matters.

use serde_json::{Value, json};

use super::rules::{alert, broken_rule, edited_alert, edited_rule, order, rule, same_rule};
use super::world::World;
use super::{Dice, Options};
use crate::moments::{Moment, Why};
use crate::state::Model;
use crate::vector::Case;

mod limits;
mod registry;
mod setpoints;

const HOUR_MS: i64 = 3_600_000;
/// One in UTC, with which a ledger ends.
const MIDNIGHT: i64 = 20_370 * 24 * HOUR_MS;

struct Maker {
    dice: Dice,
    world: World,
    model: Model,
    options: Options,
    inputs: Vec<Value>,
    /// On which side of its level each type is at the moment, in the order of `World::levels`.
    above: Vec<bool>,
    start: i64,
}

pub(super) fn inputs(mut dice: Dice, world: World, farm: Value, options: Options) -> Case {
    let model = match Model::new(&farm) {
        Ok(model) => model,
        Err(problem) => unreachable!("generated farms make sense, but {problem} in {farm}"),
    };
    let start = *dice.pick(&[
        1_760_000_000_000,
        1_760_000_000_000,
        1_700_000_000_001,
        0,
        -5_000,
    ]);
    let near_midnight = MIDNIGHT - 60_000;
    let start = match world.limits && world.place.is_none() && dice.chance(50) {
        true => near_midnight + *dice.pick(&[-540_000, 0, 30_000, 55_000]),
        false => start,
    };
    let start = world.place.as_ref().map_or(start, |p| p.start);
    let above = world.levels.iter().map(|_| dice.chance(50)).collect();
    let mut maker = Maker {
        dice,
        world,
        model,
        options,
        inputs: Vec::new(),
        above,
        start,
    };
    maker.run();
    let most = match maker.world.place {
        Some(_) => HOUR_MS / 4,
        None => 2 * HOUR_MS,
    };
    let until = maker.clock() + maker.dice.between(0, most);
    Case {
        farm,
        inputs: maker.inputs,
        until,
    }
}

impl Maker {
    fn run(&mut self) {
        let length = self
            .dice
            .between(self.options.inputs.0, self.options.inputs.1);
        // Readings, bursts of them, ticks, people, devices, rules, alerts, outages, registry.
        let mut weights = [40, 15, 4, 6, 6, 3, 2, 2, usize::from(self.options.registry)];
        for weight in &mut weights[2..] {
            *weight = *self.dice.pick(&[0, *weight, *weight, 4 * *weight]);
        }
        // The same instant, a small step, a moment that matters, a leap, back.
        let mut steps = [10, 40, 35, 2, 8];
        for weight in &mut steps {
            *weight = *self.dice.pick(&[*weight, *weight, 3 * *weight]);
        }
        if self.world.place.is_some() && self.dice.chance(90) {
            self.almanac(self.start);
        }
        let of_limits = if self.world.place.is_some() { 15 } else { 22 };
        while i64::try_from(self.inputs.len()).unwrap_or(i64::MAX) < length {
            if self.dice.chance(6) {
                let n = self.dice.below(self.above.len());
                self.above[n] = !self.above[n];
            }
            let (at, moment) = self.instant(&steps);
            if self.world.place.is_some() && self.dice.chance(8) {
                self.of_programs(at);
                continue;
            }
            if self.world.limits && self.dice.chance(of_limits) {
                self.of_limits(at);
                continue;
            }
            if !self.world.setpoints.is_empty() && self.dice.chance(25) {
                self.of_setpoints(at);
                continue;
            }
            let mut kind = self.dice.weighted(&weights);
            match moment.as_ref().map(|m| m.why) {
                Some(Why::CatchUpEnds) if self.dice.chance(70) => kind = 7,
                Some(Why::StartIsDue | Why::TimeChanges) if self.dice.chance(10) => kind = 7,
                Some(Why::LimitEnds) if self.dice.chance(15) => kind = *self.dice.pick(&[3, 3, 7]),
                Some(Why::PulseIsForgotten) if self.dice.chance(70) => kind = 3,
                Some(Why::ActionIsTooLate) if self.dice.chance(70) => kind = 7,
                Some(Why::PatienceEnds | Why::ManualEnds | Why::OnTooLong)
                    if self.dice.chance(20) =>
                {
                    kind = 2;
                }
                _ => {}
            }
            let pulsed = moment
                .filter(|m| m.why == Why::PulseIsForgotten)
                .map(|m| m.id);
            self.input(kind, at, pulsed);
        }
    }

    fn clock(&self) -> i64 {
        self.model.clock().unwrap_or(self.start)
    }

    fn instant(&mut self, steps: &[usize]) -> (i64, Option<Moment>) {
        let clock = self.clock();
        // A program may act every second until then.
        let furthest = self.world.place.as_ref().map_or(i64::MAX, |_| HOUR_MS);
        match self.dice.weighted(steps) {
            0 => (clock, None),
            1 => (
                clock
                    + *self
                        .dice
                        .pick(&[1, 300, 500, 1_000, 1_000, 1_000, 2_500, 5_000]),
                None,
            ),
            2 => {
                let mut moments: Vec<Moment> = self
                    .model
                    .moments()
                    .into_iter()
                    .filter(|m| m.at >= clock && m.at - clock <= furthest)
                    .collect();
                moments.sort_by_key(|m| m.at);
                if moments.is_empty() {
                    return (clock + 1_000, None);
                }
                let near = if self.dice.chance(75) {
                    moments.len().min(4)
                } else {
                    moments.len()
                };
                let moment = self.dice.pick(&moments[..near]).clone();
                (moment.at + self.dice.pick(&[-1, 0, 0, 1]), Some(moment))
            }
            3 => (
                clock
                    + *self.dice.pick(&[
                        30_000,
                        60_000,
                        61_000,
                        300_000,
                        900_000,
                        HOUR_MS,
                        2 * HOUR_MS,
                    ]),
                None,
            ),
            _ => (
                clock - *self.dice.pick(&[1, 500, 1_000, 5_000, 60_000]),
                None,
            ),
        }
    }

    /// Adds an input, unless it makes no sense and such are not wanted.
    fn add(&mut self, input: Value) -> bool {
        let is_good = self.model.apply(&input).is_ok();
        if is_good || self.options.malformed && self.dice.chance(30) {
            self.inputs.push(input);
        }
        is_good
    }

    fn input(&mut self, kind: usize, at: i64, pulsed: Option<String>) {
        match kind {
            0 => self.reading(at),
            1 => self.burst(at),
            2 => _ = self.add(json!({"at": at, "input": "tick"})),
            3 => self.manual(at, pulsed),
            4 if self.options.kinds && self.dice.chance(20) => self.stop(at),
            4 if self.options.kinds && self.dice.chance(10) => self.correct(at),
            4 => self.device(at),
            5 => self.rule(at),
            6 => self.alert(at),
            7 => _ = self.add(json!({"at": at, "input": "resumed"})),
            _ => self.registry(at),
        }
    }

    fn is_above(&self, kind: &str) -> bool {
        let n = self.world.levels.iter().position(|(k, _)| *k == kind);
        n.is_some_and(|n| self.above[n])
    }

    fn reading(&mut self, at: i64) {
        let Some(sensor) =
            (!self.world.sensors.is_empty()).then(|| self.dice.pick(&self.world.sensors).clone())
        else {
            return;
        };
        let kind = sensor["type"].as_str().unwrap_or("");
        let above = self.is_above(kind);
        let value = self.world.value(&mut self.dice, kind, above);
        let id = if self.dice.chance(1) {
            "nobody"
        } else {
            sensor["id"].as_str().unwrap_or("")
        };
        let known = self.model.sensors.get(id);
        let stale_ms = known.map_or(1_000, |s| s.doc.stale_ms);
        let newest = known.and_then(|s| s.newest).unwrap_or(at);
        let own = match self.dice.below(20) {
            0 => newest + self.dice.pick(&[-1, 0, 1]),
            1 => newest,
            2 => at.min(self.clock() - stale_ms + self.dice.pick(&[-1, 0, 1])),
            _ => at,
        };
        self.add(json!({"at": own, "input": "reading", "sensor": id, "value": value}));
    }

    /// All sensors of a type report.
    fn burst(&mut self, at: i64) {
        let kind = self.dice.pick(&self.world.levels).0;
        let above = self.is_above(kind);
        for sensor in self.world.sensors.clone() {
            if sensor["type"] == kind {
                let value = self.world.value(&mut self.dice, kind, above);
                self.add(
                    json!({"at": at, "input": "reading", "sensor": sensor["id"], "value": value}),
                );
            }
        }
    }

    fn any_device(&mut self) -> String {
        if self.options.malformed && self.dice.chance(1) || self.world.devices.is_empty() {
            return "nobody".into();
        }
        self.dice.pick(&self.world.devices)["id"]
            .as_str()
            .unwrap_or("")
            .to_owned()
    }

    fn manual(&mut self, at: i64, pulsed: Option<String>) {
        let is_pulse = pulsed.is_some();
        let id = pulsed.unwrap_or_else(|| self.any_device());
        if !self.world.devices.iter().any(|d| d["id"] == id.as_str()) {
            // What a command to an unknown device means is said in two ways; it is left alone.
            return;
        }
        let admin = self.dice.chance(40);
        let mut input = json!({"at": at, "input": "manual", "device": id, "admin": admin});
        let kind = if is_pulse {
            1
        } else {
            self.dice.weighted(&[5, 3, 2])
        };
        match kind {
            0 => {
                let order = match self.dice.below(4) {
                    0 => json!({"action": "off"}),
                    _ => order(&mut self.dice),
                };
                let duration = *self.dice.pick(&[1, 5, 10, 60, 600, 3_600, 0, -1]);
                let is_pulse = order["action"] == "pulse";
                input["cmd_type"] = json!("override");
                input["action"] = if is_pulse {
                    json!("explode")
                } else {
                    order["action"].clone()
                };
                input["value"] = order["value"].clone();
                if self.dice.chance(8)
                    && matches!(
                        order["action"].as_str(),
                        Some("set_speed" | "set_position" | "set_flow_rate")
                    )
                {
                    input["value"] = self
                        .dice
                        .pick(&[Value::Null, json!(100.5), json!(-1)])
                        .clone();
                }
                input["duration_sec"] = if self.dice.chance(5) {
                    Value::Null
                } else {
                    json!(duration)
                };
            }
            1 => {
                input["cmd_type"] = json!("pulse");
                input["action"] = json!("pulse");
                input["value"] = match self.dice.below(12) {
                    0 => self
                        .dice
                        .pick(&[json!(0), json!(61), json!(1.5), Value::Null])
                        .clone(),
                    _ => json!(*self.dice.pick(&[1, 5, 5, 10, 20, 40, 60])),
                };
                input["duration_sec"] = json!(0);
            }
            _ => {
                input["cmd_type"] = json!("release");
                input["action"] = Value::Null;
                input["value"] = Value::Null;
                input["duration_sec"] = json!(0);
            }
        }
        self.add(input);
    }

    fn device(&mut self, at: i64) {
        let mut input = json!({"at": at, "input": "device", "device": self.any_device()});
        let carries = self.dice.weighted(&[4, 4, 3, 1, 1, 1, 1]);
        if matches!(carries, 0 | 3 | 4 | 6) {
            input["online"] = json!(self.dice.chance(65));
        }
        if matches!(carries, 1 | 3 | 5 | 6) {
            input["lock"] = match self.dice.below(20) {
                0 if self.options.malformed => json!(""),
                1 => json!("max_on"),
                2..=9 => json!(*self.dice.pick(&["maintenance", "leak"])),
                _ => Value::Null,
            };
        }
        if matches!(carries, 2 | 4 | 5 | 6) {
            input["safety"] = json!(self.dice.chance(45));
        }
        if self.options.kinds && input.get("lock").is_some() && self.dice.chance(85) {
            let kinds = [
                "controller",
                "person",
                "max_on",
                "keeps_stopping",
                "keeps_starting",
                "stop",
            ];
            input["lock_kind"] = json!(*self.dice.pick(&kinds));
            if self.dice.chance(60) {
                input["lock_user"] = json!(*self.dice.pick(&["asha", "ravi", ""]));
            }
            if self.dice.chance(60) {
                input["owner"] = self.person();
            }
        }
        self.add(input);
    }

    /// What programs look at beside sensors: days, and what devices do.
    fn of_programs(&mut self, at: i64) {
        if self.dice.chance(30) {
            return self.almanac(at);
        }
        let mut input = json!({"at": at, "input": "device", "device": self.any_device()});
        input["running"] = self
            .dice
            .pick(&[
                json!(true),
                json!(true),
                json!(false),
                json!(false),
                Value::Null,
            ])
            .clone();
        if self.dice.chance(30) {
            input["online"] = json!(self.dice.chance(75));
        }
        self.add(input);
    }

    fn almanac(&mut self, at: i64) {
        let Some(place) = self.world.place.clone() else {
            return;
        };
        let days = match self.options.malformed && self.dice.chance(8) {
            true => place.broken_days(&mut self.dice, at),
            false => place.days(&mut self.dice, at),
        };
        self.add(json!({"at": at, "input": "almanac", "days": days}));
    }

    fn person(&mut self) -> Value {
        let id = *self.dice.pick(&["asha", "ravi"]);
        json!({"user_id": id, "name": id})
    }

    fn correct(&mut self, at: i64) {
        let device = self.any_device();
        self.add(json!({"at": at, "input": "correct", "device": device}));
    }

    fn stop(&mut self, at: i64) {
        let mut input = json!({"at": at, "input": "stop", "owner": self.person()});
        if self.dice.chance(60) {
            input["device"] = json!(self.any_device());
        } else {
            input["scope"] = self.dice.pick(&self.world.scopes).clone();
        }
        self.add(input);
    }

    fn rule(&mut self, at: i64) {
        if self.dice.chance(20) {
            let id = format!("r{}", self.dice.below(6));
            if self.add(json!({"at": at, "input": "rule", "delete": id})) {
                self.world.rules.retain(|r| r["id"] != id.as_str());
            }
            return;
        }
        let stored =
            (!self.world.rules.is_empty()).then(|| self.dice.pick(&self.world.rules).clone());
        let rule = match (self.dice.below(10), stored) {
            (0..=3, Some(stored)) => same_rule(&mut self.dice, &stored),
            (4..=6, Some(stored)) => edited_rule(&mut self.dice, &self.world, &stored),
            (7, Some(stored)) if self.options.malformed => broken_rule(&mut self.dice, &stored),
            _ if self.world.devices.is_empty() => return,
            _ => {
                let id = format!("r{}", self.dice.below(6));
                rule(&mut self.dice, &self.world, &id)
            }
        };
        self.put_rule(at, rule);
    }

    fn put_rule(&mut self, at: i64, rule: Value) {
        if self.add(json!({"at": at, "input": "rule", "rule": rule})) {
            self.world.rules.retain(|r| r["id"] != rule["id"]);
            self.world.rules.push(rule);
        }
    }

    fn alert(&mut self, at: i64) {
        let id = format!("a{}", self.dice.below(3));
        if self.dice.chance(20) {
            if self.add(json!({"at": at, "input": "alert", "delete": id})) {
                self.world.alerts.retain(|a| a["id"] != id.as_str());
            }
            return;
        }
        let stored = self
            .world
            .alerts
            .iter()
            .find(|a| a["id"] == id.as_str())
            .cloned();
        let clock = self.clock();
        let put = match stored {
            Some(stored) if self.dice.chance(75) => {
                Some(edited_alert(&mut self.dice, &self.world, &stored, clock))
            }
            _ => alert(&mut self.dice, &self.world, &id),
        };
        let Some(put) = put else { return };
        if self.add(json!({"at": at, "input": "alert", "alert": put})) {
            self.world.alerts.retain(|a| a["id"] != put["id"]);
            self.world.alerts.push(put);
        }
    }
}
