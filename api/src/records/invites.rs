//! Invites: who was asked to join a farm as what. The link's token is known by its hash alone.

use sqlx::FromRow;

use super::outbox::{self, Content, MessageKind, NewMessage};
use super::people::{PeopleError, join, taken};
use super::users::{UserRow, insert};
use super::{FarmRecords, OwnWrite, Records, Write, now_ms};
use crate::contact::Contact;
use crate::language::{Language, invite_message, invite_subject};
use crate::records::sql;
use crate::role::Role;

/// How long an invite is good.
pub(crate) const INVITE_LIFE_MS: i64 = 7 * 24 * 3_600 * 1_000;
/// The most invites of a farm in a day, revoked ones included.
const PER_DAY: i64 = 20;
const DAY_MS: i64 = 24 * 3_600 * 1_000;
/// The most invites that are listed.
const MAX_LISTED: i64 = 500;
/// For how long the list says what became of an invite.
const LISTED_MS: i64 = 90 * DAY_MS;

/// An invite that can still be accepted.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct InviteRow {
    pub id: String,
    pub farm_id: String,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub role: String,
    pub language: String,
    pub invited_by: String,
    pub inviter: String,
    pub farm_name: String,
    pub created_at: i64,
    pub expires_at: i64,
}

/// A link, with the invite that it leads to.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct LinkRow {
    #[sqlx(flatten)]
    pub invite: InviteRow,
    /// Whether it is the one that who invited passes on: it shows nobody that the contact is theirs.
    pub shared: bool,
}

/// An invite, with what became of it.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct SentInvite {
    #[sqlx(flatten)]
    pub invite: InviteRow,
    pub accepted_at: Option<i64>,
    /// The name of who accepted; none where the account is gone, or accepted before this was kept.
    pub accepted_by: Option<String>,
    pub revoked_at: Option<i64>,
}

impl InviteRow {
    /// Whom it is for.
    pub(crate) fn contact(&self) -> Contact {
        match (&self.email, &self.phone) {
            (Some(email), _) => Contact::Email(email.clone()),
            (None, phone) => Contact::Phone(phone.clone().unwrap_or_default()),
        }
    }

    /// What is sent or passed on with a link of it.
    pub(crate) fn message(&self, language: Language, link: &str) -> String {
        invite_message(language, &self.inviter, &self.farm_name, link)
    }
}

/// What is sent with the link of an invite.
fn invite_content(language: Language, invite: &InviteRow, link: &str) -> Content {
    let body = invite.message(language, link);
    Content {
        title: invite_subject(language, &invite.farm_name),
        params: vec![invite_subject(language, &invite.farm_name), link.to_owned()],
        body,
        secret: link.to_owned(),
        link: Some(link.to_owned()),
        event: None,
        joined: None,
    }
}

impl From<InviteRow> for SentInvite {
    fn from(invite: InviteRow) -> Self {
        Self {
            invite,
            accepted_at: None,
            accepted_by: None,
            revoked_at: None,
        }
    }
}

/// An invite to be made.
#[derive(Debug, Clone)]
pub(crate) struct NewInvite<'a> {
    pub contact: &'a Contact,
    pub role: Role,
    pub language: Language,
    /// Of the link that is sent to the contact.
    pub token_hash: String,
    /// Of the link that who invites passes on.
    pub shared_hash: String,
    pub invited_by: &'a str,
}

