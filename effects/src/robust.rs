//! Medians: a few wild values move them little.

/// Where values lie and how far they scatter, in micro-units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spread {
    pub(crate) median: i64,
    /// The median distance from the median times 1.4826: the standard deviation, where they lie as a bell.
    pub(crate) scale: i64,
    pub(crate) count: usize,
}

impl Spread {
    /// Of values; none where there are none.
    pub(crate) fn of(values: &[i64]) -> Option<Self> {
        let middle = median(values.to_vec())?;
        let far = values
            .iter()
            .map(|v| v.saturating_sub(middle).saturating_abs());
        let mad = median(far.collect())?;
        Some(Self {
            median: middle,
            scale: scaled(mad),
            count: values.len(),
        })
    }
}

/// A median distance as a standard deviation.
pub(crate) fn scaled(mad: i64) -> i64 {
    i64::try_from(i128::from(mad) * 14_826 / 10_000).unwrap_or(i64::MAX)
}

/// The middle one; of an even number the mean of the middle two, towards zero.
pub(crate) fn median(mut values: Vec<i64>) -> Option<i64> {
    if values.is_empty() {
        return None;
    }
    values.sort_unstable();
    let half = values.len() / 2;
    let upper = *values.get(half)?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = *values.get(half - 1)?;
    i64::try_from(i128::midpoint(lower.into(), upper.into())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wild_value_moves_nothing() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3, 1, 2]), Some(2));
        assert_eq!(median(vec![4, 1, 2, 3]), Some(2));
        let calm = Spread::of(&[10, 12, 14, 16, 18]).unwrap();
        let wild = Spread::of(&[10, 12, 14, 16, 9_000_000]).unwrap();
        assert_eq!((calm.median, wild.median), (14, 14));
        assert_eq!((calm.scale, wild.scale), (2, 2));
    }
}
