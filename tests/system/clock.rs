//! What a wall clock that is set, and too little memory, do to a server that runs. `faketime` sets the clock of the server alone: its
//! controllers' is right, and so is its monotonic one. What is stated in docs/operations.md ("A clock that steps, a machine with little
//! memory") is what happens. `make test-services` runs it.

use std::collections::BTreeSet;
use std::fs;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harit_testkit::mqtt::publish;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::attack::{Attack, Flood};
use crate::controller::Received;
use crate::farm::{self, Account, Api, GREEN, now_ms};
use crate::faults::World;
use crate::server::{Home, PATIENCE, harit, machine, until};
use crate::unit::hello;

const HOUR_SEC: i64 = 3_600;
/// The rule's holds.
const HOLD_SEC: u64 = 6;
const STOP_SEC: u64 = 3;
/// How often the controller measures.
const EVERY: Duration = Duration::from_millis(250);
/// How late something may come on a machine that has other things to do, in milliseconds.
const LATE_MS: i64 = 2_500;
/// How early, in milliseconds: the farm's time is a little slower than the true one while it is ahead of the wall clock.
const EARLY_MS: i64 = 200;
/// How long a command is good for, in milliseconds (docs/protocol.md).
const GOOD_MS: i64 = 15_000;
/// After how long without a reading a sensor is unknown, in milliseconds.
const STALE_MS: i64 = 900_000;

/// How far the server's wall clock is off.
struct WallClock(PathBuf);

impl WallClock {
    fn off_by(&self, seconds: i64) {
        let new = self.0.with_extension("new");
        fs::write(&new, format!("{seconds:+}\n")).unwrap();
        fs::rename(new, &self.0).unwrap();
        eprintln!("the server's clock is {seconds:+} s off");
    }
}

async fn world() -> (World, WallClock) {
    let home = farm::seeded().await;
    let clock = WallClock(home.path("clock"));
    clock.off_by(0);
    let file = clock.0.to_str().unwrap();
    let environment = [
        // The loader knows what this machine's directory is.
        ("LD_PRELOAD", "/usr/$LIB/faketime/libfaketimeMT.so.1"),
        ("FAKETIME_TIMESTAMP_FILE", file),
        ("FAKETIME_NO_CACHE", "1"),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
        ("NO_FAKE_STAT", "1"),
    ];
    let world = World::of(home, &environment).await;
    let scope = json!({"type": "farm", "farmId": GREEN});
    let rule = world.api.rule("cool", "fan-1", &scope, HOLD_SEC, STOP_SEC);
    rule.await;
    (world, clock)
}

/// Measures the same for a while; the first timestamp and the last.
async fn measure(world: &mut World, value: f64, within: Duration) -> (i64, i64) {
    let began = Instant::now();
    let first = world.measured(value).await;
    let mut last = first;
    while began.elapsed() < within {
        sleep(EVERY).await;
        last = world.measured(value).await;
    }
    (first, last)
}

/// Measures the same until the fan is switched.
async fn switched(world: &mut World, value: f64, on: bool) -> Received {
    let seen = world.controller.received().len();
    let measured = timeout(PATIENCE, async {
        loop {
            world.measured(value).await;
            sleep(EVERY).await;
            let received = world.controller.received();
            let found = received[seen..].iter().find(|r| r.on() == on);
            if let Some(found) = found {
                return found.clone();
            }
        }
    });
    measured.await.expect("a command")
}

/// That a command came when its hold was over by the true time, and for how much longer it is good.
fn in_time(what: &str, command: &Received, since: i64, hold_sec: u64) -> i64 {
    let after = command.at - since;
    let good = command.body["expires_at"].as_i64().unwrap() - command.at;
    eprintln!("{what}: after {after} ms of {hold_sec} s, good for {good} ms");
    let hold = i64::try_from(1_000 * hold_sec).unwrap();
    assert!(
        (hold - EARLY_MS..hold + LATE_MS).contains(&after),
        "{after}"
    );
    good
}

