//! What is in one of two states: controllers, locks, sensors. What is now is compared with what was told last; so nothing is
//! told twice, whatever was missed in between, and a controller that goes offline is one message, not one a sensor.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Deref;

use harit_engine::{Quantity, SensorType};

use super::notice::{Named, Notice, Sensors, Stocked, Watch};
use crate::effects::Failing;
use crate::records::{Told, ToldChange};

/// So many sensors are named; of the rest their number is told.
pub(super) const NAMED: usize = 5;
/// A sensor that fell silent with its controller, and is still silent this long after it came back, has a fault of its own.
const SENSORS_BACK_WITHIN_MS: i64 = 5 * 60 * 1_000;

pub(super) const ONLINE: &str = "online";
pub(super) const OFFLINE: &str = "offline";
const STALE: &str = "stale";
/// Stale, and its controller is offline: that was told instead.
const SILENT: &str = "silent";
const UNKNOWN: &str = "unknown";
const LOW: &str = "low";
const FAILS: &str = "fails";
const AWAY: &str = "away";

/// A farm's things as they are now.
#[derive(Debug, Clone, Default)]
pub(super) struct Levels {
    pub(super) controllers: Controllers,
    pub(super) devices: Vec<DeviceLevel>,
    pub(super) sensors: Vec<SensorLevel>,
    pub(super) alerts: Vec<AlertLevel>,
    /// What runs low in the store.
    pub(super) low_stock: Vec<Stocked>,
    pub(super) effects: Vec<EffectLevel>,
    pub(super) drifts: Vec<DriftLevel>,
}

/// Whether what a device does has an effect, as far as it was looked at.
#[derive(Debug, Clone)]
pub(super) struct EffectLevel {
    pub(super) device: Named,
    pub(super) failing: Option<Failing>,
    /// Its last run had one.
    pub(super) works: bool,
}

/// A sensor that left its neighbours.
#[derive(Debug, Clone)]
pub(super) struct DriftLevel {
    pub(super) sensor: Named,
    pub(super) or_other: Option<String>,
    pub(super) of: SensorType,
    pub(super) now: Quantity,
    pub(super) usual: Quantity,
}

#[derive(Debug, Clone)]
pub(super) struct ControllerLevel {
    pub(super) mac: String,
    pub(super) name: String,
    pub(super) online: bool,
}

/// A farm's controllers in their order, found by their addresses, which stay as they are.
#[derive(Debug, Clone, Default)]
pub(super) struct Controllers {
    all: Vec<ControllerLevel>,
    by_mac: HashMap<String, usize>,
}

impl Controllers {
    pub(super) fn get(&self, mac: &str) -> Option<&ControllerLevel> {
        self.by_mac.get(mac).map(|n| &self.all[*n])
    }

    /// Whether it is one of the farm that is not connected.
    pub(super) fn is_offline(&self, mac: &str) -> bool {
        self.get(mac).is_some_and(|c| !c.online)
    }
}

impl FromIterator<ControllerLevel> for Controllers {
    fn from_iter<T: IntoIterator<Item = ControllerLevel>>(all: T) -> Self {
        let all: Vec<ControllerLevel> = all.into_iter().collect();
        let by_mac = { all.iter().enumerate() }.map(|(n, c)| (c.mac.clone(), n));
        Self {
            by_mac: by_mac.collect(),
            all,
        }
    }
}

impl Deref for Controllers {
    type Target = [ControllerLevel];

    fn deref(&self) -> &[ControllerLevel] {
        &self.all
    }
}

#[derive(Debug, Clone)]
pub(super) struct DeviceLevel {
    pub(super) device: Named,
    pub(super) lock: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct SensorLevel {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) controller: Option<String>,
    /// It said something once; and that is too old now.
    pub(super) has_spoken: bool,
    pub(super) stale: bool,
}

#[derive(Debug, Clone)]
pub(super) struct AlertLevel {
    pub(super) watch: Watch,
    /// It is raised, and nobody knows whether it is as bad still.
    pub(super) unknown: bool,
    /// The first few names of the sensors that it waits for.
    pub(super) silent: Vec<String>,
    pub(super) count: usize,
}

/// What is to be told, and what has been told then.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) notices: Vec<Notice>,
    pub(super) told: Vec<ToldChange>,
}

