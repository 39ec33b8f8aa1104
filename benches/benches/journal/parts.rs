//! The ingest's journal: private there, and to stay so. Its files are included by path, as the fuzz targets do.

#[path = "../../../ingest/src/journal/error.rs"]
mod error;
#[path = "../../../ingest/src/journal/file/mod.rs"]
pub(crate) mod file;

pub(crate) use error::JournalError;
