//! A takeover at every point of a short log: a server stands still there, another one goes on with its journal, and the first
//! one goes on where it stood, beside it, until it learns that it was taken over.
//!
//! The controllers change over one by one. Until then what they say reaches the first server, which reads it when it goes on; a
//! person asks either of the two. Who is not answered says it again to the second one. What that decides must be what one server
//! decides that hears at the same instants what is said to it or what the first one said is safe, and is told `Resumed` at the
//! takeover. Of the first one no controller may get a command that is not in the journal, but `off` for a stop.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures_util::FutureExt as _;
use harit_engine::{Event, InputKind};
use harit_ingest::mqtt::Receipt;
use harit_ingest::simulation::{Answer, Cut, Server, Storage};
use harit_model::generate::Dice;
use harit_protocol::Mac;
use serde_json::Value;

use crate::crash::{Outcome, TAIL_MS, compare, reports};
use crate::log::{Log, Work, receive};
use crate::plan::FarmPlan;
use crate::player::{Player, at, give};
use crate::recording::record;
use crate::wire::Wire;

/// In so many turns of the log every controller has changed over.
const LONGEST_STAY: i64 = 12;
/// For so many the first server stands still at most.
const LONGEST_STILL: i64 = 8;
/// For so many a person waits for it.
const PATIENCE: i64 = 6;
/// How many people in a hundred ask the first server.
const ASK_THE_FIRST: usize = 30;

/// Where the first server stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Between two turns.
    Idle,
    /// In a turn.
    Cut(Cut),
    /// While it waits for what becomes of its append.
    Append(Append),
}

/// What becomes of an append that is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Append {
    Lost,
    /// It is stored, and who repeats it learns that.
    Stored,
    /// It is stored, and who repeats it learns only what came after it.
    StoredLongAgo,
    /// It arrives when the second server has read everything, and before that appends.
    Delayed,
}

impl Stage {
    const ALL: [Self; 9] = [
        Self::Idle,
        Self::Cut(Cut::Gathered),
        Self::Append(Append::Lost),
        Self::Append(Append::Stored),
        Self::Append(Append::StoredLongAgo),
        Self::Append(Append::Delayed),
        Self::Cut(Cut::Committed),
        Self::Cut(Cut::Applied),
        Self::Cut(Cut::Acknowledged),
    ];

    /// Whether the turn in which it stands still is in the journal.
    const fn is_durable(self) -> bool {
        !matches!(
            self,
            Self::Idle | Self::Cut(Cut::Gathered) | Self::Append(Append::Lost)
        )
    }
}

/// What the second server hears in a turn.
#[derive(Debug, Default)]
struct Heard {
    connects: Vec<Mac>,
    works: Vec<Work>,
    /// What is in the journal already: the first server did not say so.
    again: Vec<Work>,
    /// What is not said to it, because the first one said that it is safe.
    safe: Vec<Work>,
}

/// What a server says to one that told it something.
enum Reply {
    Receipt(Receipt),
    Answer(Answer<Vec<Event>>),
    None,
}

/// Something that the first server did not answer yet.
struct Unanswered {
    work: Work,
    reply: Reply,
    /// Whether it is in the turn in which that stood still.
    is_in_turn: bool,
    /// In which turn a person asks the other one.
    until: usize,
}

impl Unanswered {
    fn asked(server: &mut Server, work: Work, is_in_turn: bool, until: usize) -> Self {
        let reply = match &work {
            Work::Admit { farm, kind } => Reply::Answer(server.admit(farm, (**kind).clone())),
            _ => receive(server, &work).map_or(Reply::None, Reply::Receipt),
        };
        Self {
            work,
            reply,
            is_in_turn,
            until,
        }
    }

    fn is_safe(&mut self) -> bool {
        match &mut self.reply {
            Reply::Receipt(receipt) => matches!(receipt.now_or_never(), Some(Ok(_))),
            Reply::Answer(answer) => matches!(answer.now_or_never(), Some(Ok(Ok(_)))),
            Reply::None => false,
        }
    }
}

/// The first server, beside the second one.
struct First {
    server: Server,
    wire: Wire,
    stage: Stage,
    has_gone_on: bool,
    unanswered: Vec<Unanswered>,
    /// The commands that it sent since.
    sent: Vec<String>,
}

impl First {
    /// Goes on where it stands.
    fn go_on(&mut self) {
        match self.stage {
            Stage::Cut(cut) if !self.has_gone_on => self.server.go_on(cut, None),
            _ => {
                self.server.turn(None);
            }
        }
        self.has_gone_on = true;
    }

    /// What it said is safe and was not in the turn that may be durable.
    fn take_safe(&mut self) -> Vec<Work> {
        let is_durable = self.stage.is_durable();
        let mut safe = Vec::new();
        for mut u in std::mem::take(&mut self.unanswered) {
            if !u.is_safe() {
                self.unanswered.push(u);
            } else if !u.is_in_turn || !is_durable {
                safe.push(u.work);
            }
        }
        safe
    }

