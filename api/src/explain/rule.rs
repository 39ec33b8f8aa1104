//! The explanation of a rule as a document.

use harit_engine::explain::{
    Bound, Change, DeviceOutcome, NodeExplanation, Outcome, PartExplanation, PartRole,
    RuleExplanation, Said, Standing,
};
use harit_engine::{HoldStatus, Mean, Quantity, RulePhase, SensorType, Setting, Timestamp, Truth};
use serde::Serialize;
use utoipa::ToSchema;

use super::Lines;
use super::tell::Teller;
use crate::document::SensorTypeDocument;
use crate::language::Language;

/// Whether something is so.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Truth)]
pub(crate) enum TruthBody {
    True,
    False,
    /// There is no evidence.
    Unknown,
}

/// Which condition of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ExplanationPartRole)]
pub(crate) enum RoleBody {
    Trigger,
    /// What must be so at a start by the clock.
    Guard,
    Stop,
}

impl From<Truth> for TruthBody {
    fn from(truth: Truth) -> Self {
        match truth {
            Truth::True => Self::True,
            Truth::False => Self::False,
            Truth::Unknown => Self::Unknown,
        }
    }
}

impl From<PartRole> for RoleBody {
    fn from(role: PartRole) -> Self {
        match role {
            PartRole::Trigger => Self::Trigger,
            PartRole::Guard => Self::Guard,
            PartRole::Stop => Self::Stop,
        }
    }
}

/// Where a rule stands, and why.
#[derive(Serialize, ToSchema)]
#[schema(as = RuleExplanation)]
pub(crate) struct RuleExplanationBody {
    id: String,
    name: String,
    /// The instant that is explained.
    at: i64,
    /// Whether it is deployed and automatic.
    active: bool,
    phase: PhaseName,
    /// Where it stands, in a sentence.
    text: String,
    /// Since when it runs, while it does.
    #[schema(required)]
    since: Option<i64>,
    /// When its run is over at the latest.
    #[schema(required)]
    run_until: Option<i64>,
    /// When it starts next by the clock, as far as that is known.
    #[schema(required)]
    next_start: Option<i64>,
    parts: Vec<PartBody>,
    change: ChangeBody,
    devices: Vec<OutcomeBody>,
}

/// The phase of a rule.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ExplanationPhase)]
pub(crate) enum PhaseName {
    Idle,
    Pending,
    Running,
}

/// One condition of a rule.
#[derive(Serialize, ToSchema)]
#[schema(as = ExplanationPart)]
pub(crate) struct PartBody {
    role: RoleBody,
    truth: TruthBody,
    /// The truth in a word.
    truth_text: String,
    /// How far the hold on it (or, where the rule has no stop condition, on its opposite) is; null where there is none.
    #[schema(required)]
    hold_text: Option<String>,
    /// Since when that holds.
    #[schema(required)]
    hold_since: Option<i64>,
    /// How long it has to hold, in milliseconds.
    length_ms: i64,
    /// Its parts, each before those below it.
    nodes: Vec<NodeBody>,
}

/// A part of a condition.
#[derive(Serialize, ToSchema)]
#[schema(as = ExplanationNode)]
pub(crate) struct NodeBody {
    /// How far below the whole.
    depth: u8,
    /// Whether it has parts of its own.
    leaf: bool,
    /// What it says and sees.
    text: String,
    truth: TruthBody,
    /// The truth in a word.
    truth_text: String,
    #[schema(required, value_type = Option<SensorTypeDocument>)]
    sensor_type: Option<SensorType>,
    /// The mean that is compared, rounded to two decimals.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    /// The sensors on which it stands, those that are left out first.
    evidence: Vec<EvidenceBody>,
}

/// A sensor as evidence.
#[derive(Serialize, ToSchema)]
#[schema(as = ExplanationEvidence)]
pub(crate) struct EvidenceBody {
    sensor: String,
    #[schema(required)]
    name: Option<String>,
    standing: StandingName,
    /// Whether it counts, and why not.
    text: String,
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    #[schema(required)]
    read_at: Option<i64>,
}

