//! What a report says of devices and of the controller itself.

use harit_engine::{DeviceId, Engine, Lock, LockKind, Status, Timestamp, planted};
use harit_protocol::{DeviceReport, Report};

use super::{Controllers, Device};

impl Controllers {
    /// What a report says of devices that the engine sees otherwise, by own id.
    pub(crate) fn statuses(
        &self,
        engine: &Engine,
        c: u32,
        report: &Report,
    ) -> Vec<(DeviceId, Status)> {
        let mut all = Vec::new();
        for (local, known) in &self.all[c as usize].devices {
            let Some(is) = engine.device_ref(known.id.as_str()) else {
                continue;
            };
            let said = report
                .devices
                .as_ref()
                .map(|all| all.iter().find(|d| d.id == **local));
            let online = match said {
                Some(None) => false,
                Some(Some(_)) => report.online,
                None => report.online && !known.gone,
            };
            let running = running(known, report, said);
            let mut status = Status {
                online: (is.online != online).then_some(online),
                running: { is.running != running && engine.is_read(&known.id) }.then_some(running),
                ..Status::default()
            };
            if let Some(Some(d)) = said {
                // A controller opens only its own lock: a person's, and the engine's, are of other kinds and stay, whatever
                // reason it says.
                let own = is.locks.get(LockKind::Controller);
                status.lock = match &d.lock {
                    Some(Some(reason)) => {
                        let news = own.is_none_or(|lock| *lock.reason != **reason);
                        news.then(|| Lock::Engage {
                            kind: LockKind::Controller,
                            reason: reason.as_str().into(),
                        })
                    }
                    Some(None) if planted!(ControllerOpensAnyLock) => {
                        (!is.locks.is_empty()).then_some(Lock::OpenAll)
                    }
                    Some(None) if own.is_some() && online => Some(Lock::Open {
                        kind: LockKind::Controller,
                        user: None,
                    }),
                    Some(None) | None => None,
                };
                status.safety = match d.safety {
                    Some(true) => (!known.safety && !is.safety).then_some(true),
                    Some(false) => (known.safety && is.safety).then_some(false),
                    None => None,
                };
            }
            if status != Status::default() {
                all.push((known.id.clone(), status));
            }
        }
        all
    }

    /// What is known of devices whose state a rule looks at, and the engine does not know, by id.
    pub(crate) fn unread(&self, engine: &Engine) -> Vec<(DeviceId, Status)> {
        let differs = |id: &DeviceId| {
            let is = engine.device_ref(id.as_str())?;
            let known = { self.device(id) }
                .map(|(_, known)| known)
                .filter(|_| is.online);
            let running = known.and_then(|known| known.running);
            let status = Status {
                running: Some(running),
                ..Status::default()
            };
            (is.running != running).then(|| (id.clone(), status))
        };
        engine
            .devices_read()
            .into_iter()
            .filter_map(differs)
            .collect()
    }

    /// Remembers a report: who can be reached, what is gone, what devices do. Gives whether the controller came or went.
    pub(crate) fn remember(&mut self, c: u32, at: Timestamp, report: &Report) -> bool {
        let controller = &mut self.all[c as usize];
        let changed = controller.online != report.online;
        if report.online {
            controller.offline_since = None;
        } else if controller.online {
            controller.offline_since = Some(at);
        }
        controller.online = report.online;
        if report.firmware.is_some() {
            controller.firmware.clone_from(&report.firmware);
        }
        if let Some(sensors) = &report.sensors {
            let announced: std::collections::BTreeSet<&str> =
                sensors.iter().map(|s| &*s.id).collect();
            let gone = controller
                .sensors
                .keys()
                .filter(|local| !announced.contains(&***local));
            controller.gone = gone.cloned().collect();
        }
        for (local, device) in &mut controller.devices {
            let named = { report.devices.as_ref() }.map(|all| all.iter().find(|d| d.id == **local));
            device.running = running(device, report, named);
            if let Some(said) = named {
                device.gone = said.is_none();
                if let Some(said) = said {
                    device.take_in(said, at);
                }
            }
            // What comes back, or is let go of at its panel, gets what holds for it anyway; whether it does it is seen then.
            if !report.online || device.lock.is_some() || device.safety {
                device.retries.end_drift();
                self.reconciler.ends(&device.id);
            }
        }
        if report.sensors.is_some() {
            self.changed(c);
        }
        changed
    }
}

/// Whether a device is on, by a report that names it or not, or has no list of devices.
fn running(known: &Device, report: &Report, named: Option<Option<&DeviceReport>>) -> Option<bool> {
    match named {
        _ if !report.online => None,
        Some(said) => said?.on,
        None if known.gone => None,
        None => known.running,
    }
}
