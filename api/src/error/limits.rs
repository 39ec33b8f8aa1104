//! The limits of a value: numbers in a problem are fields of it, and stand in its sentence.

use crate::language::{Language, Text};
use crate::records::Decimal;

const MICRO: i64 = 1_000_000;

/// From where to where a value may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// None where it goes without saying.
    pub(super) min: Option<Decimal>,
    pub(super) max: Decimal,
}

impl Limits {
    /// Of whole numbers.
    pub(crate) const fn numbers(min: i64, max: i64) -> Self {
        Self {
            min: Some(Decimal(min.saturating_mul(MICRO))),
            max: Decimal(max.saturating_mul(MICRO)),
        }
    }

    /// From a decimal to a whole number.
    pub(crate) const fn decimals(min: Decimal, max: i64) -> Self {
        Self {
            min: Some(min),
            max: Decimal(max.saturating_mul(MICRO)),
        }
    }

    pub(crate) const fn at_most(max: Decimal) -> Self {
        Self { min: None, max }
    }

    /// Of how many characters, or entries, there may be.
    pub(crate) fn length(max: usize) -> Self {
        Self::at_most(Decimal(
            i64::try_from(max).unwrap_or(i64::MAX).saturating_mul(MICRO),
        ))
    }

    /// In words.
    pub(super) fn say(&self, language: Language) -> String {
        let number = |d: Decimal| language.digits(&d.to_string());
        match self.min {
            Some(min) => Text::Between
                .say(language)
                .replace("{min}", &number(min))
                .replace("{max}", &number(self.max)),
            None => Text::AtMost
                .say(language)
                .replace("{max}", &number(self.max)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_said_in_the_digits_of_the_language() {
        let limits = Limits::decimals(Decimal(1_000), 100);
        assert_eq!(limits.say(Language::En), "0.001 to 100");
        assert_eq!(limits.say(Language::Mr), "०.००१ ते १००");
        assert_eq!(Limits::length(5).say(Language::Hi), "ज़्यादा से ज़्यादा 5");
    }
}
