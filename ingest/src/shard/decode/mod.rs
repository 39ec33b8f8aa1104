//! From work to steps: reads payloads, stamps, and writes the journal's batch in the same pass.
//!
//! It decides nothing: what a message means for its farm is found when its step is applied.

mod foreign;
mod inputs;
mod sender;

use std::sync::Arc;
use std::time::Instant;

use harit_engine::{FarmId, Timestamp, planted};
use harit_farm::{CommandAck, MessageNumber};
use harit_protocol::topic::{Topic, TopicKind};
use harit_protocol::{Ack, Format, Mac, Reject, Report, Stamp, Telemetry, stamp};

use super::queue::Work;
use super::{Shard, Step};
use crate::mqtt::{Principal, Publish};
use harit_farm::codec;
pub(super) use sender::Senders;

/// What a device costs that a report names, in units of the queue.
const NAMED_UNITS: usize = 2;
/// What one costs that its controller has.
const DEVICE_UNITS: usize = 1;

/// Where publishes of one topic go.
#[derive(Clone, Copy)]
struct Route {
    farm: u32,
    sender: u32,
    kind: Kind,
}

/// What a topic is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Protocol(TopicKind),
    /// It is another system's: a profile says what is said there.
    Foreign,
}

impl Shard {
    pub(super) fn decode(&mut self, work: Work) {
        self.at_work = None;
        match work {
            Work::Batch {
                from,
                publishes,
                receipt,
                arrived,
                only_readings: _,
                kept,
            } => {
                self.receipts.push((receipt, 0));
                let mut last: Option<(Arc<str>, Route)> = None;
                for publish in publishes {
                    // Messages of one connection share their topic.
                    let same = last
                        .as_ref()
                        .filter(|(topic, _)| Arc::ptr_eq(topic, &publish.topic))
                        .map(|(_, route)| *route);
                    let route = match same {
                        Some(route) => Ok(route),
                        None => self.route(from.as_ref(), &publish),
                    };
                    let done = route.and_then(|route| {
                        if same.is_none() {
                            last = Some((publish.topic.clone(), route));
                        }
                        self.publish(route, &publish, kept || from.is_none(), arrived)
                    });
                    match done {
                        Ok(()) => {
                            if let Some((_, route)) = &last {
                                self.senders[route.sender].heard = true;
                            }
                            self.publishes.push(publish);
                        }
                        Err(reject) => {
                            let farm = self.farm_of(from.as_ref(), &publish);
                            self.dead_letter(farm, &publish, reject);
                            self.reject_last();
                        }
                    }
                }
            }
            Work::Admit {
                farm,
                kind,
                entry,
                reply,
            } => self.admit(&farm, *kind, entry, reply),
            Work::AddFarm { document, reply } => self.add_farm(&document, reply),
            Work::Came { farm, mac } => self.came(&farm, mac),
            Work::Gone { .. } if planted!(GoneIgnored) => {}
            Work::Gone { farm, mac } => {
                self.leaving.push((farm.clone(), mac));
                if let Some(n) = self.by_id.get(&farm).copied() {
                    self.at_work = Some(n);
                    self.gone(n, mac);
                }
            }
        }
    }

    /// Counts a publish of the batch that was begun last as refused.
    fn reject_last(&mut self) {
        if let Some((_, rejected)) = self.receipts.last_mut() {
            *rejected += 1;
        }
    }

    /// The farm that the sender belongs to, or, behind a broker, that the topic names.
    fn farm_of(&self, from: Option<&Principal>, publish: &Publish) -> Option<u32> {
        let farm = match from {
            Some(principal) => principal.farm().as_str(),
            None => Topic::parse(&publish.topic).ok()?.farm,
        };
        self.by_id.get(farm).copied()
    }

    pub(super) fn dead_letter(&self, farm: Option<u32>, publish: &Publish, reject: Reject) {
        let nobody = FarmId::from("");
        let farm = farm.map_or(&nobody, |n| self.farms[n as usize].id());
        let Publish { topic, payload, .. } = publish;
        self.shared
            .letters
            .add(farm, topic, reject, payload, self.now.at);
    }

