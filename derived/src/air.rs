//! Water in the air: what follows from its temperature and its relative humidity.
//!
//! Temperatures in °C, relative humidity in %, pressures in kPa. What lies outside the range of a formula is not known: temperatures
//! below -40 or above 85 °C, humidities below 0 or above 100 %.

/// Constants of the saturation vapour pressure over water: FAO Irrigation and Drainage Paper 56, equation 11 (Tetens).
const E0: f64 = 0.6108;
const A: f64 = 17.27;
const B: f64 = 237.3;
/// Absolute zero, in °C, as a distance.
const KELVIN: f64 = 273.15;
/// The psychrometric coefficient of an aspirated psychrometer, in 1/K: FAO 56, equation 16.
const PSYCHROMETER: f64 = 0.000_662;

fn temperature(celsius: f64) -> Option<f64> {
    (-40.0..=85.0).contains(&celsius).then_some(celsius)
}

fn share(percent: f64) -> Option<f64> {
    (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
}

fn saturation(celsius: f64) -> f64 {
    E0 * libm::exp(A * celsius / (celsius + B))
}

/// The saturation vapour pressure over water in kPa: FAO 56, equation 11.
#[must_use]
pub fn saturation_pressure(celsius: f64) -> Option<f64> {
    temperature(celsius).map(saturation)
}

/// The vapour pressure deficit of air in kPa: what is missing of saturation (FAO 56, equations 10 and 11).
#[must_use]
pub fn vapour_pressure_deficit(celsius: f64, percent: f64) -> Option<f64> {
    let share = share(percent)?;
    Some(saturation_pressure(celsius)? * (1.0 - share))
}

/// The deficit between a leaf and the air in kPa: saturation at the leaf's temperature, less what is in the air (FAO 56, equations 10
/// and 11). Zero where the leaf is colder than the dew point: then water condenses on it.
#[must_use]
pub fn leaf_vapour_pressure_deficit(leaf: f64, celsius: f64, percent: f64) -> Option<f64> {
    let in_air = saturation_pressure(celsius)? * share(percent)?;
    Some((saturation_pressure(leaf)? - in_air).max(0.0))
}

/// The dew point over water in °C: equation 11 of FAO 56 solved for the temperature (the Magnus formula). Not known in air without
/// water; never above the temperature.
#[must_use]
pub fn dew_point(celsius: f64, percent: f64) -> Option<f64> {
    let share = share(percent).filter(|s| *s > 0.0)?;
    let celsius = temperature(celsius)?;
    let log = libm::log(share) + A * celsius / (celsius + B);
    let point = (B * log / (A - log)).min(celsius);
    point.is_finite().then_some(point)
}

/// The mass of water in a cubic metre of air, in g/m³: the ideal gas law with the specific gas constant of water vapour,
/// 461.5 J/(kg K).
#[must_use]
pub fn absolute_humidity(celsius: f64, percent: f64) -> Option<f64> {
    let pascal = saturation_pressure(celsius)? * share(percent)? * 1_000.0;
    Some(1_000.0 * pascal / (461.5 * (celsius + KELVIN)))
}

/// The temperature of an aspirated wet bulb in °C at an air pressure in kPa: the psychrometric equation (FAO 56, equations 15 and
/// 16), solved by halving the interval between -60 °C and the temperature 50 times. Never above the temperature.
#[must_use]
pub fn wet_bulb(celsius: f64, percent: f64, pressure: f64) -> Option<f64> {
    let in_air = saturation_pressure(celsius)? * share(percent)?;
    if !(30.0..=120.0).contains(&pressure) {
        return None;
    }
    let over = |wet: f64| saturation(wet) - PSYCHROMETER * pressure * (celsius - wet) > in_air;
    let (mut low, mut high) = (-60.0, celsius);
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        if over(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}
