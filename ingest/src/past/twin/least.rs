//! Ordinary least squares by the normal equations, for a few unknowns.

/// What is added to the diagonal of the normal equations, whose columns are scaled to one: so columns that say the same have an answer.
const RIDGE: f64 = 1e-6;

/// Sums of rows: `X'X`, `X'y` and `y'y`.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    unknowns: usize,
    rows: f64,
    xx: Vec<f64>,
    xy: Vec<f64>,
    yy: f64,
}

/// What fits best.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Solved {
    /// The value of each unknown; zero where it was left out.
    pub(super) value: Vec<f64>,
    /// Its standard error; zero likewise.
    pub(super) error: Vec<f64>,
}

impl Sums {
    pub(super) fn new(unknowns: usize) -> Self {
        Self {
            unknowns,
            rows: 0.0,
            xx: vec![0.0; unknowns * unknowns],
            xy: vec![0.0; unknowns],
            yy: 0.0,
        }
    }

    pub(super) fn add(&mut self, x: &[f64], y: f64) {
        for (i, a) in x.iter().enumerate() {
            for (j, b) in x.iter().enumerate() {
                self.xx[i * self.unknowns + j] += a * b;
            }
            self.xy[i] += a * y;
        }
        self.yy += y * y;
        self.rows += 1.0;
    }

    /// Solves for the unknowns that are kept; none where there are too few rows, or what is kept has no answer.
    pub(super) fn solve(&self, kept: &[usize]) -> Option<Solved> {
        let n = kept.len();
        #[allow(clippy::cast_precision_loss, reason = "a few unknowns")]
        let freedom = self.rows - n as f64;
        if freedom < 1.0 {
            return None;
        }
        let at = |i: usize, j: usize| self.xx[kept[i] * self.unknowns + kept[j]];
        let scale: Vec<f64> = (0..n).map(|i| at(i, i).sqrt()).collect();
        if scale.iter().any(|s| *s <= 0.0 || !s.is_finite()) {
            return None;
        }
        let ridged = |i: usize, j: usize| {
            at(i, j) / (scale[i] * scale[j]) + if i == j { RIDGE } else { 0.0 }
        };
        let low = cholesky(n, ridged)?;
        let right: Vec<f64> = (0..n).map(|i| self.xy[kept[i]] / scale[i]).collect();
        let scaled = substitute(&low, n, right);
        let explained: f64 = (0..n)
            .map(|i| scaled[i] * self.xy[kept[i]] / scale[i])
            .sum();
        let variance = ((self.yy - explained) / freedom).max(0.0);
        let mut solved = Solved {
            value: vec![0.0; self.unknowns],
            error: vec![0.0; self.unknowns],
        };
        for i in 0..n {
            let unit = (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect();
            let inverse = substitute(&low, n, unit)[i];
            solved.value[kept[i]] = scaled[i] / scale[i];
            solved.error[kept[i]] = (variance * inverse).sqrt() / scale[i];
        }
        Some(solved)
    }
}

/// The lower triangle `L` of a symmetric matrix `L L'`, row by row; none of one that is not positive.
fn cholesky(n: usize, of: impl Fn(usize, usize) -> f64) -> Option<Vec<f64>> {
    let mut low = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let before: f64 = (0..j).map(|k| low[i * n + k] * low[j * n + k]).sum();
            let left = of(i, j) - before;
            if i != j {
                low[i * n + j] = left / low[j * n + j];
            } else if left > 0.0 {
                low[i * n + i] = left.sqrt();
            } else {
                return None;
            }
        }
    }
    Some(low)
}

/// Solves `L L' x = right`.
fn substitute(low: &[f64], n: usize, mut right: Vec<f64>) -> Vec<f64> {
    for i in 0..n {
        let before: f64 = (0..i).map(|k| low[i * n + k] * right[k]).sum();
        right[i] = (right[i] - before) / low[i * n + i];
    }
    for i in (0..n).rev() {
        let after: f64 = (i + 1..n).map(|k| low[k * n + i] * right[k]).sum();
        right[i] = (right[i] - after) / low[i * n + i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-4
    }

    #[test]
    fn a_plane_is_found_and_what_is_left_out_is_zero() {
        let mut sums = Sums::new(3);
        for i in 0..40 {
            let (a, b) = (f64::from(i % 7), f64::from(i % 5) - 2.0);
            let off = if i % 2 == 0 { 0.1 } else { -0.1 };
            sums.add(&[1.0, a, b], 4.0 + 2.0 * a - 3.0 * b + off);
        }
        let all = sums.solve(&[0, 1, 2]).unwrap();
        for (value, truth) in all.value.iter().zip([4.0, 2.0, -3.0]) {
            assert!((value - truth).abs() < 0.05, "{all:?}");
        }
        assert!(all.error.iter().all(|e| *e > 0.001 && *e < 0.1), "{all:?}");
        let two = sums.solve(&[0, 2]).unwrap();
        assert!(near(two.value[1], 0.0) && near(two.error[1], 0.0));
        assert!(two.error[2] > all.error[2], "what is left out is noise");
    }

    #[test]
    fn what_says_the_same_has_an_answer_and_what_says_nothing_has_none() {
        let mut sums = Sums::new(3);
        for i in 0..10 {
            sums.add(&[f64::from(i), f64::from(i), 0.0], 6.0 * f64::from(i));
        }
        let both = sums.solve(&[0, 1]).unwrap();
        assert!(near(both.value[0] + both.value[1], 6.0), "{both:?}");
        assert_eq!(sums.solve(&[0, 2]), None);
        assert_eq!(Sums::new(1).solve(&[0]), None);
    }
}