    fn route(&mut self, from: Option<&Principal>, publish: &Publish) -> Result<Route, Reject> {
        let topic = match (Topic::parse(&publish.topic), from) {
            (Ok(topic), _) => topic,
            // What stands among Harit's own topics is no other system's.
            (Err(_), Some(Principal::Controller { farm, mac }))
                if !publish.topic.starts_with("harit/") =>
            {
                return self.foreign_route(farm, *mac);
            }
            (Err(_), _) => return Err(Reject::Topic),
        };
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
        self.route_of(topic.farm, topic.mac, Kind::Protocol(topic.kind))
    }

    /// Where messages of a farm's controller go.
    fn route_of(&mut self, farm_id: &str, mac: Mac, kind: Kind) -> Result<Route, Reject> {
        let farm = *self.by_id.get(farm_id).ok_or(Reject::UnknownController)?;
        let farm = if planted!(FarmsMixed) { 0 } else { farm };
        self.at_work = Some(farm);
        if self.farms[farm as usize].quarantined {
            return Err(Reject::FarmFailed);
        }
        let sender = self.sender(farm, farm_id, mac)?;
        Ok(Route { farm, sender, kind })
    }

    fn publish(
        &mut self,
        route: Route,
        publish: &Publish,
        kept: bool,
        arrived: Instant,
    ) -> Result<(), Reject> {
        if publish.oversized.is_some() || publish.payload.len() > crate::mqtt::MAX_PAYLOAD_BYTES {
            return Err(Reject::TooLarge);
        }
        // What a broker kept is old; a client that asks its server to keep something says it now.
        let is_old = publish.retain && kept;
        let kind = match route.kind {
            Kind::Protocol(kind) => kind,
            Kind::Foreign => return self.foreign(route, publish, is_old, arrived),
        };
        if is_old && kind != TopicKind::State {
            return Err(Reject::Retained);
        }
        match kind {
            TopicKind::Telemetry(format) => self.telemetry(route, format, publish, arrived),
            TopicKind::State => {
                let mut bad = Vec::new();
                let report = Report::read(&publish.payload, &mut bad);
                for reject in bad {
                    self.dead_letter(Some(route.farm), publish, reject);
                }
                // What profiles told of it before is no longer all that it has.
                self.senders[route.sender].devices = None;
                self.report(route, report?, arrived);
                Ok(())
            }
            TopicKind::Ack => {
                let ack = Ack::read(&publish.payload)?;
                let farm = &self.farms[route.farm as usize];
                match CommandAck::of(farm.id().as_str(), ack) {
                    Some(ack) => self.ack(route, ack),
                    // Of none of the farm's commands; one that was sent beside the engine has no number.
                    None => count_foreign(),
                }
                Ok(())
            }
            TopicKind::Command => Err(Reject::NotForControllers),
        }
    }

