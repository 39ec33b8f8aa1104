//! Versions of what people edit. The entity tag (RFC 9110) of a resource is a hash of the fields that people edit, so it changes
//! when one of these changes and at no other time; what a resource also shows (a mean, whether it is overdue) is no part of it.

use axum::Json;
use axum::http::header::{ETAG, IF_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::error::ApiError;
use crate::secret::sha256_hex;

/// So many characters of the hash, 64 bits: enough to tell the versions of one resource apart.
const LENGTH: usize = 16;
/// The longest `If-Match` that is read, in characters.
const MAX_HEADER: usize = 1_024;

/// The entity tag of what people edit of a resource.
pub(crate) fn etag(edited: &impl Serialize) -> String {
    // a value that cannot be written as JSON cannot be answered either
    let json = serde_json::to_vec(edited).unwrap_or_default();
    let mut tag = sha256_hex(&json);
    tag.truncate(LENGTH);
    tag
}

/// A resource as it is answered, with the version of it.
pub(crate) trait Versioned: Serialize {
    /// Its entity tag.
    fn etag(&self) -> &str;
}

/// An answer that carries its resource's entity tag as header too.
pub(crate) struct Tagged<T>(pub(crate) T);

impl<T: Versioned> IntoResponse for Tagged<T> {
    fn into_response(self) -> Response {
        let tag = HeaderValue::try_from(format!("\"{}\"", self.0.etag()));
        let mut response = Json(self.0).into_response();
        if let Ok(tag) = tag {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }
}

/// A resource that was made just now.
pub(crate) fn created<T: Versioned>(resource: T) -> (StatusCode, Tagged<T>) {
    (StatusCode::CREATED, Tagged(resource))
}

/// The versions of which a client says that one must be the present one; none said is any.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct IfMatch(Option<Vec<String>>);

impl IfMatch {
    /// Reads the header.
    ///
    /// # Errors
    /// When it is no list of strong entity tags in quotes: a condition that is not understood must not be passed over.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, ApiError> {
        let mut tags = Vec::new();
        let mut said = false;
        for value in headers.get_all(IF_MATCH) {
            said = true;
            let text = value.to_str().map_err(|_| ApiError::bad_precondition())?;
            if text.len() > MAX_HEADER {
                return Err(ApiError::bad_precondition());
            }
            if text.trim() == "*" {
                return Ok(Self::default());
            }
            for tag in text.split(',') {
                let tag = tag
                    .trim()
                    .strip_prefix('"')
                    .and_then(|t| t.strip_suffix('"'));
                tags.push(tag.ok_or_else(ApiError::bad_precondition)?.to_owned());
            }
        }
        Ok(Self(said.then_some(tags)))
    }

    /// Whether the present version is one of those.
    pub(crate) fn allows(&self, etag: &str) -> bool {
        self.0
            .as_ref()
            .is_none_or(|tags| tags.iter().any(|t| t == etag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> Result<IfMatch, ApiError> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(IF_MATCH, HeaderValue::from_str(value).expect("a header"));
        }
        IfMatch::of(&headers)
    }

    #[test]
    fn a_condition_is_a_list_of_tags_or_a_star() {
        let any = read(&[]).expect("none");
        assert!(any.allows("a"));
        assert!(read(&["*"]).expect("a star").allows("a"));
        for tags in [&["\"a\", \"b\""][..], &["\"a\"", "\"b\""]] {
            let tags = read(tags).expect("a list");
            assert!(tags.allows("a") && tags.allows("b") && !tags.allows("c"));
        }
        for bad in ["", "a", "\"a", "W/\"a\"", "\"a\" \"b"] {
            assert!(read(&[bad]).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_tag_follows_what_is_edited() {
        let of = |name: &str, hold: u32| etag(&(name, hold));
        assert_eq!(of("a", 1), of("a", 1));
        assert_ne!(of("a", 1), of("a", 2));
        assert_eq!(of("a", 1).len(), LENGTH);
    }
}
