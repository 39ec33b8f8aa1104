//! Exact linear conversions of decimals: from one unit to another, or from a raw number to what it stands for.

use crate::quantity::{Decimal, Quantity};

/// A conversion y = (factor · x + offset) / divisor. It is computed in integers, from micro-units to micro-units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversion {
    factor: i64,
    /// In micro-units times the divisor.
    offset: i128,
    /// Above zero.
    divisor: i64,
}

impl Conversion {
    /// Nothing is changed.
    pub const NONE: Self = Self::ratio(1, 1);

    /// A multiplication by factor / divisor. A divisor of zero counts as one.
    #[must_use]
    pub const fn ratio(factor: i64, divisor: i64) -> Self {
        Self::linear(factor, 0, divisor)
    }

    /// (factor · x + offset) / divisor, with the offset in units. A divisor below one counts as one.
    #[must_use]
    pub const fn linear(factor: i64, offset: i64, divisor: i64) -> Self {
        Self {
            factor,
            offset: offset as i128 * 1_000_000,
            divisor: if divisor < 1 { 1 } else { divisor },
        }
    }

    /// The line through two points (raw number, value); none where both have the same raw number.
    #[must_use]
    pub fn through(a: (Quantity, Quantity), b: (Quantity, Quantity)) -> Option<Self> {
        let (x1, y1) = (a.0.as_micro(), a.1.as_micro());
        let (x2, y2) = (b.0.as_micro(), b.1.as_micro());
        let (mut factor, mut divisor) = (y2.checked_sub(y1)?, x2.checked_sub(x1)?);
        if divisor == 0 {
            return None;
        }
        if divisor < 0 {
            (factor, divisor) = (factor.checked_neg()?, divisor.checked_neg()?);
        }
        let offset = i128::from(y1) * i128::from(divisor) - i128::from(x1) * i128::from(factor);
        Some(Self {
            factor,
            offset,
            divisor,
        })
    }

    /// Whether it changes nothing.
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.factor == self.divisor && self.offset == 0
    }

    /// The converted number, rounded as decimals are: to nearest, ties away from zero. A number that was cut to the largest
    /// that there is stays that: it is beyond every plausible range.
    #[must_use]
    pub fn of(self, x: Decimal) -> Decimal {
        if self.is_none() || x.is_cut() {
            return x;
        }
        let micro = i128::from(x.rounded().as_micro());
        // At most 1e15 · 9.3e18 + an offset of 4e30 to 1e34: far below 1.7e38.
        let exact = micro * i128::from(self.factor) + self.offset;
        let divisor = i128::from(self.divisor);
        let (quotient, rest) = (exact / divisor, exact % divisor);
        let away = rest.abs() * 2 >= divisor;
        let rounded = quotient + if away { rest.signum() } else { 0 };
        let sign = i128::signum(exact - rounded * divisor);
        let residue = match (sign, self.factor.signum()) {
            // On the point itself, what the number had lost when it was read decides.
            (0, factor) => i128::from(x.residue()) * i128::from(factor),
            (sign, _) => sign,
        };
        Decimal::cut(rounded, residue.signum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAHRENHEIT: Conversion = Conversion::linear(5, -160, 9);

    fn of(conversion: Conversion, text: &str) -> String {
        conversion
            .of(Decimal::parse(text).unwrap())
            .rounded()
            .to_string()
    }

    #[test]
    fn conversions_are_exact_and_rounded_once() {
        for (conversion, text, expected) in [
            (FAHRENHEIT, "32", "0"),
            (FAHRENHEIT, "212", "100"),
            (FAHRENHEIT, "68.3", "20.166667"),
            (FAHRENHEIT, "-40", "-40"),
            (Conversion::linear(100, -27_315, 100), "273.15", "0"),
            (Conversion::ratio(1, 1_000), "28200", "28.2"),
            (Conversion::ratio(1, 1_000), "0.0005", "0.000001"),
            (Conversion::ratio(1, 1_000), "-0.0005", "-0.000001"),
            (Conversion::ratio(1, 1_000), "0.000499", "0"),
            (Conversion::ratio(5, 18), "3.6", "1"),
            (Conversion::NONE, "27.4", "27.4"),
            (Conversion::ratio(1_000, 1), "1e9", "1000000000"),
            (Conversion::ratio(1_000, 1), "5e8", "1000000000"),
            (Conversion::ratio(1, 1_000_000), "1e30", "1000000000"),
        ] {
            assert_eq!(of(conversion, text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_beyond_an_edge_stays_beyond_it() {
        // 185 °F are 85 °C, the edge of what is plausible.
        let at = |text| FAHRENHEIT.of(Decimal::parse(text).unwrap());
        assert!(at("185").within(-40, 85));
        assert!(!at("185.0000001").within(-40, 85));
        assert!(!at("185.000001").within(-40, 85));
        assert!(!at("-40.0000001").within(-40, 85));
    }

    #[test]
    fn a_line_goes_through_its_points_whichever_way() {
        let q = |text| Decimal::parse(text).unwrap().rounded();
        let (empty, full) = ((q("150"), q("0")), (q("20"), q("100")));
        for line in [
            Conversion::through(empty, full),
            Conversion::through(full, empty),
        ] {
            let line = line.unwrap();
            assert_eq!(of(line, "150"), "0");
            assert_eq!(of(line, "20"), "100");
            assert_eq!(of(line, "85"), "50");
            assert_eq!(of(line, "33"), "90");
        }
        assert_eq!(Conversion::through(empty, (q("150"), q("1"))), None);
    }
}
