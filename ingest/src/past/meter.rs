//! What rules and devices did, counted from the events of an engine.

use std::collections::BTreeMap;

use harit_engine::{
    Command, DeviceId, Duration, Engine, Event, EventKind, Quantity, RuleId, RulePhase, SentOrder,
    Setting, Timestamp,
};

/// The most periods of a device, and starts of a rule, that are listed; further ones are counted.
pub const MAX_INTERVALS: usize = 500;

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

/// Follows what devices and rules do.
pub(super) struct Meter {
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
    pub(super) fn new(engine: &Engine, from: Timestamp) -> Self {
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

    pub(super) fn hear(&mut self, events: &[Event]) {
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

    pub(super) fn end(mut self, engine: &Engine, to: Timestamp) -> Run {
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
