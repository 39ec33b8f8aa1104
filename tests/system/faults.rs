//! What disks do to a server, from the kernel: `strace` has the system calls on a file fail, as a full disk (ENOSPC) or a failing
//! one (EIO) would, while the server runs. What is stated in docs/operations.md ("A full disk", "A failing disk") is what happens:
//! which part stops, what goes on, and that nothing acknowledged is missing afterwards. `make test-services` runs it.

use std::process::Stdio;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::controller::{Controller, Link};
use crate::farm::{self, Api, GREEN};
use crate::server::{Home, PATIENCE, Server, machine, until};

/// How long it is looked that something does not happen.
const A_WHILE: Duration = Duration::from_secs(2);

/// System calls on some files that fail until this is over.
struct Fault(Child);

impl Fault {
    /// Has calls such as `pwrite64` on a file of the data directory fail, and on those that SQLite keeps beside it.
    async fn on(world: &World, file: &str, calls: &str, error: &str) -> Self {
        let mut strace = Command::new("strace");
        strace.args(["-f", "-p", &world.server.id().to_string()]);
        strace.args(["-o", "/dev/null", "-e", &format!("trace={calls}")]);
        strace.args(["-e", &format!("inject={calls}:error={error}")]);
        for beside in ["", "-wal", "-journal"] {
            let path = world.home.data().join(format!("{file}{beside}"));
            strace.arg("-P").arg(path);
        }
        let mut child = strace
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("strace is there: make test-services installs it");
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let attached = timeout(PATIENCE, async {
            while let Some(line) = said.next_line().await.unwrap() {
                if line.contains(" attached") {
                    return true;
                }
            }
            false
        });
        assert!(attached.await.unwrap(), "strace may not trace here");
        // It says more, of threads that begin.
        tokio::spawn(async move { while let Ok(Some(_)) = said.next_line().await {} });
        Self(child)
    }

    async fn over(mut self) {
        let id = self.0.id().unwrap().to_string();
        let told = Command::new("kill").args(["-INT", &id]).status().await;
        assert!(told.unwrap().success());
        timeout(PATIENCE, self.0.wait()).await.unwrap().unwrap();
    }
}

pub(crate) struct World {
    pub(crate) home: Home,
    pub(crate) server: Server,
    pub(crate) api: Api,
    pub(crate) controller: Controller,
    pub(crate) link: Link,
    /// How many readings were acknowledged.
    pub(crate) acknowledged: u64,
}

impl World {
    async fn new() -> Self {
        Self::of(farm::seeded().await, &[]).await
    }

    /// With more of an environment.
    pub(crate) async fn of(home: Home, more: &[(&str, &str)]) -> Self {
        // What fails is tried while it fails.
        let mut environment = vec![
            ("HARIT_STORAGE_SHARDS", "1"),
            ("HARIT_STORAGE_HISTORY_EVERY_SEC", "1"),
        ];
        environment.extend(more);
        let server = home.server(&[], &environment).await;
        let api = Api::of(&server, GREEN).await;
        let account = api.register("A4CF120F0001").await;
        let controller = Controller::new(&account, &["t1"], &["fan-1"]);
        let link = controller.connect(server.mqtt).await;
        api.device_online("fan-1").await;
        let mut world = Self {
            home,
            server,
            api,
            controller,
            link,
            acknowledged: 0,
        };
        world.reading().await;
        world
    }

    async fn reading(&mut self) {
        self.measured(20.0).await;
    }

    /// Sends one that is acknowledged; its timestamp.
    pub(crate) async fn measured(&mut self, value: f64) -> i64 {
        let (ts, acknowledged) = self.link.reading("t1", value);
        self.answered(acknowledged).await;
        ts
    }

    async fn answered(&mut self, acknowledged: oneshot::Receiver<()>) {
        let answer = timeout(PATIENCE, acknowledged).await;
        answer.expect("an answer").expect("acknowledged");
        self.acknowledged += 1;
    }

    /// Sends one that is not acknowledged now.
    async fn unanswered(&self) -> oneshot::Receiver<()> {
        let (_, mut acknowledged) = self.link.reading("t1", 21.0);
        let answer = timeout(A_WHILE, &mut acknowledged).await;
        assert!(answer.is_err(), "acknowledged, and not on the disk");
        acknowledged
    }

    pub(crate) async fn readyz(&self) -> u16 {
        self.api.send(Method::GET, "/readyz", None).await.0
    }

    pub(crate) async fn ready(&self) {
        let ready = async || (self.readyz().await == 200).then_some(());
        until("the server is ready", PATIENCE, ready).await;
    }

    async fn task(&self, title: &str) -> (u16, Value) {
        let task = json!({"title": title, "dueDate": "2099-12-31"});
        self.api.post("tasks", &task).await
    }

    /// How many readings of the sensor the charts have.
    async fn charted(&self) -> u64 {
        let history = self.api.of_farm("sensors/t1/history").await;
        let points = history["points"].as_array().unwrap().iter();
        points.map(|p| p["count"].as_u64().unwrap()).sum()
    }

