//! How what is known of controllers follows what is registered.
//!
//! A thing is a controller's whose MAC its document names; its own id is its id there, without `{mac}/`. Of two things of a
//! controller with one own id it is the one with the smaller id.

use std::collections::BTreeSet;

use harit_engine::{
    DeviceId, DeviceSpec, Engine, RegistryChange, SensorId, SensorSpec, SensorType,
};
use harit_protocol::Mac;

use super::{Controllers, Device, OfType, Sensor, local_id};

impl Controllers {
    fn add_sensor(&mut self, id: SensorId, sensor_type: SensorType, local: Box<str>) -> u32 {
        let number = u32::try_from(self.sensors.len()).unwrap_or(u32::MAX);
        self.sensors.push(Sensor {
            id: id.clone(),
            sensor_type,
            of: None,
            local,
            ix: None,
            ix_version: u64::MAX,
            known: false,
        });
        self.by_id.insert(id, number);
        number
    }

    /// The registry changed: what is known of controllers follows.
    pub(crate) fn follow(&mut self, changes: &[RegistryChange]) {
        let mut touched = BTreeSet::new();
        for change in changes {
            match change {
                RegistryChange::PutSensor(spec) => self.put_sensor(spec, &mut touched),
                RegistryChange::DeleteSensor(id) => self.remove_sensor(id, &mut touched),
                RegistryChange::PutDevice(spec) => self.put_device(spec),
                RegistryChange::DeleteDevice(id) => self.remove_device(id),
                RegistryChange::PutPolyhouse(_)
                | RegistryChange::DeletePolyhouse(_)
                | RegistryChange::Settings(_) => {}
            }
        }
        touched.into_iter().for_each(|c| self.changed(c));
    }

    /// The engine refused changes that are followed already: all is again as the engine has it.
    pub(crate) fn unfollow(&mut self, engine: &Engine, changes: &[RegistryChange]) {
        let mut touched = BTreeSet::new();
        for change in changes {
            match change {
                RegistryChange::PutSensor(spec) => match engine.sensor(spec.id.as_str()) {
                    Some(was) => self.put_sensor(&was.spec, &mut touched),
                    None => self.remove_sensor(&spec.id, &mut touched),
                },
                RegistryChange::PutDevice(spec) => match engine.device_ref(spec.id.as_str()) {
                    Some(was) => self.put_device(was.spec),
                    None => self.remove_device(&spec.id),
                },
                _ => {}
            }
        }
        touched.into_iter().for_each(|c| self.changed(c));
    }

    pub(super) fn put_sensor(&mut self, spec: &SensorSpec, touched: &mut BTreeSet<u32>) {
        let mac = spec.controller.as_deref().and_then(|m| Mac::parse(m).ok());
        let local: Box<str> = local_id(spec.id.as_str(), mac).into();
        let number = match self.by_id.get(&spec.id) {
            Some(number) => *number,
            None => self.add_sensor(spec.id.clone(), spec.sensor_type, local.clone()),
        };
        let of = mac.map(|mac| self.controller(mac));
        if self.sensors[number as usize].of != of {
            self.detach(number, touched);
        }
        let sensor = &mut self.sensors[number as usize];
        (sensor.sensor_type, sensor.known, sensor.of) = (spec.sensor_type, true, of);
        sensor.local.clone_from(&local);
        if let Some(c) = of {
            let known = self.all[c as usize].sensors.get(&local).copied();
            // Of two with one own id it is the one with the smaller id.
            let smaller = |n: &u32| self.sensors[*n as usize].id < spec.id;
            if !known.as_ref().is_some_and(smaller) {
                self.all[c as usize].sensors.insert(local, number);
            }
            touched.insert(c);
        }
    }

    fn remove_sensor(&mut self, id: &SensorId, touched: &mut BTreeSet<u32>) {
        if let Some(number) = self.by_id.get(id).copied() {
            self.detach(number, touched);
            self.sensors[number as usize].known = false;
        }
    }

    /// A sensor is its controller's no more.
    fn detach(&mut self, number: u32, touched: &mut BTreeSet<u32>) {
        let sensor = &mut self.sensors[number as usize];
        let Some(c) = sensor.of.take() else { return };
        let controller = &mut self.all[c as usize];
        if controller.sensors.get(&sensor.local) == Some(&number) {
            let local = sensor.local.clone();
            controller.sensors.remove(&local);
            controller.gone.remove(&local);
            touched.insert(c);
            let others = (0..).zip(&self.sensors);
            let others = others.filter(|(_, s)| s.of == Some(c) && s.local == local);
            let next = others.min_by(|(_, a), (_, b)| a.id.cmp(&b.id));
            if let Some((next, _)) = next {
                self.all[c as usize].sensors.insert(local, next);
            }
        }
    }

