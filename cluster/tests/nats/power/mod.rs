//! Three servers of NATS that lose power, on [disks](disk) that forget what was not synced: all at once, some while another one stands
//! still, and a file of one that is damaged.
//!
//! Nothing that was acknowledged may be lost, nothing be there twice, and what was not acknowledged is there as it was or not at all. Needs
//! root and /dev/fuse: `make test-power-loss`. `HARIT_CUTS` is how often, of each kind.

mod disk;
mod mount;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use harit_cluster::{JetStreamJournal, Nats, Partition, Settings};
use harit_journal::{Journal as _, JournalError, JournalRead as _, WriteError};

use crate::faults::Dice;
use crate::server::{AT, PATIENCE, Server, all, connect, journal, small};
use mount::Mounted;

/// How many journals are appended to at a time. With each round the oldest ends and a new one begins.
const AT_WORK: usize = 3;

fn cuts() -> usize {
    let given = std::env::var("HARIT_CUTS").ok();
    given.map_or(5, |n| n.parse().expect("HARIT_CUTS is a number"))
}

/// Three machines: a server of NATS with a disk each.
struct Machines {
    // They end before their disks do.
    servers: [Server; 3],
    disks: [Mounted; 3],
}

impl Machines {
    fn new(own: &[(&str, &str)]) -> Self {
        let disks = [(); 3].map(|()| Mounted::new());
        let servers = Server::three_on(disks.each_ref().map(|disk| Some(disk.path())), own);
        Self { servers, disks }
    }

    fn nats(&self) -> Nats {
        connect(&self.servers.each_ref().map(|server| server.port))
    }

    /// Cuts the power of some at one instant, and gives it back.
    fn cut(&mut self, which: &[usize], dice: &mut Dice) {
        which.iter().for_each(|n| self.servers[*n].kill());
        which.iter().for_each(|n| self.disks[*n].cut(dice));
        which.iter().for_each(|n| self.servers[*n].run());
    }
}

/// A journal, and what of it was acknowledged.
struct Log {
    partition: Partition,
    journal: JetStreamJournal,
    bodies: Vec<Vec<u8>>,
    /// Up to where batches were removed.
    trimmed: u64,
    snapshot: Option<(u64, Vec<u8>)>,
    dice: Dice,
    longest: Duration,
}

/// Repeats what may have happened until it is known to have.
fn known<T>(mut what: impl FnMut() -> Result<T, WriteError>) -> T {
    let until = Instant::now() + PATIENCE;
    loop {
        match what() {
            Ok(done) => return done,
            Err(WriteError::Unavailable(_)) if Instant::now() < until => {}
            Err(e) => panic!("{e}"),
        }
        sleep(Duration::from_millis(10));
    }
}

/// Asks again where there is no leader to answer, or one that stood still may answer of what it had then.
fn answered<T>(mut what: impl FnMut() -> Result<T, JournalError>) -> T {
    let until = Instant::now() + PATIENCE;
    loop {
        match what() {
            Ok(answer) => return answer,
            Err(JournalError::Storage { .. }) if Instant::now() < until => {}
            Err(e @ JournalError::Lost { .. }) if Instant::now() < until => {
                println!("for now: {e}");
            }
            Err(e) => panic!("{e}"),
        }
        sleep(Duration::from_millis(100));
    }
}

impl Log {
    fn new(nats: &Nats, settings: &Settings, dice: &mut Dice) -> Self {
        let (partition, journal) = journal(nats, settings);
        Self {
            partition,
            journal,
            bodies: Vec::new(),
            trimmed: 0,
            snapshot: None,
            dice: Dice::of(dice.below(u64::MAX)),
            longest: Duration::ZERO,
        }
    }

    /// Appends, and now and then stores a snapshot and removes what is before it, until it is over.
    fn append(&mut self, over: &AtomicBool) {
        let began = self.bodies.len();
        while !over.load(Ordering::SeqCst) || self.bodies.len() < began + 5 {
            let most = if self.dice.below(50) == 0 {
                300_000
            } else {
                3_000
            };
            let size = usize::try_from(self.dice.below(most)).unwrap();
            let (body, started) = (self.dice.bytes(size), Instant::now());
            let after = self.journal.last();
            let seq = known(|| self.journal.append(after, AT, 1, &body));
            assert_eq!(seq, after + 1);
            self.longest = self.longest.max(started.elapsed());
            self.bodies.push(body);
            if self.dice.below(40) == 0 {
                let size = usize::try_from(self.dice.below(400_000)).unwrap();
                let state = self.dice.bytes(size);
                known(|| self.journal.put_snapshot(seq, AT, &state));
                self.snapshot = Some((seq, state));
                self.trimmed = self.trimmed.max(seq - self.dice.below(seq));
                while known(|| self.journal.trim(self.trimmed)) {}
            }
        }
    }

    /// Opens it anew and looks at what is there.
    fn judge(&mut self, nats: &Nats, settings: &Settings) {
        self.journal = answered(|| JetStreamJournal::open(nats, &self.partition, settings));
        let found = answered(|| match all(&self.journal) {
            (found, None) => Ok(found),
            (_, Some(e)) => Err(e),
        });
        let whose = self.partition.stream();
        let last = self.bodies.len() as u64;
        assert_eq!(self.journal.last(), last, "{whose}");
        let first = found.first().map_or(last + 1, |(seq, _)| *seq);
        assert!(first <= self.trimmed + 1, "{whose}: begins with {first}");
        let kept = usize::try_from(first - 1).unwrap();
        let wanted = self.bodies[kept..].iter().zip(first..);
        assert!(
            wanted
                .map(|(b, n)| (n, b))
                .eq(found.iter().map(|(n, b)| (*n, b))),
            "{whose}: {} of {last} from {first} on",
            found.len()
        );
        if let Some((seq, state)) = &self.snapshot {
            let found = answered(|| self.journal.snapshot(*seq));
            assert!(found == *state, "{whose}: snapshot {seq}");
        }
    }
}

