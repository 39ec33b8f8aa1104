//! What is not the engine's: people, farms' rows, roles, sign-ins, controllers' secrets, reservoirs, tasks.
//!
//! A handler never holds [`Records`]. It gets either [`FarmRecords`], which the authorisation extractor makes for one farm
//! and whose every query names that farm, or the caller's own rows. So no query can forget whose data it reads.

mod audit;
mod authored;
mod cell;
mod cells;
mod chains;
mod changes;
mod claims;
mod codes;
mod controllers;
mod copy;
mod db;
mod devices;
mod effects;
mod farm_tokens;
mod farms;
mod grants;
mod idempotency;
mod incidents;
mod integrations;
mod invites;
mod lease_proofs;
mod letters;
mod low_stock;
mod measure;
mod notices;
mod notifications;
mod outbox;
mod own;
mod people;
mod photos;
mod place;
mod push;
mod reservoirs;
mod seed;
mod sessions;
mod sound;
pub(crate) mod sql;
mod table;
mod tasks;
mod tokens;
mod tries;
mod users;
mod write;

use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use harit_engine::FarmId;
use harit_ingest::history::PostgresUrl;
use tokio::sync::{Mutex, watch};

pub(crate) use audit::{AlertDeed, AuditError, AuditRow, LastChange};
pub use cell::{BadCell, Cell};
pub use cells::FarmOfCell;
pub(crate) use cells::FarmServer;
pub(crate) use chains::{ToldChoice, ToldMessage};
pub(crate) use changes::Changes;
pub(crate) use claims::ClaimError;
pub(crate) use codes::{Asker, CodeIssue};
pub(crate) use controllers::{AssetKind, Controller, NewController, RegisterError, Whose};
pub use copy::{CopyError, copy_records};
pub(crate) use effects::{EffectMark, EffectSetting, EffectStanding, SensorDrift};
pub(crate) use farm_tokens::FarmToken;
pub(crate) use farms::FarmRow;
pub(crate) use grants::{Grants, MAX_GRANTS};
pub(crate) use idempotency::{Answer, Key as RequestKey};
pub(crate) use incidents::{AnswerError, IncidentChange, NewAnswer};
pub(crate) use integrations::Integration;
pub(crate) use invites::{InviteError, InviteRow, Invitee, LinkRow, NewInvite, SentInvite};
pub use lease_proofs::load_lease_proofs;
pub(crate) use low_stock::LowStock;
pub(crate) use measure::{Decimal, Paise};
pub(crate) use notifications::{
    Audience, MAX_NOTIFICATIONS, NewNotification, Notification, Told, ToldChange,
};
pub(crate) use outbox::{
    BadLink, ChainPeople, Content, Due, Ending, Message, MessageKind, MessageMonth, NewMessage,
    Receipt, ReceiptState, SayPart, SentMessage, Step, ToTell, ToldBy,
};
pub(crate) use own::OwnWrite;
pub(crate) use people::{FirstFarm, PeopleError, Person, UserChange};
pub(crate) use photos::Photo;
pub use place::RecordsPlace;
pub(crate) use push::Browser;
pub(crate) use reservoirs::{
    NewReservoir, Reservoir, ReservoirError, ReservoirNames, ReservoirText,
};
pub use seed::{NewFarm, NewTask, NewUser, SeedError};
pub(crate) use sessions::{Method, Origin, SessionRow};
pub use sound::Unsound;
pub(crate) use table::{Days, RowError, Stored, Value};
pub(crate) use tasks::{
    Task, TaskAbout, TaskAboutKind, TaskError, TaskPriority, TaskStatus, TaskText,
};
pub(crate) use tokens::{NewToken, Token, TokenError, TokenScope};
pub(crate) use users::UserRow;
pub(crate) use write::Write;

pub(crate) use db::SCHEMA;

use controllers::Directory;
use db::Db;

use crate::audit::{ANCHOR_FILE, Anchor, KEY_FILE};
use crate::delivery::Ways;
use crate::resource::Kind;
use crate::secret::{Key, Seal, VapidKey};

/// The file of the key of codes' hashes.
const PEPPER: &str = "codes.key";
/// The key by which push services know the server.
const PUSH_KEY: &str = "push.key";

