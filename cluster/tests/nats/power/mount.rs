//! The disk that forgets as a file system that programs use.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags,
    Generation, INodeNo, LockOwner, MountOption, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate,
    ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyStatfs, ReplyWrite, Request, TimeOrNow,
    WriteFlags,
};

use super::super::faults::Dice;
use super::disk::{Disk, Number, Place};

/// Nothing is remembered of names and sizes.
const TTL: Duration = Duration::ZERO;
const NEW: Generation = Generation(0);
/// `O_SYNC`, which has `O_DSYNC`, of Linux.
const SYNCED: i32 = 0o4_010_000;
/// Blocks of 4 KiB that are there and free.
const BLOCKS: u64 = 16 << 18;

/// A disk that is mounted in a directory of its own.
#[derive(Debug)]
pub(super) struct Mounted {
    disk: Arc<Mutex<Disk>>,
    session: Option<BackgroundSession>,
    directory: tempfile::TempDir,
}

impl Mounted {
    pub(super) fn new() -> Self {
        let mut mounted = Self {
            disk: Arc::new(Mutex::new(Disk::new())),
            session: None,
            directory: tempfile::tempdir().unwrap(),
        };
        mounted.mount();
        mounted
    }

    fn mount(&mut self) {
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("forgets".to_owned())];
        let disk = Shared(Arc::clone(&self.disk));
        let session = fuser::spawn_mount(disk, self.directory.path(), &config);
        self.session = Some(session.expect("root, and /dev/fuse"));
    }

    fn unmount(&mut self) {
        if let Some(session) = self.session.take() {
            session.umount_and_join().unwrap();
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Loses power. Nobody uses it.
    pub(super) fn cut(&mut self, dice: &mut Dice) {
        self.unmount();
        self.disk.lock().unwrap().cut(dice);
        self.mount();
    }

    /// All files below it.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let (mut files, mut directories) = (Vec::new(), vec![self.path().to_owned()]);
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).unwrap() {
                let entry = entry.unwrap();
                match entry.file_type().unwrap().is_dir() {
                    true => directories.push(entry.path()),
                    false => files.push(entry.path()),
                }
            }
        }
        files.sort();
        files
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.unmount();
    }
}

#[derive(Debug)]
struct Shared(Arc<Mutex<Disk>>);

impl Shared {
    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().unwrap()
    }
}

fn place(directory: INodeNo, name: &OsStr) -> Place {
    (directory.0, OsString::from(name))
}

fn about(disk: &Disk, number: Number) -> Option<FileAttr> {
    let (length, is_directory) = disk.about(number)?;
    let (size, then) = (length as u64, SystemTime::UNIX_EPOCH);
    Some(FileAttr {
        ino: INodeNo(number),
        size,
        blocks: size.div_ceil(512),
        atime: then,
        mtime: then,
        ctime: then,
        crtime: then,
        kind: kind(is_directory),
        perm: if is_directory { 0o755 } else { 0o644 },
        nlink: 1,
        uid: 0,
        gid: 0,
        rdev: 0,
        blksize: 4_096,
        flags: 0,
    })
}

const fn kind(is_directory: bool) -> FileType {
    match is_directory {
        true => FileType::Directory,
        false => FileType::RegularFile,
    }
}

fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap()
}

impl Filesystem for Shared {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let disk = self.disk();
        let number = disk.named(&place(parent, name));
        match number.and_then(|number| about(&disk, number)) {
            Some(attr) => reply.entry(&TTL, &attr, NEW),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match about(&self.disk(), ino.0) {
            Some(attr) => reply.attr(&TTL, &attr),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        _: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let mut disk = self.disk();
        if let Some(size) = size {
            disk.set_length(ino.0, length(size));
        }
        match about(&disk, ino.0) {
            Some(attr) => reply.attr(&TTL, &attr),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        let mut disk = self.disk();
        let number = disk.make(place(parent, name), true);
        reply.entry(&TTL, &about(&disk, number).unwrap(), NEW);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        self.disk().remove(place(parent, name));
        reply.ok();
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let mut disk = self.disk();
        let place = place(parent, name);
        match disk.named(&place) {
            None => reply.error(Errno::ENOENT),
            Some(number) if !disk.within(number).is_empty() => reply.error(Errno::ENOTEMPTY),
            Some(_) => {
                disk.remove(place);
                reply.ok();
            }
        }
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        if !flags.is_empty() {
            return reply.error(Errno::EINVAL);
        }
        let mut disk = self.disk();
        let to = place(new_parent, new_name);
        let there = disk.named(&to);
        if there.is_some_and(|number| !disk.within(number).is_empty()) {
            return reply.error(Errno::ENOTEMPTY);
        }
        disk.rename(place(parent, name), to);
        reply.ok();
    }

    fn create(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        _: u32,
        _: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        let mut disk = self.disk();
        let number = disk.make(place(parent, name), false);
        let attr = about(&disk, number).unwrap();
        reply.created(&TTL, &attr, NEW, FileHandle(0), FopenFlags::empty());
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.disk().read(ino.0, length(offset), length(size.into())) {
            Some(data) => reply.data(data),
            None => reply.error(Errno::EISDIR),
        }
    }

    fn write(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        flags: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let mut disk = self.disk();
        if !disk.write(ino.0, length(offset), data) {
            return reply.error(Errno::EISDIR);
        }
        if flags.0 & SYNCED != 0 {
            disk.sync(ino.0);
        }
        reply.written(u32::try_from(data.len()).unwrap());
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.disk().sync(ino.0);
        reply.ok();
    }

    fn fsyncdir(&self, _: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.disk().sync(ino.0);
        reply.ok();
    }

    fn readdir(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        let disk = self.disk();
        let own = [".", ".."].map(|name| (OsString::from(name), ino.0));
        let all = own.into_iter().chain(disk.within(ino.0));
        for ((name, number), next) in all.zip(1..).skip(length(offset)) {
            let is_directory = disk.about(number).is_some_and(|(_, is)| is);
            if reply.add(INodeNo(number), next, kind(is_directory), name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        reply.statfs(BLOCKS, BLOCKS, BLOCKS, 1 << 20, 1 << 20, 4_096, 255, 4_096);
    }
}
