//! What the history and the log have of a day: what people did, what became of commands and, from before the journal, what devices
//! reported, which rules ran and which alerts were raised.

use std::collections::BTreeMap;

use harit_engine::explain::Subject;
use harit_engine::{DeviceId, Timestamp};
use harit_ingest::history::StoredReport;
use harit_ingest::log::{LogEntry, LogFilter, LogKind, LogType, MAX_PAGE, Named};
use harit_ingest::{CommandFilter, CommandLife, CommandState};

use super::house::Controller;
use super::subject::Own;
use super::told::name_of;
use super::{LaneBody, LaneKindName, LaneSpanBody, LaneStateName};
use crate::access::{FarmAccess, ReadFarm};
use crate::error::ApiError;
use crate::explain::Teller;
use crate::language::Language;
use crate::log::{masked_text, sentence};
use crate::records::EffectMark;
use crate::role::Role;

/// A run that began so long before the span may go on in it, in milliseconds.
const LONGEST_RUN_MS: i64 = 24 * 3_600 * 1_000;

/// The most pages of the log that are read: 2,000 entries, the newest.
const MAX_PAGES: u64 = 10;
/// The most commands that are read.
const MAX_COMMANDS: usize = 500;

/// What was stored of a span.
pub(crate) struct Stored {
    /// Oldest first.
    entries: Vec<LogEntry>,
    /// Since when the log is known.
    since: Timestamp,
    /// What devices reported before the journal, by device.
    reports: BTreeMap<String, Vec<StoredReport>>,
    /// Oldest first, each as it stands now; the first may be from before the span.
    commands: Vec<CommandLife>,
    /// What belongs to whoever is followed, as it is now.
    pub(super) own: Own,
    /// What the runs of the devices came to, of each device oldest first.
    pub(super) marks: Vec<EffectMark>,
    /// Of a polyhouse, by MAC.
    pub(super) controllers: Vec<Controller>,
    pub(super) incomplete: bool,
}

impl Stored {
    /// Reads it; what devices reported only from before an instant, from which on the journal has it.
    pub(crate) async fn read(
        access: &FarmAccess<ReadFarm>,
        subject: &Subject,
        (from, to): (Timestamp, Timestamp),
        exact_from: Timestamp,
    ) -> Result<Self, ApiError> {
        let (mut entries, mut since, mut incomplete) = (Vec::new(), from, false);
        for page in 0..MAX_PAGES {
            let filter = LogFilter {
                from: Some(from),
                to: Some(to),
                skip: page * MAX_PAGE as u64,
                take: MAX_PAGE,
                ..LogFilter::default()
            };
            let found = access.log(filter).await?;
            incomplete |= found.incomplete;
            let read = found.entries.len();
            entries.extend(found.entries);
            if read < MAX_PAGE {
                break;
            }
            if page + 1 == MAX_PAGES {
                since = entries.last().map_or(from, |e: &LogEntry| e.at);
            }
        }
        entries.reverse();
        let hub = access.hub();
        let whose = subject.clone();
        let own = hub.read(move |engine| Own::of(engine, &whose)).await?;
        let (mut reports, mut commands) = (BTreeMap::new(), Vec::new());
        let mut marks = Vec::new();
        for id in own.devices.keys() {
            let since = from.as_millis() - LONGEST_RUN_MS;
            let records = access.records();
            marks.extend(records.effect_marks(id, since, to.as_millis()).await?);
            if from < exact_from {
                let device = DeviceId::new(id.clone());
                let read = hub.reports(&device, from, exact_from).await;
                let read = read.map_err(|error| {
                    tracing::error!(%error, cause = ?std::error::Error::source(&error), "the history failed");
                    ApiError::unavailable()
                })?;
                reports.insert(id.clone(), read);
            }
        }
        let controllers = match subject {
            Subject::House(_) => controllers(access).await?,
            _ => Vec::new(),
        };
        if let Subject::Device(id) = subject {
            let of = |from: Option<Timestamp>, to, limit| CommandFilter {
                device: Some(id.clone()),
                state: None,
                from,
                to: Some(to),
                limit,
            };
            commands = hub.commands(of(Some(from), to, MAX_COMMANDS)).await?.items;
            commands.extend(hub.commands(of(None, from, 1)).await?.items);
            commands.reverse();
        }
        Ok(Self {
            entries,
            since,
            reports,
            commands,
            own,
            marks,
            controllers,
            incomplete,
        })
    }

