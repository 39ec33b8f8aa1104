//! The journal of a partition on a stream.
//!
//! The stream is its own fence: each append says after which message it comes, and the leader refuses it where that is not the
//! last one. So a batch's number is its message's, and what is appended twice is known by its id, or by reading it.

mod append;
mod open;

use std::fmt;
use std::time::Instant;

use async_nats::jetstream::stream::Stream;
use bytes::Bytes;
use harit_engine::Timestamp;
use harit_journal::{Each, Journal, JournalError, JournalRead, StoredBatch, WriteError};

use crate::layout::MAX_MESSAGE;
use crate::mark::Marker;
use crate::message::{self, MAX_BODY};
use crate::nats::Nats;
use crate::read::{Bounds, Cursor};
use crate::snapshots::{NoSnapshot, Snapshots};
use append::{AROUND, RESERVE_BYTES, Sent};
pub(crate) use open::check;
use open::go_on_after;

/// How many batches one trimming removes at most.
const TRIM_CHUNK: u64 = 512;

/// An append of which it is not known whether it is there.
struct Unknown {
    after: u64,
    message: Bytes,
}

/// The journal of a partition on a stream of NATS JetStream, open for writing.
///
/// Its calls block, at most some seconds each, and must not be made from within a runtime. A batch is one message; compressed and
/// with its headers it has at most 8 MiB, and a larger one is [`WriteError::Broken`].
pub struct JetStreamJournal {
    nats: Nats,
    name: String,
    subject: String,
    stream: Stream,
    snapshots: Snapshots,
    marker: Marker,
    /// By what this one knows what it has appended.
    writer: u64,
    last: u64,
    /// The checksum of batch `last`; 0 where it is not there.
    crc: u32,
    unknown: Option<Unknown>,
    /// What is known of the room, and since when.
    room: Bounds,
    looked: Instant,
    reserved: bool,
}

impl fmt::Debug for JetStreamJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JetStreamJournal")
            .field("name", &self.name)
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}

fn damaged(name: &str, what: String) -> JournalError {
    JournalError::Damaged {
        name: name.to_owned(),
        what,
    }
}

impl JournalRead for JetStreamJournal {
    fn name(&self) -> &str {
        &self.name
    }

    fn before_first(&self) -> Result<u64, JournalError> {
        let bounds = self.bounds().map_err(|e| e.of(&self.name))?;
        Ok(bounds.first.saturating_sub(1))
    }

    fn read(&self, after: u64, through: u64, each: Each<'_>) -> Result<(), JournalError> {
        let bounds = self.bounds().map_err(|e| e.of(&self.name))?;
        let end = through.min(bounds.last);
        if end <= after || bounds.is_empty() {
            return Ok(());
        }
        // From the batch before, where it is there: what follows it says which one it follows.
        let mut cursor = Cursor::new(&self.stream, after.max(bounds.first), end);
        let read = self.read_on(&mut cursor, (after, end), bounds.first, each);
        self.nats.wait(cursor.close());
        read
    }

    fn snapshots(&self) -> Result<Vec<(u64, Timestamp)>, JournalError> {
        let list = self.nats.wait(self.snapshots.list());
        list.map_err(|e| e.of(&self.name))
    }

    fn snapshot(&self, seq: u64) -> Result<Vec<u8>, JournalError> {
        let got = self.nats.wait(self.snapshots.get(seq));
        got.map_err(|e| match e {
            NoSnapshot::Missing => damaged(&self.name, format!("snapshot {seq} is missing")),
            NoSnapshot::Damaged(e) => damaged(&self.name, format!("snapshot {seq}: {e}")),
            NoSnapshot::Failed(e) => e.of(&self.name),
        })
    }
}

