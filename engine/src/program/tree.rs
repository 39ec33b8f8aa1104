//! A condition compiled: its nodes in the order in which they are worked out, and where their holds stand.
//!
//! Nodes stand after those below them, so that one pass over the list with a small stack works out the whole: a leaf puts its
//! truth there, `all` of three takes three and puts one.

use super::Surroundings;
use crate::compile::Watch;
use crate::document::{DatesSpec, NodeKind, NodeSpec, ScopeSpec, WindowSpec};
use crate::hold::{Completion, Hold, HoldRequirement, MAX_MIN_SAMPLES};
use crate::id::{DeviceId, RuleId, SetpointId};
use crate::quantity::Quantity;
use crate::sensor::{NOTHING_SAMPLED, Sampled};
use crate::sensor_type::SensorType;
use crate::signal::Bounds;
use crate::time::{Duration, Timestamp};
use crate::truth::{Operator, Truth};

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// Its own hold; zero where it has none.
    pub(crate) hold: Duration,
    /// Whether a signal is below it, so that its hold needs samples.
    has_signal: bool,
}

/// What a node says; branches by their number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Signal(SignalLeaf),
    All(usize),
    Any(usize),
    Not,
    Time(WindowSpec),
    Days(crate::calendar::Weekdays),
    Dates(DatesSpec),
    Rule(RuleId),
    Device { id: DeviceId, on: bool },
}

/// A comparison, and where its signal is.
#[derive(Debug, Clone)]
pub(crate) struct SignalLeaf {
    pub(crate) watch: Watch,
    pub(crate) operator: Operator,
    pub(crate) threshold: Threshold,
    /// Its number among the farm's comparisons, while the rule is active.
    pub(crate) comparison: Option<u32>,
}

/// What a signal is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Threshold {
    Value(Quantity, Option<Quantity>),
    /// A setpoint with something added, and what that came to when it was compared last.
    Setpoint {
        id: SetpointId,
        offset: Quantity,
        now: Option<Quantity>,
    },
}

impl Threshold {
    /// The numbers to compare with, where they are known.
    pub(crate) const fn bounds(&self) -> Option<Bounds> {
        match self {
            Self::Value(value, max) => Some((*value, *max)),
            Self::Setpoint { now: Some(now), .. } => Some((*now, None)),
            Self::Setpoint { now: None, .. } => None,
        }
    }

    fn says_the_same(&self, other: &Self) -> bool {
        let setpoint = |t: &Self| match t {
            Self::Setpoint { id, offset, .. } => Some((id.clone(), *offset)),
            Self::Value(..) => None,
        };
        match setpoint(self) {
            None => self == other,
            own => own == setpoint(other),
        }
    }
}

/// Equal are two that say the same: by the place that is named, whatever its signal is.
impl PartialEq for SignalLeaf {
    fn eq(&self, other: &Self) -> bool {
        let said = |l: &Self| (l.watch.named, l.watch.sensor_type, l.operator);
        said(self) == said(other) && self.threshold.says_the_same(&other.threshold)
    }
}

impl Eq for SignalLeaf {}

/// Where a node's hold stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Held {
    #[serde(flatten)]
    pub(crate) hold: Hold,
    /// It stays so until what is below is true no more.
    pub(crate) complete: bool,
    /// What is below is true without its signals: the hold needs no samples.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) free: bool,
}

/// What a node comes to.
#[derive(Debug, Clone, Copy)]
struct Below {
    truth: Truth,
    /// What it would be without its signals.
    without: Truth,
    /// Whether the reading that caused the look is a sample of it.
    sample: bool,
}

impl Below {
    const NOTHING: Self = Self {
        truth: Truth::Unknown,
        without: Truth::Unknown,
        sample: false,
    };

    /// The same of a node whose hold was interrupted.
    fn not_known(self) -> Self {
        let without = match self.without {
            Truth::False => Truth::Unknown,
            other => other,
        };
        Self {
            truth: Truth::Unknown,
            without,
            ..self
        }
    }
}

/// A condition, and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    nodes: Box<[Node]>,
    /// By node.
    held: Box<[Option<Held>]>,
    /// Of a raised alert: the nodes whose holds were complete until what is below them was not known, a bit each.
    pub(crate) interrupted: u32,
    /// Whether it is a raised alert's.
    of_raised: bool,
    /// How many samples there were when it was looked at; only differences count.
    pub(crate) samples: u32,
    /// What it came to last.
    pub(crate) truth: Truth,
    /// What that would have been without its signals.
    pub(crate) without: Truth,
    /// Whether the reading that caused that is a sample of it.
    pub(crate) sample: bool,
}

