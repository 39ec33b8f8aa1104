//! The people of a farm: who belongs to it as what, and whether they are let in.

use serde_json::{Map, Value};
use sqlx::FromRow;

use super::grants::{Grants, grants};
use super::users::{UserRow, columns, insert};
use super::{FarmRecords, OwnWrite, Records, Write, now_ms, sessions, tokens};
use crate::contact::Contact;
use crate::records::sql;
use crate::role::Role;

/// The most people of a farm.
pub(crate) const MAX_PEOPLE: i64 = 500;

/// Somebody who belongs to a farm.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub user: UserRow,
    pub role: Role,
    /// In this farm.
    pub is_active: bool,
    /// Whether the person belongs to no other farm.
    pub only_here: bool,
    /// Of a worker.
    pub grants: Grants,
}

#[derive(FromRow)]
struct Row {
    role: String,
    member_is_active: bool,
    elsewhere: i64,
    polyhouses: String,
    devices: String,
    #[sqlx(flatten)]
    user: UserRow,
}

impl Row {
    fn read(self) -> Option<Person> {
        Some(Person {
            role: Role::parse(&self.role)?,
            is_active: self.member_is_active && self.user.is_active,
            only_here: self.elsewhere == 0,
            grants: Grants::of(&self.polyhouses, &self.devices),
            user: self.user,
        })
    }
}

/// What may be changed of a person's own data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct UserChange {
    pub name: Option<String>,
    /// `Some(None)` takes it away.
    pub email: Option<Option<String>>,
    pub phone: Option<Option<String>>,
    pub language: Option<String>,
}

/// Who changes a user.
#[derive(Debug, Clone, Copy)]
enum ChangedBy<'a> {
    /// The user, in that sign-in, which goes on.
    Themselves { session: &'a str },
    /// A farm's owner or admin.
    Farm,
}

impl UserChange {
    /// The contacts that the change gives.
    pub(crate) fn contacts(&self) -> impl Iterator<Item = Contact> {
        let email = self.email.clone().flatten().map(Contact::Email);
        let phone = self.phone.clone().flatten().map(Contact::Phone);
        email.into_iter().chain(phone)
    }

    /// What changes, for the audit log.
    pub(crate) fn describe(&self) -> Value {
        let mut said = Map::new();
        let mut say = |field: &str, value: Option<Value>| {
            if let Some(value) = value {
                said.insert(field.to_owned(), value);
            }
        };
        say("name", self.name.clone().map(Value::from));
        say("email", self.email.clone().map(Value::from));
        say("phone", self.phone.clone().map(Value::from));
        say("languagePref", self.language.clone().map(Value::from));
        Value::Object(said)
    }
}

/// Why a change of people was not made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PeopleError {
    #[error("the contact is somebody's already")]
    Taken,
    #[error("the farm would have no owner")]
    LastOwner,
    #[error("the farm has too many people")]
    TooMany,
    #[error("no such person")]
    Gone,
    #[error("the records failed")]
    Records(#[from] sqlx::Error),
}

pub(super) fn taken(e: sqlx::Error) -> PeopleError {
    if e.as_database_error()
        .is_some_and(|d| d.is_unique_violation())
    {
        PeopleError::Taken
    } else {
        e.into()
    }
}

const PEOPLE: &str = concat!(
    "SELECT m.role, m.is_active AS member_is_active, \
     (SELECT COUNT(*) FROM memberships o WHERE o.user_id = u.id AND o.farm_id <> $1) AS elsewhere, ",
    grants!(),
    ", ",
    columns!(),
    " FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.farm_id = $1"
);

/// Adds a membership; whoever belongs to the farm already stays what they are.
pub(super) async fn join(
    transaction: &mut sql::Connection,
    user_id: &str,
    farm: &str,
    role: Role,
) -> Result<(), sqlx::Error> {
    const JOIN: &str = "INSERT INTO memberships (user_id, farm_id, role, created_at) VALUES ($1, $2, $3, $4) \
                        ON CONFLICT (user_id, farm_id) DO NOTHING";
    sql::query(JOIN)
        .bind(user_id)
        .bind(farm)
        .bind(role.as_str())
        .bind(now_ms())
        .execute(transaction)
        .await
        .map(drop)
}

