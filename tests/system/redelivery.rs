//! Controllers that send again what was not acknowledged, each message with its number, and what a journal has of them.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use harit_load::{BenchFarms, Shape};
use serde_json::Value;
use tokio::time::{Instant, sleep, sleep_until};

use crate::controller::Controller;
use crate::farm::{Account, Api, now_ms};
use crate::server::{Home, Server, patience};

/// How often a controller measures.
const EVERY: Duration = Duration::from_millis(160);
/// So many messages have the same values, longer than the shortest hold: rules start and stop.
const STEADY: u64 = 16;
/// Messages of a controller that wait for their acknowledgement.
const WAITING: usize = 8;
/// Of so many messages of a controller the server knows a repetition: what is sent again has to be among them.
const REMEMBERED: usize = 16;

/// What the controllers of one life of a server have in common.
#[derive(Default)]
pub(crate) struct Load {
    pub(crate) connected: AtomicUsize,
    /// Messages.
    pub(crate) acknowledged: AtomicU64,
    /// The server was, or is about to be.
    pub(crate) killed: AtomicBool,
    /// Nothing new is measured.
    pub(crate) ending: AtomicBool,
}

/// A controller of [`BenchFarms`] and what it remembers over all lives of the server.
pub(crate) struct Sender {
    pub(crate) n: usize,
    farms: BenchFarms,
    controller: Controller,
    /// The number of its last message.
    pub(crate) sent: u64,
    /// When that was measured.
    at: i64,
    /// The newest number that was acknowledged.
    pub(crate) acknowledged: u64,
    unacknowledged: VecDeque<(u64, Value)>,
}

impl Sender {
    pub(crate) fn new(n: usize, farms: BenchFarms) -> Self {
        let of = farms.account(n);
        let account = Account {
            topic: format!("harit/1/{}/{}/", of.farm, of.mac),
            polyhouse: BenchFarms::HOUSE.to_owned(),
            mac: of.mac,
            secret: of.secret,
        };
        let fans = [format!("c{n}-fan"), format!("c{n}-fan-2")];
        let fans = fans.each_ref().map(String::as_str);
        Self {
            n,
            farms,
            controller: Controller::new(&account, &[], &fans),
            sent: 0,
            at: 0,
            acknowledged: 0,
            unacknowledged: VecDeque::new(),
        }
    }

    /// What the message of that number says, but for number and time.
    fn message(&self, number: u64) -> Value {
        let turn = usize::try_from(number / STEADY).unwrap();
        serde_json::from_str(&self.farms.payload(self.n, turn, Shape::Full)).unwrap()
    }

    /// Measures; the message is sent in the same bytes as often as it has to be.
    fn measure(&mut self) -> &Value {
        self.sent += 1;
        // Each at an instant of its own, in order.
        self.at = now_ms().max(self.at + 1);
        let mut message = self.message(self.sent);
        message["seq"] = self.sent.into();
        message["ts"] = self.at.into();
        self.unacknowledged.push_back((self.sent, message));
        &self.unacknowledged.back().unwrap().1
    }

    /// Sends until the connection ends; in the end, until all is acknowledged.
    pub(crate) async fn live(mut self, port: u16, load: Arc<Load>) -> Self {
        let link = self.controller.connect(port).await;
        let again = self.unacknowledged.iter().map(|(_, m)| link.telemetry(m));
        let mut waiting: VecDeque<_> = again.collect();
        load.connected.fetch_add(1, Ordering::Relaxed);
        // Not all of them measure in the same instant.
        let mut due = Instant::now() + EVERY * u32::try_from(self.n % 16).unwrap() / 16;
        loop {
            let ending = load.ending.load(Ordering::Relaxed);
            if ending && waiting.is_empty() {
                return self;
            }
            let (any, room) = (!waiting.is_empty(), waiting.len() < WAITING);
            tokio::select! {
                answer = async { waiting.front_mut().expect("there is one").await }, if any => {
                    if answer.is_err() {
                        break;
                    }
                    waiting.pop_front();
                    self.acknowledged = self.unacknowledged.pop_front().unwrap().0;
                    load.acknowledged.fetch_add(1, Ordering::Relaxed);
                }
                () = sleep_until(due), if room && !ending => {
                    due += EVERY;
                    waiting.push_back(link.telemetry(self.measure()));
                }
            }
        }
        let n = self.n;
        let killed = load.killed.load(Ordering::Relaxed);
        assert!(killed, "controller {n} lost a server that runs");
        // Acknowledgements come in order, but that is not for this side to take for granted.
        let left = self.unacknowledged.split_off(0);
        for (mut wait, (number, message)) in waiting.into_iter().zip(left) {
            match wait.try_recv() {
                Ok(()) => self.acknowledged = number,
                Err(_) => self.unacknowledged.push_back((number, message)),
            }
        }
        self
    }
}

