//! What is sent to people's phones and mailboxes of what they are told: alerts, to whom the alert names, by the ways that it
//! names; and controllers that are offline. Everything else is on the screen alone.

use std::sync::Arc;

use harit_engine::{AlertSeverity, AlertSpec};
use serde_json::{Value, json};

use super::notice::{Notice, Watch};
use super::words::Words;
use crate::delivery::{CONTROLLER, Cause, Channel, Lost, Part, Ways, left_out};
use crate::language::Language;
use crate::records::{ChainPeople, SayPart, Step, ToTell};

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

/// A farm and where its alerts are, for what is sent.
pub(super) struct Sent<'a> {
    pub(super) farm: (&'a str, &'a str),
    pub(super) reach: Option<&'a Reach>,
    /// What has it in common with others.
    pub(super) cause: Cause,
    pub(super) ways: &'a Ways,
}

/// What is to be sent of a notice that happened then; nothing where it is for the screen alone.
pub(super) fn to_tell(notice: &Notice, at: i64, sent: Sent<'_>) -> Option<ToTell> {
    let (step, watch) = step(notice)?;
    let reach = sent.reach.cloned().unwrap_or_default();
    let link = sent.ways.link(&notice.link());
    let critical = matches!(watch.severity, AlertSeverity::Critical);
    let event = event(step, watch, notice, at, sent.farm, link.as_deref());
    let (alert, raised_at) = (watch.alert.clone(), watch.raised_at);
    let say = {
        let (notice, alert, name) = (notice.clone(), alert.clone(), watch.name.clone());
        move |language: Language| {
            let Words { title, message } = notice.say(language, 1);
            Part {
                subject: alert.clone(),
                raised_at,
                name: if name.is_empty() {
                    title.clone()
                } else {
                    name.clone()
                },
                title,
                text: message,
                event: event.clone(),
            }
        }
    };
    let told = ToTell {
        subject: alert,
        channels: reach.channels,
        subscribers: reach.subscribers,
        ..bare(at, step, critical, sent, Arc::new(say))
    };
    Some(ToTell { raised_at, ..told })
}

/// What is to be sent, to nobody yet.
fn bare(at: i64, step: Step, critical: bool, sent: Sent<'_>, say: SayPart) -> ToTell {
    let all = sent.ways.link("/alerts");
    let more = all.clone();
    ToTell {
        subject: String::new(),
        at,
        step,
        raised_at: None,
        critical,
        cause: sent.cause,
        farm: sent.farm.1.to_owned(),
        unanswered_min: None,
        all,
        chain: None,
        channels: Vec::new(),
        subscribers: Vec::new(),
        say,
        left_out: Arc::new(move |language, count| left_out(language, count, more.as_deref())),
    }
}

/// What is to be sent of a controller that went offline then, or is back: to whom the farm's chain tells at once.
pub(super) fn controller_to_tell(
    lost: &Lost,
    since: i64,
    over_at: Option<i64>,
    (people, critical): (Vec<String>, bool),
    sent: Sent<'_>,
) -> ToTell {
    let subject = format!("{CONTROLLER}{}", lost.mac);
    let step = if over_at.is_some() {
        Step::Over
    } else {
        Step::Raised
    };
    let url = sent.ways.link("/polyhouses");
    let event = json!({"kind": format!("controller_{}", step.as_str()), "farmId": sent.farm.0, "farmName": sent.farm.1, "url": url});
    let say = {
        let (subject, name) = (subject.clone(), lost.name.clone());
        move |_: Language| Part {
            subject: subject.clone(),
            raised_at: Some(since),
            name: name.clone(),
            title: name.clone(),
            text: String::new(),
            event: event.clone(),
        }
    };
    ToTell {
        subject,
        raised_at: Some(since),
        chain: Some(ChainPeople {
            step: 0,
            is_raise: true,
            people,
        }),
        ..bare(
            over_at.unwrap_or(since),
            step,
            critical,
            sent,
            Arc::new(say),
        )
    }
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

impl ChainTell {
    /// Whether it tells the raise itself.
    fn is_raise(&self) -> bool {
        self.after_min == 0 && self.watch.raised_at == Some(self.since)
    }

    /// What it tells.
    fn notice(&self) -> Notice {
        let watch = self.watch.clone();
        if self.is_raise() {
            Notice::AlertRaised { watch }
        } else {
            let no_data = self.no_data;
            Notice::AlertRepeated { watch, no_data }
        }
    }
}

/// What is to be sent for a step of the chain.
pub(super) fn step_to_tell(chain: ChainTell, sent: Sent<'_>) -> Option<ToTell> {
    let mut tell = to_tell(&chain.notice(), chain.since, sent)?;
    tell.subscribers.clear();
    tell.unanswered_min = Some(chain.after_min).filter(|minutes| *minutes > 0);
    tell.chain = Some(ChainPeople {
        step: chain.step,
        is_raise: chain.is_raise(),
        people: chain.people,
    });
    Some(tell)
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
        let sent = || Sent {
            farm: ("f", "Green Valley"),
            reach: None,
            cause: Cause::Place {
                id: None,
                name: None,
            },
            ways: &ways,
        };
        let resolved = Notice::AlertResolved { watch };
        let tell = to_tell(&resolved, 0, sent()).expect("a message");
        assert!(tell.critical);
        assert_eq!(tell.step, Step::Over);
        let said = (tell.say)(Language::En);
        assert_eq!(
            (said.title.as_str(), said.text.as_str()),
            ("Alert resolved: Too hot", "Polyhouse 1: back to normal")
        );
        assert_eq!(said.event["kind"], "alert_over");
        assert_eq!(said.event["url"], "https://farm.example/alerts/7-a1");
        assert!(to_tell(&Notice::Digest, 0, sent()).is_none());
    }
}
