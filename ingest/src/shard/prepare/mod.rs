//! From work to steps: reads payloads, resolves sensors, stamps, and writes the journal's batch in the same pass.
//!
//! Nothing here touches an engine. What is announced is known to the book at once, so that the next message of the same
//! batch finds it.

mod inputs;
mod reports;
mod telemetry;

use std::time::Instant;

use harit_engine::{FarmId, ScopeSpec, Timestamp};
use harit_protocol::Mac;
use harit_protocol::topic::{Topic, TopicKind};
use harit_protocol::{Ack, Reject, Report};

use super::queue::Work;
use super::{Shard, Step};
use crate::mqtt::{Principal, Publish};

/// How long a controller's record is believed before it is asked for again, in milliseconds.
const RECORD_MS: i64 = 5_000;
/// How many records are remembered.
const MAX_RECORDS: usize = 100_000;
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
        self.at_work = None;
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
                        self.publish(route, publish, from.is_some(), arrived)
                    });
                    if let Err(reject) = done {
                        rejected += 1;
                        let farm = self.farm_of(from.as_ref(), publish);
                        self.dead_letter(farm, publish, reject);
                    }
                }
                self.receipts.push((receipt, rejected));
            }
            Work::Admit { farm, kind, reply } => self.admit(&farm, *kind, reply),
            Work::AddFarm { document, reply } => self.add_farm(&document, reply),
            Work::Gone { .. } if planted!(GoneIgnored) => {}
            Work::Gone { farm, mac } => {
                self.leaving.push((farm.clone(), mac));
                let known = self.by_id.get(&farm).copied();
                if let Some(n) = known
                    && let Some(c) = self.farms[n as usize].book.find(&mac)
                    && self.farms[n as usize].book.controllers[c as usize].online
                {
                    self.at_work = Some(n);
                    self.report(n, c, &Report::OFFLINE, &ScopeSpec::farm(), Instant::now());
                }
            }
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

    fn dead_letter(&self, farm: Option<u32>, publish: &Publish, reject: Reject) {
        let nobody = FarmId::from("");
        let farm = farm.map_or(&nobody, |n| &self.farms[n as usize].id);
        let Publish { topic, payload, .. } = publish;
        self.shared
            .letters
            .add(farm, topic, reject, payload, self.now.at);
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
        self.at_work = Some(farm);
        if self.farms[farm as usize].quarantined {
            return Err(Reject::FarmFailed);
        }
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

    fn publish(
        &mut self,
        route: Route,
        publish: &Publish,
        direct: bool,
        arrived: Instant,
    ) -> Result<(), Reject> {
        if publish.oversized.is_some() || publish.payload.len() > crate::mqtt::MAX_PAYLOAD_BYTES {
            return Err(Reject::TooLarge);
        }
        // What a broker kept is old; a client that asks its server to keep something says it now.
        if publish.retain && !direct && route.kind != TopicKind::State {
            return Err(Reject::Retained);
        }
        match route.kind {
            TopicKind::Telemetry(format) => self.telemetry(route, format, publish, arrived)?,
            TopicKind::State => {
                let mut bad = Vec::new();
                let report = Report::read(&publish.payload, &mut bad);
                for reject in bad {
                    self.dead_letter(Some(route.farm), publish, reject);
                }
                let scope = self.scope(route.mac);
                for reject in self.report(route.farm, route.controller, &report?, &scope, arrived) {
                    self.dead_letter(Some(route.farm), publish, reject);
                }
            }
            TopicKind::Ack => {
                // It acts with the rest of its batch: what is not durable is not told.
                self.steps.push(Step::Acked {
                    farm: route.farm,
                    mac: route.mac,
                    ack: Ack::read(&publish.payload)?,
                });
            }
            TopicKind::Command => return Err(Reject::NotForControllers),
        }
        let controller =
            &mut self.farms[route.farm as usize].book.controllers[route.controller as usize];
        controller.last_seen = Some(self.now.at);
        controller.heard = true;
        Ok(())
    }

    /// Whether this batch already has something of the farm that changes more than readings do.
    fn is_pending(&self, farm: u32) -> bool {
        self.farms[farm as usize].pending == self.encoder.number()
    }
}
