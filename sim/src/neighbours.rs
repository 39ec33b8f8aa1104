//! Farms that share a shard do not touch each other.
//!
//! The log of two farms is played to one server; then one farm's part of it is played to a server that has no other farm, at
//! the same instants. Whatever that farm has of a run (what its people are told, what its controllers are sent, what is
//! journaled, filed and kept of it) must be the same, byte for byte. The neighbour does its worst meanwhile: its
//! controllers answer the farm's commands, publish on the farm's topics, and repeat the farm's messages as their own.

use std::collections::BTreeMap;

use bytes::Bytes;
use harit_engine::{FarmId, Timestamp};
use harit_ingest::simulation::{Cut, entries};
use harit_model::generate::Dice;
use harit_protocol::Mac;

use crate::log::{self, Log, Work};
use crate::plan::FarmPlan;
use crate::player::{Player, Point};
use crate::recording::record;

/// How often in a hundred the neighbour repeats a message of the farm.
const REPEATED: usize = 40;

/// Everything that a run has of one farm.
#[derive(Debug, Default, PartialEq, Eq)]
struct Share {
    /// What its people are told, and when.
    told: Vec<String>,
    /// What its controllers are sent, and when.
    sent: Vec<(i64, Mac, Bytes)>,
    journal: Vec<String>,
    history: Vec<(Timestamp, String)>,
    lives: Vec<String>,
    state: Vec<u8>,
}

/// How many things of a farm were found alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// What was told to its people.
    pub told: usize,
    /// What was sent to its controllers.
    pub sent: usize,
    /// Entries of the journal.
    pub journal: usize,
}

/// Plays a seed's two farms together, and each alone; gives how much was compared.
///
/// # Errors
/// What a farm has with its neighbour and not without.
pub fn alike(seed: u64) -> Result<Compared, String> {
    let (plans, log) = record(seed, 2, false)?;
    let mut dice = Dice::new(seed ^ 0x4E16);
    let log = with_malice(&mut dice, log, &plans);
    let turns = turns_of(&plans, &log)?;
    let at = dice.below(turns.len());
    let cut = *dice.pick(&[
        Cut::Gathered,
        Cut::Committed,
        Cut::Applied,
        Cut::Acknowledged,
    ]);
    let point = Point {
        turn: at,
        cut,
        torn: None,
    };
    let together = play(&plans, &turns, point)?;
    let mut all = Compared {
        told: 0,
        sent: 0,
        journal: 0,
    };
    for plan in &plans {
        let own: Log = turns
            .iter()
            .map(|(at, works)| {
                (
                    *at,
                    works
                        .iter()
                        .filter(|w| *w.farm() == plan.id)
                        .cloned()
                        .collect(),
                )
            })
            .collect();
        let alone = play(std::slice::from_ref(plan), &own, point)?;
        let (with, without) = (&together[&plan.id], &alone[&plan.id]);
        compare(with, without).map_err(|e| {
            format!(
                "{} with its neighbour and without ({point:?} of {}): {e}",
                plan.id,
                turns.len()
            )
        })?;
        all.told += with.told.len();
        all.sent += with.sent.len();
        all.journal += with.journal.len();
    }
    Ok(all)
}

/// The log, with what each farm's controllers do to the other's.
fn with_malice(dice: &mut Dice, log: Log, plans: &[FarmPlan]) -> Log {
    let other = |farm: &FarmId| plans.iter().find(|p| p.id != *farm);
    let mut all = Vec::new();
    for (at, works) in log {
        let mut turn = Vec::new();
        for work in works {
            if let Work::Publish {
                farm,
                mac,
                kind,
                payload,
            } = &work
                && let Some(neighbour) = other(farm)
                && dice.chance(REPEATED)
            {
                let by = dice.pick(&neighbour.controllers).mac;
                turn.push(if dice.chance(50) {
                    Work::Publish {
                        farm: neighbour.id.clone(),
                        mac: by,
                        kind,
                        payload: payload.clone(),
                    }
                } else {
                    Work::Forged {
                        by: (neighbour.id.clone(), by),
                        topic: log::topic(farm, *mac, kind),
                        payload: payload.clone(),
                    }
                });
            }
            turn.push(work);
        }
        all.push((at, turn));
    }
    all
}

