//! The ends of the chains, in a file beside the database: `seq hash farm`, a line a chain, and a last line with a MAC over them
//! under the log's key. Whoever takes entries off the end can set this file back only to a copy of it that they kept: it is
//! written anew with each entry, so it holds no older ends. An end that the log went back behind has a minus sign. It is
//! written after the entry is durable, so it is never ahead of an honest database.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use subtle::ConstantTimeEq;

use crate::secret::{Key, hex};

/// Ends that the log went back behind are kept as evidence, so many.
const MAX_LOST: usize = 1_000;
/// What the last line begins with.
const MAC: &str = "mac ";

/// The end of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub seq: i64,
    pub hash: String,
}

/// The ends of all chains.
#[derive(Debug)]
pub(crate) struct Anchor {
    path: PathBuf,
    key: Key,
    ends: Ends,
}

/// Whether the file is the one that the server wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Sealed {
    #[default]
    Yes,
    /// It has no MAC, as versions before 2 wrote it.
    No,
    /// It was changed.
    Wrong,
}

/// What the file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) heads: BTreeMap<String, Head>,
    /// Ends that a later line of the same chain went back behind: entries were taken off.
    pub(super) lost: Vec<(String, Head)>,
    pub(super) sealed: Sealed,
}

impl Ends {
    pub(super) fn read(path: &Path, key: &Key) -> io::Result<Self> {
        let text = fs::read_to_string(path)?;
        let (lines, mac) = match text.rfind(MAC) {
            Some(at) if at == 0 || text[..at].ends_with('\n') => text.split_at(at),
            _ => (text.as_str(), ""),
        };
        let mut ends = Self::parse(lines);
        let said = mac.trim_start_matches(MAC).trim_end();
        ends.sealed = if mac.is_empty() {
            Sealed::No
        } else if bool::from(said.as_bytes().ct_eq(seal(key, lines).as_bytes())) {
            Sealed::Yes
        } else {
            Sealed::Wrong
        };
        Ok(ends)
    }

    fn parse(text: &str) -> Self {
        let mut ends = Self::default();
        // a line that a crash cut short ends without a line break: it says nothing
        for line in text
            .split_inclusive('\n')
            .filter_map(|l| l.strip_suffix('\n'))
        {
            let mut parts = line.splitn(3, ' ');
            if let (Some(seq), Some(hash), Some(farm)) = (parts.next(), parts.next(), parts.next())
                && let Ok(seq) = seq.parse::<i64>()
            {
                let hash = hash.to_owned();
                match seq.checked_neg() {
                    Some(seq) if seq > 0 => ends.lost.push((farm.to_owned(), Head { seq, hash })),
                    _ => ends.put(farm, Head { seq, hash }),
                }
            }
        }
        ends
    }

    fn put(&mut self, farm: &str, head: Head) {
        let before = self.heads.insert(farm.to_owned(), head.clone());
        if let Some(before) = before
            && before.seq >= head.seq
            && before != head
            && self.lost.len() < MAX_LOST
        {
            self.lost.push((farm.to_owned(), before));
        }
    }

    fn lines(&self) -> String {
        let lost = self.lost.iter().map(|(farm, head)| (-head.seq, head, farm));
        let heads = self.heads.iter().map(|(farm, head)| (head.seq, head, farm));
        lost.chain(heads)
            .map(|(seq, head, farm)| format!("{seq} {} {farm}\n", head.hash))
            .collect()
    }
}

fn seal(key: &Key, lines: &str) -> String {
    hex(&key.hmac(&[b"the ends of the chains|", lines.as_bytes()]))
}

fn refused(path: &Path, what: &str) -> io::Error {
    let what = format!(
        "{} {what}: put it back from the backup of these records, or, to take the log as it is now, run \
         `harit verify-log --seal-anew`",
        path.display()
    );
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl Anchor {
    /// Opens the file. Nothing is written, because a server must be able to start on a disk that is full. `is_new` says that
    /// the log has no entry yet.
    pub(crate) fn open(path: &Path, key: &Key, is_new: bool) -> io::Result<Self> {
        let ends = match Ends::read(path, key) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                if !is_new {
                    return Err(refused(path, "is missing beside an audit log"));
                }
                Ends::default()
            }
            result => result?,
        };
        match ends.sealed {
            Sealed::Yes => {}
            Sealed::No => {
                tracing::warn!(path = %path.display(), "the ends of the audit log are not sealed yet: the next entry seals them");
            }
            Sealed::Wrong => return Err(refused(path, "is not as this server wrote it")),
        }
        Ok(Self {
            path: path.to_owned(),
            key: key.clone(),
            ends,
        })
    }

    /// How far each chain went, as far as the file says.
    pub(crate) fn ends(path: &Path) -> io::Result<Vec<(String, i64)>> {
        match fs::read_to_string(path) {
            Ok(text) => {
                let heads = Ends::parse(&text).heads;
                Ok(heads.into_iter().map(|(f, h)| (f, h.seq)).collect())
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(e) => Err(e),
        }
    }

    /// Writes down that a chain goes on to there.
    pub(crate) fn put(&mut self, farm: &str, head: Head) -> io::Result<()> {
        self.ends.put(farm, head);
        write(&self.path, &self.key, &self.ends)
    }
}

