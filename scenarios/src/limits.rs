//! Limits of machines and groups, read into the documents of devices and of the farm's settings.

use serde_json::{Value, json};

use crate::farm::{Places, number};
use crate::words::{Line, Read};

impl Places {
    /// One of a device's limits, if one comes next: `least off 5m`, `hours time 06:00 to 10:00 unknown holds for 2m`.
    pub(crate) fn limit(&self, line: &mut Line, limits: &mut Value) -> Read<bool> {
        if line.eat("least on") {
            limits["min_on_sec"] = json!(line.seconds()?);
        } else if line.eat("least off") {
            limits["min_off_sec"] = json!(line.seconds()?);
        } else if line.eat("starts") {
            limits["starts_per_hour"] = json!(line.micro()? / 1_000_000);
            line.need("an hour")?;
        } else if line.eat("of") {
            limits["groups"] = json!(ids(line, "a group")?);
        } else if line.eat("needs") {
            limits["needs"] = json!({"any": ids(line, "a device")?});
            if line.eat("for") {
                limits["needs"]["for_sec"] = json!(line.seconds()?);
            }
        } else if line.eat("budget") {
            limits["sec_per_day"] = json!(line.seconds()?);
        } else if line.eat("doses") {
            limits["ml_per_day"] = number(line)?;
            line.need("ml at")?;
            limits["ml_per_sec"] = number(line)?;
        } else if line.eat("hours") {
            limits["hours"] = self.hours(line)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// `group phase at most 1 hours device grid is on unknown holds`
    pub(crate) fn group(&self, line: &mut Line) -> Read<Value> {
        let id = line.word("the group's id")?;
        line.need("at most")?;
        let mut doc = json!({"id": id, "name": id, "at_most": line.micro()? / 1_000_000});
        if line.eat("hours") {
            doc["hours"] = self.hours(line)?;
        }
        line.end()?;
        Ok(doc)
    }

    fn hours(&self, line: &mut Line) -> Read<Value> {
        let node = self.node(line)?;
        let holds = line.eat("unknown holds");
        if !holds {
            line.need("unknown allows")?;
        }
        let mut doc = json!({"while": node, "if_unknown": if holds { "hold" } else { "allow" }});
        if line.eat("for") {
            doc["for_sec"] = json!(line.seconds()?);
        }
        Ok(doc)
    }
}

/// `valve-1 or valve-2`
fn ids(line: &mut Line, what: &str) -> Read<Vec<String>> {
    let mut ids = vec![line.word(what)?];
    while line.eat("or") {
        ids.push(line.word(what)?);
    }
    Ok(ids)
}
