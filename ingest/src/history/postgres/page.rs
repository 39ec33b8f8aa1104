//! A page of the log and its exact counts, from one moment of the tables.

use std::collections::HashMap;

use harit_engine::{FarmId, Timestamp};
use harit_farm::CommandState;
use sqlx::PgConnection;

use super::log::number_of;
use super::write::text;
use crate::log::store::{NameKind, folded};
use crate::log::{LogBody, LogEntry, LogFilter, LogPage, LogResult, LogType, MAX_PAGE, OrderState};

macro_rules! wanted {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            " FROM log WHERE farm = $1 AND at >= $2 AND at <= $3 AND ($4::bigint IS NULL OR type = $4) AND ($5::bigint IS NULL OR result = $5) \
             AND ($6::bigint[] IS NULL OR device = ANY($6) OR rule = ANY($6)) AND ($7::bigint[] IS NULL OR person = ANY($7))",
            $after
        )
    };
}

const COUNT: &str = wanted!("SELECT count(*)", "");
/// The index alone finds the page; only its own rows are read.
const PAGE: &str = wanted!(
    "SELECT l.id, l.at, l.type, l.result, l.body FROM log l JOIN (SELECT id",
    " ORDER BY at DESC, id DESC LIMIT $8 OFFSET $9) p USING (id) ORDER BY l.at DESC, l.id DESC"
);

/// What is wanted, as the questions have it.
struct Wanted {
    farm: i64,
    from: i64,
    to: i64,
    log_type: Option<i64>,
    result: Option<i64>,
    devices: Option<Vec<i64>>,
    users: Option<Vec<i64>>,
}

/// The numbers of the names that have the text in them; of devices also those that have one of `others`.
async fn names_with(
    c: &mut PgConnection,
    farm: i64,
    kinds: &[NameKind],
    name: Option<&str>,
    others: &[String],
) -> Result<Option<Vec<i64>>, sqlx::Error> {
    let Some(name) = name.filter(|t| !t.is_empty()) else {
        return Ok(None);
    };
    let found = sqlx::query_scalar(
        "SELECT id FROM log_name WHERE farm = $1 AND kind = ANY($2) \
         AND (strpos(text, $3) > 0 \
         OR kind = $5 AND EXISTS (SELECT FROM unnest($4::text[]) other WHERE strpos(text, other) > 0))",
    )
    .bind(farm)
    .bind(kinds.iter().map(|k| *k as i64).collect::<Vec<_>>())
    .bind(text(&folded(name)))
    .bind({ others.iter() }.map(|other| folded(other)).collect::<Vec<_>>())
    .bind(NameKind::Device as i64)
    .fetch_all(c)
    .await?;
    Ok(Some(found))
}

/// A page and its counts; within a transaction that sees one moment.
pub(super) async fn page(
    c: &mut PgConnection,
    farm: &FarmId,
    filter: &LogFilter,
) -> Result<LogPage, sqlx::Error> {
    let Some((farm, total)) = number_of(c, farm).await? else {
        return Ok(LogPage::default());
    };
    let all = LogFilter {
        skip: filter.skip,
        take: filter.take,
        ..LogFilter::default()
    };
    let both = [NameKind::Device, NameKind::Rule];
    let wanted = Wanted {
        farm,
        from: filter.from.map_or(i64::MIN, Timestamp::as_millis),
        to: filter.to.map_or(i64::MAX, Timestamp::as_millis),
        log_type: filter.log_type.map(LogType::number),
        result: filter.result.map(LogResult::number),
        devices: names_with(
            c,
            farm,
            &both,
            filter.device.as_deref(),
            &filter.controllers,
        )
        .await?,
        users: names_with(c, farm, &[NameKind::User], filter.user.as_deref(), &[]).await?,
    };
    let matching = if *filter == all {
        total
    } else {
        let count: i64 = sqlx::query_scalar(COUNT)
            .bind(wanted.farm)
            .bind(wanted.from)
            .bind(wanted.to)
            .bind(wanted.log_type)
            .bind(wanted.result)
            .bind(&wanted.devices)
            .bind(&wanted.users)
            .fetch_one(&mut *c)
            .await?;
        count.unsigned_abs()
    };
    let entries = match filter.skip < matching {
        true => entries(c, &wanted, filter).await?,
        false => Vec::new(),
    };
    Ok(LogPage {
        total,
        matching,
        entries,
        incomplete: false,
    })
}

async fn entries(
    c: &mut PgConnection,
    wanted: &Wanted,
    filter: &LogFilter,
) -> Result<Vec<LogEntry>, sqlx::Error> {
    let rows: Vec<(i64, i64, i64, i64, String)> = sqlx::query_as(PAGE)
        .bind(wanted.farm)
        .bind(wanted.from)
        .bind(wanted.to)
        .bind(wanted.log_type)
        .bind(wanted.result)
        .bind(&wanted.devices)
        .bind(&wanted.users)
        .bind(i64::try_from(filter.take.min(MAX_PAGE)).unwrap_or(i64::MAX))
        .bind(i64::try_from(filter.skip).unwrap_or(i64::MAX))
        .fetch_all(&mut *c)
        .await?;
    let states: Vec<(i64, String, String, Option<String>)> = sqlx::query_as(
        "SELECT log, command_id, state, message FROM log_command WHERE log = ANY($1) ORDER BY command_id",
    )
    .bind(rows.iter().map(|r| r.0).collect::<Vec<_>>())
    .bind(NameKind::Device as i64)
    .fetch_all(c)
    .await?;
    let mut of: HashMap<i64, Vec<OrderState>> = HashMap::new();
    for (log, command_id, state, message) in states {
        of.entry(log).or_default().push(OrderState {
            command_id,
            state: CommandState::parse(&state).unwrap_or(CommandState::TimedOut),
            message,
        });
    }
    let entry = |(id, at, log_type, result, body): (i64, i64, i64, i64, String)| {
        // one that a later version wrote is counted, and not understood
        let body: LogBody = serde_json::from_str(&body).ok()?;
        Some(LogEntry {
            id,
            at: Timestamp::from_millis(at),
            log_type: LogType::numbered(log_type)?,
            result: LogResult::numbered(result)?,
            states: match body.orders.is_empty() {
                true => Vec::new(),
                false => of.remove(&id).unwrap_or_default(),
            },
            body,
        })
    };
    Ok(rows.into_iter().filter_map(entry).collect())
}
