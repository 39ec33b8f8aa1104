//! Whom the farm's chain tells of alerts that are raised and that nobody has answered. How far it came is remembered with the
//! notifications and written in the transaction of its messages: a restart goes on where it was, and tells nobody twice.

use std::collections::BTreeSet;

use harit_engine::AlertSeverity;

use super::LookError;
use super::answered::Answers;
use super::levels::{AlertLevel, Changes};
use super::picture::Picture;
use super::reach::ChainTell;
use super::watched::Watched;
use crate::delivery::{Channel, Ways};
use crate::escalation::{Chain, Course, Duty, Member, Progress, Times};
use crate::incidents::{self, IncidentId};
use crate::records::{FarmRecords, ToTell, Told};

const PREFIX: &str = "escalation/";

/// The name under which it is remembered how far an incident's chain came.
pub(crate) fn subject(id: &IncidentId) -> String {
    format!("{PREFIX}{id}")
}

/// What a farm's people wrote of who is told.
pub(super) struct Plan {
    chain: Chain,
    duties: Vec<Duty>,
    members: Vec<Member>,
    times: Times,
}

impl Plan {
    pub(super) async fn of(records: &FarmRecords) -> Result<Self, sqlx::Error> {
        Ok(Self {
            chain: records.chain().await?.unwrap_or_default(),
            duties: records.duties().await?,
            members: records.members().await?,
            times: records.times().await?,
        })
    }

    /// Whom the chain tells at once of what matters so much, by id; where that reaches nobody, whom its next step tells.
    pub(super) fn at_once(&self, severity: AlertSeverity, ways: &Ways, now: i64) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        let mut is_somebody_reached = false;
        let steps = self.chain.0.iter();
        for step in steps.filter(|s| s.severities.contains(&severity)) {
            if step.after_min > 0 && (is_somebody_reached || !any_way(ways)) {
                break;
            }
            let people = step.who.of(&self.members, &self.duties, &self.times, now);
            is_somebody_reached |= people.iter().any(|m| is_reached(m, ways));
            let new = people.iter().filter(|m| !told.contains(&m.id));
            let new: Vec<String> = new.map(|m| m.id.clone()).collect();
            told.extend(new);
        }
        told
    }
}

/// Whether there is any gateway to people.
fn any_way(ways: &Ways) -> bool {
    Channel::PEOPLE.iter().any(|c| ways.has(*c))
}

/// Whether any way leads to somebody.
fn is_reached(member: &Member, ways: &Ways) -> bool {
    let leads = |channel: &Channel| ways.has(*channel) && !member.contacts(*channel).is_empty();
    Channel::PEOPLE.iter().any(leads)
}

/// The steps that are told of an incident now, how far the chain came then, and when the next one is due. A step that reaches
/// nobody waits for nobody: the next one is told at once.
fn advance(
    plan: &Plan,
    alert: &AlertLevel,
    mut progress: Progress,
    ways: &Ways,
    now: i64,
    mut tell: impl FnMut(ChainTell),
) -> (Progress, Option<i64>) {
    let is_sent = any_way(ways);
    let mut passes = false;
    while let Some((step, at)) = plan.chain.following(alert.watch.severity, progress) {
        if at > now && !passes {
            return (progress, Some(at));
        }
        let Some(spec) = plan.chain.0.get(step) else {
            break;
        };
        let (members, duties) = (&plan.members, &plan.duties);
        let people = spec.who.of(members, duties, &plan.times, now);
        passes = is_sent && !people.iter().any(|m| is_reached(m, ways));
        tell(ChainTell {
            watch: alert.watch.clone(),
            no_data: alert.unknown,
            since: progress.since,
            after_min: spec.after_min,
            step,
            people: people.iter().map(|m| m.id.clone()).collect(),
        });
        progress.done = step + 1;
    }
    (progress, None)
}

impl Watched {
    /// Tells whom the chain tells now; when its next step is due.
    pub(super) async fn escalate(
        &mut self,
        records: &FarmRecords,
        answers: &Answers,
        picture: &Picture,
        now: i64,
    ) -> Result<Option<i64>, LookError> {
        // that it is raised was told before, and written down
        let raised = |a: &&AlertLevel| {
            let seen = self.raised.get(&a.watch.alert).map(|t| t.as_millis());
            seen.is_some() && seen == a.watch.raised_at
        };
        let raised: Vec<&AlertLevel> = picture.levels.alerts.iter().filter(raised).collect();
        let incidents = raised.iter().filter_map(|a| a.watch.incident());
        let subjects: BTreeSet<String> = incidents.map(|id| subject(&id)).collect();
        let mut changes = Changes::default();
        let known = self.told.keys().filter(|s| s.starts_with(PREFIX));
        for gone in known.filter(|s| !subjects.contains(*s)) {
            changes.forget(gone.clone());
        }
        let mut messages: Vec<ToTell> = Vec::new();
        let mut next = None;
        if !raised.is_empty() {
            let plan = Plan::of(records).await?;
            for alert in raised {
                let Some(id) = alert.watch.incident() else {
                    continue;
                };
                let before = self.told.get(&subject(&id));
                let before = before.map(|t| Course::read(&t.state, t.at));
                let answers = answers.get(&id).map_or(&[][..], Vec::as_slice);
                let is_open = incidents::is_to_be_told(answers, alert.watch.severity, now);
                let mut course = Course::next(before, is_open, id.raised_at, now);
                if let Course::Waits(progress) = course {
                    let ways = records.ways();
                    let put = |step: ChainTell| {
                        messages.extend(picture.step_to_tell(step, records.farm(), ways));
                    };
                    let (progress, at) = advance(&plan, alert, progress, ways, now, put);
                    course = Course::Waits(progress);
                    next = [next, at].into_iter().flatten().min();
                }
                if before != Some(course) {
                    let (state, at) = course.written(now);
                    changes.set(subject(&id), &state, at);
                }
            }
        }
        if messages.is_empty() && changes.told.is_empty() {
            return Ok(next);
        }
        records.tell(&[], &messages, &changes.told, &[]).await?;
        for (subject, told) in changes.told {
            let _ = match told {
                Some(Told { state, at }) => self.told.insert(subject, Told { state, at }),
                None => self.told.remove(&subject),
            };
        }
        Ok(next)
    }
}
