//! Inputs of the farm, made from bytes.

use std::sync::Arc;

use harit_engine::{
    AlertSpec, FarmDocument, Input, InputKind, Lock, LockKind, Manual, ManualKind, Measured, Owner,
    Quantity, RuleSpec, ScopeSpec, Status, Stop, StopScope, Timestamp,
};
use serde_json::{Value, json};

const SENSORS: [&str; 6] = ["t1", "t2", "h1", "ph1", "t3", "nobody"];
const DEVICES: [&str; 4] = ["dose-1", "fan-1", "pump-1", "vent-1"];
const RULES: [&str; 6] = ["air", "cool", "dose", "wet", "new", "nobody"];
const VALUES: [&str; 16] = [
    "31",
    "36",
    "24",
    "20",
    "30",
    "30.000001",
    "35",
    "40",
    "4",
    "7.5",
    "25",
    "null",
    "NaN",
    "90",
    "-41",
    "32.3333333",
];
/// Steps in milliseconds: around the farm's durations, and backwards.
const STEPS: [i64; 16] = [
    0, 1, 999, 1_000, 5_000, 9_999, 10_000, 20_000, 29_999, 30_000, 60_000, 119_999, 300_000,
    3_600_000, -1_000, -90_000,
];
const PEOPLE: [&str; 2] = ["asha", "ravi"];

fn owner(user: &str) -> Arc<Owner> {
    Arc::new(Owner {
        user_id: user.into(),
        name: user.into(),
        reason: None,
    })
}

/// Inputs made from bytes, two and more each.
pub(super) struct Source<'a> {
    document: &'a FarmDocument,
    rest: &'a [u8],
    at: i64,
}

