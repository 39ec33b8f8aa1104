//! What is announced: new sensors and devices, and what a report changes of those that are known.

use harit_engine::{
    DeviceId, DeviceLock, DeviceSpec, Engine, Lock, LockKind, RegistryChange, ScopeSpec, SensorId,
    SensorSpec, SensorType, Status,
};
use harit_protocol::{DeviceReport, Item, Reject, Report, TypeWord};

use super::standing::{Standings, standing};
use super::{Announced, Book, MAX_CONTROLLER_DEVICES, MAX_CONTROLLER_SENSORS, STALE_AFTER};

impl Book {
    /// A sensor that a controller has told of by its first reading.
    pub(super) fn announce_sensor(
        &mut self,
        engine: &Engine,
        c: u32,
        item: &Item<'_>,
        scope: &ScopeSpec,
        new: &mut Vec<RegistryChange>,
    ) -> Result<u32, Reject> {
        let sensor_type = match item.sensor_type {
            TypeWord::Known(t) => t,
            TypeWord::Unknown => return Err(Reject::UnknownType),
            TypeWord::Missing => return Err(Reject::BadId),
        };
        if let Some(unit) = item.unit.as_deref()
            && !harit_protocol::unit_matches(sensor_type, unit)
        {
            return Err(Reject::Unit);
        }
        let local = item.id.as_deref().unwrap_or(sensor_type.as_str());
        let change = self.new_sensor(engine, c, local, sensor_type, scope)?;
        let id = match &change {
            RegistryChange::PutSensor(spec) => spec.id.clone(),
            _ => return Err(Reject::BadId),
        };
        self.follow(std::slice::from_ref(&change));
        new.push(change);
        self.by_id.get(&id).copied().ok_or(Reject::BadId)
    }

    pub(super) fn new_sensor(
        &self,
        engine: &Engine,
        c: u32,
        local: &str,
        sensor_type: SensorType,
        scope: &ScopeSpec,
    ) -> Result<RegistryChange, Reject> {
        if !harit_protocol::usable_id(local) {
            return Err(Reject::BadId);
        }
        let controller = &self.controllers[c as usize];
        if controller.sensors.len() >= MAX_CONTROLLER_SENSORS {
            return Err(Reject::TooManyThings);
        }
        let mac = controller.mac;
        let taken = self
            .by_id
            .get(local)
            .is_some_and(|ix| self.sensors[*ix as usize].known);
        if taken {
            // One that a person registered for nobody's controller is adopted with what the person said of it.
            let own = engine
                .sensors()
                .find(|s| s.spec.id.as_str() == local)
                .filter(|s| s.spec.controller.is_none() && s.spec.sensor_type == sensor_type);
            if let Some(status) = own {
                return Ok(RegistryChange::PutSensor(SensorSpec {
                    controller: Some(mac.to_string()),
                    ..status.spec
                }));
            }
        }
        let id = if taken {
            SensorId::new(format!("{mac}/{local}"))
        } else {
            SensorId::from(local)
        };
        Ok(RegistryChange::PutSensor(SensorSpec {
            id,
            name: None,
            sensor_type,
            scope: scope.clone(),
            stale_after: STALE_AFTER,
            controller: Some(mac.to_string()),
        }))
    }

    /// What a controller's report changes in the registry and in its devices' status. The book itself follows the registry
    /// changes here, and the rest in [`Self::reported`]. `standings` has the devices of which something is decided and not
    /// yet applied: of them the engine does not know how they stand.
    pub(crate) fn announce(
        &mut self,
        engine: &Engine,
        c: u32,
        report: &Report,
        scope: &ScopeSpec,
        standings: &Standings,
    ) -> Announced {
        let mut all = Announced::default();
        for s in report.sensors.iter().flatten() {
            match self.controllers[c as usize].sensors.get(&*s.id) {
                Some(ix) if self.sensors[*ix as usize].sensor_type == s.sensor_type => {}
                Some(ix) => self.retype(engine, *ix, s.sensor_type, &mut all),
                None => match self.new_sensor(engine, c, &s.id, s.sensor_type, scope) {
                    Ok(change) => {
                        self.follow(std::slice::from_ref(&change));
                        all.registry.push(change);
                    }
                    Err(reject) => all.rejected.push(reject),
                },
            }
        }
        for d in report.devices.iter().flatten() {
            match self.announce_device(engine, c, d, report.online, scope) {
                Ok(Some(change)) => {
                    self.follow(std::slice::from_ref(&change));
                    all.registry.push(change);
                }
                Ok(None) => {}
                Err(reject) => all.rejected.push(reject),
            }
        }
        self.statuses(engine, c, report, standings, &mut all.statuses);
        all
    }

    /// A sensor was replaced by one of another type under the same id.
    pub(super) fn retype(&mut self, engine: &Engine, ix: u32, t: SensorType, all: &mut Announced) {
        let id = self.sensors[ix as usize].id.clone();
        if let Some(status) = engine.sensors().find(|s| s.spec.id == id) {
            let change = RegistryChange::PutSensor(SensorSpec {
                sensor_type: t,
                ..status.spec
            });
            self.follow(std::slice::from_ref(&change));
            all.registry.push(change);
        }
    }

