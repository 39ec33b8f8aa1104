//! A store in a bucket that speaks S3. Writes and reads are under way side by side, for each takes the network's time.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use harit_bucket::Bucket as Place;
use object_store::path::Path as Location;
use object_store::{ObjectStore, ObjectStoreExt as _};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

use super::lease::{self, Lease, NoLease};
use super::{Access, Object, Store, Take};
use crate::error::RepositoryError;
use crate::repository::MARK;

/// How many requests are under way at once.
const AT_ONCE: usize = 16;
/// How many objects a request removes: S3's own limit.
const REMOVED_AT_ONCE: usize = 1_000;
/// The objects below a prefix of a bucket.
#[derive(Debug)]
pub(super) struct Bucket {
    runtime: Runtime,
    objects: Arc<dyn ObjectStore>,
    place: Place,
    writes: Arc<Semaphore>,
    failed: Arc<Mutex<Option<RepositoryError>>>,
    lease: Option<Lease>,
}

impl Drop for Bucket {
    fn drop(&mut self) {
        if let Some(lease) = self.lease.take() {
            let given = lease.give_back(&self.objects);
            let waited = async { tokio::time::timeout(Duration::from_secs(5), given).await };
            // It is over by itself.
            let _late = self.runtime.block_on(waited);
        }
    }
}

impl Bucket {
    pub(super) fn open(bucket: &Place, access: Access) -> Result<Self, RepositoryError> {
        let objects = bucket.connect()?;
        Self::over(objects, bucket, access)
    }

    fn over(
        objects: Arc<dyn ObjectStore>,
        bucket: &Place,
        access: Access,
    ) -> Result<Self, RepositoryError> {
        let whole = PathBuf::from(bucket.to_string());
        // Leases are renewed on it while who called reads files.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("harit-bucket")
            .enable_all()
            .build()
            .map_err(|source| RepositoryError::Io {
                path: whole.clone(),
                source,
            })?;
        let mut opened = Self {
            runtime,
            objects,
            place: bucket.clone(),
            writes: Arc::new(Semaphore::new(AT_ONCE)),
            failed: Arc::default(),
            lease: None,
        };
        if opened.get(MARK, u64::MAX)?.is_none() {
            if access != Access::Write {
                return Err(RepositoryError::NoRepository(whole));
            }
            if opened.has_others()? {
                return Err(RepositoryError::NotEmpty(whole));
            }
        }
        opened.lease = opened.lease(access)?;
        Ok(opened)
    }

    fn lease(&self, access: Access) -> Result<Option<Lease>, RepositoryError> {
        if access == Access::Peek {
            return Ok(None);
        }
        let folder = self.location(lease::FOLDER);
        let lease = Lease::acquire(&self.objects, &folder, access);
        match self.runtime.block_on(lease) {
            Ok(lease) => Ok(Some(lease)),
            Err(NoLease::Taken(who)) => Err(RepositoryError::Leased {
                path: PathBuf::from(self.place.to_string()),
                who,
            }),
            // Who may only read reads without one, as from a disk that nobody can write to.
            Err(NoLease::Store(e)) if access == Access::Read && is_refusal(&e) => Ok(None),
            Err(NoLease::Store(e)) => Err(self.failed(lease::FOLDER, e)),
        }
    }

