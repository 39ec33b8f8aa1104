//! The controllers of a farm and what they have: which sensor an entry means, what is registered, who can be reached.
//!
//! The engine knows sensors and devices by their ids in the farm, a controller by its own ids. This maps one to the other, and
//! keeps what each controller reported last.

mod facts;
mod follow;
mod reconcile;
mod registration;
mod report;
mod store;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use harit_engine::{
    DeviceId, Engine, FarmId, Quantity, ScopeSpec, SensorId, SensorIx, SensorType, Timestamp,
};
use harit_protocol::{DeviceReport, Mac, MessageNumber, TypeWord};
use serde::{Deserialize, Serialize};

pub use self::registration::STALE_AFTER;
use crate::key::Key;
use crate::status::{ControllerStatus, DevicePresence, Reported, SensorPresence};
pub(crate) use reconcile::Decision;
use reconcile::{Reconciler, Retries};
pub(crate) use registration::Registration;
pub(crate) use store::Stored;

/// The most sensors of one controller.
const MAX_CONTROLLER_SENSORS: usize = 4_096;
/// The most devices of one controller.
const MAX_CONTROLLER_DEVICES: usize = 256;
/// How many messages of a controller are remembered: as many as a client has under way at a time.
const REMEMBERED_MESSAGES: usize = 16;

/// A sensor of a farm, registered or not any more.
#[derive(Debug, Clone)]
pub struct Sensor {
    /// Its id in the farm.
    pub id: SensorId,
    /// What it measures.
    pub sensor_type: SensorType,
    /// Its controller, and that one's own id of it.
    of: Option<u32>,
    local: Box<str>,
    /// Its number in the engine, and of which version of the registry that is.
    ix: Option<SensorIx>,
    ix_version: u64,
    /// Whether it is still registered.
    known: bool,
}

impl Sensor {
    /// Its number in the engine; `None` if it is not (or no longer) registered.
    pub(crate) fn index(&mut self, engine: &Engine) -> Option<SensorIx> {
        let version = engine.registry_version();
        if self.ix_version != version {
            self.ix = engine.sensor_index(self.id.as_str());
            self.ix_version = version;
        }
        self.ix
    }
}

/// How many sensors of a type a controller has, as far as it matters.
#[derive(Debug, Clone, Copy, Default)]
enum OfType {
    #[default]
    None,
    One(u32),
    Several,
}

/// What a controller reported of a device.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Device {
    pub(crate) id: DeviceId,
    /// Whether its controller announces it no longer.
    pub(crate) gone: bool,
    pub(crate) reported: Option<Reported>,
    /// Whether it is on, by the last report; none where that does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) running: Option<bool>,
    /// Since when it reports that it is on, or that it is not.
    #[serde(default)]
    pub(crate) since: Option<Timestamp>,
    /// The lock that the controller itself reported last: it clears only what it engaged.
    pub(crate) lock: Option<Arc<str>>,
    pub(crate) safety: bool,
    /// At how many per cent it goes on at the end of a lease; none where it goes off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lease_end: Option<Quantity>,
    /// How it lately kept to what it was told.
    #[serde(default, rename = "conduct", skip_serializing_if = "Retries::is_empty")]
    pub(crate) retries: Retries,
}

impl Device {
    fn new(id: DeviceId) -> Self {
        Self {
            id,
            gone: false,
            reported: None,
            running: None,
            since: None,
            lock: None,
            safety: false,
            lease_end: None,
            retries: Retries::default(),
        }
    }

    /// Takes in what its controller says of it.
    fn take_in(&mut self, said: &DeviceReport, at: Timestamp) {
        if let Some(reported) = Reported::of(said, at) {
            if self.reported.is_none_or(|r| r.on != reported.on) {
                self.since = Some(at);
            }
            self.reported = Some(reported);
        }
        self.lease_end = said.lease_end;
        if let Some(lock) = &said.lock {
            self.lock = lock.as_deref().map(Arc::from);
        }
        if let Some(safety) = said.safety {
            self.safety = safety;
        }
    }
}

/// A controller.
#[derive(Debug, Clone)]
pub(crate) struct Controller {
    pub(crate) mac: Mac,
    pub(crate) online: bool,
    /// Since when it cannot be reached; `None` while it can, and where it was never heard.
    offline_since: Option<Timestamp>,
    firmware: Option<String>,
    /// Where it stands: what it registers gets this place.
    scope: ScopeSpec,
    /// When anything of it was applied last. Not part of a snapshot.
    last_seen: Option<Timestamp>,
    sensors: BTreeMap<Box<str>, u32>,
    gone: BTreeSet<Box<str>>,
    by_type: [OfType; SensorType::ALL.len()],
    pub(crate) devices: BTreeMap<Box<str>, Device>,
    /// Changes with everything on which it depends which sensor a key means.
    version: u64,
    /// The last messages.
    recent: VecDeque<(u64, u32)>,
}

