//! Two rules that fight: both claim a device, with other settings, at readings that there may be.

use std::collections::BTreeSet;

use super::fold::Plan;
use super::form::Form;
use super::outranked::never_wins;
use super::{Case, Hazard, HazardKind};
use crate::document::RuleSpec;
use crate::engine::Engine;
use crate::id::{DeviceId, RuleId};
use crate::setting::Setting;

/// As many pairs of a device and another rule are looked at.
const MAX_PAIRS: usize = 24;

/// What two rules want of a device, and who gets it.
struct Claims {
    own: Setting,
    others: Setting,
    winner: RuleId,
}

/// All fights of the rule with others.
pub(super) fn fights(case: &Case<'_>) -> Vec<Hazard> {
    let devices: BTreeSet<&DeviceId> = { case.settings(&case.rule).into_iter() }
        .map(|(action, _)| &action.device_id)
        .collect();
    let pairs = devices.into_iter().flat_map(|device| {
        let others = case.others.iter();
        let differs = others.filter(move |other| may_differ(case, other, device));
        differs.map(move |other| (device, other))
    });
    let found = pairs.take(MAX_PAIRS);
    found
        .filter_map(|(device, other)| fight(case, device, other))
        .collect()
}

/// Whether another rule may want something else of a device than the rule.
fn may_differ(case: &Case<'_>, other: &RuleSpec, device: &DeviceId) -> bool {
    let of = |rule| {
        let all = case.settings(rule).into_iter();
        all.filter(|(action, _)| action.device_id == *device)
            .map(|(action, setting)| (setting, action.curve.is_some()))
            .collect::<Vec<_>>()
    };
    let (own, others) = (of(&case.rule), of(other));
    own.iter()
        .any(|a| others.iter().any(|b| a.0 != b.0 || a.1 || b.1))
}

fn fight(case: &Case<'_>, device: &DeviceId, other: &RuleSpec) -> Option<Hazard> {
    let mut excerpt = case.excerpt(&[other]);
    let both = vec![excerpt.running(&case.rule), excerpt.running(other)];
    let mut shown = None;
    excerpt.search(&Form::All(both), false, &mut |situation| {
        let mut claims = None;
        let folded = excerpt.fold(case, situation, &Plan::default(), &mut |engine, _| {
            claims = claimed(engine, device, &case.rule.id, &other.id);
            claims.is_some()
        });
        shown = folded.map(|f| f.example).zip(claims);
        shown.is_some()
    });
    let (example, claims) = shown?;
    let (weak, strong) = if claims.winner == case.rule.id {
        (other, &case.rule)
    } else {
        (&case.rule, other)
    };
    let kind = if never_wins(case, weak, strong, device) {
        HazardKind::NeverWins {
            device: device.clone(),
            rule: weak.id.clone(),
            by: strong.id.clone(),
        }
    } else {
        HazardKind::Fight {
            device: device.clone(),
            other: other.id.clone(),
            own: claims.own,
            others: claims.others,
            winner: claims.winner,
        }
    };
    Some(Hazard { kind, example })
}

/// What both claim of a device, where these are two settings.
fn claimed(engine: &Engine, device: &DeviceId, own: &RuleId, other: &RuleId) -> Option<Claims> {
    let claims = engine.device(device.as_str())?.claims;
    let of = |rule: &RuleId| {
        let mut all = claims.iter();
        all.find(|c| c.rule == rule.as_str()).map(|c| c.setting)
    };
    let (own_setting, others) = (of(own)?, of(other)?);
    (own_setting != others).then(|| {
        let first = claims
            .iter()
            .find(|c| [own, other].iter().any(|r| c.rule == r.as_str()));
        Claims {
            own: own_setting,
            others,
            winner: first.map_or_else(|| own.clone(), |c| RuleId::new(c.rule.as_str())),
        }
    })
}
