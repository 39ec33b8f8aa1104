//! The binary under test: started, waited for, killed, told to stop, and never left running.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use harit_testkit::signal;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use tokio::time::{sleep, timeout};

/// No single step in these tests may take longer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// How nice this process is to others, and with it all that it starts.
pub(crate) fn niceness() -> i32 {
    rustix::process::getpriority_process(None).unwrap()
}

/// The same for what takes some processor time: who is nice gets little of it while others work.
pub(crate) fn patience() -> Duration {
    if niceness() > 0 {
        10 * PATIENCE
    } else {
        PATIENCE
    }
}

/// Whoever measures time has the machine alone.
static MACHINE: RwLock<()> = RwLock::const_new(());

/// For a test that minds nobody.
pub(crate) async fn machine() -> RwLockReadGuard<'static, ()> {
    MACHINE.read().await
}

/// For a test that measures.
pub(crate) async fn machine_alone() -> RwLockWriteGuard<'static, ()> {
    MACHINE.write().await
}

/// Whether the binary that is given is the version before, and what starts from now on is this one.
static UPDATED: AtomicBool = AtomicBool::new(false);

/// A binary that is built already, such as a release build.
pub(crate) fn given_binary() -> Option<OsString> {
    let updated = UPDATED.load(Ordering::Relaxed);
    std::env::var_os("HARIT_BIN").filter(|_| !updated)
}

/// From now on what starts is this build, not the given one. Of the whole process: for a test that runs alone.
pub(crate) fn update() {
    UPDATED.store(true, Ordering::Relaxed);
}

