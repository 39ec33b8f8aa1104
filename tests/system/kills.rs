//! `kill -9` under load, again and again: thousands of rules, and controllers that send once more what was not acknowledged.
//!
//! Judged from outside: by what was acknowledged, the exported journal, the charts, `/readyz`, and what backups restore to.
//! `HARIT_KILLS` is how often; with `HARIT_BIN` the rules and the readings are as many as a release build bears.

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harit_backup::Repository;
use harit_load::{BenchFarms, Shape, Step};
use harit_testkit::{Dice, Times};
use reqwest::Client;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::backup::{done, restored, text};
use crate::random::{between, dice};
use crate::redelivery::{Load, Sender, charted, judged};
use crate::server::{Home, Server, given_binary, harit, machine, niceness, patience, until};

const FARMS: usize = 4;
/// Readings in a message.
const VALUES: usize = 8;
/// Kills of a data directory; then comes another one, as its journal is read whole.
const ROUND: usize = 100;
/// How long a server is up under load before it is killed, in milliseconds.
const UP_MS: (u64, u64) = (300, 1_500);
/// Until when one is killed that is starting.
const START_MS: u64 = 500;
/// The promise for a start of a release build with 10,000 rules.
const READY_WITHIN: Duration = Duration::from_secs(2);
/// What such a build has to take: nearly all of the 5,000 readings that are measured in a second.
const READINGS_A_SECOND: f64 = 4_500.0;
const OWNER: &str = "owner@farm.example";

fn kills() -> usize {
    let given = std::env::var("HARIT_KILLS").ok();
    given.map_or(5, |n| n.parse().expect("HARIT_KILLS is a number"))
}

/// The farms, with as many controllers and rules as the build bears.
fn farms() -> BenchFarms {
    let (controllers, rules) = match given_binary() {
        Some(_) => (100, 100),
        None => (40, 25),
    };
    BenchFarms {
        farms: FARMS,
        controllers,
        idle: 0,
        values: VALUES,
        rules,
        step: Step::parse("0.005").unwrap(),
        shape: Shape::Full,
    }
}

/// Makes them, and an owner of the first, whose password is returned.
async fn seeded(home: &Home, farms: &BenchFarms) -> String {
    let data = home.data();
    let numbers = [farms.controllers, FARMS, farms.rules, VALUES].map(|n| n.to_string());
    let options = ["--connections", "--farms", "--rules", "--values"];
    let options = options.iter().zip(&numbers);
    let mut seed = vec!["bench", "--seed", text(&data)];
    seed.extend(options.flat_map(|(option, n)| [*option, n.as_str()]));
    done(&seed).await;
    let farm = farms.account(0).farm;
    let place = ["--farm", &farm, "--data-dir", text(&data)];
    let said = done(&[&["user", "add", OWNER, "--name", "Owner"], &place[..]].concat()).await;
    let password = said.lines().find_map(|l| l.strip_prefix("password "));
    password.expect("a password was made").to_owned()
}

/// What was measured in all rounds.
#[derive(Default)]
struct Measured {
    /// From the start of the process to `/readyz`, and its processor time up to then.
    ready: Vec<Duration>,
    processor: Vec<Duration>,
    /// How long it was up with all controllers, and the messages that were acknowledged meanwhile.
    up: Duration,
    messages: u64,
}

impl Measured {
    fn judge(self) {
        let (ready, processor) = (Times::of(self.ready), Times::of(self.processor));
        #[allow(clippy::cast_precision_loss, reason = "a rate")]
        let rate = (self.messages * VALUES as u64) as f64 / self.up.as_secs_f64();
        // Who is nice gives way to others, and then the clock says little of the server.
        let nice = niceness();
        eprintln!("from start to ready: {ready}; processor time: {processor}; nice {nice}");
        eprintln!("{rate:.0} readings a second were acknowledged while it was up");
        if given_binary().is_some() {
            assert!(processor.longest < READY_WITHIN, "{processor}");
            assert!(nice > 0 || ready.longest < READY_WITHIN, "{ready}");
            assert!(nice > 0 || rate > READINGS_A_SECOND, "{rate}");
        }
    }
}