    /// What the encoder needs to name a sender.
    fn encode(
        &mut self,
        farm: u32,
        sender: u32,
        write: impl FnOnce(&mut codec::Encoder, codec::Origin<'_>),
    ) {
        let farm = &mut self.farms[farm as usize];
        let sender = &mut self.senders[sender];
        let from = codec::Origin {
            farm_id: farm.fold.id().as_str(),
            farm: &mut farm.interned,
            mac: sender.mac,
            interned: &mut sender.interned,
        };
        write(&mut self.encoder, from);
    }

    fn report(&mut self, route: Route, report: Report, arrived: Instant) {
        let publish = self.publishes.len();
        self.report_of(route.farm, route.sender, report, publish, arrived);
    }

    /// Journals a report of a controller; `publish` is what it came with.
    pub(in crate::shard) fn report_of(
        &mut self,
        n: u32,
        sender: u32,
        report: Report,
        publish: usize,
        arrived: Instant,
    ) {
        let mac = self.senders[sender].mac;
        let farm = &mut self.farms[n as usize];
        let named = report.devices.as_ref().map_or(0, Vec::len);
        let has = farm.fold.controllers().device_count(mac);
        self.units += named * NAMED_UNITS + has * DEVICE_UNITS;
        farm.pending = self.encoder.number();
        let mut written = Ok(());
        self.encode(n, sender, |encoder, from| {
            written = encoder.report(from, &report);
        });
        if let Err(error) = written {
            let farm = self.farms[n as usize].id();
            tracing::error!(%farm, %error, "a report could not be journaled");
            return;
        }
        self.steps.push(Step::Report {
            farm: n,
            mac,
            report: Box::new(report),
            publish,
            arrived,
        });
    }

    fn ack(&mut self, route: Route, ack: CommandAck) {
        self.ack_of(route.farm, route.sender, ack);
    }

    /// Journals the answer to a command.
    pub(in crate::shard) fn ack_of(&mut self, farm: u32, sender: u32, ack: CommandAck) {
        self.encode(farm, sender, |encoder, from| {
            encoder.ack(from, &ack);
        });
        self.steps.push(Step::Ack {
            farm,
            mac: self.senders[sender].mac,
            ack,
        });
    }

    /// The last connection of a controller is lost, or it is not heard of after a start.
    fn gone(&mut self, farm: u32, mac: Mac) {
        let f = &mut self.farms[farm as usize];
        if f.fold.failed().is_some() {
            return;
        }
        self.units += f.fold.controllers().device_count(mac) * DEVICE_UNITS;
        f.pending = self.encoder.number();
        let sender = self.senders.of(farm, mac);
        self.lost(sender);
        self.encode(farm, sender, codec::Encoder::gone);
        self.steps.push(Step::Gone { farm, mac });
    }

    fn telemetry(
        &mut self,
        route: Route,
        format: Format,
        publish: &Publish,
        arrived: Instant,
    ) -> Result<(), Reject> {
        let all = format.read(&publish.payload)?;
        let numbered = all.messages.iter().any(|m| m.seq.is_some());
        let crc = numbered.then(|| crc32fast::hash(&publish.payload));
        self.readings(route, &all, crc, publish, arrived);
        Ok(())
    }

    /// Takes what a payload says that sensors measured, whatever it was written in.
    fn readings(
        &mut self,
        route: Route,
        all: &Telemetry<'_>,
        crc: Option<u32>,
        publish: &Publish,
        arrived: Instant,
    ) {
        if all.not_numbers > 0 {
            self.dead_letter(Some(route.farm), publish, Reject::NotANumber);
        }
        let arrival = self.now.at.as_millis().saturating_sub(self.now.ahead_ms);
        for message in &all.messages {
            let items = &all.items[message.items.clone()];
            if items.is_empty() {
                continue;
            }
            let ts = message.time.map(|t| t.millis(arrival));
            let (at, backlog) = self.stamp(route, ts);
            let number = message.seq.zip(crc);
            let number = number.map(|(seq, crc)| MessageNumber { seq, crc });
            let from = self.items.len();
            self.encode(route.farm, route.sender, |encoder, from| {
                encoder.telemetry(from, at, backlog, number, items.len());
            });
            let sender = &mut self.senders[route.sender];
            for (place, item) in items.iter().enumerate() {
                let key = sender.key(place, item);
                let (interned, keys) = (&mut sender.interned, &sender.keys);
                self.encoder
                    .value(interned, key, &keys[key as usize], item.value);
                self.items.push((key, item.value));
            }
            self.steps.push(Step::Telemetry {
                farm: route.farm,
                sender: route.sender,
                at,
                backlog,
                number,
                from,
                to: self.items.len(),
                publish: self.publishes.len(),
                receipt: self.receipts.len() - 1,
                arrived,
            });
        }
    }

    /// When values were true that bear that timestamp, and whether that is for the history only.
    fn stamp(&mut self, route: Route, ts: Option<i64>) -> (Timestamp, bool) {
        match stamp(ts, self.now.at, self.now.ahead_ms) {
            Stamp::At(at) => (at, false),
            Stamp::Backlog(at) if planted!(BacklogDrivesRules) => (at, false),
            Stamp::Replaced(_) if planted!(FutureIsBelieved) => {
                (Timestamp::from_millis(ts.unwrap_or(0)), false)
            }
            Stamp::Replaced(at) => {
                metrics::counter!("harit_future_timestamps_total").increment(1);
                let mac = self.senders[route.sender].mac;
                let farm = &mut self.farms[route.farm as usize];
                *farm.future_timestamps.entry(mac).or_insert(0) += 1;
                (at, false)
            }
            Stamp::Backlog(at) => (at, true),
        }
    }
}

fn count_foreign() {
    metrics::counter!("harit_acks_total", "outcome" => "foreign").increment(1);
}
