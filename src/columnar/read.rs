//! Reading telemetry in columns, a batch of rows at a time: memory does not depend on the file's length.
//!
//! What other tools write is taken too: columns in any order and with others beside them, nullable ones, instants in
//! milliseconds, microseconds or nanoseconds (cut to milliseconds; without a zone they are UTC) or as plain epoch
//! milliseconds, single precision.

use std::fs::File;
use std::sync::mpsc::Receiver;

use harit_engine::Timestamp;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{DataType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::decimals::{Decimals, Value};
use super::{AT, ColumnarError, SENSOR, VALUE, codes};

/// What such a file begins with.
pub(crate) const MAGIC: &[u8; 4] = b"PAR1";
/// Rows that are decoded at once: their columns stay in the processor's cache.
const BATCH: usize = 4_096;

/// How an instant is stored: the units in a millisecond.
#[derive(Debug, Clone, Copy)]
struct Unit(i64);

impl Default for Unit {
    fn default() -> Self {
        Self(1)
    }
}

#[derive(Debug, Clone, Copy)]
struct Columns {
    at: usize,
    unit: Unit,
    sensor: usize,
    value: usize,
    single: bool,
}

/// The cells of one column in a batch; nulls have a level and no value.
struct Cells<T> {
    levels: Vec<i16>,
    values: Vec<T>,
}

impl<T> Default for Cells<T> {
    fn default() -> Self {
        Self {
            levels: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl<T: Copy> Cells<T> {
    fn read<D: DataType<T = T>>(
        &mut self,
        column: &mut ColumnReaderImpl<D>,
    ) -> Result<usize, ColumnarError> {
        self.levels.clear();
        self.values.clear();
        let (rows, _, _) =
            column.read_records(BATCH, Some(&mut self.levels), None, &mut self.values)?;
        Ok(rows)
    }

    /// The cells in order; null is `None`.
    fn iter(&self, rows: usize) -> impl Iterator<Item = Option<T>> {
        let whole = self.values.len() == rows;
        let (mut levels, mut values) = (self.levels.iter(), self.values.iter());
        (0..rows).map(move |_| {
            if whole || levels.next().is_some_and(|level| *level > 0) {
                values.next().copied()
            } else {
                None
            }
        })
    }
}

enum Values {
    Double(ColumnReaderImpl<DoubleType>),
    Single(ColumnReaderImpl<FloatType>, Cells<f32>),
}

impl Values {
    fn read(&mut self, cells: &mut Cells<f64>) -> Result<usize, ColumnarError> {
        match self {
            Self::Double(column) => cells.read(column),
            Self::Single(column, singles) => {
                let rows = singles.read(column)?;
                cells.levels.clone_from(&singles.levels);
                cells.values.clear();
                // 27.4 in single precision is meant to be 27.4, not 27.399999618530273.
                cells.values.extend(
                    singles
                        .values
                        .iter()
                        .map(|v| v.to_string().parse::<f64>().unwrap_or(f64::NAN)),
                );
                Ok(rows)
            }
        }
    }
}

struct Group {
    at: ColumnReaderImpl<Int64Type>,
    sensor: ColumnReaderImpl<Int32Type>,
    names: Receiver<Box<[u8]>>,
    value: Values,
}

/// A row: what is missing in it is `None`; no value is a reading of null.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    pub(crate) at: Option<Timestamp>,
    /// The place of its name among those of its row group.
    pub(crate) sensor: Option<usize>,
    pub(crate) value: Value<'a>,
}

/// Rows that were read together, all of one row group.
#[derive(Default)]
pub(crate) struct Batch {
    /// Which row group, from 1.
    group: usize,
    /// The names that turned up with these rows: they follow those that came before in the row group.
    names: Vec<Box<[u8]>>,
    unit: Unit,
    rows: usize,
    at: Cells<i64>,
    sensor: Cells<i32>,
    value: Cells<f64>,
    decimals: Decimals,
}

impl Batch {
    /// Which row group the rows are of, and names that follow those of its earlier batches.
    pub(crate) fn names(&mut self) -> (usize, std::vec::Drain<'_, Box<[u8]>>) {
        (self.group, self.names.drain(..))
    }

    /// The rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let Unit(unit) = self.unit;
        let at = self.at.iter(self.rows);
        let sensor = self.sensor.iter(self.rows);
        at.zip(sensor)
            .zip(self.decimals.iter())
            .map(move |((at, sensor), value)| Row {
                at: at.map(|t| {
                    Timestamp::from_millis(if unit == 1 { t } else { t.div_euclid(unit) })
                }),
                sensor: sensor.and_then(|code| usize::try_from(code).ok()),
                value,
            })
    }
}

/// A file of telemetry in columns, open for reading.
pub(crate) struct Reader {
    file: SerializedFileReader<File>,
    columns: Columns,
    next_group: usize,
    group: Option<Group>,
}

impl Reader {
    /// Opens a file and checks its columns.
    pub(crate) fn open(file: File) -> Result<Self, ColumnarError> {
        let file = SerializedFileReader::new(file)?;
        let columns = columns(&file)?;
        Ok(Self {
            file,
            columns,
            next_group: 0,
            group: None,
        })
    }

    /// How many rows the file says that it has.
    pub(crate) fn len(&self) -> u64 {
        u64::try_from(self.file.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// Reads the next rows into a batch; false at the end.
    pub(crate) fn read(&mut self, batch: &mut Batch) -> Result<bool, ColumnarError> {
        loop {
            let Some(group) = &mut self.group else {
                if self.next_group == self.file.num_row_groups() {
                    return Ok(false);
                }
                self.group = Some(self.open_group()?);
                self.next_group += 1;
                continue;
            };
            let rows = batch.at.read(&mut group.at)?;
            let others = (
                batch.sensor.read(&mut group.sensor)?,
                group.value.read(&mut batch.value)?,
            );
            if others != (rows, rows) {
                return Err(ColumnarError::Uneven(self.next_group));
            }
            if rows > 0 {
                batch.group = self.next_group;
                batch.names.clear();
                batch.names.extend(group.names.try_iter());
                batch.unit = self.columns.unit;
                batch.rows = rows;
                batch
                    .decimals
                    .set(&batch.value.values, &batch.value.levels, rows);
                return Ok(true);
            }
            self.group = None;
        }
    }

    fn open_group(&self) -> Result<Group, ColumnarError> {
        let (group, c) = (self.file.get_row_group(self.next_group)?, self.columns);
        let sensor = group.metadata().column(c.sensor).column_descr();
        let (sensor, names) = codes::open(sensor, group.get_column_page_reader(c.sensor)?)?;
        Ok(Group {
            at: get_typed_column_reader(group.get_column_reader(c.at)?),
            sensor,
            names,
            value: if c.single {
                Values::Single(
                    get_typed_column_reader(group.get_column_reader(c.value)?),
                    Cells::default(),
                )
            } else {
                Values::Double(get_typed_column_reader(group.get_column_reader(c.value)?))
            },
        })
    }
}

fn columns(file: &SerializedFileReader<File>) -> Result<Columns, ColumnarError> {
    let schema = file.metadata().file_metadata().schema_descr();
    let find = |name: &'static str| {
        let found = schema
            .columns()
            .iter()
            .position(|c| c.path().parts() == [name]);
        found.ok_or_else(|| ColumnarError::NoColumn {
            name,
            found: schema
                .columns()
                .iter()
                .map(|c| c.path().string())
                .collect::<Vec<_>>()
                .join(", "),
        })
    };
    let (at, sensor, value) = (find(AT)?, find(SENSOR)?, find(VALUE)?);
    let at_column = schema.column(at);
    let unit = unit(&at_column).ok_or_else(|| {
        wrong(
            AT,
            &at_column,
            "a timestamp, or 64-bit integers (epoch milliseconds)",
        )
    })?;
    let sensor_column = schema.column(sensor);
    if !plain(&sensor_column) || sensor_column.physical_type() != Type::BYTE_ARRAY {
        return Err(wrong(SENSOR, &sensor_column, "strings"));
    }
    let value_column = schema.column(value);
    let single = match value_column.physical_type() {
        Type::DOUBLE if plain(&value_column) => false,
        Type::FLOAT if plain(&value_column) => true,
        _ => return Err(wrong(VALUE, &value_column, "doubles or floats")),
    };
    Ok(Columns {
        at,
        unit,
        sensor,
        value,
        single,
    })
}

/// One cell a row.
fn plain(column: &ColumnDescriptor) -> bool {
    column.max_rep_level() == 0 && column.max_def_level() <= 1
}

fn unit(column: &ColumnDescriptor) -> Option<Unit> {
    if !plain(column) || column.physical_type() != Type::INT64 {
        return None;
    }
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Timestamp(t)), _) => Some(Unit(match t.unit {
            TimeUnit::MILLIS => 1,
            TimeUnit::MICROS => 1_000,
            TimeUnit::NANOS => 1_000_000,
        })),
        (Some(LogicalType::Integer(_)), _)
        | (None, ConvertedType::NONE | ConvertedType::TIMESTAMP_MILLIS | ConvertedType::INT_64) => {
            Some(Unit(1))
        }
        (None, ConvertedType::TIMESTAMP_MICROS) => Some(Unit(1_000)),
        _ => None,
    }
}

fn wrong(name: &'static str, column: &ColumnDescriptor, expected: &'static str) -> ColumnarError {
    let stored = column.physical_type();
    let found = match column.logical_type_ref() {
        _ if column.max_rep_level() > 0 => format!("a list of {stored}"),
        Some(logical) => format!("{stored} ({logical:?})"),
        None => stored.to_string(),
    };
    ColumnarError::WrongType {
        name,
        found,
        expected,
    }
}
