//! A crash at every point of a short log: every turn, and every stage within it.
//!
//! A log is recorded from five simulated minutes (publishes, people's inputs, lost connections, each in its turn). It is then
//! played to a server that dies at one point, is started again at once and gets redelivered what was not acknowledged; and to
//! one that lives, and is told `Resumed` at that point, because that is what a restart is (semantics.md, section 8). Both must
//! decide the same, command ids included, come to the same state, and drive the same machines to the same end. What is heard
//! twice makes no difference, but for what controllers say of themselves: that the living server hears twice too. Stops are
//! batches of their own, before that of the turn; at the point they are through.

use std::collections::BTreeMap;
use std::path::Path;

use harit_engine::{FarmId, InputKind};
use harit_ingest::simulation::{Cut, Storage, events_of};

use crate::log::{Log, Work};
use crate::plan::FarmPlan;
use crate::player::{Player, Point};
use crate::recording::record;

/// It goes on for so long after its last entry: a pulse that got lost in the crash is not repeated, so all are over, and what such
/// a pulse was to end has gone off by its lease, which nobody renews.
pub(crate) const TAIL_MS: i64 = 190_000;

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
pub(crate) struct Outcome {
    /// What was decided, by the journal.
    pub(crate) events: Vec<String>,
    history: Vec<String>,
    state: Vec<u8>,
    /// Where the machines end.
    pub(crate) levels: BTreeMap<String, String>,
}

impl Outcome {
    pub(crate) fn of(mut player: Player, farm: &FarmId) -> Result<Self, String> {
        player.server.file();
        let levels = player
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
        let filed = player.config.archive.filed().events;
        let events = match &player.config.storage {
            Storage::Memory(_) => events_of(&player.config.storage).map_err(|e| e.to_string())?,
            // A file's snapshots cannot be taken away: there the history alone has everything.
            Storage::File(_) => filed.clone(),
        };
        if let Some(why) = player.server.failure(farm) {
            return Err(format!("the farm failed: {why}"));
        }
        Ok(Self {
            events: bodies(events),
            history: bodies(filed),
            state: player.server.state().map_err(|e| e.to_string())?,
            levels,
        })
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
    let mut player = Player::new(std::slice::from_ref(plan), folder)?;
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
    Outcome::of(player, &plan.id)
}

/// What a crash in a turn is to those who live through it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Restart {
    /// Nothing of the turn was durable: a restart before it.
    Before,
    /// All of it was, and its senders know it: a restart after it.
    After,
    /// All of it was, and its senders do not know it: a restart after it, and what controllers say of themselves is said again.
    Unanswered,
}

impl Restart {
    const fn of(point: Point) -> Self {
        match (point.cut, point.torn) {
            (Cut::Gathered, _) | (_, Some(_)) => Self::Before,
            (Cut::Acknowledged, None) => Self::After,
            (_, None) => Self::Unanswered,
        }
    }
}

/// Plays a log without a crash, and says `Resumed` before or after a turn.
fn lived(plan: &FarmPlan, log: &Log, turn: usize, restart: Restart) -> Result<Outcome, String> {
    let mut player = Player::new(std::slice::from_ref(plan), None)?;
    let resumed = [Work::Admit {
        farm: plan.id.clone(),
        kind: Box::new(InputKind::Resumed),
    }];
    for (n, (at, works)) in log.iter().enumerate() {
        player.pass_to(*at);
        if n != turn {
            player.turn(works);
            continue;
        }
        let works = player.stops_first(works);
        if restart == Restart::Before {
            player.turn(&resumed);
        }
        player.turn(&works);
        if restart != Restart::Before {
            player.turn(&resumed);
        }
        if restart == Restart::Unanswered {
            player.turn(&reports(&works));
        }
    }
    let end = player.time.now_ms() + TAIL_MS;
    player.pass_to(end);
    Outcome::of(player, &plan.id)
}

/// The reports of a turn. "I am going" and "I am back" heard twice is a controller that went and came back twice, and gets its
/// settings anew for each; what contradicts what is meant by then is noted, whoever hears it first.
pub(crate) fn reports(works: &[Work]) -> Vec<Work> {
    let is_report = |w: &&Work| matches!(w, Work::Publish { kind: "state", .. });
    works.iter().filter(is_report).cloned().collect()
}

fn first_other(a: &[String], b: &[String]) -> String {
    let n = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    format!("from event {n} on {:?} and {:?}", a.get(n), b.get(n))
}

/// What differs between a run with a crash and one without.
pub(crate) fn compare(crashed: &Outcome, lived: &Outcome) -> Result<(), String> {
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
pub fn explore(seed: u64, most: usize, file: bool, programs: bool) -> Result<usize, String> {
    let (plans, log) = record(seed, 1, programs)?;
    let plan = &plans[0];
    let total = log.len() * STAGES.len();
    let step = total.div_ceil(most.max(1)).max(1);
    let mut references: BTreeMap<(usize, Restart), Outcome> = BTreeMap::new();
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
            plan,
            &log,
            point,
            snapshot_at,
            folder.as_ref().map(tempfile::TempDir::path),
        )
        .map_err(|e| format!("{point:?}: {e}"))?;
        let restart = Restart::of(point);
        let without = match references.entry((point.turn, restart)) {
            std::collections::btree_map::Entry::Occupied(o) => o.into_mut(),
            std::collections::btree_map::Entry::Vacant(v) => {
                v.insert(lived(plan, &log, point.turn, restart)?)
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
