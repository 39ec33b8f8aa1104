//! Truth in three values, and the operators of comparisons.

use serde::{Deserialize, Serialize};

use crate::quantity::EQ_DISTANCE;

/// True, false, or without evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Truth {
    /// It is so.
    True,
    /// It is not so.
    False,
    /// There is no evidence.
    Unknown,
}

impl Truth {
    pub(crate) const fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
        }
    }

    pub(crate) fn all(truths: impl Iterator<Item = Self>) -> Self {
        let mut all = Self::True;
        for t in truths {
            match t {
                Self::False => return Self::False,
                Self::Unknown => all = Self::Unknown,
                Self::True => {}
            }
        }
        all
    }

    pub(crate) fn any(truths: impl Iterator<Item = Self>) -> Self {
        Self::all(truths.map(Self::not)).not()
    }
}

/// How a signal is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// mean > value
    Gt,
    /// mean >= value
    Gte,
    /// mean < value
    Lt,
    /// mean <= value
    Lte,
    /// |mean - value| < 0.05
    Eq,
    /// value <= mean <= value_max
    Between,
}

impl Operator {
    /// Whether it holds between the mean of `count` values, at least one, whose sum that is, and the thresholds. Exact.
    #[inline]
    pub(crate) fn holds(self, value: i64, value_max: i64, sum: i64, count: u32) -> bool {
        let (sum, n) = (i128::from(sum), i128::from(count));
        let (value, max) = (i128::from(value) * n, i128::from(value_max) * n);
        match self {
            Self::Gt => sum > value,
            Self::Gte => sum >= value,
            Self::Lt => sum < value,
            Self::Lte => sum <= value,
            Self::Eq => (sum - value).abs() < i128::from(EQ_DISTANCE.as_micro()) * n,
            Self::Between => value <= sum && sum <= max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_values_join_as_the_page_says() {
        use Truth::{False, True, Unknown};
        for (truths, all, any) in [
            (vec![True, True], True, True),
            (vec![True, Unknown], Unknown, True),
            (vec![False, Unknown], False, Unknown),
            (vec![Unknown], Unknown, Unknown),
            (vec![False, True], False, True),
        ] {
            assert_eq!(
                (
                    Truth::all(truths.iter().copied()),
                    Truth::any(truths.iter().copied())
                ),
                (all, any)
            );
        }
    }
}
