//! Small files that are replaced in one step: a crash leaves the old one or the new one, and a power cut what was replaced before.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Writes a file for its owner alone, in place of what has that name; durable when it returns. Until then it has the extension
/// `new`, which no backup takes.
///
/// # Errors
/// When it cannot be written, synced or renamed: then the file of before is there.
pub fn put_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension("new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(&unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&unfinished, path)?;
    let parent = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    sync_dir(parent.unwrap_or(Path::new(".")))
}

/// Makes what was renamed into a directory, or removed from it, stay so after a power cut.
///
/// # Errors
/// When it cannot be opened or synced.
pub fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
