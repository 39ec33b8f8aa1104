//! Users, and how they are found by what they sign in with.

use sqlx::FromRow;

use super::tokens::revoke_all;
use super::{OwnWrite, Records};
use crate::contact::Contact;
use crate::records::sql;

/// A user as stored.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct UserRow {
    pub id: String,
    /// Shown to be theirs by a code or a link that was sent to it; so is `phone`.
    pub email: Option<String>,
    pub phone: Option<String>,
    /// Written down for them, by themselves or by others; shown to be theirs by nobody. So is `claimed_phone`.
    pub claimed_email: Option<String>,
    pub claimed_phone: Option<String>,
    pub name: String,
    pub password_hash: Option<String>,
    pub language: String,
    pub is_active: bool,
    pub onboarding_completed: bool,
    pub created_at: i64,
}

impl UserRow {
    /// The e-mail address that people are shown: the verified one, else the claimed one.
    pub(crate) fn shown_email(&self) -> Option<&String> {
        self.email.as_ref().or(self.claimed_email.as_ref())
    }

    /// The phone number that people are shown, likewise.
    pub(crate) fn shown_phone(&self) -> Option<&String> {
        self.phone.as_ref().or(self.claimed_phone.as_ref())
    }

    /// Whether a contact of theirs is verified: such an account is no longer anybody's who shows that a claimed one is theirs.
    pub(crate) const fn is_verified(&self) -> bool {
        self.email.is_some() || self.phone.is_some()
    }

    /// A verified contact, the e-mail address first.
    pub(crate) fn verified_contact(&self) -> Option<Contact> {
        let email = self.email.clone().map(Contact::Email);
        email.or_else(|| self.phone.clone().map(Contact::Phone))
    }

    /// Whether they claim that contact.
    pub(crate) fn claims(&self, contact: &Contact) -> bool {
        match contact {
            Contact::Email(email) => self.claimed_email.as_ref() == Some(email),
            Contact::Phone(phone) => self.claimed_phone.as_ref() == Some(phone),
        }
    }

    /// The words that a password of theirs must not be.
    pub(crate) fn own_words(&self) -> Vec<&str> {
        let contacts = [
            &self.email,
            &self.phone,
            &self.claimed_email,
            &self.claimed_phone,
        ];
        let contacts = contacts.into_iter().flatten();
        std::iter::once(&self.name)
            .chain(contacts)
            .map(String::as_str)
            .collect()
    }
}

/// The columns of a [`UserRow`], from a table that is called `u`; `active` is an expression.
macro_rules! columns {
    ($active:literal) => {
        concat!(
            "u.id, u.email, u.phone, u.claimed_email, u.claimed_phone, u.name, u.password_hash, u.language, ",
            $active,
            " AS is_active, u.onboarding_completed, u.created_at"
        )
    };
    // who is let into none of their farms is as inactive as somebody who is switched off altogether
    (let in) => {
        $crate::records::users::columns!(
            "(u.is_active AND (NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id) \
             OR EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id AND m.is_active)))"
        )
    };
    () => {
        $crate::records::users::columns!("u.is_active")
    };
}
pub(super) use columns;

/// Adds a user.
pub(super) async fn insert(
    database: impl sql::Executor<'_>,
    user: &UserRow,
) -> Result<(), sqlx::Error> {
    const INSERT: &str = "INSERT INTO users (id, email, phone, claimed_email, claimed_phone, name, password_hash, language, \
                          is_active, onboarding_completed, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    sql::query(INSERT)
        .bind(&user.id)
        .bind(&user.email)
        .bind(&user.phone)
        .bind(&user.claimed_email)
        .bind(&user.claimed_phone)
        .bind(&user.name)
        .bind(&user.password_hash)
        .bind(&user.language)
        .bind(user.is_active)
        .bind(user.onboarding_completed)
        .bind(user.created_at)
        .execute(database)
        .await
        .map(drop)
}

