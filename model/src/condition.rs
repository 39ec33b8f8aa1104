//! Truth, signals and conditions, worked out from the list of sensors each time.

use crate::document::{Condition, Place};
use crate::mutation::Mutation;
use crate::state::{Hold, Model};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Truth {
    True,
    False,
    Unknown,
}

impl Truth {
    pub(crate) fn of(is_true: bool) -> Self {
        if is_true { Self::True } else { Self::False }
    }

    pub(crate) fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
        }
    }

    pub(crate) fn all(of: &[Self]) -> Self {
        if of.contains(&Self::False) {
            Self::False
        } else if of.contains(&Self::Unknown) {
            Self::Unknown
        } else {
            Self::True
        }
    }

    pub(crate) fn any(of: &[Self]) -> Self {
        Self::all(&of.iter().map(|t| t.not()).collect::<Vec<_>>()).not()
    }
}

impl Model {
    /// Whether a place lies in a scope or is it.
    pub(crate) fn lies_in(&self, place: &Place, scope: &Place) -> bool {
        match (scope, place) {
            (Place::Farm, _) => true,
            (Place::Polyhouse(house), Place::Zone(zone)) => self
                .polyhouses
                .iter()
                .any(|p| p.id == *house && p.zones.contains(zone)),
            _ => place == scope,
        }
    }

    fn sensors_in(&self, kind: &str, scope: &Place) -> Vec<String> {
        let here = |place: &Place| match self.mutation {
            Some(Mutation::MeanOfTheScopeOnly) => place == scope || *scope == Place::Farm,
            _ => self.lies_in(place, scope),
        };
        let found = self
            .sensors
            .values()
            .filter(|s| s.doc.kind == kind && here(&s.doc.place));
        found.map(|s| s.doc.id.clone()).collect()
    }

    /// The sensors that a condition resolves to: those of its scope, else of the nearest enclosing one that has any.
    pub(crate) fn sensors_of(&self, condition: &Condition) -> Vec<String> {
        let mut scope = condition.place.clone();
        loop {
            let sensors = self.sensors_in(&condition.kind, &scope);
            if !sensors.is_empty() {
                return sensors;
            }
            scope = match &scope {
                Place::Zone(zone) => {
                    match self.polyhouses.iter().find(|p| p.zones.contains(zone)) {
                        Some(house) => Place::Polyhouse(house.id.clone()),
                        None => return Vec::new(),
                    }
                }
                Place::Polyhouse(_) => Place::Farm,
                Place::Farm => return Vec::new(),
            };
        }
    }

    pub(crate) fn truth(&self, condition: &Condition) -> Truth {
        let values = self.values_of(condition);
        let Some(target) = &condition.target else {
            return self.truth_of(condition, &values);
        };
        let offset = match self.mutation {
            Some(Mutation::OffsetIsForgotten) => 0,
            _ => target.offset,
        };
        match self.setpoint_value(&target.setpoint, self.now) {
            None => Truth::Unknown,
            Some(value) => {
                let value = value + offset;
                let now = Condition {
                    value,
                    ..condition.clone()
                };
                self.truth_of(&now, &values)
            }
        }
    }

    /// The fresh values of the sensors that a condition resolves to.
    pub(crate) fn values_of(&self, condition: &Condition) -> Vec<(String, i64)> {
        let sensors = self.sensors_of(condition).into_iter();
        let fresh = sensors.filter_map(|id| self.sensors[&id].value.map(|(v, _)| (id, v)));
        fresh.collect()
    }

    /// The condition compared with the mean of these values.
    pub(crate) fn truth_of(&self, condition: &Condition, values: &[(String, i64)]) -> Truth {
        let (sum, count) = values
            .iter()
            .fold((0_i128, 0_i128), |(sum, count), (_, v)| {
                (sum + i128::from(*v), count + 1)
            });
        if count == 0 {
            return Truth::Unknown;
        }
        let threshold = i128::from(condition.value) * count;
        let holds = match condition.operator.as_str() {
            "gt" => sum > threshold,
            "gte" => sum >= threshold,
            "lt" => sum < threshold,
            "lte" => sum <= threshold,
            "eq" if self.mutation == Some(Mutation::EqIncludesItsEdge) => {
                (sum - threshold).abs() <= 50_000 * count
            }
            "eq" => (sum - threshold).abs() < 50_000 * count,
            _ => {
                let max = i128::from(condition.value_max.unwrap_or(condition.value)) * count;
                threshold <= sum && sum <= max
            }
        };
        if holds { Truth::True } else { Truth::False }
    }
}

impl Model {
    /// A hold after its condition was looked at again; `is_sample` says whether a reading of its own caused that.
    pub(crate) fn held(&self, hold: Option<Hold>, truth: Truth, is_sample: bool) -> Option<Hold> {
        if truth != Truth::True {
            return None;
        }
        let mut hold = hold.unwrap_or(Hold {
            start: self.now,
            samples: 0,
        });
        hold.samples += i64::from(is_sample);
        Some(hold)
    }

    /// `needs` says whether what is held has a signal, and so needs samples.
    pub(crate) fn has_samples(&self, hold: Hold, length_ms: i64, needs: bool) -> bool {
        let is_lenient = self.mutation == Some(Mutation::HoldWithoutSamplesCompletes);
        length_ms == 0 || !needs || hold.samples >= self.min_samples || is_lenient
    }

    pub(crate) fn is_complete(&self, hold: Option<Hold>, length_ms: i64, needs: bool) -> bool {
        let has_samples = |h| self.has_samples(h, length_ms, needs);
        hold.is_some_and(|h| h.start + length_ms <= self.now && has_samples(h))
    }

    /// When a timer completes the hold; none while samples are missing.
    pub(crate) fn hold_deadline(
        &self,
        hold: Option<Hold>,
        length_ms: i64,
        needs: bool,
    ) -> Option<i64> {
        hold.filter(|h| self.has_samples(*h, length_ms, needs))
            .map(|h| h.start + length_ms)
    }
}
