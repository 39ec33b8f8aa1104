//! Randomness without state: every value is a function of the seed, a stream and a position.
//!
//! A generator that is advanced step by step would make the weather depend on how often the model was stepped. Here the
//! cloud at 11:40 is the same whatever the speed, the step size and the order of the calls.

/// A seeded source of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noise {
    seed: u64,
}

impl Noise {
    /// The source for that seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// 64 well-mixed bits (the finaliser of SplitMix64).
    #[must_use]
    pub const fn bits(self, stream: u64, position: u64) -> u64 {
        let mut z = self
            .seed
            .wrapping_add(stream.wrapping_mul(0xD1B5_4A32_D192_ED03))
            .wrapping_add(position.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Evenly spread over [-1, 1).
    #[must_use]
    pub fn even(self, stream: u64, position: u64) -> f64 {
        let top = u32::try_from(self.bits(stream, position) >> 32).unwrap_or(0);
        f64::from(top) / f64::from(u32::MAX) * 2.0 - 1.0
    }

    /// Bell shaped with standard deviation 1, never beyond 3.5: the sum of four even values.
    #[must_use]
    pub fn bell(self, stream: u64, position: u64) -> f64 {
        let sum: f64 = (0..4)
            .map(|i| self.even(stream ^ (i << 56), position.wrapping_mul(4) + i))
            .sum();
        sum * 0.866
    }

    /// A smooth curve over time within [-1, 1]: random values every `period` seconds, joined by cosine arcs.
    #[must_use]
    pub fn curve(self, stream: u64, seconds: f64, period: f64) -> f64 {
        let x = (seconds.max(0.0) / period).min(1e15);
        let whole = x.floor();
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "x lies within 0 and 1e15"
        )]
        let cell = whole as u64;
        let blend = (1.0 - ((x - whole) * std::f64::consts::PI).cos()) / 2.0;
        let (a, b) = (self.even(stream, cell), self.even(stream, cell + 1));
        a + (b - a) * blend
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_values_and_another_seed_others() {
        let (a, b) = (Noise::new(7), Noise::new(8));
        assert_eq!(a.bits(1, 2), Noise::new(7).bits(1, 2));
        assert_ne!(a.bits(1, 2), b.bits(1, 2));
        assert_ne!(a.bits(1, 2), a.bits(2, 1));
    }

    #[test]
    fn values_are_spread_as_promised() {
        let noise = Noise::new(3);
        let n = 20_000;
        let (mut sum, mut squares, mut even) = (0.0, 0.0, 0.0);
        for i in 0..n {
            let v = noise.bell(5, i);
            assert!(v.abs() <= 3.5, "{v}");
            sum += v;
            squares += v * v;
            even += noise.even(6, i);
        }
        let n = f64::from(u32::try_from(n).unwrap());
        assert!((sum / n).abs() < 0.03, "mean {}", sum / n);
        assert!((squares / n - 1.0).abs() < 0.05, "variance {}", squares / n);
        assert!((even / n).abs() < 0.03, "mean {}", even / n);
    }

    #[test]
    fn a_curve_is_smooth_and_bounded() {
        let noise = Noise::new(11);
        let mut last = noise.curve(1, 0.0, 600.0);
        for s in 1..20_000 {
            let v = noise.curve(1, f64::from(s), 600.0);
            assert!(v.abs() <= 1.0);
            assert!((v - last).abs() < 0.01, "a jump at {s}");
            last = v;
        }
    }
}
