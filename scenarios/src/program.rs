//! Conditions as trees, and schedules, read into the documents of rules.

use harit_engine::Weekdays;
use serde_json::{Map, Value, json};

use crate::farm::{OPERATORS, Places};
use crate::words::{Line, Read, parse_duration};

impl Places {
    /// A rule's trigger: `starts 06:00, 30m before sunset on mon, thu if humidity < 60, unknown skips`, or a condition.
    pub(crate) fn trigger(&self, line: &mut Line) -> Read<Value> {
        if line.eat("starts") {
            Ok(json!({"schedule": self.schedule(line)?}))
        } else {
            self.whole(line)
        }
    }

    /// A stop condition: as a trigger's, or of the trigger's sensor type (`stop < 32 for 60s`).
    pub(crate) fn stop(&self, line: &mut Line, trigger: &Value) -> Read<Value> {
        let short = line
            .peek()
            .is_some_and(|w| OPERATORS.contains(&w) || w == "in");
        if !short {
            return self.whole(line);
        }
        let Some(sensor_type) = trigger["sensor_type"].as_str() else {
            return line.wrong("the trigger has no sensor type of its own: name one");
        };
        let mut doc = self.comparison(line, sensor_type)?;
        duration(line, &mut doc)?;
        Ok(doc)
    }

    /// `temperature > 35 and not time 18:00 to 06:00 for 5m`
    fn whole(&self, line: &mut Line) -> Read<Value> {
        let mut node = self.node(line)?;
        duration(line, &mut node)?;
        Ok(node)
    }

    /// Terms that are joined by `and`, or by `or`; both need brackets.
    pub(crate) fn node(&self, line: &mut Line) -> Read<Value> {
        let mut terms = vec![self.term(line)?];
        let (word, key) = match line.peek() {
            Some("or") => ("or", "any"),
            _ => ("and", "all"),
        };
        while line.eat(word) {
            terms.push(self.term(line)?);
        }
        if matches!(line.peek(), Some("and" | "or")) {
            return line.wrong("`and` beside `or` needs brackets");
        }
        Ok(match terms.len() {
            1 => terms.remove(0),
            _ => json!({ key: terms }),
        })
    }

    /// A leaf, `not` and a term, or a node in brackets; each perhaps with `holding 2m`.
    fn term(&self, line: &mut Line) -> Read<Value> {
        let mut node = if line.eat("not") {
            return Ok(json!({"not": self.term(line)?}));
        } else if line.eat("(") {
            let node = self.node(line)?;
            line.need(")")?;
            node
        } else {
            self.leaf(line)?
        };
        if line.eat("holding") {
            node["hold_sec"] = json!(line.seconds()?);
        }
        Ok(node)
    }

    fn leaf(&self, line: &mut Line) -> Read<Value> {
        if line.eat("time") {
            let from = moment(line)?;
            line.need("to")?;
            let mut node = json!({"time": {"from": from, "to": moment(line)?}});
            if line.eat("beginning") {
                node["days"] = days(line)?;
            }
            Ok(node)
        } else if line.eat("on") {
            Ok(json!({"days": days(line)?}))
        } else if line.eat("dates") {
            Ok(json!({"dates": dates(line)?}))
        } else if line.eat("rule") {
            let id = line.word("a rule")?;
            line.need("runs")?;
            Ok(json!({"rule": id}))
        } else if line.eat("device") {
            let id = line.word("a device")?;
            line.need("is")?;
            Ok(json!({"device": id, "is": line.word("on or off")?}))
        } else {
            let sensor_type = line.word("a sensor type")?;
            self.comparison(line, &sensor_type)
        }
    }

    /// What follows `starts`.
    fn schedule(&self, line: &mut Line) -> Read<Value> {
        let (mut doc, mut at) = (Map::new(), vec![]);
        loop {
            if line.eat("every") {
                let minutes = line.seconds()? / 60;
                line.need("from")?;
                let from = line.word("a time of day")?;
                line.need("to")?;
                let to = line.word("a time of day")?;
                let every = json!({"minutes": minutes, "from": from, "to": to});
                doc.insert("every".to_owned(), every);
            } else {
                at.push(moment(line)?);
            }
            if !line.eat(",") {
                break;
            }
        }
        if !at.is_empty() {
            doc.insert("at".to_owned(), json!(at));
        }
        if line.eat("on") {
            doc.insert("days".to_owned(), days(line)?);
        }
        if line.eat("dates") {
            doc.insert("dates".to_owned(), dates(line)?);
        }
        if line.eat("if") {
            doc.insert("guard".to_owned(), self.node(line)?);
            line.need(", unknown")?;
            let unknown = line.word("runs or skips")?;
            let unknown = match unknown.as_str() {
                "runs" => "run",
                "skips" => "skip",
                other => return line.wrong(format!("{other:?} is none of runs, skips")),
            };
            doc.insert("if_unknown".to_owned(), json!(unknown));
        }
        Ok(Value::Object(doc))
    }
}

fn duration(line: &mut Line, doc: &mut Value) -> Read<()> {
    if line.eat("for") {
        doc["duration_sec"] = json!(line.seconds()?);
    }
    Ok(())
}

/// `06:00`, `sunset`, `30m before sunset`, `1h after sunrise`
pub(crate) fn moment(line: &mut Line) -> Read<Value> {
    let word = line.word("a time of day, sunrise or sunset")?;
    match parse_duration(&word) {
        None if word == "sunrise" || word == "sunset" => Ok(json!({"sun": word})),
        None => Ok(json!(word)),
        Some(ms) => {
            let minutes = ms / 60_000;
            let minutes = if line.eat("before") {
                -minutes
            } else {
                line.need("after")?;
                minutes
            };
            Ok(json!({"sun": line.word("sunrise or sunset")?, "offset_min": minutes}))
        }
    }
}

/// `mon, tue, wed`
fn days(line: &mut Line) -> Read<Value> {
    let mut days = vec![line.word("a weekday")?];
    while line.peek() == Some(",") && line.peek_second().is_some_and(is_weekday) {
        line.need(",")?;
        days.push(line.word("a weekday")?);
    }
    Ok(json!(days))
}

fn is_weekday(word: &str) -> bool {
    Weekdays::ALL.words().any(|w| w == word)
}

/// `11-15 to 02-15`
fn dates(line: &mut Line) -> Read<Value> {
    let from = line.word("a date, MM-DD")?;
    line.need("to")?;
    Ok(json!({"from": from, "to": line.word("a date, MM-DD")?}))
}
