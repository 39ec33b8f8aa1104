//! Tokens of programs. A token is known by its hash alone, so whoever reads the database cannot use it, and looking it up
//! compares nothing that takes longer the more of it is right.

use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::users::{UserRow, columns};
use super::{OwnWrite, Records};
use crate::records::sql;

/// The most tokens of a user.
const MAX_PER_USER: i64 = 20;
/// The use of a token is written down at most this often: reading should not write to the disk.
const TOUCH_MS: i64 = 10 * 60 * 1_000;

/// How much a token allows, of what its owner may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum TokenScope {
    /// Looks.
    Read,
    /// Looks, commands devices, stops and locks them.
    Control,
}

impl TokenScope {
    pub(crate) const ALL: [Self; 2] = [Self::Read, Self::Control];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "READ",
            Self::Control => "CONTROL",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == text)
    }
}

/// A token as stored.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub id: String,
    pub name: String,
    /// Its first characters.
    pub start: String,
    pub scope: TokenScope,
    /// The farms that it is for; its owner belongs to all of them.
    pub farms: Vec<String>,
    pub created_at: i64,
    /// To 10 minutes.
    pub last_used_at: Option<i64>,
    pub expires_at: Option<i64>,
}

/// A token to be stored.
#[derive(Debug)]
pub(crate) struct NewToken<'a> {
    pub name: &'a str,
    pub token_hash: &'a str,
    pub start: &'a str,
    pub scope: TokenScope,
    pub farms: &'a [String],
    pub expires_at: Option<i64>,
}

/// Why a token was not made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TokenError {
    #[error("the user has too many tokens")]
    TooMany,
    #[error("the user does not belong to a farm that the token is for")]
    NoMember,
    #[error("the records failed")]
    Records(#[from] sqlx::Error),
}

#[derive(FromRow)]
struct Row {
    token_id: String,
    token_name: String,
    start: String,
    scope: String,
    farms: String,
    token_created_at: i64,
    last_used_at: Option<i64>,
    expires_at: Option<i64>,
}

impl Row {
    fn read(self) -> Option<Token> {
        Some(Token {
            id: self.token_id,
            name: self.token_name,
            start: self.start,
            scope: TokenScope::parse(&self.scope)?,
            farms: serde_json::from_str(&self.farms).ok()?,
            created_at: self.token_created_at,
            last_used_at: self.last_used_at,
            expires_at: self.expires_at,
        })
    }
}

#[derive(FromRow)]
struct Joined {
    #[sqlx(flatten)]
    token: Row,
    #[sqlx(flatten)]
    user: UserRow,
}

/// The columns of a [`Row`], from a table that is called `t`.
macro_rules! token_columns {
    () => {
        "t.id AS token_id, t.name AS token_name, t.start, t.scope, t.created_at AS token_created_at, t.last_used_at, t.expires_at, \
         (SELECT json_group_array(farm_id) FROM (SELECT farm_id FROM token_farms f WHERE f.token_id = t.id ORDER BY farm_id) AS named) AS farms"
    };
}

impl Records {
    /// The live token of a hash, with its active owner.
    pub(crate) async fn token(
        &self,
        token_hash: &str,
        now: i64,
    ) -> Result<Option<(Token, UserRow)>, sqlx::Error> {
        const Q: &str = concat!(
            "SELECT ",
            token_columns!(),
            ", ",
            columns!(),
            " FROM tokens t JOIN users u ON u.id = t.user_id \
             WHERE t.token_hash = $1 AND (t.expires_at IS NULL OR t.expires_at > $2) AND u.is_active AND \
             EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = u.id AND m.is_active)"
        );
        let found: Option<Joined> = sql::query_as(Q)
            .bind(token_hash)
            .bind(now)
            .fetch_optional(&self.db.readers)
            .await?;
        Ok(found.and_then(|j| Some((j.token.read()?, j.user))))
    }

    /// Writes down that a token is used, unless that was done a moment ago.
    pub(crate) async fn touch_token(&self, token: &Token, now: i64) -> Result<(), sqlx::Error> {
        const Q: &str = "UPDATE tokens SET last_used_at = $2 WHERE id = $1";
        if token.last_used_at.is_some_and(|at| now - at < TOUCH_MS) {
            return Ok(());
        }
        let query = sql::query(Q).bind(&token.id).bind(now);
        query.execute(&self.db.writer).await.map(drop)
    }

