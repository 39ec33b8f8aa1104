//! A farm on its shard: the engine, the book and the commands, and what a record of the journal does to them.
//!
//! Live and in recovery the same functions fold a record. They differ in what is done with the events.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use harit_engine::verdict::FarmVerdict;
use harit_engine::{
    DeviceId, Engine, Event, FarmId, FaultReason, Input, InputKind, Measured, Problems, Quantity,
    ReadingOutcome, Timestamp,
};
use harit_protocol::Mac;
use harit_protocol::Report;

use crate::book::Book;
use crate::downlink::Lives;
use crate::history::rollup::RollupRow;
use crate::history::store::{EventRow, ReportedRow};
use crate::journal::codec::Interned;
use crate::log::store::LogRow;
use crate::log::{self, Before, NewLogEntry, Sparing};
use crate::shard::decided::Decided;

/// The most rollups and events that wait for the history store; past it the oldest are dropped and counted.
const MAX_PENDING_HISTORY: usize = 2_000_000;

/// Whether a device is on and at which value; none while it cannot be asked.
type DeviceState = Option<(bool, Option<Quantity>)>;

/// A farm.
pub(crate) struct Farm {
    pub(crate) id: FarmId,
    pub(crate) engine: Engine,
    pub(crate) book: Book,
    pub(crate) lives: Lives,
    /// Why its engine failed; then nothing is asked of it any more.
    pub(crate) failed: Option<String>,
    /// Whether not even its messages are read any more.
    pub(crate) quarantined: bool,
    pub(crate) interned: Interned,
    /// Under which instant it stands in the shard's schedule.
    pub(crate) scheduled: Option<Timestamp>,
    /// Whether it is on the list of farms that the present batch touched.
    pub(crate) touched: bool,
    /// The last batch that has something in it that later entries of it may build on.
    pub(crate) pending: u64,
    /// What that is.
    pub(crate) decided: Decided,
    /// Sensors whose values are to be told live.
    pub(crate) live: Vec<u32>,
    pub(crate) told_at: Timestamp,
    /// What the history has of what each device does; empty after a start, so that each is written anew then.
    reported: HashMap<DeviceId, DeviceState>,
    /// What the input that was applied last found, as far as its log entry needs it.
    before: Option<Before>,
    /// The farm's verdict as it was last asked for, and when.
    pub(crate) verdict: Option<(Timestamp, Arc<FarmVerdict>)>,
    /// What its log told of late, so that what flaps does not fill it.
    sparing: Sparing,
    /// Until when the announcements of this farm are not tried again.
    pub(crate) refused_until: Timestamp,
}

/// Values of one instant, each with its sensor's number in the book.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Readings<'a> {
    pub(crate) at: Timestamp,
    /// For the history only.
    pub(crate) backlog: bool,
    pub(crate) values: &'a [(u32, Measured)],
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

/// What is on its way to the history store.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub(crate) rollups: Vec<RollupRow>,
    pub(crate) events: Vec<EventRow>,
    pub(crate) log: Vec<LogRow>,
    pub(crate) reported: Vec<ReportedRow>,
    /// Sensors with something collected, by farm and sensor number.
    pub(crate) listed: Vec<(u32, u32)>,
}

impl Pending {
    pub(crate) fn is_empty(&self) -> bool {
        self.rollups.is_empty()
            && self.events.is_empty()
            && self.log.is_empty()
            && self.reported.is_empty()
            && self.listed.is_empty()
    }

    /// Keeps what waits within its limit.
    pub(crate) fn bound(&mut self) {
        for over in [
            self.rollups.len().saturating_sub(MAX_PENDING_HISTORY),
            self.events.len().saturating_sub(MAX_PENDING_HISTORY),
            self.log.len().saturating_sub(MAX_PENDING_HISTORY),
            self.reported.len().saturating_sub(MAX_PENDING_HISTORY),
        ] {
            if over > 0 {
                metrics::counter!("harit_history_dropped_total").increment(over as u64);
            }
        }
        let over = self.rollups.len().saturating_sub(MAX_PENDING_HISTORY);
        self.rollups.drain(..over);
        let over = self.events.len().saturating_sub(MAX_PENDING_HISTORY);
        self.events.drain(..over);
        let over = self.log.len().saturating_sub(MAX_PENDING_HISTORY);
        self.log.drain(..over);
        let over = self.reported.len().saturating_sub(MAX_PENDING_HISTORY);
        self.reported.drain(..over);
    }
}

