//! A disk that forgets in a power cut what was not synced.
//!
//! | what | after a power cut |
//! |---|---|
//! | what a file had when it was synced | is there, with its name |
//! | names: of files and directories that were made, renamed, removed | as they were at some instant since the last sync of anything: a file system with a journal keeps their order |
//! | what was appended since | some of its beginning |
//! | a page that was overwritten since | the old one, the new one, or the beginning of the new one before the rest of the old one |
//! | a file that was cut off since | as it was, or cut off, with some of the beginning of what was written then |
//!
//! It is kept in memory.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::super::faults::Dice;

/// What a file or a directory is known by; of the root it is 1.
pub(super) type Number = u64;
pub(super) const ROOT: Number = 1;

/// A directory and a name in it.
pub(super) type Place = (Number, OsString);

const PAGE: usize = 4_096;
const SECTOR: usize = 512;

/// A change of names.
#[derive(Debug, Clone)]
enum Change {
    Put(Place, Number),
    Remove(Place),
    Rename(Place, Place),
}

/// Which names there are.
#[derive(Debug, Clone, Default)]
struct Names(BTreeMap<Place, Number>);

impl Names {
    fn apply(&mut self, change: Change) {
        match change {
            Change::Put(place, number) => {
                self.0.insert(place, number);
            }
            Change::Remove(place) => {
                self.0.remove(&place);
            }
            Change::Rename(from, to) => {
                if let Some(number) = self.0.remove(&from) {
                    self.0.insert(to, number);
                }
            }
        }
    }
}

/// A file, and what it needs to be as it was when it was synced.
#[derive(Debug, Default)]
struct File {
    now: Vec<u8>,
    /// How long it was then, as far as it was not cut off since.
    synced: usize,
    /// The pages that were overwritten since, as they were.
    before: BTreeMap<usize, Vec<u8>>,
    /// All that it had then, where it was cut off since.
    whole: Option<Vec<u8>>,
}

impl File {
    fn write(&mut self, offset: usize, data: &[u8]) {
        let end = offset + data.len();
        if !data.is_empty() {
            for page in offset / PAGE..=(end - 1) / PAGE {
                let (first, last) = (page * PAGE, ((page + 1) * PAGE).min(self.synced));
                if first < last {
                    let old = || self.now[first..last].to_vec();
                    self.before.entry(page).or_insert_with(old);
                }
            }
        }
        if self.now.len() < end {
            self.now.resize(end, 0);
        }
        self.now[offset..end].copy_from_slice(data);
    }

    fn set_length(&mut self, length: usize) {
        if length < self.synced {
            if self.whole.is_none() {
                let mut old = self.now[..self.synced].to_vec();
                for (page, was) in &self.before {
                    old[page * PAGE..][..was.len()].copy_from_slice(was);
                }
                self.whole = Some(old);
            }
            self.before.clear();
            self.synced = 0;
        }
        self.now.resize(length, 0);
    }

    fn sync(&mut self) {
        self.synced = self.now.len();
        self.before.clear();
        self.whole = None;
    }

    fn cut(&mut self, dice: &mut Dice) {
        let appended = self.now.len().saturating_sub(self.synced);
        match self.whole.take() {
            Some(old) if dice.below(2) == 0 => {
                self.now = old;
                return self.sync();
            }
            _ => {
                let kept = match dice.below(3) {
                    0 => 0,
                    1 => appended,
                    _ => index(dice, appended + 1),
                };
                self.now.truncate(self.now.len() - appended + kept);
            }
        }
        for (page, old) in std::mem::take(&mut self.before) {
            let from = match dice.below(3) {
                0 => continue,
                1 => 0,
                _ => SECTOR * (1 + index(dice, PAGE / SECTOR - 1)),
            };
            if from < old.len() {
                self.now[page * PAGE..][from..old.len()].copy_from_slice(&old[from..]);
            }
        }
        self.sync();
    }
}

