//! Integrations: accounts of MQTT that read a farm's topics. MQTT asks for them at every connection, so they are kept in
//! memory and written through.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use harit_engine::FarmId;
use harit_ingest::mqtt::{Principal, Refusal};
use harit_protocol::topic::farm_prefix;
use sqlx::FromRow;

use super::controllers::{NO_HASH, is_secret};
use super::db::Db;
use super::{FarmRecords, Records, Write, now_ms};
use crate::records::sql;
use crate::secret::{NoRandomness, new_secret, sha256_hex};

/// The most integrations of a farm.
const MAX_PER_FARM: usize = 50;
/// How many random digits a user name has.
const USERNAME_DIGITS: usize = 12;
/// A connection is written down at most this often: a client that connects again and again should not write to the disk.
const TOUCH_MS: i64 = 60 * 1_000;

/// A read-only account for a farm's topics.
#[derive(Debug, Clone)]
pub(crate) struct Integration {
    /// What it signs in with: unique over all farms.
    pub username: String,
    pub farm: FarmId,
    pub name: String,
    pub enabled: bool,
    pub created_at: i64,
    /// When it got its present password, if that was written down.
    pub password_at: Option<i64>,
    /// When it last connected.
    pub last_connected_at: Option<i64>,
    secret_hash: String,
}

/// All integrations, in memory, by what they sign in with.
#[derive(Debug)]
pub(super) struct Integrations(RwLock<HashMap<String, Integration>>);

#[derive(FromRow)]
struct Row {
    name: String,
    farm_id: String,
    label: Option<String>,
    secret_hash: String,
    enabled: bool,
    created_at: i64,
    password_at: Option<i64>,
    last_connected_at: Option<i64>,
}

impl From<Row> for Integration {
    fn from(row: Row) -> Self {
        Self {
            // one from before accounts had names of people's
            name: row.label.unwrap_or_else(|| row.name.clone()),
            username: row.name,
            farm: FarmId::new(row.farm_id),
            enabled: row.enabled,
            created_at: row.created_at,
            password_at: row.password_at,
            last_connected_at: row.last_connected_at,
            secret_hash: row.secret_hash,
        }
    }
}

impl Integration {
    /// A user name that nobody has.
    pub(crate) fn new_username() -> Result<String, NoRandomness> {
        let digits = new_secret()?;
        Ok(format!("integration-{}", &digits[..USERNAME_DIGITS]))
    }

    /// What integrations of a farm may subscribe to.
    pub(crate) fn topic(farm: &FarmId) -> String {
        format!("{}#", farm_prefix(farm))
    }
}

const ALL: &str = "SELECT name, farm_id, label, secret_hash, enabled, created_at, password_at, last_connected_at FROM integrations";

async fn all_integrations(db: &Db) -> Result<HashMap<String, Integration>, sqlx::Error> {
    let rows: Vec<Row> = sql::query_as(ALL).fetch_all(&db.readers).await?;
    let all = rows.into_iter().map(Integration::from);
    Ok(all.map(|i| (i.username.clone(), i)).collect())
}

impl Integrations {
    pub(super) async fn load(db: &Db) -> Result<Self, sqlx::Error> {
        Ok(Self(RwLock::new(all_integrations(db).await?)))
    }

    /// Loads everything anew.
    pub(super) async fn reload(&self, db: &Db) -> Result<(), sqlx::Error> {
        let all = all_integrations(db).await?;
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = all;
        Ok(())
    }

    /// Loads an account anew.
    pub(super) async fn renew(&self, db: &Db, username: &str) -> Result<(), sqlx::Error> {
        let one = sqlx::AssertSqlSafe(format!("{ALL} WHERE name = $1"));
        let row: Option<Row> = sql::query_as(one)
            .bind(username)
            .fetch_optional(&db.readers)
            .await?;
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match row.map(Integration::from) {
            Some(found) => all.insert(username.to_owned(), found),
            None => all.remove(username),
        };
        Ok(())
    }

    /// Whose account that is; also when it was last seen until now, where that is to be written down anew.
    pub(super) fn verify(
        &self,
        username: &str,
        secret: &[u8],
        now: i64,
    ) -> (Result<Principal, Refusal>, bool) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let found = all.get_mut(username);
        // the secret is compared for unknown accounts too, so that the time tells nothing
        let right = is_secret(secret, found.as_ref().map_or(NO_HASH, |i| &i.secret_hash));
        match found {
            Some(i) if right && i.enabled => {
                let old = i.last_connected_at.is_none_or(|at| now - at >= TOUCH_MS);
                if old {
                    i.last_connected_at = Some(now);
                }
                let (farm, name) = (i.farm.clone(), i.username.as_str().into());
                (Ok(Principal::Integration { farm, name }), old)
            }
            Some(_) if right => (Err(Refusal::Disabled), false),
            _ => (Err(Refusal::BadCredentials), false),
        }
    }

    /// The farm of an account.
    pub(super) fn farm_of(&self, username: &str) -> Option<FarmId> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.get(username).map(|i| i.farm.clone())
    }

    fn change(&self, username: &str, change: impl FnOnce(&mut Integration)) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.get_mut(username).map(change);
    }

    fn of_farm(&self, farm: &FarmId) -> Vec<Integration> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut own: Vec<_> = all.values().filter(|i| i.farm == *farm).cloned().collect();
        own.sort_by(|a, b| (a.created_at, &a.username).cmp(&(b.created_at, &b.username)));
        own
    }
}