    /// Whether something lies below the prefix that is no lease.
    fn has_others(&self) -> Result<bool, RepositoryError> {
        let leases = self.location(lease::FOLDER);
        let whole = self.location("");
        let mut all = self.objects.list(Some(&whole));
        let found = async {
            while let Some(object) = all.try_next().await? {
                if !object.location.prefix_matches(&leases) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        let found = self.runtime.block_on(found);
        found.map_err(|e| self.failed("", e))
    }

    fn location(&self, name: &str) -> Location {
        self.place.location(name)
    }

    fn failed(&self, name: &str, e: object_store::Error) -> RepositoryError {
        failed(self.path(name), e)
    }

    /// Refuses to go on where another may have taken the lease.
    fn may_write(&self) -> Result<(), RepositoryError> {
        if self.lease.as_ref().is_some_and(Lease::holds) {
            return Ok(());
        }
        Err(RepositoryError::LeaseLost(PathBuf::from(
            self.place.to_string(),
        )))
    }

    fn first_failure(&self) -> Result<(), RepositoryError> {
        let failed = self
            .failed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        failed.map_or(Ok(()), Err)
    }
}

impl Store for Bucket {
    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(self.place.to_string()).join(name)
    }

    fn list(&self, folder: &str) -> Result<Vec<Object>, RepositoryError> {
        let below = self.location(folder);
        let listing = self.objects.list(Some(&below)).map_ok(|object| {
            let parts = object.location.prefix_match(&below);
            let parts = parts.into_iter().flatten();
            let name = parts.fold(folder.to_owned(), |name, part| {
                format!("{name}/{}", part.as_ref())
            });
            let bytes = object.size;
            Object { name, bytes }
        });
        let listed: Result<Vec<Object>, _> = self.runtime.block_on(listing.try_collect());
        let mut all = listed.map_err(|e| self.failed(folder, e))?;
        all.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    fn get(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, RepositoryError> {
        let read = read(&self.objects, self.location(name), most);
        let read = self.runtime.block_on(read);
        read.map_err(|e| self.failed(name, e))
    }

    fn get_each(&self, names: &[String], most: u64, take: Take<'_>) {
        let reads = names.iter().map(|name| {
            let reading = read(&self.objects, self.location(name), most);
            async move { reading.await.map_err(|e| self.failed(name, e)) }
        });
        let mut reads = stream::iter(reads).buffered(AT_ONCE).enumerate();
        self.runtime.block_on(async {
            while let Some((n, read)) = reads.next().await {
                if !take(n, read) {
                    return;
                }
            }
        });
    }

    fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), RepositoryError> {
        self.first_failure()?;
        self.may_write()?;
        let writes = self.writes.clone();
        let turn = self.runtime.block_on(writes.acquire_owned());
        let (objects, at, path) = (self.objects.clone(), self.location(name), self.path(name));
        let noted = self.failed.clone();
        self.runtime.spawn(async move {
            let _turn = turn;
            if let Err(e) = objects.put(&at, bytes.into()).await {
                let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
                noted.get_or_insert_with(|| failed(path, e));
            }
        });
        Ok(())
    }

    fn sync(&self, _folder: &str) -> Result<(), RepositoryError> {
        // All turns at once are to be had when nobody writes.
        let all = u32::try_from(AT_ONCE).unwrap_or(u32::MAX);
        drop(self.runtime.block_on(self.writes.acquire_many(all)));
        self.first_failure()?;
        self.may_write()
    }

    fn removes_at_once(&self) -> usize {
        REMOVED_AT_ONCE
    }

    fn remove(&self, names: &[String]) -> Result<(), RepositoryError> {
        self.may_write()?;
        let all: Vec<_> = names.iter().map(|name| Ok(self.location(name))).collect();
        let removed = self.objects.delete_stream(stream::iter(all).boxed());
        let removed = removed.try_for_each(|_| async { Ok(()) });
        match self.runtime.block_on(removed) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(e) => Err(self.failed("", e)),
        }
    }

    fn temporary(&self) -> Option<&Path> {
        None
    }
}

async fn read(
    objects: &Arc<dyn ObjectStore>,
    at: Location,
    most: u64,
) -> object_store::Result<Option<Vec<u8>>> {
    let found = match objects.get(&at).await {
        Ok(found) if found.meta.size > most => {
            return Err(object_store::Error::Generic {
                store: "S3",
                source: format!("it has {} bytes, and at most {most}", found.meta.size).into(),
            });
        }
        Ok(found) => found,
        Err(object_store::Error::NotFound { .. }) => return Ok(None),
        Err(e) => return Err(e),
    };
    Ok(Some(found.bytes().await?.into()))
}

fn is_refusal(e: &object_store::Error) -> bool {
    use object_store::Error;
    matches!(
        e,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. }
    )
}

