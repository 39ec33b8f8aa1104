//! A farm's state as bytes.

use harit_engine::{Engine, planted};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::authored::Authored;
use crate::controllers;
use crate::delivery::{self, Delivery};
use crate::farm::Farm;

/// A snapshot cannot be read.
#[derive(Debug, Error)]
#[error("the state of a farm cannot be read: {0}")]
pub struct RestoreError(String);

/// What a snapshot has beside the engine. The first version knew nothing of commands, and had a list of controllers.
#[derive(Serialize, Deserialize)]
struct Beside {
    controllers: controllers::Stored,
    delivery: delivery::Stored,
    #[serde(default, skip_serializing_if = "Authored::is_empty")]
    authored: Authored,
}

impl Beside {
    fn read(bytes: &[u8]) -> serde_json::Result<Self> {
        if bytes.first() != Some(&b'[') {
            return serde_json::from_slice(bytes);
        }
        Ok(Self {
            controllers: controllers::Stored::first_version(bytes)?,
            delivery: delivery::Stored::default(),
            authored: Authored::default(),
        })
    }
}

impl Farm {
    /// Its state as bytes: the engine's, and what is beside it.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn snapshot(&self) -> serde_json::Result<[Vec<u8>; 2]> {
        let beside = Beside {
            controllers: self.controllers.store(),
            delivery: self.delivery.store(),
            authored: self.authored.clone(),
        };
        Ok([self.engine.snapshot(), serde_json::to_vec(&beside)?])
    }

    /// Reads what [`Self::snapshot`] wrote, or an earlier build.
    ///
    /// # Errors
    /// When the bytes are not such a state.
    pub fn restore(engine: &[u8], beside: &[u8]) -> Result<Self, RestoreError> {
        let engine = Engine::restore(engine).map_err(|e| RestoreError(e.to_string()))?;
        let beside = Beside::read(beside).map_err(|e| RestoreError(e.to_string()))?;
        let mut farm = Self::new(engine);
        farm.controllers.restore(beside.controllers);
        farm.authored = beside.authored;
        if !planted!(DeliveryNotRestored) {
            farm.delivery = Delivery::restore(beside.delivery);
        }
        Ok(farm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harit_engine::{FarmDocument, Timestamp};
    use serde_json::json;

    #[test]
    fn what_an_earlier_build_stored_is_read() {
        let farm = json!({"farm": {"id": "f1", "name": "F"}, "devices": [
            {"id": "fan-1", "name": "", "type": "fan", "scope": {"type": "farm"}, "controller": "A4CF120B9E01"}]});
        let engine = Engine::new(&FarmDocument::from_json(&farm).unwrap()).unwrap();
        let beside = json!([{"mac": "A4CF120B9E01", "online": true, "firmware": "1.2", "gone": [], "recent": [[7, 8]], "devices": {
            "fan-1": {"id": "fan-1", "gone": false, "reported": {"on": false, "value": null, "at": 5}, "lock": null, "safety": false,
                "conduct": {"told": [1], "astray": {"since": 2, "told": 1, "counts": true}}}}}]);
        let farm = Farm::restore(&engine.snapshot(), beside.to_string().as_bytes()).unwrap();
        let controllers = farm.controllers();
        let status = &controllers.status(farm.id())[0];
        assert!(status.online);
        assert_eq!(status.firmware.as_deref(), Some("1.2"));
        let reported = status.devices[0].reported.unwrap();
        assert_eq!(
            (reported.on, reported.at),
            (false, Timestamp::from_millis(5))
        );
        assert_eq!(status.last_seen, None);
        // Stored again, it is of the present version, and the same.
        let [engine, beside] = farm.snapshot().unwrap();
        assert_eq!(beside.first(), Some(&b'{'));
        let again = Farm::restore(&engine, &beside).unwrap();
        assert_eq!(again.snapshot().unwrap()[1], beside);
    }
}
