//! Notifications: what the engine decided and how the farm's things are, told to the farm's people.
//!
//! Nothing may be lost and nothing told twice, over slow readers and restarts. So the live channel only wakes: what is told
//! comes from what is kept. Alerts come from the engine's stored events, from the last one that was looked at on; locks,
//! controllers and sensors from a comparison of what is with what was told last ([`levels`]); commands that came to nothing
//! from the live channel, and from the stored commands where the channel was too fast or the server was down. What was told
//! is written in one transaction with the notifications.

mod answered;
mod causes;
mod ended;
mod escalate;
mod levels;
mod notice;
mod outages;
mod picture;
mod reach;
mod watched;
mod words;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use harit_engine::{EventKind, FarmId, Timestamp};
use harit_ingest::{CommandFilter, CommandLife, CommandState, Hub, LiveEvent, LiveKind};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

pub(crate) use escalate::subject as chain_subject;
pub(crate) use notice::{Ended, Notice, Severity, Watch, Watched as Condition};
pub(crate) use words::{Words, quantity};

use crate::records::{FarmRecords, Records, Told, now_ms};
use picture::Picture;
use watched::{At, Watched};

/// What happens together is told together.
const GATHER: Duration = Duration::from_millis(250);
/// How often every farm is looked at, for what changes without an event.
const ROUND: Duration = Duration::from_secs(5);
/// Stored events that are read at one time.
const PAGE: usize = 500;
/// Commands of a farm that wait to be told; of more than that, what is stored is looked through.
const MAX_COMMANDS: usize = 1_000;
/// Commands that came to nothing are looked for this far back after a gap.
const COMMANDS_BACK_MS: i64 = 3_600 * 1_000;

/// The mark of the engine's events among what was told.
const EVENTS: &str = "events";

/// Tells the people of all farms what happens there.
pub(crate) struct Notifier {
    records: Records,
    hub: Hub,
    /// How long after the start controllers may take to come back before anything is told of them.
    grace: Duration,
    farms: BTreeMap<FarmId, Watched>,
    /// Farms to look at.
    due: BTreeSet<FarmId>,
    /// Whether the engines may have decided something that is not stored yet. A round looks at what is stored.
    unstored: bool,
    /// Commands that came to nothing and were not told.
    commands: BTreeMap<FarmId, Vec<CommandLife>>,
    /// Farms whose stored commands are to be looked through.
    look_back: BTreeSet<FarmId>,
    /// The event after which notifications began, once that is known.
    began: Option<i64>,
    /// When the next step of a chain is due, in each farm that waits for an answer.
    steps: BTreeMap<FarmId, i64>,
}

