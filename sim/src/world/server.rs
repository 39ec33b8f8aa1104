//! The server in the world: what arrives, turns, crashes, starts, and what is looked at after each.

use futures_util::FutureExt as _;
use harit_engine::{DeviceId, FarmId, InputKind, Lock, ManualKind};
use harit_ingest::CommandState;
use harit_ingest::live::LiveKind;
use harit_ingest::mqtt::{Batch, Principal, Publish};
use harit_ingest::simulation::{Cut, Server, Storage};
use serde_json::Value;

use super::{Ev, IDLE_TURN_MS, World};
use crate::check::Checks;
use crate::log::Work;
use crate::time::START_MS;
use crate::unit::Letter;

/// How long a controller may be away and count as there: the grace after a start, and a little.
const AWAY_MS: i64 = 75_000;

impl World {
    pub(super) fn arrives(&mut self, unit: usize, conn: u64, letter: Letter) {
        let now = self.now_ms();
        let u = &self.units[unit];
        if u.server_conn != Some(conn) {
            return;
        }
        if u.cut_off_until > now {
            // The connection goes on trying, in order.
            let at = u.cut_off_until;
            self.units[unit].last_up.insert(letter.kind, at);
            self.at(at, Ev::Up(unit, conn, letter));
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
        let publish = Publish {
            topic: format!("harit/1/{farm}/{mac}/{}", letter.kind).into(),
            payload: letter.payload.clone(),
            retain: false,
            oversized: None,
        };
        let receipt = server.receive(Batch {
            from: Some(Principal::Controller {
                farm: farm.clone(),
                mac,
            }),
            publishes: vec![publish],
        });
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
        let entries = server.turn(cut);
        // **I7**: what was due before a turn is done in it.
        if cut.is_none()
            && let Some(due) = due
            && due <= server.now()
            && server.engine_deadline() == Some(due)
        {
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
        let wait = next.clamp(1, IDLE_TURN_MS);
        self.turn_by(now + wait);
    }

    /// What the turn did: receipts, answers, events, messages to controllers. After a cut only what got out counts.
    fn after_turn(&mut self, cut: Option<Cut>) {
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
        if cut.is_none() {
            self.checks.turn_over();
        }
    }

    /// **I18**: a setting is confirmed by a report of it, and by nothing else.
    fn confirmed(&mut self, farm: usize, life: &harit_ingest::CommandLife) {
        let when = self.when();
        let wants_on = match life.action.as_str() {
            "off" => false,
            "pulse" | "release" => return,
            _ => life.value.is_none_or(|v| v.as_micro() > 0),
        };
        let Some(server) = &self.server else { return };
        let reported = server
            .controllers(&self.farms[farm].plan.id)
            .into_iter()
            .flat_map(|c| c.devices)
            .find(|d| d.id == life.device)
            .and_then(|d| d.reported);
        // What was reported in this very turn may have come after the answer.
        let engine_now = server.now();
        if reported.is_none_or(|r| r.on != wants_on && r.at < engine_now) {
            let what = format!(
                "{} is confirmed, and reported was {reported:?}",
                life.command_id
            );
            self.checks.blame("I18 confirmed", when.at_ms, what);
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

    /// **I18**: what is not answered is sent again after 1, 3 and 9 seconds.
    fn retries(&mut self) {
        let when = self.when();
        let Some(server) = &self.server else { return };
        let mut wrong = Vec::new();
        for (id, since) in self.checks.unanswered() {
            let age = when.now_ms - since - self.rates.batch_ms - 500;
            let due = [1_000, 3_000, 9_000].iter().filter(|t| age > **t).count();
            let unit = self.checks.device_of(&id).and_then(|device| {
                let has =
                    |u: &&crate::unit::Unit| u.plan.spec.devices.iter().any(|d| d.id == device);
                self.units.iter().find(has)
            });
            let there = unit.is_some_and(|u| u.server_conn.is_some() && u.conn_since < since);
            let farm = unit.map(|u| &self.farms[u.farm].plan.id);
            let life = farm.and_then(|f| server.command(f, &id));
            // One that could not be sent at first has had its attempts meanwhile; a release is not sent again after what
            // followed from it.
            let resent = |l: &&harit_ingest::CommandLife| l.action != "release";
            let life = life.filter(|_| !self.checks.sent_late(&id)).filter(resent);
            let Some(life) = life.filter(|l| there && l.state == CommandState::Sent) else {
                continue;
            };
            if usize::try_from(life.attempts).unwrap_or(0) < 1 + due {
                wrong.push(format!(
                    "{id} was sent {} times and is unanswered for {age} ms",
                    life.attempts
                ));
            }
        }
        if self.farms.len() == 1 && !self.clock_stepped {
            for what in wrong {
                self.checks.blame("I18 retry", when.at_ms, what);
            }
        }
    }

    // ---- crashes ----

    fn crash(&mut self, cut: Cut, entries: u64) {
        let now = self.now_ms();
        self.totals.crashes += 1;
        self.receipts.clear();
        self.answers.clear();
        self.last_telemetry.clear();
        self.turn_at = None;
        let Some(server) = self.server.take() else {
            return;
        };
        self.checks.crashed(now);
        let folder = self.folder.clone().unwrap_or_default();
        let copy = folder.join(format!("journal-{}", self.totals.crashes));
        match server.crash(&self.config.storage, &copy) {
            Ok(storage) => self.config.storage = storage,
            Err(e) => self
                .checks
                .blame("harness", now - START_MS, format!("no copy: {e}")),
        }
        if cut == Cut::Committed
            && entries > 0
            && self.dice.below(1_000) < self.rates.torn
            && let Storage::Memory(disk) = &self.config.storage
        {
            // It died while it wrote: half of the batch is there, or nothing.
            if self.dice.chance(50) {
                disk.tear_last_batch();
            } else {
                disk.lose_last_batch();
            }
        }
        self.wire.disconnect_all();
        let down_ms = match self.dice.below(10) {
            0..=4 => self.dice.between(100, 3_000),
            5..=7 => self.dice.between(3_000, 60_000),
            8 => self.dice.between(60_000, 400_000),
            _ => self.dice.between(400_000, 2_400_000),
        };
        let down_ms = if self.rates.crashes == 0 {
            1_000
        } else {
            down_ms
        };
        self.at(now + down_ms, Ev::Start);
        for unit in 0..self.units.len() {
            let u = &mut self.units[unit];
            u.server_conn = None;
            u.gone_since = now;
            if let Some(conn) = u.conn {
                let wait = self.farms[u.farm].dice.between(50, 5_000);
                self.at(now + wait, Ev::UnitNotices(unit, conn));
            }
        }
    }

    pub(super) fn start(&mut self) {
        if self.server.is_some() {
            return;
        }
        let now = self.now_ms();
        match Server::start(&self.config) {
            Ok(server) => self.server = Some(server),
            Err(e) => {
                self.checks.blame(
                    "recovery",
                    now - START_MS,
                    format!("the server does not start: {e}"),
                );
                return;
            }
        }
        self.started_ms = now;
        self.checks.restarted(now);
        self.after_turn(None);
        self.look();
        self.plan_next_turn();
    }

    pub(super) fn look(&mut self) {
        let when = self.when();
        for unit in &mut self.units {
            unit.copy_traces();
        }
        let Some(server) = &self.server else { return };
        for farm in &self.farms {
            let id = &farm.plan.id;
            if let Some(engine) = server.engine(id) {
                self.checks.look(id, when, engine);
                let devices = farm.plan.document.devices.len();
                if server.remembered(id) > devices {
                    let what = format!(
                        "{} commands are remembered of {devices} devices",
                        server.remembered(id)
                    );
                    self.checks.blame("I23", when.at_ms, what);
                }
            } else {
                self.checks
                    .blame("I3", when.at_ms, format!("{id} is not there any more"));
            }
        }
        self.checks.open_lives(when);
        self.retries();
        self.presence();
    }

    /// **Presence**: who has not been there for a while does not count as online.
    fn presence(&mut self) {
        let when = self.when();
        let Some(server) = &self.server else { return };
        let mut wrong = Vec::new();
        for unit in self.units.iter().filter(|u| u.server_conn.is_none()) {
            let away = when.now_ms - unit.gone_since.max(self.started_ms);
            let farm = &self.farms[unit.farm].plan.id;
            let Some(engine) = server.engine(farm) else {
                continue;
            };
            for device in &unit.plan.spec.devices {
                if away > AWAY_MS && engine.device(&device.id).is_some_and(|d| d.online) {
                    wrong.push(format!(
                        "{} counts as online, and its controller has been away for {away} ms",
                        device.id
                    ));
                }
            }
        }
        for what in wrong {
            self.checks.blame("presence", when.at_ms, what);
        }
    }

    // ---- people ----

    pub(super) fn wish(&mut self, farm: usize) {
        let f = &mut self.farms[farm];
        let Some(kind) = f.wishes.pop_front() else {
            return;
        };
        // Nothing that people want is lost: what cannot be done now they want again later.
        let Some(server) = &mut self.server else {
            return;
        };
        if let Some((device, change)) = unlocks(&kind) {
            self.checks.person_unlocks(&f.plan.id, device, change);
        }
        let answer = server.admit(&f.plan.id, kind.clone());
        let id = f.plan.id.clone();
        self.note(Work::Admit {
            farm: id,
            kind: Box::new(kind.clone()),
        });
        self.answers.push((farm, kind, answer));
        // At once: a person waits for it, and whether a lock may open is asked of this very turn.
        let now = self.now_ms();
        self.turn_at = Some(now);
        self.at(now, Ev::Turn);
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

/// How a wish changes a device's locks so that some may open.
fn unlocks(kind: &InputKind) -> Option<(&DeviceId, Lock)> {
    match kind {
        InputKind::Status { device, status } => Some((device, status.lock.clone()?)),
        _ => None,
    }
}
