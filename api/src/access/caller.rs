//! Who calls: a bearer token, the live sign-in or the program's token behind it, its active user.

use std::borrow::Cow;
use std::time::Instant;

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use serde_json::{Value, json};

use super::action::{Needs, Permission};
use super::budget::Kind;
use super::state::AppState;
use crate::address::ClientAddress;
use crate::audit::{Action, Entry};
use crate::error::ApiError;
use crate::records::{
    Answer, FarmRow, OwnWrite, RequestKey, SessionRow, Token, TokenScope, UserRow, now_ms,
};
use crate::role::Role;
use crate::secret::{is_api_token, is_whole, sha256_hex};

/// The longest token that is looked at.
const MAX_TOKEN_BYTES: usize = 256;

/// By what somebody calls.
#[derive(Clone)]
enum By {
    SignIn(SessionRow),
    /// A program with a token of the user's.
    Token(Token),
    /// A message that told the user something, without a sign-in.
    Message,
}

/// A signed-in user, or a program of theirs.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(super) user: UserRow,
    by: By,
    token_hash: String,
    /// Whether the request cannot change anything; so a live connection is.
    looks: bool,
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
        if is_api_token(token) {
            if !is_whole(token) {
                return Err(ApiError::unauthenticated());
            }
            return Self::of_api_token(state, sha256_hex(token.as_bytes())).await;
        }
        Self::of_sign_in(state, sha256_hex(token.as_bytes())).await
    }

    async fn of_sign_in(state: &AppState, token_hash: String) -> Result<Self, ApiError> {
        let now = now_ms();
        let found = state.records().session(&token_hash, now).await?;
        let (session, user) = found.ok_or_else(ApiError::unauthenticated)?;
        unhindered(state.records().touch_session(&session, now).await);
        Ok(Self::of(state, user, By::SignIn(session), token_hash))
    }

    async fn of_api_token(state: &AppState, token_hash: String) -> Result<Self, ApiError> {
        let now = now_ms();
        let found = state.records().token(&token_hash, now).await?;
        let (token, user) = found.ok_or_else(ApiError::unauthenticated)?;
        unhindered(state.records().touch_token(&token, now).await);
        Ok(Self::of(state, user, By::Token(token), token_hash))
    }

    fn of(state: &AppState, user: UserRow, by: By, token_hash: String) -> Self {
        Self {
            user,
            by,
            token_hash,
            looks: true,
            address: None,
            state: state.clone(),
        }
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
            by: By::Message,
            looks: false,
            token_hash: String::new(),
            address,
            state: state.clone(),
        })
    }

    /// The same caller as of now: fails when the sign-in has ended meanwhile.
    pub(crate) async fn again(&self) -> Result<Self, ApiError> {
        let hash = self.token_hash.clone();
        match &self.by {
            By::SignIn(_) => Self::of_sign_in(&self.state, hash).await,
            By::Token(_) => Self::of_api_token(&self.state, hash).await,
            By::Message => Err(ApiError::unauthenticated()),
        }
    }

    pub(crate) const fn user(&self) -> &UserRow {
        &self.user
    }

    /// The sign-in: what is a person's own is no program's, whatever its token allows.
    pub(crate) fn sign_in(&self) -> Result<&SessionRow, ApiError> {
        match &self.by {
            By::SignIn(session) => Ok(session),
            By::Token(_) => Err(self.beyond_token()),
            By::Message => Err(ApiError::unauthenticated()),
        }
    }

    /// Whose budgets the caller uses up: a token's are its own.
    pub(crate) fn payer(&self) -> &str {
        match &self.by {
            By::SignIn(_) | By::Message => &self.user.id,
            By::Token(token) => &token.id,
        }
    }

    /// The caller's farms with the role in each, oldest membership first; of a token those that it is for.
    pub(crate) async fn farms(&self) -> Result<Vec<(FarmRow, Role)>, ApiError> {
        let mut farms = self.state.records().farms_of(&self.user.id).await?;
        farms.retain(|(farm, _)| self.reaches(&farm.id));
        Ok(farms)
    }

    /// Whether a farm is one that the caller can be in at all.
    pub(super) fn reaches(&self, farm: &str) -> bool {
        match &self.by {
            By::SignIn(_) | By::Message => true,
            By::Token(token) => token.farms.iter().any(|id| id == farm),
        }
    }

    /// Refuses what a token does not allow: to look it may always, to command devices if it is for that, anything else never.
    pub(super) fn within_token<N: Needs>(&self) -> Result<(), ApiError> {
        match &self.by {
            By::Token(token) if !self.looks && !token_allows(token.scope, N::KIND) => {
                Err(self.beyond_token())
            }
            _ => Ok(()),
        }
    }

    /// What the caller may do in a farm where they have that role.
    pub(crate) fn permissions(&self, role: Role) -> Vec<Permission> {
        let mut all = Permission::of(role);
        if let By::Token(token) = &self.by {
            all.retain(|each| each.kind() == Kind::Read || token_allows(token.scope, each.kind()));
        }
        all
    }

    /// Whether it is a program with a token.
    pub(crate) const fn is_program(&self) -> bool {
        matches!(self.by, By::Token(_))
    }

    #[expect(clippy::unused_self, reason = "counts refusals of callers")]
    fn beyond_token(&self) -> ApiError {
        metrics::counter!("harit_denied_total").increment(1);
        ApiError::beyond_token()
    }

    /// Ends this sign-in.
    pub(crate) async fn sign_out(&self) -> Result<(), ApiError> {
        let session = self.sign_in()?;
        let mut write = self.write().await?;
        write.end_session(&session.id).await?;
        self.commit(write, Action::SignOut, json!({})).await
    }

    /// An entry of the audit log; what a program did names its token beside whose it is.
    pub(super) fn entry(&self, action: Action, subject: &str, mut details: Value) -> Entry {
        let mut name = self.user.name.clone();
        if let By::Token(token) = &self.by {
            name = format!("{name} ({})", token.name);
            if let Value::Object(details) = &mut details {
                let by = json!({"id": token.id, "name": token.name});
                details.insert("token".to_owned(), by);
            }
        }
        Entry {
            actor: Some((self.user.id.clone(), name)),
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

    /// A key as it is stored: a token is never answered what its owner asked for.
    fn own_key<'a>(&self, key: &'a str) -> Cow<'a, str> {
        match &self.by {
            By::SignIn(_) | By::Message => Cow::Borrowed(key),
            By::Token(token) => Cow::Owned(format!("{} {key}", token.id)),
        }
    }

    /// Reserves a key of the caller's for a request, unless it is known.
    pub(crate) async fn reserve_key(
        &self,
        key: &str,
        fingerprint: &str,
    ) -> Result<RequestKey, ApiError> {
        let records = self.state.records();
        Ok(records
            .reserve_key(&self.user.id, &self.own_key(key), fingerprint)
            .await?)
    }

    /// Forgets the key of a request that was refused.
    pub(crate) async fn release_key(&self, key: &str) -> Result<(), ApiError> {
        let records = self.state.records();
        Ok(records
            .release_key(&self.user.id, &self.own_key(key))
            .await?)
    }

    /// Remembers what a request was answered. What was done is done: where that fails, the key stays reserved.
    pub(crate) async fn remember_answer(&self, key: &str, answer: &Answer) {
        let records = self.state.records();
        if let Err(error) = records
            .remember_answer(&self.user.id, &self.own_key(key), answer)
            .await
        {
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
        let looks = parts.method.is_safe();
        Ok(Self {
            address,
            looks,
            ..caller
        })
    }

    /// Takes a request of that kind from the caller's budget. What cannot change anything is looking, whatever the action is.
    pub(super) fn pay(&self, kind: Kind, method: &Method) -> Result<(), ApiError> {
        let kind = if method.is_safe() { Kind::Read } else { kind };
        let budgets = self.state.budgets();
        budgets.take(kind, self.payer(), Instant::now())
    }
}

/// The caller of a route that names no farm in its path: looking, or changing what is the caller's.
impl FromRequestParts<AppState> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let caller = Self::of_request(parts, state).await?;
        caller.pay(Kind::Change, &parts.method)?;
        if !caller.looks {
            caller.sign_in()?;
        }
        Ok(caller)
    }
}

/// Whether a token of that scope allows what is taken from that budget and does more than look.
const fn token_allows(scope: TokenScope, kind: Kind) -> bool {
    matches!(
        (scope, kind),
        (TokenScope::Control, Kind::Command | Kind::Stop)
    )
}

/// Goes on where the use of a sign-in or token was not written down: a disk that is full ends nobody's.
fn unhindered(written: Result<(), sqlx::Error>) {
    if let Err(error) = written {
        metrics::counter!("harit_records_errors_total").increment(1);
        tracing::warn!(%error, "the use of a sign-in was not written down");
    }
}