    pub(super) fn announce_device(
        &self,
        engine: &Engine,
        c: u32,
        d: &DeviceReport,
        online: bool,
        scope: &ScopeSpec,
    ) -> Result<Option<RegistryChange>, Reject> {
        let controller = &self.controllers[c as usize];
        let mac = controller.mac;
        if let Some(known) = controller.devices.get(&*d.id) {
            let Some(status) = engine.device(known.id.as_str()) else {
                // Announced earlier in this very batch.
                return Ok(None);
            };
            if status.spec.device_type != d.device_type {
                return Err(Reject::OtherType);
            }
            let told = !d.supported_actions.is_null();
            if told && status.spec.supported_actions != d.supported_actions {
                return Ok(Some(RegistryChange::PutDevice(Box::new(DeviceSpec {
                    supported_actions: d.supported_actions.clone(),
                    ..status.spec
                }))));
            }
            return Ok(None);
        }
        if controller.devices.len() >= MAX_CONTROLLER_DEVICES {
            return Err(Reject::TooManyThings);
        }
        let of_nobody = engine.device(&d.id).filter(|s| s.spec.controller.is_none());
        if let Some(status) = of_nobody
            && status.spec.device_type == d.device_type
        {
            return Ok(Some(RegistryChange::PutDevice(Box::new(DeviceSpec {
                controller: Some(mac.to_string()),
                ..status.spec
            }))));
        }
        let taken = self.devices.contains_key(&*d.id) || engine.device(&d.id).is_some();
        let id = if taken {
            DeviceId::new(format!("{mac}/{}", d.id))
        } else {
            DeviceId::from(&*d.id)
        };
        let mut spec = DeviceSpec::new(id, d.device_type, scope.clone());
        spec.name = d.name.clone().unwrap_or_else(|| d.id.clone());
        spec.supported_actions = d.supported_actions.clone();
        spec.controller = Some(mac.to_string());
        // It becomes known as it is: nothing has to be sent to it for that.
        spec.online = online;
        spec.state.locks = own_lock(d);
        spec.state.mode = (d.safety == Some(true)).then(|| "safety".to_owned());
        Ok(Some(RegistryChange::PutDevice(Box::new(spec))))
    }

    /// What the report says of devices that the engine sees otherwise.
    pub(super) fn statuses(
        &self,
        engine: &Engine,
        c: u32,
        report: &Report,
        standings: &Standings,
        out: &mut Vec<(DeviceId, Status)>,
    ) {
        let controller = &self.controllers[c as usize];
        for (local, known) in &controller.devices {
            // None of one that this very report makes known: it becomes known as it is.
            let said = report
                .devices
                .as_ref()
                .map(|all| all.iter().find(|d| d.id == **local));
            if said.is_none() {
                // Nothing but whether it is there, as it mostly is: without a copy of all that it has.
                let decided = standings.get(&known.id).map(|s| s.online);
                let is_online = decided.or_else(|| engine.device_online(known.id.as_str()));
                if is_online == Some(report.online && !known.gone) {
                    continue;
                }
            }
            let Some(is) = standing(engine, standings, &known.id) else {
                continue;
            };
            let online = match said {
                Some(None) => false,
                Some(Some(_)) => report.online,
                None => report.online && !known.gone,
            };
            let mut status = Status {
                online: (is.online != online).then_some(online),
                ..Status::default()
            };
            if let Some(Some(d)) = said {
                // A controller opens only its own lock: a person's, and the engine's, are of other kinds and stay, whatever
                // reason it says.
                let own = is.locks.get(LockKind::Controller);
                status.lock = match &d.lock {
                    Some(Some(reason)) => {
                        let news = own.is_none_or(|lock| *lock.reason != **reason);
                        news.then(|| Lock::Engage {
                            kind: LockKind::Controller,
                            reason: reason.as_str().into(),
                        })
                    }
                    Some(None) if planted!(ControllerOpensAnyLock) => {
                        (!is.locks.is_empty()).then_some(Lock::OpenAll)
                    }
                    Some(None) if own.is_some() && online => Some(Lock::Open {
                        kind: LockKind::Controller,
                        user: None,
                    }),
                    Some(None) | None => None,
                };
                status.safety = match d.safety {
                    Some(true) => (!known.safety && !is.safety).then_some(true),
                    Some(false) => (known.safety && is.safety).then_some(false),
                    None => None,
                };
            }
            if status != Status::default() {
                out.push((known.id.clone(), status));
            }
        }
    }
}

/// The lock that a report says a device has at its controller.
fn own_lock(d: &DeviceReport) -> Vec<DeviceLock> {
    let reason = d.lock.iter().flatten();
    reason
        .map(|reason| DeviceLock {
            kind: LockKind::Controller,
            reason: reason.as_str().into(),
            owner: None,
            since: None,
        })
        .collect()
}
