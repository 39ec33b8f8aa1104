//! What a derived sensor is: as people write it, and as it is computed.

use std::collections::{BTreeMap, BTreeSet};

use harit_engine::{
    Duration, Engine, Measured, Quantity, ScopeSpec, SensorId, SensorType, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::kind::{Kind, OUTPUTS};
use crate::memory::Carried;
use crate::script::{Formula, FormulaError};
use crate::{DEFAULT_INTERVAL_SEC, INTERVAL_SEC, MAX_CONSTANTS, MAX_INPUTS, air, rounded};

/// The longest name of an input or a constant, in bytes.
const MAX_NAME_BYTES: usize = 32;

/// What an input is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Source {
    /// A sensor.
    Sensor {
        /// Its id.
        sensor: SensorId,
    },
    /// The mean of a place, by docs/semantics.md, section 3.
    Signal {
        /// The place.
        scope: ScopeSpec,
        /// What is measured there.
        #[serde(rename = "type")]
        sensor_type: SensorType,
    },
}

impl Source {
    /// What it measures; none where the farm has no such sensor.
    #[must_use]
    pub fn sensor_type(&self, engine: &Engine) -> Option<SensorType> {
        match self {
            Self::Sensor { sensor } => Some(engine.sensor(sensor.as_str())?.spec.sensor_type),
            Self::Signal { sensor_type, .. } => Some(*sensor_type),
        }
    }
}

/// A derived sensor as people write it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// By what it is computed.
    pub kind: Kind,
    /// What a formula measures; one of [`OUTPUTS`].
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub sensor_type: Option<SensorType>,
    /// Where it is.
    pub scope: ScopeSpec,
    /// Its inputs by name; one that is left out is the signal of its own place, where the kind says of which type.
    #[serde(default)]
    pub inputs: BTreeMap<String, Source>,
    /// Its numbers by name.
    #[serde(default)]
    pub constants: BTreeMap<String, f64>,
    /// The formula of the kind `formula`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// How many seconds lie between two values at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_sec: Option<i64>,
}

/// What is wrong with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// It must be said.
    Required,
    /// The kind has nothing of that name, or it is no name.
    UnknownName,
    /// A number or a list is larger or smaller than it may be.
    OutOfRange,
    /// It measures something else than it must.
    WrongType,
    /// There is no such place or sensor.
    UnknownSource,
    /// The formula cannot be read, or not be computed.
    Formula,
}

/// What is wrong with a document, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Where, as `inputs.temperature`.
    pub path: String,
    /// What.
    pub kind: ProblemKind,
    /// What, in English.
    pub message: String,
    /// Where in the formula: line and column, from 1.
    pub at: Option<(usize, usize)>,
}

/// A derived sensor as it is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    pub(crate) sensor: SensorId,
    pub(crate) kind: Kind,
    pub(crate) sensor_type: SensorType,
    /// By position of the kind's inputs, or by name.
    pub(crate) inputs: Vec<(String, Source)>,
    pub(crate) constants: Vec<(String, f64)>,
    formula: Option<Formula>,
    pub(crate) interval: Duration,
    pub(crate) gap: Duration,
    pub(crate) since: Timestamp,
    pub(crate) carried: Option<Carried>,
}

/// Collects what is wrong.
#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn add(&mut self, path: impl Into<String>, kind: ProblemKind, message: impl Into<String>) {
        self.0.push(Problem {
            path: path.into(),
            kind,
            message: message.into(),
            at: None,
        });
    }

    fn formula(&mut self, error: FormulaError) {
        self.0.push(Problem {
            path: "formula".to_owned(),
            kind: ProblemKind::Formula,
            message: error.message,
            at: error.line.zip(error.column),
        });
    }
}

