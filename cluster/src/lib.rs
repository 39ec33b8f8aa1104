//! More than one machine. What is here of it: the journal of a shard as a stream of NATS JetStream.
//!
//! [`JetStreamJournal`] is a [`harit_journal::Journal`]: one message a batch, appended after the batch before or not at all, so
//! that of two that append the later one is refused. A stream, the marks and the store of snapshots are made once
//! ([`JetStreamJournal::create`]), with settings that every opening compares ([`Settings`]); a stream that is not there is
//! missing, never an empty farm. [`JetStreamJournals`] are those of a server, as files in a data directory are.
//!
//! Not here yet: who owns which shard, and everything else that servers tell each other. docs/cluster.md says more.

mod journal;
mod journals;
mod layout;
mod mark;
mod message;
mod nats;
mod read;
mod snapshots;

pub use journal::JetStreamJournal;
pub use journals::JetStreamJournals;
pub use layout::{BadName, Partition, Settings};
pub use nats::{Nats, NatsError, NatsOptions};
