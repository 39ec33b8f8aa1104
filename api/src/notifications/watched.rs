//! What is remembered of a farm between two looks, and telling its people.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use harit_engine::Timestamp;
use harit_ingest::CommandLife;
use harit_ingest::history::StoredEvent;

use super::answered::{self, Answers};
use super::notice::{self, Ended, Notice};
use super::picture::Picture;
use super::{COMMAND, COMMANDS_BACK_MS, EVENTS, LookError, command_key};
use crate::incidents::IncidentId;
use crate::letter;
use crate::records::{
    Audience, FarmRecords, IncidentChange, NewNotification, Told, ToldChange, new_id, now_ms,
};

/// Kinds of message of a farm within [`STORM`] that are told one by one; of further ones only the number is told, alerts and
/// their ends excepted.
const PER_STORM: usize = 10;
const STORM: Duration = Duration::from_secs(600);
/// The mark of the evening letters: the day of the last one that was told.
const LETTER: &str = "letter";

/// What is remembered of a farm between two looks.
pub(super) struct Watched {
    /// The last event that was looked at.
    pub(super) event: i64,
    pub(super) told: BTreeMap<String, Told>,
    /// When each alert that is raised was, as far as it was seen.
    pub(super) raised: BTreeMap<String, Timestamp>,
    /// What was told lately and when, alerts excepted.
    pub(super) lately: VecDeque<(Instant, String)>,
}

/// Something to be told, with its instant.
pub(super) struct At(pub(super) i64, pub(super) Notice);

impl Watched {
    /// Tells, and remembers what was told: both in one transaction.
    pub(super) async fn tell(
        &mut self,
        records: &FarmRecords,
        mut new: Vec<At>,
        told: Vec<ToldChange>,
        picture: &Picture,
    ) -> Result<(), LookError> {
        if new.is_empty() && told.is_empty() {
            return Ok(());
        }
        let ways = records.ways();
        let mut messages = self.outages(records, picture, &new).await?;
        let lately = self.tellable(&mut new);
        let rows: Result<Vec<_>, _> = new.iter().map(At::row).collect();
        let incidents: Result<Vec<_>, _> = new.iter().filter_map(At::incident).collect();
        let told_by = |At(at, notice): &At| picture.to_tell(notice, *at, records.farm(), ways);
        messages.extend(new.iter().filter_map(told_by));
        records.tell(&rows?, &messages, &told, &incidents?).await?;
        metrics::counter!("harit_notifications_total").increment(new.len() as u64);
        self.lately = lately;
        for (subject, state) in told {
            match state {
                Some(state) => self.told.insert(subject, state),
                None => self.told.remove(&subject),
            };
        }
        // single commands are remembered as long as they could be looked for
        let before = now_ms() - 2 * COMMANDS_BACK_MS;
        self.told
            .retain(|subject, t| !subject.starts_with(COMMAND) || t.at >= before);
        Ok(())
    }

    /// What was answered to the incidents that are not over.
    pub(super) async fn answers(&self, records: &FarmRecords) -> Result<Answers, LookError> {
        if self.raised.is_empty() {
            return Ok(Answers::new());
        }
        Ok(records.open_answers().await?)
    }

    /// Leaves out that an alert is raised still, where somebody has answered it.
    pub(super) async fn leave_out_answered(
        &self,
        records: &FarmRecords,
        new: &mut Vec<At>,
    ) -> Result<(), LookError> {
        let repeats = |At(_, notice): &At| matches!(notice, Notice::AlertRepeated { .. });
        if !new.iter().any(repeats) {
            return Ok(());
        }
        let answers = records.open_answers().await?;
        let now = now_ms();
        new.retain(|At(_, notice)| answered::is_told(notice, &answers, now));
        Ok(())
    }

    /// What an alert watches, and when it was raised that time.
    pub(super) fn watch(&self, picture: &Picture, alert: &str, at: Timestamp) -> notice::Watch {
        let watch = picture.watch(alert);
        let seen = self.raised.get(alert).map(|t| t.as_millis());
        // one that was raised before incidents were written down
        let raised_at = seen.or(watch.raised_at.filter(|raised| *raised <= at.as_millis()));
        notice::Watch { raised_at, ..watch }
    }

