//! Messages of readings: known and unknown ids, none, several of a type, wrong words, late ones, repeated ones.

use serde_json::{Value, json};

use super::Maker;
use crate::sensor_type::sensor_type;

impl Maker {
    pub(super) fn telemetry(&mut self, station: usize) {
        if let Some(again) = self.stations[station].numbered.clone()
            && self.dice.chance(15)
        {
            self.add(again);
            return;
        }
        let count = *self.dice.pick(&[1, 1, 2, 3]);
        let entries: Vec<Value> = (0..count).map(|_| self.entry(station)).collect();
        let mac = self.stations[station].mac;
        let mut line = json!({"input": "telemetry", "mac": mac, "sensors": entries});
        match self.dice.below(12) {
            0 => {
                line["backlog"] = json!(true);
                line["ts"] = json!(self.at - self.dice.between(300_001, 9_000_000));
            }
            1 => line["ts"] = json!(self.at - self.dice.between(0, 300_000)),
            2 => line["ts"] = json!(self.at + self.dice.between(0, 30_000)),
            3..=6 => line["ts"] = json!(self.at),
            _ => {}
        }
        if self.dice.chance(50) {
            let known = &mut self.stations[station];
            known.seq += 1;
            (line["seq"], line["crc"]) = (json!(known.seq), json!(self.dice.below(3)));
            if self.dice.chance(40) {
                self.stations[station].numbered = Some(line.clone());
            }
        }
        self.add(line);
    }

    fn entry(&mut self, station: usize) -> Value {
        let (mut own, mut kind) = self.dice.pick(&self.stations[station].sensors).clone();
        match self.dice.below(25) {
            0 => own = format!("n{}", self.dice.below(3)),
            1 => own = self.dice.pick(&["", "bad\u{1}id"]).to_string(),
            2 => kind = self.dice.pick(&self.world.levels).0.to_owned(),
            3 => own.clone_from(&kind),
            _ => {}
        }
        let n = self.dice.chance(50);
        let value = self.world.value(&mut self.dice, &kind, n);
        let mut entry = json!({"id": own, "type": kind, "value": value});
        match self.dice.below(16) {
            0..=2 => entry["id"] = Value::Null,
            3 => entry["type"] = Value::Null,
            4 if self.dice.chance(30) => entry["type"] = json!("salt"),
            5 if self.dice.chance(30) => (entry["id"], entry["type"]) = (Value::Null, Value::Null),
            _ => {}
        }
        match self.dice.below(10) {
            0 => entry["unit"] = json!("%"),
            1..=3 => {
                let unit = match kind.as_str() {
                    "ph" => "pH",
                    kind => sensor_type(kind).map_or("", |t| t.unit),
                };
                entry["unit"] = json!(unit);
            }
            _ => {}
        }
        if let Some(entry) = entry.as_object_mut() {
            entry.retain(|field, value| field == "value" || !value.is_null());
        }
        entry
    }

    /// A reading of a sensor that is no controller's, about the level at which something happens.
    pub(super) fn reading(&mut self) {
        let sensor = self.dice.pick(&self.world.sensors).clone();
        let (kind, above) = (super::text(&sensor, "type"), self.dice.chance(50));
        for _ in 0..2 {
            let value = self.world.value(&mut self.dice, &kind, above);
            self.add(json!({"input": "reading", "sensor": sensor["id"], "value": value}));
            self.pass(1_000);
        }
    }
}