/// What a journal has of a controller, as it is read.
#[derive(Default, Clone)]
struct Logged {
    last: u64,
    /// Number and checksum.
    recent: VecDeque<(u64, u64)>,
    /// The messages that were journaled once more after a kill: the server knows them for what they are.
    again: u64,
    lost: u64,
    doubled: u64,
    /// The values of messages around the last.
    values: (u64, Vec<f64>),
}

/// The readings of a message, of an export's line or as it was sent.
fn values(message: &Value, field: &str) -> Vec<f64> {
    let readings = message["sensors"].as_array().expect("readings").iter();
    readings.map(|r| r[field].as_f64().unwrap()).collect()
}

impl Logged {
    fn take(&mut self, line: &Value, sender: &Sender) {
        let [number, crc] = ["seq", "crc"].map(|field| line[field].as_u64().unwrap());
        if self.recent.contains(&(number, crc)) {
            self.again += 1;
            return;
        }
        self.recent.push_back((number, crc));
        if self.recent.len() > REMEMBERED {
            self.recent.pop_front();
        }
        self.lost += number.saturating_sub(self.last + 1);
        self.doubled += u64::from(number <= self.last);
        self.last = self.last.max(number);
        if self.values.1.is_empty() || self.values.0 != number / STEADY {
            let sent = sender.message(number);
            self.values = (number / STEADY, values(&sent, "latestValue"));
        }
        let n = sender.n;
        let logged = values(line, "value");
        assert_eq!(logged, self.values.1, "message {number} of controller {n}");
    }
}

/// How many messages a data directory's journal has, and how many of them were journaled once more: all that were acknowledged, none
/// twice, and in order, or it fails.
pub(crate) async fn judged(
    home: &Home,
    data: &Path,
    senders: &[Sender],
    acknowledged: &[u64],
) -> (u64, u64) {
    let mut all = vec![Logged::default(); senders.len()];
    let farms = senders[0].farms;
    let of_macs = senders.iter().map(|s| (farms.account(s.n).mac, s.n));
    let of_macs: BTreeMap<String, usize> = of_macs.collect();
    for farm in 0..farms.farms {
        let [_, inputs] = home.exported_from(data, &farms.account(farm).farm).await;
        for line in BufReader::new(File::open(inputs).unwrap()).lines() {
            let line = line.unwrap();
            // Of the others there are many, and some are long.
            if line.contains(r#""input":"telemetry""#) {
                let line: Value = serde_json::from_str(&line).unwrap();
                let n = of_macs[line["mac"].as_str().unwrap()];
                all[n].take(&line, &senders[n]);
            }
        }
    }
    for ((logged, acknowledged), sender) in all.iter_mut().zip(acknowledged).zip(senders) {
        logged.lost += acknowledged.saturating_sub(logged.last);
        assert!(logged.last <= sender.sent, "nobody sent that");
    }
    let sum = |of: fn(&Logged) -> u64| all.iter().map(of).sum::<u64>();
    let (lost, doubled) = (sum(|l| l.lost), sum(|l| l.doubled));
    assert_eq!(
        (lost, doubled),
        (0, 0),
        "messages that are lost, and doubled"
    );
    (sum(|l| l.last), sum(|l| l.again))
}

/// What a server counts in the charts of the first farm, to which somebody signs in, is what was sent: it knows what was sent again.
pub(crate) async fn charted(server: &Server, who: (&str, &str), senders: &[Sender]) {
    let farms = senders[0].farms;
    let (contact, password) = who;
    let api = Api::sign_in(server, &farms.account(0).farm, contact, password).await;
    for n in farms.controllers_of(0) {
        let sent = senders[n].sent;
        for k in 0..farms.values {
            let path = format!("sensors/c{n}-s{k}/history");
            // They may be a second old where many are asked for.
            let (until, mut count) = (Instant::now() + patience(), 0);
            while count < sent && Instant::now() < until {
                let history = api.of_farm(&path).await;
                let points = history["points"].as_array().unwrap().iter();
                count = points.map(|p| p["count"].as_u64().unwrap()).sum();
                sleep(Duration::from_millis(20)).await;
            }
            assert_eq!(count, sent, "sensor {k} of controller {n}");
        }
    }
}
