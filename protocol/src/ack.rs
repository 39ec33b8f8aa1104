//! Answers of controllers to orders.

use serde::Deserialize;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
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
