//! Reads JSON documents field by field and reports *all* their problems at once, each with its path.
//!
//! serde's derive stops at the first error. A person who saves a rule wants to see every field that is wrong, so documents
//! are read by hand: a field that is missing or wrong is reported and replaced by a harmless stand-in, and reading goes on.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::id::MAX_ID_BYTES;
use crate::problem::{NumberRange, Problems};
use crate::quantity::{Decimal, Quantity};
use crate::setting::OrderError;
use crate::time::{Duration, MAX_DURATION};

/// An object of a document, with the path that leads to it. Null counts as absent.
pub(super) struct Fields<'a> {
    object: Option<&'a Map<String, Value>>,
    path: String,
    problems: &'a mut Problems,
}

impl<'a> Fields<'a> {
    pub(super) fn of(value: &'a Value, path: String, problems: &'a mut Problems) -> Self {
        let object = value.as_object();
        if object.is_none() {
            problems.add(
                path.clone(),
                "not_an_object",
                format!("expected an object, found {}", kind_of(value)),
            );
        }
        Self {
            object,
            path,
            problems,
        }
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.object?.get(key).filter(|v| !v.is_null())
    }

    /// Whether the key has a value.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Whether the key stands there at all, if only with null.
    pub(super) fn names(&self, key: &str) -> bool {
        self.object.is_some_and(|o| o.contains_key(key))
    }

    pub(super) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    pub(super) fn problem(&mut self, key: &str, code: &'static str, message: impl Into<String>) {
        let path = self.path_of(key);
        self.problems.add(path, code, message);
    }

    /// A number that is not in its range.
    pub(super) fn outside(&mut self, key: &str, value: Quantity, range: NumberRange) {
        let path = self.path_of(key);
        self.problems.outside(path, value, range);
    }

    /// An order that makes no sense.
    pub(super) fn order(&mut self, key: &str, error: &OrderError) {
        let path = self.path_of(key);
        self.problems.put(error.at(path));
    }

    /// A problem of the object as a whole.
    pub(super) fn problem_here(&mut self, code: &'static str, message: impl Into<String>) {
        if self.object.is_some() {
            self.problems.add(self.path.clone(), code, message);
        }
    }

    pub(super) fn missing_unless_reported(&mut self, key: &str) {
        if self.object.is_some() {
            self.problem(key, "required", format!("{key} is required"));
        }
    }

    fn wrong(&mut self, key: &str, expected: &str, found: &Value) {
        self.problem(
            key,
            "wrong_type",
            format!("expected {expected}, found {}", kind_of(found)),
        );
    }

    pub(super) fn optional_text(&mut self, key: &str) -> Option<String> {
        match self.get(key)? {
            Value::String(s) => Some(s.clone()),
            other => {
                self.wrong(key, "text", other);
                None
            }
        }
    }

    pub(super) fn text_or_empty(&mut self, key: &str) -> String {
        self.optional_text(key).unwrap_or_default()
    }

    /// Text with something in it.
    pub(super) fn text(&mut self, key: &str) -> String {
        match self.optional_text(key) {
            Some(s) if !s.trim().is_empty() => s,
            _ => {
                self.missing_unless_reported(key);
                String::new()
            }
        }
    }

    pub(super) fn optional_id(&mut self, key: &str) -> Option<Arc<str>> {
        let s = self.optional_text(key)?;
        if s.is_empty() || s.len() > MAX_ID_BYTES || s.chars().any(char::is_control) {
            self.problem(
                key,
                "invalid_id",
                format!("an id is 1 to {MAX_ID_BYTES} bytes of text without control characters"),
            );
        }
        Some(s.into())
    }

    pub(super) fn id(&mut self, key: &str) -> Arc<str> {
        let id = self.optional_id(key);
        if id.is_none() {
            self.missing_unless_reported(key);
        }
        id.unwrap_or_else(|| "".into())
    }

    pub(super) fn flag(&mut self, key: &str) -> Option<bool> {
        match self.get(key)? {
            Value::Bool(b) => Some(*b),
            other => {
                self.wrong(key, "true or false", other);
                None
            }
        }
    }

    /// A number, read through its decimal text.
    pub(super) fn decimal(&mut self, key: &str) -> Option<Decimal> {
        match self.get(key)? {
            Value::Number(n) => Decimal::parse(&n.to_string()),
            other => {
                self.wrong(key, "a number", other);
                None
            }
        }
    }

    pub(super) fn required_decimal(&mut self, key: &str) -> Option<Decimal> {
        let d = self.decimal(key);
        if d.is_none() {
            self.missing_unless_reported(key);
        }
        d
    }