/// A good value, as people see it: a number within what its sensor's type can plausibly have.
pub(crate) fn good(sensor_type: harit_engine::SensorType, value: Measured) -> Option<Quantity> {
    let (min, max) = sensor_type.plausible_range();
    match value {
        Measured::Value(d) if d.within(min, max) => Some(d.rounded()),
        _ => None,
    }
}

impl Farm {
    pub(crate) fn new(engine: Engine) -> Self {
        let id = engine.farm_id().clone();
        Self {
            book: Book::of(&engine),
            lives: Lives::new(id.clone()),
            engine,
            failed: None,
            quarantined: false,
            interned: Interned::default(),
            scheduled: None,
            touched: false,
            pending: 0,
            decided: Decided::default(),
            live: Vec::new(),
            told_at: Timestamp::from_millis(i64::MIN),
            refused_until: Timestamp::from_millis(i64::MIN),
            reported: HashMap::new(),
            before: None,
            verdict: None,
            sparing: Sparing::default(),
            id,
        }
    }

    /// The present batch has something of it.
    pub(crate) fn is_in(&mut self, batch: u64) {
        if self.pending != batch {
            self.decided.clear();
            self.pending = batch;
        }
    }

    /// Does something to the engine. If that panics, this farm is failed and all others go on.
    fn guarded<R>(&mut self, what: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.failed.is_some() {
            return None;
        }
        match catch_unwind(AssertUnwindSafe(|| what(self))) {
            Ok(r) => Some(r),
            Err(panic) => {
                let text = panic
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or_else(|| panic.downcast_ref::<&str>().copied())
                    .unwrap_or("a panic");
                tracing::error!(farm = %self.id, panic = text, "the farm's engine failed: the farm is isolated until the next start");
                metrics::counter!("harit_farm_failures_total").increment(1);
                self.failed = Some(text.to_owned());
                None
            }
        }
    }

    /// Readings of one instant. `farm` is the farm's number on its shard; `history` is where good values are collected,
    /// unless the store has them already.
    pub(crate) fn readings(
        &mut self,
        farm: u32,
        Readings {
            at,
            backlog,
            values,
        }: Readings<'_>,
        events: &mut Vec<Event>,
        mut history: Option<&mut Pending>,
        tally: &mut Tally,
    ) {
        tally.readings += values.len() as u64;
        for (n, value) in values {
            let Some(sensor) = self.book.sensors.get_mut(*n as usize) else {
                continue;
            };
            let good = good(sensor.sensor_type, *value);
            if let (Some(pending), Some(q)) = (history.as_deref_mut(), good) {
                if let Some(bucket) = sensor.bucket.add(at, q.as_micro()) {
                    pending.rollups.push(RollupRow {
                        farm: self.id.clone(),
                        sensor: sensor.id.clone(),
                        bucket,
                    });
                }
                if !sensor.rollup_listed {
                    sensor.rollup_listed = true;
                    pending.listed.push((farm, *n));
                }
            }
            if !backlog && sensor.latest.is_none_or(|(t, _)| t <= at) {
                sensor.latest = Some((at, good));
                if !sensor.live_listed {
                    sensor.live_listed = true;
                    self.live.push(*n);
                }
            }
        }
        if backlog {
            tally.backlog += values.len() as u64;
            return;
        }
        self.guarded(|farm| {
            for (n, value) in values {
                let Some(sensor) = farm.book.sensors.get_mut(*n as usize) else {
                    continue;
                };
                let outcome = match sensor.index(&farm.engine) {
                    Some(ix) => farm.engine.apply_reading(at, ix, *value, events),
                    None => {
                        // Deleted by a person in this very batch: it still moves the clock.
                        let kind = InputKind::Reading {
                            sensor: sensor.id.clone(),
                            value: *value,
                        };
                        let _ = farm.engine.apply(&Input { at, kind }, events);
                        ReadingOutcome::Unknown
                    }
                };
                tally.count(outcome);
            }
        });
    }

    /// Any other input. `None` where the farm has failed.
    pub(crate) fn input(
        &mut self,
        input: &Input,
        events: &mut Vec<Event>,
    ) -> Option<Result<(), Problems>> {
        self.verdict = None;
        let result = self.guarded(|farm| {
            farm.before = Before::of(&farm.engine, input);
            farm.engine.apply(input, events)
        })?;
        if let InputKind::Registry(changes) = &input.kind {
            match &result {
                Ok(()) => self.book.follow(changes),
                Err(_) => self.book.unfollow(&self.engine, changes),
            }
        }
        Some(result)
    }

