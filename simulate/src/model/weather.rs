//! The weather outside: sun, clouds, air, wind and pressure as a function of time alone.

use std::f64::consts::TAU;

use super::noise::Noise;

/// Seconds of a day.
pub const DAY: f64 = 86_400.0;
const HOUR: f64 = 3_600.0;
/// A year of the model; leap days do not matter to a plant.
pub const YEAR: f64 = 365.0 * DAY;

/// Where the farm lies and what its year is like.
#[derive(Debug, Clone, PartialEq)]
pub struct Climate {
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
    /// Hours that clocks are ahead of UTC.
    pub utc_offset_h: f64,
    /// Metres above the sea.
    pub altitude_m: f64,
    /// The mean air temperature of each month, °C.
    pub month_mean_c: [f64; 12],
    /// Half of the difference between a day's warmest and coldest hour, by month, K.
    pub month_swing_k: [f64; 12],
    /// The mean water vapour of the air by month, as a dew point, °C.
    pub month_dew_c: [f64; 12],
    /// The mean cloud cover by month, 0 to 1.
    pub month_cloud: [f64; 12],
}

impl Climate {
    /// The Deccan plateau near Pune: warm dry days and cool nights in winter, hot in May, wet from June to September.
    #[must_use]
    pub const fn pune() -> Self {
        Self {
            latitude: 18.52,
            longitude: 73.86,
            utc_offset_h: 5.5,
            altitude_m: 560.0,
            month_mean_c: [
                20.9, 22.7, 26.2, 29.2, 29.9, 27.4, 25.2, 24.6, 25.3, 25.3, 22.8, 20.7,
            ],
            month_swing_k: [8.5, 9.0, 9.2, 8.8, 7.2, 4.2, 2.6, 2.6, 4.0, 6.2, 7.6, 8.4],
            month_dew_c: [
                11.0, 10.5, 11.5, 14.5, 18.5, 21.8, 22.0, 21.6, 21.2, 18.5, 14.5, 12.0,
            ],
            month_cloud: [
                0.12, 0.10, 0.12, 0.2, 0.3, 0.65, 0.85, 0.85, 0.65, 0.4, 0.25, 0.15,
            ],
        }
    }
}

/// The weather at one instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weather {
    /// Air temperature, °C.
    pub air_c: f64,
    /// Relative humidity, %.
    pub humidity: f64,
    /// Wind speed, m/s.
    pub wind_ms: f64,
    /// Pressure at the farm's altitude, hPa.
    pub pressure_hpa: f64,
    /// Sunlight on level ground, W/m².
    pub sun_w_m2: f64,
    /// Clouds, 0 (clear) to 1 (overcast).
    pub cloud: f64,
}

impl Weather {
    /// What the air feels like in the shade, °C: Steadman's apparent temperature.
    #[must_use]
    pub fn feels_like_c(&self) -> f64 {
        let vapour_hpa = self.humidity / 100.0 * saturation_kpa(self.air_c) * 10.0;
        self.air_c + 0.33 * vapour_hpa - 0.70 * self.wind_ms - 4.0
    }

    /// Water vapour in the air, g/m³.
    #[must_use]
    pub fn vapour(&self) -> f64 {
        saturation_vapour(self.air_c) * self.humidity / 100.0
    }
}

/// The pressure of saturated water vapour, kPa (Tetens).
pub(super) fn saturation_kpa(air_c: f64) -> f64 {
    0.6108 * (17.27 * air_c / (air_c + 237.3)).exp()
}

/// The most water vapour that air of that temperature holds, g/m³.
pub(super) fn saturation_vapour(air_c: f64) -> f64 {
    2_165.0 * saturation_kpa(air_c) / (air_c + 273.15)
}

const CLOUDS: u64 = 1;
const WARMTH: u64 = 2;
const MOISTURE: u64 = 3;
const WIND: u64 = 4;
const PRESSURE: u64 = 5;

/// The weather over time.
#[derive(Debug, Clone)]
pub struct Sky {
    climate: Climate,
    noise: Noise,
}

impl Sky {
    /// The sky of that climate; the seed decides its clouds and gusts.
    #[must_use]
    pub const fn new(climate: Climate, noise: Noise) -> Self {
        Self { climate, noise }
    }

