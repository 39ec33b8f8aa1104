//! Water without an end, and doses without rests.

use super::fold::{Folded, Plan};
use super::{Case, Hazard, HazardKind, MANY_DOSED, WITHOUT_RESTS};
use crate::device_type::DeviceType;
use crate::document::{ActionSpec, DeviceSpec};
use crate::engine::Engine;
use crate::event::{Event, EventKind};
use crate::id::DeviceId;
use crate::setting::{Order, SentOrder};
use crate::time::{Duration, Timestamp};

const DAY: Duration = Duration::from_secs(86_400);
const HOUR: Duration = Duration::from_secs(3_600);

/// The first device that lets water run, that the rule switches on, and that nothing switches off: no limit, no end of the run, no stop
/// condition; as long as it is read what starts the rule.
pub(super) fn flood(case: &Case<'_>) -> Option<Hazard> {
    if case.rule.run.is_some() || case.rule.stop_condition.is_some() {
        return None;
    }
    let endless = case
        .settings(&case.rule)
        .into_iter()
        .filter(|(action, setting)| {
            let device = case.engine.device_ref(action.device_id.as_str());
            setting.is_on() && action.lasts.is_none() && device.is_some_and(|d| runs_on(d.spec))
        });
    let mut endless = endless.map(|(action, _)| &action.device_id);
    endless.find_map(|device| {
        let example = still_on(case, device)?;
        let device = device.clone();
        let kind = HazardKind::Flood { device };
        Some(Hazard { kind, example })
    })
}

/// Whether water runs through it, and nothing of its own ends that.
fn runs_on(device: &DeviceSpec) -> bool {
    let budget = device.limits.as_ref().is_some_and(|l| l.has_budget());
    device.device_type.moves_water() && device.max_on.is_none() && !budget
}

/// What shows that a device is on for a day without a break.
fn still_on(case: &Case<'_>, device: &DeviceId) -> Option<super::Example> {
    let on_for = |engine: &Engine| {
        let since = engine.device(device.as_str())?.on_since?;
        Some(engine.clock()? - since)
    };
    watched(case, HOUR + DAY + DAY, &mut |engine, _| {
        on_for(engine).is_some_and(|on| on >= DAY)
    })
    .filter(|folded| folded.stopped)
    .map(|folded| folded.example)
}

/// Folds the rule while its conditions are true, until `watch` says so; else the last that was folded.
fn watched(
    case: &Case<'_>,
    after: Duration,
    watch: &mut dyn FnMut(&Engine, &[Event]) -> bool,
) -> Option<Folded> {
    let mut excerpt = case.excerpt(&[]);
    let goal = excerpt.running(&case.rule);
    let plan = Plan {
        after,
        ..Plan::default()
    };
    let mut shown = None;
    excerpt.search(&goal, false, &mut |situation| {
        shown = excerpt.fold(case, situation, &plan, watch);
        shown.as_ref().is_some_and(|f| f.stopped)
    });
    shown
}

/// The first dosing pump that doses for more than some minutes of an hour, as long as it is read what starts the rule, with no budget to
/// end that.
pub(super) fn dosing(case: &Case<'_>) -> Option<Hazard> {
    let doses = |action: &&ActionSpec| {
        let device = case.engine.device_ref(action.device_id.as_str());
        let budget = |d: &DeviceSpec| d.limits.as_ref().is_some_and(|l| l.has_budget());
        let unbound = |d: &DeviceSpec| d.device_type == DeviceType::DosingPump && !budget(d);
        let off = |order: Order| matches!(order, Order::Set(s) if !s.is_on());
        let order = Order::compile(&action.command);
        device.is_some_and(|d| unbound(d.spec)) && !order.is_ok_and(off)
    };
    let actions = case.rule.actions.iter().filter(doses);
    let mut devices = actions.map(|action| &action.device_id);
    devices.find_map(|device| {
        let mut doses = Doses::default();
        let folded = watched(case, HOUR, &mut |engine, events| {
            // The first input is that of another situation.
            if engine.clock().is_some_and(|now| doses.seen > Some(now)) {
                doses = Doses::default();
            }
            doses.seen = engine.clock();
            events.iter().for_each(|event| doses.hear(device, event));
            doses
                .seen
                .is_some_and(|now| doses.secs(now) > WITHOUT_RESTS)
        })?;
        let example = folded.example;
        let secs = doses.secs(example.at);
        if secs <= MANY_DOSED {
            return None;
        }
        let device = device.clone();
        let kind = HazardKind::Dosing { device, secs };
        Some(Hazard { kind, example })
    })
}

/// When a pump dosed.
#[derive(Default)]
struct Doses {
    done: Vec<(Timestamp, Timestamp)>,
    since: Option<Timestamp>,
    /// Until when one has watched.
    seen: Option<Timestamp>,
}

impl Doses {
    fn hear(&mut self, device: &DeviceId, event: &Event) {
        let EventKind::Command(command) = &event.kind else {
            return;
        };
        if command.device() != device {
            return;
        }
        match command.order() {
            SentOrder::Set(setting) if setting.is_on() => {
                self.since.get_or_insert(event.at);
            }
            SentOrder::Set(_) | SentOrder::Release => {
                let since = self.since.take();
                self.done.extend(since.map(|since| (since, event.at)));
            }
            SentOrder::Pulse { secs } => {
                let until = event.at + Duration::from_secs(secs.into());
                self.done.push((event.at, until));
            }
        }
    }

    /// How many seconds of the last hour it dosed.
    fn secs(&self, now: Timestamp) -> i64 {
        let open = self.since.map(|since| (since, now));
        let all = self.done.iter().copied().chain(open);
        let within = all.map(|(from, to)| to.min(now) - from.max(now - HOUR));
        { within.map(|d| d.as_secs().max(0)) }.sum()
    }
}
