//! Why a rule did not act, and what other rules would have done, as documents.

use harit_engine::explain::Tried;
use harit_engine::{Duration, Mean, Quantity, RuleId, SensorType, Timestamp};
use harit_ingest::past::{Backtest, DeviceRun, Feedback, PastHazard, RuleRun, Run, WhyNot};
use serde::Serialize;
use utoipa::ToSchema;

use super::Lines;
use super::rule::RoleBody;
use super::tell::Teller;
use super::twin::TwinBody;
use crate::document::SensorTypeDocument;
use crate::language::Language;

/// What kept a rule from acting in a span.
#[derive(Serialize, ToSchema)]
#[schema(as = WhyNot)]
pub(crate) struct WhyNotBody {
    rule: String,
    from: i64,
    to: i64,
    /// What there is to say, a sentence each.
    text: Vec<String>,
    /// How often it fired.
    fired: usize,
    ran_ms: i64,
    /// How long it was off or a draft.
    inactive_ms: i64,
    /// How often it was changed; its parts are those of its last form.
    edits: u32,
    /// When it came nearest to starting without doing so; null where its condition never was true.
    #[schema(required)]
    nearest: Option<NearestBody>,
    leaves: Vec<LeafSpanBody>,
    /// What it did and tried, the earliest first; at most 200.
    tried: Vec<TriedBody>,
    /// How much more of that there is.
    more: usize,
}

/// When a rule came nearest to starting.
#[derive(Serialize, ToSchema)]
#[schema(as = WhyNotNearest)]
pub(crate) struct NearestBody {
    at: i64,
    held_ms: i64,
    length_ms: i64,
    samples: u8,
    samples_needed: u8,
}

/// A part of a condition over a span.
#[derive(Serialize, ToSchema)]
#[schema(as = WhyNotLeaf)]
pub(crate) struct LeafSpanBody {
    part: RoleBody,
    node: usize,
    /// What it says.
    text: String,
    /// How long it was not true, a sentence each.
    kept: Vec<String>,
    true_ms: i64,
    false_ms: i64,
    unknown_ms: i64,
    /// The mean that came nearest to making it true, while it was false.
    #[schema(required, value_type = Option<f64>)]
    nearest: Option<Quantity>,
    #[schema(required)]
    nearest_at: Option<i64>,
    #[schema(required, value_type = Option<f64>)]
    lowest: Option<Quantity>,
    #[schema(required, value_type = Option<f64>)]
    highest: Option<Quantity>,
    /// Where it alone decides: with this as its limit the rule would have acted.
    #[schema(required, value_type = Option<f64>)]
    would_have_acted_at: Option<Quantity>,
}

/// Something that a rule did or tried.
#[derive(Serialize, ToSchema)]
#[schema(as = WhyNotTried)]
pub(crate) struct TriedBody {
    at: i64,
    what: TriedName,
    /// Why not, as in events.
    #[schema(required)]
    reason: Option<&'static str>,
}

/// What a rule did or tried.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = WhyNotTriedKind)]
pub(crate) enum TriedName {
    Fired,
    Stopped,
    Blocked,
    Skipped,
    Suppressed,
    Held,
}

impl WhyNotBody {
    pub(crate) fn new(of: &WhyNot, language: Language) -> Self {
        let teller = Teller(language);
        let tracer = &of.tracer;
        let (from, to) = tracer.span();
        let now = of.engine.explain_rule(tracer.rule().as_str());
        let parts = now.map(|r| r.parts).unwrap_or_default();
        let leaf = |leaf: &harit_engine::explain::LeafSpan| {
            let part = parts.iter().find(|p| p.role == leaf.part);
            let node = part.and_then(|p| p.nodes.get(leaf.node));
            let [yes, no, unknown] = leaf.lasted.map(Duration::as_millis);
            LeafSpanBody {
                part: leaf.part.into(),
                node: leaf.node,
                text: node.map(|n| teller.said(&n.said)).unwrap_or_default(),
                kept: node
                    .map(|n| teller.leaf_span(leaf, &n.said))
                    .unwrap_or_default(),
                true_ms: yes,
                false_ms: no,
                unknown_ms: unknown,
                nearest: leaf.nearest.map(|(mean, _)| mean.shown()),
                nearest_at: leaf.nearest.map(|(_, at)| at.as_millis()),
                lowest: leaf.range.map(|(low, _)| low.shown()),
                highest: leaf.range.map(|(_, high)| high.shown()),
                would_have_acted_at: leaf.sustained.map(|level| {
                    let mean = Mean {
                        sum: level.as_micro(),
                        count: 1,
                    };
                    mean.shown()
                }),
            }
        };
        Self {
            rule: tracer.rule().to_string(),
            from: from.as_millis(),
            to: to.as_millis(),
            text: teller.why_not(tracer, &of.engine, &parts),
            fired: tracer
                .tried
                .iter()
                .filter(|(_, t)| *t == Tried::Fired)
                .count(),
            ran_ms: tracer.ran.as_millis(),
            inactive_ms: tracer.inactive.as_millis(),
            edits: tracer.edits,
            nearest: tracer.nearest.map(|n| NearestBody {
                at: n.at.as_millis(),
                held_ms: n.held.as_millis(),
                length_ms: n.length.as_millis(),
                samples: n.samples,
                samples_needed: n.samples_needed,
            }),
            leaves: tracer.leaves().iter().map(leaf).collect(),
            tried: tracer
                .tried
                .iter()
                .map(|(at, what)| TriedBody::new(*at, *what))
                .collect(),
            more: tracer.more,
        }
    }
}

