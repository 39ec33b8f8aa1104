//! What other rules would have done: a farm's log folded with its own rules, and beside it what the engine was told with others.
//!
//! Both engines get the same inputs, to the byte, apart from edits of the rules that are tried. So what people did and what controllers
//! reported stays as it was: readings do not follow from what devices would have done ([`Feedback`]), unless with a twin.

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::thread;

use harit_engine::explain::Said;
use harit_engine::{
    DeviceId, DeviceType, Duration, Engine, RuleId, RuleSpec, SensorId, SensorType, Timestamp,
};
use harit_farm::Farm;

use super::meter::{DeviceRun, Meter, Run};
use super::tried::{Ended, Tried};
use super::twin::{Twin, TwinReport};
use super::{Log, PastError, Stop, Told, engine_at};

/// The most rules that are tried at once.
pub const MAX_EDITS: usize = 32;
/// A rule that runs for so long until the end, or for half of what is looked at, has not stopped.
const NEVER_STOPS: Duration = Duration::from_secs(12 * 3_600);

/// So much of what is told is passed on at once, and so many such parts wait at most.
const AT_ONCE: usize = 8_192;
const MAX_WAITING: usize = 4;

/// A rule that is to be another, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// This rule, in the place of the one of its id.
    Put(Box<RuleSpec>),
    /// None of this id.
    Delete(RuleId),
}

impl Edit {
    /// Which rule.
    #[must_use]
    pub const fn id(&self) -> &RuleId {
        match self {
            Self::Put(spec) => &spec.id,
            Self::Delete(id) => id,
        }
    }
}

/// What was, and what would have been.
#[derive(Debug, Clone, PartialEq)]
pub struct Backtest {
    /// From when.
    pub from: Timestamp,
    /// Until when.
    pub to: Timestamp,
    /// Whether both are computed from what is only near to what the farm was told: minute means, and the farm as it is set now.
    pub approximate: bool,
    /// What was.
    pub was: Run,
    /// What would have been.
    pub would: Run,
    /// How many inputs of the log made no sense with the other rules, and were left out.
    pub left_out: u64,
    /// What the readings do not follow.
    pub feedback: Vec<Feedback>,
    /// What is dangerous about the rules that were tried.
    pub hazards: Vec<(RuleId, PastHazard)>,
    /// The twin that the readings followed, where one was asked for.
    pub twin: Option<TwinReport>,
}

/// What is dangerous about a rule that was tried, as far as the past tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PastHazard {
    /// It would not have fired once.
    NeverFires,
    /// It would have fired, and gone on until the end.
    NeverStops,
}

/// A device that would have done something else, and a condition of a tried rule that it would have had a part in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Feedback {
    /// The device.
    pub device: DeviceId,
    /// The rule.
    pub rule: RuleId,
    /// What is measured; none where the condition is what the device was reported to do.
    pub sensor_type: Option<SensorType>,
}

/// Tries rules over a span of a farm's log.
///
/// # Errors
/// When the log cannot be read, it is to stop, or a rule makes no sense in the farm as it was at the beginning.
pub fn backtest(
    log: &mut dyn Log,
    edits: &[Edit],
    span: (Timestamp, Timestamp),
    stop: &Stop,
) -> Result<Backtest, PastError> {
    trial(log, edits, span, stop, None)
}

/// The same, with readings that follow a twin.
pub(super) fn trial(
    log: &mut dyn Log,
    edits: &[Edit],
    (from, to): (Timestamp, Timestamp),
    stop: &Stop,
    twin: Option<Twin>,
) -> Result<Backtest, PastError> {
    log.advance(from, stop, &mut |_, _| {})?;
    // As it is, without a tick: so both go on from the same state, and an edit that changes nothing changes nothing.
    let begin = log.farm().engine().clone();
    let mut meter = Meter::new(&begin, from);
    let mut tried = Tried::new(&begin, edits, from, twin)?;
    if tried.has_twin() {
        let mut sensors = Vec::new();
        log.advance(to, stop, &mut |farm, heard| {
            meter.hear(&heard.events);
            tried.was(&heard.events);
            name_sensors(farm, &heard.told, &mut sensors);
            heard
                .told
                .iter()
                .for_each(|told| tried.tell(told, &sensors));
        })?;
    } else {
        tried = beside(log, (to, stop), &mut meter, tried)?;
    }
    let (end, last) = engine_at(log, to);
    meter.hear(&last);
    let was = meter.end(&end, to);
    let Ended {
        engine,
        run: would,
        left_out,
        twin,
    } = tried.end(to)?;
    let mut feedback = feedback(&engine, edits, &was, &would);
    Ok(Backtest {
        from,
        to,
        approximate: log.is_approximate(),
        left_out,
        twin: twin.map(|t| t.end(&engine, &mut feedback)),
        feedback,
        hazards: hazards(edits, &would, to - from),
        was,
        would,
    })
}

