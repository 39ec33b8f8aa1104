//! Controllers: a farm's state machine against the naive model, over random farms, controllers and people.

use std::panic::{AssertUnwindSafe, catch_unwind};

use harit_engine::{Engine, Event, Input, Problems, ScopeSpec, Timestamp};
use harit_farm::{
    AckOutcome, CommandAck, Controllers, Effect, Farm, Key, MessageNumber, Observer, Record,
    Telemetry,
};
use harit_model::generate::case_with_controllers;
use harit_model::vector::{Case, difference, normal};
use harit_protocol::{AckStatus, Mac, Report, TypeWord, sensor_type};
use serde_json::{Value, json};

use crate::cases::{cases, first_failures, options};
use crate::engine_side::{engine, input, measured};
use crate::shrink::shrunk;

/// Writes down what it hears, in the model's words.
#[derive(Default)]
struct Said {
    at: i64,
    lines: Vec<Value>,
    /// Whether the engine refused an input.
    refused: bool,
}

impl Said {
    fn tell(&mut self, effect: &str, fields: Value) {
        let mut line = json!({"at": self.at, "effect": effect});
        let Value::Object(fields) = fields else {
            return;
        };
        line.as_object_mut().unwrap().extend(fields);
        self.lines.push(line);
    }
}

fn number(command_id: &str) -> u64 {
    command_id.rsplit_once('-').unwrap().1.parse().unwrap()
}

impl Observer for Said {
    fn applied(
        &mut self,
        _: &Engine,
        _: &Controllers,
        input: Option<(&Input, &Result<(), Problems>)>,
        events: &[Event],
    ) {
        self.refused |= input.is_some_and(|(_, result)| result.is_err());
        let events = events.iter().map(|e| serde_json::to_value(e).unwrap());
        self.lines.extend(events);
    }

    fn effect(&mut self, effect: Effect<'_>) {
        match effect {
            Effect::Publish {
                mac,
                command,
                message,
            } => {
                let expires_at = message.expires_at().as_millis();
                self.tell(
                    "publish",
                    json!({"mac": mac.as_str(), "command": command, "expires_at": expires_at}),
                );
            }
            Effect::Renew { mac, message, .. } => {
                let command = number(&message.command_id);
                self.tell("renew", json!({"mac": mac.as_str(), "command": command}));
            }
            Effect::Commanded(_) => {}
            Effect::Command(life) => {
                let command = number(&life.command_id);
                self.tell(
                    "command",
                    json!({"command": command, "state": life.state.as_str()}),
                );
            }
            Effect::Reported { device, state } => {
                let fields = match state {
                    Some((on, value)) => json!({"device": device, "on": on, "value": value}),
                    None => json!({"device": device, "on": null}),
                };
                self.tell("reported", fields);
            }
            Effect::Presence { mac, online } => {
                self.tell("controller", json!({"mac": mac.as_str(), "online": online}));
            }
            Effect::Refused(reject) => self.tell("refused", json!({"reject": reject.as_str()})),
            Effect::Repeated => self.tell("repeated", json!({})),
            Effect::Ack(outcome) => {
                let outcome = match outcome {
                    AckOutcome::Taken => "taken",
                    AckOutcome::Late => "late",
                    AckOutcome::Foreign => "foreign",
                };
                self.tell("ack", json!({"outcome": outcome}));
            }
        }
    }
}

fn mac(line: &Value) -> Mac {
    Mac::parse(line["mac"].as_str().unwrap()).unwrap()
}

fn key(entry: &Value) -> Key<'_> {
    let kind = match entry["type"].as_str() {
        None => TypeWord::Missing,
        Some(word) => sensor_type(word).map_or(TypeWord::Unknown, TypeWord::Known),
    };
    let text = |field: &str| entry[field].as_str().map(Into::into);
    Key::new(text("id"), kind, text("unit"))
}

