//! Signing in: contacts, passwords, codes, invites, tokens, and how often one may try.

mod accounts;
mod codes;
mod contact;
mod failures;
mod invitations;
mod keys;
mod password;
mod seal;
mod strength;
mod throttle;
mod token;

pub(crate) use accounts::{Accounts, Origin};
pub(crate) use codes::CODE_DIGITS;
pub(crate) use contact::Contact;
pub(crate) use invitations::Acceptance;
pub(crate) use keys::Key;
pub(crate) use password::{MAX_PASSWORD_BYTES, Passwords};
pub(crate) use seal::Seal;
pub(crate) use strength::guessable;
pub(crate) use throttle::{Limit, Throttle};
pub(crate) use token::{hex, new_secret, sha256_hex};
