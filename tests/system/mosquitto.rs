//! Debian's mosquitto and its clients.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::farm::Account;
use crate::server::{PATIENCE, signal, until};

/// Stands before each message in what the subscriber prints.
const MARK: &str = "message ";

pub(crate) fn skipped() -> bool {
    std::env::var_os("HARIT_SKIP_INTEROP").is_some_and(|value| value == "1")
}

fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let dirs = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let found = dirs.map(|dir| dir.join(name)).find(|path| path.exists());
    found.unwrap_or_else(|| {
        panic!("{name} is not here: install mosquitto and mosquitto-clients, or set HARIT_SKIP_INTEROP=1")
    })
}

fn client(name: &str, port: u16, who: &Account, arguments: &[&str]) -> Command {
    // Line by line: what goes into a pipe is held back otherwise.
    let mut command = Command::new(program("stdbuf"));
    command
        .arg("-oL")
        .arg(program(name))
        .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-q", "1"])
        .args(["-u", &who.mac, "-P", &who.secret])
        .args(arguments)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

/// `mosquitto_pub`, to its end.
pub(crate) async fn publish(
    port: u16,
    who: &Account,
    topic: &str,
    payload: &Value,
    more: &[&str],
) -> Output {
    let payload = payload.to_string();
    let mut arguments = vec!["-t", topic, "-m", &payload];
    arguments.extend(more);
    let output = client("mosquitto_pub", port, who, &arguments).output();
    timeout(PATIENCE, output)
        .await
        .expect("mosquitto_pub ends")
        .unwrap()
}

/// `mosquitto_pub`, to one of the controller's own topics.
pub(crate) async fn publish_own(port: u16, who: &Account, last: &str, payload: &Value) {
    let retain: &[&str] = if last == "state" { &["-r"] } else { &[] };
    let done = publish(port, who, &format!("{}{last}", who.topic), payload, retain).await;
    assert!(done.status.success(), "{done:?}");
}

/// `mosquitto_sub`, for as long as it is held.
pub(crate) struct Subscriber {
    _child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Subscriber {
    /// Starts one and waits for what the server says to the subscription, told as mosquitto_sub tells it.
    pub(crate) async fn start(port: u16, who: &Account, topic: &str) -> (Self, String) {
        let format = format!("{MARK}%p");
        let mut child = client(
            "mosquitto_sub",
            port,
            who,
            &["-d", "-t", topic, "-F", &format],
        )
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let answer = timeout(PATIENCE, async {
            while let Some(line) = lines.next_line().await.unwrap() {
                if line.starts_with("Subscribed") {
                    return line;
                }
            }
            panic!("mosquitto_sub ended")
        });
        let answer = answer.await.expect("an answer to the subscription");
        (
            Self {
                _child: child,
                lines,
            },
            answer,
        )
    }

    /// The next message within that time.
    pub(crate) async fn message(&mut self, within: Duration) -> Option<Value> {
        let next = timeout(within, async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                if let Some(payload) = line.strip_prefix(MARK) {
                    return Some(serde_json::from_str(payload).unwrap());
                }
            }
            None
        });
        next.await.ok().flatten()
    }
}

/// A Mosquitto of its own, from docs/mosquitto but for its paths and port.
pub(crate) struct Broker {
    dir: tempfile::TempDir,
    child: Option<Child>,
    pub(crate) port: u16,
}

impl Broker {
    /// Starts one that knows only the server's own account.
    pub(crate) async fn start(user: &str, password: &str) -> Self {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/mosquitto");
        let dir = tempfile::tempdir().unwrap();
        // Started as root, mosquitto gives up its rights, and then has to read these.
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let here = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let mut config = fs::read_to_string(docs.join("mosquitto.conf")).unwrap();
        for (from, to) in [
            ("listener 1883", format!("listener {port}")),
            ("/etc/mosquitto/harit.passwd", here("passwd")),
            ("/etc/mosquitto/harit.acl", here("acl")),
            ("/var/lib/mosquitto/", here("")),
        ] {
            assert!(
                config.contains(from),
                "docs/mosquitto/mosquitto.conf no longer has {from}"
            );
            config = config.replace(from, &to);
        }
        fs::write(here("mosquitto.conf"), config).unwrap();
        fs::copy(docs.join("acl"), here("acl")).unwrap();
        fs::write(here("passwd"), "").unwrap();
        fs::set_permissions(here("acl"), fs::Permissions::from_mode(0o644)).unwrap();
        let mut broker = Self {
            dir,
            child: None,
            port,
        };
        broker.account(user, password).await;
        broker.up().await;
        broker
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Gives somebody an account, also while it runs.
    pub(crate) async fn account(&self, user: &str, password: &str) {
        let made = Command::new(program("mosquitto_passwd"))
            .arg("-b")
            .arg(self.path("passwd"))
            .args([user, password])
            .status();
        assert!(made.await.unwrap().success());
        fs::set_permissions(self.path("passwd"), fs::Permissions::from_mode(0o644)).unwrap();
        if let Some(child) = &self.child {
            signal("-HUP", child).await;
        }
    }

    pub(crate) async fn up(&mut self) {
        let child = Command::new(program("mosquitto"))
            .arg("-c")
            .arg(self.path("mosquitto.conf"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(self.path("log")).unwrap())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        self.child = Some(child);
        until("mosquitto listens", PATIENCE, async || {
            TcpStream::connect(("127.0.0.1", self.port)).await.ok()
        })
        .await;
    }

    pub(crate) async fn down(&mut self) {
        self.child.take().unwrap().kill().await.unwrap();
    }
}