/// Beside a life of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Backup {
    Whole,
    Killed,
    /// The server is killed while it is made.
    Outliving,
}

/// In this order: a killed one has a repository before it.
const BACKUPS: [Backup; 3] = [Backup::Outliving, Backup::Killed, Backup::Whole];

struct World {
    dice: Dice,
    /// Before its home: where it fails, its last lines are read there.
    server: Server,
    home: Home,
    client: Client,
    senders: Vec<Sender>,
    password: String,
    measured: Measured,
    /// Which there are, and what of each controller was acknowledged before each.
    snapshots: BTreeMap<u64, Vec<u64>>,
}

impl World {
    async fn new(mut dice: Dice, measured: Measured) -> Self {
        let (farms, home) = (farms(), Home::empty());
        let password = seeded(&home, &farms).await;
        // Often enough that kills fall into it, or so seldom that all is folded from the beginning.
        let states = ["1", "300"][dice.below(2)];
        let rules = farms.controllers * farms.rules;
        eprintln!("{rules} rules; states are stored every {states} s");
        let environment = [
            ("HARIT_STORAGE_SNAPSHOT_EVERY_SEC", states),
            ("HARIT_STORAGE_HISTORY_EVERY_SEC", "1"),
        ];
        let mut server = home.server(&[], &environment).await;
        server.kill().await;
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().timeout(patience()).no_proxy();
        Self {
            dice,
            server,
            home,
            client: client.build().unwrap(),
            senders: (0..farms.controllers)
                .map(|n| Sender::new(n, farms))
                .collect(),
            password,
            measured,
            snapshots: BTreeMap::new(),
        }
    }

    async fn start(&mut self) {
        let began = Instant::now();
        self.server.start().await;
        let url = format!("{}/readyz", self.server.http);
        while self.client.get(&url).send().await.unwrap().status() != 200 {
            assert!(began.elapsed() < patience(), "the server is not ready");
            sleep(Duration::from_millis(5)).await;
        }
        self.measured.ready.push(began.elapsed());
        self.measured.processor.push(self.server.processor_time());
    }

    /// Lets all controllers connect, each on a task of its own.
    async fn connect(&mut self) -> (Arc<Load>, Vec<JoinHandle<Sender>>) {
        let (load, port) = (Arc::new(Load::default()), self.server.mqtt);
        let senders = self.senders.drain(..);
        let lives = senders.map(|s| tokio::spawn(s.live(port, Arc::clone(&load))));
        let lives: Vec<_> = lives.collect();
        until("all controllers are connected", patience(), async || {
            (load.connected.load(Ordering::Relaxed) == lives.len()).then_some(())
        })
        .await;
        (load, lives)
    }

    async fn disconnected(&mut self, lives: Vec<JoinHandle<Sender>>) {
        let ended = timeout(patience(), join_all(lives)).await;
        let ended = ended.expect("all controllers end").into_iter();
        self.senders = ended.map(Result::unwrap).collect();
    }

    fn acknowledged(&self) -> Vec<u64> {
        self.senders.iter().map(|s| s.acknowledged).collect()
    }

    /// A life of the server with all controllers that ends in a kill.
    async fn life(&mut self, backup: Option<Backup>) {
        let before = self.acknowledged();
        let (load, lives) = self.connect().await;
        let up = between(&mut self.dice, UP_MS.0, UP_MS.1);
        let after = between(&mut self.dice, 5, UP_MS.0);
        let (began, acknowledged) = (Instant::now(), load.acknowledged.load(Ordering::Relaxed));
        let (data, to) = (self.home.data(), self.home.path("backups"));
        let begins = match backup {
            Some(Backup::Whole) => Some(Duration::ZERO),
            Some(Backup::Outliving) => Some(up.saturating_sub(after)),
            Some(Backup::Killed) | None => None,
        };
        let made = begins.map(|begins| {
            tokio::spawn(async move {
                sleep(begins).await;
                done(&["backup", "--data-dir", text(&data), "--to", text(&to)]).await
            })
        });
        let killed = async {
            if backup == Some(Backup::Killed) {
                self.killed_backup(after).await;
            }
        };
        tokio::join!(sleep(up), killed);
        self.measured.up += began.elapsed();
        self.measured.messages += load.acknowledged.load(Ordering::Relaxed) - acknowledged;
        load.killed.store(true, Ordering::Relaxed);
        self.server.kill().await;
        self.disconnected(lives).await;
        if let Some(made) = made {
            eprint!("{backup:?}: {}", made.await.unwrap());
        }
        if backup.is_some() {
            let all = self.home.path("backups").into();
            let all = Repository::peek(&all, None).unwrap().numbers().unwrap();
            for number in all {
                self.snapshots.entry(number).or_insert(before.clone());
            }
        }
    }

