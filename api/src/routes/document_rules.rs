//! What follows for the API's document from what an operation is: its path's parameters, its headers, what it may be refused
//! with. A handler documents its success and what is special to it; what it says of a status or parameter stands.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::{Method, StatusCode};
use utoipa::openapi::header::Header;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::schema::{AdditionalProperties, Object, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{Components, Content, OpenApi, Ref, RefOr, Required, Response, Schema};
use utoipa::{Modify, ToSchema};

use super::idempotency;
use crate::error::ErrorBody;

/// Below it is what belongs to one farm.
const FARM: &str = "/api/farms/{farmId}/";
/// Below it is what belongs to the farm that the request names, else to the caller's first.
const ONBOARDING: &str = "/onboarding/";

/// What every role may do in a farm, workers too.
const ANY_ROLE: &[&str] = &["list_stops", "stop_devices"];
/// What looks, and is for no program's token.
const PERSONS: &[&str] = &["get_push", "list_sessions", "list_tokens"];
/// What replaces, changes or deletes in a farm something that has no version.
const UNVERSIONED: &[&str] = &[
    "change_controller",
    "change_integration",
    "put_own_task_photo",
    "delete_own_task_photo",
    "clear_notifications",
    "end_user_sessions",
    "remove_controller",
    "remove_device",
    "remove_integration",
    "remove_sensor",
];
/// What answers a resource that has a version without the header.
const UNTAGGED: &[&str] = &[
    "activate_user",
    "deactivate_user",
    "lock_device",
    "unlock_device",
];

/// What a request is refused with, by cause: the status, the name of the shared response, what it says.
const REFUSALS: &[(StatusCode, &str, &str)] = &[
    (StatusCode::BAD_REQUEST, "BadRequest", "It cannot be read"),
    (
        StatusCode::UNAUTHORIZED,
        "Unauthorized",
        "Not signed in, or no longer",
    ),
    (
        StatusCode::FORBIDDEN,
        "Forbidden",
        "The caller's role in the farm, or the program's token, does not allow it",
    ),
    (
        StatusCode::NOT_FOUND,
        "NotFound",
        "It does not exist, or belongs to another farm",
    ),
    (
        StatusCode::CONFLICT,
        "Conflict",
        "The request with this Idempotency-Key is under way, or its outcome is unknown",
    ),
    (
        StatusCode::PRECONDITION_FAILED,
        "PreconditionFailed",
        "Somebody else changed it meanwhile; `current` is what it is now",
    ),
    (
        StatusCode::PAYLOAD_TOO_LARGE,
        "PayloadTooLarge",
        "The body is too large",
    ),
    (
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "UnsupportedMediaType",
        "The body is not said to be JSON",
    ),
    (
        StatusCode::UNPROCESSABLE_ENTITY,
        "UnprocessableEntity",
        "Read and refused: the problems name each field that is wrong",
    ),
    (
        StatusCode::TOO_MANY_REQUESTS,
        "TooManyRequests",
        "Too many requests; Retry-After says how many seconds to wait",
    ),
    (
        StatusCode::SERVICE_UNAVAILABLE,
        "ServiceUnavailable",
        "The server is busy or stopping; ask again",
    ),
];

/// Completes a document whose operations are all there.
pub(super) struct DocumentRules;

impl Modify for DocumentRules {
    fn modify(&self, document: &mut OpenApi) {
        let components = document.components.get_or_insert_default();
        open(&mut components.schemas);
        let versioned = versioned(&components.schemas);
        let mut named = BTreeSet::new();
        for (path, item) in &mut document.paths.paths {
            for (method, operation) in operations(item) {
                let asked = Asked::of(&method, path, operation);
                named.extend(asked.path_parameters(operation));
                asked.headers(operation);
                asked.refusals(operation);
                asked.etag(operation, &versioned);
                described(operation);
            }
        }
        shared(components, named);
    }
}

/// An operation, as far as rules go by it.
struct Asked<'a> {
    path: &'a str,
    id: String,
    /// Whether it needs a sign-in; where one is optional the handler says what follows.
    session: bool,
    /// Whether tokens of programs are refused, or some of them.
    beyond_tokens: bool,
    /// Whether its path names a farm.
    farm: bool,
    has_body: bool,
    has_query: bool,
    takes_key: bool,
    checks_version: bool,
}

