//! Exact quantities: decimal text in, 64-bit micro-units inside, no float between.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

const MICRO: i64 = 1_000_000;
/// Half of the rule editor's step of 0.1: the distance within which `eq` holds.
pub(crate) const EQ_DISTANCE: Quantity = Quantity(50_000);
/// Readings and thresholds beyond this many units are not quantities of a farm.
const MAX_UNITS: i64 = 1_000_000_000;

/// A value in micro-units (value x 1e6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Quantity(i64);

impl Quantity {
    /// A whole number of units.
    #[must_use]
    pub const fn from_units(units: i64) -> Self {
        Self(units.saturating_mul(MICRO))
    }

    /// A number of micro-units.
    #[must_use]
    pub const fn from_micro(micro: i64) -> Self {
        Self(micro)
    }

    /// The number of micro-units.
    #[must_use]
    pub const fn as_micro(self) -> i64 {
        self.0
    }

    /// The value as a whole number of units, if it is one.
    #[must_use]
    pub const fn as_units(self) -> Option<i64> {
        if self.0 % MICRO == 0 {
            Some(self.0 / MICRO)
        } else {
            None
        }
    }

    /// The nearest float, for showing and for JSON only: no decision is made with it.
    #[must_use]
    #[allow(
        clippy::cast_precision_loss,
        reason = "shown to people; exact below 2^53 micro-units"
    )]
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / MICRO as f64
    }

    /// The quantity nearest to a float, through its shortest decimal text.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        match Measured::parse(&value.to_string()) {
            Measured::Value(d) => Some(d.rounded()),
            Measured::Null | Measured::NotFinite => None,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, part) = (
            self.0.unsigned_abs() / MICRO.unsigned_abs(),
            self.0.unsigned_abs() % MICRO.unsigned_abs(),
        );
        if part == 0 {
            return write!(f, "{sign}{whole}");
        }
        let digits = format!("{part:06}");
        write!(f, "{sign}{whole}.{}", digits.trim_end_matches('0'))
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.as_units() {
            Some(units) => s.serialize_i64(units),
            None => s.serialize_f64(self.to_f64()),
        }
    }
}

/// A decimal number: rounded to micro-units, to nearest, ties away from zero, and on which side of that it really lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    micro: i64,
    /// The sign of (exact - rounded): plausible ranges are checked before rounding.
    residue: i8,
}

impl Decimal {
    /// A decimal that is exactly this quantity.
    #[must_use]
    pub const fn exact(q: Quantity) -> Self {
        Self {
            micro: q.0,
            residue: 0,
        }
    }

    /// The nearest quantity.
    #[must_use]
    pub const fn rounded(self) -> Quantity {
        Quantity(self.micro)
    }

    /// A number of micro-units, cut to the largest that there is, and on which side of it the exact one lies.
    pub(crate) fn cut(micro: i128, residue: i128) -> Self {
        let limit = MAX_UNITS * MICRO;
        let within = micro.clamp(-i128::from(limit), i128::from(limit));
        let residue = if within == micro {
            residue
        } else {
            micro.signum()
        };
        Self {
            micro: i64::try_from(within).unwrap_or(limit),
            residue: i8::try_from(residue).unwrap_or(0),
        }
    }

    /// Whether it is the largest number that there is, in whose place larger ones stand too.
    pub(crate) const fn is_cut(self) -> bool {
        self.micro.unsigned_abs() >= MAX_UNITS.unsigned_abs() * MICRO.unsigned_abs()
    }

    /// The sign of what rounding took away.
    pub(crate) const fn residue(self) -> i8 {
        self.residue
    }

    /// Whether the number, unrounded, lies in the closed range of whole units.
    #[must_use]
    pub const fn within(self, min_units: i64, max_units: i64) -> bool {
        let (min, max) = (min_units * MICRO, max_units * MICRO);
        (self.micro > min || (self.micro == min && self.residue >= 0))
            && (self.micro < max || (self.micro == max && self.residue <= 0))
    }

