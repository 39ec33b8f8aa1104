//! Controllers: a farm's state machine against the naive model, over random farms, controllers and people.

use std::panic::{AssertUnwindSafe, catch_unwind};

use harit_farm::{Applied, Effect, Farm, Observer};
use harit_model::generate::case_with_controllers;
use harit_model::vector::{Case, difference, normal};
use harit_protocol::jsonl::Line;
use serde_json::{Value, json};

use crate::cases::{cases, first_failures, options};
use crate::engine_side::engine;
use crate::shrink::shrunk;

/// Writes down what it hears, in the model's words.
struct Said {
    at: i64,
    lines: Vec<Value>,
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
    fn applied(&mut self, applied: Applied<'_>) {
        let events = applied.events.iter();
        self.lines
            .extend(events.map(|e| serde_json::to_value(e).unwrap()));
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
            Effect::Ack(outcome) => self.tell("ack", json!({"outcome": outcome.as_str()})),
        }
    }
}

/// Applies a line as `harit replay` does. `None` when it was refused.
fn apply(farm: &mut Farm, line: &Value) -> Option<Vec<Value>> {
    let text = line.to_string();
    let at = line["at"].as_i64().unwrap();
    let mut said = Said {
        at,
        lines: Vec::new(),
    };
    let applied = farm.apply_line(Line::parse(&text).ok()?, &mut said);
    if let Some(why) = farm.failed() {
        panic!("the farm failed at {line}: {why}");
    }
    if applied.is_err() {
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
    let failures = first_failures(cases(300), |seed| {
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

/// Random cases seldom have a command that was never published and has not expired when messages can be published again.
#[test]
fn what_was_not_sent_goes_out_once_there_is_a_way() {
    let mac = "A00000000001";
    let switch = |at: i64, action: &str| {
        json!({"at": at, "input": "manual", "device": "fan", "cmd_type": "override", "action": action,
            "duration_sec": 3_600, "admin": true})
    };
    let way_out = |at: i64| json!({"at": at, "input": "way_out"});
    let inputs = vec![
        json!({"at": 0, "input": "controller", "mac": mac}),
        json!({"at": 0, "input": "report", "mac": mac,
            "report": {"online": true, "devices": [{"id": "fan", "type": "fan", "on": false}]}}),
        switch(10_000, "on"),
        json!({"at": 10_000, "input": "unsent", "commands": [1]}),
        way_out(12_000),
        way_out(13_000),
        switch(20_000, "off"),
        json!({"at": 20_000, "input": "unsent", "commands": [2]}),
        way_out(35_000),
        // A release goes out before what follows from it.
        json!({"at": 40_000, "input": "manual", "device": "fan", "cmd_type": "release", "admin": true}),
        json!({"at": 40_000, "input": "unsent", "commands": [3, 4]}),
        way_out(42_000),
    ];
    let farm = json!({
        "farm": {"id": "f", "name": "Farm", "settings": {"min_samples": 1}},
        "polyhouses": [{"id": "p", "name": "House", "zones": [{"id": "z", "name": "Zone"}]}],
    });
    let case = Case {
        farm,
        inputs,
        until: 60_000,
    };
    assert_eq!(compare(&case), Ok(()));
}
