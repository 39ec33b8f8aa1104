//! The server stands still, another one takes over, and then the first one goes on beside it until it learns that.

use std::collections::BTreeMap;

use futures_util::FutureExt as _;
use harit_ingest::mqtt::Receipt;
use harit_ingest::simulation::{Cut, Server};
use serde_json::Value;

use super::{Ev, World};
use crate::check::When;
use crate::time::START_MS;
use crate::unit::Letter;
use crate::wire::Wire;

/// After so long without a word of it another server takes over.
const SILENT_MS: i64 = 5_000;
/// How often the first server looks whether it is still at work.
const PROOF_MS: i64 = 5_000;
/// After so many looks without anything that it has to write it is stopped.
const LOOKS: usize = 12;

/// The server that was at work.
pub(super) struct First {
    server: Server,
    wire: Wire,
    /// Where in its turn it stands still.
    cut: Option<Cut>,
    /// The connections that it has, by controller.
    conns: BTreeMap<usize, u64>,
    receipts: Vec<(usize, u64, Letter, Receipt)>,
    /// How often it may look yet.
    looks: usize,
}

impl World {
    /// The server stands still in a turn; gives how long nobody is at work.
    pub(super) fn stand_still(&mut self, server: Server, cut: Cut) -> i64 {
        let now = self.now_ms();
        let wire = std::mem::take(&mut self.wire);
        self.config.downlink = self.wire.downlink();
        let conns = self.units.iter().enumerate();
        let conns = conns.filter_map(|(n, u)| Some((n, u.server_conn?)));
        self.first = Some(First {
            server,
            wire,
            cut: Some(cut),
            conns: conns.collect(),
            receipts: std::mem::take(&mut self.receipts),
            looks: LOOKS,
        });
        self.totals.takeovers += 1;
        let goes_on = now + self.dice.between(SILENT_MS, 60_000);
        self.at(goes_on, Ev::GoesOn);
        SILENT_MS
    }

    /// Whether that is a connection to the server that was at work.
    pub(super) fn is_with_first(&self, unit: usize, conn: u64) -> bool {
        let first = self.first.as_ref();
        first.is_some_and(|first| first.conns.get(&unit) == Some(&conn))
    }

    /// A publish arrives there.
    pub(super) fn arrives_at_first(&mut self, unit: usize, conn: u64, letter: Letter) {
        let u = &self.units[unit];
        let (farm, mac) = (self.farms[u.farm].plan.id.clone(), u.plan.mac);
        if let Some(first) = &mut self.first {
            let receipt = first.server.receive(letter.batch(farm, mac));
            first.receipts.push((unit, conn, letter, receipt));
        }
    }

    /// It goes on where it stood, or looks again whether it is at work.
    pub(super) fn first_goes_on(&mut self) {
        let now = self.now_ms();
        let Some(first) = &mut self.first else { return };
        match first.cut.take() {
            Some(cut) if !first.server.is_committing() => first.server.go_on(cut, None),
            // Whether its batch is there is not known.
            _ => {
                first.server.turn(None);
            }
        }
        first.looks = first.looks.saturating_sub(1);
        let is_over = first.server.is_taken_over() || first.looks == 0;
        // What follows from that is the second one's to tell.
        drop(first.server.take_events());
        let mut coming = Vec::new();
        for (unit, conn, letter, mut receipt) in std::mem::take(&mut first.receipts) {
            match (&mut receipt).now_or_never() {
                Some(Ok(_)) => {
                    coming.push((now + 1, Ev::Puback(unit, conn, letter.id)));
                    self.acknowledged.push((unit, letter));
                }
                Some(Err(_)) => {}
                None => first.receipts.push((unit, conn, letter, receipt)),
            }
        }
        // It does not know how long it stood still.
        let when = When {
            now_ms: now,
            at_ms: now - START_MS,
            engine_ms: first.server.now().as_millis(),
        };
        for (mac, payload) in first.wire.take_sent() {
            if let Ok(body) = serde_json::from_slice::<Value>(&payload) {
                self.checks.published(when, &body);
            }
            let unit = self.units.iter().position(|u| u.plan.mac == mac);
            if let Some(unit) = unit
                && let Some(conn) = first.conns.get(&unit)
            {
                coming.push((now + 1, Ev::Down(unit, *conn, payload)));
            }
        }
        if is_over {
            // Its connections end with it.
            let conns = std::mem::take(&mut first.conns).into_iter();
            coming.extend(conns.map(|(unit, conn)| (now + 10, Ev::UnitNotices(unit, conn))));
            self.first = None;
        } else {
            coming.push((now + PROOF_MS, Ev::GoesOn));
        }
        for (at, ev) in coming {
            self.at(at, ev);
        }
    }
}
