//! What a day's log tells: what rules, alerts and people did, and who could not be reached.

use std::collections::BTreeMap;

use harit_ingest::log::{LogEntry, LogKind, LogResult, Named};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::minutes::Span;
use crate::audit::Action;

/// A rule that did something.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterRule)]
pub(crate) struct RuleDeeds {
    id: String,
    /// By its name of then.
    name: String,
    #[schema(required)]
    polyhouse_id: Option<String>,
    /// How often it fired.
    fired: usize,
    /// How often it could not start.
    blocked: usize,
    /// The longest time that it ran, within the day.
    #[schema(required)]
    longest: Option<Span>,
    /// Whether it runs still.
    runs: bool,
    first_at: i64,
}

/// An alert that was raised, or raised still from a day before.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterAlert)]
pub(crate) struct AlertDeeds {
    id: String,
    name: String,
    #[schema(required)]
    polyhouse_id: Option<String>,
    /// How often it was raised on the day.
    raised: usize,
    /// Whether it was raised at the end of what is told.
    still: bool,
    /// For how many seconds of the day it was raised.
    raised_sec: i64,
    first_at: i64,
}

/// What a person did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterPerson)]
pub(crate) struct PersonDeeds {
    #[serde(skip)]
    id: String,
    name: String,
    /// Commands to devices, refused ones included.
    commands: usize,
    /// Those of them that came to nothing.
    failed: usize,
    stops: usize,
    /// Locks put on and opened.
    locks: usize,
    /// Tasks that were closed.
    tasks: usize,
    /// What was added, changed and deleted.
    changes: usize,
}

/// A controller that could not be reached for a while.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LetterAway)]
pub(crate) struct Away {
    mac: String,
    name: String,
    times: usize,
    /// For how many seconds of the day.
    away_sec: i64,
    still: bool,
    first_at: i64,
}

/// What happened on a day.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Happened {
    pub(crate) rules: Vec<RuleDeeds>,
    pub(crate) alerts: Vec<AlertDeeds>,
    pub(crate) people: Vec<PersonDeeds>,
    pub(crate) away: Vec<Away>,
    /// How often sensors fell silent; those that fell together count each.
    pub(crate) fell_silent: u64,
}

/// Something that begins and ends, over a day.
struct Course {
    name: String,
    house: Option<String>,
    begun: usize,
    blocked: usize,
    spans: Vec<Span>,
    open: Option<i64>,
    first_at: i64,
    /// Whether an end was seen of what began before the day.
    seen: bool,
}

#[derive(Default)]
struct Courses(BTreeMap<String, Course>);

impl Courses {
    fn of(&mut self, named: &Named, entry: &LogEntry) -> &mut Course {
        let house = entry.body.scope.as_ref();
        let house = house.and_then(|s| s.polyhouse_id.as_ref());
        let course = self.0.entry(named.id.clone()).or_insert_with(|| Course {
            name: String::new(),
            house: None,
            begun: 0,
            blocked: 0,
            spans: Vec::new(),
            open: None,
            first_at: entry.at.as_millis(),
            seen: false,
        });
        course.name.clone_from(&named.name);
        course.house = house.map(ToString::to_string).or(course.house.take());
        course
    }

    fn begins(&mut self, named: &Named, entry: &LogEntry) {
        let course = self.of(named, entry);
        course.begun += 1;
        course.seen = true;
        course.open.get_or_insert(entry.at.as_millis());
    }

    /// Ends what is open; what was begun on no known day began before this one.
    fn ends(&mut self, named: &Named, entry: &LogEntry, day: Span) {
        let course = self.of(named, entry);
        let until = entry.at.as_millis();
        let from = course.open.take().or((!course.seen).then_some(day.from));
        course.seen = true;
        course.spans.extend(from.map(|from| Span { from, until }));
    }
}

impl Courses {
    /// What has been so for the whole day has no entry in its log.
    fn goes_on(&mut self, open: &[Named], day: Span) {
        for named in open {
            self.0.entry(named.id.clone()).or_insert_with(|| Course {
                name: named.name.clone(),
                house: None,
                begun: 0,
                blocked: 0,
                spans: Vec::new(),
                open: Some(day.from),
                first_at: day.from,
                seen: true,
            });
        }
    }
}

impl Course {
    /// Ends what is open where the day's telling ends; says whether something was.
    fn close(&mut self, day: Span) -> bool {
        let open = self.open.take();
        let span = open.map(|from| Span {
            from,
            until: day.until,
        });
        self.spans.extend(span);
        open.is_some()
    }

    fn longest(&self) -> Option<Span> {
        let mut spans = self.spans.iter().copied();
        let first = spans.next()?;
        Some(spans.fold(first, |a, b| if b.seconds() > a.seconds() { b } else { a }))
    }

    fn total(&self) -> i64 {
        self.spans.iter().map(|s| s.seconds()).sum()
    }
}

