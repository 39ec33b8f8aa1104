//! The air of a polyhouse: heat, water vapour and carbon dioxide between sun, crop, fans, vents and the air outside.
//!
//! Each quantity follows `dx/dt = source + rate * (outside - x)`. It is integrated implicitly,
//! `x' = (x + dt * (source + rate * outside)) / (1 + dt * rate)`, which stays between its sources whatever the step: with
//! the fans on, the air is renewed every minute, and an explicit step would overshoot.

use super::weather::{Weather, saturation_kpa, saturation_vapour};

/// Joules that warm one cubic metre of air by one kelvin.
const AIR_HEAT: f64 = 1_206.0;
/// Floor, crop and frame take up this many times the heat of the air alone.
const THERMAL_MASS: f64 = 4.0;
/// Heat that leaves through the film, W/(m² K).
const FILM_LOSS: f64 = 6.0;
/// Square metres of film for each of ground.
const FILM_PER_GROUND: f64 = 1.6;
/// Joules taken up by a gram of water that evaporates.
const LATENT: f64 = 2_450.0;
/// Fog that evaporates in dry air, g/(m² s); less as the air fills.
const FOG: f64 = 0.25;
/// Lux for each W/m² of sunlight.
const LUX_PER_WATT: f64 = 115.0;
/// Carbon dioxide of the air outside, ppm.
const OUTSIDE_CO2: f64 = 420.0;
/// Steps are no longer than this, s.
pub(super) const MAX_STEP: f64 = 60.0;

/// How a polyhouse is built and planted.
#[derive(Debug, Clone, PartialEq)]
pub struct HouseSpec {
    /// Ground, m².
    pub ground_m2: f64,
    /// Mean height, m.
    pub height_m: f64,
    /// The part of the sunlight that comes through film and shade net.
    pub transmission: f64,
    /// Air changes an hour with all fans at full speed.
    pub fan_ach: f64,
    /// Air changes an hour with open vents, for each m/s of wind; half of one m/s comes from the warm air rising.
    pub vent_ach: f64,
    /// Leaf area for each area of ground.
    pub leaf_area: f64,
}

impl Default for HouseSpec {
    fn default() -> Self {
        Self {
            ground_m2: 560.0,
            height_m: 4.0,
            transmission: 0.55,
            fan_ach: 75.0,
            vent_ach: 6.0,
            leaf_area: 2.5,
        }
    }
}

/// The state of a polyhouse's air.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Air {
    /// Temperature, °C.
    pub air_c: f64,
    /// Water vapour, g/m³.
    pub vapour: f64,
    /// Carbon dioxide, ppm.
    pub co2_ppm: f64,
    /// Light at the crop, lux.
    pub lux: f64,
}

impl Air {
    /// Air of that temperature and relative humidity.
    #[must_use]
    pub fn new(air_c: f64, humidity: f64) -> Self {
        let vapour = saturation_vapour(air_c) * humidity / 100.0;
        Self {
            air_c,
            vapour,
            co2_ppm: OUTSIDE_CO2,
            lux: 0.0,
        }
    }

    /// Relative humidity, %.
    #[must_use]
    pub fn humidity(&self) -> f64 {
        (100.0 * self.vapour / saturation_vapour(self.air_c)).clamp(0.0, 100.0)
    }
}

/// What acts on a polyhouse: each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HouseDrive {
    /// How much of its fans' air flow runs.
    pub fans: f64,
    /// How far its vents are open.
    pub vents: f64,
    /// How much of its fogging line runs.
    pub fog: f64,
}

/// A polyhouse.
#[derive(Debug, Clone)]
pub struct House {
    spec: HouseSpec,
    air: Air,
}

impl House {
    /// A polyhouse with that air in it.
    #[must_use]
    pub const fn new(spec: HouseSpec, air: Air) -> Self {
        Self { spec, air }
    }

    /// Its air now.
    #[must_use]
    pub const fn air(&self) -> &Air {
        &self.air
    }

    /// Its ground, m².
    #[must_use]
    pub const fn ground_m2(&self) -> f64 {
        self.spec.ground_m2
    }

    /// Lets `dt` seconds pass (at most [`MAX_STEP`]) and gives the water that the crop drew, g/(m² s).
    pub(super) fn step(&mut self, dt: f64, weather: &Weather, drive: HouseDrive) -> f64 {
        let s = &self.spec;
        let sun = weather.sun_w_m2 * s.transmission;
        let drawn = self.transpiration(sun);
        let fogged = FOG * drive.fog.clamp(0.0, 1.0) * (1.0 - self.air.humidity() / 100.0);
        let ach = 0.6
            + 0.15 * weather.wind_ms
            + s.fan_ach * drive.fans.clamp(0.0, 1.0)
            + s.vent_ach * drive.vents.clamp(0.0, 1.0) * (weather.wind_ms + 0.5);
        let renewal = ach / 3_600.0;

        let mass = AIR_HEAT * s.height_m * THERMAL_MASS;
        // A tenth of the light is reflected or turned into sugar.
        let gain = 0.9 * sun - LATENT * (drawn + fogged);
        let exchange = AIR_HEAT * s.height_m * renewal + FILM_LOSS * FILM_PER_GROUND;
        let air = &mut self.air;
        air.air_c = relax(air.air_c, dt, gain / mass, exchange / mass, weather.air_c);
        let vapour = relax(
            air.vapour,
            dt,
            (drawn + fogged) / s.height_m,
            renewal,
            weather.vapour(),
        );
        // What the air cannot hold runs down the film.
        air.vapour = vapour.clamp(0.0, saturation_vapour(air.air_c));
        // The crop breathes out a little always and takes up more with light; it takes less as less is there.
        let uptake = 3.5e-4 * s.leaf_area * sun / (sun + 150.0) * air.co2_ppm / OUTSIDE_CO2;
        let respiration = 4.0e-5 * s.leaf_area;
        air.co2_ppm = relax(
            air.co2_ppm,
            dt,
            (respiration - uptake) * 240.0 / s.height_m,
            renewal,
            OUTSIDE_CO2,
        )
        .clamp(0.0, 10_000.0);
        air.lux = sun * LUX_PER_WATT;
        drawn
    }

