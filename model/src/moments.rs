//! Every instant at which something changes by itself, found by going through all that has one.

use crate::mutation::Mutation;
use crate::program::Trigger;
use crate::rule::SIGNAL_LOSS_GRACE_MS;
use crate::state::{Model, PULSE_WINDOW_MS, Phase};

/// Why an instant ahead is worth an input at it, just before it or just after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each name says what happens then")]
pub enum Why {
    SensorExpires,
    HoldIsOldEnough,
    PatienceEnds,
    ActionIsDue,
    ActionIsTooLate,
    ManualEnds,
    OnTooLong,
    AlertRepeats,
    PulseIsForgotten,
    TimeChanges,
    StartIsDue,
    CatchUpEnds,
    RunEnds,
    ClaimEnds,
    LimitEnds,
    SetpointSteps,
    CurveWaited,
}

/// An instant at which something changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// The instant.
    pub at: i64,
    /// What changes.
    pub why: Why,
    /// Of which sensor, device, rule or alert.
    pub id: String,
}

impl Model {
    /// The next instant at which time alone does something.
    #[must_use]
    pub fn next_deadline(&self) -> Option<i64> {
        let mut next = self.hold_deadlines().into_iter().min();
        self.each_moment(|at, why, _| {
            // A hold may still miss samples, and the other two are limits that are passed without a word.
            if !matches!(
                why,
                Why::HoldIsOldEnough
                    | Why::PulseIsForgotten
                    | Why::ActionIsTooLate
                    | Why::CatchUpEnds
            ) {
                next = Some(next.map_or(at, |next| next.min(at)));
            }
        });
        next
    }

    /// When holds complete by timer.
    fn hold_deadlines(&self) -> Vec<i64> {
        let mut deadlines = Vec::new();
        for rule in self.rules.values() {
            let needs = self.needs_samples(&rule.doc, &rule.branches);
            deadlines.extend(match &rule.phase {
                Phase::Idle => None,
                Phase::Pending(hold) => {
                    self.hold_deadline(Some(*hold), rule.doc.trigger_ms, needs.trigger)
                }
                Phase::Running { hold, .. } => {
                    self.hold_deadline(*hold, Self::end_ms(&rule.doc), needs.end)
                }
            });
            for (number, tree) in rule.doc.trees() {
                deadlines.extend(self.branch_deadlines(tree, number, &rule.branches, false));
            }
        }
        for alert in self.alerts.values() {
            let length = if alert.raised {
                alert.doc.clear_ms
            } else {
                alert.doc.hold_ms
            };
            deadlines.extend(self.hold_deadline(alert.hold, length, self.alert_needs(alert)));
            if let Some(tree) = &alert.doc.only_if {
                deadlines.extend(self.branch_deadlines(tree, 0, &alert.branches, false));
            }
        }
        deadlines
    }

    /// Every instant at which something changes by itself, or a limit is passed.
    #[must_use]
    pub fn moments(&self) -> Vec<Moment> {
        let mut moments = Vec::new();
        self.each_moment(|at, why, id| {
            moments.push(Moment {
                at,
                why,
                id: id.to_owned(),
            });
        });
        moments
    }

    fn each_moment(&self, mut visit: impl FnMut(i64, Why, &str)) {
        let mut add = |at: Option<i64>, why: Why, id: &str| {
            if let Some(at) = at {
                visit(at, why, id);
            }
        };
        let late = i64::from(self.mutation == Some(Mutation::FreshAtItsEnd));
        for (id, sensor) in &self.sensors {
            add(sensor.expiry().map(|t| t + late), Why::SensorExpires, id);
        }
        for (id, rule) in &self.rules {
            for (setpoint, _) in rule.doc.setpoints_of_conditions() {
                if rule.doc.is_active() {
                    add(self.next_step(setpoint), Why::SetpointSteps, id);
                }
            }
            for (number, tree) in rule.doc.trees() {
                for at in self.branch_deadlines(tree, number, &rule.branches, true) {
                    add(Some(at), Why::HoldIsOldEnough, id);
                }
                if rule.doc.is_active() {
                    add(self.boundary(tree), Why::TimeChanges, id);
                }
            }
            let start = self.next_start(rule);
            add(start, Why::StartIsDue, id);
            if let Trigger::Schedule(schedule) = &rule.doc.trigger {
                let late = start.map(|t| t + schedule.catch_up_ms);
                add(late.filter(|t| start != Some(*t)), Why::CatchUpEnds, id);
            }
            match &rule.phase {
                Phase::Idle => {}
                Phase::Pending(hold) => add(
                    Some(hold.start + rule.doc.trigger_ms),
                    Why::HoldIsOldEnough,
                    id,
                ),
                Phase::Running {
                    hold,
                    unknown_since,
                    actions,
                    until,
                } => {
                    add(*until, Why::RunEnds, id);
                    add(
                        hold.map(|h| h.start + Self::end_ms(&rule.doc)),
                        Why::HoldIsOldEnough,
                        id,
                    );
                    add(
                        unknown_since.map(|t| t + SIGNAL_LOSS_GRACE_MS),
                        Why::PatienceEnds,
                        id,
                    );
                    for (due, _) in actions {
                        add(Some(*due), Why::ActionIsDue, id);
                        add(Some(*due + 60_000), Why::ActionIsTooLate, id);
                    }
                }
            }
        }
        for (id, device) in &self.devices {
            add(device.manual.as_ref().map(|m| m.until), Why::ManualEnds, id);
            add(device.max_on_deadline(), Why::OnTooLong, id);
            for claim in &device.claims {
                add(claim.until, Why::ClaimEnds, id);
                add(self.curve_waits_until(claim), Why::CurveWaited, id);
                let followed = claim
                    .following
                    .as_ref()
                    .and_then(|f| f.curve.setpoint.as_ref());
                let step = followed.and_then(|setpoint| self.next_step(setpoint));
                add(step, Why::CurveWaited, id);
            }
            for at in self.limit_deadlines(id) {
                add(Some(at), Why::LimitEnds, id);
            }
            for (at, _) in &device.pulses {
                add(Some(at + PULSE_WINDOW_MS), Why::PulseIsForgotten, id);
            }
        }
        self.moments_of_alerts(&mut add);
    }

    fn moments_of_alerts(&self, add: &mut impl FnMut(Option<i64>, Why, &str)) {
        for (id, alert) in &self.alerts {
            let length = if alert.raised {
                alert.doc.clear_ms
            } else {
                alert.doc.hold_ms
            };
            add(
                alert.hold.map(|h| h.start + length),
                Why::HoldIsOldEnough,
                id,
            );
            add(alert.next, Why::AlertRepeats, id);
            let Some(tree) = alert.doc.only_if.as_ref().filter(|_| alert.doc.is_active) else {
                continue;
            };
            for at in self.branch_deadlines(tree, 0, &alert.branches, true) {
                add(Some(at), Why::HoldIsOldEnough, id);
            }
            add(self.boundary(tree), Why::TimeChanges, id);
            for target in alert
                .doc
                .signals_of_only_if()
                .filter_map(|c| c.target.as_ref())
            {
                add(self.next_step(&target.setpoint), Why::SetpointSteps, id);
            }
        }
    }
}
