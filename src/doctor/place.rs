//! The data directory as files: whose they are, who can read them, how much room there is beside what may be kept.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use harit_api::RecordsPlace;
use rustix::fs::statvfs;

use super::finding::{Findings, bytes};
use crate::config::Config;

/// Below it a disk is as good as full: SQLite's logs need some of it.
const FULL: u64 = 256 << 20;
const FEW_INODES: u64 = 10_000;
const NO_INODES: u64 = 1_000;
/// What has to be there in each directory that a server has left. `audit.heads` comes with the first entry of the audit log.
const KEPT: [&str; 3] = [RECORDS, "codes.key", "audit.key"];
/// Where the records are, if they are in no PostgreSQL.
const RECORDS: &str = "records.db";
/// Paths that are named where there are many.
const NAMED: usize = 3;

/// Whether there is something to look into: a directory that a server has used.
pub(super) fn exists(dir: &Path, all: &mut Findings) -> bool {
    let shown = dir.display();
    if let Err(e) = fs::read_dir(dir) {
        all.fault("data directory", format!("{shown}: {e}"), how_to_read(&e));
        return false;
    }
    let is_kept = |name: &&&str| **name != RECORDS || RecordsPlace::elsewhere(dir).is_none();
    let kept: Vec<_> = KEPT.iter().filter(is_kept).collect();
    let missing: Vec<_> = kept.iter().filter(|f| !dir.join(f).exists()).collect();
    if missing.len() == kept.len() && !dir.join("journal/CURRENT").exists() {
        let said = format!("{shown} is no server's: it has no records and no journal");
        all.fault("data directory", said, "name the server's with --data-dir");
        return false;
    }
    for name in missing {
        let to_do = "a server does not start without it: put it back from a backup, with records.db, codes.key, audit.key and \
                     audit.heads of the same one";
        all.fault("data directory", format!("{name} is missing"), to_do);
    }
    if dir.join("DEMO").exists() {
        let to_do = "its passwords are published: use another directory for farms";
        all.warning("data directory", format!("{shown} is a demo's"), to_do);
    } else if all.all_well("data directory") {
        all.ok("data directory", shown.to_string());
    }
    true
}

fn how_to_read(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "look as root or as the server's user: sudo -u harit",
        _ => "name the server's with --data-dir; a server that starts makes it",
    }
}

/// Who can read and who can write what is there.
pub(super) fn permissions(dir: &Path, all: &mut Findings) {
    const CHECK: &str = "permissions";
    let Ok(owner) = fs::metadata(dir).map(|m| m.uid()) else {
        return;
    };
    let (mut open, mut foreign, mut unread) = (Vec::new(), Vec::new(), Vec::new());
    for path in files(dir, &mut unread) {
        let Ok(found) = fs::symlink_metadata(&path) else {
            continue;
        };
        if found.is_symlink() {
            continue;
        }
        if found.permissions().mode() & 0o077 != 0 {
            open.push(path.clone());
        }
        if found.uid() != owner {
            foreign.push(path.clone());
        } else if found.permissions().mode() & 0o600 != 0o600 {
            unread.push(path);
        }
    }
    let shown = dir.display();
    if !foreign.is_empty() {
        let said = format!("of another user than the directory: {}", some(&foreign));
        let to_do = format!("the server cannot write them: chown -R --reference={shown} {shown}");
        all.fault(CHECK, said, to_do);
    }
    if !unread.is_empty() {
        let said = format!(
            "cannot be read and written by their owner: {}",
            some(&unread)
        );
        all.fault(CHECK, said, format!("chmod -R u+rwX {shown}"));
    }
    if !open.is_empty() {
        let said = format!("open to other users of this machine: {}", some(&open));
        all.warning(CHECK, said, format!("chmod -R go= {shown}"));
    }
    if all.all_well(CHECK) {
        all.ok(CHECK, format!("only user {owner} reads the directory"));
    }
}

/// The directory and all below it; what cannot be listed goes to `unread`.
fn files(dir: &Path, unread: &mut Vec<PathBuf>) -> Vec<PathBuf> {
    let mut found = vec![dir.to_owned()];
    let mut next = 0;
    while let Some(path) = found.get(next).cloned() {
        next += 1;
        if !fs::symlink_metadata(&path).is_ok_and(|m| m.is_dir()) {
            continue;
        }
        match fs::read_dir(&path) {
            Ok(entries) => found.extend(entries.flatten().map(|e| e.path())),
            Err(_) => unread.push(path),
        }
    }
    found
}

