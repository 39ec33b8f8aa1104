//! What the controllers of a farm have: which sensor an entry means, what is announced anew, what is gone.
//!
//! The engine knows sensors and devices by their ids in the farm, a controller by its own. The book maps one to the other,
//! and knows what each controller said of itself last. It is a fold of the journal like the engine: registry changes and
//! reports make it, a snapshot stores it.

mod announce;
mod desertion;
mod facts;
mod standing;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use harit_engine::{
    DeviceId, DeviceSpec, Engine, Quantity, RegistryChange, ScopeSpec, SensorId, SensorIx,
    SensorSpec, SensorType, Status, Timestamp,
};
use harit_protocol::Mac;
use harit_protocol::{DeviceReport, Item, Reject, Report, TypeWord};
use serde::{Deserialize, Serialize};

use crate::controller::{ControllerStatus, DevicePresence, Reported, SensorPresence};
use crate::history::rollup::Bucket;
use crate::journal::codec::Interned;
pub(crate) use desertion::Again;
pub(crate) use standing::{Standing, Standings};

/// The most sensors of one controller.
pub(crate) const MAX_CONTROLLER_SENSORS: usize = 4_096;
/// The most devices of one controller.
pub(crate) const MAX_CONTROLLER_DEVICES: usize = 256;
/// How many messages of a controller are remembered: as many as a client has under way at a time.
const REMEMBERED_MESSAGES: usize = 16;
/// How long a sensor's reading counts when its controller announces it.
const STALE_AFTER: harit_engine::Duration = harit_engine::Duration::from_secs(900);

/// A sensor, and everything that a reading of it touches.
#[derive(Debug)]
pub(crate) struct BookSensor {
    pub(crate) id: SensorId,
    pub(crate) sensor_type: SensorType,
    /// The controller's own id of it.
    pub(crate) local: Box<str>,
    pub(crate) interned: Interned,
    /// Its number in the engine, and of which registry version that is.
    ix: Option<SensorIx>,
    ix_version: u64,
    pub(crate) bucket: Bucket,
    /// Whether it stands on the list of rollups to be written.
    pub(crate) rollup_listed: bool,
    pub(crate) latest: Option<(Timestamp, Option<Quantity>)>,
    /// Whether it stands on the list of values to be told live.
    pub(crate) live_listed: bool,
    /// Whether it is still registered.
    known: bool,
}

impl BookSensor {
    /// Its number in the engine; none if it is not (or no longer) registered.
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

/// What is known of a device beyond what the engine knows.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct BookDevice {
    id: DeviceId,
    gone: bool,
    reported: Option<Reported>,
    /// Since when it reports that it is on, or that it is not.
    #[serde(default)]
    since: Option<Timestamp>,
    /// What the controller itself said last: it clears only what it engaged.
    lock: Option<Arc<str>>,
    safety: bool,
    /// Whether it does what it should, and how often it was told again.
    #[serde(default, skip_serializing_if = "desertion::Conduct::is_empty")]
    conduct: desertion::Conduct,
}

impl BookDevice {
    /// Takes in what its controller says of it.
    fn said(&mut self, said: &DeviceReport, at: Timestamp) {
        if let Some(on) = said.on {
            if self.reported.is_none_or(|r| r.on != on) {
                self.since = Some(at);
            }
            self.reported = Some(Reported {
                on,
                value: said.value,
                at,
            });
        }
        if let Some(lock) = &said.lock {
            self.lock = lock.as_deref().map(Arc::from);
        }
        if let Some(safety) = said.safety {
            self.safety = safety;
        }
    }
}

