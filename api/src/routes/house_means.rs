//! What is measured in each polyhouse now: the means of its fresh sensors, and what follows from two of them.

use std::collections::BTreeMap;

use harit_engine::{Engine, PolyhouseId, Quantity, ScopeSpec, SensorType};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ranges::{Range, Ranges};

/// The key of the vapour pressure deficit beside the sensor types.
const VPD: &str = "vpd";

/// Means by polyhouse, then by the sensor type as on the wire.
pub(crate) type HouseMeans = BTreeMap<String, BTreeMap<&'static str, HouseMean>>;

/// A mean over a house.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct HouseMean {
    /// Rounded to two decimals.
    #[schema(value_type = f64)]
    value: Quantity,
    /// Empty for pH.
    unit: &'static str,
    /// When the newest of its readings was taken.
    at: i64,
    /// What all crops of the house want at once; null where there is no such range.
    #[schema(required)]
    wanted: Option<RangeBody>,
}

/// A range, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
#[schema(as = Range)]
pub(crate) struct RangeBody {
    #[schema(value_type = f64)]
    low: Quantity,
    #[schema(value_type = f64)]
    high: Quantity,
}

impl From<Range> for RangeBody {
    fn from(Range { low, high }: Range) -> Self {
        Self { low, high }
    }
}

/// The means of every house in which something is fresh. A house with a temperature and a humidity has `vpd` too.
pub(super) fn of_houses(engine: &Engine, ranges: &Ranges) -> HouseMeans {
    let wanted = |house: &PolyhouseId, kind| ranges.get(house, kind).flatten().map(RangeBody::from);
    let mut houses = HouseMeans::new();
    for sensor in engine.sensors() {
        let (Some(_), Some(at)) = (sensor.value, sensor.read_at) else {
            continue;
        };
        let Some(house) = engine.house_of(&sensor.spec.scope) else {
            continue;
        };
        let kind = sensor.spec.sensor_type;
        let means = houses.entry(house.to_string()).or_default();
        if let Some(known) = means.get_mut(kind.as_str()) {
            known.at = known.at.max(at.as_millis());
        } else if let Some(mean) = engine.signal(&ScopeSpec::polyhouse(house.clone()), kind) {
            let mean = HouseMean {
                value: mean.shown(),
                unit: kind.unit(),
                at: at.as_millis(),
                wanted: wanted(house, kind),
            };
            means.insert(kind.as_str(), mean);
        }
    }
    for (house, means) in &mut houses {
        if let Some(mut deficit) = deficit_of(means) {
            deficit.wanted = wanted(&house.as_str().into(), SensorType::VapourPressureDeficit);
            means.insert(VPD, deficit);
        }
    }
    houses
}

/// The vapour pressure deficit at the means of temperature and humidity, as old as the older of them.
fn deficit_of(means: &BTreeMap<&'static str, HouseMean>) -> Option<HouseMean> {
    let air = means.get(SensorType::Temperature.as_str())?;
    let humidity = means.get(SensorType::Humidity.as_str())?;
    Some(HouseMean {
        value: deficit(air.value, humidity.value)?,
        unit: "kPa",
        at: air.at.min(humidity.at),
        wanted: None,
    })
}

/// The vapour pressure deficit of air in kPa, to two decimals: what is missing of the saturation pressure of Tetens (1930, with
/// the constants of FAO Irrigation and Drainage Paper 56, equation 11). None outside -40 to 80 °C and 0 to 100 %.
pub(crate) fn deficit(temperature: Quantity, humidity: Quantity) -> Option<Quantity> {
    let (celsius, percent) = (temperature.to_f64(), humidity.to_f64());
    if !(-40.0..=80.0).contains(&celsius) || !(0.0..=100.0).contains(&percent) {
        return None;
    }
    let saturation = 0.6108 * (17.27 * celsius / (celsius + 237.3)).exp();
    let missing = saturation * (1.0 - percent / 100.0);
    Quantity::from_f64((missing * 100.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deficit_is_that_of_the_tables() {
        let at = |celsius: f64, percent: f64| {
            let of = |v| Quantity::from_f64(v).expect("a quantity");
            deficit(of(celsius), of(percent)).map(Quantity::to_f64)
        };
        // saturation pressures of FAO 56, table 2.3: 20 °C 2.338, 25 °C 3.168, 35 °C 5.624
        assert_eq!(at(20.0, 0.0), Some(2.34));
        assert_eq!(at(25.0, 50.0), Some(1.58));
        assert_eq!(at(35.0, 40.0), Some(3.37));
        assert_eq!(at(25.0, 100.0), Some(0.0));
        assert_eq!(at(25.0, 104.0), None);
        assert_eq!(at(120.0, 50.0), None);
    }
}
