//! Contacts that somebody claims, and what happens when one of them is shown to be somebody's: docs/accounts.md.

use super::users::{UserRow, columns};
use super::{OwnWrite, Records, now_ms, tokens};
use crate::contact::Contact;
use crate::records::sql;

/// The most accounts of one contact whose password is tried.
const MAX_TRIED: i64 = 3;
/// The most accounts that become one when their contact is verified.
const MAX_ABSORBED: i64 = 50;

/// Why a claimed contact did not become verified.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClaimError {
    #[error("the contact is another account's")]
    Taken,
    #[error("the account does not claim the contact")]
    NotClaimed,
    #[error("the records failed")]
    Records(#[from] sqlx::Error),
}

/// An account that a code or a link opened.
pub(crate) struct Proof {
    pub user: UserRow,
    /// Whether the contact was a claim until now.
    pub first: bool,
}

/// Accounts that nobody has shown to be theirs and that claim the contact, the last used first.
macro_rules! claimants {
    ($what:expr, $column:literal) => {
        concat!(
            "SELECT ",
            $what,
            " FROM users u WHERE u.",
            $column,
            " = $1 AND u.email IS NULL AND u.phone IS NULL AND u.is_active \
             ORDER BY COALESCE((SELECT MAX(s.last_used_at) FROM sessions s WHERE s.user_id = u.id), u.created_at) DESC, u.id DESC \
             LIMIT $2"
        )
    };
}

impl Records {
    /// The accounts that a password may open by a contact that is nobody's yet.
    pub(crate) async fn claimants(&self, contact: &Contact) -> Result<Vec<UserRow>, sqlx::Error> {
        const BY_EMAIL: &str = claimants!(columns!(let in), "claimed_email");
        const BY_PHONE: &str = claimants!(columns!(let in), "claimed_phone");
        let (query, key) = match contact {
            Contact::Email(email) => (BY_EMAIL, email),
            Contact::Phone(phone) => (BY_PHONE, phone),
        };
        sql::query_as(query)
            .bind(key)
            .bind(MAX_TRIED)
            .fetch_all(&self.db.readers)
            .await
    }

    /// The account that a code to that contact opens, if one does.
    pub(crate) async fn account_of(
        &self,
        contact: &Contact,
    ) -> Result<Option<UserRow>, sqlx::Error> {
        match self.user_by_contact(contact).await? {
            Some(user) => Ok(Some(user)),
            None => Ok(self.claimants(contact).await?.into_iter().next()),
        }
    }

    /// The account of whoever has just shown that a contact is theirs. Accounts that only claimed it become one: it keeps
    /// the farms, and nothing by which whoever made them could come back.
    pub(crate) async fn prove(&self, contact: &Contact) -> Result<Option<Proof>, sqlx::Error> {
        const CLEAR: &str = "UPDATE users SET email = $2, phone = $3, claimed_email = NULL, claimed_phone = NULL, \
                             password_hash = NULL WHERE id = $1";
        const SESSIONS: &str = "DELETE FROM sessions WHERE user_id = $1";
        const DEVICES: &str = "DELETE FROM devices WHERE user_id = $1";
        if let Some(user) = self.user_by_contact(contact).await? {
            return Ok(Some(Proof { user, first: false }));
        }
        let (email, phone) = match contact {
            Contact::Email(email) => (Some(email), None),
            Contact::Phone(phone) => (None, Some(phone)),
        };
        let found = {
            let mut tx = self.db.write().await?;
            let mut ids = unproven(&mut tx, contact).await?;
            let found = !ids.is_empty();
            if found {
                let kept = ids.remove(0);
                absorb(&mut tx, &kept, &ids).await?;
                sql::query(CLEAR)
                    .bind(&kept)
                    .bind(email)
                    .bind(phone)
                    .execute(&mut *tx)
                    .await?;
                sql::query(SESSIONS).bind(&kept).execute(&mut *tx).await?;
                sql::query(DEVICES).bind(&kept).execute(&mut *tx).await?;
                tokens::revoke_all(&mut tx, &kept).await?;
            }
            tx.commit().await?;
            found
        };
        if !found {
            return Ok(None);
        }
        self.access_changed();
        let user = self.user_by_contact(contact).await?;
        Ok(user.map(|user| Proof { user, first: true }))
    }

