//! The twin of a farm's houses: what a trial's readings would have been, had devices done what the tried rules wanted.
//!
//! It is a model of the *difference* alone. `d` is by how much a signal of a place would have been another than it was:
//! `d' = -(a + sum v_k c_k) d + sum (v_k - u_k) g_k(x)`, with `u_k` how far a device was on, `v_k` how far it would have been, and
//! what [`fit`] found in the past before the span. While devices do the same `d` is zero, to the bit, whatever the weather did. It
//! decides nothing on a farm: what is told to the engine of a trial is the reading and `d`, in whole micro-units.

mod fit;
mod learn;
mod least;
mod running;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use harit_effects::{Kind, expected};
use harit_engine::{
    DeviceId, DeviceType, Duration, Engine, Event, Measured, Quantity, ScopeSpec, SensorId,
    SensorType, Timestamp,
};

pub use fit::Unknown;

use self::fit::{Effect, Fit, LEAST_MIN, Prior, fit, held_out};
use self::learn::{Learner, is_light, is_moved};
use self::running::{Running, millis};
use super::backtest::{Backtest, Edit, Feedback, has_part};
use super::{Log, PastError, Stop};

/// From how far back before a span is learned.
pub const LEARN: Duration = Duration::from_secs(14 * 86_400);
/// The most places that a trial has models of, a signal each.
pub const MAX_MODELS: usize = 64;
/// The most groups of devices of a model.
const MAX_GROUPS: usize = 10;

/// What the houses of a trial do, and how well that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct TwinReport {
    /// From when on it was learned.
    pub from: Timestamp,
    /// Until when.
    pub to: Timestamp,
    /// The signals of the places in which the tried rules switch something.
    pub places: Vec<PlaceTwin>,
}

/// A signal of a place.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaceTwin {
    /// The place.
    pub place: ScopeSpec,
    /// What is measured.
    pub sensor_type: SensorType,
    /// Why the readings of it stay as they were; none where they follow.
    pub refused: Option<Refused>,
    /// In how many minutes a difference shrinks to a third (to 1/e) while no device runs.
    pub time_constant_min: Option<f64>,
    /// By how much it is off an hour ahead, as the root of the mean square, in the last third of what was learned.
    pub error: Option<f64>,
    /// By how much "it stays as it is" is.
    pub baseline: Option<f64>,
    /// What devices do.
    pub effects: Vec<DeviceEffect>,
    /// The devices of which that is not known, and why.
    pub unknown: Vec<(DeviceId, Unknown)>,
    /// The lowest and the highest reading that there was, and that there would have been; none of a signal that did not change.
    pub extremes: Option<[(Quantity, Quantity); 2]>,
}

/// What devices that run together do to a signal.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceEffect {
    /// The devices; of several it is known only what they do together.
    pub devices: Vec<DeviceId>,
    /// Of an hour at full, in the signal's unit, where they usually run.
    pub per_hour: f64,
    /// The standard error of that.
    pub error: f64,
}

/// Why the readings of a place stay as they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The past before the span has less than a day of it.
    TooLittlePast,
    /// Of none of its devices it is known what it does.
    NoDevice,
    /// An hour ahead it is no nearer than "it stays as it is", or than a model that knows no device.
    NotBetter,
}

/// Tries rules over a span of a farm's log as [`super::backtest`] does, with a twin that was fitted to what the log has before the
/// span, from where it is on.
///
/// # Errors
/// As [`super::backtest`].
pub fn backtest_with_twin(
    log: &mut dyn Log,
    edits: &[Edit],
    (from, to): (Timestamp, Timestamp),
    stop: &Stop,
) -> Result<Backtest, PastError> {
    let since = from - LEARN;
    log.advance(since, stop, &mut |_, _| {})?;
    let mut learner = Learner::new(log.farm(), since, from);
    log.advance(from, stop, &mut |farm, heard| learner.hear(farm, heard))?;
    let twin = Twin::new(log.farm().engine(), edits, &learner);
    super::backtest::trial(log, edits, (from, to), stop, Some(twin))
}

/// Follows what was and what would have been.
pub(super) struct Twin {
    learned: (Timestamp, Timestamp),
    places: Vec<PlaceTwin>,
    models: Vec<Model>,
    of_sensor: BTreeMap<SensorId, usize>,
    of_device: BTreeMap<DeviceId, Switched>,
    /// What devices did, as far as its time has not come.
    coming: VecDeque<(Timestamp, DeviceId, Running)>,
}

/// What a device does in both worlds, and in which models it has a part.
#[derive(Default)]
struct Switched {
    was: Running,
    would: Running,
    /// The last that it was told.
    told: Running,
    models: Vec<usize>,
}

