//! The explanation of a device as a document.

use harit_engine::explain::{DeviceExplanation, Step, StepKind};
use harit_engine::{Quantity, Setting, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use super::Lines;
use super::tell::Teller;
use crate::language::Language;

/// Why a device does what it does.
#[derive(Serialize, ToSchema)]
#[schema(as = DeviceExplanation)]
pub(crate) struct DeviceExplanationBody {
    id: String,
    name: String,
    /// The instant that is explained.
    at: i64,
    online: bool,
    /// What it is reported to do, if rules look at that; null where it is not known.
    #[schema(required)]
    reported: Option<bool>,
    /// Everything that has a say, the strongest first: the first decides.
    steps: Vec<StepBody>,
    /// When the deciding step ends by itself, where it does.
    #[schema(required)]
    until: Option<i64>,
    /// What else there is to know, a sentence each.
    notes: Vec<String>,
}

/// Something that has a say about a device.
#[derive(Serialize, ToSchema)]
#[schema(as = ExplanationStep)]
pub(crate) struct StepBody {
    kind: StepName,
    decides: bool,
    /// In a sentence.
    text: String,
    /// What it wants; null of a short run.
    #[schema(required)]
    action: Option<&'static str>,
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    #[schema(required)]
    pub(crate) since: Option<i64>,
    #[schema(required)]
    until: Option<i64>,
    /// Of a claim: the rule.
    #[schema(required)]
    rule: Option<String>,
}

/// The kinds of what has a say, in order of precedence.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ExplanationStepKind)]
pub(crate) enum StepName {
    Lock,
    Safety,
    Manual,
    Limit,
    Claim,
    Rest,
}

impl DeviceExplanationBody {
    pub(crate) fn new(of: &DeviceExplanation, at: Timestamp, language: Language) -> Self {
        let teller = Teller(language);
        let steps = of.steps.iter().enumerate();
        Self {
            id: of.status.spec.id.to_string(),
            name: of.status.spec.name.clone(),
            at: at.as_millis(),
            online: of.status.online,
            reported: of.reported,
            steps: steps
                .map(|(n, s)| StepBody::new(s, n == of.decides, language))
                .collect(),
            until: of.until.map(Timestamp::as_millis),
            notes: teller.notes(of),
        }
    }
}

impl StepBody {
    pub(crate) fn new(step: &Step, decides: bool, language: Language) -> Self {
        let (kind, rule) = match &step.what {
            StepKind::Lock(_) => (StepName::Lock, None),
            StepKind::Safety => (StepName::Safety, None),
            StepKind::Manual(_) => (StepName::Manual, None),
            StepKind::Limit(_) => (StepName::Limit, None),
            StepKind::Claim { claim, .. } => (StepName::Claim, Some(claim.rule.clone())),
            StepKind::Rest => (StepName::Rest, None),
        };
        Self {
            kind,
            decides,
            text: Teller(language).step(step),
            action: step.setting.map(Setting::action),
            value: step.setting.and_then(Setting::value),
            since: step.since.map(Timestamp::as_millis),
            until: step.until.map(Timestamp::as_millis),
            rule,
        }
    }

    /// Which kind it is.
    pub(crate) const fn kind(&self) -> StepName {
        self.kind
    }

    /// Whether it is of that kind.
    pub(crate) fn is(&self, kind: StepName) -> bool {
        self.kind == kind
    }
}

impl Lines for DeviceExplanationBody {
    fn lines(&self) -> Vec<String> {
        let mark = |s: &StepBody| if s.decides { "> " } else { "  " };
        let steps = self.steps.iter().map(|s| format!("{}{}", mark(s), s.text));
        steps.chain(self.notes.iter().cloned()).collect()
    }
}