impl Controller {
    fn new(mac: Mac) -> Self {
        Self {
            mac,
            online: false,
            offline_since: None,
            firmware: None,
            scope: ScopeSpec::farm(),
            last_seen: None,
            sensors: BTreeMap::new(),
            gone: BTreeSet::new(),
            by_type: [const { OfType::None }; SensorType::ALL.len()],
            devices: BTreeMap::new(),
            version: 0,
            recent: VecDeque::new(),
        }
    }

    /// Whether a message was here already; else it is remembered. Clients redeliver, in order, all that was not
    /// acknowledged: what is repeated is among the last few.
    pub(crate) fn repeats(&mut self, number: MessageNumber) -> bool {
        let message = (number.seq, number.crc);
        if self.recent.contains(&message) {
            return true;
        }
        if self.recent.len() >= REMEMBERED_MESSAGES {
            self.recent.pop_front();
        }
        self.recent.push_back(message);
        false
    }
}

/// All controllers of a farm and what they have.
#[derive(Debug, Clone, Default)]
pub struct Controllers {
    sensors: Vec<Sensor>,
    by_id: BTreeMap<SensorId, u32>,
    all: Vec<Controller>,
    by_mac: BTreeMap<Mac, u32>,
    devices: BTreeMap<DeviceId, (u32, Box<str>)>,
    pub(crate) reconciler: Reconciler,
}

impl Controllers {
    /// The controllers of an engine of which nothing else is known.
    pub(crate) fn of(engine: &Engine) -> Self {
        let mut all = Self::default();
        let mut touched = BTreeSet::new();
        for status in engine.sensors() {
            all.put_sensor(&status.spec, &mut touched);
        }
        touched.into_iter().for_each(|c| all.changed(c));
        for status in engine.devices() {
            all.put_device(&status.spec);
        }
        all
    }

    pub(crate) fn find(&self, mac: Mac) -> Option<u32> {
        self.by_mac.get(&mac).copied()
    }

    pub(crate) fn get(&self, c: u32) -> &Controller {
        &self.all[c as usize]
    }

    pub(crate) fn get_mut(&mut self, c: u32) -> &mut Controller {
        &mut self.all[c as usize]
    }

    /// The place of a controller; it is added where it is new.
    pub(crate) fn controller(&mut self, mac: Mac) -> u32 {
        if let Some(c) = self.by_mac.get(&mac) {
            return *c;
        }
        let c = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(Controller::new(mac));
        self.by_mac.insert(mac, c);
        c
    }