/// The records could not be opened, or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// The database.
    #[error("the records' database failed")]
    Database(#[from] sqlx::Error),
    /// They are not what this server left.
    #[error(transparent)]
    Unsound(#[from] Unsound),
    /// The audit log.
    #[error("the audit log could not be written")]
    Audit(#[from] AuditError),
    /// The keys that are kept beside it.
    #[error("the records' keys cannot be read")]
    Keys(#[from] std::io::Error),
}

impl RecordsError {
    /// Whether a database does not answer that may do so in a while: it starts, or the way to it is cut.
    #[must_use]
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Database(error) if PostgresUrl::is_away(error))
    }
}

/// The records of all farms. Only the composition root and the authorisation layer hold it.
#[derive(Debug, Clone)]
pub struct Records {
    db: Db,
    /// Whose farms are this server's; empty where all are.
    cell: Arc<str>,
    directory: Arc<Directory>,
    /// The key of codes' hashes.
    pepper: Key,
    /// Of what waits to be sent.
    seal: Seal,
    /// Of answers to requests with a key.
    answers: Seal,
    /// Of what servers that share the records say to each other.
    between: Seal,
    codes_in_log: bool,
    /// By which ways messages go.
    ways: Ways,
    push_key: Arc<VapidKey>,
    audit_key: Key,
    anchor: Arc<Mutex<Anchor>>,
    /// Counts what may have taken access away: ended sessions, deactivated users, lost roles.
    access: watch::Sender<u64>,
    changes: Changes,
    /// The farms whose audit log has something new.
    audited: Changes,
}

impl Records {
    /// The name of the cell whose farms are this server's; empty where all are.
    pub(crate) fn cell(&self) -> &str {
        &self.cell
    }

    /// Seals what servers that share the records say to each other.
    pub(crate) const fn between(&self) -> &Seal {
        &self.between
    }

    /// What only reads, for questions over all farms.
    pub(crate) const fn reader(&self) -> &sql::Pool {
        &self.db.readers
    }

    /// Opens the database, making and migrating its tables as needed.
    ///
    /// # Errors
    /// When it is damaged, missing or older than what is beside it, does not answer, or cannot be migrated.
    pub async fn open(place: &RecordsPlace) -> Result<Self, RecordsError> {
        sound::check(place).await?;
        let cell = place.cell().map_or("", Cell::as_str);
        let records = Self::over(Db::open(place).await?, cell, place.keys()).await?;
        if place.cell().is_some() {
            records.check_keys().await?;
        }
        place.note()?;
        Ok(records)
    }

    /// Waits until no other server has the right to write them, and looks at once whether they could be opened then as far as that
    /// can be seen; `each` is called several times a second while another one has it. What is `able`, that one can ask
    /// ([`RecordsPlace::is_any_able`]): whether this server has what else it needs to be at work.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn wait_for_turn(
        place: &RecordsPlace,
        able: &watch::Receiver<bool>,
        each: &mut (dyn FnMut() + Send),
    ) -> Result<(), RecordsError> {
        sound::check(place).await?;
        match place.postgres() {
            Some(url) => {
                let whose = (place.cell(), place.lease());
                Ok(db::until_free(url, whose, able, each).await?)
            }
            None => Ok(()),
        }
    }

    /// Whether messages, codes and links among them, are written into the log as long as there is no gateway.
    #[must_use]
    pub const fn codes_in_log(mut self, on: bool) -> Self {
        self.codes_in_log = on;
        self
    }

    /// By which ways messages go.
    #[must_use]
    pub(crate) fn sending_by(mut self, ways: Ways) -> Self {
        self.ways = ways;
        self
    }

    async fn over(db: Db, cell: &str, keys: &Path) -> Result<Self, RecordsError> {
        // a key that is missing beside records was lost: a new one would void what the old one vouches for, without a word
        let new = !has_users(&db).await?;
        let pepper = Key::open(&keys.join(PEPPER), new)?;
        let audit_key = Key::open(&keys.join(KEY_FILE), new)?;
        // browsers that subscribed are reached with it alone
        let push_key = VapidKey::open(&keys.join(PUSH_KEY), !has_browsers(&db).await?)?;
        let anchor = Anchor::open(&keys.join(ANCHOR_FILE), &audit_key, !is_audited(&db).await?)?;
        let directory = Arc::new(Directory::load(&db).await?);
        Ok(Self {
            db,
            cell: cell.into(),
            directory,
            seal: Seal::of(&pepper, "outbox")?,
            answers: Seal::of(&pepper, "answers")?,
            between: Seal::of(&pepper, "between servers")?,
            codes_in_log: false,
            ways: Ways::default(),
            push_key: Arc::new(push_key),
            pepper,
            audit_key,
            anchor: Arc::new(Mutex::new(anchor)),
            access: watch::Sender::new(0),
            changes: Changes::default(),
            audited: Changes::default(),
        })
    }

    /// Keeps the right to write from being taken from a server that is at work: to be called several times in a lease
    /// ([`RecordsPlace::leased`]). A connection that was lost is made anew, with the right, where nobody else has it by then.
    ///
    /// # Errors
    /// When the database does not answer, or another server has the right.
    pub async fn hold(&self) -> Result<(), RecordsError> {
        Ok(self.ping().await?)
    }

    /// Closes the database, whose file is then whole without its write-ahead log; requests that come after it are told that
    /// the service is not available.
    pub async fn close(&self) {
        self.db.close().await;
    }

    /// Whether the database answers.
    pub(crate) async fn ping(&self) -> Result<(), sqlx::Error> {
        self.db.ping().await
    }

    /// The records of one farm. The authorisation layer calls this after it has checked the caller's membership.
    pub(crate) fn of_farm(&self, farm: FarmId) -> FarmRecords {
        FarmRecords {
            records: self.clone(),
            farm,
        }
    }

    /// Changes whenever access may have been taken away from somebody.
    pub(crate) fn access_changes(&self) -> watch::Receiver<u64> {
        self.access.subscribe()
    }

    /// What changed in the farms' records, for the live connection.
    pub(crate) fn changes(&self) -> Changes {
        self.changes.clone()
    }

    /// The farms whose audit log has something new, for one reader.
    pub(crate) fn log_changes(&self) -> Changes {
        self.audited.clone()
    }

    fn access_changed(&self) {
        self.access.send_modify(|n| *n = n.wrapping_add(1));
    }
}

