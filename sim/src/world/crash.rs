//! The server dies, or stands still, and is started again.

use harit_ingest::simulation::{Cut, Server, Storage};

use super::{Ev, UNIT_KEEPALIVE_MS, World};
use crate::time::START_MS;

impl World {
    pub(super) fn crash(&mut self, cut: Cut, entries: u64) {
        let now = self.now_ms();
        self.answers.clear();
        self.last_telemetry.clear();
        self.turn_at = None;
        let Some(server) = self.server.take() else {
            return;
        };
        self.checks.crashed(now);
        let is_alive = self.rates.takeovers > 0
            && self.first.is_none()
            && self.dice.below(1_000) < self.rates.takeovers;
        let down_ms = if is_alive {
            self.stand_still(server, cut)
        } else {
            self.die(server, cut, entries)
        };
        self.at(now + down_ms, Ev::Start);
        for unit in 0..self.units.len() {
            let u = &mut self.units[unit];
            u.server_conn = None;
            u.gone_since = now;
            if let Some(conn) = u.conn {
                let most = if is_alive {
                    2 * UNIT_KEEPALIVE_MS
                } else {
                    5_000
                };
                let wait = self.farms[u.farm].dice.between(50, most);
                self.at(now + wait, Ev::UnitNotices(unit, conn));
            }
        }
        if let Storage::Memory(disk) = &self.config.storage {
            disk.answer_all();
        }
    }

    /// The process is gone; gives how long the server is away.
    fn die(&mut self, server: Server, cut: Cut, entries: u64) -> i64 {
        let now = self.now_ms();
        self.totals.crashes += 1;
        self.receipts.clear();
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
        if self.rates.crashes == 0 {
            1_000
        } else {
            down_ms
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
}