/// The binary, with as many open files as most systems give a process at first, and with no more address space than `MEMORY_KIB`.
pub(crate) fn harit() -> Command {
    let mut command = Command::new("/bin/sh");
    command
        .args([
            "-c",
            "ulimit -S -n 1024 && ${MEMORY_KIB:+ulimit -S -v $MEMORY_KIB} && exec \"$0\" \"$@\"",
        ])
        .arg(given_binary().unwrap_or_else(|| env!("CARGO_BIN_EXE_harit").into()))
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .envs(std::env::var_os("LLVM_PROFILE_FILE").map(|file| ("LLVM_PROFILE_FILE", file)))
        .env("HARIT_WEATHER_URL", "")
        // a test that wants the demo's past asks for it
        .env("HARIT_DEMO_HISTORY_DAYS", "0")
        // tests ask faster than people
        .env("HARIT_LIMITS_READS_PER_USER", "1000000")
        .env("HARIT_LIMITS_CHANGES_PER_USER", "1000000")
        .env("HARIT_LIMITS_COMMANDS_PER_USER", "1000000")
        .env("HARIT_LIMITS_STOPS_PER_USER", "1000000")
        .env("HARIT_LIMITS_COMMANDS_PER_DEVICE", "1000000")
        .env("HARIT_LOG_FILTER", "info,harit_api::serve=warn")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

/// Runs the binary to its end: a lost end in NATS is looked at for 25 s, twice.
pub(crate) async fn run(args: &[&str]) -> Output {
    let output = harit().args(args).output();
    timeout(4 * patience(), output)
        .await
        .unwrap_or_else(|_| panic!("harit {args:?} does not end"))
        .unwrap()
}

/// Asks again and again, until there is an answer.
pub(crate) async fn until<T>(
    what: &str,
    within: Duration,
    mut found: impl AsyncFnMut() -> Option<T>,
) -> T {
    let asked = timeout(within, async {
        loop {
            if let Some(answer) = found().await {
                return answer;
            }
            sleep(Duration::from_millis(50)).await;
        }
    });
    asked
        .await
        .unwrap_or_else(|_| panic!("not within {within:?}: {what}"))
}

/// The settings of a server that has a file of them, in its home.
pub(crate) const SETTINGS: &str = "harit.toml";

/// A data directory, and beside it the server's log.
pub(crate) struct Home {
    dir: TempDir,
}

impl Home {
    pub(crate) fn empty() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Exports what a farm was told, beside a running server too: the files of the farm and of its inputs.
    pub(crate) async fn exported(&self, farm: &str) -> [String; 2] {
        self.exported_from(&self.data(), farm).await
    }

    /// The same of another data directory.
    pub(crate) async fn exported_from(&self, data: &Path, farm: &str) -> [String; 2] {
        let path = |name: &str| self.path(name).to_str().unwrap().to_owned();
        let (file, inputs) = (path("farm.json"), path("inputs.jsonl"));
        let [from, to] = [
            ["--data-dir", data.to_str().unwrap(), "--farm", farm],
            ["--out", &inputs, "--farm-out", &file],
        ];
        let settings = path(SETTINGS);
        let settings = match fs::exists(&settings).unwrap() {
            true => vec!["--config", &settings],
            false => Vec::new(),
        };
        let done = run(&[&["journal", "export"], &from[..], &to[..], &settings].concat()).await;
        assert!(done.status.success(), "{done:?}");
        [file, inputs]
    }

    /// Starts a server on free ports and waits until it is ready.
    pub(crate) async fn server(&self, args: &[&str], environment: &[(&str, &str)]) -> Server {
        let mut server = self.stopped(args, environment);
        server.start().await;
        server
    }

    /// The same, not started yet.
    pub(crate) fn stopped(&self, args: &[&str], environment: &[(&str, &str)]) -> Server {
        Server {
            data: self.data(),
            log: self.path("log"),
            args: args.iter().map(|&a| a.to_owned()).collect(),
            environment: environment
                .iter()
                .map(|&(k, v)| (k.to_owned(), v.to_owned()))
                .collect(),
            child: None,
            seen: 0,
            http: String::new(),
            mqtt: 0,
        }
    }
}

/// A running server, or one that can be started again.
pub(crate) struct Server {
    data: PathBuf,
    /// What it wrote to standard error.
    pub(crate) log: PathBuf,
    args: Vec<String>,
    environment: Vec<(String, String)>,
    child: Option<Child>,
    /// How long its log was when it was started last.
    seen: usize,
    /// Where the API is: `http://host:port`.
    pub(crate) http: String,
    /// The port of the endpoint, or of the broker.
    pub(crate) mqtt: u16,
}

impl Server {
    /// Starts it, on free ports, and waits until it is ready.
    pub(crate) async fn start(&mut self) {
        self.spawn();
        self.ready().await;
    }

    /// Starts it, and waits for nothing.
    pub(crate) fn spawn(&mut self) {
        assert!(self.child.is_none(), "it runs");
        let seen = fs::metadata(&self.log).map_or(0, |m| m.len());
        self.seen = usize::try_from(seen).unwrap();
        let log = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.log)
            .unwrap();
        let mut command = harit();
        command
            .arg("serve")
            .arg("--data-dir")
            .arg(&self.data)
            .args(["--http", "127.0.0.1:0", "--mqtt", "127.0.0.1:0"])
            .args(&self.args)
            .envs(self.environment.iter().map(|(k, v)| (k, v)))
            .stdout(Stdio::null())
            .stderr(log);
        self.child = Some(command.spawn().unwrap());
    }

    /// What it wrote to standard error since it was started last.
    pub(crate) fn said(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.log).unwrap()[self.seen..]).into_owned()
    }

    /// Waits until it is ready.
    pub(crate) async fn ready(&mut self) {
        let began = Instant::now();
        let ready = loop {
            let text = self.said();
            let line = text
                .split_inclusive('\n')
                .find(|l| l.contains(" ready ") && l.ends_with('\n'));
            if let Some(line) = line {
                break line.to_owned();
            }
            let over = self.child.as_mut().unwrap().try_wait().unwrap();
            assert!(over.is_none(), "the server ended: {over:?}\n{text}");
            assert!(
                began.elapsed() < patience(),
                "the server is not ready:\n{text}"
            );
            sleep(Duration::from_millis(10)).await;
        };
        let value = |key: &str| {
            let found = ready.split_whitespace().find_map(|w| w.strip_prefix(key));
            found.unwrap_or_else(|| panic!("no {key} in {ready}"))
        };
        self.http = format!("http://{}", value("http="));
        self.mqtt = value("mqtt=").rsplit_once(':').unwrap().1.parse().unwrap();
    }

    /// `kill -9`.
    pub(crate) async fn kill(&mut self) {
        self.child.take().expect("it runs").kill().await.unwrap();
    }

    /// The number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.as_ref().and_then(Child::id).expect("it runs")
    }

    /// The processor time that it has taken so far.
    pub(crate) fn processor_time(&self) -> Duration {
        // Linux tells it in hundredths of a second, whatever the kernel's own ticks are.
        const HUNDREDTH: Duration = Duration::from_millis(10);
        let id = self.id();
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        // The name before may have spaces.
        let fields = stat.rsplit_once(") ").unwrap().1.split_whitespace();
        let (user, system) = (11, 12);
        let taken = fields.skip(user).take(system - user + 1);
        HUNDREDTH * taken.map(|t| t.parse::<u32>().unwrap()).sum()
    }

    /// Sends it a signal.
    pub(crate) async fn signal(&self, name: &str) {
        signal(name, self.child.as_ref().expect("it runs")).await;
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        let child = self.child.as_mut().expect("it runs");
        child.try_wait().unwrap().is_some()
    }

    /// Waits until it has ended by itself.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        let mut child = self.child.take().expect("it runs");
        let ended = timeout(patience(), child.wait()).await;
        ended.expect("it ends").unwrap()
    }

    /// SIGHUP.
    pub(crate) async fn hang_up(&self) {
        signal("-HUP", self.child.as_ref().expect("it runs")).await;
    }

    /// SIGTERM; how it ended, and after how long.
    pub(crate) async fn terminate(&mut self) -> (ExitStatus, Duration) {
        let mut child = self.child.take().expect("it runs");
        signal("-TERM", &child).await;
        let began = Instant::now();
        let status = timeout(PATIENCE, child.wait())
            .await
            .expect("it ends")
            .unwrap();
        (status, began.elapsed())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = fs::read(&self.log).unwrap_or_default();
            let log = String::from_utf8_lossy(&log);
            let lines: Vec<&str> = log.lines().collect();
            let last = &lines[lines.len().saturating_sub(40)..];
            eprintln!("the server's last lines:\n{}", last.join("\n"));
        }
    }
}
