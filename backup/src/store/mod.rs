//! Where a repository lies: objects under names such as `snapshots/000001.json`, each there whole or not at all.

mod bucket;
mod directory;
pub(crate) mod disk;
mod lease;

use std::fmt;
use std::path::{Path, PathBuf};

use harit_bucket::Place;

use crate::RepositoryError;

/// An object of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Object {
    /// Its name, with `/` between the parts.
    pub(crate) name: String,
    /// Its bytes.
    pub(crate) bytes: u64,
}

/// What is going to be done with a repository, and so who has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Alone: it is made where there is none.
    Write,
    /// Beside others that read: nothing is removed meanwhile. Without a lock where nothing can be written.
    Read,
    /// Without a lock.
    Peek,
}

/// Answers to whom an object is given; false ends the reading.
pub(crate) type Take<'a> =
    &'a mut dyn FnMut(usize, Result<Option<Vec<u8>>, RepositoryError>) -> bool;

/// A store of objects. All calls block.
pub(crate) trait Store: fmt::Debug + Send {
    /// Where an object is, for messages.
    fn path(&self, name: &str) -> PathBuf;

    /// All objects below a folder such as `chunks`, in the order of their names.
    ///
    /// # Errors
    /// When it cannot be listed.
    fn list(&self, folder: &str) -> Result<Vec<Object>, RepositoryError>;

    /// What is in an object, at most so many bytes of it; none where it is not there.
    ///
    /// # Errors
    /// When it cannot be read.
    fn get(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, RepositoryError>;

    /// Reads objects in this order, some of them ahead where each takes its time.
    fn get_each(&self, names: &[String], most: u64, take: Take<'_>) {
        for (n, name) in names.iter().enumerate() {
            if !take(n, self.get(name, most)) {
                return;
            }
        }
    }

    /// Begins to store an object. It may be told by a later call that it could not be, at the latest by [`Self::sync`].
    ///
    /// # Errors
    /// When this one or one before it cannot be stored.
    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), RepositoryError>;

    /// Sees to it that what was put, renamed and removed below a folder stays so.
    ///
    /// # Errors
    /// When something that was put is not there, or who called may not write any more.
    fn sync(&self, folder: &str) -> Result<(), RepositoryError>;

    /// How many objects [`Self::remove`] takes at once.
    fn removes_at_once(&self) -> usize;

    /// Removes objects; one that is not there is removed already.
    ///
    /// # Errors
    /// When one cannot be removed, or who called may not write any more.
    fn remove(&self, names: &[String]) -> Result<(), RepositoryError>;

    /// A directory for what is only there while something is written; none where the store has no disk.
    fn temporary(&self) -> Option<&Path>;
}

/// Opens the store of a repository.
///
/// # Errors
/// When it is none and none may be made, it is somebody else's now, or cannot be reached.
pub(crate) fn open(place: &Place, access: Access) -> Result<Box<dyn Store>, RepositoryError> {
    Ok(match place {
        Place::Directory(dir) => Box::new(directory::Directory::open(dir, access)?),
        Place::Bucket(bucket) => Box::new(bucket::Bucket::open(bucket, access)?),
    })
}
