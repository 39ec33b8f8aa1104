//! What a derived sensor would be that is only tried: its value and its inputs now, or all that is wrong with it.

use harit_derived::{Definition, Document, Present, Problem, ProblemKind};
use harit_engine::{Engine, Quantity, SensorType};
use serde::Serialize;
use utoipa::ToSchema;

use crate::derived_sensors::word;

/// What an input is now.
#[derive(Serialize, ToSchema)]
#[schema(as = DerivedInputNow)]
pub(super) struct InputNow {
    name: String,
    /// Null while it is not known.
    #[schema(required)]
    value: Option<f64>,
    #[schema(required)]
    unit: Option<&'static str>,
    /// When the newest of its readings was taken.
    #[schema(required)]
    at: Option<i64>,
}

/// What is wrong, and where.
#[derive(Serialize, ToSchema)]
#[schema(as = DerivedProblem)]
pub(super) struct ProblemNow {
    /// Where, as `inputs.temperature`.
    path: String,
    /// What, as a stable word: `required`, `unknown`, `out_of_range`, `other_type`, `no_sensor`, `formula`, `circle`.
    code: &'static str,
    /// What, in English: the words of formulas are.
    message: String,
    /// Where in the formula, from 1.
    #[schema(required)]
    line: Option<usize>,
    #[schema(required)]
    column: Option<usize>,
}

/// What a derived sensor would be.
#[derive(Serialize, ToSchema)]
#[schema(as = DerivedSensorCheck)]
pub(super) struct Checked {
    /// Its value now; null where it is not known, and of a kind that goes by what was.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    unit: &'static str,
    /// Whether it goes by what was, and so has a value only once it is saved.
    later: bool,
    inputs: Vec<InputNow>,
    problems: Vec<ProblemNow>,
}

impl From<Problem> for ProblemNow {
    fn from(problem: Problem) -> Self {
        Self {
            code: word(problem.kind),
            path: problem.path,
            message: problem.message,
            line: problem.at.map(|(line, _)| line),
            column: problem.at.map(|(_, column)| column),
        }
    }
}

impl Checked {
    pub(super) fn wrong(document: &Document, problems: Vec<Problem>) -> Self {
        let sensor_type = document.sensor_type.unwrap_or(document.kind.output());
        Self {
            value: None,
            unit: sensor_type.unit(),
            later: false,
            inputs: Vec::new(),
            problems: problems.into_iter().map(ProblemNow::from).collect(),
        }
    }

    pub(super) fn of(engine: &Engine, definition: &Definition, circle: Option<String>) -> Self {
        let seen: Vec<_> = definition
            .sources()
            .map(|(name, source)| (name, source.sensor_type(engine), engine.seen(source)))
            .collect();
        let values: Option<Vec<f64>> = seen.iter().map(|(_, _, s)| s.map(|s| s.value)).collect();
        let value = values.map_or(Ok(None), |values| definition.value(&values));
        let mut problems = Vec::new();
        if let Err(error) = &value {
            problems.push(ProblemNow {
                path: "formula".to_owned(),
                code: word(ProblemKind::Formula),
                message: error.message.clone(),
                line: error.line,
                column: error.column,
            });
        }
        problems.extend(circle.map(|names| ProblemNow {
            path: "inputs".to_owned(),
            code: "circle",
            message: names,
            line: None,
            column: None,
        }));
        let inputs = seen.into_iter().map(|(name, sensor_type, seen)| InputNow {
            name: name.to_owned(),
            value: seen.map(|s| s.value),
            unit: sensor_type.map(SensorType::unit),
            at: seen.map(|s| s.at.as_millis()),
        });
        Self {
            value: value.ok().flatten(),
            unit: definition.sensor_type().unit(),
            later: !definition.is_instant(),
            inputs: inputs.collect(),
            problems,
        }
    }
}
