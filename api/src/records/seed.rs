//! Writing what no screen writes yet: farms with their people, and the demo's contents. For the composition root.

use harit_engine::FarmId;
use harit_protocol::Mac;

use super::controllers::{AssetKind, NewController, RegisterError};
use super::reservoirs::NewReservoir;
use super::users::{UserRow, insert};
use super::{Records, RecordsError, new_id, now_ms};
use crate::contact::Contact;
use crate::language::Language;
use crate::records::sql;
use crate::resource::Resource;
use crate::role::Role;
use crate::secret::Passwords;

/// A farm to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewFarm<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Where it is, in words.
    pub location: Option<&'a str>,
    /// Latitude and longitude, in degrees.
    pub position: Option<(f64, f64)>,
    /// Its IANA time zone.
    pub timezone: &'a str,
}

/// A user to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewUser<'a> {
    /// E-mail address or phone number.
    pub contact: &'a str,
    /// A phone number beside an e-mail address.
    pub phone: Option<&'a str>,
    /// Full name.
    pub name: &'a str,
    /// Without one the account signs in by code only.
    pub password: Option<&'a str>,
    /// The language in which the user is addressed.
    pub language: Language,
    /// Whether onboarding is over.
    pub onboarding_completed: bool,
}

/// A task to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewTask<'a> {
    /// What is to be done.
    pub title: &'a str,
    /// More about it.
    pub description: Option<&'a str>,
    /// A user's id.
    pub assignee: Option<&'a str>,
    /// In the farm's own words.
    pub category: Option<&'a str>,
    /// URGENT, HIGH, MEDIUM or LOW.
    pub priority: &'a str,
    /// OPEN, IN_PROGRESS, IN_REVIEW or CLOSED.
    pub status: &'a str,
    /// The last day on which it is not overdue, YYYY-MM-DD.
    pub due_date: &'a str,
}

/// Something could not be seeded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SeedError {
    /// The records failed.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// It exists already.
    #[error("{0} exists already")]
    Exists(String),
    /// The contact is neither an e-mail address nor a phone number.
    #[error("{0:?} is neither an e-mail address nor a phone number")]
    Contact(String),
    /// The password could not be hashed.
    #[error("the password of {0:?} could not be hashed")]
    Password(String),
}

impl From<sqlx::Error> for SeedError {
    fn from(e: sqlx::Error) -> Self {
        Self::Records(e.into())
    }
}

fn exists(what: &str) -> impl Fn(sqlx::Error) -> SeedError {
    move |e| {
        if e.as_database_error()
            .is_some_and(|d| d.is_unique_violation())
        {
            SeedError::Exists(what.to_owned())
        } else {
            e.into()
        }
    }
}

impl Records {
    /// Whether a farm of that id is recorded.
    ///
    /// # Errors
    /// When the records fail.
    pub async fn has_farm(&self, id: &str) -> Result<bool, RecordsError> {
        const Q: &str = "SELECT 1 FROM farms WHERE id = $1";
        let row: Option<(i32,)> = sql::query_as(Q)
            .bind(id)
            .fetch_optional(&self.db.readers)
            .await?;
        Ok(row.is_some())
    }

    /// The farms that are recorded as this server's: each must be in the journal.
    ///
    /// # Errors
    /// When the records fail.
    pub async fn farm_ids(&self) -> Result<Vec<FarmId>, RecordsError> {
        const Q: &str = "SELECT id FROM farms WHERE cell = $1 ORDER BY id";
        let rows: Vec<(String,)> = sql::query_as(Q)
            .bind(self.cell())
            .fetch_all(&self.db.readers)
            .await?;
        Ok(rows.into_iter().map(|(id,)| FarmId::new(id)).collect())
    }

