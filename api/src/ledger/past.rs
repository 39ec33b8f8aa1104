//! What a device did in a long time: read in pages, for one answer of the history has only so many.

use std::collections::HashMap;

use futures_util::future::try_join;
use harit_engine::{DeviceId, Timestamp};
use harit_ingest::command::MAX_LISTED;
use harit_ingest::history::StoredReport;
use harit_ingest::{CommandFilter, CommandLife};

use crate::access::FarmHub;
use crate::device_past::{COMMAND_BEFORE_MS, Segment, segments};
use crate::error::ApiError;
use crate::letter::Span;

/// The most pages of a device's reports, and as many of its commands: what is older is not known.
const MAX_PAGES: usize = 40;

/// The times in which a device did not change, oldest first, up to the end of `span`.
pub(crate) async fn past(
    hub: &FarmHub<'_>,
    device: &DeviceId,
    span: Span,
    rules: &HashMap<String, String>,
) -> Result<Vec<Segment>, ApiError> {
    let (reports, commands) =
        try_join(reports(hub, device, span), commands(hub, device, span)).await?;
    Ok(segments(&reports, &commands, rules))
}

async fn reports(
    hub: &FarmHub<'_>,
    device: &DeviceId,
    span: Span,
) -> Result<Vec<StoredReport>, ApiError> {
    let from = Timestamp::from_millis(span.from);
    let mut until = span.until;
    let mut pages = Vec::new();
    for _ in 0..MAX_PAGES {
        let page = hub.reports(device, from, Timestamp::from_millis(until));
        let page = page.await.map_err(super::unreadable)?;
        let goes_on = page.len() >= MAX_LISTED;
        until = page.first().map_or(span.from, |r| r.at.as_millis());
        pages.push(page);
        if !goes_on || until <= span.from {
            break;
        }
    }
    Ok(pages.into_iter().rev().flatten().collect())
}

async fn commands(
    hub: &FarmHub<'_>,
    device: &DeviceId,
    span: Span,
) -> Result<Vec<CommandLife>, ApiError> {
    let from = Timestamp::from_millis(span.from - COMMAND_BEFORE_MS);
    let mut to = Timestamp::from_millis(span.until);
    let mut all: Vec<CommandLife> = Vec::new();
    for _ in 0..MAX_PAGES {
        let filter = CommandFilter {
            device: Some(device.clone()),
            from: Some(from),
            to: Some(to),
            limit: MAX_LISTED,
            state: None,
        };
        let page = hub.commands(filter).await?.items;
        let (Some(oldest), true) = (page.last().map(|c| c.at), page.len() >= MAX_LISTED) else {
            all.extend(page);
            break;
        };
        // those of its oldest instant come with the next page
        let before = all.len();
        all.extend(page.into_iter().filter(|c| c.at > oldest));
        if all.len() == before {
            break;
        }
        to = Timestamp::from_millis(oldest.as_millis() + 1);
    }
    all.reverse();
    Ok(all)
}
