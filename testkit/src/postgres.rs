//! Debian's PostgreSQL, with a cluster of its own on a free port of this machine.

use std::cell::Cell;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A cluster takes a while to be made.
const SLOWLY: Duration = Duration::from_secs(60);

/// The newest version that is installed.
fn programs() -> PathBuf {
    let installed =
        fs::read_dir("/usr/lib/postgresql").map(|all| all.flatten().collect::<Vec<_>>());
    let newest = installed
        .unwrap_or_default()
        .into_iter()
        .map(|v| v.path().join("bin"));
    newest
        .filter(|bin| bin.join("initdb").exists())
        .max()
        .expect("PostgreSQL is not here: make test-services")
}

/// A server of its own. Nothing of it is left.
#[derive(Debug)]
pub struct Server {
    root: tempfile::TempDir,
    port: u16,
    child: Option<Child>,
    databases: Cell<usize>,
}

impl Server {
    /// Makes a cluster and starts it.
    #[must_use]
    pub fn start() -> Self {
        let made = Self::made();
        let data = made.root.path().join("data");
        let initialized = run(program("initdb").arg("-D").arg(&data).args([
            "--username=harit",
            "--auth=trust",
            "--encoding=UTF8",
            "--no-sync",
            "--locale=C.UTF-8",
        ]));
        assert!(initialized.status.success(), "initdb: {initialized:?}");
        made.started()
    }

    /// One that has nothing yet.
    fn made() -> Self {
        let root = tempfile::tempdir().unwrap();
        if let Some((uid, gid)) = user() {
            std::os::unix::fs::chown(root.path(), Some(uid), Some(gid)).unwrap();
        }
        Self {
            root,
            port: crate::port(),
            child: None,
            databases: Cell::new(0),
        }
    }

    fn started(mut self) -> Self {
        self.run();
        self
    }

    /// Starts another one, which has each commit before that is acknowledged.
    #[must_use]
    pub fn replica(&self) -> Self {
        let made = Self::made();
        let port = self.port.to_string();
        let copied = run(program("pg_basebackup")
            .arg("-D")
            .arg(made.root.path().join("data"))
            .args(["-h", "127.0.0.1", "-p", &port, "-U", "harit"])
            .args(["-R", "-X", "stream", "-c", "fast", "--no-sync"]));
        assert!(copied.status.success(), "pg_basebackup: {copied:?}");
        let replica = made.started();
        for sql in [
            "ALTER SYSTEM SET synchronous_standby_names = '*'",
            "SELECT pg_reload_conf()",
        ] {
            self.ask("postgres", sql).unwrap();
        }
        let began = Instant::now();
        let state = "SELECT sync_state FROM pg_stat_replication";
        while self.ask("postgres", state).as_deref() != Some("sync") {
            assert!(began.elapsed() < SLOWLY, "the replica does not follow");
            std::thread::sleep(Duration::from_millis(100));
        }
        replica
    }

    /// Has a replica take its place, at its address. This one was killed.
    pub fn give_way_to(&mut self, mut replica: Self) {
        let promoted = replica.ask("postgres", "SELECT pg_promote()");
        assert_eq!(promoted.as_deref(), Some("t"));
        replica.kill();
        std::mem::swap(&mut self.root, &mut replica.root);
        self.run();
    }

    /// Starts it again after it was killed.
    pub fn run(&mut self) {
        let log = fs::File::create(self.root.path().join("log")).unwrap();
        let child = program("postgres")
            .arg("-D")
            .arg(self.root.path().join("data"))
            .args(["-p", &self.port.to_string(), "-k"])
            .arg(self.root.path())
            .args([
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "shared_buffers=32MB",
                "-c",
                "max_connections=400",
            ])
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        self.child = Some(child);
        let began = Instant::now();
        while self.ask("postgres", "SELECT 1").is_none() {
            assert!(began.elapsed() < SLOWLY, "PostgreSQL does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Ends it at once, without a word to anybody: what was not synced is lost, and the next start recovers.
    pub fn kill(&mut self) {
        assert!(quit(self.child.take().unwrap()), "it runs");
    }

    /// Freezes it with all its connections: it is there, and answers nothing.
    pub fn freeze(&self) {
        self.signal_all("-STOP");
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        self.signal_all("-CONT");
    }

    /// Its connections have groups of their own.
    fn signal_all(&self, signal: &str) {
        let parent = self.child.as_ref().unwrap().id().to_string();
        let told = Command::new("kill").args([signal, &parent]).status();
        assert!(told.is_ok_and(|t| t.success()), "it runs");
        let children = Command::new("pkill").args([signal, "-P", &parent]).status();
        assert!(children.is_ok_and(|t| t.success()), "it has processes");
    }

    /// The address without a database.
    #[must_use]
    pub fn address(&self) -> String {
        format!("postgres://harit@127.0.0.1:{}", self.port)
    }

    /// The address of a new, empty database.
    pub fn database(&self) -> String {
        let name = format!("history_{}", self.databases.get());
        self.databases.set(self.databases.get() + 1);
        self.ask("postgres", &format!("CREATE DATABASE {name}"))
            .unwrap();
        format!("{}/{name}", self.address())
    }

    /// The lines of an answer; none where it does not answer, or refuses.
    #[must_use]
    pub fn ask(&self, database: &str, sql: &str) -> Option<String> {
        let port = self.port.to_string();
        let answer = run(program("psql")
            .args([
                "-h",
                "127.0.0.1",
                "-p",
                &port,
                "-U",
                "harit",
                "-d",
                database,
            ])
            .args(["-qAtX", "-v", "ON_ERROR_STOP=1", "-c", sql]));
        let text = String::from_utf8(answer.stdout).unwrap();
        answer.status.success().then(|| text.trim().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            quit(child);
        }
    }
}

/// Whether it was there to be told so.
fn quit(mut child: Child) -> bool {
    let id = child.id().to_string();
    let told = Command::new("kill").args(["-QUIT", &id]).status();
    let ended = child.wait();
    told.is_ok_and(|t| t.success()) && ended.is_ok()
}

fn program(name: &str) -> Command {
    let mut command = Command::new(programs().join(name));
    command.current_dir(Path::new("/")).env("LC_ALL", "C.UTF-8");
    if let Some((uid, gid)) = user() {
        command.uid(uid).gid(gid);
    }
    command
}

fn run(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

/// As whom it runs where these tests are root's, as whom it does not.
fn user() -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt as _;
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let of = users.lines().find(|line| line.starts_with("postgres:"));
    let mut parts = of.expect("a user postgres").split(':').skip(2);
    let mut number = || parts.next().unwrap().parse().unwrap();
    Some((number(), number()))
}
