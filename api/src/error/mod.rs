//! How a request fails: `{"error": text in the caller's language, "code": stable word}`, with the problems of a document
//! where there are any. A failure carries its text untranslated in the response's extensions; [`localise`] writes the body
//! when the caller's language is known.

mod answer;
mod extract;
mod from;
mod limits;

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

    pub(crate) const fn unauthenticated() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthenticated",
            Text::AuthenticationRequired,
        )
    }

    /// Also for what belongs to others: that it exists is no business of the caller's.
    pub(crate) const fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", Text::NotFound)
    }

    pub(crate) const fn not_permitted() -> Self {
        Self::new(StatusCode::FORBIDDEN, "not_permitted", Text::NotPermitted)
    }

    pub(crate) const fn login_failed() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "login_failed", Text::LoginFailed)
    }

    /// The code is wrong, void, used or somebody else's: which of it is not said.
    pub(crate) const fn invalid_code() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "invalid_code", Text::InvalidOtp)
    }

    /// The same in the form of the e-mail flow, whose screen reads `message`.
    pub(crate) const fn invalid_email_code() -> Self {
        let mut e = Self::new(
            StatusCode::UNAUTHORIZED,
            "invalid_code",
            Text::InvalidOrExpiredCode,
        );
        e.with_message = true;
        e
    }

    pub(crate) const fn registration_failed() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "registration_failed",
            Text::RegistrationFailed,
        )
    }

    pub(crate) const fn invite_gone() -> Self {
        Self::new(StatusCode::NOT_FOUND, "invite_gone", Text::InviteGone)
    }

    /// The invited contact has an account: only who can open it may join with it.
    pub(crate) const fn sign_in_to_accept() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "sign_in_to_accept",
            Text::SignInToAccept,
        )
    }

    pub(crate) const fn code_needed() -> Self {
        Self::new(StatusCode::FORBIDDEN, "code_needed", Text::CodeNeeded)
    }

    /// The caller has to show first that it is them, by password or code.
    pub(crate) const fn confirm_needed() -> Self {
        Self::new(StatusCode::FORBIDDEN, "confirm_needed", Text::ConfirmNeeded)
    }

    /// A program's token does not allow it, whatever its owner may do.
    pub(crate) const fn beyond_token() -> Self {
        Self::new(StatusCode::FORBIDDEN, "token_scope", Text::BeyondToken)
    }

    pub(crate) const fn too_many_tokens() -> Self {
        Self::new(StatusCode::CONFLICT, "too_many_tokens", Text::TooManyTokens)
    }

    pub(crate) const fn contact_taken() -> Self {
        Self::new(StatusCode::CONFLICT, "contact_taken", Text::ContactTaken)
    }

    pub(crate) const fn last_owner() -> Self {
        Self::new(StatusCode::CONFLICT, "last_owner", Text::LastOwner)
    }

    pub(crate) const fn owner_stays() -> Self {
        Self::new(StatusCode::FORBIDDEN, "owner_stays", Text::OwnerStays)
    }

    pub(crate) const fn belongs_elsewhere() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "belongs_elsewhere",
            Text::BelongsElsewhere,
        )
    }

    pub(crate) const fn already_member() -> Self {
        Self::new(StatusCode::CONFLICT, "already_member", Text::AlreadyMember)
    }

    pub(crate) const fn invite_instead() -> Self {
        Self::new(StatusCode::CONFLICT, "invite_instead", Text::InviteInstead)
    }

    pub(crate) const fn too_many_people() -> Self {
        Self::new(StatusCode::CONFLICT, "too_many_people", Text::TooManyPeople)
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

    /// It cannot go while these refer to it: where each is, what it is, and its name.
    pub(crate) fn in_use(uses: Vec<(String, Text, String)>) -> Self {
        let mut e = Self::new(StatusCode::CONFLICT, "in_use", Text::InUse);
        e.problems = uses
            .into_iter()
            .map(|(path, text, name)| Said::Named {
                path,
                code: "in_use",
                text,
                name,
            })
            .collect();
        e
    }

    /// A rule is not deployed with what is dangerous about it: the kinds, what they mean, and the devices.
    pub(crate) fn hazardous(found: Vec<(&'static str, Text, String)>) -> Self {
        let mut e = Self::new(StatusCode::CONFLICT, "hazardous", Text::Hazardous);
        e.problems = found
            .into_iter()
            .map(|(code, text, name)| Said::Named {
                path: "overHazards".to_owned(),
                code,
                text,
                name,
            })
            .collect();
        e
    }

    /// The same, where the engine found out.
    pub(crate) fn or_in_use(self) -> Self {
        if self.status != StatusCode::UNPROCESSABLE_ENTITY {
            return self;
        }
        let mut e = Self::in_use(Vec::new());
        e.problems = self.problems;
        e
    }

    /// Derived sensors would go in a circle, with their names in its order.
    pub(crate) fn circle(names: String) -> Self {
        let text = Text::DerivedCircle;
        let mut e = Self::field("inputs", "circle", text);
        e.problems = vec![Said::Named {
            path: "inputs".to_owned(),
            code: "circle",
            text,
            name: names,
        }];
        e
    }

    /// A sensor is derived: it is changed and deleted elsewhere.
    pub(crate) const fn derived() -> Self {
        Self::new(StatusCode::CONFLICT, "derived", Text::DerivedElsewhere)
    }

    /// The problems of what lies below there, by their paths from there on; the others where there is none.
    pub(crate) fn within(mut self, prefix: &str) -> Self {
        let mut inside = self.problems.clone();
        inside.retain_mut(|said| match said {
            Said::English { path, .. } => match path.strip_prefix(prefix) {
                Some(rest) => {
                    *path = rest.to_owned();
                    true
                }
                None => false,
            },
            _ => false,
        });
        if !inside.is_empty() {
            self.problems = inside;
        }
        self
    }

    /// Its controller still announces it.
    pub(crate) const fn not_gone() -> Self {
        Self::new(StatusCode::CONFLICT, "not_gone", Text::NotGone)
    }

    pub(crate) fn name_required() -> Self {
        Self::field("name", "required", Text::NameRequired)
    }

    /// No gateway is set for a way to people.
    pub(crate) const fn no_gateway() -> Self {
        Self::new(StatusCode::CONFLICT, "no_gateway", Text::NoGateway)
    }

    /// The caller's own contact is not verified.
    pub(crate) const fn contact_unverified() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "contact_unverified",
            Text::ContactUnverified,
        )
    }

    /// The caller asked to be told in no browser.
    pub(crate) const fn no_browser() -> Self {
        Self::new(StatusCode::CONFLICT, "no_browser", Text::NoBrowser)
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

    pub(crate) const fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            Text::MethodNotAllowed,
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

    pub(crate) const fn bad_json() -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_json", Text::BadJson)
    }

    pub(crate) const fn bad_query() -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_query", Text::BadQuery)
    }

    pub(crate) const fn too_large() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", Text::TooLarge)
    }

    /// One field is wrong; the text says it all.
    pub(crate) fn field(path: &str, code: &'static str, text: Text) -> Self {
        Self::fields(vec![(path.to_owned(), code, text)])
    }

    /// Fields are wrong; the first one's text stands for all.
    pub(crate) fn fields(wrong: Vec<(String, &'static str, Text)>) -> Self {
        let mut e = Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "invalid",
            wrong.first().map_or(Text::Invalid, |w| w.2),
        );
        e.problems = wrong
            .into_iter()
            .map(|(path, code, text)| Said::Text { path, code, text })
            .collect();
        e
    }

    /// The same with the limits of those that have any.
    pub(crate) fn limited(wrong: Vec<(String, &'static str, Text, Option<Limits>)>) -> Self {
        let mut e = Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "invalid",
            wrong.first().map_or(Text::Invalid, |w| w.2),
        );
        let said = |(path, code, text, limits)| Said::Limited {
            path,
            code,
            text,
            limits,
        };
        e.problems = wrong.into_iter().map(said).collect();
        e
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
