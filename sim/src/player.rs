//! A server to which a log is played, with controllers that do what they are told and are not heard.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use harit_ingest::mqtt::Receipt;
use harit_ingest::simulation::{Cut, Server, ServerConfig, Storage};
use harit_protocol::Mac;
use harit_simulate::controller::{Controller, Now};

use crate::log::{Work, receive};
use crate::plan::{self, FarmPlan};
use crate::time::{START_MS, VirtualTime};
use crate::wire::Wire;

/// How often the server looks at the time.
const IDLE_TURN_MS: i64 = 5_000;
/// Longer than a log: nobody is taken for absent in one.
const PRESENCE_GRACE: Duration = Duration::from_secs(600);

/// Where in a log the server dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Point {
    /// In which of the log's turns.
    pub(crate) turn: usize,
    /// Where in it.
    pub(crate) cut: Cut,
    /// The batch that it had just written is torn, or lost.
    pub(crate) torn: Option<bool>,
}

/// A server on virtual time, and what is about it.
pub(crate) struct Player {
    pub(crate) time: Arc<VirtualTime>,
    pub(crate) wire: Wire,
    pub(crate) config: ServerConfig,
    pub(crate) server: Server,
    /// Open-loop controllers: they do what they are told, and nobody hears them.
    pub(crate) boxes: BTreeMap<Mac, Controller>,
    folder: PathBuf,
}

impl Player {
    /// A server that has just been told of its farms; its journal is a file in `folder`, or in memory.
    pub(crate) fn new(plans: &[FarmPlan], folder: Option<&Path>) -> Result<Self, String> {
        let time = Arc::new(VirtualTime::default());
        let wire = Wire::default();
        let controllers = || {
            plans
                .iter()
                .flat_map(|p| p.controllers.iter().map(move |c| (p, c)))
        };
        let config = plan::server(plans, folder, &time, &wire, PRESENCE_GRACE)?;
        let mut server = Server::start(&config).map_err(|e| e.to_string())?;
        for plan in plans {
            drop(server.add_farm(plan.document.clone()));
        }
        server.turn(None);
        for (_, c) in controllers() {
            wire.connect(c.mac);
        }
        let boxes = controllers()
            .map(|(_, c)| {
                let mut controller = Controller::new(c.spec.clone());
                controller.connected(at(START_MS), &mut Vec::new());
                (c.mac, controller)
            })
            .collect();
        Ok(Self {
            time,
            wire,
            config,
            server,
            boxes,
            folder: folder.map(Path::to_owned).unwrap_or_default(),
        })
    }

    /// Another server takes over; nobody is connected to it yet. Gives the one that was at work, with its connections.
    pub(crate) fn taken_over(&mut self) -> Result<(Server, Wire), String> {
        let wire = Wire::default();
        self.config.downlink = wire.downlink();
        let start = || Server::start(&self.config).map_err(|e| format!("it does not start: {e}"));
        let mut server = start()?;
        if server.is_taken_over() {
            // What was on its way arrived first. It is started again.
            server = start()?;
        }
        let old = std::mem::replace(&mut self.server, server);
        Ok((old, std::mem::replace(&mut self.wire, wire)))
    }

    /// The controllers do what was sent to them, which is given back, and what has come due.
    pub(crate) fn obey(&mut self) -> Vec<(Mac, Bytes)> {
        let now = at(self.time.now_ms());
        let sent = self.wire.take_sent();
        give(&mut self.boxes, now, sent.clone());
        for controller in self.boxes.values_mut() {
            controller.tick(now, &mut |_, _| None, &mut Vec::new());
        }
        sent
    }

    /// When the server turns next by itself, if that is before `until_ms`.
    pub(crate) fn next_turn(&self, until_ms: i64) -> Option<i64> {
        let now = self.time.now_ms();
        let engine_now = self.server.now().as_millis();
        let due = self.server.next_deadline();
        let wait = due.map_or(i64::MAX, |d| d.as_millis().saturating_sub(engine_now));
        Some(now + wait.clamp(1, IDLE_TURN_MS)).filter(|at| *at < until_ms)
    }

    /// Time passes: the server does what is due.
    pub(crate) fn pass_to(&mut self, until_ms: i64) {
        while let Some(at) = self.next_turn(until_ms) {
            self.time.pass_to(at);
            self.turn(&[]);
        }
        self.time.pass_to(until_ms);
    }

    /// A turn with what reaches the server in it; gives what it sent.
    pub(crate) fn turn(&mut self, works: &[Work]) -> Vec<(Mac, Bytes)> {
        for work in works {
            drop(receive(&mut self.server, work));
        }
        self.server.turn(None);
        self.obey()
    }

    /// A turn with the stops in it: they are journaled and sent before everything else that reaches the server by then.
    /// Gives the rest.
    pub(crate) fn stops_first(&mut self, works: &[Work]) -> Vec<Work> {
        let (stops, rest) = works.iter().cloned().partition(Work::is_stop);
        let stops: Vec<Work> = stops;
        self.turn(&stops);
        rest
    }

    /// The server dies in this turn, after its stops, is started at once, and gets again what it did not acknowledge.
    pub(crate) fn die(mut self, works: &[Work], point: Point) -> Result<Self, String> {
        let works = self.stops_first(works);
        let Self {
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
                Work::Publish { .. } | Work::Forged { .. } => !**safe,
                Work::Admit { .. } | Work::Gone { .. } => !durable,
            })
            .map(|(work, _)| work.clone())
            .collect();
        player.turn(&again);
        Ok(player)
    }
}

/// Controllers do what was sent to them.
pub(crate) fn give(
    boxes: &mut BTreeMap<Mac, Controller>,
    now: Now,
    sent: Vec<(Mac, bytes::Bytes)>,
) {
    for (mac, payload) in sent {
        if let Some(controller) = boxes.get_mut(&mac) {
            controller.command(now, &payload, &mut Vec::new());
        }
    }
}

/// When a command or anything else is at an instant for a controller of these runs.
pub(crate) fn at(now_ms: i64) -> Now {
    Now {
        since_start: Duration::from_millis((now_ms - START_MS).max(0).unsigned_abs()),
        wall_ms: now_ms,
    }
}
