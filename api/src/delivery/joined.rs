//! What a message of alerts says: of one alert as it is, of several of one cause the cause in one sentence and their names, for each
//! way within the length that it has.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::cause::Cause;
use super::channel::Channel;
use super::words::with_link;
use crate::language::Language::{self, En, Hi, Mr};
use crate::records::{Content, Step};

/// The most UTF-16 units of an SMS with letters beyond GSM 03.38, and the most letters of one without: four parts on the air.
const SMS_UNICODE: usize = 4 * 67;
const SMS_PLAIN: usize = 4 * 153;
/// The longest text of a variable of WhatsApp and MSG91.
const VARIABLE: usize = 600;
/// The most things that a mail names.
const MAIL_NAMES: usize = 50;

/// One thing that a message tells, in the words of its recipient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// The alert's id, or `controller/` and a MAC.
    pub subject: String,
    pub raised_at: Option<i64>,
    /// What it is called.
    pub name: String,
    /// What it says where it is told alone.
    pub title: String,
    pub text: String,
    /// The document for a webhook.
    pub event: Value,
}

impl Part {
    /// Whether people answer it.
    pub(crate) fn is_alert(&self) -> bool {
        !self.subject.starts_with(CONTROLLER)
    }
}

/// With which the subject of a controller begins.
pub(crate) const CONTROLLER: &str = "controller/";

/// How an alert stands that is raised and over again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Flaps {
    /// It was raised so often, and further times are counted until it is quiet.
    Begins,
    /// It has been quiet for a while, or it has gone on for an hour.
    Counted,
}

/// What a message tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Joined {
    pub cause: Cause,
    pub step: Step,
    pub farm: String,
    pub parts: Vec<Part>,
    /// For how many minutes nobody has answered, of a later step of the chain.
    pub unanswered_min: Option<i64>,
    /// How often it happened.
    pub times: i64,
    pub flaps: Option<Flaps>,
    /// Where its recipient answers, else where there is more of all of them.
    pub link: Option<String>,
}

impl Joined {
    /// What it says by a way.
    pub(crate) fn content(&self, language: Language, channel: Channel) -> Content {
        let (title, text) = match self.parts.as_slice() {
            [one] if one.is_alert() && !self.cause.tells_one() => self.one(language, one),
            [one] if matches!(self.cause, Cause::Reservoir { .. }) && self.step != Step::Over => {
                let (title, text) = self.one(language, one);
                let cause = self.cause.say(language, self.step, 1);
                (title, format!("{text}. {cause}"))
            }
            [one] if one.is_alert() && self.step == Step::Over => self.one(language, one),
            _ => self.several(language, channel),
        };
        let link = match self.parts.as_slice() {
            [one] if self.link.is_none() => one.event["url"].as_str(),
            _ => self.link.as_deref(),
        };
        Content {
            body: with_link(format!("{title}\n{text}"), link),
            params: vec![
                title.clone(),
                text.clone(),
                link.unwrap_or_default().to_owned(),
            ],
            link: link.map(str::to_owned),
            event: Some(self.event(&title, &text)),
            title,
            joined: Some(Box::new(self.clone())),
            ..Content::default()
        }
    }

    /// One alert, as it is.
    fn one(&self, language: Language, part: &Part) -> (String, String) {
        let title = match (self.flaps, language) {
            (None, _) => part.title.clone(),
            (Some(Flaps::Begins), En) => format!("Alert comes and goes: {}", part.name),
            (Some(Flaps::Begins), Hi) => format!("चेतावनी बार-बार आ रही है: {}", part.name),
            (Some(Flaps::Begins), Mr) => format!("इशारा पुन्हा पुन्हा येत आहे: {}", part.name),
            (Some(Flaps::Counted), _) => part.title.clone(),
        };
        let mut text = self.before(language);
        text.push_str(&part.text);
        text.push_str(&self.often(language));
        (title, text)
    }

    /// How often it happened, or that this is told later.
    fn often(&self, language: Language) -> String {
        let n = language.digits(&self.times.to_string());
        match (self.flaps, language) {
            (Some(Flaps::Begins), En) => {
                " (again: further times are told as a number once it is quiet)".to_owned()
            }
            (Some(Flaps::Begins), Hi) => {
                " (फिर से: आगे कितनी बार हुआ, यह शांत होने पर एक साथ बताया जाएगा)".to_owned()
            }
            (Some(Flaps::Begins), Mr) => {
                " (पुन्हा: पुढे किती वेळा झाले ते शांत झाल्यावर एकदम सांगितले जाईल)".to_owned()
            }
            (_, En) if self.times > 1 => format!(" ({n} times)"),
            (_, Hi) if self.times > 1 => format!(" ({n} बार)"),
            (_, Mr) if self.times > 1 => format!(" ({n} वेळा)"),
            _ => String::new(),
        }
    }

