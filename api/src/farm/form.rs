//! What people typed into a record, read field by field; everything that is wrong with it is said at once, with its limits.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use jiff::civil::Date;
use serde::de::DeserializeOwned;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

use crate::error::{ApiError, Limits};
use crate::language::Text;
use crate::records::{Decimal, Paise, RowError, Stored, Write};

/// The years of days: what lies outside was mistyped.
const YEARS: RangeInclusive<i16> = 2000..=2100;
/// Quantities have so many millionths at least: three decimals.
const STEP_MICRO: i64 = 1_000;
/// The largest quantity: ten million.
const MAX_QUANTITY: i64 = 10_000_000;
/// The most money of one field, in paise: a thousand million rupees.
pub(super) const MAX_PAISE: i64 = 100_000_000_000;
/// The longest text of one line, and of several, in characters.
pub(super) const LINE: usize = 120;
pub(super) const LINES: usize = 2_000;

/// A record that is being read, with what it may refer to.
pub(super) struct Form<'a> {
    wrong: Vec<Wrong>,
    /// Zones by id, with their names.
    zones: &'a BTreeMap<String, String>,
    write: &'a mut Write,
}

/// A field that is wrong.
type Wrong = (String, &'static str, Text, Option<Limits>);

impl<'a> Form<'a> {
    pub(super) const fn new(zones: &'a BTreeMap<String, String>, write: &'a mut Write) -> Self {
        Self {
            wrong: Vec::new(),
            zones,
            write,
        }
    }

    /// Nothing, or all that is wrong.
    pub(super) fn done(self) -> Result<(), ApiError> {
        if self.wrong.is_empty() {
            return Ok(());
        }
        Err(ApiError::limited(self.wrong))
    }

    pub(super) fn wrong(&mut self, path: &str, code: &'static str, text: Text) {
        self.wrong.push((path.to_owned(), code, text, None));
    }

    /// The change in which the record is read.
    pub(super) const fn write(&mut self) -> &mut Write {
        self.write
    }

    fn missing(&mut self, path: &str) {
        self.wrong(path, "required", Text::FieldRequired);
    }

    fn outside(&mut self, path: &str, limits: Limits) {
        let found = (
            path.to_owned(),
            "out_of_range",
            Text::FieldOutOfRange,
            Some(limits),
        );
        self.wrong.push(found);
    }

    /// One line, up to [`LINE`] characters, that may be blank.
    pub(super) fn line(&mut self, path: &str, typed: Option<String>) -> Option<String> {
        self.text(path, typed, LINE, false)
    }

    /// Several lines, up to [`LINES`] characters, that may be blank.
    pub(super) fn lines(&mut self, path: &str, typed: Option<String>) -> Option<String> {
        self.text(path, typed, LINES, true)
    }

    /// One line that is not blank.
    pub(super) fn name(&mut self, path: &str, typed: Option<String>) -> String {
        let text = self.line(path, typed);
        if text.is_none() {
            self.missing(path);
        }
        text.unwrap_or_default()
    }

    fn text(
        &mut self,
        path: &str,
        typed: Option<String>,
        max: usize,
        lines: bool,
    ) -> Option<String> {
        let typed = typed.as_deref().unwrap_or("").trim();
        let stray = |c: char| c.is_control() && !(lines && matches!(c, '\n' | '\r' | '\t'));
        if typed.chars().count() > max {
            let found = (
                path.to_owned(),
                "too_long",
                Text::FieldTooLong,
                Some(Limits::length(max)),
            );
            self.wrong.push(found);
        } else if typed.contains(stray) {
            self.wrong(path, "invalid", Text::StrayCharacters);
        }
        (!typed.is_empty()).then(|| typed.to_owned())
    }

    /// A day, YYYY-MM-DD in its one spelling: days are compared as texts.
    pub(super) fn day(&mut self, path: &str, typed: Option<String>) -> Option<String> {
        let text = typed.filter(|t| !t.trim().is_empty())?;
        let day = text.parse::<Date>();
        let good = |day: Date| YEARS.contains(&day.year()) && day.to_string() == text;
        if !day.is_ok_and(good) {
            self.wrong(path, "invalid", Text::DayInvalid);
        }
        Some(text)
    }

    /// A day that must be said.
    pub(super) fn some_day(&mut self, path: &str, typed: Option<String>) -> String {
        let day = self.day(path, typed);
        if day.is_none() {
            self.missing(path);
        }
        day.unwrap_or_default()
    }

    /// Says so where a day lies before another.
    pub(super) fn in_order(&mut self, path: &str, before: Option<&String>, after: Option<&String>) {
        if before.zip(after).is_some_and(|(b, a)| a < b) {
            self.wrong(path, "reversed", Text::DaysReversed);
        }
    }

    /// A whole number.
    pub(super) fn count(
        &mut self,
        path: &str,
        typed: Option<i64>,
        range: RangeInclusive<i64>,
    ) -> Option<i64> {
        if typed.is_some_and(|n| !range.contains(&n)) {
            self.outside(path, Limits::numbers(*range.start(), *range.end()));
        }
        typed
    }

    /// A whole number that must be said.
    pub(super) fn some_count(
        &mut self,
        path: &str,
        typed: Option<i64>,
        range: RangeInclusive<i64>,
    ) -> i64 {
        if typed.is_none() {
            self.missing(path);
        }
        self.count(path, typed, range).unwrap_or_default()
    }

    /// A quantity above or from zero, with three decimals at most.
    pub(super) fn quantity(
        &mut self,
        path: &str,
        typed: Option<Decimal>,
        zero: bool,
    ) -> Option<Decimal> {
        let good = |d: Decimal| {
            (d.0 > 0 || (zero && d.0 == 0))
                && d.0 <= MAX_QUANTITY * 1_000_000
                && d.0 % STEP_MICRO == 0
        };
        if typed.is_some_and(|d| !good(d)) {
            let least = if zero { 0 } else { STEP_MICRO };
            self.outside(path, Limits::decimals(Decimal(least), MAX_QUANTITY));
        }
        typed
    }

    /// A quantity above zero that must be said.
    pub(super) fn some_quantity(&mut self, path: &str, typed: Option<Decimal>) -> Decimal {
        if typed.is_none() {
            self.missing(path);
        }
        self.quantity(path, typed, false).unwrap_or_default()
    }

    /// Money, from nothing on.
    pub(super) fn money(&mut self, path: &str, typed: Option<Paise>) -> Option<Paise> {
        if typed.is_some_and(|p| !(0..=MAX_PAISE).contains(&p.0)) {
            // limits in paise are nothing that people read
            self.wrong(path, "out_of_range", Text::FieldOutOfRange);
        }
        typed
    }

    /// Money that must be said.
    pub(super) fn some_money(&mut self, path: &str, typed: Option<Paise>) -> Paise {
        if typed.is_none() {
            self.missing(path);
        }
        self.money(path, typed).unwrap_or_default()
    }

    /// One of the words of a type.
    pub(super) fn choice<T: DeserializeOwned>(
        &mut self,
        path: &str,
        typed: Option<&str>,
    ) -> Option<T> {
        let typed = typed.filter(|t| !t.is_empty())?;
        let word: StrDeserializer<'_, Error> = typed.into_deserializer();
        let read = T::deserialize(word).ok();
        if read.is_none() {
            self.wrong(path, "invalid", Text::FieldWrong);
        }
        read
    }

    /// The same where one must be said.
    pub(super) fn some_choice<T: DeserializeOwned + Default>(
        &mut self,
        path: &str,
        typed: Option<&str>,
    ) -> T {
        if typed.is_none_or(str::is_empty) {
            self.missing(path);
        }
        self.choice(path, typed).unwrap_or_default()
    }

    /// A list of at least one and at most so many.
    pub(super) fn list<T>(&mut self, path: &str, typed: Option<Vec<T>>, max: usize) -> Vec<T> {
        let typed = typed.unwrap_or_default();
        if typed.is_empty() {
            self.missing(path);
        } else if typed.len() > max {
            let found = (
                path.to_owned(),
                "too_many",
                Text::FieldTooMany,
                Some(Limits::length(max)),
            );
            self.wrong.push(found);
        }
        typed
    }

    /// A zone of the farm. What the record names already may be gone.
    pub(super) fn zone(&mut self, path: &str, typed: Option<String>, kept: Option<&str>) -> String {
        let id = typed.unwrap_or_default();
        if id.is_empty() {
            self.missing(path);
        } else if kept != Some(&id) && !self.zones.contains_key(&id) {
            self.wrong(path, "unknown", Text::FieldUnknown);
        }
        id
    }

    /// Another record of the farm.
    pub(super) async fn reference<S: Stored>(
        &mut self,
        path: &str,
        typed: Option<String>,
    ) -> Result<Option<String>, ApiError> {
        let Some(id) = typed.filter(|id| !id.is_empty()) else {
            return Ok(None);
        };
        match self.write.row::<S>(&id).await {
            Ok(_) => {}
            Err(RowError::Gone) => self.wrong(path, "unknown", Text::FieldUnknown),
            Err(e) => return Err(e.into()),
        }
        Ok(Some(id))
    }

    /// Another record of the farm that must be said.
    pub(super) async fn some_reference<S: Stored>(
        &mut self,
        path: &str,
        typed: Option<String>,
    ) -> Result<String, ApiError> {
        let id = self.reference::<S>(path, typed).await?;
        if id.is_none() {
            self.missing(path);
        }
        Ok(id.unwrap_or_default())
    }
}
