//! A fertigation tank: its level, and the pH and EC of what is in it.
//!
//! pH is kept as alkalinity surplus through a buffer: a dose of acid moves it less in the middle of the scale, where
//! bicarbonate holds it, and less in a full tank than in an empty one. EC is a salt balance: nutrient adds, refill dilutes.

/// A tank and the water that refills it.
#[derive(Debug, Clone, PartialEq)]
pub struct TankSpec {
    /// Litres.
    pub capacity_l: f64,
    /// What its refill pump gives, l/min.
    pub refill_l_min: f64,
    /// pH of the well.
    pub well_ph: f64,
    /// EC of the well, mS/cm.
    pub well_ec: f64,
    /// How much pH rises by itself in an hour (roots, lost carbon dioxide).
    pub ph_drift_per_hour: f64,
}

impl Default for TankSpec {
    fn default() -> Self {
        Self {
            capacity_l: 2_000.0,
            refill_l_min: 80.0,
            well_ph: 7.6,
            well_ec: 0.55,
            ph_drift_per_hour: 0.15,
        }
    }
}

/// What a dosing pump adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reagent {
    /// Nitric acid: pH goes down.
    Acid,
    /// Potassium hydroxide: pH goes up.
    Base,
    /// Stock solution of nutrients: EC goes up, pH a little down.
    Nutrient,
}

/// Milliequivalents in a millilitre of acid or base.
const STRENGTH_MEQ_ML: f64 = 15.0;
/// mS/cm that one millilitre of stock solution adds to one litre.
const STOCK_EC: f64 = 2.5;
/// Milliequivalents of acid in a millilitre of stock solution.
const STOCK_ACID_MEQ_ML: f64 = 0.6;
/// mS/cm that one meq/l of acid or base adds.
const SALT_EC: f64 = 0.05;
const PH_RANGE: (f64, f64) = (1.0, 13.0);
const MAX_EC: f64 = 19.0;
/// pH and EC electrodes stand in this part of the tank that never runs empty.
const DEAD_VOLUME: f64 = 0.005;

/// The state of a tank's content.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Content {
    /// Litres.
    pub litres: f64,
    /// pH.
    pub ph: f64,
    /// EC, mS/cm.
    pub ec: f64,
}

/// What acts on a tank.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TankDrive {
    /// The refill pump, 0 to 1.
    pub refill: f64,
    /// Acid, ml/s.
    pub acid_ml_s: f64,
    /// Base, ml/s.
    pub base_ml_s: f64,
    /// Stock solution, ml/s.
    pub nutrient_ml_s: f64,
}

/// A tank.
#[derive(Debug, Clone)]
pub struct Tank {
    spec: TankSpec,
    content: Content,
}

impl Tank {
    /// A tank filled to `level` %.
    #[must_use]
    pub fn new(spec: TankSpec, level: f64, ph: f64, ec: f64) -> Self {
        let litres = spec.capacity_l * level / 100.0;
        Self {
            spec,
            content: Content { litres, ph, ec },
        }
    }

    /// What is in it.
    #[must_use]
    pub const fn content(&self) -> &Content {
        &self.content
    }

    /// How full it is, %.
    #[must_use]
    pub fn level(&self) -> f64 {
        100.0 * self.content.litres / self.spec.capacity_l
    }

    /// Takes up to `litres` out and gives what there was.
    pub(super) fn draw(&mut self, litres: f64) -> f64 {
        let floor = self.spec.capacity_l * DEAD_VOLUME;
        let drawn = litres.clamp(0.0, (self.content.litres - floor).max(0.0));
        self.content.litres -= drawn;
        drawn
    }

    /// Lets `dt` seconds pass.
    pub(super) fn step(&mut self, dt: f64, drive: &TankDrive) {
        let s = &self.spec;
        let refill = (s.refill_l_min / 60.0 * dt * drive.refill.clamp(0.0, 1.0))
            .min(s.capacity_l - self.content.litres);
        let content = &mut self.content;
        if refill > 0.0 {
            // The pH of the mixture lies between the two along a line: good enough where both are buffered alike.
            let part = refill / (content.litres + refill);
            content.ph += part * (s.well_ph - content.ph);
            content.ec += part * (s.well_ec - content.ec);
            content.litres += refill;
        }
        let litres = content.litres.max(s.capacity_l * DEAD_VOLUME);
        let ml = |rate: f64| rate.max(0.0) * dt / litres;
        let (acid, base, stock) = (
            ml(drive.acid_ml_s),
            ml(drive.base_ml_s),
            ml(drive.nutrient_ml_s),
        );
        let meq = STRENGTH_MEQ_ML * (base - acid) - STOCK_ACID_MEQ_ML * stock;
        content.ph = titrate(
            content.ph,
            meq + s.ph_drift_per_hour / 3_600.0 * dt * buffer(content.ph),
        );
        let salt = STOCK_EC * stock + SALT_EC * STRENGTH_MEQ_ML * (acid + base);
        content.ec = (content.ec + salt).clamp(0.0, MAX_EC);
    }
}

