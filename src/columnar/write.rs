//! Writing telemetry in columns, a group of rows at a time.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use harit_engine::{Measured, Timestamp};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use super::{AT, ColumnarError, measured};

const SCHEMA: &str = "message telemetry {
    required int64 at (TIMESTAMP(MILLIS, true));
    required binary sensor (STRING);
    optional double value;
}";
const SCHEMA_WITH_KIND: &str = "message telemetry {
    required int64 at (TIMESTAMP(MILLIS, true));
    required binary sensor (STRING);
    optional double value;
    required binary type (STRING);
    required boolean good;
}";
/// Rows that are collected before they are written.
const GROUP: usize = 1 << 18;
/// Fast to write and to read; higher levels save a tenth.
const LEVEL: i32 = 3;

/// What is told of a reading besides.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// What its sensor measures.
    pub(crate) sensor_type: &'static str,
    /// Whether it is a value that such a sensor can plausibly have.
    pub(crate) good: bool,
}

/// The columns `type` and `good` of a group.
#[derive(Default)]
struct Kinds {
    types: Vec<ByteArray>,
    good: Vec<bool>,
}

/// A file of telemetry in columns, open for writing.
pub(crate) struct Writer<W: Write + Send> {
    file: SerializedFileWriter<W>,
    /// Names of this group: each is kept once.
    names: HashMap<Box<str>, ByteArray>,
    at: Vec<i64>,
    sensors: Vec<ByteArray>,
    /// Nulls have a level and no value.
    levels: Vec<i16>,
    values: Vec<f64>,
    /// Where the file has them.
    kinds: Option<Kinds>,
}

impl<W: Write + Send> Writer<W> {
    /// A file with the columns `at`, `sensor` and `value`.
    pub(crate) fn new(out: W) -> Result<Self, ColumnarError> {
        Self::with_columns(out, SCHEMA, None)
    }

    /// A file that has the columns `type` and `good` too: each reading comes with its kind.
    pub(crate) fn with_kinds(out: W) -> Result<Self, ColumnarError> {
        Self::with_columns(out, SCHEMA_WITH_KIND, Some(Kinds::default()))
    }

    fn with_columns(out: W, schema: &str, kinds: Option<Kinds>) -> Result<Self, ColumnarError> {
        let at = ColumnPath::from(AT);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
            .set_column_dictionary_enabled(at.clone(), false)
            .set_column_encoding(at, Encoding::DELTA_BINARY_PACKED)
            .set_created_by(concat!("harit ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let schema = Arc::new(parse_message_type(schema)?);
        Ok(Self {
            file: SerializedFileWriter::new(out, schema, Arc::new(properties))?,
            names: HashMap::new(),
            at: Vec::new(),
            sensors: Vec::new(),
            levels: Vec::new(),
            values: Vec::new(),
            kinds,
        })
    }

    /// Adds a reading; no value is null.
    pub(crate) fn push(
        &mut self,
        at: Timestamp,
        sensor: &str,
        value: Option<f64>,
    ) -> Result<(), ColumnarError> {
        let name = self.name(sensor);
        self.at.push(at.as_millis());
        self.sensors.push(name);
        self.levels.push(i16::from(value.is_some()));
        self.values.extend(value);
        if self.at.len() == GROUP {
            self.flush()?;
        }
        Ok(())
    }

    /// Adds a reading to a file that has the kinds.
    pub(crate) fn push_kind(
        &mut self,
        at: Timestamp,
        sensor: &str,
        value: Option<f64>,
        kind: Kind,
    ) -> Result<(), ColumnarError> {
        let name = self.name(kind.sensor_type);
        if let Some(kinds) = &mut self.kinds {
            kinds.types.push(name);
            kinds.good.push(kind.good);
        }
        self.push(at, sensor, value)
    }

    /// How many rows wait to be written.
    pub(crate) const fn waiting(&self) -> usize {
        self.at.len()
    }

    fn name(&mut self, name: &str) -> ByteArray {
        match self.names.get(name) {
            Some(name) => name.clone(),
            None => {
                let bytes = ByteArray::from(name.as_bytes().to_vec());
                self.names.insert(name.into(), bytes.clone());
                bytes
            }
        }
    }

    /// Writes the rows that wait, as a group.
    pub(crate) fn flush(&mut self) -> Result<(), ColumnarError> {
        if self.at.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        // In the order of the schema.
        if let Some(mut column) = group.next_column()? {
            column
                .typed::<Int64Type>()
                .write_batch(&self.at, None, None)?;
            column.close()?;
        }
        if let Some(mut column) = group.next_column()? {
            column
                .typed::<ByteArrayType>()
                .write_batch(&self.sensors, None, None)?;
            column.close()?;
        }
        if let Some(mut column) = group.next_column()? {
            column
                .typed::<DoubleType>()
                .write_batch(&self.values, Some(&self.levels), None)?;
            column.close()?;
        }
        if let Some(kinds) = &mut self.kinds {
            if let Some(mut column) = group.next_column()? {
                column
                    .typed::<ByteArrayType>()
                    .write_batch(&kinds.types, None, None)?;
                column.close()?;
            }
            if let Some(mut column) = group.next_column()? {
                column
                    .typed::<BoolType>()
                    .write_batch(&kinds.good, None, None)?;
                column.close()?;
            }
            kinds.types.clear();
            kinds.good.clear();
        }
        group.close()?;
        self.names.clear();
        self.at.clear();
        self.sensors.clear();
        self.levels.clear();
        self.values.clear();
        Ok(())
    }

    /// Writes what is left and the end of the file.
    pub(crate) fn finish(mut self) -> Result<W, ColumnarError> {
        self.flush()?;
        Ok(self.file.into_inner()?)
    }
}

/// The double that reads back as this value; the one nearest to its text where that does.
pub(crate) fn double(value: Measured, text: &str) -> Option<f64> {
    let exact = match value {
        Measured::Null => return None,
        Measured::NotFinite => return Some(f64::NAN),
        Measured::Value(decimal) => decimal.rounded().to_f64(),
    };
    // Of a number with more digits than a double has, only on which side of a millionth it lies can matter.
    [
        text.parse().unwrap_or(exact),
        exact,
        exact.next_up(),
        exact.next_down(),
    ]
    .into_iter()
    .find(|v| measured(*v) == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_survives() {
        for text in [
            "0",
            "27.4",
            "+27.4",
            "-40",
            "1e2",
            "0.0000001",
            "100.0000001",
            "99.99999999999999999999",
            "100.00000000000000000001",
            "-0.00000000000000000000000000001",
            "1e308",
            "1e999",
            "-1e999",
            "999999999.9999994",
            "1000000000.0000000001",
            "123456789.123456",
        ] {
            let value = Measured::parse(text);
            let stored = double(value, text).unwrap_or_else(|| panic!("{text} has no double"));
            assert_eq!(measured(stored), value, "{text} as {stored}");
        }
        assert_eq!(double(Measured::Null, ""), None);
        assert!(double(Measured::NotFinite, "inf").is_some_and(f64::is_nan));
    }
}