/// The alerts that are raised and the rules that run where the telling ends: one of which the day's log has nothing has been
/// so since before the day.
#[derive(Debug, Clone, Default)]
pub(super) struct Open {
    pub(super) alerts: Vec<Named>,
    pub(super) rules: Vec<Named>,
}

/// Reads a day's entries, oldest first.
pub(super) fn read(entries: &[LogEntry], day: Span, open: &Open) -> Happened {
    let (mut rules, mut alerts, mut away) =
        (Courses::default(), Courses::default(), Courses::default());
    let mut people: BTreeMap<String, PersonDeeds> = BTreeMap::new();
    let mut fell_silent = 0;
    for entry in entries {
        let body = &entry.body;
        let alert =
            || -> Option<Named> { serde_json::from_value(body.facts.get("alert")?.clone()).ok() };
        match (body.kind, &body.rule, &body.device) {
            (LogKind::RuleFired, Some(rule), _) => rules.begins(rule, entry),
            (LogKind::RuleStopped, Some(rule), _) => rules.ends(rule, entry, day),
            (LogKind::RuleBlocked, Some(rule), _) => rules.of(rule, entry).blocked += 1,
            (LogKind::ControllerOffline, _, Some(c)) => away.begins(c, entry),
            (LogKind::ControllerOnline, _, Some(c)) => away.ends(c, entry, day),
            (LogKind::AlertRaised, ..) => {
                if let Some(alert) = alert() {
                    alerts.begins(&alert, entry);
                }
            }
            (LogKind::AlertResolved, ..) => {
                if let Some(alert) = alert() {
                    alerts.ends(&alert, entry, day);
                }
            }
            (LogKind::SensorStale, ..) => {
                let count = body.facts.get("count").and_then(Value::as_u64);
                fell_silent += count.unwrap_or(1);
            }
            _ => {}
        }
        if let Some(user) = &body.user {
            let person = people.entry(user.id.clone()).or_default();
            person.id.clone_from(&user.id);
            person.name.clone_from(&user.name);
            person.count(entry);
        }
    }
    people.retain(|_, p| p.did_something());
    alerts.goes_on(&open.alerts, day);
    rules.goes_on(&open.rules, day);
    Happened {
        rules: in_order(
            rules.0.into_iter().map(|(id, mut c)| {
                let runs = c.close(day);
                RuleDeeds {
                    longest: c.longest(),
                    id,
                    name: c.name,
                    polyhouse_id: c.house,
                    fired: c.begun,
                    blocked: c.blocked,
                    runs,
                    first_at: c.first_at,
                }
            }),
            |r| r.first_at,
        ),
        alerts: in_order(
            alerts.0.into_iter().map(|(id, mut c)| {
                let still = c.close(day);
                AlertDeeds {
                    raised_sec: c.total(),
                    id,
                    name: c.name,
                    polyhouse_id: c.house,
                    raised: c.begun,
                    still,
                    first_at: c.first_at,
                }
            }),
            |a| a.first_at,
        ),
        people: in_order(people.into_values(), |p| p.name.clone()),
        away: in_order(
            away.0.into_iter().map(|(mac, mut c)| {
                let still = c.close(day);
                Away {
                    away_sec: c.total(),
                    mac,
                    name: c.name,
                    times: c.spans.len(),
                    still,
                    first_at: c.first_at,
                }
            }),
            |a| a.first_at,
        )
        .into_iter()
        // one that came for the first time was away from nothing
        .filter(|a| a.times > 0)
        .collect(),
        fell_silent,
    }
}

fn in_order<T, K: Ord>(all: impl Iterator<Item = T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_by_key(key);
    all
}

impl PersonDeeds {
    fn count(&mut self, entry: &LogEntry) {
        match entry.body.kind {
            LogKind::Override | LogKind::Pulse | LogKind::Release => {
                self.commands += 1;
                self.failed += usize::from(entry.result == LogResult::Failure);
            }
            LogKind::Stopped => self.stops += 1,
            LogKind::Locked | LogKind::Unlocked => self.locks += 1,
            LogKind::Record => self.record(&entry.body.facts),
            _ => {}
        }
    }

    fn record(&mut self, facts: &serde_json::Map<String, Value>) {
        let word = facts.get("action").and_then(Value::as_str);
        match word.and_then(Action::parse) {
            Some(Action::TaskMoved) => {
                let closed = facts.get("to").and_then(Value::as_str) == Some("CLOSED");
                self.tasks += usize::from(closed);
            }
            Some(
                Action::Of(..)
                | Action::RuleEnabled
                | Action::RuleDisabled
                | Action::RuleDeployed
                | Action::RuleWithdrawn
                | Action::AlertEnabled
                | Action::AlertDisabled
                | Action::DeviceChanged
                | Action::DeviceLimited
                | Action::EffectSet
                | Action::SensorChanged
                | Action::DeviceRemoved
                | Action::SensorRemoved
                | Action::AssetRegistered
                | Action::ControllerRenamed
                | Action::ControllerRemoved,
            ) => self.changes += 1,
            _ => {}
        }
    }

