//! What handlers take from a request; what is wrong with it fails in the one shape that all failures have.

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::ApiError;
use crate::language::Text;

/// A JSON body; what is no JSON, or of another form, is a failure in this module's shape.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(value)) => Ok(Self(value)),
            Err(rejection) => Err(match rejection.status() {
                StatusCode::PAYLOAD_TOO_LARGE => ApiError::too_large(),
                StatusCode::UNSUPPORTED_MEDIA_TYPE => ApiError::new(
                    StatusCode::UNSUPPORTED_MEDIA_TYPE,
                    "json_expected",
                    Text::JsonExpected,
                ),
                _ => ApiError::bad_json(),
            }),
        }
    }
}

/// Query parameters, likewise.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Query(value) = Query::<T>::from_request_parts(parts, state)
            .await
            .map_err(|_| ApiError::bad_query())?;
        Ok(Self(value))
    }
}

/// What the last parameter of the path names: a rule, a command, a sensor in the farm that the first one names.
pub(crate) struct Item(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Item {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| ApiError::not_found())?;
        let last = params.iter().last().map(|(_, value)| value.to_owned());
        last.map(Self).ok_or_else(ApiError::not_found)
    }
}

/// What the last two parameters of the path name: a zone of a polyhouse in the farm that the first one names.
pub(crate) struct Pair(pub(crate) String, pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Pair {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| ApiError::not_found())?;
        let all: Vec<&str> = params.iter().map(|(_, value)| value).collect();
        match all.as_slice() {
            [.., outer, inner] => Ok(Self((*outer).to_owned(), (*inner).to_owned())),
            _ => Err(ApiError::not_found()),
        }
    }
}