fn of_three() -> Settings {
    Settings {
        replicas: 3,
        ..small()
    }
}

/// Has journals appended to while something is done to the machines, again and again, and looks at what is there after each time.
fn under(what: &str, mut happen: impl FnMut(&mut Machines, &mut Dice)) {
    let (mut dice, mut machines) = (Dice::new(), Machines::new(&[]));
    let (nats, settings) = (machines.nats(), of_three());
    let (mut at_work, mut ended) = (Vec::new(), Vec::new());
    for _ in 0..cuts() {
        if at_work.len() == AT_WORK {
            ended.push(at_work.remove(0));
        }
        at_work.push(Log::new(&nats, &settings, &mut dice));
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let over = &over;
            for log in &mut at_work {
                scope.spawn(move || log.append(over));
            }
            sleep(Duration::from_millis(dice.below(1_500)));
            happen(&mut machines, &mut dice);
            sleep(Duration::from_millis(dice.below(500)));
            over.store(true, Ordering::SeqCst);
        });
        for log in &mut at_work {
            log.judge(&nats, &settings);
        }
    }
    ended.append(&mut at_work);
    for log in &mut ended {
        log.judge(&nats, &settings);
    }
    let batches: usize = ended.iter().map(|log| log.bodies.len()).sum();
    let longest = ended.iter().map(|log| log.longest).max().unwrap();
    println!(
        "{what}, {} times: {batches} batches acknowledged in {} journals, none lost; {longest:.1?} at most for one",
        cuts(),
        ended.len()
    );
}

#[test]
#[ignore = "needs nats-server, root and /dev/fuse: make test-power-loss"]
fn all_lose_power_at_once() {
    under("all lose power at once", |machines, dice| {
        machines.cut(&[0, 1, 2], dice);
    });
}

/// The disks do forget, and it is seen: servers that sync later than they acknowledge lose something.
#[test]
#[ignore = "needs nats-server, root and /dev/fuse: make test-power-loss"]
fn without_syncing_something_is_lost() {
    let mut dice = Dice::new();
    for _ in 0..20 {
        let later = [("sync_interval: always", "sync_interval: 2m")];
        let mut machines = Machines::new(&later);
        let (nats, settings) = (machines.nats(), of_three());
        let mut log = Log::new(&nats, &settings, &mut dice);
        log.append(&AtomicBool::new(true));
        drop(nats);
        machines.cut(&[0, 1, 2], &mut dice);
        let (nats, until) = (machines.nats(), Instant::now() + PATIENCE / 2);
        let found = loop {
            match JetStreamJournal::open(&nats, &log.partition, &settings) {
                Err(JournalError::Storage { .. }) if Instant::now() < until => {
                    sleep(Duration::from_millis(100));
                }
                found => break found,
            }
        };
        match found {
            Ok(journal) if all(&journal).0.len() == log.bodies.len() => {}
            found => return println!("{:?}", found.map(|journal| journal.last())),
        }
    }
    panic!("nothing was lost in twenty power cuts");
}

#[test]
#[ignore = "needs nats-server, root and /dev/fuse: make test-power-loss"]
fn some_lose_power_while_one_stands_still() {
    under(
        "some lose power while one stands still",
        |machines, dice| {
            let still = usize::try_from(dice.below(3)).unwrap();
            machines.servers[still].signal("-STOP");
            // Long enough for another leader, or not.
            sleep(Duration::from_millis(dice.below(8_000)));
            let others = [(still + 1) % 3, (still + 2) % 3];
            let count = 1 + usize::try_from(dice.below(2)).unwrap();
            machines.cut(&others[..count], dice);
            sleep(Duration::from_millis(dice.below(8_000)));
            machines.servers[still].signal("-CONT");
        },
    );
}

/// Flips a bit of a file, or cuts it off.
fn damage(path: &Path, dice: &mut Dice) {
    let mut bytes = fs::read(path).unwrap();
    let at = usize::try_from(dice.below(bytes.len() as u64)).unwrap();
    match dice.below(2) {
        0 => bytes[at] ^= 1 << dice.below(8),
        _ => bytes.truncate(at),
    }
    fs::write(path, bytes).unwrap();
}

#[test]
#[ignore = "needs nats-server, root and /dev/fuse: make test-power-loss"]
fn a_file_of_one_is_damaged() {
    under("a file of one is damaged", |machines, dice| {
        let [one, other] = [0, 1].map(|_| usize::try_from(dice.below(3)).unwrap());
        machines.servers[one].kill();
        // What was stored of messages, streams and snapshots.
        let is_damaged = |path: &std::path::PathBuf| {
            let is_empty = fs::metadata(path).unwrap().len() == 0;
            let kind = path.extension().and_then(|e| e.to_str());
            let is_snapshot = path.parent().is_some_and(|p| p.ends_with("snapshots"));
            !is_empty && (is_snapshot || matches!(kind, Some("blk" | "db" | "inf" | "sum")))
        };
        let files = machines.disks[one].files().into_iter();
        let files: Vec<_> = files.filter(is_damaged).collect();
        let chosen = usize::try_from(dice.below(files.len() as u64)).unwrap();
        println!("{}", files[chosen].display());
        damage(&files[chosen], dice);
        machines.servers[one].run();
        // Another one leads afterwards, perhaps the damaged one.
        sleep(Duration::from_millis(dice.below(8_000)));
        machines.servers[other].kill();
        sleep(Duration::from_millis(dice.below(8_000)));
        machines.servers[other].run();
    });
}