impl<'a> Asked<'a> {
    fn of(method: &Method, path: &'a str, operation: &Operation) -> Self {
        let id = operation.operation_id.clone().unwrap_or_default();
        let session = operation.security.is_none();
        let bearer = SecurityRequirement::new("bearer", [""; 0]);
        let signs = { operation.security.as_ref() }.is_none_or(|ways| ways.contains(&bearer));
        let farm = path.starts_with(FARM);
        let replaces = [Method::PUT, Method::PATCH, Method::DELETE].contains(method);
        let parameters = operation.parameters.iter().flatten();
        Self {
            path,
            session,
            beyond_tokens: session && (!method.is_safe() || PERSONS.contains(&id.as_str())),
            farm,
            has_body: operation.request_body.is_some(),
            has_query: { parameters }.any(|p| is_in(p, &ParameterIn::Query)),
            takes_key: signs && idempotency::takes_key(method, path),
            checks_version: farm && replaces && !UNVERSIONED.contains(&id.as_str()),
            id,
        }
    }

    /// Puts the parameters of the path before all others, and returns their names.
    fn path_parameters(&self, operation: &mut Operation) -> Vec<String> {
        let parts = self.path.split('/');
        let names = parts.filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let names: Vec<String> = names.map(str::to_owned).collect();
        let refs = names
            .iter()
            .map(|name| RefOr::Ref(reference("parameters", name)));
        let others = operation.parameters.take().into_iter().flatten();
        let all: Vec<_> = refs.chain(others).collect();
        operation.parameters = (!all.is_empty()).then_some(all);
        names
    }

    fn headers(&self, operation: &mut Operation) {
        let headers = [
            (self.checks_version, "IfMatch"),
            (self.takes_key, "IdempotencyKey"),
        ];
        for (_, name) in headers.into_iter().filter(|(has, _)| *has) {
            let parameters = operation.parameters.get_or_insert_default();
            parameters.push(RefOr::Ref(reference("parameters", name)));
        }
    }

    fn refusals(&self, operation: &mut Operation) {
        let onboarding = self.session && self.path.starts_with(ONBOARDING);
        let by_role = !ANY_ROLE.contains(&self.id.as_str());
        let input = self.has_body || self.has_query;
        for (status, name, _) in REFUSALS {
            let refused = match *status {
                StatusCode::BAD_REQUEST => input || self.takes_key || self.checks_version,
                StatusCode::UNAUTHORIZED => self.session,
                // who does not send a body to be signed in by is not counted
                StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                    self.session || self.has_body
                }
                StatusCode::FORBIDDEN => onboarding || (self.farm && by_role) || self.beyond_tokens,
                StatusCode::NOT_FOUND => onboarding || (self.session && self.path.contains('{')),
                StatusCode::CONFLICT => self.takes_key,
                StatusCode::PRECONDITION_FAILED => self.checks_version,
                StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNSUPPORTED_MEDIA_TYPE => self.has_body,
                StatusCode::UNPROCESSABLE_ENTITY => input || self.takes_key,
                _ => false,
            };
            if refused {
                let responses = &mut operation.responses.responses;
                let said = responses.entry(status.as_str().to_owned());
                said.or_insert_with(|| RefOr::Ref(reference("responses", name)));
            }
        }
    }

    /// Documents the header of an answer that is one resource with a version.
    fn etag(&self, operation: &mut Operation, versioned: &BTreeSet<String>) {
        if UNTAGGED.contains(&self.id.as_str()) {
            return;
        }
        for response in operation.responses.responses.values_mut() {
            let RefOr::T(response) = response else {
                continue;
            };
            let is_versioned = |content: &RefOr<Content>| match content {
                RefOr::T(content) => schema_name(content).is_some_and(|s| versioned.contains(s)),
                RefOr::Ref(_) => false,
            };
            if response.content.values().any(is_versioned) {
                let header = RefOr::Ref(reference("headers", "ETag"));
                response.headers.insert("ETag".to_owned(), header);
            }
        }
    }
}

