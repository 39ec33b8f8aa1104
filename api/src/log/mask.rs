//! Contacts in the log, for readers who may not see who belongs to the farm.

use serde_json::Value;

/// What stands in the place of a contact.
const HIDDEN: &str = "•••";
/// From so many digits on it may be somebody's number.
const NUMBER_DIGITS: usize = 7;
/// What may stand between the digits of a number.
const BETWEEN: [char; 4] = ['-', '(', ')', '.'];

/// The value with every e-mail address and telephone number in its texts hidden.
pub(crate) fn masked(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(text_without_contacts(&text)),
        Value::Array(items) => items.into_iter().map(masked).collect(),
        Value::Object(fields) => fields.into_iter().map(|(k, v)| (k, masked(v))).collect(),
        other => other,
    }
}

fn text_without_contacts(text: &str) -> String {
    let hide = |word: &str| if is_contact(word) { HIDDEN } else { word }.to_owned();
    text.split(' ').map(hide).collect::<Vec<_>>().join(" ")
}

fn is_contact(word: &str) -> bool {
    let address = word
        .split_once('@')
        .is_some_and(|(who, host)| !who.is_empty() && !host.is_empty());
    let number = word.strip_prefix('+').unwrap_or(word);
    let digits = number.chars().filter(char::is_ascii_digit).count();
    let only_digits = number
        .chars()
        .all(|c| c.is_ascii_digit() || BETWEEN.contains(&c));
    address || (only_digits && digits >= NUMBER_DIGITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn contacts_are_hidden_wherever_they_are() {
        let details = json!({"name": "Ravi More", "email": "ravi@x.test", "more": ["+919876543210", {"phone": "98765-43210"}],
            "note": "call ravi@x.test or +91 9876543210 at 10:30", "minutes": 30, "deployed": true});
        assert_eq!(
            masked(details),
            json!({"name": "Ravi More", "email": "•••", "more": ["•••", {"phone": "•••"}],
                "note": "call ••• or +91 ••• at 10:30", "minutes": 30, "deployed": true})
        );
    }
}
