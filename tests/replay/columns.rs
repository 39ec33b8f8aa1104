//! Telemetry in columns: it replays as the same text does, and what is no telemetry is refused.

use std::fs;
use std::path::Path;

use parquet::basic::Encoding;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int64Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::Value;

use crate::{Case, TELEMETRY, stderr};

/// A Parquet file as another tool would write it: `schema` is its columns, and `row` writes each of them.
fn columns(
    path: &Path,
    schema: &str,
    mut write: impl FnMut(usize, &mut parquet::file::writer::SerializedColumnWriter<'_>),
) {
    let schema = parse_message_type(&format!("message schema {{ {schema} }}")).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(parquet::basic::Compression::SNAPPY)
        .build();
    let file = fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema.into(), properties.into()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut n = 0;
    while let Some(mut column) = group.next_column().unwrap() {
        write(n, &mut column);
        column.close().unwrap();
        n += 1;
    }
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn telemetry_in_columns_gives_the_same_events_as_text() {
    let case = Case::new();
    let odd = "70000,t1,84.99999999\n71000,t1,85.0000001\n2020-01-01T00:00:00Z,t1,35.0000004\n\n1577836800000,t1,-Infinity\n";
    case.file("t.csv", format!("{TELEMETRY}{odd}").as_bytes());
    case.convert("t.csv", "t.parquet");
    let expected = case.outcome("t.csv", Some("1577836900000"));
    assert!(expected.0.contains("rule_fired"));
    assert_eq!(case.outcome("t.parquet", Some("1577836900000")), expected);
    // Told by its content.
    fs::rename(case.path("t.parquet"), case.path("log")).unwrap();
    assert_eq!(case.outcome("log", Some("1577836900000")), expected);
    // Nothing in it.
    case.file("t.csv", b"at,sensor,value\n");
    case.convert("t.csv", "t.parquet");
    assert_eq!(case.outcome("t.parquet", None), case.outcome("t.csv", None));
}

/// The readings of the vectors, as text and in columns.
#[test]
fn vectors_in_columns_give_the_same_events_as_text() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/vectors");
    let mut fired = 0;
    for entry in fs::read_dir(&root).unwrap() {
        let vector = entry.unwrap().path();
        if !vector.is_dir() {
            continue;
        }
        let case = Case::new();
        fs::copy(vector.join("farm.json"), case.path("farm.json")).unwrap();
        let mut csv = String::from("at,sensor,value\n");
        for line in fs::read_to_string(vector.join("inputs.jsonl"))
            .unwrap()
            .lines()
        {
            let input: Value = serde_json::from_str(line).unwrap();
            if input["input"] == "reading" {
                let value = match &input["value"] {
                    Value::Null => String::new(),
                    Value::String(word) => word.clone(),
                    number => number.to_string(),
                };
                csv += &format!(
                    "{},{},{value}\n",
                    input["at"],
                    input["sensor"].as_str().unwrap()
                );
            }
        }
        case.file("t.csv", csv.as_bytes());
        case.convert("t.csv", "t.parquet");
        let until = fs::read_to_string(vector.join("until")).unwrap();
        let expected = case.outcome("t.csv", Some(until.trim()));
        fired += expected.0.matches("\"rule_fired\"").count();
        assert_eq!(
            case.outcome("t.parquet", Some(until.trim())),
            expected,
            "{}",
            vector.display()
        );
    }
    assert!(fired > 10, "only {fired} rules fired");
}

#[test]
fn columns_of_other_tools_are_taken() {
    let case = Case::new();
    case.file(
        "t.csv",
        b"at,sensor,value\n0,t1,36.1\n30000,t1,36.5\n61000,t1,\n62000,elsewhere,1\n",
    );
    let expected = case.outcome("t.csv", None);
    assert!(expected.0.contains("rule_fired"));
    for (instant, unit) in [
        ("int64 at (TIMESTAMP(MILLIS, false))", 1),
        ("int64 at (TIMESTAMP(MICROS, true))", 1_000),
        ("int64 at (TIMESTAMP(NANOS, true))", 1_000_000),
        ("int64 at", 1),
    ] {
        for single in [false, true] {
            let float = if single { "float" } else { "double" };
            let schema = format!(
                "optional boolean good; optional {float} value; optional {instant}; optional binary sensor (STRING);"
            );
            columns(&case.path("t.parquet"), &schema, |n, column| {
                let all = Some([1_i16; 4]);
                let all = all.as_ref().map(|a| &a[..]);
                let written = match n {
                    0 => column
                        .typed::<BoolType>()
                        .write_batch(&[], Some(&[0; 4]), None),
                    1 if single => column.typed::<FloatType>().write_batch(
                        &[36.1, 36.5, 1.0],
                        Some(&[1, 1, 0, 1]),
                        None,
                    ),
                    1 => column.typed::<DoubleType>().write_batch(
                        &[36.1, 36.5, 1.0],
                        Some(&[1, 1, 0, 1]),
                        None,
                    ),
                    2 => column.typed::<Int64Type>().write_batch(
                        &[0, 30_000, 61_000, 62_000].map(|t| t * unit),
                        all,
                        None,
                    ),
                    _ => column.typed::<ByteArrayType>().write_batch(
                        &["t1", "t1", "t1", "elsewhere"].map(ByteArray::from),
                        all,
                        None,
                    ),
                };
                assert_eq!(
                    written.unwrap(),
                    if n == 0 {
                        0
                    } else if n == 1 {
                        3
                    } else {
                        4
                    }
                );
            });
            assert_eq!(case.outcome("t.parquet", None), expected, "{schema}");
        }
    }
}

/// Names in a dictionary, in the rows, and in both, with nulls beside them: the same readings.
#[test]
fn names_are_found_however_pages_keep_them() {
    let case = Case::new();
    let name = |n: usize| match n % 3 {
        0 => "t1".to_owned(),
        1 => format!("elsewhere-{}", n % 700),
        _ => format!("elsewhere-{n}"),
    };
    let groups = [0..3_000, 3_000..3_001, 3_001..9_000];
    let mut csv = String::from("at,sensor,value\n");
    for n in 0..9_000 {
        let value = if n % 11 == 0 {
            String::new()
        } else {
            (30 + n / 100 % 10).to_string()
        };
        csv += &format!("{},{},{value}\n", n * 1_000, name(n));
    }
    case.file("t.csv", csv.as_bytes());
    let expected = case.outcome("t.csv", None);
    assert!(expected.0.contains("rule_fired"));
    let builder = WriterProperties::builder;
    for (properties, said) in [
        (builder(), "a dictionary"),
        (builder().set_dictionary_enabled(false), "no dictionary"),
        (
            builder()
                .set_dictionary_page_size_limit(2_000)
                .set_write_batch_size(100),
            "a dictionary that grew too large",
        ),
        (
            builder()
                .set_dictionary_enabled(false)
                .set_column_encoding("sensor".into(), Encoding::DELTA_BYTE_ARRAY)
                .set_data_page_row_count_limit(777)
                .set_write_batch_size(100),
            "names as differences",
        ),
    ] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for optional in [false, true] {
                let is = if optional { "optional" } else { "required" };
                let schema = format!(
                    "message schema {{ required int64 at; {is} binary sensor (STRING); optional double value; }}"
                );
                let schema = parse_message_type(&schema).unwrap();
                let properties = properties.clone().set_writer_version(version).build();
                let file = fs::File::create(case.path("t.parquet")).unwrap();
                let mut writer =
                    SerializedFileWriter::new(file, schema.into(), properties.into()).unwrap();
                for rows in groups.clone() {
                    let mut group = writer.next_row_group().unwrap();
                    let at: Vec<i64> = (0..)
                        .step_by(1_000)
                        .skip(rows.start)
                        .take(rows.len())
                        .collect();
                    let names: Vec<ByteArray> =
                        rows.clone().map(|n| name(n).as_str().into()).collect();
                    let all = vec![1; names.len()];
                    let some: Vec<i16> = rows.clone().map(|n| i16::from(n % 11 != 0)).collect();
                    let values: Vec<f64> = rows
                        .filter(|n| n % 11 != 0)
                        .map(|n| 30.0 + (n / 100 % 10) as f64)
                        .collect();
                    let mut column = group.next_column().unwrap().unwrap();
                    column
                        .typed::<Int64Type>()
                        .write_batch(&at, None, None)
                        .unwrap();
                    column.close().unwrap();
                    let mut column = group.next_column().unwrap().unwrap();
                    column
                        .typed::<ByteArrayType>()
                        .write_batch(&names, optional.then_some(&all[..]), None)
                        .unwrap();
                    column.close().unwrap();
                    let mut column = group.next_column().unwrap().unwrap();
                    column
                        .typed::<DoubleType>()
                        .write_batch(&values, Some(&some), None)
                        .unwrap();
                    column.close().unwrap();
                    group.close().unwrap();
                }
                writer.close().unwrap();
                assert_eq!(
                    case.outcome("t.parquet", None),
                    expected,
                    "{said}, {version:?}, {is}"
                );
            }
        }
    }
}

