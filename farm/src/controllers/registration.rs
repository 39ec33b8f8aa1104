//! Which sensor an entry of telemetry means, and what becomes registered because a controller says that it has it.

use harit_engine::{
    DeviceId, DeviceLock, DeviceSpec, Duration, Engine, LockKind, RegistryChange, SensorId,
    SensorSpec, SensorType,
};
use harit_protocol::{DeviceReport, Reject, Report, TypeWord};

use super::{Controllers, MAX_CONTROLLER_DEVICES, MAX_CONTROLLER_SENSORS, OfType};
use crate::key::Key;

/// How long a sensor's reading counts that its controller registered.
pub const STALE_AFTER: Duration = Duration::from_secs(900);

/// What a controller has that is to be registered. The [`Controllers`] follow it already: where the engine refuses it,
/// [`Controllers::unfollow`] takes it back.
#[derive(Debug, Default)]
pub(crate) struct Registration {
    pub(crate) changes: Vec<RegistryChange>,
    pub(crate) rejected: Vec<Reject>,
}

impl Controllers {
    /// The sensor that a key of the controller means. One that is new is to be registered.
    pub(crate) fn resolve(
        &mut self,
        engine: &Engine,
        c: u32,
        key: &Key<'_>,
        new: &mut Registration,
    ) -> Result<u32, Reject> {
        if let Some(number) = key.found(self.all[c as usize].version) {
            return Ok(number);
        }
        let controller = &self.all[c as usize];
        let found = match key.id.as_deref() {
            Some(id) => controller.sensors.get(id).copied(),
            None => match key.sensor_type {
                TypeWord::Missing => return Err(Reject::BadId),
                TypeWord::Unknown => return Err(Reject::UnknownType),
                TypeWord::Known(t) => match controller.by_type[t as usize] {
                    // One that is not announced, or is of another type by now, but has that word as its own id.
                    OfType::None => controller.sensors.get(t.as_str()).copied(),
                    OfType::One(number) => Some(number),
                    OfType::Several => return Err(Reject::Ambiguous),
                },
            },
        };
        let sensor_type = match (key.sensor_type, found) {
            (TypeWord::Known(t), Some(n)) if t != self.sensors[n as usize].sensor_type => {
                return Err(Reject::OtherType);
            }
            (TypeWord::Known(t), _) => t,
            (TypeWord::Unknown, _) => return Err(Reject::UnknownType),
            (TypeWord::Missing, Some(n)) => self.sensors[n as usize].sensor_type,
            (TypeWord::Missing, None) => return Err(Reject::BadId),
        };
        if let Some(unit) = key.unit.as_deref()
            && !harit_protocol::unit_matches(sensor_type, unit)
        {
            return Err(Reject::Unit);
        }
        let number = match found {
            Some(number) => number,
            None => self.register_sensor(engine, c, key, sensor_type, new)?,
        };
        key.remember(self.all[c as usize].version, number);
        Ok(number)
    }

    /// A sensor that a controller has told of by its first reading.
    fn register_sensor(
        &mut self,
        engine: &Engine,
        c: u32,
        key: &Key<'_>,
        sensor_type: SensorType,
        new: &mut Registration,
    ) -> Result<u32, Reject> {
        let local = key.id.as_deref().unwrap_or(sensor_type.as_str());
        let spec = self.new_sensor(engine, c, local, sensor_type)?;
        let id = spec.id.clone();
        self.register(RegistryChange::PutSensor(spec), new);
        self.by_id.get(&id).copied().ok_or(Reject::BadId)
    }

    fn register(&mut self, change: RegistryChange, new: &mut Registration) {
        self.follow(std::slice::from_ref(&change));
        new.changes.push(change);
    }

