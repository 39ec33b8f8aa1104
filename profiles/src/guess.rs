//! What a number probably is, by the name that it has and the unit that stands beside it. A proposal: a person decides.

use harit_engine::{Decimal, SensorType};
use harit_protocol::conversion;

use SensorType as T;

/// On what a proposal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The name of the value.
    Name,
    /// Its unit alone, which several types have.
    Unit,
    /// What the device announced.
    Announced,
}

/// What a number probably is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Guess {
    /// What it can be, the likeliest first; none where nothing says it.
    pub(crate) types: Vec<SensorType>,
    /// Its unit, in the spelling of the one who says it.
    pub(crate) unit: Option<String>,
    /// Whether the first type and the unit need no second look.
    pub(crate) is_sure: bool,
    pub(crate) basis: Option<Basis>,
}

/// Names of what tells of the radio, the clock or the message itself, and measures nothing.
const OF_THE_MESSAGE: &[&str] = &[
    "rssi",
    "snr",
    "lqi",
    "linkquality",
    "signal",
    "wifi",
    "time",
    "ts",
    "timestamp",
    "uptime",
    "seq",
    "id",
    "port",
    "fport",
    "fcnt",
    "dr",
    "channel",
    "version",
    "heap",
    "count",
    "counter",
    "loadavg",
    "load",
    "sleep",
    "interval",
    "mem",
    "millis",
    "epoch",
    "dst",
];

/// A name in parts: `soilTemp_2` is `soil` and `temp`.
struct Name {
    parts: Vec<String>,
    whole: String,
}

impl Name {
    fn new(text: &str) -> Self {
        let mut parts = vec![String::new()];
        let mut before = ' ';
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let next_is_lower = chars.peek().is_some_and(|n| n.is_lowercase());
            let begins = c.is_uppercase()
                && (before.is_lowercase() || before.is_uppercase() && next_is_lower);
            if begins || !c.is_alphanumeric() {
                parts.push(String::new());
            }
            if c.is_alphanumeric()
                && let Some(part) = parts.last_mut()
            {
                part.extend(c.to_lowercase());
            }
            before = c;
        }
        let whole = parts.concat();
        let parts = parts.into_iter().map(|part| match part.as_str() {
            "co2" | "eco2" => "co2".to_owned(),
            other => other
                .trim_end_matches(|c: char| c.is_ascii_digit())
                .to_owned(),
        });
        let parts = parts.filter(|part| !part.is_empty()).collect();
        Self { parts, whole }
    }

    fn begins(&self, all: &[&str]) -> bool {
        let begins = |part: &String| all.iter().any(|word| part.starts_with(word));
        self.parts.iter().any(begins)
    }

    fn is(&self, all: &[&str]) -> bool {
        self.parts.iter().any(|part| all.contains(&part.as_str()))
    }

    fn is_of_the_message(&self) -> bool {
        OF_THE_MESSAGE.contains(&self.whole.as_str()) || self.is(&["rssi", "snr", "linkquality"])
    }
}

/// Whether a name tells of the radio, the clock or the message itself.
pub(crate) fn is_of_the_message(name: &str) -> bool {
    Name::new(name).is_of_the_message()
}

/// Whether a name says what is measured.
pub(crate) fn says_something(name: &str) -> bool {
    !by_name(&Name::new(name), &Name::new(""), None).0.is_empty()
}

