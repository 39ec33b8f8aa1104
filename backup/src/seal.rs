//! Encryption of a repository: a store whose objects only who has the key can read.
//!
//! Each object is sealed with ChaCha20-Poly1305 under a nonce of its own, and bound to its name, so that none can be put in
//! another's place. Names stay: a chunk's is the SHA-256 of what is in it, so who reads the bucket can tell that a chunk which he
//! has himself is in it, and how much there is.

use std::fmt;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::RepositoryError;
use crate::chunk::Hash;
use crate::error::at;
use crate::store::{Object, Store, Take, disk};

/// What the one line of a key file begins with.
const BEGINS: &str = "harit-backup-key-1 ";
const KEY_BYTES: usize = 32;
/// What sealing adds to an object.
const ADDED: u64 = NONCE_LEN as u64 + 16;

/// The key of an encrypted repository.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; KEY_BYTES]);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.id())
    }
}

impl Key {
    /// Makes a key, and writes it into a new file that its owner alone reads.
    ///
    /// # Errors
    /// When the file is there, or cannot be written.
    pub fn make(file: &Path) -> Result<Self, RepositoryError> {
        let mut bytes = [0; KEY_BYTES];
        random(&mut bytes).map_err(at(file))?;
        let key = Self(bytes);
        let write = || {
            let mut out = disk::create(file, 0o600)?;
            writeln!(out, "{BEGINS}{}", Hash::from(key.0))?;
            out.sync_all()
        };
        write().map_err(at(file))?;
        Ok(key)
    }

    /// Reads a key file.
    ///
    /// # Errors
    /// When it cannot be read, or has something else.
    pub fn read(file: &Path) -> Result<Self, RepositoryError> {
        let mut text = String::new();
        std::fs::File::open(file)
            .and_then(|f| f.take(1_024).read_to_string(&mut text))
            .map_err(at(file))?;
        let key = text.trim().strip_prefix(BEGINS).and_then(Hash::parse);
        let none = || io::Error::other("it is no key of backups: `harit backup key` makes one");
        let key = key.ok_or_else(none).map_err(at(file))?;
        Ok(Self(key.bytes()))
    }

    /// What it is called where it is not told: the beginning of its SHA-256.
    #[must_use]
    pub fn id(&self) -> String {
        let mut id = Hash::of(&self.0).to_string();
        id.truncate(16);
        id
    }
}

fn random(bytes: &mut [u8]) -> io::Result<()> {
    let none = |_| io::Error::other("the system has no random numbers");
    SystemRandom::new().fill(bytes).map_err(none)
}

/// A store of which the objects are sealed.
#[derive(Debug)]
pub(crate) struct Sealed {
    store: Box<dyn Store>,
    key: LessSafeKey,
}

impl Sealed {
    pub(crate) fn new(store: Box<dyn Store>, key: &Key) -> Result<Self, RepositoryError> {
        let path = store.path("");
        let unusable = |_| io::Error::other("the key cannot be used");
        let key = UnboundKey::new(&CHACHA20_POLY1305, &key.0)
            .map_err(unusable)
            .map_err(at(&path))?;
        let key = LessSafeKey::new(key);
        Ok(Self { store, key })
    }

    fn seal(&self, name: &str, mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        random(&mut nonce)?;
        let bound = Aad::from(name.as_bytes());
        self.key
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), bound, &mut bytes)
            .map_err(|_| io::Error::other("it cannot be sealed"))?;
        bytes.splice(0..0, nonce);
        Ok(bytes)
    }

    fn opened(&self, name: &str, sealed: &[u8]) -> io::Result<Vec<u8>> {
        let open = || {
            let (nonce, rest) = sealed.split_at_checked(NONCE_LEN)?;
            let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
            let mut rest = rest.to_vec();
            let bound = Aad::from(name.as_bytes());
            let plain = self.key.open_in_place(nonce, bound, &mut rest).ok()?;
            Some(plain.to_vec())
        };
        let damaged = || io::Error::new(ErrorKind::InvalidData, "it is not as it was sealed");
        open().ok_or_else(damaged)
    }

    fn open_read(
        &self,
        name: &str,
        read: Result<Option<Vec<u8>>, RepositoryError>,
    ) -> Result<Option<Vec<u8>>, RepositoryError> {
        let Some(sealed) = read? else {
            return Ok(None);
        };
        let opened = self.opened(name, &sealed);
        opened.map(Some).map_err(at(&self.store.path(name)))
    }
}

impl Store for Sealed {
    fn path(&self, name: &str) -> PathBuf {
        self.store.path(name)
    }

    fn list(&self, folder: &str) -> Result<Vec<Object>, RepositoryError> {
        self.store.list(folder)
    }

    fn get(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, RepositoryError> {
        self.open_read(name, self.store.get(name, most.saturating_add(ADDED)))
    }

    fn get_each(&self, names: &[String], most: u64, take: Take<'_>) {
        let most = most.saturating_add(ADDED);
        self.store.get_each(names, most, &mut |n, read| {
            let name = names.get(n).map_or("", String::as_str);
            take(n, self.open_read(name, read))
        });
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), RepositoryError> {
        let sealed = self.seal(name, bytes).map_err(at(&self.store.path(name)))?;
        self.store.put(name, sealed)
    }

    fn sync(&self, folder: &str) -> Result<(), RepositoryError> {
        self.store.sync(folder)
    }

    fn removes_at_once(&self) -> usize {
        self.store.removes_at_once()
    }

    fn remove(&self, names: &[String]) -> Result<(), RepositoryError> {
        self.store.remove(names)
    }

    fn temporary(&self) -> Option<&Path> {
        self.store.temporary()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_is_read_as_it_was_made_and_nothing_else_is_one() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("backup.key");
        let made = Key::make(&file).unwrap();
        assert_eq!(Key::read(&file).unwrap(), made);
        assert_eq!(made.id().len(), 16);
        // One that is there is not written over: it may be all that opens a repository.
        assert!(Key::make(&file).is_err());
        assert_eq!(Key::read(&file).unwrap(), made);
        for other in ["", "harit-backup-key-1 00", "something else"] {
            std::fs::write(&file, other).unwrap();
            let refused = Key::read(&file).unwrap_err().to_string();
            assert!(refused.contains("no key of backups"), "{refused}");
        }
    }
}
