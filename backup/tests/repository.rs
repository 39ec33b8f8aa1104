//! The repository from outside: what it costs, what it survives, and that no flipped bit stays unseen.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use harit_backup::{CHUNK_BYTES, Damage, Keep, Key, Manifest, Repository, RepositoryError};
use harit_bucket::Place;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use tempfile::TempDir;

const DAY_MS: i64 = 86_400_000;

struct World {
    dir: TempDir,
    key: Option<Key>,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("data")).unwrap();
        Self { dir, key: None }
    }

    fn encrypted() -> Self {
        let mut w = Self::new();
        w.key = Some(Key::make(&w.dir.path().join("key")).unwrap());
        w
    }

    fn place(&self) -> Place {
        Place::Directory(self.repository())
    }

    fn writing(&self) -> Result<Repository, RepositoryError> {
        Repository::for_writing(&self.place(), self.key.as_ref())
    }

    fn reading(&self) -> Result<Repository, RepositoryError> {
        Repository::open(&self.place(), self.key.as_ref())
    }

    fn data(&self, name: &str) -> PathBuf {
        self.dir.path().join("data").join(name)
    }

    fn repository(&self) -> PathBuf {
        self.dir.path().join("backups")
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.data(name), bytes).unwrap();
    }

    fn back_up(&self, files: &[&str], at_ms: i64) -> Manifest {
        let repository = self.writing().unwrap();
        let mut new = repository.begin("test", at_ms).unwrap();
        for name in files {
            new.file(name, &self.data(name), &|| true).unwrap();
        }
        new.finish(1).unwrap()
    }

    fn restored(&self, number: u64) -> Result<Vec<(String, Vec<u8>)>, Vec<Damage>> {
        let repository = self.reading().unwrap();
        let to = tempfile::tempdir_in(self.dir.path()).unwrap();
        let mut damage = Vec::new();
        let mut files = Vec::new();
        for file in &repository.manifest(number).unwrap().files {
            damage.extend(repository.extract(file, to.path()).unwrap());
            let path = to.path().join(&file.path);
            files.extend(fs::read(&path).ok().map(|bytes| (file.path.clone(), bytes)));
        }
        if damage.is_empty() {
            Ok(files)
        } else {
            Err(damage)
        }
    }

    fn check(&self) -> harit_backup::Checked {
        let repository = self.reading().unwrap();
        repository.check(&|| true).unwrap()
    }

    /// All files of the repository.
    fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.repository()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push(path);
                }
            }
        }
        files.sort();
        files
    }
}

/// Bytes that do not compress and do not repeat.
fn noise(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    (0..len).map(|_| next()).collect()
}

#[test]
fn what_did_not_change_is_not_stored_again() {
    let w = World::new();
    let mut big = noise(10 * CHUNK_BYTES + 17, 1);
    w.write("a", &big);
    w.write("empty", b"");
    let first = w.back_up(&["a", "empty"], 0);
    assert_eq!((first.number, first.stored.chunks), (1, 11));
    assert_eq!(w.back_up(&["a", "empty"], 1).stored.chunks, 0);
    big[3 * CHUNK_BYTES] ^= 1;
    big.extend([0; 100]);
    w.write("a", &big);
    w.write("b", &big);
    let third = w.back_up(&["a", "b", "empty"], 2);
    assert_eq!(
        third.stored.chunks, 2,
        "the changed one and the last one, of both files"
    );
    let expected = vec![
        ("a".to_owned(), big.clone()),
        ("b".to_owned(), big),
        ("empty".to_owned(), Vec::new()),
    ];
    assert_eq!(w.restored(3).unwrap(), expected);
    assert_eq!(w.restored(1).unwrap()[0].1.len(), 10 * CHUNK_BYTES + 17);
    let checked = w.check();
    assert_eq!(
        (checked.snapshots, checked.chunks, checked.unneeded),
        (3, 13, 0)
    );
    assert_eq!(checked.damage, []);
}

