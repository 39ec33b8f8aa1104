//! What is expected, read into events that must come and looks at how things stand.

use serde_json::Value;

use crate::farm::order;
use crate::story::{Expected, Reader, What};
use crate::words::{Instant, Line, Read, decimal};

/// What is looked at, and what is to be seen.
pub(crate) enum Look {
    Rule {
        rule: String,
        phase: String,
    },
    Alert {
        alert: String,
        stands: String,
    },
    Device {
        device: String,
        wants: String,
        by: String,
    },
    Locks {
        device: String,
        locks: String,
    },
    Signal {
        scope: Value,
        sensor_type: String,
        mean: String,
    },
}

pub(crate) const EVENTS: [&str; 16] = [
    "rule_fired",
    "rule_blocked",
    "rule_stopped",
    "start_skipped",
    "action_missed",
    "command",
    "command_suppressed",
    "command_refused",
    "command_held",
    "limit_reached",
    "manual_ended",
    "device_locked",
    "alert_raised",
    "alert_notified",
    "alert_resolved",
    "sensor_expired",
];

impl Reader {
    /// `expect rule_fired cool, command fan-1 on cause cool`
    pub(crate) fn expect(&mut self, line: &mut Line, at: Instant) -> Read<()> {
        // Whatever is due by then has happened.
        self.step(line, at, What::Until);
        loop {
            match line.peek() {
                Some("rule") => {
                    line.need("rule")?;
                    let rule = line.word("a rule")?;
                    let phase = line.word("idle, pending or running")?;
                    self.step(line, at, What::Look(Look::Rule { rule, phase }));
                }
                Some("alert") => {
                    line.need("alert")?;
                    let alert = line.word("an alert")?;
                    let stands = if line.eat("unknown since") {
                        format!("unknown since {}", line.instant()?)
                    } else if line.eat("active") {
                        "active".to_owned()
                    } else {
                        line.need("quiet")?;
                        "quiet".to_owned()
                    };
                    self.step(line, at, What::Look(Look::Alert { alert, stands }));
                }
                Some("device") => {
                    line.need("device")?;
                    let device = line.word("a device")?;
                    let look = if line.eat("not locked") {
                        let locks = String::new();
                        Look::Locks { device, locks }
                    } else if line.eat("locked by") {
                        let locks = line.until_comma();
                        Look::Locks { device, locks }
                    } else {
                        line.need("wants")?;
                        let wants = order_text(&order(line)?);
                        line.need("for")?;
                        let by = line.word("a rule or rest")?;
                        Look::Device { device, wants, by }
                    };
                    self.step(line, at, What::Look(look));
                }
                Some("signal") => {
                    line.need("signal")?;
                    let sensor_type = line.word("a sensor type")?;
                    line.need("in")?;
                    let scope = self.places.place(line)?;
                    let mean = line.word("a mean or unknown")?;
                    self.step(
                        line,
                        at,
                        What::Look(Look::Signal {
                            scope,
                            sensor_type,
                            mean,
                        }),
                    );
                }
                Some(kind) if EVENTS.contains(&kind) => {
                    if self.ignored.iter().any(|k| k == kind) {
                        return line.wrong(format!("{kind} is ignored in this file"));
                    }
                    let event = if line.eat("start_skipped") {
                        skipped(line, at)?
                    } else {
                        line.until_comma()
                    };
                    let line = line.number;
                    self.expected.push(Expected { line, at, event });
                }
                Some(other) => {
                    return line.wrong(format!("{other:?} is nothing that can be expected"));
                }
                None => return line.wrong("the line ends where an event is expected"),
            }
            if !line.eat(",") {
                return Ok(());
            }
        }
    }
}

/// `drip because running`, `drip of 6:00:00 because missed count 3`; the start is the instant itself if not given.
fn skipped(line: &mut Line, at: Instant) -> Read<String> {
    let rule = line.word("a rule")?;
    let start = if line.eat("of") { line.instant()? } else { at };
    Ok(format!(
        "start_skipped {rule} of {start} {}",
        line.until_comma()
    ))
}

/// An order as the scenarios write it.
fn order_text(order: &Value) -> String {
    let value = order["value"].as_number().map(ToString::to_string);
    match (order["action"].as_str().unwrap_or(""), value) {
        (action @ ("on" | "off" | "release"), _) => action.to_owned(),
        ("pulse", Some(value)) => format!("pulse {value}s"),
        (action, value) => format!(
            "{} {}",
            match action {
                "set_speed" => "speed",
                "set_position" => "position",
                _ => "flow",
            },
            value
                .as_deref()
                .and_then(crate::words::parse_micro)
                .map_or_else(String::new, decimal)
        ),
    }
}
