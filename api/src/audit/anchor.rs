//! The ends of the chains, in a file beside the database: `seq hash farm`, a line an entry; an end that
//! the log went back behind has a minus sign when the file is written anew. It is written after the entry
//! is durable, so it is never ahead of an honest database.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file is written anew, with the ends alone, when it is longer.
const MAX_BYTES: u64 = 1 << 20;
/// Ends that the log went back behind are kept as evidence, so many.
const MAX_LOST: usize = 1_000;

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
    file: File,
    bytes: u64,
    ends: Ends,
}

/// What the file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) heads: BTreeMap<String, Head>,
    /// Ends that a later line of the same chain went back behind: entries were taken off.
    pub(super) lost: Vec<(String, Head)>,
}

impl Ends {
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let mut ends = Self::default();
        // a line that a crash cut short ends without a line break: it says nothing
        let text = std::fs::read_to_string(path)?;
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
        Ok(ends)
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
}

fn line(farm: &str, head: &Head) -> String {
    format!("{} {} {farm}\n", head.seq, head.hash)
}

impl Anchor {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let ends = match Ends::read(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ends::default(),
            result => result?,
        };
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let mut anchor = Self {
            path: path.to_owned(),
            file,
            bytes: u64::MAX,
            ends,
        };
        anchor.write_anew()?;
        Ok(anchor)
    }

    /// Writes down that a chain goes on to there.
    pub(crate) fn put(&mut self, farm: &str, head: Head) -> io::Result<()> {
        let line = line(farm, &head);
        self.ends.put(farm, head);
        if self.bytes > MAX_BYTES {
            return self.write_anew();
        }
        self.bytes += line.len() as u64;
        self.file.write_all(line.as_bytes())
    }

    fn write_anew(&mut self) -> io::Result<()> {
        let lost = self.ends.lost.iter().map(|(farm, head)| {
            let hash = head.hash.clone();
            line(
                farm,
                &Head {
                    seq: -head.seq,
                    hash,
                },
            )
        });
        let heads = self.ends.heads.iter().map(|(farm, head)| line(farm, head));
        let text: String = lost.chain(heads).collect();
        let unfinished = self.path.with_extension("new");
        let mut file = File::create(&unfinished)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&unfinished, &self.path)?;
        self.file = OpenOptions::new().append(true).open(&self.path)?;
        self.bytes = text.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(seq: i64, hash: &str) -> Head {
        let hash = hash.to_owned();
        Head { seq, hash }
    }

    #[test]
    fn the_last_end_of_each_chain_counts_and_half_a_line_does_not() {
        let dir = tempfile::TempDir::new().expect("a directory");
        let path = dir.path().join("heads");
        let mut anchor = Anchor::open(&path).expect("opened");
        anchor.put("a", head(1, "x")).expect("written");
        anchor.put("", head(1, "y")).expect("written");
        anchor.put("a", head(2, "z")).expect("written");
        drop(anchor);
        let mut file = OpenOptions::new().append(true).open(&path).expect("there");
        file.write_all(b"3 w a").expect("written");
        let ends = Ends::read(&path).expect("read");
        assert_eq!(ends.heads["a"], head(2, "z"));
        assert_eq!(ends.heads[""], head(1, "y"));
        assert!(ends.lost.is_empty());
    }

    #[test]
    fn a_chain_that_goes_back_is_remembered_over_restarts() {
        let dir = tempfile::TempDir::new().expect("a directory");
        let path = dir.path().join("heads");
        let mut anchor = Anchor::open(&path).expect("opened");
        anchor.put("a", head(9, "x")).expect("written");
        anchor.put("a", head(8, "y")).expect("written");
        anchor.put("a", head(9, "z")).expect("written");
        anchor.put("a", head(10, "z")).expect("written");
        drop(anchor);
        drop(Anchor::open(&path).expect("opened"));
        let ends = Ends::read(&path).expect("read");
        assert_eq!(ends.heads["a"], head(10, "z"));
        assert_eq!(ends.lost, [("a".to_owned(), head(9, "x"))]);
    }
}
