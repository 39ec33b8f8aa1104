//! Curves (section 16): claims whose setting follows a signal.

#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::document::{
    self, Action, Condition, Malformed, Place, Setting, list, malformed, micros, setting_value,
    text,
};
use crate::mutation::Mutation;
use crate::number::nearest;
use crate::program::{given, ranged};
use crate::state::{Claim, Model};

const MOST_POINTS: usize = 16;
/// In millionths.
const MOST_DEAD_BAND: i64 = 1_000_000 * 1_000_000;
const UNIT: i64 = 1_000_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Curve {
    /// Which sensors it follows; compared with nothing.
    pub(crate) signal: Condition,
    pub(crate) setpoint: Option<String>,
    /// In millionths, as all that follows.
    pub(crate) points: Vec<(i64, i64)>,
    pub(crate) dead_band: i64,
    step: i64,
    least_ms: i64,
}

/// How a claim follows its curve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Following {
    pub(crate) curve: Curve,
    /// The command's own setting.
    own: Setting,
    pub(crate) reference: Option<i64>,
    /// When its setting changed last.
    changed: i64,
}

/// What a curve follows, exactly.
#[derive(Debug, Clone, Copy)]
struct X {
    sum: i128,
    count: i128,
}

impl X {
    fn rounded(self) -> i64 {
        nearest(self.sum, self.count)
    }
}

impl Curve {
    /// The command's value at x.
    fn y_of(&self, x: i64, mutation: Option<Mutation>) -> i64 {
        let (first, last) = (self.points[0], self.points[self.points.len() - 1]);
        let y = match self.points.windows(2).find(|p| p[0].0 <= x && x < p[1].0) {
            Some(&[(x1, y1), (x2, y2)]) => {
                let [x, x1, y1, x2, y2] = [x, x1, y1, x2, y2].map(i128::from);
                nearest(y1 * (x2 - x1) + (y2 - y1) * (x - x1), x2 - x1)
            }
            _ if x < first.0 => first.1,
            _ => last.1,
        };
        let ys = || self.points.iter().map(|p| p.1);
        let (least, most) = (ys().min().unwrap_or(y), ys().max().unwrap_or(y));
        let stepped = |y: i64| nearest(y.into(), self.step.into()) * self.step;
        match mutation {
            Some(Mutation::StepAfterTheRange) => stepped(y.clamp(least, most)),
            _ => stepped(y).clamp(least, most),
        }
    }
}

impl Model {
    /// An action with its curve.
    pub(crate) fn action(&self, doc: &Value, place: &Place) -> Result<Action, Malformed> {
        let mut action = document::action(doc)?;
        if let Some(curve) = given(doc, "curve") {
            action.curve = Some(self.curve(curve, &action.action, place)?);
        }
        Ok(action)
    }

    fn curve(&self, doc: &Value, action: &str, place: &Place) -> Result<Curve, Malformed> {
        let (step, steps) = match action {
            "set_speed" | "set_position" => (UNIT, UNIT..=100 * UNIT),
            "set_flow_rate" => (UNIT / 10, UNIT / 10..=10 * UNIT),
            _ => return malformed(format!("a curve of {action}")),
        };
        let number = |field: &str, default: i64| match given(doc, field) {
            None => Ok(default),
            Some(value) => micros(value).ok_or_else(|| Malformed(format!("{field} of {doc}"))),
        };
        let point = |point: &Value| match point.as_array().map(Vec::as_slice) {
            Some([x, y]) => {
                let y = micros(y).filter(|y| setting_value(action, Some(*y), "").is_ok());
                micros(x).zip(y)
            }
            _ => None,
        };
        let points: Option<Vec<(i64, i64)>> = list(doc, "points").iter().map(point).collect();
        let are_right = |points: &Vec<(i64, i64)>| {
            (2..=MOST_POINTS).contains(&points.len()) && points.is_sorted_by(|a, b| a.0 < b.0)
        };
        let Some(points) = points.filter(are_right) else {
            return malformed(format!("points of {doc}"));
        };
        let curve = Curve {
            signal: Condition {
                kind: text(doc, "sensor_type")?.into(),
                operator: "gt".into(),
                value: 0,
                value_max: None,
                target: None,
                place: self.place_or(&doc["scope"], place)?,
            },
            setpoint: match given(doc, "setpoint") {
                None => None,
                Some(_) => Some(text(doc, "setpoint")?.into()),
            },
            points,
            dead_band: number("dead_band", 0)?,
            step: number("step", step)?,
            least_ms: ranged(doc, "least_sec", Some(60), (0, 3_600))? * 1_000,
        };
        if !(0..=MOST_DEAD_BAND).contains(&curve.dead_band) || !steps.contains(&curve.step) {
            return malformed(format!("dead_band or step of {doc}"));
        }
        Ok(curve)
    }

