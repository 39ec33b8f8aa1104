//! Users, and how they are found by what they sign in with.

use sqlx::FromRow;

use super::Records;
use super::db::on;
use crate::auth::Contact;

/// A user as stored.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct UserRow {
    pub id: String,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub name: String,
    pub password_hash: Option<String>,
    pub language: String,
    pub is_active: bool,
    pub onboarding_completed: bool,
    pub created_at: i64,
}

impl Records {
    /// The user of an e-mail address or phone number, active or not.
    pub(crate) async fn user_by_contact(
        &self,
        contact: &Contact,
    ) -> Result<Option<UserRow>, sqlx::Error> {
        const BY_EMAIL: &str = "SELECT id, email, phone, name, password_hash, language, is_active, onboarding_completed, created_at \
                                FROM users WHERE email = $1";
        const BY_PHONE: &str = "SELECT id, email, phone, name, password_hash, language, is_active, onboarding_completed, created_at \
                                FROM users WHERE phone = $1";
        let (query, key) = match contact {
            Contact::Email(email) => (BY_EMAIL, email),
            Contact::Phone(phone) => (BY_PHONE, phone),
        };
        on!(&self.db, read p => sqlx::query_as(query).bind(key).fetch_optional(p).await)
    }

    pub(super) async fn insert_user(&self, user: &UserRow) -> Result<(), sqlx::Error> {
        const Q: &str = "INSERT INTO users (id, email, phone, name, password_hash, language, is_active, onboarding_completed, created_at) \
                         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        on!(&self.db, write p => sqlx::query(Q)
            .bind(&user.id).bind(&user.email).bind(&user.phone).bind(&user.name).bind(&user.password_hash)
            .bind(&user.language).bind(user.is_active).bind(user.onboarding_completed).bind(user.created_at)
            .execute(p).await.map(drop))
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
        let changed = on!(&self.db, write p => sqlx::query(Q).bind(user_id).bind(active).execute(p).await.map(|r| r.rows_affected()))?;
        self.access_changed();
        Ok(changed > 0)
    }
}
