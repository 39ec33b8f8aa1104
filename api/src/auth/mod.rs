//! Signing in: contacts, passwords, tokens, and how often one may try.

mod accounts;
mod contact;
mod password;
mod throttle;
mod token;

pub(crate) use accounts::{Accounts, Origin};
pub(crate) use contact::Contact;
pub(crate) use password::Passwords;
pub(crate) use throttle::{Limit, Throttle};
pub(crate) use token::{new_secret, sha256_hex};