/// Whether a sensor counts.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = EvidenceStanding)]
pub(crate) enum StandingName {
    Counts,
    /// It is silent.
    Stale,
    /// It sent faults.
    Fault,
    /// It never sent a value.
    Never,
}

/// What would have to change for the rule to start or, while it runs, to stop.
#[derive(Serialize, ToSchema)]
#[schema(as = ExplanationChange)]
pub(crate) struct ChangeBody {
    to: ChangeTo,
    /// A sentence each; empty where nothing but time is missing.
    text: Vec<String>,
    /// When it happens by itself, if everything stays as it is.
    #[schema(required)]
    at: Option<i64>,
    /// For how long it must hold then, in milliseconds.
    hold_ms: i64,
    /// How many readings are missing at least.
    samples: u8,
    /// Whether these changes are enough; not so where conditions contradict each other.
    enough: bool,
    leaves: Vec<LeafBody>,
}

/// What is to happen.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ExplanationChangeTo)]
pub(crate) enum ChangeTo {
    Start,
    Stop,
}

/// A part that would have to come to something else.
#[derive(Serialize, ToSchema)]
#[schema(as = ExplanationLeafChange)]
pub(crate) struct LeafBody {
    part: RoleBody,
    /// Which of its nodes.
    node: usize,
    /// Whether it must become true, or false.
    to: bool,
    /// Of a comparison: on which side of the value its mean must be.
    #[schema(required)]
    bound: Option<BoundName>,
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    /// How far it is from there.
    #[schema(required, value_type = Option<f64>)]
    by: Option<Quantity>,
    /// Of a time: when it comes to that.
    #[schema(required)]
    at: Option<i64>,
}

/// A side of a value.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ExplanationBound)]
pub(crate) enum BoundName {
    Above,
    AtLeast,
    Below,
    AtMost,
}

/// What becomes of what a rule wants of a device, or would.
#[derive(Serialize, ToSchema)]
#[schema(as = ExplanationOutcome)]
pub(crate) struct OutcomeBody {
    id: String,
    name: String,
    outcome: OutcomeName,
    /// In words.
    text: String,
    /// What the rule wants of it now.
    #[schema(required)]
    action: Option<&'static str>,
    /// The rule that is stronger.
    #[schema(required)]
    rule: Option<String>,
}

/// What stands between a rule and a device.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ExplanationOutcomeKind)]
pub(crate) enum OutcomeName {
    Locked,
    Safety,
    Manual,
    Outranked,
    Held,
    Offline,
    Free,
}

impl RuleExplanationBody {
    pub(crate) fn new(of: &RuleExplanation, at: Timestamp, language: Language) -> Self {
        let teller = Teller(language);
        let (phase, since) = match of.status.phase {
            RulePhase::Idle => (PhaseName::Idle, None),
            RulePhase::Pending { .. } => (PhaseName::Pending, None),
            RulePhase::Running { since, .. } => (PhaseName::Running, Some(since)),
        };
        let none = Change::default();
        let (to, change) = match (&of.to_start, &of.to_stop) {
            (_, Some(change)) => (ChangeTo::Stop, change),
            (Some(change), None) => (ChangeTo::Start, change),
            (None, None) => (ChangeTo::Start, &none),
        };
        let parts = of.parts.iter().map(|p| PartBody::new(p, at, teller));
        Self {
            id: of.status.spec.id.to_string(),
            name: of.status.spec.name.clone(),
            at: at.as_millis(),
            active: of.active(),
            phase,
            text: teller.phase(of),
            since: since.map(Timestamp::as_millis),
            run_until: of.status.run_until.map(Timestamp::as_millis),
            next_start: of.status.next_start.map(Timestamp::as_millis),
            parts: parts.collect(),
            change: ChangeBody::new(change, to, &of.parts, teller),
            devices: of
                .devices
                .iter()
                .map(|d| OutcomeBody::new(d, teller))
                .collect(),
        }
    }
}

