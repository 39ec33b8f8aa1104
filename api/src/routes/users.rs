//! The people of a farm. Who may do what to whom: the matrix says who may manage people at all, [`Role::may_manage`] whom.

use axum::Json;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::grants::grants;
use super::wrong::Wrong;
use crate::access::{FarmAccess, ListPeople, ManagePeople};
use crate::audit::Action;
use crate::contact::Contact;
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::records::{Grants, PeopleError, Person, UserChange, UserRow, new_id, now_ms};
use crate::role::Role;
use crate::version::{Tagged, Versioned, created, etag};

/// Somebody who belongs to the farm.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FarmUser)]
pub(super) struct FarmUser {
    id: String,
    name: String,
    /// Masked for FARM_MANAGER.
    #[schema(required)]
    email: Option<String>,
    /// Masked for FARM_MANAGER.
    #[schema(required)]
    phone: Option<String>,
    /// Whether the person has shown by a code or a link that a contact is theirs.
    is_verified: bool,
    /// In this farm.
    role: Role,
    /// en, hi or mr
    language_pref: String,
    /// In this farm.
    is_active: bool,
    created_at: i64,
    /// The houses that a WORKER was given to see; empty for the others.
    polyhouses: Vec<String>,
    /// The devices that a WORKER was given to switch; empty for the others.
    devices: Vec<String>,
    /// Whether the caller may change the role, activate, deactivate and remove.
    can_manage: bool,
    /// Whether the caller may remove the person from the farm: never an owner.
    can_remove: bool,
    /// Whether the caller may change name and contact: not of people who belong to other farms too.
    can_edit: bool,
    /// The version of what people edit, for `If-Match`.
    etag: String,
}

impl Versioned for FarmUser {
    fn etag(&self) -> &str {
        &self.etag
    }
}

/// The farm's people.
#[derive(Serialize, ToSchema)]
#[schema(as = FarmUsers)]
pub(super) struct FarmUsers {
    /// The first member first.
    users: Vec<FarmUser>,
}

/// Somebody to be added.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NewFarmUser)]
pub(super) struct NewUser {
    #[schema(required, value_type = String)]
    name: Option<String>,
    /// This or `phone`.
    email: Option<String>,
    phone: Option<String>,
    #[schema(required, value_type = Role)]
    role: Option<String>,
    /// en, hi or mr
    #[schema(required, value_type = String)]
    language_pref: Option<String>,
    /// The houses that a WORKER sees: at most 200.
    polyhouses: Option<Vec<String>>,
    /// The devices that a WORKER may switch: at most 200.
    devices: Option<Vec<String>>,
}

/// What is to be changed; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FarmUserChange)]
pub(super) struct Change {
    name: Option<String>,
    email: Option<String>,
    /// Blank takes it away.
    phone: Option<String>,
    #[schema(value_type = Option<Role>)]
    role: Option<String>,
    /// en, hi or mr
    language_pref: Option<String>,
    /// The houses that a WORKER sees, in place of those until now: at most 200.
    polyhouses: Option<Vec<String>>,
    /// The devices that a WORKER may switch, in place of those until now: at most 200.
    devices: Option<Vec<String>>,
}

fn body(person: Person, caller: Role) -> FarmUser {
    let manages = caller.may_manage(person.role);
    let shown = |contact: Option<String>, make: fn(String) -> Contact| {
        if caller.is_admin() {
            contact
        } else {
            contact.map(|c| make(c).masked())
        }
    };
    let user = &person.user;
    let edited = (
        &user.name,
        user.shown_email(),
        user.shown_phone(),
        &user.language,
        person.role,
        &person.grants,
    );
    FarmUser {
        etag: etag(&edited),
        email: shown(person.user.shown_email().cloned(), Contact::Email),
        phone: shown(person.user.shown_phone().cloned(), Contact::Phone),
        is_verified: person.user.is_verified(),
        id: person.user.id,
        name: person.user.name,
        role: person.role,
        language_pref: person.user.language,
        is_active: person.is_active,
        created_at: person.user.created_at,
        polyhouses: person.grants.polyhouses,
        devices: person.grants.devices,
        can_manage: manages,
        can_remove: manages && person.role != Role::Owner,
        can_edit: manages && person.only_here,
    }
}

fn refused(error: PeopleError) -> ApiError {
    match error {
        PeopleError::Taken => ApiError::invite_instead(),
        PeopleError::LastOwner => ApiError::last_owner(),
        PeopleError::TooMany => ApiError::too_many_people(),
        PeopleError::Gone => ApiError::not_found(),
        PeopleError::Records(e) => e.into(),
    }
}

/// The farm's people
///
/// For OWNER, ADMIN and FARM_MANAGER.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/users", tag = "people", operation_id = "list_users", summary = "List people",
    responses((status = OK, body = FarmUsers))
)]
pub(super) async fn list(access: FarmAccess<ListPeople>) -> Result<Json<FarmUsers>, ApiError> {
    let people = access.records().people().await?.into_iter();
    Ok(Json(FarmUsers {
        users: people.map(|p| body(p, access.role())).collect(),
    }))
}

