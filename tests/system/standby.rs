//! Two servers with the same journals in NATS, records and history in PostgreSQL: one is at work and the other one waits. The one at work
//! is killed, frozen and told to stop under load, and [more happens](crate::standby_faults). `make test-cluster` runs this.
//!
//! Judged from outside: by what was acknowledged, the exported journal and the charts. `HARIT_KILLS` is how often, of each kind.

use std::fs;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harit_load::{BenchFarms, Shape, Step};
use harit_testkit::{Dice, Times, nats, postgres};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::backup::{done, text};
use crate::doctor::Ear;
use crate::farm::now_ms;
use crate::random::{between, dice};
use crate::redelivery::{Load, Sender, charted, judged};
use crate::server::{Home, SETTINGS, Server, machine, niceness, patience, run, until};
use crate::standby_beside::{a_backup_goes_on_alone, another_begins, the_past_is_told};

pub(crate) const OWNER: &str = "owner@farm.example";
/// What the server that takes over needs of the other one.
pub(crate) const KEYS: [&str; 4] = ["codes.key", "audit.key", "push.key", "audit.heads"];
/// For how long a server is at work under load before something happens, in milliseconds.
pub(crate) const UP_MS: (u64, u64) = (1_000, 3_000);
/// The promises: for how long nothing is acknowledged, or nobody is ready.
const AFTER_A_KILL: Duration = Duration::from_secs(5);
const AFTER_A_HANG: Duration = Duration::from_secs(8);
const AFTER_A_STOP: Duration = Duration::from_secs(4);
pub(crate) const WITHOUT_A_NATS: Duration = Duration::from_secs(12);

pub(crate) fn times() -> usize {
    let given = std::env::var("HARIT_KILLS").ok();
    given.map_or(2, |n| n.parse().expect("HARIT_KILLS is a number"))
}

pub(crate) fn farms() -> BenchFarms {
    BenchFarms {
        farms: 2,
        controllers: 20,
        idle: 0,
        values: 8,
        rules: 10,
        step: Step::parse("0.005").unwrap(),
        shape: Shape::Full,
    }
}

/// How a server at work ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Killed,
    /// It stands still, and goes on when the other one is at work.
    Frozen,
    Stopped,
}

pub(crate) struct Pair {
    pub(crate) dice: Dice,
    pub(crate) nats: [nats::Server; 3],
    pub(crate) database: postgres::Server,
    /// Where the records are.
    pub(crate) records: String,
    /// Before their homes, where their logs are: so these are told of a test that fails.
    pub(crate) servers: [Server; 2],
    pub(crate) homes: [Home; 2],
    /// Where controllers connect, if not at the one at work.
    pub(crate) door: Option<u16>,
    /// What the second one tells systemd, until it has taken over once.
    ear: Option<Ear>,
    /// Which of them is at work.
    pub(crate) active: usize,
    pub(crate) senders: Vec<Sender>,
    pub(crate) password: String,
}

/// How a server at work ends, and after how long the other one is there at the latest.
pub(crate) const PROMISES: [(End, Duration); 3] = [
    (End::Killed, AFTER_A_KILL),
    (End::Frozen, AFTER_A_HANG),
    (End::Stopped, AFTER_A_STOP),
];

/// Makes the farms in files, and an owner of the first, whose password is returned; and moves them to where the settings say.
async fn seeded(home: &Home, url: &str) -> String {
    let (data, settings) = (home.data(), home.path(SETTINGS));
    let farms = farms();
    let numbers = [farms.controllers, farms.farms, farms.rules, farms.values];
    let numbers = numbers.map(|n| n.to_string());
    let options = ["--connections", "--farms", "--rules", "--values"];
    let options = options.iter().zip(&numbers);
    let mut seed = vec!["bench", "--seed", text(&data)];
    seed.extend(options.flat_map(|(option, n)| [*option, n.as_str()]));
    done(&seed).await;
    let (place, with) = (["--data-dir", text(&data)], ["--config", text(&settings)]);
    let farm = farms.account(0).farm;
    let add = ["user", "add", OWNER, "--name", "Owner", "--farm", &farm];
    let said = done(&[&add[..], &place].concat()).await;
    let password = said.lines().find_map(|l| l.strip_prefix("password "));
    let move_journals = [&["journal", "move"][..], &place, &with].concat();
    let early = run(&move_journals).await;
    assert!(!early.status.success(), "the records are in a file");
    let said = moved(home, url).await;
    assert!(said.contains("2 farms are in nats://"), "{said}");
    let backups = home.path("backups");
    let trace = ["trace", "--farm", &farm, "--from", "0", "--to", "1"];
    for command in [&trace[..], &["backup", "--to", text(&backups)]] {
        let unsaid = run(&[command, &place].concat()).await;
        let unsaid = String::from_utf8(unsaid.stderr).unwrap();
        assert!(unsaid.contains("say so with journal.nats"), "{unsaid}");
    }
    password.expect("a password was made").to_owned()
}

