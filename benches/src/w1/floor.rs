//! The floor of W1: one slot a sensor, one compare with a cached interval, value and instant written.

use super::Workload;

struct Slot {
    from: i64,
    to: i64,
    value: i64,
    at: i64,
}

/// The least that a rule engine could do with a reading.
pub struct Floor {
    slots: Vec<Slot>,
    /// Readings outside their interval.
    pub outside: u64,
}

impl Floor {
    /// A slot a sensor, with the interval of values around its first between two edges of its rules.
    #[must_use]
    pub fn new(workload: &Workload) -> Self {
        let sensors = workload.size.sensors;
        let empty = || Slot {
            from: i64::MIN,
            to: i64::MAX,
            value: 0,
            at: 0,
        };
        let mut slots: Vec<Slot> = (0..sensors).map(|_| empty()).collect();
        for (sensor, value) in &workload.readings[..sensors] {
            slots[*sensor as usize].value = *value;
        }
        for rule in &workload.rules {
            let slot = &mut slots[rule.sensor];
            for edge in rule.trigger.edges() {
                if edge < slot.value {
                    slot.from = slot.from.max(edge + 1);
                } else {
                    slot.to = slot.to.min(edge);
                }
            }
        }
        Self { slots, outside: 0 }
    }

    /// Stores the reading and compares it.
    pub fn apply(&mut self, at: i64, sensor: u32, value: i64) {
        let slot = &mut self.slots[sensor as usize];
        slot.value = value;
        slot.at = at;
        self.outside += u64::from(value < slot.from || value > slot.to);
    }
}
