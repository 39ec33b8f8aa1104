//! The journal: every input of every farm, in order, durable before it acts. Folding it again gives the same state.
//!
//! [`Journal`] is the log of one shard: batches of records, numbered from 1, and snapshots of what follows from them. It does not
//! know what a batch says. [`JournalFile`] is that of operation, [`MemoryJournal`] that of simulations; [`conformance`] is what
//! both do, and what another one has to.
//!
//! [`Journals`] are those of a server: a *generation* of them, one a shard. A change of the number of shards makes a new generation;
//! the pointer to the current one is replaced in one step, so that a crash leaves the old or the new one. [`JournalFiles`] are
//! those of a data directory ([`DataDir`]).

pub mod conformance;
mod copy;
mod directory;
mod error;
mod file;
mod journal;
mod journals;
mod memory;
mod whole;

pub use copy::{CopyError, copy};
pub use directory::{DataDir, DataDirError, JournalFiles, current, shard_file};
pub use error::{JournalError, WriteError};
pub use file::{JournalFile, JournalReader};
pub use journal::{Each, Journal, JournalRead, StoredBatch, until_error};
pub use journals::{Generation, Journals, ReadJournals, Reader};
pub use memory::{MemoryDisk, MemoryJournal};
pub use whole::{put_file, sync_dir};
