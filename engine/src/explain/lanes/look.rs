//! What a look finds: the devices, rules and alerts of whoever is followed, as they are at an instant.

use std::collections::BTreeSet;

use super::{LaneKey, LaneState, LaneTracer, Standing, Subject};
use crate::document::{AlertSpec, ScopeSpec};
use crate::engine::Engine;
use crate::explain::PartExplanation;
use crate::id::{AlertId, DeviceId, PolyhouseId, RuleId};
use crate::rule::Phase;
use crate::status::RulePhase;

/// The most rules that are followed of a device.
const MAX_RULES: usize = 16;
/// The most rules that are followed of a polyhouse.
const MAX_HOUSE_RULES: usize = 64;
/// The most devices that are followed of a polyhouse.
const MAX_HOUSE_DEVICES: usize = 128;

impl LaneTracer {
    /// Finds what belongs to it.
    pub(super) fn know(&mut self, engine: &Engine) {
        let mut left_out = 0;
        self.devices = match &self.subject {
            Subject::Device(id) => vec![id.clone()],
            Subject::Rule(id) => {
                let actions = engine.rule(id.as_str()).map(|r| r.spec.actions);
                let named = { actions.into_iter().flatten() }.map(|a| a.device_id);
                let named = self.devices.iter().cloned().chain(named);
                let found: BTreeSet<DeviceId> = named.collect();
                found.into_iter().collect()
            }
            Subject::House(house) => {
                self.found |= { engine.state.places.specs() }.any(|p| p.id == *house);
                let there = devices_in(engine, house);
                let found: BTreeSet<DeviceId> = self.devices.iter().cloned().chain(there).collect();
                left_out += found.len().saturating_sub(MAX_HOUSE_DEVICES);
                found.into_iter().take(MAX_HOUSE_DEVICES).collect()
            }
        };
        let (rules, most): (Vec<RuleId>, usize) = match &self.subject {
            Subject::Rule(id) => (vec![id.clone()], 1),
            subject => {
                let names = |a: &crate::document::ActionSpec| self.devices.contains(&a.device_id);
                let all = { engine.rules() }.filter(|r| r.spec.actions.iter().any(names));
                let is_house = matches!(subject, Subject::House(_));
                let most = if is_house { MAX_HOUSE_RULES } else { MAX_RULES };
                (all.map(|r| r.spec.id).collect(), most)
            }
        };
        let new: Vec<RuleId> = { rules.into_iter() }
            .filter(|id| !self.rules.contains_key(id))
            .collect();
        let room = most.saturating_sub(self.rules.len());
        left_out += new.len().saturating_sub(room);
        for id in new.into_iter().take(room) {
            if let Some(status) = engine.rule(id.as_str()) {
                self.rules.insert(id, (0, status.spec));
            }
        }
        self.left_out = left_out;
        if let Subject::House(_) = self.subject {
            for (id, (_, spec)) in &mut self.rules {
                if let Some(now) = engine.rule(id.as_str()) {
                    *spec = now.spec;
                }
            }
        }
    }

    fn set(&mut self, key: LaneKey, state: Option<LaneState>) {
        if state.is_none() && !self.lanes.contains_key(&key) {
            return;
        }
        self.lanes.entry(key).or_default().set(self.at, state);
    }

    pub(super) fn look(&mut self, engine: &Engine) {
        let is_house = matches!(self.subject, Subject::House(_));
        for id in self.devices.clone() {
            match is_house {
                true => self.glance_at_device(engine, &id),
                false => self.look_at_device(engine, &id),
            }
        }
        let rules: Vec<RuleId> = self.rules.keys().cloned().collect();
        for id in rules {
            match is_house {
                true => self.glance_at_rule(engine, &id),
                false => self.look_at_rule(engine, &id),
            }
        }
    }

    /// What is reported of a device: what a rule may look at, which the explanation has, else what its controller said last.
    fn reported(&self, id: &DeviceId, online: bool, running: Option<bool>) -> Option<LaneState> {
        let said = self.reports.get(id).filter(|_| online);
        let on = running.or(said.map(|(on, _)| *on))?;
        let value = said.filter(|said| said.0 == on).and_then(|said| said.1);
        Some(LaneState::Reported(on, value))
    }

