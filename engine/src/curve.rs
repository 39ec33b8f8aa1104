//! Curves at work: claims whose setting follows a signal.
//!
//! A setting is the curve at a reference, and the reference moves when the signal has left the dead band around it. The two ends
//! of the dead band are a comparison like a rule's, so a reading within costs what a threshold costs that it does not cross.

use crate::compile::Watch;
use crate::document::CurveSpec;
use crate::engine::Engine;
use crate::id::SetpointId;
use crate::place::PlaceIx;
use crate::problem::Problems;
use crate::quantity::{Mean, Quantity};
use crate::setpoint::rounded;
use crate::setting::{Order, Setting};
use crate::signal::Owner;
use crate::state::State;
use crate::time::{Duration, Timestamp};
use crate::timer::Timer;
use crate::truth::Operator;

/// A curve, compiled: all numbers are micro-units.
#[derive(Debug, Clone)]
struct Curve {
    watch: Watch,
    setpoint: Option<SetpointId>,
    points: Box<[(i64, i64)]>,
    dead_band: i64,
    step: i64,
    least: Duration,
    action: Box<str>,
    /// While the signal is not known.
    otherwise: Setting,
}

/// A claim's curve, and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Follower {
    pub(crate) rule: u32,
    pub(crate) device: u32,
    /// The rule's action that it is of.
    pub(crate) action: u8,
    curve: Curve,
    /// What it has a look at: the ends of the dead band, or whether the signal is known at all.
    comparison: Option<u32>,
    ends: Option<(i64, i64)>,
    pub(crate) reference: Option<Quantity>,
    pub(crate) changed: Timestamp,
    /// When time alone has it looked at.
    due: Option<Timestamp>,
}

/// All that follow, by the number that their claims know.
#[derive(Debug, Clone, Default)]
pub(crate) struct Followers {
    all: Vec<Option<Follower>>,
}

impl Followers {
    pub(crate) fn get(&self, ix: u32) -> Option<&Follower> {
        self.all.get(ix as usize)?.as_ref()
    }

    fn get_mut(&mut self, ix: u32) -> Option<&mut Follower> {
        self.all.get_mut(ix as usize)?.as_mut()
    }

    fn put(&mut self, follower: Follower) -> u32 {
        let free = self.all.iter().position(Option::is_none);
        let at = free.unwrap_or_else(|| {
            self.all.push(None);
            self.all.len() - 1
        });
        self.all[at] = Some(follower);
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// Their numbers, ascending.
    pub(crate) fn indices(&self) -> Vec<u32> {
        let all = (0..).zip(&self.all);
        all.filter_map(|(ix, f)| f.as_ref().map(|_| ix)).collect()
    }

    /// All of them, to be looked at.
    pub(crate) fn owners(&self) -> impl Iterator<Item = Owner> {
        self.indices().into_iter().map(Owner::Curve)
    }

    /// When time alone has one looked at.
    pub(crate) fn due(&self, ix: u32) -> Option<Timestamp> {
        self.get(ix)?.due
    }

    /// There are no signals any more that were compared.
    pub(crate) fn forget_comparisons(&mut self) {
        for follower in self.all.iter_mut().flatten() {
            (follower.comparison, follower.ends) = (None, None);
        }
    }
}

impl Curve {
    /// The command's value at an input.
    fn value(&self, x: i64) -> Quantity {
        let points = &self.points;
        let at = points.partition_point(|(px, _)| *px <= x);
        let y = match (
            at.checked_sub(1).map(|i| points[i]),
            points.get(at).copied(),
        ) {
            (None, Some((_, y))) | (Some((_, y)), None) => y,
            (None, None) => 0,
            (Some((x1, y1)), Some((x2, y2))) => {
                let way = i128::from(y2 - y1) * i128::from(x - x1);
                rounded(i128::from(y1) * i128::from(x2 - x1) + way, (x2 - x1).into())
            }
        };
        let stepped = rounded(y.into(), self.step.into()) * self.step;
        let ys = || points.iter().map(|(_, y)| *y);
        let (least, most) = (ys().min().unwrap_or(0), ys().max().unwrap_or(0));
        Quantity::from_micro(stepped.clamp(least, most))
    }
}

/// What a curve sees: the mean of its signal, and what that is less of.
#[derive(Debug, Clone, Copy)]
struct Seen {
    mean: Mean,
    less: i64,
}

impl Seen {
    fn rounded(self) -> Quantity {
        let count = i128::from(self.mean.count);
        let sum = i128::from(self.mean.sum) - i128::from(self.less) * count;
        Quantity::from_micro(rounded(sum, count))
    }