    /// What it sent: stops, and what is of the turn in which it stood still, if that is durable.
    fn take_sent(&mut self) -> Result<Vec<(Mac, Bytes)>, String> {
        let sent = self.wire.take_sent();
        for (_, payload) in &sent {
            let body: Value = serde_json::from_slice(payload).map_err(|e| e.to_string())?;
            let id = body["command_id"].as_str().unwrap_or_default();
            let is_stop = id.contains("-stop-") && body["action"]["on"] == false;
            if !is_stop && !self.stage.is_durable() {
                return Err(format!("I5: the first server sent {body}"));
            }
            if !is_stop {
                self.sent.push(id.to_owned());
            }
        }
        Ok(sent)
    }

    /// What is said to the second one now.
    fn hand_over(&mut self, heard: &mut Heard, which: impl Fn(&Unanswered) -> bool) {
        let is_durable = self.stage.is_durable();
        for u in std::mem::take(&mut self.unanswered) {
            if !which(&u) {
                self.unanswered.push(u);
                continue;
            }
            match u.work {
                Work::Publish { .. } | Work::Forged { .. } if u.is_in_turn && is_durable => {
                    heard.again.push(u.work);
                }
                // A person sees what came of it.
                _ if u.is_in_turn && is_durable => {}
                // The connection was one to the first server.
                Work::Gone { .. } => {}
                work => heard.works.push(work),
            }
        }
    }
}

/// A log with a takeover in a turn of it.
struct Takeover<'a> {
    plan: &'a FarmPlan,
    log: &'a Log,
    turn: usize,
    stage: Stage,
    dice: Dice,
}

impl Takeover<'_> {
    fn some(&mut self, most: i64) -> usize {
        usize::try_from(self.dice.between(0, most)).unwrap_or(0)
    }

    /// Plays the log to the turn; gives what is left of that without stops, which go first.
    fn until_the_turn(&self, snapshot_at: usize) -> Result<(Player, Vec<Work>), String> {
        let mut player = Player::new(std::slice::from_ref(self.plan), None)?;
        for (n, (at, works)) in self.log[..self.turn].iter().enumerate() {
            player.pass_to(*at);
            if n == snapshot_at {
                player.server.snapshot();
            }
            player.turn(works);
            if n % 7 == 3 {
                player.server.file();
            }
        }
        let (at, works) = &self.log[self.turn];
        player.pass_to(*at);
        let works = player.stops_first(works);
        Ok((player, works))
    }

    /// The server stands still in a turn with these works, and another one takes over.
    fn stand_still(&mut self, player: &mut Player, works: Vec<Work>) -> Result<First, String> {
        let Storage::Memory(disk) = player.config.storage.clone() else {
            return Err("the journal is not in memory".to_owned());
        };
        let server = &mut player.server;
        let asked = |work| Unanswered::asked(server, work, true, usize::MAX);
        let unanswered: Vec<_> = works.into_iter().map(asked).collect();
        let mut stage = self.stage;
        match stage {
            Stage::Idle => {}
            Stage::Cut(cut) => {
                let entries = server.turn(Some(cut));
                if entries == 0 && cut == Cut::Gathered {
                    // There is nothing that another server could come before.
                    server.go_on(cut, None);
                    stage = Stage::Cut(Cut::Acknowledged);
                }
            }
            Stage::Append(append) => {
                match append {
                    Append::Lost => disk.lose_answer(false),
                    Append::Stored | Append::StoredLongAgo => disk.lose_answer(true),
                    Append::Delayed => disk.delay_append(),
                }
                server.turn(None);
                if !server.is_committing() {
                    stage = Stage::Cut(Cut::Acknowledged);
                }
                disk.answer_all();
            }
        }
        if stage == Stage::Append(Append::StoredLongAgo) {
            disk.forget_writers();
        }
        player.obey();
        self.stage = stage;
        let (server, wire) = player.taken_over()?;
        Ok(First {
            server,
            wire,
            stage,
            has_gone_on: false,
            unanswered,
            sent: Vec::new(),
        })
    }

    /// Plays the log with a takeover; gives what the second server heard, turn by turn, and one turn more for the rest.
    fn play(&mut self) -> Result<(Outcome, Vec<Heard>), String> {
        let snapshot_at = if self.dice.chance(30) {
            usize::MAX
        } else {
            self.turn / 2
        };
        let (mut player, mut left) = self.until_the_turn(snapshot_at)?;
        let works = if self.stage == Stage::Idle {
            Vec::new()
        } else {
            std::mem::take(&mut left)
        };
        let mut first = self.stand_still(&mut player, works)?;
        let goes_on = self.turn + self.some(LONGEST_STILL);
        let mut stays: BTreeMap<Mac, usize> = BTreeMap::new();
        for controller in &self.plan.controllers {
            let until = self.turn + self.some(LONGEST_STAY);
            stays.insert(controller.mac, until);
        }
        let mut all = Vec::new();
        for n in self.turn..=self.log.len() {
            let is_over = n == self.log.len() || first.server.is_taken_over();
            if n > self.turn
                && let Some((at, works)) = self.log.get(n)
            {
                player.pass_to(*at);
                left.clone_from(works);
            }
            let mut heard = Heard::default();
            let changes: Vec<Mac> = (stays.iter())
                .filter(|(_, until)| is_over || **until <= n)
                .map(|(mac, _)| *mac)
                .collect();
            for mac in changes {
                stays.remove(&mac);
                first.wire.disconnect(mac);
                player.wire.connect(mac);
                heard.connects.push(mac);
            }
            first.hand_over(&mut heard, |u| match publisher(&u.work) {
                Some(mac) => !stays.contains_key(&mac),
                None => is_over || u.until <= n,
            });
            for work in left.drain(..) {
                let is_with_first = match publisher(&work) {
                    Some(mac) => stays.contains_key(&mac),
                    None => !is_over && self.dice.chance(ASK_THE_FIRST),
                };
                if is_with_first {
                    let until = n + 1 + self.some(PATIENCE);
                    let asked = Unanswered::asked(&mut first.server, work, false, until);
                    first.unanswered.push(asked);
                } else {
                    heard.works.push(work);
                }
            }
            let works: Vec<Work> = heard.again.iter().chain(&heard.works).cloned().collect();
            player.turn(&works);
            if n % 7 == 3 {
                player.server.file();
            }
            if n >= goes_on && !is_over {
                first.go_on();
                heard.safe = first.take_safe();
                let sent = first.take_sent()?;
                give(&mut player.boxes, at(player.time.now_ms()), sent);
            }
            all.push(heard);
        }
        let outcome = end(player, self.plan)?;
        let is_there = |id: &String| outcome.events.iter().any(|event| event.contains(id));
        match first.sent.iter().find(|id| !is_there(id)) {
            Some(id) => Err(format!("I5: the first server sent {id}")),
            None => Ok((outcome, all)),
        }
    }

    /// Plays the log to one server that hears what the second one heard, and is told `Resumed` at the takeover.
    fn lived(&self, heard: Vec<Heard>) -> Result<Outcome, String> {
        let (mut player, works) = self.until_the_turn(usize::MAX)?;
        if self.stage.is_durable() {
            player.turn(&works);
        }
        player.wire.disconnect_all();
        player.turn(&[Work::Admit {
            farm: self.plan.id.clone(),
            kind: Box::new(InputKind::Resumed),
        }]);
        for (n, heard) in (self.turn..).zip(heard) {
            if n > self.turn
                && let Some((at, _)) = self.log.get(n)
            {
                player.pass_to(*at);
            }
            for mac in heard.connects {
                player.wire.connect(mac);
            }
            let mut works = reports(&heard.again);
            works.extend(heard.works);
            works.extend(heard.safe);
            player.turn(&works);
        }
        end(player, self.plan)
    }
}