impl JetStreamJournal {
    fn read_on(
        &self,
        cursor: &mut Cursor<'_>,
        (after, end): (u64, u64),
        mut first: u64,
        each: Each<'_>,
    ) -> Result<(), JournalError> {
        let mut before = after;
        // The number and the checksum of the message before.
        let mut chain = None;
        while before < end {
            let some = self
                .nats
                .wait(cursor.some())
                .map_err(|e| e.of(&self.name))?;
            if some.is_empty() {
                return match self.bounds().map_err(|e| e.of(&self.name))? {
                    // Trimmed meanwhile.
                    bounds if bounds.first > end => Ok(()),
                    _ => Err(damaged(
                        &self.name,
                        format!("batch {} is missing", before + 1),
                    )),
                };
            }
            for (seq, message) in some {
                let crc = message::stored_checksum(&message);
                let follows = chain.replace((seq, crc));
                if seq <= after {
                    continue;
                }
                if seq != first.max(before + 1) {
                    // What is the first may have changed meanwhile.
                    first = self.bounds().map_err(|e| e.of(&self.name))?.first;
                    if seq != first.max(before + 1) {
                        return Err(damaged(
                            &self.name,
                            format!("a batch before {seq} is missing"),
                        ));
                    }
                }
                let batch = message::decode(seq, &message);
                let batch = batch.map_err(|e| damaged(&self.name, format!("batch {seq}: {e}")))?;
                if let Some((n, Some(crc))) = follows
                    && n + 1 == seq
                    && batch.before != crc
                {
                    let what = format!("batch {seq} was not written after batch {n} as it is now");
                    return Err(damaged(&self.name, what));
                }
                before = seq;
                let message::Batch { at, body, .. } = batch;
                if each(StoredBatch { seq, at, body }).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

impl Journal for JetStreamJournal {
    fn last(&self) -> u64 {
        self.last
    }

    fn append(
        &mut self,
        after: u64,
        at: Timestamp,
        entries: u64,
        body: &[u8],
    ) -> Result<u64, WriteError> {
        if after != self.last && self.unknown.is_none() {
            return self.elsewhere(after, (at, entries), body);
        }
        let seq = self.last + 1;
        let head = (self.writer, self.crc);
        let message = Bytes::from(message::encode(seq, head, (at, entries), body));
        match &self.unknown {
            Some(unknown) if (unknown.after, &unknown.message) != (after, &message) => {
                let text = format!(
                    "it is not known yet whether batch {seq} is there, and this is another one"
                );
                return Err(self.unavailable(&text));
            }
            Some(_) => self.check_connection()?,
            None => {
                let bytes = AROUND + message.len() as u64;
                if body.len() > MAX_BODY || bytes > MAX_MESSAGE as u64 {
                    return Err(WriteError::Broken(format!(
                        "journal {}: a batch of {} bytes, {} compressed, is more than a message takes, 8 MiB",
                        self.name,
                        body.len(),
                        message.len()
                    )));
                }
                self.check_connection()?;
                self.check_room(bytes)?;
            }
        }
        let sent = self.send(after, message.clone());
        self.unknown = Some(Unknown {
            after,
            message: message.clone(),
        });
        let known = match sent {
            Sent::Stored(stored) if stored == seq => {
                self.stored(seq, &message);
                Ok(seq)
            }
            Sent::Stored(stored) => Err(WriteError::Broken(format!(
                "journal {}: batch {seq} was stored as {stored}",
                self.name
            ))),
            Sent::Elsewhere => self.resolve(after, &message),
            Sent::Refused(e) => Err(e),
            Sent::Unknown(why) => Err(self.unavailable(&why)),
        };
        if !matches!(known, Err(WriteError::Unavailable(_))) {
            self.unknown = None;
        }
        known
    }

    fn put_snapshot(&mut self, seq: u64, at: Timestamp, body: &[u8]) -> Result<(), WriteError> {
        if body.len() > MAX_BODY {
            let text = format!("a snapshot of {} bytes is more than {MAX_BODY}", body.len());
            return Err(WriteError::Broken(text));
        }
        if seq > self.last {
            if self.unknown.is_some() {
                let text = "it is not known yet whether the last batch is there";
                return Err(self.unavailable(text));
            }
            self.look()?;
            // Batches before it would be behind a gap, or are those of somebody else.
            if !self.room.is_empty() || self.room.last > seq {
                let last = self.room.last;
                return Err(WriteError::Fenced { after: seq, last });
            }
        }
        let put = self.nats.wait(self.snapshots.put(seq, at, body));
        put.map_err(|e| self.unavailable(&e.to_string()))?;
        if seq > self.last {
            let gone_on = self.nats.wait(go_on_after(&self.stream, seq));
            gone_on.map_err(|e| self.unavailable(&e.to_string()))?;
            (self.last, self.crc) = (seq, 0);
        }
        Ok(())
    }

    fn delete_snapshot(&mut self, seq: u64) -> Result<(), WriteError> {
        let deleted = self.nats.wait(self.snapshots.delete(seq));
        deleted.map_err(|e| self.unavailable(&e.to_string()))
    }

    fn trim(&mut self, through: u64) -> Result<bool, WriteError> {
        self.look()?;
        // Never beyond what this one has written: that would take numbers away.
        let through = through.min(self.last);
        if self.room.first > through {
            return Ok(false);
        }
        let some = through.min(self.room.first + TRIM_CHUNK - 1);
        let purged = self.nats.wait(go_on_after(&self.stream, some));
        purged.map_err(|e| self.unavailable(&e.to_string()))?;
        self.look()?;
        Ok(some < through)
    }

    fn bytes(&self) -> u64 {
        self.room.bytes
    }

    fn keep_reserve(&mut self) -> Result<(), WriteError> {
        if self.reserved {
            return Ok(());
        }
        self.look()?;
        if !self.has_room(RESERVE_BYTES) {
            return Err(self.full("there is no room to keep back for stops"));
        }
        self.reserved = true;
        Ok(())
    }

    fn give_up_reserve(&mut self) -> bool {
        std::mem::take(&mut self.reserved)
    }
}
