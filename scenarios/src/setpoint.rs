//! Setpoints and curves, read into the documents of settings and actions.

use serde_json::{Value, json};

use crate::farm::{Places, number};
use crate::program::moment;
use crate::words::{Line, Read};

/// `day temperature: 20 from 06:00, 26 from 09:00 over 60m; from 2026-12-01 over 3d: 22 from 06:00`
pub(crate) fn setpoint(line: &mut Line) -> Read<Value> {
    let id = line.word("the setpoint's id")?;
    let sensor_type = line.word("a sensor type")?;
    line.need(":")?;
    let mut doc =
        json!({"id": id, "name": id, "sensor_type": sensor_type, "course": course(line)?});
    let mut stages = vec![];
    while line.eat(";") {
        line.need("from")?;
        let mut stage = json!({"from": line.word("a date, YYYY-MM-DD")?});
        if line.eat("over") {
            stage["ramp_days"] = json!(line.seconds()? / 86_400);
        }
        line.need(":")?;
        stage["course"] = course(line)?;
        stages.push(stage);
    }
    if !stages.is_empty() {
        doc["stages"] = json!(stages);
    }
    Ok(doc)
}

fn course(line: &mut Line) -> Read<Value> {
    let mut points = vec![];
    loop {
        let value = number(line)?;
        line.need("from")?;
        let mut point = json!({"at": moment(line)?, "value": value});
        if line.eat("over") {
            point["ramp_min"] = json!(line.seconds()? / 60);
        }
        points.push(point);
        if !line.eat(",") {
            return Ok(json!(points));
        }
    }
}

/// What stands after a comparison's operator in place of a number: `setpoint day`, `setpoint day + 0.5`.
pub(crate) fn threshold(line: &mut Line, doc: &mut Value) -> Read<bool> {
    if !line.eat("setpoint") {
        return Ok(false);
    }
    doc["setpoint"] = json!(line.word("a setpoint")?);
    if line.eat("+") {
        doc["offset"] = number(line)?;
    } else if line.eat("-") {
        let offset = number(line)?;
        doc["offset"] = json!(-offset.as_f64().unwrap_or_default());
    }
    Ok(true)
}

impl Places {
    /// What an action's setting follows: `along temperature in p1 less setpoint day (0: 0, 2.5: 50) band 0.5 step 5 every 1m`.
    pub(crate) fn curve(&self, line: &mut Line) -> Read<Option<Value>> {
        if !line.eat("along") {
            return Ok(None);
        }
        let mut doc = json!({"sensor_type": line.word("a sensor type")?});
        if line.eat("in") {
            doc["scope"] = self.place(line)?;
        }
        if line.eat("less setpoint") {
            doc["setpoint"] = json!(line.word("a setpoint")?);
        }
        line.need("(")?;
        let mut points = vec![];
        loop {
            let x = number(line)?;
            line.need(":")?;
            points.push(json!([x, number(line)?]));
            if !line.eat(",") {
                break;
            }
        }
        line.need(")")?;
        doc["points"] = json!(points);
        if line.eat("band") {
            doc["dead_band"] = number(line)?;
        }
        if line.eat("step") {
            doc["step"] = number(line)?;
        }
        if line.eat("every") {
            doc["least_sec"] = json!(line.seconds()?);
        }
        Ok(Some(doc))
    }
}