impl OwnWrite {
    /// Changes what callers say of themselves.
    pub(crate) async fn change_user(
        &mut self,
        change: &UserChange,
        session: &str,
    ) -> Result<(), sqlx::Error> {
        let (user_id, tx) = self.parts();
        let by = ChangedBy::Themselves { session };
        if write_change(tx, user_id, change, by).await? {
            self.ends_access();
        }
        Ok(())
    }
}

/// Changes what is said of a user. A new contact is a claim: of their own it stands beside the verified one, which it replaces
/// when it is verified; others put it in the verified one's place. Gives whether sign-ins ended.
async fn write_change(
    tx: &mut sql::Connection,
    user_id: &str,
    change: &UserChange,
    by: ChangedBy<'_>,
) -> Result<bool, sqlx::Error> {
    const NAME: &str = "UPDATE users SET name = $2 WHERE id = $1";
    const EMAIL: &str = "UPDATE users SET email = CASE WHEN $2 = email OR ($3 AND $2 IS NOT NULL) THEN email END, \
                         claimed_email = CASE WHEN $2 = email THEN NULL ELSE $2 END WHERE id = $1";
    const PHONE: &str = "UPDATE users SET phone = CASE WHEN $2 = phone OR ($3 AND $2 IS NOT NULL) THEN phone END, \
                         claimed_phone = CASE WHEN $2 = phone THEN NULL ELSE $2 END WHERE id = $1";
    const LANGUAGE: &str = "UPDATE users SET language = $2 WHERE id = $1";
    const SESSIONS: &str = "DELETE FROM sessions WHERE user_id = $1 AND id <> $2";
    const DEVICES: &str = "DELETE FROM devices WHERE user_id = $1";
    let own = matches!(by, ChangedBy::Themselves { .. });
    let (but_session, ends) = match by {
        // nothing is taken away by a claim beside
        ChangedBy::Themselves { session } => (session, change.phone == Some(None)),
        ChangedBy::Farm => ("", change.email.is_some() || change.phone.is_some()),
    };
    for (query, text) in [(NAME, &change.name), (LANGUAGE, &change.language)] {
        if let Some(text) = text {
            let query = sql::query(query).bind(user_id).bind(text);
            query.execute(&mut *tx).await?;
        }
    }
    for (query, contact) in [(EMAIL, &change.email), (PHONE, &change.phone)] {
        if let Some(contact) = contact {
            let query = sql::query(query).bind(user_id).bind(contact).bind(own);
            query.execute(&mut *tx).await?;
        }
    }
    if ends {
        sql::query(SESSIONS)
            .bind(user_id)
            .bind(but_session)
            .execute(&mut *tx)
            .await?;
        sql::query(DEVICES).bind(user_id).execute(&mut *tx).await?;
        if !own {
            tokens::revoke_all(tx, user_id).await?;
        }
    }
    Ok(ends)
}

impl FarmRecords {
    /// The farm's people, the first member first.
    pub(crate) async fn people(&self) -> Result<Vec<Person>, sqlx::Error> {
        let q = format!("{PEOPLE} ORDER BY m.created_at, u.id LIMIT $2");
        let q = sqlx::AssertSqlSafe(q);
        let rows: Vec<Row> = sql::query_as(q)
            .bind(self.farm())
            .bind(MAX_PEOPLE)
            .fetch_all(&self.db().readers)
            .await?;
        Ok(rows.into_iter().filter_map(Row::read).collect())
    }
}

