//! A rule that never wins: another one, which is stronger, is there first whenever it starts, and stays for as long.
//!
//! It is so if, whatever is read and whatever is not known, the stronger one's trigger is true where the weaker one's is and does not
//! end before it, its holds are no longer to start and no shorter to end, and no sample counts for the weaker one alone.

use std::collections::BTreeSet;

use super::Case;
use super::excerpt::Excerpt;
use super::form::{FALSE, Form, TRUE, UNKNOWN};
use super::search::Found;
use crate::document::{NodeKind, NodeSpec, OnSignalLost, RuleSpec, WhenSpec};
use crate::id::DeviceId;
use crate::rule::clear_after;
use crate::time::Duration;
use crate::truth::Truth;

/// Whether the stronger rule has the device whenever the weaker one claims it.
pub(super) fn never_wins(
    case: &Case<'_>,
    weak: &RuleSpec,
    strong: &RuleSpec,
    device: &DeviceId,
) -> bool {
    let rank = |rule: &RuleSpec| (rule.priority, rule.scope.kind);
    let simple = [weak, strong].iter().all(|rule| is_simple(rule));
    if !simple
        || rank(strong) <= rank(weak)
        || strong.run.is_some()
        || !is_before(case, weak, strong, device)
    {
        return false;
    }
    let holds = |rule: &RuleSpec| {
        let trigger = rule
            .trigger
            .when()
            .map_or(Duration::ZERO, WhenSpec::duration);
        let stop = rule.stop_condition.as_ref().map(WhenSpec::duration);
        (trigger, stop.unwrap_or_else(|| clear_after(trigger)))
    };
    let ((weak_start, weak_end), (start, end)) = (holds(weak), holds(strong));
    if start > weak_start || end < weak_end {
        return false;
    }
    let mut excerpt = case.excerpt(&[weak, strong]);
    let [weak_starts, weak_ends] = [excerpt.trigger(weak), excerpt.end(weak)];
    let [starts, ends] = [excerpt.trigger(strong), excerpt.end(strong)];
    let sensors = |form: &Form| sensors_of(&excerpt, form);
    if !sensors(&starts).is_superset(&sensors(&weak_starts))
        || !sensors(&weak_ends).is_superset(&sensors(&ends))
    {
        return false;
    }
    let goes_on = match weak.on_signal_lost {
        OnSignalLost::Stop => FALSE,
        OnSignalLost::Hold => FALSE | UNKNOWN,
    };
    let both = |a: Form, b: Form| Form::All(vec![a, b]);
    let there = both(starts.clone().is(TRUE), ends.clone().is(FALSE));
    let against = [
        both(weak_starts.clone().is(TRUE), there.not()),
        both(weak_ends.clone().is(goes_on), ends.clone().is(TRUE)),
        both(weak_ends.is(TRUE | goes_on), ends.clone().is(UNKNOWN)),
        // What is true without its signals needs no samples.
        without_signals(&weak_starts).is(TRUE),
        without_signals(&ends).is(TRUE),
    ];
    let never = |goal: &Form| excerpt.search(goal, true, &mut |_| false) == Found::No;
    against.iter().all(never)
}

/// Whether a rule's conditions are as true as their signals, without holds of their own and without other rules.
fn is_simple(rule: &RuleSpec) -> bool {
    let nodes = rule.trees().into_iter().flat_map(NodeSpec::nodes);
    let plain = |n: &NodeSpec| n.hold == Duration::ZERO && !matches!(n.kind, NodeKind::Rule(_));
    rule.trigger.when().is_some() && { nodes }.all(plain)
}

/// Whether the stronger one's claim is there before the weaker one's, and as long as it runs; and goes no sooner.
fn is_before(case: &Case<'_>, weak: &RuleSpec, strong: &RuleSpec, device: &DeviceId) -> bool {
    let of = |rule| {
        let all = case.settings(rule).into_iter().map(|(action, _)| action);
        all.filter(|action| action.device_id == *device)
            .collect::<Vec<_>>()
    };
    let (weak, strong) = (of(weak), of(strong));
    let [one] = strong.as_slice() else {
        return false;
    };
    one.lasts.is_none()
        && weak
            .iter()
            .all(|a| a.delay >= one.delay && a.linger.is_none())
}

/// The sensors whose readings are samples of a condition.
fn sensors_of(excerpt: &Excerpt<'_>, form: &Form) -> BTreeSet<u32> {
    let mut leaves = Vec::new();
    form.leaves(&mut leaves);
    let signals = leaves.iter().filter_map(|leaf| match leaf {
        Form::Compare(n) => Some(excerpt.compares[*n].signal),
        _ => None,
    });
    signals
        .flat_map(|s| excerpt.signals[s].members.iter().copied())
        .collect()
}

/// The formula with all its signals unknown.
fn without_signals(form: &Form) -> Form {
    let all = |of: &[Form]| of.iter().map(without_signals).collect();
    match form {
        Form::Compare(_) => Form::Known(Truth::Unknown),
        Form::All(of) => Form::All(all(of)),
        Form::Any(of) => Form::Any(all(of)),
        Form::Not(of) => without_signals(of).not(),
        Form::Is(of, truths) => without_signals(of).is(*truths),
        other => other.clone(),
    }
}
