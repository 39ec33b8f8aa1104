//! The controllers in the world, and the network between them and the server.

use bytes::Bytes;
use harit_ingest::mqtt::{Batch, Principal, Publish};
use harit_simulate::controller::Controller;

use super::{Ev, World};
use crate::log::Work;
use crate::unit::Letter;

impl World {
    pub(super) fn tick(&mut self, unit: usize) {
        let now = self.now_ms();
        if self.units[unit].tick_at != Some(now) {
            return;
        }
        self.units[unit].tick_at = None;
        let farm = self.units[unit].farm;
        let (mut on, mut count) = (0.0, 0.0);
        for u in self.units.iter().filter(|u| u.farm == farm) {
            on += u.on();
            count += 1.0;
        }
        self.farms[farm]
            .field
            .advance(now, on / f64::max(count, 1.0));
        let u = &mut self.units[unit];
        let mut out = Vec::new();
        let at = u.now(now);
        let board = u.board.clone();
        u.controller.faults(at, &board, &mut out);
        u.tick(now, &mut self.farms[farm].field, &mut out);
        self.says(unit, out);
    }

    /// Puts what a controller says on its way, and sees to it that it is looked after in time.
    pub(super) fn says(&mut self, unit: usize, out: Vec<harit_simulate::controller::Outgoing>) {
        let now = self.now_ms();
        self.units[unit].write(now, out);
        self.pump(unit);
        self.watch(unit);
    }

    pub(super) fn watch(&mut self, unit: usize) {
        let now = self.now_ms();
        let u = &mut self.units[unit];
        // Its faults begin and end between its own deadlines.
        let next = u.next_deadline().unwrap_or(i64::MAX).min(now + 30_000);
        let next = next.max(now + 1);
        if u.tick_at.is_none_or(|t| t > next) {
            u.tick_at = Some(next);
            self.at(next, Ev::Tick(unit));
        }
    }

    /// Sends what waits, as far as the window goes.
    pub(super) fn pump(&mut self, unit: usize) {
        let now = self.now_ms();
        while let Some(letter) = self.units[unit].next_letter(now) {
            self.post(unit, letter);
        }
    }

    /// Sends a letter.
    fn post(&mut self, unit: usize, letter: Letter) {
        let now = self.now_ms();
        let rates = self.rates;
        let u = &mut self.units[unit];
        let Some(conn) = u.conn else { return };
        let dice = &mut self.farms[u.farm].dice;
        let delay = dice.between(1, rates.delay_ms.max(1));
        let overtakes = dice.below(1_000) < rates.reorder;
        let lost = dice.below(1_000) < rates.lose_up;
        let twice = dice.below(1_000) < rates.duplicate;
        // MQTT keeps the order within a topic; between topics a broker may change it.
        let floor = if overtakes {
            u.last_up.get(letter.kind).copied().unwrap_or(0)
        } else {
            u.last_up.values().copied().max().unwrap_or(0)
        };
        let at = (now + delay).max(floor);
        if u.broken == Some(conn) {
            return;
        }
        if lost {
            // On a connection that keeps order nothing overtakes what is lost: it breaks, and all is sent anew on the next.
            u.broken = Some(conn);
            let noticed = dice.between(200, 20_000);
            self.at(now + noticed, Ev::UnitNotices(unit, conn));
            return;
        }
        u.last_up.insert(letter.kind, at);
        if twice {
            self.at(at, Ev::Up(unit, conn, letter.clone()));
        }
        self.at(at, Ev::Up(unit, conn, letter));
    }

    pub(super) fn connect(&mut self, unit: usize) {
        let now = self.now_ms();
        if self.units[unit].conn.is_some() {
            return;
        }
        if self.server.is_none() || self.units[unit].cut_off_until > now {
            let wait = self.farms[self.units[unit].farm]
                .dice
                .between(1_000, 15_000);
            self.at(now + wait, Ev::Connect(unit));
            return;
        }
        if self.units[unit].server_conn.is_some() {
            // A takeover: the older connection's will comes before anything of the newer one.
            self.server_loses(unit);
        }
        self.conns += 1;
        let conn = self.conns;
        let u = &mut self.units[unit];
        (u.conn, u.server_conn) = (Some(conn), Some(conn));
        u.last_up.clear();
        u.last_down = now;
        u.conn_since = now;
        self.wire.connect(u.plan.mac);
        (u.sent_upto, u.in_flight) = (0, 0);
        let mut out = Vec::new();
        let at = u.now(now);
        let board = u.board.clone();
        u.controller.connected(at, &mut out);
        u.controller.faults(at, &board, &mut out);
        self.says(unit, out);
    }

    /// The server notices that a connection is gone: the will is published, then the loss told.
    pub(super) fn server_loses(&mut self, unit: usize) {
        let u = &mut self.units[unit];
        u.server_conn = None;
        u.gone_since = self.time.now_ms();
        let mac = u.plan.mac;
        self.wire.disconnect(mac);
        let farm = self.farms[u.farm].plan.id.clone();
        if let Some(server) = &mut self.server {
            // Some have a will, of others the transport alone knows.
            let has_will = mac.as_str().ends_with('0');
            let will = Publish {
                topic: format!("harit/1/{farm}/{mac}/state").into(),
                payload: Controller::farewell().into(),
                retain: true,
                oversized: None,
            };
            let from = Some(Principal::Controller {
                farm: farm.clone(),
                mac,
            });
            if has_will {
                drop(server.receive(Batch {
                    from,
                    publishes: vec![will],
                }));
            }
            server.gone(&farm, mac);
            if has_will {
                self.note(Work::Publish {
                    farm: farm.clone(),
                    mac,
                    kind: "state",
                    payload: Controller::farewell().into(),
                });
            }
            self.note(Work::Gone { farm, mac });
            self.turn_soon();
        }
    }

    /// The controller notices that its connection is gone.
    pub(super) fn unit_loses(&mut self, unit: usize) {
        let now = self.now_ms();
        let u = &mut self.units[unit];
        u.conn = None;
        if !u.plan.keeps_outbox {
            u.controller.disconnected();
        }
        let wait = self.farms[u.farm].dice.between(500, 8_000);
        self.at(now + wait, Ev::Connect(unit));
        self.watch(unit);
    }

    pub(super) fn commanded(&mut self, unit: usize, conn: u64, payload: &Bytes) {
        let now = self.now_ms();
        let u = &mut self.units[unit];
        if u.conn != Some(conn) || u.broken == Some(conn) {
            return;
        }
        if u.cut_off_until > now {
            // The connection goes on trying, in order.
            let at = u.cut_off_until;
            u.last_down = at;
            self.at(at, Ev::Down(unit, conn, payload.clone()));
            return;
        }
        let mut out = Vec::new();
        let at = u.now(now);
        u.controller.command(at, payload, &mut out);
        self.says(unit, out);
    }
}
