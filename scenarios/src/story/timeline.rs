//! The lines that tell what happens and what is looked at, each at its time.

use harit_engine::{
    AlertSpec, Input, InputKind, Measured, Problems, Quantity, RegistryChange, RuleSpec, Timestamp,
};
use serde_json::{Value, json};

use super::{FarmParts, Quiet, Reader, What};
use crate::acts;
use crate::expect::EVENTS;
use crate::series;
use crate::setpoint::setpoint;
use crate::words::{Instant, Line, Read, Wrong};

impl Reader {
    pub(super) fn timeline(&mut self, statement: &str, line: &mut Line) -> Read<()> {
        match statement {
            "ignore" => {
                let kind = line.word("an event's name")?;
                if !EVENTS.contains(&kind.as_str()) {
                    return line.wrong(format!("{kind:?} is no event"));
                }
                self.ignored.push(kind);
                Ok(())
            }
            "from" => self.series(line),
            "backlog" => self.backlog(line),
            "power" => self.power_cut(line),
            "until" => {
                let at = line.instant()?;
                self.last = at;
                self.step(line, at, What::Until);
                Ok(())
            }
            "expect" => {
                line.need("nothing until")?;
                let to = line.instant()?;
                self.quiet.push(Quiet {
                    line: line.number,
                    from: self.last,
                    to,
                });
                self.last = to;
                self.step(line, to, What::Until);
                Ok(())
            }
            "at" => {
                let mut instants = vec![line.instant()?];
                while line.eat(",") {
                    instants.push(line.instant()?);
                }
                if instants.len() > 1 {
                    self.readings(line, &instants)?;
                } else {
                    self.at(line, instants[0])?;
                }
                self.last = instants.into_iter().max().unwrap_or_default();
                Ok(())
            }
            other => line.wrong(format!("{other:?} is no statement")),
        }
    }

    fn input(&mut self, line: &Line, at: Instant, kind: InputKind) {
        let input = input(at, kind);
        self.step(line, at, What::Input(input));
    }

    /// What stands after `at TIME`.
    fn at(&mut self, line: &mut Line, at: Instant) -> Read<()> {
        match line.peek() {
            Some("expect") => {
                line.need("expect")?;
                return self.expect(line, at);
            }
            Some("rejected") => {
                line.need("rejected")?;
                let kind = self.change(line)?;
                let kind = match kind {
                    Some(kind) => kind,
                    None => return line.wrong("only what is saved or deleted can be rejected"),
                };
                self.step(line, at, What::Rejected(input(at, kind)));
                return Ok(());
            }
            Some("disable" | "enable") => {
                let auto = line.word("")? == "enable";
                line.need("rule")?;
                let rule = line.word("a rule")?;
                self.step(line, at, What::Mode { rule, auto });
                return Ok(());
            }
            Some("tick") => {
                line.need("tick")?;
                self.input(line, at, InputKind::Tick);
                return Ok(());
            }
            _ => {}
        }
        if let Some(kind) = self.change(line)? {
            self.input(line, at, kind);
            return Ok(());
        }
        let kind = match line.peek() {
            Some("override" | "pulse" | "release") => acts::manual(line)?,
            Some("stop") => acts::stop(line, &self.places)?,
            Some("device") => acts::status(line)?,
            Some("almanac") => {
                line.need("almanac")?;
                self.calendar.almanac(line)?
            }
            _ => return self.readings(line, &[at]),
        };
        self.input(line, at, kind);
        Ok(())
    }

    /// What is saved, added, removed or deleted; none if it is not that.
    fn change(&mut self, line: &mut Line) -> Read<Option<InputKind>> {
        let number = line.number;
        let problems = |p: Problems| Wrong {
            line: number,
            what: p.to_string(),
        };
        let kind = if line.eat("save rule") {
            let doc = self.places.rule(line)?;
            InputKind::RulePut(Box::new(RuleSpec::from_json(&doc).map_err(problems)?))
        } else if line.eat("delete rule") {
            InputKind::RuleDelete(line.word("a rule")?.as_str().into())
        } else if line.eat("save alert") {
            let doc = self.alert(line)?;
            InputKind::AlertPut(Box::new(AlertSpec::from_json(&doc).map_err(problems)?))
        } else if line.eat("delete alert") {
            InputKind::AlertDelete(line.word("an alert")?.as_str().into())
        } else if line.eat("save sensor") {
            let doc = self.places.sensor(line)?;
            InputKind::Registry(vec![change(number, json!({"put_sensor": doc}))?])
        } else if line.eat("delete sensor") {
            let id = line.word("a sensor")?;
            InputKind::Registry(vec![change(number, json!({"delete_sensor": id}))?])
        } else if line.eat("save device") {
            let doc = self.places.device(line)?;
            InputKind::Registry(vec![change(number, json!({"put_device": doc}))?])
        } else if line.eat("save setpoint") {
            let saved = setpoint(line)?;
            self.settings_with(number, saved, |farm| &mut farm.setpoints)?
        } else if line.eat("save group") {
            let saved = self.places.group(line)?;
            self.settings_with(number, saved, |farm| &mut farm.groups)?
        } else if line.eat("delete device") {
            let id = line.word("a device")?;
            InputKind::Registry(vec![change(number, json!({"delete_device": id}))?])
        } else {
            return Ok(None);
        };
        Ok(Some(kind))
    }

