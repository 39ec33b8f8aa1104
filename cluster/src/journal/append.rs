//! How a batch is appended, and what is known of it when the server does not say: it is there where its id is known, or where the
//! last message is what was to be stored.

use std::time::{Duration, Instant};

use async_nats::jetstream::ErrorCode;
use bytes::Bytes;
use harit_journal::WriteError;

use super::JetStreamJournal;
use crate::message;
use crate::nats::{ACK, Failure, within};
use crate::read::{self, Bounds};

/// How much room is kept back for stops in a full stream: for some hundred of them.
pub(super) const RESERVE_BYTES: u64 = 2 << 20;
/// So old is what is known of the stream's room at most.
const LOOK: Duration = Duration::from_secs(1);
/// What a message takes beside its payload: headers, and what the server writes around it.
pub(super) const AROUND: u64 = 200;

/// What became of an append.
pub(super) enum Sent {
    Stored(u64),
    /// The stream ends elsewhere.
    Elsewhere,
    Refused(WriteError),
    /// It was not sent, or nobody knows.
    Kept(String),
    Unknown(String),
}

impl JetStreamJournal {
    /// What the server says of the stream now.
    pub(super) fn bounds(&self) -> Result<Bounds, Failure> {
        self.nats.wait(Bounds::of(&self.stream))
    }

    pub(super) fn look(&mut self) -> Result<(), WriteError> {
        let bounds = self.bounds();
        self.room = bounds.map_err(|e| self.unavailable(&e.to_string()))?;
        self.looked = Instant::now();
        Ok(())
    }

    pub(super) fn unavailable(&self, why: &str) -> WriteError {
        WriteError::Unavailable(format!("journal {}: {why}", self.name))
    }

    /// Refuses what would take the room that is kept back.
    pub(super) fn check_room(&mut self, bytes: u64) -> Result<(), WriteError> {
        if self.looked.elapsed() >= LOOK {
            self.look()?;
        }
        if self.reserved && !self.has_room(bytes + RESERVE_BYTES) {
            return Err(self.full("the rest is kept back for stops"));
        }
        Ok(())
    }

    pub(super) fn has_room(&self, bytes: u64) -> bool {
        self.room.max_bytes == 0 || self.room.bytes.saturating_add(bytes) <= self.room.max_bytes
    }

    pub(super) fn full(&self, why: &str) -> WriteError {
        let Bounds {
            bytes, max_bytes, ..
        } = self.room;
        WriteError::Full(format!(
            "stream {} is full: {bytes} of {max_bytes} bytes; {why}",
            self.name
        ))
    }

    /// Sends an append, and waits for what becomes of it.
    pub(super) fn send(&self, after: u64, message: Bytes) -> Sent {
        let sent = self.nats.wait(async {
            if !self.nats.is_connected_within(ACK).await {
                return Err(Sent::Kept("NATS is not connected".to_owned()));
            }
            let message = message::append(after, self.writer, message);
            let jetstream = self.nats.jetstream();
            let published = async {
                let ack =
                    within(ACK, jetstream.send_publish(self.subject.clone(), message)).await?;
                within(ACK, ack).await
            };
            match self.nats.unless_lost(published).await {
                Some(Ok(ack)) => Ok(ack),
                Some(Err(e)) => Err(match e.code {
                    Some(code) => self.refused(code, &e),
                    None => Sent::Unknown(e.to_string()),
                }),
                None => Err(Sent::Unknown("the connection to NATS was lost".to_owned())),
            }
        });
        match sent {
            Ok(ack) => Sent::Stored(ack.sequence),
            Err(sent) => sent,
        }
    }

    /// What the server's answer means.
    fn refused(&self, code: ErrorCode, e: &Failure) -> Sent {
        let text = e.to_string();
        match code {
            ErrorCode::STREAM_WRONG_LAST_SEQUENCE => Sent::Elsewhere,
            ErrorCode::STREAM_MESSAGE_EXCEEDS_MAXIMUM => Sent::Refused(WriteError::Broken(text)),
            ErrorCode::ACCOUNT_RESOURCES_EXCEEDED
            | ErrorCode::INSUFFICIENT_RESOURCES
            | ErrorCode::STORAGE_RESOURCES_EXCEEDED => Sent::Refused(self.full(&text)),
            // One code for whatever its store refuses.
            ErrorCode::STREAM_STORE_FAILED if text.contains("maximum bytes exceeded") => {
                Sent::Refused(self.full(&text))
            }
            _ => Sent::Unknown(text),
        }
    }

    /// How an append ends that is not at the end: well where it is there as the last one.
    pub(super) fn elsewhere(
        &mut self,
        after: u64,
        is_that: impl Fn(&[u8]) -> bool,
    ) -> Result<u64, WriteError> {
        let found = self.nats.wait(async {
            let last = Bounds::of(&self.stream).await?.last;
            let newest = read::message(&self.stream, last).await?;
            Ok::<_, Failure>((last, newest))
        });
        let (last, newest) = found.map_err(|e| self.unavailable(&e.to_string()))?;
        if last < self.last {
            return Err(WriteError::Broken(format!(
                "journal {} ends at batch {last}, but batch {} was acknowledged: it has lost its end",
                self.name, self.last
            )));
        }
        let newest = newest.unwrap_or_default();
        if last.checked_sub(1) != Some(after) || !is_that(&newest) {
            return Err(WriteError::Fenced { after, last });
        }
        self.stored(last, &newest);
        Ok(last)
    }

    pub(super) fn stored(&mut self, seq: u64, message: &[u8]) {
        self.unknown = None;
        if self.last < seq {
            self.room.bytes += AROUND + message.len() as u64;
        }
        self.last = seq;
        self.crc = message::stored_checksum(message).unwrap_or(0);
        self.marker.acknowledge(seq);
    }
}