/// How many meq/l move the pH by one: bicarbonate in the middle, free acid and base at the ends.
fn buffer(ph: f64) -> f64 {
    let free = std::f64::consts::LN_10 * 1_000.0 * (10f64.powf(-ph) + 10f64.powf(ph - 14.0));
    let ratio = 10f64.powf(6.35 - ph);
    0.8 + std::f64::consts::LN_10 * 4.0 * ratio / (1.0 + ratio).powi(2) + free
}

/// The pH after adding `meq` of base (acid, if negative) to each litre, in pieces small against the buffer.
fn titrate(mut ph: f64, meq: f64) -> f64 {
    let pieces = 32;
    for _ in 0..pieces {
        let piece = meq / f64::from(pieces) / buffer(ph);
        ph = (ph + piece.clamp(-0.5, 0.5)).clamp(PH_RANGE.0, PH_RANGE.1);
    }
    ph
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tank() -> Tank {
        Tank::new(TankSpec::default(), 50.0, 6.5, 1.3)
    }

    fn after(seconds: u32, drive: TankDrive) -> Content {
        let mut tank = tank();
        for _ in 0..seconds {
            tank.step(1.0, &drive);
        }
        *tank.content()
    }

    #[test]
    fn the_pump_fills_and_the_drip_line_drains() {
        let mut tank = tank();
        for _ in 0..600 {
            tank.step(
                1.0,
                &TankDrive {
                    refill: 1.0,
                    ..TankDrive::default()
                },
            );
        }
        assert!((tank.level() - 90.0).abs() < 0.1, "{}", tank.level());
        for _ in 0..600 {
            tank.step(
                1.0,
                &TankDrive {
                    refill: 1.0,
                    ..TankDrive::default()
                },
            );
        }
        assert!(tank.level() <= 100.0, "a full tank takes no more");
        assert!((tank.draw(500.0) - 500.0).abs() < 1e-9);
        assert!((tank.level() - 75.0).abs() < 0.1, "{}", tank.level());
        assert!(tank.draw(5_000.0) < 1_500.0, "no more than there is");
        assert!(tank.level() > 0.0);
    }

    #[test]
    fn dosing_moves_ph_and_ec_by_what_a_pulse_may() {
        let rest = TankDrive::default();
        let acid = after(
            5,
            TankDrive {
                acid_ml_s: 10.0,
                ..rest
            },
        );
        assert!((6.2..6.45).contains(&acid.ph), "{acid:?}");
        let base = after(
            5,
            TankDrive {
                base_ml_s: 10.0,
                ..rest
            },
        );
        assert!((6.55..6.9).contains(&base.ph), "{base:?}");
        let nutrient = after(
            10,
            TankDrive {
                nutrient_ml_s: 10.0,
                ..rest
            },
        );
        assert!((1.45..1.65).contains(&nutrient.ec), "{nutrient:?}");
        assert!(nutrient.ph < 6.5);
    }

    #[test]
    fn twice_the_flow_doses_twice() {
        let with = |flow| {
            6.5 - after(
                4,
                TankDrive {
                    acid_ml_s: flow,
                    ..TankDrive::default()
                },
            )
            .ph
        };
        assert!(
            (with(5.0) / with(2.5) - 2.0).abs() < 0.2,
            "{} {}",
            with(5.0),
            with(2.5)
        );
    }

    #[test]
    fn refilling_dilutes_and_brings_the_wells_ph() {
        let full = after(
            600,
            TankDrive {
                refill: 1.0,
                ..TankDrive::default()
            },
        );
        assert!((0.9..1.05).contains(&full.ec), "{full:?}");
        assert!((6.9..7.2).contains(&full.ph), "{full:?}");
    }

    #[test]
    fn ph_drifts_up_by_itself() {
        let hour = after(3_600, TankDrive::default());
        assert!((hour.ph - 6.65).abs() < 0.02, "{hour:?}");
    }
}
