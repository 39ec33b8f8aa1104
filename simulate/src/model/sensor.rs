//! What a sensor makes of the true value: noise, and steps as fine as it can tell.

use harit_engine::SensorType;

use super::noise::Noise;

/// How finely and how noisily a sensor measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grade {
    /// Standard deviation of its noise, in its unit.
    pub noise: f64,
    /// The smallest step that it can tell.
    pub step: f64,
}

impl Grade {
    /// A sensor of that type as farms buy them.
    #[must_use]
    pub const fn usual(sensor_type: SensorType) -> Self {
        let (noise, step) = match sensor_type {
            SensorType::Temperature => (0.05, 0.1),
            SensorType::Humidity => (0.3, 0.1),
            SensorType::SoilMoisture => (0.1, 0.1),
            SensorType::Ph => (0.008, 0.01),
            SensorType::Ec => (0.004, 0.01),
            SensorType::ReservoirLevel => (0.1, 0.1),
            SensorType::LightIntensity => (80.0, 10.0),
            SensorType::Co2Level => (4.0, 1.0),
            SensorType::PhasePresent => (0.05, 1.0),
            further => match further.plausible_range().1 {
                ..=10_000 => (0.1, 0.1),
                _ => (10.0, 10.0),
            },
        };
        Self { noise, step }
    }

    /// The `n`-th measurement of a true value.
    #[must_use]
    pub fn measure(
        &self,
        sensor_type: SensorType,
        noise: Noise,
        stream: u64,
        n: u64,
        value: f64,
    ) -> f64 {
        let (min, max) = plausible(sensor_type);
        let noisy = value + self.noise * noise.bell(stream, n);
        // Rounding by the inverse keeps 27.4 from becoming 27.400000000000002.
        let per_unit = 1.0 / self.step;
        let stepped = if self.step < 1.0 {
            (noisy * per_unit).round() / per_unit.round()
        } else {
            (noisy / self.step).round() * self.step
        };
        stepped.clamp(min, max)
    }
}

fn plausible(sensor_type: SensorType) -> (f64, f64) {
    let (min, max) = sensor_type.plausible_range();
    let float = |v: i64| i32::try_from(v).map_or(0.0, f64::from);
    (float(min), float(max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_noisy_stepped_and_plausible() {
        for sensor_type in SensorType::ALL {
            let grade = Grade::usual(sensor_type);
            let (min, max) = plausible(sensor_type);
            let middle = f64::midpoint(min, max);
            let mut distinct = std::collections::BTreeSet::new();
            for n in 0..500 {
                for value in [middle, min, max] {
                    let v = grade.measure(sensor_type, Noise::new(1), 7, n, value);
                    assert!((min..=max).contains(&v), "{sensor_type} {v}");
                    assert!(
                        (v - value).abs() <= 4.0 * grade.noise + grade.step,
                        "{sensor_type} {v}"
                    );
                    let shown = format!("{v}");
                    assert!(shown.len() <= 10, "{sensor_type} shows {shown}");
                    if (value - middle).abs() < 1e-9 {
                        distinct.insert(shown);
                    }
                }
            }
            assert!(distinct.len() > 1, "{sensor_type} has no noise");
        }
    }
}
