//! How a failure is answered: its body, its headers, its language.

use axum::Json;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use harit_engine::Quantity;
use serde::Serialize;
use utoipa::ToSchema;

use super::{ApiError, Said};
use crate::language::Language;
use crate::problem;
use crate::records::Decimal;

/// What a failed request answers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Error)]
pub(crate) struct ErrorBody {
    /// What went wrong, in the caller's language (Accept-Language: en, hi or mr).
    pub error: String,
    /// What went wrong, as a stable word.
    #[schema(example = "unauthenticated")]
    pub code: &'static str,
    /// The same as `error`, from the calls of the e-mail code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub message: Option<&'static str>,
    /// Each field that is wrong, where a document was refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub problems: Vec<ProblemBody>,
    /// Who changed it meanwhile, with `changed_meanwhile`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub changed_by: Option<String>,
    /// When, in epoch milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub changed_at: Option<i64>,
    /// The resource as it is now, with `changed_meanwhile` and `incident_over`: in the form in which its own requests answer it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Option<Object>)]
    pub current: Option<serde_json::Value>,
}

/// One field that is wrong.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemBody {
    /// Where: `trigger.value`, `actions[1].command.action`.
    pub path: String,
    /// What kind of problem, as a stable word.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// The least value, or length, that is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub min: Option<Decimal>,
    /// What it has to be more than.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub above: Option<Decimal>,
    /// The largest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub max: Option<Decimal>,
}

impl ProblemBody {
    const fn new(path: String, code: &'static str, message: String) -> Self {
        Self {
            path,
            code,
            message,
            min: None,
            above: None,
            max: None,
        }
    }
}

impl ApiError {
    fn body(&self, language: Language) -> ErrorBody {
        let problem = |said: &Said| match said {
            Said::Text { path, code, text } => {
                ProblemBody::new(path.clone(), code, text.say(language).to_owned())
            }
            Said::Limited {
                path,
                code,
                text,
                limits,
            } => ProblemBody {
                min: limits.and_then(|l| l.min),
                max: limits.map(|l| l.max),
                message: limits.map_or_else(
                    || text.say(language).to_owned(),
                    |l| format!("{}: {}", text.say(language), l.say(language)),
                ),
                ..ProblemBody::new(path.clone(), code, String::new())
            },
            Said::Named {
                path,
                code,
                text,
                name,
            } => {
                let message = format!("{}: {name}", text.say(language));
                ProblemBody::new(path.clone(), code, message)
            }
            Said::English {
                path,
                code,
                message,
                range,
            } => {
                let limit = |q: Quantity| Some(Decimal(q.as_micro()));
                let least = |above| {
                    range
                        .filter(|r| r.above == above)
                        .and_then(|r| limit(r.min))
                };
                ProblemBody {
                    min: least(false),
                    above: least(true),
                    max: range.and_then(|r| limit(r.max)),
                    ..ProblemBody::new(
                        path.clone(),
                        code,
                        problem::say(code, message, *range, language),
                    )
                }
            }
        };
        ErrorBody {
            error: self.text.say(language).to_owned(),
            code: self.code,
            message: self.with_message.then(|| self.text.say(language)),
            problems: self.problems.iter().map(problem).collect(),
            changed_by: self.changed.as_ref().and_then(|c| c.by.clone()),
            changed_at: self.changed.as_ref().and_then(|c| c.at),
            current: self.changed.as_ref().map(|c| c.current.clone()),
        }
    }

    fn respond(&self, language: Language) -> Response {
        let mut response = (self.status, Json(self.body(language))).into_response();
        if let Some(secs) = self.retry_after {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(secs));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// The answer to a request that no handler saw.
pub(crate) fn say(error: &ApiError, headers: &HeaderMap) -> Response {
    error.respond(Language::of(headers))
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = self.respond(Language::En);
        response.extensions_mut().insert(self);
        response
    }
}

/// Rewrites a failure in the caller's language, and what axum itself refuses into the same form.
pub(crate) async fn localise(request: Request, next: Next) -> Response {
    let language = Language::of(request.headers());
    let response = next.run(request).await;
    if let Some(error) = response.extensions().get::<ApiError>() {
        return error.respond(language);
    }
    match response.status() {
        StatusCode::METHOD_NOT_ALLOWED => {
            let allow = response.headers().get(header::ALLOW).cloned();
            let mut refused = ApiError::method_not_allowed().respond(language);
            if let Some(allow) = allow {
                refused.headers_mut().insert(header::ALLOW, allow);
            }
            refused
        }
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::too_large().respond(language),
        _ => response,
    }
}