    /// Makes a farm's row; the engine's farm is made through the hub.
    ///
    /// # Errors
    /// When it exists already, or the records fail.
    pub async fn create_farm(&self, farm: NewFarm<'_>) -> Result<(), SeedError> {
        const Q: &str = "INSERT INTO farms (id, name, location, lat, lng, timezone, created_at, cell) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let (lat, lng) = (farm.position.map(|p| p.0), farm.position.map(|p| p.1));
        sql::query(Q)
            .bind(farm.id)
            .bind(farm.name)
            .bind(farm.location)
            .bind(lat)
            .bind(lng)
            .bind(farm.timezone)
            .bind(now_ms())
            .bind(self.cell())
            .execute(&self.db.writer)
            .await
            .map(drop)
            .map_err(exists(farm.id))?;
        Ok(())
    }

    /// Makes a user and returns the id. The contacts are taken as the user's.
    ///
    /// # Errors
    /// When a user of that contact exists, the contact is none, or the records fail.
    pub async fn create_user(&self, user: NewUser<'_>) -> Result<String, SeedError> {
        let parse =
            |text: &str| Contact::parse(text).ok_or_else(|| SeedError::Contact(text.to_owned()));
        let (mut email, mut phone) = match parse(user.contact)? {
            Contact::Email(e) => (Some(e), None),
            Contact::Phone(p) => (None, Some(p)),
        };
        match user.phone.map(parse).transpose()? {
            Some(Contact::Phone(p)) => phone = Some(p),
            Some(Contact::Email(e)) => email = Some(e),
            None => {}
        }
        let password_hash = match user.password {
            Some(p) => Some(
                Passwords::hash(p)
                    .await
                    .map_err(|_| SeedError::Password(user.contact.to_owned()))?,
            ),
            None => None,
        };
        let row = UserRow {
            id: new_id(),
            email,
            phone,
            claimed_email: None,
            claimed_phone: None,
            name: user.name.to_owned(),
            password_hash,
            language: user.language.as_str().to_owned(),
            is_active: true,
            onboarding_completed: user.onboarding_completed,
            created_at: now_ms(),
        };
        insert(&self.db.writer, &row)
            .await
            .map_err(exists(user.contact))?;
        Ok(row.id)
    }

    /// Gives a user a role in a farm, in place of any other there.
    ///
    /// # Errors
    /// When the records fail, or one of the two does not exist.
    pub async fn set_role(&self, user_id: &str, farm: &str, role: Role) -> Result<(), SeedError> {
        const Q: &str = "INSERT INTO memberships (user_id, farm_id, role, created_at) VALUES ($1, $2, $3, $4) \
                         ON CONFLICT (user_id, farm_id) DO UPDATE SET role = excluded.role";
        sql::query(Q)
            .bind(user_id)
            .bind(farm)
            .bind(role.as_str())
            .bind(now_ms())
            .execute(&self.db.writer)
            .await
            .map(drop)?;
        self.access_changed();
        Ok(())
    }

    /// Takes a user out of a farm.
    ///
    /// # Errors
    /// When the records fail.
    pub async fn remove_role(&self, user_id: &str, farm: &str) -> Result<(), SeedError> {
        const Q: &str = "DELETE FROM memberships WHERE user_id = $1 AND farm_id = $2";
        sql::query(Q)
            .bind(user_id)
            .bind(farm)
            .execute(&self.db.writer)
            .await
            .map(drop)?;
        self.access_changed();
        Ok(())
    }

    /// Registers the controller of a polyhouse with a secret that the caller chose.
    ///
    /// # Errors
    /// When a controller of that MAC exists, or the records fail.
    pub async fn create_polyhouse_controller(
        &self,
        farm: &str,
        mac: Mac,
        name: &str,
        secret: &str,
        polyhouse_id: &str,
    ) -> Result<(), SeedError> {
        let controller = (mac, name.to_owned(), secret.to_owned());
        self.create_polyhouse_controllers(farm, polyhouse_id, vec![controller])
            .await
    }

    /// Registers controllers of a polyhouse, by MAC, name and secret: all of them, or none.
    ///
    /// # Errors
    /// When a controller of one of the MACs exists, or the records fail.
    pub async fn create_polyhouse_controllers(
        &self,
        farm: &str,
        polyhouse_id: &str,
        controllers: Vec<(Mac, String, String)>,
    ) -> Result<(), SeedError> {
        let new = |(mac, name, secret)| NewController {
            mac,
            kind: AssetKind::Polyhouse,
            name,
            secret,
            polyhouse_id: Some(polyhouse_id.to_owned()),
            reservoir_id: None,
            reservoir: None,
        };
        let new: Vec<NewController> = controllers.into_iter().map(new).collect();
        self.seed_controllers(farm, &new).await
    }