/// Adds somebody
///
/// For who has no account yet. The contacts are claims until a code that was sent to one of them was used: with it the new user signs in. A contact that
/// has an account is refused: it must be invited, and decides itself.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/users", tag = "people", operation_id = "add_user", summary = "Add a person",
    request_body = NewUser,
    responses(
        (status = CREATED, body = FarmUser),
        (status = CONFLICT, body = ErrorBody),
    )
)]
pub(super) async fn add(
    access: FarmAccess<ManagePeople>,
    Body(request): Body<NewUser>,
) -> Result<(StatusCode, Tagged<FarmUser>), ApiError> {
    let mut wrong = Wrong::default();
    let name = wrong.name(request.name.as_deref());
    let (email, phone) = (request.email.as_deref(), request.phone.as_deref());
    let (email, phone) = wrong.contacts(email, "phone", phone);
    let role = wrong.role(request.role.as_deref());
    let language = wrong.language(request.language_pref.as_deref());
    let given = (request.polyhouses, request.devices);
    let grants = grants(&access, &mut wrong, given, role, &Grants::default()).await?;
    wrong.done()?;
    let (Some(role), Some(language)) = (role, language) else {
        return Err(ApiError::internal());
    };
    if !access.role().may_manage(role) {
        return Err(ApiError::not_permitted());
    }
    let user = UserRow {
        id: new_id(),
        email: None,
        phone: None,
        claimed_email: email.map(|e| e.key().to_owned()),
        claimed_phone: phone.map(|p| p.key().to_owned()),
        name,
        password_hash: None,
        language: language.as_str().to_owned(),
        is_active: true,
        onboarding_completed: true,
        created_at: now_ms(),
    };
    access.count_contact()?;
    let mut write = access.write().await?;
    write.add_person(&user, role).await.map_err(refused)?;
    write.set_grants(&user.id, &grants).await?;
    let added = write.person(&user.id).await?;
    let details = json!({"name": user.name, "email": user.claimed_email, "phone": user.claimed_phone, "role": role,
        "grants": Some(&grants).filter(|g| !g.is_empty())});
    write.commit(Action::UserAdded, &user.id, details).await?;
    let added = added.ok_or_else(ApiError::not_found)?;
    Ok(created(body(added, access.role())))
}

/// Changes somebody
///
/// Role, and of people who belong to this farm alone also name, contact and language. The last active owner stays one. A new
/// contact is a claim; the one before is told, and all sign-ins of the person end.
#[utoipa::path(
    patch, path = "/api/farms/{farmId}/users/{userId}", tag = "people",
    operation_id = "change_user", summary = "Change a person", request_body = Change,
    responses(
        (status = OK, body = FarmUser),
        (status = CONFLICT, description = "The contact is taken, or the last owner would be gone", body = ErrorBody),
    )
)]
pub(super) async fn change(
    access: FarmAccess<ManagePeople>,
    Item(id): Item,
    Body(request): Body<Change>,
) -> Result<Tagged<FarmUser>, ApiError> {
    let mut write = access.write().await?;
    let person = managed(&access, write.person(&id).await?)?;
    let before = body(person.clone(), access.role());
    access.expect(&id, &before).await?;
    let mut wrong = Wrong::default();
    let role = match &request.role {
        Some(typed) => wrong.role(Some(typed)).filter(|r| *r != person.role),
        None => None,
    };
    let change = read(&mut wrong, &request, &person.user);
    let given = (request.polyhouses.clone(), request.devices.clone());
    let is = role.or(Some(person.role));
    let grants = grants(&access, &mut wrong, given, is, &person.grants).await?;
    wrong.done()?;
    if role.is_some_and(|role| !access.role().may_manage(role)) {
        return Err(ApiError::not_permitted());
    }
    let mut changes = Vec::new();
    if let Some(change) = &change {
        if !person.only_here {
            return Err(ApiError::belongs_elsewhere());
        }
        if change.contacts().next().is_some() {
            access.count_contact()?;
        }
        let changed = write.change_person(&person, change).await;
        changed.map_err(refused)?;
        changes.push((Action::UserChanged, change.describe()));
    }
    if let Some(role) = role {
        let changed = write.change_member(&id, Some(role), None).await;
        changed.map_err(refused)?;
        let details = json!({"from": person.role, "to": role});
        changes.push((Action::RoleChanged, details));
    }
    if grants != person.grants {
        write.set_grants(&id, &grants).await?;
        let details = json!({"name": person.user.name, "grants": grants});
        changes.push((Action::UserChanged, details));
    }
    let Some((action, details)) = changes.pop() else {
        return Ok(Tagged(before));
    };
    for (action, details) in changes {
        write.also(action, &id, details);
    }
    let after = write.person(&id).await?;
    write.commit(action, &id, details).await?;
    for gone in change.iter().flat_map(|c| gone(&person.user, c)) {
        access.tell_gone(&person.user, &gone).await;
    }
    let after = after.ok_or_else(ApiError::not_found)?;
    Ok(Tagged(body(after, access.role())))
}

