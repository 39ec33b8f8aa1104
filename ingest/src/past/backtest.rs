//! What other rules would have done: a farm's log folded with its own rules, and beside it what the engine was told with others.
//!
//! Both engines get the same inputs, to the byte, apart from edits of the rules that are tried. So what people did and what controllers
//! reported stays as it was: readings do not follow from what devices would have done ([`Feedback`]), unless with a twin.

use std::collections::BTreeMap;

use harit_engine::explain::Said;
use harit_engine::{
    Command, DeviceId, DeviceType, Duration, Engine, Event, EventKind, Input, InputKind, Problems,
    Quantity, RuleId, RulePhase, RuleSpec, SensorType, SentOrder, Setting, Timestamp,
};

use super::twin::{Twin, TwinReport};
use super::{Log, PastError, Stop, engine_at};

/// The most rules that are tried at once.
pub const MAX_EDITS: usize = 32;
/// The most periods of a device, and starts of a rule, that are listed; further ones are counted.
pub const MAX_INTERVALS: usize = 500;
/// A rule that runs for so long until the end, or for half of what is looked at, has not stopped.
const NEVER_STOPS: Duration = Duration::from_secs(12 * 3_600);

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

/// What rules and devices did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// The rules by id: those that there were at the end, or did something.
    pub rules: Vec<RuleRun>,
    /// The devices by id: those that there were at the end, or ran.
    pub devices: Vec<DeviceRun>,
}

/// What a rule did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRun {
    /// Its id.
    pub id: RuleId,
    /// Its name.
    pub name: String,
    /// How often it fired.
    pub fired: u32,
    /// When; at most [`MAX_INTERVALS`].
    pub fired_at: Vec<Timestamp>,
    /// How often it was about to, and was blocked.
    pub blocked: u32,
    /// How many starts of its schedule were skipped.
    pub skipped: u32,
    /// How many of its pulses were not sent.
    pub suppressed: u32,
    /// How often a limit held what it wanted.
    pub held: u32,
    /// How long it ran.
    pub ran: Duration,
    /// How often it stopped.
    pub stopped: u32,
    /// Whether it ran at the end.
    pub runs: bool,
}

/// What a device did, as far as what was sent tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceRun {
    /// Its id.
    pub id: DeviceId,
    /// Its name.
    pub name: String,
    /// How long it was on, pulses included.
    pub on: Duration,
    /// How often it started.
    pub starts: u32,
    /// How much flowed, in ml, where that is known.
    pub ml: Option<Quantity>,
    /// How often a limit held it back.
    pub held: u32,
    /// How often a limit switched it off.
    pub limits_reached: u32,
    /// When it was on; at most [`MAX_INTERVALS`].
    pub intervals: Vec<(Timestamp, Timestamp)>,
    /// How many more there are.
    pub more: u32,
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
    mut twin: Option<Twin>,
) -> Result<Backtest, PastError> {
    log.advance(from, stop, &mut |_, _| {})?;
    // As it is, without a tick: so both go on from the same state, and an edit that changes nothing changes nothing.
    let begin = log.farm().engine().clone();
    let at = begin.clock().unwrap_or(from);
    let mut would = begin.clone();
    let (mut meter, mut other) = (Meter::new(&begin, from), Meter::new(&begin, from));
    let mut events = Vec::new();
    for edit in edits {
        let kind = match edit {
            Edit::Put(spec) => InputKind::RulePut(spec.clone()),
            Edit::Delete(id) => InputKind::RuleDelete(id.clone()),
        };
        would.apply(&Input { at, kind }, &mut events)?;
    }
    other.hear(&events);
    twin.iter_mut().for_each(|t| t.would(&events));
    let tried = |id: &RuleId| edits.iter().any(|e| e.id() == id);
    let mut left_out = 0;
    log.advance(to, stop, &mut |_, heard| {
        meter.hear(&heard.events);
        twin.iter_mut().for_each(|t| t.was(&heard.events));
        for input in &heard.told {
            let of_tried = match &input.kind {
                InputKind::RulePut(spec) => tried(&spec.id),
                InputKind::RuleDelete(id) => tried(id),
                _ => false,
            };
            if of_tried {
                continue;
            }
            events.clear();
            let moved = match &mut twin {
                Some(twin) => {
                    // What time alone does comes before what is measured then.
                    let (at, kind) = (input.at, InputKind::Tick);
                    let _ = would.apply(&Input { at, kind }, &mut events);
                    twin.would(&events);
                    other.hear(&events);
                    events.clear();
                    twin.moved(input)
                }
                None => None,
            };
            let input = moved.as_ref().unwrap_or(input);
            let applied: Result<(), Problems> = would.apply(input, &mut events);
            left_out += u64::from(applied.is_err());
            other.hear(&events);
            twin.iter_mut().for_each(|t| t.would(&events));
        }
    })?;
    let (end, last) = engine_at(log, to);
    meter.hear(&last);
    events.clear();
    let kind = InputKind::Tick;
    would.apply(&Input { at: to, kind }, &mut events)?;
    other.hear(&events);
    let (was, then) = (meter.end(&end, to), other.end(&would, to));
    let mut feedback = feedback(&would, edits, &was, &then);
    Ok(Backtest {
        from,
        to,
        approximate: log.is_approximate(),
        left_out,
        twin: twin.map(|t| t.end(&would, &mut feedback)),
        feedback,
        hazards: hazards(edits, &then, to - from),
        was,
        would: then,
    })
}

