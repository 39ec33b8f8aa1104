//! The journal: every input of every farm, in order, durable before it acts. Folding it again gives the same state.
//!
//! A data directory holds one *generation* of journal files, a file a shard. A change of the number of shards makes a new
//! generation; the pointer to the current one is replaced in one step, so that a crash leaves the old or the new one.

mod directory;
mod error;
pub(crate) mod file;
#[cfg(feature = "simulation")]
pub(crate) mod memory;
pub(crate) mod storage;

pub(crate) use directory::{
    DataDir, DataDirError, Generation, current, file as shard_file, old_generations, shard_of,
};
pub use error::JournalError;
pub use harit_farm::codec::BadBody;
