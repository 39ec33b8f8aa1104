//! Derived sensors of derived sensors: who depends on whom, and circles.

use harit_engine::{ScopeKind, ScopeSpec};

use crate::definition::{Definition, Source};

/// Whether a place lies in another, or is it. Zones say their polyhouse; of one that does not, it may.
fn lies_in(place: &ScopeSpec, around: &ScopeSpec) -> bool {
    match around.kind {
        ScopeKind::Farm => true,
        ScopeKind::Polyhouse => {
            let unknown = place.kind == ScopeKind::Zone && place.polyhouse_id.is_none();
            unknown || place.kind != ScopeKind::Farm && place.polyhouse_id == around.polyhouse_id
        }
        ScopeKind::Zone => place.kind == ScopeKind::Zone && place.zone_id == around.zone_id,
    }
}

/// Whether a source may have the readings of a derived sensor that is there. A signal is also that of a place around the one that is
/// named, where that has no sensor of the type.
fn may_have(source: &Source, derived: &Definition, place: &ScopeSpec) -> bool {
    match source {
        Source::Sensor { sensor } => sensor == derived.sensor(),
        Source::Signal { scope, sensor_type } => {
            *sensor_type == derived.sensor_type()
                && (lies_in(place, scope) || lies_in(scope, place))
        }
    }
}

/// A circle among derived sensors, each with its place: their positions, in the order in which each is an input of the next; none where
/// there is no circle.
#[must_use]
pub fn circle(all: &[(&Definition, &ScopeSpec)]) -> Option<Vec<usize>> {
    let inputs_of = |n: usize| {
        let (definition, _) = all[n];
        (0..all.len()).filter(move |m| {
            let (derived, place) = all[*m];
            definition
                .sources()
                .any(|(_, source)| may_have(source, derived, place))
        })
    };
    let edges: Vec<Vec<usize>> = (0..all.len()).map(|n| inputs_of(n).collect()).collect();
    let mut done = vec![false; all.len()];
    for start in 0..all.len() {
        // the way from the start, each with how many of its inputs were followed
        let mut way: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((n, followed)) = way.last_mut() {
            let (n, next) = (*n, edges[*n].get(*followed).copied());
            *followed += 1;
            match next {
                Some(next) => {
                    if let Some(from) = way.iter().position(|(m, _)| *m == next) {
                        return Some(way[from..].iter().rev().map(|(m, _)| *m).collect());
                    }
                    if !done[next] {
                        way.push((next, 0));
                    }
                }
                None => {
                    done[n] = true;
                    way.pop();
                }
            }
        }
    }
    None
}
