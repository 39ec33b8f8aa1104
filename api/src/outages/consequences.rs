//! What came of an outage, as the log tells: what was missed, what ended, and what was sent again when it was over.

use std::collections::BTreeSet;

use harit_engine::Timestamp;
use harit_ingest::CommandState;
use harit_ingest::log::{LogEntry, LogFilter, LogKind};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{Outage, OutageKind, PAGE};
use crate::access::FarmAccess;
use crate::error::ApiError;

/// What was sent within this time after an outage was sent because of it.
const AFTER_MS: i64 = 60_000;
/// A command on its way when it began may have been given up because of it.
const BEFORE_MS: i64 = 120_000;
/// So many pages of the log are read of one outage, the latest first.
const MAX_PAGES: u64 = 5;
/// So many consequences of one outage are told; further ones are counted.
const MAX_TOLD: usize = 50;

/// What became of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = OutageConsequenceKind)]
pub(crate) enum ConsequenceKind {
    /// It was not done: a start, a command, an action.
    Missed,
    /// It ended: a rule's run, manual control, a device that was on for too long.
    Ended,
    /// It was sent again, or was made up for, when the outage was over.
    Resumed,
}

/// A consequence of an outage.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Consequence {
    pub(crate) kind: ConsequenceKind,
    pub(crate) entry: LogEntry,
}

/// What came of an outage, oldest first, and how much more than is told.
pub(crate) async fn consequences<N>(
    access: &FarmAccess<N>,
    outage: &Outage,
) -> Result<(Vec<Consequence>, usize), ApiError> {
    let (from, to) = window(outage);
    let devices: BTreeSet<&str> = outage.devices.iter().map(String::as_str).collect();
    let mut all = Vec::new();
    for page in 0..MAX_PAGES {
        let filter = LogFilter {
            from: Some(Timestamp::from_millis(from)),
            to: to.map(Timestamp::from_millis),
            skip: page * PAGE as u64,
            take: PAGE,
            ..LogFilter::default()
        };
        let found = access.log(filter).await?.entries;
        let last = found.len() < PAGE;
        all.extend(found.into_iter().filter_map(|entry| {
            let kind = of(&entry, outage, &devices)?;
            Some(Consequence { kind, entry })
        }));
        if last {
            break;
        }
    }
    all.sort_by_key(|c| (c.entry.at, c.entry.id));
    all.dedup_by_key(|c| c.entry.id);
    let more = all.len().saturating_sub(MAX_TOLD);
    all.truncate(MAX_TOLD);
    Ok((all, more))
}

/// In which time entries may be consequences.
fn window(outage: &Outage) -> (i64, Option<i64>) {
    let until = outage.until.map(|until| match outage.kind {
        // what came due in an outage of the server is done in the instant in which it works again
        OutageKind::Server => until,
        OutageKind::Controller | OutageKind::Power => until + AFTER_MS,
    });
    (outage.from - BEFORE_MS, until)
}

/// Which consequence of an outage an entry is, if it is one.
fn of(entry: &LogEntry, outage: &Outage, devices: &BTreeSet<&str>) -> Option<ConsequenceKind> {
    let at = entry.at.as_millis();
    let is_over = outage.until.is_some_and(|until| at >= until);
    match outage.kind {
        OutageKind::Server if is_over => of_resuming(entry),
        OutageKind::Server => ran_out(entry).then_some(ConsequenceKind::Missed),
        OutageKind::Controller if !concerns(entry, devices) => None,
        OutageKind::Controller if is_over => sent_again(entry).then_some(ConsequenceKind::Resumed),
        OutageKind::Controller if at < outage.from => {
            ran_out(entry).then_some(ConsequenceKind::Missed)
        }
        OutageKind::Controller => while_away(entry),
        OutageKind::Power if at < outage.from => None,
        OutageKind::Power => for_hours(entry, is_over),
    }
}

/// Of what was said when the server worked again.
fn of_resuming(entry: &LogEntry) -> Option<ConsequenceKind> {
    match entry.body.kind {
        LogKind::StartSkipped
        | LogKind::ActionMissed
        | LogKind::PulseSuppressed
        | LogKind::RuleBlocked => Some(ConsequenceKind::Missed),
        LogKind::RuleStopped | LogKind::ManualEnded | LogKind::Locked | LogKind::SensorStale => {
            Some(ConsequenceKind::Ended)
        }
        LogKind::RuleFired => Some(ConsequenceKind::Resumed),
        _ => sent_again(entry).then_some(ConsequenceKind::Resumed),
    }
}

/// Of what happened while a controller could not be reached.
fn while_away(entry: &LogEntry) -> Option<ConsequenceKind> {
    let is = |fact: &str| entry.body.facts.get(fact).and_then(Value::as_str) == Some("offline");
    match entry.body.kind {
        LogKind::PulseSuppressed if is("reason") => Some(ConsequenceKind::Missed),
        // it wanted the device, and nothing was sent
        LogKind::RuleFired if entry.body.orders.is_empty() => Some(ConsequenceKind::Missed),
        LogKind::ManualEnded | LogKind::Locked => Some(ConsequenceKind::Ended),
        _ => (is("refused") || ran_out(entry)).then_some(ConsequenceKind::Missed),
    }
}

