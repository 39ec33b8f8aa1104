//! Who calls: a bearer token, the live sign-in behind it, its active user.

use std::time::Instant;

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use serde_json::{Value, json};

use super::budget::Kind;
use super::state::AppState;
use crate::address::ClientAddress;
use crate::audit::{Action, Entry};
use crate::error::ApiError;
use crate::records::{Answer, FarmRow, OwnWrite, RequestKey, SessionRow, UserRow, now_ms};
use crate::role::Role;
use crate::secret::sha256_hex;

/// The longest token that is looked at.
const MAX_TOKEN_BYTES: usize = 256;

/// A signed-in user.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(super) user: UserRow,
    pub(super) session: SessionRow,
    token_hash: String,
    /// From where the request came; of a live connection it is not known.
    pub(super) address: Option<String>,
    pub(super) state: AppState,
}

/// The token of a request.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then_some(token.trim())
}

impl Caller {
    /// The caller of that token; prolongs the sign-in.
    pub(crate) async fn of_token(state: &AppState, token: &str) -> Result<Self, ApiError> {
        if token.is_empty() || token.len() > MAX_TOKEN_BYTES {
            return Err(ApiError::unauthenticated());
        }
        Self::of_hash(state, sha256_hex(token.as_bytes())).await
    }

    async fn of_hash(state: &AppState, token_hash: String) -> Result<Self, ApiError> {
        let now = now_ms();
        let found = state.records().session(&token_hash, now).await?;
        let (session, user) = found.ok_or_else(ApiError::unauthenticated)?;
        // a disk that is full ends nobody's sign-in
        if let Err(error) = state.records().touch_session(&session, now).await {
            metrics::counter!("harit_records_errors_total").increment(1);
            tracing::warn!(%error, "the use of a sign-in was not written down");
        }
        Ok(Self {
            user,
            session,
            token_hash,
            address: None,
            state: state.clone(),
        })
    }

    /// Somebody who is not signed in but was told something by a message that is theirs. Without a sign-in there is nothing
    /// that they can do once more.
    pub(super) async fn told(
        state: &AppState,
        user: &str,
        address: Option<String>,
    ) -> Result<Self, ApiError> {
        let user = state.records().active_user(user).await?;
        Ok(Self {
            user: user.ok_or_else(ApiError::not_found)?,
            session: SessionRow::none(),
            token_hash: String::new(),
            address,
            state: state.clone(),
        })
    }

    /// The same caller as of now: fails when the sign-in has ended meanwhile.
    pub(crate) async fn again(&self) -> Result<Self, ApiError> {
        Self::of_hash(&self.state, self.token_hash.clone()).await
    }

    pub(crate) const fn user(&self) -> &UserRow {
        &self.user
    }

    /// Names the sign-in.
    pub(crate) fn session_id(&self) -> &str {
        &self.session.id
    }

    /// The caller's farms with the role in each, oldest membership first.
    pub(crate) async fn farms(&self) -> Result<Vec<(FarmRow, Role)>, ApiError> {
        Ok(self.state.records().farms_of(&self.user.id).await?)
    }

    /// Ends this sign-in.
    pub(crate) async fn sign_out(&self) -> Result<(), ApiError> {
        let mut write = self.write().await?;
        write.end_session(&self.session.id).await?;
        self.commit(write, Action::SignOut, json!({})).await
    }

    pub(super) fn entry(&self, action: Action, subject: &str, details: Value) -> Entry {
        Entry {
            actor: Some((self.user.id.clone(), self.user.name.clone())),
            action,
            subject: subject.to_owned(),
            details,
            address: self.address.clone(),
        }
    }

    /// Begins a change of the caller's own account. Nothing else is written until it is committed or dropped.
    pub(super) async fn write(&self) -> Result<OwnWrite, ApiError> {
        Ok(self.state.records().write_own(&self.user.id).await?)
    }

    /// Makes such a change durable together with the audit log's entry of it.
    pub(super) async fn commit(
        &self,
        write: OwnWrite,
        action: Action,
        details: Value,
    ) -> Result<(), ApiError> {
        let entry = self.entry(action, &self.user.id, details);
        Ok(write.commit(&entry).await?)
    }

    /// Reserves a key of the caller's for a request, unless it is known.
    pub(crate) async fn reserve_key(
        &self,
        key: &str,
        fingerprint: &str,
    ) -> Result<RequestKey, ApiError> {
        let records = self.state.records();
        Ok(records.reserve_key(&self.user.id, key, fingerprint).await?)
    }

    /// Forgets the key of a request that was refused.
    pub(crate) async fn release_key(&self, key: &str) -> Result<(), ApiError> {
        let records = self.state.records();
        Ok(records.release_key(&self.user.id, key).await?)
    }

    /// Remembers what a request was answered. What was done is done: where that fails, the key stays reserved.
    pub(crate) async fn remember_answer(&self, key: &str, answer: &Answer) {
        let records = self.state.records();
        if let Err(error) = records.remember_answer(&self.user.id, key, answer).await {
            metrics::counter!("harit_records_errors_total").increment(1);
            tracing::error!(%error, "the answer of a request was not remembered");
        }
    }

    /// Who asks; nothing is taken from a budget yet.
    pub(crate) async fn of_request(parts: &Parts, state: &AppState) -> Result<Self, ApiError> {
        let token = bearer(&parts.headers).ok_or_else(ApiError::unauthenticated)?;
        let address = parts.extensions.get::<ClientAddress>();
        let address = address.map(|a| a.ip.to_string());
        let caller = Self::of_token(state, token).await?;
        Ok(Self { address, ..caller })
    }

    /// Takes a request of that kind from the caller's budget. What cannot change anything is looking, whatever the action is.
    pub(super) fn pay(&self, kind: Kind, method: &Method) -> Result<(), ApiError> {
        let kind = if method.is_safe() { Kind::Read } else { kind };
        let budgets = self.state.budgets();
        budgets.take(kind, &self.user.id, Instant::now())
    }
}

/// The caller of a route that names no farm in its path: looking, or changing what is the caller's.
impl FromRequestParts<AppState> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let caller = Self::of_request(parts, state).await?;
        caller.pay(Kind::Change, &parts.method)?;
        Ok(caller)
    }
}
