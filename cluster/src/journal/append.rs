//! How a batch is appended, and what is known of it when the server does not say: it is there where its id is known, or where the
//! last message is what was to be stored. Three servers look for the id first, one server at the place first.

use std::time::{Duration, Instant};

use async_nats::jetstream::ErrorCode;
use bytes::Bytes;
use harit_engine::Timestamp;
use harit_journal::WriteError;

use super::JetStreamJournal;
use crate::message::{self, Batch};
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
    /// Nobody knows.
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

    /// Waits for the connection: what is published without one would be kept, each time, and sent late.
    pub(super) fn check_connection(&self) -> Result<(), WriteError> {
        if self.nats.wait(self.nats.is_connected_within(ACK)) {
            return Ok(());
        }
        Err(self.unavailable("NATS is not connected"))
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

    /// What the stream's last batch is, by number and message.
    fn newest(&self) -> Result<(u64, Bytes), WriteError> {
        let found = self.nats.wait(async {
            let last = Bounds::at_least(&self.stream, self.last).await?.last;
            let newest = read::message(&self.stream, last).await?;
            Ok::<_, Failure>((last, newest.unwrap_or_default()))
        });
        let (last, newest) = found.map_err(|e| self.unavailable(&e.to_string()))?;
        if last < self.last {
            return Err(WriteError::Broken(format!(
                "journal {} ends at batch {last}, but batch {} was acknowledged: it has lost its end",
                self.name, self.last
            )));
        }
        Ok((last, newest))
    }

    /// How an append ends that is not at this one's end: well where it is there as the last batch, from this one.
    pub(super) fn elsewhere(
        &mut self,
        after: u64,
        head: (Timestamp, u64),
        body: &[u8],
    ) -> Result<u64, WriteError> {
        let (last, newest) = self.newest()?;
        let is_that = |b: &Batch| (b.writer, b.at, b.entries) == (self.writer, head.0, head.1);
        let found = message::decode(last, &newest);
        if last.checked_sub(1) == Some(after) && found.is_ok_and(|b| is_that(&b) && b.body == body)
        {
            self.stored(last, &newest);
            return Ok(last);
        }
        Err(WriteError::Fenced { after, last })
    }

    /// How an append ends that the stream refused because it ends elsewhere: well where what it ends with is that append, made
    /// earlier.
    pub(super) fn resolve(&mut self, after: u64, message: &[u8]) -> Result<u64, WriteError> {
        let (last, newest) = self.newest()?;
        if last == after {
            // It is on its way from an earlier time, or the leader has just changed.
            return Err(self.unavailable("it is not known yet whether the batch is there"));
        }
        if last == after + 1 && newest == message {
            self.stored(last, message);
            return Ok(last);
        }
        Err(WriteError::Fenced { after, last })
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
