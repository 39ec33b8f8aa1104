//! Inviting people to a farm: making, listing and revoking invites, and what the link of one leads to.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use super::auth::SignedIn;
use super::client::Client;
use super::public_url;
use super::wrong::Wrong;
use crate::access::{AppState, Caller, FarmAccess, Invite, bearer};
use crate::audit::Action;
use crate::auth::Acceptance;
use crate::error::{ApiError, Body, ErrorBody, Item, Params};
use crate::records::{InviteError, NewInvite, SentInvite, now_ms};
use crate::role::Role;
use crate::secret::{new_secret, sha256_hex};

/// Whom to invite as what.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NewInvite)]
pub(super) struct InviteRequest {
    /// This or `mobile`.
    email: Option<String>,
    mobile: Option<String>,
    #[schema(required, value_type = Role)]
    role: Option<String>,
    /// en, hi or mr
    #[schema(required, value_type = String)]
    language_pref: Option<String>,
    /// To which farm; the caller's first one by default.
    farm_id: Option<String>,
}

/// An invite that was made.
#[derive(Serialize, ToSchema)]
#[schema(as = InviteMade)]
pub(super) struct InviteMade {
    invite: InviteBody,
    /// A link to pass on by hand; it is shown this once. Absolute where the server knows its address. Unlike the link that is
    /// sent to the contact it shows nobody that the contact is theirs.
    link: String,
    /// What to pass on, in the language of whom it is for, with the link in it.
    message: String,
}

/// The latest invite of each contact in the last 90 days.
#[derive(Serialize, ToSchema)]
#[schema(as = Invites)]
pub(super) struct Invites {
    /// The latest first.
    invites: Vec<InviteBody>,
}

/// What became of an invite.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = InviteState)]
pub(super) enum InviteState {
    /// It can still be accepted.
    Open,
    Accepted,
    /// Nobody accepted it in time.
    Expired,
    /// It was taken back.
    Withdrawn,
}

/// An invite.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Invite)]
pub(super) struct InviteBody {
    id: String,
    farm_id: String,
    contact: String,
    #[schema(required)]
    email: Option<String>,
    #[schema(required)]
    mobile: Option<String>,
    #[schema(value_type = Role)]
    role: String,
    /// en, hi or mr
    language_pref: String,
    /// The name of who invited.
    invited_by: String,
    created_at: i64,
    expires_at: i64,
    state: InviteState,
    #[schema(required)]
    accepted_at: Option<i64>,
    /// The name of who accepted; none where that account is gone.
    #[schema(required)]
    accepted_by: Option<String>,
}

impl From<SentInvite> for InviteBody {
    fn from(sent: SentInvite) -> Self {
        let i = sent.invite;
        let state = match (sent.accepted_at, sent.revoked_at) {
            (Some(_), _) => InviteState::Accepted,
            (None, Some(_)) => InviteState::Withdrawn,
            (None, None) if i.expires_at <= now_ms() => InviteState::Expired,
            (None, None) => InviteState::Open,
        };
        Self {
            state,
            accepted_at: sent.accepted_at,
            accepted_by: sent.accepted_by,
            contact: i.contact().key().to_owned(),
            id: i.id,
            farm_id: i.farm_id,
            email: i.email,
            mobile: i.phone,
            role: i.role,
            language_pref: i.language,
            invited_by: i.inviter,
            created_at: i.created_at,
            expires_at: i.expires_at,
        }
    }
}

/// What a link leads to.
#[derive(Serialize, ToSchema)]
#[schema(as = InviteOfLink)]
pub(super) struct OfLink {
    invite: LinkBody,
}

/// An invite, for whoever has its link.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = InviteForGuest)]
pub(super) struct LinkBody {
    contact: String,
    role: Role,
    /// en, hi or mr
    language_pref: String,
    farm_name: String,
    /// The name of who invited.
    invited_by: String,
    expires_at: i64,
    /// Whether the contact has an account: it is then joined to the farm, after its password or signed in with it.
    has_account: bool,
    /// Whether who invited passed the link on by hand: the contact then stays unverified, and a new account needs a password.
    shared: bool,
}

/// Which farm's.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub(super) struct InviteQuery {
    /// The caller's first farm by default.
    farm_id: Option<String>,
}

/// Who accepts.
#[derive(Deserialize, ToSchema)]
#[schema(as = AcceptInvite)]
pub(super) struct Accept {
    /// Needed where the contact has no account yet.
    name: Option<String>,
    /// A new account's password, at least 8 characters; without one it signs in by code only. An account's own password,
    /// where the contact has one and the caller is not signed in with it.
    password: Option<String>,
}

/// A link's token.
#[derive(Deserialize, ToSchema)]
#[schema(as = InviteToken)]
pub(super) struct Token {
    token: String,
}

/// Who accepts which invite.
#[derive(Deserialize, ToSchema)]
#[schema(as = AcceptOpenedInvite)]
pub(super) struct AcceptOpened {
    token: String,
    #[serde(flatten)]
    accept: Accept,
}