impl Write {
    /// Somebody who belongs to the farm, as they are in this change.
    pub(crate) async fn person(&mut self, user_id: &str) -> Result<Option<Person>, sqlx::Error> {
        let q = sqlx::AssertSqlSafe(format!("{PEOPLE} AND u.id = $2"));
        let (farm, tx) = self.parts();
        let row: Option<Row> = sql::query_as(q)
            .bind(farm)
            .bind(user_id)
            .fetch_optional(tx)
            .await?;
        Ok(row.and_then(Row::read))
    }

    /// Makes a user who belongs to this farm.
    pub(crate) async fn add_person(
        &mut self,
        user: &UserRow,
        role: Role,
    ) -> Result<(), PeopleError> {
        const COUNT: &str = "SELECT COUNT(*) FROM memberships WHERE farm_id = $1";
        let (farm, tx) = self.parts();
        let count: (i64,) = sql::query_as(COUNT).bind(farm).fetch_one(tx).await?;
        if count.0 >= MAX_PEOPLE {
            return Err(PeopleError::TooMany);
        }
        let email = user.claimed_email.clone().map(Contact::Email);
        let phone = user.claimed_phone.clone().map(Contact::Phone);
        for contact in email.into_iter().chain(phone) {
            if self.is_taken(&contact, &user.id).await? {
                return Err(PeopleError::Taken);
            }
        }
        let (farm, tx) = self.parts();
        insert(&mut *tx, user).await.map_err(taken)?;
        Ok(join(tx, &user.id, farm, role).await?)
    }

    /// Makes a user who belongs to this farm, with contacts that are theirs.
    pub(crate) async fn add_vouched(
        &mut self,
        user: &UserRow,
        role: Role,
    ) -> Result<(), PeopleError> {
        let (farm, tx) = self.parts();
        insert(&mut *tx, user).await.map_err(taken)?;
        Ok(join(tx, &user.id, farm, role).await?)
    }

    /// Adds a user to this farm.
    pub(crate) async fn join(&mut self, user_id: &str, role: Role) -> Result<(), sqlx::Error> {
        let (farm, tx) = self.parts();
        join(tx, user_id, farm, role).await
    }

    /// Whether a contact is another account's, or claimed by somebody else of this farm.
    async fn is_taken(&mut self, contact: &Contact, user_id: &str) -> Result<bool, sqlx::Error> {
        const EMAIL: &str = "SELECT 1 FROM users u WHERE u.id <> $3 AND (u.email = $2 OR (u.claimed_email = $2 AND EXISTS \
                             (SELECT 1 FROM memberships m WHERE m.user_id = u.id AND m.farm_id = $1)))";
        const PHONE: &str = "SELECT 1 FROM users u WHERE u.id <> $3 AND (u.phone = $2 OR (u.claimed_phone = $2 AND EXISTS \
                             (SELECT 1 FROM memberships m WHERE m.user_id = u.id AND m.farm_id = $1)))";
        let query = match contact {
            Contact::Email(_) => EMAIL,
            Contact::Phone(_) => PHONE,
        };
        let (farm, tx) = self.parts();
        let row = sql::query(query)
            .bind(farm)
            .bind(contact.key())
            .bind(user_id)
            .fetch_optional(tx)
            .await?;
        Ok(row.is_some())
    }

    /// Changes a person who belongs to this farm alone.
    pub(crate) async fn change_person(
        &mut self,
        person: &Person,
        change: &UserChange,
    ) -> Result<(), PeopleError> {
        if !person.only_here {
            return Err(PeopleError::Gone);
        }
        for contact in change.contacts() {
            if self.is_taken(&contact, &person.user.id).await? {
                return Err(PeopleError::Taken);
            }
        }
        let (_, tx) = self.parts();
        if write_change(tx, &person.user.id, change, ChangedBy::Farm).await? {
            self.after(Records::access_changed);
        }
        Ok(())
    }

    /// Ends all sign-ins and tokens of a person who belongs to this farm.
    pub(crate) async fn end_sessions_of(&mut self, person: &Person) -> Result<(), sqlx::Error> {
        let (_, tx) = self.parts();
        sessions::end_all(&mut *tx, &person.user.id).await?;
        tokens::revoke_all(tx, &person.user.id).await?;
        self.after(Records::access_changed);
        Ok(())
    }

