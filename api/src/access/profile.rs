//! What callers change of themselves: profile, password, sign-ins.

use serde_json::json;

use super::caller::Caller;
use crate::auth::Origin;
use crate::error::ApiError;
use crate::language::Text;
use crate::records::{Method, PeopleError, SessionRow, UserChange, now_ms};

/// A password may be set without the old one within this time of a sign-in by code.
const FRESH_MS: i64 = 10 * 60 * 1_000;

impl Caller {
    /// The caller's sign-ins, the last used first.
    pub(crate) async fn sessions(&self) -> Result<Vec<SessionRow>, ApiError> {
        let records = self.state.records();
        Ok(records.sessions_of(&self.user.id, now_ms()).await?)
    }

    /// Whether it is the sign-in that asks.
    pub(crate) fn is_this(&self, session: &SessionRow) -> bool {
        self.session.id == session.id
    }

    /// Ends one of the caller's sign-ins.
    pub(crate) async fn end_session(&self, id: &str) -> Result<(), ApiError> {
        if self
            .state
            .records()
            .end_session_of(&self.user.id, id)
            .await?
        {
            self.audit("session_ended", json!({"session": id})).await;
            Ok(())
        } else {
            Err(ApiError::not_found())
        }
    }

    /// Ends all of the caller's sign-ins, this one included.
    pub(crate) async fn end_sessions(&self) -> Result<(), ApiError> {
        self.state.records().end_sessions_of(&self.user.id).await?;
        self.audit("sessions_ended", json!({})).await;
        Ok(())
    }

    pub(crate) async fn change(&self, change: &UserChange) -> Result<(), ApiError> {
        let done = self
            .state
            .records()
            .change_user(&self.user.id, change)
            .await;
        done.map_err(|e| match e {
            // the words of a malformed number: whose it is is no business of the caller's
            PeopleError::Taken => ApiError::field("phone", "invalid_mobile", Text::MobileInvalid),
            PeopleError::Records(e) => e.into(),
            _ => ApiError::internal(),
        })?;
        self.audit("profile_changed", change.describe()).await;
        Ok(())
    }

    pub(crate) async fn complete_onboarding(&self) -> Result<(), ApiError> {
        Ok(self
            .state
            .records()
            .complete_onboarding(&self.user.id)
            .await?)
    }

    /// Sets a password right after a sign-in by code, and ends all other sign-ins.
    pub(crate) async fn set_password(&self, password: &str) -> Result<(), ApiError> {
        let by_code = self.session.method == Method::Code.as_str();
        if !by_code || now_ms() - self.session.created_at > FRESH_MS {
            return Err(ApiError::code_needed());
        }
        self.store_password(password).await
    }

    /// Sets a password in place of the old one, and ends all other sign-ins.
    pub(crate) async fn change_password(
        &self,
        current: &str,
        new: &str,
        from: Origin<'_>,
    ) -> Result<(), ApiError> {
        let accounts = self.state.accounts();
        if !accounts.check_password(&self.user, current, from).await? {
            // not 401, which says that the token is no good
            return Err(ApiError::field(
                "currentPassword",
                "wrong",
                Text::PasswordWrong,
            ));
        }
        self.store_password(new).await
    }

    async fn store_password(&self, password: &str) -> Result<(), ApiError> {
        let hash = self.state.accounts().hash(password).await?;
        let records = self.state.records();
        records
            .set_password(&self.user.id, &hash, &self.session.id)
            .await?;
        self.audit("password_set", json!({"by": self.session.method}))
            .await;
        Ok(())
    }
}