/// The log with every turn in it that a server of these farms makes by itself.
fn turns_of(plans: &[FarmPlan], log: &Log) -> Result<Log, String> {
    let mut player = Player::new(plans, None)?;
    let mut all = Vec::new();
    for (at, works) in log {
        while let Some(between) = player.next_turn(*at) {
            player.time.pass_to(between);
            player.turn(&[]);
            all.push((between, Vec::new()));
        }
        player.time.pass_to(*at);
        player.turn(works);
        all.push((*at, works.clone()));
    }
    Ok(all)
}

/// Plays these turns and no others, with a crash in one of them.
fn play(plans: &[FarmPlan], turns: &Log, point: Point) -> Result<BTreeMap<FarmId, Share>, String> {
    let farm_of: BTreeMap<Mac, &FarmId> = plans
        .iter()
        .flat_map(|p| p.controllers.iter().map(|c| (c.mac, &p.id)))
        .collect();
    let mut shares: BTreeMap<FarmId, Share> = plans
        .iter()
        .map(|p| (p.id.clone(), Share::default()))
        .collect();
    let mut player = Player::new(plans, None)?;
    for (n, (at, works)) in turns.iter().enumerate() {
        player.time.pass_to(*at);
        let sent = if n == point.turn {
            player = player.die(works, point)?;
            Vec::new()
        } else {
            player.turn(works)
        };
        for (mac, payload) in sent {
            if let Some(share) = farm_of.get(&mac).and_then(|f| shares.get_mut(*f)) {
                share.sent.push((*at, mac, payload));
            }
        }
        for event in player.server.take_events() {
            let share = shares
                .get_mut(&event.farm)
                .ok_or_else(|| format!("told of no farm: {event:?}"))?;
            share.told.push(format!("{at} {:?}", event.kind));
        }
        if n % 7 == 3 {
            player.server.file();
        }
    }
    player.server.file();
    let filed = player.config.archive.filed();
    for (farm, at, body) in filed.events {
        shares.entry(farm).or_default().history.push((at, body));
    }
    for life in filed.lives {
        let share = shares.entry(life.farm.clone()).or_default();
        share.lives.push(format!("{life:?}"));
    }
    for (_, at, entry) in entries(&player.config.storage).map_err(|e| e.to_string())? {
        shares
            .entry(entry.farm().clone())
            .or_default()
            .journal
            .push(format!("{at:?} {entry:?}"));
    }
    for (farm, share) in &mut shares {
        if let Some(why) = player.server.failure(farm) {
            return Err(format!("{farm} failed: {why}"));
        }
        share.state = player.server.state_of(farm).map_err(|e| e.to_string())?;
    }
    Ok(shares)
}

/// What is not the same.
fn compare(with: &Share, without: &Share) -> Result<(), String> {
    fn first<T: PartialEq + std::fmt::Debug>(what: &str, a: &[T], b: &[T]) -> Result<(), String> {
        if a == b {
            return Ok(());
        }
        let n = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        Err(format!(
            "I22 {what}: from {n} on {:?} and {:?}",
            a.get(n),
            b.get(n)
        ))
    }
    first("told", &with.told, &without.told)?;
    first("sent", &with.sent, &without.sent)?;
    first("journal", &with.journal, &without.journal)?;
    first("history", &with.history, &without.history)?;
    first("lives", &with.lives, &without.lives)?;
    if with.state != without.state {
        return Err(format!(
            "I22 state: {}",
            crate::world::first_difference(&with.state, &without.state)
        ));
    }
    Ok(())
}
