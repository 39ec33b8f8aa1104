//! How a request fails: `{"error": text in the caller's language, "code": stable word}`, with the problems of a document
//! where there are any. A failure carries its text untranslated in the response's extensions; [`localise`] writes the body
//! when the caller's language is known.

mod accounts;
mod answer;
mod extract;
mod from;
mod limits;
mod problems;
mod requests;

use std::fmt;

use axum::http::StatusCode;
use harit_engine::NumberRange;
use serde::Serialize;
use serde_json::Value;

pub(crate) use answer::{ErrorBody, localise, say};
pub(crate) use extract::{Body, Item, Pair, Params};
pub(crate) use limits::Limits;

use crate::language::{Language, Text};
use crate::records::LastChange;

/// A request that failed.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    status: StatusCode,
    code: &'static str,
    text: Text,
    problems: Vec<Said>,
    retry_after: Option<u64>,
    /// Whether the text is said in `message` too.
    with_message: bool,
    changed: Option<Box<ChangedMeanwhile>>,
}

/// What became of a resource after the client had read it.
#[derive(Debug, Clone)]
struct ChangedMeanwhile {
    by: Option<String>,
    at: Option<i64>,
    current: Value,
}

/// A problem, in words that may still have to be translated.
#[derive(Debug, Clone)]
enum Said {
    Text {
        path: String,
        code: &'static str,
        text: Text,
    },
    /// A value that is not within its limits.
    Limited {
        path: String,
        code: &'static str,
        text: Text,
        limits: Option<Limits>,
    },
    /// Something of the farm's, by its name.
    Named {
        path: String,
        code: &'static str,
        text: Text,
        name: String,
    },
    /// Of a document that the engine or a decoder refused: in English, with the range of a number.
    English {
        path: String,
        code: &'static str,
        message: String,
        range: Option<NumberRange>,
    },
}

impl ApiError {
    const fn new(status: StatusCode, code: &'static str, text: Text) -> Self {
        Self {
            status,
            code,
            text,
            problems: Vec::new(),
            retry_after: None,
            with_message: false,
            changed: None,
        }
    }

    /// The client edited another version than the present one.
    pub(crate) fn changed_meanwhile(last: Option<LastChange>, current: &impl Serialize) -> Self {
        let mut e = Self::new(
            StatusCode::PRECONDITION_FAILED,
            "changed_meanwhile",
            Text::ChangedMeanwhile,
        );
        e.changed = Some(Box::new(ChangedMeanwhile {
            at: last.as_ref().map(|l| l.at),
            by: last.and_then(|l| l.actor),
            current: serde_json::to_value(current).unwrap_or_default(),
        }));
        e
    }

    /// An incident has as many answers as it may have.
    pub(crate) const fn too_many_answers() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "too_many_answers",
            Text::TooManyAnswers,
        )
    }

    /// The page from which an incident was answered shows it as it was before another answer.
    pub(crate) const fn answered_meanwhile() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "answered_meanwhile",
            Text::ChangedMeanwhile,
        )
    }

    /// The alert is raised no more; with the incident as it is now.
    pub(crate) fn incident_over(current: &impl Serialize) -> Self {
        let mut e = Self::new(StatusCode::CONFLICT, "incident_over", Text::IncidentOver);
        e.changed = Some(Box::new(ChangedMeanwhile {
            at: None,
            by: None,
            current: serde_json::to_value(current).unwrap_or_default(),
        }));
        e
    }

    /// Also for what belongs to others: that it exists is no business of the caller's.
    pub(crate) const fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", Text::NotFound)
    }

    pub(crate) const fn not_permitted() -> Self {
        Self::new(StatusCode::FORBIDDEN, "not_permitted", Text::NotPermitted)
    }

    pub(crate) const fn too_many_tasks() -> Self {
        Self::new(StatusCode::CONFLICT, "too_many_tasks", Text::TooManyTasks)
    }

    pub(crate) const fn too_many_records() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "too_many_records",
            Text::TooManyRecords,
        )
    }

    pub(crate) const fn too_many_places() -> Self {
        Self::new(StatusCode::CONFLICT, "too_many_places", Text::TooManyPlaces)
    }

    /// A sensor is derived: it is changed and deleted elsewhere.
    pub(crate) const fn derived() -> Self {
        Self::new(StatusCode::CONFLICT, "derived", Text::DerivedElsewhere)
    }

    /// Its controller still announces it.
    pub(crate) const fn not_gone() -> Self {
        Self::new(StatusCode::CONFLICT, "not_gone", Text::NotGone)
    }

    /// No gateway is set for a way to people.
    pub(crate) const fn no_gateway() -> Self {
        Self::new(StatusCode::CONFLICT, "no_gateway", Text::NoGateway)
    }

    pub(crate) const fn busy() -> Self {
        let mut e = Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", Text::Busy);
        e.retry_after = Some(1);
        e
    }

    pub(crate) const fn unavailable() -> Self {
        let mut e = Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "unavailable",
            Text::Unavailable,
        );
        e.retry_after = Some(1);
        e
    }

    /// Nothing more can be written; what is there can be read.
    pub(crate) const fn disk_full() -> Self {
        Self::new(
            StatusCode::INSUFFICIENT_STORAGE,
            "disk_full",
            Text::DiskFull,
        )
    }

    pub(crate) const fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            Text::Internal,
        )
    }

    pub(crate) const fn already_exists() -> Self {
        Self::new(StatusCode::CONFLICT, "already_exists", Text::AlreadyExists)
    }

    pub(crate) const fn not_locked() -> Self {
        Self::new(StatusCode::CONFLICT, "not_locked", Text::NotLocked)
    }

    /// A controller's own lock is no business of who is elsewhere.
    pub(crate) const fn open_at_the_machine() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "open_at_the_machine",
            Text::OpenAtTheMachine,
        )
    }

    /// Its lease cannot be tried: it has none, or another lock holds it.
    pub(crate) const fn lease_untestable(text: Text) -> Self {
        Self::new(StatusCode::CONFLICT, "lease_untestable", text)
    }

    pub(crate) const fn device_offline() -> Self {
        Self::new(StatusCode::CONFLICT, "offline", Text::DeviceOffline)
    }

    pub(crate) const fn no_farm() -> Self {
        Self::new(StatusCode::CONFLICT, "no_farm", Text::NoFarm)
    }

    pub(crate) const fn code(&self) -> &'static str {
        self.code
    }

    /// What went wrong, in a language.
    pub(crate) const fn say(&self, language: Language) -> &'static str {
        self.text.say(language)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code)
    }
}
