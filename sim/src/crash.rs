//! A crash at every point of a short log: every turn, and every stage within it.
//!
//! A log is recorded from a simulated hour (publishes, people's inputs, lost connections, each in its turn). It is then
//! played to a server that dies at one point, is started again at once and gets redelivered what was not acknowledged; and to
//! one that lives, and is told `Resumed` at that point, because that is what a restart is (semantics.md, section 8). Both must
//! decide the same, command ids included, come to the same state, and drive the same machines to the same end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt as _;
use harit_engine::{FarmId, InputKind};
use harit_ingest::mac::Mac;
use harit_ingest::mqtt::{Batch, Principal, Publish, Receipt};
use harit_ingest::simulation::{
    Archive, Cut, MemoryDisk, Server, ServerConfig, Storage, events_of,
};
use harit_simulate::controller::{Controller, Now};

use crate::plan::{self, FarmPlan};
use crate::rates::Rates;
use crate::time::{START_MS, VirtualTime};
use crate::wire::{Records, Wire};
use crate::world::{Setup, World};

/// How long the recorded log is.
const SPAN_MS: i64 = 300_000;
/// It goes on for so long after its last entry: a pulse that got lost in the crash is not repeated, so all are over.
const TAIL_MS: i64 = 70_000;
/// How often the server looks at the time.
const IDLE_TURN_MS: i64 = 5_000;

/// Something that reached the server.
#[derive(Debug, Clone)]
pub enum Work {
    /// A publish of a controller.
    Publish {
        /// Whose farm.
        farm: FarmId,
        /// Which controller.
        mac: Mac,
        /// The last level of its topic.
        kind: &'static str,
        /// Its payload.
        payload: bytes::Bytes,
    },
    /// A person's input.
    Admit {
        /// Whose farm.
        farm: FarmId,
        /// What.
        kind: Box<InputKind>,
    },
    /// A connection is gone.
    Gone {
        /// Whose farm.
        farm: FarmId,
        /// Which controller's.
        mac: Mac,
    },
}

/// What reached the server, turn by turn.
pub type Log = Vec<(i64, Vec<Work>)>;

/// Where in a log the server dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// In which of the log's turns.
    pub turn: usize,
    /// Where in it.
    pub cut: Cut,
    /// The batch that it had just written is torn, or lost.
    pub torn: Option<bool>,
}

/// All points of a turn.
const STAGES: [(Cut, Option<bool>); 6] = [
    (Cut::Gathered, None),
    (Cut::Committed, Some(true)),
    (Cut::Committed, Some(false)),
    (Cut::Committed, None),
    (Cut::Applied, None),
    (Cut::Acknowledged, None),
];

/// What came of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Outcome {
    events: Vec<String>,
    history: Vec<String>,
    state: Vec<u8>,
    levels: BTreeMap<String, String>,
}

/// The log of a seed, with its farm.
///
/// # Errors
/// When the recording itself goes wrong.
pub fn record(seed: u64) -> Result<(FarmPlan, Log), String> {
    let plan = plan::farm(seed, 1);
    let setup = Setup {
        farms: vec![plan.clone()],
        farm_seeds: vec![seed],
        rates: Rates {
            duplicate: 30,
            lose_down: 30,
            delay_ms: 400,
            batch_ms: 100,
            partitions: 200,
            reboots: 200,
            sensor_faults: 200,
            device_faults: 200,
            wishes: 6_000,
            ..Rates::default()
        },
        seed,
        span_ms: SPAN_MS,
        folder: None,
        clean_crashes: false,
    };
    let mut world = World::new(&setup)?;
    world.record();
    world.run_until(START_MS + SPAN_MS);
    match world.checks.violations.first() {
        Some(v) => Err(v.to_string()),
        None => Ok((plan, world.recorded())),
    }
}