impl<'a> Source<'a> {
    pub(super) const fn new(document: &'a FarmDocument, rest: &'a [u8]) -> Self {
        Self {
            document,
            rest,
            at: 1_700_000_000_000,
        }
    }

    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else {
            return 0;
        };
        self.rest = rest;
        *first
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::from(self.byte()) % from.len()]
    }

    fn manual(&mut self) -> Manual {
        let device = self.pick(&DEVICES);
        let how = self.byte();
        let kind = [
            ManualKind::Override,
            ManualKind::Override,
            ManualKind::Pulse,
            ManualKind::Release,
        ][usize::from(how & 3)];
        let action = ["on", "off", "set_speed", "set_flow_rate"][usize::from(how >> 2 & 3)];
        Manual {
            device: device.into(),
            kind,
            action: (kind == ManualKind::Override).then(|| Arc::from(action)),
            value: Some(Quantity::from_units(i64::from(how >> 4 & 7))),
            duration_sec: Some([1, 30, 120, 600][usize::from(how >> 5 & 3)]),
            admin: how & 0x80 != 0,
            owner: None,
        }
    }

    fn status(&mut self) -> InputKind {
        let device = self.pick(&DEVICES);
        let bits = self.byte();
        let how = if bits >> 2 & 3 == 3 { 0 } else { self.byte() };
        let kind = LockKind::ALL[usize::from(how & 7) % LockKind::ALL.len()];
        let reason = if how & 8 == 0 { "door" } else { "max_on" };
        InputKind::Status {
            device: device.into(),
            status: Status {
                online: [None, Some(true), Some(false), Some(true)][usize::from(bits & 3)],
                lock: match bits >> 2 & 3 {
                    0 => Some(Lock::Engage {
                        kind,
                        reason: reason.into(),
                    }),
                    1 => Some(Lock::Open {
                        kind,
                        user: (how & 16 != 0).then(|| PEOPLE[usize::from(how >> 5 & 1)].into()),
                    }),
                    2 if how & 16 == 0 => Some(Lock::Replace {
                        reason: reason.into(),
                    }),
                    2 => Some(Lock::OpenAll),
                    _ => None,
                },
                safety: [None, Some(true), Some(false), None][usize::from(bits >> 4 & 3)],
                running: [None, Some(Some(true)), Some(Some(false)), Some(None)]
                    [usize::from(bits >> 6)],
                owner: (how & 64 != 0).then(|| owner(PEOPLE[usize::from(how >> 5 & 1)])),
            },
        }
    }

    fn stop(&mut self) -> InputKind {
        let how = self.byte();
        let scope = match how & 3 {
            0 => StopScope::Place(ScopeSpec::farm()),
            1 => StopScope::Place(ScopeSpec::polyhouse("p2")),
            _ => StopScope::Device(DEVICES[usize::from(how >> 3) % DEVICES.len()].into()),
        };
        let owner = owner(PEOPLE[usize::from(how >> 2 & 1)]);
        InputKind::Stop(Box::new(Stop { scope, owner }))
    }

    /// A rule of the farm as it is, switched off, stronger, slower, or for another device; or a new one.
    fn rule(&mut self) -> Option<InputKind> {
        let id = self.pick(&RULES[..5]);
        let how = self.byte();
        let rules = &self.document.rules;
        let mut rule = rules
            .iter()
            .find(|r| r.id.as_str() == id)
            .or(rules.first())
            .and_then(|r| serde_json::to_value(r).ok())?;
        rule["id"] = json!(id);
        match how & 7 {
            0 => {}
            1 => rule["mode"] = json!("disabled"),
            2 => rule["priority"] = json!(how >> 4),
            3 => rule["trigger"]["duration_sec"] = json!(how >> 3),
            4 => rule["name"] = json!("Another name"),
            5 => rule["on_signal_lost"] = json!(if how & 8 == 0 { "stop" } else { "hold" }),
            6 => rule["stop_condition"] = Value::Null,
            _ => {
                let device = DEVICES[usize::from(how >> 3) % DEVICES.len()];
                rule["actions"] = json!([{"device_id": device, "command": {"action": "on"}, "delay_sec": how >> 5}]);
            }
        }
        RuleSpec::from_json(&rule)
            .ok()
            .map(|r| InputKind::RulePut(Box::new(r)))
    }

    fn alert(&mut self) -> Option<InputKind> {
        let how = self.byte();
        let id = if how & 1 == 0 { "hot" } else { "acid" };
        if how & 2 != 0 {
            return Some(InputKind::AlertDelete(id.into()));
        }
        let evidence =
            [None, Some("worst"), Some("mean"), Some("worst")][usize::from(how >> 4 & 3)];
        let alert = json!({
            "id": id, "name": id, "repeatsIn": 1 + (how >> 6), "repeatUnit": "minutes",
            "evidence": evidence,
            "isActive": how & 4 == 0, "hold_sec": how >> 5, "match": if how & 8 == 0 { "all" } else { "any" },
            "conditions": [{"sensor": "Temperature", "operator": ">", "value": 30}, {"sensor": "pH", "operator": ">", "value": 5}],
        });
        AlertSpec::from_json(&alert)
            .ok()
            .map(|a| InputKind::AlertPut(Box::new(a)))
    }

    /// Sensors come and go, the demand for samples changes. The devices stay as they are: the invariants count on them.
    fn registry(&mut self) -> Option<InputKind> {
        let how = self.byte();
        let change = match how & 3 {
            0 => json!({"put_sensor": {"id": "t3", "type": "temperature", "stale_after_sec": 30,
                "scope": {"type": "zone", "polyhouseId": "p2", "zoneId": "z3"}}}),
            1 => json!({"delete_sensor": if how & 4 == 0 { "t3" } else { "t2" }}),
            2 => json!({"settings": {"min_samples": 1 + (how >> 6)}}),
            _ => {
                json!({"put_sensor": {"id": "t2", "type": "temperature", "stale_after_sec": 1 + (how >> 2)}})
            }
        };
        let change = serde_json::from_value(change).ok()?;
        Some(InputKind::Registry(vec![change]))
    }
}

impl Iterator for Source<'_> {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        if self.rest.is_empty() {
            return None;
        }
        let op = self.byte();
        let step = STEPS[usize::from(op >> 4)];
        let kind = match op & 15 {
            0..=7 => {
                let what = self.byte();
                InputKind::Reading {
                    sensor: SENSORS[usize::from(what & 15) % SENSORS.len()].into(),
                    value: Measured::parse(VALUES[usize::from(what >> 4)]),
                }
            }
            8 => InputKind::Tick,
            9 => InputKind::Resumed,
            10 | 11 => InputKind::Manual(Box::new(self.manual())),
            12 | 13 => self.status(),
            14 => match self.byte() & 3 {
                0 => InputKind::RuleDelete(self.pick(&RULES).into()),
                1 => self.alert().unwrap_or(InputKind::Tick),
                2 => self.stop(),
                _ => self.rule().unwrap_or(InputKind::Tick),
            },
            _ => self.registry().unwrap_or(InputKind::Tick),
        };
        let at = Timestamp::from_millis(self.at + step);
        // What is stamped in the past does not take the story back with it.
        self.at += step.max(0);
        Some(Input { at, kind })
    }
}