    fn look_at_device(&mut self, engine: &Engine, id: &DeviceId) {
        let explained = engine.explain_device(id.as_str());
        let own = matches!(&self.subject, Subject::Device(_));
        self.found |= own && explained.is_some();
        let running = explained.as_ref().and_then(|e| e.reported);
        let online = explained.as_ref().map(|e| e.status.online);
        let locks = explained.as_ref().map(|e| e.status.locks.clone());
        let reported = self.reported(id, online == Some(true), running);
        self.set(LaneKey::Reported(id.clone()), reported);
        self.set(LaneKey::Online(id.clone()), online.map(LaneState::Online));
        if own {
            let locks = locks.filter(|l| !l.is_empty());
            self.set(LaneKey::Locks(id.clone()), locks.map(LaneState::Locked));
            let decides = explained.and_then(|e| e.steps.into_iter().nth(e.decides));
            let decides = decides.map(|step| LaneState::Decides(Box::new(step)));
            self.set(LaneKey::Decides(id.clone()), decides);
        }
    }

    /// Looks at a device of many: at no more than who decides, and what it does.
    fn glance_at_device(&mut self, engine: &Engine, id: &DeviceId) {
        let ix = engine.state.devices.index(id.as_str());
        let device = ix.and_then(|ix| engine.state.devices.get(ix));
        let online = device.map(|d| d.online);
        let running = device.and_then(|d| d.running.filter(|_| d.online));
        let reported = self.reported(id, online == Some(true), running);
        self.set(LaneKey::Reported(id.clone()), reported);
        self.set(LaneKey::Online(id.clone()), online.map(LaneState::Online));
        let key = LaneKey::Decides(id.clone());
        let step = |named| Some(LaneState::Decides(Box::new(engine.deciding(ix?, named)?)));
        let now = step(false);
        let before = self.lanes.get(&key).and_then(super::Lane::now);
        let goes_on = now.as_ref().zip(before).is_some_and(|(n, b)| b.goes_on(n));
        // A rule's name is looked up only where it begins to decide.
        let decides = if goes_on { now } else { step(true) };
        self.set(key, decides);
    }

    /// Looks at a rule of many: at no more than where it stands. What its document says changes only where documents may have.
    fn glance_at_rule(&mut self, engine: &Engine, id: &RuleId) {
        let state = &engine.state;
        let rule = { state.rules.index(id.as_str()) }.and_then(|ix| state.rules.get(ix));
        let active = self.rules.get(id).is_some_and(|(_, s)| s.is_active());
        let standing = rule.map(|rule| match rule.phase {
            _ if !active => Standing::Inactive,
            Phase::Running { .. } => Standing::Running,
            Phase::Pending(_) if rule.hold(state.seen()).is_some() => Standing::Pending,
            Phase::Pending(_) | Phase::Idle => Standing::Idle,
        });
        self.set(LaneKey::Phase(id.clone()), standing.map(LaneState::Phase));
    }

