//! Comparisons of a signal with thresholds, and the points on the line of means where their truth changes.

use crate::quantity::{EQ_DISTANCE, Quantity};
use crate::truth::{Operator, Truth};

/// Whose condition a comparison belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    Rule(u32),
    Alert(u32),
    /// A claim that follows a curve.
    Curve(u32),
    /// Hours of machines.
    Hours(u32),
}

/// The numbers that a comparison compares with: one, and of `between` a second.
pub(crate) type Bounds = (Quantity, Option<Quantity>);

/// A comparison of one signal with a threshold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Comparison {
    value: i64,
    value_max: i64,
    pub(crate) signal: u32,
    /// As [`Owner::code`] has it.
    owner: u32,
    /// The next on its signal's list of those that await samples; `END` after the last, `UNLISTED` where it is not on the list.
    pub(super) next: u32,
    pub(super) operator: Operator,
    /// Whether the threshold is known: that of a setpoint is not without its days. Until then it only counts samples.
    pub(super) is_known: bool,
}

/// After the last that awaits samples.
pub(super) const END: u32 = u32::MAX;

/// Not among those that await samples.
pub(super) const UNLISTED: u32 = u32::MAX - 1;

impl Comparison {
    pub(super) fn new(
        signal: u32,
        owner: Owner,
        operator: Operator,
        bounds: Option<Bounds>,
    ) -> Self {
        let (value, value_max) = bounds.unwrap_or((Quantity::from_micro(0), None));
        Self {
            value: value.as_micro(),
            value_max: value_max.unwrap_or(value).as_micro(),
            is_known: bounds.is_some(),
            signal,
            owner: owner.code(),
            next: UNLISTED,
            operator,
        }
    }

    #[inline]
    pub(super) const fn owner(&self) -> Owner {
        Owner::of(self.owner)
    }

    #[inline]
    pub(super) fn truth(&self, sum: i64, count: u32) -> Truth {
        if count == 0 || !self.is_known {
            return Truth::Unknown;
        }
        let holds = self.operator.holds(self.value, self.value_max, sum, count);
        if holds { Truth::True } else { Truth::False }
    }

    /// Where the truth changes as the mean grows.
    pub(super) fn breakpoints(&self) -> impl Iterator<Item = Breakpoint> {
        let points = self.points().into_iter().flatten();
        points.map(|point| Breakpoint::new(point, self.owner()))
    }

    /// The points of its breakpoints.
    fn points(&self) -> [Option<i64>; 2] {
        if !self.is_known {
            return [None, None];
        }
        let before = |value: i64| Some(value.saturating_mul(2));
        let after = |value: i64| Some(value.saturating_mul(2) | 1);
        match self.operator {
            Operator::Gt | Operator::Lte => [after(self.value), None],
            Operator::Gte | Operator::Lt => [before(self.value), None],
            Operator::Eq => {
                let d = EQ_DISTANCE.as_micro();
                [after(self.value - d), before(self.value + d)]
            }
            Operator::Between => [before(self.value), after(self.value_max)],
        }
    }
}

/// A point on the line of means where the truth of somebody's comparison changes. Twelve bytes, in order, so that a mean that
/// moves goes over them without a look at the comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(Rust, packed(4))]
pub(super) struct Breakpoint {
    /// Twice the value for a breakpoint just before it, one more for a breakpoint just after it.
    point: i64,
    /// As [`Owner::code`] has it.
    owner: u32,
}

const OF_ALERT: u32 = 1 << 31;
const OF_CURVE: u32 = 1 << 30;

impl Owner {
    /// Its number, with the highest bit for an alert's, the next for a curve's, and both for hours.
    const fn code(self) -> u32 {
        match self {
            Self::Rule(ix) => ix,
            Self::Alert(ix) => ix | OF_ALERT,
            Self::Curve(ix) => ix | OF_CURVE,
            Self::Hours(ix) => ix | OF_ALERT | OF_CURVE,
        }
    }

    #[inline]
    const fn of(code: u32) -> Self {
        let number = code & !(OF_ALERT | OF_CURVE);
        match (code & OF_ALERT != 0, code & OF_CURVE != 0) {
            (false, false) => Self::Rule(number),
            (true, false) => Self::Alert(number),
            (false, true) => Self::Curve(number),
            (true, true) => Self::Hours(number),
        }
    }
}

impl Breakpoint {
    pub(super) const fn new(point: i64, owner: Owner) -> Self {
        Self {
            point,
            owner: owner.code(),
        }
    }

    #[inline]
    pub(super) const fn owner(self) -> Owner {
        Owner::of(self.owner)
    }

    /// The smallest sum of `count` values whose mean lies beyond the breakpoint.
    #[inline]
    pub(super) fn in_sum(self, count: u32) -> i64 {
        if count == 1 {
            return (self.point >> 1).saturating_add(self.point & 1);
        }
        let at = i128::from(self.point >> 1) * i128::from(count) + i128::from(self.point & 1);
        i64::try_from(at).unwrap_or(if at > 0 { i64::MAX } else { i64::MIN })
    }
}

/// What an evaluation finds of a comparison.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ComparisonEvidence {
    pub(crate) truth: Truth,
    /// What it would be without its signals.
    pub(crate) without: Truth,
    /// How many samples its signal has counted.
    pub(crate) counted: u32,
    /// Whether the reading that caused the evaluation is the last of them.
    pub(crate) sample: bool,
}

/// What a hold wants of a sample that came in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wants {
    /// To be evaluated.
    pub(crate) now: bool,
    /// To hear of the next one too.
    pub(crate) further: bool,
}