    /// The weather at `t`, in seconds since midnight of 1 January by the farm's clocks.
    #[must_use]
    pub fn at(&self, t: f64) -> Weather {
        let (c, n) = (&self.climate, &self.noise);
        let cloud = (by_month(&c.month_cloud, t)
            + 0.25 * n.curve(CLOUDS, t, 2_700.0)
            + 0.15 * n.curve(CLOUDS + 100, t, 420.0))
        .clamp(0.0, 1.0);
        let hour = t.rem_euclid(DAY) / HOUR;
        // The warmest hour is 15:00, the coldest comes before sunrise.
        let warmth = ((hour - 15.0) * TAU / 24.0).cos();
        let air_c = by_month(&c.month_mean_c, t)
            + by_month(&c.month_swing_k, t) * warmth
            + 1.5 * n.curve(WARMTH, t, 5.0 * HOUR)
            - 1.0 * (cloud - 0.3);
        let dew_c = by_month(&c.month_dew_c, t) + 2.0 * n.curve(MOISTURE, t, 9.0 * HOUR);
        let humidity = (100.0 * saturation_kpa(dew_c) / saturation_kpa(air_c)).clamp(5.0, 100.0);
        let breeze = 2.0 + 1.2 * ((hour - 16.0) * TAU / 24.0).cos();
        let wind_ms =
            (breeze + 1.0 * n.curve(WIND, t, 2.0 * HOUR) + 0.8 * n.curve(WIND + 100, t, 60.0))
                .max(0.0);
        let pressure_hpa = 1_011.5 * (1.0 - 2.2558e-5 * c.altitude_m).powf(5.256)
            + 1.4 * ((hour - 10.0) * TAU / 12.0).cos()
            + 3.0 * n.curve(PRESSURE, t, 30.0 * HOUR);
        let sun_w_m2 = clear_sky(self.sine_of_elevation(t)) * (1.0 - 0.75 * cloud.powf(3.4));
        Weather {
            air_c,
            humidity,
            wind_ms,
            pressure_hpa,
            sun_w_m2,
            cloud,
        }
    }

    /// The sine of the sun's height over the horizon; below 0 at night.
    fn sine_of_elevation(&self, t: f64) -> f64 {
        let c = &self.climate;
        let day_of_year = (t.rem_euclid(YEAR) / DAY).floor() + 1.0;
        let declination = -0.4091 * (TAU * (day_of_year + 10.0) / 365.0).cos();
        let solar_hour = t.rem_euclid(DAY) / HOUR + (c.longitude / 15.0 - c.utc_offset_h);
        let hour_angle = (solar_hour - 12.0) * TAU / 24.0;
        let latitude = c.latitude.to_radians();
        latitude.sin() * declination.sin() + latitude.cos() * declination.cos() * hour_angle.cos()
    }
}

/// Sunlight of a clear sky on level ground, W/m² (Haurwitz).
fn clear_sky(sine: f64) -> f64 {
    if sine <= 0.01 {
        0.0
    } else {
        1_098.0 * sine * (-0.057 / sine).exp()
    }
}

/// A month's value at mid-month, between them along a line.
fn by_month(values: &[f64; 12], t: f64) -> f64 {
    let x = t.rem_euclid(YEAR) / YEAR * 12.0 - 0.5;
    let below = x.floor();
    #[allow(clippy::cast_possible_truncation, reason = "lies within -1 and 11")]
    let index = below as i32;
    let at = |i: i32| values[usize::try_from(i.rem_euclid(12)).unwrap_or(0)];
    let (a, b) = (at(index), at(index + 1));
    a + (b - a) * (x - below)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sky(seed: u64) -> Sky {
        Sky::new(Climate::pune(), Noise::new(seed))
    }

    fn at(day: u32, hour: f64) -> f64 {
        f64::from(day) * DAY + hour * HOUR
    }

    #[test]
    fn day_follows_night() {
        let sky = sky(1);
        for day in [0, 90, 180, 270] {
            assert!(sky.at(at(day, 1.0)).sun_w_m2 < 1e-9, "night of day {day}");
            assert!(sky.at(at(day, 12.5)).sun_w_m2 > 150.0, "noon of day {day}");
            assert!(
                sky.at(at(day, 23.0)).sun_w_m2 < 1e-9,
                "late evening of day {day}"
            );
        }
    }

    #[test]
    fn a_january_day_near_pune_is_as_people_know_it() {
        let sky = sky(2);
        let (dawn, afternoon) = (sky.at(at(15, 5.0)), sky.at(at(15, 15.0)));
        assert!((8.0..17.0).contains(&dawn.air_c), "{dawn:?}");
        assert!((26.0..34.0).contains(&afternoon.air_c), "{afternoon:?}");
        assert!(dawn.humidity > afternoon.humidity + 20.0);
        assert!(
            (930.0..970.0).contains(&afternoon.pressure_hpa),
            "{afternoon:?}"
        );
    }

    #[test]
    fn the_monsoon_is_cloudy_and_damp() {
        let sky = sky(3);
        let mean = |from: u32, f: &dyn Fn(&Weather) -> f64| {
            (0..240)
                .map(|h| f(&sky.at(at(from, f64::from(h)))))
                .sum::<f64>()
                / 240.0
        };
        assert!(mean(200, &|w| w.cloud) > mean(20, &|w| w.cloud) + 0.4);
        assert!(mean(200, &|w| w.humidity) > mean(20, &|w| w.humidity) + 15.0);
    }

    #[test]
    fn damp_heat_feels_hotter_and_wind_cooler() {
        let w = Weather {
            air_c: 30.0,
            humidity: 40.0,
            ..sky(1).at(0.0)
        };
        let damp = Weather {
            humidity: 80.0,
            ..w
        };
        let windy = Weather {
            wind_ms: w.wind_ms + 5.0,
            ..w
        };
        assert!(damp.feels_like_c() > w.feels_like_c() + 2.0);
        assert!(windy.feels_like_c() < w.feels_like_c() - 2.0);
    }
}
