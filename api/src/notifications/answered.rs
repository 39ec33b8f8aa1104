//! What is told again although somebody has answered: a snooze that has ended, and an alert that matters more than it did then.
//! Each is told once, while the alert is raised; what was told is remembered with the notifications.

use std::collections::BTreeMap;

use super::levels::{AlertLevel, Changes};
use super::notice::Notice;
use crate::incidents::{self, Answer, IncidentId, Standing};
use crate::records::Told;

/// What was answered to the incidents that are not over.
pub(super) type Answers = BTreeMap<IncidentId, Vec<Answer>>;

const PREFIX: &str = "answered/";

/// Whether a notice is told: that an alert is raised still is not, where somebody has answered it.
pub(super) fn is_told(notice: &Notice, answers: &Answers, now: i64) -> bool {
    let Notice::AlertRepeated { watch, .. } = notice else {
        return true;
    };
    let answers = watch.incident().and_then(|id| answers.get(&id));
    let answers = answers.map_or(&[][..], Vec::as_slice);
    incidents::is_to_be_told(answers, watch.severity, now)
}

/// What is told anew, and what was told then.
pub(super) fn anew(
    alerts: &[AlertLevel],
    answers: &Answers,
    told: &BTreeMap<String, Told>,
    now: i64,
) -> Changes {
    let mut changes = Changes::default();
    for subject in told.keys().filter(|s| s.starts_with(PREFIX)) {
        let raised = |id: IncidentId| subject[PREFIX.len()..] == id.to_string();
        if !(alerts.iter().filter_map(|a| a.watch.incident())).any(raised) {
            changes.forget(subject.clone());
        }
    }
    for alert in alerts {
        let Some(id) = alert.watch.incident() else {
            continue;
        };
        let Some(answers) = answers.get(&id) else {
            continue;
        };
        let Some(why) = Standing::of(answers, now).anew(alert.watch.severity) else {
            continue;
        };
        let subject = format!("{PREFIX}{id}");
        if told.get(&subject).is_some_and(|t| t.state == why) {
            continue;
        }
        changes.set(subject, &why, now);
        changes.notices.push(Notice::AlertRepeated {
            watch: alert.watch.clone(),
            no_data: alert.unknown,
        });
    }
    changes
}

#[cfg(test)]
mod tests {
    use harit_engine::AlertSeverity;

    use super::*;
    use crate::incidents::{AnswerKind, Answerer};
    use crate::notifications::notice::Watch;

    fn watch(raised_at: i64, severity: AlertSeverity) -> Watch {
        Watch {
            alert: "a".into(),
            name: "Hot".into(),
            place: None,
            conditions: Vec::new(),
            any: false,
            hold_sec: 0,
            severity,
            scope: None,
            raised_at: Some(raised_at),
            seen: Vec::new(),
        }
    }

    fn answered(raised_at: i64, until: Option<i64>) -> Answers {
        let kind = if until.is_some() {
            AnswerKind::Snooze
        } else {
            AnswerKind::Acknowledge
        };
        let answer = Answer {
            id: String::new(),
            by: Answerer {
                id: None,
                name: "Asha".into(),
            },
            kind,
            severity: AlertSeverity::Warning,
            until,
            note: None,
            way: None,
            at: 0,
        };
        Answers::from([(IncidentId::new("a", raised_at), vec![answer])])
    }

    #[test]
    fn a_repeat_of_an_answered_incident_is_not_told_and_all_else_is() {
        let answers = answered(5, None);
        let told = |watch| {
            let no_data = false;
            is_told(&Notice::AlertRepeated { watch, no_data }, &answers, 10)
        };
        assert!(!told(watch(5, AlertSeverity::Warning)));
        assert!(told(watch(5, AlertSeverity::Critical)), "it got worse");
        assert!(told(watch(6, AlertSeverity::Warning)), "it was raised anew");
        let watch = watch(5, AlertSeverity::Warning);
        let raised = Notice::AlertRaised {
            watch: watch.clone(),
        };
        assert!(is_told(&raised, &answers, 10));
        assert!(is_told(&Notice::AlertResolved { watch }, &answers, 10));
    }

    #[test]
    fn a_snooze_that_ended_is_told_once_while_it_is_raised() {
        let mut alerts = vec![AlertLevel {
            watch: watch(5, AlertSeverity::Warning),
            unknown: false,
            silent: Vec::new(),
            count: 0,
        }];
        let answers = answered(5, Some(100));
        let mut told = BTreeMap::new();
        assert!(anew(&alerts, &answers, &told, 99).notices.is_empty());
        let changes = anew(&alerts, &answers, &told, 100);
        assert_eq!(changes.notices.len(), 1);
        told.extend({ changes.told.into_iter() }.filter_map(|(s, t)| Some((s, t?))));
        let again = anew(&alerts, &answers, &told, 200);
        assert!(again.notices.is_empty() && again.told.is_empty());
        // over: nothing is remembered of it
        alerts[0].watch.raised_at = None;
        let over = anew(&alerts, &answers, &told, 300);
        assert!(over.notices.is_empty());
        assert_eq!(over.told, [("answered/5-a".to_owned(), None)]);
    }
}
