//! Values in lines: through their own decimal text, so that no float stands between.

use harit_engine::{Decimal, Measured, Quantity};
use serde_json::value::RawValue;

use super::LineError;
use super::fields::excerpt;

/// Reads a number or null, as it is journaled; text that is no number (`"NaN"`) is a fault, anything else is no reading.
pub(super) fn measured(raw: &RawValue) -> Result<Measured, LineError> {
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'-' | b'0'..=b'9' | b'n') => Ok(crate::canonical(Measured::parse(text))),
        Some(b'"') => Ok(Measured::NotFinite),
        _ => Err(LineError::Value {
            field: "value",
            found: excerpt(raw),
            expected: "a number or null",
        }),
    }
}

pub(super) fn number(
    field: &'static str,
    raw: Option<&RawValue>,
) -> Result<Option<Quantity>, LineError> {
    let Some(raw) = raw else { return Ok(None) };
    match Measured::parse(raw.get()) {
        Measured::Null => Ok(None),
        Measured::Value(d) => Ok(Some(d.rounded())),
        Measured::NotFinite => Err(LineError::Value {
            field,
            found: excerpt(raw),
            expected: "a number",
        }),
    }
}

/// A value's decimal text, which reads back as the same value; at a whole unit, with the side on which it really lies.
#[must_use]
pub fn measured_text(value: Measured) -> String {
    let d = match value {
        Measured::Null => return "null".to_owned(),
        Measured::NotFinite => return "\"NaN\"".to_owned(),
        Measured::Value(d) => d,
    };
    let rounded = d.rounded();
    match rounded.as_units() {
        Some(units) if d != Decimal::exact(rounded) => {
            // On which side of the whole number it really lies.
            let above = d.within(units, units.saturating_add(1));
            let tenth_of_a_micro = i128::from(units) * 10_000_000 + if above { 1 } else { -1 };
            let sign = if tenth_of_a_micro < 0 { "-" } else { "" };
            let magnitude = tenth_of_a_micro.unsigned_abs();
            format!(
                "{sign}{}.{:07}",
                magnitude / 10_000_000,
                magnitude % 10_000_000
            )
        }
        _ => rounded.to_string(),
    }
}