/// Moves everything that is in files to where the settings say; what is said of the journals.
pub(crate) async fn moved(home: &Home, url: &str) -> String {
    let (data, settings) = (home.data(), home.path(SETTINGS));
    let place = ["--data-dir", text(&data)];
    for of in ["records", "history"] {
        let to = format!("--{of}-url");
        done(&[&[of, "copy", &to, url][..], &place].concat()).await;
    }
    done(
        &[
            &["journal", "move", "--config", text(&settings)][..],
            &place,
        ]
        .concat(),
    )
    .await
}

/// Settings of a server whose journals are in these, with more of `[storage]` and `[journal]`, and whose records and history are in a
/// PostgreSQL.
pub(crate) fn settings(nats: &[nats::Server; 3], url: &str, more: [&str; 2]) -> String {
    let of_each = |scheme: &str, port: fn(&nats::Server) -> u16| {
        let each = nats.each_ref();
        let addresses = each.map(|n| format!("\"{scheme}://127.0.0.1:{}\"", port(n)));
        addresses.join(", ")
    };
    let [storage, journal] = more;
    format!(
        "[storage]\n{storage}[journal]\nnats = [{}]\nmonitors = [{}]\n{journal}[records]\nurl = \"{url}\"\n[history]\nurl = \"{url}\"\n",
        of_each("nats", |n| n.port),
        of_each("http", |n| n.monitor),
    )
}

/// Waits until all that a home's settings name answers: three servers take a while to become one cluster.
pub(crate) async fn reached(home: &Home) {
    let settings = home.path(SETTINGS);
    let reach = ["check-config", "--connect", "--config", text(&settings)];
    until("NATS answers", patience(), async || {
        run(&reach).await.status.success().then_some(())
    })
    .await;
}

impl Pair {
    pub(crate) async fn new(dice: Dice) -> Self {
        let farms = farms();
        let (nats, database) = (nats::Server::three(), postgres::Server::start());
        let (homes, url) = ([Home::empty(), Home::empty()], database.database());
        let storage = "history_every_sec = 1\nsnapshot_every_sec = 2\njournal_max_mib = 128\n";
        let settings = settings(&nats, &url, [storage, "max_mib = 256\n"]);
        for home in &homes {
            fs::write(home.path(SETTINGS), &settings).unwrap();
        }
        reached(&homes[0]).await;
        let password = seeded(&homes[0], &url).await;
        let systemd = homes[1].path("notify");
        let environments: [&[_]; 2] = [&[], &[("NOTIFY_SOCKET", text(&systemd))]];
        let servers = [0, 1].map(|n| {
            let settings = homes[n].path(SETTINGS);
            homes[n].stopped(&["--config", text(&settings)], environments[n])
        });
        let ear = Some(Ear::at(&systemd));
        Self {
            dice,
            nats,
            database,
            records: url,
            homes,
            servers,
            ear,
            door: None,
            active: 0,
            senders: (0..farms.controllers)
                .map(|n| Sender::new(n, farms))
                .collect(),
            password,
        }
    }

    /// Adds to the settings of both servers.
    pub(crate) fn set(&self, more: &str) {
        for home in &self.homes {
            let path = home.path(SETTINGS);
            let settings = fs::read_to_string(&path).unwrap();
            fs::write(&path, settings + more).unwrap();
        }
    }

    /// Ends the server at work in that way again and again, under load.
    pub(crate) async fn takes_over(&mut self, end: End, promise: Duration) {
        let mut all = Vec::new();
        for _ in 0..times() {
            let (load, lives) = self.connect().await;
            all.push(self.hand_over(end, &load, lives).await);
        }
        let took = Times::of(all);
        eprintln!("{end:?}: the other one is at work after {took}");
        assert!(niceness() > 0 || took.longest < promise, "{end:?}: {took}");
    }

    /// Starts the second one, which is to wait, first without what it needs.
    pub(crate) async fn stand_by(&mut self) {
        let (first, second) = (self.homes[0].data(), self.homes[1].data());
        self.servers[1].spawn();
        assert!(!self.servers[1].ended().await.success());
        let said = self.servers[1].said();
        assert!(said.contains("codes.key is missing"), "{said}");
        for name in KEYS {
            fs::copy(first.join(name), second.join(name)).unwrap();
        }
        self.servers[1].spawn();
        self.stands_by(1).await;
        let ear = self.ear.as_ref().unwrap();
        let said = ear.hear().await;
        assert!(said.starts_with("READY=1\nSTATUS=stands by"), "{said}");
    }

    /// Has one that stands by end as for an update, and start again; how it ended.
    pub(crate) async fn starts_again(&mut self, server: usize) -> ExitStatus {
        let (status, _) = self.servers[server].terminate().await;
        self.servers[server].spawn();
        self.stands_by(server).await;
        status
    }

    pub(crate) async fn stands_by(&self, server: usize) {
        until("it stands by", patience(), async || {
            let said = self.servers[server].said();
            assert!(!said.contains(" ready "), "{said}");
            said.contains("stands by").then_some(())
        })
        .await;
    }