/// A controller.
#[derive(Debug)]
pub(crate) struct Controller {
    pub(crate) mac: Mac,
    pub(crate) online: bool,
    /// Since when it cannot be reached; none while it can, and where it was never heard.
    offline_since: Option<Timestamp>,
    firmware: Option<String>,
    pub(crate) last_seen: Option<Timestamp>,
    /// Whether anything was heard of it since the start.
    pub(crate) heard: bool,
    sensors: HashMap<Box<str>, u32>,
    gone: BTreeSet<Box<str>>,
    by_type: [OfType; SensorType::ALL.len()],
    devices: BTreeMap<Box<str>, BookDevice>,
    /// Which sensor stood at which place of the last message: messages look alike.
    order: Vec<u32>,
    /// How many of its messages bore a timestamp from the future, since the start.
    pub(crate) future_timestamps: u64,
    /// Numbers and checksums of the last messages: their repetition says nothing new.
    recent: VecDeque<(u64, u32)>,
}

impl Controller {
    /// Whether a message was here already; else it is remembered. Clients redeliver, in order, all that was not
    /// acknowledged: what is repeated is among the last few. Numbers begin anew with the controller, so they alone tell nothing.
    pub(crate) fn repeats(&mut self, seq: u64, crc: u32) -> bool {
        if self.recent.contains(&(seq, crc)) {
            return true;
        }
        if self.recent.len() >= REMEMBERED_MESSAGES {
            self.recent.pop_front();
        }
        self.recent.push_back((seq, crc));
        false
    }
}

/// What one state message leads to.
#[derive(Debug, Default)]
pub(crate) struct Announced {
    pub(crate) registry: Vec<RegistryChange>,
    pub(crate) statuses: Vec<(DeviceId, Status)>,
    pub(crate) rejected: Vec<Reject>,
}

/// All controllers of a farm and what they have.
#[derive(Debug, Default)]
pub(crate) struct Book {
    pub(crate) sensors: Vec<BookSensor>,
    by_id: HashMap<SensorId, u32>,
    pub(crate) controllers: Vec<Controller>,
    by_mac: HashMap<Mac, u32>,
    devices: HashMap<DeviceId, (u32, Box<str>)>,
    /// Devices that do not do what they should.
    deserters: BTreeSet<DeviceId>,
    /// Devices that were commanded lately. Not stored: a restart looks at all.
    commanded: desertion::Commanded,
}

#[derive(Serialize, Deserialize)]
struct StoredController {
    mac: String,
    online: bool,
    firmware: Option<String>,
    gone: Vec<Box<str>>,
    devices: BTreeMap<Box<str>, BookDevice>,
    #[serde(default)]
    recent: VecDeque<(u64, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offline_since: Option<Timestamp>,
}

const fn slot(t: SensorType) -> usize {
    t as usize
}

impl Book {
    /// The book of an engine of which nothing else is known.
    pub(crate) fn of(engine: &Engine) -> Self {
        let mut book = Self::default();
        for status in engine.sensors() {
            book.put_sensor(&status.spec);
        }
        for status in engine.devices() {
            book.put_device(&status.spec);
        }
        book
    }

    /// What a snapshot stores beside the engine.
    pub(crate) fn store(&self) -> serde_json::Result<Vec<u8>> {
        let all: Vec<StoredController> = self
            .controllers
            .iter()
            .map(|c| StoredController {
                mac: c.mac.to_string(),
                online: c.online,
                firmware: c.firmware.clone(),
                gone: c.gone.iter().cloned().collect(),
                devices: c.devices.clone(),
                recent: c.recent.clone(),
                offline_since: c.offline_since,
            })
            .collect();
        serde_json::to_vec(&all)
    }

    /// Adds what a snapshot stored.
    pub(crate) fn restore(&mut self, bytes: &[u8]) -> serde_json::Result<()> {
        for stored in serde_json::from_slice::<Vec<StoredController>>(bytes)? {
            let Ok(mac) = Mac::parse(&stored.mac) else {
                continue;
            };
            let ix = self.controller(mac);
            for (local, device) in &stored.devices {
                self.devices.insert(device.id.clone(), (ix, local.clone()));
                if device.conduct.deserts() {
                    self.deserters.insert(device.id.clone());
                }
            }
            let c = &mut self.controllers[ix as usize];
            (c.online, c.firmware) = (stored.online, stored.firmware);
            c.gone = stored.gone.into_iter().collect();
            c.devices.extend(stored.devices);
            c.recent = stored.recent;
            c.offline_since = stored.offline_since;
        }
        Ok(())
    }