    /// Water that the crop gives to the air, g/(m² s): more with light, less as the air fills.
    fn transpiration(&self, sun: f64) -> f64 {
        let deficit_kpa = saturation_kpa(self.air.air_c) * (1.0 - self.air.humidity() / 100.0);
        self.spec.leaf_area * deficit_kpa * (0.0006 + 0.000_034 * sun)
    }
}

fn relax(x: f64, dt: f64, source: f64, rate: f64, outside: f64) -> f64 {
    (x + dt * (source + rate * outside)) / (1.0 + dt * rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Weather = Weather {
        air_c: 27.0,
        humidity: 35.0,
        wind_ms: 2.0,
        pressure_hpa: 946.0,
        sun_w_m2: 750.0,
        cloud: 0.1,
    };
    const NIGHT: Weather = Weather {
        air_c: 14.0,
        humidity: 80.0,
        sun_w_m2: 0.0,
        ..NOON
    };

    fn after(start: Air, minutes: u32, weather: &Weather, drive: HouseDrive) -> Air {
        let mut house = House::new(HouseSpec::default(), start);
        for _ in 0..minutes * 12 {
            house.step(5.0, weather, drive);
        }
        *house.air()
    }

    #[test]
    fn the_sun_heats_a_closed_house_and_the_night_cools_it() {
        let start = Air::new(28.0, 60.0);
        let hot = after(start, 60, &NOON, HouseDrive::default());
        assert!((33.0..48.0).contains(&hot.air_c), "{hot:?}");
        let cold = after(hot, 360, &NIGHT, HouseDrive::default());
        assert!((13.0..16.0).contains(&cold.air_c), "{cold:?}");
    }

    #[test]
    fn a_fan_cools_a_hot_house_and_half_a_fan_cools_half_as_well() {
        let start = Air::new(34.0, 60.0);
        let with = |fans| {
            after(
                start,
                15,
                &NOON,
                HouseDrive {
                    fans,
                    ..HouseDrive::default()
                },
            )
            .air_c
        };
        assert!(with(1.0) < 30.0, "full {}", with(1.0));
        assert!(with(1.0) > NOON.air_c, "no colder than the air outside");
        assert!(
            with(1.0) < with(0.4) && with(0.4) < with(0.0) - 2.0,
            "40 %: {}",
            with(0.4)
        );
    }

    #[test]
    fn an_open_vent_dries_the_air() {
        let start = Air::new(30.0, 88.0);
        let closed = after(start, 15, &NOON, HouseDrive::default());
        let open = after(
            start,
            15,
            &NOON,
            HouseDrive {
                vents: 0.6,
                ..HouseDrive::default()
            },
        );
        assert!(
            open.humidity() < closed.humidity() - 10.0,
            "{open:?} {closed:?}"
        );
        assert!(
            closed.humidity() > 65.0,
            "a planted closed house stays damp: {closed:?}"
        );
    }

    #[test]
    fn fog_cools_dry_air_and_fills_it_but_not_beyond_what_it_holds() {
        let drive = |fog| HouseDrive {
            fans: 1.0,
            fog,
            ..HouseDrive::default()
        };
        let start = Air::new(32.0, 40.0);
        let (dry, foggy) = (
            after(start, 10, &NOON, drive(0.0)),
            after(start, 10, &NOON, drive(1.0)),
        );
        assert!(foggy.air_c < dry.air_c - 1.0, "{foggy:?} {dry:?}");
        let deficit = |air: &Air| saturation_kpa(air.air_c) * (1.0 - air.humidity() / 100.0);
        assert!(deficit(&foggy) < 0.8 * deficit(&dry), "{foggy:?} {dry:?}");
        let full = after(
            Air::new(20.0, 99.0),
            60,
            &NIGHT,
            HouseDrive {
                fog: 1.0,
                ..HouseDrive::default()
            },
        );
        assert!(full.humidity() <= 100.0, "{full:?}");
    }

    #[test]
    fn carbon_dioxide_gathers_at_night_and_is_eaten_by_day() {
        let start = Air::new(20.0, 80.0);
        let night = after(start, 480, &NIGHT, HouseDrive::default());
        assert!(night.co2_ppm > OUTSIDE_CO2 + 20.0, "{night:?}");
        let day = after(night, 120, &NOON, HouseDrive::default());
        assert!(day.co2_ppm < OUTSIDE_CO2 - 20.0, "{day:?}");
        let aired = after(
            day,
            20,
            &NOON,
            HouseDrive {
                fans: 1.0,
                vents: 1.0,
                ..HouseDrive::default()
            },
        );
        assert!(aired.co2_ppm > day.co2_ppm + 10.0, "{aired:?}");
    }

    #[test]
    fn light_follows_the_sun() {
        let start = Air::new(20.0, 60.0);
        assert!(after(start, 1, &NOON, HouseDrive::default()).lux > 30_000.0);
        assert!(after(start, 1, &NIGHT, HouseDrive::default()).lux.abs() < 1e-9);
    }
}
