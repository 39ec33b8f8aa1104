//! A farm's state as bytes.

use harit_engine::Engine;
use serde::{Deserialize, Serialize};
use thiserror::Error;

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
}

impl Beside {
    fn read(bytes: &[u8]) -> serde_json::Result<Self> {
        if bytes.first() != Some(&b'[') {
            return serde_json::from_slice(bytes);
        }
        Ok(Self {
            controllers: controllers::Stored::first_version(bytes)?,
            delivery: delivery::Stored::default(),
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
        if !planted!(DeliveryNotRestored) {
            farm.delivery = Delivery::restore(beside.delivery);
        }
        Ok(farm)
    }
}
