//! The key by which push services know this server (RFC 8292). Browsers subscribe for it alone: with another one nobody who
//! subscribed before is reached.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use harit_journal::put_file;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};

use super::keys::missing;

/// A key pair on P-256, kept as PKCS #8.
pub(crate) struct VapidKey(EcdsaKeyPair);

impl fmt::Debug for VapidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VapidKey(..)")
    }
}

impl VapidKey {
    /// Reads a key file, which only the server's own user can read. It is made where there is none and it may be new.
    pub(crate) fn open(path: &Path, may_be_new: bool) -> io::Result<Self> {
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let random = SystemRandom::new();
        let document = match fs::read(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound && may_be_new => {
                let made = EcdsaKeyPair::generate_pkcs8(algorithm, &random);
                let made = made.map_err(|_| io::Error::other("no key can be made"))?;
                put_file(path, made.as_ref())?;
                made.as_ref().to_vec()
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(missing(path)),
            read => read?,
        };
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, &document, &random);
        pair.map(Self).map_err(|_| {
            let what = format!("{} is no key", path.display());
            io::Error::new(io::ErrorKind::InvalidData, what)
        })
    }

    /// The public key as browsers want it: base64url of the point, 65 bytes.
    pub(crate) fn public(&self) -> String {
        BASE64.encode(self.0.public_key().as_ref())
    }

    /// The signature of ES256: 64 bytes. None where the system has no randomness.
    pub(crate) fn sign(&self, text: &[u8]) -> Option<Vec<u8>> {
        let signature = self.0.sign(&SystemRandom::new(), text).ok()?;
        Some(signature.as_ref().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    #[test]
    fn a_key_is_made_once_for_the_owner_alone_and_signs() {
        let dir = tempfile::TempDir::new().expect("a directory");
        let path = dir.path().join("push.key");
        let lost = VapidKey::open(&path, false).expect_err("lost");
        assert!(lost.to_string().contains("is missing"), "{lost}");
        let made = VapidKey::open(&path, true).expect("made");
        let read = VapidKey::open(&path, false).expect("read");
        assert_eq!(made.public(), read.public());
        let public = BASE64.decode(made.public()).expect("base64");
        assert_eq!((public.len(), public[0]), (65, 4));
        let signature = read.sign(b"text").expect("a signature");
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public);
        assert!(key.verify(b"text", &signature).is_ok());
        assert!(key.verify(b"other", &signature).is_err());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::write(&path, b"no key").expect("written");
        let damaged = VapidKey::open(&path, true).expect_err("damaged");
        assert!(damaged.to_string().ends_with("is no key"), "{damaged}");
    }
}