impl TriedBody {
    const fn new(at: Timestamp, what: Tried) -> Self {
        let (what, reason) = match what {
            Tried::Fired => (TriedName::Fired, None),
            Tried::Stopped => (TriedName::Stopped, None),
            Tried::Blocked(why) => (TriedName::Blocked, Some(why.as_str())),
            Tried::Skipped(why) => (TriedName::Skipped, Some(why.as_str())),
            Tried::Suppressed(why) => (TriedName::Suppressed, Some(why.as_str())),
            Tried::Held(why) => (TriedName::Held, Some(why.as_str())),
        };
        Self {
            at: at.as_millis(),
            what,
            reason,
        }
    }
}

impl Lines for WhyNotBody {
    fn lines(&self) -> Vec<String> {
        let leaves = self.leaves.iter().flat_map(|l| l.kept.iter().cloned());
        self.text.iter().cloned().chain(leaves).collect()
    }
}

/// What was, and what would have been with other rules.
#[derive(Serialize, ToSchema)]
#[schema(as = Backtest)]
pub(crate) struct BacktestBody {
    from: i64,
    to: i64,
    /// The journal does not reach so far back: both are computed from minute means, with the farm as it is set now and without what
    /// people did and controllers reported.
    approximate: bool,
    was: RunBody,
    would: RunBody,
    /// How much of what the farm was told made no sense with the other rules, and was left out.
    left_out: u64,
    /// What the readings do not follow: they are those that there were, whatever devices would have done. With a twin, what it does not follow.
    feedback: Vec<FeedbackBody>,
    /// What is dangerous about the rules that were tried, as far as the span tells.
    hazards: Vec<PastHazardBody>,
    /// The twin that the readings followed; null where none was asked for.
    #[schema(required)]
    twin: Option<TwinBody>,
}

/// What is dangerous about a rule that was tried.
#[derive(Serialize, ToSchema)]
#[schema(as = BacktestHazard)]
pub(crate) struct PastHazardBody {
    rule: String,
    kind: PastHazardName,
}

#[derive(Serialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
#[schema(as = BacktestHazardKind)]
enum PastHazardName {
    /// It would not have fired once.
    NeverFires,
    /// It would have fired, and gone on until the end.
    NeverStops,
}

/// What rules and devices did.
#[derive(Serialize, ToSchema)]
#[schema(as = BacktestRun)]
pub(crate) struct RunBody {
    rules: Vec<RuleRunBody>,
    devices: Vec<DeviceRunBody>,
}

/// What a rule did.
#[derive(Serialize, ToSchema)]
#[schema(as = BacktestRule)]
pub(crate) struct RuleRunBody {
    id: String,
    name: String,
    fired: u32,
    /// When; at most 500.
    fired_at: Vec<i64>,
    blocked: u32,
    skipped: u32,
    suppressed: u32,
    /// How often a limit held what it wanted.
    held: u32,
    ran_ms: i64,
}

/// What a device did, as far as what was sent tells.
#[derive(Serialize, ToSchema)]
#[schema(as = BacktestDevice)]
pub(crate) struct DeviceRunBody {
    id: String,
    name: String,
    on_ms: i64,
    starts: u32,
    /// In ml; null where it is not known what flows.
    #[schema(required, value_type = Option<f64>)]
    ml: Option<Quantity>,
    /// How often a limit held it back.
    held: u32,
    /// How often a limit switched it off.
    limits_reached: u32,
    /// When it was on, `[from, to]` each; at most 500.
    intervals: Vec<[i64; 2]>,
    /// How many more there are.
    more: u32,
}

