//! The water in a zone's grow bags: the drip line gives, the crop takes, what is too much drains away.

/// A zone's planting.
#[derive(Debug, Clone, PartialEq)]
pub struct BedSpec {
    /// Substrate, litres.
    pub substrate_l: f64,
    /// What an open drip valve gives, l/min.
    pub drip_l_min: f64,
    /// The part of its polyhouse's ground that the zone covers.
    pub share: f64,
    /// Water by volume that the substrate holds against gravity, %.
    pub field_capacity: f64,
    /// Water by volume that the crop can no longer draw, %.
    pub wilting_point: f64,
}

impl Default for BedSpec {
    fn default() -> Self {
        Self {
            substrate_l: 8_000.0,
            drip_l_min: 20.0,
            share: 1.0,
            field_capacity: 48.0,
            wilting_point: 12.0,
        }
    }
}

/// The highest water content by volume, %: all pores are full.
const SATURATED: f64 = 70.0;
/// What drains of the surplus over field capacity in an hour.
const DRAINAGE_PER_HOUR: f64 = 1.5;

/// A zone's substrate.
#[derive(Debug, Clone)]
pub struct Bed {
    spec: BedSpec,
    moisture: f64,
}

impl Bed {
    /// A bed with that water content, %.
    #[must_use]
    pub const fn new(spec: BedSpec, moisture: f64) -> Self {
        Self { spec, moisture }
    }

    /// Water by volume, %.
    #[must_use]
    pub const fn moisture(&self) -> f64 {
        self.moisture
    }

    /// Litres that it would take in `dt` seconds with its valve open so far.
    pub(super) fn wants(&self, dt: f64, valve: f64) -> f64 {
        self.spec.drip_l_min / 60.0 * dt * valve.clamp(0.0, 1.0)
    }

    /// Lets `dt` seconds pass with so many litres given, in a house of `ground_m2` whose crop draws `drawn` g/(m² s).
    pub(super) fn step(&mut self, dt: f64, given_l: f64, ground_m2: f64, drawn: f64) {
        let s = &self.spec;
        // A crop that runs dry closes its leaves.
        let available = ((self.moisture - s.wilting_point) / 8.0).clamp(0.0, 1.0);
        // Some water is lost from the bags themselves, day and night.
        let lost_l = (drawn * ground_m2 * s.share / 1_000.0 + 2e-4) * available * dt;
        let surplus = (self.moisture - s.field_capacity).max(0.0);
        let drained = surplus * (1.0 - (-DRAINAGE_PER_HOUR * dt / 3_600.0).exp());
        let change = 100.0 * (given_l - lost_l) / s.substrate_l - drained;
        self.moisture = (self.moisture + change).clamp(0.0, SATURATED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(start: f64, hours: u32, litres_per_min: f64, drawn: f64) -> f64 {
        let mut bed = Bed::new(BedSpec::default(), start);
        for _ in 0..hours * 60 {
            bed.step(60.0, litres_per_min, 560.0, drawn);
        }
        bed.moisture()
    }

    #[test]
    fn the_drip_line_wets_and_the_crop_dries() {
        let bed = Bed::new(BedSpec::default(), 34.0);
        assert!((bed.wants(60.0, 1.0) - 20.0).abs() < 1e-9);
        assert!(bed.wants(60.0, 0.0).abs() < 1e-9);
        assert!(after(34.0, 1, 20.0, 0.02) > 45.0);
        assert!(after(34.0, 4, 0.0, 0.02) < 33.0);
    }

    #[test]
    fn the_crop_draws_more_when_it_transpires_more() {
        assert!(after(40.0, 6, 0.0, 0.05) < after(40.0, 6, 0.0, 0.005) - 2.0);
    }

    #[test]
    fn a_wet_bed_drains_to_field_capacity_and_a_dry_one_keeps_its_last_water() {
        let drained = after(68.0, 12, 0.0, 0.0);
        assert!((46.0..48.5).contains(&drained), "{drained}");
        let dry = after(15.0, 24 * 20, 0.0, 0.05);
        assert!((11.9..13.0).contains(&dry), "{dry}");
    }
}