    pub(crate) fn find(&self, mac: &Mac) -> Option<u32> {
        self.by_mac.get(mac).copied()
    }

    /// The controller's place in the book; it is added where it is new.
    pub(crate) fn controller(&mut self, mac: Mac) -> u32 {
        if let Some(ix) = self.by_mac.get(&mac) {
            return *ix;
        }
        let ix = u32::try_from(self.controllers.len()).unwrap_or(u32::MAX);
        self.controllers.push(Controller {
            mac,
            online: false,
            offline_since: None,
            firmware: None,
            last_seen: None,
            heard: false,
            sensors: HashMap::new(),
            gone: BTreeSet::new(),
            by_type: Default::default(),
            devices: BTreeMap::new(),
            order: Vec::new(),
            future_timestamps: 0,
            recent: VecDeque::new(),
        });
        self.by_mac.insert(mac, ix);
        ix
    }

    /// The sensor of that id in the farm; it is added where it is new (a reading may name one that was deleted).
    pub(crate) fn sensor(&mut self, id: &str, fallback: SensorType) -> u32 {
        match self.by_id.get(id) {
            Some(ix) => *ix,
            None => self.add_sensor(SensorId::from(id), fallback, id.into()),
        }
    }

    pub(crate) fn sensor_by_id(&self, id: &str) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    fn add_sensor(&mut self, id: SensorId, sensor_type: SensorType, local: Box<str>) -> u32 {
        let ix = u32::try_from(self.sensors.len()).unwrap_or(u32::MAX);
        self.sensors.push(BookSensor {
            id: id.clone(),
            sensor_type,
            local,
            interned: Interned::default(),
            ix: None,
            ix_version: u64::MAX,
            bucket: Bucket::default(),
            rollup_listed: false,
            latest: None,
            live_listed: false,
            known: false,
        });
        self.by_id.insert(id, ix);
        ix
    }

    /// The registry changed: the book follows. For changes that the engine took, and for those that are about to be.
    pub(crate) fn follow(&mut self, changes: &[RegistryChange]) {
        for change in changes {
            match change {
                RegistryChange::PutSensor(spec) => self.put_sensor(spec),
                RegistryChange::DeleteSensor(id) => self.remove_sensor(id),
                RegistryChange::PutDevice(spec) => self.put_device(spec),
                RegistryChange::DeleteDevice(id) => {
                    if let Some((c, local)) = self.devices.remove(id) {
                        self.controllers[c as usize].devices.remove(&local);
                    }
                    self.deserters.remove(id);
                    self.commanded.forget(id);
                }
                RegistryChange::PutPolyhouse(_)
                | RegistryChange::DeletePolyhouse(_)
                | RegistryChange::Settings(_) => {}
            }
        }
    }

    /// The engine refused the changes: what they would have added is not there after all.
    pub(crate) fn unfollow(&mut self, engine: &Engine, changes: &[RegistryChange]) {
        for change in changes {
            match change {
                RegistryChange::PutSensor(spec)
                    if engine.sensor_index(spec.id.as_str()).is_none() =>
                {
                    self.remove_sensor(&spec.id);
                }
                RegistryChange::PutDevice(spec) if engine.device(spec.id.as_str()).is_none() => {
                    self.follow(&[RegistryChange::DeleteDevice(spec.id.clone())]);
                }
                _ => {}
            }
        }
    }

