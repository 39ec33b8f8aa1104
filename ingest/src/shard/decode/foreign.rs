//! What stands on topics of other systems: read by the farm's profiles into what native messages are, and journaled as that.

use std::time::Instant;

use harit_engine::FarmId;
use harit_profiles::Unread;
use harit_protocol::{Mac, Reject, Report};

use super::{Kind, Route};
use crate::mqtt::Publish;
use crate::shard::Shard;

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
        let aliases = &mut self.senders[route.sender].aliases;
        let read = profiles.read(&publish.topic, &publish.payload, aliases);
        let said = match read {
            Ok((_, said)) => said,
            Err(Unread::NoProfile) => {
                self.dead_letter(Some(route.farm), publish, Reject::NoProfile);
                return Ok(());
            }
            Err(Unread::Malformed) => return Err(Reject::Malformed),
            Err(Unread::TooDeep) => return Err(Reject::TooDeep),
            Err(Unread::TooMany) => return Err(Reject::TooManySensors),
            Err(Unread::UnknownAlias) => return Err(Reject::UnknownAlias),
        };
        metrics::counter!("harit_profile_messages_total").increment(1);
        if let Some(online) = said.online {
            let report = Report {
                online,
                ..Report::OFFLINE
            };
            self.report(route, report, arrived);
        }
        self.readings(route, &said.telemetry(), None, publish, arrived);
        Ok(())
    }
}
