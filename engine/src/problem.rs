//! What is wrong with a document.

use std::fmt;

use serde::Serialize;

use crate::quantity::Quantity;

/// One thing that is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Where: `trigger.value`, `actions[1].command.action`; empty for the document as a whole.
    pub path: String,
    /// What kind of problem, for translation: a stable word such as `required` or `out_of_range`.
    pub code: &'static str,
    /// What is wrong, in English, with the value and the limit.
    pub message: String,
    /// Between which numbers it would be right, where it is a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<NumberRange>,
}

/// Between which numbers one is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NumberRange {
    /// The least.
    pub min: Quantity,
    /// The largest.
    pub max: Quantity,
    /// Whether the least is too small itself.
    pub above: bool,
    /// Empty where it has none.
    pub unit: &'static str,
}

impl NumberRange {
    /// From a number to another, both included.
    #[must_use]
    pub const fn new(min: Quantity, max: Quantity) -> Self {
        Self {
            min,
            max,
            above: false,
            unit: "",
        }
    }

    /// The same in whole units.
    #[must_use]
    pub const fn of_units(min: i64, max: i64) -> Self {
        Self::new(Quantity::from_units(min), Quantity::from_units(max))
    }

    /// With its unit.
    #[must_use]
    pub const fn in_unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// What is wrong with a number that is not in it.
    fn excludes(self, value: Quantity) -> String {
        if self.above {
            format!("{value} is not above {}, to {}", self.min, self.max)
        } else {
            format!("{value} is outside {self}")
        }
    }
}

impl fmt::Display for NumberRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.min, self.max)?;
        match self.unit {
            "" => Ok(()),
            unit => write!(f, " {unit}"),
        }
    }
}

/// Everything that is wrong with a document, in the order of its fields.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, thiserror::Error)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    /// Adds a problem, unless its path already has one: what follows from a field that is wrong is no news.
    pub fn add(&mut self, path: impl Into<String>, code: &'static str, message: impl Into<String>) {
        self.put(Problem {
            path: path.into(),
            code,
            message: message.into(),
            range: None,
        });
    }

    /// Adds that a number is not in its range.
    pub fn outside(&mut self, path: impl Into<String>, value: Quantity, range: NumberRange) {
        self.put(Problem {
            path: path.into(),
            code: "out_of_range",
            message: range.excludes(value),
            range: Some(range),
        });
    }

    pub(crate) fn put(&mut self, problem: Problem) {
        if !self.has(&problem.path) {
            self.0.push(problem);
        }
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.0.iter().any(|p| p.path == path)
    }

    /// A single problem.
    pub(crate) fn one(path: &str, code: &'static str, message: impl Into<String>) -> Self {
        let mut one = Self::default();
        one.add(path, code, message);
        one
    }

    pub(crate) fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() {
            Ok(value)
        } else {
            Err(self)
        }
    }

    /// The same problems, one level further down.
    pub(crate) fn under(self, prefix: &str) -> Self {
        let join = |p: Problem| Problem {
            path: if p.path.is_empty() {
                prefix.to_owned()
            } else {
                format!("{prefix}.{}", p.path)
            },
            ..p
        };
        Self(self.0.into_iter().map(join).collect())
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, p) in self.0.iter().enumerate() {
            let sep = if i == 0 { "" } else { "; " };
            let colon = if p.path.is_empty() { "" } else { ": " };
            write!(f, "{sep}{}{colon}{}", p.path, p.message)?;
        }
        Ok(())
    }
}
