//! In which language a demo's farms are named. `texts.tsv` has everything that people read of them in all languages.

use clap::ValueEnum;
use serde_json::Value;

/// A line a text: English, Hindi, Marathi.
const TEXTS: &str = include_str!("texts.tsv");

/// A language of the demo's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum DemoLanguage {
    /// English.
    #[default]
    En,
    /// Hindi.
    Hi,
    /// Marathi.
    Mr,
}

impl DemoLanguage {
    /// The code of ISO 639-1.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Hi => "hi",
            Self::Mr => "mr",
        }
    }

    /// The language that a terminal is set to, by the variables of POSIX: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that
    /// is not empty. English where it is none of these languages.
    #[must_use]
    pub fn of_locale(variable: impl Fn(&str) -> Option<String>) -> Self {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .find_map(|name| variable(name).filter(|locale| !locale.is_empty()))
            .unwrap_or_default();
        let code = locale.split(['_', '.', '@']).next().unwrap_or_default();
        { Self::value_variants().iter() }
            .find(|language| language.code() == code)
            .copied()
            .unwrap_or_default()
    }

    /// A text of the demo in this language; what is none stays as it is.
    #[must_use]
    pub fn say(self, text: &str) -> &str {
        if self == Self::En {
            return text;
        }
        let said = TEXTS.lines().find_map(|line| {
            let mut columns = line.split('\t');
            (columns.next() == Some(text)).then(|| columns.nth(self as usize - 1))?
        });
        said.unwrap_or(text)
    }

    /// Says each text of a JSON document in this language, and each part of a path (`farm / polyhouse / zone`).
    pub fn say_each(self, document: &mut Value) {
        match document {
            Value::String(text) => {
                let parts: Vec<_> = text.split(" / ").map(|part| self.say(part)).collect();
                *text = parts.join(" / ");
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.say_each(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.say_each(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
