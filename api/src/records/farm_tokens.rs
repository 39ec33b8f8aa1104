//! Tokens of people that reach a farm, whoever made them, and how one ends there.

use sqlx::FromRow;

use super::{FarmRecords, TokenScope, Write};
use crate::records::sql;

/// A token that reaches a farm. Of what it is known by nothing is told, nor which other farms it reaches.
#[derive(Debug, FromRow)]
pub(crate) struct FarmToken {
    pub id: String,
    pub name: String,
    scope: String,
    pub owner_id: String,
    pub owner_name: String,
    pub created_at: i64,
    /// In any farm, to 10 minutes.
    pub last_used_at: Option<i64>,
    pub expires_at: Option<i64>,
}

impl FarmToken {
    /// What it allows; none of a word from a later version.
    pub(crate) fn scope(&self) -> Option<TokenScope> {
        TokenScope::parse(&self.scope)
    }
}

const COLUMNS: &str = "SELECT t.id, t.name, t.scope, u.id AS owner_id, u.name AS owner_name, t.created_at, t.last_used_at, t.expires_at \
     FROM token_farms f JOIN tokens t ON t.id = f.token_id JOIN users u ON u.id = t.user_id WHERE f.farm_id = $1";

impl FarmRecords {
    /// The tokens that reach the farm, ended ones too, by their owners' names.
    pub(crate) async fn tokens(&self) -> Result<Vec<FarmToken>, sqlx::Error> {
        sql::query_as(sqlx::AssertSqlSafe(format!(
            "{COLUMNS} ORDER BY u.name, u.id, t.created_at, t.id"
        )))
        .bind(self.farm())
        .fetch_all(&self.records.db.readers)
        .await
    }
}

impl Write {
    /// Ends a token in the farm alone: it stays its owner's, for other farms. Gives which it was; none of one that does not reach the farm.
    pub(crate) async fn end_token(&mut self, id: &str) -> Result<Option<FarmToken>, sqlx::Error> {
        const END: &str = "DELETE FROM token_farms WHERE farm_id = $1 AND token_id = $2";
        let (farm, tx) = self.parts();
        let find = sql::query_as(sqlx::AssertSqlSafe(format!("{COLUMNS} AND t.id = $2")));
        let found: Option<FarmToken> = find.bind(farm).bind(id).fetch_optional(&mut *tx).await?;
        if found.is_some() {
            sql::query(END).bind(farm).bind(id).execute(tx).await?;
            self.after(super::Records::access_changed);
        }
        Ok(found)
    }
}
