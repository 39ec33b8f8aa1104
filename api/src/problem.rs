//! What is wrong with a field of a document, in the language of who wrote it. The engine says it in English, with the value; the other
//! languages say the kind of problem, with the range of a number.

use harit_engine::NumberRange;

use crate::language::{Language, Text};

/// A problem of that kind in a language.
pub(crate) fn say(
    code: &str,
    english: &str,
    range: Option<NumberRange>,
    language: Language,
) -> String {
    if language == Language::En {
        return english.to_owned();
    }
    if let Some(range) = range {
        return say_range(range, language);
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

fn say_range(range: NumberRange, language: Language) -> String {
    let unit = match range.unit {
        "" => String::new(),
        unit => format!(" {unit}"),
    };
    let [min, max] = [range.min, range.max].map(|limit| language.digits(&limit.to_string()));
    match (language, range.above) {
        (Language::Mr, false) => format!("हे {min} ते {max}{unit} या दरम्यान असावे"),
        (Language::Mr, true) => format!("हे {min} पेक्षा जास्त आणि {max}{unit} पर्यंत असावे"),
        (_, false) => format!("यह {min} से {max}{unit} के बीच होना चाहिए"),
        (_, true) => format!("यह {min} से ज़्यादा और {max}{unit} तक होना चाहिए"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_said_in_each_language() {
        let air = Some(NumberRange::of_units(-10, 50).in_unit("°C"));
        let english = "99 is outside -10 to 50 °C";
        assert_eq!(say("out_of_range", english, air, Language::En), english);
        assert_eq!(
            say("out_of_range", english, air, Language::Hi),
            "यह -10 से 50 °C के बीच होना चाहिए"
        );
        let pulse = Some(NumberRange::of_units(1, 60));
        assert_eq!(
            say("required", "", pulse, Language::Mr),
            "हे १ ते ६० या दरम्यान असावे"
        );
        let amount = Some(NumberRange {
            above: true,
            ..NumberRange::of_units(0, 10_000)
        });
        assert_eq!(
            say("out_of_range", "", amount, Language::Mr),
            "हे ० पेक्षा जास्त आणि १०००० पर्यंत असावे"
        );
        assert_eq!(
            say("required", "name is required", None, Language::Hi),
            "यह ज़रूरी है"
        );
        assert_eq!(say("a_later_one", "?", None, Language::Mr), "हे योग्य नाही");
    }
}
