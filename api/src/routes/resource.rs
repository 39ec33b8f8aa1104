//! A document that the engine keeps (a rule, an alert rule) as a resource: listed, read, made, replaced, changed, deleted.
//! What differs between the kinds is in [`Document`]; the routes name the kind and what they answer.

use axum::Json;
use axum::http::StatusCode;
use harit_engine::{Engine, InputKind, Problems};
use serde::Serialize;
use serde_json::Value;

use crate::access::{FarmAccess, Needs, ReadFarm};
use crate::audit::{Action, Verb};
use crate::error::ApiError;
use crate::language::Text;
use crate::records::now_ms;
use crate::resource::Resource;
use crate::version::{Tagged, Versioned, created};

/// A kind of document.
pub(super) trait Document: 'static {
    /// The document.
    type Spec: Serialize + Clone + PartialEq + Send + 'static;
    /// The document and where it stands, as the engine says.
    type Status: Clone + Send + 'static;
    /// The same as it is answered.
    type Body: From<Self::Status> + Versioned;
    /// Who may save it.
    type Write: Needs;
    /// What is said beside it when it is saved.
    type With: Sync;

    /// What it is called: new ids are `{KIND}-{timestamp}`.
    const KIND: &'static str;
    /// The same for the audit log.
    const RESOURCE: Resource;

    fn all(engine: &Engine) -> Vec<Self::Status>;
    fn one(engine: &Engine, id: &str) -> Option<Self::Status>;
    fn spec(status: &Self::Status) -> &Self::Spec;
    fn id(spec: &Self::Spec) -> &str;
    fn read(document: &Value) -> Result<Self::Spec, Problems>;
    fn put(spec: Self::Spec) -> InputKind;
    fn delete(id: &str) -> InputKind;

    /// Fills in what the server says of a new document.
    fn born(document: &mut Value, author: &str);
    /// Carries over what the server keeps when a document is replaced.
    fn keep(document: &mut Value, before: &Self::Spec);

    /// Refuses what must not be saved though it makes sense; what else the audit log is told of it.
    fn weigh(
        _access: &FarmAccess<Self::Write>,
        _before: Option<&Self::Spec>,
        _spec: &Self::Spec,
        _with: &Self::With,
    ) -> impl Future<Output = Result<Option<Deed>, ApiError>> + Send {
        async { Ok(None) }
    }
}

/// What the audit log is told: what was done, and the details.
pub(super) type Deed = (Action, Value);

/// A change of some fields, with the audit log's action for it.
pub(super) struct Change {
    pub(super) action: Action,
    pub(super) field: &'static str,
    pub(super) value: Value,
}

pub(super) async fn list<D: Document>(
    access: &FarmAccess<ReadFarm>,
) -> Result<Json<Vec<D::Body>>, ApiError> {
    let all = access.hub().read(D::all).await?;
    Ok(Json(all.into_iter().map(D::Body::from).collect()))
}

pub(super) async fn get<D: Document>(
    access: &FarmAccess<ReadFarm>,
    id: &str,
) -> Result<Tagged<D::Body>, ApiError> {
    Ok(Tagged(stored::<D, _>(access, id).await?.into()))
}

pub(super) async fn create<D: Document>(
    access: &FarmAccess<D::Write>,
    mut document: Value,
    with: &D::With,
) -> Result<(StatusCode, Tagged<D::Body>), ApiError> {
    without_view(&mut document);
    let _editing = access.editing().await;
    let ids: Vec<String> = access
        .hub()
        .read(|engine| {
            let id = |status: &D::Status| D::id(D::spec(status)).to_owned();
            D::all(engine).iter().map(id).collect()
        })
        .await?;
    set_new_id::<D>(&mut document, &ids)?;
    D::born(&mut document, &access.user().name);
    let spec = D::read(&document)?;
    let weighed = D::weigh(access, None, &spec, with).await?;
    let deed = (Action::Of(D::RESOURCE, Verb::Created), document);
    let deeds = std::iter::once(deed).chain(weighed).collect();
    let saved = save::<D>(access, spec, deeds).await?;
    Ok(created(saved.into()))
}

pub(super) async fn replace<D: Document>(
    access: &FarmAccess<D::Write>,
    id: &str,
    mut document: Value,
    with: &D::With,
) -> Result<Tagged<D::Body>, ApiError> {
    let _editing = access.editing().await;
    let before = expected::<D>(access, id).await?;
    without_view(&mut document);
    set_known_id(&mut document, id)?;
    D::keep(&mut document, D::spec(&before));
    let spec = D::read(&document)?;
    let weighed = D::weigh(access, Some(D::spec(&before)), &spec, with).await?;
    let deed = (Action::Of(D::RESOURCE, Verb::Changed), document);
    let deeds = std::iter::once(deed).chain(weighed).collect();
    let saved = save::<D>(access, spec, deeds).await?;
    Ok(Tagged(saved.into()))
}

