//! A span in which a rule did not act, as sentences.

use harit_engine::explain::{
    Kept, LeafSpan, PartExplanation, PartRole, RuleTracer, Said, SignalExplanation, Tried,
};
use harit_engine::{BlockReason, Duration, Engine, Mean};

use super::tell::{Teller, named};
use super::words::{self as w, pick};
use crate::log::reason;

impl Teller {
    /// A leaf over a span: how long it was not true, and how near it came.
    pub(crate) fn leaf_span(self, leaf: &LeafSpan, said: &Said) -> Vec<String> {
        let [_, no, unknown] = leaf.lasted;
        let what = self.said(said);
        let lasted = |texts, of: Duration| {
            (of > Duration::ZERO)
                .then(|| self.say(texts, &[("what", &what), ("time", &self.time(of))]))
        };
        let mut told: Vec<String> = lasted(w::FALSE_FOR, no).into_iter().collect();
        if let (Some(first), Said::Signal(signal), Some((mean, _))) =
            (told.first_mut(), said, leaf.nearest)
        {
            let value = self.mean(signal, mean);
            *first += &format!(", {}", self.say(w::CAME_TO, &[("value", &value)]));
        }
        told.extend(lasted(w::UNKNOWN_FOR, unknown));
        told
    }

    fn mean(self, signal: &SignalExplanation, mean: Mean) -> String {
        self.amount(signal.condition.sensor_type, mean.shown())
    }

    /// What kept a rule from acting, or what it did.
    pub(crate) fn why_not(
        self,
        of: &RuleTracer,
        engine: &Engine,
        now: &[PartExplanation],
    ) -> Vec<String> {
        let mut told = Vec::new();
        let lasted = |texts, time: Duration| {
            (time > Duration::ZERO).then(|| self.say(texts, &[("time", &self.time(time))]))
        };
        let fired = of.tried.iter().filter(|(_, t)| *t == Tried::Fired).count();
        told.push(match fired {
            0 if of.ran == Duration::ZERO => pick(self.0, w::NEVER_RAN).to_owned(),
            0 => self.say(w::RAN_ON, &[("time", &self.time(of.ran))]),
            n => self.counted(w::RAN, n, &[("time", &self.time(of.ran))]),
        });
        told.extend(lasted(w::ABSENT, of.absent));
        told.extend(lasted(w::WAS_OFF, of.inactive));
        let mut tried: Vec<(bool, &str, usize)> = Vec::new();
        for (_, what) in &of.tried {
            let (blocked, why) = match what {
                Tried::Blocked(BlockReason::StopCondition) => (true, "stopped_before"),
                Tried::Blocked(why) => (true, why.as_str()),
                Tried::Skipped(why) => (false, why.as_str()),
                _ => continue,
            };
            match tried
                .iter_mut()
                .find(|(b, w, _)| (*b, *w) == (blocked, why))
            {
                Some((_, _, n)) => *n += 1,
                None => tried.push((blocked, why, 1)),
            }
        }
        told.extend(tried.into_iter().map(|(blocked, why, n)| {
            let texts = if blocked { w::BLOCKED } else { w::SKIPPED };
            self.counted(texts, n, &[("why", &reason(why, self.0))])
        }));
        if let Some(near) = of.nearest {
            let parts = [
                ("held", self.time(near.held)),
                ("length", self.time(near.length)),
                (
                    "samples",
                    self.number(near.samples.min(near.samples_needed)),
                ),
                ("needed", self.number(near.samples_needed)),
            ];
            told.push(self.say(
                w::NEAREST,
                &parts.each_ref().map(|(name, part)| (*name, part.as_str())),
            ));
        }
        for leaf in of.leaves() {
            let part = now.iter().find(|p| p.role == leaf.part);
            let Some(node) = part.and_then(|p| p.nodes.get(leaf.node)) else {
                continue;
            };
            if let (0, Some(level), Said::Signal(signal)) = (fired, leaf.sustained, &node.said)
                && leaf.part == PartRole::Trigger
            {
                let shown = Mean {
                    sum: level.as_micro(),
                    count: 1,
                };
                let value = self.mean(signal, shown);
                told.push(self.say(w::WOULD_AT, &[("value", &value)]));
            }
        }
        for ((device, kept), time) in &of.kept {
            let name = engine
                .device_ref(device.as_str())
                .map_or("", |d| &d.spec.name);
            let why = match kept {
                Kept::Locked => reason("locked", self.0),
                Kept::Safety => reason("safety", self.0),
                Kept::Manual => reason("manual", self.0),
                Kept::Outranked(rule) => {
                    let name = engine.rule_name(rule.as_str()).unwrap_or_default();
                    self.say(w::OUTRANKED, &[("rule", named(&name, rule.as_str()))])
                }
                Kept::Held(limit) => reason(limit.as_str(), self.0),
                Kept::Offline => reason("offline", self.0),
            };
            let parts = [
                ("device", named(name, device.as_str())),
                ("time", &self.time(*time)),
                ("why", &why),
            ];
            told.push(self.say(w::KEPT, &parts));
        }
        told
    }
}