    fn did_something(&self) -> bool {
        self.commands + self.stops + self.locks + self.tasks + self.changes > 0
    }
}

#[cfg(test)]
mod tests {
    use harit_engine::Timestamp;
    use harit_ingest::log::{LogBody, LogType};
    use serde_json::json;

    use super::*;

    const DAY: Span = Span {
        from: 1_000_000,
        until: 2_000_000,
    };

    fn entry(kind: LogKind, at: i64) -> LogEntry {
        LogEntry {
            id: at,
            at: Timestamp::from_millis(at),
            log_type: LogType::Other,
            result: LogResult::Success,
            body: LogBody::new(kind),
            states: Vec::new(),
        }
    }

    fn of_rule(kind: LogKind, at: i64) -> LogEntry {
        let mut entry = entry(kind, at);
        entry.body.rule = Some(Named::new("r", "Cool"));
        entry
    }

    fn by(kind: LogKind, user: &str, facts: Value) -> LogEntry {
        let mut entry = entry(kind, 1_500_000);
        entry.body.user = Some(Named::new(user, user));
        entry.body.facts = facts.as_object().cloned().unwrap_or_default();
        entry
    }

    #[test]
    fn a_rule_that_ran_over_midnight_is_counted_from_midnight() {
        let entries = [
            of_rule(LogKind::RuleStopped, 1_400_000),
            of_rule(LogKind::RuleFired, 1_500_000),
            of_rule(LogKind::RuleStopped, 1_600_000),
            of_rule(LogKind::RuleFired, 1_900_000),
        ];
        let rules = read(&entries, DAY, &Open::default()).rules;
        let longest = Some(Span {
            from: DAY.from,
            until: 1_400_000,
        });
        assert_eq!(
            (rules.len(), rules[0].fired, rules[0].longest),
            (1, 2, longest)
        );
        assert!(rules[0].runs);
        // a rule that has run since the day before has no entry at all
        let open = Open {
            rules: vec![Named::new("r", "Cool")],
            ..Open::default()
        };
        let rules = read(&[], DAY, &open).rules;
        assert_eq!(
            (rules[0].fired, rules[0].longest, rules[0].runs),
            (0, Some(DAY), true)
        );
    }

    #[test]
    fn an_end_that_is_told_twice_is_no_second_time() {
        let of = |kind, at| {
            let mut entry = entry(kind, at);
            entry.body.device = Some(Named::new("M", "North"));
            entry
        };
        let entries = [
            of(LogKind::ControllerOnline, 1_100_000),
            of(LogKind::ControllerOnline, 1_200_000),
            of(LogKind::ControllerOffline, 1_300_000),
            of(LogKind::ControllerOffline, 1_350_000),
            of(LogKind::ControllerOnline, 1_400_000),
        ];
        let away = read(&entries, DAY, &Open::default()).away;
        assert_eq!(
            (away[0].times, away[0].away_sec, away[0].still),
            (2, 200, false)
        );
    }

    #[test]
    fn what_people_did_is_counted_by_kind_and_signing_in_is_no_deed() {
        let entries = [
            by(LogKind::Override, "Asha", json!({})),
            by(LogKind::Stopped, "Asha", json!({})),
            by(
                LogKind::Record,
                "Asha",
                json!({"action": "task_moved", "to": "CLOSED"}),
            ),
            by(
                LogKind::Record,
                "Asha",
                json!({"action": "task_moved", "to": "OPEN"}),
            ),
            by(LogKind::Record, "Asha", json!({"action": "rule_changed"})),
            by(LogKind::Record, "Ravi", json!({"action": "sign_in"})),
        ];
        let people = read(&entries, DAY, &Open::default()).people;
        let asha = PersonDeeds {
            id: "Asha".into(),
            name: "Asha".into(),
            commands: 1,
            failed: 0,
            stops: 1,
            locks: 0,
            tasks: 1,
            changes: 1,
        };
        assert_eq!(people, [asha]);
    }

    #[test]
    fn alerts_and_silent_sensors_are_told() {
        let mut raised = entry(LogKind::AlertRaised, 1_200_000);
        raised
            .body
            .facts
            .insert("alert".into(), json!({"id": "a", "name": "Hot"}));
        let mut resolved = entry(LogKind::AlertResolved, 1_700_000);
        resolved.body.facts = raised.body.facts.clone();
        let mut silent = entry(LogKind::SensorStale, 1_800_000);
        silent.body.facts.insert("count".into(), json!(3));
        let open = Open {
            alerts: vec![Named::new("b", "Acid")],
            ..Open::default()
        };
        let happened = read(&[raised, resolved, silent], DAY, &open);
        assert_eq!(happened.fell_silent, 3);
        let told: Vec<_> = (happened.alerts.iter())
            .map(|a| (a.name.as_str(), a.raised, a.still, a.raised_sec))
            .collect();
        assert_eq!(told, [("Acid", 0, true, 1_000), ("Hot", 1, false, 500)]);
    }
}