    /// A backup that is killed leaves a repository that is sound.
    async fn killed_backup(&self, after: Duration) {
        let (data, to) = (self.home.data(), self.home.path("backups"));
        let mut backup = harit();
        backup.args(["backup", "--data-dir", text(&data), "--to", text(&to)]);
        let mut backup = backup.stdout(Stdio::null()).spawn().unwrap();
        sleep(after).await;
        backup.kill().await.unwrap();
        let said = done(&["backup", "check", "--from", text(&to)]).await;
        assert!(said.contains("all as it was written"), "{said}");
        eprint!("a backup was killed after {after:?}: {said}");
    }

    /// What is in a journal is judged when the server was killed, when it runs again and has all, and in what is restored.
    async fn end(&mut self) -> (u64, u64) {
        let (data, to) = (self.home.data(), self.home.path("restored"));
        judged(&self.home, &data, &self.senders, &self.acknowledged()).await;
        self.start().await;
        let (load, lives) = self.connect().await;
        load.ending.store(true, Ordering::Relaxed);
        self.disconnected(lives).await;
        let sent: Vec<u64> = self.senders.iter().map(|s| s.sent).collect();
        let found = judged(&self.home, &data, &self.senders, &sent).await;
        charted(&self.server, (OWNER, &self.password), &self.senders).await;
        let (status, _) = self.server.terminate().await;
        assert!(status.success());
        for (number, acknowledged) in &self.snapshots {
            let said = restored(&self.home.path("backups"), *number, &to).await;
            assert!(said.contains(" fold to the states that they had"), "{said}");
            let (messages, _) = judged(&self.home, &to, &self.senders, acknowledged).await;
            eprintln!("snapshot {number} is restored, with {messages} messages");
            fs::remove_dir_all(&to).unwrap();
        }
        found
    }
}

async fn round(dice: Dice, kills: usize, measured: Measured) -> Measured {
    let mut world = World::new(dice, measured).await;
    let backups_every = kills.div_ceil(3).min(25);
    let (mut backups, mut starting) = (0, 0);
    for kill in 1..=kills {
        let is_due = kill >= (backups + 1) * backups_every;
        let backup = is_due.then_some(BACKUPS[backups % BACKUPS.len()]);
        if backup.is_none() && world.dice.below(5) == 0 {
            let after = between(&mut world.dice, 0, START_MS);
            if timeout(after, world.start()).await.is_err() {
                world.server.kill().await;
                starting += 1;
                continue;
            }
        } else {
            world.start().await;
        }
        world.life(backup).await;
        backups += usize::from(backup.is_some());
    }
    let (messages, again) = world.end().await;
    assert!(world.snapshots.len() >= backups - (backups + 1) / BACKUPS.len());
    eprintln!(
        "{kills} kills, {starting} of them of a server that was starting: {} readings in {messages} messages, {again} of which were \
         journaled once more; none lost, none doubled",
        messages * VALUES as u64
    );
    world.measured
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_under_load_nothing_is_lost_or_doubled() {
    let _machine = machine().await;
    let mut dice = dice("kills under load");
    let (mut measured, mut left) = (Measured::default(), kills());
    while left > 0 {
        let kills = left.min(ROUND);
        measured = round(Dice::new(dice.roll()), kills, measured).await;
        left -= kills;
    }
    measured.judge();
}
