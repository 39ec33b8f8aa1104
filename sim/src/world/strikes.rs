//! What goes wrong, and what people do.

use std::time::Duration;

use harit_engine::{DeviceId, InputKind, Lock};
use harit_ingest::simulation::Storage;
use harit_simulate::{Fault, FaultKind};

use super::server::lose_answers;
use super::{Ev, SERVER_KEEPALIVE_MS, Strike, UNIT_KEEPALIVE_MS, World};
use crate::log::Work;
use crate::rates::Rates;

fn lasting(kind: FaultKind, target: &str, seconds: i64) -> Fault {
    Fault {
        lasting: Some(Duration::from_secs(seconds.unsigned_abs())),
        ..Fault::new(kind, target)
    }
}

impl World {
    pub(super) fn strike(&mut self, strike: Strike) {
        let now = self.now_ms();
        match strike {
            Strike::Partition(unit) => {
                let u = &mut self.units[unit];
                let dice = &mut self.farms[u.farm].dice;
                let length = match dice.below(4) {
                    0 => dice.between(1_000, 20_000),
                    1 | 2 => dice.between(20_000, 240_000),
                    _ => dice.between(240_000, 7_200_000),
                };
                u.cut_off_until = u.cut_off_until.max(now + length);
                self.lose_connection(unit);
            }
            Strike::Reboot(unit) => {
                let u = &mut self.units[unit];
                u.reboot(now);
                let server_conn = u.server_conn;
                let dice = &mut self.farms[u.farm].dice;
                let boots = dice.between(500, 20_000);
                let noticed = if dice.chance(50) {
                    dice.between(1, 200)
                } else {
                    SERVER_KEEPALIVE_MS
                };
                self.at(now + boots, Ev::Connect(unit));
                if let Some(conn) = server_conn {
                    self.at(now + noticed, Ev::ServerNotices(unit, conn));
                }
                self.watch(unit);
            }
            Strike::QueueLoss(unit) => {
                self.queue
                    .retain(|_, ev| !matches!(ev, Ev::Down(u, ..) if *u == unit));
            }
            Strike::Crash => {
                if self.server.is_some() {
                    self.crash_next = true;
                    if self.clean_crashes {
                        self.turn_at = Some(now);
                        self.at(now, Ev::Turn);
                    }
                }
            }
            Strike::ClockStep => {
                self.clock_stepped = true;
                let off = match self.dice.below(4) {
                    0 => 0,
                    1 => self.dice.between(-5_000, 5_000),
                    2 => self.dice.between(-7_200_000, 0),
                    _ => self.dice.between(0, 3_600_000),
                };
                self.time.step_to(off);
                self.turn_by(now);
            }
            Strike::Sensor(unit) => self.sensor_fault(unit),
            Strike::Device(unit) => self.device_fault(unit),
            Strike::FutureReading(unit) => self.future_reading(unit),
            Strike::Hand(unit, device) => self.hand(unit, device),
        }
    }

    /// Nothing passes any more; each side notices after its own time.
    fn lose_connection(&mut self, unit: usize) {
        let now = self.now_ms();
        let u = &self.units[unit];
        let until = u.cut_off_until;
        if let Some(conn) = u.server_conn.filter(|_| until > now + SERVER_KEEPALIVE_MS) {
            self.at(now + SERVER_KEEPALIVE_MS, Ev::ServerNotices(unit, conn));
        }
        let u = &self.units[unit];
        if let Some(conn) = u.conn.filter(|_| until > now + UNIT_KEEPALIVE_MS) {
            self.at(now + UNIT_KEEPALIVE_MS, Ev::UnitNotices(unit, conn));
        }
    }

    /// It says that its readings are true in ten minutes.
    fn future_reading(&mut self, unit: usize) {
        self.units[unit].ahead_once_ms = 600_000;
    }

