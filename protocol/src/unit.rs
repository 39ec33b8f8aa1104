//! Spellings of units, and how their numbers become those of the unit in which a sensor type is kept.
//!
//! A spelling is compared without spaces, without case, with `u` for µ and digits for superscripts. One that is not in the table
//! stays as it is, so that what has it is refused as before and people see which it was.

use harit_engine::{Conversion, Measured, SensorType};

use crate::{Item, TypeWord, canonical};

/// The longest spelling that is looked at, in bytes.
const MAX_UNIT_BYTES: usize = 24;

const SAME: Conversion = Conversion::NONE;

const fn by(factor: i64, divisor: i64) -> Conversion {
    Conversion::ratio(factor, divisor)
}

/// What a spelling makes of numbers, for the unit before it. Spellings are written as [`plain`] writes them.
type Spelling = (&'static str, Conversion);

/// Pounds per square inch in bar: 4.4482216152605 N on 0.00064516 m².
const PSI_TO_BAR: Conversion = by(44_482_216_152_605, 645_160_000_000_000);

const UNITS: &[(&str, &[Spelling])] = &[
    (
        "kPa",
        &[
            ("kpa", SAME),
            ("hpa", Conversion::linear(1, 0, 10)),
            ("pa", Conversion::linear(1, 0, 1_000)),
        ],
    ),
    ("g/m³", &[("g/m3", SAME)]),
    ("mol/m²", &[("mol/m2", SAME)]),
    ("°C·d", &[("°cd", SAME)]),
    ("/h", &[("/h", SAME)]),
    ("h", &[("h", SAME), ("hours", SAME)]),
    (
        "°C",
        &[
            ("°c", SAME),
            ("c", SAME),
            ("degc", SAME),
            ("deg_c", SAME),
            ("℃", SAME),
            ("cel", SAME),
            ("celsius", SAME),
            ("f", Conversion::linear(5, -160, 9)),
            ("°f", Conversion::linear(5, -160, 9)),
            ("degf", Conversion::linear(5, -160, 9)),
            ("deg_f", Conversion::linear(5, -160, 9)),
            ("℉", Conversion::linear(5, -160, 9)),
            ("fahrenheit", Conversion::linear(5, -160, 9)),
            ("k", Conversion::linear(100, -27_315, 100)),
            ("kelvin", Conversion::linear(100, -27_315, 100)),
        ],
    ),
    (
        "%",
        &[
            ("%rh", SAME),
            ("rh%", SAME),
            ("%r.h.", SAME),
            ("%vwc", SAME),
            ("percent", SAME),
            ("pct", SAME),
            ("m3/m3", by(100, 1)),
            ("m3m-3", by(100, 1)),
        ],
    ),
    (
        "mS/cm",
        &[
            ("ms/cm", SAME),
            ("ds/m", SAME),
            ("mscm-1", SAME),
            ("us/cm", by(1, 1_000)),
            ("uscm-1", by(1, 1_000)),
            ("ms/m", by(1, 100)),
            ("s/m", by(10, 1)),
        ],
    ),
    (
        "lux",
        &[
            ("lux", SAME),
            ("lx", SAME),
            ("lm/m2", SAME),
            ("klux", by(1_000, 1)),
            ("klx", by(1_000, 1)),
        ],
    ),
    (
        "ppm",
        &[("ppm", SAME), ("umol/mol", SAME), ("ppb", by(1, 1_000))],
    ),
    (
        "hPa",
        &[
            ("hpa", SAME),
            ("mbar", SAME),
            ("mb", SAME),
            ("pa", by(1, 100)),
            ("kpa", by(10, 1)),
            ("inhg", by(3_386_389, 100_000)),
            ("mmhg", by(133_322_387_415, 100_000_000_000)),
        ],
    ),
    (
        "bar",
        &[
            ("bar", SAME),
            ("mbar", by(1, 1_000)),
            ("hpa", by(1, 1_000)),
            ("pa", by(1, 100_000)),
            ("kpa", by(1, 100)),
            ("mpa", by(10, 1)),
            ("psi", PSI_TO_BAR),
            ("kg/cm2", by(980_665, 1_000_000)),
            ("kgf/cm2", by(980_665, 1_000_000)),
        ],
    ),
    (
        "m/s",
        &[
            ("m/s", SAME),
            ("mps", SAME),
            ("ms-1", SAME),
            ("km/h", by(5, 18)),
            ("kmh", by(5, 18)),
            ("kph", by(5, 18)),
            ("mph", by(44_704, 100_000)),
            ("mi/h", by(44_704, 100_000)),
            ("kn", by(1_852, 3_600)),
            ("kt", by(1_852, 3_600)),
            ("knots", by(1_852, 3_600)),
        ],
    ),
    ("°", &[("deg", SAME), ("degree", SAME), ("degrees", SAME)]),
    (
        "mm",
        &[
            ("mm", SAME),
            ("l/m2", SAME),
            ("cm", by(10, 1)),
            ("in", by(254, 10)),
            ("inch", by(254, 10)),
        ],
    ),
    (
        "mm/h",
        &[
            ("mm/h", SAME),
            ("mm/hr", SAME),
            ("mmh", SAME),
            ("in/h", by(254, 10)),
            ("in/hr", by(254, 10)),
        ],
    ),
    (
        "L/min",
        &[
            ("l/min", SAME),
            ("lpm", SAME),
            ("l/s", by(60, 1)),
            ("l/h", by(1, 60)),
            ("m3/h", by(1_000, 60)),
            ("gal/min", by(3_785_411_784, 1_000_000_000)),
            ("gpm", by(3_785_411_784, 1_000_000_000)),
        ],
    ),
    (
        "L",
        &[
            ("l", SAME),
            ("litre", SAME),
            ("litres", SAME),
            ("liter", SAME),
            ("liters", SAME),
            ("ml", by(1, 1_000)),
            ("m3", by(1_000, 1)),
            ("gal", by(3_785_411_784, 1_000_000_000)),
        ],
    ),
    (
        "µmol/m²/s",
        &[
            ("umol/m2/s", SAME),
            ("umol/s/m2", SAME),
            ("umol/(m2s)", SAME),
            ("umol/m2s", SAME),
            ("umolm-2s-1", SAME),
        ],
    ),
    ("W/m²", &[("w/m2", SAME), ("wm-2", SAME)]),
    (
        "V",
        &[
            ("v", SAME),
            ("volt", SAME),
            ("volts", SAME),
            ("mv", by(1, 1_000)),
        ],
    ),
    (
        "A",
        &[
            ("a", SAME),
            ("amp", SAME),
            ("amps", SAME),
            ("ma", by(1, 1_000)),
        ],
    ),
    (
        "W",
        &[
            ("w", SAME),
            ("watt", SAME),
            ("watts", SAME),
            ("kw", by(1_000, 1)),
        ],
    ),
    ("kWh", &[("kwh", SAME), ("wh", by(1, 1_000))]),
    ("Hz", &[("hz", SAME), ("khz", by(1_000, 1))]),
    (
        "kg",
        &[
            ("kg", SAME),
            ("g", by(1, 1_000)),
            ("lb", by(45_359_237, 100_000_000)),
            ("lbs", by(45_359_237, 100_000_000)),
        ],
    ),
    (
        "cm",
        &[
            ("cm", SAME),
            ("mm", by(1, 10)),
            ("m", by(100, 1)),
            ("in", by(254, 100)),
            ("ft", by(3_048, 100)),
        ],
    ),
    (
        "",
        &[
            ("ph", SAME),
            ("uvindex", SAME),
            ("uvi", SAME),
            ("index", SAME),
        ],
    ),
];

/// How numbers in that spelling of a unit become those of the type; none where it is no unit of the type.
#[must_use]
pub fn conversion(sensor_type: SensorType, unit: &str) -> Option<Conversion> {
    if unit == sensor_type.unit() {
        return Some(SAME);
    }
    let mut buffer = [0; MAX_UNIT_BYTES];
    let plain = plain(unit, &mut buffer)?;
    let of = |(unit, _): &&(&str, &[Spelling])| *unit == sensor_type.unit();
    let (_, spellings) = UNITS.iter().find(of)?;
    let spelling = spellings.iter().find(|(spelling, _)| *spelling == plain);
    spelling.map(|(_, conversion)| *conversion)
}

/// The unit that a spelling means whatever is measured, and how its numbers become those; none where it is the unit itself, is
/// not known, or means one thing here and another there (`mm` of rain and of distance).
fn alone(unit: &str) -> Option<(&'static str, Conversion)> {
    if UNITS.iter().any(|(known, _)| *known == unit) {
        return None;
    }
    let mut buffer = [0; MAX_UNIT_BYTES];
    let plain = plain(unit, &mut buffer)?;
    let mut found = UNITS.iter().filter_map(|(unit, spellings)| {
        let spelling = spellings.iter().find(|(spelling, _)| *spelling == plain)?;
        Some((*unit, spelling.1))
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Brings an entry to the unit of its type, its number with it. What has no such unit stays as it is.
pub(crate) fn settle(item: &mut Item<'_>) {
    let Some(unit) = item.unit.as_deref() else {
        return;
    };
    let (unit, conversion) = match item.sensor_type {
        TypeWord::Known(t) if unit == t.unit() => return,
        TypeWord::Known(t) => match conversion(t, unit) {
            Some(conversion) => (t.unit(), conversion),
            None => return,
        },
        TypeWord::Missing => match alone(unit) {
            Some(found) => found,
            None => return,
        },
        TypeWord::Unknown => return,
    };
    item.unit = Some(unit.into());
    item.value = converted(item.value, conversion);
}

/// A value after a conversion, as it is journaled.
pub(crate) fn converted(value: Measured, conversion: Conversion) -> Measured {
    match value {
        Measured::Value(number) => canonical(Measured::Value(conversion.of(number))),
        other => other,
    }
}

/// A spelling without what people write differently.
fn plain<'b>(unit: &str, buffer: &'b mut [u8; MAX_UNIT_BYTES]) -> Option<&'b str> {
    let mut length = 0;
    for c in unit.chars() {
        let c = match c {
            ' ' | '\u{a0}' | '·' | '⋅' | '*' => continue,
            'µ' | 'μ' => 'u',
            '²' => '2',
            '³' => '3',
            '⁻' => '-',
            '¹' => '1',
            'º' | '˚' => '°',
            c => c.to_ascii_lowercase(),
        };
        let room = buffer.get_mut(length..length + c.len_utf8())?;
        c.encode_utf8(room);
        length += c.len_utf8();
    }
    std::str::from_utf8(buffer.get(..length)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_unit_of_the_table_of_types_and_every_spelling_is_plain() {
        for (unit, spellings) in UNITS {
            assert!(SensorType::ALL.iter().any(|t| t.unit() == *unit), "{unit}");
            for (spelling, _) in *spellings {
                let mut buffer = [0; MAX_UNIT_BYTES];
                assert_eq!(plain(spelling, &mut buffer), Some(*spelling));
                let all = spellings.iter().filter(|(other, _)| other == spelling);
                assert_eq!(all.count(), 1, "{spelling}");
            }
        }
        for t in SensorType::ALL {
            assert_eq!(conversion(t, t.unit()), Some(SAME), "{t}");
            assert!(UNITS.iter().any(|(unit, _)| *unit == t.unit()), "{t}");
        }
    }

    #[test]
    fn spellings_become_the_unit_of_the_type() {
        use SensorType as T;
        for (sensor_type, unit, value, expected) in [
            (T::Temperature, "°F", "68", "20"),
            (T::Temperature, "C", "20.6", "20.6"),
            (T::Temperature, "degC", "20.6", "20.6"),
            (T::Temperature, "℃", "20.6", "20.6"),
            (T::Temperature, "K", "293.15", "20"),
            (T::LightIntensity, "lx", "350", "350"),
            (T::LightIntensity, "klux", "21.18", "21180"),
            (T::Ec, "µS/cm", "28200", "28.2"),
            (T::Ec, "μS/cm", "28200", "28.2"),
            (T::Ec, "uS/cm", "28200", "28.2"),
            (T::Ec, "dS/m", "1.8", "1.8"),
            (T::Humidity, "%RH", "61.1", "61.1"),
            (T::Humidity, "percent", "61.1", "61.1"),
            (T::Distance, "mm", "755", "75.5"),
            (T::Rain, "mm", "75.5", "75.5"),
            (T::AirPressure, "Pa", "100729.105", "1007.29105"),
            (T::LinePressure, "psi", "30", "2.068427"),
            (T::WindSpeed, "km/h", "36", "10"),
            (T::Flow, "m³/h", "3", "50"),
            (T::Par, "µmol m⁻² s⁻¹", "812", "812"),
            (T::Ph, "PH", "6.5", "6.5"),
        ] {
            let found = conversion(sensor_type, unit).unwrap_or_else(|| panic!("{unit}"));
            let value = converted(Measured::parse(value), found);
            assert_eq!(value, Measured::parse(expected), "{sensor_type} {unit}");
        }
        for (sensor_type, unit) in [
            (T::Temperature, "%"),
            (T::Humidity, "°C"),
            (T::Ec, "cm"),
            (T::Ec, "furlongs"),
            (T::Ec, "a unit that is longer than every unit"),
            (T::Temperature, ""),
        ] {
            assert_eq!(conversion(sensor_type, unit), None, "{sensor_type} {unit}");
        }
    }

    #[test]
    fn without_a_type_only_what_can_mean_one_thing_is_converted() {
        assert_eq!(alone("°F").map(|(unit, _)| unit), Some("°C"));
        assert_eq!(alone("uS/cm").map(|(unit, _)| unit), Some("mS/cm"));
        assert_eq!(alone("hPa"), None);
        assert_eq!(alone("kPa"), None);
        assert_eq!(alone("in"), None);
        assert_eq!(alone("%"), None);
    }
}
