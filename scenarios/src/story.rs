//! A scenario's text, read into a farm, steps in the order in which they happen, and what is expected.

use harit_engine::{
    AlertSpec, FarmDocument, Input, InputKind, Measured, Problems, Quantity, RegistryChange,
    RuleSpec, Timestamp,
};
use serde_json::{Value, json};

use crate::acts;
use crate::calendar::Calendar;
use crate::expect::{EVENTS, Look};
use crate::farm::Places;
use crate::series;
use crate::setpoint::setpoint;
use crate::words::{Instant, Line, Read, Wrong};

/// A scenario.
pub struct Story {
    /// The farm as it is at its beginning.
    pub farm: FarmDocument,
    /// When it begins, in milliseconds since the epoch.
    pub(crate) origin: i64,
    pub(crate) ignored: Vec<String>,
    /// In the order in which they happen.
    pub(crate) steps: Vec<Step>,
    /// In the order in which they are to come.
    pub expected: Vec<Expected>,
    pub(crate) quiet: Vec<Quiet>,
}

/// Something that happens, or is looked at.
pub(crate) struct Step {
    pub(crate) line: usize,
    pub(crate) at: Instant,
    pub(crate) what: What,
}

pub(crate) enum What {
    Input(Input),
    /// An input that must be refused as malformed.
    Rejected(Input),
    /// A rule is set to auto or disabled, as it is stored.
    Mode {
        rule: String,
        auto: bool,
    },
    /// The process is killed, and comes back later.
    PowerCut {
        back: Instant,
    },
    /// Time passes.
    Until,
    Look(Look),
}

/// An event that must come.
pub struct Expected {
    /// The line that says so.
    pub line: usize,
    /// When.
    pub at: Instant,
    /// What, as the stories write it.
    pub event: String,
}

/// A time in which no event may come, not even an expected one.
pub(crate) struct Quiet {
    pub(crate) line: usize,
    pub(crate) from: Instant,
    pub(crate) to: Instant,
}

#[derive(Default)]
pub(crate) struct Reader {
    pub(crate) places: Places,
    calendar: Calendar,
    farm: FarmParts,
    /// The settings of the beginning, once others are saved.
    settings_at_first: Option<Value>,
    pub(crate) ignored: Vec<String>,
    steps: Vec<Step>,
    pub(crate) expected: Vec<Expected>,
    quiet: Vec<Quiet>,
    /// The instant of the line before.
    last: Instant,
    silences: Vec<(usize, String, Instant, Instant)>,
}

#[derive(Default)]
struct FarmParts {
    min_samples: Option<i64>,
    polyhouses: Vec<Value>,
    sensors: Vec<Value>,
    devices: Vec<Value>,
    /// As they were saved last.
    groups: Vec<Value>,
    /// As they were saved last.
    setpoints: Vec<Value>,
    rules: Vec<Value>,
    alerts: Vec<Value>,
}

impl FarmParts {
    /// The farm's settings as they are at this line.
    fn settings(&self) -> Value {
        let mut settings = json!({});
        if let Some(n) = self.min_samples {
            settings["min_samples"] = json!(n);
        }
        if !self.groups.is_empty() {
            settings["groups"] = json!(self.groups);
        }
        if !self.setpoints.is_empty() {
            settings["setpoints"] = json!(self.setpoints);
        }
        settings
    }
}

/// Reads a scenario.
///
/// # Errors
/// At the first line that cannot be understood.
pub fn read(text: &str) -> Result<Story, Wrong> {
    let mut reader = Reader::default();
    let mut number_of_farm_line = 1;
    for (ix, text) in text.lines().enumerate() {
        if let Some(mut line) = Line::new(ix + 1, text) {
            if reader.line(&mut line)? {
                number_of_farm_line = line.number;
            }
            line.end()?;
        }
    }
    reader.finish(number_of_farm_line)
}

