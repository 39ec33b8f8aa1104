//! Which sensors left those of the same quantity in the same place.

use std::collections::BTreeMap;

use harit_effects::{LEARN_DAYS, Neighbours, drifting};
use harit_engine::{Engine, FarmId, SensorId, SensorType, Timestamp};
use harit_ingest::Hub;
use harit_ingest::history::place::PlaceQuestion;

use super::LookError;
use crate::records::SensorDrift;

const HOUR_MS: i64 = 3_600_000;
/// The sensors of one place that are compared with each other, at most.
const MOST: usize = 32;

/// The sensors of each quantity in each place, where there are several; what is computed is nobody's neighbour.
fn groups(engine: &Engine) -> Vec<(SensorType, Vec<SensorId>)> {
    let mut all: BTreeMap<(String, SensorType), Vec<SensorId>> = BTreeMap::new();
    for sensor in engine.sensors() {
        let spec = sensor.spec;
        // derived sensors have no controller
        if spec.controller.is_none() {
            continue;
        }
        let zone = spec.scope.zone_id.as_ref().map(ToString::to_string);
        let house = spec.scope.polyhouse_id.as_ref().map(ToString::to_string);
        let place = zone.map_or_else(|| house.unwrap_or_default(), |zone| format!("zone {zone}"));
        all.entry((place, spec.sensor_type))
            .or_default()
            .push(spec.id);
    }
    let several = all
        .into_iter()
        .filter(|(_, s)| (2..=MOST).contains(&s.len()));
    several.map(|((_, of), sensors)| (of, sensors)).collect()
}

/// The farm's sensors that have left their neighbours by now.
pub(super) async fn drifts(
    hub: &Hub,
    farm: &FarmId,
    now: i64,
) -> Result<Vec<SensorDrift>, LookError> {
    let groups = hub.read(farm, groups).await?;
    let mut found = Vec::new();
    for (signal, sensors) in groups {
        let question = PlaceQuestion {
            sensors: sensors.iter().map(|s| (s.clone(), 0)).collect(),
            from: Timestamp::from_millis(now - LEARN_DAYS * 24 * HOUR_MS),
            to: Timestamp::from_millis(now),
            step_sec: 3_600,
            each: true,
        };
        let past = hub.history().place(farm, question).await?;
        let hours = past.sensors.into_iter().map(|s| {
            let steps = s.steps.into_iter();
            let hour = |at: Timestamp| at.as_millis().div_euclid(HOUR_MS);
            steps.map(|r| (hour(r.at), r.mean.as_micro())).collect()
        });
        let neighbours = Neighbours {
            signal,
            sensors: hours.collect(),
        };
        for drift in drifting(&neighbours, now.div_euclid(HOUR_MS)) {
            let id = |i: usize| sensors.get(i).map(SensorId::to_string);
            let Some(sensor_id) = id(drift.sensor) else {
                continue;
            };
            found.push(SensorDrift {
                sensor_id,
                or_other: if drift.or_other { id(1) } else { None },
                since: now,
                now_apart: drift.now,
                usual_apart: drift.usual,
                at_most: drift.limit,
            });
        }
    }
    Ok(found)
}