    /// The lanes of a span from before the journal.
    pub(super) fn lanes(&self, (from, to): (Timestamp, Timestamp)) -> Vec<LaneBody> {
        if from >= to {
            return Vec::new();
        }
        let mut lanes = Vec::new();
        for (device, reports) in &self.reports {
            let mut spans: Vec<LaneSpanBody> = Vec::new();
            for (n, report) in reports.iter().enumerate() {
                let until = reports.get(n + 1).map_or(to, |next| next.at);
                let (begins, ends) = (report.at.max(from), until.min(to));
                let Some(on) = report.on.filter(|_| begins < ends) else {
                    continue;
                };
                let state = if on {
                    LaneStateName::On
                } else {
                    LaneStateName::Off
                };
                spans.push(LaneSpanBody {
                    value: report.value,
                    ..span(begins, ends, state, None)
                });
            }
            lanes.push(lane(LaneKindName::Reported, device, String::new(), spans));
        }
        lanes.extend(self.between((from, to)));
        lanes.retain(|l| !l.spans.is_empty());
        lanes
    }

    /// What began and ended as the log tells: a rule that ran, alerts.
    fn between(&self, (from, to): (Timestamp, Timestamp)) -> Vec<LaneBody> {
        use LaneKindName::{Alert, Phase};
        type Open = (Named, Option<Timestamp>, Vec<LaneSpanBody>);
        let mut open: BTreeMap<(u8, String), Open> = BTreeMap::new();
        let since = self.since.max(from);
        for entry in self.entries.iter().filter(|e| e.at < to) {
            let (kind, begins) = match entry.body.kind {
                LogKind::RuleFired => (Phase, true),
                LogKind::RuleStopped => (Phase, false),
                LogKind::AlertRaised => (Alert, true),
                LogKind::AlertResolved => (Alert, false),
                _ => continue,
            };
            let named = match kind {
                Phase => entry.body.rule.clone(),
                _ => named_alert(entry),
            };
            let wanted = match kind {
                Phase => self.own.is_told_by(entry),
                _ => { named.as_ref() }.is_some_and(|a| self.own.alerts.contains(&a.id)),
            };
            let Some(named) = named.filter(|_| wanted) else {
                continue;
            };
            let known = open.entry((kind as u8, named.id.clone()));
            let (_, running, spans) = known.or_insert_with(|| (named, None, Vec::new()));
            match (begins, running.take()) {
                (true, _) => *running = Some(entry.at),
                (false, Some(began)) => spans.push(stretch(kind, began, entry.at)),
                (false, None) if spans.is_empty() => spans.push(stretch(kind, since, entry.at)),
                (false, None) => {}
            }
        }
        let lanes = open
            .into_iter()
            .map(|((kind, id), (named, running, mut spans))| {
                let kind = if kind == Phase as u8 { Phase } else { Alert };
                spans.extend(running.map(|began| stretch(kind, began, to)));
                lane(kind, &id, named.name, spans)
            });
        lanes.collect()
    }

    /// What became of a device's commands: as the fold has it, and where it has none, as it is now.
    pub(super) fn commands(
        &self,
        id: &DeviceId,
        folded: &[CommandLife],
        (from, to): (Timestamp, Timestamp),
        exact_from: Timestamp,
        language: Language,
    ) -> Option<LaneBody> {
        let teller = Teller(language);
        let earlier = self.commands.iter().filter(|l| l.changed_at < exact_from);
        let mut changes: Vec<&CommandLife> = earlier.chain(folded).collect();
        changes.sort_by_key(|l| l.changed_at);
        let mut spans: Vec<LaneSpanBody> = Vec::new();
        // A command that is older than another does not speak for the device any more.
        let mut newest = None;
        for life in changes {
            if newest.is_some_and(|at| life.at < at) {
                continue;
            }
            newest = Some(life.at);
            let at = life.changed_at.max(from).as_millis();
            if let Some(last) = spans.last_mut() {
                last.to = at;
            }
            spans.retain(|s| s.from < s.to);
            let state = state_of(life.state);
            let text = teller.command(&life.action, life.value, life.message.as_deref());
            spans.push(span(life.changed_at.max(from), to, state, Some(text)));
        }
        spans.retain(|s| s.from < s.to);
        (!spans.is_empty()).then(|| lane(LaneKindName::Command, id.as_str(), String::new(), spans))
    }

