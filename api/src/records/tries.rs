//! Wrong passwords, counted by contact: over all addresses, over a restart, and the same for contacts without an account.

use super::Records;
use crate::records::sql;

/// Wrong passwords for one contact in [`WINDOW_MS`]; further ones are not looked at. Signing in by code stays possible.
pub(crate) const PASSWORD_TRIES: i64 = 30;
/// The time in which they are counted.
const WINDOW_MS: i64 = 3_600 * 1_000;

impl Records {
    /// Takes a try before the password is looked at, in one statement, so that tries that come at the same time are counted
    /// one by one. Without one left: after how many seconds there is one.
    pub(crate) async fn take_password_try(
        &self,
        key: &str,
        now: i64,
    ) -> Result<Result<(), u64>, sqlx::Error> {
        const FORGET: &str = "DELETE FROM password_tries WHERE since <= $1";
        const TAKE: &str = "INSERT INTO password_tries (contact, failures, since) VALUES ($1, 1, $2) \
                            ON CONFLICT (contact) DO UPDATE SET failures = password_tries.failures + 1 \
                            WHERE password_tries.failures < $3";
        const SINCE: &str = "SELECT since FROM password_tries WHERE contact = $1";
        let since: Option<i64> = {
            let mut tx = self.db.write().await?;
            sql::query(FORGET)
                .bind(now - WINDOW_MS)
                .execute(&mut *tx)
                .await?;
            let taken = sql::query(TAKE)
                .bind(key)
                .bind(now)
                .bind(PASSWORD_TRIES)
                .execute(&mut *tx)
                .await?
                .rows_affected();
            let since = match taken {
                0 => {
                    sql::query_scalar(SINCE)
                        .bind(key)
                        .fetch_optional(&mut *tx)
                        .await?
                }
                _ => None,
            };
            tx.commit().await?;
            since
        };
        Ok(match since {
            None => Ok(()),
            Some(since) => {
                let seconds = (since + WINDOW_MS - now + 999) / 1_000;
                Err(u64::try_from(seconds).unwrap_or(1).max(1))
            }
        })
    }

    /// Gives a try back: the password was right.
    pub(crate) async fn give_back_password_try(&self, key: &str) -> Result<(), sqlx::Error> {
        const GIVE: &str =
            "UPDATE password_tries SET failures = failures - 1 WHERE contact = $1 AND failures > 0";
        sql::query(GIVE)
            .bind(key)
            .execute(&self.db.writer)
            .await
            .map(drop)
    }
}