/// Invites somebody
///
/// The link goes to the contact, is good for 7 days and for one use. It takes the place of an open invite for the same
/// contact. Another link, to be passed on by hand, is in the answer; whichever is used first uses up both. For OWNER, and for ADMIN as far as FARM_MANAGER and VIEWER. At most 20 a day.
#[utoipa::path(
    post, path = "/onboarding/invite-user", tag = "onboarding",
    operation_id = "invite_user", summary = "Invite a person", request_body = InviteRequest,
    responses(
        (status = CREATED, body = InviteMade),
        (status = CONFLICT, description = "The person belongs to the farm, or the caller to none", body = ErrorBody),
    )
)]
pub(super) async fn create(
    State(state): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
    Body(request): Body<InviteRequest>,
) -> Result<(StatusCode, Json<InviteMade>), ApiError> {
    let access: FarmAccess<Invite> = caller.in_farm_or_first(request.farm_id.as_deref()).await?;
    let mut wrong = Wrong::default();
    let filled = |s: &&str| !s.trim().is_empty();
    let email = request.email.as_deref().filter(filled);
    let contact = match (email, request.mobile.as_deref().filter(filled)) {
        (Some(_), _) => wrong.email(email),
        (None, Some(mobile)) => wrong.mobile("mobile", Some(mobile)),
        (None, None) => wrong.contact("contact", None),
    };
    let role = wrong.role(request.role.as_deref());
    let language = wrong.language(request.language_pref.as_deref());
    wrong.done()?;
    let (Some(contact), Some(role), Some(language)) = (contact, role, language) else {
        return Err(ApiError::internal());
    };
    if !access.role().may_manage(role) {
        return Err(ApiError::not_permitted());
    }
    let secret = || new_secret().map_err(|_| ApiError::unavailable());
    let (sent, shared) = (secret()?, secret()?);
    let new = NewInvite {
        contact: &contact,
        role,
        language,
        token_hash: sha256_hex(sent.as_bytes()),
        shared_hash: sha256_hex(shared.as_bytes()),
        invited_by: &access.user().id,
    };
    let mut write = access.write().await?;
    let invite = write.invite(new).await.map_err(|e| match e {
        InviteError::Member => ApiError::already_member(),
        InviteError::TooMany(seconds) => ApiError::too_many_attempts(seconds),
        InviteError::Records(e) => e.into(),
    })?;
    // The language stands in the link, so that the page speaks it before it knows what the link leads to.
    let link = |token: &str| {
        let path = format!("/invite?lang={}#{token}", language.as_str());
        public_url::link(state.config(), &headers, &path)
    };
    write.send_invite(&invite, language, &link(&sent)).await?;
    let link = link(&shared);
    let message = invite.message(language, &link);
    let details = json!({"contact": contact.key(), "role": role});
    let action = Action::InviteMade;
    write.commit(action, &invite.id, details).await?;
    let made = InviteMade {
        invite: SentInvite::from(invite).into(),
        link,
        message,
    };
    Ok((StatusCode::CREATED, Json(made)))
}

/// The invites
///
/// The latest one of each contact in the last 90 days, with what became of it.
#[utoipa::path(
    get, path = "/onboarding/invites", tag = "onboarding", operation_id = "list_invites", summary = "List invites",
    params(InviteQuery),
    responses(
        (status = OK, body = Invites),
        (status = CONFLICT, description = "The caller belongs to no farm", body = ErrorBody),
    )
)]
pub(super) async fn list(
    caller: Caller,
    Params(query): Params<InviteQuery>,
) -> Result<Json<Invites>, ApiError> {
    let access: FarmAccess<Invite> = caller.in_farm_or_first(query.farm_id.as_deref()).await?;
    let invites = access.records().invites().await?;
    Ok(Json(Invites {
        invites: invites.into_iter().map(InviteBody::from).collect(),
    }))
}

/// Takes an invite back
///
/// Its link leads nowhere from now on.
#[utoipa::path(
    delete, path = "/onboarding/invites/{id}", tag = "onboarding",
    operation_id = "revoke_invite", summary = "Revoke an invite", params(InviteQuery),
    responses(
        (status = NO_CONTENT),
        (status = CONFLICT, description = "The caller belongs to no farm", body = ErrorBody),
    )
)]
pub(super) async fn revoke(
    caller: Caller,
    Params(query): Params<InviteQuery>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let access: FarmAccess<Invite> = caller.in_farm_or_first(query.farm_id.as_deref()).await?;
    let mut write = access.write().await?;
    let invite = access.records().invite_by_id(&id).await?;
    let invite = invite.ok_or_else(ApiError::not_found)?;
    if !Role::parse(&invite.role).is_some_and(|role| access.role().may_manage(role)) {
        return Err(ApiError::not_permitted());
    }
    if write.revoke_invite(&id).await? {
        let details = json!({"contact": invite.contact().key(), "role": invite.role});
        write.commit(Action::InviteRevoked, &id, details).await?;
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::not_found())
    }
}