struct Player<'a> {
    plan: &'a FarmPlan,
    time: Arc<VirtualTime>,
    wire: Wire,
    config: ServerConfig,
    server: Server,
    /// Open-loop controllers: they do what they are told, and nobody hears them.
    boxes: BTreeMap<Mac, Controller>,
    folder: PathBuf,
}

fn receive(server: &mut Server, work: &Work) -> Option<Receipt> {
    match work.clone() {
        Work::Publish {
            farm,
            mac,
            kind,
            payload,
        } => {
            let publish = Publish {
                topic: format!("harit/1/{farm}/{mac}/{kind}").into(),
                payload,
                retain: false,
                oversized: None,
            };
            Some(server.receive(Batch {
                from: Some(Principal::Controller { farm, mac }),
                publishes: vec![publish],
            }))
        }
        Work::Admit { farm, kind } => {
            drop(server.admit(&farm, *kind));
            None
        }
        Work::Gone { farm, mac } => {
            server.gone(&farm, mac);
            None
        }
    }
}

impl<'a> Player<'a> {
    fn new(plan: &'a FarmPlan, folder: Option<&Path>) -> Result<Self, String> {
        let time = Arc::new(VirtualTime::default());
        let wire = Wire::default();
        let records = plan.controllers.iter().map(|c| (c.mac, plan.id.clone()));
        let storage = match folder {
            Some(f) => {
                let f = f.join("journal-0");
                std::fs::create_dir_all(&f).map_err(|e| e.to_string())?;
                Storage::File(f)
            }
            None => Storage::Memory(MemoryDisk::default()),
        };
        let config = ServerConfig {
            storage,
            archive: Archive::default(),
            clock: time.clone(),
            directory: Arc::new(Records::new(records.collect())),
            downlink: wire.downlink(),
            presence_grace: std::time::Duration::from_secs(600),
        };
        let mut server = Server::start(&config).map_err(|e| e.to_string())?;
        drop(server.add_farm(plan.document.clone()));
        server.turn(None);
        for c in &plan.controllers {
            wire.connect(c.mac);
        }
        let boxes = plan
            .controllers
            .iter()
            .map(|c| {
                let mut controller = Controller::new(c.spec.clone());
                controller.connected(at(START_MS), &mut Vec::new());
                (c.mac, controller)
            })
            .collect();
        Ok(Self {
            plan,
            time,
            wire,
            config,
            server,
            boxes,
            folder: folder.map(Path::to_owned).unwrap_or_default(),
        })
    }

    /// The controllers do what was sent to them, and what has come due.
    fn obey(&mut self) {
        let now = at(self.time.now_ms());
        give(&mut self.boxes, now, self.wire.take_sent());
        for controller in self.boxes.values_mut() {
            controller.tick(now, &mut |_, _| None, &mut Vec::new());
        }
    }

    /// Time passes: the server does what is due.
    fn pass_to(&mut self, until_ms: i64) {
        loop {
            let now = self.time.now_ms();
            let engine_now = self.server.now().as_millis();
            let next = self
                .server
                .next_deadline()
                .map_or(i64::MAX, |d| d.as_millis().saturating_sub(engine_now));
            let at = now + next.clamp(1, IDLE_TURN_MS);
            if at >= until_ms {
                break;
            }
            self.time.pass_to(at);
            self.server.turn(None);
            self.obey();
        }
        self.time.pass_to(until_ms);
    }

    fn turn(&mut self, works: &[Work]) {
        for work in works {
            drop(receive(&mut self.server, work));
        }
        self.server.turn(None);
        self.obey();
    }

