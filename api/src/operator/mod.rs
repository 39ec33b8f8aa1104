//! What whoever runs the server does on its machine, without a sign-in and while the server is stopped: people, tokens,
//! controllers, integrations. Each change is in the audit log as the operator's.

mod accounts;
mod cells;
mod machines;
mod people;

use harit_engine::FarmId;
use harit_ingest::Hub;
use serde_json::Value;

pub use accounts::{IntegrationInfo, MadeIntegration, MadeToken, TokenInfo, TokenWish};
pub use machines::{ControllerInfo, ControllerWish, MadeController, Served};
pub use people::{Password, PersonInfo, PersonWish};

use crate::audit::{Action, Entry};
use crate::contact::Contact;
use crate::records::{AuditError, Records, RecordsError, RecordsPlace, UserRow, Write};
use crate::secret::NoRandomness;

/// The operator's id in the audit log; no user has it.
pub(crate) const ID: &str = "operator";
/// The operator's name there.
const NAME: &str = "operator on the machine";

/// Why the operator's wish was not carried out; nothing was changed then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OperatorError {
    /// The records cannot be opened or written.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// The engine refuses it, or its journal cannot be written.
    #[error(transparent)]
    Engine(#[from] harit_ingest::AdmitError),
    /// It cannot be, for a reason that a person can do something about.
    #[error("{0}")]
    Refused(String),
}

impl From<sqlx::Error> for OperatorError {
    fn from(e: sqlx::Error) -> Self {
        Self::Records(e.into())
    }
}

impl From<AuditError> for OperatorError {
    fn from(e: AuditError) -> Self {
        Self::Records(e.into())
    }
}

impl From<NoRandomness> for OperatorError {
    fn from(e: NoRandomness) -> Self {
        Self::Refused(e.to_string())
    }
}

fn refused(why: impl Into<String>) -> OperatorError {
    OperatorError::Refused(why.into())
}

/// The records of a server that is stopped, in the hands of whoever runs it.
#[derive(Debug)]
pub struct Operator {
    records: Records,
}

impl Operator {
    /// Opens the records, which are made where there are none. The caller holds the lock of the data directory.
    ///
    /// # Errors
    /// When the records are damaged or cannot be opened.
    pub async fn open(place: &RecordsPlace) -> Result<Self, OperatorError> {
        Ok(Self::over(Records::open(place).await?))
    }

    /// Over records that are open.
    #[must_use]
    pub const fn over(records: Records) -> Self {
        Self { records }
    }

    /// The records, for a hub over the same directory.
    #[must_use]
    pub const fn records(&self) -> &Records {
        &self.records
    }

    /// Closes the records.
    pub async fn close(self) {
        self.records.close().await;
    }

    /// The farms, each with its name.
    ///
    /// # Errors
    /// When the records fail.
    pub async fn farms(&self) -> Result<Vec<(String, String)>, OperatorError> {
        let rows = self.records.farm_rows().await?;
        Ok(rows.into_iter().map(|f| (f.id, f.name)).collect())
    }

    /// The farm that is named, else the only one.
    async fn farm(&self, named: Option<&str>) -> Result<FarmId, OperatorError> {
        let farms = self.farms().await?;
        let ids = || {
            let ids: Vec<&str> = farms.iter().take(10).map(|(id, _)| id.as_str()).collect();
            ids.join(", ")
        };
        match (named, farms.as_slice()) {
            (_, []) => Err(refused(
                "there is no farm yet: harit user add --new-farm NAME makes one",
            )),
            (None, [(id, _)]) => Ok(FarmId::from(id.as_str())),
            (None, _) => Err(refused(format!("which farm? --farm ID, one of {}", ids()))),
            (Some(id), all) if all.iter().any(|(known, _)| known == id) => Ok(FarmId::from(id)),
            (Some(id), _) => Err(refused(format!("no farm {id:?}; there are {}", ids()))),
        }
    }

    /// The person of that id, e-mail address or phone number.
    async fn person(&self, who: &str) -> Result<UserRow, OperatorError> {
        if let Some(user) = self.records.user_by_id(who).await? {
            return Ok(user);
        }
        let Some(contact) = Contact::parse(who) else {
            return Err(refused(format!(
                "{who:?} is no id, e-mail address or phone number"
            )));
        };
        if let Some(user) = self.records.user_by_contact(&contact).await? {
            return Ok(user);
        }
        // nobody has shown yet that the contact is theirs
        let mut claimants = self.records.claimants(&contact).await?;
        match (claimants.pop(), claimants.is_empty()) {
            (Some(user), true) => Ok(user),
            (None, _) => Err(refused(format!(
                "nobody has {who}; harit user list shows all"
            ))),
            (Some(_), false) => Err(refused(format!(
                "several accounts claim {who}: name one by its id, which harit user list shows"
            ))),
        }
    }

    /// Begins a change of a farm's records.
    async fn write(&self, farm: &FarmId) -> Result<Write, OperatorError> {
        Ok(self.records.of_farm(farm.clone()).write().await?)
    }

    /// Has the engine's farms take over what people wrote, before the hub that was opened for a change is used.
    ///
    /// # Errors
    /// When what farms have stored cannot be read.
    pub async fn load_into(&self, hub: &Hub) -> Result<(), OperatorError> {
        let profiles = crate::load_device_profiles(&self.records, hub).await;
        profiles.map_err(|e| refused(e.to_string()))?;
        let derived = crate::load_derived_sensors(&self.records, hub).await;
        derived.map_err(|e| refused(e.to_string()))
    }
}

fn entry(action: Action, subject: &str, details: Value) -> Entry {
    Entry {
        actor: Some((ID.to_owned(), NAME.to_owned())),
        action,
        subject: subject.to_owned(),
        details,
        address: None,
    }
}

/// A name that people are shown: trimmed, 1 to `most` characters of one line.
fn name_of(typed: &str, most: usize) -> Result<String, OperatorError> {
    let name = typed.trim();
    let chars = name.chars().count();
    if chars == 0 || chars > most || name.chars().any(char::is_control) {
        return Err(refused(format!(
            "a name has 1 to {most} characters, in one line"
        )));
    }
    Ok(name.to_owned())
}
