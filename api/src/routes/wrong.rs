//! What is wrong with what somebody typed, collected field by field, so that all of it is said at once.

use crate::error::ApiError;
use crate::language::Text;

/// What is wrong so far.
#[derive(Default)]
pub(super) struct Wrong(Vec<(String, &'static str, Text)>);

/// A line of text, or several: how long it may be and what is said of one that is not right.
pub(super) struct TextField {
    pub(super) name: &'static str,
    pub(super) max_chars: usize,
    pub(super) too_long: Text,
    /// Whether it may have lines.
    pub(super) lines: bool,
}

impl Wrong {
    pub(super) fn say(&mut self, field: &str, code: &'static str, text: Text) {
        self.0.push((field.to_owned(), code, text));
    }

    /// Nothing, or all that is wrong.
    pub(super) fn done(self) -> Result<(), ApiError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(ApiError::fields(self.0))
        }
    }

    /// What was read, if nothing is wrong with any field.
    pub(super) fn read<T>(self, value: Option<T>) -> Result<T, ApiError> {
        self.done()?;
        value.ok_or_else(ApiError::internal)
    }

    /// A text that may be blank.
    pub(super) fn text(&mut self, field: &TextField, typed: Option<&str>) -> Option<String> {
        let typed = typed.unwrap_or("").trim();
        let stray = |c: char| c.is_control() && !(field.lines && matches!(c, '\n' | '\r' | '\t'));
        if typed.chars().count() > field.max_chars {
            self.say(field.name, "too_long", field.too_long);
        } else if typed.contains(stray) {
            self.say(field.name, "invalid", Text::StrayCharacters);
        }
        (!typed.is_empty()).then(|| typed.to_owned())
    }

    /// A text that must be there.
    pub(super) fn required_text(
        &mut self,
        field: &TextField,
        typed: Option<&str>,
        missing: Text,
    ) -> String {
        let text = self.text(field, typed);
        if text.is_none() {
            self.say(field.name, "required", missing);
        }
        text.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_trimmed_and_counted_in_characters() {
        let field = TextField {
            name: "title",
            max_chars: 3,
            too_long: Text::NameTooLong,
            lines: false,
        };
        let read = |field: &TextField, typed: &str| {
            let mut wrong = Wrong::default();
            let text = wrong.required_text(field, Some(typed), Text::NameRequired);
            wrong.done().map(|()| text).map_err(|e| e.to_string())
        };
        assert_eq!(read(&field, "  अआइ "), Ok("अआइ".to_owned()));
        for bad in ["abcd", " ", "", "a\nb", "a\u{0}"] {
            assert_eq!(read(&field, bad), Err("invalid".to_owned()), "{bad:?}");
        }
        let lines = TextField {
            lines: true,
            ..field
        };
        assert_eq!(read(&lines, "a\nb"), Ok("a\nb".to_owned()));
        assert!(read(&lines, "a\u{7}").is_err());
    }
}
