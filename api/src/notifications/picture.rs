//! A farm as a notification needs it: names, places, and how things are.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use harit_engine::{
    AlertSpec, AwaitedSensor, Engine, FarmId, Quantity, ScopeKind, ScopeSpec, SensorStatus,
    SensorType, Timestamp,
};
use harit_ingest::{CommandLife, Hub};

use super::LookError;
use super::levels::{
    AlertLevel, ControllerLevel, DeviceLevel, DriftLevel, EffectLevel, Levels, NAMED, SensorLevel,
};
use super::notice::{Named, Notice, Ordered, Stocked, Watch};
use super::reach::{ChainTell, Reach, Sent, step_to_tell, to_tell};
use crate::delivery::Ways;
use crate::records::{FarmRecords, LowStock, ToTell};

/// A farm at one moment.
pub(super) struct Picture {
    watches: BTreeMap<String, Watch>,
    /// What the conditions of each raised alert compare now.
    seen: BTreeMap<String, Vec<Option<String>>>,
    /// Whom each alert tells.
    reach: BTreeMap<String, Reach>,
    pub(super) farm_name: String,
    pub(super) levels: Levels,
    /// How many sensors of each controller have said something.
    pub(super) heard: HashMap<String, usize>,
    /// The controller of each device.
    pub(super) served_by: BTreeMap<String, String>,
    pub(super) places: Places,
    /// The controllers of the sensors on which each raised alert rests, and of those for which it waits.
    pub(super) rests_on: BTreeMap<String, Rests>,
    /// The reservoir of each controller that serves one: its id and its name.
    pub(super) reservoirs: BTreeMap<String, (String, String)>,
}

/// The controllers of an alert's sensors, in order; none of a sensor without one.
#[derive(Debug, Default)]
pub(super) struct Rests {
    pub(super) on: BTreeSet<Option<String>>,
    pub(super) waits_for: BTreeSet<Option<String>>,
}

/// What the engine says.
struct Asked {
    watches: BTreeMap<String, Watch>,
    seen: BTreeMap<String, Vec<Option<String>>>,
    reach: BTreeMap<String, Reach>,
    farm_name: String,
    devices: Vec<DeviceLevel>,
    sensors: Vec<SensorLevel>,
    /// Each sensor with its place and what it measures.
    measures: BTreeMap<String, (Named, SensorType)>,
    alerts: Vec<AlertLevel>,
    served_by: BTreeMap<String, String>,
    places: Places,
    rests_on: BTreeMap<String, Rests>,
}

impl Picture {
    pub(super) async fn take(
        hub: &Hub,
        records: &FarmRecords,
        farm: &FarmId,
    ) -> Result<Self, LookError> {
        let online: BTreeMap<String, bool> = hub
            .controllers(farm)
            .await?
            .into_iter()
            .map(|c| (c.mac.as_str().to_owned(), c.online))
            .collect();
        let asked = hub.read(farm, ask).await?;
        let names = records.reservoirs().await?;
        let names: BTreeMap<String, String> = names.into_iter().map(|r| (r.id, r.name)).collect();
        let served = records.controllers().into_iter().filter_map(|c| {
            let id = c.reservoir_id?;
            let name = names.get(&id)?.clone();
            Some((c.mac.as_str().to_owned(), (id, name)))
        });
        let reservoirs = served.collect();
        let controllers = records.controllers().into_iter().filter(|c| c.enabled);
        let controller = |c: crate::records::Controller| ControllerLevel {
            online: online.get(c.mac.as_str()).copied().unwrap_or(false),
            mac: c.mac.as_str().to_owned(),
            name: c.name,
        };
        let (standings, drifts) = (
            records.effect_standings().await?,
            records.sensor_drifts().await?,
        );
        let settings = records.effect_settings().await?;
        let is_asked = |id: &str| settings.get(id).is_none_or(|s| !s.is_off);
        let effects = standings.iter().filter(|s| is_asked(&s.device_id));
        let effects = effects.filter_map(|s| {
            let device = asked.devices.iter().find(|d| d.device.id == s.device_id)?;
            Some(EffectLevel {
                device: device.device.clone(),
                failing: s.failing(),
                works: s.seen,
            })
        });
        let effects = effects.collect();
        let drifts = drifts.iter().filter_map(|d| {
            let (sensor, of) = asked.measures.get(&d.sensor_id)?;
            let other = d.or_other.as_ref().and_then(|id| asked.measures.get(id));
            Some(DriftLevel {
                sensor: sensor.clone(),
                or_other: other.map(|(other, _)| other.name.clone()),
                of: *of,
                now: Quantity::from_micro(d.now_apart),
                usual: Quantity::from_micro(d.usual_apart),
            })
        });
        let drifts = drifts.collect();
        Ok(Self {
            heard: heard(&asked.sensors),
            levels: Levels {
                effects,
                drifts,
                controllers: controllers.map(controller).collect(),
                devices: asked.devices,
                sensors: asked.sensors,
                alerts: asked.alerts,
                low_stock: records
                    .low_stock()
                    .await?
                    .into_iter()
                    .map(stocked)
                    .collect(),
            },
            watches: asked.watches,
            seen: asked.seen,
            reach: asked.reach,
            farm_name: asked.farm_name,
            served_by: asked.served_by,
            places: asked.places,
            rests_on: asked.rests_on,
            reservoirs,
        })
    }

