//! What is wrong with a field of a document, in the language of who wrote it. The engine says it in English, with the value and
//! the limit; the other languages say the kind of problem, with the limits where there are any.

use crate::language::{Language, Text};

/// A problem of that kind in a language.
pub(crate) fn say(code: &str, english: &str, language: Language) -> String {
    if language == Language::En {
        return english.to_owned();
    }
    if let Some((least, most)) = limits(english) {
        return match language {
            Language::Mr => format!(
                "हे {} ते {} या दरम्यान असावे",
                language.digits(least),
                language.digits(most)
            ),
            Language::En | Language::Hi => format!("यह {least} से {most} के बीच होना चाहिए"),
        };
    }
    if let Some((_, most)) = english.split_once(" is not above 0, to ") {
        let most = language.digits(most);
        return match language {
            Language::Mr => format!("हे ० पेक्षा जास्त आणि {most} पर्यंत असावे"),
            Language::En | Language::Hi => format!("यह 0 से ज़्यादा और {most} तक होना चाहिए"),
        };
    }
    let text = match code {
        "required" => Text::FieldRequired,
        "out_of_range" => Text::FieldOutOfRange,
        "not_whole" => Text::FieldNotWhole,
        "unknown" | "unknown_word" => Text::FieldUnknown,
        "no_value" => Text::FieldNoValue,
        "no_sensor" => Text::FieldNoSensor,
        "duplicate" | "reserved" => Text::FieldTaken,
        "circle" => Text::FieldCircle,
        "too_many" => Text::FieldTooMany,
        _ => Text::FieldWrong,
    };
    text.say(language).to_owned()
}

/// The limits that the engine's words name: `99 is outside -10 to 50 °C`, `set_speed needs a value from 0 to 100`.
fn limits(english: &str) -> Option<(&str, &str)> {
    let (_, range) = english
        .split_once(" is outside ")
        .or_else(|| english.split_once(" needs a value from "))?;
    range.split_once(" to ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_said_in_each_language() {
        let english = "99 is outside -10 to 50 °C";
        assert_eq!(say("out_of_range", english, Language::En), english);
        assert_eq!(
            say("out_of_range", english, Language::Hi),
            "यह -10 से 50 °C के बीच होना चाहिए"
        );
        assert_eq!(
            say("required", "pulse needs a value from 1 to 60", Language::Mr),
            "हे १ ते ६० या दरम्यान असावे"
        );
        assert_eq!(
            say("out_of_range", "0 is not above 0, to 10000", Language::Mr),
            "हे ० पेक्षा जास्त आणि १०००० पर्यंत असावे"
        );
        assert_eq!(
            say("required", "name is required", Language::Hi),
            "यह ज़रूरी है"
        );
        assert_eq!(say("a_later_one", "?", Language::Mr), "हे योग्य नाही");
    }
}
