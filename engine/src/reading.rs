//! What a reading does: to its sensor, to the sensor's signals, and to whoever is concerned by that. On most days this is one
//! short path.

use crate::engine::Engine;
use crate::event::Event;
use crate::hold::Completion;
use crate::program::{Seen, counts_samples};
use crate::quantity::Measured;
use crate::sensor::{Effect, NO_SIGNAL, NOTHING_SAMPLED, ReadingOutcome, Sampled, SensorIx};
use crate::signal::{Owner, Signals, Wants};
use crate::state::State;
use crate::time::Timestamp;
use crate::timer::Timer;

impl Engine {
    /// Loads what readings of these sensors are going to touch. Changes nothing; worth it before a batch of readings in a large
    /// farm, as its memory is then waited for once and not reading by reading.
    #[inline]
    pub fn load(&self, sensors: impl Iterator<Item = SensorIx>) {
        self.state.load_sensors(sensors.map(|s| s.0));
    }

    /// Applies a reading; the same as [`Self::apply`], for callers that know the sensor's number.
    #[inline]
    pub fn apply_reading(
        &mut self,
        at: Timestamp,
        sensor: SensorIx,
        value: Measured,
        events: &mut Vec<Event>,
    ) -> ReadingOutcome {
        let now = self.advance(at, events);
        let state = &mut self.state;
        let known = state.readings.get_mut(sensor.0 as usize);
        let Some(reading) = known.filter(|reading| reading.registered) else {
            return self.apply_unknown(now, events);
        };
        let effect = reading.read(at, now, value);
        let signals = reading.signals;
        state.counters.count(effect.outcome);
        if effect.outcome == ReadingOutcome::Applied || effect.count != 0 {
            self.follow_reading(now, sensor.0, effect, signals, events);
        } else if !self.dirty.is_empty() {
            self.reevaluate(now, NOTHING_SAMPLED, Completion::Acts, events);
            self.finish_round(now, events);
        }
        effect.outcome
    }

    /// What a reading did to its sensor goes on to the sensor's signals, and to whoever is concerned by that.
    #[inline]
    fn follow_reading(
        &mut self,
        now: Timestamp,
        sensor: u32,
        effect: Effect,
        signals: Sampled,
        events: &mut Vec<Event>,
    ) {
        if effect.count != 0 {
            self.come_or_go(sensor, effect.count);
        }
        let Effect {
            sum, count, sample, ..
        } = effect;
        for signal in signals.into_iter().take_while(|s| *s != NO_SIGNAL) {
            let dirty = &mut self.dirty;
            if self.state.signals.read(signal, sum, count, sample, dirty) && sample {
                self.offer_sample(signal);
            }
        }
        if self.state.signals.has_derived() {
            self.follow(sensor, sample);
        }
        if !self.dirty.is_empty() {
            let sampled = if sample { signals } else { NOTHING_SAMPLED };
            self.reevaluate(now, sampled, Completion::Acts, events);
            self.finish_round(now, events);
        }
    }

    /// A sensor's value counts from now on, or does not any more.
    #[cold]
    fn come_or_go(&mut self, sensor: u32, count: i32) {
        if count < 0 {
            self.state.lose(&[sensor], &mut self.dirty);
            return;
        }
        if let Some(expiry) = self.state.deadline(Timer::Expiry, sensor) {
            self.timers.set(Timer::Expiry, sensor, expiry);
        }
        self.state.regain(sensor, &mut self.dirty);
    }

    /// What is derived from a sensor's signals follows its value.
    #[cold]
    pub(crate) fn follow(&mut self, sensor: u32, sample: bool) {
        let reading = &self.state.readings[sensor as usize];
        let (signals, value) = (reading.signals, reading.fresh_value());
        for base in signals.into_iter().take_while(|s| *s != NO_SIGNAL) {
            let derived = self
                .state
                .signals
                .follow(base, sensor, value, &mut self.dirty);
            for signal in derived.into_iter().flatten() {
                if sample {
                    self.offer_sample(signal);
                }
            }
        }
    }

    pub(crate) fn apply_unknown_reading(
        &mut self,
        at: Timestamp,
        events: &mut Vec<Event>,
    ) -> ReadingOutcome {
        let now = self.advance(at, events);
        self.apply_unknown(now, events)
    }

    #[cold]
    fn apply_unknown(&mut self, now: Timestamp, events: &mut Vec<Event>) -> ReadingOutcome {
        self.state.counters.count(ReadingOutcome::Unknown);
        self.reevaluate(now, NOTHING_SAMPLED, Completion::Acts, events);
        self.finish_round(now, events);
        ReadingOutcome::Unknown
    }

    /// Puts the rules and alerts whose holds want samples of the signal among the dirty.
    #[cold]
    fn offer_sample(&mut self, signal: u32) {
        let State {
            signals,
            rules,
            programs,
            alerts,
            only_if,
            farm,
            ..
        } = &mut self.state;
        let programs = &*programs;
        let min_samples = farm.settings.min_samples;
        let wants = |signals: &Signals, comparison, owner| match owner {
            Owner::Curve(_) | Owner::Hours(_) => Wants {
                now: false,
                further: false,
            },
            // It is joined of several signals, and counts each reading itself.
            Owner::Rule(ix) if programs.get(ix).is_some() => {
                let seen = Seen { signals, programs };
                let counts = counts_samples(rules, seen, min_samples, ix);
                Wants {
                    now: counts,
                    further: counts,
                }
            }
            Owner::Rule(ix) => {
                let seen = Seen { signals, programs };
                let rule = rules.get(ix);
                let holds = rule.filter(|r| r.watched() == Some(comparison));
                let lacks = holds.is_some_and(|r| r.awaited(min_samples, seen).is_some());
                Wants {
                    now: holds.is_some() && !lacks,
                    further: lacks,
                }
            }
            // It is joined of several signals, and counts each reading itself.
            Owner::Alert(ix) => {
                let alert = alerts.get(ix);
                let beside = only_if.get(ix).and_then(|p| p.trigger.tree());
                let counts = alert.is_some_and(|a| a.counts_samples(min_samples))
                    || beside.is_some_and(|tree| tree.counts_samples(min_samples));
                Wants {
                    now: counts,
                    further: counts,
                }
            }
        };
        signals.offer_sample(signal, wants, &mut self.dirty);
    }
}