    /// Changes what is given of a membership. An owner loses the role or the way in only where another active one stays.
    pub(crate) async fn change_member(
        &mut self,
        user_id: &str,
        role: Option<Role>,
        active: Option<bool>,
    ) -> Result<(), PeopleError> {
        const CHANGE: &str = "UPDATE memberships SET role = COALESCE($3, role), is_active = COALESCE($4, is_active) \
            WHERE user_id = $1 AND farm_id = $2 \
            AND (role <> 'OWNER' OR (COALESCE($3, 'OWNER') = 'OWNER' AND COALESCE($4, TRUE)) \
            OR EXISTS (SELECT 1 FROM memberships o JOIN users u ON u.id = o.user_id WHERE o.farm_id = $2 \
            AND o.role = 'OWNER' AND o.is_active AND u.is_active AND o.user_id <> $1))";
        if role.is_some_and(|role| !role.is_given()) {
            self.set_grants(user_id, &Grants::default()).await?;
        }
        let (farm, tx) = self.parts();
        let changed = sql::query(CHANGE)
            .bind(user_id)
            .bind(farm)
            .bind(role.map(Role::as_str))
            .bind(active)
            .execute(tx)
            .await?
            .rows_affected();
        self.changed(changed)
    }

    /// Takes a person who is no owner out of the farm; who belongs to no other one is forgotten altogether.
    pub(crate) async fn remove_person(&mut self, user_id: &str) -> Result<(), PeopleError> {
        const LEAVE: &str =
            "DELETE FROM memberships WHERE user_id = $1 AND farm_id = $2 AND role <> 'OWNER'";
        const UNTELL: &str = "DELETE FROM notifications WHERE user_id = $1 AND farm_id = $2";
        const FORGET: &str = "DELETE FROM users WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM memberships WHERE user_id = $1)";
        let (farm, tx) = self.parts();
        let changed = sql::query(LEAVE)
            .bind(user_id)
            .bind(farm)
            .execute(&mut *tx)
            .await?
            .rows_affected();
        if changed > 0 {
            let untell = sql::query(UNTELL).bind(user_id).bind(farm);
            untell.execute(&mut *tx).await?;
            sql::query(FORGET).bind(user_id).execute(tx).await?;
        }
        self.changed(changed)
    }

    fn changed(&mut self, rows: u64) -> Result<(), PeopleError> {
        if rows == 0 {
            return Err(PeopleError::LastOwner);
        }
        self.after(Records::access_changed);
        Ok(())
    }
}

/// A farm that comes with its first owner.
#[derive(Debug, Clone)]
pub(crate) struct FirstFarm {
    pub id: String,
    pub name: String,
    pub location: Option<String>,
    pub position: Option<(f64, f64)>,
    pub timezone: &'static str,
}

impl OwnWrite {
    /// Makes the user with a farm of their own.
    pub(crate) async fn add_owner(
        &mut self,
        user: &UserRow,
        farm: &FirstFarm,
    ) -> Result<(), PeopleError> {
        const FARM: &str = "INSERT INTO farms (id, name, location, lat, lng, timezone, created_at, cell) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let (lat, lng) = (farm.position.map(|p| p.0), farm.position.map(|p| p.1));
        let cell = self.cell().to_owned();
        let (_, tx) = self.parts();
        let done: Result<(), sqlx::Error> = async {
            sql::query(FARM)
                .bind(&farm.id)
                .bind(&farm.name)
                .bind(&farm.location)
                .bind(lat)
                .bind(lng)
                .bind(farm.timezone)
                .bind(now_ms())
                .bind(cell)
                .execute(&mut *tx)
                .await?;
            insert(&mut *tx, user).await?;
            join(tx, &user.id, &farm.id, Role::Owner).await
        }
        .await;
        done.map_err(taken)
    }
}