    fn sensor_fault(&mut self, unit: usize) {
        let since = self.units[unit].now(self.now_ms()).since_start;
        let u = &mut self.units[unit];
        if u.plan.spec.sensors.is_empty() {
            return;
        }
        let dice = &mut self.farms[u.farm].dice;
        let sensor = dice.pick(&u.plan.spec.sensors).id.clone();
        let kind = match dice.below(4) {
            0 | 1 => FaultKind::SilentSensor,
            2 => FaultKind::StuckValue,
            _ => FaultKind::NullValue,
        };
        let seconds = *dice.pick(&[30, 120, 600, 2_000, 5_000]);
        // A board that is full has faults enough.
        let _ = u.board.set(since, lasting(kind, &sensor, seconds));
    }

    fn device_fault(&mut self, unit: usize) {
        let since = self.units[unit].now(self.now_ms()).since_start;
        let u = &mut self.units[unit];
        if u.plan.spec.devices.is_empty() {
            return;
        }
        let dice = &mut self.farms[u.farm].dice;
        let device = dice.pick(&u.plan.spec.devices).id.clone();
        let kind = match dice.below(4) {
            0 | 1 => FaultKind::LostAck,
            2 => FaultKind::Lock,
            _ => FaultKind::Safety,
        };
        let seconds = *dice.pick(&[30, 120, 600, 2_000]);
        let _ = u.board.set(since, lasting(kind, &device, seconds));
        self.watch(unit);
    }

    /// Somebody switches a device to what it is not, and often again soon after: a machine that trips as soon as it runs.
    fn hand(&mut self, unit: usize, device: Option<usize>) {
        let now = self.now_ms();
        let u = &mut self.units[unit];
        let farm = &mut self.farms[u.farm];
        let devices = &u.plan.spec.devices;
        if devices.is_empty() {
            return;
        }
        let n = device.unwrap_or_else(|| farm.hands.below(devices.len()));
        let id = devices[n].id.clone();
        let on = u.level(&id) <= 0.0;
        let mut out = Vec::new();
        let at = u.now(now);
        u.controller.switch_by_hand(at, &id, on, &mut out);
        self.checks.switched_by_hand(&farm.plan.id, &id, now, on);
        let again = farm.hands.chance(60);
        let soon = farm.hands.between(1_000, 40_000);
        if again {
            self.at(now + soon, Ev::Strike(Strike::Hand(unit, Some(n))));
        }
        self.says(unit, out);
    }

    /// All faults are over: everybody is there, nothing gets lost, nobody does anything.
    pub fn end_faults(&mut self) {
        let now = self.now_ms();
        self.rates = Rates::over();
        self.crash_next = false;
        if let Storage::Memory(disk) = &self.config.storage {
            disk.answer_all();
        }
        self.time.step_to(0);
        self.queue
            .retain(|_, ev| !matches!(ev, Ev::Strike(_) | Ev::Wish(_) | Ev::Start));
        self.first = None;
        if self.server.is_none() {
            self.start();
        }
        for unit in 0..self.units.len() {
            let u = &mut self.units[unit];
            u.board = harit_simulate::FaultBoard::default();
            u.cut_off_until = 0;
            // What one side still believes and the other does not is noticed with the next packet.
            if u.conn != u.server_conn
                && let Some(conn) = u.conn
            {
                self.at(now + 1_000, Ev::UnitNotices(unit, conn));
            }
            self.units[unit].tick_at = None;
            self.watch(unit);
        }
    }

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
        if matches!(kind, InputKind::Stop(_))
            && self.rates.unanswered > 0
            && self.journal.chance(30)
        {
            // There are few of them.
            lose_answers(&self.config.storage, &mut self.journal);
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

/// How a wish changes a device's locks so that some may open.
fn unlocks(kind: &InputKind) -> Option<(&DeviceId, Lock)> {
    match kind {
        InputKind::Status { device, status } => Some((device, status.lock.clone()?)),
        _ => None,
    }
}
