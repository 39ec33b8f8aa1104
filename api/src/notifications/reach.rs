//! What is sent to people's phones and mailboxes of what they are told: alerts, to whom the alert names, by the ways that it
//! names. Everything else is on the screen alone.

use std::sync::Arc;

use harit_engine::AlertSpec;
use serde_json::{Value, json};

use super::notice::{Notice, Watch};
use super::words::Words;
use crate::delivery::{Channel, Ways, left_out, with_link};
use crate::language::Language;
use crate::records::{ChainPeople, Content, Step, ToTell};

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
    let critical = matches!(watch.severity, harit_engine::AlertSeverity::Critical);
    let event = event(step, watch, notice, at, farm, link.as_deref());
    let (notice, farm_name) = (notice.clone(), farm.1.to_owned());
    let say = move |language, times, answers: Option<&str>| {
        let link = answers.or(link.as_deref());
        content(&notice, language, times, &farm_name, link, &event)
    };
    Some(ToTell {
        alert: watch.alert.clone(),
        at,
        step,
        raised_at: watch.raised_at,
        chain: None,
        critical,
        channels: reach.channels,
        subscribers: reach.subscribers,
        say: Arc::new(say),
        left_out: Arc::new(move |language, count, _| {
            left_out(language, count, critical, all.as_deref())
        }),
    })
}

/// A step of the farm's chain, of an alert that is raised.
pub(super) struct ChainTell {
    pub(super) watch: Watch,
    /// Whether its sensors say nothing any more.
    pub(super) no_data: bool,
    /// Since when nobody has answered, and for how many minutes then.
    pub(super) since: i64,
    pub(super) after_min: i64,
    /// Its place in the chain.
    pub(super) step: usize,
    /// By id.
    pub(super) people: Vec<String>,
}

/// What is to be sent for a step of the chain.
pub(super) fn step_to_tell(
    chain: ChainTell,
    farm: (&str, &str),
    reach: Option<&Reach>,
    ways: &Ways,
) -> Option<ToTell> {
    let watch = chain.watch;
    let is_raise = chain.after_min == 0 && watch.raised_at == Some(chain.since);
    let notice = if is_raise {
        Notice::AlertRaised { watch }
    } else {
        let no_data = chain.no_data;
        Notice::AlertRepeated { watch, no_data }
    };
    let mut tell = to_tell(&notice, chain.since, farm, reach, ways)?;
    tell.subscribers.clear();
    let minutes = chain.after_min;
    if minutes > 0 {
        let say = Arc::clone(&tell.say);
        tell.say = Arc::new(move |language, times, link| {
            let mut content = say(language, times, link);
            let unanswered = unanswered(language, minutes);
            content.body = content.body.replacen('\n', &format!("\n{unanswered} "), 1);
            if let Some(text) = content.params.get_mut(1) {
                *text = format!("{unanswered} {text}");
            }
            content
        });
    }
    tell.chain = Some(ChainPeople {
        step: chain.step,
        is_raise,
        people: chain.people,
    });
    Some(tell)
}

/// How long nobody has answered.
fn unanswered(language: Language, minutes: i64) -> String {
    let n = language.digits(&minutes.to_string());
    match language {
        Language::En => format!("Nobody has answered for {n} min."),
        Language::Hi => format!("{n} मिनट से किसी ने जवाब नहीं दिया।"),
        Language::Mr => format!("{n} मिनिटांत कोणीही उत्तर दिले नाही."),
    }
}

fn content(
    notice: &Notice,
    language: Language,
    times: i64,
    farm: &str,
    link: Option<&str>,
    event: &Value,
) -> Content {
    let Words { title, message } = notice.say(language, times);
    let text = format!("{farm}: {message}");
    Content {
        body: with_link(format!("{title}\n{text}"), link),
        params: vec![title.clone(), text, link.unwrap_or_default().to_owned()],
        title,
        link: link.map(str::to_owned),
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
            seen: Vec::new(),
        };
        let config = crate::delivery::DeliveryConfig::default();
        let ways = Ways::new(&config, false, Some("https://farm.example/".into()));
        let resolved = Notice::AlertResolved { watch };
        let tell = to_tell(&resolved, 0, ("f", "Green Valley"), None, &ways).expect("a message");
        assert!(tell.critical);
        assert_eq!(tell.step, Step::Over);
        let said = (tell.say)(Language::En, 2, None);
        assert_eq!(
            said.body,
            "Alert resolved: Too hot\nGreen Valley: Polyhouse 1: back to normal (2 times)\nhttps://farm.example/alerts/7-a1"
        );
        assert_eq!(said.event.expect("a document")["kind"], "alert_over");
        assert!(to_tell(&Notice::Digest, 0, ("f", "F"), None, &ways).is_none());
    }
}
