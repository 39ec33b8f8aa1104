//! Controllers.

use harit_engine::{Engine, FarmId, InputKind, RegistryChange};
use harit_ingest::Hub;
use harit_protocol::Mac;
use harit_protocol::topic::controller_prefix;
use serde_json::json;

use super::{Operator, OperatorError, entry, name_of, refused};
use crate::audit::Action;
use crate::records::{AssetKind, Controller, NewController, NewReservoir, RegisterError, new_id};
use crate::routes::new_polyhouse;
use crate::secret::new_secret;

const MAX_NAME_CHARS: usize = 120;

/// A controller, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControllerInfo {
    /// Names it.
    pub mac: String,
    /// What it is called.
    pub name: String,
    /// Whose it is.
    pub farm: String,
    /// POLYHOUSE or FERTIGATION.
    pub kind: &'static str,
    /// Whether it may connect.
    pub enabled: bool,
}

/// What a controller is for.
#[derive(Debug, Clone, Copy)]
pub enum Served<'a> {
    /// A polyhouse of that id.
    Polyhouse(&'a str),
    /// A polyhouse that is made with it, of the controller's name.
    NewPolyhouse,
    /// A reservoir of that id.
    Reservoir(&'a str),
    /// A reservoir that is made with it, of the controller's name.
    NewReservoir,
}

/// A controller to be registered.
#[derive(Debug, Clone, Copy)]
pub struct ControllerWish<'a> {
    /// Of which farm; of the only one where none is named.
    pub farm: Option<&'a str>,
    /// Its MAC.
    pub mac: Mac,
    /// What it is called.
    pub name: &'a str,
    /// What it is for.
    pub serves: Served<'a>,
}

/// What a controller connects with.
#[derive(Debug, Clone)]
pub struct MadeController {
    /// Its MAC.
    pub username: String,
    /// To be told once.
    pub password: String,
    /// It publishes and subscribes under this.
    pub topic: String,
}

impl MadeController {
    fn new(farm: &FarmId, mac: Mac) -> Result<Self, OperatorError> {
        Ok(Self {
            username: mac.as_str().to_owned(),
            password: new_secret()?,
            topic: controller_prefix(farm, mac),
        })
    }
}

impl Operator {
    /// The controllers, of one farm or of all.
    ///
    /// # Errors
    /// When there is no such farm, or the records fail.
    pub async fn controllers(
        &self,
        farm: Option<&str>,
    ) -> Result<Vec<ControllerInfo>, OperatorError> {
        let mut all = Vec::new();
        for id in self.one_or_all(farm).await? {
            all.extend(self.records.of_farm(id).controllers());
        }
        let info = |c: Controller| ControllerInfo {
            mac: c.mac.as_str().to_owned(),
            name: c.name,
            farm: c.farm.to_string(),
            kind: c.kind.as_str(),
            enabled: c.enabled,
        };
        Ok(all.into_iter().map(info).collect())
    }

    /// Registers a controller.
    ///
    /// # Errors
    /// When its MAC is registered, there is no such farm or place, or it cannot be stored.
    pub async fn add_controller(
        &self,
        hub: &Hub,
        wish: ControllerWish<'_>,
    ) -> Result<MadeController, OperatorError> {
        let farm = self.farm(wish.farm).await?;
        let name = name_of(wish.name, MAX_NAME_CHARS)?;
        if let Some(taken) = self.records.any_controller(wish.mac) {
            let mac = wish.mac.as_str();
            return Err(refused(format!(
                "{mac} is registered in farm {}",
                taken.farm
            )));
        }
        let made = MadeController::new(&farm, wish.mac)?;
        let mut new = NewController {
            mac: wish.mac,
            kind: AssetKind::Polyhouse,
            name: name.clone(),
            secret: made.password.clone(),
            polyhouse_id: None,
            reservoir_id: None,
            reservoir: None,
        };
        match wish.serves {
            Served::Polyhouse(id) => {
                let asked = id.to_owned();
                let is_there = move |engine: &Engine| {
                    engine
                        .document()
                        .polyhouses
                        .iter()
                        .any(|p| p.id.as_str() == asked)
                };
                if !hub.read(&farm, is_there).await? {
                    return Err(refused(format!("farm {farm} has no polyhouse {id:?}")));
                }
                new.polyhouse_id = Some(id.to_owned());
            }
            // first, as in onboarding: an empty one that is left can be seen and deleted
            Served::NewPolyhouse => {
                let polyhouse = new_polyhouse(name.clone());
                new.polyhouse_id = Some(polyhouse.id.to_string());
                let put = vec![RegistryChange::PutPolyhouse(polyhouse)];
                hub.admit(&farm, InputKind::Registry(put)).await?;
            }
            Served::Reservoir(id) => {
                let all = self.records.of_farm(farm.clone()).reservoirs().await?;
                if all.iter().all(|r| r.id != id) {
                    return Err(refused(format!("farm {farm} has no reservoir {id:?}")));
                }
                new.kind = AssetKind::Fertigation;
                new.reservoir_id = Some(id.to_owned());
            }
            Served::NewReservoir => {
                new.kind = AssetKind::Fertigation;
                new.reservoir = Some(NewReservoir {
                    id: new_id(),
                    name: name.clone(),
                    capacity_litres: None,
                    last_refill_at: None,
                });
            }
        }
        let details = json!({"type": new.kind, "name": name});
        let mut write = self.write(&farm).await?;
        write.register(&[new]).await.map_err(|e| match e {
            RegisterError::Taken => refused(e.to_string()),
            RegisterError::Records(e) => e.into(),
        })?;
        write
            .commit(entry(Action::AssetRegistered, &made.username, details))
            .await?;
        Ok(made)
    }

    /// Gives a controller a new password.
    ///
    /// # Errors
    /// When there is no such controller, or the records fail.
    pub async fn renew_controller(&self, mac: Mac) -> Result<MadeController, OperatorError> {
        let found = self.controller(mac)?;
        let made = MadeController::new(&found.farm, mac)?;
        let mut write = self.write(&found.farm).await?;
        write.renew_secret(&found, &made.password).await?;
        let details = json!({"name": found.name});
        write
            .commit(entry(
                Action::ControllerSecretRenewed,
                mac.as_str(),
                details,
            ))
            .await?;
        Ok(made)
    }

    /// Says whether a controller may connect.
    ///
    /// # Errors
    /// When there is no such controller, or the records fail.
    pub async fn enable_controller(&self, mac: Mac, enabled: bool) -> Result<(), OperatorError> {
        let found = self.controller(mac)?;
        let action = if enabled {
            Action::ControllerEnabled
        } else {
            Action::ControllerDisabled
        };
        let mut write = self.write(&found.farm).await?;
        write.enable_controller(&found, enabled).await?;
        Ok(write
            .commit(entry(action, mac.as_str(), json!({"name": found.name})))
            .await?)
    }

    /// Takes a controller out of its farm; its MAC is free. Gives the farm.
    ///
    /// # Errors
    /// When there is no such controller, or the records fail.
    pub async fn remove_controller(&self, mac: Mac) -> Result<String, OperatorError> {
        let found = self.controller(mac)?;
        let mut write = self.write(&found.farm).await?;
        write.remove_controller(mac).await?;
        let details = json!({"name": found.name});
        write
            .commit(entry(Action::ControllerReleased, mac.as_str(), details))
            .await?;
        Ok(found.farm.to_string())
    }

    fn controller(&self, mac: Mac) -> Result<Controller, OperatorError> {
        let found = self.records.any_controller(mac);
        found.ok_or_else(|| refused(format!("{} is registered nowhere", mac.as_str())))
    }
}
