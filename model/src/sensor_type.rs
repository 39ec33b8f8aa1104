//! The sensor types as the semantics list them: written here once more, so that the engine's own table is compared with it.

/// A row of the table in section 2 of docs/semantics.md.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SensorType {
    pub(crate) name: &'static str,
    /// Its name in alert rules.
    pub(crate) alert: &'static str,
    pub(crate) unit: &'static str,
    /// The range of rules' values, in units.
    pub(crate) editor: (i64, i64),
    /// The range outside of which a reading is a fault, in units.
    pub(crate) plausible: (i64, i64),
}

const fn row(
    name: &'static str,
    alert: &'static str,
    unit: &'static str,
    editor: (i64, i64),
    plausible: (i64, i64),
) -> SensorType {
    SensorType {
        name,
        alert,
        unit,
        editor,
        plausible,
    }
}

#[rustfmt::skip]
pub(crate) const SENSOR_TYPES: [SensorType; 42] = [
    row("temperature", "Temperature", "°C", (-10, 50), (-40, 85)),
    row("humidity", "Humidity", "%", (0, 100), (0, 100)),
    row("soil_moisture", "Soil Moisture", "%", (0, 100), (0, 100)),
    row("ph", "pH", "", (0, 14), (0, 14)),
    row("ec", "EC", "mS/cm", (0, 10), (0, 20)),
    row("reservoir_level", "Water Level", "%", (0, 100), (0, 100)),
    row("light_intensity", "Light Intensity", "lux", (0, 100_000), (0, 200_000)),
    row("co2_level", "CO2 Level", "ppm", (0, 2_000), (0, 10_000)),
    row("soil_temperature", "Soil Temperature", "°C", (-10, 60), (-40, 85)),
    row("water_temperature", "Water Temperature", "°C", (0, 60), (-10, 100)),
    row("leaf_wetness", "Leaf Wetness", "%", (0, 100), (0, 100)),
    row("air_pressure", "Air Pressure", "hPa", (500, 1_100), (300, 1_200)),
    row("line_pressure", "Line Pressure", "bar", (0, 10), (-1, 40)),
    row("wind_speed", "Wind Speed", "m/s", (0, 50), (0, 100)),
    row("wind_direction", "Wind Direction", "°", (0, 360), (0, 360)),
    row("rain", "Rain", "mm", (0, 1_000), (0, 100_000)),
    row("rain_rate", "Rain Rate", "mm/h", (0, 200), (0, 2_000)),
    row("flow", "Flow", "L/min", (0, 1_000), (0, 100_000)),
    row("volume", "Volume", "L", (0, 1_000_000), (0, 10_000_000)),
    row("par", "PAR", "µmol/m²/s", (0, 2_500), (0, 5_000)),
    row("uv_index", "UV Index", "", (0, 15), (0, 30)),
    row("solar_radiation", "Solar Radiation", "W/m²", (0, 1_500), (0, 2_000)),
    row("battery", "Battery", "%", (0, 100), (0, 100)),
    row("voltage", "Voltage", "V", (0, 500), (-1_000, 1_000)),
    row("current", "Current", "A", (0, 100), (-1_000, 1_000)),
    row("power", "Power", "W", (0, 100_000), (-1_000_000, 1_000_000)),
    row("energy", "Energy", "kWh", (0, 1_000_000), (0, 10_000_000)),
    row("frequency", "Frequency", "Hz", (0, 100), (0, 1_000)),
    row("phase_present", "Phase Present", "", (0, 1), (0, 1)),
    row("weight", "Weight", "kg", (0, 1_000), (-100, 100_000)),
    row("distance", "Distance", "cm", (0, 1_000), (0, 100_000)),
    row("co_level", "CO Level", "ppm", (0, 1_000), (0, 10_000)),
    row("nh3_level", "NH3 Level", "ppm", (0, 100), (0, 1_000)),
    row("vapour_pressure_deficit", "Vapour Pressure Deficit", "kPa", (0, 10), (0, 100)),
    row("dew_point", "Dew Point", "°C", (-40, 50), (-100, 85)),
    row("wet_bulb", "Wet Bulb", "°C", (-40, 50), (-60, 85)),
    row("absolute_humidity", "Absolute Humidity", "g/m³", (0, 100), (0, 400)),
    row("daily_light_integral", "Daily Light Integral", "mol/m²", (0, 100), (0, 500)),
    row("growing_degree_days", "Growing Degree Days", "°C·d", (0, 100), (0, 10_000)),
    row("rate_of_change", "Rate of Change", "/h", (-1_000, 1_000), (-1_000_000, 1_000_000)),
    row("hours", "Hours", "h", (0, 24), (0, 100_000)),
    row("number", "Number", "", (-1_000_000, 1_000_000), (-100_000_000, 100_000_000)),
];

/// The type of that name.
pub(crate) fn sensor_type(name: &str) -> Option<&'static SensorType> {
    SENSOR_TYPES.iter().find(|t| t.name == name)
}
