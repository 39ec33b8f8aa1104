//! A reading as a line of InfluxDB's line protocol, as QuestDB reads it.

use std::fmt::Write as _;

use harit_ingest::history::good;
use harit_ingest::past::Said;

use crate::columnar::double;

/// Bits of `pos` for a reading's place in its batch, and for the batch.
const PLACE_BITS: u32 = 16;
const BATCH_BITS: u32 = 37;

/// The position in the journals as one number: in their order, as long as there are fewer than 1,024 generations.
pub(super) fn position(generation: u64, batch: u64, place: u64) -> i64 {
    let low = |n: u64, bits: u32| n & ((1 << bits) - 1);
    let place = place.min((1 << PLACE_BITS) - 1);
    let all = low(generation, 10) << (BATCH_BITS + PLACE_BITS)
        | low(batch, BATCH_BITS) << PLACE_BITS
        | place;
    all.cast_signed()
}

/// Adds a line. A value that is no number is left out of it.
pub(super) fn push(out: &mut String, table: &str, said: &Said<'_>, position: i64) {
    out.push_str(table);
    let sensor_type = said.sensor.sensor_type;
    for (name, value) in [
        ("farm", said.farm.as_str()),
        ("sensor", said.sensor.id.as_str()),
        ("type", sensor_type.as_str()),
    ] {
        out.push(',');
        out.push_str(name);
        out.push('=');
        escape(out, value);
    }
    out.push(' ');
    let value = said.reading.value;
    if let Some(value) = double(value, "").filter(|v| v.is_finite()) {
        // a String takes everything
        let _ = write!(out, "value={value},");
    }
    let good = if good(sensor_type, value).is_some() {
        't'
    } else {
        'f'
    };
    let ns = i128::from(said.reading.at.as_millis()) * 1_000_000;
    let _ = writeln!(out, "good={good},pos={position}i {ns}");
}

fn escape(out: &mut String, value: &str) {
    for c in value.chars() {
        if matches!(c, ',' | '=' | ' ' | '\\' | '\n' | '\r') {
            out.push('\\');
        }
        out.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_in_the_journals_order() {
        let all = [
            position(1, 1, 0),
            position(1, 1, 1),
            position(1, 2, 0),
            position(1, 1 << 36, 70_000),
            position(2, 1, 0),
            position(1_023, (1 << 37) - 1, u64::MAX),
        ];
        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
        assert!(all[0] > 0);
    }

    #[test]
    fn names_are_escaped() {
        let mut out = String::new();
        escape(&mut out, r"a b,c=d\e");
        assert_eq!(out, r"a\ b\,c\=d\\e");
    }
}