/// The records of one farm: each query names it.
#[derive(Debug, Clone)]
pub(crate) struct FarmRecords {
    records: Records,
    farm: FarmId,
}

impl FarmRecords {
    /// What only reads, for questions beside the tables' own.
    pub(crate) fn reader(&self) -> &sql::Pool {
        &self.db().readers
    }

    fn db(&self) -> &Db {
        &self.records.db
    }

    /// By which ways messages go.
    pub(crate) const fn ways(&self) -> &Ways {
        &self.records.ways
    }

    pub(crate) fn farm(&self) -> &str {
        self.farm.as_str()
    }

    /// Begins a transaction with the write lock, which is held before anything is read: no other process writes in between.
    async fn lock(&self) -> Result<sql::Transaction, sqlx::Error> {
        const LOCK: &str = "UPDATE farms SET name = name WHERE id = $1";
        let mut tx = self.db().write().await?;
        sql::query(LOCK).bind(self.farm()).execute(&mut *tx).await?;
        Ok(tx)
    }

    /// Something of that kind changed.
    fn note(&self, kind: Kind) {
        self.records.changes.note(self.farm(), kind);
    }
}

async fn is_audited(db: &Db) -> Result<bool, sqlx::Error> {
    let entry = sql::query("SELECT 1 FROM audit LIMIT 1").fetch_optional(&db.readers);
    Ok(entry.await?.is_some())
}

async fn has_browsers(db: &Db) -> Result<bool, sqlx::Error> {
    let browser = sql::query("SELECT 1 FROM push_subscriptions").fetch_optional(&db.readers);
    Ok(browser.await?.is_some())
}

async fn has_users(db: &Db) -> Result<bool, sqlx::Error> {
    let user = sql::query("SELECT 1 FROM users").fetch_optional(&db.readers);
    Ok(user.await?.is_some())
}

/// Now, in epoch milliseconds.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A new id, unique and ordered by time.
pub(crate) fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
