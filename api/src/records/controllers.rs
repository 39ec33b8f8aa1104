//! Controllers: which exist, whose they are, and their secrets. MQTT asks for them at every connection and for every publish,
//! so the whole table is kept in memory and written through.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use futures_util::future::BoxFuture;
use harit_engine::{FarmId, ScopeSpec};
use harit_ingest::mqtt::{Principal, Refusal};
use harit_ingest::{ControllerDirectory, ControllerKind, ControllerRecord};
use harit_protocol::Mac;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use subtle::ConstantTimeEq;
use utoipa::ToSchema;

use super::db::Db;
use super::integrations::Integrations;
use super::reservoirs::NewReservoir;
use super::{FarmRecords, Records, Write};
use crate::records::sql;
use crate::secret::sha256_hex;

/// Stands for the hash of a secret where there is no account.
pub(super) const NO_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What an asset is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum AssetKind {
    /// Controls a polyhouse.
    Polyhouse,
    /// Controls a reservoir and its dosing.
    Fertigation,
    /// Controls nothing: it stands for many things (Zigbee2MQTT, a LoRaWAN server, a broker's bridge).
    Gateway,
}

impl AssetKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Polyhouse => "POLYHOUSE",
            Self::Fertigation => "FERTIGATION",
            Self::Gateway => "GATEWAY",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Polyhouse, Self::Fertigation, Self::Gateway]
            .into_iter()
            .find(|k| k.as_str() == text)
    }
}

/// A controller as registered.
#[derive(Debug, Clone)]
pub(crate) struct Controller {
    pub mac: Mac,
    pub farm: FarmId,
    pub kind: AssetKind,
    pub name: String,
    pub polyhouse_id: Option<String>,
    pub reservoir_id: Option<String>,
    pub enabled: bool,
    pub created_at: i64,
    /// When it got its present password, if that was written down.
    pub password_at: Option<i64>,
    secret_hash: String,
}

/// A controller to be registered, with the reservoir that comes with it or the one that is there.
#[derive(Debug, Clone)]
pub(crate) struct NewController {
    pub mac: Mac,
    pub kind: AssetKind,
    pub name: String,
    pub secret: String,
    pub polyhouse_id: Option<String>,
    pub reservoir_id: Option<String>,
    pub reservoir: Option<NewReservoir>,
}

/// Why controllers were not registered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RegisterError {
    #[error("a controller of that MAC exists")]
    Taken,
    #[error("the records failed")]
    Records(#[from] sqlx::Error),
}

/// Whose a MAC is, as seen from a farm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    Nobodys,
    Own,
    Anothers,
}

/// All controllers and integrations, in memory.
#[derive(Debug)]
pub(super) struct Directory {
    controllers: RwLock<HashMap<Mac, Controller>>,
    pub(super) integrations: Integrations,
}

#[derive(FromRow)]
struct Row {
    mac: String,
    farm_id: String,
    kind: String,
    name: String,
    secret_hash: String,
    polyhouse_id: Option<String>,
    reservoir_id: Option<String>,
    enabled: bool,
    created_at: i64,
    password_at: Option<i64>,
}

impl Controller {
    /// What of it decides whether and as what it is let in.
    fn account(&self) -> (&FarmId, bool, &str, AssetKind, Option<&str>) {
        let polyhouse = self.polyhouse_id.as_deref();
        (
            &self.farm,
            self.enabled,
            &self.secret_hash,
            self.kind,
            polyhouse,
        )
    }
}

impl Row {
    fn read(self) -> Option<Controller> {
        Some(Controller {
            mac: Mac::parse(&self.mac).ok()?,
            farm: FarmId::new(self.farm_id),
            kind: AssetKind::parse(&self.kind)?,
            name: self.name,
            polyhouse_id: self.polyhouse_id,
            reservoir_id: self.reservoir_id,
            enabled: self.enabled,
            created_at: self.created_at,
            password_at: self.password_at,
            secret_hash: self.secret_hash,
        })
    }
}

