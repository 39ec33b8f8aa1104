//! From work to steps: reads payloads, resolves sensors, stamps, and writes the journal's batch in the same pass.
//!
//! Nothing here touches an engine. What is announced is known to the book at once, so that the next message of the same
//! batch finds it.

use std::time::Instant;

use harit_engine::{
    Event, FarmId, Input, InputKind, Measured, RegistryChange, ScopeSpec, Timestamp,
};
use tokio::sync::oneshot;

use super::farm::Farm;
use super::queue::Work;
use super::{Shard, Step, is_structural};
use crate::book::{Again, Standings};
use crate::downlink::AckOutcome;
use crate::hub::AdmitError;
use crate::journal::codec::Interned;
use crate::mac::Mac;
use crate::mqtt::{Principal, Publish};
use crate::topic::{Topic, TopicKind};
use crate::wire::{self, Reject, Report, Stamp, TypeWord};

/// How long a controller's record is believed before it is asked for again, in milliseconds.
const RECORD_MS: i64 = 5_000;
/// How many records are remembered.
const MAX_RECORDS: usize = 100_000;
/// How long a farm's announcements are not tried again after the engine refused one, in milliseconds.
const REFUSED_MS: i64 = 10_000;

/// What is remembered of a controller's record.
pub(crate) struct Record {
    /// The farm that registered it: behind a broker any farm can stand in a topic.
    farm: FarmId,
    until: Timestamp,
    scope: ScopeSpec,
}

/// Where publishes of one topic go.
#[derive(Clone, Copy)]
struct Route {
    farm: u32,
    controller: u32,
    mac: Mac,
    kind: TopicKind,
}

impl Shard {
    pub(super) fn prepare(&mut self, work: Work) {
        match work {
            Work::Batch {
                from,
                publishes,
                receipt,
                arrived,
            } => {
                let mut rejected = 0;
                let mut last: Option<(&Publish, Route)> = None;
                for publish in &publishes {
                    // Messages of one connection share their topic.
                    let same =
                        last.filter(|(p, _)| std::sync::Arc::ptr_eq(&p.topic, &publish.topic));
                    let route = match same {
                        Some((_, route)) => Ok(route),
                        None => self.route(from.as_ref(), publish),
                    };
                    let done = route.and_then(|route| {
                        last = Some((publish, route));
                        self.publish(route, publish, arrived)
                    });
                    if let Err(reject) = done {
                        rejected += 1;
                        self.dead_letter(publish, reject);
                    }
                }
                self.receipts.push((receipt, rejected));
            }
            Work::Admit { farm, kind, reply } => self.admit(&farm, *kind, reply),
            Work::AddFarm { document, reply } => self.add_farm(&document, reply),
            Work::Gone { .. } if planted!(GoneIgnored) => {}
            Work::Gone { farm, mac } => {
                let known = self.by_id.get(&farm).copied();
                if let Some(n) = known
                    && let Some(c) = self.farms[n as usize].book.find(&mac)
                    && self.farms[n as usize].book.controllers[c as usize].online
                {
                    self.report(n, c, &Report::OFFLINE, &ScopeSpec::farm(), Instant::now());
                }
            }
        }
    }

    fn dead_letter(&self, publish: &Publish, reject: Reject) {
        self.shared
            .letters
            .add(&publish.topic, reject, &publish.payload, self.now.at);
    }

    fn route(&mut self, from: Option<&Principal>, publish: &Publish) -> Result<Route, Reject> {
        let topic = Topic::parse(&publish.topic).map_err(|_| Reject::Topic)?;
        match from {
            Some(Principal::Controller { farm, mac })
                if (farm.as_str() != topic.farm || *mac != topic.mac)
                    && !planted!(TopicIsBelieved) =>
            {
                return Err(Reject::Topic);
            }
            Some(Principal::Integration { .. }) => return Err(Reject::NotAllowed),
            _ => {}
        }
        if topic.kind == TopicKind::Command {
            return Err(Reject::NotForControllers);
        }
        let farm = *self
            .by_id
            .get(topic.farm)
            .ok_or(Reject::UnknownController)?;
        let farm = if planted!(FarmsMixed) { 0 } else { farm };
        self.check_record(topic.farm, topic.mac)?;
        let controller = self.farms[farm as usize].book.controller(topic.mac);
        Ok(Route {
            farm,
            controller,
            mac: topic.mac,
            kind: topic.kind,
        })
    }

