//! Which signals of which places the devices of a farm may show in.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use harit_effects::{Expected, Kind, WINDOW_MIN, expected};
use harit_engine::{
    DeviceId, DeviceSpec, Engine, PolyhouseId, ScopeKind, SensorId, SensorSpec, SensorType, ZoneId,
};

use crate::records::EffectSetting;

/// So many others may hide a device in a signal. Where there are more, none is told from the others, and none is looked for.
const MOST_OTHERS: usize = 64;

/// A signal in which a device may show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signal {
    pub(crate) expected: Expected,
    pub(crate) sensors: Arc<[SensorId]>,
    /// The number of that list in the farm.
    list: usize,
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

/// What measures in a farm: lists of sensors, each found once for all devices of a place or a controller.
struct Measured<'e> {
    engine: &'e Engine,
    all: Vec<SensorSpec>,
    of_controllers: HashMap<(String, SensorType), usize>,
    of_places: HashMap<(ScopeKind, Option<PolyhouseId>, Option<ZoneId>, SensorType), usize>,
    lists: Vec<Arc<[SensorId]>>,
    numbers: HashMap<Arc<[SensorId]>, usize>,
}

impl<'e> Measured<'e> {
    fn of(engine: &'e Engine) -> Self {
        let all: Vec<SensorSpec> = engine.sensors().map(|s| s.spec).collect();
        let mut own: BTreeMap<(&str, SensorType), Vec<SensorId>> = BTreeMap::new();
        for sensor in all.iter().filter(|s| is_of_water(s.sensor_type)) {
            if let Some(controller) = &sensor.controller {
                let of = own.entry((controller, sensor.sensor_type)).or_default();
                of.push(sensor.id.clone());
            }
        }
        let own: Vec<_> = { own.into_iter() }
            .map(|((controller, of), list)| ((controller.to_owned(), of), list))
            .collect();
        let mut measured = Self {
            engine,
            all,
            of_controllers: HashMap::new(),
            of_places: HashMap::new(),
            lists: Vec::new(),
            numbers: HashMap::new(),
        };
        for (key, list) in own {
            let number = measured.number(list);
            measured.of_controllers.insert(key, number);
        }
        measured
    }

    /// The number of a list, the same for equal ones.
    fn number(&mut self, list: Vec<SensorId>) -> usize {
        let list: Arc<[SensorId]> = list.into();
        if let Some(number) = self.numbers.get(&list) {
            return *number;
        }
        let number = self.lists.len();
        self.lists.push(list.clone());
        self.numbers.insert(list, number);
        number
    }

    /// The sensors of a quantity by which a device is judged: for water those of its own controller, else those of the nearest place
    /// that has some, as conditions see them.
    fn by(&mut self, device: &DeviceSpec, of: SensorType) -> usize {
        if is_of_water(of)
            && let Some(controller) = &device.controller
            && let Some(own) = self.of_controllers.get(&(controller.clone(), of))
        {
            return *own;
        }
        let scope = &device.scope;
        let place = (
            scope.kind,
            scope.polyhouse_id.clone(),
            scope.zone_id.clone(),
            of,
        );
        if let Some(number) = self.of_places.get(&place) {
            return *number;
        }
        let seen = self.engine.sensors_seen(scope, of).into_iter();
        let number = self.number(seen.map(|s| s.id).collect());
        self.of_places.insert(place, number);
        number
    }

    fn planned(&mut self, device: &DeviceSpec, setting: Option<&EffectSetting>) -> Planned {
        let chosen = setting.and_then(|s| Kind::parse(s.kind.as_deref()?));
        let kinds = chosen.map_or_else(|| Kind::of(device.device_type).to_vec(), |k| vec![k]);
        let sensor = setting.and_then(|s| s.sensor_id.as_deref());
        let sensor = sensor.and_then(|id| self.all.iter().find(|s| s.id.as_str() == id));
        let sensor = sensor.map(|s| (s.id.clone(), s.sensor_type));
        let window = setting.and_then(|s| s.window_min);
        let mut signals = Vec::new();
        for row in kinds.iter().flat_map(|kind| expected(*kind)) {
            let list = match &sensor {
                Some((_, of)) if *of != row.signal => continue,
                Some((id, _)) => self.number(vec![id.clone()]),
                None => self.by(device, row.signal),
            };
            let sensors = self.lists[list].clone();
            if sensors.is_empty() {
                continue;
            }
            let expected = window.map_or(*row, |window_min| Expected {
                delay_min: row.delay_min.min(window_min),
                window_min,
                ..*row
            });
            signals.push(Signal {
                expected,
                list,
                sensors,
                others: Vec::new(),
            });
        }
        Planned {
            id: device.id.clone(),
            signals,
            kinds,
            is_off: setting.is_some_and(|s| s.is_off),
        }
    }
}

