//! What is sent to people's phones and mailboxes of what they are told: alerts, to whom the alert names, by the ways that it
//! names. Everything else is on the screen alone.

use std::sync::Arc;

use harit_engine::AlertSpec;
use serde_json::{Value, json};

use super::notice::{Notice, Watch};
use super::words::Words;
use crate::delivery::{Channel, Ways, left_out, with_link};
use crate::language::Language;
use crate::records::{Content, Step, ToTell};

/// Whom an alert tells, and by which ways.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reach {
    channels: Vec<Channel>,
    subscribers: Vec<String>,
}

impl Reach {
    /// As its document says.
    pub(super) fn of(spec: &AlertSpec) -> Self {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let mut channels: Vec<Channel> = list(&spec.channels)
            .iter()
            .filter_map(|c| Channel::parse(c.as_str()?))
            // whom the webhook tells is the operator's to say
            .filter(|c| *c != Channel::Webhook)
            .collect();
        channels.sort_unstable();
        channels.dedup();
        let email = |s: &Value| Some(s["email"].as_str()?.to_lowercase());
        let mut subscribers: Vec<String> =
            list(&spec.subscribers).iter().filter_map(email).collect();
        subscribers.sort_unstable();
        subscribers.dedup();
        Self {
            channels,
            subscribers,
        }
    }
}

/// Whether people are told of it beyond the screen, and where the alert stands then. This is the one place that decides it.
fn step(notice: &Notice) -> Option<(Step, &Watch)> {
    match notice {
        Notice::AlertRaised { watch } => Some((Step::Raised, watch)),
        Notice::AlertRepeated { watch, .. } => Some((Step::Repeated, watch)),
        Notice::AlertResolved { watch } | Notice::AlertEnded { watch, .. } => {
            Some((Step::Over, watch))
        }
        _ => None,
    }
}

/// What is to be sent of a notice that happened then; nothing where it is for the screen alone.
pub(super) fn to_tell(
    notice: &Notice,
    at: i64,
    farm: (&str, &str),
    reach: Option<&Reach>,
    ways: &Ways,
) -> Option<ToTell> {
    let (step, watch) = step(notice)?;
    let reach = reach.cloned().unwrap_or_default();
    let link = ways.link(&notice.link());
    let all = ways.link("/alerts");
    let event = event(step, watch, notice, at, farm, link.as_deref());
    let (notice, farm_name) = (notice.clone(), farm.1.to_owned());
    let say = move |language, times| content(&notice, language, times, &farm_name, &link, &event);
    Some(ToTell {
        alert: watch.alert.clone(),
        at,
        step,
        critical: matches!(watch.severity, harit_engine::AlertSeverity::Critical),
        channels: reach.channels,
        subscribers: reach.subscribers,
        say: Arc::new(say),
        left_out: Arc::new(move |language, count| left_out(language, count, all.as_deref())),
    })
}

fn content(
    notice: &Notice,
    language: Language,
    times: i64,
    farm: &str,
    link: &Option<String>,
    event: &Value,
) -> Content {
    let Words { title, message } = notice.say(language, times);
    let text = format!("{farm}: {message}");
    Content {
        body: with_link(format!("{title}\n{text}"), link.as_deref()),
        params: vec![title.clone(), text, link.clone().unwrap_or_default()],
        title,
        link: link.clone(),
        event: Some(event.clone()),
        ..Content::default()
    }
}

/// The document for machines.
fn event(
    step: Step,
    watch: &Watch,
    notice: &Notice,
    at: i64,
    farm: (&str, &str),
    link: Option<&str>,
) -> Value {
    let Words { title, message } = notice.say(Language::En, 1);
    let at = jiff::Timestamp::from_millisecond(at).map(|t| t.to_string());
    json!({
        "kind": format!("alert_{}", step.as_str()), "alertId": watch.alert, "alertName": watch.name, "severity": watch.severity,
        "place": watch.place, "farmId": farm.0, "farmName": farm.1, "title": title, "message": message,
        "at": at.unwrap_or_default(), "url": link,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use harit_engine::AlertSeverity;

    #[test]
    fn an_alert_reaches_whom_its_document_names() {
        let document = json!({
            "id": "a1", "name": "Acid", "repeatsIn": 30, "repeatUnit": "minutes", "channels": ["SMS", "EMAIL", "SMS", "WEBHOOK"],
            "conditions": [{"id": "1", "sensor": "pH", "operator": "<", "value": 5.5, "unit": ""}],
            "subscribers": [{"email": "B@x.test"}, {"email": "a@x.test"}, {"email": "b@x.test"}],
        });
        let spec = AlertSpec::from_json(&document).expect("an alert");
        let reach = Reach::of(&spec);
        assert_eq!(reach.channels, [Channel::Email, Channel::Sms]);
        assert_eq!(reach.subscribers, ["a@x.test", "b@x.test"]);
    }

    #[test]
    fn a_message_says_what_where_and_leads_there() {
        let watch = Watch {
            alert: "a1".into(),
            name: "Too hot".into(),
            place: Some("Polyhouse 1".into()),
            conditions: Vec::new(),
            any: false,
            hold_sec: 0,
            severity: AlertSeverity::Critical,
            scope: None,
            raised_at: Some(7),
        };
        let config = crate::delivery::DeliveryConfig::default();
        let ways = Ways::new(&config, false, Some("https://farm.example/".into()));
        let resolved = Notice::AlertResolved { watch };
        let tell = to_tell(&resolved, 0, ("f", "Green Valley"), None, &ways).expect("a message");
        assert!(tell.critical);
        assert_eq!(tell.step, Step::Over);
        let said = (tell.say)(Language::En, 2);
        assert_eq!(
            said.body,
            "Alert resolved: Too hot\nGreen Valley: Polyhouse 1: back to normal (2 times)\nhttps://farm.example/alerts/7-a1"
        );
        assert_eq!(said.event.expect("a document")["kind"], "alert_over");
        assert!(to_tell(&Notice::Digest, 0, ("f", "F"), None, &ways).is_none());
    }
}
