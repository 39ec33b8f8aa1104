//! What is collected of a farm for people while it applies records: for the history, for screens, for metrics.

use std::collections::BTreeMap;

use harit_engine::{
    DeviceId, Engine, FarmId, FaultReason, Input, Quantity, ReadingOutcome, SensorId, SensorType,
    Timestamp,
};
use harit_farm::{Applied, CommandLife, Controllers, Effect, Observer, Reading, Sensor};
use harit_protocol::Mac;

use crate::history::good;
use crate::history::pending::Pending;
use crate::history::rollup::{Bucket, RollupRow};
use crate::history::told::ReportedRow;
use crate::log::{self, Before, Sparing};

/// Whether a device is on and at which value; none while it cannot be asked.
type DeviceState = Option<(bool, Option<Quantity>)>;

/// What is collected of a farm beside the fold, for people. It decides nothing.
#[derive(Debug)]
pub(crate) struct Collected {
    /// By the sensors' numbers.
    sensors: Vec<SensorValues>,
    /// Sensors whose values are to be told live.
    pub(crate) live: Vec<u32>,
    pub(crate) told_at: Timestamp,
    /// What the history has of what each device does; empty after a start, so that each is written anew then.
    reported: BTreeMap<DeviceId, DeviceState>,
    /// What the input that is being applied found, as far as its log entry needs it.
    before: Option<Before>,
    /// What its log told of late, so that what flaps does not fill it.
    sparing: Sparing,
}

impl Default for Collected {
    fn default() -> Self {
        Self {
            sensors: Vec::new(),
            live: Vec::new(),
            told_at: Timestamp::from_millis(i64::MIN),
            reported: BTreeMap::new(),
            before: None,
            sparing: Sparing::default(),
        }
    }
}

/// The values of a sensor on their way to the history and to screens.
#[derive(Debug)]
pub(crate) struct SensorValues {
    pub(crate) id: SensorId,
    pub(crate) sensor_type: SensorType,
    pub(crate) bucket: Bucket,
    /// Whether it stands on the list of rollups to be written.
    pub(crate) rollup_listed: bool,
    pub(crate) latest: Option<(Timestamp, Option<Quantity>)>,
    /// Whether it stands on the list of values to be told live.
    live_listed: bool,
}

impl Collected {
    /// The values of a sensor that has some.
    pub(crate) fn values(&mut self, number: u32) -> Option<&mut SensorValues> {
        self.sensors.get_mut(number as usize)
    }

    fn of(&mut self, number: u32, sensor: &Sensor) -> &mut SensorValues {
        let place = number as usize;
        while self.sensors.len() <= place {
            self.sensors.push(SensorValues {
                id: sensor.id.clone(),
                sensor_type: sensor.sensor_type,
                bucket: Bucket::default(),
                rollup_listed: false,
                latest: None,
                live_listed: false,
            });
        }
        let known = &mut self.sensors[place];
        if known.sensor_type != sensor.sensor_type || known.id != sensor.id {
            known.id.clone_from(&sensor.id);
            known.sensor_type = sensor.sensor_type;
        }
        known
    }

    /// The sensors that said something since the last time, each with the latest.
    pub(crate) fn take_live(&mut self) -> impl Iterator<Item = &SensorValues> {
        let live = std::mem::take(&mut self.live);
        for number in &live {
            if let Some(values) = self.values(*number) {
                values.live_listed = false;
            }
        }
        let sensors = &self.sensors;
        live.into_iter()
            .filter_map(move |n| sensors.get(n as usize))
    }
}

/// Collects what follows from records for the history, and counts.
pub(crate) struct Collector<'a> {
    /// The farm's number on its shard.
    pub(crate) number: u32,
    pub(crate) id: &'a FarmId,
    pub(crate) at: Timestamp,
    pub(crate) collected: &'a mut Collected,
    /// Where it goes, unless the history has it already.
    pub(crate) pending: Option<&'a mut Pending>,
    pub(crate) lives: Option<&'a mut Vec<CommandLife>>,
    pub(crate) tally: &'a mut Tally,
    /// Whether this is a recovery.
    pub(crate) recovered: bool,
    /// Controllers that came or went.
    pub(crate) presence: Vec<(Mac, bool)>,
}

