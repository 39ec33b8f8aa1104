//! What was folded, as lanes for people.

use harit_engine::LockKind;
use harit_engine::explain::{Lane, LaneKey, LaneState, Outcome, Phase, StepKind};
use harit_engine::{Timestamp, Truth};
use harit_ingest::past::Lanes;

use super::{LaneBody, LaneKindName, LaneSpanBody, LaneStateName};
use crate::explain::{RoleBody, Teller};
use crate::language::Language;

/// The lanes of what was folded. A rule's lanes stay together.
pub(super) fn folded(of: &Lanes, language: Language) -> Vec<LaneBody> {
    let teller = Teller(language);
    let mut told: Vec<(Option<String>, LaneBody)> = Vec::new();
    for (key, lane) in of.tracer.lanes() {
        if lane.spans.is_empty() {
            continue;
        }
        let rule = match key {
            LaneKey::Phase(id) | LaneKey::Hold(id, _) | LaneKey::Leaf(id, ..) => {
                Some(id.to_string())
            }
            _ => None,
        };
        told.push((rule, body(of, key, lane, teller)));
    }
    // Each rule: where it stands, then what its conditions come to.
    told.sort_by(|(a, _), (b, _)| a.cmp(b));
    told.into_iter().map(|(_, lane)| lane).collect()
}

/// The name of a lane among the others.
pub(super) fn name_of(kind: LaneKindName, of: &str) -> String {
    let kind = serde_json::to_value(kind).unwrap_or_default();
    format!("{} {of}", kind.as_str().unwrap_or_default())
}

fn body(of: &Lanes, key: &LaneKey, lane: &Lane, teller: Teller) -> LaneBody {
    let device = |id: &str| {
        let found = of.engine.device_ref(id);
        found.map_or_else(|| id.to_owned(), |d| d.spec.name.clone())
    };
    let rule =
        |id: &harit_engine::RuleId| of.tracer.rule_name(id).unwrap_or(id.as_str()).to_owned();
    let (kind, id, name, part, own) = match key {
        LaneKey::Phase(id) => (
            LaneKindName::Phase,
            id.as_str(),
            rule(id),
            None,
            String::new(),
        ),
        LaneKey::Hold(id, role) => {
            let own = format!(" {role:?}").to_lowercase();
            (LaneKindName::Hold, id.as_str(), rule(id), Some(*role), own)
        }
        LaneKey::Leaf(id, edition, role, node) => {
            let said = of.tracer.said(key).map(|s| teller.said(s));
            let own = format!(" {role:?} {edition} {node}").to_lowercase();
            (
                LaneKindName::Truth,
                id.as_str(),
                said.unwrap_or_default(),
                Some(*role),
                own,
            )
        }
        LaneKey::Outcome(id) => (
            LaneKindName::Outcome,
            id.as_str(),
            device(id.as_str()),
            None,
            String::new(),
        ),
        LaneKey::Decides(id) => (
            LaneKindName::Decides,
            id.as_str(),
            device(id.as_str()),
            None,
            String::new(),
        ),
        LaneKey::Reported(id) => (
            LaneKindName::Reported,
            id.as_str(),
            device(id.as_str()),
            None,
            String::new(),
        ),
        LaneKey::Locks(id) => (
            LaneKindName::Locks,
            id.as_str(),
            device(id.as_str()),
            None,
            String::new(),
        ),
        LaneKey::Online(id) => (
            LaneKindName::Online,
            id.as_str(),
            device(id.as_str()),
            None,
            String::new(),
        ),
        LaneKey::Alert(id) => {
            let name = of.tracer.alert_name(id).unwrap_or_default().to_owned();
            (LaneKindName::Alert, id.as_str(), name, None, String::new())
        }
        LaneKey::Server => (LaneKindName::Server, "", String::new(), None, String::new()),
    };
    LaneBody {
        key: name_of(kind, id) + own.as_str(),
        kind,
        of: (!id.is_empty()).then(|| id.to_owned()),
        name,
        part: part.map(RoleBody::from),
        spans: { lane.spans.iter() }
            .map(|s| span(s.from, s.to, &s.state, teller))
            .collect(),
        cut: lane.cut.map(Timestamp::as_millis),
    }
}

fn span(from: Timestamp, to: Timestamp, state: &LaneState, teller: Teller) -> LaneSpanBody {
    use LaneStateName as S;
    let value = match state {
        LaneState::Reported(_, value) => *value,
        _ => None,
    };
    let (state, text, length) = match state {
        LaneState::Phase(phase) => {
            let state = match phase {
                Phase::Inactive => S::Inactive,
                Phase::Idle => S::Idle,
                Phase::Pending => S::Pending,
                Phase::Running => S::Running,
            };
            (state, None, None)
        }
        LaneState::Hold(hold) => (S::Filling, None, Some(hold.length.as_millis())),
        LaneState::Truth(truth) => {
            let state = match truth {
                Truth::True => S::True,
                Truth::False => S::False,
                Truth::Unknown => S::Unknown,
            };
            (state, None, None)
        }
        LaneState::Outcome(outcome) => {
            let state = match outcome {
                Outcome::Locked => S::Lock,
                Outcome::Safety => S::Safety,
                Outcome::Manual => S::Manual,
                Outcome::Outranked { .. } => S::Outranked,
                Outcome::Held(_) => S::Limit,
                Outcome::Offline => S::Offline,
                Outcome::Free => S::Free,
            };
            (state, Some(teller.becomes(outcome)), None)
        }
        LaneState::Decides(step) => {
            let state = match &step.what {
                StepKind::Lock(lock) if lock.kind == LockKind::Stop => S::Stop,
                StepKind::Lock(_) => S::Lock,
                StepKind::Safety => S::Safety,
                StepKind::Manual(_) => S::Manual,
                StepKind::Limit(_) => S::Limit,
                StepKind::Claim { .. } => S::Claim,
                StepKind::Rest => S::Rest,
            };
            (state, Some(teller.step(step)), None)
        }
        LaneState::Reported(on, _) => (if *on { S::On } else { S::Off }, None, None),
        LaneState::Locked(locks) => {
            let stop = locks.iter().any(|l| l.kind == LockKind::Stop);
            let texts: Vec<String> = locks.iter().map(|l| teller.lock(l)).collect();
            (
                if stop { S::Stop } else { S::Lock },
                Some(texts.join("; ")),
                None,
            )
        }
        LaneState::Online(online) => (if *online { S::Online } else { S::Offline }, None, None),
        LaneState::Raised => (S::Raised, None, None),
        LaneState::Down => (S::Down, None, None),
    };
    LaneSpanBody {
        from: from.as_millis(),
        to: to.as_millis(),
        state,
        text,
        length_ms: length,
        value,
        effect: None,
    }
}
