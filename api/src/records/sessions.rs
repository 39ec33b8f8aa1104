//! Sign-ins. A token is known by its hash alone; whoever reads the database cannot sign in with it.

use sqlx::FromRow;

use super::users::{UserRow, columns};
use super::{OwnWrite, Records};
use crate::address::limited_text;
use crate::records::sql;
use crate::secret::sha256_hex;

/// A sign-in ends when it was not used for this long.
const LIFE_MS: i64 = 30 * 24 * 3_600 * 1_000;
/// A sign-in ends after this time, however much it is used.
const MAX_LIFE_MS: i64 = 90 * 24 * 3_600 * 1_000;
/// The use of a sign-in is written down at most this often: reading a dashboard should not write to the disk.
const TOUCH_MS: i64 = 60 * 1_000;
/// The most sign-ins of a user; a further one ends the one that was unused for longest.
const MAX_PER_USER: i64 = 10;

/// A sign-in as stored.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct SessionRow {
    pub id: String,
    pub created_at: i64,
    pub last_used_at: i64,
    pub expires_at: i64,
    pub user_agent: Option<String>,
    pub address: Option<String>,
    pub method: String,
    /// When the person last showed in this sign-in that it is them, by password or code.
    pub confirmed_at: i64,
}

/// How a sign-in came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Method {
    Password,
    Code,
    Registration,
    Invite,
}

impl Method {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Password => "PASSWORD",
            Self::Code => "CODE",
            Self::Registration => "REGISTRATION",
            Self::Invite => "INVITE",
        }
    }
}

/// From where somebody signs in.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Origin<'a> {
    pub(crate) address: Option<&'a str>,
    pub(crate) user_agent: Option<&'a str>,
    /// The secret of the device, if it sent one.
    pub(crate) device: Option<&'a str>,
}

/// The shortest secret of a device that is taken for one, in bytes.
const MIN_DEVICE_BYTES: usize = 32;
/// The longest one.
const MAX_DEVICE_BYTES: usize = 128;

impl Origin<'_> {
    /// What is stored of the device, if it sent a secret that can be one.
    pub(crate) fn device_hash(&self) -> Option<String> {
        let secret = self.device?;
        (MIN_DEVICE_BYTES..=MAX_DEVICE_BYTES)
            .contains(&secret.len())
            .then(|| sha256_hex(secret.as_bytes()))
    }

    /// The address, as far as it is limited by.
    pub(crate) fn limited(&self) -> String {
        limited_text(self.address.unwrap_or(""))
    }
}

#[derive(FromRow)]
struct Joined {
    session_id: String,
    session_created_at: i64,
    last_used_at: i64,
    expires_at: i64,
    user_agent: Option<String>,
    address: Option<String>,
    method: String,
    confirmed_at: i64,
    #[sqlx(flatten)]
    user: UserRow,
}

impl Records {
    pub(crate) async fn open_session(
        &self,
        user_id: &str,
        token_hash: &str,
        method: Method,
        from: Origin<'_>,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const INSERT: &str = "INSERT INTO sessions (id, user_id, token_hash, created_at, last_used_at, expires_at, user_agent, address, method, confirmed_at) \
                              VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8, $4)";
        const TRIM: &str = "DELETE FROM sessions WHERE user_id = $1 AND id NOT IN \
                            (SELECT id FROM sessions WHERE user_id = $1 ORDER BY last_used_at DESC, id DESC LIMIT $2)";
        const EXPIRED: &str = "DELETE FROM sessions WHERE expires_at <= $1";
        let id = super::new_id();
        let ended = {
            let mut tx = self.db.write().await?;
            sql::query(EXPIRED).bind(now).execute(&mut *tx).await?;
            sql::query(INSERT)
                .bind(&id)
                .bind(user_id)
                .bind(token_hash)
                .bind(now)
                .bind(now + LIFE_MS)
                .bind(from.user_agent)
                .bind(from.address)
                .bind(method.as_str())
                .execute(&mut *tx)
                .await?;
            let trimmed = sql::query(TRIM)
                .bind(user_id)
                .bind(MAX_PER_USER)
                .execute(&mut *tx)
                .await?
                .rows_affected();
            tx.commit().await?;
            trimmed
        };
        if ended > 0 {
            self.access_changed();
        }
        Ok(())
    }