impl PartBody {
    pub(super) fn new(part: &PartExplanation, at: Timestamp, teller: Teller) -> Self {
        let hold = part
            .hold
            .map(|h: HoldStatus| (teller.hold(h, at), h.hold_since.as_millis()));
        let (hold_text, hold_since) = hold.unzip();
        Self {
            role: part.role.into(),
            truth: part.truth.into(),
            truth_text: teller.truth(part.truth).to_owned(),
            hold_text,
            hold_since,
            length_ms: part.length.as_millis(),
            nodes: part
                .nodes
                .iter()
                .map(|n| NodeBody::new(n, at, teller))
                .collect(),
        }
    }
}

impl NodeBody {
    fn new(node: &NodeExplanation, at: Timestamp, teller: Teller) -> Self {
        let signal = match &node.said {
            Said::Signal(signal) => Some(signal),
            _ => None,
        };
        let evidence = signal.into_iter().flat_map(|s| {
            let of = move |e: &harit_engine::explain::SensorEvidence| EvidenceBody {
                sensor: e.id.to_string(),
                name: e.name.clone(),
                standing: match e.standing {
                    Standing::Counts => StandingName::Counts,
                    Standing::Stale => StandingName::Stale,
                    Standing::Fault => StandingName::Fault,
                    Standing::Never => StandingName::Never,
                },
                text: teller.evidence(e, s.condition.sensor_type, at),
                value: e.value,
                read_at: e.read_at.map(Timestamp::as_millis),
            };
            s.evidence.iter().map(of)
        });
        Self {
            depth: node.depth,
            leaf: node.said.is_leaf(),
            text: teller.node(node, at),
            truth: node.truth.into(),
            truth_text: teller.truth(node.truth).to_owned(),
            sensor_type: signal.map(|s| s.condition.sensor_type),
            value: signal.and_then(|s| s.mean).map(Mean::shown),
            evidence: evidence.collect(),
        }
    }
}

impl ChangeBody {
    fn new(of: &Change, to: ChangeTo, parts: &[PartExplanation], teller: Teller) -> Self {
        let leaves = of.leaves.iter().map(|leaf| LeafBody {
            part: leaf.part.into(),
            node: leaf.node,
            to: leaf.to,
            bound: leaf.goal.map(|g| match g.bound {
                Bound::Above => BoundName::Above,
                Bound::AtLeast => BoundName::AtLeast,
                Bound::Below => BoundName::Below,
                Bound::AtMost => BoundName::AtMost,
            }),
            value: leaf.goal.map(|g| g.value),
            by: leaf.goal.and_then(|g| g.by),
            at: leaf.at.map(Timestamp::as_millis),
        });
        Self {
            to,
            text: teller.change(of, parts),
            at: of.at.map(Timestamp::as_millis),
            hold_ms: of.hold.as_millis(),
            samples: of.samples,
            enough: of.enough,
            leaves: leaves.collect(),
        }
    }
}

impl OutcomeBody {
    fn new(of: &DeviceOutcome, teller: Teller) -> Self {
        let (outcome, rule) = match &of.outcome {
            Outcome::Locked => (OutcomeName::Locked, None),
            Outcome::Safety => (OutcomeName::Safety, None),
            Outcome::Manual => (OutcomeName::Manual, None),
            Outcome::Outranked { rule, .. } => (OutcomeName::Outranked, Some(rule.to_string())),
            Outcome::Held(_) => (OutcomeName::Held, None),
            Outcome::Offline => (OutcomeName::Offline, None),
            Outcome::Free => (OutcomeName::Free, None),
        };
        Self {
            id: of.id.to_string(),
            name: of.name.clone(),
            outcome,
            text: teller.outcome(of),
            action: of.wanted.map(Setting::action),
            rule,
        }
    }
}

impl Lines for RuleExplanationBody {
    fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.text.clone()];
        for part in &self.parts {
            for node in &part.nodes {
                let indent = "  ".repeat(usize::from(node.depth) + 1);
                lines.push(format!("{indent}[{}] {}", node.truth_text, node.text));
                let evidence = node.evidence.iter();
                lines.extend(evidence.map(|e| format!("{indent}    {}: {}", e.sensor, e.text)));
            }
            lines.extend(part.hold_text.iter().map(|h| format!("  {h}")));
        }
        lines.extend(self.change.text.iter().map(|t| format!("- {t}")));
        lines.extend(self.devices.iter().map(|d| format!("{}: {}", d.id, d.text)));
        lines
    }
}