/// What comes of it. Where the machines end is another thing while some hear the one server and some the other.
fn end(mut player: Player, plan: &FarmPlan) -> Result<Outcome, String> {
    player.pass_to(player.time.now_ms() + TAIL_MS);
    let mut outcome = Outcome::of(player, &plan.id)?;
    outcome.levels.clear();
    Ok(outcome)
}

/// Whose connection something comes by.
const fn publisher(work: &Work) -> Option<Mac> {
    match work {
        Work::Publish { mac, .. } | Work::Gone { mac, .. } | Work::Forged { by: (_, mac), .. } => {
            Some(*mac)
        }
        Work::Admit { .. } => None,
    }
}

/// Takes over at up to `most` points of a seed's log, evenly; gives how many there were.
///
/// # Errors
/// The first point at which it made a difference.
pub fn explore(seed: u64, most: usize, programs: bool) -> Result<usize, String> {
    let (plans, log) = record(seed, 1, programs)?;
    let plan = &plans[0];
    let total = log.len() * Stage::ALL.len();
    let step = total.div_ceil(most.max(1)).max(1);
    let mut count = 0;
    for n in (0..total).step_by(step) {
        let mut takeover = Takeover {
            plan,
            log: &log,
            turn: n / Stage::ALL.len(),
            stage: Stage::ALL[n % Stage::ALL.len()],
            dice: Dice::new(seed ^ ((n as u64) << 20)),
        };
        let point = format!(
            "turn {} of {}, {:?}",
            takeover.turn,
            log.len(),
            takeover.stage
        );
        let (with, heard) = takeover.play().map_err(|e| format!("{point}: {e}"))?;
        let without = takeover.lived(heard)?;
        compare(&with, &without).map_err(|e| format!("{point}: {e}"))?;
        count += 1;
    }
    Ok(count)
}
