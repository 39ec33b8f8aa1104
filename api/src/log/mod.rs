//! The automation log as people read it: entries of the pipeline's table, told as sentences in the reader's language.
//!
//! What people do (sign-ins, rules, users, tasks) is in the audit log, a chain in the records' database. [`catch_up`] takes
//! it over into the pipeline's table, from where it was read last; the table stores how far that is together with the
//! entries, so it does not matter how often or by whom it is called.

mod deeds;
mod mask;
mod sentence;
mod words;

use harit_engine::{Engine, FarmId, ScopeSpec, Timestamp};
use harit_ingest::Hub;
use harit_ingest::log::{LogBody, LogEntry, LogKind, LogResult, LogType, Named, NewLogEntry};
use harit_protocol::Mac;
use serde_json::{Map, Value, json};

pub(crate) use mask::{masked, masked_text};
pub(crate) use sentence::{failure, reason, sentence};

use crate::audit::Action;
use crate::error::ApiError;
use crate::records::{AuditRow, FarmRecords, Records};

/// How many audit entries are taken over at a time.
const BATCH: usize = 500;
/// The source's name in the table.
const SOURCE: &str = "audit";
/// The largest details that are taken over, in bytes; of larger ones only the name is.
const MAX_DETAILS: usize = 4_096;

/// Takes over into the audit log what people changed of what the engine stores; see [`Records::take_authored`].
pub(crate) async fn take_authored(
    records: &Records,
    hub: &Hub,
    farm: &FarmId,
) -> Result<(), ApiError> {
    let authored = hub.authored(farm).await?;
    let taken = records.take_authored(farm, &authored).await;
    taken.map_err(|error| {
        metrics::counter!("harit_audit_errors_total").increment(1);
        tracing::error!(%error, %farm, "what people changed cannot be written into the audit log");
        ApiError::unavailable()
    })
}

/// Takes over what the audit log has and the farm's log does not.
pub(crate) async fn catch_up(records: &Records, hub: &Hub, farm: &FarmId) -> Result<(), ApiError> {
    take_authored(records, hub, farm).await?;
    loop {
        let position = hub.log_position(farm, SOURCE).await.map_err(|error| {
            tracing::error!(%error, "the log cannot be read");
            ApiError::unavailable()
        })?;
        let rows = records.audit_after(farm, position, BATCH).await?;
        if rows.is_empty() {
            return Ok(());
        }
        let last = rows.len() < BATCH;
        let tell = move |engine: &Engine| {
            let tell = |row: AuditRow| (row.seq, entry(row, engine));
            rows.into_iter().map(tell).collect::<Vec<_>>()
        };
        let entries = hub.read(farm, tell).await?;
        let imported = hub.import_log(farm, SOURCE, entries).await;
        if last || !imported {
            return Ok(());
        }
    }
}

/// The log's entry of an audit entry, unless the pipeline has one.
fn entry(row: AuditRow, engine: &Engine) -> Option<NewLogEntry> {
    let action = Action::parse(&row.action);
    // the pipeline tells it itself, with what became of it
    if action.is_some_and(|action| deeds::phrase(action).is_none()) {
        return None;
    }
    let details: Value = serde_json::from_str(&row.details).unwrap_or_default();
    let mut body = LogBody::new(LogKind::Record);
    body.user = row.actor.map(|(id, name)| Named::new(id, name));
    let scope = details
        .get("scope")
        .and_then(|s| ScopeSpec::from_json(s).ok());
    body.scope = scope.and_then(|s| engine.labelled(&s));
    let name = details.get("name").and_then(Value::as_str);
    let name = name.map(str::to_owned).or(row.subject_name);
    let is_rule = row.action.starts_with("rule_");
    if is_rule {
        body.rule = Some(Named::new(&row.subject, name.clone().unwrap_or_default()));
    }
    if matches!(
        action,
        Some(Action::DeviceChanged | Action::DeviceLimited | Action::EffectSet)
    ) {
        body.device = Some(Named::new(&row.subject, name.clone().unwrap_or_default()));
    }
    body.facts = facts(&row.action, &row.subject, name, details);
    Some(NewLogEntry {
        at: Timestamp::from_millis(row.at),
        log_type: if is_rule {
            LogType::RuleDeploy
        } else {
            LogType::Other
        },
        result: if action == Some(Action::SignInFailed) {
            LogResult::Failure
        } else {
            LogResult::Success
        },
        body,
        also: Vec::new(),
    })
}

/// Whether an entry tells of a controller. It has the controller's MAC in the place of a device.
pub(crate) const fn is_of_controller(kind: LogKind) -> bool {
    matches!(kind, LogKind::ControllerOffline | LogKind::ControllerOnline)
}

/// Gives the controllers of these entries their names, where they have some.
pub(crate) fn name_controllers(entries: &mut [LogEntry], records: &FarmRecords) {
    let told = { entries.iter_mut() }.filter(|entry| is_of_controller(entry.body.kind));
    for named in told.filter_map(|entry| entry.body.device.as_mut()) {
        let known = Mac::parse(&named.id).ok();
        let known = known.and_then(|mac| records.controller(mac));
        if let Some(known) = known.filter(|known| !known.name.is_empty()) {
            named.name = known.name;
        }
    }
}

/// The MACs of the controllers that have a text in their names, whatever the case, as the log has them.
pub(crate) fn controllers_named(text: &str, records: &FarmRecords) -> Vec<String> {
    let text = text.to_lowercase();
    { records.controllers().into_iter() }
        .filter(|known| known.name.to_lowercase().contains(&text))
        .map(|known| known.mac.to_string())
        .collect()
}

/// What is kept of an audit entry's details: of a whole document only what tells which it is.
fn facts(action: &str, subject: &str, name: Option<String>, details: Value) -> Map<String, Value> {
    const OF_DOCUMENTS: [&str; 5] = ["mode", "deployed", "priority", "isActive", "description"];
    let mut facts = match details {
        Value::Object(details) => details,
        Value::Null => Map::new(),
        other => Map::from_iter([("value".to_owned(), other)]),
    };
    if facts.contains_key("actions") || facts.contains_key("conditions") {
        facts.retain(|field, _| OF_DOCUMENTS.contains(&field.as_str()));
    }
    if serde_json::to_string(&facts).map_or(0, |text| text.len()) > MAX_DETAILS {
        facts.clear();
    }
    facts.remove("id");
    facts.remove("scope");
    if let Some(name) = name {
        facts.insert("name".to_owned(), json!(name));
    }
    facts.insert("action".to_owned(), json!(action));
    facts.insert("subject".to_owned(), json!(subject));
    facts
}