/// What a link leads to
///
/// Open to whoever has it.
#[utoipa::path(
    get, path = "/onboarding/invite/{token}", tag = "onboarding",
    operation_id = "get_invite", summary = "Get an invite", security(()),
    responses(
        (status = OK, body = OfLink),
        (status = NOT_FOUND, description = "Unknown, used, revoked or too old", body = ErrorBody),
    )
)]
pub(super) async fn of_link(
    State(state): State<AppState>,
    Item(token): Item,
) -> Result<Json<OfLink>, ApiError> {
    shown(&state, &token).await
}

/// What a link leads to
///
/// Open to whoever has it. The token stands in the body, so that it is in no log of paths.
#[utoipa::path(
    post, path = "/onboarding/invite/open", tag = "onboarding",
    operation_id = "open_invite", summary = "Open an invite", security(()), request_body = Token,
    responses(
        (status = OK, body = OfLink),
        (status = NOT_FOUND, description = "Unknown, used, revoked or too old", body = ErrorBody),
    )
)]
pub(super) async fn open(
    State(state): State<AppState>,
    Body(request): Body<Token>,
) -> Result<Json<OfLink>, ApiError> {
    shown(&state, &request.token).await
}

async fn shown(state: &AppState, token: &str) -> Result<Json<OfLink>, ApiError> {
    let found = state.accounts().invite(token).await?;
    let invite = found.invite;
    let invite = LinkBody {
        contact: invite.contact().key().to_owned(),
        role: found.role,
        language_pref: invite.language,
        farm_name: invite.farm_name,
        invited_by: invite.inviter,
        expires_at: invite.expires_at,
        has_account: found.has_account,
        shared: found.shared,
    };
    Ok(Json(OfLink { invite }))
}

/// Accepts an invite
///
/// Open to whoever has the link, once. A contact without an account gets one. A contact with one joins with it, and must
/// show that it is theirs: by its password, or by a bearer token of it. Who accepts is signed in.
#[utoipa::path(
    post, path = "/onboarding/invite/{token}/accept", tag = "onboarding",
    operation_id = "accept_invite", summary = "Accept an invite", security((), ("bearer" = [])), request_body = Accept,
    responses(
        (status = OK, body = SignedIn),
        (status = FORBIDDEN, description = "The contact has an account: sign in with it", body = ErrorBody),
        (status = NOT_FOUND, description = "Unknown, used, revoked or too old", body = ErrorBody),
    )
)]
pub(super) async fn accept(
    State(state): State<AppState>,
    client: Client,
    headers: HeaderMap,
    Item(token): Item,
    Body(request): Body<Accept>,
) -> Result<Json<SignedIn>, ApiError> {
    join(&state, &client, &headers, &token, request).await
}

/// Accepts an invite
///
/// As POST /onboarding/invite/{token}/accept, with the token in the body.
#[utoipa::path(
    post, path = "/onboarding/invite/accept", tag = "onboarding",
    operation_id = "accept_opened_invite", summary = "Accept an opened invite", security((), ("bearer" = [])),
    request_body = AcceptOpened,
    responses(
        (status = OK, body = SignedIn),
        (status = FORBIDDEN, description = "The contact has an account: sign in with it", body = ErrorBody),
        (status = NOT_FOUND, description = "Unknown, used, revoked or too old", body = ErrorBody),
    )
)]
pub(super) async fn accept_opened(
    State(state): State<AppState>,
    client: Client,
    headers: HeaderMap,
    Body(AcceptOpened { token, accept }): Body<AcceptOpened>,
) -> Result<Json<SignedIn>, ApiError> {
    join(&state, &client, &headers, &token, accept).await
}

async fn join(
    state: &AppState,
    client: &Client,
    headers: &HeaderMap,
    token: &str,
    request: Accept,
) -> Result<Json<SignedIn>, ApiError> {
    let found = state.accounts().invite(token).await?;
    let caller = match bearer(headers) {
        // a program's token shows nobody to be there
        Some(token) => Caller::of_token(state, token)
            .await
            .ok()
            .filter(|c| !c.is_program()),
        None => None,
    };
    let mut wrong = Wrong::default();
    let contact = found.invite.contact();
    let theirs = caller.as_ref().is_some_and(|c| c.user().claims(&contact));
    let (name, password) = if found.has_account || theirs {
        (None, request.password.filter(|p| !p.is_empty()))
    } else {
        let name = wrong.name(request.name.as_deref());
        let password = match found.shared {
            // No code can reach a contact that is not verified everywhere: it is the only way back in.
            true => {
                let typed = request.password.unwrap_or_default();
                wrong.password(&typed, &[&name]);
                Some(typed)
            }
            false => wrong.optional_password(request.password, &[&name]),
        };
        (Some(name), password)
    };
    wrong.done()?;
    let by = Acceptance {
        name,
        password: password.as_deref(),
        signed_in: match &caller {
            Some(caller) => Some((caller.user(), caller.sign_in()?.id.as_str())),
            None => None,
        },
    };
    let (token, _, _) = state.accounts().accept(token, by, client.origin()).await?;
    Ok(Json(SignedIn::of(state, token).await?))
}
