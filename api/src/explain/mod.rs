//! Explanations for people: the engine's, as documents with a sentence for each part in the reader's language.

mod device;
mod past;
mod rule;
mod tell;
mod tell_span;
mod twin;
mod words;

pub(crate) use device::{DeviceExplanationBody, StepBody, StepName};
pub(crate) use past::{BacktestBody, WhyNotBody};
pub(crate) use rule::{RoleBody, RuleExplanationBody};
pub(crate) use tell::Teller;

use harit_engine::{Engine, Timestamp};
use harit_ingest::past::{Backtest, WhyNot};
use serde::Serialize;

use crate::language::Language;

/// An explanation as lines to read.
pub trait Lines {
    /// Its lines.
    fn lines(&self) -> Vec<String>;
}

/// Why a device does what it does at an instant; none of one that is not known.
#[must_use]
pub fn device(
    engine: &Engine,
    id: &str,
    at: Timestamp,
    language: Language,
) -> Option<impl Serialize + Lines + use<>> {
    let explained = engine.explain_device(id)?;
    Some(DeviceExplanationBody::new(&explained, at, language))
}

/// Where a rule stands at an instant, and why; none of one that is not known.
#[must_use]
pub fn rule(
    engine: &Engine,
    id: &str,
    at: Timestamp,
    language: Language,
) -> Option<impl Serialize + Lines + use<>> {
    let explained = engine.explain_rule(id)?;
    Some(RuleExplanationBody::new(&explained, at, language))
}

/// Why a rule did not act in a span.
#[must_use]
pub fn why_not(of: &WhyNot, language: Language) -> impl Serialize + Lines + use<> {
    WhyNotBody::new(of, language)
}

/// What other rules would have done.
#[must_use]
pub fn backtest(of: &Backtest) -> impl Serialize + Lines + use<> {
    BacktestBody::new(of)
}
