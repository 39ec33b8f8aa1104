//! The evening letter: a day of a farm as its history, its log and what people wrote down have it. Nothing of it is stored: a
//! letter of a day that is over says the same whenever it is read, as far as the history goes back. What is not known is
//! null or counted as not known, never zero ([decision 20](../../../docs/decisions/0020-evening-letter.md)).

mod ahead;
mod happened;
mod houses;
mod machines;
mod minutes;
mod ready;
mod week;

use harit_engine::Timestamp;
use harit_ingest::log::{LogEntry, LogFilter};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::{FarmAccess, Needs, ReadMoney};
use crate::error::ApiError;
use crate::farm::{Written, wanted, written};
use crate::records::now_ms;
use ahead::{Ahead, ahead, open_before};
use happened::{AlertDeeds, Away, PersonDeeds, RuleDeeds};
use houses::{Air, House, air};
use machines::{Machine, machines};

pub(crate) use minutes::Span;
pub(crate) use ready::{day_at, latest, span_of, zone_of};
pub(crate) use week::{Week, of_week};

use ready::ready_at;

/// Entries of the log that are read of a day: pages of the store, newest first.
const PAGE: usize = 200;
const MAX_PAGES: u64 = 50;

/// A day of a farm.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Letter {
    /// YYYY-MM-DD, in the farm's time.
    day: String,
    /// When the day begins and ends: 23 to 25 hours.
    #[serde(flatten)]
    span: Span,
    /// Up to when it is told: now, or the end of the day.
    known_until: i64,
    /// When it is told to who wants it: at 19:00.
    ready_at: i64,
    /// Whether the caller is told when one is ready.
    is_told: bool,
    houses: Vec<House>,
    devices: Vec<Machine>,
    rules: Vec<RuleDeeds>,
    alerts: Vec<AlertDeeds>,
    people: Vec<PersonDeeds>,
    /// Controllers that could not be reached for a while.
    away: Vec<Away>,
    /// How often sensors fell silent.
    fell_silent: u64,
    /// When no sensor of the farm was heard, as while the server was off.
    unheard: Vec<Span>,
    written: Written,
    /// What to look at tomorrow; null in the letters of days before today.
    #[schema(required)]
    ahead: Option<Ahead>,
    /// Whether so much happened that the log's earlier part is not in it.
    log_cut: bool,
    /// Whether the latest may be missing, because the history cannot be written at present.
    incomplete: bool,
}

/// What a day's measurements and devices come to.
pub(super) struct Figures {
    pub(super) air: Air,
    pub(super) machines: Vec<Machine>,
}

async fn figures<N: Needs>(
    access: &FarmAccess<N>,
    day: Date,
    told: Span,
) -> Result<Figures, ApiError> {
    let wanted = wanted(&access.records(), &day.to_string()).await?;
    let hub = access.hub();
    let air = air(&hub, wanted, told).await?;
    let machines = machines(&hub, told, &air.unheard).await?;
    Ok(Figures { air, machines })
}

/// The part of a day that is over; none where it has not begun.
fn told_of(span: Span, now: i64) -> Option<Span> {
    let until = span.until.min(now);
    (span.from < until).then_some(Span { until, ..span })
}

/// The letter of a day; none of a day that has not begun.
pub(crate) async fn of_day<N: Needs>(
    access: &FarmAccess<N>,
    zone: &TimeZone,
    day: Date,
) -> Result<Option<Letter>, ApiError> {
    let now = now_ms();
    let Some(span) = span_of(zone, day) else {
        return Ok(None);
    };
    let Some(told) = told_of(span, now) else {
        return Ok(None);
    };
    let Figures { air, machines } = figures(access, day, told).await?;
    let (entries, log_cut) = log_of(access, told).await?;
    let hub = access.hub();
    let open = move |engine: &harit_engine::Engine| open_before(engine, told.until);
    let open = hub.read(open).await?;
    let happened = happened::read(&entries, told, &open);
    let records = access.records();
    let name = day.to_string();
    let written = written(&records, &name, access.may::<ReadMoney>()).await?;
    let ahead = match day.tomorrow() {
        Ok(tomorrow) if day == day_at(zone, now) => {
            Some(ahead(access, &name, &tomorrow.to_string()).await?)
        }
        _ => None,
    };
    Ok(Some(Letter {
        day: name,
        span,
        known_until: told.until,
        ready_at: ready_at(zone, day).unwrap_or(span.until),
        is_told: records
            .is_told_of_letters(&access.user().id, access.role())
            .await?,
        houses: air.houses,
        devices: machines,
        rules: happened.rules,
        alerts: happened.alerts,
        people: happened.people,
        away: happened.away,
        fell_silent: happened.fell_silent,
        unheard: air.unheard,
        written,
        ahead,
        log_cut,
        incomplete: hub.history_incomplete(),
    }))
}

/// The log's entries of a time, oldest first, and whether there are earlier ones that were not read.
async fn log_of<N: Needs>(
    access: &FarmAccess<N>,
    told: Span,
) -> Result<(Vec<LogEntry>, bool), ApiError> {
    let mut entries: Vec<LogEntry> = Vec::new();
    let mut cut = true;
    for page in 0..MAX_PAGES {
        let filter = LogFilter {
            from: Some(Timestamp::from_millis(told.from)),
            // the filter's end is part of it
            to: Some(Timestamp::from_millis(told.until - 1)),
            skip: page * PAGE as u64,
            take: PAGE,
            ..LogFilter::default()
        };
        let found = access.log(filter).await?;
        let last = found.entries.len() < PAGE;
        entries.extend(found.entries);
        if last {
            cut = false;
            break;
        }
    }
    entries.sort_by_key(|e| (e.at, e.id));
    // what came while the pages were read moved the others
    entries.dedup_by_key(|e| e.id);
    Ok((entries, cut))
}
