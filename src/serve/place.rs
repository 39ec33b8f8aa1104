//! The data directory: for the server's own user alone, and a demo's for demos alone.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use harit_api::Records;
use rustix::fs::Mode;

use super::{Failed, demo};

/// In a directory that a demo was started in.
const DEMO_MARK: &str = "DEMO";
/// What the server keeps there.
const FILES: [&str; 13] = [
    "LOCK",
    "records.db",
    "records.db-wal",
    "records.db-shm",
    "history.db",
    "history.db-wal",
    "history.db-shm",
    "codes.key",
    "audit.key",
    "push.key",
    "audit.heads",
    DEMO_MARK,
    "journal",
];
/// How deep files lie in `journal`.
const DEPTH: usize = 3;

/// What the data directory is used for does not fit to what it was used for.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotHere {
    #[error(
        "{} is the data directory of a demo: its passwords and controllers' secrets are published. Use another one, or start \
         with --demo",
        .0.display()
    )]
    Demo(PathBuf),
    #[error(
        "{} has farms that are no demo's: --demo would add people whose passwords everybody knows. Use another directory",
        .0.display()
    )]
    NoDemo(PathBuf),
    #[error(
        "{} is half restored, or was not found right: it has a file RESTORING. Remove the directory and run `harit restore` again",
        .0.display()
    )]
    HalfRestored(PathBuf),
}

/// Makes the directory where there is none, and shuts out everybody else from it and from what is made in it from now on.
pub(crate) fn make(dir: &Path) -> io::Result<()> {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    shut(dir, 0);
    for name in FILES {
        shut(&dir.join(name), DEPTH);
    }
    Ok(())
}

/// Takes away what others may do with a file or directory that an earlier version made.
fn shut(path: &Path, depth: usize) {
    let Ok(found) = fs::symlink_metadata(path) else {
        return;
    };
    let mode = found.permissions().mode();
    if !found.is_symlink() && mode & 0o077 != 0 {
        let own = Permissions::from_mode(mode & 0o700);
        if let Err(error) = fs::set_permissions(path, own) {
            tracing::warn!(path = %path.display(), %error, "other users of this machine can read this");
        }
    }
    if found.is_dir() && depth > 0 {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            shut(&entry.path(), depth - 1);
        }
    }
}

/// Whether it was a demo's, as far as the mark says.
pub(super) fn is_demos(dir: &Path) -> bool {
    dir.join(DEMO_MARK).exists()
}

/// Whether `harit restore` has not come to its end there.
pub(super) fn is_half_restored(dir: &Path) -> bool {
    dir.join(harit_ingest::backup::RESTORING).exists()
}

/// A demo's directory is for demos, and every other one is not: what a demo leaves can be signed in to by everybody. Those of
/// earlier versions have no mark, but the demo's farm.
pub(super) async fn demo_or_not(
    is_demo: bool,
    data_dir: &Path,
    records: &Records,
) -> Result<(), Failed> {
    let failed = Failed::at("records");
    let has_demos = records.has_farm(demo::farm_id()).await.map_err(failed)?;
    let has_any = records.has_farms().await.map_err(Failed::at("records"))?;
    match (is_demo, has_demos || is_demos(data_dir)) {
        (false, true) => Err(Failed::at("serve")(NotHere::Demo(data_dir.to_owned()))),
        (true, false) if has_any => Err(Failed::at("serve --demo")(NotHere::NoDemo(
            data_dir.to_owned(),
        ))),
        (true, _) => mark_demo(data_dir).map_err(Failed::at("demo")),
        (false, false) => Ok(()),
    }
}

/// Marks it as a demo's.
fn mark_demo(dir: &Path) -> io::Result<()> {
    if is_demos(dir) {
        return Ok(());
    }
    fs::write(
        dir.join(DEMO_MARK),
        "A demo's data: its passwords and secrets are published. Nothing else is to be started here.\n",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_shut_out_of_what_is_there_and_of_what_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        fs::create_dir_all(data.join("journal/000001")).unwrap();
        let old = ["records.db", "journal/000001/shard-00.db"].map(|name| data.join(name));
        for file in &old {
            fs::write(file, "x").unwrap();
            fs::set_permissions(file, Permissions::from_mode(0o644)).unwrap();
        }
        for d in ["", "journal", "journal/000001"] {
            fs::set_permissions(data.join(d), Permissions::from_mode(0o755)).unwrap();
        }
        make(&data).unwrap();
        fs::write(data.join("history.db"), "x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        for d in ["", "journal", "journal/000001"] {
            assert_eq!(mode(&data.join(d)), 0o700, "{d}");
        }
        for file in old.iter().chain([&data.join("history.db")]) {
            assert_eq!(mode(file), 0o600, "{}", file.display());
        }
    }
}