/// A signal of a place that moves.
struct Model {
    /// Which of the places.
    place: usize,
    rate: f64,
    effects: Vec<(Vec<DeviceId>, Effect)>,
    at: Timestamp,
    /// The last reading.
    signal: Option<f64>,
    difference: f64,
    extremes: Option<[(Quantity, Quantity); 2]>,
}

impl Twin {
    fn new(engine: &Engine, edits: &[Edit], learner: &Learner) -> Self {
        let learned = learner.span();
        let mut twin = Self {
            learned,
            places: Vec::new(),
            models: Vec::new(),
            of_sensor: BTreeMap::new(),
            of_device: BTreeMap::new(),
            coming: VecDeque::new(),
        };
        for (place, sensor_type, sensors) in signals(engine, edits) {
            let (found, fit) = learn(engine, learner, &place, sensor_type, &sensors);
            twin.places.push(found);
            if let Some((fit, groups)) = fit {
                twin.model(engine, (fit, groups), sensors, learned.1);
            }
        }
        twin
    }

    /// Adds the model of the last place.
    fn model(
        &mut self,
        engine: &Engine,
        (fit, groups): (Fit, Vec<Vec<DeviceId>>),
        sensors: Vec<SensorId>,
        at: Timestamp,
    ) {
        let own = self.models.len();
        let known = groups.into_iter().zip(fit.effects);
        let effects: Vec<_> = known.filter_map(|(ids, e)| Some((ids, e.ok()?))).collect();
        for id in effects.iter().flat_map(|(ids, _)| ids) {
            let switched = self.of_device.entry(id.clone()).or_insert_with(|| {
                let device = engine.device(id.as_str());
                let running = device.as_ref().map_or_else(Running::default, Running::of);
                Switched {
                    was: running,
                    would: running,
                    told: running,
                    models: Vec::new(),
                }
            });
            switched.models.push(own);
        }
        self.of_sensor.extend(sensors.into_iter().map(|s| (s, own)));
        self.models.push(Model {
            place: self.places.len() - 1,
            rate: fit.rate,
            effects,
            at,
            signal: None,
            difference: 0.0,
            extremes: None,
        });
    }

    /// What devices were told: it counts when its time comes, as what they would have been told does.
    pub(super) fn was(&mut self, events: &[Event]) {
        for event in events {
            let device = Running::device(event);
            let Some((id, switched)) = device.and_then(|d| Some((d, self.of_device.get_mut(d)?)))
            else {
                continue;
            };
            if let Some(next) = switched.told.after(event) {
                switched.told = next;
                self.coming.push_back((event.at, id.clone(), next));
            }
        }
    }

    /// What devices would have been told.
    pub(super) fn would(&mut self, events: &[Event]) {
        for event in events {
            let switched = Running::device(event).and_then(|d| Some((d, self.of_device.get(d)?)));
            let Some((device, next)) = switched.and_then(|(d, s)| Some((d, s.would.after(event)?)))
            else {
                continue;
            };
            self.catch_up(event.at);
            self.switch(device, event.at, |s| s.would = next);
        }
    }

    /// Has devices do what they did up to an instant.
    fn catch_up(&mut self, to: Timestamp) {
        while let Some((at, device, next)) = self.coming.pop_front_if(|(at, ..)| *at <= to) {
            self.switch(&device, at, |s| s.was = next);
        }
    }

    fn switch(&mut self, device: &DeviceId, at: Timestamp, change: impl FnOnce(&mut Switched)) {
        let own = self.of_device.get(device).map(|s| s.models.clone());
        for model in own.unwrap_or_default() {
            self.models[model].advance(at, &self.of_device);
        }
        if let Some(switched) = self.of_device.get_mut(device) {
            change(switched);
        }
    }

    /// The reading that there would have been instead; none where it is the same.
    pub(super) fn moved(
        &mut self,
        sensor: &SensorId,
        at: Timestamp,
        value: Measured,
    ) -> Option<Measured> {
        let Measured::Value(value) = value else {
            return None;
        };
        self.catch_up(at);
        let Self {
            models,
            of_sensor,
            of_device,
            places,
            ..
        } = self;
        let model = &mut models[*of_sensor.get(sensor)?];
        let was = value.rounded();
        let sensor_type = places[model.place].sensor_type;
        let (least, most) = sensor_type.plausible_range();
        if !value.within(least, most) {
            return None;
        }
        model.advance(at, of_device);
        model.signal = Some(was.to_f64());
        let more = Quantity::from_f64(model.difference).unwrap_or_default();
        let (least, most) = (Quantity::from_units(least), Quantity::from_units(most));
        let would = was.as_micro().saturating_add(more.as_micro());
        let would = Quantity::from_micro(would).clamp(least, most);
        model.seen(was, would);
        (would != was).then(|| Measured::exact(would))
    }

