//! What stands on topics of other systems: read by the farm's profiles into what native messages are, and journaled as that.
//!
//! A report names all devices of its controller, and these messages each tell of one. So what they told is kept with the sender, and
//! each report has all of it; who is new here begins with what the farm knows.

use std::collections::BTreeMap;
use std::time::Instant;

use harit_engine::FarmId;
use harit_profiles::{DeviceState, Profiles, Unread};
use harit_protocol::{DeviceReport, Mac, Reject, Report};

use super::{Kind, Route};
use crate::mqtt::Publish;
use crate::shard::Shard;

/// The most devices of a controller that profiles tell of, as many as it can have.
const MAX_DEVICES: usize = 256;

/// The devices of a controller, by own id, as they were told.
pub(crate) type Mirror = BTreeMap<String, DeviceReport>;

impl Shard {
    /// Where a controller's messages on topics of other systems go: they are its own, whatever the topic says.
    pub(super) fn foreign_route(&mut self, farm: &FarmId, mac: Mac) -> Result<Route, Reject> {
        self.route_of(farm.as_str(), mac, Kind::Foreign)
    }

    /// Reads a message by the farm's profiles. One whose topic none of them has is a dead letter, and nothing that a sender is to
    /// be slowed down for: it says what it always says, and somebody has to write a profile.
    pub(super) fn foreign(
        &mut self,
        route: Route,
        publish: &Publish,
        arrived: Instant,
    ) -> Result<(), Reject> {
        let profiles = self.shared.profiles(self.farms[route.farm as usize].id());
        let aliases = &mut self.senders[route.sender].aliases;
        let read = profiles.read(&publish.topic, &publish.payload, aliases);
        let (profile, said) = match read {
            Ok((profile, said)) => (profile, said),
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
        let mut said = said;
        let states: Vec<_> = std::mem::take(&mut said.devices)
            .into_iter()
            .map(|DeviceState { id, on }| (Profiles::device_id(profile, &id), on))
            .filter(|(own, _)| harit_protocol::usable_id(own) && profiles.controlled(own).is_some())
            .collect();
        self.lease_shown(route, &profiles, publish);
        self.devices(route, said.online, &states, arrived);
        self.readings(route, &said.telemetry(), None, publish, arrived);
        Ok(())
    }

    /// Tells what devices do, and whether their controller is there: a state that comes now says so too.
    fn devices(
        &mut self,
        route: Route,
        online: Option<bool>,
        states: &[(String, bool)],
        arrived: Instant,
    ) {
        let Route { farm, sender, .. } = route;
        if online.is_none() && states.is_empty() {
            return;
        }
        if online == Some(false) {
            self.lost(sender);
            return self.report(route, Report::OFFLINE, arrived);
        }
        let before = self.mirror(farm, sender).clone();
        let id = self.farms[farm as usize].id().clone();
        let profiles = self.shared.profiles(&id);
        let mac = self.senders[sender].mac;
        for (own, on) in states {
            let Some(device) = profiles.controlled(own) else {
                continue;
            };
            if let Some(ack) = self.answer(farm, mac, own, *on, device.within()) {
                self.ack(route, ack);
            }
            let mirror = self.mirror(farm, sender);
            if let Some(known) = mirror.get_mut(own) {
                known.on = Some(*on);
            } else if mirror.len() < MAX_DEVICES {
                let new = DeviceReport {
                    id: own.clone(),
                    device_type: device.device_type(),
                    name: own.split_once(':').map(|(_, id)| id.replace('/', " ")),
                    supported_actions: device.supported(),
                    on: Some(*on),
                    value: None,
                    lock: None,
                    safety: None,
                    lease_over: None,
                };
                mirror.insert(own.clone(), new);
            }
        }
        let devices = self.with_locks(farm, sender);
        let is_known = self.farms[farm as usize].fold.controllers().is_online(mac);
        let same = self.senders[sender].devices.as_ref() == Some(&before);
        if same && is_known && !self.senders[sender].lost {
            return;
        }
        self.senders[sender].lost = false;
        let report = Report {
            online: true,
            devices,
            ..Report::OFFLINE
        };
        self.report(route, report, arrived);
    }

    /// What the devices of a controller were told to be.
    pub(in crate::shard) fn mirror(&mut self, farm: u32, sender: u32) -> &mut Mirror {
        let farm = &self.farms[farm as usize];
        let sender = &mut self.senders[sender];
        let mac = sender.mac;
        sender.devices.get_or_insert_with(|| {
            let engine = farm.fold.engine();
            let known = farm.fold.controllers().announced(mac);
            let all = known.filter_map(|(own, id, running, reported)| {
                let device = engine.device_ref(id.as_str())?;
                let report = DeviceReport {
                    id: own.to_owned(),
                    device_type: device.spec.device_type,
                    name: None,
                    supported_actions: device.spec.supported_actions.clone(),
                    on: running,
                    value: reported.and_then(|r| r.value).filter(|_| running.is_some()),
                    lock: None,
                    safety: None,
                    lease_over: None,
                };
                Some((own.to_owned(), report))
            });
            all.collect()
        })
    }

    /// The devices with the locks that they have now, as a report has them; none where there are none.
    pub(in crate::shard) fn with_locks(
        &mut self,
        farm: u32,
        sender: u32,
    ) -> Option<Vec<DeviceReport>> {
        self.mirror(farm, sender);
        let id = self.farms[farm as usize].id();
        let profiles = self.shared.profiles(id);
        let sender = &mut self.senders[sender];
        let mirror = sender.devices.as_mut()?;
        for (own, report) in mirror.iter_mut() {
            if let Some(device) = profiles.controlled(own) {
                let reason = self.shared.leases.lock(id, sender.mac, own, &device);
                let reason = reason.or_else(|| {
                    let disarmed = sender.disarmed.contains(own);
                    disarmed.then_some(crate::lease::LEASE_UNPROVEN)
                });
                report.lock = Some(reason.map(str::to_owned));
            }
        }
        (!mirror.is_empty()).then(|| mirror.values().cloned().collect())
    }

    /// A controller is lost: nobody knows what its devices do.
    pub(super) fn lost(&mut self, sender: u32) {
        if let Some(mirror) = &mut self.senders[sender].devices {
            mirror
                .values_mut()
                .for_each(|d| (d.on, d.value) = (None, None));
        }
        self.senders[sender].lost = true;
    }

    /// A device may say how its lease is set. One that is set too short is locked until it is set again.
    fn lease_shown(&mut self, route: Route, profiles: &Profiles, publish: &Publish) {
        let Route { farm, sender, .. } = route;
        if !profiles.proves() {
            return;
        }
        let id = self.farms[farm as usize].id().clone();
        let mac = self.senders[sender].mac;
        let owns: Vec<String> = self.mirror(farm, sender).keys().cloned().collect();
        for own in owns {
            let Some(device) = profiles.controlled(&own) else {
                continue;
            };
            let tried = self.shared.leases.tried(&id, mac, &own);
            let seconds = tried.unwrap_or_else(|| device.seconds());
            let shown = device.shows_lease(&publish.topic, &publish.payload, seconds);
            match (shown, tried) {
                (Some(true), Some(_)) => self.shared.leases.shown(&id, mac, &own),
                (Some(true), None) => {
                    self.senders[sender].disarmed.remove(&own);
                }
                (Some(false), None) => {
                    if self.senders[sender].disarmed.insert(own.clone()) {
                        self.shared.configure(&id, mac, &device);
                    }
                }
                (Some(false), Some(_)) | (None, _) => {}
            }
        }
    }
}
