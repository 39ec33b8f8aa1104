//! The fields of a task, as they are typed.

use jiff::civil::Date;
use serde::Deserialize;
use utoipa::ToSchema;

use super::wrong::{TextField, Wrong};
use crate::language::Text;
use crate::records::{TaskAbout, TaskAboutKind, TaskPriority, TaskStatus, TaskText};

const TITLE: TextField = TextField {
    name: "title",
    max_chars: 200,
    too_long: Text::TitleTooLong,
    lines: false,
};
const DESCRIPTION: TextField = TextField {
    name: "description",
    max_chars: 4_000,
    too_long: Text::DescriptionTooLong,
    lines: true,
};
const CATEGORY: TextField = TextField {
    name: "category",
    max_chars: 60,
    too_long: Text::CategoryTooLong,
    lines: false,
};
/// The years of due dates: what lies outside was mistyped.
const YEARS: std::ops::RangeInclusive<i16> = 2000..=2100;

/// What a task is about, as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = TaskAboutInput)]
pub(super) struct AboutInput {
    #[schema(required, value_type = TaskAboutKind)]
    kind: Option<String>,
    /// One of the farm's.
    #[schema(required, value_type = String)]
    id: Option<String>,
}

/// A task as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = TaskInput)]
pub(super) struct TaskInput {
    /// 1 to 200 characters.
    #[schema(required, value_type = String, max_length = 200)]
    title: Option<String>,
    /// Up to 4000 characters.
    #[schema(max_length = 4000)]
    description: Option<String>,
    /// One of GET .../assignees.
    assignee_id: Option<String>,
    /// The last day on which it is not overdue, YYYY-MM-DD, in the farm's time.
    #[schema(required, value_type = String, example = "2026-01-31")]
    due_date: Option<String>,
    /// In the farm's own words, up to 60 characters.
    #[schema(max_length = 60)]
    category: Option<String>,
    /// A crop cycle, zone or device; null where it is about none.
    about: Option<AboutInput>,
    /// MEDIUM by default.
    #[schema(value_type = Option<TaskPriority>)]
    priority: Option<String>,
    /// OPEN by default; of a task that exists, what it is.
    #[schema(value_type = Option<TaskStatus>)]
    status: Option<String>,
}

impl TaskInput {
    /// Reads all fields; the assignee still has to be looked up. `status` is taken where none is said.
    pub(super) fn read(self, wrong: &mut Wrong, status: TaskStatus) -> TaskText {
        let TaskInput {
            title,
            description,
            assignee_id,
            due_date,
            category,
            about,
            priority,
            status: typed_status,
        } = self;
        TaskText {
            title: wrong.required_text(&TITLE, title.as_deref(), Text::TitleRequired),
            description: wrong.text(&DESCRIPTION, description.as_deref()),
            assignee_id: assignee_id.filter(|id| !id.trim().is_empty()),
            due_date: due(wrong, due_date.as_deref()),
            category: wrong.text(&CATEGORY, category.as_deref()),
            about: about.and_then(|about| read_about(wrong, about)),
            priority: priority.map_or(TaskPriority::Medium, |word| {
                TaskPriority::parse(&word).unwrap_or_else(|| {
                    wrong.say("priority", "invalid", Text::PriorityInvalid);
                    TaskPriority::Medium
                })
            }),
            status: typed_status.map_or(status, |word| column(wrong, Some(&word))),
        }
    }
}

/// The column that somebody named.
pub(super) fn column(wrong: &mut Wrong, typed: Option<&str>) -> TaskStatus {
    typed.and_then(TaskStatus::parse).unwrap_or_else(|| {
        wrong.say("status", "invalid", Text::TaskStatusInvalid);
        TaskStatus::Open
    })
}

fn read_about(wrong: &mut Wrong, typed: AboutInput) -> Option<TaskAbout> {
    let kind = typed.kind.as_deref().and_then(TaskAboutKind::parse);
    if kind.is_none() {
        wrong.say("about.kind", "invalid", Text::FieldWrong);
    }
    let id = typed.id.filter(|id| !id.is_empty());
    if id.is_none() {
        wrong.say("about.id", "required", Text::FieldRequired);
    }
    let (kind, id) = kind.zip(id)?;
    Some(TaskAbout { kind, id })
}

fn due(wrong: &mut Wrong, typed: Option<&str>) -> String {
    let typed = typed.unwrap_or("").trim();
    if typed.is_empty() {
        wrong.say("dueDate", "required", Text::DueDateRequired);
    } else if !is_day(typed) {
        wrong.say("dueDate", "invalid", Text::DueDateInvalid);
    }
    typed.to_owned()
}

/// Whether it is a day in its one spelling: due dates are compared as texts.
fn is_day(text: &str) -> bool {
    text.parse::<Date>()
        .is_ok_and(|day| YEARS.contains(&day.year()) && day.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_due_date_is_a_day_of_the_calendar() {
        for good in ["2026-01-31", "2028-02-29", "2000-01-01", "2100-12-31"] {
            assert!(is_day(good), "{good}");
        }
        for bad in [
            "2026-02-29",
            "2026-1-31",
            "31-01-2026",
            "20260131",
            "2026-01-31T10:00:00",
            "1999-12-31",
            "2101-01-01",
            "+002026-01-31",
            "soon",
        ] {
            assert!(!is_day(bad), "{bad}");
        }
    }
}