    /// What is said of it, and what of the feedback the readings do follow by now.
    pub(super) fn end(mut self, engine: &Engine, feedback: &mut Vec<Feedback>) -> TwinReport {
        for model in &self.models {
            self.places[model.place].extremes = model.extremes;
        }
        feedback.retain(|f| !self.follows(engine, f));
        TwinReport {
            from: self.learned.0,
            to: self.learned.1,
            places: self.places,
        }
    }

    /// Whether all sensors of that type that the device can move do move with it.
    fn follows(&self, engine: &Engine, of: &Feedback) -> bool {
        let Some((sensor_type, device)) = of.sensor_type.zip(engine.device(of.device.as_str()))
        else {
            return false;
        };
        let near = |s: &harit_engine::SensorStatus| {
            s.spec.sensor_type == sensor_type && engine.overlap(&s.spec.scope, &device.spec.scope)
        };
        let moves = |s: harit_engine::SensorStatus| {
            let model = self.of_sensor.get(&s.spec.id);
            model.is_some_and(|m| {
                let mut known = self.models[*m].effects.iter().flat_map(|(ids, _)| ids);
                known.any(|id| *id == of.device)
            })
        };
        engine.sensors().filter(near).all(moves)
    }
}

impl Model {
    /// Moves the difference on to an instant.
    fn advance(&mut self, to: Timestamp, devices: &BTreeMap<DeviceId, Switched>) {
        let lasted = (to - self.at).as_millis();
        if lasted <= 0 {
            return;
        }
        let hours = millis(lasted) / 3_600_000.0;
        let minute = self.at.as_millis().div_euclid(60_000);
        let (mut rate, mut push) = (self.rate, 0.0);
        for (ids, effect) in &self.effects {
            let (mut was, mut would) = (0.0, 0.0);
            for switched in ids.iter().filter_map(|id| devices.get(id)) {
                was += switched.was.over(self.at, to);
                would += switched.would.over(self.at, to);
            }
            #[allow(clippy::cast_precision_loss, reason = "a few devices")]
            let of = ids.len().max(1) as f64;
            rate += would / of * effect.quickens();
            let there = self
                .signal
                .map_or(effect.per_hour, |x| effect.at(x, minute));
            push += (would - was) / of * there;
        }
        let end = push / rate;
        self.difference = end + (self.difference - end) * (-rate * hours).exp();
        self.at = to;
    }

    fn seen(&mut self, was: Quantity, would: Quantity) {
        let widen = |(low, high): (Quantity, Quantity), x: Quantity| (low.min(x), high.max(x));
        let now = self.extremes.unwrap_or([(was, was), (would, would)]);
        self.extremes = Some([widen(now[0], was), widen(now[1], would)]);
    }
}

/// The signals of the places in which the tried rules switch something, with their sensors, by place and type.
fn signals(engine: &Engine, edits: &[Edit]) -> Vec<(ScopeSpec, SensorType, Vec<SensorId>)> {
    let mut switched: BTreeSet<DeviceId> = BTreeSet::new();
    for edit in edits {
        let now = engine.rule(edit.id().as_str()).map(|r| r.spec);
        let put = match edit {
            Edit::Put(spec) => Some((**spec).clone()),
            Edit::Delete(_) => None,
        };
        let actions = now.into_iter().chain(put).flat_map(|spec| spec.actions);
        switched.extend(actions.map(|a| a.device_id));
    }
    let scopes: Vec<(DeviceType, ScopeSpec)> = { switched.iter() }
        .filter_map(|id| engine.device(id.as_str()))
        .map(|d| (d.spec.device_type, d.spec.scope))
        .collect();
    let mut found: Vec<(ScopeSpec, SensorType, Vec<SensorId>)> = Vec::new();
    for sensor in engine.sensors().map(|s| s.spec) {
        let near = |(device, scope): &(DeviceType, ScopeSpec)| {
            has_part(*device, sensor.sensor_type) && engine.overlap(&sensor.scope, scope)
        };
        let derived = harit_derived::is_sensor(sensor.id.as_str());
        if !is_moved(sensor.sensor_type) || derived || !scopes.iter().any(near) {
            continue;
        }
        let same = |(place, sensor_type, _): &&mut (ScopeSpec, SensorType, Vec<SensorId>)| {
            *sensor_type == sensor.sensor_type && is_same(place, &sensor.scope)
        };
        let room = found.len() < MAX_MODELS;
        match found.iter_mut().find(same) {
            Some((.., sensors)) => sensors.push(sensor.id),
            None if room => {
                found.push((sensor.scope, sensor.sensor_type, vec![sensor.id]));
            }
            None => {}
        }
    }
    found
}