    /// Registers the controller of a reservoir, and the reservoir, with a secret that the caller chose.
    ///
    /// # Errors
    /// When either exists, or the records fail.
    #[allow(
        clippy::too_many_arguments,
        reason = "each is a column; a struct of its own would name them once more"
    )]
    pub async fn create_reservoir_controller(
        &self,
        farm: &str,
        mac: Mac,
        name: &str,
        secret: &str,
        reservoir_id: &str,
        capacity_litres: Option<f64>,
        last_refill_at: Option<i64>,
    ) -> Result<(), SeedError> {
        let reservoir = NewReservoir {
            id: reservoir_id.to_owned(),
            name: name.to_owned(),
            capacity_litres,
            last_refill_at,
        };
        let controller = NewController {
            mac,
            kind: AssetKind::Fertigation,
            name: name.to_owned(),
            secret: secret.to_owned(),
            polyhouse_id: None,
            reservoir_id: None,
            reservoir: Some(reservoir),
        };
        self.seed_controllers(farm, &[controller]).await
    }

    async fn seed_controllers(
        &self,
        farm: &str,
        controllers: &[NewController],
    ) -> Result<(), SeedError> {
        let named = || match controllers {
            [one] => one.mac.as_str().to_owned(),
            many => format!("one of {} controllers", many.len()),
        };
        let mut write = self.of_farm(FarmId::from(farm)).write().await?;
        write.register(controllers).await.map_err(|e| match e {
            RegisterError::Taken => SeedError::Exists(named()),
            RegisterError::Records(e) => e.into(),
        })?;
        Ok(write.commit_untold(Resource::Reservoir).await?)
    }

    /// Makes a read-only MQTT account for a farm's topics.
    ///
    /// # Errors
    /// When an account of that name exists, or the records fail.
    pub async fn create_integration(
        &self,
        farm: &str,
        name: &str,
        secret: &str,
    ) -> Result<(), SeedError> {
        let mut write = self.of_farm(FarmId::from(farm)).write().await?;
        let made = write.add_integration(name, name, secret).await;
        made.map_err(exists(name))?;
        Ok(write.commit_untold(Resource::Reservoir).await?)
    }

    /// Makes a task at the end of its column and returns its id.
    ///
    /// # Errors
    /// When a word or id is unknown, or the records fail.
    pub async fn create_task(&self, farm: &str, task: NewTask<'_>) -> Result<String, SeedError> {
        let id = new_id();
        sql::query(super::tasks::INSERT)
            .bind(&id)
            .bind(farm)
            .bind(task.title)
            .bind(task.description)
            .bind(task.assignee)
            .bind(task.category)
            .bind(task.priority)
            .bind(task.status)
            .bind(task.due_date)
            .bind(None::<&str>)
            .bind(now_ms())
            .bind(None::<&str>)
            .bind(None::<&str>)
            .execute(&self.db.writer)
            .await
            .map(drop)?;
        Ok(id)
    }
    /// Makes a derived sensor under an id that the caller chose; its sensor must be among the farm's own.
    ///
    /// # Errors
    /// When the id or the name is taken, or the records fail.
    pub async fn create_derived_sensor(
        &self,
        farm: &str,
        id: &str,
        name: &str,
        document: &str,
    ) -> Result<(), SeedError> {
        const Q: &str = "INSERT INTO derived_sensors (id, farm_id, name, document, edited_at, created_at) VALUES ($1, $2, $3, $4, $5, $5)";
        sql::query(Q)
            .bind(id)
            .bind(farm)
            .bind(name)
            .bind(document)
            .bind(now_ms())
            .execute(&self.db.writer)
            .await
            .map(drop)?;
        Ok(())
    }
}
