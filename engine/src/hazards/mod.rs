//! What is dangerous about a rule before it runs: found by looking for readings, an hour and reports of devices that lead there, and
//! shown by folding them. Nothing is said of which an engine, given these inputs, does not do what is said.
//!
//! [`excerpt`] is the part of the farm that the rules in question see, [`form`] what they come to as formulas, [`search`] looks for a
//! situation in which a formula is true, and [`fold`] gives it to an engine. Each kind has a file. What takes too long to find is not
//! said: an answer without a hazard is no promise.

mod circle;
mod excerpt;
mod fight;
mod flood;
mod fold;
mod form;
mod limit;
mod outranked;
mod search;
mod sensor;

use crate::document::{FarmDocument, RuleSpec, ScopeSpec};
use crate::engine::Engine;
use crate::event::Event;
use crate::id::{DeviceId, RuleId, SensorId};
use crate::input::{Input, InputKind};
use crate::problem::Problems;
use crate::quantity::Quantity;
use crate::sensor_type::SensorType;
use crate::setting::Setting;
use crate::time::Timestamp;

pub(crate) use excerpt::Excerpt;

/// More starts than that in an hour wear a machine out.
pub const MANY_STARTS: u32 = 12;
/// More seconds of dosing than that in an hour are much: as many as pulses may come to where a pump's document says nothing.
pub const MANY_DOSED: i64 = 300;
/// Who doses for longer than that in an hour does not rest.
pub const WITHOUT_RESTS: i64 = 1_800;

/// Whether a rule with a hazard may be deployed all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// It would do damage: only an owner's word deploys it.
    Blocking,
    /// One should know it.
    Advising,
}

/// What is dangerous about a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Hazard {
    /// What it is.
    pub kind: HazardKind,
    /// What shows it.
    pub example: Example,
}

/// The kinds of hazard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HazardKind {
    /// Another active rule wants something else of the device at the same time.
    Fight {
        /// The device.
        device: DeviceId,
        /// The other rule.
        other: RuleId,
        /// What the rule wants.
        own: Setting,
        /// What the other one wants.
        others: Setting,
        /// Who gets it.
        winner: RuleId,
    },
    /// Whenever this rule is true, a stronger one wants something else of the device.
    NeverWins {
        /// The device.
        device: DeviceId,
        /// The weaker rule: the one in question or another.
        rule: RuleId,
        /// The stronger one.
        by: RuleId,
    },
    /// The rule moves devices that others look at, and what these do comes back to it.
    Circle {
        /// The rules, each looking at what the one before does; the rule itself first.
        rules: Vec<RuleId>,
        /// The devices on the way.
        devices: Vec<DeviceId>,
        /// How often it starts in an hour, as readings stay the same.
        starts_per_hour: u32,
    },
    /// A limit of the device stands against what the rule does.
    Limited {
        /// The device.
        device: DeviceId,
        /// Which.
        limit: Limit,
    },
    /// Nothing ends what the rule starts: the device lets water run, and still does after a day.
    Flood {
        /// The device.
        device: DeviceId,
    },
    /// A dosing pump doses much, or without rests.
    Dosing {
        /// The device.
        device: DeviceId,
        /// How many seconds of an hour it doses.
        secs: i64,
    },
    /// The rule does not start without one sensor.
    OneSensor {
        /// The sensor.
        sensor: SensorId,
        /// What it measures.
        sensor_type: SensorType,
        /// Where it counts.
        place: ScopeSpec,
    },
}

/// Which limit of a machine stands against a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// The hours in which it may run are never those of the rule.
    Hours,
    /// Nothing that is active switches on what it needs at the same time.
    Needs,
    /// One run is more than its budget of a day.
    Budget,
    /// It has to stay off for longer than until the next start of the schedule.
    MinOff,
    /// The schedule starts it more often than it may start in an hour.
    Starts,
    /// One run is longer than it may be on: it is locked.
    MaxOn,
}

impl Limit {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hours => "hours",
            Self::Needs => "needs",
            Self::Budget => "budget",
            Self::MinOff => "min_off",
            Self::Starts => "starts",
            Self::MaxOn => "max_on",
        }
    }
}

