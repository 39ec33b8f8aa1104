//! What can be measured: the one table of sensor types, with their units and ranges.
//!
//! Whatever lists types (documents, the wire, the API's document, the console's texts) follows from it. A further type is a row
//! at its end: what is stored packed holds a type's place in the table, so rows are never moved or removed.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Makes the types and what is asked of them from the table's rows.
macro_rules! sensor_types {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $alert:literal, $unit:literal, $editor:expr, $plausible:expr;)*) => {
        /// A kind of measurement.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum SensorType {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl SensorType {
            /// All types, in the order of the table, which is also that in which they are listed to people.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name in documents and on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The type of that name.
            #[must_use]
            pub fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }

            /// The name in alert rules, as people see it there.
            #[must_use]
            pub const fn alert_name(self) -> &'static str {
                match self { $(Self::$variant => $alert,)* }
            }

            /// The unit; empty for what is counted without one, such as pH.
            #[must_use]
            pub const fn unit(self) -> &'static str {
                match self { $(Self::$variant => $unit,)* }
            }

            /// The closed range, in units, that a rule's value may have.
            #[must_use]
            pub const fn editor_range(self) -> (i64, i64) {
                match self { $(Self::$variant => $editor,)* }
            }

            /// The closed range, in units, outside of which a reading is a fault.
            #[must_use]
            pub const fn plausible_range(self) -> (i64, i64) {
                match self { $(Self::$variant => $plausible,)* }
            }
        }
    };
}

sensor_types! {
    // variant, name, name in alerts, unit, editor range, plausible range
    /// Air temperature.
    Temperature, "temperature", "Temperature", "°C", (-10, 50), (-40, 85);
    /// Relative humidity.
    Humidity, "humidity", "Humidity", "%", (0, 100), (0, 100);
    /// Soil moisture.
    SoilMoisture, "soil_moisture", "Soil Moisture", "%", (0, 100), (0, 100);
    /// Acidity.
    Ph, "ph", "pH", "", (0, 14), (0, 14);
    /// Electrical conductivity.
    Ec, "ec", "EC", "mS/cm", (0, 10), (0, 20);
    /// Level of a reservoir, of its capacity.
    ReservoirLevel, "reservoir_level", "Water Level", "%", (0, 100), (0, 100);
    /// Illuminance.
    LightIntensity, "light_intensity", "Light Intensity", "lux", (0, 100_000), (0, 200_000);
    /// Carbon dioxide.
    Co2Level, "co2_level", "CO2 Level", "ppm", (0, 2_000), (0, 10_000);
    /// Temperature of the soil or the substrate.
    SoilTemperature, "soil_temperature", "Soil Temperature", "°C", (-10, 60), (-40, 85);
    /// Temperature of irrigation water or a nutrient solution.
    WaterTemperature, "water_temperature", "Water Temperature", "°C", (0, 60), (-10, 100);
    /// Wetness of leaves.
    LeafWetness, "leaf_wetness", "Leaf Wetness", "%", (0, 100), (0, 100);
    /// Pressure of the air, as it is where the sensor is.
    AirPressure, "air_pressure", "Air Pressure", "hPa", (500, 1_100), (300, 1_200);
    /// Pressure in a pipe, above that of the air.
    LinePressure, "line_pressure", "Line Pressure", "bar", (0, 10), (-1, 40);
    /// Speed of the wind.
    WindSpeed, "wind_speed", "Wind Speed", "m/s", (0, 50), (0, 100);
    /// Direction from which the wind comes, clockwise from north.
    WindDirection, "wind_direction", "Wind Direction", "°", (0, 360), (0, 360);
    /// Rain that a gauge has counted.
    Rain, "rain", "Rain", "mm", (0, 1_000), (0, 100_000);
    /// How hard it rains.
    RainRate, "rain_rate", "Rain Rate", "mm/h", (0, 200), (0, 2_000);
    /// Water that flows.
    Flow, "flow", "Flow", "L/min", (0, 1_000), (0, 100_000);
    /// Water that a meter has counted.
    Volume, "volume", "Volume", "L", (0, 1_000_000), (0, 10_000_000);
    /// Light that plants use (400 to 700 nm).
    Par, "par", "PAR", "µmol/m²/s", (0, 2_500), (0, 5_000);
    /// Index of ultraviolet light.
    UvIndex, "uv_index", "UV Index", "", (0, 15), (0, 30);
    /// Radiation of the sun.
    SolarRadiation, "solar_radiation", "Solar Radiation", "W/m²", (0, 1_500), (0, 2_000);
    /// Charge of a battery.
    Battery, "battery", "Battery", "%", (0, 100), (0, 100);
    /// Voltage, of the mains or of a battery.
    Voltage, "voltage", "Voltage", "V", (0, 500), (-1_000, 1_000);
    /// Electric current.
    Current, "current", "Current", "A", (0, 100), (-1_000, 1_000);
    /// Electric power that is drawn; below zero where it is fed in.
    Power, "power", "Power", "W", (0, 100_000), (-1_000_000, 1_000_000);
    /// Electric energy that a meter has counted.
    Energy, "energy", "Energy", "kWh", (0, 1_000_000), (0, 10_000_000);
    /// Frequency of the mains.
    Frequency, "frequency", "Frequency", "Hz", (0, 100), (0, 1_000);
    /// Whether a phase of the mains is there: 1 or 0.
    PhasePresent, "phase_present", "Phase Present", "", (0, 1), (0, 1);
    /// Weight, of a scale under pots or a tank.
    Weight, "weight", "Weight", "kg", (0, 1_000), (-100, 100_000);
    /// Distance, such as from a tank's lid to its water.
    Distance, "distance", "Distance", "cm", (0, 1_000), (0, 100_000);
    /// Carbon monoxide.
    CoLevel, "co_level", "CO Level", "ppm", (0, 1_000), (0, 10_000);
    /// Ammonia.
    Nh3Level, "nh3_level", "NH3 Level", "ppm", (0, 100), (0, 1_000);
    /// Vapour pressure deficit: what the air lacks of saturation.
    VapourPressureDeficit, "vapour_pressure_deficit", "Vapour Pressure Deficit", "kPa", (0, 10), (0, 100);
    /// Temperature at which water condenses from the air.
    DewPoint, "dew_point", "Dew Point", "°C", (-40, 50), (-100, 85);
    /// Temperature of a wet thermometer in moving air: the coldest that evaporation makes it.
    WetBulb, "wet_bulb", "Wet Bulb", "°C", (-40, 50), (-60, 85);
    /// Water in the air.
    AbsoluteHumidity, "absolute_humidity", "Absolute Humidity", "g/m³", (0, 100), (0, 400);
    /// Light that plants could use since midnight.
    DailyLightIntegral, "daily_light_integral", "Daily Light Integral", "mol/m²", (0, 100), (0, 500);
    /// Warmth above a base, over time.
    GrowingDegreeDays, "growing_degree_days", "Growing Degree Days", "°C·d", (0, 100), (0, 10_000);
    /// How fast something changes, in its own unit an hour.
    RateOfChange, "rate_of_change", "Rate of Change", "/h", (-1_000, 1_000), (-1_000_000, 1_000_000);
    /// How long something was so.
    Hours, "hours", "Hours", "h", (0, 24), (0, 100_000);
    /// A number without a unit of its own, of a formula.
    Number, "number", "Number", "", (-1_000_000, 1_000_000), (-100_000_000, 100_000_000);
}

impl fmt::Display for SensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