impl Changes {
    pub(super) fn set(&mut self, subject: String, state: &str, at: i64) {
        let state = state.to_owned();
        self.told.push((subject, Some(Told { state, at })));
    }

    pub(super) fn forget(&mut self, subject: String) {
        self.told.push((subject, None));
    }
}

/// Compares what is with what was told.
pub(super) fn compare(now: &Levels, told: &BTreeMap<String, Told>, at: i64) -> Changes {
    let mut changes = Changes::default();
    controllers(now, told, at, &mut changes);
    locks(now, told, at, &mut changes);
    sensors(now, told, at, &mut changes);
    alerts(now, told, at, &mut changes);
    low_stock(now, told, at, &mut changes);
    effects(now, told, at, &mut changes);
    drifts(now, told, at, &mut changes);
    let known: BTreeSet<String> = (now.controllers.iter().map(|c| controller_key(&c.mac)))
        .chain(now.devices.iter().map(|d| lock_key(&d.device.id)))
        .chain(now.sensors.iter().map(|s| sensor_key(&s.id)))
        .chain(now.alerts.iter().map(|a| alert_key(&a.watch.alert)))
        .chain(now.low_stock.iter().map(|i| stock_key(&i.id)))
        .chain(now.effects.iter().map(|e| effect_key(&e.device.id)))
        .chain(now.drifts.iter().map(|d| drift_key(&d.sensor.id)))
        .collect();
    let is_level = |subject: &str| LEVELS.iter().any(|prefix| subject.starts_with(prefix));
    for subject in told.keys().filter(|s| is_level(s) && !known.contains(*s)) {
        // it was deleted, or there is enough of it again
        changes.forget(subject.clone());
    }
    changes
}

const LEVELS: [&str; 7] = [
    "controller/",
    "lock/",
    "sensor/",
    "alert/",
    "stock/",
    "effect/",
    "drift/",
];

fn effect_key(device: &str) -> String {
    format!("effect/{device}")
}

/// A device that does nothing is told once, and over when a run has an effect again.
fn effects(now: &Levels, told: &BTreeMap<String, Told>, at: i64, changes: &mut Changes) {
    for e in &now.effects {
        let subject = effect_key(&e.device.id);
        let device = e.device.clone();
        match (told.contains_key(&subject), &e.failing) {
            (false, Some(failing)) => {
                changes.set(subject, FAILS, at);
                let failing = failing.clone();
                changes.notices.push(Notice::NoEffect { device, failing });
            }
            (true, None) if e.works => {
                changes.forget(subject);
                changes.notices.push(Notice::EffectBack { device });
            }
            _ => {}
        }
    }
}

fn drift_key(sensor: &str) -> String {
    format!("drift/{sensor}")
}

/// A sensor that left its neighbours is told once, until it is with them again.
fn drifts(now: &Levels, told: &BTreeMap<String, Told>, at: i64, changes: &mut Changes) {
    for d in &now.drifts {
        let subject = drift_key(&d.sensor.id);
        if !told.contains_key(&subject) {
            changes.set(subject, AWAY, at);
            changes.notices.push(Notice::SensorDrifts {
                sensor: d.sensor.clone(),
                or_other: d.or_other.clone(),
                of: d.of,
                now: d.now,
                usual: d.usual,
            });
        }
    }
}

fn stock_key(item: &str) -> String {
    format!("stock/{item}")
}

/// What runs low is told once, until there is enough of it again.
fn low_stock(now: &Levels, told: &BTreeMap<String, Told>, at: i64, changes: &mut Changes) {
    for item in &now.low_stock {
        let subject = stock_key(&item.id);
        if !told.contains_key(&subject) {
            changes.set(subject, LOW, at);
            let item = item.clone();
            changes.notices.push(Notice::StockLow { item });
        }
    }
}

fn alert_key(alert: &str) -> String {
    format!("alert/{alert}")
}

