//! How the page of a message's link looks: one column, large buttons, forms and no script.

use std::fmt::Write;

use super::answer_words::{Said, label};
use super::incidents::Shown;
use crate::delivery::escaped;
use crate::incidents::{Answer, AnswerKind, IncidentId, Standing, State};
use crate::language::Language;
use crate::notifications::Notice;
use crate::records::now_ms;

const STYLE: &str = "body{margin:0;font:18px/1.5 sans-serif;color:#1a1a1a;background:#fff}\
    main{max-width:480px;margin:0 auto;padding:20px 16px}h1{font-size:22px;line-height:1.3;margin:0 0 8px}h2{font-size:19px;line-height:1.3;margin:20px 0 4px}\
    p{margin:8px 0;overflow-wrap:anywhere}form{margin:12px 0}button,a.b{display:block;width:100%;box-sizing:border-box;\
    min-height:56px;padding:12px;font:inherit;font-weight:600;border-radius:8px;border:2px solid #2b6a3f;background:#fff;color:#1f5330;\
    text-align:center;text-decoration:none}button.first{background:#2b6a3f;color:#fff}button.off{border-color:#a32020;color:#8c1a1a}\
    .said{padding:12px;border-left:6px solid #2b6a3f;background:#eef5ef}";

/// A device that can be switched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Device {
    pub(super) id: String,
    pub(super) name: String,
}

/// What a page shows.
pub(super) struct Page<'a> {
    pub(super) language: Language,
    /// What the message told: at least one, and how each stands.
    pub(super) incidents: &'a [IncidentId],
    pub(super) shown: &'a [Shown],
    /// How many answers there are to them.
    pub(super) seen: usize,
    pub(super) may_quiet: bool,
    pub(super) devices: &'a [Device],
    pub(super) said: Option<Said>,
    /// The console's address.
    pub(super) home: Option<&'a str>,
}

fn frame(language: Language, title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{} – Harit</title>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"robots\" content=\"noindex\">\
         <style>{STYLE}</style></head><body><main>{body}</main></body></html>",
        language.as_str(),
        escaped(title),
    )
}

fn button(class: &str, what: &str, label: &str, seen: usize, device: Option<&str>) -> String {
    let device = device.map_or_else(String::new, |id| {
        format!(
            "<input type=\"hidden\" name=\"device\" value=\"{}\">",
            escaped(id)
        )
    });
    format!(
        "<form method=\"post\"><input type=\"hidden\" name=\"what\" value=\"{what}\">\
         <input type=\"hidden\" name=\"seen\" value=\"{seen}\">{device}<button class=\"{class}\">{}</button></form>",
        escaped(label)
    )
}

/// Where it stands, with the name of who answered.
fn standing(language: Language, answers: &[Answer]) -> String {
    let standing = Standing::of(answers, now_ms());
    let kind = match standing.state() {
        State::Open | State::Over => return Said::Open.say(language).to_owned(),
        State::Taken => AnswerKind::OnIt,
        State::Acknowledged => AnswerKind::Acknowledge,
        State::Snoozed => AnswerKind::Snooze,
        State::FalseAlarm => AnswerKind::FalseAlarm,
    };
    let who = standing.by().map_or("", |by| by.name.as_str());
    format!("{who}: {}", label(language, kind))
}

/// What it is, since when, and how it stands.
fn incident(language: Language, id: &IncidentId, shown: &Shown, heading: &str) -> String {
    let watch = shown.watch.clone();
    let words = Notice::AlertRaised { watch }.say(language, 1);
    let since = jiff::Timestamp::from_millisecond(id.raised_at);
    let minutes = since.map_or(0, |at| (now_ms() - at.as_millisecond()).max(0) / 60_000);
    let minutes = language.digits(&minutes.to_string());
    let unit = match language {
        Language::En => "min",
        Language::Hi => "मिनट",
        Language::Mr => "मिनिटे",
    };
    let state = if shown.is_over {
        Said::Over.say(language).to_owned()
    } else {
        standing(language, &shown.answers)
    };
    format!(
        "<{heading}>{}</{heading}><p>{}</p><p>{}: {minutes} {unit}</p><p><b>{}</b></p>",
        escaped(&words.title),
        escaped(&words.message),
        Said::Since.say(language),
        escaped(&state)
    )
}

/// The alerts that a message told, and what can be answered: to all of them at once.
pub(super) fn page(page: &Page<'_>) -> String {
    let language = page.language;
    let first = page.shown.first().map(|s| s.watch.clone());
    let notice = first.map(|watch| Notice::AlertRaised { watch });
    let title = match &notice {
        Some(notice) if page.shown.len() == 1 => notice.say(language, 1).title,
        _ => {
            let n = language.digits(&page.shown.len().to_string());
            match language {
                Language::En => format!("{n} alerts"),
                Language::Hi => format!("{n} चेतावनियाँ"),
                Language::Mr => format!("{n} इशारे"),
            }
        }
    };
    let heading = if page.shown.len() == 1 { "h1" } else { "h2" };
    let mut body = String::new();
    // Writing to a string does not fail.
    if page.shown.len() != 1 {
        let _ = write!(body, "<h1>{}</h1>", escaped(&title));
    }
    if let Some(said) = page.said {
        let _ = write!(
            body,
            "<p class=\"said\" role=\"status\">{}</p>",
            said.say(language)
        );
    }
    for (id, shown) in page.incidents.iter().zip(page.shown) {
        body.push_str(&incident(language, id, shown, heading));
    }
    if page.shown.iter().any(|s| !s.is_over) {
        let seen = page.seen;
        let kinds = [
            ("first", "on_it", AnswerKind::OnIt),
            ("", "acknowledge", AnswerKind::Acknowledge),
            ("", "snooze", AnswerKind::Snooze),
            ("", "false_alarm", AnswerKind::FalseAlarm),
        ];
        for (class, what, kind) in kinds {
            if kind == AnswerKind::OnIt || page.may_quiet {
                body.push_str(&button(class, what, label(language, kind), seen, None));
            }
        }
        for device in page.devices {
            let label = format!("{}: {}", device.name, Said::SwitchOff.say(language));
            body.push_str(&button("off", "off", &label, seen, Some(&device.id)));
        }
    }
    if let Some(home) = page.home {
        let there = match &notice {
            Some(notice) if page.shown.len() == 1 => notice.link(),
            _ => "/alerts".to_owned(),
        };
        let link = format!("{}{there}", home.trim_end_matches('/'));
        let label = Said::InHarit.say(language);
        let _ = write!(
            body,
            "<p><a class=\"b\" href=\"{}\">{label}</a></p>",
            escaped(&link)
        );
    }
    frame(language, &title, &body)
}

/// What is said where there is no alert to show.
pub(super) fn notice(language: Language, said: Said, home: Option<&str>) -> String {
    let mut body = format!("<h1>Harit</h1><p>{}</p>", said.say(language));
    if let Some(home) = home {
        let label = Said::InHarit.say(language);
        let _ = write!(
            body,
            "<p><a class=\"b\" href=\"{}\">{label}</a></p>",
            escaped(home)
        );
    }
    frame(language, "Harit", &body)
}