    /// The controllers, in order.
    pub fn macs(&self) -> impl Iterator<Item = Mac> + '_ {
        self.by_mac.keys().copied()
    }

    /// Where a controller stands, as far as the farm was told.
    #[must_use]
    pub fn scope(&self, mac: Mac) -> Option<&ScopeSpec> {
        Some(&self.get(self.find(mac)?).scope)
    }

    pub(crate) fn seen(&mut self, c: u32, at: Timestamp) {
        self.all[c as usize].last_seen = Some(at);
    }

    pub(crate) fn place(&mut self, c: u32, scope: &ScopeSpec) {
        self.all[c as usize].scope.clone_from(scope);
        self.changed(c);
    }

    /// A sensor, by its number.
    #[must_use]
    pub fn sensor(&self, number: u32) -> Option<&Sensor> {
        self.sensors.get(number as usize)
    }

    pub(crate) fn sensor_mut(&mut self, number: u32) -> Option<&mut Sensor> {
        self.sensors.get_mut(number as usize)
    }

    /// The number of the sensor of that id.
    pub(crate) fn number_of(&self, id: &str) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    /// The devices of a controller, by own id.
    pub(crate) fn devices_of(&self, c: u32) -> impl Iterator<Item = &DeviceId> {
        self.all[c as usize].devices.values().map(|d| &d.id)
    }

    /// The devices of the controller of that id, by own id.
    pub fn devices_of_mac(&self, mac: Mac) -> impl Iterator<Item = &DeviceId> {
        self.find(mac).into_iter().flat_map(|c| self.devices_of(c))
    }

    /// The devices that the controller of that id announces, by own id, each with what it did by the last report.
    pub fn announced(
        &self,
        mac: Mac,
    ) -> impl Iterator<Item = (&str, &DeviceId, Option<bool>, Option<Reported>)> {
        let found = self.find(mac).map(|c| self.get(c).devices.iter());
        let there = found.into_iter().flatten().filter(|(_, d)| !d.gone);
        there.map(|(local, d)| (&**local, &d.id, d.running, d.reported))
    }

    /// Whether the controller of that id can be reached.
    #[must_use]
    pub fn is_online(&self, mac: Mac) -> bool {
        self.find(mac).is_some_and(|c| self.get(c).online)
    }

    /// The device of a controller that has that own id.
    #[must_use]
    pub fn device_of(&self, mac: Mac, local: &str) -> Option<&DeviceId> {
        Some(&self.get(self.find(mac)?).devices.get(local)?.id)
    }

    /// The sensors of the controller of that id, by own id, with what each measures.
    pub fn sensors_of(&self, mac: Mac) -> impl Iterator<Item = (&str, SensorType)> {
        let all = self.find(mac).into_iter();
        let all = all.flat_map(|c| &self.all[c as usize].sensors);
        all.map(|(local, n)| (&**local, self.sensors[*n as usize].sensor_type))
    }

    /// The farm's id of a controller's sensor, by own id.
    #[must_use]
    pub fn sensor_of(&self, mac: Mac, local: &str) -> Option<&SensorId> {
        let n = *self.get(self.find(mac)?).sensors.get(local)?;
        Some(&self.sensors.get(n as usize)?.id)
    }

    /// How many sensors and devices there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.sensors.len() + self.devices.len()
    }

    /// How many devices a controller has.
    #[must_use]
    pub fn device_count(&self, mac: Mac) -> usize {
        self.find(mac).map_or(0, |c| self.get(c).devices.len())
    }

    /// How a device is reached: its controller, and that one's own id of it.
    #[must_use]
    pub fn target(&self, device: &DeviceId) -> Option<(Mac, &str)> {
        let (c, local) = self.devices.get(device)?;
        Some((self.all[*c as usize].mac, local))
    }

    /// A device, with its controller.
    pub(crate) fn device(&self, id: &DeviceId) -> Option<(&Controller, &Device)> {
        let (c, local) = self.devices.get(id)?;
        let controller = &self.all[*c as usize];
        let known = controller.devices.get(local);
        Some((controller, known.filter(|d| d.id == *id)?))
    }

    /// What its controller reported of a device last; none while it cannot be reached.
    #[must_use]
    pub fn reported(&self, id: &DeviceId) -> Option<Reported> {
        let (controller, known) = self.device(id)?;
        known.reported.filter(|_| controller.online)
    }

    pub(crate) fn device_mut(&mut self, id: &DeviceId) -> Option<&mut Device> {
        let (c, local) = self.devices.get(id)?;
        let known = self.all[*c as usize].devices.get_mut(local);
        known.filter(|d| d.id == *id)
    }

    /// The devices that have a controller.
    pub(crate) fn reachable(&self) -> impl Iterator<Item = &DeviceId> {
        self.devices.keys()
    }

    /// Tells all that is known of the controllers, by MAC.
    #[must_use]
    pub fn status(&self, farm: &FarmId) -> Vec<ControllerStatus> {
        let presence = |c: &Controller, local: &str, number: u32| SensorPresence {
            id: self.sensors[number as usize].id.clone(),
            gone: c.gone.contains(local),
        };
        let mut all: Vec<ControllerStatus> = self
            .all
            .iter()
            .map(|c| {
                let sensors = c.sensors.iter();
                let mut sensors: Vec<_> = sensors.map(|(l, n)| presence(c, l, *n)).collect();
                sensors.sort_by(|a, b| a.id.cmp(&b.id));
                let devices = c.devices.values().map(|d| DevicePresence {
                    id: d.id.clone(),
                    gone: d.gone,
                    reported: d.reported,
                    lease_end: d.lease_end,
                });
                ControllerStatus {
                    farm: farm.clone(),
                    mac: c.mac,
                    online: c.online,
                    offline_since: c.offline_since,
                    firmware: c.firmware.clone(),
                    last_seen: c.last_seen,
                    future_timestamps: 0,
                    sensors,
                    devices: devices.collect(),
                }
            })
            .collect();
        all.sort_by_key(|c| c.mac);
        all
    }
}

/// The types of which a message has more than one entry without an id, as bits.
pub(crate) fn repeated_types<'a>(keys: impl Iterator<Item = &'a Key<'a>>) -> u64 {
    let (mut once, mut twice) = (0_u64, 0);
    for key in keys.filter(|k| k.id.is_none()) {
        if let TypeWord::Known(t) = key.sensor_type {
            let bit = 1_u64 << t as u32;
            twice |= once & bit;
            once |= bit;
        }
    }
    twice
}

/// A controller's own id of a thing with that id in the farm.
fn local_id(id: &str, mac: Option<Mac>) -> &str {
    mac.and_then(|m| id.strip_prefix(m.as_str()))
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or(id)
}