    fn put_sensor(&mut self, spec: &SensorSpec) {
        let mac = spec.controller.as_deref().and_then(|m| Mac::parse(m).ok());
        let local = local_id(spec.id.as_str(), mac);
        let ix = match self.by_id.get(&spec.id) {
            Some(ix) => *ix,
            None => self.add_sensor(spec.id.clone(), spec.sensor_type, local.into()),
        };
        let sensor = &mut self.sensors[ix as usize];
        (sensor.sensor_type, sensor.known) = (spec.sensor_type, true);
        sensor.local = local.into();
        if let Some(mac) = mac {
            let c = self.controller(mac);
            let local = self.sensors[ix as usize].local.clone();
            self.controllers[c as usize].sensors.insert(local, ix);
            self.count_types(c);
        }
    }

    fn remove_sensor(&mut self, id: &SensorId) {
        let Some(ix) = self.by_id.get(id).copied() else {
            return;
        };
        let sensor = &mut self.sensors[ix as usize];
        sensor.known = false;
        let local = sensor.local.clone();
        for c in 0..self.controllers.len() {
            let controller = &mut self.controllers[c];
            if controller.sensors.get(&local) == Some(&ix) {
                controller.sensors.remove(&local);
                controller.gone.remove(&local);
                controller.order.clear();
                self.count_types(u32::try_from(c).unwrap_or(u32::MAX));
            }
        }
    }

    fn put_device(&mut self, spec: &DeviceSpec) {
        let Some(mac) = spec.controller.as_deref().and_then(|m| Mac::parse(m).ok()) else {
            return;
        };
        let local: Box<str> = local_id(spec.id.as_str(), Some(mac)).into();
        let c = self.controller(mac);
        self.devices.insert(spec.id.clone(), (c, local.clone()));
        self.controllers[c as usize]
            .devices
            .entry(local)
            .or_insert_with(|| BookDevice {
                id: spec.id.clone(),
                gone: false,
                reported: None,
                since: None,
                lock: None,
                safety: false,
                conduct: desertion::Conduct::default(),
            });
    }

    fn count_types(&mut self, c: u32) {
        let controller = &mut self.controllers[c as usize];
        controller.by_type = Default::default();
        for (local, ix) in &controller.sensors {
            if controller.gone.contains(local) {
                continue;
            }
            let of = &mut controller.by_type[slot(self.sensors[*ix as usize].sensor_type)];
            *of = match of {
                OfType::None => OfType::One(*ix),
                OfType::One(_) | OfType::Several => OfType::Several,
            };
        }
    }

    /// Which sensor an entry of a controller's telemetry means. One that is new is to be registered: `new` gets it.
    pub(crate) fn resolve<'s>(
        &mut self,
        engine: &Engine,
        c: u32,
        place: usize,
        item: &Item<'_>,
        scope: &dyn Fn() -> &'s ScopeSpec,
        new: &mut Vec<RegistryChange>,
    ) -> Result<u32, Reject> {
        let controller = &self.controllers[c as usize];
        let found = match item.id.as_deref() {
            Some(id) => match controller.order.get(place) {
                Some(&ix) if &*self.sensors[ix as usize].local == id => Some(ix),
                _ => controller.sensors.get(id).copied(),
            },
            None => match item.sensor_type {
                TypeWord::Missing => return Err(Reject::BadId),
                TypeWord::Unknown => return Err(Reject::UnknownType),
                TypeWord::Known(t) => match controller.by_type[slot(t)] {
                    OfType::None => None,
                    OfType::One(ix) => Some(ix),
                    OfType::Several => return Err(Reject::Ambiguous),
                },
            },
        };
        let ix = match found {
            Some(ix) => ix,
            None => self.announce_sensor(engine, c, item, scope(), new)?,
        };
        let sensor = &self.sensors[ix as usize];
        match item.sensor_type {
            TypeWord::Known(t) if t != sensor.sensor_type => return Err(Reject::OtherType),
            TypeWord::Unknown => return Err(Reject::UnknownType),
            TypeWord::Known(_) | TypeWord::Missing => {}
        }
        if let Some(unit) = item.unit.as_deref()
            && !harit_protocol::unit_matches(sensor.sensor_type, unit)
        {
            return Err(Reject::Unit);
        }
        let order = &mut self.controllers[c as usize].order;
        if let Some(known) = order.get_mut(place) {
            *known = ix;
        } else if place == order.len() {
            order.push(ix);
        }
        Ok(ix)
    }