/// What a name says, with the units that go without saying; the likeliest first. `around` is what stands above it.
#[allow(clippy::too_many_lines, reason = "a table of words")]
fn by_name(name: &Name, around: &Name, value: Option<f64>) -> (Vec<T>, Option<&'static str>) {
    let between = |least: f64, most: f64| value.is_some_and(|v| v >= least && v <= most);
    let is_soil = |n: &Name| n.begins(&["soil", "substrate", "ground", "coco"]);
    let is_water = |n: &Name| n.begins(&["water", "tank", "reservoir", "nutrient"]);
    let (soil, water) = (is_soil(name), is_water(name));
    // In parts it would be the humidity of something.
    if name.whole == "ph" || name.is(&["ph"]) {
        return (vec![T::Ph], Some(""));
    }
    if name.begins(&["bat", "akku"]) || name.is(&["soc"]) {
        let in_volts = name.begins(&["volt"]) || name.is(&["v"]);
        return match () {
            () if name.is(&["mv"]) || between(1_000.0, 60_000.0) => (vec![T::Voltage], Some("mV")),
            () if in_volts => (vec![T::Voltage], Some("V")),
            () if between(1.5, 4.5) => (vec![T::Voltage, T::Battery], None),
            () => (vec![T::Battery], Some("%")),
        };
    }
    if name.begins(&["dew"]) {
        return (vec![T::DewPoint], Some("°C"));
    }
    if name.begins(&["temp"]) || name.is(&["t", "tc", "tf"]) {
        let unit = match () {
            () if name.is(&["f", "tf", "tempf"]) => "°F",
            () if name.is(&["k", "tempk"]) => "K",
            () => "°C",
        };
        let types = match () {
            () if soil => vec![T::SoilTemperature],
            () if water => vec![T::WaterTemperature],
            () if is_soil(around) => vec![T::SoilTemperature, T::Temperature],
            () if is_water(around) => vec![T::WaterTemperature, T::Temperature],
            () => vec![T::Temperature],
        };
        return (types, Some(unit));
    }
    if name.begins(&["moist", "vwc", "feucht"]) || soil && (name.begins(&["hum"]) || water) {
        return (vec![T::SoilMoisture], Some("%"));
    }
    if name.begins(&["leaf"]) {
        return (vec![T::LeafWetness], Some("%"));
    }
    if name.begins(&["hum"]) || name.is(&["rh", "h"]) {
        // The humidity of a probe in a pot (Flora) is the soil's.
        if is_soil(around) || around.begins(&["flora", "plant", "pot"]) {
            return (vec![T::SoilMoisture, T::Humidity], Some("%"));
        }
        return (vec![T::Humidity], Some("%"));
    }
    if name.begins(&["cond"]) || name.is(&["ec"]) {
        return (vec![T::Ec], None);
    }
    if name.is(&["co2"]) || name.whole.contains("carbondioxide") {
        return (vec![T::Co2Level], Some("ppm"));
    }
    if name.begins(&["lux", "illum", "light", "bright"]) || name.is(&["lx", "ill"]) {
        return (vec![T::LightIntensity], Some("lux"));
    }
    if name.is(&["par", "ppfd"]) {
        return (vec![T::Par], Some("µmol/m²/s"));
    }
    if name.is(&["uv", "uvi"]) {
        return (vec![T::UvIndex], Some(""));
    }
    if name.begins(&["solar", "radiation", "irrad", "pyran"]) {
        return (vec![T::SolarRadiation], Some("W/m²"));
    }
    if name.begins(&["wind", "gust"]) {
        return match name.begins(&["dir", "deg", "head"]) || name.whole.ends_with("dir") {
            true => (vec![T::WindDirection], Some("°")),
            false => (
                vec![T::WindSpeed],
                name.is(&["km", "kmh"]).then_some("km/h"),
            ),
        };
    }
    if name.begins(&["rain", "precip"]) {
        return match name.begins(&["rate", "intens", "hour"]) {
            true => (vec![T::RainRate], Some("mm/h")),
            false => (vec![T::Rain], Some("mm")),
        };
    }
    if name.begins(&["press", "baro"]) || name.is(&["p"]) {
        return match () {
            () if between(300.0, 1_200.0) => (vec![T::AirPressure], Some("hPa")),
            () if between(30_000.0, 120_000.0) => (vec![T::AirPressure], Some("Pa")),
            () => (vec![T::LinePressure, T::AirPressure], None),
        };
    }
    let one = |t, unit| (vec![t], unit);
    match () {
        () if name.begins(&["flow"]) => one(T::Flow, None),
        () if name.begins(&["volume", "litre", "liter"]) => one(T::Volume, Some("L")),
        () if name.begins(&["dist", "ultrason", "depth"]) => one(T::Distance, None),
        () if name.begins(&["level", "fill"]) => one(T::ReservoirLevel, None),
        () if name.begins(&["volt", "vcc", "vdd"]) || name.is(&["v"]) => one(
            T::Voltage,
            Some(if between(1_000.0, 1e6) { "mV" } else { "V" }),
        ),
        () if name.begins(&["curr", "amp"]) => one(T::Current, Some("A")),
        () if name.begins(&["energy"]) || name.is(&["kwh"]) => one(T::Energy, Some("kWh")),
        () if name.begins(&["power", "watt"]) => one(T::Power, Some("W")),
        () if name.begins(&["freq"]) => one(T::Frequency, Some("Hz")),
        () if name.begins(&["weight", "mass"]) => one(T::Weight, None),
        () if soil => (vec![T::SoilMoisture, T::SoilTemperature], None),
        () if water && name.is(&["level"]) => one(T::ReservoirLevel, Some("%")),
        () => (Vec::new(), None),
    }
}