    /// What a controller said of itself, in recovery: live, the book has it already. The entry of its coming or going.
    pub(crate) fn recovered_report(
        &mut self,
        at: Timestamp,
        mac: Mac,
        report: &Report,
        to_history: Option<&mut Pending>,
    ) -> Option<NewLogEntry> {
        let c = self.book.controller(mac);
        let was_online = self.book.controllers[c as usize].online;
        self.book.reported(c, at, report);
        if let Some(pending) = to_history {
            self.note_reports(c, at, report.online, pending);
        }
        if was_online == report.online {
            return None;
        }
        self.log_of_controller(at, c, report.online)
    }

    /// The log's entries of the input that was applied last (or of readings) and what the engine said to it.
    pub(crate) fn log_of(&mut self, input: Option<&Input>, events: &[Event]) -> Vec<NewLogEntry> {
        let before = self.before.take();
        let input = input.map(|input| (input, before));
        let said = self.guarded(|Self { engine, book, .. }| {
            let has_controller = |device: &DeviceId| book.target(device).is_some();
            log::collect(engine, input, events, &has_controller)
        });
        let mut entries = said.unwrap_or_default();
        self.sparing.spare(&mut entries);
        entries
    }

    /// What a controller's report changes of what its devices are known to do, on its way to the history.
    pub(crate) fn note_reports(&mut self, c: u32, at: Timestamp, online: bool, to: &mut Pending) {
        let Self {
            id, book, reported, ..
        } = self;
        let said: Vec<(&DeviceId, DeviceState)> = if online {
            let new = book.reports(c).filter(|(_, r)| r.at >= at);
            new.map(|(d, r)| (d, Some((r.on, r.value)))).collect()
        } else {
            book.devices_of(c).map(|d| (d, None)).collect()
        };
        for (device, state) in said {
            if reported.get(device) == Some(&state) {
                continue;
            }
            reported.insert(device.clone(), state);
            to.reported.push(ReportedRow {
                farm: id.clone(),
                device: device.clone(),
                at,
                state,
            });
        }
    }

    /// The entry of a controller that came or went.
    pub(crate) fn log_of_controller(
        &mut self,
        at: Timestamp,
        c: u32,
        online: bool,
    ) -> Option<NewLogEntry> {
        let mac = &self.book.controllers[c as usize].mac;
        let devices = self.book.devices_of(c);
        let mut entries = vec![log::controller(&self.engine, at, mac, online, devices)];
        self.sparing.spare(&mut entries);
        entries.pop()
    }

    /// When something is due: a timer of the engine, a device that is astray, or a resend.
    pub(crate) fn next_deadline(&mut self) -> Option<Timestamp> {
        let decisions = self.guarded(|farm| {
            let astray = farm.book.next_deadline(&farm.engine);
            farm.engine.next_deadline().into_iter().chain(astray).min()
        });
        let resend = self.lives.next_deadline();
        decisions.flatten().into_iter().chain(resend).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harit_engine::{FarmDocument, SensorType};

    #[test]
    fn a_farm_that_panics_is_left_alone() {
        let mut farm = Farm::new(Engine::new(&FarmDocument::empty("f", "F")).unwrap());
        let sensor = farm.book.sensor("t1", SensorType::Temperature);
        assert_eq!(farm.guarded(|_| 7), Some(7));
        assert_eq!(
            farm.guarded(|_| -> u8 { panic!("a bug in rule {}", 9) }),
            None
        );
        assert_eq!(farm.failed.as_deref(), Some("a bug in rule 9"));
        let (mut events, mut tally, mut pending) = (vec![], Tally::default(), Pending::default());
        let read = Readings {
            at: Timestamp::from_millis(1),
            backlog: false,
            values: &[(sensor, Measured::parse("20"))],
        };
        farm.readings(0, read, &mut events, Some(&mut pending), &mut tally);
        assert_eq!(pending.listed.len(), 1, "its history goes on");
        let tick = Input {
            at: Timestamp::from_millis(2),
            kind: InputKind::Tick,
        };
        assert!(farm.input(&tick, &mut events).is_none());
        assert_eq!((farm.next_deadline(), farm.engine.clock()), (None, None));
    }

    #[test]
    fn what_waits_for_the_history_is_bounded() {
        let row = RollupRow {
            farm: "f".into(),
            sensor: "s".into(),
            bucket: crate::history::rollup::Bucket::default(),
        };
        let mut pending = Pending {
            rollups: vec![row; MAX_PENDING_HISTORY + 3],
            ..Pending::default()
        };
        pending.bound();
        assert_eq!(pending.rollups.len(), MAX_PENDING_HISTORY);
    }
}
