//! Where an incident stands, by what was answered to it: the same fold for what people see and for what they are told.

use harit_engine::AlertSeverity;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Answer, AnswerKind, Answerer};

/// Where an incident stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = IncidentState)]
pub(crate) enum State {
    /// Nobody has answered, or what was answered is over or was taken back.
    Open,
    Acknowledged,
    /// Somebody looks after it.
    Taken,
    /// Nobody is told of it until then.
    Snoozed,
    /// Somebody says that there is nothing wrong.
    FalseAlarm,
    /// It is raised no more.
    Over,
}

/// What was answered, as far as it counts now.
#[derive(Debug, Clone, Default)]
pub(crate) struct Standing {
    /// Who looks after it.
    taken: Option<Answerer>,
    /// The last answer other than that somebody looks after it.
    quiet: Option<Quiet>,
    /// How much the alert mattered when it was answered last.
    severity: Option<AlertSeverity>,
    now: i64,
}

#[derive(Debug, Clone)]
struct Quiet {
    state: State,
    by: Answerer,
    until: Option<i64>,
}

impl Standing {
    /// Folds the answers, oldest first.
    pub(crate) fn of(answers: &[Answer], now: i64) -> Self {
        let mut standing = Self {
            now,
            ..Self::default()
        };
        for answer in answers {
            standing.take(answer);
        }
        standing
    }

    fn take(&mut self, answer: &Answer) {
        let quiet = |state| {
            Some(Quiet {
                state,
                by: answer.by.clone(),
                until: answer.until,
            })
        };
        self.severity = Some(answer.severity);
        match answer.kind {
            AnswerKind::OnIt => {
                self.taken = Some(answer.by.clone());
                self.quiet = None;
            }
            AnswerKind::Acknowledge => self.quiet = quiet(State::Acknowledged),
            AnswerKind::Snooze => self.quiet = quiet(State::Snoozed),
            AnswerKind::FalseAlarm => {
                self.taken = None;
                self.quiet = quiet(State::FalseAlarm);
            }
            AnswerKind::Reopen => {
                *self = Self {
                    now: self.now,
                    ..Self::default()
                }
            }
        }
    }

    /// What keeps it quiet now, other than that somebody looks after it.
    fn quiet(&self) -> Option<&Quiet> {
        let quiet = self.quiet.as_ref();
        quiet.filter(|q| q.until.is_none_or(|until| until > self.now))
    }

    /// The word for it, while it is raised.
    pub(crate) fn state(&self) -> State {
        match self.quiet() {
            // who looks after it has seen it
            Some(quiet) if quiet.state != State::Acknowledged || self.taken.is_none() => {
                quiet.state
            }
            _ if self.taken.is_some() => State::Taken,
            _ => State::Open,
        }
    }

    /// Who looks after it.
    pub(crate) const fn taken(&self) -> Option<&Answerer> {
        self.taken.as_ref()
    }

    /// Whose answer the state is.
    pub(crate) fn by(&self) -> Option<&Answerer> {
        match self.state() {
            State::Open | State::Over => None,
            State::Taken => self.taken(),
            State::Acknowledged | State::Snoozed | State::FalseAlarm => self.quiet().map(|q| &q.by),
        }
    }

    /// Until when it is snoozed.
    pub(crate) fn until(&self) -> Option<i64> {
        self.quiet().and_then(|q| q.until)
    }

    fn is_worse(&self, severity: AlertSeverity) -> bool {
        self.severity.is_some_and(|answered| severity > answered)
    }

    /// Whether it is told when it repeats: nobody has answered, or it matters more than it did then.
    pub(crate) fn is_to_be_told(&self, severity: AlertSeverity) -> bool {
        self.is_worse(severity) || self.state() == State::Open
    }

