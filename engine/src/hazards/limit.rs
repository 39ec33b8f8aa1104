//! What a limit of a machine always stands against.

use super::fold::{Folded, Plan};
use super::form::Form;
use super::search::{Found, Situation};
use super::{Case, Example, Hazard, HazardKind, Limit};
use crate::document::{ActionSpec, DeviceSpec, LimitsSpec, RuleSpec};
use crate::engine::Engine;
use crate::event::{Event, EventKind, LimitReason, SuppressReason};
use crate::id::DeviceId;
use crate::setting::Order;
use crate::time::Duration;

/// As many actions are looked at.
const MAX_ACTIONS: usize = 8;
/// As long one watches a schedule's starts, and a run beyond that.
const STARTS: Duration = Duration::from_secs(4 * 3_600);
const DAY: Duration = Duration::from_secs(86_400);

/// What stands against the rule's actions.
pub(super) fn limited(case: &Case<'_>) -> Vec<Hazard> {
    let mut found: Vec<Hazard> = Vec::new();
    for action in case.rule.actions.iter().take(MAX_ACTIONS) {
        let Some(device) = case.engine.device_ref(action.device_id.as_str()) else {
            continue;
        };
        let on = Order::compile(&action.command).is_ok_and(switches_on);
        if on && (device.spec.limits.is_some() || device.spec.max_on.is_some()) {
            for hazard in of_action(case, action, device.spec) {
                if !found.iter().any(|known| known.kind == hazard.kind) {
                    found.push(hazard);
                }
            }
        }
    }
    found
}

fn switches_on(order: Order) -> bool {
    match order {
        Order::On | Order::Pulse { .. } => true,
        Order::Set(setting) => setting.is_on(),
    }
}

/// How long the action lasts at most, as far as the rule says.
fn length(rule: &RuleSpec, action: &ActionSpec) -> Option<Duration> {
    match Order::compile(&action.command) {
        Ok(Order::Pulse { secs }) => Some(Duration::from_secs(secs.into())),
        _ => {
            let left = rule.run.map(|run| run - action.delay);
            action.lasts.into_iter().chain(left).min()
        }
    }
}

fn of_action(case: &Case<'_>, action: &ActionSpec, device: &DeviceSpec) -> Vec<Hazard> {
    let limits = device.limits.as_deref();
    let run = length(&case.rule, action);
    let by_clock = case.rule.trigger.when().is_none();
    let mut wanted = Vec::new();
    let has_hours = !case.excerpt(&[]).hours_of(&device.id).is_empty();
    if has_hours && never_allowed(case, &device.id) {
        wanted.push(Limit::Hours);
    } else if limits.is_some_and(|l| l.needs.is_some()) && never_carried(case, device) {
        wanted.push(Limit::Needs);
    } else {
        let over = |most: Option<Duration>| most.zip(run).is_some_and(|(most, run)| run > most);
        if over(device.max_on) {
            wanted.push(Limit::MaxOn);
        }
        if limits
            .zip(run)
            .is_some_and(|(l, run)| is_over(l, action, run))
        {
            wanted.push(Limit::Budget);
        }
        if by_clock && limits.is_some_and(|l| l.min_off.is_some()) {
            wanted.push(Limit::MinOff);
        }
        if by_clock && limits.is_some_and(|l| l.starts_per_hour.is_some()) {
            wanted.push(Limit::Starts);
        }
    }
    let shown = |limit| {
        let example = show(case, action, limit, run)?;
        let device = device.id.clone();
        let kind = HazardKind::Limited { device, limit };
        Some(Hazard { kind, example })
    };
    wanted.into_iter().filter_map(shown).collect()
}

/// Whether one run of an action is more than the budgets of a day.
fn is_over(limits: &LimitsSpec, action: &ActionSpec, run: Duration) -> bool {
    let rate = match action.command.action.as_str() {
        "set_flow_rate" => action.command.value,
        _ => limits.ml_per_sec,
    };
    let flows = rate.map(|r| i128::from(r.as_micro()) * i128::from(run.as_millis()));
    let most = limits
        .ml_per_day
        .map(|most| i128::from(most.as_micro()) * 1_000);
    limits.time_per_day.is_some_and(|most| run > most)
        || flows.zip(most).is_some_and(|(flows, most)| flows > most)
}