impl Records {
    /// Writes down that an integration connected.
    pub(super) async fn note_connected(&self, username: String, now: i64) {
        const Q: &str = "UPDATE integrations SET last_connected_at = $2 WHERE name = $1";
        let query = sql::query(Q).bind(username).bind(now);
        if let Err(error) = query.execute(&self.db.writer).await {
            metrics::counter!("harit_records_errors_total").increment(1);
            tracing::warn!(%error, "that an integration connected was not written down");
        }
    }
}

impl FarmRecords {
    /// The farm's integrations, in the order in which they were made.
    pub(crate) fn integrations(&self) -> Vec<Integration> {
        self.records.directory.integrations.of_farm(&self.farm)
    }

    /// The farm's integration of that user name.
    pub(crate) fn integration(&self, username: &str) -> Option<Integration> {
        self.integrations()
            .into_iter()
            .find(|i| i.username == username)
    }

    /// Whether the farm has as many as it may.
    pub(crate) fn is_full_of_integrations(&self) -> bool {
        self.integrations().len() >= MAX_PER_FARM
    }
}

impl Write {
    /// Makes an integration.
    pub(crate) async fn add_integration(
        &mut self,
        username: &str,
        name: &str,
        secret: &str,
    ) -> Result<Integration, sqlx::Error> {
        const Q: &str = "INSERT INTO integrations (name, farm_id, label, secret_hash, enabled, created_at, password_at) \
                         VALUES ($1, $2, $3, $4, $5, $6, $6)";
        let now = now_ms();
        let made = Integration {
            username: username.to_owned(),
            farm: self.records().farm.clone(),
            name: name.to_owned(),
            enabled: true,
            created_at: now,
            password_at: Some(now),
            last_connected_at: None,
            secret_hash: sha256_hex(secret.as_bytes()),
        };
        let (farm, tx) = self.parts();
        sql::query(Q)
            .bind(username)
            .bind(farm)
            .bind(name)
            .bind(&made.secret_hash)
            .bind(true)
            .bind(now)
            .execute(tx)
            .await?;
        let kept = made.clone();
        self.after(move |records| {
            let all = &records.directory.integrations.0;
            let mut all = all.write().unwrap_or_else(PoisonError::into_inner);
            all.insert(kept.username.clone(), kept);
        });
        Ok(made)
    }

    /// Gives an integration another name.
    pub(crate) async fn rename_integration(
        &mut self,
        username: &str,
        name: &str,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE integrations SET label = $3 WHERE name = $1 AND farm_id = $2";
        let (farm, tx) = self.parts();
        let query = sql::query(Q).bind(username).bind(farm).bind(name);
        query.execute(tx).await?;
        let name = name.to_owned();
        self.keep_integration(username, move |i| i.name = name);
        Ok(())
    }

    /// Says whether an integration may connect.
    pub(crate) async fn enable_integration(
        &mut self,
        username: &str,
        enabled: bool,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE integrations SET enabled = $3 WHERE name = $1 AND farm_id = $2";
        let (farm, tx) = self.parts();
        let query = sql::query(Q).bind(username).bind(farm).bind(enabled);
        query.execute(tx).await?;
        self.keep_integration(username, move |i| i.enabled = enabled);
        Ok(())
    }

    /// Gives an integration a new secret in place of its old one.
    pub(crate) async fn renew_integration(
        &mut self,
        username: &str,
        secret: &str,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE integrations SET secret_hash = $3, password_at = $4 WHERE name = $1 AND farm_id = $2";
        let (secret_hash, now) = (sha256_hex(secret.as_bytes()), now_ms());
        let (farm, tx) = self.parts();
        let query = sql::query(Q).bind(username).bind(farm);
        query.bind(&secret_hash).bind(now).execute(tx).await?;
        self.keep_integration(username, move |i| {
            i.secret_hash = secret_hash;
            i.password_at = Some(now);
        });
        Ok(())
    }

    /// Takes an integration away.
    pub(crate) async fn remove_integration(&mut self, username: &str) -> Result<(), sqlx::Error> {
        const Q: &str = "DELETE FROM integrations WHERE name = $1 AND farm_id = $2";
        let (farm, tx) = self.parts();
        let query = sql::query(Q).bind(username).bind(farm);
        query.execute(tx).await?;
        let username = username.to_owned();
        self.after(move |records| {
            let all = &records.directory.integrations.0;
            let mut all = all.write().unwrap_or_else(PoisonError::into_inner);
            all.remove(&username);
        });
        Ok(())
    }

    /// What is stored is in memory too, once it is durable.
    fn keep_integration(
        &mut self,
        username: &str,
        change: impl FnOnce(&mut Integration) + Send + 'static,
    ) {
        let username = username.to_owned();
        self.after(move |records| records.directory.integrations.change(&username, change));
    }
}