    /// What people did with it, each an instant.
    pub(super) fn people(&self, language: Language, reader: Role) -> Option<LaneBody> {
        let types = [
            LogType::ManualCommand,
            LogType::SafetyOverride,
            LogType::RuleDeploy,
            LogType::Other,
        ];
        let by_people = |e: &&LogEntry| {
            types.contains(&e.log_type) && e.body.user.is_some() && self.own.is_told_by(e)
        };
        let marks = self.entries.iter().filter(by_people).map(|e| {
            let who = e.body.user.as_ref().map_or("", |u| &u.name);
            let text = format!("{who}: {}", sentence(&e.body, language));
            let text = masked_text(&text, reader);
            span(e.at, e.at, LaneStateName::Mark, Some(text))
        });
        let marks: Vec<LaneSpanBody> = marks.collect();
        (!marks.is_empty()).then(|| lane(LaneKindName::People, "", String::new(), marks))
    }
}

/// The farm's controllers, with the devices of each.
async fn controllers(access: &FarmAccess<ReadFarm>) -> Result<Vec<Controller>, ApiError> {
    let names = access.records().controllers();
    let all = access.hub().controllers().await?.into_iter().map(|c| {
        let known = names.iter().find(|n| n.mac == c.mac);
        Controller {
            mac: c.mac.to_string(),
            name: known.map_or_else(|| c.mac.to_string(), |n| n.name.clone()),
            devices: c.devices.iter().map(|d| d.id.to_string()).collect(),
        }
    });
    Ok(all.collect())
}

fn named_alert(entry: &LogEntry) -> Option<Named> {
    let alert = entry.body.facts.get("alert")?;
    let text = |field: &str| alert.get(field).and_then(|v| v.as_str());
    Some(Named::new(text("id")?, text("name").unwrap_or_default()))
}

const fn state_of(state: CommandState) -> LaneStateName {
    match state {
        CommandState::Queued => LaneStateName::Queued,
        CommandState::Sent => LaneStateName::Sent,
        CommandState::Acked => LaneStateName::Acked,
        CommandState::Confirmed => LaneStateName::Confirmed,
        CommandState::Failed => LaneStateName::Failed,
        CommandState::TimedOut => LaneStateName::TimedOut,
        CommandState::Superseded => LaneStateName::Superseded,
    }
}

fn stretch(kind: LaneKindName, from: Timestamp, to: Timestamp) -> LaneSpanBody {
    let state = match kind {
        LaneKindName::Phase => LaneStateName::Running,
        _ => LaneStateName::Raised,
    };
    span(from, to, state, None)
}

pub(super) fn span(
    from: Timestamp,
    to: Timestamp,
    state: LaneStateName,
    text: Option<String>,
) -> LaneSpanBody {
    LaneSpanBody {
        from: from.as_millis(),
        to: to.as_millis(),
        state,
        text,
        length_ms: None,
        value: None,
        effect: None,
    }
}