impl Records {
    /// The user of that id; active or not.
    pub(crate) async fn user_by_id(&self, id: &str) -> Result<Option<UserRow>, sqlx::Error> {
        const Q: &str = concat!("SELECT ", columns!(), " FROM users u WHERE u.id = $1");
        let query = sql::query_as(Q).bind(id);
        query.fetch_optional(&self.db.readers).await
    }

    /// All users, the first one first; for who runs the server.
    pub(crate) async fn all_users(&self) -> Result<Vec<UserRow>, sqlx::Error> {
        const Q: &str = concat!(
            "SELECT ",
            columns!(),
            " FROM users u ORDER BY u.created_at, u.id"
        );
        sql::query_as(Q).fetch_all(&self.db.readers).await
    }

    /// A user who is let in.
    pub(crate) async fn active_user(&self, id: &str) -> Result<Option<UserRow>, sqlx::Error> {
        const Q: &str = concat!("SELECT ", columns!(let in), " FROM users u WHERE u.id = $1");
        let user: Option<UserRow> = sql::query_as(Q)
            .bind(id)
            .fetch_optional(&self.db.readers)
            .await?;
        Ok(user.filter(|u| u.is_active))
    }

    /// The user whose e-mail address or phone number that is, verified; active or not.
    pub(crate) async fn user_by_contact(
        &self,
        contact: &Contact,
    ) -> Result<Option<UserRow>, sqlx::Error> {
        const BY_EMAIL: &str = concat!(
            "SELECT ",
            columns!(let in),
            " FROM users u WHERE u.email = $1"
        );
        const BY_PHONE: &str = concat!(
            "SELECT ",
            columns!(let in),
            " FROM users u WHERE u.phone = $1"
        );
        let (query, key) = match contact {
            Contact::Email(email) => (BY_EMAIL, email),
            Contact::Phone(phone) => (BY_PHONE, phone),
        };
        sql::query_as(query)
            .bind(key)
            .fetch_optional(&self.db.readers)
            .await
    }

    /// Switches a user on or off; one who is off can neither sign in nor go on.
    ///
    /// # Errors
    /// When the records fail.
    pub async fn set_user_active(
        &self,
        user_id: &str,
        active: bool,
    ) -> Result<bool, super::RecordsError> {
        const Q: &str = "UPDATE users SET is_active = $2 WHERE id = $1";
        let changed = sql::query(Q)
            .bind(user_id)
            .bind(active)
            .execute(&self.db.writer)
            .await
            .map(|r| r.rows_affected())?;
        self.access_changed();
        Ok(changed > 0)
    }

    pub(crate) async fn complete_onboarding(&self, user_id: &str) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE users SET onboarding_completed = $2 WHERE id = $1";
        sql::query(Q)
            .bind(user_id)
            .bind(true)
            .execute(&self.db.writer)
            .await
            .map(drop)
    }
}

impl OwnWrite {
    /// Ends all of the user's tokens.
    pub(crate) async fn revoke_tokens(&mut self) -> Result<(), sqlx::Error> {
        let (user_id, tx) = self.parts();
        revoke_all(tx, user_id).await?;
        self.ends_access();
        Ok(())
    }

    /// Sets a new password, and ends every sign-in but the one that set it.
    pub(crate) async fn set_password(
        &mut self,
        hash: &str,
        but_session: &str,
    ) -> Result<(), sqlx::Error> {
        const SET: &str = "UPDATE users SET password_hash = $2 WHERE id = $1";
        const END: &str = "DELETE FROM sessions WHERE user_id = $1 AND id <> $2";
        // a second use of the same code's sign-in needs a new code
        const SPEND: &str = "UPDATE sessions SET method = 'PASSWORD' WHERE id = $1";
        let (user_id, tx) = self.parts();
        let set = sql::query(SET).bind(user_id).bind(hash);
        set.execute(&mut *tx).await?;
        let end = sql::query(END).bind(user_id).bind(but_session);
        end.execute(&mut *tx).await?;
        sql::query(SPEND).bind(but_session).execute(tx).await?;
        self.ends_access();
        Ok(())
    }
}