/// Applies a line. `None` when it was refused.
fn apply(farm: &mut Farm, line: &Value) -> Option<Vec<Value>> {
    let at = line["at"].as_i64().unwrap();
    let now = Timestamp::from_millis(at);
    let mut said = Said {
        at,
        ..Said::default()
    };
    let is_engines = match line["input"].as_str().unwrap() {
        "controller" => {
            let scope = match &line["scope"] {
                Value::Null => ScopeSpec::farm(),
                scope => ScopeSpec::from_json(scope).unwrap(),
            };
            let (mac, scope) = (mac(line), &scope);
            farm.apply(now, Record::Controller { mac, scope }, &mut said);
            false
        }
        "telemetry" => {
            let entries = line["sensors"].as_array().unwrap();
            let keys: Vec<Key<'_>> = entries.iter().map(key).collect();
            let values = entries.iter().map(|e| measured(&e["value"]));
            let items: Vec<_> = (0..).zip(values).collect();
            let number = line["seq"].as_u64().map(|seq| MessageNumber {
                seq,
                crc: line["crc"].as_u64().unwrap().try_into().unwrap(),
            });
            let telemetry = Telemetry {
                mac: mac(line),
                at: Timestamp::from_millis(line["ts"].as_i64().unwrap_or(at)),
                backlog: line["backlog"] == true,
                number,
                keys: &keys,
                items: &items,
            };
            farm.apply(now, Record::Telemetry(telemetry), &mut said);
            false
        }
        "report" => {
            let report: Report = serde_json::from_value(line["report"].clone()).unwrap();
            let (mac, report) = (mac(line), &report);
            farm.apply(now, Record::Report { mac, report }, &mut said);
            false
        }
        "gone" => {
            farm.apply(now, Record::Gone { mac: mac(line) }, &mut said);
            false
        }
        "ack" => {
            let ack = CommandAck {
                command: line["command"].as_u64().unwrap(),
                status: match line["status"].as_str().unwrap() {
                    "ack" => AckStatus::Ack,
                    _ => AckStatus::Failure,
                },
                message: None,
            };
            let (mac, ack) = (mac(line), &ack);
            farm.apply(now, Record::Ack { mac, ack }, &mut said);
            false
        }
        "unsent" => {
            let numbers = line["commands"].as_array().unwrap().iter();
            let commands: Vec<u64> = numbers.map(|n| n.as_u64().unwrap()).collect();
            let commands = &commands;
            farm.apply(now, Record::Unsent { commands }, &mut said);
            false
        }
        "way_out" => {
            farm.apply(now, Record::WayOut, &mut said);
            false
        }
        _ => {
            farm.apply(now, Record::Input(&input(line)?), &mut said);
            true
        }
    };
    if let Some(why) = farm.failed() {
        panic!("the farm failed at {line}: {why}");
    }
    if is_engines && said.refused {
        assert!(said.lines.is_empty(), "said of a refused input: {line}");
        return None;
    }
    Some(said.lines)
}

/// The effects in their order, as text that compares.
fn effects(lines: &[Value]) -> Vec<String> {
    let effects = lines.iter().filter(|l| l["effect"].is_string());
    effects.map(normal).collect()
}

fn compare(case: &Case) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| compare_unguarded(case))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        Err(format!("panic {}", text.unwrap_or_default()))
    })
}

fn compare_unguarded(case: &Case) -> Result<(), String> {
    let mut model = harit_model::Farm::new(&case.farm).map_err(|m| format!("farm: {m}"))?;
    let mut farm = Farm::new(engine(&case.farm)?);
    for line in case.all_inputs() {
        match (apply(&mut farm, &line), model.apply(&line)) {
            (Some(said), Ok(expected)) => {
                if let Some((at, model, farm)) = difference(&expected, &said) {
                    return Err(format!(
                        "{} {line}: at {at} only the model says {model:#?}, only the farm {farm:#?}",
                        line["input"]
                    ));
                }
                let (said, expected) = (effects(&said), effects(&expected));
                if said != expected {
                    return Err(format!(
                        "order {} {line}: the model says {expected:#?}, the farm {said:#?}",
                        line["input"]
                    ));
                }
            }
            (None, Err(_)) => {}
            (Some(_), Err(why)) => return Err(format!("only the model refuses {line}: {why}")),
            (None, Ok(_)) => return Err(format!("only the farm refuses {line}")),
        }
        // What is overdue is due at the next tick, however long.
        let due = |at: i64| at.max(line["at"].as_i64().unwrap());
        let next = farm.next_deadline().map(|d| due(d.as_millis()));
        let expected = model.next_deadline().map(due);
        if next != expected {
            return Err(format!(
                "deadline after {line}: the farm's is {next:?}, the model's {expected:?}"
            ));
        }
    }
    Ok(())
}

/// The shortest case that fails in the same way.
fn shortest(case: Case, why: &str) -> String {
    let kind = |why: &str| why.split(' ').take(2).collect::<String>();
    let fails = |case: &Case| compare(case).err().is_some_and(|w| kind(&w) == kind(why));
    let small = shrunk(case, fails);
    let lines: Vec<String> = small.inputs.iter().map(ToString::to_string).collect();
    let why = compare(&small).err().unwrap_or_default();
    format!(
        "{}\n{}\nuntil {}\n{why}\n",
        small.farm,
        lines.join("\n"),
        small.until
    )
}

#[test]
fn farm_and_model_agree() {
    let failures = first_failures(cases(2_000), |seed| {
        compare(&case_with_controllers(seed, options())).err()
    });
    let mut text = String::new();
    for (seed, why) in &failures {
        text += &format!(
            "\nseed {seed}: HARIT_SEED={seed} HARIT_CASES=1 cargo test -p harit-model --test differential farm_and_model_agree\n{}",
            shortest(case_with_controllers(*seed, options()), why)
        );
    }
    assert!(failures.is_empty(), "{text}");
}