#[test]
fn what_never_changes_is_not_read_again() {
    let w = World::new();
    w.write("day.parquet", &noise(100, 1));
    let back_up = || {
        let repository = w.writing().unwrap();
        let mut new = repository.begin("test", 0).unwrap();
        let read = Cell::new(0);
        let pace = || {
            read.set(read.get() + 1);
            true
        };
        new.unchanging("day.parquet", &w.data("day.parquet"), &pace)
            .unwrap();
        new.finish(1).unwrap();
        read.get()
    };
    assert_eq!((back_up(), back_up()), (1, 0));
    // Where its chunk is gone it is read, and is there again.
    let chunk = w
        .files()
        .into_iter()
        .find(|p| p.to_string_lossy().contains("chunks/"))
        .unwrap();
    fs::remove_file(chunk).unwrap();
    assert!(!w.check().damage.is_empty());
    assert_eq!(back_up(), 1);
    assert_eq!(w.check().damage, []);
    // One that was made anew is another one.
    w.write("day.parquet", &noise(101, 2));
    assert_eq!(back_up(), 1);
    assert_eq!(w.restored(4).unwrap()[0].1, noise(101, 2));
}

#[test]
fn an_interrupted_backup_is_none_and_the_next_one_goes_on() {
    let w = World::new();
    w.write("a", &noise(8 * CHUNK_BYTES, 1));
    w.back_up(&["a"], 0);
    w.write("a", &noise(8 * CHUNK_BYTES, 2));
    for after in 0..8_usize {
        let repository = w.writing().unwrap();
        let mut new = repository.begin("test", 1).unwrap();
        let left = Cell::new(after);
        let pace = || {
            let more = left.get() > 0;
            left.set(left.get().saturating_sub(1));
            more
        };
        let stopped = new.file("a", &w.data("a"), &pace);
        assert!(
            matches!(stopped, Err(RepositoryError::Stopped)) == (after < 8),
            "{stopped:?}"
        );
        drop(new);
        // The process may have died in the middle of a file.
        fs::write(w.repository().join("tmp/object"), b"half").unwrap();
        drop(repository);
        let checked = w.check();
        assert_eq!(
            (checked.snapshots, checked.chunks, checked.damage),
            (1, 8, vec![])
        );
        assert_eq!(checked.unneeded, after + 1);
        assert_eq!(w.restored(1).unwrap()[0].1, noise(8 * CHUNK_BYTES, 1));
    }
    let done = w.back_up(&["a"], 2);
    assert_eq!(
        (done.number, done.stored.chunks),
        (2, 0),
        "all of it was there"
    );
    assert_eq!(w.restored(2).unwrap()[0].1, noise(8 * CHUNK_BYTES, 2));
}

#[test]
fn one_writes_and_nothing_is_removed_while_somebody_reads() {
    let w = World::new();
    w.write("a", b"x");
    w.back_up(&["a"], 0);
    let locked =
        |r: Result<Repository, RepositoryError>| matches!(r, Err(RepositoryError::Locked(_)));
    let reader = w.reading().unwrap();
    assert!(w.reading().is_ok(), "many may read");
    assert!(locked(w.writing()));
    drop(reader);
    let writer = w.writing().unwrap();
    assert!(locked(w.reading()));
    assert!(locked(w.writing()));
    drop(writer);
    assert!(w.reading().is_ok());
}

#[test]
fn what_is_no_repository_is_left_alone() {
    let w = World::new();
    w.write("a", b"x");
    let data = Place::Directory(w.dir.path().join("data"));
    assert!(matches!(
        Repository::open(&data, None),
        Err(RepositoryError::NoRepository(_))
    ));
    assert!(matches!(
        Repository::for_writing(&data, None),
        Err(RepositoryError::NotEmpty(_))
    ));
    assert_eq!(fs::read_dir(w.dir.path().join("data")).unwrap().count(), 1);
    w.back_up(&["a"], 0);
    // A later program's.
    let manifest = w.repository().join("snapshots/000001.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(
        &manifest,
        text.replacen("\"format\":1", "\"format\":2,\"more\":1", 1),
    )
    .unwrap();
    let repository = w.reading().unwrap();
    let refused = repository.manifest(1).unwrap_err().to_string();
    assert!(
        refused.contains("format 2") && refused.contains("newer harit"),
        "{refused}"
    );
    drop(repository);
    fs::write(w.repository().join("REPOSITORY"), "{\"format\":7}").unwrap();
    let refused = w.reading().unwrap_err().to_string();
    assert!(refused.contains("format 7"), "{refused}");
}

