//! Days of the almanac about an instant at which something is about to happen, and moments near it.

use serde_json::{Value, json};

use super::Dice;

const DAY_MS: i64 = 86_400_000;
const MINUTE_MS: i64 = 60_000;

/// Where and when a case with programs takes place.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The first day, as days since 1970.
    first: i64,
    /// Seconds ahead of UTC before and after the change.
    offsets: (i64, i64),
    /// When the clock is set; on the first day but one.
    change: Option<i64>,
    /// The instant near which everything happens.
    pub(super) start: i64,
}

/// The first day, offsets before and after, and when the clock is set, in milliseconds after midnight UTC of the day after.
const PLACES: [(i64, i64, i64, Option<i64>); 7] = [
    // India, about its midnight; the turn of a year; the end of a February with 29 days.
    (20_369, 19_800, 19_800, None),
    (20_452, 19_800, 19_800, None),
    (19_780, 19_800, 19_800, None),
    // The clock goes from 2 to 3, from 3 to 2.
    (20_540, 3_600, 7_200, Some(3_600_000)),
    (20_386, 7_200, 3_600, Some(3_600_000)),
    // It goes on a whole day less an hour, and is put back by half an hour in the evening.
    (20_000, -43_200, 39_600, Some(46_800_000)),
    (20_100, 39_600, 37_800, Some(20_000_000)),
];

impl Place {
    pub(super) fn new(dice: &mut Dice) -> Self {
        let (first, before, after, change) = *dice.pick(&PLACES);
        let change = change.map(|ms| (first + 1) * DAY_MS + ms);
        let midnight = (first + 1) * DAY_MS - before * 1_000;
        let near = match change {
            Some(change) if dice.chance(75) => change,
            _ => midnight,
        };
        let start = near
            + *dice.pick(&[-600_000, -120_000, -60_000, -5_000, 0, 30_000])
            + *dice.pick(&[0, 0, -1, 1_000, 17_500]);
        Self {
            first,
            offsets: (before, after),
            change,
            start,
        }
    }

    /// A place in India near an instant of these.
    pub(super) fn about(dice: &mut Dice, from: i64, to: i64) -> Self {
        const INDIA: i64 = 19_800;
        let start = dice.between(from, to);
        Self {
            first: (start + INDIA * 1_000).div_euclid(DAY_MS) - 1,
            offsets: (INDIA, INDIA),
            change: None,
            start,
        }
    }

    /// A time of day near the start by one of its clocks, or a well-known one.
    pub(super) fn time_of_day(&self, dice: &mut Dice) -> String {
        let offset = if dice.chance(50) {
            self.offsets.0
        } else {
            self.offsets.1
        };
        let near = (self.start + offset * 1_000).div_euclid(MINUTE_MS) + dice.between(-3, 6);
        let minute = match dice.below(8) {
            0 => *dice.pick(&[0, 1_439, 150, 360, 720]),
            1 => near + *dice.pick(&[30, 60, -60]),
            _ => near,
        }
        .rem_euclid(1_440);
        format!("{:02}:{:02}", minute / 60, minute % 60)
    }

    pub(super) fn moment(&self, dice: &mut Dice) -> Value {
        if !dice.chance(30) {
            return json!(self.time_of_day(dice));
        }
        let mut moment = json!({"sun": *dice.pick(&["sunrise", "sunset"])});
        match dice.below(4) {
            0 => {}
            1 => moment["offset_min"] = json!(0),
            _ => moment["offset_min"] = json!(*dice.pick(&[-1, 1, 1, 2, -720, 720])),
        }
        moment
    }

    /// The weekdays about the start, as documents name them.
    pub(super) fn weekdays(&self, dice: &mut Dice) -> Value {
        const NAMES: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
        let mut days = Vec::new();
        for n in 0..7 {
            let is_near = (0..3).any(|d| (self.first + d + 3).rem_euclid(7) == n);
            if dice.chance(if is_near { 60 } else { 25 }) {
                days.push(NAMES[usize::try_from(n).unwrap_or(0)]);
            }
        }
        if days.is_empty() {
            days.push(*dice.pick(&NAMES));
        }
        json!(days)
    }

    /// A date about the start, or one that is past or to come.
    pub(super) fn date(&self, dice: &mut Dice) -> String {
        let far = *dice.pick(&[0, 0, 0, 0, -1, -4, 3]);
        date(self.first + dice.between(0, 2) + far)
    }