const CONTROLLERS: &str = "SELECT mac, farm_id, kind, name, secret_hash, polyhouse_id, reservoir_id, enabled, created_at, password_at FROM controllers";

async fn all_controllers(db: &Db) -> Result<HashMap<Mac, Controller>, sqlx::Error> {
    let rows: Vec<Row> = sql::query_as(CONTROLLERS).fetch_all(&db.readers).await?;
    let all = rows.into_iter().filter_map(Row::read);
    Ok(all.map(|c| (c.mac, c)).collect())
}

impl Directory {
    pub(super) async fn load(db: &Db) -> Result<Self, sqlx::Error> {
        Ok(Self {
            controllers: RwLock::new(all_controllers(db).await?),
            integrations: Integrations::load(db).await?,
        })
    }

    /// Loads everything anew.
    pub(super) async fn reload(&self, db: &Db) -> Result<(), sqlx::Error> {
        let all = all_controllers(db).await?;
        *(self.controllers.write()).unwrap_or_else(PoisonError::into_inner) = all;
        self.integrations.reload(db).await
    }

    /// Loads a controller anew. Returns the farms whose it was and is, where something is another one.
    pub(super) async fn renew(&self, db: &Db, mac: Mac) -> Result<Vec<FarmId>, sqlx::Error> {
        let (before, now) = (self.get(mac), stored(db, mac).await?);
        let is_same =
            before.as_ref().map(Controller::account) == now.as_ref().map(Controller::account);
        let farms = before.iter().chain(&now).map(|c| c.farm.clone()).collect();
        match now {
            Some(controller) => self.put(controller),
            None => self.remove(mac),
        }
        Ok(if is_same { Vec::new() } else { farms })
    }

    fn get(&self, mac: Mac) -> Option<Controller> {
        self.controllers
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&mac)
            .cloned()
    }

    fn remove(&self, mac: Mac) {
        self.controllers
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&mac);
    }

    fn put(&self, controller: Controller) {
        self.controllers
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(controller.mac, controller);
    }
}

/// Whether a secret is the one of that hash; the time it takes says nothing about how much of it is right.
pub(super) fn is_secret(secret: &[u8], hash: &str) -> bool {
    sha256_hex(secret).as_bytes().ct_eq(hash.as_bytes()).into()
}

impl Records {
    /// The farm of a controller or an integration, by what it signs in with.
    pub(crate) fn farm_of_account(&self, name: &str) -> Option<FarmId> {
        match Mac::parse(name) {
            Ok(mac) => self.directory.get(mac).map(|c| c.farm),
            Err(_) => self.directory.integrations.farm_of(name),
        }
    }

    /// The controller of that MAC, whichever farm has it; for who runs the server.
    pub(crate) fn any_controller(&self, mac: Mac) -> Option<Controller> {
        self.directory.get(mac)
    }
}

impl FarmRecords {
    /// The farm's controllers, in the order in which they were registered.
    pub(crate) fn controllers(&self) -> Vec<Controller> {
        let all = self
            .records
            .directory
            .controllers
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let mut mine: Vec<Controller> = all
            .values()
            .filter(|c| c.farm == self.farm)
            .cloned()
            .collect();
        mine.sort_by_key(|c| (c.created_at, c.mac));
        mine
    }

    /// Whose a MAC is. Says so to nobody but the code that registers one.
    pub(crate) fn whose(&self, mac: Mac) -> Whose {
        match self.records.directory.get(mac) {
            None => Whose::Nobodys,
            Some(c) if c.farm == self.farm => Whose::Own,
            Some(_) => Whose::Anothers,
        }
    }

    /// The farm's controller of that MAC.
    pub(crate) fn controller(&self, mac: Mac) -> Option<Controller> {
        let found = self.records.directory.get(mac)?;
        (found.farm == self.farm).then_some(found)
    }
}

