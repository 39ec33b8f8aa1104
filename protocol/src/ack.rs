//! Answers of controllers to orders.

use serde::{Deserialize, Serialize};

use crate::Reject;
use crate::words::{check_depth, short};

/// What a controller answers to an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ack {
    /// Which order.
    pub command_id: String,
    /// Accepted or not.
    pub status: AckStatus,
    /// Why not, or whatever else the controller says.
    pub message: Option<String>,
}

/// Accepted or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AckStatus {
    /// It has the order and does it.
    Ack,
    /// It refuses it.
    Failure,
}

impl Ack {
    /// Reads an ack.
    ///
    /// # Errors
    /// When it is not the JSON that the protocol asks for, or too deep.
    pub fn read(payload: &[u8]) -> Result<Self, Reject> {
        #[derive(Deserialize)]
        struct AckWire {
            command_id: String,
            status: AckStatus,
            #[serde(default)]
            message: Option<String>,
        }
        check_depth(payload, b'{')?;
        let wire: AckWire = serde_json::from_slice(payload).map_err(|_| Reject::Malformed)?;
        Ok(Self {
            command_id: wire.command_id,
            status: wire.status,
            message: wire.message.map(short),
        })
    }
}

/// A controller's answer to one of the farm's commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandAck {
    /// The number of the command.
    pub command: u64,
    /// What became of it.
    pub status: AckStatus,
    /// What the controller says of it.
    pub message: Option<String>,
}

impl CommandAck {
    /// The ack of a command of that farm; none where the id is not one of it.
    #[must_use]
    pub fn of(farm: &str, ack: Ack) -> Option<Self> {
        let rest = ack.command_id.strip_prefix(farm)?.strip_prefix('-')?;
        let command = rest.parse().ok()?;
        Some(Self {
            command,
            status: ack.status,
            message: ack.message,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acks() {
        let ack = Ack::read(
            br#"{"command_id":"f-1","status":"failure","message":"no[[[[[[[[[ \" water"}"#,
        )
        .unwrap();
        assert_eq!(
            (ack.command_id.as_str(), ack.status),
            ("f-1", AckStatus::Failure)
        );
        assert_eq!(ack.message.as_deref(), Some("no[[[[[[[[[ \" water"));
    }

    #[test]
    fn what_is_no_ack() {
        for text in [
            r#"{"command_id":"f-1","status":"done"}"#,
            r#"{"status":"ack"}"#,
            "[]",
            "",
        ] {
            assert_eq!(Ack::read(text.as_bytes()), Err(Reject::Malformed), "{text}");
        }
    }
}