    /// Whether the controller is registered in that farm.
    fn check_record(&mut self, farm: &str, mac: Mac) -> Result<(), Reject> {
        if self
            .records
            .get(&mac)
            .is_some_and(|r| r.until > self.now.at && r.farm.as_str() == farm)
        {
            return Ok(());
        }
        self.records.remove(&mac);
        let record = self
            .shared
            .directory
            .lookup(&mac)
            .filter(|r| r.farm.as_str() == farm)
            .ok_or(Reject::UnknownController)?;
        if !record.enabled {
            return Err(Reject::Disabled);
        }
        if self.records.len() >= MAX_RECORDS {
            self.records.clear();
        }
        let until = self.now.at + harit_engine::Duration::from_millis(RECORD_MS);
        self.records.insert(
            mac,
            Record {
                farm: record.farm,
                until,
                scope: record.scope,
            },
        );
        Ok(())
    }

    fn scope(&self, mac: Mac) -> ScopeSpec {
        self.records
            .get(&mac)
            .map_or_else(ScopeSpec::farm, |r| r.scope.clone())
    }

    fn publish(&mut self, route: Route, publish: &Publish, arrived: Instant) -> Result<(), Reject> {
        if publish.oversized.is_some() || publish.payload.len() > crate::mqtt::MAX_PAYLOAD_BYTES {
            return Err(Reject::TooLarge);
        }
        if publish.retain && route.kind != TopicKind::State {
            return Err(Reject::Retained);
        }
        match route.kind {
            TopicKind::Telemetry => self.telemetry(route, publish, arrived)?,
            TopicKind::State => {
                let mut bad = Vec::new();
                let report = wire::read_state(&publish.payload, &mut bad);
                for reject in bad {
                    self.dead_letter(publish, reject);
                }
                let scope = self.scope(route.mac);
                for reject in self.report(route.farm, route.controller, &report?, &scope, arrived) {
                    self.dead_letter(publish, reject);
                }
            }
            TopicKind::Ack => {
                let ack = wire::read_ack(&publish.payload)?;
                let now = self.now.at;
                let outcome =
                    self.farms[route.farm as usize]
                        .lives
                        .ack(now, route.mac, ack, &mut self.lives);
                let word = match outcome {
                    AckOutcome::Taken => "taken",
                    AckOutcome::Late => "late",
                    AckOutcome::Foreign => "foreign",
                };
                metrics::counter!("harit_acks_total", "outcome" => word).increment(1);
                self.touch(route.farm);
                self.tell_lives();
            }
            TopicKind::Command => return Err(Reject::NotForControllers),
        }
        let controller =
            &mut self.farms[route.farm as usize].book.controllers[route.controller as usize];
        controller.last_seen = Some(self.now.at);
        controller.heard = true;
        Ok(())
    }

    // ---- telemetry ----

    fn telemetry(
        &mut self,
        route: Route,
        publish: &Publish,
        arrived: Instant,
    ) -> Result<(), Reject> {
        let all = wire::read_telemetry(&publish.payload)?;
        let crc = all
            .messages
            .iter()
            .any(|m| m.seq.is_some())
            .then(|| crc32fast::hash(&publish.payload));
        let mut new = Vec::new();
        let first = self.values.len();
        let mut ranges = Vec::with_capacity(all.messages.len());
        for message in &all.messages {
            let farm = &mut self.farms[route.farm as usize];
            if let (Some(seq), Some(crc)) = (message.seq, crc) {
                let controller = &mut farm.book.controllers[route.controller as usize];
                if controller.repeats(seq, crc) && !planted!(RepeatedMessageCounts) {
                    // A repeated delivery says nothing new, and must not count as a new sample.
                    metrics::counter!("harit_repeated_messages_total").increment(1);
                    continue;
                }
            }
            let items = &all.items[message.items.clone()];
            let twice = same_type_without_id(items);
            let from = self.values.len();
            for (place, item) in items.iter().enumerate() {
                let farm = &mut self.farms[route.farm as usize];
                let ambiguous = item.id.is_none()
                    && matches!(item.sensor_type, TypeWord::Known(t) if twice & 1 << t as u32 != 0);
                let found = if ambiguous {
                    Err(Reject::Ambiguous)
                } else {
                    let records = &self.records;
                    // Asked for only where a sensor is new.
                    let scope = || records.get(&route.mac).map_or(&FARM, |r| &r.scope);
                    farm.book.resolve(
                        &farm.engine,
                        route.controller,
                        place,
                        item,
                        &scope,
                        &mut new,
                    )
                };
                match found {
                    Ok(sensor) => self.values.push((sensor, item.value)),
                    Err(reject) => self.dead_letter(publish, reject),
                }
            }
            let number = message.seq.zip(crc);
            ranges.push((message.ts, number, from, self.values.len()));
        }
        if !new.is_empty() && !self.register(route.farm, new, arrived) {
            self.values.truncate(first);
            return Err(Reject::Refused);
        }
        for (ts, number, from, to) in ranges {
            if to > from {
                if let Some(number) = number {
                    let Farm { id, interned, .. } = &mut self.farms[route.farm as usize];
                    self.encoder
                        .message(interned, id.as_str(), route.mac, number);
                }
                self.readings(route.farm, Some(route.controller), ts, from, to, arrived);
            }
        }
        Ok(())
    }

