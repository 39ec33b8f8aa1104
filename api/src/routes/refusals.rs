//! What a request may be refused with, by cause, for the API's document. A route names the causes that it has; what is special
//! to it stands after them and takes their place.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use utoipa::openapi::{Content, Ref, RefOr, Response};
use utoipa::{IntoResponses, ToSchema};

use crate::error::ErrorBody;

type Responses = BTreeMap<String, RefOr<Response>>;

/// Who asks must be signed in, and must not ask too often.
pub(crate) enum WithSession {}

impl IntoResponses for WithSession {
    fn responses() -> Responses {
        refusals(&[
            (StatusCode::UNAUTHORIZED, "Not signed in, or no longer"),
            (
                StatusCode::TOO_MANY_REQUESTS,
                "Too many requests; Retry-After says how many seconds to wait",
            ),
            (
                StatusCode::SERVICE_UNAVAILABLE,
                "The server is busy or stopping; ask again",
            ),
        ])
    }
}

/// What is asked for belongs to a farm.
pub(crate) enum OfFarm {}

impl IntoResponses for OfFarm {
    fn responses() -> Responses {
        refusals(&[(
            StatusCode::NOT_FOUND,
            "It does not exist, or belongs to another farm",
        )])
    }
}

/// Not every role may.
pub(crate) enum ByRole {}

impl IntoResponses for ByRole {
    fn responses() -> Responses {
        refusals(&[(
            StatusCode::FORBIDDEN,
            "The caller's role in the farm does not allow it",
        )])
    }
}

/// It has a body or a query that is read.
pub(crate) enum WithInput {}

impl IntoResponses for WithInput {
    fn responses() -> Responses {
        refusals(&[
            (StatusCode::BAD_REQUEST, "It cannot be read"),
            (
                StatusCode::UNPROCESSABLE_ENTITY,
                "Read and refused: the problems name each field that is wrong",
            ),
        ])
    }
}

fn refusals(causes: &[(StatusCode, &str)]) -> Responses {
    let refusal = |&(status, description): &(StatusCode, &str)| {
        let body = Content::new(Some(Ref::from_schema_name(<ErrorBody as ToSchema>::name())));
        let response = Response::builder()
            .description(description)
            .content("application/json", body)
            .build();
        (status.as_u16().to_string(), RefOr::T(response))
    };
    causes.iter().map(refusal).collect()
}
