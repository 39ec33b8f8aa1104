//! Debian's Mosquitto with the configuration and the permissions of docs/mosquitto, and Harit as its client.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use harit_ingest::mqtt::{BrokerClient, BrokerConfig, Downlink, Uplink};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::rig::{MAC, OTHER_MAC, PATIENCE, Pipeline, SECRET};

/// Whether interop tests are to be left out.
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

/// A Mosquitto of its own, from docs/mosquitto but for its paths, port and what the test changes.
pub(crate) struct Broker {
    pub(crate) dir: tempfile::TempDir,
    port: u16,
    child: Option<Child>,
}

impl Broker {
    pub(crate) async fn start(change: impl FnOnce(String) -> String) -> Self {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/mosquitto");
        let dir = tempfile::tempdir().unwrap();
        // Started as root, mosquitto gives up its rights, and then has to read these.
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        let here = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        std::fs::copy(docs.join("acl"), here("acl")).unwrap();
        std::fs::write(here("passwd"), "").unwrap();
        for user in ["harit", MAC, OTHER_MAC] {
            let made = Command::new(program("mosquitto_passwd"))
                .args(["-b", &here("passwd"), user, SECRET])
                .status();
            assert!(made.await.unwrap().success());
        }
        for name in ["acl", "passwd"] {
            std::fs::set_permissions(here(name), std::fs::Permissions::from_mode(0o644)).unwrap();
        }
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut config = std::fs::read_to_string(docs.join("mosquitto.conf")).unwrap();
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
        std::fs::write(here("mosquitto.conf"), change(config)).unwrap();
        let mut broker = Self {
            dir,
            port,
            child: None,
        };
        broker.up().await;
        broker
    }

    pub(crate) async fn up(&mut self) {
        let log = std::fs::File::create(self.dir.path().join("log")).unwrap();
        let child = Command::new(program("mosquitto"))
            .arg("-c")
            .arg(self.dir.path().join("mosquitto.conf"))
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        self.child = Some(child);
        let ready = timeout(PATIENCE, async {
            while tokio::net::TcpStream::connect(("127.0.0.1", self.port))
                .await
                .is_err()
            {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        let log = || std::fs::read_to_string(self.dir.path().join("log")).unwrap();
        assert!(ready.await.is_ok(), "mosquitto does not start: {}", log());
    }

    /// Ends it as its service manager would, or as a power failure would.
    pub(crate) async fn down(&mut self, politely: bool) {
        let mut child = self.child.take().unwrap();
        if politely {
            let id = child.id().unwrap().to_string();
            assert!(
                Command::new("kill")
                    .args(["-TERM", &id])
                    .status()
                    .await
                    .unwrap()
                    .success()
            );
            timeout(PATIENCE, child.wait()).await.unwrap().unwrap();
        } else {
            child.kill().await.unwrap();
        }
    }

    pub(crate) fn config(&self) -> BrokerConfig {
        BrokerConfig {
            port: self.port,
            username: Some("harit".into()),
            password: Some(SECRET.into()),
            keep_alive: Duration::from_secs(2),
            ..BrokerConfig::default()
        }
    }

    pub(crate) async fn client(&self) -> (Arc<Pipeline>, BrokerClient, Downlink) {
        let pipeline = Pipeline::new();
        let (client, downlink) = self.client_of(&pipeline).await;
        until_up(&client).await;
        (pipeline, client, downlink)
    }

    pub(crate) async fn client_of(&self, pipeline: &Arc<Pipeline>) -> (BrokerClient, Downlink) {
        BrokerClient::connect(self.config(), Arc::clone(pipeline) as Arc<dyn Uplink>)
            .await
            .unwrap()
    }

    pub(crate) fn mosquitto(&self, name: &str, user: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program(name));
        let port = self.port.to_string();
        command
            .args(["-h", "127.0.0.1", "-p", &port, "-u", user, "-P", SECRET])
            .args(arguments);
        command.kill_on_drop(true);
        command
    }

    pub(crate) async fn publish(&self, user: &str, arguments: &[&str]) {
        let run = self.mosquitto("mosquitto_pub", user, arguments).status();
        assert!(timeout(PATIENCE, run).await.unwrap().unwrap().success());
    }
}

pub(crate) async fn until_up(client: &BrokerClient) {
    let up = timeout(PATIENCE, async {
        while !client.is_up() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    assert!(
        up.await.is_ok(),
        "the client does not get through to the broker"
    );
}