impl Write {
    /// Gives a controller a new secret in place of its old one.
    pub(crate) async fn renew_secret(
        &mut self,
        controller: &Controller,
        secret: &str,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE controllers SET secret_hash = $3, password_at = $4 WHERE mac = $1 AND farm_id = $2";
        let secret_hash = sha256_hex(secret.as_bytes());
        let now = super::now_ms();
        let (farm, tx) = self.parts();
        let query = sql::query(Q).bind(controller.mac.as_str()).bind(farm);
        query.bind(&secret_hash).bind(now).execute(tx).await?;
        self.keep(controller.mac, move |c| {
            c.secret_hash = secret_hash;
            c.password_at = Some(now);
        });
        Ok(())
    }

    /// Gives a controller another name.
    pub(crate) async fn rename_controller(
        &mut self,
        controller: &Controller,
        name: &str,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE controllers SET name = $3 WHERE mac = $1 AND farm_id = $2";
        let (farm, tx) = self.parts();
        let query = sql::query(Q).bind(controller.mac.as_str()).bind(farm);
        query.bind(name).execute(tx).await?;
        let name = name.to_owned();
        self.keep(controller.mac, move |c| c.name = name);
        Ok(())
    }

    /// Says whether a controller may connect.
    pub(crate) async fn enable_controller(
        &mut self,
        controller: &Controller,
        enabled: bool,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE controllers SET enabled = $3 WHERE mac = $1 AND farm_id = $2";
        let (farm, tx) = self.parts();
        let query = sql::query(Q).bind(controller.mac.as_str()).bind(farm);
        query.bind(enabled).execute(tx).await?;
        self.keep(controller.mac, move |c| c.enabled = enabled);
        Ok(())
    }

    /// Takes a controller out of the farm; its MAC is free.
    pub(crate) async fn remove_controller(&mut self, mac: Mac) -> Result<(), sqlx::Error> {
        const Q: &str = "DELETE FROM controllers WHERE mac = $1 AND farm_id = $2";
        let (farm, tx) = self.parts();
        let query = sql::query(Q).bind(mac.as_str()).bind(farm);
        let removed = query.execute(tx).await?.rows_affected();
        if removed > 0 {
            self.after(move |records| records.directory.remove(mac));
        }
        Ok(())
    }

    /// What is stored is in memory too, once it is durable.
    fn keep(&mut self, mac: Mac, change: impl FnOnce(&mut Controller) + Send + 'static) {
        self.after(move |records| {
            if let Some(mut controller) = records.directory.get(mac) {
                change(&mut controller);
                records.directory.put(controller);
            }
        });
    }

    /// Registers controllers with their reservoirs: all of them, or none.
    pub(crate) async fn register(
        &mut self,
        new: &[NewController],
    ) -> Result<Vec<Controller>, RegisterError> {
        const RESERVOIR: &str = "INSERT INTO reservoirs (id, farm_id, name, capacity_litres, last_refill_at, created_at) \
                                 VALUES ($1, $2, $3, $4, $5, $6)";
        const CONTROLLER: &str = "INSERT INTO controllers (mac, farm_id, kind, name, secret_hash, polyhouse_id, reservoir_id, enabled, created_at, password_at) \
                                  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
        let now = super::now_ms();
        let farm = self.records().farm.clone();
        let made: Vec<Controller> = (0_i64..)
            .zip(new)
            .map(|(n, c)| Controller {
                mac: c.mac,
                farm: farm.clone(),
                kind: c.kind,
                name: c.name.clone(),
                polyhouse_id: c.polyhouse_id.clone(),
                reservoir_id: match &c.reservoir {
                    Some(new) => Some(new.id.clone()),
                    None => c.reservoir_id.clone(),
                },
                enabled: true,
                // registered together, they keep the order of the list
                created_at: now + n,
                password_at: Some(now),
                secret_hash: sha256_hex(c.secret.as_bytes()),
            })
            .collect();
        let (farm, tx) = self.parts();
        for (c, n) in made.iter().zip(new) {
            if let Some(r) = &n.reservoir {
                sql::query(RESERVOIR)
                    .bind(&r.id)
                    .bind(farm)
                    .bind(&r.name)
                    .bind(r.capacity_litres)
                    .bind(r.last_refill_at)
                    .bind(c.created_at)
                    .execute(&mut *tx)
                    .await?;
            }
            let stored = sql::query(CONTROLLER)
                .bind(c.mac.as_str())
                .bind(farm)
                .bind(c.kind.as_str())
                .bind(&c.name)
                .bind(&c.secret_hash)
                .bind(&c.polyhouse_id)
                .bind(&c.reservoir_id)
                .bind(c.enabled)
                .bind(c.created_at)
                .bind(c.password_at)
                .execute(&mut *tx)
                .await;
            stored.map_err(|e| match e.as_database_error() {
                Some(d) if d.is_unique_violation() => RegisterError::Taken,
                _ => e.into(),
            })?;
        }
        let stored = made.clone();
        self.after(move |records| {
            stored.into_iter().for_each(|c| records.directory.put(c));
        });
        Ok(made)
    }
}