    /// Takes a report into the book: who is online, what is gone, what devices do.
    pub(crate) fn reported(&mut self, c: u32, at: Timestamp, report: &Report) {
        let controller = &mut self.controllers[c as usize];
        if report.online {
            controller.offline_since = None;
        } else if controller.online {
            controller.offline_since = Some(at);
        }
        controller.online = report.online;
        if report.firmware.is_some() {
            controller.firmware.clone_from(&report.firmware);
        }
        if let Some(sensors) = &report.sensors {
            controller.gone = controller
                .sensors
                .keys()
                .filter(|local| !sensors.iter().any(|s| *s.id == ***local))
                .cloned()
                .collect();
        }
        for (local, device) in &mut controller.devices {
            if let Some(all) = &report.devices {
                let said = all.iter().find(|d| d.id == **local);
                device.gone = said.is_none();
                if let Some(said) = said {
                    device.said(said, at);
                }
            }
            // What comes back, or is let go of at its panel, gets what holds for it anyway; whether it does it is seen then.
            if !report.online || device.lock.is_some() || device.safety {
                device.conduct.forget();
                self.deserters.remove(&device.id);
            }
        }
        self.count_types(c);
    }

    /// What the controller's devices last reported.
    pub(crate) fn reports(&self, c: u32) -> impl Iterator<Item = (&DeviceId, Reported)> {
        self.controllers[c as usize]
            .devices
            .values()
            .filter_map(|d| Some((&d.id, d.reported?)))
    }

    /// A controller's devices.
    pub(crate) fn devices_of(&self, c: u32) -> impl Iterator<Item = &DeviceId> {
        self.controllers[c as usize].devices.values().map(|d| &d.id)
    }

    /// How many sensors and devices there are.
    pub(crate) fn size(&self) -> usize {
        self.sensors.len() + self.devices.len()
    }

    /// How a device is reached.
    pub(crate) fn target(&self, device: &DeviceId) -> Option<(Mac, &str)> {
        let (c, local) = self.devices.get(device)?;
        Some((self.controllers[*c as usize].mac, local))
    }

    /// What there is to know of the controllers.
    pub(crate) fn status(&self, farm: &harit_engine::FarmId) -> Vec<ControllerStatus> {
        let mut all: Vec<ControllerStatus> = self
            .controllers
            .iter()
            .map(|c| {
                let mut sensors: Vec<SensorPresence> = c
                    .sensors
                    .iter()
                    .map(|(local, ix)| SensorPresence {
                        id: self.sensors[*ix as usize].id.clone(),
                        gone: c.gone.contains(local),
                    })
                    .collect();
                sensors.sort_by(|a, b| a.id.cmp(&b.id));
                let devices = c
                    .devices
                    .values()
                    .map(|d| DevicePresence {
                        id: d.id.clone(),
                        gone: d.gone,
                        reported: d.reported,
                    })
                    .collect();
                ControllerStatus {
                    farm: farm.clone(),
                    mac: c.mac,
                    online: c.online,
                    firmware: c.firmware.clone(),
                    last_seen: c.last_seen,
                    future_timestamps: c.future_timestamps,
                    sensors,
                    devices,
                }
            })
            .collect();
        all.sort_by_key(|c| c.mac);
        all
    }
}

/// A controller's own id of a thing with that id in the farm.
fn local_id(id: &str, mac: Option<Mac>) -> &str {
    mac.and_then(|m| id.strip_prefix(m.as_str()))
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or(id)
}
