//! Devices that have signed in before. A device has a secret of its own, which says nothing of who uses it; what is known is
//! that whoever holds it has signed in with a contact. Limits that strangers could use up do not hold for it.

use super::Records;
use super::users::UserRow;
use crate::contact::Contact;
use crate::records::sql;

/// A device is forgotten when it has not signed in for this long.
const KNOWN_MS: i64 = 180 * 24 * 3_600 * 1_000;
/// The most devices and contacts of a user.
const MAX_PER_USER: i64 = 40;

impl Records {
    /// Whether a device has signed in with that contact.
    pub(crate) async fn knows_device(
        &self,
        device_hash: &str,
        contact: &Contact,
        now: i64,
    ) -> Result<bool, sqlx::Error> {
        const Q: &str =
            "SELECT 1 FROM devices WHERE device_hash = $1 AND contact = $2 AND last_used_at > $3";
        let row = sql::query(Q)
            .bind(device_hash)
            .bind(contact.key())
            .bind(now - KNOWN_MS)
            .fetch_optional(&self.db.readers)
            .await?;
        Ok(row.is_some())
    }

    /// A user has signed in on a device: it is known from now on for the user's verified contacts.
    pub(crate) async fn remember_device(
        &self,
        user: &UserRow,
        device_hash: &str,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const FORGET: &str = "DELETE FROM devices WHERE last_used_at <= $1";
        const PUT: &str = "INSERT INTO devices (device_hash, contact, user_id, last_used_at) VALUES ($1, $2, $3, $4) \
                           ON CONFLICT (device_hash, contact) DO UPDATE SET user_id = excluded.user_id, last_used_at = excluded.last_used_at";
        const TRIM: &str = "DELETE FROM devices WHERE user_id = $1 AND (device_hash, contact) NOT IN \
                            (SELECT device_hash, contact FROM devices WHERE user_id = $1 ORDER BY last_used_at DESC LIMIT $2)";
        {
            let mut tx = self.db.write().await?;
            sql::query(FORGET)
                .bind(now - KNOWN_MS)
                .execute(&mut *tx)
                .await?;
            for contact in [&user.email, &user.phone].into_iter().flatten() {
                sql::query(PUT)
                    .bind(device_hash)
                    .bind(contact)
                    .bind(&user.id)
                    .bind(now)
                    .execute(&mut *tx)
                    .await?;
            }
            sql::query(TRIM)
                .bind(&user.id)
                .bind(MAX_PER_USER)
                .execute(&mut *tx)
                .await?;
            tx.commit().await?;
        };
        Ok(())
    }
}
