//! Backups that cost what has changed: a *repository* of snapshots of a directory.
//!
//! A file is cut into chunks of 64 KiB, and each chunk is stored once, under its SHA-256, whatever has it. A snapshot is a
//! manifest that names them; it is written last, in one step, so that an interrupted backup leaves chunks that nobody names
//! and nothing else. The crate does not know what is in a file, nor in which order files have to be read.
//!
//! ```text
//! REPOSITORY            what it is, its format, and by which key it is sealed
//! snapshots/000001.json a manifest
//! chunks/ab/ab12...     a chunk, compressed (zstd)
//! LOCK, tmp/            in a directory: held by who writes, and what is being written
//! locks/                in a bucket: who writes, and who reads
//! ```

mod check;
mod chunk;
mod error;
mod forget;
mod manifest;
mod repository;
mod retention;
mod scratch;
mod seal;
mod store;
mod write;

pub use check::{Checked, Damage};
pub use chunk::{CHUNK_BYTES, Hash};
pub use error::RepositoryError;
pub use forget::Forgotten;
pub use manifest::{FarmState, FileEntry, JournalEnd, Manifest, Stored};
pub use repository::Repository;
pub use retention::{Keep, Made, kept};
pub use scratch::Scratch;
pub use seal::Key;
pub use write::{NewSnapshot, Pace};