/// Whether two scopes are the same place, whatever they are called.
fn is_same(one: &ScopeSpec, other: &ScopeSpec) -> bool {
    let same_zone = one.zone_id == other.zone_id;
    let by_zone = one.zone_id.is_some();
    one.kind == other.kind && same_zone && (by_zone || one.polyhouse_id == other.polyhouse_id)
}

/// What fits a place, with the groups of its devices.
type Fitted = (Fit, Vec<Vec<DeviceId>>);

/// Learns what a place does, and says how well that is known; the model only where it is offered.
fn learn(
    engine: &Engine,
    learner: &Learner,
    place: &ScopeSpec,
    sensor_type: SensorType,
    sensors: &[SensorId],
) -> (PlaceTwin, Option<Fitted>) {
    let mut found = PlaceTwin {
        place: place.clone(),
        sensor_type,
        refused: Some(Refused::TooLittlePast),
        time_constant_min: None,
        error: None,
        baseline: None,
        effects: Vec::new(),
        unknown: Vec::new(),
        extremes: None,
    };
    let near = engine
        .devices()
        .map(|d| d.spec)
        .filter(|d| has_part(d.device_type, sensor_type) && engine.overlap(place, &d.scope));
    let types: BTreeMap<DeviceId, DeviceType> = near.map(|d| (d.id, d.device_type)).collect();
    let ids: Vec<DeviceId> = types.keys().cloned().collect();
    let light = engine.sensors().map(|s| s.spec);
    let light = light.filter(|s| is_light(s.sensor_type) && engine.overlap(place, &s.scope));
    let light: Vec<SensorId> = light.map(|s| s.id).collect();
    let mut groups = learner.groups(&ids);
    // Those that ran the most; of the others nothing is known.
    groups.sort_by(|(_, a), (_, b)| b.iter().sum::<f64>().total_cmp(&a.iter().sum::<f64>()));
    let rest = groups.split_off(groups.len().min(MAX_GROUPS));
    let (groups, runs): (Vec<_>, Vec<_>) = groups.into_iter().unzip();
    let steps = learner.steps(sensors, &light, &runs);
    let priors: Vec<Prior> = groups
        .iter()
        .map(|ids| prior(ids, &types, sensor_type))
        .collect();
    if steps.iter().map(|s| s.minutes).sum::<i64>() < LEAST_MIN {
        return (found, None);
    }
    let Some((best, errors)) = fit(&steps, &priors).zip(held_out(&steps, &priors)) else {
        return (found, None);
    };
    found.time_constant_min = Some(60.0 / best.rate);
    (found.error, found.baseline) = (Some(errors.model), Some(errors.stays));
    for (ids, effect) in groups.iter().zip(&best.effects) {
        match effect {
            Ok(effect) => found.effects.push(DeviceEffect {
                devices: ids.clone(),
                per_hour: effect.per_hour,
                error: effect.error,
            }),
            Err(why) => found
                .unknown
                .extend(ids.iter().map(|id| (id.clone(), *why))),
        }
    }
    let rest = rest.into_iter().flat_map(|(ids, _)| ids);
    found.unknown.extend(rest.map(|id| (id, Unknown::NotSeen)));
    found.unknown.sort();
    found.refused = if found.effects.is_empty() {
        Some(Refused::NoDevice)
    } else if errors.model >= errors.stays.min(errors.without) {
        Some(Refused::NotBetter)
    } else {
        None
    };
    let offered = found.refused.is_none();
    (found, offered.then_some((best, groups)))
}

/// What is known of a group beforehand: by docs/effects.md's table, as far as its devices agree.
fn prior(ids: &[DeviceId], types: &BTreeMap<DeviceId, DeviceType>, signal: SensorType) -> Prior {
    let types: Vec<DeviceType> = ids.iter().filter_map(|id| types.get(id).copied()).collect();
    let rows = types
        .iter()
        .flat_map(|t| Kind::of(*t))
        .flat_map(|k| expected(*k));
    let mut ways: Vec<_> = rows
        .filter(|r| r.signal == signal)
        .map(|r| r.direction)
        .collect();
    ways.dedup();
    let of_air = |t: &DeviceType| {
        Kind::of(*t)
            .iter()
            .any(|k| matches!(k, Kind::Fan | Kind::Vent))
    };
    Prior {
        exchanges: types.iter().any(of_air),
        direction: ways.first().copied().filter(|_| ways.len() == 1),
    }
}
