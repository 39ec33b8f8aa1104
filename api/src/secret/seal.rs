//! Sealing what must be read again, such as messages that wait to be sent: AES-256-GCM under a key that is derived from one that
//! is not in the database.

use std::fmt;
use std::io;

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use super::Key;

/// Seals and opens.
#[derive(Clone)]
pub(crate) struct Seal(LessSafeKey);

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal(..)")
    }
}

impl Seal {
    /// With a key of its own for that purpose.
    pub(crate) fn of(key: &Key, purpose: &str) -> io::Result<Self> {
        let key = key.hmac(&[b"seal|", purpose.as_bytes()]);
        let key = UnboundKey::new(&AES_256_GCM, &key).map_err(|_| io::Error::other("no key"))?;
        Ok(Self(LessSafeKey::new(key)))
    }

    /// Seals a text that belongs to that id: random nonce, ciphertext, tag.
    pub(crate) fn seal(&self, id: &str, plain: &[u8]) -> io::Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(io::Error::other)?;
        let mut sealed = plain.to_vec();
        let aad = Aad::from(id.as_bytes());
        self.0
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut sealed)
            .map_err(|_| io::Error::other("not sealed"))?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// Opens what was sealed with the same key for the same id.
    pub(crate) fn open(&self, id: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, rest) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut rest = rest.to_vec();
        let plain = self
            .0
            .open_in_place(nonce, Aad::from(id.as_bytes()), &mut rest)
            .ok()?;
        Some(plain.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_opened_by_the_same_key_for_the_same_id_alone() {
        let dir = tempfile::TempDir::new().expect("a directory");
        let key = |name| Key::open(&dir.path().join(name), true).expect("a key");
        let seal = Seal::of(&key("a.key"), "outbox").expect("a seal");
        let sealed = seal.seal("1", b"123456 is your code").expect("sealed");
        assert!(!sealed.windows(6).any(|w| w == b"123456"));
        assert_eq!(
            seal.open("1", &sealed).as_deref(),
            Some(&b"123456 is your code"[..])
        );
        assert_eq!(seal.open("2", &sealed), None);
        assert_eq!(seal.open("1", &sealed[..sealed.len() - 1]), None);
        assert_eq!(seal.open("1", b"short"), None);
        let other = Seal::of(&key("b.key"), "outbox").expect("a seal");
        assert_eq!(other.open("1", &sealed), None);
        let elsewhere = Seal::of(&key("a.key"), "letters").expect("a seal");
        assert_eq!(elsewhere.open("1", &sealed), None);
    }
}