/// Of what limits by hours with power did.
fn for_hours(entry: &LogEntry, is_over: bool) -> Option<ConsequenceKind> {
    let by_hours = entry.body.facts.get("reason").and_then(Value::as_str) == Some("hours");
    match entry.body.kind {
        LogKind::LimitReached if by_hours => Some(ConsequenceKind::Ended),
        LogKind::CommandHeld | LogKind::PulseSuppressed if by_hours && !is_over => {
            Some(ConsequenceKind::Missed)
        }
        _ => None,
    }
}

/// Whether an entry is about one of these devices.
fn concerns(entry: &LogEntry, devices: &BTreeSet<&str>) -> bool {
    let body = &entry.body;
    let own = body.device.iter().map(|d| d.name.as_str());
    let mut all = own.chain(body.orders.iter().map(|o| o.device.name.as_str()));
    all.any(|name| devices.contains(name))
}

/// Whether a command of it was given up.
fn ran_out(entry: &LogEntry) -> bool {
    let given_up = |state| matches!(state, CommandState::TimedOut | CommandState::Failed);
    entry.states.iter().any(|order| given_up(order.state))
}

/// Whether it is what holds for a device, sent to it again.
fn sent_again(entry: &LogEntry) -> bool {
    !entry.body.orders.is_empty()
        && matches!(
            entry.body.kind,
            LogKind::RuleCommand
                | LogKind::RestCommand
                | LogKind::SafeCommand
                | LogKind::Override
                | LogKind::Corrected
                | LogKind::CommandHeld
        )
}

#[cfg(test)]
mod tests {
    use harit_ingest::log::{LogOrder, Named, OrderState};
    use serde_json::json;

    use super::super::tests::entry;
    use super::ConsequenceKind::{Ended, Missed, Resumed};
    use super::*;

    fn with(kind: LogKind, at: i64, facts: &Value, order: Option<CommandState>) -> LogEntry {
        let mut entry = entry(kind, at, Some("Fan"));
        entry.body.facts = facts.as_object().unwrap().clone();
        if let Some(state) = order {
            entry.body.orders.push(LogOrder {
                command_id: "c".into(),
                device: Named::new("Fan", "Fan"),
                action: "on".into(),
                value: None,
            });
            entry.states.push(OrderState {
                command_id: "c".into(),
                state,
                message: None,
            });
        }
        entry
    }

    #[test]
    fn of_the_server_it_is_what_came_due_and_what_is_sent_again() {
        let outage = Outage::new(OutageKind::Server, None, 1_000_000, Some(2_000_000));
        let (none, sent) = (json!({}), Some(CommandState::Confirmed));
        let given_up = Some(CommandState::TimedOut);
        for (kind, at, order, expected) in [
            (LogKind::StartSkipped, 2_000_000, None, Some(Missed)),
            (LogKind::ActionMissed, 2_000_000, None, Some(Missed)),
            (LogKind::ManualEnded, 2_000_000, None, Some(Ended)),
            (LogKind::RuleFired, 2_000_000, sent, Some(Resumed)),
            (LogKind::RuleCommand, 2_000_000, sent, Some(Resumed)),
            (LogKind::Override, 2_000_000, sent, Some(Resumed)),
            (LogKind::AlertRaised, 2_000_000, None, None),
            (LogKind::RuleFired, 950_000, given_up, Some(Missed)),
            (LogKind::RuleFired, 950_000, sent, None),
        ] {
            let entry = with(kind, at, &none, order);
            assert_eq!(
                of(&entry, &outage, &BTreeSet::new()),
                expected,
                "{kind:?} at {at}"
            );
        }
    }

    #[test]
    fn of_a_controller_it_is_what_concerns_its_devices() {
        let named = Some(Named::new("M", "North"));
        let outage = Outage::new(OutageKind::Controller, named, 1_000_000, Some(2_000_000));
        let devices = BTreeSet::from(["Fan"]);
        let sent = Some(CommandState::Confirmed);
        let refused = json!({"action": "on", "refused": "offline"});
        for (entry, expected) in [
            (
                with(LogKind::Override, 1_500_000, &refused, None),
                Some(Missed),
            ),
            (
                with(
                    LogKind::PulseSuppressed,
                    1_500_000,
                    &json!({"reason": "offline"}),
                    None,
                ),
                Some(Missed),
            ),
            (
                with(
                    LogKind::PulseSuppressed,
                    1_500_000,
                    &json!({"reason": "on"}),
                    None,
                ),
                None,
            ),
            (
                with(LogKind::RuleFired, 1_500_000, &json!({}), None),
                Some(Missed),
            ),
            (
                with(LogKind::RuleStopped, 1_500_000, &json!({}), None),
                None,
            ),
            (
                with(LogKind::RuleCommand, 2_000_500, &json!({}), sent),
                Some(Resumed),
            ),
        ] {
            assert_eq!(of(&entry, &outage, &devices), expected, "{entry:?}");
            assert_eq!(of(&entry, &outage, &BTreeSet::from(["Pump"])), None);
        }
    }

    #[test]
    fn without_power_it_is_what_its_hours_held() {
        let outage = Outage::new(OutageKind::Power, None, 1_000_000, Some(2_000_000));
        let hours = json!({"reason": "hours"});
        let of = |kind, at| {
            let entry = with(kind, at, &hours, None);
            super::of(&entry, &outage, &BTreeSet::new())
        };
        assert_eq!(of(LogKind::LimitReached, 1_000_000), Some(Ended));
        assert_eq!(of(LogKind::CommandHeld, 1_100_000), Some(Missed));
        assert_eq!(of(LogKind::CommandHeld, 2_000_100), None);
        assert_eq!(of(LogKind::LimitReached, 900_000), None);
    }
}