    /// The farm, and for how long nobody has answered.
    fn before(&self, language: Language) -> String {
        let farm = &self.farm;
        let Some(minutes) = self.unanswered_min else {
            return format!("{farm}: ");
        };
        let n = language.digits(&minutes.to_string());
        match language {
            En => format!("Nobody has answered for {n} min. {farm}: "),
            Hi => format!("{n} मिनट से किसी ने जवाब नहीं दिया। {farm}: "),
            Mr => format!("{n} मिनिटांत कोणीही उत्तर दिले नाही. {farm}: "),
        }
    }

    /// The cause in one sentence, and what follows: in full where there is room, else by name, else as many names as fit.
    fn several(&self, language: Language, channel: Channel) -> (String, String) {
        let alerts: Vec<&Part> = self.parts.iter().filter(|p| p.is_alert()).collect();
        let title = self.cause.say(language, self.step, alerts.len());
        let before = self.before(language);
        let names: Vec<&str> = match (&self.cause, alerts.is_empty()) {
            (Cause::Outage { controllers }, true) => {
                controllers.iter().map(|c| c.name.as_str()).collect()
            }
            _ => alerts.iter().map(|p| p.name.as_str()).collect(),
        };
        let full: Vec<String> = { alerts.iter() }
            .map(|p| match p.text.as_str() {
                "" => p.name.clone(),
                text => format!("{}: {text}", p.name),
            })
            .collect();
        let link = self.link.as_deref().map_or(0, |l| l.chars().count() + 1);
        let fits = |text: &str| match channel {
            Channel::Email => true,
            Channel::Sms => fits_sms(&title, text, link),
            _ => text.chars().count() <= VARIABLE,
        };
        if channel == Channel::Email && (1..=MAIL_NAMES).contains(&full.len()) {
            return (title, format!("{before}\n{}", full.join("\n")));
        }
        let in_full = format!("{before}{}", full.join("; "));
        if !full.is_empty() && full.len() <= MAIL_NAMES && fits(&in_full) {
            return (title, in_full);
        }
        let most = names.len().min(MAIL_NAMES);
        let listed = (1..=most)
            .rev()
            .map(|k| format!("{before}{}", some(language, &names, k)))
            .find(|text| fits(text));
        let mut text = listed.unwrap_or_else(|| before.trim_end_matches([':', ' ']).to_owned());
        if self.parts.len() == 1 {
            text.push_str(&self.often(language));
        }
        (title, text)
    }

    /// The document for machines: of one alert its own; of several that of the first, in the words of their cause. Each has all
    /// incidents.
    fn event(&self, title: &str, text: &str) -> Value {
        let mut event = self.parts.first().map_or(Value::Null, |p| p.event.clone());
        if self.parts.len() > 1 || self.cause.tells_one() {
            event["title"] = title.into();
            event["message"] = text.into();
        }
        event["cause"] = json!(self.cause);
        let incidents = { self.parts.iter() }.filter(|p| p.is_alert()).map(|p| {
            let id = p.raised_at.map(|at| format!("{at}-{}", p.subject));
            json!({"id": id, "alertId": p.subject, "alertName": p.event["alertName"], "severity": p.event["severity"],
                "place": p.event["place"], "title": p.title, "message": p.text, "at": p.event["at"], "url": p.event["url"]})
        });
        event["incidents"] = incidents.collect();
        event
    }
}

/// The first names and how many more there are.
fn some(language: Language, names: &[&str], count: usize) -> String {
    let mut text = names[..count].join(", ");
    let more = names.len() - count;
    if more > 0 {
        let n = language.digits(&more.to_string());
        text.push_str(&match language {
            En => format!(" and {n} more"),
            Hi => format!(" और {n} अन्य"),
            Mr => format!(" आणि आणखी {n}"),
        });
    }
    text
}

/// Whether title, text and a link of so many letters fit into an SMS.
fn fits_sms(title: &str, text: &str, link: usize) -> bool {
    let all = || title.chars().chain(text.chars());
    let length = all().map(char::len_utf16).sum::<usize>() + 1 + link;
    length
        <= if all().all(is_plain) {
            SMS_PLAIN
        } else {
            SMS_UNICODE
        }
}

/// Whether a letter is one unit of GSM 03.38. The alphabet has more, but no letter of ASCII that it lacks is one unit.
fn is_plain(c: char) -> bool {
    c.is_ascii() && !"`[]{}|^~\\".contains(c)
}