    /// A span of the year that begins or ends about the start.
    pub(super) fn dates(&self, dice: &mut Dice) -> Value {
        let mut day = || {
            let day = self.first + dice.between(0, 2);
            let far = *dice.pick(&[0, 0, 0, 40, -40]);
            date(day + far)[5..].to_owned()
        };
        json!({"from": day(), "to": day()})
    }

    fn offset_at(&self, t: i64) -> i64 {
        match self.change {
            Some(change) if t >= change => self.offsets.1,
            _ => self.offsets.0,
        }
    }

    /// The instant at which a date begins.
    fn midnight(&self, day: i64) -> i64 {
        let before = day * DAY_MS - self.offsets.0 * 1_000;
        match self.change {
            Some(change) if before >= change => day * DAY_MS - self.offsets.1 * 1_000,
            _ => before,
        }
    }

    /// What is told about the instant `now`: some days, some without sun, now and then bounds that are astray.
    pub(super) fn days(&self, dice: &mut Dice, now: i64) -> Vec<Value> {
        let today = (now + self.offset_at(now) * 1_000).div_euclid(DAY_MS);
        let mut days = Vec::new();
        let many = dice.chance(2);
        let (from, to) = *dice.pick(&[(-1, 1), (-1, 2), (0, 1), (0, 0), (-1, 1), (1, 2)]);
        let from = if many { -14 } else { from };
        for day in today + from..=today + to {
            if dice.chance(8) {
                continue;
            }
            days.push(self.day(dice, day, now));
        }
        if days.is_empty() {
            days.push(self.day(dice, today, now));
        }
        days
    }

    fn day(&self, dice: &mut Dice, day: i64, now: i64) -> Value {
        let (mut from, mut to) = (self.midnight(day), self.midnight(day + 1));
        if dice.chance(8) {
            from += *dice.pick(&[-60_000, 5_000, 60_000]);
        }
        if dice.chance(8) {
            to += *dice.pick(&[-60_000, 5_000, 60_000]);
        }
        if to <= from {
            to = from + 1_000;
        }
        let mut told =
            json!({"date": date(day), "from": from, "to": to, "offset": self.offset_at(from)});
        let is_inside = |t: i64| from < t && t < to;
        if let Some(change) = self.change.filter(|t| is_inside(*t)) {
            told["change"] = json!({"at": change, "offset": self.offsets.1});
        } else if dice.chance(4) && is_inside(now + 30_000) {
            told["change"] =
                json!({"at": now + 30_000, "offset": self.offsets.0 + *dice.pick(&[-60, 60, 90])});
        } else if dice.chance(50) {
            told["change"] = Value::Null;
        }
        for (sun, hour) in [("sunrise", 6), ("sunset", 18)] {
            let near = now + dice.between(-3, 5) * 60_000 + *dice.pick(&[0, 0, 12_345]);
            let usual = from + hour * 3_600_000;
            let at = match dice.below(4) {
                0 | 1 if is_inside(near) => near,
                _ => usual,
            };
            if dice.chance(88) {
                told[sun] = json!(at.clamp(from - DAY_MS, to + DAY_MS));
            } else if dice.chance(50) {
                told[sun] = Value::Null;
            }
        }
        told
    }

    /// Days with one thing wrong.
    pub(super) fn broken_days(&self, dice: &mut Dice, now: i64) -> Vec<Value> {
        let mut days = self.days(dice, now);
        let (from, to) = (
            days[0]["from"].as_i64().unwrap_or(0),
            days[0]["to"].as_i64().unwrap_or(1),
        );
        match dice.below(9) {
            0 => days.push(days[0].clone()),
            1 => {
                days[0]["date"] =
                    json!(*dice.pick(&["2025-02-29", "2025-13-01", "2025-1-01", "soon"]));
            }
            2 => days[0]["to"] = json!(from),
            3 => days[0]["change"] = json!({"at": *dice.pick(&[from, to]), "offset": 0}),
            4 => days[0]["offset"] = json!(*dice.pick(&[86_401, -86_401])),
            5 => days[0]["sunrise"] = json!(from - DAY_MS - 1),
            6 => days[0]["sunset"] = json!(to + DAY_MS + 1),
            7 => days.clear(),
            _ => {
                days = (0..17)
                    .map(|n| self.day(dice, self.first + n, now))
                    .collect();
            }
        }
        days
    }
}

/// `YYYY-MM-DD` of a day since 1970.
pub fn date(day: i64) -> String {
    let (month, of_month) = crate::almanac::month_and_day(day);
    let year = crate::almanac::year_of(day);
    format!("{year:04}-{month:02}-{of_month:02}")
}
