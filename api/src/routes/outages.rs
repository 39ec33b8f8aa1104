//! The outages of a farm, page by page, each with what came of it.

use axum::Json;
use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::logs::{LogEntryBody, body};
use super::page::Page;
use crate::access::{FarmAccess, ReadFarm};
use crate::error::{ApiError, ErrorBody, Params};
use crate::language::{Language, Text};
use crate::outages::{
    ConsequenceKind, Outage, OutageKind, comings, consequences, latest_first, outages, power,
};
use crate::records::now_ms;

/// The most outages of a page: of each the log is read.
const MAX_PAGE_SIZE: u32 = 50;
const DAY_MS: i64 = 24 * 3_600 * 1_000;
/// What is told where no time is given.
const DEFAULT_MS: i64 = 7 * DAY_MS;
/// The longest span.
const MAX_SPAN_MS: i64 = 92 * DAY_MS;

/// Which span, and which page.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct OutageQuery {
    /// From this instant on; by default 7 days before `to`. At most 92 days.
    from: Option<i64>,
    /// Up to this instant; by default now.
    to: Option<i64>,
    /// From 1 on; 1 by default.
    #[param(minimum = 1)]
    page: Option<u32>,
    /// 1 to 50; 20 by default.
    #[param(minimum = 1, maximum = 50)]
    page_size: Option<u32>,
}

/// A page of outages.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OutagePage)]
pub(super) struct OutagePageBody {
    from: i64,
    to: i64,
    /// How many outages reach into the span.
    total: usize,
    page: u32,
    page_size: u32,
    /// How often and how long each kind was in the span; none of a kind that was not.
    sums: Vec<SumBody>,
    /// The latest first.
    items: Vec<OutageBody>,
    /// Whether so much came and went that the span's earlier part is not told.
    cut: bool,
    /// Whether the latest may be missing, because the history cannot be written at present.
    incomplete: bool,
}

/// How often and how long one kind of outage was.
#[derive(Serialize, ToSchema)]
#[schema(as = OutageSum)]
struct SumBody {
    kind: OutageKind,
    count: usize,
    /// Seconds within the span; those of several things at once are added.
    seconds: i64,
}

/// A time in which something did not work.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Outage)]
struct OutageBody {
    kind: OutageKind,
    /// The controller's MAC, or the sensor's id; null of the server.
    #[schema(required)]
    id: Option<String>,
    #[schema(required)]
    name: Option<String>,
    /// Of the server: the farm's last record before.
    from: i64,
    /// Null while it goes on.
    #[schema(required)]
    until: Option<i64>,
    /// The controller's devices, by their names of then.
    devices: Vec<String>,
    /// How many other controllers were lost within two minutes: with some it was probably the power.
    with: usize,
    /// Rules whose holds went on over an outage of the server.
    held_on: Vec<String>,
    /// Rules whose holds began anew after it.
    holds_lost: Vec<String>,
    /// What came of it, oldest first.
    consequences: Vec<ConsequenceBody>,
    /// How much more came of it.
    more: usize,
}

/// What came of an outage.
#[derive(Serialize, ToSchema)]
#[schema(as = OutageConsequence)]
struct ConsequenceBody {
    kind: ConsequenceKind,
    entry: LogEntryBody,
}

/// The outages
///
/// When the server was off, controllers could not be reached and phase sensors told no power, and what came of each: what was
/// missed, ended, and sent again. As far as log and history tell.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/outages", tag = "automation", operation_id = "list_outages", summary = "List outages",
    params(OutageQuery),
    responses(
        (status = OK, body = OutagePageBody),
        (status = UNPROCESSABLE_ENTITY, description = "No such page, or no time at all", body = ErrorBody),
    )
)]
pub(super) async fn list(
    access: FarmAccess<ReadFarm>,
    headers: HeaderMap,
    Params(query): Params<OutageQuery>,
) -> Result<Json<OutagePageBody>, ApiError> {
    let page = Page::read(query.page, query.page_size, MAX_PAGE_SIZE)?;
    let now = now_ms();
    let to = query.to.unwrap_or(now).min(now);
    // nothing is of before that, and what is asked of a span is around it too
    let from = { query.from.unwrap_or_else(|| to.saturating_sub(DEFAULT_MS)) }.max(0);
    if from >= to {
        return Err(ApiError::field("from", "out_of_range", Text::TimeReversed));
    }
    if to.saturating_sub(from) > MAX_SPAN_MS {
        return Err(ApiError::field(
            "from",
            "out_of_range",
            Text::StepOutOfRange,
        ));
    }
    let span = (from, to);
    let (entries, cut) = comings(&access, span).await?;
    let mut all = outages(&entries, span);
    all.extend(power(&access, span).await?);
    latest_first(&mut all);
    let skip = usize::try_from(page.skip()).unwrap_or(usize::MAX);
    let language = Language::of(&headers);
    let mut items = Vec::new();
    for outage in all.iter().skip(skip).take(page.size as usize) {
        items.push(item(&access, outage, language).await?);
    }
    Ok(Json(OutagePageBody {
        from,
        to,
        total: all.len(),
        page: page.number,
        page_size: page.size,
        sums: sums(&all, span),
        items,
        cut,
        incomplete: access.hub().history_incomplete(),
    }))
}

fn sums(all: &[Outage], span: (i64, i64)) -> Vec<SumBody> {
    let kinds = [
        OutageKind::Server,
        OutageKind::Power,
        OutageKind::Controller,
    ];
    let sum = |kind| {
        let own = all.iter().filter(|o| o.kind == kind);
        let (count, seconds) = own.fold((0, 0), |(count, seconds), outage| {
            (count + 1, seconds + outage.seconds_within(span))
        });
        (count > 0).then_some(SumBody {
            kind,
            count,
            seconds,
        })
    };
    kinds.into_iter().filter_map(sum).collect()
}

async fn item(
    access: &FarmAccess<ReadFarm>,
    outage: &Outage,
    language: Language,
) -> Result<OutageBody, ApiError> {
    let (told, more) = consequences(access, outage).await?;
    let reader = access.role();
    let (id, name) = { outage.of.clone() }.map_or((None, None), |n| (Some(n.id), Some(n.name)));
    Ok(OutageBody {
        kind: outage.kind,
        id,
        name,
        from: outage.from,
        until: outage.until,
        devices: outage.devices.clone(),
        with: outage.with,
        held_on: outage.held_on.clone(),
        holds_lost: outage.holds_lost.clone(),
        consequences: told
            .into_iter()
            .map(|c| ConsequenceBody {
                kind: c.kind,
                entry: body(c.entry, language, reader),
            })
            .collect(),
        more,
    })
}