    /// A whole number in the closed range.
    pub(super) fn whole(&mut self, key: &str, min: i64, max: i64) -> Option<i64> {
        let d = self.decimal(key)?;
        let whole = d
            .rounded()
            .as_units()
            .filter(|w| d == Decimal::exact(Quantity::from_units(*w)));
        match whole {
            Some(w) if (min..=max).contains(&w) => Some(w),
            Some(_) => {
                self.outside(key, d.rounded(), NumberRange::of_units(min, max));
                None
            }
            None => {
                self.problem(
                    key,
                    "not_whole",
                    format!("{} is not a whole number", d.rounded()),
                );
                None
            }
        }
    }

    /// Whole seconds, at least `min`.
    pub(super) fn seconds(&mut self, key: &str, min: i64) -> Option<Duration> {
        self.whole(key, min, MAX_DURATION.as_secs())
            .map(Duration::from_secs)
    }

    pub(super) fn one_of<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.optional_text(key)?;
        let found = words.iter().find(|(w, _)| *w == text).map(|(_, t)| *t);
        if found.is_none() {
            let all: Vec<&str> = words.iter().map(|(w, _)| *w).collect();
            self.problem(
                key,
                "unknown_word",
                format!("{text:?} is none of {}", all.join(", ")),
            );
        }
        found
    }

    pub(super) fn required_one_of<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let found = self.one_of(key, words);
        if found.is_none() {
            self.missing_unless_reported(key);
        }
        found
    }

    /// An object below this one, read by `read`.
    pub(super) fn nested<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&mut Fields<'_>) -> T,
    ) -> Option<T> {
        let value = self.get(key)?;
        let path = self.path_of(key);
        Some(read(&mut Fields::of(value, path, self.problems)))
    }

    /// A list of objects, each read by `read`; absent is empty.
    pub(super) fn list<T>(
        &mut self,
        key: &str,
        max: usize,
        mut read: impl FnMut(&mut Fields<'_>) -> T,
    ) -> Vec<T> {
        match self.get(key) {
            None => Vec::new(),
            Some(Value::Array(items)) if items.len() > max => {
                self.problem(
                    key,
                    "too_many",
                    format!("{} entries are more than {max}", items.len()),
                );
                Vec::new()
            }
            Some(Value::Array(items)) => {
                let at = |i| format!("{}[{i}]", self.path_of(key));
                let paths: Vec<String> = (0..items.len()).map(at).collect();
                items
                    .iter()
                    .zip(paths)
                    .map(|(item, path)| read(&mut Fields::of(item, path, self.problems)))
                    .collect()
            }
            Some(other) => {
                self.wrong(key, "a list", other);
                Vec::new()
            }
        }
    }

    /// How many entries a list has; 0 where there is none.
    pub(super) fn length(&self, key: &str) -> usize {
        self.get(key).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// A list of values that need not be objects, each read as the field of that name; absent is empty.
    pub(super) fn entries<T>(
        &mut self,
        key: &str,
        mut read: impl FnMut(&mut Fields<'_>, &str) -> T,
    ) -> Vec<T> {
        let items = match self.get(key) {
            None => return Vec::new(),
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.wrong(key, "a list", other);
                return Vec::new();
            }
        };
        let mut read_one = |(i, item): (usize, &Value)| {
            let name = format!("{key}[{i}]");
            let object = Map::from_iter([(name.clone(), item.clone())]);
            let mut fields = Fields {
                object: Some(&object),
                path: self.path.clone(),
                problems: self.problems,
            };
            read(&mut fields, &name)
        };
        items.iter().enumerate().map(&mut read_one).collect()
    }

    /// A list of at most so many texts, if it is there.
    pub(super) fn texts(&mut self, key: &str, max: usize) -> Option<Vec<String>> {
        let count = self.length(key);
        if count > max {
            let message = format!("{count} entries are more than {max}");
            self.problem(key, "too_many", message);
            return Some(Vec::new());
        }
        self.get(key)?;
        let texts = self.entries(key, |entry, name| entry.optional_text(name));
        Some(texts.into_iter().flatten().collect())
    }

    /// A value kept as it is: no part of any decision.
    pub(super) fn label(&self, key: &str) -> Value {
        self.get(key).cloned().unwrap_or(Value::Null)
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Gives a document type `from_json`, which reports all problems, and `Deserialize` on top of it.
macro_rules! document {
    ($name:ident) => {
        impl $name {
            /// Reads the document.
            ///
            /// # Errors
            /// All problems of the document, each with its path.
            pub fn from_json(value: &serde_json::Value) -> Result<Self, Problems> {
                let mut problems = Problems::default();
                let read = Self::read(&mut Fields::of(value, String::new(), &mut problems));
                problems.into_result(read)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let value = serde_json::Value::deserialize(d)?;
                Self::from_json(&value).map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(super) use document;