/// The events of the rule as the log has them, the oldest first: what, when, why.
async fn rule_events(api: &Api) -> Vec<(String, i64, Value)> {
    let log = api.of_farm("logs").await;
    let events = log["items"].as_array().unwrap().iter().rev();
    let of_rules = events.filter_map(|e| {
        let kind = e["details"]["kind"].as_str()?;
        let at = e["timestamp"].as_i64()?;
        let found = (kind.to_owned(), at, e["details"]["reason"].clone());
        kind.starts_with("rule_").then_some(found)
    });
    of_rules.collect()
}

/// How many readings the charts have of these minutes.
async fn charted(world: &World, minutes: RangeInclusive<i64>) -> u64 {
    let minute = 60_000;
    let (from, to) = (minutes.start() - minute, minutes.end() + minute);
    let path = format!("sensors/t1/history?from={from}&to={to}");
    let history = world.api.of_farm(&path).await;
    let points = history["points"].as_array().unwrap().iter();
    points.map(|p| p["count"].as_u64().unwrap()).sum()
}

/// Waits until the charts have all readings, in these minutes.
async fn all_charted(world: &World, minutes: RangeInclusive<i64>) {
    until("the charts have all", PATIENCE, async || {
        (charted(world, minutes.clone()).await == world.acknowledged).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs faketime: make test-services"]
async fn a_clock_that_is_set_back_delays_nothing() {
    let _machine = machine().await;
    let began = now_ms();
    let (mut world, clock) = world().await;
    let while_it_lasts = Duration::from_secs(1);

    // A hold under way.
    let (since, _) = measure(&mut world, 35.0, while_it_lasts).await;
    clock.off_by(-HOUR_SEC);
    let on = switched(&mut world, 35.0, true).await;
    let good = in_time("on", &on, since, HOLD_SEC);
    assert!((1..=GOOD_MS).contains(&good), "{good}");
    // A device that runs, and the clock is right again.
    let (since, _) = measure(&mut world, 20.0, while_it_lasts).await;
    clock.off_by(0);
    let off = switched(&mut world, 20.0, false).await;
    let good = in_time("off", &off, since, STOP_SEC);
    assert!((1..=GOOD_MS).contains(&good), "{good}");
    let steps = world.api.metric("harit_clock_steps_total", "").await;
    let told = world.api.metric("harit_future_timestamps_total", "").await;
    eprintln!("{steps} steps were told, and {told} readings of the future");
    assert!(steps > 1.5 && told > 0.5);

    // A start while it is behind the journal.
    clock.off_by(-HOUR_SEC);
    world.again().await;
    let (since, _) = measure(&mut world, 35.0, while_it_lasts).await;
    let on = switched(&mut world, 35.0, true).await;
    let good = in_time("on after a start", &on, since, HOLD_SEC);
    assert!((1..=GOOD_MS).contains(&good), "{good}");
    // The readings bear the time at which they came, which is about the true one.
    all_charted(&world, began..=now_ms()).await;
    assert!(world.server.terminate().await.0.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs faketime: make test-services"]
async fn a_clock_that_is_set_forward_is_a_silence() {
    let _machine = machine().await;
    let began = now_ms();
    let (mut world, clock) = world().await;

    // A hold under way: it has its samples and is over in the silence, and then there is none of the rule's sensors.
    let (since, last) = measure(&mut world, 35.0, Duration::from_secs(2)).await;
    clock.off_by(HOUR_SEC);
    measure(&mut world, 35.0, Duration::from_secs(3)).await;
    let received = world.controller.received();
    for command in &received {
        let (on, at) = (command.on(), command.at - last);
        eprintln!("on {on}, {at} ms after the last reading: {}", command.body);
    }
    assert!(received.last().is_none_or(|r| !r.on()));
    let events = rule_events(&world.api).await;
    eprintln!("{events:?}, from {since} to {last}");
    let hold = i64::try_from(1_000 * HOLD_SEC).unwrap();
    let expected = [
        ("rule_fired".to_owned(), since + hold, Value::Null),
        (
            "rule_stopped".to_owned(),
            last + STALE_MS,
            json!("signal_lost"),
        ),
    ];
    assert_eq!(events, expected);
    // What is measured meanwhile is of an hour ago by this clock: it is kept, with its timestamps, and drives no rule.
    all_charted(&world, began..=now_ms()).await;

    // Right again: the rule acts, by the true time.
    clock.off_by(0);
    let (since, _) = measure(&mut world, 35.0, Duration::from_secs(1)).await;
    let on = switched(&mut world, 35.0, true).await;
    let good = in_time("on", &on, since, HOLD_SEC);
    assert!(good > 0, "{good}");
    let hour = 1_000 * HOUR_SEC;
    let ahead = charted(&world, since + hour..=now_ms() + hour).await;
    eprintln!("{ahead} of the readings since then are charted an hour ahead");
    // A device that runs is switched off.
    let stepped = now_ms();
    clock.off_by(2 * HOUR_SEC);
    let off = switched(&mut world, 35.0, false).await;
    eprintln!("off {} ms after the step", off.at - stepped);
    assert!(off.at - stepped < LATE_MS);
    assert!(world.server.terminate().await.0.success());
}

/// How a start went.
#[derive(Debug)]
enum Start {
    Ended(ExitStatus),
    Ready,
    /// Neither within [`WAIT`].
    Waits,
}

const WAIT: Duration = Duration::from_secs(5);

/// Starts a server with so little address space, and kills it if it has not ended.
async fn start_with(mib: u64, home: &Home) -> Start {
    let path = home.path("starts");
    let mut server = harit()
        .args(["serve", "--http", "127.0.0.1:0", "--mqtt", "127.0.0.1:0"])
        .arg("--data-dir")
        .arg(home.data())
        .env("MEMORY_KIB", (mib << 10).to_string())
        .stdout(Stdio::null())
        .stderr(fs::File::create(&path).unwrap())
        .spawn()
        .unwrap();
    let log = || fs::read_to_string(&path).unwrap();
    let seen = timeout(WAIT, async {
        loop {
            if let Some(status) = server.try_wait().unwrap() {
                return Start::Ended(status);
            }
            if log().contains(" ready ") {
                return Start::Ready;
            }
            sleep(Duration::from_millis(10)).await;
        }
    });
    let seen = seen.await.unwrap_or(Start::Waits);
    server.kill().await.unwrap();
    let log = log();
    let mut said = log.lines().filter(|l| !l.contains("note: "));
    eprintln!("{mib} MiB: {seen:?}: {}", said.next_back().unwrap_or(""));
    seen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "starts servers again and again: make test-services"]
async fn a_start_without_enough_memory_leaves_what_the_next_one_takes() {
    let _machine = machine().await;
    let known = farm::seeded().await;
    let mut not_ready = 0;
    for mib in (64..=512).step_by(32) {
        let new = Home::empty();
        let mut ready = 0;
        for home in [&known, &new] {
            match start_with(mib, home).await {
                Start::Ready => ready += 1,
                Start::Ended(status) => assert!(!status.success()),
                Start::Waits => {}
            }
            home.server(&[], &[]).await.kill().await;
        }
        if ready == 2 {
            break;
        }
        not_ready += 2 - ready;
    }
    assert!(not_ready > 0);
    let server = known.server(&[], &[]).await;
    Api::of(&server, GREEN).await.of_farm("devices").await;
}

/// The address space of a server that is attacked: enough for its work.
const MEMORY_MIB: u64 = 640;
/// Controllers that send reports, and those that never finish a message.
const FLOODS: usize = 6;
const HALVES: usize = 40;
/// How long the farm works before, and is attacked then.
const WORK: Duration = Duration::from_secs(1);
const ATTACK: Duration = Duration::from_secs(3);

fn attacker(n: usize) -> Account {
    Account::numbered("A4CF18", n)
}

/// What Linux says of a process, unless it has ended.
fn status(id: u32) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    (!status.contains("zombie")).then_some(status)
}

/// Leaves a process no more address space than it has now and so many mebibytes.
fn leave(id: u32, mib: u64) {
    let status = status(id).unwrap();
    let size = status.lines().find_map(|l| l.strip_prefix("VmSize:"));
    let kib = size.unwrap().trim().strip_suffix(" kB").unwrap();
    let kib: u64 = kib.parse().unwrap();
    let limit = Rlimit {
        current: Some((kib + (mib << 10)) << 10),
        maximum: None,
    };
    prlimit(Pid::from_raw(id.cast_signed()), Resource::As, limit).unwrap();
}

/// A connection in the middle of a large message.
async fn half_sent(account: &Account, port: u16) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let topic = format!("{}telemetry", account.topic);
    let message = publish(false, &topic, Some(1), &vec![b' '; 250 << 10]);
    // The server may end meanwhile.
    let _ = stream.write_all(&hello(account)).await;
    let _ = stream.write_all(&message[..message.len() - 1]).await;
    stream
}

/// A report of many sensors.
fn report(n: usize) -> Vec<u8> {
    let sensors: Vec<Value> = (0..1_500)
        .map(|s| json!({"id": format!("s-{n}-{s}"), "type": "temperature", "unit": "°C"}))
        .collect();
    let report = json!({"online": true, "sensors": sensors});
    report.to_string().into_bytes()
}

/// Measures again and again, and adds the timestamps that are acknowledged; until it is over or the connection is.
async fn acknowledged(world: &World, within: Duration, all: &mut BTreeSet<i64>) {
    let _over = timeout(within, async {
        loop {
            let (ts, answer) = world.link.reading("t1", 20.0);
            if answer.await.is_err() {
                return;
            }
            all.insert(ts);
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes memory: make test-services"]
async fn nothing_acknowledged_is_lost_for_want_of_memory() {
    let _machine = machine().await;
    // How much of it is left when the attack begins.
    for left_mib in [Some(4), None] {
        let accounts: Vec<Account> = (0..FLOODS + HALVES).map(attacker).collect();
        let home = farm::seeded_with(&accounts).await;
        let memory = (MEMORY_MIB << 10).to_string();
        // Each thread takes some of it.
        let environment = [("MEMORY_KIB", &*memory), ("TOKIO_WORKER_THREADS", "2")];
        let mut world = World::of(home, &environment).await;
        let mut all = BTreeSet::new();
        acknowledged(&world, WORK, &mut all).await;
        let before = all.len();
        assert!(before > 0);

        let (id, port) = (world.server.id(), world.server.mqtt);
        if let Some(left) = left_mib {
            leave(id, left);
        }
        let (floods, halves) = accounts.split_at(FLOODS);
        let floods = floods.iter().enumerate();
        let floods = floods.map(|(n, a)| Flood::report(a, &report(n))).collect();
        let attack = Attack::of(port, floods, Duration::from_millis(20));
        let halves = join_all(halves.iter().map(|a| half_sent(a, port))).await;
        acknowledged(&world, ATTACK, &mut all).await;
        drop((attack, halves));
        let lives = status(id).is_some();
        let then = all.len() - before;
        eprintln!(
            "{left_mib:?} MiB left: lives {lives}; {before} acknowledged before, {then} then"
        );
        let log = fs::read_to_string(&world.server.log).unwrap();
        let told = log.lines().filter(|l| !l.contains(" INFO "));
        eprintln!("{}", told.collect::<Vec<_>>().join("\n"));
        if lives {
            eprintln!("/readyz says {}", world.readyz().await);
            // With memory it goes on by itself.
            leave(id, MEMORY_MIB);
            world.ready().await;
        }

        world.server.kill().await;
        let mut server = world.home.server(&[], &[]).await;
        let [_, inputs] = world.home.exported(GREEN).await;
        let kept: BTreeSet<i64> = fs::read_to_string(inputs)
            .unwrap()
            .lines()
            .map(|l| serde_json::from_str::<Value>(l).unwrap())
            .filter(|i| i["input"] == "telemetry")
            .map(|i| i.get("ts").unwrap_or(&i["at"]).as_i64().unwrap())
            .collect();
        let lost: Vec<&i64> = all.difference(&kept).collect();
        assert!(lost.is_empty(), "{} of {}", lost.len(), all.len());
        server.kill().await;
    }
}
