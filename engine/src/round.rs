//! What comes due: rounds at deadlines, and the step that resumes after an outage.

use crate::device::Device;
use crate::engine::Engine;
use crate::event::{Event, EventKind};
use crate::hold::{Completion, Hold};
use crate::program::Seen;
use crate::rule::{Action, ActionEffect, Delayed};
use crate::sensor::{NO_SIGNAL, NOTHING_SAMPLED};
use crate::setting::Setting;
use crate::signal::Owner;
use crate::table::Keyed;
use crate::time::{Duration, Timestamp};
use crate::timer::Timer;

/// How late an action may still be done after an outage.
const MAX_OVERDUE: Duration = Duration::from_secs(60);

impl Engine {
    /// Runs a round at every distinct deadline until `now`, in ascending order.
    #[cold]
    pub(crate) fn run_timers(&mut self, now: Timestamp, events: &mut Vec<Event>) {
        let Some(clock) = self.state.clock else {
            return;
        };
        while let Some(deadline) = self.deadline_until(now) {
            // An edit may have moved a deadline into the past; time does not run backwards for it.
            let at = deadline.max(clock);
            self.state.clock = Some(at);
            self.round(at, events);
        }
    }

    /// All owners of a timer that is due, in any order.
    pub(crate) fn due(&mut self, timer: Timer, at: Timestamp) -> Vec<u32> {
        let mut due = Vec::new();
        self.timers.take_until(timer, at, &mut due);
        due.retain(|owner| match self.state.deadline(timer, *owner) {
            Some(deadline) if deadline <= at => true,
            Some(later) => {
                self.timers.set(timer, *owner, later);
                false
            }
            None => false,
        });
        due
    }

    /// All timers due at `at`, in the order of their kinds.
    fn round(&mut self, at: Timestamp, events: &mut Vec<Event>) {
        self.expire(at, events);
        self.pass_boundaries(at);
        self.reevaluate(at, NOTHING_SAMPLED, Completion::Waits, events);
        for (timer, owner) in [
            (Timer::RuleHold, Owner::Rule as fn(u32) -> Owner),
            (Timer::AlertHold, Owner::Alert),
        ] {
            let due = self.due(timer, at);
            self.dirty.extend(due.into_iter().map(owner));
        }
        self.reevaluate(at, NOTHING_SAMPLED, Completion::Acts, events);
        let mut rules = self.due(Timer::Action, at);
        self.sort_rules(&mut rules);
        for ix in rules {
            for action in self.take_actions(ix, at) {
                self.act(ix, action, at, events);
            }
        }
        self.end_claims(at, events);
        self.end_manual_modes(at, events);
        self.look_at_due(at);
        self.settle(at, events);
        self.end_on_periods(at, events);
        self.notify_due(at, events);
        self.finish_round(at, events);
    }

    /// Sensors whose value is too old become unknown together.
    fn expire(&mut self, at: Timestamp, events: &mut Vec<Event>) {
        let mut expired = self.due(Timer::Expiry, at);
        expired.sort_by_key(|ix| self.state.sensors.get(*ix).map(Keyed::key));
        self.state.lose(&expired, &mut self.dirty);
        for ix in expired {
            let (Some(sensor), reading) = (
                self.state.sensors.get(ix),
                &mut self.state.readings[ix as usize],
            ) else {
                continue;
            };
            events.push(Event {
                at,
                kind: EventKind::SensorExpired {
                    sensor: sensor.document.id().into(),
                },
            });
            let value = reading.forget();
            for signal in reading.signals.into_iter().take_while(|s| *s != NO_SIGNAL) {
                if planted!(MeanWithStaleMember) {
                    continue;
                }
                self.state
                    .signals
                    .change(signal, -value, -1, &mut self.dirty);
            }
            if self.state.signals.has_derived() {
                self.follow(ix, false);
            }
        }
    }

    fn take_actions(&mut self, ix: u32, at: Timestamp) -> Vec<Action> {
        let Some(rule) = self.state.rules.get_mut(ix) else {
            return Vec::new();
        };
        let due = rule.take_due(at, &self.state.words);
        self.watch_actions(ix);
        let action = |d: Delayed| self.state.action(ix, d.action);
        due.into_iter().filter_map(action).collect()
    }

    fn end_claims(&mut self, at: Timestamp, events: &mut Vec<Event>) {
        let mut devices = self.due(Timer::Claim, at);
        self.sort_devices(&mut devices);
        for ix in devices {
            self.with_device_ix(ix, at, events, Device::claims_due);
            self.release_curves(ix);
        }
    }