/// Follows what devices and rules do.
struct Meter {
    from: Timestamp,
    rules: BTreeMap<RuleId, (RuleRun, Option<Timestamp>)>,
    devices: BTreeMap<DeviceId, DeviceMeter>,
}

struct DeviceMeter {
    run: DeviceRun,
    on_since: Option<Timestamp>,
    pulse: Option<(Timestamp, Timestamp)>,
    rated: Option<Quantity>,
    rate: Option<Quantity>,
    /// What flowed, in millionths of a ml/s times milliseconds.
    flow: i128,
}

impl RuleRun {
    const fn new(id: RuleId) -> Self {
        Self {
            id,
            name: String::new(),
            fired: 0,
            fired_at: Vec::new(),
            blocked: 0,
            skipped: 0,
            suppressed: 0,
            held: 0,
            ran: Duration::ZERO,
            stopped: 0,
            runs: false,
        }
    }
}

impl DeviceMeter {
    const fn new(id: DeviceId) -> Self {
        let run = DeviceRun {
            id,
            name: String::new(),
            on: Duration::ZERO,
            starts: 0,
            ml: None,
            held: 0,
            limits_reached: 0,
            intervals: Vec::new(),
            more: 0,
        };
        Self {
            run,
            on_since: None,
            pulse: None,
            rated: None,
            rate: None,
            flow: 0,
        }
    }

    fn add(&mut self, from: Timestamp, to: Timestamp) {
        let lasted = to - from;
        if lasted <= Duration::ZERO {
            return;
        }
        self.run.on = self.run.on + lasted;
        if let Some(rate) = self.rate.or(self.rated) {
            self.flow += i128::from(rate.as_micro()) * i128::from(lasted.as_millis());
        }
        match self.run.intervals.len() < MAX_INTERVALS {
            true => self.run.intervals.push((from, to)),
            false => self.run.more += 1,
        }
    }

    fn end_pulse(&mut self, now: Timestamp) {
        if let Some((from, until)) = self.pulse.take() {
            self.add(from, until.min(now));
        }
    }

    fn end_period(&mut self, now: Timestamp) {
        if let Some(since) = self.on_since.take() {
            self.add(since, now);
        }
    }

    fn command(&mut self, at: Timestamp, command: &Command) {
        self.end_pulse(at);
        match command.order() {
            SentOrder::Set(setting) if setting.is_on() => {
                let rate = match setting {
                    Setting::FlowRate(rate) => Some(rate),
                    _ => None,
                };
                if self.on_since.is_some() && rate != self.rate {
                    // What flows is another amount from here on.
                    self.end_period(at);
                    self.on_since = Some(at);
                }
                self.rate = rate;
                if self.on_since.is_none() {
                    self.on_since = Some(at);
                    self.run.starts += 1;
                }
            }
            SentOrder::Set(_) => self.end_period(at),
            SentOrder::Pulse { secs } if self.on_since.is_none() => {
                self.run.starts += 1;
                self.pulse = Some((at, at + Duration::from_secs(secs.into())));
            }
            SentOrder::Pulse { .. } | SentOrder::Release => {}
        }
    }
}

