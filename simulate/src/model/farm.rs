//! The parts of a farm put together: who draws from which tank, what each actuator moves, what each probe sees.

use super::house::{Air, House, HouseDrive, HouseSpec, MAX_STEP};
use super::noise::Noise;
use super::soil::{Bed, BedSpec};
use super::tank::{Reagent, Tank, TankDrive, TankSpec};
use super::weather::{Climate, Sky, Weather};

/// A zone of a polyhouse: its bed, its water content (%) at the start, and the tank (by index) that feeds it.
#[derive(Debug, Clone)]
pub struct ZonePart {
    /// Its planting.
    pub bed: BedSpec,
    /// Water by volume at the start, %.
    pub moisture: f64,
    /// Which of the farm's tanks feeds its drip line.
    pub tank: usize,
}

/// A polyhouse with its zones.
#[derive(Debug, Clone)]
pub struct HousePart {
    /// How it is built.
    pub house: HouseSpec,
    /// Its air at the start.
    pub air: Air,
    /// The share of the house's air flow that each of its fans makes, 0 to 1.
    pub fans: Vec<f64>,
    /// Its zones.
    pub zones: Vec<ZonePart>,
}

/// A tank with its content at the start.
#[derive(Debug, Clone)]
pub struct TankPart {
    /// How it is built.
    pub tank: TankSpec,
    /// How full it is, %.
    pub level: f64,
    /// pH.
    pub ph: f64,
    /// EC, mS/cm.
    pub ec: f64,
}

/// What a farm is made of.
#[derive(Debug, Clone)]
pub struct FarmSpec {
    /// Where it lies.
    pub climate: Climate,
    /// Its polyhouses.
    pub houses: Vec<HousePart>,
    /// Its tanks.
    pub tanks: Vec<TankPart>,
}

/// What a device moves. Numbers are indices into the farm's houses, their zones, and its tanks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Actuator {
    /// A fan of a house.
    Fan {
        /// The house.
        house: usize,
        /// Which of its fans.
        fan: usize,
    },
    /// The vents of a house.
    Vent {
        /// The house.
        house: usize,
    },
    /// The fogging line of a house.
    Fog {
        /// The house.
        house: usize,
    },
    /// The drip valve of a zone.
    Drip {
        /// The house.
        house: usize,
        /// The zone.
        zone: usize,
    },
    /// The pump that refills a tank.
    Refill {
        /// The tank.
        tank: usize,
    },
    /// A dosing pump of a tank; it is driven in ml/s.
    Dose {
        /// The tank.
        tank: usize,
        /// What it adds.
        reagent: Reagent,
    },
}

/// What a sensor sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    /// Air temperature of a house, °C.
    Temperature(usize),
    /// Relative humidity of a house, %.
    Humidity(usize),
    /// Light in a house, lux.
    Light(usize),
    /// Carbon dioxide in a house, ppm.
    Co2(usize),
    /// Water in the substrate of a house's zone, %.
    SoilMoisture(usize, usize),
    /// How full a tank is, %.
    Level(usize),
    /// pH of a tank.
    Ph(usize),
    /// EC of a tank, mS/cm.
    Ec(usize),
}

struct Planted {
    bed: Bed,
    tank: usize,
    valve: f64,
}

struct Fan {
    share: f64,
    speed: f64,
}

struct Built {
    house: House,
    zones: Vec<Planted>,
    vents: f64,
    fog: f64,
    fans: Vec<Fan>,
}

struct Vessel {
    tank: Tank,
    drive: TankDrive,
}

/// A farm whose time is moved by [`Farm::step`].
pub struct Farm {
    sky: Sky,
    seconds: f64,
    houses: Vec<Built>,
    tanks: Vec<Vessel>,
}

impl Farm {
    /// The farm at `seconds` after midnight of 1 January by its own clocks, everything switched off.
    #[must_use]
    pub fn new(spec: &FarmSpec, seed: u64, seconds: f64) -> Self {
        let sky = Sky::new(spec.climate.clone(), Noise::new(seed));
        let planted = |z: &ZonePart| Planted {
            bed: Bed::new(z.bed.clone(), z.moisture),
            tank: z.tank,
            valve: 0.0,
        };
        let built = |h: &HousePart| Built {
            house: House::new(h.house.clone(), h.air),
            zones: h.zones.iter().map(planted).collect(),
            vents: 0.0,
            fog: 0.0,
            fans: h
                .fans
                .iter()
                .map(|&share| Fan { share, speed: 0.0 })
                .collect(),
        };
        let vessel = |t: &TankPart| Vessel {
            tank: Tank::new(t.tank.clone(), t.level, t.ph, t.ec),
            drive: TankDrive::default(),
        };
        Self {
            sky,
            seconds,
            houses: spec.houses.iter().map(built).collect(),
            tanks: spec.tanks.iter().map(vessel).collect(),
        }
    }

