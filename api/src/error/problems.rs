//! Refusals that tell their problems one by one: fields, what is in use, and what is dangerous.

use axum::http::StatusCode;

use super::{ApiError, Limits, Said};
use crate::language::Text;

impl ApiError {
    /// One field is wrong; the text says it all.
    pub(crate) fn field(path: &str, code: &'static str, text: Text) -> Self {
        Self::fields(vec![(path.to_owned(), code, text)])
    }

    /// Fields are wrong; the first one's text stands for all.
    pub(crate) fn fields(wrong: Vec<(String, &'static str, Text)>) -> Self {
        let mut e = Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "invalid",
            wrong.first().map_or(Text::Invalid, |w| w.2),
        );
        e.problems = wrong
            .into_iter()
            .map(|(path, code, text)| Said::Text { path, code, text })
            .collect();
        e
    }

    /// The same with the limits of those that have any.
    pub(crate) fn limited(wrong: Vec<(String, &'static str, Text, Option<Limits>)>) -> Self {
        let mut e = Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "invalid",
            wrong.first().map_or(Text::Invalid, |w| w.2),
        );
        let said = |(path, code, text, limits)| Said::Limited {
            path,
            code,
            text,
            limits,
        };
        e.problems = wrong.into_iter().map(said).collect();
        e
    }

    pub(crate) fn name_required() -> Self {
        Self::field("name", "required", Text::NameRequired)
    }

    /// It cannot go while these refer to it: where each is, what it is, and its name.
    pub(crate) fn in_use(uses: Vec<(String, Text, String)>) -> Self {
        let mut e = Self::new(StatusCode::CONFLICT, "in_use", Text::InUse);
        e.problems = uses
            .into_iter()
            .map(|(path, text, name)| Said::Named {
                path,
                code: "in_use",
                text,
                name,
            })
            .collect();
        e
    }

    /// The same, where the engine found out.
    pub(crate) fn or_in_use(self) -> Self {
        if self.status != StatusCode::UNPROCESSABLE_ENTITY {
            return self;
        }
        let mut e = Self::in_use(Vec::new());
        e.problems = self.problems;
        e
    }

    /// A rule is not deployed with what is dangerous about it: the kinds, what they mean, and the devices.
    pub(crate) fn hazardous(found: Vec<(&'static str, Text, String)>) -> Self {
        let mut e = Self::new(StatusCode::CONFLICT, "hazardous", Text::Hazardous);
        e.problems = found
            .into_iter()
            .map(|(code, text, name)| Said::Named {
                path: "overHazards".to_owned(),
                code,
                text,
                name,
            })
            .collect();
        e
    }

    /// Derived sensors would go in a circle, with their names in its order.
    pub(crate) fn circle(names: String) -> Self {
        let text = Text::DerivedCircle;
        let mut e = Self::field("inputs", "circle", text);
        e.problems = vec![Said::Named {
            path: "inputs".to_owned(),
            code: "circle",
            text,
            name: names,
        }];
        e
    }

    /// The problems of what lies below there, by their paths from there on; the others where there is none.
    pub(crate) fn within(mut self, prefix: &str) -> Self {
        let mut inside = self.problems.clone();
        inside.retain_mut(|said| match said {
            Said::English { path, .. } => match path.strip_prefix(prefix) {
                Some(rest) => {
                    *path = rest.to_owned();
                    true
                }
                None => false,
            },
            _ => false,
        });
        if !inside.is_empty() {
            self.problems = inside;
        }
        self
    }
}