/// Writes the file anew, sealed: under another name first, because a crash must not leave half of it.
fn write(path: &Path, key: &Key, ends: &Ends) -> io::Result<()> {
    let lines = ends.lines();
    let unfinished = path.with_extension("new");
    let mut file = File::create(&unfinished)?;
    file.write_all(lines.as_bytes())?;
    file.write_all(format!("{MAC}{}\n", seal(key, &lines)).as_bytes())?;
    file.sync_data()?;
    fs::rename(&unfinished, path)
}

/// Takes these ends for the log's, whatever was anchored before.
pub(super) fn seal_anew(path: &Path, key: &Key, heads: BTreeMap<String, Head>) -> io::Result<()> {
    let ends = Ends {
        heads,
        ..Ends::default()
    };
    write(path, key, &ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(seq: i64, hash: &str) -> Head {
        let hash = hash.to_owned();
        Head { seq, hash }
    }

    fn in_dir() -> (tempfile::TempDir, PathBuf, Key) {
        let dir = tempfile::TempDir::new().expect("a directory");
        let path = dir.path().join("heads");
        let key = Key::open(&dir.path().join("a.key"), true).expect("a key");
        (dir, path, key)
    }

    #[test]
    fn the_last_end_of_each_chain_is_sealed_and_older_ones_are_gone() {
        let (_dir, path, key) = in_dir();
        let mut anchor = Anchor::open(&path, &key, true).expect("opened");
        anchor.put("a", head(1, "x")).expect("written");
        let before = fs::read_to_string(&path).expect("there");
        anchor.put("", head(1, "y")).expect("written");
        anchor.put("a", head(2, "z")).expect("written");
        anchor.put("b", head(1, "v")).expect("written");
        let ends = Ends::read(&path, &key).expect("read");
        assert_eq!(ends.sealed, Sealed::Yes);
        assert_eq!(ends.heads["a"], head(2, "z"));
        assert_eq!(ends.heads["b"], head(1, "v"));
        assert_eq!(ends.heads[""], head(1, "y"));
        assert!(ends.lost.is_empty());
        let text = fs::read_to_string(&path).expect("there");
        assert!(!text.contains("1 x a"), "{text}");
        // any other text is not the server's, its own older MAC among it
        for forged in [
            text.replace("2 z a", "1 x a"),
            text.replace("1 y \n", ""),
            format!("1 x a\n{}", &before[before.find(MAC).expect("a MAC")..]).replace("1 x", "1 w"),
            format!("{MAC}\n"),
        ] {
            fs::write(&path, &forged).expect("written");
            let refused = Anchor::open(&path, &key, false).expect_err("refused");
            assert!(
                refused.to_string().contains("not as this server wrote it"),
                "{forged}"
            );
        }
        fs::remove_file(&path).expect("removed");
        let refused = Anchor::open(&path, &key, false).expect_err("refused");
        assert!(refused.to_string().contains("is missing"), "{refused}");
    }

    #[test]
    fn a_file_of_an_older_version_is_read_and_sealed_by_the_next_entry() {
        let (_dir, path, key) = in_dir();
        fs::write(&path, "1 x a\n1 y \n2 z a\n3 w a").expect("written");
        let mut anchor = Anchor::open(&path, &key, false).expect("opened");
        assert_eq!(
            Anchor::ends(&path).expect("read"),
            [(String::new(), 1), ("a".to_owned(), 2)]
        );
        anchor.put("a", head(3, "v")).expect("written");
        let ends = Ends::read(&path, &key).expect("read");
        assert_eq!(
            (ends.sealed, &ends.heads["a"]),
            (Sealed::Yes, &head(3, "v"))
        );
    }

    #[test]
    fn a_chain_that_goes_back_is_remembered_over_restarts() {
        let (_dir, path, key) = in_dir();
        let mut anchor = Anchor::open(&path, &key, true).expect("opened");
        anchor.put("a", head(9, "x")).expect("written");
        anchor.put("a", head(8, "y")).expect("written");
        anchor.put("a", head(9, "z")).expect("written");
        anchor.put("a", head(10, "z")).expect("written");
        drop(anchor);
        drop(Anchor::open(&path, &key, false).expect("opened"));
        let ends = Ends::read(&path, &key).expect("read");
        assert_eq!(ends.heads["a"], head(10, "z"));
        assert_eq!(ends.lost, [("a".to_owned(), head(9, "x"))]);
    }
}
