//! The browsers in which people asked to be told: one a sign-in, which it ends with.

use sqlx::FromRow;

use super::{OwnWrite, Records, new_id};
use crate::delivery::push::PushTarget;
use crate::records::sql;

/// A browser in which somebody asked to be told.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Browser {
    pub id: String,
    /// The sign-in in which they asked.
    pub session_id: String,
    /// As it names itself.
    pub user_agent: Option<String>,
    pub created_at: i64,
    /// When its push service last took a message.
    pub sent_at: Option<i64>,
}

#[derive(FromRow)]
struct TargetRow {
    endpoint: String,
    p256dh: Vec<u8>,
    auth: Vec<u8>,
}

impl Records {
    /// The key by which push services know the server.
    pub(crate) fn push_key(&self) -> std::sync::Arc<crate::secret::VapidKey> {
        self.push_key.clone()
    }

    /// Somebody's browsers, the first first.
    pub(crate) async fn browsers(
        &self,
        user_id: &str,
        now: i64,
    ) -> Result<Vec<Browser>, sqlx::Error> {
        const Q: &str = "SELECT p.id, p.session_id, s.user_agent, p.created_at, \
            (SELECT MAX(o.sent_at) FROM outbox o WHERE o.recipient = p.id AND o.channel = 'PUSH') AS sent_at \
            FROM push_subscriptions p JOIN sessions s ON s.id = p.session_id \
            WHERE p.user_id = $1 AND s.expires_at > $2 ORDER BY p.id";
        sql::query_as(Q)
            .bind(user_id)
            .bind(now)
            .fetch_all(&self.db.readers)
            .await
    }

    /// Where a message goes: none where its browser asked no more, its sign-in has ended, or the person is let in no more.
    pub(crate) async fn push_target(
        &self,
        message: &str,
        now: i64,
    ) -> Result<Option<PushTarget>, sqlx::Error> {
        const Q: &str = "SELECT p.endpoint, p.p256dh, p.auth FROM outbox o \
            JOIN push_subscriptions p ON p.id = o.recipient AND p.user_id = o.user_id \
            JOIN sessions s ON s.id = p.session_id JOIN users u ON u.id = p.user_id \
            WHERE o.id = $1 AND s.expires_at > $2 AND u.is_active AND (o.farm_id IS NULL OR EXISTS (SELECT 1 FROM memberships m \
            WHERE m.user_id = u.id AND m.farm_id = o.farm_id AND m.is_active))";
        let row: Option<TargetRow> = sql::query_as(Q)
            .bind(message)
            .bind(now)
            .fetch_optional(&self.db.readers)
            .await?;
        Ok(row.map(|row| PushTarget {
            endpoint: row.endpoint,
            p256dh: row.p256dh,
            auth: row.auth,
        }))
    }

    /// Forgets a browser: its push service does not know it any more.
    pub(crate) async fn forget_push(&self, id: &str) -> Result<(), sqlx::Error> {
        const Q: &str = "DELETE FROM push_subscriptions WHERE id = $1";
        let query = sql::query(Q).bind(id);
        query.execute(&self.db.writer).await.map(drop)
    }
}

impl OwnWrite {
    /// Tells the user in the browser of that sign-in from now on; its id. What was there of the sign-in or the browser goes: a
    /// browser that several people sign in with is the last one's who asked.
    pub(crate) async fn add_browser(
        &mut self,
        session: &str,
        target: &PushTarget,
        now: i64,
    ) -> Result<String, sqlx::Error> {
        const CLEAR: &str = "DELETE FROM push_subscriptions WHERE session_id = $1 OR endpoint = $2";
        const INSERT: &str = "INSERT INTO push_subscriptions (id, user_id, session_id, endpoint, p256dh, auth, created_at) \
            VALUES ($1, $2, $3, $4, $5, $6, $7)";
        // who chose their ways before has just chosen one more
        const CHOSEN: &str = "UPDATE told_choices SET ways = ways || ',PUSH' WHERE user_id = $1 AND ways IS NOT NULL \
            AND ',' || ways || ',' NOT LIKE '%,PUSH,%'";
        let id = new_id();
        let (user, tx) = self.parts();
        sql::query(CLEAR)
            .bind(session)
            .bind(&target.endpoint)
            .execute(&mut *tx)
            .await?;
        sql::query(INSERT)
            .bind(&id)
            .bind(user)
            .bind(session)
            .bind(&target.endpoint)
            .bind(&target.p256dh)
            .bind(&target.auth)
            .bind(now)
            .execute(&mut *tx)
            .await?;
        sql::query(CHOSEN).bind(user).execute(tx).await?;
        Ok(id)
    }

    /// Tells the user in that browser no more; false where it is none of theirs.
    pub(crate) async fn remove_browser(&mut self, id: &str) -> Result<bool, sqlx::Error> {
        const Q: &str = "DELETE FROM push_subscriptions WHERE id = $2 AND user_id = $1";
        let (user, tx) = self.parts();
        let query = sql::query(Q).bind(user).bind(id);
        Ok(query.execute(tx).await?.rows_affected() > 0)
    }
}

/// A browser of somebody's.
pub(super) async fn is_browser_of(
    tx: &mut sql::Connection,
    user: &str,
    id: &str,
) -> Result<bool, sqlx::Error> {
    const Q: &str = "SELECT 1 FROM push_subscriptions WHERE id = $1 AND user_id = $2";
    let found = sql::query(Q).bind(id).bind(user).fetch_optional(tx).await?;
    Ok(found.is_some())
}
