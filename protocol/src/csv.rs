//! A row of recorded telemetry: `at,sensor,value`.

use harit_engine::{Decimal, Measured, Timestamp};

/// A reading.
#[derive(Debug, PartialEq)]
pub struct Row<'a> {
    /// When it was true.
    pub at: Timestamp,
    /// The sensor's id.
    pub sensor: &'a str,
    /// The value.
    pub value: Measured,
    /// The value as it stands there.
    pub text: &'a str,
}

/// Whether the line is the header.
#[must_use]
pub fn is_header(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    line.trim_ascii() == b"at,sensor,value"
}

/// Reads a row; `None` for a blank line. The instant is epoch milliseconds or RFC 3339.
///
/// # Errors
/// What is wrong with it, for people.
pub fn parse(line: &[u8]) -> Result<Option<Row<'_>>, String> {
    let line = std::str::from_utf8(line)
        .map_err(|_| "the line is not UTF-8".to_owned())?
        .trim_ascii_end();
    if line.is_empty() {
        return Ok(None);
    }
    let mut fields = line.split(',');
    let (Some(at), Some(sensor), Some(value), None) =
        (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Err(format!(
            "expected 3 fields `at,sensor,value`, found {}",
            line.split(',').count()
        ));
    };
    if sensor.is_empty() {
        return Err("the sensor is empty".into());
    }
    Ok(Some(Row {
        at: instant(at)?,
        sensor,
        value: measured(value)?,
        text: value,
    }))
}

/// Epoch milliseconds or RFC 3339.
fn instant(text: &str) -> Result<Timestamp, String> {
    if let Ok(ms) = text.parse::<i64>() {
        return Ok(Timestamp::from_millis(ms));
    }
    let time: jiff::Timestamp = text
        .parse()
        .map_err(|_| format!("{text:?} is neither epoch milliseconds nor RFC 3339"))?;
    Ok(Timestamp::from_millis(time.as_millisecond()))
}

/// Empty is null, a word for a number that is not finite is a fault, anything else that is no number is malformed.
fn measured(text: &str) -> Result<Measured, String> {
    if text.is_empty() {
        return Ok(Measured::Null);
    }
    if let Some(decimal) = Decimal::parse(text) {
        return Ok(Measured::Value(decimal));
    }
    match text
        .trim_start_matches(['+', '-'])
        .to_ascii_lowercase()
        .as_str()
    {
        "nan" | "inf" | "infinity" => Ok(Measured::NotFinite),
        _ => Err(format!("{text:?} is not a number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let row = |line: &'static str| parse(line.as_bytes());
        let at = Timestamp::from_millis(1_576_450_800_000);
        let value = Measured::parse("27.4");
        let expected = Ok(Some(Row {
            at,
            sensor: "t1",
            value,
            text: "27.4",
        }));
        assert_eq!(row("1576450800000,t1,27.4"), expected);
        assert_eq!(row("2019-12-15T23:00:00Z,t1,27.4\r"), expected);
        assert_eq!(row("2019-12-16T04:30:00.000+05:30,t1,27.4"), expected);
        assert_eq!(
            row("0,t1,"),
            Ok(Some(Row {
                at: Timestamp::from_millis(0),
                sensor: "t1",
                value: Measured::Null,
                text: ""
            }))
        );
        assert_eq!(row("0,t1,NaN").unwrap().unwrap().value, Measured::NotFinite);
        assert_eq!(
            row("0,t1,-Infinity").unwrap().unwrap().value,
            Measured::NotFinite
        );
        assert_eq!(row("  "), Ok(None));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, reason) in [
            ("1,t1", "expected 3 fields `at,sensor,value`, found 2"),
            ("1,t1,2,3", "expected 3 fields `at,sensor,value`, found 4"),
            (
                "yesterday,t1,2",
                "\"yesterday\" is neither epoch milliseconds nor RFC 3339",
            ),
            ("1,,2", "the sensor is empty"),
            ("1,t1,warm", "\"warm\" is not a number"),
        ] {
            assert_eq!(parse(line.as_bytes()), Err(reason.to_owned()), "{line}");
        }
    }
}
