//! Who is told of an alert, and when: a farm's chain of steps, who is on duty, and when a person wants quiet. Everything here is
//! a function of what is given, the instant included ([decision 28](../../../docs/decisions/0028-who-is-told.md)).

mod hours;

use harit_engine::AlertSeverity;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub(crate) use hours::{Duty, Hours, Times};

use crate::delivery::Channel;
use crate::document::SeverityDocument;
use crate::language::Language;
use crate::role::Role;

/// The most steps of a chain.
pub(crate) const MAX_STEPS: usize = 10;
/// The longest that a step waits for an answer, in minutes.
pub(crate) const MAX_AFTER_MIN: i64 = 1_440;
/// The most people whom a step names.
pub(crate) const MAX_NAMED: usize = 50;
/// An incident of which the chain hears this late begins then: nobody is told of hours that nobody could have answered in.
const LATE_MS: i64 = 60_000;
const MINUTE_MS: i64 = 60_000;

/// Whom a step tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schema(as = EscalationWho)]
pub(crate) enum Who {
    /// Who is on duty then; where nobody is, the farm managers, else the admins, else the owners.
    OnDuty,
    /// All of a role.
    Role { role: Role },
    /// These, by id, as far as they belong to the farm.
    People { people: Vec<String> },
}

/// A step of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EscalationStep)]
pub(crate) struct ChainStep {
    pub who: Who,
    /// How long nobody has answered then, in minutes.
    #[schema(minimum = 0, maximum = 1440)]
    pub after_min: i64,
    /// For alerts of which severity.
    #[schema(value_type = Vec<SeverityDocument>, min_items = 1)]
    pub severities: Vec<AlertSeverity>,
}

/// The steps of a farm, in the order of their time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Chain(pub Vec<ChainStep>);

impl Default for Chain {
    /// Who is on duty at once, the managers after ten minutes, of what is critical the owners after twenty.
    fn default() -> Self {
        use AlertSeverity::{Critical, Warning};
        let step = |who, after_min, severities: &[AlertSeverity]| ChainStep {
            who,
            after_min,
            severities: severities.to_vec(),
        };
        let role = |role| Who::Role { role };
        Self(vec![
            step(Who::OnDuty, 0, &[Critical, Warning]),
            step(role(Role::FarmManager), 10, &[Critical, Warning]),
            step(role(Role::Owner), 20, &[Critical]),
        ])
    }
}

/// Since when nobody has answered an incident, and how many of the chain's steps were told of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Progress {
    pub since: i64,
    pub done: usize,
}

/// Where an incident's chain stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    /// It goes on.
    Waits(Progress),
    /// Somebody has answered.
    Answered,
}

impl Course {
    /// Where it stands now, after where it stood.
    pub(crate) fn next(before: Option<Self>, is_open: bool, raised_at: i64, now: i64) -> Self {
        let begin = |since| Self::Waits(Progress { since, done: 0 });
        match before {
            _ if !is_open => Self::Answered,
            Some(Self::Waits(progress)) => Self::Waits(progress),
            // what was answered is taken back, or its time is over
            Some(Self::Answered) => begin(now),
            None if now - raised_at > LATE_MS => begin(now),
            None => begin(raised_at),
        }
    }

    /// As it is remembered: a word, and since when.
    pub(crate) fn written(self, now: i64) -> (String, i64) {
        match self {
            Self::Waits(Progress { since, done }) => (done.to_string(), since),
            Self::Answered => ("answered".to_owned(), now),
        }
    }

    /// Reads what is remembered.
    pub(crate) fn read(word: &str, since: i64) -> Self {
        match word.parse() {
            Ok(done) => Self::Waits(Progress { since, done }),
            Err(_) => Self::Answered,
        }
    }
}

impl Chain {
    /// The step that is told next, by its place in the chain, and when, if nobody answers.
    pub(crate) fn following(
        &self,
        severity: AlertSeverity,
        progress: Progress,
    ) -> Option<(usize, i64)> {
        let mut coming = self.0.iter().enumerate().skip(progress.done);
        let (n, step) = coming.find(|(_, step)| step.severities.contains(&severity))?;
        Some((n, progress.since + step.after_min * MINUTE_MS))
    }
}

/// Somebody who belongs to the farm and is let in, as far as it matters for telling them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub id: String,
    pub name: String,
    pub role: Role,
    pub language: Language,
    /// Verified; so is the number.
    pub email: Option<String>,
    pub phone: Option<String>,
    /// The ways that they chose.
    pub ways: Option<Vec<Channel>>,
    pub quiet: Option<Hours>,
    /// The browsers in which they asked to be told.
    pub browsers: Vec<String>,
}

