//! What the inputs of a document are in a farm: whether they are there, and how long their readings stand.

use harit_engine::{Duration, Engine};

use crate::definition::{Document, Problem, ProblemKind, Source};

/// How long a reading stands where nobody says, in seconds.
const STALE_AFTER: Duration = Duration::from_secs(900);

impl Document {
    /// The same with each input that is left out, where the kind takes it in several types, in that which is measured.
    #[must_use]
    pub fn filled(&self, engine: &Engine) -> Self {
        let mut filled = self.clone();
        for input in self.kind.inputs() {
            let is_measured = |t: &&_| engine.sight(&self.scope, **t).is_some();
            if let Some(sensor_type) = input.types.iter().find(is_measured)
                && !self.inputs.contains_key(input.name)
            {
                let scope = self.scope.clone();
                let sensor_type = *sensor_type;
                let source = Source::Signal { scope, sensor_type };
                filled.inputs.insert(input.name.to_owned(), source);
            }
        }
        filled
    }

    /// What of a filled document's inputs is not there, or measures something else than it must.
    #[must_use]
    pub fn wrong_sources(&self, engine: &Engine) -> Vec<Problem> {
        let wanted = self.kind.inputs().iter();
        let left_out = wanted.filter(|w| !w.types.is_empty() && !self.inputs.contains_key(w.name));
        let left_out = left_out.map(|w| (w.name, ProblemKind::UnknownSource));
        let said = self.inputs.iter().filter_map(|(name, source)| {
            let measured = match source {
                Source::Sensor { .. } => source.sensor_type(engine),
                Source::Signal { scope, sensor_type } => {
                    engine.sight(scope, *sensor_type).map(|_| *sensor_type)
                }
            };
            let Some(measured) = measured else {
                return Some((name.as_str(), ProblemKind::UnknownSource));
            };
            let input = self.kind.inputs().iter().find(|i| i.name == name)?;
            let fits = input.types.is_empty() || input.types.contains(&measured);
            (!fits).then_some((name.as_str(), ProblemKind::WrongType))
        });
        let all = left_out.chain(said).map(|(name, kind)| Problem {
            path: format!("inputs.{name}"),
            kind,
            message: match kind {
                ProblemKind::UnknownSource => "no sensor measures this there",
                _ => "it measures something else",
            }
            .to_owned(),
            at: None,
        });
        all.collect()
    }

    /// How long a reading of the inputs of a filled document stands at most: so long stands what follows from them, and a longer pause
    /// is a gap.
    #[must_use]
    pub fn gap(&self, engine: &Engine) -> Duration {
        let of = |source: &Source| match source {
            Source::Sensor { sensor } => Some(engine.sensor(sensor.as_str())?.spec.stale_after),
            Source::Signal { scope, sensor_type } => {
                let seen = engine.sensors_seen(scope, *sensor_type).into_iter();
                seen.map(|s| s.stale_after).max()
            }
        };
        let longest = self.inputs.values().filter_map(of).max();
        longest.unwrap_or(STALE_AFTER)
    }
}