    fn look_at_rule(&mut self, engine: &Engine, id: &RuleId) {
        let found = engine.state.rules.index(id.as_str());
        let status = found.and_then(|ix| Some((ix, engine.rule(id.as_str())?)));
        let Some((ix, status)) = status else {
            self.ends(id, |_| true);
            return;
        };
        let own = matches!(&self.subject, Subject::Rule(_));
        self.found |= own;
        if let Some((edition, spec)) = self.rules.get_mut(id)
            && *spec != status.spec
        {
            *edition += 1;
            *spec = status.spec.clone();
            let before = *edition;
            self.ends(id, |of| of < before);
        }
        let edition = self.rules.get(id).map_or(0, |(edition, _)| *edition);
        let active = status.spec.is_active();
        let standing = match status.phase {
            _ if !active => Standing::Inactive,
            RulePhase::Idle => Standing::Idle,
            RulePhase::Pending { .. } => Standing::Pending,
            RulePhase::Running { .. } => Standing::Running,
        };
        self.set(LaneKey::Phase(id.clone()), Some(LaneState::Phase(standing)));
        for part in engine.explain_parts(ix, &status, false) {
            self.look_at_part(id, edition, &part);
        }
        if own {
            let runs = standing == Standing::Running;
            let outcomes = if runs {
                engine.outcomes(&status.spec)
            } else {
                Vec::new()
            };
            let of = |id: &DeviceId| outcomes.iter().find(|o| o.id == *id);
            let states: Vec<_> = { self.devices.iter() }
                .map(|id| (id.clone(), of(id).map(|o| o.outcome.clone())))
                .collect();
            for (id, outcome) in states {
                self.set(LaneKey::Outcome(id), outcome.map(LaneState::Outcome));
            }
        }
    }

    fn look_at_part(&mut self, id: &RuleId, edition: u32, part: &PartExplanation) {
        let hold = part.hold.map(LaneState::Hold);
        self.set(LaneKey::Hold(id.clone(), part.role), hold);
        let nodes = part.nodes.iter().enumerate();
        for (node, n) in nodes.filter(|(_, n)| n.said.is_leaf()) {
            let key = LaneKey::Leaf(id.clone(), edition, part.role, node);
            if !self.said.contains_key(&key) {
                self.said.insert(key.clone(), n.said.clone());
            }
            self.set(key, Some(LaneState::Truth(n.truth)));
        }
    }

    /// Nothing more is told of a rule's leaves of some of its documents; of none, of the rule.
    fn ends(&mut self, id: &RuleId, is_over: impl Fn(u32) -> bool) {
        let at = self.at;
        let gone = is_over(u32::MAX);
        for (key, lane) in &mut self.lanes {
            let over = match key {
                LaneKey::Leaf(rule, edition, ..) => rule == id && is_over(*edition),
                LaneKey::Phase(rule) => rule == id && gone,
                LaneKey::Hold(rule, _) => rule == id,
                _ => false,
            };
            if over {
                lane.set(at, None);
            }
        }
    }

    /// Looks at the alerts of the place.
    pub(super) fn look_at_alerts(&mut self, engine: &Engine) {
        let place = match &self.subject {
            Subject::Device(id) => engine.device_ref(id.as_str()).map(|d| d.spec.scope.clone()),
            Subject::Rule(id) => engine.rule(id.as_str()).map(|r| r.spec.scope),
            Subject::House(id) => Some(ScopeSpec::polyhouse(id.clone())),
        };
        let Some(place) = place else {
            return;
        };
        let mut there = BTreeSet::new();
        for alert in engine.alerts() {
            if !is_near(engine, &alert.spec, &place) {
                continue;
            }
            let id = alert.spec.id.clone();
            there.insert(id.clone());
            self.alerts.insert(id.clone(), alert.spec.name);
            let raised = alert.active.then_some(LaneState::Raised);
            self.set(LaneKey::Alert(id), raised);
        }
        let gone: Vec<AlertId> = { self.alerts.keys() }
            .filter(|id| !there.contains(*id))
            .cloned()
            .collect();
        for id in gone {
            self.set(LaneKey::Alert(id), None);
        }
    }
}

/// Whether an alert looks at a place, what lies in it or what it lies in.
fn is_near(engine: &Engine, alert: &AlertSpec, place: &ScopeSpec) -> bool {
    let farm = ScopeSpec::farm();
    let own = alert.scope.as_ref().unwrap_or(&farm);
    engine.overlap(own, place)
}

/// The devices that stand in a polyhouse or in a zone of it.
fn devices_in(engine: &Engine, house: &PolyhouseId) -> Vec<DeviceId> {
    let devices = { engine.state.devices.iter() }.map(|(_, d)| &d.spec);
    let there = devices.filter(|d| engine.house_of(&d.scope) == Some(house));
    there.map(|d| d.id.clone()).collect()
}