/// The verified contacts that a change takes away.
fn gone(user: &UserRow, change: &UserChange) -> impl Iterator<Item = Contact> {
    let email = user.email.clone().filter(|_| change.email.is_some());
    let phone = user.phone.clone().filter(|_| change.phone.is_some());
    let email = email.map(Contact::Email).into_iter();
    email.chain(phone.map(Contact::Phone))
}

/// What really changes, if anything does: a form sends everything.
fn read(wrong: &mut Wrong, request: &Change, user: &UserRow) -> Option<UserChange> {
    let mut change = UserChange::default();
    if request.name.is_some() {
        let name = wrong.name(request.name.as_deref());
        change.name = Some(name).filter(|n| *n != user.name);
    }
    if request.email.is_some() {
        let email = wrong.email(request.email.as_deref());
        let email = email.map(|e| e.key().to_owned());
        change.email = Some(email).filter(|e| e.as_ref() != user.shown_email());
    }
    if request.phone.is_some() {
        let phone = wrong.mobile("phone", request.phone.as_deref());
        let phone = phone.map(|p| p.key().to_owned());
        change.phone = Some(phone).filter(|p| p.as_ref() != user.shown_phone());
        let email_stays = match &change.email {
            Some(email) => email.is_some(),
            None => user.shown_email().is_some(),
        };
        if change.phone == Some(None) && !email_stays {
            wrong.contact("phone", None);
        }
    }
    if request.language_pref.is_some() {
        let language = wrong.language(request.language_pref.as_deref());
        change.language = language
            .map(|l| l.as_str().to_owned())
            .filter(|l| *l != user.language);
    }
    (change != UserChange::default()).then_some(change)
}

/// Removes somebody from the farm
///
/// Who belongs to no other farm is forgotten. Owners cannot be removed.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/users/{userId}", tag = "people",
    operation_id = "remove_user", summary = "Remove a person",
    responses((status = NO_CONTENT))
)]
pub(super) async fn remove(
    access: FarmAccess<ManagePeople>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let mut write = access.write().await?;
    let person = managed(&access, write.person(&id).await?)?;
    access
        .expect(&id, &body(person.clone(), access.role()))
        .await?;
    if person.role == Role::Owner {
        return Err(ApiError::owner_stays());
    }
    let removed = write.remove_person(&id).await;
    removed.map_err(|e| match e {
        // an owner since a moment ago
        PeopleError::LastOwner => ApiError::owner_stays(),
        e => refused(e),
    })?;
    let details = json!({"name": person.user.name, "role": person.role});
    write.commit(Action::UserRemoved, &id, details).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends all sign-ins of somebody
///
/// Of people who belong to this farm alone: a lost phone, say.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/users/{userId}/sessions", tag = "people",
    operation_id = "end_user_sessions", summary = "End the sign-ins of a person",
    responses((status = NO_CONTENT))
)]
pub(super) async fn end_sessions(
    access: FarmAccess<ManagePeople>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let mut write = access.write().await?;
    let person = managed(&access, write.person(&id).await?)?;
    if !person.only_here {
        return Err(ApiError::belongs_elsewhere());
    }
    write.end_sessions_of(&person).await?;
    let details = json!({"name": person.user.name});
    write.commit(Action::UserSignedOut, &id, details).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Activates somebody
///
/// They may sign in to the farm again.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/users/{userId}/activate", tag = "people",
    operation_id = "activate_user", summary = "Activate a person",
    responses((status = OK, body = FarmUser))
)]
pub(super) async fn activate(
    access: FarmAccess<ManagePeople>,
    Item(id): Item,
) -> Result<Json<FarmUser>, ApiError> {
    set_active(&access, &id, true).await
}

/// Deactivates somebody
///
/// They are let in no longer: at once, on HTTP and on live connections, and in this farm alone. The last active owner stays active.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/users/{userId}/deactivate", tag = "people",
    operation_id = "deactivate_user", summary = "Deactivate a person",
    responses(
        (status = OK, body = FarmUser),
        (status = CONFLICT, description = "The last owner would be gone", body = ErrorBody),
    )
)]
pub(super) async fn deactivate(
    access: FarmAccess<ManagePeople>,
    Item(id): Item,
) -> Result<Json<FarmUser>, ApiError> {
    set_active(&access, &id, false).await
}

async fn set_active(
    access: &FarmAccess<ManagePeople>,
    id: &str,
    active: bool,
) -> Result<Json<FarmUser>, ApiError> {
    let mut write = access.write().await?;
    managed(access, write.person(id).await?)?;
    let done = write.change_member(id, None, Some(active)).await;
    done.map_err(refused)?;
    let action = if active {
        Action::UserActivated
    } else {
        Action::UserDeactivated
    };
    let after = write.person(id).await?;
    write.commit(action, id, json!({})).await?;
    let after = after.ok_or_else(ApiError::not_found)?;
    Ok(Json(body(after, access.role())))
}

/// Somebody whom the caller may manage.
fn managed(access: &FarmAccess<ManagePeople>, person: Option<Person>) -> Result<Person, ApiError> {
    let person = person.ok_or_else(ApiError::not_found)?;
    if access.role().may_manage(person.role) {
        Ok(person)
    } else {
        Err(ApiError::not_permitted())
    }
}