    /// What is sent to people of a notice that happened then.
    pub(super) fn to_tell(
        &self,
        notice: &Notice,
        at: i64,
        farm: &str,
        ways: &Ways,
    ) -> Option<ToTell> {
        let reach = match notice {
            Notice::AlertRaised { watch } | Notice::AlertRepeated { watch, .. } => {
                self.reach.get(&watch.alert)
            }
            _ => None,
        };
        let notice = match notice {
            Notice::AlertRaised { watch } => Notice::AlertRaised {
                watch: self.with_seen(watch),
            },
            Notice::AlertRepeated { watch, no_data } => Notice::AlertRepeated {
                watch: self.with_seen(watch),
                no_data: *no_data,
            },
            other => other.clone(),
        };
        let cause = self.cause(
            notice.watch()?,
            matches!(notice, Notice::AlertRaised { .. }),
        );
        let farm = (farm, self.farm_name.as_str());
        let sent = Sent {
            farm,
            reach,
            cause,
            ways,
        };
        to_tell(&notice, at, sent)
    }

    /// With what its conditions compare now, as far as it is raised still.
    pub(super) fn with_seen(&self, watch: &Watch) -> Watch {
        let seen = self.seen.get(&watch.alert).cloned();
        Watch {
            seen: seen.unwrap_or_default(),
            ..watch.clone()
        }
    }

    /// What is sent to people for a step of the farm's chain.
    pub(super) fn step_to_tell(
        &self,
        mut chain: ChainTell,
        farm: &str,
        ways: &Ways,
    ) -> Option<ToTell> {
        chain.watch = self.with_seen(&chain.watch);
        let sent = Sent {
            farm: (farm, &self.farm_name),
            reach: self.reach.get(&chain.watch.alert),
            cause: self.cause(&chain.watch, false),
            ways,
        };
        step_to_tell(chain, sent)
    }

    /// What an alert watched, by its document.
    pub(super) fn watch_of(&self, spec: &AlertSpec) -> Watch {
        let place = spec.scope.as_ref().and_then(|s| self.places.name(s));
        Watch::of(spec, place)
    }

    /// What an alert watches; of one that was deleted meanwhile, nothing is known here.
    pub(super) fn watch(&self, alert: &str) -> Watch {
        let unknown = || Watch {
            alert: alert.to_owned(),
            name: String::new(),
            place: None,
            conditions: Vec::new(),
            any: false,
            hold_sec: 0,
            severity: harit_engine::AlertSeverity::default(),
            scope: None,
            raised_at: None,
            seen: Vec::new(),
        };
        self.watches.get(alert).cloned().unwrap_or_else(unknown)
    }

    /// A command that came to nothing. What a rule wants of a device whose controller is offline is no news.
    pub(super) fn command(&self, life: &CommandLife) -> Option<Notice> {
        let id = life.device.as_str();
        let served_by = self.served_by.get(id);
        let offline = served_by.is_some_and(|mac| self.levels.controllers.is_offline(mac));
        if offline && life.owner.is_none() {
            return None;
        }
        let known = self.levels.devices.iter().find(|d| d.device.id == id);
        let unknown = || Named {
            id: id.to_owned(),
            name: id.to_owned(),
            place: None,
        };
        let order = Ordered {
            device: known.map_or_else(unknown, |d| d.device.clone()),
            action: life.action.clone(),
            value: life.value.map(|v| Quantity::to_string(&v)),
            by: life.owner.as_ref().map(|o| o.name.to_string()),
            message: life.message.clone(),
        };
        Some(if life.state == harit_ingest::CommandState::Failed {
            Notice::CommandFailed { order }
        } else {
            Notice::CommandTimedOut { order }
        })
    }
}

