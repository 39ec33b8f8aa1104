//! What stands on topics of other systems: read by the farm's profiles into what native messages are, and journaled as that.

use std::collections::BTreeMap;
use std::time::Instant;

use harit_engine::{FarmId, Measured, SensorType};
use harit_profiles::{Announcements, Reading, Said, Unread, candidates};
use harit_protocol::topic::farm_prefix;
use harit_protocol::{Mac, Reject, Report, Time, TypeWord};

use super::sender::Sender;
use super::{Kind, Route};
use crate::mqtt::Publish;
use crate::shard::Shard;

/// Whether there is a number in a message that may measure something.
fn has_numbers(publish: &Publish) -> bool {
    let found = candidates(&publish.topic, &publish.payload);
    found.is_ok_and(|(_, all)| all.iter().any(|c| !c.is_of_the_message()))
}

impl Shard {
    /// Where a controller's messages on topics of other systems go: they are its own, whatever the topic says.
    pub(super) fn foreign_route(&mut self, farm: &FarmId, mac: Mac) -> Result<Route, Reject> {
        self.route_of(farm.as_str(), mac, Kind::Foreign)
    }

    /// Reads a message by the farm's profiles. One whose topic none of them has is a dead letter, and nothing that a sender is to
    /// be slowed down for: it says what it always says, and somebody has to write a profile. What devices say of themselves is
    /// not used yet: their commands go out on other ways.
    pub(super) fn foreign(
        &mut self,
        route: Route,
        publish: &Publish,
        arrived: Instant,
    ) -> Result<(), Reject> {
        let profiles = self.shared.profiles(self.farms[route.farm as usize].id());
        let is_announced = Announcements::may_be(&publish.topic);
        if is_announced {
            let farm = self.farms[route.farm as usize].id();
            let mac = self.senders[route.sender].mac;
            let announced = &self.shared.announced;
            announced.hear(farm, mac, &publish.topic, &publish.payload);
        }
        let aliases = &mut self.senders[route.sender].aliases;
        let read = profiles.read(&publish.topic, &publish.payload, aliases);
        let said = match read {
            Ok((_, said)) => said,
            Err(Unread::NoProfile) => {
                self.unread(route, publish, Reject::NoProfile);
                return Ok(());
            }
            Err(Unread::Malformed) => return Err(Reject::Malformed),
            Err(Unread::TooDeep) => return Err(Reject::TooDeep),
            Err(Unread::TooMany) => return Err(Reject::TooManySensors),
            Err(Unread::UnknownAlias) => return Err(Reject::UnknownAlias),
        };
        metrics::counter!("harit_profile_messages_total").increment(1);
        if said.is_empty() && said.reads && !is_announced && has_numbers(publish) {
            self.unread(route, publish, Reject::NothingRead);
        }
        if let Some(online) = said.online {
            self.availability(route, &said.of, online, publish, arrived);
        }
        self.readings(route, &said.telemetry(), None, publish, arrived);
        Ok(())
    }

    /// Keeps what no profile reads, in its sender's name, for people to say what it is.
    fn unread(&self, route: Route, publish: &Publish, reject: Reject) {
        let farm = self.farms[route.farm as usize].id();
        let mac = self.senders[route.sender].mac;
        let topic = format!("{}{mac} -> {}", farm_prefix(farm), publish.topic);
        let letters = &self.shared.letters;
        letters.add(farm, &topic, reject, &publish.payload, self.now.at);
    }

    /// Takes that a gateway's connection is there, which is all that is known of the gateway itself.
    pub(super) fn came(&mut self, farm: &FarmId, mac: Mac) {
        if let Ok(route) = self.foreign_route(farm, mac) {
            self.senders[route.sender].heard = true;
            let report = Report {
                online: true,
                ..Report::OFFLINE
            };
            self.report(route, report, Instant::now());
        }
    }

    /// Takes what is said of whether something can be reached. Of the sender itself it is the controller's. Of a thing behind it, it
    /// is not: when that is lost, its own sensors are without a value, and everything else goes on. One that is no gateway is the
    /// thing itself, as long as nothing else is known of it.
    fn availability(
        &mut self,
        route: Route,
        of: &str,
        online: bool,
        publish: &Publish,
        arrived: Instant,
    ) {
        let Sender {
            mac, is_gateway, ..
        } = self.senders[route.sender];
        let all = self.farms[route.farm as usize].fold.controllers();
        let known = all.sensors_of(mac).map(|(id, what)| (id.to_owned(), what));
        // What it said in this batch, the farm does not know yet.
        let keys = self.senders[route.sender].keys.iter();
        let named = keys.filter_map(|key| match key.sensor_type {
            TypeWord::Known(what) => Some((key.id.as_deref()?.to_owned(), what)),
            _ => None,
        });
        let known: BTreeMap<String, SensorType> = known.chain(named).collect();
        let is_of = |id: &str| {
            let rest = id.strip_prefix(of);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let others = || known.keys().any(|id| !is_of(id));
        if of.is_empty() || !is_gateway && (online || !others()) {
            let report = Report {
                online,
                ..Report::OFFLINE
            };
            return self.report(route, report, arrived);
        }
        if online {
            return;
        }
        // A second fault in a row takes a sensor's value away; each has to be newer than what is known.
        let arrival = self.now.at.as_millis() - self.now.ahead_ms;
        let mut lost = Said::default();
        for later in 1..=2 {
            let own = known.iter().filter(|(id, _)| is_of(id));
            lost.readings.extend(own.map(|(id, what)| Reading {
                id: id.clone(),
                sensor_type: *what,
                value: Measured::Null,
                time: Some(Time::At(arrival.saturating_add(later))),
            }));
        }
        self.readings(route, &lost.telemetry(), None, publish, arrived);
    }
}
