//! Signing in by password, code or invite, and how often one may try.

mod accounts;
mod codes;
mod failures;
mod invitations;
mod strength;
mod throttle;

pub(crate) use accounts::Accounts;
pub(crate) use codes::CODE_DIGITS;
pub(crate) use invitations::Acceptance;
pub(crate) use strength::guessable;
pub(crate) use throttle::{Limit, Throttle};