    /// The server dies in this turn, is started at once, and gets again what it did not acknowledge.
    fn die(self, works: &[Work], point: Point) -> Result<Self, String> {
        let Self {
            plan,
            time,
            wire,
            mut config,
            mut server,
            mut boxes,
            folder,
        } = self;
        let receipts: Vec<Option<Receipt>> =
            works.iter().map(|w| receive(&mut server, w)).collect();
        let entries = server.turn(Some(point.cut));
        let safe: Vec<bool> = receipts
            .into_iter()
            .map(|r| r.is_some_and(|mut r| matches!((&mut r).now_or_never(), Some(Ok(_)))))
            .collect();
        let copy = folder.join(format!("journal-{}-{:?}", point.turn, point.cut));
        config.storage = server
            .crash(&config.storage, &copy)
            .map_err(|e| e.to_string())?;
        let mut durable = point.cut >= Cut::Committed;
        if let (Some(torn), Storage::Memory(disk), true) =
            (point.torn, &config.storage, entries > 0)
        {
            durable = false;
            if torn {
                disk.tear_last_batch();
            } else {
                disk.lose_last_batch();
            }
        }
        let sent = wire.take_sent();
        if !durable && !sent.is_empty() {
            return Err(format!(
                "I5: {} messages went out before their cause was durable",
                sent.len()
            ));
        }
        if !durable && safe.contains(&true) {
            return Err("D1: something was acknowledged before it was durable".to_owned());
        }
        if point.cut == Cut::Acknowledged {
            give(&mut boxes, at(time.now_ms()), sent);
        }
        let server = Server::start(&config)
            .map_err(|e| format!("the server does not start after {point:?}: {e}"))?;
        let mut player = Self {
            plan,
            time,
            wire,
            config,
            server,
            boxes,
            folder,
        };
        player.obey();
        // The transport delivers again what was not acknowledged; a person sees what came of it and tries again if nothing did.
        let again: Vec<Work> = works
            .iter()
            .zip(&safe)
            .filter(|(work, safe)| match work {
                Work::Publish { .. } => !**safe,
                Work::Admit { .. } | Work::Gone { .. } => !durable,
            })
            .map(|(work, _)| work.clone())
            .collect();
        player.turn(&again);
        Ok(player)
    }

    fn outcome(mut self) -> Result<Outcome, String> {
        self.server.file();
        let levels = self
            .boxes
            .iter()
            .flat_map(|(mac, c)| {
                c.spec().devices.iter().map(move |d| {
                    let level = c.trace(&d.id).and_then(|t| t.changes().last());
                    (
                        format!("{mac}/{}", d.id),
                        format!("{:?}", level.map_or(0.0, |(_, l)| l)),
                    )
                })
            })
            .collect();
        let bodies = |all: Vec<(FarmId, harit_engine::Timestamp, String)>| {
            all.into_iter().map(|(.., body)| body).collect()
        };
        let filed = self.config.archive.filed().events;
        let events = match &self.config.storage {
            Storage::Memory(_) => events_of(&self.config.storage).map_err(|e| e.to_string())?,
            // A file's snapshots cannot be taken away: there the history alone has everything.
            Storage::File(_) => filed.clone(),
        };
        if let Some(why) = self.server.failure(&self.plan.id) {
            return Err(format!("the farm failed: {why}"));
        }
        Ok(Outcome {
            events: bodies(events),
            history: bodies(filed),
            state: self.server.state().map_err(|e| e.to_string())?,
            levels,
        })
    }
}

/// Controllers do what was sent to them.
fn give(boxes: &mut BTreeMap<Mac, Controller>, now: Now, sent: Vec<(Mac, bytes::Bytes)>) {
    for (mac, payload) in sent {
        if let Some(controller) = boxes.get_mut(&mac) {
            controller.command(now, &payload, &mut Vec::new());
        }
    }
}

/// When a command or anything else is at an instant for a controller of these runs.
fn at(now_ms: i64) -> Now {
    Now {
        since_start: std::time::Duration::from_millis((now_ms - START_MS).max(0).unsigned_abs()),
        wall_ms: now_ms,
    }
}

