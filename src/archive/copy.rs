//! The archive's copy in a bucket. It has the archive's files under their names, and `_archived.json`, which is put after them.
//! `_server` says whose they are: another server has files of the same names.
//!
//! Files do not change once they are there, but one that a crash cut off is written anew and may be longer: a file counts as
//! copied where the bucket has one of its name and length.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::TryStreamExt as _;
use harit_bucket::Bucket;
use harit_ingest::past::Stop;
use object_store::{ObjectStore, ObjectStoreExt as _, WriteMultipart};
use tokio::runtime::Runtime;

use super::layout::{days, length, parts};
use super::{ArchiveError, FarmDay, POSITIONS, Part, SERVER, positions_file};

/// What is read and sent at once. S3 takes no less in a part, and 10,000 parts.
const PART_BYTES: usize = 8 << 20;
/// How many parts of a file are under way at once.
const PARTS_AT_ONCE: usize = 3;

/// A bucket that has, or gets, the archive's files.
pub(crate) struct BucketCopy {
    bucket: Bucket,
    objects: Arc<dyn ObjectStore>,
    runtime: Runtime,
}

impl BucketCopy {
    pub(crate) fn open(bucket: &Bucket) -> Result<Self, ArchiveError> {
        Self::over(bucket, bucket.connect()?)
    }

    pub(super) fn over(
        bucket: &Bucket,
        objects: Arc<dyn ObjectStore>,
    ) -> Result<Self, ArchiveError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ArchiveError::io(&PathBuf::from(bucket.to_string())))?;
        Ok(Self {
            bucket: bucket.clone(),
            objects,
            runtime,
        })
    }

    /// Takes the bucket's prefix for a server. Of two that come at once one is refused the next time.
    pub(crate) fn claim(&self, server: &str) -> Result<(), ArchiveError> {
        let at = self.bucket.location(SERVER);
        let claimed = async {
            match self.objects.get(&at).await {
                Ok(found) => {
                    let has = found.bytes().await? == server.as_bytes();
                    return Ok(has);
                }
                Err(object_store::Error::NotFound { .. }) => {}
                Err(e) => return Err(e),
            }
            let put = self.objects.put(&at, server.to_owned().into());
            put.await.map(|_| true)
        };
        match self.runtime.block_on(claimed) {
            Ok(true) => Ok(()),
            Ok(false) => Err(ArchiveError::Taken(self.bucket.to_string())),
            Err(e) => Err(self.failed(SERVER, e)),
        }
    }

    /// The days of which the bucket lacks a file, or has another one, with those files.
    pub(crate) fn missing(
        &self,
        archive: &Path,
    ) -> Result<BTreeMap<FarmDay, Vec<Part>>, ArchiveError> {
        let there: HashSet<(String, u64)> = self.list()?.collect();
        let mut missing = BTreeMap::<FarmDay, Vec<Part>>::new();
        for of in days(archive)? {
            for part in parts(archive, &of)? {
                let bytes = length(&part.path(archive))?;
                if !there.contains(&(part.name(), bytes)) {
                    missing.entry(of.clone()).or_default().push(part);
                }
            }
        }
        Ok(missing)
    }

    /// Copies a file. Where it is to stop meanwhile the bucket has none.
    pub(crate) fn put(&self, archive: &Path, part: &Part, stop: &Stop) -> Result<(), ArchiveError> {
        let path = part.path(archive);
        let file = File::open(&path).map_err(ArchiveError::io(&path))?;
        let bytes = length(&path)?;
        self.runtime
            .block_on(self.put_file(part, file, bytes, stop))
    }

    async fn put_file(
        &self,
        part: &Part,
        mut file: File,
        bytes: u64,
        stop: &Stop,
    ) -> Result<(), ArchiveError> {
        let name = part.name();
        let at = self.bucket.location(&name);
        let failed = |e: object_store::Error| self.failed(&name, e);
        let unread = |e: io::Error| ArchiveError::io(Path::new(&name))(e);
        let mut read = Vec::new();
        if bytes <= PART_BYTES as u64 {
            file.read_to_end(&mut read).map_err(unread)?;
            self.objects.put(&at, read.into()).await.map_err(failed)?;
            return Ok(());
        }
        let upload = self.objects.put_multipart(&at).await.map_err(failed)?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PART_BYTES);
        loop {
            upload
                .wait_for_capacity(PARTS_AT_ONCE)
                .await
                .map_err(failed)?;
            read.clear();
            let mut next = (&mut file).take(PART_BYTES as u64);
            let more = next.read_to_end(&mut read).map_err(unread);
            match stop.check().map_err(ArchiveError::from).and(more) {
                Ok(0) => break,
                Ok(_) => upload.write(&read),
                Err(e) => {
                    // What was sent is forgotten, or goes by the bucket's own rule for what was never finished.
                    let _gone = upload.abort().await;
                    return Err(e);
                }
            }
        }
        upload.finish().await.map_err(failed)?;
        Ok(())
    }

    /// Puts the positions of an archive that is copied. Where the archive is lost, what the journal has besides begins there.
    pub(crate) fn put_positions(&self, archive: &Path) -> Result<(), ArchiveError> {
        let path = positions_file(archive);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(ArchiveError::io(&path)(e)),
        };
        let at = self.bucket.location(POSITIONS);
        let put = self.objects.put(&at, bytes.into());
        let put = self.runtime.block_on(put);
        put.map(drop).map_err(|e| self.failed(POSITIONS, e))
    }

    /// All files that the bucket has.
    pub(super) fn parts(&self) -> Result<Vec<Part>, ArchiveError> {
        Ok(self
            .list()?
            .filter_map(|(name, _)| Part::parse(&name))
            .collect())
    }

    /// Fetches a file into a directory that is laid out as an archive; nothing where the bucket has none of the name.
    pub(super) fn fetch(&self, name: &str, into: &Path) -> Result<(), ArchiveError> {
        let to = into.join(name);
        let folder = to.parent().unwrap_or(into);
        fs::create_dir_all(folder).map_err(ArchiveError::io(folder))?;
        let fetched = async {
            let found = match self.objects.get(&self.bucket.location(name)).await {
                Ok(found) => found,
                Err(object_store::Error::NotFound { .. }) => return Ok(()),
                Err(e) => return Err(self.failed(name, e)),
            };
            let mut file = File::create(&to).map_err(ArchiveError::io(&to))?;
            let mut bytes = found.into_stream();
            while let Some(more) = bytes.try_next().await.map_err(|e| self.failed(name, e))? {
                file.write_all(&more).map_err(ArchiveError::io(&to))?;
            }
            Ok(())
        };
        self.runtime.block_on(fetched)
    }

    /// What the bucket has: names below the archive, and lengths in bytes.
    fn list(&self) -> Result<impl Iterator<Item = (String, u64)>, ArchiveError> {
        let whole = self.bucket.location("");
        let listing = self.objects.list(Some(&whole)).try_collect::<Vec<_>>();
        let listed = self.runtime.block_on(listing);
        let listed = listed.map_err(|e| self.failed("", e))?;
        Ok(listed.into_iter().map(move |object| {
            let parts = object.location.prefix_match(&whole).into_iter().flatten();
            let parts: Vec<_> = parts.map(|part| part.as_ref().to_owned()).collect();
            (parts.join("/"), object.size)
        }))
    }

    fn failed(&self, name: &str, e: object_store::Error) -> ArchiveError {
        let path = PathBuf::from(self.bucket.to_string()).join(name);
        ArchiveError::io(&path)(io::Error::other(e))
    }
}
