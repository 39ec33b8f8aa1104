//! Refusals of accounts: signing in, contacts, invites, members and programs' tokens.

use axum::http::StatusCode;

use super::ApiError;
use crate::language::Text;

impl ApiError {
    pub(crate) const fn unauthenticated() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthenticated",
            Text::AuthenticationRequired,
        )
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
}