impl Member {
    /// Where they are reached by a way: a contact that was shown to be theirs, or their browsers.
    pub(crate) fn contacts(&self, channel: Channel) -> &[String] {
        match channel {
            Channel::Email => self.email.as_slice(),
            Channel::Sms | Channel::WhatsApp => self.phone.as_slice(),
            Channel::Webhook => &[],
            Channel::Push => &self.browsers,
        }
    }
}

impl Who {
    /// The people whom it names now.
    pub(crate) fn of<'a>(
        &self,
        members: &'a [Member],
        duties: &[Duty],
        times: &Times,
        now: i64,
    ) -> Vec<&'a Member> {
        let among = |is: &dyn Fn(&Member) -> bool| members.iter().filter(|m| is(m)).collect();
        match self {
            Self::Role { role } => among(&|m| m.role == *role),
            Self::People { people } => among(&|m| people.contains(&m.id)),
            Self::OnDuty => {
                let on_duty = { duties.iter() }.filter(|d| times.covers(&d.hours, now));
                let on_duty: Vec<&str> = on_duty.map(|d| d.user_id.as_str()).collect();
                let present: Vec<&Member> = among(&|m| on_duty.contains(&m.id.as_str()));
                if !present.is_empty() {
                    return present;
                }
                let instead = [Role::FarmManager, Role::Admin, Role::Owner];
                let of = |role| -> Vec<&Member> { among(&|m| m.role == role) };
                let all = instead.into_iter().map(of);
                all.into_iter()
                    .find(|people| !people.is_empty())
                    .unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AlertSeverity::{Critical, Info, Warning};

    fn waits(since: i64, done: usize) -> Progress {
        Progress { since, done }
    }

    #[test]
    fn steps_come_in_their_time_and_by_severity() {
        let chain = Chain::default();
        let min = MINUTE_MS;
        let next = |severity, done| chain.following(severity, waits(5, done));
        assert_eq!(next(Warning, 0), Some((0, 5)));
        assert_eq!(next(Warning, 1), Some((1, 10 * min + 5)));
        assert_eq!(next(Warning, 2), None);
        assert_eq!(next(Critical, 2), Some((2, 20 * min + 5)));
        assert_eq!(next(Critical, 3), None);
        assert_eq!(next(Info, 0), None);
    }

    #[test]
    fn an_answer_ends_the_chain_and_what_is_open_again_begins_anew() {
        let begun = Course::next(None, true, 100, 200);
        assert_eq!(begun, Course::Waits(waits(100, 0)));
        let told = Course::Waits(waits(100, 2));
        assert_eq!(Course::next(Some(told), true, 100, 900), told);
        let answered = Course::next(Some(told), false, 100, 1_000);
        assert_eq!(answered, Course::Answered);
        let again = Course::next(Some(answered), true, 100, 5_000);
        assert_eq!(again, Course::Waits(waits(5_000, 0)));
        // what is heard of late begins then: nobody could have answered before
        let late = Course::next(None, true, 0, LATE_MS + 1);
        assert_eq!(late, Course::Waits(waits(LATE_MS + 1, 0)));
        for course in [begun, told, answered] {
            let (word, since) = course.written(7);
            assert_eq!(Course::read(&word, since), course);
        }
    }

    fn member(id: &str, role: Role) -> Member {
        Member {
            id: id.to_owned(),
            name: id.to_owned(),
            role,
            language: Language::Mr,
            email: None,
            phone: None,
            ways: None,
            quiet: None,
            browsers: Vec::new(),
        }
    }

    #[test]
    fn whoever_is_on_duty_is_told_and_where_nobody_is_who_answers_for_the_farm() {
        let members = [
            member("owner", Role::Owner),
            member("admin", Role::Admin),
            member("manager", Role::FarmManager),
            member("worker", Role::Worker),
        ];
        let times = Times::of("Asia/Kolkata");
        let hours = Hours::new(127, 22 * 60, 6 * 60).expect("hours");
        let user_id = "worker".to_owned();
        let duties = [Duty { user_id, hours }];
        // 2026-11-25 23:00 and 12:00 in India
        let (night, noon) = (1_795_627_800_000, 1_795_588_200_000);
        let told = |who: &Who, members: &[Member], at| -> Vec<String> {
            let people = who.of(members, &duties, &times, at);
            people.into_iter().map(|m| m.id.clone()).collect()
        };
        assert_eq!(told(&Who::OnDuty, &members, night), ["worker"]);
        assert_eq!(told(&Who::OnDuty, &members, noon), ["manager"]);
        assert_eq!(told(&Who::OnDuty, &members[..2], noon), ["admin"]);
        assert_eq!(told(&Who::OnDuty, &members[..1], noon), ["owner"]);
        // who is on duty but belongs to the farm no more is nobody
        assert_eq!(told(&Who::OnDuty, &members[..3], night), ["manager"]);
        let named = Who::People {
            people: vec!["admin".into(), "gone".into()],
        };
        assert_eq!(told(&named, &members, noon), ["admin"]);
    }
}
