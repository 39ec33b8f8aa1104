//! The lanes of a polyhouse: those of each device together, and the controllers instead of each device's own reach.

use super::stored::{Stored, lane};
use super::{LaneBody, LaneKindName as K, LaneSpanBody, LaneStateName as S};
use crate::lanes::stored::span;
use harit_engine::Timestamp;

/// A controller with devices in the polyhouse.
#[derive(Debug)]
pub(super) struct Controller {
    pub(super) mac: String,
    pub(super) name: String,
    /// The ids of its devices.
    pub(super) devices: Vec<String>,
}

/// The lanes in their order.
pub(super) fn arranged(lanes: Vec<LaneBody>, stored: &Stored) -> Vec<LaneBody> {
    let (online, mut rest): (Vec<LaneBody>, Vec<LaneBody>) =
        lanes.into_iter().partition(|l| l.kind == K::Online);
    rest.extend({ stored.controllers.iter() }.filter_map(|c| of_controller(c, &online)));
    for lane in &mut rest {
        let name = lane.of.as_deref().and_then(|of| stored.own.devices.get(of));
        if let Some(name) = name.filter(|_| lane.name.is_empty()) {
            lane.name.clone_from(name);
        }
    }
    rest.sort_by_cached_key(|l| {
        let (group, within) = match l.kind {
            K::Reported => (0, 0),
            K::Decides => (0, 1),
            K::Effect => (0, 2),
            K::Phase => (1, 0),
            K::People => (2, 0),
            K::Alert => (3, 0),
            K::Online => (4, 0),
            _ => (5, 0),
        };
        (group, l.name.clone(), l.of.clone(), within)
    });
    rest
}

/// When a controller could be reached: when any of its devices could be.
fn of_controller(controller: &Controller, online: &[LaneBody]) -> Option<LaneBody> {
    let own = |l: &&LaneBody| { l.of.as_ref() }.is_some_and(|of| controller.devices.contains(of));
    let own: Vec<&LaneBody> = online.iter().filter(own).collect();
    let mut edges: Vec<i64> = { own.iter() }
        .flat_map(|l| l.spans.iter().flat_map(|s| [s.from, s.to]))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let mut spans: Vec<LaneSpanBody> = Vec::new();
    for pair in edges.windows(2) {
        let covering = || {
            let spans = own.iter().flat_map(|l| &l.spans);
            spans.filter(|s| s.from <= pair[0] && pair[0] < s.to)
        };
        if covering().next().is_none() {
            continue;
        }
        let reached = covering().any(|s| s.state == S::Online);
        let state = if reached { S::Online } else { S::Offline };
        match spans.last_mut() {
            Some(last) if last.to == pair[0] && last.state == state => last.to = pair[1],
            _ => {
                let [from, to] = [pair[0], pair[1]].map(Timestamp::from_millis);
                spans.push(span(from, to, state, None));
            }
        }
    }
    (!spans.is_empty()).then(|| LaneBody {
        cut: own.iter().filter_map(|l| l.cut).min(),
        ..lane(K::Online, &controller.mac, controller.name.clone(), spans)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_is_away_while_none_of_its_devices_can_be_reached() {
        let spans = |all: &[(i64, i64, S)]| {
            let of = |(from, to, state): &(i64, i64, S)| {
                let [from, to] = [*from, *to].map(Timestamp::from_millis);
                span(from, to, *state, None)
            };
            all.iter().map(of).collect::<Vec<_>>()
        };
        let of = |id: &str, all: &[(i64, i64, S)]| lane(K::Online, id, String::new(), spans(all));
        let lanes = [
            of(
                "a",
                &[
                    (0, 10, S::Online),
                    (10, 30, S::Offline),
                    (40, 60, S::Online),
                ],
            ),
            // gone for longer than its controller
            of(
                "b",
                &[(0, 5, S::Offline), (5, 20, S::Online), (20, 30, S::Offline)],
            ),
            of("elsewhere", &[(0, 60, S::Online)]),
        ];
        let controller = Controller {
            mac: "m".into(),
            name: "North".into(),
            devices: vec!["a".into(), "b".into()],
        };
        let told = of_controller(&controller, &lanes).expect("a lane");
        let shape: Vec<_> = told.spans.iter().map(|s| (s.from, s.to, s.state)).collect();
        // Between 30 and 40 nothing is known.
        let wanted = [
            (0, 20, S::Online),
            (20, 30, S::Offline),
            (40, 60, S::Online),
        ];
        assert_eq!(shape, wanted);
        assert_eq!(
            (told.of.as_deref(), told.name.as_str()),
            (Some("m"), "North")
        );
    }
}