/// A look failed; the next one makes up for it.
#[derive(Debug, thiserror::Error)]
enum LookError {
    #[error("the records failed")]
    Records(#[from] sqlx::Error),
    #[error("the history failed")]
    History(#[from] harit_ingest::history::HistoryError),
    #[error("the farm's engine cannot be asked")]
    Engine(#[from] harit_ingest::AdmitError),
    #[error("a notification cannot be written as JSON")]
    Json(#[from] serde_json::Error),
}

impl Notifier {
    pub(crate) fn new(records: Records, hub: Hub, grace: Duration) -> Self {
        Self {
            records,
            hub,
            grace,
            farms: BTreeMap::new(),
            due: BTreeSet::new(),
            unstored: true,
            commands: BTreeMap::new(),
            look_back: BTreeSet::new(),
            began: None,
            steps: BTreeMap::new(),
        }
    }

    /// Tells until it is stopped.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        let mut live = self.hub.subscribe();
        let started = Instant::now();
        self.settle_beginning().await;
        self.all_due();
        self.look_back.extend(self.hub.farms());
        let mut round = tokio::time::interval(ROUND);
        round.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let until_step = self.until_step();
            tokio::select! {
                () = stop.cancelled() => return,
                woken = self.wake(&mut live) => if !woken { return },
                _ = round.tick() => self.all_due(),
                () = tokio::time::sleep(until_step) => self.steps_due(),
            }
            // what comes within a moment is looked at together
            let moment = tokio::time::sleep(GATHER);
            tokio::pin!(moment);
            loop {
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = &mut moment => break,
                    woken = self.wake(&mut live) => if !woken { return },
                }
            }
            self.look_at_due(started.elapsed() >= self.grace).await;
        }
    }

    /// How long until the next step of a chain.
    fn until_step(&self) -> Duration {
        let first = self.steps.values().min();
        let wait = first.map(|at| u64::try_from(at - now_ms()).unwrap_or(0));
        wait.map_or(ROUND, Duration::from_millis)
    }

    /// The farms whose next step is due are looked at.
    fn steps_due(&mut self) {
        let now = now_ms();
        let due = self.steps.extract_if(.., |_, at| *at <= now);
        self.due.extend(due.map(|(farm, _)| farm));
    }

    fn all_due(&mut self) {
        self.due.extend(self.hub.farms());
    }

    /// Takes one live event; `false` when there will be none any more.
    async fn wake(&mut self, live: &mut Receiver<Arc<LiveEvent>>) -> bool {
        match live.recv().await {
            Ok(event) => self.heard(&event),
            Err(RecvError::Lagged(_)) => {
                self.all_due();
                self.unstored = true;
                self.look_back.extend(self.hub.farms());
            }
            Err(RecvError::Closed) => return false,
        }
        true
    }

    fn heard(&mut self, event: &LiveEvent) {
        let matters = match &event.kind {
            LiveKind::Engine(e) => {
                let matters = matters(&e.kind);
                self.unstored |= matters;
                matters
            }
            LiveKind::Command(life) if came_to_nothing(life) => {
                let waiting = self.commands.entry(event.farm.clone()).or_default();
                if waiting.len() < MAX_COMMANDS {
                    waiting.push(CommandLife::clone(life));
                } else {
                    self.look_back.insert(event.farm.clone());
                }
                true
            }
            LiveKind::Controller { .. } => true,
            LiveKind::Command(_) | LiveKind::Telemetry(_) | LiveKind::Registry | LiveKind::Log => {
                false
            }
        };
        if matters {
            self.due.insert(event.farm.clone());
        }
    }

    /// Settles, at the very first start, that what was before it is not told.
    async fn settle_beginning(&mut self) {
        let settled: Result<i64, LookError> = async {
            let last = self.hub.history().last_event().await?;
            Ok(self.records.notifications_begin(last).await?)
        }
        .await;
        match settled {
            Ok(began) => self.began = Some(began),
            Err(error) => tracing::warn!(%error, "notifications wait"),
        }
    }

    async fn look_at_due(&mut self, levels: bool) {
        if self.began.is_none() {
            self.settle_beginning().await;
        }
        let Some(began) = self.began else { return };
        let due = std::mem::take(&mut self.due);
        if std::mem::take(&mut self.unstored) {
            // what the engines decided up to here is to be found
            self.hub.flush_decisions().await;
        }
        for farm in due {
            match self.look(&farm, began, levels).await {
                Ok(()) => continue,
                // it failed, or the server ends
                Err(LookError::Engine(error)) => {
                    tracing::debug!(%farm, %error, "a farm cannot be asked");
                }
                Err(error) => {
                    metrics::counter!("harit_notification_errors_total").increment(1);
                    tracing::warn!(%farm, %error, cause = ?std::error::Error::source(&error), "a farm's notifications wait");
                }
            }
            // the next round looks again, and the stored commands have what could not be told
            self.commands.remove(&farm);
            self.look_back.insert(farm);
        }
    }

    /// Looks at a farm and tells what is new.
    async fn look(&mut self, farm: &FarmId, began: i64, levels: bool) -> Result<(), LookError> {
        let records = self.records.of_farm(farm.clone());
        if !self.farms.contains_key(farm) {
            let watched = self.begin(farm, began, &records).await?;
            self.farms.insert(farm.clone(), watched);
        }
        let Some(watched) = self.farms.get_mut(farm) else {
            return Ok(());
        };
        let mut lives = self.commands.get(farm).cloned().unwrap_or_default();
        if self.look_back.contains(farm) {
            lives.extend(stored_commands(&self.hub, farm).await);
        }
        let picture = Picture::take(&self.hub, &records, farm).await?;
        loop {
            let events = self.hub.history();
            let events = events.events_after(farm, watched.event, PAGE).await?;
            let more = events.len() == PAGE;
            let (mut new, told) = watched.alerts(&events, &picture, more);
            ended::fill(&records, &picture, &mut new).await?;
            watched.leave_out_answered(&records, &mut new).await?;
            watched.tell(&records, new, told, &picture).await?;
            if let Some(last) = events.last() {
                watched.event = last.id;
            }
            if !more {
                break;
            }
        }
        watched.letter(&records, now_ms()).await?;
        let (new, told) = watched.commands(&lives, &picture);
        watched.tell(&records, new, told, &picture).await?;
        let now = now_ms();
        let answers = watched.answers(&records).await?;
        let changes = answered::anew(&picture.levels.alerts, &answers, &watched.told, now);
        let new = changes.notices.into_iter().map(|n| At(now, n)).collect();
        watched.tell(&records, new, changes.told, &picture).await?;
        match watched.escalate(&records, &answers, &picture, now).await? {
            Some(at) => self.steps.insert(farm.clone(), at),
            None => self.steps.remove(farm),
        };
        if levels {
            let changes = levels::compare(&picture.levels, &watched.told, now);
            let new = changes.notices.into_iter().map(|n| At(now, n)).collect();
            watched.tell(&records, new, changes.told, &picture).await?;
        }
        self.commands.remove(farm);
        self.look_back.remove(farm);
        Ok(())
    }

    /// What is remembered of a farm at the start.
    async fn begin(
        &self,
        farm: &FarmId,
        began: i64,
        records: &FarmRecords,
    ) -> Result<Watched, LookError> {
        let told = records.told().await?;
        let event = match told.get(EVENTS) {
            None => began,
            Some(mark) => place_of(&self.hub, farm, mark).await?,
        };
        let open = records.open_incidents().await?.into_iter();
        let raised = open.map(|id| (id.alert, Timestamp::from_millis(id.raised_at)));
        Ok(Watched {
            event,
            told,
            raised: raised.collect(),
            lately: VecDeque::new(),
        })
    }
}

const fn matters(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::AlertRaised { .. }
            | EventKind::AlertNotified { .. }
            | EventKind::AlertResolved { .. }
            | EventKind::DeviceLocked { .. }
            | EventKind::SensorExpired { .. }
    )
}

