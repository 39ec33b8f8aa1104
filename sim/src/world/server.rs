//! The server in the world: what arrives, its turns, and what they send.

use futures_util::FutureExt as _;
use harit_engine::{DeviceId, FarmId, InputKind, ManualKind};
use harit_ingest::live::LiveKind;
use harit_ingest::simulation::{Cut, Storage};
use harit_model::generate::Dice;
use serde_json::Value;

use super::{COMMIT_AGAIN_MS, Ev, IDLE_TURN_MS, World};
use crate::check::Checks;
use crate::log::Work;
use crate::time::START_MS;
use crate::unit::Letter;

impl World {
    pub(super) fn arrives(&mut self, unit: usize, conn: u64, letter: Letter) {
        let now = self.now_ms();
        let is_with_first = self.is_with_first(unit, conn);
        let u = &self.units[unit];
        if u.server_conn != Some(conn) && !is_with_first {
            return;
        }
        if u.cut_off_until > now {
            // The connection goes on trying, in order.
            let at = u.cut_off_until;
            self.units[unit].last_up.insert(letter.kind, at);
            self.at(at, Ev::Up(unit, conn, letter));
            return;
        }
        if is_with_first {
            self.arrives_at_first(unit, conn, letter);
            return;
        }
        let (farm, mac) = (self.farms[u.farm].plan.id.clone(), u.plan.mac);
        let Some(server) = &mut self.server else {
            return;
        };
        match letter.kind {
            "state" => note_open_locks(&mut self.checks, &farm, &letter),
            "telemetry" => {
                note_values(&mut self.checks, &farm, &letter);
                // A repetition right after says nothing new; after anything else the server may take it once more.
                let last = self.last_telemetry.insert(unit, letter.id);
                if last != Some(letter.id) {
                    let key = letter.said.as_ref().map(|said| said.key.clone());
                    *self.deliveries.entry(key.unwrap_or_default()).or_default() += 1;
                }
            }
            _ => {}
        }
        let receipt = server.receive(letter.batch(farm.clone(), mac));
        self.totals.publishes += 1;
        self.note(Work::Publish {
            farm,
            mac,
            kind: letter.kind,
            payload: letter.payload.clone(),
        });
        self.receipts.push((unit, conn, letter, receipt));
        self.turn_soon();
    }

    /// There is something to do: a turn comes, at the latest when the server has waited as long as it may.
    pub(super) fn turn_soon(&mut self) {
        let wait = if self.rates.batch_ms > 0 {
            self.dice.between(0, self.rates.batch_ms)
        } else {
            0
        };
        self.turn_by(self.now_ms() + wait);
    }

    pub(super) fn turn_by(&mut self, at: i64) {
        if self.turn_at.is_none_or(|t| t > at) {
            self.turn_at = Some(at);
            self.at(at, Ev::Turn);
        }
    }

    pub(super) fn turn(&mut self) {
        let now = self.now_ms();
        if let Some((log, next)) = &mut self.log
            && !next.is_empty()
        {
            log.push((now, std::mem::take(next)));
        }
        let Some(server) = &mut self.server else {
            return;
        };
        let crashes = std::mem::take(&mut self.crash_next);
        let cut = crashes.then(|| {
            if self.clean_crashes {
                Cut::Acknowledged
            } else {
                *self.dice.pick(&Cut::ALL)
            }
        });
        let due = server.engine_deadline();
        if !server.is_committing() && self.journal.below(1_000) < self.rates.unanswered {
            lose_answers(&self.config.storage, &mut self.journal);
        }
        let entries = server.turn(cut);
        // **I7**: what was due before a turn is done in it. What follows from that may be due at the same instant, and is done
        // in the next.
        let left = due.filter(|due| {
            cut.is_none()
                && !server.is_committing()
                && *due <= server.now()
                && server.engine_deadline() == Some(*due)
        });
        let before = std::mem::replace(&mut self.left_due, left);
        if let Some(due) = left.filter(|_| left == before) {
            let what = format!("due at {due:?} and not done: {:?}", server.deadlines());
            let at_ms = self.time.now_ms() - START_MS;
            self.checks.blame("I7", at_ms, what);
        }
        self.totals.turns += 1;
        self.after_turn(cut);
        match cut {
            Some(cut) => self.crash(cut, entries),
            None => self.plan_next_turn(),
        }
    }

