//! A scenario's text, read into a farm, steps in the order in which they happen, and what is expected.

mod timeline;

use harit_engine::{FarmDocument, Input, InputKind};
use serde_json::{Value, json};

use crate::calendar::Calendar;
use crate::expect::Look;
use crate::farm::Places;
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

    pub(crate) fn step(&mut self, line: &Line, at: Instant, what: What) {
        self.steps.push(Step {
            line: line.number,
            at,
            what,
        });
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