impl HazardKind {
    /// The word for the kind.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Fight { .. } => "fight",
            Self::NeverWins { .. } => "never_wins",
            Self::Circle { .. } => "circle",
            Self::Limited { .. } => "limited",
            Self::Flood { .. } => "flood",
            Self::Dosing { .. } => "dosing",
            Self::OneSensor { .. } => "one_sensor",
        }
    }

    /// Blocking is what damages: water without an end, dosing for more than half of the time, and a circle that starts machines again and again with
    /// nothing to end it. Who wins a fight is settled by precedence, and often meant; a limit holds a machine back before it is
    /// damaged; and most farms have one sensor of a quantity.
    #[must_use]
    pub const fn grade(&self) -> Grade {
        match self {
            Self::Flood { .. } => Grade::Blocking,
            Self::Dosing { secs, .. } if *secs > WITHOUT_RESTS => Grade::Blocking,
            Self::Circle {
                starts_per_hour, ..
            } if *starts_per_hour > MANY_STARTS => Grade::Blocking,
            Self::Circle { .. }
            | Self::Dosing { .. }
            | Self::Fight { .. }
            | Self::NeverWins { .. }
            | Self::Limited { .. }
            | Self::OneSensor { .. } => Grade::Advising,
        }
    }
}

/// A part of the farm, and inputs by which an engine of it comes to what is claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// The part of the farm, with the rules that take part.
    pub document: FarmDocument,
    /// What it is told.
    pub inputs: Vec<Input>,
    /// When what is claimed is so: the instant of the last input.
    pub at: Timestamp,
    /// Whether the hour is a part of it.
    pub by_clock: bool,
    /// The means that conditions see.
    pub readings: Vec<ExampleReading>,
    /// What devices are reported to do.
    pub reports: Vec<(DeviceId, bool)>,
}

/// What the sensors of a quantity say together in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleReading {
    /// What is measured.
    pub sensor_type: SensorType,
    /// Where.
    pub place: ScopeSpec,
    /// Their mean.
    pub value: Quantity,
}

impl Example {
    /// Folds it.
    ///
    /// # Errors
    /// None, unless a field was changed.
    pub fn fold(&self) -> Result<(Engine, Vec<Event>), Problems> {
        let mut engine = Engine::new(&self.document)?;
        let mut events = Vec::new();
        for input in &self.inputs {
            engine.apply(input, &mut events)?;
        }
        let (at, kind) = (self.at, InputKind::Tick);
        engine.apply(&Input { at, kind }, &mut events)?;
        Ok((engine, events))
    }
}

impl Engine {
    /// What is dangerous about a rule if it were active among the others that are, from an instant on. Exact, and bounded in time:
    /// what is not found in that is not said.
    ///
    /// # Errors
    /// When the engine would not take the rule.
    pub fn hazards(&self, rule: &RuleSpec, now: Timestamp) -> Result<Vec<Hazard>, Problems> {
        let put = InputKind::RulePut(Box::new(rule.clone()));
        self.check(&Input { at: now, kind: put })?;
        let mut rule = rule.clone();
        rule.deployed = true;
        rule.mode = crate::document::RuleMode::Auto;
        let now = self.state.clock.map_or(now, |clock| clock.max(now));
        let others: Vec<RuleSpec> = { self.rules() }
            .map(|status| status.spec)
            .filter(|other| other.id != rule.id && other.is_active())
            .collect();
        let case = Case {
            engine: self,
            rule,
            others,
            now,
            effort: fold::Effort::default(),
        };
        let mut found = Vec::new();
        found.extend(flood::flood(&case));
        found.extend(flood::dosing(&case));
        found.extend(circle::circle(&case));
        found.extend(fight::fights(&case));
        found.extend(limit::limited(&case));
        found.extend(sensor::one_sensor(&case));
        Ok(found)
    }
}

/// What is asked about.
pub(crate) struct Case<'a> {
    engine: &'a Engine,
    /// The rule, active.
    rule: RuleSpec,
    /// The other active ones, by id.
    others: Vec<RuleSpec>,
    now: Timestamp,
    effort: fold::Effort,
}

impl Case<'_> {
    /// The part of the farm that the rule and some others see.
    fn excerpt(&self, others: &[&RuleSpec]) -> Excerpt<'_> {
        Excerpt::new(self, others)
    }

    /// The rule's actions that are not pulses, each with its setting.
    fn settings<'r>(&self, rule: &'r RuleSpec) -> Vec<(&'r crate::document::ActionSpec, Setting)> {
        let of = |action: &'r crate::document::ActionSpec| {
            let device = self.engine.device_ref(action.device_id.as_str())?;
            let order = crate::setting::Order::compile(&action.command).ok()?;
            Some((action, order.setting_for(device.spec.device_type)?))
        };
        rule.actions.iter().filter_map(of).collect()
    }
}