impl Definition {
    /// Reads a document. `gap` is how long a value of the inputs stands at most.
    ///
    /// # Errors
    /// All that is wrong with it, each with its place.
    pub fn new(sensor: SensorId, document: &Document, gap: Duration) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems::default();
        let inputs = inputs(document, &mut problems);
        let constants = constants(document, &mut problems);
        let seconds = document.interval_sec.unwrap_or(DEFAULT_INTERVAL_SEC);
        if !INTERVAL_SEC.contains(&seconds) {
            let (min, max) = INTERVAL_SEC.into_inner();
            let message = format!("{seconds} s is not within {min} to {max}");
            problems.add("interval_sec", ProblemKind::OutOfRange, message);
        }
        let said = document.sensor_type;
        let is_possible = match document.kind {
            Kind::Formula => said.is_none_or(|t| OUTPUTS.contains(&t)),
            kind => said.is_none_or(|t| t == kind.output()),
        };
        if !is_possible {
            let message = "a derived sensor of this kind measures something else";
            problems.add("type", ProblemKind::WrongType, message);
        }
        let formula = formula(document, &inputs, &constants, &mut problems);
        if !problems.0.is_empty() {
            return Err(problems.0);
        }
        Ok(Self {
            sensor,
            kind: document.kind,
            sensor_type: said.unwrap_or_else(|| document.kind.output()),
            inputs,
            constants,
            formula,
            interval: Duration::from_secs(seconds),
            gap,
            since: Timestamp::from_millis(0),
            carried: None,
        })
    }

    /// The same, edited at an instant: what counts over the day begins anew then.
    #[must_use]
    pub const fn since(mut self, at: Timestamp) -> Self {
        self.since = at;
        self
    }

    /// The same, with what it had counted before a restart.
    #[must_use]
    pub const fn carrying(mut self, carried: Option<Carried>) -> Self {
        self.carried = carried;
        self
    }

    /// The id of its sensor.
    #[must_use]
    pub const fn sensor(&self) -> &SensorId {
        &self.sensor
    }

    /// Since when it is computed so.
    #[must_use]
    pub const fn edited_at(&self) -> Timestamp {
        self.since
    }

    /// Whether it counts over the local day.
    #[must_use]
    pub const fn accumulates(&self) -> bool {
        self.kind.accumulates()
    }

    /// Whether its value follows from those of its inputs now, and not from what was.
    #[must_use]
    pub const fn is_instant(&self) -> bool {
        !matches!(self.kind, Kind::MovingMean | Kind::RateOfChange) && !self.accumulates()
    }

    /// What it measures.
    #[must_use]
    pub const fn sensor_type(&self) -> SensorType {
        self.sensor_type
    }

    /// Its inputs, with their names.
    pub fn sources(&self) -> impl Iterator<Item = (&str, &Source)> {
        self.inputs
            .iter()
            .map(|(name, source)| (name.as_str(), source))
    }

    /// Whether it is computed in the same way as another.
    pub(crate) fn computes_like(&self, other: &Self) -> bool {
        let (mut a, b) = (self.clone(), other);
        (a.carried, a.gap) = (b.carried, b.gap);
        a == *b
    }

    /// A constant of the kind, by position.
    pub(crate) fn constant(&self, place: usize) -> f64 {
        self.constants
            .get(place)
            .map_or(f64::NAN, |(_, value)| *value)
    }

    /// What follows from these values of its inputs alone, in the order of the inputs; none where that is not known, or the kind
    /// remembers what was.
    ///
    /// # Errors
    /// When the formula fails.
    pub fn value(&self, values: &[f64]) -> Result<Option<Quantity>, FormulaError> {
        let at = |n: usize| values.get(n).copied().unwrap_or(f64::NAN);
        let value = match self.kind {
            Kind::Vpd => air::vapour_pressure_deficit(at(0), at(1)),
            Kind::LeafVpd => {
                air::leaf_vapour_pressure_deficit(at(0) + self.constant(0), at(0), at(1))
            }
            Kind::DewPoint => air::dew_point(at(0), at(1)),
            Kind::AbsoluteHumidity => air::absolute_humidity(at(0), at(1)),
            Kind::WetBulb => air::wet_bulb(at(0), at(1), self.constant(0)),
            Kind::Difference => Some(at(0) - at(1)),
            Kind::Formula => match &self.formula {
                None => None,
                Some(formula) => {
                    let names = self.inputs.iter().map(|(name, _)| name.as_str());
                    let constants = self.constants.iter().map(|(n, v)| (n.as_str(), *v));
                    formula.value(names.zip(values.iter().copied()).chain(constants))?
                }
            },
            Kind::DailyLight
            | Kind::DegreeDays
            | Kind::MovingMean
            | Kind::RateOfChange
            | Kind::TimeAbove => None,
        };
        Ok(value.and_then(|value| self.plausible(value)))
    }

    /// The value that its sensor gets: rounded, and within what its type can plausibly have.
    pub(crate) fn plausible(&self, value: f64) -> Option<Quantity> {
        let quantity = rounded(value)?;
        let (min, max) = self.sensor_type.plausible_range();
        let Measured::Value(decimal) = Measured::exact(quantity) else {
            return None;
        };
        decimal.within(min, max).then_some(quantity)
    }
}