/// Who accepts an invite.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Invitee<'a> {
    /// Somebody who gets this account.
    New(&'a UserRow),
    /// Somebody who has an account already, by its id.
    Known(&'a str),
}

/// Why an invite was not made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InviteError {
    #[error("the farm has made too many invites today; the next one is possible in {0} s")]
    TooMany(u64),
    #[error("the person belongs to the farm already")]
    Member,
    #[error("the records failed")]
    Records(#[from] sqlx::Error),
}

macro_rules! columns {
    () => {
        "SELECT i.id, i.farm_id, i.email, i.phone, i.role, i.language, i.invited_by, u.name AS inviter, \
         f.name AS farm_name, i.created_at, i.expires_at"
    };
}
macro_rules! tables {
    () => {
        " FROM invites i JOIN users u ON u.id = i.invited_by JOIN farms f ON f.id = i.farm_id"
    };
}
/// Of an invite that was neither accepted nor taken back.
macro_rules! open {
    () => {
        " WHERE i.accepted_at IS NULL AND i.revoked_at IS NULL"
    };
}

impl Write {
    /// Makes an invite, in place of an open one for the same contact.
    pub(crate) async fn invite(&mut self, new: NewInvite<'_>) -> Result<InviteRow, InviteError> {
        const MEMBER: &str = "SELECT COUNT(*) FROM memberships m JOIN users u ON u.id = m.user_id \
                              WHERE m.farm_id = $1 AND (u.email = $2 OR u.phone = $3 \
                              OR (u.email IS NULL AND u.phone IS NULL AND (u.claimed_email = $2 OR u.claimed_phone = $3)))";
        const TODAY: &str =
            "SELECT COUNT(*), MIN(created_at) FROM invites WHERE farm_id = $1 AND created_at > $2";
        const REPLACE: &str = "UPDATE invites SET revoked_at = $4 WHERE farm_id = $1 AND (email = $2 OR phone = $3) \
                               AND accepted_at IS NULL AND revoked_at IS NULL";
        const OPEN: &str = "SELECT id FROM invites WHERE farm_id = $1 AND (email = $2 OR phone = $3) AND accepted_at IS NULL AND revoked_at IS NULL";
        const INSERT: &str = "INSERT INTO invites (id, farm_id, email, phone, role, language, token_hash, shared_hash, invited_by, created_at, expires_at) \
                              VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
        const MADE: &str = concat!(columns!(), tables!(), open!(), " AND i.id = $1");
        let (email, phone) = match new.contact {
            Contact::Email(email) => (Some(email), None),
            Contact::Phone(phone) => (None, Some(phone)),
        };
        let (id, now) = (super::new_id(), now_ms());
        let (farm, tx) = self.parts();
        let (members,): (i64,) = sql::query_as(MEMBER)
            .bind(farm)
            .bind(email)
            .bind(phone)
            .fetch_one(&mut *tx)
            .await?;
        if members > 0 {
            return Err(InviteError::Member);
        }
        let (today, first): (i64, Option<i64>) = sql::query_as(TODAY)
            .bind(farm)
            .bind(now - DAY_MS)
            .fetch_one(&mut *tx)
            .await?;
        if today >= PER_DAY {
            let wait = (first.unwrap_or(now) + DAY_MS - now) / 1_000;
            return Err(InviteError::TooMany(u64::try_from(wait).unwrap_or(0) + 1));
        }
        let before: Vec<(String,)> = sql::query_as(OPEN)
            .bind(farm)
            .bind(email)
            .bind(phone)
            .fetch_all(&mut *tx)
            .await?;
        for (id,) in before {
            outbox::erase(tx, &id, now).await?;
        }
        sql::query(REPLACE)
            .bind(farm)
            .bind(email)
            .bind(phone)
            .bind(now)
            .execute(&mut *tx)
            .await?;
        sql::query(INSERT)
            .bind(&id)
            .bind(farm)
            .bind(email)
            .bind(phone)
            .bind(new.role.as_str())
            .bind(new.language.as_str())
            .bind(&new.token_hash)
            .bind(&new.shared_hash)
            .bind(new.invited_by)
            .bind(now)
            .bind(now + INVITE_LIFE_MS)
            .execute(&mut *tx)
            .await?;
        Ok(sql::query_as(MADE).bind(&id).fetch_one(tx).await?)
    }

    /// Puts an invite's link among what is to be sent to whom it is for.
    pub(crate) async fn send_invite(
        &mut self,
        invite: &InviteRow,
        language: Language,
        link: &str,
    ) -> Result<(), sqlx::Error> {
        let message = NewMessage {
            to: &invite.contact(),
            kind: MessageKind::Invite,
            language,
            content: invite_content(language, invite, link),
            about: &invite.id,
            farm: Some(&invite.farm_id),
            user: None,
        };
        let records = self.records().records.clone();
        let (_, tx) = self.parts();
        let waiting = records.put_message(tx, message, now_ms()).await?;
        self.after(move |records| waiting.tell(records));
        Ok(())
    }

    /// Takes an invite back.
    pub(crate) async fn revoke_invite(&mut self, id: &str) -> Result<bool, sqlx::Error> {
        const Q: &str = "UPDATE invites SET revoked_at = $3 WHERE farm_id = $1 AND id = $2 AND accepted_at IS NULL AND revoked_at IS NULL";
        let (farm, tx) = self.parts();
        let revoked = sql::query(Q)
            .bind(farm)
            .bind(id)
            .bind(now_ms())
            .execute(&mut *tx)
            .await?
            .rows_affected();
        if revoked > 0 {
            outbox::erase(tx, id, now_ms()).await?;
        }
        Ok(revoked > 0)
    }
}

impl FarmRecords {
    /// The latest invite of each contact in the last 90 days, the latest first.
    pub(crate) async fn invites(&self) -> Result<Vec<SentInvite>, sqlx::Error> {
        const Q: &str = concat!(
            columns!(),
            ", i.accepted_at, i.revoked_at, a.name AS accepted_by",
            tables!(),
            " LEFT JOIN users a ON a.id = i.accepted_by \
             WHERE i.farm_id = $1 AND i.created_at > $2 AND NOT EXISTS (SELECT 1 FROM invites n WHERE n.farm_id = i.farm_id \
             AND (n.email = i.email OR n.phone = i.phone) AND (n.created_at, n.id) > (i.created_at, i.id)) \
             ORDER BY i.created_at DESC, i.id DESC LIMIT $3"
        );
        sql::query_as(Q)
            .bind(self.farm())
            .bind(now_ms() - LISTED_MS)
            .bind(MAX_LISTED)
            .fetch_all(&self.db().readers)
            .await
    }

    /// An invite of this farm that can still be accepted.
    pub(crate) async fn invite_by_id(&self, id: &str) -> Result<Option<InviteRow>, sqlx::Error> {
        const Q: &str = concat!(
            columns!(),
            tables!(),
            open!(),
            " AND i.farm_id = $1 AND i.id = $2 AND i.expires_at > $3"
        );
        sql::query_as(Q)
            .bind(self.farm())
            .bind(id)
            .bind(now_ms())
            .fetch_optional(&self.db().readers)
            .await
    }
}

/// Marks an invite as accepted, once.
const CLAIM: &str = "UPDATE invites SET accepted_at = $2, accepted_by = $3 WHERE id = $1 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > $2";

impl Records {
    /// The invite of a link, if it can still be accepted.
    pub(crate) async fn invite_by_token(
        &self,
        token_hash: &str,
    ) -> Result<Option<LinkRow>, sqlx::Error> {
        const Q: &str = concat!(
            columns!(),
            ", i.token_hash <> $1 AS shared",
            tables!(),
            open!(),
            " AND (i.token_hash = $1 OR i.shared_hash = $1) AND i.expires_at > $2"
        );
        sql::query_as(Q)
            .bind(token_hash)
            .bind(now_ms())
            .fetch_optional(&self.db.writer)
            .await
    }
}

impl OwnWrite {
    /// Accepts an invite, once.
    pub(crate) async fn accept_invite(
        &mut self,
        invite: &InviteRow,
        role: Role,
        by: Invitee<'_>,
    ) -> Result<(), PeopleError> {
        let (_, tx) = self.parts();
        let user_id = match by {
            Invitee::New(user) => {
                insert(&mut *tx, user).await.map_err(taken)?;
                &user.id
            }
            Invitee::Known(id) => id,
        };
        let claimed = sql::query(CLAIM)
            .bind(&invite.id)
            .bind(now_ms())
            .bind(user_id)
            .execute(&mut *tx)
            .await?
            .rows_affected();
        if claimed == 0 {
            return Err(PeopleError::Gone);
        }
        outbox::erase(tx, &invite.id, now_ms()).await?;
        Ok(join(tx, user_id, &invite.farm_id, role).await?)
    }
}
