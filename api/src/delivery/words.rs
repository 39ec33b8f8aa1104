//! What messages say beside what they are about, in each language, and how a mail looks.

use crate::language::Language::{self, En, Hi, Mr};
use crate::records::Content;

/// The text with a link below it.
pub(crate) fn with_link(text: String, link: Option<&str>) -> String {
    match link {
        Some(link) => format!("{text}\n{link}"),
        None => text,
    }
}

/// How many messages were left out, because a person had so many in an hour.
pub(crate) fn left_out(language: Language, count: i64, link: Option<&str>) -> Content {
    let n = language.digits(&count.to_string());
    let title = match language {
        En if count == 1 => "and 1 more message".to_owned(),
        En => format!("and {n} more messages"),
        Hi => format!("और {n} संदेश"),
        Mr => format!("आणि आणखी {n} संदेश"),
    };
    let text = match language {
        En => "There were many alerts within an hour. Harit shows them all.",
        Hi => "एक घंटे में बहुत-सी चेतावनियाँ आईं। हरित में सब दिखती हैं।",
        Mr => "एका तासात खूप इशारे आले. हरितमध्ये सर्व दिसतात.",
    };
    Content {
        body: with_link(format!("{title}. {text}"), link),
        params: vec![
            title.clone(),
            text.to_owned(),
            link.unwrap_or_default().to_owned(),
        ],
        title,
        link: link.map(str::to_owned),
        ..Content::default()
    }
}

/// A message that somebody has sent to themselves to see whether it arrives.
pub(crate) fn test_message(language: Language, link: Option<&str>) -> Content {
    let title = match language {
        En => "Test message from Harit",
        Hi => "हरित से परीक्षण संदेश",
        Mr => "हरितकडून चाचणी संदेश",
    };
    let text = match language {
        En => "This way works: alerts reach you here.",
        Hi => "यह माध्यम काम कर रहा है: चेतावनियाँ आपको यहाँ मिलेंगी।",
        Mr => "हा मार्ग चालतो: इशारे तुम्हाला इथे मिळतील.",
    };
    Content {
        title: title.to_owned(),
        body: with_link(format!("{title}. {text}"), link),
        params: vec![text.to_owned(), link.unwrap_or_default().to_owned()],
        link: link.map(str::to_owned),
        ..Content::default()
    }
}

/// The mail of a message: its text, with its link as a button.
pub(super) fn html(language: Language, content: &Content) -> String {
    let open = match language {
        En => "Open in Harit",
        Hi => "हरित में खोलें",
        Mr => "हरितमध्ये उघडा",
    };
    let link = content.link.as_deref().unwrap_or_default();
    let text = content.body.trim_end_matches(link).trim_end();
    let button = if link.is_empty() {
        String::new()
    } else {
        format!(
            "<p><a href=\"{}\" style=\"display:inline-block;padding:14px 20px;background:#2b6a3f;color:#ffffff;\
             text-decoration:none;border-radius:6px\">{open}</a></p>",
            escaped(link)
        )
    };
    format!(
        "<!doctype html><html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{}</title></head>\
         <body style=\"margin:0;padding:20px;font:17px/1.5 sans-serif;color:#1a1a1a;background:#ffffff\">\
         <h1 style=\"font-size:20px;line-height:1.3\">{}</h1><p style=\"white-space:pre-line\">{}</p>{button}\
         <p style=\"color:#595959;font-size:14px\">Harit</p></body></html>",
        language.as_str(),
        escaped(&content.title),
        escaped(&content.title),
        escaped(text),
    )
}

/// A text without anything that is markup.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            _ => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_markup_in_a_mail() {
        let content = Content {
            title: "Alert: <b>Hot</b>".into(),
            body: "Polyhouse \"1\" & 2\nhttps://farm.example/alerts?a=1&b=2".into(),
            link: Some("https://farm.example/alerts?a=1&b=2".into()),
            ..Content::default()
        };
        let html = html(En, &content);
        assert!(html.contains("Alert: &lt;b&gt;Hot&lt;/b&gt;"), "{html}");
        assert!(
            html.contains("Polyhouse &quot;1&quot; &amp; 2</p>"),
            "{html}"
        );
        assert!(
            html.contains("href=\"https://farm.example/alerts?a=1&amp;b=2\""),
            "{html}"
        );
    }

    #[test]
    fn what_is_left_out_is_counted_in_each_language() {
        assert_eq!(left_out(En, 7, None).title, "and 7 more messages");
        assert_eq!(left_out(En, 1, None).title, "and 1 more message");
        assert!(left_out(Hi, 7, None).title.contains('7'));
        assert!(left_out(Mr, 7, None).title.contains('७'));
    }
}
