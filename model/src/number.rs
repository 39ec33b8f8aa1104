//! Decimal text to exact integers: millionths, to nearest, ties away from zero.

/// How many digits are kept exactly; whether anything follows them is kept as one more digit.
const KEPT_DIGITS: usize = 30;

/// A decimal number as it was written: `mantissa * 10^exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    mantissa: i128,
    exponent: i64,
}

impl Decimal {
    /// Reads `-12.5`, `1e3` and the like; `None` for anything else, `NaN` and `inf` included.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, body) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (number, power) = match body.split_once(['e', 'E']) {
            Some((number, power)) => (number, power.parse::<i64>().ok()?),
            None => (body, 0),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let mut exponent = power.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        let mut mantissa: i128 = 0;
        let mut kept = 0;
        let mut rest = false;
        for digit in digits {
            if kept < KEPT_DIGITS {
                mantissa = mantissa * 10 + i128::from(digit - b'0');
                kept += usize::from(mantissa != 0);
            } else {
                rest |= digit != b'0';
                exponent += 1;
            }
        }
        if rest {
            mantissa = mantissa * 10 + 1;
            exponent -= 1;
        }
        Some(Self {
            mantissa: if negative { -mantissa } else { mantissa },
            exponent,
        })
    }

    /// Whether it lies in `low..=high`, as written, before any rounding.
    #[must_use]
    pub fn is_within(self, low: i64, high: i64) -> bool {
        // One side is scaled up until both are whole; what saturates is larger than anything on the other side.
        let up = |n: i128, power: u64| {
            u32::try_from(power)
                .ok()
                .and_then(|p| 10_i128.checked_pow(p))
                .map_or(n.signum().saturating_mul(i128::MAX), |scale| {
                    n.saturating_mul(scale)
                })
        };
        if self.exponent >= 0 {
            let value = up(self.mantissa, self.exponent.unsigned_abs());
            i128::from(low) <= value && value <= i128::from(high)
        } else {
            let power = self.exponent.unsigned_abs();
            up(i128::from(low), power) <= self.mantissa
                && self.mantissa <= up(i128::from(high), power)
        }
    }

    /// Millionths, to nearest, ties away from zero; `None` when too large for 64 bits.
    #[must_use]
    pub fn micros(self) -> Option<i64> {
        let power = self.exponent.checked_add(6)?;
        let scale = u32::try_from(power.unsigned_abs())
            .ok()
            .and_then(|p| 10_i128.checked_pow(p));
        let exact = if self.mantissa == 0 {
            0
        } else if power >= 0 {
            self.mantissa.checked_mul(scale?)?
        } else {
            let Some(scale) = scale else { return Some(0) };
            let half_up = (self.mantissa.abs() + scale / 2) / scale;
            half_up * self.mantissa.signum()
        };
        i64::try_from(exact).ok()
    }
}

/// A quotient to the nearest whole number, ties away from zero; the divisor is above zero.
pub(crate) fn nearest(number: i128, by: i128) -> i64 {
    let whole = (2 * number.abs() + by) / (2 * by);
    i64::try_from(whole * number.signum()).unwrap_or(i64::MAX)
}

/// Millionths as the shortest decimal text.
#[must_use]
pub fn text_of_micros(micros: i64) -> String {
    let sign = if micros < 0 { "-" } else { "" };
    let (whole, fraction) = (
        micros.unsigned_abs() / 1_000_000,
        micros.unsigned_abs() % 1_000_000,
    );
    if fraction == 0 {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{fraction:06}")
            .trim_end_matches('0')
            .to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn micros_round_to_nearest_ties_away() {
        for (text, micros) in [
            ("0", Some(0)),
            ("-0.0", Some(0)),
            ("1", Some(1_000_000)),
            ("24.9999995", Some(25_000_000)),
            (
                "24.9999994999999999999999999999999999999999",
                Some(24_999_999),
            ),
            (
                "24.9999995000000000000000000000000000000001",
                Some(25_000_000),
            ),
            ("-0.0000005", Some(-1)),
            ("-0.00000049", Some(0)),
            ("1e-7", Some(0)),
            ("5e-7", Some(1)),
            ("1.5e1", Some(15_000_000)),
            ("1e-400", Some(0)),
            ("0e400", Some(0)),
            ("1e400", None),
            ("9223372036854.775807", Some(i64::MAX)),
            ("9223372036854.7758075", None),
        ] {
            assert_eq!(Decimal::parse(text).unwrap().micros(), micros, "{text}");
        }
        for text in ["", "-", ".", "NaN", "inf", "1e", "0x1", "1 "] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn ranges_are_checked_before_rounding() {
        for (text, inside) in [
            ("85", true),
            ("85.0000000", true),
            ("85.00000000000000000000000000000000000000000000001", false),
            ("-40.0000001", false),
            ("-40", true),
            ("1e300", false),
            ("-1e-300", true),
            ("8500e-2", true),
        ] {
            assert_eq!(
                Decimal::parse(text).unwrap().is_within(-40, 85),
                inside,
                "{text}"
            );
        }
        assert!(!Decimal::parse("-1e-300").unwrap().is_within(0, 100));
    }

    #[test]
    fn text_is_short() {
        for (micros, text) in [
            (0, "0"),
            (2_500_000, "2.5"),
            (-1, "-0.000001"),
            (100_000_000, "100"),
        ] {
            assert_eq!(text_of_micros(micros), text);
        }
    }
}
