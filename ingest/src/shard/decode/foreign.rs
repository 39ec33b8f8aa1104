//! What stands on topics of other systems: read by the farm's profiles into what native messages are, and journaled as that.
//!
//! A report names all devices of its controller, and these messages each tell of one. So what they told is kept with the sender, and
//! each report has all of it; who is new here begins with what the farm knows.

use std::collections::BTreeMap;
use std::time::Instant;

use harit_engine::{FarmId, Measured, SensorType};
use harit_farm::STALE_AFTER;
use harit_profiles::{Announcements, DeviceState, Profiles, Reading, Said, Unread, candidates};
use harit_protocol::topic::farm_prefix;
use harit_protocol::{DeviceReport, Mac, Reject, Report, Time, TypeWord};

use super::sender::Sender;
use super::{Kind, Route};
use crate::mqtt::Publish;
use crate::shard::Shard;
use crate::shard::control::stale_after;

/// The most devices of a controller that profiles tell of, as many as it can have.
const MAX_DEVICES: usize = 256;

/// The devices of a controller, by own id, as they were told.
pub(crate) type Mirror = BTreeMap<String, DeviceReport>;

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
    /// be slowed down for: it says what it always says, and somebody has to write a profile. One that a broker had kept says what is
    /// there and how it is called; what it measured and did is over.
    pub(super) fn foreign(
        &mut self,
        route: Route,
        publish: &Publish,
        is_old: bool,
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
        let (profile, said) = match read {
            Ok((profile, said)) => (profile, said),
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
        if is_old {
            if let Some(online) = said.online {
                self.availability(route, (&said.of, online), &[], publish, arrived);
            }
            return Ok(());
        }
        if said.is_empty() && said.reads && !is_announced && has_numbers(publish) {
            self.unread(route, publish, Reject::NothingRead);
        }
        let mut said = said;
        let states: Vec<_> = std::mem::take(&mut said.devices)
            .into_iter()
            .map(|DeviceState { id, on }| (Profiles::device_id(profile, &id), on))
            .filter(|(own, _)| harit_protocol::usable_id(own) && profiles.controlled(own).is_some())
            .collect();
        self.lease_shown(route, &profiles, publish);
        match said.online {
            Some(online) => self.availability(route, (&said.of, online), &states, publish, arrived),
            None => self.devices(route, None, &states, arrived),
        }
        self.pace(route, &said);
        self.readings(route, &said.telemetry(), None, publish, arrived);
        Ok(())
    }

    /// Notes sensors that are new and come as often as their profile knows: they are known once what they said is applied.
    fn pace(&mut self, route: Route, said: &Said) {
        let every = said.expected_every;
        let Some(every) = every.filter(|every| stale_after(*every) != STALE_AFTER) else {
            return;
        };
        let fold = &self.farms[route.farm as usize].fold;
        let mac = self.senders[route.sender].mac;
        let is_new = |own: &&Reading| {
            let id = fold.controllers().sensor_of(mac, &own.id);
            let known = id.and_then(|id| fold.engine().sensor(id.as_str()));
            known.is_none_or(|s| s.spec.stale_after == STALE_AFTER)
        };
        let new = said.readings.iter().filter(is_new);
        let new: Vec<String> = new.map(|reading| reading.id.clone()).collect();
        if !new.is_empty() {
            self.paces.push((route.farm, route.sender, new, every));
        }
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
    /// is not: when that is lost, its own sensors are without a value and its own devices offline, and everything else goes on. One
    /// that is no gateway is the thing itself, as long as nothing else is known of it.
    fn availability(
        &mut self,
        route: Route,
        (of, online): (&str, bool),
        states: &[(String, bool)],
        publish: &Publish,
        arrived: Instant,
    ) {
        let Route { farm, sender, .. } = route;
        let devices: Vec<String> = self.mirror(farm, sender).keys().cloned().collect();
        let Sender {
            mac, is_gateway, ..
        } = self.senders[sender];
        let all = self.farms[farm as usize].fold.controllers();
        let known = all.sensors_of(mac).map(|(id, what)| (id.to_owned(), what));
        // What it said in this batch, the farm does not know yet.
        let keys = self.senders[sender].keys.iter();
        let named = keys.filter_map(|key| match key.sensor_type {
            TypeWord::Known(what) => Some((key.id.as_deref()?.to_owned(), what)),
            _ => None,
        });
        let known: BTreeMap<String, SensorType> = known.chain(named).collect();
        let is_of = |id: &str| {
            let rest = id.strip_prefix(of);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // A device's id begins with its profile's.
        let is_device_of = |own: &str| own.split_once(':').is_some_and(|(_, id)| is_of(id));
        let others =
            || known.keys().any(|id| !is_of(id)) || devices.iter().any(|own| !is_device_of(own));
        if of.is_empty() || !is_gateway && (online || !others()) {
            return self.devices(route, Some(online), states, arrived);
        }
        self.devices(route, None, states, arrived);
        if online {
            return;
        }
        self.leave_out(route, is_device_of, arrived);
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

    /// Reports a controller's devices without those that are lost.
    fn leave_out(&mut self, route: Route, is_lost: impl Fn(&str) -> bool, arrived: Instant) {
        let Route { farm, sender, .. } = route;
        let mirror = self.mirror(farm, sender);
        let before = mirror.len();
        mirror.retain(|own, _| !is_lost(own));
        if mirror.len() == before {
            return;
        }
        // An empty list leaves out all; none would leave out nobody.
        let devices = self.with_locks(farm, sender).unwrap_or_default();
        let report = Report {
            online: true,
            devices: Some(devices),
            ..Report::OFFLINE
        };
        self.report(route, report, arrived);
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
            self.shared.sleeping.woke(&id, mac, own);
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
                    lease_end: None,
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
                    lease_end: None,
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