    async fn all_charted(&self) {
        until("the charts have all", PATIENCE, async || {
            (self.charted().await == self.acknowledged).then_some(())
        })
        .await;
    }

    /// `kill -9`, and a start.
    pub(crate) async fn again(&mut self) {
        self.server.kill().await;
        self.server.start().await;
        self.api.moved(&self.server);
        self.link = self.controller.connect(self.server.mqtt).await;
        self.api.device_online("fan-1").await;
    }

    /// What was acknowledged is there afterwards.
    async fn survives(&mut self) {
        self.again().await;
        self.all_charted().await;
    }
}

/// The journal's file below the data directory.
const JOURNAL: &str = "journal/000001/shard-0.db";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs strace: make test-services"]
async fn a_journal_that_cannot_be_written_acknowledges_nothing_and_a_stop_goes_out() {
    let _machine = machine().await;
    let mut world = World::new().await;
    for error in ["ENOSPC", "EIO"] {
        eprintln!("journal: {error}");
        let fault = Fault::on(&world, JOURNAL, "pwrite64", error).await;
        let waiting = world.unanswered().await;
        assert_eq!(world.readyz().await, 503);
        // Who is signed in reads, and what the records save is saved.
        world.api.of_farm("devices").await;
        assert_eq!(world.task(error).await.0, 201);
        // What the journal would have to have is refused, and a stop is not.
        let command = json!({
            "cmd_type": "override", "device_id": "fan-1", "action": {"mode": "manual", "action": "on"},
            "reason": "", "duration_sec": 600,
        });
        let (status, told) = world.api.post("commands", &command).await;
        assert_eq!(status, 503, "{told}");
        let seen = world.controller.received().len();
        let scope = json!({"scope": {"type": "device", "deviceId": "fan-1"}});
        let (status, told) = world.api.post("stop", &scope).await;
        assert_eq!(status, 200, "{told}");
        let off = world.controller.command("off", PATIENCE, seen, |r| !r.on());
        off.await;
        fault.over().await;
        world.answered(waiting).await;
        world.ready().await;
        world.reading().await;
        world.survives().await;
    }
    assert!(world.server.terminate().await.0.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs strace: make test-services"]
async fn a_journal_that_was_not_synced_is_believed_no_more_until_the_next_start() {
    let _machine = machine().await;
    let mut world = World::new().await;
    let fault = Fault::on(&world, JOURNAL, "fsync,fdatasync", "EIO").await;
    let (_, answer) = world.link.reading("t1", 21.0);
    let answer = timeout(A_WHILE, answer).await;
    assert!(
        !matches!(answer, Ok(Ok(()))),
        "acknowledged, and not on the disk"
    );
    fault.over().await;
    sleep(A_WHILE).await;
    assert_eq!(
        world.readyz().await,
        503,
        "a second sync says nothing of the first"
    );
    world.server.kill().await;
    world.server.start().await;
    world.api.moved(&world.server);
    // What was not acknowledged may be there all the same.
    let charted = world.charted().await;
    assert!((1..=2).contains(&charted), "{charted}");
    world.acknowledged = charted;
    world.link = world.controller.connect(world.server.mqtt).await;
    world.reading().await;
    world.all_charted().await;
    assert!(world.server.terminate().await.0.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs strace: make test-services"]
async fn records_and_history_that_cannot_be_written_leave_control_alone() {
    let _machine = machine().await;
    let mut world = World::new().await;
    for error in ["ENOSPC", "EIO"] {
        eprintln!("records: {error}");
        let fault = Fault::on(&world, "records.db", "pwrite64", error).await;
        let (status, told) = world.task("none").await;
        let expected = if error == "ENOSPC" { 507 } else { 503 };
        assert_eq!(status, expected, "{told}");
        world.reading().await;
        world.api.of_farm("tasks").await;
        fault.over().await;
        let (status, told) = world.task(error).await;
        assert_eq!(status, 201, "{told}");

        eprintln!("history: {error}");
        let fault = Fault::on(&world, "history.db", "pwrite64", error).await;
        let errors = world.api.metric("harit_history_errors_total", "").await;
        until("the history is tried", PATIENCE, async || {
            world.reading().await;
            sleep(Duration::from_millis(200)).await;
            let now = world.api.metric("harit_history_errors_total", "").await;
            (now > errors).then_some(())
        })
        .await;
        world.api.of_farm("devices").await;
        world.reading().await;
        fault.over().await;
        world.all_charted().await;
        world.survives().await;
    }
    let tasks = world.api.of_farm("tasks").await.to_string();
    let kept = ["ENOSPC", "EIO"].map(|title| tasks.contains(title));
    assert!(kept == [true; 2] && !tasks.contains("none"), "{tasks}");
    assert!(world.server.terminate().await.0.success());
}
