//! Decimals and money as they are stored: whole numbers of millionths and of paise.

use std::fmt;

use harit_engine::Quantity;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::table::Value;

/// Millionths of a unit.
const MICRO: i128 = 1_000_000;

/// A quantity in millionths of its unit: a decimal number in JSON, never a float in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, sqlx::Type, ToSchema)]
#[sqlx(transparent)]
#[schema(value_type = f64)]
pub(crate) struct Decimal(pub i64);

/// Paise; an integer in JSON too.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Default,
    sqlx::Type,
    Serialize,
    Deserialize,
    ToSchema,
)]
#[sqlx(transparent)]
#[schema(value_type = i64)]
pub(crate) struct Paise(pub i64);

impl Serialize for Decimal {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        Quantity::from_micro(self.0).serialize(s)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Quantity::deserialize(d).map(|q| Self(q.as_micro()))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Quantity::from_micro(self.0).fmt(f)
    }
}

impl Paise {
    /// What so much costs at this price for one unit, rounded to the paisa, halves up.
    pub(crate) fn times(self, quantity: Decimal) -> Self {
        let exact = i128::from(self.0) * i128::from(quantity.0);
        Self(i64::try_from((exact + MICRO / 2).div_euclid(MICRO)).unwrap_or(i64::MAX))
    }

    /// The part of it that so much is of a whole, rounded likewise; nothing of a whole that is none.
    pub(crate) fn share(self, part: Decimal, whole: Decimal) -> Self {
        if whole.0 <= 0 {
            return Self(0);
        }
        let whole = i128::from(whole.0);
        let exact = i128::from(self.0) * i128::from(part.0);
        Self(i64::try_from((2 * exact + whole).div_euclid(2 * whole)).unwrap_or(i64::MAX))
    }
}

impl From<Decimal> for Value {
    fn from(d: Decimal) -> Self {
        d.0.into()
    }
}

impl From<Option<Decimal>> for Value {
    fn from(d: Option<Decimal>) -> Self {
        d.map(|d| d.0).into()
    }
}

impl From<Paise> for Value {
    fn from(p: Paise) -> Self {
        p.0.into()
    }
}

impl From<Option<Paise>> for Value {
    fn from(p: Option<Paise>) -> Self {
        p.map(|p| p.0).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn units(n: i64) -> Decimal {
        Decimal(n * 1_000_000)
    }

    #[test]
    fn prices_are_multiplied_exactly() {
        assert_eq!(Paise(3_050).times(units(20)), Paise(61_000));
        // 12.345 kg at 33.33 rupees are 411.45885 rupees
        assert_eq!(Paise(3_333).times(Decimal(12_345_000)), Paise(41_146));
        assert_eq!(Paise(1).times(Decimal(500_000)), Paise(1), "a half goes up");
        assert_eq!(Paise(1).times(Decimal(499_999)), Paise(0));
        assert_eq!(Paise(i64::MAX).times(units(2)), Paise(i64::MAX));
    }

    #[test]
    fn a_share_of_a_value_is_rounded_to_the_paisa() {
        assert_eq!(Paise(100).share(units(1), units(3)), Paise(33));
        assert_eq!(Paise(100).share(units(2), units(3)), Paise(67));
        assert_eq!(Paise(100).share(units(3), units(3)), Paise(100));
        assert_eq!(Paise(100).share(units(3), units(0)), Paise(0));
    }

    #[test]
    fn a_decimal_keeps_its_digits() {
        let read: Decimal = serde_json::from_str("0.001").expect("a number");
        assert_eq!(read, Decimal(1_000));
        assert_eq!(
            serde_json::to_string(&Decimal(12_345_000)).expect("JSON"),
            "12.345"
        );
    }
}
