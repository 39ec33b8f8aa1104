//! A lane: its spans, and when one ends and another begins.

use super::LaneState;
use crate::explain::StepKind;
use crate::time::Timestamp;

/// The most spans of a lane; what comes after them is not known.
const MAX_SPANS: usize = 1_500;

impl LaneState {
    /// Whether it goes on as another look tells it.
    pub(super) fn goes_on(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Decides(a), Self::Decides(b)) => {
                a.setting == b.setting && same(&a.what, &b.what)
            }
            (Self::Hold(a), Self::Hold(b)) => (a.hold_since, a.length) == (b.hold_since, b.length),
            _ => self == other,
        }
    }
}

fn same(a: &StepKind, b: &StepKind) -> bool {
    match (a, b) {
        (StepKind::Claim { claim: a, .. }, StepKind::Claim { claim: b, .. }) => a.rule == b.rule,
        (StepKind::Manual(a), StepKind::Manual(b)) => a.owner == b.owner,
        _ => a == b,
    }
}

/// A time in which nothing of a lane changed.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneSpan {
    /// From when; of the first it may have begun earlier.
    pub from: Timestamp,
    /// Until when.
    pub to: Timestamp,
    /// What was so.
    pub state: LaneState,
}

/// A lane.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lane {
    /// Its spans in order; between them nothing is known, or there is nothing to tell.
    pub spans: Vec<LaneSpan>,
    /// From when on it is not known, because it changed too often.
    pub cut: Option<Timestamp>,
    pub(super) open: bool,
}

impl Lane {
    /// What is so now.
    pub(super) fn now(&self) -> Option<&LaneState> {
        self.spans.last().filter(|_| self.open).map(|s| &s.state)
    }

    pub(super) fn set(&mut self, at: Timestamp, state: Option<LaneState>) {
        if self.open
            && let Some(last) = self.spans.last_mut()
        {
            last.to = last.to.max(at);
            if let Some(state) = &state
                && last.state.goes_on(state)
            {
                if let LaneState::Hold(_) = state {
                    last.state = state.clone();
                }
                return;
            }
            self.open = false;
            if last.from == last.to {
                self.spans.pop();
            }
        }
        let (Some(state), None) = (state, self.cut) else {
            return;
        };
        if self.spans.len() >= MAX_SPANS {
            self.cut = Some(at);
            return;
        }
        let before = self.spans.last_mut();
        match before.filter(|last| last.to == at && last.state.goes_on(&state)) {
            Some(_) => {}
            None => self.spans.push(LaneSpan {
                from: at,
                to: at,
                state,
            }),
        }
        self.open = true;
    }

    /// Forgets what it has after an instant.
    pub(super) fn end(&mut self, at: Timestamp) {
        self.spans.retain(|s| s.from < at);
        if let Some(last) = self.spans.last_mut() {
            last.to = last.to.min(at);
        }
        self.open = false;
    }
}
