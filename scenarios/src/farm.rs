//! The lines that describe a farm, read into the documents that the engine takes.

use std::collections::BTreeMap;

use harit_engine::SensorType;
use serde_json::{Map, Value, json};

use crate::setpoint::threshold;
use crate::words::{Instant, Line, Read, decimal};

/// The places of a farm, by name.
pub(crate) struct Places(BTreeMap<String, Value>);

impl Default for Places {
    fn default() -> Self {
        Self([("farm".to_owned(), json!({"type": "farm"}))].into())
    }
}

impl Places {
    /// `polyhouse p1: bed-1, bed-2`
    pub(crate) fn polyhouse(&mut self, line: &mut Line) -> Read<Value> {
        let id = line.word("the polyhouse's id")?;
        let mut zones = vec![];
        self.0.insert(
            id.clone(),
            json!({"type": "polyhouse", "polyhouseId": id.clone()}),
        );
        if line.eat(":") {
            loop {
                let zone = line.word("a zone's id")?;
                self.0.insert(
                    zone.clone(),
                    json!({"type": "zone", "polyhouseId": id, "zoneId": zone}),
                );
                zones.push(json!({"id": zone, "name": zone}));
                if !line.eat(",") {
                    break;
                }
            }
        }
        line.end()?;
        Ok(json!({"id": id, "name": id, "zones": zones}))
    }

    /// A place that follows the word `in`.
    pub(crate) fn place(&self, line: &mut Line) -> Read<Value> {
        let name = line.word("a place")?;
        match self.scope(&name) {
            Some(scope) => Ok(scope.clone()),
            None => line.wrong(format!("there is no place {name:?}")),
        }
    }