fn inputs(document: &Document, problems: &mut Problems) -> Vec<(String, Source)> {
    let wanted = document.kind.inputs();
    if document.kind == Kind::Formula {
        if document.inputs.is_empty() {
            problems.add("inputs", ProblemKind::Required, "a formula needs an input");
        }
        if document.inputs.len() > MAX_INPUTS {
            let message = format!("at most {MAX_INPUTS} inputs");
            problems.add("inputs", ProblemKind::OutOfRange, message);
        }
        names("inputs", document.inputs.keys(), problems);
        return document.inputs.clone().into_iter().collect();
    }
    for name in document.inputs.keys() {
        if !wanted.iter().any(|w| w.name == name) {
            let message = "this kind has no such input";
            problems.add(format!("inputs.{name}"), ProblemKind::UnknownName, message);
        }
    }
    let mut all = Vec::new();
    for input in wanted {
        let path = format!("inputs.{}", input.name);
        let own = || {
            let sensor_type = *input.types.first()?;
            let scope = document.scope.clone();
            Some(Source::Signal { scope, sensor_type })
        };
        let source = document.inputs.get(input.name).cloned().or_else(own);
        match source {
            None => problems.add(path, ProblemKind::Required, "the input must be said"),
            Some(source) => {
                if let Source::Signal { sensor_type, .. } = &source
                    && !(input.types.is_empty() || input.types.contains(sensor_type))
                {
                    let message = format!("{sensor_type} cannot be this input");
                    problems.add(path, ProblemKind::WrongType, message);
                }
                all.push((input.name.to_owned(), source));
            }
        }
    }
    all
}

fn constants(document: &Document, problems: &mut Problems) -> Vec<(String, f64)> {
    let said = &document.constants;
    if document.kind == Kind::Formula {
        if said.len() > MAX_CONSTANTS {
            let message = format!("at most {MAX_CONSTANTS} constants");
            problems.add("constants", ProblemKind::OutOfRange, message);
        }
        names("constants", said.keys(), problems);
        for name in said
            .keys()
            .filter(|name| document.inputs.contains_key(*name))
        {
            let message = "an input has this name";
            problems.add(
                format!("constants.{name}"),
                ProblemKind::UnknownName,
                message,
            );
        }
        return said.clone().into_iter().collect();
    }
    let wanted = document.kind.constants();
    for name in said.keys() {
        if !wanted.iter().any(|w| w.name == name) {
            let message = "this kind has no such constant";
            problems.add(
                format!("constants.{name}"),
                ProblemKind::UnknownName,
                message,
            );
        }
    }
    let mut all = Vec::new();
    for constant in wanted {
        let path = format!("constants.{}", constant.name);
        match said.get(constant.name).copied().or(constant.default) {
            None => problems.add(path, ProblemKind::Required, "the number must be said"),
            Some(value) => {
                let (min, max) = (constant.min, constant.max);
                if !(min..=max).contains(&value) {
                    let message = format!("{value} is not within {min} to {max}");
                    problems.add(path, ProblemKind::OutOfRange, message);
                }
                all.push((constant.name.to_owned(), value));
            }
        }
    }
    if document.kind == Kind::DegreeDays
        && let [(_, base), (_, upper)] = &all[..]
        && base >= upper
    {
        let message = "the upper temperature is not above the base";
        problems.add("constants.upper", ProblemKind::OutOfRange, message);
    }
    all
}

/// Names of a formula's inputs and constants: a letter, then letters, digits and `_`.
fn names<'a>(of: &str, names: impl Iterator<Item = &'a String>, problems: &mut Problems) {
    for name in names {
        let mut letters = name.chars();
        let begins = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
        let goes_on = letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !begins || !goes_on || name.len() > MAX_NAME_BYTES {
            let message = "a name is a letter, then letters, digits or _";
            problems.add(format!("{of}.{name}"), ProblemKind::UnknownName, message);
        }
    }
}

/// Reads the formula, and computes it with all inputs at some values that they can have.
fn formula(
    document: &Document,
    inputs: &[(String, Source)],
    constants: &[(String, f64)],
    problems: &mut Problems,
) -> Option<Formula> {
    if document.kind != Kind::Formula {
        if document.formula.is_some() {
            let message = "only the kind formula has a formula";
            problems.add("formula", ProblemKind::UnknownName, message);
        }
        return None;
    }
    let text = document.formula.as_deref().unwrap_or_default();
    if text.trim().is_empty() {
        problems.add("formula", ProblemKind::Required, "the formula must be said");
        return None;
    }
    let names: BTreeSet<&str> = { inputs.iter().map(|(name, _)| name.as_str()) }
        .chain(constants.iter().map(|(name, _)| name.as_str()))
        .collect();
    let formula = match Formula::new(text, &names) {
        Ok(formula) => formula,
        Err(error) => {
            problems.formula(error);
            return None;
        }
    };
    for share in [0.3, 0.0, 1.0] {
        let value = |source: &Source| match source {
            Source::Signal { sensor_type, .. } => {
                let (min, max) = sensor_type.editor_range();
                #[allow(clippy::cast_precision_loss, reason = "ranges are small numbers")]
                let (min, max) = (min as f64, max as f64);
                min + share * (max - min)
            }
            Source::Sensor { .. } => share * 100.0,
        };
        let values = inputs
            .iter()
            .map(|(name, source)| (name.as_str(), value(source)));
        let constants = constants
            .iter()
            .map(|(name, value)| (name.as_str(), *value));
        if let Err(error) = formula.value(values.chain(constants)) {
            problems.formula(error);
            return None;
        }
    }
    Some(formula)
}
