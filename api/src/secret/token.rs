//! Tokens and secrets: 256 random bits, of which only a hash is stored. They cannot be guessed, so a fast hash is enough.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// Why there is no new secret.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the system has no randomness")]
pub(crate) struct NoRandomness;

/// 256 random bits as 64 hex digits.
pub(crate) fn new_secret() -> Result<String, NoRandomness> {
    let mut bits = [0; 32];
    getrandom::fill(&mut bits).map_err(|_| NoRandomness)?;
    Ok(hex(&bits))
}

/// SHA-256 as 64 hex digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes as hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut s, b| {
            let _ = write!(s, "{b:02x}");
            s
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_hash_as_sha256_does() {
        let (a, b) = (new_secret().expect("random"), new_secret().expect("random"));
        assert_ne!(a, b);
        assert_eq!(a.len(), 64);
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