    /// Seconds since midnight of 1 January by the farm's clocks.
    #[must_use]
    pub const fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The weather outside now.
    #[must_use]
    pub fn weather(&self) -> Weather {
        self.sky.at(self.seconds)
    }

    /// Drives an actuator: 0 to 1, or ml/s for a dosing pump. What the farm does not have is nothing.
    pub fn drive(&mut self, actuator: Actuator, level: f64) {
        let level = if level.is_finite() {
            level.max(0.0)
        } else {
            0.0
        };
        match actuator {
            Actuator::Fan { house, fan } => {
                if let Some(f) = self.houses.get_mut(house).and_then(|h| h.fans.get_mut(fan)) {
                    f.speed = level;
                }
            }
            Actuator::Vent { house } => {
                if let Some(h) = self.houses.get_mut(house) {
                    h.vents = level;
                }
            }
            Actuator::Fog { house } => {
                if let Some(h) = self.houses.get_mut(house) {
                    h.fog = level;
                }
            }
            Actuator::Drip { house, zone } => {
                if let Some(z) = self
                    .houses
                    .get_mut(house)
                    .and_then(|h| h.zones.get_mut(zone))
                {
                    z.valve = level;
                }
            }
            Actuator::Refill { tank } => {
                if let Some(t) = self.tanks.get_mut(tank) {
                    t.drive.refill = level;
                }
            }
            Actuator::Dose { tank, reagent } => {
                if let Some(t) = self.tanks.get_mut(tank) {
                    match reagent {
                        Reagent::Acid => t.drive.acid_ml_s = level,
                        Reagent::Base => t.drive.base_ml_s = level,
                        Reagent::Nutrient => t.drive.nutrient_ml_s = level,
                    }
                }
            }
        }
    }

    /// Lets `dt` seconds pass, in steps as small as the model needs.
    pub fn step(&mut self, dt: f64) {
        let mut left = if dt.is_finite() { dt.max(0.0) } else { 0.0 };
        while left > 0.0 {
            let part = left.min(MAX_STEP);
            self.small_step(part);
            left -= part;
        }
    }

    fn small_step(&mut self, dt: f64) {
        let weather = self.weather();
        for built in &mut self.houses {
            let fans = built.fans.iter().map(|f| f.share * f.speed).sum();
            let drawn = built.house.step(
                dt,
                &weather,
                HouseDrive {
                    fans,
                    vents: built.vents,
                    fog: built.fog,
                },
            );
            let ground = built.house.ground_m2();
            for zone in &mut built.zones {
                let wanted = zone.bed.wants(dt, zone.valve);
                let given = self
                    .tanks
                    .get_mut(zone.tank)
                    .map_or(0.0, |t| t.tank.draw(wanted));
                zone.bed.step(dt, given, ground, drawn);
            }
        }
        for vessel in &mut self.tanks {
            vessel.tank.step(dt, &vessel.drive);
        }
        self.seconds += dt;
    }