    /// What the events say of alerts, and how far they were looked at. The notification of the instant in which an alert
    /// is raised is no second message.
    pub(super) fn alerts(
        &mut self,
        events: &[StoredEvent],
        picture: &Picture,
        more: bool,
    ) -> (Vec<At>, Vec<ToldChange>) {
        let mut new = Vec::new();
        for e in events {
            let Some(alert) = e.body.get("alert").and_then(|a| a.as_str()) else {
                continue;
            };
            let notice = match e.event.as_str() {
                "alert_raised" => {
                    self.raised.insert(alert.to_owned(), e.at);
                    Notice::AlertRaised {
                        watch: self.watch(picture, alert, e.at),
                    }
                }
                "alert_notified" if self.raised.get(alert) == Some(&e.at) => continue,
                "alert_notified" => {
                    let no_data = e.body.get("no_data").and_then(serde_json::Value::as_bool);
                    Notice::AlertRepeated {
                        watch: self.watch(picture, alert, e.at),
                        no_data: no_data.unwrap_or(false),
                    }
                }
                "alert_resolved" => {
                    let watch = self.watch(picture, alert, e.at);
                    self.raised.remove(alert);
                    let reason = e.body.get("reason").and_then(serde_json::Value::as_str);
                    match reason.and_then(Ended::parse) {
                        Some(how) => Notice::AlertEnded {
                            watch,
                            how,
                            by: None,
                        },
                        None => Notice::AlertResolved { watch },
                    }
                }
                _ => continue,
            };
            new.push(At(e.at.as_millis(), notice));
        }
        let mark = events.last().filter(|_| more || !new.is_empty());
        let mark = mark.map(|last| {
            let (state, at) = (last.id.to_string(), last.at.as_millis());
            (EVENTS.to_owned(), Some(Told { state, at }))
        });
        (new, mark.into_iter().collect())
    }

    /// Tells that the latest evening letter is ready, once. The first time, what is ready already is not told.
    pub(super) async fn letter(
        &mut self,
        records: &FarmRecords,
        now: i64,
    ) -> Result<(), LookError> {
        let Some(farm) = records.farm_row().await? else {
            return Ok(());
        };
        let Some(day) = letter::latest(&letter::zone_of(&farm.timezone), now) else {
            return Ok(());
        };
        let day = day.to_string();
        let known = self.told.get(LETTER).map(|t| t.state.clone());
        // days are compared as texts; a clock that went back tells nothing again
        if known.as_ref().is_some_and(|last| *last >= day) {
            return Ok(());
        }
        let ready = At(now, Notice::LetterReady { day: day.clone() });
        let new: Vec<At> = known.map(|_| ready).into_iter().collect();
        let told = Told {
            state: day,
            at: now,
        };
        let rows: Result<Vec<_>, _> = new.iter().map(At::row).collect();
        let change = (LETTER.to_owned(), Some(told.clone()));
        // no storm leaves it out
        records.tell(&rows?, &[], &[change], &[]).await?;
        self.told.insert(LETTER.to_owned(), told);
        Ok(())
    }

    /// What commands that came to nothing say.
    pub(super) fn commands(
        &self,
        lives: &[CommandLife],
        picture: &Picture,
    ) -> (Vec<At>, Vec<ToldChange>) {
        let (mut new, mut told) = (Vec::new(), BTreeMap::new());
        for life in lives {
            let key = command_key(life);
            if self.told.contains_key(&key) || told.contains_key(&key) {
                continue;
            }
            if let Some(notice) = picture.command(life) {
                new.push(At(life.changed_at.as_millis(), notice));
            }
            // by the clock of the records, whatever the farm's says
            let (state, at) = (life.state.as_str().to_owned(), now_ms());
            told.insert(key, Some(Told { state, at }));
        }
        (new, told.into_iter().collect())
    }

    /// In a storm, only the number of what is no alert is told; what was told already goes on, it takes no new row. Returns
    /// what was told lately then.
    pub(super) fn tellable(&self, new: &mut Vec<At>) -> VecDeque<(Instant, String)> {
        let mut lately = self.lately.clone();
        while lately.front().is_some_and(|(t, _)| t.elapsed() > STORM) {
            lately.pop_front();
        }
        let mut left_out = 0;
        new.retain(|At(_, notice)| {
            let topic = notice.topic();
            if notice.is_always_told() || lately.iter().any(|(_, t)| *t == topic) {
                return true;
            }
            let tell = lately.len() < PER_STORM;
            if tell {
                lately.push_back((Instant::now(), topic));
            } else {
                left_out += 1;
            }
            tell
        });
        // each counts in the digest's row
        new.extend((0..left_out).map(|_| At(now_ms(), Notice::Digest)));
        lately
    }
}

impl At {
    pub(super) fn row(&self) -> Result<NewNotification, serde_json::Error> {
        Ok(NewNotification {
            id: new_id(),
            body: serde_json::to_string(&self.1)?,
            topic: self.1.topic(),
            at: self.0,
            since: self.1.ends().and_then(|watch| watch.raised_at),
            to: match self.1 {
                Notice::LetterReady { .. } => Audience::LetterReaders,
                _ => Audience::Everybody,
            },
        })
    }

    /// The incident that begins or is over with it.
    pub(super) fn incident(&self) -> Option<Result<IncidentChange, serde_json::Error>> {
        let over = match &self.1 {
            Notice::AlertRaised { .. } => None,
            Notice::AlertResolved { .. } => Some((self.0, None)),
            Notice::AlertEnded { how, .. } => Some((self.0, Some(how.as_str()))),
            _ => return None,
        };
        let watch = self.1.watch()?;
        let id: IncidentId = watch.incident()?;
        let watch = serde_json::to_string(watch);
        Some(watch.map(|watch| IncidentChange { id, watch, over }))
    }
}