impl Tree {
    /// Compiles a condition; `leaf` tells where a comparison's signal is.
    pub(crate) fn new(
        root: &NodeSpec,
        leaf: &mut impl FnMut(SensorType, Option<&ScopeSpec>) -> Watch,
    ) -> Self {
        let mut nodes = Vec::new();
        add(root, &mut nodes, leaf);
        Self {
            held: vec![None; nodes.len()].into(),
            nodes: nodes.into(),
            interrupted: 0,
            of_raised: false,
            samples: 0,
            truth: Truth::Unknown,
            without: Truth::Unknown,
            sample: false,
        }
    }

    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        self.nodes == other.nodes
    }

    pub(crate) fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.nodes.iter().map(|n| &n.kind)
    }

    pub(crate) fn leaves(&self) -> impl Iterator<Item = &SignalLeaf> {
        self.kinds().filter_map(|kind| match kind {
            Kind::Signal(leaf) => Some(leaf),
            _ => None,
        })
    }

    pub(crate) fn leaves_mut(&mut self) -> impl Iterator<Item = &mut SignalLeaf> {
        self.nodes
            .iter_mut()
            .filter_map(|node| match &mut node.kind {
                Kind::Signal(leaf) => Some(leaf),
                _ => None,
            })
    }

    /// Works it out. A hold completes only where it may act.
    pub(crate) fn observe(
        &mut self,
        around: &Surroundings<'_>,
        sampled: Sampled,
        completion: Completion,
    ) {
        let (held, interrupted, of_raised) =
            (&mut self.held, &mut self.interrupted, self.of_raised);
        let whole = work_out(&self.nodes, around, sampled, |n, node, below| {
            let was_complete = held[n].is_some_and(|h| h.complete);
            let whole = node.held(&mut held[n], below, around, completion);
            match (below.truth, whole.truth) {
                (Truth::Unknown, _) if of_raised && was_complete => *interrupted |= 1 << n,
                (Truth::Unknown, _) => {}
                (Truth::True, Truth::False) if *interrupted & 1 << n != 0 => {
                    return whole.not_known();
                }
                (Truth::True, Truth::False) => {}
                _ => *interrupted &= !(1 << n),
            }
            whole
        });
        (self.truth, self.without, self.sample) = (whole.truth, whole.without, whole.sample);
        self.samples = self.samples.wrapping_add(self.sample.into());
    }

    /// Says whether it is a raised alert's; in another, what was interrupted counts for nothing.
    pub(crate) const fn is_of(&mut self, raised: bool) {
        self.of_raised = raised;
        if !raised {
            self.interrupted = 0;
        }
    }

    /// What it comes to, where nothing of it is to hold.
    pub(crate) fn truth_at(&self, around: &Surroundings<'_>) -> Truth {
        work_out(&self.nodes, around, NOTHING_SAMPLED, |_, _, below| below).truth
    }

    /// When the next hold of a branch completes by time.
    pub(crate) fn deadline(&self, min_samples: u8) -> Option<Timestamp> {
        let holds = self.holds().filter(|(_, held)| !held.complete);
        { holds.filter_map(|(node, held)| held.deadline(node, min_samples)) }.min()
    }

    /// Whether the hold of a branch still counts samples.
    pub(crate) fn counts_samples(&self, min_samples: u8) -> bool {
        self.holds().any(|(node, held)| {
            !held.complete && held.hold.counts_samples(node.requirement(min_samples))
        })
    }

    fn holds(&self) -> impl Iterator<Item = (&Node, &Held)> {
        let all = self.nodes.iter().zip(&self.held);
        all.filter_map(|(node, held)| Some((node, held.as_ref()?)))
    }

    /// After an outage: holds without a signal begin anew, the others need at least one more sample.
    pub(crate) fn weaken(&mut self, most: u8) {
        for (n, (node, held)) in self.nodes.iter().zip(&mut self.held).enumerate() {
            match held {
                Some(h) if !node.has_signal => {
                    self.interrupted |= u32::from(h.complete && self.of_raised) << n;
                    *held = None;
                }
                Some(h) if !h.complete => h.hold.samples = h.hold.samples.min(most),
                _ => {}
            }
        }
    }

    /// Where its holds stand, by node.
    pub(crate) fn standing(&self) -> &[Option<Held>] {
        &self.held
    }

    /// Takes up where another that says the same stood, and what that would have been without its signals.
    pub(crate) fn take_up(&mut self, held: &[Option<Held>], without: Truth) {
        self.without = without;
        if held.len() == self.held.len() {
            self.held = held.into();
        }
    }
}