#[cfg(test)]
impl Picture {
    /// A farm of these things, whose controllers serve these reservoirs, and whose alerts rest on and wait for these controllers.
    pub(super) fn of(
        levels: Levels,
        reservoirs: &[(&str, &str)],
        rests: &[(&str, &[&str], &[&str])],
        served_by: &[(&str, &str)],
    ) -> Self {
        let text = |s: &str| s.to_owned();
        let macs = |all: &[&str]| all.iter().map(|m| Some(text(m))).collect();
        let rests = rests.iter().map(|(alert, on, waits_for)| {
            let rests = Rests {
                on: macs(on),
                waits_for: macs(waits_for),
            };
            (text(alert), rests)
        });
        let served = served_by
            .iter()
            .map(|(device, mac)| (text(device), text(mac)));
        let reservoirs =
            { reservoirs.iter() }.map(|(mac, id)| (text(mac), (text(id), format!("Tank {id}"))));
        Self {
            watches: BTreeMap::new(),
            seen: BTreeMap::new(),
            reach: BTreeMap::new(),
            farm_name: "Green Valley".to_owned(),
            heard: heard(&levels.sensors),
            levels,
            served_by: served.collect(),
            places: Places {
                names: BTreeMap::from([((Some(text("p1")), None), text("House 1"))]),
                houses: BTreeMap::from([(text("z1"), text("p1"))]),
            },
            rests_on: rests.collect(),
            reservoirs: reservoirs.collect(),
        }
    }
}

fn heard(sensors: &[SensorLevel]) -> HashMap<String, usize> {
    let mut heard = HashMap::new();
    for sensor in sensors.iter().filter(|s| s.has_spoken) {
        if let Some(mac) = &sensor.controller {
            *heard.entry(mac.clone()).or_default() += 1;
        }
    }
    heard
}

/// A value as people read it: at most two decimals.
fn rounded(value: Quantity) -> String {
    const CENT: i64 = 10_000;
    let cents = value.as_micro().saturating_add(CENT / 2).div_euclid(CENT);
    Quantity::from_micro(cents * CENT).to_string()
}

fn stocked(item: LowStock) -> Stocked {
    Stocked {
        left: item.stock.to_string(),
        id: item.id,
        name: item.name,
        unit: item.unit,
    }
}

/// A sensor by its id, with what it measures.
fn measure(places: &Places, sensor: SensorStatus) -> (String, (Named, SensorType)) {
    let id = sensor.spec.id.to_string();
    let name = sensor.spec.name.filter(|n| !n.is_empty());
    let named = Named {
        name: name.unwrap_or_else(|| id.clone()),
        place: places.name(&sensor.spec.scope),
        id: id.clone(),
    };
    (id, (named, sensor.spec.sensor_type))
}