    /// Journals the values from..to as readings of one instant.
    fn readings(
        &mut self,
        farm: u32,
        controller: Option<u32>,
        ts: Option<i64>,
        from: usize,
        to: usize,
        arrived: Instant,
    ) {
        let (at, backlog) = match wire::stamp(ts, self.now.at, self.now.ahead_ms) {
            Stamp::At(at) => (at, false),
            Stamp::Backlog(at) if planted!(BacklogDrivesRules) => (at, false),
            Stamp::Replaced(_) if planted!(FutureIsBelieved) => {
                (Timestamp::from_millis(ts.unwrap_or(0)), false)
            }
            Stamp::Replaced(at) => {
                metrics::counter!("harit_future_timestamps_total").increment(1);
                if let Some(c) = controller {
                    let book = &mut self.farms[farm as usize].book;
                    book.controllers[c as usize].future_timestamps += 1;
                }
                (at, false)
            }
            Stamp::Backlog(at) => (at, true),
        };
        let Farm {
            id, book, interned, ..
        } = &mut self.farms[farm as usize];
        self.encoder
            .readings(interned, id.as_str(), at, backlog, to - from);
        for (n, value) in &self.values[from..to] {
            let sensor = &mut book.sensors[*n as usize];
            self.encoder
                .reading(&mut sensor.interned, sensor.id.as_str(), *value);
        }
        self.steps.push(Step::Readings {
            farm,
            at,
            backlog,
            from,
            to,
            arrived,
        });
    }

    /// Announces what is new, if the engine will take it; else the book forgets it.
    fn register(&mut self, farm: u32, changes: Vec<RegistryChange>, arrived: Instant) -> bool {
        let pending = self.is_pending(farm);
        let now = self.now.at;
        let f = &mut self.farms[farm as usize];
        let input = Input {
            at: now,
            kind: InputKind::Registry(changes),
        };
        let refused = f.refused_until > now || (!pending && f.engine.check(&input).is_err());
        if refused {
            if f.refused_until <= now {
                f.refused_until = now + harit_engine::Duration::from_millis(REFUSED_MS);
                if let Err(problems) = f.engine.check(&input) {
                    tracing::warn!(farm = %f.id, %problems, "what a controller announced was refused");
                }
            }
            if let InputKind::Registry(changes) = &input.kind {
                f.book.unfollow(&f.engine, changes);
            }
            return false;
        }
        self.input(farm, input.kind, None, arrived);
        true
    }

    /// Whether this batch already has something of the farm that changes more than readings do.
    fn is_pending(&self, farm: u32) -> bool {
        self.farms[farm as usize].pending == self.encoder.number()
    }

    // ---- state ----