impl Collector<'_> {
    /// The log's entries of controllers that came or went; gives whether there were any.
    pub(crate) fn end(self, engine: &Engine, controllers: &Controllers) -> bool {
        let Some(pending) = self.pending else {
            return false;
        };
        let mut entries: Vec<_> = self
            .presence
            .iter()
            .map(|(mac, online)| {
                let devices = controllers.devices_of_mac(*mac);
                log::controller(engine, self.at, mac, *online, devices)
            })
            .collect();
        self.collected.sparing.spare(&mut entries);
        let any = !entries.is_empty();
        pending.add_log(self.id, entries, self.recovered);
        any
    }

    /// Collects what the engine said; gives whether the log has something new.
    pub(crate) fn collect(&mut self, applied: Applied<'_>) -> bool {
        let Applied {
            engine,
            controllers,
            input,
            events,
        } = applied;
        let before = self.collected.before.take();
        let Some(pending) = self.pending.as_deref_mut() else {
            return false;
        };
        if matches!(input, Some((_, Err(_)))) {
            return false;
        }
        let input = input.map(|(input, _)| (input, before));
        let has_controller = |device: &DeviceId| controllers.target(device).is_some();
        let mut entries = log::collect(engine, input, events, &has_controller);
        self.collected.sparing.spare(&mut entries);
        let any = !entries.is_empty();
        pending.add_log(self.id, entries, self.recovered);
        pending.add_events(self.id, events);
        any
    }
}

impl Observer for Collector<'_> {
    fn before(&mut self, engine: &Engine, input: &Input) {
        self.collected.before = Before::of(engine, input);
    }

    fn applied(&mut self, applied: Applied<'_>) {
        self.collect(applied);
    }

    fn reading(&mut self, number: u32, sensor: &Sensor, reading: Reading) {
        self.tally.readings += 1;
        self.tally.backlog += u64::from(reading.backlog);
        let good = good(sensor.sensor_type, reading.value);
        let values = self.collected.of(number, sensor);
        if let (Some(pending), Some(q)) = (self.pending.as_deref_mut(), good) {
            if let Some(bucket) = values.bucket.add(reading.at, q.as_micro()) {
                pending.rollups.push(RollupRow {
                    farm: self.id.clone(),
                    sensor: values.id.clone(),
                    bucket,
                });
            }
            if !values.rollup_listed {
                values.rollup_listed = true;
                pending.listed.push((self.number, number));
            }
        }
        if !reading.backlog && values.latest.is_none_or(|(t, _)| t <= reading.at) {
            values.latest = Some((reading.at, good));
            if !values.live_listed {
                values.live_listed = true;
                self.collected.live.push(number);
            }
        }
    }

    fn outcome(&mut self, outcome: ReadingOutcome) {
        self.tally.count(outcome);
    }

    fn effect(&mut self, effect: Effect<'_>) {
        match effect {
            Effect::Command(life) => {
                if let Some(lives) = self.lives.as_deref_mut() {
                    lives.push(life.clone());
                }
            }
            Effect::Reported { device, state } => {
                let Some(pending) = self.pending.as_deref_mut() else {
                    return;
                };
                if self.collected.reported.get(device) == Some(&state) {
                    return;
                }
                self.collected.reported.insert(device.clone(), state);
                pending.reported.push(ReportedRow {
                    farm: self.id.clone(),
                    device: device.clone(),
                    at: self.at,
                    state,
                });
            }
            Effect::Presence { mac, online } => self.presence.push((mac, online)),
            _ => {}
        }
    }
}

/// What became of readings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) readings: u64,
    pub(crate) late: u64,
    pub(crate) unknown: u64,
    pub(crate) backlog: u64,
    pub(crate) null: u64,
    pub(crate) not_finite: u64,
    pub(crate) out_of_range: u64,
}

impl Tally {
    fn count(&mut self, outcome: ReadingOutcome) {
        match outcome {
            ReadingOutcome::Applied => {}
            ReadingOutcome::Late => self.late += 1,
            ReadingOutcome::Unknown => self.unknown += 1,
            ReadingOutcome::Fault(FaultReason::Null) => self.null += 1,
            ReadingOutcome::Fault(FaultReason::NotFinite) => self.not_finite += 1,
            ReadingOutcome::Fault(FaultReason::OutOfRange) => self.out_of_range += 1,
        }
    }
}
