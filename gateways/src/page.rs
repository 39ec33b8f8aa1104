//! What came, as phones would show it: a page without a script that asks again by itself.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::inbox::{Inbox, Received};

/// The latest messages of a phone that are shown.
const SHOWN: usize = 20;

const STYLE: &str = "body{margin:0;padding:16px;font:16px/1.4 sans-serif;background:#e9ece7;color:#1a1a1a}\
    main{display:flex;flex-wrap:wrap;gap:16px}section{width:330px;background:#fff;border:8px solid #222;border-radius:28px;padding:14px}\
    h1{font-size:20px}h2{font-size:15px;margin:0 0 10px;word-break:break-all}\
    article{background:#e3f1e3;border-radius:12px;padding:10px;margin:8px 0;overflow-wrap:anywhere}\
    small{color:#444}p{margin:4px 0;white-space:pre-line}form{display:inline}button{min-height:44px;margin:2px}";

const MODES: [&str; 8] = [
    "ok",
    "refuse",
    "busy",
    "broken",
    "slow",
    "never",
    "twice",
    "out_of_order",
];

pub(crate) fn phones(inbox: &Inbox) -> String {
    let mut by_phone: BTreeMap<String, Vec<Received>> = BTreeMap::new();
    for message in inbox.all().into_iter().rev() {
        let phone = by_phone.entry(message.to.clone()).or_default();
        if phone.len() < SHOWN {
            phone.push(message);
        }
    }
    let mut html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Messages as they arrive</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><meta http-equiv=\"refresh\" content=\"3\"><style>{STYLE}</style>\
         </head><body><h1>Messages as they arrive</h1><p>Nothing here leaves this machine. The gateways behave: <b>{}</b>; change it: ",
        escaped(&serde_json::json!(inbox.mode()).to_string().replace('"', ""))
    );
    // Writing to a string does not fail.
    for mode in MODES {
        let _ = write!(
            html,
            "<form method=\"post\" action=\"/mode/{mode}\"><button>{mode}</button></form>"
        );
    }
    html.push_str("</p><main>");
    if by_phone.is_empty() {
        html.push_str("<p>Nothing has come yet.</p>");
    }
    for (to, messages) in by_phone {
        let _ = write!(html, "<section><h2>{}</h2>", escaped(&to));
        for m in messages {
            let at = jiff::Timestamp::from_millisecond(m.at).map(|t| t.to_string());
            let _ = write!(
                html,
                "<article><small>{} {}</small><p><b>{}</b></p><p>{}</p>",
                m.channel,
                escaped(&at.unwrap_or_default()),
                escaped(&m.subject),
                linked(&m.text)
            );
            for (word, text) in m.presses() {
                let label = if text.is_empty() { word } else { text };
                let _ = write!(
                    html,
                    "<form method=\"post\" action=\"/messages/{}/{word}\"><input type=\"hidden\" name=\"text\" value=\"{text}\">\
                     <button>{label}</button></form>",
                    m.number
                );
            }
            if !m.pressed.is_empty() {
                let _ = write!(
                    html,
                    "<p><small>{}</small></p>",
                    escaped(&m.pressed.join(", "))
                );
            }
            html.push_str("</article>");
        }
        html.push_str("</section>");
    }
    html.push_str("</main></body></html>");
    html
}

/// A text whose addresses can be opened.
fn linked(text: &str) -> String {
    let is_address = |word: &str| word.starts_with("http://") || word.starts_with("https://");
    let words = text.split_inclusive(char::is_whitespace).map(|piece| {
        let word = piece.trim_end();
        let rest = &piece[word.len()..];
        if is_address(word) {
            let word = escaped(word);
            format!("<a href=\"{word}\" rel=\"noreferrer\" target=\"_blank\">{word}</a>{rest}")
        } else {
            escaped(piece)
        }
    });
    words.collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