    /// Whether it is further from a reference than a distance.
    fn is_beyond(self, reference: Quantity, distance: i64) -> bool {
        let count = i128::from(self.mean.count);
        let middle = i128::from(reference.as_micro() + self.less) * count;
        (i128::from(self.mean.sum) - middle).abs() > i128::from(distance) * count
    }
}

impl State {
    /// Resolves a curve's signal; what is wrong with it is a problem.
    pub(crate) fn watch_curve(
        &self,
        spec: &CurveSpec,
        place: PlaceIx,
        path: &str,
        problems: &mut Problems,
    ) -> Watch {
        if let Some(id) = &spec.setpoint {
            let path = format!("{path}.setpoint");
            self.check_setpoint(id, spec.sensor_type, &path, problems);
        }
        let scope = spec.scope.as_ref();
        self.watch_condition(spec.sensor_type, scope, place, path, problems)
    }

    fn compile_curve(&self, rule: u32, action: u8, otherwise: Setting) -> Option<Curve> {
        let rule = self.rule_spec(rule)?;
        let action = rule.actions.get(usize::from(action))?;
        let spec = action.curve.as_deref()?;
        let place = self.places.resolve(&self.farm, &rule.scope).ok()?;
        let mut none = Problems::default();
        let points = spec.points.iter();
        Some(Curve {
            watch: self.watch_curve(spec, place, "", &mut none),
            setpoint: spec.setpoint.clone(),
            points: points.map(|(x, y)| (x.as_micro(), y.as_micro())).collect(),
            // What is rounded lies half a micro-unit from what was rounded.
            dead_band: if planted!(CurveForgetsDeadBand) {
                1
            } else {
                spec.dead_band.as_micro().max(1)
            },
            step: spec.step.as_micro(),
            least: spec.least,
            action: action.command.action.as_str().into(),
            otherwise,
        })
    }

    fn seen_by(&self, curve: &Curve, now: Timestamp) -> Option<Seen> {
        let less = match &curve.setpoint {
            None => 0,
            Some(id) => self.setpoint_at(id, now)?.as_micro(),
        };
        let (place, sensor_type) = (curve.watch.place, curve.watch.sensor_type);
        let mean = self.signals.mean(self.signals.find(place, sensor_type)?)?;
        Some(Seen { mean, less })
    }

    fn setting_of(&self, follower: &Follower) -> Setting {
        let curve = &follower.curve;
        let value = follower.reference.map(|x| curve.value(x.as_micro()));
        let order = value.and_then(|y| Order::parse(&curve.action, Some(y)).ok());
        let device = self.devices.get(follower.device);
        let setting = order
            .zip(device)
            .and_then(|(o, d)| o.setting_for(d.spec.device_type));
        setting.unwrap_or(curve.otherwise)
    }

    /// Has a rule's claim follow its action's curve from now on; what it sets first.
    pub(crate) fn start_curve(
        &mut self,
        rule: u32,
        device: u32,
        action: u8,
        otherwise: Setting,
        now: Timestamp,
    ) -> Option<(u32, Setting)> {
        let curve = self.compile_curve(rule, action, otherwise)?;
        self.signal(curve.watch);
        let seen = self.seen_by(&curve, now);
        let follower = Follower {
            rule,
            device,
            action,
            curve,
            comparison: None,
            ends: None,
            reference: seen.map(Seen::rounded),
            changed: now,
            due: None,
        };
        let setting = self.setting_of(&follower);
        let ix = self.curves.put(follower);
        self.attend(ix, now);
        Some((ix, setting))
    }

    /// Has a claim go on where it stood.
    pub(crate) fn take_up_curve(
        &mut self,
        (rule, device, action): (u32, u32, u8),
        otherwise: Setting,
        reference: Option<Quantity>,
        changed: Timestamp,
    ) -> Option<u32> {
        let now = self.clock.unwrap_or(changed);
        let (ix, _) = self.start_curve(rule, device, action, otherwise, now)?;
        if let Some(follower) = self.curves.get_mut(ix) {
            (follower.reference, follower.changed) = (reference, changed);
        }
        self.attend(ix, now);
        Some(ix)
    }

    /// Where the command's value comes from while the signal is not known.
    pub(crate) fn curve_otherwise(&self, ix: u32) -> Option<Setting> {
        Some(self.curves.get(ix)?.curve.otherwise)
    }

    /// Looks at what a curve follows; what it sets now, if it has moved.
    fn look_at_curve(&mut self, ix: u32, now: Timestamp) -> Option<Setting> {
        let follower = self.curves.get(ix)?;
        let seen = self.seen_by(&follower.curve, now);
        let curve = &follower.curve;
        let may_change = now >= follower.changed + curve.least || planted!(CurveForgetsLeastTime);
        let reference = match (seen, follower.reference) {
            (None, None) => return None,
            (None, Some(_)) => None,
            (Some(seen), None) => Some(seen.rounded()),
            (Some(seen), Some(reference)) => {
                if !seen.is_beyond(reference, curve.dead_band) || !may_change {
                    return None;
                }
                Some(seen.rounded())
            }
        };
        let before = self.setting_of(follower);
        let follows_on = follower.reference.is_some() && reference.is_some();
        if let Some(follower) = self.curves.get_mut(ix) {
            follower.reference = reference;
        }
        let setting = self.setting_of(self.curves.get(ix)?);
        if (setting != before || !follows_on)
            && let Some(follower) = self.curves.get_mut(ix)
        {
            follower.changed = now;
        }
        Some(setting)
    }