/// A device that would have done something else, and has a part in what a rule that is tried sees.
#[derive(Serialize, ToSchema)]
#[schema(as = BacktestFeedback)]
pub(crate) struct FeedbackBody {
    device: String,
    rule: String,
    /// Null where the rule looks at what the device was reported to do.
    #[schema(required, value_type = Option<SensorTypeDocument>)]
    sensor_type: Option<SensorType>,
}

impl BacktestBody {
    pub(crate) fn new(of: &Backtest) -> Self {
        let feedback = |f: &Feedback| FeedbackBody {
            device: f.device.to_string(),
            rule: f.rule.to_string(),
            sensor_type: f.sensor_type,
        };
        let hazard = |(rule, kind): &(RuleId, PastHazard)| PastHazardBody {
            rule: rule.to_string(),
            kind: match kind {
                PastHazard::NeverFires => PastHazardName::NeverFires,
                PastHazard::NeverStops => PastHazardName::NeverStops,
            },
        };
        Self {
            from: of.from.as_millis(),
            to: of.to.as_millis(),
            approximate: of.approximate,
            was: RunBody::new(&of.was),
            would: RunBody::new(&of.would),
            left_out: of.left_out,
            feedback: of.feedback.iter().map(feedback).collect(),
            hazards: of.hazards.iter().map(hazard).collect(),
            twin: of.twin.as_ref().map(TwinBody::new),
        }
    }
}

impl RunBody {
    fn new(of: &Run) -> Self {
        let rule = |r: &RuleRun| RuleRunBody {
            id: r.id.to_string(),
            name: r.name.clone(),
            fired: r.fired,
            fired_at: r.fired_at.iter().map(|at| at.as_millis()).collect(),
            blocked: r.blocked,
            skipped: r.skipped,
            suppressed: r.suppressed,
            held: r.held,
            ran_ms: r.ran.as_millis(),
        };
        let device = |d: &DeviceRun| DeviceRunBody {
            id: d.id.to_string(),
            name: d.name.clone(),
            on_ms: d.on.as_millis(),
            starts: d.starts,
            ml: d.ml,
            held: d.held,
            limits_reached: d.limits_reached,
            intervals: { d.intervals.iter() }
                .map(|(from, to)| [from.as_millis(), to.as_millis()])
                .collect(),
            more: d.more,
        };
        Self {
            rules: of.rules.iter().map(rule).collect(),
            devices: of.devices.iter().map(device).collect(),
        }
    }
}

impl Lines for BacktestBody {
    fn lines(&self) -> Vec<String> {
        let minutes = |ms: i64| ms / 60_000;
        let rules = self.would.rules.iter().map(|r| {
            let was = self.was.rules.iter().find(|w| w.id == r.id);
            let (fired, ran) = was.map_or((0, 0), |w| (w.fired, w.ran_ms));
            format!(
                "rule {}: fired {} (was {fired}), ran {} min (was {} min), blocked {}, skipped {}, suppressed {}, held {}",
                r.id, r.fired, minutes(r.ran_ms), minutes(ran), r.blocked, r.skipped, r.suppressed, r.held
            )
        });
        let devices = self.would.devices.iter().map(|d| {
            let was = self.was.devices.iter().find(|w| w.id == d.id);
            let (on, starts) = was.map_or((0, 0), |w| (w.on_ms, w.starts));
            let ml = d.ml.map(|ml| format!(", {ml} ml")).unwrap_or_default();
            format!(
                "device {}: on {} min (was {} min), starts {} (was {starts}){ml}, limits {}",
                d.id,
                minutes(d.on_ms),
                minutes(on),
                d.starts,
                d.limits_reached + d.held
            )
        });
        let feedback = self.feedback.iter().map(|f| {
            let what = f
                .sensor_type
                .map_or("what it was reported to do", SensorType::as_str);
            format!(
                "note: {} would have changed {what}, which {} looks at; readings stay as they were",
                f.device, f.rule
            )
        });
        let hazards = self.hazards.iter().map(|h| match h.kind {
            PastHazardName::NeverFires => format!("hazard: {} would not have fired once", h.rule),
            PastHazardName::NeverStops => {
                format!("hazard: {} would not have stopped again", h.rule)
            }
        });
        let twin = self.twin.iter().flat_map(Lines::lines);
        rules
            .chain(devices)
            .chain(feedback)
            .chain(hazards)
            .chain(twin)
            .collect()
    }
}
