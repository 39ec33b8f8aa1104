//! `kill -9` at random instants, in the middle of holds and of running rules.
//!
//! Several worlds at once, each a server and a controller that goes on measuring. What has to happen follows from when its
//! readings were acknowledged: a hold that began at t0 is over at t0 + N s, and acts then, or with the first reading after
//! the restart if the server was down or had no new evidence by then; never before, and never a full hold later. Afterwards
//! the exported journal is replayed, and every command that arrived must be one that the replay decides too.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use futures_util::future::join_all;
use harit_testkit::Dice;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::controller::{Controller, Link, Received};
use crate::farm::{self, Api, GREEN, now_ms};
use crate::random::{between, dice};
use crate::server::{Home, Server, machine, run};

/// Worlds at once.
const WORLDS: u64 = 5;
/// Times a rule fires and stops in each. Every round has two kills, one in the hold and one in the run.
const ROUNDS: usize = 2;
/// How often the controller measures.
const EVERY: Duration = Duration::from_millis(250);
/// How late something may come on a machine that has other things to do, in milliseconds.
const LATE_MS: i64 = 2_500;

fn hold_sec() -> u64 {
    let given = std::env::var("HARIT_HOLD_SEC").ok();
    given.map_or(6, |s| {
        s.parse().expect("HARIT_HOLD_SEC is a number of seconds")
    })
}

/// How long a kill may take to arrive, in milliseconds: near the deadline either may be first.
const KILL_TAKES_MS: i64 = 200;

struct World {
    number: u64,
    home: Home,
    server: Server,
    controller: Controller,
    link: Link,
    dice: Dice,
    kills: usize,
    /// The rule's holds, of the trigger and of the stop condition, in ms.
    hold_ms: u64,
    /// What the rule has to have done: which event, from when on, and until when.
    expected: Vec<(&'static str, i64, i64)>,
}

/// What a phase of constant values showed.
struct Phase {
    /// When the first reading was taken that changed the condition.
    began: i64,
    /// When the server was killed.
    killed: i64,
    /// When the first reading was taken that was acknowledged after the restart.
    resumed: i64,
    command: Received,
}

impl World {
    async fn new(number: u64, mut dice: Dice, hold_sec: u64) -> Self {
        // They do not all start in the same second.
        sleep(between(&mut dice, 0, 1_500)).await;
        let home = farm::seeded().await;
        let server = farm::server(&home).await;
        let api = Api::of(&server, GREEN).await;
        let account = api.register(&format!("A4CF120C00{number:02X}")).await;
        let controller = Controller::new(&account, &["t1"], &["fan-1"]);
        let link = controller.connect(server.mqtt).await;
        api.device_online("fan-1").await;
        let scope = json!({"type": "farm", "farmId": GREEN});
        api.rule("cool", "fan-1", &scope, hold_sec, hold_sec).await;
        Self {
            number,
            home,
            server,
            controller,
            link,
            dice,
            kills: 0,
            hold_ms: hold_sec * 1_000,
            expected: Vec::new(),
        }
    }

    /// Measures that value once; its timestamp if the reading was acknowledged.
    async fn measure(&self, value: f64) -> Option<i64> {
        let (ts, acknowledged) = self.link.reading("t1", value);
        let done = timeout(Duration::from_secs(10), acknowledged).await;
        done.expect("an answer or the end").ok().map(|()| ts)
    }

    async fn kill_and_restart(&mut self) {
        self.server.kill().await;
        self.kills += 1;
        let down = between(&mut self.dice, 0, 2_500);
        sleep(down).await;
        self.server.start().await;
        self.link = self.controller.connect(self.server.mqtt).await;
        // Until it measures, there is no new evidence.
        sleep(between(&mut self.dice, 0, 600)).await;
    }

    /// The value holds from now on; the server is killed once, that long after the first reading; at last the command comes.
    async fn phase(&mut self, value: f64, on: bool, kill_after: Duration) -> Phase {
        let seen = self.controller.received().len();
        let began = self.measure(value).await.expect("the server is up");
        let kill_at = began + i64::try_from(kill_after.as_millis()).unwrap();
        let (mut killed, mut resumed) = (began, None);
        let patience = i64::try_from(self.hold_ms).unwrap() + 20_000;
        loop {
            if resumed.is_none() {
                let left = u64::try_from(kill_at - now_ms()).unwrap_or(0);
                sleep(EVERY.min(Duration::from_millis(left))).await;
                if now_ms() >= kill_at {
                    killed = now_ms();
                    self.kill_and_restart().await;
                    resumed = Some(self.measure(value).await.expect("the server is up again"));
                    continue;
                }
            } else {
                sleep(EVERY).await;
            }
            self.measure(value).await.expect("the server is up");
            let found = self
                .controller
                .received()
                .into_iter()
                .skip(seen)
                .find(|r| r.on() == on && is_rules(r, on));
            if let (Some(command), Some(resumed)) = (found, resumed) {
                return Phase {
                    began,
                    killed,
                    resumed,
                    command,
                };
            }
            assert!(
                now_ms() < began + patience,
                "world {}: no command",
                self.number
            );
        }
    }

    /// The command came when it had to.
    fn check(&mut self, what: &str, event: &'static str, phase: &Phase) {
        let deadline = phase.began + i64::try_from(self.hold_ms).unwrap();
        let due = deadline.max(phase.resumed);
        let earliest = if phase.killed + KILL_TAKES_MS < deadline {
            due
        } else {
            deadline
        };
        self.expected.push((event, earliest, due + LATE_MS));
        let at = phase.command.at;
        eprintln!(
            "world {} {what}: first evidence after the restart {:+} ms, command {:+} ms from the deadline",
            self.number,
            phase.resumed - deadline,
            at - deadline
        );
        assert!(
            at >= deadline,
            "world {}: {what} {} ms too early",
            self.number,
            deadline - at
        );
        assert!(
            at <= due + LATE_MS,
            "world {}: {what} {} ms too late",
            self.number,
            at - due
        );
    }