    /// A controller's report; returns what of it was refused.
    fn report(
        &mut self,
        farm: u32,
        c: u32,
        report: &Report,
        scope: &ScopeSpec,
        arrived: Instant,
    ) -> Vec<Reject> {
        let pending = self.is_pending(farm);
        let standings = if pending {
            self.standings(farm)
        } else {
            Standings::new()
        };
        let now = self.now.at;
        let f = &mut self.farms[farm as usize];
        if f.failed.is_some() {
            return Vec::new();
        }
        let was_online = f.book.controllers[c as usize].online;
        let mac = f.book.controllers[c as usize].mac;
        let again = f.book.again(&f.engine, c, now, report, &standings);
        let mut announced = f.book.announce(&f.engine, c, report, scope, &standings);
        if pending {
            self.keep_decided(farm, &mut announced.registry);
        }
        let mut rejected = announced.rejected;
        if !announced.registry.is_empty() && !self.register(farm, announced.registry, arrived) {
            rejected.push(Reject::Refused);
        }
        let Farm {
            id,
            book,
            interned,
            pending,
            ..
        } = &mut self.farms[farm as usize];
        if let Err(e) = self.encoder.report(interned, id.as_str(), now, mac, report) {
            tracing::error!(farm = %id, error = %e, "a report could not be journaled");
            return rejected;
        }
        book.reported(c, now, report);
        *pending = self.encoder.number();
        for (device, status) in announced.statuses {
            self.input(farm, InputKind::Status { device, status }, None, arrived);
        }
        self.remedy(farm, again, arrived);
        self.steps.push(Step::Reported {
            farm,
            controller: c,
            online: report.online,
            changed: was_online != report.online,
        });
        rejected
    }

    /// Journals what was decided about devices that are astray, and does it.
    fn remedy(&mut self, farm: u32, decided: Vec<Again>, arrived: Instant) {
        let now = self.now.at;
        for again in decided {
            if let Some(what) = again.note {
                let Farm {
                    id,
                    book,
                    interned,
                    pending,
                    ..
                } = &mut self.farms[farm as usize];
                let device = again.device.as_str();
                self.encoder
                    .desertion(interned, id.as_str(), now, device, what);
                book.note_desertion(&again.device, now, what);
                *pending = self.encoder.number();
            }
            for (device, status) in again.statuses() {
                self.input(farm, InputKind::Status { device, status }, None, arrived);
            }
        }
    }

    // ---- inputs of people, and of time ----

    fn admit(
        &mut self,
        farm: &FarmId,
        kind: InputKind,
        reply: oneshot::Sender<Result<Vec<Event>, AdmitError>>,
    ) {
        let Some(n) = self.by_id.get(farm).copied() else {
            let _ = reply.send(Err(AdmitError::UnknownFarm(farm.clone())));
            return;
        };
        let f = &self.farms[n as usize];
        if f.failed.is_some() {
            let _ = reply.send(Err(AdmitError::Unavailable("the farm's engine has failed")));
            return;
        }
        let input = Input {
            at: self.now.at,
            kind,
        };
        // What came earlier in this batch may make the difference; then applying it tells.
        if !self.is_pending(n)
            && let Err(problems) = f.engine.check(&input)
        {
            let _ = reply.send(Err(AdmitError::Rejected(problems)));
            return;
        }
        if let InputKind::Reading { sensor, value } = &input.kind
            && let Some(s) = f.book.sensor_by_id(sensor.as_str())
        {
            let value: Measured = wire::canonical(*value);
            let from = self.values.len();
            self.values.push((s, value));
            self.readings(n, None, None, from, from + 1, Instant::now());
            self.input(n, InputKind::Tick, Some(reply), Instant::now());
            return;
        }
        self.input(n, input.kind, Some(reply), Instant::now());
    }

    /// Journals an input and plans its step.
    pub(super) fn input(
        &mut self,
        farm: u32,
        kind: InputKind,
        reply: Option<oneshot::Sender<Result<Vec<Event>, AdmitError>>>,
        arrived: Instant,
    ) {
        let input = Input {
            at: self.now.at,
            kind,
        };
        let f = &mut self.farms[farm as usize];
        // What is astray is looked at when everything was told anew, and not before.
        let resumes = input.kind == InputKind::Resumed;
        if resumes {
            f.book.resumed(input.at);
        }
        if resumes || is_structural(&input.kind) {
            f.pending = self.encoder.number();
        }
        if let Err(e) = self.encoder.input(&mut f.interned, f.id.as_str(), &input) {
            tracing::error!(farm = %f.id, error = %e, "an input could not be journaled");
            if let Some(reply) = reply {
                let _ = reply.send(Err(AdmitError::Unavailable(
                    "the input cannot be journaled",
                )));
            }
            return;
        }
        self.steps.push(Step::Input {
            farm,
            input,
            reply,
            arrived,
        });
    }