    pub(super) fn plan_next_turn(&mut self) {
        let now = self.now_ms();
        let Some(server) = &self.server else { return };
        let engine_now = server.now().as_millis();
        let next = server
            .next_deadline()
            .map_or(i64::MAX, |d| d.as_millis().saturating_sub(engine_now));
        // A clock that is ahead runs a little slower: then the deadline comes a little later, and it looks again.
        let wait = if server.is_committing() {
            COMMIT_AGAIN_MS
        } else {
            next.clamp(1, IDLE_TURN_MS)
        };
        self.turn_by(now + wait);
    }

    /// What the turn did: receipts, answers, events, messages to controllers. After a cut only what got out counts.
    pub(super) fn after_turn(&mut self, cut: Option<Cut>) {
        let when = self.when();
        let now = self.now_ms();
        let Some(server) = &mut self.server else {
            return;
        };
        let events = server.take_events();
        let mut receipts = std::mem::take(&mut self.receipts);
        let mut waiting = Vec::new();
        let mut pubacks = Vec::new();
        for (unit, conn, letter, mut receipt) in receipts.drain(..) {
            match (&mut receipt).now_or_never() {
                Some(Ok(_)) => {
                    pubacks.push((unit, conn, letter.id));
                    self.acknowledged.push((unit, letter));
                }
                Some(Err(_)) => {}
                None => waiting.push((unit, conn, letter, receipt)),
            }
        }
        self.receipts = waiting;
        if cut.is_none() {
            for (unit, conn, id) in pubacks {
                let dice = &mut self.farms[self.units[unit].farm].dice;
                let lost = dice.below(1_000) < self.rates.lose_puback;
                let at = now + dice.between(1, self.rates.delay_ms.max(1));
                if lost {
                    // What comes after it is lost too: the connection breaks.
                    self.units[unit].broken = Some(conn);
                    self.at(at + 5_000, Ev::UnitNotices(unit, conn));
                } else if self.units[unit].broken != Some(conn) {
                    self.at(at, Ev::Puback(unit, conn, id));
                }
            }
        }
        let mut farms_touched = vec![false; self.farms.len()];
        let mut confirmed = Vec::new();
        for event in &events {
            let Some(n) = self.farms.iter().position(|f| f.plan.id == event.farm) else {
                continue;
            };
            match &event.kind {
                LiveKind::Engine(e) => {
                    farms_touched[n] = true;
                    self.totals.events += 1;
                    self.checks.event(&event.farm, when, e);
                }
                LiveKind::Command(life) => {
                    let answered = self
                        .units
                        .iter()
                        .any(|u| u.farm == n && u.answered.contains(&life.command_id));
                    self.checks.life(when, life, answered);
                    if life.state == harit_ingest::CommandState::Confirmed {
                        confirmed.push((n, life.clone()));
                    }
                }
                _ => {}
            }
        }
        for (n, life) in confirmed {
            self.confirmed(n, &life);
        }
        self.take_answers(when);
        self.send(cut);
        let Some(server) = &self.server else { return };
        for (n, farm) in self.farms.iter().enumerate() {
            let id = &farm.plan.id;
            if let Some(why) = server.failure(id) {
                self.checks
                    .blame("no panic", when.at_ms, format!("{id} failed: {why}"));
            }
            if (farms_touched[n] || self.checks.expects_opening())
                && matches!(cut, None | Some(Cut::Acknowledged))
                && let Some(engine) = server.engine(id)
            {
                self.checks.look(id, when, engine);
            }
        }
        if cut.is_none() && !server.is_committing() {
            self.checks.turn_over();
        }
    }

    fn take_answers(&mut self, when: crate::check::When) {
        let mut waiting = Vec::new();
        for (farm, kind, mut answer) in std::mem::take(&mut self.answers) {
            match (&mut answer).now_or_never() {
                Some(Ok(Ok(events))) => {
                    if let Some(device) = switches_off(&kind) {
                        self.checks.off_answered(when, &device, &events);
                    }
                }
                Some(_) => {}
                None => waiting.push((farm, kind, answer)),
            }
        }
        self.answers = waiting;
    }

