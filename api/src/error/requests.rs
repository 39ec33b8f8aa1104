//! Refusals of a request for what it is and not for what it asks: how it is written, that it came before, or one too many.

use axum::http::StatusCode;

use super::ApiError;
use crate::language::Text;

impl ApiError {
    /// An `Idempotency-Key` is not one line of 1 to 128 printable characters.
    pub(crate) const fn bad_key() -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_idempotency_key", Text::BadKey)
    }

    /// An `Idempotency-Key` came with another request before.
    pub(crate) const fn key_reused() -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "key_reused",
            Text::KeyReused,
        )
    }

    /// The same request is being carried out.
    pub(crate) const fn under_way() -> Self {
        let mut e = Self::new(StatusCode::CONFLICT, "under_way", Text::UnderWay);
        e.retry_after = Some(1);
        e
    }

    /// The same request was cut off: it may have been carried out or not.
    pub(crate) const fn outcome_unknown() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "outcome_unknown",
            Text::OutcomeUnknown,
        )
    }

    /// `If-Match` is no list of entity tags.
    pub(crate) const fn bad_precondition() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "bad_precondition",
            Text::BadPrecondition,
        )
    }

    pub(crate) const fn bad_json() -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_json", Text::BadJson)
    }

    pub(crate) const fn bad_query() -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_query", Text::BadQuery)
    }

    pub(crate) const fn too_large() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", Text::TooLarge)
    }

    pub(crate) const fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            Text::MethodNotAllowed,
        )
    }

    pub(crate) const fn too_many_attempts(retry_after_secs: u64) -> Self {
        Self::budget_spent("too_many_attempts", Text::TooManyAttempts, retry_after_secs)
    }

    /// A budget is used up; others may not be.
    pub(crate) const fn budget_spent(
        code: &'static str,
        text: Text,
        retry_after_secs: u64,
    ) -> Self {
        let mut e = Self::new(StatusCode::TOO_MANY_REQUESTS, code, text);
        e.retry_after = Some(retry_after_secs);
        e
    }
}
