//! Input files: what a farm was told, one JSON object a line. What `harit replay` reads and `harit journal export` writes.
//!
//! `{"at":ms,"input":KIND,...}`. Inputs of the engine are of the kinds reading, tick, resumed, manual, stop, correct, device,
//! rule, alert and registry; what controllers say and what becomes of messages to them is of controller, telemetry, report,
//! gone, ack, unsent and way_out. Unknown fields are ignored, null is the same as absent except where null says something (a
//! value, a lock).

mod controllers;
mod engine;
mod error;
mod fields;
mod values;
mod write;

#[cfg(test)]
mod tests;

use harit_engine::{Input, InputKind, ScopeSpec, Timestamp};

use crate::{CommandAck, Item, Mac, MessageNumber, Report};

pub use error::LineError;
use fields::Fields;
pub use values::measured_text;

/// What stands at `input`.
const KINDS: &str = "reading, tick, resumed, manual, stop, correct, device, rule, alert, registry, controller, telemetry, report, gone, ack, unsent, way_out";

/// A line: what a farm was told, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Line<'a> {
    /// The instant; of a reading when its value was true.
    pub at: Timestamp,
    /// What it was told.
    pub kind: LineKind<'a>,
}

/// What a farm was told. docs/semantics.md, section 12, says what each does.
#[derive(Debug, Clone, PartialEq)]
pub enum LineKind<'a> {
    /// An input of the engine.
    Input(InputKind),
    /// A controller is the farm's and stands there.
    Controller {
        /// The controller.
        mac: Mac,
        /// Where it stands.
        scope: ScopeSpec,
    },
    /// A message with values of a controller's sensors.
    Telemetry {
        /// The controller.
        mac: Mac,
        /// When the values were true.
        ts: Timestamp,
        /// Whether that is so long ago that they are for the history only.
        backlog: bool,
        /// By what a repetition of the message is known.
        number: Option<MessageNumber>,
        /// An entry for each value, at most [`crate::MAX_SENSORS`].
        sensors: Vec<Item<'a>>,
    },
    /// A controller said what it is and has.
    Report {
        /// The controller.
        mac: Mac,
        /// What it said.
        report: Report,
    },
    /// The last connection of a controller is lost.
    Gone {
        /// The controller.
        mac: Mac,
    },
    /// A controller answered a command.
    Ack {
        /// The controller.
        mac: Mac,
        /// Its answer.
        ack: CommandAck,
    },
    /// The latest attempts to publish these commands failed.
    Unsent {
        /// Their numbers.
        commands: Vec<u64>,
    },
    /// Messages can be published again.
    WayOut,
}

impl<'a> Line<'a> {
    /// Reads a line.
    ///
    /// # Errors
    /// When it is none; the message names what is wrong.
    ///
    /// ```
    /// use harit_protocol::jsonl::{Line, LineKind};
    /// let line = Line::parse(r#"{"at": 5, "input": "gone", "mac": "A4CF120B9E01"}"#)?;
    /// assert_eq!(line.kind, LineKind::Gone { mac: "A4CF120B9E01".parse()? });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(text: &'a str) -> Result<Self, LineError> {
        let fields = Fields::read(text)?;
        let at = Timestamp::from_millis(fields.at);
        let kind = match engine::read(&fields)? {
            Some(kind) => Some(LineKind::Input(kind)),
            None => controllers::read(&fields)?,
        };
        let kind = kind.ok_or_else(|| LineError::Word {
            field: "input",
            found: fields.input.into_owned(),
            expected: KINDS,
        })?;
        Ok(Self { at, kind })
    }

    /// Appends the line, with its line end.
    ///
    /// # Errors
    /// Only when a label in a document cannot be written as JSON.
    pub fn write(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        write::write(self, out)
    }
}

/// Reads a line that is an input of the engine.
///
/// # Errors
/// When it is not; the message names what is wrong.
///
/// ```
/// use harit_engine::{InputKind, Measured};
/// let input = harit_protocol::jsonl::parse(r#"{"at": 5, "input": "reading", "sensor": "t1", "value": 27.4}"#)?;
/// assert_eq!(input.kind, InputKind::Reading { sensor: "t1".into(), value: Measured::parse("27.4") });
/// # Ok::<(), harit_protocol::jsonl::LineError>(())
/// ```
pub fn parse(line: &str) -> Result<Input, LineError> {
    let Line { at, kind } = Line::parse(line)?;
    match kind {
        LineKind::Input(kind) => Ok(Input { at, kind }),
        _ => Err(LineError::NotOfEngine),
    }
}

/// Appends an input of the engine as one line, with its line end.
///
/// # Errors
/// Only when a label in a document cannot be written as JSON.
pub fn write(input: &Input, out: &mut Vec<u8>) -> serde_json::Result<()> {
    engine::write(input.at, &input.kind, out)
}