    fn add_farm(
        &mut self,
        document: &harit_engine::FarmDocument,
        reply: oneshot::Sender<Result<(), AdmitError>>,
    ) {
        let id = &document.farm.id;
        let made = if self.by_id.contains_key(id) {
            Err(AdmitError::FarmExists(id.clone()))
        } else {
            harit_engine::Engine::new(document).map_err(AdmitError::Rejected)
        };
        let engine = match made {
            Ok(engine) => engine,
            Err(e) => {
                let _ = reply.send(Err(e));
                return;
            }
        };
        if self.encoder.farm(document).is_err() {
            let _ = reply.send(Err(AdmitError::Unavailable("the farm cannot be journaled")));
            return;
        }
        let mut farm = Farm::new(engine);
        farm.interned = Interned::default();
        self.by_id.insert(
            farm.id.clone(),
            u32::try_from(self.farms.len()).unwrap_or(u32::MAX),
        );
        self.farms.push(farm);
        self.steps.push(Step::Added { reply });
    }

    /// A tick for every farm of which a timer is due.
    pub(super) fn prepare_ticks(&mut self) {
        let now = self.now.at;
        let due: Vec<u32> = self
            .schedule
            .iter()
            .take_while(|(at, _)| *at <= now)
            .map(|(_, f)| *f)
            .collect();
        for farm in due {
            let f = &mut self.farms[farm as usize];
            if planted!(TickSkipped, every 3) {
                continue;
            }
            if f.failed.is_none() && f.engine.next_deadline().is_some_and(|d| d <= now) {
                self.input(farm, InputKind::Tick, None, Instant::now());
            }
        }
    }

    /// What devices do that have been astray for long enough. Of a farm of which something is decided and not applied yet,
    /// it is decided in the next turn.
    pub(super) fn prepare_deserters(&mut self) {
        let now = self.now.at;
        let due = self.schedule.iter().take_while(|(at, _)| *at <= now);
        for farm in due.map(|(_, f)| *f).collect::<Vec<_>>() {
            if self.is_pending(farm) {
                continue;
            }
            let f = &mut self.farms[farm as usize];
            if f.failed.is_some() {
                continue;
            }
            let overdue = f.book.overdue(&f.engine, now);
            self.remedy(farm, overdue, Instant::now());
        }
    }

    /// Once, some time after the start: who was online before it and has not been heard of since is not online.
    pub(super) fn prepare_absent(&mut self) {
        let grace = harit_engine::Duration::from_millis(
            i64::try_from(self.config.presence_grace.as_millis()).unwrap_or(i64::MAX),
        );
        if self.presence_checked || self.now.at < self.started + grace || planted!(AbsenceUnnoticed)
        {
            return;
        }
        self.presence_checked = true;
        for n in 0..self.farms.len() {
            let farm = u32::try_from(n).unwrap_or(u32::MAX);
            let f = &self.farms[n];
            let absent: Vec<u32> = (0..)
                .zip(&f.book.controllers)
                .filter(|(c, controller)| {
                    let online = |d: &harit_engine::DeviceId| {
                        f.engine.device(d.as_str()).is_some_and(|d| d.online)
                    };
                    !controller.heard && (controller.online || f.book.devices_of(*c).any(online))
                })
                .map(|(c, _)| c)
                .collect();
            for c in absent {
                tracing::info!(farm = %self.farms[n].id, mac = %self.farms[n].book.controllers[c as usize].mac, "not heard of since the start: offline");
                self.report(
                    farm,
                    c,
                    &Report::OFFLINE,
                    &ScopeSpec::farm(),
                    Instant::now(),
                );
            }
        }
    }
}

static FARM: ScopeSpec = ScopeSpec::farm();

/// The types of which a message has more than one entry without an id, as bits.
fn same_type_without_id(items: &[wire::Item<'_>]) -> u32 {
    let (mut once, mut twice) = (0_u32, 0);
    for item in items.iter().filter(|i| i.id.is_none()) {
        if let TypeWord::Known(t) = item.sensor_type {
            let bit = 1 << t as u32;
            twice |= once & bit;
            once |= bit;
        }
    }
    twice
}
