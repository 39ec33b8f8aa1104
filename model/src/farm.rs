//! A farm with its controllers: what they say becomes inputs of the model, and its commands reach them.
//!
//! It is written from section 12 of the page on semantics, in the way of [`Model`]: documents stay the JSON that they
//! are, own ids are looked for among all of them, every deadline is found by going through everything that has one.

mod astray;
mod delivery;
mod registry;
mod report;
mod telemetry;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::document::{Malformed, list, malformed, micros, text};
use crate::state::Model;
use astray::Astray;
use delivery::{Life, Order};
use registry::mac_of;

/// How long a device must do what is meant, or not do it, so that it counts.
const STEADY_MS: i64 = 30_000;

/// What is known of a controller beside what is registered.
#[derive(Debug, Clone, Default, PartialEq)]
struct Controller {
    /// The scope of what it registers; none is the farm.
    scope: Option<Value>,
    /// Whether its last report said so.
    online: bool,
    /// The own ids of sensors that it no longer announces.
    gone: BTreeSet<String>,
    /// Numbers and checksums of its messages, oldest first.
    messages: Vec<(u64, u64)>,
}

/// What is remembered of a controller's device, by its id in the farm.
#[derive(Debug, Clone, Default, PartialEq)]
struct Remembered {
    gone: bool,
    /// Whether it is on by the last report.
    running: Option<bool>,
    /// What it was last reported to do.
    does: Option<Does>,
    /// Since when it reports that it is on, or that it is not.
    since: i64,
    /// Whether its panel locks it.
    lock: bool,
    /// Whether its panel holds it in its safe setting.
    safety: bool,
    astray: Option<Astray>,
    /// When it was told again and that counted, oldest first.
    tellings: Vec<i64>,
}

/// What a device is reported to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Does {
    on: bool,
    /// In millionths.
    value: Option<i64>,
    /// Whether it is on because its lease ran out.
    by_lease_end: bool,
}

impl Does {
    /// What an entry of a report says, where it says whether the device is on.
    fn of(said: &Value) -> Option<Self> {
        let on = said["on"].as_bool()?;
        Some(Self {
            on,
            value: micros(&said["value"]),
            by_lease_end: on && said["lease_over"] == true,
        })
    }

    fn is_meant(self, on: bool) -> bool {
        self.on == on && !self.by_lease_end
    }
}

/// The model of one farm and its controllers.
#[derive(Debug, Clone)]
pub struct Farm {
    pub(crate) model: Model,
    /// The documents as they were last registered, by id.
    pub(crate) sensors: BTreeMap<String, Value>,
    pub(crate) devices: BTreeMap<String, Value>,
    controllers: BTreeMap<String, Controller>,
    remembered: BTreeMap<String, Remembered>,
    /// When it is looked at whether a device does what was sent to it.
    looks: BTreeMap<String, i64>,
    /// The command of each device that counts.
    lives: BTreeMap<String, Life>,
    /// The number of the latest command.
    latest: u64,
    /// The present input's instant.
    at: i64,
    out: Vec<Value>,
}

impl Farm {
    /// A farm from its document. Sensors and devices with a `controller` are that controller's.
    ///
    /// # Errors
    ///
    /// When the document makes no sense.
    pub fn new(doc: &Value) -> Result<Self, Malformed> {
        Ok(Self {
            model: Model::new(doc)?,
            sensors: documents(doc, "sensors")?,
            devices: documents(doc, "devices")?,
            controllers: BTreeMap::new(),
            remembered: BTreeMap::new(),
            looks: BTreeMap::new(),
            lives: BTreeMap::new(),
            latest: 0,
            at: 0,
            out: Vec::new(),
        })
    }

    /// Applies a line and returns events and effects, in order.
    ///
    /// # Errors
    ///
    /// When the line is malformed; nothing has changed then.
    pub fn apply(&mut self, line: &Value) -> Result<Vec<Value>, String> {
        let before = self.clone();
        let Some(at) = line["at"].as_i64() else {
            return Err("no time".into());
        };
        self.at = at;
        match self.apply_line(line) {
            Ok(()) => Ok(std::mem::take(&mut self.out)),
            Err(Malformed(why)) => {
                *self = before;
                Err(why)
            }
        }
    }