/// What is expected of a farm's devices, as far as something measures it. It costs what there is of devices and sensors, and not of their pairs.
pub(crate) fn plan(engine: &Engine, settings: &BTreeMap<String, EffectSetting>) -> Plan {
    let mut measured = Measured::of(engine);
    let mut plan = Plan::new();
    // Who shows where.
    let mut shown: HashMap<(SensorType, usize, Kind), BTreeSet<usize>> = HashMap::new();
    for device in engine.devices() {
        let setting = settings.get(device.spec.id.as_str());
        let planned = measured.planned(&device.spec, setting);
        if planned.kinds.is_empty() {
            continue;
        }
        for (signal, kind) in { planned.signals.iter() }
            .flat_map(|signal| planned.kinds.iter().map(move |kind| (signal, *kind)))
        {
            let there = (signal.expected.signal, signal.list, kind);
            shown.entry(there).or_default().insert(plan.len());
        }
        plan.push(planned);
    }
    for (at, planned) in plan.iter_mut().enumerate() {
        planned.signals.retain_mut(|signal| {
            let hides = Kind::ALL.iter().filter(|k| k.hides(signal.expected.kind));
            let there =
                hides.filter_map(|kind| shown.get(&(signal.expected.signal, signal.list, *kind)));
            // Of each kind so many that one too many is seen.
            let others = there.flat_map(|all| all.iter().take(MOST_OTHERS + 2));
            let others: BTreeSet<usize> = others.copied().filter(|other| *other != at).collect();
            signal.others = others.into_iter().collect();
            signal.others.len() <= MOST_OTHERS
        });
    }
    plan
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

#[cfg(test)]
mod tests {
    use harit_engine::FarmDocument;
    use serde_json::{Value, json};

    use super::*;

    /// A farm with a house, and so many controllers there, each with a fan and a thermometer.
    fn farm(controllers: usize) -> Engine {
        let scope = json!({"type": "polyhouse", "polyhouseId": "house"});
        let each = |of: fn(usize) -> Value| (0..controllers).map(of).collect::<Vec<_>>();
        let mut sensors = each(
            |n| json!({"id": format!("t{n}"), "type": "temperature", "controller": format!("c{n}")}),
        );
        let mut devices = each(
            |n| json!({"id": format!("fan{n}"), "type": "fan", "controller": format!("c{n}")}),
        );
        for thing in sensors.iter_mut().chain(&mut devices) {
            thing["scope"] = scope.clone();
        }
        let document = json!({
            "farm": {"id": "a"},
            "polyhouses": [{"id": "house", "name": "House", "zones": []}],
            "sensors": sensors,
            "devices": devices,
        });
        Engine::new(&FarmDocument::from_json(&document).unwrap()).unwrap()
    }

    #[test]
    fn devices_of_one_place_hide_each_other_there() {
        let plan = plan(&farm(3), &BTreeMap::new());
        let shown = |p: &Planned| -> Vec<_> {
            let of = p.signals.iter();
            of.map(|s| (s.expected.signal, s.sensors.len(), s.others.clone()))
                .collect()
        };
        assert_eq!(plan.len(), 3);
        assert_eq!(shown(&plan[1]), [(SensorType::Temperature, 3, vec![0, 2])]);
    }

    #[test]
    fn a_house_full_of_devices_costs_what_it_has_and_shows_none_of_them() {
        let full = farm(6_000);
        let began = std::time::Instant::now();
        let plan = plan(&full, &BTreeMap::new());
        assert!(plan.len() == 6_000 && plan.iter().all(|p| p.signals.is_empty()));
        // By pairs it took minutes.
        assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    }
}
