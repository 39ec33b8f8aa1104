//! Reports: births, changes, wills, and machines that do something else than they should.

use serde_json::{Value, json};

use super::{Maker, Station};

impl Maker {
    /// A report of one station, mostly of what it is.
    pub(super) fn report(&mut self, station: usize) {
        self.change_machines(station);
        let report = self.whole(station);
        self.say(station, report);
    }

    pub(super) fn say(&mut self, station: usize, report: Value) {
        let mac = self.stations[station].mac;
        self.add(json!({"input": "report", "mac": mac, "report": report}));
    }

    /// Something happens at the machines themselves.
    fn change_machines(&mut self, station: usize) {
        let honest = self.habits.honest;
        let Station { machines, .. } = &mut self.stations[station];
        for machine in machines {
            if !self.dice.chance(honest) {
                machine.on = !machine.on;
                machine.value = Value::Null;
            }
            match self.dice.below(40) {
                0 => machine.lock = Some(*self.dice.pick(&["door", "wind"])),
                1..=3 => machine.lock = None,
                4 => machine.safety = true,
                5..=7 => machine.safety = false,
                _ => {}
            }
        }
        if self.dice.chance(2) {
            let kind = *self.dice.pick(&["fan", "valve"]);
            self.stations[station].add_machine("m9".into(), kind);
        }
        if self.dice.chance(2) {
            let kind = self.dice.pick(&self.world.levels).0.to_owned();
            let n = self.dice.below(self.stations[station].sensors.len());
            self.stations[station].sensors[n].1 = kind;
        }
    }

    /// What a station says of itself: all, or less.
    fn whole(&mut self, station: usize) -> Value {
        let mut report = json!({"online": !self.dice.chance(4)});
        if self.dice.chance(20) {
            report["firmware"] = json!("1.2");
        }
        if report["online"] == false && self.dice.chance(70) {
            return report;
        }
        let known = self.stations[station].clone();
        if self.dice.chance(40) {
            let mut sensors = Vec::new();
            for (own, kind) in &known.sensors {
                if self.dice.chance(90) {
                    sensors.push(json!({"id": own, "type": kind}));
                }
            }
            report["sensors"] = json!(sensors);
        }
        if self.dice.chance(94) {
            let mut devices = Vec::new();
            for machine in 0..known.machines.len() {
                if self.dice.chance(96) {
                    devices.push(self.machine(station, machine));
                }
            }
            report["devices"] = json!(devices);
        }
        report
    }

    /// What a station says of a machine.
    pub(super) fn machine(&mut self, station: usize, machine: usize) -> Value {
        let machine = self.stations[station].machines[machine].clone();
        let mut said = json!({"id": machine.own, "type": machine.kind});
        if self.dice.chance(95) {
            said["on"] = json!(machine.on);
            if self.dice.chance(60) {
                said["value"] = machine.value.clone();
            }
            if !machine.on && self.dice.chance(15) {
                said["lease_over"] = json!(true);
            }
        }
        if machine.lock.is_some() || self.dice.chance(50) {
            said["lock"] = json!(machine.lock);
        }
        if machine.safety || self.dice.chance(50) {
            said["safety"] = json!(machine.safety);
        }
        if self.dice.chance(5) {
            said["type"] = json!(*self.dice.pick(&["fan", "pump"]));
        }
        if self.dice.chance(10) {
            said["supportedActions"] = json!([*self.dice.pick(&["on", "off"])]);
        }
        if self.dice.chance(10) {
            said["name"] = json!("A machine");
        }
        if said["value"].is_null()
            && let Some(said) = said.as_object_mut()
        {
            said.remove("value");
        }
        said
    }

    /// A machine does what it should and stops again, or the contrary, several times.
    pub(super) fn episode(&mut self, station: usize) {
        let Station { machines, .. } = &self.stations[station];
        if machines.is_empty() {
            return;
        }
        let machine = self.dice.below(machines.len());
        let wait = *self
            .dice
            .pick(&[31_000, 31_000, 29_000, 400_000, 1_300_000, 10_900_000]);
        let lease_over = self.dice.chance(15);
        // Then it goes on, in a setting of its controller's.
        let goes_on = lease_over && self.dice.chance(50);
        let rounds = *self.dice.pick(&[1, 3, 4, 4, 5, 9]);
        for _ in 0..rounds {
            self.freed(station, machine);
            let meant = self.is_meant_on(station, machine);
            self.says_on(station, machine, meant, false);
            self.pass(wait);
            self.freed(station, machine);
            let meant = self.is_meant_on(station, machine);
            let on = if goes_on { meant } else { !meant };
            self.says_on(station, machine, on, lease_over && meant);
            let later = *self.dice.pick(&[0, 1_000, 1_000, 30_000, 300_000]);
            self.pass(later);
        }
    }

    fn freed(&mut self, station: usize, machine: usize) {
        let machine = &mut self.stations[station].machines[machine];
        (machine.lock, machine.safety) = (None, false);
    }

    fn says_on(&mut self, station: usize, machine: usize, on: bool, lease_over: bool) {
        self.stations[station].machines[machine].on = on;
        let mut said: Vec<Value> = (0..self.stations[station].machines.len())
            .map(|n| self.machine(station, n))
            .collect();
        said[machine]["on"] = json!(on);
        said[machine]["lease_over"] = json!(lease_over);
        self.say(station, json!({"online": true, "devices": said}));
    }

    /// Whether the last setting sent to a machine is on.
    fn is_meant_on(&self, station: usize, machine: usize) -> bool {
        let Station { mac, machines, .. } = &self.stations[station];
        let own = &machines[machine].own;
        let known = &self.farm.model.devices;
        let device = known
            .get(&format!("{mac}/{own}"))
            .or_else(|| known.get(own));
        let sent = device.and_then(|d| d.last_sent.as_ref());
        sent.is_some_and(crate::document::Setting::is_on)
    }
}
