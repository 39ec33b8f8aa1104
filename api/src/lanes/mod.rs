//! The day of a device, a rule or a polyhouse as lanes: spans with the instants at which they begin and end, from the fold of the journal where
//! that reaches and from what was stored before it.

mod house;
mod marks;
mod stored;
mod subject;
mod told;

pub(crate) use stored::Stored;

use harit_engine::explain::Subject;
use harit_engine::{Quantity, Timestamp};
use harit_ingest::past::Lanes;
use serde::Serialize;
use utoipa::ToSchema;

use crate::effects::MarkBody;
use crate::explain::RoleBody;
use crate::language::Language;
use crate::role::Role;

/// A day as lanes.
#[derive(Serialize, ToSchema)]
#[schema(as = Lanes)]
pub(crate) struct LanesBody {
    from: i64,
    to: i64,
    /// From this instant on everything is from the journal, to the millisecond; before it lanes are from the history and the log, and
    /// have fewer spans.
    exact_from: i64,
    /// In the order in which they are shown.
    lanes: Vec<LaneBody>,
    /// How many rules of the device, or rules and devices of the polyhouse, are not shown.
    left_out: usize,
    /// Whether the latest may be missing, because the history cannot be written at present.
    incomplete: bool,
}

/// A lane.
#[derive(Serialize, ToSchema)]
#[schema(as = Lane)]
pub(crate) struct LaneBody {
    /// Its name among the lanes.
    key: String,
    kind: LaneKindName,
    /// The rule, the device, the alert or, by its MAC, the controller that it is about.
    #[schema(required)]
    of: Option<String>,
    /// Its name, or what a part of a condition says.
    name: String,
    /// Of a hold and of what a part of a condition comes to: which condition.
    #[schema(required)]
    part: Option<RoleBody>,
    /// In order. Where there is none, nothing is known, or there is nothing to tell.
    spans: Vec<LaneSpanBody>,
    /// From when on it is not known, because it changed more than 1,500 times.
    #[schema(required)]
    cut: Option<i64>,
}

/// A time in which nothing of a lane changed; of what a person did an instant.
#[derive(Serialize, ToSchema)]
#[schema(as = LaneSpan)]
pub(crate) struct LaneSpanBody {
    from: i64,
    to: i64,
    state: LaneStateName,
    /// More than its word, where there is more to say.
    #[schema(required)]
    text: Option<String>,
    /// Of a hold: how long it has to be, in milliseconds.
    #[schema(required)]
    length_ms: Option<i64>,
    /// Of what a device is reported to do: the value that is reported, in per cent or ml/s, where it has one.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    /// Of a run that was looked at: what it came to.
    #[schema(required)]
    effect: Option<MarkBody>,
}

/// What a lane tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = LaneKind)]
pub(crate) enum LaneKindName {
    /// What decides about the device.
    Decides,
    /// What the device is reported to do.
    Reported,
    /// Where its latest command stands.
    Command,
    Locks,
    /// Whether the device's controller, or a controller of the polyhouse, can be reached.
    Online,
    /// What the device's runs came to.
    Effect,
    /// Where the rule stands.
    Phase,
    /// A hold that fills.
    Hold,
    /// What a part of a condition comes to.
    Truth,
    /// What becomes of what the rule wants of a device while it runs.
    Outcome,
    /// What people did.
    People,
    /// An alert of the place.
    Alert,
    /// When the server did not run.
    Server,
}

/// What is so in a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = LaneState)]
pub(crate) enum LaneStateName {
    On,
    Off,
    Online,
    Offline,
    Lock,
    Stop,
    Safety,
    Manual,
    Limit,
    Claim,
    Rest,
    Inactive,
    Idle,
    Pending,
    Running,
    Filling,
    True,
    False,
    Unknown,
    Free,
    Outranked,
    Queued,
    Sent,
    Acked,
    Confirmed,
    Failed,
    TimedOut,
    Superseded,
    Raised,
    Down,
    Worked,
    NoEffect,
    CannotTell,
    /// Something that a person did.
    Mark,
}

impl LanesBody {
    /// What was folded, and beside it what was stored.
    pub(crate) fn new(
        subject: &Subject,
        (from, to): (Timestamp, Timestamp),
        folded: Option<&Lanes>,
        stored: &Stored,
        language: Language,
        reader: Role,
    ) -> Self {
        let exact_from = folded.map_or(to, |f| f.tracer.span().0.max(from));
        let mut lanes = folded.map_or_else(Vec::new, |f| told::folded(f, language));
        let before = stored.lanes((from, exact_from));
        lanes = joined(before, lanes);
        if let Subject::Device(id) = subject {
            let lives = folded.map_or(&[][..], |f| &f.lives);
            lanes.extend(stored.commands(id, lives, (from, to), exact_from, language));
        }
        let marks = marks::lanes(stored, &lanes, (from, to));
        lanes.extend(marks);
        lanes.extend(stored.people(language, reader));
        match subject {
            Subject::House(_) => lanes = house::arranged(lanes, stored),
            _ => lanes.sort_by_key(|l| rank(subject, l.kind)),
        }
        Self {
            from: from.as_millis(),
            to: to.as_millis(),
            exact_from: exact_from.as_millis(),
            lanes,
            left_out: folded.map_or(0, |f| f.tracer.left_out),
            incomplete: stored.incomplete,
        }
    }
}

/// Lanes of which each has first what was stored and then what was folded.
fn joined(before: Vec<LaneBody>, after: Vec<LaneBody>) -> Vec<LaneBody> {
    let mut all = after;
    for mut lane in before {
        match all.iter_mut().find(|l| l.key == lane.key) {
            Some(found) => {
                lane.spans.append(&mut found.spans);
                found.spans = lane.spans;
            }
            None => all.push(lane),
        }
    }
    all
}

/// Where a lane stands among those of a subject.
fn rank(subject: &Subject, kind: LaneKindName) -> u8 {
    use LaneKindName as K;
    let order: [K; 13] = match subject {
        Subject::Device(_) => [
            K::Decides,
            K::Reported,
            K::Effect,
            K::Command,
            K::Locks,
            K::People,
            K::Phase,
            K::Hold,
            K::Truth,
            K::Outcome,
            K::Alert,
            K::Online,
            K::Server,
        ],
        Subject::Rule(_) | Subject::House(_) => [
            K::Phase,
            K::Hold,
            K::Truth,
            K::Outcome,
            K::Reported,
            K::Effect,
            K::Decides,
            K::Command,
            K::Locks,
            K::People,
            K::Alert,
            K::Online,
            K::Server,
        ],
    };
    let at = order.iter().position(|k| *k == kind);
    // The lanes of a rule of a device stay together.
    let group = |at: usize| match (subject, at) {
        (Subject::Device(_), 6..=8) => 6,
        (_, at) => at,
    };
    u8::try_from(at.map_or(order.len(), group)).unwrap_or(u8::MAX)
}