fn some(paths: &[PathBuf]) -> String {
    let mut names: Vec<_> = paths
        .iter()
        .take(NAMED)
        .map(|p| p.display().to_string())
        .collect();
    if let Some(more) = paths.len().checked_sub(NAMED).filter(|n| *n > 0) {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}

/// How much room the disk has.
#[derive(Debug, Clone, Copy)]
struct Room {
    free: u64,
    /// None where the file system has no table of them.
    inodes: Option<u64>,
}

fn room(dir: &Path) -> io::Result<Room> {
    let found = statvfs(dir)?;
    Ok(Room {
        free: found.f_bavail * found.f_frsize,
        inodes: (found.f_files > 0).then_some(found.f_favail),
    })
}

/// Whether the disk has room for what the limits allow to be kept.
pub(super) fn disk(config: &Config, dir: &Path, shards: usize, all: &mut Findings) {
    let room = match room(dir) {
        Ok(room) => room,
        Err(e) => return all.fault("disk", e.to_string(), "is the disk mounted and whole?"),
    };
    let mut unread = Vec::new();
    let sizes = files(dir, &mut unread).into_iter().filter_map(|path| {
        let found = fs::symlink_metadata(&path).ok()?;
        found.is_file().then_some((path, found.len()))
    });
    let (history, others): (Vec<_>, Vec<_>) = sizes.partition(|(path, _)| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("history.db")
    });
    let sum = |files: &[(PathBuf, u64)]| files.iter().map(|(_, n)| n).sum::<u64>();
    let journal: Vec<_> = others
        .into_iter()
        .filter(|(path, _)| path.starts_with(dir.join("journal")))
        .collect();
    let storage = &config.storage;
    let history_may = match config.history.url.is_empty() {
        true => storage.history_max_mib << 20,
        false => 0,
    };
    let journal_may = (storage.journal_max_mib << 20).saturating_mul(shards as u64);
    let more =
        history_may.saturating_sub(sum(&history)) + journal_may.saturating_sub(sum(&journal));
    judge(room, more, all);
}

fn judge(room: Room, more: u64, all: &mut Findings) {
    let free = bytes(room.free);
    if room.free < FULL {
        let to_do = "make room on this disk now, and remove nothing of the data directory: without room nothing of controllers \
                     is acknowledged";
        all.fault("disk", format!("{free} are free"), to_do);
    } else if room.free < more + FULL {
        let said = format!(
            "{free} are free, and history and journal may still grow by {}",
            bytes(more)
        );
        let to_do =
            "lower storage.history_max_mib and storage.journal_max_mib, or use a larger disk";
        all.warning("disk", said, to_do);
    } else {
        let said = format!(
            "{free} are free; history and journal may still grow by {}",
            bytes(more)
        );
        all.ok("disk", said);
    }
    let Some(inodes) = room.inodes else { return };
    let said = format!("{inodes} files can still be made");
    let to_do = "some program on this disk makes very many files: find and stop it";
    if inodes < NO_INODES {
        all.fault("inodes", said, to_do);
    } else if inodes < FEW_INODES {
        all.warning("inodes", said, to_do);
    } else {
        all.ok("inodes", said);
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    fn server_like() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
        for name in KEPT {
            let file = dir.path().join(name);
            fs::write(&file, "x").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        }
        dir
    }

    #[test]
    fn what_is_missing_is_named() {
        let dir = server_like();
        let mut all = Findings::default();
        assert!(exists(dir.path(), &mut all));
        assert_eq!(all.verdict(), Verdict::Ok);
        fs::remove_file(dir.path().join("audit.key")).unwrap();
        let mut all = Findings::default();
        assert!(exists(dir.path(), &mut all));
        assert!(
            all.text().contains("audit.key is missing"),
            "{}",
            all.text()
        );
        for nothing in [dir.path().join("other"), dir.path().join("codes.key")] {
            let mut all = Findings::default();
            assert!(!exists(&nothing, &mut all));
            assert_eq!(all.verdict(), Verdict::Fault);
        }
        let empty = tempfile::tempdir().unwrap();
        let mut all = Findings::default();
        assert!(!exists(empty.path(), &mut all));
        assert!(all.text().contains("no records and no journal"));
    }

    #[test]
    fn who_may_not_look_is_told_who_may() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        assert!(how_to_read(&denied).contains("sudo -u harit"));
        let gone = io::Error::from(io::ErrorKind::NotFound);
        assert!(how_to_read(&gone).contains("--data-dir"));
    }

    #[test]
    fn what_others_can_read_and_what_the_server_cannot_write() {
        let dir = server_like();
        let look = || {
            let mut all = Findings::default();
            permissions(dir.path(), &mut all);
            all
        };
        assert_eq!(look().verdict(), Verdict::Ok, "{}", look().text());
        let file = dir.path().join("codes.key");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let open = look();
        assert_eq!(open.verdict(), Verdict::Warning);
        assert!(open.text().contains("codes.key"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o400)).unwrap();
        assert_eq!(look().verdict(), Verdict::Fault);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        // only root can give a file away
        if std::os::unix::fs::chown(&file, Some(12_345), None).is_ok() {
            let foreign = look();
            assert_eq!(foreign.verdict(), Verdict::Fault);
            assert!(foreign.text().contains("chown -R"), "{}", foreign.text());
        }
    }

    #[test]
    fn a_disk_is_judged_beside_what_may_come() {
        let verdict = |free, inodes, more| {
            let mut all = Findings::default();
            judge(Room { free, inodes }, more, &mut all);
            all.verdict()
        };
        assert_eq!(verdict(20 << 30, Some(1 << 20), 10 << 30), Verdict::Ok);
        assert_eq!(verdict(5 << 30, Some(1 << 20), 10 << 30), Verdict::Warning);
        assert_eq!(verdict(100 << 20, None, 0), Verdict::Fault);
        assert_eq!(verdict(20 << 30, Some(9_000), 0), Verdict::Warning);
        assert_eq!(verdict(20 << 30, Some(5), 0), Verdict::Fault);
    }
}