    /// Gives an account the name and the password of whoever has just shown that its contact is theirs.
    pub(crate) async fn take_over(&self, user: &UserRow) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE users SET name = $2, password_hash = $3, onboarding_completed = $4 WHERE id = $1";
        sql::query(Q)
            .bind(&user.id)
            .bind(&user.name)
            .bind(&user.password_hash)
            .bind(user.onboarding_completed)
            .execute(&self.db.writer)
            .await
            .map(drop)
    }
}

impl OwnWrite {
    /// Makes a contact verified that a user claims and has just shown to be theirs, in place of the one before, and ends
    /// every other sign-in.
    pub(crate) async fn verify_claim(
        &mut self,
        user: &UserRow,
        contact: &Contact,
        but_session: &str,
    ) -> Result<(), ClaimError> {
        const EMAIL: &str = "UPDATE users SET email = $2, claimed_email = NULL WHERE id = $1 AND claimed_email = $2";
        const PHONE: &str = "UPDATE users SET phone = $2, claimed_phone = NULL WHERE id = $1 AND claimed_phone = $2";
        const SESSIONS: &str = "DELETE FROM sessions WHERE user_id = $1 AND id <> $2";
        const DEVICES: &str = "DELETE FROM devices WHERE user_id = $1 AND contact = $2";
        let (query, key, before) = match contact {
            Contact::Email(email) => (EMAIL, email, &user.email),
            Contact::Phone(phone) => (PHONE, phone, &user.phone),
        };
        let (_, tx) = self.parts();
        let done: Result<bool, sqlx::Error> = async {
            let mut others = unproven(tx, contact).await?;
            others.retain(|id| *id != user.id);
            let changed = sql::query(query)
                .bind(&user.id)
                .bind(key)
                .execute(&mut *tx)
                .await?
                .rows_affected();
            if changed > 0 {
                absorb(tx, &user.id, &others).await?;
                sql::query(SESSIONS)
                    .bind(&user.id)
                    .bind(but_session)
                    .execute(&mut *tx)
                    .await?;
                if let Some(before) = before {
                    sql::query(DEVICES)
                        .bind(&user.id)
                        .bind(before)
                        .execute(&mut *tx)
                        .await?;
                }
            }
            Ok(changed > 0)
        }
        .await;
        match done {
            Ok(true) => {
                self.ends_access();
                Ok(())
            }
            Ok(false) => Err(ClaimError::NotClaimed),
            Err(e)
                if e.as_database_error()
                    .is_some_and(|d| d.is_unique_violation()) =>
            {
                Err(ClaimError::Taken)
            }
            Err(e) => Err(e.into()),
        }
    }
}

async fn unproven(tx: &mut sql::Connection, contact: &Contact) -> Result<Vec<String>, sqlx::Error> {
    const BY_EMAIL: &str = claimants!("u.id", "claimed_email");
    const BY_PHONE: &str = claimants!("u.id", "claimed_phone");
    let (query, key) = match contact {
        Contact::Email(email) => (BY_EMAIL, email),
        Contact::Phone(phone) => (BY_PHONE, phone),
    };
    sql::query_scalar(query)
        .bind(key)
        .bind(MAX_ABSORBED)
        .fetch_all(tx)
        .await
}

/// Makes one account of several: farms and tasks go over, the rest goes.
async fn absorb(
    tx: &mut sql::Connection,
    kept: &str,
    others: &[String],
) -> Result<(), sqlx::Error> {
    // after the farms that the account has: the one that is shown first stays the same
    const FARMS: &str = "UPDATE memberships SET user_id = $1, created_at = $3 WHERE user_id = $2 \
                         AND farm_id NOT IN (SELECT farm_id FROM memberships WHERE user_id = $1)";
    const ASSIGNED: &str = "UPDATE tasks SET assignee_id = $1 WHERE assignee_id = $2";
    const MADE: &str = "UPDATE tasks SET created_by = $1 WHERE created_by = $2";
    const FORGET: &str = "DELETE FROM users WHERE id = $1";
    for other in others {
        sql::query(FARMS)
            .bind(kept)
            .bind(other)
            .bind(now_ms())
            .execute(&mut *tx)
            .await?;
        for query in [ASSIGNED, MADE] {
            sql::query(query)
                .bind(kept)
                .bind(other)
                .execute(&mut *tx)
                .await?;
        }
        sql::query(FORGET).bind(other).execute(&mut *tx).await?;
    }
    Ok(())
}