impl Reader {
    /// Reads a line; tells whether it describes the farm.
    fn line(&mut self, line: &mut Line) -> Read<bool> {
        match line.word("a statement")?.as_str() {
            "begins" if self.farm.devices.is_empty() && self.farm.alerts.is_empty() => {
                self.calendar.begins(line)?;
            }
            "begins" => return line.wrong("when it begins is the first line"),
            "min_samples" => self.farm.min_samples = Some(line.micro()? / 1_000_000),
            "polyhouse" => self.farm.polyhouses.push(self.places.polyhouse(line)?),
            "sensor" => self.farm.sensors.push(self.places.sensor(line)?),
            "device" => self.farm.devices.push(self.places.device(line)?),
            "group" => self.farm.groups.push(self.places.group(line)?),
            "setpoint" => self.farm.setpoints.push(setpoint(line)?),
            "rule" => self.farm.rules.push(self.places.rule(line)?),
            "alert" => {
                let alert = self.alert(line)?;
                self.farm.alerts.push(alert);
            }
            other => {
                self.timeline(other, line)?;
                return Ok(false);
            }
        }
        if self.steps.is_empty() {
            Ok(true)
        } else {
            line.wrong("the farm is described before anything happens; use `at TIME save ...`")
        }
    }

    fn timeline(&mut self, statement: &str, line: &mut Line) -> Read<()> {
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

    pub(crate) fn step(&mut self, line: &Line, at: Instant, what: What) {
        self.steps.push(Step {
            line: line.number,
            at,
            what,
        });
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
            self.settings_at_first
                .get_or_insert_with(|| self.farm.settings());
            self.farm.setpoints.retain(|s| s["id"] != saved["id"]);
            self.farm.setpoints.push(saved);
            let settings = self.farm.settings();
            InputKind::Registry(vec![change(number, json!({"settings": settings}))?])
        } else if line.eat("save group") {
            let saved = self.places.group(line)?;
            self.settings_at_first
                .get_or_insert_with(|| self.farm.settings());
            self.farm.groups.retain(|g| g["id"] != saved["id"]);
            self.farm.groups.push(saved);
            let settings = self.farm.settings();
            InputKind::Registry(vec![change(number, json!({"settings": settings}))?])
        } else if line.eat("delete device") {
            let id = line.word("a device")?;
            InputKind::Registry(vec![change(number, json!({"delete_device": id}))?])
        } else {
            return Ok(None);
        };
        Ok(Some(kind))
    }

    /// An alert; when it was last told counts from the story's beginning.
    fn alert(&self, line: &mut Line) -> Read<Value> {
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

    fn finish(mut self, farm_line: usize) -> Read<Story> {
        let settings = self.settings_at_first.take();
        let settings = settings.unwrap_or_else(|| self.farm.settings());
        let document = json!({
            "farm": {"id": "f1", "name": "Farm", "settings": settings},
            "polyhouses": self.farm.polyhouses, "sensors": self.farm.sensors,
            "devices": self.farm.devices, "rules": self.farm.rules, "alerts": self.farm.alerts,
        });
        let farm = FarmDocument::from_json(&document).map_err(|problems| Wrong {
            line: farm_line,
            what: format!("the farm: {problems}"),
        })?;
        if self.steps.is_empty() {
            return Err(Wrong {
                line: farm_line,
                what: "nothing happens".to_owned(),
            });
        }
        self.steps.sort_by_key(|s| s.at);
        self.expected.sort_by_key(|e| e.at);
        self.check_silences()?;
        self.check_power_cuts()?;
        Ok(Story {
            farm,
            origin: self.calendar.origin,
            ignored: self.ignored,
            steps: self.steps,
            expected: self.expected,
            quiet: self.quiet,
        })
    }

    /// What is said to be silent must be, up to the end of the time, which is not counted.
    fn check_silences(&self) -> Read<()> {
        for (line, sensor, from, to) in &self.silences {
            let speaks = self.steps.iter().find(|s| {
                let What::Input(input) = &s.what else {
                    return false;
                };
                let InputKind::Reading { sensor: id, .. } = &input.kind else {
                    return false;
                };
                id.as_str() == sensor && s.at > *from && s.at < *to
            });
            if let Some(step) = speaks {
                return Err(Wrong {
                    line: *line,
                    what: format!("{sensor} speaks at {} in line {}", step.at, step.line),
                });
            }
        }
        Ok(())
    }

    /// Nothing reaches a farm's engine while it is down.
    fn check_power_cuts(&self) -> Read<()> {
        for cut in &self.steps {
            let What::PowerCut { back } = cut.what else {
                continue;
            };
            if let Some(step) = self.steps.iter().find(|s| s.at > cut.at && s.at < back) {
                return Err(Wrong {
                    line: step.line,
                    what: format!("the power is cut at {} (line {})", step.at, cut.line),
                });
            }
        }
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