    /// Reads a JSON-style decimal number: digits, one point, an exponent, a sign. `None` where the text is no number.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.as_bytes() {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            all => (false, all),
        };
        let mut mantissa = Mantissa::default();
        let (mut any, mut point, mut i) = (false, false, 0);
        while let Some(&b) = digits.get(i) {
            match b {
                b'0'..=b'9' => {
                    any = true;
                    mantissa.push(b - b'0', point);
                }
                b'.' if !point => point = true,
                b'e' | b'E' if any => break,
                _ => return None,
            }
            i += 1;
        }
        if !any {
            return None;
        }
        let exponent = match digits.get(i..) {
            None | Some([]) => 0,
            Some(e) => parse_exponent(e.get(1..)?)?,
        };
        Some(mantissa.into_decimal(exponent, negative))
    }
}

fn parse_exponent(text: &[u8]) -> Option<i32> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        all => (1, all),
    };
    if digits.is_empty() {
        return None;
    }
    let mut e: i32 = 0;
    for b in digits {
        if !b.is_ascii_digit() {
            return None;
        }
        e = e
            .saturating_mul(10)
            .saturating_add(i32::from(b - b'0'))
            .min(100_000);
    }
    Some(sign * e)
}

/// The significant digits of a number: value = digits x 10^scale, plus less than one unit of the last if `more`.
#[derive(Default)]
struct Mantissa {
    digits: u128,
    scale: i32,
    more: bool,
}

impl Mantissa {
    /// Past 30 digits only whether anything follows matters.
    const MAX: u128 = 10_u128.pow(30);

    fn push(&mut self, digit: u8, after_point: bool) {
        if self.digits >= Self::MAX {
            self.more |= digit != 0;
            self.scale = self.scale.saturating_add(i32::from(!after_point));
        } else {
            self.digits = self.digits * 10 + u128::from(digit);
            self.scale = self.scale.saturating_sub(i32::from(after_point));
        }
    }

    fn into_decimal(self, exponent: i32, negative: bool) -> Decimal {
        let shift = self.scale.saturating_add(exponent).saturating_add(6);
        let limit = MAX_UNITS.unsigned_abs() * MICRO.unsigned_abs();
        let (rounded, residue) = if self.digits == 0 {
            (0, 0)
        } else if shift > 0 {
            // At most 31 digits x 10^k: anything past the limit saturates.
            let scaled = u32::try_from(shift)
                .ok()
                .and_then(|s| 10_u128.checked_pow(s))
                .and_then(|p| self.digits.checked_mul(p));
            (
                u64::try_from(scaled.unwrap_or(u128::MAX)).unwrap_or(u64::MAX),
                i8::from(self.more),
            )
        } else {
            match u32::try_from(-shift)
                .ok()
                .and_then(|s| 10_u128.checked_pow(s))
            {
                None => (0, 1),
                Some(unit) => {
                    let (q, r) = (self.digits / unit, self.digits % unit);
                    let up = r * 2 >= unit;
                    let residue = if up { -1 } else { i8::from(r > 0 || self.more) };
                    (
                        u64::try_from(q + u128::from(up)).unwrap_or(u64::MAX),
                        residue,
                    )
                }
            }
        };
        let (magnitude, residue) = if rounded > limit {
            (limit, 1)
        } else {
            (rounded, residue)
        };
        let magnitude = i64::try_from(magnitude).unwrap_or(i64::MAX);
        if negative {
            Decimal {
                micro: -magnitude,
                residue: -residue,
            }
        } else {
            Decimal {
                micro: magnitude,
                residue,
            }
        }
    }
}

/// What a sensor reported: a number, nothing, or something that is not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// A finite number, not yet checked against the sensor type's plausible range.
    Value(Decimal),
    /// `null`, or an empty field.
    Null,
    /// `NaN`, an infinity, or no number at all.
    NotFinite,
}