/// The row of a null is told, and those about it are read, whether names are in a dictionary or not.
#[test]
fn a_null_among_names_is_in_its_row() {
    let case = Case::new();
    for dictionary in [true, false] {
        let schema =
            "message schema { required int64 at; optional binary sensor; required double value; }";
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(dictionary)
            .build();
        let file = fs::File::create(case.path("t.parquet")).unwrap();
        let schema = parse_message_type(schema).unwrap();
        let mut writer = SerializedFileWriter::new(file, schema.into(), properties.into()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut n = 0;
        while let Some(mut column) = group.next_column().unwrap() {
            let written = match n {
                0 => column
                    .typed::<Int64Type>()
                    .write_batch(&[0, 1, 2, 3], None, None),
                1 => column.typed::<ByteArrayType>().write_batch(
                    &["t1", "elsewhere", "t1"].map(ByteArray::from),
                    Some(&[1, 1, 0, 1]),
                    None,
                ),
                _ => column
                    .typed::<DoubleType>()
                    .write_batch(&[36.0; 4], None, None),
            };
            written.unwrap();
            column.close().unwrap();
            n += 1;
        }
        group.close().unwrap();
        writer.close().unwrap();
        let output = case.run(&["--telemetry", "t.parquet"]);
        let said = stderr(&output);
        assert!(said.contains("t.parquet:3: the sensor is null"), "{said}");
        let output = case.run(&["--telemetry", "t.parquet", "--skip-bad"]);
        let said = String::from_utf8(output.stdout).unwrap();
        let count = |word: &str| {
            let line = said
                .lines()
                .find(|l| l.trim_start().starts_with(word))
                .unwrap();
            line.split_whitespace().nth(1).unwrap().to_owned()
        };
        assert_eq!(
            (count("applied"), count("unknown")),
            ("2".into(), "1".into())
        );
    }
}

#[test]
fn columns_that_are_not_telemetry_are_refused() {
    let case = Case::new();
    let empty = |_: usize, _: &mut parquet::file::writer::SerializedColumnWriter<'_>| {};
    for (schema, reason) in [
        (
            "required int64 time; required binary sensor (STRING); required double value;",
            "t.parquet: there is no column \"at\"; the columns are time, sensor, value",
        ),
        (
            "required binary at (STRING); required binary sensor (STRING); required double value;",
            "the column \"at\" is BYTE_ARRAY (String); expected a timestamp, or 64-bit integers (epoch milliseconds)",
        ),
        (
            "required int64 at (TIME(MICROS, true)); required binary sensor (STRING); required double value;",
            "expected a timestamp",
        ),
        (
            "required int64 at; required int64 sensor; required double value;",
            "the column \"sensor\" is INT64; expected strings",
        ),
        (
            "required int64 at; required binary sensor (STRING); repeated double value;",
            "the column \"value\" is a list of DOUBLE; expected doubles or floats",
        ),
        (
            "required int64 at; required binary sensor (STRING); required binary value (STRING);",
            "the column \"value\" is BYTE_ARRAY (String); expected doubles or floats",
        ),
    ] {
        columns(&case.path("t.parquet"), schema, empty);
        let output = case.run(&["--telemetry", "t.parquet", "--out", "events"]);
        assert_eq!(output.status.code(), Some(2), "{schema}");
        assert!(
            stderr(&output).contains(reason),
            "{} does not say {reason}",
            stderr(&output)
        );
    }
    // Rows that are none.
    let schema = "optional int64 at; optional binary sensor; optional double value;";
    for (at, sensor, reason) in [
        (None, Some("t1"), "t.parquet:2: the instant is null"),
        (Some(1), None, "t.parquet:2: the sensor is null"),
        (Some(1), Some(""), "t.parquet:2: the sensor is empty"),
    ] {
        columns(&case.path("t.parquet"), schema, |n, column| {
            let levels = |second: bool| [1, i16::from(second)];
            let written = match n {
                0 => column.typed::<Int64Type>().write_batch(
                    &[Some(0), at].into_iter().flatten().collect::<Vec<_>>(),
                    Some(&levels(at.is_some())),
                    None,
                ),
                1 => column.typed::<ByteArrayType>().write_batch(
                    &[Some("t1"), sensor]
                        .into_iter()
                        .flatten()
                        .map(ByteArray::from)
                        .collect::<Vec<_>>(),
                    Some(&levels(sensor.is_some())),
                    None,
                ),
                _ => column.typed::<DoubleType>().write_batch(
                    &[36.0, 36.0],
                    Some(&levels(true)),
                    None,
                ),
            };
            written.unwrap();
        });
        let output = case.run(&["--telemetry", "t.parquet"]);
        assert_eq!(output.status.code(), Some(2), "{reason}");
        assert!(
            stderr(&output).contains(reason),
            "{} does not say {reason}",
            stderr(&output)
        );
        let output = case.run(&["--telemetry", "t.parquet", "--skip-bad"]);
        assert_eq!(output.status.code(), Some(0), "{reason}");
        assert!(
            String::from_utf8(output.stdout)
                .unwrap()
                .contains("bad lines")
        );
    }
}

#[test]
fn damaged_columns_are_malformed() {
    let case = Case::new();
    let rows: String = (0..2_000)
        .map(|n| format!("{},t1,{}\n", n * 1_000, n % 50))
        .collect();
    case.file("t.csv", format!("at,sensor,value\n{rows}").as_bytes());
    case.convert("t.csv", "t.parquet");
    let whole = fs::read(case.path("t.parquet")).unwrap();
    let refused = |bytes: &[u8], what: &str| {
        case.file("t.parquet", bytes);
        let output = case.run(&["--telemetry", "t.parquet", "--out", "events"]);
        assert_eq!(output.status.code(), Some(2), "{what}: {}", stderr(&output));
        assert!(
            stderr(&output).contains("t.parquet: "),
            "{what}: {}",
            stderr(&output)
        );
        assert!(!case.path("events").exists(), "{what}");
    };
    for length in [4, 11, 100, whole.len() / 2, whole.len() - 1] {
        refused(&whole[..length], &format!("cut to {length}"));
    }
    refused(&whole[4..], "without its beginning");
    refused(b"at,sensor,value\n", "text with that name");
    // A damaged byte anywhere: found, or without consequence; never a crash.
    let mut found = 0;
    for n in (4..whole.len()).step_by(whole.len() / 60) {
        let mut damaged = whole.clone();
        damaged[n] ^= 0x55;
        case.file("t.parquet", &damaged);
        let output = case.run(&["--telemetry", "t.parquet"]);
        assert!(
            matches!(output.status.code(), Some(0 | 2)),
            "{n}: {}",
            stderr(&output)
        );
        found += usize::from(output.status.code() == Some(2));
    }
    assert!(found > 20, "only {found} of 60 were found");
}

#[test]
fn what_cannot_be_converted_leaves_nothing() {
    let case = Case::new();
    case.file("bad.csv", b"at,sensor,value\n0,t1,36\n1,t1,warm\n");
    let output = case.harit(&["convert", "--telemetry", "bad.csv", "--out", "t.parquet"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("bad.csv:3: \"warm\" is not a number"),
        "{}",
        stderr(&output)
    );
    assert_eq!(case.files(), ["bad.csv", "farm.json"]);
    let output = case.harit(&[
        "convert",
        "--telemetry",
        "bad.csv",
        "--out",
        "t.parquet",
        "--skip-bad",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        case.outcome("t.parquet", None)
            .1
            .contains("readings              1")
    );
    let output = case.harit(&["convert", "--telemetry", "t.parquet", "--out", "u.parquet"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("in columns already"),
        "{}",
        stderr(&output)
    );
}