    /// The settings with something saved in one of their lists, in place of what had its id.
    fn settings_with(
        &mut self,
        number: usize,
        saved: Value,
        list: impl FnOnce(&mut FarmParts) -> &mut Vec<Value>,
    ) -> Read<InputKind> {
        self.settings_at_first
            .get_or_insert_with(|| self.farm.settings());
        let list = list(&mut self.farm);
        list.retain(|s| s["id"] != saved["id"]);
        list.push(saved);
        let settings = self.farm.settings();
        let settings = change(number, json!({"settings": settings}))?;
        Ok(InputKind::Registry(vec![settings]))
    }

    /// An alert; when it was last told counts from the story's beginning.
    pub(super) fn alert(&self, line: &mut Line) -> Read<Value> {
        let mut doc = self.places.alert(line)?;
        if let Some(ms) = doc["lastTriggered"].as_i64() {
            doc["lastTriggered"] = json!(self.calendar.origin + ms);
        }
        Ok(doc)
    }

    /// `t1 36.0, t2 35`, `t1 nothing`, `t1 garbage`, `t1 36.0 stamped 09:50`
    fn readings(&mut self, line: &mut Line, instants: &[Instant]) -> Read<()> {
        loop {
            let sensor = line.word("a sensor")?;
            self.known_sensor(line, &sensor)?;
            let value = match line.peek() {
                Some("nothing") => Measured::Null,
                Some("garbage") => Measured::NotFinite,
                _ => Measured::exact(Quantity::from_micro(line.micro()?)),
            };
            if !matches!(value, Measured::Value(_)) {
                line.word("")?;
            }
            let stamped = if line.eat("stamped") {
                Some(line.instant()?)
            } else {
                None
            };
            for at in instants {
                let kind = InputKind::Reading {
                    sensor: sensor.as_str().into(),
                    value,
                };
                let input = input(stamped.unwrap_or(*at), kind);
                self.step(line, *at, What::Input(input));
            }
            if !line.eat(",") {
                return Ok(());
            }
        }
    }

    /// A name that is no sensor of the farm is most likely a slip; `unregistered-...` is on purpose.
    fn known_sensor(&self, line: &Line, sensor: &str) -> Read<()> {
        let registered = self.farm.sensors.iter().any(|s| s["id"] == sensor);
        let saved = self.steps.iter().any(|s| match &s.what {
            What::Input(i) => match &i.kind {
                InputKind::Registry(changes) => changes
                    .iter()
                    .any(|c| matches!(c, RegistryChange::PutSensor(s) if s.id.as_str() == sensor)),
                _ => false,
            },
            _ => false,
        });
        if registered || saved || sensor.starts_with("unregistered") {
            Ok(())
        } else {
            line.wrong(format!("there is no sensor {sensor:?}"))
        }
    }

    /// `from 00:00 to 04:30 every 30s t1 ramp 30 -> 36`, `from 05:00 to 10:00 t1 silent`
    fn series(&mut self, line: &mut Line) -> Read<()> {
        let from = line.instant()?;
        line.need("to")?;
        let to = line.instant()?;
        if line.peek_second() == Some("silent") {
            let sensor = line.word("a sensor")?;
            self.known_sensor(line, &sensor)?;
            line.need("silent")?;
            self.silences.push((line.number, sensor, from, to));
            self.last = to;
            return Ok(());
        }
        for (at, kind) in series::values(line, from, to, |line, sensor| {
            self.known_sensor(line, sensor)
        })? {
            self.input(line, at, kind);
        }
        self.last = to;
        Ok(())
    }

    /// `backlog at 2:00:00 of 00:00 to 1:59:00 every 60s t1 36`
    fn backlog(&mut self, line: &mut Line) -> Read<()> {
        line.need("at")?;
        let arrival = line.instant()?;
        line.need("of")?;
        let from = line.instant()?;
        line.need("to")?;
        let to = line.instant()?;
        for (at, kind) in series::values(line, from, to, |line, sensor| {
            self.known_sensor(line, sensor)
        })? {
            self.step(line, arrival, What::Input(input(at, kind)));
        }
        self.last = arrival;
        Ok(())
    }

    /// `power cut at 03:20 back at 04:20`
    fn power_cut(&mut self, line: &mut Line) -> Read<()> {
        line.need("cut at")?;
        let at = line.instant()?;
        line.need("back at")?;
        let back = line.instant()?;
        if back < at {
            return line.wrong("it is back before it went");
        }
        self.step(line, at, What::PowerCut { back });
        self.last = back;
        Ok(())
    }
}

fn input(at: Instant, kind: InputKind) -> Input {
    Input {
        at: Timestamp::from_millis(at.0),
        kind,
    }
}

fn change(line: usize, value: Value) -> Read<RegistryChange> {
    serde_json::from_value(value).map_err(|e| Wrong {
        line,
        what: e.to_string(),
    })
}
