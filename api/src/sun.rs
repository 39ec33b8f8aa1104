//! Sunrise and sunset at a place, by the position of the sun's upper edge at a horizon without hills.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use solar_positioning::{Horizon, HorizonState, Location, SolarEvents, delta_t};

/// The Julian date of 1970-01-01T00:00Z.
const EPOCH_JD: f64 = 2_440_587.5;
const DAY_MS: f64 = 86_400_000.0;

/// A place on earth, in degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Position {
    pub(crate) lat: f64,
    pub(crate) lng: f64,
}

impl Position {
    /// The place, if it is on earth.
    pub(crate) fn new(lat: f64, lng: f64) -> Option<Self> {
        ((-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lng))
            .then_some(Self { lat, lng })
    }
}

/// What the sun does on a day of a time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SunDay {
    pub(crate) date: Date,
    /// Epoch milliseconds; none where it does not rise on that day.
    pub(crate) rise: Option<i64>,
    /// None where it does not set on that day.
    pub(crate) set: Option<i64>,
    /// Whether it is up when the day begins: with neither rise nor set it is up, or down, all day.
    pub(crate) up_at_start: bool,
}

/// What the sun does on a day; none where that cannot be computed. Of a day with two sunrises, as far in the north, the
/// first one is told, and the last sunset.
pub(crate) fn day(place: Position, date: Date, zone: &TimeZone) -> Option<SunDay> {
    let start = midnight(date, zone)?;
    let end = midnight(date.tomorrow().ok()?, zone)?;
    let location = Location {
        latitude: place.lat,
        longitude: place.lng,
    };
    let year = f64::from(date.year()) + (f64::from(date.day_of_year()) - 0.5) / 365.25;
    let lag = delta_t::estimate(year).ok()?;
    let events = SolarEvents::new()
        .for_interval_from_julian(
            julian(start),
            julian(end),
            location,
            lag,
            Horizon::SunriseSunset,
        )
        .ok()?;
    Some(SunDay {
        date,
        rise: events.rises.first().copied().map(epoch),
        set: events.sets.last().copied().map(epoch),
        up_at_start: events.state_at_start != HorizonState::Below,
    })
}

/// When a day begins in a time zone, in epoch milliseconds.
pub(crate) fn midnight(date: Date, zone: &TimeZone) -> Option<i64> {
    let start = date.to_zoned(zone.clone()).and_then(|z| z.start_of_day());
    Some(start.ok()?.timestamp().as_millisecond())
}