/// An alert that nobody knows of any more is told once, until it is known again.
fn alerts(now: &Levels, told: &BTreeMap<String, Told>, at: i64, changes: &mut Changes) {
    for a in &now.alerts {
        let subject = alert_key(&a.watch.alert);
        match (told.contains_key(&subject), a.unknown) {
            (false, true) => {
                changes.set(subject, UNKNOWN, at);
                changes.notices.push(Notice::AlertUnknown {
                    watch: a.watch.clone(),
                    silent: a.silent.clone(),
                    count: a.count,
                });
            }
            (true, false) => changes.forget(subject),
            _ => {}
        }
    }
}

pub(super) fn controller_key(mac: &str) -> String {
    format!("controller/{mac}")
}

fn lock_key(device: &str) -> String {
    format!("lock/{device}")
}

fn sensor_key(sensor: &str) -> String {
    format!("sensor/{sensor}")
}

fn controllers(now: &Levels, told: &BTreeMap<String, Told>, at: i64, changes: &mut Changes) {
    for c in now.controllers.iter() {
        let subject = controller_key(&c.mac);
        let before = told.get(&subject).map(|t| t.state.as_str());
        let (controller, name) = (c.mac.clone(), c.name.clone());
        match (before, c.online) {
            // that it comes for the first time is no news to who has just set it up
            (None, true) => changes.set(subject, ONLINE, at),
            (Some(ONLINE), false) => {
                changes
                    .notices
                    .push(Notice::ControllerOffline { controller, name });
                changes.set(subject, OFFLINE, at);
            }
            (Some(OFFLINE), true) => {
                changes
                    .notices
                    .push(Notice::ControllerOnline { controller, name });
                changes.set(subject, ONLINE, at);
            }
            _ => {}
        }
    }
}

fn locks(now: &Levels, told: &BTreeMap<String, Told>, at: i64, changes: &mut Changes) {
    for d in &now.devices {
        let subject = lock_key(&d.device.id);
        let device = d.device.clone();
        match (told.contains_key(&subject), &d.lock) {
            (false, Some(reason)) => {
                let reason = reason.clone();
                changes.set(subject, &reason, at);
                changes
                    .notices
                    .push(Notice::DeviceLocked { device, reason });
            }
            (true, None) => {
                changes.forget(subject);
                changes.notices.push(Notice::DeviceUnlocked { device });
            }
            _ => {}
        }
    }
}

fn sensors(now: &Levels, told: &BTreeMap<String, Told>, at: i64, changes: &mut Changes) {
    let name_of = |mac: &str| now.controllers.get(mac);
    let mut stale: BTreeMap<Option<&str>, Vec<&str>> = BTreeMap::new();
    let mut fresh: BTreeMap<Option<&str>, Vec<&str>> = BTreeMap::new();
    for s in &now.sensors {
        let subject = sensor_key(&s.id);
        let before = told.get(&subject).map(|t| t.state.as_str());
        let controller = s.controller.as_deref();
        let offline = controller.and_then(name_of).is_some_and(|c| !c.online);
        let back_for_long = || {
            let since = controller.and_then(|mac| told.get(&controller_key(mac)));
            since.is_none_or(|t| t.state == ONLINE && at - t.at >= SENSORS_BACK_WITHIN_MS)
        };
        match (before, s.stale) {
            (None, true) if offline => changes.set(subject, SILENT, at),
            (None, true) => {
                stale.entry(controller).or_default().push(&s.name);
                changes.set(subject, STALE, at);
            }
            (Some(SILENT), true) if !offline && back_for_long() => {
                stale.entry(controller).or_default().push(&s.name);
                changes.set(subject, STALE, at);
            }
            (Some(STALE), false) => {
                fresh.entry(controller).or_default().push(&s.name);
                changes.forget(subject);
            }
            (Some(_), false) => changes.forget(subject),
            _ => {}
        }
    }
    let group = |(controller, names): (Option<&str>, Vec<&str>)| Sensors {
        controller: controller.map(str::to_owned),
        of: controller.and_then(name_of).map(|c| c.name.clone()),
        count: names.len(),
        names: names.into_iter().take(NAMED).map(str::to_owned).collect(),
    };
    let stale = stale.into_iter().map(group);
    changes
        .notices
        .extend(stale.map(|sensors| Notice::SensorsStale { sensors }));
    let fresh = fresh.into_iter().map(group);
    changes
        .notices
        .extend(fresh.map(|sensors| Notice::SensorsFresh { sensors }));
}