    /// Sees to it that a curve is looked at when it has to be.
    fn attend(&mut self, ix: u32, now: Timestamp) {
        let Some(follower) = self.curves.get(ix) else {
            return;
        };
        let curve = &follower.curve;
        let seen = self.seen_by(curve, now);
        let middle = follower.reference.zip(seen);
        let ends = middle.map_or((0, 0), |(reference, seen)| {
            let middle = reference.as_micro() + seen.less;
            (middle - curve.dead_band, middle + curve.dead_band)
        });
        let waits =
            middle.is_some_and(|(reference, seen)| seen.is_beyond(reference, curve.dead_band));
        let setpoint = { curve.setpoint.as_ref() }
            .and_then(|id| crate::setpoint::find(&self.farm.settings.setpoints, id))
            .and_then(|setpoint| setpoint.next_change(&self.almanac, now));
        let waited = waits.then(|| follower.changed + curve.least);
        let due = waited.into_iter().chain(setpoint).min();
        let (watch, old) = (curve.watch, follower.comparison);
        let comparison = match old {
            Some(_) if follower.ends == Some(ends) => old,
            _ => {
                if let Some(old) = old {
                    self.signals.remove_comparison(old);
                }
                let [low, high] = [ends.0, ends.1].map(Quantity::from_micro);
                let signal = self.signals.find(watch.place, watch.sensor_type);
                let owner = Owner::Curve(ix);
                signal.map(|signal| {
                    let operator = Operator::Between;
                    { &mut self.signals }.add_comparison(
                        signal,
                        owner,
                        operator,
                        Some((low, Some(high))),
                    )
                })
            }
        };
        if let Some(follower) = self.curves.get_mut(ix) {
            (follower.comparison, follower.ends, follower.due) = (comparison, Some(ends), due);
        }
    }

    /// Resolves all curves anew, after the registry has changed.
    pub(crate) fn rebind_curves(&mut self) {
        for ix in self.curves.indices() {
            let Some(follower) = self.curves.get(ix) else {
                continue;
            };
            let otherwise = follower.curve.otherwise;
            let curve = self.compile_curve(follower.rule, follower.action, otherwise);
            if let Some((curve, follower)) = curve.zip(self.curves.get_mut(ix)) {
                let watch = curve.watch;
                follower.curve = curve;
                self.signal(watch);
            }
        }
    }

    /// Ends the curves of a device whose claims follow no more.
    pub(crate) fn release_curves(&mut self, device: u32) {
        for ix in self.curves.indices() {
            let Some(follower) = self.curves.get(ix).filter(|f| f.device == device) else {
                continue;
            };
            let claims = self.devices.get(device).map(|d| &d.claims);
            if claims.and_then(|c| c.curve_of(follower.rule)) == Some(ix) {
                continue;
            }
            if let Some(comparison) = follower.comparison {
                self.signals.remove_comparison(comparison);
            }
            self.curves.all[ix as usize] = None;
        }
    }

    /// Whether anything follows a curve.
    pub(crate) const fn has_curves(&self) -> bool {
        !self.curves.all.is_empty()
    }
}

impl Engine {
    /// Looks at a curve, and has its claim follow.
    pub(crate) fn follow_curve(&mut self, ix: u32, now: Timestamp) {
        let setting = self.state.look_at_curve(ix, now);
        self.state.attend(ix, now);
        self.watch_curve(ix);
        let Some((setting, follower)) = setting.zip(self.state.curves.get(ix)) else {
            return;
        };
        let (rule, device) = (follower.rule, follower.device);
        let Some(d) = self.state.devices.get_mut(device) else {
            return;
        };
        d.follow(rule, setting);
        if !std::mem::replace(&mut d.in_round, true) {
            self.devices_in_round.push(device);
        }
    }

    /// Keeps the instant at which a curve is looked at next.
    pub(crate) fn watch_curve(&mut self, ix: u32) {
        if let Some(due) = self.state.curves.due(ix) {
            self.timers.set(Timer::Curve, ix, due);
        }
    }

    /// Ends the curves of a device whose claims have changed, where there are any.
    pub(crate) fn release_curves(&mut self, device: u32) {
        if self.state.has_curves() {
            self.state.release_curves(device);
        }
    }
}
