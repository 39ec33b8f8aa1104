//! Contacts in the log, by field and by reader. Owners and admins see them. Who manages a farm's work sees whose they are, as in
//! the list of people, and not what they are; a VIEWER sees none in free texts either.

use serde_json::Value;

use crate::role::Role;

/// What stands in the place of a contact.
const HIDDEN: &str = "•••";
/// Fields whose value is a contact.
const CONTACTS: [&str; 5] = ["contact", "email", "phone", "mobile", "subscribers"];
/// From so many digits on it may be somebody's number.
const NUMBER_DIGITS: usize = 7;

/// The value as a reader of that role sees it.
pub(crate) fn masked(value: Value, reader: Role) -> Value {
    match value {
        _ if reader.is_admin() => value,
        Value::String(text) => Value::String(masked_text(&text, reader)),
        Value::Array(items) => items.into_iter().map(|v| masked(v, reader)).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (String, Value)| {
                let value = if CONTACTS.contains(&name.as_str()) && !value.is_null() {
                    Value::from(HIDDEN)
                } else {
                    masked(value, reader)
                };
                (name, value)
            };
            fields.into_iter().map(field).collect()
        }
        other => other,
    }
}

/// The text as a reader of that role sees it.
pub(crate) fn masked_text(text: &str, reader: Role) -> String {
    if reader == Role::Viewer {
        without_numbers(&without_addresses(text))
    } else {
        text.to_owned()
    }
}

fn without_addresses(text: &str) -> String {
    let between =
        |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '(' | ')' | '<' | '>' | '"');
    let hide = |part: &str| {
        let word = part.trim_end_matches(between);
        let is_address = word
            .split_once('@')
            .is_some_and(|(who, host)| !who.is_empty() && !host.is_empty());
        if is_address {
            format!("{HIDDEN}{}", &part[word.len()..])
        } else {
            part.to_owned()
        }
    };
    text.split_inclusive(between).map(hide).collect()
}

/// Numbers are written with anything between their digits: "98765 43210", "(+91)98765-43210".
fn without_numbers(text: &str) -> String {
    let digit = |c: char| c.is_ascii_digit() || ('०'..='९').contains(&c);
    let part =
        |c: char| digit(c) || matches!(c, '+' | '-' | '.' | '(' | ')' | '/' | ' ' | '\u{a0}');
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c| digit(c) || matches!(c, '+' | '(')) {
        said.push_str(&rest[..start]);
        rest = &rest[start..];
        let run = &rest[..rest.find(|c| !part(c)).unwrap_or(rest.len())];
        // what follows the last digit is no part of it
        let number = &run[..run
            .rfind(digit)
            .map_or(0, |n| n + run[n..].chars().next().map_or(0, char::len_utf8))];
        if number.chars().filter(|c| digit(*c)).count() >= NUMBER_DIGITS {
            said.push_str(HIDDEN);
            rest = &rest[number.len()..];
        } else {
            said.push_str(run);
            rest = &rest[run.len()..];
        }
    }
    said.push_str(rest);
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn contacts_are_hidden_by_field_and_by_reader() {
        let details = json!({"name": "Ravi More", "email": "ravi@x.test", "phone": null, "more": [{"contact": "+919876543210"}],
            "note": "call ravi@x.test, or +91 98765 43210 at 10:30", "minutes": 30, "deployed": true});
        for admin in [Role::Owner, Role::Admin] {
            assert_eq!(masked(details.clone(), admin), details);
        }
        let mut seen = json!({"name": "Ravi More", "email": "•••", "phone": null, "more": [{"contact": "•••"}],
            "note": "call ravi@x.test, or +91 98765 43210 at 10:30", "minutes": 30, "deployed": true});
        assert_eq!(masked(details.clone(), Role::FarmManager), seen);
        seen["note"] = json!("call •••, or ••• at 10:30");
        assert_eq!(masked(details, Role::Viewer), seen);
    }

    #[test]
    fn a_viewer_sees_no_number_however_it_is_written() {
        for (text, seen) in [
            ("98765 43210", "•••"),
            ("phone:9876543210", "phone:•••"),
            ("9876543210,", "•••,"),
            ("(+91)9876543210 rings", "••• rings"),
            ("९८७६५ ४३२१०", "•••"),
            ("mailto:ravi@x.test", "mailto:•••"),
            ("valve 3 for 20 s", "valve 3 for 20 s"),
            ("(see 4+5) a @ b", "(see 4+5) a @ b"),
            ("", ""),
        ] {
            assert_eq!(masked_text(text, Role::Viewer), seen, "{text}");
        }
    }
}