#[test]
fn only_its_owner_reads_it() {
    let w = World::new();
    w.write("a", &noise(CHUNK_BYTES, 1));
    fs::set_permissions(w.data("a"), fs::Permissions::from_mode(0o644)).unwrap();
    w.back_up(&["a"], 0);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for file in w.files() {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
        assert_eq!(mode(file.parent().unwrap()), 0o700);
    }
    let repository = w.reading().unwrap();
    let to = w.dir.path().join("to");
    let manifest = repository.manifest(1).unwrap();
    repository.extract(&manifest.files[0], &to).unwrap();
    assert_eq!((mode(&to), mode(&to.join("a"))), (0o700, 0o600));
    assert!(
        repository.extract(&manifest.files[0], &to).is_err(),
        "not over another one"
    );
}

#[test]
fn what_is_damaged_is_named_with_all_who_need_it() {
    let w = World::new();
    w.write("a", &noise(2 * CHUNK_BYTES, 1));
    w.write("b", &noise(CHUNK_BYTES, 1));
    w.back_up(&["a"], 0);
    let second = w.back_up(&["a", "b"], 1);
    w.write("a", b"other");
    w.back_up(&["a"], 2);
    let shared = second.files[1].chunks[0].to_string();
    let path = w
        .repository()
        .join("chunks")
        .join(&shared[..2])
        .join(&shared);
    fs::write(&path, b"x").unwrap();
    let found = w.check().damage;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].path, path);
    let said = found[0].to_string();
    assert!(
        said.ends_with("; needed by a of snapshots 1, 2, b of snapshot 2"),
        "{said}"
    );
    assert_eq!(w.restored(2).unwrap_err().len(), 2, "of each file");
    assert!(w.restored(3).is_ok());
    // What is taken away is stored anew while the data has it.
    fs::remove_file(&path).unwrap();
    let again = w.back_up(&["b"], 3);
    assert_eq!(again.stored.chunks, 1);
    assert_eq!(w.check().damage, []);
}

#[test]
fn forgetting_removes_what_nobody_needs_and_nothing_else() {
    let w = World::new();
    let shared = noise(CHUNK_BYTES, 9);
    for day in 0..6_u64 {
        let own = noise(CHUNK_BYTES, 101 + 2 * day);
        w.write("a", &[shared.clone(), own].concat());
        w.back_up(&["a"], i64::try_from(day).unwrap() * DAY_MS);
    }
    let keep = Keep {
        last: 2,
        ..Keep::default()
    };
    let repository = w.writing().unwrap();
    assert!(matches!(
        repository.forget(Keep::default(), &TimeZone::UTC, &|| true),
        Err(RepositoryError::KeepNothing)
    ));
    // Interrupted when the first chunk was gone.
    let stopped = repository.forget(keep, &TimeZone::UTC, &|| false);
    assert!(matches!(stopped, Err(RepositoryError::Stopped)));
    assert_eq!(repository.numbers().unwrap(), [5, 6]);
    let rest = repository.forget(keep, &TimeZone::UTC, &|| true).unwrap();
    assert_eq!((rest.snapshots, rest.chunks), (vec![], 3));
    drop(repository);
    let checked = w.check();
    assert_eq!(
        (checked.snapshots, checked.chunks, checked.unneeded),
        (2, 3, 0)
    );
    assert_eq!(checked.damage, []);
    assert!(w.restored(5).is_ok() && w.restored(6).is_ok());
    assert_eq!(w.back_up(&["a"], 7 * DAY_MS).number, 7);
    // Where nobody can say what a snapshot needs, nothing is removed.
    fs::write(w.repository().join("snapshots/000006.json"), b"{}").unwrap();
    let before = w.files();
    let repository = w.writing().unwrap();
    let refused = repository.forget(
        Keep {
            last: 1,
            ..Keep::default()
        },
        &TimeZone::UTC,
        &|| true,
    );
    assert!(
        matches!(refused, Err(RepositoryError::Manifest { number: 6, .. })),
        "{refused:?}"
    );
    assert_eq!(w.files(), before);
}