impl Measured {
    /// A value that is exactly this quantity.
    #[must_use]
    pub const fn exact(q: Quantity) -> Self {
        Self::Value(Decimal::exact(q))
    }

    /// Reads the text of a field: empty and `null` are null, a decimal number is a value, the rest is not finite.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match text {
            "" | "null" => Self::Null,
            other => Decimal::parse(other).map_or(Self::NotFinite, Self::Value),
        }
    }
}

impl From<f64> for Measured {
    fn from(value: f64) -> Self {
        if value.is_finite() {
            Self::parse(&value.to_string())
        } else {
            Self::NotFinite
        }
    }
}

impl Serialize for Measured {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(d) => d.rounded().serialize(s),
            Self::Null => s.serialize_none(),
            Self::NotFinite => s.serialize_str("NaN"),
        }
    }
}

/// From the number's own decimal text, so that no float stands between.
impl<'de> Deserialize<'de> for Measured {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let raw = <Box<RawValue>>::deserialize(d)?;
        let text = raw.get();
        Ok(if text == "null" {
            Self::Null
        } else {
            Decimal::parse(text).map_or(Self::NotFinite, Self::Value)
        })
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match Measured::deserialize(d)? {
            Measured::Value(v) => Ok(v.rounded()),
            _ => Err(serde::de::Error::custom("expected a number")),
        }
    }
}

/// An exact mean: the sum of the fresh values and how many there are (at least one).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mean {
    /// Sum of the values, in micro-units.
    pub sum: i64,
    /// How many values.
    pub count: u32,
}

impl Mean {
    /// As shown to people: two decimals, ties away from zero.
    #[must_use]
    pub fn shown(self) -> Quantity {
        let hundredth = i128::from(MICRO / 100) * i128::from(self.count.max(1));
        let sum = i128::from(self.sum);
        let n = (sum.abs() * 2 + hundredth) / (hundredth * 2) * sum.signum();
        Quantity(
            i64::try_from(n)
                .unwrap_or(i64::MAX)
                .saturating_mul(MICRO / 100),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str, micro: i64, residue: i8) {
        assert_eq!(
            Decimal::parse(text),
            Some(Decimal { micro, residue }),
            "{text}"
        );
    }

    #[test]
    fn reads_decimal_text_to_nearest_ties_away_from_zero() {
        for (text, micro, residue) in [
            ("27.4", 27_400_000, 0),
            ("-0.0", 0, 0),
            ("0.0000005", 1, -1),
            ("-0.0000005", -1, 1),
            ("0.00000049999999999999999999999999999999999999", 0, 1),
            ("0.00000050000000000000000000000000000000000001", 1, -1),
            ("1e3", 1_000_000_000, 0),
            ("1.5E-3", 1_500, 0),
            ("100.0000001", 100_000_000, 1),
            ("99.9999999", 100_000_000, -1),
            ("1e-320", 0, 1),
            ("123456789.123456789", 123_456_789_123_457, -1),
            ("1e308", 1_000_000_000_000_000, 1),
            ("-1e308", -1_000_000_000_000_000, -1),
            ("0e999999999", 0, 0),
        ] {
            decimal(text, micro, residue);
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "", "-", ".", "e5", "1e", "1e+", "NaN", "inf", "1,5", "1.2.3", "0x10", " 1", "1 ",
            "1e5e5",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn range_is_checked_before_rounding() {
        let within = |text| Decimal::parse(text).is_some_and(|d| d.within(0, 100));
        assert!(within("100") && within("0") && within("99.9999999"));
        assert!(!within("100.0000001") && !within("-0.0000001"));
    }

    #[test]
    fn means_are_shown_with_two_decimals() {
        for (sum, count, shown) in [
            (10_005_000, 1, "10.01"),
            (-10_005_000, 1, "-10.01"),
            (10, 3, "0"),
            (20_000_000, 3, "6.67"),
        ] {
            assert_eq!(Mean { sum, count }.shown().to_string(), shown);
        }
    }
}
