//! What the history has of a device and of those that hide it.

use std::collections::{BTreeMap, BTreeSet};

use harit_effects::{Candidate, Change, Kind, LEARN_DAYS, Past, Run, Series, runs};
use harit_engine::{DeviceId, FarmId, Timestamp};
use harit_ingest::Hub;
use harit_ingest::history::place::PlaceQuestion;

use super::LookError;
use super::plan::Planned;

const DAY_MS: i64 = 86_400_000;
/// Reports are asked for in parts of so many days, for one answer has only so many.
const PART_DAYS: i64 = 4;
/// Doses less than so many minutes apart are one run.
const JOIN_MIN: i64 = 10;

/// What a device reported in [from, to).
async fn changes(
    hub: &Hub,
    farm: &FarmId,
    device: &DeviceId,
    (from, to): (i64, i64),
) -> Result<Vec<Change>, LookError> {
    let history = hub.history();
    let mut all: Vec<Change> = Vec::new();
    let mut at = from;
    while at < to {
        let until = to.min(at + PART_DAYS * DAY_MS);
        let (a, b) = (Timestamp::from_millis(at), Timestamp::from_millis(until));
        for report in history.reports(farm, device, a, b).await? {
            let change = Change {
                at: report.at.as_millis(),
                on: report.on,
                value: report.value,
            };
            // each part is led by what held before
            if all.last().is_none_or(|last| last.at < change.at) {
                all.push(change);
            }
        }
        at = until;
    }
    Ok(all)
}

/// The runs of a device in [from, to).
pub(super) async fn runs_of(
    hub: &Hub,
    farm: &FarmId,
    planned: &Planned,
    span: (i64, i64),
) -> Result<Vec<Run>, LookError> {
    let changes = changes(hub, farm, &planned.id, span).await?;
    let is_dosing = planned.kinds.contains(&Kind::Dosing);
    Ok(runs(&changes, if is_dosing { JOIN_MIN } else { 0 }))
}

/// All that a device is judged by, up to `now`.
pub(super) async fn past(
    hub: &Hub,
    farm: &FarmId,
    plan: &[Planned],
    planned: &Planned,
    (since, now): (i64, i64),
    without_effect: BTreeSet<i64>,
) -> Result<Past, LookError> {
    let span = (since - LEARN_DAYS * DAY_MS, now);
    let mut others = BTreeMap::new();
    let mut candidates = Vec::new();
    for signal in &planned.signals {
        let question = PlaceQuestion {
            sensors: signal.sensors.iter().map(|s| (s.clone(), 0)).collect(),
            from: Timestamp::from_millis(span.0),
            to: Timestamp::from_millis(span.1),
            step_sec: 60,
            each: false,
        };
        let past = hub.history().place(farm, question).await?;
        let points = past.groups.into_iter().next().unwrap_or_default();
        for other in &signal.others {
            let known = others.len();
            others.entry(*other).or_insert(known);
        }
        candidates.push(Candidate {
            expected: signal.expected,
            signal: Series::new(points.into_iter().map(|p| (p.at, p.mean))),
            others: signal
                .others
                .iter()
                .filter_map(|o| others.get(o).copied())
                .collect(),
        });
    }
    let mut of_others = vec![Vec::new(); others.len()];
    for (other, place) in others {
        if let (Some(other), Some(runs)) = (plan.get(other), of_others.get_mut(place)) {
            *runs = runs_of(hub, farm, other, span).await?;
        }
    }
    Ok(Past {
        candidates,
        runs: runs_of(hub, farm, planned, span).await?,
        others: of_others,
        without_effect,
    })
}

/// The devices of [`past`]'s others, in their order.
pub(super) fn others(plan: &[Planned], planned: &Planned) -> Vec<DeviceId> {
    let mut found: Vec<usize> = Vec::new();
    for other in planned.signals.iter().flat_map(|s| &s.others) {
        if !found.contains(other) {
            found.push(*other);
        }
    }
    let ids = found.into_iter().filter_map(|i| plan.get(i));
    ids.map(|p| p.id.clone()).collect()
}