    /// The true value at a probe; none for a part that the farm does not have.
    #[must_use]
    pub fn value(&self, probe: Probe) -> Option<f64> {
        let house = |i: usize| self.houses.get(i);
        let air = |i: usize| house(i).map(|h| h.house.air());
        let tank = |i: usize| self.tanks.get(i).map(|t| &t.tank);
        match probe {
            Probe::Temperature(h) => air(h).map(|a| a.air_c),
            Probe::Humidity(h) => air(h).map(Air::humidity),
            Probe::Light(h) => air(h).map(|a| a.lux),
            Probe::Co2(h) => air(h).map(|a| a.co2_ppm),
            Probe::SoilMoisture(h, z) => house(h)
                .and_then(|h| h.zones.get(z))
                .map(|z| z.bed.moisture()),
            Probe::Level(t) => tank(t).map(Tank::level),
            Probe::Ph(t) => tank(t).map(|t| t.content().ph),
            Probe::Ec(t) => tank(t).map(|t| t.content().ec),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::{DAY, YEAR};

    fn spec(level: f64) -> FarmSpec {
        let zone = |tank| ZonePart {
            bed: BedSpec {
                share: 0.5,
                ..BedSpec::default()
            },
            moisture: 36.0,
            tank,
        };
        let house = |zones| HousePart {
            house: HouseSpec::default(),
            air: Air::new(24.0, 65.0),
            fans: vec![0.5, 0.5],
            zones,
        };
        let tank = TankPart {
            tank: TankSpec::default(),
            level,
            ph: 6.4,
            ec: 1.3,
        };
        FarmSpec {
            climate: Climate::pune(),
            houses: vec![house(vec![zone(0), zone(0)]), house(vec![zone(1)])],
            tanks: vec![tank.clone(), tank],
        }
    }

    fn noon() -> f64 {
        15.0 * DAY + 12.0 * 3_600.0
    }

    #[test]
    fn a_drip_valve_moves_water_from_its_tank_to_its_zone() {
        let mut farm = Farm::new(&spec(60.0), 1, noon());
        farm.drive(Actuator::Drip { house: 0, zone: 1 }, 1.0);
        farm.step(900.0);
        let value = |p| farm.value(p).unwrap();
        assert!(value(Probe::SoilMoisture(0, 1)) > 39.0);
        assert!(value(Probe::SoilMoisture(0, 0)) < 36.0);
        assert!(
            (value(Probe::Level(0)) - 45.0).abs() < 0.1,
            "300 of 2,000 l are gone"
        );
        assert!((value(Probe::Level(1)) - 60.0).abs() < 0.1);
    }

    #[test]
    fn an_empty_tank_gives_nothing() {
        let mut farm = Farm::new(&spec(1.0), 1, noon());
        farm.drive(Actuator::Drip { house: 1, zone: 0 }, 1.0);
        farm.step(3_600.0);
        let value = |p| farm.value(p).unwrap();
        assert!(value(Probe::SoilMoisture(1, 0)) < 36.5);
        assert!(value(Probe::Level(1)) >= 0.0);
    }

    #[test]
    fn fans_of_one_house_leave_the_other_alone() {
        let mut farm = Farm::new(&spec(60.0), 1, noon());
        farm.step(3_600.0);
        for fan in 0..2 {
            farm.drive(Actuator::Fan { house: 1, fan }, 1.0);
        }
        farm.step(900.0);
        let (still, aired) = (
            farm.value(Probe::Temperature(0)).unwrap(),
            farm.value(Probe::Temperature(1)).unwrap(),
        );
        assert!(aired < still - 4.0, "{aired} against {still}");
    }

    #[test]
    fn same_seed_and_steps_same_farm() {
        let run = |seed| {
            let mut farm = Farm::new(&spec(60.0), seed, noon());
            for i in 0..500 {
                farm.drive(Actuator::Fan { house: 0, fan: 0 }, f64::from(i % 3) / 2.0);
                farm.step(7.0);
            }
            farm.value(Probe::Temperature(0)).unwrap().to_bits()
        };
        assert_eq!(run(5), run(5));
        assert_ne!(run(5), run(6));
    }

    #[test]
    fn what_is_not_there_is_neither_driven_nor_seen() {
        let mut farm = Farm::new(&spec(60.0), 1, 0.0);
        farm.drive(Actuator::Vent { house: 9 }, 1.0);
        farm.drive(Actuator::Refill { tank: 0 }, f64::NAN);
        farm.step(f64::NAN);
        assert_eq!(farm.value(Probe::Ec(9)), None);
        assert_eq!(farm.value(Probe::SoilMoisture(0, 9)), None);
        assert!(farm.seconds().abs() < 1e-9);
    }

    fn every_actuator() -> Vec<Actuator> {
        let mut all = vec![];
        for house in 0..2 {
            all.push(Actuator::Vent { house });
            all.push(Actuator::Fog { house });
            all.extend([0, 1].map(|fan| Actuator::Fan { house, fan }));
            all.extend([0, 1].map(|zone| Actuator::Drip { house, zone }));
        }
        for tank in 0..2 {
            all.push(Actuator::Refill { tank });
            all.extend(
                [Reagent::Acid, Reagent::Base, Reagent::Nutrient]
                    .map(|reagent| Actuator::Dose { tank, reagent }),
            );
        }
        all
    }

    fn every_probe() -> Vec<(Probe, f64, f64)> {
        let mut all = vec![];
        for i in 0..2 {
            all.extend([
                (Probe::Temperature(i), -20.0, 70.0),
                (Probe::Humidity(i), 0.0, 100.0),
                (Probe::Light(i), 0.0, 150_000.0),
                (Probe::Co2(i), 0.0, 10_000.0),
                (Probe::Level(i), 0.0, 100.0),
                (Probe::Ph(i), 0.5, 13.5),
                (Probe::Ec(i), 0.0, 20.0),
                (Probe::SoilMoisture(i, 0), 0.0, 100.0),
            ]);
        }
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

        /// A year of simulated time under whatever people and rules may do.
        #[test]
        fn a_year_of_random_settings_stays_physical(
            seed: u64,
            start in 0.0..YEAR,
            level in 0.0..100.0f64,
            step in 20.0..3_600.0f64,
        ) {
            let mut farm = Farm::new(&spec(level), seed, start);
            let noise = Noise::new(seed);
            let (actuators, probes) = (every_actuator(), every_probe());
            let mut count = 0u64;
            while farm.seconds() < start + YEAR {
                if count.is_multiple_of(4) {
                    let i = usize::try_from(noise.bits(9, count) % 20).unwrap() % actuators.len();
                    // Off as often as on, at any strength up to a dosing pump's 10 ml/s.
                    farm.drive(actuators[i], (noise.even(10, count) * 10.0).max(0.0));
                }
                farm.step(step);
                count += 1;
                for (probe, min, max) in &probes {
                    let v = farm.value(*probe).unwrap();
                    prop_assert!(v.is_finite() && (*min..=*max).contains(&v), "{probe:?} = {v}");
                }
            }
            prop_assert!(count > 1_000);
        }
    }
}
