//! Backups in a bucket of a real S3 server, versitygw, which checks each signature: encrypted, beside a running server, over
//! `kill -9` of either side. `make test-services` installs it and runs this.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::backup::text;
use crate::controller::Controller;
use crate::farm::{self, Api, GREEN};
use crate::server::{Home, PATIENCE, harit, machine, run, until};

const PLACE: &str = "s3://farms/green/pi-1";

/// An S3 server with a bucket `farms`.
struct Buckets {
    root: TempDir,
    port: u16,
    child: Option<Child>,
}

impl Buckets {
    async fn start() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("farms")).unwrap();
        let port = harit_testkit::port();
        let mut buckets = Self {
            root,
            port,
            child: None,
        };
        buckets.run().await;
        buckets
    }

    async fn run(&mut self) {
        let program = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/versitygw/versitygw");
        assert!(
            program.exists(),
            "{} is not there: make test-services",
            program.display()
        );
        let child = Command::new(program)
            .args(["--access", "harit", "--secret", "over and over", "--port"])
            .arg(format!("127.0.0.1:{}", self.port))
            .arg("posix")
            .arg(self.root.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        self.child = Some(child);
        let port = self.port;
        until("the S3 server listens", PATIENCE, async || {
            tokio::net::TcpStream::connect(("127.0.0.1", port))
                .await
                .ok()
        })
        .await;
    }

    async fn kill(&mut self) {
        self.child.take().unwrap().kill().await.unwrap();
    }

    fn environment(&self) -> [(&'static str, String); 3] {
        [
            (
                "AWS_ENDPOINT_URL",
                format!("http://127.0.0.1:{}", self.port),
            ),
            ("AWS_ACCESS_KEY_ID", "harit".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "over and over".to_owned()),
        ]
    }

    /// Runs the binary with what a client of this server has in its environment.
    async fn ask(&self, args: &[&str]) -> Output {
        let output = harit().args(args).envs(self.environment()).output();
        timeout(2 * PATIENCE, output)
            .await
            .unwrap_or_else(|_| panic!("harit {args:?} does not end"))
            .unwrap()
    }

    async fn done(&self, args: &[&str]) -> String {
        let output = self.ask(args).await;
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    async fn refused(&self, args: &[&str]) -> String {
        let output = self.ask(args).await;
        assert!(!output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// The files that the bucket has below a folder.
    fn files(&self, folder: &str) -> Vec<PathBuf> {
        let mut folders = vec![self.root.path().join("farms/green/pi-1").join(folder)];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push(path);
                }
            }
        }
        files
    }
}

/// A farm with a controller, a rule and some readings, and its server.
async fn measured(home: &Home, environment: &[(&str, &str)]) -> crate::server::Server {
    let server = home.server(&[], environment).await;
    let api = Api::of(&server, GREEN).await;
    let account = api.register("A4CF120D0001").await;
    let controller = Controller::new(&account, &["t1"], &["fan-1"]);
    let link = controller.connect(server.mqtt).await;
    api.device_online("fan-1").await;
    let scope = json!({"type": "farm", "farmId": GREEN});
    api.rule("cool", "fan-1", &scope, 1, 1).await;
    for n in 0..200 {
        let (_, acknowledged) = link.reading("t1", f64::from(n % 40));
        acknowledged.await.unwrap();
    }
    server
}

fn backup<'a>(data: &'a Path, key: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let first = [
        "backup",
        "--data-dir",
        text(data),
        "--to",
        PLACE,
        "--key-file",
        key,
    ];
    [&first[..], more].concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs versitygw: make test-services"]
async fn a_bucket_has_what_is_restored_from_it() {
    let _machine = machine().await;
    let mut buckets = Buckets::start().await;
    let home = farm::seeded().await;
    let mut server = measured(&home, &[("HARIT_STORAGE_SHARDS", "1")]).await;
    let (data, key) = (home.data(), home.path("backup.key"));
    let key = text(&key);
    buckets.done(&["backup", "key", "--out", key]).await;

    let first = buckets.done(&backup(&data, key, &[])).await;
    assert!(first.starts_with("snapshot 1, "), "{first}");
    assert!(!data.join("backup-tmp").exists(), "copies are removed");
    assert_eq!(buckets.files("locks").len(), 0, "the lease is given back");
    let chunks = buckets.files("chunks").len();
    assert!(chunks > 5, "{chunks}");
    // Nothing new but what changed meanwhile.
    buckets.done(&backup(&data, key, &[])).await;
    let more = buckets.files("chunks").len() - chunks;
    assert!(more < chunks, "{more} of {chunks}");

    let from = ["--from", PLACE, "--key-file", key];
    let listed = buckets
        .done(&[&["backup", "list"], &from[..]].concat())
        .await;
    assert_eq!(listed.lines().count(), 2, "{listed}");
    let checked = buckets
        .done(&[&["backup", "check"], &from[..]].concat())
        .await;
    assert!(checked.ends_with("all as it was written\n"), "{checked}");
    let (to, plain) = (home.path("restored"), home.path("plain"));
    let restored = [&["restore"], &from[..], &["--data-dir", text(&to)]].concat();
    let said = buckets.done(&restored).await;
    assert!(
        said.contains("farms fold to the states that they had"),
        "{said}"
    );
    assert_eq!(
        std::fs::read(to.join("codes.key")).unwrap(),
        std::fs::read(data.join("codes.key")).unwrap()
    );

    // Without the key nothing is told, and with it a chunk that somebody changed is.
    let without = ["restore", "--from", PLACE, "--data-dir", text(&plain)];
    let said = buckets.refused(&without).await;
    assert!(said.contains("is encrypted") && !plain.exists(), "{said}");
    let changed = &buckets.files("chunks")[0];
    let mut bytes = std::fs::read(changed).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(changed, &bytes).unwrap();
    let found = buckets
        .ask(&[&["backup", "check"], &from[..]].concat())
        .await;
    let said = String::from_utf8(found.stdout).unwrap();
    assert!(
        said.contains("not as it was sealed") && said.contains("1 file is damaged"),
        "{said}"
    );
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(changed, &bytes).unwrap();

    let forget = [&["backup", "forget"], &from[..], &["--keep-last", "1"]].concat();
    let said = buckets.done(&forget).await;
    assert!(said.starts_with("removed: 1 snapshots, "), "{said}");
    buckets
        .done(&[&["backup", "check"], &from[..]].concat())
        .await;

    // Who is not let in is told so, and so is who finds nobody there.
    let output = harit()
        .args(["backup", "list", "--from", PLACE])
        .envs(buckets.environment())
        .env("AWS_SECRET_ACCESS_KEY", "another")
        .output();
    let said = String::from_utf8(output.await.unwrap().stderr).unwrap();
    assert!(
        said.contains("SignatureDoesNotMatch") || said.contains("403"),
        "{said}"
    );
    let output = harit()
        .args(["backup", "list", "--from", PLACE])
        .output()
        .await
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("set AWS_ACCESS_KEY_ID"), "{said}");
    buckets.kill().await;
    assert!(server.terminate().await.0.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs versitygw: make test-services"]
async fn a_server_goes_on_where_its_bucket_is_away_and_backs_up_when_it_is_back() {
    let _machine = machine().await;
    let mut buckets = Buckets::start().await;
    buckets.kill().await;
    let home = farm::seeded().await;
    let [endpoint, id, secret] = buckets.environment();
    let environment = [
        ("HARIT_STORAGE_SHARDS", "1"),
        ("HARIT_BACKUP_TO", PLACE),
        (endpoint.0, &endpoint.1),
        (id.0, &id.1),
        (secret.0, &secret.1),
    ];
    let mut server = measured(&home, &environment).await;
    let log = server.log.clone();
    let logged = async |what: &str| {
        until(what, Duration::from_secs(60), async || {
            std::fs::read_to_string(&log)
                .ok()?
                .contains(what)
                .then_some(())
        })
        .await;
    };
    logged("are not encrypted: see backup.key_file").await;
    // It is asked again and again meanwhile, which a stop does not wait for.
    sleep(Duration::from_secs(2)).await;
    assert!(server.terminate().await.0.success());
    server.start().await;
    buckets.run().await;
    logged("a backup was made").await;
    // Old ones are looked for after that: a server that ends meanwhile gives back its lease.
    assert!(server.terminate().await.0.success());
    let said = buckets.done(&["backup", "check", "--from", PLACE]).await;
    assert!(said.ends_with("all as it was written\n"), "{said}");

    // One that was cut off is in the way of the next, which says of whom, and no longer than a lease lasts.
    let (data, locks) = (home.data(), buckets.files("locks").len());
    assert_eq!(locks, 0);
    let again = ["backup", "--data-dir", text(&data), "--to", PLACE];
    let mut cut_off = harit()
        .args(again)
        .envs(buckets.environment())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until("a lease", PATIENCE, async || {
        (buckets.files("locks").len() == 1).then_some(())
    })
    .await;
    cut_off.kill().await.unwrap();
    let left = buckets.files("locks");
    if let [left] = left.as_slice() {
        let said = buckets.refused(&again).await;
        assert!(
            said.contains("is used by process ") && said.contains("after 15 minutes"),
            "{said}"
        );
        let past = std::time::SystemTime::now() - Duration::from_secs(16 * 60);
        let file = std::fs::File::options().write(true).open(left).unwrap();
        file.set_modified(past).unwrap();
    }
    let said = buckets.done(&again).await;
    assert!(said.starts_with("snapshot "), "{said}");
    let said = buckets.done(&["backup", "check", "--from", PLACE]).await;
    assert!(said.ends_with("all as it was written\n"), "{said}");
    assert_eq!(buckets.files("locks").len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs versitygw: make test-services"]
async fn an_archive_is_read_in_its_bucket_as_here() {
    let _machine = machine().await;
    let buckets = Buckets::start().await;
    let home = Home::empty();
    let [endpoint, id, secret] = buckets.environment();
    let environment = [
        ("HARIT_DEMO_HISTORY_DAYS", "2"),
        ("HARIT_ARCHIVE_COPY_TO", "s3://farms/green/pi-1/archive"),
        (endpoint.0, &endpoint.1),
        (id.0, &id.1),
        (secret.0, &secret.1),
    ];
    let mut server = home.server(&["--demo"], &environment).await;
    let log = server.log.clone();
    until("the archive was copied", 4 * PATIENCE, async || {
        let log = std::fs::read_to_string(&log).ok()?;
        log.contains("the archive was copied").then_some(())
    })
    .await;
    assert!(server.terminate().await.0.success());

    let archive = home.data().join("archive");
    let mut there = buckets.files("archive");
    // Whose it is, which is of no use here.
    let before = there.len();
    there.retain(|copied| !copied.ends_with("_server"));
    // Soon after midnight the day before is not archived yet: then each of the two farms has one day.
    assert!(there.len() >= 3 && there.len() + 1 == before, "{there:?}");
    for copied in &there {
        let root = buckets.root.path().join("farms/green/pi-1/archive");
        let here = archive.join(copied.strip_prefix(root).unwrap());
        assert!(std::fs::read(copied).unwrap() == std::fs::read(&here).unwrap());
    }
    let [farm, _inputs] = home.exported("demo-farm-1").await;
    let copy = "s3://farms/green/pi-1/archive";
    let check = harit()
        .args(["check-config", "--connect"])
        .envs(environment)
        .output();
    let said = String::from_utf8(check.await.unwrap().stdout).unwrap();
    assert!(
        said.contains("archive has ") && said.contains(" days of the archive"),
        "{said}"
    );
    let mut events = Vec::new();
    for (from, name) in [(text(&archive), "here"), (copy, "there")] {
        let out = home.path(name);
        let replay = ["replay", "--farm", &farm, "--out", text(&out)];
        let said = [&replay[..], &["--from-history", from]].concat();
        buckets.done(&said).await;
        events.push(std::fs::read(out).unwrap());
    }
    assert!(events[0].len() > 10_000 && events[0] == events[1]);

    // And where the archive is lost here, charts are made of its copy.
    let data = home.data();
    let rebuild = ["history", "rebuild", "--data-dir", text(&data)];
    let of_here = buckets.done(&rebuild).await;
    std::fs::remove_dir_all(&archive).unwrap();
    let of_copy = [&rebuild[..], &["--archive", copy]].concat();
    assert_eq!(buckets.done(&of_copy).await, of_here);
    let said = buckets.refused(&rebuild).await;
    assert!(said.contains("has no readings"), "{said}");
    let said = String::from_utf8(run(&of_copy).await.stderr).unwrap();
    assert!(said.contains("set AWS_ACCESS_KEY_ID"), "{said}");
}
