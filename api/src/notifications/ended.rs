//! What the engine's events do not say of alerts that were deleted or changed: their names, and who did it. The audit log does.

use std::time::Duration;

use harit_engine::AlertSpec;

use super::notice::{Ended, Notice, Watch};
use super::picture::Picture;
use super::{At, LookError};
use crate::records::{AlertDeed, FarmRecords, now_ms};

/// A person's deed is written down this soon after what it led to.
const SOON_MS: i64 = 60_000;
/// So often it is looked for again, where what it led to has just happened.
const LOOKS: usize = 10;
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// Fills in who ended alerts, and the names of those that are not there any more.
pub(super) async fn fill(
    records: &FarmRecords,
    picture: &Picture,
    notices: &mut [At],
) -> Result<(), LookError> {
    for At(at, notice) in notices {
        let (watch, how, by) = match notice {
            Notice::AlertEnded { watch, how, by } => (watch, *how, Some(by)),
            Notice::AlertRaised { watch }
            | Notice::AlertRepeated { watch, .. }
            | Notice::AlertResolved { watch }
            | Notice::AlertUnknown { watch, .. } => (watch, Ended::Deleted, None),
            _ => continue,
        };
        if by.is_none() && !watch.name.is_empty() {
            continue;
        }
        let Some(deed) = deed(records, &watch.alert, how, *at).await? else {
            continue;
        };
        if let Some(by) = by
            && is_of(&deed, *at)
        {
            by.clone_from(&deed.actor);
        }
        if watch.name.is_empty() {
            name(watch, picture, &deed.details);
        }
    }
    Ok(())
}

const fn is_of(deed: &AlertDeed, at: i64) -> bool {
    (deed.at - at).abs() <= SOON_MS
}

/// What was done to the alert last. It is written down after it was done, so it may be a moment late.
async fn deed(
    records: &FarmRecords,
    alert: &str,
    how: Ended,
    at: i64,
) -> Result<Option<AlertDeed>, LookError> {
    let mut found = records.alert_deed(alert, how.deeds()).await?;
    for _ in 1..LOOKS {
        let is_late = now_ms() - at > SOON_MS || how.deeds().is_empty();
        if is_late || found.as_ref().is_some_and(|deed| is_of(deed, at)) {
            break;
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
        found = records.alert_deed(alert, how.deeds()).await?;
    }
    Ok(found)
}

/// The audit log has the whole document of an alert that was deleted.
fn name(watch: &mut Watch, picture: &Picture, details: &str) {
    let document = serde_json::from_str(details).ok();
    if let Some(spec) = document.and_then(|d| AlertSpec::from_json(&d).ok()) {
        *watch = Watch {
            raised_at: watch.raised_at,
            ..picture.watch_of(&spec)
        };
    }
}