    async fn round(&mut self) {
        // Somewhere in the hold; at times around its end, so that some kills fall between the journal and the publish.
        let near_the_end = self.dice.below(3) == 0;
        let kill = if near_the_end {
            between(&mut self.dice, self.hold_ms - 30, self.hold_ms + 100)
        } else {
            between(&mut self.dice, 50, self.hold_ms - 100)
        };
        let fired = self.phase(35.0, true, kill).await;
        self.check("on", "rule_fired", &fired);
        // While it runs: before the stop's hold, or in it.
        if self.dice.below(2) == 0 {
            self.measure(35.0).await.expect("the server is up");
            self.kill_and_restart().await;
            for _ in 0..2 {
                sleep(EVERY).await;
                self.measure(35.0).await.expect("the server is up");
            }
            let off = self
                .controller
                .received()
                .into_iter()
                .filter(|r| r.at > fired.command.at && !r.on())
                .count();
            assert_eq!(off, 0, "world {}: the rule goes on running", self.number);
        }
        let kill = between(&mut self.dice, 50, self.hold_ms - 100);
        let stopped = self.phase(20.0, false, kill).await;
        self.check("off", "rule_stopped", &stopped);
    }

    /// What arrived, against a replay of the journal.
    async fn replayed(&self) {
        let [farm, inputs] = self.home.exported(GREEN).await;
        let events = self.home.path("events.jsonl");
        let events = events.to_str().unwrap();
        let replayed = run(&[
            "replay", "--farm", &farm, "--inputs", &inputs, "--out", events,
        ])
        .await;
        assert!(replayed.status.success(), "{replayed:?}");
        let (inputs, events) = (lines(&inputs), lines(events));
        let happened: Vec<(&str, i64)> = events
            .iter()
            .map(|e| (e["event"].as_str().unwrap(), e["at"].as_i64().unwrap()))
            .filter(|(event, _)| event.starts_with("rule_"))
            .collect();
        assert_eq!(happened.len(), self.expected.len(), "{happened:?}");
        for ((event, at), (expected, earliest, latest)) in happened.iter().zip(&self.expected) {
            assert_eq!(event, expected);
            assert!(
                (*earliest..=*latest).contains(at),
                "world {}: {event} {:+} ms from the earliest, {latest} the latest",
                self.number,
                at - earliest
            );
        }
        let decided: BTreeMap<u64, &Value> = events
            .iter()
            .filter(|e| e["event"] == "command")
            .map(|e| (number(e["command_id"].as_str().unwrap()), e))
            .collect();
        let received = self.controller.received();
        let mut newest = 0;
        let mut first: BTreeMap<u64, &Received> = BTreeMap::new();
        for r in &received {
            let n = number(r.id());
            let same = decided
                .get(&n)
                .unwrap_or_else(|| panic!("{} was never decided: {r:?}", r.id()));
            let action = if r.on() { "on" } else { "off" };
            assert_eq!(
                (&same["action"], &same["device"]),
                (&json!(action), &json!("fan-1")),
                "{r:?}"
            );
            let earlier = first.entry(n).or_insert(r);
            assert_eq!(
                earlier.body["action"], r.body["action"],
                "one id, one command"
            );
            if std::ptr::eq(*earlier, r) {
                assert!(n > newest, "ids only grow: {n} after {newest}");
                newest = n;
            }
        }
        // The same setting again is no second decision of a rule: only a restart, or a device that came (back) online, asks
        // for what holds to be sent once more.
        let told_again: Vec<i64> = inputs
            .iter()
            .filter(|i| i["input"] == "resumed" || i["input"] == "report")
            .map(|i| i["at"].as_i64().unwrap())
            .collect();
        let all: Vec<&Value> = decided.into_values().collect();
        for pair in all.windows(2) {
            let again = told_again.contains(&pair[1]["at"].as_i64().unwrap());
            assert!(
                pair[0]["action"] != pair[1]["action"] || again,
                "world {}: {pair:?}",
                self.number
            );
        }
        let resumed = inputs.iter().filter(|i| i["input"] == "resumed").count();
        assert!(
            resumed > self.kills,
            "every restart is in the journal: {resumed}"
        );
        eprintln!(
            "world {}: {} kills, {} commands decided, {} received, {} deliveries",
            self.number,
            self.kills,
            all.len(),
            first.len(),
            received.len()
        );
    }
}

/// Whether a command is the rule's own, or its end's.
fn is_rules(command: &Received, on: bool) -> bool {
    !on || command.body["owner"]["rule_id"] == "cool"
}

fn number(id: &str) -> u64 {
    id.strip_prefix("green-")
        .and_then(|n| n.parse().ok())
        .unwrap_or_else(|| panic!("{id} is no id"))
}

fn lines(path: &str) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

async fn live(number: u64, dice: Dice, hold_sec: u64) -> usize {
    let mut world = World::new(number, dice, hold_sec).await;
    for _ in 0..ROUNDS {
        world.round().await;
    }
    let (status, _) = world.server.terminate().await;
    assert!(status.success());
    world.replayed().await;
    world.kills
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_in_holds_and_runs() {
    let _machine = machine().await;
    let mut dice = dice("kills");
    let hold_sec = hold_sec();
    let worlds = (0..WORLDS).map(|n| live(n, Dice::new(dice.roll()), hold_sec));
    let kills: usize = join_all(worlds).await.into_iter().sum();
    eprintln!("{kills} kills, holds of {hold_sec} s");
    assert!(kills >= 20);
}
