//! An engine with other rules, which is told what a farm was told.

use harit_engine::{
    Engine, Event, Input, InputKind, Measured, RuleId, SensorId, SensorIx, Timestamp,
};

use super::backtest::Edit;
use super::meter::{Meter, Run};
use super::twin::Twin;
use super::{PastError, Told};

/// The rules that are tried, in an engine of their own.
pub(super) struct Tried {
    engine: Engine,
    meter: Meter,
    /// Edits of these that were in the log are not for it.
    rules: Vec<RuleId>,
    /// By number of the sensor among the farm's: its number in the engine, and in which version of the registry.
    indices: Vec<Option<SensorIx>>,
    version: u64,
    left_out: u64,
    events: Vec<Event>,
    twin: Option<Twin>,
}

/// What came of it.
pub(super) struct Ended {
    pub(super) engine: Engine,
    pub(super) run: Run,
    /// How many inputs made no sense with the other rules.
    pub(super) left_out: u64,
    pub(super) twin: Option<Twin>,
}

impl Tried {
    /// Goes on from an engine with other rules.
    ///
    /// # Errors
    /// When the rules make no sense there.
    pub(super) fn new(
        begin: &Engine,
        edits: &[Edit],
        from: Timestamp,
        twin: Option<Twin>,
    ) -> Result<Self, PastError> {
        let at = begin.clock().unwrap_or(from);
        let mut tried = Self {
            engine: begin.clone(),
            meter: Meter::new(begin, from),
            rules: edits.iter().map(|e| e.id().clone()).collect(),
            indices: Vec::new(),
            version: begin.registry_version(),
            left_out: 0,
            events: Vec::new(),
            twin,
        };
        for edit in edits {
            let kind = match edit {
                Edit::Put(spec) => InputKind::RulePut(spec.clone()),
                Edit::Delete(id) => InputKind::RuleDelete(id.clone()),
            };
            { &mut tried.engine }.apply(&Input { at, kind }, &mut tried.events)?;
        }
        tried.heard();
        Ok(tried)
    }

    pub(super) const fn has_twin(&self) -> bool {
        self.twin.is_some()
    }

    /// The twin hears what the farm's own engine said.
    pub(super) fn was(&mut self, events: &[Event]) {
        self.twin.iter_mut().for_each(|t| t.was(events));
    }

    /// Is told something; `sensors` are the farm's by number.
    pub(super) fn tell(&mut self, told: &Told, sensors: &[SensorId]) {
        match told {
            Told::Reading { sensor, at, value } => {
                let Some(id) = sensors.get(*sensor as usize) else {
                    return;
                };
                let value = self.moved(id, *at, *value);
                self.reading(*sensor, id, *at, value);
            }
            Told::Input(input) if self.is_of_tried(&input.kind) => return,
            Told::Input(input) => {
                let applied = self.engine.apply(input, &mut self.events);
                self.left_out += u64::from(applied.is_err());
            }
        }
        self.heard();
    }

    fn is_of_tried(&self, kind: &InputKind) -> bool {
        match kind {
            InputKind::RulePut(spec) => self.rules.contains(&spec.id),
            InputKind::RuleDelete(id) => self.rules.contains(id),
            _ => false,
        }
    }

    /// What a sensor would have measured.
    fn moved(&mut self, id: &SensorId, at: Timestamp, value: Measured) -> Measured {
        if self.twin.is_none() {
            return value;
        }
        // What time alone does comes before what is measured then.
        self.tick(at);
        let moved = self.twin.as_mut().and_then(|t| t.moved(id, at, value));
        moved.unwrap_or(value)
    }

    fn tick(&mut self, at: Timestamp) {
        let kind = InputKind::Tick;
        // A tick is refused nowhere.
        let _ = self.engine.apply(&Input { at, kind }, &mut self.events);
        self.heard();
    }

    fn reading(&mut self, number: u32, id: &SensorId, at: Timestamp, value: Measured) {
        let number = number as usize;
        let version = self.engine.registry_version();
        if self.version != version {
            self.version = version;
            self.indices.clear();
        }
        if number >= self.indices.len() {
            self.indices.resize(number + 1, None);
        }
        let index = &mut self.indices[number];
        if index.is_none() {
            *index = self.engine.sensor_index(id.as_str());
        }
        match *index {
            Some(ix) => {
                let _ = self.engine.apply_reading(at, ix, value, &mut self.events);
            }
            None => {
                let sensor = id.clone();
                let kind = InputKind::Reading { sensor, value };
                // A reading is refused nowhere: it moves the clock.
                let _ = self.engine.apply(&Input { at, kind }, &mut self.events);
            }
        }
    }

    /// What the engine said is counted.
    fn heard(&mut self) {
        if self.events.is_empty() {
            return;
        }
        self.meter.hear(&self.events);
        self.twin.iter_mut().for_each(|t| t.would(&self.events));
        self.events.clear();
    }

    /// What came of it until an instant, with what time alone did.
    pub(super) fn end(mut self, to: Timestamp) -> Result<Ended, PastError> {
        let kind = InputKind::Tick;
        { &mut self.engine }.apply(&Input { at: to, kind }, &mut self.events)?;
        self.meter.hear(&self.events);
        Ok(Ended {
            run: self.meter.end(&self.engine, to),
            engine: self.engine,
            left_out: self.left_out,
            twin: self.twin,
        })
    }
}
