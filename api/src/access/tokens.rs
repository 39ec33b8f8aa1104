//! The caller's tokens of programs: making, listing and revoking them takes a sign-in.

use serde_json::json;

use super::caller::Caller;
use crate::audit::Action;
use crate::error::ApiError;
use crate::records::{NewToken, Token, TokenError, TokenScope};
use crate::secret::{new_api_token, sha256_hex, start_of};

/// A token that somebody wants; each field was checked.
pub(crate) struct WantedToken {
    pub(crate) name: String,
    pub(crate) scope: TokenScope,
    pub(crate) farms: Vec<String>,
    pub(crate) expires_at: Option<i64>,
}

impl Caller {
    /// The caller's tokens, ended ones too, the oldest first.
    pub(crate) async fn tokens(&self) -> Result<Vec<Token>, ApiError> {
        self.sign_in()?;
        Ok(self.state.records().tokens_of(&self.user.id).await?)
    }

    /// Makes a token, and tells it this once. Only who has just shown that it is them may: a sign-in that was stolen must not
    /// outlive itself.
    pub(crate) async fn make_token(
        &self,
        wanted: &WantedToken,
    ) -> Result<(String, Token), ApiError> {
        self.confirmed()?;
        let text = new_api_token().map_err(|_| ApiError::unavailable())?;
        let new = NewToken {
            name: &wanted.name,
            token_hash: &sha256_hex(text.as_bytes()),
            start: start_of(&text),
            scope: wanted.scope,
            farms: &wanted.farms,
            expires_at: wanted.expires_at,
        };
        let mut write = self.write().await?;
        let made = write.add_token(&new).await.map_err(|e| match e {
            TokenError::TooMany => ApiError::too_many_tokens(),
            // a membership that ended just now
            TokenError::NoMember => ApiError::not_found(),
            TokenError::Records(e) => e.into(),
        })?;
        let details = json!({
            "name": made.name,
            "scope": made.scope,
            "start": made.start,
            "expiresAt": made.expires_at,
        });
        let entry = self.entry(Action::TokenMade, &made.id, details);
        write.commit_in(made.farms.clone(), &entry).await?;
        Ok((text, made))
    }

    /// Ends one of the caller's tokens.
    pub(crate) async fn revoke_token(&self, id: &str) -> Result<(), ApiError> {
        self.sign_in()?;
        let mut write = self.write().await?;
        let revoked = write.revoke_token(id).await?;
        let revoked = revoked.ok_or_else(ApiError::not_found)?;
        let details = json!({"name": revoked.name, "start": revoked.start});
        let entry = self.entry(Action::TokenRevoked, &revoked.id, details);
        if revoked.farms.is_empty() {
            return Ok(write.commit(&entry).await?);
        }
        Ok(write.commit_in(revoked.farms, &entry).await?)
    }
}