    /// What a curve follows, as it is now; none is UNKNOWN.
    fn x_of(&self, curve: &Curve) -> Option<X> {
        let values = self.values_of(&curve.signal);
        let sum: i128 = values.iter().map(|(_, v)| i128::from(*v)).sum();
        let count = i128::try_from(values.len()).ok().filter(|n| *n > 0)?;
        let target = match &curve.setpoint {
            Some(_) if self.mutation == Some(Mutation::CurveForgetsSetpoint) => 0,
            Some(id) => self.setpoint_value(id, self.now)?,
            None => 0,
        };
        Some(X {
            sum: sum - i128::from(target) * count,
            count,
        })
    }

    /// The setting of a claim whose action acts now, and how it goes on from there.
    pub(crate) fn begin_to_follow(
        &self,
        action: &Action,
        own: Setting,
    ) -> (Setting, Option<Following>) {
        let Some(curve) = action.curve.clone() else {
            return (own, None);
        };
        let reference = self.x_of(&curve).map(X::rounded);
        let following = Following {
            reference,
            changed: self.now,
            own,
            curve,
        };
        let setting = following.setting(reference, self.mutation);
        (setting, Some(following))
    }

    /// Looks at every claim with a curve.
    pub(crate) fn follow_curves(&mut self) {
        for id in self.device_ids() {
            for n in 0..self.devices[&id].claims.len() {
                if let Some(next) = self.followed(&self.devices[&id].claims[n]) {
                    let is_other = next.setting != self.devices[&id].claims[n].setting;
                    self.device_mut(&id).claims[n] = next;
                    if is_other {
                        self.touch(&id);
                    }
                }
            }
        }
    }

    /// The claim after a look at its curve, if that changes it.
    fn followed(&self, claim: &Claim) -> Option<Claim> {
        let following = claim.following.as_ref()?;
        let x = self.x_of(&following.curve);
        let (knew, least) = (following.reference.is_some(), following.curve.least_ms);
        let is_soon = self.now < following.changed + least;
        let waits_always = self.mutation == Some(Mutation::UnknownWaits) && is_soon;
        let mut next = claim.clone();
        let following_next = next.following.as_mut()?;
        following_next.reference = x.map(X::rounded);
        match x {
            None if !knew || waits_always => return None,
            None if self.mutation == Some(Mutation::UnknownKeepsTheSetting) => return Some(next),
            Some(_) if !knew && waits_always => return None,
            None => following_next.changed = self.now,
            Some(_) if !knew => following_next.changed = self.now,
            Some(x) => {
                if !self.has_left(following, x) {
                    if self.mutation == Some(Mutation::ReferenceDrifts) {
                        return Some(next);
                    }
                    return None;
                }
                if is_soon {
                    return None;
                }
            }
        }
        next.setting = following_next.setting(following_next.reference, self.mutation);
        let counts_all = self.mutation == Some(Mutation::LeastTimeFromTheReference);
        if next.setting != claim.setting || counts_all {
            following_next.changed = self.now;
        }
        Some(next)
    }

    /// Whether x is outside of the dead band about the reference.
    fn has_left(&self, following: &Following, x: X) -> bool {
        let Some(reference) = following.reference else {
            return false;
        };
        let by = (x.sum - i128::from(reference) * x.count).abs();
        let most = i128::from(following.curve.dead_band.max(1)) * x.count;
        by > most || by == most && self.mutation == Some(Mutation::DeadBandIsOpen)
    }

    /// When a claim that waits is looked at.
    pub(crate) fn curve_waits_until(&self, claim: &Claim) -> Option<i64> {
        let following = claim.following.as_ref()?;
        let x = self.x_of(&following.curve)?;
        let at = following.changed + following.curve.least_ms;
        (self.has_left(following, x) && at > self.now).then_some(at)
    }
}

impl Following {
    /// The setting at a reference.
    fn setting(&self, reference: Option<i64>, mutation: Option<Mutation>) -> Setting {
        match reference {
            None => self.own.clone(),
            Some(x) => Setting {
                action: self.own.action.clone(),
                value: Some(self.curve.y_of(x, mutation)),
            },
        }
    }
}
