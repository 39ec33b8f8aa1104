//! Decimal numbers of doubles, one at a time and in whole columns.

use harit_engine::{Measured, Quantity};

/// Millionths below which every decimal number of millionths has a double of its own: 15 digits.
const DISTINCT: f64 = 1e15;

/// What added to a double below 2^51 leaves its nearest whole number in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// The millionths that a double stands for, and whether it does stand for some.
///
/// A number of millionths `m` with at most 15 digits whose nearest double this is is already the shortest number that reads
/// back as this double (no other number of at most 15 digits has the same double), and dividing two doubles that are exact
/// gives the nearest double of the quotient. So one division tells whether `m` is it. There is no branch, so that several can
/// be done at once.
#[inline]
fn millionths(value: f64) -> (i64, bool) {
    let scaled = value * 1e6;
    let rounded = scaled + ROUND;
    let micro = rounded
        .to_bits()
        .cast_signed()
        .wrapping_sub(ROUND.to_bits().cast_signed());
    #[allow(clippy::float_cmp, reason = "it is that double, or it is not")]
    let same = (rounded - ROUND) / 1e6 == value;
    (micro, same & (scaled.abs() < DISTINCT))
}

/// The decimal number that a double stands for: the shortest that reads back as that double. Going through text is slow, and
/// only done where it has to be.
pub(super) fn measured(value: f64) -> Measured {
    match millionths(value) {
        (micro, true) => Measured::exact(Quantity::from_micro(micro)),
        _ => Measured::parse(&value.to_string()),
    }
}

/// Marks what is no number of millionths: the place in the table of such is added to it.
const OTHER: i64 = i64::MIN;

/// The values of a batch: millionths, or the place of what is none in a table.
pub(super) struct Decimals {
    cells: Vec<i64>,
    /// The first is null.
    others: Vec<Measured>,
}

impl Default for Decimals {
    fn default() -> Self {
        Self {
            cells: Vec::new(),
            others: vec![Measured::Null],
        }
    }
}

impl Decimals {
    /// Takes the values of so many rows, each what [`measured`] makes of it. Where there are fewer values than rows, a row
    /// whose level is 0 has none.
    pub(super) fn set(&mut self, values: &[f64], levels: &[i16], rows: usize) {
        self.cells.clear();
        self.others.truncate(1);
        if values.len() == rows {
            self.extend(values);
            return;
        }
        let mut left = values;
        for run in levels.split(|level| *level == 0) {
            let (of_run, after) = left.split_at(run.len().min(left.len()));
            self.extend(of_run);
            // The null that ended the run; after the last run there is none.
            self.cells.push(OTHER);
            left = after;
        }
        self.cells.truncate(rows);
    }

    fn extend(&mut self, values: &[f64]) {
        let from = self.cells.len();
        self.cells.resize(from + values.len(), 0);
        let cells = &mut self.cells[from..];
        let mut all = true;
        for (cell, value) in cells.iter_mut().zip(values) {
            let (micro, exact) = millionths(*value);
            *cell = micro;
            all &= exact;
        }
        if all {
            return;
        }
        for (cell, value) in cells.iter_mut().zip(values) {
            if !millionths(*value).1 {
                *cell = OTHER + i64::try_from(self.others.len()).unwrap_or(0);
                self.others.push(measured(*value));
            }
        }
    }

    /// The values in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Value<'_>> {
        self.cells.iter().map(|cell| {
            let place = cell.wrapping_sub(OTHER).cast_unsigned();
            let place = usize::try_from(place).ok();
            match place.and_then(|n| self.others.get(n)) {
                Some(other) => Value::Other(other),
                None => Value::Exact(Quantity::from_micro(*cell)),
            }
        })
    }
}

/// A value of a batch. Nearly all are exact, and copying a [`Measured`] that may be anything is slow: its parts are written
/// apart and read together.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Exact(Quantity),
    Other(&'a Measured),
}

impl Value<'_> {
    pub(crate) const fn measured(self) -> Measured {
        match self {
            Self::Exact(quantity) => Measured::exact(quantity),
            Self::Other(other) => *other,
        }
    }
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

    #[test]
    fn a_column_has_what_each_of_its_values_is() {
        let ordinary: Vec<f64> = (0..700).map(|n| f64::from(n) * 0.1 - 30.0).collect();
        let odd = [f64::NAN, 1e300, -0.0, 0.1234567, f64::INFINITY, 1e15, -1e9];
        let mut column = Decimals::default();
        // Which rows are null; and whether the values are of both kinds.
        for null in [
            (|_| false) as fn(usize) -> bool,
            |n| n == 0,
            |n| n % 7 == 3,
            |n| n > 600,
            |_| true,
        ] {
            for all in [ordinary.clone(), [&ordinary[..], &odd].concat()] {
                let levels: Vec<i16> = (0..all.len()).map(|n| i16::from(!null(n))).collect();
                let rows = all.iter().zip(&levels);
                let values: Vec<f64> = rows.filter(|(_, l)| **l > 0).map(|(v, _)| *v).collect();
                column.set(&values, &levels, all.len());
                let expected: Vec<Measured> = all
                    .iter()
                    .enumerate()
                    .map(|(n, v)| {
                        if null(n) {
                            Measured::Null
                        } else {
                            measured(*v)
                        }
                    })
                    .collect();
                let found: Vec<Measured> = column.iter().map(Value::measured).collect();
                assert_eq!(found, expected);
            }
        }
    }
}
