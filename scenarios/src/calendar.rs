//! When a story begins, and the local days that it tells the engine.

use std::collections::BTreeMap;

use harit_engine::{InputKind, LocalDate, TimeOfDay, Weekdays};
use serde_json::{Value, json};

use crate::words::{Line, Read};

const MINUTE: i64 = 60_000;
const DAY: i64 = 1_440 * MINUTE;

/// What the farm's clocks show. A story that says nothing of it begins with the Unix epoch, in UTC.
#[derive(Default)]
pub(crate) struct Calendar {
    /// The instant of the story's beginning, in milliseconds since the epoch.
    pub(crate) origin: i64,
    /// How far local clocks are ahead of UTC then, in milliseconds.
    offset: i64,
    /// By how much clocks are set on a date.
    changes: BTreeMap<LocalDate, i64>,
}

impl Calendar {
    /// `wed 2026-11-25 00:00 +05:30`
    pub(crate) fn begins(&mut self, line: &mut Line) -> Read<()> {
        let weekday = line.word("a weekday")?;
        let date = date(line)?;
        let is = Weekdays::of([date.weekday()]).and_then(|d| d.words().next());
        if is != Some(weekday.as_str()) {
            return line.wrong(format!("{date} is no {weekday}"));
        }
        let time = time(line)?;
        let ahead = line.word("how far clocks are ahead of UTC")?;
        let (sign, digits) = match (ahead.strip_prefix('+'), ahead.strip_prefix('-')) {
            (Some(digits), _) => (1, digits),
            (_, Some(digits)) => (-1, digits),
            _ => return line.wrong(format!("{ahead:?} is not like +05:30")),
        };
        self.offset = match minutes(digits) {
            Some(minutes) => sign * minutes * MINUTE,
            None => return line.wrong(format!("{ahead:?} is not like +05:30")),
        };
        self.origin = date.midnight_utc().as_millis() + time - self.offset;
        Ok(())
    }

    /// `2026-11-25 to 2026-11-28 sunrise 06:40 sunset 17:50, 2026-11-29`; a day on which clocks are set says so with
    /// `clock 02:00 -> 03:00`.
    pub(crate) fn almanac(&mut self, line: &mut Line) -> Read<InputKind> {
        let mut days = vec![];
        loop {
            let first = date(line)?;
            let last = if line.eat("to") { date(line)? } else { first };
            let (mut sunrise, mut sunset) = (None, None);
            // Where clocks are set: what they show before and after.
            let mut change = None;
            loop {
                if line.eat("sunrise") {
                    sunrise = Some(time(line)?);
                } else if line.eat("sunset") {
                    sunset = Some(time(line)?);
                } else if line.eat("clock") {
                    let before = time(line)?;
                    line.need("->")?;
                    change = Some((before, time(line)?));
                } else {
                    break;
                }
            }
            if let Some((before, after)) = change {
                self.changes.insert(first, after - before);
            }
            let mut day = first;
            while day <= last && days.len() < 64 {
                days.push(self.day(day, sunrise, sunset, change.map(|c| c.0)));
                day = day.plus(1);
            }
            if !line.eat(",") {
                break;
            }
        }
        match serde_json::from_value(json!(days)) {
            Ok(days) => Ok(InputKind::Almanac(days)),
            Err(e) => line.wrong(e.to_string()),
        }
    }

    fn day(
        &self,
        date: LocalDate,
        sunrise: Option<i64>,
        sunset: Option<i64>,
        change: Option<i64>,
    ) -> Value {
        let midnight = date.midnight_utc().as_millis();
        let set_by: i64 = self.changes.range(..date).map(|(_, by)| by).sum();
        let before = self.offset + set_by;
        let after = before
            + self
                .changes
                .get(&date)
                .filter(|_| change.is_some())
                .unwrap_or(&0);
        let instant = |time: i64| {
            let later = change.is_some_and(|c| time >= c);
            midnight + time - if later { after } else { before }
        };
        let set =
            change.map(|time| json!({"at": midnight + time - before, "offset": after / 1_000}));
        json!({
            "date": date, "from": midnight - before, "to": midnight + DAY - after, "offset": before / 1_000,
            "change": set, "sunrise": sunrise.map(instant), "sunset": sunset.map(instant),
        })
    }
}

fn date(line: &mut Line) -> Read<LocalDate> {
    let word = line.word("a date")?;
    match LocalDate::parse(&word) {
        Some(date) => Ok(date),
        None => line.wrong(format!("{word:?} is no date: write YYYY-MM-DD")),
    }
}

/// A time of day, in milliseconds after midnight.
fn time(line: &mut Line) -> Read<i64> {
    let word = line.word("a time of day")?;
    match minutes(&word) {
        Some(minutes) => Ok(minutes * MINUTE),
        None => line.wrong(format!("{word:?} is no time of day: write HH:MM")),
    }
}

fn minutes(word: &str) -> Option<i64> {
    TimeOfDay::parse(word)?;
    let (hours, minutes) = word.split_once(':')?;
    Some(hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?)
}