/// Folds the log, and beside it on another thread the rules that are tried: neither waits for the other.
fn beside(
    log: &mut dyn Log,
    (to, stop): (Timestamp, &Stop),
    meter: &mut Meter,
    mut tried: Tried,
) -> Result<Tried, PastError> {
    thread::scope(|scope| {
        let (send, receive) = mpsc::sync_channel::<(Vec<SensorId>, Vec<Told>)>(MAX_WAITING);
        let other = scope.spawn(move || {
            let mut sensors = Vec::new();
            for (new, told) in receive {
                sensors.extend(new);
                told.iter().for_each(|told| tried.tell(told, &sensors));
            }
            tried
        });
        let (mut sensors, mut sent, mut told) = (Vec::new(), 0, Vec::new());
        let mut pass_on = |sensors: &[SensorId], told: &mut Vec<Told>| {
            let new = sensors.get(sent..).unwrap_or_default().to_vec();
            sent = sensors.len();
            // Only a panic ends the other one before, and that is found below.
            let _ = send.send((new, std::mem::take(told)));
        };
        let read = log.advance(to, stop, &mut |farm, heard| {
            meter.hear(&heard.events);
            name_sensors(farm, &heard.told, &mut sensors);
            told.extend_from_slice(&heard.told);
            if told.len() >= AT_ONCE {
                pass_on(&sensors, &mut told);
            }
        });
        pass_on(&sensors, &mut told);
        drop(send);
        let tried = other.join();
        read?;
        tried.map_err(|_| PastError::Failed("the rules that were tried".to_owned()))
    })
}

/// Names the sensors whose numbers are told, as far as they have no name yet.
fn name_sensors(farm: &Farm, told: &[Told], names: &mut Vec<SensorId>) {
    let numbers = told.iter().filter_map(|told| match told {
        Told::Reading { sensor, .. } => Some(*sensor as usize),
        Told::Input(_) => None,
    });
    let Some(last) = numbers.max().filter(|last| *last >= names.len()) else {
        return;
    };
    let known = (0..).map_while(|n| farm.controllers().sensor(n));
    let new = known.take(last + 1).skip(names.len());
    names.extend(new.map(|sensor| sensor.id.clone()));
}

/// What is dangerous about rules that were tried as active.
fn hazards(edits: &[Edit], would: &Run, span: Duration) -> Vec<(RuleId, PastHazard)> {
    let long = NEVER_STOPS.min(Duration::from_millis(span.as_millis() / 2));
    let of = |edit: &Edit| {
        let Edit::Put(spec) = edit else { return None };
        let run = would.rules.iter().find(|r| r.id == spec.id)?;
        if !spec.is_active() {
            None
        } else if run.fired == 0 && !run.runs {
            Some((spec.id.clone(), PastHazard::NeverFires))
        } else {
            let on = run.runs && run.stopped == 0 && run.ran >= long;
            on.then(|| (spec.id.clone(), PastHazard::NeverStops))
        }
    };
    edits.iter().filter_map(of).collect()
}

/// Which readings would have been others, as far as a kind of device has a part in what is measured in its place.
fn feedback(engine: &Engine, edits: &[Edit], was: &Run, would: &Run) -> Vec<Feedback> {
    let before: BTreeMap<&DeviceId, Duration> = was.devices.iter().map(|d| (&d.id, d.on)).collect();
    let differs = |d: &&DeviceRun| before.get(&d.id).is_none_or(|on| *on != d.on);
    let mut found = Vec::new();
    for rule in edits.iter().map(Edit::id) {
        let Some(explained) = engine.explain_rule(rule.as_str()) else {
            continue;
        };
        let nodes = || explained.parts.iter().flat_map(|p| &p.nodes);
        for device in would.devices.iter().filter(differs) {
            let Some(spec) = engine.device(device.id.as_str()).map(|d| d.spec) else {
                continue;
            };
            let feeds = |said: &Said| match said {
                Said::Device { id, .. } if *id == device.id => Some(None),
                Said::Signal(signal) => {
                    let sensor_type = signal.condition.sensor_type;
                    let place = signal.place.as_ref();
                    let near = place.is_some_and(|place| engine.overlap(place, &spec.scope));
                    (near && has_part(spec.device_type, sensor_type)).then_some(Some(sensor_type))
                }
                _ => None,
            };
            found.extend(
                nodes()
                    .filter_map(|n| feeds(&n.said))
                    .map(|sensor_type| Feedback {
                        device: device.id.clone(),
                        rule: rule.clone(),
                        sensor_type,
                    }),
            );
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Whether a device of that kind has a part in what is measured.
pub(super) const fn has_part(device: DeviceType, sensor: SensorType) -> bool {
    use SensorType as S;
    let air = matches!(
        sensor,
        S::Temperature
            | S::Humidity
            | S::Co2Level
            | S::LeafWetness
            | S::VapourPressureDeficit
            | S::DewPoint
            | S::WetBulb
            | S::AbsoluteHumidity
            | S::SoilTemperature
            | S::RateOfChange
            | S::Hours
            | S::Number
    );
    let water = matches!(
        sensor,
        S::SoilMoisture
            | S::ReservoirLevel
            | S::Ph
            | S::Ec
            | S::Flow
            | S::Volume
            | S::LinePressure
            | S::WaterTemperature
    );
    match device {
        DeviceType::Pump | DeviceType::Valve | DeviceType::Fogger => water || air,
        DeviceType::DosingPump | DeviceType::MixingPump => water,
        DeviceType::Siren => false,
        _ => air,
    }
}
