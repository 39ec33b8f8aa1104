//! The almanac of each farm: the engine is told its local days, from the time zone and the position that its records have.

use std::collections::BTreeMap;
use std::time::Duration;

use harit_engine::{AlmanacDay, ClockChange, FarmId, Input, InputKind, LocalDate, Timestamp};
use harit_ingest::Hub;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use tokio_util::sync::CancellationToken;

use crate::letter::{day_at, zone_of};
use crate::records::{FarmRow, Records, now_ms};
use crate::sun::{self, Position, midnight};

/// How often the farms are looked at: so late a new farm, a new position or a new day is known.
const ROUND: Duration = Duration::from_secs(10);
/// The days that are told: yesterday, for what passes midnight, and as many as keep a schedule going, and tell what was
/// missed, where the server is down for some time.
const DAYS: std::ops::RangeInclusive<i64> = -1..=12;

/// What an almanac follows from, and the day for which it was told.
#[derive(Debug, PartialEq)]
struct Told {
    today: Date,
    zone: String,
    position: Option<Position>,
}

/// Keeps the farms' almanacs.
pub(crate) struct AlmanacKeeper {
    records: Records,
    hub: Hub,
    told: BTreeMap<FarmId, Told>,
}

impl AlmanacKeeper {
    pub(crate) const fn new(records: Records, hub: Hub) -> Self {
        Self {
            records,
            hub,
            told: BTreeMap::new(),
        }
    }

    /// Tells until it is stopped.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        let mut round = tokio::time::interval(ROUND);
        round.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = round.tick() => {}
            }
            match self.records.farm_rows().await {
                Ok(farms) => {
                    for farm in farms {
                        self.look(farm).await;
                    }
                }
                Err(error) => tracing::warn!(%error, "the farms' almanacs wait"),
            }
        }
    }

    async fn look(&mut self, row: FarmRow) {
        let zone = zone_of(&row.timezone);
        let now = Told {
            today: day_at(&zone, now_ms()),
            position: position_of(&row),
            zone: row.timezone,
        };
        let farm = FarmId::new(row.id);
        if self.told.get(&farm) == Some(&now) {
            return;
        }
        let days = days(&zone, now.today, now.position);
        match self.tell(&farm, days).await {
            Ok(()) => {
                self.told.insert(farm, now);
            }
            // It failed, or has no engine yet: the next round tells it.
            Err(error) => tracing::debug!(%farm, %error, "a farm's almanac waits"),
        }
    }

    /// Tells days, unless the engine knows all of them already.
    async fn tell(
        &self,
        farm: &FarmId,
        days: Vec<AlmanacDay>,
    ) -> Result<(), harit_ingest::AdmitError> {
        let wanted = days.clone();
        let known = move |engine: &harit_engine::Engine| {
            let all: Vec<&AlmanacDay> = engine.almanac().collect();
            wanted.iter().all(|day| all.contains(&day))
        };
        if self.hub.read(farm, known).await? {
            return Ok(());
        }
        self.hub.admit(farm, InputKind::Almanac(days)).await?;
        Ok(())
    }
}

fn position_of(row: &FarmRow) -> Option<Position> {
    let (lat, lng) = row.lat.zip(row.lng)?;
    Position::new(lat, lng)
}

/// The days that a farm's engine is told at an instant, of a place (degrees north and east) in an IANA time zone: for who plays a
/// farm's past without a server's clock.
#[must_use]
pub fn almanac_days(timezone: &str, position: (f64, f64), at: Timestamp) -> Vec<AlmanacDay> {
    let zone = zone_of(timezone);
    let today = day_at(&zone, at.as_millis());
    days(&zone, today, Position::new(position.0, position.1))
}

/// The days of a span, as a farm's engine would have been told them: each morning those around it.
pub(crate) fn days_of(row: &FarmRow, (from, to): (Timestamp, Timestamp)) -> Vec<Input> {
    let (zone, position) = (zone_of(&row.timezone), position_of(row));
    let (mut date, last) = (
        day_at(&zone, from.as_millis()),
        day_at(&zone, to.as_millis()),
    );
    let mut told = Vec::new();
    while date <= last {
        let begins = midnight(date, &zone).map_or(from, Timestamp::from_millis);
        told.push(Input {
            at: begins.max(from),
            kind: InputKind::Almanac(days(&zone, date, position)),
        });
        match date.tomorrow() {
            Ok(next) => date = next,
            Err(_) => break,
        }
    }
    told
}

/// The days around a farm's today.
fn days(zone: &TimeZone, today: Date, position: Option<Position>) -> Vec<AlmanacDay> {
    let dates = DAYS.filter_map(|n| today.checked_add(jiff::Span::new().days(n)).ok());
    dates.filter_map(|date| day(zone, date, position)).collect()
}

/// A day; none where the calendar ends.
fn day(zone: &TimeZone, date: Date, position: Option<Position>) -> Option<AlmanacDay> {
    let from = midnight(date, zone)?;
    let to = midnight(date.tomorrow().ok()?, zone)?;
    let instant = |ms| jiff::Timestamp::from_millisecond(ms).ok();
    let change = { zone.following(instant(from)?) }
        .next()
        .filter(|change| change.timestamp().as_millisecond() < to);
    let local = u8::try_from(date.month())
        .ok()
        .zip(u8::try_from(date.day()).ok());
    let (month, day_of_month) = local?;
    let sun = position.and_then(|place| sun::day(place, date, zone));
    let at = Timestamp::from_millis;
    Some(AlmanacDay {
        date: LocalDate::new(date.year().into(), month, day_of_month)?,
        from: at(from),
        to: at(to),
        offset: zone.to_offset(instant(from)?).seconds(),
        change: change.map(|change| ClockChange {
            at: at(change.timestamp().as_millisecond()),
            offset: change.offset().seconds(),
        }),
        sunrise: sun.and_then(|sun| sun.rise).map(at),
        sunset: sun.and_then(|sun| sun.set).map(at),
    })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_day_has_its_clock_and_its_sun() {
        let delhi = Position::new(28.6, 77.2);
        let kolkata = zone_of("Asia/Kolkata");
        let all = days(&kolkata, date(2026, 11, 25), delhi);
        assert_eq!(all.len(), 14);
        assert_eq!(
            (all[0].date.to_string(), all[0].offset),
            ("2026-11-24".into(), 19_800)
        );
        for (one, next) in all.iter().zip(&all[1..]) {
            assert_eq!((one.to, one.change), (next.from, None));
            let (rise, set) = (one.sunrise.unwrap(), one.sunset.unwrap());
            assert!(one.from < rise && rise < set && set < one.to);
        }
        assert!(
            days(&kolkata, date(2026, 11, 25), None)
                .iter()
                .all(|d| d.sunrise.is_none())
        );
    }

    #[test]
    fn a_clock_that_is_set_stands_on_its_day() {
        let berlin = zone_of("Europe/Berlin");
        let hours = |day: &AlmanacDay| (day.to - day.from).as_secs() / 3_600;
        let spring = day(&berlin, date(2026, 3, 29), None).unwrap();
        let change = spring.change.unwrap();
        assert_eq!(
            (hours(&spring), spring.offset, change.offset),
            (23, 3_600, 7_200)
        );
        assert_eq!((change.at - spring.from).as_secs(), 7_200);
        let autumn = day(&berlin, date(2026, 10, 25), None).unwrap();
        assert_eq!(
            (hours(&autumn), autumn.offset, autumn.change.unwrap().offset),
            (25, 7_200, 3_600)
        );
        assert_eq!(day(&berlin, date(2026, 10, 26), None).unwrap().change, None);
    }
}
