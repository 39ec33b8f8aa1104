//! A server of NATS with a store of its own on a free port of this machine; `make test-cluster` builds it.

use std::fs::{self, File};
use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Nothing that a test waits for may take longer.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What the documentation says that a server is to be set to, up to what makes it one of three.
static CONFIGURATION: LazyLock<(&str, &str)> = LazyLock::new(|| {
    let text = include_str!("../../docs/nats/nats.conf");
    text.split_at(text.find("cluster {").unwrap())
});
/// The routes there.
const ROUTES: &str = "\"nats://nats-2:6222\", \"nats://nats-3:6222\"";

/// Puts what is a test's own in the place of what is there.
fn put(text: &str, all: &[(&str, &str)]) -> String {
    all.iter().fold(text.to_owned(), |text, (there, own)| {
        assert!(text.contains(there), "{there} is not in {text}");
        text.replace(there, own)
    })
}

fn program() -> PathBuf {
    let asked = std::env::var_os("HARIT_NATS_SERVER").map(PathBuf::from);
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/nats-server");
    let program = asked.unwrap_or(built);
    assert!(
        program.exists(),
        "{} is not here: make test-cluster",
        program.display()
    );
    program
}

/// Starts a program that ends with the thread that starts it, also where that is killed.
fn started_with_us() -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]);
    command
}

/// A server. Nothing of it is left, also where a test panics, but for a store elsewhere.
#[derive(Debug)]
pub struct Server {
    root: tempfile::TempDir,
    /// Where it listens.
    pub port: u16,
    /// Where it says how it is set.
    pub monitor: u16,
    child: Option<Child>,
}

impl Server {
    /// Starts one.
    #[must_use]
    pub fn start() -> Self {
        Self::with("")
    }

    /// Three servers that are one cluster.
    #[must_use]
    pub fn three() -> [Self; 3] {
        Self::three_on([None; 3], &[])
    }

    /// The same, each with a directory for its store, where that is given, and with something else in place of what is in its configuration.
    #[must_use]
    pub fn three_on(stores: [Option<&Path>; 3], own: &[(&str, &str)]) -> [Self; 3] {
        let [clients, routes] = [(); 2].map(|()| [(); 3].map(|()| crate::port()));
        let others = routes.map(|port| format!("\"nats://127.0.0.1:{port}\""));
        let others = others.join(", ");
        let mut names = ["one", "two", "three"].iter().zip(clients).zip(routes);
        stores.map(|store| {
            let ((name, port), route) = names.next().unwrap();
            let cluster = put(
                CONFIGURATION.1,
                &[
                    ("0.0.0.0:6222", &format!("127.0.0.1:{route}")),
                    (ROUTES, &others),
                ],
            );
            Self::of(name, port, &cluster, store, own)
        })
    }

    /// One with more in its configuration.
    #[must_use]
    pub fn with(more: &str) -> Self {
        Self::of("one", crate::port(), more, None, &[])
    }

    fn of(name: &str, port: u16, more: &str, store: Option<&Path>, own: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let monitor = crate::port();
        let store = store.unwrap_or(root.path());
        let text = put(
            CONFIGURATION.0,
            &[
                ("nats-1", name),
                ("0.0.0.0:4222", &format!("127.0.0.1:{port}")),
                ("0.0.0.0:8222", &format!("127.0.0.1:{monitor}")),
                ("/var/lib/nats", store.to_str().unwrap()),
                ("64GB", "8GB"),
            ],
        );
        let text = format!("{}{more}", put(&text, own));
        fs::write(root.path().join("nats.conf"), text).unwrap();
        let mut server = Self {
            root,
            port,
            monitor,
            child: None,
        };
        server.run();
        server
    }

    /// Starts it, also again, and waits until it answers.
    pub fn run(&mut self) {
        let log = File::create(self.root.path().join("log")).unwrap();
        let child = started_with_us()
            .arg(program())
            .arg("-c")
            .arg(self.root.path().join("nats.conf"))
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn();
        self.child = Some(child.unwrap());
        let until = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let log = fs::read_to_string(self.root.path().join("log")).unwrap();
            assert!(Instant::now() < until, "it does not start: {log}");
            sleep(Duration::from_millis(10));
        }
    }

    /// Sends it a signal, such as -STOP.
    pub fn signal(&self, signal: &str) {
        let child = self.child.as_ref().expect("it runs");
        let mut kill = Command::new("kill");
        let sent = kill.args([signal, &child.id().to_string()]).status();
        assert!(sent.unwrap().success(), "{signal}");
    }

    /// Ends it in order.
    pub fn end(&mut self) {
        self.signal("-TERM");
        let mut child = self.child.take().expect("it runs");
        child.wait().unwrap();
    }

    /// Whether it says that it has what the others have.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        let asked = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(("127.0.0.1", self.monitor))?;
            stream.write_all(b"GET /healthz HTTP/1.0\r\n\r\n")?;
            std::io::read_to_string(stream)
        };
        asked().is_ok_and(|answer| answer.contains(" 200 "))
    }

    /// Kills it, as kill -9 does.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