#[allow(clippy::cast_precision_loss, reason = "milliseconds of centuries fit")]
fn julian(at: i64) -> f64 {
    EPOCH_JD + at as f64 / DAY_MS
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "an instant of the interval that was asked for"
)]
fn epoch(julian: f64) -> i64 {
    ((julian - EPOCH_JD) * DAY_MS).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).expect("a zone")
    }

    /// The equations of NOAA's solar calculator (Meeus, low accuracy), worked anew: minutes of UTC of sunrise and sunset.
    fn noaa(lat: f64, lng: f64, date: Date) -> (f64, f64) {
        let days = date.since(jiff::civil::date(2000, 1, 1)).expect("days");
        let noon = f64::from(days.get_days()) - lng / 360.0;
        let event = |side: f64| {
            let mut at = noon;
            for _ in 0..5 {
                let t = at / 36_525.0;
                let long = (280.466_46 + t * (36_000.769_83 + t * 0.000_303_2)).rem_euclid(360.0);
                let anomaly = (357.529_11 + t * (35_999.050_29 - 0.000_153_7 * t)).to_radians();
                let ecc = 0.016_708_634 - t * (0.000_042_037 + 0.000_000_126_7 * t);
                let centre = anomaly.sin() * (1.914_602 - t * (0.004_817 + 0.000_014 * t))
                    + (2.0 * anomaly).sin() * (0.019_993 - 0.000_101 * t)
                    + (3.0 * anomaly).sin() * 0.000_289;
                let node = (125.04 - 1_934.136 * t).to_radians();
                let apparent = (long + centre - 0.005_69 - 0.004_78 * node.sin()).to_radians();
                let tilt = (23.0
                    + (26.0 + (21.448 - t * (46.815 + t * (0.000_59 - t * 0.001_813))) / 60.0)
                        / 60.0
                    + 0.002_56 * node.cos())
                .to_radians();
                let declination = (tilt.sin() * apparent.sin()).asin();
                let y = (tilt / 2.0).tan().powi(2);
                let l = long.to_radians();
                let equation = 4.0
                    * (y * (2.0 * l).sin() - 2.0 * ecc * anomaly.sin()
                        + 4.0 * ecc * y * anomaly.sin() * (2.0 * l).cos()
                        - 0.5 * y * y * (4.0 * l).sin()
                        - 1.25 * ecc * ecc * (2.0 * anomaly).sin())
                    .to_degrees();
                let lat = lat.to_radians();
                let hour = (90.833_f64.to_radians().cos() / (lat.cos() * declination.cos())
                    - lat.tan() * declination.tan())
                .acos()
                .to_degrees();
                let minutes = 720.0 - 4.0 * (lng - side * hour) - equation;
                at = f64::from(days.get_days()) + (minutes - 720.0) / 1_440.0;
            }
            (at + 0.5 - f64::from(days.get_days())) * 1_440.0
        };
        (event(-1.0), event(1.0))
    }

    #[test]
    fn ten_places_agree_with_noaa_within_a_minute() {
        // nearly all zones, both hemispheres, solstices and equinoxes
        let places = [
            ("Asia/Kolkata", 20.0, 73.79),         // Nashik
            ("Asia/Kolkata", 18.52, 73.86),        // Pune
            ("Asia/Kolkata", 28.61, 77.21),        // Delhi
            ("Asia/Kolkata", 26.14, 91.74),        // Guwahati
            ("Asia/Kolkata", 8.52, 76.94),         // Thiruvananthapuram
            ("Europe/Amsterdam", 52.37, 4.9),      // Amsterdam
            ("America/New_York", 40.71, -74.01),   // New York
            ("Australia/Sydney", -33.87, 151.21),  // Sydney
            ("America/Sao_Paulo", -23.55, -46.63), // São Paulo
            ("Africa/Nairobi", -1.29, 36.82),      // Nairobi
            ("Atlantic/Reykjavik", 64.15, -21.94), // Reykjavík
        ];
        for (name, lat, lng) in places {
            for (month, date) in [(1, 5), (3, 20), (6, 21), (9, 23), (11, 25), (12, 21)] {
                let date = jiff::civil::date(2026, month, date);
                let zone = zone(name);
                let place = Position::new(lat, lng).expect("a place");
                let sun = day(place, date, &zone).expect("a day");
                let (rise, set) = noaa(lat, lng, date);
                let utc = midnight(date, &TimeZone::UTC).expect("midnight");
                #[allow(clippy::cast_precision_loss, reason = "minutes")]
                let minutes = |at: Option<i64>| (at.expect("an event") - utc) as f64 / 60_000.0;
                // of a day on which the sun sets after midnight the sunset before is told
                let near = |a: f64, b: f64| {
                    let apart = (a - b).rem_euclid(1_440.0);
                    apart.min(1_440.0 - apart) < 1.0
                };
                assert!(
                    near(minutes(sun.rise), rise),
                    "{name} {date}: rise {} {rise}",
                    minutes(sun.rise)
                );
                assert!(
                    near(minutes(sun.set), set),
                    "{name} {date}: set {} {set}",
                    minutes(sun.set)
                );
            }
        }
    }

    #[test]
    fn published_tables_agree_within_a_minute() {
        let tables = include_str!("../../testdata/sun/usno.tsv");
        let lines = tables.lines().filter(|line| !line.starts_with('#'));
        let (mut places, mut days, mut compared) = (std::collections::BTreeSet::new(), 0, 0);
        for line in lines {
            let fields: Vec<&str> = line.split('\t').collect();
            let &[name, lat, lng, date, rise, set] = &fields[..] else {
                panic!("not six fields: {line}");
            };
            let degrees = |text: &str| text.parse().expect("degrees");
            let place = Position::new(degrees(lat), degrees(lng)).expect("a place");
            let date: Date = date.parse().expect("a date");
            // Far from Greenwich an event of this day's sun falls on the day beside it.
            let around = [-1_i64, 0, 1].map(|by| {
                let date = date
                    .checked_add(jiff::Span::new().days(by))
                    .expect("a date");
                day(place, date, &TimeZone::UTC).expect("a day")
            });
            let [rises, sets] = [around.map(|sun| sun.rise), around.map(|sun| sun.set)];
            for (events, said) in [(rises, rise), (sets, set)] {
                let (hour, minute) = said.split_at(2);
                let number = |text: &str| text.parse().expect("a time");
                let said = date.at(number(hour), number(minute), 0, 0);
                if (3..24 * 60 - 3)
                    .contains(&(i32::from(said.hour()) * 60 + i32::from(said.minute())))
                {
                    compared += 1;
                } else {
                    // Such a day has two of them, or none.
                    continue;
                }
                let said = said.to_zoned(TimeZone::UTC).expect("a time").timestamp();
                let apart = events
                    .into_iter()
                    .flatten()
                    .map(|at| (at - said.as_millisecond()).abs());
                let apart = apart.min().expect("an event");
                assert!(apart <= 60_000, "{line}: {apart} ms");
            }
            places.insert(name);
            days += 1;
        }
        assert_eq!(places.len(), 10);
        assert!(
            compared >= 2 * days - 20 && days >= 120,
            "{compared} of {days} days"
        );
    }

    #[test]
    fn almanacs_agree() {
        // Greenwich, 2000-01-01: HM Nautical Almanac 08:06 and 16:02; New York, 2023-06-21: 5:25 am and 8:31 pm
        for (name, lat, lng, date, rise, set) in [
            (
                "UTC",
                51.48,
                0.0,
                jiff::civil::date(2000, 1, 1),
                (8, 6),
                (16, 2),
            ),
            (
                "America/New_York",
                40.71,
                -74.01,
                jiff::civil::date(2023, 6, 21),
                (5, 25),
                (20, 31),
            ),
        ] {
            let zone = zone(name);
            let sun = day(Position::new(lat, lng).expect("a place"), date, &zone).expect("a day");
            for (at, (hour, minute)) in [(sun.rise, rise), (sun.set, set)] {
                let wanted = date
                    .at(hour, minute, 30, 0)
                    .to_zoned(zone.clone())
                    .expect("a time");
                let apart = at.expect("an event") - wanted.timestamp().as_millisecond();
                assert!(apart.abs() <= 90_000, "{name}: {apart} ms");
            }
        }
    }

    #[test]
    fn where_the_sun_does_not_set_or_rise_the_day_says_so() {
        let zone = zone("Arctic/Longyearbyen");
        let place = Position::new(78.22, 15.65).expect("a place");
        let summer = day(place, jiff::civil::date(2026, 6, 21), &zone).expect("a day");
        assert_eq!(
            (summer.rise, summer.set, summer.up_at_start),
            (None, None, true)
        );
        let winter = day(place, jiff::civil::date(2026, 12, 21), &zone).expect("a day");
        assert_eq!(
            (winter.rise, winter.set, winter.up_at_start),
            (None, None, false)
        );
        assert_eq!(Position::new(91.0, 0.0), None);
        assert_eq!(Position::new(f64::NAN, 0.0), None);
    }

    #[test]
    fn a_day_is_as_long_as_its_zone_says() {
        let zone = zone("Europe/Amsterdam");
        let length = |m, d| {
            let date = jiff::civil::date(2026, m, d);
            let next = midnight(date.tomorrow().expect("a day"), &zone).expect("midnight");
            (next - midnight(date, &zone).expect("midnight")) / 3_600_000
        };
        assert_eq!((length(3, 29), length(6, 1), length(10, 25)), (23, 24, 25));
    }
}