    /// A user's tokens, ended ones too, the oldest first.
    pub(crate) async fn tokens_of(&self, user_id: &str) -> Result<Vec<Token>, sqlx::Error> {
        const Q: &str = concat!(
            "SELECT ",
            token_columns!(),
            " FROM tokens t WHERE t.user_id = $1 ORDER BY t.created_at, t.id"
        );
        let rows: Vec<Row> = sql::query_as(Q)
            .bind(user_id)
            .fetch_all(&self.db.readers)
            .await?;
        Ok(rows.into_iter().filter_map(Row::read).collect())
    }
}

impl OwnWrite {
    /// Makes a token of the user's. One that has ended makes room for it.
    pub(crate) async fn add_token(&mut self, new: &NewToken<'_>) -> Result<Token, TokenError> {
        const ENDED: &str = "DELETE FROM tokens WHERE user_id = $1 AND expires_at <= $2";
        const COUNT: &str = "SELECT COUNT(*) FROM tokens WHERE user_id = $1";
        const INSERT: &str = "INSERT INTO tokens (id, user_id, name, token_hash, start, scope, created_at, expires_at) \
                              VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        const FARM: &str = "INSERT INTO token_farms (token_id, user_id, farm_id) \
                            SELECT $1, user_id, farm_id FROM memberships WHERE user_id = $2 AND farm_id = $3 AND is_active";
        let (id, now) = (super::new_id(), super::now_ms());
        let (user_id, tx) = self.parts();
        let count: i64 = sql::query_scalar(COUNT)
            .bind(user_id)
            .fetch_one(&mut *tx)
            .await?;
        if count >= MAX_PER_USER {
            let ended = sql::query(ENDED).bind(user_id).bind(now);
            if ended.execute(&mut *tx).await?.rows_affected() == 0 {
                return Err(TokenError::TooMany);
            }
        }
        sql::query(INSERT)
            .bind(&id)
            .bind(user_id)
            .bind(new.name)
            .bind(new.token_hash)
            .bind(new.start)
            .bind(new.scope.as_str())
            .bind(now)
            .bind(new.expires_at)
            .execute(&mut *tx)
            .await?;
        for farm in new.farms {
            let query = sql::query(FARM).bind(&id).bind(user_id).bind(farm);
            if query.execute(&mut *tx).await?.rows_affected() == 0 {
                return Err(TokenError::NoMember);
            }
        }
        Ok(Token {
            id,
            name: new.name.to_owned(),
            start: new.start.to_owned(),
            scope: new.scope,
            farms: new.farms.to_vec(),
            created_at: now,
            last_used_at: None,
            expires_at: new.expires_at,
        })
    }

    /// Ends one of the user's tokens; gives which it was, none where it is not theirs.
    pub(crate) async fn revoke_token(&mut self, id: &str) -> Result<Option<Token>, sqlx::Error> {
        const FIND: &str = concat!(
            "SELECT ",
            token_columns!(),
            " FROM tokens t WHERE t.user_id = $1 AND t.id = $2"
        );
        const REVOKE: &str = "DELETE FROM tokens WHERE user_id = $1 AND id = $2";
        let (user_id, tx) = self.parts();
        let found: Option<Row> = sql::query_as(FIND)
            .bind(user_id)
            .bind(id)
            .fetch_optional(&mut *tx)
            .await?;
        let Some(found) = found.and_then(Row::read) else {
            return Ok(None);
        };
        let revoke = sql::query(REVOKE).bind(user_id).bind(id);
        revoke.execute(tx).await?;
        self.ends_access();
        Ok(Some(found))
    }
}

/// Ends all tokens of a user: whoever made them may be somebody else than who the account is from now on.
pub(super) async fn revoke_all(
    database: &mut sql::Connection,
    user_id: &str,
) -> Result<(), sqlx::Error> {
    const Q: &str = "DELETE FROM tokens WHERE user_id = $1";
    let query = sql::query(Q).bind(user_id);
    query.execute(database).await.map(drop)
}