    /// What the server put on its way goes to the controllers.
    fn send(&mut self, cut: Option<Cut>) {
        let when = self.when();
        let now = self.now_ms();
        let mut sent = self.wire.take_sent();
        if cut == Some(Cut::Applied) {
            // It died while it sent.
            let out = self.dice.below(sent.len() + 1);
            sent.truncate(out);
        }
        for (mac, payload) in sent {
            self.totals.sent += 1;
            if let Ok(body) = serde_json::from_slice::<Value>(&payload) {
                self.checks.published(when, &body);
                if self.dice.below(1_000) < self.rates.foreign_acks {
                    self.foreign_ack(mac, &body);
                }
            }
            let Some(unit) = self.units.iter().position(|u| u.plan.mac == mac) else {
                self.checks
                    .blame("I22", when.at_ms, format!("something was sent to {mac}"));
                continue;
            };
            let rates = self.rates;
            let u = &mut self.units[unit];
            let Some(conn) = u.server_conn else { continue };
            let dice = &mut self.farms[u.farm].dice;
            let delay = dice.between(1, rates.delay_ms.max(1));
            let lost = dice.below(1_000) < rates.lose_down;
            let twice = dice.below(1_000) < rates.duplicate;
            let late = dice.below(1_000) < rates.late_down;
            let overtakes = dice.below(1_000) < rates.reorder;
            let mut at = now + delay;
            if late {
                at += dice.between(2_000, 30_000);
            } else if !overtakes {
                at = at.max(u.last_down);
                u.last_down = at;
            }
            let again = at + dice.between(0, 5_000);
            if !lost {
                if twice {
                    self.at(again, Ev::Down(unit, conn, payload.clone()));
                }
                self.at(at, Ev::Down(unit, conn, payload));
            }
        }
    }

    /// Another controller answers for what this one was asked.
    fn foreign_ack(&mut self, asked: harit_protocol::Mac, body: &Value) {
        let now = self.now_ms();
        let other = self.units.iter().position(|u| u.plan.mac != asked);
        let Some(unit) = other else { return };
        let Some(conn) = self.units[unit].server_conn else {
            return;
        };
        let payload = serde_json::json!({"command_id": body["command_id"], "status": "ack"});
        let letter = Letter {
            id: u64::MAX,
            kind: "ack",
            payload: payload.to_string().into(),
            said: None,
            written_ms: now,
            sent_ms: now,
        };
        self.at(now, Ev::Up(unit, conn, letter));
    }
}

/// The journal does not answer the next appends, and no others: turns without any do not add up.
pub(super) fn lose_answers(storage: &Storage, dice: &mut Dice) {
    if let Storage::Memory(disk) = storage {
        disk.answer_all();
        for _ in 0..dice.between(1, 4) {
            disk.lose_answer(dice.chance(50));
        }
    }
}

fn note_values(checks: &mut Checks, farm: &FarmId, letter: &Letter) {
    for (sensor, value) in letter.said.iter().flat_map(|said| &said.values) {
        if let harit_engine::Measured::Value(v) = value {
            checks.sensor_reported(farm, sensor, v.rounded());
        }
    }
}

fn note_open_locks(checks: &mut Checks, farm: &FarmId, letter: &Letter) {
    let Ok(message) = serde_json::from_slice::<Value>(&letter.payload) else {
        return;
    };
    for device in message["devices"].as_array().into_iter().flatten() {
        if device["lock"].is_null()
            && let Some(id) = device["id"].as_str()
        {
            checks.panel_unlocks(farm, id);
        }
    }
}

/// Whether a wish switches a device off, and which.
fn switches_off(kind: &InputKind) -> Option<DeviceId> {
    match kind {
        InputKind::Manual(m)
            if m.kind == ManualKind::Override && m.action.as_deref() == Some("off") =>
        {
            Some(m.device.clone())
        }
        _ => None,
    }
}
