//! Telemetry in columns: an Apache Parquet file with the columns `at`, `sensor` and `value`.
//!
//! A year of a farm is tens of millions of readings. As text they are gigabytes, and reading the text takes longer than
//! deciding what follows from it. Parquet keeps the sensors' names once and the instants as differences, and the tools that
//! people keep measurements in (pandas, DuckDB, Arrow) read and write it. `docs/decisions/0008-telemetry-in-columns.md` says
//! why no format of our own.
//!
//! Values are doubles there and millionths in the engine. A double that came from a decimal number becomes that decimal
//! number again, so that no decision depends on which of the two files a reading came from.

mod read;
mod write;

use harit_engine::{Measured, Quantity};

pub(crate) use read::{MAGIC, Reader};
pub(crate) use write::{Writer, double};

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

/// Millionths below which every decimal number of millionths has a double of its own: 15 digits.
const DISTINCT: f64 = 1e15;

/// The decimal number that a double stands for: the shortest that reads back as that double.
///
/// Going through text is slow. A number of millionths `m` with at most 15 digits whose nearest double this is is already the
/// shortest (no other number of at most 15 digits has the same double), and dividing two doubles that are exact gives the
/// nearest double of the quotient. So one division tells whether `m` is it.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "below 2^53, and the result is compared"
)]
pub(crate) fn measured(value: f64) -> Measured {
    let scaled = value * 1e6;
    if scaled.abs() < DISTINCT {
        let micro = (scaled + 0.5_f64.copysign(scaled)) as i64;
        if (micro as f64 / 1e6).to_bits() == value.to_bits() {
            return Measured::exact(Quantity::from_micro(micro));
        }
    }
    Measured::parse(&value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_double_is_the_decimal_number_that_it_came_from() {
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        for n in 0..200_000_i64 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let micro = (random >> (14 + n % 50)).cast_signed() * if n % 2 == 0 { 1 } else { -1 };
            if micro == 0 || micro.unsigned_abs() >= 1_000_000_000_000_000 {
                continue;
            }
            let sign = if micro < 0 { "-" } else { "" };
            let m = micro.unsigned_abs();
            let text = format!("{sign}{}.{:06}", m / 1_000_000, m % 1_000_000);
            let expected = Measured::exact(Quantity::from_micro(micro));
            assert_eq!(measured(text.parse().unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_number_of_millionths_is_read_as_its_text() {
        for text in [
            "0",
            "-0",
            "0.1234567",
            "99.99999999",
            "100.00000000000001",
            "-0.0000001",
            "1e300",
            "-1e300",
            "5e-324",
            "999999999.9999999",
            "0.30000000000000004",
        ] {
            let value: f64 = text.parse().unwrap();
            assert_eq!(measured(value), Measured::parse(text), "{text}");
        }
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(measured(value), Measured::NotFinite);
        }
    }
}