/// Proposes what a number is: by its name, else by what stands above it, and by the unit that is said of it.
pub(crate) fn guess(name: &str, around: &str, unit: Option<&str>, value: Option<Decimal>) -> Guess {
    let number = value.map(|v| v.rounded().to_f64());
    let (own, above) = (Name::new(name), Name::new(around));
    if own.is_of_the_message() {
        return Guess::default();
    }
    let (mut types, mut usual) = by_name(&own, &above, number);
    if types.is_empty() {
        // "value" below "temperature".
        let last = around.rsplit('/').find(|word| says_something(word));
        if let Some(last) = last {
            (types, usual) = by_name(&Name::new(last), &above, number);
        }
    }
    let unit = unit.map(str::trim).filter(|unit| !unit.is_empty());
    let mut basis = (!types.is_empty()).then_some(Basis::Name);
    if let Some(unit) = unit {
        types.retain(|t| conversion(*t, unit).is_some());
        if types.is_empty() {
            basis = Some(Basis::Unit);
            types = measured()
                .filter(|t| conversion(*t, unit).is_some())
                .collect();
        }
    }
    let unit = unit.or(usual).map(str::to_owned);
    let fits = |t: &T| {
        let (low, high) = t.plausible_range();
        let converted = unit.as_deref().and_then(|u| conversion(*t, u));
        let converted = converted.zip(value).map(|(c, v)| c.of(v));
        converted.is_none_or(|v| v.within(low, high))
    };
    let is_sure = types.len() == 1 && unit.is_some() && types.iter().all(fits);
    let basis = if types.is_empty() { None } else { basis };
    Guess {
        types,
        unit,
        is_sure,
        basis,
    }
}

/// The types that instruments measure; the others are computed.
fn measured() -> impl Iterator<Item = SensorType> {
    let computed = [
        T::VapourPressureDeficit,
        T::WetBulb,
        T::AbsoluteHumidity,
        T::DailyLightIntegral,
        T::GrowingDegreeDays,
        T::RateOfChange,
        T::Hours,
        T::Number,
        T::DewPoint,
    ];
    let all = T::ALL.into_iter();
    all.filter(move |t| !computed.contains(t))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str, around: &str, unit: Option<&str>, value: &str) -> String {
        let Guess {
            types,
            unit,
            is_sure,
            ..
        } = guess(name, around, unit, Decimal::parse(value));
        let types: Vec<_> = types.iter().map(|t| t.as_str()).collect();
        let mark = if is_sure { "" } else { " ?" };
        format!("{} {}{mark}", types.join("|"), unit.unwrap_or_default())
    }

    #[test]
    fn names_propose_and_what_has_two_meanings_is_asked() {
        for (name, around, unit, value, expected) in [
            ("Temperature", "bed/AM2301", None, "21", "temperature °C"),
            ("tC", "", None, "21", "temperature °C"),
            ("TempF", "", None, "70", "temperature °F"),
            ("temp_SOIL", "", None, "21", "soil_temperature °C"),
            ("water_SOIL", "", None, "30", "soil_moisture %"),
            ("soilMoisture2", "", None, "30", "soil_moisture %"),
            ("hum", "", None, "55", "humidity %"),
            ("RH", "", None, "55", "humidity %"),
            (
                "Humidity",
                "Flora-1",
                None,
                "55",
                "soil_moisture|humidity % ?",
            ),
            (
                "temperature",
                "soil/1",
                None,
                "21",
                "soil_temperature|temperature °C ?",
            ),
            ("battery", "", None, "88", "battery %"),
            ("battery", "", None, "3.1", "voltage|battery  ?"),
            ("BatV", "", None, "3.1", "voltage V"),
            ("value", "temperature", Some("°F"), "70", "temperature °F"),
            ("pH", "", None, "6.5", "ph"),
            ("CO2", "", None, "600", "co2_level ppm"),
            ("pressure", "", None, "1013", "air_pressure hPa"),
            ("pressure", "", None, "2.1", "line_pressure|air_pressure  ?"),
            ("ec", "", None, "1.2", "ec  ?"),
            ("ec", "", Some("dS/m"), "1.2", "ec dS/m"),
            ("Temperature", "", None, "300", "temperature °C ?"),
            ("rssi", "", None, "-70", "  ?"),
            ("x", "", None, "1", "  ?"),
            ("x", "", Some("lx"), "1", "light_intensity lx"),
        ] {
            let expected = if expected == "ph" { "ph " } else { expected };
            assert_eq!(said(name, around, unit, value), expected, "{name} {around}");
        }
        let percent = said("x", "", Some("%"), "40");
        for may in ["humidity", "soil_moisture", "battery", "reservoir_level"] {
            assert!(percent.contains(may), "{percent}");
        }
    }
}