const fn came_to_nothing(life: &CommandLife) -> bool {
    matches!(life.state, CommandState::Failed | CommandState::TimedOut)
}

const COMMAND: &str = "command/";

fn command_key(life: &CommandLife) -> String {
    format!("{COMMAND}{}", life.command_id)
}

/// Where the stored events go on after the mark. After a power loss the store may have lost its end and got it again from
/// the journal under other numbers; then the event's instant says where to go on.
async fn place_of(hub: &Hub, farm: &FarmId, mark: &Told) -> Result<i64, LookError> {
    let id: i64 = mark.state.parse().unwrap_or(0);
    let history = hub.history();
    let at_mark = history.events_after(farm, id - 1, 1).await?;
    if at_mark
        .first()
        .is_some_and(|e| e.id == id && e.at.as_millis() == mark.at)
    {
        return Ok(id);
    }
    let filter = harit_ingest::history::EventFilter {
        to: Some(Timestamp::from_millis(mark.at + 1)),
        limit: 1,
        ..Default::default()
    };
    let before = history.events(farm, filter).await?;
    Ok(before.first().map_or(0, |e| e.id))
}

/// Commands of lately that came to nothing.
async fn stored_commands(hub: &Hub, farm: &FarmId) -> Vec<CommandLife> {
    let mut all = Vec::new();
    for state in [CommandState::Failed, CommandState::TimedOut] {
        let filter = CommandFilter {
            state: Some(state),
            from: Some(Timestamp::from_millis(now_ms() - COMMANDS_BACK_MS)),
            ..CommandFilter::default()
        };
        match hub.commands(farm, filter).await {
            Ok(found) => all.extend(found.items),
            Err(error) => tracing::error!(%farm, %error, "commands cannot be read"),
        }
    }
    all.retain(came_to_nothing);
    all.sort_by_key(|life| life.changed_at);
    all
}