    pub(super) fn put_device(&mut self, spec: &DeviceSpec) {
        let mac = spec.controller.as_deref().and_then(|m| Mac::parse(m).ok());
        let of = mac.map(|mac| self.controller(mac));
        if let Some((was, _)) = self.devices.get(&spec.id)
            && of != Some(*was)
        {
            self.detach_device(&spec.id);
        }
        let Some(c) = of else { return };
        let local: Box<str> = local_id(spec.id.as_str(), mac).into();
        self.devices.insert(spec.id.clone(), (c, local.clone()));
        let known = self.all[c as usize].devices.get(&local);
        // Of two with one own id it is the one with the smaller id.
        if known.is_none_or(|known| spec.id < known.id) {
            let replaced = self.all[c as usize]
                .devices
                .insert(local, Device::new(spec.id.clone()));
            if let Some(replaced) = replaced {
                self.reconciler.ends(&replaced.id);
            }
        }
    }

    fn remove_device(&mut self, id: &DeviceId) {
        self.detach_device(id);
        self.reconciler.forget(id);
    }

    /// A device is its controller's no more; what was remembered of it is forgotten.
    fn detach_device(&mut self, id: &DeviceId) {
        let Some((c, local)) = self.devices.remove(id) else {
            return;
        };
        self.reconciler.ends(id);
        let devices = &mut self.all[c as usize].devices;
        if devices.get(&local).is_some_and(|known| known.id == *id) {
            devices.remove(&local);
            let mut others = self.devices.iter();
            let next = others.find(|(_, at)| at.0 == c && at.1 == local);
            if let Some((next, _)) = next {
                devices.insert(local, Device::new(next.clone()));
            }
        }
    }

    /// Something changed on which it depends which sensor a key of the controller means.
    pub(super) fn changed(&mut self, c: u32) {
        let controller = &mut self.all[c as usize];
        controller.version += 1;
        controller.by_type = [const { OfType::None }; SensorType::ALL.len()];
        for (local, number) in &controller.sensors {
            if controller.gone.contains(local) {
                continue;
            }
            let sensor_type = self.sensors[*number as usize].sensor_type;
            let of = &mut controller.by_type[sensor_type as usize];
            *of = match of {
                OfType::None => OfType::One(*number),
                OfType::One(_) | OfType::Several => OfType::Several,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use harit_engine::FarmDocument;
    use serde_json::json;

    use super::*;

    const MAC: &str = "A4CF120B9E01";

    /// Two sensors and two devices of one controller, each two with the same own id: the smaller ids first.
    fn twice() -> [[RegistryChange; 2]; 2] {
        let ids = |own: &str| [format!("{MAC}/{own}"), own.to_owned()];
        let sensor = |id: String| json!({"id": id, "name": id, "type": "temperature", "scope": {"type": "farm", "farm": "f1"}, "controller": MAC});
        let device = |id: String| json!({"id": id, "name": id, "type": "fan", "scope": {"type": "farm", "farm": "f1"}, "controller": MAC});
        let document = json!({
            "farm": {"id": "f1", "name": "Farm"}, "polyhouses": [], "rules": [], "alerts": [],
            "sensors": ids("t1").map(sensor), "devices": ids("fan").map(device),
        });
        let document = FarmDocument::from_json(&document).unwrap();
        let sensors = document.sensors.into_iter();
        let sensors = sensors.map(RegistryChange::PutSensor);
        let devices = document.devices.into_iter().map(Box::new);
        let devices = devices.map(RegistryChange::PutDevice);
        [sensors.collect::<Vec<_>>(), devices.collect()].map(|both| both.try_into().unwrap())
    }

    #[test]
    fn of_two_with_one_own_id_it_is_the_smaller_one_in_whatever_order_they_come() {
        let mac = Mac::parse(MAC).unwrap();
        for smaller_first in [true, false] {
            let mut controllers = Controllers::default();
            for mut both in twice() {
                if !smaller_first {
                    both.reverse();
                }
                both.iter()
                    .for_each(|change| controllers.follow(std::slice::from_ref(change)));
            }
            let sensor = controllers.sensor_of(mac, "t1").unwrap();
            assert_eq!(sensor.as_str(), format!("{MAC}/t1"), "{smaller_first}");
            let device = controllers.device_of(mac, "fan").unwrap();
            assert_eq!(device.as_str(), format!("{MAC}/fan"), "{smaller_first}");
            assert_eq!((controllers.size(), controllers.device_count(mac)), (4, 1));
            let same = [twice()[0][0].clone(), twice()[1][0].clone()];
            controllers.follow(&same);
            assert_eq!(controllers.size(), 4, "what is put again is the same");
        }
    }
}