/// Plays a log with a crash at a point.
fn crashed(
    plan: &FarmPlan,
    log: &Log,
    point: Point,
    snapshot_at: usize,
    folder: Option<&Path>,
) -> Result<Outcome, String> {
    let mut player = Player::new(plan, folder)?;
    for (n, (at, works)) in log.iter().enumerate() {
        player.pass_to(*at);
        if n == snapshot_at {
            player.server.snapshot();
        }
        if n == point.turn {
            player = player.die(works, point)?;
        } else {
            player.turn(works);
        }
        if n % 7 == 3 {
            player.server.file();
        }
    }
    let end = player.time.now_ms() + TAIL_MS;
    player.pass_to(end);
    player.outcome()
}

/// Plays a log without a crash, and says `Resumed` before or after a turn.
fn lived(plan: &FarmPlan, log: &Log, turn: usize, after: bool) -> Result<Outcome, String> {
    let mut player = Player::new(plan, None)?;
    for (n, (at, works)) in log.iter().enumerate() {
        player.pass_to(*at);
        if n == turn && after {
            player.turn(works);
        }
        if n == turn {
            drop(player.server.admit(&plan.id, InputKind::Resumed));
            player.server.turn(None);
            player.obey();
        }
        if n != turn || !after {
            player.turn(works);
        }
    }
    let end = player.time.now_ms() + TAIL_MS;
    player.pass_to(end);
    player.outcome()
}

fn first_other(a: &[String], b: &[String]) -> String {
    let n = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    format!("from event {n} on {:?} and {:?}", a.get(n), b.get(n))
}

/// What differs between a run with a crash and one without.
fn compare(crashed: &Outcome, lived: &Outcome) -> Result<(), String> {
    if crashed.events != lived.events {
        return Err(format!(
            "with the crash and without it was decided {}",
            first_other(&crashed.events, &lived.events)
        ));
    }
    if crashed.history != crashed.events {
        return Err(format!(
            "the history and the journal differ {}",
            first_other(&crashed.history, &crashed.events)
        ));
    }
    if crashed.state != lived.state {
        return Err(format!(
            "with the crash and without the state is {}",
            crate::world::first_difference(&crashed.state, &lived.state)
        ));
    }
    if crashed.levels != lived.levels {
        return Err(format!(
            "with the crash the machines end at {:?}, without at {:?}",
            crashed.levels, lived.levels
        ));
    }
    Ok(())
}

/// Crashes at up to `most` points of a seed's log, evenly; gives how many there were.
///
/// # Errors
/// The first point at which the crash made a difference.
pub fn explore(seed: u64, most: usize, file: bool) -> Result<usize, String> {
    let (plan, log) = record(seed)?;
    let total = log.len() * STAGES.len();
    let step = total.div_ceil(most.max(1)).max(1);
    let mut references: BTreeMap<(usize, bool), Outcome> = BTreeMap::new();
    let mut count = 0;
    for n in (0..total).step_by(step) {
        let (cut, torn) = STAGES[n % STAGES.len()];
        let point = Point {
            turn: n / STAGES.len(),
            cut,
            torn: torn.filter(|_| !file),
        };
        let snapshot_at = if n % 3 == 0 {
            usize::MAX
        } else {
            point.turn / 2
        };
        let folder = if file { Some(scratch()?) } else { None };
        let with = crashed(
            &plan,
            &log,
            point,
            snapshot_at,
            folder.as_ref().map(tempfile::TempDir::path),
        )
        .map_err(|e| format!("{point:?}: {e}"))?;
        let after = cut >= Cut::Committed && point.torn.is_none();
        let without = match references.entry((point.turn, after)) {
            std::collections::btree_map::Entry::Occupied(o) => o.into_mut(),
            std::collections::btree_map::Entry::Vacant(v) => {
                v.insert(lived(&plan, &log, point.turn, after)?)
            }
        };
        compare(&with, without).map_err(|e| format!("{point:?} of {} turns: {e}", log.len()))?;
        count += 1;
    }
    Ok(count)
}

fn scratch() -> Result<tempfile::TempDir, String> {
    let at = Path::new("/dev/shm");
    let made = if at.is_dir() {
        tempfile::tempdir_in(at)
    } else {
        tempfile::tempdir()
    };
    made.map_err(|e| e.to_string())
}
