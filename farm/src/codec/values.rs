//! How numbers, bytes and measured values are written, and how the values are read again.

use harit_engine::{Decimal, Measured, Quantity};

pub(super) fn put_u64(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push((value & 0x7f) as u8);
}

pub(super) fn put_i64(out: &mut Vec<u8>, value: i64) {
    put_u64(out, zigzag(value));
}

pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_u64(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

const fn zigzag(value: i64) -> u64 {
    (value.unsigned_abs() << 1).wrapping_sub((value < 0) as u64)
}

pub(super) const fn unzigzag(value: u64) -> i64 {
    let half = (value >> 1).cast_signed();
    if value & 1 == 1 { !half } else { half }
}

/// The lowest two bits say what it is; see [`harit_protocol::canonical`] for why three kinds of number are enough.
pub(super) fn pack(value: Measured) -> u64 {
    const EXACT: u64 = 0;
    const ABOVE: u64 = 1;
    const BELOW: u64 = 2;
    const NONE: u64 = 3;
    match value {
        Measured::Null => NONE,
        Measured::NotFinite => NONE | 1 << 2,
        Measured::Value(d) => {
            let q = d.rounded();
            let kind = match q.as_units() {
                Some(units) if d != Decimal::exact(q) => {
                    if d.within(units, units.saturating_add(1)) {
                        ABOVE
                    } else {
                        BELOW
                    }
                }
                _ => EXACT,
            };
            zigzag(q.as_micro()) << 2 | kind
        }
    }
}

pub(super) fn unpack(word: u64) -> Measured {
    let q = Quantity::from_micro(unzigzag(word >> 2));
    match word & 3 {
        0 => Measured::exact(q),
        3 if word >> 2 == 0 => Measured::Null,
        3 => Measured::NotFinite,
        side => {
            // Rare: a number that was rounded to a whole unit. Its side is found again by reading such a number.
            let tenths =
                i128::from(q.as_units().unwrap_or(0)) * 10_000_000 + if side == 1 { 1 } else { -1 };
            let sign = if tenths < 0 { "-" } else { "" };
            let n = tenths.unsigned_abs();
            Measured::parse(&format!("{sign}{}.{:07}", n / 10_000_000, n % 10_000_000))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive() {
        for text in [
            "0",
            "27.4",
            "-40",
            "-0.000001",
            "100.0000001",
            "99.9999999",
            "-0.0000001",
            "-39.99999999",
            "-40.00000001",
            "1e308",
            "-1e308",
            "null",
            "NaN",
            "123456789.123456",
        ] {
            let value = harit_protocol::canonical(Measured::parse(text));
            assert_eq!(unpack(pack(value)), value, "{text}");
            assert_eq!(
                Measured::parse(harit_protocol::jsonl::measured_text(value).trim_matches('"')),
                value,
                "{text}"
            );
        }
        for n in [0, 1, -1, i64::MAX, i64::MIN] {
            assert_eq!(unzigzag(zigzag(n)), n);
        }
    }
}