/// Changes fields of a document; those that are so already are left alone, and nothing is written down of them.
pub(super) async fn change<D: Document>(
    access: &FarmAccess<D::Write>,
    id: &str,
    changes: impl FnOnce(&mut D::Spec) -> Vec<Change>,
    with: &D::With,
) -> Result<Tagged<D::Body>, ApiError> {
    let _editing = access.editing().await;
    let before = expected::<D>(access, id).await?;
    let mut spec = D::spec(&before).clone();
    let changes = changes(&mut spec);
    if &spec == D::spec(&before) {
        return Ok(Tagged(before.into()));
    }
    let weighed = D::weigh(access, Some(D::spec(&before)), &spec, with).await?;
    let name = serde_json::to_value(&spec).map_or(Value::Null, |d| d["name"].clone());
    let deeds = changes.into_iter().map(|change| {
        let mut details = serde_json::json!({"name": name});
        set(&mut details, change.field, change.value);
        (change.action, details)
    });
    let deeds = deeds.chain(weighed).collect();
    let saved = save::<D>(access, spec, deeds).await?;
    Ok(Tagged(saved.into()))
}

pub(super) async fn delete<D: Document>(
    access: &FarmAccess<D::Write>,
    id: &str,
) -> Result<StatusCode, ApiError> {
    let _editing = access.editing().await;
    let before = expected::<D>(access, id).await?;
    // what was deleted, so that it can be told by its name and written again
    let last = serde_json::to_value(D::spec(&before)).unwrap_or_default();
    let action = Action::Of(D::RESOURCE, Verb::Deleted);
    access.admit(D::delete(id), action, id, last).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn stored<D: Document, N: Needs>(
    access: &FarmAccess<N>,
    id: &str,
) -> Result<D::Status, ApiError> {
    let id = id.to_owned();
    let found = access.hub().read(move |engine| D::one(engine, &id)).await?;
    found.ok_or_else(ApiError::not_found)
}

/// The document, if it is the version that the client edited.
async fn expected<D: Document>(
    access: &FarmAccess<D::Write>,
    id: &str,
) -> Result<D::Status, ApiError> {
    let status = stored::<D, _>(access, id).await?;
    let body: D::Body = status.clone().into();
    access.expect(id, &body).await?;
    Ok(status)
}

async fn save<D: Document>(
    access: &FarmAccess<D::Write>,
    spec: D::Spec,
    deeds: Vec<(Action, Value)>,
) -> Result<D::Status, ApiError> {
    let id = D::id(&spec).to_owned();
    access.admit_all(D::put(spec), &id, deeds).await?;
    stored::<D, _>(access, &id).await
}

/// Sets a field of a document that is an object; what is none is refused when it is read.
pub(super) fn set(document: &mut Value, field: &str, value: Value) {
    if let Value::Object(object) = document {
        object.insert(field.to_owned(), value);
    }
}

/// Sets a field that a document leaves out.
pub(super) fn set_absent(document: &mut Value, field: &str, value: impl FnOnce() -> Value) {
    if document.get(field).is_none_or(Value::is_null) {
        set(document, field, value());
    }
}

/// Takes off what an answer has beside the document, so that what was read can be sent back.
fn without_view(document: &mut Value) {
    if let Value::Object(object) = document {
        object.remove("etag");
    }
}

/// Gives a new document an id of the form `{kind}-{timestamp}`, unless it brings one that nobody has.
fn set_new_id<D: Document>(document: &mut Value, taken: &[String]) -> Result<(), ApiError> {
    let taken = |id: &str| taken.iter().any(|known| known == id);
    match document.get("id") {
        None | Some(Value::Null) => {
            let mut at = now_ms();
            while taken(&format!("{}-{at}", D::KIND)) {
                at += 1;
            }
            set(document, "id", Value::String(format!("{}-{at}", D::KIND)));
            Ok(())
        }
        Some(Value::String(id)) if taken(id) => Err(ApiError::already_exists()),
        Some(_) => Ok(()),
    }
}

/// Fills in the id that the address says; a document that says another one is a mistake.
fn set_known_id(document: &mut Value, id: &str) -> Result<(), ApiError> {
    match document.get("id") {
        None | Some(Value::Null) => {
            set(document, "id", Value::String(id.to_owned()));
            Ok(())
        }
        Some(Value::String(said)) if said == id => Ok(()),
        Some(_) => Err(ApiError::field("id", "id_differs", Text::IdDiffers)),
    }
}
