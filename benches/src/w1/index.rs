//! What one writes by hand for W1: an index of sorted edges a sensor, the rules' state machine, and running means.
//!
//! It looks at holds with readings of their sensor only, so some start a moment later than the engine's, or never. It knows no
//! freshness, no evidence, no claims between rules, no unknown, and cannot be restarted.

use super::{Workload, ZONE};

#[derive(Clone, Copy)]
enum Phase {
    Idle,
    Pending(i64),
    Running,
    Stopping(i64),
}

struct Rule {
    rule: super::Rule,
    phase: Phase,
    listed: bool,
}

struct Sensor {
    /// Edges with the rules that they belong to, sorted.
    edges: Vec<(i64, u32)>,
    /// How many of them lie below the value.
    below: usize,
    /// The rules whose hold runs.
    waiting: Vec<u32>,
    value: Option<i64>,
}

/// See the module.
pub struct Index {
    rules: Vec<Rule>,
    sensors: Vec<Sensor>,
    /// Sums and counts of zones, then of types in the house and in the farm.
    means: Vec<(i64, i64)>,
    /// Rules that started.
    pub starts: u64,
    /// Rules that stopped.
    pub stops: u64,
}

impl Index {
    /// An index of a workload's rules, before its first reading.
    #[must_use]
    pub fn new(workload: &Workload) -> Self {
        let count = workload.size.sensors;
        let mut sensors: Vec<Sensor> = Vec::new();
        sensors.resize_with(count, || Sensor {
            edges: Vec::new(),
            below: 0,
            waiting: Vec::new(),
            value: None,
        });
        for (n, rule) in (0..).zip(&workload.rules) {
            for edge in rule.trigger.edges().chain(rule.stop.edges()) {
                sensors[rule.sensor].edges.push((edge, n));
            }
        }
        sensors.iter_mut().for_each(|s| s.edges.sort_unstable());
        let rule = |rule: &super::Rule| Rule {
            rule: *rule,
            phase: Phase::Idle,
            listed: false,
        };
        Self {
            rules: workload.rules.iter().map(rule).collect(),
            sensors,
            means: vec![(0, 0); count + 2 * ZONE],
            starts: 0,
            stops: 0,
        }
    }

    /// Takes a reading.
    pub fn apply(&mut self, at: i64, sensor: u32, value: i64) {
        let ix = sensor as usize;
        let s = &mut self.sensors[ix];
        let first = s.value.is_none();
        let (change, count) = s.value.map_or((value, 1), |was| (value - was, 0));
        s.value = Some(value);
        let farm = self.means.len() - ZONE + ix % ZONE;
        for mean in [ix, farm - ZONE, farm] {
            self.means[mean].0 += change;
            self.means[mean].1 += count;
        }
        let was = s.below;
        while s.below < s.edges.len() && s.edges[s.below].0 < value {
            s.below += 1;
        }
        while s.below > 0 && s.edges[s.below - 1].0 >= value {
            s.below -= 1;
        }
        let crossed = if first {
            0..s.edges.len()
        } else {
            was.min(s.below)..was.max(s.below)
        };
        for e in crossed {
            let n = self.sensors[ix].edges[e].1;
            self.look(n, at, value);
        }
        for w in (0..self.sensors[ix].waiting.len()).rev() {
            let n = self.sensors[ix].waiting[w];
            self.look(n, at, value);
            if !self.rules[n as usize].waits() {
                self.rules[n as usize].listed = false;
                self.sensors[ix].waiting.swap_remove(w);
            }
        }
    }

    /// Moves a rule on.
    fn look(&mut self, n: u32, at: i64, value: i64) {
        let r = &mut self.rules[n as usize];
        let (holds, stops) = (r.rule.trigger.holds(value), r.rule.stop.holds(value));
        loop {
            let next = match r.phase {
                Phase::Idle if holds => Phase::Pending(at),
                Phase::Pending(_) if !holds => Phase::Idle,
                Phase::Pending(since) if at - since >= r.rule.hold * 1_000 => {
                    self.starts += 1;
                    Phase::Running
                }
                Phase::Running if stops => Phase::Stopping(at),
                Phase::Stopping(_) if !stops => Phase::Running,
                Phase::Stopping(since) if at - since >= r.rule.stop_hold * 1_000 => {
                    self.stops += 1;
                    Phase::Idle
                }
                _ => break,
            };
            r.phase = next;
        }
        if r.waits() && !r.listed {
            r.listed = true;
            self.sensors[r.rule.sensor].waiting.push(n);
        }
    }

    /// The mean of a type in the farm, so that nobody leaves it out.
    #[must_use]
    pub fn mean(&self, kind: usize) -> Option<i64> {
        let (sum, count) = self.means[self.means.len() - ZONE + kind % ZONE];
        sum.checked_div(count)
    }
}

impl Rule {
    const fn waits(&self) -> bool {
        matches!(self.phase, Phase::Pending(_) | Phase::Stopping(_))
    }
}