    /// The scope of a place that has this name.
    pub(crate) fn scope(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    fn place_or_farm(&self, line: &mut Line) -> Read<Value> {
        if line.eat("in") {
            self.place(line)
        } else {
            Ok(json!({"type": "farm"}))
        }
    }

    /// `sensor t1 temperature in bed-1 stale 900s`
    pub(crate) fn sensor(&self, line: &mut Line) -> Read<Value> {
        let mut doc = json!({
            "id": line.word("the sensor's id")?,
            "type": line.word("a sensor type")?,
            "scope": self.place_or_farm(line)?,
        });
        if line.eat("stale") {
            doc["stale_after_sec"] = json!(line.seconds()?);
        }
        line.end()?;
        Ok(doc)
    }

    /// `device fan-1 fan in p1 max on 1h`
    pub(crate) fn device(&self, line: &mut Line) -> Read<Value> {
        let mut doc = json!({
            "id": line.word("the device's id")?,
            "name": "", "type": line.word("a device type")?,
            "scope": {"type": "farm"},
        });
        let mut state = Map::new();
        let mut limits = json!({});
        while line.peek().is_some() {
            if self.limit(line, &mut limits)? {
                doc["limits"] = limits.clone();
            } else if line.eat("in safety") {
                state.insert("mode".to_owned(), json!("safety"));
            } else if line.eat("in") {
                doc["scope"] = self.place(line)?;
            } else if line.eat("max on never") {
                doc["max_on_sec"] = Value::Null;
            } else if line.eat("max on") {
                doc["max_on_sec"] = json!(line.seconds()?);
            } else if line.eat("pulses at most") {
                doc["max_pulse_sec_per_hour"] = json!(line.seconds()?);
                line.need("an hour")?;
            } else if line.eat("rest") {
                doc["rest"] = order(line)?;
            } else if line.eat("safe") {
                doc["safe"] = order(line)?;
            } else if line.eat("offline") {
                doc["online"] = json!(false);
            } else if line.eat("locked") {
                state.insert("lock".to_owned(), json!(line.word("the lock's reason")?));
            } else {
                line.end()?;
            }
        }
        doc["state"] = Value::Object(state);
        Ok(doc)
    }

    /// `rule cool in p1: temperature > 35 for 5m -> fan-1 on; stop < 32 for 60s; priority 7`
    pub(crate) fn rule(&self, line: &mut Line) -> Read<Value> {
        let id = line.word("the rule's id")?;
        let scope = self.place_or_farm(line)?;
        line.need(":")?;
        let trigger = self.trigger(line)?;
        let mut doc = json!({
            "id": id, "name": id, "mode": "auto", "deployed": true, "scope": scope, "trigger": trigger,
            "actions": [],
        });
        line.need("->")?;
        let mut actions = vec![];
        loop {
            let device = line.word("a device")?;
            let mut action = json!({"device_id": device, "command": order(line)?});
            if let Some(curve) = self.curve(line)? {
                action["curve"] = curve;
            }
            if line.eat("after") {
                action["delay_sec"] = json!(line.seconds()?);
            }
            if line.eat("for") {
                action["for_sec"] = json!(line.seconds()?);
            }
            if line.eat("linger") {
                action["linger_sec"] = json!(line.seconds()?);
            }
            actions.push(action);
            if !line.eat(",") {
                break;
            }
        }
        doc["actions"] = json!(actions);
        while line.eat(";") {
            if line.eat("stop") {
                doc["stop_condition"] = self.stop(line, &doc["trigger"])?;
            } else if line.eat("run") {
                doc["run_sec"] = json!(line.seconds()?);
            } else if line.eat("catch up") {
                doc["trigger"]["schedule"]["catch_up_sec"] = json!(line.seconds()?);
            } else if line.eat("priority") {
                doc["priority"] = json!(line.micro()? / 1_000_000);
            } else if line.eat("hold when lost") {
                doc["on_signal_lost"] = json!("hold");
            } else if line.eat("disabled") {
                doc["mode"] = json!("disabled");
            } else if line.eat("draft") {
                doc["deployed"] = json!(false);
            } else if line.eat("named") {
                doc["name"] = json!(line.word("the rule's name")?);
            } else {
                line.need(
                    "stop, run, catch up, priority, hold when lost, disabled, draft or named",
                )?;
            }
        }
        line.end()?;
        Ok(doc)
    }

    /// `in p1 > 35`, `between 20 and 25`
    pub(crate) fn comparison(&self, line: &mut Line, sensor_type: &str) -> Read<Value> {
        let mut doc = json!({"sensor_type": sensor_type});
        if line.eat("in") {
            doc["scope"] = self.place(line)?;
        }
        let operator = line.word("an operator")?;
        doc["operator"] = json!(match operator.as_str() {
            ">" => "gt",
            ">=" => "gte",
            "<" => "lt",
            "<=" => "lte",
            "=" => "eq",
            "between" => "between",
            other => return line.wrong(format!("{other:?} is none of {}", OPERATORS.join(" "))),
        });
        if threshold(line, &mut doc)? {
            return Ok(doc);
        }
        doc["value"] = number(line)?;
        if operator == "between" {
            line.need("and")?;
            doc["value_max"] = number(line)?;
        }
        Ok(doc)
    }

    /// `alert hot in p1: temperature > 38 and humidity < 20; hold 60s; clear 60s; repeat 30 minutes`
    pub(crate) fn alert(&self, line: &mut Line) -> Read<Value> {
        let id = line.word("the alert's id")?;
        let mut doc = json!({"id": id, "name": id, "scope": self.place_or_farm(line)?});
        line.need(":")?;
        let mut conditions = vec![];
        loop {
            let word = line.word("a sensor type")?;
            let Some(of_type) = SensorType::parse(&word) else {
                return line.wrong(format!("no alert can watch {word:?}"));
            };
            let sensor = of_type.alert_name();
            let operator = line.word("an operator")?;
            conditions
                .push(json!({"sensor": sensor, "operator": operator, "value": number(line)?}));
            if line.eat("and") {
                doc["match"] = json!("all");
            } else if line.eat("or") {
                doc["match"] = json!("any");
            } else {
                break;
            }
        }
        doc["conditions"] = json!(conditions);
        while line.eat(";") {
            if line.eat("only if") {
                doc["only_if"] = self.node(line)?;
            } else if line.eat("hold") {
                doc["hold_sec"] = json!(line.seconds()?);
            } else if line.eat("clear") {
                doc["clear_sec"] = json!(line.seconds()?);
            } else if line.eat("repeat") {
                doc["repeatsIn"] = json!(line.micro()? / 1_000_000);
                doc["repeatUnit"] = json!(line.word("minutes, hours or days")?);
            } else if line.eat("last told") {
                let Instant(ms) = line.instant()?;
                doc["lastTriggered"] = json!(ms);
            } else if line.eat("named") {
                doc["name"] = json!(line.word("the alert's name")?);
            } else if line.eat("inactive") {
                doc["isActive"] = json!(false);
            } else if line.eat("evidence") {
                doc["evidence"] = json!(line.word("worst or mean")?);
            } else if line.eat("severity") {
                doc["severity"] = json!(line.word("critical, warning or info")?);
            } else {
                line.need("only if, hold, clear, repeat, last told, named, inactive, evidence or severity")?;
            }
        }
        line.end()?;
        Ok(doc)
    }
}

pub(crate) const OPERATORS: [&str; 6] = [">", ">=", "<", "<=", "=", "between"];

pub(crate) fn number(line: &mut Line) -> Read<Value> {
    let text = decimal(line.micro()?);
    match serde_json::from_str(&text) {
        Ok(value) => Ok(value),
        Err(e) => line.wrong(format!("{text}: {e}")),
    }
}

/// `on`, `off`, `speed 40`, `position 30`, `flow 2`, `pulse 5s`
pub(crate) fn order(line: &mut Line) -> Read<Value> {
    let word = line.word("on, off, speed, position, flow or pulse")?;
    let action = match word.as_str() {
        "on" | "off" => return Ok(json!({"action": word})),
        "pulse" => return Ok(json!({"action": "pulse", "value": line.seconds()?})),
        "speed" => "set_speed",
        "position" => "set_position",
        "flow" => "set_flow_rate",
        other => {
            return line.wrong(format!(
                "{other:?} is none of on, off, speed, position, flow, pulse"
            ));
        }
    };
    Ok(json!({"action": action, "value": number(line)?}))
}