/// Whether the rule runs at no hour and reading at which the device may.
fn never_allowed(case: &Case<'_>, device: &DeviceId) -> bool {
    let mut excerpt = case.excerpt(&[]);
    let goal = vec![excerpt.running(&case.rule), excerpt.hours(device)];
    excerpt.search(&Form::All(goal), false, &mut |_| true) == Found::No
}

/// Whether nothing that is active switches on what a device needs while the rule runs, nor is it on by itself.
fn never_carried(case: &Case<'_>, device: &DeviceSpec) -> bool {
    let needs = device.limits.as_ref().and_then(|l| l.needs.as_ref());
    let needed = needs.map(|n| n.any.as_slice()).unwrap_or_default();
    let rests_on = |id: &DeviceId| {
        let device = case.engine.device_ref(id.as_str());
        device.is_some_and(|d| d.spec.rest.is_on())
    };
    if needed.iter().any(rests_on) {
        return false;
    }
    let opens = |rule: &RuleSpec| {
        let mut all = case.settings(rule).into_iter();
        all.any(|(action, setting)| setting.is_on() && needed.contains(&action.device_id))
    };
    if opens(&case.rule) {
        return false;
    }
    { case.others.iter() }
        .filter(|other| opens(other))
        .all(|other| {
            let mut excerpt = case.excerpt(&[other]);
            let goal = vec![excerpt.running(&case.rule), excerpt.running(other)];
            excerpt.search(&Form::All(goal), false, &mut |_| true) == Found::No
        })
}

/// Shows that a limit stands against an action where the rule runs.
fn show(
    case: &Case<'_>,
    action: &ActionSpec,
    limit: Limit,
    run: Option<Duration>,
) -> Option<Example> {
    let device = &action.device_id;
    let mut excerpt = case.excerpt(&[]);
    let goal = excerpt.running(&case.rule);
    let after = match limit {
        Limit::MinOff | Limit::Starts => STARTS + run.unwrap_or_default(),
        _ => run.unwrap_or_default().min(DAY) + Duration::from_secs(120),
    };
    let lead = excerpt.lead()?;
    let plan = Plan {
        after: after + lead,
        ..Plan::default()
    };
    let mut shown = None;
    excerpt.search(&goal, false, &mut |situation: &Situation| {
        let mut ran = false;
        let folded = excerpt.fold(case, situation, &plan, &mut |engine: &Engine, events| {
            let stands = events
                .iter()
                .any(|e| stands_against(case, device, limit, e));
            ran |= engine
                .device(device.as_str())
                .is_some_and(|d| d.on_since.is_some());
            // What is never allowed must be held from its first start on; the others come to it later.
            stands && !(matches!(limit, Limit::Hours | Limit::Needs) && ran)
        });
        shown = folded
            .filter(|f| f.stopped)
            .map(|Folded { example, .. }| example);
        shown.is_some()
    });
    shown
}

/// Whether an event says that a limit stands against the rule at a device.
fn stands_against(case: &Case<'_>, device: &DeviceId, limit: Limit, event: &Event) -> bool {
    let held = |reason| match limit {
        Limit::Hours => reason == LimitReason::Hours,
        Limit::Needs => reason == LimitReason::Needs,
        Limit::Budget => reason == LimitReason::Budget,
        Limit::MinOff => reason == LimitReason::MinOff,
        Limit::Starts => reason == LimitReason::Starts,
        Limit::MaxOn => false,
    };
    match &event.kind {
        EventKind::CommandHeld {
            device: of,
            reason,
            cause,
        } => of == device && held(*reason) && cause.as_str() == case.rule.id.as_str(),
        EventKind::LimitReached { device: of, reason } => of == device && held(*reason),
        EventKind::CommandSuppressed {
            device: of,
            rule,
            reason,
        } => {
            let of_rule = of == device && *rule == case.rule.id;
            of_rule
                && matches!(
                    (limit, reason),
                    (Limit::Hours, SuppressReason::Hours)
                        | (Limit::Needs, SuppressReason::Needs)
                        | (Limit::Budget, SuppressReason::Budget)
                        | (Limit::MinOff, SuppressReason::MinOff)
                        | (Limit::Starts, SuppressReason::Starts)
                )
        }
        EventKind::DeviceLocked { device: of, reason } => {
            limit == Limit::MaxOn && of == device && &**reason == crate::lock::MAX_ON
        }
        _ => false,
    }
}