pub(super) fn lane(
    kind: LaneKindName,
    of: &str,
    name: String,
    spans: Vec<LaneSpanBody>,
) -> LaneBody {
    LaneBody {
        key: name_of(kind, of),
        kind,
        of: (!of.is_empty()).then(|| of.to_owned()),
        name,
        part: None,
        spans,
        cut: None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use harit_engine::FarmId;
    use harit_ingest::log::{LogBody, LogResult};
    use serde_json::json;

    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn life(id: &str, decided: i64, state: CommandState, changed: i64) -> CommandLife {
        CommandLife {
            farm: FarmId::from("f"),
            command_id: id.to_owned(),
            device: DeviceId::from("fan"),
            action: "on".to_owned(),
            value: None,
            cause: "r".to_owned(),
            owner: None,
            at: at(decided),
            until: None,
            state,
            changed_at: at(changed),
            attempts: 1,
            message: None,
        }
    }

    fn stored(entries: Vec<LogEntry>, commands: Vec<CommandLife>) -> Stored {
        let report = |ms, on| StoredReport {
            at: at(ms),
            on,
            value: None,
        };
        Stored {
            entries,
            since: at(0),
            reports: BTreeMap::from([(
                "fan".to_owned(),
                vec![
                    report(-5, Some(false)),
                    report(40, None),
                    report(60, Some(true)),
                ],
            )]),
            commands,
            own: Own {
                devices: BTreeMap::from([("fan".to_owned(), "Fan".to_owned())]),
                rules: BTreeSet::from(["r".to_owned()]),
                alerts: BTreeSet::from(["warm".to_owned()]),
            },
            marks: Vec::new(),
            controllers: Vec::new(),
            incomplete: false,
        }
    }

    fn entry(ms: i64, kind: LogKind, about: &str) -> LogEntry {
        let mut body = LogBody::new(kind);
        match kind {
            LogKind::AlertRaised | LogKind::AlertResolved => {
                let alert = json!({"id": about, "name": about});
                body.facts.insert("alert".to_owned(), alert);
            }
            _ => body.rule = Some(Named::new(about, about)),
        }
        LogEntry {
            id: ms,
            at: at(ms),
            log_type: LogType::Other,
            result: LogResult::Success,
            body,
            states: Vec::new(),
        }
    }

    fn shape(lane: &LaneBody) -> Vec<(i64, i64, LaneStateName)> {
        lane.spans.iter().map(|s| (s.from, s.to, s.state)).collect()
    }

    #[test]
    fn commands_are_as_they_are_now_before_the_journal_and_as_they_were_in_it() {
        use LaneStateName as S;
        let old = life("1", 5, CommandState::Confirmed, 7);
        let of = stored(Vec::new(), vec![old]);
        let folded = [
            life("2", 60, CommandState::Queued, 60),
            life("2", 60, CommandState::Sent, 62),
            life("3", 70, CommandState::Queued, 70),
            // One that is older than another does not speak for the device any more.
            life("2", 60, CommandState::TimedOut, 75),
        ];
        let id = DeviceId::from("fan");
        let span = (at(0), at(100));
        let lane = of.commands(&id, &folded, span, at(50), Language::En);
        let told = shape(&lane.expect("a lane"));
        let wanted = [
            (7, 60, S::Confirmed),
            (60, 62, S::Queued),
            (62, 70, S::Sent),
            (70, 100, S::Queued),
        ];
        assert_eq!(told, wanted);
    }

    #[test]
    fn what_was_stored_has_gaps_and_what_began_before_it() {
        use LaneStateName as S;
        let entries = vec![
            entry(10, LogKind::RuleStopped, "r"),
            entry(20, LogKind::RuleFired, "r"),
            entry(30, LogKind::RuleFired, "other"),
            entry(35, LogKind::AlertRaised, "warm"),
            entry(36, LogKind::AlertRaised, "elsewhere"),
            entry(45, LogKind::AlertResolved, "warm"),
        ];
        let of = stored(entries, Vec::new());
        let lanes = of.lanes((at(0), at(80)));
        let told: Vec<_> = lanes.iter().map(|l| (l.key.as_str(), shape(l))).collect();
        let wanted = vec![
            ("reported fan", vec![(0, 40, S::Off), (60, 80, S::On)]),
            ("phase r", vec![(0, 10, S::Running), (20, 80, S::Running)]),
            ("alert warm", vec![(35, 45, S::Raised)]),
        ];
        assert_eq!(told, wanted);
        // Nothing of it where the journal reaches back to the beginning.
        assert!(of.lanes((at(0), at(0))).is_empty());
    }
}