    /// Lets all controllers connect, each on a task of its own.
    pub(crate) async fn connect(&mut self) -> (Arc<Load>, Vec<JoinHandle<Sender>>) {
        let port = self.door.unwrap_or(self.servers[self.active].mqtt);
        let load = Arc::new(Load::default());
        let senders = self.senders.drain(..);
        let lives = senders
            .map(|s| tokio::spawn(s.live(port, Arc::clone(&load))))
            .collect();
        let is_more = async || (load.acknowledged.load(Ordering::Relaxed) > 0).then_some(());
        until("a message is acknowledged", patience(), is_more).await;
        (load, lives)
    }

    pub(crate) async fn disconnected(&mut self, lives: Vec<JoinHandle<Sender>>) {
        let ended = timeout(patience(), join_all(lives)).await;
        let ended = ended.expect("all controllers end").into_iter();
        self.senders = ended.map(Result::unwrap).collect();
    }

    /// Looks for all that was acknowledged since then in the journal, the charts and what is told of the past; how many messages each
    /// controller has sent.
    pub(crate) async fn nothing_is_lost(&self, began: i64) -> Vec<u64> {
        let sent: Vec<u64> = self.senders.iter().map(|s| s.sent).collect();
        let home = &self.homes[0];
        let (messages, again) = judged(home, &home.data(), &self.senders, &sent).await;
        let active = &self.servers[self.active];
        charted(active, (OWNER, &self.password), &self.senders).await;
        the_past_is_told(&self.homes[1], began).await;
        eprintln!(
            "{messages} messages, {again} of which were journaled once more; none lost, none doubled"
        );
        sent
    }

    /// Ends the server at work; how long it was until a message was acknowledged again, or, where it stands still, until the other one
    /// is ready.
    pub(crate) async fn hand_over(
        &mut self,
        end: End,
        load: &Load,
        lives: Vec<JoinHandle<Sender>>,
    ) -> Duration {
        sleep(between(&mut self.dice, UP_MS.0, UP_MS.1)).await;
        load.killed.store(true, Ordering::Relaxed);
        let (old, new) = (self.active, 1 - self.active);
        let began = Instant::now();
        match end {
            End::Killed => self.servers[old].kill().await,
            End::Frozen => self.servers[old].signal("-STOP").await,
            End::Stopped => self.servers[old].signal("-TERM").await,
        }
        self.servers[new].ready().await;
        let ready = began.elapsed();
        self.active = new;
        if let Some(ear) = self.ear.take() {
            while ear.hear().await != "STATUS=at work" {}
        }
        match end {
            End::Killed => {}
            End::Frozen => {
                self.servers[old].signal("-CONT").await;
                assert!(!self.servers[old].ended().await.success());
                let said = self.servers[old].said();
                assert!(said.contains("another server has taken over"), "{said}");
            }
            End::Stopped => assert!(self.servers[old].ended().await.success()),
        }
        self.disconnected(lives).await;
        let (load, lives) = self.connect().await;
        // What is connected to one that stands still is so until that ends.
        let took = match end {
            End::Frozen => ready,
            End::Killed | End::Stopped => began.elapsed(),
        };
        self.servers[old].spawn();
        self.stands_by(old).await;
        load.ending.store(true, Ordering::Relaxed);
        self.disconnected(lives).await;
        took
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server and PostgreSQL: make test-cluster"]
async fn of_two_servers_one_goes_on_where_the_other_one_ends() {
    let _machine = machine().await;
    let mut pair = Pair::new(dice("a server and one that stands by")).await;
    pair.servers[0].start().await;
    let began = now_ms();
    pair.stand_by().await;
    // A certificate was renewed: both are told, and the second one goes on until it is told to end.
    pair.servers[1].hang_up().await;
    let status = pair.starts_again(1).await;
    assert!(status.success(), "{status}");
    for (end, promise) in PROMISES {
        pair.takes_over(end, promise).await;
    }
    pair.goes_on().await;
    let sent = pair.nothing_is_lost(began).await;
    another_begins(&pair).await;
    a_backup_goes_on_alone(&pair, &sent).await;
    let active = pair.servers[pair.active].http.strip_prefix("http://");
    let nobody = Some("127.0.0.1:9");
    for (n, http, of_server) in [
        (pair.active, active, "is ready"),
        (1 - pair.active, nobody, "another one has the records"),
    ] {
        let (data, settings) = (pair.homes[n].data(), pair.homes[n].path(SETTINGS));
        let place = ["--data-dir", text(&data), "--config", text(&settings)];
        let looked = ["doctor", "--quick", "--http", http.unwrap()];
        let looked = run(&[&looked[..], &place].concat()).await;
        let said = String::from_utf8(looked.stdout).unwrap();
        for part in ["a start replays", "syncs what it acknowledges", of_server] {
            assert!(said.contains(part), "{said}");
        }
    }
}