    fn end_manual_modes(&mut self, at: Timestamp, events: &mut Vec<Event>) {
        let mut devices = self.due(Timer::Manual, at);
        self.sort_devices(&mut devices);
        for ix in devices {
            self.with_device_ix(ix, at, events, Device::manual_due);
        }
    }

    fn end_on_periods(&mut self, at: Timestamp, events: &mut Vec<Event>) {
        let mut devices = self.due(Timer::MaxOn, at);
        self.sort_devices(&mut devices);
        for ix in devices {
            self.with_device_ix(ix, at, events, Device::max_on_due);
        }
    }

    fn notify_due(&mut self, at: Timestamp, events: &mut Vec<Event>) {
        let mut alerts = self.due(Timer::Repeat, at);
        self.sort_alerts(&mut alerts);
        for ix in alerts {
            self.notify(ix, at, events);
        }
    }

    /// The engine was down from its clock until `at`: a gap in the data and nothing more. Nothing that came due meanwhile is
    /// replayed, and no hold completes before new evidence arrives.
    pub(crate) fn resume(&mut self, at: Timestamp, events: &mut Vec<Event>) {
        let Some(clock) = self.state.clock else {
            self.state.clock = Some(at);
            return;
        };
        let now = at.max(clock);
        self.state.clock = Some(now);
        self.weaken_holds(now);
        self.state.count_all(now, true);
        self.end_claims(now, events);
        self.resume_actions(now, events);
        self.end_manual_modes(now, events);
        self.resumes = true;
        self.end_on_periods(now, events);
        let mut devices = self.state.devices.indices();
        devices.retain(|ix| {
            self.state
                .devices
                .get(*ix)
                .is_some_and(|d| d.online && d.commanded)
        });
        for ix in devices {
            self.with_device_ix(ix, now, events, Device::send_what_holds);
        }
        self.resumes = false;
        self.look_at_all(now);
        self.expire(now, events);
        self.dirty
            .extend(self.state.rules.indices().into_iter().map(Owner::Rule));
        self.dirty
            .extend(self.state.alerts.indices().into_iter().map(Owner::Alert));
        self.dirty.extend(self.state.curves.owners());
        self.dirty.extend(self.state.hours.owners());
        self.reevaluate(now, NOTHING_SAMPLED, Completion::Resumes, events);
        self.look_at_all(now);
        self.notify_due(now, events);
        self.finish_round(now, events);
    }

    /// Every hold that needs time needs at least one more sample.
    fn weaken_holds(&mut self, now: Timestamp) {
        let keeps = u8::from(planted!(ResumedKeepsSamples)) * 99;
        let most = self.state.min_samples() - 1 + keeps;
        self.resume_programs(now, most);
        for ix in self.state.rules.indices() {
            if let Some(rule) = self.state.rules.get_mut(ix) {
                let seen = Seen {
                    signals: &self.state.signals,
                    programs: &self.state.programs,
                };
                rule.change_hold(seen, |hold| Hold {
                    samples: hold.samples.min(most),
                    ..hold
                });
            }
            self.watch_rule(ix);
        }
        for ix in self.state.alerts.indices() {
            if let Some(hold) = self.state.alerts.get_mut(ix).and_then(|a| a.hold.as_mut()) {
                hold.samples = hold.samples.min(most);
            }
            self.watch_alert(ix);
        }
    }

    /// Delayed actions that came due: switching off is made up for, the rest only if it is little overdue, pulses never.
    fn resume_actions(&mut self, now: Timestamp, events: &mut Vec<Event>) {
        let mut due = Vec::new();
        for ix in self.state.rules.indices() {
            let Some(rule) = self.state.rules.get_mut(ix) else {
                continue;
            };
            let key = (std::cmp::Reverse(rule.priority), rule.id());
            let own = rule.take_due(now, &self.state.words);
            due.extend(own.into_iter().map(|d| (d.due, key.clone(), d.action, ix)));
            self.watch_actions(ix);
        }
        due.sort();
        for (due, (_, rule_id), action, ix) in due {
            let Some(action) = self.state.action(ix, action) else {
                continue;
            };
            let Action { device, effect } = action;
            let runs = match effect {
                ActionEffect::Claim {
                    setting: Setting::Off,
                    ..
                } => true,
                ActionEffect::Claim { .. } => now - due <= MAX_OVERDUE,
                ActionEffect::Pulse { .. } => planted!(ResumedRepeatsPulses),
            };
            if runs {
                self.act(ix, action, now, events);
            } else if let Some(device) = self.state.devices.get(device) {
                let kind = EventKind::ActionMissed {
                    rule: rule_id,
                    device: device.spec.id.clone(),
                };
                events.push(Event { at: now, kind });
            }
        }
    }
}