pub(super) fn failed(path: PathBuf, e: object_store::Error) -> RepositoryError {
    let source = io::Error::other(e);
    RepositoryError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;

    use super::*;

    fn place() -> Place {
        "s3://farm/harit".parse().unwrap()
    }

    fn block_on<F: Future>(future: F) -> F::Output {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(future)
    }

    fn names(objects: &InMemory) -> Vec<String> {
        let all = block_on(objects.list(None).try_collect::<Vec<_>>()).unwrap();
        let mut all: Vec<String> = all.iter().map(|o| o.location.to_string()).collect();
        all.sort();
        all
    }

    #[test]
    fn objects_are_stored_listed_read_and_removed_below_the_prefix_alone() {
        let objects = Arc::new(InMemory::new());
        let open = |access| Bucket::over(objects.clone(), &place(), access);
        assert!(matches!(
            open(Access::Read),
            Err(RepositoryError::NoRepository(path)) if path == Path::new("s3://farm/harit")
        ));
        let bucket = open(Access::Write).unwrap();
        bucket.put(MARK, b"{}".to_vec()).unwrap();
        // More than are under way at once.
        let all: Vec<String> = (0..50_u8)
            .map(|n| format!("chunks/{n:02}/{n:04}"))
            .collect();
        for (n, name) in all.iter().enumerate() {
            bucket.put(name, vec![1; n]).unwrap();
        }
        bucket.sync("chunks").unwrap();
        let listed = bucket.list("chunks").unwrap();
        assert_eq!(listed.len(), 50);
        assert_eq!(
            (listed[7].name.as_str(), listed[7].bytes),
            ("chunks/07/0007", 7)
        );
        assert_eq!(bucket.get(&all[3], 100).unwrap(), Some(vec![1; 3]));
        assert_eq!(bucket.get("chunks/none", 100).unwrap(), None);
        let said = bucket.get(&all[9], 8).unwrap_err().to_string();
        assert!(
            said.contains("s3://farm/harit/chunks/09/0009") && said.contains("9 bytes"),
            "{said}"
        );
        // In their order, until it is enough.
        let mut read = Vec::new();
        bucket.get_each(&all, 100, &mut |n, bytes| {
            read.push((n, bytes.unwrap().unwrap().len()));
            n < 40
        });
        assert_eq!(read, (0..=40).map(|n| (n, n)).collect::<Vec<_>>());
        bucket.remove(&all).unwrap();
        bucket.remove(&all[..1]).unwrap();
        assert_eq!(bucket.list("chunks").unwrap(), []);
        drop(bucket);
        assert_eq!(
            names(&objects),
            ["harit/REPOSITORY"],
            "the lease is given back"
        );
        drop(open(Access::Read).unwrap());
    }

    #[test]
    fn one_writes_and_what_is_no_repository_is_left_alone() {
        let objects = Arc::new(InMemory::new());
        let open = |access| Bucket::over(objects.clone(), &place(), access);
        let other = Location::from("harit/photo.jpg");
        block_on(objects.put(&other, "x".into())).unwrap();
        assert!(matches!(
            open(Access::Write),
            Err(RepositoryError::NotEmpty(_))
        ));
        assert_eq!(names(&objects), ["harit/photo.jpg"]);
        block_on(objects.delete(&other)).unwrap();
        let writer = open(Access::Write).unwrap();
        writer.put(MARK, b"{}".to_vec()).unwrap();
        writer.sync("").unwrap();
        for access in [Access::Read, Access::Write] {
            let said = open(access).unwrap_err().to_string();
            assert!(
                said.starts_with("s3://farm/harit is used by process "),
                "{said}"
            );
        }
        assert!(open(Access::Peek).is_ok());
        drop(writer);
        assert!(open(Access::Write).is_ok());
    }
}