    /// The live sign-in of a token, with its active user.
    pub(crate) async fn session(
        &self,
        token_hash: &str,
        now: i64,
    ) -> Result<Option<(SessionRow, UserRow)>, sqlx::Error> {
        const Q: &str = concat!(
            "SELECT s.id AS session_id, s.created_at AS session_created_at, s.last_used_at, s.expires_at, s.user_agent, \
             s.address, s.method, s.confirmed_at, ",
            columns!(),
            " FROM sessions s JOIN users u ON u.id = s.user_id \
             WHERE s.token_hash = $1 AND s.expires_at > $2 AND s.created_at > $3 AND u.is_active AND \
             (NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id) \
             OR EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id AND m.is_active))"
        );
        let found: Option<Joined> = sql::query_as(Q)
            .bind(token_hash)
            .bind(now)
            .bind(now - MAX_LIFE_MS)
            .fetch_optional(&self.db.readers)
            .await?;
        Ok(found.map(|j| {
            (
                SessionRow {
                    id: j.session_id,
                    created_at: j.session_created_at,
                    last_used_at: j.last_used_at,
                    expires_at: j.expires_at,
                    user_agent: j.user_agent,
                    address: j.address,
                    method: j.method,
                    confirmed_at: j.confirmed_at,
                },
                j.user,
            )
        }))
    }

    /// Writes down that a sign-in is used, which prolongs it.
    pub(crate) async fn touch_session(
        &self,
        session: &SessionRow,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE sessions SET last_used_at = $2, expires_at = $3 WHERE id = $1";
        if now - session.last_used_at < TOUCH_MS {
            return Ok(());
        }
        let end = (now + LIFE_MS).min(session.created_at + MAX_LIFE_MS);
        sql::query(Q)
            .bind(&session.id)
            .bind(now)
            .bind(end)
            .execute(&self.db.writer)
            .await
            .map(drop)
    }

    /// Writes down that the person has just shown that it is them.
    pub(crate) async fn confirm_session(
        &self,
        session_id: &str,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE sessions SET confirmed_at = $2 WHERE id = $1";
        sql::query(Q)
            .bind(session_id)
            .bind(now)
            .execute(&self.db.writer)
            .await
            .map(drop)
    }

    /// A user's live sign-ins, the last used first.
    pub(crate) async fn sessions_of(
        &self,
        user_id: &str,
        now: i64,
    ) -> Result<Vec<SessionRow>, sqlx::Error> {
        const Q: &str = "SELECT id, created_at, last_used_at, expires_at, user_agent, address, method, confirmed_at FROM sessions \
                         WHERE user_id = $1 AND expires_at > $2 ORDER BY last_used_at DESC, id DESC";
        sql::query_as(Q)
            .bind(user_id)
            .bind(now)
            .fetch_all(&self.db.readers)
            .await
    }
}

impl OwnWrite {
    /// Ends one of the user's sign-ins; false where it is not theirs.
    pub(crate) async fn end_session(&mut self, session_id: &str) -> Result<bool, sqlx::Error> {
        const Q: &str = "DELETE FROM sessions WHERE id = $2 AND user_id = $1";
        let (user_id, tx) = self.parts();
        let query = sql::query(Q).bind(user_id).bind(session_id);
        let ended = query.execute(tx).await?.rows_affected();
        // what ended nothing makes nobody look again
        if ended > 0 {
            self.ends_access();
        }
        Ok(ended > 0)
    }

    /// Ends all of the user's sign-ins.
    pub(crate) async fn end_sessions(&mut self) -> Result<(), sqlx::Error> {
        let (user_id, tx) = self.parts();
        end_all(tx, user_id).await?;
        self.ends_access();
        Ok(())
    }
}

/// Ends all sign-ins of a user.
pub(super) async fn end_all(
    database: impl sql::Executor<'_>,
    user_id: &str,
) -> Result<(), sqlx::Error> {
    const Q: &str = "DELETE FROM sessions WHERE user_id = $1";
    let query = sql::query(Q).bind(user_id);
    query.execute(database).await.map(drop)
}
