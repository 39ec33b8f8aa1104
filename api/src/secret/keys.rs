//! Keys that are not in the database: whoever reads or writes the database alone can neither compute the hashes of codes nor
//! continue the audit log.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use harit_journal::put_file;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

const KEY_BYTES: usize = 32;
const BLOCK_BYTES: usize = 64;

/// A 256 bit key.
#[derive(Clone)]
pub(crate) struct Key([u8; KEY_BYTES]);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl Key {
    /// Reads a key file.
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        let mut key = [0; KEY_BYTES];
        let mut file = File::open(path)?;
        file.read_exact(&mut key)?;
        if file.read(&mut [0; 1])? > 0 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{} is longer than a key", path.display()),
            ));
        }
        Ok(Self(key))
    }

    /// Reads a key file, which only the server's own user can read. It is made where there is none and it may be new.
    pub(crate) fn open(path: &Path, may_be_new: bool) -> io::Result<Self> {
        match Self::read(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound && may_be_new => Self::make(path),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Err(missing(path)),
            result => result,
        }
    }

    fn make(path: &Path) -> io::Result<Self> {
        let mut key = [0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(io::Error::other)?;
        put_file(path, &key)?;
        Ok(Self(key))
    }

    /// HMAC-SHA256 over the parts one after another.
    pub(crate) fn hmac(&self, parts: &[&[u8]]) -> [u8; 32] {
        // a key shorter than a block stands for itself and zeros
        let mut block = [0; BLOCK_BYTES];
        block[..KEY_BYTES].copy_from_slice(&self.0);
        let mut mac = Hmac::<Sha256>::new(&block.into());
        for part in parts {
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

/// That a key was lost.
pub(super) fn missing(path: &Path) -> io::Error {
    let what = format!(
        "{} is missing beside records that were made with it: put it back from the backup",
        path.display()
    );
    io::Error::new(io::ErrorKind::NotFound, what)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::secret::hex;

    #[test]
    fn hmac_is_the_one_of_the_standard() {
        // RFC 4231, case 1, has a key of 20 bytes: zeros up to the block's end belong to every short key
        let mut key = [0; KEY_BYTES];
        key[..20].fill(0x0b);
        assert_eq!(
            hex(&Key(key).hmac(&[b"Hi ", b"There"])),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
    }

    #[test]
    fn a_key_is_made_once_and_for_the_owner_alone() {
        let dir = tempfile::TempDir::new().expect("a directory");
        let path = dir.path().join("a.key");
        let refused = Key::open(&path, false).expect_err("lost");
        assert!(refused.to_string().contains("is missing"), "{refused}");
        let key = Key::open(&path, true).expect("made");
        assert_eq!(Key::open(&path, false).expect("read").0, key.0);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::write(&path, b"short").expect("written");
        assert!(Key::open(&path, true).is_err());
    }
}