    /// A word for what makes it be told anew, once: a snooze ended, or it matters more than when it was answered.
    pub(crate) fn anew(&self, severity: AlertSeverity) -> Option<String> {
        if self.is_worse(severity) {
            return Some(format!("{severity:?}"));
        }
        let until = self.quiet.as_ref().and_then(|q| q.until)?;
        (until <= self.now).then(|| until.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AlertSeverity::{Critical, Warning};
    use AnswerKind::{Acknowledge, FalseAlarm, OnIt, Reopen, Snooze};

    fn answer(kind: AnswerKind, who: &str) -> Answer {
        Answer {
            id: String::new(),
            by: Answerer {
                id: Some(who.to_owned()),
                name: who.to_owned(),
            },
            kind,
            severity: Warning,
            until: (kind == Snooze).then_some(100),
            note: None,
            way: None,
            at: 0,
        }
    }

    /// The word, whose it is, who looks after it, and whether a repeat is told.
    fn stands(answers: &[(AnswerKind, &str)], now: i64) -> (State, String, String, bool) {
        let answers: Vec<Answer> = answers.iter().map(|(k, who)| answer(*k, who)).collect();
        let s = Standing::of(&answers, now);
        let name = |who: Option<&Answerer>| who.map_or_else(String::new, |w| w.name.clone());
        (
            s.state(),
            name(s.by()),
            name(s.taken()),
            s.is_to_be_told(Warning),
        )
    }

    /// Who answered what, how much later, and what is then so: state, by whom, who is on it, whether it is told.
    type Case = (
        &'static [(AnswerKind, &'static str)],
        i64,
        (State, &'static str, &'static str, bool),
    );

    #[test]
    fn the_last_answer_counts_and_who_is_on_it_stays() {
        use State::{Acknowledged, FalseAlarm as False, Open, Snoozed, Taken};
        let cases: &[Case] = &[
            (&[], 0, (Open, "", "", true)),
            (&[(Acknowledge, "a")], 0, (Acknowledged, "a", "", false)),
            (&[(OnIt, "a")], 0, (Taken, "a", "a", false)),
            (
                &[(OnIt, "a"), (Acknowledge, "b")],
                0,
                (Taken, "a", "a", false),
            ),
            (&[(OnIt, "a"), (OnIt, "b")], 0, (Taken, "b", "b", false)),
            (&[(Snooze, "a")], 99, (Snoozed, "a", "", false)),
            (&[(Snooze, "a")], 100, (Open, "", "", true)),
            (&[(OnIt, "a"), (Snooze, "b")], 0, (Snoozed, "b", "a", false)),
            (&[(OnIt, "a"), (Snooze, "b")], 100, (Taken, "a", "a", false)),
            (
                &[(Acknowledge, "a"), (Snooze, "b")],
                100,
                (Open, "", "", true),
            ),
            (
                &[(OnIt, "a"), (FalseAlarm, "b")],
                0,
                (False, "b", "", false),
            ),
            (
                &[(FalseAlarm, "b"), (OnIt, "a")],
                0,
                (Taken, "a", "a", false),
            ),
            (&[(OnIt, "a"), (Reopen, "a")], 0, (Open, "", "", true)),
        ];
        for (answers, now, (state, by, taken, told)) in cases {
            let expected = (*state, (*by).to_owned(), (*taken).to_owned(), *told);
            assert_eq!(stands(answers, *now), expected, "{answers:?} at {now}");
        }
    }

    #[test]
    fn a_snooze_that_ends_and_a_worse_severity_are_told_anew() {
        let snoozed = [answer(Snooze, "a")];
        let at = |now, severity| Standing::of(&snoozed, now).anew(severity);
        assert_eq!(at(99, Warning), None);
        assert_eq!(at(100, Warning).as_deref(), Some("100"));
        assert_eq!(at(99, Critical).as_deref(), Some("Critical"));
        let taken = [answer(OnIt, "a")];
        let standing = Standing::of(&taken, 0);
        assert_eq!(standing.anew(Warning), None);
        assert!(standing.is_to_be_told(Critical) && standing.anew(Critical).is_some());
        // somebody answers after it got worse
        let again = Answer {
            severity: Critical,
            ..answer(Acknowledge, "b")
        };
        let standing = Standing::of(&[answer(OnIt, "a"), again], 0);
        assert!(!standing.is_to_be_told(Critical) && standing.anew(Critical).is_none());
        // who answers again after a snooze has ended is not told that it ended
        let standing = Standing::of(&[answer(Snooze, "a"), answer(OnIt, "a")], 200);
        assert_eq!(standing.anew(Warning), None);
    }
}
