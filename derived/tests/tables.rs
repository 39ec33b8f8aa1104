//! Formulas against published tables.

use harit_derived::{
    absolute_humidity, dew_point, leaf_vapour_pressure_deficit, saturation_pressure,
    vapour_pressure_deficit, wet_bulb,
};

fn near(what: &str, value: Option<f64>, expected: f64, within: f64) {
    let value = value.unwrap_or_else(|| panic!("{what} is not known"));
    assert!(
        (value - expected).abs() <= within,
        "{what}: {value} is not {expected}"
    );
}

/// Saturation vapour pressure, in kPa: FAO Irrigation and Drainage Paper 56, annex 2, table 2.3.
const TABLE_2_3: [(f64, f64); 18] = [
    (1.0, 0.657),
    (1.5, 0.681),
    (2.0, 0.706),
    (5.0, 0.872),
    (10.0, 1.228),
    (13.0, 1.498),
    (15.0, 1.705),
    (16.0, 1.818),
    (19.0, 2.197),
    (20.0, 2.338),
    (24.5, 3.075),
    (25.0, 3.168),
    (30.0, 4.243),
    (31.0, 4.493),
    (35.0, 5.624),
    (37.0, 6.275),
    (40.0, 7.376),
    (45.0, 9.585),
];

#[test]
fn saturation_and_deficit_are_those_of_fao_56() {
    for (celsius, pressure) in TABLE_2_3 {
        near("saturation", saturation_pressure(celsius), pressure, 0.003);
        for percent in (0..=100).step_by(5).map(f64::from) {
            let missing = pressure * (1.0 - percent / 100.0);
            let deficit = vapour_pressure_deficit(celsius, percent);
            near("deficit", deficit, missing, 0.01);
        }
    }
    // example 5 of the paper: from 24.5 °C with 54 % and 15 °C with 82 %, the mean of both is in the air
    let in_air = |t, rh| saturation_pressure(t).unwrap() - vapour_pressure_deficit(t, rh).unwrap();
    let mean = f64::midpoint(in_air(24.5, 54.0), in_air(15.0, 82.0));
    near("in the air", Some(mean), 1.53, 0.01);
}

/// Dew points in °C at 30, 40, ... 90 %: DIN 4108, part 5, table 1 (those above 0 °C: below, the table is over ice).
const DIN_4108: [(f64, [Option<f64>; 7]); 7] = [
    (
        10.0,
        [
            None,
            None,
            Some(0.1),
            Some(2.6),
            Some(4.8),
            Some(6.7),
            Some(8.4),
        ],
    ),
    (
        14.0,
        [
            None,
            Some(0.6),
            Some(3.7),
            Some(6.4),
            Some(8.6),
            Some(10.6),
            Some(12.4),
        ],
    ),
    (
        18.0,
        [
            Some(0.2),
            Some(4.2),
            Some(7.4),
            Some(10.1),
            Some(12.5),
            Some(14.5),
            Some(16.3),
        ],
    ),
    (
        20.0,
        [
            Some(1.9),
            Some(6.0),
            Some(9.3),
            Some(12.0),
            Some(14.4),
            Some(16.4),
            Some(18.3),
        ],
    ),
    (
        22.0,
        [
            Some(3.6),
            Some(7.8),
            Some(11.1),
            Some(13.9),
            Some(16.3),
            Some(18.4),
            Some(20.3),
        ],
    ),
    (
        25.0,
        [
            Some(6.2),
            Some(10.5),
            Some(13.9),
            Some(16.7),
            Some(19.1),
            Some(21.3),
            Some(23.2),
        ],
    ),
    (
        30.0,
        [
            Some(10.5),
            Some(14.9),
            Some(18.4),
            Some(21.4),
            Some(23.9),
            Some(26.2),
            Some(28.2),
        ],
    ),
];

#[test]
fn dew_points_are_those_of_the_standard() {
    for (celsius, row) in DIN_4108 {
        for (percent, expected) in (30..=90).step_by(10).map(f64::from).zip(row) {
            if let Some(expected) = expected {
                let what = format!("dew point at {celsius} °C and {percent} %");
                near(&what, dew_point(celsius, percent), expected, 0.1);
            }
        }
    }
    assert_eq!(dew_point(20.0, 0.0), None, "there is no water to condense");
}

/// Water in saturated air, in g/m³, and wet bulbs at 101.325 kPa as psychrometric charts have them.
#[test]
fn water_in_the_air_and_wet_bulbs_are_those_of_the_charts() {
    for (celsius, grams) in [(0.0, 4.8), (10.0, 9.4), (20.0, 17.3), (30.0, 30.4)] {
        near("water", absolute_humidity(celsius, 100.0), grams, 0.1);
        near("water", absolute_humidity(celsius, 50.0), grams / 2.0, 0.1);
    }
    for (celsius, percent, wet) in [
        (20.0, 50.0, 13.8),
        (25.0, 50.0, 17.9),
        (30.0, 50.0, 22.0),
        (20.0, 100.0, 20.0),
    ] {
        near("wet bulb", wet_bulb(celsius, percent, 101.325), wet, 0.2);
    }
    // against the fit of Stull 2011 (J. Appl. Meteor. Climatol. 50), which is off by 1 K at most where it holds
    for (t, h) in [
        (0.0, 70.0),
        (10.0, 40.0),
        (20.0, 50.0),
        (25.0, 80.0),
        (30.0, 20.0),
        (40.0, 30.0),
    ] {
        let stull = t * f64::atan(0.151_977 * f64::sqrt(h + 8.313_659)) + f64::atan(t + h)
            - f64::atan(h - 1.676_331)
            + 0.003_918_38 * f64::powf(h, 1.5) * f64::atan(0.023_101 * h)
            - 4.686_035;
        near("wet bulb", wet_bulb(t, h, 101.325), stull, 1.0);
    }
}

#[test]
fn a_leaf_below_the_dew_point_lacks_nothing() {
    let of = leaf_vapour_pressure_deficit;
    near("leaf", of(23.0, 25.0, 60.0), 2.809 - 0.6 * 3.168, 0.005);
    assert_eq!(of(10.0, 25.0, 90.0), Some(0.0));
    assert_eq!(of(25.0, 25.0, 104.0), None);
    assert_eq!(vapour_pressure_deficit(120.0, 50.0), None);
    assert_eq!(wet_bulb(20.0, 50.0, 3.0), None);
}