    fn apply_line(&mut self, line: &Value) -> Result<(), Malformed> {
        match text(line, "input")? {
            "controller" => {
                let scope = Some(line["scope"].clone()).filter(|s| !s.is_null());
                self.controller(mac(line)?).scope = scope;
            }
            "telemetry" => self.telemetry(mac(line)?, line),
            "report" => self.report(mac(line)?, &line["report"])?,
            "gone" => self.gone(mac(line)?),
            "ack" => self.ack(mac(line)?, number(&line["command"])?, text(line, "status")?),
            "unsent" => {
                let numbers = list(line, "commands").iter().map(number);
                self.unsent(&numbers.collect::<Result<Vec<_>, _>>()?);
            }
            "way_out" => self.way_out(),
            "tick" => {
                self.input(line)?;
                self.remedy_what_is_due();
                self.deliver_what_is_due();
            }
            "resumed" => {
                self.look_at_all_again();
                self.input(line)?;
            }
            _ => {
                self.input(line)?;
                let is_put = line["input"] == "rule" || line["input"] == "alert";
                if is_put && line["delete"].is_null() || line["input"] == "registry" {
                    self.tell_rules_what_runs();
                }
            }
        }
        Ok(())
    }

    /// The instant before which no tick does anything: the earliest deadline of the engine or the controllers. One in the
    /// past is due at the next tick.
    #[must_use]
    pub fn next_deadline(&self) -> Option<i64> {
        let engine = self.model.next_deadline();
        engine.into_iter().chain(self.controllers_deadline()).min()
    }

    /// The earliest deadline of section 12.
    #[must_use]
    pub fn controllers_deadline(&self) -> Option<i64> {
        let astray = self.devices.keys().filter_map(|id| self.astray_until(id));
        let looks = self.looks.values().copied();
        astray
            .chain(looks)
            .chain(self.delivery_deadlines().map(|d| d.at))
            .min()
    }

    fn controller(&mut self, mac: &str) -> &mut Controller {
        self.controllers.entry(mac.to_owned()).or_default()
    }

    fn is_online(&self, mac: &str) -> bool {
        self.controllers.get(mac).is_some_and(|c| c.online)
    }

    fn remembered(&mut self, device: &str) -> &mut Remembered {
        self.remembered.entry(device.to_owned()).or_default()
    }

    /// Adds an effect at the input's instant.
    fn tell(&mut self, effect: &str, fields: &Value) {
        let mut line = json!({"at": self.at, "effect": effect});
        if let (Some(line), Some(fields)) = (line.as_object_mut(), fields.as_object()) {
            line.extend(fields.clone());
        }
        self.out.push(line);
    }

    fn refuse(&mut self, reject: &str) {
        self.tell("refused", &json!({"reject": reject}));
    }

    /// Has the engine apply an input; then the commands in it go to delivery.
    fn input(&mut self, line: &Value) -> Result<(), Malformed> {
        let events = self.model.apply(line)?;
        if line["input"] == "registry" {
            for change in list(line, "changes") {
                self.follow(change);
            }
        }
        self.out.extend(events.iter().cloned());
        for event in events.iter().filter(|e| e["event"] == "command") {
            let (device, order) = (text(event, "device")?, Order::of(event));
            if let (Order::Set(_), Some(at)) = (&order, event["at"].as_i64()) {
                self.looks.insert(device.to_owned(), at + STEADY_MS);
            }
            let number = command_number(text(event, "command_id")?)?;
            self.decided(device, number, order, text(event, "cause")?);
        }
        for change in list(line, "changes") {
            if let Some(device) = change["delete_device"].as_str() {
                self.forget(device);
            }
            // One that comes to another controller, or to none, is not told by the old one any more.
            let put = change["put_device"]["id"].as_str().unwrap_or("");
            let now = self.devices.get(put).and_then(mac_of);
            if self.sent_to(put).is_some_and(|mac| Some(mac) != now) {
                self.forget(put);
            }
        }
        Ok(())
    }

    /// Applies an input that is well formed because it was made here.
    fn own_input(&mut self, line: &Value) {
        let done = self.input(line);
        debug_assert!(done.is_ok(), "{line}: {done:?}");
    }
}

/// Documents by their ids.
fn documents(doc: &Value, field: &str) -> Result<BTreeMap<String, Value>, Malformed> {
    let with_id = |doc: &Value| Ok((text(doc, "id")?.to_owned(), doc.clone()));
    list(doc, field).iter().map(with_id).collect()
}

fn mac(line: &Value) -> Result<&str, Malformed> {
    let mac = text(line, "mac")?;
    match mac.len() == 12 && mac.bytes().all(|b| matches!(b, b'0'..=b'9' | b'A'..=b'F')) {
        true => Ok(mac),
        false => malformed(format!("{mac} is no MAC")),
    }
}

fn number(value: &Value) -> Result<u64, Malformed> {
    match value.as_u64() {
        Some(n) => Ok(n),
        None => malformed(format!("{value} is no number of a command")),
    }
}

/// The number at the end of a command's id.
fn command_number(id: &str) -> Result<u64, Malformed> {
    let number = id.rsplit_once('-').and_then(|(_, n)| n.parse().ok());
    number.ok_or_else(|| Malformed(format!("{id} is no command id")))
}