impl Meter {
    fn new(engine: &Engine, from: Timestamp) -> Self {
        let mut meter = Self {
            from,
            rules: BTreeMap::new(),
            devices: BTreeMap::new(),
        };
        meter.know(engine);
        for rule in engine.rules() {
            if let (RulePhase::Running { .. }, Some((_, runs))) =
                (rule.phase, meter.rules.get_mut(&rule.spec.id))
            {
                *runs = Some(from);
            }
        }
        for device in engine.devices() {
            if let Some(own) = meter.devices.get_mut(&device.spec.id) {
                own.on_since = device.on_since.map(|since| since.max(from));
                own.rate = match device.last_sent {
                    Some(Setting::FlowRate(rate)) => Some(rate),
                    _ => None,
                };
                own.pulse =
                    { device.pulse_until.filter(|until| *until > from) }.map(|until| (from, until));
            }
        }
        meter
    }

    /// Knows the names of what there is.
    fn know(&mut self, engine: &Engine) {
        for rule in engine.rules() {
            self.rule(&rule.spec.id).0.name = rule.spec.name;
        }
        for device in engine.devices() {
            let own = self.device(&device.spec.id);
            own.rated = device.spec.limits.as_ref().and_then(|l| l.ml_per_sec);
            own.run.name = device.spec.name;
        }
    }

    fn rule(&mut self, id: &RuleId) -> &mut (RuleRun, Option<Timestamp>) {
        let new = || (RuleRun::new(id.clone()), None);
        self.rules.entry(id.clone()).or_insert_with(new)
    }

    fn device(&mut self, id: &DeviceId) -> &mut DeviceMeter {
        let new = || DeviceMeter::new(id.clone());
        self.devices.entry(id.clone()).or_insert_with(new)
    }

    fn hear(&mut self, events: &[Event]) {
        events.iter().for_each(|event| self.event(event));
    }

    fn event(&mut self, event: &Event) {
        let at = event.at.max(self.from);
        match &event.kind {
            EventKind::RuleFired { rule } => {
                let (run, runs) = self.rule(rule);
                run.fired += 1;
                if run.fired_at.len() < MAX_INTERVALS {
                    run.fired_at.push(at);
                }
                *runs = Some(at);
            }
            EventKind::RuleStopped { rule, .. } => {
                let (run, runs) = self.rule(rule);
                run.stopped += 1;
                if let Some(since) = runs.take() {
                    run.ran = run.ran + (at - since).max(Duration::ZERO);
                }
            }
            EventKind::RuleBlocked { rule, .. } => self.rule(rule).0.blocked += 1,
            EventKind::StartSkipped { rule, count, .. } => {
                self.rule(rule).0.skipped += count.unwrap_or(1);
            }
            EventKind::CommandSuppressed { rule, .. } => self.rule(rule).0.suppressed += 1,
            EventKind::CommandHeld { device, cause, .. } => {
                self.device(device).run.held += 1;
                if let harit_engine::Cause::Rule(rule) = cause {
                    self.rule(rule).0.held += 1;
                }
            }
            EventKind::LimitReached { device, .. } => self.device(device).run.limits_reached += 1,
            EventKind::DeviceLocked { device, .. } => self.device(device).end_period(at),
            EventKind::Command(command) => self.device(command.device()).command(at, command),
            _ => {}
        }
    }

    fn end(mut self, engine: &Engine, to: Timestamp) -> Run {
        self.know(engine);
        let rules = self.rules.into_values().map(|(mut run, runs)| {
            if let Some(since) = runs {
                run.runs = true;
                run.ran = run.ran + (to - since);
            }
            run
        });
        let devices = self.devices.into_values().map(|mut device| {
            device.end_pulse(to);
            device.end_period(to);
            let known = device.flow > 0 || device.rated.is_some();
            let ml = i64::try_from(device.flow / 1_000).unwrap_or(i64::MAX);
            DeviceRun {
                ml: known.then(|| Quantity::from_micro(ml)),
                ..device.run
            }
        });
        Run {
            rules: rules.collect(),
            devices: devices.collect(),
        }
    }
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