impl Controller {
    pub(crate) fn record(&self) -> ControllerRecord {
        let (kind, scope) = match (self.kind, &self.polyhouse_id) {
            (AssetKind::Polyhouse, Some(id)) => {
                (ControllerKind::Polyhouse, ScopeSpec::polyhouse(id.as_str()))
            }
            (AssetKind::Polyhouse, None) => (ControllerKind::Polyhouse, ScopeSpec::farm()),
            (AssetKind::Fertigation, _) => (ControllerKind::Fertigation, ScopeSpec::farm()),
            (AssetKind::Gateway, _) => (ControllerKind::Gateway, ScopeSpec::farm()),
        };
        ControllerRecord {
            farm: self.farm.clone(),
            mac: self.mac,
            kind,
            scope,
            enabled: self.enabled,
        }
    }
}

/// The controller of that MAC as the database has it.
async fn stored(db: &Db, mac: Mac) -> Result<Option<Controller>, sqlx::Error> {
    let one = sqlx::AssertSqlSafe(format!("{CONTROLLERS} WHERE mac = $1"));
    let row: Option<Row> = sql::query_as(one)
        .bind(mac.as_str())
        .fetch_optional(&db.readers)
        .await?;
    Ok(row.and_then(Row::read))
}

/// Whether who shows that secret is the controller.
fn let_in(found: Option<Controller>, secret: &[u8]) -> Result<ControllerRecord, Refusal> {
    // the secret is compared for unknown controllers too, so that the time tells nothing
    let right = is_secret(secret, found.as_ref().map_or(NO_HASH, |c| &c.secret_hash));
    match found {
        Some(c) if right && c.enabled => Ok(c.record()),
        Some(_) if right => Err(Refusal::Disabled),
        _ => Err(Refusal::BadCredentials),
    }
}

impl ControllerDirectory for Records {
    fn lookup(&self, mac: &Mac) -> Option<ControllerRecord> {
        self.directory.get(*mac).map(|c| c.record())
    }

    fn verify<'a>(
        &'a self,
        mac: &'a Mac,
        secret: &'a [u8],
    ) -> BoxFuture<'a, Result<ControllerRecord, Refusal>> {
        let result = let_in(self.directory.get(*mac), secret);
        if !(self.db.is_shared() && matches!(result, Err(Refusal::BadCredentials))) {
            return Box::pin(std::future::ready(result));
        }
        // Another server may have registered it just now, or given it another secret.
        Box::pin(async move {
            let found = stored(&self.db, *mac).await.map_err(|error| {
                tracing::warn!(%error, "a controller could not be looked for");
                Refusal::Unavailable
            })?;
            let_in(found, secret)
        })
    }

    fn verify_integration<'a>(
        &'a self,
        name: &'a str,
        secret: &'a [u8],
    ) -> BoxFuture<'a, Result<Principal, Refusal>> {
        let now = super::now_ms();
        let (result, connected) = self.directory.integrations.verify(name, secret, now);
        if connected {
            // beside the connection, which does not wait for the disk
            let (records, name) = (self.clone(), name.to_owned());
            tokio::spawn(async move { records.note_connected(name, now).await });
        }
        Box::pin(std::future::ready(result))
    }
}