#[test]
fn what_is_encrypted_can_be_read_with_its_key_alone() {
    let contents = noise(CHUNK_BYTES + 100, 9);
    let is_seen = |w: &World| {
        let seen = |path: &PathBuf| {
            let bytes = fs::read(path).unwrap();
            bytes.windows(32).any(|some| some == &contents[..32])
        };
        w.files().iter().any(seen)
    };
    let plain = World::new();
    plain.write("a", &contents);
    plain.back_up(&["a"], 0);
    assert!(is_seen(&plain), "it does not compress");

    let mut w = World::encrypted();
    w.write("a", &contents);
    w.back_up(&["a"], 0);
    assert!(!is_seen(&w));
    assert_eq!(w.restored(1).unwrap(), [("a".to_owned(), contents.clone())]);
    assert_eq!(w.back_up(&["a"], 1).stored.chunks, 0);
    assert_eq!(w.check().damage, []);

    // One object in another's place.
    let chunks: Vec<PathBuf> = w
        .files()
        .into_iter()
        .filter(|p| p.to_string_lossy().contains("chunks/"))
        .collect();
    let (first, second) = (fs::read(&chunks[0]).unwrap(), fs::read(&chunks[1]).unwrap());
    fs::write(&chunks[0], &second).unwrap();
    let damage = w.check().damage;
    assert_eq!(damage.len(), 1);
    assert_eq!(
        (&damage[0].path, damage[0].why.as_str()),
        (&chunks[0], "it is not as it was sealed")
    );
    fs::write(&chunks[0], first).unwrap();

    let refused = |w: &World| [w.reading(), w.writing()].map(|r| r.unwrap_err().to_string());
    let own = w.key.take();
    for said in refused(&w) {
        assert!(
            said.contains("is encrypted with the key") && said.ends_with("none was given"),
            "{said}"
        );
    }
    w.key = Some(Key::make(&w.dir.path().join("other")).unwrap());
    for said in refused(&w) {
        assert!(
            said.ends_with("the one that was given is another"),
            "{said}"
        );
    }
    w.key = own;
    assert!(w.restored(2).is_ok());
    let mut plain = plain;
    plain.key = w.key.clone();
    for said in refused(&plain) {
        assert!(said.contains("was made without encryption"), "{said}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// A flipped bit anywhere is found, and no file is restored that is not as it was.
    #[test]
    fn a_flipped_bit_is_found(which in any::<prop::sample::Index>(), bit in any::<prop::sample::Index>(), sealed: bool) {
        let w = if sealed { World::encrypted() } else { World::new() };
        let files = ["a", "b"];
        w.write("a", &noise(CHUNK_BYTES + 5, 3));
        w.write("b", &[7; 3_000]);
        w.back_up(&files, 0);
        let whole = w.restored(1).unwrap();
        let stored: Vec<PathBuf> = w.files().into_iter().filter(|p| !p.ends_with("LOCK") && !p.ends_with("REPOSITORY")).collect();
        let path = which.get(&stored);
        let mut bytes = fs::read(path).unwrap();
        let bit = bit.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(path, &bytes).unwrap();
        let checked = w.check();
        let is_manifest = path.extension().is_some();
        // White space after the document, and bits of the packing that mean nothing, change nothing.
        let repository = w.reading().unwrap();
        match repository.manifest(1) {
            Err(_) => {
                prop_assert!(is_manifest);
                let all: BTreeSet<&PathBuf> = checked.damage.iter().map(|d| &d.path).collect();
                prop_assert!(all.contains(path));
            }
            Ok(_) => match w.restored(1) {
                Ok(files) => {
                    prop_assert_eq!(files, whole);
                    prop_assert_eq!(checked.damage, vec![]);
                }
                Err(damage) => {
                    prop_assert!(damage.iter().all(|d| &d.path == path));
                    prop_assert_eq!(&checked.damage[0].path, path);
                }
            }
        }
    }
}