/// How many parts of an SMS a text is on the air: 160 and 70 letters where it is one, 153 and 67 each where it is several.
pub(crate) fn sms_parts(text: &str) -> i64 {
    let length = text.encode_utf16().count();
    let (one, each) = if text.chars().all(is_plain) {
        (160, 153)
    } else {
        (70, 67)
    };
    let parts = if length <= one {
        1
    } else {
        length.div_ceil(each)
    };
    i64::try_from(parts).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_sms_has_the_parts_that_networks_count() {
        for (text, parts) in [
            (String::new(), 1),
            ("a".repeat(160), 1),
            ("a".repeat(161), 2),
            ("a".repeat(306), 2),
            ("a".repeat(307), 3),
            ("अ".repeat(70), 1),
            ("अ".repeat(71), 2),
            ("अ".repeat(135), 3),
            (format!("{}°", "a".repeat(70)), 2),
        ] {
            assert_eq!(sms_parts(&text), parts, "{text}");
        }
    }

    fn part(n: usize) -> Part {
        let name = format!("Too hot {n}");
        Part {
            subject: format!("a{n}"),
            raised_at: Some(7),
            title: format!("Alert: {name}"),
            text: "House 1: temperature 36.5 °C (limit: above 35 °C)".to_owned(),
            event: json!({"kind": "alert_raised", "alertName": name, "url": format!("https://f/alerts/7-a{n}")}),
            name,
        }
    }

    fn joined(parts: usize) -> Joined {
        Joined {
            cause: Cause::Place {
                id: Some("p1".into()),
                name: Some("House 1".into()),
            },
            step: Step::Raised,
            farm: "Green Valley".into(),
            parts: (1..=parts).map(part).collect(),
            unanswered_min: None,
            times: 1,
            flaps: None,
            link: Some(format!("https://farm.example/a/{}", "x".repeat(48))),
        }
    }

    #[test]
    fn one_alert_says_what_it_says_alone() {
        let said = joined(1).content(En, Channel::Sms);
        assert_eq!(said.title, "Alert: Too hot 1");
        assert!(said.body.starts_with(
            "Alert: Too hot 1\nGreen Valley: House 1: temperature 36.5 °C (limit: above 35 °C)\nhttps://farm.example/a/"
        ));
        let mut later = joined(1);
        later.unanswered_min = Some(10);
        let said = later.content(En, Channel::Email);
        assert!(
            said.params[1].starts_with("Nobody has answered for 10 min. Green Valley: House 1")
        );
        later.parts.push(part(2));
        let several = later.content(Hi, Channel::WhatsApp);
        assert!(several.params[1].starts_with("10 मिनट से किसी ने"));
    }

    #[test]
    fn several_are_a_sentence_and_as_many_names_as_the_way_has_room_for() {
        for language in [En, Hi, Mr] {
            for count in [2, 5, 50_usize] {
                let all = joined(count);
                let sms = all.content(language, Channel::Sms);
                assert!(sms.body.encode_utf16().count() <= SMS_PLAIN);
                if language != En {
                    assert!(
                        sms.body.encode_utf16().count() <= SMS_UNICODE,
                        "{}",
                        sms.body
                    );
                }
                let whatsapp = all.content(language, Channel::WhatsApp);
                assert!(
                    whatsapp
                        .params
                        .iter()
                        .all(|p| p.chars().count() <= VARIABLE)
                );
                let mail = all.content(language, Channel::Email);
                assert!(mail.body.contains(&format!("Too hot {count}")));
                let event = all
                    .content(language, Channel::Webhook)
                    .event
                    .expect("a document");
                assert_eq!(event["incidents"].as_array().map(Vec::len), Some(count));
                assert_eq!(event["incidents"][1]["id"], "7-a2");
                assert_eq!(event["cause"]["kind"], "place");
            }
        }
        let sms = joined(50).content(En, Channel::Sms);
        assert_eq!(sms.title, "House 1: 50 alerts");
        assert!(sms.body.contains("Too hot 1, Too hot 2") && sms.body.contains(" more\n"));
    }

    #[test]
    fn an_outage_names_its_controllers_and_what_follows() {
        let mut outage = joined(1);
        outage.cause = Cause::Outage {
            controllers: vec![super::super::cause::Lost {
                mac: "M1".into(),
                name: "North".into(),
                sensors: 12,
            }],
        };
        outage.step = Step::Repeated;
        let said = outage.content(En, Channel::Sms);
        assert_eq!(
            said.title,
            "Controller North is offline: 12 sensors are silent"
        );
        assert!(
            said.body.contains("Green Valley: Too hot 1"),
            "{}",
            said.body
        );
        outage.parts[0].subject = "controller/M1".into();
        let said = outage.content(En, Channel::Sms);
        assert!(
            said.body.contains("\nGreen Valley: North\n"),
            "{}",
            said.body
        );
        assert_eq!(said.event.expect("a document")["incidents"], json!([]));
    }
}