    fn new_sensor(
        &self,
        engine: &Engine,
        c: u32,
        local: &str,
        sensor_type: SensorType,
    ) -> Result<SensorSpec, Reject> {
        if !harit_protocol::usable_id(local) {
            return Err(Reject::BadId);
        }
        let controller = &self.all[c as usize];
        if controller.sensors.len() >= MAX_CONTROLLER_SENSORS {
            return Err(Reject::TooManyThings);
        }
        let mac = controller.mac;
        let taken = self
            .by_id
            .get(local)
            .is_some_and(|number| self.sensors[*number as usize].known);
        if taken {
            // One that a person registered for nobody's controller is adopted with what the person said of it.
            let own = engine
                .sensor(local)
                .filter(|s| s.spec.controller.is_none() && s.spec.sensor_type == sensor_type);
            if let Some(status) = own {
                return Ok(SensorSpec {
                    controller: Some(mac.to_string()),
                    ..status.spec
                });
            }
        }
        let id = if taken {
            SensorId::new(format!("{mac}/{local}"))
        } else {
            SensorId::from(local)
        };
        Ok(SensorSpec {
            id,
            name: None,
            sensor_type,
            scope: controller.scope.clone(),
            stale_after: STALE_AFTER,
            controller: Some(mac.to_string()),
        })
    }

    /// What a report changes of what is registered.
    pub(crate) fn registration(
        &mut self,
        engine: &Engine,
        c: u32,
        report: &Report,
    ) -> Registration {
        let mut new = Registration::default();
        for s in report.sensors.iter().flatten() {
            let spec = match self.all[c as usize].sensors.get(&*s.id) {
                Some(number) if self.sensors[*number as usize].sensor_type == s.sensor_type => {
                    continue;
                }
                // It was replaced by one of another type under the same id.
                Some(number) => {
                    let id = &self.sensors[*number as usize].id;
                    let Some(known) = engine.sensor(id.as_str()) else {
                        continue;
                    };
                    Ok(SensorSpec {
                        sensor_type: s.sensor_type,
                        ..known.spec
                    })
                }
                None => self.new_sensor(engine, c, &s.id, s.sensor_type),
            };
            match spec {
                Ok(spec) => self.register(RegistryChange::PutSensor(spec), &mut new),
                Err(reject) => new.rejected.push(reject),
            }
        }
        for d in report.devices.iter().flatten() {
            match self.device_spec(engine, c, d, report.online) {
                Ok(Some(spec)) => {
                    self.register(RegistryChange::PutDevice(Box::new(spec)), &mut new);
                }
                Ok(None) => {}
                Err(reject) => new.rejected.push(reject),
            }
        }
        new
    }

    /// The document of a device that is new, or of which a report changes what is registered.
    fn device_spec(
        &self,
        engine: &Engine,
        c: u32,
        d: &DeviceReport,
        online: bool,
    ) -> Result<Option<DeviceSpec>, Reject> {
        let controller = &self.all[c as usize];
        let mac = controller.mac;
        if let Some(known) = controller.devices.get(&*d.id) {
            let Some(status) = engine.device_ref(known.id.as_str()) else {
                // The same report named it before.
                return Ok(None);
            };
            if status.spec.device_type != d.device_type {
                return Err(Reject::OtherType);
            }
            let told = !d.supported_actions.is_null();
            let differs = told && status.spec.supported_actions != d.supported_actions;
            return Ok(differs
                .then(|| engine.device(known.id.as_str()))
                .flatten()
                .map(|status| DeviceSpec {
                    supported_actions: d.supported_actions.clone(),
                    ..status.spec
                }));
        }
        if controller.devices.len() >= MAX_CONTROLLER_DEVICES {
            return Err(Reject::TooManyThings);
        }
        let registered = engine.device_ref(&d.id);
        let is_nobodys = registered
            .is_some_and(|r| r.spec.controller.is_none() && r.spec.device_type == d.device_type);
        if is_nobodys && let Some(status) = engine.device(&d.id) {
            return Ok(Some(DeviceSpec {
                controller: Some(mac.to_string()),
                ..status.spec
            }));
        }
        let taken = registered.is_some() || self.devices.contains_key(&*d.id);
        let id = if taken {
            DeviceId::new(format!("{mac}/{}", d.id))
        } else {
            DeviceId::from(&*d.id)
        };
        let mut spec = DeviceSpec::new(id, d.device_type, controller.scope.clone());
        spec.name = d.name.clone().unwrap_or_else(|| d.id.clone());
        spec.supported_actions = d.supported_actions.clone();
        spec.controller = Some(mac.to_string());
        // It becomes known as it is: nothing has to be sent to it for that.
        spec.online = online;
        spec.state.locks = own_lock(d);
        spec.state.mode = (d.safety == Some(true)).then(|| "safety".to_owned());
        Ok(Some(spec))
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
