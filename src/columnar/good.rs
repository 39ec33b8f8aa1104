//! Reading the good values of a file that has the kinds of its readings.

use std::fs::File;
use std::path::Path;

use harit_engine::{Measured, Quantity, Timestamp};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;

use super::{AT, ColumnarError, SENSOR, VALUE, measured};

const GOOD: &str = "good";

/// Gives every reading whose column `good` says so: when it was true, its sensor, and its value.
pub(crate) fn good_values(
    path: &Path,
    each: &mut dyn FnMut(Timestamp, &str, Quantity),
) -> Result<(), ColumnarError> {
    let file = File::open(path).map_err(|e| ColumnarError::Parquet(e.to_string()))?;
    let file = SerializedFileReader::new(file)?;
    for row in file.get_row_iter(None)? {
        let row = row?;
        let (mut at, mut sensor, mut value, mut good) = (None, None, None, false);
        for (name, field) in row.get_column_iter() {
            match (name.as_str(), field) {
                (AT, Field::TimestampMillis(ms)) => at = Some(Timestamp::from_millis(*ms)),
                (SENSOR, Field::Str(id)) => sensor = Some(id.as_str()),
                (VALUE, Field::Double(v)) => value = Some(*v),
                (GOOD, Field::Bool(is)) => good = *is,
                _ => {}
            }
        }
        if let (Some(at), Some(sensor), Some(value), true) = (at, sensor, value, good)
            && let Measured::Value(decimal) = measured(value)
        {
            each(at, sensor, decimal.rounded());
        }
    }
    Ok(())
}
