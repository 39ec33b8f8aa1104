//! Which signals of which places the devices of a farm may show in.

use std::collections::BTreeMap;

use harit_effects::{Expected, Kind, WINDOW_MIN, expected};
use harit_engine::{DeviceId, DeviceSpec, Engine, SensorId, SensorSpec, SensorType};

use crate::records::EffectSetting;

/// A signal in which a device may show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signal {
    pub(crate) expected: Expected,
    pub(crate) sensors: Vec<SensorId>,
    /// The devices that may hide it there, by their places in the plan.
    pub(crate) others: Vec<usize>,
}

/// A device of which something is expected.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) id: DeviceId,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) signals: Vec<Signal>,
    pub(crate) is_off: bool,
}

/// All of a farm.
pub(crate) type Plan = Vec<Planned>;

/// What is in the tank or the pipe is measured by the box that moves it.
const fn is_of_water(signal: SensorType) -> bool {
    matches!(
        signal,
        SensorType::Flow
            | SensorType::LinePressure
            | SensorType::ReservoirLevel
            | SensorType::Ph
            | SensorType::Ec
            | SensorType::Power
    )
}

/// The sensors of a quantity by which a device is judged: for water those of its own controller, else those of the nearest place
/// that has some, as conditions see them.
fn sensors(
    engine: &Engine,
    all: &[SensorSpec],
    device: &DeviceSpec,
    of: SensorType,
) -> Vec<SensorId> {
    let own = |s: &&SensorSpec| s.sensor_type == of && s.controller == device.controller;
    if is_of_water(of) && device.controller.is_some() {
        let own: Vec<_> = all.iter().filter(own).map(|s| s.id.clone()).collect();
        if !own.is_empty() {
            return own;
        }
    }
    let seen = engine.sensors_seen(&device.scope, of).into_iter();
    seen.map(|s| s.id).collect()
}

/// What is expected of a farm's devices, as far as something measures it.
pub(crate) fn plan(engine: &Engine, settings: &BTreeMap<String, EffectSetting>) -> Plan {
    let all: Vec<SensorSpec> = engine.sensors().map(|s| s.spec).collect();
    let mut plan: Plan = engine
        .devices()
        .map(|d| planned(engine, &all, &d.spec, settings.get(d.spec.id.as_str())))
        .filter(|p| !p.kinds.is_empty())
        .collect();
    let shown: Vec<(Vec<Kind>, Vec<Signal>)> = plan
        .iter()
        .map(|p| (p.kinds.clone(), p.signals.clone()))
        .collect();
    for (at, planned) in plan.iter_mut().enumerate() {
        for signal in &mut planned.signals {
            let hides = |(i, (kinds, signals)): (usize, &(Vec<Kind>, Vec<Signal>))| {
                let kind = kinds.iter().any(|k| k.hides(signal.expected.kind));
                let there = |s: &Signal| {
                    s.expected.signal == signal.expected.signal && s.sensors == signal.sensors
                };
                (i != at && kind && signals.iter().any(there)).then_some(i)
            };
            signal.others = shown.iter().enumerate().filter_map(hides).collect();
        }
    }
    plan
}

fn planned(
    engine: &Engine,
    all: &[SensorSpec],
    device: &DeviceSpec,
    setting: Option<&EffectSetting>,
) -> Planned {
    let chosen = setting.and_then(|s| Kind::parse(s.kind.as_deref()?));
    let kinds = chosen.map_or_else(|| Kind::of(device.device_type).to_vec(), |k| vec![k]);
    let sensor = setting.and_then(|s| s.sensor_id.as_deref());
    let sensor = sensor.and_then(|id| all.iter().find(|s| s.id.as_str() == id));
    let window = setting.and_then(|s| s.window_min);
    let rows = kinds.iter().flat_map(|kind| expected(*kind));
    let signals = rows.filter_map(|row| {
        let sensors = match sensor {
            Some(s) if s.sensor_type != row.signal => return None,
            Some(s) => vec![s.id.clone()],
            None => sensors(engine, all, device, row.signal),
        };
        let expected = window.map_or(*row, |window_min| Expected {
            delay_min: row.delay_min.min(window_min),
            window_min,
            ..*row
        });
        (!sensors.is_empty()).then_some(Signal {
            expected,
            sensors,
            others: Vec::new(),
        })
    });
    Planned {
        id: device.id.clone(),
        signals: signals.collect(),
        kinds,
        is_off: setting.is_some_and(|s| s.is_off),
    }
}

/// The field of a setting that cannot be, if one cannot.
pub(crate) fn setting_problem(
    engine: &Engine,
    device: &DeviceSpec,
    setting: &EffectSetting,
) -> Option<&'static str> {
    let kind = setting.kind.as_deref().map(Kind::parse);
    if kind == Some(None) {
        return Some("kind");
    }
    let kinds = match kind.flatten() {
        Some(kind) => vec![kind],
        None => Kind::of(device.device_type).to_vec(),
    };
    if let Some(id) = setting.sensor_id.as_deref() {
        let sensor = engine.sensors().find(|s| s.spec.id.as_str() == id);
        let shows = |of: SensorType| kinds.iter().any(|k| expected(*k).any(|r| r.signal == of));
        if !sensor.is_some_and(|s| shows(s.spec.sensor_type)) {
            return Some("sensor_id");
        }
    }
    let minutes = setting.window_min;
    minutes
        .is_some_and(|m| !WINDOW_MIN.contains(&m))
        .then_some("window_min")
}