/// Asks the engine, between two of its inputs.
fn ask(engine: &Engine) -> Asked {
    let places = Places::of(engine);
    let mut served_by = BTreeMap::new();
    let devices = engine.devices().map(|d| {
        let id = d.spec.id.to_string();
        if let Some(mac) = &d.spec.controller {
            served_by.insert(id.clone(), mac.to_string());
        }
        DeviceLevel {
            device: Named {
                name: if d.spec.name.is_empty() {
                    id.clone()
                } else {
                    d.spec.name
                },
                place: places.name(&d.spec.scope),
                id,
            },
            lock: d.locks.first().map(|l| l.reason.to_string()),
        }
    });
    let devices = devices.collect();
    let sensors = engine.sensors().map(|s| SensorLevel {
        name: s
            .spec
            .name
            .filter(|n| !n.is_empty())
            .unwrap_or_else(|| s.spec.id.to_string()),
        id: s.spec.id.to_string(),
        controller: s.spec.controller,
        has_spoken: s.read_at.is_some(),
        stale: s.read_at.is_some() && s.value.is_none(),
    });
    let sensors = sensors.collect();
    let watch = |alert: &harit_engine::AlertStatus| {
        let place = alert.spec.scope.as_ref().and_then(|s| places.name(s));
        let raised_at = alert.raised_since.map(Timestamp::as_millis);
        let watch = Watch {
            raised_at,
            ..Watch::of(&alert.spec, place)
        };
        (alert.spec.id.to_string(), watch)
    };
    let name = |sensor: AwaitedSensor| {
        let name = sensor.name.filter(|n| !n.is_empty());
        name.unwrap_or_else(|| sensor.id.to_string())
    };
    let alerts = engine.alerts().map(|a| AlertLevel {
        watch: watch(&a).1,
        unknown: a.unknown_since.is_some(),
        count: a.waits_for.len(),
        silent: a.waits_for.into_iter().take(NAMED).map(name).collect(),
    });
    let alerts = alerts.collect();
    let raised = engine.alerts().filter(|a| a.raised_since.is_some());
    let seen = raised.map(|a| {
        let id = a.spec.id.to_string();
        let sights = engine.alert_sight(&id).unwrap_or_default();
        let values = sights.into_iter().map(|s| s.value.map(rounded));
        (id, values.collect::<Vec<_>>())
    });
    let seen = seen.collect();
    let watches = engine.alerts().map(|a| watch(&a)).collect();
    let reach = |spec: &AlertSpec| (spec.id.to_string(), Reach::of(spec));
    let reach = engine.alerts().map(|a| reach(&a.spec)).collect();
    let rests = |a: &harit_engine::AlertStatus| {
        let id = a.spec.id.to_string();
        let sights = engine.alert_sight(&id).unwrap_or_default();
        let all: Vec<_> = sights.into_iter().flat_map(|s| s.sensors).collect();
        let remembers = all.iter().any(|s| s.remembered);
        let is_it = |s: &&harit_engine::SeenSensor| s.remembered || !remembers;
        let controller = |s: &harit_engine::SeenSensor| s.sensor.spec.controller.clone();
        // a mean remembers no sensors: without any of them nobody knows
        let is_dark = a.unknown_since.is_some() && a.waits_for.is_empty();
        let waits = |s: &&harit_engine::SeenSensor| {
            is_dark || a.waits_for.iter().any(|w| w.id == s.sensor.spec.id)
        };
        let rests = Rests {
            on: all.iter().filter(is_it).map(controller).collect(),
            waits_for: all.iter().filter(waits).map(controller).collect(),
        };
        (id, rests)
    };
    let raised = engine.alerts().filter(|a| a.raised_since.is_some());
    let rests_on = raised.map(|a| rests(&a)).collect();
    Asked {
        measures: engine.sensors().map(|s| measure(&places, s)).collect(),
        rests_on,
        alerts,
        reach,
        farm_name: engine.document().farm.name,
        watches,
        seen,
        places,
        devices,
        sensors,
        served_by,
    }
}

/// The names of polyhouses, and of zones with their polyhouse.
pub(super) struct Places {
    names: BTreeMap<(Option<String>, Option<String>), String>,
    /// The house of each zone.
    houses: BTreeMap<String, String>,
}

impl Places {
    fn of(engine: &Engine) -> Self {
        let (mut names, mut houses) = (BTreeMap::new(), BTreeMap::new());
        for p in engine.document().polyhouses {
            for z in p.zones {
                houses.insert(z.id.to_string(), p.id.to_string());
                names.insert(
                    (None, Some(z.id.to_string())),
                    format!("{}, {}", p.name, z.name),
                );
            }
            names.insert((Some(p.id.to_string()), None), p.name);
        }
        Self { names, houses }
    }

    /// The place's name; nothing for the whole farm.
    fn name(&self, scope: &ScopeSpec) -> Option<String> {
        let key = match scope.kind {
            ScopeKind::Farm => return None,
            ScopeKind::Polyhouse => (scope.polyhouse_id.as_ref().map(ToString::to_string), None),
            ScopeKind::Zone => (None, scope.zone_id.as_ref().map(ToString::to_string)),
        };
        self.names.get(&key).cloned()
    }

    /// The house of a place, by its id and its name; nothing for the whole farm.
    pub(super) fn house(&self, scope: &ScopeSpec) -> Option<(String, String)> {
        let id = match scope.kind {
            ScopeKind::Farm => return None,
            ScopeKind::Polyhouse => scope.polyhouse_id.as_ref()?.to_string(),
            ScopeKind::Zone => self.houses.get(scope.zone_id.as_ref()?.as_str())?.clone(),
        };
        let name = self.names.get(&(Some(id.clone()), None))?.clone();
        Some((id, name))
    }
}