fn index(dice: &mut Dice, below: usize) -> usize {
    usize::try_from(dice.below(below as u64)).unwrap()
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Disk {
    /// None of a directory.
    nodes: BTreeMap<Number, Option<File>>,
    names: Names,
    synced_names: Names,
    /// What happened to names since.
    since: Vec<Change>,
    last: Number,
}

impl Disk {
    /// An empty one.
    pub(super) fn new() -> Self {
        Self {
            nodes: BTreeMap::from([(ROOT, None)]),
            last: ROOT,
            ..Self::default()
        }
    }

    fn change(&mut self, change: Change) {
        self.names.apply(change.clone());
        self.since.push(change);
    }

    pub(super) fn named(&self, place: &Place) -> Option<Number> {
        self.names.0.get(place).copied()
    }

    /// The length of a file, 0 of a directory, and whether it is one.
    pub(super) fn about(&self, number: Number) -> Option<(usize, bool)> {
        let node = self.nodes.get(&number)?;
        Some(
            node.as_ref()
                .map_or((0, true), |file| (file.now.len(), false)),
        )
    }

    /// What is in a directory.
    pub(super) fn within(&self, directory: Number) -> Vec<(OsString, Number)> {
        let from = self.names.0.range((directory, OsString::new())..);
        let own = from.take_while(|((parent, _), _)| *parent == directory);
        own.map(|((_, name), number)| (name.clone(), *number))
            .collect()
    }

    /// Makes a file or a directory.
    pub(super) fn make(&mut self, place: Place, is_directory: bool) -> Number {
        self.last += 1;
        let file = (!is_directory).then(File::default);
        self.nodes.insert(self.last, file);
        self.change(Change::Put(place, self.last));
        self.last
    }

    /// Takes a name away. Who has the file open reads and writes it still.
    pub(super) fn remove(&mut self, place: Place) {
        self.change(Change::Remove(place));
    }

    pub(super) fn rename(&mut self, from: Place, to: Place) {
        self.change(Change::Rename(from, to));
    }

    fn file(&mut self, number: Number) -> Option<&mut File> {
        self.nodes.get_mut(&number)?.as_mut()
    }

    pub(super) fn read(&self, number: Number, offset: usize, count: usize) -> Option<&[u8]> {
        let now = &self.nodes.get(&number)?.as_ref()?.now;
        let from = offset.min(now.len());
        Some(&now[from..offset.saturating_add(count).min(now.len())])
    }

    /// Writes; false where that is no file.
    pub(super) fn write(&mut self, number: Number, offset: usize, data: &[u8]) -> bool {
        let file = self.file(number);
        file.is_some_and(|file| {
            file.write(offset, data);
            true
        })
    }

    pub(super) fn set_length(&mut self, number: Number, length: usize) {
        if let Some(file) = self.file(number) {
            file.set_length(length);
        }
    }

    /// Syncs a file or a directory, and with it all names.
    pub(super) fn sync(&mut self, number: Number) {
        for change in self.since.drain(..) {
            self.synced_names.apply(change);
        }
        if let Some(file) = self.file(number) {
            file.sync();
        }
    }

    /// Loses power. Nobody has a file open.
    pub(super) fn cut(&mut self, dice: &mut Dice) {
        let kept = index(dice, self.since.len() + 1);
        for change in self.since.drain(..).take(kept) {
            self.synced_names.apply(change);
        }
        self.names = self.synced_names.clone();
        let named: Vec<Number> = self.names.0.values().copied().collect();
        self.nodes
            .retain(|number, _| *number == ROOT || named.contains(number));
        for file in self.nodes.values_mut().flatten() {
            file.cut(dice);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const NAME: &str = "a";

    fn at(name: &str) -> Place {
        (ROOT, name.into())
    }

    /// What a file has after a power cut, with many seeds; nothing where it is not there.
    fn after(what: impl Fn(&mut Disk)) -> BTreeSet<Option<Vec<u8>>> {
        let one = |seed| {
            let mut disk = Disk::new();
            what(&mut disk);
            disk.cut(&mut Dice::of(seed));
            let number = disk.named(&at(NAME))?;
            Some(disk.read(number, 0, usize::MAX)?.to_vec())
        };
        (1..400).map(one).collect()
    }

    fn bytes(all: &[&[u8]]) -> BTreeSet<Option<Vec<u8>>> {
        all.iter().map(|b| Some(b.to_vec())).collect()
    }

    #[test]
    fn what_was_appended_and_not_synced_is_kept_up_to_some_byte() {
        let found = after(|disk| {
            let file = disk.make(at(NAME), false);
            disk.write(file, 0, b"ab");
            disk.sync(file);
            disk.write(file, 2, b"cd");
        });
        assert_eq!(found, bytes(&[b"ab", b"abc", b"abcd"]));
    }

    #[test]
    fn a_page_that_was_overwritten_is_old_new_or_torn() {
        let (old, new) = ([1; 2 * PAGE], [2; 100]);
        let found = after(|disk| {
            let file = disk.make(at(NAME), false);
            disk.write(file, 0, &old);
            disk.sync(file);
            disk.write(file, PAGE + SECTOR - 50, &new);
            // What was written in between does not count.
            disk.write(file, PAGE + SECTOR - 50, &new);
        });
        let mut expected = Vec::new();
        for (before, after) in [(false, false), (true, true), (true, false)] {
            let mut all = old.to_vec();
            all[PAGE + SECTOR - 50..][..50].fill(if before { 2 } else { 1 });
            all[PAGE + SECTOR..][..50].fill(if after { 2 } else { 1 });
            expected.push(Some(all));
        }
        assert_eq!(found, expected.into_iter().collect());
    }

    #[test]
    fn a_file_that_was_cut_off_is_as_it_was_or_cut_off() {
        let found = after(|disk| {
            let file = disk.make(at(NAME), false);
            disk.write(file, 0, b"old");
            disk.sync(file);
            disk.write(file, 1, b"x");
            disk.set_length(file, 0);
            disk.write(file, 0, b"ne");
        });
        assert_eq!(found, bytes(&[b"old", b"", b"n", b"ne"]));
    }

    #[test]
    fn names_are_kept_in_order_and_with_any_sync() {
        let named = |sync: bool| {
            let one = |seed| {
                let mut disk = Disk::new();
                let (first, other) = (disk.make(at("tmp"), false), disk.make(at("other"), false));
                disk.write(first, 0, b"x");
                disk.sync(first);
                disk.rename(at("tmp"), at(NAME));
                let last = disk.make(at("last"), true);
                if sync {
                    disk.sync(other);
                }
                disk.cut(&mut Dice::of(seed));
                assert!(disk.about(last).is_none() || disk.named(&at("last")).is_some());
                let names = disk.within(ROOT).into_iter();
                let names: Vec<_> = names.map(|(name, _)| name.into_string().unwrap()).collect();
                names.join(" ")
            };
            (1..100).map(one).collect::<BTreeSet<_>>()
        };
        let all = ["a last other", "a other", "other tmp"].map(str::to_owned);
        assert_eq!(named(false), all.into_iter().collect());
        assert_eq!(named(true), ["a last other".to_owned()].into());
    }
}
