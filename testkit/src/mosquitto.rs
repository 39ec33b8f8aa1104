//! Debian's Mosquitto with the configuration and the permissions of docs/mosquitto, and its clients.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::{PATIENCE, signal};

fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let dirs = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let found = dirs.map(|dir| dir.join(name)).find(|path| path.exists());
    found.unwrap_or_else(|| {
        panic!("{name} is not here: install mosquitto and mosquitto-clients, or set HARIT_SKIP_INTEROP=1")
    })
}

/// One of Mosquitto's clients, with an account and a password, to a port of this machine.
#[must_use]
pub fn client(
    name: &str,
    port: u16,
    (user, password): (&str, &str),
    arguments: &[&str],
) -> Command {
    // Line by line: what goes into a pipe is held back otherwise.
    let mut command = Command::new(program("stdbuf"));
    command
        .arg("-oL")
        .arg(program(name))
        .args(["-h", "127.0.0.1", "-p", &port.to_string()])
        .args(["-u", user, "-P", password])
        .args(arguments)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

/// A Mosquitto of its own, from docs/mosquitto but for its paths, port and what the test changes.
#[derive(Debug)]
pub struct Broker {
    dir: tempfile::TempDir,
    child: Option<Child>,
    /// Where it listens.
    pub port: u16,
}

impl Broker {
    /// Starts one that knows these users with their passwords, with a change to the configuration.
    pub async fn start(accounts: &[(&str, &str)], change: impl FnOnce(String) -> String) -> Self {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/mosquitto");
        let dir = tempfile::tempdir().unwrap();
        let port = crate::port();
        let mut broker = Self {
            dir,
            child: None,
            port,
        };
        // Started as root, mosquitto gives up its rights, and then has to read these.
        fs::set_permissions(broker.path(""), Permissions::from_mode(0o777)).unwrap();
        fs::copy(docs.join("acl"), broker.path("acl")).unwrap();
        fs::set_permissions(broker.path("acl"), Permissions::from_mode(0o644)).unwrap();
        fs::write(broker.path("passwd"), "").unwrap();
        for (user, password) in accounts {
            broker.account(user, password).await;
        }
        let here = |name: &str| broker.path(name).to_str().unwrap().to_owned();
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
        fs::write(broker.path("mosquitto.conf"), change(config)).unwrap();
        broker.up().await;
        broker
    }

    /// A file in its folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Gives somebody an account, also while it runs.
    pub async fn account(&self, user: &str, password: &str) {
        let made = Command::new(program("mosquitto_passwd"))
            .arg("-b")
            .arg(self.path("passwd"))
            .args([user, password])
            .status();
        assert!(made.await.unwrap().success());
        fs::set_permissions(self.path("passwd"), Permissions::from_mode(0o644)).unwrap();
        if let Some(child) = &self.child {
            signal("-HUP", child).await;
        }
    }

    /// Starts it and waits until it listens.
    pub async fn up(&mut self) {
        let child = Command::new(program("mosquitto"))
            .arg("-c")
            .arg(self.path("mosquitto.conf"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(self.path("log")).unwrap())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        self.child = Some(child);
        let ready = timeout(PATIENCE, async {
            while TcpStream::connect(("127.0.0.1", self.port)).await.is_err() {
                sleep(Duration::from_millis(20)).await;
            }
        });
        let log = || fs::read_to_string(self.path("log")).unwrap();
        assert!(ready.await.is_ok(), "mosquitto does not start: {}", log());
    }

    /// Ends it as its service manager would, or as a power failure would.
    pub async fn down(&mut self, politely: bool) {
        let mut child = self.child.take().unwrap();
        if politely {
            signal("-TERM", &child).await;
            timeout(PATIENCE, child.wait()).await.unwrap().unwrap();
        } else {
            child.kill().await.unwrap();
        }
    }
}
