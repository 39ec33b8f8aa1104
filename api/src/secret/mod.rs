//! What must not be read: keys beside the database, what is sealed with them, tokens, and hashes of passwords.

mod keys;
mod password;
mod seal;
mod token;

pub(crate) use keys::Key;
pub(crate) use password::{MAX_PASSWORD_BYTES, Passwords};
pub(crate) use seal::Seal;
pub(crate) use token::{hex, new_secret, sha256_hex};
