//! Telemetry in columns: an Apache Parquet file with the columns `at`, `sensor` and `value`.
//!
//! A year of a farm is tens of millions of readings. As text they are gigabytes, and reading the text takes longer than
//! deciding what follows from it. Parquet keeps the sensors' names once and the instants as differences, and the tools that
//! people keep measurements in (pandas, DuckDB, Arrow) read and write it. `docs/decisions/0008-telemetry-in-columns.md` says
//! why no format of our own.
//!
//! Values are doubles there and millionths in the engine. A double that came from a decimal number becomes that decimal
//! number again, so that no decision depends on which of the two files a reading came from.

mod codes;
mod decimals;
mod good;
mod read;
mod write;

pub(crate) use decimals::Value;
use decimals::measured;
pub(crate) use good::good_values;
pub(crate) use read::{Batch, MAGIC, Reader, Row};
pub(crate) use write::{Kind, Writer, double};

pub(crate) const AT: &str = "at";
pub(crate) const SENSOR: &str = "sensor";
pub(crate) const VALUE: &str = "value";

/// A file of telemetry in columns cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ColumnarError {
    /// There is no such column.
    #[error("there is no column {name:?}; the columns are {found}")]
    NoColumn { name: &'static str, found: String },
    /// A column is not of a type that is read.
    #[error("the column {name:?} is {found}; expected {expected}")]
    WrongType {
        name: &'static str,
        found: String,
        expected: &'static str,
    },
    /// A column ends before the others.
    #[error("the columns of row group {0} are not equally long")]
    Uneven(usize),
    /// The library says why.
    #[error("{0}")]
    Parquet(String),
}

impl From<parquet::errors::ParquetError> for ColumnarError {
    fn from(e: parquet::errors::ParquetError) -> Self {
        Self::Parquet(e.to_string())
    }
}
