//! An instant past, and a span in which a rule did not act.

use harit_engine::explain::RuleTracer;
use harit_engine::{Engine, RuleId, Timestamp};

use super::{Log, PastError, Stop, engine_at};

/// Why a rule did not act.
pub struct WhyNot {
    /// What was seen of it.
    pub tracer: RuleTracer,
    /// The farm at the end of the span.
    pub engine: Engine,
}

/// The farm at an instant.
///
/// # Errors
/// When the log cannot be read, or it is to stop.
pub fn at_instant(log: &mut dyn Log, at: Timestamp, stop: &Stop) -> Result<Engine, PastError> {
    log.advance(at, stop, &mut |_, _| {})?;
    Ok(engine_at(log, at).0)
}

/// Follows a rule through a span.
///
/// # Errors
/// When the log cannot be read, it is to stop, or there was no such rule in the span.
pub fn why_not(
    log: &mut dyn Log,
    rule: &RuleId,
    (from, to): (Timestamp, Timestamp),
    stop: &Stop,
) -> Result<WhyNot, PastError> {
    log.advance(from, stop, &mut |_, _| {})?;
    let mut tracer = RuleTracer::new(rule, &engine_at(log, from).0, from);
    log.advance(to, stop, &mut |farm, heard| {
        tracer.step(farm.engine(), &heard.events);
    })?;
    let (engine, events) = engine_at(log, to);
    tracer.step(&engine, &events);
    tracer.end(to);
    if tracer.absent == to - from {
        return Err(PastError::Unknown("rule", rule.to_string()));
    }
    Ok(WhyNot { tracer, engine })
}
