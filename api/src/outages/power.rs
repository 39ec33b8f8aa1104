//! Times without power, as phase sensors told them.

use harit_engine::{Engine, Quantity, SensorStatus, SensorType, Timestamp};
use harit_ingest::history::{HistoryError, Rollup};
use harit_ingest::log::Named;

use super::{Outage, OutageKind};
use crate::access::FarmAccess;
use crate::error::ApiError;

/// The shortest step of the history, in seconds.
const STEP_SEC: i64 = 60;
/// So many steps of a sensor are read at most; of a longer span the steps are longer.
const MAX_STEPS: i64 = 15_000;

/// The times without power that the farm's phase sensors told in a span.
pub(crate) async fn power<N>(
    access: &FarmAccess<N>,
    (from, to): (i64, i64),
) -> Result<Vec<Outage>, ApiError> {
    let question = |engine: &Engine| {
        let phases = engine.sensors();
        let phases = phases.filter(|s| s.spec.sensor_type == SensorType::PhasePresent);
        phases.collect::<Vec<SensorStatus>>()
    };
    let hub = access.hub();
    let steps = (to - from) / 1_000 / STEP_SEC;
    let step = STEP_SEC * (steps / MAX_STEPS + 1);
    let mut all = Vec::new();
    for sensor in hub.read(question).await? {
        let (since, until) = (Timestamp::from_millis(from), Timestamp::from_millis(to));
        let step_sec = u32::try_from(step).unwrap_or(u32::MAX);
        let told = hub.rollups(&sensor.spec.id, since, until, step_sec).await;
        let told = told.map_err(unreadable)?;
        let id = sensor.spec.id.to_string();
        let named = Named::new(id, sensor.spec.name.unwrap_or_default());
        all.extend(
            absences(&told, step * 1_000)
                .into_iter()
                .map(|(from, until)| {
                    Outage::new(OutageKind::Power, Some(named.clone()), from, until)
                }),
        );
    }
    Ok(all)
}

fn unreadable(error: HistoryError) -> ApiError {
    tracing::error!(%error, cause = ?std::error::Error::source(&error), "the history failed");
    ApiError::unavailable()
}

/// From when to when a phase was absent: from the step in which it went to the one in which it was back. A sensor that falls
/// silent meanwhile has said nothing else.
fn absences(steps: &[Rollup], step_ms: i64) -> Vec<(i64, Option<i64>)> {
    let present = Quantity::from_units(1);
    let mut all = Vec::new();
    let mut since = None;
    for step in steps {
        let at = step.at.as_millis();
        if step.last < present {
            since.get_or_insert(at);
        } else if let Some(from) = since.take() {
            all.push((from, Some(at)));
        } else if step.min < present {
            all.push((at, Some(at + step_ms)));
        }
    }
    all.extend(since.map(|from| (from, None)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(at: i64, min: i64, last: i64) -> Rollup {
        Rollup {
            at: Timestamp::from_millis(at),
            count: 1,
            mean: Quantity::from_units(last),
            min: Quantity::from_units(min),
            max: Quantity::from_units(1),
            last: Quantity::from_units(last),
            sum_micro: Quantity::from_units(last).as_micro(),
        }
    }

    #[test]
    fn a_phase_is_absent_until_it_is_told_to_be_back() {
        let steps = [
            step(0, 1, 1),
            // went and came in one step
            step(1, 0, 1),
            step(2, 0, 0),
            step(3, 0, 0),
            // nothing was heard in between
            step(9, 0, 1),
            step(10, 1, 1),
            step(11, 0, 0),
        ];
        assert_eq!(
            absences(&steps, 1),
            [(1, Some(2)), (2, Some(9)), (11, None)]
        );
    }
}
