//! What must not be read: keys beside the database, what is sealed with them, tokens, and hashes of passwords.

mod api_token;
mod keys;
mod password;
mod seal;
mod token;
mod vapid;

pub(crate) use api_token::{is_api_token, is_whole, new_api_token, start_of};
pub(crate) use keys::Key;
pub(crate) use password::{MAX_PASSWORD_BYTES, Passwords};
pub(crate) use seal::Seal;
pub(crate) use token::{NoRandomness, hex, new_secret, sha256_hex};
pub(crate) use vapid::VapidKey;
