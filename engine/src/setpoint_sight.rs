//! What people see of setpoints: what each is now, its course over a day for drawing, and which rules name it.

use std::collections::BTreeMap;

use crate::almanac::AlmanacDay;
use crate::document::{
    ConditionSpec, NodeSpec, RuleSpec, SetpointConditionSpec, SetpointSpec, TriggerSpec, WhenSpec,
};
use crate::engine::Engine;
use crate::id::SetpointId;
use crate::quantity::Quantity;
use crate::time::{Duration, Timestamp};

/// What is seen of a setpoint at an instant.
#[derive(Debug, Clone, PartialEq)]
pub struct SetpointSight {
    /// Its document.
    pub spec: SetpointSpec,
    /// What it is; none where the days that say so are not known.
    pub value: Option<Quantity>,
    /// When it is another next, as far as the almanac tells.
    pub next_change: Option<Timestamp>,
    /// The corners of its course over the day of the instant, ascending; two of one instant are a step. Ramps are drawn straight.
    pub course: Vec<CourseCorner>,
    /// The rules that name it, in the order of their documents.
    pub rules: Vec<SetpointUse>,
}

/// A corner of a course.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CourseCorner {
    /// When.
    pub at: Timestamp,
    /// What it is; none where it is not known.
    pub value: Option<Quantity>,
}

/// A rule that names a setpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct SetpointUse {
    /// The rule.
    pub rule: RuleSpec,
    /// Whether a condition of it compares with the setpoint.
    pub compares: bool,
    /// Whether a curve of it follows a signal less the setpoint.
    pub follows: bool,
}

impl Engine {
    /// The farm's setpoints as they stand at an instant, in the order of the settings.
    #[must_use]
    pub fn setpoints_at(&self, at: Timestamp) -> Vec<SetpointSight> {
        let all = &self.state.farm.settings.setpoints;
        if all.is_empty() {
            return Vec::new();
        }
        let rules = self.document().rules;
        let almanac = &self.state.almanac;
        all.iter()
            .map(|spec| SetpointSight {
                value: spec.value(almanac, at),
                next_change: spec.next_change(almanac, at),
                course: self.course(spec, at),
                rules: rules.iter().filter_map(|r| r.names(&spec.id)).collect(),
                spec: spec.clone(),
            })
            .collect()
    }

    /// A comparison with a setpoint as one with the number that it is at an instant; none while that is not known.
    #[must_use]
    pub fn comparison_at(
        &self,
        condition: &SetpointConditionSpec,
        at: Timestamp,
    ) -> Option<ConditionSpec> {
        let value = self.state.setpoint_at(&condition.setpoint, at)?;
        Some(ConditionSpec {
            sensor_type: condition.sensor_type,
            operator: condition.operator,
            value: Quantity::from_micro(value.as_micro() + condition.offset.as_micro()),
            value_max: None,
            duration: Duration::ZERO,
            scope: condition.scope.clone(),
        })
    }

    fn course(&self, spec: &SetpointSpec, at: Timestamp) -> Vec<CourseCorner> {
        let almanac = &self.state.almanac;
        let Some(day) = almanac.day_of(at) else {
            return Vec::new();
        };
        let before = almanac.day(day.date.plus(-1));
        let mut bends = BTreeMap::from([(day.from, false)]);
        for day in before.into_iter().chain([day]) {
            for (at, steps) in spec.bends(day) {
                *bends.entry(at).or_default() |= steps;
            }
        }
        bends.retain(|at, _| *at >= day.from && *at < day.to);
        let moment = Duration::from_millis(1);
        let corner = |at: Timestamp, seen: Timestamp| CourseCorner {
            at,
            value: spec.value(almanac, seen),
        };
        let mut corners = Vec::new();
        for (t, steps) in bends {
            let (old, new) = (corner(t, t - moment), corner(t, t));
            if steps && t > day.from && old.value != new.value {
                corners.push(old);
            }
            corners.push(new);
        }
        corners.push(corner(day.to, day.to - moment));
        corners
    }
}

impl SetpointSpec {
    /// Where the lines of its courses may bend that begin on a day: where points begin, which may be a step, and where their ramps end.
    fn bends(&self, day: &AlmanacDay) -> Vec<(Timestamp, bool)> {
        let courses = std::iter::once(&self.course).chain(self.stages.iter().map(|s| &s.course));
        let begun = courses
            .flatten()
            .filter_map(|p| Some((p, day.instant(p.at)?)));
        begun
            .flat_map(|(p, t)| {
                let ramp = Duration::from_secs(i64::from(p.ramp_min) * 60);
                [(t, true), (t + ramp, false)]
            })
            .collect()
    }
}

impl RuleSpec {
    /// Its trigger's tree, or its schedule's guard.
    #[must_use]
    pub fn trigger_tree(&self) -> Option<&NodeSpec> {
        match &self.trigger {
            TriggerSpec::When(when) => root(when),
            TriggerSpec::Schedule(schedule) => schedule.guard.as_ref(),
        }
    }

    /// Its stop condition's tree.
    #[must_use]
    pub fn stop_tree(&self) -> Option<&NodeSpec> {
        self.stop_condition.as_ref().and_then(root)
    }

    /// The comparisons with setpoints in its trees.
    pub fn setpoint_conditions(&self) -> impl Iterator<Item = &SetpointConditionSpec> {
        self.trees().into_iter().flat_map(NodeSpec::setpoints)
    }

    /// How it names a setpoint; none where it does not.
    #[must_use]
    pub fn names(&self, id: &SetpointId) -> Option<SetpointUse> {
        let compares = self.setpoint_conditions().any(|c| c.setpoint == *id);
        let mut curves = self.actions.iter().filter_map(|a| a.curve.as_ref());
        let follows = curves.any(|c| c.setpoint.as_ref() == Some(id));
        (compares || follows).then(|| SetpointUse {
            rule: self.clone(),
            compares,
            follows,
        })
    }
}

const fn root(when: &WhenSpec) -> Option<&NodeSpec> {
    match when {
        WhenSpec::Condition(_) => None,
        WhenSpec::Tree(tree) => Some(&tree.node),
    }
}