/// Says of each response at least what its status says: a description is required.
fn described(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        let status = StatusCode::from_bytes(status.as_bytes()).ok();
        let reason = status.and_then(|s| s.canonical_reason());
        if let (RefOr::T(response), Some(reason)) = (response, reason)
            && response.description.is_empty()
        {
            reason.clone_into(&mut response.description);
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    let all = [
        (Method::GET, &mut item.get),
        (Method::PUT, &mut item.put),
        (Method::POST, &mut item.post),
        (Method::DELETE, &mut item.delete),
        (Method::PATCH, &mut item.patch),
    ];
    all.into_iter()
        .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// The schemas of what has a version.
fn versioned(schemas: &BTreeMap<String, RefOr<Schema>>) -> BTreeSet<String> {
    fn has_version(schema: &RefOr<Schema>) -> bool {
        match schema {
            RefOr::T(Schema::Object(object)) => object.properties.contains_key("etag"),
            RefOr::T(Schema::AllOf(all)) => all.items.iter().any(has_version),
            _ => false,
        }
    }
    let all = schemas.iter().filter(|(_, schema)| has_version(schema));
    all.map(|(name, _)| name.clone()).collect()
}

/// Lets what extends a document that has no other fields have its own: closed as it is, nothing would be both.
fn open(schemas: &mut BTreeMap<String, RefOr<Schema>>) {
    const NO_OTHERS: AdditionalProperties<Schema> = AdditionalProperties::FreeForm(false);
    let is_closed = |o: &Object| o.additional_properties.as_deref() == Some(&NO_OTHERS);
    let closed: BTreeMap<String, Object> = schemas
        .iter()
        .filter_map(|(name, schema)| match schema {
            RefOr::T(Schema::Object(object)) if is_closed(object) => {
                Some((Ref::from_schema_name(name).ref_location, object.clone()))
            }
            _ => None,
        })
        .collect();
    for schema in schemas.values_mut() {
        let RefOr::T(Schema::AllOf(all)) = schema else {
            continue;
        };
        for item in &mut all.items {
            if let RefOr::Ref(to) = item
                && let Some(object) = closed.get(&to.ref_location)
            {
                let mut object = object.clone();
                object.additional_properties = None;
                *item = RefOr::T(Schema::Object(object));
            }
        }
    }
}

/// What the operations refer to.
fn shared(components: &mut Components, path_parameters: BTreeSet<String>) {
    for (status, name, description) in REFUSALS {
        let body = Content::new(Some(Ref::from_schema_name(<ErrorBody as ToSchema>::name())));
        let mut response = Response::builder()
            .description(*description)
            .content("application/json", body);
        if *status == StatusCode::TOO_MANY_REQUESTS {
            let seconds = Header::new(ObjectBuilder::new().schema_type(Type::Integer));
            response = response.header("Retry-After", seconds);
        }
        let responses = &mut components.responses;
        responses.insert((*name).to_owned(), RefOr::T(response.build()));
    }
    let ids = path_parameters.into_iter().map(|name| {
        let in_path = ParameterBuilder::new()
            .name(name.as_str())
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .description(id_description(&name));
        (name, in_path)
    });
    let headers = [
        (
            "IfMatch",
            "If-Match",
            "The `etag` of the version that was opened, in quotes: the request is refused with 412 when it is another by now",
        ),
        (
            "IdempotencyKey",
            "Idempotency-Key",
            "1 to 128 printable ASCII characters: the request is carried out once, however often it is sent within a day",
        ),
    ];
    let headers = headers.map(|(key, name, description)| {
        let header = ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some(description));
        (key.to_owned(), header)
    });
    for (key, parameter) in ids.chain(headers) {
        let parameter: Parameter = parameter.schema(Some(text())).build();
        components.parameters.insert(key, RefOr::T(parameter));
    }
    let mut etag = Header::new(text());
    etag.description = Some("The version of what people edit, in quotes".to_owned());
    components.headers.insert("ETag".to_owned(), RefOr::T(etag));
}

fn id_description(name: &str) -> Option<&'static str> {
    ["deviceId", "sensorId"]
        .contains(&name)
        .then_some("`/` in an id is written `%2F`")
}

fn text() -> RefOr<Schema> {
    let text = ObjectBuilder::new().schema_type(SchemaType::new(Type::String));
    RefOr::T(Schema::Object(text.build()))
}

fn reference(kind: &str, name: &str) -> Ref {
    Ref::new(format!("#/components/{kind}/{name}"))
}

fn is_in(parameter: &RefOr<Parameter>, place: &ParameterIn) -> bool {
    matches!(parameter, RefOr::T(parameter) if parameter.parameter_in == *place)
}

fn schema_name(content: &Content) -> Option<&str> {
    match content.schema.as_ref()? {
        RefOr::Ref(reference) => reference.ref_location.rsplit('/').next(),
        RefOr::T(_) => None,
    }
}