/// Works out nodes, one after the other; `held` says what one comes to that has a hold of its own.
fn work_out(
    nodes: &[Node],
    around: &Surroundings<'_>,
    sampled: Sampled,
    mut held: impl FnMut(usize, &Node, Below) -> Below,
) -> Below {
    let mut stack = [Below::NOTHING; crate::document::MAX_NODES];
    let mut top = 0;
    for (n, node) in nodes.iter().enumerate() {
        let below = match &node.kind {
            Kind::Signal(leaf) => {
                let (truth, sample) = around.compare(leaf, sampled);
                Below {
                    truth,
                    without: Truth::Unknown,
                    sample,
                }
            }
            Kind::All(of) | Kind::Any(of) => {
                top -= of;
                let below = &stack[top..top + of];
                let join = |truth: fn(&Below) -> Truth| match node.kind {
                    Kind::All(_) => Truth::all(below.iter().map(truth)),
                    _ => Truth::any(below.iter().map(truth)),
                };
                Below {
                    truth: join(|b| b.truth),
                    without: join(|b| b.without),
                    sample: below.iter().any(|b| b.sample),
                }
            }
            Kind::Not => {
                top -= 1;
                Below {
                    truth: stack[top].truth.not(),
                    without: stack[top].without.not(),
                    ..stack[top]
                }
            }
            leaf => {
                let truth = around.truth(leaf, around.now);
                Below {
                    truth,
                    without: truth,
                    sample: false,
                }
            }
        };
        stack[top] = match node.hold {
            Duration::ZERO => below,
            _ => held(n, node, below),
        };
        top += 1;
    }
    stack[top.saturating_sub(1)]
}

/// Adds a node after those below it. Returns whether it has a signal.
fn add(
    spec: &NodeSpec,
    nodes: &mut Vec<Node>,
    leaf: &mut impl FnMut(SensorType, Option<&ScopeSpec>) -> Watch,
) -> bool {
    let mut has_signal = spec.kind.signal().is_some();
    for branch in spec.branches() {
        has_signal |= add(branch, nodes, leaf);
    }
    let kind = match &spec.kind {
        NodeKind::Signal(c) => Kind::Signal(SignalLeaf {
            watch: leaf(c.sensor_type, c.scope.as_ref()),
            operator: c.operator,
            threshold: Threshold::Value(c.value, c.value_max),
            comparison: None,
        }),
        NodeKind::Setpoint(c) => Kind::Signal(SignalLeaf {
            watch: leaf(c.sensor_type, c.scope.as_ref()),
            operator: c.operator,
            threshold: Threshold::Setpoint {
                id: c.setpoint.clone(),
                offset: c.offset,
                now: None,
            },
            comparison: None,
        }),
        NodeKind::All(of) => Kind::All(of.len()),
        NodeKind::Any(of) => Kind::Any(of.len()),
        NodeKind::Not(_) => Kind::Not,
        NodeKind::Time(window) => Kind::Time(*window),
        NodeKind::Days(days) => Kind::Days(*days),
        NodeKind::Dates(dates) => Kind::Dates(*dates),
        NodeKind::Rule(id) => Kind::Rule(id.clone()),
        NodeKind::Device { id, on } => Kind::Device {
            id: id.clone(),
            on: *on,
        },
    };
    nodes.push(Node {
        kind,
        hold: spec.hold,
        has_signal,
    });
    has_signal
}

impl Held {
    /// When it completes by time.
    fn deadline(&self, node: &Node, min_samples: u8) -> Option<Timestamp> {
        let needed = if self.free { 0 } else { min_samples };
        self.hold.deadline(node.requirement(needed))
    }
}

impl Node {
    const fn requirement(&self, min_samples: u8) -> HoldRequirement {
        let samples = if self.has_signal { min_samples } else { 0 };
        HoldRequirement::new(self.hold, samples)
    }

    /// Goes on with the node's hold, starts it or ends it; what the node comes to.
    fn held(
        &self,
        held: &mut Option<Held>,
        below: Below,
        around: &Surroundings<'_>,
        completion: Completion,
    ) -> Below {
        if below.truth != Truth::True {
            *held = None;
            return below;
        }
        let new = Held {
            hold: Hold::new(around.now),
            complete: false,
            free: false,
        };
        let held = held.get_or_insert(new);
        held.free = self.has_signal && below.without == Truth::True;
        // One that is complete needs none any more, and is looked at only when something else changes.
        if below.sample && !held.complete && held.hold.samples < MAX_MIN_SAMPLES {
            held.hold.samples += 1;
        }
        let due = held.deadline(self, around.min_samples);
        held.complete |= completion.acts() && due.is_some_and(|due| due <= around.now);
        let truth = if held.complete {
            Truth::True
        } else {
            Truth::False
        };
        let without = match below.without {
            Truth::True => truth,
            other => other,
        };
        Below {
            truth,
            without,
            ..below
        }
    }
}
